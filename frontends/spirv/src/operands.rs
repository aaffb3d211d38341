//! Operands and results: ids to values and back, with checks; constants.

use crate::error::*;
use crate::state::{ConstValue, Def, FunctionTranslator, Kind, Ptr, TyIx, Val};
use airfoil_ir::*;
use smallvec::SmallVec;

impl FunctionTranslator<'_, '_> {
    /// Defines the result as a value of type `ty`.
    #[inline]
    pub fn set(&mut self, value: Val, ty: TyIx) -> Res<()> {
        self.r.define(self.inst.word(2)?, Def::Value(ty, value))
    }

    /// Defines the result as a scalar or vector of the instruction's type.
    pub fn set_ssa(&mut self, value: InstrId) -> Res<()> {
        let ty = self.result_type()?;
        let (have, want) = (self.b.ty(value), self.r.shape(ty)?);
        if have != want {
            return self.wrong_shape(have, want);
        }
        self.set(Val::Ssa(value), ty)
    }

    #[cold]
    fn wrong_shape(&self, have: Ty, want: Ty) -> Res<()> {
        let name = self.inst.name();
        fail(TYPE, format!("the operands of {name} make a value of shape {have}, but its type is {want}"))
    }

    /// Defines the result as a value that exists already; a raw builder copies it.
    pub fn set_moved(&mut self, value: Val, ty: TyIx) -> Res<()> {
        let value = match value {
            Val::Lane(v, c) if self.b.raw => Val::Ssa(self.b.channel(v, c as usize)),
            Val::Ssa(v) if self.b.raw => Val::Ssa(self.b.mov(v)),
            other => other,
        };
        self.set(value, ty)
    }

    /// Defines the result as a pointer.
    pub fn set_ptr(&mut self, ptr: Ptr) -> Res<()> {
        let n = self.r.pointers.len() as u32;
        self.r.pointers.push(ptr);
        self.r.define(self.inst.word(2)?, Def::Pointer(n))
    }

    /// Type of the result.
    #[inline]
    pub fn result_type(&self) -> Res<TyIx> {
        self.r.type_of(self.inst.word(1)?)
    }

    /// A value and its type.
    #[inline]
    pub fn value(&mut self, id: u32) -> Res<(TyIx, Val)> {
        match self.r.def(id) {
            Def::Value(ty, v) => Ok((ty, v)),
            def => self.other_value(id, def),
        }
    }

    /// A value that is not the result of an instruction of the function.
    fn other_value(&mut self, id: u32, def: Def) -> Res<(TyIx, Val)> {
        match def {
            Def::Const(c) => {
                let v = self.constant(c)?;
                Ok((self.r.consts[c as usize].ty, v))
            }
            Def::Pointer(_) | Def::Global(_) => self.pointer_value(id),
            _ => fail(ID, format!("{} is not a value here", self.r.show(id))),
        }
    }

    /// A scalar or vector.
    pub fn ssa(&mut self, id: u32) -> Res<InstrId> {
        let (ty, v) = self.value(id)?;
        self.ssa_from(v, ty)
    }

    /// A scalar or vector as operand of an operation, and its shape.
    pub fn src(&mut self, id: u32) -> Res<(Src, Ty)> {
        let (ty, value) = self.value(id)?;
        self.src_from(value, ty)
    }

    /// A value as operand of an operation, and its shape.
    pub fn src_from(&mut self, value: Val, ty: TyIx) -> Res<(Src, Ty)> {
        if let Val::Lane(v, c) = value {
            return Ok((Src::comp(v, c as usize), self.b.ty(v).with_comps(1)));
        }
        let v = self.ssa_from(value, ty)?;
        Ok((v.into(), self.b.ty(v)))
    }

    /// A scalar or vector of a given shape.
    pub fn ssa_of(&mut self, id: u32, shape: Ty) -> Res<InstrId> {
        let v = self.ssa(id)?;
        if self.b.ty(v) != shape {
            bail!(TYPE, "{} has the shape {}, not {shape}", self.r.show(id), self.b.ty(v));
        }
        Ok(v)
    }

    /// A numeric scalar.
    pub fn int(&mut self, id: u32) -> Res<InstrId> {
        let v = self.ssa(id)?;
        let ty = self.b.ty(v);
        if ty.comps != 1 || ty.bits == 1 {
            bail!(TYPE, "{} is not a number", self.r.show(id));
        }
        Ok(v)
    }

    /// An integer as one of 32 bits.
    pub fn int32(&mut self, id: u32) -> Res<InstrId> {
        let (ty, _) = self.value(id)?;
        let v = self.int(id)?;
        if self.b.ty(v).bits == 32 {
            return Ok(v);
        }
        let signed = matches!(self.r.kind(ty), Kind::Int { signed: true, .. });
        Ok(self.b.convert(if signed { AluOp::i2i } else { AluOp::u2u }, v, 32))
    }

    /// A value as scalar or vector.
    pub fn ssa_from(&mut self, value: Val, ty: TyIx) -> Res<InstrId> {
        match value {
            Val::Ssa(v) => Ok(v),
            Val::Lane(v, c) => Ok(self.b.channel(v, c as usize)),
            Val::Undef => {
                let shape = self.r.shape(ty)?;
                Ok(self.b.undef(shape))
            }
            _ => bail!(TYPE, "a value of type {} is not a scalar or vector", self.r.show_type(ty)),
        }
    }

    /// Two types must agree, apart from layout.
    #[inline]
    pub fn check_same(&self, a: TyIx, b: TyIx) -> Res<()> {
        if a == b { Ok(()) } else { self.check_alike(a, b) }
    }

    fn check_alike(&self, a: TyIx, b: TyIx) -> Res<()> {
        if self.r.same_type(a, b, &mut 10_000) {
            return Ok(());
        }
        bail!(TYPE, "{} and {} are different types", self.r.show_type(a), self.r.show_type(b))
    }

    /// A constant as a value; created once in each function, at its start.
    pub fn constant(&mut self, c: u32) -> Res<Val> {
        let constant = self.r.consts[c as usize];
        let shape = self.r.types[constant.ty as usize].shape;
        if constant.open {
            return self.open_constant(c);
        }
        if shape.is_none() {
            return self.large_constant(c);
        }
        if matches!(constant.value, ConstValue::Undef) {
            return Ok(Val::Undef);
        }
        if let Some((serial, v)) = constant.cached
            && serial == self.serial
        {
            return Ok(v);
        }
        let lanes = self.r.lanes_of(c).unwrap_or_default();
        let v = self.insert_at_start(Instr::new(InstrKind::Const(lanes), shape));
        self.r.consts[c as usize].cached = Some((self.serial, Val::Ssa(v)));
        Ok(Val::Ssa(v))
    }

    /// A small constant of 32 bits, created once in each function.
    pub fn small(&mut self, n: u32) -> InstrId {
        if let Some(&Some(v)) = self.smalls.get(n as usize) {
            return v;
        }
        let v = self.insert_at_start(Instr::new(InstrKind::Const([u64::from(n), 0, 0, 0]), Ty::B32));
        if let Some(slot) = self.smalls.get_mut(n as usize) {
            *slot = Some(v);
        }
        v
    }

    /// Inserts an instruction after those at the start of the function.
    pub fn insert_at_start(&mut self, instr: Instr) -> InstrId {
        let v = self.b.body.insert(self.const_at, instr);
        if self.b.cursor == self.const_at {
            self.b.cursor = Cursor::After(v);
        }
        self.const_at = Cursor::After(v);
        v
    }

    fn large_constant(&mut self, c: u32) -> Res<Val> {
        let constant = self.r.consts[c as usize];
        let ty = constant.ty;
        if matches!(constant.value, ConstValue::Undef) {
            return Ok(Val::Undef);
        }
        let Some((n, _)) = self.r.parts(ty) else {
            bail!(UNSUPPORTED, "constants of type {} are not supported", self.r.show_type(ty));
        };
        let is_array = matches!(self.r.kind(ty), Kind::Array { .. }) && n > 1;
        if self.r.is_large(ty) || is_array {
            let var = self.r.const_var(c)?;
            let ptr = self.var_ptr(var, ty);
            return Ok(Val::Memory(self.deref_of(&ptr)?));
        }
        let mut parts = SmallVec::<[Val; 4]>::new();
        for i in 0..n {
            let part = self.r.const_part(c, i)?;
            parts.push(self.constant(part)?);
        }
        self.tree(&parts)
    }
}
