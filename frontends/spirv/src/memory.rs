//! Pointers, access chains, loads, stores and copies.

use crate::error::*;
use crate::state::{Def, FunctionTranslator, Global, GlobalState, Kind, Ptr, PtrPlace, TyIx, Val, flag};
use crate::types::access_of;
use airfoil_ir::*;
use smallvec::SmallVec;
use spirv::{MemoryAccess, StorageClass};

/// Longest path of an access chain: structures nest 255 deep at most.
const MAX_PATH: usize = 255;

/// A use of a pointer is repeated for each pointer that it is chosen from.
const MAX_CHOICES: u32 = 128;

impl FunctionTranslator<'_, '_> {
    // ---- pointers ----

    /// A pointer by its id.
    pub fn pointer(&mut self, id: u32) -> Res<Ptr> {
        let mut ptr = match self.r.def(id) {
            Def::Pointer(p) => self.r.pointers[p as usize],
            Def::Global(g) => self.global(g)?,
            Def::Value(ty, value) if self.is_pointer_value(ty) => self.decode(ty, value)?,
            Def::Const(c) if self.r.is_physical(self.r.consts[c as usize].ty) => {
                let (ty, value) = self.value(id)?;
                self.decode(ty, value)?
            }
            _ => bail!(ID, "{} is not a pointer here", self.r.show(id)),
        };
        if self.r.id(id).flags & flag::NON_UNIFORM != 0 {
            ptr.access |= Access::NON_UNIFORM;
        }
        Ok(ptr)
    }

    pub fn global(&mut self, g: u32) -> Res<Ptr> {
        self.r.make_global(g)?;
        let Global { ty, class, ref state, .. } = self.r.globals[g as usize];
        let (place, access) = match *state {
            GlobalState::Var(var) => {
                let deref = self.global_deref(var);
                (PtrPlace::Deref(deref), self.r.shader.vars[var].access)
            }
            GlobalState::Single(var) => (PtrPlace::Single(self.global_deref(var)), Access::empty()),
            GlobalState::Block(_) => (PtrPlace::Block { global: g, index: None }, Access::empty()),
            GlobalState::Todo => return fail(ID, "the variable does not exist"),
        };
        Ok(Ptr { place, ty, class, access })
    }

    /// Deref of a variable at the start of the function, created once.
    pub fn global_deref(&mut self, var: VarId) -> InstrId {
        if let Some(&deref) = self.var_derefs.get(var) {
            return deref;
        }
        let v = &self.r.shader.vars[var];
        let deref = Deref { kind: DerefKind::Var(var), ty: v.ty, modes: v.mode };
        let deref = self.insert_at_start(Instr::new(InstrKind::Deref(deref), Ty::DEREF));
        self.var_derefs.insert(var, deref);
        deref
    }

    /// A pointer to a variable.
    pub fn var_ptr(&mut self, var: VarId, ty: TyIx) -> Ptr {
        let deref = self.global_deref(var);
        Ptr { place: PtrPlace::Deref(deref), ty, class: StorageClass::Function, access: Access::empty() }
    }

    /// A new local variable.
    pub fn temp(&mut self, ty: TyIx, name: &str) -> Res<Ptr> {
        let ir = self.r.ir_type(ty)?;
        let var = self.r.shader.add_local(self.func, name, ir);
        Ok(self.var_ptr(var, ty))
    }

    /// The deref of a pointer that has one.
    pub fn deref_of(&self, ptr: &Ptr) -> Res<InstrId> {
        match ptr.place {
            PtrPlace::Deref(d) => Ok(d),
            PtrPlace::Single(_) | PtrPlace::Block { .. } => {
                bail!(
                    UNSUPPORTED,
                    "{} with a pointer to a whole interface block is not supported",
                    self.inst.name()
                )
            }
            PtrPlace::Texel { .. } => {
                bail!(UNSUPPORTED, "{} with a texel pointer is not supported", self.inst.name())
            }
            PtrPlace::Either { .. } => {
                bail!(UNSUPPORTED, "{} with a pointer chosen by OpSelect is not supported", self.inst.name())
            }
        }
    }

    /// A pointer to part `index` (an id) of the object that `ptr` points to.
    fn step(&mut self, ptr: Ptr, id: u32) -> Res<Ptr> {
        match self.r.kind(ptr.ty) {
            Kind::Struct { .. } => {
                let Some(m) = self.r.const_u32(id) else {
                    bail!(TYPE, "the member index {} must be a constant", self.r.show(id));
                };
                self.member(ptr, m)
            }
            _ => {
                let index = self.int32(id)?;
                self.element(ptr, index)
            }
        }
    }

    /// A pointer to a member of a structure.
    pub fn member(&mut self, mut ptr: Ptr, m: u32) -> Res<Ptr> {
        let Some(&member) = self.r.members_of(ptr.ty).get(m as usize) else {
            bail!(TYPE, "{} has no member {m}", self.r.show_type(ptr.ty));
        };
        ptr.access |= member.access;
        ptr.place = match ptr.place {
            PtrPlace::Block { global, index } => {
                let var = self.r.member_var(global, m)?;
                let mut deref = self.global_deref(var);
                if let Some(index) = index {
                    deref = self.deref_element(deref, index)?;
                }
                PtrPlace::Deref(deref)
            }
            PtrPlace::Either { cond, a, b, .. } => return self.both(ptr, cond, a, b, |s, p| s.member(p, m)),
            _ => {
                let deref = self.deref_of(&ptr)?;
                match self.b.try_deref_struct(&self.r.shader.types, deref, m) {
                    Some(d) => PtrPlace::Deref(d),
                    None => return fail(TYPE, "the access chain does not fit the type"),
                }
            }
        };
        ptr.ty = member.ty;
        Ok(ptr)
    }

    /// A pointer to an element of an array, column of a matrix or component of a vector.
    pub fn element(&mut self, mut ptr: Ptr, index: InstrId) -> Res<Ptr> {
        let elem = match self.r.kind(ptr.ty) {
            Kind::Runtime { elem, .. } | Kind::Array { elem, .. } | Kind::Vector { elem, .. } => elem,
            Kind::Matrix { column, .. } => column,
            _ => bail!(TYPE, "{} has no elements", self.r.show_type(ptr.ty)),
        };
        ptr.place = match ptr.place {
            PtrPlace::Block { global, index: None } => PtrPlace::Block { global, index: Some(index) },
            PtrPlace::Single(d) => PtrPlace::Deref(d),
            PtrPlace::Either { cond, a, b, .. } => {
                return self.both(ptr, cond, a, b, |s, p| s.element(p, index));
            }
            _ => {
                let deref = self.deref_of(&ptr)?;
                PtrPlace::Deref(self.deref_element(deref, index)?)
            }
        };
        ptr.ty = elem;
        Ok(ptr)
    }

    /// Takes the same step from both pointers of a choice.
    fn both(
        &mut self,
        ptr: Ptr,
        cond: InstrId,
        a: u32,
        b: u32,
        step: impl Fn(&mut Self, Ptr) -> Res<Ptr>,
    ) -> Res<Ptr> {
        let (a, b) = (self.r.pointers[a as usize], self.r.pointers[b as usize]);
        let (a, b) = (step(self, a)?, step(self, b)?);
        Ok(Ptr { access: ptr.access | a.access | b.access, ..self.either(cond, a, b)? })
    }

    /// A pointer that is one of two.
    pub fn either(&mut self, cond: InstrId, a: Ptr, b: Ptr) -> Res<Ptr> {
        let count = a.count() + b.count();
        if count > MAX_CHOICES {
            bail!(LIMIT, "OpSelect chooses among more than {MAX_CHOICES} pointers");
        }
        let n = self.r.pointers.len() as u32;
        self.r.pointers.extend([a, b]);
        let place = PtrPlace::Either { cond, a: n, b: n + 1, count };
        Ok(Ptr { place, ty: a.ty, class: a.class, access: a.access | b.access })
    }

    /// Deref of an element.
    pub fn deref_element(&mut self, deref: InstrId, index: InstrId) -> Res<InstrId> {
        match self.b.try_deref_array(&mut self.r.shader.types, deref, index) {
            Some(d) => Ok(d),
            None => fail(TYPE, "the access chain does not fit the type"),
        }
    }

    /// Deref of part `i` of a composite.
    fn deref_part(&mut self, deref: InstrId, ty: TyIx, i: u32) -> Res<InstrId> {
        if matches!(self.r.kind(ty), Kind::Struct { .. }) {
            return match self.b.try_deref_struct(&self.r.shader.types, deref, i) {
                Some(d) => Ok(d),
                None => fail(TYPE, "the structure has no such member"),
            };
        }
        let index = self.small(i);
        self.deref_element(deref, index)
    }

    // ---- loads and stores ----

    /// Type of the pointee of a pointer.
    pub fn load(&mut self, ptr: &Ptr) -> Res<Val> {
        match ptr.place {
            PtrPlace::Deref(d) => self.load_from(d, ptr.ty, ptr.access),
            PtrPlace::Single(d) => {
                let elem = self.r.part(ptr.ty, 0)?;
                let v = self.load_from(d, elem, ptr.access)?;
                self.tree(&[v])
            }
            PtrPlace::Block { .. } => {
                let n = self.block_parts(ptr)?;
                let mut parts = SmallVec::<[Val; 8]>::new();
                for i in 0..n {
                    let part = self.part_ptr(*ptr, i)?;
                    parts.push(self.load(&part)?);
                }
                self.tree(&parts)
            }
            PtrPlace::Either { cond, a, b, .. } => {
                let (a, b) = (self.r.pointers[a as usize], self.r.pointers[b as usize]);
                let (x, y) = (self.load(&a)?, self.load(&b)?);
                self.select(cond, x, y, ptr.ty)
            }
            PtrPlace::Texel { .. } => fail(TYPE, "a texel is read by OpAtomicLoad only"),
        }
    }

    fn load_from(&mut self, deref: InstrId, ty: TyIx, access: Access) -> Res<Val> {
        let shape = self.r.types[ty as usize].shape;
        if !shape.is_none() {
            let load = Intrinsic::new(IntrinsicOp::load_deref, &[deref]).with(Index::Access, access);
            return Ok(Val::Ssa(self.b.insert_intrinsic(load, shape)));
        }
        match self.r.kind(ty) {
            Kind::Image(_) | Kind::Sampler => return Ok(Val::Opaque { image: deref, sampler: None }),
            Kind::SampledImage(_) => return Ok(Val::Opaque { image: deref, sampler: Some(deref) }),
            _ => {}
        }
        let Some((n, _)) = self.r.parts(ty) else {
            bail!(UNSUPPORTED, "reading a whole {} is not supported", self.r.show_type(ty));
        };
        if self.r.is_large(ty) {
            let temp = self.temp(ty, "")?;
            let to = self.deref_of(&temp)?;
            let copy = Intrinsic::new(IntrinsicOp::copy_deref, &[to, deref]).with(Index::SrcAccess, access);
            self.b.insert_intrinsic(copy, Ty::NONE);
            return Ok(Val::Memory(to));
        }
        let mut parts = SmallVec::<[Val; 4]>::new();
        for i in 0..n {
            let part = self.r.part(ty, i)?;
            let d = self.deref_part(deref, ty, i)?;
            let extra = self.r.members_of(ty).get(i as usize).map_or(Access::empty(), |m| m.access);
            parts.push(self.load_from(d, part, access | extra)?);
        }
        self.tree(&parts)
    }

    /// Writes a value to where a pointer points.
    pub fn store(&mut self, ptr: &Ptr, value: Val) -> Res<()> {
        match ptr.place {
            PtrPlace::Deref(d) => {
                self.check_writable(d)?;
                self.store_to(d, ptr.ty, value, ptr.access)
            }
            PtrPlace::Block { .. } => {
                for i in 0..self.block_parts(ptr)? {
                    let part = self.part_ptr(*ptr, i)?;
                    let v = self.extract(value, ptr.ty, i)?;
                    self.store(&part, v)?;
                }
                Ok(())
            }
            PtrPlace::Either { cond, a, b, .. } => {
                let (a, b) = (self.r.pointers[a as usize], self.r.pointers[b as usize]);
                let cf = self.b.push_if(cond);
                self.store(&a, value)?;
                self.b.push_else(cf);
                self.store(&b, value)?;
                self.b.pop(cf);
                Ok(())
            }
            PtrPlace::Single(_) | PtrPlace::Texel { .. } => fail(TYPE, "this memory cannot be written"),
        }
    }

    /// Inputs, uniforms and the like are never written.
    pub fn check_writable(&self, deref: InstrId) -> Res<()> {
        let read_only =
            Modes::IN | Modes::UNIFORM | Modes::UBO | Modes::PUSH_CONST | Modes::SYSTEM_VALUE | Modes::IMAGE;
        match self.b.pointee(deref) {
            Some((_, modes)) if modes.intersects(read_only) => fail(TYPE, "this memory cannot be written"),
            _ => Ok(()),
        }
    }

    fn store_to(&mut self, deref: InstrId, ty: TyIx, value: Val, access: Access) -> Res<()> {
        match value {
            Val::Undef => Ok(()),
            Val::Ssa(_) | Val::Lane(..) => {
                let v = self.ssa_from(value, ty)?;
                let mask = u32::from(self.b.ty(v).full_mask());
                let store = Intrinsic::new(IntrinsicOp::store_deref, &[deref, v])
                    .with(Index::WriteMask, mask)
                    .with(Index::Access, access);
                self.b.insert_intrinsic(store, Ty::NONE);
                Ok(())
            }
            Val::Memory(from) => {
                let copy =
                    Intrinsic::new(IntrinsicOp::copy_deref, &[deref, from]).with(Index::Access, access);
                self.b.insert_intrinsic(copy, Ty::NONE);
                Ok(())
            }
            Val::Tree(first) => {
                for i in 0..self.r.parts(ty).map_or(0, |p| p.0) {
                    let part = self.r.part(ty, i)?;
                    let v = self.r.pool[(first + i) as usize];
                    if v != Val::Undef {
                        let d = self.deref_part(deref, ty, i)?;
                        self.store_to(d, part, v, access)?;
                    }
                }
                Ok(())
            }
            Val::Opaque { .. } => fail(TYPE, "images and samplers cannot be written to memory"),
        }
    }

    /// Parts of a split block: elements of the array around it, or members.
    fn block_parts(&self, ptr: &Ptr) -> Res<u32> {
        match self.r.parts(ptr.ty) {
            Some((n, _)) if n <= 1 << 12 => Ok(n),
            _ => fail(LIMIT, "the interface block is too large"),
        }
    }

    /// A pointer to part `i`.
    pub fn part_ptr(&mut self, ptr: Ptr, i: u32) -> Res<Ptr> {
        if matches!(self.r.kind(ptr.ty), Kind::Struct { .. }) {
            return self.member(ptr, i);
        }
        let index = self.small(i);
        self.element(ptr, index)
    }

    /// Deref of memory that holds a value.
    pub fn in_memory(&mut self, value: Val, ty: TyIx) -> Res<InstrId> {
        if let Val::Memory(d) = value {
            return Ok(d);
        }
        let temp = self.temp(ty, "")?;
        self.store(&temp, value)?;
        self.deref_of(&temp)
    }

    /// Part `i` of a value in memory.
    pub fn extract_from_memory(&mut self, deref: InstrId, ty: TyIx, i: u32) -> Res<Val> {
        let part = self.r.part(ty, i)?;
        let d = self.deref_part(deref, ty, i)?;
        if self.r.is_large(part) {
            return Ok(Val::Memory(d));
        }
        self.load_from(d, part, Access::empty())
    }

    // ---- instructions ----

    /// Access qualifiers of optional memory operands that start at word `i`, and the word after the operands.
    fn memory_access(&self, i: usize) -> Res<(Access, usize)> {
        use MemoryAccess as M;
        let Some(&bits) = self.inst.words.get(i) else { return Ok((Access::empty(), i)) };
        let bits = M::from_bits_truncate(bits);
        let mut next = i + 1 + usize::from(bits.contains(M::ALIGNED));
        let mut access = Access::empty();
        access.set(Access::VOLATILE, bits.contains(M::VOLATILE));
        access.set(Access::NON_PRIVATE, bits.contains(M::NON_PRIVATE_POINTER));
        for bit in [M::MAKE_POINTER_AVAILABLE, M::MAKE_POINTER_VISIBLE] {
            if bits.contains(bit) {
                access |= self.coherent_within(next)?;
                next += 1;
            }
        }
        Ok((access, next))
    }

    pub fn op_load(&mut self) -> Res<()> {
        let ty = self.result_type()?;
        if let Def::Local(local) = self.r.def(self.inst.word(3)?) {
            self.check_same(self.locals.ty(local), ty)?;
            let value = self.load_local(local);
            return self.set(value, ty);
        }
        let mut ptr = self.pointer(self.inst.word(3)?)?;
        self.check_same(ptr.ty, ty)?;
        ptr.access |= self.memory_access(4)?.0;
        let value = self.load(&ptr)?;
        self.set(value, ty)
    }

    pub fn op_store(&mut self) -> Res<()> {
        if let Def::Local(local) = self.r.def(self.inst.word(1)?) {
            return self.store_local(local, self.inst.word(2)?);
        }
        let mut ptr = self.pointer(self.inst.word(1)?)?;
        let (ty, value) = self.value(self.inst.word(2)?)?;
        self.check_same(ptr.ty, ty)?;
        ptr.access |= self.memory_access(3)?.0;
        self.store(&ptr, value)
    }

    /// The value of a local.
    pub fn load_local(&mut self, local: u32) -> Val {
        let value = self.locals.load(self.b.body, local);
        // A phi may be new at the start of the current block.
        if self.b.cursor == Cursor::BlockStart(self.b.body.block_of(value)) {
            self.b.cursor = Cursor::After(value);
        }
        Val::Ssa(value)
    }

    /// Writes the value of an id to a local.
    pub fn store_local(&mut self, local: u32, id: u32) -> Res<()> {
        let (ty, value) = self.value(id)?;
        self.check_same(self.locals.ty(local), ty)?;
        if value != Val::Undef {
            let value = self.ssa_from(value, ty)?;
            self.locals.store(local, value);
        }
        Ok(())
    }

    pub fn op_copy_memory(&mut self) -> Res<()> {
        let (mut to, mut from) = (self.pointer(self.inst.word(1)?)?, self.pointer(self.inst.word(2)?)?);
        self.check_same(to.ty, from.ty)?;
        // One set of operands for both sides, or one for each (SPIR-V 1.4).
        let (target, next) = self.memory_access(3)?;
        let source = if next < self.inst.words.len() { self.memory_access(next)?.0 } else { target };
        to.access |= target;
        from.access |= source;
        let value = self.load(&from)?;
        self.store(&to, value)
    }

    pub fn op_access_chain(&mut self, ptr_step: bool) -> Res<()> {
        let mut ptr = self.pointer(self.inst.word(3)?)?;
        let mut path = self.inst.rest(4);
        if path.len() > MAX_PATH {
            return fail(LIMIT, "the access chain is too long");
        }
        if ptr_step {
            let Some((&first, rest)) = path.split_first() else {
                return fail(MALFORMED, "OpPtrAccessChain without element");
            };
            path = rest;
            if ptr.class == StorageClass::PhysicalStorageBuffer {
                ptr = self.move_physical(self.inst.word(3)?, &ptr, first)?;
            } else {
                let by = self.int32(first)?;
                if self.b.scalar_const(by) != Some(0) {
                    ptr = self.move_by(ptr, by)?;
                }
            }
        }
        for &id in path {
            ptr = self.step(ptr, id)?;
        }
        let result = self.result_type()?;
        if let Kind::Pointer { to, .. } = self.r.kind(result) {
            self.check_same(self.r.type_of(to)?, ptr.ty)?;
        }
        // Only pointers whose type has a stride, the size of a step, can be moved by elements.
        if self.r.is_physical(result) && self.r.pointer_stride(result).is_some() {
            let address = self.address(&ptr)?;
            return self.set(Val::Ssa(address), result);
        }
        self.set_ptr(ptr)
    }

    /// A pointer moved by a number of elements.
    fn move_by(&mut self, mut ptr: Ptr, by: InstrId) -> Res<Ptr> {
        if let PtrPlace::Either { cond, a, b, .. } = ptr.place {
            return self.both(ptr, cond, a, b, |s, p| s.move_by(p, by));
        }
        let deref = self.deref_of(&ptr)?;
        let Some(&Deref { kind, ty, modes }) = self.b.body[deref].as_deref() else {
            return fail(TYPE, "OpPtrAccessChain of no pointer");
        };
        let kind = match kind {
            // A variable is the only element of its array.
            DerefKind::Var(_) => return Ok(ptr),
            DerefKind::Array { parent, index } => DerefKind::Array { parent, index: self.b.iadd(index, by) },
            _ => DerefKind::PtrAsArray { parent: deref, index: by },
        };
        ptr.place = PtrPlace::Deref(self.b.deref(kind, ty, modes));
        Ok(ptr)
    }

    pub fn op_array_length(&mut self) -> Res<()> {
        let ptr = self.pointer(self.inst.word(3)?)?;
        if ptr.class == StorageClass::PhysicalStorageBuffer {
            return fail(
                TYPE,
                "OpArrayLength through an address is not supported: the size of the buffer is unknown",
            );
        }
        let ptr = self.member(ptr, self.inst.word(4)?)?;
        if !matches!(self.r.kind(ptr.ty), Kind::Runtime { .. }) {
            return fail(TYPE, "OpArrayLength requires a run-time array");
        }
        let deref = self.deref_of(&ptr)?;
        let v = self.b.intrinsic(IntrinsicOp::deref_buffer_array_length, Ty::B32, &[deref]);
        self.set_ssa(v)
    }

    pub fn op_texel_pointer(&mut self) -> Res<()> {
        let image = self.pointer(self.inst.word(3)?)?;
        let Kind::Image(info) = self.r.kind(image.ty) else {
            return fail(TYPE, "OpImageTexelPointer of something else than an image");
        };
        let coord = self.ssa(self.inst.word(4)?)?;
        self.check_coord(&info, coord)?;
        let sample = self.int32(self.inst.word(5)?)?;
        let deref = self.deref_of(&image)?;
        let Kind::Pointer { to, class } = self.r.kind(self.result_type()?) else {
            return fail(TYPE, "the result of OpImageTexelPointer is not a pointer");
        };
        let ty = self.r.type_of(to)?;
        let place = PtrPlace::Texel { image: deref, coord, sample };
        self.set_ptr(Ptr { place, ty, class, access: image.access })
    }

    pub fn local_variable(&mut self) -> Res<()> {
        let Kind::Pointer { to, class: StorageClass::Function } = self.r.kind(self.result_type()?) else {
            return fail(TYPE, "a variable in a function needs a pointer of storage class Function");
        };
        let (ty, id) = (self.r.type_of(to)?, self.inst.word(2)?);
        if let Def::Local(local) = self.r.def(id) {
            return match self.inst.words.get(4) {
                Some(&init) => self.store_local(local, init),
                None => Ok(()),
            };
        }
        let ir = self.r.ir_type(ty)?;
        let var = self.r.named_local(self.func, id, ir);
        let mut access = Access::empty();
        for d in self.r.decorations(id) {
            access |= access_of(d.kind);
        }
        let precision = self.r.precision(id);
        let v = &mut self.r.shader.vars[var];
        v.access = access;
        v.precision = precision;
        let mut ptr = self.var_ptr(var, ty);
        ptr.access = access;
        self.set_ptr(ptr)?;
        if let Some(&init) = self.inst.words.get(4) {
            let (have, value) = self.value(init)?;
            self.check_same(have, ty)?;
            self.store(&ptr, value)?;
        }
        Ok(())
    }

    pub fn op_copy(&mut self) -> Res<()> {
        let (id, ty) = (self.inst.word(3)?, self.result_type()?);
        if matches!(self.r.kind(ty), Kind::Pointer { .. }) && self.is_place(id) {
            let ptr = self.pointer(id)?;
            return self.set_ptr(ptr);
        }
        let (have, value) = self.value(id)?;
        self.check_same(have, ty)?;
        self.set_moved(value, ty)
    }
}
