//! The error for a loop that does not settle.

use super::{Manager, Run, checks};
use crate::pipeline::LoopStep;
use crate::{Changes, Step};
use airfoil_ir::{Diagnostic, Shader, text};

impl Manager<'_> {
    /// The error for a loop that has used up its rounds: one more round shows which passes undo each other.
    pub(super) fn unsettled(&mut self, run: &mut Run, l: &LoopStep, shader: &mut Shader) -> Diagnostic {
        let mut found = Vec::new();
        self.watch(run, &l.steps, shader, &mut found);
        let names: Vec<String> = found.iter().map(|(name, _)| format!("`{name}`")).collect();
        let flips: Vec<&str> = found.iter().map(|(_, flip)| flip.as_str()).collect();
        Diagnostic::error(
            "E0814",
            format!(
                "a loop of passes does not settle within {} rounds; {} keep reporting progress",
                self.options.max_rounds,
                names.join(", ")
            ),
        )
        .help(format!("in the last round {}", flips.join("; ")))
    }

    fn watch(
        &mut self,
        run: &mut Run,
        steps: &[Step],
        shader: &mut Shader,
        found: &mut Vec<(String, String)>,
    ) {
        for step in steps {
            match step {
                Step::Loop(l) => self.watch(run, &l.steps, shader, found),
                Step::On(on) if on.applies(shader) => self.watch(run, &on.steps, shader, found),
                // The parser rejects these in loops, except shared pipelines: presets, which settle by themselves.
                Step::On(_) | Step::Program(_) | Step::Group(_) | Step::Include(_) => {}
                Step::Pass(p) => {
                    let before = text::print(shader);
                    let name = p.text().to_string();
                    if self.pass(run, p, shader).is_ok_and(Changes::is_progress) {
                        let change = checks::first_change(&before, &text::print(shader));
                        found.push((name.clone(), format!("`{name}` {change}")));
                    }
                }
            }
        }
    }
}
