//! Built-in functions by version, stage and extension.

use super::*;
use crate::builtin::op::{Atomic, Lowering, TexOffset, TexOp};
use crate::extension::{Ext, ExtSet};
use crate::types::{Base, Opaque, OpaqueKind, TypeTable};
use crate::version::{Profile, Version};
use Profile::{Compatibility, Core, Es};
use Stage::{Compute, Fragment, Geometry, TessControl, Vertex};
use airfoil_ir::{Dim, Stage};

fn lang(number: u16, profile: Profile, stage: Stage, exts: &[Ext]) -> Language {
    let mut extensions = ExtSet::of(exts);
    if profile != Es {
        extensions = extensions.with(Ext::ARB_texture_rectangle);
    }
    Language { version: Version { number, profile }, stage, extensions, vulkan: false }
}

fn sampler(name: &str) -> Type {
    let ty = crate::basic_types::BASIC_TYPES.iter().find(|t| t.name == name);
    ty.unwrap_or_else(|| panic!("no type {name}")).ty
}

/// `texture(sampler2D, vec2, float)` with or without the builtin in a language.
fn check(lang: &Language, call: &str, expected: Option<&str>) {
    let (name, args) = call.strip_suffix(')').and_then(|c| c.split_once('(')).expect("a call");
    let args: Vec<Type> = args.split(", ").filter(|a| !a.is_empty()).map(argument).collect();
    let found = exact(name, &args, lang);
    let result = found.as_ref().map(|p| crate::basic_types::basic_name(p.result));
    let place = format!("{call} in {} {:?} {:?}", lang.version, lang.stage, lang.extensions);
    assert_eq!(result, expected, "{place}");
    // The list of all overloads agrees.
    let listed = prototypes_with(name, args.len(), lang).into_iter().find(|p| p.takes(&args));
    assert_eq!(listed.map(|p| p.result), found.map(|p| p.result), "{place}");
}

fn argument(text: &str) -> Type {
    if text == "ivec2[4]" { TypeTable::FOUR_OFFSETS } else { sampler(text) }
}

#[test]
fn arithmetic() {
    let old = lang(110, Compatibility, Fragment, &[]);
    let new = lang(460, Core, Fragment, &[]);
    let es1 = lang(100, Es, Fragment, &[]);
    let es3 = lang(300, Es, Fragment, &[]);
    check(&old, "max(vec3, vec3)", Some("vec3"));
    check(&old, "max(vec3, float)", Some("vec3"));
    check(&old, "max(float, vec3)", None);
    check(&old, "max(int, int)", None);
    check(&lang(120, Compatibility, Fragment, &[Ext::EXT_gpu_shader4]), "max(int, int)", Some("int"));
    check(&new, "max(uvec2, uint)", Some("uvec2"));
    check(&new, "max(dvec4, double)", Some("dvec4"));
    check(&lang(330, Core, Fragment, &[]), "max(dvec4, double)", None);
    check(&lang(330, Core, Fragment, &[Ext::ARB_gpu_shader_fp64]), "max(dvec4, double)", Some("dvec4"));
    check(&es1, "atan(float, float)", Some("float"));
    check(&es1, "sinh(float)", None);
    check(&es3, "sinh(vec4)", Some("vec4"));
    check(&es3, "cross(vec3, vec3)", Some("vec3"));
    check(&es3, "cross(vec2, vec2)", None);
    check(&es3, "mix(vec2, vec2, bvec2)", Some("vec2"));
    check(&es3, "mix(ivec2, ivec2, bvec2)", None);
    check(&lang(310, Es, Fragment, &[]), "mix(ivec2, ivec2, bvec2)", Some("ivec2"));
    check(&lang(310, Es, Fragment, &[]), "mix(bvec3, bvec3, bvec3)", Some("bvec3"));
    check(&new, "mix(float, float, bool)", Some("float"));
    check(&new, "lessThan(vec3, vec3)", Some("bvec3"));
    check(&new, "lessThan(float, float)", None);
    check(&new, "equal(bvec2, bvec2)", Some("bvec2"));
    check(&new, "lessThan(bvec2, bvec2)", None);
    check(&new, "modf(dvec2, dvec2)", Some("dvec2"));
    check(&new, "frexp(vec2, ivec2)", Some("vec2"));
    check(&new, "frexp(vec2, int)", None);
    check(&new, "ldexp(float, int)", Some("float"));
    check(&new, "bitfieldExtract(uvec3, int, int)", Some("uvec3"));
    check(&new, "findMSB(uvec3)", Some("ivec3"));
    check(&new, "umulExtended(uint, uint, uint, uint)", Some("void"));
    check(&new, "packDouble2x32(uvec2)", Some("double"));
    check(&new, "floatBitsToUint(vec3)", Some("uvec3"));
    check(&lang(320, Core, Fragment, &[]), "floatBitsToUint(vec3)", None);
    check(
        &lang(150, Core, Fragment, &[Ext::ARB_shader_bit_encoding]),
        "floatBitsToUint(vec3)",
        Some("uvec3"),
    );
    check(&new, "abs(float16_t)", None);
    let half = lang(450, Core, Fragment, &[Ext::EXT_shader_explicit_arithmetic_types_float16]);
    check(&half, "abs(f16vec2)", Some("f16vec2"));
    check(&half, "pow(f16vec2, f16vec2)", Some("f16vec2"));
    let long = lang(450, Core, Fragment, &[Ext::ARB_gpu_shader_int64]);
    check(&long, "min(i64vec2, int64_t)", Some("i64vec2"));
    check(&long, "packUint2x32(uvec2)", Some("uint64_t"));
    check(&new, "noise3(vec2)", Some("vec3"));
    check(&es3, "noise3(vec2)", None);
    check(&es1, "ftransform()", None);
    check(&lang(120, Compatibility, Vertex, &[]), "ftransform()", Some("vec4"));
    check(&lang(120, Compatibility, Fragment, &[]), "ftransform()", None);
}

#[test]
fn matrices() {
    let new = lang(460, Core, Vertex, &[]);
    check(&new, "outerProduct(vec3, vec2)", Some("mat2x3"));
    check(&new, "transpose(mat2x3)", Some("mat3x2"));
    check(&new, "inverse(mat4)", Some("mat4"));
    check(&new, "inverse(mat2x3)", None);
    check(&new, "determinant(dmat3)", Some("double"));
    check(&new, "matrixCompMult(mat2x4, mat2x4)", Some("mat2x4"));
    check(&lang(110, Compatibility, Vertex, &[]), "transpose(mat2)", None);
    check(&lang(130, Compatibility, Vertex, &[]), "inverse(mat4)", None);
    check(&lang(140, Core, Vertex, &[]), "determinant(mat4)", None);
}

#[test]
fn textures() {
    let new = lang(460, Core, Fragment, &[]);
    let vertex = lang(460, Core, Vertex, &[]);
    check(&new, "texture(sampler2D, vec2)", Some("vec4"));
    check(&new, "texture(usampler2D, vec2, float)", Some("uvec4"));
    check(&vertex, "texture(sampler2D, vec2, float)", None);
    check(&vertex, "textureLod(sampler2D, vec2, float)", Some("vec4"));
    check(&new, "texture(sampler1DShadow, vec3)", Some("float"));
    check(&new, "texture(sampler2DArrayShadow, vec4)", Some("float"));
    check(&new, "texture(sampler2DArrayShadow, vec4, float)", None);
    let shadow_lod = lang(460, Core, Fragment, &[Ext::EXT_texture_shadow_lod]);
    check(&shadow_lod, "texture(sampler2DArrayShadow, vec4, float)", Some("float"));
    check(&shadow_lod, "textureLod(samplerCubeArrayShadow, vec4, float, float)", Some("float"));
    check(&new, "texture(samplerCubeArrayShadow, vec4, float)", Some("float"));
    check(&new, "textureProj(sampler2D, vec3)", Some("vec4"));
    check(&new, "textureProj(sampler2D, vec4, float)", Some("vec4"));
    check(&new, "textureProj(sampler1D, vec2)", Some("vec4"));
    check(&new, "textureProj(sampler1D, vec3)", None);
    check(&new, "textureProj(sampler2DShadow, vec4)", Some("float"));
    check(&new, "textureProj(samplerCube, vec4)", None);
    check(&new, "textureGrad(samplerCube, vec3, vec3, vec3)", Some("vec4"));
    check(&new, "textureGradOffset(sampler2DRectShadow, vec3, vec2, vec2, ivec2)", Some("float"));
    check(&new, "texelFetch(isampler2DMS, ivec2, int)", Some("ivec4"));
    check(&new, "texelFetch(samplerBuffer, int)", Some("vec4"));
    check(&new, "texelFetch(sampler2DRect, ivec2)", Some("vec4"));
    check(&new, "textureSize(samplerCubeArray, int)", Some("ivec3"));
    check(&new, "textureSize(sampler2DMSArray)", Some("ivec3"));
    check(&new, "textureQueryLod(sampler2DArrayShadow, vec2)", Some("vec2"));
    check(&vertex, "textureQueryLod(sampler2D, vec2)", None);
    check(&new, "textureGather(sampler2D, vec2, int)", Some("vec4"));
    check(&new, "textureGather(sampler2DShadow, vec2, float)", Some("vec4"));
    check(&new, "textureGatherOffsets(usampler2D, vec2, ivec2[4], int)", Some("uvec4"));
    check(&lang(310, Es, Fragment, &[]), "textureGatherOffsets(sampler2D, vec2, ivec2[4])", None);
    check(&lang(300, Es, Fragment, &[]), "textureOffset(sampler2DArrayShadow, vec4, ivec2)", None);
    check(
        &lang(150, Core, Fragment, &[Ext::ARB_texture_gather]),
        "textureGather(sampler2D, vec2)",
        Some("vec4"),
    );
    check(
        &lang(150, Core, Fragment, &[Ext::ARB_texture_gather]),
        "textureGather(sampler2D, vec2, int)",
        None,
    );
    check(&lang(120, Compatibility, Fragment, &[]), "texture(sampler2DRect, vec2)", None);
    let bare = lang(450, Core, Fragment, &[Ext::EXT_samplerless_texture_functions]);
    check(&bare, "texelFetch(texture2D, ivec2, int)", Some("vec4"));
    check(&bare, "textureSize(utexture2DMS)", Some("ivec2"));
    check(&new, "texelFetch(texture2D, ivec2, int)", None);
}

#[test]
fn old_texture_names() {
    let old = lang(110, Compatibility, Fragment, &[]);
    let old_vertex = lang(110, Compatibility, Vertex, &[]);
    check(&old, "texture2D(sampler2D, vec2, float)", Some("vec4"));
    check(&old_vertex, "texture2D(sampler2D, vec2, float)", None);
    check(&old, "texture2DLod(sampler2D, vec2, float)", None);
    check(&old_vertex, "texture2DLod(sampler2D, vec2, float)", Some("vec4"));
    check(
        &lang(110, Compatibility, Fragment, &[Ext::ARB_shader_texture_lod]),
        "texture2DLod(sampler2D, vec2, float)",
        Some("vec4"),
    );
    check(&lang(130, Compatibility, Fragment, &[]), "texture2DLod(sampler2D, vec2, float)", Some("vec4"));
    check(&old, "shadow2DProj(sampler2DShadow, vec4)", Some("vec4"));
    check(&old, "shadow1D(sampler1DShadow, vec3, float)", Some("vec4"));
    check(&old, "texture2DRectProj(sampler2DRect, vec4)", Some("vec4"));
    check(&old, "shadow2DRect(sampler2DRectShadow, vec3)", Some("vec4"));
    check(&lang(330, Core, Fragment, &[]), "texture2D(sampler2D, vec2)", Some("vec4"));
    check(&lang(420, Core, Fragment, &[]), "texture2D(sampler2D, vec2)", None);
    check(&lang(460, Compatibility, Fragment, &[]), "texture2D(sampler2D, vec2)", Some("vec4"));
    let es1 = lang(100, Es, Fragment, &[]);
    check(&es1, "texture2D(sampler2D, vec2, float)", Some("vec4"));
    check(&es1, "texture2DLodEXT(sampler2D, vec2, float)", None);
    check(&es1, "texture2DLod(sampler2D, vec2, float)", None);
    check(&es1, "texture1D(sampler1D, float)", None);
    check(&es1, "texture3D(sampler3D, vec3)", None);
    check(&lang(100, Es, Fragment, &[Ext::OES_texture_3D]), "texture3D(sampler3D, vec3)", Some("vec4"));
    check(&lang(100, Es, Vertex, &[]), "textureCubeLod(samplerCube, vec3, float)", Some("vec4"));
    let lod = lang(100, Es, Fragment, &[Ext::EXT_shader_texture_lod]);
    check(&lod, "texture2DLodEXT(sampler2D, vec2, float)", Some("vec4"));
    check(&lod, "texture2DProjGradEXT(sampler2D, vec4, vec2, vec2)", Some("vec4"));
    check(&lang(300, Es, Fragment, &[]), "texture2D(sampler2D, vec2)", None);
    let shadow = lang(100, Es, Fragment, &[Ext::EXT_shadow_samplers]);
    check(&shadow, "shadow2DEXT(sampler2DShadow, vec3)", Some("float"));
    let external = lang(100, Es, Fragment, &[Ext::OES_EGL_image_external]);
    check(&external, "texture2D(samplerExternalOES, vec2)", Some("vec4"));
    let arrays = lang(110, Compatibility, Fragment, &[Ext::EXT_texture_array]);
    check(&arrays, "texture2DArray(sampler2DArray, vec3)", Some("vec4"));
    check(&arrays, "shadow1DArray(sampler1DArrayShadow, vec3)", Some("vec4"));
    let shader4 = lang(110, Compatibility, Fragment, &[Ext::EXT_gpu_shader4]);
    check(&shader4, "texelFetch2D(usampler2D, ivec2, int)", Some("uvec4"));
    check(&shader4, "texture2D(isampler2D, vec2)", Some("ivec4"));
    check(&shader4, "textureSize2DRect(sampler2DRect)", Some("ivec2"));
    check(&shader4, "texture2DGradOffset(sampler2D, vec2, vec2, vec2, ivec2)", Some("vec4"));
    check(&lang(130, Compatibility, Fragment, &[]), "texture2D(isampler2D, vec2)", None);
}

#[test]
fn images_memory_and_stages() {
    let new = lang(460, Core, Compute, &[]);
    check(&new, "imageLoad(uimage3D, ivec3)", Some("uvec4"));
    check(&new, "imageStore(image2DMSArray, ivec3, int, vec4)", Some("void"));
    check(&new, "imageSize(imageCube)", Some("ivec2"));
    check(&new, "imageAtomicAdd(iimage2D, ivec2, int)", Some("int"));
    check(&new, "imageAtomicAdd(image2D, ivec2, float)", None);
    check(&new, "imageAtomicExchange(image2D, ivec2, float)", Some("float"));
    check(&new, "imageAtomicCompSwap(uimageBuffer, int, uint, uint)", Some("uint"));
    check(&lang(310, Es, Compute, &[]), "imageAtomicAdd(iimage2D, ivec2, int)", None);
    check(
        &lang(310, Es, Compute, &[Ext::OES_shader_image_atomic]),
        "imageAtomicAdd(iimage2D, ivec2, int)",
        Some("int"),
    );
    check(&new, "atomicAdd(uint, uint)", Some("uint"));
    check(&new, "atomicAdd(float, float)", None);
    check(
        &lang(460, Core, Compute, &[Ext::EXT_shader_atomic_float]),
        "atomicAdd(float, float)",
        Some("float"),
    );
    check(&new, "atomicCounterIncrement(atomic_uint)", Some("uint"));
    check(&lang(450, Core, Fragment, &[]), "atomicCounterAdd(atomic_uint, uint)", None);
    check(&new, "atomicCounterAdd(atomic_uint, uint)", Some("uint"));
    check(&new, "barrier()", Some("void"));
    check(&lang(400, Core, TessControl, &[]), "barrier()", Some("void"));
    check(&lang(460, Core, Fragment, &[]), "barrier()", None);
    check(&lang(460, Core, Fragment, &[]), "groupMemoryBarrier()", None);
    check(&lang(460, Core, Fragment, &[]), "memoryBarrier()", Some("void"));
    check(&lang(460, Core, Fragment, &[]), "dFdxFine(vec2)", Some("vec2"));
    check(&lang(460, Core, Vertex, &[]), "dFdx(vec2)", None);
    check(&lang(100, Es, Fragment, &[]), "dFdx(vec2)", None);
    check(&lang(100, Es, Fragment, &[Ext::OES_standard_derivatives]), "dFdx(vec2)", Some("vec2"));
    check(&lang(150, Core, Geometry, &[]), "EmitVertex()", Some("void"));
    check(&lang(150, Core, Geometry, &[]), "EmitStreamVertex(int)", None);
    check(&lang(400, Core, Geometry, &[]), "EmitStreamVertex(int)", Some("void"));
    let subgroups =
        lang(450, Core, Compute, &[Ext::KHR_shader_subgroup_arithmetic, Ext::KHR_shader_subgroup_ballot]);
    check(&subgroups, "subgroupExclusiveXor(bvec2)", Some("bvec2"));
    check(&subgroups, "subgroupAdd(bvec2)", None);
    check(&subgroups, "subgroupBallot(bool)", Some("uvec4"));
    let half = [Ext::KHR_shader_subgroup_ballot, Ext::EXT_shader_explicit_arithmetic_types_float16];
    check(&lang(450, Core, Compute, &half), "subgroupBroadcastFirst(f16vec2)", None);
    let half = [&half[..], &[Ext::EXT_shader_subgroup_extended_types_float16]].concat();
    check(&lang(450, Core, Compute, &half), "subgroupBroadcastFirst(f16vec2)", Some("f16vec2"));
    check(&lang(450, Core, Compute, &[Ext::ARB_shader_ballot]), "ballotARB(bool)", Some("uint64_t"));
    check(&lang(460, Core, Compute, &[]), "anyInvocation(bool)", Some("bool"));
    check(&new, "subpassLoad(subpassInput)", None);
    let scopes = lang(450, Core, Compute, &[Ext::KHR_memory_scope_semantics]);
    check(&scopes, "atomicCompSwap(int, int, int, int, int, int, int, int)", Some("int"));
    check(&scopes, "imageAtomicLoad(uimage2D, ivec2, int, int, int)", Some("uint"));
}

#[test]
fn parameters_have_their_qualifiers() {
    let new = lang(460, Core, Fragment, &[]);
    let params =
        |name: &str, count: usize, lang: &Language| prototypes_with(name, count, lang)[0].params.clone();
    assert!(params("textureOffset", 3, &new)[2].constant);
    assert!(!params("textureGatherOffset", 3, &new)[2].constant);
    assert!(params("textureGatherOffset", 3, &lang(310, Es, Fragment, &[]))[2].constant);
    assert!(params("textureGatherOffset", 4, &new)[3].constant);
    assert!(params("textureGatherOffsets", 3, &new)[2].constant);
    assert!(params("interpolateAtSample", 2, &new)[0].interpolant);
    let gl = lang(450, Core, Compute, &[Ext::KHR_shader_subgroup_ballot]);
    assert!(params("subgroupBroadcast", 2, &gl)[1].constant);
    assert!(!params("subgroupBroadcast", 2, &Language { vulkan: true, ..gl })[1].constant);
    let atomic = params("atomicAdd", 2, &new);
    assert!(atomic[0].memory && atomic[0].dir == Dir::InOut && !atomic[1].memory);
    assert_eq!(params("modf", 2, &new)[1].dir, Dir::Out);
    assert_eq!(params("imulExtended", 4, &new)[3].dir, Dir::Out);
}

#[test]
fn calls_say_where_their_arguments_are() {
    let new = lang(460, Core, Fragment, &[Ext::EXT_texture_shadow_lod]);
    for name in names(&new) {
        for p in prototypes(name, &new) {
            let Lowering::Texture(call) = p.builtin.lowering else { continue };
            let sampler = p.params[0].ty.as_opaque().unwrap();
            let args = call.args(sampler);
            assert_eq!(args.count, p.params.len(), "{name} {p:?}");
            let ty = |i: Option<usize>| i.map(|i| p.params[i].ty);
            assert_eq!(args.offset.is_some(), call.offset != TexOffset::None);
            assert!(
                [args.compare, args.clamp, args.bias].iter().all(|&i| ty(i).is_none_or(|t| t == Type::FLOAT))
            );
            assert!(ty(args.component).is_none_or(|t| t == Type::INT), "{name}");
            let lod = if call.op == TexOp::Fetch { Type::INT } else { Type::FLOAT };
            assert!(ty(args.lod).is_none_or(|t| t == lod), "{name}");
            // The coordinate has the documented number of components.
            let Type::Vector { size, .. } = p.params[args.coord].ty else { panic!("{name}") };
            let last = call
                .reference_component(sampler)
                .unwrap_or(sampler.dim.coord_comps() + u8::from(sampler.arrayed) - 1);
            assert!(if call.proj { size > last + 1 } else { size == last + 1 }, "{name} {p:?}");
        }
    }
    let shadow = Opaque {
        kind: OpaqueKind::Sampled,
        sampled: Base::Float,
        dim: Dim::D1,
        arrayed: false,
        shadow: true,
        external: false,
    };
    let p = exact("texture", &[Type::Opaque(shadow), Type::VEC3], &new).unwrap();
    let Lowering::Texture(call) = p.builtin.lowering else { panic!() };
    assert_eq!(call.reference_component(shadow), Some(2));
}

#[test]
fn every_row_has_overloads_that_are_found() {
    // Some language for every row: the newest with all extensions, and old ones.
    let all: ExtSet = crate::extension::EXTENSIONS.iter().map(|i| i.ext).collect();
    let mut rows = 0;
    let mut overloads = 0;
    for (row, group) in &INDEX.rows {
        let stage = [Fragment, Vertex, TessControl, Geometry, Compute]
            .into_iter()
            .find(|&s| group.stages.contains(s));
        let lang = Language {
            version: Version { number: 460, profile: Compatibility },
            stage: stage.expect("a stage"),
            extensions: all,
            vulkan: false,
        };
        let here = Language { extensions: all, ..lang };
        assert!(group.is_available(&here), "{}", row.name);
        let mut count = 0;
        let mut add = |p: Prototype| {
            count += 1;
            let types: Vec<Type> = p.params.iter().map(|p| p.ty).collect();
            let found = exact(row.name, &types, &here);
            assert_eq!(found.map(|f| f.result), Some(p.result), "{} {types:?}", row.name);
        };
        match &row.signature {
            Signature::Generic(s) => s.expand(&here, &mut add),
            Signature::Texture(s) => s.expand(&here, &mut add),
            Signature::Image(s) => s.expand(&here, &mut add),
        }
        assert!(count > 0, "{}", row.name);
        rows += 1;
        overloads += count;
    }
    assert!(overloads > 6000, "{overloads}");
    assert!(rows > 600 && INDEX.names.len() > 400);
}

#[test]
fn hints_name_what_is_missing() {
    let text = |name: &str, lang: Language| hint(name, &lang).unwrap_or_default();
    assert_eq!(text("texture2D", lang(300, Es, Fragment, &[])), "was removed in GLSL ES 3.00");
    assert_eq!(
        text("dFdx", lang(100, Es, Fragment, &[])),
        "needs GLSL ES 3.00 or GL_OES_standard_derivatives"
    );
    assert_eq!(text("EmitVertex", lang(450, Core, Fragment, &[])), "is not available in the fragment stage");
    assert_eq!(text("nonsense", lang(450, Core, Fragment, &[])), "");
    assert!(is_function("dFdx", &lang(300, Es, Fragment, &[])));
    assert!(!is_function("dFdx", &lang(300, Es, Vertex, &[])));
}

#[test]
fn atomics_by_operation() {
    let new = lang(460, Core, Compute, &[]);
    let p = exact("atomicXor", &[Type::INT, Type::INT], &new).unwrap();
    assert!(matches!(p.builtin.lowering, Lowering::Atomic(Atomic::Xor)));
}

/// Functions of one version or extension form a group; each has a text test.
#[test]
fn every_group_has_a_text_test() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/filetests/glsl");
    let files = std::fs::read_dir(folder).expect("the folder of the tests");
    let texts: Vec<String> =
        files.map(|f| std::fs::read_to_string(f.expect("a file").path()).expect("text")).collect();
    let code = texts.iter().flat_map(|text| text.lines()).filter(|line| !line.trim().starts_with("//"));
    let called: rustc_hash::FxHashSet<&str> =
        code.flat_map(|line| line.split(|c: char| !c.is_alphanumeric() && c != '_')).collect();
    let missing: Vec<Vec<&str>> = groups()
        .map(|group| group.rows.iter().map(|row| row.name).collect::<Vec<_>>())
        .filter(|names| !names.iter().any(|name| called.contains(name)))
        .collect();
    assert!(
        missing.is_empty(),
        "groups of functions without a text test in tests/filetests/glsl: {missing:?}"
    );
}
