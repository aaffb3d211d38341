//! Pointers that are addresses (SPIR-V 1.6, capability PhysicalStorageBufferAddresses).
//!
//! As a value such a pointer is a 64-bit number, in memory too; so types that point to themselves do not recur in the IR.
//! The type of the pointee is known where it is used: there a cast turns the number into a deref of the mode `global`. Access
//! chains stay derefs until their value is needed; then the explicit layout gives the bytes to add.

use crate::error::*;
use crate::state::{Def, FunctionTranslator, Kind, Ptr, PtrPlace, Reader, TyIx};
use airfoil_ir::*;
use smallvec::SmallVec;
use spirv::{Decoration, StorageClass};

/// Shape of an address.
pub(crate) const ADDRESS: Ty = Ty::new(1, 64);

/// Whether pointers of a storage class are addresses.
pub(crate) fn is_physical(class: StorageClass) -> bool {
    class == StorageClass::PhysicalStorageBuffer
}

impl Reader<'_> {
    /// Whether values of a type are addresses.
    pub fn is_physical(&self, ty: TyIx) -> bool {
        matches!(self.kind(ty), Kind::Pointer { class, .. } if is_physical(class))
    }

    /// Bytes between the elements that pointers of a type step over.
    pub fn pointer_stride(&self, ty: TyIx) -> Option<u32> {
        self.decoration(self.types[ty as usize].id, Decoration::ArrayStride).map(|d| d.operand())
    }
}

impl FunctionTranslator<'_, '_> {
    /// The pointer to the memory at an address.
    pub fn pointer_at(&mut self, address: InstrId, ty: TyIx) -> Res<Ptr> {
        let ir = self.r.ir_type(ty)?;
        let deref = self.b.deref(DerefKind::Cast { parent: address, stride: 0 }, ir, Modes::GLOBAL);
        let class = StorageClass::PhysicalStorageBuffer;
        Ok(Ptr { place: PtrPlace::Deref(deref), ty, class, access: Access::empty() })
    }

    /// The address of a pointer.
    pub fn address(&mut self, ptr: &Ptr) -> Res<InstrId> {
        let mut steps: SmallVec<[InstrId; 6]> = SmallVec::new();
        let mut at = self.deref_of(ptr)?;
        let base = loop {
            steps.push(at);
            match self.b.body[at].as_deref().map(|d| d.kind) {
                Some(DerefKind::Cast { parent, .. }) => break parent,
                Some(DerefKind::Struct { parent, .. } | DerefKind::Array { parent, .. }) => at = parent,
                _ => bail!(TYPE, "{} with a pointer that is not an address", self.inst.name()),
            }
        };
        steps.reverse();
        let mut address = base;
        for pair in steps.windows(2) {
            address = self.add_step(address, pair[0], pair[1])?;
        }
        Ok(address)
    }

    /// Adds the bytes of a step from one deref to the next (the offsets and strides of SPIR-V 2.16.1: all are explicit).
    fn add_step(&mut self, address: InstrId, from: InstrId, to: InstrId) -> Res<InstrId> {
        let kind = self.b.body[to].as_deref().map(|d| d.kind);
        let Some((ty, _)) = self.b.pointee(from) else { return Ok(address) };
        let (index, stride) = match (kind, &self.r.shader.types[ty]) {
            (Some(DerefKind::Struct { field, .. }), Type::Struct(s)) => {
                let Some(offset) = s.members.get(field as usize).and_then(|m| m.offset) else {
                    return fail(
                        TYPE,
                        "a structure in memory accessed by address has a member without Offset",
                    );
                };
                let offset = self.b.imm(64, u64::from(offset));
                return Ok(self.b.iadd(address, offset));
            }
            (Some(DerefKind::Array { index, .. }), &Type::Array { stride, .. }) => (index, stride),
            (Some(DerefKind::Array { index, .. }), &Type::Matrix { stride, row_major: false, .. }) => {
                (index, stride)
            }
            (Some(DerefKind::Array { index, .. }), &Type::Vector { scalar, .. }) => {
                (index, u32::from(scalar.bits()) / 8)
            }
            _ => (address, 0),
        };
        if stride == 0 {
            return fail(
                UNSUPPORTED,
                "the address of a part of a row-major matrix, or of an array without stride",
            );
        }
        self.add_elements(address, index, stride)
    }

    /// `address` moved by `index` elements of `stride` bytes; indices are signed (SPIR-V, OpAccessChain).
    fn add_elements(&mut self, address: InstrId, index: InstrId, stride: u32) -> Res<InstrId> {
        let index = self.b.convert(AluOp::i2i, index, 64);
        let stride = self.b.imm(64, u64::from(stride));
        let bytes = self.b.imul(index, stride);
        Ok(self.b.iadd(address, bytes))
    }

    /// OpPtrAccessChain: the pointer `ptr` (by its id) moved by elements, whose size its type specifies.
    pub fn move_physical(&mut self, id: u32, ptr: &Ptr, index: u32) -> Res<Ptr> {
        let by = self.int(index)?;
        if self.b.scalar_const(by) == Some(0) {
            return Ok(*ptr);
        }
        // Pointers whose types have a stride are values: see `FunctionTranslator::op_access_chain`.
        let stride = match self.r.def(id) {
            Def::Value(ty, _) => self.r.pointer_stride(ty),
            _ => None,
        };
        let Some(stride) = stride else {
            return fail(TYPE, "OpPtrAccessChain with a pointer whose type has no ArrayStride");
        };
        let address = self.address(ptr)?;
        let address = self.add_elements(address, by, stride)?;
        Ok(Ptr { access: ptr.access, ..self.pointer_at(address, ptr.ty)? })
    }
}
