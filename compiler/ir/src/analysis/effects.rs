//! What memory an instruction may read or write, and what else keeps it in its place.

use crate::body::Body;
use crate::enums::{Access, Modes};
use crate::ids::InstrId;
use crate::instr::{InstrKind, Intrinsic, Jump};
use crate::intrinsic::{IntrinsicFlags, IntrinsicOp};

/// Memory effects of an instruction. Two instructions can change places if neither
/// [conflicts](Effects::conflicts) with the other (and no operand stands in the way).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Effects {
    /// Memory that may be read.
    pub reads: Modes,
    /// Memory that may be written.
    pub writes: Modes,
    /// Memory whose accesses must not cross the instruction: barriers and ordered atomics.
    pub orders: Modes,
    /// Whether the invocation may end here or lose its effects (`discard`, `demote`, `return`), so that
    /// writes that others see must not cross it.
    pub ends: bool,
    /// Must not be dropped, joined or repeated: volatile accesses and clocks.
    pub volatile: bool,
}

/// Memory that other invocations, later stages or the host can see.
const VISIBLE: Modes = Modes::OUT
    .union(Modes::SSBO)
    .union(Modes::SHARED)
    .union(Modes::IMAGE)
    .union(Modes::GLOBAL)
    .union(Modes::TASK_PAYLOAD);

/// What an address can point at.
const BEHIND_ADDRESS: Modes = Modes::GLOBAL.union(Modes::SSBO);

impl Effects {
    /// The effects of an instruction of a body.
    pub fn of(body: &Body, id: InstrId) -> Effects {
        match &body[id].kind {
            InstrKind::Alu(_)
            | InstrKind::Deref(_)
            | InstrKind::Const(_)
            | InstrKind::Undef
            | InstrKind::Phi(_)
            | InstrKind::Jump(Jump::Break | Jump::Continue) => Effects::default(),
            InstrKind::Tex(_) => Effects { reads: Modes::UNIFORM, ..Effects::default() },
            InstrKind::Jump(Jump::Return | Jump::Halt) => Effects { ends: true, ..Effects::default() },
            InstrKind::Call(_) => Effects {
                reads: Modes::all(),
                writes: Modes::all(),
                orders: Modes::all(),
                ends: true,
                volatile: true,
            },
            InstrKind::Intrinsic(i) => of_intrinsic(body, i),
        }
    }

    /// Whether there are none at all.
    pub fn is_empty(self) -> bool {
        self == Effects::default()
    }

    /// Whether two instructions with these effects must keep their order.
    pub fn conflicts(self, other: Effects) -> bool {
        let one_way = |a: Effects, b: Effects| {
            a.writes.intersects(b.reads | b.writes)
                || a.orders.intersects(b.reads | b.writes | b.orders)
                || (a.ends && (b.ends || b.writes.intersects(VISIBLE) || b.orders.intersects(VISIBLE)))
        };
        one_way(self, other) || one_way(other, self) || (self.volatile && other.volatile)
    }
}

/// Memory that a deref operand can point into.
fn modes_of(body: &Body, deref: Option<&InstrId>) -> Modes {
    deref.and_then(|&d| body.get(d)?.as_deref()).map_or(Modes::all(), |d| d.modes)
}

fn of_intrinsic(body: &Body, i: &Intrinsic) -> Effects {
    use IntrinsicOp as Op;
    let flags = i.op.info().flags;
    let memory = match i.op {
        Op::load_deref | Op::deref_atomic | Op::deref_atomic_swap | Op::store_deref => {
            modes_of(body, i.srcs().first())
        }
        Op::copy_deref => {
            let volatile = (i.access() | i.src_access()).contains(Access::VOLATILE);
            let (writes, reads) = (modes_of(body, i.srcs().first()), modes_of(body, i.srcs().get(1)));
            return Effects { reads, writes, volatile, ..Effects::default() };
        }
        Op::interp_deref_at_centroid
        | Op::interp_deref_at_sample
        | Op::interp_deref_at_offset
        | Op::load_input
        | Op::load_per_vertex_input
        | Op::load_interpolated_input => Modes::IN,
        Op::load_output | Op::load_per_vertex_output | Op::store_output | Op::store_per_vertex_output => {
            Modes::OUT
        }
        Op::load_ubo => Modes::UBO,
        Op::load_ssbo | Op::store_ssbo | Op::ssbo_atomic | Op::ssbo_atomic_swap => Modes::SSBO,
        Op::load_push_constant => Modes::PUSH_CONST,
        Op::load_uniform => Modes::UNIFORM,
        Op::load_shared | Op::store_shared | Op::shared_atomic | Op::shared_atomic_swap => Modes::SHARED,
        Op::load_global | Op::store_global | Op::global_atomic | Op::global_atomic_swap => BEHIND_ADDRESS,
        Op::image_load | Op::image_store | Op::image_atomic | Op::image_atomic_swap => Modes::IMAGE,
        Op::barrier => {
            return Effects { orders: i.memory_modes(), ends: true, volatile: true, ..Effects::default() };
        }
        Op::discard
        | Op::discard_if
        | Op::demote
        | Op::demote_if
        | Op::terminate
        | Op::terminate_if
        | Op::is_helper_invocation => return Effects { ends: true, ..Effects::default() },
        Op::emit_vertex | Op::end_primitive | Op::set_mesh_outputs => {
            return Effects { reads: Modes::OUT, writes: Modes::OUT, volatile: true, ..Effects::default() };
        }
        Op::launch_mesh_workgroups => {
            return Effects { reads: VISIBLE, ends: true, volatile: true, ..Effects::default() };
        }
        Op::shader_clock => return Effects { volatile: true, ..Effects::default() },
        _ if flags.intersects(IntrinsicFlags::READS | IntrinsicFlags::WRITES) => Modes::all(),
        _ => Modes::empty(),
    };
    let writes = flags.contains(IntrinsicFlags::WRITES);
    Effects {
        // What does not write and has memory reads it, constant memory included.
        reads: if !writes || flags.contains(IntrinsicFlags::READS) { memory } else { Modes::empty() },
        writes: if writes { memory } else { Modes::empty() },
        orders: if i.semantics().is_empty() { Modes::empty() } else { VISIBLE },
        ends: false,
        volatile: i.access().contains(Access::VOLATILE),
    }
}
