//! Texture functions (GLSL 4.60 section 8.9): signatures derived from the operation and the shape of the texture.

use super::{ALL, COMPUTE, FRAGMENT, Group, Param, Prototype, Row, Signature, by};
use crate::builtin::op::{Builtin, CallPrecision, Lowering, TexCall, TexOffset, TexOp, TextureQuery};
use crate::extension::Ext;
use crate::types::{Base, Opaque, OpaqueKind, Type, TypeTable};
use crate::version::{Avail, Language, NEVER};
use airfoil_ir::{Dim, Stage};
use smallvec::SmallVec;

/// Shape of a texture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    dim: Dim,
    arrayed: bool,
    shadow: bool,
    external: bool,
}

const fn shape(dim: Dim, arrayed: bool, shadow: bool) -> Shape {
    Shape { dim, arrayed, shadow, external: false }
}

pub(super) const D1: Shape = shape(Dim::D1, false, false);
pub(super) const D2: Shape = shape(Dim::D2, false, false);
pub(super) const D3: Shape = shape(Dim::D3, false, false);
pub(super) const CUBE: Shape = shape(Dim::Cube, false, false);
pub(super) const RECT: Shape = shape(Dim::Rect, false, false);
pub(super) const BUFFER: Shape = shape(Dim::Buffer, false, false);
pub(super) const MS: Shape = shape(Dim::Ms, false, false);
pub(super) const D1_ARRAY: Shape = shape(Dim::D1, true, false);
pub(super) const D2_ARRAY: Shape = shape(Dim::D2, true, false);
pub(super) const CUBE_ARRAY: Shape = shape(Dim::Cube, true, false);
pub(super) const MS_ARRAY: Shape = shape(Dim::Ms, true, false);
pub(super) const D1_SHADOW: Shape = shape(Dim::D1, false, true);
pub(super) const D2_SHADOW: Shape = shape(Dim::D2, false, true);
pub(super) const CUBE_SHADOW: Shape = shape(Dim::Cube, false, true);
pub(super) const RECT_SHADOW: Shape = shape(Dim::Rect, false, true);
pub(super) const D1_ARRAY_SHADOW: Shape = shape(Dim::D1, true, true);
pub(super) const D2_ARRAY_SHADOW: Shape = shape(Dim::D2, true, true);
pub(super) const CUBE_ARRAY_SHADOW: Shape = shape(Dim::Cube, true, true);
pub(super) const EXTERNAL: Shape = Shape { dim: Dim::D2, arrayed: false, shadow: false, external: true };

impl Shape {
    fn of(o: Opaque) -> Shape {
        Shape { dim: o.dim, arrayed: o.arrayed, shadow: o.shadow, external: o.external }
    }

    /// Components of a place.
    fn comps(self) -> u8 {
        self.dim.coord_comps()
    }

    /// Components of a place and the layer.
    fn with_layer(self) -> u8 {
        self.comps() + u8::from(self.arrayed)
    }

    fn has_levels(self) -> bool {
        !matches!(self.dim, Dim::Rect | Dim::Buffer | Dim::Ms)
    }
}

/// Use of a texture.
#[derive(Clone, Copy, Debug)]
pub(super) enum Kind {
    Lookup(TexCall),
    Query(TextureQuery),
}

impl Kind {
    /// The operation. A lookup has the precision of its sampler.
    const fn builtin(self) -> Builtin {
        match self {
            Kind::Lookup(call) => Builtin::new(Lowering::Texture(call), CallPrecision::Operands(1)),
            Kind::Query(query) => Builtin::high(Lowering::TextureQuery(query)),
        }
    }
}

/// Optional last argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Optional {
    Nothing,
    /// A bias, in stages that have derivatives.
    Bias,
    /// The component to gather.
    Component,
}

/// The overloads of a texture function for some shapes.
#[derive(Debug)]
pub(super) struct TextureSignature {
    kind: Kind,
    builtin: Builtin,
    /// The operation with the optional argument.
    with_optional: Builtin,
    /// With a sampler, or without ([`OpaqueKind::Texture`]).
    of: OpaqueKind,
    shapes: &'static [Shape],
    bases: &'static [Base],
    optional: Optional,
}

/// Base types of texels.
const TEXELS: &[Base] = &[Base::Float, Base::Int, Base::Uint];

const fn signature(kind: Kind, shapes: &'static [Shape], optional: Optional) -> TextureSignature {
    let extended = match (kind, optional) {
        (Kind::Lookup(call), Optional::Bias) => Kind::Lookup(TexCall { bias: true, ..call }),
        (Kind::Lookup(call), Optional::Component) => Kind::Lookup(TexCall { component: true, ..call }),
        _ => kind,
    };
    TextureSignature {
        kind,
        builtin: kind.builtin(),
        with_optional: extended.builtin(),
        of: OpaqueKind::Sampled,
        shapes,
        bases: TEXELS,
        optional,
    }
}

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

/// Whether offsets of a gather need not be constant.
fn gathers_anywhere(lang: &Language) -> bool {
    const ANYWHERE: Avail =
        Avail::since(400, 320).or(&[Ext::ARB_gpu_shader5, Ext::EXT_gpu_shader5, Ext::OES_gpu_shader5]);
    lang.has(&ANYWHERE)
}

/// Whether lookups have implicit derivatives, so that a bias makes sense.
fn has_derivatives(lang: &Language) -> bool {
    lang.stage == Stage::Fragment
        || (lang.stage == Stage::Compute
            && lang
                .extensions
                .contains_any(&[Ext::KHR_compute_shader_derivatives, Ext::NV_compute_shader_derivatives]))
}

impl TextureSignature {
    /// The overload for these arguments.
    pub(super) fn exact(&'static self, args: &[Type], lang: &Language) -> Option<Prototype> {
        let sampler = args.first()?.as_opaque()?;
        if sampler.kind != self.of
            || !self.shapes.contains(&Shape::of(sampler))
            || !self.bases.contains(&sampler.sampled)
        {
            return None;
        }
        let mut found = None;
        self.overloads(sampler, lang, &mut |p| {
            if p.takes(args) {
                found = Some(p);
            }
        });
        found
    }

    /// All overloads.
    pub(super) fn expand(&'static self, lang: &Language, add: &mut dyn FnMut(Prototype)) {
        for shape in self.shapes {
            let Shape { dim, arrayed, shadow, external } = *shape;
            for &sampled in self.bases {
                if sampled == Base::Float || !(shadow || external) {
                    self.overloads(
                        Opaque { kind: self.of, sampled, dim, arrayed, shadow, external },
                        lang,
                        add,
                    );
                }
            }
        }
    }

    /// All overloads for one type of texture.
    fn overloads(&'static self, o: Opaque, lang: &Language, add: &mut dyn FnMut(Prototype)) {
        let shape = Shape::of(o);
        let of = Param::new(Type::Opaque(o));
        let coord = |base, size| Param::new(Type::vector(base, size));
        let mut one = |result, params: &[Param]| {
            add(Prototype { builtin: &self.builtin, result, params: SmallVec::from_slice(params) });
        };
        let int = Param::new(Type::INT);
        match self.kind {
            Kind::Lookup(call) => self.lookups(call, o, lang, add),
            Kind::Query(TextureQuery::Size) => {
                // A cube has the size of a face.
                let comps = if shape.dim == Dim::Cube { 2 } else { shape.comps() } + u8::from(shape.arrayed);
                let params = [of, int];
                let count = if shape.has_levels() { 2 } else { 1 };
                one(Type::vector(Base::Int, comps), &params[..count]);
            }
            Kind::Query(TextureQuery::Lod) => {
                one(Type::VEC2, &[of, coord(Base::Float, shape.comps())]);
            }
            Kind::Query(TextureQuery::Levels) => one(Type::INT, &[of]),
            Kind::Query(TextureQuery::Samples) => one(Type::INT, &[of]),
            Kind::Query(TextureQuery::SamplesIdentical) => {
                let params = [of, coord(Base::Int, shape.with_layer())];
                one(Type::BOOL, &params);
            }
        }
    }

    fn lookups(&'static self, call: TexCall, o: Opaque, lang: &Language, add: &mut dyn FnMut(Prototype)) {
        let shape = Shape::of(o);
        // Components of the coordinate; projections take a longer one, too.
        let in_coord = shape.shadow && !call.compare && call.op != TexOp::Gather;
        let plain = if in_coord { shape.with_layer().max(2) + 1 } else { shape.with_layer() };
        let sizes: &[u8] = match (call.proj, plain) {
            (false, _) => &[plain],
            (true, 1) => &[2, 4],
            (true, 2) => &[3, 4],
            (true, _) => &[4],
        };
        let scalar = match call.op {
            TexOp::Fetch => Base::Int,
            _ => Base::Float,
        };
        let result = match (shape.shadow && call.op != TexOp::Gather, call.shadow_vec4) {
            (true, false) => Type::FLOAT,
            _ => Type::vector(o.sampled, 4),
        };
        let optional = match self.optional {
            Optional::Component => true,
            Optional::Bias => has_derivatives(lang),
            Optional::Nothing => false,
        };
        for &size in sizes {
            for with_optional in [false, true] {
                if with_optional && !optional {
                    continue;
                }
                let mut params: SmallVec<[Param; 6]> = SmallVec::new();
                params.push(Param::new(Type::Opaque(o)));
                params.push(Param::new(Type::vector(scalar, size)));
                if call.compare || (call.op == TexOp::Gather && shape.shadow) {
                    params.push(Param::new(Type::FLOAT));
                }
                match call.op {
                    TexOp::Lod => params.push(Param::new(Type::FLOAT)),
                    TexOp::Fetch if shape.has_levels() || shape.dim == Dim::Ms => {
                        params.push(Param::new(Type::INT))
                    }
                    TexOp::Grad => {
                        let gradient = Param::new(Type::vector(Base::Float, shape.comps()));
                        params.extend([gradient, gradient]);
                    }
                    _ => {}
                }
                match call.offset {
                    TexOffset::None => {}
                    TexOffset::One => {
                        let constant = call.op != TexOp::Gather || !gathers_anywhere(lang);
                        let ty = Type::vector(Base::Int, shape.comps());
                        params.push(Param { constant, ..Param::new(ty) });
                    }
                    TexOffset::Four => params.push(Param::constant(TypeTable::FOUR_OFFSETS)),
                }
                if call.clamp {
                    params.push(Param::new(Type::FLOAT));
                }
                if with_optional {
                    params.push(match self.optional {
                        Optional::Component => Param::constant(Type::INT),
                        _ => Param::new(Type::FLOAT),
                    });
                }
                let builtin = if with_optional { &self.with_optional } else { &self.builtin };
                add(Prototype { builtin, result, params });
            }
        }
    }
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
    // The types say whether there are rectangle textures; the extension does not bring these names into older versions.
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
