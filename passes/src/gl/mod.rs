//! Passes that adapt a shader to API conventions and state: distances, clip space, points, feedback.

crate::registry::passes! {
    "API conventions": "Passes that adapt a shader to API conventions and state: distances, clip space, points, feedback.";
    clamp_fragment_colors::ClampFragmentColors;
    clamp_vertex_colors::ClampVertexColors;
    clip_distances_from_varyings::ClipDistancesFromVaryings { options };
    clip_distances_to_discard::ClipDistancesToDiscard { options };
    clip_distances_to_locations::ClipDistancesToLocations { options };
    clip_distances_to_position::ClipDistancesToPosition { options };
    clip_distances_to_varyings::ClipDistancesToVaryings { options };
    cull_distances_to_discard::CullDistancesToDiscard { options };
    cull_distances_to_varyings::CullDistancesToVaryings { options };
    emulate_distances::EmulateDistances { program };
    lower_advanced_blend::LowerAdvancedBlend { options };
    lower_alpha_test::LowerAlphaTest { options };
    lower_attachments::LowerAttachments { options };
    lower_clip_disable::LowerClipDisable { options };
    lower_clip_distance_arrays::LowerClipDistanceArrays;
    lower_clip_planes::LowerClipPlanes { options };
    lower_clip_space::LowerClipSpace { options };
    lower_clip_vertex::LowerClipVertex { options };
    lower_depth_modes::LowerDepthModes { options };
    lower_distances::LowerDistances { program };
    lower_draw_parameters::LowerDrawParameters { options };
    lower_external_images::LowerExternalImages { options };
    lower_flat_colors::LowerFlatColors;
    lower_fog::LowerFog { options };
    lower_frag_color::LowerFragColor { options };
    lower_gl_clamp::LowerGlClamp { options };
    lower_inlined_uniforms::LowerInlinedUniforms { options };
    lower_logic_op::LowerLogicOp { options };
    lower_multiview::LowerMultiview { options };
    lower_nonseamless_cubes::LowerNonseamlessCubes { options };
    lower_point_size::LowerPointSize { options };
    lower_point_sprites::LowerPointSprites { options };
    lower_polygon_stipple::LowerPolygonStipple;
    lower_rasterizer_discard::LowerRasterizerDiscard;
    lower_sample_mask::LowerSampleMask;
    lower_sample_shading::LowerSampleShading;
    lower_shadow_compare::LowerShadowCompare { options };
    lower_two_sided_colors::LowerTwoSidedColors { options };
    lower_vertex_formats::LowerVertexFormats { options };
    lower_window_origin::LowerWindowOrigin { options };
    lower_xfb::LowerXfb { options };
    mesh_distances::MeshDistances { options };
    remove_distances::RemoveDistances;
    split_clip_distance_arrays::SplitClipDistanceArrays;
}
