//! Values of specialisation constants, converted to the types that a module or GLSL program declares.

use crate::Errors;
use airfoil_glsl::{self as glsl, Base, ProgramOptions, Source, SpecConstant};
use airfoil_ir::alu::f64_to_bits;
use airfoil_ir::{Diagnostic, Place};
pub use airfoil_spirv_in::SpecType;
use airfoil_spirv_in::spec_constants;
use std::collections::BTreeMap;

/// A value for a specialisation constant, whose type the module or source declares.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SpecValue {
    /// For boolean constants.
    Bool(bool),
    /// For integers of either sign, and floats. It must fit.
    Int(i128),
    /// For floats; rounded to their width.
    Float(f64),
}

impl SpecValue {
    /// The bits of the value as a constant of type `ty`, for [`spirv::Options::spec`](crate::spirv::Options);
    /// `None` if it does not fit.
    pub fn bits(self, ty: SpecType) -> Option<u64> {
        match (self, ty) {
            (SpecValue::Bool(value), SpecType::Bool) => Some(value.into()),
            (SpecValue::Int(value @ 0..=1), SpecType::Bool) => Some(value as u64),
            (SpecValue::Int(value), SpecType::Int(width @ 1..=64)) => {
                let fits = value >= -(1_i128 << (width - 1)) && value < 1_i128 << width;
                fits.then_some(value as u64 & (u64::MAX >> (64 - width)))
            }
            (SpecValue::Int(value), SpecType::Float(_)) => SpecValue::Float(value as f64).bits(ty),
            (SpecValue::Float(value), SpecType::Float(width @ (16 | 32 | 64))) => {
                Some(f64_to_bits(value, width))
            }
            _ => None,
        }
    }
}

/// Type of a specialization constant, and where it is declared.
type Constants = BTreeMap<u32, (SpecType, Place)>;

/// Converts values to the types of a module's constants.
///
/// # Errors
/// The module has no such constant, or its type cannot hold the value.
pub fn resolve(words: &[u32], values: &[(u32, SpecValue)]) -> Result<Vec<(u32, u64)>, Errors> {
    if values.is_empty() {
        return Ok(Vec::new());
    }
    let place = |offset| Place::Word { offset, result: None, source: None };
    let constants = spec_constants(words).into_iter().map(|c| (c.id, (c.ty, place(c.offset)))).collect();
    to_bits(&constants, "module", values)
}

/// Converts values to the types of the constants of GLSL sources, for [`ProgramOptions::spec`]. The sources are compiled with
/// the default values to learn the types.
///
/// # Errors
/// Everything that is wrong with the sources; or they have no such constant, or its type cannot hold the value, or they
/// disagree on its type.
pub fn resolve_glsl(
    sources: &[Source<'_>],
    options: &ProgramOptions,
    values: &[(u32, SpecValue)],
) -> Result<Vec<(u32, u64)>, Errors> {
    if values.is_empty() {
        return Ok(Vec::new());
    }
    let mut constants = Constants::new();
    let mut faults = Vec::new();
    for SpecConstant { id, base, place } in glsl::spec_constants(sources, options)? {
        let bits = u32::from(base.bits());
        let ty = match base {
            Base::Bool => SpecType::Bool,
            _ if base.is_float() => SpecType::Float(bits),
            _ => SpecType::Int(bits),
        };
        let (first, _) = constants.entry(id).or_insert_with(|| (ty, place.clone()));
        if *first != ty && values.iter().any(|(value, _)| *value == id) {
            let message = format!("specialization constant {id} is {ty} here, and {first} elsewhere");
            faults.push(Diagnostic::error("E0011", message).at(place).help("compile the stages one by one"));
        }
    }
    match to_bits(&constants, "program", values) {
        Ok(bits) if faults.is_empty() => Ok(bits),
        more => {
            faults.extend(more.err().into_iter().flatten());
            Err(faults.into())
        }
    }
}

fn to_bits(
    constants: &Constants,
    whole: &str,
    values: &[(u32, SpecValue)],
) -> Result<Vec<(u32, u64)>, Errors> {
    let mut bits = Vec::with_capacity(values.len());
    let mut faults = Vec::new();
    for &(id, value) in values {
        let Some((ty, place)) = constants.get(&id) else {
            faults.push(no_such_constant(id, whole, constants));
            continue;
        };
        match value.bits(*ty) {
            Some(value) => bits.push((id, value)),
            None => {
                let message = format!("specialization constant {id} is {ty}, which cannot be {value}");
                faults.push(Diagnostic::error("E0011", message).at(place.clone()));
            }
        }
    }
    if faults.is_empty() { Ok(bits) } else { Err(faults.into()) }
}

impl std::fmt::Display for SpecValue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            SpecValue::Bool(value) => write!(f, "{value}"),
            SpecValue::Int(value) => write!(f, "{value}"),
            SpecValue::Float(value) => write!(f, "{value:?}"),
        }
    }
}

fn no_such_constant(id: u32, whole: &str, constants: &Constants) -> Diagnostic {
    let fault = Diagnostic::error("E0010", format!("the {whole} has no specialization constant {id}"));
    let ids: Vec<String> = constants.keys().map(u32::to_string).collect();
    match ids.is_empty() {
        true => fault.help("it has none at all"),
        false => fault.help(format!("it has: {}", ids.join(", "))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_become_bits() {
        let bits = |value: SpecValue, ty| value.bits(ty);
        assert_eq!(bits(SpecValue::Int(-1), SpecType::Int(32)), Some(0xffff_ffff));
        assert_eq!(bits(SpecValue::Int(0x1_0000_0000), SpecType::Int(32)), None);
        assert_eq!(bits(SpecValue::Int(-129), SpecType::Int(8)), None);
        assert_eq!(bits(SpecValue::Int(u64::MAX.into()), SpecType::Int(64)), Some(u64::MAX));
        assert_eq!(bits(SpecValue::Int(2), SpecType::Float(32)), Some(2.0_f32.to_bits().into()));
        assert_eq!(bits(SpecValue::Float(0.5), SpecType::Float(64)), Some(0.5_f64.to_bits()));
        assert_eq!(bits(SpecValue::Float(1.0), SpecType::Float(16)), Some(0x3c00));
        assert_eq!(bits(SpecValue::Float(1.0), SpecType::Int(32)), None);
        assert_eq!(bits(SpecValue::Bool(true), SpecType::Bool), Some(1));
        assert_eq!(bits(SpecValue::Int(0), SpecType::Bool), Some(0));
        assert_eq!(bits(SpecValue::Int(2), SpecType::Bool), None);
        assert_eq!(bits(SpecValue::Int(1), SpecType::Int(0)), None);
    }
}
