//! Values and constants.

use super::Printer;
use crate::module::{Body, Const, Flags, Md, Type, TypeId, Value, ValueKind};

impl Printer<'_> {
    pub(super) fn value(&mut self, value: Value) {
        match value.kind() {
            ValueKind::Inst(i) => self.put(format_args!("%v{i}")),
            ValueKind::Arg(i) => self.put(format_args!("%a{i}")),
            ValueKind::Global(i) => match self.m.global(i) {
                Some(global) => self.name('@', global.name),
                None => self.put(format_args!("<no global {i}>")),
            },
            ValueKind::Function(_) => match self.m.function(value) {
                Some(function) => self.name('@', function.name),
                None => self.out.push_str("<no function>"),
            },
            ValueKind::Const(i) => self.constant(self.m.constants().ty(i), self.m.constants().get(i)),
            ValueKind::Metadata(_) => self.md(value.as_metadata().unwrap_or(Md::NULL)),
            ValueKind::Local(i) => self.put(format_args!("<local {i}>")),
        }
    }

    pub(super) fn module_value(&mut self, value: Value) {
        self.ty(self.m.module_type(value));
        self.out.push(' ');
        self.value(value);
    }

    pub(super) fn typed(&mut self, body: &Body, value: Value) {
        self.ty(self.m.type_in(body, value));
        self.out.push(' ');
        self.value(value);
    }

    pub(super) fn constant(&mut self, ty: TypeId, constant: Const<'_>) {
        match constant {
            Const::Null => match self.m.types().get(ty) {
                Type::Int(1) => self.out.push_str("false"),
                Type::Int(_) => self.out.push('0'),
                Type::Half | Type::BFloat | Type::Float | Type::Double => self.number(ty, 0),
                Type::Pointer { .. } => self.out.push_str("null"),
                _ => self.out.push_str("zeroinitializer"),
            },
            Const::Undef => self.out.push_str("undef"),
            Const::Poison => self.out.push_str("poison"),
            Const::Int(value) => self.number(ty, value as u64),
            Const::Float(bits) => self.number(ty, bits),
            Const::Data(elements) => {
                let elem = self.m.types().member(ty, 0).unwrap_or(TypeId::VOID);
                self.bracketed(ty, elements, |p, &bits| {
                    p.ty(elem);
                    p.out.push(' ');
                    p.number(elem, bits);
                });
            }
            Const::Aggregate(elements) => self.bracketed(ty, elements, |p, &value| p.module_value(value)),
            Const::Cast(op, value) => {
                self.put(format_args!("{} (", op.name()));
                self.module_value(value);
                self.out.push_str(" to ");
                self.ty(ty);
                self.out.push(')');
            }
            Const::Wide(words) => {
                let bits = self.m.types().bits(ty);
                self.out.push_str(&wide_decimal(words, bits));
            }
            Const::Binary(op, flags, operands) => {
                self.put(format_args!("{} ", op.name()));
                match op.flags() {
                    Flags::Wrap => self.wrap_flags(flags),
                    Flags::Exact => self.out.push_str(["", "exact "][usize::from(flags & 1)]),
                    Flags::Fast | Flags::None => {}
                }
                self.out.push('(');
                self.list(operands, |p, &value| p.module_value(value));
                self.out.push(')');
            }
            Const::Gep(operands) | Const::PlainGep(operands) => {
                self.out.push_str(match constant {
                    Const::Gep(_) => "getelementptr inbounds (",
                    _ => "getelementptr (",
                });
                let pointer = operands.first().map_or(TypeId::VOID, |&p| self.m.module_type(p));
                self.ty(self.m.types().pointee(pointer).unwrap_or(TypeId::VOID));
                self.out.push_str(", ");
                self.list(operands, |p, &value| p.module_value(value));
                self.out.push(')');
            }
        }
    }

    pub(super) fn bracketed<T>(&mut self, ty: TypeId, items: &[T], print: impl FnMut(&mut Self, &T)) {
        let (open, close) = match self.m.types().get(ty) {
            Type::Vector { .. } => ("<", ">"),
            Type::Array { .. } => ("[", "]"),
            Type::Struct { packed: true, .. } | Type::Named { packed: true, .. } => ("<{ ", " }>"),
            _ => ("{ ", " }"),
        };
        self.out.push_str(open);
        self.list(items, print);
        self.out.push_str(close);
    }

    /// A number of scalar type by its bits.
    pub(super) fn number(&mut self, ty: TypeId, bits: u64) {
        match self.m.types().get(ty) {
            Type::Int(1) => self.put(bits & 1 == 1),
            Type::Int(width) => {
                let shift = 64 - width.clamp(1, 64);
                self.put((bits << shift) as i64 >> shift);
            }
            Type::Half => self.put(format_args!("0xH{:04X}", bits & 0xffff)),
            Type::BFloat => self.put(format_args!("0xR{:04X}", bits & 0xffff)),
            Type::Float => self.float(widen(bits as u32)),
            _ => self.float(f64::from_bits(bits)),
        }
    }

    /// Decimal where that is exact, else the bits of the double of the same value.
    pub(super) fn float(&mut self, value: f64) {
        let text = format!("{value:.6e}");
        if value.is_finite() && text.parse() == Ok(value) {
            // LLVM requires a sign and two digits in the exponent.
            let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
            let exponent: i32 = exponent.parse().unwrap_or(0);
            self.put(format_args!(
                "{mantissa}e{}{:02}",
                if exponent < 0 { '-' } else { '+' },
                exponent.abs()
            ));
        } else {
            self.put(format_args!("0x{:016X}", value.to_bits()));
        }
    }
}

/// An integer of more than 64 bits, given by its words from the lowest.
fn wide_decimal(words: &[u64], bits: u32) -> String {
    let at = |i: usize| words.get(i).copied().unwrap_or(0);
    let negative = bits > 0 && at((bits as usize - 1) / 64) >> ((bits - 1) % 64) & 1 == 1;
    let mut digits: Vec<u32> =
        (0..(bits as usize).div_ceil(32)).map(|i| (at(i / 2) >> (i % 2 * 32)) as u32).collect();
    if let Some(top) = digits.last_mut().filter(|_| !bits.is_multiple_of(32)) {
        *top &= (1 << (bits % 32)) - 1;
    }
    if negative {
        let mut carry = true;
        for digit in &mut digits {
            let (sum, more) = (!*digit).overflowing_add(u32::from(carry));
            (*digit, carry) = (sum, more);
        }
        if let Some(top) = digits.last_mut().filter(|_| !bits.is_multiple_of(32)) {
            *top &= (1 << (bits % 32)) - 1;
        }
    }
    let mut text: Vec<u8> = Vec::new();
    while digits.iter().any(|&d| d != 0) {
        let mut rest = 0u64;
        for digit in digits.iter_mut().rev() {
            let value = rest << 32 | u64::from(*digit);
            *digit = (value / 10) as u32;
            rest = value % 10;
        }
        text.push(b'0' + rest as u8);
    }
    if text.is_empty() {
        text.push(b'0');
    }
    if negative {
        text.push(b'-');
    }
    text.iter().rev().map(|&b| char::from(b)).collect()
}

/// The double of the same value; NaNs keep sign, quiet bit and payload.
fn widen(bits: u32) -> f64 {
    let value = f32::from_bits(bits);
    if value.is_nan() {
        let sign = u64::from(bits >> 31) << 63;
        f64::from_bits(sign | 0x7ff << 52 | u64::from(bits & 0x7f_ffff) << 29)
    } else {
        f64::from(value)
    }
}
