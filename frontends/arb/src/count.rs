//! Resources that a program takes, and limits that are known at its end only.

use crate::errors::{Failure, LIMIT, failure};
use crate::limits::Limits;
use crate::op::Op;
use crate::rule::Rule;
use crate::target::Target;
use crate::unit::{Bound, Destination, Instruction, Register, Unit};
use rustc_hash::FxHashSet;

/// Parameters that fog reserves.
const FOG_PARAMETERS: u32 = 2;

/// Counts the resources; returns the limit that is exceeded, if there is one. `end` is the length of the text.
pub fn count(unit: &mut Unit<'_>, limits: &Limits, end: usize) -> Option<Box<Failure>> {
    let fragment = unit.target == Target::Fragment;
    let c = &mut unit.counts;
    c.instructions = unit.code.len() as u32;
    c.attributes = unit.attributes.len() as u32;
    c.temporaries = unit.temps.len() as u32;
    c.address_registers = unit.addresses.len() as u32;
    // The parser has counted them for its limits.
    if !fragment {
        (c.alu_instructions, c.tex_instructions) = (0, 0);
    }
    unit.counts.parameters = parameters(unit);
    unit.counts.tex_indirections = if fragment { indirections(&unit.code, unit.temps.len()) } else { 0 };
    let fog = if unit.options.fog.is_some() { FOG_PARAMETERS } else { 0 };
    let checks = [
        (unit.counts.parameters, limits.parameters.saturating_sub(fog), "parameters"),
        (unit.counts.tex_indirections, limits.tex_indirections, "texture indirections"),
    ];
    let (count, limit, objects) = checks.into_iter().find(|(count, limit, _)| count > limit)?;
    let message =
        format!("expected at most {limit} {objects}, found {count} {}", Rule::Limits.cite(unit.target));
    Some(failure(end, LIMIT, message))
}

/// Bits that are equal for constants that are equal as numbers.
fn as_number(bits: [u32; 4]) -> [u32; 4] {
    bits.map(|b| if b == 1 << 31 { 0 } else { b })
}

/// Vectors that are bound. Equal ones count once, except for constants in arrays with relative addressing.
fn parameters(unit: &Unit<'_>) -> u32 {
    let states = unit.params.iter().filter(|b| !matches!(b, Bound::Constant(_))).count();
    let mut counted = FxHashSet::default();
    let mut repeated = 0;
    let items = unit.arrays.iter().filter(|a| a.relative).flat_map(|a| &a.items);
    for &item in items {
        if let Bound::Constant(bits) = unit.params[item as usize] {
            repeated += 1;
            counted.insert(as_number(bits));
        }
    }
    let mut others = 0;
    for bound in &unit.params {
        if let Bound::Constant(bits) = bound
            && counted.insert(as_number(*bits))
        {
            others += 1;
        }
    }
    (states + repeated + others) as u32
}

/// Nodes of the chain of dependent texture instructions (ARB_fragment_program section 3.11.6).
fn indirections(code: &[Instruction], temps: usize) -> u32 {
    // The last node that wrote a temporary, and the last one with an ALU instruction that used it.
    let (mut written, mut used) = (vec![0u32; temps], vec![0u32; temps]);
    let mut node = 1;
    for i in code {
        let sources = i.operands.iter().filter_map(|o| match o.register {
            Register::Temp(t) => Some(t as usize),
            _ => None,
        });
        let destination = match i.destination {
            Destination::Temp(t) => Some(t as usize),
            _ => None,
        };
        if i.op.is_texture() {
            let depends = sources.clone().any(|t| written[t] == node)
                || i.op != Op::Kil && destination.is_some_and(|t| used[t] == node);
            node += u32::from(depends);
        } else {
            for t in sources.chain(destination) {
                used[t] = node;
            }
        }
        if let Some(t) = destination {
            written[t] = node;
        }
    }
    node
}
