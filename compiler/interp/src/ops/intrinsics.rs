//! Dispatch of intrinsics, and the lifetime of invocations.

use super::subgroup;
use crate::fault::Fault;
use crate::machine::code::Op;
use crate::machine::group::Group;
use crate::machine::lanes::lanes;
use crate::machine::registers::Reg;
use crate::memory::{GLOBAL, Pointer, Value};
use crate::world::World;
use crate::world::location::Location;
use airfoil_ir::intrinsic::IntrinsicFlags;
use airfoil_ir::{Intrinsic, IntrinsicOp, Scope, TypeId};

impl<W: World> Group<'_, W> {
    /// Executes an intrinsic. The match is exhaustive, so that a new intrinsic does not compile until it is added.
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
            // Groups of fragments are executed one after the other, in the order of their primitives.
            O::begin_interlock | O::end_interlock => {}
            O::is_resident => {
                for lane in lanes(self.active) {
                    let code = self.get(regs[0], lane);
                    let resident =
                        Value { bits: [u64::from(code.bits[0] != 0), 0, 0, 0], undef: code.undef & 1 };
                    self.set(op.dst, lane, resident);
                }
            }
            O::depth_texture_mode => {
                for lane in lanes(self.active) {
                    let r = self.get(regs[0], lane);
                    let one = u64::from(1f32.to_bits());
                    let undef = if r.undef & 1 != 0 { 7 } else { 0 };
                    self.set(op.dst, lane, Value { bits: [r.bits[0], r.bits[0], r.bits[0], one], undef });
                }
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
                    let [x, y] = self.world.sample_position(v.bits[0]);
                    let undef = if v.undef & 1 != 0 { 3 } else { 0 };
                    self.set(op.dst, lane, Value { bits: [x, y, 0, 0], undef });
                }
            }
            O::shader_clock => {
                let now = self.world.clock(self.steps);
                let undef = if now.is_some() { 0 } else { 3 };
                let now = now.unwrap_or(0);
                self.set_all(op.dst, Value { bits: [now & 0xffff_ffff, now >> 32, 0, 0], undef });
            }
            airfoil_ir::system_value_loads!() => {
                let Some(sv) = i.op.system_value() else { return Ok(()) };
                for lane in lanes(self.active) {
                    let bits = self.world.system_value(lane, sv)?;
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
            O::load_barycentric_pixel => self.barycentric(op, i, |_, _| (Location::Pixel, false)),
            O::load_barycentric_centroid => self.barycentric(op, i, |_, _| (Location::Centroid, false)),
            O::load_barycentric_sample => self.barycentric(op, i, |_, _| (Location::Sample, false)),
            O::load_barycentric_at_sample => self.barycentric(op, i, |m, lane| m.at_sample(regs[0], lane)),
            O::load_barycentric_at_offset => self.barycentric(op, i, |m, lane| m.at_offset(regs[0], lane)),
            O::interp_deref_at_centroid => self.interpolate(op, regs[0], |_, _| (Location::Centroid, false)),
            O::interp_deref_at_sample => self.interpolate(op, regs[0], |m, lane| m.at_sample(regs[1], lane)),
            O::interp_deref_at_offset => self.interpolate(op, regs[0], |m, lane| m.at_offset(regs[1], lane)),

            O::image_load
            | O::image_store
            | O::image_atomic
            | O::image_atomic_swap
            | O::image_size
            | O::image_samples
            | O::image_residency => self.image(op, i, regs)?,

            O::vote_any => subgroup::execute(&mut self.regs, self.active, op, regs, |g| g.any()),
            O::vote_all => subgroup::execute(&mut self.regs, self.active, op, regs, |g| g.all()),
            O::vote_ieq => subgroup::execute(&mut self.regs, self.active, op, regs, |g| g.all_equal(false)),
            O::vote_feq => subgroup::execute(&mut self.regs, self.active, op, regs, |g| g.all_equal(true)),
            O::elect => subgroup::execute(&mut self.regs, self.active, op, regs, |g| g.elect()),
            O::ballot => subgroup::execute(&mut self.regs, self.active, op, regs, |g| g.ballot()),
            O::inverse_ballot => {
                subgroup::execute(&mut self.regs, self.active, op, regs, |g| g.inverse_ballot())
            }
            O::ballot_bit_extract => {
                subgroup::execute(&mut self.regs, self.active, op, regs, |g| g.ballot_bit())
            }
            O::ballot_bit_count_reduce => {
                subgroup::execute(&mut self.regs, self.active, op, regs, |g| g.bit_count(u64::BITS))
            }
            O::ballot_bit_count_inclusive => {
                subgroup::execute(&mut self.regs, self.active, op, regs, |g| g.bit_count(g.lane() + 1))
            }
            O::ballot_bit_count_exclusive => {
                subgroup::execute(&mut self.regs, self.active, op, regs, |g| g.bit_count(g.lane()))
            }
            O::ballot_find_lsb => subgroup::execute(&mut self.regs, self.active, op, regs, |g| g.find_lsb()),
            O::ballot_find_msb => subgroup::execute(&mut self.regs, self.active, op, regs, |g| g.find_msb()),
            O::read_invocation | O::shuffle => {
                subgroup::execute(&mut self.regs, self.active, op, regs, |g| g.shuffle(|_, n| n))
            }
            O::read_first_invocation => {
                subgroup::execute(&mut self.regs, self.active, op, regs, |g| g.read_first())
            }
            O::shuffle_xor => subgroup::execute(&mut self.regs, self.active, op, regs, |g| {
                g.shuffle(|own, mask| own ^ mask)
            }),
            O::shuffle_up => {
                subgroup::execute(&mut self.regs, self.active, op, regs, |g| g.shuffle(u64::wrapping_sub))
            }
            O::shuffle_down => {
                subgroup::execute(&mut self.regs, self.active, op, regs, |g| g.shuffle(u64::wrapping_add))
            }
            O::reduce => subgroup::execute(&mut self.regs, self.active, op, regs, |g| g.reduce(i)),
            O::inclusive_scan => {
                subgroup::execute(&mut self.regs, self.active, op, regs, |g| g.inclusive_scan(i))
            }
            O::exclusive_scan => {
                subgroup::execute(&mut self.regs, self.active, op, regs, |g| g.exclusive_scan(i))
            }
            O::quad_broadcast => {
                subgroup::execute(&mut self.regs, self.active, op, regs, |g| g.quad_broadcast())
            }
            O::quad_swap_horizontal => {
                subgroup::execute(&mut self.regs, self.active, op, regs, |g| g.quad_swap(1))
            }
            O::quad_swap_vertical => {
                subgroup::execute(&mut self.regs, self.active, op, regs, |g| g.quad_swap(2))
            }
            O::quad_swap_diagonal => {
                subgroup::execute(&mut self.regs, self.active, op, regs, |g| g.quad_swap(3))
            }
            O::quad_vote_any => subgroup::execute(&mut self.regs, self.active, op, regs, |g| g.quad_any()),
            O::quad_vote_all => subgroup::execute(&mut self.regs, self.active, op, regs, |g| g.quad_all()),

            // The flattener turns it into `OpKind::Copy`.
            O::copy_deref => return Err(Fault::unsupported("`copy_deref` without the layout of its type")),
        }
        Ok(())
    }

    fn demote(&mut self, mask: u64) {
        self.effects |= IntrinsicFlags::TERMINATES;
        self.helpers |= mask;
        self.discarded |= mask;
    }

    fn terminate(&mut self, mask: u64) {
        self.effects |= IntrinsicFlags::TERMINATES;
        self.discarded |= mask;
        self.end(mask);
    }
}
