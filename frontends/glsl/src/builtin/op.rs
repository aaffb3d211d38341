//! The operation of a built-in function: how a call is lowered, and with which precision it is computed.
//!
//! Every row of the tables in `function` carries a [`Builtin`]; functions of several names and overloads may share one.
//! Operand types distinguish overloads. Unless stated otherwise, arguments are in the order of the language.

use super::pure::{AluByBase, Call, Pure, Results};
use airfoil_ir::{Builder, InstrId, IntrinsicOp, Precision};

pub use super::tex_call::{TexArgs, TexCall, TexOffset, TexOp};

/// The operation of a built-in function.
#[derive(Clone, Copy, Debug)]
pub struct Builtin {
    /// How calls are lowered.
    pub lowering: Lowering,
    /// Precision of calls.
    pub precision: CallPrecision,
    /// Whether a call is a few instructions at most, better executed speculatively than skipped by a branch.
    pub cheap: bool,
}

/// The instructions of a call.
#[derive(Clone, Copy, Debug)]
pub enum Lowering {
    /// A function of its arguments only, see [`Pure`].
    Pure(Pure),
    /// `noise1` to `noise4`: zero.
    Noise,
    /// `ftransform`: `gl_ModelViewProjectionMatrix * gl_Vertex`, invariant.
    Ftransform,

    /// All texture lookups: see [`TexCall`].
    Texture(TexCall),
    /// A property of a texture.
    TextureQuery(TextureQuery),
    /// An access to a storage image or a property of it.
    Image(ImageOp),
    /// `subpassLoad(subpass)`, `subpassLoad(subpass, sample)`.
    SubpassLoad,

    /// `atomic*(memory, data)`, `atomicCompSwap(memory, compare, data)`, `atomicLoad(memory, scope, storage, semantics)`. The
    /// trailing arguments are the scope and semantics of GL_KHR_memory_scope_semantics, all constant: `scope, storage,
    /// semantics` (three), or for `CompSwap` `scope, storage if equal, semantics if equal, storage if not, semantics if not`
    /// (five).
    Atomic(Atomic),
    /// `atomicCounter(c)`, `atomicCounterIncrement(c)`, `atomicCounterAdd(c, data)`, `atomicCounterCompSwap(c, compare, data)`, ...
    AtomicCounter(CounterOp),
    /// A barrier without arguments.
    Barrier(Barrier),
    /// `controlBarrier(execution scope, memory scope, storage, semantics)`, or `controlBarrier(scope, storage, semantics)`
    /// with one scope for both; all constant.
    ControlBarrier,
    /// `memoryBarrier(scope, storage, semantics)`, all constant.
    ScopedMemoryBarrier,

    /// `dFdx`, `dFdy`, `fwidth` with their `Fine` and `Coarse` forms.
    Derivative(Derivative, DerivativePrecision),
    /// `interpolateAt*(interpolant, ...)`.
    Interpolate(InterpolateAt),

    /// `EmitVertex()`, `EmitStreamVertex(stream)`; the stream is constant.
    EmitVertex,
    /// `EndPrimitive()`, `EndStreamPrimitive(stream)`; the stream is constant.
    EndPrimitive,

    /// `clock2x32ARB` (`uvec2`), `clockARB` (`uint64_t`), and the same of the whole device (`clockRealtime*EXT`).
    ShaderClock {
        /// One clock for the device rather than for a subgroup.
        realtime: bool,
    },
    /// `assumeEXT(condition)`.
    Assume,

    /// One intrinsic whose operands are the arguments.
    Intrinsic(IntrinsicOp),
    /// `subgroupBallot(b)` (`uvec4`), `ballotARB(b)` (`uint64_t`).
    SubgroupBallot,
    /// `subgroupAllEqual(value)` of anything, `allInvocationsEqual(b)`.
    SubgroupAllEqual,
    /// `subgroupRotate(value, delta)`, `subgroupClusteredRotate(value, delta, cluster size)`; the size is constant.
    SubgroupRotate,
    /// `subgroupAdd(value)`, `subgroupInclusiveAdd(value)`, `subgroupClusteredAdd(value, cluster size)` and others, by the
    /// intrinsic that combines the values; the size is constant.
    SubgroupReduce(IntrinsicOp, Reduction),
}

/// The precision rule of a built-in function: the prototypes of GLSL ES 3.20 chapter 8. Functions that are not part of ES
/// have full precision.
#[derive(Clone, Copy, Debug)]
pub enum CallPrecision {
    /// Operation and result have the highest precision of the first operands: this many at most.
    Operands(u8),
    /// The operation has the precision of its operands, the result has this one.
    Result(Precision),
    /// The operation needs full precision, the result has this one.
    Full(Precision),
}

impl CallPrecision {
    /// Of all operands.
    pub const OPERANDS: CallPrecision = CallPrecision::Operands(u8::MAX);
    /// Full precision of operation and result.
    pub const HIGH: CallPrecision = CallPrecision::Full(Precision::High);
}

impl Builtin {
    /// An operation.
    pub const fn new(lowering: Lowering, precision: CallPrecision) -> Builtin {
        Builtin { lowering, precision, cheap: false }
    }

    /// An operation with full precision.
    pub const fn high(lowering: Lowering) -> Builtin {
        Builtin::new(lowering, CallPrecision::HIGH)
    }

    /// One ALU operation.
    pub const fn alu(ops: AluByBase, precision: CallPrecision) -> Builtin {
        Builtin::new(Lowering::Pure(Pure::Alu(ops)), precision)
    }

    /// Several operations on one scalar or vector.
    pub const fn unary(code: fn(&mut Builder<'_>, InstrId) -> InstrId, precision: CallPrecision) -> Builtin {
        Builtin::new(Lowering::Pure(Pure::Unary(code)), precision)
    }

    /// Several operations on two scalars or vectors.
    pub const fn binary(
        code: fn(&mut Builder<'_>, InstrId, InstrId) -> InstrId,
        precision: CallPrecision,
    ) -> Builtin {
        Builtin::new(Lowering::Pure(Pure::Binary(code)), precision)
    }

    /// Several operations on three scalars or vectors.
    pub const fn ternary(
        code: fn(&mut Builder<'_>, InstrId, InstrId, InstrId) -> InstrId,
        precision: CallPrecision,
    ) -> Builtin {
        Builtin::new(Lowering::Pure(Pure::Ternary(code)), precision)
    }

    /// Code that depends on types or takes matrices.
    pub const fn pure(
        code: fn(&mut Builder<'_>, Call<'_>) -> Option<Results>,
        precision: CallPrecision,
    ) -> Builtin {
        Builtin::with_outs(0, code, precision)
    }

    /// Code with `out` parameters: the last `outs` ones.
    pub const fn with_outs(
        outs: u8,
        code: fn(&mut Builder<'_>, Call<'_>) -> Option<Results>,
        precision: CallPrecision,
    ) -> Builtin {
        Builtin::new(Lowering::Pure(Pure::Call { code, outs }), precision)
    }

    /// The same, marked as [`cheap`](Builtin::cheap).
    pub const fn cheap(self) -> Builtin {
        Builtin { cheap: true, ..self }
    }

    /// Whether a call with constant arguments is a constant expression (GLSL 4.60 section 4.3.3).
    pub fn is_constant_function(&self) -> bool {
        match &self.lowering {
            Lowering::Pure(pure) => pure.outs() == 0,
            Lowering::Derivative(..) => true,
            _ => false,
        }
    }
}

/// A property of a texture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextureQuery {
    /// `textureSize(sampler, lod)`; without `lod` for shapes that have one level. `int` components.
    Size,
    /// `textureQueryLod(sampler, P)`; the coordinate has no layer.
    Lod,
    /// `textureQueryLevels(sampler)`.
    Levels,
    /// `textureSamples(sampler)`.
    Samples,
    /// `textureSamplesIdenticalEXT(sampler, P)`.
    SamplesIdentical,
}

/// A function of a storage image. The sample of a multisampled image follows the coordinate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImageOp {
    /// `imageLoad(image, P)`.
    Load,
    /// `imageStore(image, P, data)`.
    Store,
    /// `imageSize(image)`. `int` components.
    Size,
    /// `imageSamples(image)`.
    Samples,
    /// `imageAtomic*(image, P, data)`, `imageAtomicCompSwap(image, P, compare, data)`, `imageAtomicLoad(image, P)`;
    /// scope and semantics (KHR_memory_scope_semantics) may follow as for [`Lowering::Atomic`].
    Atomic(Atomic),
}

/// Atomic operation on memory or an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Atomic {
    /// Sum.
    Add,
    /// Minimum, signed, unsigned or float.
    Min,
    /// Maximum, signed, unsigned or float.
    Max,
    /// Bitwise and.
    And,
    /// Bitwise or.
    Or,
    /// Bitwise exclusive or.
    Xor,
    /// Exchange.
    Exchange,
    /// Compare and exchange.
    CompSwap,
    /// Atomic read.
    Load,
    /// Atomic write; no result.
    Store,
    /// `imageAtomicIncWrap(image, P, wrap)`: increments, from `wrap - 1` on to 0.
    IncWrap,
    /// `imageAtomicDecWrap(image, P, wrap)`: decrements, 0 and values above `wrap` to `wrap - 1`.
    DecWrap,
}

/// Operation on an atomic counter; all but `Read`, `Decrement` and `Increment` belong to ARB_shader_atomic_counter_ops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CounterOp {
    /// `atomicCounter`: the value.
    Read,
    /// `atomicCounterIncrement`: returns the old value.
    Increment,
    /// `atomicCounterDecrement`: returns the *new* value.
    Decrement,
    /// `atomicCounterAdd`: returns the old value, like all that follow.
    Add,
    /// `atomicCounterSubtract`.
    Subtract,
    /// `atomicCounterMin`.
    Min,
    /// `atomicCounterMax`.
    Max,
    /// `atomicCounterAnd`.
    And,
    /// `atomicCounterOr`.
    Or,
    /// `atomicCounterXor`.
    Xor,
    /// `atomicCounterExchange`.
    Exchange,
    /// `atomicCounterCompSwap`.
    CompSwap,
}

/// A barrier without arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Barrier {
    /// `barrier()`: of the workgroup, or of the patch in tessellation control.
    Workgroup,
    /// `memoryBarrier()` and those of one kind of memory.
    Memory(MemoryKind),
    /// `groupMemoryBarrier()`.
    GroupMemory,
    /// `subgroupBarrier()`.
    Subgroup,
    /// `subgroupMemoryBarrier()` and those of one kind of memory.
    SubgroupMemory(MemoryKind),
}

/// Memory that a barrier orders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryKind {
    /// All.
    All,
    /// Atomic counters.
    AtomicCounter,
    /// Buffers.
    Buffer,
    /// Images.
    Image,
    /// Workgroup memory.
    Shared,
}

/// Direction of a derivative.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Derivative {
    /// Along x.
    X,
    /// Along y.
    Y,
    /// Sum of the absolute values of both.
    Width,
}

/// How a derivative is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DerivativePrecision {
    /// Chosen by the implementation.
    Any,
    /// From the pixel and its neighbour.
    Fine,
    /// One per quad.
    Coarse,
}

/// Where an input is interpolated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InterpolateAt {
    /// `interpolateAtCentroid(interpolant)`.
    Centroid,
    /// `interpolateAtSample(interpolant, sample)`.
    Sample,
    /// `interpolateAtOffset(interpolant, offset)`.
    Offset,
}

/// Combining operation of a subgroup.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reduction {
    /// Sum.
    Add,
    /// Product.
    Mul,
    /// Minimum.
    Min,
    /// Maximum.
    Max,
    /// And, of booleans too.
    And,
    /// Or, of booleans too.
    Or,
    /// Exclusive or, of booleans too.
    Xor,
}
