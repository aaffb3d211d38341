//! Applies rules to instructions.

use super::matcher::{Known, Match};
use super::{Options, facts, folded};
use crate::opt::copy_prop;
use airfoil_ir::alu::{AluFlags, AluProps, Base};
use airfoil_ir::{Alu, AluOp, Body, Cursor, Instr, InstrId, InstrKind, Loc, Src, Swizzle, Ty};
use airfoil_rules::table::{
    ANY_HEAD, CONST_HEAD, Check, Entry, Fact, Flags, Rep, SLOTS, Table, inner_bit, range,
};
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
}

/// A replacement that is ready to be built: a rule, and the values of its variables.
struct Found {
    rule: u16,
    slots: [super::matcher::Slot; SLOTS],
    flags: AluFlags,
}

/// The root of a match, with facts that exclude most patterns.
struct Root<'a> {
    alu: &'a Alu,
    /// The operation of each operand, or [`CONST_HEAD`], 16 bits each.
    kinds: u64,
    /// The operations and constants that the operands of its operands are, as in
    /// [`Variant::inner`](airfoil_rules::table::Variant).
    inner: u64,
    /// Which neighbouring operands can be equal, as in [`Variant::same`](airfoil_rules::table::Variant).
    same: u8,
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
        }
    }

    /// Simplifies an operation whose operands are simple; true if it changed. It keeps its value.
    pub fn simplify(&mut self, id: InstrId, depth: u32) -> bool {
        let mut progress = false;
        let mut steps = 0;
        while steps < MOST_STEPS {
            steps += 1;
            let InstrKind::Alu(alu) = &self.body[id].kind else { break };
            let alu = *alu;
            if copy_prop::reads_moves(self.body, &alu)
                && self.with_dead(&alu, |body| copy_prop::alu_operands(body, id, alu))
            {
                progress = true;
                continue;
            }
            let constant = |&v: &InstrId| matches!(self.body[v].kind, InstrKind::Const(_));
            if constant(&alu.values()[0])
                && (alu.op == AluOp::bcsel || alu.values().iter().all(constant))
                && let Some(kind) = folded(self.body, id)
            {
                self.set(id, &alu, kind);
                progress = true;
                continue;
            }
            if alu.op == AluOp::mov {
                break;
            }
            if self.order(id, &alu) {
                progress = true;
                continue;
            }
            let Some(found) = self.find(id, &alu) else { break };
            let missed = self.missed.len();
            self.apply(id, &alu, &found, depth);
            if self.missed.len() > missed && depth < MOST_DEPTH {
                self.retry_created(missed, depth);
            }
            progress = true;
        }
        self.cut |= steps == MOST_STEPS;
        progress
    }

    /// Makes a constant the second operand of a commutative operation.
    fn order(&mut self, id: InstrId, alu: &Alu) -> bool {
        let constant = |i: usize| matches!(self.body[alu.src(i).value].kind, InstrKind::Const(_));
        if !alu.op.info().props.contains(AluProps::COMMUTATIVE) || !constant(0) || constant(1) {
            return false;
        }
        let mut srcs: SmallVec<[Src; 4]> = alu.srcs().collect();
        srcs.swap(0, 1);
        let mut new = Alu::new(alu.op, self.body[id].ty.comps, &srcs);
        new.flags = alu.flags;
        self.body.set_kind(id, InstrKind::Alu(new));
        true
    }

    /// The first rule that applies. Operands that have too many uses for a rule are noted.
    fn find(&mut self, id: InstrId, alu: &Alu) -> Option<Found> {
        let mut several = SmallVec::new();
        let found = self.find_rule(id, alu, &mut several);
        if found.is_none() {
            self.missed.extend(several.into_iter().map(|operand| (id, operand)));
        }
        found
    }

    fn find_rule(&self, id: InstrId, alu: &Alu, several: &mut SmallVec<[InstrId; 4]>) -> Option<Found> {
        let table = self.table;
        let entry: Entry = table.entries[alu.op as usize];
        let values = alu.values();
        let (mut kinds, mut inner) = ([ANY_HEAD; 4], 0);
        for (i, (kind, &value)) in kinds.iter_mut().zip(values).enumerate() {
            *kind = match &self.body[value].kind {
                InstrKind::Alu(operand) => {
                    for (j, &value) in operand.values().iter().enumerate() {
                        inner |= match &self.body[value].kind {
                            InstrKind::Alu(operand) => inner_bit(i, j, operand.op as u16),
                            InstrKind::Const(_) => inner_bit(i, j, CONST_HEAD),
                            _ => 0,
                        };
                    }
                    operand.op as u16
                }
                InstrKind::Const(_) => CONST_HEAD,
                _ => ANY_HEAD,
            };
        }
        let packed = kinds.iter().rev().fold(0, |all, &kind| all << 16 | u64::from(kind));
        let equal = |i: usize| {
            let both = values.get(i).zip(values.get(i + 1));
            both.is_some_and(|(a, b)| a == b) || (kinds[i] == CONST_HEAD && kinds[i + 1] == CONST_HEAD)
        };
        let root = Root { alu, kinds: packed, inner, same: u8::from(equal(0)) | u8::from(equal(1)) << 1 };
        let mut m = None;
        let mut found = None;
        for (i, &kind) in kinds.iter().enumerate().take(values.len()) {
            let heads = &table.heads[range(entry.heads)];
            if found.is_some() || kind == ANY_HEAD || heads.is_empty() {
                continue;
            }
            if let Ok(at) = heads.binary_search_by_key(&(i as u8, kind), |h| (h.operand, h.head)) {
                found = self.first(&mut m, id, &root, heads[at].variants);
            }
        }
        let found = found.or_else(|| self.first(&mut m, id, &root, entry.any));
        if let Some(m) = m {
            *several = m.several;
        }
        found
    }

    fn first<'m>(
        &'m self,
        m: &mut Option<Match<'m>>,
        id: InstrId,
        root: &Root<'_>,
        variants: (u16, u16),
    ) -> Option<Found> {
        let table = self.table;
        for variant in &table.variants[range(variants)] {
            if (root.kinds ^ variant.needs) & variant.mask != 0
                || variant.inner & !root.inner != 0
                || variant.same & !root.same != 0
            {
                continue;
            }
            let m = m.get_or_insert_with(|| Match::new(self.body, table, self.body[id].ty));
            if !m.can_match(root.alu, variant.args) {
                continue;
            }
            m.reset();
            if m.operation(root.alu, variant.args, Swizzle::IDENTITY, m.root.comps as usize)
                && self.permits(m, root.alu, variant.rule)
            {
                let flags = (m.all & AluFlags::RELAXED) | (m.any & AluFlags::EXACT);
                return Some(Found { rule: variant.rule, slots: m.slots, flags });
            }
        }
        None
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
            Check::Widths(a, set, b) => set & (1 << (m.bits(a).cmp(&m.bits(b)) as i8 + 1)) != 0,
            Check::True(node) => {
                let lanes = m.root.comps as usize;
                m.constant(node, lanes).is_some_and(|k| (0..lanes).all(|l| k.lanes[l] & 1 != 0))
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

    /// Replaces an operation by what a rule makes of it.
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

    fn known(&self, node: u16, lanes: usize) -> Option<Known> {
        let mut m = Match::new(self.rewriter.body, self.rewriter.table, self.root);
        m.slots = self.found.slots;
        let mut known = m.constant(node, lanes)?;
        known.lanes[known.count..].fill(0);
        Some(known)
    }

    fn bits(&self, bits: airfoil_rules::table::Bits) -> u8 {
        let mut m = Match::new(self.rewriter.body, self.rewriter.table, self.root);
        m.slots = self.found.slots;
        m.bits(bits)
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
