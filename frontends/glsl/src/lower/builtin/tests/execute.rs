//! Every built-in function of its arguments has the same value when it is folded and when it is executed.

use super::everything;
use crate::builtin::function::{names, prototypes};
use crate::builtin::op::Lowering;
use crate::builtin::pure::{Arg, Call, Pure};
use crate::lower::{columns_of, scalar_of, shape_of};
use crate::shapes::value_bits;
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
fn shader(f: &Pure, types: &[Type], result: Type, operands: &[Vec<Lanes>], folded: bool) -> Shader {
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
    let Some(results) = f.build(&mut b, Call { args: &args, result }) else {
        panic!("{f:?} takes no {types:?}")
    };
    let values: Vec<InstrId> =
        results.value.iter().copied().chain(results.outs.iter().map(|&(_, v)| v)).collect();
    for (i, v) in values.into_iter().enumerate() {
        assert!(!folded || b.body[v].as_const().is_some(), "{f:?} of {types:?} is not folded");
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

fn same(name: &str, f: &Pure, types: &[Type], result: Type, random: &mut Random) {
    for _ in 0..20 {
        let operands: Vec<Vec<Lanes>> = types
            .iter()
            .map(|&ty| {
                let (n, column) = shape(ty);
                (0..n).map(|_| random.lanes(ty.base().unwrap_or(Base::Float), column)).collect()
            })
            .collect();
        let [folded, run] = [true, false].map(|folded| {
            let s = shader(f, types, result, &operands, folded);
            let errors = airfoil_ir::validate::validate(&s);
            assert!(errors.is_empty(), "{name}: {errors:?}");
            match execute(&s, &Options { lanes: 1, ..Options::default() }) {
                Ok(outcome) => outcome,
                Err(error) => panic!("{name}: {error}"),
            }
        });
        assert!(folded.num_compared() > 0, "{name} has no result");
        let difference = folded.difference(&run, Tolerance::EXACT);
        assert!(difference.is_none(), "{name} of {operands:x?}: {difference:?}");
    }
}

#[test]
fn folding_is_executing() {
    let lang = everything(Stage::Fragment);
    let mut random = Random(1);
    let (mut functions, mut overloads) = (0, 0);
    for name in names(&lang) {
        let before = overloads;
        for p in prototypes(name, &lang) {
            let Lowering::Pure(f) = &p.builtin.lowering else { continue };
            let types: Vec<Type> = p.params.iter().map(|p| p.ty).collect();
            same(name, f, &types, p.result, &mut random);
            overloads += 1;
        }
        functions += usize::from(overloads > before);
    }
    assert!(functions >= 139 && overloads >= 1700, "{functions} functions, {overloads} overloads");
}
