//! Functions that links have selected and that no variant has asked for yet.
//!
//! A link selects the functions of the default state, which checks Metal's limits. Drivers mostly ask for one of them next. The last ones
//! are kept for the device, not for each program, so that programs stay small.

use airfoil::air::select::Selected;
use airfoil::ir::Stage;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// Functions that are kept at most.
const MAX: usize = 8;

/// A function of a program, by the program's [serial](Recent::serial).
struct Kept {
    program: u64,
    stage: Stage,
    selected: Selected,
}

/// The functions that were selected last.
#[derive(Default)]
pub(crate) struct Recent {
    kept: Mutex<VecDeque<Kept>>,
    programs: AtomicU64,
}

impl std::fmt::Debug for Recent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Recent").finish_non_exhaustive()
    }
}

impl Recent {
    /// A value that no other program of the device has.
    pub fn serial(&self) -> u64 {
        self.programs.fetch_add(1, Ordering::Relaxed)
    }

    /// Keeps a function, and drops the oldest if there are too many.
    pub fn keep(&self, program: u64, stage: Stage, selected: Selected) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let dropped = if kept.len() >= MAX { kept.pop_front() } else { None };
        kept.push_back(Kept { program, stage, selected });
        // Not under the lock: a module takes time to free.
        drop(kept);
        drop(dropped);
    }

    /// Takes a function out.
    pub fn take(&self, program: u64, stage: Stage) -> Option<Selected> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let at = kept.iter().position(|k| k.program == program && k.stage == stage)?;
        kept.remove(at).map(|k| k.selected)
    }
}
