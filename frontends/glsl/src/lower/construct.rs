//! Constructors (GLSL 4.60 section 5.4).

use super::{Columns, Lowerer, MALFORMED, Place, Res, UNSUPPORTED, Value, columns_of, fail};
use crate::hir::ExprId;
use crate::operators::eval_conversion;
use crate::shapes::{to_ir_bits, value_bits};
use crate::types::{Base, Type};
use airfoil_ir::{AluFlags, Src, Ty};
use smallvec::SmallVec;

impl Lowerer<'_, '_> {
    /// A constructor.
    pub fn construct(&mut self, id: ExprId, args: &[ExprId]) -> Res<Value> {
        let unit = self.m.unit;
        let ty = unit[id].ty;
        match ty {
            Type::Vector { base, size } => self.hinted(id, |l| {
                let lanes = l.lanes(base, args, usize::from(size))?;
                l.vector(&lanes, usize::from(size))
            }),
            Type::Matrix { base, cols, rows } => {
                self.hinted(id, |l| l.matrix(base, usize::from(cols), usize::from(rows), args))
            }
            Type::Array(id) => {
                let array = unit.types.get_array(id);
                let to = self.temp(ty, "")?;
                for (i, &arg) in args.iter().enumerate() {
                    let value = self.expr(arg)?;
                    let index = self.b.imm_u32(i as u32);
                    let place = Place::memory(self.element_deref(to, index)?, array.elem);
                    self.store(&place, value)?;
                }
                Ok(Value::Memory(to))
            }
            Type::Struct(id) => {
                let to = self.temp(ty, "")?;
                let fields = &unit.types.structs[id.0 as usize].fields;
                for (i, (f, &arg)) in fields.iter().zip(args).enumerate() {
                    let value = self.expr(arg)?;
                    let place = Place::memory(self.member_deref(to, ty, i as u32)?, f.ty);
                    self.store(&place, value)?;
                }
                Ok(Value::Memory(to))
            }
            // A texture and a sampler as one (GL_KHR_vulkan_glsl).
            Type::Opaque(_) => match args {
                [texture, sampler] => {
                    let (texture, _) = self.opaque(*texture)?;
                    let (sampler, _) = self.opaque(*sampler)?;
                    Ok(Value::Opaque { texture, sampler: Some(sampler) })
                }
                _ => fail(UNSUPPORTED, "this constructor of an opaque type is not supported"),
            },
            Type::Reference(_) | Type::Void | Type::Error => fail(MALFORMED, "a constructor without type"),
        }
    }

    /// The columns of an argument, whose operations have hints of their own.
    fn argument(&mut self, arg: ExprId) -> Res<Columns> {
        let before = self.b.flags;
        self.b.flags.remove(AluFlags::RELAXED);
        let columns = self.columns(arg);
        self.b.flags = before;
        columns
    }

    /// The first `n` components of the arguments, converted. All arguments are evaluated.
    fn lanes(&mut self, base: Base, args: &[ExprId], n: usize) -> Res<SmallVec<[Src; 16]>> {
        let mut lanes: SmallVec<[Src; 16]> = SmallVec::new();
        for &arg in args {
            let from = self.m.unit[arg].ty.base().unwrap_or(base);
            for column in self.argument(arg)? {
                if lanes.len() >= n {
                    break;
                }
                let column = self.convert_ssa(column, from, base);
                let comps = usize::from(self.b.ty(column).comps);
                lanes.extend((0..comps).map(|c| Src::comp(column, c)));
            }
        }
        lanes.truncate(n);
        Ok(lanes)
    }

    /// A vector of lanes; a single scalar fills it.
    fn vector(&mut self, lanes: &[Src], size: usize) -> Res<Value> {
        match *lanes {
            [] => fail(MALFORMED, "a constructor without arguments"),
            [one] if size > 1 => {
                let c = one.swizzle.get(0) as u8;
                Ok(Value::Ssa(self.b.swizzle(one.value, &[c; 4][..size])))
            }
            _ if lanes.len() < size => fail(MALFORMED, "a constructor with too few arguments"),
            _ => Ok(Value::Ssa(self.b.vec_srcs(&lanes[..size]))),
        }
    }

    fn matrix(&mut self, base: Base, cols: usize, rows: usize, args: &[ExprId]) -> Res<Value> {
        let unit = self.m.unit;
        if let &[arg] = args {
            let from = unit[arg].ty;
            if from.is_scalar() {
                let x = self.argument(arg)?[0];
                let x = self.convert_ssa(x, from.base().unwrap_or(base), base);
                let zero = self.b.zero(Ty::new(1, value_bits(base)));
                let diagonal = |c: usize, r: usize| if c == r { x } else { zero };
                return Ok(Value::Matrix(self.columns_from(cols, rows, |c, r| diagonal(c, r).into())));
            }
            if let Some((from_cols, from_column)) = columns_of(from) {
                return self.resize_matrix(base, cols, rows, arg, from_cols, from_column.comps);
            }
        }
        let lanes = self.lanes(base, args, cols * rows)?;
        if lanes.len() < cols * rows {
            return fail(MALFORMED, "a constructor with too few arguments");
        }
        Ok(Value::Matrix(self.columns_from(cols, rows, |c, r| lanes[c * rows + r])))
    }

    /// A matrix from another one; missing components come from the identity.
    fn resize_matrix(
        &mut self,
        base: Base,
        cols: usize,
        rows: usize,
        arg: ExprId,
        from_cols: u8,
        from_rows: u8,
    ) -> Res<Value> {
        let from = self.m.unit[arg].ty.base().unwrap_or(base);
        let m = self.argument(arg)?;
        let m: Columns = m.into_iter().map(|c| self.convert_ssa(c, from, base)).collect();
        let shape = Ty::new(1, value_bits(base));
        let one = to_ir_bits(base, eval_conversion(Base::Int, base, 1));
        let zero = self.b.zero(shape);
        let one = self.b.constant(shape, [one, 0, 0, 0]);
        let columns = self.columns_from(cols, rows, |c, r| {
            if c < usize::from(from_cols) && r < usize::from(from_rows) {
                Src::comp(m[c], r)
            } else if c == r {
                one.into()
            } else {
                zero.into()
            }
        });
        Ok(Value::Matrix(columns))
    }

    fn columns_from(&mut self, cols: usize, rows: usize, lane: impl Fn(usize, usize) -> Src) -> Columns {
        (0..cols)
            .map(|c| {
                let lanes: SmallVec<[Src; 4]> = (0..rows).map(|r| lane(c, r)).collect();
                self.b.vec_srcs(&lanes)
            })
            .collect()
    }
}
