//! Executed instructions and their values in readable form.

use crate::observe::Executed;
use airfoil_ir::alu::{Base, f64_from_bits};
use airfoil_ir::{InstrKind, Loc, sign_extend};
use std::fmt::Write as _;

impl Executed<'_> {
    /// The source line of the instruction.
    pub fn loc(&self) -> Loc {
        self.shader.functions.get(self.function).map(|f| f.body[self.instr].loc).unwrap_or_default()
    }

    /// The instruction in text without its source line. Takes time in the size of the function.
    pub fn bare_text(&self) -> String {
        let mut text = self.text();
        let place = text.rfind(" @").filter(|at| {
            let digit = |c: char| c.is_ascii_digit() || c == ':';
            text[at + 2..].chars().all(digit)
        });
        text.truncate(place.unwrap_or(text.len()));
        text
    }

    /// The components of a lane's result as text, by the type that the instruction gives them; `None` as for
    /// [`value`](Executed::value).
    pub fn shown(&self, lane: usize) -> Option<Vec<String>> {
        let (bits, undef) = self.value(lane)?;
        let kind = self.shader.functions.get(self.function).map(|f| &f.body[self.instr].kind);
        let base = match kind {
            Some(InstrKind::Alu(alu)) => alu.op.info().result.base,
            _ => Base::Any,
        };
        let width = u32::from(self.ty.bits);
        let component = |c: usize| match undef >> c & 1 {
            0 => number(base, bits[c], width),
            _ => "undefined".to_string(),
        };
        Some((0..usize::from(self.ty.comps).min(4)).map(component).collect())
    }
}

fn number(base: Base, raw: u64, width: u32) -> String {
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = match base {
        _ if width == 1 => write!(out, "{}", raw & 1 != 0),
        Base::Float => write!(out, "{}", float(raw, width)),
        Base::Int => write!(out, "{}", sign_extend(raw, width)),
        Base::Uint => write!(out, "{raw}"),
        // The result of a move may be either.
        _ if raw < 1 << 16 => write!(out, "{raw}"),
        _ => {
            let x = f64_from_bits(raw, width.max(16));
            match width >= 16 && x.is_finite() && (1e-9..1e12).contains(&x.abs()) {
                true => write!(out, "{raw:#x} ({})", float(raw, width)),
                false if sign_extend(raw, width) < 0 => write!(out, "{raw:#x} ({})", sign_extend(raw, width)),
                false => write!(out, "{raw:#x}"),
            }
        }
    };
    out
}

fn float(raw: u64, width: u32) -> String {
    let x = f64_from_bits(raw, width);
    if width == 64 { format!("{x:?}") } else { format!("{:?}", x as f32) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_by_what_made_them() {
        assert_eq!(number(Base::Float, 0x3fc0_0000, 32), "1.5");
        assert_eq!(number(Base::Int, 0xffff_fffe, 32), "-2");
        assert_eq!(number(Base::Any, 0x3fc0_0000, 32), "0x3fc00000 (1.5)");
        assert_eq!(number(Base::Any, 7, 32), "7");
        assert_eq!(number(Base::Any, 0xffff_ffff, 32), "0xffffffff (-1)");
        assert_eq!(number(Base::Bool, 1, 1), "true");
    }
}
