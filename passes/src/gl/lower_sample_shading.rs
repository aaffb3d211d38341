//! Runs a fragment shader once per sample.
//!
//! Requires form `slots` or `target` and preserves the form. Preserves control flow. With `GL_SAMPLE_SHADING` and a
//! `glMinSampleShading` above the reciprocal of the sample count, inputs have the values of each sample (OpenGL 4.6
//! chapter 14). Metal runs a function once per sample if it reads an input at the sample or the index of the sample:
//! inputs at the center and the centroid of the pixel are read at the sample. A shader without such inputs, whose
//! window coordinates or side effects differ between samples, writes a sample mask with the bit of its sample, which
//! has no other effect.
//!
//! Source: `force_persample_interp` of Mesa's Zink and `force_sample_rate_shading` of SPIRV-Cross.
//!
//! ```foil-example
//! foil 1
//! shader fragment "t" {
//!   form slots
//!   in vec4 a location=0
//!   out vec4 color location=0
//!   fn main {
//!     32x1 %0 = const 0
//!     32x2 %1 = load_barycentric_pixel
//!     32x4 %2 = load_interpolated_input %1, %0 io=0 dest_type=float32
//!     store_output %2, %0 io=0 mask=xyzw src_type=float32
//!   }
//! }
//! =>
//! foil 1
//! shader fragment "t" {
//!   form slots
//!   in vec4 a location=0 sample
//!   out vec4 color location=0
//!   fn main {
//!     32x1 %0 = const 0
//!     32x2 %1 = load_barycentric_sample
//!     32x4 %2 = load_interpolated_input %1, %0 io=0 dest_type=float32
//!     store_output %2, %0 io=0 mask=xyzw src_type=float32
//!   }
//! }
//! ```

use crate::util::outputs::{slot_stores, write_sample_mask};
use crate::util::rewrite::rewrite_intrinsics;
use crate::{Changes, Context, Pass, PassInfo, Results};
use airfoil_ir::{
    Body, Diagnostic, Form, Index, InstrId, InstrKind, Interpolation, Intrinsic, IntrinsicOp, Modes,
    Sampling, Shader, Slot, Stage, SystemValue,
};

/// See the [module documentation](self).
#[derive(Debug, Default)]
pub struct LowerSampleShading;

static INFO: PassInfo = PassInfo::new(
    "lower_sample_shading",
    "runs a fragment shader once per sample",
    include_str!("lower_sample_shading.rs"),
)
.takes(&[Form::Slots, Form::Target])
.results(Results::All);

impl Pass for LowerSampleShading {
    fn info(&self) -> &'static PassInfo {
        &INFO
    }

    fn run(&self, shader: &mut Shader, _: &mut Context) -> Result<Changes, Diagnostic> {
        if shader.stage != Stage::Fragment {
            return Ok(Changes::NONE);
        }
        let mut changes = rewrite_intrinsics(shader, |b, id, i| {
            use IntrinsicOp::{load_barycentric_centroid, load_barycentric_pixel, load_barycentric_sample};
            if !matches!(i.op, load_barycentric_pixel | load_barycentric_centroid) {
                return false;
            }
            let sample = Intrinsic::new(load_barycentric_sample, &[]).with(Index::Interp, i.interp());
            b.body.set_kind(id, InstrKind::Intrinsic(sample));
            true
        });
        let varies = |v: &airfoil_ir::Variable| {
            v.mode == Modes::IN && v.interpolation != Interpolation::Flat && v.sampling != Sampling::Sample
        };
        for v in shader.vars.values_mut().filter(|v| varies(v)) {
            v.sampling = Sampling::Sample;
            changes |= Changes::VARIABLES;
        }
        let runs_per_sample = |body: &Body, id: InstrId| {
            use IntrinsicOp::{load_barycentric_sample, load_sample_id, load_sample_pos};
            let reads = |op| matches!(op, load_barycentric_sample | load_sample_id | load_sample_pos);
            body[id].as_intrinsic().is_some_and(|i| reads(i.op)) && !body.is_unused(id)
        };
        let known =
            shader.functions.values().any(|f| f.body.all_instrs().any(|id| runs_per_sample(&f.body, id)));
        let writes_mask =
            shader.functions.values().any(|f| !slot_stores(&f.body, Slot::SAMPLE_MASK).is_empty());
        if known || shader.entry.is_none() {
            return Ok(changes);
        }
        changes |= write_sample_mask(shader, writes_mask, |b| {
            let (one, sample) = (b.imm_u32(1), b.load_system_value(SystemValue::sample_id));
            b.ishl(one, sample)
        });
        Ok(changes)
    }
}
