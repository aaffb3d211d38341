//! Composites: building, taking apart, shuffling, choosing.

use crate::error::*;
use crate::state::{FunctionTranslator, Kind, TyIx, Val};
use airfoil_ir::*;
use smallvec::SmallVec;

/// Entries of the pool of parts: 256 MiB.
const MAX_POOL: usize = 1 << 24;
/// Composites of more parts are changed in memory.
const MAX_PARTS: u32 = 64;

impl FunctionTranslator<'_, '_> {
    /// A composite of parts.
    pub fn tree(&mut self, parts: &[Val]) -> Res<Val> {
        let first = self.r.pool.len();
        if first + parts.len() > MAX_POOL {
            return fail(LIMIT, "the module handles too many composite values");
        }
        self.r.pool.extend_from_slice(parts);
        Ok(Val::Tree(first as u32))
    }

    /// Part `i` of a composite of type `ty`.
    pub fn extract(&mut self, value: Val, ty: TyIx, i: u32) -> Res<Val> {
        // Checks the range.
        self.r.part(ty, i)?;
        Ok(match value {
            Val::Ssa(v) => Val::Lane(v, i as u8),
            Val::Tree(first) => self.r.pool[(first + i) as usize],
            Val::Memory(deref) => self.extract_from_memory(deref, ty, i)?,
            Val::Undef => Val::Undef,
            Val::Lane(..) | Val::Opaque { .. } => return fail(TYPE, "the value has no parts"),
        })
    }

    pub fn op_extract(&mut self) -> Res<()> {
        let (mut ty, mut value) = self.value(self.inst.word(3)?)?;
        for &i in self.inst.rest(4) {
            value = self.extract(value, ty, i)?;
            ty = self.r.part(ty, i)?;
        }
        let want = self.result_type()?;
        self.check_same(ty, want)?;
        self.set_moved(value, want)
    }

    pub fn op_insert(&mut self) -> Res<()> {
        let (object_ty, object) = self.value(self.inst.word(3)?)?;
        let (ty, value) = self.value(self.inst.word(4)?)?;
        let want = self.result_type()?;
        self.check_same(ty, want)?;
        let path = self.inst.rest(5);
        if path.len() > 255 {
            return fail(LIMIT, "the path into a composite is too long");
        }
        let value = self.insert(value, ty, object, object_ty, path)?;
        self.set(value, want)
    }

    fn insert(&mut self, value: Val, ty: TyIx, object: Val, object_ty: TyIx, path: &[u32]) -> Res<Val> {
        let [i, rest @ ..] = path else {
            self.check_same(ty, object_ty)?;
            return Ok(object);
        };
        let part = self.r.part(ty, *i)?;
        let n = self.r.parts(ty).map_or(0, |p| p.0);
        if let Some(shape) = self.r.shape_if_vector(ty) {
            self.check_same(part, object_ty)?;
            let value = self.ssa_from(value, ty)?;
            let x = self.ssa_from(object, object_ty)?;
            debug_assert_eq!(self.b.ty(value), shape);
            return Ok(Val::Ssa(self.b.vector_insert(value, x, *i as usize)));
        }
        if n > MAX_PARTS || self.r.is_deep(ty) || matches!(value, Val::Memory(_)) {
            return self.insert_in_memory(value, ty, object, object_ty, path);
        }
        let mut parts = SmallVec::<[Val; 8]>::new();
        for k in 0..n {
            parts.push(self.extract(value, ty, k)?);
        }
        let old = parts[*i as usize];
        parts[*i as usize] = self.insert(old, part, object, object_ty, rest)?;
        self.tree(&parts)
    }

    fn insert_in_memory(
        &mut self,
        value: Val,
        ty: TyIx,
        object: Val,
        object_ty: TyIx,
        path: &[u32],
    ) -> Res<Val> {
        let temp = self.temp(ty, "")?;
        self.store(&temp, value)?;
        let whole = self.deref_of(&temp)?;
        let mut place = temp;
        for &i in path {
            place = self.part_ptr(place, i)?;
        }
        self.check_same(place.ty, object_ty)?;
        self.store(&place, object)?;
        Ok(Val::Memory(whole))
    }

    pub fn op_construct(&mut self) -> Res<()> {
        let ty = self.result_type()?;
        let ids = self.inst.rest(3);
        if let Some(shape) = self.r.shape_if_vector(ty) {
            let mut srcs: SmallVec<[Src; 4]> = SmallVec::new();
            for &id in ids {
                let (src, have) = self.src(id)?;
                if have.bits != shape.bits || srcs.len() + have.comps as usize > shape.comps as usize {
                    bail!(TYPE, "the parts do not fit into {}", self.r.show_type(ty));
                }
                srcs.extend((0..have.comps as usize).map(|c| Src::comp(src.value, src.swizzle.get(c))));
            }
            if srcs.len() != shape.comps as usize {
                bail!(TYPE, "{} has {} components, not {}", self.r.show_type(ty), shape.comps, srcs.len());
            }
            let v = self.b.vec_srcs(&srcs);
            return self.set(Val::Ssa(v), ty);
        }
        match self.r.parts(ty) {
            Some((n, _)) if n as usize == ids.len() => {}
            _ => bail!(TYPE, "the number of parts is not that of {}", self.r.show_type(ty)),
        }
        let mut parts = SmallVec::<[Val; 8]>::new();
        for (i, &id) in ids.iter().enumerate() {
            let (have, value) = self.value(id)?;
            self.check_same(have, self.r.part(ty, i as u32)?)?;
            parts.push(value);
        }
        let mut value = self.tree(&parts)?;
        if self.r.is_deep(ty) {
            value = Val::Memory(self.in_memory(value, ty)?);
        }
        self.set(value, ty)
    }

    pub fn op_shuffle(&mut self) -> Res<()> {
        let (a, b) = (self.ssa(self.inst.word(3)?)?, self.ssa(self.inst.word(4)?)?);
        let lanes = self.inst.rest(5);
        let (n, m) = (u32::from(self.b.ty(a).comps), u32::from(self.b.ty(b).comps));
        if !(1..=4).contains(&lanes.len()) || self.b.ty(a).bits != self.b.ty(b).bits {
            return fail(TYPE, "the vectors do not fit together");
        }
        let mut srcs: SmallVec<[Src; 4]> = SmallVec::new();
        for &lane in lanes {
            srcs.push(match lane {
                // Any value will do.
                u32::MAX => Src::comp(a, srcs.len().min(n as usize - 1)),
                l if l < n => Src::comp(a, l as usize),
                l if l - n < m => Src::comp(b, (l - n) as usize),
                l => bail!(TYPE, "component {l} does not exist"),
            });
        }
        let v = self.b.vec_srcs(&srcs);
        self.set_ssa(v)
    }

    pub fn op_extract_dynamic(&mut self) -> Res<()> {
        let v = self.ssa(self.inst.word(3)?)?;
        let index = self.int(self.inst.word(4)?)?;
        let x = self.b.vector_extract_dynamic(v, index);
        self.set_ssa(x)
    }

    pub fn op_insert_dynamic(&mut self) -> Res<()> {
        let v = self.ssa(self.inst.word(3)?)?;
        let x = self.ssa_of(self.inst.word(4)?, self.b.ty(v).with_comps(1))?;
        let index = self.int(self.inst.word(5)?)?;
        let v = self.b.vector_insert_dynamic(v, x, index);
        self.set_ssa(v)
    }

    pub fn op_select(&mut self) -> Res<()> {
        let ty = self.result_type()?;
        let (cond, a, b) = (self.inst.word(3)?, self.inst.word(4)?, self.inst.word(5)?);
        let cond = self.ssa(cond)?;
        if self.b.ty(cond).bits != 1 {
            return fail(TYPE, "the condition is not a boolean");
        }
        // Behind an address that is not chosen there may be nothing to read.
        let places = self.is_place(a) && self.is_place(b) && !self.r.is_physical(ty);
        if matches!(self.r.kind(ty), Kind::Pointer { .. }) && (places || !self.is_pointer_value(ty)) {
            let (a, b) = (self.pointer(a)?, self.pointer(b)?);
            self.check_same(a.ty, b.ty)?;
            if self.b.ty(cond).comps != 1 || self.r.is_opaque(a.ty) {
                return fail(UNSUPPORTED, "OpSelect of these pointers is not supported");
            }
            let ptr = self.either(cond, a, b)?;
            return self.set_ptr(ptr);
        }
        let ((have, x), (other, y)) = (self.value(a)?, self.value(b)?);
        self.check_same(have, ty)?;
        self.check_same(other, ty)?;
        let comps = self.b.ty(cond).comps;
        if comps != 1 && self.r.types[ty as usize].shape.comps != comps {
            return fail(TYPE, "the condition has another number of components");
        }
        let value = self.select(cond, x, y, ty)?;
        self.set(value, ty)
    }

    /// `x` where the condition is true, else `y`.
    pub fn select(&mut self, cond: InstrId, x: Val, y: Val, ty: TyIx) -> Res<Val> {
        if x == y {
            return Ok(x);
        }
        if !self.r.types[ty as usize].shape.is_none() {
            let (x, y) = (self.ssa_from(x, ty)?, self.ssa_from(y, ty)?);
            return Ok(Val::Ssa(self.b.bcsel(cond, x, y)));
        }
        if self.r.is_opaque(ty) {
            return fail(UNSUPPORTED, "choosing between images or samplers is not supported");
        }
        let n = self.r.parts(ty).map_or(0, |p| p.0);
        if n > MAX_PARTS || matches!(x, Val::Memory(_)) || matches!(y, Val::Memory(_)) {
            let temp = self.temp(ty, "")?;
            let cf = self.b.push_if(cond);
            self.store(&temp, x)?;
            self.b.push_else(cf);
            self.store(&temp, y)?;
            self.b.pop(cf);
            return Ok(Val::Memory(self.deref_of(&temp)?));
        }
        let mut parts = SmallVec::<[Val; 8]>::new();
        for i in 0..n {
            let (a, b) = (self.extract(x, ty, i)?, self.extract(y, ty, i)?);
            let part = self.r.part(ty, i)?;
            parts.push(self.select(cond, a, b, part)?);
        }
        self.tree(&parts)
    }
}
