//! Results of programs: one table.

use crate::path::Part::{self, OptColor, OptFace, OptN, W};
use crate::path::Range::{DrawBuffers, TextureCoords};
use crate::path::{Captures, Face};
use crate::target::Programs;
use airfoil_ir::Slot;

/// A row.
#[derive(Clone, Copy, Debug)]
pub struct ResultRow {
    /// The programs that have it.
    pub programs: Programs,
    /// The parts of the name after `result`.
    pub parts: &'static [Part],
    /// Names and slots of the outputs, those of the built-in variables of GLSL: front, front secondary, back, back secondary.
    /// Only colors have several. With an index, they are those of the first one.
    outputs: &'static [(&'static str, Slot)],
    /// The component that is used, if it is a single one.
    pub component: Option<u8>,
}

const fn row(
    programs: Programs,
    parts: &'static [Part],
    outputs: &'static [(&'static str, Slot)],
    component: Option<u8>,
) -> ResultRow {
    ResultRow { programs, parts, outputs, component }
}

/// All rows.
pub const ROWS: &[ResultRow] = &[
    row(Programs::Vertex, &[W("position")], &[("gl_Position", Slot::POSITION)], None),
    row(
        Programs::Vertex,
        &[W("color"), OptFace, OptColor],
        &[
            ("gl_FrontColor", Slot::COLOR0),
            ("gl_FrontSecondaryColor", Slot::COLOR1),
            ("gl_BackColor", Slot::BACK_COLOR0),
            ("gl_BackSecondaryColor", Slot::BACK_COLOR1),
        ],
        None,
    ),
    row(Programs::Vertex, &[W("fogcoord")], &[("gl_FogFragCoord", Slot::FOG)], Some(0)),
    row(Programs::Vertex, &[W("pointsize")], &[("gl_PointSize", Slot::POINT_SIZE)], Some(0)),
    row(Programs::Vertex, &[W("texcoord"), OptN(TextureCoords)], &[("gl_TexCoord", Slot::TEX0)], None),
    row(Programs::Fragment, &[W("color"), OptN(DrawBuffers)], &[("gl_FragData", Slot(Slot::GENERIC))], None),
    row(Programs::Fragment, &[W("depth")], &[("gl_FragDepth", Slot::DEPTH)], Some(2)),
];

/// The row of the position.
pub const POSITION: usize = 0;

/// The row of the output colors.
pub const FRAGMENT_COLOR: usize = 5;

/// A result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ResultVar {
    /// Its row.
    pub row: usize,
    /// Index.
    pub index: u32,
    /// Face of a color.
    pub face: Face,
    /// The secondary color.
    pub secondary: bool,
}

impl ResultVar {
    /// The result that a name has captured.
    pub fn new(row: usize, c: &Captures) -> ResultVar {
        ResultVar { row, index: c.index, face: c.face, secondary: c.secondary }
    }

    /// The row.
    pub fn info(self) -> &'static ResultRow {
        &ROWS[self.row]
    }

    /// Name and slot of the output. Without `numbered` the only output color goes to all draw buffers.
    pub fn output(self, numbered: bool) -> (String, Slot) {
        if self.row == FRAGMENT_COLOR && !numbered {
            return ("gl_FragColor".into(), Slot::FRAG_COLOR);
        }
        let info = self.info();
        let at = 2 * (self.face as usize) + usize::from(self.secondary);
        let (name, slot) = info.outputs[at.min(info.outputs.len() - 1)];
        if info.parts.iter().any(|p| matches!(p, OptN(_))) {
            return (format!("{name}{}", self.index), slot.offset(self.index).unwrap_or(slot));
        }
        (name.to_string(), slot)
    }
}
