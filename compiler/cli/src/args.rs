//! Groups of options that several commands share.

use crate::glsl::GlslArgs;
use crate::kinds::{InputKind, STAGE_ENDINGS};
use crate::sampler_words::ConstantSampler;
use crate::values::{Bind, SetList, Spec};
use airfoil::air::select::{self, FastMathMode};
use airfoil::air::target::Target;
use airfoil::ir::Named;
use airfoil::passes::OptionValue;
use airfoil::passes::stages::lower_stages::LowerStages;
use airfoil::{Captures, ClipPlanes, FlipWindow, Lowerings, OptLevel, Stage};
use airfoil_check::Runs;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use std::num::NonZeroUsize;
use std::path::PathBuf;

/// What is read.
#[derive(Args, Debug)]
pub struct ReadArgs {
    /// Shaders: .spv, .foil or GLSL files; - is the standard input
    #[arg(required = true, value_name = "INPUT")]
    pub inputs: Vec<PathBuf>,
    /// Kind of the inputs [default: by ending; of the standard input: by its first bytes]
    #[arg(long, value_enum, value_name = "KIND", help_heading = "Input")]
    pub from: Option<InputKind>,
    /// The entry point to take, if a SPIR-V module has several
    #[arg(long, value_name = "NAME", help_heading = "Input")]
    pub entry: Option<String>,
    /// The exported function (Linkage) of a SPIR-V module to take: it becomes a visible function
    #[arg(long, value_name = "NAME", conflicts_with_all = ["entry", "stage"], help_heading = "Input")]
    pub function: Option<String>,
    /// The stage to take, if a SPIR-V module has several; the stage of GLSL whose name does not tell it
    #[arg(long, value_parser = stage_parser(), value_name = "STAGE", help_heading = "Input")]
    pub stage: Option<Stage>,
    /// Value of a specialization constant: a number, true or false; can be repeated
    #[arg(long, value_name = "ID=VALUE", help_heading = "Input")]
    pub spec: Vec<Spec>,
    /// Leave specialization constants of SPIR-V without value open: they become function constants of the library
    #[arg(long, help_heading = "Input")]
    pub function_constants: bool,
    #[command(flatten)]
    pub glsl: GlslArgs,
}

/// What is done in between.
#[derive(Args, Debug)]
pub struct OptimizeArgs {
    /// How much to optimise: 0 only the lowering that the target requires, 2 until nothing changes
    #[arg(short = 'O', value_parser = level_parser(), value_name = "LEVEL", default_value = "2", id = "opt_level", help_heading = "Passes")]
    pub level: OptLevel,
    /// Print the IR before this pass, or before all
    #[arg(long, value_name = "PASS|all", value_delimiter = ',', help_heading = "Passes")]
    pub print_before: Vec<String>,
    /// Print the IR after this pass, or after all
    #[arg(long, value_name = "PASS|all", value_delimiter = ',', help_heading = "Passes")]
    pub print_after: Vec<String>,
    /// Validate the IR after each pass, and what the pass reports about itself: progress, preserved analyses
    #[arg(long, help_heading = "Passes")]
    pub validate_each: bool,
    /// Execute the shader before and after each pass; stop at one that changes what it computes
    #[arg(long, help_heading = "Passes")]
    pub check_each: bool,
    /// Stop after this many runs of passes
    #[arg(long, value_name = "N", help_heading = "Passes")]
    pub stop_after: Option<u64>,
    /// Report the time that each pass takes
    #[arg(long, help_heading = "Passes")]
    pub time_passes: bool,
    /// Report what each pass changes
    #[arg(long, help_heading = "Passes")]
    pub stats: bool,
}

/// Vertex that provokes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ProvokingVertex {
    /// The first
    First,
    /// The last
    Last,
}

/// What is compiled for.
#[derive(Args, Debug)]
pub struct TargetArgs {
    /// Oldest system that shall load it: macos14, ios17.2, tvos16, visionos2, ... or a triple
    #[arg(long, value_name = "TARGET", default_value_t, help_heading = "Target")]
    pub target: Target,
    /// Float arithmetic: as written, as Vulkan and OpenGL allow, or reassociated and without NaNs and infinities
    #[arg(long, value_enum, value_name = "MODE", num_args = 0..=1, require_equals = true, default_value = "relaxed",
          default_missing_value = "fast", help_heading = "Target")]
    pub fast_math: FastMath,
    /// Keep subnormal numbers
    #[arg(long, help_heading = "Target")]
    pub denorms: bool,
    /// Number the variables in the metadata instead of naming them as the source does
    #[arg(long, help_heading = "Target")]
    pub strip_names: bool,
    /// Vertex that provokes in the primitives of geometry shaders [default: the last for OpenGL, the first for Vulkan]
    #[arg(long, value_enum, value_name = "VERTEX", help_heading = "Target")]
    pub provoking: Option<ProvokingVertex>,
    /// Storage buffers never overlap
    #[arg(long, help_heading = "Target")]
    pub assume_no_alias: bool,
    /// Metal index of a resource, such as `0,2=texture:5` or `push=buffer:0`; can be repeated
    #[arg(long, value_name = "SET,BINDING=KIND:N", help_heading = "Target")]
    pub bind: Vec<Bind>,
    /// Sampler whose state is known (immutable): words such as `linear`, `mip_linear`, `repeat`, `less`, `lod=0:4`; can be repeated
    #[arg(long, value_name = "SET,BINDING=WORD,...", help_heading = "Target")]
    pub constant_sampler: Vec<ConstantSampler>,
    /// Descriptor sets that become argument buffers: `all` or numbers; `--bind set1=buffer:5` gives one its index
    #[arg(long, value_name = "all|SET,...", help_heading = "Target")]
    pub argument_buffers: Option<SetList>,
    /// Buffer indices to leave free, for vertex buffers, such as `29,30`
    #[arg(long, value_name = "N", value_delimiter = ',', value_parser = clap::value_parser!(u32).range(0..31),
          help_heading = "Target")]
    pub reserve_buffers: Vec<u32>,
    /// Mask of the user clip planes that are enabled, which `gl_ClipVertex` or the position is clipped by
    #[arg(long, value_name = "MASK", default_value_t = 0, value_parser = clap::value_parser!(u32).range(0..256),
          help_heading = "Target")]
    pub clip_planes: u32,
    /// Binding of a uniform block with the planes, for shaders without gl_ClipPlane
    #[arg(long, value_name = "N", help_heading = "Target")]
    pub clip_planes_binding: Option<u32>,
    /// Vertices of the patches that come in (tessellation)
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=32),
          help_heading = "Target")]
    pub patch_vertices: u32,
    /// Make a vertex shader that comes alone the kernel in front of tessellation
    #[arg(long, help_heading = "Target")]
    pub vertex_kernel: bool,
    /// Bits of the indices of a draw, if its vertex stage is a kernel that asks for gl_VertexID; it reads `stage_indices` (set 65535, binding 5)
    #[arg(long, value_name = "16|32", value_parser = index_bits(), help_heading = "Target")]
    pub index_bits: Option<u32>,
    /// An evaluation shader that comes alone has a geometry shader behind it, or a geometry shader tessellation in front
    #[arg(long, help_heading = "Target")]
    pub tessellated_geometry: bool,
    /// Accesses to buffers, images and arrays out of range give zero, writes there do nothing
    #[arg(long, help_heading = "Target")]
    pub robust: bool,
    /// All 1D textures and images are 2D, as Metal's have no mipmaps
    #[arg(long, help_heading = "Target")]
    pub texture_1d_as_2d: bool,
    /// The vertex shader writes what transform feedback captures: what the program says, or a list such as
    /// `0.32.0.position.0.4|0.32.16.3.0.2` (buffer, stride, offset, slot, component, components)
    #[arg(long, value_name = "CAPTURES", num_args = 0..=1, require_equals = true, default_missing_value = "",
          value_parser = <Captures as OptionValue>::parse, help_heading = "Target")]
    pub transform_feedback: Option<Captures>,
    /// Turn y of the positions around, in the last stage before rasterisation (Vulkan, OpenGL textures)
    #[arg(long, visible_alias = "flip-vert-y", help_heading = "Target")]
    pub flip_y: bool,
    /// The positions have OpenGL's depth from -w to w; Metal's is from 0 to w
    #[arg(long, visible_alias = "fixup-clipspace", help_heading = "Target")]
    pub half_z: bool,
    /// Whether points are drawn: a size of points is written then, and only then [default: as the shader does]
    #[arg(long, value_enum, value_name = "WHETHER", help_heading = "Target")]
    pub points: Option<Points>,
    /// Turn y of the window around in fragment shaders: gl_FragCoord from the lower left, gl_PointCoord, derivatives. The height in
    /// pixels is given here or by the driver in the block `window` (set 65535, binding 18)
    #[arg(long, value_name = "HEIGHT", num_args = 0..=1, require_equals = true, default_missing_value = "0",
          value_parser = clap::value_parser!(u32).range(0..=65536), help_heading = "Target")]
    pub flip_window: Option<u32>,
    /// Turn gl_FrontFacing around too
    #[arg(long, requires = "flip_window", help_heading = "Target")]
    pub flip_front_face: bool,
    /// gl_BaseVertex is the driver's, in the block `draw` (set 65535, binding 17): zero for draws that have none, as OpenGL wants
    #[arg(long, help_heading = "Target")]
    pub driver_base_vertex: bool,
}

/// What is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Points {
    /// Points
    Yes,
    /// Lines or triangles
    No,
}

/// What is kept for debuggers.
#[derive(Args, Debug)]
pub struct DebugArgs {
    /// Debug information: the line of the source for each instruction
    #[arg(short = 'g', long, help_heading = "Target")]
    pub debug: bool,
    /// Put the sources into the library: GLSL, or what a SPIR-V module carries
    #[arg(long, help_heading = "Target")]
    pub embed_source: bool,
}

/// Where it goes.
#[derive(Args, Debug)]
pub struct OutArgs {
    /// The file to write, `-` for the standard output; can be repeated with other endings
    #[arg(short, long, value_name = "FILE", conflicts_with = "out_dir", help_heading = "Output")]
    pub output: Vec<PathBuf>,
    /// Write the output of each input to this folder, which is made if it is not there
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub out_dir: Option<PathBuf>,
    #[command(flatten)]
    pub jobs: JobArgs,
}

/// How many at once.
#[derive(Args, Debug)]
pub struct JobArgs {
    /// How many inputs to work on at once [default: number of processors]
    #[arg(short, long, value_name = "N", help_heading = "Output")]
    pub jobs: Option<NonZeroUsize>,
}

/// Float arithmetic.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum FastMath {
    /// As written
    Precise,
    /// As Vulkan and OpenGL allow
    Relaxed,
    /// Reassociated, without NaNs and infinities
    Fast,
}

/// Which passes.
#[derive(Args, Debug)]
pub struct OrderArgs {
    /// The passes to run instead of a preset, such as `dce, loop(copy_prop, cse)`
    #[arg(long, value_name = "PIPELINE", help_heading = "Passes", conflicts_with = "opt_level")]
    pub passes: Option<String>,
    /// The passes of this level
    #[arg(short = 'O', value_parser = level_parser(), value_name = "LEVEL", default_value = "2", id = "opt_level", help_heading = "Passes")]
    pub level: OptLevel,
    /// How many inputs the shader is executed on
    #[arg(long, value_name = "N", default_value_t = Runs::default().seeds, help_heading = "Passes",
          value_parser = clap::value_parser!(u64).range(1..=10_000))]
    pub seeds: u64,
}

impl OrderArgs {
    /// How often the shader is executed.
    pub fn runs(&self) -> Runs {
        Runs { seeds: self.seeds, ..Runs::default() }
    }
}

impl TargetArgs {
    /// Whether the first vertex of a primitive provokes; `of_source` says so of the source's API.
    pub fn first_provokes(&self, of_source: bool) -> bool {
        self.provoking.map_or(of_source, |vertex| vertex == ProvokingVertex::First)
    }

    /// The user clip planes.
    pub fn clip_planes(&self) -> ClipPlanes {
        ClipPlanes { enabled: self.clip_planes, binding: self.clip_planes_binding }
    }

    /// The options of the backend.
    pub fn options(&self) -> select::Options {
        let mut options = select::Options {
            target: self.target,
            fast_math: match self.fast_math {
                FastMath::Precise => FastMathMode::Precise,
                FastMath::Relaxed => FastMathMode::Relaxed,
                FastMath::Fast => FastMathMode::Fast,
            },
            denorms: self.denorms,
            names: !self.strip_names,
            assume_no_alias: self.assume_no_alias,
            stages: LowerStages {
                patch_vertices: self.patch_vertices,
                vertex_kernel: self.vertex_kernel,
                tessellated_geometry: self.tessellated_geometry,
                index_bits: self.index_bits.unwrap_or(0),
                ..LowerStages::default()
            },
            lowerings: Lowerings {
                robust: self.robust,
                flat_1d_textures: self.texture_1d_as_2d,
                captures: self.transform_feedback.clone().unwrap_or_default(),
                flip_y: self.flip_y,
                half_z: self.half_z,
                points: self.points.map(|points| points == Points::Yes),
                flip_window: self
                    .flip_window
                    .map(|height| FlipWindow { height, front_face: self.flip_front_face }),
                driver_base_vertex: self.driver_base_vertex,
                ..Lowerings::default()
            },
            ..select::Options::default()
        };
        for bind in &self.bind {
            bind.apply(&mut options.bindings);
        }
        for sampler in &self.constant_sampler {
            sampler.apply(&mut options.bindings);
        }
        if let Some(SetList(sets)) = &self.argument_buffers {
            options.bindings.argument_buffers = sets.clone();
        }
        for index in &self.reserve_buffers {
            options.bindings.reserved_buffers |= 1 << index;
        }
        options
    }
}

/// Digits of `-O`.
pub fn level_parser() -> impl TypedValueParser<Value = OptLevel> {
    PossibleValuesParser::new(["0", "2"]).map(|digit| if digit == "0" { OptLevel::O0 } else { OptLevel::O2 })
}

/// Widths of indices.
fn index_bits() -> impl TypedValueParser<Value = u32> {
    PossibleValuesParser::new(["16", "32"]).map(|bits| if bits == "16" { 16 } else { 32 })
}

/// Names of stages.
fn stage_parser() -> impl TypedValueParser<Value = Stage> {
    let values = Stage::ALL.iter().map(|stage| {
        let ending = STAGE_ENDINGS.iter().find(|(_, s)| s == stage);
        PossibleValue::new(stage.name()).aliases(ending.map(|(ending, _)| *ending))
    });
    PossibleValuesParser::new(values).try_map(|name| {
        let ending = STAGE_ENDINGS.iter().find(|(ending, _)| *ending == name);
        ending.map(|(_, stage)| *stage).or_else(|| Stage::from_name(&name)).ok_or("there is no such stage")
    })
}
