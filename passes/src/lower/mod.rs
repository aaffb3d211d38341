//! Passes that lower operations to simpler ones: functions, I/O, textures, atomics, types.

crate::registry::passes! {
    "Lowering": "Passes that lower operations to simpler ones: functions, I/O, textures, atomics, types.";
    gather_info::GatherInfo;
    inline_functions::InlineFunctions;
    lower_1d_textures::Lower1dTextures { options };
    lower_64bit_io::Lower64bitIo;
    lower_atomics::LowerAtomics;
    lower_compute_derivatives::LowerComputeDerivatives;
    lower_conversions::LowerConversions;
    lower_doubles::LowerDoubles;
    lower_image_atomics::LowerImageAtomics;
    lower_input_attachments::LowerInputAttachments;
    lower_io::LowerIo;
    lower_returns::LowerReturns;
    lower_robust_access::LowerRobustAccess { options };
    lower_robust_images::LowerRobustImages;
    lower_subgroups::LowerSubgroups;
    lower_system_values::LowerSystemValues;
    lower_tex_projector::LowerTexProjector;
    lower_tex_rect::LowerTexRect;
    lower_tg4_offsets::LowerTg4Offsets;
    propagate_invariant::PropagateInvariant;
}
