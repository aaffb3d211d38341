//! Matches patterns with instructions.

use airfoil_ir::alu::f64_to_bits;

use airfoil_ir::{Alu, AluFlags, Body, InstrId, InstrKind, Lanes, Src, Swizzle, Ty, bit_mask};
use airfoil_rules::table::{Bits, NO_SLOT, Pat, Rep, SLOTS, Table};
use slotmap::Key;
use smallvec::SmallVec;

/// A match in progress. Without allocation: a pattern has few variables.
#[derive(Debug)]
pub(super) struct Match<'a> {
    pub body: &'a Body,
    pub table: &'static Table,
    /// Shape of the result of the root.
    pub root: Ty,
    pub slots: [Slot; SLOTS],
    bound: u16,
    /// Flags that all matched operations have.
    pub all: AluFlags,
    /// Flags that a matched operation has.
    pub any: AluFlags,
    /// Operands for which a pattern requires a single use, but that have several.
    pub several: SmallVec<[InstrId; 4]>,
}

/// The value of a variable.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slot {
    pub src: Src,
    /// Number of lanes that are read.
    pub lanes: u8,
}

/// A constant in a condition or replacement.
#[derive(Clone, Copy, Debug)]
pub(super) struct Known {
    pub lanes: Lanes,
    pub count: usize,
    pub bits: u8,
}

impl<'a> Match<'a> {
    pub fn new(body: &'a Body, table: &'static Table, root: Ty) -> Match<'a> {
        let none = Slot { src: Src { value: InstrId::null(), swizzle: Swizzle::IDENTITY }, lanes: 0 };
        Match {
            body,
            table,
            root,
            slots: [none; SLOTS],
            bound: 0,
            all: AluFlags::all(),
            any: AluFlags::empty(),
            several: SmallVec::new(),
        }
    }

    /// Forgets all values, for another pattern.
    pub fn reset(&mut self) {
        (self.bound, self.all, self.any) = (0, AluFlags::all(), AluFlags::empty());
    }

    /// Matches the operands of the root, whose states fit.
    pub fn root(&mut self, alu: &Alu, args: u16) -> bool {
        self.operation(alu, args, Swizzle::IDENTITY, self.root.comps as usize)
    }

    /// Matches the operands of an operation, of which `lanes` lanes of the result are read through `swizzle`.
    fn operation(&mut self, alu: &Alu, args: u16, swizzle: Swizzle, lanes: usize) -> bool {
        let operands = alu.op.info().operands;
        let pats = &self.table.pats[args as usize..args as usize + operands.len()];
        self.all &= alu.flags;
        self.any |= alu.flags;
        // Constants are the last operands, and reject most of the remaining patterns.
        for (i, o) in operands.iter().enumerate().rev() {
            let src = alu.src(i);
            let (src, lanes) = if o.comps == 0 {
                (Src { value: src.value, swizzle: swizzle.compose(src.swizzle, lanes) }, lanes)
            } else {
                (src, o.comps as usize)
            };
            if !self.operand(src, lanes, pats[i]) {
                return false;
            }
        }
        true
    }

    fn operand(&mut self, src: Src, lanes: usize, pat: Pat) -> bool {
        match pat {
            Pat::Any(slot) => self.bind(slot, src, lanes),
            Pat::Const(slot) => {
                matches!(self.body[src.value].kind, InstrKind::Const(_)) && self.bind(slot, src, lanes)
            }
            Pat::Int(value) => self.literal(src, lanes, |bits| value as u64 & bit_mask(bits)),
            Pat::Float(value) => self.literal(src, lanes, |bits| f64_to_bits(f64::from_bits(value), bits)),
            Pat::Op { op, args, slot, single } => {
                let body = self.body;
                let instr = &body[src.value];
                let InstrKind::Alu(alu) = &instr.kind else { return false };
                // A scalar that all lanes read would be computed for each of them.
                if alu.op != op || (single && (instr.ty.comps as usize) < lanes) {
                    return false;
                }
                if single && instr.uses() != 1 {
                    self.several.push(src.value);
                    return false;
                }
                // Operations on whole vectors: only all lanes in order, or a scalar.
                let comps = op.info().result.comps as usize;
                if comps > 1 && !(comps == lanes && src.swizzle.is_identity(lanes)) {
                    return false;
                }
                if slot != NO_SLOT && !self.bind(slot, src, lanes) {
                    return false;
                }
                self.operation(alu, args, src.swizzle, lanes)
            }
        }
    }

    fn bind(&mut self, slot: u8, src: Src, lanes: usize) -> bool {
        let at = slot as usize;
        if self.bound & (1 << at) == 0 {
            self.bound |= 1 << at;
            self.slots[at] = Slot { src, lanes: lanes as u8 };
            return true;
        }
        let there = self.slots[at].src;
        if there.value == src.value {
            return there.swizzle.canonical(lanes) == src.swizzle.canonical(lanes);
        }
        // Equal constants may not have been merged yet.
        match (&self.body[there.value].kind, &self.body[src.value].kind) {
            (InstrKind::Const(a), InstrKind::Const(b)) => {
                self.body[there.value].ty.bits == self.body[src.value].ty.bits
                    && (0..lanes).all(|l| a[there.swizzle.get(l)] == b[src.swizzle.get(l)])
            }
            _ => false,
        }
    }

    fn literal(&self, src: Src, lanes: usize, value: impl FnOnce(u32) -> u64) -> bool {
        let instr = &self.body[src.value];
        let InstrKind::Const(constant) = &instr.kind else { return false };
        let value = value(u32::from(instr.ty.bits));
        (0..lanes).all(|l| constant[src.swizzle.get(l)] == value)
    }

    /// The values of the variables.
    pub fn bound(&self) -> Bound<'_> {
        Bound { body: self.body, table: self.table, root: self.root, slots: &self.slots }
    }
}

/// The values of variables, for conditions and replacements.
pub(super) struct Bound<'a> {
    pub body: &'a Body,
    pub table: &'static Table,
    /// Shape of the result of the root.
    pub root: Ty,
    pub slots: &'a [Slot; SLOTS],
}

impl Bound<'_> {
    /// The bits of a width.
    pub fn bits(&self, bits: Bits) -> u8 {
        match bits {
            Bits::Fixed(bits) => bits,
            Bits::Root => self.root.bits,
            Bits::Slot(slot) => self.body[self.slots[slot as usize].src.value].ty.bits,
        }
    }

    /// The constant that a node yields; `None` if it depends on a value that is not constant.
    pub fn constant(&self, node: u16, lanes: usize) -> Option<Known> {
        let scalar = |value, bits| Known { lanes: [value; 4], count: lanes, bits };
        Some(match self.table.reps[node as usize] {
            Rep::Value(slot) => {
                let slot = &self.slots[slot as usize];
                let instr = &self.body[slot.src.value];
                let constant = instr.as_const()?;
                let mut read = [0; 4];
                for (lane, out) in read.iter_mut().enumerate().take(lanes) {
                    let lane = if slot.lanes == 1 { 0 } else { lane };
                    *out = constant[slot.src.swizzle.get(lane)];
                }
                Known { lanes: read, count: lanes, bits: instr.ty.bits }
            }
            Rep::Comp(..) => return None,
            Rep::IntOf(value, bits) => {
                let bits = self.bits(bits);
                scalar(value as u64 & bit_mask(u32::from(bits)), bits)
            }
            Rep::FloatOf(value, bits) => {
                let bits = self.bits(bits);
                scalar(f64_to_bits(f64::from_bits(value), u32::from(bits)), bits)
            }
            Rep::WidthOf(width, bits) => scalar(u64::from(self.bits(width)), self.bits(bits)),
            Rep::Make { op, args, bits, out } => {
                let info = op.info();
                if !info.is_per_component() {
                    return None;
                }
                let mut values = [[0; 4]; 4];
                for (i, value) in values.iter_mut().enumerate().take(info.num_operands()) {
                    *value = self.constant(args + i as u16, lanes)?.lanes;
                }
                let (bits, out) = (self.bits(bits), self.bits(out));
                let ty = Ty::new(lanes as u8, out);
                let result = op.eval(u32::from(bits), ty, &values[..info.num_operands()])?;
                Known { lanes: result, count: lanes, bits: out }
            }
        })
    }
}
