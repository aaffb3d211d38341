//! Options of a compile. Each switch is declared once; fields can be assigned, or set with the method of the same name.

use airfoil_air::lowerings::{Captures, FlipWindow, Lowerings};
use airfoil_air::plan::PlanOptions;
use airfoil_air::previous::Previous;
use airfoil_air::select::Options as AirOptions;
use airfoil_air::target::Target;
use airfoil_passes::gl::lower_distances::LowerDistances;
use airfoil_passes::presets::OptLevel;
use airfoil_passes::stages::lower_stages::LowerStages;
use airfoil_spirv_in::Options as ReadOptions;

/// Declares a struct with a method per field that sets it.
macro_rules! options {
    ($(#[$meta:meta])* pub struct $name:ident {
        $($(#[$doc:meta])* $field:ident: $ty:ty = $default:expr,)+
    }) => {
        $(#[$meta])*
        #[non_exhaustive]
        pub struct $name { $($(#[$doc])* pub $field: $ty,)+ }

        impl Default for $name {
            fn default() -> $name {
                $name { $($field: $default,)+ }
            }
        }

        /// Methods that set one option each.
        impl $name {
            $(
                $(#[$doc])*
                #[must_use]
                pub fn $field(mut self, $field: $ty) -> $name {
                    self.$field = $field;
                    self
                }
            )+
        }
    };
}

/// The clip distances and user clip planes that OpenGL enables.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ClipPlanes {
    /// Mask of the enabled distances and planes (`GL_CLIP_DISTANCE0`, which is `GL_CLIP_PLANE0`, is bit 0). It applies to the user clip
    /// planes of `gl_ClipVertex` or the position, and to the clip distances that a shader writes. `None`: no planes,
    /// and all distances clip, as in Vulkan.
    pub enabled: Option<u32>,
    /// Binding of a uniform block with the planes, for shaders that do not have `gl_ClipPlane` themselves.
    pub binding: Option<u32>,
}

impl From<ClipPlanes> for LowerDistances {
    fn from(planes: ClipPlanes) -> LowerDistances {
        let pass = LowerDistances { planes: planes.enabled.unwrap_or(0), ..LowerDistances::default() };
        LowerDistances { binding: planes.binding.unwrap_or(pass.binding), ..pass }
    }
}

/// The provoking vertex of a primitive, which determines its flat values, layer, viewport and `gl_PrimitiveID`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Provoking {
    /// The convention of the source's API: the last vertex for OpenGL, the first for Vulkan and the text form.
    #[default]
    OfSource,
    /// The first vertex (`GL_FIRST_VERTEX_CONVENTION`, Vulkan).
    First,
    /// The last vertex (`GL_LAST_VERTEX_CONVENTION`).
    Last,
}

impl Provoking {
    /// Whether the first vertex provokes; `of_source` is the convention of the source's API.
    pub(crate) fn is_first(self, of_source: bool) -> bool {
        match self {
            Provoking::OfSource => of_source,
            Provoking::First => true,
            Provoking::Last => false,
        }
    }
}

/// The outputs that vertex shaders write to buffers for transform feedback.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum TransformFeedback {
    /// None.
    #[default]
    Off,
    /// Those that the program declares: the captures of GLSL's linker, or the decorations of a SPIR-V module.
    Declared,
    /// These.
    List(Captures),
}

options! {
    /// State of the pipeline that functions are compiled for.
    ///
    /// A driver makes a [variant](crate::Compiler::variant) of a program for each state that it draws with.
    #[derive(Clone, Debug, PartialEq, Eq, Hash)]
    pub struct PipelineState {
        /// The provoking vertex of the primitives of a geometry shader.
        provoking: Provoking = Provoking::OfSource,
        /// Transform feedback. Captured positions and point sizes are those that the shader writes.
        transform_feedback: TransformFeedback = TransformFeedback::Off,
        /// Positions of the last stage before rasterisation have y flipped.
        flip_y: bool = false,
        /// Depths of the last stage before rasterisation are in -w to w (OpenGL's default); Metal's are in 0 to w.
        half_z: bool = false,
        /// Whether points are drawn, if known: Metal requires a point size if and only if they are.
        points: Option<bool> = None,
        /// Fragment shaders see y of the window flipped.
        flip_window: Option<FlipWindow> = None,
        /// Number of color attachments that `gl_FragColor` is written to, 1 to 8.
        color_attachments: u32 = 1,
        /// `gl_BaseVertex` is read from a buffer of the driver and zero for draws without one, as OpenGL requires.
        driver_base_vertex: bool = false,
        /// Mask of the views of multiview rendering (Vulkan's `viewMask`), for shaders that do not state them; 0 without. Each
        /// instance of a draw is as many instances as there are views.
        view_mask: u32 = 0,
        /// Out-of-bounds reads of buffers, images and arrays return zero; out-of-bounds writes are dropped.
        robust: bool = false,
        /// All 1D textures and images are 2D, so that they can have mipmaps.
        flat_1d_textures: bool = false,
        /// The stage before a shader that is compiled alone: [`Previous::new`] takes its reflection.
        previous: Option<Previous> = None,
        /// Vertices of an input patch (`GL_PATCH_VERTICES`, `patchControlPoints`).
        patch_vertices: u32 = LowerStages::default().patch_vertices,
        /// A vertex shader that is compiled separately has a tessellation or geometry stage after it.
        vertex_kernel: bool = false,
        /// An evaluation shader that is compiled separately has a geometry shader after it, or a geometry shader
        /// tessellation before it.
        tessellated_geometry: bool = false,
        /// Bits of the indices of draws whose vertex stage is a kernel: 16 or 32; `None` for draws without indices.
        index_bits: Option<u32> = None,
    }
}

impl PipelineState {
    /// The choices of a compile plan. `captures` are those that the program declares; `first_provokes` is the convention of
    /// the source's API.
    pub fn plan_options(
        &self,
        level: OptLevel,
        captures: Captures,
        first_provokes: bool,
        planes: ClipPlanes,
    ) -> PlanOptions {
        let previous = self.previous.clone().unwrap_or_default();
        PlanOptions {
            level,
            distances: planes.into(),
            lowerings: Lowerings {
                robust: self.robust,
                flat_1d_textures: self.flat_1d_textures,
                captures: match &self.transform_feedback {
                    TransformFeedback::Off => Captures::default(),
                    TransformFeedback::Declared => captures,
                    TransformFeedback::List(list) => list.clone(),
                },
                clip_distances: planes.enabled,
                flip_y: self.flip_y,
                half_z: self.half_z,
                points: self.points,
                flip_window: self.flip_window,
                color_attachments: self.color_attachments,
                driver_base_vertex: self.driver_base_vertex,
                view_mask: self.view_mask,
                ..Lowerings::default()
            },
            stages: previous.stages(LowerStages {
                patch_vertices: self.patch_vertices,
                vertex_kernel: self.vertex_kernel,
                tessellated_geometry: self.tessellated_geometry,
                index_bits: self.index_bits.unwrap_or(0),
                first_provokes: self.provoking.is_first(first_provokes),
                ..LowerStages::default()
            }),
            previous: previous.outputs,
        }
    }
}

options! {
    /// Options of a compile.
    ///
    /// ```
    /// use airfoil::{CompileOptions, OptLevel, PipelineState};
    ///
    /// let options = CompileOptions::new("macos14".parse()?)
    ///     .level(OptLevel::O2)
    ///     .state(PipelineState::default().half_z(true));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[derive(Clone, Debug)]
    pub struct CompileOptions {
        /// How SPIR-V is read: entry point, stage, specialisation constants.
        read: ReadOptions = ReadOptions::default(),
        /// Optimisation level.
        level: OptLevel = OptLevel::default(),
        /// Options of the backend: target, float arithmetic, resource bindings.
        air: AirOptions = AirOptions::default(),
        /// State of the pipeline.
        state: PipelineState = PipelineState::default(),
        /// User clip planes.
        clip_planes: ClipPlanes = ClipPlanes::default(),
        /// Libraries embed the sources for debuggers: those of GLSL, or those in a SPIR-V module.
        embed_sources: bool = false,
    }
}

impl CompileOptions {
    /// The default options for a target.
    pub fn new(target: Target) -> CompileOptions {
        CompileOptions::default().air(AirOptions { target, ..AirOptions::default() })
    }
}

impl From<Target> for CompileOptions {
    fn from(target: Target) -> CompileOptions {
        CompileOptions::new(target)
    }
}
