//! Dispatch of intrinsics to the file that emits them.

use super::FunctionEmitter;
use crate::select::errors;
use crate::select::types::Class;
use airfoil_ir::{InstrId, Intrinsic, IntrinsicOp, Ty};

impl FunctionEmitter<'_> {
    /// Emits one intrinsic.
    pub(crate) fn intrinsic(&mut self, id: InstrId, i: &Intrinsic, ty: Ty) {
        use IntrinsicOp as Op;
        if let Some(sv) = i.op.system_value() {
            return self.system_value(id, sv);
        }
        match i.op {
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
            Op::set_mesh_outputs => self.set_mesh_outputs(i),
            Op::launch_mesh_workgroups => self.launch_mesh_workgroups(i),
            // Where they interpolate is read by the inputs that use them.
            Op::load_barycentric_pixel
            | Op::load_barycentric_centroid
            | Op::load_barycentric_sample
            | Op::load_barycentric_at_sample
            | Op::load_barycentric_at_offset => self.set_undef(id),
            Op::load_ubo
            | Op::load_ssbo
            | Op::store_ssbo
            | Op::ssbo_atomic
            | Op::ssbo_atomic_swap
            | Op::load_push_constant
            | Op::load_uniform
            | Op::load_shared
            | Op::store_shared
            | Op::shared_atomic
            | Op::shared_atomic_swap
            | Op::load_global
            | Op::store_global
            | Op::global_atomic
            | Op::global_atomic_swap => self.memory_access(id, i, ty),
            Op::get_ssbo_size => self.buffer_size(id, i),
            Op::image_load => self.image_load(id, i, ty),
            Op::image_store => self.image_store(i),
            Op::image_atomic | Op::image_atomic_swap => self.image_atomic(id, i),
            Op::image_size => self.image_size(id, i, ty),
            Op::image_samples => self.image_samples(id, i),
            Op::discard | Op::demote => self.discard(),
            Op::terminate => self.discard_and_leave(None),
            Op::discard_if | Op::demote_if => self.discard_where(i.src(0)),
            Op::terminate_if => self.discard_and_leave(Some(i.src(0))),
            Op::load_sample_pos_from_id => {
                let sample = self.scalar(i.src(0), Class::Int);
                let value = self.sample_position(sample);
                self.set(id, value, Class::Float);
            }
            Op::convert_air => self.convert_air(id, i, ty),
            _ => self.subgroup(id, i, ty),
        }
    }
}
