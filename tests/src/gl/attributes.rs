//! Values of vertex attributes, in the slots that a vertex shader reads them from.

use airfoil::ir::Scalar;
use airfoil_interp::Values;
use airfoil_interp::run::IoVar;

/// Components of attributes in any type.
#[derive(Clone, Debug, PartialEq)]
pub enum Components {
    /// Floats, which integers come from too where the shader takes integers of floats' bits (they are converted).
    Floats(Vec<f64>),
    /// Integers by their bits.
    Integers(Vec<u64>),
}

/// Gives every attribute the initial value of its generic attribute: 0, 0, 0, 1 (OpenGL 4.6 section 10.2).
pub fn set_defaults(inputs: &[IoVar], values: &mut Values) {
    for input in inputs {
        for n in 0..input.num_slots {
            let Some(slot) = input.slot.offset(n) else { continue };
            match input.scalar {
                Scalar::Float32 => values.set_floats(slot, [0.0, 0.0, 0.0, 1.0]),
                Scalar::Float64 => values.set_words(slot, [0; 4]),
                _ => values.set_words(slot, [0, 0, 0, 1]),
            }
        }
    }
}

/// Sets an attribute's column (0 for vectors) to components; those left out are 0, 0, 1.
pub fn set(input: &IoVar, column: u32, components: &Components, values: &mut Values) {
    let wide = input.scalar.bits() == 64;
    let slots = if wide && input.comps > 2 { 2 } else { 1 };
    let Some(slot) = input.slot.offset(column * slots) else { return };
    for c in 0..4u32.min(u32::from(input.comps)) {
        let default = if c == 3 { 1.0 } else { 0.0 };
        let (float, bits) = match components {
            Components::Floats(f) => {
                let x = f.get(c as usize).copied().unwrap_or(default);
                (x, x as i64 as u64)
            }
            Components::Integers(i) => {
                let x = i.get(c as usize).copied().unwrap_or(default as u64);
                (x as i64 as f64, x)
            }
        };
        match input.scalar {
            Scalar::Float64 => {
                let at = c * 2;
                if let Some(slot) = slot.offset(at / 4) {
                    values.set_wide(slot, at % 4, float.to_bits());
                }
            }
            Scalar::Int64 | Scalar::Uint64 => {
                let at = c * 2;
                if let Some(slot) = slot.offset(at / 4) {
                    values.set_wide(slot, at % 4, bits);
                }
            }
            Scalar::Float32 => values.set(slot, input.component + c, (float as f32).to_bits()),
            _ => values.set(slot, input.component + c, bits as u32),
        }
    }
}
