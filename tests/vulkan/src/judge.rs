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
}

impl Judgement {
    /// Whether no value differs by more than is allowed.
    pub fn is_right(&self) -> bool {
        self.wrong == 0
    }

    fn exact(&mut self, same: bool) {
        self.values += 1;
        self.wrong += u64::from(!same);
    }

    fn floats(&mut self, a: f64, b: f64, bound: f64) {
        self.values += 1;
        match a == b || (a.is_nan() && b.is_nan()) {
            true => {}
            false if (a - b).abs() <= bound => self.close += 1,
            false => self.wrong += 1,
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
            (Color::Int(a), Color::Int(b)) => a.iter().zip(b).for_each(|(a, b)| self.exact(*a == b)),
            _ => self.exact(false),
        }
    }
}

impl fmt::Display for Judgement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.wrong, self.close) {
            (0, 0) => write!(f, "equal"),
            (0, close) => write!(f, "equal within bounds ({close} of {} values differ)", self.values),
            (wrong, _) => write!(f, "DIFFERS ({wrong} of {} values)", self.values),
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
                all.exact(a == b);
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
                _ => all.exact(a == b),
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
