//! The state of OpenGL that a function on Metal can depend on, and how it is covered.
//!
//! `docs/gl-driver.md` lists these rows; a test generates the page and checks that the passes and tests exist.

/// How a state is covered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cover {
    /// By a field of the [key](crate::StateKey), a pass and a test.
    Key {
        /// The field.
        field: &'static str,
        /// The pass.
        pass: &'static str,
        /// The test that executes it, by its name in `compiler/gl/tests/state`.
        test: &'static str,
    },
    /// By a link, for all states.
    Link {
        /// The pass or option.
        by: &'static str,
    },
    /// By Metal's own state, or by the driver without a change of the code.
    Driver {
        /// How.
        how: &'static str,
    },
    /// Not covered.
    Missing,
}

/// A state of OpenGL.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The state.
    pub state: &'static str,
    /// How it is covered.
    pub cover: Cover,
    /// The specification that defines it.
    pub reference: &'static str,
}

const fn row(state: &'static str, cover: Cover, reference: &'static str) -> Row {
    Row { state, cover, reference }
}

const fn key(field: &'static str, pass: &'static str, test: &'static str) -> Cover {
    Cover::Key { field, pass, test }
}

const fn link(by: &'static str) -> Cover {
    Cover::Link { by }
}

const fn driver(how: &'static str) -> Cover {
    Cover::Driver { how }
}

use Cover::Missing;

/// Every state.
pub const ROWS: &[Row] = &[
    row(
        "y of the framebuffer: positions",
        key("FLIP_Y", "lower_clip_space", "flip_y_draws_upside_down"),
        "GL 4.6 section 13.8",
    ),
    row(
        "y of the framebuffer: window coordinates",
        key("FLIP_WINDOW", "lower_window_origin", "window_coordinates_are_flipped"),
        "GLSL 4.60 section 7.1.5",
    ),
    row(
        "y of the framebuffer: faces",
        key("FLIP_FACE", "lower_window_origin", "faces_are_flipped"),
        "GL 4.6 section 14.6",
    ),
    row(
        "depth range of clip space (`glClipControl`)",
        key("HALF_Z", "lower_clip_space", "half_z_maps_depths"),
        "GL 4.6 section 13.7",
    ),
    row(
        "`GL_CLIP_DISTANCEi` over `gl_ClipDistance`",
        key("clip_enable", "lower_clip_disable", "only_enabled_clip_distances_clip"),
        "GL 4.6 section 13.7",
    ),
    row(
        "`GL_CLIP_DISTANCEi` in the driver's block",
        key("DYNAMIC_CLIP", "lower_clip_disable", "the_mask_of_clip_distances_can_be_dynamic"),
        "GL 4.6 section 13.7",
    ),
    row(
        "clip planes and `gl_ClipVertex`",
        key("clip_planes", "lower_clip_planes", "planes_clip_vertices"),
        "GL 4.6 compatibility section 13.7",
    ),
    row("cull distances", link("lower_distances"), "GL 4.6 section 13.7"),
    row(
        "rasterizer discard",
        key("RASTERIZER_DISCARD", "lower_rasterizer_discard", "nothing_is_rasterised"),
        "GL 4.6 section 14.1",
    ),
    row(
        "points drawn or not, `GL_PROGRAM_POINT_SIZE`",
        key("point_size", "lower_point_size", "points_have_the_size_that_the_shader_writes"),
        "GL 4.6 section 14.4",
    ),
    row(
        "`glPointSize`, point parameters",
        key("point_size", "lower_point_size", "points_have_the_size_of_the_state"),
        "GL 4.6 section 14.4",
    ),
    row(
        "point sprites: replaced coordinates",
        key("coord_replace", "lower_point_sprites", "coordinates_are_replaced_in_points"),
        "GL 4.6 compatibility section 14.4",
    ),
    row(
        "point sprites: origin",
        key("POINT_LOWER_LEFT", "lower_point_sprites", "the_origin_of_points_is_state"),
        "GL 4.6 section 14.4",
    ),
    row(
        "flat shading of colors",
        key("FLAT_COLORS", "lower_flat_colors", "flat_colors_are_those_of_the_provoking_vertex"),
        "GL 4.6 compatibility chapter 13",
    ),
    row(
        "two-sided color",
        key("TWO_SIDED_COLORS", "lower_two_sided_colors", "back_faces_have_back_colors"),
        "GL 4.6 compatibility chapter 12",
    ),
    row(
        "clamped vertex colors",
        key("CLAMP_VERTEX_COLORS", "clamp_vertex_colors", "vertex_colors_are_clamped"),
        "GL 4.6 compatibility chapter 12",
    ),
    row(
        "clamped fragment colors",
        key("CLAMP_FRAGMENT_COLORS", "clamp_fragment_colors", "fragment_colors_are_clamped"),
        "GL 4.6 compatibility chapter 15",
    ),
    row("fog: equation", key("fog", "lower_fog", "fog_blends_colors"), "GL 4.6 compatibility chapter 16"),
    row(
        "fog: source of the coordinate",
        key("FOG_DEPTH", "lower_fog", "fog_blends_colors"),
        "GL 4.6 compatibility chapter 16",
    ),
    row(
        "alpha test",
        key("alpha_func", "lower_alpha_test", "fragments_pass_the_alpha_test"),
        "GL 4.6 compatibility section 17.3",
    ),
    row(
        "`gl_FragColor` to several draw buffers",
        key("color_attachments", "lower_frag_color", "frag_color_goes_to_all_attachments"),
        "GL 4.6 compatibility chapter 15",
    ),
    row(
        "attachments that are missing or of another kind",
        key("attachments", "lower_attachments", "outputs_follow_the_attachments"),
        "GL 4.6 chapter 17",
    ),
    row(
        "missing depth attachment",
        key("NO_DEPTH", "lower_attachments", "depth_and_stencil_need_attachments"),
        "GL 4.6 section 17.3",
    ),
    row(
        "missing stencil attachment",
        key("NO_STENCIL", "lower_attachments", "depth_and_stencil_need_attachments"),
        "GL 4.6 section 17.3",
    ),
    row(
        "dual source disabled",
        key("NO_DUAL_SOURCE", "lower_attachments", "the_second_source_needs_blending"),
        "GL 4.6 section 17.3",
    ),
    row(
        "logic operations",
        key("logic_op", "lower_logic_op", "logic_operations_combine_colors"),
        "GL 4.6 section 17.3",
    ),
    row(
        "advanced blending",
        key("blend", "lower_advanced_blend", "equations_blend_colors"),
        "GL_KHR_blend_equation_advanced",
    ),
    row(
        "sample mask (`glSampleMaski`, `glSampleCoverage`)",
        key("SAMPLE_MASK", "lower_sample_mask", "only_samples_of_the_mask_are_written"),
        "GL 4.6 section 17.3",
    ),
    row("alpha to one, alpha to coverage", driver("`MTLRenderPipelineDescriptor`"), "GL 4.6 section 17.3"),
    row(
        "forced sample shading",
        key("SAMPLE_SHADING", "lower_sample_shading", "every_sample_is_shaded"),
        "GL 4.6 chapter 14",
    ),
    row(
        "polygon stipple",
        key("POLYGON_STIPPLE", "lower_polygon_stipple", "the_stipple_pattern_leaves_out_fragments"),
        "GL 4.6 compatibility section 14.6",
    ),
    row(
        "line stipple",
        key("LINE_STIPPLE", "lower_line_fragments", "stipple_patterns_leave_out_fragments_of_lines"),
        "GL 4.6 compatibility section 14.5",
    ),
    row(
        "line stipple along strips and loops",
        key("LINE_STRIP", "expand_lines", "stipple_patterns_continue_along_strips"),
        "GL 4.6 compatibility section 14.5",
    ),
    row(
        "line width",
        key("lines", "expand_lines", "wide_lines_are_extended_along_an_axis"),
        "GL 4.6 section 14.5",
    ),
    row(
        "smooth lines",
        key("lines", "lower_line_fragments", "smooth_lines_have_the_coverage_as_alpha"),
        "GL 4.6 section 14.5",
    ),
    row(
        "smooth points",
        key("SMOOTH_POINTS", "lower_smooth_points", "smooth_points_are_disks"),
        "GL 4.6 compatibility section 14.4",
    ),
    row("polygon mode `GL_LINE`", driver("`setTriangleFillMode:`"), "GL 4.6 section 14.6"),
    row(
        "polygon mode `GL_POINT`",
        key("polygon_mode", "expand_polygons", "edges_of_quads_have_edge_flags"),
        "GL 4.6 section 14.6",
    ),
    row(
        "faces and culling of polygons that are points or lines",
        key("polygon_mode", "lower_front_face", "polygons_are_culled_and_have_a_face"),
        "GL 4.6 section 14.6",
    ),
    row(
        "edges inside of quads and polygons",
        key("polygons", "expand_polygons", "edges_inside_of_polygons_are_not_drawn"),
        "GL 4.6 compatibility section 14.6",
    ),
    row(
        "edge flags",
        key("EDGE_FLAGS", "write_edge_flag", "edges_of_quads_have_edge_flags"),
        "GL 4.6 compatibility section 14.6",
    ),
    row(
        "vertex formats that Metal lacks: integers, fixed point and 10-bit fields as floats",
        key("vertex_formats", "lower_vertex_formats", "attributes_become_floats"),
        "GL 4.6 section 10.3",
    ),
    row(
        "vertex formats that Metal lacks: doubles as floats",
        key("vertex_formats", "lower_vertex_formats", "attributes_become_floats"),
        "GL 4.6 section 10.3",
    ),
    row(
        "vertex pulling: any stride and offset, more buffers than Metal has, robustness",
        key("pulled", "lower_vertex_buffers", "attributes_are_read_from_buffers"),
        "GL 4.6 sections 6.4 and 10.3",
    ),
    row(
        "instance divisor, base instance",
        driver("`MTLVertexBufferLayoutDescriptor`"),
        "GL 4.6 section 10.3",
    ),
    row("`gl_BaseVertex`, `gl_DrawID`", link("lower_draw_parameters"), "GL 4.6 chapter 11"),
    row(
        "provoking vertex of geometry shaders",
        key("FIRST_PROVOKES", "lower_stages", "the_provoking_vertex_of_geometry"),
        "GL 4.6 chapter 13",
    ),
    row("provoking vertex of other primitives", driver("rewritten indices"), "GL 4.6 chapter 13"),
    row("primitive restart, fans, strips, quads", driver("rewritten indices"), "GL 4.6 section 10.3"),
    row(
        "transform feedback of vertex shaders",
        key("CAPTURE", "lower_xfb", "transform_feedback_captures_what_the_shader_writes"),
        "GL 4.6 section 13.3",
    ),
    row(
        "transform feedback of vertex shaders: strips, fans, indices",
        key("capture_step", "vertex_outputs_to_buffer", "vertices_are_captured_in_the_order_of_a_draw"),
        "GL 4.6 section 13.3",
    ),
    row(
        "transform feedback of tessellation",
        key("capture_step", "tess_eval_to_capture", "primitives_of_tessellation_are_captured"),
        "GL 4.6 section 13.3",
    ),
    row(
        "transform feedback of geometry shaders, counters of primitives",
        key("capture_step", "geometry_to_capture", "strips_are_captured_as_separate_primitives"),
        "GL 4.6 sections 4.3 and 13.3",
    ),
    row(
        "vertex streams",
        key("capture_step", "geometry_to_capture", "streams_are_captured_in_their_buffers"),
        "GL 4.6 section 11.3.4.2",
    ),
    row("texture swizzles", driver("texture views"), "GL 4.6 chapter 15"),
    row(
        "comparison disabled",
        key("compare_off", "lower_shadow_compare", "samplers_need_not_compare"),
        "GL 4.6 section 8.23",
    ),
    row(
        "depth texture modes",
        key("depth_modes", "lower_depth_modes", "comparisons_have_the_mode_of_the_texture"),
        "GL 4.6 compatibility section 8.17",
    ),
    row(
        "`GL_CLAMP`",
        key("gl_clamp", "lower_gl_clamp", "coordinates_are_clamped"),
        "GL 4.6 compatibility chapter 8",
    ),
    row(
        "cube maps that are not seamless",
        key("nonseamless", "lower_nonseamless_cubes", "cube_maps_need_not_be_seamless"),
        "GL 4.6 section 8.13",
    ),
    row(
        "external (YUV) images",
        key("external_planes", "lower_external_images", "external_images_are_read_by_planes"),
        "GL_OES_EGL_image_external",
    ),
    row("rectangle and 1D textures", link("lower_tex_rect, lower_1d_textures"), "GL 4.6 chapter 8"),
    row("inlined uniforms", key("inlined", "lower_inlined_uniforms", "uniforms_become_constants"), ""),
    row("robust access", link("lower_robust_access, lower_robust_images"), "GL 4.6 section 6.4"),
    row(
        "vertices of an input patch",
        key("patch_vertices", "lower_stages", "patches_have_the_vertices_of_the_state"),
        "GL 4.6 chapter 10",
    ),
    row("layers and viewports", driver("native"), "GL 4.6 chapter 11"),
    row("multiview", link("lower_multiview"), "GL_OVR_multiview2"),
];

/// The rows as a table of Markdown.
pub fn markdown() -> String {
    let mut text = "| state | covered by | pass | test | reference |\n|---|---|---|---|---|\n".to_owned();
    for Row { state, cover, reference } in ROWS {
        let (by, pass, test) = match cover {
            Cover::Key { field, pass, test } => {
                (format!("key: `{field}`"), format!("`{pass}`"), format!("`{test}`"))
            }
            Cover::Link { by } => (
                "link".to_owned(),
                by.split(", ").map(|p| format!("`{p}`")).collect::<Vec<_>>().join(", "),
                String::new(),
            ),
            Cover::Driver { how } => (format!("Metal or the driver: {how}"), String::new(), String::new()),
            Missing => ("**not covered**".to_owned(), String::new(), String::new()),
        };
        text += &format!("| {state} | {by} | {pass} | {test} | {reference} |\n");
    }
    text
}

/// How many rows are covered, and how many there are.
pub fn covered() -> (usize, usize) {
    (ROWS.iter().filter(|row| row.cover != Missing).count(), ROWS.len())
}
