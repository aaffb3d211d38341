//! The memory that an instruction may read or write, and other effects that restrict its motion.

use crate::body::Body;
use crate::enums::{Access, Modes};
use crate::ids::InstrId;
use crate::instr::{InstrKind, Intrinsic, Jump};
use crate::intrinsic::{IntrinsicFlags, IntrinsicOp, MemoryAccess, MemoryAction};

/// Memory effects of an instruction. Two instructions can change places if neither
/// [conflicts](Effects::conflicts) with the other (and neither uses the other).
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

    /// Whether the instruction has no effects.
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
fn modes_of(body: &Body, deref: Option<InstrId>) -> Modes {
    deref.and_then(|d| body.get(d)?.as_deref()).map_or(Modes::all(), |d| d.modes)
}

fn of_intrinsic(body: &Body, i: &Intrinsic) -> Effects {
    let flags = i.op.info().flags;
    if let Some(memory) = i.memory() {
        return of_memory(body, i, memory);
    }
    if flags.contains(IntrinsicFlags::TERMINATES) {
        return Effects { ends: true, ..Effects::default() };
    }
    match i.op {
        IntrinsicOp::barrier => {
            Effects { orders: i.memory_modes(), ends: true, volatile: true, ..Effects::default() }
        }
        IntrinsicOp::is_helper_invocation => Effects { ends: true, ..Effects::default() },
        IntrinsicOp::emit_vertex | IntrinsicOp::end_primitive | IntrinsicOp::set_mesh_outputs => {
            Effects { reads: Modes::OUT, writes: Modes::OUT, volatile: true, ..Effects::default() }
        }
        IntrinsicOp::launch_mesh_workgroups => {
            Effects { reads: VISIBLE, ends: true, volatile: true, ..Effects::default() }
        }
        IntrinsicOp::shader_clock => Effects { volatile: true, ..Effects::default() },
        _ => {
            let all = |flag| if flags.contains(flag) { Modes::all() } else { Modes::empty() };
            Effects {
                reads: all(IntrinsicFlags::READS),
                writes: all(IntrinsicFlags::WRITES),
                ..Effects::default()
            }
        }
    }
}

fn of_memory(body: &Body, i: &Intrinsic, memory: MemoryAccess) -> Effects {
    let modes = match memory.modes {
        modes if modes == Modes::all() => modes_of(body, memory.block),
        // An address may point into a storage block.
        Modes::GLOBAL => Modes::GLOBAL.union(Modes::SSBO),
        modes => modes,
    };
    let (reads, writes) = match memory.action {
        MemoryAction::Load => (modes, Modes::empty()),
        MemoryAction::Store => (Modes::empty(), modes),
        MemoryAction::Copy => (modes_of(body, memory.value), modes),
        MemoryAction::Atomic | MemoryAction::Exchange => (modes, modes),
        MemoryAction::Size => (Modes::empty(), Modes::empty()),
    };
    Effects {
        reads,
        writes,
        orders: if i.semantics().is_empty() { Modes::empty() } else { VISIBLE },
        ends: false,
        volatile: (i.access() | i.src_access()).contains(Access::VOLATILE),
    }
}
