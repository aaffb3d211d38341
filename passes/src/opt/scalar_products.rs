//! Multiplies scalars with each other before they are multiplied with a vector.
//!
//! Accepts any form. Preserves control flow. In `(v * s) * t` with a vector `v` and scalars `s` and `t`, which all lanes read,
//! the product `s * t` costs one lane instead of one for each lane of `v`. Applies to floats and integers; not to exact
//! operations, to products that are read elsewhere, or where the shader preserves special values of floats.
//!
//! Source: for NIR, which computes lanes one by one, `nir_opt_reassociate` does this in later versions; also LLVM's `Reassociate`.
//!
//! ```foil-example
//! 32x1 %0 = const 0
//! 32x4 %1 = load_input %0 io=0 dest_type=float32
//! 32x2 %2 = load_input %0 io=1 dest_type=float32
//! %3 = fmul %1, %2.xxxx
//! %4 = fmul %3, %2.yyyy
//! store_output %4, %0 io=0 mask=xyzw
//! =>
//! 32x1 %0 = const 0
//! 32x4 %1 = load_input %0 io=0 dest_type=float32
//! 32x2 %2 = load_input %0 io=1 dest_type=float32
//! 32x1 %3 = fmul %2.x, %2.y
//! %4 = fmul %1, %3.xxxx
//! store_output %4, %0 io=0 mask=xyzw
//! ```

use crate::{Changes, Context, Pass, PassInfo, each_body};
use airfoil_ir::alu::AluFlags;
use airfoil_ir::{
    Alu, AluOp, Body, Builder, Diagnostic, Instr, InstrId, InstrKind, Shader, Src, Swizzle, Ty,
};

/// See the [module documentation](self).
#[derive(Debug, Default)]
pub struct ScalarProducts;

static INFO: PassInfo =
    PassInfo::new("scalar_products", "multiplies scalars before vectors", include_str!("scalar_products.rs"))
        .reads(Changes::CODE)
        .rounds()
        .nan_bits();

impl Pass for ScalarProducts {
    fn info(&self) -> &'static PassInfo {
        &INFO
    }

    fn run(&self, shader: &mut Shader, _: &mut Context) -> Result<Changes, Diagnostic> {
        let preserved = shader.info.preserve_float_special;
        Ok(each_body(shader, |body| (Changes::VALUES | Changes::AGAIN).when(reorder(body, preserved))))
    }
}

fn reorder(body: &mut Body, preserved: u8) -> bool {
    let mut progress = false;
    let mut block = Some(body.entry());
    while let Some(b) = block {
        let mut next = body.first_instr(b);
        while let Some(id) = next {
            next = body.next(id);
            progress |= body[id].ty.comps > 1 && scalars_first(body, id, preserved);
        }
        block = body.next_block(b);
    }
    progress
}

/// The operands of a product that has a scalar operand: the other operand and the scalar.
fn product(body: &Body, id: InstrId, preserved: u8) -> Option<(Alu, Src, Src)> {
    let ty = body[id].ty;
    let alu = body[id].as_alu()?;
    let allowed = match alu.op {
        AluOp::fmul => !alu.flags.contains(AluFlags::EXACT) && preserved & ty.bits == 0,
        AluOp::imul => true,
        _ => false,
    };
    if !allowed {
        return None;
    }
    let (a, b) = (alu.src(0), alu.src(1));
    let lanes = ty.comps as usize;
    match (is_splat(a, lanes), is_splat(b, lanes)) {
        (false, true) => Some((*alu, a, b)),
        (true, false) => Some((*alu, b, a)),
        _ => None,
    }
}

fn is_splat(src: Src, lanes: usize) -> bool {
    (1..lanes).all(|lane| src.swizzle.get(lane) == src.swizzle.get(0))
}

fn scalars_first(body: &mut Body, id: InstrId, preserved: u8) -> bool {
    let Some((outer, vector, second)) = product(body, id, preserved) else { return false };
    let Some((inner, value, first)) = product(body, vector.value, preserved) else { return false };
    if inner.op != outer.op || body[vector.value].uses() != 1 {
        return false;
    }
    let ty = body[id].ty;
    let lanes = ty.comps as usize;
    let scalar = |src: Src| Src { value: src.value, swizzle: Swizzle::scalar(src.swizzle.get(0)) };
    let mut product = Alu::new(outer.op, 1, &[scalar(first), scalar(second)]);
    product.flags = outer.flags & inner.flags;
    // Intermediate results differ: nothing is known about their overflow.
    product.flags.remove(AluFlags::NSW | AluFlags::NUW);
    let made = Builder::before(body, id).insert(Instr::new(InstrKind::Alu(product), Ty::new(1, ty.bits)));
    let value = Src { value: value.value, swizzle: vector.swizzle.compose(value.swizzle, lanes) };
    let mut new =
        Alu::new(outer.op, ty.comps, &[value, Src { value: made, swizzle: Swizzle::splat(0, lanes) }]);
    new.flags = product.flags;
    body.set_kind(id, InstrKind::Alu(new));
    body.remove(vector.value);
    true
}
