//! Attributes of vertices and fragments: one table.

use crate::path::Part::{self, N, OptColor, OptN, W};
use crate::path::Range::{TextureCoords, VertexAttribs, VertexUnits};
use crate::target::Programs;
use airfoil_ir::Slot;

/// The storage of an attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Storage {
    /// An input.
    Slot(Slot),
    /// The system value `frag_coord`.
    FragCoord,
    /// None: the IR has no such input.
    None,
}

/// A row.
#[derive(Clone, Copy, Debug)]
pub struct AttributeRow {
    /// The programs that have it.
    pub programs: Programs,
    /// The parts of the name after `vertex` or `fragment`.
    pub parts: &'static [Part],
    /// The name of the variable, that of the built-in variable of GLSL. A name that ends with `[` or a letter and has an index
    /// gets it.
    pub name: &'static str,
    /// The storage of the first one.
    pub storage: Storage,
    /// The storage of the secondary color.
    pub secondary: Option<(&'static str, Storage)>,
    /// Components of the input; others are 0, the last one 1.
    pub comps: u8,
    /// The generic attribute of the first one that must not be bound together with it (table X.2.1).
    pub generic: Option<u32>,
}

const fn row(
    programs: Programs,
    parts: &'static [Part],
    name: &'static str,
    storage: Storage,
    comps: u8,
) -> AttributeRow {
    AttributeRow { programs, parts, name, storage, secondary: None, comps, generic: None }
}

/// A vertex attribute, which has the storage of a generic one.
const fn vertex(parts: &'static [Part], name: &'static str, generic: u32, comps: u8) -> AttributeRow {
    let storage = Storage::Slot(Slot(Slot::GENERIC + generic as u8));
    AttributeRow { generic: Some(generic), ..row(Programs::Vertex, parts, name, storage, comps) }
}

/// A varying.
const fn fragment(parts: &'static [Part], name: &'static str, slot: Slot, comps: u8) -> AttributeRow {
    row(Programs::Fragment, parts, name, Storage::Slot(slot), comps)
}

/// The row of generic attributes.
pub const GENERIC: usize = 7;

/// All rows.
pub const ROWS: &[AttributeRow] = &[
    vertex(&[W("position")], "gl_Vertex", 0, 4),
    row(Programs::Vertex, &[W("weight"), OptN(VertexUnits)], "", Storage::None, 4),
    vertex(&[W("normal")], "gl_Normal", 2, 3),
    AttributeRow {
        secondary: Some(("gl_SecondaryColor", Storage::Slot(Slot(Slot::GENERIC + 4)))),
        ..vertex(&[W("color"), OptColor], "gl_Color", 3, 4)
    },
    vertex(&[W("fogcoord")], "gl_FogCoord", 5, 1),
    vertex(&[W("texcoord"), OptN(TextureCoords)], "gl_MultiTexCoord", 8, 4),
    row(Programs::Vertex, &[W("matrixindex"), N(VertexUnits)], "", Storage::None, 4),
    row(Programs::Vertex, &[W("attrib"), N(VertexAttribs)], "attrib", Storage::Slot(Slot(Slot::GENERIC)), 4),
    AttributeRow {
        secondary: Some(("gl_SecondaryColor", Storage::Slot(Slot::COLOR1))),
        ..fragment(&[W("color"), OptColor], "gl_Color", Slot::COLOR0, 4)
    },
    fragment(&[W("texcoord"), OptN(TextureCoords)], "gl_TexCoord", Slot::TEX0, 4),
    fragment(&[W("fogcoord")], "gl_FogFragCoord", Slot::FOG, 1),
    row(Programs::Fragment, &[W("position")], "gl_FragCoord", Storage::FragCoord, 4),
];

/// The fog coordinate of fragments.
pub const FRAGMENT_FOG: Attribute = Attribute { row: 10, index: 0, secondary: false };

/// The position of vertices.
pub const POSITION: Attribute = Attribute { row: 0, index: 0, secondary: false };

/// An attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Attribute {
    /// Its row.
    pub row: usize,
    /// Index.
    pub index: u32,
    /// The secondary color.
    pub secondary: bool,
}

impl Attribute {
    /// The row.
    pub fn info(self) -> &'static AttributeRow {
        &ROWS[self.row]
    }

    /// The generic attribute that shares its storage, and whether it is generic itself.
    pub fn shared(self) -> Option<(u32, bool)> {
        if self.row == GENERIC {
            return Some((self.index, true));
        }
        Some((self.info().generic? + self.index + u32::from(self.secondary), false))
    }

    /// Whether the name of the variable has the index.
    fn is_indexed(self) -> bool {
        self.info().parts.iter().any(|p| matches!(p, N(_) | OptN(_)))
    }

    /// Name and storage of the variable.
    pub fn variable(self) -> (String, Storage) {
        let info = self.info();
        let (name, storage) = match info.secondary {
            Some(secondary) if self.secondary => secondary,
            _ => (info.name, info.storage),
        };
        let storage = match storage {
            Storage::Slot(slot) => slot.offset(self.index).map_or(Storage::None, Storage::Slot),
            other => other,
        };
        let name = if self.is_indexed() { format!("{name}{}", self.index) } else { name.to_string() };
        (name, storage)
    }
}
