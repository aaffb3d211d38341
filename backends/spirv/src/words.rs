//! Words of instructions.

use spirv::Op;

/// Adds an instruction to a section.
pub(crate) fn push(out: &mut Vec<u32>, op: Op, operands: &[u32]) {
    out.push(((operands.len() as u32 + 1) << 16) | op as u32);
    out.extend_from_slice(operands);
}

/// The words of a string, with at least one zero byte at the end.
pub(crate) fn push_string(out: &mut impl Extend<u32>, text: &str) {
    // A string ends at its first zero.
    let bytes = text.split('\0').next().unwrap_or_default().as_bytes();
    out.extend((0..=bytes.len() / 4).map(|i| {
        let word = &bytes[i * 4..bytes.len().min(i * 4 + 4)];
        word.iter().rev().fold(0, |w, &b| (w << 8) | u32::from(b))
    }));
}
