//! Constants of a module.

use super::{CastOp, Const, Constants, Module, Type, TypeId, Value, ValueKind};
use smallvec::SmallVec;

impl Module {
    /// The constant table.
    pub fn constants(&self) -> &Constants {
        &self.constants
    }

    /// The constant of a value.
    pub fn constant(&self, value: Value) -> Option<Const<'_>> {
        match value.kind() {
            ValueKind::Const(index) => Some(self.constants.get(index)),
            _ => None,
        }
    }

    /// Zero, null pointer or `zeroinitializer`.
    pub fn null(&mut self, ty: TypeId) -> Value {
        self.constants.intern(ty, Const::Null)
    }

    /// `undef`
    pub fn undef(&mut self, ty: TypeId) -> Value {
        self.constants.undef(ty)
    }

    /// `poison`, which the validator rejects.
    pub fn poison(&mut self, ty: TypeId) -> Value {
        self.constants.intern(ty, Const::Poison)
    }

    /// Integer; bits above the width of `ty` are dropped.
    pub fn int(&mut self, ty: TypeId, value: i64) -> Value {
        let bits = self.types.bits(ty).clamp(1, 64);
        let value = value << (64 - bits) >> (64 - bits);
        self.constants.intern(ty, Const::Int(value))
    }

    /// `i32`
    pub fn i32(&mut self, value: i32) -> Value {
        self.constants.int(TypeId::I32, i64::from(value))
    }

    /// `i64`
    pub fn i64(&mut self, value: i64) -> Value {
        self.constants.int(TypeId::I64, value)
    }

    /// `i1`
    pub fn bool(&mut self, value: bool) -> Value {
        self.constants.intern(TypeId::I1, Const::Int(-i64::from(value)))
    }

    /// Float of type `ty` by the bits of its format.
    pub fn float_bits(&mut self, ty: TypeId, bits: u64) -> Value {
        self.constants.intern(ty, Const::Float(bits))
    }

    /// `float`
    pub fn float(&mut self, value: f32) -> Value {
        self.constants.intern(TypeId::FLOAT, Const::Float(u64::from(value.to_bits())))
    }

    /// Array or vector of plain numbers by their bits (integers of any signedness, floats by their format).
    pub fn data(&mut self, ty: TypeId, elements: &[u64]) -> Value {
        if elements.iter().all(|&e| e == 0) {
            return self.null(ty);
        }
        let elem = self.types.member(ty, 0).unwrap_or(TypeId::VOID);
        // LLVM keeps plain data only of these widths.
        if !matches!(self.types.bits(elem), 8 | 16 | 32 | 64) {
            let values: Vec<Value> = elements.iter().map(|&e| self.int(elem, e as i64)).collect();
            return self.aggregate(ty, &values);
        }
        self.constants.intern(ty, Const::Data(elements))
    }

    /// Struct, array or vector of constants.
    pub fn aggregate(&mut self, ty: TypeId, elements: &[Value]) -> Value {
        let all = |m: &Module, kind: Const<'_>| elements.iter().all(|&e| m.constant(e) == Some(kind));
        if all(self, Const::Null) {
            return self.null(ty);
        }
        if all(self, Const::Undef) {
            return self.undef(ty);
        }
        self.constants.intern(ty, Const::Aggregate(elements))
    }

    /// The same constant in every component of vector type `ty`.
    pub fn splat(&mut self, ty: TypeId, element: Value) -> Value {
        let len = self.types.vector_len(ty).unwrap_or(0) as usize;
        let short = [element; 16];
        match short.get(..len) {
            Some(elements) => self.aggregate(ty, elements),
            None => self.aggregate(ty, &vec![element; len]),
        }
    }

    /// Constant expression: a cast of a constant.
    pub fn const_cast(&mut self, op: CastOp, value: Value, ty: TypeId) -> Value {
        self.constants.intern(ty, Const::Cast(op, value))
    }

    /// Constant expression: address of a part of a global variable.
    pub fn const_gep(&mut self, pointer: Value, indices: &[Value]) -> Value {
        let ty = self.gep_type(self.module_type(pointer), indices);
        let mut list: SmallVec<[Value; 8]> = SmallVec::new();
        list.push(pointer);
        list.extend_from_slice(indices);
        self.constants.intern(ty, Const::Gep(&list))
    }

    /// Value of an integer constant.
    pub fn int_value(&self, value: Value) -> Option<i64> {
        match self.constant(value)? {
            Const::Int(v) => Some(v),
            Const::Null if self.types.is_int(self.module_type(value)) => Some(0),
            _ => None,
        }
    }

    /// Type of `getelementptr` from a pointer type; the pointer's own type if the indices do not fit.
    pub(crate) fn gep_type(&mut self, pointer: TypeId, indices: &[Value]) -> TypeId {
        let Type::Pointer { pointee, space } = self.types.get(pointer) else { return pointer };
        let mut ty = pointee;
        for &index in indices.iter().skip(1) {
            let member = match self.types.get(ty) {
                Type::Array { elem, .. } | Type::Vector { elem, .. } => Some(elem),
                _ => self
                    .int_value(index)
                    .and_then(|i| u32::try_from(i).ok())
                    .and_then(|i| self.types.member(ty, i)),
            };
            match member {
                Some(member) => ty = member,
                None => return pointer,
            }
        }
        self.types.pointer(ty, space)
    }
}
