//! Promotes local variables to SSA values.
//!
//! Accepts any form. Preserves control flow. Applies to each scalar or vector *leaf* of a local
//! (`function_temp`) that is only loaded and stored through constant indices: members of structures, elements
//! of arrays and columns of matrices are independent. A dynamic index blocks the array that it indexes; any
//! other use of a deref (call, copy, cast, volatile access) blocks the part that the deref refers to. Lower
//! copies ([`lower_var_copies`](crate::vars::lower_var_copies)) and initializers
//! ([`lower_variable_initializers`](crate::vars::lower_variable_initializers)) first. Accesses to vector
//! components become extracts and inserts, with a chain of selects for a dynamic index. Reads of memory that
//! was never written yield undef; out-of-range indices read undef and write nothing.
//!
//! One walk over the control-flow tree finds the value of each leaf at each load. Values are symbolic: where
//! two paths merge, a leaf that differs gets a *candidate* phi; before a loop every leaf that the loop stores
//! to gets one. Candidates that choose between one value and themselves are then folded, and only those that
//! a load needs are created: the result is minimal and pruned. A side of an `if` is undone from a log of its
//! stores, so nothing is copied per branch: the cost is the number of stores times the nesting depth.
//!
//! Source: NIR's `nir_lower_vars_to_ssa`; Brandis and Mössenböck 1994, "Single-Pass Generation of Static
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

use crate::{Changes, Constructs, Context, Pass, PassInfo};
use airfoil_ir::{Diagnostic, Shader};

/// See the [module documentation](self).
#[derive(Debug, Default)]
pub struct VarsToSsa;

static INFO: PassInfo =
    PassInfo::new("vars_to_ssa", "promotes local variables to SSA values", include_str!("vars_to_ssa.rs"))
        .reads(Changes::ALL.difference(Changes::INFO))
        .needs(Constructs::LOCAL_DEREF);

impl Pass for VarsToSsa {
    fn info(&self) -> &'static PassInfo {
        &INFO
    }

    fn run(&self, shader: &mut Shader, _: &mut Context) -> Result<Changes, Diagnostic> {
        let mut progress = Changes::NONE;
        let (types, vars) = (&shader.types, &shader.vars);
        for function in shader.functions.values_mut() {
            let Some(leaves) = leaves::find(types, vars, &function.body) else { continue };
            let values = values::compute(&function.body, &leaves);
            build::apply(&mut function.body, &leaves, values, types, vars);
            progress = Changes::VALUES | Changes::MEMORY;
        }
        Ok(progress)
    }
}
