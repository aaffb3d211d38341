//! Names with dots and indices, such as `light[0].spot.direction`: patterns and their captures.
//!
//! Vocabularies are tables of patterns. The parser matches its tokens against all rows of a table and takes the longest match.

use crate::limits::Limits;
use std::fmt;

/// Front or back of primitives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Face {
    /// Front, which names without a face mean.
    #[default]
    Front,
    /// Back.
    Back,
}

/// A matrix that is derived from another one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum MatrixModifier {
    /// The matrix itself.
    #[default]
    None,
    /// Its inverse.
    Inverse,
    /// Its transpose.
    Transpose,
    /// The transpose of its inverse.
    InverseTranspose,
}

impl Face {
    /// Words of the language.
    pub const WORDS: &'static [(&'static str, Face)] = &[("front", Face::Front), ("back", Face::Back)];
}

impl MatrixModifier {
    /// Words of the language.
    pub const WORDS: &'static [(&'static str, MatrixModifier)] = &[
        ("inverse", MatrixModifier::Inverse),
        ("transpose", MatrixModifier::Transpose),
        ("invtrans", MatrixModifier::InverseTranspose),
    ];
}

/// Words for primary and secondary colors, and whether they mean the secondary one.
pub const COLOR_WORDS: &[(&str, bool)] = &[("primary", false), ("secondary", true)];

/// The number of objects that an index selects from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Range {
    /// Lights.
    Lights,
    /// Sets of texture coordinates.
    TextureCoords,
    /// Texture units of the fixed functions.
    TextureUnits,
    /// User clip planes.
    ClipPlanes,
    /// Model-view matrices.
    VertexUnits,
    /// Matrices of the palette.
    PaletteMatrices,
    /// Program matrices.
    ProgramMatrices,
    /// Generic attributes.
    VertexAttribs,
    /// Output colors.
    DrawBuffers,
    /// Environment parameters.
    EnvParameters,
    /// Local parameters.
    LocalParameters,
    /// Texture image units.
    ImageUnits,
}

impl Range {
    /// The first index that is not valid, and the name of the limit.
    pub fn limit(self, limits: &Limits) -> (u32, &'static str) {
        match self {
            Range::Lights => (limits.lights, "MAX_LIGHTS"),
            Range::TextureCoords => (limits.texture_coords.min(8), "MAX_TEXTURE_COORDS_ARB"),
            Range::TextureUnits => (limits.texture_units, "MAX_TEXTURE_UNITS"),
            Range::ClipPlanes => (limits.clip_planes, "MAX_CLIP_PLANES"),
            Range::VertexUnits => (limits.vertex_units, "MAX_VERTEX_UNITS_ARB"),
            Range::PaletteMatrices => (limits.palette_matrices, "MAX_PALETTE_MATRICES_ARB"),
            Range::ProgramMatrices => (limits.program_matrices, "MAX_PROGRAM_MATRICES_ARB"),
            Range::VertexAttribs => (limits.vertex_attribs.min(16), "MAX_VERTEX_ATTRIBS_ARB"),
            Range::DrawBuffers => (limits.draw_buffers.min(16), "MAX_DRAW_BUFFERS_ARB"),
            Range::EnvParameters => (limits.env_parameters, "MAX_PROGRAM_ENV_PARAMETERS_ARB"),
            Range::LocalParameters => (limits.local_parameters, "MAX_PROGRAM_LOCAL_PARAMETERS_ARB"),
            Range::ImageUnits => (limits.texture_image_units, "MAX_TEXTURE_IMAGE_UNITS_ARB"),
        }
    }
}

/// A part of a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// A word.
    W(&'static str),
    /// An index in brackets.
    N(Range),
    /// An index in brackets, 0 if there is none.
    OptN(Range),
    /// `front`, `back` or nothing.
    OptFace,
    /// `primary`, `secondary` or nothing.
    OptColor,
    /// A modifier of a matrix, or nothing.
    OptModifier,
    /// `row[a]`. In lists also `row[a..b]`, or nothing for all rows.
    Row,
}

/// The captures of a pattern.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Captures {
    /// Index.
    pub index: u32,
    /// Face.
    pub face: Face,
    /// The secondary color.
    pub secondary: bool,
    /// Modifier of a matrix.
    pub modifier: MatrixModifier,
    /// First row of a matrix.
    pub row: u8,
    /// Last row of a matrix.
    pub last_row: u8,
}

/// Writes a name from a pattern and its captures, parts without effect left out.
pub fn write(f: &mut fmt::Formatter<'_>, head: &str, parts: &[Part], c: &Captures) -> fmt::Result {
    f.write_str(head)?;
    for part in parts {
        match part {
            Part::W(word) => write!(f, ".{word}")?,
            Part::N(_) | Part::OptN(_) => write!(f, "[{}]", c.index)?,
            Part::OptFace if c.face == Face::Back => f.write_str(".back")?,
            Part::OptColor if c.secondary => f.write_str(".secondary")?,
            Part::OptModifier => {
                if let Some((word, _)) = MatrixModifier::WORDS.iter().find(|(_, m)| *m == c.modifier) {
                    write!(f, ".{word}")?;
                }
            }
            Part::Row => write!(f, ".row[{}]", c.row)?,
            Part::OptFace | Part::OptColor => {}
        }
    }
    Ok(())
}
