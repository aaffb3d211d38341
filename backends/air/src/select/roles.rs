//! Built-in arguments: what Metal calls them, which stage has them, and which system values they give.

use airfoil_ir::{Stage, SystemValue};

/// Element type of a built-in argument.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Elem {
    Uint,
    Float,
    Bool,
}

/// A built-in argument.
pub(super) struct RoleInfo {
    /// Metadata word.
    pub(super) word: &'static str,
    /// Words behind it.
    pub(super) extra: &'static [&'static str],
    /// Element type.
    pub(super) elem: Elem,
    /// Most components.
    pub(super) comps: u8,
    /// The stages that have it.
    pub(super) stages: &'static [Stage],
    /// Name for `air.arg_name`.
    pub(super) name: &'static str,
}

macro_rules! roles {
    ($($role:ident $word:literal [$($extra:literal)*] $elem:ident $comps:literal $stages:ident $name:literal;)*) => {
        /// A built-in argument of the function, in the order of the arguments.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        #[repr(u8)]
        pub(super) enum Role { $($role),* }

        impl Role {
            /// All of them.
            pub(super) const ALL: &'static [Role] = &[$(Role::$role),*];
            /// How many there are.
            pub(super) const COUNT: usize = Role::ALL.len();

            /// The table row.
            pub(super) fn info(self) -> &'static RoleInfo {
                const INFOS: &[RoleInfo] = &[$(RoleInfo {
                    word: $word, extra: &[$($extra),*], elem: Elem::$elem, comps: $comps, stages: $stages, name: $name,
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

roles! {
    VertexId "air.vertex_id" [] Uint 1 V "vertex_id";
    InstanceId "air.instance_id" [] Uint 1 V "instance_id";
    BaseVertex "air.base_vertex" [] Uint 1 V "base_vertex";
    BaseInstance "air.base_instance" [] Uint 1 V "base_instance";
    PatchId "air.patch_id" [] Uint 1 T "patch_id";
    PositionInPatch "air.position_in_patch" [] Float 3 T "position_in_patch";
    Position "air.position" ["air.center" "air.no_perspective"] Float 4 F "position";
    FrontFacing "air.front_facing" [] Bool 1 F "front_facing";
    PointCoord "air.point_coord" [] Float 2 F "point_coord";
    SampleId "air.sample_id" [] Uint 1 F "sample_id";
    SampleMaskIn "air.sample_mask_in" [] Uint 1 F "sample_mask";
    PrimitiveId "air.primitive_id" [] Uint 1 F "primitive_id";
    Barycentric "air.barycentric_coord" ["air.center" "air.perspective"] Float 3 F "barycentric_coord";
    BarycentricLinear "air.barycentric_coord" ["air.center" "air.no_perspective"] Float 3 F "barycentric_coord_linear";
    Layer "air.render_target_array_index" [] Uint 1 F "layer";
    Viewport "air.viewport_array_index" [] Uint 1 F "viewport";
    ThreadPositionInGrid "air.thread_position_in_grid" [] Uint 3 K "thread_position_in_grid";
    ThreadPositionInGroup "air.thread_position_in_threadgroup" [] Uint 3 K "thread_position_in_threadgroup";
    GridOrigin "air.grid_origin" [] Uint 3 K "grid_origin";
    GridSize "air.grid_size" [] Uint 3 K "grid_size";
    GroupPosition "air.threadgroup_position_in_grid" [] Uint 3 K "threadgroup_position_in_grid";
    GroupsPerGrid "air.threadgroups_per_grid" [] Uint 3 K "threadgroups_per_grid";
    ThreadsPerGroup "air.threads_per_threadgroup" [] Uint 3 K "threads_per_threadgroup";
    ThreadIndexInGroup "air.thread_index_in_threadgroup" [] Uint 1 K "thread_index_in_threadgroup";
    ThreadsPerSimdgroup "air.threads_per_simdgroup" [] Uint 1 FK "threads_per_simdgroup";
    ThreadIndexInSimdgroup "air.thread_index_in_simdgroup" [] Uint 1 FK "thread_index_in_simdgroup";
    SimdgroupIndex "air.simdgroup_index_in_threadgroup" [] Uint 1 K "simdgroup_index_in_threadgroup";
    SimdgroupsPerGroup "air.simdgroups_per_threadgroup" [] Uint 1 K "simdgroups_per_threadgroup";
}

impl Role {
    /// Arguments that a system value is made of. `true`: needs all components, whatever is read of the value.
    pub(super) fn of(sv: SystemValue) -> &'static [(Role, bool)] {
        use Role as R;
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
