//! Draws points with smooth edges: enlarges them, and multiplies the alpha of their fragments by the coverage.
//!
//! Requires form `slots` or `target` and preserves the form. Preserves control flow. A smooth point is a disk (OpenGL 4.6
//! compatibility profile, section 14.4.1). The last stage before rasterisation adds one pixel to the size that it writes,
//! so that pixels which the edge of the disk crosses have fragments. The fragment stage derives the size from
//! `gl_PointCoord`, discards fragments outside of the disk and multiplies the alpha of colors by the part that is covered, computed
//! from the distance to the center. Run it after [`lower_point_size`](crate::gl::lower_point_size), and before the passes for the
//! alpha test and other operations on colors. A shader that reads `gl_PointCoord` itself sees the coordinates of the larger
//! square; OpenGL does not define them for points that are not sprites.
//!
//! Source: the OpenGL specification.
//!
//! ```foil-example
//! foil 1
//! shader vertex "t" {
//!   form slots
//!   in float s location=0
//!   out float size location=point_size
//!   fn main {
//!     32x1 %0 = const 0
//!     32x1 %1 = load_input %0 io=0 dest_type=float32
//!     store_output %1, %0 io=point_size mask=x src_type=float32
//!   }
//! }
//! =>
//! foil 1
//! shader vertex "t" {
//!   form slots
//!   in float s location=0
//!   out float size location=point_size
//!
//!   fn main {
//!   b0:
//!     32x1 %0 = const 0
//!     32x1 %1 = load_input %0 io=0 dest_type=float32
//!     32x1 %2 = const 1.0
//!     32x1 %3 = fadd %1, %2
//!     store_output %3, %0 io=point_size mask=x src_type=float32
//!   }
//! }
//! ```

use crate::stages::stage_buffer::only_function;
use crate::util::colors::cover;
use crate::util::outputs::{set_stored, slot_store, slot_stores};
use crate::{Changes, Context, Pass, PassInfo, Results};
use airfoil_ir::{AluOp, Builder, Cursor, Diagnostic, Form, InstrId, Shader, Slot, Stage, SystemValue};

/// See the [module documentation](self).
#[derive(Debug, Default)]
pub struct LowerSmoothPoints;

static INFO: PassInfo = PassInfo::new(
    "lower_smooth_points",
    "draws points with smooth edges",
    include_str!("lower_smooth_points.rs"),
)
.takes(&[Form::Slots, Form::Target])
.results(Results::All);

impl Pass for LowerSmoothPoints {
    fn info(&self) -> &'static PassInfo {
        &INFO
    }

    fn run(&self, shader: &mut Shader, _: &mut Context) -> Result<Changes, Diagnostic> {
        match shader.stage {
            Stage::Fragment => fade(shader),
            Stage::Vertex | Stage::TessEval | Stage::Geometry => Ok(enlarge(shader)),
            _ => Ok(Changes::NONE),
        }
    }
}

/// Adds one pixel to each size that is written.
fn enlarge(shader: &mut Shader) -> Changes {
    let mut changes = Changes::NONE;
    for function in shader.functions.values_mut() {
        let body = &mut function.body;
        for id in slot_stores(body, Slot::POINT_SIZE) {
            let Some(size) = slot_store(body, id).map(|s| s.src(0)) else { continue };
            let mut b = Builder::before(body, id);
            let one = b.imm_f32(1.0);
            let size = b.fadd(size, one);
            set_stored(body, id, size);
            changes = Changes::ALL_BUT_CONTROL_FLOW | Changes::AGAIN;
        }
    }
    changes
}

/// Multiplies alpha by the coverage.
fn fade(shader: &mut Shader) -> Result<Changes, Diagnostic> {
    let entry = only_function(shader)?;
    let may_discard = !shader.info.early_fragment_tests;
    let body = &mut shader.functions[entry].body;
    let start = Cursor::BlockStart(body.entry());
    let mut b = Builder::at(body, start);
    let covered = coverage(&mut b);
    cover(b, covered, may_discard);
    Ok(Changes::ALL_BUT_CONTROL_FLOW | Changes::AGAIN)
}

/// The part of a pixel that the disk covers.
fn coverage(b: &mut Builder<'_>) -> InstrId {
    let coord = b.load_system_value(SystemValue::point_coord);
    let (half, one) = (b.imm_f32(0.5), b.imm_f32(1.0));
    // The coordinate grows by one over the size of the square.
    let x = b.channel(coord, 0);
    let step = b.alu(AluOp::fddx, &[x]);
    let step = b.fabs(step);
    let size = b.frcp(step);
    let from_center = b.fsub(coord, half);
    let from_center = b.fmul(from_center, size);
    let distance = b.length(from_center);
    let diameter = b.fsub(size, one);
    let radius = b.fmul(diameter, half);
    let reach = b.fadd(radius, half);
    let covered = b.fsub(reach, distance);
    // A disk smaller than a pixel does not cover more than its diameter.
    let most = b.fmin(diameter, one);
    let zero = b.imm_f32(0.0);
    b.fclamp(covered, zero, most)
}
