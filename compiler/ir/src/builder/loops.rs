//! Loops with phis.

use super::Builder;
use crate::body::Cursor;
use crate::ids::{CfId, InstrId};
use crate::instr::{Jump, PhiSrc};

impl Builder<'_> {
    /// A phi of a loop that was just [pushed](Builder::push_loop): `initial` in the first turn. Later ones get their
    /// value from [`end_turn`](Builder::end_turn).
    pub fn loop_phi(&mut self, cf: CfId, initial: InstrId) -> InstrId {
        let before = self.body.cf(cf).prev();
        let ty = self.ty(initial);
        let cursor = self.cursor;
        if let Some(l) = self.body.as_loop(cf) {
            self.cursor = self.body.after_phis(l.body().first);
        }
        let phi = self.phi(ty, &[PhiSrc { pred: before, value: initial }]);
        // Instructions follow all phis.
        let among_phis = match cursor {
            Cursor::BlockStart(_) => true,
            Cursor::After(id) => self.body[id].as_phi().is_some(),
            Cursor::Before(_) | Cursor::BlockEnd(_) => false,
        };
        if !among_phis {
            self.cursor = cursor;
        }
        phi
    }

    /// Gives phis of a loop their values in the next iteration, at the cursor, from which the next iteration starts.
    pub fn end_turn(&mut self, next: &[(InstrId, InstrId)]) {
        let pred = self.block();
        for &(phi, value) in next {
            self.body.set_phi_src(phi, PhiSrc { pred, value });
        }
    }

    /// A loop of `count` turns, an unsigned integer, that carries values from turn to turn.
    ///
    /// `turn` builds the code of a turn from its index and the values at its start, and returns the values at its end,
    /// as many and of the same types. It may break out of the loop, but must not continue it. Returns the values at
    /// the start of the turn in which the loop ended, and the cursor is after the loop.
    ///
    /// ```
    /// use airfoil_ir::{Body, Builder};
    ///
    /// let mut body = Body::new();
    /// let mut b = Builder::at_end(&mut body);
    /// let (count, one) = (b.imm_u32(5), b.imm_u32(1));
    /// // The product of 1 to 5.
    /// let product = b.counted_loop(count, &[one], |b, i, values| {
    ///     let factor = b.iadd(i, one);
    ///     vec![b.imul(values[0], factor)]
    /// });
    /// assert_eq!(product.len(), 1);
    /// ```
    pub fn counted_loop(
        &mut self,
        count: InstrId,
        carried: &[InstrId],
        turn: impl FnOnce(&mut Builder<'_>, InstrId, &[InstrId]) -> Vec<InstrId>,
    ) -> Vec<InstrId> {
        let bits = self.ty(count).bits;
        let zero = self.imm(bits, 0);
        let cf = self.push_loop();
        let index = self.loop_phi(cf, zero);
        let values: Vec<InstrId> = carried.iter().map(|&initial| self.loop_phi(cf, initial)).collect();
        let done = self.uge(index, count);
        let check = self.push_if(done);
        self.jump(Jump::Break);
        self.pop(check);
        let next = turn(self, index, &values);
        debug_assert_eq!(next.len(), values.len(), "a value for the next turn is missing");
        let one = self.imm(bits, 1);
        let next_index = self.iadd(index, one);
        let next: Vec<(InstrId, InstrId)> =
            std::iter::once((index, next_index)).chain(values.iter().copied().zip(next)).collect();
        self.end_turn(&next);
        self.pop(cf);
        values
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::enums::{Form, Stage};
    use crate::shader::{Function, Shader};
    use crate::validate::validate;
    use crate::value::Ty;
    use crate::{Body, text};

    #[test]
    fn counted_loops_are_valid() {
        let mut body = Body::new();
        let mut b = Builder::at_end(&mut body);
        let (outer, inner) = (b.imm_u32(3), b.imm_u32(4));
        let sums = b.counted_loop(outer, &[outer], |b, i, values| {
            b.counted_loop(inner, &[values[0]], |b, j, values| {
                let product = b.imul(i, j);
                vec![b.iadd(values[0], product)]
            })
        });
        assert_eq!(b.ty(sums[0]), Ty::new(1, 32));
        let mut shader = Shader::new("t", Stage::Vertex);
        shader.form = Form::Slots;
        let mut function = Function::new("main");
        function.body = body;
        shader.entry = Some(shader.functions.insert(function));
        let violations = validate(&shader);
        assert!(violations.is_empty(), "{violations:?}\n{}", text::print(&shader));
        let text = text::print(&shader);
        assert_eq!(text.matches(" = phi ").count(), 4, "{text}");
        assert_eq!(text.matches("break").count(), 2, "{text}");
    }
}
