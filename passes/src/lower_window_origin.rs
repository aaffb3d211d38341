//! Lets a fragment shader see window coordinates whose y axis runs the other way than the rasteriser's.
//!
//! Takes the forms `variables`, after [`lower_system_values`](crate::lower_system_values), and `slots`. Keeps control
//! flow. It is the fragment shader's side of what [`lower_clip_space`](crate::lower_clip_space) does with `flip_y`: run it
//! once if the picture is drawn upside down. The derivative in y, the y of offsets given to `interpolateAtOffset`, of
//! `gl_PointCoord` and of `gl_SamplePosition` turn around. So does `gl_FragCoord.y`, unless the shader says
//! `origin_upper_left` (GLSL 4.60 section 4.4.1.3), which the rasteriser then gives. That needs the `height` of the framebuffer, for
//! which the IR has no value of a driver's: without the option a shader that reads it is refused.
//! `front_face` turns `gl_FrontFacing` around too, for APIs where the winding of front faces cannot be set
//! the other way instead. After: NIR's `nir_lower_wpos_ytransform`.
//!
//! ```foil-example (height=600)
//! foil 1
//! shader fragment "t" {
//!   form variables
//!   out vec4 c location=0
//!   entry fn main {
//!     32x4 %0 = load_frag_coord
//!     %1 = fddy %0
//!     %c = deref_var &c
//!     store_deref %c, %1
//!   }
//! }
//! =>
//! foil 1
//! shader fragment "t" {
//!   form variables
//!   out vec4 c location=0
//!   entry fn main {
//!     32x4 %2 = load_frag_coord
//!     32x1 %3 = mov %2.y
//!     32x1 %4 = const 600.0
//!     32x1 %5 = fsub %4, %3
//!     32x4 %0 = vec4 %2.x, %5, %2.z, %2.w
//!     %6 = fddy %0
//!     %1 = fneg %6
//!     %c = deref_var &c
//!     store_deref %c, %1
//!   }
//! }
//! ```

use crate::{Context, Pass, PassInfo, Progress, Results, pass_options};
use airfoil_ir::analysis::Keeps;
use airfoil_ir::{
    Alu, AluOp, Body, Builder, DerefKind, Diagnostic, Form, InstrId, InstrKind, IntrinsicOp, Shader, Slot,
    Src, Stage, SystemValue, VarId, Variable,
};
use slotmap::SlotMap;

pass_options! {
    /// See the [module documentation](self).
    pub struct LowerWindowOrigin {
        /// Height of the framebuffer in pixels; 0 = not known.
        height: u32 = 0,
        /// Turn gl_FrontFacing around.
        front_face: bool = false,
    }
}

static INFO: PassInfo = PassInfo::new(
    "lower_window_origin",
    "turns the y axis of what a fragment shader sees of the window around",
    include_str!("lower_window_origin.rs"),
)
.takes(&[Form::Variables, Form::Slots])
.options(<LowerWindowOrigin as crate::PassOptions>::OPTIONS)
.keeps(Keeps::CONTROL_FLOW)
.results(Results::All)
.not_idempotent();

impl Pass for LowerWindowOrigin {
    fn info(&self) -> &'static PassInfo {
        &INFO
    }

    fn run(&self, shader: &mut Shader, _: &mut Context) -> Result<Progress, Diagnostic> {
        if shader.stage != Stage::Fragment {
            return Ok(Progress::None);
        }
        // What frag_coord.y and its mirror image add up to.
        let sum = match self.height {
            0 => None,
            // From one centre of a pixel to the other.
            h if shader.info.pixel_center_integer => Some(h as f32 - 1.0),
            h => Some(h as f32),
        };
        let upper_left = shader.info.origin_upper_left;
        let Shader { vars, functions, .. } = shader;
        let mut progress = Progress::None;
        for function in functions.values_mut() {
            let body = &mut function.body;
            let ids: Vec<InstrId> = body.all_instrs().collect();
            for id in ids {
                refuse_variables(body, id, vars)?;
                let mirror = match &body[id].kind {
                    InstrKind::Alu(a) if is_derivative(a.op) => Mirror::Derivative(*a),
                    InstrKind::Intrinsic(i) => match i.op {
                        IntrinsicOp::interp_deref_at_offset => Mirror::Offset(i.src(1)),
                        IntrinsicOp::load_barycentric_at_offset => Mirror::Offset(i.src(0)),
                        IntrinsicOp::load_point_coord => Mirror::Within(SystemValue::point_coord, 1.0),
                        IntrinsicOp::load_sample_pos => Mirror::Within(SystemValue::sample_pos, 1.0),
                        IntrinsicOp::load_frag_coord if !upper_left => {
                            let refused = || {
                                let message = "frag_coord is read, and turning it around takes the height of the framebuffer";
                                Diagnostic::error("E0833", message).help("give the option `height`")
                            };
                            Mirror::Within(SystemValue::frag_coord, sum.ok_or_else(refused)?)
                        }
                        IntrinsicOp::load_front_face if self.front_face => Mirror::Face,
                        _ => continue,
                    },
                    _ => continue,
                };
                mirror.apply(body, id);
                progress = Progress::Made;
            }
        }
        Ok(progress)
    }
}

/// How an instruction is turned around.
enum Mirror {
    /// The derivative is negated.
    Derivative(Alu),
    /// The y of this operand is negated.
    Offset(InstrId),
    /// y of a system value becomes its distance from a sum.
    Within(SystemValue, f32),
    /// The truth is negated.
    Face,
}

impl Mirror {
    /// The instruction keeps its name, so that its uses need not change.
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
                let (y, sum) = (b.channel(value, 1), b.imm_f32(sum));
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

/// What is mirrored must be read as a system value.
fn refuse_variables(body: &Body, id: InstrId, vars: &SlotMap<VarId, Variable>) -> Result<(), Diagnostic> {
    let of_slot = |slot: Slot| matches!(slot, Slot::POSITION | Slot::POINT_COORD | Slot::FACE);
    let refused = match &body[id].kind {
        InstrKind::Deref(d) => match d.kind {
            DerefKind::Var(var) => {
                let v = &vars[var];
                let of_value = |sv: SystemValue| {
                    use SystemValue as S;
                    matches!(sv, S::frag_coord | S::point_coord | S::sample_pos | S::front_face)
                };
                let input = v.mode == airfoil_ir::Modes::IN && v.location.is_some_and(of_slot);
                input || v.system_value.is_some_and(of_value)
            }
            _ => false,
        },
        InstrKind::Intrinsic(i) => {
            let input = matches!(i.op, IntrinsicOp::load_input | IntrinsicOp::load_interpolated_input);
            input && of_slot(i.io().location)
        }
        _ => false,
    };
    if !refused {
        return Ok(());
    }
    let message = "a coordinate of the window is read as a variable";
    Err(Diagnostic::error("E0834", message).help("run lower_system_values before lower_window_origin"))
}
