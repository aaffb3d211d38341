//! Writes the outputs of fragments to the samples of the target: tests, blending (OpenGL 4.6 section 17.3).

use super::blend::Colors;
use super::place::Placed;
use super::{State, Target, attachment, depth, samples};
use crate::run::FragmentOutput;
use crate::values::Values;
use airfoil_ir::Slot;

/// Where a pixel is, and which of its samples are drawn.
#[derive(Clone, Copy, Debug)]
pub(super) struct Covered {
    pub(super) pixel: (i32, i32),
    pub(super) samples: u32,
}

/// Writes the fragments of a primitive.
#[derive(Clone, Copy)]
pub(super) struct Writer<'a> {
    pub(super) state: &'a State,
    pub(super) placed: &'a Placed,
    /// Tests are done before the shader runs.
    pub(super) early: bool,
    /// Components of the colours that the shader declares.
    pub(super) declared: &'a [(Slot, u8)],
    /// Positions of the samples.
    pub(super) positions: &'static [[u8; 2]],
}

/// Indices of the set bits.
fn bits(mask: u32) -> impl Iterator<Item = u32> {
    (0..32).filter(move |n| mask >> n & 1 != 0)
}

impl Writer<'_> {
    /// Depth of the primitive at a position in a pixel, as a fraction of it.
    pub(super) fn depth(&self, (x, y): (i32, i32), [dx, dy]: [f64; 2]) -> f64 {
        let [near, far] = self.state.depth_range;
        let z = self.placed.z.at(f64::from(x) + dx, f64::from(y) + dy);
        let z = if self.state.depth_unrestricted { z } else { z.clamp(near.min(far), near.max(far)) };
        z + self.placed.bias
    }

    /// Samples of a pixel that the primitive covers; where tests are early, those that pass them.
    pub(super) fn coverage(&self, pixel: (i32, i32), target: &mut Target) -> u32 {
        let (x, y) = pixel;
        let covers = |&(_, &at): &(u32, &[u8; 2])| self.placed.area.covers(x, y, at);
        let mask = (0..).zip(self.positions).filter(covers).fold(0, |mask, (n, _)| mask | 1 << n);
        if !self.early || mask == 0 {
            return mask;
        }
        let Some(first) = target.index(x as u32, y as u32, self.placed.layer) else { return 0 };
        let passes = |&n: &u32| {
            let at = samples::place(self.positions[n as usize]);
            self.tests(self.depth(pixel, at), None, first + n as usize, target)
        };
        bits(mask & self.state.sample_mask).filter(passes).fold(0, |mask, n| mask | 1 << n)
    }

    /// Tests a sample, and updates depth and stencil according to the tests.
    fn tests(&self, depth: f64, reference: Option<u8>, at: usize, target: &mut Target) -> bool {
        let state = self.state;
        if !depth::in_bounds(at, state, target) {
            return false;
        }
        let deep = depth::passes(depth, at, state, target);
        let mut passes = deep;
        if let Some(stencil) = &state.stencil
            && let Some(stored) = target.stencil.as_mut().and_then(|s| s.get_mut(at))
        {
            let face = if self.placed.front { &stencil.front } else { &stencil.back };
            let reference = reference.unwrap_or(face.reference);
            let same = face.passes(*stored, reference);
            let op = match (same, deep) {
                (false, _) => face.fail,
                (true, false) => face.depth_fail,
                (true, true) => face.pass,
            };
            *stored = face.after(op, *stored, reference);
            passes &= same;
        }
        // Without a test nothing is written (OpenGL 4.6 section 17.3.4).
        if passes
            && state.depth_test.is_some()
            && state.depth_write
            && let Some(old) = target.depth.as_mut().and_then(|d| d.get_mut(at))
        {
            *old = depth::kept(depth, state, target.depth_format);
        }
        passes
    }

    /// Writes the outputs of a fragment to the samples of its pixel.
    pub(super) fn write(&self, outcome: &FragmentOutput, covered: Covered, target: &mut Target) {
        if outcome.discarded {
            return;
        }
        let (x, y) = covered.pixel;
        let outputs = &outcome.outputs;
        let Some(first) = target.index(x as u32, y as u32, self.placed.layer) else { return };
        let mut mask =
            covered.samples & self.state.sample_mask & outputs.get(Slot::SAMPLE_MASK, 0).unwrap_or(u32::MAX);
        if self.state.alpha_to_coverage {
            mask &= samples::of_alpha(alpha(outputs), target.samples);
        }
        if !self.early {
            let own = outputs.get(Slot::DEPTH, 0).map(|w| f64::from(f32::from_bits(w)));
            let reference = outputs.get(Slot::STENCIL, 0).map(|w| w as u8);
            let passes = |&n: &u32| {
                let at = samples::place(self.positions[n as usize]);
                let depth = own.unwrap_or_else(|| self.depth(covered.pixel, at));
                self.tests(depth, reference, first + n as usize, target)
            };
            mask = bits(mask).filter(passes).fold(0, |mask, n| mask | 1 << n);
        }
        if mask == 0 {
            return;
        }
        if self.declared.iter().any(|&(slot, want)| outputs.defined(slot) & want != want) {
            target.undefined += 1;
        }
        for n in 0..target.colors.len() {
            self.color(n, outputs, first, mask, target);
        }
    }

    /// Writes a colour to samples.
    fn color(&self, n: usize, outputs: &Values, first: usize, mask: u32, target: &mut Target) {
        let own = |slot: Slot| slot == Slot::FRAG_COLOR || Some(slot) == Slot::generic(n as u32);
        let format = target.formats.get(n).copied().unwrap_or(crate::texture::Format::Rgba32f);
        let state = self.state.colors.get(n).copied().unwrap_or_default();
        let blend = state.blend.filter(|_| !format.is_integer());
        for (slot, _, words, defined) in outputs.iter().filter(|o| o.1 == 0 && own(o.0)) {
            for at in bits(mask).map(|s| first + s as usize) {
                let old = target.colors[n][at];
                let new = blend.map_or(words, |blend| {
                    let floats = |words: [u32; 4]| words.map(|w| f64::from(f32::from_bits(w)));
                    let second = [0, 1, 2, 3].map(|c| outputs.of_source(slot, 1, c).unwrap_or(0));
                    let colors = Colors {
                        source: floats(words),
                        second: floats(second),
                        destination: floats(old),
                        constant: self.state.blend_constant,
                    };
                    blend.apply(&colors, format).map(|x| (x as f32).to_bits())
                });
                let written = defined & state.write_mask;
                let mixed = std::array::from_fn(|c| if written >> c & 1 != 0 { new[c] } else { old[c] });
                target.colors[n][at] = attachment::kept(format, mixed);
            }
        }
    }
}

/// Alpha of colour 0; 1 where the shader has none.
fn alpha(outputs: &Values) -> f32 {
    let slots = [Some(Slot::FRAG_COLOR), Slot::generic(0)];
    let word = slots.into_iter().flatten().find_map(|slot| outputs.get(slot, 3));
    word.map_or(1.0, f32::from_bits)
}
