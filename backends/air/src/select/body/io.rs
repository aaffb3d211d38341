//! Stage inputs and outputs.

use super::FunctionEmitter;
use super::state::OutputState;
use crate::functions::Air;
use crate::module::{Const, FastMath, ICmp, Value};
use crate::select::errors;
use crate::select::plan::builtin_args::BuiltinArg;
use crate::select::plan::usage::Features;
use crate::select::signature::pieces::{InputSource, OutputPiece};
use crate::select::types::{Class, scalar_type};
use airfoil_ir::{InstrId, Intrinsic, IntrinsicOp, IoSemantics, Slot, Ty};
use smallvec::SmallVec;

impl FunctionEmitter<'_> {
    // ---- inputs ----

    /// Emits `load_input`, or `load_interpolated_input` if there are barycentric coordinates.
    pub(crate) fn load_input(
        &mut self,
        id: InstrId,
        i: &Intrinsic,
        bary: Option<InstrId>,
        offset: InstrId,
        ty: Ty,
    ) {
        let io = i.io();
        let first = u32::from(io.location.0);
        let component = i.component() as u8;
        let slot = |n: u32| Slot(first.saturating_add(n).min(255) as u8);
        if let Some(c) = self.constant_lanes(offset) {
            let (value, class) = self.input(slot(c[0] as u32), component, ty, bary);
            return self.set(id, value, class);
        }
        let list: SmallVec<[(Value, Class); 8]> =
            (0..u32::from(io.num_slots.max(1))).map(|n| self.input(slot(n), component, ty, bary)).collect();
        let class = list.first().map_or(Class::Int, |l| l.1);
        let values: SmallVec<[Value; 8]> = list.iter().map(|&(v, c)| self.cast(v, c, class)).collect();
        let index = self.scalar(offset, Class::Int);
        let value = self.choose(index, &values);
        self.set(id, value, class);
    }

    /// Components of an input location; they may come from several arguments.
    fn input(&mut self, slot: Slot, component: u8, ty: Ty, bary: Option<InstrId>) -> (Value, Class) {
        let sig = self.sig;
        let find = |c: u8| {
            sig.inputs
                .iter()
                .find(|p| p.slot == slot && (p.component..p.component + p.comps).contains(&c))
                .copied()
        };
        let n = ty.comps;
        if let Some(piece) = find(component)
            && component + n <= piece.component + piece.comps
        {
            let value = self.input_argument(piece.source, piece.comps, piece.class, piece.bits, bary);
            if piece.bits != ty.bits && piece.bits != 1 && ty.bits != 1 {
                self.error(
                    errors::INTERFACE,
                    format!("input `{slot}` of {} bits is read as {} bits", piece.bits, ty.bits),
                );
                let air = self.value_type(piece.class, ty.bits, n);
                return (self.b.module.undef(air), piece.class);
            }
            let value = self.components(value, component - piece.component, n);
            return match (piece.bits, ty.bits) {
                (1, bits) if bits != 1 => {
                    let wide = self.value_type(Class::Int, bits, n);
                    (self.zext(value, wide), Class::Int)
                }
                (bits, 1) if bits != 1 => {
                    let value = self.cast(value, piece.class, Class::Int);
                    let zero = self.int_const(0, Ty::new(n, bits));
                    (self.b.icmp(ICmp::Ne, value, zero), Class::Int)
                }
                _ => (value, piece.class),
            };
        }
        let mut class = Class::Int;
        let lanes: SmallVec<[Value; 4]> = (component..component + n)
            .map(|c| match find(c) {
                Some(piece) if piece.bits == ty.bits => {
                    let value = self.input_argument(piece.source, piece.comps, piece.class, piece.bits, bary);
                    let value = self.components(value, c - piece.component, 1);
                    if c == component {
                        class = piece.class;
                    }
                    self.cast(value, piece.class, class)
                }
                _ => self.b.module.undef(scalar_type(class, ty.bits)),
            })
            .collect();
        (self.vector_of(&lanes), class)
    }

    /// `n` components of a vector from `first` on.
    pub(crate) fn components(&mut self, value: Value, first: u8, n: u8) -> Value {
        let ty = self.b.type_of(value);
        let len = self.b.module.types().vector_len(ty).unwrap_or(1);
        if first == 0 && u32::from(n) == len {
            return value;
        }
        if n == 1 {
            return if len == 1 { value } else { self.extract_lane(value, u32::from(first)) };
        }
        let lanes: SmallVec<[u32; 4]> = (0..n).map(|c| u32::from(first + c)).collect();
        let undef = self.b.module.undef(ty);
        self.shuffle(value, undef, &lanes)
    }

    fn input_argument(
        &mut self,
        source: InputSource,
        comps: u8,
        class: Class,
        bits: u8,
        bary: Option<InstrId>,
    ) -> Value {
        match source {
            InputSource::Argument(argument) => self.b.arg(argument),
            InputSource::BuiltinArg(builtin) => match self.builtin_arg_value(builtin) {
                Some(value) => value,
                None => {
                    let ty = self.value_type(class, bits, comps);
                    self.b.module.undef(ty)
                }
            },
            InputSource::Interpolant { argument, perspective } => {
                self.interpolate(argument, perspective, comps, class, bits, bary)
            }
        }
    }

    /// Calls the interpolation function for the location of a barycentric intrinsic.
    fn interpolate(
        &mut self,
        argument: u32,
        perspective: bool,
        comps: u8,
        class: Class,
        bits: u8,
        bary: Option<InstrId>,
    ) -> Value {
        use IntrinsicOp as Op;
        let ret = self.value_type(class, bits, comps);
        let handle = self.b.arg(argument);
        let body = self.body;
        let how = bary.and_then(|b| body[b].as_intrinsic());
        let mut args: SmallVec<[Value; 2]> = smallvec::smallvec![handle];
        let base = match how.map(|i| i.op) {
            Some(Op::load_barycentric_centroid) => {
                (Air::interpolate_centroid_perspective, Air::interpolate_centroid_no_perspective)
            }
            Some(Op::load_barycentric_at_sample) => {
                let sample = how.map(|i| i.src(0)).map(|s| self.scalar(s, Class::Int));
                args.extend(sample);
                (Air::interpolate_sample_perspective, Air::interpolate_sample_no_perspective)
            }
            Some(Op::load_barycentric_sample) => {
                let sample = match self.builtin_arg_value(BuiltinArg::SampleId) {
                    Some(sample) => sample,
                    None => self.b.module.i32(0),
                };
                args.push(sample);
                (Air::interpolate_sample_perspective, Air::interpolate_sample_no_perspective)
            }
            Some(Op::load_barycentric_at_offset) => {
                let offset = how.map(|i| i.src(0)).map(|s| self.whole(s, 2, Class::Float));
                if let Some(offset) = offset {
                    // Metal counts from the pixel's upper left corner, the source from its centre.
                    let half = self.float_const(0.5, Ty::new(2, 32));
                    let offset = self.b.fadd(offset, half, FastMath::NONE);
                    args.push(offset);
                }
                (Air::interpolate_offset_perspective, Air::interpolate_offset_no_perspective)
            }
            _ => (Air::interpolate_center_perspective, Air::interpolate_center_no_perspective),
        };
        let base = if perspective { base.0 } else { base.1 };
        self.call_by_type(base, ret, &args, FastMath::NONE)
    }

    // ---- outputs ----

    /// Allocates the memory of outputs.
    pub(crate) fn make_outputs(&mut self) {
        let memory = self.usage.has(Features::MEMORY_OUTPUTS);
        let sig = self.sig;
        for piece in &sig.outputs {
            let fetched = self.fetched_output(piece);
            let state = if memory {
                let align = output_align(piece);
                let memory = self.b.alloca(piece.ty, align);
                if let Some(value) = fetched {
                    self.b.store(value, memory, align);
                }
                OutputState::Memory(memory)
            } else if let Some(value) = fetched {
                OutputState::Value(value)
            } else {
                OutputState::Value(self.b.module.undef(piece.ty))
            };
            self.state.outputs.push(state);
        }
    }

    pub(crate) fn store_output(&mut self, i: &Intrinsic) {
        let io = i.io();
        let (value, component) = (i.src(0), i.component() as u8);
        self.each_slot(io, i.src(1), |this, slot| {
            this.store_slot(slot, io.dual_source, component, value, i.write_mask());
        });
    }

    /// Does something at the slot that an access reaches. With a dynamic offset, at each that it can be where it is the one.
    pub(crate) fn each_slot(
        &mut self,
        io: IoSemantics,
        offset: InstrId,
        mut work: impl FnMut(&mut Self, Slot),
    ) {
        let first = u32::from(io.location.0);
        let slot = |n: u32| Slot(first.saturating_add(n).min(255) as u8);
        if let Some(c) = self.constant_lanes(offset) {
            return work(self, slot(c[0] as u32));
        }
        let index = self.scalar(offset, Class::Int);
        for n in 0..u32::from(io.num_slots.max(1)) {
            let number = self.b.module.i32(n as i32);
            let here = self.b.icmp(ICmp::Eq, index, number);
            let (yes, next) = (self.b.block(), self.b.block());
            self.b.cond_br(here, yes, next);
            self.arm(yes, |this| {
                work(this, slot(n));
                this.b.br(next);
            });
            self.b.start(next);
        }
    }

    fn store_slot(&mut self, slot: Slot, dual_source: u8, component: u8, value: InstrId, mask: u32) {
        let slot = if slot == Slot::FRAG_COLOR { Slot(Slot::GENERIC) } else { slot };
        let comps = self.ty(value).comps;
        // The destination of each lane of the value: output and component.
        let mut lane = 0u8;
        while lane < comps {
            if mask & (1 << lane) == 0 {
                lane += 1;
                continue;
            }
            let at = component + lane;
            let clip = matches!(slot, Slot::CLIP_DIST0 | Slot::CLIP_DIST1);
            let sig = self.sig;
            let found = sig.outputs.iter().position(|p| {
                if clip {
                    return p.clip;
                }
                p.slot == slot
                    && p.dual_source == dual_source
                    && (p.component..p.component + p.comps).contains(&at)
            });
            let Some(n) = found else {
                lane += 1;
                continue;
            };
            let piece = sig.outputs[n];
            let element = if clip { (slot.0 - Slot::CLIP_DIST0.0) * 4 + at } else { at - piece.component };
            if self.bits(value) != piece.bits && self.bits(value) != 1 {
                return self.error(
                    errors::INTERFACE,
                    format!(
                        "output `{slot}` of {} bits gets a value of {} bits",
                        piece.bits,
                        self.bits(value)
                    ),
                );
            }
            let whole = element == 0 && lane == 0 && comps == piece.comps && !piece.clip;
            if whole && mask & ((1 << comps) - 1) == (1 << comps) - 1 {
                let value = self.output_value(value, None, &piece);
                self.put_whole(n, value, &piece);
                return;
            }
            if element < piece.comps {
                let value = self.output_value(value, Some(lane), &piece);
                self.put_lane(n, element, value, &piece);
            }
            lane += 1;
        }
    }

    /// A value, or one lane of it, as the output holds it.
    fn output_value(&mut self, value: InstrId, lane: Option<u8>, piece: &OutputPiece) -> Value {
        let bits = self.bits(value);
        let class = if bits == 1 { Class::Int } else { piece.class };
        let v = match lane {
            Some(lane) => self.lane(value, usize::from(lane), class),
            None => self.whole(value, piece.comps, class),
        };
        if bits == 1 {
            let air = self.value_type(Class::Int, piece.bits, if lane.is_some() { 1 } else { piece.comps });
            let v = self.zext(v, air);
            return self.cast(v, Class::Int, piece.class);
        }
        v
    }

    fn put_whole(&mut self, n: usize, value: Value, piece: &OutputPiece) {
        match self.state.outputs[n] {
            OutputState::Value(_) => self.state.outputs[n] = OutputState::Value(value),
            OutputState::Memory(ptr) => {
                self.b.store(value, ptr, output_align(piece));
            }
        }
    }

    fn put_lane(&mut self, n: usize, element: u8, value: Value, piece: &OutputPiece) {
        let old = match self.state.outputs[n] {
            OutputState::Value(old) => old,
            OutputState::Memory(ptr) => self.b.load(ptr, output_align(piece)),
        };
        let new = if piece.clip {
            self.b.insert_value(old, value, &[u32::from(element)])
        } else if piece.comps == 1 {
            value
        } else {
            self.insert_lane(old, value, u32::from(element))
        };
        self.put_whole(n, new, piece);
    }

    /// Reads back an output that was written before.
    pub(crate) fn load_output(&mut self, id: InstrId, i: &Intrinsic, ty: Ty) {
        let io = i.io();
        let Some(c) = self.constant_lanes(i.src(0)) else {
            return self.error_value(id, errors::INTERFACE, "an output is read with a dynamic index");
        };
        let slot = Slot(u32::from(io.location.0).saturating_add(c[0] as u32).min(255) as u8);
        let component = i.component() as u8;
        let sig = self.sig;
        // An attachment that is only read.
        if sig.outputs.iter().all(|p| p.slot != slot)
            && let Some((value, piece)) = self.fetched(slot)
            && piece.bits == ty.bits
        {
            let value = self.components(value, component, ty.comps);
            return self.set(id, value, piece.class);
        }
        let lanes: SmallVec<[(Value, Class); 4]> = (component..component + ty.comps)
            .map(|c| {
                let found = sig.outputs.iter().position(|p| {
                    p.slot == slot && !p.clip && (p.component..p.component + p.comps).contains(&c)
                });
                let Some(n) = found else {
                    return (self.b.module.undef(scalar_type(Class::Int, ty.bits)), Class::Int);
                };
                let piece = sig.outputs[n];
                if piece.bits != ty.bits {
                    self.error(
                        errors::INTERFACE,
                        format!("output `{slot}` of {} bits is read as {} bits", piece.bits, ty.bits),
                    );
                    return (self.b.module.undef(scalar_type(Class::Int, ty.bits)), Class::Int);
                }
                let value = match self.state.outputs[n] {
                    OutputState::Value(v) => v,
                    OutputState::Memory(ptr) => self.b.load(ptr, output_align(&piece)),
                };
                (self.components(value, c - piece.component, 1), piece.class)
            })
            .collect();
        let class = lanes.first().map_or(Class::Int, |l| l.1);
        let lanes: SmallVec<[Value; 4]> = lanes.iter().map(|&(v, from)| self.cast(v, from, class)).collect();
        let value = self.vector_of(&lanes);
        self.set(id, value, class);
    }

    /// Records the values of the outputs for the block that all returns lead to.
    pub(crate) fn feed_exit(&mut self) {
        if let (Some(OutputState::Value(_)), Some(from)) = (self.state.outputs.first(), self.b.current()) {
            self.state.exits.push((from, self.state.outputs.clone()));
        }
    }

    /// Joins the values of the outputs at the start of the block that all returns lead to.
    pub(crate) fn join_outputs(&mut self) {
        let exits = std::mem::take(&mut self.state.exits);
        let Some((_, first)) = exits.first() else { return };
        let mut joined = first.clone();
        for (n, output) in joined.iter_mut().enumerate() {
            let values = exits.iter().filter_map(|(from, outputs)| match outputs.get(n) {
                Some(&OutputState::Value(value)) => Some((value, *from)),
                _ => None,
            });
            let mut incoming: SmallVec<[_; 4]> = values.collect();
            let value = incoming[0].0;
            if incoming.iter().all(|i| i.0 == value) {
                continue;
            }
            let ty = self.b.type_of(value);
            // An output that is not written is zero.
            for (value, _) in &mut incoming {
                if matches!(self.b.module.constant(*value), Some(Const::Undef)) {
                    *value = self.b.module.null(ty);
                }
            }
            let phi = self.b.phi(ty);
            self.b.set_incoming(phi, &incoming);
            *output = OutputState::Value(phi);
        }
        self.state.outputs = joined;
    }

    /// Returns the values of the outputs.
    pub(crate) fn return_outputs(&mut self) {
        let Some(ret) = self.sig.ret else { return self.b.ret_void() };
        let sig = self.sig;
        let mut values: SmallVec<[Value; 16]> = SmallVec::new();
        for (piece, state) in sig.outputs.iter().zip(self.state.outputs.clone()) {
            let value = match state {
                OutputState::Value(v) => v,
                OutputState::Memory(ptr) => self.b.load(ptr, output_align(piece)),
            };
            // An output that is not written is zero.
            let undefined = matches!(self.b.module.constant(value), Some(Const::Undef));
            let ty = self.b.type_of(value);
            values.push(if undefined { self.b.module.null(ty) } else { value });
        }
        if let [only] = &*values
            && self.b.type_of(*only) == ret
        {
            return self.b.ret(*only);
        }
        let mut result = self.b.module.undef(ret);
        for (n, &value) in values.iter().enumerate() {
            result = self.b.insert_value(result, value, &[n as u32]);
        }
        self.b.ret(result);
    }
}

fn output_align(piece: &OutputPiece) -> u32 {
    let bytes = u32::from(piece.bits / 8).max(1);
    match (piece.clip, piece.comps) {
        (true, _) => bytes,
        (_, 3) => bytes * 4,
        (_, n) => bytes * u32::from(n),
    }
}
