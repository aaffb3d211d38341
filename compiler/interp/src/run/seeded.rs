//! Seeded execution: a shader with inputs and resources that are derived from a seed.

use crate::fault::Fault;
use crate::machine::Machine;
use crate::machine::frames::Pause;
use crate::machine::group::Limits;
use crate::memory::Memory;
use crate::memory::layout::Layouts;
use crate::ops::float_mode::FloatMode;
use crate::outcome::Outcome;
use crate::world::seeded::Seeded;
use airfoil_ir::{Shader, bit_mask};

/// Options of a seeded execution.
///
/// # Examples
///
/// ```
/// use airfoil_interp::{Options, Tolerance, execute};
///
/// let shader = airfoil_ir::text::parse(r#"foil 1
/// shader vertex "v" {
///   in float a location=0
///   out float o location=0
///   fn main { %a = load_deref &a
///     store_deref &o, %a }
/// }"#).unwrap();
/// let run = |seed| execute(&shader, &Options { seed, lanes: 8, ..Options::default() }).unwrap();
/// // One output for each of eight vertices; the seed alone determines their inputs.
/// assert_eq!(run(1).num_compared(), 8);
/// assert_eq!(run(1).digest(), run(1).digest());
/// assert!(run(1).difference(&run(2), Tolerance::default()).is_some());
/// ```
#[derive(Clone, Debug)]
pub struct Options {
    /// Seed of inputs, uniforms, buffers and textures.
    pub seed: u64,
    /// Invocations in lock step, 1 to 16; a compute workgroup that is smaller bounds it. Quads need 4.
    pub lanes: u32,
    /// Maximum number of instructions, counted once per lane.
    pub max_steps: u64,
    /// Bits of undefined values.
    pub undef: u64,
    /// Elements of arrays whose length is known at run time only.
    pub runtime_elements: u32,
    /// Behaviour of floats where the specifications allow several.
    pub floats: FloatMode,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            seed: 0,
            lanes: 4,
            max_steps: 1_000_000,
            undef: 0,
            runtime_elements: 16,
            floats: FloatMode::default(),
        }
    }
}

/// Executes a valid shader.
///
/// # Errors
/// Unsupported features, too many steps, or control flow that depends on an undefined value.
pub fn execute(shader: &Shader, options: &Options) -> Result<Outcome, Fault> {
    let world = Seeded::new(shader, options.seed, options.lanes);
    let (env, lanes) = (world.env, world.env.lanes);
    let mut layouts = Layouts::new(&shader.types, options.runtime_elements.max(1));
    let memory = Memory::new(shader, &mut layouts, Some(&env), lanes)?;
    let limits = Limits {
        max_steps: options.max_steps,
        undef: options.undef,
        report: true,
        robust: true,
        floats: options.floats,
    };
    let mut machine = Machine::new(shader, world, lanes, layouts, memory, limits, false)?;
    let helpers = env.helpers();
    machine.start(bit_mask(lanes as u32), helpers)?;
    // The outputs of helpers are not compared.
    machine.group.discarded = helpers;
    while machine.proceed(&mut None)? != Pause::Done {}
    let mut group = machine.group;
    group.finish_interface();
    Ok(group.world.into_outcome(&group.memory, group.discarded, group.steps))
}
