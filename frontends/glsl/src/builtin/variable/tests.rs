//! Built-in variables by version, stage and extension.

use super::*;
use crate::extension::{Ext, ExtSet};
use crate::version::{Profile, Version};
use airfoil_ir::{Slot, SystemValue};

fn lang(number: u16, profile: Profile, stage: Stage, exts: &[Ext]) -> Language {
    let vulkan = exts.contains(&Ext::KHR_vulkan_glsl);
    Language { version: Version { number, profile }, stage, extensions: ExtSet::of(exts), vulkan }
}

fn unit(lang: &Language) -> Unit {
    Unit { vulkan: lang.vulkan, extensions: lang.extensions, ..Unit::new(lang.stage, lang.version) }
}

fn has(name: &str, lang: &Language) -> bool {
    declare(name, &mut unit(lang), lang, &Limits::default()).is_some()
}

use Profile::{Compatibility, Core, Es};
use Stage::{Compute, Fragment, Geometry, TessControl, TessEval, Vertex};

#[test]
fn versions_stages_and_extensions_decide() {
    // name, language, whether it exists
    let rows: &[(&str, Language, bool)] = &[
        ("gl_Position", lang(110, Compatibility, Vertex, &[]), true),
        ("gl_Position", lang(110, Compatibility, Fragment, &[]), false),
        ("gl_Position", lang(320, Es, TessControl, &[]), false),
        ("gl_FragColor", lang(100, Es, Fragment, &[]), true),
        ("gl_FragColor", lang(300, Es, Fragment, &[]), false),
        ("gl_FragColor", lang(330, Core, Fragment, &[]), true),
        ("gl_FragColor", lang(420, Core, Fragment, &[]), false),
        ("gl_FragColor", lang(460, Compatibility, Fragment, &[]), true),
        ("gl_Vertex", lang(120, Compatibility, Vertex, &[]), true),
        ("gl_Vertex", lang(140, Core, Vertex, &[]), false),
        ("gl_Vertex", lang(140, Core, Vertex, &[Ext::ARB_compatibility]), true),
        ("gl_VertexID", lang(120, Compatibility, Vertex, &[]), false),
        ("gl_VertexID", lang(120, Compatibility, Vertex, &[Ext::EXT_gpu_shader4]), true),
        ("gl_VertexID", lang(450, Core, Vertex, &[Ext::KHR_vulkan_glsl]), false),
        ("gl_VertexIndex", lang(450, Core, Vertex, &[Ext::KHR_vulkan_glsl]), true),
        ("gl_VertexIndex", lang(450, Core, Vertex, &[]), false),
        ("gl_FragDepth", lang(100, Es, Fragment, &[]), false),
        ("gl_FragDepthEXT", lang(100, Es, Fragment, &[Ext::EXT_frag_depth]), true),
        ("gl_PointSize", lang(310, Es, Geometry, &[Ext::EXT_geometry_shader]), false),
        (
            "gl_PointSize",
            lang(310, Es, Geometry, &[Ext::EXT_geometry_shader, Ext::OES_geometry_point_size]),
            true,
        ),
        ("gl_WorkGroupID", lang(430, Core, Compute, &[]), true),
        ("gl_WorkGroupID", lang(430, Core, Fragment, &[]), false),
        ("gl_TessLevelOuter", lang(400, Core, TessEval, &[]), true),
        ("gl_LightSource", lang(150, Core, Fragment, &[]), false),
        ("gl_LightSource", lang(150, Compatibility, Fragment, &[]), true),
        ("gl_BaseVertex", lang(450, Core, Vertex, &[]), false),
        ("gl_BaseVertexARB", lang(450, Core, Vertex, &[Ext::ARB_shader_draw_parameters]), true),
        ("gl_SubgroupSize", lang(450, Core, Compute, &[Ext::KHR_shader_subgroup_basic]), true),
        ("gl_Nonsense", lang(450, Core, Compute, &[]), false),
    ];
    for (name, lang, expected) in rows {
        assert_eq!(has(name, lang), *expected, "{name} in {} {:?}", lang.version, lang.stage);
    }
}

#[test]
fn gl_in_is_an_array_of_blocks() {
    let lang = lang(460, Core, TessControl, &[]);
    let mut unit = unit(&lang);
    let limits = Limits::default();
    let var = declare("gl_in", &mut unit, &lang, &limits).unwrap();
    assert!(var.block);
    let array = unit.types.as_array(var.ty).unwrap();
    assert_eq!(array.len, 32);
    let block = unit.types.as_struct(array.elem).unwrap();
    assert!(block.block);
    let members: Vec<_> = block.fields.iter().map(|f| (&unit.names[f.name], f.builtin.unwrap())).collect();
    assert_eq!(
        members,
        [
            ("gl_Position", BuiltinVar::Position),
            ("gl_PointSize", BuiltinVar::PointSize),
            ("gl_ClipDistance", BuiltinVar::ClipDistance),
            ("gl_CullDistance", BuiltinVar::CullDistance),
        ]
    );
    let out = declare("gl_out", &mut unit, &lang, &limits).unwrap();
    let array = unit.types.as_array(out.ty).unwrap();
    assert_eq!(array.len, 0);
    let block = unit.types.as_struct(array.elem).unwrap();
    assert!(block.fields.iter().all(|f| f.qualifiers.storage == Storage::Out));
}

#[test]
fn gl_per_vertex_has_what_the_version_has() {
    let members = |lang: Language| per_vertex_fields(&mut unit(&lang), &lang, Storage::Out).len();
    assert_eq!(members(lang(320, Es, TessEval, &[])), 1);
    assert_eq!(members(lang(320, Es, TessEval, &[Ext::EXT_tessellation_point_size])), 2);
    assert_eq!(members(lang(150, Core, Geometry, &[])), 3);
    assert_eq!(members(lang(150, Compatibility, Geometry, &[])), 10);
}

#[test]
fn structures_are_added_once() {
    let lang = lang(120, Compatibility, Fragment, &[]);
    let mut unit = unit(&lang);
    let limits = Limits::default();
    let front = declare("gl_FrontMaterial", &mut unit, &lang, &limits).unwrap();
    let back = declare("gl_BackMaterial", &mut unit, &lang, &limits).unwrap();
    assert_eq!(front.ty, back.ty);
    let lights = declare("gl_LightSource", &mut unit, &lang, &limits).unwrap();
    assert_eq!(unit.types.as_array(lights.ty).unwrap().len, 8);
    let matrices = declare("gl_TextureMatrix", &mut unit, &lang, &limits).unwrap();
    assert_eq!(unit.types.as_array(matrices.ty).unwrap().elem, Type::MAT4);
}

#[test]
fn precision_is_that_of_the_version() {
    let precision = |name: &str, lang: Language| {
        declare(name, &mut unit(&lang), &lang, &Limits::default()).unwrap().qualifiers.precision.0
    };
    assert_eq!(precision("gl_FragCoord", lang(100, Es, Fragment, &[])), Precision::Medium);
    assert_eq!(precision("gl_FragCoord", lang(300, Es, Fragment, &[])), Precision::High);
    assert_eq!(precision("gl_FragCoord", lang(450, Core, Fragment, &[])), Precision::None);
}

#[test]
fn the_same_name_lives_elsewhere_in_other_stages() {
    assert_eq!(BuiltinVar::Layer.io(Fragment), BuiltinIo::System(SystemValue::layer_id));
    assert_eq!(BuiltinVar::Layer.io(Geometry), BuiltinIo::Slot(Slot::LAYER));
    assert_eq!(BuiltinVar::PrimitiveId.io(Geometry), BuiltinIo::Slot(Slot::PRIMITIVE_ID));
    assert_eq!(BuiltinVar::Color.io(Vertex), BuiltinIo::Slot(Slot::generic(3).unwrap()));
    assert_eq!(BuiltinVar::Color.io(Fragment), BuiltinIo::Slot(Slot::COLOR0));
}

#[test]
fn hints_name_what_is_missing() {
    let text = |name: &str, lang: Language| hint(name, &lang).unwrap_or_default();
    assert_eq!(
        text("gl_VertexID", lang(120, Compatibility, Vertex, &[])),
        "needs GLSL 1.30 or GL_EXT_gpu_shader4"
    );
    assert_eq!(
        text("gl_VertexID", lang(120, Compatibility, Fragment, &[])),
        "is not available in the fragment stage"
    );
    assert_eq!(text("gl_FragColor", lang(300, Es, Fragment, &[])), "was removed in GLSL ES 3.00");
    assert_eq!(
        text("gl_InstanceID", lang(450, Core, Vertex, &[Ext::KHR_vulkan_glsl])),
        "is not available in GLSL for Vulkan"
    );
    assert_eq!(text("gl_Nonsense", lang(450, Core, Vertex, &[])), "");
}
