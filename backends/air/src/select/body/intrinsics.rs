//! Dispatch of intrinsics to the file that emits them.

use super::FunctionEmitter;
use super::subgroup::Combination;
use crate::functions::Air;
use crate::module::TypeId;
use crate::select::errors;
use crate::select::types::Class;
use airfoil_ir::{InstrId, Intrinsic, IntrinsicOp, Ty};

impl FunctionEmitter<'_> {
    /// Emits one intrinsic. A new one is a compile error here.
    #[deny(clippy::wildcard_enum_match_arm)]
    pub(crate) fn intrinsic(&mut self, id: InstrId, i: &Intrinsic, ty: Ty) {
        use IntrinsicOp as Op;
        match i.op {
            airfoil_ir::system_value_loads!() => {
                if let Some(sv) = i.op.system_value() {
                    self.system_value(id, sv);
                }
            }
            Op::load_deref => self.load_deref(id, i, ty),
            Op::store_deref => self.store_deref(i),
            Op::copy_deref => self.copy_deref(i),
            Op::deref_atomic | Op::deref_atomic_swap => self.deref_atomic(id, i, ty),

            Op::load_input => self.load_input(id, i, None, i.src(0), ty),
            Op::load_interpolated_input => self.load_input(id, i, Some(i.src(0)), i.src(1), ty),
            Op::load_output => self.load_output(id, i, ty),
            Op::store_output => self.store_output(i),
            Op::store_per_vertex_output => self.store_mesh_output(i),
            Op::load_per_vertex_output => self.error_value(
                id,
                errors::INTERFACE,
                "outputs cannot be read back in Metal (for mesh shaders run mesh_outputs_to_shared before lower_io)",
            ),
            Op::load_per_vertex_input => {
                let message = "inputs at single vertices of the primitive (`pervertexNV`, `PerVertexKHR`) are not supported";
                self.error_value(id, errors::INTERFACE, message);
            }
            Op::set_mesh_outputs => self.set_mesh_outputs(i),
            Op::launch_mesh_workgroups => self.launch_mesh_workgroups(i),
            // The inputs that use them interpolate there.
            Op::load_barycentric_pixel
            | Op::load_barycentric_centroid
            | Op::load_barycentric_sample
            | Op::load_barycentric_at_sample
            | Op::load_barycentric_at_offset => self.set_undef(id),

            Op::load_ubo | Op::load_ssbo => self.load_block(id, i, ty),
            Op::store_ssbo => self.store_block(i),
            Op::ssbo_atomic | Op::ssbo_atomic_swap => self.block_atomic(id, i, ty),
            Op::get_ssbo_size => self.buffer_size(id, i),
            Op::load_push_constant => self.load_constants(id, i, self.sig.push_constants, ty),
            Op::load_uniform => self.load_constants(id, i, self.sig.default_uniforms, ty),
            Op::load_shared => self.load_shared(id, i, ty),
            Op::store_shared => self.store_shared(i),
            Op::shared_atomic | Op::shared_atomic_swap => self.shared_atomic(id, i, ty),
            Op::load_global | Op::store_global | Op::global_atomic | Op::global_atomic_swap => {
                self.global_access(id, i, ty);
            }
            Op::image_load => self.image_load(id, i, ty),
            Op::image_store => self.image_store(i),
            Op::image_atomic | Op::image_atomic_swap => self.image_atomic(id, i),
            Op::image_size => self.image_size(id, i, ty),
            Op::image_samples => self.image_samples(id, i),

            Op::barrier => self.barrier(i),
            Op::discard | Op::demote => self.discard(),
            Op::terminate => self.discard_and_leave(None),
            Op::discard_if | Op::demote_if => self.discard_where(i.src(0)),
            Op::terminate_if => self.discard_and_leave(Some(i.src(0))),
            Op::is_helper_invocation => {
                let value = self.is_helper();
                self.set(id, value, Class::Int);
            }
            Op::load_sample_pos_from_id => {
                let sample = self.scalar(i.src(0), Class::Int);
                let value = self.sample_position(sample);
                self.set(id, value, Class::Float);
            }

            Op::vote_any => self.vote(id, Air::simd_any, i.src(0)),
            Op::vote_all => self.vote(id, Air::simd_all, i.src(0)),
            Op::quad_vote_any => self.vote(id, Air::quad_any, i.src(0)),
            Op::quad_vote_all => self.vote(id, Air::quad_all, i.src(0)),
            Op::vote_ieq => self.vote_equal(id, i, Class::Int),
            Op::vote_feq => self.vote_equal(id, i, Class::Float),
            Op::elect => {
                let value = self.air(Air::simd_is_first, TypeId::I1, &[]);
                self.set(id, value, Class::Int);
            }
            Op::ballot => {
                let condition = self.scalar(i.src(0), Class::Int);
                let mask = self.ballot(condition);
                let value = self.mask_words(mask);
                self.set(id, value, Class::Int);
            }
            Op::inverse_ballot
            | Op::ballot_bit_extract
            | Op::ballot_bit_count_reduce
            | Op::ballot_bit_count_inclusive
            | Op::ballot_bit_count_exclusive
            | Op::ballot_find_lsb
            | Op::ballot_find_msb => self.mask_query(id, i),
            Op::read_invocation => self.exchange_with(id, Air::simd_broadcast, i, ty),
            Op::read_first_invocation => self.exchange(id, Air::simd_broadcast_first, i.src(0), None, ty),
            Op::shuffle => self.exchange_with(id, Air::simd_shuffle, i, ty),
            Op::shuffle_xor => self.exchange_with(id, Air::simd_shuffle_xor, i, ty),
            Op::shuffle_up => self.exchange_with(id, Air::simd_shuffle_up, i, ty),
            Op::shuffle_down => self.exchange_with(id, Air::simd_shuffle_down, i, ty),
            Op::quad_broadcast => self.exchange_with(id, Air::quad_broadcast, i, ty),
            Op::quad_swap_horizontal => self.quad_swap(id, 1, i, ty),
            Op::quad_swap_vertical => self.quad_swap(id, 2, i, ty),
            Op::quad_swap_diagonal => self.quad_swap(id, 3, i, ty),
            Op::reduce => self.reduce(id, i, ty),
            Op::inclusive_scan => self.combine(id, i, ty, Combination::Inclusive),
            Op::exclusive_scan => self.combine(id, i, ty, Combination::Exclusive),
            Op::convert_alu_types | Op::convert_air => self.convert_air(id, i, ty),

            Op::begin_interlock | Op::end_interlock => {
                let message = "fragment shader interlock is not supported on Metal";
                self.error_value(id, errors::OPERATION, message);
            }
            Op::image_residency | Op::is_resident => self.residency(id),

            Op::deref_buffer_array_length
            | Op::depth_texture_mode
            | Op::load_param
            | Op::interp_deref_at_centroid
            | Op::interp_deref_at_sample
            | Op::interp_deref_at_offset
            | Op::emit_vertex
            | Op::end_primitive
            | Op::shader_clock => {
                let message = format!("`{}` cannot be selected for Metal", i.op.name());
                self.error_value(id, errors::OPERATION, message);
            }
        }
    }
}
