//! Rules of types, constants and casts.

use super::{Checker, Dialect};
use crate::ll::type_text;
use crate::module::{CastOp, Const, Type, TypeId, Value};
use crate::rules::Rule;
use std::collections::HashMap;

impl Checker<'_> {
    pub(super) fn types(&mut self) {
        let types = self.m.types();
        let mut names = HashMap::new();
        for (index, &ty) in types.all().iter().enumerate() {
            match ty {
                Type::Double => self.report_as(Rule::Double, "type `double` does not exist in Metal"),
                Type::BFloat => self.require_later(Rule::BFloat, || "type `bfloat`"),
                Type::Int(bits) => {
                    self.require_as(Rule::IntegerWidth, matches!(bits, 1 | 8 | 16 | 32 | 64), || {
                        format!("type `i{bits}`: Metal has integers of 1, 8, 16, 32 and 64 bits only")
                    });
                }
                Type::Pointer { pointee, .. } => {
                    let bad = matches!(types.get(pointee), Type::Void | Type::Label | Type::Metadata);
                    self.require(!bad, || format!("pointer to `{}`", type_text(self.m, pointee)));
                }
                Type::Vector { elem, len } => {
                    let scalar = types.bits(elem) > 0 || types.is_pointer(elem);
                    let scalar = scalar && types.vector_len(elem).is_none();
                    self.require(scalar && len > 0, || {
                        format!("vector of {len} `{}`", type_text(self.m, elem))
                    });
                }
                Type::Array { elem, .. } => {
                    self.require(self.is_sized(elem), || format!("array of `{}`", type_text(self.m, elem)));
                }
                Type::Struct { fields, .. } | Type::Named { fields, .. } => {
                    for &field in types.list(fields) {
                        self.require(self.is_sized(field), || {
                            format!("struct with a member of type `{}`", type_text(self.m, field))
                        });
                    }
                }
                Type::Function { ret, params } => {
                    let void = ret == TypeId::VOID;
                    self.require(void || self.is_sized(ret), || {
                        format!("function that returns `{}`", type_text(self.m, ret))
                    });
                    for &param in types.list(params) {
                        // Which functions take metadata is known by their names.
                        self.require(self.is_sized(param) || param == TypeId::METADATA, || {
                            format!("function parameter of type `{}`", type_text(self.m, param))
                        });
                    }
                }
                // Only metadata names such a type; a function of it is rejected.
                Type::VarFunction { .. }
                | Type::Void
                | Type::Label
                | Type::Metadata
                | Type::Half
                | Type::Float
                | Type::Opaque { .. } => {}
            }
            if let Type::Named { name, .. } | Type::Opaque { name } = ty
                && names.insert(name, index).is_some()
            {
                self.report(format!("two different types are named `%{}`", self.m.text(name)));
            }
        }
    }

    /// Whether values of the type can be held in memory.
    pub(super) fn is_sized(&self, ty: TypeId) -> bool {
        !matches!(
            self.m.types().get(ty),
            Type::Void | Type::Label | Type::Metadata | Type::Opaque { .. } | Type::Function { .. }
        )
    }

    pub(super) fn constants(&mut self) {
        let (types, table) = (self.m.types(), self.m.constants());
        for index in 0..table.len() as u32 {
            let ty = table.ty(index);
            let holds = match table.get(index) {
                Const::Poison => {
                    self.require_later(Rule::Poison, || "constant `poison`");
                    true
                }
                Const::Null | Const::Undef => self.is_sized(ty),
                Const::Int(_) => matches!(types.get(ty), Type::Int(_)),
                Const::Float(bits) => {
                    types.is_fp(ty)
                        && types.vector_len(ty).is_none()
                        && bits.checked_shr(types.bits(ty)).unwrap_or(0) == 0
                }
                Const::Data(elements) => match types.get(ty) {
                    Type::Vector { elem, len } | Type::Array { elem, len } => {
                        len as usize == elements.len() && types.bits(elem) > 0
                    }
                    _ => false,
                },
                Const::Aggregate(elements) => {
                    let len = match types.get(ty) {
                        Type::Struct { fields, .. } | Type::Named { fields, .. } => fields.len(),
                        Type::Vector { len, .. } | Type::Array { len, .. } => len as usize,
                        _ => usize::MAX,
                    };
                    let fits = |(at, &value): (usize, &Value)| {
                        types.member(ty, at as u32) == Some(self.m.module_type(value))
                    };
                    len == elements.len() && elements.iter().enumerate().all(fits)
                }
                Const::Cast(op, value) => {
                    value.is_module_level() && self.cast_fits(op, self.m.module_type(value), ty)
                }
                Const::Wide(_) => false,
                Const::Binary(_, _, operands) => {
                    operands.iter().all(|&v| v.is_module_level() && self.m.module_type(v) == ty)
                }
                Const::Gep(operands) | Const::PlainGep(operands) => {
                    let all = operands.iter().all(|v| v.is_module_level());
                    match operands.split_first() {
                        Some((&pointer, indices)) if all && !indices.is_empty() => self
                            .gep_result(self.m.module_type(pointer), indices, |v| self.m.module_type(v))
                            .is_ok_and(|element| types.pointee(ty) == Some(element)),
                        _ => false,
                    }
                }
            };
            self.require(holds, || {
                format!("constant {index} does not fit its type `{}`", type_text(self.m, ty))
            });
        }
    }

    /// Element type that `getelementptr` reaches, or the error in an index.
    pub(super) fn gep_result(
        &self,
        pointer: TypeId,
        indices: &[Value],
        type_of: impl Fn(Value) -> TypeId,
    ) -> Result<TypeId, String> {
        let types = self.m.types();
        let mut ty =
            types.pointee(pointer).ok_or_else(|| format!("base of type `{}`", self.text(pointer)))?;
        for (at, &index) in indices.iter().enumerate() {
            let index_ty = type_of(index);
            if !matches!(types.get(index_ty), Type::Int(_)) {
                return Err(format!("index {at} has type `{}`", self.text(index_ty)));
            }
            if at == 0 {
                continue;
            }
            ty = match types.get(ty) {
                Type::Array { elem, .. } | Type::Vector { elem, .. } => elem,
                Type::Struct { .. } | Type::Named { .. } => {
                    let member = self.m.int_value(index).and_then(|i| u32::try_from(i).ok());
                    let member = member.filter(|_| index_ty == TypeId::I32);
                    member.and_then(|i| types.member(ty, i)).ok_or_else(|| {
                        format!("index {at} is not a constant `i32` member index of `{}`", self.text(ty))
                    })?
                }
                _ => return Err(format!("index {at} goes into `{}`", self.text(ty))),
            };
        }
        Ok(ty)
    }

    /// Whether a cast is possible between two types.
    pub(super) fn cast_fits(&self, op: CastOp, from: TypeId, to: TypeId) -> bool {
        let types = self.m.types();
        let (a, b) = (types.scalar(from), types.scalar(to));
        let same_len = types.vector_len(from) == types.vector_len(to);
        let (wide, narrow) = (types.bits(a), types.bits(b));
        let ints = types.is_int(a) && types.is_int(b);
        let floats = types.is_fp(a) && types.is_fp(b);
        match op {
            CastOp::Trunc => same_len && ints && wide > narrow,
            CastOp::ZExt | CastOp::SExt => same_len && ints && wide < narrow,
            CastOp::FpTrunc => same_len && floats && wide > narrow,
            CastOp::FpExt => same_len && floats && wide < narrow,
            CastOp::FpToUi | CastOp::FpToSi => same_len && types.is_fp(a) && types.is_int(b),
            CastOp::UiToFp | CastOp::SiToFp => same_len && types.is_int(a) && types.is_fp(b),
            CastOp::PtrToInt => same_len && types.is_pointer(a) && types.is_int(b),
            CastOp::IntToPtr => same_len && types.is_int(a) && types.is_pointer(b),
            CastOp::BitCast => match (types.get(from), types.get(to)) {
                (Type::Pointer { space: x, .. }, Type::Pointer { space: y, .. }) => x == y,
                // A vector of `i1` has no agreed layout: Apple's back end aborts on it.
                _ => {
                    let packed_bools = (a == TypeId::I1 || b == TypeId::I1) && from != to;
                    types.bits(from) == types.bits(to) && types.bits(from) > 0 && !packed_bools
                }
            },
            CastOp::AddrSpaceCast => match (types.get(from), types.get(to)) {
                // Metal has no generic address space: 0 is the thread's own memory. Apple's lists of used
                // globals hold such casts.
                (Type::Pointer { space: x, .. }, Type::Pointer { space: y, .. }) => {
                    x != y && (y != 0 || self.dialect >= Dialect::Llvm14)
                }
                _ => false,
            },
        }
    }
}
