//! The table of ALU operations.
//!
//! A row reads `name(operand: type, ...) -> result { properties } = meaning;`.
//!
//! * Types: `float`, `int`, `uint`, `any` share one width over all unsized operands of the row; `float32`
//!   and so on fix it; `count` is a `uint32` that source languages give in any integer width (shift amounts, offsets and
//!   numbers of bits); `bool` is 1 bit. `[n]` fixes the components, without it the operation works per
//!   component.
//! * `@sized` on the result: its width is the instruction's own (conversions).
//! * The meaning is a Rust expression over one component: floats are `f64` and are rounded to the
//!   operand width afterwards, `int` is `i64` (sign-extended), `uint` and `any` are `u64`
//!   (zero-extended), `bool` is `bool`; operands with `[n]`, n > 1, are arrays. `bits` is the width of the
//!   unsized operands, `out_bits` the width of the result.
//! * `quad` rows see the values of all four invocations (0, 1 = upper row) and the own index `lane`.
//!
//! Names follow NIR where NIR has one.

use super::float::*;
use super::info::*;
use crate::builder::Builder;
use crate::ids::InstrId;
use crate::value::*;

/// `AluType` of a type token.
macro_rules! alu_type {
    (@ $base:ident, $bits:literal, $comps:expr, $count:literal) => {
        AluType { base: Base::$base, bits: $bits, comps: $comps, count: $count }
    };
    (float, $n:expr) => { alu_type!(@ Float, 0, $n, false) };
    (float16, $n:expr) => { alu_type!(@ Float, 16, $n, false) };
    (float32, $n:expr) => { alu_type!(@ Float, 32, $n, false) };
    (int, $n:expr) => { alu_type!(@ Int, 0, $n, false) };
    (int32, $n:expr) => { alu_type!(@ Int, 32, $n, false) };
    (int64, $n:expr) => { alu_type!(@ Int, 64, $n, false) };
    (uint, $n:expr) => { alu_type!(@ Uint, 0, $n, false) };
    (uint8, $n:expr) => { alu_type!(@ Uint, 8, $n, false) };
    (uint16, $n:expr) => { alu_type!(@ Uint, 16, $n, false) };
    (uint32, $n:expr) => { alu_type!(@ Uint, 32, $n, false) };
    (uint64, $n:expr) => { alu_type!(@ Uint, 64, $n, false) };
    (count, $n:expr) => { alu_type!(@ Uint, 32, $n, true) };
    (bool, $n:expr) => { alu_type!(@ Bool, 1, $n, false) };
    (any, $n:expr) => { alu_type!(@ Any, 0, $n, false) };
}

/// One component from raw bits to the Rust type that the meaning is written in.
macro_rules! decode {
    (float, $raw:expr, $bits:expr) => {
        f64_from_bits($raw, $bits)
    };
    (float16, $raw:expr, $bits:expr) => {
        f64_from_bits($raw, 16)
    };
    (float32, $raw:expr, $bits:expr) => {
        f64_from_bits($raw, 32)
    };
    (int, $raw:expr, $bits:expr) => {
        sign_extend($raw, $bits)
    };
    (int32, $raw:expr, $bits:expr) => {
        sign_extend($raw, 32)
    };
    (int64, $raw:expr, $bits:expr) => {
        $raw as i64
    };
    (bool, $raw:expr, $bits:expr) => {
        $raw & 1 != 0
    };
    ($other:ident, $raw:expr, $bits:expr) => {
        $raw
    };
}

/// One result component to raw bits.
macro_rules! encode {
    (float, $v:expr, $bits:expr) => {
        f64_to_bits($v, $bits)
    };
    (float16, $v:expr, $bits:expr) => {
        f64_to_bits($v, 16)
    };
    (float32, $v:expr, $bits:expr) => {
        f64_to_bits($v, 32)
    };
    (bool, $v:expr, $bits:expr) => {
        u64::from($v)
    };
    ($other:ident, $v:expr, $bits:expr) => {
        ($v as u64) & bit_mask($bits)
    };
}

/// The value of one operand for result component `$c`: a scalar, or an array for `[n]`, n > 1.
macro_rules! operand {
    ($ty:ident, [], $lanes:expr, $c:expr, $bits:expr) => {
        decode!($ty, $lanes[$c], $bits)
    };
    ($ty:ident, [1], $lanes:expr, $c:expr, $bits:expr) => {
        decode!($ty, $lanes[0], $bits)
    };
    ($ty:ident, [$n:literal], $lanes:expr, $c:expr, $bits:expr) => {
        std::array::from_fn::<_, $n, _>(|i| decode!($ty, $lanes[i], $bits))
    };
}

/// Stores what the meaning gives into the result lanes: per component, or all at once for `[n]`.
macro_rules! result {
    ($ty:ident, [], $out:ident, $comps:expr, $bits:expr, $c:ident, $v:expr) => {
        for $c in 0..$comps {
            $out[$c] = encode!($ty, $v, $bits);
        }
    };
    ($ty:ident, [1], $out:ident, $comps:expr, $bits:expr, $c:ident, $v:expr) => {{
        let $c = 0;
        let _ = $c;
        $out[0] = encode!($ty, $v, $bits);
    }};
    ($ty:ident, [$n:literal], $out:ident, $comps:expr, $bits:expr, $c:ident, $v:expr) => {{
        let $c = 0;
        let _ = $c;
        let values: [_; $n] = $v;
        for (o, v) in $out.iter_mut().zip(values) {
            *o = encode!($ty, v, $bits);
        }
    }};
}

/// The builder method of an operation whose result width follows from the operands.
macro_rules! short_method {
    ([sized] $(#[doc = $doc:literal])+ $op:ident($($arg:ident),+)) => {};
    ([] $(#[doc = $doc:literal])+ $op:ident($($arg:ident),+)) => {
        $(#[doc = $doc])+
        pub fn $op(&mut self, $($arg: InstrId),+) -> InstrId {
            self.alu(AluOp::$op, &[$($arg),+])
        }
    };
}

macro_rules! alu_ops {
    (
        ($bits:ident, $out_bits:ident, $lane:ident)
        $(
            $(#[doc = $doc:literal])+
            $name:ident( $($arg:ident : $aty:ident $([$an:tt])? ),+ ) -> $rty:ident $([$rn:tt])? $(@ $sized:ident)?
                $({ $($prop:ident),* })? = $meaning:expr;
        )+
        quad {
            $(
                $(#[doc = $qdoc:literal])+
                $qname:ident( $qarg:ident : float ) -> float = $qmeaning:expr;
            )+
        }
    ) => {
        /// An ALU operation; the variants are named as in the text form.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u16)]
        #[allow(non_camel_case_types)]
        pub enum AluOp {
            $( $(#[doc = $doc])+ $name, )+
            $( $(#[doc = $qdoc])+ $qname, )+
        }

        /// Every operation in table order.
        pub const ALU_OPS: &[AluOp] = &[$( AluOp::$name, )+ $( AluOp::$qname, )+];

        static ALU_INFOS: &[AluInfo] = &[
            $( AluInfo {
                name: stringify!($name),
                doc: concat!($($doc, "\n"),+),
                operand_names: &[$(stringify!($arg)),+],
                operands: &[$( alu_type!($aty, 0 $(+ $an)?) ),+],
                result: alu_type!($rty, 0 $(+ $rn)?),
                props: AluProps::empty() $($(.union(props!($prop)))*)? $(.union(props!($sized)))?,
            }, )+
            $( AluInfo {
                name: stringify!($qname),
                doc: concat!($($qdoc, "\n"),+),
                operand_names: &[stringify!($qarg)],
                operands: &[alu_type!(float, 0)],
                result: alu_type!(float, 0),
                props: AluProps::QUAD,
            }, )+
        ];

        /// One method for each operation, scalars spread over vectors. Conversions have [`Builder::convert`], which takes
        /// the width of the result.
        impl Builder<'_> {
            $( short_method! { [$($sized)?] $(#[doc = $doc])+ $name($($arg),+) } )+
            $( short_method! { [] $(#[doc = $qdoc])+ $qname($qarg) } )+
        }

        /// Evaluates all operations but the quad ones, which give `None`.
        #[allow(unused_variables, unused_mut, clippy::redundant_closure_call)]
        fn evaluate(op: AluOp, $bits: u32, ty: Ty, srcs: &[Lanes]) -> Option<Lanes> {
            let $out_bits = u32::from(ty.bits);
            let comps = ty.comps as usize;
            let mut out: Lanes = [0; MAX_COMPONENTS];
            match op {
                $( AluOp::$name => {
                    let mut operands = srcs.iter();
                    $( let $arg = operands.next()?; )+
                    result!($rty, [$($rn)?], out, comps, $out_bits, c, {
                        $( let $arg = operand!($aty, [$($an)?], $arg, c, $bits); )+
                        $meaning
                    });
                } )+
                $( AluOp::$qname => return None, )+
            }
            Some(out)
        }

        /// Evaluates one component of a quad operation for invocation `lane`.
        fn evaluate_quad(op: AluOp, $bits: u32, quad: [u64; 4], $lane: usize) -> Option<u64> {
            match op {
                $( AluOp::$qname => {
                    let $qarg: [f64; 4] = quad.map(|raw| f64_from_bits(raw, $bits));
                    Some(f64_to_bits($qmeaning, $bits))
                } )+
                _ => None,
            }
        }
    };
}

/// Property of a token in a row's braces.
macro_rules! props {
    (commutative) => {
        AluProps::COMMUTATIVE
    };
    (associative) => {
        AluProps::ASSOCIATIVE
    };
    (idempotent) => {
        AluProps::IDEMPOTENT
    };
    (sized) => {
        AluProps::SIZED
    };
    (rounded) => {
        AluProps::ROUNDED
    };
    (sign_only) => {
        AluProps::SIGN_ONLY
    };
}

impl AluOp {
    /// The table row.
    pub fn info(self) -> &'static AluInfo {
        &ALU_INFOS[self as usize]
    }

    /// Name in the text form.
    pub fn name(self) -> &'static str {
        self.info().name
    }

    /// The operation of a name.
    pub fn from_name(name: &str) -> Option<AluOp> {
        use std::sync::LazyLock;
        static BY_NAME: LazyLock<rustc_hash::FxHashMap<&'static str, AluOp>> =
            LazyLock::new(|| ALU_OPS.iter().map(|&op| (op.name(), op)).collect());
        BY_NAME.get(name).copied()
    }

    /// Number of operands.
    pub fn num_operands(self) -> usize {
        self.info().operands.len()
    }

    /// Result lanes for operands whose swizzles have been applied.
    ///
    /// `bits` is the width of the unsized operands and `ty` the shape of the result. `None` for quad
    /// operations (see [`AluOp::eval_quad`]) and when operands are missing.
    pub fn eval(self, bits: u32, ty: Ty, srcs: &[Lanes]) -> Option<Lanes> {
        evaluate(self, bits, ty, srcs)
    }

    /// One result component of a quad operation for invocation `lane` (0 to 3) of the quad whose values
    /// of that component are `quad`. `None` for all other operations.
    pub fn eval_quad(self, bits: u32, quad: [u64; 4], lane: usize) -> Option<u64> {
        evaluate_quad(self, bits, quad, lane)
    }
}

alu_ops! {
    (bits, out_bits, lane)

    // ---- moving ----

    /// The operand itself, swizzled.
    mov(a: any) -> any { idempotent } = a;
    /// `a` where `c` is true, else `b`, per component.
    bcsel(c: bool, a: any, b: any) -> any = if c { a } else { b };
    /// Two scalars as a vector.
    vec2(a: any[1], b: any[1]) -> any[2] = [a, b];
    /// Three scalars as a vector.
    vec3(a: any[1], b: any[1], c: any[1]) -> any[3] = [a, b, c];
    /// Four scalars as a vector.
    vec4(a: any[1], b: any[1], c: any[1], d: any[1]) -> any[4] = [a, b, c, d];

    // ---- float arithmetic (GLSL 4.60 sections 5.9 and 8; SPIR-V section 3.52.13, GLSL.std.450) ----

    /// Sum of two floats. GLSL 4.60 section 5.9, SPIR-V OpFAdd.
    fadd(a: float, b: float) -> float { commutative, associative, rounded } = a + b;
    /// Difference of two floats. SPIR-V OpFSub.
    fsub(a: float, b: float) -> float { rounded } = a - b;
    /// Product of two floats. SPIR-V OpFMul.
    fmul(a: float, b: float) -> float { commutative, associative, rounded } = a * b;
    /// Quotient of two floats. SPIR-V OpFDiv.
    fdiv(a: float, b: float) -> float { rounded } = a / b;
    /// `a - b * trunc(a / b)`: remainder with the sign of `a`. SPIR-V OpFRem.
    frem(a: float, b: float) -> float = a % b;
    /// `a - b * floor(a / b)`: remainder with the sign of `b`. GLSL `mod`, SPIR-V OpFMod.
    fmod(a: float, b: float) -> float = a - b * (a / b).floor();
    /// `a * b + c` rounded once. GLSL.std.450 Fma where it is fused.
    ffma(a: float, b: float, c: float) -> float { rounded } = fused(a, b, c, bits);
    /// `a * b + c` with the product rounded first, as separate operations do.
    fmad(a: float, b: float, c: float) -> float { rounded } = unfused(a, b, c, bits);
    /// `a * (1 - c) + b * c`. GLSL `mix`, GLSL.std.450 FMix.
    flrp(a: float, b: float, c: float) -> float = a * (1.0 - c) + b * c;
    /// Negation: flips the sign bit, of NaN and zero too.
    fneg(a: float) -> float { sign_only } = -a;
    /// Absolute value: clears the sign bit.
    fabs(a: float) -> float { idempotent, sign_only } = a.abs();
    /// -1, 0 or 1 with the sign of `a`; zero keeps its sign and NaN gives 0. GLSL `sign`.
    fsign(a: float) -> float { idempotent } = if a.is_nan() { 0.0 } else if a == 0.0 { a } else { 1f64.copysign(a) };
    /// Clamped to [0, 1]; NaN gives 0.
    fsat(a: float) -> float { idempotent } = if a > 0.0 { a.min(1.0) } else { 0.0 };
    /// The smaller; a NaN operand loses. GLSL.std.450 NMin (and FMin, which leaves NaN open).
    fmin(a: float, b: float) -> float { commutative, associative } = min_num(a, b);
    /// The larger; a NaN operand loses. GLSL.std.450 NMax (and FMax, which leaves NaN open).
    fmax(a: float, b: float) -> float { commutative, associative } = max_num(a, b);
    /// `min(max(a, low), high)`. GLSL `clamp`, GLSL.std.450 NClamp.
    fclamp(a: float, low: float, high: float) -> float = min_num(max_num(a, low), high);
    /// `1 / a`.
    frcp(a: float) -> float { rounded } = 1.0 / a;
    /// Square root.
    fsqrt(a: float) -> float { rounded } = a.sqrt();
    /// `1 / sqrt(a)`. GLSL `inversesqrt`.
    frsq(a: float) -> float = 1.0 / a.sqrt();
    /// Largest integral value not above.
    ffloor(a: float) -> float { idempotent } = a.floor();
    /// Smallest integral value not below.
    fceil(a: float) -> float { idempotent } = a.ceil();
    /// Integral part, toward zero.
    ftrunc(a: float) -> float { idempotent } = a.trunc();
    /// Nearest integral value, ties to even. GLSL `roundEven`.
    fround_even(a: float) -> float { idempotent } = a.round_ties_even();
    /// Nearest integral value, ties away from zero. One of the choices that GLSL `round` leaves.
    fround(a: float) -> float { idempotent } = a.round();
    /// `a - floor(a)`. GLSL `fract`.
    ffract(a: float) -> float = a - a.floor();
    /// e to the power `a`. GLSL `exp`.
    fexp(a: float) -> float = a.exp();
    /// Natural logarithm. GLSL `log`.
    flog(a: float) -> float = a.ln();
    /// 2 to the power `a`. GLSL `exp2`.
    fexp2(a: float) -> float = a.exp2();
    /// Logarithm to the base 2. GLSL `log2`.
    flog2(a: float) -> float = a.log2();
    /// `a` to the power `b`; undefined for negative `a` (GLSL 4.60 section 8.2), here NaN unless `b` is
    /// integral.
    fpow(a: float, b: float) -> float = a.powf(b);
    /// Sine of radians.
    fsin(a: float) -> float = a.sin();
    /// Cosine of radians.
    fcos(a: float) -> float = a.cos();
    /// Tangent of radians.
    ftan(a: float) -> float = a.tan();
    /// Arc sine in radians.
    fasin(a: float) -> float = a.asin();
    /// Arc cosine in radians.
    facos(a: float) -> float = a.acos();
    /// Arc tangent in radians.
    fatan(a: float) -> float = a.atan();
    /// Angle of the point (`x`, `y`). GLSL `atan(y, x)`.
    fatan2(y: float, x: float) -> float = y.atan2(x);
    /// Hyperbolic sine.
    fsinh(a: float) -> float = a.sinh();
    /// Hyperbolic cosine.
    fcosh(a: float) -> float = a.cosh();
    /// Hyperbolic tangent.
    ftanh(a: float) -> float = a.tanh();
    /// Inverse hyperbolic sine.
    fasinh(a: float) -> float = a.asinh();
    /// Inverse hyperbolic cosine.
    facosh(a: float) -> float = a.acosh();
    /// Inverse hyperbolic tangent.
    fatanh(a: float) -> float = a.atanh();
    /// `a * 2^e`; a subnormal result is zero with the sign of `a`. GLSL `ldexp`.
    fldexp(a: float, e: int32) -> float = {
        let x = ldexp(a, e);
        if x.abs() < min_normal(bits) { 0f64.copysign(a) } else { x }
    };
    /// Significand of `a` in [0.5, 1) with its sign; zero, infinity and NaN are kept. GLSL `frexp`.
    frexp_sig(a: float) -> float = frexp(a).0;
    /// Exponent of `a` for `frexp_sig`; 0 for zero, infinity and NaN. GLSL `frexp`.
    frexp_exp(a: float) -> int32 = frexp(a).1;
    /// Rounded to what a 16-bit float holds, subnormals flushed to zero. SPIR-V OpQuantizeToF16.
    fquantize2f16(a: float32) -> float32 { idempotent } = {
        let h = round_f64(a, 16, Rounding::Rte);
        if h.abs() < 2f64.powi(-14) { 0f64.copysign(a) } else { h }
    };
    /// Dot product of two components.
    fdot2(a: float[2], b: float[2]) -> float[1] { commutative } = a[0] * b[0] + a[1] * b[1];
    /// Dot product of three components.
    fdot3(a: float[3], b: float[3]) -> float[1] { commutative } = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    /// Dot product of four components.
    fdot4(a: float[4], b: float[4]) -> float[1] { commutative } =
        a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];

    // ---- float comparison ----

    /// Ordered and equal.
    feq(a: float, b: float) -> bool { commutative } = a == b;
    /// Unordered or not equal: true if an operand is NaN. GLSL `!=`, SPIR-V OpFUnordNotEqual.
    fneu(a: float, b: float) -> bool { commutative } = a != b;
    /// Ordered and less.
    flt(a: float, b: float) -> bool = a < b;
    /// Ordered and greater or equal.
    fge(a: float, b: float) -> bool = a >= b;
    /// Unordered or equal.
    fequ(a: float, b: float) -> bool { commutative } = a == b || a.is_nan() || b.is_nan();
    /// Ordered and not equal.
    fneo(a: float, b: float) -> bool { commutative } = a != b && !a.is_nan() && !b.is_nan();
    /// Unordered or less.
    fltu(a: float, b: float) -> bool = a < b || a.is_nan() || b.is_nan();
    /// Unordered or greater or equal.
    fgeu(a: float, b: float) -> bool = a >= b || a.is_nan() || b.is_nan();
    /// Neither operand is NaN.
    ford(a: float, b: float) -> bool { commutative } = !a.is_nan() && !b.is_nan();
    /// An operand is NaN.
    funord(a: float, b: float) -> bool { commutative } = a.is_nan() || b.is_nan();

    // ---- integer arithmetic ----

    /// Sum modulo 2^bits.
    iadd(a: int, b: int) -> int { commutative, associative } = a.wrapping_add(b);
    /// Difference modulo 2^bits.
    isub(a: int, b: int) -> int = a.wrapping_sub(b);
    /// Low half of the product.
    imul(a: int, b: int) -> int { commutative, associative } = a.wrapping_mul(b);
    /// High half of the signed product. Part of GLSL `imulExtended`.
    imul_high(a: int, b: int) -> int { commutative } = ((i128::from(a) * i128::from(b)) >> bits) as i64;
    /// High half of the unsigned product. Part of GLSL `umulExtended`.
    umul_high(a: uint, b: uint) -> uint { commutative } = ((u128::from(a) * u128::from(b)) >> bits) as u64;
    /// Signed quotient, toward zero. Division by zero gives 0, overflow the dividend (both undefined in
    /// GLSL 4.60 section 5.9).
    idiv(a: int, b: int) -> int = if b == 0 { 0 } else { a.wrapping_div(b) };
    /// Unsigned quotient. Division by zero gives 0.
    udiv(a: uint, b: uint) -> uint = a.checked_div(b).unwrap_or(0);
    /// Signed remainder with the sign of `a`; 0 if `b` is 0. SPIR-V OpSRem.
    irem(a: int, b: int) -> int = if b == 0 { 0 } else { a.wrapping_rem(b) };
    /// Signed remainder with the sign of `b`; 0 if `b` is 0. SPIR-V OpSMod.
    imod(a: int, b: int) -> int = if b == 0 { 0 } else {
        let r = a.wrapping_rem(b);
        if r != 0 && (r < 0) != (b < 0) { r.wrapping_add(b) } else { r }
    };
    /// Unsigned remainder; 0 if `b` is 0. SPIR-V OpUMod.
    umod(a: uint, b: uint) -> uint = a.checked_rem(b).unwrap_or(0);
    /// Two's complement negation.
    ineg(a: int) -> int = a.wrapping_neg();
    /// Absolute value; the smallest number keeps itself.
    iabs(a: int) -> int { idempotent } = a.wrapping_abs();
    /// -1, 0 or 1.
    isign(a: int) -> int { idempotent } = a.signum();
    /// Signed minimum.
    imin(a: int, b: int) -> int { commutative, associative } = a.min(b);
    /// Unsigned minimum.
    umin(a: uint, b: uint) -> uint { commutative, associative } = a.min(b);
    /// Signed maximum.
    imax(a: int, b: int) -> int { commutative, associative } = a.max(b);
    /// Unsigned maximum.
    umax(a: uint, b: uint) -> uint { commutative, associative } = a.max(b);
    /// Signed sum, saturated.
    iadd_sat(a: int, b: int) -> int { commutative } = saturate(i128::from(a) + i128::from(b), true, bits) as i64;
    /// Unsigned sum, saturated.
    uadd_sat(a: uint, b: uint) -> uint { commutative } = saturate(i128::from(a) + i128::from(b), false, bits) as u64;
    /// Signed difference, saturated.
    isub_sat(a: int, b: int) -> int = saturate(i128::from(a) - i128::from(b), true, bits) as i64;
    /// Unsigned difference, saturated.
    usub_sat(a: uint, b: uint) -> uint = a.saturating_sub(b);
    /// 1 if the unsigned sum overflows, else 0. GLSL `uaddCarry`.
    uadd_carry(a: uint, b: uint) -> uint { commutative } = u64::from(u128::from(a) + u128::from(b) > u128::from(bit_mask(bits)));
    /// 1 if the unsigned difference is negative, else 0. GLSL `usubBorrow`.
    usub_borrow(a: uint, b: uint) -> uint = u64::from(a < b);
    /// Signed average, rounded down, without overflow.
    ihadd(a: int, b: int) -> int { commutative } = ((i128::from(a) + i128::from(b)) >> 1) as i64;
    /// Unsigned average, rounded down, without overflow.
    uhadd(a: uint, b: uint) -> uint { commutative } = ((u128::from(a) + u128::from(b)) >> 1) as u64;
    /// Signed average, rounded up, without overflow.
    irhadd(a: int, b: int) -> int { commutative } = ((i128::from(a) + i128::from(b) + 1) >> 1) as i64;
    /// Unsigned average, rounded up, without overflow.
    urhadd(a: uint, b: uint) -> uint { commutative } = ((u128::from(a) + u128::from(b) + 1) >> 1) as u64;
    /// Signed product of two 32-bit numbers as 64 bits.
    imul_2x32_64(a: int32, b: int32) -> int64 { commutative } = a.wrapping_mul(b);
    /// Unsigned product of two 32-bit numbers as 64 bits.
    umul_2x32_64(a: uint32, b: uint32) -> uint64 { commutative } = a.wrapping_mul(b);

    // ---- integer comparison ----

    /// Equal bits.
    ieq(a: int, b: int) -> bool { commutative } = a == b;
    /// Different bits.
    ine(a: int, b: int) -> bool { commutative } = a != b;
    /// Signed less.
    ilt(a: int, b: int) -> bool = a < b;
    /// Signed greater or equal.
    ige(a: int, b: int) -> bool = a >= b;
    /// Unsigned less.
    ult(a: uint, b: uint) -> bool = a < b;
    /// Unsigned greater or equal.
    uge(a: uint, b: uint) -> bool = a >= b;

    // ---- bits (any width, booleans included) ----

    /// Bitwise and; logical and of booleans.
    iand(a: uint, b: uint) -> uint { commutative, associative } = a & b;
    /// Bitwise or; logical or of booleans.
    ior(a: uint, b: uint) -> uint { commutative, associative } = a | b;
    /// Bitwise exclusive or; inequality of booleans.
    ixor(a: uint, b: uint) -> uint { commutative, associative } = a ^ b;
    /// Bitwise complement; logical not of booleans.
    inot(a: uint) -> uint = !a;
    /// Shift left by `b` modulo the width.
    ishl(a: uint, b: count) -> uint = a << (b & u64::from(bits - 1));
    /// Arithmetic shift right by `b` modulo the width.
    ishr(a: int, b: count) -> int = a >> (b & u64::from(bits - 1));
    /// Logical shift right by `b` modulo the width.
    ushr(a: uint, b: count) -> uint = a >> (b & u64::from(bits - 1));
    /// Bits in reverse order.
    bitfield_reverse(a: uint) -> uint = a.reverse_bits() >> (64 - bits);
    /// Number of one bits.
    bit_count(a: uint) -> uint32 = a.count_ones();
    /// Position of the highest one bit, -1 if there is none. GLSL `findMSB(uint)`.
    ufind_msb(a: uint) -> int32 = 63 - a.leading_zeros() as i32;
    /// Position of the highest bit that differs from the sign bit, -1 if none. GLSL `findMSB(int)`.
    ifind_msb(a: int) -> int32 = 63 - (a ^ (a >> 63)).leading_zeros() as i32;
    /// Position of the lowest one bit, -1 if there is none. GLSL `findLSB`.
    find_lsb(a: uint) -> int32 = if a == 0 { -1 } else { a.trailing_zeros() as i32 };
    /// `count` bits from `offset` on, zero-extended; 0 if `count` is 0; what lies beyond the width reads as
    /// 0 (undefined in GLSL 4.60 section 8.8).
    ubitfield_extract(a: uint, offset: count, count: count) -> uint =
        a.checked_shr(offset as u32).unwrap_or(0) & bit_mask(count.min(64) as u32);
    /// `count` bits from `offset` on, sign-extended; 0 if `count` is 0.
    ibitfield_extract(a: int, offset: count, count: count) -> int =
        if count == 0 { 0 } else { sign_extend((a >> offset.min(63)) as u64, count.min(64) as u32) };
    /// `base` with `count` bits from `offset` on replaced by the low bits of `insert`.
    bitfield_insert(base: uint, insert: uint, offset: count, count: count) -> uint = {
        let mask = bit_mask(count.min(64) as u32).checked_shl(offset as u32).unwrap_or(0);
        (base & !mask) | (insert.checked_shl(offset as u32).unwrap_or(0) & mask)
    };

    // ---- reductions of booleans ----

    /// Whether both components are true. GLSL `all`.
    ball2(a: bool[2]) -> bool[1] = a.iter().all(|&x| x);
    /// Whether all three components are true.
    ball3(a: bool[3]) -> bool[1] = a.iter().all(|&x| x);
    /// Whether all four components are true.
    ball4(a: bool[4]) -> bool[1] = a.iter().all(|&x| x);
    /// Whether one of two components is true. GLSL `any`.
    bany2(a: bool[2]) -> bool[1] = a.iter().any(|&x| x);
    /// Whether one of three components is true.
    bany3(a: bool[3]) -> bool[1] = a.iter().any(|&x| x);
    /// Whether one of four components is true.
    bany4(a: bool[4]) -> bool[1] = a.iter().any(|&x| x);

    // ---- conversions: the width of the result is the instruction's ----

    /// Float to float, to the nearest, ties to even.
    f2f(a: float) -> float @sized { rounded } = a;
    /// Float to float, toward zero.
    f2f_rtz(a: float) -> float @sized = round_f64(a, out_bits, Rounding::Rtz);
    /// Float to float, toward positive infinity.
    f2f_rtp(a: float) -> float @sized = round_f64(a, out_bits, Rounding::Rtp);
    /// Float to float, toward negative infinity.
    f2f_rtn(a: float) -> float @sized = round_f64(a, out_bits, Rounding::Rtn);
    /// Float to signed integer, toward zero. Out of range is undefined in the source languages; here the
    /// nearest bound, and 0 for NaN.
    f2i(a: float) -> int @sized = float_to_int(a, true, out_bits, Rounding::Rtz);
    /// Float to signed integer, ties to even.
    f2i_rte(a: float) -> int @sized = float_to_int(a, true, out_bits, Rounding::Rte);
    /// Float to signed integer, up.
    f2i_rtp(a: float) -> int @sized = float_to_int(a, true, out_bits, Rounding::Rtp);
    /// Float to signed integer, down.
    f2i_rtn(a: float) -> int @sized = float_to_int(a, true, out_bits, Rounding::Rtn);
    /// Float to signed integer, toward zero; NaN gives 0, out of range the nearest bound.
    f2i_sat(a: float) -> int @sized = float_to_int(a, true, out_bits, Rounding::Rtz);
    /// Float to signed integer, ties to even, saturated.
    f2i_rte_sat(a: float) -> int @sized = float_to_int(a, true, out_bits, Rounding::Rte);
    /// Float to signed integer, up, saturated.
    f2i_rtp_sat(a: float) -> int @sized = float_to_int(a, true, out_bits, Rounding::Rtp);
    /// Float to signed integer, down, saturated.
    f2i_rtn_sat(a: float) -> int @sized = float_to_int(a, true, out_bits, Rounding::Rtn);
    /// Float to unsigned integer, toward zero. Out of range as for `f2i`.
    f2u(a: float) -> uint @sized = float_to_int(a, false, out_bits, Rounding::Rtz);
    /// Float to unsigned integer, ties to even.
    f2u_rte(a: float) -> uint @sized = float_to_int(a, false, out_bits, Rounding::Rte);
    /// Float to unsigned integer, up.
    f2u_rtp(a: float) -> uint @sized = float_to_int(a, false, out_bits, Rounding::Rtp);
    /// Float to unsigned integer, down.
    f2u_rtn(a: float) -> uint @sized = float_to_int(a, false, out_bits, Rounding::Rtn);
    /// Float to unsigned integer, toward zero; NaN gives 0, out of range the nearest bound.
    f2u_sat(a: float) -> uint @sized = float_to_int(a, false, out_bits, Rounding::Rtz);
    /// Float to unsigned integer, ties to even, saturated.
    f2u_rte_sat(a: float) -> uint @sized = float_to_int(a, false, out_bits, Rounding::Rte);
    /// Float to unsigned integer, up, saturated.
    f2u_rtp_sat(a: float) -> uint @sized = float_to_int(a, false, out_bits, Rounding::Rtp);
    /// Float to unsigned integer, down, saturated.
    f2u_rtn_sat(a: float) -> uint @sized = float_to_int(a, false, out_bits, Rounding::Rtn);
    /// Signed integer to float, to the nearest, ties to even.
    i2f(a: int) -> float @sized { rounded } = int_to_float(i128::from(a), out_bits, Rounding::Rte);
    /// Signed integer to float, toward zero.
    i2f_rtz(a: int) -> float @sized = int_to_float(i128::from(a), out_bits, Rounding::Rtz);
    /// Signed integer to float, up.
    i2f_rtp(a: int) -> float @sized = int_to_float(i128::from(a), out_bits, Rounding::Rtp);
    /// Signed integer to float, down.
    i2f_rtn(a: int) -> float @sized = int_to_float(i128::from(a), out_bits, Rounding::Rtn);
    /// Unsigned integer to float, to the nearest, ties to even.
    u2f(a: uint) -> float @sized { rounded } = int_to_float(i128::from(a), out_bits, Rounding::Rte);
    /// Unsigned integer to float, toward zero.
    u2f_rtz(a: uint) -> float @sized = int_to_float(i128::from(a), out_bits, Rounding::Rtz);
    /// Unsigned integer to float, up.
    u2f_rtp(a: uint) -> float @sized = int_to_float(i128::from(a), out_bits, Rounding::Rtp);
    /// Unsigned integer to float, down.
    u2f_rtn(a: uint) -> float @sized = int_to_float(i128::from(a), out_bits, Rounding::Rtn);
    /// Integer to another width: sign-extended or cut.
    i2i(a: int) -> int @sized = a;
    /// Integer to another width: zero-extended or cut.
    u2u(a: uint) -> uint @sized = a;
    /// Signed integer to signed, saturated.
    i2i_sat(a: int) -> int @sized = saturate(i128::from(a), true, out_bits);
    /// Signed integer to unsigned, saturated.
    i2u_sat(a: int) -> uint @sized = saturate(i128::from(a), false, out_bits);
    /// Unsigned integer to signed, saturated.
    u2i_sat(a: uint) -> int @sized = saturate(i128::from(a), true, out_bits);
    /// Unsigned integer to unsigned, saturated.
    u2u_sat(a: uint) -> uint @sized = saturate(i128::from(a), false, out_bits);
    /// Boolean to float: 1.0 or 0.0.
    b2f(a: bool) -> float @sized = if a { 1.0 } else { 0.0 };
    /// Boolean to integer: 1 or 0.
    b2i(a: bool) -> int @sized = i64::from(a);

    // ---- packing (GLSL 4.60 section 8.4) ----

    /// Two 32-bit words as one of 64 bits; the first component is the low half.
    pack_64_2x32(a: uint32[2]) -> uint64[1] = a[0] | (a[1] << 32);
    /// Low and high half of 64 bits.
    unpack_64_2x32(a: uint64[1]) -> uint32[2] = [a & 0xffff_ffff, a >> 32];
    /// Four 16-bit words as one of 64 bits.
    pack_64_4x16(a: uint16[4]) -> uint64[1] = a[0] | (a[1] << 16) | (a[2] << 32) | (a[3] << 48);
    /// Four 16-bit words of 64 bits, the lowest first.
    unpack_64_4x16(a: uint64[1]) -> uint16[4] = [a & 0xffff, (a >> 16) & 0xffff, (a >> 32) & 0xffff, a >> 48];
    /// Two 16-bit words as one of 32 bits.
    pack_32_2x16(a: uint16[2]) -> uint32[1] = a[0] | (a[1] << 16);
    /// Low and high half of 32 bits.
    unpack_32_2x16(a: uint32[1]) -> uint16[2] = [a & 0xffff, a >> 16];
    /// Four bytes as one word of 32 bits.
    pack_32_4x8(a: uint8[4]) -> uint32[1] = a[0] | (a[1] << 8) | (a[2] << 16) | (a[3] << 24);
    /// Four bytes of 32 bits, the lowest first.
    unpack_32_4x8(a: uint32[1]) -> uint8[4] = [a & 0xff, (a >> 8) & 0xff, (a >> 16) & 0xff, a >> 24];
    /// Two floats as halves. GLSL `packHalf2x16`.
    pack_half_2x16(a: float32[2]) -> uint32[1] = f64_to_bits(a[0], 16) | (f64_to_bits(a[1], 16) << 16);
    /// Two halves as floats. GLSL `unpackHalf2x16`.
    unpack_half_2x16(a: uint32[1]) -> float32[2] = [f64_from_bits(a & 0xffff, 16), f64_from_bits(a >> 16, 16)];
    /// GLSL `packUnorm2x16`: `round(clamp(a, 0, 1) * 65535)`.
    pack_unorm_2x16(a: float32[2]) -> uint32[1] = pack_norm(&a, 16, false);
    /// GLSL `packSnorm2x16`: `round(clamp(a, -1, 1) * 32767)`.
    pack_snorm_2x16(a: float32[2]) -> uint32[1] = pack_norm(&a, 16, true);
    /// GLSL `packUnorm4x8`: `round(clamp(a, 0, 1) * 255)`.
    pack_unorm_4x8(a: float32[4]) -> uint32[1] = pack_norm(&a, 8, false);
    /// GLSL `packSnorm4x8`: `round(clamp(a, -1, 1) * 127)`.
    pack_snorm_4x8(a: float32[4]) -> uint32[1] = pack_norm(&a, 8, true);
    /// GLSL `unpackUnorm2x16`.
    unpack_unorm_2x16(a: uint32[1]) -> float32[2] = unpack_norm(a, 16, false);
    /// GLSL `unpackSnorm2x16`.
    unpack_snorm_2x16(a: uint32[1]) -> float32[2] = unpack_norm(a, 16, true);
    /// GLSL `unpackUnorm4x8`.
    unpack_unorm_4x8(a: uint32[1]) -> float32[4] = unpack_norm(a, 8, false);
    /// GLSL `unpackSnorm4x8`.
    unpack_snorm_4x8(a: uint32[1]) -> float32[4] = unpack_norm(a, 8, true);

    quad {
        /// Change along x; an implementation may choose coarse or fine. GLSL `dFdx`.
        fddx(a: float) -> float = a[lane | 1] - a[lane & !1];
        /// Change along y. GLSL `dFdy`.
        fddy(a: float) -> float = a[lane | 2] - a[lane & !2];
        /// Change along x of the invocation's own row. GLSL `dFdxFine`.
        fddx_fine(a: float) -> float = a[lane | 1] - a[lane & !1];
        /// Change along y of the invocation's own column. GLSL `dFdyFine`.
        fddy_fine(a: float) -> float = a[lane | 2] - a[lane & !2];
        /// Change along x, the same for the whole quad. GLSL `dFdxCoarse`.
        fddx_coarse(a: float) -> float = { let _ = lane; a[1] - a[0] };
        /// Change along y, the same for the whole quad. GLSL `dFdyCoarse`.
        fddy_coarse(a: float) -> float = { let _ = lane; a[2] - a[0] };
    }
}

/// Normalised floats as fields of `width` bits, the first component lowest.
///
/// The product is rounded to 32 bits first, as the specification's formula would in a shader.
fn pack_norm(a: &[f64], width: u32, signed: bool) -> u64 {
    let (low, scale) =
        if signed { (-1.0, bit_mask(width - 1) as f64) } else { (0.0, bit_mask(width) as f64) };
    a.iter().rev().fold(0, |word, &x| {
        let x = if x.is_nan() { 0.0 } else { x.clamp(low, 1.0) };
        let n = f64::from((x * scale) as f32).round_ties_even() as i64;
        (word << width) | (n as u64 & bit_mask(width))
    })
}

/// Fields of `width` bits as normalised floats, the lowest first.
fn unpack_norm<const N: usize>(word: u64, width: u32, signed: bool) -> [f64; N] {
    std::array::from_fn(|i| {
        let field = (word >> (i as u32 * width)) & bit_mask(width);
        if signed {
            (sign_extend(field, width) as f64 / bit_mask(width - 1) as f64).clamp(-1.0, 1.0)
        } else {
            field as f64 / bit_mask(width) as f64
        }
    })
}
