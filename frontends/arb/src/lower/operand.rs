//! Operands.

use super::Lowerer;
use crate::layout::single;
use crate::unit::{Bound, Operand, Register};
use airfoil_ir::{InstrId, Ty};

/// A vector of floats.
const VECTOR: Ty = Ty::new(4, 32);

impl Lowerer<'_> {
    /// A vector operand.
    pub(super) fn vector(&mut self, o: &Operand) -> InstrId {
        self.lanes(o, &o.swizzle)
    }

    /// A scalar operand.
    pub(super) fn scalar(&mut self, o: &Operand) -> InstrId {
        self.lanes(o, &o.swizzle[..1])
    }

    fn lanes(&mut self, o: &Operand, lanes: &[u8]) -> InstrId {
        let value = self.register(o.register);
        let value = self.b.swizzle(value, lanes);
        if o.negate { self.b.fneg(value) } else { value }
    }

    /// The four components of a register.
    fn register(&mut self, register: Register) -> InstrId {
        if let Some(param) = single(self.unit, register) {
            return self.parameter(param);
        }
        match register {
            Register::Attribute(a) => self.attribute(a),
            Register::Temp(t) => self.load(self.vars.temps[t as usize], VECTOR),
            Register::Relative { array, address, offset } => self.relative(array, address, offset),
            Register::Param(_) | Register::Element { .. } => self.b.zero(VECTOR),
        }
    }

    fn load(&mut self, deref: Option<InstrId>, ty: Ty) -> InstrId {
        match deref {
            Some(deref) => self.b.load_deref(deref, ty),
            None => self.b.zero(ty),
        }
    }

    /// An attribute, filled up with zeros and a one.
    pub(super) fn attribute(&mut self, attribute: u32) -> InstrId {
        let comps = self.unit.attributes[attribute as usize].info().comps;
        let value = self.load(self.vars.attributes[attribute as usize], Ty::new(comps, 32));
        if comps == 4 {
            return value;
        }
        let lanes: [InstrId; 4] = std::array::from_fn(|c| match c {
            c if c < usize::from(comps) => self.b.channel(value, c),
            3 => self.b.imm_f32(1.0),
            _ => self.b.imm_f32(0.0),
        });
        self.b.vec(&lanes)
    }

    /// A parameter by its position in the list of the unit: a constant, or a vector of the block.
    pub(super) fn parameter(&mut self, param: u32) -> InstrId {
        if let Bound::Constant(bits) = self.unit.params[param as usize] {
            return self.b.constant(VECTOR, bits.map(u64::from));
        }
        let vector = self.layout.vector(param).unwrap_or(0);
        let index = self.b.imm_u32(vector);
        self.block_vector(index)
    }

    /// A vector of the block.
    fn block_vector(&mut self, index: InstrId) -> InstrId {
        let Some(array) = self.vars.parameters else { return self.b.zero(VECTOR) };
        let vector = self.b.deref_array(&mut self.shader.types, array, index);
        self.b.load_deref(vector, VECTOR)
    }

    /// An element of an array by an address. Addresses out of range select the first or last element; they are clamped before
    /// the offset is added, so that the sum cannot overflow.
    fn relative(&mut self, array: u32, address: u32, offset: i32) -> InstrId {
        let last = self.unit.arrays[array as usize].items.len() as i32 - 1;
        let base = self.layout.array(array).unwrap_or(0) as i32;
        let mut index = self.load(self.vars.addresses[address as usize], Ty::B32);
        let (low, high) = (self.b.imm_u32(-offset as u32), self.b.imm_u32((last - offset) as u32));
        index = self.b.imax(index, low);
        index = self.b.imin(index, high);
        if base + offset != 0 {
            let rest = self.b.imm_u32((base + offset) as u32);
            index = self.b.iadd(index, rest);
        }
        self.block_vector(index)
    }
}
