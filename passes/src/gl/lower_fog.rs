//! Blends the colors of fragments with the color of the fog.
//!
//! Requires form `slots` or `target` and preserves the form. Preserves control flow. The fog of fixed-function fragments, and of
//! programs with the options `ARB_fog_linear`, `ARB_fog_exp` and `ARB_fog_exp2`: the red, green and blue of float colors become
//! f C + (1 - f) F, where F is the color of the fog (OpenGL 4.6 compatibility profile, chapter 16). `mode` is the equation of f:
//! `linear` is (end - c) / (end - start), `exp` is exp(-density c), `exp2` is exp(-(density c)^2), all clamped to 0 to 1. The
//! parameters are in the block [`driver`](crate::util::driver_values). The coordinate c is the varying `gl_FogFragCoord`,
//! or with `depth` the w of the position, which is the distance to the eye plane in a perspective projection. OpenGL does not
//! apply fog if a fragment shader is active: a driver sets the state for shaders that stand for fixed functions only.
//!
//! Source: `st_nir_lower_fog` of Mesa.
//!
//! ```foil-example (mode=linear)
//! foil 1
//! shader fragment "t" {
//!   form slots
//!   in float fog location=fog
//!   out float color location=0
//!   fn main {
//!     32x1 %0 = const 0
//!     32x1 %1 = const 1.0
//!     store_output %1, %0 io=0 mask=x src_type=float32
//!   }
//! }
//! =>
//! foil 1
//! shader fragment "t" {
//!   form slots
//!   in float fog location=fog
//!   out float color location=0
//!   ubo driver { float height @0, float width @4, float alpha_reference @8, uint sample_mask @12, float point_size @16, float point_size_min @20, float point_size_max @24, uint clip_enable @28, vec4 fog_color @32, vec4 fog_parameters @48, vec4[8 stride=16] clip_planes @64, uvec4[8 stride=16] polygon_stipple @192, vec2 viewport @320, float line_width @328, uint line_stipple @332, uint faces @336, uint polygon_triangles @340, uvec2 reserved @344 } driver set=65535 binding=18
//!   fn main {
//!     32x1 %0 = const 0
//!     32x1 %1 = const 1.0
//!     32x2 %2 = load_barycentric_pixel
//!     32x1 %3 = const 0
//!     32x1 %4 = load_interpolated_input %2, %3 io=fog dest_type=float32
//!     %5 = deref_var &driver
//!     32x1 %6 = const 52
//!     32x1 %7 = load_ubo %5, %6 align=4
//!     32x1 %8 = const 56
//!     32x1 %9 = load_ubo %5, %8 align=4
//!     32x1 %10 = fsub %7, %4
//!     32x1 %11 = fmul %10, %9
//!     32x1 %12 = fsat %11
//!     %13 = deref_var &driver
//!     32x1 %14 = const 32
//!     32x4 %15 = load_ubo %13, %14 align=16
//!     32x1 %16 = mov %15.x
//!     32x1 %17 = fsub %1, %16
//!     32x1 %18 = ffma %12, %17, %16
//!     store_output %18, %0 io=0 mask=x src_type=float32
//!   }
//! }
//! ```

use crate::pass::OptionValue;
use crate::util::colors::{color_stores, stored_lane, stores_floats};
use crate::util::driver_values::{DRIVER, load, load_vector, words};
use crate::util::outputs::{set_stored, slot_store};
use crate::{Changes, Context, Pass, PassInfo, Results, pass_options};
use airfoil_ir::{
    Builder, Diagnostic, Form, Index, InstrId, Intrinsic, IntrinsicOp, IoSemantics, Modes, Scalar, Shader,
    Slot, Src, Stage, SystemValue, Ty, TypeId, VarId, Variable,
};
use smallvec::SmallVec;

/// The equation of fog.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum FogMode {
    /// No fog.
    #[default]
    None,
    /// `GL_LINEAR`.
    Linear,
    /// `GL_EXP`.
    Exp,
    /// `GL_EXP2`.
    Exp2,
}

impl OptionValue for FogMode {
    fn parse(text: &str) -> Result<FogMode, String> {
        match text {
            "none" => Ok(FogMode::None),
            "linear" => Ok(FogMode::Linear),
            "exp" => Ok(FogMode::Exp),
            "exp2" => Ok(FogMode::Exp2),
            _ => Err(format!("expected none, linear, exp or exp2, found `{text}`")),
        }
    }

    fn text(&self) -> String {
        let text = match self {
            FogMode::None => "none",
            FogMode::Linear => "linear",
            FogMode::Exp => "exp",
            FogMode::Exp2 => "exp2",
        };
        text.into()
    }
}

pass_options! {
    /// See the [module documentation](self).
    pub struct LowerFog {
        /// The equation.
        mode: FogMode = FogMode::None,
        /// The coordinate is the w of the position instead of the varying.
        depth: bool = false,
    }
}

static INFO: PassInfo = PassInfo::new(
    "lower_fog",
    "blends the colors of fragments with the color of the fog",
    include_str!("lower_fog.rs"),
)
.takes(&[Form::Slots, Form::Target])
.options(<LowerFog as crate::PassOptions>::OPTIONS)
.results(Results::All);

impl Pass for LowerFog {
    fn info(&self) -> &'static PassInfo {
        &INFO
    }

    fn options(&self) -> Vec<(&'static str, String)> {
        crate::PassOptions::settings(self)
    }

    fn run(&self, shader: &mut Shader, _: &mut Context) -> Result<Changes, Diagnostic> {
        if shader.stage != Stage::Fragment || self.mode == FogMode::None {
            return Ok(Changes::NONE);
        }
        let stores: Vec<_> = shader
            .functions
            .iter()
            .flat_map(|(f, function)| {
                let body = &function.body;
                let floats = move |id: &InstrId| stores_floats(body, *id);
                color_stores(body).into_iter().map(|s| s.id).filter(floats).map(move |id| (f, id))
            })
            .collect();
        if stores.is_empty() {
            return Ok(Changes::NONE);
        }
        let block = DRIVER.declare(shader);
        let at_fog = |v: &Variable| v.mode == Modes::IN && v.location == Some(Slot::FOG);
        if !self.depth && !shader.vars.values().any(at_fog) {
            let ty = shader.types.vector(Scalar::Float32, 1);
            let mut fog = Variable::new("gl_FogFragCoord", ty, Modes::IN);
            fog.location = Some(Slot::FOG);
            shader.add_var(fog);
        }
        for (function, store) in stores {
            let body = &mut shader.functions[function].body;
            let Some(color) = slot_store(body, store).map(|s| s.src(0)) else { continue };
            let rgb: SmallVec<[Option<usize>; 3]> = (0..3).map(|c| stored_lane(body, store, c)).collect();
            let mut b = Builder::before(body, store);
            let factor = self.factor(&mut b, block);
            let fog = load_vector(&mut b, block, words::FOG_COLOR, 4);
            let mut lanes: SmallVec<[Src; 4]> =
                (0..usize::from(b.ty(color).comps)).map(|c| Src::comp(color, c)).collect();
            for (c, lane) in rgb.into_iter().enumerate() {
                let Some(lane) = lane else { continue };
                // F + f (C - F)
                let (own, fog) = (b.channel(color, lane), b.channel(fog, c));
                let apart = b.fsub(own, fog);
                lanes[lane] = b.ffma(factor, apart, fog).into();
            }
            let blended = b.vec_srcs(&lanes);
            set_stored(body, store, blended);
        }
        Ok(Changes::ALL_BUT_CONTROL_FLOW | Changes::AGAIN)
    }
}

impl LowerFog {
    /// The part of the color that is not fog.
    fn factor(&self, b: &mut Builder<'_>, block: (VarId, TypeId)) -> InstrId {
        let coordinate = if self.depth {
            let position = b.load_system_value(SystemValue::frag_coord);
            let inverse = b.channel(position, 3);
            b.frcp(inverse)
        } else {
            let center = b.intrinsic(IntrinsicOp::load_barycentric_pixel, Ty::new(2, 32), &[]);
            let first = b.imm_u32(0);
            let load = Intrinsic::new(IntrinsicOp::load_interpolated_input, &[center, first])
                .with(Index::Io, IoSemantics::new(Slot::FOG))
                .with(Index::DestType, Scalar::Float32);
            b.insert_intrinsic(load, Ty::B32)
        };
        let factor = match self.mode {
            FogMode::Linear => {
                let [end, scale] = load(b, block, [words::FOG_END, words::FOG_SCALE]);
                let rest = b.fsub(end, coordinate);
                b.fmul(rest, scale)
            }
            FogMode::Exp | FogMode::Exp2 | FogMode::None => {
                let [density] = load(b, block, [words::FOG_DENSITY]);
                let mut exponent = b.fmul(density, coordinate);
                if self.mode == FogMode::Exp2 {
                    exponent = b.fmul(exponent, exponent);
                }
                let base = b.imm_f32(-std::f32::consts::LOG2_E);
                let exponent = b.fmul(exponent, base);
                b.fexp2(exponent)
            }
        };
        b.fsat(factor)
    }
}
