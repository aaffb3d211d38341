//! Vertices: the given values, in the slots that shaders read them from.

use super::given::{Document, Pair, Source};
use super::numbers;
use crate::random::Random;
use airfoil::Diagnostic;
use airfoil::ir::{Scalar, Slot};
use airfoil_interp::Values;
use airfoil_interp::run::IoVar;
use serde_json::Value;

fn fault(what: impl Into<String>) -> Diagnostic {
    Diagnostic::error("E0040", what.into())
}

/// Numbers of each vertex by input.
#[derive(Debug, Default)]
pub struct Attributes {
    /// Index of the input, and for each vertex the bits of its numbers.
    given: Vec<(usize, Vec<Vec<u64>>)>,
}

impl Attributes {
    /// Reads the given values. `declared` has the names of all inputs, also of unused ones.
    pub fn read(
        inputs: &[IoVar],
        declared: &[airfoil::ir::Name],
        document: &Document,
        pairs: &[Pair],
    ) -> Result<Attributes, Vec<Diagnostic>> {
        let mut out = Attributes::default();
        let mut faults = Vec::new();
        for (name, given) in document.all("attributes", pairs) {
            let place = |i: &IoVar| i.slot.as_generic().is_some_and(|n| name.parse() == Ok(n));
            let Some(n) = inputs.iter().position(|i| *i.name == *name || place(i)) else {
                if !declared.iter().any(|d| **d == *name) {
                    let there = declared.join(", ");
                    let what = fault(format!("there is no input `{name}`"));
                    faults.push(if there.is_empty() { what } else { what.help(format!("there is {there}")) });
                }
                continue;
            };
            match given.source().and_then(|source| vertices(&inputs[n], source)) {
                Ok(list) => {
                    out.given.retain(|g| g.0 != n);
                    out.given.push((n, list));
                }
                Err(e) => faults.push(e),
            }
        }
        if faults.is_empty() { Ok(out) } else { Err(faults) }
    }

    /// The number of vertices that have all that is given; `None` if nothing is.
    pub fn count(&self) -> Option<usize> {
        self.given.iter().map(|g| g.1.len()).min()
    }

    /// Whether an input was given.
    pub fn has(&self, input: usize) -> bool {
        self.given.iter().any(|g| g.0 == input)
    }

    /// Sets the inputs of a vertex. Unspecified components come from the seed, or are 0, 0, 0, 1 (OpenGL 4.6 section 10.2).
    pub fn set(&self, inputs: &[IoVar], vertex: usize, random: Option<&mut Random>, values: &mut Values) {
        let mut random = random;
        for (n, input) in inputs.iter().enumerate() {
            let own = self.given.iter().find(|g| g.0 == n).and_then(|g| g.1.get(vertex));
            let made;
            let numbers: &[u64] = match (own, random.as_deref_mut()) {
                (Some(numbers), _) => numbers,
                (None, Some(random)) => {
                    made = (0..per_vertex(input)).map(|_| centred(input.scalar, random)).collect::<Vec<_>>();
                    &made
                }
                (None, None) => &[],
            };
            set(input, numbers, values);
        }
    }
}

/// A number from the seed; floats from -1 to 1.
fn centred(scalar: Scalar, random: &mut Random) -> u64 {
    let raw = random.number(scalar);
    if !scalar.is_float() {
        return raw;
    }
    let bits = u32::from(scalar.bits());
    airfoil::ir::alu::f64_to_bits(airfoil::ir::alu::f64_from_bits(raw, bits) * 2.0 - 1.0, bits)
}

/// Slots of a column of an input.
fn slots_of_column(input: &IoVar) -> u32 {
    if input.scalar.bits() == 64 && input.comps > 2 { 2 } else { 1 }
}

/// Numbers that a vertex has for an input.
fn per_vertex(input: &IoVar) -> usize {
    (input.num_slots / slots_of_column(input)).max(1) as usize * usize::from(input.comps)
}

/// Sets an input to numbers, columns one after the other.
pub fn set(input: &IoVar, numbers: &[u64], values: &mut Values) {
    let step = slots_of_column(input);
    let comps = usize::from(input.comps).max(1);
    let one = match input.scalar {
        s if s.is_float() => airfoil::ir::alu::f64_to_bits(1.0, u32::from(s.bits())),
        _ => 1,
    };
    for column in 0..input.num_slots / step {
        let own = numbers.get(column as usize * comps..).unwrap_or_default();
        for c in 0..comps as u32 {
            let bits = own.get(c as usize).copied().unwrap_or(if c == 3 { one } else { 0 });
            let wide = input.scalar.bits() == 64;
            let at = input.component + if wide { c * 2 } else { c };
            let Some(slot) = input.slot.offset(column * step + at / 4) else { continue };
            if wide {
                values.set_wide(slot, at % 4, bits);
            } else {
                values.set(slot, at % 4, bits as u32);
            }
        }
    }
}

fn vertices(input: &IoVar, source: Source) -> Result<Vec<Vec<u64>>, Diagnostic> {
    let name = &input.name;
    let scalar = if input.scalar == Scalar::Any { Scalar::Float32 } else { input.scalar };
    let per = per_vertex(input);
    let cut = |bytes: &[u8], scalar: Scalar| -> Vec<Vec<u64>> {
        let width = numbers::width(scalar) as usize / 8;
        let numbers: Vec<u64> = bytes.chunks_exact(width).map(|b| numbers::read(b, 0, scalar)).collect();
        numbers.chunks_exact(per).map(<[u64]>::to_vec).collect()
    };
    match source {
        Source::Bytes(bytes) => Ok(cut(&bytes, scalar)),
        Source::Zeros(n) => Ok(cut(&vec![0; n as usize], scalar)),
        Source::Random(_) => Err(fault(format!("`{name}`: `--seed N` already fills unspecified inputs"))),
        Source::Json(value) => {
            if let Some(typed) = numbers::typed(&value) {
                let (own, bytes) = typed.map_err(|e| fault(format!("`{name}`: {e}")))?;
                if own.bits() != scalar.bits() || own.is_float() != scalar.is_float() {
                    return Err(fault(format!("`{name}` has numbers of another type")));
                }
                return Ok(cut(&bytes, scalar));
            }
            let Value::Array(list) = &value else {
                return Err(fault(format!("`{name}`: expected an array with the values of each vertex")));
            };
            let vertex = |v: &Value| {
                let mut flat = Vec::new();
                flatten(v, &mut flat);
                if flat.len() > per {
                    return Err(fault(format!(
                        "`{name}` has {per} numbers a vertex, but {} are given",
                        flat.len()
                    )));
                }
                let bits = flat.into_iter().map(|n| numbers::parse(scalar, n)).collect::<Result<_, _>>();
                bits.map_err(|e| fault(format!("`{name}`: {e}")))
            };
            list.iter().map(vertex).collect()
        }
    }
}

fn flatten<'v>(value: &'v Value, out: &mut Vec<&'v Value>) {
    match value {
        Value::Array(list) => list.iter().for_each(|v| flatten(v, out)),
        value => out.push(value),
    }
}

/// The position of a corner as an input of a fragment shader that runs alone: x and y from 0 to 1, then 0, 1.
pub fn set_place(input: &IoVar, [x, y]: [f32; 2], values: &mut Values) {
    if input.scalar == Scalar::Float32 {
        let bits = [x, y, 0.0, 1.0].map(|x| u64::from(x.to_bits()));
        set(input, &bits[..usize::from(input.comps).clamp(1, 4)], values);
    } else {
        set(input, &[0; 4], values);
    }
}

/// Sets the position.
pub fn set_position(values: &mut Values, [x, y]: [f32; 2]) {
    values.set_floats(Slot::POSITION, [x, y, 0.0, 1.0]);
}
