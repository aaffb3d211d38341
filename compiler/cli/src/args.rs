//! Groups of options that several commands share.

use crate::Failure;
use crate::any_target::AnyTarget;
use crate::changes::Form as ChangedForm;
use crate::glsl::GlslArgs;
use crate::kinds::{InputKind, STAGE_ENDINGS};
use crate::previous;
use crate::report::Console;
use crate::sampler_words::ConstantSampler;
use crate::values::{Bind, SetList, Spec};
use airfoil::air::select::{self, FastMathMode};
use airfoil::ir::Named;
use airfoil::passes::OptionValue;
use airfoil::{
    Captures, ClipPlanes, FlipWindow, OptLevel, PipelineState, Provoking, Stage, TransformFeedback,
};
use airfoil_check::Runs;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use std::num::NonZeroUsize;
use std::path::PathBuf;

/// Inputs.
#[derive(Args, Clone, Debug)]
pub struct ReadArgs {
    /// Shaders: .spv, .foil, .vp, .fp or GLSL files; - is the standard input
    #[arg(required = true, value_name = "INPUT")]
    pub inputs: Vec<PathBuf>,
    /// Type of the inputs [default: by extension; of the standard input: by its first bytes]
    #[arg(long, value_enum, value_name = "KIND", help_heading = "Input")]
    pub from: Option<InputKind>,
    /// The entry point to compile, if the input has several
    #[arg(long, value_name = "NAME", help_heading = "Input")]
    pub entry: Option<String>,
    /// The exported function (Linkage) of a SPIR-V module to compile: it becomes a visible function
    #[arg(long, value_name = "NAME", conflicts_with_all = ["entry", "stage"], help_heading = "Input")]
    pub function: Option<String>,
    /// The stage to compile, if the input has several; the stage of a GLSL file whose name does not contain it
    #[arg(long, value_parser = stage_parser(), value_name = "STAGE", help_heading = "Input")]
    pub stage: Option<Stage>,
    /// Value of a specialization constant: a number, true or false; can be repeated
    #[arg(long, value_name = "ID=VALUE", help_heading = "Input")]
    pub spec: Vec<Spec>,
    /// Specialization constants of SPIR-V without a value become function constants of the library
    #[arg(long, help_heading = "Input")]
    pub function_constants: bool,
    /// Read without simplifying: operations on constants, moves that change nothing and variables of functions are kept
    #[arg(long, help_heading = "Input")]
    pub raw: bool,
    /// Whether locals stay variables and calls stay calls.
    #[arg(skip)]
    pub keep_locals: bool,
    /// Whether the size of the workgroup can depend on specialization constants.
    #[arg(skip)]
    pub workgroup_constants: bool,
    #[command(flatten)]
    pub glsl: GlslArgs,
}

/// Optimisation, dumps and checks.
#[derive(Args, Debug)]
pub struct OptimizeArgs {
    /// Optimisation level: 0 required lowering only, 2 until nothing changes
    #[arg(short = 'O', value_parser = level_parser(), value_name = "LEVEL", default_value = "2", id = "opt_level", help_heading = "Passes")]
    pub level: OptLevel,
    /// Print the IR before this pass, or before all
    #[arg(long, value_name = "PASS|all", value_delimiter = ',', help_heading = "Passes")]
    pub print_before: Vec<String>,
    /// Print the IR after this pass, or after all
    #[arg(long, value_name = "PASS|all", value_delimiter = ',', help_heading = "Passes")]
    pub print_after: Vec<String>,
    /// Print the IR as read and after each pass that changes it, whole or as difference
    #[arg(long, value_enum, value_name = "FORM", num_args = 0..=1, require_equals = true, default_missing_value = "full",
          help_heading = "Passes")]
    pub print_changed: Option<ChangedForm>,
    /// Write the IR as read and after each pass that changes it to DIR/INPUT/NNN-PASS.foil
    #[arg(long, value_name = "DIR", help_heading = "Passes")]
    pub dump_dir: Option<PathBuf>,
    /// Validate the IR after each pass, and check the changes that it reports and the runs that are skipped
    #[arg(long, help_heading = "Passes")]
    pub validate_each: bool,
    /// Execute the shader before and after each pass; stop at a pass that changes the results
    #[arg(long, help_heading = "Passes")]
    pub check_each: bool,
    /// Stop after this many runs of passes
    #[arg(long, value_name = "N", help_heading = "Passes")]
    pub stop_after: Option<u64>,
    /// Report the time per pass
    #[arg(long, help_heading = "Passes")]
    pub time_passes: bool,
    /// Report runs, changes and instructions per pass
    #[arg(long, help_heading = "Passes")]
    pub stats: bool,
}

/// Provoking vertex.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ProvokingVertex {
    /// The first
    First,
    /// The last
    Last,
}

/// Target and pipeline state.
#[derive(Args, Debug)]
pub struct TargetArgs {
    /// Oldest system that must load it: macos14, ios17.2, tvos16, visionos2, ... or a triple; for SPIR-V the API: vulkan1.0 to
    /// vulkan1.3, opengl4.5, opengl4.6, with another version of SPIR-V if it is appended (vulkan1.1spv1.4)
    /// [default of SPIR-V: vulkan1.3, or opengl4.5 for GLSL without --vulkan]
    #[arg(long, value_name = "TARGET", default_value_t, help_heading = "Target")]
    pub target: AnyTarget,
    /// Float arithmetic: as written, as Vulkan and OpenGL allow, or reassociated and without NaNs and infinities
    #[arg(long, value_enum, value_name = "MODE", num_args = 0..=1, require_equals = true, default_value = "relaxed",
          default_missing_value = "fast", help_heading = "Target")]
    pub fast_math: FastMath,
    /// Preserve denormals
    #[arg(long, help_heading = "Target")]
    pub denorms: bool,
    /// Number the variables in the metadata instead of using their names
    #[arg(long, help_heading = "Target")]
    pub strip_names: bool,
    /// Provoking vertex of the primitives of geometry shaders [default: the last for OpenGL, the first for Vulkan]
    #[arg(long, value_enum, value_name = "VERTEX", help_heading = "Target")]
    pub provoking: Option<ProvokingVertex>,
    /// Storage buffers never overlap
    #[arg(long, help_heading = "Target")]
    pub assume_no_alias: bool,
    /// Metal index of a resource, such as `0,2=texture:5` or `push=buffer:0`; can be repeated
    #[arg(long, value_name = "SET,BINDING=KIND:N", help_heading = "Target")]
    pub bind: Vec<Bind>,
    /// Sampler with constant state (immutable): words such as `linear`, `mip_linear`, `repeat`, `less`, `lod=0:4`; can be repeated
    #[arg(long, value_name = "SET,BINDING=WORD,...", help_heading = "Target")]
    pub constant_sampler: Vec<ConstantSampler>,
    /// Descriptor sets that become argument buffers: `all`, indices, or `uniforms` for the uniform blocks of all; `--bind set1=buffer:5` sets
    /// the index of one
    #[arg(long, value_name = "all|uniforms|SET,...", help_heading = "Target")]
    pub argument_buffers: Option<SetList>,
    /// Buffer indices to leave free, for vertex buffers, such as `29,30`
    #[arg(long, value_name = "N", value_delimiter = ',', value_parser = clap::value_parser!(u32).range(0..31),
          help_heading = "Target")]
    pub reserve_buffers: Vec<u32>,
    /// Mask of the enabled user clip planes (applied to `gl_ClipVertex` or the position) and clip distances
    /// [default: no planes, all distances that the shader writes]
    #[arg(long, value_name = "MASK", value_parser = clap::value_parser!(u32).range(0..256), help_heading = "Target")]
    pub clip_planes: Option<u32>,
    /// Binding of the uniform block with the planes, for shaders without gl_ClipPlane
    #[arg(long, value_name = "N", help_heading = "Target")]
    pub clip_planes_binding: Option<u32>,
    /// Vertices per input patch (tessellation)
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=32),
          help_heading = "Target")]
    pub patch_vertices: u32,
    /// Reflection (.json) of the stage before, for a stage that is compiled alone: its inputs get the types of the outputs, and read
    /// as zero if nothing writes them; records have the layout that the stage before writes
    #[arg(long, value_name = "FILE", help_heading = "Target")]
    pub previous: Option<PathBuf>,
    /// Compile a separate vertex shader as the kernel before tessellation
    #[arg(long, help_heading = "Target")]
    pub vertex_kernel: bool,
    /// Size of the indices of a draw, if its vertex stage is a kernel that reads gl_VertexID; it reads `stage_indices` (set 65535, binding 5)
    #[arg(long, value_name = "16|32", value_parser = index_bits(), help_heading = "Target")]
    pub index_bits: Option<u32>,
    /// When a tessellation evaluation or geometry shader is compiled separately: the pipeline also has the other stage
    #[arg(long, help_heading = "Target")]
    pub tessellated_geometry: bool,
    /// Out-of-bounds reads of buffers, images and arrays return zero, out-of-bounds writes are dropped
    #[arg(long, help_heading = "Target")]
    pub robust: bool,
    /// Use 2D textures and images for 1D ones, which have no mipmaps in Metal
    #[arg(long, help_heading = "Target")]
    pub texture_1d_as_2d: bool,
    /// The vertex shader writes the outputs that transform feedback captures: those of the program, or of a list such as
    /// `0.32.0.position.0.4|0.32.16.3.0.2` (buffer, stride, offset, slot, component, components)
    #[arg(long, value_name = "CAPTURES", num_args = 0..=1, require_equals = true, default_missing_value = "",
          value_parser = <Captures as OptionValue>::parse, help_heading = "Target")]
    pub transform_feedback: Option<Captures>,
    /// Flip y of positions in the last stage before rasterisation (Vulkan, OpenGL textures)
    #[arg(long, visible_alias = "flip-vert-y", help_heading = "Target")]
    pub flip_y: bool,
    /// Positions use OpenGL's depth range -w..w; Metal's is 0..w
    #[arg(long, visible_alias = "fixup-clipspace", help_heading = "Target")]
    pub half_z: bool,
    /// Whether points are drawn: the point size is written if and only if they are [default: as in the shader]
    #[arg(long, value_enum, value_name = "WHETHER", help_heading = "Target")]
    pub points: Option<Points>,
    /// Flip y of the window in fragment shaders: gl_FragCoord from the lower left, gl_PointCoord, derivatives. The height in
    /// pixels is specified here or by the driver in the block `window` (set 65535, binding 18)
    #[arg(long, value_name = "HEIGHT", num_args = 0..=1, require_equals = true, default_missing_value = "0",
          value_parser = clap::value_parser!(u32).range(0..=65536), help_heading = "Target")]
    pub flip_window: Option<u32>,
    /// Flip gl_FrontFacing too
    #[arg(long, requires = "flip_window", help_heading = "Target")]
    pub flip_front_face: bool,
    /// Number of color attachments that gl_FragColor is written to
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=8),
          help_heading = "Target")]
    pub color_attachments: u32,
    /// Read gl_BaseVertex from the block `draw` (set 65535, binding 17): zero for draws without one, as OpenGL requires
    #[arg(long, help_heading = "Target")]
    pub driver_base_vertex: bool,
    /// Mask of the views of multiview rendering, for shaders that do not declare num_views: bit i is the view i. Each instance
    /// of a draw is as many instances as there are views
    #[arg(
        long,
        value_name = "MASK",
        default_value_t = 0,
        hide_default_value = true,
        help_heading = "Target"
    )]
    pub view_mask: u32,
}

/// Primitives to draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Points {
    /// Points
    Yes,
    /// Lines or triangles
    No,
}

/// Debug information.
#[derive(Args, Debug)]
pub struct DebugArgs {
    /// Debug information: the line of the source for each instruction
    #[arg(short = 'g', long, help_heading = "Target")]
    pub debug: bool,
    /// Embed the sources into the library: GLSL, or those in the SPIR-V module
    #[arg(long, help_heading = "Target")]
    pub embed_source: bool,
}

/// Outputs.
#[derive(Args, Debug)]
pub struct OutArgs {
    /// The file to write, `-` for the standard output; repeat it for other types
    #[arg(short, long, value_name = "FILE", conflicts_with = "out_dir", help_heading = "Output")]
    pub output: Vec<PathBuf>,
    /// Write the output of each input to this folder, which is created if necessary
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub out_dir: Option<PathBuf>,
    #[command(flatten)]
    pub jobs: JobArgs,
}

/// Number of parallel jobs.
#[derive(Args, Debug)]
pub struct JobArgs {
    /// Number of inputs to process in parallel [default: number of processors]
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
    /// The user clip planes.
    pub fn clip_planes(&self) -> ClipPlanes {
        ClipPlanes { enabled: self.clip_planes, binding: self.clip_planes_binding }
    }

    /// The state of the pipeline.
    ///
    /// # Errors
    /// The reflection of the previous stage cannot be read.
    pub fn state(&self, console: Console) -> Result<PipelineState, Failure> {
        let previous = self.previous.as_deref().map(|path| previous::read(path, console)).transpose()?;
        Ok(PipelineState::default()
            .previous(previous)
            .provoking(match self.provoking {
                None => Provoking::OfSource,
                Some(ProvokingVertex::First) => Provoking::First,
                Some(ProvokingVertex::Last) => Provoking::Last,
            })
            // Without a list, the program specifies the captures.
            .transform_feedback(match &self.transform_feedback {
                None => TransformFeedback::Off,
                Some(list) if list.is_empty() => TransformFeedback::Declared,
                Some(list) => TransformFeedback::List(list.clone()),
            })
            .flip_y(self.flip_y)
            .half_z(self.half_z)
            .points(self.points.map(|points| points == Points::Yes))
            .flip_window(
                self.flip_window.map(|height| FlipWindow { height, front_face: self.flip_front_face }),
            )
            .color_attachments(self.color_attachments)
            .driver_base_vertex(self.driver_base_vertex)
            .view_mask(self.view_mask)
            .robust(self.robust)
            .flat_1d_textures(self.texture_1d_as_2d)
            .patch_vertices(self.patch_vertices)
            .vertex_kernel(self.vertex_kernel)
            .tessellated_geometry(self.tessellated_geometry)
            .index_bits(self.index_bits))
    }

    /// The options of the backend.
    pub fn options(&self) -> select::Options {
        let mut options = select::Options {
            target: self.target.metal(),
            fast_math: match self.fast_math {
                FastMath::Precise => FastMathMode::Precise,
                FastMath::Relaxed => FastMathMode::Relaxed,
                FastMath::Fast => FastMathMode::Fast,
            },
            denorms: self.denorms,
            names: !self.strip_names,
            assume_no_alias: self.assume_no_alias,
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

/// Levels of `-O`.
pub fn level_parser() -> impl TypedValueParser<Value = OptLevel> {
    PossibleValuesParser::new(["0", "2"]).map(|digit| if digit == "0" { OptLevel::O0 } else { OptLevel::O2 })
}

/// Sizes of indices.
fn index_bits() -> impl TypedValueParser<Value = u32> {
    PossibleValuesParser::new(["16", "32"]).map(|bits| if bits == "16" { 16 } else { 32 })
}

/// Names of stages.
pub fn stage_parser() -> impl TypedValueParser<Value = Stage> {
    let values = Stage::ALL.iter().map(|stage| {
        let ending = STAGE_ENDINGS.iter().find(|(_, s)| s == stage);
        PossibleValue::new(stage.name()).aliases(ending.map(|(ending, _)| *ending))
    });
    PossibleValuesParser::new(values).try_map(|name| {
        let ending = STAGE_ENDINGS.iter().find(|(ending, _)| *ending == name);
        ending.map(|(_, stage)| *stage).or_else(|| Stage::from_name(&name)).ok_or("unknown stage")
    })
}
