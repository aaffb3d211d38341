//! Removes writes to storage buffers and images, so that a shader can be executed a second time.
//!
//! Accepts forms `slots` and `target`. Preserves control flow. Transform feedback of a geometry shader executes its code in
//! several functions ([`geometry_to_capture`](crate::stages::geometry_to_capture)), but its effects must happen once: unlike
//! vertex and evaluation shaders, geometry shaders are not executed "more than once for implementation-dependent reasons"
//! (OpenGL 4.6 section 7.13.1). Stores and atomic operations whose results are unused are removed.
//!
//! The code that stays has to behave as if the writes happened. An atomic operation whose result is used, and a read
//! of a variable that the shader also writes, are errors.
//!
//! Linear.
//!
//! Source: the counting variants of geometry shaders in Mesa's drivers for Apple GPUs, which lack side effects likewise.
//!
//! ```foil-example
//! foil 1
//! shader geometry "t" {
//!   form slots
//!   input_primitive points
//!   output_primitive points
//!   max_vertices 1
//!   ssbo B { uint[stride=4] data @0 } b set=0 binding=0
//!   fn main {
//!     32x1 %0 = const 0
//!     %1 = deref_var &b
//!     store_ssbo %0, %1, %0 mask=x align=4
//!     emit_vertex
//!   }
//! }
//! =>
//! foil 1
//! shader geometry "t" {
//!   form slots
//!   input_primitive points
//!   output_primitive points
//!   max_vertices 1
//!   ssbo B { uint[stride=4] data @0 } b set=0 binding=0
//!   fn main {
//!     32x1 %0 = const 0
//!     %1 = deref_var &b
//!     emit_vertex
//!   }
//! }
//! ```

use crate::util::deref_path::root_var;
use crate::{Changes, Context, Pass, PassInfo, Results};
use airfoil_ir::intrinsic::{MemoryAccess, MemoryAction};
use airfoil_ir::text::print_instr;
use airfoil_ir::{Body, Diagnostic, Form, InstrId, Intrinsic, Modes, Shader, VarId};

/// See the [module documentation](self).
#[derive(Debug, Default)]
pub struct DropMemoryWrites;

static INFO: PassInfo = PassInfo::new(
    "drop_memory_writes",
    "removes writes to storage buffers and images",
    include_str!("drop_memory_writes.rs"),
)
.takes(&[Form::Slots, Form::Target])
.results(Results::All);

/// Memory that outlives the function.
const MEMORY: Modes = Modes::SSBO.union(Modes::GLOBAL).union(Modes::IMAGE);

/// The variable that an operand names; `None` if it is unknown.
type Place = Option<VarId>;

impl Pass for DropMemoryWrites {
    fn info(&self) -> &'static PassInfo {
        &INFO
    }

    fn run(&self, shader: &mut Shader, _: &mut Context) -> Result<Changes, Diagnostic> {
        let mut written: Vec<Place> = Vec::new();
        for body in shader.functions.values().map(|f| &f.body) {
            let places = body.entries().filter_map(|(_, i)| i.as_intrinsic()).filter_map(|i| writes(body, i));
            written.extend(places);
        }
        if written.is_empty() {
            return Ok(Changes::NONE);
        }
        let meets = |place: Place| written.iter().any(|&w| w.is_none() || place.is_none() || w == place);
        let mut gone = Vec::new();
        for (function, f) in &shader.functions {
            let body = &f.body;
            for (id, instr) in body.entries() {
                let Some(i) = instr.as_intrinsic() else { continue };
                let refuse = |why: &str| {
                    let text = print_instr(shader, body, id);
                    Err(Diagnostic::error("E0357", format!("`{text}` {why}")).help(
                        "the shader is executed again for transform feedback, without its writes to memory",
                    ))
                };
                if writes(body, i).is_some() {
                    if instr.uses() > 0 {
                        return refuse("has a result that is used");
                    }
                    gone.push((function, id));
                } else if reads(body, i).is_some_and(meets) {
                    return refuse("reads memory that the shader writes");
                }
            }
        }
        for (function, id) in gone {
            shader.functions[function].body.remove(id);
        }
        Ok(Changes::ALL_BUT_CONTROL_FLOW)
    }
}

/// The modes and the variable that a memory operand names.
fn place(body: &Body, modes: Modes, deref: Option<InstrId>) -> Option<Place> {
    let named = deref.and_then(|d| body[d].as_deref()).map_or(modes, |d| d.modes & modes);
    named.intersects(MEMORY).then(|| deref.and_then(|d| root_var(body, d)))
}

/// The memory that an intrinsic writes.
fn writes(body: &Body, i: &Intrinsic) -> Option<Place> {
    let MemoryAccess { modes, action, block, .. } = i.memory()?;
    if action.writes() { place(body, modes, block) } else { None }
}

/// The memory that an intrinsic reads.
fn reads(body: &Body, i: &Intrinsic) -> Option<Place> {
    let MemoryAccess { modes, action, block, value, .. } = i.memory()?;
    match action {
        MemoryAction::Copy => place(body, modes, value),
        _ if action.reads() => place(body, modes, block),
        _ => None,
    }
}
