//! Atomic operations on memory, atomic counters and barriers: GLSL 4.60 sections 8.10, 8.11, 8.16, 8.17.

use super::generic::{Arg, COUNTER, INT, S, Sizes, UINT, VOID, constant, memory};
use super::row::{ALL, COMPUTE, Group, Row, TESS_CONTROL, by, fixed, row};
use crate::builtin::op::{Atomic as A, Barrier, Builtin, CounterOp as C, Lowering, MemoryKind as Mk};
use crate::extension::Ext;
use crate::types::Base;
use crate::version::{Avail, NEVER};

const ATOMICS: Avail =
    Avail::since(430, 310).or(&[Ext::ARB_shader_storage_buffer_object, Ext::ARB_compute_shader]);
const ATOMICS_64: Avail = by(&[Ext::NV_shader_atomic_int64, Ext::EXT_shader_atomic_int64]);
const FLOAT: Avail = by(&[Ext::NV_shader_atomic_float, Ext::EXT_shader_atomic_float]);
const FLOAT_EXCHANGE: Avail =
    by(&[Ext::NV_shader_atomic_float, Ext::EXT_shader_atomic_float, Ext::INTEL_shader_atomic_float_minmax]);
const FLOAT_MINMAX: Avail = by(&[Ext::EXT_shader_atomic_float2, Ext::INTEL_shader_atomic_float_minmax]);
const COUNTERS: Avail = Avail::since(420, 310).or(&[Ext::ARB_shader_atomic_counters]);
const COUNTER_OPS: Avail = Avail::since(460, NEVER);
const COUNTER_OPS_ARB: Avail = by(&[Ext::ARB_shader_atomic_counter_ops]);
const BARRIERS: Avail = Avail::since(420, 310).or(&[
    Ext::ARB_shader_image_load_store,
    Ext::EXT_shader_image_load_store,
    Ext::ARB_shader_storage_buffer_object,
    Ext::ARB_compute_shader,
]);
const COMPUTE_SHADER: Avail = Avail::since(430, 310).or(&[Ext::ARB_compute_shader]);
const TESSELLATION: Avail = Avail::since(400, 320).or(&[
    Ext::ARB_tessellation_shader,
    Ext::EXT_tessellation_shader,
    Ext::OES_tessellation_shader,
]);
const SCOPES: Avail = by(&[Ext::KHR_memory_scope_semantics]);

const INTS: &[Base] = &[Base::Int, Base::Uint];
const INTS_64: &[Base] = &[Base::Int64, Base::Uint64];
const FLOATS: &[Base] = &[Base::Float, Base::Double, Base::Half];
const INTEGERS: &[Base] = &[Base::Int, Base::Uint, Base::Int64, Base::Uint64];
const NUMBERS: &[Base] =
    &[Base::Int, Base::Uint, Base::Float, Base::Int64, Base::Uint64, Base::Double, Base::Half];

/// The operand in memory.
const MEM: Arg = memory(S);
/// Scope, storage classes and semantics.
const K: Arg = constant(INT);

const fn atomic(name: &'static str, op: A, bases: &'static [Base]) -> Row {
    row(name, Builtin::high(Lowering::Atomic(op)), S, &[MEM, S], bases, Sizes::One)
}

const fn comp_swap(name: &'static str, bases: &'static [Base]) -> Row {
    row(name, Builtin::high(Lowering::Atomic(A::CompSwap)), S, &[MEM, S, S], bases, Sizes::One)
}

const fn scoped(name: &'static str, op: A, bases: &'static [Base]) -> Row {
    row(name, Builtin::high(Lowering::Atomic(op)), S, &[MEM, S, K, K, K], bases, Sizes::One)
}

const fn counter(name: &'static str, op: C) -> Row {
    fixed(name, Builtin::high(Lowering::AtomicCounter(op)), UINT, &[COUNTER])
}

const fn counter_with(name: &'static str, op: C) -> Row {
    fixed(name, Builtin::high(Lowering::AtomicCounter(op)), UINT, &[COUNTER, UINT])
}

const fn counter_swap(name: &'static str) -> Row {
    fixed(name, Builtin::high(Lowering::AtomicCounter(C::CompSwap)), UINT, &[COUNTER, UINT, UINT])
}

const fn barrier(name: &'static str, barrier: Barrier) -> Row {
    fixed(name, Builtin::high(Lowering::Barrier(barrier)), VOID, &[])
}

#[rustfmt::skip]
pub(super) static GROUPS: &[Group] = &[
    Group { avail: ATOMICS, stages: ALL, rows: &[
        atomic("atomicAdd", A::Add, INTS),
        atomic("atomicMin", A::Min, INTS),
        atomic("atomicMax", A::Max, INTS),
        atomic("atomicAnd", A::And, INTS),
        atomic("atomicOr", A::Or, INTS),
        atomic("atomicXor", A::Xor, INTS),
        atomic("atomicExchange", A::Exchange, INTS),
        comp_swap("atomicCompSwap", INTS),
    ]},
    Group { avail: ATOMICS_64, stages: ALL, rows: &[
        atomic("atomicAdd", A::Add, INTS_64),
        atomic("atomicMin", A::Min, INTS_64),
        atomic("atomicMax", A::Max, INTS_64),
        atomic("atomicAnd", A::And, INTS_64),
        atomic("atomicOr", A::Or, INTS_64),
        atomic("atomicXor", A::Xor, INTS_64),
        atomic("atomicExchange", A::Exchange, INTS_64),
        comp_swap("atomicCompSwap", INTS_64),
    ]},
    Group { avail: FLOAT, stages: ALL, rows: &[
        atomic("atomicAdd", A::Add, FLOATS),
    ]},
    Group { avail: FLOAT_EXCHANGE, stages: ALL, rows: &[
        atomic("atomicExchange", A::Exchange, FLOATS),
    ]},
    Group { avail: FLOAT_MINMAX, stages: ALL, rows: &[
        atomic("atomicMin", A::Min, FLOATS),
        atomic("atomicMax", A::Max, FLOATS),
    ]},
    Group { avail: by(&[Ext::INTEL_shader_atomic_float_minmax]), stages: ALL, rows: &[
        comp_swap("atomicCompSwap", &[Base::Float]),
    ]},
    Group { avail: SCOPES, stages: ALL, rows: &[
        row("atomicLoad", Builtin::high(Lowering::Atomic(A::Load)), S, &[MEM, K, K, K], NUMBERS, Sizes::One),
        row("atomicStore", Builtin::high(Lowering::Atomic(A::Store)), VOID, &[MEM, S, K, K, K], NUMBERS, Sizes::One),
        scoped("atomicAdd", A::Add, NUMBERS),
        scoped("atomicMin", A::Min, NUMBERS),
        scoped("atomicMax", A::Max, NUMBERS),
        scoped("atomicAnd", A::And, INTEGERS),
        scoped("atomicOr", A::Or, INTEGERS),
        scoped("atomicXor", A::Xor, INTEGERS),
        scoped("atomicExchange", A::Exchange, NUMBERS),
        row("atomicCompSwap", Builtin::high(Lowering::Atomic(A::CompSwap)), S, &[MEM, S, S, K, K, K, K, K], INTEGERS, Sizes::One),
        fixed("controlBarrier", Builtin::high(Lowering::ControlBarrier), VOID, &[K, K, K, K]),
        fixed("controlBarrier", Builtin::high(Lowering::ControlBarrier), VOID, &[K, K, K]),
        fixed("memoryBarrier", Builtin::high(Lowering::ScopedMemoryBarrier), VOID, &[K, K, K]),
    ]},
    Group { avail: COUNTERS, stages: ALL, rows: &[
        counter("atomicCounter", C::Read),
        counter("atomicCounterIncrement", C::Increment),
        counter("atomicCounterDecrement", C::Decrement),
    ]},
    Group { avail: COUNTER_OPS, stages: ALL, rows: &[
        counter_with("atomicCounterAdd", C::Add),
        counter_with("atomicCounterSubtract", C::Subtract),
        counter_with("atomicCounterMin", C::Min),
        counter_with("atomicCounterMax", C::Max),
        counter_with("atomicCounterAnd", C::And),
        counter_with("atomicCounterOr", C::Or),
        counter_with("atomicCounterXor", C::Xor),
        counter_with("atomicCounterExchange", C::Exchange),
        counter_swap("atomicCounterCompSwap"),
    ]},
    Group { avail: COUNTER_OPS_ARB, stages: ALL, rows: &[
        counter_with("atomicCounterAddARB", C::Add),
        counter_with("atomicCounterSubtractARB", C::Subtract),
        counter_with("atomicCounterMinARB", C::Min),
        counter_with("atomicCounterMaxARB", C::Max),
        counter_with("atomicCounterAndARB", C::And),
        counter_with("atomicCounterOrARB", C::Or),
        counter_with("atomicCounterXorARB", C::Xor),
        counter_with("atomicCounterExchangeARB", C::Exchange),
        counter_swap("atomicCounterCompSwapARB"),
    ]},
    Group { avail: BARRIERS, stages: ALL, rows: &[
        barrier("memoryBarrier", Barrier::Memory(Mk::All)),
    ]},
    Group { avail: COMPUTE_SHADER, stages: ALL, rows: &[
        barrier("memoryBarrierAtomicCounter", Barrier::Memory(Mk::AtomicCounter)),
        barrier("memoryBarrierBuffer", Barrier::Memory(Mk::Buffer)),
        barrier("memoryBarrierImage", Barrier::Memory(Mk::Image)),
    ]},
    Group { avail: COMPUTE_SHADER, stages: COMPUTE, rows: &[
        barrier("memoryBarrierShared", Barrier::Memory(Mk::Shared)),
        barrier("groupMemoryBarrier", Barrier::GroupMemory),
        barrier("barrier", Barrier::Workgroup),
    ]},
    Group { avail: TESSELLATION, stages: TESS_CONTROL, rows: &[
        barrier("barrier", Barrier::Workgroup),
    ]},
];
