//! Makes a shader smaller while something about it stays.
//!
//! Each step of `steps.rs` knows targets: calls, ifs, instructions. It is tried on all of them at once, then on halves,
//! quarters and so on to single ones. A candidate counts if it is valid and the question about it is answered with yes.
//! All steps repeat until none finds anything.
//!
//! The same shader, question and number of tries give the same result; a time limit can only cut it short.

mod lines;
mod steps;

pub use lines::reduce_lines;

use airfoil_ir::Shader;
use airfoil_ir::validate::validate;
use std::time::{Duration, Instant};
use steps::{Picker, STEPS, Step};

/// When to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Most candidates that are looked at.
    pub tries: u64,
    /// Longest time.
    pub time: Option<Duration>,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { tries: 20_000, time: None }
    }
}

/// How far it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct State {
    /// Candidates that were looked at.
    pub tries: u64,
    /// Those that became the next shader.
    pub accepted: u64,
    /// Instructions that are left.
    pub instrs: usize,
}

/// The reduced shader.
#[derive(Debug)]
pub struct Reduced {
    /// The smallest shader that was found.
    pub shader: Shader,
    /// The work that was done.
    pub state: State,
    /// A limit stopped the work before nothing could be left out any more.
    pub stopped: bool,
}

struct Work<'a> {
    shader: Shader,
    limits: Limits,
    start: Instant,
    state: State,
    interesting: &'a mut dyn FnMut(&Shader) -> bool,
    progress: &'a mut dyn FnMut(State),
}

/// Makes a valid shader smaller; `interesting` reports whether a candidate still has the property. `progress` is called
/// after each candidate.
///
/// `None` if the shader is not interesting in the first place.
pub fn reduce(
    shader: &Shader,
    limits: Limits,
    interesting: &mut dyn FnMut(&Shader) -> bool,
    progress: &mut dyn FnMut(State),
) -> Option<Reduced> {
    if !interesting(shader) {
        return None;
    }
    let state = State { tries: 1, accepted: 0, instrs: shader.num_instrs() };
    let mut work =
        Work { shader: shader.clone(), limits, start: Instant::now(), state, interesting, progress };
    loop {
        let before = work.state.accepted;
        for &step in STEPS {
            work.step(step);
        }
        if work.state.accepted == before || work.is_over() {
            break;
        }
    }
    let stopped = work.is_over();
    Some(Reduced { shader: work.shader, state: work.state, stopped })
}

impl Work<'_> {
    fn is_over(&self) -> bool {
        self.state.tries >= self.limits.tries || self.limits.time.is_some_and(|t| self.start.elapsed() >= t)
    }

    /// One step on all its targets, in parts that get smaller.
    fn step(&mut self, step: Step) {
        let mut len = self.count(step);
        let mut part = len;
        while part > 0 {
            let mut at = 0;
            while at < len {
                if self.is_over() {
                    return;
                }
                let accepted = self.candidate(step, at, part);
                let left = if accepted { self.count(step) } else { len };
                // Where targets are gone, others have moved up.
                if left >= len {
                    at += part;
                }
                len = left;
            }
            part = part.min(len) / 2;
        }
    }

    /// How many targets a step has.
    fn count(&self, step: Step) -> usize {
        let mut picker = Picker::none();
        step(&mut self.shader.clone(), &mut picker);
        picker.seen()
    }

    /// Tries a step on some targets; true if the shader is now what came out.
    fn candidate(&mut self, step: Step, at: usize, part: usize) -> bool {
        let mut candidate = self.shader.clone();
        candidate.gathered = None;
        if !step(&mut candidate, &mut Picker::range(at..at.saturating_add(part))) {
            return false;
        }
        self.state.tries += 1;
        let accepted = validate(&candidate).is_empty() && (self.interesting)(&candidate);
        if accepted {
            self.state.accepted += 1;
            self.state.instrs = candidate.num_instrs();
            self.shader = candidate;
        }
        (self.progress)(self.state);
        accepted
    }
}
