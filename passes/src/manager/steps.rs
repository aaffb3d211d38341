//! The order: steps of a pipeline over one shader or all shaders of a program.

use super::{Event, Manager, Run};
use crate::pipeline::{GroupStep, LoopStep, PassStep, ProgramStep};
use crate::{Changes, Pipeline, Step};
use airfoil_ir::{Diagnostic, Shader};

impl Manager<'_> {
    /// Steps on all shaders.
    pub(super) fn program(
        &mut self,
        runs: &mut [Run],
        steps: &[Step],
        shaders: &mut [Shader],
    ) -> Result<Changes, Vec<Diagnostic>> {
        let mut changes = Changes::NONE;
        let mut rest = steps;
        while let Some(first) = rest.first() {
            let together = rest.iter().take_while(|step| step.is_per_shader()).count();
            if together > 0 {
                changes |= self.each(runs, &rest[..together], shaders)?;
                rest = &rest[together..];
                continue;
            }
            changes |= match first {
                Step::Program(step) => self.program_pass(runs, step, shaders)?,
                Step::Group(group) => self.group(runs, group, shaders)?,
                Step::Include(pipeline) => self.included(runs, pipeline, |manager, runs| {
                    manager.program(runs, pipeline.steps(), shaders)
                })?,
                // The parser allows these in steps for one shader only.
                Step::Pass(_) | Step::Loop(_) | Step::On(_) => self.each(runs, &rest[..1], shaders)?,
            };
            rest = &rest[1..];
        }
        Ok(changes)
    }

    /// Steps on one shader after the other.
    fn each(
        &mut self,
        runs: &mut [Run],
        steps: &[Step],
        shaders: &mut [Shader],
    ) -> Result<Changes, Vec<Diagnostic>> {
        let (mut changes, mut faults) = (Changes::NONE, Vec::new());
        for (run, shader) in runs.iter_mut().zip(shaders) {
            self.context.clear();
            match self.steps(run, steps, shader) {
                Ok(made) => changes |= made,
                Err(list) => faults.extend(list),
            }
        }
        if faults.is_empty() { Ok(changes) } else { Err(faults) }
    }

    fn group(
        &mut self,
        runs: &mut [Run],
        group: &GroupStep,
        shaders: &mut [Shader],
    ) -> Result<Changes, Vec<Diagnostic>> {
        let outer: Vec<bool> = runs.iter_mut().map(|run| std::mem::take(&mut run.changed)).collect();
        let mut changes = self.program(runs, &group.steps, shaders)?;
        for (run, shader) in runs.iter_mut().zip(shaders).filter(|(run, _)| run.changed) {
            self.context.clear();
            changes |= self.steps(run, &group.cleanup, shader)?;
        }
        // A group around this one cleans up after the steps before it, too.
        runs.iter_mut().zip(outer).for_each(|(run, changed)| run.changed |= changed);
        Ok(changes)
    }

    /// The passes that a pass over all shaders chooses.
    fn program_pass(
        &mut self,
        runs: &mut [Run],
        step: &ProgramStep,
        shaders: &mut [Shader],
    ) -> Result<Changes, Vec<Diagnostic>> {
        let mut changes = Changes::NONE;
        if let Some(follower) = self.follower.as_mut() {
            follower(Event::Chooses(step));
        }
        let chosen = step.pass().steps(shaders).map_err(|fault| vec![fault])?;
        if !chosen.buffers.is_empty() {
            self.buffers = chosen.buffers;
        }
        for (at, pass) in chosen.passes {
            let mut pass = PassStep::new(pass);
            let Some((run, shader)) = runs.get_mut(at).zip(shaders.get_mut(at)) else { continue };
            pass.set_key(run.history.add_pass());
            self.context.clear();
            changes |= self.pass(run, &pass, shader)?;
        }
        Ok(changes)
    }

    /// Runs with the passes of another pipeline, whose keys are its own.
    fn included<T>(
        &mut self,
        runs: &mut [Run],
        pipeline: &Pipeline,
        f: impl FnOnce(&mut Self, &mut [Run]) -> T,
    ) -> T {
        let own: Vec<Vec<u64>> =
            runs.iter_mut().map(|run| run.history.replace_passes(vec![0; pipeline.num_keys()])).collect();
        let result = f(self, runs);
        for (run, own) in runs.iter_mut().zip(own) {
            run.history.replace_passes(own);
        }
        result
    }

    pub(super) fn stopped(&self) -> bool {
        self.options.stop_after.is_some_and(|n| self.applied >= n)
    }

    fn steps(
        &mut self,
        run: &mut Run,
        steps: &[Step],
        shader: &mut Shader,
    ) -> Result<Changes, Vec<Diagnostic>> {
        let mut changes = Changes::NONE;
        for step in steps {
            changes |= match step {
                Step::Pass(pass) => self.pass(run, pass, shader)?,
                Step::Loop(l) => self.repeat(run, l, shader)?,
                Step::On(on) if on.applies(shader) => self.steps(run, &on.steps, shader)?,
                Step::On(_) => Changes::NONE,
                Step::Include(pipeline) => {
                    let runs = std::slice::from_mut(run);
                    self.included(runs, pipeline, |m, runs| m.steps(&mut runs[0], pipeline.steps(), shader))?
                }
                Step::Program(_) | Step::Group(_) => unreachable!("not a step for one shader"),
            };
        }
        Ok(changes)
    }

    fn repeat(
        &mut self,
        run: &mut Run,
        l: &LoopStep,
        shader: &mut Shader,
    ) -> Result<Changes, Vec<Diagnostic>> {
        let mut changes = Changes::NONE;
        // The bound of a pipeline is a limit, that of the manager an error.
        let rounds = l.bound.unwrap_or(self.options.max_rounds);
        // A loop in which the shader shrinks settles in the end, however long that takes.
        let size =
            |s: &Shader| s.num_instrs() + s.functions.values().map(|f| f.body.num_blocks()).sum::<usize>();
        let (mut left, mut least) = (rounds, usize::MAX);
        while left > 0 {
            left -= 1;
            let round = self.steps(run, &l.steps, shader)?;
            changes |= round;
            if !round.is_progress() || self.stopped() {
                return Ok(changes);
            }
            if left == 0 && l.bound.is_none() && size(shader) < least {
                (left, least) = (rounds, size(shader));
            }
        }
        match l.bound {
            Some(_) => Ok(changes),
            None => Err(vec![self.unsettled(run, l, shader)]),
        }
    }
}
