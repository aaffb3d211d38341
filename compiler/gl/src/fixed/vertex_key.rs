//! The state that a fixed-function vertex shader depends on.

use super::shader::UNITS;
use bitflags::bitflags;

bitflags! {
    /// State of vertices that is on or off.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    #[repr(transparent)]
    pub struct VertexFlags: u16 {
        /// `GL_LIGHTING`.
        const LIGHTING = 1 << 0;
        /// `GL_LIGHT_MODEL_LOCAL_VIEWER`.
        const LOCAL_VIEWER = 1 << 1;
        /// `GL_LIGHT_MODEL_TWO_SIDE`: back colors are computed, too.
        const TWO_SIDE = 1 << 2;
        /// `GL_LIGHT_MODEL_COLOR_CONTROL` is `GL_SEPARATE_SPECULAR_COLOR`.
        const SEPARATE_SPECULAR = 1 << 3;
        /// `GL_NORMALIZE`.
        const NORMALIZE = 1 << 4;
        /// `GL_RESCALE_NORMAL`.
        const RESCALE_NORMAL = 1 << 5;
        /// `GL_POINT_DISTANCE_ATTENUATION` is not (1, 0, 0), and points are drawn.
        const POINT_ATTENUATION = 1 << 6;
        /// The secondary color is an output: the fragment shader reads it.
        const SECONDARY_COLOR = 1 << 7;
        /// A clip plane is enabled: `gl_ClipVertex` is an output.
        const CLIP_PLANES = 1 << 8;
    }
}

bitflags! {
    /// State of a light that is on or off.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    #[repr(transparent)]
    pub struct LightFlags: u8 {
        /// `GL_LIGHTi`.
        const ENABLED = 1 << 0;
        /// The w of the position is not 0.
        const POSITIONAL = 1 << 1;
        /// `GL_SPOT_CUTOFF` is not 180.
        const SPOT = 1 << 2;
        /// The attenuation is not (1, 0, 0).
        const ATTENUATED = 1 << 3;
    }
}

bitflags! {
    /// State of a set of texture coordinates that is on or off.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    #[repr(transparent)]
    pub struct CoordinateFlags: u8 {
        /// The coordinates are an output: the fragment shader reads them.
        const ENABLED = 1 << 0;
        /// The texture matrix is not the identity.
        const MATRIX = 1 << 1;
    }
}

/// The properties of the material that are the current color (`GL_COLOR_MATERIAL`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum ColorMaterial {
    /// None.
    #[default]
    None,
    /// `GL_EMISSION`.
    Emission,
    /// `GL_AMBIENT`.
    Ambient,
    /// `GL_DIFFUSE`.
    Diffuse,
    /// `GL_SPECULAR`.
    Specular,
    /// `GL_AMBIENT_AND_DIFFUSE`.
    AmbientAndDiffuse,
}

impl ColorMaterial {
    /// Whether the ambient color is the current color.
    pub fn is_ambient(self) -> bool {
        matches!(self, ColorMaterial::Ambient | ColorMaterial::AmbientAndDiffuse)
    }

    /// Whether the diffuse color is the current color.
    pub fn is_diffuse(self) -> bool {
        matches!(self, ColorMaterial::Diffuse | ColorMaterial::AmbientAndDiffuse)
    }
}

/// The origin of the fog coordinate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum FogCoordinate {
    /// Fog is disabled, or the fragment shader computes the coordinate
    /// ([`StateFlags::FOG_DEPTH`](crate::StateFlags::FOG_DEPTH)).
    #[default]
    None,
    /// `GL_FRAGMENT_DEPTH`: the distance to the plane z = 0 in eye coordinates.
    Depth,
    /// `GL_FOG_COORD`: the attribute.
    Attribute,
}

/// The function that generates a texture coordinate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum TexGen {
    /// The attribute.
    #[default]
    None,
    /// `GL_OBJECT_LINEAR`.
    ObjectLinear,
    /// `GL_EYE_LINEAR`.
    EyeLinear,
    /// `GL_SPHERE_MAP`; for s and t.
    SphereMap,
    /// `GL_REFLECTION_MAP`; for s, t and r.
    ReflectionMap,
    /// `GL_NORMAL_MAP`; for s, t and r.
    NormalMap,
}

impl TexGen {
    /// The number of coordinates that the function exists for.
    fn coordinates(self) -> usize {
        match self {
            TexGen::None | TexGen::ObjectLinear | TexGen::EyeLinear => 4,
            TexGen::SphereMap => 2,
            TexGen::ReflectionMap | TexGen::NormalMap => 3,
        }
    }

    /// Whether it reads the normal.
    pub(super) fn reads_normal(self) -> bool {
        matches!(self, TexGen::SphereMap | TexGen::ReflectionMap | TexGen::NormalMap)
    }
}

/// The state of a set of texture coordinates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(C)]
pub struct CoordinateKey {
    /// State that is on or off.
    pub flags: CoordinateFlags,
    /// The functions that generate s, t, r and q.
    pub texgen: [TexGen; 4],
}

impl CoordinateKey {
    fn canonical(self) -> CoordinateKey {
        if !self.flags.contains(CoordinateFlags::ENABLED) {
            return CoordinateKey::default();
        }
        let mut texgen = self.texgen;
        for (n, function) in texgen.iter_mut().enumerate() {
            if n >= function.coordinates() {
                *function = TexGen::None;
            }
        }
        CoordinateKey { texgen, ..self }
    }
}

/// The state of a fixed-function vertex shader, as plain data without padding. The default is the initial state of OpenGL.
///
/// The shader reads all attributes that the state requires. A driver supplies the current values of those without an array.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(C)]
pub struct FixedVertexKey {
    /// State that is on or off.
    pub flags: VertexFlags,
    /// Properties of the front and back material that are the current color.
    pub color_material: [ColorMaterial; 2],
    /// The origin of the fog coordinate.
    pub fog: FogCoordinate,
    /// Zero.
    pub reserved: u8,
    /// The lights.
    pub lights: [LightFlags; UNITS],
    /// The sets of texture coordinates.
    pub coordinates: [CoordinateKey; UNITS],
}

impl FixedVertexKey {
    /// The key with the fields that cannot matter at their defaults.
    #[must_use]
    pub fn canonical(&self) -> FixedVertexKey {
        let mut key = FixedVertexKey { reserved: 0, ..*self };
        key.canonical_lights();
        key.coordinates = key.coordinates.map(CoordinateKey::canonical);
        if !key.reads_normal() {
            key.flags.remove(VertexFlags::NORMALIZE | VertexFlags::RESCALE_NORMAL);
        }
        // A vector that is normalized may have any scale before (section 12.1.3).
        if key.flags.contains(VertexFlags::NORMALIZE) {
            key.flags.remove(VertexFlags::RESCALE_NORMAL);
        }
        key
    }

    fn canonical_lights(&mut self) {
        if !self.flags.contains(VertexFlags::LIGHTING) {
            self.lights = [LightFlags::empty(); UNITS];
            self.flags.remove(VertexFlags::TWO_SIDE);
        }
        if !self.flags.contains(VertexFlags::TWO_SIDE) {
            self.color_material[1] = ColorMaterial::None;
        }
        for light in &mut self.lights {
            if !light.contains(LightFlags::ENABLED) {
                *light = LightFlags::empty();
            }
            // The light of a directional source has the same strength everywhere.
            if !light.contains(LightFlags::POSITIONAL) {
                light.remove(LightFlags::ATTENUATED);
            }
        }
        if !self.has_lights() {
            self.flags.remove(VertexFlags::SEPARATE_SPECULAR);
        }
        if !self.has_specular() {
            self.flags.remove(VertexFlags::LOCAL_VIEWER);
        }
        let (is_lit, has_specular) = (self.flags.contains(VertexFlags::LIGHTING), self.has_specular());
        for material in &mut self.color_material {
            if !is_lit || (*material == ColorMaterial::Specular && !has_specular) {
                *material = ColorMaterial::None;
            }
        }
    }

    /// Whether a light is enabled.
    fn has_lights(&self) -> bool {
        self.lights.iter().any(|light| light.contains(LightFlags::ENABLED))
    }

    /// Whether a color that is written has a specular part.
    pub(super) fn has_specular(&self) -> bool {
        let is_separate = self.flags.contains(VertexFlags::SEPARATE_SPECULAR);
        self.has_lights() && (!is_separate || self.flags.contains(VertexFlags::SECONDARY_COLOR))
    }

    /// Whether the normal is read.
    fn reads_normal(&self) -> bool {
        let generates = |unit: &CoordinateKey| unit.texgen.iter().any(|function| function.reads_normal());
        self.has_lights() || self.coordinates.iter().any(generates)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_have_no_padding() {
        assert_eq!(size_of::<CoordinateKey>(), 5);
        assert_eq!(size_of::<FixedVertexKey>(), 2 + 2 + 1 + 1 + 8 + 8 * 5);
    }
}
