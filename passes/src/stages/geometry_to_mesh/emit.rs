//! Outputs of a geometry shader as locals, and their emission as vertices and primitives of a mesh.

use crate::stages::stage_buffer::New;
use crate::util::output_locals::store_lanes;
use crate::util::outputs::output_points;
use airfoil_ir::{
    Body, Builder, Cursor, Diagnostic, FuncId, Index, InstrId, Intrinsic, IntrinsicOp, IoSemantics, Modes,
    Primitive, Scalar, Shader, Slot, SlotSet, Stage, Ty, Type, TypeId, Types, VarId, Variable,
};
use slotmap::SlotMap;
use smallvec::SmallVec;

/// Maximum number of slots of an output; Metal does not have more.
const MAX_SLOTS: u32 = 64;

/// A vector in an output: slots relative to its first, components, type.
#[derive(Clone, Copy, Debug)]
struct Leaf {
    slot: u32,
    comps: u8,
    scalar: Scalar,
}

/// An output variable and its local: a vector of four components for each slot.
#[derive(Debug)]
struct Output {
    var: VarId,
    local: VarId,
    slots: u32,
    component: u8,
    bits: u8,
    leaves: Vec<Leaf>,
    /// For per-primitive values of a primitive whose first vertex provokes: those of the previous vertices.
    older: Vec<VarId>,
}

/// All outputs, and the counters.
#[derive(Debug)]
pub(super) struct Outputs {
    list: Vec<Output>,
    /// Vertices of an output primitive: 1, 2 or 3.
    arity: u32,
    first_provokes: bool,
    max_vertices: u32,
    /// Local counters.
    vertices: VarId,
    primitives: VarId,
    /// Vertices of the current strip; `None` for points.
    strip: Option<VarId>,
}

/// Values that are per primitive in a mesh.
fn is_of_primitive(slot: Slot) -> bool {
    matches!(slot, Slot::PRIMITIVE_ID | Slot::LAYER | Slot::VIEWPORT)
}

/// Slots of outputs that stores may reach.
fn stored_slots(body: &Body) -> SlotSet {
    let mut slots = SlotSet::default();
    for id in body.all_instrs() {
        let Some(i) = body[id].as_intrinsic().filter(|i| i.op == IntrinsicOp::store_output) else { continue };
        let io = i.io();
        let reached = match body[i.src(1)].as_const() {
            Some(c) => c[0].min(255) as u32..c[0].min(255) as u32 + 1,
            None => 0..u32::from(io.num_slots.max(1)),
        };
        reached.filter_map(|n| io.location.offset(n)).for_each(|slot| slots.insert(slot));
    }
    slots
}

/// The vectors of a type, slot by slot, 64-bit components as pairs (`lower_64bit_io`); `None` if there are
/// too many.
fn leaves(types: &Types, ty: TypeId, slot: &mut u32, out: &mut Vec<Leaf>) -> Option<()> {
    let mut push = |scalar: Scalar, comps: u8| {
        let (scalar, comps) = match scalar.bits() {
            64 => (Scalar::Uint32, comps * 2),
            _ => (scalar, comps),
        };
        for first in (0..comps).step_by(4) {
            if *slot >= MAX_SLOTS {
                return None;
            }
            out.push(Leaf { slot: *slot, comps: (comps - first).min(4), scalar });
            *slot += 1;
        }
        Some(())
    };
    match &types[ty] {
        Type::Vector { scalar, comps } => push(*scalar, *comps),
        Type::Matrix { scalar, cols, rows, .. } => (0..*cols).try_for_each(|_| push(*scalar, *rows)),
        Type::Array { elem, len, .. } => (0..*len).try_for_each(|_| leaves(types, *elem, slot, out)),
        Type::Struct(s) => s.members.iter().try_for_each(|m| leaves(types, m.ty, slot, out)),
        Type::Image(_) | Type::Sampler => None,
    }
}

impl Outputs {
    /// Creates a local for each output and turns the outputs into arrays of vertices or primitives.
    pub(super) fn new(
        shader: &mut Shader,
        entry: FuncId,
        first_provokes: bool,
    ) -> Result<Outputs, Diagnostic> {
        let refuse = |message: String| Err(Diagnostic::error("E0348", message));
        let (arity, single) = match shader.info.output_primitive {
            Primitive::Points => (1, Primitive::Points),
            Primitive::LineStrip => (2, Primitive::Lines),
            Primitive::TriangleStrip => (3, Primitive::Triangles),
            other => return refuse(format!("`{other}` is not an output primitive of geometry shaders")),
        };
        let max_vertices = shader.info.max_vertices;
        let max_primitives = max_vertices.saturating_sub(arity - 1).max(1);
        let stored = stored_slots(&shader.functions[entry].body);
        let vars: Vec<VarId> =
            shader.vars.iter().filter(|(_, v)| v.mode == Modes::OUT).map(|(id, _)| id).collect();
        let mut list = Vec::with_capacity(vars.len());
        for var in vars {
            let v = &shader.vars[var];
            // Vertices of other streams are dropped.
            let Some(location) = v.location.filter(|_| v.stream == 0) else {
                shader.vars.remove(var);
                continue;
            };
            let (mut slots, mut parts) = (0, Vec::new());
            if let (true, &Type::Array { len, .. }) = (v.compact, &shader.types[v.ty]) {
                for first in (0..len.min(8)).step_by(4) {
                    let comps = (len.min(8) - first).min(4) as u8;
                    parts.push(Leaf { slot: first / 4, comps, scalar: Scalar::Float32 });
                }
                slots = parts.len() as u32;
            } else if leaves(&shader.types, v.ty, &mut slots, &mut parts).is_none() {
                return refuse(format!("output `{}` occupies more than {MAX_SLOTS} locations", v.name));
            }
            let scalar = |l: &Leaf| if l.scalar == Scalar::Bool { Scalar::Uint32 } else { l.scalar };
            let bits = parts.iter().map(|l| scalar(l).bits()).max().unwrap_or(32);
            if parts.iter().any(|l| scalar(l).bits() != bits) {
                return refuse(format!("output `{}` has components of several widths", v.name));
            }
            let is_stored = (0..slots).filter_map(|n| location.offset(n)).any(|slot| stored.contains(slot));
            if !is_stored && location.as_generic().is_none() {
                // A built-in that is declared but unused.
                shader.vars.remove(var);
                continue;
            }
            let (name, component, ty) = (v.name.clone(), v.component, v.ty);
            let of_primitive = is_of_primitive(location);
            let len = if of_primitive { max_primitives } else { max_vertices.max(1) };
            let ty = shader.types.array(ty, len);
            let v = &mut shader.vars[var];
            (v.ty, v.per_primitive) = (ty, of_primitive);
            if is_stored {
                let vector = shader.types.vector(Scalar::int(bits, false), 4);
                let held = if slots == 1 { vector } else { shader.types.array(vector, slots) };
                let mut local = |name: &str| shader.add_local(entry, name, held);
                let depth = if of_primitive && first_provokes { arity - 1 } else { 0 };
                let (local, older) =
                    (local(&name), (1..=depth).map(|n| local(&format!("{name}.{n}"))).collect());
                list.push(Output { var, local, slots, component, bits, leaves: parts, older });
            }
        }
        let numbers = shader.types.vector(Scalar::Uint32, arity as u8);
        let numbers = shader.types.array(numbers, max_primitives);
        let mut indices = Variable::new("primitive_indices", numbers, Modes::OUT);
        (indices.location, indices.per_primitive) = (Some(Slot::PRIMITIVE_INDICES), true);
        shader.add_var(indices);
        let uint = shader.types.vector(Scalar::Uint32, 1);
        let mut counter = |name| shader.add_local(entry, name, uint);
        let (vertices, primitives) = (counter("vertices"), counter("primitives"));
        let strip = (arity > 1).then(|| counter("strip_vertices"));
        let info = &mut shader.info;
        (info.output_primitive, info.max_primitives) = (single, max_primitives);
        info.max_vertices = max_vertices.max(1);
        Ok(Outputs { list, arity, first_provokes, max_vertices, vertices, primitives, strip })
    }

    /// Initializes the counters.
    pub(super) fn begin(&self, vars: &SlotMap<VarId, Variable>, body: &mut Body) {
        let entry = body.entry();
        let mut b = Builder::at(body, Cursor::BlockStart(entry));
        let zero = b.imm_u32(0);
        for counter in [self.vertices, self.primitives].into_iter().chain(self.strip) {
            let counter = b.deref_var(vars, counter);
            b.store_deref(counter, zero);
        }
    }

    /// Sets the size of the mesh at each exit of the invocation.
    pub(super) fn finish(&self, shader: &mut Shader, entry: FuncId) {
        shader.stage = Stage::Mesh;
        let points = output_points(shader);
        let Shader { vars, functions, .. } = shader;
        for point in points {
            let mut b = Builder::at(&mut functions[entry].body, point.at);
            let [vertices, primitives] = [self.vertices, self.primitives].map(|c| {
                let counter = b.deref_var(vars, c);
                b.load_deref(counter, Ty::B32)
            });
            b.intrinsic(IntrinsicOp::set_mesh_outputs, Ty::NONE, &[vertices, primitives]);
        }
    }

    /// The replacement of an intrinsic for outputs and vertices.
    pub(super) fn replace(
        &self,
        types: &mut Types,
        vars: &SlotMap<VarId, Variable>,
        b: &mut Builder,
        i: &Intrinsic,
        ty: Ty,
    ) -> Result<New, Diagnostic> {
        let mut context = At { outputs: self, types, vars };
        match i.op {
            IntrinsicOp::emit_vertex | IntrinsicOp::end_primitive if i.stream() != 0 => Ok(New::Nothing),
            IntrinsicOp::emit_vertex => {
                context.emit(b);
                Ok(New::Nothing)
            }
            IntrinsicOp::end_primitive => {
                if let Some(strip) = self.strip {
                    let zero = b.imm_u32(0);
                    context.set(b, strip, zero);
                }
                Ok(New::Nothing)
            }
            IntrinsicOp::store_output => {
                let bits = b.ty(i.src(0)).bits;
                if let Some((deref, output)) = context.local(b, i, bits)? {
                    let component = i.component() - u32::from(output.component);
                    store_lanes(b, deref, i.src(0), component, i.write_mask(), output.bits);
                }
                Ok(New::Nothing)
            }
            IntrinsicOp::load_output => {
                let Some((deref, output)) = context.local(b, i, ty.bits)? else {
                    return Ok(New::Value(b.undef(ty)));
                };
                let whole = b.load_deref(deref, Ty::new(4, output.bits));
                let first = i.component() as u8 - output.component;
                let lanes: SmallVec<[u8; 4]> = (0..ty.comps).map(|c| (first + c).min(3)).collect();
                Ok(New::Value(b.swizzle(whole, &lanes)))
            }
            _ => Ok(New::Same),
        }
    }
}

/// The outputs while code is built.
struct At<'a> {
    outputs: &'a Outputs,
    types: &'a mut Types,
    vars: &'a SlotMap<VarId, Variable>,
}

impl At<'_> {
    fn get(&self, b: &mut Builder, counter: VarId) -> InstrId {
        let counter = b.deref_var(self.vars, counter);
        b.load_deref(counter, Ty::B32)
    }

    fn set(&self, b: &mut Builder, counter: VarId, value: InstrId) {
        let counter = b.deref_var(self.vars, counter);
        b.store_deref(counter, value);
    }

    /// The vector of a local that an access by slot refers to, with its owner; `None` if it is not declared.
    fn local(
        &mut self,
        b: &mut Builder,
        i: &Intrinsic,
        bits: u8,
    ) -> Result<Option<(InstrId, &Output)>, Diagnostic> {
        let (io, component) = (i.io(), i.component() as u8);
        let Some(&offset) = i.srcs().last() else { return Ok(None) };
        let constant = b.scalar_const(offset);
        let first = u32::from(io.location.0);
        let (from, to) = match constant {
            Some(n) => (first + n.min(255) as u32, first + n.min(255) as u32),
            None => (first, first + u32::from(io.num_slots.max(1)) - 1),
        };
        let start = |o: &Output| self.vars[o.var].location.map_or(0, |l| u32::from(l.0));
        let covers = |o: &&Output| {
            let range = start(o)..start(o) + o.slots;
            let reach = o.leaves.iter().map(|l| o.component + l.comps).max().unwrap_or(4);
            io.stream == 0
                && range.contains(&from)
                && range.contains(&to)
                && (o.component..reach).contains(&component)
        };
        let Some(output) = self.outputs.list.iter().find(covers) else { return Ok(None) };
        if bits != output.bits {
            let message = format!(
                "output {}: expected an access of {} bits, found {bits} bits",
                io.location, output.bits
            );
            let fault = Diagnostic::error("E0344", message);
            return Err(if bits == 64 { fault.help("run lower_64bit_io first") } else { fault });
        }
        let local = b.deref_var(self.vars, output.local);
        if output.slots == 1 {
            return Ok(Some((local, output)));
        }
        let index = match constant {
            Some(_) => b.imm_u32(from - start(output)),
            None => {
                let before = b.imm_u32(from - start(output));
                b.iadd(offset, before)
            }
        };
        Ok(Some((b.deref_array(self.types, local, index), output)))
    }

    /// Emits a vertex with the values of the locals, and the primitive that it completes.
    fn emit(&mut self, b: &mut Builder) {
        let outputs = self.outputs;
        let number = self.get(b, outputs.vertices);
        let most = b.imm_u32(outputs.max_vertices);
        let fits = b.ult(number, most);
        let emitted = b.push_if(fits);
        let one = b.imm_u32(1);
        for output in outputs.list.iter().filter(|o| !self.vars[o.var].per_primitive) {
            self.write(b, output, output.local, number);
        }
        let next = b.iadd(number, one);
        self.set(b, outputs.vertices, next);
        match outputs.strip {
            None => self.primitive(b, &[number]),
            Some(strip) => {
                let before = self.get(b, strip);
                let in_strip = b.iadd(before, one);
                self.set(b, strip, in_strip);
                let enough = b.imm_u32(outputs.arity);
                let complete = b.uge(in_strip, enough);
                let made = b.push_if(complete);
                let numbers = self.numbers(b, number, before);
                self.primitive(b, &numbers);
                b.pop(made);
            }
        }
        for output in &outputs.list {
            self.grow_older(b, output);
        }
        b.pop(emitted);
    }

    /// Emits a primitive, given the indices of its vertices.
    fn primitive(&mut self, b: &mut Builder, numbers: &[InstrId]) {
        let outputs = self.outputs;
        let primitive = self.get(b, outputs.primitives);
        let indices = b.vec(numbers);
        let mut io = IoSemantics::new(Slot::PRIMITIVE_INDICES);
        io.per_primitive = true;
        store(b, io, (indices, primitive), 0, Scalar::Uint32);
        for output in outputs.list.iter().filter(|o| self.vars[o.var].per_primitive) {
            self.write(b, output, *output.older.last().unwrap_or(&output.local), primitive);
        }
        let one = b.imm_u32(1);
        let more = b.iadd(primitive, one);
        self.set(b, outputs.primitives, more);
    }

    /// Shifts the values of each vertex to the previous one.
    fn grow_older(&mut self, b: &mut Builder, output: &Output) {
        let mut to = output.older.iter().rev();
        let mut from = output.older.iter().rev().skip(1).chain(std::iter::once(&output.local));
        let ty = Ty::new(4, output.bits);
        while let (Some(&to), Some(&from)) = (to.next(), from.next()) {
            let (to, from) = (b.deref_var(self.vars, to), b.deref_var(self.vars, from));
            let value = b.load_deref(from, ty);
            b.store_deref(to, value);
        }
    }

    /// Vertex indices of the primitive completed by vertex `number`; `before` vertices of the strip precede
    /// it.
    ///
    /// Every second triangle of a strip has its first two vertices swapped, so that all have the same winding
    /// (OpenGL 4.6 section 10.1.9, Vulkan 1.3 section 21.1.6).
    fn numbers(&self, b: &mut Builder, number: InstrId, before: InstrId) -> SmallVec<[InstrId; 3]> {
        let first = self.outputs.first_provokes;
        let one = b.imm_u32(1);
        let middle = b.isub(number, one);
        if self.outputs.arity == 2 {
            return SmallVec::from_slice(&if first { [middle, number] } else { [number, middle] });
        }
        let two = b.imm_u32(2);
        let odd = b.iand(before, one);
        let start = b.isub(number, two);
        // The two vertices after the provoking one, swapped in every second triangle.
        let (provoking, low, high) = if first { (start, middle, number) } else { (number, start, middle) };
        let (second, third) = (b.iadd(low, odd), b.isub(high, odd));
        SmallVec::from_slice(&[provoking, second, third])
    }

    /// Writes a local as the output of a vertex or primitive.
    fn write(&mut self, b: &mut Builder, output: &Output, local: VarId, number: InstrId) {
        let v = &self.vars[output.var];
        let Some(location) = v.location else { return };
        let whole = b.deref_var(self.vars, local);
        for leaf in &output.leaves {
            let Some(slot) = location.offset(leaf.slot) else { continue };
            let part =
                if output.slots == 1 { whole } else { b.deref_array_imm(self.types, whole, leaf.slot) };
            let value = b.load_deref(part, Ty::new(4, output.bits));
            let value = b.resize(value, leaf.comps);
            let mut io = IoSemantics::new(slot);
            (io.invariant, io.per_primitive) = (v.invariant, v.per_primitive);
            let scalar = if leaf.scalar == Scalar::Bool { Scalar::Uint32 } else { leaf.scalar };
            store(b, io, (value, number), output.component, scalar);
        }
    }
}

/// Writes a whole value of a vertex or primitive.
fn store(
    b: &mut Builder,
    io: IoSemantics,
    (value, number): (InstrId, InstrId),
    component: u8,
    scalar: Scalar,
) {
    let zero = b.imm_u32(0);
    let mask = (1u32 << b.ty(value).comps) - 1;
    let store = Intrinsic::new(IntrinsicOp::store_per_vertex_output, &[value, number, zero])
        .with(Index::Io, io)
        .with(Index::Component, u32::from(component))
        .with(Index::WriteMask, mask)
        .with(Index::SrcType, scalar);
    b.insert_intrinsic(store, Ty::NONE);
}
