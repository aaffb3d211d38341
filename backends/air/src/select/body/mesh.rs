//! Calls by which object and mesh functions write their outputs.

use super::FunctionEmitter;
use crate::functions::{Air, AirFunction, Word};
use crate::module::{ICmp, TypeId, Value};
use crate::select::errors;
use crate::select::signature::pieces::{MeshPart, MeshPiece};
use crate::select::types::{Class, scalar_type};
use airfoil_ir::{InstrId, Intrinsic, Slot, Stage, Ty};
use smallvec::SmallVec;

impl FunctionEmitter<'_> {
    /// Sets how many primitives the mesh has; vertices need not be counted in Metal.
    pub(crate) fn set_mesh_outputs(&mut self, i: &Intrinsic) {
        let primitives = self.scalar(i.src(1), Class::Int);
        self.mesh_call(Air::set_primitive_count_mesh, &[primitives]);
    }

    /// Sets how many mesh threadgroups follow. All invocations set the same (SPIR-V: the operands are uniform in the
    /// workgroup).
    pub(crate) fn launch_mesh_workgroups(&mut self, i: &Intrinsic) {
        let count = self.whole(i.src(0), 3, Class::Int);
        self.mesh_call(Air::set_threadgroups_per_grid_mesh_properties, &[count]);
    }

    /// Calls a function on the mesh, or on the grid of meshes.
    fn mesh_call(&mut self, function: impl Into<AirFunction>, args: &[Value]) {
        let function = function.into();
        let Some(mesh) = self.sig.mesh else {
            let message = format!("`{function}` outside of a mesh or object function");
            return self.error(errors::OPERATION, message);
        };
        let mut all: SmallVec<[Value; 4]> = smallvec::smallvec![self.b.arg(mesh)];
        all.extend_from_slice(args);
        self.air(function, TypeId::VOID, &all);
    }

    pub(crate) fn store_mesh_output(&mut self, i: &Intrinsic) {
        if self.shader.stage != Stage::Mesh {
            let message = format!("{} functions have no outputs of several vertices", self.shader.stage);
            return self.error(errors::OPERATION, message);
        }
        let vertex = i.src(1);
        self.each_slot(i.io(), i.src(2), |this, slot| this.store_mesh_slot(slot, i, vertex));
    }

    fn store_mesh_slot(&mut self, slot: Slot, i: &Intrinsic, vertex: InstrId) {
        let (value, component, mask) = (i.src(0), i.component() as u8, i.write_mask());
        let at = self.scalar(vertex, Class::Int);
        let sig = self.sig;
        if matches!(slot, Slot::CLIP_DIST0 | Slot::CLIP_DIST1) {
            let before = (slot.0 - Slot::CLIP_DIST0.0) * 4 + component;
            let count = sig.mesh_pieces.iter().find(|p| p.part == MeshPart::Clip).map_or(0, |p| p.comps);
            for lane in (0..self.ty(value).comps).filter(|l| mask & (1 << l) != 0 && before + l < count) {
                let distance = self.lane(value, usize::from(lane), Class::Float);
                let element = self.b.module.i32(i32::from(before + lane));
                self.mesh_call(Air::set_clip_distance_mesh, &[element, at, distance]);
            }
            return;
        }
        for piece in &sig.mesh_pieces {
            let covered = piece.covered(slot, component, mask);
            if covered == 0 {
                continue;
            }
            if let MeshPart::Indices(arity) = piece.part {
                self.store_indices(value, component, mask, at, arity);
                continue;
            }
            let have = self.bits(value);
            if have != piece.bits && have != 1 {
                let message = format!("output `{slot}` of {} bits gets a value of {have} bits", piece.bits);
                return self.error(errors::INTERFACE, message);
            }
            let whole = component == piece.component
                && covered == (1 << piece.comps) - 1
                && self.ty(value) == Ty::new(piece.comps, piece.bits);
            let data = if whole {
                self.whole(value, piece.comps, piece.class)
            } else {
                let lanes: SmallVec<[Value; 4]> = (0..piece.comps)
                    .map(|c| {
                        if covered & (1 << c) != 0 {
                            self.mesh_lane(value, piece.component + c - component, piece)
                        } else {
                            self.b.module.null(scalar_type(piece.class, piece.bits))
                        }
                    })
                    .collect();
                self.vector_of(&lanes)
            };
            self.store_piece(piece, at, data);
        }
    }

    /// A lane of a value as an output holds it.
    fn mesh_lane(&mut self, value: InstrId, lane: u8, piece: &MeshPiece) -> Value {
        if self.bits(value) != 1 {
            return self.lane(value, usize::from(lane), piece.class);
        }
        let bit = self.lane(value, usize::from(lane), Class::Int);
        let wide = self.zext(bit, scalar_type(Class::Int, piece.bits));
        self.cast(wide, Class::Int, piece.class)
    }

    fn store_piece(&mut self, piece: &MeshPiece, at: Value, data: Value) {
        let word = Word::ty(self.b.module, self.b.type_of(data));
        let number = |e: &mut Self, n: u32| e.b.module.i32(n as i32);
        match piece.part {
            MeshPart::Position => self.mesh_call(Air::set_position_mesh, &[at, data]),
            MeshPart::PointSize => self.mesh_call(Air::set_point_size_mesh, &[at, data]),
            MeshPart::VertexData(n) => {
                let n = number(self, n);
                self.mesh_call(Air::set_vertex_data_mesh.with([word]), &[n, at, data]);
            }
            MeshPart::PrimitiveData(n) => {
                let n = number(self, n);
                self.mesh_call(Air::set_primitive_data_mesh.with([word]), &[n, at, data]);
            }
            MeshPart::PrimitiveId => self.mesh_call(Air::set_primitive_id_mesh, &[at, data]),
            MeshPart::Layer => {
                self.mesh_call(Air::set_render_target_array_index_mesh.with([word]), &[at, data])
            }
            MeshPart::Viewport => {
                self.mesh_call(Air::set_viewport_array_index_mesh.with([word]), &[at, data])
            }
            MeshPart::Culled => {
                let zero = self.b.module.i32(0);
                let culled = self.b.icmp(ICmp::Ne, data, zero);
                self.mesh_call(Air::set_primitive_culled_mesh, &[at, culled]);
            }
            MeshPart::Clip | MeshPart::Indices(_) => {}
        }
    }

    /// Indices of the vertices of a primitive, one by one.
    fn store_indices(&mut self, value: InstrId, component: u8, mask: u32, primitive: Value, arity: u32) {
        let each = self.b.module.i32(arity as i32);
        let first = if arity == 1 { primitive } else { self.b.mul(primitive, each) };
        for lane in (0..self.ty(value).comps).filter(|l| mask & (1 << l) != 0) {
            let n = u32::from(component + lane);
            if n >= arity {
                break;
            }
            let by = self.b.module.i32(n as i32);
            let place = if n == 0 { first } else { self.b.add(first, by) };
            let vertex = self.lane(value, usize::from(lane), Class::Int);
            let bits = self.bits(value);
            let vertex = self.int_width(vertex, bits, 8, 1, false);
            self.mesh_call(Air::set_index_mesh, &[place, vertex]);
        }
    }
}
