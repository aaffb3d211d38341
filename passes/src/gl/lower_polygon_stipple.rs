//! Discards the fragments of polygons that the stipple pattern leaves out.
//!
//! Requires form `slots` or `target` and preserves the form. Preserves control flow. With `GL_POLYGON_STIPPLE`, the
//! fragment at window coordinates x and y exists if its bit of the pattern of 32 x 32 is set (OpenGL 4.6 compatibility
//! profile, section 14.6). The pattern is in the block [`driver`](crate::util::driver_values): bit x % 32 of word y %
//! 32, where the origin is the lower left corner of the window. Other fragments are demoted at the start, so that they
//! have no effect but derivatives of their neighbours. A driver sets the state for filled polygons only. Early depth
//! and stencil tests are not supported, because depth would already be written. Run it before
//! [`lower_window_origin`](crate::gl::lower_window_origin), which flips the window coordinates that it reads.
//!
//! Source: NIR's `nir_lower_pstipple_fs`.
//!
//! ```foil-example
//! foil 1
//! shader fragment "t" {
//!   form slots
//!   entry fn main {
//!   }
//! }
//! =>
//! foil 1
//! shader fragment "t" {
//!   form slots
//!   ubo driver { float height @0, float width @4, float alpha_reference @8, uint sample_mask @12, float point_size @16, float point_size_min @20, float point_size_max @24, uint clip_enable @28, vec4 fog_color @32, vec4 fog_parameters @48, vec4[8 stride=16] clip_planes @64, uvec4[8 stride=16] polygon_stipple @192, vec2 viewport @320, float line_width @328, uint line_stipple @332, uint faces @336, uint polygon_triangles @340, uvec2 reserved @344 } driver set=65535 binding=18
//!   entry fn main {
//!     32x4 %0 = load_frag_coord
//!     32x1 %1 = mov %0.x
//!     32x1 %2 = mov %0.y
//!     32x1 %3 = f2i %1
//!     32x1 %4 = f2i %2
//!     32x1 %5 = const 31
//!     32x1 %6 = const 192
//!     32x1 %7 = iand %3, %5
//!     32x1 %8 = iand %4, %5
//!     32x1 %9 = const 2
//!     32x1 %10 = ishl %8, %9
//!     32x1 %11 = iadd %10, %6
//!     %12 = deref_var &driver
//!     32x1 %13 = load_ubo %12, %11 align=4
//!     32x1 %14 = const 1
//!     32x1 %15 = const 0
//!     32x1 %16 = ushr %13, %7
//!     32x1 %17 = iand %16, %14
//!     1x1 %18 = ieq %17, %15
//!     demote_if %18
//!   }
//! }
//! ```

use crate::util::driver_values::{DRIVER, load, words};
use crate::{Changes, Context, Pass, PassInfo, Results};
use airfoil_ir::{
    Align, AluOp, Builder, Cursor, DerefKind, Diagnostic, Form, Index, Intrinsic, IntrinsicOp, Modes, Shader,
    Stage, SystemValue, Ty,
};

/// See the [module documentation](self).
#[derive(Debug, Default)]
pub struct LowerPolygonStipple;

static INFO: PassInfo = PassInfo::new(
    "lower_polygon_stipple",
    "discards the fragments of polygons that the stipple pattern leaves out",
    include_str!("lower_polygon_stipple.rs"),
)
.takes(&[Form::Slots, Form::Target])
.results(Results::All);

impl Pass for LowerPolygonStipple {
    fn info(&self) -> &'static PassInfo {
        &INFO
    }

    fn run(&self, shader: &mut Shader, _: &mut Context) -> Result<Changes, Diagnostic> {
        let Some(entry) = shader.entry.filter(|_| shader.stage == Stage::Fragment) else {
            return Ok(Changes::NONE);
        };
        if shader.info.early_fragment_tests {
            let message = "polygon stipple is not supported with early fragment tests, which write depth before the discard";
            return Err(Diagnostic::error("E0329", message));
        }
        let (upper_left, integers) = (shader.info.origin_upper_left, shader.info.pixel_center_integer);
        let block = DRIVER.declare(shader);
        let body = &mut shader.functions[entry].body;
        let start = Cursor::BlockStart(body.entry());
        let mut b = Builder::at(body, start);
        let position = b.load_system_value(SystemValue::frag_coord);
        let (x, mut y) = (b.channel(position, 0), b.channel(position, 1));
        if upper_left {
            let [height] = load(&mut b, block, [words::HEIGHT]);
            y = b.fsub(height, y);
            if integers {
                let one = b.imm_f32(1.0);
                y = b.fsub(y, one);
            }
        }
        let (column, row) = (b.convert(AluOp::f2i, x, 32), b.convert(AluOp::f2i, y, 32));
        let (last, first_row) = (b.imm_u32(31), b.imm_u32(words::POLYGON_STIPPLE * 4));
        let (column, row) = (b.iand(column, last), b.iand(row, last));
        let two = b.imm_u32(2);
        let offset = b.ishl(row, two);
        let offset = b.iadd(offset, first_row);
        let pattern = b.deref(DerefKind::Var(block.0), block.1, Modes::UBO);
        let word =
            Intrinsic::new(IntrinsicOp::load_ubo, &[pattern, offset]).with(Index::Align, Align::new(4));
        let word = b.insert_intrinsic(word, Ty::B32);
        let (one, zero) = (b.imm_u32(1), b.imm_u32(0));
        let bit = b.ushr(word, column);
        let bit = b.iand(bit, one);
        let left_out = b.ieq(bit, zero);
        b.intrinsic(IntrinsicOp::demote_if, Ty::NONE, &[left_out]);
        Ok(Changes::ALL_BUT_CONTROL_FLOW | Changes::AGAIN)
    }
}
