//! Built-in variables: declared in a unit when they are first named.

mod structs;
mod table;

use super::availability;
use crate::hir::{Placement, PrecisionHint, Qualifiers, Storage, Unit, Variable};
use crate::limits::Limits;
use crate::source::Span;
use crate::types::{Field, Struct, Type};
use crate::version::Language;
use airfoil_ir::{Interpolation, Precision, Slot, Stage, SystemValue};
use table::{PER_VERTEX, Row, Shape, TABLE};

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
    /// `gl_in` or `gl_out`: the members have places, see [`Field::builtin`].
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

fn rows(name: &str) -> impl Iterator<Item = &'static Row> {
    let start = TABLE.partition_point(|row| row.name < name);
    TABLE[start..].iter().take_while(move |row| row.name == name)
}

/// The variable of a name in a language, ready to be added to the unit; its structure and array types are added to `unit.types`.
/// `None` if this version and stage has none of the name.
///
/// * `gl_in` and `gl_out` are arrays of a block `gl_PerVertex`; in the geometry stage and for `gl_out` the array has no size until the
///   primitive or `vertices` is declared.
/// * `gl_WorkGroupSize` is `const` without a value: it gets one when the size is declared, before that it may not be used.
/// * `gl_TexCoord`, `gl_ClipDistance` and `gl_CullDistance` between stages have no size unless redeclared.
pub fn declare(name: &str, unit: &mut Unit, lang: &Language, limits: &Limits) -> Option<Variable> {
    let row = rows(name).find(|row| row.is_available(lang))?;
    let symbol = unit.names.intern(name);
    let ty = match row.shape {
        Shape::Plain(ty) => ty,
        Shape::Array(elem, len) => unit.types.array(elem, len),
        Shape::Limit(elem, len) => unit.types.array(elem, len(limits)),
        Shape::Block(len) => {
            let block = per_vertex(unit, lang, row.storage);
            unit.types.array(block, len.map_or(0, |f| f(limits)))
        }
        Shape::Struct(s) => structs::add(s, unit, lang),
        Shape::Structs(s, len) => {
            let elem = structs::add(s, unit, lang);
            unit.types.array(elem, len(limits))
        }
    };
    Some(Variable {
        name: symbol,
        ty,
        qualifiers: row.qualifiers(lang),
        span: Span::default(),
        builtin: Some(row.var),
        constant: None,
        function: None,
        block: matches!(row.shape, Shape::Block(_)),
        nameless_block: false,
        used: false,
        written: false,
        min_len: 0,
        field_min_len: Vec::new(),
        place: Placement::default(),
        field_places: Vec::new(),
    })
}

/// The members that `gl_PerVertex` has in a language, as an input (`gl_in`) or an output (`gl_out`): with these a shader's own
/// declaration of the block is compared. Array members without a size have the length 0.
pub fn per_vertex_fields(unit: &mut Unit, lang: &Language, storage: Storage) -> Vec<Field> {
    PER_VERTEX
        .iter()
        .filter(|row| row.is_available(lang))
        .map(|row| {
            let ty = match row.shape {
                Shape::Array(elem, len) => unit.types.array(elem, len),
                Shape::Plain(ty) => ty,
                _ => Type::Error,
            };
            let qualifiers = Qualifiers { storage, ..row.qualifiers(lang) };
            let name = unit.names.intern(row.name);
            Field { name, ty, span: Span::default(), qualifiers, builtin: Some(row.var) }
        })
        .collect()
}

fn per_vertex(unit: &mut Unit, lang: &Language, storage: Storage) -> Type {
    let fields = per_vertex_fields(unit, lang, storage);
    let name = Some(unit.names.intern("gl_PerVertex"));
    Type::Struct(unit.types.add_struct(Struct {
        name,
        fields,
        block: true,
        span: Span::default(),
        reference: None,
    }))
}

impl Row {
    fn is_available(&self, lang: &Language) -> bool {
        self.stages.contains(lang.stage) && !(lang.vulkan && self.not_vulkan()) && lang.has(&self.avail)
    }

    /// What `GL_KHR_vulkan_glsl` takes away.
    fn not_vulkan(&self) -> bool {
        use BuiltinVar::{DepthRange, InstanceId, NumSamples, VertexId};
        matches!(self.var, DepthRange | InstanceId | NumSamples | VertexId)
    }

    fn qualifiers(&self, lang: &Language) -> Qualifiers {
        let precision = match self.precision {
            _ if !lang.version.is_es() => Precision::None,
            // GLSL ES 1.00 section 7 has these lower than GLSL ES 3.00 section 7.
            Precision::High
                if lang.version.number == 100
                    && matches!(self.var, BuiltinVar::PointSize | BuiltinVar::FragCoord) =>
            {
                Precision::Medium
            }
            precision => precision,
        };
        let flat = lang.stage == Stage::Fragment
            && matches!(self.var, BuiltinVar::PrimitiveId | BuiltinVar::Layer | BuiltinVar::ViewportIndex);
        let tess_levels = matches!(self.var, BuiltinVar::TessLevelOuter | BuiltinVar::TessLevelInner);
        Qualifiers {
            storage: self.storage,
            precision: PrecisionHint(precision),
            interpolation: flat.then_some(Interpolation::Flat),
            patch: tess_levels || self.var == BuiltinVar::BoundingBox,
            constant: self.storage == Storage::Const,
            ..Qualifiers::default()
        }
    }
}

/// The requirements of a variable that this version and stage lack, for messages; `None` if no language has it.
pub fn hint(name: &str, lang: &Language) -> Option<String> {
    rows(name).next()?;
    if !rows(name).any(|row| row.stages.contains(lang.stage)) {
        return Some(format!("is not available in the {} stage", availability::stage_name(lang.stage)));
    }
    if lang.vulkan && rows(name).any(|row| row.not_vulkan()) {
        return Some("is not available in GLSL for Vulkan".into());
    }
    availability::needs(lang, rows(name).filter(|row| row.stages.contains(lang.stage)).map(|row| &row.avail))
}

#[cfg(test)]
mod tests;
