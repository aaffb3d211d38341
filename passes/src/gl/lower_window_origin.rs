//! Flips the y axis of window coordinates in fragment shaders, relative to the rasteriser's.
//!
//! Accepts forms `slots` and `target`. Preserves control flow. The fragment shader's side of `flip_y` of
//! [`lower_clip_space`](crate::gl::lower_clip_space): run it once if the image is rendered upside down. Flips
//! the derivative in y, and the y of offsets passed to `interpolateAtOffset`, of `gl_PointCoord` and of
//! `gl_SamplePosition`; also `gl_FragCoord.y`, unless the shader declares `origin_upper_left` (GLSL 4.60
//! section 4.4.1.3), which then matches the rasteriser. That requires the height of the framebuffer, from the
//! option `height` or from the block [`driver`](crate::util::driver_values), which the driver writes.
//! `front_face` also inverts `gl_FrontFacing`, for APIs without a setting for the winding of front faces.
//!
//! Source: NIR's `nir_lower_wpos_ytransform`.
//!
//! ```foil-example (height=600)
//! foil 1
//! shader fragment "t" {
//!   form slots
//!   out vec4 c location=0
//!   entry fn main {
//!     32x4 %0 = load_frag_coord
//!     %1 = fddy %0
//!     32x1 %z = const 0
//!     store_output %1, %z io=(0) mask=xyzw src_type=float32
//!   }
//! }
//! =>
//! foil 1
//! shader fragment "t" {
//!   form slots
//!   out vec4 c location=0
//!   fn main {
//!   b0:
//!     32x4 %0 = load_frag_coord
//!     32x1 %1 = mov %0.y
//!     32x1 %2 = const 600.0
//!     32x1 %3 = fsub %2, %1
//!     32x4 %4 = vec4 %0.x, %3, %0.z, %0.w
//!     32x4 %5 = fddy %4
//!     32x4 %6 = fneg %5
//!     32x1 %7 = const 0
//!     store_output %6, %7 io=0 mask=xyzw src_type=float32
//!   }
//! }
//! ```

use crate::util::driver_values::{DRIVER, load, words};
use crate::util::rewrite::rewrite_where;
use crate::{Changes, Context, Pass, PassInfo, Results, pass_options};
use airfoil_ir::{
    Alu, AluOp, Body, Builder, Diagnostic, Form, InstrId, InstrKind, IntrinsicOp, Shader, Slot, Src, Stage,
    SystemValue, TypeId, VarId,
};

pass_options! {
    /// See the [module documentation](self).
    pub struct LowerWindowOrigin {
        /// Flip y; without it only `front_face` applies.
        y: bool = true,
        /// Height of the framebuffer in pixels; 0 = read it from the driver's block.
        height: u32 = 0,
        /// Invert gl_FrontFacing.
        front_face: bool = false,
    }
}

static INFO: PassInfo = PassInfo::new(
    "lower_window_origin",
    "flips the y axis of window coordinates in fragment shaders",
    include_str!("lower_window_origin.rs"),
)
.takes(&[Form::Slots, Form::Target])
.options(<LowerWindowOrigin as crate::PassOptions>::OPTIONS)
.results(Results::All);

impl Pass for LowerWindowOrigin {
    fn info(&self) -> &'static PassInfo {
        &INFO
    }

    fn options(&self) -> Vec<(&'static str, String)> {
        crate::PassOptions::settings(self)
    }

    fn run(&self, shader: &mut Shader, _: &mut Context) -> Result<Changes, Diagnostic> {
        if shader.stage != Stage::Fragment {
            return Ok(Changes::NONE);
        }
        // From one pixel centre to the other.
        let less = if shader.info.pixel_center_integer { 1.0 } else { 0.0 };
        let sum = match (self.height, self.y && reads_position(shader)) {
            (_, false) => Sum::Known(0.0),
            (0, true) => Sum::Driver(DRIVER.declare(shader), less),
            (height, true) => Sum::Known(height as f32 - less),
        };
        let upper_left = shader.info.origin_upper_left;
        shader.functions.values().try_for_each(|f| refuse_inputs(&f.body))?;
        let candidate = |kind: &InstrKind| matches!(kind, InstrKind::Alu(_) | InstrKind::Intrinsic(_));
        let changes = rewrite_where(shader, candidate, |b, id| {
            let mirror = match &b.body[id].kind {
                InstrKind::Alu(a) if self.y && is_derivative(a.op) => Mirror::Derivative(*a),
                InstrKind::Intrinsic(i) => match i.op {
                    IntrinsicOp::load_front_face if self.front_face => Mirror::Face,
                    _ if !self.y => return false,
                    IntrinsicOp::load_barycentric_at_offset => Mirror::Offset(i.src(0)),
                    IntrinsicOp::load_point_coord => {
                        Mirror::Within(SystemValue::point_coord, Sum::Known(1.0))
                    }
                    IntrinsicOp::load_sample_pos => Mirror::Within(SystemValue::sample_pos, Sum::Known(1.0)),
                    IntrinsicOp::load_frag_coord if !upper_left => {
                        Mirror::Within(SystemValue::frag_coord, sum)
                    }
                    _ => return false,
                },
                _ => return false,
            };
            mirror.apply(b.body, id);
            true
        });
        Ok((changes | Changes::VARIABLES | Changes::AGAIN).when(changes.is_progress()))
    }
}

/// The sum of y and its mirror image.
#[derive(Clone, Copy)]
enum Sum {
    Known(f32),
    /// The driver's height minus a constant.
    Driver((VarId, TypeId), f32),
}

impl Sum {
    fn value(self, b: &mut Builder<'_>) -> InstrId {
        match self {
            Sum::Known(sum) => b.imm_f32(sum),
            Sum::Driver(block, less) => {
                let [height] = load(b, block, [words::HEIGHT]);
                if less == 0.0 {
                    return height;
                }
                let less = b.imm_f32(less);
                b.fsub(height, less)
            }
        }
    }
}

fn reads_position(shader: &Shader) -> bool {
    let reads = |body: &Body, id: InstrId| {
        body[id].as_intrinsic().is_some_and(|i| i.op == IntrinsicOp::load_frag_coord)
    };
    !shader.info.origin_upper_left
        && shader.functions.values().any(|f| f.body.all_instrs().any(|id| reads(&f.body, id)))
}

/// How an instruction is flipped.
enum Mirror {
    /// The derivative is negated.
    Derivative(Alu),
    /// The y of this operand is negated.
    Offset(InstrId),
    /// y of a system value is subtracted from a sum.
    Within(SystemValue, Sum),
    /// The boolean is negated.
    Face,
}

impl Mirror {
    /// The instruction keeps its ID, so that its uses need not change.
    fn apply(self, body: &mut Body, id: InstrId) {
        let ty = body[id].ty;
        let mut b = Builder::before(body, id);
        let kind = match self {
            Mirror::Derivative(alu) => {
                let derivative = b.insert(airfoil_ir::Instr::new(InstrKind::Alu(alu), ty));
                let mut negated = Alu::new(AluOp::fneg, ty.comps, &[derivative.into()]);
                negated.flags = alu.flags;
                InstrKind::Alu(negated)
            }
            Mirror::Offset(offset) => {
                let y = b.channel(offset, 1);
                let y = b.fneg(y);
                let mirrored = b.vec_srcs(&[Src::comp(offset, 0), y.into()]);
                let _ = body.map_operands(id, |v| if v == offset { mirrored } else { v });
                return;
            }
            Mirror::Within(sv, sum) => {
                let value = b.load_system_value(sv);
                let (y, sum) = (b.channel(value, 1), sum.value(&mut b));
                let y = b.fsub(sum, y);
                let mut lanes = [0, 1, 2, 3].map(|c| Src::comp(value, c));
                lanes[1] = y.into();
                let op = if ty.comps == 2 { AluOp::vec2 } else { AluOp::vec4 };
                InstrKind::Alu(Alu::new(op, ty.comps, &lanes[..usize::from(ty.comps)]))
            }
            Mirror::Face => {
                let face = b.load_system_value(SystemValue::front_face);
                InstrKind::Alu(Alu::new(AluOp::inot, ty.comps, &[face.into()]))
            }
        };
        body.set_kind(id, kind);
    }
}

fn is_derivative(op: AluOp) -> bool {
    matches!(op, AluOp::fddy | AluOp::fddy_fine | AluOp::fddy_coarse)
}

/// Checks that mirrored coordinates are read as system values.
fn refuse_inputs(body: &Body) -> Result<(), Diagnostic> {
    let of_slot = |slot: Slot| matches!(slot, Slot::POSITION | Slot::POINT_COORD | Slot::FACE);
    let input = |op| matches!(op, IntrinsicOp::load_input | IntrinsicOp::load_interpolated_input);
    let is_wrong = |i: &airfoil_ir::Intrinsic| input(i.op) && of_slot(i.io().location);
    if !body.entries().any(|(_, instr)| instr.as_intrinsic().is_some_and(is_wrong)) {
        return Ok(());
    }
    let message = "window coordinates must be read as system values, not as inputs";
    Err(Diagnostic::error("E0834", message).help("run lower_system_values first"))
}
