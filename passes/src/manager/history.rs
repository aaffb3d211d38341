//! Which runs of passes can be skipped.

use crate::Changes;

/// The last change of each kind in a shader, and the passes that have run since.
#[derive(Clone, Debug, Default)]
pub(super) struct History {
    /// Counts the runs that changed something.
    time: u64,
    /// For each kind of change, by bit: the time of the last one.
    last: [u64; KINDS],
    /// For each different pass: the time, plus 1, up to which it has handled all changes; 0 = it has to run.
    seen: Vec<u64>,
}

const KINDS: usize = Changes::ALL.bits().count_ones() as usize;

impl History {
    /// The history of a shader before a pipeline with a number of different passes.
    pub fn new(passes: usize) -> History {
        History { seen: vec![0; passes], ..History::default() }
    }

    /// Replaces the passes by those of another pipeline; returns the times of the old ones.
    pub fn replace_passes(&mut self, seen: Vec<u64>) -> Vec<u64> {
        std::mem::replace(&mut self.seen, seen)
    }

    /// Adds a pass; returns its key.
    pub fn add_pass(&mut self) -> usize {
        self.seen.push(0);
        self.seen.len() - 1
    }

    /// Whether a pass has run since all changes of the kinds that it reads, so that it cannot find anything.
    pub fn has_seen_all(&self, key: usize, reads: Changes) -> bool {
        let seen = self.seen[key];
        seen > 0 && (0..KINDS).all(|bit| reads.bits() >> bit & 1 == 0 || self.last[bit] < seen)
    }

    /// Records a run.
    pub fn ran(&mut self, key: usize, changes: Changes) {
        if changes.is_progress() {
            self.time += 1;
            for bit in (0..KINDS).filter(|bit| changes.bits() >> bit & 1 != 0) {
                self.last[bit] = self.time;
            }
        }
        self.seen[key] = if changes.contains(Changes::AGAIN) { 0 } else { self.time + 1 };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn skips(history: &History, key: usize) -> bool {
        history.has_seen_all(key, Changes::VALUES)
    }

    #[test]
    fn passes_run_again_after_changes_that_they_read() {
        let mut h = History::new(2);
        assert!(!skips(&h, 0), "never ran");
        h.ran(0, Changes::NONE);
        assert!(skips(&h, 0) && !skips(&h, 1));
        h.ran(1, Changes::MEMORY | Changes::CONTROL_FLOW);
        assert!(skips(&h, 0), "reads values only");
        h.ran(1, Changes::VALUES);
        assert!(!skips(&h, 0) && skips(&h, 1), "a pass has seen its own changes");
        h.ran(0, Changes::VALUES | Changes::AGAIN);
        assert!(!skips(&h, 0) && !skips(&h, 1), "unless it asks for another run");
        h.ran(0, Changes::NONE);
        assert!(skips(&h, 0) && !skips(&h, 1));
    }
}
