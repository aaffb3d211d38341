//! Built-in functions of constants.
//!
//! The function is built on a scratch body whose builder folds constants: no second definition of any function, and a
//! constant expression has the value that the shader would compute.

use crate::builtin::pure::{Arg, Call, Pure};
use crate::hir::Constant;
use crate::shapes::{columns_of, from_ir_bits, lanes_of, shape_of};
use crate::types::{Type, TypeTable};
use airfoil_ir::{Body, Builder, Columns};

/// The scalars of the result, as in a [`Constant`] of type `result`; `None` if the function does not fold: its result depends
/// on more than its arguments, or it has `out` parameters.
pub fn fold_builtin(pure: &Pure, args: &[&Constant], result: Type, types: &TypeTable) -> Option<Box<[u64]>> {
    let base = result.base()?;
    let mut body = Body::new();
    let mut b = Builder::at_end(&mut body);
    let mut values: smallvec::SmallVec<[Arg; 4]> = smallvec::SmallVec::new();
    for c in args {
        if types.components(c.ty) as usize != c.scalars.len() {
            return None;
        }
        values.push(Arg { ty: c.ty, value: constant(&mut b, c)? });
    }
    let results = pure.build(&mut b, Call { args: &values, result })?;
    if !results.outs.is_empty() {
        return None;
    }
    let mut scalars = Vec::with_capacity(types.components(result) as usize);
    for &v in &results.value {
        let instr = &b.body[v];
        let lanes = instr.as_const()?;
        scalars.extend(lanes[..usize::from(instr.ty.comps)].iter().map(|&bits| from_ir_bits(base, bits)));
    }
    (scalars.len() == types.components(result) as usize).then(|| scalars.into_boxed_slice())
}

/// A constant as a scalar or vector, or as the columns of a matrix.
fn constant(b: &mut Builder<'_>, c: &Constant) -> Option<Columns> {
    let base = c.ty.base()?;
    let shape = shape_of(c.ty).or_else(|| columns_of(c.ty).map(|(_, column)| column))?;
    let columns = c.scalars.chunks_exact(usize::from(shape.comps));
    Some(columns.map(|scalars| b.constant(shape, lanes_of(base, scalars))).collect())
}
