//! Fragments in quads, several quads in lock step.

use super::Program;
use crate::fault::Fault;
use crate::resources::Resources;
use crate::values::{System, Values};
use crate::world::World;
use crate::world::given::inputs::{Corner, interpolate, weights};
use crate::world::location::{Location, PixelLocation};
use airfoil_ir::alu::{f64_from_bits, f64_to_bits};
use airfoil_ir::{Interpolation, Slot, Stage, SystemValue};

/// A point, line or triangle in the window.
#[derive(Clone, Debug, Default)]
pub struct Primitive {
    /// Outputs of the stage before at each corner, one to three.
    pub vertices: Vec<Values>,
    /// Position of each corner in the window, as `gl_FragCoord` counts.
    pub window: Vec<[f64; 2]>,
    /// 1 / w of the clip coordinates of each corner; 1 where it is left out.
    pub inverse_w: Vec<f64>,
    /// The corner whose values flat inputs have.
    pub provoking: usize,
    /// Values of the primitive as a whole (mesh shaders).
    pub values: Values,
    /// `front_face`, `primitive_id`, `layer_id`, `viewport_id` and the like.
    pub system: System,
}

/// One of the four invocations of a quad.
#[derive(Clone, Debug, Default)]
pub struct Fragment {
    /// `gl_FragCoord`: x, y, depth, 1/w.
    pub coord: [f32; 4],
    /// Only there for derivatives.
    pub helper: bool,
    /// Mask of the covered samples, `gl_SampleMaskIn`.
    pub coverage: u32,
    /// The sample, if the shader runs once per sample.
    pub sample: Option<u32>,
    /// The centroid, from the pixel's centre.
    pub centroid: [f32; 2],
    /// `point_coord` and other system values that differ within the primitive.
    pub system: System,
    /// Outputs that the shader reads start with the colours of their attachments (framebuffer fetch).
    pub colors: Vec<InitialColor>,
}

/// Initial value of an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InitialColor {
    /// The output.
    pub slot: Slot,
    /// The colour of its attachment.
    pub color: [u32; 4],
    /// The shader may write the output. Others have no value in the end.
    pub is_written: bool,
}

/// Four neighbours: upper left, upper right, lower left, lower right, with y downward or upward as in the window.
#[derive(Clone, Debug)]
pub struct Quad<'a> {
    /// The primitive that covers the quad.
    pub primitive: &'a Primitive,
    /// Coordinates of the first pixel; its centre is half a pixel further.
    pub pixel: [i32; 2],
    /// Fragments of the quad, row by row, from left to right.
    pub fragments: [Fragment; 4],
}

/// Quads, and the values that they share.
#[derive(Clone, Debug)]
pub struct FragmentBatch<'a> {
    /// Quads to shade, of any primitives.
    pub quads: &'a [Quad<'a>],
    /// Positions of the samples in the pixel, 0 to 1.
    pub sample_positions: &'a [[f32; 2]],
    /// System values of all.
    pub system: System,
}

/// The outputs of a fragment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Outputs by slot; colours at `Slot::generic(n)`, `Slot::DEPTH`, `Slot::STENCIL`, `Slot::SAMPLE_MASK`.
    pub outputs: Values,
    /// Discarded, demoted or terminated: it writes nothing. Helpers too write nothing.
    pub discarded: bool,
}

impl Primitive {
    fn corners(&self) -> [Corner; 3] {
        std::array::from_fn(|i| {
            let [x, y] = self.window.get(i).copied().unwrap_or_default();
            Corner { x, y, inverse_w: self.inverse_w.get(i).copied().unwrap_or(1.0) }
        })
    }

    fn count(&self) -> usize {
        self.vertices.len().max(self.window.len()).min(3)
    }

    /// Barycentric coordinates of a position in the window: the weights of the second and third corner, rounded to
    /// 32-bit floats.
    pub fn weights(&self, at: [f64; 2], perspective: bool) -> [f64; 2] {
        weights(self.count(), self.corners(), at, perspective)
    }

    /// Bits of a component between the corners; `None` if a corner does not have it.
    pub fn interpolated(&self, slot: Slot, component: u32, bits: u32, weights: [f64; 2]) -> Option<u64> {
        let at = |v: &Values| {
            let (raw, undef) = v.bits(slot, 0, component, bits);
            (!undef).then(|| f64_from_bits(raw, bits))
        };
        let values: Vec<f64> = self.vertices.iter().take(3).map(at).collect::<Option<_>>()?;
        let (first, others) = values.split_first()?;
        Some(f64_to_bits(interpolate(*first, others.iter().copied(), weights), bits))
    }

    /// Bits of a component that is not interpolated: the primitive's own, or that of the provoking corner.
    pub fn flat(&self, slot: Slot, component: u32, bits: u32) -> Option<u64> {
        let of = |v: &Values| {
            let (raw, undef) = v.bits(slot, 0, component, bits);
            (!undef).then_some(raw)
        };
        of(&self.values).or_else(|| self.vertices.get(self.provoking).and_then(of))
    }
}

impl Program<'_> {
    /// Shades quads; returns the outcome of the four fragments of each.
    ///
    /// # Errors
    /// Faults of the shader.
    pub fn fragment(
        &mut self,
        resources: &mut Resources,
        batch: &FragmentBatch<'_>,
    ) -> Result<Vec<[Outcome; 4]>, Fault> {
        self.expect(&[Stage::Fragment])?;
        let lanes = self.lanes();
        self.world().sample_positions = batch.sample_positions.to_vec();
        self.bound(resources, |p| {
            let mut out = Vec::with_capacity(batch.quads.len());
            for quads in batch.quads.chunks(lanes / 4) {
                p.world().restart(0, 0);
                p.world().inputs.restart(lanes);
                let (mut present, mut helpers) = (0u64, 0u64);
                let mut last: Option<(&Primitive, [usize; 3])> = None;
                for (n, quad) in quads.iter().enumerate() {
                    let known = last.filter(|l| std::ptr::eq(l.0, quad.primitive));
                    let records = known.map_or_else(|| p.add(quad.primitive), |l| l.1);
                    last = Some((quad.primitive, records));
                    for (k, f) in quad.fragments.iter().enumerate() {
                        let lane = n * 4 + k;
                        present |= 1 << lane;
                        helpers |= u64::from(f.helper) << lane;
                        p.set_fragment(lane, k, quad, f, batch, records);
                    }
                }
                p.execute_group(present, helpers)?;
                let discarded = p.machine.group.discarded;
                let outputs = &mut p.world().lane_outputs;
                for (n, quad) in quads.iter().enumerate() {
                    out.push(std::array::from_fn(|k| {
                        let mut outputs = std::mem::take(&mut outputs[n * 4 + k]);
                        let colors = quad.fragments[k].colors.iter();
                        colors.filter(|c| !c.is_written).for_each(|c| outputs.remove(c.slot));
                        Outcome { outputs, discarded: discarded >> (n * 4 + k) & 1 != 0 }
                    }));
                }
            }
            Ok(out)
        })
    }

    /// Adds a primitive: its number, first record and record of its own values.
    fn add(&mut self, primitive: &Primitive) -> [usize; 3] {
        let inputs = &mut self.world().inputs;
        let first = inputs.add_all(primitive.vertices.iter());
        let own = inputs.add(&primitive.values);
        let number = inputs.add_primitive(primitive.count(), primitive.provoking, primitive.corners());
        [number, first, own]
    }

    fn set_fragment(
        &mut self,
        lane: usize,
        k: usize,
        quad: &Quad<'_>,
        f: &Fragment,
        batch: &FragmentBatch<'_>,
        [number, first, own]: [usize; 3],
    ) {
        use SystemValue as S;
        let primitive = quad.primitive;
        let centre = [
            f64::from(quad.pixel[0]) + (k & 1) as f64 + 0.5,
            f64::from(quad.pixel[1]) + (k >> 1) as f64 + 0.5,
        ];
        let location = PixelLocation {
            centre,
            centroid: f.centroid.map(f64::from),
            sample: f.sample,
            primitive: number,
        };
        let world = self.world();
        for c in &f.colors {
            world.lane_outputs[lane].set_words(c.slot, c.color);
        }
        world.inputs.set_row(lane, first, primitive.vertices.len().min(3), Some(own));
        world.inputs.pixels[lane] = location;
        let weights = [Interpolation::Smooth, Interpolation::NoPerspective].map(|i| {
            let [b, c] = world.barycentric(lane, Location::Pixel, i);
            [1.0 - b - c, b, c].map(|w| u64::from((w as f32).to_bits()))
        });
        let sample = world.position_of_sample(f.sample.map_or(u64::MAX, u64::from));
        let floats = |f: [f32; 2]| [u64::from(f[0].to_bits()), u64::from(f[1].to_bits()), 0, 0];
        self.set_lane(lane, &f.system, &batch.system, |sv| {
            Some(match sv {
                S::frag_coord => f.coord.map(|c| u64::from(c.to_bits())),
                S::helper_invocation => [u64::from(f.helper), 0, 0, 0],
                S::sample_mask_in => [u64::from(f.coverage), 0, 0, 0],
                S::sample_id => [u64::from(f.sample.unwrap_or(0)), 0, 0, 0],
                S::sample_pos => floats(sample),
                S::barycentric_coord => [weights[0][0], weights[0][1], weights[0][2], 0],
                S::barycentric_coord_linear => [weights[1][0], weights[1][1], weights[1][2], 0],
                sv => return primitive.system.get(sv),
            })
        });
    }
}
