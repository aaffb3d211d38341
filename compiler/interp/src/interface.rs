//! Inputs and outputs by slot and component, which have the same names in all forms.
//!
//! In the form `variables` they are memory: filled before the first instruction, named after the last one. In the
//! other forms intrinsics reach them. A component is counted in units of 32 bits, of 64 bits in pairs. Where values come
//! from and go to is the matter of `env.rs` (seeds) or `data/` (callers).

use crate::Fault;
use crate::env::Place;
use crate::layout::Leaf;
use crate::machine::{Machine, lanes};
use crate::memory::{Pointer, Value};
use crate::program::{Op, Reg};
use crate::values::Values;
use airfoil_ir::alu::{f64_from_bits, f64_to_bits};
use airfoil_ir::{
    Form, Interpolation, Intrinsic, IntrinsicOp, Modes, Sampling, Scalar, Slot, Stage, SystemValue, Type,
    VarId, Variable,
};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Name of a component of an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Component {
    /// Invocation, vertex of the patch or mesh, or primitive.
    pub(crate) lane: u32,
    /// One more than the number of an emitted vertex; 0 = at the end.
    pub(crate) vertex: u32,
    pub(crate) slot: u8,
    pub(crate) unit: u32,
    /// Blend source.
    pub(crate) index: u8,
}

/// A value that came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cell {
    pub(crate) bits: u64,
    pub(crate) scalar: Scalar,
    pub(crate) undef: bool,
}

/// Whose output it is.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Owner {
    Lane(usize),
    Vertex(u32),
    Patch,
    Primitive(u32),
}

/// A scalar of an input or output variable.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part {
    pub(crate) slot: Slot,
    pub(crate) unit: u32,
    pub(crate) vertex: Option<u64>,
    pub(crate) scalar: Scalar,
}

/// An input or output variable taken apart: its object, and offsets of its scalars.
#[derive(Debug)]
struct Plan {
    var: VarId,
    object: u32,
    parts: Vec<(u64, Part)>,
}

/// A vertex that a geometry shader emitted, or the end of a primitive.
#[derive(Clone, Debug)]
pub(crate) struct Emitted {
    pub(crate) lane: usize,
    pub(crate) stream: u32,
    /// `None` ends the primitive.
    pub(crate) vertex: Option<Values>,
}

/// Slot of the outcome that tells ends of primitives.
const END: u8 = 255;

/// Most vertices vectors of arrays without length have (`gl_MaxPatchVertices`).
pub(crate) const MAX_VERTICES: u32 = 32;

/// Inputs and outputs.
#[derive(Debug, Default)]
pub(crate) struct Interface {
    pub(crate) outputs: BTreeMap<Component, Cell>,
    /// Parts of inputs by object and offset.
    parts: FxHashMap<(u32, u64), Part>,
    /// Variables by object.
    vars: FxHashMap<u32, VarId>,
    ins: Arc<[Plan]>,
    outs: Arc<[Plan]>,
    /// Vertices that each lane emitted.
    emitted: Vec<u32>,
}

/// Slots of a mesh that are per primitive by their nature.
fn is_of_primitive(slot: Slot) -> bool {
    matches!(slot, Slot::PRIMITIVE_INDICES | Slot::CULL_PRIMITIVE)
}

fn is_interpolated(stage: Stage, v: &Variable, scalar: Scalar) -> bool {
    stage == Stage::Fragment
        && v.mode == Modes::IN
        && scalar.is_float()
        && scalar.bits() <= 32
        && !v.per_primitive
        && matches!(v.interpolation, Interpolation::Smooth | Interpolation::NoPerspective)
}

impl Machine<'_> {
    /// Scalars of an input or output with their offsets.
    fn parts(&mut self, v: &Variable) -> Result<Vec<(u64, Part)>, Fault> {
        let Some(base) = v.location else { return Ok(Vec::new()) };
        let types = self.layouts.types;
        let per_vertex = v.is_per_vertex(self.env.stage);
        let (ty, vertices, stride) = match types[v.ty] {
            Type::Array { elem, len, .. } if per_vertex => {
                let len = if len == 0 { MAX_VERTICES } else { len };
                (elem, len, self.layouts.stride(v.ty))
            }
            _ => (v.ty, 1, 0),
        };
        let leaves = self.layouts.leaves(ty)?;
        // Distances follow one another in their slots whether the array is declared so or not yet.
        let distances = [Slot::CLIP_DIST0, Slot::CLIP_DIST1, Slot::CULL_DIST0, Slot::CULL_DIST1];
        let compact = v.compact || distances.contains(&base);
        let mut out = Vec::new();
        for vertex in 0..vertices {
            let mut slot = 0;
            for (i, leaf) in leaves.iter().enumerate() {
                let Leaf { scalar, comps, .. } = *leaf;
                let wide = if scalar.bits() == 64 { 2 } else { 1 };
                let first = if compact { i as u32 } else { slot * 4 } + u32::from(v.component);
                for c in 0..u32::from(comps) {
                    let at = first + c * wide;
                    let Some(slot) = base.offset(at / 4) else { continue };
                    let offset = u64::from(vertex) * stride + leaf.offset;
                    let vertex = per_vertex.then_some(u64::from(vertex));
                    let part = Part { slot, unit: at % 4, vertex, scalar };
                    out.push((offset + u64::from(c) * u64::from(leaf.stride), part));
                }
                slot += (u32::from(comps) * wide).div_ceil(4);
            }
        }
        Ok(out)
    }

    /// Takes inputs and outputs apart; once for a machine.
    pub(crate) fn plan_interface(&mut self) -> Result<(), Fault> {
        self.interface.emitted = vec![0; self.env.lanes];
        if self.shader.form != Form::Variables {
            return Ok(());
        }
        let shader = self.shader;
        let (mut ins, mut outs) = (Vec::new(), Vec::new());
        for (var, v) in &shader.vars {
            let object = self.memory.vars[var];
            self.interface.vars.insert(object, var);
            if v.mode == Modes::IN || v.mode == Modes::OUT {
                let parts = self.parts(v)?;
                if v.mode == Modes::IN {
                    self.interface.parts.extend(parts.iter().map(|&(offset, p)| ((object, offset), p)));
                }
                let plan = Plan { var, object, parts };
                if v.mode == Modes::IN { ins.push(plan) } else { outs.push(plan) }
            }
        }
        (self.interface.ins, self.interface.outs) = (ins.into(), outs.into());
        Ok(())
    }

    /// Plans and fills inputs of a seeded world.
    pub(crate) fn prepare_interface(&mut self) -> Result<(), Fault> {
        self.plan_interface()?;
        self.present = airfoil_ir::bit_mask(self.env.lanes as u32);
        self.fill_interface()
    }

    /// Fills inputs and system values of all lanes.
    pub(crate) fn fill_interface(&mut self) -> Result<(), Fault> {
        self.interface.emitted.fill(0);
        if self.shader.form != Form::Variables {
            return Ok(());
        }
        let shader = self.shader;
        for (id, v) in shader.vars.iter().filter(|(_, v)| v.mode == Modes::SYSTEM_VALUE) {
            let Some(sv) = v.system_value else { continue };
            let object = self.memory.vars[id];
            let leaves = self.layouts.leaves(v.ty)?;
            for lane in lanes(self.present) {
                let value = self.system_value(lane, sv)?;
                let scalars = leaves.iter().flat_map(|l| (0..l.comps).map(move |c| (l, c)));
                for ((leaf, c), bits) in scalars.zip(value) {
                    let at = leaf.offset + u64::from(c) * u64::from(leaf.stride);
                    self.memory.set(object, lane, at, u32::from(leaf.scalar.bits()), bits, false);
                }
            }
        }
        let ins = self.interface.ins.clone();
        for plan in ins.iter() {
            let v = &shader.vars[plan.var];
            let place = match v.sampling {
                Sampling::Center => Place::Pixel,
                Sampling::Centroid => Place::Centroid,
                Sampling::Sample => Place::Sample,
            };
            for &(offset, part) in &plan.parts {
                let bits = u32::from(part.scalar.bits());
                for lane in lanes(self.present) {
                    let (value, undef) = self.input_at(v, part, lane, place);
                    self.memory.set(plan.object, lane, offset, bits, value, undef);
                }
            }
        }
        Ok(())
    }

    pub(crate) fn system_value(&self, lane: usize, sv: SystemValue) -> Result<airfoil_ir::Lanes, Fault> {
        match &self.data {
            Some(data) => data.system_value(lane, sv),
            None => Ok(self.env.system_value(lane, sv)),
        }
    }

    fn input_at(&self, v: &Variable, part: Part, lane: usize, place: Place) -> (u64, bool) {
        if is_interpolated(self.env.stage, v, part.scalar) {
            let bary = self.barycentric_at(lane, place, v.interpolation);
            return self.interpolated(lane, part.slot, part.unit, u32::from(part.scalar.bits()), bary);
        }
        self.input(lane, part.slot, part.unit, part.vertex, part.scalar)
    }

    fn barycentric_at(&self, lane: usize, place: Place, interpolation: Interpolation) -> [f64; 2] {
        match &self.data {
            Some(data) => data.barycentric(lane, place, interpolation),
            None => self.env.barycentric(lane, place, interpolation),
        }
    }

    fn interpolated(&self, lane: usize, slot: Slot, unit: u32, bits: u32, bary: [f64; 2]) -> (u64, bool) {
        match &self.data {
            Some(data) => data.interpolated(lane, slot, unit, bits, bary),
            None => (self.env.interpolated(slot, unit, bits, bary), false),
        }
    }

    fn input(&self, lane: usize, slot: Slot, unit: u32, vertex: Option<u64>, scalar: Scalar) -> (u64, bool) {
        match &self.data {
            Some(data) => data.input(lane, slot, unit, vertex, u32::from(scalar.bits())),
            None => (self.env.input(lane, slot, unit, vertex, scalar), false),
        }
    }

    /// Names what output variables hold at the end.
    pub(crate) fn finish_interface(&mut self) -> Result<(), Fault> {
        let seeded = self.data.is_none();
        if self.env.stage == Stage::Geometry {
            // Only what was emitted came out.
            self.interface.outputs.retain(|c, _| c.vertex != 0);
            return Ok(());
        }
        let outs = self.interface.outs.clone();
        for plan in outs.iter() {
            let v = &self.shader.vars[plan.var];
            let private = self.memory.objects[plan.object as usize].private;
            let who = if private { self.present } else { 1 };
            for &(offset, part) in &plan.parts {
                for lane in lanes(who) {
                    let bits = u32::from(part.scalar.bits());
                    let (bits, undef) = self.memory.get(plan.object, lane, offset, bits);
                    let owner = match part.vertex {
                        Some(n) if v.per_primitive || is_of_primitive(part.slot) => {
                            Owner::Primitive(n as u32)
                        }
                        Some(n) => Owner::Vertex(n as u32),
                        None if private => Owner::Lane(lane),
                        None => Owner::Patch,
                    };
                    if !undef || !seeded {
                        let cell = Cell { bits, scalar: part.scalar, undef };
                        self.output(owner, part.slot, part.unit, v.index, cell);
                    }
                }
            }
        }
        Ok(())
    }

    fn output(&mut self, owner: Owner, slot: Slot, unit: u32, index: u8, cell: Cell) {
        if let Some(data) = &mut self.data {
            let bits = u32::from(cell.scalar.bits().max(1));
            let bits = if cell.scalar == Scalar::Any { 32 } else { bits };
            if let Some(values) = data.output(owner) {
                values.set_bits(slot, index, unit, cell.bits, bits, cell.undef);
            }
            return;
        }
        let lane = match owner {
            Owner::Lane(l) => l as u32,
            Owner::Vertex(n) | Owner::Primitive(n) => n,
            Owner::Patch => 0,
        };
        let (slot, unit) = self.env.place(slot, unit);
        self.interface.outputs.insert(Component { lane, vertex: 0, slot, unit, index }, cell);
    }

    /// An output as it is now: bits, and whether they are undefined.
    fn read_output(&self, owner: Owner, slot: Slot, unit: u32, index: u8, bits: u32) -> (u64, bool) {
        if let Some(data) = &self.data {
            return data.output_value(owner).map_or((0, true), |v| v.bits(slot, index, unit, bits));
        }
        let lane = match owner {
            Owner::Lane(l) => l as u32,
            Owner::Vertex(n) | Owner::Primitive(n) => n,
            Owner::Patch => 0,
        };
        let (slot, unit) = self.env.place(slot, unit);
        let cell = self.interface.outputs.get(&Component { lane, vertex: 0, slot, unit, index });
        cell.map_or((0, true), |c| (c.bits, c.undef))
    }

    /// Emits a vertex of a geometry shader, or ends the primitive.
    pub(crate) fn emit(&mut self, stream: u32, vertex: bool) {
        let outs = self.interface.outs.clone();
        for lane in lanes(self.active) {
            if self.data.is_some() {
                if vertex {
                    for plan in outs.iter() {
                        let index = self.shader.vars[plan.var].index;
                        for &(offset, part) in &plan.parts {
                            let bits = u32::from(part.scalar.bits());
                            let (bits, undef) = self.memory.get(plan.object, lane, offset, bits);
                            let cell = Cell { bits, scalar: part.scalar, undef };
                            self.output(Owner::Lane(lane), part.slot, part.unit, index, cell);
                        }
                    }
                }
                if let Some(data) = &mut self.data {
                    data.emit(lane, stream, vertex);
                }
                continue;
            }
            self.interface.emitted[lane] += 1;
            let (lane, n) = (lane, self.interface.emitted[lane]);
            let key = |slot, unit, index| Component { lane: lane as u32, vertex: n, slot, unit, index };
            let kind = Cell { bits: u64::from(vertex), scalar: Scalar::Uint32, undef: false };
            self.interface.outputs.insert(key(END, stream, 0), kind);
            if !vertex {
                continue;
            }
            for plan in outs.iter() {
                let index = self.shader.vars[plan.var].index;
                for &(offset, part) in &plan.parts {
                    let bits = u32::from(part.scalar.bits());
                    let (bits, undef) = self.memory.get(plan.object, lane, offset, bits);
                    if !undef {
                        let (slot, unit) = self.env.place(part.slot, part.unit);
                        let cell = Cell { bits, scalar: part.scalar, undef };
                        self.interface.outputs.insert(key(slot, unit, index), cell);
                    }
                    // OpenGL 4.6 section 11.3.4.5: outputs are undefined afterwards.
                    self.memory.set(plan.object, lane, offset, u32::from(part.scalar.bits()), bits, true);
                }
            }
            let of = |vertex, slot, unit, index| Component { lane: lane as u32, vertex, slot, unit, index };
            let own = of(0, 0, 0, 0)..of(1, 0, 0, 0);
            let stored: Vec<_> = self.interface.outputs.range(own).map(|(k, c)| (*k, *c)).collect();
            for (k, cell) in stored {
                self.interface.outputs.remove(&k);
                self.interface.outputs.insert(Component { vertex: n, ..k }, cell);
            }
        }
    }

    /// Size of a mesh, or start of mesh workgroups.
    pub(crate) fn mesh(&mut self, i: &Intrinsic, regs: &[Reg; 4]) {
        let launch = i.op == IntrinsicOp::launch_mesh_workgroups;
        let Some(lane) = lanes(self.active).next() else { return };
        let count = match launch {
            true => self.get(regs[0], lane).bits,
            false => [self.get(regs[0], lane).bits[0], self.get(regs[1], lane).bits[0], 0, 0],
        };
        match &mut self.data {
            Some(data) => data.mesh_count = std::array::from_fn(|c| count[c] as u32),
            None => {
                for (c, &bits) in count.iter().enumerate().take(3) {
                    let key = Component { lane: 0, vertex: 0, slot: END, unit: c as u32, index: 0 };
                    self.interface.outputs.insert(key, Cell { bits, scalar: Scalar::Uint32, undef: false });
                }
            }
        }
        if launch {
            self.end(self.active);
        }
    }

    pub(crate) fn at_sample(&self, reg: Reg, lane: usize) -> (Place, bool) {
        let v = self.get(reg, lane);
        (Place::AtSample(v.bits[0] & 0xffff_ffff), v.undef & 1 != 0)
    }

    pub(crate) fn at_offset(&self, reg: Reg, lane: usize) -> (Place, bool) {
        let v = self.get(reg, lane);
        (Place::AtOffset(f64_from_bits(v.bits[0], 32), f64_from_bits(v.bits[1], 32)), v.undef & 3 != 0)
    }

    pub(crate) fn barycentric(
        &mut self,
        op: &Op,
        i: &Intrinsic,
        place: impl Fn(&Self, usize) -> (Place, bool),
    ) {
        for lane in lanes(self.active) {
            let (place, undef) = place(self, lane);
            let [x, y] = self.barycentric_at(lane, place, i.interp());
            let bits = [f64_to_bits(x, 32), f64_to_bits(y, 32), 0, 0];
            self.set(op.dst, lane, Value { bits, undef: if undef { 3 } else { 0 } });
        }
    }

    pub(crate) fn interpolate(&mut self, op: &Op, deref: Reg, place: impl Fn(&Self, usize) -> (Place, bool)) {
        let shader = self.shader;
        for lane in lanes(self.active) {
            let (at, undef) = place(self, lane);
            let p: Pointer = self.pointer(deref, lane);
            let v = self.interface.vars.get(&p.target()).map(|&id| &shader.vars[id]);
            let mut value = Value::default();
            for c in 0..usize::from(op.ty.comps) {
                let stride = u64::from(op.ty.with_comps(1).bytes());
                let part = self.interface.parts.get(&(p.target(), p.offset + c as u64 * stride)).copied();
                match (v, part) {
                    (Some(v), Some(part)) if !p.wild && !undef => {
                        let (bits, undef) = self.input_at(v, part, lane, at);
                        value.bits[c] = bits;
                        value.undef |= u8::from(undef) << c;
                    }
                    _ => value.undef |= 1 << c,
                }
            }
            self.set(op.dst, lane, value);
        }
    }

    /// A value of `op`'s shape, component by component; `f` gets slot and unit.
    fn slot_value(
        &self,
        op: &Op,
        i: &Intrinsic,
        offset: Reg,
        lane: usize,
        f: impl Fn(&Self, Slot, u32) -> (u64, bool),
    ) -> Value {
        let io = i.io();
        let offset = self.get(offset, lane);
        let out = offset.undef & 1 != 0 || offset.bits[0] >= u64::from(io.num_slots);
        let slots = if out { 0 } else { offset.bits[0] as u32 };
        let wide = if op.ty.bits == 64 { 2 } else { 1 };
        let mut value = Value::default();
        for c in 0..u32::from(op.ty.comps) {
            let at = (i.component() + c) * wide;
            let slot = io.location.offset(slots + at / 4).unwrap_or(io.location);
            let (bits, undef) = f(self, slot, at % 4);
            value.bits[c as usize] = bits & airfoil_ir::bit_mask(u32::from(op.ty.bits));
            value.undef |= u8::from(undef || out) << c;
        }
        value
    }

    pub(crate) fn load_input(
        &mut self,
        op: &Op,
        i: &Intrinsic,
        offset: Reg,
        vertex: Option<Reg>,
        bary: Option<Reg>,
    ) {
        let dest = match i.dest_type() {
            s if s.bits() == op.ty.bits => s,
            _ => Scalar::int(op.ty.bits, false),
        };
        for lane in lanes(self.active) {
            let vertex = vertex.map(|v| self.get(v, lane));
            let bary = bary.map(|b| self.get(b, lane));
            let mut value = self.slot_value(op, i, offset, lane, |m, slot, unit| match bary {
                Some(b) => {
                    let at = [f64_from_bits(b.bits[0], 32), f64_from_bits(b.bits[1], 32)];
                    let (bits, undef) = m.interpolated(lane, slot, unit, u32::from(op.ty.bits), at);
                    (bits, undef || b.undef & 3 != 0)
                }
                None => {
                    let n = vertex.map(|v| v.bits[0] & 0xffff_ffff);
                    let (bits, undef) = m.input(lane, slot, unit, n, dest);
                    (bits, undef || vertex.is_some_and(|v| v.undef & 1 != 0))
                }
            });
            value.undef &= op.ty.full_mask();
            self.set(op.dst, lane, value);
        }
    }

    /// Whose output an intrinsic names, and whether that is known.
    fn owner(&self, i: &Intrinsic, lane: usize, vertex: Option<Reg>) -> (Owner, bool) {
        match vertex.map(|v| self.get(v, lane)) {
            Some(v) if i.io().per_primitive || is_of_primitive(i.io().location) => {
                (Owner::Primitive(v.bits[0] as u32), v.undef & 1 == 0)
            }
            Some(v) => (Owner::Vertex(v.bits[0] as u32), v.undef & 1 == 0),
            None if self.env.stage == Stage::TessControl => (Owner::Patch, true),
            None => (Owner::Lane(lane), true),
        }
    }

    pub(crate) fn load_output(&mut self, op: &Op, i: &Intrinsic, vertex: Option<Reg>, offset: Reg) {
        let index = i.io().dual_source;
        for lane in lanes(self.active) {
            let (owner, known) = self.owner(i, lane, vertex);
            let value = self.slot_value(op, i, offset, lane, |m, slot, unit| {
                let (bits, undef) = m.read_output(owner, slot, unit, index, u32::from(op.ty.bits));
                (bits, undef || !known)
            });
            self.set(op.dst, lane, value);
        }
    }

    pub(crate) fn store_output(
        &mut self,
        i: &Intrinsic,
        value: Reg,
        vertex: Option<Reg>,
        offset: Reg,
    ) -> Result<(), Fault> {
        let io = i.io();
        let scalar = match i.src_type() {
            Scalar::Any => Scalar::int(self.widths[value as usize].max(8), false),
            s => s,
        };
        for lane in lanes(self.active) {
            let (owner, known) = self.owner(i, lane, vertex);
            let (value, offset) = (self.get(value, lane), self.get(offset, lane));
            if !known {
                // Nobody knows whose value was written.
                self.interface.outputs.values_mut().for_each(|c| c.undef = true);
                continue;
            }
            let unknown = offset.undef & 1 != 0 || offset.bits[0] >= u64::from(io.num_slots);
            self.known_location(unknown, "an output")?;
            if unknown {
                // Any of the slots may have been meant.
                for n in 0..u32::from(io.num_slots) {
                    for unit in 0..4 {
                        let Some(slot) = io.location.offset(n) else { continue };
                        let cell = Cell { bits: 0, scalar: Scalar::Uint32, undef: true };
                        self.output(owner, slot, unit, io.dual_source, cell);
                    }
                }
                continue;
            }
            let wide = if scalar.bits() == 64 { 2 } else { 1 };
            for c in (0..4).filter(|c| i.write_mask() >> c & 1 != 0) {
                let at = (i.component() + c) * wide;
                let Some(slot) = io.location.offset(offset.bits[0] as u32 + at / 4) else { continue };
                let undef = value.undef >> c & 1 != 0 && self.limits.report;
                let cell = Cell { bits: value.bits[c as usize], scalar, undef };
                self.output(owner, slot, at % 4, io.dual_source, cell);
            }
        }
        Ok(())
    }
}
