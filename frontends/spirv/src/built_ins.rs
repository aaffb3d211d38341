//! Built-in inputs and outputs: the system value or slot of each, the stages that have it, and its type (Vulkan, chapter
//! Interfaces, section "Built-In Variables").

use airfoil_ir::intrinsic::Stages;
use airfoil_ir::*;
use spirv::BuiltIn;

/// Where a built-in lives.
pub(crate) enum Home {
    System(SystemValue),
    Slot(Slot),
}

/// Home of a built-in input or output of a stage.
pub(crate) fn home_of(builtin: BuiltIn, stage: Stage, input: bool) -> Option<Home> {
    use BuiltIn as B;
    use SystemValue as S;
    let legal = |sv: SystemValue| input && sv.load_op().stages().contains(stage.into());
    let system = |sv| legal(sv).then_some(Home::System(sv));
    let fragment_input = input && stage == Stage::Fragment;
    let slot = |slot| slot_stages(slot, input).contains(stage.into()).then_some(Home::Slot(slot));
    match builtin {
        B::Position => slot(Slot::POSITION),
        B::PointSize => slot(Slot::POINT_SIZE),
        B::ClipDistance => slot(Slot::CLIP_DIST0),
        B::CullDistance => slot(Slot::CULL_DIST0),
        B::PrimitiveId if input => system(S::primitive_id),
        B::PrimitiveId => slot(Slot::PRIMITIVE_ID),
        B::Layer if fragment_input => system(S::layer_id),
        B::Layer => slot(Slot::LAYER),
        B::ViewportIndex if fragment_input => system(S::viewport_id),
        B::ViewportIndex => slot(Slot::VIEWPORT),
        B::TessLevelOuter => slot(Slot::TESS_LEVEL_OUTER),
        B::TessLevelInner => slot(Slot::TESS_LEVEL_INNER),
        B::FragDepth => slot(Slot::DEPTH),
        B::FragStencilRefEXT => slot(Slot::STENCIL),
        B::SampleMask if !input => slot(Slot::SAMPLE_MASK),
        B::PrimitiveShadingRateKHR => slot(Slot::SHADING_RATE),
        B::PrimitivePointIndicesEXT | B::PrimitiveLineIndicesEXT | B::PrimitiveTriangleIndicesEXT => {
            slot(Slot::PRIMITIVE_INDICES)
        }
        B::CullPrimitiveEXT => slot(Slot::CULL_PRIMITIVE),
        B::SampleMask => system(S::sample_mask_in),
        B::VertexId | B::VertexIndex => system(S::vertex_id),
        B::InstanceId => system(S::instance_id),
        B::InstanceIndex => system(S::instance_index),
        B::BaseVertex => system(S::base_vertex),
        B::BaseInstance => system(S::base_instance),
        B::DrawIndex => system(S::draw_id),
        B::InvocationId => system(S::invocation_id),
        B::TessCoord => system(S::tess_coord),
        B::PatchVertices => system(S::patch_vertices_in),
        B::FragCoord => system(S::frag_coord),
        B::PointCoord => system(S::point_coord),
        B::FrontFacing => system(S::front_face),
        B::SampleId => system(S::sample_id),
        B::SamplePosition => system(S::sample_pos),
        B::HelperInvocation => system(S::helper_invocation),
        B::BaryCoordKHR => system(S::barycentric_coord),
        B::BaryCoordNoPerspKHR => system(S::barycentric_coord_linear),
        B::NumWorkgroups => system(S::num_workgroups),
        B::WorkgroupSize => system(S::workgroup_size),
        B::WorkgroupId => system(S::workgroup_id),
        B::LocalInvocationId => system(S::local_invocation_id),
        B::LocalInvocationIndex => system(S::local_invocation_index),
        B::GlobalInvocationId => system(S::global_invocation_id),
        B::SubgroupSize => system(S::subgroup_size),
        B::NumSubgroups => system(S::num_subgroups),
        B::SubgroupId => system(S::subgroup_id),
        B::SubgroupLocalInvocationId => system(S::subgroup_invocation),
        B::SubgroupEqMask => system(S::subgroup_eq_mask),
        B::SubgroupGeMask => system(S::subgroup_ge_mask),
        B::SubgroupGtMask => system(S::subgroup_gt_mask),
        B::SubgroupLeMask => system(S::subgroup_le_mask),
        B::SubgroupLtMask => system(S::subgroup_lt_mask),
        B::DeviceIndex => system(S::device_index),
        B::ViewIndex => system(S::view_index),
        _ => None,
    }
}

/// The stages with a built-in input or output in this slot.
fn slot_stages(slot: Slot, input: bool) -> Stages {
    const BEFORE: Stages = Stages::TESS_CONTROL.union(Stages::TESS_EVAL).union(Stages::GEOMETRY);
    const LAST: Stages = Stages::VERTEX.union(Stages::TESS_EVAL).union(Stages::GEOMETRY).union(Stages::MESH);
    match (slot, input) {
        (Slot::POSITION | Slot::POINT_SIZE, true) => BEFORE,
        (Slot::CLIP_DIST0 | Slot::CULL_DIST0, true) => BEFORE.union(Stages::FRAGMENT),
        (Slot::TESS_LEVEL_OUTER | Slot::TESS_LEVEL_INNER, true) => Stages::TESS_EVAL,
        (_, true) => Stages::empty(),
        (Slot::POSITION | Slot::POINT_SIZE | Slot::CLIP_DIST0 | Slot::CULL_DIST0, false) => {
            LAST.union(Stages::TESS_CONTROL)
        }
        (Slot::LAYER | Slot::VIEWPORT | Slot::SHADING_RATE, false) => LAST,
        (Slot::PRIMITIVE_ID, false) => Stages::GEOMETRY.union(Stages::MESH),
        (Slot::TESS_LEVEL_OUTER | Slot::TESS_LEVEL_INNER, false) => Stages::TESS_CONTROL,
        (Slot::DEPTH | Slot::STENCIL | Slot::SAMPLE_MASK, false) => Stages::FRAGMENT,
        (_, false) => Stages::MESH,
    }
}

/// Whether a built-in in this slot may have a type; the array of the vertices around it does not count.
pub(crate) fn slot_matches(slot: Slot, types: &Types, ty: TypeId) -> bool {
    let (array, value) = match types[ty] {
        Type::Array { elem, .. } => (true, elem),
        _ => (false, ty),
    };
    let Type::Vector { scalar, comps } = types[value] else { return false };
    let float = comps == 1 && scalar == Scalar::Float32;
    let integer = comps == 1 && matches!(scalar, Scalar::Int32 | Scalar::Uint32);
    match slot {
        Slot::POSITION => !array && comps == 4 && scalar == Scalar::Float32,
        Slot::POINT_SIZE | Slot::DEPTH => !array && float,
        Slot::CLIP_DIST0 | Slot::CULL_DIST0 | Slot::TESS_LEVEL_OUTER | Slot::TESS_LEVEL_INNER => {
            array && float
        }
        Slot::SAMPLE_MASK => integer,
        Slot::STENCIL => !array && integer,
        // Mesh shaders have one per primitive.
        Slot::LAYER | Slot::VIEWPORT | Slot::PRIMITIVE_ID | Slot::SHADING_RATE => integer,
        _ => true,
    }
}
