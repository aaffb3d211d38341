//! The state of OpenGL that programs read: one table of vectors.
//!
//! Both specifications name the same vectors, but for a few. A row has the name as a pattern, the programs that have it, the
//! contents of the four components and the table of the specification. The parser, the names of [`StateVector`]s and the book
//! follow from the rows.

mod table;

pub use crate::path::{Face, MatrixModifier};
pub use table::{ROWS, StateVector};

use crate::path::{self, Captures, Part};
use crate::target::Programs;
use std::fmt;

/// A row of the table.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The parts of the name after `state`.
    pub(crate) parts: &'static [Part],
    /// The programs that can read it.
    pub(crate) programs: Programs,
    /// The contents of the components, as in the tables of the specifications.
    pub components: &'static str,
    /// The meaning.
    pub doc: &'static str,
    pub(crate) build: fn(&Captures) -> StateVector,
}

impl Row {
    /// The pattern of the name: optional parts are in braces.
    pub fn pattern(&self) -> String {
        let mut text = String::from("state");
        for part in self.parts {
            match part {
                Part::W(word) => text += &format!(".{word}"),
                Part::N(_) => text += "[n]",
                Part::OptN(_) => text += "{[n]}",
                Part::OptFace => text += "{.front|.back}",
                Part::OptColor => text += "{.primary|.secondary}",
                Part::OptModifier => text += "{.inverse|.transpose|.invtrans}",
                Part::Row => text += ".row[r]",
            }
        }
        text
    }

    /// Whether vertex and fragment programs can read it.
    pub fn programs(&self) -> [bool; 2] {
        crate::target::Target::ALL.map(|target| self.programs.contains(target))
    }
}

impl fmt::Display for StateVector {
    /// The name that the specification gives it, such as `state.light[0].diffuse`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        path::write(f, "state", ROWS[self.row()].parts, &self.captures())
    }
}
