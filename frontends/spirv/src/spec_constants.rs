//! Specialization constants of a module, before it is read.

use crate::words::{HEADER, Inst, check_header};
use rustc_hash::FxHashMap;
use spirv::{Decoration, Op};

/// Type of a specialization constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpecType {
    /// Boolean.
    Bool,
    /// Integer of this width in bits.
    Int(u32),
    /// Float of this width in bits.
    Float(u32),
}

impl std::fmt::Display for SpecType {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            SpecType::Bool => f.write_str("a boolean"),
            SpecType::Int(bits) => write!(f, "a {bits}-bit integer"),
            SpecType::Float(bits) => write!(f, "a {bits}-bit float"),
        }
    }
}

/// A specialization constant with a `SpecId`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SpecConstant {
    /// Its `SpecId`.
    pub id: u32,
    /// Type.
    pub ty: SpecType,
    /// Offset of its declaration, in words.
    pub offset: usize,
}

/// The specialization constants of a module, in the order of their declarations.
///
/// Takes any words: the list ends at the first malformed instruction, which [`read`](crate::read) reports.
pub fn spec_constants(words: &[u32]) -> Vec<SpecConstant> {
    let mut found = Vec::new();
    let Ok((words, _)) = check_header(words) else { return found };
    let mut types = FxHashMap::default();
    let mut spec_ids = FxHashMap::default();
    let mut at = HEADER;
    while let Ok(inst) = Inst::at(&words, at) {
        at = inst.end();
        match (inst.op(), inst.rest(1)) {
            (Some(Op::Decorate), &[target, decoration, spec_id])
                if decoration == Decoration::SpecId as u32 =>
            {
                spec_ids.insert(target, spec_id);
            }
            (Some(Op::TypeBool), &[id, ..]) => {
                types.insert(id, SpecType::Bool);
            }
            (Some(Op::TypeInt), &[id, width, ..]) => {
                types.insert(id, SpecType::Int(width));
            }
            (Some(Op::TypeFloat), &[id, width, ..]) => {
                types.insert(id, SpecType::Float(width));
            }
            (Some(Op::SpecConstantTrue | Op::SpecConstantFalse | Op::SpecConstant), &[ty, id, ..]) => {
                if let (Some(&spec_id), Some(&ty)) = (spec_ids.get(&id), types.get(&ty)) {
                    found.push(SpecConstant { id: spec_id, ty, offset: inst.at });
                }
            }
            // Constants come before functions.
            (Some(Op::Function), _) => break,
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::spec_constants;

    #[test]
    fn any_words_are_accepted() {
        assert!(spec_constants(&[]).is_empty());
        assert!(spec_constants(&[0x0723_0203; 9]).is_empty());
        assert!(spec_constants(&[0; 64]).is_empty());
        assert!(spec_constants(&[u32::MAX; 64]).is_empty());
    }
}
