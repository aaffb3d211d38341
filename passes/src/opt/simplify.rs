//! Simplifies values in one visit: copies, constants, algebraic rules, undefined values, phis and equal values.
//!
//! Accepts any form. Preserves control flow, except that an `if` with a constant condition becomes the side that runs.
//! Does in one walk what `copy_prop`, `constant_folding`, `algebraic`, `opt_undef`, `cse` and, for phis after ifs and
//! loops, `remove_phis` do in several: when an instruction is visited, its operands are in their final form. Each is
//! described with its own pass, which remains for bisecting and for custom pipelines. The options are those of
//! `algebraic`.
//!
//! The walk follows the structure, so that the scopes that are open dominate the instruction. A rule that failed
//! because an operand had several uses is tried again at the end if one use is left. Values that become unused are
//! removed at once, loads too. Phis of loop headers are visited before their operands; those of which an operand changes request
//! another run.
//!
//! Source: Click 1995, "Global Code Motion, Global Value Numbering" (section 3: value numbering with folding and
//! identities); NIR's passes of the same names.
//!
//! ```foil-example
//! 32x1 %0 = const 0
//! 32x1 %1 = const 1.0
//! 32x4 %2 = load_input %0 io=0 dest_type=float32
//! %3 = fmul %2.x, %1
//! %4 = fadd %3, %2.y
//! %5 = mov %4
//! %6 = fadd %2.x, %2.y
//! %7 = fmul %5, %6
//! store_output %7, %0 io=0 mask=x
//! =>
//! 32x1 %0 = const 0
//! 32x4 %2 = load_input %0 io=0 dest_type=float32
//! %4 = fadd %2.x, %2.y
//! %7 = fmul %4, %4
//! store_output %7, %0 io=0 mask=x
//! ```

use crate::opt::algebraic::Algebraic;
use crate::opt::algebraic::rewrite::Rewriter;
use crate::opt::cse::join_flags;
use crate::opt::remove_phis::{Only, only_source};
use crate::opt::{constant_folding, copy_prop, opt_undef};
use crate::util::phis::{constant_condition, copy_of, flatten_constant_if};
use crate::util::rewrite::Edit;
use crate::{Changes, Context, Pass, PassInfo, PassOptions};
use airfoil_ir::analysis::{Analyses, DominatingScopes, InstrSet, Lookup, ScopeId};
use airfoil_ir::{
    Alu, BlockId, CfId, Cursor, Dense, Diagnostic, InstrGroup, InstrId, InstrKind, Replacements, Scratch,
    Shader, Walk,
};
use smallvec::SmallVec;

/// See the [module documentation](self).
#[derive(Debug, Default)]
pub struct Simplify {
    rules: Algebraic,
}

static INFO: PassInfo = PassInfo::new(
    "simplify",
    "propagates copies, folds, applies algebraic rules and merges equal values in one walk",
    include_str!("simplify.rs"),
)
.reads(Changes::CODE)
.options(<Algebraic as PassOptions>::OPTIONS)
.rounds()
.nan_bits();

impl PassOptions for Simplify {
    const OPTIONS: &'static [crate::OptionInfo] = <Algebraic as PassOptions>::OPTIONS;

    fn set(&mut self, name: &str, value: &str) -> Result<(), String> {
        self.rules.set(name, value)
    }

    fn settings(&self) -> Vec<(&'static str, String)> {
        self.rules.settings()
    }
}

impl Pass for Simplify {
    fn info(&self) -> &'static PassInfo {
        &INFO
    }

    fn run(&self, shader: &mut Shader, context: &mut Context) -> Result<Changes, Diagnostic> {
        let preserved = self.rules.preserved(shader);
        let mut changes = Changes::NONE;
        for (id, function) in &mut shader.functions {
            let rewriter = self.rules.rewriter(&mut function.body, preserved);
            let mut simplifier = Simplifier::new(rewriter, context.analyses(id));
            changes |= simplifier.run();
            let fired = std::mem::take(&mut simplifier.rewriter.fired);
            self.rules.count(context, &fired);
        }
        Ok(changes)
    }

    fn options(&self) -> Vec<(&'static str, String)> {
        self.rules.settings()
    }

    fn without_rule(&self, rule: &str) -> Option<Box<dyn Pass>> {
        Some(Box::new(Simplify { rules: self.rules.without(rule)? }))
    }
}

struct Simplifier<'a> {
    rewriter: Rewriter<'a>,
    analyses: &'a mut Analyses,
    set: InstrSet,
    scopes: DominatingScopes,
    /// The replacement of each value.
    joined: Dense<Option<InstrId>>,
    /// Replaced values: copies, removed with their last use.
    dead: Scratch<InstrId>,
    loop_phis: Scratch<InstrId>,
    /// Ifs with a constant condition.
    decided: Vec<CfId>,
    has_undef: bool,
    /// How many operations above a value can still depend on its being new.
    news: Dense<u8>,
    changes: Changes,
}

/// How far an operation that is the root of a pattern looks: the pattern and the facts about its variables.
const SIGHT: u8 = 8;

impl<'a> Simplifier<'a> {
    fn new(rewriter: Rewriter<'a>, analyses: &'a mut Analyses) -> Simplifier<'a> {
        let body = &*rewriter.body;
        Simplifier {
            set: InstrSet::new(body.num_instrs()),
            scopes: DominatingScopes::new(),
            joined: Dense::default(),
            dead: Scratch::new(),
            loop_phis: Scratch::new(),
            decided: Vec::new(),
            has_undef: body.has(InstrGroup::Undef),
            news: Dense::new(body.instr_capacity()),
            changes: Changes::NONE,
            analyses,
            rewriter,
        }
    }

    fn run(&mut self) -> Changes {
        if self.rewriter.body.num_cfs() == 0 {
            self.block(self.rewriter.body.entry());
        } else {
            let mut next = Some(Walk::Block(self.rewriter.body.entry()));
            while let Some(step) = next {
                self.scopes.step(self.rewriter.body, step);
                match step {
                    Walk::Block(b) => self.block(b),
                    Walk::If(cf) => self.condition(cf),
                    _ => {}
                }
                next = self.rewriter.body.next_step(step);
            }
        }
        self.finish();
        self.changes
    }

    fn block(&mut self, b: BlockId) {
        let mut next = self.phis(b);
        while let Some(id) = next {
            self.map(id);
            let keep = match &self.rewriter.body[id].kind {
                InstrKind::Alu(_) => {
                    self.operation(b, id);
                    true
                }
                InstrKind::Const(_) | InstrKind::Undef if !self.rewriter.body.is_settled(id) => {
                    self.news.set(id, SIGHT);
                    self.rewriter.body.settle(id);
                    true
                }
                InstrKind::Const(_) | InstrKind::Undef | InstrKind::Jump(_) | InstrKind::Phi(_) => true,
                _ => self.other(id),
            };
            next = self.rewriter.body.next(id);
            if keep {
                self.merge(b, id);
            } else {
                self.rewriter.body.remove(id);
            }
        }
    }

    /// Replaces operands by the values that they were merged with.
    fn map(&mut self, id: InstrId) -> bool {
        if self.dead.is_empty() {
            return false;
        }
        let (body, joined) = (&mut *self.rewriter.body, &mut self.joined);
        let mut any = false;
        body[id].visit_operands(|v| any |= joined.get(v).is_some());
        if !any {
            return false;
        }
        let mut read: SmallVec<[InstrId; 4]> = SmallVec::new();
        body.map_operands(id, |v| match joined.get(v) {
            Some(first) => {
                read.push(v);
                first
            }
            None => v,
        });
        for &old in &read {
            // Use counts of the merged values are exact again.
            if body.get(old).is_some_and(|i| i.uses() == 0) {
                joined.set(old, None);
                body.remove(old);
            }
        }
        true
    }

    /// Visits the phis of a block; returns the first instruction after them.
    fn phis(&mut self, b: BlockId) -> Option<InstrId> {
        let is_header = self.rewriter.body.prev_cf(b).is_none();
        // Phis that become constants move after the others.
        let mut constants: SmallVec<[InstrId; 4]> = SmallVec::new();
        let mut next = self.rewriter.body.first_instr(b);
        while let Some(id) = next.filter(|&id| self.rewriter.body[id].as_phi().is_some()) {
            next = self.rewriter.body.next(id);
            self.map(id);
            if is_header {
                self.loop_phis.push(id);
                self.merge(b, id);
            } else if self.phi(b, id) {
                constants.push(id);
            }
        }
        let at = next.map_or(Cursor::BlockEnd(b), Cursor::Before);
        for id in constants {
            self.rewriter.body.move_to(id, at);
            self.merge(b, id);
        }
        next
    }

    /// Simplifies an ALU operation, which stays.
    fn operation(&mut self, b: BlockId, id: InstrId) {
        let body = &*self.rewriter.body;
        if body.is_settled(id) {
            let news = |alu: &Alu| alu.values().iter().map(|&v| self.news.get(v)).max();
            match body[id].as_alu().and_then(news) {
                None | Some(0) => return,
                Some(news) => self.news.set(id, news - 1),
            }
        } else {
            self.news.set(id, SIGHT);
        }
        let missed = self.rewriter.num_missed();
        let changed = self.rewrite(b, id);
        if changed {
            self.news.set(id, SIGHT);
        }
        if self.rewriter.num_missed() == missed {
            self.rewriter.body.settle(id);
        }
    }

    /// Applies rules to an operation; true if it changed.
    fn rewrite(&mut self, b: BlockId, id: InstrId) -> bool {
        let mut progress = self.rewriter.simplify(id, 0);
        if self.has_undef
            && let Edit::To(kind) = opt_undef::simplify(self.rewriter.body, &self.rewriter.body[id])
        {
            self.rewriter.replace(id, kind);
            self.rewriter.simplify(id, 0);
            progress = true;
        }
        if !progress {
            return false;
        }
        self.changes |= Changes::VALUES;
        let mut created = std::mem::take(&mut self.rewriter.created);
        for &new in &created {
            self.news.set(new, SIGHT);
            // Those of an early step may have been replaced since.
            if self.rewriter.body.get(new).is_some() {
                let mapped = self.map(new);
                self.changes |= Changes::AGAIN.when(mapped | self.has_undef);
                self.merge(b, new);
            }
        }
        if !created.is_empty() {
            let mapped = self.map(id);
            self.changes |= Changes::AGAIN.when(mapped);
            created.clear();
        }
        self.rewriter.created = created;
        true
    }

    /// Simplifies an instruction that is neither an ALU operation nor a phi; false if it has to go.
    fn other(&mut self, id: InstrId) -> bool {
        self.changes |= Changes::INSTRUCTIONS.when(self.rewriter.whole_operands(id));
        let body = &mut *self.rewriter.body;
        let mut edit = constant_folding::fold(body, &body[id]);
        if self.has_undef && matches!(edit, Edit::Keep) {
            edit = opt_undef::simplify(body, &body[id]);
        }
        let keep = !matches!(edit, Edit::Remove);
        match edit {
            Edit::Keep => return true,
            Edit::To(kind) => body.set_kind(id, kind),
            Edit::Remove => {}
        }
        self.changes |= Changes::INSTRUCTIONS;
        keep
    }

    /// Replaces a phi after an `if` or loop by its only value; true if it became a constant or undefined.
    fn phi(&mut self, b: BlockId, id: InstrId) -> bool {
        self.changes |= Changes::INSTRUCTIONS.when(self.rewriter.whole_operands(id));
        let body = &mut *self.rewriter.body;
        match only_source(body, id, b, &Replacements::default(), self.analyses) {
            None => {
                self.merge(b, id);
                false
            }
            Some(Only::Value(value)) => {
                self.join(value, id);
                false
            }
            Some(Only::Copy(value)) => {
                let kind = body[value].kind.clone();
                self.has_undef |= matches!(kind, InstrKind::Undef);
                body.set_kind(id, kind);
                self.changes |= Changes::VALUES;
                true
            }
        }
    }

    /// Replaces an instruction by an equal one that dominates it.
    fn merge(&mut self, b: BlockId, id: InstrId) {
        let scope = self.scopes.current();
        let body = &mut *self.rewriter.body;
        let entry = match self.set.lookup(body, id) {
            Lookup::Unique => return,
            Lookup::Vacant(slot) => {
                if !self.set.is_full() {
                    self.set.insert(slot, id, scope);
                }
                return;
            }
            Lookup::Occupied(entry) => entry,
        };
        let (first, its_scope) = self.set.get(entry);
        if !self.scopes.is_open(its_scope) {
            if matches!(body[id].kind, InstrKind::Const(_) | InstrKind::Undef) {
                let start = body.entry();
                body.move_to(first, Cursor::BlockStart(start));
                self.set.replace(entry, first, ScopeId::ROOT);
            } else if !(self.scopes.is_in_loop(its_scope)
                && self.analyses.dominance(body).dominates(body.block_of(first), b))
            {
                self.set.replace(entry, id, scope);
                return;
            }
        }
        join_flags(body, first, id);
        self.changes |= Changes::MEMORY;
        self.join(first, id);
    }

    /// Replaces a value by an earlier one.
    fn join(&mut self, first: InstrId, id: InstrId) {
        self.joined.set(id, Some(first));
        let body = &mut *self.rewriter.body;
        if let Some(names) = body.names_mut() {
            names.replace(id, first);
        }
        // A copy keeps the earlier value alive until all users of this one have been visited.
        let kind = copy_of(body, first).unwrap_or(InstrKind::Undef);
        body.set_kind(id, kind);
        self.dead.push(id);
        self.changes |= Changes::VALUES;
    }

    fn condition(&mut self, cf: CfId) {
        let body = &mut *self.rewriter.body;
        let joined = &self.joined;
        let _ = body.map_condition(cf, |v| joined.get(v).unwrap_or(v));
        let Some(cond) = body.as_if(cf).map(|n| n.cond()) else { return };
        let whole = copy_prop::source(body, cond);
        if body.map_condition(cf, |_| whole) {
            self.rewriter.remove_if_unused(cond);
            self.changes |= Changes::VALUES;
        }
        if constant_condition(self.rewriter.body, whole).is_some() {
            self.decided.push(cf);
        }
    }

    fn finish(&mut self) {
        for i in 0..self.loop_phis.len() {
            let phi = self.loop_phis[i];
            // One that was merged is gone, or is removed below.
            if self.rewriter.body.get(phi).is_none() || self.joined.get(phi).is_some() {
                continue;
            }
            let mapped = self.map(phi);
            let copied = self.rewriter.whole_operands(phi);
            self.changes |= (Changes::VALUES | Changes::AGAIN).when(mapped | copied);
        }
        for id in self.dead.drain(..) {
            if self.rewriter.body.get(id).is_some() {
                self.rewriter.body.remove(id);
            }
        }
        self.changes |= (Changes::VALUES | Changes::AGAIN).when(self.rewriter.retry());
        self.changes |= Changes::AGAIN.when(self.rewriter.cut);
        // The operands that a rule drops were in use before.
        self.changes |= (Changes::UNUSED | Changes::MEMORY).when(self.rewriter.removed_other);
        for i in 0..self.decided.len() {
            let cf = self.decided[i];
            let body = &mut *self.rewriter.body;
            if !body.has_cf(cf) {
                continue;
            }
            let taken = body.as_if(cf).and_then(|n| constant_condition(body, n.cond()));
            if let Some(taken) = taken {
                flatten_constant_if(body, cf, taken);
                self.changes |= Changes::CODE | Changes::AGAIN;
            }
        }
    }
}
