//! One run of a pass, with the dumps and checks that the options request.

use super::checks::{self, Before};
use super::{Applied, Context, Event, Manager, Run};
use crate::pipeline::PassStep;
use crate::{Changes, PassInfo};
use airfoil_ir::{Diagnostic, Shader, text};
use std::io::Write;

impl Manager<'_> {
    pub(super) fn pass(
        &mut self,
        run: &mut Run,
        step: &PassStep,
        shader: &mut Shader,
    ) -> Result<Changes, Vec<Diagnostic>> {
        let info = step.pass().info();
        if self.stopped() {
            return Ok(Changes::NONE);
        }
        if run.history.has_seen_all(step.key(), info.reads) {
            return self.skip(run, step, shader);
        }
        if !info.needs.found_in(shader) {
            checks::takes(info, shader)?;
            return self.skip(run, step, shader);
        }
        self.applied += 1;
        self.last = Some(step.clone());
        self.last_shader = run.shader;
        checks::takes(info, shader)?;
        let before = self.options.checks().then(|| Before::new(&self.options, shader, &mut self.context));
        if self.options.dump_before && self.options.dumps(info) {
            self.dump("Before", info, Some(shader))?;
        }
        let instrs = if self.options.statistics { shader.num_instrs() } else { 0 };
        if self.options.statistics {
            self.context.start_counting_rules();
        }
        let timed = self.options.statistics || self.follower.is_some();
        let start = timed.then(self.clock);

        let result = step.pass().run(shader, &mut self.context);

        let time = start.map(|start| (self.clock)().saturating_sub(start));
        let changes = result.map_err(|d| vec![d])?;
        if let Some(rules) = self.context.take_rules() {
            self.statistics.rules_fired(&rules);
        }
        if let Some(time) = time.filter(|_| self.options.statistics) {
            self.statistics.ran(step.text(), changes, time, instrs, shader.num_instrs());
        }
        if let Some((follower, time)) = self.follower.as_mut().zip(time) {
            follower(Event::Ran { step, shader: run.shader, changes, time, after: shader });
        }
        if let Some(before) = before {
            before.check(&self.options, info, changes, shader, &mut self.context)?;
        }
        checks::leaves(info, shader)?;
        run.history.ran(step.key(), changes);
        if changes.is_progress() {
            run.changed = true;
            self.context.invalidate(shader, changes.kept());
            if changes.intersects(Changes::ALL.difference(Changes::INFO)) {
                shader.gathered = None;
            }
            if let Some(observer) = self.observer.as_mut() {
                let applied = Applied { info, step, shader: run.shader, number: self.applied };
                observer(applied, shader).map_err(|d| vec![d])?;
            }
        }
        if self.options.dump_after && self.options.dumps(info) {
            let shown = changes.is_progress() || self.options.dump_unchanged;
            self.dump("After", info, shown.then_some(shader))?;
        }
        Ok(changes)
    }

    /// Leaves out a run.
    fn skip(&mut self, run: &Run, step: &PassStep, shader: &Shader) -> Result<Changes, Vec<Diagnostic>> {
        if let Some(follower) = self.follower.as_mut() {
            follower(Event::Skipped { step, shader: run.shader });
        }
        if self.options.statistics {
            self.statistics.skipped(step.text());
        }
        if self.options.check_skips {
            checks::skipped(step, shader, &mut Context::new())?;
        }
        Ok(Changes::NONE)
    }

    /// Writes a shader under a headline in the format of LLVM's `-print-after-all`, which existing viewers read.
    fn dump(&mut self, when: &str, info: &PassInfo, shader: Option<&Shader>) -> Result<(), Vec<Diagnostic>> {
        let Some(output) = self.output.as_mut() else { return Ok(()) };
        let written = match shader {
            Some(s) => {
                write!(output, "; *** IR Dump {when} {} on {} ***\n{}\n", info.name, s.name, text::print(s))
            }
            None => writeln!(output, "; *** IR Dump {when} {} omitted because no change ***", info.name),
        };
        written.map_err(|e| vec![Diagnostic::error("E0815", format!("the dump cannot be written: {e}"))])
    }
}
