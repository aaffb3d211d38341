//! Texture functions (GLSL 4.60 section 8.9).

use super::row::{ALL, COMPUTE, FRAGMENT, Group, Row, Signature, by};
use super::texture_signature::{
    BUFFER, CUBE, CUBE_ARRAY, CUBE_ARRAY_SHADOW, CUBE_SHADOW, D1, D1_ARRAY, D1_ARRAY_SHADOW, D1_SHADOW, D2,
    D2_ARRAY, D2_ARRAY_SHADOW, D2_SHADOW, D3, EXTERNAL, Kind, MS, MS_ARRAY, Optional, RECT, RECT_SHADOW,
    Shape, TextureSignature, signature,
};
use crate::builtin::op::{TexCall, TexOffset, TexOp, TextureQuery};
use crate::extension::Ext;
use crate::types::{Base, OpaqueKind};
use crate::version::{Avail, NEVER};

/// A lookup.
pub(super) const fn lookup(name: &'static str, call: TexCall, shapes: &'static [Shape]) -> Row {
    Row { name, signature: Signature::Texture(signature(Kind::Lookup(call), shapes, Optional::Nothing)) }
}

/// A lookup with optional bias.
pub(super) const fn biased(name: &'static str, call: TexCall, shapes: &'static [Shape]) -> Row {
    Row { name, signature: Signature::Texture(signature(Kind::Lookup(call), shapes, Optional::Bias)) }
}

/// A gather with optional component.
const fn gather(name: &'static str, call: TexCall, shapes: &'static [Shape]) -> Row {
    Row { name, signature: Signature::Texture(signature(Kind::Lookup(call), shapes, Optional::Component)) }
}

/// A query.
pub(super) const fn query(name: &'static str, query: TextureQuery, shapes: &'static [Shape]) -> Row {
    Row { name, signature: Signature::Texture(signature(Kind::Query(query), shapes, Optional::Nothing)) }
}

/// A function of textures without sampler.
const fn samplerless(name: &'static str, kind: Kind, shapes: &'static [Shape]) -> Row {
    let s = signature(kind, shapes, Optional::Nothing);
    Row { name, signature: Signature::Texture(TextureSignature { of: OpaqueKind::Texture, ..s }) }
}

/// Floating-point textures only, as before integers came.
pub(super) const fn floats(row: Row) -> Row {
    with_bases(row, &[Base::Float])
}

/// Integer textures only.
pub(super) const fn integers(row: Row) -> Row {
    with_bases(row, &[Base::Int, Base::Uint])
}

const fn with_bases(row: Row, bases: &'static [Base]) -> Row {
    match row.signature {
        Signature::Texture(signature) => {
            Row { name: row.name, signature: Signature::Texture(TextureSignature { bases, ..signature }) }
        }
        signature => Row { name: row.name, signature },
    }
}

pub(super) const SAMPLE: TexCall = TexCall::new(TexOp::Sample);
pub(super) const LOD: TexCall = TexCall::new(TexOp::Lod);
pub(super) const GRAD: TexCall = TexCall::new(TexOp::Grad);
pub(super) const FETCH: TexCall = TexCall::new(TexOp::Fetch);
const GATHER: TexCall = TexCall::new(TexOp::Gather);

/// With projection.
pub(super) const fn proj(call: TexCall) -> TexCall {
    TexCall { proj: true, ..call }
}

/// With one offset.
pub(super) const fn offset(call: TexCall) -> TexCall {
    TexCall { offset: TexOffset::One, ..call }
}

/// With the result of a comparison as a vector.
pub(super) const fn vec4(call: TexCall) -> TexCall {
    TexCall { shadow_vec4: true, ..call }
}

const fn clamp(call: TexCall) -> TexCall {
    TexCall { clamp: true, ..call }
}

const fn compare(call: TexCall) -> TexCall {
    TexCall { compare: true, ..call }
}

const V130: Avail = Avail::since(130, 300);
const V130_DESKTOP: Avail = Avail::since(130, NEVER);
const V400_CUBE_ARRAY: Avail = Avail::since(400, 320).or(&[
    Ext::ARB_texture_cube_map_array,
    Ext::EXT_texture_cube_map_array,
    Ext::OES_texture_cube_map_array,
]);
const SHADOW_LOD: Avail = by(&[Ext::EXT_texture_shadow_lod]);
const GATHER_5: Avail = Avail::since(400, 310).or(&[Ext::ARB_gpu_shader5]);
const GATHER_ARB: Avail = by(&[Ext::ARB_texture_gather]);
const GATHER_OFFSETS: Avail =
    Avail::since(400, 320).or(&[Ext::ARB_gpu_shader5, Ext::EXT_gpu_shader5, Ext::OES_gpu_shader5]);
const ESSL3_EXTERNAL: Avail = by(&[Ext::OES_EGL_image_external_essl3]);
const QUERY_LEVELS: Avail = Avail::since(430, NEVER).or(&[Ext::ARB_texture_query_levels]);
const SAMPLES: Avail = Avail::since(450, NEVER).or(&[Ext::ARB_shader_texture_image_samples]);
const CLAMP: Avail = by(&[Ext::ARB_sparse_texture_clamp]);
const FOUR: TexCall = TexCall { offset: TexOffset::Four, ..GATHER };

const QUERIED: &[Shape] = &[
    D1,
    D2,
    D3,
    CUBE,
    D1_ARRAY,
    D2_ARRAY,
    CUBE_ARRAY,
    D1_SHADOW,
    D2_SHADOW,
    CUBE_SHADOW,
    D1_ARRAY_SHADOW,
    D2_ARRAY_SHADOW,
    CUBE_ARRAY_SHADOW,
];
const OFFSET: &[Shape] = &[D1, D2, D3, D1_SHADOW, D2_SHADOW, D1_ARRAY, D2_ARRAY, D1_ARRAY_SHADOW];
const PROJ: &[Shape] = &[D1, D2, D3, D1_SHADOW, D2_SHADOW];
const RECTS: &[Shape] = &[RECT, RECT_SHADOW];
const UNSAMPLED: &[Shape] = &[D1, D2, D3, CUBE, RECT, BUFFER, MS, D1_ARRAY, D2_ARRAY, CUBE_ARRAY, MS_ARRAY];

#[rustfmt::skip]
pub(super) static GROUPS: &[Group] = &[
    Group { avail: V130, stages: ALL, rows: &[
        biased("texture", SAMPLE, &[D1, D2, D3, CUBE, D1_SHADOW, D2_SHADOW, CUBE_SHADOW, D1_ARRAY, D2_ARRAY, D1_ARRAY_SHADOW]),
        lookup("texture", SAMPLE, &[D2_ARRAY_SHADOW]),
        biased("textureProj", proj(SAMPLE), PROJ),
        lookup("textureLod", LOD, &[D1, D2, D3, CUBE, D1_SHADOW, D2_SHADOW, D1_ARRAY, D2_ARRAY, D1_ARRAY_SHADOW]),
        biased("textureOffset", offset(SAMPLE), OFFSET),
        lookup("texelFetch", FETCH, &[D1, D2, D3, D1_ARRAY, D2_ARRAY, BUFFER, MS, MS_ARRAY]),
        lookup("texelFetchOffset", offset(FETCH), &[D1, D2, D3, D1_ARRAY, D2_ARRAY]),
        biased("textureProjOffset", offset(proj(SAMPLE)), PROJ),
        lookup("textureLodOffset", offset(LOD), OFFSET),
        lookup("textureProjLod", proj(LOD), PROJ),
        lookup("textureProjLodOffset", offset(proj(LOD)), PROJ),
        lookup("textureGrad", GRAD, &[D1, D2, D3, CUBE, D1_SHADOW, D2_SHADOW, CUBE_SHADOW, D1_ARRAY, D2_ARRAY, D1_ARRAY_SHADOW, D2_ARRAY_SHADOW]),
        lookup("textureGradOffset", offset(GRAD), &[D1, D2, D3, D1_SHADOW, D2_SHADOW, D1_ARRAY, D2_ARRAY, D1_ARRAY_SHADOW, D2_ARRAY_SHADOW]),
        lookup("textureProjGrad", proj(GRAD), PROJ),
        lookup("textureProjGradOffset", offset(proj(GRAD)), PROJ),
        query("textureSize", TextureQuery::Size, &[D1, D2, D3, CUBE, D1_ARRAY, D2_ARRAY, D1_SHADOW, D2_SHADOW, CUBE_SHADOW, D1_ARRAY_SHADOW, D2_ARRAY_SHADOW, BUFFER, MS, MS_ARRAY]),
    ]},
    // GLSL 4.20 and GLSL ES 3.20 section 8.9 have no offset here.
    Group { avail: Avail::since(430, NEVER), stages: ALL, rows: &[
        lookup("textureOffset", offset(SAMPLE), &[D2_ARRAY_SHADOW]),
    ]},
    // The types show whether rectangle textures exist; the extension does not add these names to older versions.
    Group { avail: V130_DESKTOP, stages: ALL, rows: &[
        lookup("texture", SAMPLE, RECTS),
        lookup("textureProj", proj(SAMPLE), RECTS),
        lookup("textureOffset", offset(SAMPLE), RECTS),
        lookup("texelFetch", FETCH, &[RECT]),
        lookup("texelFetchOffset", offset(FETCH), &[RECT]),
        lookup("textureProjOffset", offset(proj(SAMPLE)), RECTS),
        lookup("textureGrad", GRAD, RECTS),
        lookup("textureGradOffset", offset(GRAD), RECTS),
        lookup("textureProjGrad", proj(GRAD), RECTS),
        lookup("textureProjGradOffset", offset(proj(GRAD)), RECTS),
        query("textureSize", TextureQuery::Size, RECTS),
    ]},
    Group { avail: V400_CUBE_ARRAY, stages: ALL, rows: &[
        biased("texture", SAMPLE, &[CUBE_ARRAY]),
        lookup("texture", compare(SAMPLE), &[CUBE_ARRAY_SHADOW]),
        lookup("textureLod", LOD, &[CUBE_ARRAY]),
        lookup("textureGrad", GRAD, &[CUBE_ARRAY]),
        query("textureSize", TextureQuery::Size, &[CUBE_ARRAY, CUBE_ARRAY_SHADOW]),
    ]},
    Group { avail: SHADOW_LOD, stages: ALL, rows: &[
        biased("texture", SAMPLE, &[D2_ARRAY_SHADOW]),
        biased("texture", compare(SAMPLE), &[CUBE_ARRAY_SHADOW]),
        biased("textureOffset", offset(SAMPLE), &[D2_ARRAY_SHADOW]),
        lookup("textureLod", LOD, &[D2_ARRAY_SHADOW, CUBE_SHADOW]),
        lookup("textureLod", compare(LOD), &[CUBE_ARRAY_SHADOW]),
        lookup("textureLodOffset", offset(LOD), &[D2_ARRAY_SHADOW]),
    ]},
    Group { avail: ESSL3_EXTERNAL, stages: ALL, rows: &[
        biased("texture", SAMPLE, &[EXTERNAL]),
        biased("textureProj", proj(SAMPLE), &[EXTERNAL]),
        lookup("texelFetch", FETCH, &[EXTERNAL]),
        query("textureSize", TextureQuery::Size, &[EXTERNAL]),
    ]},
    Group { avail: GATHER_5, stages: ALL, rows: &[
        gather("textureGather", GATHER, &[D2, D2_ARRAY, CUBE, CUBE_ARRAY, RECT]),
        lookup("textureGather", GATHER, &[D2_SHADOW, D2_ARRAY_SHADOW, CUBE_SHADOW, CUBE_ARRAY_SHADOW, RECT_SHADOW]),
        gather("textureGatherOffset", offset(GATHER), &[D2, D2_ARRAY, RECT]),
        lookup("textureGatherOffset", offset(GATHER), &[D2_SHADOW, D2_ARRAY_SHADOW, RECT_SHADOW]),
    ]},
    Group { avail: GATHER_ARB, stages: ALL, rows: &[
        lookup("textureGather", GATHER, &[D2, D2_ARRAY, CUBE, CUBE_ARRAY]),
        lookup("textureGatherOffset", offset(GATHER), &[D2, D2_ARRAY]),
    ]},
    Group { avail: GATHER_OFFSETS, stages: ALL, rows: &[
        gather("textureGatherOffsets", FOUR, &[D2, D2_ARRAY, RECT]),
        lookup("textureGatherOffsets", FOUR, &[D2_SHADOW, D2_ARRAY_SHADOW, RECT_SHADOW]),
    ]},
    Group { avail: Avail::since(400, NEVER), stages: FRAGMENT, rows: &[
        query("textureQueryLod", TextureQuery::Lod, QUERIED),
    ]},
    Group { avail: by(&[Ext::KHR_compute_shader_derivatives, Ext::NV_compute_shader_derivatives]), stages: COMPUTE, rows: &[
        query("textureQueryLod", TextureQuery::Lod, QUERIED),
    ]},
    Group { avail: by(&[Ext::ARB_texture_query_lod, Ext::EXT_texture_query_lod]), stages: FRAGMENT, rows: &[
        query("textureQueryLOD", TextureQuery::Lod, QUERIED),
    ]},
    Group { avail: QUERY_LEVELS, stages: ALL, rows: &[
        query("textureQueryLevels", TextureQuery::Levels, QUERIED),
    ]},
    Group { avail: SAMPLES, stages: ALL, rows: &[
        query("textureSamples", TextureQuery::Samples, &[MS, MS_ARRAY]),
    ]},
    Group { avail: by(&[Ext::EXT_shader_samples_identical]), stages: ALL, rows: &[
        query("textureSamplesIdenticalEXT", TextureQuery::SamplesIdentical, &[MS, MS_ARRAY]),
    ]},
    Group { avail: CLAMP, stages: ALL, rows: &[
        biased("textureClampARB", clamp(SAMPLE), &[D1, D2, D3, CUBE, D1_ARRAY, D2_ARRAY, CUBE_ARRAY, D1_SHADOW, D2_SHADOW, CUBE_SHADOW, D1_ARRAY_SHADOW]),
        lookup("textureClampARB", clamp(SAMPLE), &[D2_ARRAY_SHADOW]),
        lookup("textureClampARB", clamp(compare(SAMPLE)), &[CUBE_ARRAY_SHADOW]),
        biased("textureOffsetClampARB", clamp(offset(SAMPLE)), OFFSET),
        lookup("textureOffsetClampARB", clamp(offset(SAMPLE)), &[D2_ARRAY_SHADOW]),
        lookup("textureGradClampARB", clamp(GRAD), &[D1, D2, D3, CUBE, D1_SHADOW, D2_SHADOW, CUBE_SHADOW, D1_ARRAY, D2_ARRAY, D1_ARRAY_SHADOW, D2_ARRAY_SHADOW, CUBE_ARRAY]),
        lookup("textureGradOffsetClampARB", clamp(offset(GRAD)), &[D1, D2, D3, D1_SHADOW, D2_SHADOW, D1_ARRAY, D2_ARRAY, D1_ARRAY_SHADOW, D2_ARRAY_SHADOW]),
    ]},
    Group { avail: by(&[Ext::EXT_samplerless_texture_functions]), stages: ALL, rows: &[
        samplerless("texelFetch", Kind::Lookup(FETCH), &[D1, D2, D3, RECT, D1_ARRAY, D2_ARRAY, BUFFER, MS, MS_ARRAY]),
        samplerless("texelFetchOffset", Kind::Lookup(offset(FETCH)), &[D1, D2, D3, RECT, D1_ARRAY, D2_ARRAY]),
        samplerless("textureSize", Kind::Query(TextureQuery::Size), UNSAMPLED),
        samplerless("textureQueryLevels", Kind::Query(TextureQuery::Levels), &[D1, D2, D3, CUBE, D1_ARRAY, D2_ARRAY, CUBE_ARRAY]),
        samplerless("textureSamples", Kind::Query(TextureQuery::Samples), &[MS, MS_ARRAY]),
    ]},
];
