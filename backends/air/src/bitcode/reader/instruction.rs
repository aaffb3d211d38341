//! Instructions, each from its record. The forms are those of llvm/Bitcode/LLVMBitCodes.h; where old compilers left a
//! type out, it follows from the operands.

use super::super::codes::function as code;
use super::bits::Record;
use super::function::Scope;
use super::{ReadError, Reader, rejection};
use crate::module::{
    BinOp, CALL_TAIL, CastOp, FCmp, FastMath, Flags, ICmp, Op, Type, TypeId, Value, ValueKind,
};
use smallvec::SmallVec;

/// Instructions that LLVM has and AIR does not, for messages.
const OUTSIDE: &[(u32, &str)] = &[
    (5, "invoke"),
    (13, "invoke"),
    (23, "va_arg"),
    (31, "indirectbr"),
    (36, "fence"),
    (37, "cmpxchg"),
    (38, "atomicrmw"),
    (39, "resume"),
    (40, "landingpad"),
    (41, "load atomic"),
    (42, "store atomic"),
    (45, "store atomic"),
    (46, "cmpxchg"),
    (47, "landingpad"),
    (48, "cleanupret"),
    (49, "catchret"),
    (50, "catchpad"),
    (51, "cleanuppad"),
    (52, "catchswitch"),
    (55, "operand bundle"),
    (57, "callbr"),
    (59, "atomicrmw"),
];

impl<'a> Reader<'a> {
    pub(super) fn instruction(&mut self, s: &mut Scope, r: &Record<'_>) -> Result<(), ReadError> {
        match r.code {
            code::BINOP => self.binary(s, r)?,
            code::CAST => self.cast(s, r)?,
            code::CMP | code::CMP2 => self.compare(s, r)?,
            code::UNOP => self.unary(s, r)?,
            code::FREEZE => {
                let value = self.typed_operand(s, r, &mut 0)?;
                s.push(Op::Freeze, 0, 0, self.type_of(s, value), &[value]);
            }
            code::SELECT | code::VSELECT => self.select(s, r)?,
            code::PHI => self.phi(s, r)?,
            code::CALL => self.call(s, r)?,
            code::GEP | code::GEP_OLD | code::INBOUNDS_GEP_OLD => self.gep(s, r)?,
            code::LOAD => self.load(s, r)?,
            code::STORE | code::STORE_OLD => self.store(s, r)?,
            code::ALLOCA => self.alloca(s, r)?,
            code::EXTRACTELT | code::INSERTELT | code::SHUFFLEVEC => self.lanes(s, r)?,
            code::EXTRACTVAL | code::INSERTVAL => self.members(s, r)?,
            code::BR => self.branch(s, r)?,
            code::SWITCH => self.switch(s, r)?,
            code::RET => self.ret(s, r)?,
            code::UNREACHABLE => s.push(Op::Unreachable, 0, 0, TypeId::VOID, &[]),
            other => {
                let name = OUTSIDE.iter().find(|o| o.0 == other).map_or("", |o| o.1);
                return Err(r.error(format!("{} {other} ({name}) is not supported", rejection::FOREIGN)));
            }
        }
        self.type_sizes_follow();
        s.end(&mut self.values, r)
    }

    /// Fast-math flags at operand `at`, if present.
    fn fast(&mut self, r: &Record<'_>, at: usize) -> u8 {
        let word = r.ops.get(at).copied().unwrap_or(0);
        // Bit 0 was `fast` as a whole up to LLVM 5.
        let flags = if word & 1 != 0 { FastMath::FAST } else { FastMath((word >> 1) as u8 & 127) };
        if flags != flags.writable() {
            self.m.recent_flags = true;
        }
        flags.0
    }

    fn is_fp(&self, ty: TypeId) -> bool {
        self.m.types().is_fp(ty)
    }

    fn binary(&mut self, s: &mut Scope, r: &Record<'_>) -> Result<(), ReadError> {
        let mut at = 0;
        let a = self.typed_operand(s, r, &mut at)?;
        let ty = self.type_of(s, a);
        let b = self.operand(s, r, &mut at, ty)?;
        let number = r.op(at)?;
        let op =
            BinOp::from_code(number, self.is_fp(ty)).filter(|op| op.is_fp() || self.m.types().is_int(ty));
        let op =
            op.ok_or_else(|| r.error(format!("operation {number} is unknown or not for its operands")))?;
        let flags = match op.flags() {
            Flags::Fast => self.fast(r, at + 1),
            Flags::Wrap => r.ops.get(at + 1).copied().unwrap_or(0) as u8 & 3,
            Flags::Exact => r.ops.get(at + 1).copied().unwrap_or(0) as u8 & 1,
            Flags::None => 0,
        };
        s.push(Op::Binary(op), flags, 0, ty, &[a, b]);
        Ok(())
    }

    fn unary(&mut self, s: &mut Scope, r: &Record<'_>) -> Result<(), ReadError> {
        let mut at = 0;
        let value = self.typed_operand(s, r, &mut at)?;
        let ty = self.type_of(s, value);
        if r.op(at)? != 0 || !self.is_fp(ty) {
            return Err(r.error("an operation that is not the negation of a float"));
        }
        let flags = self.fast(r, at + 1);
        s.push(Op::FNeg, flags, 0, ty, &[value]);
        Ok(())
    }

    fn cast(&mut self, s: &mut Scope, r: &Record<'_>) -> Result<(), ReadError> {
        let mut at = 0;
        let value = self.typed_operand(s, r, &mut at)?;
        let ty = self.ty(r, r.op(at)?)?;
        let number = r.op(at + 1)?;
        let op = usize::try_from(number).ok().and_then(|n| CastOp::ALL.get(n)).copied();
        let op = op.ok_or_else(|| r.error(format!("cast {number} is unknown")))?;
        self.value_type(r, ty)?;
        s.push(Op::Cast(op), 0, 0, ty, &[value]);
        Ok(())
    }

    /// Rejects types that a value cannot have.
    fn value_type(&self, r: &Record<'_>, ty: TypeId) -> Result<(), ReadError> {
        match self.m.types().get(ty) {
            Type::Void | Type::Label | Type::Metadata | Type::Function { .. } | Type::VarFunction { .. } => {
                Err(r.error("a value of a type that has none"))
            }
            _ => Ok(()),
        }
    }

    fn compare(&mut self, s: &mut Scope, r: &Record<'_>) -> Result<(), ReadError> {
        const FIRST_INTEGER: u64 = 32;
        let mut at = 0;
        let a = self.typed_operand(s, r, &mut at)?;
        let ty = self.type_of(s, a);
        let b = self.operand(s, r, &mut at, ty)?;
        let number = r.op(at)?;
        let bad = || r.error(format!("comparison {number} is unknown or not for its operands"));
        let place = |n: u64| usize::try_from(n).ok();
        let (op, flags) = if self.is_fp(ty) {
            let predicate = place(number).and_then(|n| FCmp::ALL.get(n)).ok_or_else(bad)?;
            (Op::FCmp(*predicate), self.fast(r, at + 1))
        } else {
            let number = number.checked_sub(FIRST_INTEGER).and_then(place);
            (Op::ICmp(*number.and_then(|n| ICmp::ALL.get(n)).ok_or_else(bad)?), 0)
        };
        let result = match self.m.types().vector_len(ty) {
            Some(len) => self.m.vector(TypeId::I1, len),
            None => TypeId::I1,
        };
        s.push(op, flags, 0, result, &[a, b]);
        Ok(())
    }

    fn select(&mut self, s: &mut Scope, r: &Record<'_>) -> Result<(), ReadError> {
        let mut at = 0;
        let yes = self.typed_operand(s, r, &mut at)?;
        let ty = self.type_of(s, yes);
        let no = self.operand(s, r, &mut at, ty)?;
        let condition = match r.code {
            code::SELECT => self.operand(s, r, &mut at, TypeId::I1)?,
            _ => self.typed_operand(s, r, &mut at)?,
        };
        if self.m.types().scalar(self.type_of(s, condition)) != TypeId::I1 {
            return Err(r.error("the condition of a `select` is not an `i1`"));
        }
        let flags = if self.is_fp(ty) { self.fast(r, at) } else { 0 };
        s.push(Op::Select, flags, 0, ty, &[condition, yes, no]);
        Ok(())
    }

    fn phi(&mut self, s: &mut Scope, r: &Record<'_>) -> Result<(), ReadError> {
        let ty = self.ty(r, r.op(0)?)?;
        self.value_type(r, ty)?;
        // Flags make the number of operands even.
        let has_flags = r.ops.len().is_multiple_of(2);
        let pairs = (r.ops.len() - 1) / 2;
        let flags = if has_flags && self.is_fp(ty) { self.fast(r, r.ops.len() - 1) } else { 0 };
        s.push(Op::Phi, flags, 0, ty, &[]);
        for pair in 0..pairs {
            let value = self.phi_operand(s, r, 1 + pair * 2, ty)?;
            let block = s.block(r, 2 + pair * 2)?;
            s.push_value(value);
            s.push_word(block.0);
        }
        Ok(())
    }

    fn call(&mut self, s: &mut Scope, r: &Record<'_>) -> Result<(), ReadError> {
        const TAIL: u64 = 1;
        const MUST_TAIL: u64 = 1 << 14;
        const EXPLICIT_TYPE: u64 = 1 << 15;
        const NO_TAIL: u64 = 1 << 16;
        const FAST_MATH: u64 = 1 << 17;
        const FASTCC: u64 = 8;
        let attrs = self.set(r, r.op(0)?)?;
        let word = r.op(1)?;
        if word & (MUST_TAIL | NO_TAIL) != 0 {
            return Err(r.error("`musttail` and `notail` calls are not supported"));
        }
        let mut at = 2;
        let fast = if word & FAST_MATH != 0 {
            at += 1;
            self.fast(r, 2)
        } else {
            0
        };
        let given = if word & EXPLICIT_TYPE != 0 {
            at += 1;
            Some(self.ty(r, r.op(at - 1)?)?)
        } else {
            None
        };
        let callee = self.typed_operand(s, r, &mut at)?;
        let signature = self.m.types().pointee(self.type_of(s, callee));
        if given.is_some() && given != signature {
            return Err(r.error("a call of a function of another type"));
        }
        let (ret, params, variadic) = match signature.map(|ty| self.m.types().get(ty)) {
            Some(Type::Function { ret, params }) => (ret, params, false),
            Some(Type::VarFunction { ret, params }) => (ret, params, true),
            _ => return Err(r.error("the callee is not a function")),
        };
        let convention = word >> 1 & 0x3ff;
        let fastcc = self.m.function(callee).is_some_and(|f| f.fastcc);
        if convention != if fastcc { FASTCC } else { 0 } {
            return Err(r.error(format!("calling convention {convention} is not that of the function")));
        }
        let params: SmallVec<[TypeId; 16]> = self.m.types().list(params).into();
        let mut args: SmallVec<[Value; 16]> = SmallVec::new();
        for ty in params {
            if ty == TypeId::METADATA {
                args.push(self.metadata_operand(r, at)?);
                at += 1;
            } else {
                args.push(self.operand(s, r, &mut at, ty)?);
            }
        }
        while variadic && at < r.ops.len() {
            args.push(self.typed_operand(s, r, &mut at)?);
        }
        if at != r.ops.len() {
            return Err(r.error("a call with more arguments than the function takes"));
        }
        let tail = if word & TAIL != 0 { CALL_TAIL } else { 0 };
        s.push(Op::Call, fast | tail, 0, ret, &[]);
        s.push_word(attrs.0);
        s.push_value(callee);
        args.iter().for_each(|&arg| s.push_value(arg));
        Ok(())
    }

    fn gep(&mut self, s: &mut Scope, r: &Record<'_>) -> Result<(), ReadError> {
        let (mut at, mut given) = (0, None);
        let inbounds = match r.code {
            code::GEP => {
                given = Some(self.ty(r, r.op(1)?)?);
                at = 2;
                r.op(0)?
            }
            code => u64::from(code == code::INBOUNDS_GEP_OLD),
        };
        if inbounds > 1 {
            return Err(r.error(rejection::RECENT_FLAGS));
        }
        let mut operands: SmallVec<[Value; 8]> = SmallVec::new();
        while at < r.ops.len() {
            operands.push(self.typed_operand(s, r, &mut at)?);
        }
        let Some((&pointer, indices)) = operands.split_first() else {
            return Err(r.error("an address of nothing"));
        };
        let base = self.type_of(s, pointer);
        if given.is_some() && given != self.m.types().pointee(base) {
            return Err(r.error(rejection::GEP_TYPE));
        }
        for &index in indices {
            let ty = self.type_of(s, index);
            if !matches!(self.m.types().get(ty), Type::Int(_)) {
                return Err(r.error("an index of an address is not an integer"));
            }
        }
        let ty = self.gep_result(base, indices);
        let ty = ty.ok_or_else(|| r.error("an address whose indices do not fit its type"))?;
        s.push(Op::Gep, inbounds as u8, 0, ty, &operands);
        Ok(())
    }

    fn alignment(&self, r: &Record<'_>, coded: u64) -> Result<u8, ReadError> {
        const MOST: u64 = 33;
        match u8::try_from(coded) {
            Ok(code) if coded <= MOST => Ok(code),
            _ => Err(r.error(format!("an alignment of 2^{}", coded - 1))),
        }
    }

    fn volatile(&self, r: &Record<'_>, at: usize) -> Result<u8, ReadError> {
        match r.op(at)? {
            0 => Ok(0),
            1 => Ok(1),
            other => Err(r.error(format!("{other} is neither volatile nor not"))),
        }
    }

    fn load(&mut self, s: &mut Scope, r: &Record<'_>) -> Result<(), ReadError> {
        let mut at = 0;
        let pointer = self.typed_operand(s, r, &mut at)?;
        let pointee = self.m.types().pointee(self.type_of(s, pointer));
        let ty = pointee.ok_or_else(|| r.error("the operand of a load is not a pointer"))?;
        // Old compilers leave the type out.
        if at + 3 == r.ops.len() {
            if self.ty(r, r.op(at)?)? != ty {
                return Err(r.error("a load of a type that is not at its address"));
            }
            at += 1;
        }
        self.value_type(r, ty)?;
        let (align, volatile) = (self.alignment(r, r.op(at)?)?, self.volatile(r, at + 1)?);
        s.push(Op::Load, volatile, align, ty, &[pointer]);
        Ok(())
    }

    fn store(&mut self, s: &mut Scope, r: &Record<'_>) -> Result<(), ReadError> {
        let mut at = 0;
        let pointer = self.typed_operand(s, r, &mut at)?;
        let pointee = self.m.types().pointee(self.type_of(s, pointer));
        let ty = pointee.ok_or_else(|| r.error("the target of a store is not a pointer"))?;
        let value = match r.code {
            code::STORE => self.typed_operand(s, r, &mut at)?,
            _ => self.operand(s, r, &mut at, ty)?,
        };
        if self.type_of(s, value) != ty {
            return Err(r.error("a store of a type that is not at its address"));
        }
        let (align, volatile) = (self.alignment(r, r.op(at)?)?, self.volatile(r, at + 1)?);
        s.push(Op::Store, volatile, align, TypeId::VOID, &[pointer, value]);
        Ok(())
    }

    fn alloca(&mut self, s: &mut Scope, r: &Record<'_>) -> Result<(), ReadError> {
        const ALIGN: u64 = 31;
        const EXPLICIT_TYPE: u64 = 1 << 6;
        const OTHERS: u64 = 1 << 5 | 1 << 7;
        let given = self.ty(r, r.op(0)?)?;
        let word = r.op(3)?;
        if word & OTHERS != 0 || r.ops.get(4).is_some_and(|&space| space != 0) {
            return Err(r.error("a local variable of a kind that AIR does not have"));
        }
        let pointer = if word & EXPLICIT_TYPE != 0 { self.m.pointer(given, 0) } else { given };
        match self.m.types().get(pointer) {
            Type::Pointer { pointee, space: 0 } => self.value_type(r, pointee)?,
            _ => return Err(r.error("the type of a local variable is not a pointer")),
        }
        let count_type = self.ty(r, r.op(1)?)?;
        if !self.m.types().is_int(count_type) {
            return Err(r.error("the element count of a local variable is not an integer"));
        }
        // An ID, unlike the operands of other instructions, which are distances.
        let count = self.numbered(s, r, r.op32(2)?, count_type)?;
        // LLVM 14 has bits for large alignments above the others.
        let align = self.alignment(r, word & ALIGN | word >> 8 << 5)?;
        s.push(Op::Alloca, 0, align, pointer, &[count]);
        Ok(())
    }

    fn vector(&self, s: &Scope, r: &Record<'_>, value: Value) -> Result<(TypeId, u32), ReadError> {
        match self.m.types().get(self.type_of(s, value)) {
            Type::Vector { elem, len } => Ok((elem, len)),
            _ => Err(r.error("the operand of a lane access is not a vector")),
        }
    }

    fn lanes(&mut self, s: &mut Scope, r: &Record<'_>) -> Result<(), ReadError> {
        let mut at = 0;
        let a = self.typed_operand(s, r, &mut at)?;
        let ty = self.type_of(s, a);
        let (elem, _) = self.vector(s, r, a)?;
        if r.code == code::SHUFFLEVEC {
            let b = self.operand(s, r, &mut at, ty)?;
            let mask = self.typed_operand(s, r, &mut at)?;
            let (lane, len) = self.vector(s, r, mask)?;
            if lane != TypeId::I32 || !matches!(mask.kind(), ValueKind::Const(_)) {
                return Err(r.error("a shuffle whose lanes are not constant"));
            }
            let result = self.m.vector(elem, len);
            s.push(Op::ShuffleVector, 0, 0, result, &[a, b, mask]);
            return Ok(());
        }
        let element = match r.code {
            code::INSERTELT => Some(self.operand(s, r, &mut at, elem)?),
            _ => None,
        };
        let index = self.typed_operand(s, r, &mut at)?;
        if !matches!(self.m.types().get(self.type_of(s, index)), Type::Int(_)) {
            return Err(r.error("a lane index is not an integer"));
        }
        match element {
            Some(element) => s.push(Op::InsertElement, 0, 0, ty, &[a, element, index]),
            None => s.push(Op::ExtractElement, 0, 0, elem, &[a, index]),
        }
        Ok(())
    }

    fn members(&mut self, s: &mut Scope, r: &Record<'_>) -> Result<(), ReadError> {
        let mut at = 0;
        let aggregate = self.typed_operand(s, r, &mut at)?;
        let ty = self.type_of(s, aggregate);
        let element = match r.code {
            code::INSERTVAL => Some(self.typed_operand(s, r, &mut at)?),
            _ => None,
        };
        let mut member = ty;
        let mut indices: SmallVec<[u32; 4]> = SmallVec::new();
        for place in at..r.ops.len() {
            let index = r.op32(place)?;
            let next = match self.m.types().get(member) {
                Type::Vector { .. } => None,
                _ => self.m.types().member(member, index),
            };
            member = next.ok_or_else(|| r.error(format!("member {index} does not exist")))?;
            indices.push(index);
        }
        if indices.is_empty() {
            return Err(r.error("a member without its number"));
        }
        match element {
            Some(element) if self.type_of(s, element) == member => {
                s.push(Op::InsertValue, 0, 0, ty, &[aggregate, element]);
            }
            Some(_) => return Err(r.error("a member of another type")),
            None => s.push(Op::ExtractValue, 0, 0, member, &[aggregate]),
        }
        indices.iter().for_each(|&index| s.push_word(index));
        Ok(())
    }

    fn branch(&mut self, s: &mut Scope, r: &Record<'_>) -> Result<(), ReadError> {
        let yes = s.block(r, 0)?;
        match r.ops.len() {
            1 => {
                s.push(Op::Br, 0, 0, TypeId::VOID, &[]);
                s.push_word(yes.0);
            }
            3 => {
                let no = s.block(r, 1)?;
                let condition = self.operand(s, r, &mut 2, TypeId::I1)?;
                s.push(Op::CondBr, 0, 0, TypeId::VOID, &[condition]);
                s.push_word(yes.0);
                s.push_word(no.0);
            }
            other => return Err(r.error(format!("a branch of {other} operands"))),
        }
        Ok(())
    }

    fn switch(&mut self, s: &mut Scope, r: &Record<'_>) -> Result<(), ReadError> {
        let ty = self.ty(r, r.op(0)?)?;
        if !matches!(self.m.types().get(ty), Type::Int(_)) {
            return Err(r.error("the selector of a switch is not an integer"));
        }
        let selector = self.operand(s, r, &mut 1, ty)?;
        let default = s.block(r, 2)?;
        s.push(Op::Switch, 0, 0, TypeId::VOID, &[selector]);
        s.push_word(default.0);
        for at in (3..r.ops.len()).step_by(2) {
            let case = self.module_value(r, r.op(at)?)?;
            if self.m.module_type(case) != ty || self.m.constant(case).is_none() {
                return Err(r.error("a case of a switch is not a constant of its type"));
            }
            let block = s.block(r, at + 1)?;
            s.push_value(case);
            s.push_word(block.0);
        }
        Ok(())
    }

    fn ret(&mut self, s: &mut Scope, r: &Record<'_>) -> Result<(), ReadError> {
        if r.ops.is_empty() {
            if s.ret != TypeId::VOID {
                return Err(r.error("a return without a value"));
            }
            s.push(Op::Ret, 0, 0, TypeId::VOID, &[]);
            return Ok(());
        }
        let value = self.typed_operand(s, r, &mut 0)?;
        if self.type_of(s, value) != s.ret {
            return Err(r.error("a return of another type than the function's"));
        }
        s.push(Op::Ret, 0, 0, TypeId::VOID, &[value]);
        Ok(())
    }
}
