//! Inputs and outputs: filled and collected as variables, or reached by intrinsics.

use crate::fault::Fault;
use crate::machine::code::Op;
use crate::machine::group::Group;
use crate::machine::interface::Part;
use crate::machine::lanes::lanes;
use crate::machine::registers::Reg;
use crate::memory::{Pointer, Value};
use crate::world::World;
use crate::world::location::Location;
use crate::world::output::{Cell, Owner};
use airfoil_ir::alu::{f64_from_bits, f64_to_bits};
use airfoil_ir::intrinsic::IntrinsicFlags;
use airfoil_ir::{
    Form, Interpolation, Intrinsic, IntrinsicOp, Modes, Sampling, Scalar, Slot, Stage, Variable,
};

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

impl<W: World> Group<'_, W> {
    /// Fills inputs and system values of all lanes.
    pub(crate) fn fill_interface(&mut self) -> Result<(), Fault> {
        if self.shader.form != Form::Variables {
            return Ok(());
        }
        let shader = self.shader;
        for (id, v) in shader.vars.iter().filter(|(_, v)| v.mode == Modes::SYSTEM_VALUE) {
            let Some(sv) = v.system_value else { continue };
            let object = self.memory.vars[id];
            let leaves = self.layouts.leaves(v.ty)?;
            for lane in lanes(self.present) {
                let value = self.world.system_value(lane, sv)?;
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
            let at = match v.sampling {
                Sampling::Center => Location::Pixel,
                Sampling::Centroid => Location::Centroid,
                Sampling::Sample => Location::Sample,
            };
            for &(offset, part) in &plan.parts {
                let bits = u32::from(part.scalar.bits());
                for lane in lanes(self.present) {
                    let (value, undef) = self.input_at(v, part, lane, at);
                    self.memory.set(plan.object, lane, offset, bits, value, undef);
                }
            }
        }
        if shader.stage == Stage::Fragment && !W::COMPARED {
            self.fill_colors();
        }
        Ok(())
    }

    /// Fills outputs of fragments that have an initial value: the colour of their attachment.
    fn fill_colors(&mut self) {
        let outs = self.interface.outs.clone();
        for plan in outs.iter() {
            let index = self.shader.vars[plan.var].index;
            for &(offset, part) in &plan.parts {
                let bits = u32::from(part.scalar.bits());
                for lane in lanes(self.present) {
                    let (value, undef) =
                        self.world.output(Owner::Lane(lane), part.slot, part.unit, index, bits);
                    if !undef {
                        self.memory.set(plan.object, lane, offset, bits, value, false);
                    }
                }
            }
        }
    }

    fn input_at(&self, v: &Variable, part: Part, lane: usize, at: Location) -> (u64, bool) {
        if is_interpolated(self.shader.stage, v, part.scalar) {
            let bary = self.world.barycentric(lane, at, v.interpolation);
            return self.world.interpolated(lane, part.slot, part.unit, u32::from(part.scalar.bits()), bary);
        }
        self.world.input(lane, part.slot, part.unit, part.vertex, part.scalar)
    }

    /// Gives the world the values of output variables at the end.
    pub(crate) fn finish_interface(&mut self) {
        if self.shader.stage == Stage::Geometry {
            // Only emitted vertices are outputs.
            return;
        }
        let outs = self.interface.outs.clone();
        for plan in outs.iter() {
            let v = &self.shader.vars[plan.var];
            let private = self.memory.objects[plan.object as usize].private;
            let owners = if private { self.present } else { 1 };
            for &(offset, part) in &plan.parts {
                for lane in lanes(owners) {
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
                    if !undef || !W::COMPARED {
                        let cell = Cell { bits, scalar: part.scalar, undef };
                        self.world.set_output(owner, part.slot, part.unit, v.index, cell);
                    }
                }
            }
        }
    }

    /// Emits a vertex of a geometry shader, or ends the primitive.
    pub(crate) fn emit(&mut self, stream: u32, vertex: bool) {
        let outs = self.interface.outs.clone();
        self.effects |= IntrinsicFlags::WRITES;
        for lane in lanes(self.active) {
            for plan in outs.iter().filter(|_| vertex) {
                let index = self.shader.vars[plan.var].index;
                for &(offset, part) in &plan.parts {
                    let width = u32::from(part.scalar.bits());
                    let (bits, undef) = self.memory.get(plan.object, lane, offset, width);
                    if !undef || !W::COMPARED {
                        let cell = Cell { bits, scalar: part.scalar, undef };
                        self.world.set_output(Owner::Lane(lane), part.slot, part.unit, index, cell);
                    }
                    if W::COMPARED {
                        // OpenGL 4.6 section 11.3.4.5: outputs are undefined afterwards.
                        self.memory.set(plan.object, lane, offset, width, bits, true);
                    }
                }
            }
            self.world.emit(lane, stream, vertex);
        }
    }

    /// Sets the size of a mesh, or starts mesh workgroups.
    pub(crate) fn mesh(&mut self, i: &Intrinsic, regs: &[Reg; 4]) {
        let launch = i.op == IntrinsicOp::launch_mesh_workgroups;
        self.effects |= IntrinsicFlags::WRITES;
        let Some(lane) = lanes(self.active).next() else { return };
        let value = |reg: usize, c: usize| {
            let value = self.get(regs[reg], lane);
            (value.bits[c], value.undef >> c & 1 != 0)
        };
        let size = match launch {
            true => [value(0, 0), value(0, 1), value(0, 2)],
            false => [value(0, 0), value(1, 0), (0, false)],
        };
        self.world.set_mesh_size(size);
        if launch {
            self.end(self.active);
        }
    }

    pub(crate) fn at_sample(&self, reg: Reg, lane: usize) -> (Location, bool) {
        let v = self.get(reg, lane);
        (Location::AtSample(v.bits[0] & 0xffff_ffff), v.undef & 1 != 0)
    }

    pub(crate) fn at_offset(&self, reg: Reg, lane: usize) -> (Location, bool) {
        let v = self.get(reg, lane);
        (Location::AtOffset(f64_from_bits(v.bits[0], 32), f64_from_bits(v.bits[1], 32)), v.undef & 3 != 0)
    }

    pub(crate) fn barycentric(
        &mut self,
        op: &Op,
        i: &Intrinsic,
        at: impl Fn(&Self, usize) -> (Location, bool),
    ) {
        for lane in lanes(self.active) {
            let (location, undef) = at(self, lane);
            let [x, y] = self.world.barycentric(lane, location, i.interp());
            let bits = [f64_to_bits(x, 32), f64_to_bits(y, 32), 0, 0];
            self.set(op.dst, lane, Value { bits, undef: if undef { 3 } else { 0 } });
        }
    }

    pub(crate) fn interpolate(&mut self, op: &Op, deref: Reg, at: impl Fn(&Self, usize) -> (Location, bool)) {
        let shader = self.shader;
        for lane in lanes(self.active) {
            let (location, undef) = at(self, lane);
            let p: Pointer = self.pointer(deref, lane);
            let v = self.interface.vars.get(&p.target()).map(|&id| &shader.vars[id]);
            let mut value = Value::default();
            for c in 0..usize::from(op.ty.comps) {
                let stride = u64::from(op.ty.with_comps(1).bytes());
                let part = self.interface.parts.get(&(p.target(), p.offset + c as u64 * stride)).copied();
                match (v, part) {
                    (Some(v), Some(part)) if !p.wild && !undef => {
                        let (bits, undef) = self.input_at(v, part, lane, location);
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
                    let (bits, undef) = m.world.interpolated(lane, slot, unit, u32::from(op.ty.bits), at);
                    (bits, undef || b.undef & 3 != 0)
                }
                None => {
                    let n = vertex.map(|v| v.bits[0] & 0xffff_ffff);
                    let (bits, undef) = m.world.input(lane, slot, unit, n, dest);
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
            None if self.shader.stage == Stage::TessControl => (Owner::Patch, true),
            None => (Owner::Lane(lane), true),
        }
    }

    pub(crate) fn load_output(&mut self, op: &Op, i: &Intrinsic, vertex: Option<Reg>, offset: Reg) {
        let index = i.io().dual_source;
        for lane in lanes(self.active) {
            let (owner, known) = self.owner(i, lane, vertex);
            let value = self.slot_value(op, i, offset, lane, |m, slot, unit| {
                let (bits, undef) = m.world.output(owner, slot, unit, index, u32::from(op.ty.bits));
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
        self.effects |= IntrinsicFlags::WRITES;
        let scalar = match i.src_type() {
            Scalar::Any => Scalar::int((self.regs.width(value) as u8).max(8), false),
            s => s,
        };
        for lane in lanes(self.active) {
            let (owner, known) = self.owner(i, lane, vertex);
            let (value, offset) = (self.get(value, lane), self.get(offset, lane));
            if !known {
                // Any output may have been written.
                self.world.lose_outputs();
                continue;
            }
            let unknown = offset.undef & 1 != 0 || offset.bits[0] >= u64::from(io.num_slots);
            self.memory.known_location(unknown, "an output")?;
            if unknown {
                // Any of the slots may be accessed.
                for n in 0..u32::from(io.num_slots) {
                    for unit in 0..4 {
                        let Some(slot) = io.location.offset(n) else { continue };
                        let cell = Cell { bits: 0, scalar: Scalar::Uint32, undef: true };
                        self.world.set_output(owner, slot, unit, io.dual_source, cell);
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
                self.world.set_output(owner, slot, at % 4, io.dual_source, cell);
            }
        }
        Ok(())
    }
}
