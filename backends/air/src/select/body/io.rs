//! Stage inputs and outputs, system values, and the dispatch of intrinsics.

use super::Emit;
use super::calls::{Effect, suffix};
use super::memory::ArrayIndex;
use crate::module::{ICmp, TypeId, Value};
use crate::select::errors;
use crate::select::plan::builtin_args::{Elem, Role};
use crate::select::plan::usage::Effects;
use crate::select::signature::{InputSource, NO_ARG, OutputPiece};
use crate::select::types::{Class, scalar_type};
use airfoil_ir::{InstrId, Intrinsic, IntrinsicOp, IoSemantics, Slot, SystemValue, Ty};
use smallvec::SmallVec;

/// An output while the function runs.
#[derive(Clone, Copy)]
pub(crate) enum OutputState {
    /// Its value so far.
    Value(Value),
    /// Its memory.
    Memory(Value),
}

impl Emit<'_> {
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
            Op::load_input => self.load_input(id, i, i.src(0), ty),
            Op::load_interpolated_input => self.load_interpolated(id, i, ty),
            Op::load_output => self.load_output(id, i, ty),
            Op::store_output => self.store_output(i),
            Op::store_per_vertex_output => self.store_mesh_output(i),
            Op::load_per_vertex_output => self.refuse_value(
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
            _ => self.group(id, i, ty),
        }
    }

    // ---- inputs ----

    fn load_input(&mut self, id: InstrId, i: &Intrinsic, offset: InstrId, ty: Ty) {
        let io = i.io();
        let first = u32::from(io.location.0);
        if let Some(c) = self.constant_lanes(offset) {
            let slot = Slot(first.saturating_add(c[0] as u32).min(255) as u8);
            let (value, class) = self.input(slot, i.component() as u8, ty, None);
            return self.set(id, value, class);
        }
        let list: SmallVec<[(Value, Class); 8]> = (0..u32::from(io.num_slots.max(1)))
            .map(|n| {
                let slot = Slot(first.saturating_add(n).min(255) as u8);
                self.input(slot, i.component() as u8, ty, None)
            })
            .collect();
        self.choose_input(id, offset, &list);
    }

    fn choose_input(&mut self, id: InstrId, offset: InstrId, list: &[(Value, Class)]) {
        let class = list.first().map_or(Class::Int, |l| l.1);
        let values: SmallVec<[Value; 8]> = list.iter().map(|&(v, c)| self.cast(v, c, class)).collect();
        let index = self.scalar(offset, Class::Int);
        let value = self.choose(index, &values);
        self.set(id, value, class);
    }

    fn load_interpolated(&mut self, id: InstrId, i: &Intrinsic, ty: Ty) {
        let io = i.io();
        let first = u32::from(io.location.0);
        let (bary, offset) = (i.src(0), i.src(1));
        if let Some(c) = self.constant_lanes(offset) {
            let slot = Slot(first.saturating_add(c[0] as u32).min(255) as u8);
            let (value, class) = self.input(slot, i.component() as u8, ty, Some(bary));
            return self.set(id, value, class);
        }
        let list: SmallVec<[(Value, Class); 8]> = (0..u32::from(io.num_slots.max(1)))
            .map(|n| {
                let slot = Slot(first.saturating_add(n).min(255) as u8);
                self.input(slot, i.component() as u8, ty, Some(bary))
            })
            .collect();
        self.choose_input(id, offset, &list);
    }

    /// Components of an input location; they may come from several arguments.
    fn input(&mut self, slot: Slot, component: u8, ty: Ty, bary: Option<InstrId>) -> (Value, Class) {
        let face = self.face;
        let find = |c: u8| {
            face.inputs
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
                self.refuse(
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
                    (self.b.zext(value, wide), Class::Int)
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
            return if len == 1 { value } else { self.b.extract_lane(value, u32::from(first)) };
        }
        let lanes: SmallVec<[u32; 4]> = (0..n).map(|c| u32::from(first + c)).collect();
        let undef = self.b.module.undef(ty);
        self.b.shuffle(value, undef, &lanes)
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
            InputSource::Arg(arg) => self.b.arg(arg),
            InputSource::Role(role) => match self.face.roles[role as usize] {
                NO_ARG => {
                    let ty = self.value_type(class, bits, comps);
                    self.b.module.undef(ty)
                }
                arg => self.b.arg(arg),
            },
            InputSource::Pull(arg, perspective) => {
                self.interpolate(arg, perspective, comps, class, bits, bary)
            }
        }
    }

    /// Calls an interpolation function for what a barycentric intrinsic says.
    fn interpolate(
        &mut self,
        arg: u32,
        perspective: bool,
        comps: u8,
        class: Class,
        bits: u8,
        bary: Option<InstrId>,
    ) -> Value {
        use IntrinsicOp as Op;
        let ret = self.value_type(class, bits, comps);
        let handle = self.b.arg(arg);
        let body = self.body;
        let how = bary.and_then(|b| body[b].as_intrinsic());
        let mut args: SmallVec<[Value; 2]> = smallvec::smallvec![handle];
        let base = match how.map(|i| i.op) {
            Some(Op::load_barycentric_centroid) => "air.interpolate_centroid",
            Some(Op::load_barycentric_at_sample) => {
                let sample = how.map(|i| i.src(0)).map(|s| self.scalar(s, Class::Int));
                args.extend(sample);
                "air.interpolate_sample"
            }
            Some(Op::load_barycentric_sample) => {
                let sample = match self.face.roles[Role::SampleId as usize] {
                    NO_ARG => self.b.module.i32(0),
                    arg => self.b.arg(arg),
                };
                args.push(sample);
                "air.interpolate_sample"
            }
            Some(Op::load_barycentric_at_offset) => {
                let offset = how.map(|i| i.src(0)).map(|s| self.whole(s, 2, Class::Float));
                if let Some(offset) = offset {
                    // Metal counts from the pixel's upper left corner, the source from its centre.
                    let half = self.float_const(0.5, Ty::new(2, 32));
                    let offset = self.b.fadd(offset, half, crate::module::FastMath::NONE);
                    args.push(offset);
                }
                "air.interpolate_offset"
            }
            _ => "air.interpolate_center",
        };
        let word = if perspective { "_perspective" } else { "_no_perspective" };
        let key = ret.index() as u64 * 2 + u64::from(perspective);
        self.air(base, key, ret, &args, Effect::Reads, |m| format!("{word}.{}", suffix(m, ret)))
    }

    // ---- outputs ----

    /// Makes the places of outputs.
    pub(crate) fn make_outputs(&mut self) {
        let memory = self.scan.has(Effects::MEMORY_OUTPUTS);
        let face = self.face;
        for piece in &face.outputs {
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
            self.outputs.push(state);
        }
    }

    fn store_output(&mut self, i: &Intrinsic) {
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
            self.open(yes);
            work(self, slot(n));
            self.b.br(next);
            self.open(next);
        }
    }

    fn store_slot(&mut self, slot: Slot, dual_source: u8, component: u8, value: InstrId, mask: u32) {
        let slot = if slot == Slot::FRAG_COLOR { Slot(Slot::GENERIC) } else { slot };
        let comps = self.ty(value).comps;
        // Where each lane of the value goes: output and component of it.
        let mut lane = 0u8;
        while lane < comps {
            if mask & (1 << lane) == 0 {
                lane += 1;
                continue;
            }
            let at = component + lane;
            let clip = matches!(slot, Slot::CLIP_DIST0 | Slot::CLIP_DIST1);
            let face = self.face;
            let found = face.outputs.iter().position(|p| {
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
            let piece = face.outputs[n];
            let element = if clip { (slot.0 - Slot::CLIP_DIST0.0) * 4 + at } else { at - piece.component };
            if self.bits(value) != piece.bits && self.bits(value) != 1 {
                return self.refuse(
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
            let v = self.b.zext(v, air);
            return self.cast(v, Class::Int, piece.class);
        }
        v
    }

    fn put_whole(&mut self, n: usize, value: Value, piece: &OutputPiece) {
        match self.outputs[n] {
            OutputState::Value(_) => self.outputs[n] = OutputState::Value(value),
            OutputState::Memory(ptr) => {
                self.b.store(value, ptr, output_align(piece));
            }
        }
    }

    fn put_lane(&mut self, n: usize, element: u8, value: Value, piece: &OutputPiece) {
        let old = match self.outputs[n] {
            OutputState::Value(old) => old,
            OutputState::Memory(ptr) => self.b.load(ptr, output_align(piece)),
        };
        let new = if piece.clip {
            self.b.insert_value(old, value, &[u32::from(element)])
        } else if piece.comps == 1 {
            value
        } else {
            self.b.insert_lane(old, value, u32::from(element))
        };
        self.put_whole(n, new, piece);
    }

    /// Reads back an output that was written before.
    fn load_output(&mut self, id: InstrId, i: &Intrinsic, ty: Ty) {
        let io = i.io();
        let Some(c) = self.constant_lanes(i.src(0)) else {
            return self.refuse_value(id, errors::INTERFACE, "an output is read with a dynamic index");
        };
        let slot = Slot(u32::from(io.location.0).saturating_add(c[0] as u32).min(255) as u8);
        let component = i.component() as u8;
        let face = self.face;
        // An attachment that is only read.
        if face.outputs.iter().all(|p| p.slot != slot)
            && let Some((value, piece)) = self.fetched(slot)
            && piece.bits == ty.bits
        {
            let value = self.components(value, component, ty.comps);
            return self.set(id, value, piece.class);
        }
        let lanes: SmallVec<[(Value, Class); 4]> = (component..component + ty.comps)
            .map(|c| {
                let found = face.outputs.iter().position(|p| {
                    p.slot == slot && !p.clip && (p.component..p.component + p.comps).contains(&c)
                });
                let Some(n) = found else {
                    return (self.b.module.undef(scalar_type(Class::Int, ty.bits)), Class::Int);
                };
                let piece = face.outputs[n];
                if piece.bits != ty.bits {
                    self.refuse(
                        errors::INTERFACE,
                        format!("output `{slot}` of {} bits is read as {} bits", piece.bits, ty.bits),
                    );
                    return (self.b.module.undef(scalar_type(Class::Int, ty.bits)), Class::Int);
                }
                let value = match self.outputs[n] {
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

    /// Returns what the outputs hold.
    pub(crate) fn return_outputs(&mut self) {
        let ret = self.face.ret;
        if ret == TypeId::VOID {
            return self.b.ret_void();
        }
        let face = self.face;
        let mut values: SmallVec<[Value; 16]> = SmallVec::new();
        for (piece, state) in face.outputs.iter().zip(self.outputs.clone()) {
            values.push(match state {
                OutputState::Value(v) => v,
                OutputState::Memory(ptr) => self.b.load(ptr, output_align(piece)),
            });
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

    // ---- system values ----

    fn role_value(&mut self, role: Role) -> Option<Value> {
        match self.face.roles[role as usize] {
            NO_ARG => None,
            arg => Some(self.b.arg(arg)),
        }
    }

    fn system_value(&mut self, id: InstrId, sv: SystemValue) {
        use SystemValue as S;
        let size = self.shader.info.workgroup_size;
        match sv {
            S::workgroup_size if size.iter().all(|&n| n != 0) => {
                let lanes = size.map(u64::from);
                let value = self.constant(&lanes, 32, Class::Int);
                return self.set(id, value, Class::Int);
            }
            S::device_index => {
                let zero = self.b.module.i32(0);
                return self.set(id, zero, Class::Int);
            }
            S::helper_invocation => {
                let value = self.is_helper();
                return self.set(id, value, Class::Int);
            }
            _ => {}
        }
        let roles = Role::of(sv);
        if roles.is_empty() {
            let message = format!("Metal has no value for `{}`", sv.name());
            self.errors.push(
                airfoil_ir::Diagnostic::error(errors::OPERATION, message)
                    .at(errors::place(self.shader, self.loc))
                    .help("pass it in a buffer, by the pass that lowers system values"),
            );
            return self.set_undef(id);
        }
        let stages = roles[0].0.info().stages;
        if !stages.contains(&self.shader.stage) {
            let message = format!("`{}` does not exist in {} functions", sv.name(), self.shader.stage);
            return self.refuse_value(id, errors::OPERATION, message);
        }
        let Some(first) = self.role_value(roles[0].0) else { return self.set_undef(id) };
        let value = match sv {
            S::vertex_id_zero_base | S::instance_id => {
                // Metal's numbers include the base.
                let base = roles.get(1).and_then(|r| self.role_value(r.0));
                match base {
                    Some(base) => self.b.sub(first, base),
                    None => first,
                }
            }
            S::sample_pos => self.sample_position(first),
            // Metal has two coordinates in quads (the third is zero) and three in triangles.
            S::tess_coord if self.shader.info.input_primitive == airfoil_ir::Primitive::Quads => {
                let pair = self.value_type(Class::Float, 32, 2);
                let zero = self.b.module.null(pair);
                self.b.shuffle(first, zero, &[0, 1, 2])
            }
            S::subgroup_eq_mask
            | S::subgroup_ge_mask
            | S::subgroup_gt_mask
            | S::subgroup_le_mask
            | S::subgroup_lt_mask => self.lane_mask(sv, first),
            _ => first,
        };
        let class = match roles[0].0.info().elem {
            Elem::Float => Class::Float,
            _ if sv == S::sample_pos => Class::Float,
            _ => Class::Int,
        };
        self.set(id, value, class);
    }

    fn sample_position(&mut self, sample: Value) -> Value {
        let ret = self.value_type(Class::Float, 32, 2);
        let zero = self.b.module.i32(0);
        self.air("air.get_sample_position", 0, ret, &[sample, zero], Effect::Pure, |_| ".v2f32".to_owned())
    }

    /// Masks of lanes relative to the own one, from its number.
    fn lane_mask(&mut self, sv: SystemValue, lane: Value) -> Value {
        use SystemValue as S;
        let lane = self.b.zext(lane, TypeId::I64);
        let one = self.b.module.i64(1);
        let ones = self.b.module.i64(-1);
        let own = self.b.shl(one, lane);
        let below = self.b.sub(own, one);
        let mask = match sv {
            S::subgroup_eq_mask => own,
            S::subgroup_lt_mask => below,
            S::subgroup_le_mask => self.b.or(below, own),
            S::subgroup_ge_mask => self.b.xor(below, ones),
            _ => {
                let up_to = self.b.or(below, own);
                self.b.xor(up_to, ones)
            }
        };
        self.mask_words(mask)
    }

    /// A 64-bit mask as four words.
    pub(crate) fn mask_words(&mut self, mask: Value) -> Value {
        let pair = self.value_type(Class::Int, 32, 2);
        let words = self.b.bitcast(mask, pair);
        let zero = self.b.module.null(pair);
        self.b.shuffle(words, zero, &[0, 1, 2, 3])
    }

    pub(crate) fn is_helper(&mut self) -> Value {
        self.air("air.simd_is_helper_thread", 0, TypeId::I1, &[], Effect::Any, |_| String::new())
    }

    // ---- end of invocations ----

    fn discard(&mut self) {
        if self.shader.stage != airfoil_ir::Stage::Fragment {
            return self.refuse(errors::OPERATION, "only fragment functions can discard");
        }
        self.air("air.discard_fragment", 0, TypeId::VOID, &[], Effect::Any, |_| String::new());
    }

    fn discard_where(&mut self, condition: InstrId) {
        let condition = self.scalar(condition, Class::Int);
        let (yes, next) = (self.b.block(), self.b.block());
        self.b.cond_br(condition, yes, next);
        self.open(yes);
        self.discard();
        self.b.br(next);
        self.open(next);
    }

    /// Ends the invocation, here or where a condition holds.
    fn discard_and_leave(&mut self, condition: Option<InstrId>) {
        let (yes, next) = (self.b.block(), self.b.block());
        match condition {
            Some(condition) => {
                let condition = self.scalar(condition, Class::Int);
                self.b.cond_br(condition, yes, next);
                self.open(yes);
                self.halt(false);
                self.open(next);
            }
            // Code behind it is not reached, but may be there.
            None => {
                let always = self.b.module.bool(true);
                self.b.cond_br(always, yes, next);
                self.open(yes);
                self.halt(false);
                self.open(next);
            }
        }
    }

    /// An array index of resources, for resources that cannot be chosen at run time.
    pub(crate) fn resource_argument(&mut self, deref: InstrId, first: u32, count: u32) -> Option<Value> {
        let (index, _) = self.array_index(deref)?;
        Some(match index {
            ArrayIndex::Constant(n) => self.b.arg(first + n.min(count.saturating_sub(1))),
            ArrayIndex::Value(index) => {
                let list: SmallVec<[Value; 8]> = (0..count).map(|n| self.b.arg(first + n)).collect();
                self.choose(index, &list)
            }
        })
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
