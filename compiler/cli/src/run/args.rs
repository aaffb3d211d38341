//! The command line of `airfoil run`.

use super::given::{ImageOut, Pair, Size, Triple};
use super::output_state::{BlendOf, CompareName, StencilTest};
use super::trace::Which;
use crate::args::{ReadArgs, level_parser};
use airfoil::OptLevel;
use airfoil_interp::pipeline::Topology;
use airfoil_interp::{Config, FloatMode};
use clap::{Args, ValueEnum};
use std::path::PathBuf;
use std::str::FromStr;

#[derive(Args, Debug)]
#[command(after_help = "\
A compute shader runs over --groups workgroups; the buffers that it may write are printed as JSON.
A vertex shader, with what follows it, or a fragment shader alone on a quad that fills the image, is
drawn onto an image; without fragment shader the vertices are printed as JSON. Without -O and --passes the shader runs as it is read.

NAME is the name of a variable or block, a binding (3) or set and binding (1,3); NAME[2] one of an array.
Contents of buffers: FILE.json, FILE (bytes), zeros:BYTES, random:BYTES, or JSON itself: a value of
the block ({\"count\": 2, \"data\": [1, 2]}) or numbers of a type ({\"type\": \"f32\", \"data\": [1, 2]}).
Buffers that are not given hold zeros; an array of open length has an element for each invocation.

Examples:
  airfoil run sum.comp --groups 4 --buffer 'Data=[1, 2, 3, 4]'
  airfoil run sum.comp --groups 4,4 --buffer 0=in.json --buffer 1=zeros:256 --out 1=out.raw
  airfoil run sum.comp --inputs inputs.json --uniform scale=2 -O2
  airfoil run image.frag --size 256x256 --uniform time=1.5 -o out.png
  airfoil run image.frag --texture tex=brick.png,linear,repeat -o out.png
  airfoil run lit.vert lit.frag --attribute 'position=[[-1, -1], [3, -1], [-1, 3]]' -o out.png
  airfoil run lit.vert lit.frag --vertices 6 --depth -o 0=a.png -o 1=b.png -o depth=depth.json
  airfoil run glass.vert glass.frag --blend alpha --samples 4 -o out.png
  airfoil run lit.vert lit.frag --blend one,one_minus_src_alpha --blend 1=max -o a.png -o 1=b.png
  airfoil run lit.vert lit.frag --stencil always,0,increment_and_clamp -o stencil=overdraw.png
  airfoil run cull.comp --out Args=args.raw
  airfoil run lit.vert lit.frag --indirect args.raw -o out.png
  airfoil run sum.comp --trace=5            every value of invocation 5, with its source line
  airfoil run image.frag --trace=10,20      of the pixel 10, 20
  airfoil run image.frag --profile image.txt   the source with a count for each line
  airfoil run image.frag --profile image.folded   the counts as stacks for flamegraph.pl
  airfoil run sum.comp --seed 7 --undef 0xdeadbeef --robust")]
pub struct RunArgs {
    #[command(flatten)]
    pub read: ReadArgs,
    /// Optimise before execution: 0 required lowering only, 2 until nothing changes [default: no passes]
    #[arg(short = 'O', value_parser = level_parser(), value_name = "LEVEL", id = "opt_level", help_heading = "Passes")]
    pub level: Option<OptLevel>,
    /// The passes to run before, such as `dce, loop(copy_prop, cse)`
    #[arg(long, value_name = "PIPELINE", help_heading = "Passes", conflicts_with = "opt_level")]
    pub passes: Option<String>,

    /// Number of workgroups of a compute shader
    #[arg(long, value_name = "X[,Y[,Z]]", default_value = "1", help_heading = "Compute")]
    pub groups: Triple,
    /// Size of workgroups, where the shader leaves it open
    #[arg(long, value_name = "X[,Y[,Z]]", default_value = "1", help_heading = "Compute")]
    pub workgroup_size: Triple,

    /// Contents of a storage block, uniform block or of the push constants (`push`)
    #[arg(long, value_name = "NAME=CONTENTS", help_heading = "Data")]
    pub buffer: Vec<Pair>,
    /// Value of a uniform, or of a member of a uniform block or of the push constants: 1.5 or 1,2,3 or JSON
    #[arg(short, long, value_name = "NAME=VALUE", allow_hyphen_values = true, help_heading = "Data")]
    pub uniform: Vec<Pair>,
    /// A texture: FILE.png[,linear|nearest][,repeat|mirror|clamp|border][,mips][,srgb][,flip], random:WxH, FILE.json or JSON
    #[arg(long, value_name = "NAME=TEXTURE", help_heading = "Data")]
    pub texture: Vec<Pair>,
    /// A storage image: WxH (zeros), random:WxH, FILE.png, FILE.json or JSON
    #[arg(long, value_name = "NAME=IMAGE", help_heading = "Data")]
    pub image: Vec<Pair>,
    /// A JSON file of all inputs: an object with the members buffers, uniforms, textures, images, attributes, indices
    #[arg(long = "inputs", value_name = "FILE.json", help_heading = "Data")]
    pub document: Option<PathBuf>,
    /// Fill unspecified inputs with random values from this seed
    #[arg(long, value_name = "N", help_heading = "Data")]
    pub seed: Option<u64>,
    /// Numbers of an indirect dispatch (workgroups) or draw (count, instances, first, base instance; with --indices count,
    /// instances, first, base vertex, base instance): a JSON array, or a file of 32-bit numbers
    #[arg(long, value_name = "CONTENTS", conflicts_with_all = ["groups", "vertices", "instances"], help_heading = "Data")]
    pub indirect: Option<String>,
    /// Value of a built-in input, such as gl_InstanceID=2 or draw_id=1
    #[arg(long, value_name = "NAME=VALUE", help_heading = "Data")]
    pub builtin: Vec<Pair>,

    /// Size of the image
    #[arg(long, value_name = "WxH", default_value = "256x256", help_heading = "Drawing")]
    pub size: Size,
    /// Number of vertices [default: as many as the attributes have, or 3]
    #[arg(long, value_name = "N", help_heading = "Drawing")]
    pub vertices: Option<u32>,
    /// Number of instances
    #[arg(long, value_name = "N", default_value_t = 1, help_heading = "Drawing")]
    pub instances: u32,
    /// Topology: points, lines, line_strip, line_loop, triangles, triangle_strip, triangle_fan, patches:N, ...
    #[arg(long, value_name = "PRIMITIVE", help_heading = "Drawing")]
    pub primitive: Option<PrimitiveName>,
    /// Values of an input of the vertex shader, one for each vertex; of a fragment shader alone: at the corners
    #[arg(long, value_name = "NAME=CONTENTS", help_heading = "Drawing")]
    pub attribute: Vec<Pair>,
    /// Which vertices are drawn, in JSON or a JSON file
    #[arg(long, value_name = "[N,...]", help_heading = "Drawing")]
    pub indices: Option<String>,
    /// Initial colour of the image
    #[arg(
        long,
        value_name = "R,G,B,A",
        default_value = "0,0,0,1",
        value_delimiter = ',',
        num_args = 1,
        allow_hyphen_values = true,
        help_heading = "Drawing"
    )]
    pub clear: Vec<f32>,
    /// Test depths: less (default), less_or_equal, greater, equal, always, ...
    #[arg(long, value_name = "COMPARISON", num_args = 0..=1, require_equals = true, default_missing_value = "less",
          help_heading = "Drawing")]
    pub depth: Option<CompareName>,
    /// Mask of the clip distances that clip, of those that the shader writes (`GL_CLIP_DISTANCE0` is bit 0)
    #[arg(long, value_name = "MASK", default_value_t = 0xff, value_parser = clap::value_parser!(u8), help_heading = "Drawing")]
    pub clip_distances: u8,
    /// Stencil test (values start at 0): comparison, reference, and operations if both tests pass, if this one
    /// fails, if the depth test fails (keep, zero, replace, invert, increment_and_clamp, decrement_and_wrap, ...)
    #[arg(long, value_name = "COMPARISON,REFERENCE[,PASS[,FAIL[,DEPTH_FAIL]]]", help_heading = "Drawing")]
    pub stencil: Option<StencilTest>,
    /// Blend all colours, or colour N: alpha, premultiplied, add, multiply, min, max, or SRC,DST[,OP] with factors such as
    /// src_alpha; those of alpha follow a slash
    #[arg(long, value_name = "[N=]WAY", help_heading = "Drawing")]
    pub blend: Vec<BlendOf>,
    /// The constant colour of blending
    #[arg(
        long,
        value_name = "R,G,B,A",
        default_value = "0,0,0,0",
        value_delimiter = ',',
        num_args = 1,
        allow_hyphen_values = true,
        help_heading = "Drawing"
    )]
    pub blend_constant: Vec<f32>,
    /// Samples per pixel: 1, 2, 4, 8 or 16. Output images contain their mean
    #[arg(long, value_name = "N", default_value_t = 1, help_heading = "Drawing")]
    pub samples: u32,
    /// Cull faces
    #[arg(long, value_enum, value_name = "FACE", help_heading = "Drawing")]
    pub cull: Option<Cull>,
    /// Window conventions: y up and depth -1..1 (gl), or y down and depth 0..1 (vulkan) [default: by the inputs]
    #[arg(long, value_enum, value_name = "API", help_heading = "Drawing")]
    pub api: Option<Api>,

    /// The image: FILE.png, .json or .raw (bytes); another colour N=FILE, depth=FILE or stencil=FILE; - for PNG on the standard output
    #[arg(short, long, value_name = "[N=]FILE", help_heading = "Output")]
    pub output: Vec<ImageOut>,
    /// Where a buffer or storage image goes: FILE.json, FILE.png, FILE (bytes), - for JSON on the standard output
    #[arg(long, value_name = "NAME=FILE", help_heading = "Output")]
    pub out: Vec<Pair>,

    /// Engine: the interpreter of the IR, AIR compiled for the host by LLVM (requires the feature llvm14 or llvm19), or a
    /// Vulkan driver that executes SPIR-V
    #[arg(long, value_enum, default_value_t = Engine::Interp, help_heading = "Execution")]
    pub engine: Engine,
    /// Part of the name of the device of --engine vulkan [default: the first one with Vulkan 1.3, GPUs before CPUs]
    #[arg(long, value_name = "NAME", help_heading = "Execution")]
    pub device: Option<String>,
    /// Print each value with its source line: of the first invocation, of [STAGE:]X[,Y[,Z]], or of all
    #[arg(long, value_name = "INVOCATION", num_args = 0..=1, require_equals = true, default_missing_value = "0",
          help_heading = "Execution")]
    pub trace: Option<Which>,
    /// Count how often the instructions of each line are executed: annotated source, or stacks for flame graphs (.folded)
    #[arg(long, value_name = "FILE", conflicts_with = "trace", help_heading = "Execution")]
    pub profile: Option<PathBuf>,
    /// Undefined values: report their use, zero, or bits such as 0xdeadbeef
    #[arg(long, value_name = "report|zero|BITS", default_value = "report", help_heading = "Execution")]
    pub undef: Undef,
    /// Out-of-bounds reads return zero and writes are dropped, instead of an error
    #[arg(long, help_heading = "Execution")]
    pub robust: bool,
    /// Invocations in a subgroup
    #[arg(long, value_name = "N", default_value_t = 32, value_parser = clap::value_parser!(u32).range(1..=64),
          help_heading = "Execution")]
    pub subgroup_size: u32,
    /// Denormal floats
    #[arg(long, value_enum, value_name = "MODE", default_value_t, help_heading = "Execution")]
    pub denorm: Denorm,
    /// Rounding of float arithmetic
    #[arg(long, value_enum, value_name = "MODE", default_value_t, help_heading = "Execution")]
    pub rounding: Rounding,
    /// Bits of NaNs
    #[arg(long, value_enum, value_name = "MODE", default_value_t, help_heading = "Execution")]
    pub nan: Nan,
    /// Maximum number of instructions of a subgroup or workgroup, counted per invocation
    #[arg(long, value_name = "N", default_value_t = 1_000_000_000, help_heading = "Execution")]
    pub max_steps: u64,
}

impl RunArgs {
    /// Configuration of the AIR engine.
    pub fn air_config(&self) -> airfoil_cpu::Config {
        airfoil_cpu::Config {
            simd_size: self.subgroup_size,
            robust: self.robust,
            ..airfoil_cpu::Config::default()
        }
    }

    /// Configuration of the interpreter.
    pub fn config(&self) -> Config {
        Config {
            subgroup_size: self.subgroup_size,
            max_steps: self.max_steps,
            robust: self.robust,
            empty_unbound: self.robust,
            report_undefined: self.undef == Undef::Report,
            undefined: if let Undef::Bits(bits) = self.undef { bits } else { 0 },
            floats: FloatMode {
                flush: [self.denorm == Denorm::Flush; 3],
                toward_zero: self.rounding == Rounding::Zero,
                canonical_nan: self.nan == Nan::Canonical,
                ..FloatMode::default()
            },
            ..Config::default()
        }
    }
}

/// Execution engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Engine {
    /// The interpreter
    Interp,
    /// LLVM
    Air,
    /// A Vulkan driver
    Vulkan,
}

/// Culled faces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Cull {
    /// Front faces
    Front,
    /// Back faces
    Back,
}

/// Window conventions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Api {
    /// OpenGL
    Gl,
    /// Vulkan
    Vulkan,
}

/// Treatment of denormals.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Denorm {
    /// Preserved
    #[default]
    Keep,
    /// Flushed to zero, in operands and results
    Flush,
}

/// Rounding.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Rounding {
    /// To the nearest, ties to even
    #[default]
    Nearest,
    /// Toward zero
    Zero,
}

/// Bits of NaNs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Nan {
    /// As the processor makes them
    #[default]
    Keep,
    /// The positive quiet one without payload
    Canonical,
}

/// Treatment of undefined values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Undef {
    /// Their use is an error.
    Report,
    /// These bits.
    Bits(u64),
}

impl FromStr for Undef {
    type Err = String;

    fn from_str(text: &str) -> Result<Undef, String> {
        let bits = match (text, text.strip_prefix("0x")) {
            ("report", _) => return Ok(Undef::Report),
            ("zero", _) => Some(0),
            (_, Some(digits)) => u64::from_str_radix(digits, 16).ok(),
            _ => text.parse().ok(),
        };
        // Two words of 32 bits side by side, so that all words have them.
        let twice = |bits: u64| if bits >> 32 == 0 { bits | bits << 32 } else { bits };
        bits.map(twice)
            .map(Undef::Bits)
            .ok_or_else(|| format!("`{text}` is not report, zero, or bits such as 0xdeadbeef"))
    }
}

/// A topology by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PrimitiveName(pub Topology);

const TOPOLOGIES: &[(&str, Topology)] = &[
    ("points", Topology::Points),
    ("lines", Topology::Lines),
    ("line_strip", Topology::LineStrip),
    ("line_loop", Topology::LineLoop),
    ("triangles", Topology::Triangles),
    ("triangle_strip", Topology::TriangleStrip),
    ("strip", Topology::TriangleStrip),
    ("triangle_fan", Topology::TriangleFan),
    ("fan", Topology::TriangleFan),
    ("quads", Topology::Quads),
    ("quad_strip", Topology::QuadStrip),
    ("polygon", Topology::Polygon),
    ("lines_adjacency", Topology::LinesAdjacency),
    ("line_strip_adjacency", Topology::LineStripAdjacency),
    ("triangles_adjacency", Topology::TrianglesAdjacency),
    ("triangle_strip_adjacency", Topology::TriangleStripAdjacency),
];

impl FromStr for PrimitiveName {
    type Err = String;

    fn from_str(text: &str) -> Result<PrimitiveName, String> {
        if let Some(n) = text.strip_prefix("patches:") {
            let n = n.parse().ok().filter(|n| (1..=32).contains(n));
            return n
                .map(|n| PrimitiveName(Topology::Patches(n)))
                .ok_or("patches have 1 to 32 vertices".to_string());
        }
        let name = text.replace('-', "_");
        let found = TOPOLOGIES.iter().find(|(n, _)| *n == name);
        found.map(|(_, t)| PrimitiveName(*t)).ok_or_else(|| {
            let names: Vec<&str> = TOPOLOGIES.iter().map(|(n, _)| *n).collect();
            format!("`{text}` is none of {}, patches:N", names.join(", "))
        })
    }
}
