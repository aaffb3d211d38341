//! Memory: blocks by byte offset, workgroup memory, variables, atomic operations.
//!
//! An access to a block walks the block's type with the offset, and becomes a struct address like Apple's compiler makes
//! it, if that ends at a member of the right width. Otherwise the buffer is addressed as an array of the accessed type.

use super::FunctionEmitter;
use crate::module::{TypeId, Value};
use crate::select::errors;
use crate::select::signature::pieces::{
    Alias, BlockLayout, BufferArg, ConstantBuffer, Member, ResourceSource,
};
use crate::select::types::{Class, DEVICE, scalar_type};
use airfoil_ir::{Access, AtomicOp, DerefKind, Diagnostic, InstrId, Intrinsic, Modes, Ty, VarId};
use smallvec::SmallVec;

/// The value that an access reads or writes.
#[derive(Clone, Copy)]
pub(crate) struct AccessShape {
    pub(crate) class: Class,
    pub(crate) bits: u8,
    pub(crate) comps: u8,
}

/// The address of an access.
#[derive(Clone, Copy)]
pub(crate) struct Address {
    /// Address of the whole value, or of its first component.
    pub(crate) ptr: Value,
    pub(crate) class: Class,
    pub(crate) bits: u8,
    pub(crate) comps: u8,
    pub(crate) align: u32,
    pub(crate) whole: bool,
    pub(crate) alias: Alias,
}

impl AccessShape {
    pub(super) fn scalar_bytes(self) -> u32 {
        u32::from(self.bits / 8).max(1)
    }

    /// Bytes and alignment that LLVM gives the vector.
    pub(super) fn natural(self) -> u32 {
        self.scalar_bytes() * if self.comps == 3 { 4 } else { u32::from(self.comps) }
    }
}

pub(crate) const LOCALS: Modes = Modes::FUNCTION_TEMP
    .union(Modes::SHADER_TEMP)
    .union(Modes::SHARED)
    .union(Modes::TASK_PAYLOAD)
    .union(Modes::SPEC_CONST);

impl FunctionEmitter<'_> {
    // ---- loads and stores ----

    pub(crate) fn lane_ptr(&mut self, at: Address, lane: u32) -> Value {
        if !at.whole || at.comps == 1 {
            let pointee = self.b.module.types().pointee(self.b.type_of(at.ptr));
            if pointee == Some(scalar_type(at.class, at.bits)) {
                if lane == 0 {
                    return at.ptr;
                }
                let index = self.b.module.i64(i64::from(lane));
                return self.gep(at.ptr, &[index]);
            }
        }
        let (zero, index) = (self.b.module.i64(0), self.b.module.i64(i64::from(lane)));
        self.gep(at.ptr, &[zero, index])
    }

    pub(crate) fn load(&mut self, at: Address, volatile: bool) -> Value {
        if at.whole {
            let value = self.b.load_with(at.ptr, at.align, volatile);
            self.mark_alias(value, at.alias);
            return value;
        }
        let bytes = u32::from(at.bits / 8).max(1);
        let lanes: SmallVec<[Value; 4]> = (0..u32::from(at.comps))
            .map(|lane| {
                let ptr = self.lane_ptr(at, lane);
                let value = self.b.load_with(ptr, at.align.min(bytes), volatile);
                self.mark_alias(value, at.alias);
                value
            })
            .collect();
        self.vector_of(&lanes)
    }

    pub(crate) fn store(&mut self, at: Address, data: Value, mask: u32, volatile: bool) {
        let full = (1u32 << at.comps) - 1;
        if at.whole && mask & full == full {
            let store = self.b.store_with(data, at.ptr, at.align, volatile);
            return self.mark_alias(store, at.alias);
        }
        let bytes = u32::from(at.bits / 8).max(1);
        for lane in (0..u32::from(at.comps)).filter(|l| mask & (1 << l) != 0) {
            let value = if at.comps == 1 { data } else { self.extract_lane(data, lane) };
            let ptr = self.lane_ptr(at, lane);
            let store = self.b.store_with(value, ptr, at.align.min(bytes), volatile);
            self.mark_alias(store, at.alias);
        }
    }

    // ---- blocks ----

    /// The buffer argument that a deref of a block names, its address, and the index if it is dynamic.
    pub(crate) fn block(&mut self, deref: InstrId) -> Option<(BufferArg, Value, Option<Value>)> {
        let var = self.usage.root(deref)?;
        let arg = *self.sig.buffers.get(var)?;
        let (index, _) = self.array_index(deref)?;
        Some(match (arg.source, index) {
            (ResourceSource::Member(member), index) => (arg, self.load_member(member, index), None),
            (ResourceSource::Arguments { first, count }, ArrayIndex::Constant(_)) => {
                (arg, self.choose_argument(index, first, count), None)
            }
            (ResourceSource::Arguments { first, count }, ArrayIndex::Value(value)) => {
                (arg, self.choose_argument(index, first, count), Some(value))
            }
        })
    }

    /// The texture or sampler that a deref names.
    pub(crate) fn resource(&mut self, deref: InstrId, source: ResourceSource) -> Option<Value> {
        let (index, _) = self.array_index(deref)?;
        Some(match source {
            ResourceSource::Member(member) => self.load_member(member, index),
            ResourceSource::Arguments { first, count } => self.choose_argument(index, first, count),
        })
    }

    /// An element of an array of resources that has an argument per element.
    fn choose_argument(&mut self, index: ArrayIndex, first: u32, count: u32) -> Value {
        match index {
            ArrayIndex::Constant(n) => self.b.arg(first + n.min(count.saturating_sub(1))),
            ArrayIndex::Value(index) => {
                let list: SmallVec<[Value; 8]> = (0..count).map(|n| self.b.arg(first + n)).collect();
                self.choose(index, &list)
            }
        }
    }

    /// The index that a deref of an element of an array of resources adds up to.
    pub(crate) fn array_index(&mut self, deref: InstrId) -> Option<(ArrayIndex, VarId)> {
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
                            ArrayIndex::Value(self.reuse(|b| b.add(v, c)))
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
                                v = self.reuse(|b| b.mul(v, n));
                            }
                            value = Some(match value {
                                Some(sum) => self.reuse(|b| b.add(sum, v)),
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
    pub(crate) fn choose(&mut self, index: Value, list: &[Value]) -> Value {
        let Some((&last, rest)) = list.split_last() else { return index };
        let mut chosen = last;
        for (n, &value) in rest.iter().enumerate().rev() {
            let number = self.b.module.i32(n as i32);
            let here = self.b.icmp(crate::module::ICmp::Eq, index, number);
            chosen = self.b.select(here, value, chosen);
        }
        chosen
    }

    /// An element of a resource in an argument buffer: its pointer or handle.
    pub(crate) fn load_member(&mut self, member: Member, index: ArrayIndex) -> Value {
        let buffer = self.b.arg(member.argument);
        let mut path: SmallVec<[Value; 3]> =
            smallvec::smallvec![self.b.module.i64(0), self.b.module.i32(member.field as i32)];
        if member.count != Some(1) {
            path.push(match index {
                ArrayIndex::Constant(n) => {
                    let n = member.count.map_or(n, |count| n.min(count - 1));
                    self.b.module.i64(i64::from(n) * i64::from(member.step))
                }
                ArrayIndex::Value(index) => {
                    let index = self.wide(index);
                    match member.step {
                        1 => index,
                        step => {
                            let step = self.b.module.i64(i64::from(step));
                            self.reuse(|b| b.mul(index, step))
                        }
                    }
                }
            });
        }
        let place = self.gep(buffer, &path);
        self.b.load(place, 8)
    }

    pub(crate) fn no_block(&mut self) {
        self.error(errors::MEMORY, "a block access that names no bound block");
    }

    pub(crate) fn load_block(&mut self, id: InstrId, i: &Intrinsic, ty: Ty) {
        match self.block(i.src(0)) {
            Some((arg, ptr, _)) => self.load_at(id, &arg.layout, ptr, i, i.src(1), ty),
            None => {
                self.no_block();
                self.set_undef(id);
            }
        }
    }

    pub(crate) fn store_block(&mut self, i: &Intrinsic) {
        match self.block(i.src(1)) {
            Some((arg, ptr, _)) => self.store_at(&arg.layout, ptr, i, i.src(0), i.src(2)),
            None => self.no_block(),
        }
    }

    pub(crate) fn block_atomic(&mut self, id: InstrId, i: &Intrinsic, ty: Ty) {
        match self.block(i.src(0)) {
            Some((arg, ptr, _)) => {
                let (compare, data) =
                    if i.srcs().len() == 4 { (Some(i.src(2)), i.src(3)) } else { (None, i.src(2)) };
                self.atomic_at(id, &arg.layout, ptr, i, (i.src(1), compare, data), ty);
            }
            None => {
                self.no_block();
                self.set_undef(id);
            }
        }
    }

    /// Loads from the push constants or the default uniform block.
    pub(crate) fn load_constants(
        &mut self,
        id: InstrId,
        i: &Intrinsic,
        buffer: Option<ConstantBuffer>,
        ty: Ty,
    ) {
        match buffer {
            Some(ConstantBuffer { argument, layout }) => {
                let ptr = self.b.arg(argument);
                self.load_at(id, &layout, ptr, i, i.src(0), ty);
            }
            None => self.set_undef(id),
        }
    }

    pub(crate) fn load_shared(&mut self, id: InstrId, i: &Intrinsic, ty: Ty) {
        match self.state.shared {
            Some((layout, ptr)) => self.load_at(id, &layout, ptr, i, i.src(0), ty),
            None => self.set_undef(id),
        }
    }

    pub(crate) fn store_shared(&mut self, i: &Intrinsic) {
        if let Some((layout, ptr)) = self.state.shared {
            self.store_at(&layout, ptr, i, i.src(0), i.src(1));
        }
    }

    pub(crate) fn shared_atomic(&mut self, id: InstrId, i: &Intrinsic, ty: Ty) {
        match self.state.shared {
            Some((layout, ptr)) => {
                let (compare, data) =
                    if i.srcs().len() == 3 { (Some(i.src(1)), i.src(2)) } else { (None, i.src(1)) };
                self.atomic_at(id, &layout, ptr, i, (i.src(0), compare, data), ty);
            }
            None => self.set_undef(id),
        }
    }

    pub(crate) fn load_at(
        &mut self,
        id: InstrId,
        layout: &BlockLayout,
        ptr: Value,
        i: &Intrinsic,
        offset: InstrId,
        ty: Ty,
    ) {
        let shape = AccessShape { class: self.usage.class(id, ty.bits), bits: ty.bits, comps: ty.comps };
        let at = self.locate(layout, ptr, offset, shape, u32::from(i.align().known()));
        let value = self.load(at, is_volatile(i));
        self.set(id, value, at.class);
    }

    pub(crate) fn store_at(
        &mut self,
        layout: &BlockLayout,
        ptr: Value,
        i: &Intrinsic,
        value: InstrId,
        offset: InstrId,
    ) {
        let ty = self.ty(value);
        let shape = AccessShape { class: self.usage.class(value, ty.bits), bits: ty.bits, comps: ty.comps };
        let at = self.locate(layout, ptr, offset, shape, u32::from(i.align().known()));
        let data = self.whole(value, ty.comps, at.class);
        self.store(at, data, i.write_mask(), is_volatile(i));
    }

    pub(crate) fn atomic_at(
        &mut self,
        id: InstrId,
        layout: &BlockLayout,
        ptr: Value,
        i: &Intrinsic,
        (offset, compare, data): (InstrId, Option<InstrId>, InstrId),
        ty: Ty,
    ) {
        let class = if is_float(i.atomic_op()) { Class::Float } else { Class::Int };
        let bits = self.bits(data);
        let at = self.locate(layout, ptr, offset, AccessShape { class, bits, comps: 1 }, u32::from(bits / 8));
        self.atomic(id, i, at.ptr, layout.space, compare, data, ty);
    }

    /// Accesses memory by a 64-bit address.
    pub(crate) fn global_access(&mut self, id: InstrId, i: &Intrinsic, ty: Ty) {
        use airfoil_ir::IntrinsicOp as Op;
        if !self.options.target.has_gpu_addresses() {
            self.errors.push(
                Diagnostic::error(
                    errors::TARGET,
                    "accessing memory by its address requires Metal 3 (macOS 13)",
                )
                .at(errors::place(self.shader, self.loc))
                .help("--target macos13, ios16 or later"),
            );
            if i.op != Op::store_global {
                self.set_undef(id);
            }
            return;
        }
        let volatile = is_volatile(i);
        let align = u32::from(i.align().known());
        let (address, value) = match i.op {
            Op::store_global => (i.src(1), i.src(0)),
            _ => (i.src(0), id),
        };
        let ty_at = if i.op == Op::store_global { self.ty(value) } else { ty };
        let atomic = matches!(i.op, Op::global_atomic | Op::global_atomic_swap);
        let class = match (atomic, is_float(i.atomic_op())) {
            (true, true) => Class::Float,
            (true, false) => Class::Int,
            _ => self.usage.class(value, ty_at.bits),
        };
        let shape = AccessShape { class, bits: ty_at.bits, comps: ty_at.comps };
        let whole = shape.comps == 1 || align >= shape.natural();
        let element = self.value_type(class, shape.bits, if whole { shape.comps } else { 1 });
        let pointer = self.b.module.pointer(element, DEVICE);
        let address = self.scalar(address, Class::Int);
        let ptr = self.b.inttoptr(address, pointer);
        let natural = if whole { shape.natural() } else { shape.scalar_bytes() };
        let at = Address {
            ptr,
            class,
            bits: shape.bits,
            comps: shape.comps,
            align: align.clamp(1, natural),
            whole,
            alias: Alias::Any,
        };
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
    pub(crate) fn buffer_size(&mut self, id: InstrId, i: &Intrinsic) {
        let found = self.block(i.src(0));
        let (Some((arg, _, dynamic)), Some(sizes)) = (found, self.sig.buffer_sizes) else {
            return self.error_value(
                id,
                errors::MEMORY,
                "the operand of a size query is not a storage block",
            );
        };
        let Some(slot) = arg.size_slot else {
            let message = "the length of an array in a storage buffer of an array of unknown length is not available in Metal";
            return self.error_value(id, errors::RESOURCES, message);
        };
        let sizes = self.b.arg(sizes);
        let index = match dynamic {
            Some(index) => {
                let first = self.b.module.i32(slot as i32);
                let index = self.b.add(index, first);
                self.zext(index, TypeId::I64)
            }
            None => {
                let element = match self.array_index(i.src(0)) {
                    Some((ArrayIndex::Constant(n), _)) => n,
                    _ => 0,
                };
                self.b.module.i64(i64::from(slot.saturating_add(element)))
            }
        };
        let ptr = self.gep(sizes, &[index]);
        let value = self.b.load(ptr, 4);
        self.set(id, value, Class::Int);
    }
}

/// An index into an array of resources.
#[derive(Clone, Copy)]
pub(crate) enum ArrayIndex {
    Constant(u32),
    Value(Value),
}

pub(crate) fn is_float(op: AtomicOp) -> bool {
    matches!(op, AtomicOp::Fadd | AtomicOp::Fmin | AtomicOp::Fmax)
}

/// Whether an access must not be merged with others.
fn is_volatile(i: &Intrinsic) -> bool {
    i.access().intersects(Access::VOLATILE | Access::COHERENT)
}
