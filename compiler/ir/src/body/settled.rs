//! Which instructions a pass has finished with.

use super::Body;
use crate::ids::InstrId;

impl Body {
    /// Begins a run of a pass that [settles](Body::settle) instructions. `by` identifies the pass and its options: marks and
    /// [notes](Body::note) of another one are removed.
    pub fn start_settling(&mut self, by: u64) {
        if self.settled_by != by {
            self.settled_by = by;
            for node in self.instrs.values_mut() {
                (node.instr.settled, node.instr.note) = (false, 0);
            }
        }
    }

    /// Marks an instruction as one that the pass would leave as it is. The mark is removed when the operation or one of
    /// its operands is replaced; changes further up, to the operands of operands, leave it.
    #[inline]
    pub fn settle(&mut self, id: InstrId) {
        self.instrs[id].instr.settled = true;
    }

    /// Whether an instruction has been marked and is the same since.
    #[inline]
    pub fn is_settled(&self, id: InstrId) -> bool {
        self[id].settled
    }

    /// Keeps a number of the pass's own with an instruction. Unlike the mark, it stays when the instruction changes.
    #[inline]
    pub fn set_note(&mut self, id: InstrId, note: u16) {
        self.instrs[id].instr.note = note;
    }

    /// The number that the pass keeps with an instruction, 0 unless it has set one.
    #[inline]
    pub fn note(&self, id: InstrId) -> u16 {
        self[id].note
    }
}

#[cfg(test)]
mod tests {
    use crate::{Alu, AluOp, Body, Builder, Instr, InstrKind, Replacements, Ty};

    #[test]
    fn marks_go_with_each_change_of_the_operation_or_its_operands() {
        let mut body = Body::new();
        let mut b = Builder::at_end(&mut body);
        let (one, two) = (b.imm_u32(1), b.imm_u32(2));
        // Not by the builder, which folds constants.
        let sum = InstrKind::Alu(Alu::new(AluOp::iadd, 1, &[one.into(), one.into()]));
        let sum = b.body.insert(b.cursor, Instr::new(sum, Ty::B32));
        let settled = |body: &mut Body, change: &dyn Fn(&mut Body)| {
            body.start_settling(7);
            body.settle(sum);
            assert!(body.is_settled(sum));
            change(body);
            body.is_settled(sum)
        };
        assert!(settled(&mut body, &|b| b.start_settling(7)));
        assert!(!settled(&mut body, &|b| b.start_settling(8)));
        assert!(settled(&mut body, &|b| _ = b.map_operands(sum, |v| v)));
        assert!(!settled(&mut body, &|b| _ = b.map_operands(sum, |_| two)));
        assert!(!settled(&mut body, &|b| b.replace_uses(two, one)));
        assert!(!settled(&mut body, &|b| {
            let mut all = Replacements::default();
            all.insert(one, two);
            b.replace_all(&all);
        }));
        assert!(!settled(&mut body, &|b| b.edit(sum, |_| {})));
        assert!(!settled(&mut body, &|b| b.set_kind(sum, InstrKind::Undef)));
        let copy = body[sum].clone();
        body.settle(sum);
        let copy = body.insert(crate::Cursor::After(sum), copy);
        assert!(!body.is_settled(copy));
    }

    #[test]
    fn notes_stay_until_another_pass_begins() {
        let mut body = Body::new();
        let mut b = Builder::at_end(&mut body);
        let (one, two) = (b.imm_u32(1), b.imm_u32(2));
        body.start_settling(7);
        body.set_note(one, 3);
        body.set_kind(one, InstrKind::Undef);
        body.start_settling(7);
        assert_eq!((body.note(one), body.note(two)), (3, 0));
        body.start_settling(8);
        assert_eq!(body.note(one), 0);
    }
}
