//! Comparison of the results of two versions of a shader in a [`Scene`].

use crate::scene::Scene;
use airfoil_interp::Resources;
use airfoil_interp::pipeline::Target;
use airfoil_interp::texture::Color;
use airfoil_ir::Scalar;
use std::fmt;

/// Largest relative difference of floats in memory: 2^-10.
const RELATIVE: f64 = 1.0 / 1024.0;

/// The differences of all values.
#[derive(Clone, Copy, Debug, Default)]
pub struct Judgement {
    /// Values that were compared.
    pub values: u64,
    /// Values that differ by no more than 1/255, or the relative difference.
    close: u64,
    /// Values that differ by more.
    wrong: u64,
    /// The first pair of values that differ by more, and the position among all values.
    first: Option<(u64, Number, Number)>,
}

/// A value as a message shows it.
#[derive(Clone, Copy, Debug)]
enum Number {
    Float(f64),
    Int(i64),
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Number::Float(x) => x.fmt(f),
            Number::Int(x) => x.fmt(f),
        }
    }
}

impl Judgement {
    /// Whether no value differs by more than is allowed.
    pub fn is_right(&self) -> bool {
        self.wrong == 0
    }

    fn wrong(&mut self, a: Number, b: Number) {
        self.wrong += 1;
        self.first = self.first.or(Some((self.values - 1, a, b)));
    }

    fn exact(&mut self, a: i64, b: i64) {
        self.values += 1;
        if a != b {
            self.wrong(Number::Int(a), Number::Int(b));
        }
    }

    fn floats(&mut self, a: f64, b: f64, bound: f64) {
        self.values += 1;
        match a == b || (a.is_nan() && b.is_nan()) {
            true => {}
            false if (a - b).abs() <= bound => self.close += 1,
            false => self.wrong(Number::Float(a), Number::Float(b)),
        }
    }

    fn colors(&mut self, a: Color, b: Color, unorm: bool) {
        match (a, b) {
            (Color::Float(a), Color::Float(b)) => {
                for (a, b) in a.into_iter().zip(b) {
                    let bound = if unorm { 1.001 / 255.0 } else { RELATIVE * a.abs().max(1.0) };
                    self.floats(a, b, bound);
                }
            }
            (Color::Int(a), Color::Int(b)) => a.iter().zip(b).for_each(|(a, b)| self.exact(*a, b)),
            _ => unreachable!("both images have the format of the scene"),
        }
    }
}

impl fmt::Display for Judgement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.wrong, self.close) {
            (0, 0) => write!(f, "equal"),
            (0, close) => write!(f, "equal within bounds ({close} of {} values differ)", self.values),
            (wrong, _) => {
                write!(f, "DIFFERS ({wrong} of {} values", self.values)?;
                if let Some((at, a, b)) = self.first {
                    write!(f, ", the first at {at}, {a} and {b}")?;
                }
                f.write_str(")")
            }
        }
    }
}

/// Compares the attachments that the shader writes; contents of others are undefined.
pub fn targets(scene: &Scene, a: &Target, b: &Target) -> Judgement {
    let mut all = Judgement::default();
    for ((a, b), (format, written)) in a.colors.iter().zip(&b.colors).zip(&scene.targets) {
        if !written {
            continue;
        }
        for (a, b) in a.iter().flatten().zip(b.iter().flatten()) {
            if format.is_integer() {
                all.exact((*a).into(), (*b).into());
            } else {
                all.floats(f32::from_bits(*a).into(), f32::from_bits(*b).into(), 1.001 / 255.0);
            }
        }
    }
    all
}

/// Compares storage buffers and images.
pub fn memory(scene: &Scene, a: &Resources, b: &Resources, all: &mut Judgement) {
    for (buffer, parts) in &scene.storage {
        let (a, b) = (&a.buffers[*buffer].bytes, &b.buffers[*buffer].bytes);
        for (at, scalar) in parts.scalars() {
            let size = usize::from(scalar.bits().max(8) / 8);
            let (Some(a), Some(b)) = (a.get(at..at + size), b.get(at..at + size)) else { continue };
            match (scalar, a, b) {
                (Scalar::Float32, &[a0, a1, a2, a3], &[b0, b1, b2, b3]) => {
                    let a = f64::from(f32::from_le_bytes([a0, a1, a2, a3]));
                    let b = f64::from(f32::from_le_bytes([b0, b1, b2, b3]));
                    all.floats(a, b, RELATIVE * a.abs().max(1.0));
                }
                _ => all.exact(integer(a), integer(b)),
            }
        }
    }
    for &image in &scene.images {
        let format = a.images[image].format;
        let texels = |r: &'_ Resources| -> Vec<Color> {
            r.images[image].bytes(0).chunks_exact(format.bytes()).map(|t| format.read(t)).collect()
        };
        let unorm = format.info().encoding == airfoil_interp::texture::Encoding::Unorm;
        for (a, b) in texels(a).into_iter().zip(texels(b)) {
            all.colors(a, b, unorm);
        }
    }
}

/// At most eight bytes as one integer.
fn integer(bytes: &[u8]) -> i64 {
    bytes.iter().rev().fold(0, |n, &byte| n << 8 | i64::from(byte))
}

#[cfg(test)]
mod tests {
    use super::*;
    use airfoil_glsl::{ProgramOptions, Source};
    use airfoil_ir::Stage;

    #[test]
    fn targets_differ_by_more_than_a_step() {
        let text = "#version 450\nlayout(location = 0) out vec4 c;\nvoid main() { c = vec4(1); }\n";
        let source = Source { name: "", stage: Stage::Fragment, text };
        let options = ProgramOptions { vulkan: true, ..ProgramOptions::default() };
        let shaders = airfoil_glsl::build(&[source], &options).expect("it is valid").shaders;
        let scene = Scene::new(&shaders[0], 2).expect("it is modelled");
        let one = scene.target(2);
        let with = |x: f32| {
            let mut target = one.clone();
            target.colors[0][3][1] = x.to_bits();
            targets(&scene, &one, &target)
        };
        assert_eq!(with(0.0).to_string(), "equal");
        assert_eq!(with(0.0039).to_string(), "equal within bounds (1 of 16 values differ)");
        assert!(with(0.0039).is_right() && !with(0.25).is_right());
        assert_eq!(with(0.25).to_string(), "DIFFERS (1 of 16 values, the first at 13, 0 and 0.25)");
    }
}
