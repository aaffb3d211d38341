//! Lowers initializers of variables to stores.
//!
//! Requires form `variables`. Preserves control flow. Applies to locals (stores at the start of their
//! function), invocation-wide variables and outputs (at the start of the entry function; those of geometry
//! shaders hold until the first emitted vertex). Initializers of workgroup variables
//! ([`lower_shared_initializers`](crate::vars::lower_shared_initializers)) and uniforms stay, since they are
//! not stores by every invocation. Run it before inlining, so that a local is initialized at each call. At
//! most 65536 scalars and vectors per variable are supported.
//!
//! Source: NIR's `nir_lower_variable_initializers`.
//!
//! ```foil-example
//! foil 1
//! shader fragment "t" {
//!   form variables
//!   shader_temp float g = 1.0
//!   out float o location=0 = 0.5
//!   entry fn main {
//!     %0 = deref_var &g
//!     32x1 %1 = load_deref %0
//!     %2 = deref_var &o
//!     store_deref %2, %1
//!   }
//! }
//! =>
//! foil 1
//! shader fragment "t" {
//!   form variables
//!   shader_temp float g
//!   out float o location=0
//!
//!   fn main {
//!   b0:
//!     %0 = deref_var &g
//!     32x1 %1 = const 1.0
//!     store_deref %0, %1 mask=x
//!     %2 = deref_var &o
//!     32x1 %3 = const 0.5
//!     store_deref %2, %3 mask=x
//!     %4 = deref_var &g
//!     32x1 %5 = load_deref %4
//!     %6 = deref_var &o
//!     store_deref %6, %5 mask=x
//!   }
//! }
//! ```

use crate::{Changes, Context, Pass, PassInfo, pass_options};
use airfoil_ir::{
    Builder, Constant, Cursor, Diagnostic, Form, InstrId, Modes, Shader, Ty, Type, Types, VarId,
};

pass_options! {
    /// See the [module documentation](self).
    pub struct LowerVariableInitializers {
        /// Modes of the variables to lower.
        modes: Modes = Modes::FUNCTION_TEMP | Modes::SHADER_TEMP | Modes::OUT,
    }
}

static INFO: PassInfo = PassInfo::new(
    "lower_variable_initializers",
    "lowers variable initializers to stores",
    include_str!("lower_variable_initializers.rs"),
)
.takes(&[Form::Variables])
.options(<LowerVariableInitializers as crate::PassOptions>::OPTIONS);

impl Pass for LowerVariableInitializers {
    fn info(&self) -> &'static PassInfo {
        &INFO
    }

    fn options(&self) -> Vec<(&'static str, String)> {
        crate::PassOptions::settings(self)
    }

    fn run(&self, shader: &mut Shader, _: &mut Context) -> Result<Changes, Diagnostic> {
        let modes = self.modes & (Modes::FUNCTION_TEMP | Modes::SHADER_TEMP | Modes::OUT);
        let vars: Vec<VarId> = shader
            .vars
            .iter()
            .filter(|(_, v)| v.initializer.is_some() && modes.intersects(v.mode))
            .map(|(id, _)| id)
            .collect();
        let mut progress = Changes::NONE;
        // The last variable first: each is initialised at the start of the function.
        for id in vars.into_iter().rev() {
            progress |= lower(shader, id)?;
        }
        Ok(progress)
    }
}

/// Lowers the initializer of a variable.
pub(crate) fn lower(shader: &mut Shader, id: VarId) -> Result<Changes, Diagnostic> {
    let Some(function) = shader.vars[id].function.or(shader.entry) else { return Ok(Changes::NONE) };
    let Some(function) = shader.functions.get_mut(function) else { return Ok(Changes::NONE) };
    let Some(value) = shader.vars[id].initializer.take() else { return Ok(Changes::NONE) };
    let entry = function.body.entry();
    let mut b = Builder::at(&mut function.body, Cursor::BlockStart(entry));
    let deref = b.deref_var(&shader.vars, id);
    store_constant(&mut shader.types, &mut b, deref, &value, &shader.vars[id].name)?;
    Ok(Changes::ALL_BUT_CONTROL_FLOW)
}

/// Stores the initial value of a variable.
pub(crate) fn store_constant(
    types: &mut Types,
    b: &mut Builder,
    deref: InstrId,
    value: &Constant,
    name: &str,
) -> Result<(), Diagnostic> {
    let refuse = |why| Diagnostic::error("E0352", format!("initializer of variable `{name}`: {why}"));
    store(types, b, deref, value, &mut 0).map_err(refuse)
}

/// Maximum number of stores per variable.
const MAX_STORES: u32 = 1 << 16;

/// Stores a constant of any type.
fn store(
    types: &mut Types,
    b: &mut Builder,
    deref: InstrId,
    value: &Constant,
    stores: &mut u32,
) -> Result<(), String> {
    const MISMATCH: &str = "its shape does not match the type";
    let (ty, _) = b.pointee(deref).ok_or(MISMATCH)?;
    if let Some(shape) = types.value_ty(ty) {
        let lanes = match value {
            Constant::Value(lanes) => *lanes,
            Constant::Zero => Default::default(),
            Constant::Composite(_) => return Err(MISMATCH.into()),
        };
        *stores += 1;
        if *stores > MAX_STORES {
            return Err(format!("more than {MAX_STORES} scalars and vectors"));
        }
        let value = b.constant(Ty::new(shape.comps, shape.bits), lanes);
        b.store_deref(deref, value);
        return Ok(());
    }
    let (count, is_struct) = match &types[ty] {
        Type::Struct(s) => (s.members.len() as u32, true),
        _ => (types.num_elements(ty).ok_or(MISMATCH)?, false),
    };
    for i in 0..count {
        let part = match value {
            Constant::Composite(parts) => parts.get(i as usize).ok_or(MISMATCH)?,
            Constant::Zero => value,
            Constant::Value(_) => return Err(MISMATCH.into()),
        };
        let deref =
            if is_struct { b.deref_struct(types, deref, i) } else { b.deref_array_imm(types, deref, i) };
        store(types, b, deref, part, stores)?;
    }
    Ok(())
}
