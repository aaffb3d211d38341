//! The parts of a script. They refer to each other by their indices in the lists.

use super::number::Number;
use super::types::Layout;
use airfoil::Stage;
use airfoil_interp::pipeline::{Blend, Stencil};
use airfoil_interp::texture::{Compare, Sampler};
use airfoil_ir::Dim;

/// A script.
#[derive(Clone, Debug, Default)]
pub struct Script {
    /// Features, properties and extensions that the device must have.
    pub requirements: Vec<String>,
    /// Files that it names but that do not exist.
    pub missing: Vec<String>,
    /// Shaders.
    pub shaders: Vec<Shader>,
    /// Buffers and images.
    pub buffers: Vec<Buffer>,
    /// Samplers.
    pub samplers: Vec<(String, Sampler)>,
    /// Pipelines.
    pub pipelines: Vec<Pipeline>,
    /// The commands, in order.
    pub commands: Vec<Command>,
}

/// Where the code of a shader is from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// The vertex shader that passes positions on.
    Passthrough,
    /// GLSL.
    Glsl(String),
    /// SPIR-V as text.
    Assembly(String),
    /// SPIR-V.
    Binary(Vec<u8>),
    /// A language that is not read here.
    Other(String),
}

/// A shader.
#[derive(Clone, Debug)]
pub struct Shader {
    /// Name.
    pub name: String,
    /// Stage; `None` if only the pipeline specifies it.
    pub stage: Option<Stage>,
    /// Code.
    pub source: Source,
    /// Version of SPIR-V, by `TARGET_ENV`.
    pub spirv: Option<(u8, u8)>,
    /// First line of the code in the script.
    pub line: u32,
}

/// Shape of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// Dimensions.
    pub dim: Dim,
    /// Width, height and depth; zeros where the framebuffer determines them.
    pub size: [u32; 3],
    /// Levels.
    pub levels: u32,
    /// Samples.
    pub samples: u32,
}

/// A buffer or image.
#[derive(Clone, Debug)]
pub struct Buffer {
    /// Name.
    pub name: String,
    /// Layout of its numbers.
    pub layout: Layout,
    /// Format, if it has one rather than a type.
    pub format: Option<super::format::Format>,
    /// Its contents at the start; empty for images that are not filled.
    pub bytes: Vec<u8>,
    /// Shape, if it is declared as an image or has a format only.
    pub extent: Option<Extent>,
}

/// A shader in a pipeline.
#[derive(Clone, Debug, PartialEq)]
pub struct Attached {
    /// The shader.
    pub shader: usize,
    /// Stage.
    pub stage: Stage,
    /// Entry point.
    pub entry: String,
    /// Specialisation constants: id and bits.
    pub spec: Vec<(u32, u64)>,
    /// `REQUIRED_SIZE` of subgroups.
    pub subgroup_size: Option<u32>,
}

/// How a buffer is bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    /// Colour attachment at a location.
    Color(u32),
    /// Depth and stencil attachment.
    DepthStencil,
    /// Resolve target at a location.
    Resolve(u32),
    /// Push constants.
    PushConstant,
    /// Uniform block.
    Uniform,
    /// Storage block.
    Storage,
    /// Storage image.
    StorageImage,
    /// Texture.
    SampledImage,
    /// Texture with a sampler.
    Combined,
    /// Texels of a buffer, read.
    UniformTexels,
    /// Texels of a buffer, read and written.
    StorageTexels,
    /// Sampler.
    Sampler,
    /// Vertex attribute at a location.
    Vertex(u32),
    /// Vertex numbers.
    Index,
    /// Input attachment.
    InputAttachment,
    /// Argument of an OpenCL kernel.
    Kernel,
}

/// A descriptor: element of a binding.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Element {
    /// The buffer, or the sampler where it is only that.
    pub what: usize,
    /// The sampler of a combined one.
    pub sampler: Option<usize>,
    /// First byte.
    pub offset: u64,
    /// Bytes, if not all.
    pub range: Option<u64>,
}

/// A binding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bind {
    /// How.
    pub usage: Use,
    /// Descriptor set.
    pub set: u32,
    /// Binding.
    pub binding: u32,
    /// Its elements.
    pub elements: Vec<Element>,
    /// First level of an image.
    pub base_level: u32,
    /// Number of levels, if not all.
    pub levels: Option<u32>,
}

/// State of the depth test.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Depth {
    /// Whether depths are tested.
    pub test: bool,
    /// Whether they are written.
    pub write: bool,
    /// How they compare.
    pub compare: Compare,
    /// Whether they are clamped to the viewport.
    pub clamp: bool,
    /// Bounds that the stored depth must be in.
    pub bounds: Option<(f32, f32)>,
    /// Bias: constant, clamp, slope.
    pub bias: Option<[f32; 3]>,
}

// Scripts that name no comparison expect that every depth passes, even one greater than the depth of 1 that the image was cleared with.
impl Default for Depth {
    fn default() -> Depth {
        Depth { test: false, write: false, compare: Compare::Always, clamp: false, bounds: None, bias: None }
    }
}

/// The viewport.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Viewport {
    /// Corner.
    pub corner: [f32; 2],
    /// Size.
    pub size: [f32; 2],
    /// Depths at 0 and 1.
    pub depth: [f32; 2],
}

/// A pipeline.
#[derive(Clone, Debug)]
pub struct Pipeline {
    /// Name.
    pub name: String,
    /// Compute rather than graphics.
    pub compute: bool,
    /// Its shaders.
    pub shaders: Vec<Attached>,
    /// Its bindings.
    pub binds: Vec<Bind>,
    /// Size of the framebuffer.
    pub framebuffer: [u32; 2],
    /// Viewport, if not the framebuffer.
    pub viewport: Option<Viewport>,
    /// Depth test.
    pub depth: Depth,
    /// Stencil test.
    pub stencil: Stencil,
    /// Whether stencil values are tested.
    pub stencil_test: bool,
    /// How all colours are blended.
    pub blend: Option<Blend>,
    /// Out-of-range indices are clamped: `--graphics-robust-access`.
    pub clamp_indices: bool,
    /// Vertices of a patch.
    pub patch_vertices: u32,
    /// Requested features that are not modelled, such as blending.
    pub unsupported: Option<String>,
}

impl Default for Pipeline {
    fn default() -> Pipeline {
        Pipeline {
            name: String::new(),
            compute: false,
            shaders: Vec::new(),
            binds: Vec::new(),
            // The size that scripts without one get.
            framebuffer: [250, 250],
            viewport: None,
            depth: Depth::default(),
            stencil: Stencil::default(),
            stencil_test: false,
            blend: None,
            clamp_indices: false,
            patch_vertices: 3,
            unsupported: None,
        }
    }
}

/// The count of a draw of all vertices from the first one on.
pub const TO_THE_END: u32 = u32::MAX;

/// A command that executes something.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Run {
    /// Workgroups.
    Compute([u32; 3]),
    /// A rectangle: corner and size in pixels.
    Rect([f32; 4]),
    /// A rectangle of cells: corner and size in pixels, columns and rows.
    Grid([f32; 4], [u32; 2]),
    /// Vertices of a list of triangles, first and count; [`TO_THE_END`] counts those that the data has.
    Triangles(u32, u32),
    /// Vertices of patches, first and count.
    Patches(u32, u32),
    /// Vertices that form something else; not modelled.
    Other,
}

/// A command.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// Runs a pipeline.
    Run(usize, Run),
    /// Runs commands several times.
    Repeat(u32, Vec<Command>),
    /// Sets the colour that a pipeline's attachments are cleared to.
    ClearColor(usize, [f64; 4]),
    /// Sets the depth that a pipeline's attachment is cleared to.
    ClearDepth(usize, f64),
    /// Sets the stencil value.
    ClearStencil(usize, u32),
    /// Clears a pipeline's attachments.
    Clear(usize),
    /// Copies a buffer to another.
    Copy(usize, usize),
    /// Writes bytes to a buffer.
    Write(usize, u64, Vec<u8>),
    /// Compares.
    Expect(Expect),
}

/// How numbers compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// `==`.
    Equal,
    /// `!=`.
    NotEqual,
    /// `<`.
    Less,
    /// `<=`.
    LessEqual,
    /// `>`.
    Greater,
    /// `>=`.
    GreaterEqual,
}

/// How far a number may be away.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Tolerance {
    /// So far.
    Absolute(f64),
    /// Percent of the expected value.
    Percent(f64),
}

impl Tolerance {
    /// Whether a value is within the tolerance of the expected one.
    pub fn holds(self, found: f64, expected: f64) -> bool {
        if found == expected || found.is_nan() && expected.is_nan() {
            return true;
        }
        let far = (found - expected).abs();
        match self {
            // A step of 8 bits is a step after rounding, too.
            Tolerance::Absolute(t) => far <= t * (1.0 + 1e-9),
            Tolerance::Percent(t) => far <= t / 100.0 * expected.abs(),
        }
    }
}

/// The compared values.
#[derive(Clone, Debug, PartialEq)]
pub enum Check {
    /// Numbers from a byte on.
    Numbers {
        /// First byte.
        at: u64,
        /// Layout of its numbers, if it is not the buffer's.
        layout: Option<Layout>,
        /// Relation.
        relation: Relation,
        /// Expected numbers.
        numbers: Vec<Number>,
        /// How far they may be away: none, one for all, or one each.
        tolerance: Vec<Tolerance>,
    },
    /// Colours of pixels.
    Pixels {
        /// Corner and size.
        area: [u32; 4],
        /// Expected colour, 0 to 1; alpha is not looked at if there are three.
        color: Vec<f64>,
        /// How far each component may be away, 0 to 1.
        tolerance: Vec<Tolerance>,
    },
    /// Equal to another buffer.
    Equal(usize),
    /// Root of the mean squared difference to another buffer, at most this.
    Rmse(usize, f64),
    /// Distance of the histograms to another buffer, at most this.
    Histogram(usize, f64),
}

/// An expectation.
#[derive(Clone, Debug, PartialEq)]
pub struct Expect {
    /// The buffer.
    pub buffer: usize,
    /// The compared values.
    pub check: Check,
    /// Its line.
    pub line: u32,
}
