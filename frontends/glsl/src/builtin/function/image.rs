//! Image functions (GLSL 4.60 section 8.12) and `subpassLoad`: signatures that follow from the shape of the image.

use super::{ALL, FRAGMENT, Group, Param, Prototype, Row, Signature, by};
use crate::builtin::op::{Atomic, Builtin};
use crate::extension::Ext;
use crate::types::{Base, Opaque, OpaqueKind, Type};
use crate::version::{Avail, Language, NEVER};
use airfoil_ir::Dim;
use smallvec::SmallVec;

/// What a function does with an image.
#[derive(Clone, Copy, Debug)]
enum Kind {
    Load,
    Store,
    Size,
    Samples,
    Atomic(Atomic),
    /// With scope and semantics.
    ScopedAtomic(Atomic),
    SubpassLoad,
}

/// The overloads of an image function for texels of some base types, and for some or all shapes.
#[derive(Debug)]
pub(super) struct ImageSignature {
    kind: Kind,
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

const fn image(name: &'static str, kind: Kind, bases: &'static [Base]) -> Row {
    Row { name, signature: Signature::Image(ImageSignature { kind, bases }) }
}

const fn atomic(name: &'static str, op: Atomic, bases: &'static [Base]) -> Row {
    image(name, Kind::Atomic(op), bases)
}

const fn scoped(name: &'static str, op: Atomic, bases: &'static [Base]) -> Row {
    image(name, Kind::ScopedAtomic(op), bases)
}

impl ImageSignature {
    /// The overload for these arguments.
    pub(super) fn exact(&self, args: &[Type], _lang: &Language) -> Option<Prototype> {
        let of = args.first()?.as_opaque()?;
        let right =
            if matches!(self.kind, Kind::SubpassLoad) { OpaqueKind::Subpass } else { OpaqueKind::Image };
        if of.kind != right || !self.bases.contains(&of.sampled) {
            return None;
        }
        self.overload(of).filter(|p| p.takes(args))
    }

    /// All overloads.
    pub(super) fn expand(&self, _lang: &Language, add: &mut dyn FnMut(Prototype)) {
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
    fn overload(&self, of: Opaque) -> Option<Prototype> {
        let texel = Type::vector(of.sampled, 4);
        let scalar = Type::scalar(of.sampled);
        let layer = u8::from(of.arrayed);
        // The third component of a cube's coordinate is the face, with layers 6 * layer + face.
        let coord = if of.dim == Dim::Cube { 3 } else { of.dim.coord_comps() + layer };
        let mut params: SmallVec<[Param; 6]> = SmallVec::new();
        params.push(Param::new(Type::Opaque(of)));
        if !matches!(self.kind, Kind::Size | Kind::Samples | Kind::SubpassLoad) {
            params.push(Param::new(Type::vector(Base::Int, coord)));
        }
        if of.dim.is_multisampled() && !matches!(self.kind, Kind::Size | Kind::Samples) {
            params.push(Param::new(Type::INT));
        }
        let (builtin, result) = match self.kind {
            Kind::Load => (Builtin::ImageLoad, texel),
            Kind::SubpassLoad => (Builtin::SubpassLoad, texel),
            Kind::Store => {
                params.push(Param::new(texel));
                (Builtin::ImageStore, Type::Void)
            }
            Kind::Size => {
                let comps = if of.dim == Dim::Cube { 2 } else { of.dim.coord_comps() } + layer;
                (Builtin::ImageSize, Type::vector(Base::Int, comps))
            }
            Kind::Samples if of.dim != Dim::Ms => return None,
            Kind::Samples => (Builtin::ImageSamples, Type::INT),
            Kind::Atomic(op) | Kind::ScopedAtomic(op) => {
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
                (Builtin::ImageAtomic(op), if op == Atomic::Store { Type::Void } else { scalar })
            }
        };
        Some(Prototype { builtin, result, params })
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
        image("imageLoad", Kind::Load, TEXELS),
        image("imageStore", Kind::Store, TEXELS),
    ]},
    Group { avail: IMAGE_SIZE, stages: ALL, rows: &[
        image("imageSize", Kind::Size, TEXELS),
    ]},
    Group { avail: IMAGE_SAMPLES, stages: ALL, rows: &[
        image("imageSamples", Kind::Samples, TEXELS),
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
        image("subpassLoad", Kind::SubpassLoad, &[Base::Float, Base::Int, Base::Uint]),
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
