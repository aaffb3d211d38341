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
//! * `quad` rows see the values of all four invocations (0, 1 = upper row) and their own index `lane`.
//!
//! Names follow NIR where NIR has one.

use super::float::*;
use super::info::*;
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

/// Stores the value of the meaning into the result lanes: per component, or all at once for `[n]`.
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
        ///
        /// # Examples
        ///
        /// ```
        /// use airfoil_ir::{AluOp, Ty};
        ///
        /// let op = AluOp::from_name("iadd_sat").unwrap();
        /// assert_eq!(op.eval(8, Ty::new(1, 8), &[[100, 0, 0, 0], [100, 0, 0, 0]]), Some([127, 0, 0, 0]));
        ///
        /// // A fine derivative is that of the row of the invocation, a coarse one that of the upper row.
        /// let quad = [1.0f32, 4.0, 9.0, 16.0].map(|x| u64::from(x.to_bits()));
        /// let lower_left = |op: AluOp| op.eval_quad(32, quad, 2).map(|raw| f32::from_bits(raw as u32));
        /// assert_eq!(lower_left(AluOp::fddx_fine), Some(7.0));
        /// assert_eq!(lower_left(AluOp::fddx_coarse), Some(3.0));
        /// ```
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u16)]
        #[allow(non_camel_case_types)]
        pub enum AluOp {
            $( $(#[doc = $doc])+ $name, )+
            $( $(#[doc = $qdoc])+ $qname, )+
        }

        /// Every operation in table order.
        pub const ALU_OPS: &[AluOp] = &[$( AluOp::$name, )+ $( AluOp::$qname, )+];

        static ALU_INFOS: [AluInfo; ALU_OPS.len()] = [
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

        /// Apart from the rows, which are larger: walks over operands read nothing else.
        static NUM_OPERANDS: [u8; ALU_OPS.len()] = [
            $( <[&str]>::len(&[$(stringify!($arg)),+]) as u8, )+
            $( <[&str]>::len(&[stringify!($qarg)]) as u8, )+
        ];

        /// The methods of the builder, expanded where it is declared.
        macro_rules! alu_methods {
            () => {
                $( short_method! { [$($sized)?] $(#[doc = $doc])+ $name($($arg),+) } )+
                $( short_method! { [] $(#[doc = $qdoc])+ $qname($qarg) } )+
            };
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
    #[inline]
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
    #[inline]
    pub fn num_operands(self) -> usize {
        usize::from(NUM_OPERANDS[self as usize])
    }

    /// Evaluates the operation on operands whose swizzles have been applied.
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

    /// Copies the operand, whose swizzle selects components.
    mov(a: any) -> any { idempotent } = a;
    /// `a` if `c` is true, otherwise `b`, per component. GLSL `?:` and `mix` with booleans, SPIR-V OpSelect.
    bcsel(c: bool, a: any, b: any) -> any = if c { a } else { b };
    /// Builds a vector from two scalars.
    vec2(a: any[1], b: any[1]) -> any[2] = [a, b];
    /// Builds a vector from three scalars.
    vec3(a: any[1], b: any[1], c: any[1]) -> any[3] = [a, b, c];
    /// Builds a vector from four scalars.
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
    /// Fused multiply-add: `a * b + c`, rounded once. GLSL `fma`, GLSL.std.450 Fma.
    ffma(a: float, b: float, c: float) -> float { commutative, rounded } = fused(a, b, c, bits);
    /// Unfused multiply-add: `a * b + c` with the product rounded first, like the separate operations.
    fmad(a: float, b: float, c: float) -> float { commutative, rounded } = unfused(a, b, c, bits);
    /// `a * (1 - c) + b * c`. GLSL `mix`, GLSL.std.450 FMix.
    flrp(a: float, b: float, c: float) -> float = a * (1.0 - c) + b * c;
    /// Negation: flips the sign bit, including that of NaN and zero. SPIR-V OpFNegate.
    fneg(a: float) -> float { sign_only } = -a;
    /// Absolute value: clears the sign bit. GLSL `abs`.
    fabs(a: float) -> float { idempotent, sign_only } = a.abs();
    /// -1, 0 or 1 with the sign of `a`; zero keeps its sign, NaN becomes 0. GLSL `sign`.
    fsign(a: float) -> float { idempotent } = if a.is_nan() { 0.0 } else if a == 0.0 { a } else { 1f64.copysign(a) };
    /// Clamps to [0, 1]; NaN becomes 0. Metal `saturate`.
    fsat(a: float) -> float { idempotent } = if a > 0.0 { a.min(1.0) } else { 0.0 };
    /// Minimum; if one operand is NaN, the other. GLSL.std.450 NMin (and FMin, which leaves NaN undefined).
    fmin(a: float, b: float) -> float { commutative, associative } = min_num(a, b);
    /// Maximum; if one operand is NaN, the other. GLSL.std.450 NMax (and FMax, which leaves NaN undefined).
    fmax(a: float, b: float) -> float { commutative, associative } = max_num(a, b);
    /// `min(max(a, low), high)`. GLSL `clamp`, GLSL.std.450 NClamp.
    fclamp(a: float, low: float, high: float) -> float = min_num(max_num(a, low), high);
    /// Reciprocal: `1 / a`.
    frcp(a: float) -> float { rounded } = 1.0 / a;
    /// Square root.
    fsqrt(a: float) -> float { rounded } = a.sqrt();
    /// Reciprocal square root: `1 / sqrt(a)`. GLSL `inversesqrt`.
    frsq(a: float) -> float = 1.0 / a.sqrt();
    /// Rounds down to an integral value. GLSL `floor`.
    ffloor(a: float) -> float { idempotent } = a.floor();
    /// Rounds up to an integral value. GLSL `ceil`.
    fceil(a: float) -> float { idempotent } = a.ceil();
    /// Rounds toward zero to an integral value. GLSL `trunc`.
    ftrunc(a: float) -> float { idempotent } = a.trunc();
    /// Rounds to the nearest integral value, ties to even. GLSL `roundEven`.
    fround_even(a: float) -> float { idempotent } = a.round_ties_even();
    /// Rounds to the nearest integral value, ties away from zero. One of the two results that GLSL `round` permits.
    fround(a: float) -> float { idempotent } = a.round();
    /// Fractional part: `a - floor(a)`. GLSL `fract`.
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
    /// Sine of an angle in radians.
    fsin(a: float) -> float = a.sin();
    /// Cosine of an angle in radians.
    fcos(a: float) -> float = a.cos();
    /// Tangent of an angle in radians.
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
    /// `a * 2^e`; subnormal results are flushed to zero with the sign of `a`. GLSL `ldexp`.
    fldexp(a: float, e: int32) -> float = {
        let x = ldexp(a, e);
        if x.abs() < min_normal(bits) { 0f64.copysign(a) } else { x }
    };
    /// Signed significand of `a`, with a magnitude in [0.5, 1); zero, infinity and NaN are unchanged. GLSL `frexp`.
    frexp_sig(a: float) -> float = frexp(a).0;
    /// Exponent of `a` that belongs to `frexp_sig`; 0 for zero, infinity and NaN. GLSL `frexp`.
    frexp_exp(a: float) -> int32 = frexp(a).1;
    /// Rounds to the precision and range of a 16-bit float; subnormals are flushed to zero. SPIR-V OpQuantizeToF16.
    fquantize2f16(a: float32) -> float32 { idempotent } = {
        let h = round_f64(a, 16, Rounding::Rte);
        if h.abs() < 2f64.powi(-14) { 0f64.copysign(a) } else { h }
    };
    /// Dot product of two-component vectors.
    fdot2(a: float[2], b: float[2]) -> float[1] { commutative } = a[0] * b[0] + a[1] * b[1];
    /// Dot product of three-component vectors.
    fdot3(a: float[3], b: float[3]) -> float[1] { commutative } = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    /// Dot product of four-component vectors.
    fdot4(a: float[4], b: float[4]) -> float[1] { commutative } =
        a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];

    // ---- float comparison ----

    /// Ordered equal: false if an operand is NaN. GLSL `==`.
    feq(a: float, b: float) -> bool { commutative } = a == b;
    /// Unordered not equal: true if an operand is NaN. GLSL `!=`, SPIR-V OpFUnordNotEqual.
    fneu(a: float, b: float) -> bool { commutative } = a != b;
    /// Ordered less than.
    flt(a: float, b: float) -> bool = a < b;
    /// Ordered greater than or equal.
    fge(a: float, b: float) -> bool = a >= b;
    /// Unordered equal: true if an operand is NaN.
    fequ(a: float, b: float) -> bool { commutative } = a == b || a.is_nan() || b.is_nan();
    /// Ordered not equal: false if an operand is NaN.
    fneo(a: float, b: float) -> bool { commutative } = a != b && !a.is_nan() && !b.is_nan();
    /// Unordered less than: true if an operand is NaN.
    fltu(a: float, b: float) -> bool = a < b || a.is_nan() || b.is_nan();
    /// Unordered greater than or equal: true if an operand is NaN.
    fgeu(a: float, b: float) -> bool = a >= b || a.is_nan() || b.is_nan();
    /// Ordered: neither operand is NaN.
    ford(a: float, b: float) -> bool { commutative } = !a.is_nan() && !b.is_nan();
    /// Unordered: an operand is NaN.
    funord(a: float, b: float) -> bool { commutative } = a.is_nan() || b.is_nan();

    // ---- integer arithmetic ----

    /// Integer sum, modulo 2^bits.
    iadd(a: int, b: int) -> int { commutative, associative } = a.wrapping_add(b);
    /// Integer difference, modulo 2^bits.
    isub(a: int, b: int) -> int = a.wrapping_sub(b);
    /// Integer product, modulo 2^bits.
    imul(a: int, b: int) -> int { commutative, associative } = a.wrapping_mul(b);
    /// High half of the signed product. Part of GLSL `imulExtended`.
    imul_high(a: int, b: int) -> int { commutative } = ((i128::from(a) * i128::from(b)) >> bits) as i64;
    /// High half of the unsigned product. Part of GLSL `umulExtended`.
    umul_high(a: uint, b: uint) -> uint { commutative } = ((u128::from(a) * u128::from(b)) >> bits) as u64;
    /// Signed quotient, rounded toward zero. Division by zero yields 0, overflow the dividend (both are undefined in GLSL
    /// 4.60 section 5.9).
    idiv(a: int, b: int) -> int = if b == 0 { 0 } else { a.wrapping_div(b) };
    /// Unsigned quotient. Division by zero yields 0.
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
    /// Signed absolute value; the minimum value is unchanged.
    iabs(a: int) -> int { idempotent } = a.wrapping_abs();
    /// Sign of a signed integer: -1, 0 or 1. GLSL `sign`.
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
    /// Carry of the unsigned sum: 1 if it overflows, otherwise 0. GLSL `uaddCarry`.
    uadd_carry(a: uint, b: uint) -> uint { commutative } = u64::from(u128::from(a) + u128::from(b) > u128::from(bit_mask(bits)));
    /// Borrow of the unsigned difference: 1 if it is negative, otherwise 0. GLSL `usubBorrow`.
    usub_borrow(a: uint, b: uint) -> uint = u64::from(a < b);
    /// Signed average, rounded down, without overflow.
    ihadd(a: int, b: int) -> int { commutative } = ((i128::from(a) + i128::from(b)) >> 1) as i64;
    /// Unsigned average, rounded down, without overflow.
    uhadd(a: uint, b: uint) -> uint { commutative } = ((u128::from(a) + u128::from(b)) >> 1) as u64;
    /// Signed average, rounded up, without overflow.
    irhadd(a: int, b: int) -> int { commutative } = ((i128::from(a) + i128::from(b) + 1) >> 1) as i64;
    /// Unsigned average, rounded up, without overflow.
    urhadd(a: uint, b: uint) -> uint { commutative } = ((u128::from(a) + u128::from(b) + 1) >> 1) as u64;
    /// 64-bit signed product of two 32-bit integers.
    imul_2x32_64(a: int32, b: int32) -> int64 { commutative } = a.wrapping_mul(b);
    /// 64-bit unsigned product of two 32-bit integers.
    umul_2x32_64(a: uint32, b: uint32) -> uint64 { commutative } = a.wrapping_mul(b);

    // ---- integer comparison ----

    /// Integer equality.
    ieq(a: int, b: int) -> bool { commutative } = a == b;
    /// Integer inequality.
    ine(a: int, b: int) -> bool { commutative } = a != b;
    /// Signed less than.
    ilt(a: int, b: int) -> bool = a < b;
    /// Signed greater than or equal.
    ige(a: int, b: int) -> bool = a >= b;
    /// Unsigned less than.
    ult(a: uint, b: uint) -> bool = a < b;
    /// Unsigned greater than or equal.
    uge(a: uint, b: uint) -> bool = a >= b;

    // ---- bits (any width, booleans included) ----

    /// Bitwise AND; logical AND of booleans.
    iand(a: uint, b: uint) -> uint { commutative, associative } = a & b;
    /// Bitwise OR; logical OR of booleans.
    ior(a: uint, b: uint) -> uint { commutative, associative } = a | b;
    /// Bitwise XOR; inequality of booleans.
    ixor(a: uint, b: uint) -> uint { commutative, associative } = a ^ b;
    /// Bitwise complement; logical NOT of booleans.
    inot(a: uint) -> uint = !a;
    /// Shift left by `b` modulo the width.
    ishl(a: uint, b: count) -> uint = a << (b & u64::from(bits - 1));
    /// Arithmetic shift right by `b` modulo the width.
    ishr(a: int, b: count) -> int = a >> (b & u64::from(bits - 1));
    /// Logical shift right by `b` modulo the width.
    ushr(a: uint, b: count) -> uint = a >> (b & u64::from(bits - 1));
    /// Reverses the order of the bits. GLSL `bitfieldReverse`.
    bitfield_reverse(a: uint) -> uint = a.reverse_bits() >> (64 - bits);
    /// Number of set bits. GLSL `bitCount`.
    bit_count(a: uint) -> uint32 = a.count_ones();
    /// Index of the most significant set bit, -1 for 0. GLSL `findMSB(uint)`.
    ufind_msb(a: uint) -> int32 = 63 - a.leading_zeros() as i32;
    /// Index of the most significant bit that differs from the sign bit, -1 if all bits are equal. GLSL `findMSB(int)`.
    ifind_msb(a: int) -> int32 = 63 - (a ^ (a >> 63)).leading_zeros() as i32;
    /// Index of the least significant set bit, -1 for 0. GLSL `findLSB`.
    find_lsb(a: uint) -> int32 = if a == 0 { -1 } else { a.trailing_zeros() as i32 };
    /// Extracts `count` bits starting at `offset` and zero-extends them; 0 if `count` is 0. Bits beyond the width read as 0
    /// (undefined in GLSL 4.60 section 8.8).
    ubitfield_extract(a: uint, offset: count, count: count) -> uint =
        a.checked_shr(offset as u32).unwrap_or(0) & bit_mask(count.min(64) as u32);
    /// Extracts `count` bits starting at `offset` and sign-extends them; 0 if `count` is 0.
    ibitfield_extract(a: int, offset: count, count: count) -> int =
        if count == 0 { 0 } else { sign_extend((a >> offset.min(63)) as u64, count.min(64) as u32) };
    /// Replaces `count` bits of `base`, starting at `offset`, by the low bits of `insert`.
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
    /// Whether any of two components is true. GLSL `any`.
    bany2(a: bool[2]) -> bool[1] = a.iter().any(|&x| x);
    /// Whether any of three components is true.
    bany3(a: bool[3]) -> bool[1] = a.iter().any(|&x| x);
    /// Whether any of four components is true.
    bany4(a: bool[4]) -> bool[1] = a.iter().any(|&x| x);

    // ---- conversions: the width of the result is the instruction's ----

    /// Float to float, rounded to nearest, ties to even.
    f2f(a: float) -> float @sized { rounded } = a;
    /// Float to float, rounded toward zero.
    f2f_rtz(a: float) -> float @sized = round_f64(a, out_bits, Rounding::Rtz);
    /// Float to float, rounded toward positive infinity.
    f2f_rtp(a: float) -> float @sized = round_f64(a, out_bits, Rounding::Rtp);
    /// Float to float, rounded toward negative infinity.
    f2f_rtn(a: float) -> float @sized = round_f64(a, out_bits, Rounding::Rtn);
    /// Float to signed integer, rounded toward zero. Values out of range are clamped and NaN becomes 0 (undefined in the
    /// source languages).
    f2i(a: float) -> int @sized = float_to_int(a, true, out_bits, Rounding::Rtz);
    /// Float to signed integer, rounded to nearest, ties to even.
    f2i_rte(a: float) -> int @sized = float_to_int(a, true, out_bits, Rounding::Rte);
    /// Float to signed integer, rounded up.
    f2i_rtp(a: float) -> int @sized = float_to_int(a, true, out_bits, Rounding::Rtp);
    /// Float to signed integer, rounded down.
    f2i_rtn(a: float) -> int @sized = float_to_int(a, true, out_bits, Rounding::Rtn);
    /// Float to signed integer, rounded toward zero, saturated; NaN becomes 0.
    f2i_sat(a: float) -> int @sized = float_to_int(a, true, out_bits, Rounding::Rtz);
    /// Float to signed integer, rounded to nearest, ties to even, saturated.
    f2i_rte_sat(a: float) -> int @sized = float_to_int(a, true, out_bits, Rounding::Rte);
    /// Float to signed integer, rounded up, saturated.
    f2i_rtp_sat(a: float) -> int @sized = float_to_int(a, true, out_bits, Rounding::Rtp);
    /// Float to signed integer, rounded down, saturated.
    f2i_rtn_sat(a: float) -> int @sized = float_to_int(a, true, out_bits, Rounding::Rtn);
    /// Float to unsigned integer, rounded toward zero. Values out of range are clamped as by `f2i`.
    f2u(a: float) -> uint @sized = float_to_int(a, false, out_bits, Rounding::Rtz);
    /// Float to unsigned integer, rounded to nearest, ties to even.
    f2u_rte(a: float) -> uint @sized = float_to_int(a, false, out_bits, Rounding::Rte);
    /// Float to unsigned integer, rounded up.
    f2u_rtp(a: float) -> uint @sized = float_to_int(a, false, out_bits, Rounding::Rtp);
    /// Float to unsigned integer, rounded down.
    f2u_rtn(a: float) -> uint @sized = float_to_int(a, false, out_bits, Rounding::Rtn);
    /// Float to unsigned integer, rounded toward zero, saturated; NaN becomes 0.
    f2u_sat(a: float) -> uint @sized = float_to_int(a, false, out_bits, Rounding::Rtz);
    /// Float to unsigned integer, rounded to nearest, ties to even, saturated.
    f2u_rte_sat(a: float) -> uint @sized = float_to_int(a, false, out_bits, Rounding::Rte);
    /// Float to unsigned integer, rounded up, saturated.
    f2u_rtp_sat(a: float) -> uint @sized = float_to_int(a, false, out_bits, Rounding::Rtp);
    /// Float to unsigned integer, rounded down, saturated.
    f2u_rtn_sat(a: float) -> uint @sized = float_to_int(a, false, out_bits, Rounding::Rtn);
    /// Signed integer to float, rounded to nearest, ties to even.
    i2f(a: int) -> float @sized { rounded } = int_to_float(i128::from(a), out_bits, Rounding::Rte);
    /// Signed integer to float, rounded toward zero.
    i2f_rtz(a: int) -> float @sized = int_to_float(i128::from(a), out_bits, Rounding::Rtz);
    /// Signed integer to float, rounded up.
    i2f_rtp(a: int) -> float @sized = int_to_float(i128::from(a), out_bits, Rounding::Rtp);
    /// Signed integer to float, rounded down.
    i2f_rtn(a: int) -> float @sized = int_to_float(i128::from(a), out_bits, Rounding::Rtn);
    /// Unsigned integer to float, rounded to nearest, ties to even.
    u2f(a: uint) -> float @sized { rounded } = int_to_float(i128::from(a), out_bits, Rounding::Rte);
    /// Unsigned integer to float, rounded toward zero.
    u2f_rtz(a: uint) -> float @sized = int_to_float(i128::from(a), out_bits, Rounding::Rtz);
    /// Unsigned integer to float, rounded up.
    u2f_rtp(a: uint) -> float @sized = int_to_float(i128::from(a), out_bits, Rounding::Rtp);
    /// Unsigned integer to float, rounded down.
    u2f_rtn(a: uint) -> float @sized = int_to_float(i128::from(a), out_bits, Rounding::Rtn);
    /// Integer to another width: sign-extended or truncated.
    i2i(a: int) -> int @sized = a;
    /// Integer to another width: zero-extended or truncated.
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

    /// Packs two 32-bit words into 64 bits; the first component is the low half.
    pack_64_2x32(a: uint32[2]) -> uint64[1] = a[0] | (a[1] << 32);
    /// Splits 64 bits into low and high half.
    unpack_64_2x32(a: uint64[1]) -> uint32[2] = [a & 0xffff_ffff, a >> 32];
    /// Packs four 16-bit words into 64 bits, the first component lowest.
    pack_64_4x16(a: uint16[4]) -> uint64[1] = a[0] | (a[1] << 16) | (a[2] << 32) | (a[3] << 48);
    /// Splits 64 bits into four 16-bit words, the lowest first.
    unpack_64_4x16(a: uint64[1]) -> uint16[4] = [a & 0xffff, (a >> 16) & 0xffff, (a >> 32) & 0xffff, a >> 48];
    /// Packs two 16-bit words into 32 bits; the first component is the low half.
    pack_32_2x16(a: uint16[2]) -> uint32[1] = a[0] | (a[1] << 16);
    /// Splits 32 bits into low and high half.
    unpack_32_2x16(a: uint32[1]) -> uint16[2] = [a & 0xffff, a >> 16];
    /// Packs four bytes into 32 bits, the first component lowest.
    pack_32_4x8(a: uint8[4]) -> uint32[1] = a[0] | (a[1] << 8) | (a[2] << 16) | (a[3] << 24);
    /// Splits 32 bits into four bytes, the lowest first.
    unpack_32_4x8(a: uint32[1]) -> uint8[4] = [a & 0xff, (a >> 8) & 0xff, (a >> 16) & 0xff, a >> 24];
    /// Converts two floats to 16 bits and packs them. GLSL `packHalf2x16`.
    pack_half_2x16(a: float32[2]) -> uint32[1] = f64_to_bits(a[0], 16) | (f64_to_bits(a[1], 16) << 16);
    /// Unpacks two 16-bit floats and converts them to 32 bits. GLSL `unpackHalf2x16`.
    unpack_half_2x16(a: uint32[1]) -> float32[2] = [f64_from_bits(a & 0xffff, 16), f64_from_bits(a >> 16, 16)];
    /// Packs two 16-bit unsigned normalized integers. GLSL `packUnorm2x16`: `round(clamp(a, 0, 1) * 65535)`.
    pack_unorm_2x16(a: float32[2]) -> uint32[1] = pack_norm(&a, 16, false);
    /// Packs two 16-bit signed normalized integers. GLSL `packSnorm2x16`: `round(clamp(a, -1, 1) * 32767)`.
    pack_snorm_2x16(a: float32[2]) -> uint32[1] = pack_norm(&a, 16, true);
    /// Packs four 8-bit unsigned normalized integers. GLSL `packUnorm4x8`: `round(clamp(a, 0, 1) * 255)`.
    pack_unorm_4x8(a: float32[4]) -> uint32[1] = pack_norm(&a, 8, false);
    /// Packs four 8-bit signed normalized integers. GLSL `packSnorm4x8`: `round(clamp(a, -1, 1) * 127)`.
    pack_snorm_4x8(a: float32[4]) -> uint32[1] = pack_norm(&a, 8, true);
    /// Unpacks two 16-bit unsigned normalized integers. GLSL `unpackUnorm2x16`.
    unpack_unorm_2x16(a: uint32[1]) -> float32[2] = unpack_norm(a, 16, false);
    /// Unpacks two 16-bit signed normalized integers. GLSL `unpackSnorm2x16`.
    unpack_snorm_2x16(a: uint32[1]) -> float32[2] = unpack_norm(a, 16, true);
    /// Unpacks four 8-bit unsigned normalized integers. GLSL `unpackUnorm4x8`.
    unpack_unorm_4x8(a: uint32[1]) -> float32[4] = unpack_norm(a, 8, false);
    /// Unpacks four 8-bit signed normalized integers. GLSL `unpackSnorm4x8`.
    unpack_snorm_4x8(a: uint32[1]) -> float32[4] = unpack_norm(a, 8, true);

    quad {
        /// Derivative along x; the implementation chooses coarse or fine. GLSL `dFdx`.
        fddx(a: float) -> float = a[lane | 1] - a[lane & !1];
        /// Derivative along y; the implementation chooses coarse or fine. GLSL `dFdy`.
        fddy(a: float) -> float = a[lane | 2] - a[lane & !2];
        /// Derivative along x in the row of the invocation. GLSL `dFdxFine`.
        fddx_fine(a: float) -> float = a[lane | 1] - a[lane & !1];
        /// Derivative along y in the column of the invocation. GLSL `dFdyFine`.
        fddy_fine(a: float) -> float = a[lane | 2] - a[lane & !2];
        /// Derivative along x, equal in the whole quad. GLSL `dFdxCoarse`.
        fddx_coarse(a: float) -> float = { let _ = lane; a[1] - a[0] };
        /// Derivative along y, equal in the whole quad. GLSL `dFdyCoarse`.
        fddy_coarse(a: float) -> float = { let _ = lane; a[2] - a[0] };
    }
}

/// Packs normalized floats into fields of `width` bits, the first component lowest.
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

/// Unpacks fields of `width` bits to normalized floats, the lowest first.
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

pub(crate) use alu_methods;
pub(crate) use short_method;
