//! Built-in constants: `gl_Max*` and their like (GLSL 4.60 section 7.3).

use super::availability;
use crate::extension::Ext;
use crate::limits::Limits;
use crate::types::{Base, Type};
use crate::version::{Avail, Language, NEVER};
use smallvec::{SmallVec, smallvec};

/// A built-in constant.
struct Row {
    name: &'static str,
    avail: Avail,
    value: Value,
}

/// Its value.
enum Value {
    /// An `int`.
    Int(fn(&Limits) -> i64),
    /// An `ivec3`.
    Int3(fn(&Limits) -> [i64; 3]),
}

const fn int(name: &'static str, avail: Avail, value: fn(&Limits) -> i64) -> Row {
    Row { name, avail, value: Value::Int(value) }
}

macro_rules! ints {
    ($( $name:literal: $avail:expr, $field:ident $(/ $by:literal)?; )+) => { &[$( int($name, $avail, |l| i64::from(l.$field $(/ $by)?)) ),+] };
}

const ALL: Avail = Avail::since(110, 100);
const DESKTOP: Avail = Avail::since(110, NEVER);
const COMPAT: Avail = Avail::since(110, NEVER).until(140, NEVER).or(&[Ext::ARB_compatibility]);
const TESS: Avail = Avail::since(400, 320).or(&[
    Ext::ARB_tessellation_shader,
    Ext::EXT_tessellation_shader,
    Ext::OES_tessellation_shader,
]);
const GEOMETRY: Avail = Avail::since(150, 320).or(&[Ext::EXT_geometry_shader, Ext::OES_geometry_shader]);
const IMAGES: Avail =
    Avail::since(420, 310).or(&[Ext::ARB_shader_image_load_store, Ext::EXT_shader_image_load_store]);
const IMAGES_GEOMETRY: Avail = Avail::since(420, 320).or(&[
    Ext::ARB_shader_image_load_store,
    Ext::EXT_geometry_shader,
    Ext::OES_geometry_shader,
]);
const IMAGES_TESS: Avail = Avail::since(420, 320).or(&[
    Ext::ARB_shader_image_load_store,
    Ext::EXT_tessellation_shader,
    Ext::OES_tessellation_shader,
]);
const COUNTERS: Avail = Avail::since(420, 310).or(&[Ext::ARB_shader_atomic_counters]);
const COUNTERS_GEOMETRY: Avail = Avail::since(420, 320).or(&[
    Ext::ARB_shader_atomic_counters,
    Ext::EXT_geometry_shader,
    Ext::OES_geometry_shader,
]);
const COUNTERS_TESS: Avail = Avail::since(420, 320).or(&[
    Ext::ARB_shader_atomic_counters,
    Ext::EXT_tessellation_shader,
    Ext::OES_tessellation_shader,
]);
const COMPUTE: Avail = Avail::since(430, 310).or(&[Ext::ARB_compute_shader]);
const CULL: Avail = Avail::since(450, NEVER).or(&[Ext::ARB_cull_distance, Ext::EXT_clip_cull_distance]);
const CLIP: Avail = Avail::since(130, NEVER).or(&[Ext::APPLE_clip_distance, Ext::EXT_clip_cull_distance]);
const XFB: Avail = Avail::since(440, NEVER).or(&[Ext::ARB_enhanced_layouts]);
const VECTORS: Avail = Avail::since(410, 100).or(&[Ext::ARB_ES2_compatibility]);

#[rustfmt::skip]
static INTS: &[Row] = ints! {
    "gl_MaxVertexAttribs": ALL, max_vertex_attribs;
    "gl_MaxVertexUniformComponents": DESKTOP, max_vertex_uniform_components;
    "gl_MaxVertexUniformVectors": VECTORS, max_vertex_uniform_vectors;
    "gl_MaxVertexOutputComponents": Avail::since(150, NEVER), max_vertex_output_components;
    "gl_MaxVertexOutputVectors": Avail::since(NEVER, 300), max_vertex_output_components / 4;
    "gl_MaxVertexTextureImageUnits": ALL, max_vertex_texture_image_units;
    "gl_MaxVertexImageUniforms": IMAGES, max_vertex_image_uniforms;
    "gl_MaxVertexAtomicCounters": COUNTERS, max_vertex_atomic_counters;
    "gl_MaxVertexAtomicCounterBuffers": COUNTERS, max_vertex_atomic_counter_buffers;
    "gl_MaxVaryingComponents": Avail::since(130, NEVER), max_varying_components;
    "gl_MaxVaryingFloats": Avail::since(110, NEVER).until(420, NEVER).or(&[Ext::ARB_compatibility]), max_varying_components;
    "gl_MaxVaryingVectors": Avail::since(410, 100).until(NEVER, 300).or(&[Ext::ARB_ES2_compatibility]), max_varying_vectors;
    "gl_MaxPatchVertices": TESS, max_patch_vertices;
    "gl_MaxTessGenLevel": TESS, max_tess_gen_level;
    "gl_MaxTessPatchComponents": TESS, max_tess_patch_components;
    "gl_MaxTessControlInputComponents": TESS, max_tess_control_input_components;
    "gl_MaxTessControlOutputComponents": TESS, max_tess_control_output_components;
    "gl_MaxTessControlTextureImageUnits": TESS, max_tess_control_texture_image_units;
    "gl_MaxTessControlUniformComponents": TESS, max_tess_control_uniform_components;
    "gl_MaxTessControlTotalOutputComponents": TESS, max_tess_control_total_output_components;
    "gl_MaxTessControlImageUniforms": IMAGES_TESS, max_tess_control_image_uniforms;
    "gl_MaxTessControlAtomicCounters": COUNTERS_TESS, max_tess_control_atomic_counters;
    "gl_MaxTessControlAtomicCounterBuffers": COUNTERS_TESS, max_tess_control_atomic_counter_buffers;
    "gl_MaxTessEvaluationInputComponents": TESS, max_tess_evaluation_input_components;
    "gl_MaxTessEvaluationOutputComponents": TESS, max_tess_evaluation_output_components;
    "gl_MaxTessEvaluationTextureImageUnits": TESS, max_tess_evaluation_texture_image_units;
    "gl_MaxTessEvaluationUniformComponents": TESS, max_tess_evaluation_uniform_components;
    "gl_MaxTessEvaluationImageUniforms": IMAGES_TESS, max_tess_evaluation_image_uniforms;
    "gl_MaxTessEvaluationAtomicCounters": COUNTERS_TESS, max_tess_evaluation_atomic_counters;
    "gl_MaxTessEvaluationAtomicCounterBuffers": COUNTERS_TESS, max_tess_evaluation_atomic_counter_buffers;
    "gl_MaxGeometryInputComponents": GEOMETRY, max_geometry_input_components;
    "gl_MaxGeometryOutputComponents": GEOMETRY, max_geometry_output_components;
    "gl_MaxGeometryTextureImageUnits": GEOMETRY, max_geometry_texture_image_units;
    "gl_MaxGeometryOutputVertices": GEOMETRY, max_geometry_output_vertices;
    "gl_MaxGeometryTotalOutputComponents": GEOMETRY, max_geometry_total_output_components;
    "gl_MaxGeometryUniformComponents": GEOMETRY, max_geometry_uniform_components;
    "gl_MaxGeometryVaryingComponents": Avail::since(150, NEVER), max_geometry_output_components / 2;
    "gl_MaxGeometryImageUniforms": IMAGES_GEOMETRY, max_geometry_image_uniforms;
    "gl_MaxGeometryAtomicCounters": COUNTERS_GEOMETRY, max_geometry_atomic_counters;
    "gl_MaxGeometryAtomicCounterBuffers": COUNTERS_GEOMETRY, max_geometry_atomic_counter_buffers;
    "gl_MaxFragmentUniformComponents": DESKTOP, max_fragment_uniform_components;
    "gl_MaxFragmentUniformVectors": VECTORS, max_fragment_uniform_vectors;
    "gl_MaxFragmentInputComponents": Avail::since(150, NEVER), max_fragment_input_components;
    "gl_MaxFragmentInputVectors": Avail::since(NEVER, 300), max_fragment_input_components / 4;
    "gl_MaxFragmentImageUniforms": IMAGES, max_fragment_image_uniforms;
    "gl_MaxFragmentAtomicCounters": COUNTERS, max_fragment_atomic_counters;
    "gl_MaxFragmentAtomicCounterBuffers": COUNTERS, max_fragment_atomic_counter_buffers;
    "gl_MaxDrawBuffers": ALL, max_draw_buffers;
    "gl_MaxDualSourceDrawBuffersEXT": Avail::since(NEVER, NEVER).or(&[Ext::EXT_blend_func_extended]), max_dual_source_draw_buffers;
    "gl_MaxTextureImageUnits": ALL, max_texture_image_units;
    "gl_MaxCombinedTextureImageUnits": ALL, max_combined_texture_image_units;
    "gl_MaxProgramTexelOffset": Avail::since(130, 300), max_program_texel_offset;
    "gl_MaxImageUnits": Avail::since(420, 310).or(&[Ext::ARB_shader_image_load_store, Ext::KHR_vulkan_glsl]), max_image_units;
    "gl_MaxImageSamples": Avail::since(420, NEVER).or(&[Ext::ARB_shader_image_load_store]), max_image_samples;
    "gl_MaxImageSamplesEXT": Avail::since(NEVER, NEVER).or(&[Ext::EXT_shader_image_load_store]), max_image_samples;
    "gl_MaxImageUnitsEXT": Avail::since(NEVER, NEVER).or(&[Ext::EXT_shader_image_load_store]), max_image_units;
    "gl_MaxCombinedImageUnitsAndFragmentOutputs": Avail::since(420, NEVER).or(&[Ext::ARB_shader_image_load_store]), max_combined_shader_output_resources;
    "gl_MaxCombinedImageUnitsAndFragmentOutputsEXT": Avail::since(NEVER, NEVER).or(&[Ext::EXT_shader_image_load_store]), max_combined_shader_output_resources;
    "gl_MaxCombinedShaderOutputResources": Avail::since(430, 310).or(&[Ext::ARB_shader_storage_buffer_object, Ext::ARB_ES3_1_compatibility]), max_combined_shader_output_resources;
    "gl_MaxCombinedImageUniforms": IMAGES, max_combined_image_uniforms;
    "gl_MaxComputeUniformComponents": COMPUTE, max_compute_uniform_components;
    "gl_MaxComputeTextureImageUnits": COMPUTE, max_compute_texture_image_units;
    "gl_MaxComputeImageUniforms": COMPUTE, max_compute_image_uniforms;
    "gl_MaxComputeAtomicCounters": COMPUTE, max_compute_atomic_counters;
    "gl_MaxComputeAtomicCounterBuffers": COMPUTE, max_compute_atomic_counter_buffers;
    "gl_MaxCombinedAtomicCounters": COUNTERS, max_combined_atomic_counters;
    "gl_MaxCombinedAtomicCounterBuffers": COUNTERS, max_combined_atomic_counter_buffers;
    "gl_MaxAtomicCounterBindings": COUNTERS, max_atomic_counter_buffer_bindings;
    "gl_MaxAtomicCounterBufferSize": COUNTERS, max_atomic_counter_buffer_size;
    "gl_MaxClipDistances": CLIP, max_clip_distances;
    "gl_MaxCullDistances": CULL, max_cull_distances;
    "gl_MaxCombinedClipAndCullDistances": CULL, max_combined_clip_and_cull_distances;
    "gl_MaxViewports": Avail::since(410, NEVER).or(&[Ext::ARB_viewport_array, Ext::OES_viewport_array]), max_viewports;
    "gl_MaxSamples": Avail::since(450, 320).or(&[Ext::ARB_ES3_1_compatibility, Ext::OES_sample_variables]), max_samples;
    "gl_MaxTransformFeedbackBuffers": XFB, max_transform_feedback_buffers;
    "gl_MaxTransformFeedbackInterleavedComponents": XFB, max_transform_feedback_interleaved_components;
    "gl_MaxInputAttachments": Avail::since(NEVER, NEVER).or(&[Ext::KHR_vulkan_glsl]), max_input_attachments;
    "gl_MaxLights": COMPAT, max_lights;
    "gl_MaxClipPlanes": COMPAT, max_clip_planes;
    "gl_MaxTextureUnits": COMPAT, max_texture_units;
    "gl_MaxTextureCoords": COMPAT, max_texture_coords;
};

/// Scopes, storage classes and semantics of atomics and barriers: the values of GL_KHR_memory_scope_semantics.
const SCOPES: Avail = Avail::since(NEVER, NEVER).or(&[Ext::KHR_memory_scope_semantics]);

static OTHERS: &[Row] = &[
    int("gl_ScopeDevice", SCOPES, |_| 1),
    int("gl_ScopeWorkgroup", SCOPES, |_| 2),
    int("gl_ScopeSubgroup", SCOPES, |_| 3),
    int("gl_ScopeInvocation", SCOPES, |_| 4),
    int("gl_ScopeQueueFamily", SCOPES, |_| 5),
    int("gl_SemanticsRelaxed", SCOPES, |_| 0),
    int("gl_SemanticsAcquire", SCOPES, |_| 0x2),
    int("gl_SemanticsRelease", SCOPES, |_| 0x4),
    int("gl_SemanticsAcquireRelease", SCOPES, |_| 0x8),
    int("gl_SemanticsMakeAvailable", SCOPES, |_| 0x2000),
    int("gl_SemanticsMakeVisible", SCOPES, |_| 0x4000),
    int("gl_SemanticsVolatile", SCOPES, |_| 0x8000),
    int("gl_StorageSemanticsNone", SCOPES, |_| 0),
    int("gl_StorageSemanticsBuffer", SCOPES, |_| 0x40),
    int("gl_StorageSemanticsShared", SCOPES, |_| 0x100),
    int("gl_StorageSemanticsImage", SCOPES, |_| 0x800),
    int("gl_StorageSemanticsOutput", SCOPES, |_| 0x1000),
    int("gl_MinProgramTexelOffset", Avail::since(130, 300), |l| -i64::from(l.min_program_texel_offset)),
    Row {
        name: "gl_MaxComputeWorkGroupCount",
        avail: COMPUTE,
        value: Value::Int3(|l| [i64::from(l.max_compute_work_group_count); 3]),
    },
    Row {
        name: "gl_MaxComputeWorkGroupSize",
        avail: COMPUTE,
        value: Value::Int3(|l| {
            [
                l.max_compute_work_group_size_x,
                l.max_compute_work_group_size_y,
                l.max_compute_work_group_size_z,
            ]
            .map(i64::from)
        }),
    },
];

fn find(name: &str) -> Option<&'static Row> {
    // Constants are rare in shaders, and most names that come here are variables.
    name.strip_prefix("gl_").filter(|rest| rest.starts_with(['M', 'S']))?;
    INTS.iter().chain(OTHERS).find(|row| row.name == name)
}

/// Type and value of a built-in constant; `None` if this language has none of the name. The bits are as in
/// [`crate::hir::Constant`].
///
/// `gl_WorkGroupSize` is not here: it is constant only after the declaration of the size and is the variable
/// [`super::BuiltinVar::WorkGroupSize`].
pub fn constant(name: &str, lang: &Language, limits: &Limits) -> Option<(Type, SmallVec<[u64; 3]>)> {
    let row = find(name).filter(|row| lang.has(&row.avail))?;
    Some(match row.value {
        Value::Int(value) => (Type::INT, smallvec![value(limits) as u64]),
        Value::Int3(value) => (Type::vector(Base::Int, 3), value(limits).iter().map(|&v| v as u64).collect()),
    })
}

/// The requirements of a constant that this language lacks, for messages; `None` if no language has it.
pub fn hint(name: &str, lang: &Language) -> Option<String> {
    availability::needs(lang, [&find(name)?.avail].into_iter())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extension::ExtSet;
    use crate::version::{Profile, Version};
    use airfoil_ir::Stage;

    fn lang(number: u16, profile: Profile) -> Language {
        Language {
            version: Version { number, profile },
            stage: Stage::Fragment,
            extensions: ExtSet::EMPTY,
            vulkan: false,
        }
    }

    #[test]
    fn names_differ() {
        let names: std::collections::BTreeSet<_> = INTS.iter().chain(OTHERS).map(|r| r.name).collect();
        assert_eq!(names.len(), INTS.len() + OTHERS.len());
        assert!(names.iter().all(|n| n.starts_with("gl_M") || n.starts_with("gl_S")));
    }

    #[test]
    fn values_come_from_the_limits() {
        let limits = Limits { max_draw_buffers: 5, ..Limits::default() };
        let core = lang(450, Profile::Core);
        assert_eq!(constant("gl_MaxDrawBuffers", &core, &limits), Some((Type::INT, smallvec![5])));
        assert_eq!(constant("gl_MinProgramTexelOffset", &core, &limits).unwrap().1[0] as i64, -8);
        let size = constant("gl_MaxComputeWorkGroupSize", &core, &limits).unwrap();
        assert_eq!((size.0, &size.1[..]), (Type::vector(Base::Int, 3), &[1024, 1024, 64][..]));
    }

    #[test]
    fn versions_decide() {
        let limits = Limits::default();
        let has = |name: &str, number, profile| constant(name, &lang(number, profile), &limits).is_some();
        assert!(has("gl_MaxLights", 120, Profile::Compatibility));
        assert!(!has("gl_MaxLights", 150, Profile::Core));
        assert!(has("gl_MaxVaryingVectors", 100, Profile::Es));
        assert!(!has("gl_MaxVaryingVectors", 300, Profile::Es));
        assert!(!has("gl_MaxPatchVertices", 310, Profile::Es));
        assert!(has("gl_MaxPatchVertices", 320, Profile::Es));
        assert!(!has("gl_MaxNonsense", 460, Profile::Core));
        assert_eq!(
            hint("gl_MaxPatchVertices", &lang(310, Profile::Es)).unwrap(),
            "needs GLSL ES 3.20, GL_EXT_tessellation_shader or GL_OES_tessellation_shader"
        );
    }
}
