//! Evaluation of instructions whose operands are known, for passes that follow the execution of code.

use airfoil_ir::{AluOp, Body, Dense, InstrId, InstrKind, Lanes, MAX_COMPONENTS, Scratch};

/// The values that are known at a position.
#[derive(Debug, Default)]
pub(crate) struct Known {
    /// For each value, one more than its index in `entries`; 0 if it is not known.
    index: Dense<u32>,
    /// Also holds values that are not known any more.
    entries: Scratch<(InstrId, Lanes)>,
}

impl Known {
    /// The lanes of a value.
    pub fn get(&self, id: InstrId) -> Option<&Lanes> {
        let (known, lanes) = &self.entries[self.index.get(id).checked_sub(1)? as usize];
        (*known == id).then_some(lanes)
    }

    /// Sets the lanes of a value.
    pub fn insert(&mut self, id: InstrId, lanes: Lanes) {
        match self.index.get(id).checked_sub(1) {
            Some(at) => self.entries[at as usize] = (id, lanes),
            None => {
                self.entries.push((id, lanes));
                self.index.set(id, self.entries.len() as u32);
            }
        }
    }

    /// Forgets a value.
    pub fn remove(&mut self, id: InstrId) {
        if self.index.get(id) != 0 {
            self.index.set(id, 0);
        }
    }

    /// Forgets all values, keeping the allocations.
    pub fn clear(&mut self) {
        self.entries.drain(..).for_each(|(id, _)| self.index.set(id, 0));
    }

    /// The values that are known.
    pub fn entries(&self) -> Vec<(InstrId, Lanes)> {
        let is_known = |&(at, (id, _)): &(usize, &(InstrId, Lanes))| self.index.get(*id) as usize == at + 1;
        self.entries.iter().enumerate().filter(is_known).map(|(_, &entry)| entry).collect()
    }

    /// Forgets all values but these.
    pub fn reset(&mut self, entries: Vec<(InstrId, Lanes)>) {
        self.clear();
        entries.into_iter().for_each(|(id, lanes)| self.insert(id, lanes));
    }
}

/// The lanes of an instruction's value if `known` knows its operands, or enough of them; `None` for quad operations and all
/// that is not arithmetic.
pub(crate) fn evaluate(body: &Body, id: InstrId, known: impl Fn(InstrId) -> Option<Lanes>) -> Option<Lanes> {
    let ty = body[id].ty;
    let alu = match &body[id].kind {
        InstrKind::Const(lanes) => return Some(*lanes),
        InstrKind::Alu(alu) => alu,
        _ => return None,
    };
    let info = alu.op.info();
    let read = |i: usize| -> Option<Lanes> {
        let src = alu.src(i);
        let value = known(src.value)?;
        let mut lanes = [0; MAX_COMPONENTS];
        for (lane, out) in lanes.iter_mut().enumerate().take(info.operand_comps(i, ty.comps) as usize) {
            *out = value[src.swizzle.get(lane)];
        }
        Some(lanes)
    };
    if alu.op == AluOp::bcsel {
        let cond = read(0)?;
        let lanes = &cond[..ty.comps as usize];
        // One operand is enough if all lanes choose it.
        if lanes.iter().all(|&c| c & 1 == lanes[0] & 1) {
            return read(if lanes[0] & 1 != 0 { 1 } else { 2 });
        }
    }
    let mut values = [[0; MAX_COMPONENTS]; 4];
    let mut bits = 0;
    for (i, value) in values.iter_mut().enumerate().take(info.num_operands()) {
        *value = read(i)?;
        if info.operands[i].bits == 0 {
            bits = u32::from(body[alu.src(i).value].ty.bits);
        }
    }
    alu.op.eval(bits, ty, &values[..info.num_operands()])
}

#[cfg(test)]
mod tests {
    use super::*;
    use airfoil_ir::Builder;

    #[test]
    fn known_values_can_be_replaced_forgotten_and_reset() {
        let mut body = Body::new();
        let mut b = Builder::at_end(&mut body);
        let [x, y, z] = [1, 2, 3].map(|n| b.imm_u32(n));
        let mut known = Known::default();
        known.insert(x, [1; 4]);
        known.insert(y, [2; 4]);
        known.insert(x, [3; 4]);
        assert_eq!((known.get(x), known.get(y), known.get(z)), (Some(&[3; 4]), Some(&[2; 4]), None));
        known.remove(x);
        known.insert(z, [4; 4]);
        known.insert(x, [5; 4]);
        let entries = known.entries();
        assert_eq!(entries, [(y, [2; 4]), (z, [4; 4]), (x, [5; 4])]);
        known.insert(x, [6; 4]);
        known.remove(y);
        known.reset(entries);
        assert_eq!((known.get(x), known.get(y)), (Some(&[5; 4]), Some(&[2; 4])));
        known.clear();
        assert_eq!((known.get(x), known.get(y), known.get(z), known.entries().len()), (None, None, None, 0));
    }

    #[test]
    fn an_instruction_that_reuses_an_index_is_not_known() {
        let mut body = Body::new();
        let old = Builder::at_end(&mut body).imm_u32(1);
        let mut known = Known::default();
        known.insert(old, [1; 4]);
        body.remove(old);
        let new = Builder::at_end(&mut body).imm_u32(2);
        assert_eq!((new.index(), known.get(new)), (old.index(), None));
    }
}
