//! The state that a fixed-function fragment shader depends on.

use super::combine::{Argument, CombineFunction, CombineKey, Operand, Scale, Source};
use super::env_mode::{BaseFormat, EnvMode, combinations};
use super::shader::UNITS;
use super::target::UnitTarget;
use bitflags::bitflags;

bitflags! {
    /// State of fragments that is on or off.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    #[repr(transparent)]
    pub struct FragmentFlags: u8 {
        /// `GL_COLOR_SUM`, or lighting with a separate specular color: the secondary color is added.
        const COLOR_SUM = 1 << 0;
        /// Fragment colors are clamped (`GL_CLAMP_FRAGMENT_COLOR`): those of the vertices, the arguments and results of texture
        /// environments, and the color sum, before the fog is blended (sections 16.1, 16.3 and 16.4).
        const CLAMP = 1 << 1;
    }
}

/// The state of a texture unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(C)]
pub struct TextureUnitKey {
    /// The enabled target.
    pub target: UnitTarget,
    /// The base internal format of the texture.
    pub format: BaseFormat,
    /// The texture environment.
    pub mode: EnvMode,
    /// How red, green and blue are combined by `GL_COMBINE`.
    pub rgb: CombineKey,
    /// How alpha is combined by `GL_COMBINE`.
    pub alpha: CombineKey,
}

impl Default for TextureUnitKey {
    /// The initial state of OpenGL.
    fn default() -> TextureUnitKey {
        TextureUnitKey {
            target: UnitTarget::None,
            format: BaseFormat::Rgba,
            mode: EnvMode::Modulate,
            rgb: CombineKey::RGB,
            alpha: CombineKey::ALPHA,
        }
    }
}

/// A combination whose result is the color before.
const fn unchanged(operand: Operand) -> CombineKey {
    let argument = Argument::new(Source::Previous, operand);
    let unread = Argument::new(Source::Texture, Operand::Color);
    CombineKey {
        function: CombineFunction::Replace,
        arguments: [argument, unread, unread],
        scale: Scale::One,
    }
}

impl TextureUnitKey {
    /// The units whose textures the environment reads.
    pub(super) fn reads(&self, own: usize) -> impl Iterator<Item = usize> {
        let arguments = self.rgb.read().iter().chain(self.alpha.read());
        arguments.filter_map(move |argument| argument.source.unit(own))
    }

    /// Whether the color before passes through.
    fn is_unchanged(&self) -> bool {
        (self.rgb, self.alpha) == (unchanged(Operand::Color), unchanged(Operand::Alpha))
    }

    /// The format of a comparison's result: one that `GL_DEPTH_TEXTURE_MODE` can have.
    fn canonical_format(&mut self) {
        self.format = match self.format {
            _ if !self.target.is_shadow() => BaseFormat::Rgba,
            BaseFormat::LuminanceAlpha => BaseFormat::Luminance,
            BaseFormat::Rgba => BaseFormat::Rgb,
            other => other,
        };
    }
}

/// The state of a fixed-function fragment shader, as plain data without padding. The default is the initial state of OpenGL.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(C)]
pub struct FixedFragmentKey {
    /// State that is on or off.
    pub flags: FragmentFlags,
    /// The texture units.
    pub units: [TextureUnitKey; UNITS],
}

impl FixedFragmentKey {
    /// The key with the fields that cannot matter at their defaults. Texture environments are combinations, so that those that
    /// are the same function have the same key.
    #[must_use]
    pub fn canonical(&self) -> FixedFragmentKey {
        let mut key = *self;
        key.combine_environments();
        key.remove_unchanged();
        // The color before the first environment is the color of the fragment, which changes names only.
        let mut first = true;
        for (n, unit) in key.units.iter_mut().enumerate().filter(|(_, u)| u.target != UnitTarget::None) {
            let is_unchanged = unit.is_unchanged();
            unit.rgb = unit.rgb.canonical(n, first, false);
            unit.alpha = unit.alpha.canonical(n, first, true);
            first &= is_unchanged;
        }
        let read: Vec<usize> = key.units.iter().enumerate().flat_map(|(n, unit)| unit.reads(n)).collect();
        for (n, unit) in key.units.iter_mut().enumerate().filter(|(_, u)| u.target != UnitTarget::None) {
            // The target of a texture that is not read does not matter.
            if !read.contains(&n) {
                unit.target = UnitTarget::D2;
            }
            unit.canonical_format();
        }
        key
    }

    /// Makes all environments combinations of enabled units.
    fn combine_environments(&mut self) {
        let enabled = self.units.map(|unit| unit.target != UnitTarget::None);
        for (n, unit) in self.units.iter_mut().enumerate() {
            if !enabled[n] {
                *unit = TextureUnitKey::default();
                continue;
            }
            if let Some([rgb, alpha]) = combinations(unit.mode, unit.format) {
                (unit.rgb, unit.alpha) = (rgb, alpha);
            }
            unit.mode = EnvMode::Combine;
            if unit.rgb.function == CombineFunction::Dot3Rgba {
                let scale = unit.alpha.scale;
                unit.alpha = CombineKey { scale, ..unchanged(Operand::Alpha) };
            }
            // The result of an environment that reads the texture of a disabled unit is undefined (section 16.1);
            // ARB_texture_env_crossbar passes the color through.
            if unit.reads(n).any(|read| !enabled[read]) {
                (unit.rgb, unit.alpha) = (unchanged(Operand::Color), unchanged(Operand::Alpha));
            }
            unit.rgb = unit.rgb.canonical(n, false, false);
            unit.alpha = unit.alpha.canonical(n, false, true);
        }
    }

    /// Disables units that pass the color through and whose textures no other unit reads.
    fn remove_unchanged(&mut self) {
        let read: Vec<usize> = self.units.iter().enumerate().flat_map(|(n, unit)| unit.reads(n)).collect();
        for (n, unit) in self.units.iter_mut().enumerate() {
            if unit.is_unchanged() && !read.contains(&n) {
                *unit = TextureUnitKey::default();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_have_no_padding() {
        assert_eq!(size_of::<TextureUnitKey>(), 3 + 8 + 8);
        assert_eq!(size_of::<FixedFragmentKey>(), 1 + 8 * 19);
    }
}
