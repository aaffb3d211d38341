//! Object functions (task shaders) and mesh functions.
//!
//! A mesh function returns nothing: its outputs are described by the type of its first argument and written by function calls,
//! a whole value at a time. So an output of which the code writes only some components must be written alike everywhere; what is
//! missing is undefined then. Other partial writes, and reads, are the matter of the pass `mesh_outputs_to_shared`.

use super::stage_io::{is_varying, offset_operand, varying_name};
use super::{Leaf, Maker, NO_ARG, THREADGROUP};
use crate::module::{Attr, AttrKind, ICmp, Md, TypeId, Value};
use crate::select::body::Emit;
use crate::select::body::calls::{Effect, suffix};
use crate::select::debug::{Layout, SourceType};
use crate::select::errors;
use crate::select::plan::usage::Use;
use crate::select::reflection::{InterfaceValue, MeshSize};
use crate::select::types::{Class, scalar_type, struct_info, type_name, vector_name};
use airfoil_ir::{Diagnostic, InstrId, Intrinsic, Modes, Primitive, Scalar, Slot, Stage, Ty};
use smallvec::SmallVec;

/// Address space of the payload between object and mesh functions.
const OBJECT_DATA: u32 = 6;
/// Address space of the handle of a mesh.
const MESH: u32 = 7;
/// Most vertices and primitives of a mesh (Metal feature set tables).
const MOST: (u32, u32) = (256, 512);
/// Most bytes of a payload (the same tables).
const MOST_PAYLOAD: u32 = 16 << 10;

/// What an output of a mesh function is in Metal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum MeshPart {
    Position,
    PointSize,
    /// Array of clip distances.
    Clip,
    /// A value of each vertex: its number.
    VertexData(u32),
    /// A value of each primitive: its number.
    PrimitiveData(u32),
    PrimitiveId,
    Layer,
    Viewport,
    Culled,
    /// Numbers of the vertices of a primitive, as many as it has.
    Indices(u32),
}

/// An output of a mesh function: some components of a location.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MeshPiece {
    pub(crate) slot: Slot,
    pub(crate) component: u8,
    pub(crate) comps: u8,
    pub(crate) class: Class,
    pub(crate) bits: u8,
    pub(crate) part: MeshPart,
}

impl MeshPiece {
    /// Bits of the components among those from `component` on that belong to this output, counted from its first.
    fn covered(&self, slot: Slot, component: u8, mask: u32) -> u32 {
        if slot != self.slot {
            return 0;
        }
        let at = (mask & 15) << component >> self.component;
        at & ((1 << self.comps) - 1)
    }
}

/// Vertices of a primitive and its name in Metal.
fn topology(primitive: Primitive) -> (u32, &'static str) {
    match primitive {
        Primitive::Points => (1, "point"),
        Primitive::Lines | Primitive::LinesAdjacency | Primitive::LineStrip => (2, "line"),
        _ => (3, "triangle"),
    }
}

impl Maker<'_> {
    /// Arguments of an object function that only these have.
    pub(crate) fn object_arguments(&mut self) {
        self.needs_mesh_functions();
        self.payload();
        let handle = self.m.opaque("struct._mesh_grid_properties_t");
        let ty = self.m.pointer(handle, THREADGROUP);
        let words = self.words(&["air.mesh_grid_properties"]);
        let attrs = smallvec::smallvec![Attr::Flag(AttrKind::NO_CAPTURE)];
        self.out.mesh = self.arg(ty, attrs, &words, "mesh_grid_properties", "grid");
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
        let used = |id| self.scan.vars.contains_key(id);
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
        if size > MOST_PAYLOAD {
            let message = format!("a payload of {size} bytes: Metal has no more than {MOST_PAYLOAD}");
            return self.errors.push(Diagnostic::error(errors::INTERFACE, message));
        }
        let ty = self.m.pointer(air, OBJECT_DATA);
        let mut words = self.words(&["air.payload"]);
        if let Some(info) = struct_info(self.m, self.layouts, types, v.ty, mem) {
            words.extend([self.m.md_str("air.struct_type_info"), info]);
        }
        self.size_keys(&mut words, size, align);
        let mut attrs: SmallVec<[Attr; 6]> = smallvec::smallvec![Attr::Flag(AttrKind::NO_CAPTURE)];
        let uses = self.scan.uses(id);
        if !uses.contains(Use::WRITTEN) {
            attrs.push(Attr::Flag(AttrKind::READ_ONLY));
        } else if !uses.contains(Use::READ) && self.options.target.has_modern_attributes() {
            attrs.push(Attr::Flag(AttrKind::WRITE_ONLY));
        }
        attrs.push(Attr::Int(AttrKind::ALIGN, u64::from(align)));
        attrs.push(Attr::Int(AttrKind::DEREFERENCEABLE, u64::from(size)));
        let (name, metal) = (self.name(&v.name, "payload", 0), type_name(types, v.ty));
        let arg = self.arg(ty, attrs, &words, &metal, &name);
        self.source(arg, || (v.name.to_string(), SourceType::Memory(v.ty, Layout::Private)));
        self.out.payload = Some((id, arg));
        self.out.reflection.payload = size;
    }

    /// Arguments of a mesh function that only these have: the mesh, whose type tells the outputs, and the payload.
    pub(crate) fn mesh_arguments(&mut self) {
        self.needs_mesh_functions();
        if let Some(read) = self.scan.inputs.first() {
            let loc = self.body[read.instr].loc;
            self.errors.at(self.shader, loc, errors::INTERFACE, "a mesh function has no stage inputs");
        }
        let info = &self.shader.info;
        let (arity, topology) = topology(info.output_primitive);
        let counts = [("vertices", info.max_vertices, MOST.0), ("primitives", info.max_primitives, MOST.1)];
        for (what, count, most) in counts {
            if count > most {
                let message = format!("a mesh of up to {count} {what}: Metal has no more than {most}");
                self.errors.push(Diagnostic::error(errors::INTERFACE, message));
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
        self.out.mesh = self.arg(ty, attrs, &words, &name, "output");
        self.payload();
    }

    /// The outputs: declared varyings, whether written or not, and the built-ins that are written.
    fn mesh_leaves(&mut self) -> Vec<Leaf> {
        let declared = self.leaves(Modes::OUT);
        let mut leaves: Vec<Leaf> =
            declared.iter().filter(|l| is_varying(l.slot) && !l.compact).cloned().collect();
        let mut clip = 0u8;
        for i in 0..self.scan.outputs.len() {
            let write = self.scan.outputs[i];
            let offset = offset_operand(self.body, write.instr);
            let Some(store) = self.body[write.instr].as_intrinsic() else { continue };
            let (io, scalar) = (store.io(), self.access_scalar(write.ty, store.src(0)));
            if !self.check_scalar(scalar, "a mesh output", write.instr) {
                continue;
            }
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
                        name: String::new(),
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
                name: String::new(),
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
            Slot::POSITION => (MeshPart::Position, "position", Scalar::Float32, 4),
            Slot::POINT_SIZE => (MeshPart::PointSize, "point_size", Scalar::Float32, 1),
            Slot::CLIP_DIST0 => {
                let all = match self.shader.info.clip_distances {
                    0 => leaf.comps,
                    n => n.min(8),
                };
                (MeshPart::Clip, "clip_distance", Scalar::Float32, all)
            }
            Slot::PRIMITIVE_ID => (MeshPart::PrimitiveId, "primitive_id", Scalar::Uint32, 1),
            Slot::LAYER => (MeshPart::Layer, "render_target_array_index", Scalar::Uint32, 1),
            Slot::VIEWPORT => (MeshPart::Viewport, "viewport_array_index", Scalar::Uint32, 1),
            Slot::CULL_PRIMITIVE => (MeshPart::Culled, "primitive_culled", Scalar::Bool, 1),
            Slot::PRIMITIVE_INDICES => (MeshPart::Indices(arity), "", Scalar::Uint32, arity as u8),
            slot if is_varying(slot) && leaf.per_primitive => {
                (MeshPart::PrimitiveData(count(true)), "mesh_primitive_data", bool_or_uint, leaf.comps)
            }
            slot if is_varying(slot) => {
                (MeshPart::VertexData(count(false)), "mesh_vertex_data", bool_or_uint, leaf.comps)
            }
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
        if role.is_empty() {
            return;
        }
        let mut words = self.words(&[&format!("air.{role}")]);
        let location = leaf.slot.as_generic();
        let key = if generic { varying_name(leaf.slot, leaf.component) } else { role.to_owned() };
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
        let name = if generic { self.name(&leaf.name, "varying", number) } else { role.to_owned() };
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
        let value = InterfaceValue { location, role, name: key, type_name: metal.to_owned() };
        self.out.reflection.outputs.push(value);
    }

    /// Every value is written as a whole, or by the same components wherever it is written.
    fn expect_whole_writes(&mut self) {
        let mut first: SmallVec<[u32; 16]> = smallvec::smallvec![0; self.out.mesh_pieces.len()];
        for write in &self.scan.outputs {
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

impl Emit<'_> {
    /// Sets how many primitives the mesh has; vertices need not be counted in Metal.
    pub(crate) fn set_mesh_outputs(&mut self, i: &Intrinsic) {
        let primitives = self.scalar(i.src(1), Class::Int);
        self.mesh_call("air.set_primitive_count_mesh", 0, &[primitives]);
    }

    /// Says how many mesh threadgroups follow. All invocations say the same (SPIR-V: the operands are uniform in the workgroup).
    pub(crate) fn launch_mesh_workgroups(&mut self, i: &Intrinsic) {
        let count = self.whole(i.src(0), 3, Class::Int);
        self.mesh_call("air.set_threadgroups_per_grid_mesh_properties", 0, &[count]);
    }

    /// Calls a function on the mesh, or on the grid of meshes.
    fn mesh_call(&mut self, base: &'static str, key: u64, args: &[Value]) {
        if self.face.mesh == NO_ARG {
            let message = format!("`{base}` outside of a mesh or object function");
            return self.refuse(errors::OPERATION, message);
        }
        let mut all: SmallVec<[Value; 4]> = smallvec::smallvec![self.b.arg(self.face.mesh)];
        all.extend_from_slice(args);
        let last = args.last().map_or(TypeId::I32, |&v| self.b.type_of(v));
        let overloaded = key != 0;
        self.air(base, key, TypeId::VOID, &all, Effect::Writes, |m| match overloaded {
            true => format!(".{}", suffix(m, last)),
            false => String::new(),
        });
    }

    pub(crate) fn store_mesh_output(&mut self, i: &Intrinsic) {
        if self.shader.stage != Stage::Mesh {
            let message = format!("{} functions have no outputs of several vertices", self.shader.stage);
            return self.refuse(errors::OPERATION, message);
        }
        let vertex = i.src(1);
        self.each_slot(i.io(), i.src(2), |this, slot| this.store_mesh_slot(slot, i, vertex));
    }

    fn store_mesh_slot(&mut self, slot: Slot, i: &Intrinsic, vertex: InstrId) {
        let (value, component, mask) = (i.src(0), i.component() as u8, i.write_mask());
        let at = self.scalar(vertex, Class::Int);
        let face = self.face;
        if matches!(slot, Slot::CLIP_DIST0 | Slot::CLIP_DIST1) {
            let before = (slot.0 - Slot::CLIP_DIST0.0) * 4 + component;
            let count = face.mesh_pieces.iter().find(|p| p.part == MeshPart::Clip).map_or(0, |p| p.comps);
            for lane in (0..self.ty(value).comps).filter(|l| mask & (1 << l) != 0 && before + l < count) {
                let distance = self.lane(value, usize::from(lane), Class::Float);
                let element = self.b.module.i32(i32::from(before + lane));
                self.mesh_call("air.set_clip_distance_mesh", 0, &[element, at, distance]);
            }
            return;
        }
        for piece in &face.mesh_pieces {
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
                return self.refuse(errors::INTERFACE, message);
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
                            self.b.module.undef(scalar_type(piece.class, piece.bits))
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
        let wide = self.b.zext(bit, scalar_type(Class::Int, piece.bits));
        self.cast(wide, Class::Int, piece.class)
    }

    fn store_piece(&mut self, piece: &MeshPiece, at: Value, data: Value) {
        let key = self.b.type_of(data).index() as u64 + 1;
        let number = |e: &mut Self, n: u32| e.b.module.i32(n as i32);
        match piece.part {
            MeshPart::Position => self.mesh_call("air.set_position_mesh", 0, &[at, data]),
            MeshPart::PointSize => self.mesh_call("air.set_point_size_mesh", 0, &[at, data]),
            MeshPart::VertexData(n) => {
                let n = number(self, n);
                self.mesh_call("air.set_vertex_data_mesh", key, &[n, at, data]);
            }
            MeshPart::PrimitiveData(n) => {
                let n = number(self, n);
                self.mesh_call("air.set_primitive_data_mesh", key, &[n, at, data]);
            }
            MeshPart::PrimitiveId => self.mesh_call("air.set_primitive_id_mesh", 0, &[at, data]),
            MeshPart::Layer => self.mesh_call("air.set_render_target_array_index_mesh", key, &[at, data]),
            MeshPart::Viewport => self.mesh_call("air.set_viewport_array_index_mesh", key, &[at, data]),
            MeshPart::Culled => {
                let zero = self.b.module.i32(0);
                let culled = self.b.icmp(ICmp::Ne, data, zero);
                self.mesh_call("air.set_primitive_culled_mesh", 0, &[at, culled]);
            }
            MeshPart::Clip | MeshPart::Indices(_) => {}
        }
    }

    /// Numbers of the vertices of a primitive, one by one.
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
            self.mesh_call("air.set_index_mesh", 0, &[place, vertex]);
        }
    }
}
