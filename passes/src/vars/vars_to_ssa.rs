//! Turns local variables into SSA values.
//!
//! Takes any form and leaves it. Applies to each scalar or vector *leaf* of a local (`function_temp`) that
//! is only loaded and stored through constant indices: members of structures, elements of arrays and columns of
//! matrices each for themselves. A dynamic index blocks the array that it indexes, any other use of a deref (call,
//! copy, cast, volatile access) what the deref names. Copies should be lowered before
//! ([`lower_var_copies`](crate::vars::lower_var_copies)), initial values too
//! ([`lower_variable_initializers`](crate::vars::lower_variable_initializers)). Components of vectors are taken out and
//! put in, with a chain of selects where their index is dynamic. Reads of what nothing wrote give undef; indices
//! out of range read undef and write nothing. Keeps control flow.
//!
//! One walk over the control-flow tree finds what each leaf holds at each load. Values are symbolic: where
//! two ways join, a leaf that differs gets a *possible* phi; in front of a loop every leaf that the loop
//! stores to gets one. Phis that choose between one value and themselves are then folded, and only those that a load needs are
//! made: the result is minimal and pruned. A side of an `if` is undone from a log of its stores, so nothing is copied
//! a branch: the cost is that of the stores times the depth of nesting.
//!
//! After: NIR's `nir_lower_vars_to_ssa`; Brandis and Mössenböck 1994, "Single-Pass Generation of Static
//! Single-Assignment Form for Structured Languages"; Braun et al. 2013, "Simple and Efficient Construction of
//! Static Single Assignment Form", section 3.1 (trivial phis).
//!
//! ```foil-example
//! foil 1
//! shader fragment "t" {
//!   form variables
//!   in vec4 uv location=0
//!   in float t location=1
//!   out vec4 color location=0
//!   entry fn main {
//!     function_temp float x
//!     %x = deref_var &x
//!     %t = deref_var &t
//!     32x1 %0 = load_deref %t
//!     32x1 %1 = const 0.5
//!     1x1 %2 = flt %0, %1
//!     if %2 {
//!       32x1 %3 = fadd %0, %1
//!       store_deref %x, %3
//!     } else {
//!       store_deref %x, %1
//!     }
//!     32x1 %4 = load_deref %x
//!     32x4 %5 = vec4 %4, %4, %4, %4
//!     %6 = deref_var &color
//!     store_deref %6, %5
//!   }
//! }
//! =>
//! foil 1
//! shader fragment "t" {
//!   form variables
//!   in vec4 uv location=0
//!   in float t location=1
//!   out vec4 color location=0
//!
//!   fn main {
//!     function_temp float x
//!   b0:
//!     %0 = deref_var &t
//!     32x1 %1 = load_deref %0
//!     32x1 %2 = const 0.5
//!     1x1 %3 = flt %1, %2
//!     if %3 {
//!     b1:
//!       32x1 %4 = fadd %1, %2
//!     } else {
//!     b2:
//!     }
//!   b3:
//!     32x1 %5 = phi b1: %4, b2: %2
//!     32x4 %6 = vec4 %5, %5, %5, %5
//!     %7 = deref_var &color
//!     store_deref %7, %6 mask=xyzw
//!   }
//! }
//! ```

mod build;
mod leaves;
mod names;
mod values;

use crate::{Context, Pass, PassInfo, Progress};
use airfoil_ir::analysis::Keeps;
use airfoil_ir::{Diagnostic, Shader};

/// See the [module documentation](self).
#[derive(Debug, Default)]
pub struct VarsToSsa;

static INFO: PassInfo =
    PassInfo::new("vars_to_ssa", "turns local variables into SSA values", include_str!("vars_to_ssa.rs"))
        .keeps(Keeps::CONTROL_FLOW)
        .ignores_removals();

impl Pass for VarsToSsa {
    fn info(&self) -> &'static PassInfo {
        &INFO
    }

    fn run(&self, shader: &mut Shader, _: &mut Context) -> Result<Progress, Diagnostic> {
        let mut progress = Progress::None;
        let (types, vars) = (&shader.types, &shader.vars);
        for function in shader.functions.values_mut() {
            let Some(leaves) = leaves::find(types, vars, &function.body) else { continue };
            let values = values::compute(&function.body, &leaves);
            build::apply(&mut function.body, &leaves, values, types, vars);
            progress = Progress::Made;
        }
        Ok(progress)
    }
}
