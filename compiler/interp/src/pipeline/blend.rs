//! Blending of the colours of fragments with those of the target (OpenGL 4.6 section 17.3.6; Vulkan 1.3, "Blending").

use crate::texture::{Encoding, Format};

/// How weighted colours are combined.
///
/// # Examples
///
/// ```
/// use airfoil_interp::pipeline::{Blend, BlendOp, ColorState, Draw, Factor, Pipeline, State, Target, Topology};
///
/// assert_eq!(BlendOp::from_name("reverse_subtract"), Some(BlendOp::ReverseSubtract));
/// # use airfoil_interp::{Config, Resources, System, run::Vertex};
/// # let code = "fn main {\n32x4 %c = const 0.5\nstore_deref &c, %c\n}";
/// # let text = format!("foil 1\nshader fragment \"f\" {{\nout vec4 c location=0\n{code}\n}}");
/// # let shaders = [airfoil_ir::text::parse(&text).unwrap()];
/// # let mut pipeline = Pipeline::new(&shaders, &Config::default())?;
/// # let mut point = [Vertex::default()];
/// # point[0].inputs.set_floats(airfoil_ir::Slot::POSITION, [0.0, 0.0, 0.0, 1.0]);
/// let mut draw = |op| -> Result<f32, airfoil_interp::Fault> {
///     let blend = Some(Blend::of(op, Factor::Zero, Factor::Zero));
///     let state = State { colors: vec![ColorState { blend, write_mask: 0xf }], ..State::new(1, 1) };
///     let draw = Draw { topology: Topology::Points, vertices: &point, indices: None, system: System::new() };
///     let mut target = Target::new(1, 1, 1, 1);
///     target.clear(0, [0.25f32.to_bits(); 4]);
///     pipeline.draw(&mut Resources::new(), &draw, &state, &mut target)?;
///     Ok(target.floats(0, 0, 0, 0).unwrap()[0])
/// };
/// // The fragment is 0.5, the target 0.25. Minimum and maximum ignore the factors.
/// assert_eq!((draw(BlendOp::Add)?, draw(BlendOp::Min)?, draw(BlendOp::Max)?), (0.0, 0.25, 0.5));
/// # Ok::<(), airfoil_interp::Fault>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum BlendOp {
    /// The sum of source and destination.
    #[default]
    Add,
    /// The destination is subtracted from the source.
    Subtract,
    /// The source is subtracted from the destination.
    ReverseSubtract,
    /// The lesser one, without weights.
    Min,
    /// The greater one, without weights.
    Max,
}

/// The factor of an operand of a blend equation.
///
/// # Examples
///
/// ```
/// use airfoil_interp::pipeline::{Blend, BlendOp, Factor};
///
/// // The names are those of `VkBlendFactor`; `glBlendFunc` has the same set.
/// assert_eq!(Factor::NAMES.len(), 19);
/// let dual = Factor::NAMES.iter().filter(|(name, _)| name.contains("src1"));
/// assert_eq!(dual.count(), 4);
/// // `zero`, `one` and the saturated alpha have no complement of this form.
/// let complement = |name: &str| Factor::from_name(&format!("one_minus_{name}"));
/// assert_eq!(complement("dst_alpha"), Some(Factor::OneMinusDestinationAlpha));
/// assert_eq!((complement("src_alpha_saturate"), complement("zero")), (None, None));
/// let over = Blend::of(BlendOp::Add, Factor::SourceAlpha, complement("src_alpha").unwrap());
/// assert_eq!(over.color.destination, Factor::OneMinusSourceAlpha);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Factor {
    /// The constant 0.
    Zero,
    /// The constant 1.
    One,
    /// The colour of the fragment.
    SourceColor,
    /// One minus `SourceColor`.
    OneMinusSourceColor,
    /// The colour of the target.
    DestinationColor,
    /// One minus `DestinationColor`.
    OneMinusDestinationColor,
    /// The alpha of the fragment.
    SourceAlpha,
    /// One minus `SourceAlpha`.
    OneMinusSourceAlpha,
    /// The alpha of the target.
    DestinationAlpha,
    /// One minus `DestinationAlpha`.
    OneMinusDestinationAlpha,
    /// The blend constant of the state.
    ConstantColor,
    /// One minus `ConstantColor`.
    OneMinusConstantColor,
    /// The alpha of the constant colour.
    ConstantAlpha,
    /// One minus `ConstantAlpha`.
    OneMinusConstantAlpha,
    /// The smaller of the fragment's alpha and one minus the target's alpha; 1 for the alpha component.
    SourceAlphaSaturate,
    /// The fragment's second colour.
    Source1Color,
    /// One minus `Source1Color`.
    OneMinusSource1Color,
    /// The alpha of the fragment's second colour.
    Source1Alpha,
    /// One minus `Source1Alpha`.
    OneMinusSource1Alpha,
}

impl BlendOp {
    /// All, by Vulkan's names in small letters.
    pub const NAMES: &'static [(&'static str, BlendOp)] = &[
        ("add", BlendOp::Add),
        ("subtract", BlendOp::Subtract),
        ("reverse_subtract", BlendOp::ReverseSubtract),
        ("min", BlendOp::Min),
        ("max", BlendOp::Max),
    ];

    /// That of a name.
    pub fn from_name(name: &str) -> Option<BlendOp> {
        BlendOp::NAMES.iter().find(|n| n.0 == name).map(|n| n.1)
    }
}

impl Factor {
    /// All, by Vulkan's names in small letters.
    pub const NAMES: &'static [(&'static str, Factor)] = &[
        ("zero", Factor::Zero),
        ("one", Factor::One),
        ("src_color", Factor::SourceColor),
        ("one_minus_src_color", Factor::OneMinusSourceColor),
        ("dst_color", Factor::DestinationColor),
        ("one_minus_dst_color", Factor::OneMinusDestinationColor),
        ("src_alpha", Factor::SourceAlpha),
        ("one_minus_src_alpha", Factor::OneMinusSourceAlpha),
        ("dst_alpha", Factor::DestinationAlpha),
        ("one_minus_dst_alpha", Factor::OneMinusDestinationAlpha),
        ("constant_color", Factor::ConstantColor),
        ("one_minus_constant_color", Factor::OneMinusConstantColor),
        ("constant_alpha", Factor::ConstantAlpha),
        ("one_minus_constant_alpha", Factor::OneMinusConstantAlpha),
        ("src_alpha_saturate", Factor::SourceAlphaSaturate),
        ("src1_color", Factor::Source1Color),
        ("one_minus_src1_color", Factor::OneMinusSource1Color),
        ("src1_alpha", Factor::Source1Alpha),
        ("one_minus_src1_alpha", Factor::OneMinusSource1Alpha),
    ];

    /// That of a name.
    pub fn from_name(name: &str) -> Option<Factor> {
        Factor::NAMES.iter().find(|n| n.0 == name).map(|n| n.1)
    }
}

/// `source * its factor op destination * its factor`.
///
/// # Examples
///
/// ```
/// use airfoil_interp::pipeline::{Blend, BlendOp, Equation, Factor};
///
/// // Blending with the initial equation is the same as no blending.
/// let replace = Blend { color: Equation::default(), alpha: Equation::default() };
/// assert_eq!(replace, Blend::of(BlendOp::Add, Factor::One, Factor::Zero));
/// // Premultiplied colours that leave the alpha of the target as it is:
/// let keep = Equation { source: Factor::Zero, destination: Factor::One, ..Equation::default() };
/// let over = Equation { destination: Factor::OneMinusSourceAlpha, ..Equation::default() };
/// let blend = Blend { color: over, alpha: keep };
/// assert_eq!((blend.color.source, blend.alpha.op), (Factor::One, BlendOp::Add));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Equation {
    /// How the two products are combined.
    pub op: BlendOp,
    /// Factor of the fragment's colour.
    pub source: Factor,
    /// Factor of the target's colour.
    pub destination: Factor,
}

impl Default for Equation {
    /// The fragment overwrites the destination.
    fn default() -> Equation {
        Equation { op: BlendOp::Add, source: Factor::One, destination: Factor::Zero }
    }
}

/// How a colour is blended.
///
/// # Examples
///
/// A fragment of the colour 0.5 with an alpha of 0.25 over a target of ones:
///
/// ```
/// use airfoil_interp::pipeline::*;
///
/// # use airfoil_interp::{Config, Resources, System, run::Vertex};
/// # let shaders = [airfoil_ir::text::parse(r#"foil 1
/// # shader fragment "half" {
/// #   out vec4 o location=0
/// #   fn main {
/// #     32x4 %o = const 0.5, 0.5, 0.5, 0.25
/// #     store_deref &o, %o
/// #   }
/// # }"#).unwrap()];
/// # let mut v = Vertex::default();
/// # v.inputs.set_words(airfoil_ir::Slot::POSITION, [0, 0, 0, 1f32.to_bits()]);
/// # let points = Draw { topology: Topology::Points, vertices: &[v], indices: None, system: System::new() };
/// let over = Blend::of(BlendOp::Add, Factor::SourceAlpha, Factor::OneMinusSourceAlpha);
/// let mut state = State::new(1, 1);
/// state.colors = vec![ColorState { blend: Some(over), ..ColorState::default() }];
/// let mut target = Target::new(1, 1, 1, 1);
/// target.clear(0, [1f32.to_bits(); 4]);
/// Pipeline::new(&shaders, &Config::default())?.draw(&mut Resources::new(), &points, &state, &mut target)?;
/// // 0.5 * 0.25 + 1.0 * 0.75; alpha has the same factors.
/// assert_eq!(target.floats(0, 0, 0, 0), Some([0.875, 0.875, 0.875, 0.8125]));
/// # Ok::<(), airfoil_interp::Fault>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Blend {
    /// Equation of red, green and blue.
    pub color: Equation,
    /// Equation of alpha.
    pub alpha: Equation,
}

impl Blend {
    /// The same for colours and alpha.
    pub fn of(op: BlendOp, source: Factor, destination: Factor) -> Blend {
        let both = Equation { op, source, destination };
        Blend { color: both, alpha: both }
    }

    /// The colour after blending.
    pub(crate) fn apply(&self, colors: &Colors, format: Format) -> [f64; 4] {
        let colors = colors.clamped(format);
        std::array::from_fn(|c| {
            let equation = if c < 3 { &self.color } else { &self.alpha };
            // Weights are clamped too.
            let weight = |f: Factor| clamped(colors.factor(f, c), format);
            let (s, d) = (colors.source[c], colors.destination[c]);
            match equation.op {
                BlendOp::Add => s * weight(equation.source) + d * weight(equation.destination),
                BlendOp::Subtract => s * weight(equation.source) - d * weight(equation.destination),
                BlendOp::ReverseSubtract => d * weight(equation.destination) - s * weight(equation.source),
                BlendOp::Min => s.min(d),
                BlendOp::Max => s.max(d),
            }
        })
    }
}

/// The operands of a blend.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Colors {
    /// Colour of the fragment.
    pub(crate) source: [f64; 4],
    /// The fragment's second colour, for dual-source blending.
    pub(crate) second: [f64; 4],
    /// Colour of the target.
    pub(crate) destination: [f64; 4],
    /// The blend constant of the state.
    pub(crate) constant: [f64; 4],
}

impl Colors {
    fn clamped(&self, format: Format) -> Colors {
        let all = |color: [f64; 4]| color.map(|x| clamped(x, format));
        Colors {
            source: all(self.source),
            second: all(self.second),
            destination: all(self.destination),
            constant: all(self.constant),
        }
    }

    /// The weight of a component (OpenGL 4.6 table 17.2).
    fn factor(&self, factor: Factor, c: usize) -> f64 {
        use Factor as F;
        match factor {
            F::Zero => 0.0,
            F::One => 1.0,
            F::SourceColor => self.source[c],
            F::OneMinusSourceColor => 1.0 - self.source[c],
            F::DestinationColor => self.destination[c],
            F::OneMinusDestinationColor => 1.0 - self.destination[c],
            F::SourceAlpha => self.source[3],
            F::OneMinusSourceAlpha => 1.0 - self.source[3],
            F::DestinationAlpha => self.destination[3],
            F::OneMinusDestinationAlpha => 1.0 - self.destination[3],
            F::ConstantColor => self.constant[c],
            F::OneMinusConstantColor => 1.0 - self.constant[c],
            F::ConstantAlpha => self.constant[3],
            F::OneMinusConstantAlpha => 1.0 - self.constant[3],
            F::SourceAlphaSaturate if c == 3 => 1.0,
            F::SourceAlphaSaturate => self.source[3].min(1.0 - self.destination[3]),
            F::Source1Color => self.second[c],
            F::OneMinusSource1Color => 1.0 - self.second[c],
            F::Source1Alpha => self.second[3],
            F::OneMinusSource1Alpha => 1.0 - self.second[3],
        }
    }
}

/// A number in the range of normalised formats; others have none (OpenGL 4.6 section 17.3.6).
fn clamped(x: f64, format: Format) -> f64 {
    match format.info().encoding {
        Encoding::Unorm | Encoding::Srgb => x.clamp(0.0, 1.0),
        Encoding::Snorm => x.clamp(-1.0, 1.0),
        _ => x,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const COLORS: Colors = Colors {
        source: [0.5, 1.0, 0.25, 0.25],
        second: [0.125, 0.25, 0.5, 0.75],
        destination: [0.25, 0.5, 1.0, 0.5],
        constant: [0.75, 0.5, 0.25, 0.125],
    };

    fn factor(factor: Factor) -> [f64; 4] {
        [0, 1, 2, 3].map(|c| COLORS.factor(factor, c))
    }

    #[test]
    fn equations() {
        let with = |op| Blend::of(op, Factor::SourceAlpha, Factor::One).apply(&COLORS, Format::Rgba32f);
        assert_eq!(with(BlendOp::Add), [0.375, 0.75, 1.0625, 0.5625]);
        assert_eq!(with(BlendOp::Subtract), [-0.125, -0.25, -0.9375, -0.4375]);
        assert_eq!(with(BlendOp::ReverseSubtract), [0.125, 0.25, 0.9375, 0.4375]);
        // Without the factors.
        assert_eq!(with(BlendOp::Min), [0.25, 0.5, 0.25, 0.25]);
        assert_eq!(with(BlendOp::Max), [0.5, 1.0, 1.0, 0.5]);
    }

    #[test]
    fn factors() {
        use Factor as F;
        for (of, less, want) in [
            (F::One, F::Zero, [1.0; 4]),
            (F::SourceColor, F::OneMinusSourceColor, [0.5, 1.0, 0.25, 0.25]),
            (F::DestinationColor, F::OneMinusDestinationColor, [0.25, 0.5, 1.0, 0.5]),
            (F::SourceAlpha, F::OneMinusSourceAlpha, [0.25; 4]),
            (F::DestinationAlpha, F::OneMinusDestinationAlpha, [0.5; 4]),
            (F::ConstantColor, F::OneMinusConstantColor, [0.75, 0.5, 0.25, 0.125]),
            (F::ConstantAlpha, F::OneMinusConstantAlpha, [0.125; 4]),
            (F::Source1Color, F::OneMinusSource1Color, [0.125, 0.25, 0.5, 0.75]),
            (F::Source1Alpha, F::OneMinusSource1Alpha, [0.75; 4]),
        ] {
            assert_eq!((factor(of), factor(less)), (want, want.map(|x| 1.0 - x)), "{of:?}");
        }
        assert_eq!(factor(F::SourceAlphaSaturate), [0.25, 0.25, 0.25, 1.0]);
    }

    #[test]
    fn colour_and_alpha_are_apart() {
        let over = Blend::of(BlendOp::Add, Factor::SourceAlpha, Factor::OneMinusSourceAlpha);
        let over = Blend { alpha: Equation { source: Factor::One, ..over.alpha }, ..over };
        let alpha = over.apply(&COLORS, Format::Rgba32f);
        assert_eq!(alpha, [0.3125, 0.625, 0.8125, 0.625]);
    }

    #[test]
    fn normalised_formats_clamp_before() {
        let colors = Colors { source: [2.0, -1.0, 0.5, 3.0], destination: [0.5; 4], ..COLORS };
        let half = Blend::of(BlendOp::Subtract, Factor::One, Factor::ConstantAlpha);
        assert_eq!(half.apply(&colors, Format::Rgba8), [0.9375, -0.0625, 0.4375, 0.9375]);
        assert_eq!(half.apply(&colors, Format::Rgba8Snorm), [0.9375, -1.0625, 0.4375, 0.9375]);
        assert_eq!(half.apply(&colors, Format::Rgba16f), [1.9375, -1.0625, 0.4375, 2.9375]);
    }
}
