//! Builder of function bodies.
//!
//! Blocks are created with [`Builder::block`] whenever they are needed as a target and filled one after the other
//! with [`Builder::start`]; the order of the `start` calls is the order of the function, the first is the entry.
//! The builder computes result types and never checks: that is the validator's work.

use super::Module;
use super::attributes::AttrSet;
use super::inst::{
    Attached, BinOp, Block, BlockId, Body, CALL_TAIL, FCmp, FastMath, ICmp, Inst, IntFlags, Location, Op,
    align_code,
};
use super::metadata::{Attachment, Md};
use super::types::{Type, TypeId, TypeList};
use super::value::{CastOp, Value, ValueKind};

/// Options of a call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CallOptions {
    /// Fast-math flags; only for callees that return a float or a vector of floats.
    pub flags: FastMath,
    /// Attributes of the call site.
    pub attrs: AttrSet,
    /// `tail call`, which Apple writes on calls of `air.*` functions.
    pub tail: bool,
}

impl Default for CallOptions {
    fn default() -> Self {
        CallOptions { flags: FastMath::NONE, attrs: AttrSet::NONE, tail: true }
    }
}

/// Builds the body of one function; [`Builder::finish`] adds it to the module.
#[must_use = "the body reaches the module in `finish`"]
pub struct Builder<'m> {
    /// The module, for types, constants, declarations and metadata.
    pub module: &'m mut Module,
    function: Value,
    body: Body,
    current: Option<BlockId>,
}

macro_rules! casts {
    ($($method:ident = $op:ident),* $(,)?) => {
        $(#[doc = concat!("`", stringify!($method), "`")]
        pub fn $method(&mut self, value: Value, ty: TypeId) -> Value {
            self.cast(CastOp::$op, value, ty)
        })*
    };
}

macro_rules! int_operations {
    ($($method:ident = $op:ident),* $(,)?) => {
        $(#[doc = concat!("`", stringify!($method), "` without flags; [`Builder::binary`] takes them.")]
        pub fn $method(&mut self, a: Value, b: Value) -> Value {
            self.binary(BinOp::$op, a, b, IntFlags::NONE)
        })*
    };
}

macro_rules! float_operations {
    ($($method:ident = $op:ident),* $(,)?) => {
        $(#[doc = concat!("`", stringify!($method), "`")]
        pub fn $method(&mut self, a: Value, b: Value, flags: FastMath) -> Value {
            let ty = self.type_of(a);
            self.emit(Op::Binary(BinOp::$op), flags.0 & 127, 0, ty, &[a, b])
        })*
    };
}

impl<'m> Builder<'m> {
    pub(crate) fn new(module: &'m mut Module, function: Value) -> Self {
        let params = match module.function(function).map(|f| module.types().get(f.ty)) {
            Some(Type::Function { params, .. }) => params,
            _ => TypeList::EMPTY,
        };
        let body = match module.spare_body.take() {
            Some(body) => Body { params, ..body },
            None => Body::new(params),
        };
        Builder { module, function, body, current: None }
    }

    /// Gives the body to the function.
    pub fn finish(mut self) {
        self.close();
        let body = self.body;
        if let Some(function) = self.module.function_mut(self.function) {
            function.body = Some(body);
        }
    }

    /// The body so far.
    pub fn body(&self) -> &Body {
        &self.body
    }

    /// Argument `index` of the function.
    pub fn arg(&self, index: u32) -> Value {
        Value::arg(index)
    }

    /// Type of any value.
    pub fn type_of(&self, value: Value) -> TypeId {
        self.module.type_in(&self.body, value)
    }

    // ---- blocks ----

    /// A new block, not yet placed.
    pub fn block(&mut self) -> BlockId {
        let id = BlockId(self.body.blocks.len() as u32);
        self.body.blocks.push(Block { first: 0, end: 0, position: u32::MAX });
        id
    }

    /// Appends a block after those already started; the following instructions go into it. Starting a block
    /// a second time does nothing but is seen by the validator, since the block before it stays open.
    pub fn start(&mut self, block: BlockId) {
        self.close();
        let next = self.body.insts.len() as u32;
        let position = self.body.order.len() as u32;
        if let Some(b) = self.body.blocks.get_mut(block.index())
            && b.position == u32::MAX
        {
            *b = Block { first: next, end: next, position };
            self.body.order.push(block);
            self.current = Some(block);
        }
    }

    /// The block being filled.
    pub fn current(&self) -> Option<BlockId> {
        self.current
    }

    /// Whether the current block already has its terminator (or no block was started).
    pub fn is_terminated(&self) -> bool {
        self.current.is_none()
            || self.body.insts.last().is_some_and(|i| {
                i.op.is_terminator()
                    && self
                        .current
                        .is_some_and(|b| (self.body.blocks[b.index()].first as usize) < self.body.insts.len())
            })
    }

    fn close(&mut self) {
        if let Some(block) = self.current.take() {
            self.body.blocks[block.index()].end = self.body.insts.len() as u32;
        }
    }

    // ---- raw ----

    #[inline]
    fn push(&mut self, op: Op, flags: u8, align: u8, ty: TypeId, operands: &[Value]) {
        let start = self.body.pool.len() as u32;
        self.body.pool.extend(operands.iter().map(|v| v.raw()));
        self.body.insts.push(Inst { op, flags, align, ty, start, len: operands.len() as u32 });
    }

    #[inline]
    fn emit(&mut self, op: Op, flags: u8, align: u8, ty: TypeId, operands: &[Value]) -> Value {
        let id = self.body.insts.len() as u32;
        self.push(op, flags, align, ty, operands);
        Value::new(ValueKind::Inst(id))
    }

    fn extend(&mut self, words: impl IntoIterator<Item = u32>) {
        let before = self.body.pool.len();
        self.body.pool.extend(words);
        let added = (self.body.pool.len() - before) as u32;
        if let Some(inst) = self.body.insts.last_mut() {
            inst.len += added;
        }
    }

    // ---- arithmetic ----

    /// Any integer operation with its flags.
    pub fn binary(&mut self, op: BinOp, a: Value, b: Value, flags: IntFlags) -> Value {
        let ty = self.type_of(a);
        self.emit(Op::Binary(op), flags.0, 0, ty, &[a, b])
    }

    int_operations! {
        add = Add, sub = Sub, mul = Mul, udiv = UDiv, sdiv = SDiv, urem = URem, srem = SRem, shl = Shl,
        lshr = LShr, ashr = AShr, and = And, or = Or, xor = Xor,
    }

    float_operations! { fadd = FAdd, fsub = FSub, fmul = FMul, fdiv = FDiv, frem = FRem }

    /// `fsub -0.0, x`, which is how the dialect spells a negation.
    pub fn fneg(&mut self, x: Value, flags: FastMath) -> Value {
        let ty = self.type_of(x);
        let scalar = self.module.types().scalar(ty);
        let sign = match self.module.types().bits(scalar) {
            0 => 0,
            bits => 1u64 << (bits - 1).min(63),
        };
        let mut zero = self.module.float_bits(scalar, sign);
        if ty != scalar {
            zero = self.module.splat(ty, zero);
        }
        self.fsub(zero, x, flags)
    }

    /// Any cast.
    pub fn cast(&mut self, op: CastOp, value: Value, ty: TypeId) -> Value {
        self.emit(Op::Cast(op), 0, 0, ty, &[value])
    }

    casts! {
        trunc = Trunc, zext = ZExt, sext = SExt, fptoui = FpToUi, fptosi = FpToSi, uitofp = UiToFp,
        sitofp = SiToFp, fptrunc = FpTrunc, fpext = FpExt, ptrtoint = PtrToInt, inttoptr = IntToPtr,
        addrspacecast = AddrSpaceCast,
    }

    /// `bitcast`; nothing when the type is already the wanted one, a constant expression for the address of a global.
    pub fn bitcast(&mut self, value: Value, ty: TypeId) -> Value {
        if self.type_of(value) == ty {
            return value;
        }
        if value.is_module_level() && self.module.types().is_pointer(ty) {
            return self.module.const_cast(CastOp::BitCast, value, ty);
        }
        self.cast(CastOp::BitCast, value, ty)
    }

    /// `i1`, or a vector of as many as `ty` has components.
    fn bool_like(&mut self, ty: TypeId) -> TypeId {
        match self.module.types().vector_len(ty) {
            Some(len) => self.module.vector(TypeId::I1, len),
            None => TypeId::I1,
        }
    }

    /// `icmp`
    pub fn icmp(&mut self, predicate: ICmp, a: Value, b: Value) -> Value {
        let ty = self.type_of(a);
        let ty = self.bool_like(ty);
        self.emit(Op::ICmp(predicate), 0, 0, ty, &[a, b])
    }

    /// `fcmp`
    pub fn fcmp(&mut self, predicate: FCmp, a: Value, b: Value, flags: FastMath) -> Value {
        let ty = self.type_of(a);
        let ty = self.bool_like(ty);
        self.emit(Op::FCmp(predicate), flags.0 & 127, 0, ty, &[a, b])
    }

    /// `select`
    pub fn select(&mut self, condition: Value, a: Value, b: Value) -> Value {
        let ty = self.type_of(a);
        self.emit(Op::Select, 0, 0, ty, &[condition, a, b])
    }

    // ---- control flow ----

    /// `phi` whose incoming values follow later by [`Builder::set_incoming`].
    pub fn phi(&mut self, ty: TypeId) -> Value {
        self.emit(Op::Phi, 0, 0, ty, &[])
    }

    /// `phi` with fast-math flags, which readers before LLVM 14 do not know.
    pub fn phi_with(&mut self, ty: TypeId, flags: FastMath) -> Value {
        self.emit(Op::Phi, flags.0, 0, ty, &[])
    }

    /// Gives a phi all its incoming values.
    pub fn set_incoming(&mut self, phi: Value, incoming: &[(Value, BlockId)]) {
        let ValueKind::Inst(at) = phi.kind() else { return };
        let start = self.body.pool.len() as u32;
        let Some(inst) = self.body.insts.get_mut(at as usize).filter(|i| i.op == Op::Phi) else { return };
        inst.start = start;
        inst.len = incoming.len() as u32 * 2;
        for &(value, block) in incoming {
            self.body.pool.extend([value.raw(), block.0]);
        }
    }

    /// `br`
    pub fn br(&mut self, target: BlockId) {
        self.push(Op::Br, 0, 0, TypeId::VOID, &[]);
        self.extend([target.0]);
    }

    /// `br i1`
    pub fn cond_br(&mut self, condition: Value, yes: BlockId, no: BlockId) {
        self.push(Op::CondBr, 0, 0, TypeId::VOID, &[condition]);
        self.extend([yes.0, no.0]);
    }

    /// `switch`; the cases are integer constants of the selector's type.
    pub fn switch(&mut self, selector: Value, default: BlockId, cases: &[(Value, BlockId)]) {
        self.push(Op::Switch, 0, 0, TypeId::VOID, &[selector]);
        self.extend([default.0]);
        self.extend(cases.iter().flat_map(|&(value, block)| [value.raw(), block.0]));
    }

    /// `ret` with a value
    pub fn ret(&mut self, value: Value) {
        self.push(Op::Ret, 0, 0, TypeId::VOID, &[value]);
    }

    /// `ret void`
    pub fn ret_void(&mut self) {
        self.push(Op::Ret, 0, 0, TypeId::VOID, &[]);
    }

    /// `unreachable`
    pub fn unreachable(&mut self) {
        self.push(Op::Unreachable, 0, 0, TypeId::VOID, &[]);
    }

    /// `tail call` without flags and attributes
    pub fn call(&mut self, callee: Value, args: &[Value]) -> Value {
        self.call_with(callee, args, CallOptions::default())
    }

    /// `call`
    pub fn call_with(&mut self, callee: Value, args: &[Value], options: CallOptions) -> Value {
        let signature = self.module.types().pointee(self.type_of(callee));
        let ty = match signature.map(|s| self.module.types().get(s)) {
            Some(Type::Function { ret, .. }) => ret,
            _ => TypeId::VOID,
        };
        let tail = if options.tail { CALL_TAIL } else { 0 };
        let id = self.body.insts.len() as u32;
        self.push(Op::Call, (options.flags.0 & 127) | tail, 0, ty, &[]);
        self.extend([options.attrs.0, callee.raw()]);
        self.extend(args.iter().map(|a| a.raw()));
        Value::new(ValueKind::Inst(id))
    }

    // ---- memory ----

    /// `getelementptr inbounds`; a constant expression if the pointer and all indices are constant
    pub fn gep(&mut self, pointer: Value, indices: &[Value]) -> Value {
        if pointer.is_module_level() && indices.iter().all(|i| i.is_module_level()) {
            return self.module.const_gep(pointer, indices);
        }
        self.gep_with(pointer, indices, true)
    }

    /// `getelementptr`, in bounds or not
    pub fn gep_with(&mut self, pointer: Value, indices: &[Value], inbounds: bool) -> Value {
        let from = self.type_of(pointer);
        let ty = self.module.gep_type(from, indices);
        let id = self.emit(Op::Gep, u8::from(inbounds), 0, ty, &[pointer]);
        self.extend(indices.iter().map(|i| i.raw()));
        id
    }

    /// `load` with an alignment in bytes
    pub fn load(&mut self, pointer: Value, align: u32) -> Value {
        self.load_with(pointer, align, false)
    }

    /// `load`, volatile or not
    pub fn load_with(&mut self, pointer: Value, align: u32, volatile: bool) -> Value {
        let ty = self.module.types().pointee(self.type_of(pointer)).unwrap_or(TypeId::VOID);
        self.emit(Op::Load, u8::from(volatile), align_code(align), ty, &[pointer])
    }

    /// `store` with an alignment in bytes
    pub fn store(&mut self, value: Value, pointer: Value, align: u32) -> Value {
        self.store_with(value, pointer, align, false)
    }

    /// `store`, volatile or not; the value returned only serves [`Builder::attach`].
    pub fn store_with(&mut self, value: Value, pointer: Value, align: u32, volatile: bool) -> Value {
        self.emit(Op::Store, u8::from(volatile), align_code(align), TypeId::VOID, &[pointer, value])
    }

    /// `alloca` of one `ty`
    pub fn alloca(&mut self, ty: TypeId, align: u32) -> Value {
        let one = self.module.i32(1);
        self.alloca_array(ty, one, align)
    }

    /// `alloca` of `count` elements of type `ty`; the count is an integer that need not be constant. Apple's compiler
    /// emits such allocas for AIR 2.8.
    pub fn alloca_array(&mut self, ty: TypeId, count: Value, align: u32) -> Value {
        let pointer = self.module.pointer(ty, 0);
        self.emit(Op::Alloca, 0, align_code(align), pointer, &[count])
    }

    /// The instruction just added, also one without a value such as a branch.
    pub fn last(&self) -> Option<Value> {
        let last = self.body.insts.len().checked_sub(1)?;
        Some(Value::new(ValueKind::Inst(last as u32)))
    }

    /// Removes the instruction just added, which must be without uses and without metadata.
    pub fn remove_last(&mut self) {
        if let Some(last) = self.body.insts.pop() {
            self.body.pool.truncate(last.start as usize);
        }
    }

    /// Puts metadata on the instruction just added.
    pub fn attach_last(&mut self, kind: Attachment, node: Md) {
        if let Some(last) = self.last() {
            self.attach(last, kind, node);
        }
    }

    /// States by `!range` that a loaded byte is zero or one.
    pub fn mark_boolean(&mut self, load: Value) {
        let bounds = [0, 2].map(|n| {
            let bound = self.module.int(TypeId::I8, n);
            self.module.md_value(bound)
        });
        let range = self.module.md_node(&bounds);
        self.attach(load, Attachment::RANGE, range);
    }

    /// Puts metadata on an instruction; cheapest on the latest ones.
    pub fn attach(&mut self, inst: Value, kind: Attachment, node: Md) {
        let ValueKind::Inst(inst) = inst.kind() else { return };
        let attached = &mut self.body.attached;
        let at = match attached.last() {
            Some(last) if last.inst > inst => attached.partition_point(|a| a.inst <= inst),
            _ => attached.len(),
        };
        attached.insert(at, Attached { inst, kind, node });
    }

    /// A value as an argument of a debug intrinsic.
    pub fn metadata_of(&mut self, value: Value) -> Value {
        if value.is_module_level() {
            return Value::metadata(self.module.md_value(value));
        }
        self.body.locals.push(value);
        Value::new(ValueKind::Local(self.body.locals.len() as u32 - 1))
    }

    /// Gives all instructions from index `first` on the same source location. Earlier ones have theirs already, or
    /// none.
    pub fn locate(&mut self, first: usize, place: Location) {
        let all = first as u32..self.body.insts.len() as u32;
        self.body.locations.extend(all.map(|inst| Location { inst, ..place }));
    }

    // ---- vectors and aggregates ----

    /// `extractelement`
    pub fn extract_element(&mut self, vector: Value, index: Value) -> Value {
        let ty = self.module.types().scalar(self.type_of(vector));
        self.emit(Op::ExtractElement, 0, 0, ty, &[vector, index])
    }

    /// `extractelement` with a constant index (`i64`, as Apple's compiler writes it)
    pub fn extract_lane(&mut self, vector: Value, lane: u32) -> Value {
        let index = self.module.i64(i64::from(lane));
        self.extract_element(vector, index)
    }

    /// `insertelement`
    pub fn insert_element(&mut self, vector: Value, element: Value, index: Value) -> Value {
        let ty = self.type_of(vector);
        self.emit(Op::InsertElement, 0, 0, ty, &[vector, element, index])
    }

    /// `insertelement` with a constant index
    pub fn insert_lane(&mut self, vector: Value, element: Value, lane: u32) -> Value {
        let index = self.module.i64(i64::from(lane));
        self.insert_element(vector, element, index)
    }

    /// `shufflevector`; the lane `None` is `undef`.
    pub fn shuffle(&mut self, a: Value, b: Value, lanes: &[impl Copy + Into<Option<u32>>]) -> Value {
        let mask_type = self.module.vector(TypeId::I32, lanes.len() as u32);
        let mut short = [0u64; 16];
        let mut count = 0;
        for (word, lane) in short.iter_mut().zip(lanes.iter().map_while(|&lane| lane.into())) {
            *word = u64::from(lane);
            count += 1;
        }
        let mask = if count == lanes.len() {
            self.module.data(mask_type, &short[..count])
        } else {
            let element = |&lane: &_| match Into::<Option<u32>>::into(lane) {
                None => self.module.undef(TypeId::I32),
                Some(lane) => self.module.constants.int(TypeId::I32, i64::from(lane as i32)),
            };
            let elements: Vec<Value> = lanes.iter().map(element).collect();
            self.module.aggregate(mask_type, &elements)
        };
        let scalar = self.module.types().scalar(self.type_of(a));
        let ty = self.module.vector(scalar, lanes.len() as u32);
        self.emit(Op::ShuffleVector, 0, 0, ty, &[a, b, mask])
    }

    /// `extractvalue`
    pub fn extract_value(&mut self, aggregate: Value, indices: &[u32]) -> Value {
        let mut ty = self.type_of(aggregate);
        for &index in indices {
            ty = self.module.types().member(ty, index).unwrap_or(TypeId::VOID);
        }
        let id = self.emit(Op::ExtractValue, 0, 0, ty, &[aggregate]);
        self.extend(indices.iter().copied());
        id
    }

    /// `insertvalue`
    pub fn insert_value(&mut self, aggregate: Value, element: Value, indices: &[u32]) -> Value {
        let ty = self.type_of(aggregate);
        let id = self.emit(Op::InsertValue, 0, 0, ty, &[aggregate, element]);
        self.extend(indices.iter().copied());
        id
    }

    /// The `fneg` instruction, which is outside the dialect: only for modules read from elsewhere.
    pub fn new_fneg(&mut self, value: Value) -> Value {
        let ty = self.type_of(value);
        self.emit(Op::FNeg, 0, 0, ty, &[value])
    }

    /// The `freeze` instruction, which is outside the dialect: only for modules read from elsewhere.
    pub fn new_freeze(&mut self, value: Value) -> Value {
        let ty = self.type_of(value);
        self.emit(Op::Freeze, 0, 0, ty, &[value])
    }
}

impl Module {
    /// Type of any value as seen from a function body.
    pub fn type_in(&self, body: &Body, value: Value) -> TypeId {
        match value.kind() {
            ValueKind::Inst(i) => body.insts.get(i as usize).map_or(TypeId::VOID, |i| i.ty),
            ValueKind::Arg(i) => {
                self.types().list(body.params).get(i as usize).copied().unwrap_or(TypeId::VOID)
            }
            _ => self.module_type(value),
        }
    }
}
