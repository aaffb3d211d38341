//! Texture environments other than `GL_COMBINE`: they are combinations that depend on the base format of the texture
//! (section 16.1, tables of the texture functions).

use super::combine::{Argument, CombineFunction, CombineKey, Operand, Scale, Source};

/// `GL_TEXTURE_ENV_MODE`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum EnvMode {
    /// `GL_MODULATE`.
    #[default]
    Modulate,
    /// `GL_DECAL`.
    Decal,
    /// `GL_BLEND`.
    Blend,
    /// `GL_REPLACE`.
    Replace,
    /// `GL_ADD`.
    Add,
    /// `GL_COMBINE`.
    Combine,
}

/// The base internal format of a texture, as far as texture environments depend on it. The format of a depth texture follows
/// from `GL_DEPTH_TEXTURE_MODE`.
///
/// A lookup has to produce the components of the format: (0, 0, 0, A), (L, L, L, 1), (L, L, L, A), (I, I, I, I) or
/// (R, G, B, 1); components that a texture of the format red or RG lacks are 0. On Metal the swizzle of the texture does that.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum BaseFormat {
    /// `GL_ALPHA`.
    Alpha,
    /// `GL_LUMINANCE`.
    Luminance,
    /// `GL_LUMINANCE_ALPHA`.
    LuminanceAlpha,
    /// `GL_INTENSITY`.
    Intensity,
    /// `GL_RGB`, `GL_RG` or `GL_RED`.
    Rgb,
    /// `GL_RGBA`.
    #[default]
    Rgba,
}

impl BaseFormat {
    /// All formats.
    pub const ALL: [BaseFormat; 6] = [
        BaseFormat::Alpha,
        BaseFormat::Luminance,
        BaseFormat::LuminanceAlpha,
        BaseFormat::Intensity,
        BaseFormat::Rgb,
        BaseFormat::Rgba,
    ];

    fn has_color(self) -> bool {
        self != BaseFormat::Alpha
    }

    fn has_alpha(self) -> bool {
        !matches!(self, BaseFormat::Luminance | BaseFormat::Rgb)
    }
}

/// A function of the color or alpha.
const fn of(function: CombineFunction, operand: Operand, sources: [Source; 3]) -> CombineKey {
    let [a, b, c] = sources;
    CombineKey {
        function,
        arguments: [Argument::new(a, operand), Argument::new(b, operand), Argument::new(c, operand)],
        scale: Scale::One,
    }
}

/// The combinations of red, green and blue, and of alpha, that a mode is for a format; `None` for `GL_COMBINE`.
pub(super) fn combinations(mode: EnvMode, format: BaseFormat) -> Option<[CombineKey; 2]> {
    use CombineFunction::{Add, Interpolate, Modulate, Replace};
    use Source::{Constant, Previous, Texture};
    let (color, alpha) = (Operand::Color, Operand::Alpha);
    let kept = [Previous; 3];
    let both = [Texture, Previous, Texture];
    // Blends the color of the environment with the one before by the texture.
    let blended = [Constant, Previous, Texture];
    let (rgb, a) = match mode {
        EnvMode::Combine => return None,
        EnvMode::Replace => ((Replace, both), (Replace, both)),
        EnvMode::Modulate => ((Modulate, both), (Modulate, both)),
        EnvMode::Blend if format == BaseFormat::Intensity => ((Interpolate, blended), (Interpolate, blended)),
        EnvMode::Blend => ((Interpolate, blended), (Modulate, both)),
        EnvMode::Add if format == BaseFormat::Intensity => ((Add, both), (Add, both)),
        EnvMode::Add => ((Add, both), (Modulate, both)),
        // Undefined for formats other than RGB and RGBA.
        EnvMode::Decal => ((Interpolate, both), (Replace, kept)),
    };
    let mut rgb = of(rgb.0, color, rgb.1);
    if mode == EnvMode::Decal {
        rgb.arguments[2].operand = alpha;
        if !format.has_alpha() {
            rgb = of(Replace, color, both);
        }
    }
    let rgb = if format.has_color() { rgb } else { of(Replace, color, kept) };
    let a = if format.has_alpha() { of(a.0, alpha, a.1) } else { of(Replace, alpha, kept) };
    Some([rgb, a])
}
