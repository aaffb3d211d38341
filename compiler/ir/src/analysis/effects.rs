//! The effect of an instruction on memory that derefs reach.

use crate::body::Body;
use crate::enums::{Modes, Scope};
use crate::ids::InstrId;
use crate::instr::{InstrKind, Intrinsic};
use crate::intrinsic::{IntrinsicFlags, IntrinsicOp, MemoryAccess, MemoryAction};

/// The effect of an instruction on memory that derefs reach.
///
/// # Examples
///
/// ```
/// use airfoil_ir::analysis::{Effect, SHARED_MEMORY};
/// use airfoil_ir::{Body, Builder, Index, Intrinsic, IntrinsicOp, Modes, Scope, Ty};
///
/// let mut body = Body::new();
/// let mut b = Builder::at_end(&mut body);
/// let barrier = Intrinsic::new(IntrinsicOp::barrier, &[]).with(Index::MemoryModes, Modes::SSBO);
/// let order = b.insert_intrinsic(barrier, Ty::NONE);
/// let wait = b.insert_intrinsic(barrier.with(Index::ExecutionScope, Scope::Workgroup), Ty::NONE);
/// let discard = b.intrinsic(IntrinsicOp::discard, Ty::NONE, &[]);
/// assert_eq!(Effect::of(&body, order), Effect::Barrier(Modes::SSBO));
/// // Others write any shared memory while this invocation waits.
/// assert_eq!(Effect::of(&body, wait), Effect::Barrier(SHARED_MEMORY));
/// assert_eq!(Effect::of(&body, discard), Effect::Leave);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Nothing.
    None,
    /// Reads a scalar or vector.
    Load {
        /// The source.
        deref: InstrId,
    },
    /// Writes components of a scalar or vector.
    Store {
        /// The target.
        deref: InstrId,
        /// The value.
        value: InstrId,
        /// The write mask.
        mask: u8,
    },
    /// Copies anything.
    Copy {
        /// The target.
        dst: InstrId,
        /// The source.
        src: InstrId,
    },
    /// Reads and writes atomically.
    Atomic {
        /// The target.
        deref: InstrId,
    },
    /// Writes by other invocations become visible, and own writes become visible to them.
    Barrier(Modes),
    /// A call: may read and write everything except locals that are not arguments.
    Call,
    /// Outputs become a vertex and then are undefined.
    EmitVertex,
    /// The invocation may end or become a helper.
    Leave,
}

/// Memory visible to other invocations.
pub const SHARED_MEMORY: Modes = Modes::SSBO
    .union(Modes::SHARED)
    .union(Modes::GLOBAL)
    .union(Modes::IMAGE)
    .union(Modes::OUT)
    .union(Modes::TASK_PAYLOAD);

impl Effect {
    /// The effect of an instruction of a body.
    #[inline]
    pub fn of(body: &Body, id: InstrId) -> Effect {
        match &body[id].kind {
            InstrKind::Intrinsic(i) => Effect::of_intrinsic(i),
            InstrKind::Call(_) => Effect::Call,
            _ => Effect::None,
        }
    }

    fn of_intrinsic(i: &Intrinsic) -> Effect {
        // Accesses whose memory the deref determines.
        if let Some(MemoryAccess { action, block: Some(deref), value, .. }) =
            i.memory().filter(|m| m.modes == Modes::all())
        {
            return match (action, value) {
                (MemoryAction::Load, _) => Effect::Load { deref },
                (MemoryAction::Store, Some(value)) => {
                    Effect::Store { deref, value, mask: i.write_mask() as u8 }
                }
                (MemoryAction::Copy, Some(src)) => Effect::Copy { dst: deref, src },
                (MemoryAction::Size, _) => Effect::None,
                _ => Effect::Atomic { deref },
            };
        }
        match i.op {
            IntrinsicOp::barrier => {
                // An execution barrier lets others run in between, whatever memory it specifies.
                let waits = i.execution_scope() > Scope::Invocation;
                Effect::Barrier(if waits { SHARED_MEMORY | i.memory_modes() } else { i.memory_modes() })
            }
            // Other fragments write between critical sections.
            IntrinsicOp::begin_interlock | IntrinsicOp::end_interlock => Effect::Barrier(SHARED_MEMORY),
            IntrinsicOp::emit_vertex => Effect::EmitVertex,
            IntrinsicOp::launch_mesh_workgroups => Effect::Leave,
            op if op.has(IntrinsicFlags::TERMINATES) => Effect::Leave,
            // Atomics by offset order memory like barriers if their semantics require it.
            op if op.has(IntrinsicFlags::WRITES) && !i.semantics().is_empty() => {
                Effect::Barrier(SHARED_MEMORY)
            }
            _ => Effect::None,
        }
    }
}
