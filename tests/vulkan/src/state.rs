//! Fixed functions by Vulkan's names.

use crate::error::{Res, unsupported};
use crate::features::Extensions;
use airfoil_interp::pipeline::{
    BlendOp, ClipDepth, ColorState, Draw, Factor, State, StencilFace, StencilOp, Topology,
};
use ash::vk;

/// How vertices form primitives in Vulkan. Topologies that only OpenGL has become lists, with the same last vertex per primitive.
pub(crate) struct Assembly {
    pub topology: vk::PrimitiveTopology,
    /// Number of vertices of a patch.
    pub patch: u32,
    /// Positions of the vertices in the stream; all in order if it is empty.
    pub indices: Option<Vec<u32>>,
}

/// How the vertices of a draw form primitives.
pub(crate) fn assembly(draw: &Draw<'_>) -> Res<Assembly> {
    use vk::PrimitiveTopology as P;
    let stream = || draw.indices.map_or_else(|| (0..draw.vertices.len() as u32).collect(), <[u32]>::to_vec);
    let list = |topology, indices: Vec<u32>| Ok(Assembly { topology, patch: 0, indices: Some(indices) });
    match draw.topology {
        Topology::LineLoop => {
            let mut all: Vec<u32> = stream();
            all.extend(all.first().copied());
            list(P::LINE_STRIP, all)
        }
        Topology::Quads => {
            let quads = stream();
            list(
                P::TRIANGLE_LIST,
                quads.chunks_exact(4).flat_map(|q| [q[0], q[1], q[3], q[1], q[2], q[3]]).collect(),
            )
        }
        Topology::QuadStrip => {
            let strip = stream();
            let quads = strip.windows(4).step_by(2);
            list(P::TRIANGLE_LIST, quads.flat_map(|q| [q[0], q[1], q[3], q[2], q[0], q[3]]).collect())
        }
        // The first vertex of a polygon provokes.
        Topology::Polygon => {
            let polygon = stream();
            let Some((&first, rest)) = polygon.split_first() else {
                return list(P::TRIANGLE_LIST, Vec::new());
            };
            list(P::TRIANGLE_LIST, rest.windows(2).flat_map(|edge| [edge[0], edge[1], first]).collect())
        }
        other => {
            let (topology, patch) = topology(other)?;
            Ok(Assembly { topology, patch, indices: draw.indices.map(<[u32]>::to_vec) })
        }
    }
}

/// Vulkan's topology; the number of vertices of a patch.
fn topology(topology: Topology) -> Res<(vk::PrimitiveTopology, u32)> {
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

/// Fails for state that only OpenGL has, or an extension that the device lacks.
pub(crate) fn check(state: &State, extensions: Extensions) -> Res<()> {
    if state.clip_planes.iter().any(Option::is_some) {
        return unsupported("user clip planes");
    }
    if state.two_sided || state.flat_colors {
        return unsupported("two-sided or flat colors of the compatibility profile");
    }
    if state.clip_depth == ClipDepth::MinusOneToOne && !extensions.depth_clip_control {
        return unsupported("the clip space of OpenGL");
    }
    if !state.first_provokes && !extensions.provoking_vertex {
        return unsupported("the last vertex as the provoking one");
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
    // Rows are those of the target in either direction of y, so that OpenGL's faces are mirrored.
    let clockwise = state.front_clockwise == state.y_down;
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
