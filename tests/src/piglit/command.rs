//! Lines of `[test]`.

use super::values::{bits, float, integer, shape};
use crate::gl::types::{Number, Shape};
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

/// What a texture is filled with.
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
    /// A block: whether it is a storage block, its name, and whether its bytes are asked for, not its variables.
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
        /// What the vertices make; the size of patches is state.
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
    /// `ssbo N subdata`: place and bytes.
    SsboData(u32, usize, Vec<u8>),
    /// `probe ssbo`: type, binding, place, comparison, value.
    ProbeSsbo(Shape, u32, usize, Compare, Vec<u64>),
    /// Counters of a buffer, all zero.
    Counters(u32, usize),
    /// Sets a counter of a buffer.
    Counter(u32, usize, u32),
    /// `probe atomic counter`: buffer, counter, comparison, value.
    ProbeCounter(u32, usize, Compare, u32),
    /// `ubo array index`.
    BlockElement(u32),
    /// `block ...`: what is not needed where offsets are known.
    BlockHint,
    /// `patch parameter vertices`.
    PatchVertices(u32),
    /// Default outer levels.
    OuterLevels([f32; 4]),
    /// Default inner levels.
    InnerLevels([f32; 2]),
    /// A projection: left, right, bottom, top, near, far; the flag says perspective. Without numbers, the window's pixels.
    Projection(Option<[f64; 6]>, bool),
    /// `clip plane`.
    ClipPlane(usize, [f64; 4]),
    /// `enable`, `disable`.
    Enable(String, bool),
    /// `shade model flat` or `smooth`.
    Flat(bool),
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
    /// `probe xfb buffer`: type, buffer, number of the value, value.
    ProbeFeedback(Shape, u32, usize, u64),
    /// `subuniform`: stage, subroutine uniform, subroutine.
    Subroutine(Stage, String, String),
    /// What changes nothing here: memory barriers, hints.
    Nothing,
    /// What is not run.
    Unsupported(String),
}

/// Topologies by name.
const TOPOLOGIES: &[(&str, Topology)] = &[
    ("GL_POINTS", Topology::Points),
    ("GL_LINES", Topology::Lines),
    ("GL_LINE_STRIP", Topology::LineStrip),
    ("GL_LINE_LOOP", Topology::LineLoop),
    ("GL_TRIANGLES", Topology::Triangles),
    ("GL_TRIANGLE_STRIP", Topology::TriangleStrip),
    ("GL_TRIANGLE_FAN", Topology::TriangleFan),
    ("GL_QUADS", Topology::Quads),
    ("GL_QUAD_STRIP", Topology::QuadStrip),
    ("GL_POLYGON", Topology::Polygon),
    ("GL_LINES_ADJACENCY", Topology::LinesAdjacency),
    ("GL_LINE_STRIP_ADJACENCY", Topology::LineStripAdjacency),
    ("GL_TRIANGLES_ADJACENCY", Topology::TrianglesAdjacency),
    ("GL_TRIANGLE_STRIP_ADJACENCY", Topology::TriangleStripAdjacency),
    ("GL_PATCHES", Topology::Patches(3)),
];

/// Comparisons by sign.
const COMPARISONS: &[(&str, Compare)] = &[
    ("==", Compare::Equal),
    ("!=", Compare::NotEqual),
    ("<", Compare::Less),
    ("<=", Compare::LessEqual),
    (">", Compare::Greater),
    (">=", Compare::GreaterEqual),
];

/// Words of a line: brackets and commas only separate, but `np.float32(1)` is one word.
fn words(line: &str) -> Vec<&str> {
    let mut out = Vec::new();
    let mut rest = line;
    loop {
        rest = rest.trim_start_matches(|c: char| c.is_whitespace() || "(),".contains(c));
        if rest.is_empty() {
            return out;
        }
        let end = match rest.starts_with("np.").then(|| rest.find(')')).flatten() {
            Some(close) => close + 1,
            None => rest.find(|c: char| c.is_whitespace() || "(),".contains(c)).unwrap_or(rest.len()),
        };
        out.push(&rest[..end]);
        rest = &rest[end..];
    }
}

/// Words that are read one after another.
struct Words<'a> {
    list: Vec<&'a str>,
    at: usize,
}

impl<'a> Words<'a> {
    fn next(&mut self) -> Option<&'a str> {
        self.at += 1;
        self.list.get(self.at - 1).copied()
    }

    /// Goes on if these words come next.
    fn take(&mut self, phrase: &str) -> bool {
        let n = phrase.split(' ').count();
        let found =
            self.list.get(self.at..self.at + n).is_some_and(|w| w.iter().copied().eq(phrase.split(' ')));
        self.at += if found { n } else { 0 };
        found
    }

    fn float(&mut self) -> Option<f64> {
        float(self.next()?, 32)
    }

    fn floats<const N: usize>(&mut self) -> Option<[f64; N]> {
        let mut out = [0.0; N];
        for x in &mut out {
            *x = self.float()?;
        }
        Some(out)
    }

    fn number<T: TryFrom<u64>>(&mut self) -> Option<T> {
        T::try_from(integer(self.next()?)?).ok()
    }

    fn numbers<const N: usize>(&mut self) -> Option<[u32; N]> {
        let mut out = [0; N];
        for x in &mut out {
            *x = self.number()?;
        }
        Some(out)
    }

    fn topology(&mut self) -> Option<Topology> {
        let name = self.next()?;
        TOPOLOGIES.iter().find(|(n, _)| *n == name).map(|(_, t)| *t)
    }

    fn comparison(&mut self) -> Option<Compare> {
        let word = self.next()?;
        COMPARISONS.iter().find(|(sign, _)| *sign == word).map(|(_, c)| *c)
    }
}

/// Largest buffer.
const MAX_BUFFER: usize = 1 << 26;

/// Reads a line; what is not known becomes [`Command::Unsupported`].
pub fn parse(line: &str) -> Command {
    let code = line.split('#').next().unwrap_or_default().trim().trim_end_matches(';');
    let mut words = Words { list: words(code), at: 0 };
    let known = command(&mut words);
    known.unwrap_or_else(|| {
        // The name of the command without its numbers.
        let is_name = |w: &&&str| w.starts_with(|c: char| c.is_ascii_alphabetic());
        Command::Unsupported(
            words.list.iter().take_while(is_name).take(3).copied().collect::<Vec<_>>().join(" "),
        )
    })
}

fn command(w: &mut Words<'_>) -> Option<Command> {
    if w.take("clear color") {
        return w.floats().map(Command::ClearColor);
    }
    if w.take("clear depth") {
        return w.float().map(Command::ClearDepth);
    }
    if w.take("clear") {
        return (w.at == w.list.len()).then_some(Command::Clear);
    }
    if w.take("draw rect") {
        let texture = w.take("tex");
        let ortho = w.take("ortho");
        let patch = w.take("patch");
        let at = w.floats()?;
        let texture = if texture { Some(w.floats()?) } else { None };
        return (w.at == w.list.len()).then_some(Command::Rect { at, ortho, patch, texture });
    }
    if w.take("draw arrays") {
        let instanced = w.take("instanced");
        let topology = w.topology()?;
        let (first, count) = (w.number()?, w.number()?);
        let instances = if instanced { w.number()? } else { 1 };
        return Some(Command::Arrays { topology, first, count, instances });
    }
    if w.take("uniform") {
        let shape = shape(w.next()?)?;
        let name = w.next()?.to_string();
        let values: Option<Vec<u64>> =
            w.list[w.at..].iter().map(|v| bits(v, shape.number, shape.bits)).collect();
        return Some(Command::Uniform { name, shape, values: values.filter(|v| !v.is_empty())? });
    }
    let relative = w.take("relative");
    if w.take("probe") {
        return probe(w, relative);
    }
    if relative {
        return None;
    }
    if w.take("tolerance") {
        return w.floats().map(Command::Tolerance);
    }
    if w.take("link success") {
        return Some(Command::LinkSuccess);
    }
    if w.take("link error") {
        return Some(Command::LinkError);
    }
    if w.take("compute group size") {
        return Some(Command::ComputeSized(w.numbers()?, w.numbers()?));
    }
    if w.take("compute") {
        return w.numbers().map(Command::Compute);
    }
    buffers(w).or_else(|| state(w)).or_else(|| textures(w)).or_else(|| feedback(w)).or_else(|| program(w))
}

fn probe(w: &mut Words<'_>, relative: bool) -> Option<Command> {
    let warn = w.take("warn");
    if w.take("ssbo") {
        let shape = shape(w.next()?)?;
        let (binding, at, compare) = (w.number()?, w.number()?, w.comparison()?);
        let values: Option<Vec<u64>> =
            w.list[w.at..].iter().map(|v| bits(v, shape.number, shape.bits)).collect();
        return Some(Command::ProbeSsbo(shape, binding, at, compare, values?));
    }
    if w.take("xfb buffer") {
        let shape = shape(w.next()?)?;
        let (buffer, at) = (w.number()?, w.number()?);
        return bits(w.next()?, shape.number, shape.bits)
            .map(|v| Command::ProbeFeedback(shape, buffer, at, v));
    }
    if w.take("atomic counter") {
        // Of the first buffer counters are counted, of a named one bytes.
        let (buffer, width) = if w.take("buffer") { (w.number()?, 4) } else { (0, 1) };
        let at: usize = w.number()?;
        let counter = at.is_multiple_of(width).then_some(at / width)?;
        return Some(Command::ProbeCounter(buffer, counter, w.comparison()?, w.number()?));
    }
    if w.take("depth") {
        let [x, y, depth] = w.floats()?;
        return Some(Command::ProbeDepth(Place { at: [x, y, 0.0, 0.0], relative }, depth));
    }
    let all = w.take("all");
    let rect = !all && w.take("rect");
    let components = match w.next()? {
        "rgba" => 4,
        "rgb" => 3,
        _ => return None,
    };
    let place = match (all, rect) {
        (true, _) => None,
        (_, true) => Some(Place { at: w.floats()?, relative }),
        _ => {
            let [x, y] = w.floats()?;
            Some(Place { at: [x, y, 0.0, 0.0], relative })
        }
    };
    let color = (0..components).map(|_| w.float()).collect::<Option<_>>()?;
    Some(Command::Probe { place, color, warn })
}

fn buffers(w: &mut Words<'_>) -> Option<Command> {
    if w.take("ssbo") {
        let binding = w.number()?;
        if !w.take("subdata") {
            return w.number().filter(|&n: &usize| n <= MAX_BUFFER).map(|n| Command::Ssbo(binding, n));
        }
        let shape = shape(w.next()?)?;
        let at: usize = w.number()?;
        let mut bytes = Vec::new();
        for word in &w.list[w.at..] {
            let width = shape.bits as usize / 8;
            bytes.extend_from_slice(&bits(word, shape.number, shape.bits)?.to_le_bytes()[..width]);
        }
        return Some(Command::SsboData(binding, at, bytes));
    }
    if w.take("atomic counters") {
        return w.number().filter(|&n: &usize| n <= MAX_BUFFER / 4).map(|n| Command::Counters(0, n));
    }
    if w.take("atomic counter buffer") {
        let buffer = w.number()?;
        return w.number().filter(|&n: &usize| n <= MAX_BUFFER / 4).map(|n| Command::Counters(buffer, n));
    }
    if w.take("atomic counter") {
        return Some(Command::Counter(w.number()?, w.number()?, w.number()?));
    }
    if w.take("ubo array index") {
        return w.number().map(Command::BlockElement);
    }
    if w.take("block array index") {
        return w.number().map(Command::BlockElement);
    }
    // Where things lie is known by name.
    w.take("block").then_some(Command::BlockHint)
}

fn state(w: &mut Words<'_>) -> Option<Command> {
    if w.take("patch parameter vertices") {
        return w.number().map(Command::PatchVertices);
    }
    if w.take("patch parameter default level outer") {
        return w.floats().map(|l| Command::OuterLevels(l.map(|x: f64| x as f32)));
    }
    if w.take("patch parameter default level inner") {
        return w.floats().map(|l| Command::InnerLevels(l.map(|x: f64| x as f32)));
    }
    if w.take("ortho") {
        if w.at == w.list.len() {
            return Some(Command::Projection(None, false));
        }
        let [l, r, b, t] = w.floats()?;
        return Some(Command::Projection(Some([l, r, b, t, -1.0, 1.0]), false));
    }
    if w.take("frustum") {
        return w.floats().map(|f| Command::Projection(Some(f), true));
    }
    if w.take("clip plane") {
        let n: usize = w.number()?;
        return (n < 8).then_some(()).and_then(|()| w.floats()).map(|p| Command::ClipPlane(n, p));
    }
    for (word, on) in [("enable", true), ("disable", false)] {
        if w.take(word) {
            let name = w.next()?;
            let known = name
                .strip_prefix("GL_CLIP_PLANE")
                .is_some_and(|n| matches!(n, "0" | "1" | "2" | "3" | "4" | "5" | "6" | "7"))
                || ["GL_VERTEX_PROGRAM_TWO_SIDE", "GL_PROGRAM_POINT_SIZE", "GL_DEPTH_TEST", "GL_DEPTH_CLAMP"]
                    .contains(&name);
            return known.then(|| Command::Enable(name.into(), on));
        }
    }
    if w.take("shade model") {
        return match w.next()? {
            "flat" => Some(Command::Flat(true)),
            "smooth" => Some(Command::Flat(false)),
            _ => None,
        };
    }
    if w.take("provoking vertex") {
        return match w.next()? {
            "first" => Some(Command::FirstProvokes(true)),
            "last" => Some(Command::FirstProvokes(false)),
            _ => None,
        };
    }
    (w.take("memory barrier") || w.take("hint")).then_some(Command::Nothing)
}

/// Shadow textures: name, dimension, numbers of the size, and whether the last of them counts layers.
const SHADOWS: &[(&str, Dim, usize, bool)] = &[
    ("texture shadow1D", Dim::D1, 1, false),
    ("texture shadow2D", Dim::D2, 2, false),
    ("texture shadowRect", Dim::Rect, 2, false),
    ("texture shadow1DArray", Dim::D1, 2, true),
    ("texture shadow2DArray", Dim::D2, 3, true),
];

/// Words for what parameters are set of: always the last texture.
const TARGETS: &[&str] = &["1D", "2D", "3D", "Rect", "Cube", "1DArray", "2DArray", "CubeArray"];

fn textures(w: &mut Words<'_>) -> Option<Command> {
    let texture = |unit, dim, size, fill| Command::Texture { unit, dim, size, level: 0, format: None, fill };
    if w.take("texture rgbw 2DArray") {
        return Some(texture(w.number()?, Dim::D2, w.numbers()?, Fill::Layers));
    }
    if w.take("texture rgbw") {
        let unit = w.number()?;
        let [x, y] = w.numbers()?;
        let format = w.next().map(str::to_string);
        return Some(Command::Texture {
            unit,
            dim: Dim::D2,
            size: [x, y, 1],
            level: 0,
            format,
            fill: Fill::Rgbw,
        });
    }
    if w.take("texture checkerboard") {
        let (unit, level) = (w.number()?, w.number()?);
        let [x, y] = w.numbers()?;
        let fill = Fill::Checkerboard(w.floats()?, w.floats()?);
        return Some(Command::Texture { unit, dim: Dim::D2, size: [x, y, 1], level, format: None, fill });
    }
    if w.take("texture miptree") {
        return Some(texture(w.number()?, Dim::D2, [8, 8, 1], Fill::Levels));
    }
    if w.take("texture junk 2DArray") {
        return Some(texture(w.number()?, Dim::D2, w.numbers()?, Fill::Zeros));
    }
    if w.take("texture integer") {
        let unit = w.number()?;
        let [x, y, b, a] = w.numbers()?;
        let fill = Fill::Integers(b.into(), a.into());
        let format = Some(w.next()?.into());
        return Some(Command::Texture { unit, dim: Dim::D2, size: [x, y, 1], level: 0, format, fill });
    }
    if let Some(&(_, dim, numbers, layered)) = SHADOWS.iter().find(|s| w.take(s.0)) {
        let unit = w.number()?;
        let mut size = [1; 3];
        for n in 0..numbers {
            let place = if layered && n + 1 == numbers { 2 } else { n };
            size[place] = w.number()?;
        }
        return Some(texture(unit, dim, size, Fill::Depth));
    }
    if w.take("texparameter") {
        TARGETS.contains(&w.next()?).then_some(())?;
        return Some(Command::TexParameter(w.next()?.into(), w.next()?.into()));
    }
    if w.take("image texture") {
        return Some(Command::ImageTexture(w.number()?, w.next()?.into()));
    }
    for (words, layered) in [("fb tex 2d", false), ("fb tex layered", true)] {
        if w.take(words) {
            let unit = w.number().filter(|_| w.at == w.list.len());
            return unit.map(|unit| Command::FramebufferTexture(unit, layered));
        }
    }
    None
}

fn feedback(w: &mut Words<'_>) -> Option<Command> {
    if w.take("xfb buffer object") {
        let buffer = w.number()?;
        return w.number().filter(|&n| n <= MAX_BUFFER).map(|n| Command::FeedbackBuffer(buffer, n));
    }
    if w.take("xfb draw arrays") {
        return Some(Command::FeedbackArrays(w.topology()?, w.number()?, w.number()?));
    }
    None
}

/// What is asked of the program, or set in it.
fn program(w: &mut Words<'_>) -> Option<Command> {
    if w.take("subuniform") {
        let stage = match w.next()? {
            "GL_VERTEX_SHADER" => Stage::Vertex,
            "GL_TESS_CONTROL_SHADER" => Stage::TessControl,
            "GL_TESS_EVALUATION_SHADER" => Stage::TessEval,
            "GL_GEOMETRY_SHADER" => Stage::Geometry,
            "GL_FRAGMENT_SHADER" => Stage::Fragment,
            "GL_COMPUTE_SHADER" => Stage::Compute,
            _ => return None,
        };
        return Some(Command::Subroutine(stage, w.next()?.into(), w.next()?.into()));
    }
    let query = if w.take("verify program_query") {
        match w.next()? {
            "GL_ACTIVE_UNIFORMS" => Query::ActiveUniforms,
            "GL_TRANSFORM_FEEDBACK_VARYINGS" => Query::FeedbackVaryings,
            _ => return None,
        }
    } else if w.take("verify query_object") {
        match w.next()? {
            "GL_PRIMITIVES_GENERATED" | "GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN" => Query::Primitives,
            _ => return None,
        }
    } else if w.take("verify program_interface_query") {
        let storage = match w.next()? {
            "GL_UNIFORM_BLOCK" => false,
            "GL_SHADER_STORAGE_BLOCK" => true,
            _ => return None,
        };
        let name = w.next()?.to_string();
        let bytes = match w.next()? {
            "GL_BUFFER_DATA_SIZE" => true,
            "GL_NUM_ACTIVE_VARIABLES" => false,
            _ => return None,
        };
        Query::Block { storage, name, bytes }
    } else {
        return None;
    };
    w.number().map(|answer| Command::Verify(query, answer))
}

/// Whether a shape has floats.
pub fn is_float(shape: Shape) -> bool {
    shape.number == Number::Float
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drawing() {
        assert_eq!(parse("clear"), Command::Clear);
        let rect = Command::Rect { at: [0.0, 1.0, 2.0, 3.0], ortho: true, patch: true, texture: None };
        assert_eq!(parse("draw rect ortho patch 0 1 2 3 # text"), rect);
        let arrays = Command::Arrays { topology: Topology::TriangleFan, first: 0, count: 4, instances: 1 };
        assert_eq!(parse("draw arrays GL_TRIANGLE_FAN 0 4"), arrays);
        assert_eq!(
            parse("draw arrays GL_CIRCLES 0 4"),
            Command::Unsupported("draw arrays GL_CIRCLES".into())
        );
    }

    #[test]
    fn probes() {
        let Command::Probe { place: Some(place), color, .. } =
            parse("relative probe rgb (0.5, 0.25) (1, 0.5, 0);")
        else {
            panic!("is a probe")
        };
        assert_eq!((place.at, place.relative, color), ([0.5, 0.25, 0.0, 0.0], true, vec![1.0, 0.5, 0.0]));
        assert!(matches!(parse("probe all rgba 0 1 0 1"), Command::Probe { place: None, .. }));
        let int = shape("int").unwrap();
        assert_eq!(
            parse("probe ssbo int 1 8 >= -1"),
            Command::ProbeSsbo(int, 1, 8, Compare::GreaterEqual, vec![0xffff_ffff])
        );
        assert_eq!(
            parse("probe atomic counter buffer 2 4 == 7"),
            Command::ProbeCounter(2, 1, Compare::Equal, 7)
        );
    }

    #[test]
    fn uniforms_and_buffers() {
        let Command::Uniform { name, values, .. } = parse("uniform vec2 s.a[1] np.float32(1.0) 2") else {
            panic!("is one")
        };
        assert_eq!((name.as_str(), values), ("s.a[1]", vec![0x3f80_0000, 0x4000_0000]));
        assert!(matches!(parse("uniform handle h 1"), Command::Unsupported(_)));
        assert_eq!(parse("ssbo 1 subdata int 4 1 2"), Command::SsboData(1, 4, vec![1, 0, 0, 0, 2, 0, 0, 0]));
        assert_eq!(parse("ssbo 0 32"), Command::Ssbo(0, 32));
        assert_eq!(parse("block offset 16"), Command::BlockHint);
        assert_eq!(parse("enable GL_FOG"), Command::Unsupported("enable GL_FOG".into()));
    }
}
