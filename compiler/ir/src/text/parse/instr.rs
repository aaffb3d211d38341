//! Instructions.

use super::parser::{Fail, NUMBER, OPERANDS, Parser, PendingCall, PendingSrc, Res, TWICE, UNKNOWN, clip};
use crate::alu::{AluFlags, AluOp, AluProps};
use crate::enums::*;
use crate::ids::InstrId;
use crate::instr::*;
use crate::intrinsic::{Index, IntrinsicOp};
use crate::tex::{Tex, TexOp, TexSrc};
use crate::text::lexer::Kind;
use crate::text::words::{OPS, Op};
use crate::types::{Type, TypeId};
use crate::value::{COMPONENT_NAMES, MAX_COMPONENTS, Swizzle, Ty};
use slotmap::Key;
use smallvec::SmallVec;

/// Operand of an ALU operation as written.
#[derive(Clone, Copy)]
struct Operand {
    value: InstrId,
    ty: Ty,
    /// Swizzle and number of its letters.
    swizzle: Option<(Swizzle, u8)>,
    at: usize,
}

impl<'a> Parser<'a> {
    /// An instruction with its name and location, to the end of the line.
    pub(super) fn statement(&mut self) -> Res<()> {
        self.check_place()?;
        self.statement = self.tok.start;
        let shape = if self.tok.kind == Kind::Number { Some(self.shape()?) } else { None };
        let name = (self.tok.kind == Kind::Value).then(|| (&self.slice()[1..], self.tok.start));
        if name.is_some() {
            self.advance();
            self.expect('=')?;
        } else if shape.is_some() {
            return self.expected("the value that is defined, such as `%3`");
        }
        let (phis, calls) = (self.code.phis.len(), self.calls.len());
        let result = self.instruction(shape, name.is_some());
        if result.is_err() {
            // Drops the records of an instruction that does not exist.
            self.code.phis.truncate(phis);
            self.calls.truncate(calls);
        }
        if let Some((name, at)) = name {
            // A wrong definition defines something, too, so that its uses are not errors.
            self.define(name, at, result.unwrap_or(InstrId::null()))?;
        }
        result.map(|_| ())
    }

    /// The instruction after `=`.
    fn instruction(&mut self, shape: Option<Ty>, defines: bool) -> Res<InstrId> {
        let at = self.tok.start;
        let Some(word) = self.at_word() else { return self.expected("an operation") };
        let Some(&op) = OPS.get(word) else {
            return self.unknown(at, "operation", word, OPS.keys().copied().chain(["if", "loop"]));
        };
        self.advance();
        let has_value = match op {
            Op::Intrinsic(i) => i.info().result.is_some(),
            Op::Jump(_) | Op::Call => false,
            _ => true,
        };
        if has_value != defines {
            let message = if has_value {
                format!("`{word}` defines a value: write `%name = {word} ...`")
            } else {
                format!("`{word}` defines no value")
            };
            return self.fail(at, OPERANDS, message);
        }
        let phis = self.code.phis.len();
        let calls = self.calls.len();
        let (kind, ty) = match op {
            Op::Alu(op) => self.alu(at, op, shape)?,
            Op::Intrinsic(op) => self.intrinsic(at, op, shape)?,
            Op::Tex(op) => self.tex(at, op, shape)?,
            Op::Jump(j) => (InstrKind::Jump(j), Ty::NONE),
            Op::Const => self.constant(at, shape)?,
            Op::Undef => (InstrKind::Undef, self.needed_shape(at, "undef", shape)?),
            Op::Phi => self.phi(at, shape)?,
            Op::Call => self.call()?,
            _ => (InstrKind::Deref(self.deref(at, op)?), shape.unwrap_or(Ty::DEREF)),
        };
        let loc = self.loc()?;
        self.line_end()?;
        let id = self.push(Instr::new(kind, ty).at(loc));
        self.code.phis[phis..].iter_mut().for_each(|s| s.phi = id);
        self.calls[calls..].iter_mut().for_each(|c| c.instr = id);
        Ok(id)
    }

    /// `@file:line` after an instruction or the head of a function.
    pub(super) fn loc(&mut self) -> Res<Loc> {
        if !self.eat('@') {
            return Ok(Loc::NONE);
        }
        let file = self.number(254)? as u32;
        self.expect(':')?;
        let line = self.number((1 << 24) - 1)? as u32;
        Ok(Loc::new(file, line))
    }

    fn needed_shape(&mut self, at: usize, word: &str, shape: Option<Ty>) -> Res<Ty> {
        match shape {
            Some(ty) => Ok(ty),
            None => {
                let message = format!("the shape of `{word}` does not follow from its operands here");
                let help = format!("write it before the value: `32x4 %1 = {word} ...`");
                self.fail_help(at, OPERANDS, message, Some(help))
            }
        }
    }

    // ---- operands ----

    /// A value: `%3`, or `&name` for a deref of a variable, which is inserted before the instruction.
    pub(super) fn operand(&mut self) -> Res<InstrId> {
        if self.at('&') {
            let deref = self.variable_deref()?;
            return Ok(self.push(Instr::new(InstrKind::Deref(deref), Ty::DEREF)));
        }
        if self.tok.kind != Kind::Value {
            return self.expected("a value such as `%3`");
        }
        let name = &self.slice()[1..];
        match self.find_value(name) {
            // Its definition has been complained about.
            Some(id) if id.is_null() => Err(Fail),
            Some(id) => {
                self.advance();
                Ok(id)
            }
            None => {
                let message = format!("the value `%{}` is not defined before this use", clip(name));
                self.fail(self.tok.start, UNKNOWN, message)
            }
        }
    }

    /// `&name`.
    fn variable_deref(&mut self) -> Res<Deref> {
        self.expect('&')?;
        let name = self.name("the name of a variable")?;
        match self.vars.get(name.raw) {
            Some(&var) => {
                let v = &self.shader.vars[var];
                Ok(Deref { kind: DerefKind::Var(var), ty: v.ty, modes: v.mode })
            }
            None => {
                let names: Vec<&str> = self.vars.keys().copied().collect();
                self.unknown(name.at, "variable", name.raw, names)
            }
        }
    }

    /// `.xyz` after an operand.
    fn swizzle(&mut self) -> Res<Option<(Swizzle, u8)>> {
        if !self.eat('.') {
            return Ok(None);
        }
        let word = self.at_word().unwrap_or("");
        let mut swizzle = Swizzle::IDENTITY;
        for (i, c) in word.chars().enumerate() {
            match COMPONENT_NAMES.iter().position(|&n| n == c) {
                Some(component) if i < MAX_COMPONENTS => swizzle = swizzle.with(i, component),
                _ => return self.expected("components such as `xyz`"),
            }
        }
        if word.is_empty() {
            return self.expected("components such as `xyz`");
        }
        self.advance();
        Ok(Some((swizzle, word.len() as u8)))
    }

    /// Values with commas between, none if the line ends or properties follow.
    fn values(&mut self) -> Res<SmallVec<[InstrId; 4]>> {
        let mut values = SmallVec::new();
        if self.tok.kind == Kind::Value || self.at('&') {
            loop {
                values.push(self.operand()?);
                if self.at('.') {
                    let message = "only operands of ALU operations have a swizzle: use `mov`";
                    return self.fail(self.tok.start, OPERANDS, message);
                }
                if !self.eat(',') {
                    break;
                }
            }
        }
        Ok(values)
    }

    fn check_count(&mut self, at: usize, op: &str, names: &[&str], found: usize) -> Res<()> {
        if found == names.len() {
            return Ok(());
        }
        let list = if names.is_empty() { String::new() } else { format!(" ({})", names.join(", ")) };
        let s = if names.len() == 1 { "" } else { "s" };
        let message = format!("`{op}` takes {} operand{s}{list}, not {found}", names.len());
        self.fail(at, OPERANDS, message)
    }

    // ---- ALU ----

    fn alu(&mut self, at: usize, op: AluOp, shape: Option<Ty>) -> Res<(InstrKind, Ty)> {
        let mut flags = AluFlags::empty();
        if self.eat('!') {
            flags |= AluFlags::EXACT;
        }
        while self.at('.') {
            self.advance();
            let word = self.at_word();
            match AluFlags::WORDS.into_iter().find(|&(_, name)| word == Some(name)) {
                Some((flag, _)) => flags |= flag,
                None => return self.expected("`nsw`, `nuw` or `relaxed`"),
            }
            self.advance();
        }
        let info = op.info();
        let mut operands: SmallVec<[Operand; 4]> = SmallVec::new();
        if !self.at_line_end() && !self.at('@') {
            loop {
                let at = self.tok.start;
                let value = self.operand()?;
                let swizzle = self.swizzle()?;
                let ty = self.code.body[value].ty;
                if operands.len() < MAX_COMPONENTS + 1 {
                    operands.push(Operand { value, ty, swizzle, at });
                }
                if !self.eat(',') {
                    break;
                }
            }
        }
        self.check_count(at, info.name, info.operand_names, operands.len())?;
        let ty = match shape {
            Some(ty) => ty,
            None => self.alu_shape(at, op, &operands)?,
        };
        let mut srcs: SmallVec<[Src; 4]> = SmallVec::new();
        for (i, o) in operands.iter().enumerate() {
            let lanes = info.operand_comps(i, ty.comps);
            srcs.push(Src { value: o.value, swizzle: self.operand_swizzle(o, lanes)? });
        }
        let mut alu = Alu::new(op, ty.comps, &srcs);
        alu.flags = flags;
        Ok((InstrKind::Alu(alu), ty))
    }

    /// The shape of a result that is not written.
    fn alu_shape(&mut self, at: usize, op: AluOp, operands: &[Operand]) -> Res<Ty> {
        let info = op.info();
        let rows = || operands.iter().zip(info.operands);
        let bits = match info.result.bits {
            0 if info.props.contains(AluProps::SIZED) => return self.needed_shape(at, info.name, None),
            0 => rows().find(|(_, row)| row.bits == 0).map_or(32, |(o, _)| o.ty.bits),
            bits => bits,
        };
        let comps = match info.result.comps {
            0 => {
                let lanes = rows().filter(|(_, row)| row.comps == 0);
                lanes.map(|(o, _)| o.swizzle.map_or(o.ty.comps, |(_, n)| n)).max().unwrap_or(1)
            }
            comps => comps,
        };
        Ok(Ty::new(comps, bits))
    }

    /// The swizzle of an operand of which `lanes` components are read.
    fn operand_swizzle(&mut self, o: &Operand, lanes: u8) -> Res<Swizzle> {
        match o.swizzle {
            Some((swizzle, n)) if n == lanes => Ok(swizzle),
            None if o.ty.comps == lanes => Ok(Swizzle::IDENTITY),
            // A scalar applies to all components.
            None if o.ty.comps == 1 => Ok(Swizzle::splat(0, lanes as usize)),
            Some((_, n)) => {
                let message = format!("{lanes} components are read here, but the swizzle has {n}");
                self.fail(o.at, OPERANDS, message)
            }
            None => {
                let message = format!("{lanes} components are read here, but the value has {}", o.ty.comps);
                let help = "choose them by a swizzle such as `.xy`".to_string();
                self.fail_help(o.at, OPERANDS, message, Some(help))
            }
        }
    }

    // ---- constants and phis ----

    fn constant(&mut self, at: usize, shape: Option<Ty>) -> Res<(InstrKind, Ty)> {
        let ty = self.needed_shape(at, "const", shape)?;
        let mut lanes = [0; MAX_COMPONENTS];
        let first = self.literal(ty.bits)?;
        if self.at(',') {
            lanes[0] = first;
            for lane in &mut lanes[1..ty.comps as usize] {
                self.expect(',')?;
                *lane = self.literal(ty.bits)?;
            }
        } else {
            // One number applies to all components.
            lanes[..ty.comps as usize].fill(first);
        }
        Ok((InstrKind::Const(lanes), ty))
    }

    fn phi(&mut self, at: usize, shape: Option<Ty>) -> Res<(InstrKind, Ty)> {
        let mut ty = shape;
        while !self.at_line_end() && !self.at('@') {
            let (pred, pred_at) = (self.at_word().unwrap_or(""), self.tok.start);
            if pred.is_empty() {
                return self.expected("a source such as `b1: %3`");
            }
            self.advance();
            self.expect(':')?;
            if self.tok.kind != Kind::Value {
                return self.expected("a value such as `%3`");
            }
            let (value, value_at) = (&self.slice()[1..], self.tok.start);
            let known = self.find_value(value).filter(|v| !v.is_null());
            ty = ty.or_else(|| Some(self.code.body[known?].ty));
            self.advance();
            self.code.phis.push(PendingSrc { phi: InstrId::null(), pred, pred_at, value, value_at });
            if !self.eat(',') {
                break;
            }
        }
        let ty = self.needed_shape(at, "phi", ty)?;
        Ok((InstrKind::Undef, ty))
    }

    fn call(&mut self) -> Res<(InstrKind, Ty)> {
        let name = self.name("the name of a function")?;
        self.expect('(')?;
        let args = self.values()?;
        self.expect(')')?;
        let caller = self.code.function;
        self.calls.push(PendingCall { caller, instr: InstrId::null(), callee: name.raw, at: name.at });
        Ok((self.call_of(args), Ty::NONE))
    }

    // ---- derefs ----

    fn deref(&mut self, at: usize, op: Op) -> Res<Deref> {
        if op == Op::DerefVar {
            let deref = self.variable_deref()?;
            return self.annotated(deref);
        }
        let parent = self.operand()?;
        let pointee = self.pointee(parent);
        let (kind, ty) = match op {
            Op::DerefStruct => self.deref_struct(parent, pointee)?,
            Op::DerefCast => (DerefKind::Cast { parent, stride: 0 }, None),
            Op::DerefWildcard => {
                self.expect('[')?;
                self.expect('*')?;
                self.expect(']')?;
                (DerefKind::ArrayWildcard { parent }, pointee.and_then(|(ty, _)| self.element(ty)))
            }
            _ => {
                self.expect('[')?;
                let index = self.operand()?;
                self.expect(']')?;
                if op == Op::DerefPtr {
                    (DerefKind::PtrAsArray { parent, index }, pointee.map(|(ty, _)| ty))
                } else {
                    (DerefKind::Array { parent, index }, pointee.and_then(|(ty, _)| self.element(ty)))
                }
            }
        };
        match (ty, pointee) {
            (Some(ty), Some((_, modes))) => self.annotated(Deref { kind, ty, modes }),
            _ if self.at(':') => {
                let (ty, modes) = self.annotation()?;
                let mut deref = Deref { kind, ty, modes };
                if let DerefKind::Cast { stride, .. } = &mut deref.kind
                    && self.eat_word("stride")
                {
                    self.expect('=')?;
                    *stride = self.u32()?;
                }
                Ok(deref)
            }
            _ => {
                let message = "the type of the deref does not follow from its parent".to_string();
                let help = "add type and memory: `: vec4 function_temp`".to_string();
                self.fail_help(at, OPERANDS, message, Some(help))
            }
        }
    }

    fn element(&mut self, ty: TypeId) -> Option<TypeId> {
        let element = self.shader.types.element(ty);
        self.note_weights();
        element
    }

    /// Type and memory that are written after a deref although they follow from its parent.
    fn annotated(&mut self, mut deref: Deref) -> Res<Deref> {
        if self.at(':') {
            (deref.ty, deref.modes) = self.annotation()?;
        }
        Ok(deref)
    }

    /// `: type modes`.
    fn annotation(&mut self) -> Res<(TypeId, Modes)> {
        self.expect(':')?;
        Ok((self.ty()?, Modes::from_bits_lossy(self.flags(Modes::NAMES)?)))
    }

    /// `.member` or `.number`.
    fn deref_struct(
        &mut self,
        parent: InstrId,
        pointee: Option<(TypeId, Modes)>,
    ) -> Res<(DerefKind, Option<TypeId>)> {
        self.expect('.')?;
        let at = self.tok.start;
        let ty = pointee.map(|(ty, _)| ty);
        let field = match self.number_if_any(u64::from(u32::MAX))? {
            Some(n) => n as u32,
            None => {
                let name = self.word("a member")?;
                match ty.and_then(|ty| self.members.get(&(ty, name))) {
                    Some(&n) => n,
                    None => {
                        let of_type = self.members.keys().filter(|(t, _)| Some(*t) == ty);
                        let names: Vec<&str> = of_type.map(|&(_, n)| n).collect();
                        return self.unknown(at, "member", name, names);
                    }
                }
            }
        };
        let members = ty.map(|ty| &self.shader.types[ty]);
        let member = match members {
            Some(Type::Struct(s)) => s.members.get(field as usize).map(|m| m.ty),
            _ => None,
        };
        Ok((DerefKind::Struct { parent, field }, member))
    }

    // ---- intrinsics ----

    fn intrinsic(&mut self, at: usize, op: IntrinsicOp, shape: Option<Ty>) -> Res<(InstrKind, Ty)> {
        let info = op.info();
        let values = self.values()?;
        self.check_count(at, info.name, info.operand_names, values.len())?;
        let mut intrinsic = Intrinsic::new(op, &values);
        if info.indices.contains(&Index::WriteMask) {
            // All components are written unless the text has a mask.
            let value = info.operand_names.iter().position(|&n| n == "value").map(|i| values[i]);
            let mask = value.map_or(0, |v| self.code.body[v].ty.full_mask());
            let _ = intrinsic.try_set(Index::WriteMask, mask.into());
        }
        let mut seen = 0u32;
        while !info.indices.is_empty() && !self.at_line_end() && !self.at('@') {
            let at = self.tok.start;
            let word = self.word("a property, `@` or the end of the line")?;
            let Some(&index) = info.indices.iter().find(|i| i.name() == word) else {
                let what = format!("property of `{}`", info.name);
                return self.unknown(at, &what, word, info.indices.iter().map(|i| i.name()));
            };
            if seen & (1 << index as u32) != 0 {
                return self.fail(at, TWICE, format!("`{word}` is set twice"));
            }
            seen |= 1 << index as u32;
            self.expect('=')?;
            let at = self.tok.start;
            let bits = self.index_value(index)?;
            if !intrinsic.try_set(index, bits) {
                return self.fail(at, NUMBER, format!("this value does not fit `{word}`"));
            }
        }
        let ty = match (info.result, shape) {
            (None, _) => Ty::NONE,
            (_, Some(ty)) => ty,
            (Some(result), None) => match result.fixed().or_else(|| self.intrinsic_shape(&intrinsic)) {
                Some(ty) => ty,
                None => self.needed_shape(at, info.name, None)?,
            },
        };
        Ok((InstrKind::Intrinsic(intrinsic), ty))
    }

    /// The shape of a result that is not written and not fixed by the operation.
    fn intrinsic_shape(&self, intrinsic: &Intrinsic) -> Option<Ty> {
        let info = intrinsic.op.info();
        let operand = |i: usize| self.code.body[intrinsic.src(i)].ty;
        if intrinsic.op == IntrinsicOp::load_param {
            return Some(self.code.params.get(intrinsic.param() as usize)?.ty);
        }
        if let Some(i) = info.operands.iter().position(|o| o.same) {
            return Some(operand(i));
        }
        if let Some(i) = info.operands.iter().position(|o| o.deref) {
            let ty = self.pointee(intrinsic.src(i)).and_then(|(ty, _)| self.shader.types.value_ty(ty));
            if ty.is_some() {
                return ty;
            }
        }
        info.operand_names.iter().position(|&n| n == "data").map(operand)
    }

    // ---- textures ----

    fn tex(&mut self, at: usize, op: TexOp, shape: Option<Ty>) -> Res<(InstrKind, Ty)> {
        let ty = self.needed_shape(at, op.name(), shape)?;
        let dim = self.named()?;
        let dest_type = self.named()?;
        let mut tex = Tex::new(op, dim, dest_type);
        while !self.at_line_end() && !self.at('@') {
            let at = self.tok.start;
            let word = self.word("a source such as `coord=%3`, a property or the end of the line")?;
            match word {
                "array" => tex.arrayed = true,
                "shadow" => tex.shadow = true,
                "non_uniform" => tex.non_uniform = true,
                "relaxed" => tex.relaxed = true,
                "residency" => tex.residency = true,
                "component" => {
                    self.expect('=')?;
                    tex.component = self.number(u64::from(u8::MAX))? as u8;
                }
                "offsets" => {
                    self.expect('=')?;
                    tex.offsets = Some(self.offsets()?);
                }
                _ => {
                    let Some(role) = TexSrc::from_name(word) else {
                        let words = [
                            "array",
                            "shadow",
                            "non_uniform",
                            "relaxed",
                            "residency",
                            "component",
                            "offsets",
                        ];
                        let names = TexSrc::ALL.iter().map(|s| s.name()).chain(words);
                        return self.unknown(at, "source or property of a texture operation", word, names);
                    };
                    if tex.src(role).is_some() {
                        return self.fail(at, TWICE, format!("`{word}` is set twice"));
                    }
                    self.expect('=')?;
                    tex.set_src(role, self.operand()?);
                }
            }
        }
        Ok((InstrKind::Tex(Box::new(tex)), ty))
    }

    /// `(0, 1)(1, 1)(1, 0)(0, 0)`.
    fn offsets(&mut self) -> Res<[[i8; 2]; 4]> {
        let mut offsets = [[0; 2]; 4];
        for pair in &mut offsets {
            self.expect('(')?;
            pair[0] = self.offset()?;
            self.expect(',')?;
            pair[1] = self.offset()?;
            self.expect(')')?;
        }
        Ok(offsets)
    }

    fn offset(&mut self) -> Res<i8> {
        let value = (self.tok.kind == Kind::Number).then(|| self.slice().parse::<i8>().ok()).flatten();
        match value {
            Some(n) => {
                self.advance();
                Ok(n)
            }
            None => self.expected("an offset from -128 to 127"),
        }
    }
}
