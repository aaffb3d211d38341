//! The built-in functions as operations: one for each meaning, whatever the operand types.
//!
//! Several names may stand for one operation (`texture2D` and `texture`, `floatBitsToInt` and `packDouble2x32`); the types of
//! arguments and result tell overloads apart. Unless something else is said, arguments are in the order of the language.

pub use super::tex_call::{TexArgs, TexCall, TexOffset, TexOp};

/// A built-in function. Overloads share it; operand types tell the rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Builtin {
    // ---- angles and trigonometry ----
    /// `radians`.
    Radians,
    /// `degrees`.
    Degrees,
    /// `sin`.
    Sin,
    /// `cos`.
    Cos,
    /// `tan`.
    Tan,
    /// `asin`.
    Asin,
    /// `acos`.
    Acos,
    /// `atan(y_over_x)`.
    Atan,
    /// `atan(y, x)`.
    Atan2,
    /// `sinh`.
    Sinh,
    /// `cosh`.
    Cosh,
    /// `tanh`.
    Tanh,
    /// `asinh`.
    Asinh,
    /// `acosh`.
    Acosh,
    /// `atanh`.
    Atanh,

    // ---- exponentials ----
    /// `pow`.
    Pow,
    /// `exp`.
    Exp,
    /// `log`.
    Log,
    /// `exp2`.
    Exp2,
    /// `log2`.
    Log2,
    /// `sqrt`.
    Sqrt,
    /// `inversesqrt`.
    InverseSqrt,

    // ---- common ----
    /// `abs` of floats or integers.
    Abs,
    /// `sign` of floats or integers.
    Sign,
    /// `floor`.
    Floor,
    /// `trunc`.
    Trunc,
    /// `round`: ties go where the implementation likes.
    Round,
    /// `roundEven`.
    RoundEven,
    /// `ceil`.
    Ceil,
    /// `fract`.
    Fract,
    /// `mod`: the second operand may be a scalar.
    Mod,
    /// `modf(x, out i)`.
    Modf,
    /// `min` of floats or integers; the second operand may be a scalar.
    Min,
    /// `max` of floats or integers; the second operand may be a scalar.
    Max,
    /// `clamp` of floats or integers; the bounds may be scalars.
    Clamp,
    /// `mix` of floats with a float weight, which may be a scalar.
    Mix,
    /// `mix(x, y, a)` with booleans `a`, of the same size as `x`: selects components.
    MixBool,
    /// `step(edge, x)`; the edge may be a scalar.
    Step,
    /// `smoothstep(edge0, edge1, x)`; the edges may be scalars.
    Smoothstep,
    /// `isnan`.
    IsNan,
    /// `isinf`.
    IsInf,
    /// `fma`.
    Fma,
    /// `frexp(x, out exp)`.
    Frexp,
    /// `ldexp(x, exp)`.
    Ldexp,
    /// `min3` (AMD_shader_trinary_minmax).
    Min3,
    /// `max3`.
    Max3,
    /// `mid3`.
    Mid3,
    /// The same bits as the type of the result, lowest component first; component counts differ when widths do:
    /// `floatBitsToInt`, `intBitsToFloat`, `packDouble2x32`, `unpackUint2x32`, `pack32`, `unpack8`, `packFloat2x16`, ...
    BitCast,

    // ---- packing ----
    /// `packUnorm2x16`.
    PackUnorm2x16,
    /// `packSnorm2x16`.
    PackSnorm2x16,
    /// `packUnorm4x8`.
    PackUnorm4x8,
    /// `packSnorm4x8`.
    PackSnorm4x8,
    /// `packHalf2x16`.
    PackHalf2x16,
    /// `unpackUnorm2x16`.
    UnpackUnorm2x16,
    /// `unpackSnorm2x16`.
    UnpackSnorm2x16,
    /// `unpackUnorm4x8`.
    UnpackUnorm4x8,
    /// `unpackSnorm4x8`.
    UnpackSnorm4x8,
    /// `unpackHalf2x16`.
    UnpackHalf2x16,

    // ---- geometry ----
    /// `length`.
    Length,
    /// `distance`.
    Distance,
    /// `dot`.
    Dot,
    /// `cross`.
    Cross,
    /// `normalize`.
    Normalize,
    /// `faceforward(N, I, Nref)`.
    Faceforward,
    /// `reflect(I, N)`.
    Reflect,
    /// `refract(I, N, eta)`; `eta` is a scalar.
    Refract,
    /// `ftransform`: `gl_ModelViewProjectionMatrix * gl_Vertex`, invariant.
    Ftransform,

    // ---- matrices ----
    /// `matrixCompMult`.
    MatrixCompMult,
    /// `outerProduct(column, row)`.
    OuterProduct,
    /// `transpose`.
    Transpose,
    /// `determinant`.
    Determinant,
    /// `inverse`.
    Inverse,

    // ---- relations of vectors ----
    /// `lessThan`.
    LessThan,
    /// `lessThanEqual`.
    LessThanEqual,
    /// `greaterThan`.
    GreaterThan,
    /// `greaterThanEqual`.
    GreaterThanEqual,
    /// `equal`, of booleans too.
    Equal,
    /// `notEqual`, of booleans too.
    NotEqual,
    /// `any`.
    Any,
    /// `all`.
    All,
    /// `not`.
    Not,

    // ---- integers ----
    /// `uaddCarry(x, y, out carry)`.
    UaddCarry,
    /// `usubBorrow(x, y, out borrow)`.
    UsubBorrow,
    /// `umulExtended(x, y, out msb, out lsb)`.
    UmulExtended,
    /// `imulExtended(x, y, out msb, out lsb)`.
    ImulExtended,
    /// `bitfieldExtract(value, offset, bits)`, signed or not.
    BitfieldExtract,
    /// `bitfieldInsert(base, insert, offset, bits)`.
    BitfieldInsert,
    /// `bitfieldReverse`.
    BitfieldReverse,
    /// `bitCount`; the result is signed.
    BitCount,
    /// `findLSB`; the result is signed.
    FindLsb,
    /// `findMSB`, signed or not; the result is signed.
    FindMsb,
    /// `countLeadingZeros` (INTEL_shader_integer_functions2).
    CountLeadingZeros,
    /// `countTrailingZeros`: the width for 0.
    CountTrailingZeros,
    /// `absoluteDifference`, signed or not; the result is unsigned.
    AbsoluteDifference,
    /// `addSaturate`, signed or not.
    AddSaturate,
    /// `subtractSaturate`, signed or not.
    SubtractSaturate,
    /// `average`, signed or not: rounded down.
    Average,
    /// `averageRounded`, signed or not: rounded up.
    AverageRounded,
    /// `multiply32x16`: product with the low 16 bits of the second operand, signed or not.
    Multiply32x16,
    /// `dotEXT` of integer vectors (EXT_integer_dot_product); each operand signed or not.
    DotInteger,
    /// `dotPacked4x8EXT`: of four 8-bit integers packed in 32 bits; each operand signed or not.
    DotPacked4x8,
    /// `dotAccSatEXT(a, b, accumulator)`: saturating.
    DotAccSat,
    /// `dotPacked4x8AccSatEXT(a, b, accumulator)`.
    DotPacked4x8AccSat,

    // ---- textures ----
    /// All lookups: see [`TexCall`].
    Texture(TexCall),
    /// `textureSize(sampler, lod)`; without `lod` for shapes that have one level. `int` components.
    TextureSize,
    /// `textureQueryLod(sampler, P)`; the coordinate has no layer.
    TextureQueryLod,
    /// `textureQueryLevels(sampler)`.
    TextureQueryLevels,
    /// `textureSamples(sampler)`.
    TextureSamples,
    /// `textureSamplesIdenticalEXT(sampler, P)`.
    TextureSamplesIdentical,

    // ---- images; a multisampled image's sample follows the coordinate ----
    /// `imageLoad(image, P)`.
    ImageLoad,
    /// `imageStore(image, P, data)`.
    ImageStore,
    /// `imageSize(image)`. `int` components.
    ImageSize,
    /// `imageSamples(image)`.
    ImageSamples,
    /// `imageAtomic*(image, P, data)`, `imageAtomicCompSwap(image, P, compare, data)`, `imageAtomicLoad(image, P)`;
    /// scope and semantics (KHR_memory_scope_semantics) may follow as for [`Builtin::Atomic`].
    ImageAtomic(Atomic),
    /// `subpassLoad(subpass)`, `subpassLoad(subpass, sample)`.
    SubpassLoad,

    // ---- memory ----
    /// `atomic*(memory, data)`, `atomicCompSwap(memory, compare, data)`, `atomicLoad(memory, scope, storage, semantics)`. What is
    /// behind the operands is the scope and semantics of GL_KHR_memory_scope_semantics, all constant: `scope, storage, semantics`
    /// (three), or for `CompSwap` `scope, storage if equal, semantics if equal, storage if not, semantics if not` (five).
    Atomic(Atomic),
    /// `atomicCounter(c)`, `atomicCounterIncrement(c)`, `atomicCounterAdd(c, data)`, `atomicCounterCompSwap(c, compare, data)`, ...
    AtomicCounter(CounterOp),
    /// `barrier()`: of the workgroup, or of the patch in tessellation control.
    Barrier,
    /// `memoryBarrier()` and those of one kind of memory.
    MemoryBarrier(MemoryKind),
    /// `groupMemoryBarrier()`.
    GroupMemoryBarrier,
    /// `controlBarrier(execution scope, memory scope, storage, semantics)`, or `controlBarrier(scope, storage, semantics)`
    /// with one scope for both; all constant.
    ControlBarrier,
    /// `memoryBarrier(scope, storage, semantics)`, all constant.
    ScopedMemoryBarrier,

    // ---- fragments ----
    /// `dFdx`, `dFdy`, `fwidth` with their `Fine` and `Coarse` forms.
    Derivative(Derivative, DerivativePrecision),
    /// `interpolateAtCentroid(interpolant)`.
    InterpolateAtCentroid,
    /// `interpolateAtSample(interpolant, sample)`.
    InterpolateAtSample,
    /// `interpolateAtOffset(interpolant, offset)`.
    InterpolateAtOffset,
    /// `helperInvocationEXT()`.
    HelperInvocation,

    // ---- geometry stage ----
    /// `EmitVertex()`.
    EmitVertex,
    /// `EndPrimitive()`.
    EndPrimitive,
    /// `EmitStreamVertex(stream)`, constant.
    EmitStreamVertex,
    /// `EndStreamPrimitive(stream)`, constant.
    EndStreamPrimitive,

    // ---- others ----
    /// `noise1` to `noise4`: the number of components is that of the result.
    Noise,
    /// `clock2x32ARB` (`uvec2`), `clockARB` (`uint64_t`), and the same of the whole device (`clockRealtime*EXT`).
    ShaderClock {
        /// One clock for the device rather than for a subgroup.
        realtime: bool,
    },
    /// `expectEXT(value, expected)`: the value.
    Expect,
    /// `assumeEXT(condition)`.
    Assume,

    // ---- subgroups ----
    /// `subgroupBarrier()`.
    SubgroupBarrier,
    /// `subgroupMemoryBarrier()` and those of one kind of memory.
    SubgroupMemoryBarrier(MemoryKind),
    /// `subgroupElect()`.
    SubgroupElect,
    /// `subgroupAll(b)`, `allInvocations(b)`.
    SubgroupAll,
    /// `subgroupAny(b)`, `anyInvocation(b)`.
    SubgroupAny,
    /// `subgroupAllEqual(value)` of anything, `allInvocationsEqual(b)`.
    SubgroupAllEqual,
    /// `subgroupBroadcast(value, id)`, `readInvocationARB(value, id)`.
    SubgroupBroadcast,
    /// `subgroupBroadcastFirst(value)`, `readFirstInvocationARB(value)`.
    SubgroupBroadcastFirst,
    /// `subgroupBallot(b)` (`uvec4`), `ballotARB(b)` (`uint64_t`).
    SubgroupBallot,
    /// `subgroupInverseBallot(mask)`.
    SubgroupInverseBallot,
    /// `subgroupBallotBitExtract(mask, index)`.
    SubgroupBallotBitExtract,
    /// `subgroupBallotBitCount(mask)`.
    SubgroupBallotBitCount,
    /// `subgroupBallotInclusiveBitCount(mask)`.
    SubgroupBallotInclusiveBitCount,
    /// `subgroupBallotExclusiveBitCount(mask)`.
    SubgroupBallotExclusiveBitCount,
    /// `subgroupBallotFindLSB(mask)`.
    SubgroupBallotFindLsb,
    /// `subgroupBallotFindMSB(mask)`.
    SubgroupBallotFindMsb,
    /// `subgroupShuffle(value, id)`.
    SubgroupShuffle,
    /// `subgroupShuffleXor(value, mask)`.
    SubgroupShuffleXor,
    /// `subgroupShuffleUp(value, delta)`.
    SubgroupShuffleUp,
    /// `subgroupShuffleDown(value, delta)`.
    SubgroupShuffleDown,
    /// `subgroupRotate(value, delta)`.
    SubgroupRotate,
    /// `subgroupClusteredRotate(value, delta, cluster size)`; the size is constant.
    SubgroupClusteredRotate,
    /// `subgroupAdd(value)` and others.
    SubgroupReduce(Reduction),
    /// `subgroupInclusiveAdd(value)` and others.
    SubgroupInclusive(Reduction),
    /// `subgroupExclusiveAdd(value)` and others.
    SubgroupExclusive(Reduction),
    /// `subgroupClusteredAdd(value, cluster size)` and others; the size is constant.
    SubgroupClustered(Reduction),
    /// `subgroupQuadBroadcast(value, id)`.
    SubgroupQuadBroadcast,
    /// `subgroupQuadSwapHorizontal(value)`.
    SubgroupQuadSwapHorizontal,
    /// `subgroupQuadSwapVertical(value)`.
    SubgroupQuadSwapVertical,
    /// `subgroupQuadSwapDiagonal(value)`.
    SubgroupQuadSwapDiagonal,
    /// `subgroupQuadAll(b)`.
    SubgroupQuadAll,
    /// `subgroupQuadAny(b)`.
    SubgroupQuadAny,
}

impl Builtin {
    /// Whether a call with constant arguments is a constant expression (GLSL 4.60 section 4.3.3): neither textures nor anything
    /// that has effects, reads memory or depends on other invocations. Derivatives of constants are 0, but GLSL 4.60 leaves
    /// them out too.
    pub fn is_constant_function(self) -> bool {
        use Builtin::*;
        !matches!(
            self,
            Texture(_)
                | TextureSize
                | TextureQueryLod
                | TextureQueryLevels
                | TextureSamples
                | TextureSamplesIdentical
                | Modf
                | Frexp
                | UaddCarry
                | UsubBorrow
                | UmulExtended
                | ImulExtended
                | Ftransform
                | Noise
                | Derivative(..)
        ) && !self.has_effects()
            && !self.depends_on_others()
    }

    /// Whether a call does more than give a value (out-parameters do not count): it stays even if its result is not used.
    pub fn has_effects(self) -> bool {
        use Builtin::*;
        match self {
            ImageAtomic(op) | Atomic(op) => op != self::Atomic::Load,
            AtomicCounter(op) => op != CounterOp::Read,
            ImageStore
            | Barrier
            | MemoryBarrier(_)
            | GroupMemoryBarrier
            | ControlBarrier
            | ScopedMemoryBarrier
            | EmitVertex
            | EndPrimitive
            | EmitStreamVertex
            | EndStreamPrimitive
            | Assume
            | SubgroupBarrier
            | SubgroupMemoryBarrier(_) => true,
            _ => false,
        }
    }

    /// Whether the value depends on more than the arguments: memory, clock, other invocations, interpolation.
    pub fn depends_on_others(self) -> bool {
        use Builtin::*;
        matches!(
            self,
            ImageLoad
                | ImageSize
                | ImageSamples
                | SubpassLoad
                | ImageAtomic(_)
                | Atomic(_)
                | AtomicCounter(_)
                | InterpolateAtCentroid
                | InterpolateAtSample
                | InterpolateAtOffset
                | HelperInvocation
                | ShaderClock { .. }
                | SubgroupElect
                | SubgroupAll
                | SubgroupAny
                | SubgroupAllEqual
                | SubgroupBroadcast
                | SubgroupBroadcastFirst
                | SubgroupBallot
                | SubgroupInverseBallot
                | SubgroupBallotBitExtract
                | SubgroupBallotBitCount
                | SubgroupBallotInclusiveBitCount
                | SubgroupBallotExclusiveBitCount
                | SubgroupBallotFindLsb
                | SubgroupBallotFindMsb
                | SubgroupShuffle
                | SubgroupShuffleXor
                | SubgroupShuffleUp
                | SubgroupShuffleDown
                | SubgroupRotate
                | SubgroupClusteredRotate
                | SubgroupReduce(_)
                | SubgroupInclusive(_)
                | SubgroupExclusive(_)
                | SubgroupClustered(_)
                | SubgroupQuadBroadcast
                | SubgroupQuadSwapHorizontal
                | SubgroupQuadSwapVertical
                | SubgroupQuadSwapDiagonal
                | SubgroupQuadAll
                | SubgroupQuadAny
        )
    }
}

/// Atomic operation on memory or an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
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
    /// `imageAtomicIncWrap(image, P, wrap)`: the next number, 0 from `wrap - 1` on.
    IncWrap,
    /// `imageAtomicDecWrap(image, P, wrap)`: the number before, `wrap - 1` for 0 and beyond `wrap`.
    DecWrap,
}

/// Operation on an atomic counter; all but `Read`, `Decrement` and `Increment` are of ARB_shader_atomic_counter_ops.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CounterOp {
    /// `atomicCounter`: the value.
    Read,
    /// `atomicCounterIncrement`: gives the old value.
    Increment,
    /// `atomicCounterDecrement`: gives the *new* value.
    Decrement,
    /// `atomicCounterAdd`: gives the old value, as all that follow.
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

/// Memory that a barrier orders.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
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

/// Which derivative.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Derivative {
    /// Along x.
    X,
    /// Along y.
    Y,
    /// Sum of the absolute values of both.
    Width,
}

/// How a derivative is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DerivativePrecision {
    /// As the implementation likes.
    Any,
    /// From the pixel and its neighbour.
    Fine,
    /// One for a quad.
    Coarse,
}

/// Combining operation of a subgroup.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
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
