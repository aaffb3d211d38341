//! Restricts the samples that a fragment writes to those of the API's sample mask.
//!
//! Requires form `slots` or `target` and preserves the form. Preserves control flow. Metal has neither `glSampleMaski` nor
//! `glSampleCoverage`. The mask is in the block [`driver`](crate::util::driver_values): the driver computes
//! it from both (a coverage of n samples is a mask of n bits). A mask that the shader writes loses the samples outside of it;
//! a shader that writes no mask writes it at each exit. Alpha to coverage, which Metal does itself, is a further restriction
//! (OpenGL 4.6 section 17.3).
//!
//! Source: `additional_fixed_sample_mask` of SPIRV-Cross.
//!
//! ```foil-example
//! foil 1
//! shader fragment "t" {
//!   form slots
//!   out int mask location=sample_mask
//!   entry fn main {
//!     32x1 %0 = const 0
//!     32x1 %1 = load_sample_mask_in
//!     store_output %1, %0 io=sample_mask mask=x src_type=int32
//!   }
//! }
//! =>
//! foil 1
//! shader fragment "t" {
//!   form slots
//!   out int mask location=sample_mask
//!   ubo driver { float height @0, float width @4, float alpha_reference @8, uint sample_mask @12, float point_size @16, float point_size_min @20, float point_size_max @24, uint clip_enable @28, vec4 fog_color @32, vec4 fog_parameters @48, vec4[8 stride=16] clip_planes @64, uvec4[8 stride=16] polygon_stipple @192, vec2 viewport @320, float line_width @328, uint line_stipple @332, uint faces @336, uint polygon_triangles @340, uvec2 reserved @344 } driver set=65535 binding=18
//!   entry fn main {
//!     32x1 %0 = const 0
//!     32x1 %1 = load_sample_mask_in
//!     %2 = deref_var &driver
//!     32x1 %3 = const 12
//!     32x1 %4 = load_ubo %2, %3 align=4
//!     32x1 %5 = iand %1, %4
//!     store_output %5, %0 io=sample_mask mask=x src_type=int32
//!   }
//! }
//! ```

use crate::util::driver_values::{DRIVER, load, words};
use crate::util::outputs::{slot_stores, write_sample_mask};
use crate::{Changes, Context, Pass, PassInfo, Results};
use airfoil_ir::{Diagnostic, Form, Shader, Slot, Stage};

/// See the [module documentation](self).
#[derive(Debug, Default)]
pub struct LowerSampleMask;

static INFO: PassInfo = PassInfo::new(
    "lower_sample_mask",
    "restricts the samples that a fragment writes to those of the API's sample mask",
    include_str!("lower_sample_mask.rs"),
)
.takes(&[Form::Slots, Form::Target])
.results(Results::All);

impl Pass for LowerSampleMask {
    fn info(&self) -> &'static PassInfo {
        &INFO
    }

    fn run(&self, shader: &mut Shader, _: &mut Context) -> Result<Changes, Diagnostic> {
        if shader.stage != Stage::Fragment || shader.entry.is_none() {
            return Ok(Changes::NONE);
        }
        let block = DRIVER.declare(shader);
        let is_written =
            shader.functions.values().any(|f| !slot_stores(&f.body, Slot::SAMPLE_MASK).is_empty());
        let changes = write_sample_mask(shader, is_written, |b| load(b, block, [words::SAMPLE_MASK])[0]);
        Ok(changes | Changes::AGAIN)
    }
}
