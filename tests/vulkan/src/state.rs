//! Fixed functions by Vulkan's names.

use crate::error::{Res, unsupported};
use airfoil_interp::pipeline::{
    BlendOp, ClipDepth, ColorState, Factor, State, StencilFace, StencilOp, Topology,
};
use ash::vk;

/// How vertices form primitives; the number of vertices of a patch.
pub(crate) fn topology(topology: Topology) -> Res<(vk::PrimitiveTopology, u32)> {
    use vk::PrimitiveTopology as P;
    Ok(match topology {
        Topology::Points => (P::POINT_LIST, 0),
        Topology::Lines => (P::LINE_LIST, 0),
        Topology::LineStrip => (P::LINE_STRIP, 0),
        Topology::Triangles => (P::TRIANGLE_LIST, 0),
        Topology::TriangleStrip => (P::TRIANGLE_STRIP, 0),
        Topology::TriangleFan => (P::TRIANGLE_FAN, 0),
        Topology::LinesAdjacency => (P::LINE_LIST_WITH_ADJACENCY, 0),
        Topology::LineStripAdjacency => (P::LINE_STRIP_WITH_ADJACENCY, 0),
        Topology::TrianglesAdjacency => (P::TRIANGLE_LIST_WITH_ADJACENCY, 0),
        Topology::TriangleStripAdjacency => (P::TRIANGLE_STRIP_WITH_ADJACENCY, 0),
        Topology::Patches(n) => (P::PATCH_LIST, n),
        Topology::LineLoop | Topology::Quads | Topology::QuadStrip | Topology::Polygon => {
            return unsupported("primitives of OpenGL");
        }
    })
}

/// Fails for state that only OpenGL or an extension has.
pub(crate) fn check(state: &State) -> Res<()> {
    let is_vulkan = state.y_down
        && state.clip_depth == ClipDepth::ZeroToOne
        && state.clip_planes.iter().all(Option::is_none)
        && state.first_provokes;
    if !is_vulkan {
        return unsupported("state of OpenGL");
    }
    if state.depth_unrestricted || state.fill_rectangle {
        return unsupported("state of extensions");
    }
    Ok(())
}

fn operation(op: StencilOp) -> vk::StencilOp {
    match op {
        StencilOp::Keep => vk::StencilOp::KEEP,
        StencilOp::Zero => vk::StencilOp::ZERO,
        StencilOp::Replace => vk::StencilOp::REPLACE,
        StencilOp::IncrementClamp => vk::StencilOp::INCREMENT_AND_CLAMP,
        StencilOp::DecrementClamp => vk::StencilOp::DECREMENT_AND_CLAMP,
        StencilOp::Invert => vk::StencilOp::INVERT,
        StencilOp::IncrementWrap => vk::StencilOp::INCREMENT_AND_WRAP,
        StencilOp::DecrementWrap => vk::StencilOp::DECREMENT_AND_WRAP,
    }
}

fn face(face: &StencilFace) -> vk::StencilOpState {
    vk::StencilOpState {
        fail_op: operation(face.fail),
        pass_op: operation(face.pass),
        depth_fail_op: operation(face.depth_fail),
        compare_op: crate::sampler::compare(face.compare),
        compare_mask: face.read_mask.into(),
        write_mask: face.write_mask.into(),
        reference: face.reference.into(),
    }
}

/// Depth and stencil tests.
pub(crate) fn depth_stencil(state: &State) -> vk::PipelineDepthStencilStateCreateInfo<'static> {
    let mut info = vk::PipelineDepthStencilStateCreateInfo::default()
        .depth_test_enable(state.depth_test.is_some())
        .depth_write_enable(state.depth_write)
        .depth_compare_op(state.depth_test.map_or(vk::CompareOp::ALWAYS, crate::sampler::compare));
    if let Some([least, most]) = state.depth_bounds {
        info =
            info.depth_bounds_test_enable(true).min_depth_bounds(least as f32).max_depth_bounds(most as f32);
    }
    if let Some(stencil) = &state.stencil {
        info = info.stencil_test_enable(true).front(face(&stencil.front)).back(face(&stencil.back));
    }
    info
}

fn factor(factor: Factor) -> vk::BlendFactor {
    use vk::BlendFactor as B;
    match factor {
        Factor::Zero => B::ZERO,
        Factor::One => B::ONE,
        Factor::SourceColor => B::SRC_COLOR,
        Factor::OneMinusSourceColor => B::ONE_MINUS_SRC_COLOR,
        Factor::DestinationColor => B::DST_COLOR,
        Factor::OneMinusDestinationColor => B::ONE_MINUS_DST_COLOR,
        Factor::SourceAlpha => B::SRC_ALPHA,
        Factor::OneMinusSourceAlpha => B::ONE_MINUS_SRC_ALPHA,
        Factor::DestinationAlpha => B::DST_ALPHA,
        Factor::OneMinusDestinationAlpha => B::ONE_MINUS_DST_ALPHA,
        Factor::ConstantColor => B::CONSTANT_COLOR,
        Factor::OneMinusConstantColor => B::ONE_MINUS_CONSTANT_COLOR,
        Factor::ConstantAlpha => B::CONSTANT_ALPHA,
        Factor::OneMinusConstantAlpha => B::ONE_MINUS_CONSTANT_ALPHA,
        Factor::SourceAlphaSaturate => B::SRC_ALPHA_SATURATE,
        Factor::Source1Color => B::SRC1_COLOR,
        Factor::OneMinusSource1Color => B::ONE_MINUS_SRC1_COLOR,
        Factor::Source1Alpha => B::SRC1_ALPHA,
        Factor::OneMinusSource1Alpha => B::ONE_MINUS_SRC1_ALPHA,
    }
}

fn blend_op(op: BlendOp) -> vk::BlendOp {
    match op {
        BlendOp::Add => vk::BlendOp::ADD,
        BlendOp::Subtract => vk::BlendOp::SUBTRACT,
        BlendOp::ReverseSubtract => vk::BlendOp::REVERSE_SUBTRACT,
        BlendOp::Min => vk::BlendOp::MIN,
        BlendOp::Max => vk::BlendOp::MAX,
    }
}

/// How an attachment is written.
pub(crate) fn blend(state: ColorState) -> vk::PipelineColorBlendAttachmentState {
    let mut info = vk::PipelineColorBlendAttachmentState::default()
        .color_write_mask(vk::ColorComponentFlags::from_raw(state.write_mask.into()));
    if let Some(blend) = state.blend {
        info = info
            .blend_enable(true)
            .src_color_blend_factor(factor(blend.color.source))
            .dst_color_blend_factor(factor(blend.color.destination))
            .color_blend_op(blend_op(blend.color.op))
            .src_alpha_blend_factor(factor(blend.alpha.source))
            .dst_alpha_blend_factor(factor(blend.alpha.destination))
            .alpha_blend_op(blend_op(blend.alpha.op));
    }
    info
}

/// Rasterization.
pub(crate) fn rasterization(state: &State) -> vk::PipelineRasterizationStateCreateInfo<'static> {
    let mut cull = vk::CullModeFlags::NONE;
    if state.cull_front {
        cull |= vk::CullModeFlags::FRONT;
    }
    if state.cull_back {
        cull |= vk::CullModeFlags::BACK;
    }
    let clockwise = state.front_clockwise;
    let mut info = vk::PipelineRasterizationStateCreateInfo::default()
        .depth_clamp_enable(state.depth_clamp)
        .polygon_mode(vk::PolygonMode::FILL)
        .cull_mode(cull)
        .front_face(if clockwise { vk::FrontFace::CLOCKWISE } else { vk::FrontFace::COUNTER_CLOCKWISE })
        .line_width(1.0);
    if let Some(bias) = state.depth_bias {
        info = info
            .depth_bias_enable(true)
            .depth_bias_constant_factor(bias.constant as f32)
            .depth_bias_clamp(bias.clamp as f32)
            .depth_bias_slope_factor(bias.slope as f32);
    }
    info
}
