//! Barriers: execution and memory scopes and the ordered memory.

use super::{Lowerer, Res};
use crate::builtin::op::{Barrier, MemoryKind};
use crate::hir::ExprId;
use crate::lower::Value;
use airfoil_ir::{Index, Intrinsic, IntrinsicOp, Modes, Scope, Semantics, Stage, Ty};

/// A memory ordering both ways.
const BOTH: Semantics = Semantics::ACQUIRE.union(Semantics::RELEASE);

/// Memory of buffers, atomic counters included.
const BUFFERS: Modes = Modes::SSBO.union(Modes::GLOBAL);

/// Memory that a kind of barrier orders.
fn modes_of(kind: MemoryKind) -> Modes {
    match kind {
        MemoryKind::All => BUFFERS | Modes::IMAGE | Modes::SHARED,
        MemoryKind::AtomicCounter => Modes::SSBO,
        MemoryKind::Buffer => BUFFERS,
        MemoryKind::Image => Modes::IMAGE,
        MemoryKind::Shared => Modes::SHARED,
    }
}

/// A scope by its constant (`gl_ScopeDevice` and so on); unknown scopes are the widest.
pub(super) fn scope_of(n: u32) -> Scope {
    match n {
        2 => Scope::Workgroup,
        3 => Scope::Subgroup,
        4 => Scope::Invocation,
        5 => Scope::QueueFamily,
        _ => Scope::Device,
    }
}

/// Ordering by the bits of `gl_Semantics*`.
pub(super) fn semantics_of(bits: u32) -> Semantics {
    const ACQUIRE: u32 = 0x2;
    const RELEASE: u32 = 0x4;
    const ACQUIRE_RELEASE: u32 = 0x8;
    const MAKE_AVAILABLE: u32 = 0x2000;
    const MAKE_VISIBLE: u32 = 0x4000;
    let mut semantics = Semantics::empty();
    semantics.set(Semantics::ACQUIRE, bits & (ACQUIRE | ACQUIRE_RELEASE) != 0);
    semantics.set(Semantics::RELEASE, bits & (RELEASE | ACQUIRE_RELEASE) != 0);
    semantics.set(Semantics::MAKE_AVAILABLE, bits & MAKE_AVAILABLE != 0);
    semantics.set(Semantics::MAKE_VISIBLE, bits & MAKE_VISIBLE != 0);
    semantics
}

/// Memory by the bits of `gl_StorageSemantics*`.
fn storage_of(bits: u32) -> Modes {
    const BUFFER: u32 = 0x40;
    const SHARED: u32 = 0x100;
    const IMAGE: u32 = 0x800;
    const OUTPUT: u32 = 0x1000;
    let mut modes = Modes::empty();
    modes.set(BUFFERS, bits & BUFFER != 0);
    modes.set(Modes::SHARED, bits & SHARED != 0);
    modes.set(Modes::IMAGE, bits & IMAGE != 0);
    modes.set(Modes::OUT, bits & OUTPUT != 0);
    modes
}

impl Lowerer<'_, '_> {
    fn insert_barrier(&mut self, execution: Scope, memory: Scope, modes: Modes, semantics: Semantics) {
        // Without order there is nothing to wait for in memory.
        let orders = semantics.intersects(BOTH);
        if execution == Scope::None && !orders {
            return;
        }
        let barrier = Intrinsic::new(IntrinsicOp::barrier, &[])
            .with(Index::ExecutionScope, execution)
            .with(Index::MemoryScope, if orders { memory } else { Scope::None })
            .with(Index::MemoryModes, if orders { modes } else { Modes::empty() })
            .with(Index::Semantics, semantics);
        self.b.insert_intrinsic(barrier, Ty::NONE);
    }

    /// The barriers without arguments (GLSL 4.60 sections 8.16 and 8.17, GL_KHR_shader_subgroup_basic).
    pub(super) fn barrier(&mut self, barrier: Barrier) -> Res<Value> {
        let (execution, memory, modes) = match barrier {
            // Outputs of the patch that are written before the barrier can be read after it.
            Barrier::Workgroup if self.m.unit.stage == Stage::TessControl => {
                (Scope::Workgroup, Scope::Workgroup, Modes::OUT)
            }
            Barrier::Workgroup => (Scope::Workgroup, Scope::Workgroup, Modes::SHARED),
            Barrier::Memory(MemoryKind::Shared) => (Scope::None, Scope::Workgroup, Modes::SHARED),
            Barrier::Memory(kind) => (Scope::None, Scope::Device, modes_of(kind)),
            Barrier::Subgroup => (Scope::Subgroup, Scope::Subgroup, modes_of(MemoryKind::All)),
            Barrier::SubgroupMemory(kind) => (Scope::None, Scope::Subgroup, modes_of(kind)),
            Barrier::GroupMemory => (Scope::None, Scope::Workgroup, modes_of(MemoryKind::All)),
        };
        self.insert_barrier(execution, memory, modes, BOTH);
        Ok(Value::Void)
    }

    /// `controlBarrier` and `memoryBarrier` with scopes (GL_KHR_memory_scope_semantics).
    pub(super) fn scoped_barrier(&mut self, control: bool, args: &[ExprId]) -> Res<Value> {
        // The memory scope may serve as both.
        let first = usize::from(control && args.len() > 3);
        let execution = if control { scope_of(self.const_arg(args, 0, "the scope")?) } else { Scope::None };
        let memory = scope_of(self.const_arg(args, first, "the scope")?);
        let modes = storage_of(self.const_arg(args, first + 1, "the storage")?);
        let semantics = semantics_of(self.const_arg(args, first + 2, "the semantics")?);
        self.insert_barrier(execution, memory, modes, semantics);
        Ok(Value::Void)
    }
}
