//! Lowers initializers of workgroup variables to stores by the first invocation and a barrier.
//!
//! Requires form `variables`. The stores are at the start of the entry function. SPIR-V (OpVariable) and GLSL
//! (`GL_EXT_null_initializer`) allow only zero as the initial value of workgroup memory; the pass stores any
//! constant. At most 65536 scalars and vectors per variable are supported.
//!
//! Source: NIR's `nir_zero_initialize_shared_memory`.
//!
//! ```foil-example
//! foil 1
//! shader compute "t" {
//!   form variables
//!   workgroup_size 4 1 1
//!   shared float s = zero
//!   entry fn main {
//!     %0 = deref_var &s
//!     32x1 %1 = load_deref %0
//!   }
//! }
//! =>
//! foil 1
//! shader compute "t" {
//!   form variables
//!   workgroup_size 4 1 1
//!   shared float s
//!
//!   fn main {
//!   b0:
//!     32x1 %0 = load_local_invocation_index
//!     32x1 %1 = const 0
//!     1x1 %2 = ieq %0, %1
//!     if %2 {
//!     b1:
//!       %3 = deref_var &s
//!       32x1 %4 = const 0
//!       store_deref %3, %4 mask=x
//!     }
//!   b2:
//!     barrier execution=workgroup memory=workgroup modes=shared semantics=acquire|release
//!     %5 = deref_var &s
//!     32x1 %6 = load_deref %5
//!   }
//! }
//! ```

use crate::vars::lower_variable_initializers::store_constant;
use crate::{Changes, Context, Pass, PassInfo};
use airfoil_ir::{
    Builder, Cursor, Diagnostic, Form, Index, Intrinsic, IntrinsicOp, Modes, Scope, Semantics, Shader, Ty,
    VarId,
};

/// See the [module documentation](self).
#[derive(Debug, Default)]
pub struct LowerSharedInitializers;

static INFO: PassInfo = PassInfo::new(
    "lower_shared_initializers",
    "lowers initializers of workgroup variables to stores",
    include_str!("lower_shared_initializers.rs"),
)
.takes(&[Form::Variables]);

impl Pass for LowerSharedInitializers {
    fn info(&self) -> &'static PassInfo {
        &INFO
    }

    fn run(&self, shader: &mut Shader, _: &mut Context) -> Result<Changes, Diagnostic> {
        let initial = shader.vars.iter().filter(|(_, v)| v.mode == Modes::SHARED && v.initializer.is_some());
        let vars: Vec<VarId> = initial.map(|(id, _)| id).collect();
        let function = shader.entry.and_then(|f| shader.functions.get_mut(f));
        let (Some(function), false) = (function, vars.is_empty()) else { return Ok(Changes::NONE) };
        let entry = function.body.entry();
        let mut b = Builder::at(&mut function.body, Cursor::BlockStart(entry));
        let index = b.intrinsic(IntrinsicOp::load_local_invocation_index, Ty::B32, &[]);
        let zero = b.imm_u32(0);
        let first = b.ieq(index, zero);
        let cf = b.push_if(first);
        for id in vars {
            let Some(value) = shader.vars[id].initializer.take() else { continue };
            let deref = b.deref_var(&shader.vars, id);
            store_constant(&mut shader.types, &mut b, deref, &value, &shader.vars[id].name)?;
        }
        b.pop(cf);
        barrier(&mut b);
        Ok(Changes::ALL)
    }
}

/// Emits a barrier of the workgroup that orders accesses to workgroup memory.
pub(crate) fn barrier(b: &mut Builder<'_>) {
    let barrier = Intrinsic::new(IntrinsicOp::barrier, &[])
        .with(Index::ExecutionScope, Scope::Workgroup)
        .with(Index::MemoryScope, Scope::Workgroup)
        .with(Index::MemoryModes, Modes::SHARED)
        .with(Index::Semantics, Semantics::ACQUIRE | Semantics::RELEASE);
    b.insert_intrinsic(barrier, Ty::NONE);
}
