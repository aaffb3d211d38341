//! Which instructions a pass has finished with.

use super::Body;
use crate::ids::InstrId;

impl Body {
    /// Begins a run of a pass that [settles](Body::settle) instructions. `by` identifies the pass and its options: marks of another
    /// one are removed.
    pub fn start_settling(&mut self, by: u64) {
        if self.settled_by != by {
            self.settled_by = by;
            self.instrs.values_mut().for_each(|node| node.instr.settled = false);
        }
    }

    /// Marks an instruction as one that the pass would leave as it is. The mark is removed when the operation or one of
    /// its operands is replaced; changes further up, to the operands of operands, leave it.
    pub fn settle(&mut self, id: InstrId) {
        self.instrs[id].instr.settled = true;
    }

    /// Whether an instruction has been marked and is the same since.
    pub fn is_settled(&self, id: InstrId) -> bool {
        self[id].settled
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
}
