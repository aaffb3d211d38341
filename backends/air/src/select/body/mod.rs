//! The function body: values, control flow and the calls of `air.*` functions. What single instructions become is
//! in the sibling modules `alu`, `memory`, `texture`, `image`, `io` and `group`.

pub(crate) mod alu;
pub(crate) mod alu_tables;
pub(crate) mod atomic;
pub(crate) mod calls;
pub(crate) mod image;
pub(crate) mod io;
pub(crate) mod memory;
pub(crate) mod subgroup;
pub(crate) mod texture;
pub(crate) mod variables;

use crate::module::{AttrSet, BlockId as AirBlock, Builder, Module, TypeId, Value};
use crate::select::debug::Places;
use crate::select::errors::{self, Errors};
use crate::select::options::Options;
use crate::select::plan::usage::{Effects, Scan, slot};
use crate::select::signature::function_constants::FunctionConstants;
use crate::select::signature::{BufferArg, Interface};
use crate::select::types::{Class, Layouts, ValueTypes, scalar_type};
use airfoil_ir::{
    BlockId, Body, Cf, InstrId, InstrKind, Jump, Lanes, Loc, Owner, Shader, Src, Swizzle, Ty, VarId, bit_mask,
};
use rustc_hash::FxHashMap;
use slotmap::SecondaryMap;
use smallvec::SmallVec;

use calls::*;
/// An emitted value and what was made of it in the block where it was last asked for.
#[derive(Clone, Copy)]
struct Held {
    value: Option<Value>,
    class: Class,
    /// The same bits in the other class, in block `other_block`.
    other: Option<Value>,
    other_block: u32,
    lanes: [Option<Value>; 4],
    lanes_block: u32,
}

const NOTHING: Held = Held {
    value: None,
    class: Class::Int,
    other: None,
    other_block: u32::MAX,
    lanes: [None; 4],
    lanes_block: u32::MAX,
};

/// A block of the IR: where its code starts and where it ends.
#[derive(Clone, Copy)]
struct Placed {
    first: AirBlock,
    reached: bool,
}

/// Emits the body of the entry function.
pub(crate) struct Emit<'a> {
    pub(crate) b: Builder<'a>,
    pub(crate) shader: &'a Shader,
    pub(crate) body: &'a Body,
    pub(crate) options: &'a Options,
    pub(crate) scan: &'a Scan,
    pub(crate) face: &'a Interface,
    pub(crate) constants: &'a FunctionConstants,
    pub(crate) errors: &'a mut Errors,
    pub(crate) layouts: &'a mut Layouts,
    pub(crate) values: &'a mut ValueTypes,
    held: Vec<Held>,
    placed: SecondaryMap<BlockId, Placed>,
    phis: Vec<(u32, Value, AirBlock)>,
    pub(crate) functions: FxHashMap<(&'static str, u64), Value>,
    pub(crate) attributes: [Option<AttrSet>; EFFECTS],
    /// Source place of the instruction being emitted.
    pub(crate) loc: Loc,
    /// Debug information, if it is asked for.
    pub(crate) places: Option<Places<'a>>,
    /// Memory of variables.
    pub(crate) memory: SecondaryMap<VarId, Value>,
    /// Address of each deref, by instruction.
    pub(crate) addresses: FxHashMap<u32, memory::Place>,
    /// Outputs: the values so far, or their memory.
    pub(crate) outputs: Vec<io::OutputState>,
    /// Workgroup memory that is addressed by bytes.
    pub(crate) shared: Option<(BufferArg, Value)>,
    /// Number of the current block, for what is only known to be available there.
    epoch: u32,
    /// Where returns go when there are several.
    exit: Option<AirBlock>,
    /// Allocas go in front of everything else.
    pub(crate) scratch: FxHashMap<TypeId, Value>,
    pub(crate) read_sampler: Option<(u32, Value)>,
    /// Lane numbers, which almost every function needs.
    lane_numbers: [Option<Value>; 4],
    /// 32-bit indices of this block and the same as 64-bit ones.
    pub(crate) wide_indices: SmallVec<[(Value, Value); 8]>,
}

/// The parts that an [`Emit`] is made of.
pub(crate) struct Parts<'a> {
    pub(crate) shader: &'a Shader,
    pub(crate) body: &'a Body,
    pub(crate) options: &'a Options,
    pub(crate) scan: &'a Scan,
    pub(crate) face: &'a Interface,
    pub(crate) constants: &'a FunctionConstants,
    pub(crate) errors: &'a mut Errors,
    pub(crate) layouts: &'a mut Layouts,
    pub(crate) values: &'a mut ValueTypes,
    pub(crate) places: Option<Places<'a>>,
}

impl<'a> Emit<'a> {
    pub(crate) fn new(module: &'a mut Module, function: Value, parts: Parts<'a>) -> Emit<'a> {
        let Parts { shader, body, options, scan, face, constants, errors, layouts, values, places } = parts;
        Emit {
            b: module.build(function),
            shader,
            body,
            options,
            scan,
            face,
            constants,
            errors,
            layouts,
            values,
            held: vec![NOTHING; body.instr_capacity() + 1],
            placed: SecondaryMap::with_capacity(body.num_blocks() + 1),
            phis: Vec::new(),
            functions: FxHashMap::default(),
            attributes: [None; EFFECTS],
            loc: Loc::NONE,
            places,
            memory: SecondaryMap::new(),
            addresses: FxHashMap::default(),
            outputs: Vec::new(),
            shared: None,
            epoch: 0,
            exit: None,
            scratch: FxHashMap::default(),
            read_sampler: None,
            lane_numbers: [None; 4],
            wide_indices: SmallVec::new(),
        }
    }

    /// Emits everything.
    pub(crate) fn run(mut self) {
        let entry = self.body.entry();
        let first = self.b.block();
        self.placed.insert(entry, Placed { first, reached: true });
        self.b.start(first);
        self.name_arguments();
        if self.scan.has(Effects::COMPARES) {
            self.reserve_scratch(TypeId::I32);
            let four = self.value_type(Class::Int, 32, 4);
            self.reserve_scratch(four);
        }
        self.make_variables();
        self.name_memory();
        self.make_outputs();
        if self.scan.has(Effects::EARLY_RETURN) {
            self.exit = Some(self.b.block());
        }
        self.come_from(Loc::NONE);
        if self.head_of_loop(entry) {
            // LLVM's entry block cannot be a branch target.
            let head = self.b.block();
            self.b.br(head);
            self.open(head);
            self.placed[entry].first = head;
        }
        for block in self.body.blocks() {
            let Some(placed) = self.placed.get(block).copied().filter(|p| p.reached) else { continue };
            if block != entry {
                self.open(placed.first);
            }
            let body = self.body;
            let mut last = Loc::NONE;
            self.start_names(block);
            for id in body.instrs(block) {
                self.names_before(block, id);
                self.instruction(id);
                last = body[id].loc;
                self.come_from(last);
                self.names_after(id);
            }
            self.names_at_end(block);
            self.leave(block);
            // The branch belongs to what was done last.
            self.come_from(last);
        }
        if let Some(exit) = self.exit {
            self.open(exit);
            self.return_outputs();
            self.come_from(Loc::NONE);
        }
        self.finish_phis();
        self.b.finish();
    }

    /// Whether a block is the first of a loop.
    fn head_of_loop(&self, block: BlockId) -> bool {
        match self.body.owner(block) {
            Owner::Loop(cf) => self.body.as_loop(cf).is_some_and(|l| l.body().first == block),
            _ => false,
        }
    }

    // ---- control flow ----

    /// Starts a block of the module. What is cached for the block before is no longer valid.
    pub(crate) fn open(&mut self, block: AirBlock) {
        self.b.start(block);
        self.epoch += 1;
        self.wide_indices.clear();
    }

    /// The block of the module where a block of the IR starts; it is reached from now on.
    fn target(&mut self, block: BlockId) -> AirBlock {
        if let Some(placed) = self.placed.get_mut(block) {
            placed.reached = true;
            return placed.first;
        }
        let first = self.b.block();
        self.placed.insert(block, Placed { first, reached: true });
        first
    }

    /// Ends a block: incoming values of phis behind it, then the branch.
    fn leave(&mut self, block: BlockId) {
        if self.b.is_terminated() {
            return;
        }
        let body = self.body;
        match body.jump(block) {
            Some(Jump::Return) => return self.go_to_exit(),
            Some(Jump::Halt) => return self.halt(self.discards_before_jump(block)),
            _ => {}
        }
        let successors = body.successors(block);
        for next in successors.into_iter().flatten() {
            self.feed_phis(block, next);
        }
        match successors {
            [Some(yes), Some(no)] => {
                let cond = match body.next_cf(block).map(|cf| body.cf(cf)) {
                    Some(Cf::If(n)) => n.cond(),
                    _ => return self.b.unreachable(),
                };
                let condition = self.scalar(cond, Class::Int);
                let (yes, no) = (self.target(yes), self.target(no));
                self.b.cond_br(condition, yes, no);
            }
            [Some(next), None] | [None, Some(next)] => {
                let next = self.target(next);
                self.b.br(next);
            }
            [None, None] => self.go_to_exit(),
        }
    }

    fn go_to_exit(&mut self) {
        match self.exit {
            Some(exit) => self.b.br(exit),
            None => self.return_outputs(),
        }
    }

    /// Ends the invocation: what it returns does not matter.
    ///
    /// A fragment shader that has not discarded yet does so: what it would return is undefined.
    pub(crate) fn halt(&mut self, discarded: bool) {
        if self.shader.stage == airfoil_ir::Stage::Fragment && !discarded {
            self.air("air.discard_fragment", 0, TypeId::VOID, &[], Effect::Any, |_| String::new());
        }
        if self.face.ret == TypeId::VOID {
            self.b.ret_void();
        } else {
            let value = self.b.module.undef(self.face.ret);
            self.b.ret(value);
        }
    }

    /// Whether the instruction before the jump of a block discards the fragment: no need to do it again.
    fn discards_before_jump(&self, block: BlockId) -> bool {
        use airfoil_ir::IntrinsicOp as Op;
        let before = self.body.last_instr(block).and_then(|jump| self.body.prev(jump));
        let op = before.and_then(|i| self.body[i].as_intrinsic()).map(|i| i.op);
        matches!(op, Some(Op::discard | Op::demote | Op::terminate))
    }

    /// Makes the values that the phis of `next` take from here.
    fn feed_phis(&mut self, block: BlockId, next: BlockId) {
        let body = self.body;
        for phi in body.phis(next) {
            let Some(srcs) = body[phi].as_phi() else { continue };
            let Some(src) = srcs.iter().find(|s| s.pred == block) else { continue };
            let (ty, class) = (body[phi].ty, self.scan.class(phi, body[phi].ty.bits));
            let value = self.whole(src.value, ty.comps, class);
            let Some(from) = self.b.current() else { continue };
            self.phis.push((slot(phi) as u32, value, from));
        }
    }

    fn finish_phis(&mut self) {
        let mut list = std::mem::take(&mut self.phis);
        list.sort_by_key(|p| p.0);
        let mut incoming: SmallVec<[(Value, AirBlock); 8]> = SmallVec::new();
        let mut at = 0;
        while at < list.len() {
            let phi = list[at].0;
            incoming.clear();
            while at < list.len() && list[at].0 == phi {
                incoming.push((list[at].1, list[at].2));
                at += 1;
            }
            if let Some(value) = self.held[phi as usize].value {
                self.b.set_incoming(value, &incoming);
            }
        }
    }

    // ---- instructions ----

    fn instruction(&mut self, id: InstrId) {
        let body = self.body;
        let instr = &body[id];
        self.loc = instr.loc;
        match &instr.kind {
            InstrKind::Alu(_) if self.scan.is_absorbed(body, id) => {}
            InstrKind::Alu(alu) => self.alu(id, alu, instr.ty),
            InstrKind::Phi(_) => {
                let class = self.scan.class(id, instr.ty.bits);
                let ty = self.value_type(class, instr.ty.bits, instr.ty.comps);
                let value = self.b.phi(ty);
                self.set(id, value, class);
            }
            InstrKind::Intrinsic(i) => self.intrinsic(id, i, instr.ty),
            InstrKind::Tex(t) => self.texture(id, t, instr.ty),
            InstrKind::Call(_) => {
                self.refuse(errors::NOT_SELECTABLE, "calls must be inlined before selection")
            }
            InstrKind::Deref(d) => self.deref(id, d),
            // Constants and undefined values are made where they are used.
            InstrKind::Const(_) | InstrKind::Undef | InstrKind::Jump(_) => {}
        }
    }

    /// Reports an error at the current instruction.
    pub(crate) fn refuse(&mut self, code: &'static str, message: impl Into<String>) {
        self.errors.at(self.shader, self.loc, code, message);
    }

    /// Reports an error at the current instruction and gives it an undefined value.
    pub(crate) fn refuse_value(&mut self, id: InstrId, code: &'static str, message: impl Into<String>) {
        self.refuse(code, message);
        self.set_undef(id);
    }

    pub(crate) fn set_undef(&mut self, id: InstrId) {
        let ty = self.body[id].ty;
        if !ty.is_none() {
            let air = self.value_type(Class::Int, ty.bits, ty.comps);
            let value = self.b.module.undef(air);
            self.set(id, value, Class::Int);
        }
    }

    // ---- values ----

    /// The number of a lane as an operand.
    fn lane_number(&mut self, lane: u32) -> Value {
        let module = &mut *self.b.module;
        match self.lane_numbers.get_mut(lane as usize) {
            Some(number) => *number.get_or_insert_with(|| module.i64(i64::from(lane))),
            None => module.i64(i64::from(lane)),
        }
    }

    pub(crate) fn value_type(&mut self, class: Class, bits: u8, comps: u8) -> TypeId {
        self.values.get(self.b.module, class, bits, comps)
    }

    /// Says what an instruction's value is.
    pub(crate) fn set(&mut self, id: InstrId, value: Value, class: Class) {
        self.held[slot(id)] = Held { value: Some(value), class, ..NOTHING };
    }

    pub(crate) fn bits(&self, value: InstrId) -> u8 {
        self.body[value].ty.bits
    }

    pub(crate) fn constant_lanes(&self, value: InstrId) -> Option<&'a Lanes> {
        self.body.get(value)?.as_const()
    }

    /// A constant of a class.
    pub(crate) fn constant(&mut self, lanes: &[u64], bits: u8, class: Class) -> Value {
        let scalar = scalar_type(class, bits);
        match lanes {
            [lane] => match class {
                Class::Float if bits != 64 => {
                    self.b.module.float_bits(scalar, lane & bit_mask(u32::from(bits)))
                }
                _ => self.b.module.int(scalar, *lane as i64),
            },
            _ => {
                let ty = self.value_type(class, bits, lanes.len() as u8);
                self.b.module.data(ty, lanes)
            }
        }
    }

    /// A whole value with `comps` components in a class. Built-ins may hold fewer; what is missing is undefined.
    pub(crate) fn whole(&mut self, value: InstrId, comps: u8, class: Class) -> Value {
        self.src(Src::from(value), comps, class)
    }

    /// A value's first component in a class.
    pub(crate) fn scalar(&mut self, value: InstrId, class: Class) -> Value {
        self.lane(value, 0, class)
    }

    /// The lanes of an operand.
    pub(crate) fn src(&mut self, src: Src, comps: u8, class: Class) -> Value {
        let body = self.body;
        let n = usize::from(comps);
        match &body[src.value].kind {
            InstrKind::Const(lanes) => {
                let lanes: SmallVec<[u64; 4]> = (0..n).map(|i| lanes[src.swizzle.get(i)]).collect();
                return self.constant(&lanes, self.bits(src.value), class);
            }
            InstrKind::Undef => {
                let ty = self.value_type(class, self.bits(src.value), comps);
                return self.b.module.undef(ty);
            }
            _ => {}
        }
        if n == 1 {
            return self.lane(src.value, src.swizzle.get(0), class);
        }
        let value = self.in_class(src.value, class);
        let ty = self.b.type_of(value);
        let len = self.b.module.types().vector_len(ty).unwrap_or(1);
        if len == u32::from(comps) && src.swizzle.is_identity(n) {
            return value;
        }
        self.swizzle(value, len, src.swizzle, n)
    }

    /// `n` lanes of a vector of `len` components (or of a scalar).
    fn swizzle(&mut self, value: Value, len: u32, swizzle: Swizzle, n: usize) -> Value {
        if len == 1 {
            return self.splat(value, n as u32);
        }
        let lanes: SmallVec<[u32; 4]> = (0..n)
            .map(|i| {
                let lane = swizzle.get(i) as u32;
                if lane < len { lane } else { u32::MAX }
            })
            .collect();
        let ty = self.b.type_of(value);
        let undef = self.b.module.undef(ty);
        self.b.shuffle(value, undef, &lanes)
    }

    /// A scalar in all lanes of a vector.
    pub(crate) fn splat(&mut self, value: Value, n: u32) -> Value {
        if n <= 1 {
            return value;
        }
        let scalar = self.b.type_of(value);
        let ty = self.b.module.vector(scalar, n);
        if self.b.module.constant(value).is_some() {
            return self.b.module.splat(ty, value);
        }
        let undef = self.b.module.undef(ty);
        let first = self.b.insert_lane(undef, value, 0);
        let zeros: SmallVec<[u32; 4]> = smallvec::smallvec![0; n as usize];
        self.b.shuffle(first, undef, &zeros)
    }

    /// One component of a value.
    pub(crate) fn lane(&mut self, value: InstrId, lane: usize, class: Class) -> Value {
        match &self.body[value].kind {
            InstrKind::Const(lanes) => {
                let lane = lanes[lane & 3];
                return self.constant(&[lane], self.bits(value), class);
            }
            InstrKind::Undef => {
                let ty = scalar_type(class, self.bits(value));
                return self.b.module.undef(ty);
            }
            _ => {}
        }
        let at = slot(value);
        let held = self.held[at];
        let Some(own) = held.value else { return self.missing(value, 1, class) };
        let ty = self.b.type_of(own);
        let element = match self.b.module.types().vector_len(ty) {
            None if lane == 0 => return self.in_class(value, class),
            None => {
                let scalar = scalar_type(class, self.bits(value));
                return self.b.module.undef(scalar);
            }
            Some(len) if lane as u32 >= len => {
                let scalar = scalar_type(class, self.bits(value));
                return self.b.module.undef(scalar);
            }
            Some(_) => match held.lanes[lane & 3].filter(|_| held.lanes_block == self.epoch) {
                Some(element) => element,
                None => {
                    let number = self.lane_number(lane as u32);
                    let element = self.b.extract_element(own, number);
                    let held = &mut self.held[at];
                    if held.lanes_block != self.epoch {
                        (held.lanes, held.lanes_block) = ([None; 4], self.epoch);
                    }
                    held.lanes[lane & 3] = Some(element);
                    element
                }
            },
        };
        self.cast(element, held.class, class)
    }

    /// What was made of an instruction, if it has been made.
    pub(crate) fn held_value(&self, value: InstrId) -> Option<Value> {
        self.held[slot(value)].value
    }

    /// A whole value as it is, in a class.
    pub(crate) fn in_class(&mut self, value: InstrId, class: Class) -> Value {
        let held = self.held[slot(value)];
        let Some(own) = held.value else {
            let comps = self.body[value].ty.comps;
            return self.missing(value, comps, class);
        };
        if held.class == class {
            return own;
        }
        if let Some(other) = held.other.filter(|_| held.other_block == self.epoch) {
            return other;
        }
        let other = self.cast(own, held.class, class);
        let held = &mut self.held[slot(value)];
        (held.other, held.other_block) = (Some(other), self.epoch);
        other
    }

    /// Stands in for a value that was never made, which only broken input leads to.
    fn missing(&mut self, value: InstrId, comps: u8, class: Class) -> Value {
        match &self.body[value].kind {
            InstrKind::Const(_) | InstrKind::Undef => return self.src(Src::from(value), comps, class),
            InstrKind::Deref(_) => self.refuse(errors::MEMORY, "a deref is used as a value"),
            _ => self.refuse(errors::NOT_SELECTABLE, "a value is used before it is made"),
        }
        let ty = self.value_type(class, self.bits(value), comps.max(1));
        self.b.module.undef(ty)
    }

    /// The same bits in another class.
    pub(crate) fn cast(&mut self, value: Value, from: Class, to: Class) -> Value {
        if from == to {
            return value;
        }
        let ty = self.b.type_of(value);
        let (scalar, len) = {
            let types = self.b.module.types();
            (types.scalar(ty), types.vector_len(ty))
        };
        let scalar = match (scalar, to) {
            (TypeId::I16, Class::Float) => TypeId::HALF,
            (TypeId::I32, Class::Float) => TypeId::FLOAT,
            (TypeId::HALF, Class::Int) => TypeId::I16,
            (TypeId::FLOAT, Class::Int) => TypeId::I32,
            _ => return value,
        };
        let wanted = match len {
            Some(len) => self.b.module.vector(scalar, len),
            None => scalar,
        };
        self.b.bitcast(value, wanted)
    }

    /// A vector (or scalar) of scalars of one type.
    pub(crate) fn vector_of(&mut self, lanes: &[Value]) -> Value {
        let [first, ..] = lanes else { return self.b.module.undef(TypeId::I32) };
        if lanes.len() == 1 {
            return *first;
        }
        let scalar = self.b.type_of(*first);
        let ty = self.b.module.vector(scalar, lanes.len() as u32);
        // Constant lanes are there from the start.
        let fixed: SmallVec<[Value; 4]> = lanes
            .iter()
            .map(|&l| if self.b.module.constant(l).is_some() { l } else { self.b.module.undef(scalar) })
            .collect();
        let mut value = self.b.module.aggregate_or_data(ty, &fixed);
        for (i, &lane) in lanes.iter().enumerate() {
            if self.b.module.constant(lane).is_none() {
                let number = self.lane_number(i as u32);
                value = self.b.insert_element(value, lane, number);
            }
        }
        value
    }

    /// The first `n` lanes of a vector, or a scalar or vector filled up with undefined lanes.
    pub(crate) fn resize(&mut self, value: Value, n: u32) -> Value {
        let ty = self.b.type_of(value);
        let len = self.b.module.types().vector_len(ty).unwrap_or(1);
        match (len, n) {
            _ if len == n => value,
            (_, 1) => self.b.extract_lane(value, 0),
            (1, _) => {
                let wide = self.b.module.vector(ty, n);
                let undef = self.b.module.undef(wide);
                self.b.insert_lane(undef, value, 0)
            }
            _ => {
                let lanes: SmallVec<[u32; 4]> = (0..n).map(|i| if i < len { i } else { u32::MAX }).collect();
                let undef = self.b.module.undef(ty);
                self.b.shuffle(value, undef, &lanes)
            }
        }
    }

    /// Number of the current block, for caches.
    pub(crate) fn epoch(&self) -> u32 {
        self.epoch
    }

    /// The shape of a value in the IR.
    pub(crate) fn ty(&self, value: InstrId) -> Ty {
        self.body[value].ty
    }
}

impl Module {
    /// A constant vector of constant lanes; plain numbers become plain data, as readers of bitcode want it.
    pub(crate) fn aggregate_or_data(&mut self, ty: TypeId, lanes: &[Value]) -> Value {
        let words: Option<SmallVec<[u64; 4]>> = lanes
            .iter()
            .map(|&l| match self.constant(l)? {
                crate::module::Const::Null => Some(0),
                crate::module::Const::Int(v) => Some(v as u64),
                crate::module::Const::Float(bits) => Some(bits),
                _ => None,
            })
            .collect();
        match words {
            Some(words) => {
                let scalar = self.types().scalar(ty);
                let mask = bit_mask(self.types().bits(scalar));
                let words: SmallVec<[u64; 4]> = words.iter().map(|w| w & mask).collect();
                self.data(ty, &words)
            }
            None => self.aggregate(ty, lanes),
        }
    }
}
