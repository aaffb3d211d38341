//! `switch`.
//!
//! Sections that fall through into each other form a run. Runs exclude each other, so they become a chain of ifs, the one
//! with `default` last; long chains are cut in halves. In a run a section is executed if the selector is among the labels of
//! it or of the sections before it.

use super::frame::FrameKind;
use super::survey::always_jumps;
use super::{Lowerer, MALFORMED, Res, fail};
use crate::hir::{ExprId, StmtId, StmtKind, StmtList};
use crate::shapes::to_ir_bits;
use crate::types::Base;
use airfoil_ir::{InstrId, Jump};
use smallvec::SmallVec;

/// Runs that are tested one after the other before the list is cut in halves.
const LINEAR: usize = 8;

/// Statements after labels.
struct Section<'u> {
    labels: SmallVec<[u64; 2]>,
    default: bool,
    stmts: &'u [StmtId],
}

/// The selector.
#[derive(Clone, Copy)]
struct Selector {
    value: InstrId,
    bits: u8,
}

type Run<'s, 'u> = &'s [Section<'u>];

impl<'u> Lowerer<'u, '_> {
    /// A switch.
    pub fn switch(&mut self, id: StmtId, selector: ExprId, list: StmtList) -> Res<()> {
        let value = self.ssa(selector)?;
        let selector = Selector { value, bits: self.b.ty(value).bits };
        let sections = self.sections(list)?;
        let unit = self.m.unit;
        let mut runs: Vec<Run<'_, 'u>> = Vec::new();
        let mut first = 0;
        for (i, s) in sections.iter().enumerate() {
            let ends = s.stmts.iter().any(|&s| always_jumps(unit, s));
            if ends || i + 1 == sections.len() {
                runs.push(&sections[first..=i]);
                first = i + 1;
            }
        }
        let default = runs.iter().position(|r| r.iter().any(|s| s.default)).map(|i| runs.remove(i));
        let is_loop = self.m.survey.is_broken(id);
        self.enter(FrameKind::Switch, is_loop, self.m.stores.of(id));
        let frame = self.frames.len() - 1;
        self.chain(selector, &runs, Otherwise::Run(default))?;
        if is_loop && self.live {
            self.frames[frame].broken = true;
            self.jump(Jump::Break);
        }
        self.leave()
    }

    fn sections(&self, list: StmtList) -> Res<Vec<Section<'u>>> {
        let unit = self.m.unit;
        let stmts = unit.stmt_list(list);
        let mut sections = Vec::new();
        let mut at = 0;
        while at < stmts.len() {
            let mut s = Section { labels: SmallVec::new(), default: false, stmts: &[] };
            while let Some(&label) = stmts.get(at) {
                match unit[label].kind {
                    StmtKind::Case(c) => {
                        let c = &unit[c];
                        let base = c.ty.base().unwrap_or(Base::Int);
                        let Some(&scalar) = c.scalars.first() else {
                            return fail(MALFORMED, "a label without value");
                        };
                        s.labels.push(to_ir_bits(base, scalar));
                    }
                    StmtKind::Default => s.default = true,
                    _ => break,
                }
                at += 1;
            }
            let from = at;
            while at < stmts.len() && !matches!(unit[stmts[at]].kind, StmtKind::Case(_) | StmtKind::Default) {
                at += 1;
            }
            s.stmts = &stmts[from..at];
            // Statements before the first label are never executed.
            if s.default || !s.labels.is_empty() {
                sections.push(s);
            }
        }
        Ok(sections)
    }

    /// Runs that exclude each other. `otherwise` is for selectors that are in none of them.
    fn chain(&mut self, sel: Selector, runs: &[Run<'_, 'u>], otherwise: Otherwise<'_, 'u>) -> Res<()> {
        if runs.len() > LINEAR {
            let (a, b) = runs.split_at(runs.len() / 2);
            let here = self.is_among(sel, a.iter().flat_map(|r| r.iter()));
            let cf = self.open_if(here);
            self.chain(sel, a, Otherwise::Never)?;
            let live = std::mem::replace(&mut self.live, true);
            self.open_else(cf);
            self.chain(sel, b, otherwise)?;
            self.close_if(cf);
            self.live |= live;
            return Ok(());
        }
        let Some((&run, rest)) = runs.split_first() else {
            return match otherwise {
                Otherwise::Run(Some(run)) => self.run(sel, run),
                Otherwise::Run(None) | Otherwise::Never => Ok(()),
            };
        };
        if rest.is_empty() && matches!(otherwise, Otherwise::Never) {
            return self.run(sel, run);
        }
        let here = self.is_among(sel, run.iter());
        let cf = self.open_if(here);
        self.run(sel, run)?;
        let live = std::mem::replace(&mut self.live, true);
        self.open_else(cf);
        self.chain(sel, rest, otherwise)?;
        self.close_if(cf);
        self.live |= live;
        Ok(())
    }

    /// Whether the selector is among the labels of sections.
    fn is_among<'s>(&mut self, sel: Selector, sections: impl Iterator<Item = &'s Section<'u>>) -> InstrId
    where
        'u: 's,
    {
        let mut any = None;
        for label in sections.flat_map(|s| s.labels.iter()) {
            let label = self.b.imm(sel.bits, *label);
            let here = self.b.ieq(sel.value, label);
            any = Some(match any {
                Some(any) => self.b.ior(any, here),
                None => here,
            });
        }
        any.unwrap_or_else(|| self.b.imm_bool(false))
    }

    /// A run, given that the selector leads into it.
    fn run(&mut self, sel: Selector, run: Run<'_, 'u>) -> Res<()> {
        let mut conditions: SmallVec<[InstrId; 4]> = SmallVec::new();
        let mut so_far = None;
        for (i, s) in run.iter().enumerate().take(run.len().saturating_sub(1)) {
            let here = if s.default {
                // None of the other sections of the run.
                let others = run.iter().enumerate().filter(|&(k, _)| k != i).map(|(_, s)| s);
                let other = self.is_among(sel, others);
                self.b.inot(other)
            } else {
                self.is_among(sel, std::iter::once(s))
            };
            let all = match so_far {
                Some(before) => self.b.ior(before, here),
                None => here,
            };
            conditions.push(all);
            so_far = Some(all);
        }
        for (i, s) in run.iter().enumerate() {
            match conditions.get(i) {
                Some(&cond) => {
                    let cf = self.open_if(cond);
                    self.stmt_slice(s.stmts)?;
                    self.close_if(cf);
                    // It falls through, or the section is skipped.
                    self.live = true;
                }
                None => self.stmt_slice(s.stmts)?,
            }
        }
        if let Some(frame) = self.frames.last_mut()
            && frame.cf.is_none()
            && matches!(frame.kind, FrameKind::Switch)
        {
            self.live |= std::mem::take(&mut frame.broken);
        }
        Ok(())
    }
}

/// The treatment of selectors that are in no run of a chain.
#[derive(Clone, Copy)]
enum Otherwise<'s, 'u> {
    /// None.
    Never,
    /// They lead into this run, or past the switch.
    Run(Option<Run<'s, 'u>>),
}
