//! Object functions (task shaders) and mesh functions.
//!
//! A mesh function returns nothing: its outputs are described by the type of its first argument and written by function calls,
//! a whole value at a time. So an output of which the code writes only some components must have the same ones written
//! everywhere; the others are undefined. The pass `mesh_outputs_to_shared` lowers other partial writes, and reads.

use super::SignatureBuilder;
use super::pieces::{MeshPart, MeshPiece};
use super::stage_io::{offset_operand, varying_name};
use crate::lint::{MESH_BYTES, MESH_COUNTS, PAYLOAD_BYTES, mesh_bytes};
use crate::module::{Attr, AttrKind, Md};
use crate::select::debug::types::{Layout, SourceType};
use crate::select::errors;
use crate::select::plan::usage::Use;
use crate::select::reflection::{InterfaceRole, InterfaceValue, MeshSize, Topology};
use crate::select::types::{Class, THREADGROUP, struct_info, type_name, vector_name};
use airfoil_ir::{Diagnostic, Modes, Name, Primitive, Scalar, Slot};
use airfoil_passes::stages::interface::{Leaf, is_varying};
use smallvec::SmallVec;

/// Address space of the payload between object and mesh functions.
const OBJECT_DATA: u32 = 6;
/// Address space of the handle of a mesh.
const MESH: u32 = 7;

/// Vertices of a primitive and its topology.
fn topology(primitive: Primitive) -> (u32, Topology) {
    match primitive {
        Primitive::Points => (1, Topology::Point),
        Primitive::Lines | Primitive::LinesAdjacency | Primitive::LineStrip => (2, Topology::Line),
        _ => (3, Topology::Triangle),
    }
}

impl SignatureBuilder<'_> {
    /// Arguments of an object function that only these have.
    pub(crate) fn object_arguments(&mut self) {
        self.needs_mesh_functions();
        self.payload();
        let handle = self.m.opaque("struct._mesh_grid_properties_t");
        let ty = self.m.pointer(handle, THREADGROUP);
        let words = self.words(&["air.mesh_grid_properties"]);
        let attrs = smallvec::smallvec![Attr::Flag(AttrKind::NO_CAPTURE)];
        self.out.mesh = Some(self.arg(ty, attrs, &words, "mesh_grid_properties", "grid"));
    }

    fn needs_mesh_functions(&mut self) {
        if !self.options.target.has_mesh_functions() {
            self.errors.push(
                Diagnostic::error(
                    errors::TARGET,
                    "mesh and object functions need Metal 3, which the target does not have",
                )
                .help("--target macos13, ios16 or later"),
            );
        }
    }

    fn payload(&mut self) {
        let used = |id| self.usage.vars.contains_key(id);
        let mut vars = self.shader.vars.iter().filter(|(id, v)| v.mode == Modes::TASK_PAYLOAD && used(*id));
        let Some((id, v)) = vars.next() else { return };
        if let Some((_, other)) = vars.next() {
            let message =
                format!("Metal has one payload; `{}` is a second one beside `{}`", other.name, v.name);
            return self
                .errors
                .push(Diagnostic::error(errors::INTERFACE, message).help("put both into one structure"));
        }
        let types = &self.shader.types;
        let mem = self.layouts.private(self.m, types, v.ty);
        let (air, size, align) =
            (self.layouts[mem].air, self.layouts[mem].size.max(1), self.layouts[mem].align.max(1));
        if u64::from(size) > PAYLOAD_BYTES {
            let message = format!("a payload of {size} bytes: Metal has no more than {PAYLOAD_BYTES}");
            return self.errors.push(Diagnostic::error(errors::MESH_LIMIT, message));
        }
        let ty = self.m.pointer(air, OBJECT_DATA);
        let mut words = self.words(&["air.payload"]);
        if let Some(info) = struct_info(self.m, self.layouts, types, v.ty, mem) {
            words.extend([self.m.md_str("air.struct_type_info"), info]);
        }
        self.size_keys(&mut words, size, align);
        let mut attrs: SmallVec<[Attr; 6]> = smallvec::smallvec![Attr::Flag(AttrKind::NO_CAPTURE)];
        let uses = self.usage.uses(id);
        if !uses.contains(Use::WRITTEN) {
            attrs.push(Attr::Flag(AttrKind::READ_ONLY));
        } else if !uses.contains(Use::READ) && self.options.target.has_modern_attributes() {
            attrs.push(Attr::Flag(AttrKind::WRITE_ONLY));
        }
        attrs.push(Attr::Int(AttrKind::ALIGN, u64::from(align)));
        attrs.push(Attr::Int(AttrKind::DEREFERENCEABLE, u64::from(size)));
        let (name, metal) = (self.name(&v.name, "payload", 0), type_name(types, v.ty));
        let arg = self.arg(ty, attrs, &words, &metal, &name);
        self.source(arg, || (v.name.clone(), SourceType::Memory(v.ty, Layout::Private)));
        self.out.payload = Some((id, arg));
        self.out.reflection.payload = Some(size);
    }

    /// Arguments that only mesh functions have: the mesh, whose type determines the outputs, and the payload.
    pub(crate) fn mesh_arguments(&mut self) {
        self.needs_mesh_functions();
        if let Some(read) = self.usage.inputs.first() {
            let loc = self.body[read.instr].loc;
            self.errors.at(self.shader, loc, errors::INTERFACE, "a mesh function has no stage inputs");
        }
        let info = &self.shader.info;
        let (arity, topology) = topology(info.output_primitive);
        let counts = [
            ("vertices", info.max_vertices, MESH_COUNTS.0),
            ("primitives", info.max_primitives, MESH_COUNTS.1),
        ];
        for (what, count, most) in counts {
            if u64::from(count) > most {
                let message = format!("a mesh of up to {count} {what}: Metal has no more than {most}");
                self.errors.push(Diagnostic::error(errors::MESH_LIMIT, message));
            }
        }
        let size = MeshSize {
            max_vertices: info.max_vertices.max(1),
            max_primitives: info.max_primitives.max(1),
            topology,
        };
        self.out.reflection.mesh = Some(size);
        let (mut vertices, mut primitives): (SmallVec<[Md; 16]>, SmallVec<[Md; 8]>) = Default::default();
        for leaf in self.mesh_leaves() {
            self.mesh_piece(&leaf, arity, &mut vertices, &mut primitives);
        }
        self.expect_whole_writes();
        self.mesh_fits(size, arity);
        let MeshSize { max_vertices, max_primitives, .. } = size;
        let words = [
            self.m.md_str("air.mesh_type_info"),
            self.m.md_node(&vertices),
            self.m.md_node(&primitives),
            self.m.md_i32(max_vertices as i32),
            self.m.md_i32(max_primitives as i32),
            self.m.md_str(match arity {
                1 => "air.point",
                2 => "air.line",
                _ => "air.triangle",
            }),
        ];
        let info = self.m.md_node(&words);
        let of_primitive = if primitives.is_empty() { "void" } else { "primitive_data" };
        let name = format!("mesh<vertex_data, {of_primitive}, {max_vertices}, {max_primitives}, {topology}>");
        let handle = self.m.opaque("struct._mesh_t");
        let ty = self.m.pointer(handle, MESH);
        let words = [self.m.md_str("air.mesh"), info];
        let attrs = smallvec::smallvec![Attr::Flag(AttrKind::NO_CAPTURE)];
        self.out.mesh = Some(self.arg(ty, attrs, &words, &name, "output"));
        self.payload();
    }

    /// The vertices and primitives of a threadgroup fit the memory that Metal has for them.
    fn mesh_fits(&mut self, size: MeshSize, arity: u32) {
        let (mut vertex, mut primitive) = (0, 0);
        for piece in &self.out.mesh_pieces {
            let bytes = u64::from(piece.comps) * u64::from(piece.bits) / 8;
            match piece.part {
                MeshPart::Position | MeshPart::PointSize | MeshPart::Clip | MeshPart::VertexData(_) => {
                    vertex += bytes
                }
                MeshPart::Indices(_) => {}
                MeshPart::PrimitiveData(_)
                | MeshPart::PrimitiveId
                | MeshPart::Layer
                | MeshPart::Viewport
                | MeshPart::Culled => primitive += bytes,
            }
        }
        let (vertices, primitives) = (u64::from(size.max_vertices), u64::from(size.max_primitives));
        let total = mesh_bytes((vertices, vertex), (primitives, primitive), u64::from(arity));
        if total > MESH_BYTES {
            let message = format!("a mesh of up to {total} bytes: Metal has no more than {MESH_BYTES}");
            let advice = "declare fewer vertices, primitives or outputs";
            self.errors.push(Diagnostic::error(errors::MESH_LIMIT, message).help(advice));
        }
    }

    /// The outputs: declared varyings, whether written or not, and the built-ins that are written.
    fn mesh_leaves(&mut self) -> Vec<Leaf> {
        let declared = self.leaves(Modes::OUT);
        let mut leaves: Vec<Leaf> =
            declared.iter().filter(|l| is_varying(l.slot) && !l.compact).cloned().collect();
        let mut clip = 0u8;
        for i in 0..self.usage.outputs.len() {
            let write = self.usage.outputs[i];
            let offset = offset_operand(self.body, write.instr);
            let Some(store) = self.body[write.instr].as_intrinsic() else { continue };
            let (io, scalar) = (store.io(), self.access_scalar(write.ty, store.src(0)));
            if !self.check_scalar(scalar, "a mesh output", write.instr) {
                continue;
            }
            for slot in self.reach(write.location, write.slots, offset) {
                let slot = Slot(slot.min(255) as u8);
                let known = |l: &Leaf| {
                    l.slot == slot && (l.component..l.component + l.comps).contains(&write.component)
                };
                if leaves.iter().any(known) {
                    continue;
                }
                // Distances of both slots are one array.
                if matches!(slot, Slot::CLIP_DIST0 | Slot::CLIP_DIST1) {
                    let first = (slot.0 - Slot::CLIP_DIST0.0) * 4;
                    clip = clip.max((first + write.component + write.comps).min(8));
                    continue;
                }
                let leaf = match declared.iter().find(|l| known(l)) {
                    Some(leaf) => leaf.clone(),
                    None => Leaf {
                        slot,
                        component: write.component,
                        comps: write.comps,
                        scalar,
                        index: 0,
                        name: Name::default(),
                        compact: false,
                        per_primitive: io.per_primitive,
                    },
                };
                if !leaves.iter().any(|l| l.slot == leaf.slot && l.component == leaf.component) {
                    leaves.push(leaf);
                }
            }
        }
        if clip > 0 {
            let declared = declared.iter().find(|l| l.slot == Slot::CLIP_DIST0).map_or(0, |l| l.comps);
            leaves.push(Leaf {
                slot: Slot::CLIP_DIST0,
                component: 0,
                comps: clip.max(declared),
                scalar: Scalar::Float32,
                index: 0,
                name: Name::default(),
                compact: true,
                per_primitive: false,
            });
        }
        leaves.sort_by_key(|l| (l.slot, l.component));
        leaves
    }

    fn mesh_piece(
        &mut self,
        leaf: &Leaf,
        arity: u32,
        vertices: &mut SmallVec<[Md; 16]>,
        primitives: &mut SmallVec<[Md; 8]>,
    ) {
        let count = |primitive: bool| {
            let same = |p: &&MeshPiece| match p.part {
                MeshPart::VertexData(_) => !primitive,
                MeshPart::PrimitiveData(_) => primitive,
                _ => false,
            };
            self.out.mesh_pieces.iter().filter(same).count() as u32
        };
        let bool_or_uint = if leaf.scalar == Scalar::Bool { Scalar::Uint32 } else { leaf.scalar };
        let (part, role, scalar, comps) = match leaf.slot {
            Slot::POSITION => (MeshPart::Position, Some(InterfaceRole::Position), Scalar::Float32, 4),
            Slot::POINT_SIZE => (MeshPart::PointSize, Some(InterfaceRole::PointSize), Scalar::Float32, 1),
            // `lower_clip_distance_arrays` merges both kinds into one array.
            Slot::CLIP_DIST0 if self.shader.info.cull_distances > 0 => {
                let message = "Metal has no cull distances";
                return self.errors.push(Diagnostic::error(errors::INTERFACE, message).help(
                    "a vertex, evaluation or geometry shader that is compiled with its fragment shader discards what they cull",
                ));
            }
            Slot::CLIP_DIST0 => {
                let all = match self.shader.info.clip_distances {
                    0 => leaf.comps,
                    n => n.min(8),
                };
                (MeshPart::Clip, Some(InterfaceRole::ClipDistance), Scalar::Float32, all)
            }
            Slot::PRIMITIVE_ID => {
                (MeshPart::PrimitiveId, Some(InterfaceRole::PrimitiveId), Scalar::Uint32, 1)
            }
            Slot::LAYER => (MeshPart::Layer, Some(InterfaceRole::RenderTargetArrayIndex), Scalar::Uint32, 1),
            Slot::VIEWPORT => {
                (MeshPart::Viewport, Some(InterfaceRole::ViewportArrayIndex), Scalar::Uint32, 1)
            }
            Slot::CULL_PRIMITIVE => (MeshPart::Culled, Some(InterfaceRole::PrimitiveCulled), Scalar::Bool, 1),
            Slot::PRIMITIVE_INDICES => (MeshPart::Indices(arity), None, Scalar::Uint32, arity as u8),
            slot if is_varying(slot) && leaf.per_primitive => (
                MeshPart::PrimitiveData(count(true)),
                Some(InterfaceRole::MeshPrimitiveData),
                bool_or_uint,
                leaf.comps,
            ),
            slot if is_varying(slot) => (
                MeshPart::VertexData(count(false)),
                Some(InterfaceRole::MeshVertexData),
                bool_or_uint,
                leaf.comps,
            ),
            slot => {
                let message = match slot {
                    Slot::SHADING_RATE => "Metal has no shading rate of primitives".to_owned(),
                    Slot::CULL_DIST0 | Slot::CULL_DIST1 => "Metal has no cull distances".to_owned(),
                    slot => format!("a mesh function in Metal has no output `{slot}`"),
                };
                return self.errors.push(Diagnostic::error(errors::INTERFACE, message));
            }
        };
        let generic = matches!(part, MeshPart::VertexData(_) | MeshPart::PrimitiveData(_));
        let (class, bits) =
            (Class::of(scalar), if scalar == Scalar::Bool { 32 } else { scalar.bits().max(8) });
        let component = if generic { leaf.component } else { 0 };
        self.out.mesh_pieces.push(MeshPiece { slot: leaf.slot, component, comps, class, bits, part });
        let Some(role) = role else { return };
        let mut words = self.words(&[&format!("air.{role}")]);
        let location = leaf.slot.as_generic();
        let key = if generic { varying_name(leaf.slot, leaf.component) } else { role.name().into() };
        match part {
            MeshPart::VertexData(n) | MeshPart::PrimitiveData(n) => {
                words.extend([self.m.md_i32(n as i32), self.m.md_str(&key)]);
            }
            MeshPart::Clip => {
                words.push(self.m.md_str("air.clip_distance_array_size"));
                words.push(self.m.md_i32(i32::from(comps)));
            }
            _ => {}
        }
        let number = location.unwrap_or(u32::from(leaf.slot.0));
        let name = if generic { self.name(&leaf.name, "varying", number) } else { role.name().into() };
        let metal = vector_name(scalar, if part == MeshPart::Clip { 1 } else { comps });
        self.named(&mut words, metal, &name);
        let node = self.m.md_node(&words);
        let of_vertex = matches!(
            part,
            MeshPart::Position | MeshPart::PointSize | MeshPart::Clip | MeshPart::VertexData(_)
        );
        if of_vertex {
            vertices.push(node);
        } else {
            primitives.push(node);
        }
        let value = InterfaceValue { location, role, name: key, type_name: metal.into() };
        self.out.reflection.outputs.push(value);
    }

    /// Every value is written as a whole, or by the same components wherever it is written.
    fn expect_whole_writes(&mut self) {
        let mut first: SmallVec<[u32; 16]> = smallvec::smallvec![0; self.out.mesh_pieces.len()];
        for write in &self.usage.outputs {
            let Some(store) = self.body[write.instr].as_intrinsic() else { continue };
            let offset = offset_operand(self.body, write.instr);
            for slot in self.reach(write.location, write.slots, offset) {
                for (piece, first) in self.out.mesh_pieces.iter().zip(&mut first) {
                    if matches!(piece.part, MeshPart::Clip | MeshPart::Indices(_)) {
                        continue;
                    }
                    let covered =
                        piece.covered(Slot(slot.min(255) as u8), store.component() as u8, store.write_mask());
                    if covered == 0 || covered == *first {
                        continue;
                    }
                    if *first != 0 {
                        let loc = self.body[write.instr].loc;
                        let place = errors::place(self.shader, loc);
                        let message = format!(
                            "output `{}` of a mesh is written in parts, but Metal takes whole values",
                            piece.slot
                        );
                        self.errors.push(
                            Diagnostic::error(errors::INTERFACE, message)
                                .at(place)
                                .help("run mesh_outputs_to_shared before lower_io"),
                        );
                    }
                    *first = covered;
                }
            }
        }
    }
}
