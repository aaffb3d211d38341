//! Paths that variable pointers lead along.

use super::types::TyIx;
use crate::error::*;
use smallvec::SmallVec;

/// Most paths of a module: each use of a pointer chooses among those to its type.
const MAX_PATHS: usize = 32;

/// A step of a path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Step {
    /// To a member of a structure.
    Member(u32),
    /// To an element of an array, a column or a component.
    Index,
}

/// Where pointers lead, but for the indices.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Path {
    /// Index of the global variable.
    pub global: u32,
    pub steps: SmallVec<[Step; 4]>,
    /// Type that it leads to.
    pub ty: TyIx,
}

/// The paths of a module.
#[derive(Clone, Debug, Default)]
pub(crate) struct Paths {
    pub list: Vec<Path>,
    /// How many were known when reading started.
    pub known: usize,
    /// Whether a pointer without any path was used.
    pub nowhere: bool,
}

impl Paths {
    /// Whether paths were found that were not known when reading started.
    pub fn grew(&self) -> bool {
        self.list.len() > self.known
    }

    /// The paths for reading the module once more.
    pub fn again(self) -> Paths {
        Paths { known: self.list.len(), nowhere: false, ..self }
    }

    /// The index of a path.
    pub fn number(&mut self, path: Path) -> Res<u32> {
        let n = match self.list.iter().position(|p| *p == path) {
            Some(n) => n,
            None if self.list.len() == MAX_PATHS => {
                bail!(LIMIT, "variable pointers to more than {MAX_PATHS} members of buffers")
            }
            None => {
                self.list.push(path);
                self.list.len() - 1
            }
        };
        Ok(n as u32 + 1)
    }
}
