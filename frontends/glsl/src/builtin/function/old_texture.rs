//! Texture functions of the names before GLSL 1.30 and of EXT_gpu_shader4, EXT_texture_array, ARB_shader_texture_lod and ES 1.00.
//!
//! They are gone from the core profile in GLSL 4.20 and from ES in 3.00. `shadow*` functions give a `vec4`.

use super::row::{ALL, FRAGMENT, Group, VERTEX, by};
use super::texture::{FETCH, GRAD, LOD, SAMPLE, biased, floats, integers, lookup, offset, proj, query, vec4};
use super::texture_signature::{
    BUFFER, CUBE, CUBE_SHADOW, D1, D1_ARRAY, D1_ARRAY_SHADOW, D1_SHADOW, D2, D2_ARRAY, D2_ARRAY_SHADOW,
    D2_SHADOW, D3, EXTERNAL, RECT, RECT_SHADOW,
};
use crate::builtin::op::TextureQuery;
use crate::extension::Ext;
use crate::version::{Avail, NEVER};

/// Deprecated, but in the core profile up to GLSL 4.10.
const OLD: Avail = Avail::since(110, 100).until(420, 300).or(&[Ext::ARB_compatibility]);
const OLD_DESKTOP: Avail = Avail::since(110, NEVER).until(420, NEVER).or(&[Ext::ARB_compatibility]);
/// Explicit levels of detail in all stages: since GLSL 1.30, by extensions before.
const OLD_LOD: Avail =
    Avail::since(130, NEVER).until(420, NEVER).or(&[Ext::ARB_shader_texture_lod, Ext::EXT_gpu_shader4]);
const OLD_3D: Avail =
    Avail::since(110, NEVER).until(420, NEVER).or(&[Ext::OES_texture_3D, Ext::ARB_compatibility]);
const SHADER4: Avail = by(&[Ext::EXT_gpu_shader4]);
const TEXTURE_ARRAY: Avail = by(&[Ext::EXT_texture_array, Ext::EXT_gpu_shader4]);
const TEXTURE_LOD: Avail = by(&[Ext::ARB_shader_texture_lod]);
const ES_TEXTURE_LOD: Avail = by(&[Ext::EXT_shader_texture_lod]);
const RECTANGLE: Avail = by(&[Ext::ARB_texture_rectangle]);

#[rustfmt::skip]
pub(super) static GROUPS: &[Group] = &[
    Group { avail: OLD, stages: ALL, rows: &[
        floats(biased("texture2D", SAMPLE, &[D2])),
        floats(biased("texture2DProj", proj(SAMPLE), &[D2])),
        floats(biased("textureCube", SAMPLE, &[CUBE])),
    ]},
    // Before GLSL 1.30 levels of detail are given in the vertex stage only.
    Group { avail: OLD, stages: VERTEX, rows: &[
        floats(lookup("texture2DLod", LOD, &[D2])),
        floats(lookup("texture2DProjLod", proj(LOD), &[D2])),
        floats(lookup("textureCubeLod", LOD, &[CUBE])),
    ]},
    Group { avail: OLD_LOD, stages: ALL, rows: &[
        floats(lookup("texture1DLod", LOD, &[D1])),
        floats(lookup("texture1DProjLod", proj(LOD), &[D1])),
        floats(lookup("texture2DLod", LOD, &[D2])),
        floats(lookup("texture2DProjLod", proj(LOD), &[D2])),
        floats(lookup("texture3DLod", LOD, &[D3])),
        floats(lookup("texture3DProjLod", proj(LOD), &[D3])),
        floats(lookup("textureCubeLod", LOD, &[CUBE])),
        lookup("shadow1DLod", vec4(LOD), &[D1_SHADOW]),
        lookup("shadow1DProjLod", vec4(proj(LOD)), &[D1_SHADOW]),
        lookup("shadow2DLod", vec4(LOD), &[D2_SHADOW]),
        lookup("shadow2DProjLod", vec4(proj(LOD)), &[D2_SHADOW]),
    ]},
    Group { avail: OLD_3D, stages: ALL, rows: &[
        floats(biased("texture3D", SAMPLE, &[D3])),
        floats(biased("texture3DProj", proj(SAMPLE), &[D3])),
    ]},
    Group { avail: OLD_3D, stages: VERTEX, rows: &[
        floats(lookup("texture3DLod", LOD, &[D3])),
        floats(lookup("texture3DProjLod", proj(LOD), &[D3])),
    ]},
    Group { avail: OLD_DESKTOP, stages: ALL, rows: &[
        floats(biased("texture1D", SAMPLE, &[D1])),
        floats(biased("texture1DProj", proj(SAMPLE), &[D1])),
        biased("shadow1D", vec4(SAMPLE), &[D1_SHADOW]),
        biased("shadow1DProj", vec4(proj(SAMPLE)), &[D1_SHADOW]),
        biased("shadow2D", vec4(SAMPLE), &[D2_SHADOW]),
        biased("shadow2DProj", vec4(proj(SAMPLE)), &[D2_SHADOW]),
    ]},
    Group { avail: OLD_DESKTOP, stages: VERTEX, rows: &[
        floats(lookup("texture1DLod", LOD, &[D1])),
        floats(lookup("texture1DProjLod", proj(LOD), &[D1])),
        lookup("shadow1DLod", vec4(LOD), &[D1_SHADOW]),
        lookup("shadow1DProjLod", vec4(proj(LOD)), &[D1_SHADOW]),
        lookup("shadow2DLod", vec4(LOD), &[D2_SHADOW]),
        lookup("shadow2DProjLod", vec4(proj(LOD)), &[D2_SHADOW]),
    ]},
    Group { avail: RECTANGLE, stages: ALL, rows: &[
        floats(lookup("texture2DRect", SAMPLE, &[RECT])),
        floats(lookup("texture2DRectProj", proj(SAMPLE), &[RECT])),
        lookup("shadow2DRect", vec4(SAMPLE), &[RECT_SHADOW]),
        lookup("shadow2DRectProj", vec4(proj(SAMPLE)), &[RECT_SHADOW]),
    ]},
    Group { avail: TEXTURE_LOD, stages: ALL, rows: &[
        floats(lookup("texture1DGradARB", GRAD, &[D1])),
        floats(lookup("texture1DProjGradARB", proj(GRAD), &[D1])),
        floats(lookup("texture2DGradARB", GRAD, &[D2])),
        floats(lookup("texture2DProjGradARB", proj(GRAD), &[D2])),
        floats(lookup("texture3DGradARB", GRAD, &[D3])),
        floats(lookup("texture3DProjGradARB", proj(GRAD), &[D3])),
        floats(lookup("textureCubeGradARB", GRAD, &[CUBE])),
        floats(lookup("texture2DRectGradARB", GRAD, &[RECT])),
        floats(lookup("texture2DRectProjGradARB", proj(GRAD), &[RECT])),
        lookup("shadow1DGradARB", vec4(GRAD), &[D1_SHADOW]),
        lookup("shadow1DProjGradARB", vec4(proj(GRAD)), &[D1_SHADOW]),
        lookup("shadow2DGradARB", vec4(GRAD), &[D2_SHADOW]),
        lookup("shadow2DProjGradARB", vec4(proj(GRAD)), &[D2_SHADOW]),
        lookup("shadow2DRectGradARB", vec4(GRAD), &[RECT_SHADOW]),
        lookup("shadow2DRectProjGradARB", vec4(proj(GRAD)), &[RECT_SHADOW]),
    ]},
    // ES 1.00.
    Group { avail: ES_TEXTURE_LOD, stages: FRAGMENT, rows: &[
        floats(lookup("texture2DLodEXT", LOD, &[D2])),
        floats(lookup("texture2DProjLodEXT", proj(LOD), &[D2])),
        floats(lookup("textureCubeLodEXT", LOD, &[CUBE])),
    ]},
    Group { avail: ES_TEXTURE_LOD, stages: ALL, rows: &[
        floats(lookup("texture2DGradEXT", GRAD, &[D2])),
        floats(lookup("texture2DProjGradEXT", proj(GRAD), &[D2])),
        floats(lookup("textureCubeGradEXT", GRAD, &[CUBE])),
    ]},
    Group { avail: by(&[Ext::EXT_shadow_samplers]), stages: ALL, rows: &[
        lookup("shadow2DEXT", SAMPLE, &[D2_SHADOW]),
        lookup("shadow2DProjEXT", proj(SAMPLE), &[D2_SHADOW]),
    ]},
    Group { avail: by(&[Ext::OES_EGL_image_external]), stages: ALL, rows: &[
        lookup("texture2D", SAMPLE, &[EXTERNAL]),
        lookup("texture2DProj", proj(SAMPLE), &[EXTERNAL]),
    ]},
    Group { avail: TEXTURE_ARRAY, stages: ALL, rows: &[
        floats(biased("texture1DArray", SAMPLE, &[D1_ARRAY])),
        floats(biased("texture2DArray", SAMPLE, &[D2_ARRAY])),
        floats(lookup("texture1DArrayLod", LOD, &[D1_ARRAY])),
        floats(lookup("texture2DArrayLod", LOD, &[D2_ARRAY])),
        biased("shadow1DArray", vec4(SAMPLE), &[D1_ARRAY_SHADOW]),
        lookup("shadow2DArray", vec4(SAMPLE), &[D2_ARRAY_SHADOW]),
        lookup("shadow1DArrayLod", vec4(LOD), &[D1_ARRAY_SHADOW]),
    ]},
    // EXT_gpu_shader4: offsets, gradients and fetches.
    Group { avail: SHADER4, stages: ALL, rows: &[
        biased("texture1DOffset", offset(SAMPLE), &[D1]),
        biased("texture1DProjOffset", offset(proj(SAMPLE)), &[D1]),
        lookup("texture1DLodOffset", offset(LOD), &[D1]),
        lookup("texture1DProjLodOffset", offset(proj(LOD)), &[D1]),
        biased("texture2DOffset", offset(SAMPLE), &[D2]),
        biased("texture2DProjOffset", offset(proj(SAMPLE)), &[D2]),
        lookup("texture2DLodOffset", offset(LOD), &[D2]),
        lookup("texture2DProjLodOffset", offset(proj(LOD)), &[D2]),
        biased("texture3DOffset", offset(SAMPLE), &[D3]),
        biased("texture3DProjOffset", offset(proj(SAMPLE)), &[D3]),
        lookup("texture3DLodOffset", offset(LOD), &[D3]),
        lookup("texture3DProjLodOffset", offset(proj(LOD)), &[D3]),
        lookup("texture2DRectOffset", offset(SAMPLE), &[RECT]),
        lookup("texture2DRectProjOffset", offset(proj(SAMPLE)), &[RECT]),
        biased("texture1DArrayOffset", offset(SAMPLE), &[D1_ARRAY]),
        lookup("texture1DArrayLodOffset", offset(LOD), &[D1_ARRAY]),
        biased("texture2DArrayOffset", offset(SAMPLE), &[D2_ARRAY]),
        lookup("texture2DArrayLodOffset", offset(LOD), &[D2_ARRAY]),
        lookup("texture1DGrad", GRAD, &[D1]),
        lookup("texture1DProjGrad", proj(GRAD), &[D1]),
        lookup("texture1DGradOffset", offset(GRAD), &[D1]),
        lookup("texture1DProjGradOffset", offset(proj(GRAD)), &[D1]),
        lookup("texture2DGrad", GRAD, &[D2]),
        lookup("texture2DProjGrad", proj(GRAD), &[D2]),
        lookup("texture2DGradOffset", offset(GRAD), &[D2]),
        lookup("texture2DProjGradOffset", offset(proj(GRAD)), &[D2]),
        lookup("texture3DGrad", GRAD, &[D3]),
        lookup("texture3DProjGrad", proj(GRAD), &[D3]),
        lookup("texture3DGradOffset", offset(GRAD), &[D3]),
        lookup("texture3DProjGradOffset", offset(proj(GRAD)), &[D3]),
        lookup("texture2DRectGrad", GRAD, &[RECT]),
        lookup("texture2DRectProjGrad", proj(GRAD), &[RECT]),
        lookup("texture2DRectGradOffset", offset(GRAD), &[RECT]),
        lookup("texture2DRectProjGradOffset", offset(proj(GRAD)), &[RECT]),
        lookup("textureCubeGrad", GRAD, &[CUBE]),
        lookup("texture1DArrayGrad", GRAD, &[D1_ARRAY]),
        lookup("texture1DArrayGradOffset", offset(GRAD), &[D1_ARRAY]),
        lookup("texture2DArrayGrad", GRAD, &[D2_ARRAY]),
        lookup("texture2DArrayGradOffset", offset(GRAD), &[D2_ARRAY]),
        biased("shadowCube", vec4(SAMPLE), &[CUBE_SHADOW]),
        biased("shadow1DOffset", vec4(offset(SAMPLE)), &[D1_SHADOW]),
        biased("shadow1DProjOffset", vec4(offset(proj(SAMPLE))), &[D1_SHADOW]),
        lookup("shadow1DLodOffset", vec4(offset(LOD)), &[D1_SHADOW]),
        lookup("shadow1DProjLodOffset", vec4(offset(proj(LOD))), &[D1_SHADOW]),
        biased("shadow2DOffset", vec4(offset(SAMPLE)), &[D2_SHADOW]),
        biased("shadow2DProjOffset", vec4(offset(proj(SAMPLE))), &[D2_SHADOW]),
        lookup("shadow2DLodOffset", vec4(offset(LOD)), &[D2_SHADOW]),
        lookup("shadow2DProjLodOffset", vec4(offset(proj(LOD))), &[D2_SHADOW]),
        lookup("shadow2DRectOffset", vec4(offset(SAMPLE)), &[RECT_SHADOW]),
        lookup("shadow2DRectProjOffset", vec4(offset(proj(SAMPLE))), &[RECT_SHADOW]),
        biased("shadow1DArrayOffset", vec4(offset(SAMPLE)), &[D1_ARRAY_SHADOW]),
        lookup("shadow1DArrayLodOffset", vec4(offset(LOD)), &[D1_ARRAY_SHADOW]),
        lookup("shadow2DArrayOffset", vec4(offset(SAMPLE)), &[D2_ARRAY_SHADOW]),
        lookup("shadow1DGrad", vec4(GRAD), &[D1_SHADOW]),
        lookup("shadow1DProjGrad", vec4(proj(GRAD)), &[D1_SHADOW]),
        lookup("shadow1DGradOffset", vec4(offset(GRAD)), &[D1_SHADOW]),
        lookup("shadow1DProjGradOffset", vec4(offset(proj(GRAD))), &[D1_SHADOW]),
        lookup("shadow2DGrad", vec4(GRAD), &[D2_SHADOW]),
        lookup("shadow2DProjGrad", vec4(proj(GRAD)), &[D2_SHADOW]),
        lookup("shadow2DGradOffset", vec4(offset(GRAD)), &[D2_SHADOW]),
        lookup("shadow2DProjGradOffset", vec4(offset(proj(GRAD))), &[D2_SHADOW]),
        lookup("shadow2DRectGrad", vec4(GRAD), &[RECT_SHADOW]),
        lookup("shadow2DRectProjGrad", vec4(proj(GRAD)), &[RECT_SHADOW]),
        lookup("shadow2DRectGradOffset", vec4(offset(GRAD)), &[RECT_SHADOW]),
        lookup("shadow2DRectProjGradOffset", vec4(offset(proj(GRAD))), &[RECT_SHADOW]),
        lookup("shadowCubeGrad", vec4(GRAD), &[CUBE_SHADOW]),
        lookup("shadow1DArrayGrad", vec4(GRAD), &[D1_ARRAY_SHADOW]),
        lookup("shadow1DArrayGradOffset", vec4(offset(GRAD)), &[D1_ARRAY_SHADOW]),
        lookup("shadow2DArrayGrad", vec4(GRAD), &[D2_ARRAY_SHADOW]),
        lookup("shadow2DArrayGradOffset", vec4(offset(GRAD)), &[D2_ARRAY_SHADOW]),
        lookup("texelFetch1D", FETCH, &[D1]),
        lookup("texelFetch2D", FETCH, &[D2]),
        lookup("texelFetch3D", FETCH, &[D3]),
        lookup("texelFetch2DRect", FETCH, &[RECT]),
        lookup("texelFetch1DArray", FETCH, &[D1_ARRAY]),
        lookup("texelFetch2DArray", FETCH, &[D2_ARRAY]),
        lookup("texelFetch1DOffset", offset(FETCH), &[D1]),
        lookup("texelFetch2DOffset", offset(FETCH), &[D2]),
        lookup("texelFetch3DOffset", offset(FETCH), &[D3]),
        lookup("texelFetch2DRectOffset", offset(FETCH), &[RECT]),
        lookup("texelFetch1DArrayOffset", offset(FETCH), &[D1_ARRAY]),
        lookup("texelFetch2DArrayOffset", offset(FETCH), &[D2_ARRAY]),
        lookup("texelFetchBuffer", FETCH, &[BUFFER]),
        query("textureSize1D", TextureQuery::Size, &[D1]),
        query("textureSize2D", TextureQuery::Size, &[D2]),
        query("textureSize3D", TextureQuery::Size, &[D3]),
        query("textureSizeCube", TextureQuery::Size, &[CUBE]),
        query("textureSize2DRect", TextureQuery::Size, &[RECT]),
        query("textureSize1DArray", TextureQuery::Size, &[D1_ARRAY]),
        query("textureSize2DArray", TextureQuery::Size, &[D2_ARRAY]),
        query("textureSizeBuffer", TextureQuery::Size, &[BUFFER]),
    ]},
    // Integer textures.
    Group { avail: SHADER4, stages: ALL, rows: &[
        integers(biased("texture1D", SAMPLE, &[D1])),
        integers(biased("texture1DProj", proj(SAMPLE), &[D1])),
        integers(lookup("texture1DLod", LOD, &[D1])),
        integers(lookup("texture1DProjLod", proj(LOD), &[D1])),
        integers(biased("texture2D", SAMPLE, &[D2])),
        integers(biased("texture2DProj", proj(SAMPLE), &[D2])),
        integers(lookup("texture2DLod", LOD, &[D2])),
        integers(lookup("texture2DProjLod", proj(LOD), &[D2])),
        integers(biased("texture3D", SAMPLE, &[D3])),
        integers(biased("texture3DProj", proj(SAMPLE), &[D3])),
        integers(lookup("texture3DLod", LOD, &[D3])),
        integers(lookup("texture3DProjLod", proj(LOD), &[D3])),
        integers(biased("textureCube", SAMPLE, &[CUBE])),
        integers(lookup("textureCubeLod", LOD, &[CUBE])),
        integers(lookup("texture2DRect", SAMPLE, &[RECT])),
        integers(lookup("texture2DRectProj", proj(SAMPLE), &[RECT])),
        integers(biased("texture1DArray", SAMPLE, &[D1_ARRAY])),
        integers(lookup("texture1DArrayLod", LOD, &[D1_ARRAY])),
        integers(biased("texture2DArray", SAMPLE, &[D2_ARRAY])),
        integers(lookup("texture2DArrayLod", LOD, &[D2_ARRAY])),
    ]},
];
