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
///
/// # Examples
///
/// ```
/// use airfoil_interp::{Values, run::Primitive};
///
/// let slot = airfoil_ir::Slot::generic(0).unwrap();
/// let vertices = vec![0f32, 8.0].into_iter().map(|x| {
///     let mut values = Values::new();
///     values.set(slot, 0, x.to_bits());
///     values
/// });
/// let window = vec![[0.0, 0.0], [8.0, 0.0]];
/// let line = Primitive { vertices: vertices.collect(), window, inverse_w: vec![1.0, 0.5], ..Primitive::default() };
/// // The second vertex is twice as far away: the middle in the window is at a third of the line.
/// let at = |perspective| line.interpolated(slot, 0, 32, line.weights([4.0, 0.0], perspective)).unwrap();
/// assert_eq!(f32::from_bits(at(false) as u32), 4.0);
/// assert!((f32::from_bits(at(true) as u32) - 8.0 / 3.0).abs() < 1e-6);
/// assert_eq!(line.flat(slot, 0, 32), Some(0));
/// ```
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
///
/// # Examples
///
/// ```
/// use airfoil_interp::run::{Fragment, FragmentBatch, Primitive, Quad};
/// use airfoil_interp::{Config, Program, Resources, System};
///
/// # let shader = airfoil_ir::text::parse(r#"foil 1
/// # shader fragment "coverage" {
/// #   form slots
/// #   out uint o location=0
/// #   fn main {
/// #     32x1 %z = const 0
/// #     %m = load_sample_mask_in
/// #     32x1 %n = bit_count %m
/// #     store_output %n, %z io=0 mask=x src_type=uint32
/// #   }
/// # }"#).unwrap();
/// // The shader counts the samples that the primitive covers.
/// let fragments = [0b1111, 0b0110, 0b0001, 0].map(|coverage| Fragment {
///     coverage,
///     helper: coverage == 0,
///     ..Fragment::default()
/// });
/// let primitive = Primitive::default();
/// let quads = [Quad { primitive: &primitive, pixel: [0, 0], fragments }];
/// let batch = FragmentBatch { quads: &quads, sample_positions: &[], system: System::new() };
/// let out = Program::new(&shader, Config::default())?.fragment(&mut Resources::new(), &batch)?;
/// // Helpers have outputs, which a caller must not write.
/// assert!(out[0].iter().map(|f| f.outputs.iter().next().unwrap().2[0]).eq([4, 2, 1, 0]));
/// # Ok::<(), airfoil_interp::Fault>(())
/// ```
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
///
/// # Examples
///
/// The shader doubles the colour of the attachment:
///
/// ```
/// use airfoil_interp::run::{FragmentBatch, InitialColor, Primitive, Quad};
/// use airfoil_interp::{Config, Fault, Program, Resources, System};
///
/// # let shader = airfoil_ir::text::parse(r#"foil 1
/// # shader fragment "double" {
/// #   out uvec4 o location=2 fetched
/// #   fn main {
/// #     %c = load_deref &o
/// #     %d = iadd %c, %c
/// #     store_deref &o, %d
/// #   }
/// # }"#).unwrap();
/// let slot = airfoil_ir::Slot::generic(2).unwrap();
/// # let primitive = Primitive::default();
/// let green = |is_written| -> Result<Option<u32>, Fault> {
///     let mut quad = Quad { primitive: &primitive, pixel: [0, 0], fragments: Default::default() };
///     quad.fragments[0].colors = vec![InitialColor { slot, color: [5, 6, 7, 8], is_written }];
///     let batch = FragmentBatch { quads: &[quad], sample_positions: &[], system: System::new() };
///     let out = Program::new(&shader, Config::default())?.fragment(&mut Resources::new(), &batch)?;
///     Ok(out[0][0].outputs.get(slot, 1))
/// };
/// assert_eq!(green(true)?, Some(12));
/// // Of an output that is only read, nothing is left.
/// assert_eq!(green(false)?, None);
/// # Ok::<(), Fault>(())
/// ```
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
///
/// # Examples
///
/// ```
/// use airfoil_interp::run::{FragmentBatch, Primitive, Quad};
/// use airfoil_interp::{Config, Program, Resources, System, Values};
///
/// # let shader = airfoil_ir::text::parse(r#"foil 1
/// # shader fragment "slope" {
/// #   in float a location=0
/// #   out float o location=0
/// #   fn main {
/// #     %a = load_deref &a
/// #     %d = fddx %a
/// #     store_deref &o, %d
/// #   }
/// # }"#).unwrap();
/// # let slot = airfoil_ir::Slot::generic(0).unwrap();
/// # let mut corners = vec![Values::new(); 3];
/// # corners.iter_mut().zip([0f32, 4.0, 0.0]).for_each(|(v, x)| v.set(slot, 0, x.to_bits()));
/// // An input grows from 0 to 4 along eight pixels. The shader writes its derivative.
/// let window = vec![[0.0, 0.0], [8.0, 0.0], [0.0, 8.0]];
/// let triangle = Primitive { vertices: corners, window, inverse_w: vec![1.0; 3], ..Primitive::default() };
/// let quads = [Quad { primitive: &triangle, pixel: [2, 2], fragments: Default::default() }];
/// let batch = FragmentBatch { quads: &quads, sample_positions: &[], system: System::new() };
/// let mut program = Program::new(&shader, Config::default())?;
/// for fragment in &program.fragment(&mut Resources::new(), &batch)?[0] {
///     assert_eq!(fragment.outputs.get(slot, 0), Some(0.5f32.to_bits()));
/// }
/// # Ok::<(), airfoil_interp::Fault>(())
/// ```
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
///
/// # Examples
///
/// ```
/// use airfoil_interp::run::{Fragment, FragmentBatch, Primitive, Quad};
/// use airfoil_interp::{Config, Program, Resources, System};
///
/// # let shader = airfoil_ir::text::parse(r#"foil 1
/// # shader fragment "where" {
/// #   form slots
/// #   out vec2 o location=0
/// #   fn main {
/// #     32x1 %z = const 0
/// #     %at = load_sample_pos
/// #     store_output %at, %z io=0 mask=xy src_type=float32
/// #   }
/// # }"#).unwrap();
/// # let primitive = Primitive::default();
/// // Four invocations for sample 1, which write `gl_SamplePosition`.
/// let fragments = [(); 4].map(|()| Fragment { sample: Some(1), ..Fragment::default() });
/// let quads = [Quad { primitive: &primitive, pixel: [0, 0], fragments }];
/// let sample_positions = &[[0.75, 0.75], [0.25, 0.25]];
/// let batch = FragmentBatch { quads: &quads, sample_positions, system: System::new() };
/// let out = Program::new(&shader, Config::default())?.fragment(&mut Resources::new(), &batch)?;
/// let color = airfoil_ir::Slot::generic(0).unwrap();
/// assert!(out[0].iter().all(|f| f.outputs.floats(color) == Some([0.25, 0.25, 0.0, 1.0])));
/// # Ok::<(), airfoil_interp::Fault>(())
/// ```
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
///
/// # Examples
///
/// ```
/// use airfoil_interp::run::{FragmentBatch, FragmentOutput, Primitive, Quad};
/// use airfoil_interp::{Config, Program, Resources, System};
///
/// # let shader = airfoil_ir::text::parse(r#"foil 1
/// # shader fragment "cut" {
/// #   form slots
/// #   out float o location=0
/// #   fn main {
/// #     32x1 %z = const 0
/// #     32x1 %half = const 0.5
/// #     %p = load_frag_coord
/// #     %c = flt %half, %p.z
/// #     %depth = mov %p.z
/// #     store_output %depth, %z io=0 mask=x src_type=float32
/// #     discard_if %c
/// #   }
/// # }"#).unwrap();
/// # let primitive = Primitive::default();
/// # let mut quad = Quad { primitive: &primitive, pixel: [0, 0], fragments: Default::default() };
/// # quad.fragments.iter_mut().zip([0.25, 0.5, 0.75, 1.0]).for_each(|(f, z)| f.coord[2] = z);
/// // The shader writes the depth, then discards fragments that are farther than 0.5.
/// let batch = FragmentBatch { quads: &[quad], sample_positions: &[], system: System::new() };
/// let mut program = Program::new(&shader, Config::default())?;
/// let out: Vec<[FragmentOutput; 4]> = program.fragment(&mut Resources::new(), &batch)?;
/// assert_eq!([0, 1, 2, 3].map(|k| out[0][k].discarded), [false, false, true, true]);
/// // The outputs before the discard are still there.
/// assert!(!out[0][3].outputs.is_empty());
/// # Ok::<(), airfoil_interp::Fault>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Outputs by slot; colours at `Slot::generic(n)`, `Slot::DEPTH`, `Slot::STENCIL`, `Slot::SAMPLE_MASK`.
    pub outputs: Values,
    /// Discarded, demoted or terminated: it writes nothing. Helper invocations write nothing either, and are marked by
    /// [`Fragment::helper`].
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
