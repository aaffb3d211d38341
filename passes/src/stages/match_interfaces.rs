//! Matches the interfaces of the functions of a program: the fragment function reads only values that the stage before it
//! writes, with the same type and number of components.
//!
//! Metal compares both sides by name and type and rejects a pipeline where they differ, or where an input is not written;
//! OpenGL and Vulkan accept both. Runs over all shaders of a program, in the forms `slots` or `target`, after
//! [`lower_stages`](mod@super::lower_stages). [`write_outputs`] runs on functions that leave
//! an output unwritten on some path or undefined, and [`match_inputs`](mod@super::match_inputs) on a fragment shader whose inputs differ from the
//! outputs of the stage before it. Of a fragment shader alone, the option `previous` states these outputs.
//!
//! ```foil-example
//! foil 1
//! shader vertex "v" {
//!   form slots
//!   out vec4 pos location=position
//!   entry fn main {
//!     32x1 %z = const 0
//!     32x4 %0 = const 0.0, 0.0, 0.0, 1.0
//!     store_output %0, %z io=position mask=xyzw src_type=float32
//!   }
//! }
//! foil 1
//! shader fragment "f" {
//!   form slots
//!   in float a location=0 flat
//!   out float o location=0
//!   entry fn main {
//!     32x1 %z = const 0
//!     32x1 %0 = load_input %z io=0 dest_type=float32
//!     store_output %0, %z io=0 mask=x src_type=float32
//!   }
//! }
//! =>
//! foil 1
//! shader vertex "v" {
//!   form slots
//!   out vec4 pos location=position
//!   entry fn main {
//!     32x1 %0 = const 0
//!     32x4 %1 = const 0, 0, 0, 1.0
//!     store_output %1, %0 io=position mask=xyzw src_type=float32
//!   }
//! }
//! foil 1
//! shader fragment "f" {
//!   form slots
//!   out float o location=0
//!   entry fn main {
//!     32x1 %0 = const 0
//!     32x1 %1 = const 0
//!     store_output %1, %0 io=0 mask=x src_type=float32
//!   }
//! }
//! ```

use super::interface::{Interface, Piece, is_varying, leaves, reach};
use super::match_inputs::{MatchInputs, reads};
use super::write_outputs::{self, WriteOutputs};
use crate::util::outputs::slot_store;
use crate::{PassInfo, ProgramPass, ProgramSteps, Results, pass_options};
use airfoil_ir::{Diagnostic, Form, Modes, Shader, Stage};

pass_options! {
    /// See the [module documentation](self).
    pub struct MatchInterfaces {
        /// The outputs of the stage before a fragment shader that is compiled alone; none if they are unknown.
        previous: Interface = Interface::default(),
    }
}

static INFO: PassInfo = PassInfo::new(
    "match_interfaces",
    "matches the inputs of the fragment stage to the outputs of the stage before it",
    include_str!("match_interfaces.rs"),
)
.takes(&[Form::Slots, Form::Target])
.results(Results::All);

impl ProgramPass for MatchInterfaces {
    fn info(&self) -> &'static PassInfo {
        &INFO
    }

    fn steps(&self, shaders: &[Shader]) -> Result<ProgramSteps, Diagnostic> {
        let mut steps = ProgramSteps::default();
        for (n, shader) in shaders.iter().enumerate() {
            if write_outputs::applies(shader) {
                steps.passes.push((n, Box::new(WriteOutputs)));
            }
        }
        let unknown = self.previous.0.is_empty();
        let before =
            |s: &Shader| matches!(s.stage, Stage::Vertex | Stage::TessEval | Stage::Geometry | Stage::Mesh);
        let last = shaders.iter().rfind(|s| before(s));
        let fragment = shaders.iter().position(|s| s.stage == Stage::Fragment);
        let outputs = match last {
            Some(last) => (last.form != Form::Variables).then(|| outputs(last)),
            None => (!unknown).then(|| self.previous.clone()),
        };
        if let (Some(outputs), Some(n)) = (outputs, fragment)
            && shaders[n].form != Form::Variables
            && reads(&shaders[n]).iter().any(|read| !outputs.has(read))
        {
            steps.passes.push((n, Box::new(MatchInputs { outputs })));
        }
        Ok(steps)
    }
}

/// The varyings that a stage before the fragment stage has: all that it declares, and all that it writes.
pub fn outputs(shader: &Shader) -> Interface {
    let declared = leaves(shader, Modes::OUT).into_iter().filter(|l| is_varying(l.slot) && !l.compact);
    let mut outputs = Interface(declared.map(|l| l.piece()).collect());
    let Some(body) = shader.entry_body() else { return outputs };
    for store in body.all_instrs().filter_map(|id| slot_store(body, id)) {
        let (component, comps) = (store.component() as u8, body[store.src(0)].ty.comps);
        for slot in reach(body, store).into_iter().filter(|&slot| is_varying(slot)) {
            if !outputs.contains(slot, component) {
                outputs.0.push(Piece { slot, component, comps, scalar: store.src_type() });
            }
        }
    }
    outputs.0.sort_by_key(|p| (p.slot, p.component));
    outputs
}
