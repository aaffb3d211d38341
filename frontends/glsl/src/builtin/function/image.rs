//! Image functions (GLSL 4.60 section 8.12) and `subpassLoad`: signatures that follow from the shape of the image.

use super::{ALL, FRAGMENT, Group, Param, Prototype, Row, Signature, by};
use crate::builtin::op::{Atomic, Builtin, CallPrecision, ImageOp, Lowering};
use crate::extension::Ext;
use crate::types::{Base, Opaque, OpaqueKind, Type};
use crate::version::{Avail, Language, NEVER};
use airfoil_ir::Dim;
use smallvec::SmallVec;

/// Form of a signature.
#[derive(Clone, Copy, Debug)]
enum Kind {
    Image(ImageOp),
    /// With scope and semantics.
    ScopedAtomic(Atomic),
    SubpassLoad,
}

/// The overloads of an image function for texels of some base types, and for some or all shapes.
#[derive(Debug)]
pub(super) struct ImageSignature {
    kind: Kind,
    builtin: Builtin,
    bases: &'static [Base],
}

const TEXELS: &[Base] = &[Base::Float, Base::Int, Base::Uint, Base::Int64, Base::Uint64];
const INTS: &[Base] = &[Base::Int, Base::Uint];
const INTS_64: &[Base] = &[Base::Int64, Base::Uint64];
const FLOAT: &[Base] = &[Base::Float];

const SHAPES: &[(Dim, bool)] = &[
    (Dim::D1, false),
    (Dim::D2, false),
    (Dim::D3, false),
    (Dim::Cube, false),
    (Dim::Rect, false),
    (Dim::Buffer, false),
    (Dim::D1, true),
    (Dim::D2, true),
    (Dim::Cube, true),
    (Dim::Ms, false),
    (Dim::Ms, true),
];

const fn signature(name: &'static str, kind: Kind, builtin: Builtin, bases: &'static [Base]) -> Row {
    Row { name, signature: Signature::Image(ImageSignature { kind, builtin, bases }) }
}

const fn image(name: &'static str, op: ImageOp, bases: &'static [Base]) -> Row {
    signature(name, Kind::Image(op), Builtin::high(Lowering::Image(op)), bases)
}

const fn atomic(name: &'static str, op: Atomic, bases: &'static [Base]) -> Row {
    image(name, ImageOp::Atomic(op), bases)
}

const fn scoped(name: &'static str, op: Atomic, bases: &'static [Base]) -> Row {
    signature(name, Kind::ScopedAtomic(op), Builtin::high(Lowering::Image(ImageOp::Atomic(op))), bases)
}

/// A load has the precision of the subpass input.
const fn subpass(name: &'static str, bases: &'static [Base]) -> Row {
    let builtin = Builtin::new(Lowering::SubpassLoad, CallPrecision::Operands(1));
    signature(name, Kind::SubpassLoad, builtin, bases)
}

impl ImageSignature {
    /// The overload for these arguments.
    pub(super) fn exact(&'static self, args: &[Type], _lang: &Language) -> Option<Prototype> {
        let of = args.first()?.as_opaque()?;
        let right =
            if matches!(self.kind, Kind::SubpassLoad) { OpaqueKind::Subpass } else { OpaqueKind::Image };
        if of.kind != right || !self.bases.contains(&of.sampled) {
            return None;
        }
        self.overload(of).filter(|p| p.takes(args))
    }

    /// All overloads.
    pub(super) fn expand(&'static self, _lang: &Language, add: &mut dyn FnMut(Prototype)) {
        let (kind, shapes) = match self.kind {
            Kind::SubpassLoad => (OpaqueKind::Subpass, &[(Dim::Subpass, false), (Dim::SubpassMs, false)][..]),
            _ => (OpaqueKind::Image, SHAPES),
        };
        for &(dim, arrayed) in shapes {
            for &sampled in self.bases {
                let of = Opaque { kind, sampled, dim, arrayed, shadow: false, external: false };
                self.overload(of).into_iter().for_each(&mut *add);
            }
        }
    }

    /// The overload for a type of image; there is at most one.
    fn overload(&'static self, of: Opaque) -> Option<Prototype> {
        let texel = Type::vector(of.sampled, 4);
        let scalar = Type::scalar(of.sampled);
        let layer = u8::from(of.arrayed);
        // The third component of a cube's coordinate is the face, with layers 6 * layer + face.
        let coord = if of.dim == Dim::Cube { 3 } else { of.dim.coord_comps() + layer };
        let mut params: SmallVec<[Param; 6]> = SmallVec::new();
        params.push(Param::new(Type::Opaque(of)));
        let query = matches!(self.kind, Kind::Image(ImageOp::Size | ImageOp::Samples));
        if !query && !matches!(self.kind, Kind::SubpassLoad) {
            params.push(Param::new(Type::vector(Base::Int, coord)));
        }
        if of.dim.is_multisampled() && !query {
            params.push(Param::new(Type::INT));
        }
        let result = match self.kind {
            Kind::Image(ImageOp::Load) | Kind::SubpassLoad => texel,
            Kind::Image(ImageOp::Store) => {
                params.push(Param::new(texel));
                Type::Void
            }
            Kind::Image(ImageOp::Size) => {
                let comps = if of.dim == Dim::Cube { 2 } else { of.dim.coord_comps() } + layer;
                Type::vector(Base::Int, comps)
            }
            Kind::Image(ImageOp::Samples) if of.dim != Dim::Ms => return None,
            Kind::Image(ImageOp::Samples) => Type::INT,
            Kind::Image(ImageOp::Atomic(op)) | Kind::ScopedAtomic(op) => {
                let operands = match op {
                    Atomic::Load => 0,
                    Atomic::CompSwap => 2,
                    _ => 1,
                };
                params.extend(std::iter::repeat_n(Param::new(scalar), operands));
                if matches!(self.kind, Kind::ScopedAtomic(_)) {
                    let scopes = if op == Atomic::CompSwap { 5 } else { 3 };
                    params.extend(std::iter::repeat_n(Param::constant(Type::INT), scopes));
                }
                if op == Atomic::Store { Type::Void } else { scalar }
            }
        };
        Some(Prototype { builtin: &self.builtin, result, params })
    }
}

const IMAGES: Avail =
    Avail::since(420, 310).or(&[Ext::ARB_shader_image_load_store, Ext::EXT_shader_image_load_store]);
const IMAGE_SIZE: Avail = Avail::since(430, 310).or(&[Ext::ARB_shader_image_size]);
const IMAGE_SAMPLES: Avail = Avail::since(450, NEVER).or(&[Ext::ARB_shader_texture_image_samples]);
const IMAGE_ATOMIC: Avail = Avail::since(420, 320).or(&[
    Ext::ARB_shader_image_load_store,
    Ext::EXT_shader_image_load_store,
    Ext::OES_shader_image_atomic,
]);
/// `imageAtomicExchange` of floats is in the language proper (GLSL 4.60 section 8.12, GLSL ES 3.20 section 8.14).
const EXCHANGE_FLOAT: Avail = Avail::since(420, 320).or(&[
    Ext::ARB_shader_image_load_store,
    Ext::OES_shader_image_atomic,
    Ext::NV_shader_atomic_float,
]);
const ATOMIC_FLOAT: Avail = by(&[Ext::NV_shader_atomic_float, Ext::EXT_shader_atomic_float]);
const ATOMIC_FLOAT_2: Avail = by(&[Ext::EXT_shader_atomic_float2, Ext::INTEL_shader_atomic_float_minmax]);

#[rustfmt::skip]
pub(super) static GROUPS: &[Group] = &[
    Group { avail: IMAGES, stages: ALL, rows: &[
        image("imageLoad", ImageOp::Load, TEXELS),
        image("imageStore", ImageOp::Store, TEXELS),
    ]},
    Group { avail: IMAGE_SIZE, stages: ALL, rows: &[
        image("imageSize", ImageOp::Size, TEXELS),
    ]},
    Group { avail: IMAGE_SAMPLES, stages: ALL, rows: &[
        image("imageSamples", ImageOp::Samples, TEXELS),
    ]},
    Group { avail: IMAGE_ATOMIC, stages: ALL, rows: ATOMICS },
    Group { avail: by(&[Ext::EXT_shader_image_int64]), stages: ALL, rows: ATOMICS_64 },
    Group { avail: by(&[Ext::EXT_shader_image_load_store]), stages: ALL, rows: &[
        atomic("imageAtomicIncWrap", Atomic::IncWrap, &[Base::Uint]),
        atomic("imageAtomicDecWrap", Atomic::DecWrap, &[Base::Uint]),
    ]},
    Group { avail: EXCHANGE_FLOAT, stages: ALL, rows: &[
        atomic("imageAtomicExchange", Atomic::Exchange, FLOAT),
    ]},
    Group { avail: ATOMIC_FLOAT, stages: ALL, rows: &[
        atomic("imageAtomicAdd", Atomic::Add, FLOAT),
    ]},
    Group { avail: ATOMIC_FLOAT_2, stages: ALL, rows: &[
        atomic("imageAtomicMin", Atomic::Min, FLOAT),
        atomic("imageAtomicMax", Atomic::Max, FLOAT),
    ]},
    Group { avail: by(&[Ext::KHR_memory_scope_semantics]), stages: ALL, rows: &[
        scoped("imageAtomicLoad", Atomic::Load, TEXELS),
        scoped("imageAtomicStore", Atomic::Store, TEXELS),
        scoped("imageAtomicAdd", Atomic::Add, TEXELS),
        scoped("imageAtomicMin", Atomic::Min, TEXELS),
        scoped("imageAtomicMax", Atomic::Max, TEXELS),
        scoped("imageAtomicAnd", Atomic::And, &[Base::Int, Base::Uint, Base::Int64, Base::Uint64]),
        scoped("imageAtomicOr", Atomic::Or, &[Base::Int, Base::Uint, Base::Int64, Base::Uint64]),
        scoped("imageAtomicXor", Atomic::Xor, &[Base::Int, Base::Uint, Base::Int64, Base::Uint64]),
        scoped("imageAtomicExchange", Atomic::Exchange, TEXELS),
        scoped("imageAtomicCompSwap", Atomic::CompSwap, &[Base::Int, Base::Uint, Base::Int64, Base::Uint64]),
    ]},
    Group { avail: by(&[Ext::KHR_vulkan_glsl]), stages: FRAGMENT, rows: &[
        subpass("subpassLoad", &[Base::Float, Base::Int, Base::Uint]),
    ]},
];

macro_rules! atomics {
    ($bases:expr) => {
        &[
            atomic("imageAtomicAdd", Atomic::Add, $bases),
            atomic("imageAtomicMin", Atomic::Min, $bases),
            atomic("imageAtomicMax", Atomic::Max, $bases),
            atomic("imageAtomicAnd", Atomic::And, $bases),
            atomic("imageAtomicOr", Atomic::Or, $bases),
            atomic("imageAtomicXor", Atomic::Xor, $bases),
            atomic("imageAtomicExchange", Atomic::Exchange, $bases),
            atomic("imageAtomicCompSwap", Atomic::CompSwap, $bases),
        ]
    };
}

static ATOMICS: &[Row] = atomics!(INTS);
static ATOMICS_64: &[Row] = atomics!(INTS_64);
