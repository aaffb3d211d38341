//! Expressions over operands, with shapes, values on samples, and costs.

use airfoil_ir::alu::{Base, f64_to_bits};
use airfoil_ir::{AluOp, Lanes, Ty, bit_mask};

/// Values of each operand on which expressions are compared.
pub const SAMPLES: usize = 24;

/// The values of an expression on all samples.
pub type Values = Vec<Lanes>;

/// Shape of a value. Lanes of operations per component are sampled as one lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Shape {
    /// Bits per component.
    pub bits: u8,
    /// Components; one for all values of operations per component.
    pub comps: u8,
    /// Whether it is a float.
    pub float: bool,
}

/// An operand of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Leaf {
    /// Any value.
    Var(Shape),
    /// Any constant.
    AnyConst(Shape),
    /// A constant with these bits in all lanes.
    Const(Shape, u64),
}

impl Leaf {
    /// Its shape.
    pub fn shape(self) -> Shape {
        match self {
            Leaf::Var(shape) | Leaf::AnyConst(shape) | Leaf::Const(shape, _) => shape,
        }
    }

    /// Whether it is a constant.
    pub fn is_const(self) -> bool {
        !matches!(self, Leaf::Var(_))
    }

    /// Its values; `index` distinguishes operands of one shape.
    pub fn values(self, index: usize) -> Values {
        let shape = self.shape();
        if let Leaf::Const(_, bits) = self {
            return vec![[bits; 4]; SAMPLES];
        }
        let mut state = 0x9e37_79b9_7f4a_7c15 ^ ((index as u64 + 1) << 32);
        let mut next = || {
            // xorshift64* (Vigna), as for the samples of proofs.
            state ^= state >> 12;
            state ^= state << 25;
            state ^= state >> 27;
            state.wrapping_mul(0x2545_f491_4f6c_dd1d)
        };
        let mut value = |sample: usize| {
            let raw = next();
            let bits = u32::from(shape.bits);
            if shape.float {
                // Of magnitude 0.1 to 9, both signs: neither special values nor such that hide a difference.
                let x = 0.1
                    + (raw >> 11) as f64 / (1u64 << 53) as f64
                        * if sample.is_multiple_of(2) { 0.9 } else { 9.0 };
                f64_to_bits(if raw & 1 == 0 { x } else { -x }, bits)
            } else if sample.is_multiple_of(4) {
                (raw % 40) & bit_mask(bits)
            } else {
                (raw >> 7) & bit_mask(bits)
            }
        };
        (0..SAMPLES).map(|sample| [value(sample), value(sample), value(sample), value(sample)]).collect()
    }
}

/// An expression over numbered operands.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Term {
    /// An operand.
    Leaf(usize),
    /// An operation with a result of this many bits.
    Op(AluOp, u8, Vec<Term>),
}

impl Term {
    /// Number of operations.
    pub fn size(&self) -> usize {
        match self {
            Term::Leaf(_) => 0,
            Term::Op(_, _, args) => 1 + args.iter().map(Term::size).sum::<usize>(),
        }
    }

    /// Whether all operands are constants.
    pub fn is_const(&self, leaves: &[Leaf]) -> bool {
        match self {
            Term::Leaf(i) => leaves[*i].is_const(),
            Term::Op(_, _, args) => args.iter().all(|a| a.is_const(leaves)),
        }
    }

    /// Cost in twentieths of an addition per lane; operations on constants are free.
    pub fn cost(&self, leaves: &[Leaf]) -> u32 {
        match self {
            Term::Op(op, _, args) if !self.is_const(leaves) => {
                let own = own_cost(*op, self.comps(leaves), args);
                own + args.iter().map(|a| a.cost(leaves)).sum::<u32>()
            }
            _ => 0,
        }
    }

    /// Its values, if all operations can be evaluated.
    pub fn values(&self, leaves: &[Leaf]) -> Option<Values> {
        match self {
            Term::Leaf(i) => Some(leaves[*i].values(*i)),
            Term::Op(op, bits, args) => {
                let args: Vec<Values> = args.iter().map(|a| a.values(leaves)).collect::<Option<_>>()?;
                let refs: Vec<&Values> = args.iter().collect();
                let operands = self.operand_bits(leaves);
                eval(*op, Ty::new(self.comps(leaves), *bits), operands, &refs)
            }
        }
    }

    /// Components of a value of this expression.
    pub fn comps(&self, leaves: &[Leaf]) -> u8 {
        match self {
            Term::Leaf(i) => leaves[*i].shape().comps,
            Term::Op(op, _, args) => match op.info().result.comps {
                0 => {
                    let open = op.info().operands.iter().position(|o| o.comps == 0);
                    open.map_or(1, |i| args[i].comps(leaves))
                }
                n => n,
            },
        }
    }

    /// The bits of a value of this expression.
    pub fn bits(&self, leaves: &[Leaf]) -> u8 {
        match self {
            Term::Leaf(i) => leaves[*i].shape().bits,
            Term::Op(_, bits, _) => *bits,
        }
    }

    /// The width of the operands whose width the operation leaves open.
    fn operand_bits(&self, leaves: &[Leaf]) -> u8 {
        let Term::Op(op, bits, args) = self else { return 0 };
        let open = op.info().operands.iter().position(|o| o.bits == 0);
        open.map_or(*bits, |i| args[i].bits(leaves))
    }
}

/// The values of an operation.
pub fn eval(op: AluOp, ty: Ty, operand_bits: u8, args: &[&Values]) -> Option<Values> {
    let mut srcs = [[0; 4]; 4];
    let mut out = Vec::with_capacity(SAMPLES);
    for sample in 0..SAMPLES {
        for (src, arg) in srcs.iter_mut().zip(args) {
            *src = arg[sample];
        }
        let mut lanes = op.eval(u32::from(operand_bits), ty, &srcs[..args.len()])?;
        if ty.comps == 1 {
            lanes = [lanes[0]; 4];
        }
        out.push(lanes);
    }
    Some(out)
}

/// The cost of an operation on these operands with a result of `comps` lanes.
pub fn own_cost(op: AluOp, comps: u8, args: &[Term]) -> u32 {
    // Signs move outwards, where they cancel others.
    let sign =
        |a: &&Term| matches!(a, Term::Op(inner, ..) if matches!(inner.name(), "fneg" | "ineg" | "inot"));
    let lanes = if op.info().result.comps == 0 { u32::from(comps.max(1)) } else { 1 };
    cost(op) * lanes + args.iter().filter(sign).count() as u32
}

/// Approximate cost of an operation per lane; an addition costs 20. Of operations that cost the same, those that more rules
/// know are a little cheaper.
fn cost(op: AluOp) -> u32 {
    let info = op.info();
    match op.name() {
        "mov" | "vec2" | "vec3" | "vec4" => 0,
        "fneg" | "fabs" | "ineg" | "fsat" => 10,
        "inot" => 15,
        "fsub" | "isub" | "ilt" | "ige" | "ult" | "uge" => 21,
        "bcsel" => 25,
        "fdiv" | "idiv" | "udiv" | "umod" | "imod" | "irem" | "fmod" | "frem" | "ftan" => 160,
        "fsqrt" | "frsq" | "frcp" | "fexp2" | "flog2" | "fsin" | "fcos" => 80,
        "fexp" | "flog" => 100,
        "fpow" => 180,
        "imul" => 50,
        "ffma" | "fmad" | "fclamp" => 30,
        "flrp" => 50,
        _ => 20 * info.operands.iter().map(|o| u32::from(o.comps.max(1))).max().unwrap_or(1),
    }
}

/// Whether values of an operand or result are floats; `None` if the operation only moves bits.
pub fn is_float(base: Base) -> Option<bool> {
    match base {
        Base::Float => Some(true),
        Base::Any => None,
        _ => Some(false),
    }
}
