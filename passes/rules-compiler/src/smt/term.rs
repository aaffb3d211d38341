//! Terms: a value as a bit vector, as a float, or as a real number.

/// A term of the solver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Term {
    text: String,
    sort: Sort,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sort {
    Bits(u32),
    Float(u32),
    Real,
}

/// Bits of exponent and significand of a float.
fn layout(bits: u32) -> Option<(u32, u32)> {
    match bits {
        16 => Some((5, 11)),
        32 => Some((8, 24)),
        64 => Some((11, 53)),
        _ => None,
    }
}

impl Term {
    /// A bit vector.
    pub fn bits(text: &str, bits: u32) -> Term {
        Term { text: text.into(), sort: Sort::Bits(bits) }
    }

    /// A float.
    pub fn float(text: String, bits: u32) -> Term {
        Term { text, sort: Sort::Float(bits) }
    }

    /// A real number.
    pub fn real(text: &str) -> Term {
        Term { text: text.into(), sort: Sort::Real }
    }

    /// A truth value as one bit.
    pub fn truth(condition: &str) -> Term {
        Term::bits(&format!("(ite {condition} #b1 #b0)"), 1)
    }

    /// A constant bit vector.
    pub fn constant(value: u64, bits: u32) -> Term {
        Term::bits(&format!("(_ bv{value} {bits})"), bits)
    }

    /// The name of the same term.
    pub fn named(&self, name: &str) -> Term {
        Term { text: name.into(), sort: self.sort }
    }

    /// The text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The sort in SMT-LIB.
    pub fn sort(&self) -> String {
        match self.sort {
            Sort::Bits(bits) => format!("(_ BitVec {bits})"),
            Sort::Float(bits) => float_sort(bits),
            Sort::Real => "Real".into(),
        }
    }

    /// The term as a bit vector.
    pub fn as_bits(&self) -> Option<&str> {
        matches!(self.sort, Sort::Bits(_)).then_some(&*self.text)
    }

    /// The term as a real number.
    pub fn as_real(&self) -> Option<&str> {
        (self.sort == Sort::Real).then_some(&*self.text)
    }

    /// The term as a float.
    pub fn as_float(&self) -> Option<String> {
        match self.sort {
            Sort::Float(_) => Some(self.text.clone()),
            Sort::Bits(bits) => {
                let (e, s) = layout(bits)?;
                Some(format!("((_ to_fp {e} {s}) {})", self.text))
            }
            Sort::Real => None,
        }
    }

    /// Width of the value, 0 for real numbers.
    pub fn width(&self) -> u32 {
        match self.sort {
            Sort::Bits(bits) | Sort::Float(bits) => bits,
            Sort::Real => 0,
        }
    }

    /// A float literal of the same width.
    pub fn float_literal(&self, value: f64) -> Option<String> {
        Some(float_literal(value, self.width()).as_float()?.to_string())
    }

    /// Whether the term is a float or real, not bits.
    pub fn is_float(&self) -> bool {
        matches!(self.sort, Sort::Float(_))
    }
}

/// A float constant.
pub fn float_literal(value: f64, bits: u32) -> Term {
    Term::constant(airfoil_ir::alu::f64_to_bits(value, bits), bits)
}

/// The sort of floats of a width.
pub fn float_sort(bits: u32) -> String {
    let (e, s) = layout(bits).unwrap_or((8, 24));
    format!("(_ FloatingPoint {e} {s})")
}

/// The conversion to floats of a width.
pub fn to_fp(bits: u32) -> String {
    let (e, s) = layout(bits).unwrap_or((8, 24));
    format!("(_ to_fp {e} {s})")
}
