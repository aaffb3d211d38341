//! The vectors of the uniform block.

use crate::program::Parameter;
use crate::unit::{Bound, Register, Unit};
use rustc_hash::FxHashMap;

/// The parameter that the uniform block holds for a binding.
pub fn parameter(bound: Bound) -> Parameter {
    match bound {
        Bound::Env(n) => Parameter::Env(n),
        Bound::Local(n) => Parameter::Local(n),
        Bound::State(state) => Parameter::State(state),
        Bound::Constant(bits) => Parameter::Constant(bits.map(f32::from_bits)),
    }
}

/// Where parameters are.
#[derive(Debug, Default)]
pub struct Layout {
    /// The contents of each vector.
    pub parameters: Vec<Parameter>,
    /// The first vector of each array with relative addressing.
    arrays: FxHashMap<u32, u32>,
    /// The vector of each parameter, by its position in the list of the unit.
    single: FxHashMap<u32, u32>,
}

impl Layout {
    /// Assigns vectors: arrays with relative addressing first, as a whole, then the parameters that instructions and fixed
    /// functions read. Those that are in such an array are not there twice; constants elsewhere are part of the code.
    pub fn new(unit: &Unit<'_>) -> Layout {
        let mut layout = Layout::default();
        for (n, array) in unit.arrays.iter().enumerate().filter(|(_, a)| a.relative) {
            layout.arrays.insert(n as u32, layout.parameters.len() as u32);
            for &item in &array.items {
                let bound = unit.params[item as usize];
                layout.single.entry(item).or_insert(layout.parameters.len() as u32);
                layout.parameters.push(parameter(bound));
            }
        }
        let operands = unit.code.iter().flat_map(|i| &i.operands);
        let read = operands.filter_map(|o| single(unit, o.register)).chain(unit.fixed.params.iter().copied());
        for param in read {
            let bound = unit.params[param as usize];
            if !matches!(bound, Bound::Constant(_)) && !layout.single.contains_key(&param) {
                layout.single.insert(param, layout.parameters.len() as u32);
                layout.parameters.push(parameter(bound));
            }
        }
        layout
    }

    /// The vector of a parameter, by its position in the list of the unit.
    pub fn vector(&self, param: u32) -> Option<u32> {
        self.single.get(&param).copied()
    }

    /// The first vector of an array with relative addressing.
    pub fn array(&self, array: u32) -> Option<u32> {
        self.arrays.get(&array).copied()
    }
}

/// The single parameter that a register is.
pub fn single(unit: &Unit<'_>, register: Register) -> Option<u32> {
    match register {
        Register::Param(p) => Some(p),
        Register::Element { array, index } => Some(unit.element(array, index)),
        Register::Attribute(_) | Register::Temp(_) | Register::Relative { .. } => None,
    }
}
