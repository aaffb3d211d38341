//! The rows.

use super::Row;
use crate::path::Part::{N, OptFace, OptModifier, OptN, Row as R, W};
use crate::path::Range::{
    ClipPlanes, Lights, PaletteMatrices, ProgramMatrices, TextureCoords, TextureUnits, VertexUnits,
};
use crate::path::{Captures, Face, MatrixModifier};
use crate::target::Programs::{Both, Fragment, Vertex};

macro_rules! field_type {
    (index) => {
        u32
    };
    (face) => {
        Face
    };
    (modifier) => {
        MatrixModifier
    };
    (row) => {
        u8
    };
}

macro_rules! state_vectors {
    ($( $(#[doc = $doc:literal])+ $name:ident $({ $($field:ident),+ })? = [$($part:expr),+], $programs:ident, $components:literal; )+) => {
        /// A vector of the state of OpenGL.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum StateVector {
            $( $(#[doc = $doc])+ $name $({ $(
                #[doc = concat!("The ", stringify!($field), " in the name.")]
                $field: field_type!($field),
            )+ })?, )+
        }

        /// The rows without their contents, to number them.
        #[derive(Clone, Copy)]
        enum Number { $( $name, )+ }

        /// All rows.
        pub const ROWS: &[Row] = &[ $(
            Row {
                parts: &[$($part),+],
                programs: $programs,
                components: $components,
                doc: concat!($($doc),+),
                build: |_c: &Captures| StateVector::$name $({ $( $field: _c.$field, )+ })?,
            },
        )+ ];

        impl StateVector {
            /// The position of its row in [`ROWS`].
            pub fn row(self) -> usize {
                match self { $( StateVector::$name { .. } => Number::$name as usize, )+ }
            }

            /// The variable parts of its name.
            pub(super) fn captures(self) -> Captures {
                match self { $( StateVector::$name $({ $($field),+ })? => Captures { $($($field,)+)? ..Captures::default() }, )+ }
            }
        }
    };
}

state_vectors! {
    /// Ambient color of the material.
    MaterialAmbient { face } = [W("material"), OptFace, W("ambient")], Both, "r, g, b, a";
    /// Diffuse color of the material.
    MaterialDiffuse { face } = [W("material"), OptFace, W("diffuse")], Both, "r, g, b, a";
    /// Specular color of the material.
    MaterialSpecular { face } = [W("material"), OptFace, W("specular")], Both, "r, g, b, a";
    /// Emissive color of the material.
    MaterialEmission { face } = [W("material"), OptFace, W("emission")], Both, "r, g, b, a";
    /// Specular exponent of the material.
    MaterialShininess { face } = [W("material"), OptFace, W("shininess")], Both, "s, 0, 0, 1";
    /// Ambient color of a light.
    LightAmbient { index } = [W("light"), N(Lights), W("ambient")], Both, "r, g, b, a";
    /// Diffuse color of a light.
    LightDiffuse { index } = [W("light"), N(Lights), W("diffuse")], Both, "r, g, b, a";
    /// Specular color of a light.
    LightSpecular { index } = [W("light"), N(Lights), W("specular")], Both, "r, g, b, a";
    /// Position of a light in eye coordinates.
    LightPosition { index } = [W("light"), N(Lights), W("position")], Both, "x, y, z, w";
    /// Attenuation of a light (constant, linear, quadratic) and exponent of its spot.
    LightAttenuation { index } = [W("light"), N(Lights), W("attenuation")], Both, "a, b, c, e";
    /// Direction of a spot light and cosine of its cutoff angle.
    LightSpotDirection { index } = [W("light"), N(Lights), W("spot"), W("direction")], Both, "x, y, z, c";
    /// Half-angle vector of a light for an infinite light and viewer: the normalized sum of (0, 0, 1) and the direction of the light.
    LightHalf { index } = [W("light"), N(Lights), W("half")], Both, "x, y, z, 1";
    /// Ambient color of the light model.
    LightModelAmbient = [W("lightmodel"), W("ambient")], Both, "r, g, b, a";
    /// Color without lights: light model ambient times material ambient plus emission, and diffuse alpha of the material.
    LightModelSceneColor { face } = [W("lightmodel"), OptFace, W("scenecolor")], Both, "r, g, b, a";
    /// Ambient color of a light times that of the material, with the alpha of the material.
    LightProductAmbient { index, face } = [W("lightprod"), N(Lights), OptFace, W("ambient")], Both, "r, g, b, a";
    /// Diffuse color of a light times that of the material, with the alpha of the material.
    LightProductDiffuse { index, face } = [W("lightprod"), N(Lights), OptFace, W("diffuse")], Both, "r, g, b, a";
    /// Specular color of a light times that of the material, with the alpha of the material.
    LightProductSpecular { index, face } = [W("lightprod"), N(Lights), OptFace, W("specular")], Both, "r, g, b, a";
    /// Eye plane of the generated coordinate s.
    TexGenEyeS { index } = [W("texgen"), OptN(TextureCoords), W("eye"), W("s")], Vertex, "a, b, c, d";
    /// Eye plane of the generated coordinate t.
    TexGenEyeT { index } = [W("texgen"), OptN(TextureCoords), W("eye"), W("t")], Vertex, "a, b, c, d";
    /// Eye plane of the generated coordinate r.
    TexGenEyeR { index } = [W("texgen"), OptN(TextureCoords), W("eye"), W("r")], Vertex, "a, b, c, d";
    /// Eye plane of the generated coordinate q.
    TexGenEyeQ { index } = [W("texgen"), OptN(TextureCoords), W("eye"), W("q")], Vertex, "a, b, c, d";
    /// Object plane of the generated coordinate s.
    TexGenObjectS { index } = [W("texgen"), OptN(TextureCoords), W("object"), W("s")], Vertex, "a, b, c, d";
    /// Object plane of the generated coordinate t.
    TexGenObjectT { index } = [W("texgen"), OptN(TextureCoords), W("object"), W("t")], Vertex, "a, b, c, d";
    /// Object plane of the generated coordinate r.
    TexGenObjectR { index } = [W("texgen"), OptN(TextureCoords), W("object"), W("r")], Vertex, "a, b, c, d";
    /// Object plane of the generated coordinate q.
    TexGenObjectQ { index } = [W("texgen"), OptN(TextureCoords), W("object"), W("q")], Vertex, "a, b, c, d";
    /// Color of a texture environment.
    TexEnvColor { index } = [W("texenv"), OptN(TextureUnits), W("color")], Fragment, "r, g, b, a";
    /// Color of the fog.
    FogColor = [W("fog"), W("color")], Both, "r, g, b, a";
    /// Density, start and end of the fog, and 1 / (end - start).
    FogParams = [W("fog"), W("params")], Both, "d, s, e, r";
    /// User clip plane in eye coordinates.
    ClipPlane { index } = [W("clip"), N(ClipPlanes), W("plane")], Vertex, "a, b, c, d";
    /// Point size, its minimum and maximum, and the fade threshold.
    PointSize = [W("point"), W("size")], Vertex, "s, n, x, f";
    /// Attenuation of the point size: constant, linear, quadratic.
    PointAttenuation = [W("point"), W("attenuation")], Vertex, "a, b, c, 1";
    /// Near and far depth, and their difference far - near.
    DepthRange = [W("depth"), W("range")], Fragment, "n, f, d, 1";
    /// Row of a model-view matrix.
    MatrixModelView { index, modifier, row } = [W("matrix"), W("modelview"), OptN(VertexUnits), OptModifier, R], Both, "x, y, z, w";
    /// Row of the projection matrix.
    MatrixProjection { modifier, row } = [W("matrix"), W("projection"), OptModifier, R], Both, "x, y, z, w";
    /// Row of the product of the projection matrix and model-view matrix 0.
    MatrixModelViewProjection { modifier, row } = [W("matrix"), W("mvp"), OptModifier, R], Both, "x, y, z, w";
    /// Row of a texture matrix.
    MatrixTexture { index, modifier, row } = [W("matrix"), W("texture"), OptN(TextureCoords), OptModifier, R], Both, "x, y, z, w";
    /// Row of a matrix of the palette.
    MatrixPalette { index, modifier, row } = [W("matrix"), W("palette"), N(PaletteMatrices), OptModifier, R], Both, "x, y, z, w";
    /// Row of a program matrix.
    MatrixProgram { index, modifier, row } = [W("matrix"), W("program"), N(ProgramMatrices), OptModifier, R], Both, "x, y, z, w";
}
