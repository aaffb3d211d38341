//! Identities of built-in variables, and their storage in the IR.

use airfoil_ir::{Slot, Stage, SystemValue};

macro_rules! builtin_vars {
    ($( $var:ident = $name:literal, )+) => {
        /// A built-in variable. Names that mean the same (`gl_FragDepth`, `gl_FragDepthEXT`) share one.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum BuiltinVar {
            $( #[doc = concat!("`", $name, "`.")] $var, )+
        }

        impl BuiltinVar {
            /// Its name, the one in the language proper rather than an extension's.
            pub const fn name(self) -> &'static str {
                match self { $( BuiltinVar::$var => $name, )+ }
            }

            /// All of them.
            pub const ALL: &'static [BuiltinVar] = &[$( BuiltinVar::$var, )+];
        }
    };
}

builtin_vars! {
    // ---- between stages ----
    Position = "gl_Position", PointSize = "gl_PointSize", ClipDistance = "gl_ClipDistance", CullDistance = "gl_CullDistance",
    ClipVertex = "gl_ClipVertex", FrontColor = "gl_FrontColor", BackColor = "gl_BackColor",
    FrontSecondaryColor = "gl_FrontSecondaryColor", BackSecondaryColor = "gl_BackSecondaryColor", TexCoord = "gl_TexCoord",
    FogFragCoord = "gl_FogFragCoord", Layer = "gl_Layer", ViewportIndex = "gl_ViewportIndex", PrimitiveId = "gl_PrimitiveID",
    PrimitiveIdIn = "gl_PrimitiveIDIn", In = "gl_in", Out = "gl_out", TessLevelOuter = "gl_TessLevelOuter",
    TessLevelInner = "gl_TessLevelInner", BoundingBox = "gl_BoundingBox",
    // ---- inputs of the vertex stage ----
    VertexId = "gl_VertexID", InstanceId = "gl_InstanceID", VertexIndex = "gl_VertexIndex", InstanceIndex = "gl_InstanceIndex",
    BaseVertex = "gl_BaseVertex", BaseInstance = "gl_BaseInstance", DrawId = "gl_DrawID", Vertex = "gl_Vertex", Normal = "gl_Normal",
    Color = "gl_Color", SecondaryColor = "gl_SecondaryColor", FogCoord = "gl_FogCoord", MultiTexCoord0 = "gl_MultiTexCoord0",
    MultiTexCoord1 = "gl_MultiTexCoord1", MultiTexCoord2 = "gl_MultiTexCoord2", MultiTexCoord3 = "gl_MultiTexCoord3",
    MultiTexCoord4 = "gl_MultiTexCoord4", MultiTexCoord5 = "gl_MultiTexCoord5", MultiTexCoord6 = "gl_MultiTexCoord6",
    MultiTexCoord7 = "gl_MultiTexCoord7",
    // ---- tessellation and geometry ----
    PatchVerticesIn = "gl_PatchVerticesIn", InvocationId = "gl_InvocationID", TessCoord = "gl_TessCoord",
    // ---- fragments ----
    FragCoord = "gl_FragCoord", FrontFacing = "gl_FrontFacing", PointCoord = "gl_PointCoord", SampleId = "gl_SampleID",
    SamplePosition = "gl_SamplePosition", SampleMaskIn = "gl_SampleMaskIn", HelperInvocation = "gl_HelperInvocation",
    BaryCoord = "gl_BaryCoordEXT", BaryCoordNoPersp = "gl_BaryCoordNoPerspEXT", FragColor = "gl_FragColor", FragData = "gl_FragData",
    SecondaryFragColor = "gl_SecondaryFragColorEXT", SecondaryFragData = "gl_SecondaryFragDataEXT", FragDepth = "gl_FragDepth",
    FragStencilRef = "gl_FragStencilRefARB", SampleMask = "gl_SampleMask", LastFragData = "gl_LastFragData",
    LastFragColor = "gl_LastFragColorARM",
    // ---- compute ----
    NumWorkGroups = "gl_NumWorkGroups", WorkGroupSize = "gl_WorkGroupSize", LocalGroupSize = "gl_LocalGroupSizeARB",
    WorkGroupId = "gl_WorkGroupID", LocalInvocationId = "gl_LocalInvocationID", GlobalInvocationId = "gl_GlobalInvocationID",
    LocalInvocationIndex = "gl_LocalInvocationIndex",
    // ---- subgroups; the masks of 64 bits are those of GL_ARB_shader_ballot ----
    NumSubgroups = "gl_NumSubgroups", SubgroupId = "gl_SubgroupID", SubgroupSize = "gl_SubgroupSize",
    SubgroupInvocationId = "gl_SubgroupInvocationID", SubgroupEqMask = "gl_SubgroupEqMask", SubgroupGeMask = "gl_SubgroupGeMask",
    SubgroupGtMask = "gl_SubgroupGtMask", SubgroupLeMask = "gl_SubgroupLeMask", SubgroupLtMask = "gl_SubgroupLtMask",
    SubgroupEqMask64 = "gl_SubGroupEqMaskARB", SubgroupGeMask64 = "gl_SubGroupGeMaskARB", SubgroupGtMask64 = "gl_SubGroupGtMaskARB",
    SubgroupLeMask64 = "gl_SubGroupLeMaskARB", SubgroupLtMask64 = "gl_SubGroupLtMaskARB",
    // ---- any stage ----
    DeviceIndex = "gl_DeviceIndex", ViewIndex = "gl_ViewIndex",
    // ---- uniforms that hold state ----
    DepthRange = "gl_DepthRange", NumSamples = "gl_NumSamples", ModelViewMatrix = "gl_ModelViewMatrix",
    ProjectionMatrix = "gl_ProjectionMatrix", ModelViewProjectionMatrix = "gl_ModelViewProjectionMatrix",
    TextureMatrix = "gl_TextureMatrix", NormalMatrix = "gl_NormalMatrix", ModelViewMatrixInverse = "gl_ModelViewMatrixInverse",
    ProjectionMatrixInverse = "gl_ProjectionMatrixInverse", ModelViewProjectionMatrixInverse = "gl_ModelViewProjectionMatrixInverse",
    TextureMatrixInverse = "gl_TextureMatrixInverse", ModelViewMatrixTranspose = "gl_ModelViewMatrixTranspose",
    ProjectionMatrixTranspose = "gl_ProjectionMatrixTranspose",
    ModelViewProjectionMatrixTranspose = "gl_ModelViewProjectionMatrixTranspose", TextureMatrixTranspose = "gl_TextureMatrixTranspose",
    ModelViewMatrixInverseTranspose = "gl_ModelViewMatrixInverseTranspose",
    ProjectionMatrixInverseTranspose = "gl_ProjectionMatrixInverseTranspose",
    ModelViewProjectionMatrixInverseTranspose = "gl_ModelViewProjectionMatrixInverseTranspose",
    TextureMatrixInverseTranspose = "gl_TextureMatrixInverseTranspose", NormalScale = "gl_NormalScale", ClipPlane = "gl_ClipPlane",
    Point = "gl_Point", FrontMaterial = "gl_FrontMaterial", BackMaterial = "gl_BackMaterial", LightSource = "gl_LightSource",
    LightModel = "gl_LightModel", FrontLightModelProduct = "gl_FrontLightModelProduct",
    BackLightModelProduct = "gl_BackLightModelProduct", FrontLightProduct = "gl_FrontLightProduct",
    BackLightProduct = "gl_BackLightProduct", TextureEnvColor = "gl_TextureEnvColor", EyePlaneS = "gl_EyePlaneS",
    EyePlaneT = "gl_EyePlaneT", EyePlaneR = "gl_EyePlaneR", EyePlaneQ = "gl_EyePlaneQ", ObjectPlaneS = "gl_ObjectPlaneS",
    ObjectPlaneT = "gl_ObjectPlaneT", ObjectPlaneR = "gl_ObjectPlaneR", ObjectPlaneQ = "gl_ObjectPlaneQ", Fog = "gl_Fog",
}

/// Where a built-in variable lives in the IR.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BuiltinIo {
    /// Input or output.
    Slot(Slot),
    /// Input that no stage writes. The type may differ in sign from [`SystemValue::ty`]; `gl_SampleMaskIn` is an array of one `int` in the
    /// language, the `...Mask64` variables are the low two words as a `uint64_t`.
    System(SystemValue),
    /// Built-in uniform: a member of the default uniform block.
    State,
    /// `gl_in` or `gl_out`: for the members see [`crate::types::Field::builtin`].
    Block,
    /// Framebuffer fetch: the colour in the framebuffer before the fragment, all attachments (`LastFragData`) or the first one
    /// (`LastFragColor`).
    Fetch,
}

impl BuiltinVar {
    /// Storage of the variable in a stage.
    pub fn io(self, stage: Stage) -> BuiltinIo {
        use BuiltinVar as V;
        use SystemValue as S;
        let slot = BuiltinIo::Slot;
        let system = BuiltinIo::System;
        // The numbers by which NV_vertex_program and most drivers alias fixed-function attributes with generic ones.
        let attribute = |n: u8| BuiltinIo::Slot(Slot(Slot::GENERIC + n));
        let vertex = stage == Stage::Vertex;
        let fragment = stage == Stage::Fragment;
        match self {
            V::Position => slot(Slot::POSITION),
            V::PointSize => slot(Slot::POINT_SIZE),
            V::ClipDistance => slot(Slot::CLIP_DIST0),
            V::CullDistance => slot(Slot::CULL_DIST0),
            V::ClipVertex => slot(Slot::CLIP_VERTEX),
            V::FrontColor => slot(Slot::COLOR0),
            V::FrontSecondaryColor => slot(Slot::COLOR1),
            V::BackColor => slot(Slot::BACK_COLOR0),
            V::BackSecondaryColor => slot(Slot::BACK_COLOR1),
            V::TexCoord => slot(Slot::TEX0),
            V::FogFragCoord => slot(Slot::FOG),
            V::Layer if fragment => system(S::layer_id),
            V::Layer => slot(Slot::LAYER),
            V::ViewportIndex if fragment => system(S::viewport_id),
            V::ViewportIndex => slot(Slot::VIEWPORT),
            V::PrimitiveId if stage == Stage::Geometry => slot(Slot::PRIMITIVE_ID),
            V::PrimitiveId | V::PrimitiveIdIn => system(S::primitive_id),
            V::In | V::Out => BuiltinIo::Block,
            V::TessLevelOuter => slot(Slot::TESS_LEVEL_OUTER),
            V::TessLevelInner => slot(Slot::TESS_LEVEL_INNER),
            V::BoundingBox => slot(Slot::BOUNDING_BOX),

            V::VertexId | V::VertexIndex => system(S::vertex_id),
            V::InstanceId => system(S::instance_id),
            V::InstanceIndex => system(S::instance_index),
            V::BaseVertex => system(S::base_vertex),
            V::BaseInstance => system(S::base_instance),
            V::DrawId => system(S::draw_id),
            V::Vertex => attribute(0),
            V::Normal => attribute(2),
            V::Color if vertex => attribute(3),
            V::SecondaryColor if vertex => attribute(4),
            V::Color => slot(Slot::COLOR0),
            V::SecondaryColor => slot(Slot::COLOR1),
            V::FogCoord => attribute(5),
            V::MultiTexCoord0 => attribute(8),
            V::MultiTexCoord1 => attribute(9),
            V::MultiTexCoord2 => attribute(10),
            V::MultiTexCoord3 => attribute(11),
            V::MultiTexCoord4 => attribute(12),
            V::MultiTexCoord5 => attribute(13),
            V::MultiTexCoord6 => attribute(14),
            V::MultiTexCoord7 => attribute(15),

            V::PatchVerticesIn => system(S::patch_vertices_in),
            V::InvocationId => system(S::invocation_id),
            V::TessCoord => system(S::tess_coord),

            V::FragCoord => system(S::frag_coord),
            V::FrontFacing => system(S::front_face),
            V::PointCoord => system(S::point_coord),
            V::SampleId => system(S::sample_id),
            V::SamplePosition => system(S::sample_pos),
            V::SampleMaskIn => system(S::sample_mask_in),
            V::HelperInvocation => system(S::helper_invocation),
            V::BaryCoord => system(S::barycentric_coord),
            V::BaryCoordNoPersp => system(S::barycentric_coord_linear),
            V::FragColor => slot(Slot::FRAG_COLOR),
            V::FragData | V::SecondaryFragColor | V::SecondaryFragData => attribute(0),
            V::FragDepth => slot(Slot::DEPTH),
            V::FragStencilRef => slot(Slot::STENCIL),
            V::SampleMask => slot(Slot::SAMPLE_MASK),
            V::LastFragData | V::LastFragColor => BuiltinIo::Fetch,

            V::NumWorkGroups => system(S::num_workgroups),
            V::WorkGroupSize | V::LocalGroupSize => system(S::workgroup_size),
            V::WorkGroupId => system(S::workgroup_id),
            V::LocalInvocationId => system(S::local_invocation_id),
            V::GlobalInvocationId => system(S::global_invocation_id),
            V::LocalInvocationIndex => system(S::local_invocation_index),

            V::NumSubgroups => system(S::num_subgroups),
            V::SubgroupId => system(S::subgroup_id),
            V::SubgroupSize => system(S::subgroup_size),
            V::SubgroupInvocationId => system(S::subgroup_invocation),
            V::SubgroupEqMask | V::SubgroupEqMask64 => system(S::subgroup_eq_mask),
            V::SubgroupGeMask | V::SubgroupGeMask64 => system(S::subgroup_ge_mask),
            V::SubgroupGtMask | V::SubgroupGtMask64 => system(S::subgroup_gt_mask),
            V::SubgroupLeMask | V::SubgroupLeMask64 => system(S::subgroup_le_mask),
            V::SubgroupLtMask | V::SubgroupLtMask64 => system(S::subgroup_lt_mask),
            V::DeviceIndex => system(S::device_index),
            V::ViewIndex => system(S::view_index),

            V::DepthRange
            | V::NumSamples
            | V::ModelViewMatrix
            | V::ProjectionMatrix
            | V::ModelViewProjectionMatrix
            | V::TextureMatrix
            | V::NormalMatrix
            | V::ModelViewMatrixInverse
            | V::ProjectionMatrixInverse
            | V::ModelViewProjectionMatrixInverse
            | V::TextureMatrixInverse
            | V::ModelViewMatrixTranspose
            | V::ProjectionMatrixTranspose
            | V::ModelViewProjectionMatrixTranspose
            | V::TextureMatrixTranspose
            | V::ModelViewMatrixInverseTranspose
            | V::ProjectionMatrixInverseTranspose
            | V::ModelViewProjectionMatrixInverseTranspose
            | V::TextureMatrixInverseTranspose
            | V::NormalScale
            | V::ClipPlane
            | V::Point
            | V::FrontMaterial
            | V::BackMaterial
            | V::LightSource
            | V::LightModel
            | V::FrontLightModelProduct
            | V::BackLightModelProduct
            | V::FrontLightProduct
            | V::BackLightProduct
            | V::TextureEnvColor
            | V::EyePlaneS
            | V::EyePlaneT
            | V::EyePlaneR
            | V::EyePlaneQ
            | V::ObjectPlaneS
            | V::ObjectPlaneT
            | V::ObjectPlaneR
            | V::ObjectPlaneQ
            | V::Fog => BuiltinIo::State,
        }
    }
}
