//! Instructions.

use super::Parser;
use crate::errors::{OPTION, Res, TARGETS, fail};
use crate::op::{Form, Op};
use crate::path::Range;
use crate::rule::Rule;
use crate::texture::TextureTarget;
use crate::unit::{Destination, Detail, Instruction, Operand};
use smallvec::SmallVec;

impl Parser<'_, '_> {
    /// The instruction that a word begins.
    pub(super) fn instruction(&mut self, word: &str) -> Res<()> {
        let at = self.here();
        let Some((op, saturate)) = Op::from_name(word, self.target) else {
            return self.unexpected("an instruction, a declaration or `END`");
        };
        self.advance();
        let mut i = Instruction {
            op,
            saturate,
            destination: Destination::None,
            mask: 0xf,
            operands: SmallVec::new(),
            detail: Detail::None,
            at: at as u32,
        };
        match op.info().form {
            Form::Address => {
                i.destination = self.address_destination()?;
                i.operands = self.operands(1, Self::scalar)?;
            }
            Form::Vector(n) => {
                (i.destination, i.mask) = self.destination()?;
                i.operands = self.operands(n, Self::vector)?;
            }
            Form::Scalar(n) => {
                (i.destination, i.mask) = self.destination()?;
                i.operands = self.operands(n, Self::scalar)?;
            }
            Form::Swizzle => {
                (i.destination, i.mask) = self.destination()?;
                i.operands = self.operands(1, Self::plain)?;
                self.expect(b',')?;
                i.detail = Detail::Swizzle(self.extended_swizzle()?);
            }
            Form::Sample => {
                (i.destination, i.mask) = self.destination()?;
                i.operands = self.operands(1, Self::vector)?;
                self.expect(b',')?;
                let (unit, target) = self.texture()?;
                i.detail = Detail::Texture(unit, target);
            }
            Form::Kill => i.operands.push(self.vector()?),
        }
        self.unit.code.push(i);
        self.limit_instructions(at, op)
    }

    /// Operands, each after a comma.
    fn operands(
        &mut self,
        count: u8,
        one: impl Fn(&mut Self) -> Res<Operand>,
    ) -> Res<SmallVec<[Operand; 3]>> {
        let mut operands = SmallVec::new();
        for _ in 0..count {
            self.expect(b',')?;
            operands.push(one(self)?);
        }
        Ok(operands)
    }

    /// The limits on instructions; those of one kind are counted in `counts`.
    fn limit_instructions(&mut self, at: usize, op: Op) -> Res<()> {
        let reserved = self.reserved_instructions();
        let all = self.limits.instructions.saturating_sub(reserved);
        self.limit(at, self.unit.code.len(), all, "instructions")?;
        let counts = &mut self.unit.counts;
        let (count, limit, objects) = if op.is_texture() {
            (&mut counts.tex_instructions, self.limits.tex_instructions, "texture instructions")
        } else {
            let limit = self.limits.alu_instructions.saturating_sub(reserved);
            (&mut counts.alu_instructions, limit, "ALU instructions")
        };
        *count += 1;
        let count = *count as usize;
        if self.target == crate::Target::Fragment { self.limit(at, count, limit, objects) } else { Ok(()) }
    }

    /// `texture[0], 2D`
    fn texture(&mut self) -> Res<(u32, TextureTarget)> {
        self.expect_word("texture")?;
        let mut unit = 0;
        if self.take(b'[') {
            let (limit, name) = Range::ImageUnits.limit(self.limits);
            unit = self.integer_below(limit, name, Rule::Textures)?;
            self.expect(b']')?;
        }
        self.expect(b',')?;
        let at = self.here();
        let Some(target) = self.word().and_then(TextureTarget::from_name) else {
            return self.unexpected("`1D`, `2D`, `3D`, `CUBE` or `RECT`");
        };
        if target.is_shadow() && !self.unit.options.shadow {
            let message = format!(
                "the target {} requires the option ARB_fragment_program_shadow (ARB_fragment_program_shadow section 3.11.4.5.3)",
                target.name()
            );
            return fail(at, OPTION, message);
        }
        self.advance();
        let bound = *self.unit.samplers.entry(unit).or_insert(target);
        if bound != target {
            let message = format!(
                "texture image unit {unit} cannot be sampled with the targets {} and {} {}",
                bound.name(),
                target.name(),
                self.cite(Rule::Textures)
            );
            return fail(at, TARGETS, message);
        }
        Ok((unit, target))
    }
}
