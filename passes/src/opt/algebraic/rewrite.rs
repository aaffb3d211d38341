//! Applies rules to instructions.

use super::matcher::{Bound, Known, Match};
use super::{Options, equal, facts, folded};
use crate::opt::copy_prop;
use airfoil_ir::alu::{AluFlags, AluProps, Base};
use airfoil_ir::{Alu, AluOp, Body, Cursor, Instr, InstrId, InstrKind, Loc, Src, Swizzle, Ty};
use airfoil_rules::table::{Check, END, Fact, Flags, Node, OTHER_STATE, Rep, SLOTS, Table, Variant, range};
use smallvec::SmallVec;

/// Applications of rules to one instruction: rules that undo each other stop there.
const MOST_STEPS: u32 = 24;
/// Depth of replacements that are themselves simplified.
const MOST_DEPTH: u32 = 6;

/// Simplifies the instructions of a body.
pub(in crate::opt) struct Rewriter<'a> {
    pub body: &'a mut Body,
    table: &'static Table,
    options: &'a Options,
    /// Widths of floats whose special values are preserved.
    preserved: u8,
    filtered: bool,
    /// The rules that fired.
    pub fired: Vec<u16>,
    /// Instructions that rules inserted, in program order; some may be gone again.
    pub created: Vec<InstrId>,
    /// Operations to which a rule did not apply because one of their operands, the second value, has several uses.
    missed: Vec<(InstrId, InstrId)>,
    /// Whether a limit left an operation that rules may still apply to.
    pub cut: bool,
    /// Whether unused instructions were removed that are neither ALU operations nor constants.
    pub removed_other: bool,
}

/// The operands of an operation.
struct Operands {
    /// Their states; those of constants are not known yet.
    states: [u16; 4],
    /// Which are constant, a bit each.
    constants: u8,
    /// Whether some are copies.
    copies: bool,
}

/// A replacement that is ready to be built: a rule, and the values of its variables.
struct Found {
    rule: u16,
    slots: [super::matcher::Slot; SLOTS],
    flags: AluFlags,
}

impl<'a> Rewriter<'a> {
    pub fn new(
        body: &'a mut Body,
        table: &'static Table,
        options: &'a Options,
        preserved: u8,
    ) -> Rewriter<'a> {
        let filtered = *options != Options::default();
        Rewriter {
            body,
            table,
            options,
            preserved,
            filtered,
            fired: Vec::new(),
            created: Vec::new(),
            missed: Vec::new(),
            cut: false,
            removed_other: false,
        }
    }

    /// Simplifies an operation whose operands are simple; true if it changed. It keeps its value.
    pub fn simplify(&mut self, id: InstrId, depth: u32) -> bool {
        for step in 0..MOST_STEPS {
            if !self.step(id, depth) {
                return step > 0;
            }
        }
        self.cut = true;
        true
    }

    /// One change of an operation, if there is one.
    fn step(&mut self, id: InstrId, depth: u32) -> bool {
        let InstrKind::Alu(alu) = &self.body[id].kind else { return false };
        let alu = *alu;
        let operands = alu.op.num_operands();
        let Operands { states, constants, copies } = self.operands(&alu);
        let copies = copies || copy_prop::is_vec(alu.op);
        if copies && self.with_dead(&alu, |body| copy_prop::alu_operands(body, id, alu)) {
            return true;
        }
        if constants & 1 != 0
            && (alu.op == AluOp::bcsel || constants == (1 << operands) - 1)
            && let Some(kind) = folded(self.body, id)
        {
            self.set(id, &alu, kind);
            return true;
        }
        if alu.op == AluOp::mov {
            return false;
        }
        if constants & 3 == 1 && alu.op.info().props.contains(AluProps::COMMUTATIVE) {
            self.swap(id, &alu);
            return true;
        }
        let Some(found) = self.find(id, &alu, &states, constants) else { return false };
        let missed = self.missed.len();
        self.apply(id, &alu, &found, depth);
        if self.missed.len() > missed && depth < MOST_DEPTH {
            self.retry_created(missed, depth);
        }
        true
    }

    /// Makes the first operand of a commutative operation the second.
    fn swap(&mut self, id: InstrId, alu: &Alu) {
        let mut srcs: SmallVec<[Src; 4]> = alu.srcs().collect();
        srcs.swap(0, 1);
        let mut new = Alu::new(alu.op, self.body[id].ty.comps, &srcs);
        new.flags = alu.flags;
        self.body.set_kind(id, InstrKind::Alu(new));
    }

    /// Examines the operands of an operation.
    fn operands(&self, alu: &Alu) -> Operands {
        let mut operands = Operands { states: [OTHER_STATE; 4], constants: 0, copies: false };
        for (i, &value) in alu.values().iter().enumerate() {
            match &self.body[value].kind {
                InstrKind::Alu(operand) => {
                    operands.copies |= operand.op == AluOp::mov || copy_prop::is_vec(operand.op);
                    operands.states[i] = self.body.note(value);
                }
                InstrKind::Const(_) => operands.constants |= 1 << i,
                _ => {}
            }
        }
        operands
    }

    /// The candidates for an operation. Notes its state.
    fn node(&mut self, id: InstrId, alu: &Alu, states: &[u16; 4], constants: u8) -> Option<Node> {
        let ty = self.body[id].ty;
        let mut states = *states;
        let mut rest = constants;
        while rest != 0 {
            let i = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            states[i] = self.constant_state(alu, i, ty);
        }
        let node = self.table.node(alu.op, &states);
        self.body.set_note(id, node.map_or(OTHER_STATE, |node| node.state));
        node
    }

    /// The first rule that applies. Operands that have too many uses for a rule are noted.
    fn find(&mut self, id: InstrId, alu: &Alu, states: &[u16; 4], constants: u8) -> Option<Found> {
        let node = self.node(id, alu, states, constants)?;
        let candidates = &self.table.candidates;
        let equal = equal::has_equal(self.body, alu, constants, &candidates[node.pairs as usize..]);
        let first = if equal { node.all } else { node.distinct };
        let candidates = &candidates[first as usize..];
        // Most operations have none.
        if candidates[0] == END { None } else { self.try_all(id, alu, candidates, equal) }
    }

    /// The first rule of a list of candidates that applies.
    #[inline(never)]
    fn try_all(&mut self, id: InstrId, alu: &Alu, candidates: &[u16], equal: bool) -> Option<Found> {
        let table = self.table;
        let mut search = None;
        for &candidate in candidates.iter().take_while(|&&candidate| candidate != END) {
            let variant = &table.variants[usize::from(candidate)];
            if equal && !equal::may_match(self.body, alu, variant) {
                continue;
            }
            let m = search.get_or_insert_with(|| Match::new(self.body, table, self.body[id].ty));
            if let Some(found) = self.candidate(m, alu, variant) {
                return Some(found);
            }
        }
        if let Some(Match { several, .. }) = search
            && !several.is_empty()
        {
            self.missed.extend(several.into_iter().map(|operand| (id, operand)));
        }
        None
    }

    /// The state of a constant operand.
    fn constant_state(&self, alu: &Alu, i: usize, ty: Ty) -> u16 {
        let src = alu.src(i);
        let constant = &self.body[src.value];
        let Some(lanes) = constant.as_const() else { return OTHER_STATE };
        let value = lanes[src.swizzle.get(0)];
        let count = alu.op.info().operand_comps(i, ty.comps) as usize;
        if (1..count).any(|lane| lanes[src.swizzle.get(lane)] != value) {
            return self.table.constants.mixed;
        }
        self.table.constants.state(value, constant.ty.bits)
    }

    /// The values of a rule's variables, if a variant of it applies.
    fn candidate(&self, m: &mut Match<'_>, alu: &Alu, variant: &Variant) -> Option<Found> {
        m.reset();
        if !m.root(alu, variant.args) || !self.permits(m, alu, variant.rule) {
            return None;
        }
        let flags = (m.all & AluFlags::RELAXED) | (m.any & AluFlags::EXACT);
        Some(Found { rule: variant.rule, slots: m.slots, flags })
    }

    /// Whether flags and conditions permit a rule that matches.
    fn permits(&self, m: &mut Match<'_>, alu: &Alu, index: u16) -> bool {
        let rule = &self.table.rules[index as usize];
        if self.filtered {
            let only = !self.options.only.0.is_empty() && !self.options.only.contains(index);
            if only || self.options.without.contains(index) {
                return false;
            }
        }
        if rule.flags != Flags::default() {
            if m.any.contains(AluFlags::EXACT) || self.options.exact {
                return false;
            }
            if rule.flags.intersects(Flags::FAST) && !self.options.fast {
                return false;
            }
            if self.preserved != 0 && rule.flags.intersects(Flags::SPECIAL) {
                // The width of the floats: of the result, or of the operands of a comparison or conversion.
                let width = |bits: u8| self.preserved & bits != 0;
                let operands = alu.values().iter().zip(alu.op.info().operands);
                let reads = operands.filter(|(_, o)| o.base == Base::Float);
                if (alu.op.info().result.base == Base::Float && width(m.root.bits))
                    || reads.into_iter().any(|(&v, _)| width(self.body[v].ty.bits))
                    || alu.op.info().operands.iter().all(|o| o.base != Base::Float)
                {
                    return false;
                }
            }
        }
        self.table.checks[range(rule.checks)].iter().all(|check| match *check {
            Check::Widths(a, set, b) => {
                let m = m.bound();
                set & (1 << (m.bits(a).cmp(&m.bits(b)) as i8 + 1)) != 0
            }
            Check::True(node) => {
                let lanes = m.root.comps as usize;
                m.bound().constant(node, lanes).is_some_and(|k| (0..lanes).all(|l| k.lanes[l] & 1 != 0))
            }
            Check::Known(fact, slot) => {
                let slot = m.slots[slot as usize];
                let holds = facts::holds(self.body, fact, slot.src, slot.lanes as usize);
                if !holds && fact == Fact::Single {
                    m.several.push(slot.src.value);
                }
                holds
            }
        })
    }

    /// Replaces an operation by the result of a rule.
    fn apply(&mut self, id: InstrId, alu: &Alu, found: &Found, depth: u32) {
        self.fired.push(found.rule);
        let ty = self.body[id].ty;
        let rhs = self.table.rules[found.rule as usize].rhs;
        let mut build = Build { root: ty, found, loc: self.body[id].loc, at: id, depth, rewriter: self };
        let kind = build.root(rhs);
        self.set(id, alu, kind);
    }

    /// Changes an operation and removes operands that become unused.
    fn set(&mut self, id: InstrId, old: &Alu, kind: InstrKind) {
        self.body.set_kind(id, kind);
        self.remove_unused(old);
    }

    fn with_dead(&mut self, old: &Alu, edit: impl FnOnce(&mut Body) -> bool) -> bool {
        let changed = edit(self.body);
        if changed {
            self.remove_unused(old);
        }
        changed
    }

    /// Replaces an operation, and removes operands that become unused.
    pub fn replace(&mut self, id: InstrId, kind: InstrKind) {
        let InstrKind::Alu(old) = self.body[id].kind else { return };
        self.set(id, &old, kind);
    }

    /// Propagates plain copies to the operands of an instruction, and removes copies that become unused.
    pub fn whole_operands(&mut self, id: InstrId) -> bool {
        let mut copies: SmallVec<[InstrId; 8]> = SmallVec::new();
        self.body[id].visit_operands(|v| {
            if copy_prop::source(self.body, v) != v {
                copies.push(v);
            }
        });
        if copies.is_empty() {
            return false;
        }
        let changed = copy_prop::whole_operands(self.body, id);
        self.remove_dead(copies);
        changed
    }

    /// Removes a value if it is unused.
    pub fn remove_if_unused(&mut self, value: InstrId) {
        self.remove_dead(SmallVec::from_slice(&[value]));
    }

    /// How many operations wait for an operand to lose its other uses.
    pub fn num_missed(&self) -> usize {
        self.missed.len()
    }

    /// Tries rules again that did not apply because an operand had several uses.
    pub fn retry(&mut self) -> bool {
        let mut progress = false;
        for (id, operand) in std::mem::take(&mut self.missed) {
            let single = self.body.get(operand).is_some_and(|i| i.uses() == 1);
            if single && self.body.get(id).is_some_and(|i| i.as_alu().is_some()) {
                progress |= self.simplify(id, 0);
            }
        }
        progress
    }

    /// Tries rules again on instructions that were just created: one of their operands may have had the operation that
    /// they replace as its second use.
    fn retry_created(&mut self, since: usize, depth: u32) {
        for (id, operand) in self.missed.split_off(since) {
            let single = self.body.get(operand).is_some_and(|i| i.uses() == 1);
            let at = self.created.iter().rposition(|&c| c == id);
            let Some(at) = at.filter(|_| single && self.body.get(id).is_some_and(|i| i.as_alu().is_some()))
            else {
                self.missed.push((id, operand));
                continue;
            };
            let end = self.created.len();
            self.simplify(id, depth + 1);
            // They precede the instruction that reads them.
            let new = self.created.split_off(end);
            self.created.splice(at..at, new);
        }
    }

    fn remove_unused(&mut self, old: &Alu) {
        let is_unused = |&value: &InstrId| self.body.get(value).is_some_and(|instr| instr.uses() == 0);
        if !old.values().iter().any(is_unused) {
            return;
        }
        self.remove_dead(SmallVec::from_slice(old.values()));
    }

    fn remove_dead(&mut self, mut list: SmallVec<[InstrId; 8]>) {
        while let Some(value) = list.pop() {
            let Some(instr) = self.body.get(value) else { continue };
            if instr.uses() > 0 {
                continue;
            }
            match &instr.kind {
                InstrKind::Alu(alu) => list.extend_from_slice(alu.values()),
                InstrKind::Const(_) => {}
                // Not phis: their operands may come later.
                InstrKind::Deref(_) | InstrKind::Intrinsic(_) | InstrKind::Tex(_)
                    if instr.can_eliminate() =>
                {
                    instr.visit_operands(|v| list.push(v));
                    self.removed_other = true;
                }
                _ => continue,
            }
            self.body.remove(value);
        }
    }
}

/// Builds a replacement.
struct Build<'r, 'a> {
    rewriter: &'r mut Rewriter<'a>,
    found: &'r Found,
    root: Ty,
    at: InstrId,
    loc: Loc,
    depth: u32,
}

impl Build<'_, '_> {
    /// The kind that the root gets.
    fn root(&mut self, node: u16) -> InstrKind {
        let lanes = self.root.comps as usize;
        if let Some(known) = self.known(node, lanes) {
            return InstrKind::Const(known.lanes);
        }
        let table = self.rewriter.table;
        if let Rep::Make { op, args, .. } = table.reps[node as usize] {
            let srcs = self.operands(op, args, lanes);
            let mut alu = Alu::new(op, self.root.comps, &srcs);
            alu.flags = self.found.flags;
            return InstrKind::Alu(alu);
        }
        let src = self.node(node, lanes);
        InstrKind::Alu(Alu::new(AluOp::mov, self.root.comps, &[src]))
    }

    fn bound(&self) -> Bound<'_> {
        let Rewriter { body, table, .. } = &*self.rewriter;
        Bound { body, table, root: self.root, slots: &self.found.slots }
    }

    fn known(&self, node: u16, lanes: usize) -> Option<Known> {
        let mut known = self.bound().constant(node, lanes)?;
        known.lanes[known.count..].fill(0);
        Some(known)
    }

    fn bits(&self, bits: airfoil_rules::table::Bits) -> u8 {
        self.bound().bits(bits)
    }

    fn operands(&mut self, op: AluOp, args: u16, lanes: usize) -> SmallVec<[Src; 4]> {
        let info = op.info();
        (0..info.num_operands())
            .map(|i| {
                let comps = info.operands[i].comps as usize;
                self.node(args + i as u16, if comps == 0 { lanes } else { comps })
            })
            .collect()
    }

    /// An operand of `lanes` lanes.
    fn node(&mut self, node: u16, lanes: usize) -> Src {
        let table = self.rewriter.table;
        match table.reps[node as usize] {
            Rep::Value(slot) => {
                let slot = &self.found.slots[slot as usize];
                if slot.lanes == 1 && lanes > 1 {
                    return Src {
                        value: slot.src.value,
                        swizzle: Swizzle::splat(slot.src.swizzle.get(0), lanes),
                    };
                }
                slot.src
            }
            Rep::Comp(slot, component) => {
                let src = self.found.slots[slot as usize].src;
                let component = src.swizzle.get(component as usize);
                Src { value: src.value, swizzle: Swizzle::splat(component, lanes) }
            }
            Rep::IntOf(..) | Rep::FloatOf(..) | Rep::WidthOf(..) => {
                // A scalar, read by all lanes.
                let known = self.known(node, 1);
                self.constant(known.unwrap_or(Known { lanes: [0; 4], count: 1, bits: 32 }), lanes)
            }
            Rep::Make { op, args, out, .. } => {
                if let Some(known) = self.known(node, lanes) {
                    return self.constant(known, lanes);
                }
                let fixed = op.info().result.comps;
                let comps = if fixed == 0 { lanes as u8 } else { fixed };
                let ty = Ty::new(comps, self.bits(out));
                let srcs = self.operands(op, args, lanes);
                let mut alu = Alu::new(op, comps, &srcs);
                alu.flags = self.found.flags;
                let instr = Instr::new(InstrKind::Alu(alu), ty).at(self.loc);
                let id = self.rewriter.body.insert(Cursor::Before(self.at), instr);
                if self.depth < MOST_DEPTH {
                    self.rewriter.simplify(id, self.depth + 1);
                } else {
                    self.rewriter.cut = true;
                }
                self.rewriter.created.push(id);
                self.read(id, if fixed == 1 { 1 } else { lanes }, lanes)
            }
        }
    }

    /// Reads a new value; a move is read through.
    fn read(&mut self, id: InstrId, has: usize, lanes: usize) -> Src {
        let swizzle = if has == 1 { Swizzle::splat(0, lanes) } else { Swizzle::IDENTITY };
        let body = &mut *self.rewriter.body;
        if let Some(alu) = body[id].as_alu()
            && alu.op == AluOp::mov
        {
            let src = alu.src(0);
            body.remove(id);
            return Src { value: src.value, swizzle: swizzle.compose(src.swizzle, lanes) };
        }
        Src { value: id, swizzle }
    }

    fn constant(&mut self, known: Known, lanes: usize) -> Src {
        let equal = known.lanes[..known.count].iter().all(|l| *l == known.lanes[0]);
        let comps = if equal { 1 } else { known.count };
        let mut values = known.lanes;
        values[comps..].fill(0);
        let instr = Instr::new(InstrKind::Const(values), Ty::new(comps as u8, known.bits)).at(self.loc);
        let id = self.rewriter.body.insert(Cursor::Before(self.at), instr);
        self.rewriter.created.push(id);
        let swizzle = if comps == 1 { Swizzle::splat(0, lanes) } else { Swizzle::IDENTITY };
        Src { value: id, swizzle }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::TABLE;
    use airfoil_ir::generate::{self, from_seed};

    /// The first variant of a root's operation that applies, by trying all of them.
    fn search(rewriter: &Rewriter<'_>, id: InstrId, alu: &Alu) -> Option<u16> {
        let mut m = Match::new(rewriter.body, rewriter.table, rewriter.body[id].ty);
        let (first, end) = rewriter.table.entries[alu.op as usize].variants;
        let variants = &rewriter.table.variants[first.into()..end.into()];
        variants.iter().find_map(|v| rewriter.candidate(&mut m, alu, v)).map(|found| found.rule)
    }

    #[test]
    fn the_automaton_finds_what_a_search_through_all_rules_finds() {
        let (mut found, mut operations) = (0, 0);
        for seed in 0..400 {
            let options = generate::Options { form: None, instrs: 150, ..Default::default() };
            let mut shader = from_seed(seed, &options);
            let pass = crate::opt::algebraic::Algebraic::default();
            for function in shader.functions.values_mut() {
                let mut rewriter = pass.rewriter(&mut function.body, 0);
                let ids: Vec<InstrId> = rewriter.body.entries().map(|(id, _)| id).collect();
                for id in ids {
                    let InstrKind::Alu(alu) = rewriter.body[id].kind else { continue };
                    let Operands { states, constants, .. } = rewriter.operands(&alu);
                    // Rules have constants as second operands.
                    if constants & 3 == 1 && alu.op.info().props.contains(AluProps::COMMUTATIVE) {
                        continue;
                    }
                    let expected = search(&rewriter, id, &alu);
                    let rule = rewriter.find(id, &alu, &states, constants).map(|found| found.rule);
                    let name = |rule: Option<u16>| rule.map(|r| TABLE.rules[usize::from(r)].name);
                    assert_eq!(name(rule), name(expected), "seed {seed}: {id:?}, {alu:?}");
                    operations += 1;
                    found += u32::from(rule.is_some());
                }
            }
        }
        assert!(found > 1000, "{found} of {operations} operations match");
    }
}
