//! Words that printer and parser share: names of types and the first words of instructions.

use crate::alu::{ALU_OPS, AluOp};
use crate::enums::{Named, NamedFlags, Scalar};
use crate::instr::Jump;
use crate::intrinsic::{INTRINSIC_OPS, IntrinsicOp};
use crate::tex::TexOp;
use crate::types::Type;
use rustc_hash::FxHashMap;
use std::sync::LazyLock;

/// The meaning of the first word of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Op {
    Alu(AluOp),
    Intrinsic(IntrinsicOp),
    Tex(TexOp),
    Jump(Jump),
    DerefVar,
    DerefArray,
    DerefWildcard,
    DerefStruct,
    DerefCast,
    DerefPtr,
    Const,
    Undef,
    Phi,
    Call,
}

/// First words of instructions that have no table.
pub(super) const OTHER_OPS: &[(&str, Op)] = &[
    ("deref_var", Op::DerefVar),
    ("deref_array", Op::DerefArray),
    ("deref_array_wildcard", Op::DerefWildcard),
    ("deref_struct", Op::DerefStruct),
    ("deref_cast", Op::DerefCast),
    ("deref_ptr_as_array", Op::DerefPtr),
    ("const", Op::Const),
    ("undef", Op::Undef),
    ("phi", Op::Phi),
    ("call", Op::Call),
];

/// Every first word of an instruction.
pub(super) static OPS: LazyLock<FxHashMap<&'static str, Op>> = LazyLock::new(|| {
    let alu = ALU_OPS.iter().map(|&op| (op.name(), Op::Alu(op)));
    let intrinsics = INTRINSIC_OPS.iter().map(|&op| (op.name(), Op::Intrinsic(op)));
    let tex = TexOp::ALL.iter().map(|&op| (op.name(), Op::Tex(op)));
    let jumps = Jump::ALL.iter().map(|&j| (j.name(), Op::Jump(j)));
    alu.chain(intrinsics).chain(tex).chain(jumps).chain(OTHER_OPS.iter().copied()).collect()
});

/// Prefix of the vector and matrix types of a component type.
const fn prefix(scalar: Scalar) -> &'static str {
    match scalar {
        Scalar::Any => "any",
        Scalar::Bool => "b",
        Scalar::Int8 => "i8",
        Scalar::Int16 => "i16",
        Scalar::Int32 => "i",
        Scalar::Int64 => "i64",
        Scalar::Uint8 => "u8",
        Scalar::Uint16 => "u16",
        Scalar::Uint32 => "u",
        Scalar::Uint64 => "u64",
        Scalar::Float16 => "f16",
        Scalar::Float32 => "",
        Scalar::Float64 => "f64",
    }
}

/// Name of a scalar type.
fn scalar_word(scalar: Scalar) -> &'static str {
    match scalar {
        Scalar::Int32 => "int",
        Scalar::Uint32 => "uint",
        Scalar::Float32 => "float",
        other => other.name(),
    }
}

/// Writes the name of a scalar or vector type.
pub(super) fn push_vector(out: &mut String, scalar: Scalar, comps: u8) {
    if comps == 1 {
        out.push_str(scalar_word(scalar));
    } else {
        out.push_str(prefix(scalar));
        out.push_str("vec");
        out.push(char::from(b'0' + comps));
    }
}

/// Writes the name of a matrix type.
pub(super) fn push_matrix(out: &mut String, scalar: Scalar, cols: u8, rows: u8) {
    out.push_str(prefix(scalar));
    out.push_str("mat");
    out.push(char::from(b'0' + cols));
    out.push('x');
    out.push(char::from(b'0' + rows));
}

/// The scalar, vector and matrix types by name.
pub(super) static TYPE_WORDS: LazyLock<FxHashMap<Box<str>, Type>> = LazyLock::new(|| {
    let mut map = FxHashMap::default();
    let mut add = |name: &str, ty: Type| {
        map.insert(name.into(), ty);
    };
    for &scalar in Scalar::ALL.iter().filter(|&&s| s != Scalar::Any) {
        add(scalar.name(), Type::Vector { scalar, comps: 1 });
        for comps in 1..=4 {
            let mut name = String::new();
            push_vector(&mut name, scalar, comps);
            add(&name, Type::Vector { scalar, comps });
        }
        for cols in 2..=4 {
            for rows in 2..=4 {
                let ty = Type::Matrix { scalar, cols, rows, stride: 0, row_major: false };
                let mut name = String::new();
                push_matrix(&mut name, scalar, cols, rows);
                add(&name, ty.clone());
                if cols == rows {
                    name.truncate(name.len() - 2);
                    add(&name, ty);
                }
            }
        }
    }
    map
});

/// Words for types that are not names of structures.
pub(super) const OPAQUE_WORDS: &[&str] = &["image", "texture", "sampled", "sampler"];

/// Whether a structure of this name needs quotes.
pub(super) fn is_type_word(name: &str) -> bool {
    TYPE_WORDS.contains_key(name) || OPAQUE_WORDS.contains(&name)
}

/// Writes a set of flags: `coherent|volatile`, `0` if it is empty.
pub(super) fn push_flags(out: &mut String, names: &[(&str, u32)], bits: u32) {
    let start = out.len();
    for (name, _) in names.iter().filter(|&&(_, bit)| bits & bit != 0) {
        if out.len() > start {
            out.push('|');
        }
        out.push_str(name);
    }
    if out.len() == start {
        out.push('0');
    }
}

/// Writes a set of flags.
pub(super) fn push_set<F: NamedFlags>(out: &mut String, set: F) {
    push_flags(out, F::NAMES, set.to_bits());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diag::nearest;

    #[test]
    fn first_words_are_unique() {
        let n = ALU_OPS.len() + INTRINSIC_OPS.len() + TexOp::ALL.len() + Jump::ALL.len() + OTHER_OPS.len();
        assert_eq!(OPS.len(), n);
        for word in ["if", "loop", "else"] {
            assert!(!OPS.contains_key(word));
        }
    }

    #[test]
    fn near_words_are_found() {
        assert_eq!(nearest("fmull", OPS.keys().copied()), Some("fmul"));
        assert_eq!(nearest("laod_deref", OPS.keys().copied()), Some("load_deref"));
        assert_eq!(nearest("something_else", OPS.keys().copied()), None);
    }
}
