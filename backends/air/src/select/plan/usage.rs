//! One walk over the code before anything is emitted: the resources, inputs and system values that it uses, the memory that it
//! accesses, and whether each untyped value is better held as integer or as float.

mod classes;
pub(crate) mod fusion;

use super::builtin_args::BuiltinArg;
use super::offset::{self, Lane, Step};
use crate::select::types::Class;
use airfoil_ir::alu::Base;
use airfoil_ir::intrinsic::{IntrinsicFlags, MemoryAccess, MemoryAction};
use airfoil_ir::{
    Access, AtomicOp, Body, Deref, DerefKind, Instr, InstrId, InstrKind, Interpolation, Intrinsic,
    IntrinsicOp, Jump, Modes, Owner, Sampling, Scalar, Scope, Shader, Slot, Stage, SystemValue, Tex, TexOp,
    TexSrc, Ty, Type, VarId,
};
use bitflags::bitflags;
use slotmap::SecondaryMap;
use smallvec::SmallVec;

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

    /// Properties of the function: the memory that it accesses, and the requirements of its emission.
    #[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
    pub(crate) struct Features: u16 {
        /// Writes memory outside of the function.
        const WRITES = 1;
        /// Reads memory outside of the function.
        const READS = 2;
        /// Takes part in operations of several invocations.
        const CONVERGENT = 4;
        /// Stores an output with a dynamic index or in a block that others follow, so outputs are kept in memory.
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
    /// Interpolated at a fixed location.
    At(Interpolation, Sampling),
    /// Interpolated at a computed location.
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

/// The result of the walk.
pub(crate) struct Usage {
    /// Use of each variable.
    pub(crate) vars: SecondaryMap<VarId, Use>,
    pub(crate) features: Features,
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

/// Facts about an instruction.
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
    /// The only use can take it over.
    fused: bool,
}

/// Memory that is addressed by byte offset.
const BYTE_OFFSETS: Modes =
    Modes::UBO.union(Modes::SSBO).union(Modes::SHARED).union(Modes::PUSH_CONST).union(Modes::UNIFORM);

/// Weight of a definition relative to a use.
const DEFINES: i32 = 3;

impl Usage {
    pub(crate) fn new(shader: &Shader, body: &Body) -> Usage {
        let n = body.instr_capacity() + 1;
        let mut usage = Usage {
            vars: SecondaryMap::with_capacity(shader.vars.capacity()),
            features: Features::empty(),
            inputs: Vec::new(),
            outputs: Vec::new(),
            fetches: Vec::new(),
            builtin_args: [0; BuiltinArg::COUNT],
            shared_values: Vec::new(),
            cells: (0..n as u32)
                .map(|parent| Cell { parent, score: 0, absorbed: 0, root: None, fused: false })
                .collect(),
        };
        let last = body.root().last;
        for block in body.blocks() {
            for id in body.instrs(block) {
                let instr = &body[id];
                match &instr.kind {
                    InstrKind::Alu(alu) => usage.alu(body, id, instr, alu),
                    InstrKind::Deref(d) => {
                        usage.cells[id.index()].root = match d.kind {
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
                        usage.features |= Features::EARLY_RETURN;
                    }
                    InstrKind::Jump(Jump::Halt) => {
                        usage.features |= Features::WRITES | Features::OTHER_MEMORY
                    }
                    InstrKind::Call(_) => {}
                    InstrKind::Jump(_) | InstrKind::Const(_) | InstrKind::Undef => {}
                }
                if instr.is_convergent() {
                    usage.features |= Features::CONVERGENT;
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
            self.cells[value.index()].absorbed += 1;
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

    /// Whether a value is only part of byte offsets, which are decomposed where they are used.
    pub(crate) fn is_absorbed(&self, body: &Body, value: InstrId) -> bool {
        let instr = &body[value];
        let count = self.cells[value.index()].absorbed;
        count != 0
            && count == instr.uses()
            && instr.ty == Ty::B32
            && instr.as_alu().is_some()
            && offset::step(body, Lane { value, lane: 0 }).is_some()
    }

    /// The variable that a deref starts from.
    pub(crate) fn root(&self, deref: InstrId) -> Option<VarId> {
        self.cells.get(deref.index()).and_then(|c| c.root)
    }

    pub(crate) fn uses(&self, var: VarId) -> Use {
        self.vars.get(var).copied().unwrap_or_default()
    }

    pub(crate) fn has(&self, feature: Features) -> bool {
        self.features.contains(feature)
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
        self.fuse(body, id, alu);
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
            self.features |= Features::CONVERGENT;
        }
        if i.op.has(IntrinsicFlags::TERMINATES) {
            self.features |= Features::WRITES | Features::OTHER_MEMORY;
        }
        // Inputs and outputs are values of the signature.
        if let Some(memory) = i.memory().filter(|m| m.modes != Modes::IN && m.modes != Modes::OUT) {
            self.memory(shader, body, id, i, memory);
        }
        self.operation(shader, body, id, instr, i);
    }

    /// The use of memory that the row of an intrinsic states.
    fn memory(&mut self, shader: &Shader, body: &Body, id: InstrId, i: &Intrinsic, memory: MemoryAccess) {
        let MemoryAccess { modes, action, .. } = memory;
        let by_deref = modes == Modes::all();
        let deref = |operand: Option<InstrId>| operand.and_then(|d| body[d].as_deref());
        // Variables.
        let volatile = action.is_atomic() || i.access().intersects(Access::VOLATILE | Access::COHERENT);
        let volatile = if volatile && action != MemoryAction::Size { Use::VOLATILE } else { Use::empty() };
        let atomic_load =
            modes == Modes::SSBO && action == MemoryAction::Atomic && i.atomic_op() == AtomicOp::Load;
        let mut block = volatile;
        block.set(Use::READ, action.reads() && action != MemoryAction::Copy);
        block.set(Use::WRITTEN, action.writes() && !atomic_load);
        self.use_var(memory.block.and_then(|d| self.root(d)), block);
        if action == MemoryAction::Copy {
            self.use_var(memory.value.and_then(|d| self.root(d)), Use::READ | volatile);
        }
        // Features of the function.
        let mut features = Features::empty();
        features.set(Features::READS, action.reads() || action == MemoryAction::Size);
        features.set(Features::WRITES, action.writes());
        features.set(Features::OTHER_MEMORY, action.is_atomic() || modes == Modes::GLOBAL);
        features.set(Features::PUSH_CONSTANTS, modes == Modes::PUSH_CONST);
        features.set(Features::UNIFORMS, modes == Modes::UNIFORM);
        features.set(Features::BUFFER_SIZES, action == MemoryAction::Size && modes == Modes::SSBO);
        if modes == Modes::SHARED {
            features |= Features::SHARED | Features::READS | Features::WRITES | Features::OTHER_MEMORY;
        }
        if by_deref {
            let source = if action == MemoryAction::Copy { memory.value } else { None };
            let kinds = [memory.block, source].into_iter().filter_map(deref).map(|d| d.modes);
            let kinds = kinds.fold(Modes::empty(), Modes::union);
            if !(kinds - (Modes::FUNCTION_TEMP | Modes::SHADER_TEMP)).is_empty() {
                features |= Features::OTHER_MEMORY;
            } else {
                features =
                    if action.is_atomic() { features - Features::OTHER_MEMORY } else { Features::empty() };
            }
        }
        features.set(Features::COMPARES, action == MemoryAction::Exchange);
        self.features |= features;
        // Classes of values.
        match (action, memory.value) {
            (MemoryAction::Load, _) if by_deref => {
                self.vote_scalar(id, pointee(shader, deref(memory.block)), DEFINES);
            }
            (MemoryAction::Store, Some(value)) if by_deref => {
                self.vote_scalar(value, pointee(shader, deref(memory.block)), 1);
            }
            (MemoryAction::Load, _) if modes == Modes::SHARED => self.shared_values.push(id),
            (MemoryAction::Store, Some(value)) if modes == Modes::SHARED => self.shared_values.push(value),
            (MemoryAction::Atomic, Some(value))
                if matches!(modes, Modes::SSBO | Modes::SHARED | Modes::GLOBAL) =>
            {
                let float = matches!(i.atomic_op(), AtomicOp::Fadd | AtomicOp::Fmin | AtomicOp::Fmax);
                self.vote(value, if float { Base::Float } else { Base::Int }, 1);
            }
            _ => {}
        }
        // Byte offsets are decomposed where they are used.
        if let Some(offset) = memory.offset.filter(|_| BYTE_OFFSETS.contains(modes)) {
            self.absorb(body, offset);
        }
    }

    /// Facts about single operations that no column states.
    #[deny(clippy::wildcard_enum_match_arm)]
    fn operation(&mut self, shader: &Shader, body: &Body, id: InstrId, instr: &Instr, i: &Intrinsic) {
        use IntrinsicOp as Op;
        match i.op {
            Op::load_input | Op::load_per_vertex_input => {
                self.input(id, instr.ty, i, InterpolationMode::Flat);
            }
            Op::load_interpolated_input => {
                let mode = interpolation_mode(body, i.src(0));
                if matches!(mode, InterpolationMode::Pull(_)) {
                    // Through the interpolant, which is an argument.
                    self.features |= Features::READS;
                }
                self.input(id, instr.ty, i, mode);
            }
            Op::store_output => {
                let dynamic = body[i.src(1)].as_const().is_none();
                let block = body.block_of(id);
                let nested =
                    !matches!(body.owner(block), Owner::Root) && body.jump(block) != Some(Jump::Return);
                if dynamic || nested {
                    self.features |= Features::MEMORY_OUTPUTS;
                }
                self.output(id, i);
            }
            Op::store_per_vertex_output => {
                // A call writes it where the store is.
                self.features |= Features::WRITES;
                self.output(id, i);
            }
            Op::load_output if shader.stage == Stage::Fragment => self.fetches.push(id),
            Op::set_mesh_outputs | Op::launch_mesh_workgroups => self.features |= Features::WRITES,
            Op::image_load => self.vote_scalar(id, i.dest_type(), DEFINES),
            Op::image_store => self.vote_scalar(i.src(3), i.src_type(), 1),
            Op::barrier => {
                let orders = |scope: Scope| !matches!(scope, Scope::None | Scope::Invocation);
                if orders(i.execution_scope()) || orders(i.memory_scope()) {
                    self.features |=
                        Features::CONVERGENT | Features::WRITES | Features::READS | Features::OTHER_MEMORY;
                }
            }
            // Their values depend on which invocations are active or demoted.
            Op::is_helper_invocation | Op::elect => {
                self.features |= Features::READS | Features::WRITES | Features::OTHER_MEMORY;
            }
            Op::inverse_ballot | Op::ballot_bit_count_inclusive | Op::ballot_bit_count_exclusive => {
                self.builtin_arg(SystemValue::subgroup_invocation, 1);
            }
            airfoil_ir::system_value_loads!() => {
                if i.op == Op::load_helper_invocation {
                    self.features |= Features::READS | Features::WRITES | Features::OTHER_MEMORY;
                }
                // The uses of a vector determine its components; without uses it needs none.
                if let Some(sv) = i.op.system_value().filter(|_| instr.ty.comps == 1) {
                    self.builtin_arg(sv, 1);
                }
            }
            Op::load_deref
            | Op::store_deref
            | Op::copy_deref
            | Op::deref_atomic
            | Op::deref_atomic_swap
            | Op::deref_buffer_array_length
            | Op::load_param
            | Op::interp_deref_at_centroid
            | Op::interp_deref_at_sample
            | Op::interp_deref_at_offset
            | Op::load_output
            | Op::load_per_vertex_output
            | Op::load_barycentric_pixel
            | Op::load_barycentric_centroid
            | Op::load_barycentric_sample
            | Op::load_barycentric_at_sample
            | Op::load_barycentric_at_offset
            | Op::load_ubo
            | Op::load_ssbo
            | Op::store_ssbo
            | Op::ssbo_atomic
            | Op::ssbo_atomic_swap
            | Op::get_ssbo_size
            | Op::load_push_constant
            | Op::load_uniform
            | Op::load_shared
            | Op::store_shared
            | Op::shared_atomic
            | Op::shared_atomic_swap
            | Op::load_global
            | Op::store_global
            | Op::global_atomic
            | Op::global_atomic_swap
            | Op::image_atomic
            | Op::image_atomic_swap
            | Op::image_size
            | Op::image_samples
            | Op::image_residency
            | Op::is_resident
            | Op::begin_interlock
            | Op::end_interlock
            | Op::discard
            | Op::discard_if
            | Op::demote
            | Op::demote_if
            | Op::terminate
            | Op::terminate_if
            | Op::vote_any
            | Op::vote_all
            | Op::vote_ieq
            | Op::vote_feq
            | Op::ballot
            | Op::ballot_bit_extract
            | Op::ballot_bit_count_reduce
            | Op::ballot_find_lsb
            | Op::ballot_find_msb
            | Op::read_invocation
            | Op::read_first_invocation
            | Op::shuffle
            | Op::shuffle_xor
            | Op::shuffle_up
            | Op::shuffle_down
            | Op::reduce
            | Op::inclusive_scan
            | Op::exclusive_scan
            | Op::quad_broadcast
            | Op::quad_swap_horizontal
            | Op::quad_swap_vertical
            | Op::quad_swap_diagonal
            | Op::quad_vote_any
            | Op::quad_vote_all
            | Op::emit_vertex
            | Op::end_primitive
            | Op::convert_alu_types
            | Op::convert_air
            | Op::load_sample_pos_from_id
            | Op::depth_texture_mode
            | Op::shader_clock => {}
        }
    }

    fn input(&mut self, id: InstrId, ty: Ty, i: &Intrinsic, mode: InterpolationMode) {
        let io = i.io();
        self.vote_scalar(id, i.dest_type(), DEFINES);
        self.inputs.push(InputUse {
            location: io.location,
            slots: io.num_slots.max(1),
            component: i.component() as u8,
            comps: ty.comps,
            ty: i.dest_type(),
            mode,
            instr: id,
        });
    }

    fn output(&mut self, id: InstrId, i: &Intrinsic) {
        let io = i.io();
        self.vote_scalar(i.src(0), i.src_type(), 1);
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

    fn tex(&mut self, body: &Body, id: InstrId, t: &Tex) {
        self.vote_scalar(id, t.dest_type, DEFINES);
        self.features |= Features::READS;
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

/// Component type of the vector or scalar that a deref names.
fn pointee(shader: &Shader, deref: Option<&Deref>) -> Scalar {
    match deref.map(|d| &shader.types[d.ty]) {
        Some(Type::Vector { scalar, .. }) => *scalar,
        _ => Scalar::Any,
    }
}

fn system_value(body: &Body, value: InstrId) -> Option<SystemValue> {
    body[value].as_intrinsic()?.op.system_value()
}

/// The interpolation that barycentric coordinates specify.
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
