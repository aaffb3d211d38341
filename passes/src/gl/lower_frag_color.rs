//! Broadcasts `gl_FragColor` to the color attachments.
//!
//! Requires form `slots` or `target` and preserves the form. Preserves control flow. OpenGL writes `gl_FragColor` to
//! every draw buffer (`glDrawBuffers`), whose number is state of the framebuffer;
//! a Metal function names each attachment that it writes. Stores to the slot `frag_color` become one store per attachment.
//! Loads of the previous color read attachment 0. Without the pass, the backend writes attachment 0 only.
//!
//! Source: NIR's `nir_lower_fragcolor`.
//!
//! ```foil-example (attachments=2)
//! foil 1
//! shader fragment "t" {
//!   form slots
//!   out vec4 color location=frag_color
//!   fn main {
//!     32x1 %0 = const 0
//!     32x4 %1 = const 1.0, 0.0, 0.0, 1.0
//!     store_output %1, %0 io=frag_color mask=xyzw src_type=float32
//!   }
//! }
//! =>
//! foil 1
//! shader fragment "t" {
//!   form slots
//!   out vec4 color location=0
//!   out vec4 color_1 location=1
//!   fn main {
//!     32x1 %0 = const 0
//!     32x4 %1 = const 1.0, 0.0, 0.0, 1.0
//!     store_output %1, %0 io=0 mask=xyzw src_type=float32
//!     store_output %1, %0 io=1 mask=xyzw src_type=float32
//!   }
//! }
//! ```

use crate::util::outputs::{output_at, slot_stores};
use crate::{Changes, Context, Pass, PassInfo, Results, pass_options};
use airfoil_ir::{
    Body, Builder, Diagnostic, Form, Index, InstrId, InstrKind, IntrinsicOp, IoSemantics, Shader, Slot,
    Stage, Ty,
};

pass_options! {
    /// See the [module documentation](self).
    pub struct LowerFragColor {
        /// Number of color attachments, 1 to 8.
        attachments: u32 = 1,
    }
}

static INFO: PassInfo = PassInfo::new(
    "lower_frag_color",
    "broadcasts gl_FragColor to the color attachments",
    include_str!("lower_frag_color.rs"),
)
.takes(&[Form::Slots, Form::Target])
.options(<LowerFragColor as crate::PassOptions>::OPTIONS)
.results(Results::All);

impl Pass for LowerFragColor {
    fn info(&self) -> &'static PassInfo {
        &INFO
    }

    fn options(&self) -> Vec<(&'static str, String)> {
        crate::PassOptions::settings(self)
    }

    fn run(&self, shader: &mut Shader, _: &mut Context) -> Result<Changes, Diagnostic> {
        if shader.stage != Stage::Fragment {
            return Ok(Changes::NONE);
        }
        let attachments: Vec<Slot> = (0..self.attachments.clamp(1, 8)).filter_map(Slot::generic).collect();
        let mut changes = Changes::NONE;
        for function in shader.functions.values_mut() {
            let body = &mut function.body;
            for id in slot_stores(body, Slot::FRAG_COLOR) {
                broadcast(body, id, &attachments);
                changes |= Changes::INSTRUCTIONS;
            }
            changes |= Changes::INSTRUCTIONS.when(read_first(body, attachments[0]));
        }
        let Some(var) = output_at(shader, Slot::FRAG_COLOR) else { return Ok(changes) };
        let color = shader.vars[var].clone();
        shader.vars[var].location = Some(attachments[0]);
        for (n, &slot) in attachments.iter().enumerate().skip(1) {
            let mut other = color.clone();
            (other.name, other.location) = (format!("{}_{n}", color.name).into(), Some(slot));
            let _ = shader.add_var(other);
        }
        Ok(changes | Changes::VARIABLES)
    }
}

/// Replaces a store by one per attachment.
fn broadcast(body: &mut Body, id: InstrId, attachments: &[Slot]) {
    let Some(store) = body[id].as_intrinsic().copied() else { return };
    let to = |slot| store.with(Index::Io, IoSemantics { location: slot, ..store.io() });
    let mut b = Builder::before(body, id);
    for &slot in &attachments[..attachments.len() - 1] {
        b.insert_intrinsic(to(slot), Ty::NONE);
    }
    let last = to(attachments[attachments.len() - 1]);
    body.edit(id, |i| i.kind = InstrKind::Intrinsic(last));
}

/// Moves loads of the color to the first attachment.
fn read_first(body: &mut Body, first: Slot) -> bool {
    let reads = |id: &InstrId| {
        body[*id]
            .as_intrinsic()
            .is_some_and(|i| i.op == IntrinsicOp::load_output && i.io().location == Slot::FRAG_COLOR)
    };
    let loads: Vec<InstrId> = body.all_instrs().filter(reads).collect();
    for &id in &loads {
        body.edit(id, |i| {
            if let InstrKind::Intrinsic(load) = &mut i.kind {
                load.set(Index::Io, IoSemantics { location: first, ..load.io() });
            }
        });
    }
    !loads.is_empty()
}
