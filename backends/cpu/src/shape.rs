//! Shapes of values that cross between compiled code and this crate, and their layout in memory.
//!
//! Every value crosses through memory: each argument and each member of a result has a slot of its own in a block, so no
//! calling convention for vectors, halves or structures matters.

use airfoil_air::module::{Module, Type, TypeId};

/// Type of a component.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scalar {
    /// Integer of a number of bits; one bit takes a byte in memory.
    Int(u32),
    /// Float of 16 or 32 bits.
    Float(u32),
    /// Pointer into an address space.
    Pointer(u32),
}

impl Scalar {
    /// Bytes in memory.
    pub fn bytes(self) -> usize {
        match self {
            Scalar::Int(bits) | Scalar::Float(bits) => (bits as usize).div_ceil(8),
            Scalar::Pointer(_) => 8,
        }
    }

    /// Bits of the number.
    pub fn bits(self) -> u32 {
        match self {
            Scalar::Int(bits) | Scalar::Float(bits) => bits,
            Scalar::Pointer(_) => 64,
        }
    }
}

/// A scalar, vector or array of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Shape {
    /// Type of the components.
    pub scalar: Scalar,
    /// Number of components; 1 for scalars.
    pub lanes: u32,
}

/// A value in a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    /// Its shape.
    pub shape: Shape,
    /// First byte.
    pub offset: usize,
}

/// Slots of arguments, then of results, in one block.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Block {
    /// Arguments.
    pub args: Vec<Slot>,
    /// The result, or its members.
    pub rets: Vec<Slot>,
    /// Bytes of the block.
    pub size: usize,
}

/// Alignment of slots: no value that crosses needs more.
pub const SLOT_ALIGN: usize = 32;

/// Shape of a type; `None` for structures and other types that do not cross.
pub fn shape_of(m: &Module, ty: TypeId) -> Option<Shape> {
    let scalar = |ty| match m.types().get(ty) {
        Type::Int(bits) if bits <= 64 => Some(Scalar::Int(bits)),
        Type::Half => Some(Scalar::Float(16)),
        Type::Float => Some(Scalar::Float(32)),
        Type::Pointer { space, .. } => Some(Scalar::Pointer(space)),
        _ => None,
    };
    let (elem, lanes) = match m.types().get(ty) {
        Type::Vector { elem, len } => (elem, len),
        // A packed vector or the array of clip distances.
        Type::Array { elem, len } if len > 0 && scalar(elem).is_some_and(|s| s != Scalar::Int(1)) => {
            (elem, len)
        }
        _ => (ty, 1),
    };
    Some(Shape { scalar: scalar(elem)?, lanes })
}

/// Types of the members of a result: none for `void`, one for a bare value.
pub fn results_of(m: &Module, ret: TypeId) -> Vec<TypeId> {
    match m.types().get(ret) {
        Type::Void => Vec::new(),
        Type::Struct { fields, .. } | Type::Named { fields, .. } => m.types().list(fields).to_vec(),
        _ => vec![ret],
    }
}

impl Block {
    /// The block of a function's arguments and results; `None` if a type does not cross.
    pub fn of(m: &Module, params: &[TypeId], ret: TypeId) -> Option<Block> {
        let mut block = Block::default();
        for &ty in params {
            let slot = block.place(shape_of(m, ty)?);
            block.args.push(slot);
        }
        for ty in results_of(m, ret) {
            let slot = block.place(shape_of(m, ty)?);
            block.rets.push(slot);
        }
        Some(block)
    }

    fn place(&mut self, shape: Shape) -> Slot {
        let offset = self.size;
        self.size += (shape.scalar.bytes() * shape.lanes as usize).next_multiple_of(SLOT_ALIGN);
        Slot { shape, offset }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_follow_each_other() {
        let mut m = Module::new("t", "air64-apple-macosx13.0.0");
        let v3 = m.vector(TypeId::FLOAT, 3);
        let v16 = m.vector(TypeId::FLOAT, 16);
        let pointer = m.pointer(TypeId::FLOAT, 1);
        let ret = m.structure(&[v3, TypeId::I8], false);
        let block = Block::of(&m, &[pointer, v16, TypeId::I1], ret).unwrap();
        let offsets: Vec<usize> = block.args.iter().chain(&block.rets).map(|s| s.offset).collect();
        assert_eq!(offsets, [0, 32, 96, 128, 160]);
        assert_eq!(block.size, 192);
        assert_eq!(block.rets[0].shape, Shape { scalar: Scalar::Float(32), lanes: 3 });
        assert!(Block::of(&m, &[ret], TypeId::VOID).is_none());
    }
}
