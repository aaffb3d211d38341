//! The functions that combine a texture with the color of the unit before (section 16.1, `GL_COMBINE`).

use super::shader::UNITS;

/// A function of up to three arguments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum CombineFunction {
    /// `GL_REPLACE`: a.
    Replace,
    /// `GL_MODULATE`: a b.
    #[default]
    Modulate,
    /// `GL_ADD`: a + b.
    Add,
    /// `GL_ADD_SIGNED`: a + b - 0.5.
    AddSigned,
    /// `GL_INTERPOLATE`: a c + b (1 - c).
    Interpolate,
    /// `GL_SUBTRACT`: a - b.
    Subtract,
    /// `GL_DOT3_RGB`: 4 (a - 0.5) . (b - 0.5) in red, green and blue; not for alpha.
    Dot3Rgb,
    /// `GL_DOT3_RGBA`: the same in all components, so that the function of alpha has no effect; not for alpha.
    Dot3Rgba,
}

/// Rows: function, number of arguments, whether results of arguments in 0 to 1 are in 0 to 1.
const FUNCTIONS: &[(CombineFunction, usize, bool)] = &[
    (CombineFunction::Replace, 1, true),
    (CombineFunction::Modulate, 2, true),
    (CombineFunction::Add, 2, false),
    (CombineFunction::AddSigned, 2, false),
    (CombineFunction::Interpolate, 3, true),
    (CombineFunction::Subtract, 2, false),
    (CombineFunction::Dot3Rgb, 2, false),
    (CombineFunction::Dot3Rgba, 2, false),
];

impl CombineFunction {
    /// All functions.
    pub fn all() -> impl Iterator<Item = CombineFunction> {
        FUNCTIONS.iter().map(|row| row.0)
    }

    /// The number of arguments.
    pub fn arguments(self) -> usize {
        FUNCTIONS[self as usize].1
    }

    /// Whether results of arguments in 0 to 1 are in 0 to 1.
    pub(super) fn stays_in_range(self) -> bool {
        FUNCTIONS[self as usize].2
    }
}

/// The color that an argument comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Source {
    /// `GL_TEXTURE`: the texture of the unit.
    #[default]
    Texture,
    /// `GL_CONSTANT`: the color of the texture environment.
    Constant,
    /// `GL_PRIMARY_COLOR`: the color of the fragment.
    Primary,
    /// `GL_PREVIOUS`: the result of the unit before, or the color of the fragment.
    Previous,
    /// The texture of unit 0.
    Texture0,
    /// The texture of unit 1.
    Texture1,
    /// The texture of unit 2.
    Texture2,
    /// The texture of unit 3.
    Texture3,
    /// The texture of unit 4.
    Texture4,
    /// The texture of unit 5.
    Texture5,
    /// The texture of unit 6.
    Texture6,
    /// The texture of unit 7.
    Texture7,
}

/// The sources that name a unit, by unit.
const TEXTURES: [Source; UNITS] = [
    Source::Texture0,
    Source::Texture1,
    Source::Texture2,
    Source::Texture3,
    Source::Texture4,
    Source::Texture5,
    Source::Texture6,
    Source::Texture7,
];

impl Source {
    /// `GL_TEXTUREn`; `None` if `n` is 8 or more.
    pub fn texture(n: usize) -> Option<Source> {
        TEXTURES.get(n).copied()
    }

    /// The unit whose texture an environment of unit `own` reads.
    pub(super) fn unit(self, own: usize) -> Option<usize> {
        match self {
            Source::Texture => Some(own),
            named => TEXTURES.iter().position(|&texture| texture == named),
        }
    }
}

/// The part of a source that is the argument.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Operand {
    /// `GL_SRC_COLOR`; not for alpha.
    #[default]
    Color,
    /// `GL_ONE_MINUS_SRC_COLOR`; not for alpha.
    OneMinusColor,
    /// `GL_SRC_ALPHA`.
    Alpha,
    /// `GL_ONE_MINUS_SRC_ALPHA`.
    OneMinusAlpha,
}

impl Operand {
    /// Whether 1 minus the value is the argument.
    pub(super) fn is_inverted(self) -> bool {
        matches!(self, Operand::OneMinusColor | Operand::OneMinusAlpha)
    }

    /// Whether the value is alpha.
    pub(super) fn is_alpha(self) -> bool {
        matches!(self, Operand::Alpha | Operand::OneMinusAlpha)
    }

    /// The same part, of alpha.
    fn of_alpha(self) -> Operand {
        if self.is_inverted() { Operand::OneMinusAlpha } else { Operand::Alpha }
    }
}

/// The factor of a result (`GL_RGB_SCALE`, `GL_ALPHA_SCALE`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Scale {
    /// 1.
    #[default]
    One,
    /// 2.
    Two,
    /// 4.
    Four,
}

impl Scale {
    /// The factor.
    pub fn factor(self) -> f32 {
        [1.0, 2.0, 4.0][self as usize]
    }
}

/// An argument.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(C)]
pub struct Argument {
    /// The color that it comes from.
    pub source: Source,
    /// The part of it.
    pub operand: Operand,
}

impl Argument {
    /// An argument.
    pub const fn new(source: Source, operand: Operand) -> Argument {
        Argument { source, operand }
    }
}

/// How red, green and blue, or alpha, are combined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(C)]
pub struct CombineKey {
    /// The function.
    pub function: CombineFunction,
    /// Its arguments.
    pub arguments: [Argument; 3],
    /// The factor of its result.
    pub scale: Scale,
}

impl CombineKey {
    /// The initial state of red, green and blue.
    pub const RGB: CombineKey = CombineKey {
        function: CombineFunction::Modulate,
        arguments: [
            Argument::new(Source::Texture, Operand::Color),
            Argument::new(Source::Previous, Operand::Color),
            Argument::new(Source::Constant, Operand::Alpha),
        ],
        scale: Scale::One,
    };

    /// The initial state of alpha.
    pub const ALPHA: CombineKey = CombineKey {
        function: CombineFunction::Modulate,
        arguments: [
            Argument::new(Source::Texture, Operand::Alpha),
            Argument::new(Source::Previous, Operand::Alpha),
            Argument::new(Source::Constant, Operand::Alpha),
        ],
        scale: Scale::One,
    };

    /// The arguments that the function reads.
    pub(super) fn read(&self) -> &[Argument] {
        &self.arguments[..self.function.arguments()]
    }

    /// With arguments that are not read, and other names of the same values, at one value. `first` means that no unit before
    /// is enabled.
    pub(super) fn canonical(self, own: usize, first: bool, is_alpha: bool) -> CombineKey {
        let mut key = self;
        if is_alpha && matches!(key.function, CombineFunction::Dot3Rgb | CombineFunction::Dot3Rgba) {
            key.function = CombineFunction::Replace;
        }
        let count = key.function.arguments();
        key.arguments[count..].fill(Argument::default());
        for argument in &mut key.arguments[..count] {
            if is_alpha {
                argument.operand = argument.operand.of_alpha();
            }
            if argument.source.unit(own) == Some(own) {
                argument.source = Source::Texture;
            }
            if first && argument.source == Source::Previous {
                argument.source = Source::Primary;
            }
        }
        key
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_in_the_order_of_the_functions() {
        assert!(CombineFunction::all().enumerate().all(|(n, function)| function as usize == n));
        assert_eq!(size_of::<CombineKey>(), 8);
    }
}
