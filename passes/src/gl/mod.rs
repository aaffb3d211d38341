//! Passes that adapt a shader to API conventions and state: distances, clip space, points, feedback.

crate::registry::passes! {
    "API conventions": "Passes that adapt a shader to API conventions and state: distances, clip space, points, feedback.";
    clip_distances_from_varyings::ClipDistancesFromVaryings { options };
    clip_distances_to_discard::ClipDistancesToDiscard { options };
    clip_distances_to_locations::ClipDistancesToLocations { options };
    clip_distances_to_position::ClipDistancesToPosition { options };
    clip_distances_to_varyings::ClipDistancesToVaryings { options };
    cull_distances_to_discard::CullDistancesToDiscard { options };
    cull_distances_to_varyings::CullDistancesToVaryings { options };
    emulate_distances::EmulateDistances { program };
    lower_clip_disable::LowerClipDisable { options };
    lower_clip_distance_arrays::LowerClipDistanceArrays;
    lower_clip_space::LowerClipSpace { options };
    lower_clip_vertex::LowerClipVertex { options };
    lower_distances::LowerDistances { program };
    lower_draw_parameters::LowerDrawParameters { options };
    lower_frag_color::LowerFragColor { options };
    lower_point_size::LowerPointSize { options };
    lower_window_origin::LowerWindowOrigin { options };
    lower_xfb::LowerXfb { options };
    mesh_distances::MeshDistances { options };
    remove_distances::RemoveDistances;
    split_clip_distance_arrays::SplitClipDistanceArrays;
}
