//! Blends colors with those of the attachment by an equation that Metal lacks.
//!
//! Requires form `slots` or `target` and preserves the form. Preserves control flow. The equations of
//! `GL_KHR_blend_equation_advanced`: each color of attachment 0 that the shader stores becomes the blend of it and the color
//! of the attachment, which the fragment function reads (framebuffer fetch). Both are premultiplied by their alpha. With `clamp`
//! the attachment holds normalised values: the source is clamped to 0 to 1 first. A driver disables the blending of Metal.
//! Colors that are not four floats in one store are an error. Run it after
//! [`lower_frag_color`](crate::gl::lower_frag_color); `gl_FragColor` is attachment 0.
//!
//! Source: the extension's section 17.3.6.3, and `gl_nir_lower_blend_equation_advanced` of Mesa.
//!
//! ```foil-example (equation=multiply)
//! foil 1
//! shader fragment "t" {
//!   form slots
//!   out vec4 color location=0
//!   fn main {
//!     32x1 %0 = const 0
//!     32x4 %1 = load_input %0 io=0 dest_type=float32
//!     store_output %1, %0 io=0 mask=xyzw src_type=float32
//!   }
//! }
//! =>
//! foil 1
//! shader fragment "t" {
//!   form slots
//!   out vec4 color location=0
//!
//!   fn main {
//!   b0:
//!     32x1 %0 = const 0
//!     32x4 %1 = load_input %0 io=0 dest_type=float32
//!     32x1 %2 = const 0
//!     32x4 %3 = load_output %2 io=0 dest_type=float32
//!     32x3 %4 = mov %1.xyz
//!     32x1 %5 = mov %1.w
//!     32x1 %6 = const 0
//!     32x3 %7 = fdiv %4, %5.xxx
//!     1x1 %8 = feq %5, %6
//!     32x3 %9 = bcsel %8.xxx, %6.xxx, %7
//!     32x3 %10 = mov %3.xyz
//!     32x1 %11 = mov %3.w
//!     32x1 %12 = const 0
//!     32x3 %13 = fdiv %10, %11.xxx
//!     1x1 %14 = feq %11, %12
//!     32x3 %15 = bcsel %14.xxx, %12.xxx, %13
//!     32x1 %16 = const 1.0
//!     32x1 %17 = fmul %5, %11
//!     32x1 %18 = fsub %16, %11
//!     32x1 %19 = fmul %5, %18
//!     32x1 %20 = fsub %16, %5
//!     32x1 %21 = fmul %11, %20
//!     32x1 %22 = const 0
//!     32x1 %23 = const 0.5
//!     32x1 %24 = const 1.0
//!     32x1 %25 = const 2.0
//!     32x3 %26 = fmul %9, %15
//!     32x3 %27 = fmul %26, %17.xxx
//!     32x3 %28 = fmul %9, %19.xxx
//!     32x3 %29 = fmul %15, %21.xxx
//!     32x3 %30 = fadd %27, %28
//!     32x3 %31 = fadd %30, %29
//!     32x1 %32 = fadd %17, %19
//!     32x1 %33 = fadd %32, %21
//!     32x4 %34 = vec4 %31.x, %31.y, %31.z, %33
//!     store_output %34, %0 io=0 mask=xyzw src_type=float32
//!   }
//! }
//! ```

use crate::pass::OptionValue;
use crate::util::colors::{color_stores, stored_lane, stores_floats};
use crate::util::outputs::{set_stored, slot_store};
use crate::{Changes, Context, Pass, PassInfo, Results, pass_options};
use airfoil_ir::{
    Body, Builder, Diagnostic, Form, Index, InstrId, Intrinsic, IntrinsicOp, Shader, Src, Stage,
};

/// Declares the equations.
macro_rules! equations {
    ($( $(#[doc = $doc:literal])+ $name:ident = $text:literal; )+) => {
        /// An advanced blend equation.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
        #[repr(u8)]
        pub enum BlendEquation {
            /// None of them.
            #[default]
            None,
            $( $(#[doc = $doc])+ $name, )+
        }

        impl BlendEquation {
            /// All equations with their names, in the order of OpenGL's constants.
            pub const NAMES: &[(BlendEquation, &'static str)] =
                &[(BlendEquation::None, "none"), $( (BlendEquation::$name, $text), )+];
        }
    };
}

equations! {
    /// `GL_MULTIPLY_KHR`.
    Multiply = "multiply";
    /// `GL_SCREEN_KHR`.
    Screen = "screen";
    /// `GL_OVERLAY_KHR`.
    Overlay = "overlay";
    /// `GL_DARKEN_KHR`.
    Darken = "darken";
    /// `GL_LIGHTEN_KHR`.
    Lighten = "lighten";
    /// `GL_COLORDODGE_KHR`.
    ColorDodge = "color_dodge";
    /// `GL_COLORBURN_KHR`.
    ColorBurn = "color_burn";
    /// `GL_HARDLIGHT_KHR`.
    HardLight = "hard_light";
    /// `GL_SOFTLIGHT_KHR`.
    SoftLight = "soft_light";
    /// `GL_DIFFERENCE_KHR`.
    Difference = "difference";
    /// `GL_EXCLUSION_KHR`.
    Exclusion = "exclusion";
    /// `GL_HSL_HUE_KHR`.
    HslHue = "hsl_hue";
    /// `GL_HSL_SATURATION_KHR`.
    HslSaturation = "hsl_saturation";
    /// `GL_HSL_COLOR_KHR`.
    HslColor = "hsl_color";
    /// `GL_HSL_LUMINOSITY_KHR`.
    HslLuminosity = "hsl_luminosity";
}

impl OptionValue for BlendEquation {
    fn parse(text: &str) -> Result<BlendEquation, String> {
        let found = BlendEquation::NAMES.iter().find(|(_, name)| *name == text);
        found.map(|f| f.0).ok_or_else(|| {
            let names: Vec<&str> = BlendEquation::NAMES.iter().map(|f| f.1).collect();
            format!("expected one of {}, found `{text}`", names.join(", "))
        })
    }

    fn text(&self) -> String {
        BlendEquation::NAMES[*self as usize].1.into()
    }
}

pass_options! {
    /// See the [module documentation](self).
    pub struct LowerAdvancedBlend {
        /// The equation.
        equation: BlendEquation = BlendEquation::None,
        /// The attachment holds normalised values.
        clamp: bool = false,
    }
}

static INFO: PassInfo = PassInfo::new(
    "lower_advanced_blend",
    "blends colors with those of the attachment by an equation that Metal lacks",
    include_str!("lower_advanced_blend.rs"),
)
.takes(&[Form::Slots, Form::Target])
.options(<LowerAdvancedBlend as crate::PassOptions>::OPTIONS)
.results(Results::All);

impl Pass for LowerAdvancedBlend {
    fn info(&self) -> &'static PassInfo {
        &INFO
    }

    fn options(&self) -> Vec<(&'static str, String)> {
        crate::PassOptions::settings(self)
    }

    fn run(&self, shader: &mut Shader, _: &mut Context) -> Result<Changes, Diagnostic> {
        if shader.stage != Stage::Fragment || self.equation == BlendEquation::None {
            return Ok(Changes::NONE);
        }
        let mut changes = Changes::NONE;
        for function in shader.functions.values_mut() {
            let body = &mut function.body;
            for store in color_stores(body) {
                if store.attachment.unwrap_or(0) == 0 && store.source == 0 {
                    self.blend(body, store.id)?;
                    changes |= Changes::INSTRUCTIONS | Changes::AGAIN;
                }
            }
        }
        Ok(changes)
    }
}

impl LowerAdvancedBlend {
    fn blend(&self, body: &mut Body, id: InstrId) -> Result<(), Diagnostic> {
        let Some(store) = slot_store(body, id).copied() else { return Ok(()) };
        let is_whole = (0..4).all(|c| stored_lane(body, id, c) == Some(c as usize));
        if !is_whole || !stores_floats(body, id) {
            let message = "advanced blending requires a color of four 32-bit floats that is written at once";
            return Err(Diagnostic::error("E0356", message));
        }
        let mut b = Builder::before(body, id);
        let mut source = store.src(0);
        let ty = b.ty(source);
        let first = b.imm_u32(0);
        let stored = Intrinsic::new(IntrinsicOp::load_output, &[first])
            .with(Index::Io, store.io())
            .with(Index::DestType, store.src_type());
        let stored = b.insert_intrinsic(stored, ty);
        if self.clamp {
            source = b.fsat(source);
        }
        let (s, sa) = divided(&mut b, source);
        let (d, da) = divided(&mut b, stored);
        let one = b.imm_f32(1.0);
        let both = b.fmul(sa, da);
        let rest = b.fsub(one, da);
        let only_source = b.fmul(sa, rest);
        let rest = b.fsub(one, sa);
        let only_stored = b.fmul(da, rest);
        let mixed = self.equation.apply(&mut b, s, d);
        let mixed = b.fmul(mixed, both);
        let s = b.fmul(s, only_source);
        let d = b.fmul(d, only_stored);
        let color = b.fadd(mixed, s);
        let color = b.fadd(color, d);
        let alpha = b.fadd(both, only_source);
        let alpha = b.fadd(alpha, only_stored);
        let lanes = [Src::comp(color, 0), Src::comp(color, 1), Src::comp(color, 2), alpha.into()];
        let blended = b.vec_srcs(&lanes);
        set_stored(body, id, blended);
        Ok(())
    }
}

/// The color without the factor alpha, zero if alpha is zero; and alpha.
fn divided(b: &mut Builder<'_>, premultiplied: InstrId) -> (InstrId, InstrId) {
    let (rgb, alpha) = (b.swizzle(premultiplied, &[0, 1, 2]), b.channel(premultiplied, 3));
    let zero = b.imm_f32(0.0);
    let quotient = b.fdiv(rgb, alpha);
    let is_zero = b.feq(alpha, zero);
    (b.bcsel(is_zero, zero, quotient), alpha)
}

/// The luminosity of a color.
fn luminosity(b: &mut Builder<'_>, color: InstrId) -> InstrId {
    let weights = [0.30, 0.59, 0.11].map(|w| b.imm_f32(w));
    let weights = b.vec(&weights);
    b.fdot(color, weights)
}

/// The least and the largest component of a color.
fn extremes(b: &mut Builder<'_>, color: InstrId) -> (InstrId, InstrId) {
    let [x, y, z] = [0, 1, 2].map(|c| b.channel(color, c));
    let (low, high) = (b.fmin(x, y), b.fmax(x, y));
    (b.fmin(low, z), b.fmax(high, z))
}

/// A color with the luminosity of another one, in the range 0 to 1.
fn with_luminosity(b: &mut Builder<'_>, base: InstrId, of: InstrId) -> InstrId {
    let (own, wanted) = (luminosity(b, base), luminosity(b, of));
    let difference = b.fsub(wanted, own);
    let color = b.fadd(base, difference);
    let light = luminosity(b, color);
    let (low, high) = extremes(b, color);
    let (zero, one) = (b.imm_f32(0.0), b.imm_f32(1.0));
    let apart = b.fsub(color, light);
    // light + (color - light) * light / (light - low), if low is negative.
    let scaled = b.fmul(apart, light);
    let below = b.fsub(light, low);
    let scaled = b.fdiv(scaled, below);
    let raised = b.fadd(light, scaled);
    let is_low = b.flt(low, zero);
    let color = b.bcsel(is_low, raised, color);
    // light + (color - light) * (1 - light) / (high - light), if high is above 1.
    let apart = b.fsub(color, light);
    let above = b.fsub(one, light);
    let scaled = b.fmul(apart, above);
    let above = b.fsub(high, light);
    let scaled = b.fdiv(scaled, above);
    let lowered = b.fadd(light, scaled);
    let is_high = b.flt(one, high);
    b.bcsel(is_high, lowered, color)
}

/// A color with the saturation of a second and the luminosity of a third one.
fn with_saturation(b: &mut Builder<'_>, base: InstrId, saturation: InstrId, light: InstrId) -> InstrId {
    let (low, high) = extremes(b, base);
    let own = b.fsub(high, low);
    let (least, most) = extremes(b, saturation);
    let wanted = b.fsub(most, least);
    let zero = b.imm_f32(0.0);
    let raised = b.fsub(base, low);
    let raised = b.fmul(raised, wanted);
    let scaled = b.fdiv(raised, own);
    let has_color = b.flt(zero, own);
    let color = b.bcsel(has_color, scaled, zero);
    with_luminosity(b, color, light)
}

impl BlendEquation {
    /// The function f of the extension, of colors without the factor alpha.
    fn apply(self, b: &mut Builder<'_>, s: InstrId, d: InstrId) -> InstrId {
        let (zero, half, one, two) = (b.imm_f32(0.0), b.imm_f32(0.5), b.imm_f32(1.0), b.imm_f32(2.0));
        // 2 s d below one half, otherwise 1 - 2 (1 - s) (1 - d).
        let light = |b: &mut Builder<'_>, by: InstrId| {
            let product = b.fmul(s, d);
            let dark = b.fmul(product, two);
            let (s, d) = (b.fsub(one, s), b.fsub(one, d));
            let product = b.fmul(s, d);
            let product = b.fmul(product, two);
            let bright = b.fsub(one, product);
            let is_dark = b.fge(half, by);
            b.bcsel(is_dark, dark, bright)
        };
        match self {
            BlendEquation::None => s,
            BlendEquation::Multiply => b.fmul(s, d),
            BlendEquation::Screen => {
                let (sum, product) = (b.fadd(s, d), b.fmul(s, d));
                b.fsub(sum, product)
            }
            BlendEquation::Overlay => light(b, d),
            BlendEquation::HardLight => light(b, s),
            BlendEquation::Darken => b.fmin(s, d),
            BlendEquation::Lighten => b.fmax(s, d),
            BlendEquation::ColorDodge => {
                let rest = b.fsub(one, s);
                let quotient = b.fdiv(d, rest);
                let quotient = b.fmin(one, quotient);
                let is_full = b.fge(s, one);
                let value = b.bcsel(is_full, one, quotient);
                let is_black = b.fge(zero, d);
                b.bcsel(is_black, zero, value)
            }
            BlendEquation::ColorBurn => {
                let rest = b.fsub(one, d);
                let quotient = b.fdiv(rest, s);
                let quotient = b.fmin(one, quotient);
                let value = b.fsub(one, quotient);
                let is_black = b.fge(zero, s);
                let value = b.bcsel(is_black, zero, value);
                let is_full = b.fge(d, one);
                b.bcsel(is_full, one, value)
            }
            BlendEquation::SoftLight => soft_light(b, s, d),
            BlendEquation::Difference => {
                let difference = b.fsub(d, s);
                b.fabs(difference)
            }
            BlendEquation::Exclusion => {
                let (sum, product) = (b.fadd(s, d), b.fmul(s, d));
                let product = b.fmul(product, two);
                b.fsub(sum, product)
            }
            BlendEquation::HslHue => with_saturation(b, s, d, d),
            BlendEquation::HslSaturation => with_saturation(b, d, s, d),
            BlendEquation::HslColor => with_luminosity(b, s, d),
            BlendEquation::HslLuminosity => with_luminosity(b, d, s),
        }
    }
}

fn soft_light(b: &mut Builder<'_>, s: InstrId, d: InstrId) -> InstrId {
    let imm = |b: &mut Builder<'_>, x: f32| b.imm_f32(x);
    let (half, one, two) = (imm(b, 0.5), imm(b, 1.0), imm(b, 2.0));
    let double = b.fmul(s, two);
    let light = b.fsub(double, one);
    // d + (2 s - 1) times: d (1 - d) for dark sources; d ((16 d - 12) d + 3) for dark destinations; otherwise sqrt(d) - d.
    let rest = b.fsub(one, d);
    let dark_source = b.fmul(d, rest);
    let (sixteen, twelve, three) = (imm(b, 16.0), imm(b, 12.0), imm(b, 3.0));
    let x = b.fmul(d, sixteen);
    let x = b.fsub(x, twelve);
    let x = b.fmul(x, d);
    let x = b.fadd(x, three);
    let dark = b.fmul(x, d);
    let root = b.fsqrt(d);
    let bright = b.fsub(root, d);
    let quarter = imm(b, 0.25);
    let is_dark = b.fge(quarter, d);
    let value = b.bcsel(is_dark, dark, bright);
    let is_dark = b.fge(half, s);
    let value = b.bcsel(is_dark, dark_source, value);
    let value = b.fmul(light, value);
    b.fadd(d, value)
}
