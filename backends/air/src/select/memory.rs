//! Memory: blocks by byte offset, workgroup memory, variables, atomic operations.
//!
//! An access to a block walks the block's type with the offset, and becomes a struct address like Apple's compiler makes
//! it, if that ends at a member of the right width. Otherwise the buffer is addressed as an array of what is read.

use super::errors;
use super::func::{Effect, Emit, suffix};
use super::interface::{BufferArg, CONSTANT, DEVICE, THREADGROUP};
use super::offset::{Lane, Offset};
use super::scan::{Use, slot};
use super::types::{Class, MemId, Shape, scalar_type};
use crate::module::{GlobalVar, TypeId, UnnamedAddr, Value};
use airfoil_ir::{
    Access, AtomicOp, Constant, Deref, DerefKind, InstrId, Intrinsic, Modes, Named, Ty, Type, VarId,
};
use smallvec::SmallVec;

/// Where a deref points.
#[derive(Clone, Copy)]
pub(super) struct Place {
    ptr: Value,
    mem: MemId,
    space: u32,
}

/// What an access wants to find.
#[derive(Clone, Copy)]
pub(super) struct Want {
    pub(super) class: Class,
    pub(super) bits: u8,
    pub(super) comps: u8,
}

/// Where an access goes.
#[derive(Clone, Copy)]
struct Located {
    /// Address of the whole value, or of its first component.
    ptr: Value,
    class: Class,
    bits: u8,
    comps: u8,
    align: u32,
    whole: bool,
}

impl Want {
    fn scalar_bytes(self) -> u32 {
        u32::from(self.bits / 8).max(1)
    }

    /// Bytes and alignment that LLVM gives the vector.
    fn natural(self) -> u32 {
        self.scalar_bytes() * if self.comps == 3 { 4 } else { u32::from(self.comps) }
    }
}

const LOCALS: Modes = Modes::FUNCTION_TEMP.union(Modes::SHADER_TEMP).union(Modes::SHARED);

impl Emit<'_> {
    // ---- variables ----

    /// Makes memory for the variables that are used.
    pub(super) fn make_variables(&mut self) {
        let shader = self.shader;
        for (id, v) in &shader.vars {
            if !LOCALS.contains(v.mode) || !self.scan.vars.contains_key(id) {
                continue;
            }
            let mem = self.layouts.private(self.b.module, &shader.types, v.ty);
            let (air, align) = (self.layouts[mem].air, self.layouts[mem].align.max(1));
            let written = self.scan.uses(id).contains(Use::WRITTEN);
            let ptr = if v.mode == Modes::SHARED {
                if v.initializer.is_some() {
                    self.refuse(
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
                            let place = Place { ptr, mem, space: 0 };
                            self.store_initial(v.ty, place, init);
                        }
                        ptr
                    }
                }
            };
            self.memory.insert(id, ptr);
        }
        if self.scan.has(super::scan::Effects::SHARED) {
            let words = shader.info.shared_size.div_ceil(4).max(1);
            let elem = scalar_type(self.scan.shared_class(), 32);
            let air = self.b.module.array(elem, words);
            let ptr = self.global("", "shared", air, THREADGROUP, None, 16);
            self.shared = Some(ptr);
        }
    }

    fn global(
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

    /// A constant as it lies in memory.
    fn initial(&mut self, ty: airfoil_ir::TypeId, mem: MemId, init: &Constant) -> Value {
        let air = self.layouts[mem].air;
        let shape = self.layouts[mem].shape.clone();
        match (init, shape) {
            (Constant::Value(lanes), Shape::Vector { class, bits, comps, .. }) => {
                self.constant(&lanes[..usize::from(comps)], bits, class)
            }
            (Constant::Composite(parts), Shape::Array { elem, len, .. }) => {
                let inner = self.inner_type(ty);
                let mut values: Vec<Value> = parts
                    .iter()
                    .take(len as usize)
                    .map(|part| self.initial(inner.unwrap_or(ty), elem, part))
                    .collect();
                let fill = self.layouts[elem].air;
                let fill = self.b.module.null(fill);
                values.resize(len as usize, fill);
                self.b.module.aggregate_or_data(air, &values)
            }
            (Constant::Composite(parts), Shape::Matrix { column, len, .. }) => {
                let mut values: Vec<Value> =
                    parts.iter().take(len as usize).map(|part| self.initial(ty, column, part)).collect();
                let fill = self.layouts[column].air;
                let fill = self.b.module.null(fill);
                values.resize(len as usize, fill);
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

    fn inner_type(&self, ty: airfoil_ir::TypeId) -> Option<airfoil_ir::TypeId> {
        match self.shader.types[ty] {
            Type::Array { elem, .. } => Some(elem),
            _ => None,
        }
    }

    /// Stores an initial value part by part: stores of whole aggregates are compiled wrongly by some releases.
    fn store_initial(&mut self, ty: airfoil_ir::TypeId, place: Place, init: &Constant) {
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

    /// Makes the address that a deref of a variable stands for.
    pub(super) fn deref(&mut self, id: InstrId, d: &Deref) {
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
                self.addresses.insert(slot(id) as u32, place);
            }
            None => self.refuse(errors::MEMORY, "an address that is no path into a variable"),
        }
    }

    fn place(&self, deref: InstrId) -> Option<Place> {
        self.addresses.get(&(slot(deref) as u32)).copied()
    }

    fn variable(&mut self, var: VarId) -> Option<Place> {
        let v = self.shader.vars.get(var)?;
        let Some(&ptr) = self.memory.get(var) else {
            // Named by a deref but never accessed.
            let mem = self.layouts.private(self.b.module, &self.shader.types, v.ty);
            let ty = self.b.module.pointer(self.layouts[mem].air, 0);
            let ptr = self.b.module.undef(ty);
            return Some(Place { ptr, mem, space: 0 });
        };
        let mem = self.layouts.private(self.b.module, &self.shader.types, v.ty);
        let space = match self.b.module.types().get(self.b.type_of(ptr)) {
            crate::module::Type::Pointer { space, .. } => space,
            _ => 0,
        };
        Some(Place { ptr, mem, space })
    }

    fn index64(&mut self, index: InstrId) -> Value {
        if let Some(lanes) = self.constant_lanes(index) {
            return self.b.module.i64(i64::from(lanes[0] as u32));
        }
        let value = self.scalar(index, Class::Int);
        match self.bits(index) {
            64 => value,
            _ => self.wide(value),
        }
    }

    /// A 32-bit index as a 64-bit one; each is made once a block.
    fn wide(&mut self, value: Value) -> Value {
        if let Some(&(_, wide)) = self.wide_indices.iter().rev().take(8).find(|w| w.0 == value) {
            return wide;
        }
        let wide = self.b.zext(value, TypeId::I64);
        self.wide_indices.push((value, wide));
        wide
    }

    fn element(&mut self, place: Place, index: Value) -> Option<Place> {
        let zero = self.b.module.i64(0);
        let first = self.b.module.i32(0);
        let (mem, ptr) = match self.layouts[place.mem].shape {
            Shape::Array { elem, .. } => (elem, self.b.gep(place.ptr, &[zero, index])),
            Shape::Matrix { column, .. } => (column, self.b.gep(place.ptr, &[zero, first, index])),
            Shape::Vector { class, bits, comps, .. } if comps > 1 => {
                let mem = self.layouts.scalar(class, bits);
                (mem, self.b.gep(place.ptr, &[zero, index]))
            }
            _ => return None,
        };
        Some(Place { ptr, mem, ..place })
    }

    fn member(&mut self, place: Place, field: u32) -> Option<Place> {
        let (number, mem) = match &self.layouts[place.mem].shape {
            Shape::Struct { fields, by_member } => {
                let at = *by_member.get(field as usize)?;
                let (_, number, mem) = *fields.get(at as usize)?;
                (number, mem)
            }
            _ => return None,
        };
        let (zero, number) = (self.b.module.i64(0), self.b.module.i32(number as i32));
        let ptr = self.b.gep(place.ptr, &[zero, number]);
        Some(Place { ptr, mem, ..place })
    }

    fn located(&mut self, place: Place) -> Option<Located> {
        let mem = &self.layouts[place.mem];
        match mem.shape {
            Shape::Vector { class, bits, comps, packed } => {
                Some(Located { ptr: place.ptr, class, bits, comps, align: mem.align.max(1), whole: !packed })
            }
            _ => None,
        }
    }

    fn deref_place(&mut self, deref: InstrId) -> Option<Located> {
        let place = self.place(deref);
        let located = place.and_then(|p| self.located(p));
        if located.is_none() {
            self.refuse(
                errors::MEMORY,
                "access to something that is neither scalar nor vector of a variable",
            );
        }
        located
    }

    pub(super) fn load_deref(&mut self, id: InstrId, i: &Intrinsic, ty: Ty) {
        let Some(at) = self.deref_place(i.src(0)) else { return self.set_undef(id) };
        let volatile = i.access().contains(Access::VOLATILE);
        let value = self.load(at, volatile);
        if ty.bits == 1 {
            // A byte in memory.
            let byte = self.b.type_of(value);
            let zero = self.b.module.null(byte);
            let value = self.b.icmp(crate::module::ICmp::Ne, value, zero);
            return self.set(id, value, Class::Int);
        }
        self.set(id, value, at.class);
    }

    pub(super) fn store_deref(&mut self, i: &Intrinsic) {
        let Some(at) = self.deref_place(i.src(0)) else { return };
        let value = i.src(1);
        let mut data = self.whole(value, at.comps, at.class);
        if self.bits(value) == 1 {
            let byte = self.value_type(Class::Int, 8, at.comps);
            data = self.b.zext(data, byte);
        }
        self.store(at, data, i.write_mask(), i.access().contains(Access::VOLATILE));
    }

    pub(super) fn copy_deref(&mut self, i: &Intrinsic) {
        let (Some(to), Some(from)) = (self.place(i.src(0)), self.place(i.src(1))) else {
            return self.refuse(errors::MEMORY, "a copy of something that is no variable");
        };
        self.copy(to, from);
    }

    /// Copies part by part; large arrays by `llvm.memcpy`.
    fn copy(&mut self, to: Place, from: Place) {
        const LARGE: u32 = 512;
        let (size, align) = (self.layouts[to.mem].size, self.layouts[to.mem].align.max(1));
        if to.mem == from.mem && size > LARGE {
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

    /// The form of `llvm.memcpy` that LLVM 5 knows and later ones upgrade: alignment as an operand.
    fn copy_bytes(&mut self, to: Place, from: Place, size: u32, align: u32) {
        let bytes = |e: &mut Self, p: Place| {
            let ty = e.b.module.pointer(TypeId::I8, p.space);
            e.b.bitcast(p.ptr, ty)
        };
        let (a, b) = (bytes(self, to), bytes(self, from));
        let (n, align) = (self.b.module.i64(i64::from(size)), self.b.module.i32(align as i32));
        let volatile = self.b.module.bool(false);
        let key = u64::from(to.space * 16 + from.space);
        let (x, y) = (to.space, from.space);
        self.air("llvm.memcpy", key, TypeId::VOID, &[a, b, n, align, volatile], Effect::Any, |_| {
            format!(".p{x}i8.p{y}i8.i64")
        });
    }

    pub(super) fn deref_atomic(&mut self, id: InstrId, i: &Intrinsic, ty: Ty) {
        let Some(place) = self.place(i.src(0)) else {
            return self.refuse_value(
                id,
                errors::MEMORY,
                "an atomic operation on something that is no variable",
            );
        };
        if place.space != THREADGROUP {
            return self.refuse_value(
                id,
                errors::MEMORY,
                "an atomic operation on a variable of the invocation",
            );
        }
        let (compare, data) = if i.srcs().len() == 3 { (Some(i.src(1)), i.src(2)) } else { (None, i.src(1)) };
        self.atomic(id, i, place.ptr, THREADGROUP, compare, data, ty);
    }

    // ---- loads and stores ----

    fn lane_ptr(&mut self, at: Located, lane: u32) -> Value {
        if !at.whole || at.comps == 1 {
            let pointee = self.b.module.types().pointee(self.b.type_of(at.ptr));
            if pointee == Some(scalar_type(at.class, at.bits)) {
                if lane == 0 {
                    return at.ptr;
                }
                let index = self.b.module.i64(i64::from(lane));
                return self.b.gep(at.ptr, &[index]);
            }
        }
        let (zero, index) = (self.b.module.i64(0), self.b.module.i64(i64::from(lane)));
        self.b.gep(at.ptr, &[zero, index])
    }

    fn load(&mut self, at: Located, volatile: bool) -> Value {
        if at.whole {
            return self.b.load_with(at.ptr, at.align, volatile);
        }
        let bytes = u32::from(at.bits / 8).max(1);
        let lanes: SmallVec<[Value; 4]> = (0..u32::from(at.comps))
            .map(|lane| {
                let ptr = self.lane_ptr(at, lane);
                self.b.load_with(ptr, at.align.min(bytes), volatile)
            })
            .collect();
        self.vector_of(&lanes)
    }

    fn store(&mut self, at: Located, data: Value, mask: u32, volatile: bool) {
        let full = (1u32 << at.comps) - 1;
        if at.whole && mask & full == full {
            self.b.store_with(data, at.ptr, at.align, volatile);
            return;
        }
        let bytes = u32::from(at.bits / 8).max(1);
        for lane in (0..u32::from(at.comps)).filter(|l| mask & (1 << l) != 0) {
            let value = if at.comps == 1 { data } else { self.b.extract_lane(data, lane) };
            let ptr = self.lane_ptr(at, lane);
            self.b.store_with(value, ptr, at.align.min(bytes), volatile);
        }
    }

    // ---- blocks ----

    /// The buffer argument that a deref of a block names, and its address.
    fn block(&mut self, deref: InstrId) -> Option<(BufferArg, Value, Option<Value>)> {
        let var = self.scan.root(deref)?;
        let arg = *self.face.buffers.get(var)?;
        let (index, _) = self.array_index(deref)?;
        match index {
            ArrayIndex::Constant(n) => {
                Some((arg, self.b.arg(arg.arg + n.min(arg.count.saturating_sub(1))), None))
            }
            ArrayIndex::Value(index) => {
                let args: SmallVec<[Value; 8]> = (0..arg.count).map(|n| self.b.arg(arg.arg + n)).collect();
                let ptr = self.choose(index, &args);
                Some((arg, ptr, Some(index)))
            }
        }
    }

    /// The index that a deref of an element of an array of resources adds up to.
    pub(super) fn array_index(&mut self, deref: InstrId) -> Option<(ArrayIndex, VarId)> {
        let body = self.body;
        let mut at = deref;
        let mut constant = 0u32;
        let mut value: Option<Value> = None;
        let mut size = 1u32;
        loop {
            let d = body.get(at)?.as_deref()?;
            match d.kind {
                DerefKind::Var(var) => {
                    let index = match value {
                        None => ArrayIndex::Constant(constant),
                        Some(v) if constant == 0 => ArrayIndex::Value(v),
                        Some(v) => {
                            let c = self.b.module.i32(constant as i32);
                            ArrayIndex::Value(self.b.add(v, c))
                        }
                    };
                    return Some((index, var));
                }
                DerefKind::Array { parent, index } => {
                    match self.constant_lanes(index) {
                        Some(c) => constant = constant.wrapping_add((c[0] as u32).wrapping_mul(size)),
                        None => {
                            let bits = self.bits(index);
                            let v = self.scalar(index, Class::Int);
                            let mut v = self.int_width(v, bits, 32, 1, false);
                            if size != 1 {
                                let n = self.b.module.i32(size as i32);
                                v = self.b.mul(v, n);
                            }
                            value = Some(match value {
                                Some(sum) => self.b.add(sum, v),
                                None => v,
                            });
                        }
                    }
                    let parent_ty = body.get(parent)?.as_deref()?.ty;
                    size = size.saturating_mul(self.shader.types.num_elements(parent_ty).unwrap_or(1).max(1));
                    at = parent;
                }
                _ => return None,
            }
        }
    }

    /// One of several values by an index; the last if it is out of range.
    pub(super) fn choose(&mut self, index: Value, list: &[Value]) -> Value {
        let Some((&last, rest)) = list.split_last() else { return index };
        let mut chosen = last;
        for (n, &value) in rest.iter().enumerate().rev() {
            let number = self.b.module.i32(n as i32);
            let here = self.b.icmp(crate::module::ICmp::Eq, index, number);
            chosen = self.b.select(here, value, chosen);
        }
        chosen
    }

    fn no_block(&mut self) {
        self.refuse(errors::MEMORY, "a block access that names no bound block");
    }

    /// Emits a load, store or atomic operation on a block, on workgroup memory or behind an address.
    pub(super) fn memory_access(&mut self, id: InstrId, i: &Intrinsic, ty: Ty) {
        use airfoil_ir::IntrinsicOp as Op;
        let volatile = i.access().intersects(Access::VOLATILE | Access::COHERENT);
        match i.op {
            Op::load_ubo | Op::load_ssbo => match self.block(i.src(0)) {
                Some((arg, ptr, _)) => self.load_at(id, &arg, ptr, i, i.src(1), ty, volatile),
                None => {
                    self.no_block();
                    self.set_undef(id);
                }
            },
            Op::load_push_constant | Op::load_uniform => {
                let arg = if i.op == Op::load_uniform {
                    self.face.default_uniforms
                } else {
                    self.face.push_constants
                };
                match arg {
                    Some(arg) => {
                        let ptr = self.b.arg(arg.arg);
                        self.load_at(id, &arg, ptr, i, i.src(0), ty, false);
                    }
                    None => self.set_undef(id),
                }
            }
            Op::load_shared => match self.shared_block() {
                Some((arg, ptr)) => self.load_at(id, &arg, ptr, i, i.src(0), ty, false),
                None => self.set_undef(id),
            },
            Op::store_ssbo => match self.block(i.src(1)) {
                Some((arg, ptr, _)) => self.store_at(&arg, ptr, i, i.src(0), i.src(2), volatile),
                None => self.no_block(),
            },
            Op::store_shared => {
                if let Some((arg, ptr)) = self.shared_block() {
                    self.store_at(&arg, ptr, i, i.src(0), i.src(1), false);
                }
            }
            Op::ssbo_atomic | Op::ssbo_atomic_swap => match self.block(i.src(0)) {
                Some((arg, ptr, _)) => {
                    let (compare, data) =
                        if i.srcs().len() == 4 { (Some(i.src(2)), i.src(3)) } else { (None, i.src(2)) };
                    self.atomic_at(id, &arg, ptr, i, (i.src(1), compare, data), ty);
                }
                None => {
                    self.no_block();
                    self.set_undef(id);
                }
            },
            Op::shared_atomic | Op::shared_atomic_swap => match self.shared_block() {
                Some((arg, ptr)) => {
                    let (compare, data) =
                        if i.srcs().len() == 3 { (Some(i.src(1)), i.src(2)) } else { (None, i.src(1)) };
                    self.atomic_at(id, &arg, ptr, i, (i.src(0), compare, data), ty);
                }
                None => self.set_undef(id),
            },
            _ => self.global_access(id, i, ty),
        }
    }

    /// Workgroup memory as a buffer.
    fn shared_block(&mut self) -> Option<(BufferArg, Value)> {
        let ptr = self.shared?;
        let words = self.shader.info.shared_size.div_ceil(4).max(1);
        let class = self.scan.shared_class();
        let mem = self.layouts.words(self.b.module, class, words);
        let arg =
            BufferArg { arg: 0, count: 1, mem, stride: 0, wrapped: false, space: THREADGROUP, index: 0 };
        Some((arg, ptr))
    }

    #[allow(clippy::too_many_arguments)] // the parts of a load
    fn load_at(
        &mut self,
        id: InstrId,
        arg: &BufferArg,
        ptr: Value,
        i: &Intrinsic,
        offset: InstrId,
        ty: Ty,
        volatile: bool,
    ) {
        let want = Want { class: self.scan.class(id, ty.bits), bits: ty.bits, comps: ty.comps };
        let at = self.locate(arg, ptr, offset, want, u32::from(i.align().known()));
        let value = self.load(at, volatile);
        self.set(id, value, at.class);
    }

    fn store_at(
        &mut self,
        arg: &BufferArg,
        ptr: Value,
        i: &Intrinsic,
        value: InstrId,
        offset: InstrId,
        volatile: bool,
    ) {
        let ty = self.ty(value);
        let want = Want { class: self.scan.class(value, ty.bits), bits: ty.bits, comps: ty.comps };
        let at = self.locate(arg, ptr, offset, want, u32::from(i.align().known()));
        let data = self.whole(value, ty.comps, at.class);
        self.store(at, data, i.write_mask(), volatile);
    }

    fn atomic_at(
        &mut self,
        id: InstrId,
        arg: &BufferArg,
        ptr: Value,
        i: &Intrinsic,
        (offset, compare, data): (InstrId, Option<InstrId>, InstrId),
        ty: Ty,
    ) {
        let class = if is_float(i.atomic_op()) { Class::Float } else { Class::Int };
        let bits = self.bits(data);
        let at = self.locate(arg, ptr, offset, Want { class, bits, comps: 1 }, u32::from(bits / 8));
        self.atomic(id, i, at.ptr, arg.space, compare, data, ty);
    }

    fn locate(&mut self, arg: &BufferArg, ptr: Value, offset: InstrId, want: Want, align: u32) -> Located {
        let offset = Offset::of(self.body, offset);
        let align = align.max(offset.alignment()).min(256);
        match self.walk(arg, ptr, &offset, want, align) {
            Some(at) => at,
            None => self.raw(arg, ptr, &offset, want, align),
        }
    }

    /// The address by the type of the block, if the offset ends at a member that fits.
    fn walk(
        &mut self,
        arg: &BufferArg,
        ptr: Value,
        offset: &Offset,
        want: Want,
        align: u32,
    ) -> Option<Located> {
        let mut steps: SmallVec<[Index; 8]> = SmallVec::new();
        let mut rest = offset.constant;
        let mut terms = offset.terms.clone();
        let mut mem = arg.mem;
        if arg.stride != 0 {
            steps.push(take_index(&mut rest, &mut terms, arg.stride));
            if arg.wrapped {
                steps.push(Index::Field(0));
            }
        } else {
            steps.push(Index::Element(0, SmallVec::new()));
        }
        loop {
            match &self.layouts[mem].shape {
                Shape::Struct { fields, .. } => {
                    let at = fields.partition_point(|f| f.0 <= rest).checked_sub(1)?;
                    let (start, number, id) = fields[at];
                    rest -= start;
                    steps.push(Index::Field(number));
                    mem = id;
                }
                &Shape::Array { elem, stride, len, wrapped } => {
                    let index = take_index(&mut rest, &mut terms, stride);
                    // A constant index beyond the end is another member's, but for run-time arrays, whose length is 1.
                    if let Index::Element(n, list) = &index
                        && list.is_empty()
                        && *n >= len
                        && len != 1
                    {
                        return None;
                    }
                    steps.push(index);
                    if wrapped {
                        steps.push(Index::Field(0));
                    }
                    mem = elem;
                }
                &Shape::Matrix { column, stride, len } => {
                    steps.push(Index::Field(0));
                    let index = take_index(&mut rest, &mut terms, stride);
                    if let Index::Element(n, list) = &index
                        && list.is_empty()
                        && *n >= len
                    {
                        return None;
                    }
                    steps.push(index);
                    mem = column;
                }
                &Shape::Vector { class, bits, comps, packed } => {
                    let bytes = u32::from(bits / 8).max(1);
                    if bits != want.bits {
                        return None;
                    }
                    let whole = rest == 0 && terms.is_empty() && comps == want.comps;
                    let mut at = Located { ptr, class, bits, comps: want.comps, align, whole: false };
                    if whole {
                        let natural = want.natural();
                        at.whole = align >= natural;
                        at.align = if at.whole { natural } else { align };
                        at.ptr = self.address(ptr, &steps);
                        if packed && at.whole {
                            // Well aligned by its offset, although its type is not.
                            let vector = self.value_type(class, bits, comps);
                            let vector = self.b.module.pointer(vector, arg.space);
                            at.ptr = self.b.bitcast(at.ptr, vector);
                        }
                        return Some(at);
                    }
                    if comps > 1 {
                        let component = take_index(&mut rest, &mut terms, bytes);
                        if let Index::Element(n, _) = &component
                            && *n + u32::from(want.comps) > u32::from(comps)
                        {
                            return None;
                        }
                        if matches!(&component, Index::Element(_, list) if !list.is_empty() && want.comps > 1)
                        {
                            return None;
                        }
                        steps.push(component);
                    }
                    if rest != 0 || !terms.is_empty() || (comps == 1 && want.comps != 1) {
                        return None;
                    }
                    at.ptr = self.address(ptr, &steps);
                    at.whole = want.comps == 1;
                    at.align = align.min(bytes);
                    let natural = want.natural();
                    if want.comps > 1 && align >= natural {
                        // Some components of a longer vector.
                        let vector = self.value_type(class, bits, want.comps);
                        let vector = self.b.module.pointer(vector, arg.space);
                        at.ptr = self.b.bitcast(at.ptr, vector);
                        (at.whole, at.align) = (true, natural);
                    }
                    return Some(at);
                }
                Shape::Raw => return None,
            }
        }
    }

    fn address(&mut self, ptr: Value, steps: &[Index]) -> Value {
        // Element 0 of the buffer is the pointer itself.
        if let [Index::Element(0, terms)] = steps
            && terms.is_empty()
        {
            return ptr;
        }
        let indices: SmallVec<[Value; 8]> = steps
            .iter()
            .map(|step| match step {
                Index::Field(n) => self.b.module.i32(*n as i32),
                Index::Element(n, terms) if terms.is_empty() => self.b.module.i64(i64::from(*n)),
                Index::Element(n, terms) => {
                    let sum = self.sum(*n, terms);
                    self.wide(sum)
                }
            })
            .collect();
        self.b.gep(ptr, &indices)
    }

    /// A constant plus values times constants, as `i32`.
    fn sum(&mut self, constant: u32, terms: &[(Lane, u32)]) -> Value {
        let mut sum: Option<Value> = None;
        for &(lane, factor) in terms {
            let mut value = self.lane(lane.value, lane.lane, Class::Int);
            let bits = self.bits(lane.value);
            value = self.int_width(value, bits, 32, 1, false);
            if factor != 1 {
                let shift = factor.trailing_zeros() as i32;
                value = if factor.is_power_of_two() {
                    let by = self.b.module.i32(shift);
                    self.b.shl(value, by)
                } else {
                    let by = self.b.module.i32(factor as i32);
                    self.b.mul(value, by)
                };
            }
            sum = Some(match sum {
                Some(sum) => self.b.add(sum, value),
                None => value,
            });
        }
        let fixed = self.b.module.i32(constant as i32);
        match sum {
            None => fixed,
            Some(sum) if constant == 0 => sum,
            Some(sum) => self.b.add(sum, fixed),
        }
    }

    /// The address as that of an element of an array of what is wanted.
    fn raw(&mut self, arg: &BufferArg, ptr: Value, offset: &Offset, want: Want, align: u32) -> Located {
        let bytes = want.scalar_bytes();
        let whole = want.comps == 1 || align >= want.natural();
        let comps = if whole { want.comps } else { 1 };
        let mut unit = if whole { want.natural() } else { bytes };
        if align < unit {
            unit = align;
        }
        let element = self.value_type(want.class, want.bits, comps);
        let at_unit = if unit == if whole { want.natural() } else { bytes } {
            element
        } else {
            // Less than naturally aligned: step by smaller integers.
            scalar_type(Class::Int, (unit * 8) as u8)
        };
        let terms: SmallVec<[(Lane, u32); 3]> = offset.terms.iter().map(|&(l, f)| (l, f / unit)).collect();
        let base = self.b.module.pointer(at_unit, arg.space);
        let base = self.b.bitcast(ptr, base);
        // Factors that wrapped around cannot be divided; then the sum is divided instead.
        let divisible = offset.terms.iter().all(|t| t.1 % unit == 0) && offset.constant % unit == 0;
        let index = if terms.is_empty() {
            self.b.module.i64(i64::from(offset.constant / unit))
        } else if divisible && (offset.constant as i32) >= 0 && offset.terms.iter().all(|t| (t.1 as i32) >= 0)
        {
            let sum = self.sum(offset.constant / unit, &terms);
            self.b.zext(sum, TypeId::I64)
        } else {
            let sum = self.sum(offset.constant, &offset.terms.clone());
            let by = self.b.module.i32(unit.trailing_zeros() as i32);
            let sum = self.b.lshr(sum, by);
            self.b.zext(sum, TypeId::I64)
        };
        let mut at = if terms.is_empty() && offset.constant == 0 { base } else { self.b.gep(base, &[index]) };
        let wanted = self.b.module.pointer(element, arg.space);
        at = self.b.bitcast(at, wanted);
        let natural = if whole { want.natural() } else { bytes };
        Located {
            ptr: at,
            class: want.class,
            bits: want.bits,
            comps: want.comps,
            align: align.min(natural),
            whole,
        }
    }

    /// Memory behind a 64-bit address.
    fn global_access(&mut self, id: InstrId, i: &Intrinsic, ty: Ty) {
        use airfoil_ir::IntrinsicOp as Op;
        let volatile = i.access().intersects(Access::VOLATILE | Access::COHERENT);
        let align = u32::from(i.align().known());
        let (address, value) = match i.op {
            Op::store_global => (i.src(1), i.src(0)),
            _ => (i.src(0), id),
        };
        let shape = if i.op == Op::store_global { self.ty(value) } else { ty };
        let atomic = matches!(i.op, Op::global_atomic | Op::global_atomic_swap);
        let class = match (atomic, is_float(i.atomic_op())) {
            (true, true) => Class::Float,
            (true, false) => Class::Int,
            _ => self.scan.class(value, shape.bits),
        };
        let want = Want { class, bits: shape.bits, comps: shape.comps };
        let whole = want.comps == 1 || align >= want.natural();
        let element = self.value_type(class, shape.bits, if whole { shape.comps } else { 1 });
        let pointer = self.b.module.pointer(element, DEVICE);
        let address = self.scalar(address, Class::Int);
        let ptr = self.b.inttoptr(address, pointer);
        let natural = if whole { want.natural() } else { want.scalar_bytes() };
        let at =
            Located { ptr, class, bits: want.bits, comps: want.comps, align: align.clamp(1, natural), whole };
        match i.op {
            Op::load_global => {
                let value = self.load(at, volatile);
                self.set(id, value, class);
            }
            Op::store_global => {
                let data = self.whole(value, shape.comps, class);
                self.store(at, data, i.write_mask(), volatile);
            }
            Op::global_atomic => self.atomic(id, i, ptr, DEVICE, None, i.src(1), ty),
            _ => self.atomic(id, i, ptr, DEVICE, Some(i.src(1)), i.src(2), ty),
        }
    }

    /// Size of a storage buffer, from the buffer of sizes.
    pub(super) fn buffer_size(&mut self, id: InstrId, i: &Intrinsic) {
        let found = self.block(i.src(0));
        let (Some((arg, _, dynamic)), true) = (found, self.face.buffer_sizes != super::interface::NO_ARG)
        else {
            return self.refuse_value(id, errors::MEMORY, "the size of something that is no storage block");
        };
        let sizes = self.b.arg(self.face.buffer_sizes);
        let index = match dynamic {
            Some(index) => {
                let first = self.b.module.i32(arg.index as i32);
                let index = self.b.add(index, first);
                self.b.zext(index, TypeId::I64)
            }
            None => {
                let element = match self.array_index(i.src(0)) {
                    Some((ArrayIndex::Constant(n), _)) => n,
                    _ => 0,
                };
                self.b.module.i64(i64::from(arg.index.saturating_add(element)))
            }
        };
        let ptr = self.b.gep(sizes, &[index]);
        let value = self.b.load(ptr, 4);
        self.set(id, value, Class::Int);
    }

    // ---- atomic operations ----

    /// Calls an atomic function. All are relaxed, the only order that Metal has before 3.2; barriers do the ordering.
    #[allow(clippy::too_many_arguments)] // the parts of an atomic operation
    fn atomic(
        &mut self,
        id: InstrId,
        i: &Intrinsic,
        ptr: Value,
        space: u32,
        compare: Option<InstrId>,
        data: InstrId,
        ty: Ty,
    ) {
        let op = i.atomic_op();
        let bits = self.bits(data);
        let class = if is_float(op) { Class::Float } else { Class::Int };
        let elem = scalar_type(class, bits);
        let wanted = self.b.module.pointer(elem, space);
        let ptr = self.b.bitcast(ptr, wanted);
        let air = self.options.target.air();
        let wide = bits == 64;
        let supported = match op {
            AtomicOp::Umin | AtomicOp::Umax if wide => self.body[id].uses() == 0,
            _ if wide => false,
            AtomicOp::Fmin | AtomicOp::Fmax => false,
            AtomicOp::Fadd => space == DEVICE && air >= crate::target::AirVersion::new(2, 5),
            _ => bits == 32,
        };
        if !supported {
            let what = if wide { "64-bit " } else { "" };
            let message = format!("{what}atomic `{}` on this memory does not exist in Metal", op.name());
            return self.refuse_value(id, errors::OPERATION, message);
        }
        let order = self.b.module.i32(0);
        // Who sees the effect: 2 the device, 1 the threadgroup.
        let scope = self.b.module.i32(if space == DEVICE { 2 } else { 1 });
        let flags = self.options.target.atomics_have_flags().then(|| self.b.module.i32(0));
        let volatile = self.b.module.bool(flags.is_none());
        let global = space == DEVICE;
        let mut args: SmallVec<[Value; 8]> = smallvec::smallvec![ptr];
        let cas = compare.is_some() || op == AtomicOp::Cmpxchg;
        if cas {
            let compare = compare.unwrap_or(data);
            let slot = self.scratch_memory(elem);
            let value = self.scalar(compare, class);
            self.b.store(value, slot, u32::from(bits / 8));
            args.push(slot);
        }
        if op != AtomicOp::Load {
            let value = self.scalar(data, class);
            args.push(value);
        }
        args.push(order);
        if cas {
            args.push(order);
        }
        args.push(scope);
        args.extend(flags);
        args.push(volatile);
        let name = atomic_word(if cas { AtomicOp::Cmpxchg } else { op });
        let ret = if op == AtomicOp::Store || wide { TypeId::VOID } else { elem };
        let key = ((op.number() as u64) << 40)
            | (u64::from(cas) << 39)
            | (u64::from(global) << 38)
            | elem.index() as u64;
        let base = if global { "air.atomic.global." } else { "air.atomic.local." };
        let value = self.air(base, key, ret, &args, Effect::Any, |m| format!("{name}.{}", suffix(m, elem)));
        if ret == TypeId::VOID {
            if !ty.is_none() {
                self.set_undef(id);
            }
            return;
        }
        self.set(id, value, class);
    }

    /// One word of memory for functions that want an address.
    fn scratch_memory(&mut self, ty: TypeId) -> Value {
        match self.scratch.get(&ty) {
            Some(&ptr) => ptr,
            None => {
                let ptr = self.b.module.pointer(ty, 0);
                self.b.module.undef(ptr)
            }
        }
    }

    /// Makes scratch memory; called at the start of the function, so that every block can use it.
    pub(super) fn reserve_scratch(&mut self, ty: TypeId) {
        if !self.scratch.contains_key(&ty) {
            let bytes = self.b.module.types().bits(ty) / 8;
            let ptr = self.b.alloca(ty, bytes.max(1));
            self.scratch.insert(ty, ptr);
        }
    }
}

/// An index into an array of resources.
pub(super) enum ArrayIndex {
    Constant(u32),
    Value(Value),
}

/// A step of an address.
enum Index {
    /// Member of a struct.
    Field(u32),
    /// Element: a constant plus values times constants.
    Element(u32, SmallVec<[(Lane, u32); 2]>),
}

/// Takes the part of an offset that counts whole elements of `stride` bytes.
fn take_index(rest: &mut u32, terms: &mut SmallVec<[(Lane, u32); 3]>, stride: u32) -> Index {
    let stride = stride.max(1);
    let n = *rest / stride;
    *rest %= stride;
    let mut taken = SmallVec::new();
    terms.retain(|&mut (lane, factor)| {
        let whole = factor % stride == 0 && (factor as i32) > 0;
        if whole {
            taken.push((lane, factor / stride));
        }
        !whole
    });
    Index::Element(n, taken)
}

fn is_float(op: AtomicOp) -> bool {
    matches!(op, AtomicOp::Fadd | AtomicOp::Fmin | AtomicOp::Fmax)
}

/// Word of an operation in function names, with the sign where there is one.
fn atomic_word(op: AtomicOp) -> &'static str {
    match op {
        AtomicOp::Iadd => "add.u",
        AtomicOp::Imin => "min.s",
        AtomicOp::Umin => "min.u",
        AtomicOp::Imax => "max.s",
        AtomicOp::Umax => "max.u",
        AtomicOp::Iand => "and.u",
        AtomicOp::Ior => "or.u",
        AtomicOp::Ixor => "xor.u",
        AtomicOp::Xchg => "xchg",
        AtomicOp::Fadd => "add",
        AtomicOp::Fmin => "min",
        AtomicOp::Fmax => "max",
        AtomicOp::Cmpxchg => "cmpxchg.weak",
        AtomicOp::Load => "load",
        AtomicOp::Store => "store",
    }
}

fn part_of(init: &Constant, i: usize) -> &Constant {
    match init {
        Constant::Composite(parts) => parts.get(i).unwrap_or(&Constant::Zero),
        _ => &Constant::Zero,
    }
}
