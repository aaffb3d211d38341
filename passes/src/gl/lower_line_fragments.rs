//! Applies the stipple pattern and the coverage of smooth edges to the fragments of lines.
//!
//! Requires form `slots` or `target` and preserves the form. Preserves control flow. The varying at the generic location `slot`
//! is that of [`expand_lines`](crate::gl::expand_lines). With `stipple` fragments are discarded where the pattern has a zero bit
//! (OpenGL 4.6 compatibility profile, section 14.5.3.2): the pattern and its factor come from the driver's block. With `smooth`
//! the alpha of colors is multiplied by the part of the pixel that the line covers (sections 14.5.2.2 and 17.1), computed as
//! if the line were parallel to the pixel's edges. Run it before the passes for the alpha test and other operations on colors.
//!
//! Source: the OpenGL specification.
//!
//! ```foil-example (slot=2, stipple=true)
//! foil 1
//! shader fragment "t" {
//!   form slots
//!   out vec4 color location=0
//!   fn main {
//!     32x1 %0 = const 0
//!     32x4 %1 = const 1.0, 1.0, 1.0, 1.0
//!     store_output %1, %0 io=0 mask=xyzw src_type=float32
//!   }
//! }
//! =>
//! foil 1
//! shader fragment "t" {
//!   form slots
//!   out vec4 color location=0
//!   in vec4 line location=2 noperspective
//!   ubo driver {
//!     float height @0
//!     float width @4
//!     float alpha_reference @8
//!     uint sample_mask @12
//!     float point_size @16
//!     float point_size_min @20
//!     float point_size_max @24
//!     uint clip_enable @28
//!     vec4 fog_color @32
//!     vec4 fog_parameters @48
//!     vec4[8 stride=16] clip_planes @64
//!     uvec4[8 stride=16] polygon_stipple @192
//!     vec2 viewport @320
//!     float line_width @328
//!     uint line_stipple @332
//!     uint faces @336
//!     uint polygon_triangles @340
//!     uvec2 reserved @344
//!   } driver set=65535 binding=18
//!
//!   fn main {
//!   b0:
//!     32x2 %0 = load_barycentric_pixel interp=noperspective
//!     32x1 %1 = const 0
//!     32x4 %2 = load_interpolated_input %0, %1 io=2 dest_type=float32
//!     %3 = deref_var &driver
//!     32x1 %4 = const 332
//!     32x1 %5 = load_ubo %3, %4 align=4
//!     32x1 %6 = mov %2.x
//!     32x1 %7 = const 0
//!     32x1 %8 = fmax %6, %7
//!     32x1 %9 = f2u %8
//!     32x1 %10 = const 16
//!     32x1 %11 = const 15
//!     32x1 %12 = const 1
//!     32x1 %13 = const 0
//!     32x1 %14 = ushr %5, %10
//!     32x1 %15 = umax %14, %12
//!     32x1 %16 = udiv %9, %15
//!     32x1 %17 = iand %16, %11
//!     32x1 %18 = ushr %5, %17
//!     32x1 %19 = iand %18, %12
//!     1x1 %20 = ieq %19, %13
//!     demote_if %20
//!     32x1 %21 = const 0
//!     32x4 %22 = const 1.0, 1.0, 1.0, 1.0
//!     store_output %22, %21 io=0 mask=xyzw src_type=float32
//!   }
//! }
//! ```

use crate::stages::stage_buffer::only_function;
use crate::util::colors::cover;
use crate::util::distances::NO_LOCATION;
use crate::util::driver_values::{DRIVER, load, words};
use crate::{Changes, Context, Pass, PassInfo, Results, pass_options};
use airfoil_ir::{
    AluOp, Builder, Cursor, Diagnostic, Form, Index, InstrId, Interpolation, Intrinsic, IntrinsicOp,
    IoSemantics, Modes, Scalar, Shader, Slot, Stage, Ty, Variable,
};

pass_options! {
    /// See the [module documentation](self).
    pub struct LowerLineFragments {
        /// Generic location of the varying.
        slot: u32 = NO_LOCATION,
        /// Fragments are discarded by the pattern.
        stipple: bool = false,
        /// Alpha is multiplied by the coverage.
        smooth: bool = false,
    }
}

static INFO: PassInfo = PassInfo::new(
    "lower_line_fragments",
    "applies stipple patterns and coverage to the fragments of lines",
    include_str!("lower_line_fragments.rs"),
)
.takes(&[Form::Slots, Form::Target])
.options(<LowerLineFragments as crate::PassOptions>::OPTIONS)
.results(Results::All);

impl Pass for LowerLineFragments {
    fn info(&self) -> &'static PassInfo {
        &INFO
    }

    fn options(&self) -> Vec<(&'static str, String)> {
        crate::PassOptions::settings(self)
    }

    fn run(&self, shader: &mut Shader, _: &mut Context) -> Result<Changes, Diagnostic> {
        let slot = Slot::generic(self.slot).filter(|_| self.stipple || self.smooth);
        let Some(slot) = slot.filter(|_| shader.stage == Stage::Fragment) else { return Ok(Changes::NONE) };
        let entry = only_function(shader)?;
        if self.stipple && shader.info.early_fragment_tests {
            let message = "line stipple is not supported with early fragment tests, which write depth before the discard";
            return Err(Diagnostic::error("E0329", message));
        }
        let ty = shader.types.vector(Scalar::Float32, 4);
        let mut var = Variable::new("line", ty, Modes::IN);
        (var.location, var.interpolation) = (Some(slot), Interpolation::NoPerspective);
        shader.add_var(var);
        let block = DRIVER.declare(shader);
        let may_discard = !shader.info.early_fragment_tests;
        let body = &mut shader.functions[entry].body;
        let start = Cursor::BlockStart(body.entry());
        let mut b = Builder::at(body, start);
        let line = varying(&mut b, slot);
        if self.stipple {
            let [word] = load(&mut b, block, [words::LINE_STIPPLE]);
            let left_out = is_left_out(&mut b, line, word);
            b.intrinsic(IntrinsicOp::demote_if, Ty::NONE, &[left_out]);
        }
        if self.smooth {
            let [width] = load(&mut b, block, [words::LINE_WIDTH]);
            let covered = coverage(&mut b, line, width);
            cover(b, covered, may_discard);
        }
        Ok(Changes::ALL_BUT_CONTROL_FLOW | Changes::AGAIN)
    }
}

/// The value of the varying in the center of the pixel.
fn varying(b: &mut Builder<'_>, slot: Slot) -> InstrId {
    let center = Intrinsic::new(IntrinsicOp::load_barycentric_pixel, &[])
        .with(Index::Interp, Interpolation::NoPerspective);
    let center = b.insert_intrinsic(center, Ty::new(2, 32));
    let first = b.imm_u32(0);
    let load = Intrinsic::new(IntrinsicOp::load_interpolated_input, &[center, first])
        .with(Index::Io, IoSemantics::new(slot))
        .with(Index::DestType, Scalar::Float32);
    b.insert_intrinsic(load, Ty::new(4, 32))
}

/// Whether the bit of the pattern at the distance from its start is zero.
fn is_left_out(b: &mut Builder<'_>, line: InstrId, word: InstrId) -> InstrId {
    let (distance, zero) = (b.channel(line, 0), b.imm_f32(0.0));
    // The margin of smooth lines begins before the pattern.
    let distance = b.fmax(distance, zero);
    let distance = b.convert(AluOp::f2u, distance, 32);
    let (half, last, one, none) = (b.imm_u32(16), b.imm_u32(15), b.imm_u32(1), b.imm_u32(0));
    let factor = b.ushr(word, half);
    let factor = b.umax(factor, one);
    let bit = b.udiv(distance, factor);
    let bit = b.iand(bit, last);
    let pattern = b.ushr(word, bit);
    let pattern = b.iand(pattern, one);
    b.ieq(pattern, none)
}

/// The part of a pixel that the line covers.
fn coverage(b: &mut Builder<'_>, line: InstrId, width: InstrId) -> InstrId {
    let half = b.imm_f32(0.5);
    let [across, along, length] = [1, 2, 3].map(|c| b.channel(line, c));
    let reach = b.fmul(width, half);
    let below = b.fneg(reach);
    let aside = overlap(b, across, below, reach);
    let zero = b.imm_f32(0.0);
    let along = overlap(b, along, zero, length);
    b.fmul(aside, along)
}

/// The length of the part of the interval of one around `center` that is in `low` to `high`.
fn overlap(b: &mut Builder<'_>, center: InstrId, low: InstrId, high: InstrId) -> InstrId {
    let (half, zero) = (b.imm_f32(0.5), b.imm_f32(0.0));
    let (from, to) = (b.fsub(center, half), b.fadd(center, half));
    let (from, to) = (b.fmax(from, low), b.fmin(to, high));
    let length = b.fsub(to, from);
    b.fmax(length, zero)
}
