//! Draw calls: vertices, fixed-function state and render targets.

use super::assemble::Topology;
use super::blend::Blend;
use super::clip::ClipDepth;
use super::depth::DepthBias;
use super::samples;
use super::stencil::Stencil;
use crate::fault::Fault;
use crate::run::Vertex;
use crate::texture::{Compare, Format};
use crate::values::System;

/// State of the fixed functions.
///
/// # Examples
///
/// ```
/// use airfoil_interp::pipeline::{Draw, Pipeline, State, Target, Topology};
/// # use airfoil_interp::{Config, Fault, Resources, System, run::Vertex, texture::Compare};
///
/// # let shaders = [airfoil_ir::text::parse("foil 1\nshader fragment \"faces\" {\nfn main {\n}\n}").unwrap()];
/// # let mut vertices = vec![Vertex::default(); 3];
/// # for (v, [x, y]) in vertices.iter_mut().zip([[-1.0, -1.0], [3.0, -1.0], [-1.0, 3.0]]) {
/// #     v.inputs.set_floats(airfoil_ir::Slot::POSITION, [x, y, 0.0, 1.0]);
/// # }
/// # let draw = Draw { topology: Topology::Triangles, vertices: &vertices, indices: None, system: System::new() };
/// # let mut pipeline = Pipeline::new(&shaders, &Config::default())?;
/// let mut is_drawn = |state: &State| -> Result<bool, Fault> {
///     let mut target = Target { depth: Some(vec![1.0]), ..Target::new(1, 1, 1, 0) };
///     pipeline.draw(&mut Resources::new(), &draw, state, &mut target)?;
///     Ok(target.depth != Some(vec![1.0]))
/// };
/// // The triangle is counterclockwise in clip coordinates, and clockwise where y increases downward.
/// let state = State { depth_test: Some(Compare::Less), cull_back: true, ..State::new(1, 1) };
/// assert!(is_drawn(&state)?);
/// assert!(!is_drawn(&State { y_down: true, ..state.clone() })?);
/// // Depths are written only with a test.
/// assert!(!is_drawn(&State { depth_test: None, ..state })?);
/// # Ok::<(), Fault>(())
/// ```
#[derive(Clone, Debug)]
pub struct State {
    /// Lower left (or upper left) corner, width and height of the viewport; a negative height flips the image.
    pub viewport: [f64; 4],
    /// Depths of the near and far planes.
    pub depth_range: [f64; 2],
    /// Depth in clip coordinates.
    pub clip_depth: ClipDepth,
    /// Depth is clamped to its range instead of being clipped.
    pub depth_clamp: bool,
    /// Depths may be outside of 0 to 1 (VK_EXT_depth_range_unrestricted).
    pub depth_unrestricted: bool,
    /// Depth bias of polygons.
    pub depth_bias: Option<DepthBias>,
    /// Fragments are written only where the stored depth is within these bounds.
    pub depth_bounds: Option<[f64; 2]>,
    /// y increases downward in the window, as in Vulkan; otherwise upward.
    pub y_down: bool,
    /// Bits of the clip distances that clip, if the shader writes some.
    pub clip_distances: u8,
    /// Clip planes for `gl_ClipVertex`, or for the position if the shader does not write it.
    pub clip_planes: [Option<[f64; 4]>; 8],
    /// The first vertex provokes, not the last one.
    pub first_provokes: bool,
    /// Front faces are clockwise.
    pub front_clockwise: bool,
    /// Front faces are left out.
    pub cull_front: bool,
    /// Back faces are left out.
    pub cull_back: bool,
    /// Back faces have the back colours.
    pub two_sided: bool,
    /// Colours of the compatibility profile are not interpolated.
    pub flat_colors: bool,
    /// Colours of the compatibility profile are clamped to 0 to 1 after the last stage before rasterisation.
    pub clamp_colors: bool,
    /// Triangles fill the upright rectangle around them (`GL_NV_fill_rectangle`).
    pub fill_rectangle: bool,
    /// Size of points where the shader does not say one.
    pub point_size: f64,
    /// The shader's point size counts.
    pub shader_point_size: bool,
    /// Test of depths (`new op old`); without it nothing is tested.
    pub depth_test: Option<Compare>,
    /// Depths are written if they are tested.
    pub depth_write: bool,
    /// The stencil test; without it nothing is tested.
    pub stencil: Option<Stencil>,
    /// Blend state of each colour attachment; colours without an entry overwrite the attachment.
    pub colors: Vec<ColorState>,
    /// The constant colour of blending.
    pub blend_constant: [f64; 4],
    /// Samples that are written.
    pub sample_mask: u32,
    /// The alpha of colour 0 determines the number of covered samples.
    pub alpha_to_coverage: bool,
    /// Levels of patches without control shader: outer, inner.
    pub patch_levels: ([f32; 4], [f32; 2]),
}

/// How the values of a colour attachment are written.
///
/// # Examples
///
/// Only red and blue are written:
///
/// ```
/// use airfoil_interp::pipeline::{ColorState, Draw, Pipeline, State, Target, Topology};
/// # use airfoil_interp::{Config, Resources, System, run::Vertex};
///
/// # let shader = airfoil_ir::text::parse(r#"foil 1
/// # shader fragment "white" {
/// #   out vec4 color location=0
/// #   fn main {
/// #     32x4 %white = const 1.0
/// #     store_deref &color, %white
/// #   }
/// # }"#).unwrap();
/// # let mut pipeline = Pipeline::new(std::slice::from_ref(&shader), &Config::default())?;
/// # let mut vertex = Vertex::default();
/// # vertex.inputs.set_floats(airfoil_ir::Slot::POSITION, [0.0, 0.0, 0.0, 1.0]);
/// # let draw = Draw { topology: Topology::Points, vertices: &[vertex], indices: None, system: System::new() };
/// let mut state = State::new(1, 1);
/// state.colors = vec![ColorState { write_mask: 0b0101, ..ColorState::default() }];
/// let mut target = Target::new(1, 1, 1, 1);
/// pipeline.draw(&mut Resources::new(), &draw, &state, &mut target)?;
/// assert_eq!(target.floats(0, 0, 0, 0), Some([1.0, 0.0, 1.0, 0.0]));
/// // Attachments without an entry are overwritten.
/// state.colors.clear();
/// pipeline.draw(&mut Resources::new(), &draw, &state, &mut target)?;
/// assert_eq!(target.floats(0, 0, 0, 0), Some([1.0; 4]));
/// # Ok::<(), airfoil_interp::Fault>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ColorState {
    /// How they are blended; integers never are.
    pub blend: Option<Blend>,
    /// Components that are written: red is bit 0.
    pub write_mask: u8,
}

impl Default for ColorState {
    /// They overwrite the stored values.
    fn default() -> ColorState {
        ColorState { blend: None, write_mask: 0xf }
    }
}

impl State {
    /// The initial state of OpenGL, for a window.
    pub fn new(width: u32, height: u32) -> State {
        State {
            viewport: [0.0, 0.0, f64::from(width), f64::from(height)],
            depth_range: [0.0, 1.0],
            clip_depth: ClipDepth::MinusOneToOne,
            depth_clamp: false,
            depth_unrestricted: false,
            depth_bias: None,
            depth_bounds: None,
            y_down: false,
            clip_distances: 0,
            clip_planes: [None; 8],
            first_provokes: false,
            front_clockwise: false,
            cull_front: false,
            cull_back: false,
            two_sided: false,
            flat_colors: false,
            clamp_colors: false,
            fill_rectangle: false,
            point_size: 1.0,
            shader_point_size: false,
            depth_test: None,
            depth_write: true,
            stencil: None,
            colors: Vec::new(),
            blend_constant: [0.0; 4],
            sample_mask: u32::MAX,
            alpha_to_coverage: false,
            patch_levels: ([1.0; 4], [1.0; 2]),
        }
    }
}

/// The vertices and parameters of a draw call.
///
/// # Examples
///
/// Two triangles from four vertices:
///
/// ```
/// use airfoil_interp::pipeline::{Draw, Pipeline, State, Target, Topology};
/// use airfoil_interp::{Config, Resources, System, run::Vertex};
///
/// let mut pipeline = Pipeline::new(&[], &Config::default())?;
/// let vertices = vec![Vertex::default(); 4];
/// let mut draw = |indices: &[u32]| {
///     let indices = Some(indices);
///     let draw = Draw { topology: Topology::Triangles, vertices: &vertices, indices, system: System::new() };
///     pipeline.draw(&mut Resources::new(), &draw, &State::new(1, 1), &mut Target::new(1, 1, 1, 0))
/// };
/// assert_eq!(draw(&[0, 1, 2, 2, 1, 3])?.primitives, 2);
/// assert_eq!(draw(&[0, 1, 4]).unwrap_err().message, "vertex 4 does not exist");
/// # Ok::<(), airfoil_interp::Fault>(())
/// ```
#[derive(Clone, Debug)]
pub struct Draw<'a> {
    /// How the vertices form primitives.
    pub topology: Topology,
    /// Inputs and system values of each vertex.
    pub vertices: &'a [Vertex],
    /// Positions of the vertices in the stream; `None`: all of them, in order.
    pub indices: Option<&'a [u32]>,
    /// System values of all stages, such as the instance.
    pub system: System,
}

/// Layers of pixels, with any number of colours and perhaps a depth and a stencil value for each of their samples.
///
/// # Examples
///
/// ```
/// use airfoil_interp::pipeline::Target;
/// use airfoil_interp::texture::Format;
///
/// let mut target = Target::new(2, 2, 1, 1).with_samples(4)?;
/// // The samples of a pixel follow one another.
/// let at = target.index(1, 0, 0).unwrap();
/// assert_eq!(at, 4);
/// target.colors[0][at + 3] = [1f32.to_bits(); 4];
/// assert_eq!(target.resolved(0)[1], [0.25f32.to_bits(); 4]);
/// // Integers have no mean: the first sample counts.
/// target.formats[0] = Format::Rgba32ui;
/// assert_eq!(target.resolved(0)[1], [0; 4]);
/// assert!(Target::new(2, 2, 1, 1).with_samples(3).is_err());
/// # Ok::<(), airfoil_interp::Fault>(())
/// ```
#[derive(Clone, Debug)]
pub struct Target {
    /// Pixels of a row.
    pub width: u32,
    /// Rows of a layer.
    pub height: u32,
    /// Number of layers.
    pub layers: u32,
    /// Samples of a pixel: 1, 2, 4, 8 or 16.
    pub samples: u32,
    /// Raw bits of each colour, by layer, row, column, sample; one list a colour.
    pub colors: Vec<Vec<[u32; 4]>>,
    /// Formats of the colours, whose range and precision they have.
    pub formats: Vec<Format>,
    /// Depth of each sample, in the same order.
    pub depth: Option<Vec<f32>>,
    /// Format of the depths, whose precision they have.
    pub depth_format: Format,
    /// Stencil values, in the same order.
    pub stencil: Option<Vec<u8>>,
    /// Pixels of a layer that the caller reads; all without a list. Others may keep their values: shaders that
    /// have no other effects are not executed for them.
    pub wanted: Option<Vec<bool>>,
    /// Number of fragments whose colours had undefined components, which kept the stored values.
    pub undefined: u64,
}

impl Target {
    /// A target with a number of colours that are zero, of four 32-bit numbers each, and one sample a pixel.
    pub fn new(width: u32, height: u32, layers: u32, colors: usize) -> Target {
        let pixels = width as usize * height as usize * layers as usize;
        Target {
            width,
            height,
            layers,
            samples: 1,
            colors: vec![vec![[0; 4]; pixels]; colors],
            formats: vec![Format::Rgba32f; colors],
            depth: None,
            depth_format: Format::D32f,
            stencil: None,
            wanted: None,
            undefined: 0,
        }
    }

    /// The same with this many samples a pixel, which are initialised with the value of the pixel.
    ///
    /// # Errors
    /// A number of samples that is not supported.
    pub fn with_samples(mut self, samples: u32) -> Result<Target, Fault> {
        if samples::positions(samples).is_none() || self.samples != 1 {
            return Err(Fault::unsupported(format!("there are no pixels of {samples} samples")));
        }
        fn all<T: Copy>(list: &mut Vec<T>, samples: u32) {
            *list = list.iter().flat_map(|&x| std::iter::repeat_n(x, samples as usize)).collect();
        }
        self.colors.iter_mut().for_each(|list| all(list, samples));
        self.depth.iter_mut().for_each(|list| all(list, samples));
        self.stencil.iter_mut().for_each(|list| all(list, samples));
        self.samples = samples;
        Ok(self)
    }

    /// Position of a pixel in the lists: that of its first sample, which the others follow.
    pub fn index(&self, x: u32, y: u32, layer: u32) -> Option<usize> {
        let inside = x < self.width && y < self.height && layer < self.layers;
        let pixel =
            || (layer as usize * self.height as usize + y as usize) * self.width as usize + x as usize;
        inside.then(|| pixel() * self.samples as usize)
    }

    /// A colour of a pixel, or of its first sample, as floats.
    pub fn floats(&self, color: usize, x: u32, y: u32, layer: u32) -> Option<[f32; 4]> {
        Some(self.colors.get(color)?.get(self.index(x, y, layer)?)?.map(f32::from_bits))
    }

    /// Sets a colour everywhere.
    pub fn clear(&mut self, color: usize, words: [u32; 4]) {
        if let Some(list) = self.colors.get_mut(color) {
            list.fill(words);
        }
    }

    /// A colour of one sample a pixel: the mean of its samples, or the first one if they are integers (OpenGL 4.6 section 18.3.2).
    pub fn resolved(&self, color: usize) -> Vec<[u32; 4]> {
        let Some(list) = self.colors.get(color) else { return Vec::new() };
        let samples = self.samples as usize;
        let integers = self.formats.get(color).is_some_and(|f| f.is_integer());
        let mean = |pixel: &[[u32; 4]]| -> [u32; 4] {
            std::array::from_fn(|c| {
                let sum: f64 = pixel.iter().map(|words| f64::from(f32::from_bits(words[c]))).sum();
                ((sum / samples as f64) as f32).to_bits()
            })
        };
        let one = |pixel: &[[u32; 4]]| if integers || samples == 1 { pixel[0] } else { mean(pixel) };
        list.chunks_exact(samples).map(one).collect()
    }

    pub(crate) fn wants(&self, x: i32, y: i32) -> bool {
        self.wanted
            .as_ref()
            .is_none_or(|w| w.get(y as usize * self.width as usize + x as usize).copied().unwrap_or(false))
    }
}
