//! Accesses to inputs and outputs by slot.

use super::{Chain, Lowering, from_memory, memory_ty, to_memory};
use airfoil_ir::{
    Body, Builder, Cursor, DerefKind, Diagnostic, Index, InstrId, Interpolation, Intrinsic, IntrinsicOp,
    IoSemantics, Modes, Precision, Sampling, Scalar, Stage, Ty, Type, TypeId, Variable,
};
use smallvec::SmallVec;

/// A part of an input or output.
struct Target {
    /// Index of the vertex or primitive.
    vertex: Option<InstrId>,
    /// Constant part of the slot, relative to the variable's location.
    slot: u32,
    /// Dynamic part of the slot.
    dynamic: Option<InstrId>,
    /// First component, in units of the value's width.
    component: u32,
    /// Dynamic component index, and the number of components.
    pick: Option<(InstrId, u32)>,
    /// Component type.
    scalar: Scalar,
    /// Components of the vector.
    comps: u32,
    /// Slots of the whole variable.
    slots: u32,
}

/// Components that a slot holds.
fn capacity(scalar: Scalar) -> u32 {
    if scalar.bits() == 64 { 2 } else { 4 }
}

impl Lowering<'_> {
    /// Lowers an access to an input or output; returns the value that replaces its result.
    pub(super) fn stage_access(
        &mut self,
        body: &mut Body,
        id: InstrId,
        i: Intrinsic,
        v: &Variable,
        chain: &Chain,
    ) -> Result<Option<InstrId>, Diagnostic> {
        let t = self.io_target(body, id, v, chain)?;
        let ty = body[id].ty;
        match i.op {
            IntrinsicOp::load_deref => {
                let bary = self.barycentric(body, v, &t);
                Ok(Some(self.io_load(body, id, v, &t, bary, ty)?))
            }
            IntrinsicOp::store_deref if v.mode == Modes::OUT => {
                self.io_store(body, id, v, &t, i.src(1), i.write_mask())?;
                Ok(None)
            }
            IntrinsicOp::interp_deref_at_centroid
            | IntrinsicOp::interp_deref_at_sample
            | IntrinsicOp::interp_deref_at_offset => {
                let bary = self.barycentric(body, v, &t).map(|_| {
                    let op = match i.op {
                        IntrinsicOp::interp_deref_at_centroid => IntrinsicOp::load_barycentric_centroid,
                        IntrinsicOp::interp_deref_at_sample => IntrinsicOp::load_barycentric_at_sample,
                        _ => IntrinsicOp::load_barycentric_at_offset,
                    };
                    let bary = Intrinsic::new(op, &i.srcs()[1..]).with(Index::Interp, v.interpolation);
                    Builder::before(body, id).insert_intrinsic(bary, Ty::new(2, 32))
                });
                Ok(Some(self.io_load(body, id, v, &t, bary, ty)?))
            }
            _ => Err(self.error("E0314", format!("`{}` is not supported on `{}`", i.op.name(), v.name))),
        }
    }

    fn io_target(
        &mut self,
        body: &mut Body,
        id: InstrId,
        v: &Variable,
        chain: &Chain,
    ) -> Result<Target, Diagnostic> {
        let mut steps = chain[1..].iter().copied();
        let mut b = Builder::before(body, id);
        let mut ty = v.ty;
        let mut vertex = None;
        if v.is_per_vertex(self.stage) {
            let index = steps.next().and_then(|s| match b.body[s].as_deref()?.kind {
                DerefKind::Array { index, .. } => Some(index),
                _ => None,
            });
            let (Some(index), Type::Array { elem, .. }) = (index, &self.types[ty]) else {
                return Err(self.error("E0317", format!("the access to `{}` lacks a vertex index", v.name)));
            };
            (vertex, ty) = (Some(index), *elem);
        }
        let mut t = Target {
            vertex,
            slot: 0,
            dynamic: None,
            component: 0,
            pick: None,
            scalar: Scalar::Any,
            comps: 0,
            slots: self.num_slots(v, ty),
        };
        for step in steps {
            let Some(d) = b.body[step].as_deref().copied() else { continue };
            match (d.kind, &self.types[ty]) {
                (DerefKind::Struct { field, .. }, Type::Struct(s)) => {
                    let before = s.members.iter().take(field as usize);
                    t.slot += before.map(|m| self.types.num_slots(m.ty)).sum::<u32>();
                }
                // Elements are components: clip distances, tessellation levels.
                (DerefKind::Array { index, .. }, &Type::Array { len, .. }) if v.compact => {
                    match b.scalar_const(index) {
                        Some(c) => t.component += (c as u32).min(len.saturating_sub(1)),
                        None => t.pick = Some((index, len)),
                    }
                }
                (DerefKind::Array { index, .. }, &Type::Vector { comps, .. }) => {
                    match b.scalar_const(index) {
                        Some(c) => t.component += (c as u32).min(u32::from(comps) - 1),
                        None => t.pick = Some((index, u32::from(comps))),
                    }
                }
                (DerefKind::Array { index, .. }, Type::Array { .. } | Type::Matrix { .. }) => {
                    let each = self.types.num_slots(d.ty);
                    let len = self.types.num_elements(ty).unwrap_or(1);
                    if let Some(c) = b.scalar_const(index) {
                        // Out of range is undefined; the last element stays within the variable's slots.
                        t.slot += (c as u32).min(len.saturating_sub(1)) * each;
                    } else {
                        let part = if each == 1 {
                            index
                        } else {
                            let each = b.imm_u32(each);
                            b.imul(index, each)
                        };
                        t.dynamic = Some(t.dynamic.map_or(part, |d| b.iadd(d, part)));
                    }
                }
                _ => {
                    return Err(
                        self.error("E0317", format!("the access to `{}` does not match its type", v.name))
                    );
                }
            }
            ty = d.ty;
        }
        let Type::Vector { scalar, comps } = self.types[ty] else {
            return Err(self.error("E0317", format!("`{}` cannot be accessed as a whole", v.name)));
        };
        (t.scalar, t.comps) = (scalar, u32::from(comps));
        t.component += u32::from(v.component) / if scalar.bits() == 64 { 2 } else { 1 };
        Ok(t)
    }

    fn num_slots(&self, v: &Variable, ty: TypeId) -> u32 {
        match self.types[ty] {
            Type::Array { len, .. } if v.compact => len.div_ceil(4).max(1),
            _ => self.types.num_slots(ty).max(1),
        }
    }

    /// Barycentric coordinates for an interpolated fragment input.
    fn barycentric(&mut self, body: &mut Body, v: &Variable, t: &Target) -> Option<InstrId> {
        let interpolated = self.stage == Stage::Fragment
            && v.mode == Modes::IN
            && t.scalar.is_float()
            && t.scalar.bits() <= 32
            && !v.per_primitive
            && matches!(v.interpolation, Interpolation::Smooth | Interpolation::NoPerspective);
        if !interpolated {
            return None;
        }
        let entry = body.entry();
        let key = (v.sampling, v.interpolation);
        Some(*self.once.barycentrics.entry(key).or_insert_with(|| {
            let op = match v.sampling {
                Sampling::Center => IntrinsicOp::load_barycentric_pixel,
                Sampling::Centroid => IntrinsicOp::load_barycentric_centroid,
                Sampling::Sample => IntrinsicOp::load_barycentric_sample,
            };
            let bary = Intrinsic::new(op, &[]).with(Index::Interp, v.interpolation);
            Builder::at(body, Cursor::BlockStart(entry)).insert_intrinsic(bary, Ty::new(2, 32))
        }))
    }

    /// Semantics and slot offset of an access `extra` slots after the target's.
    fn io_place(
        &mut self,
        body: &mut Body,
        at: Cursor,
        v: &Variable,
        t: &Target,
        extra: u32,
    ) -> Result<(IoSemantics, InstrId), Diagnostic> {
        let Some(base) = v.location else {
            let what = if v.mode == Modes::IN { "input" } else { "output" };
            return Err(self.error("E0318", format!("{what} `{}` has no location", v.name)));
        };
        let (constant, slots) = if t.dynamic.is_some() { (0, t.slots) } else { (t.slot + extra, 1) };
        let location = base.offset(constant).filter(|_| slots < 64);
        let Some(location) = location else {
            return Err(self.error("E0318", format!("`{}` takes too many locations", v.name)));
        };
        let mut io = IoSemantics::new(location);
        io.num_slots = slots as u8;
        io.dual_source = v.index & 1;
        io.stream = v.stream & 3;
        io.medium_precision = matches!(v.precision, Precision::Low | Precision::Medium);
        io.invariant = v.invariant;
        io.per_primitive = v.per_primitive;
        let offset = match t.dynamic {
            None => self.zero(body),
            Some(d) if t.slot + extra == 0 => d,
            Some(d) => {
                let mut b = Builder::at(body, at);
                let c = b.imm_u32(t.slot + extra);
                b.iadd(d, c)
            }
        };
        Ok((io, offset))
    }

    /// Loads a target, extracting a dynamic component if there is one.
    fn io_load(
        &mut self,
        body: &mut Body,
        id: InstrId,
        v: &Variable,
        t: &Target,
        bary: Option<InstrId>,
        ty: Ty,
    ) -> Result<InstrId, Diagnostic> {
        let Some((index, len)) = t.pick else {
            return self.io_load_vector(body, id, v, t, bary, t.component, ty);
        };
        let mut scalars: Vec<InstrId> = Vec::new();
        let mut c = 0;
        while c < len {
            let n = (len - c).min(4);
            let part = self.io_load_vector(body, id, v, t, bary, t.component + c, ty.with_comps(n as u8))?;
            let mut b = Builder::before(body, id);
            scalars.extend((0..n as usize).map(|k| b.channel(part, k)));
            c += n;
        }
        let mut b = Builder::before(body, id);
        let Some(mut value) = scalars.pop() else { return Ok(b.undef(ty)) };
        for (k, &scalar) in scalars.iter().enumerate().rev() {
            let k = b.imm_u32(k as u32);
            let here = b.ieq(index, k);
            value = b.bcsel(here, scalar, value);
        }
        Ok(value)
    }

    /// Loads `ty.comps` components from `component` on, which may span two slots.
    #[allow(clippy::too_many_arguments)]
    fn io_load_vector(
        &mut self,
        body: &mut Body,
        id: InstrId,
        v: &Variable,
        t: &Target,
        bary: Option<InstrId>,
        component: u32,
        ty: Ty,
    ) -> Result<InstrId, Diagnostic> {
        let op = match (v.mode, t.vertex, bary) {
            (_, _, Some(_)) => IntrinsicOp::load_interpolated_input,
            (Modes::IN, None, _) => IntrinsicOp::load_input,
            (Modes::IN, Some(_), _) => IntrinsicOp::load_per_vertex_input,
            (_, None, _) => IntrinsicOp::load_output,
            (_, Some(_), _) => IntrinsicOp::load_per_vertex_output,
        };
        let cap = capacity(t.scalar);
        let shape = memory_ty(ty);
        let dest = if t.scalar == Scalar::Bool { Scalar::Uint32 } else { t.scalar };
        let mut parts: SmallVec<[(InstrId, u8); 2]> = SmallVec::new();
        let mut c = 0;
        while c < u32::from(ty.comps) {
            let at = component + c;
            let n = (u32::from(ty.comps) - c).min(cap - at % cap);
            let (io, offset) = self.io_place(body, Cursor::Before(id), v, t, at / cap)?;
            let mut srcs: SmallVec<[InstrId; 3]> = SmallVec::new();
            srcs.extend(bary.or(t.vertex));
            srcs.push(offset);
            let load = Intrinsic::new(op, &srcs)
                .with(Index::Io, io)
                .with(Index::Component, at % cap)
                .with(Index::DestType, dest);
            let mut b = Builder::before(body, id);
            parts.push((b.insert_intrinsic(load, shape.with_comps(n as u8)), n as u8));
            c += n;
        }
        let mut b = Builder::before(body, id);
        let value = if parts.len() == 1 {
            parts[0].0
        } else {
            let mut scalars: SmallVec<[InstrId; 4]> = SmallVec::new();
            for &(part, n) in &parts {
                scalars.extend((0..n as usize).map(|k| b.channel(part, k)));
            }
            b.vec(&scalars)
        };
        Ok(from_memory(&mut b, value, ty))
    }

    /// Stores to a target; a dynamic component becomes one conditional store per component.
    fn io_store(
        &mut self,
        body: &mut Body,
        id: InstrId,
        v: &Variable,
        t: &Target,
        value: InstrId,
        mask: u32,
    ) -> Result<(), Diagnostic> {
        if mask == 0 {
            return Ok(());
        }
        let value = to_memory(&mut Builder::before(body, id), value);
        let Some((index, len)) = t.pick else {
            return self.io_store_vector(body, id, v, t, t.component, value, mask);
        };
        for c in 0..len {
            let mut b = Builder::before(body, id);
            let k = b.imm_u32(c);
            let here = b.ieq(index, k);
            b.push_if(here);
            // The store needs an instruction to be inserted before.
            let mark = b.undef(Ty::B32);
            self.io_store_vector(body, mark, v, t, t.component + c, value, mask)?;
            body.remove(mark);
        }
        Ok(())
    }

    #[allow(clippy::too_many_arguments)]
    fn io_store_vector(
        &mut self,
        body: &mut Body,
        id: InstrId,
        v: &Variable,
        t: &Target,
        component: u32,
        value: InstrId,
        mask: u32,
    ) -> Result<(), Diagnostic> {
        let cap = capacity(t.scalar);
        let src = if t.scalar == Scalar::Bool { Scalar::Uint32 } else { t.scalar };
        let comps = u32::from(body[value].ty.comps);
        let mut c = 0;
        while c < comps {
            let at = component + c;
            let n = (comps - c).min(cap - at % cap);
            let part_mask = (mask >> c) & ((1 << n) - 1);
            if part_mask != 0 {
                let (io, offset) = self.io_place(body, Cursor::Before(id), v, t, at / cap)?;
                let mut b = Builder::before(body, id);
                let lanes: SmallVec<[u8; 4]> = (c as u8..(c + n) as u8).collect();
                let part = b.swizzle(value, &lanes);
                let (op, srcs): (_, SmallVec<[InstrId; 3]>) = match t.vertex {
                    Some(vertex) => {
                        (IntrinsicOp::store_per_vertex_output, SmallVec::from_slice(&[part, vertex, offset]))
                    }
                    None => (IntrinsicOp::store_output, SmallVec::from_slice(&[part, offset])),
                };
                let store = Intrinsic::new(op, &srcs)
                    .with(Index::Io, io)
                    .with(Index::Component, at % cap)
                    .with(Index::WriteMask, part_mask)
                    .with(Index::SrcType, src);
                b.insert_intrinsic(store, Ty::NONE);
            }
            c += n;
        }
        Ok(())
    }
}
