//! Replaces `iadd x, 0` by `x`.
//!
//! Accepts any form. Preserves control flow. Wrapping addition of zero never changes a value, whatever the flags. The
//! addition becomes a move, which `copy_prop` removes.
//!
//! Source: NIR's `nir_opt_algebraic`.
//!
//! ```foil-example
//! 32x1 %0 = const 0
//! 32x1 %1 = load_vertex_id
//! 32x1 %2 = iadd %1, %0
//! store_output %2, %0 io=0 mask=x
//! =>
//! 32x1 %0 = const 0
//! 32x1 %1 = load_vertex_id
//! 32x1 %2 = mov %1
//! store_output %2, %0 io=0 mask=x
//! ```

use airfoil_ir::{Alu, AluOp, Body, Diagnostic, Instr, InstrKind, Shader, Src};
use airfoil_passes::util::rewrite::{Edit, edit_each};
use airfoil_passes::{Changes, Context, Pass, PassInfo, each_body};

/// See the [module documentation](self).
#[derive(Debug, Default)]
pub struct AddZero;

const NAME: &str = "add_zero";
const SUMMARY: &str = "replaces additions of zero";
const DOC: &str = include_str!("add_zero.rs");
static INFO: PassInfo = PassInfo::new(NAME, SUMMARY, DOC).reads(Changes::VALUES);

impl Pass for AddZero {
    fn info(&self) -> &'static PassInfo {
        &INFO
    }

    fn run(&self, shader: &mut Shader, _: &mut Context) -> Result<Changes, Diagnostic> {
        let run = |body: &mut Body| Changes::VALUES.when(edit_each(body, edit));
        Ok(each_body(shader, run))
    }
}

/// The edit of an instruction.
fn edit(body: &Body, instr: &Instr) -> Edit {
    let comps = instr.ty.comps;
    match instr.as_alu() {
        Some(alu) if alu.op == AluOp::iadd => {
            let (a, b) = (alu.src(0), alu.src(1));
            let kept = match (is_zero(body, a, comps), is_zero(body, b, comps)) {
                (_, true) => a,
                (true, false) => b,
                (false, false) => return Edit::Keep,
            };
            Edit::To(InstrKind::Alu(Alu::new(AluOp::mov, comps, &[kept])))
        }
        _ => Edit::Keep,
    }
}

/// Whether the lanes that an operation on `comps` lanes reads are constants of zero.
fn is_zero(body: &Body, src: Src, comps: u8) -> bool {
    match body[src.value].as_const() {
        Some(lanes) => (0..usize::from(comps)).all(|lane| lanes[src.swizzle.get(lane)] == 0),
        None => false,
    }
}
