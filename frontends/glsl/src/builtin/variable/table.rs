//! The table of built-in variables.

use super::structs::{self, BuiltinStruct};
use super::var::BuiltinVar::{self, *};
use crate::extension::Ext;
use crate::hir::Storage;
use crate::limits::Limits;
use crate::types::{Base, Type};
use crate::version::{Avail, NEVER, Stages};
use airfoil_ir::{Precision, Stage};

/// A built-in variable in some stages.
#[derive(Debug)]
pub(super) struct Row {
    pub name: &'static str,
    pub var: BuiltinVar,
    pub storage: Storage,
    pub shape: Shape,
    /// Precision in ES.
    pub precision: Precision,
    pub stages: Stages,
    pub avail: Avail,
}

/// Its type.
#[derive(Clone, Copy, Debug)]
pub(super) enum Shape {
    Plain(Type),
    /// 0 = not sized.
    Array(Type, u32),
    /// Array as long as a limit.
    Limit(Type, fn(&Limits) -> u32),
    /// Array of `gl_PerVertex`, not sized or as long as a limit.
    Block(Option<fn(&Limits) -> u32>),
    Struct(&'static BuiltinStruct),
    /// Array of structures as long as a limit.
    Structs(&'static BuiltinStruct, fn(&Limits) -> u32),
}

use Shape::{Array, Block, Limit, Plain, Struct, Structs};

const VERTEX: Stages = Stages::of(&[Stage::Vertex]);
const TESS_CONTROL: Stages = Stages::of(&[Stage::TessControl]);
const TESS_EVAL: Stages = Stages::of(&[Stage::TessEval]);
const GEOMETRY: Stages = Stages::of(&[Stage::Geometry]);
const FRAGMENT: Stages = Stages::of(&[Stage::Fragment]);
const COMPUTE: Stages = Stages::of(&[Stage::Compute]);
const ALL: Stages = Stages::ALL;
const TESS: Stages = Stages::of(&[Stage::TessControl, Stage::TessEval]);
/// Stages whose outputs are one vertex at a time.
const BEFORE_RASTER: Stages = Stages::of(&[Stage::Vertex, Stage::TessEval, Stage::Geometry]);

const H: Precision = Precision::High;
const M: Precision = Precision::Medium;
const L: Precision = Precision::Low;
const NO: Precision = Precision::None;

const INT: Shape = Plain(Type::INT);
const UINT: Shape = Plain(Type::UINT);
const BOOL: Shape = Plain(Type::BOOL);
const FLOAT: Shape = Plain(Type::FLOAT);
const VEC2: Shape = Plain(Type::VEC2);
const VEC3: Shape = Plain(Type::VEC3);
const VEC4: Shape = Plain(Type::VEC4);
const UVEC3: Shape = Plain(Type::vector(Base::Uint, 3));
const UVEC4: Shape = Plain(Type::vector(Base::Uint, 4));
const UINT64: Shape = Plain(Type::scalar(Base::Uint64));
const MAT4: Shape = Plain(Type::MAT4);

/// Every desktop version, no ES version.
const DESKTOP: Avail = Avail::since(110, NEVER);
/// Deprecated in GLSL 1.30, gone from the core profile (GLSL 1.40 section 1.2).
const COMPAT: Avail = Avail::since(110, NEVER).until(140, NEVER).or(&[Ext::ARB_compatibility]);
const COMPAT_150: Avail = Avail::since(150, NEVER).until(150, NEVER).or(&[Ext::ARB_compatibility]);
/// Not in the core profile from GLSL 4.20 on, nor in ES from 3.00 on.
const FRAG_COLOR: Avail = Avail::since(110, 100).until(420, 300).or(&[Ext::ARB_compatibility]);
const CLIP: Avail = Avail::since(130, NEVER).or(&[Ext::APPLE_clip_distance, Ext::EXT_clip_cull_distance]);
const CULL: Avail = Avail::since(450, NEVER).or(&[Ext::ARB_cull_distance, Ext::EXT_clip_cull_distance]);
const TESS_SHADER: Avail = Avail::since(400, 320).or(&[
    Ext::ARB_tessellation_shader,
    Ext::EXT_tessellation_shader,
    Ext::OES_tessellation_shader,
]);
const GEOM_SHADER: Avail = Avail::since(150, 320).or(&[Ext::EXT_geometry_shader, Ext::OES_geometry_shader]);
const TESS_POINT_SIZE: Avail =
    Avail::since(110, NEVER).or(&[Ext::EXT_tessellation_point_size, Ext::OES_tessellation_point_size]);
const GEOM_POINT_SIZE: Avail =
    Avail::since(110, NEVER).or(&[Ext::EXT_geometry_point_size, Ext::OES_geometry_point_size]);
const SAMPLE: Avail =
    Avail::since(400, 320).or(&[Ext::ARB_sample_shading, Ext::OES_sample_variables, Ext::ARB_gpu_shader5]);
const SAMPLE_MASK_IN: Avail =
    Avail::since(400, 320).or(&[Ext::ARB_gpu_shader5, Ext::OES_sample_variables, Ext::ARB_sample_shading]);
const COMPUTE_SHADER: Avail = Avail::since(430, 310).or(&[Ext::ARB_compute_shader]);
const EARLY_LAYER: Avail = Avail::since(NEVER, NEVER).or(&[
    Ext::ARB_shader_viewport_layer_array,
    Ext::AMD_vertex_shader_layer,
    Ext::NV_viewport_array2,
]);
const EARLY_VIEWPORT: Avail = Avail::since(NEVER, NEVER).or(&[
    Ext::ARB_shader_viewport_layer_array,
    Ext::AMD_vertex_shader_viewport_index,
    Ext::NV_viewport_array2,
]);

/// Only by extensions.
const fn by(exts: &'static [Ext]) -> Avail {
    Avail::since(NEVER, NEVER).or(exts)
}

const VULKAN: Avail = by(&[Ext::KHR_vulkan_glsl]);
const SUBGROUP: Avail = by(&[Ext::KHR_shader_subgroup_basic]);
const SUBGROUP_BALLOT: Avail = by(&[Ext::KHR_shader_subgroup_ballot]);
const ARB_BALLOT: Avail = by(&[Ext::ARB_shader_ballot]);

macro_rules! rows {
    ($( $name:literal $var:ident $storage:ident $shape:expr, $precision:ident $stages:ident $avail:expr; )+) => {
        &[$( Row {
            name: $name,
            var: $var,
            storage: Storage::$storage,
            shape: $shape,
            precision: $precision,
            stages: $stages,
            avail: $avail,
        }, )+]
    };
}

/// All built-in variables, sorted by name (byte order); a name has several rows if stages differ.
#[rustfmt::skip]
pub(super) static TABLE: &[Row] = rows! {
    "gl_BackColor" BackColor Out VEC4, NO BEFORE_RASTER COMPAT;
    "gl_BackLightModelProduct" BackLightModelProduct Uniform Struct(&structs::LIGHT_MODEL_PRODUCTS), NO ALL COMPAT;
    "gl_BackLightProduct" BackLightProduct Uniform Structs(&structs::LIGHT_PRODUCTS, |l| l.max_lights), NO ALL COMPAT;
    "gl_BackMaterial" BackMaterial Uniform Struct(&structs::MATERIAL), NO ALL COMPAT;
    "gl_BackSecondaryColor" BackSecondaryColor Out VEC4, NO BEFORE_RASTER COMPAT;
    "gl_BaryCoordEXT" BaryCoord In VEC3, H FRAGMENT by(&[Ext::EXT_fragment_shader_barycentric]);
    "gl_BaryCoordNV" BaryCoord In VEC3, H FRAGMENT by(&[Ext::NV_fragment_shader_barycentric]);
    "gl_BaryCoordNoPerspEXT" BaryCoordNoPersp In VEC3, H FRAGMENT by(&[Ext::EXT_fragment_shader_barycentric]);
    "gl_BaryCoordNoPerspNV" BaryCoordNoPersp In VEC3, H FRAGMENT by(&[Ext::NV_fragment_shader_barycentric]);
    "gl_BaseInstance" BaseInstance In INT, H VERTEX Avail::since(460, NEVER);
    "gl_BaseInstanceARB" BaseInstance In INT, H VERTEX by(&[Ext::ARB_shader_draw_parameters]);
    "gl_BaseVertex" BaseVertex In INT, H VERTEX Avail::since(460, NEVER);
    "gl_BaseVertexARB" BaseVertex In INT, H VERTEX by(&[Ext::ARB_shader_draw_parameters]);
    "gl_BoundingBox" BoundingBox Out Array(Type::VEC4, 2), H TESS_CONTROL Avail::since(NEVER, 320).or(&[Ext::ARB_ES3_2_compatibility]);
    "gl_BoundingBoxARB" BoundingBox Out Array(Type::VEC4, 2), H TESS_CONTROL by(&[Ext::ARB_ES3_2_compatibility]);
    "gl_BoundingBoxEXT" BoundingBox Out Array(Type::VEC4, 2), H TESS_CONTROL by(&[Ext::EXT_primitive_bounding_box]);
    "gl_BoundingBoxOES" BoundingBox Out Array(Type::VEC4, 2), H TESS_CONTROL by(&[Ext::OES_primitive_bounding_box]);
    "gl_ClipDistance" ClipDistance Out Array(Type::FLOAT, 0), H BEFORE_RASTER CLIP;
    "gl_ClipDistance" ClipDistance In Array(Type::FLOAT, 0), H FRAGMENT CLIP;
    "gl_ClipPlane" ClipPlane Uniform Limit(Type::VEC4, |l| l.max_clip_planes), NO ALL COMPAT;
    "gl_ClipVertex" ClipVertex Out VEC4, NO BEFORE_RASTER COMPAT;
    "gl_Color" Color In VEC4, NO VERTEX COMPAT;
    "gl_Color" Color In VEC4, NO FRAGMENT COMPAT;
    "gl_CullDistance" CullDistance Out Array(Type::FLOAT, 0), H BEFORE_RASTER CULL;
    "gl_CullDistance" CullDistance In Array(Type::FLOAT, 0), H FRAGMENT CULL;
    "gl_DepthRange" DepthRange Uniform Struct(&structs::DEPTH_RANGE), H ALL Avail::since(110, 100);
    "gl_DeviceIndex" DeviceIndex In INT, H ALL by(&[Ext::EXT_device_group]);
    "gl_DrawID" DrawId In INT, H VERTEX Avail::since(460, NEVER);
    "gl_DrawIDARB" DrawId In INT, H VERTEX by(&[Ext::ARB_shader_draw_parameters]);
    "gl_EyePlaneQ" EyePlaneQ Uniform Limit(Type::VEC4, |l| l.max_texture_coords), NO ALL COMPAT;
    "gl_EyePlaneR" EyePlaneR Uniform Limit(Type::VEC4, |l| l.max_texture_coords), NO ALL COMPAT;
    "gl_EyePlaneS" EyePlaneS Uniform Limit(Type::VEC4, |l| l.max_texture_coords), NO ALL COMPAT;
    "gl_EyePlaneT" EyePlaneT Uniform Limit(Type::VEC4, |l| l.max_texture_coords), NO ALL COMPAT;
    "gl_Fog" Fog Uniform Struct(&structs::FOG), NO ALL COMPAT;
    "gl_FogCoord" FogCoord In FLOAT, NO VERTEX COMPAT;
    "gl_FogFragCoord" FogFragCoord Out FLOAT, NO BEFORE_RASTER COMPAT;
    "gl_FogFragCoord" FogFragCoord In FLOAT, NO FRAGMENT COMPAT;
    "gl_FragColor" FragColor Out VEC4, M FRAGMENT FRAG_COLOR;
    "gl_FragCoord" FragCoord In VEC4, H FRAGMENT Avail::since(110, 100);
    "gl_FragData" FragData Out Limit(Type::VEC4, |l| l.max_draw_buffers), M FRAGMENT FRAG_COLOR;
    "gl_FragDepth" FragDepth Out FLOAT, H FRAGMENT Avail::since(110, 300);
    "gl_FragDepthEXT" FragDepth Out FLOAT, M FRAGMENT by(&[Ext::EXT_frag_depth]);
    "gl_FragStencilRefAMD" FragStencilRef Out INT, NO FRAGMENT by(&[Ext::AMD_shader_stencil_export]);
    "gl_FragStencilRefARB" FragStencilRef Out INT, NO FRAGMENT by(&[Ext::ARB_shader_stencil_export]);
    "gl_FrontColor" FrontColor Out VEC4, NO BEFORE_RASTER COMPAT;
    "gl_FrontFacing" FrontFacing In BOOL, NO FRAGMENT Avail::since(110, 100);
    "gl_FrontLightModelProduct" FrontLightModelProduct Uniform Struct(&structs::LIGHT_MODEL_PRODUCTS), NO ALL COMPAT;
    "gl_FrontLightProduct" FrontLightProduct Uniform Structs(&structs::LIGHT_PRODUCTS, |l| l.max_lights), NO ALL COMPAT;
    "gl_FrontMaterial" FrontMaterial Uniform Struct(&structs::MATERIAL), NO ALL COMPAT;
    "gl_FrontSecondaryColor" FrontSecondaryColor Out VEC4, NO BEFORE_RASTER COMPAT;
    "gl_GlobalInvocationID" GlobalInvocationId In UVEC3, H COMPUTE COMPUTE_SHADER;
    "gl_HelperInvocation" HelperInvocation In BOOL, NO FRAGMENT Avail::since(450, 310).or(&[Ext::ARB_ES3_1_compatibility]);
    "gl_InstanceID" InstanceId In INT, H VERTEX Avail::since(140, 300).or(&[Ext::EXT_gpu_shader4]);
    "gl_InstanceIDARB" InstanceId In INT, H VERTEX by(&[Ext::ARB_draw_instanced]);
    "gl_InstanceIDEXT" InstanceId In INT, H VERTEX by(&[Ext::EXT_draw_instanced]);
    "gl_InstanceIndex" InstanceIndex In INT, H VERTEX VULKAN;
    "gl_InvocationID" InvocationId In INT, H TESS_CONTROL TESS_SHADER;
    "gl_InvocationID" InvocationId In INT, H GEOMETRY Avail::since(400, 320).or(&[Ext::ARB_gpu_shader5, Ext::EXT_geometry_shader, Ext::OES_geometry_shader]);
    "gl_LastFragColorARM" LastFragColor In VEC4, M FRAGMENT by(&[Ext::ARM_shader_framebuffer_fetch]);
    "gl_LastFragData" LastFragData In Limit(Type::VEC4, |l| l.max_draw_buffers), M FRAGMENT Avail::since(NEVER, NEVER).or(&[Ext::EXT_shader_framebuffer_fetch, Ext::EXT_shader_framebuffer_fetch_non_coherent]);
    "gl_Layer" Layer Out INT, H GEOMETRY GEOM_SHADER;
    "gl_Layer" Layer Out INT, H VERTEX EARLY_LAYER;
    "gl_Layer" Layer Out INT, H TESS_EVAL EARLY_LAYER;
    "gl_Layer" Layer In INT, H FRAGMENT Avail::since(430, 320).or(&[Ext::ARB_fragment_layer_viewport, Ext::EXT_geometry_shader, Ext::OES_geometry_shader]);
    "gl_LightModel" LightModel Uniform Struct(&structs::LIGHT_MODEL), NO ALL COMPAT;
    "gl_LightSource" LightSource Uniform Structs(&structs::LIGHT_SOURCE, |l| l.max_lights), NO ALL COMPAT;
    "gl_LocalGroupSizeARB" LocalGroupSize In UVEC3, H COMPUTE by(&[Ext::ARB_compute_variable_group_size]);
    "gl_LocalInvocationID" LocalInvocationId In UVEC3, H COMPUTE COMPUTE_SHADER;
    "gl_LocalInvocationIndex" LocalInvocationIndex In UINT, H COMPUTE COMPUTE_SHADER;
    "gl_ModelViewMatrix" ModelViewMatrix Uniform MAT4, NO ALL COMPAT;
    "gl_ModelViewMatrixInverse" ModelViewMatrixInverse Uniform MAT4, NO ALL COMPAT;
    "gl_ModelViewMatrixInverseTranspose" ModelViewMatrixInverseTranspose Uniform MAT4, NO ALL COMPAT;
    "gl_ModelViewMatrixTranspose" ModelViewMatrixTranspose Uniform MAT4, NO ALL COMPAT;
    "gl_ModelViewProjectionMatrix" ModelViewProjectionMatrix Uniform MAT4, NO ALL COMPAT;
    "gl_ModelViewProjectionMatrixInverse" ModelViewProjectionMatrixInverse Uniform MAT4, NO ALL COMPAT;
    "gl_ModelViewProjectionMatrixInverseTranspose" ModelViewProjectionMatrixInverseTranspose Uniform MAT4, NO ALL COMPAT;
    "gl_ModelViewProjectionMatrixTranspose" ModelViewProjectionMatrixTranspose Uniform MAT4, NO ALL COMPAT;
    "gl_MultiTexCoord0" MultiTexCoord0 In VEC4, NO VERTEX COMPAT;
    "gl_MultiTexCoord1" MultiTexCoord1 In VEC4, NO VERTEX COMPAT;
    "gl_MultiTexCoord2" MultiTexCoord2 In VEC4, NO VERTEX COMPAT;
    "gl_MultiTexCoord3" MultiTexCoord3 In VEC4, NO VERTEX COMPAT;
    "gl_MultiTexCoord4" MultiTexCoord4 In VEC4, NO VERTEX COMPAT;
    "gl_MultiTexCoord5" MultiTexCoord5 In VEC4, NO VERTEX COMPAT;
    "gl_MultiTexCoord6" MultiTexCoord6 In VEC4, NO VERTEX COMPAT;
    "gl_MultiTexCoord7" MultiTexCoord7 In VEC4, NO VERTEX COMPAT;
    "gl_Normal" Normal In VEC3, NO VERTEX COMPAT;
    "gl_NormalMatrix" NormalMatrix Uniform Plain(Type::MAT3), NO ALL COMPAT;
    "gl_NormalScale" NormalScale Uniform FLOAT, NO ALL COMPAT;
    "gl_NumSamples" NumSamples Uniform INT, L ALL Avail::since(400, 320).or(&[Ext::ARB_sample_shading, Ext::OES_sample_variables]);
    "gl_NumSubgroups" NumSubgroups In UINT, H COMPUTE SUBGROUP;
    "gl_NumWorkGroups" NumWorkGroups In UVEC3, H COMPUTE COMPUTE_SHADER;
    "gl_ObjectPlaneQ" ObjectPlaneQ Uniform Limit(Type::VEC4, |l| l.max_texture_coords), NO ALL COMPAT;
    "gl_ObjectPlaneR" ObjectPlaneR Uniform Limit(Type::VEC4, |l| l.max_texture_coords), NO ALL COMPAT;
    "gl_ObjectPlaneS" ObjectPlaneS Uniform Limit(Type::VEC4, |l| l.max_texture_coords), NO ALL COMPAT;
    "gl_ObjectPlaneT" ObjectPlaneT Uniform Limit(Type::VEC4, |l| l.max_texture_coords), NO ALL COMPAT;
    "gl_PatchVerticesIn" PatchVerticesIn In INT, H TESS TESS_SHADER;
    "gl_Point" Point Uniform Struct(&structs::POINT), NO ALL COMPAT;
    "gl_PointCoord" PointCoord In VEC2, M FRAGMENT Avail::since(110, 100);
    "gl_PointSize" PointSize Out FLOAT, H VERTEX Avail::since(110, 100);
    "gl_PointSize" PointSize Out FLOAT, H TESS_EVAL TESS_POINT_SIZE;
    "gl_PointSize" PointSize Out FLOAT, H GEOMETRY GEOM_POINT_SIZE;
    "gl_Position" Position Out VEC4, H BEFORE_RASTER Avail::since(110, 100);
    "gl_PrimitiveID" PrimitiveId Out INT, H GEOMETRY GEOM_SHADER;
    "gl_PrimitiveID" PrimitiveId In INT, H TESS TESS_SHADER;
    "gl_PrimitiveID" PrimitiveId In INT, H FRAGMENT Avail::since(150, 320).or(&[Ext::EXT_gpu_shader4, Ext::EXT_geometry_shader, Ext::OES_geometry_shader, Ext::EXT_tessellation_shader, Ext::OES_tessellation_shader]);
    "gl_PrimitiveIDIn" PrimitiveIdIn In INT, H GEOMETRY GEOM_SHADER;
    "gl_ProjectionMatrix" ProjectionMatrix Uniform MAT4, NO ALL COMPAT;
    "gl_ProjectionMatrixInverse" ProjectionMatrixInverse Uniform MAT4, NO ALL COMPAT;
    "gl_ProjectionMatrixInverseTranspose" ProjectionMatrixInverseTranspose Uniform MAT4, NO ALL COMPAT;
    "gl_ProjectionMatrixTranspose" ProjectionMatrixTranspose Uniform MAT4, NO ALL COMPAT;
    "gl_SampleID" SampleId In INT, L FRAGMENT SAMPLE;
    "gl_SampleMask" SampleMask Out Limit(Type::INT, |l| l.max_sample_mask_words), H FRAGMENT SAMPLE;
    "gl_SampleMaskIn" SampleMaskIn In Limit(Type::INT, |l| l.max_sample_mask_words), H FRAGMENT SAMPLE_MASK_IN;
    "gl_SamplePosition" SamplePosition In VEC2, M FRAGMENT SAMPLE;
    "gl_SecondaryColor" SecondaryColor In VEC4, NO VERTEX COMPAT;
    "gl_SecondaryColor" SecondaryColor In VEC4, NO FRAGMENT COMPAT;
    "gl_SecondaryFragColorEXT" SecondaryFragColor Out VEC4, M FRAGMENT Avail::since(NEVER, NEVER).or(&[Ext::EXT_blend_func_extended]);
    "gl_SecondaryFragDataEXT" SecondaryFragData Out Limit(Type::VEC4, |l| l.max_dual_source_draw_buffers), M FRAGMENT Avail::since(NEVER, NEVER).or(&[Ext::EXT_blend_func_extended]);
    "gl_SubGroupEqMaskARB" SubgroupEqMask64 In UINT64, NO ALL ARB_BALLOT;
    "gl_SubGroupGeMaskARB" SubgroupGeMask64 In UINT64, NO ALL ARB_BALLOT;
    "gl_SubGroupGtMaskARB" SubgroupGtMask64 In UINT64, NO ALL ARB_BALLOT;
    "gl_SubGroupInvocationARB" SubgroupInvocationId In UINT, NO ALL ARB_BALLOT;
    "gl_SubGroupLeMaskARB" SubgroupLeMask64 In UINT64, NO ALL ARB_BALLOT;
    "gl_SubGroupLtMaskARB" SubgroupLtMask64 In UINT64, NO ALL ARB_BALLOT;
    "gl_SubGroupSizeARB" SubgroupSize In UINT, NO ALL ARB_BALLOT;
    "gl_SubgroupEqMask" SubgroupEqMask In UVEC4, H ALL SUBGROUP_BALLOT;
    "gl_SubgroupGeMask" SubgroupGeMask In UVEC4, H ALL SUBGROUP_BALLOT;
    "gl_SubgroupGtMask" SubgroupGtMask In UVEC4, H ALL SUBGROUP_BALLOT;
    "gl_SubgroupID" SubgroupId In UINT, H COMPUTE SUBGROUP;
    "gl_SubgroupInvocationID" SubgroupInvocationId In UINT, H ALL SUBGROUP;
    "gl_SubgroupLeMask" SubgroupLeMask In UVEC4, H ALL SUBGROUP_BALLOT;
    "gl_SubgroupLtMask" SubgroupLtMask In UVEC4, H ALL SUBGROUP_BALLOT;
    "gl_SubgroupSize" SubgroupSize In UINT, H ALL SUBGROUP;
    "gl_TessCoord" TessCoord In VEC3, H TESS_EVAL TESS_SHADER;
    "gl_TessLevelInner" TessLevelInner Out Array(Type::FLOAT, 2), H TESS_CONTROL TESS_SHADER;
    "gl_TessLevelInner" TessLevelInner In Array(Type::FLOAT, 2), H TESS_EVAL TESS_SHADER;
    "gl_TessLevelOuter" TessLevelOuter Out Array(Type::FLOAT, 4), H TESS_CONTROL TESS_SHADER;
    "gl_TessLevelOuter" TessLevelOuter In Array(Type::FLOAT, 4), H TESS_EVAL TESS_SHADER;
    "gl_TexCoord" TexCoord Out Array(Type::VEC4, 0), NO BEFORE_RASTER COMPAT;
    "gl_TexCoord" TexCoord In Array(Type::VEC4, 0), NO FRAGMENT COMPAT;
    "gl_TextureEnvColor" TextureEnvColor Uniform Limit(Type::VEC4, |l| l.max_texture_units), NO ALL COMPAT;
    "gl_TextureMatrix" TextureMatrix Uniform Limit(Type::MAT4, |l| l.max_texture_coords), NO ALL COMPAT;
    "gl_TextureMatrixInverse" TextureMatrixInverse Uniform Limit(Type::MAT4, |l| l.max_texture_coords), NO ALL COMPAT;
    "gl_TextureMatrixInverseTranspose" TextureMatrixInverseTranspose Uniform Limit(Type::MAT4, |l| l.max_texture_coords), NO ALL COMPAT;
    "gl_TextureMatrixTranspose" TextureMatrixTranspose Uniform Limit(Type::MAT4, |l| l.max_texture_coords), NO ALL COMPAT;
    "gl_Vertex" Vertex In VEC4, NO VERTEX COMPAT;
    "gl_VertexID" VertexId In INT, H VERTEX Avail::since(130, 300).or(&[Ext::EXT_gpu_shader4]);
    "gl_VertexIndex" VertexIndex In INT, H VERTEX VULKAN;
    "gl_ViewID_OVR" ViewIndex In UINT, M VERTEX by(&[Ext::OVR_multiview, Ext::OVR_multiview2]);
    "gl_ViewID_OVR" ViewIndex In UINT, M FRAGMENT by(&[Ext::OVR_multiview, Ext::OVR_multiview2]);
    "gl_ViewIndex" ViewIndex In INT, H ALL by(&[Ext::EXT_multiview]);
    "gl_ViewportIndex" ViewportIndex Out INT, H GEOMETRY Avail::since(410, NEVER).or(&[Ext::ARB_viewport_array, Ext::OES_viewport_array]);
    "gl_ViewportIndex" ViewportIndex Out INT, H VERTEX EARLY_VIEWPORT;
    "gl_ViewportIndex" ViewportIndex Out INT, H TESS_EVAL EARLY_VIEWPORT;
    "gl_ViewportIndex" ViewportIndex In INT, H FRAGMENT Avail::since(430, NEVER).or(&[Ext::ARB_fragment_layer_viewport, Ext::OES_viewport_array]);
    "gl_WorkGroupID" WorkGroupId In UVEC3, H COMPUTE COMPUTE_SHADER;
    "gl_WorkGroupSize" WorkGroupSize Const UVEC3, H COMPUTE COMPUTE_SHADER;
    "gl_in" In In Block(Some(|l| l.max_patch_vertices)), NO TESS TESS_SHADER;
    "gl_in" In In Block(None), NO GEOMETRY GEOM_SHADER;
    "gl_out" Out Out Block(None), NO TESS_CONTROL TESS_SHADER;
};

/// Members of `gl_PerVertex` as input or output of a stage (GLSL 4.60 section 7.1, compatibility ones by section 7.1.7).
#[rustfmt::skip]
pub(super) static PER_VERTEX: &[Row] = rows! {
    "gl_Position" Position In VEC4, H ALL DESKTOP;
    "gl_Position" Position In VEC4, H ALL Avail::since(NEVER, 310);
    "gl_PointSize" PointSize In FLOAT, H VERTEX Avail::since(110, 310);
    "gl_PointSize" PointSize In FLOAT, H TESS TESS_POINT_SIZE;
    "gl_PointSize" PointSize In FLOAT, H GEOMETRY GEOM_POINT_SIZE;
    "gl_ClipDistance" ClipDistance In Array(Type::FLOAT, 0), H ALL CLIP;
    "gl_CullDistance" CullDistance In Array(Type::FLOAT, 0), H ALL CULL;
    "gl_ClipVertex" ClipVertex In VEC4, NO ALL COMPAT_150;
    "gl_FrontColor" FrontColor In VEC4, NO ALL COMPAT_150;
    "gl_BackColor" BackColor In VEC4, NO ALL COMPAT_150;
    "gl_FrontSecondaryColor" FrontSecondaryColor In VEC4, NO ALL COMPAT_150;
    "gl_BackSecondaryColor" BackSecondaryColor In VEC4, NO ALL COMPAT_150;
    "gl_TexCoord" TexCoord In Array(Type::VEC4, 0), NO ALL COMPAT_150;
    "gl_FogFragCoord" FogFragCoord In FLOAT, NO ALL COMPAT_150;
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted() {
        for pair in TABLE.windows(2) {
            assert!(pair[0].name <= pair[1].name, "{} and {}", pair[0].name, pair[1].name);
        }
        // A name has one row per stage.
        for pair in TABLE.windows(2) {
            assert!(
                pair[0].name != pair[1].name || pair[0].stages.0 & pair[1].stages.0 == 0,
                "{}",
                pair[0].name
            );
        }
    }

    #[test]
    fn every_variable_has_a_row() {
        for &var in BuiltinVar::ALL {
            let name = var.name();
            assert!(TABLE.iter().any(|row| row.var == var && row.name == name), "{name}");
        }
    }
}
