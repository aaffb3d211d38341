//! Resource limits of an implementation: the values of `gl_Max*` constants, checked when compiling and linking.
//!
//! [`Limits::default`] has the minima of OpenGL 4.6 (core specification, tables 23.53 to 23.71), [`Limits::ES`] those of OpenGL ES 3.2
//! (tables 21.40 to 21.50), [`Limits::DESKTOP`] the limits of drivers of desktop GPUs. An implementation with higher
//! limits sets them by struct update syntax.

use airfoil_ir::Stage;

macro_rules! limits {
    ($( $field:ident: $gl:literal, $es:literal, $name:literal; )+) => {
        /// Resource limits. Counts, unless documented otherwise; minima are those of GL 4.6 and ES 3.2.
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub struct Limits {
            $(
                #[doc = concat!("`", $name, "`: at least ", stringify!($gl), ", in ES ", stringify!($es), ".")]
                pub $field: u32,
            )+
        }

        impl Limits {
            /// The minima of OpenGL 4.6.
            pub const GL: Limits = Limits { $( $field: $gl, )+ };
            /// The minima of OpenGL ES 3.2.
            pub const ES: Limits = Limits { $( $field: $es, )+ };

            /// Every limit with its name in the API, for messages and reflection.
            pub fn named(&self) -> impl Iterator<Item = (&'static str, u32)> {
                [$( ($name, self.$field), )+].into_iter()
            }

            /// Limits that a function gives from the name and value of each.
            #[must_use]
            pub fn map(&self, f: impl Fn(&'static str, u32) -> u32) -> Limits {
                Limits { $( $field: f($name, self.$field), )+ }
            }

            /// The greater of each limit.
            #[must_use]
            pub fn at_least(&self, other: &Limits) -> Limits {
                Limits { $( $field: self.$field.max(other.$field), )+ }
            }

            /// Sets the limit of a name of the API, as `GL_MAX_DRAW_BUFFERS`; false if there is none.
            pub fn set(&mut self, name: &str, value: u32) -> bool {
                match name {
                    $( $name => self.$field = value, )+
                    _ => return false,
                }
                true
            }
        }
    };
}

impl Limits {
    /// Common limits of desktop drivers where the minima are lower: desktop programs rely on them.
    pub const DESKTOP: Limits = Limits {
        max_vertex_uniform_components: 4096,
        max_vertex_uniform_vectors: 1024,
        max_tess_control_uniform_components: 4096,
        max_tess_evaluation_uniform_components: 4096,
        max_geometry_uniform_components: 4096,
        max_fragment_uniform_components: 4096,
        max_fragment_uniform_vectors: 1024,
        max_compute_uniform_components: 4096,
        max_uniform_locations: 4096,
        max_uniform_block_size: 65536,
        max_vertex_output_components: 128,
        max_geometry_input_components: 128,
        max_varying_components: 128,
        max_varying_vectors: 32,
        max_views: 6,
        ..Limits::GL
    };
}

limits! {
    // ---- vertex ----
    max_vertex_attribs: 16, 16, "GL_MAX_VERTEX_ATTRIBS";
    max_vertex_uniform_components: 1024, 1024, "GL_MAX_VERTEX_UNIFORM_COMPONENTS";
    max_vertex_uniform_vectors: 256, 256, "GL_MAX_VERTEX_UNIFORM_VECTORS";
    max_vertex_uniform_blocks: 14, 12, "GL_MAX_VERTEX_UNIFORM_BLOCKS";
    max_vertex_output_components: 64, 64, "GL_MAX_VERTEX_OUTPUT_COMPONENTS";
    max_vertex_texture_image_units: 16, 16, "GL_MAX_VERTEX_TEXTURE_IMAGE_UNITS";
    max_vertex_image_uniforms: 0, 0, "GL_MAX_VERTEX_IMAGE_UNIFORMS";
    max_vertex_atomic_counters: 0, 0, "GL_MAX_VERTEX_ATOMIC_COUNTERS";
    max_vertex_atomic_counter_buffers: 0, 0, "GL_MAX_VERTEX_ATOMIC_COUNTER_BUFFERS";
    max_vertex_shader_storage_blocks: 0, 0, "GL_MAX_VERTEX_SHADER_STORAGE_BLOCKS";

    // ---- tessellation ----
    max_patch_vertices: 32, 32, "GL_MAX_PATCH_VERTICES";
    max_tess_gen_level: 64, 64, "GL_MAX_TESS_GEN_LEVEL";
    max_tess_patch_components: 120, 120, "GL_MAX_TESS_PATCH_COMPONENTS";
    max_tess_control_uniform_components: 1024, 1024, "GL_MAX_TESS_CONTROL_UNIFORM_COMPONENTS";
    max_tess_control_uniform_blocks: 14, 12, "GL_MAX_TESS_CONTROL_UNIFORM_BLOCKS";
    max_tess_control_input_components: 128, 64, "GL_MAX_TESS_CONTROL_INPUT_COMPONENTS";
    max_tess_control_output_components: 128, 64, "GL_MAX_TESS_CONTROL_OUTPUT_COMPONENTS";
    max_tess_control_total_output_components: 4096, 2048, "GL_MAX_TESS_CONTROL_TOTAL_OUTPUT_COMPONENTS";
    max_tess_control_texture_image_units: 16, 16, "GL_MAX_TESS_CONTROL_TEXTURE_IMAGE_UNITS";
    max_tess_control_image_uniforms: 0, 0, "GL_MAX_TESS_CONTROL_IMAGE_UNIFORMS";
    max_tess_control_atomic_counters: 0, 0, "GL_MAX_TESS_CONTROL_ATOMIC_COUNTERS";
    max_tess_control_atomic_counter_buffers: 0, 0, "GL_MAX_TESS_CONTROL_ATOMIC_COUNTER_BUFFERS";
    max_tess_control_shader_storage_blocks: 0, 0, "GL_MAX_TESS_CONTROL_SHADER_STORAGE_BLOCKS";
    max_tess_evaluation_uniform_components: 1024, 1024, "GL_MAX_TESS_EVALUATION_UNIFORM_COMPONENTS";
    max_tess_evaluation_uniform_blocks: 14, 12, "GL_MAX_TESS_EVALUATION_UNIFORM_BLOCKS";
    max_tess_evaluation_input_components: 128, 64, "GL_MAX_TESS_EVALUATION_INPUT_COMPONENTS";
    max_tess_evaluation_output_components: 128, 64, "GL_MAX_TESS_EVALUATION_OUTPUT_COMPONENTS";
    max_tess_evaluation_texture_image_units: 16, 16, "GL_MAX_TESS_EVALUATION_TEXTURE_IMAGE_UNITS";
    max_tess_evaluation_image_uniforms: 0, 0, "GL_MAX_TESS_EVALUATION_IMAGE_UNIFORMS";
    max_tess_evaluation_atomic_counters: 0, 0, "GL_MAX_TESS_EVALUATION_ATOMIC_COUNTERS";
    max_tess_evaluation_atomic_counter_buffers: 0, 0, "GL_MAX_TESS_EVALUATION_ATOMIC_COUNTER_BUFFERS";
    max_tess_evaluation_shader_storage_blocks: 0, 0, "GL_MAX_TESS_EVALUATION_SHADER_STORAGE_BLOCKS";

    // ---- geometry ----
    max_geometry_uniform_components: 1024, 1024, "GL_MAX_GEOMETRY_UNIFORM_COMPONENTS";
    max_geometry_uniform_blocks: 14, 12, "GL_MAX_GEOMETRY_UNIFORM_BLOCKS";
    max_geometry_input_components: 64, 64, "GL_MAX_GEOMETRY_INPUT_COMPONENTS";
    max_geometry_output_components: 128, 64, "GL_MAX_GEOMETRY_OUTPUT_COMPONENTS";
    max_geometry_output_vertices: 256, 256, "GL_MAX_GEOMETRY_OUTPUT_VERTICES";
    max_geometry_total_output_components: 1024, 1024, "GL_MAX_GEOMETRY_TOTAL_OUTPUT_COMPONENTS";
    max_geometry_texture_image_units: 16, 16, "GL_MAX_GEOMETRY_TEXTURE_IMAGE_UNITS";
    max_geometry_shader_invocations: 32, 32, "GL_MAX_GEOMETRY_SHADER_INVOCATIONS";
    max_geometry_image_uniforms: 0, 0, "GL_MAX_GEOMETRY_IMAGE_UNIFORMS";
    max_geometry_atomic_counters: 0, 0, "GL_MAX_GEOMETRY_ATOMIC_COUNTERS";
    max_geometry_atomic_counter_buffers: 0, 0, "GL_MAX_GEOMETRY_ATOMIC_COUNTER_BUFFERS";
    max_geometry_shader_storage_blocks: 0, 0, "GL_MAX_GEOMETRY_SHADER_STORAGE_BLOCKS";
    max_vertex_streams: 4, 1, "GL_MAX_VERTEX_STREAMS";

    // ---- fragment ----
    max_fragment_uniform_components: 1024, 1024, "GL_MAX_FRAGMENT_UNIFORM_COMPONENTS";
    max_fragment_uniform_vectors: 256, 256, "GL_MAX_FRAGMENT_UNIFORM_VECTORS";
    max_fragment_uniform_blocks: 14, 12, "GL_MAX_FRAGMENT_UNIFORM_BLOCKS";
    max_fragment_input_components: 128, 60, "GL_MAX_FRAGMENT_INPUT_COMPONENTS";
    max_texture_image_units: 16, 16, "GL_MAX_TEXTURE_IMAGE_UNITS";
    max_fragment_image_uniforms: 8, 4, "GL_MAX_FRAGMENT_IMAGE_UNIFORMS";
    max_fragment_atomic_counters: 8, 8, "GL_MAX_FRAGMENT_ATOMIC_COUNTERS";
    max_fragment_atomic_counter_buffers: 1, 1, "GL_MAX_FRAGMENT_ATOMIC_COUNTER_BUFFERS";
    max_fragment_shader_storage_blocks: 8, 4, "GL_MAX_FRAGMENT_SHADER_STORAGE_BLOCKS";
    max_draw_buffers: 8, 4, "GL_MAX_DRAW_BUFFERS";
    max_dual_source_draw_buffers: 1, 1, "GL_MAX_DUAL_SOURCE_DRAW_BUFFERS";
    max_sample_mask_words: 1, 1, "GL_MAX_SAMPLE_MASK_WORDS";

    // ---- compute ----
    max_compute_uniform_components: 1024, 1024, "GL_MAX_COMPUTE_UNIFORM_COMPONENTS";
    max_compute_uniform_blocks: 14, 12, "GL_MAX_COMPUTE_UNIFORM_BLOCKS";
    max_compute_texture_image_units: 16, 16, "GL_MAX_COMPUTE_TEXTURE_IMAGE_UNITS";
    max_compute_image_uniforms: 8, 4, "GL_MAX_COMPUTE_IMAGE_UNIFORMS";
    max_compute_atomic_counters: 8, 8, "GL_MAX_COMPUTE_ATOMIC_COUNTERS";
    max_compute_atomic_counter_buffers: 1, 1, "GL_MAX_COMPUTE_ATOMIC_COUNTER_BUFFERS";
    max_compute_shader_storage_blocks: 8, 4, "GL_MAX_COMPUTE_SHADER_STORAGE_BLOCKS";
    max_compute_shared_memory_size: 32768, 16384, "GL_MAX_COMPUTE_SHARED_MEMORY_SIZE";
    max_compute_work_group_count: 65535, 65535, "GL_MAX_COMPUTE_WORK_GROUP_COUNT";
    max_compute_work_group_size_x: 1024, 128, "GL_MAX_COMPUTE_WORK_GROUP_SIZE[0]";
    max_compute_work_group_size_y: 1024, 128, "GL_MAX_COMPUTE_WORK_GROUP_SIZE[1]";
    max_compute_work_group_size_z: 64, 64, "GL_MAX_COMPUTE_WORK_GROUP_SIZE[2]";
    max_compute_work_group_invocations: 1024, 128, "GL_MAX_COMPUTE_WORK_GROUP_INVOCATIONS";

    // ---- between stages ----
    max_varying_components: 60, 60, "GL_MAX_VARYING_COMPONENTS";
    max_varying_vectors: 15, 15, "GL_MAX_VARYING_VECTORS";
    max_clip_distances: 8, 8, "GL_MAX_CLIP_DISTANCES";
    max_cull_distances: 8, 8, "GL_MAX_CULL_DISTANCES";
    max_combined_clip_and_cull_distances: 8, 8, "GL_MAX_COMBINED_CLIP_AND_CULL_DISTANCES";
    max_viewports: 16, 16, "GL_MAX_VIEWPORTS";
    max_views: 2, 2, "GL_MAX_VIEWS_OVR";
    max_transform_feedback_buffers: 4, 4, "GL_MAX_TRANSFORM_FEEDBACK_BUFFERS";
    max_transform_feedback_interleaved_components: 64, 64, "GL_MAX_TRANSFORM_FEEDBACK_INTERLEAVED_COMPONENTS";
    max_transform_feedback_separate_attribs: 4, 4, "GL_MAX_TRANSFORM_FEEDBACK_SEPARATE_ATTRIBS";
    max_transform_feedback_separate_components: 4, 4, "GL_MAX_TRANSFORM_FEEDBACK_SEPARATE_COMPONENTS";

    // ---- resources of a program ----
    max_uniform_locations: 1024, 1024, "GL_MAX_UNIFORM_LOCATIONS";
    max_uniform_buffer_bindings: 84, 72, "GL_MAX_UNIFORM_BUFFER_BINDINGS";
    max_combined_uniform_blocks: 70, 60, "GL_MAX_COMBINED_UNIFORM_BLOCKS";
    max_uniform_block_size: 16384, 16384, "GL_MAX_UNIFORM_BLOCK_SIZE";
    max_shader_storage_buffer_bindings: 8, 4, "GL_MAX_SHADER_STORAGE_BUFFER_BINDINGS";
    max_combined_shader_storage_blocks: 8, 4, "GL_MAX_COMBINED_SHADER_STORAGE_BLOCKS";
    max_shader_storage_block_size: 134217728, 134217728, "GL_MAX_SHADER_STORAGE_BLOCK_SIZE";
    max_combined_texture_image_units: 96, 96, "GL_MAX_COMBINED_TEXTURE_IMAGE_UNITS";
    max_image_units: 8, 4, "GL_MAX_IMAGE_UNITS";
    max_image_samples: 0, 0, "GL_MAX_IMAGE_SAMPLES";
    max_combined_image_uniforms: 8, 4, "GL_MAX_COMBINED_IMAGE_UNIFORMS";
    max_combined_shader_output_resources: 8, 4, "GL_MAX_COMBINED_SHADER_OUTPUT_RESOURCES";
    max_atomic_counter_buffer_bindings: 1, 1, "GL_MAX_ATOMIC_COUNTER_BUFFER_BINDINGS";
    max_atomic_counter_buffer_size: 32, 32, "GL_MAX_ATOMIC_COUNTER_BUFFER_SIZE";
    max_combined_atomic_counters: 8, 8, "GL_MAX_COMBINED_ATOMIC_COUNTERS";
    max_combined_atomic_counter_buffers: 1, 1, "GL_MAX_COMBINED_ATOMIC_COUNTER_BUFFERS";
    max_subroutines: 256, 0, "GL_MAX_SUBROUTINES";
    max_subroutine_uniform_locations: 1024, 0, "GL_MAX_SUBROUTINE_UNIFORM_LOCATIONS";
    max_samples: 4, 4, "GL_MAX_SAMPLES";
    max_input_attachments: 1, 1, "maxPerStageDescriptorInputAttachments";

    // ---- texel offsets; the lower bounds are negative, their absolute values are kept ----
    min_program_texel_offset: 8, 8, "GL_MIN_PROGRAM_TEXEL_OFFSET";
    max_program_texel_offset: 7, 7, "GL_MAX_PROGRAM_TEXEL_OFFSET";
    min_program_texture_gather_offset: 8, 8, "GL_MIN_PROGRAM_TEXTURE_GATHER_OFFSET";
    max_program_texture_gather_offset: 7, 7, "GL_MAX_PROGRAM_TEXTURE_GATHER_OFFSET";

    // ---- compatibility profile ----
    max_lights: 8, 0, "GL_MAX_LIGHTS";
    max_clip_planes: 8, 0, "GL_MAX_CLIP_PLANES";
    max_texture_units: 2, 0, "GL_MAX_TEXTURE_UNITS";
    max_texture_coords: 8, 0, "GL_MAX_TEXTURE_COORDS";
}

/// The limits that every stage has of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StageLimits {
    /// Components of the default uniform block.
    pub uniform_components: u32,
    /// Uniform blocks.
    pub uniform_blocks: u32,
    /// Shader storage blocks.
    pub storage_blocks: u32,
    /// Textures.
    pub textures: u32,
    /// Images.
    pub images: u32,
    /// Atomic counters.
    pub atomic_counters: u32,
    /// Buffers of atomic counters.
    pub atomic_counter_buffers: u32,
    /// Components of all inputs from the stage before; attributes of a vertex shader times four.
    pub input_components: u32,
    /// Components of all outputs to the next stage; colours of a fragment shader times four.
    pub output_components: u32,
}

macro_rules! stage_limits {
    ($self:ident, $stage:ident; $($match:pat => $uniforms:ident $blocks:ident $storage:ident $textures:ident $images:ident $counters:ident
        $buffers:ident, $input:expr, $output:expr;)+) => {
        match $stage {
            $( $match => StageLimits {
                uniform_components: $self.$uniforms,
                uniform_blocks: $self.$blocks,
                storage_blocks: $self.$storage,
                textures: $self.$textures,
                images: $self.$images,
                atomic_counters: $self.$counters,
                atomic_counter_buffers: $self.$buffers,
                input_components: $input,
                output_components: $output,
            }, )+
        }
    };
}

impl Limits {
    /// The limits of one stage.
    pub fn stage(&self, stage: Stage) -> StageLimits {
        stage_limits! { self, stage;
            Stage::Vertex => max_vertex_uniform_components max_vertex_uniform_blocks max_vertex_shader_storage_blocks
                max_vertex_texture_image_units max_vertex_image_uniforms max_vertex_atomic_counters max_vertex_atomic_counter_buffers,
                self.max_vertex_attribs.saturating_mul(4), self.max_vertex_output_components;
            Stage::TessControl => max_tess_control_uniform_components max_tess_control_uniform_blocks
                max_tess_control_shader_storage_blocks max_tess_control_texture_image_units max_tess_control_image_uniforms
                max_tess_control_atomic_counters max_tess_control_atomic_counter_buffers,
                self.max_tess_control_input_components, self.max_tess_control_output_components;
            Stage::TessEval => max_tess_evaluation_uniform_components max_tess_evaluation_uniform_blocks
                max_tess_evaluation_shader_storage_blocks max_tess_evaluation_texture_image_units max_tess_evaluation_image_uniforms
                max_tess_evaluation_atomic_counters max_tess_evaluation_atomic_counter_buffers,
                self.max_tess_evaluation_input_components, self.max_tess_evaluation_output_components;
            Stage::Geometry => max_geometry_uniform_components max_geometry_uniform_blocks max_geometry_shader_storage_blocks
                max_geometry_texture_image_units max_geometry_image_uniforms max_geometry_atomic_counters
                max_geometry_atomic_counter_buffers, self.max_geometry_input_components, self.max_geometry_output_components;
            Stage::Fragment => max_fragment_uniform_components max_fragment_uniform_blocks max_fragment_shader_storage_blocks
                max_texture_image_units max_fragment_image_uniforms max_fragment_atomic_counters max_fragment_atomic_counter_buffers,
                self.max_fragment_input_components, self.max_draw_buffers.saturating_mul(4);
            Stage::Compute | Stage::Task | Stage::Mesh => max_compute_uniform_components max_compute_uniform_blocks
                max_compute_shader_storage_blocks max_compute_texture_image_units max_compute_image_uniforms
                max_compute_atomic_counters max_compute_atomic_counter_buffers, 0, 0;
        }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Limits::GL
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_have_names_of_their_own_and_can_be_set() {
        let mut limits = Limits::default();
        let names: Vec<_> = limits.named().map(|(name, _)| name).collect();
        let distinct: std::collections::BTreeSet<_> = names.iter().collect();
        assert_eq!(names.len(), distinct.len());
        for name in names {
            assert!(limits.set(name, 12345));
        }
        assert!(limits.named().all(|(_, value)| value == 12345));
        assert!(!limits.set("GL_MAX_NONSENSE", 1));
    }

    #[test]
    fn no_minimum_of_es_is_above_that_of_the_desktop() {
        for ((name, gl), (_, es)) in Limits::GL.named().zip(Limits::ES.named()) {
            assert!(es <= gl, "{name}");
        }
    }

    #[test]
    fn stages_have_their_limits() {
        let limits = Limits::default();
        assert_eq!(limits.stage(Stage::Fragment).images, 8);
        assert_eq!(limits.stage(Stage::Vertex).storage_blocks, 0);
        assert_eq!(limits.stage(Stage::TessControl).output_components, 128);
    }
}
