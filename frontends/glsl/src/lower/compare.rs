//! `==` and `!=` of values of any type: one boolean (GLSL 4.60 section 5.9).

use super::{Lowerer, MALFORMED, Res, Value, fail};
use crate::operators;
use crate::syntax::BinaryOp;
use crate::types::{Base, Type};
use airfoil_ir::{Access, AluOp, InstrId, Ty};

/// Arrays up to this length are compared without a loop.
const UNROLL: u32 = 16;

impl Lowerer<'_, '_> {
    /// Whether two values are equal (or not).
    pub fn compare(&mut self, op: BinaryOp, a: Value, b: Value, ty: Type) -> Res<InstrId> {
        if let (Type::Vector { base, .. }, Value::Ssa(a), Value::Ssa(b)) = (ty.as_number(), &a, &b) {
            return self.compare_vectors(op, base, *a, *b);
        }
        let equal = self.equal(a, b, ty)?;
        Ok(if op == BinaryOp::NotEqual { self.b.inot(equal) } else { equal })
    }

    fn compare_vectors(&mut self, op: BinaryOp, base: Base, a: InstrId, b: InstrId) -> Res<InstrId> {
        let Some(alu) = operators::binary(op, base) else {
            return fail(MALFORMED, "a comparison of what cannot be compared");
        };
        let lanes = self.b.alu(alu.op, &[a, b]);
        let reduce = match (self.b.ty(lanes).comps, op == BinaryOp::Equal) {
            (2, true) => AluOp::ball2,
            (3, true) => AluOp::ball3,
            (4, true) => AluOp::ball4,
            (2, false) => AluOp::bany2,
            (3, false) => AluOp::bany3,
            (4, false) => AluOp::bany4,
            _ => return Ok(lanes),
        };
        Ok(self.b.alu(reduce, &[lanes]))
    }

    fn equal(&mut self, a: Value, b: Value, ty: Type) -> Res<InstrId> {
        let unit = self.m.unit;
        match (ty.as_number(), a, b) {
            (Type::Vector { base, .. }, Value::Ssa(a), Value::Ssa(b)) => {
                self.compare_vectors(BinaryOp::Equal, base, a, b)
            }
            (Type::Matrix { base, .. }, Value::Matrix(a), Value::Matrix(b)) => {
                let mut all = None;
                for (&a, &b) in a.iter().zip(&b) {
                    let one = self.compare_vectors(BinaryOp::Equal, base, a, b)?;
                    all = Some(self.both(all, one));
                }
                Ok(self.all_of(all))
            }
            (Type::Struct(id), Value::Memory(a), Value::Memory(b)) => {
                let mut all = None;
                for (i, f) in unit.types.structs[id.0 as usize].fields.iter().enumerate() {
                    if !self.m.has_data(f.ty)? {
                        continue;
                    }
                    let (x, y) = (self.member_deref(a, ty, i as u32)?, self.member_deref(b, ty, i as u32)?);
                    let one = self.equal_memory(x, y, f.ty)?;
                    all = Some(self.both(all, one));
                }
                Ok(self.all_of(all))
            }
            (Type::Array(id), Value::Memory(a), Value::Memory(b)) => {
                let array = unit.types.get_array(id);
                if array.len <= UNROLL {
                    let mut all = None;
                    for i in 0..array.len {
                        let i = self.b.imm_u32(i);
                        let (x, y) = (self.element_deref(a, i)?, self.element_deref(b, i)?);
                        let one = self.equal_memory(x, y, array.elem)?;
                        all = Some(self.both(all, one));
                    }
                    return Ok(self.all_of(all));
                }
                let result = self.temp(Type::BOOL, "equal")?;
                let yes = self.b.imm_bool(true);
                self.b.store_deref(result, yes);
                self.each_element(array.len, &mut |l, i| {
                    let (x, y) = (l.element_deref(a, i)?, l.element_deref(b, i)?);
                    let one = l.equal_memory(x, y, array.elem)?;
                    let so_far = l.b.load_deref(result, Ty::BOOL);
                    let all = l.b.iand(so_far, one);
                    l.b.store_deref(result, all);
                    Ok(())
                })?;
                Ok(self.b.load_deref(result, Ty::BOOL))
            }
            _ => fail(MALFORMED, "a comparison of what cannot be compared"),
        }
    }

    fn equal_memory(&mut self, a: InstrId, b: InstrId, ty: Type) -> Res<InstrId> {
        let (a, b) = (self.load_from(a, ty, Access::empty())?, self.load_from(b, ty, Access::empty())?);
        self.equal(a, b, ty)
    }

    fn both(&mut self, all: Option<InstrId>, one: InstrId) -> InstrId {
        match all {
            Some(all) => self.b.iand(all, one),
            None => one,
        }
    }

    fn all_of(&mut self, all: Option<InstrId>) -> InstrId {
        all.unwrap_or_else(|| self.b.imm_bool(true))
    }
}
