//! Instructions that must be exact.
//!
//! Instructions that are relevant to a result always produce the same result, whatever else the program does
//! (ARB_vertex_program, appendix A rule 5). Programs rely on it for the position: they draw the same primitives in several
//! passes. Passes and targets change exact operations in no way that depends on the code around them.

use crate::result::POSITION;
use crate::target::Target;
use crate::unit::{Destination, Register, Unit};

/// Whether each instruction is relevant to the position.
pub fn exact(unit: &Unit<'_>) -> Vec<bool> {
    let mut exact = vec![false; unit.code.len()];
    if unit.target != Target::Vertex {
        return exact;
    }
    // Components of temporaries, and address registers, that later instructions need.
    let mut needed = vec![0u8; unit.temps.len()];
    let mut addresses = vec![false; unit.addresses.len()];
    for (i, exact) in unit.code.iter().zip(&mut exact).rev() {
        *exact = match i.destination {
            Destination::Result(r) => unit.results[r as usize].row == POSITION,
            Destination::Temp(t) => {
                let needed = &mut needed[t as usize];
                let relevant = *needed & i.mask != 0;
                *needed &= !i.mask;
                relevant
            }
            Destination::Address(a) => std::mem::take(&mut addresses[a as usize]),
            Destination::None => false,
        };
        if *exact {
            for o in &i.operands {
                match o.register {
                    Register::Temp(t) => {
                        needed[t as usize] |= o.swizzle.iter().fold(0, |mask, c| mask | 1 << c);
                    }
                    Register::Relative { address, .. } => addresses[address as usize] = true,
                    Register::Attribute(_) | Register::Param(_) | Register::Element { .. } => {}
                }
            }
        }
    }
    exact
}
