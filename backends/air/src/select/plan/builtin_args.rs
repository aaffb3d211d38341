//! Built-in arguments: Metal's names, the stages that have them, and the system values that they hold.

use airfoil_ir::{Stage, SystemValue};

/// Element type of a built-in argument.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Elem {
    Uint,
    Float,
    Bool,
}

/// A built-in argument.
pub(crate) struct BuiltinArgInfo {
    /// Metadata word.
    pub(crate) word: &'static str,
    /// Words that follow it.
    pub(crate) extra: &'static [&'static str],
    /// Element type.
    pub(crate) elem: Elem,
    /// Most components.
    pub(crate) comps: u8,
    /// The stages that have it.
    pub(crate) stages: &'static [Stage],
    /// Name for `air.arg_name`.
    pub(crate) name: &'static str,
    /// Name in GLSL for Vulkan; empty if it has none.
    pub(crate) source: &'static str,
}

macro_rules! builtin_args {
    ($($variant:ident $word:literal [$($extra:literal)*] $elem:ident $comps:literal $stages:ident $name:literal $source:literal;)*) => {
        /// A built-in argument of the function, in the order of the arguments.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        #[repr(u8)]
        pub(crate) enum BuiltinArg { $($variant),* }

        impl BuiltinArg {
            /// All of them.
            pub(crate) const ALL: &'static [BuiltinArg] = &[$(BuiltinArg::$variant),*];
            /// How many there are.
            pub(crate) const COUNT: usize = BuiltinArg::ALL.len();

            /// The table row.
            pub(crate) fn info(self) -> &'static BuiltinArgInfo {
                const INFOS: &[BuiltinArgInfo] = &[$(BuiltinArgInfo {
                    word: $word, extra: &[$($extra),*], elem: Elem::$elem, comps: $comps, stages: $stages, name: $name,
                    source: $source,
                }),*];
                &INFOS[self as usize]
            }
        }
    };
}

const V: &[Stage] = &[Stage::Vertex];
const F: &[Stage] = &[Stage::Fragment];
const K: &[Stage] = &[Stage::Compute, Stage::Task, Stage::Mesh];
const T: &[Stage] = &[Stage::TessEval];
const FK: &[Stage] = &[Stage::Fragment, Stage::Compute, Stage::Task, Stage::Mesh];

builtin_args! {
    VertexId "air.vertex_id" [] Uint 1 V "vertex_id" "gl_VertexIndex";
    InstanceId "air.instance_id" [] Uint 1 V "instance_id" "gl_InstanceIndex";
    BaseVertex "air.base_vertex" [] Uint 1 V "base_vertex" "gl_BaseVertex";
    BaseInstance "air.base_instance" [] Uint 1 V "base_instance" "gl_BaseInstance";
    PatchId "air.patch_id" [] Uint 1 T "patch_id" "gl_PrimitiveID";
    PositionInPatch "air.position_in_patch" [] Float 3 T "position_in_patch" "gl_TessCoord";
    Position "air.position" ["air.center" "air.no_perspective"] Float 4 F "position" "gl_FragCoord";
    FrontFacing "air.front_facing" [] Bool 1 F "front_facing" "gl_FrontFacing";
    PointCoord "air.point_coord" [] Float 2 F "point_coord" "gl_PointCoord";
    SampleId "air.sample_id" [] Uint 1 F "sample_id" "gl_SampleID";
    SampleMaskIn "air.sample_mask_in" [] Uint 1 F "sample_mask" "gl_SampleMaskIn";
    PrimitiveId "air.primitive_id" [] Uint 1 F "primitive_id" "gl_PrimitiveID";
    Barycentric "air.barycentric_coord" ["air.center" "air.perspective"] Float 3 F "barycentric_coord" "gl_BaryCoordEXT";
    BarycentricLinear "air.barycentric_coord" ["air.center" "air.no_perspective"] Float 3 F "barycentric_coord_linear" "gl_BaryCoordNoPerspEXT";
    Layer "air.render_target_array_index" [] Uint 1 F "layer" "gl_Layer";
    Viewport "air.viewport_array_index" [] Uint 1 F "viewport" "gl_ViewportIndex";
    ThreadPositionInGrid "air.thread_position_in_grid" [] Uint 3 K "thread_position_in_grid" "gl_GlobalInvocationID";
    ThreadPositionInGroup "air.thread_position_in_threadgroup" [] Uint 3 K "thread_position_in_threadgroup" "gl_LocalInvocationID";
    GridOrigin "air.grid_origin" [] Uint 3 K "grid_origin" "";
    GridSize "air.grid_size" [] Uint 3 K "grid_size" "";
    GroupPosition "air.threadgroup_position_in_grid" [] Uint 3 K "threadgroup_position_in_grid" "gl_WorkGroupID";
    GroupsPerGrid "air.threadgroups_per_grid" [] Uint 3 K "threadgroups_per_grid" "gl_NumWorkGroups";
    ThreadsPerGroup "air.threads_per_threadgroup" [] Uint 3 K "threads_per_threadgroup" "gl_WorkGroupSize";
    ThreadIndexInGroup "air.thread_index_in_threadgroup" [] Uint 1 K "thread_index_in_threadgroup" "gl_LocalInvocationIndex";
    ThreadsPerSimdgroup "air.threads_per_simdgroup" [] Uint 1 FK "threads_per_simdgroup" "gl_SubgroupSize";
    ThreadIndexInSimdgroup "air.thread_index_in_simdgroup" [] Uint 1 FK "thread_index_in_simdgroup" "gl_SubgroupInvocationID";
    SimdgroupIndex "air.simdgroup_index_in_threadgroup" [] Uint 1 K "simdgroup_index_in_threadgroup" "gl_SubgroupID";
    SimdgroupsPerGroup "air.simdgroups_per_threadgroup" [] Uint 1 K "simdgroups_per_threadgroup" "gl_NumSubgroups";
}

impl BuiltinArg {
    /// Arguments from which a system value is computed. `true`: needs all components, whichever are read.
    pub(crate) fn of(sv: SystemValue) -> &'static [(BuiltinArg, bool)] {
        use BuiltinArg as R;
        use SystemValue as S;
        match sv {
            S::vertex_id => &[(R::VertexId, false)],
            S::vertex_id_zero_base => &[(R::VertexId, true), (R::BaseVertex, true)],
            S::instance_id => &[(R::InstanceId, true), (R::BaseInstance, true)],
            S::instance_index => &[(R::InstanceId, false)],
            S::base_vertex => &[(R::BaseVertex, false)],
            S::base_instance => &[(R::BaseInstance, false)],
            S::patch_id => &[(R::PatchId, false)],
            S::tess_coord => &[(R::PositionInPatch, true)],
            S::frag_coord => &[(R::Position, true)],
            S::front_face => &[(R::FrontFacing, false)],
            S::point_coord => &[(R::PointCoord, true)],
            S::sample_id | S::sample_pos => &[(R::SampleId, true)],
            S::sample_mask_in => &[(R::SampleMaskIn, false)],
            S::primitive_id => &[(R::PrimitiveId, false)],
            S::barycentric_coord => &[(R::Barycentric, true)],
            S::barycentric_coord_linear => &[(R::BarycentricLinear, true)],
            S::layer_id => &[(R::Layer, false)],
            S::viewport_id => &[(R::Viewport, false)],
            S::global_invocation_id => &[(R::ThreadPositionInGrid, false)],
            S::base_global_invocation_id => &[(R::GridOrigin, false)],
            S::global_size => &[(R::GridSize, false)],
            S::local_invocation_id => &[(R::ThreadPositionInGroup, false)],
            S::workgroup_id => &[(R::GroupPosition, false)],
            S::num_workgroups => &[(R::GroupsPerGrid, false)],
            S::workgroup_size => &[(R::ThreadsPerGroup, false)],
            S::local_invocation_index => &[(R::ThreadIndexInGroup, false)],
            S::subgroup_size => &[(R::ThreadsPerSimdgroup, false)],
            S::subgroup_id => &[(R::SimdgroupIndex, false)],
            S::num_subgroups => &[(R::SimdgroupsPerGroup, false)],
            S::subgroup_invocation
            | S::subgroup_eq_mask
            | S::subgroup_ge_mask
            | S::subgroup_gt_mask
            | S::subgroup_le_mask
            | S::subgroup_lt_mask => &[(R::ThreadIndexInSimdgroup, true)],
            _ => &[],
        }
    }
}
