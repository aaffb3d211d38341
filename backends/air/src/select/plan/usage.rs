//! One walk over the code before anything is made: which resources, inputs and system values it uses and how, what it does to
//! memory, and whether each untyped value is better held as integer or as float.

use super::builtin_args::BuiltinArg;
use super::offset::{self, Lane, Step};
use crate::select::types::Class;
use airfoil_ir::alu::Base;
use airfoil_ir::intrinsic::IntrinsicFlags;
use airfoil_ir::{
    Access, AtomicOp, Body, DerefKind, Instr, InstrId, InstrKind, Interpolation, Intrinsic, IntrinsicOp,
    Jump, Modes, Sampling, Scalar, Scope, Shader, Slot, SystemValue, Tex, TexOp, TexSrc, Ty, Type, VarId,
};
use bitflags::bitflags;
use slotmap::{Key, SecondaryMap};
use smallvec::SmallVec;

/// Position of an instruction in dense tables.
#[inline]
pub(crate) fn slot(id: InstrId) -> usize {
    id.data().as_ffi() as u32 as usize
}

bitflags! {
    /// How a variable is used.
    #[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
    pub(crate) struct Use: u16 {
        /// Read.
        const READ = 1;
        /// Written.
        const WRITTEN = 2;
        /// Sampled through a sampler.
        const SAMPLED = 4;
        /// Compared with a reference.
        const SHADOW = 8;
        /// Used as the sampler of an instruction.
        const SAMPLER = 16;
        /// Accessed by `coherent` or `volatile` instructions.
        const VOLATILE = 32;
        /// Sampled without comparison.
        const PLAIN = 64;
    }

    /// What the function does.
    #[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
    pub(crate) struct Effects: u16 {
        /// Writes memory outside of the function.
        const WRITES = 1;
        /// Reads memory outside of the function.
        const READS = 2;
        /// Takes part in operations of several invocations.
        const CONVERGENT = 4;
        /// Loads an output or stores one conditionally, so outputs are kept in memory.
        const MEMORY_OUTPUTS = 8;
        /// Reads or writes workgroup memory by byte offset.
        const SHARED = 16;
        /// Reads the sizes of buffers.
        const BUFFER_SIZES = 32;
        /// Reads the push constants.
        const PUSH_CONSTANTS = 64;
        /// Reads the default uniform block.
        const UNIFORMS = 128;
        /// Has jumps out of the middle of the function.
        const EARLY_RETURN = 256;
        /// Touches memory other than by its arguments.
        const OTHER_MEMORY = 512;
        /// Compares and exchanges, for which the expected value must be in memory.
        const COMPARES = 1024;
    }
}

/// A way of reading a fragment input.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum InterpolationMode {
    /// Value of the provoking vertex.
    Flat,
    /// Interpolated at a fixed place.
    At(Interpolation, Sampling),
    /// Interpolated at a place that is computed.
    Pull(Interpolation),
}

/// A read of a stage input.
#[derive(Clone, Copy)]
pub(crate) struct InputUse {
    pub(crate) location: Slot,
    pub(crate) slots: u8,
    pub(crate) component: u8,
    pub(crate) comps: u8,
    pub(crate) ty: Scalar,
    pub(crate) mode: InterpolationMode,
    pub(crate) instr: InstrId,
}

/// A write of a stage output.
#[derive(Clone, Copy)]
pub(crate) struct OutputUse {
    pub(crate) location: Slot,
    pub(crate) slots: u8,
    pub(crate) component: u8,
    pub(crate) comps: u8,
    pub(crate) ty: Scalar,
    pub(crate) dual_source: u8,
    pub(crate) invariant: bool,
    pub(crate) instr: InstrId,
}

/// What the walk found.
pub(crate) struct Usage {
    /// Use of each variable.
    pub(crate) vars: SecondaryMap<VarId, Use>,
    pub(crate) effects: Effects,
    pub(crate) inputs: Vec<InputUse>,
    pub(crate) outputs: Vec<OutputUse>,
    /// Reads of the framebuffer.
    pub(crate) fetches: Vec<InstrId>,
    /// Components that each role needs; 0 = not used.
    pub(crate) builtin_args: [u8; BuiltinArg::COUNT],
    /// Values that go to or come from workgroup memory by byte offset.
    shared_values: Vec<InstrId>,
    /// By instruction.
    cells: Vec<Cell>,
}

/// What is known of an instruction.
#[derive(Clone, Copy)]
struct Cell {
    /// Values that are better held alike are a tree: the instruction one step closer to its root.
    parent: u32,
    /// Of a root: votes for floats less those for integers.
    score: i32,
    /// Uses as parts of byte offsets, which need no code of their own.
    absorbed: u32,
    /// Variable that a deref starts from.
    root: Option<VarId>,
}

/// Weight of what makes a value against what uses it.
const DEFINES: i32 = 3;

impl Usage {
    pub(crate) fn new(shader: &Shader, body: &Body) -> Usage {
        let n = body.instr_capacity() + 1;
        let mut usage = Usage {
            vars: SecondaryMap::with_capacity(shader.vars.capacity()),
            effects: Effects::empty(),
            inputs: Vec::new(),
            outputs: Vec::new(),
            fetches: Vec::new(),
            builtin_args: [0; BuiltinArg::COUNT],
            shared_values: Vec::new(),
            cells: (0..n as u32).map(|parent| Cell { parent, score: 0, absorbed: 0, root: None }).collect(),
        };
        let last = body.root().last;
        for block in body.blocks() {
            for id in body.instrs(block) {
                let instr = &body[id];
                match &instr.kind {
                    InstrKind::Alu(alu) => usage.alu(body, id, instr, alu),
                    InstrKind::Deref(d) => {
                        usage.cells[slot(id)].root = match d.kind {
                            DerefKind::Var(v) => Some(v),
                            _ => d.parent().and_then(|p| usage.root(p)),
                        };
                    }
                    InstrKind::Intrinsic(i) => usage.intrinsic(shader, body, id, instr, i),
                    InstrKind::Tex(t) => usage.tex(body, id, t),
                    InstrKind::Phi(srcs) => {
                        for s in srcs {
                            usage.join(body, id, s.value);
                            usage.whole(body, s.value);
                        }
                    }
                    InstrKind::Jump(Jump::Return) if block != last => {
                        usage.effects |= Effects::EARLY_RETURN | Effects::MEMORY_OUTPUTS;
                    }
                    InstrKind::Jump(Jump::Halt) => usage.effects |= Effects::WRITES | Effects::OTHER_MEMORY,
                    InstrKind::Call(_) => {}
                    InstrKind::Jump(_) | InstrKind::Const(_) | InstrKind::Undef => {}
                }
                if instr.is_convergent() {
                    usage.effects |= Effects::CONVERGENT;
                }
            }
        }
        usage
    }

    /// Whether workgroup memory is better declared as floats.
    pub(crate) fn shared_class(&self) -> Class {
        let float = |&v: &InstrId| self.class(v, 32) == Class::Float;
        if self.shared_values.iter().filter(|v| float(v)).count() * 2 > self.shared_values.len() {
            Class::Float
        } else {
            Class::Int
        }
    }

    /// Counts a use as part of a byte offset; a value with no other uses passes that on to its operands.
    fn absorb(&mut self, body: &Body, value: InstrId) {
        let mut open: SmallVec<[InstrId; 8]> = smallvec::smallvec![value];
        while let Some(value) = open.pop() {
            self.cells[slot(value)].absorbed += 1;
            if !self.is_absorbed(body, value) {
                continue;
            }
            let at = Lane { value, lane: 0 };
            match offset::step(body, at) {
                Some(Step::Sum(a, b)) => open.extend([a.value, b.value]),
                Some(Step::Product(a, _) | Step::Move(a)) => open.push(a.value),
                _ => {}
            }
        }
    }

    /// Whether a value is only part of byte offsets, which are taken apart where they are used.
    pub(crate) fn is_absorbed(&self, body: &Body, value: InstrId) -> bool {
        let instr = &body[value];
        let count = self.cells[slot(value)].absorbed;
        count != 0
            && count == instr.uses()
            && instr.ty == Ty::B32
            && instr.as_alu().is_some()
            && offset::step(body, Lane { value, lane: 0 }).is_some()
    }

    /// The variable that a deref starts from.
    pub(crate) fn root(&self, deref: InstrId) -> Option<VarId> {
        self.cells.get(slot(deref)).and_then(|c| c.root)
    }

    pub(crate) fn uses(&self, var: VarId) -> Use {
        self.vars.get(var).copied().unwrap_or_default()
    }

    pub(crate) fn has(&self, effect: Effects) -> bool {
        self.effects.contains(effect)
    }

    // ---- classes of values ----

    fn find(&self, mut at: u32) -> u32 {
        while self.cells[at as usize].parent != at {
            at = self.cells[at as usize].parent;
        }
        at
    }

    fn find_and_shorten(&mut self, mut at: u32) -> u32 {
        while self.cells[at as usize].parent != at {
            let up = self.cells[self.cells[at as usize].parent as usize].parent;
            self.cells[at as usize].parent = up;
            at = up;
        }
        at
    }

    fn vote(&mut self, value: InstrId, base: Base, weight: i32) {
        let sign = match base {
            Base::Float => weight,
            Base::Int | Base::Uint => -weight,
            Base::Bool | Base::Any => return,
        };
        let at = self.find_and_shorten(slot(value) as u32) as usize;
        self.cells[at].score = self.cells[at].score.saturating_add(sign);
    }

    fn vote_scalar(&mut self, value: InstrId, scalar: Scalar, weight: i32) {
        let base = match scalar {
            Scalar::Any | Scalar::Bool => Base::Any,
            s if s.is_float() => Base::Float,
            _ => Base::Int,
        };
        self.vote(value, base, weight);
    }

    /// Both values are better held alike. Constants fit everywhere and join nothing.
    fn join(&mut self, body: &Body, a: InstrId, b: InstrId) {
        if matches!(body[b].kind, InstrKind::Const(_) | InstrKind::Undef) {
            return;
        }
        let (x, y) = (self.find_and_shorten(slot(a) as u32), self.find_and_shorten(slot(b) as u32));
        if x != y {
            // The older value stays the root, which keeps chains short.
            let (low, high) = (x.min(y), x.max(y));
            self.cells[high as usize].parent = low;
            let score = self.cells[high as usize].score;
            self.cells[low as usize].score = self.cells[low as usize].score.saturating_add(score);
        }
    }

    /// How a value of `bits` bits is better held.
    pub(crate) fn class(&self, value: InstrId, bits: u8) -> Class {
        if !matches!(bits, 16 | 32) {
            return Class::Int;
        }
        let at = self.find(slot(value) as u32) as usize;
        if self.cells[at].score > 0 { Class::Float } else { Class::Int }
    }

    // ---- instructions ----

    fn alu(&mut self, body: &Body, id: InstrId, instr: &Instr, alu: &airfoil_ir::Alu) {
        let info = alu.op.info();
        for (i, src) in alu.srcs().enumerate() {
            match info.operands[i].base {
                Base::Any => self.join(body, id, src.value),
                base => self.vote(src.value, base, 1),
            }
            if let Some(sv) = system_value(body, src.value) {
                let lanes = info.operand_comps(i, instr.ty.comps) as usize;
                self.builtin_arg(sv, src.swizzle.max_component(lanes) as u8 + 1);
            }
        }
        self.vote(id, info.result.base, DEFINES);
    }

    /// A use that takes all components.
    fn whole(&mut self, body: &Body, value: InstrId) {
        if let Some(sv) = system_value(body, value) {
            self.builtin_arg(sv, body[value].ty.comps);
        }
    }

    fn builtin_arg(&mut self, sv: SystemValue, comps: u8) {
        for &(builtin, all) in BuiltinArg::of(sv) {
            let most = builtin.info().comps;
            let comps = if all { most } else { comps.min(most) };
            let have = &mut self.builtin_args[builtin as usize];
            *have = (*have).max(comps);
        }
    }

    fn use_var(&mut self, var: Option<VarId>, use_: Use) {
        let Some(var) = var else { return };
        match self.vars.get_mut(var) {
            Some(have) => *have |= use_,
            None => {
                self.vars.insert(var, use_);
            }
        }
    }

    fn intrinsic(&mut self, shader: &Shader, body: &Body, id: InstrId, instr: &Instr, i: &Intrinsic) {
        use IntrinsicOp as Op;
        let info = i.op.info();
        for (&value, shape) in i.srcs().iter().zip(info.operands) {
            if !shape.deref {
                if shape.same {
                    self.join(body, id, value);
                } else {
                    self.vote(value, shape.base, 1);
                }
                self.whole(body, value);
            }
        }
        if let Some(result) = info.result {
            self.vote(id, result.base, DEFINES);
        }
        if i.op.has(IntrinsicFlags::SUBGROUP) || i.op.has(IntrinsicFlags::QUAD) {
            self.effects |= Effects::CONVERGENT;
        }
        let access = i.access();
        let volatile = access.intersects(Access::VOLATILE | Access::COHERENT);
        let extra = if volatile { Use::VOLATILE } else { Use::empty() };
        let deref = i.srcs().iter().copied().find(|&v| body[v].as_deref().is_some());
        let var = deref.and_then(|d| self.root(d));
        let pointee = |d: InstrId| match body[d].as_deref().map(|d| &shader.types[d.ty]) {
            Some(Type::Vector { scalar, .. }) => *scalar,
            _ => Scalar::Any,
        };
        match i.op {
            Op::load_deref => {
                self.use_var(var, Use::READ | extra);
                self.vote_scalar(id, pointee(i.src(0)), DEFINES);
                self.deref_effects(body, deref, Effects::READS);
            }
            Op::store_deref => {
                self.use_var(var, Use::WRITTEN | extra);
                self.vote_scalar(i.src(1), pointee(i.src(0)), 1);
                self.deref_effects(body, deref, Effects::WRITES);
            }
            Op::copy_deref => {
                let source = self.root(i.src(1));
                self.use_var(var, Use::WRITTEN | extra);
                self.use_var(source, Use::READ | extra);
            }
            Op::deref_atomic | Op::deref_atomic_swap => {
                self.use_var(var, Use::READ | Use::WRITTEN | Use::VOLATILE);
                self.effects |= Effects::READS | Effects::WRITES;
                self.deref_effects(body, deref, Effects::READS | Effects::WRITES);
            }
            Op::load_input | Op::load_interpolated_input | Op::load_per_vertex_input => {
                let io = i.io();
                let mode = if i.op == Op::load_interpolated_input {
                    interpolation_mode(body, i.src(0))
                } else {
                    InterpolationMode::Flat
                };
                if matches!(mode, InterpolationMode::Pull(_)) {
                    // Through the interpolant, which is an argument.
                    self.effects |= Effects::READS;
                }
                self.vote_scalar(id, i.dest_type(), DEFINES);
                self.inputs.push(InputUse {
                    location: io.location,
                    slots: io.num_slots.max(1),
                    component: i.component() as u8,
                    comps: instr.ty.comps,
                    ty: i.dest_type(),
                    mode,
                    instr: id,
                });
            }
            Op::store_output | Op::store_per_vertex_output => {
                let io = i.io();
                self.vote_scalar(i.src(0), i.src_type(), 1);
                if i.op == Op::store_per_vertex_output {
                    // Written where it happens.
                    self.effects |= Effects::WRITES;
                } else {
                    let dynamic = body[i.src(1)].as_const().is_none();
                    let nested = !matches!(body.owner(body.block_of(id)), airfoil_ir::Owner::Root);
                    if dynamic || nested {
                        self.effects |= Effects::MEMORY_OUTPUTS;
                    }
                }
                let high = 8 - (i.write_mask() as u8 & 15).leading_zeros() as u8;
                self.outputs.push(OutputUse {
                    location: io.location,
                    slots: io.num_slots.max(1),
                    component: i.component() as u8,
                    comps: high.max(1),
                    ty: i.src_type(),
                    dual_source: io.dual_source,
                    invariant: io.invariant,
                    instr: id,
                });
            }
            Op::load_output if shader.stage == airfoil_ir::Stage::Fragment => self.fetches.push(id),
            Op::load_output => self.effects |= Effects::MEMORY_OUTPUTS,
            Op::set_mesh_outputs | Op::launch_mesh_workgroups => self.effects |= Effects::WRITES,
            Op::load_ubo | Op::load_ssbo => {
                self.use_var(var, Use::READ | extra);
                self.effects |= Effects::READS;
            }
            Op::store_ssbo => {
                self.use_var(var, Use::WRITTEN | extra);
                self.effects |= Effects::WRITES;
            }
            Op::ssbo_atomic | Op::ssbo_atomic_swap => {
                let load = i.op == Op::ssbo_atomic && i.atomic_op() == AtomicOp::Load;
                let written = if load { Use::empty() } else { Use::WRITTEN };
                self.use_var(var, Use::READ | Use::VOLATILE | written);
                self.effects |= Effects::READS | Effects::WRITES | Effects::OTHER_MEMORY;
                self.atomic_votes(i);
            }
            Op::get_ssbo_size | Op::deref_buffer_array_length => {
                self.use_var(var, Use::empty());
                self.effects |= Effects::BUFFER_SIZES | Effects::READS;
            }
            Op::load_push_constant => self.effects |= Effects::PUSH_CONSTANTS | Effects::READS,
            Op::load_uniform => self.effects |= Effects::UNIFORMS | Effects::READS,
            Op::load_shared | Op::store_shared | Op::shared_atomic | Op::shared_atomic_swap => {
                self.effects |= Effects::SHARED | Effects::READS | Effects::WRITES | Effects::OTHER_MEMORY;
                self.atomic_votes(i);
            }
            // Any address: no attribute may promise that memory is reached through arguments only.
            Op::load_global => self.effects |= Effects::READS | Effects::OTHER_MEMORY,
            Op::store_global => self.effects |= Effects::WRITES | Effects::OTHER_MEMORY,
            Op::global_atomic | Op::global_atomic_swap => {
                self.effects |= Effects::READS | Effects::WRITES | Effects::OTHER_MEMORY;
                self.atomic_votes(i);
            }
            Op::image_load => {
                self.use_var(var, Use::READ | extra);
                self.effects |= Effects::READS;
                self.vote_scalar(id, i.dest_type(), DEFINES);
            }
            Op::image_store => {
                self.use_var(var, Use::WRITTEN | extra);
                self.effects |= Effects::WRITES;
                self.vote_scalar(i.src(3), i.src_type(), 1);
            }
            Op::image_atomic | Op::image_atomic_swap => {
                self.use_var(var, Use::READ | Use::WRITTEN | Use::VOLATILE);
                self.effects |= Effects::READS | Effects::WRITES | Effects::OTHER_MEMORY;
            }
            Op::image_size | Op::image_samples => {
                self.use_var(var, Use::empty());
                self.effects |= Effects::READS;
            }
            Op::barrier
                if [i.execution_scope(), i.memory_scope()]
                    .iter()
                    .any(|scope| !matches!(scope, Scope::None | Scope::Invocation)) =>
            {
                self.effects |=
                    Effects::CONVERGENT | Effects::WRITES | Effects::READS | Effects::OTHER_MEMORY;
            }
            // Their values depend on which invocations are active or demoted.
            Op::is_helper_invocation | Op::load_helper_invocation | Op::elect => {
                self.effects |= Effects::READS | Effects::WRITES | Effects::OTHER_MEMORY;
            }
            Op::discard | Op::discard_if | Op::demote | Op::demote_if | Op::terminate | Op::terminate_if => {
                self.effects |= Effects::WRITES | Effects::OTHER_MEMORY;
            }
            _ => {}
        }
        if let Some(offset) = byte_offset(i) {
            self.absorb(body, offset);
        }
        if matches!(
            i.op,
            Op::inverse_ballot | Op::ballot_bit_count_inclusive | Op::ballot_bit_count_exclusive
        ) {
            self.builtin_arg(SystemValue::subgroup_invocation, 1);
        }
        if matches!(i.op, Op::load_shared | Op::store_shared) {
            let value = if i.op == Op::load_shared { id } else { i.src(0) };
            self.shared_values.push(value);
        }
        if matches!(
            i.op,
            Op::ssbo_atomic_swap
                | Op::shared_atomic_swap
                | Op::deref_atomic_swap
                | Op::global_atomic_swap
                | Op::image_atomic_swap
        ) {
            self.effects |= Effects::COMPARES;
        }
        if let Some(sv) = i.op.system_value() {
            // The components are known from the uses; one that is not used needs nothing.
            if instr.ty.comps == 1 {
                self.builtin_arg(sv, 1);
            }
        }
    }

    fn atomic_votes(&mut self, i: &Intrinsic) {
        use IntrinsicOp as Op;
        if matches!(i.op, Op::ssbo_atomic | Op::shared_atomic | Op::global_atomic) {
            let float = matches!(i.atomic_op(), AtomicOp::Fadd | AtomicOp::Fmin | AtomicOp::Fmax);
            let data = i.src(if i.op == Op::ssbo_atomic { 2 } else { 1 });
            self.vote(data, if float { Base::Float } else { Base::Int }, 1);
        }
    }

    fn deref_effects(&mut self, body: &Body, deref: Option<InstrId>, effect: Effects) {
        let modes = deref.and_then(|d| body[d].as_deref()).map_or(Modes::empty(), |d| d.modes);
        if !(modes - (Modes::FUNCTION_TEMP | Modes::SHADER_TEMP)).is_empty() {
            self.effects |= effect | Effects::OTHER_MEMORY;
        }
    }

    fn tex(&mut self, body: &Body, id: InstrId, t: &Tex) {
        self.vote_scalar(id, t.dest_type, DEFINES);
        self.effects |= Effects::READS;
        for &(role, value) in &t.srcs {
            match role {
                TexSrc::Texture | TexSrc::Sampler => continue,
                TexSrc::Offset | TexSrc::MsIndex => self.vote(value, Base::Int, 1),
                TexSrc::Coord | TexSrc::Lod if t.op.is_fetch() || t.op == TexOp::Txs => {
                    self.vote(value, Base::Int, 1);
                }
                _ => self.vote(value, Base::Float, 1),
            }
            self.whole(body, value);
        }
        let texture = t.src(TexSrc::Texture).and_then(|d| self.root(d));
        let sampler = t.src(TexSrc::Sampler).and_then(|d| self.root(d));
        let sampled = !t.op.is_query() && !t.op.is_fetch();
        let mut use_ = Use::READ;
        if sampled || t.op == TexOp::Lod {
            use_ |= Use::SAMPLED;
        }
        if sampled {
            use_ |= if t.shadow { Use::SHADOW } else { Use::PLAIN };
        }
        self.use_var(texture, use_);
        if sampled || t.op == TexOp::Lod {
            self.use_var(sampler.or(texture), Use::SAMPLER);
        }
    }
}

/// The operand of a memory access that is a byte offset.
fn byte_offset(i: &Intrinsic) -> Option<InstrId> {
    use IntrinsicOp as Op;
    let at = match i.op {
        Op::load_ubo | Op::load_ssbo | Op::ssbo_atomic | Op::ssbo_atomic_swap | Op::store_shared => 1,
        Op::store_ssbo => 2,
        Op::load_push_constant
        | Op::load_uniform
        | Op::load_shared
        | Op::shared_atomic
        | Op::shared_atomic_swap => 0,
        _ => return None,
    };
    Some(i.src(at))
}

fn system_value(body: &Body, value: InstrId) -> Option<SystemValue> {
    body[value].as_intrinsic()?.op.system_value()
}

/// How barycentric coordinates say to interpolate.
fn interpolation_mode(body: &Body, bary: InstrId) -> InterpolationMode {
    use IntrinsicOp as Op;
    let Some(i) = body[bary].as_intrinsic() else {
        return InterpolationMode::At(Interpolation::Smooth, Sampling::Center);
    };
    match i.op {
        Op::load_barycentric_centroid => InterpolationMode::At(i.interp(), Sampling::Centroid),
        Op::load_barycentric_sample => InterpolationMode::At(i.interp(), Sampling::Sample),
        Op::load_barycentric_at_sample | Op::load_barycentric_at_offset => {
            InterpolationMode::Pull(i.interp())
        }
        _ => InterpolationMode::At(i.interp(), Sampling::Center),
    }
}
