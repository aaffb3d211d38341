//! Intrinsics on memory, conversions, and the life of invocations.

use crate::alu;
use crate::env::Place;
use crate::machine::{Machine, lanes};
use crate::memory::{GLOBAL, Pointer, Value};
use crate::program::{Op, Reg};
use crate::{Fault, env};
use airfoil_ir::intrinsic::MemoryAction;
use airfoil_ir::{
    AluOp, AtomicOp, Intrinsic, IntrinsicOp, RoundingMode, Scalar, Scope, Ty, Type, TypeId, bit_mask,
};

/// The value that an atomic operation stores.
pub(crate) fn atomic(op: AtomicOp, bits: u32, old: u64, compare: u64, data: u64) -> u64 {
    let alu = match op {
        AtomicOp::Iadd => AluOp::iadd,
        AtomicOp::Imin => AluOp::imin,
        AtomicOp::Umin => AluOp::umin,
        AtomicOp::Imax => AluOp::imax,
        AtomicOp::Umax => AluOp::umax,
        AtomicOp::Iand => AluOp::iand,
        AtomicOp::Ior => AluOp::ior,
        AtomicOp::Ixor => AluOp::ixor,
        AtomicOp::Fadd => AluOp::fadd,
        AtomicOp::Fmin => AluOp::fmin,
        AtomicOp::Fmax => AluOp::fmax,
        AtomicOp::Xchg | AtomicOp::Store => return data,
        AtomicOp::Cmpxchg => return if old == compare { data } else { old },
        AtomicOp::Load => return old,
    };
    let ty = Ty::new(1, bits as u8);
    alu::eval(alu, bits, ty, &[[old, 0, 0, 0], [data, 0, 0, 0]])[0]
}

/// The ALU row of a conversion; `None` if there is none.
fn conversion(i: &Intrinsic) -> Option<AluOp> {
    let (from, to, sat) = (i.src_type(), i.dest_type(), i.saturate());
    let pick = |plain, rtz, rtp, rtn, rte| match i.rounding() {
        RoundingMode::Undef => plain,
        RoundingMode::Rte => rte,
        RoundingMode::Rtz => rtz,
        RoundingMode::Rtp => rtp,
        RoundingMode::Rtn => rtn,
    };
    use AluOp as O;
    Some(match (from.is_float(), to.is_float()) {
        _ if to == Scalar::Bool || to == Scalar::Any || from == Scalar::Any => return None,
        _ if from == Scalar::Bool => {
            if to.is_float() {
                O::b2f
            } else {
                O::b2i
            }
        }
        (true, true) => pick(O::f2f, O::f2f_rtz, O::f2f_rtp, O::f2f_rtn, O::f2f),
        // The plain row saturates as the others do.
        (true, false) if to.is_signed() => pick(O::f2i, O::f2i, O::f2i_rtp, O::f2i_rtn, O::f2i_rte),
        (true, false) => pick(O::f2u, O::f2u, O::f2u_rtp, O::f2u_rtn, O::f2u_rte),
        (false, true) if from.is_signed() => pick(O::i2f, O::i2f_rtz, O::i2f_rtp, O::i2f_rtn, O::i2f),
        (false, true) => pick(O::u2f, O::u2f_rtz, O::u2f_rtp, O::u2f_rtn, O::u2f),
        (false, false) => match (from.is_signed(), to.is_signed(), sat) {
            (true, _, false) => O::i2i,
            (false, _, false) => O::u2u,
            (true, true, true) => O::i2i_sat,
            (true, false, true) => O::i2u_sat,
            (false, true, true) => O::u2i_sat,
            (false, false, true) => O::u2u_sat,
        },
    })
}

impl Machine<'_> {
    /// Executes an intrinsic. A new one is a compile error here.
    #[deny(clippy::wildcard_enum_match_arm)]
    pub(crate) fn intrinsic(
        &mut self,
        op: &Op,
        i: &Intrinsic,
        regs: &[Reg; 4],
        pointee: Option<TypeId>,
    ) -> Result<(), Fault> {
        use IntrinsicOp as O;
        match i.op {
            O::load_deref => self.load(op, |m, lane| m.pointer(regs[0], lane))?,
            O::store_deref => self.store(i, regs[1], |m, lane| m.pointer(regs[0], lane))?,
            O::deref_atomic | O::deref_atomic_swap => {
                self.atomic(op, i, &regs[1..], |m, lane| m.pointer(regs[0], lane))?;
            }
            O::deref_buffer_array_length => self.array_length(op, regs[0], pointee),
            O::load_param => {
                let param = self.params + i.param();
                for lane in lanes(self.active) {
                    self.set(op.dst, lane, self.get(param, lane));
                }
            }
            O::load_ubo | O::load_ssbo => {
                self.load(op, |m, lane| m.at(m.pointer(regs[0], lane), regs[1], lane))?
            }
            O::store_ssbo => {
                self.store(i, regs[0], |m, lane| m.at(m.pointer(regs[1], lane), regs[2], lane))?
            }
            O::ssbo_atomic | O::ssbo_atomic_swap => {
                self.atomic(op, i, &regs[2..], |m, lane| m.at(m.pointer(regs[0], lane), regs[1], lane))?;
            }
            O::get_ssbo_size => {
                for lane in lanes(self.active) {
                    let p = self.pointer(regs[0], lane);
                    let size = self.memory.objects.get(p.target() as usize).map_or(0, |o| o.size);
                    self.set(op.dst, lane, Value { undef: u8::from(p.wild), ..Value::scalar(size) });
                }
            }
            O::load_push_constant => self.load_from(op, regs[0], self.memory.push)?,
            O::load_uniform => self.load_from(op, regs[0], self.memory.uniform)?,
            O::load_shared => self.load_from(op, regs[0], self.memory.shared)?,
            O::store_shared => {
                let base = Pointer::new(self.memory.shared.unwrap_or(GLOBAL - 1));
                self.store(i, regs[0], |m, lane| m.at(base, regs[1], lane))?;
            }
            O::shared_atomic | O::shared_atomic_swap => {
                let base = Pointer::new(self.memory.shared.unwrap_or(GLOBAL - 1));
                self.atomic(op, i, &regs[1..], |m, lane| m.at(base, regs[0], lane))?;
            }
            O::load_global => self.load(op, |m, lane| m.at(Pointer::new(GLOBAL), regs[0], lane))?,
            O::store_global => self.store(i, regs[0], |m, lane| m.at(Pointer::new(GLOBAL), regs[1], lane))?,
            O::global_atomic | O::global_atomic_swap => {
                self.atomic(op, i, &regs[1..], |m, lane| m.at(Pointer::new(GLOBAL), regs[0], lane))?;
            }
            O::barrier => {
                // Barriers that the workgroup waits at are steps of their own.
                if i.execution_scope() == Scope::Subgroup {
                    self.memory.epoch += 1;
                }
            }
            O::discard | O::demote => self.demote(self.active),
            O::discard_if | O::demote_if => {
                let mask = self.condition(regs[0], "a discard")?;
                self.demote(mask);
            }
            O::terminate => self.terminate(self.active),
            O::terminate_if => {
                let mask = self.condition(regs[0], "a termination")?;
                self.terminate(mask);
            }
            O::is_helper_invocation => {
                for lane in lanes(self.active) {
                    self.set(op.dst, lane, Value::scalar(self.helpers >> lane & 1));
                }
            }
            O::convert_alu_types | O::convert_air => self.convert(op, i, regs[0])?,
            O::emit_vertex => self.emit(i.stream(), true),
            O::end_primitive => self.emit(i.stream(), false),
            O::set_mesh_outputs | O::launch_mesh_workgroups => self.mesh(i, regs),
            O::load_sample_pos_from_id => {
                for lane in lanes(self.active) {
                    let v = self.get(regs[0], lane);
                    if let Some(data) = &self.data {
                        let [x, y] = data.sample_position(v.bits[0]).map(|x| u64::from(x.to_bits()));
                        let undef = if v.undef & 1 != 0 { 3 } else { 0 };
                        self.set(op.dst, lane, Value { bits: [x, y, 0, 0], undef });
                        continue;
                    }
                    let h = env::mix(self.env.seed, v.bits[0]);
                    let at = |h| airfoil_ir::alu::f64_to_bits(env::unit(h), 32);
                    let undef = if v.undef & 1 != 0 { 3 } else { 0 };
                    self.set(op.dst, lane, Value { bits: [at(h), at(env::mix(h, 1)), 0, 0], undef });
                }
            }
            // A clock tells something else every time.
            O::shader_clock => {
                let now = self.data.as_mut().map(|data| {
                    data.last_time = (data.clock + self.steps).max(data.last_time + 1);
                    data.last_time
                });
                for lane in lanes(self.active) {
                    let undef = if now.is_some() { 0 } else { 3 };
                    let now = now.unwrap_or(0);
                    self.set(op.dst, lane, Value { bits: [now & 0xffff_ffff, now >> 32, 0, 0], undef });
                }
            }
            airfoil_ir::system_value_loads!() => {
                let Some(sv) = i.op.system_value() else { return Ok(()) };
                for lane in lanes(self.active) {
                    let bits = self.system_value(lane, sv)?;
                    self.set(op.dst, lane, Value { bits, undef: 0 });
                }
            }

            O::load_input => self.load_input(op, i, regs[0], None, None),
            O::load_per_vertex_input => self.load_input(op, i, regs[1], Some(regs[0]), None),
            O::load_interpolated_input => self.load_input(op, i, regs[1], None, Some(regs[0])),
            O::load_output => self.load_output(op, i, None, regs[0]),
            O::load_per_vertex_output => self.load_output(op, i, Some(regs[0]), regs[1]),
            O::store_output => self.store_output(i, regs[0], None, regs[1])?,
            O::store_per_vertex_output => self.store_output(i, regs[0], Some(regs[1]), regs[2])?,
            O::load_barycentric_pixel => self.barycentric(op, i, |_, _| (Place::Pixel, false)),
            O::load_barycentric_centroid => self.barycentric(op, i, |_, _| (Place::Centroid, false)),
            O::load_barycentric_sample => self.barycentric(op, i, |_, _| (Place::Sample, false)),
            O::load_barycentric_at_sample => self.barycentric(op, i, |m, lane| m.at_sample(regs[0], lane)),
            O::load_barycentric_at_offset => self.barycentric(op, i, |m, lane| m.at_offset(regs[0], lane)),
            O::interp_deref_at_centroid => self.interpolate(op, regs[0], |_, _| (Place::Centroid, false)),
            O::interp_deref_at_sample => self.interpolate(op, regs[0], |m, lane| m.at_sample(regs[1], lane)),
            O::interp_deref_at_offset => self.interpolate(op, regs[0], |m, lane| m.at_offset(regs[1], lane)),

            O::image_load
            | O::image_store
            | O::image_atomic
            | O::image_atomic_swap
            | O::image_size
            | O::image_samples => self.image_intrinsic(op, i, regs)?,

            O::vote_any => self.subgroup(op, regs, |g| g.any()),
            O::vote_all => self.subgroup(op, regs, |g| g.all()),
            O::vote_ieq => self.subgroup(op, regs, |g| g.all_equal(false)),
            O::vote_feq => self.subgroup(op, regs, |g| g.all_equal(true)),
            O::elect => self.subgroup(op, regs, |g| g.elect()),
            O::ballot => self.subgroup(op, regs, |g| g.ballot()),
            O::inverse_ballot => self.subgroup(op, regs, |g| g.inverse_ballot()),
            O::ballot_bit_extract => self.subgroup(op, regs, |g| g.ballot_bit()),
            O::ballot_bit_count_reduce => self.subgroup(op, regs, |g| g.bit_count(u64::BITS)),
            O::ballot_bit_count_inclusive => self.subgroup(op, regs, |g| g.bit_count(g.lane() + 1)),
            O::ballot_bit_count_exclusive => self.subgroup(op, regs, |g| g.bit_count(g.lane())),
            O::ballot_find_lsb => self.subgroup(op, regs, |g| g.find_lsb()),
            O::ballot_find_msb => self.subgroup(op, regs, |g| g.find_msb()),
            O::read_invocation | O::shuffle => self.subgroup(op, regs, |g| g.shuffle(|_, n| n)),
            O::read_first_invocation => self.subgroup(op, regs, |g| g.read_first()),
            O::shuffle_xor => self.subgroup(op, regs, |g| g.shuffle(|own, mask| own ^ mask)),
            O::shuffle_up => self.subgroup(op, regs, |g| g.shuffle(u64::wrapping_sub)),
            O::shuffle_down => self.subgroup(op, regs, |g| g.shuffle(u64::wrapping_add)),
            O::reduce => self.subgroup(op, regs, |g| g.reduce(i)),
            O::inclusive_scan => self.subgroup(op, regs, |g| g.inclusive_scan(i)),
            O::exclusive_scan => self.subgroup(op, regs, |g| g.exclusive_scan(i)),
            O::quad_broadcast => self.subgroup(op, regs, |g| g.quad_broadcast()),
            O::quad_swap_horizontal => self.subgroup(op, regs, |g| g.quad_swap(1)),
            O::quad_swap_vertical => self.subgroup(op, regs, |g| g.quad_swap(2)),
            O::quad_swap_diagonal => self.subgroup(op, regs, |g| g.quad_swap(3)),
            O::quad_vote_any => self.subgroup(op, regs, |g| g.quad_any()),
            O::quad_vote_all => self.subgroup(op, regs, |g| g.quad_all()),

            // The flattener makes `OpKind::Copy` of it.
            O::copy_deref => return Err(Fault::unsupported("`copy_deref` without the layout of its type")),
        }
        Ok(())
    }

    /// A pointer `offset` bytes further on.
    fn at(&self, mut p: Pointer, offset: Reg, lane: usize) -> Pointer {
        let v = self.get(offset, lane);
        p.wild |= v.undef & 1 != 0 && self.limits.report;
        p.offset = p.offset.wrapping_add(v.bits[0]);
        p
    }

    fn load(&mut self, op: &Op, place: impl Fn(&Self, usize) -> Pointer) -> Result<(), Fault> {
        let bits = u32::from(op.ty.bits);
        let bytes = op.ty.with_comps(1).bytes();
        for lane in lanes(self.active) {
            let p = place(self, lane);
            let stride = if p.stride != 0 { p.stride } else { bytes };
            let mut value = Value::default();
            for c in 0..usize::from(op.ty.comps) {
                let at = p.offset.wrapping_add(c as u64 * u64::from(stride));
                if !self.reaches(&p, at, bytes)? {
                    continue;
                }
                let (v, undef) = self.memory.read(p.target(), lane, at, bits);
                value.bits[c] = v;
                value.undef |= u8::from(undef || p.wild) << c;
            }
            self.set(op.dst, lane, value);
        }
        Ok(())
    }

    fn load_from(&mut self, op: &Op, offset: Reg, object: Option<u32>) -> Result<(), Fault> {
        let base = Pointer::new(object.unwrap_or(GLOBAL - 1));
        self.load(op, |m, lane| m.at(base, offset, lane))
    }

    fn store(
        &mut self,
        i: &Intrinsic,
        value: Reg,
        place: impl Fn(&Self, usize) -> Pointer,
    ) -> Result<(), Fault> {
        let bits = self.widths.get(value as usize).map_or(32, |&w| u32::from(w));
        let bytes = Ty::new(1, bits as u8).bytes();
        let mask = i.write_mask();
        for lane in lanes(self.active) {
            let p = place(self, lane);
            if !self.has_effects(lane, p.target()) || mask == 0 {
                continue;
            }
            let v = self.get(value, lane);
            let stride = if p.stride != 0 { p.stride } else { bytes };
            for c in (0..4).filter(|c| mask >> c & 1 != 0) {
                let at = p.offset.wrapping_add(c as u64 * u64::from(stride));
                let undef = v.undef >> c & 1 != 0;
                if self.reaches(&p, at, bytes)? {
                    self.memory.write(p.target(), lane, at, bits, v.bits[c], undef, (false, false));
                }
            }
            self.known_location(p.wild, "memory")?;
            if p.wild && self.data.is_none() {
                self.memory.lose(p.target(), lane);
            }
        }
        Ok(())
    }

    fn atomic(
        &mut self,
        op: &Op,
        i: &Intrinsic,
        data: &[Reg],
        place: impl Fn(&Self, usize) -> Pointer,
    ) -> Result<(), Fault> {
        let bits = u32::from(op.ty.bits);
        let swap = i.op.memory().is_some_and(|m| m.action == MemoryAction::Exchange);
        let kind = if swap { AtomicOp::Cmpxchg } else { i.atomic_op() };
        for lane in lanes(self.active) {
            let p = place(self, lane);
            if !self.has_effects(lane, p.target()) {
                self.set(op.dst, lane, Value { bits: [0; 4], undef: 1 });
                continue;
            }
            if !self.reaches(&p, p.offset, op.ty.bytes())? {
                self.set(op.dst, lane, Value::default());
                continue;
            }
            let first = self.get(data[0], lane);
            let (compare, new) = if swap { (first, self.get(data[1], lane)) } else { (first, first) };
            let (old, unknown) = self.memory.get(p.target(), lane, p.offset, bits);
            let met = if kind == AtomicOp::Load {
                self.memory.read(p.target(), lane, p.offset, bits).1
            } else {
                let now = atomic(kind, bits, old, compare.bits[0], new.bits[0]);
                let undef = (compare.undef | new.undef) & 1 != 0 || (unknown && kind != AtomicOp::Xchg);
                let undef = if kind == AtomicOp::Store { new.undef & 1 != 0 } else { undef };
                let commutes = !matches!(kind, AtomicOp::Cmpxchg | AtomicOp::Xchg | AtomicOp::Store);
                self.memory.write(p.target(), lane, p.offset, bits, now, undef, (true, commutes))
            };
            self.known_location(p.wild, "memory")?;
            if p.wild {
                self.memory.lose(p.target(), lane);
            }
            let met = met && self.data.is_none();
            let open = met || unknown || p.wild || kind == AtomicOp::Store;
            self.set(op.dst, lane, Value { undef: u8::from(open), ..Value::scalar(old) });
        }
        Ok(())
    }

    /// Length of the run-time array that is, or ends, the pointee of a deref.
    fn array_length(&mut self, op: &Op, deref: Reg, pointee: Option<TypeId>) {
        let Some(mut ty) = pointee else { return };
        let mut offset = 0;
        if let Type::Struct(s) = &self.shader.types[ty]
            && let Some(last) = s.members.len().checked_sub(1)
        {
            offset = self.layouts.member(ty, last);
            ty = s.members[last].ty;
        }
        let stride = self.layouts.stride(ty).max(1);
        for lane in lanes(self.active) {
            let p = self.pointer(deref, lane);
            let size = self.memory.objects.get(p.target() as usize).map_or(0, |o| o.size);
            let n = size.saturating_sub(p.offset + offset) / stride;
            self.set(op.dst, lane, Value { undef: u8::from(p.wild), ..Value::scalar(n) });
        }
    }

    fn convert(&mut self, op: &Op, i: &Intrinsic, value: Reg) -> Result<(), Fault> {
        let (from, to) = (i.src_type(), i.dest_type());
        let same =
            from == to || (from.bits() == to.bits() && !from.is_float() && !to.is_float() && !i.saturate());
        let alu = if same { Some(AluOp::mov) } else { conversion(i) };
        let Some(alu) = alu else {
            return Err(Fault::unsupported(format!("conversion from {from} to {to} is not supported")));
        };
        for lane in lanes(self.active) {
            let v = self.get(value, lane);
            let floats = &self.limits.floats;
            let bits = floats.eval(alu, u32::from(from.bits()), op.ty, &[v.bits]).unwrap_or_default();
            let mut bits = bits;
            bits.iter_mut().for_each(|b| *b &= bit_mask(u32::from(op.ty.bits)));
            self.set(op.dst, lane, Value { bits, undef: v.undef & op.ty.full_mask() });
        }
        Ok(())
    }

    fn demote(&mut self, mask: u64) {
        self.helpers |= mask;
        self.discarded |= mask;
    }

    fn terminate(&mut self, mask: u64) {
        self.discarded |= mask;
        self.end(mask);
    }
}
