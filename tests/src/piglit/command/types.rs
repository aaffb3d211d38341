//! The commands of `[test]`.

use crate::gl::types::Shape;
use airfoil::Stage;
use airfoil::ir::Dim;
use airfoil_interp::pipeline::Topology;
use airfoil_interp::texture::Compare;

/// A rectangle of pixels, or of parts of the window.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Place {
    /// x, y, width, height; the last two are 0 for a pixel.
    pub at: [f64; 4],
    /// In parts of the window.
    pub relative: bool,
}

/// The contents of a texture.
#[derive(Clone, Debug, PartialEq)]
pub enum Fill {
    /// Red, green, blue and white quarters.
    Rgbw,
    /// Two colours.
    Checkerboard([f64; 4], [f64; 4]),
    /// Depths that grow to the right.
    Depth,
    /// A colour for each level: red, green, blue, white.
    Levels,
    /// The same colours for the layers in turn.
    Layers,
    /// Integers: `b y + x + a`.
    Integers(i64, i64),
    /// Zeros.
    Zeros,
}

/// A query of the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Query {
    /// `GL_ACTIVE_UNIFORMS`.
    ActiveUniforms,
    /// `GL_TRANSFORM_FEEDBACK_VARYINGS`.
    FeedbackVaryings,
    /// A block: whether it is a storage block, its name, and whether its bytes are queried, not its variables.
    Block {
        /// A storage block.
        storage: bool,
        /// Name.
        name: String,
        /// `GL_BUFFER_DATA_SIZE`, otherwise `GL_NUM_ACTIVE_VARIABLES`.
        bytes: bool,
    },
    /// Primitives of the last captured draw.
    Primitives,
}

/// A line.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// `clear color`.
    ClearColor([f64; 4]),
    /// `clear depth`.
    ClearDepth(f64),
    /// `clear`.
    Clear,
    /// `draw rect`.
    Rect {
        /// x, y, width, height.
        at: [f64; 4],
        /// In pixels.
        ortho: bool,
        /// As a patch of four vertices.
        patch: bool,
        /// Texture coordinates of the same form.
        texture: Option<[f64; 4]>,
    },
    /// `draw arrays`.
    Arrays {
        /// The topology; the size of patches is state.
        topology: Topology,
        /// First vertex.
        first: usize,
        /// Number of vertices.
        count: usize,
        /// Instances.
        instances: u32,
    },
    /// `uniform`.
    Uniform {
        /// Name.
        name: String,
        /// Type.
        shape: Shape,
        /// Raw bits.
        values: Vec<u64>,
    },
    /// `probe rgba` and the like.
    Probe {
        /// Where; `None` is everywhere.
        place: Option<Place>,
        /// Components, 3 or 4.
        color: Vec<f64>,
        /// A difference is only a warning.
        warn: bool,
    },
    /// `probe depth`.
    ProbeDepth(Place, f64),
    /// `tolerance`.
    Tolerance([f64; 4]),
    /// `link success`.
    LinkSuccess,
    /// `link error`.
    LinkError,
    /// `compute`.
    Compute([u32; 3]),
    /// `compute group size`: groups, then their size.
    ComputeSized([u32; 3], [u32; 3]),
    /// `ssbo N size`.
    Ssbo(u32, usize),
    /// `ssbo N subdata`: offset and bytes.
    SsboData(u32, usize, Vec<u8>),
    /// `probe ssbo`: type, binding, offset, comparison, value.
    ProbeSsbo(Shape, u32, usize, Compare, Vec<u64>),
    /// Counters of a buffer, all zero.
    Counters(u32, usize),
    /// Sets a counter of a buffer.
    Counter(u32, usize, u32),
    /// `probe atomic counter`: buffer, counter, comparison, value.
    ProbeCounter(u32, usize, Compare, u32),
    /// `ubo array index`.
    BlockElement(u32),
    /// `block ...`: not needed where offsets are known.
    BlockHint,
    /// `patch parameter vertices`.
    PatchVertices(u32),
    /// Default outer levels.
    OuterLevels([f32; 4]),
    /// Default inner levels.
    InnerLevels([f32; 2]),
    /// A projection: left, right, bottom, top, near, far; the flag selects perspective. Without numbers, the window's
    /// pixels.
    Projection(Option<[f64; 6]>, bool),
    /// `clip plane`.
    ClipPlane(usize, [f64; 4]),
    /// `enable`, `disable`.
    Enable(String, bool),
    /// `shade model flat` or `smooth`.
    Flat(bool),
    /// `polygon mode`: triangles fill the rectangles around them, or themselves.
    FillRectangles(bool),
    /// `provoking vertex first` or `last`.
    FirstProvokes(bool),
    /// `texture ...`: unit, dimension, size, level, format, content.
    Texture {
        /// Unit.
        unit: u32,
        /// Dimension.
        dim: Dim,
        /// Width, height and layers.
        size: [u32; 3],
        /// Level.
        level: u32,
        /// Name of the format, if there is one.
        format: Option<String>,
        /// Content.
        fill: Fill,
    },
    /// `texparameter`: name and value.
    TexParameter(String, String),
    /// `image texture`: unit and format.
    ImageTexture(u32, String),
    /// `fb tex 2d` and `fb tex layered`: unit, and whether all layers are drawn to.
    FramebufferTexture(u32, bool),
    /// `verify`: a query and its answer.
    Verify(Query, u64),
    /// `xfb buffer object`: number and bytes.
    FeedbackBuffer(u32, usize),
    /// `xfb draw arrays`: as `draw arrays`, captured.
    FeedbackArrays(Topology, usize, usize),
    /// `probe xfb buffer`: type, buffer, index of the value, value.
    ProbeFeedback(Shape, u32, usize, u64),
    /// `subuniform`: stage, subroutine uniform, subroutine.
    Subroutine(Stage, String, String),
    /// Commands without effect here: memory barriers, hints.
    Nothing,
    /// An unsupported command.
    Unsupported(String),
}
