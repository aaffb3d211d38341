//! Image functions (GLSL 4.60 section 8.12) and `subpassLoad`.

use super::image_signature::{ImageSignature, Kind};
use super::row::{ALL, FRAGMENT, Group, Row, Signature, by};
use crate::builtin::op::{Atomic, Builtin, CallPrecision, ImageOp, Lowering};
use crate::extension::Ext;
use crate::types::Base;
use crate::version::{Avail, NEVER};

const TEXELS: &[Base] = &[Base::Float, Base::Int, Base::Uint, Base::Int64, Base::Uint64];
const INTS: &[Base] = &[Base::Int, Base::Uint];
const INTS_64: &[Base] = &[Base::Int64, Base::Uint64];
const FLOAT: &[Base] = &[Base::Float];

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
