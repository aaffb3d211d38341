//! Every function of numbers is worth the same when it is folded and when it is executed.

use super::vector;
use crate::builtin::Builtin as B;
use crate::lower::builtin::pure::{Arg, pure};
use crate::lower::{columns_of, scalar_of, shape_of};
use crate::operators::value_bits;
use crate::types::{Base, Type};
use airfoil_interp::{Options, Tolerance, execute};
use airfoil_ir::alu::f64_to_bits;
use airfoil_ir::{
    AluOp, Builder, Columns, Constant, Function, InstrId, Lanes, Modes, Shader, Slot, Stage, Ty, VarId,
    Variable,
};

/// Numbers that look random (SplitMix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Bits of a component: special values now and then.
    fn component(&mut self, base: Base) -> u64 {
        let n = self.next();
        let special = n.is_multiple_of(8);
        let bits = value_bits(base);
        let raw = if base.is_float() {
            let x = if special {
                [0.0, -0.0, 1.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 1e30, 1e-30]
                    [(n >> 8) as usize % 8]
            } else {
                ((n >> 8) % 20_000) as f64 / 1000.0 - 10.0
            };
            f64_to_bits(x, u32::from(bits))
        } else if special {
            [0, 1, u64::MAX, 1 << (bits - 1)][(n >> 8) as usize % 4]
        } else {
            n >> 8
        };
        raw & airfoil_ir::bit_mask(u32::from(bits))
    }

    fn lanes(&mut self, base: Base, shape: Ty) -> Lanes {
        std::array::from_fn(|i| if i < usize::from(shape.comps) { self.component(base) } else { 0 })
    }
}

/// Shape of a scalar, vector or column, and how many there are.
fn shape(ty: Type) -> (usize, Ty) {
    match (shape_of(ty), columns_of(ty)) {
        (Some(s), _) => (1, s),
        (_, Some((n, s))) => (usize::from(n), s),
        _ => (0, Ty::NONE),
    }
}

/// A shader that computes a function of the operands: constants if `folded`, variables otherwise.
fn shader(f: B, types: &[Type], result: Type, operands: &[Vec<Lanes>], folded: bool) -> Shader {
    let mut s = Shader::new("test", Stage::Vertex);
    let mut sources: Vec<Vec<VarId>> = Vec::new();
    for (&ty, columns) in types.iter().zip(operands) {
        let (_, column) = shape(ty);
        let ir = s.types.vector(scalar_of(ty.base().unwrap_or(Base::Float)), column.comps);
        let var = |lanes: &Lanes| {
            let mut v = Variable::new("x", ir, Modes::SHADER_TEMP);
            v.initializer = Some(Constant::Value(*lanes));
            v
        };
        let vars: Vec<Variable> = columns.iter().map(var).collect();
        sources.push(vars.into_iter().map(|v| s.add_var(v)).collect());
    }
    let main = s.add_function(Function::new("main"));
    s.entry = Some(main);
    let mut body = std::mem::take(&mut s.functions[main].body);
    let mut b = Builder::at_end(&mut body);
    let mut args = Vec::new();
    for ((&ty, columns), vars) in types.iter().zip(operands).zip(&sources) {
        let (_, column) = shape(ty);
        let mut value = Columns::new();
        for (&lanes, &var) in columns.iter().zip(vars) {
            value.push(if folded {
                b.constant(column, lanes)
            } else {
                let deref = b.deref_var(&s.vars, var);
                b.load_deref(deref, column)
            });
        }
        args.push(Arg { ty, value });
    }
    let Some(results) = pure(&mut b, f, &args, result) else { panic!("{f:?} takes no {types:?}") };
    let values: Vec<InstrId> =
        results.value.iter().copied().chain(results.outs.iter().map(|&(_, v)| v)).collect();
    for (i, v) in values.into_iter().enumerate() {
        assert!(!folded || b.body[v].as_const().is_some(), "{f:?} is not folded");
        // Results leave as 32-bit words, because outputs of other widths differ in layout only.
        let ty = b.ty(v);
        let words: Vec<InstrId> = (0..usize::from(ty.comps))
            .map(|c| {
                let x = b.channel(v, c);
                match ty.bits {
                    1 => b.convert(AluOp::b2i, x, 32),
                    64 => b.alu(AluOp::unpack_64_2x32, &[x]),
                    32 => x,
                    _ => b.convert(AluOp::u2u, x, 32),
                }
            })
            .collect();
        for (c, word) in words.into_iter().enumerate() {
            let ir = s.types.vector(airfoil_ir::Scalar::Uint32, b.ty(word).comps);
            let mut out = Variable::new("out", ir, Modes::OUT);
            out.location = Slot::generic(i as u32 * 4 + c as u32);
            let out = s.add_var(out);
            let deref = b.deref_var(&s.vars, out);
            b.store_deref(deref, word);
        }
    }
    s.functions[main].body = body;
    s
}

fn same(f: B, types: &[Type], result: Type, random: &mut Random) {
    for _ in 0..40 {
        let operands: Vec<Vec<Lanes>> = types
            .iter()
            .map(|&ty| {
                let (n, column) = shape(ty);
                (0..n).map(|_| random.lanes(ty.base().unwrap_or(Base::Float), column)).collect()
            })
            .collect();
        let [folded, run] = [true, false].map(|folded| {
            let s = shader(f, types, result, &operands, folded);
            let faults = airfoil_ir::validate::validate(&s);
            assert!(faults.is_empty(), "{f:?}: {faults:?}");
            match execute(&s, &Options { lanes: 1, ..Options::default() }) {
                Ok(outcome) => outcome,
                Err(fault) => panic!("{f:?}: {fault}"),
            }
        });
        assert!(folded.num_compared() > 0, "{f:?} gives nothing");
        let difference = folded.difference(&run, Tolerance::EXACT);
        assert!(difference.is_none(), "{f:?} of {operands:x?}: {difference:?}");
    }
}

#[test]
fn folding_is_executing() {
    let mut random = Random(1);
    let mut functions = std::collections::HashSet::new();
    let mut check = |f: B, types: &[Type], result: Type| {
        functions.insert(f);
        same(f, types, result, &mut random);
    };
    let float = [
        B::Radians,
        B::Degrees,
        B::Sin,
        B::Cos,
        B::Tan,
        B::Asin,
        B::Acos,
        B::Atan,
        B::Sinh,
        B::Cosh,
        B::Tanh,
        B::Asinh,
        B::Acosh,
        B::Atanh,
        B::Exp,
        B::Log,
        B::Exp2,
        B::Log2,
        B::Sqrt,
        B::InverseSqrt,
        B::Abs,
        B::Sign,
        B::Floor,
        B::Trunc,
        B::Round,
        B::RoundEven,
        B::Ceil,
        B::Fract,
        B::Modf,
        B::Frexp,
        B::Normalize,
    ];
    for base in [Base::Float, Base::Half, Base::Double] {
        for n in [1, 3] {
            let v = vector(base, n);
            for f in float {
                let types: &[Type] = if matches!(f, B::Modf | B::Frexp) { &[v, v] } else { &[v] };
                check(f, types, v);
            }
            for f in [B::Mod, B::Min, B::Max, B::Step] {
                check(f, &[v, v], v);
            }
            for f in [B::Atan2, B::Pow, B::Reflect] {
                check(f, &[v, v], v);
            }
            for f in [B::Clamp, B::Mix, B::Smoothstep, B::Fma, B::Min3, B::Max3, B::Mid3, B::Faceforward] {
                check(f, &[v, v, v], v);
            }
            check(B::MixBool, &[v, v, vector(Base::Bool, n)], v);
            check(B::Refract, &[v, v, vector(base, 1)], v);
            check(B::Ldexp, &[v, vector(Base::Int, n)], v);
            for f in [B::IsNan, B::IsInf] {
                check(f, &[v], vector(Base::Bool, n));
            }
            check(B::Length, &[v], vector(base, 1));
            for f in [B::Dot, B::Distance] {
                check(f, &[v, v], vector(base, 1));
            }
        }
        let v3 = vector(base, 3);
        check(B::Cross, &[v3, v3], v3);
        check(B::Mod, &[v3, vector(base, 1)], v3);
        for n in 2..=4 {
            let m = Type::Matrix { base, cols: n, rows: n };
            check(B::Determinant, &[m], vector(base, 1));
            check(B::Inverse, &[m], m);
            check(B::MatrixCompMult, &[m, m], m);
            let (tall, wide) =
                (Type::Matrix { base, cols: 3, rows: n }, Type::Matrix { base, cols: n, rows: 3 });
            check(B::Transpose, &[tall], wide);
            check(B::OuterProduct, &[vector(base, 3), vector(base, n)], wide);
        }
    }
    let integers = [
        Base::Int,
        Base::Uint,
        Base::Int8,
        Base::Uint8,
        Base::Int16,
        Base::Uint16,
        Base::Int64,
        Base::Uint64,
    ];
    for base in integers {
        let (v, i) = (vector(base, 2), vector(Base::Int, 1));
        if base.is_signed() {
            check(B::Sign, &[v], v);
        }
        for f in [B::Abs, B::BitfieldReverse] {
            check(f, &[v], v);
        }
        for f in [B::BitCount, B::FindLsb, B::FindMsb] {
            check(f, &[v], vector(Base::Int, 2));
        }
        for f in [B::Min, B::Max, B::AddSaturate, B::SubtractSaturate, B::Average, B::AverageRounded] {
            check(f, &[v, v], v);
        }
        check(B::AbsoluteDifference, &[v, v], v);
        for f in [B::Clamp, B::Mid3] {
            check(f, &[v, v, v], v);
        }
        check(B::BitfieldExtract, &[v, i, i], v);
        check(B::BitfieldInsert, &[v, v, i, i], v);
    }
    let (u, u2, i) = (Type::UINT, vector(Base::Uint, 2), Type::INT);
    for f in [B::CountLeadingZeros, B::CountTrailingZeros] {
        check(f, &[u2], u2);
    }
    for f in [B::UaddCarry, B::UsubBorrow] {
        check(f, &[u2, u2, u2], u2);
    }
    check(B::UmulExtended, &[u2, u2, u2, u2], Type::Void);
    let i2 = vector(Base::Int, 2);
    check(B::ImulExtended, &[i2, i2, i2, i2], Type::Void);
    for x in [u, i] {
        check(B::Multiply32x16, &[x, x], x);
        check(B::DotPacked4x8, &[x, x], x);
        check(B::DotPacked4x8AccSat, &[x, x, x], x);
        let v = vector(if x == u { Base::Uint8 } else { Base::Int8 }, 4);
        check(B::DotInteger, &[v, v], x);
        check(B::DotAccSat, &[v, v, x], x);
    }
    for f in [B::PackUnorm2x16, B::PackSnorm2x16, B::PackHalf2x16] {
        check(f, &[Type::VEC2], u);
    }
    for f in [B::PackUnorm4x8, B::PackSnorm4x8] {
        check(f, &[Type::VEC4], u);
    }
    for f in [B::UnpackUnorm2x16, B::UnpackSnorm2x16, B::UnpackHalf2x16] {
        check(f, &[u], Type::VEC2);
    }
    for f in [B::UnpackUnorm4x8, B::UnpackSnorm4x8] {
        check(f, &[u], Type::VEC4);
    }
    let casts = [
        (Type::VEC3, vector(Base::Int, 3)),
        (u2, Type::DOUBLE),
        (vector(Base::Int64, 1), u2),
        (vector(Base::Uint16, 4), vector(Base::Uint64, 1)),
        (vector(Base::Uint64, 1), vector(Base::Uint16, 4)),
        (vector(Base::Int16, 2), i),
        (u, vector(Base::Half, 2)),
        (vector(Base::Int8, 4), i),
        (i, vector(Base::Int8, 4)),
        (vector(Base::Uint8, 2), vector(Base::Uint16, 1)),
        (vector(Base::Uint16, 1), vector(Base::Uint8, 2)),
        (vector(Base::Double, 2), vector(Base::Uint, 4)),
        (vector(Base::Uint, 4), vector(Base::Double, 2)),
    ];
    for (from, to) in casts {
        check(B::BitCast, &[from], to);
    }
    for base in [Base::Float, Base::Int, Base::Uint, Base::Bool] {
        let (v, r) = (vector(base, 3), vector(Base::Bool, 3));
        for f in [B::Equal, B::NotEqual] {
            check(f, &[v, v], r);
        }
        if base != Base::Bool {
            for f in [B::LessThan, B::LessThanEqual, B::GreaterThan, B::GreaterThanEqual] {
                check(f, &[v, v], r);
            }
        }
    }
    for n in 2..=4 {
        let v = vector(Base::Bool, n);
        for f in [B::Any, B::All] {
            check(f, &[v], Type::BOOL);
        }
        check(B::Not, &[v], v);
    }
    check(B::Expect, &[i2, i2], i2);
    // All functions of numbers but noise, which takes no notice of its operand.
    assert_eq!(functions.len(), 103);
}
