//! Expectations.

use super::super::script::{Check, Expect, Relation, Script, Tolerance};
use super::store::Store;
use crate::amber::number::Number;
use airfoil_interp::texture::{Color, Image};

/// Default tolerance of colours: half a step of 8 bits, as in Amber.
const COLOR: f64 = 0.002;
/// How far floats may be away.
const EPSILON: f64 = 1e-6;

pub(super) fn check(script: &Script, store: &Store, expect: &Expect) -> Result<(), String> {
    let bytes = |buffer: usize| store.bytes(buffer).ok_or("its format has no bytes to compare");
    match &expect.check {
        Check::Numbers { at, layout, relation, numbers, tolerance } => {
            let layout = layout.as_ref().unwrap_or(&script.buffers[expect.buffer].layout);
            let bytes = bytes(expect.buffer)?;
            // Data with a layout of its own begins at the byte; data with the buffer's layout begins at an element of
            // it.
            let (base, first) = match &expect.check {
                Check::Numbers { layout: Some(_), .. } => (*at as usize, 0),
                _ => (0, layout.leaf_at(*at)),
            };
            let bytes = bytes.get(base..).unwrap_or(&[]);
            for (n, expected) in numbers.iter().enumerate() {
                let leaf = layout.leaf(first + n);
                let Some(raw) = leaf.raw(bytes) else {
                    return Err(format!("the buffer ends before value {n} from byte {at}"));
                };
                let found = leaf.decode(raw);
                let wanted = leaf.decode(leaf.encode(*expected));
                let tolerance = tolerance.get(n.min(tolerance.len().saturating_sub(1)));
                if !holds(*relation, found, wanted, tolerance.copied()) {
                    let byte = base as u64 + leaf.bit / 8;
                    return Err(format!(
                        "byte {byte}: {} {relation:?} {} does not hold",
                        show(found),
                        show(wanted)
                    ));
                }
            }
            Ok(())
        }
        Check::Pixels { area, color, tolerance } => {
            let image = store.image_of(expect.buffer).ok_or("it is not an image")?;
            pixels(image, *area, color, tolerance)
        }
        Check::Equal(other) => {
            let (a, b) = (bytes(expect.buffer)?, bytes(*other)?);
            if a.len() != b.len() {
                return Err(format!("{} bytes instead of {}", a.len(), b.len()));
            }
            match a.iter().zip(b).position(|(a, b)| a != b) {
                Some(at) => Err(format!("byte {at} is {}, not {}", a[at], b[at])),
                None => Ok(()),
            }
        }
        Check::Rmse(other, tolerance) => {
            let (a, b) = (numbers(script, store, expect.buffer)?, numbers(script, store, *other)?);
            if a.len() != b.len() {
                return Err(format!("{} numbers instead of {}", a.len(), b.len()));
            }
            let sum: f64 = a.iter().zip(&b).map(|(a, b)| (a - b) * (a - b)).sum();
            let found = (sum / a.len().max(1) as f64).sqrt();
            if found <= *tolerance { Ok(()) } else { Err(format!("the root of the mean square is {found}")) }
        }
        Check::Histogram(other, tolerance) => {
            let a = store.image_of(expect.buffer).ok_or("it is not an image")?;
            let b = store.image_of(*other).ok_or("the other buffer is not an image")?;
            let found = distance(&histograms(a), &histograms(b));
            if found <= *tolerance {
                Ok(())
            } else {
                Err(format!("the distance of the histograms is {found}"))
            }
        }
    }
}

fn show(number: Number) -> String {
    match number {
        Number::Int(x) => x.to_string(),
        Number::Float(x) => x.to_string(),
    }
}

fn holds(relation: Relation, found: Number, wanted: Number, tolerance: Option<Tolerance>) -> bool {
    if let (Number::Int(a), Number::Int(b), None) = (found, wanted, tolerance) {
        return ordered(relation, &a, &b);
    }
    let (a, b) = (found.float(), wanted.float());
    let near = tolerance.unwrap_or(Tolerance::Absolute(EPSILON)).holds(a, b);
    match relation {
        Relation::Equal => near,
        Relation::NotEqual => !near,
        _ => ordered(relation, &a, &b),
    }
}

fn ordered<T: PartialOrd>(relation: Relation, a: &T, b: &T) -> bool {
    match relation {
        Relation::Equal => a == b,
        Relation::NotEqual => a != b,
        Relation::Less => a < b,
        Relation::LessEqual => a <= b,
        Relation::Greater => a > b,
        Relation::GreaterEqual => a >= b,
    }
}

fn floats(color: Color) -> [f64; 4] {
    match color {
        Color::Float(f) => f,
        // Integers are compared with the values in scripts, 0 to 255.
        Color::Int(i) => i.map(|x| x as f64 / 255.0),
    }
}

fn pixels(
    image: &Image,
    [x, y, w, h]: [u32; 4],
    color: &[f64],
    tolerance: &[Tolerance],
) -> Result<(), String> {
    let (mut wrong, mut first) = (0, None);
    for (j, i) in (y..y.saturating_add(h)).flat_map(|j| (x..x.saturating_add(w)).map(move |i| (j, i))) {
        let Some(found) = image.get(0, 0, [i, j, 0], 0).map(floats) else {
            return Err(format!("pixel {i}, {j} is outside the image"));
        };
        let near = color.iter().enumerate().all(|(c, wanted)| {
            let own = tolerance.get(c.min(tolerance.len().saturating_sub(1)));
            own.copied().unwrap_or(Tolerance::Absolute(COLOR)).holds(found[c], *wanted)
        });
        if !near {
            wrong += 1;
            first.get_or_insert((i, j, found));
        }
    }
    match first {
        None => Ok(()),
        Some((i, j, found)) => {
            let show =
                |c: &[f64]| c.iter().map(|c| format!("{:.1}", c * 255.0)).collect::<Vec<_>>().join(" ");
            let (is, wanted) = (show(&found[..color.len()]), show(color));
            Err(format!("{wrong} of {} pixels: {i}, {j} is {is}, not {wanted}", u64::from(w) * u64::from(h)))
        }
    }
}

/// The numbers of a buffer, or the components of an image from 0 to 255.
fn numbers(script: &Script, store: &Store, buffer: usize) -> Result<Vec<f64>, String> {
    if let Some(image) = store.image_of(buffer) {
        let texels = image.bytes(0).chunks_exact(image.format.bytes());
        return Ok(texels.flat_map(|t| floats(image.format.read(t))).map(|c| c * 255.0).collect());
    }
    let bytes = store.bytes(buffer).ok_or("it has no bytes")?;
    let layout = &script.buffers[buffer].layout;
    let leaves = (0..).map(|n| layout.leaf(n));
    let read = leaves.map_while(|leaf| leaf.raw(bytes).map(|raw| leaf.decode(raw).float()));
    Ok(read.collect())
}

/// How many texels have each of 256 values, by component, as parts of 1.
fn histograms(image: &Image) -> [Vec<f64>; 4] {
    let mut out: [Vec<f64>; 4] = std::array::from_fn(|_| vec![0.0; 256]);
    let texels = image.bytes(0).chunks_exact(image.format.bytes());
    let one = 1.0 / texels.len().max(1) as f64;
    for texel in texels {
        for (bins, c) in out.iter_mut().zip(floats(image.format.read(texel))) {
            bins[(c * 255.0).round().clamp(0.0, 255.0) as usize] += one;
        }
    }
    out
}

/// Earth mover's distance: how much has to be carried how far, as part of 256 bins; the worst component.
fn distance(a: &[Vec<f64>; 4], b: &[Vec<f64>; 4]) -> f64 {
    let of = |(a, b): (&Vec<f64>, &Vec<f64>)| {
        let mut carried = 0.0;
        let costs = a.iter().zip(b).map(|(a, b)| {
            carried += a - b;
            f64::abs(carried)
        });
        costs.sum::<f64>() / a.len() as f64
    };
    a.iter().zip(b).map(of).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn histograms_differ_by_distance() {
        let at = |n: usize| {
            let mut bins: [Vec<f64>; 4] = std::array::from_fn(|_| vec![0.0; 256]);
            bins.iter_mut().for_each(|b| b[n] = 1.0);
            bins
        };
        assert_eq!(distance(&at(3), &at(3)), 0.0);
        assert_eq!(distance(&at(0), &at(64)), 0.25);
    }

    #[test]
    fn relations() {
        let f = Number::Float;
        assert!(holds(Relation::Equal, f(1.0), f(1.0 + 1e-7), None));
        assert!(!holds(Relation::Equal, f(1.0), f(1.01), None));
        assert!(holds(Relation::Equal, f(1.0), f(1.01), Some(Tolerance::Percent(1.0))));
        assert!(holds(Relation::Equal, f(f64::NAN), f(f64::NAN), None));
        assert!(!holds(Relation::Equal, f(f64::NAN), f(1.0), None));
        assert!(holds(Relation::NotEqual, Number::Int(1), Number::Int(2), None));
        assert!(holds(Relation::LessEqual, Number::Int(2), Number::Int(2), None));
        assert!(holds(Relation::Equal, Number::Int(2), Number::Int(3), Some(Tolerance::Absolute(1.0))));
    }
}
