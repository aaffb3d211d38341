//! Discards fragments whose alpha fails the alpha test.
//!
//! Requires form `slots` or `target` and preserves the form. Preserves control flow. The alpha of color 0 is compared with the
//! reference value in the block [`driver`](crate::util::driver_values); a fragment whose comparison is false is demoted
//! before the color is stored, so that it writes nothing. A NaN passes `not_equal` and `always` only. Colors are stored at the
//! exits, where [`lower_io_to_temporaries`](crate::vars::lower_io_to_temporaries) puts the stores, after all other effects of
//! the shader. Depth is written although the fragment is discarded if the shader has early fragment tests. Colors without
//! alpha and integers pass. Run it after [`clamp_fragment_colors`](crate::gl::clamp_fragment_colors), since the clamped
//! alpha is tested (OpenGL 4.6 compatibility profile, chapter 15 and section 17.3).
//!
//! Source: NIR's `nir_lower_alpha_test`.
//!
//! ```foil-example (func=greater)
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
//!   ubo driver { float height @0, float width @4, float alpha_reference @8, uint sample_mask @12, float point_size @16, float point_size_min @20, float point_size_max @24, uint clip_enable @28, vec4 fog_color @32, vec4 fog_parameters @48, vec4[8 stride=16] clip_planes @64, uvec4[8 stride=16] polygon_stipple @192, vec2 viewport @320, float line_width @328, uint line_stipple @332, uint faces @336, uint polygon_triangles @340, uvec2 reserved @344 } driver set=65535 binding=18
//!   fn main {
//!     32x1 %0 = const 0
//!     32x4 %1 = load_input %0 io=0 dest_type=float32
//!     %2 = deref_var &driver
//!     32x1 %3 = const 8
//!     32x1 %4 = load_ubo %2, %3 align=4
//!     32x1 %5 = mov %1.w
//!     1x1 %6 = flt! %4, %5
//!     1x1 %7 = inot! %6
//!     demote_if %7
//!     store_output %1, %0 io=0 mask=xyzw src_type=float32
//!   }
//! }
//! ```

use crate::pass::OptionValue;
use crate::util::colors::{color_stores, stored_lane, stores_floats};
use crate::util::driver_values::{DRIVER, load, words};
use crate::util::outputs::slot_store;
use crate::{Changes, Context, Pass, PassInfo, Results, pass_options};
use airfoil_ir::{AluFlags, Body, Builder, Diagnostic, Form, InstrId, IntrinsicOp, Shader, Stage, Ty};

/// A comparison function of OpenGL.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum CompareFunc {
    /// `GL_NEVER`.
    Never,
    /// `GL_LESS`.
    Less,
    /// `GL_EQUAL`.
    Equal,
    /// `GL_LEQUAL`.
    LessEqual,
    /// `GL_GREATER`.
    Greater,
    /// `GL_NOTEQUAL`.
    NotEqual,
    /// `GL_GEQUAL`.
    GreaterEqual,
    /// `GL_ALWAYS`.
    #[default]
    Always,
}

impl CompareFunc {
    /// All functions with their names, in the order of OpenGL's constants.
    pub const NAMES: [(CompareFunc, &'static str); 8] = [
        (CompareFunc::Never, "never"),
        (CompareFunc::Less, "less"),
        (CompareFunc::Equal, "equal"),
        (CompareFunc::LessEqual, "less_equal"),
        (CompareFunc::Greater, "greater"),
        (CompareFunc::NotEqual, "not_equal"),
        (CompareFunc::GreaterEqual, "greater_equal"),
        (CompareFunc::Always, "always"),
    ];
}

impl OptionValue for CompareFunc {
    fn parse(text: &str) -> Result<CompareFunc, String> {
        let found = CompareFunc::NAMES.iter().find(|(_, name)| *name == text);
        found.map(|f| f.0).ok_or_else(|| {
            let names = CompareFunc::NAMES.map(|f| f.1);
            format!("expected one of {}, found `{text}`", names.join(", "))
        })
    }

    fn text(&self) -> String {
        let name = CompareFunc::NAMES.iter().find(|f| f.0 == *self);
        name.map_or("always", |f| f.1).into()
    }
}

pass_options! {
    /// See the [module documentation](self).
    pub struct LowerAlphaTest {
        /// The comparison of alpha with the reference value.
        func: CompareFunc = CompareFunc::Always,
    }
}

static INFO: PassInfo = PassInfo::new(
    "lower_alpha_test",
    "discards fragments whose alpha fails the alpha test",
    include_str!("lower_alpha_test.rs"),
)
.takes(&[Form::Slots, Form::Target])
.options(<LowerAlphaTest as crate::PassOptions>::OPTIONS)
.results(Results::All);

impl Pass for LowerAlphaTest {
    fn info(&self) -> &'static PassInfo {
        &INFO
    }

    fn options(&self) -> Vec<(&'static str, String)> {
        crate::PassOptions::settings(self)
    }

    fn run(&self, shader: &mut Shader, _: &mut Context) -> Result<Changes, Diagnostic> {
        if shader.stage != Stage::Fragment || self.func == CompareFunc::Always {
            return Ok(Changes::NONE);
        }
        let stores: Vec<_> = shader
            .functions
            .iter()
            .flat_map(|(f, function)| alphas(&function.body).into_iter().map(move |store| (f, store)))
            .collect();
        if stores.is_empty() {
            return Ok(Changes::NONE);
        }
        let reads = self.func != CompareFunc::Never;
        let block = reads.then(|| DRIVER.declare(shader));
        for (function, (store, lane)) in stores {
            let body = &mut shader.functions[function].body;
            let Some(color) = slot_store(body, store).map(|s| s.src(0)) else { continue };
            let mut b = Builder::before(body, store);
            let fails = match block {
                Some(block) => {
                    let [reference] = load(&mut b, block, [words::ALPHA_REFERENCE]);
                    let alpha = b.channel(color, lane);
                    self.fails(&mut b, alpha, reference)
                }
                None => b.imm_bool(true),
            };
            b.intrinsic(IntrinsicOp::demote_if, Ty::NONE, &[fails]);
        }
        Ok(Changes::ALL_BUT_CONTROL_FLOW | Changes::AGAIN)
    }
}

/// The stores that write the alpha of color 0, and its lanes.
fn alphas(body: &Body) -> Vec<(InstrId, usize)> {
    let of = |s: &crate::util::colors::ColorStore| {
        let is_first = s.attachment.unwrap_or(0) == 0 && s.source == 0;
        stored_lane(body, s.id, 3).filter(|_| is_first && stores_floats(body, s.id))
    };
    color_stores(body).iter().filter_map(|s| Some((s.id, of(s)?))).collect()
}

impl LowerAlphaTest {
    /// The negated comparison.
    fn fails(&self, b: &mut Builder<'_>, alpha: InstrId, reference: InstrId) -> InstrId {
        b.flags = AluFlags::EXACT;
        let passes = match self.func {
            CompareFunc::Less => b.flt(alpha, reference),
            CompareFunc::Equal => b.feq(alpha, reference),
            CompareFunc::LessEqual => b.fge(reference, alpha),
            CompareFunc::Greater => b.flt(reference, alpha),
            CompareFunc::NotEqual => b.fneu(alpha, reference),
            CompareFunc::GreaterEqual => b.fge(alpha, reference),
            CompareFunc::Never => b.imm_bool(false),
            CompareFunc::Always => b.imm_bool(true),
        };
        b.inot(passes)
    }
}
