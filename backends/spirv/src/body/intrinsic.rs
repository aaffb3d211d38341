//! Intrinsics: the table of the functions that write them.
#![deny(clippy::wildcard_enum_match_arm)]

use super::{Code, Want};
use crate::errors::*;
use crate::module::Class;
use airfoil_ir::alu::AluOp;
use airfoil_ir::{
    Access, InstrId, Intrinsic, IntrinsicOp, Modes, Scope, Semantics, Src, SystemValue, Ty,
    system_value_loads,
};
use smallvec::SmallVec;
use spirv::{Capability, GlslStd450Op, MemorySemantics, Op, StorageClass};

impl Code<'_, '_, '_> {
    /// Writes an intrinsic. Returns whether it ended the block.
    pub(super) fn intrinsic(&mut self, id: InstrId, i: &Intrinsic) -> Res<bool> {
        use IntrinsicOp as I;
        match i.op {
            I::load_deref => self.load(id, i)?,
            I::store_deref => self.store(i)?,
            I::copy_deref => self.copy(i)?,
            I::deref_atomic | I::deref_atomic_swap => self.deref_atomic(id, i)?,
            I::deref_buffer_array_length => self.array_length(id, i)?,
            I::interp_deref_at_centroid | I::interp_deref_at_sample | I::interp_deref_at_offset => {
                self.interpolate(id, i)?;
            }
            I::image_load => self.image_load(id, i)?,
            I::image_residency => self.image_residency(id, i)?,
            I::is_resident => {
                self.w.m.require(Capability::SparseResidency)?;
                let code = self.value(i.src(0), Want::Exactly(Class::Uint))?;
                let t = self.result_type(id)?;
                let v = self.op(Op::ImageSparseTexelsResident, t, &[code]);
                self.define(id, v);
            }
            I::image_store => self.image_store(i)?,
            I::image_atomic | I::image_atomic_swap => self.image_atomic(id, i)?,
            I::image_size | I::image_samples => self.image_query(id, i)?,
            I::barrier => self.barrier(i)?,
            I::begin_interlock => self.effect(Op::BeginInvocationInterlockEXT, &[]),
            I::end_interlock => self.effect(Op::EndInvocationInterlockEXT, &[]),
            I::discard => {
                self.end_block(Op::Kill, &[]);
                return Ok(true);
            }
            I::terminate => {
                self.w.m.extension("SPV_KHR_terminate_invocation");
                self.end_block(Op::TerminateInvocation, &[]);
                return Ok(true);
            }
            I::demote => self.demote()?,
            I::discard_if => {
                let c = self.value(i.src(0), Want::Exactly(Class::Bool))?;
                self.guarded(c, |code| {
                    code.effect(Op::Kill, &[]);
                    Ok(true)
                })?;
            }
            I::terminate_if => {
                self.w.m.extension("SPV_KHR_terminate_invocation");
                let c = self.value(i.src(0), Want::Exactly(Class::Bool))?;
                self.guarded(c, |code| {
                    code.effect(Op::TerminateInvocation, &[]);
                    Ok(true)
                })?;
            }
            I::demote_if => {
                let c = self.value(i.src(0), Want::Exactly(Class::Bool))?;
                self.guarded(c, |code| {
                    code.demote()?;
                    Ok(false)
                })?;
            }
            I::is_helper_invocation => {
                self.w.m.require(Capability::DemoteToHelperInvocation)?;
                let t = self.result_type(id)?;
                let v = self.op(Op::IsHelperInvocationEXT, t, &[]);
                self.define(id, v);
            }
            I::vote_any
            | I::vote_all
            | I::vote_ieq
            | I::vote_feq
            | I::elect
            | I::ballot
            | I::inverse_ballot
            | I::ballot_bit_extract
            | I::ballot_bit_count_reduce
            | I::ballot_bit_count_inclusive
            | I::ballot_bit_count_exclusive
            | I::ballot_find_lsb
            | I::ballot_find_msb
            | I::read_invocation
            | I::read_first_invocation
            | I::shuffle
            | I::shuffle_xor
            | I::shuffle_up
            | I::shuffle_down
            | I::reduce
            | I::inclusive_scan
            | I::exclusive_scan
            | I::quad_broadcast
            | I::quad_swap_horizontal
            | I::quad_swap_vertical
            | I::quad_swap_diagonal
            | I::quad_vote_any
            | I::quad_vote_all => self.subgroup(id, i)?,
            I::emit_vertex => self.geometry(i, Op::EmitVertex, Op::EmitStreamVertex)?,
            I::end_primitive => self.geometry(i, Op::EndPrimitive, Op::EndStreamPrimitive)?,
            I::set_mesh_outputs => {
                let vertices = self.value(i.src(0), Want::Exactly(Class::Uint))?;
                let primitives = self.value(i.src(1), Want::Exactly(Class::Uint))?;
                self.effect(Op::SetMeshOutputsEXT, &[vertices, primitives]);
            }
            I::launch_mesh_workgroups => {
                self.launch(i)?;
                return Ok(true);
            }
            I::convert_alu_types => self.convert(id, i)?,
            I::shader_clock => {
                self.w.m.require(Capability::ShaderClockKHR)?;
                let scope = self.w.m.uint(if i.memory_scope() == Scope::Subgroup { 3 } else { 1 })?;
                let t = self.result_type(id)?;
                let v = self.op(Op::ReadClockKHR, t, &[scope]);
                self.define(id, v);
            }
            system_value_loads!() => self.system_value(id, i)?,
            I::load_param
            | I::load_sample_pos_from_id
            | I::convert_air
            | I::load_input
            | I::load_per_vertex_input
            | I::load_interpolated_input
            | I::load_output
            | I::load_per_vertex_output
            | I::store_output
            | I::store_per_vertex_output
            | I::load_barycentric_pixel
            | I::load_barycentric_centroid
            | I::load_barycentric_sample
            | I::load_barycentric_at_sample
            | I::load_barycentric_at_offset
            | I::load_ubo
            | I::depth_texture_mode
            | I::load_ssbo
            | I::store_ssbo
            | I::ssbo_atomic
            | I::ssbo_atomic_swap
            | I::get_ssbo_size
            | I::load_push_constant
            | I::load_uniform
            | I::load_shared
            | I::store_shared
            | I::shared_atomic
            | I::shared_atomic_swap
            | I::load_global
            | I::store_global
            | I::global_atomic
            | I::global_atomic_swap => {
                return fail(OPERATION, format!("`{}` is not supported in SPIR-V", i.op.name()));
            }
        }
        Ok(false)
    }

    fn demote(&mut self) -> Res<()> {
        self.w.m.require(Capability::DemoteToHelperInvocation)?;
        self.effect(Op::DemoteToHelperInvocation, &[]);
        Ok(())
    }

    fn interpolate(&mut self, id: InstrId, i: &Intrinsic) -> Res<()> {
        self.w.m.require(Capability::InterpolationFunction)?;
        let p = self.pointer(i.src(0))?;
        let t = self.result_type(id)?;
        let value = if i.op == IntrinsicOp::interp_deref_at_sample {
            let sample = self.value(i.src(1), Want::Exactly(Class::Sint))?;
            self.glsl(GlslStd450Op::InterpolateAtSample, t, &[p.id, sample])
        } else if i.op == IntrinsicOp::interp_deref_at_offset {
            let offset = self.value(i.src(1), Want::Exactly(Class::Float))?;
            self.glsl(GlslStd450Op::InterpolateAtOffset, t, &[p.id, offset])
        } else {
            self.glsl(GlslStd450Op::InterpolateAtCentroid, t, &[p.id])
        };
        self.define(id, value);
        Ok(())
    }

    fn geometry(&mut self, i: &Intrinsic, plain: Op, streams: Op) -> Res<()> {
        if i.stream() == 0 && self.shader.vars.values().all(|v| v.stream == 0) {
            self.effect(plain, &[]);
            return Ok(());
        }
        self.w.m.require(Capability::GeometryStreams)?;
        let stream = self.w.m.uint(i.stream())?;
        self.effect(streams, &[stream]);
        Ok(())
    }

    fn launch(&mut self, i: &Intrinsic) -> Res<()> {
        let mut words: SmallVec<[u32; 4]> = SmallVec::new();
        for c in 0..3 {
            words.push(self.src(Src::comp(i.src(0), c), 1, Want::Exactly(Class::Uint))?);
        }
        let payload =
            self.shader.vars.iter().find(|(_, v)| v.mode == Modes::TASK_PAYLOAD).map(|(key, _)| key);
        if let Some(key) = payload {
            words.push(self.w.var(key)?.id);
        }
        self.end_block(Op::EmitMeshTasksEXT, &words);
        Ok(())
    }

    /// Memory semantics: order and kinds of memory.
    pub(super) fn semantics(&mut self, semantics: Semantics, modes: Modes, access: Access) -> Res<u32> {
        let vulkan = self.w.m.vulkan_memory_model;
        let volatile = match vulkan && access.contains(Access::VOLATILE) {
            true => MemorySemantics::VOLATILE,
            false => MemorySemantics::RELAXED,
        };
        let acquire = semantics.contains(Semantics::ACQUIRE);
        let release = semantics.contains(Semantics::RELEASE);
        let mut bits = match (acquire, release) {
            (true, true) => MemorySemantics::ACQUIRE_RELEASE,
            (true, false) => MemorySemantics::ACQUIRE,
            (false, true) => MemorySemantics::RELEASE,
            (false, false) => return self.w.m.uint(volatile.bits()),
        };
        for (mode, bit) in [
            (Modes::SSBO | Modes::GLOBAL, MemorySemantics::UNIFORM_MEMORY),
            (Modes::SHARED, MemorySemantics::WORKGROUP_MEMORY),
            (Modes::IMAGE, MemorySemantics::IMAGE_MEMORY),
            // Without the Vulkan memory model a barrier of tessellation control shaders implicitly orders outputs.
            (if vulkan { Modes::OUT } else { Modes::empty() }, MemorySemantics::OUTPUT_MEMORY),
        ] {
            if modes.intersects(mode) {
                bits |= bit;
            }
        }
        if bits.bits() & !30 == 0 {
            return self.w.m.uint(volatile.bits());
        }
        if vulkan {
            self.w.m.require(Capability::VulkanMemoryModel)?;
            // In the model of GLSL, order makes all writes available and visible.
            let all = !self.shader.info.vulkan_memory_model;
            if release && (all || semantics.contains(Semantics::MAKE_AVAILABLE)) {
                bits |= MemorySemantics::MAKE_AVAILABLE;
            }
            if acquire && (all || semantics.contains(Semantics::MAKE_VISIBLE)) {
                bits |= MemorySemantics::MAKE_VISIBLE;
            }
        }
        self.w.m.uint((bits | volatile).bits())
    }

    fn barrier(&mut self, i: &Intrinsic) -> Res<()> {
        let semantics = self.semantics(i.semantics(), i.memory_modes(), Access::empty())?;
        let ordered = semantics != self.w.m.uint(0)?;
        let memory = self.scope(if ordered { i.memory_scope() } else { Scope::None })?;
        match i.execution_scope() {
            Scope::None | Scope::Invocation => {
                if ordered {
                    self.effect(Op::MemoryBarrier, &[memory, semantics]);
                }
            }
            scope @ (Scope::Subgroup | Scope::Workgroup | Scope::QueueFamily | Scope::Device) => {
                let execution = self.scope(scope)?;
                self.effect(Op::ControlBarrier, &[execution, memory, semantics]);
            }
        }
        Ok(())
    }

    /// A conversion that an operation on values performs.
    fn convert(&mut self, id: InstrId, i: &Intrinsic) -> Res<()> {
        let (from, to) = (i.src_type(), i.dest_type());
        let plain = !i.saturate()
            && match i.rounding() {
                airfoil_ir::RoundingMode::Undef => true,
                airfoil_ir::RoundingMode::Rte => to.is_float(),
                airfoil_ir::RoundingMode::Rtz => !to.is_float(),
                airfoil_ir::RoundingMode::Rtp | airfoil_ir::RoundingMode::Rtn => false,
            };
        if !plain {
            return fail(OPERATION, "a conversion with rounding or saturation is not supported in SPIR-V");
        }
        let integer = |s: airfoil_ir::Scalar| s.is_signed() || s.is_unsigned();
        let op = match () {
            () if from.is_float() && to.is_float() => AluOp::f2f,
            () if from.is_float() && to.is_signed() => AluOp::f2i,
            () if from.is_float() && to.is_unsigned() => AluOp::f2u,
            () if from.is_signed() && to.is_float() => AluOp::i2f,
            () if from.is_unsigned() && to.is_float() => AluOp::u2f,
            () if from.is_signed() && integer(to) => AluOp::i2i,
            () if from.is_unsigned() && integer(to) => AluOp::u2u,
            () => {
                return fail(
                    OPERATION,
                    format!("a conversion from {from} to {to} is not supported in SPIR-V"),
                );
            }
        };
        let alu = airfoil_ir::Alu::new(op, self.ty(id).comps, &[i.src(0).into()]);
        self.alu(id, &alu)
    }

    /// The value of a system value that an intrinsic loads.
    fn system_value(&mut self, id: InstrId, i: &Intrinsic) -> Res<()> {
        let Some(value) = i.op.system_value() else {
            return fail(OPERATION, format!("`{}` is not supported in SPIR-V", i.op.name()));
        };
        let size = self.shader.info.workgroup_size.filter(|_| value == SystemValue::workgroup_size);
        let v = match size {
            Some(_) if self.shader.info.fixed_workgroup_size().is_none() => self.w.workgroup_constant()?,
            Some(size) => {
                let lanes = [u64::from(size[0]), u64::from(size[1]), u64::from(size[2]), 0];
                self.constant(Class::Uint, Ty::new(3, 32), &lanes)?
            }
            None => self.load_built_in(value)?,
        };
        self.define(id, v);
        Ok(())
    }

    fn load_built_in(&mut self, value: SystemValue) -> Res<u32> {
        let (mut pointer, class) = self.w.system_value(value)?;
        let t = self.value_type(class, value.ty())?;
        if value == SystemValue::sample_mask_in {
            let to = self.pointer_type(StorageClass::Input, t);
            let zero = self.w.m.uint(0)?;
            pointer = self.shared(Op::AccessChain, to, &[pointer, zero]);
        }
        Ok(self.shared(Op::Load, t, &[pointer]))
    }

    /// Records the access of an instruction to a resource that may differ between invocations.
    pub(super) fn note_access(&mut self, deref: InstrId, pointer: u32, access: Access) -> Res<()> {
        if access.contains(Access::NON_UNIFORM) {
            self.non_uniform_deref(deref, pointer)?;
        }
        Ok(())
    }
}
