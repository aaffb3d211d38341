//! The printer's part for instructions.

use super::literal::{Hint, push_literal, push_uint};
use super::names::Numbering;
use super::print::Printer;
use super::words::{push_flags, push_set};
use crate::alu::AluFlags;
use crate::body::Body;
use crate::ids::{BlockId, InstrId};
use crate::instr::*;
use crate::intrinsic::{Align, Index, IndexKind, IndexValue, IoSemantics};
use crate::shader::Shader;
use crate::tex::Tex;
use crate::types::{Type, TypeId};
use crate::value::{COMPONENT_NAMES, Ty};
use std::fmt::Write;

impl<'a> Printer<'a> {
    /// Writes an instruction without indentation and line end.
    pub fn instr(&mut self, body: &Body, names: &Numbering, id: InstrId) {
        let Some(instr) = body.get(id) else {
            self.out.push_str("(removed instruction)");
            return;
        };
        if instr.has_value() {
            // The shape of a deref is always the same.
            if instr.as_deref().is_none() || instr.ty != Ty::DEREF {
                self.shape(instr.ty);
                self.out.push(' ');
            }
            self.value(names, id);
            self.out.push_str(" = ");
        }
        match &instr.kind {
            InstrKind::Alu(alu) => self.alu(body, names, alu, instr.ty.comps),
            InstrKind::Deref(d) => self.deref(body, names, d),
            InstrKind::Intrinsic(i) => self.intrinsic(names, i),
            InstrKind::Tex(t) => self.tex(names, t),
            InstrKind::Const(lanes) => {
                self.out.push_str("const ");
                let comps = instr.ty.comps as usize;
                for (i, &lane) in lanes.iter().take(comps).enumerate() {
                    if i > 0 {
                        self.out.push_str(", ");
                    }
                    push_literal(&mut self.out, lane, instr.ty.bits, Hint::Bits);
                }
            }
            InstrKind::Undef => self.out.push_str("undef"),
            InstrKind::Phi(srcs) => {
                self.out.push_str("phi");
                for (i, s) in srcs.iter().enumerate() {
                    self.out.push_str(if i > 0 { ", " } else { " " });
                    self.block(names, s.pred);
                    self.out.push_str(": ");
                    self.value(names, s.value);
                }
            }
            InstrKind::Jump(j) => self.out.push_str(j.name()),
            InstrKind::Call(c) => {
                self.out.push_str("call ");
                let name = self.functions.get(c.callee).map_or("?", |n| n);
                self.out.push_str(name);
                self.out.push('(');
                for (i, &arg) in c.args.iter().enumerate() {
                    if i > 0 {
                        self.out.push_str(", ");
                    }
                    self.value(names, arg);
                }
                self.out.push(')');
            }
        }
        self.loc(instr.loc);
    }

    pub(super) fn value(&mut self, names: &Numbering, id: InstrId) {
        self.out.push('%');
        match names.value(id) {
            Some(n) => push_uint(&mut self.out, n.into()),
            None => self.out.push('?'),
        }
    }

    fn block(&mut self, names: &Numbering, id: BlockId) {
        self.out.push('b');
        match names.block(id) {
            Some(n) => push_uint(&mut self.out, n.into()),
            None => self.out.push('?'),
        }
    }

    fn alu(&mut self, body: &Body, names: &Numbering, alu: &Alu, comps: u8) {
        self.out.push_str(alu.op.name());
        if alu.is_exact() {
            self.out.push('!');
        }
        for (_, word) in AluFlags::WORDS.into_iter().filter(|&(flag, _)| alu.flags.contains(flag)) {
            self.out.push('.');
            self.out.push_str(word);
        }
        let info = alu.op.info();
        for (i, src) in alu.srcs().enumerate() {
            self.out.push_str(if i > 0 { ", " } else { " " });
            self.value(names, src.value);
            let lanes = info.operand_comps(i, comps) as usize;
            let whole = body.get(src.value).is_some_and(|v| v.ty.comps as usize == lanes);
            if !whole || !src.swizzle.is_identity(lanes) {
                self.out.push('.');
                for lane in 0..lanes {
                    self.out.push(COMPONENT_NAMES[src.swizzle.get(lane)]);
                }
            }
        }
    }

    fn deref(&mut self, body: &Body, names: &Numbering, d: &Deref) {
        let mut follows = false;
        match d.kind {
            DerefKind::Var(var) => {
                self.out.push_str("deref_var &");
                let name = self.vars.get(var).map_or("?", |n| n);
                self.out.push_str(name);
                follows = self.shader.vars.get(var).is_some_and(|v| v.ty == d.ty && v.mode == d.modes);
            }
            DerefKind::Array { parent, index } | DerefKind::PtrAsArray { parent, index } => {
                let pointer = matches!(d.kind, DerefKind::PtrAsArray { .. });
                self.out.push_str(if pointer { "deref_ptr_as_array " } else { "deref_array " });
                self.value(names, parent);
                self.out.push('[');
                self.value(names, index);
                self.out.push(']');
                if let Some(p) = body.get(parent).and_then(Instr::as_deref) {
                    let same = if pointer { p.ty == d.ty } else { self.is_element(p, d) };
                    follows = same && p.modes == d.modes;
                }
            }
            DerefKind::ArrayWildcard { parent } => {
                self.out.push_str("deref_array_wildcard ");
                self.value(names, parent);
                self.out.push_str("[*]");
                if let Some(p) = body.get(parent).and_then(Instr::as_deref) {
                    follows = self.is_element(p, d) && p.modes == d.modes;
                }
            }
            DerefKind::Struct { parent, field } => {
                self.out.push_str("deref_struct ");
                self.value(names, parent);
                self.out.push('.');
                let parent = body.get(parent).and_then(Instr::as_deref);
                let member = parent.and_then(|p| self.member(p, field));
                match member {
                    Some((_, Some(name))) => self.out.push_str(name),
                    _ => push_uint(&mut self.out, field.into()),
                }
                if let (Some(p), Some((ty, _))) = (parent, member) {
                    follows = ty == d.ty && p.modes == d.modes;
                }
            }
            DerefKind::Cast { parent, .. } => {
                self.out.push_str("deref_cast ");
                self.value(names, parent);
            }
        }
        if !follows {
            self.out.push_str(" : ");
            self.ty(d.ty, 0);
            self.out.push(' ');
            push_set(&mut self.out, d.modes);
        }
        if let DerefKind::Cast { stride, .. } = d.kind
            && stride != 0
        {
            let _ = write!(self.out, " stride={stride}");
        }
    }

    /// Whether an array deref of `parent` has the type of `d`.
    fn is_element(&self, parent: &Deref, d: &Deref) -> bool {
        let types = &self.shader.types;
        if parent.ty.index() >= types.len() || d.ty.index() >= types.len() {
            return false;
        }
        let vector = |scalar, comps| types[d.ty] == Type::Vector { scalar, comps };
        match types[parent.ty] {
            Type::Array { elem, .. } => elem == d.ty,
            Type::Matrix { scalar, rows, .. } => vector(scalar, rows),
            Type::Vector { scalar, comps } => comps > 1 && vector(scalar, 1),
            _ => false,
        }
    }

    /// Type of a member, and its name if text can use it.
    fn member(&self, parent: &Deref, field: u32) -> Option<(TypeId, Option<&'a str>)> {
        let shader: &'a Shader = self.shader;
        let types = &shader.types;
        let nameable = self.members.get(parent.ty.index())?;
        let Type::Struct(s) = &types[parent.ty] else { return None };
        let m = s.members.get(field as usize)?;
        Some((m.ty, nameable[field as usize].then_some(&*m.name)))
    }

    fn intrinsic(&mut self, names: &Numbering, intrinsic: &Intrinsic) {
        let info = intrinsic.op.info();
        self.out.push_str(info.name);
        for (i, &src) in intrinsic.srcs().iter().enumerate() {
            self.out.push_str(if i > 0 { ", " } else { " " });
            self.value(names, src);
        }
        for &index in info.indices {
            let bits = intrinsic.indices().get(intrinsic.op, index).unwrap_or(0);
            if bits != 0 || index == Index::WriteMask {
                self.out.push(' ');
                self.out.push_str(index.name());
                self.out.push('=');
                self.index_value(index.kind(), bits);
            }
        }
    }

    fn index_value(&mut self, kind: IndexKind, bits: u32) {
        match kind {
            IndexKind::Number => push_uint(&mut self.out, bits.into()),
            IndexKind::Bool => self.out.push_str(if bits != 0 { "true" } else { "false" }),
            IndexKind::ComponentMask if bits == 0 => self.out.push('0'),
            IndexKind::ComponentMask => {
                self.out.extend((0..4).filter(|i| bits >> i & 1 != 0).map(|i| COMPONENT_NAMES[i]));
            }
            IndexKind::Align => {
                let align = Align::unpack(bits);
                push_uint(&mut self.out, align.mul.into());
                if align.offset != 0 {
                    self.out.push('+');
                    push_uint(&mut self.out, align.offset.into());
                }
            }
            IndexKind::Io => self.io(IoSemantics::unpack(bits)),
            IndexKind::Enum(name) => match name(bits) {
                Some(name) => self.out.push_str(name),
                None => push_uint(&mut self.out, bits.into()),
            },
            IndexKind::Flags(names) => push_flags(&mut self.out, names, bits),
        }
    }

    fn io(&mut self, io: IoSemantics) {
        if io == IoSemantics::new(io.location) {
            let _ = write!(self.out, "{}", io.location);
            return;
        }
        let _ = write!(self.out, "({}", io.location);
        let numbers = [
            ("slots", u32::from(io.num_slots), 1),
            ("dual_source", u32::from(io.dual_source), 0),
            ("stream", u32::from(io.stream), 0),
        ];
        for (name, n, _) in numbers.into_iter().filter(|&(_, n, default)| n != default) {
            let _ = write!(self.out, " {name}={n}");
        }
        let words = [
            (io.medium_precision, " medium_precision"),
            (io.invariant, " invariant"),
            (io.per_primitive, " per_primitive"),
        ];
        words.into_iter().filter(|&(set, _)| set).for_each(|(_, word)| self.out.push_str(word));
        self.out.push(')');
    }

    fn tex(&mut self, names: &Numbering, tex: &Tex) {
        // Taken apart, so that a field that is added cannot be forgotten here.
        let Tex {
            op,
            dim,
            arrayed,
            shadow,
            dest_type,
            component,
            offsets,
            non_uniform,
            relaxed,
            residency,
            srcs,
        } = tex;
        let _ = write!(self.out, "{} {dim} {dest_type}", op.name());
        let words = [
            (*arrayed, " array"),
            (*shadow, " shadow"),
            (*non_uniform, " non_uniform"),
            (*relaxed, " relaxed"),
            (*residency, " residency"),
        ];
        words.into_iter().filter(|&(set, _)| set).for_each(|(_, word)| self.out.push_str(word));
        for &(role, value) in srcs {
            self.out.push(' ');
            self.out.push_str(role.name());
            self.out.push('=');
            self.value(names, value);
        }
        if *component != 0 {
            let _ = write!(self.out, " component={component}");
        }
        if let Some(offsets) = offsets {
            self.out.push_str(" offsets=");
            offsets.iter().for_each(|[x, y]| _ = write!(self.out, "({x}, {y})"));
        }
    }
}
