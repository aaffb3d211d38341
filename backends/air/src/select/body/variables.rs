//! Variables: their memory, initial values, and the derefs that name parts of them.

use super::FunctionEmitter;
use super::memory::{Address, LOCALS};
use super::state::Pointer;
use crate::functions::{Air, Word};
use crate::lint::THREADGROUP_MEMORY;
use crate::module::{GlobalVar, ICmp, Type as AirType, TypeId, UnnamedAddr, Value};
use crate::select::errors;
use crate::select::plan::usage::{Features, Use};
use crate::select::signature::pieces::{Alias, BlockLayout};
use crate::select::types::{CONSTANT, Class, MAX_DEPTH, MemId, Shape, THREADGROUP};
use airfoil_ir::{Access, Constant, Deref, DerefKind, InstrId, Intrinsic, Modes, Ty, Type, VarId};

/// Bytes from which on memory is copied and cleared as a whole.
const LARGE: u32 = 512;

impl FunctionEmitter<'_> {
    // ---- variables ----

    /// Makes memory for the variables that are used.
    pub(crate) fn make_variables(&mut self) {
        let shader = self.shader;
        for (id, v) in &shader.vars {
            if !LOCALS.contains(v.mode) || !self.usage.vars.contains_key(id) {
                continue;
            }
            if v.mode == Modes::TASK_PAYLOAD {
                if let Some((_, arg)) = self.sig.payload.filter(|p| p.0 == id) {
                    let ptr = self.b.arg(arg);
                    self.state.memory.insert(id, ptr);
                }
                continue;
            }
            if v.mode == Modes::SPEC_CONST {
                if let Some(&storage) = self.constants.storage.get(id) {
                    self.state.memory.insert(id, storage);
                }
                continue;
            }
            let mem = self.layouts.private(self.b.module, &shader.types, v.ty);
            let (air, align) = (self.layouts[mem].air, self.layouts[mem].align.max(1));
            let written = self.usage.uses(id).contains(Use::WRITTEN);
            let ptr = if v.mode == Modes::SHARED {
                if v.initializer.is_some() {
                    self.error(
                        errors::MEMORY,
                        format!("workgroup variable `{}` has an initial value", v.name),
                    );
                }
                self.global(&v.name, "shared", air, THREADGROUP, None, align)
            } else {
                match &v.initializer {
                    Some(init) if !written => {
                        let value = self.initial(v.ty, mem, init);
                        self.global(&v.name, "constant", air, CONSTANT, Some(value), align)
                    }
                    init => {
                        let ptr = self.b.alloca(air, align);
                        if let Some(init) = init {
                            let place = Pointer { ptr, mem, space: 0 };
                            self.store_initial(v.ty, place, init);
                        }
                        ptr
                    }
                }
            };
            self.state.memory.insert(id, ptr);
        }
        if self.usage.has(Features::SHARED) {
            let bytes = shader.info.shared_size;
            if u64::from(bytes) > THREADGROUP_MEMORY {
                let message =
                    format!("{bytes} bytes of workgroup memory: Metal has no more than {THREADGROUP_MEMORY}");
                return self.error(errors::MEMORY, message);
            }
            let words = bytes.div_ceil(4).max(1);
            let mem = self.layouts.words(self.b.module, self.usage.shared_class(), words);
            let air = self.layouts[mem].air;
            let ptr = self.global("", "shared", air, THREADGROUP, None, 16);
            self.state.shared =
                Some((BlockLayout { mem, elements: None, space: THREADGROUP, alias: Alias::Any }, ptr));
        }
    }

    pub(crate) fn global(
        &mut self,
        name: &str,
        kind: &str,
        ty: TypeId,
        space: u32,
        init: Option<Value>,
        align: u32,
    ) -> Value {
        let base = if name.is_empty() || !self.options.names { kind } else { name };
        let mut full = base.to_owned();
        let mut number = 0;
        while self.b.module.symbol(&full).is_some() {
            full = format!("{base}.{number}");
            number += 1;
        }
        let name = self.b.module.str(&full);
        let value = match init {
            Some(value) => value,
            None => self.b.module.undef(ty),
        };
        let mut global = GlobalVar::new(name, ty, space, value);
        global.align = align;
        if space == CONSTANT {
            (global.constant, global.unnamed_addr) = (true, UnnamedAddr::Global);
        }
        self.b.module.add_global(global)
    }

    /// A constant in its memory layout.
    pub(crate) fn initial(&mut self, ty: airfoil_ir::TypeId, mem: MemId, init: &Constant) -> Value {
        let air = self.layouts[mem].air;
        let shape = self.layouts[mem].shape.clone();
        match (init, shape) {
            (Constant::Value(lanes), Shape::Vector { class, bits, comps, .. }) => {
                self.constant(&lanes[..usize::from(comps)], bits, class)
            }
            (Constant::Composite(parts), Shape::Array { len, .. } | Shape::Matrix { len, .. })
                if parts.len() != len as usize =>
            {
                self.error(errors::MEMORY, "an initial value with a wrong number of elements");
                self.b.module.null(air)
            }
            (Constant::Composite(parts), Shape::Array { elem, len, .. }) => {
                let inner = self.inner_type(ty);
                let values: Vec<Value> = parts
                    .iter()
                    .take(len as usize)
                    .map(|part| self.initial(inner.unwrap_or(ty), elem, part))
                    .collect();
                self.b.module.aggregate_or_data(air, &values)
            }
            (Constant::Composite(parts), Shape::Matrix { column, len, .. }) => {
                let values: Vec<Value> =
                    parts.iter().take(len as usize).map(|part| self.initial(ty, column, part)).collect();
                let columns = self.b.module.array(self.layouts[column].air, len);
                let columns = self.b.module.aggregate(columns, &values);
                self.b.module.aggregate(air, &[columns])
            }
            (Constant::Composite(parts), Shape::Struct { fields, by_member }) => {
                let types = &self.shader.types;
                let Type::Struct(s) = &types[ty] else { return self.b.module.null(air) };
                let mut values: Vec<Value> = Vec::new();
                while let Some(field) = self.b.module.types().member(air, values.len() as u32) {
                    values.push(self.b.module.undef(field));
                }
                for (i, part) in parts.iter().enumerate() {
                    let (Some(member), Some(&at)) = (s.members.get(i), by_member.get(i)) else { continue };
                    let (_, field, id) = fields[at as usize];
                    let value = self.initial(member.ty, id, part);
                    values[field as usize] = value;
                }
                self.b.module.aggregate(air, &values)
            }
            _ => self.b.module.null(air),
        }
    }

    pub(crate) fn inner_type(&self, ty: airfoil_ir::TypeId) -> Option<airfoil_ir::TypeId> {
        match self.shader.types[ty] {
            Type::Array { elem, .. } => Some(elem),
            _ => None,
        }
    }

    /// Stores an initial value part by part: stores of whole aggregates are compiled wrongly by some releases.
    pub(crate) fn store_initial(&mut self, ty: airfoil_ir::TypeId, place: Pointer, init: &Constant) {
        if *init == Constant::Zero && self.layouts[place.mem].size > LARGE {
            return self.clear_bytes(place);
        }
        let shape = self.layouts[place.mem].shape.clone();
        match shape {
            Shape::Vector { .. } | Shape::Raw => {
                let value = self.initial(ty, place.mem, init);
                let align = self.layouts[place.mem].align.max(1);
                self.b.store(value, place.ptr, align);
            }
            Shape::Array { len, .. } | Shape::Matrix { len, .. } => {
                let inner = self.inner_type(ty).unwrap_or(ty);
                for i in 0..len {
                    let index = self.b.module.i64(i64::from(i));
                    let Some(part) = self.element(place, index) else { return };
                    let init = part_of(init, i as usize);
                    self.store_initial(inner, part, init);
                }
            }
            Shape::Struct { by_member, .. } => {
                let types = &self.shader.types;
                let Type::Struct(s) = &types[ty] else { return };
                for i in 0..by_member.len() {
                    let Some(part) = self.member(place, i as u32) else { return };
                    let init = part_of(init, i);
                    self.store_initial(s.members[i].ty, part, init);
                }
            }
        }
    }

    // ---- derefs ----

    /// Emits the address of a deref.
    pub(crate) fn deref(&mut self, id: InstrId, d: &Deref) {
        if !LOCALS.contains(d.modes) {
            return;
        }
        let place = match d.kind {
            DerefKind::Var(var) => self.variable(var),
            DerefKind::Array { parent, index } => {
                let index = self.index64(index);
                let parent = self.place(parent);
                parent.and_then(|p| self.element(p, index))
            }
            DerefKind::Struct { parent, field } => {
                let parent = self.place(parent);
                parent.and_then(|p| self.member(p, field))
            }
            // Wildcards exist only below copies of arrays, which are lowered before.
            DerefKind::ArrayWildcard { .. } | DerefKind::Cast { .. } | DerefKind::PtrAsArray { .. } => None,
        };
        match place {
            Some(place) => {
                self.state.addresses.insert(id.index() as u32, place);
            }
            None => self.path_error("the address is not a path into a variable"),
        }
    }

    /// Reports an address that has no memory type, because of `cause` or because the type of a variable nests too deeply.
    fn path_error(&mut self, cause: &'static str) {
        if self.layouts.too_deep {
            let message =
                format!("variables of types that nest deeper than {MAX_DEPTH} levels are not supported");
            return self.error(errors::MEMORY, message);
        }
        self.error(errors::MEMORY, cause);
    }

    pub(crate) fn place(&self, deref: InstrId) -> Option<Pointer> {
        self.state.addresses.get(&(deref.index() as u32)).copied()
    }

    pub(crate) fn variable(&mut self, var: VarId) -> Option<Pointer> {
        let v = self.shader.vars.get(var)?;
        let Some(&ptr) = self.state.memory.get(var) else {
            // Named by a deref but never accessed.
            let mem = self.layouts.private(self.b.module, &self.shader.types, v.ty);
            let ty = self.b.module.pointer(self.layouts[mem].air, 0);
            let ptr = self.b.module.undef(ty);
            return Some(Pointer { ptr, mem, space: 0 });
        };
        let mem = self.layouts.private(self.b.module, &self.shader.types, v.ty);
        let space = match self.b.module.types().get(self.b.type_of(ptr)) {
            AirType::Pointer { space, .. } => space,
            _ => 0,
        };
        Some(Pointer { ptr, mem, space })
    }

    pub(crate) fn index64(&mut self, index: InstrId) -> Value {
        if let Some(lanes) = self.constant_lanes(index) {
            return self.b.module.i64(i64::from(lanes[0] as u32));
        }
        let value = self.scalar(index, Class::Int);
        match self.bits(index) {
            64 => value,
            _ => self.wide(value),
        }
    }

    /// A 32-bit index as a 64-bit one.
    pub(crate) fn wide(&mut self, value: Value) -> Value {
        self.zext(value, TypeId::I64)
    }

    pub(crate) fn element(&mut self, place: Pointer, index: Value) -> Option<Pointer> {
        let zero = self.b.module.i64(0);
        let first = self.b.module.i32(0);
        let (mem, ptr) = match self.layouts[place.mem].shape {
            Shape::Array { elem, .. } => (elem, self.gep(place.ptr, &[zero, index])),
            Shape::Matrix { column, .. } => (column, self.gep(place.ptr, &[zero, first, index])),
            Shape::Vector { class, bits, comps, .. } if comps > 1 => {
                let mem = self.layouts.scalar(class, bits);
                (mem, self.gep(place.ptr, &[zero, index]))
            }
            _ => return None,
        };
        Some(Pointer { ptr, mem, ..place })
    }

    pub(crate) fn member(&mut self, place: Pointer, field: u32) -> Option<Pointer> {
        let (number, mem) = match &self.layouts[place.mem].shape {
            Shape::Struct { fields, by_member } => {
                let at = *by_member.get(field as usize)?;
                let (_, number, mem) = *fields.get(at as usize)?;
                (number, mem)
            }
            _ => return None,
        };
        let (zero, number) = (self.b.module.i64(0), self.b.module.i32(number as i32));
        let ptr = self.gep(place.ptr, &[zero, number]);
        Some(Pointer { ptr, mem, ..place })
    }

    pub(crate) fn located(&mut self, place: Pointer) -> Option<Address> {
        let mem = &self.layouts[place.mem];
        match mem.shape {
            Shape::Vector { class, bits, comps, packed } => {
                let align = mem.align.max(1);
                let alias = Alias::Any;
                Some(Address { ptr: place.ptr, class, bits, comps, align, whole: !packed, alias })
            }
            _ => None,
        }
    }

    pub(crate) fn deref_place(&mut self, deref: InstrId) -> Option<Address> {
        let place = self.place(deref);
        let located = place.and_then(|p| self.located(p));
        if located.is_none() {
            self.path_error("access to something that is neither scalar nor vector of a variable");
        }
        located
    }

    pub(crate) fn load_deref(&mut self, id: InstrId, i: &Intrinsic, ty: Ty) {
        let Some(at) = self.deref_place(i.src(0)) else { return self.set_undef(id) };
        let space = self.place(i.src(0)).map(|p| p.space);
        let volatile = i.access().contains(Access::VOLATILE);
        let value = self.load(at, volatile);
        if ty.bits == 1 {
            // Nothing else writes these spaces; workgroup memory starts with any bits.
            if at.whole && at.comps == 1 && matches!(space, Some(0 | CONSTANT)) {
                self.b.mark_boolean(value);
            }
            // A byte in memory.
            let byte = self.b.type_of(value);
            let zero = self.b.module.null(byte);
            let value = self.b.icmp(ICmp::Ne, value, zero);
            return self.set(id, value, Class::Int);
        }
        self.set(id, value, at.class);
    }

    pub(crate) fn store_deref(&mut self, i: &Intrinsic) {
        let Some(at) = self.deref_place(i.src(0)) else { return };
        let value = i.src(1);
        let mut data = self.whole(value, at.comps, at.class);
        if self.bits(value) == 1 {
            let byte = self.value_type(Class::Int, 8, at.comps);
            data = self.b.zext(data, byte);
        }
        self.store(at, data, i.write_mask(), i.access().contains(Access::VOLATILE));
    }

    pub(crate) fn copy_deref(&mut self, i: &Intrinsic) {
        let (Some(to), Some(from)) = (self.place(i.src(0)), self.place(i.src(1))) else {
            return self.error(errors::MEMORY, "an operand of the copy is not a variable");
        };
        self.copy(to, from);
    }

    /// Copies part by part; large arrays by `llvm.memcpy`.
    pub(crate) fn copy(&mut self, to: Pointer, from: Pointer) {
        let (size, align) = (self.layouts[to.mem].size, self.layouts[to.mem].align.max(1));
        if size > LARGE {
            // The same type apart from explicit layout, which variables do not have.
            if self.layouts[to.mem].air != self.layouts[from.mem].air {
                return self.error(errors::MEMORY, "a copy between variables of different types");
            }
            return self.copy_bytes(to, from, size, align);
        }
        match self.layouts[to.mem].shape.clone() {
            Shape::Vector { .. } | Shape::Raw => {
                let value = self.b.load(from.ptr, align);
                self.b.store(value, to.ptr, align);
            }
            Shape::Array { len, .. } | Shape::Matrix { len, .. } => {
                for i in 0..len {
                    let index = self.b.module.i64(i64::from(i));
                    if let (Some(a), Some(b)) = (self.element(to, index), self.element(from, index)) {
                        self.copy(a, b);
                    }
                }
            }
            Shape::Struct { by_member, .. } => {
                for i in 0..by_member.len() as u32 {
                    if let (Some(a), Some(b)) = (self.member(to, i), self.member(from, i)) {
                        self.copy(a, b);
                    }
                }
            }
        }
    }

    /// Fills memory with zeros; the form of `llvm.memset` that LLVM 5 knows.
    fn clear_bytes(&mut self, place: Pointer) {
        let (size, align) = (self.layouts[place.mem].size, self.layouts[place.mem].align.max(1));
        let ty = self.b.module.pointer(TypeId::I8, place.space);
        let ptr = self.bitcast(place.ptr, ty);
        let (zero, n) = (self.b.module.null(TypeId::I8), self.b.module.i64(i64::from(size)));
        let (align, volatile) = (self.b.module.i32(align as i32), self.b.module.bool(false));
        let args = [ptr, zero, n, align, volatile];
        self.air(Air::memset.with([Word::Space(place.space as u8)]), TypeId::VOID, &args);
    }

    /// The form of `llvm.memcpy` that LLVM 5 knows and later ones upgrade: alignment as an operand.
    pub(crate) fn copy_bytes(&mut self, to: Pointer, from: Pointer, size: u32, align: u32) {
        let bytes = |e: &mut Self, p: Pointer| {
            let ty = e.b.module.pointer(TypeId::I8, p.space);
            e.bitcast(p.ptr, ty)
        };
        let (a, b) = (bytes(self, to), bytes(self, from));
        let (n, align) = (self.b.module.i64(i64::from(size)), self.b.module.i32(align as i32));
        let volatile = self.b.module.bool(false);
        let spaces = [to, from].map(|p| Word::Space(p.space as u8));
        self.air(Air::memcpy.with(spaces), TypeId::VOID, &[a, b, n, align, volatile]);
    }

    pub(crate) fn deref_atomic(&mut self, id: InstrId, i: &Intrinsic, ty: Ty) {
        let Some(place) = self.place(i.src(0)) else {
            return self.error_value(
                id,
                errors::MEMORY,
                "the operand of an atomic operation is not a variable",
            );
        };
        if place.space != THREADGROUP {
            return self.error_value(
                id,
                errors::MEMORY,
                "an atomic operation on a variable that is not in workgroup memory",
            );
        }
        let (compare, data) = if i.srcs().len() == 3 { (Some(i.src(1)), i.src(2)) } else { (None, i.src(1)) };
        self.atomic(id, i, place.ptr, THREADGROUP, compare, data, ty);
    }
}

fn part_of(init: &Constant, i: usize) -> &Constant {
    match init {
        Constant::Composite(parts) => parts.get(i).unwrap_or(&Constant::Zero),
        _ => &Constant::Zero,
    }
}
