//! Built-in variables of SPIR-V for system values and slots.

use crate::errors::*;
use crate::module::Module;
use crate::requirements::DRAW_PARAMETERS;
use airfoil_ir::{Slot, Stage, SystemValue};
use spirv::{BuiltIn, Capability};

/// The built-in of a system value.
pub(crate) fn of_system_value(m: &mut Module, value: SystemValue, stage: Stage) -> Res<BuiltIn> {
    use BuiltIn as B;
    use Capability as C;
    use SystemValue as S;
    let vulkan = m.target().is_vulkan();
    let (built_in, capability) = match value {
        S::vertex_id if vulkan => (B::VertexIndex, None),
        S::vertex_id => (B::VertexId, None),
        S::instance_index if vulkan => (B::InstanceIndex, None),
        S::instance_id if !vulkan => (B::InstanceId, None),
        S::base_vertex => (B::BaseVertex, Some(C::DrawParameters)),
        S::base_instance => (B::BaseInstance, Some(C::DrawParameters)),
        S::draw_id => {
            if matches!(stage, Stage::Task | Stage::Mesh) {
                m.extension(DRAW_PARAMETERS);
            }
            (B::DrawIndex, Some(C::DrawParameters))
        }
        S::frag_coord => (B::FragCoord, None),
        S::front_face => (B::FrontFacing, None),
        S::point_coord => (B::PointCoord, None),
        S::sample_id => (B::SampleId, Some(C::SampleRateShading)),
        S::sample_pos => (B::SamplePosition, Some(C::SampleRateShading)),
        S::sample_mask_in => (B::SampleMask, None),
        S::helper_invocation => (B::HelperInvocation, None),
        S::barycentric_coord => (B::BaryCoordKHR, Some(C::FragmentBarycentricKHR)),
        S::barycentric_coord_linear => (B::BaryCoordNoPerspKHR, Some(C::FragmentBarycentricKHR)),
        S::primitive_id => (B::PrimitiveId, (stage == Stage::Fragment).then_some(C::Geometry)),
        S::invocation_id => (B::InvocationId, None),
        S::patch_vertices_in => (B::PatchVertices, None),
        S::tess_coord => (B::TessCoord, None),
        S::layer_id => (B::Layer, Some(C::Geometry)),
        S::viewport_id => (B::ViewportIndex, Some(C::MultiViewport)),
        S::view_index => (B::ViewIndex, Some(C::MultiView)),
        S::device_index => (B::DeviceIndex, Some(C::DeviceGroup)),
        S::local_invocation_id => (B::LocalInvocationId, None),
        S::local_invocation_index => (B::LocalInvocationIndex, None),
        S::workgroup_id => (B::WorkgroupId, None),
        S::num_workgroups => (B::NumWorkgroups, None),
        S::global_invocation_id => (B::GlobalInvocationId, None),
        S::subgroup_size => (B::SubgroupSize, Some(C::GroupNonUniform)),
        S::subgroup_invocation => (B::SubgroupLocalInvocationId, Some(C::GroupNonUniform)),
        S::subgroup_id => (B::SubgroupId, Some(C::GroupNonUniform)),
        S::num_subgroups => (B::NumSubgroups, Some(C::GroupNonUniform)),
        S::subgroup_eq_mask => (B::SubgroupEqMask, Some(C::GroupNonUniformBallot)),
        S::subgroup_ge_mask => (B::SubgroupGeMask, Some(C::GroupNonUniformBallot)),
        S::subgroup_gt_mask => (B::SubgroupGtMask, Some(C::GroupNonUniformBallot)),
        S::subgroup_le_mask => (B::SubgroupLeMask, Some(C::GroupNonUniformBallot)),
        S::subgroup_lt_mask => (B::SubgroupLtMask, Some(C::GroupNonUniformBallot)),
        S::instance_index
        | S::instance_id
        | S::vertex_id_zero_base
        | S::patch_id
        | S::tess_level_outer
        | S::tess_level_inner
        | S::workgroup_size
        | S::base_global_invocation_id
        | S::global_size => {
            return fail(
                INTERFACE,
                format!("the system value `{}` is not supported on {}", value.name(), m.target()),
            );
        }
    };
    if let Some(capability) = capability {
        m.require(capability)?;
    }
    Ok(built_in)
}

/// The built-in input or output in a slot.
pub(crate) fn of_slot(m: &mut Module, slot: Slot, stage: Stage, input: bool) -> Res<BuiltIn> {
    use BuiltIn as B;
    use Capability as C;
    // Geometry shaders have layers and viewports by their own capabilities; the stages before them by later ones.
    let layered = |own: Capability, core: Capability, has: bool| match stage {
        Stage::Geometry | Stage::Fragment | Stage::Mesh => own,
        _ if has => core,
        _ => C::ShaderViewportIndexLayerEXT,
    };
    let core = m.target().has(5);
    let (built_in, capability) = match slot {
        Slot::POSITION => (B::Position, None),
        Slot::POINT_SIZE => {
            let capability = match stage {
                Stage::TessControl | Stage::TessEval => Some(C::TessellationPointSize),
                Stage::Geometry => Some(C::GeometryPointSize),
                _ => None,
            };
            (B::PointSize, capability)
        }
        Slot::CLIP_DIST0 => (B::ClipDistance, Some(C::ClipDistance)),
        Slot::CULL_DIST0 => (B::CullDistance, Some(C::CullDistance)),
        Slot::PRIMITIVE_ID => (B::PrimitiveId, None),
        Slot::LAYER if stage == Stage::Mesh => (B::Layer, None),
        Slot::VIEWPORT if stage == Stage::Mesh => (B::ViewportIndex, Some(C::MultiViewport)),
        Slot::LAYER => (B::Layer, Some(layered(C::Geometry, C::ShaderLayer, core))),
        Slot::VIEWPORT => (B::ViewportIndex, Some(layered(C::MultiViewport, C::ShaderViewportIndex, core))),
        Slot::TESS_LEVEL_OUTER => (B::TessLevelOuter, None),
        Slot::TESS_LEVEL_INNER => (B::TessLevelInner, None),
        Slot::DEPTH => (B::FragDepth, None),
        Slot::STENCIL => (B::FragStencilRefEXT, Some(C::StencilExportEXT)),
        Slot::SAMPLE_MASK => (B::SampleMask, None),
        Slot::SHADING_RATE => (B::PrimitiveShadingRateKHR, Some(C::FragmentShadingRateKHR)),
        Slot::CULL_PRIMITIVE => (B::CullPrimitiveEXT, None),
        _ => {
            let way = if input { "input" } else { "output" };
            return fail(INTERFACE, format!("the {way} `{slot}` is not supported in SPIR-V"));
        }
    };
    if let Some(capability) = capability {
        m.require(capability)?;
    }
    Ok(built_in)
}
