//! Inputs and outputs by slot and component, which have the same names in all forms.
//!
//! In the form `variables` they are memory: filled before the first instruction, named after the last one. In the
//! other forms intrinsics reach them. A component is counted in units of 32 bits, of 64 bits in pairs.

use crate::Fault;
use crate::env::Place;
use crate::layout::Leaf;
use crate::machine::{Machine, lanes};
use crate::memory::{Pointer, Value};
use crate::program::{Op, Reg};
use airfoil_ir::alu::{f64_from_bits, f64_to_bits};
use airfoil_ir::{
    Form, Interpolation, Intrinsic, IntrinsicOp, Modes, Sampling, Scalar, Slot, Stage, Type, VarId, Variable,
};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// Name of a component of an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Component {
    pub(crate) lane: u8,
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

/// A scalar of an input or output variable.
#[derive(Clone, Copy, Debug)]
struct Part {
    slot: Slot,
    unit: u32,
    vertex: Option<u64>,
    scalar: Scalar,
}

/// Inputs and outputs.
#[derive(Debug, Default)]
pub(crate) struct Interface {
    pub(crate) outputs: BTreeMap<Component, Cell>,
    /// Parts of inputs by object and offset.
    parts: FxHashMap<(u32, u64), Part>,
    /// Variables by object.
    vars: FxHashMap<u32, VarId>,
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
        let per_vertex = v.mode == Modes::IN
            && self.env.stage == Stage::Fragment
            && v.interpolation == Interpolation::PerVertex;
        let (ty, vertices, stride) = match types[v.ty] {
            Type::Array { elem, len, .. } if per_vertex => (elem, len, self.layouts.stride(v.ty)),
            _ => (v.ty, 1, 0),
        };
        let leaves = self.layouts.leaves(ty)?;
        let mut out = Vec::new();
        for vertex in 0..vertices {
            let mut slot = 0;
            for (i, leaf) in leaves.iter().enumerate() {
                let Leaf { scalar, comps, .. } = *leaf;
                let wide = if scalar.bits() == 64 { 2 } else { 1 };
                let first = if v.compact { i as u32 } else { slot * 4 } + u32::from(v.component);
                for c in 0..u32::from(comps) {
                    let at = first + c * wide;
                    let Some(slot) = base.offset(at / 4) else { continue };
                    let vertex = per_vertex.then_some(u64::from(vertex));
                    let part = Part { slot, unit: at % 4, vertex, scalar };
                    let offset = u64::from(part_vertex(vertex)) * stride + leaf.offset;
                    out.push((offset + u64::from(c) * u64::from(leaf.stride), part));
                }
                slot += (u32::from(comps) * wide).div_ceil(4);
            }
        }
        Ok(out)
    }

    /// Fills inputs and system values.
    pub(crate) fn prepare_interface(&mut self) -> Result<(), Fault> {
        if self.shader.form != Form::Variables {
            return Ok(());
        }
        let shader = self.shader;
        for (id, v) in &shader.vars {
            let object = self.memory.vars[id];
            self.interface.vars.insert(object, id);
            if v.mode == Modes::SYSTEM_VALUE
                && let Some(sv) = v.system_value
            {
                let leaves = self.layouts.leaves(v.ty)?;
                for lane in 0..self.env.lanes {
                    let value = self.env.system_value(lane, sv);
                    let scalars = leaves.iter().flat_map(|l| (0..l.comps).map(move |c| (l, c)));
                    for ((leaf, c), bits) in scalars.zip(value) {
                        let at = leaf.offset + u64::from(c) * u64::from(leaf.stride);
                        self.memory.set(object, lane, at, u32::from(leaf.scalar.bits()), bits, false);
                    }
                }
            }
            if v.mode != Modes::IN {
                continue;
            }
            for (offset, part) in self.parts(v)? {
                self.interface.parts.insert((object, offset), part);
                for lane in 0..self.env.lanes {
                    let place = match v.sampling {
                        Sampling::Center => Place::Pixel,
                        Sampling::Centroid => Place::Centroid,
                        Sampling::Sample => Place::Sample,
                    };
                    let bits = self.input_at(v, part, lane, place);
                    self.memory.set(object, lane, offset, u32::from(part.scalar.bits()), bits, false);
                }
            }
        }
        Ok(())
    }

    fn input_at(&self, v: &Variable, part: Part, lane: usize, place: Place) -> u64 {
        if is_interpolated(self.env.stage, v, part.scalar) {
            let bary = self.env.barycentric(lane, place, v.interpolation);
            return self.env.interpolated(part.slot, part.unit, u32::from(part.scalar.bits()), bary);
        }
        self.env.input(lane, part.slot, part.unit, part.vertex, part.scalar)
    }

    /// Names what output variables hold at the end.
    pub(crate) fn finish_interface(&mut self) -> Result<(), Fault> {
        if self.shader.form != Form::Variables {
            return Ok(());
        }
        let shader = self.shader;
        for (id, v) in shader.vars.iter().filter(|(_, v)| v.mode == Modes::OUT) {
            let object = self.memory.vars[id];
            for (offset, part) in self.parts(v)? {
                for lane in 0..self.env.lanes {
                    let bits = u32::from(part.scalar.bits());
                    let (bits, undef) = self.memory.get(object, lane, offset, bits);
                    if !undef {
                        self.output(
                            lane,
                            part.slot,
                            part.unit,
                            v.index,
                            Cell { bits, scalar: part.scalar, undef },
                        );
                    }
                }
            }
        }
        Ok(())
    }

    fn output(&mut self, lane: usize, slot: Slot, unit: u32, index: u8, cell: Cell) {
        let (slot, unit) = self.env.place(slot, unit);
        self.interface.outputs.insert(Component { lane: lane as u8, slot, unit, index }, cell);
    }

    /// Intrinsics on inputs and outputs; false if it is none of these.
    pub(crate) fn stage_intrinsic(&mut self, op: &Op, i: &Intrinsic, regs: &[Reg; 4]) -> bool {
        use IntrinsicOp as O;
        match i.op {
            O::load_input => self.load_input(op, i, regs[0], None, None),
            O::load_per_vertex_input => self.load_input(op, i, regs[1], Some(regs[0]), None),
            O::load_interpolated_input => self.load_input(op, i, regs[1], None, Some(regs[0])),
            O::load_output => {
                for lane in lanes(self.active) {
                    let value = self.slot_value(op, i, regs[0], lane, |m, slot, unit, offset| {
                        let (slot, unit) = m.env.place(slot, unit);
                        let key = Component { lane: lane as u8, slot, unit, index: i.io().dual_source };
                        let cell = m.interface.outputs.get(&key);
                        cell.map_or((0, true), |c| (c.bits, c.undef || offset))
                    });
                    self.set(op.dst, lane, value);
                }
            }
            O::store_output => self.store_output(i, regs),
            O::load_barycentric_pixel => self.barycentric(op, i, |_, _| (Place::Pixel, false)),
            O::load_barycentric_centroid => self.barycentric(op, i, |_, _| (Place::Centroid, false)),
            O::load_barycentric_sample => self.barycentric(op, i, |_, _| (Place::Sample, false)),
            O::load_barycentric_at_sample => self.barycentric(op, i, |m, lane| m.at_sample(regs[0], lane)),
            O::load_barycentric_at_offset => self.barycentric(op, i, |m, lane| m.at_offset(regs[0], lane)),
            O::interp_deref_at_centroid => self.interpolate(op, regs[0], |_, _| (Place::Centroid, false)),
            O::interp_deref_at_sample => self.interpolate(op, regs[0], |m, lane| m.at_sample(regs[1], lane)),
            O::interp_deref_at_offset => self.interpolate(op, regs[0], |m, lane| m.at_offset(regs[1], lane)),
            _ => return false,
        }
        true
    }

    fn at_sample(&self, reg: Reg, lane: usize) -> (Place, bool) {
        let v = self.get(reg, lane);
        (Place::AtSample(v.bits[0] & 0xffff_ffff), v.undef & 1 != 0)
    }

    fn at_offset(&self, reg: Reg, lane: usize) -> (Place, bool) {
        let v = self.get(reg, lane);
        (Place::AtOffset(f64_from_bits(v.bits[0], 32), f64_from_bits(v.bits[1], 32)), v.undef & 3 != 0)
    }

    fn barycentric(&mut self, op: &Op, i: &Intrinsic, place: impl Fn(&Self, usize) -> (Place, bool)) {
        for lane in lanes(self.active) {
            let (place, undef) = place(self, lane);
            let [x, y] = self.env.barycentric(lane, place, i.interp());
            let bits = [f64_to_bits(x, 32), f64_to_bits(y, 32), 0, 0];
            self.set(op.dst, lane, Value { bits, undef: if undef { 3 } else { 0 } });
        }
    }

    fn interpolate(&mut self, op: &Op, deref: Reg, place: impl Fn(&Self, usize) -> (Place, bool)) {
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
                        value.bits[c] = self.input_at(v, part, lane, at)
                    }
                    _ => value.undef |= 1 << c,
                }
            }
            self.set(op.dst, lane, value);
        }
    }

    /// A value of `op`'s shape, component by component; `f` gets slot, unit and whether the offset is undefined.
    fn slot_value(
        &self,
        op: &Op,
        i: &Intrinsic,
        offset: Reg,
        lane: usize,
        f: impl Fn(&Self, Slot, u32, bool) -> (u64, bool),
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
            let (bits, undef) = f(self, slot, at % 4, out);
            value.bits[c as usize] = bits & airfoil_ir::bit_mask(u32::from(op.ty.bits));
            value.undef |= u8::from(undef || out) << c;
        }
        value
    }

    fn load_input(&mut self, op: &Op, i: &Intrinsic, offset: Reg, vertex: Option<Reg>, bary: Option<Reg>) {
        let dest = match i.dest_type() {
            s if s.bits() == op.ty.bits => s,
            _ => Scalar::int(op.ty.bits, false),
        };
        for lane in lanes(self.active) {
            let vertex = vertex.map(|v| self.get(v, lane));
            let bary = bary.map(|b| self.get(b, lane));
            let mut value = self.slot_value(op, i, offset, lane, |m, slot, unit, _| match bary {
                Some(b) => {
                    let at = [f64_from_bits(b.bits[0], 32), f64_from_bits(b.bits[1], 32)];
                    (m.env.interpolated(slot, unit, u32::from(op.ty.bits), at), b.undef & 3 != 0)
                }
                None => {
                    let n = vertex.map(|v| v.bits[0] & 0xffff_ffff);
                    (m.env.input(lane, slot, unit, n, dest), vertex.is_some_and(|v| v.undef & 1 != 0))
                }
            });
            value.undef &= op.ty.full_mask();
            self.set(op.dst, lane, value);
        }
    }

    fn store_output(&mut self, i: &Intrinsic, regs: &[Reg; 4]) {
        let io = i.io();
        for lane in lanes(self.active) {
            let (value, offset) = (self.get(regs[0], lane), self.get(regs[1], lane));
            let unknown = offset.undef & 1 != 0 || offset.bits[0] >= u64::from(io.num_slots);
            if unknown {
                // Any of the slots may have been meant.
                for n in 0..u32::from(io.num_slots) {
                    for unit in 0..4 {
                        let Some(slot) = io.location.offset(n) else { continue };
                        let cell = Cell { bits: 0, scalar: Scalar::Uint32, undef: true };
                        self.output(lane, slot, unit, io.dual_source, cell);
                    }
                }
                continue;
            }
            let scalar = i.src_type();
            let wide = if scalar.bits() == 64 { 2 } else { 1 };
            for c in (0..4).filter(|c| i.write_mask() >> c & 1 != 0) {
                let at = (i.component() + c) * wide;
                let Some(slot) = io.location.offset(offset.bits[0] as u32 + at / 4) else { continue };
                let cell = Cell { bits: value.bits[c as usize], scalar, undef: value.undef >> c & 1 != 0 };
                self.output(lane, slot, at % 4, io.dual_source, cell);
            }
        }
    }
}

fn part_vertex(vertex: Option<u64>) -> u32 {
    vertex.unwrap_or(0) as u32
}
