//! Extensions: one table of all known ones, and sets of them.
//!
//! A row lists the versions in which an extension can be enabled, whether it is supported, and which other extensions
//! it enables. `#extension`, the `GL_...` macros, keywords and the book are all generated from this table.

use crate::version::{NEVER, Version};

/// Whether the front end has an extension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// It is implemented.
    Supported,
    /// It is accepted; it has no effect, because it promises something that holds anyway or permits something that may
    /// be ignored.
    AcceptedNoEffect,
    /// Known but unsupported, for this reason.
    Unsupported(&'static str),
}

/// A row of the table of extensions.
#[derive(Clone, Copy, Debug)]
pub struct Info {
    /// The extension.
    pub ext: Ext,
    /// Name as in `#extension`.
    pub name: &'static str,
    /// First desktop version that it can be used in ([`NEVER`] if in none).
    pub desktop: u16,
    /// First ES version that it can be used in ([`NEVER`] if in none).
    pub es: u16,
    /// Whether the front end has it.
    pub status: Status,
    /// Extensions that it turns on, too.
    pub implies: &'static [Ext],
    /// One line of description.
    pub about: &'static str,
}

macro_rules! extensions {
    ($( $ext:ident: $desktop:expr, $es:expr, $status:expr, [$($implied:ident),*], $about:literal; )+) => {
        /// An extension; the name is the one of `#extension` without `GL_`.
        #[allow(non_camel_case_types)]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u16)]
        pub enum Ext {
            $( #[doc = $about] $ext, )+
        }

        /// All extensions, sorted by name; the position is the value of the [`Ext`].
        pub static EXTENSIONS: &[Info] = {
            use Status::{AcceptedNoEffect, Supported, Unsupported};
            &[$( Info {
                ext: Ext::$ext,
                name: concat!("GL_", stringify!($ext)),
                desktop: $desktop,
                es: $es,
                status: $status,
                implies: &[$( Ext::$implied ),*],
                about: $about,
            }, )+]
        };
    };
}

#[rustfmt::skip]
extensions! {
    AMD_conservative_depth: 110, NEVER, Supported, [], "Layout qualifiers that say how gl_FragDepth changes the depth.";
    AMD_gpu_shader_half_float: 400, NEVER, Supported, [], "16-bit float types.";
    AMD_gpu_shader_int16: 400, NEVER, Supported, [], "16-bit integer types.";
    AMD_gpu_shader_int64: 400, NEVER, Supported, [], "64-bit integer types.";
    AMD_shader_ballot: 400, NEVER, Unsupported("its operations across a subgroup have no counterpart; GL_KHR_shader_subgroup_* does"), [], "Operations across a subgroup, older form.";
    AMD_shader_explicit_vertex_parameter: 400, NEVER, Unsupported("barycentric coordinates of this form have no counterpart in the IR"), [], "Inputs of single vertices in fragment shaders.";
    AMD_shader_fragment_mask: 400, NEVER, Unsupported("fragment masks have no counterpart in the IR"), [], "Fragment masks of multisampled textures.";
    AMD_shader_image_load_store_lod: 400, NEVER, Unsupported("images have one level in the IR"), [], "Levels of detail of images.";
    AMD_shader_stencil_export: 110, NEVER, Supported, [], "gl_FragStencilRefAMD.";
    AMD_shader_trinary_minmax: 110, NEVER, Supported, [], "min3, max3 and mid3.";
    AMD_texture_gather_bias_lod: 400, NEVER, Unsupported("texture gather takes no level of detail in the IR"), [], "Level of detail and bias of texture gathers.";
    AMD_vertex_shader_layer: 130, NEVER, Supported, [], "gl_Layer in vertex shaders.";
    AMD_vertex_shader_viewport_index: 130, NEVER, Supported, [], "gl_ViewportIndex in vertex shaders.";
    ANDROID_extension_pack_es31a: NEVER, 310, Supported, [KHR_blend_equation_advanced, OES_sample_variables, OES_shader_image_atomic, OES_shader_multisample_interpolation, OES_texture_storage_multisample_2d_array, EXT_geometry_shader, EXT_gpu_shader5, EXT_primitive_bounding_box, EXT_shader_io_blocks, EXT_tessellation_shader, EXT_texture_buffer, EXT_texture_cube_map_array], "A set of extensions of ES 3.1.";
    APPLE_clip_distance: NEVER, 300, Supported, [], "gl_ClipDistance in ES.";
    ARB_ES2_compatibility: 110, NEVER, AcceptedNoEffect, [], "Precision qualifiers and limits as in ES 2.0.";
    ARB_ES3_1_compatibility: 110, NEVER, Supported, [], "Features of ES 3.1.";
    ARB_ES3_2_compatibility: 110, NEVER, Supported, [], "Features of ES 3.2.";
    ARB_ES3_compatibility: 110, NEVER, AcceptedNoEffect, [], "Features of ES 3.0.";
    ARB_arrays_of_arrays: 110, NEVER, Supported, [], "Arrays of arrays.";
    ARB_bindless_texture: 110, NEVER, Unsupported("resource handles have no counterpart in the IR"), [], "Textures and images as 64-bit handles.";
    ARB_color_buffer_float: 110, NEVER, AcceptedNoEffect, [], "Unclamped colours.";
    ARB_compatibility: 140, NEVER, Supported, [], "Deprecated features in GLSL 1.40.";
    ARB_compute_shader: 110, NEVER, Supported, [], "Compute shaders.";
    ARB_compute_variable_group_size: 110, NEVER, Supported, [], "Compute workgroups that are sized when dispatched.";
    ARB_conservative_depth: 110, NEVER, Supported, [], "Layout qualifiers that say how gl_FragDepth changes the depth.";
    ARB_cull_distance: 110, NEVER, Supported, [], "gl_CullDistance.";
    ARB_derivative_control: 110, NEVER, Supported, [], "Coarse and fine derivatives.";
    ARB_draw_buffers: 110, NEVER, Supported, [], "gl_FragData.";
    ARB_draw_instanced: 110, NEVER, Supported, [], "gl_InstanceIDARB.";
    ARB_enhanced_layouts: 110, NEVER, Supported, [], "Components, offsets and constant expressions in layout qualifiers.";
    ARB_explicit_attrib_location: 110, NEVER, Supported, [], "Locations of vertex inputs and fragment outputs.";
    ARB_explicit_uniform_location: 110, NEVER, Supported, [], "Locations of uniforms.";
    ARB_fragment_coord_conventions: 110, NEVER, Supported, [], "Origin and pixel centre of gl_FragCoord.";
    ARB_fragment_layer_viewport: 110, NEVER, Supported, [], "gl_Layer and gl_ViewportIndex in fragment shaders.";
    ARB_fragment_shader_interlock: 110, NEVER, Unsupported("critical sections of fragments have no counterpart in the IR"), [], "Ordered access from overlapping fragments.";
    ARB_geometry_shader4: 110, NEVER, Unsupported("geometry shaders of this form take their primitives from the API; GLSL 1.50 declares them"), [], "Geometry shaders before GLSL 1.50.";
    ARB_gl_spirv: 110, NEVER, AcceptedNoEffect, [], "SPIR-V in OpenGL.";
    ARB_gpu_shader5: 110, NEVER, Supported, [], "Features of GLSL 4.00.";
    ARB_gpu_shader_fp64: 110, NEVER, Supported, [], "64-bit float types.";
    ARB_gpu_shader_int64: 110, NEVER, Supported, [], "64-bit integer types.";
    ARB_internalformat_query2: 110, NEVER, AcceptedNoEffect, [], "Queries of formats, no change of the language.";
    ARB_post_depth_coverage: 110, NEVER, Supported, [], "gl_SampleMaskIn after the depth test.";
    ARB_sample_locations: 110, NEVER, AcceptedNoEffect, [], "Programmable sample locations, no change of the language.";
    ARB_sample_shading: 110, NEVER, Supported, [], "gl_SampleID and others.";
    ARB_separate_shader_objects: 110, NEVER, Supported, [], "Locations between stages.";
    ARB_shader_atomic_counter_ops: 110, NEVER, Supported, [], "More operations on atomic counters.";
    ARB_shader_atomic_counters: 110, NEVER, Supported, [], "Atomic counters.";
    ARB_shader_ballot: 110, NEVER, Supported, [], "Ballots across a subgroup, older form.";
    ARB_shader_bit_encoding: 110, NEVER, Supported, [], "floatBitsToInt and others.";
    ARB_shader_clock: 110, NEVER, Supported, [], "clock2x32ARB.";
    ARB_shader_draw_parameters: 110, NEVER, Supported, [], "gl_BaseVertexARB and others.";
    ARB_shader_group_vote: 110, NEVER, Supported, [], "anyInvocationARB and others.";
    ARB_shader_image_load_store: 110, NEVER, Supported, [], "Images.";
    ARB_shader_image_size: 110, NEVER, Supported, [], "imageSize.";
    ARB_shader_objects: 110, NEVER, AcceptedNoEffect, [], "Shader objects themselves.";
    ARB_shader_precision: 110, NEVER, AcceptedNoEffect, [], "Stated precision of operations.";
    ARB_shader_stencil_export: 110, NEVER, Supported, [], "gl_FragStencilRefARB.";
    ARB_shader_storage_buffer_object: 110, NEVER, Supported, [], "Storage buffers.";
    ARB_shader_subroutine: 110, NEVER, Supported, [], "Subroutines.";
    ARB_shader_texture_image_samples: 110, NEVER, Supported, [], "textureSamples and imageSamples.";
    ARB_shader_texture_lod: 110, NEVER, Supported, [], "Explicit levels of detail and gradients.";
    ARB_shader_viewport_layer_array: 110, NEVER, Supported, [], "gl_Layer and gl_ViewportIndex in stages before the geometry shader.";
    ARB_shading_language_100: 110, NEVER, AcceptedNoEffect, [], "The language itself.";
    ARB_shading_language_420pack: 110, NEVER, Supported, [], "Features of GLSL 4.20.";
    ARB_shading_language_include: 110, NEVER, Unsupported("text to include has no source here"), [], "#include.";
    ARB_shading_language_packing: 110, NEVER, Supported, [], "Functions that pack and unpack.";
    ARB_sparse_texture2: 110, NEVER, Unsupported("residency of texels has no counterpart in the IR"), [], "Sparse texture lookups.";
    ARB_sparse_texture_clamp: 110, NEVER, Unsupported("residency of texels has no counterpart in the IR"), [], "Clamped level of detail of sparse textures.";
    ARB_tessellation_shader: 110, NEVER, Supported, [], "Tessellation.";
    ARB_texture_buffer_object: 110, NEVER, Supported, [], "Buffer textures.";
    ARB_texture_cube_map: 110, NEVER, AcceptedNoEffect, [], "Cube maps.";
    ARB_texture_cube_map_array: 110, NEVER, Supported, [], "Arrays of cube maps.";
    ARB_texture_gather: 110, NEVER, Supported, [], "textureGather.";
    ARB_texture_multisample: 110, NEVER, Supported, [], "Multisampled textures.";
    ARB_texture_query_levels: 110, NEVER, Supported, [], "textureQueryLevels.";
    ARB_texture_query_lod: 110, NEVER, Supported, [], "textureQueryLOD.";
    ARB_texture_rectangle: 110, NEVER, Supported, [], "Rectangle textures; enabled from the start.";
    ARB_texture_rg: 110, NEVER, AcceptedNoEffect, [], "Formats, no change of the language.";
    ARB_uniform_buffer_object: 110, NEVER, Supported, [], "Uniform blocks.";
    ARB_vertex_attrib_64bit: 110, NEVER, Supported, [ARB_gpu_shader_fp64], "64-bit vertex inputs.";
    ARB_viewport_array: 110, NEVER, Supported, [], "gl_ViewportIndex.";
    ARM_shader_core_builtins: NEVER, 300, Unsupported("identity of shader cores has no counterpart in the IR"), [], "Identity of shader cores.";
    ARM_shader_core_properties: 400, 300, Unsupported("identity of shader cores has no counterpart in the IR"), [], "Number of shader cores.";
    ARM_shader_framebuffer_fetch: NEVER, 100, Supported, [], "gl_LastFragColorARM.";
    ARM_shader_framebuffer_fetch_depth_stencil: NEVER, 100, Unsupported("depth and stencil of the framebuffer have no counterpart in the IR"), [], "Depth and stencil of the framebuffer.";
    ARM_tensors: 450, 310, Unsupported("tensors have no counterpart in the IR"), [], "Tensors.";
    EXT_YUV_target: NEVER, 300, Unsupported("YUV framebuffers have no counterpart in the IR"), [], "YUV outputs.";
    EXT_abort: 450, 310, Unsupported("stopping the device has no counterpart in the IR"), [], "abortEXT.";
    EXT_bfloat16: 450, 310, Unsupported("bfloat16 has no counterpart in the IR"), [], "bfloat16_t.";
    EXT_blend_func_extended: NEVER, 100, Supported, [], "Second colour of blending.";
    EXT_buffer_reference: 450, 310, Supported, [], "Pointers to buffers.";
    EXT_buffer_reference2: 450, 310, Supported, [EXT_buffer_reference], "Arithmetic on pointers to buffers.";
    EXT_buffer_reference_uvec2: 450, 310, Supported, [EXT_buffer_reference], "Pointers to buffers as uvec2.";
    EXT_clip_cull_distance: NEVER, 300, Supported, [], "gl_ClipDistance and gl_CullDistance in ES.";
    EXT_conservative_depth: NEVER, 300, Supported, [], "Layout qualifiers that say how gl_FragDepth changes the depth.";
    EXT_control_flow_attributes: 110, 310, Supported, [], "Hints on loops and branches, such as `unroll`.";
    EXT_control_flow_attributes2: 110, 310, Supported, [EXT_control_flow_attributes], "Attributes of loops that take constants.";
    EXT_debug_printf: 450, 310, Unsupported("output of text has no counterpart in the IR"), [], "debugPrintfEXT.";
    EXT_demote_to_helper_invocation: 130, 300, Supported, [], "demote and helperInvocationEXT.";
    EXT_descriptor_heap: 450, 310, Unsupported("descriptor heaps have no counterpart in the IR"), [], "Descriptor heaps.";
    EXT_device_group: 400, 310, Supported, [], "gl_DeviceIndex.";
    EXT_draw_buffers: NEVER, 100, Supported, [], "gl_FragData with several outputs.";
    EXT_draw_instanced: 110, 100, Supported, [], "gl_InstanceIDEXT.";
    EXT_expect_assume: 140, 310, AcceptedNoEffect, [], "expectEXT and assumeEXT.";
    EXT_float_e2m1: 450, 310, Unsupported("small floats have no counterpart in the IR"), [], "4-bit floats.";
    EXT_float_e2m3: 450, 310, Unsupported("small floats have no counterpart in the IR"), [], "6-bit floats.";
    EXT_float_e3m2: 450, 310, Unsupported("small floats have no counterpart in the IR"), [], "6-bit floats.";
    EXT_float_e4m3: 450, 310, Unsupported("small floats have no counterpart in the IR"), [], "8-bit floats.";
    EXT_float_e5m2: 450, 310, Unsupported("small floats have no counterpart in the IR"), [], "8-bit floats.";
    EXT_float_mxint8: 450, 310, Unsupported("small floats have no counterpart in the IR"), [], "8-bit scaled integers.";
    EXT_float_ue8m0: 450, 310, Unsupported("small floats have no counterpart in the IR"), [], "8-bit exponents.";
    EXT_frag_depth: NEVER, 100, Supported, [], "gl_FragDepthEXT.";
    EXT_fragment_invocation_density: 450, 310, Unsupported("fragment density has no counterpart in the IR"), [], "gl_FragSizeEXT.";
    EXT_fragment_shader_barycentric: 450, 320, Supported, [], "gl_BaryCoordEXT.";
    EXT_fragment_shading_rate: 450, 310, Unsupported("shading rates have no counterpart in the IR"), [], "Shading rates.";
    EXT_function_control_attributes: 110, 310, AcceptedNoEffect, [], "Attributes of functions.";
    EXT_geometry_point_size: NEVER, 310, Supported, [], "gl_PointSize in geometry shaders.";
    EXT_geometry_shader: NEVER, 310, Supported, [EXT_shader_io_blocks], "Geometry shaders in ES.";
    EXT_gpu_shader4: 110, NEVER, Supported, [], "Integers and texture functions before GLSL 1.30.";
    EXT_gpu_shader5: NEVER, 310, Supported, [], "Features of ES 3.2.";
    EXT_integer_dot_product: 450, 310, Supported, [], "Dot products of integers.";
    EXT_long_vector: 450, 310, Unsupported("vectors of more than four components have no counterpart in the IR"), [], "Long vectors.";
    EXT_maximal_reconvergence: 140, 310, AcceptedNoEffect, [], "Where invocations come together again.";
    EXT_mesh_shader: 450, 320, Unsupported("mesh shaders are not a stage of this front end"), [], "Mesh and task shaders.";
    EXT_multisampled_render_to_texture: NEVER, 100, AcceptedNoEffect, [], "Multisampling, no change of the language.";
    EXT_multiview: 140, 310, Supported, [], "gl_ViewIndex.";
    EXT_nontemporal_keyword: 450, 310, AcceptedNoEffect, [], "nontemporal.";
    EXT_nonuniform_qualifier: 400, 310, Supported, [], "nonuniformEXT and arrays of resources without size.";
    EXT_null_initializer: 110, 310, Supported, [], "Empty initialisers.";
    EXT_opacity_micromap: 450, 310, Unsupported("ray tracing has no counterpart in the IR"), [], "Opacity micromaps.";
    EXT_opacity_micromap_ray_query_mode: 450, 310, Unsupported("ray tracing has no counterpart in the IR"), [], "Opacity micromaps in ray queries.";
    EXT_optional_input_attachment_index: 450, 310, Supported, [], "Input attachments without index.";
    EXT_post_depth_coverage: 110, 310, Supported, [], "gl_SampleMaskIn after the depth test.";
    EXT_primitive_bounding_box: NEVER, 310, Supported, [], "gl_BoundingBoxEXT.";
    EXT_ray_cull_mask: 450, 310, Unsupported("ray tracing has no counterpart in the IR"), [], "Cull masks of rays.";
    EXT_ray_flags_primitive_culling: 450, 310, Unsupported("ray tracing has no counterpart in the IR"), [], "Ray flags.";
    EXT_ray_query: 450, 310, Unsupported("ray tracing has no counterpart in the IR"), [], "Ray queries.";
    EXT_ray_tracing: 450, 310, Unsupported("ray tracing has no counterpart in the IR"), [], "Ray tracing.";
    EXT_ray_tracing_position_fetch: 450, 310, Unsupported("ray tracing has no counterpart in the IR"), [], "Positions of hit triangles.";
    EXT_samplerless_texture_functions: 140, 310, Supported, [], "Texture functions without sampler.";
    EXT_scalar_block_layout: 140, 310, Supported, [], "layout(scalar).";
    EXT_separate_shader_objects: NEVER, 100, Supported, [], "Locations between stages.";
    EXT_shader_16bit_storage: 140, 310, Supported, [], "16-bit types in buffers.";
    EXT_shader_8bit_storage: 140, 310, Supported, [], "8-bit types in buffers.";
    EXT_shader_atomic_float: 450, 310, Supported, [], "Atomic operations on floats.";
    EXT_shader_atomic_float2: 450, 310, Supported, [EXT_shader_atomic_float], "Atomic minimum and maximum of floats.";
    EXT_shader_atomic_int64: 450, 310, Supported, [], "Atomic operations on 64-bit integers.";
    EXT_shader_explicit_arithmetic_types: 140, 310, Supported, [EXT_shader_explicit_arithmetic_types_int8, EXT_shader_explicit_arithmetic_types_int16, EXT_shader_explicit_arithmetic_types_int32, EXT_shader_explicit_arithmetic_types_int64, EXT_shader_explicit_arithmetic_types_float16, EXT_shader_explicit_arithmetic_types_float32, EXT_shader_explicit_arithmetic_types_float64], "All explicitly sized types.";
    EXT_shader_explicit_arithmetic_types_float16: 140, 310, Supported, [], "float16_t.";
    EXT_shader_explicit_arithmetic_types_float32: 140, 310, Supported, [], "float32_t.";
    EXT_shader_explicit_arithmetic_types_float64: 140, 310, Supported, [], "float64_t.";
    EXT_shader_explicit_arithmetic_types_int16: 140, 310, Supported, [], "int16_t.";
    EXT_shader_explicit_arithmetic_types_int32: 140, 310, Supported, [], "int32_t.";
    EXT_shader_explicit_arithmetic_types_int64: 140, 310, Supported, [], "int64_t.";
    EXT_shader_explicit_arithmetic_types_int8: 140, 310, Supported, [], "int8_t.";
    EXT_shader_framebuffer_fetch: 130, 100, Supported, [], "Outputs that hold the framebuffer's colour.";
    EXT_shader_framebuffer_fetch_non_coherent: 130, 100, Supported, [], "Outputs that hold the framebuffer's colour, without order.";
    EXT_shader_group_vote: NEVER, 300, Supported, [], "anyInvocationEXT and others.";
    EXT_shader_image_int64: 420, NEVER, Supported, [ARB_gpu_shader_int64], "Images of 64-bit integers.";
    EXT_shader_image_load_formatted: 110, 310, Supported, [], "Loads from images without format.";
    EXT_shader_image_load_store: 110, NEVER, Supported, [], "Images before GLSL 4.20.";
    EXT_shader_implicit_conversions: NEVER, 310, Supported, [], "Implicit conversions in ES.";
    EXT_shader_integer_mix: 110, 300, Supported, [], "mix of integers and booleans.";
    EXT_shader_invocation_reorder: 450, 310, Unsupported("ray tracing has no counterpart in the IR"), [], "Order of ray tracing invocations.";
    EXT_shader_io_blocks: NEVER, 310, Supported, [], "Interface blocks between stages in ES.";
    EXT_shader_non_constant_global_initializers: NEVER, 100, Supported, [], "Global initialisers that are not constant.";
    EXT_shader_pixel_local_storage: NEVER, 300, Unsupported("pixel local storage has no counterpart in the IR"), [], "Pixel local storage.";
    EXT_shader_quad_control: 450, 310, Supported, [], "Whole quads.";
    EXT_shader_realtime_clock: 450, 310, Supported, [], "clockRealtimeEXT.";
    EXT_shader_samples_identical: 110, 310, Supported, [], "textureSamplesIdenticalEXT.";
    EXT_shader_subgroup_extended_types_float16: 140, 310, Supported, [EXT_shader_explicit_arithmetic_types_float16], "Subgroup operations on 16-bit floats.";
    EXT_shader_subgroup_extended_types_int16: 140, 310, Supported, [EXT_shader_explicit_arithmetic_types_int16], "Subgroup operations on 16-bit integers.";
    EXT_shader_subgroup_extended_types_int64: 140, 310, Supported, [EXT_shader_explicit_arithmetic_types_int64], "Subgroup operations on 64-bit integers.";
    EXT_shader_subgroup_extended_types_int8: 140, 310, Supported, [EXT_shader_explicit_arithmetic_types_int8], "Subgroup operations on 8-bit integers.";
    EXT_shader_texture_lod: NEVER, 100, Supported, [], "Explicit levels of detail and gradients in ES 1.00.";
    EXT_shader_tile_image: 450, 310, Unsupported("tile images have no counterpart in the IR"), [], "Tile images.";
    EXT_shadow_samplers: NEVER, 100, Supported, [], "Shadow samplers in ES 1.00.";
    EXT_shared_memory_block: 450, 310, Supported, [], "Shared blocks.";
    EXT_spec_constant_composites: 450, 310, Supported, [], "Specialisation constants of composite types.";
    EXT_spirv_intrinsics: 450, 310, Unsupported("SPIR-V instructions in GLSL have no counterpart in the IR"), [], "SPIR-V instructions in GLSL.";
    EXT_split_barrier: 450, 310, Unsupported("split barriers have no counterpart in the IR"), [], "Split barriers.";
    EXT_structured_descriptor_heap: 450, 310, Unsupported("descriptor heaps have no counterpart in the IR"), [], "Descriptor heaps of structures.";
    EXT_subgroup_uniform_control_flow: 140, 310, AcceptedNoEffect, [], "Where invocations come together again.";
    EXT_subgroupuniform_qualifier: 140, 310, AcceptedNoEffect, [], "subgroupuniformEXT.";
    EXT_terminate_invocation: 140, 310, Supported, [], "terminateInvocation.";
    EXT_tessellation_point_size: NEVER, 310, Supported, [], "gl_PointSize in tessellation.";
    EXT_tessellation_shader: NEVER, 310, Supported, [EXT_shader_io_blocks], "Tessellation in ES.";
    EXT_texture_array: 110, NEVER, Supported, [], "Array textures before GLSL 1.30.";
    EXT_texture_buffer: NEVER, 310, Supported, [], "Buffer textures in ES.";
    EXT_texture_buffer_object: 110, NEVER, Supported, [], "Buffer textures before GLSL 1.40.";
    EXT_texture_cube_map_array: NEVER, 310, Supported, [], "Arrays of cube maps in ES.";
    EXT_texture_query_lod: NEVER, 300, Supported, [], "textureQueryLOD in ES.";
    EXT_texture_shadow_lod: 130, 300, Supported, [], "Levels of detail of shadow lookups.";
    GOOGLE_cpp_style_line_directive: 110, 100, Supported, [], "File names in #line.";
    GOOGLE_include_directive: 110, 100, Unsupported("text to include has no source here"), [], "#include.";
    INTEL_conservative_rasterization: 400, 310, Supported, [], "Inner coverage.";
    INTEL_fragment_shader_ordering: 110, NEVER, Unsupported("critical sections of fragments have no counterpart in the IR"), [], "Ordered access from overlapping fragments.";
    INTEL_shader_atomic_float_minmax: 110, NEVER, Supported, [], "Atomic minimum, maximum and exchange of floats.";
    INTEL_shader_integer_functions2: 110, 310, Supported, [], "More functions on integers.";
    KHR_blend_equation_advanced: 110, 100, Supported, [], "Layout qualifiers of advanced blending.";
    KHR_compute_shader_derivatives: 450, 320, Supported, [], "Derivatives in compute shaders.";
    KHR_cooperative_matrix: 450, 310, Unsupported("cooperative matrices have no counterpart in the IR"), [], "Cooperative matrices.";
    KHR_memory_scope_semantics: 420, 310, Supported, [], "Scopes and semantics of atomics and barriers.";
    KHR_shader_subgroup_arithmetic: 140, 310, Supported, [KHR_shader_subgroup_basic], "Arithmetic across a subgroup.";
    KHR_shader_subgroup_ballot: 140, 310, Supported, [KHR_shader_subgroup_basic], "Ballots across a subgroup.";
    KHR_shader_subgroup_basic: 140, 310, Supported, [], "Identity of subgroups.";
    KHR_shader_subgroup_clustered: 140, 310, Supported, [KHR_shader_subgroup_basic], "Arithmetic across parts of a subgroup.";
    KHR_shader_subgroup_quad: 140, 310, Supported, [KHR_shader_subgroup_basic], "Exchange in a quad.";
    KHR_shader_subgroup_rotate: 140, 310, Supported, [KHR_shader_subgroup_basic], "Rotation across a subgroup.";
    KHR_shader_subgroup_shuffle: 140, 310, Supported, [KHR_shader_subgroup_basic], "Exchange across a subgroup.";
    KHR_shader_subgroup_shuffle_relative: 140, 310, Supported, [KHR_shader_subgroup_basic], "Exchange at a distance across a subgroup.";
    KHR_shader_subgroup_vote: 140, 310, Supported, [KHR_shader_subgroup_basic], "Votes across a subgroup.";
    KHR_vulkan_glsl: 140, 310, Supported, [], "GLSL for Vulkan; enabled by the option, in no other way.";
    MESA_shader_integer_functions: 110, 300, Supported, [], "Integer functions of GLSL 4.00.";
    NVX_multiview_per_view_attributes: 450, 310, Unsupported("outputs of each view have no counterpart in the IR"), [], "Outputs of each view.";
    NV_bindless_texture: 110, 310, Unsupported("resource handles have no counterpart in the IR"), [], "Textures and images as 64-bit handles.";
    NV_cluster_acceleration_structure: 450, 310, Unsupported("ray tracing has no counterpart in the IR"), [], "Clusters in ray tracing.";
    NV_compute_shader_derivatives: 450, 310, Supported, [], "Derivatives in compute shaders.";
    NV_cooperative_matrix: 450, 310, Unsupported("cooperative matrices have no counterpart in the IR"), [], "Cooperative matrices.";
    NV_cooperative_matrix2: 450, 310, Unsupported("cooperative matrices have no counterpart in the IR"), [], "Cooperative matrices.";
    NV_cooperative_matrix_decode_vector: 450, 310, Unsupported("cooperative matrices have no counterpart in the IR"), [], "Cooperative matrices.";
    NV_cooperative_vector: 450, 310, Unsupported("cooperative vectors have no counterpart in the IR"), [], "Cooperative vectors.";
    NV_fragment_shader_barycentric: 450, 320, Supported, [], "gl_BaryCoordNV.";
    NV_geometry_shader_passthrough: 110, 310, Unsupported("geometry shaders that pass their input on have no counterpart in the IR"), [], "Geometry shaders that pass their input on.";
    NV_gpu_shader5: 110, 310, Unsupported("pointers, half floats and handles of this vendor have no counterpart in the IR"), [], "Features of one vendor.";
    NV_image_formats: NEVER, 310, Supported, [], "More image formats in ES.";
    NV_mesh_shader: 450, 320, Unsupported("mesh shaders are not a stage of this front end"), [], "Mesh and task shaders.";
    NV_ray_tracing: 450, 310, Unsupported("ray tracing has no counterpart in the IR"), [], "Ray tracing.";
    NV_sample_mask_override_coverage: 110, 310, Unsupported("sample masks that override coverage have no counterpart in the IR"), [], "Sample masks that override coverage.";
    NV_shader_atomic_float: 110, 310, Supported, [], "Atomic addition and exchange of floats.";
    NV_shader_atomic_fp16_vector: 110, 310, Unsupported("atomic operations on vectors have no counterpart in the IR"), [], "Atomic operations on 16-bit vectors.";
    NV_shader_atomic_int64: 110, 310, Supported, [], "Atomic operations on 64-bit integers.";
    NV_shader_noperspective_interpolation: NEVER, 300, Supported, [], "noperspective in ES.";
    NV_shader_sm_builtins: 450, 310, Unsupported("identity of shader cores has no counterpart in the IR"), [], "Identity of shader cores.";
    NV_shader_subgroup_partitioned: 140, 310, Unsupported("partitions of a subgroup have no counterpart in the IR"), [], "Arithmetic across partitions of a subgroup.";
    NV_shader_texture_footprint: 450, 320, Unsupported("texture footprints have no counterpart in the IR"), [], "Texture footprints.";
    NV_shading_rate_image: 450, 320, Unsupported("shading rates have no counterpart in the IR"), [], "Shading rates.";
    NV_stereo_view_rendering: 110, NEVER, Unsupported("stereo views of this vendor have no counterpart in the IR"), [], "Stereo views.";
    NV_viewport_array2: 110, NEVER, Unsupported("viewport masks have no counterpart in the IR"), [], "Viewport masks.";
    OES_EGL_image_external: NEVER, 100, Supported, [], "samplerExternalOES.";
    OES_EGL_image_external_essl3: NEVER, 300, Supported, [], "samplerExternalOES in ES 3.";
    OES_geometry_point_size: NEVER, 310, Supported, [], "gl_PointSize in geometry shaders.";
    OES_geometry_shader: NEVER, 310, Supported, [OES_shader_io_blocks], "Geometry shaders in ES.";
    OES_gpu_shader5: NEVER, 310, Supported, [], "Features of ES 3.2.";
    OES_primitive_bounding_box: NEVER, 310, Supported, [], "gl_BoundingBoxOES.";
    OES_sample_variables: NEVER, 300, Supported, [], "gl_SampleID and others in ES.";
    OES_shader_image_atomic: NEVER, 310, Supported, [], "Atomic operations on images in ES.";
    OES_shader_io_blocks: NEVER, 310, Supported, [], "Interface blocks between stages in ES.";
    OES_shader_multisample_interpolation: NEVER, 300, Supported, [], "sample qualifier and interpolateAt functions in ES.";
    OES_standard_derivatives: NEVER, 100, Supported, [], "Derivatives in ES 1.00.";
    OES_tessellation_point_size: NEVER, 310, Supported, [], "gl_PointSize in tessellation.";
    OES_tessellation_shader: NEVER, 310, Supported, [OES_shader_io_blocks], "Tessellation in ES.";
    OES_texture_3D: NEVER, 100, Supported, [], "sampler3D in ES 1.00.";
    OES_texture_buffer: NEVER, 310, Supported, [], "Buffer textures in ES.";
    OES_texture_cube_map_array: NEVER, 310, Supported, [], "Arrays of cube maps in ES.";
    OES_texture_storage_multisample_2d_array: NEVER, 310, Supported, [], "Arrays of multisampled textures in ES.";
    OES_viewport_array: NEVER, 310, Supported, [], "gl_ViewportIndex in ES.";
    OVR_multiview: 130, 300, Supported, [], "gl_ViewID_OVR, num_views.";
    OVR_multiview2: 130, 300, Supported, [OVR_multiview], "Outputs other than gl_Position depend on gl_ViewID_OVR.";
    QCOM_image_processing: 450, 310, Unsupported("image processing of this vendor has no counterpart in the IR"), [], "Block matching and box filters.";
    QCOM_image_processing2: 450, 310, Unsupported("image processing of this vendor has no counterpart in the IR"), [], "Block matching.";
    QCOM_image_processing3: 450, 310, Unsupported("image processing of this vendor has no counterpart in the IR"), [], "Image processing.";
}

impl Ext {
    /// Its row of the table.
    pub fn info(self) -> &'static Info {
        &EXTENSIONS[self as usize]
    }

    /// Name as in `#extension`.
    pub fn name(self) -> &'static str {
        self.info().name
    }

    /// The extension of a name such as `GL_ARB_gpu_shader5`.
    pub fn find(name: &str) -> Option<Ext> {
        EXTENSIONS.binary_search_by(|i| i.name.cmp(name)).ok().map(|i| EXTENSIONS[i].ext)
    }

    /// Whether the front end has it, in any version.
    pub fn is_supported(self) -> bool {
        !matches!(self.info().status, Status::Unsupported(_))
    }

    /// Whether `#extension` can turn it on in this version.
    pub fn is_available(self, version: Version) -> bool {
        let info = self.info();
        self.is_supported() && self != Ext::KHR_vulkan_glsl && version.at_least(info.desktop, info.es)
    }
}

/// The behaviour of an `#extension` directive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Behavior {
    /// Without it the shader cannot be compiled.
    Require,
    /// Use it if it is supported.
    Enable,
    /// Use it if it is supported, and warn of every use.
    Warn,
    /// Behave as if it did not exist.
    Disable,
}

impl Behavior {
    /// The behaviour of a word of `#extension`.
    pub fn find(word: &str) -> Option<Behavior> {
        match word {
            "require" => Some(Behavior::Require),
            "enable" => Some(Behavior::Enable),
            "warn" => Some(Behavior::Warn),
            "disable" => Some(Behavior::Disable),
            _ => None,
        }
    }
}

const WORDS: usize = EXTENSIONS.len().div_ceil(64);

/// A set of extensions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ExtSet([u64; WORDS]);

impl ExtSet {
    /// No extension.
    pub const EMPTY: ExtSet = ExtSet([0; WORDS]);

    /// These extensions.
    pub const fn of(exts: &[Ext]) -> ExtSet {
        let mut set = ExtSet::EMPTY;
        let mut i = 0;
        while i < exts.len() {
            set = set.with(exts[i]);
            i += 1;
        }
        set
    }

    /// Whether an extension is in the set.
    pub const fn contains(self, ext: Ext) -> bool {
        self.0[ext as usize / 64] >> (ext as usize % 64) & 1 != 0
    }

    /// Whether any of some extensions is in the set.
    pub const fn contains_any(self, exts: &[Ext]) -> bool {
        let mut i = 0;
        while i < exts.len() {
            if self.contains(exts[i]) {
                return true;
            }
            i += 1;
        }
        false
    }

    /// Whether no extension is in the set.
    pub const fn is_empty(self) -> bool {
        let mut i = 0;
        while i < WORDS {
            if self.0[i] != 0 {
                return false;
            }
            i += 1;
        }
        true
    }

    /// The set with one extension more.
    #[must_use]
    pub const fn with(mut self, ext: Ext) -> ExtSet {
        self.0[ext as usize / 64] |= 1 << (ext as usize % 64);
        self
    }

    /// The set with one extension less.
    #[must_use]
    pub const fn without(mut self, ext: Ext) -> ExtSet {
        self.0[ext as usize / 64] &= !(1 << (ext as usize % 64));
        self
    }

    /// The union of both sets.
    #[must_use]
    pub const fn union(mut self, other: ExtSet) -> ExtSet {
        let mut i = 0;
        while i < WORDS {
            self.0[i] |= other.0[i];
            i += 1;
        }
        self
    }

    /// The set with an extension and all that it turns on, directly or not.
    #[must_use]
    pub fn with_implied(self, ext: Ext) -> ExtSet {
        if self.contains(ext) && ext.info().implies.is_empty() {
            return self;
        }
        // The table has no cycles (a test checks this), so this ends.
        ext.info().implies.iter().fold(self.with(ext), |set, &e| set.with_implied(e))
    }

    /// The extensions in the set, by name.
    pub fn iter(self) -> impl Iterator<Item = Ext> {
        EXTENSIONS.iter().map(|i| i.ext).filter(move |&e| self.contains(e))
    }

    /// The extensions of `#extension all` in a version: all that can be enabled.
    pub fn all_available(version: Version) -> ExtSet {
        EXTENSIONS
            .iter()
            .filter(|i| i.ext.is_available(version))
            .fold(ExtSet::EMPTY, |set, i| set.with(i.ext))
    }

    /// The extensions that are enabled before the first `#extension`: `GL_ARB_texture_rectangle` is, on desktop (its
    /// overview states that no directive is needed), and Vulkan GLSL if it is compiled.
    pub fn initial(version: Version, vulkan: bool) -> ExtSet {
        let set = if version.is_es() { ExtSet::EMPTY } else { ExtSet::of(&[Ext::ARB_texture_rectangle]) };
        if vulkan { set.with(Ext::KHR_vulkan_glsl) } else { set }
    }
}

impl FromIterator<Ext> for ExtSet {
    fn from_iter<I: IntoIterator<Item = Ext>>(exts: I) -> ExtSet {
        exts.into_iter().fold(ExtSet::EMPTY, ExtSet::with)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::version::Profile;

    #[test]
    fn the_table_is_sorted_and_positions_are_numbers() {
        for (i, info) in EXTENSIONS.iter().enumerate() {
            assert_eq!(info.ext as usize, i);
            assert_eq!(Ext::find(info.name), Some(info.ext), "{}", info.name);
            assert!(i == 0 || EXTENSIONS[i - 1].name < info.name, "{}", info.name);
            assert!(info.about.ends_with('.'), "{}", info.name);
            assert!(info.desktop != NEVER || info.es != NEVER, "{}", info.name);
        }
        assert_eq!(Ext::find("GL_FOO_bar"), None);
        assert_eq!(Ext::find("all"), None);
    }

    #[test]
    fn what_is_implied_is_supported_where_it_can_be_asked_for() {
        for info in EXTENSIONS {
            for &implied in info.implies {
                assert!(implied.is_supported(), "{} implies {}", info.name, implied.name());
                let set = ExtSet::EMPTY.with_implied(implied);
                assert!(!set.contains(info.ext), "{} implies itself", info.name);
            }
        }
    }

    #[test]
    fn sets_hold_what_is_put_in() {
        let last = EXTENSIONS[EXTENSIONS.len() - 1].ext;
        let set = ExtSet::of(&[Ext::ARB_gpu_shader5, last]);
        assert!(set.contains(Ext::ARB_gpu_shader5) && set.contains(last));
        assert!(!set.contains(Ext::ARB_gpu_shader_fp64));
        assert_eq!(set.iter().collect::<Vec<_>>(), [Ext::ARB_gpu_shader5, last]);
        assert_eq!(set.without(last).without(Ext::ARB_gpu_shader5), ExtSet::EMPTY);
    }

    #[test]
    fn packs_turn_on_their_parts() {
        let set = ExtSet::EMPTY.with_implied(Ext::ANDROID_extension_pack_es31a);
        assert!(set.contains(Ext::EXT_tessellation_shader) && set.contains(Ext::EXT_shader_io_blocks));
        let set = ExtSet::EMPTY.with_implied(Ext::KHR_shader_subgroup_vote);
        assert!(set.contains(Ext::KHR_shader_subgroup_basic));
    }

    #[test]
    fn availability_depends_on_the_version() {
        let es310 = Version { number: 310, profile: Profile::Es };
        let es300 = Version { number: 300, profile: Profile::Es };
        assert!(Ext::EXT_geometry_shader.is_available(es310));
        assert!(!Ext::EXT_geometry_shader.is_available(es300));
        assert!(!Ext::ARB_gpu_shader5.is_available(es310));
        assert!(!Ext::EXT_ray_query.is_available(es310));
        assert!(!Ext::KHR_vulkan_glsl.is_available(es310));
    }
}
