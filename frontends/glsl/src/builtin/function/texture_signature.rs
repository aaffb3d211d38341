//! Signatures of texture functions, which follow from the operation and the shape of the texture.

use super::prototype::{Param, Prototype};
use crate::builtin::op::{Builtin, CallPrecision, Lowering, TexCall, TexOffset, TexOp, TextureQuery};
use crate::extension::Ext;
use crate::types::{Base, Opaque, OpaqueKind, Type, TypeTable};
use crate::version::{Avail, Language};
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

    /// Components of a coordinate without its layer.
    fn comps(self) -> u8 {
        self.dim.coord_comps()
    }

    /// Components of a coordinate with its layer.
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
    pub kind: Kind,
    pub builtin: Builtin,
    /// The operation with the optional argument.
    pub with_optional: Builtin,
    /// With a sampler, or without ([`OpaqueKind::Texture`]).
    pub of: OpaqueKind,
    pub shapes: &'static [Shape],
    pub bases: &'static [Base],
    pub optional: Optional,
}

/// Base types of texels.
const TEXELS: &[Base] = &[Base::Float, Base::Int, Base::Uint];

/// The overloads of a use for textures of these shapes.
pub(super) const fn signature(kind: Kind, shapes: &'static [Shape], optional: Optional) -> TextureSignature {
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
