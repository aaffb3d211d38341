//! Shaders with inputs and resources of the caller; and seeded execution.
//!
//! A [`Program`] is a shader prepared once; each stage has a method that executes a batch of invocations:
//! [`vertex`](Program::vertex), [`tess_control`](Program::tess_control), [`tess_eval`](Program::tess_eval),
//! [`geometry`](Program::geometry), [`fragment`](Program::fragment), [`compute`](Program::compute),
//! [`task`](Program::task), [`mesh`](Program::mesh).

mod bind;
mod compute;
mod fragment;
mod interface;
pub(crate) mod seeded;
mod stages;

pub use compute::{Mesh, Task, workgroups};
pub use fragment::{Fragment, FragmentBatch, InitialColor, Outcome as FragmentOutput, Primitive, Quad};
pub use interface::{IoVar, variables};
pub use stages::{GeometryPrimitive, Patch, Stream, TessPoint, Vertex};

use crate::fault::Fault;
use crate::machine::Machine;
use crate::machine::code::OpKind;
use crate::machine::frames::Pause;
use crate::machine::group::Limits;
use crate::machine::interface::MAX_VERTICES;
use crate::machine::lanes::MAX_LANES;
use crate::memory::Memory;
use crate::memory::layout::Layouts;
use crate::observe::Observer;
use crate::ops::float_mode::FloatMode;
use crate::resources::Resources;
use crate::values::System;
use crate::world::given::Given;
use airfoil_ir::{Modes, Shader, Stage, SystemValue};

/// Options of execution.
///
/// # Examples
///
/// The shader writes an undefined value:
///
/// ```
/// use airfoil_interp::run::Vertex;
/// use airfoil_interp::{Config, Fault, Program, Resources, System};
///
/// # let shader = airfoil_ir::text::parse(r#"foil 1
/// # shader vertex "open" {
/// #   out uint o location=0
/// #   fn main {
/// #     32x1 %u = undef
/// #     store_deref &o, %u
/// #   }
/// # }"#).unwrap();
/// let output = |config: Config| -> Result<Option<u32>, Fault> {
///     let mut program = Program::new(&shader, config)?;
///     let out = program.vertex(&mut Resources::new(), &System::new(), &[Vertex::default()])?;
///     Ok(out[0].get(airfoil_ir::Slot::generic(0).unwrap(), 0))
/// };
/// let pattern = Config { undefined: 0xdead_beef, ..Config::default() };
/// assert_eq!(output(pattern.clone())?, Some(0xdead_beef));
/// assert_eq!(output(Config { report_undefined: true, ..pattern })?, None);
/// # Ok::<(), Fault>(())
/// ```
#[derive(Clone, Debug)]
pub struct Config {
    /// Invocations of a subgroup, 1 to 64; fragments and patches round it up to whole quads and patches.
    pub subgroup_size: u32,
    /// Limit of the instructions of a group (subgroup, patch or workgroup), counted once per invocation.
    pub max_steps: u64,
    /// Accesses out of bounds are not a fault: reads return zero, writes and atomics have no effect.
    pub robust: bool,
    /// Buffers that nothing is bound to are empty. Otherwise an access to one is a fault, also if `robust`.
    pub empty_unbound: bool,
    /// A branch on an undefined value is a fault, and undefined outputs are absent. Otherwise undefined
    /// values are those of `undefined`, and every output that is written exists.
    pub report_undefined: bool,
    /// The last workgroup of a dispatch is executed first, and the last subgroup of a workgroup takes the first turn. With
    /// subgroups of one invocation, results that are not those of the usual order depend on a race, or on the order of atomics.
    pub reversed: bool,
    /// Bits of undefined values; narrow ones have the low bits. Memory that is not written yet holds them side by side.
    pub undefined: u64,
    /// Behaviour of floats where the specifications allow several.
    pub floats: FloatMode,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            subgroup_size: 32,
            max_steps: 1_000_000_000,
            robust: true,
            empty_unbound: false,
            report_undefined: false,
            reversed: false,
            undefined: 0,
            floats: FloatMode::default(),
        }
    }
}

/// A shader prepared for execution.
///
/// # Examples
///
/// The sum of the indices of all invocations in their workgroups:
///
/// ```
/// use airfoil_interp::{Binding, Config, Program, Resources, Space, System};
///
/// # let shader = airfoil_ir::text::parse(r#"foil 1
/// # shader compute "sum" {
/// #   form slots
/// #   ssbo B { uint sum @0 } b set=0 binding=0
/// #   fn main {
/// #     32x1 %at = const 0
/// #     %i = load_local_invocation_index
/// #     32x1 %old = ssbo_atomic &b, %at, %i op=iadd
/// #   }
/// # }"#).unwrap();
/// // The shader leaves the size of workgroups open.
/// let mut program = Program::with_workgroup(&shader, Config::default(), [16, 1, 1])?;
/// let mut resources = Resources::new();
/// let buffer = resources.add_buffer(vec![0; 4]);
/// resources.bind(Space::Storage, 0, 0, 0, Binding::Buffer { buffer, offset: 0, size: None });
/// program.compute(&mut resources, &System::new(), [2, 1, 1])?;
/// assert_eq!(resources.buffers[buffer].bytes, (2u32 * 120).to_le_bytes());
/// assert!(program.steps().is_multiple_of(32));
/// // A program has one stage.
/// assert!(program.vertex(&mut resources, &System::new(), &[]).is_err());
/// # Ok::<(), airfoil_interp::Fault>(())
/// ```
pub struct Program<'s> {
    machine: Machine<'s, Given>,
    config: Config,
    /// Size of a workgroup.
    workgroup: [u32; 3],
    observer: Option<Box<dyn Observer + Send>>,
    inputs: Vec<IoVar>,
    outputs: Vec<IoVar>,
    waves: Vec<compute::Wave>,
    /// Instructions of all groups so far.
    steps: u64,
}

impl std::fmt::Debug for Program<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Program").field("shader", &self.machine.group.shader.name).finish_non_exhaustive()
    }
}

impl<'s> Program<'s> {
    /// Prepares a valid shader of any form. Compute workgroups whose size the shader leaves open are 1x1x1; see
    /// [`Program::with_workgroup`].
    ///
    /// # Errors
    /// Unsupported features, such as variables beyond fixed bounds.
    pub fn new(shader: &'s Shader, config: Config) -> Result<Program<'s>, Fault> {
        Program::with_workgroup(shader, config, [1; 3])
    }

    /// Prepares a shader; `workgroup` gives the workgroup sizes that it leaves open.
    ///
    /// # Errors
    /// As [`Program::new`]; and workgroups of more than 4096 invocations.
    pub fn with_workgroup(
        shader: &'s Shader,
        config: Config,
        workgroup: [u32; 3],
    ) -> Result<Program<'s>, Fault> {
        let info = &shader.info;
        let size = info.workgroup_size.unwrap_or(workgroup.map(|n| n.max(1)));
        let all = size.iter().fold(1u32, |a, &n| a.saturating_mul(n));
        let width = config.subgroup_size.clamp(1, MAX_LANES as u32);
        let (lanes, invocations) = match shader.stage {
            Stage::Compute | Stage::Task | Stage::Mesh => {
                if all > 4096 {
                    return Err(Fault::unsupported(format!("a workgroup of {all} invocations is too large")));
                }
                (width, all)
            }
            Stage::Fragment => (width.next_multiple_of(4), width.next_multiple_of(4)),
            Stage::TessControl => {
                let n = info.patch_vertices_out.max(1);
                if n as usize > MAX_LANES {
                    return Err(Fault::unsupported(format!("a patch of {n} vertices is too large")));
                }
                (n, n)
            }
            _ => (width, width),
        };
        let lanes = lanes as usize;
        let mut layouts = Layouts::new(&shader.types, MAX_VERTICES);
        // The last subgroup of a workgroup may not be full, but has memory.
        let invocations = (invocations as usize).next_multiple_of(lanes);
        let mut memory = Memory::new(shader, &mut layouts, None, invocations)?;
        memory.pattern = config.undefined.to_le_bytes();
        memory.forgets = !config.report_undefined;
        memory.empty_unbound = config.empty_unbound;
        let limits = Limits {
            max_steps: config.max_steps,
            undef: config.undefined,
            report: config.report_undefined,
            robust: config.robust,
            floats: config.floats,
        };
        let world = Given::new(shader.stage, config.robust, lanes);
        let mut machine = Machine::new(shader, world, lanes, layouts, memory, limits, true)?;
        let used = used_system_values(shader, &machine);
        machine.group.world.declare_system_values(used);
        let (inputs, outputs) = (variables(shader, Modes::IN), variables(shader, Modes::OUT));
        let (waves, workgroup) = (Vec::new(), size);
        Ok(Program { machine, config, workgroup, observer: None, inputs, outputs, waves, steps: 0 })
    }

    /// The shader that was prepared.
    pub fn shader(&self) -> &'s Shader {
        self.machine.group.shader
    }

    /// How it is executed.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Inputs that the shader declares.
    pub fn inputs(&self) -> &[IoVar] {
        &self.inputs
    }

    /// Outputs that the shader declares.
    pub fn outputs(&self) -> &[IoVar] {
        &self.outputs
    }

    /// Size of a workgroup.
    pub fn workgroup_size(&self) -> [u32; 3] {
        self.workgroup
    }

    /// Instructions executed so far, counted once per invocation.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Reports every following instruction to an observer.
    pub fn observe(&mut self, observer: Box<dyn Observer + Send>) {
        self.observer = Some(observer);
    }

    fn lanes(&self) -> usize {
        self.machine.group.regs.lanes
    }

    fn world(&mut self) -> &mut Given {
        &mut self.machine.group.world
    }

    fn expect(&self, stages: &[Stage]) -> Result<(), Fault> {
        let stage = self.shader().stage;
        if stages.contains(&stage) {
            return Ok(());
        }
        Err(Fault::unsupported(format!("a shader of the stage {stage} cannot be executed as {}", stages[0])))
    }

    /// Binds resources around something.
    fn bound<T>(
        &mut self,
        resources: &mut Resources,
        f: impl FnOnce(&mut Self) -> Result<T, Fault>,
    ) -> Result<T, Fault> {
        self.bind(resources)?;
        let result = f(self);
        self.unbind(resources);
        result
    }

    /// Executes lanes whose inputs and system values are set as one group without barriers between subgroups.
    fn execute_group(&mut self, present: u64, helpers: u64) -> Result<(), Fault> {
        let m = &mut self.machine;
        let group = &mut m.group;
        group.memory.restart(group.shader, &mut group.layouts)?;
        group.memory.base = 0;
        group.steps = 0;
        m.slice = u64::MAX;
        m.start(present, helpers)?;
        let mut observer = self.observer.as_deref_mut().map(|o| o as &mut dyn Observer);
        let result = loop {
            match self.machine.proceed(&mut observer) {
                Ok(Pause::Done) => break Ok(()),
                Ok(_) => {}
                Err(fault) => break Err(fault),
            }
        };
        self.count_steps();
        result?;
        self.machine.group.finish_interface();
        Ok(())
    }

    /// Adds the steps of a group that has ended.
    fn count_steps(&mut self) {
        let steps = self.machine.group.steps;
        self.steps += steps;
        self.world().clock += steps;
    }
}

/// System values that the code or variables of a shader read.
fn used_system_values(shader: &Shader, m: &Machine<'_, Given>) -> Vec<SystemValue> {
    let mut used = vec![false; SystemValue::ALL.len()];
    for op in m.flat.functions.iter().flat_map(|f| &f.ops) {
        if let OpKind::Intrinsic(i, ..) = &op.kind
            && let Some(sv) = i.op.system_value()
        {
            used[sv as usize] = true;
        }
    }
    for sv in shader.vars.values().filter_map(|v| v.system_value) {
        used[sv as usize] = true;
    }
    // Inputs may show these by slot.
    use SystemValue as S;
    for sv in [
        S::primitive_id,
        S::layer_id,
        S::viewport_id,
        S::front_face,
        S::point_coord,
        S::view_index,
        S::tess_level_outer,
        S::tess_level_inner,
    ] {
        used[sv as usize] = true;
    }
    SystemValue::ALL.iter().copied().filter(|&s| used[s as usize]).collect()
}

/// System values of subgroups: `lane` of `lanes`, subgroup `n` of `all`.
fn subgroup(sv: SystemValue, lane: usize, lanes: usize, n: usize, all: usize) -> Option<[u64; 4]> {
    use SystemValue as S;
    let (one, mask) = (1u64 << lane, airfoil_ir::bit_mask(lanes as u32));
    let words = |m: u64| [m & 0xffff_ffff, m >> 32, 0, 0];
    Some(match sv {
        S::subgroup_size => [lanes as u64, 0, 0, 0],
        S::subgroup_invocation => [lane as u64, 0, 0, 0],
        S::subgroup_id => [n as u64, 0, 0, 0],
        S::num_subgroups => [all as u64, 0, 0, 0],
        S::subgroup_eq_mask => words(one),
        S::subgroup_ge_mask => words(mask & !(one - 1)),
        S::subgroup_gt_mask => words(mask & !(one - 1) & !one),
        S::subgroup_le_mask => words((one - 1) | one),
        S::subgroup_lt_mask => words(one - 1),
        _ => return None,
    })
}

/// A system value that follows from others, which `get` returns.
fn related(sv: SystemValue, get: impl Fn(SystemValue) -> Option<[u64; 4]>) -> Option<[u64; 4]> {
    use SystemValue as S;
    let word = |s| get(s).map(|v| v[0]);
    let base = |s| word(s).unwrap_or(0);
    let cut = |n: u64| [n & 0xffff_ffff, 0, 0, 0];
    match sv {
        S::vertex_id => word(S::vertex_id_zero_base).map(|n| cut(n.wrapping_add(base(S::base_vertex)))),
        S::vertex_id_zero_base => word(S::vertex_id).map(|n| cut(n.wrapping_sub(base(S::base_vertex)))),
        S::instance_id => word(S::instance_index).map(|n| cut(n.wrapping_sub(base(S::base_instance)))),
        S::instance_index => Some(cut(base(S::instance_id).wrapping_add(base(S::base_instance)))),
        _ => None,
    }
}

/// From the system values of an invocation and those of all.
fn either<'a>(own: &'a System, common: &'a System) -> impl Fn(SystemValue) -> Option<[u64; 4]> + 'a {
    |sv| own.get(sv).or_else(|| common.get(sv))
}
