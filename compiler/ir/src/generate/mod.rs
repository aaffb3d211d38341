//! Makes valid shaders of all kinds out of a stream of choices: for property tests and fuzzing.
//!
//! Every stage, form, instruction kind and table row comes up sooner or later. Generated shaders keep
//! `docs/conventions.md`: definitions dominate uses, phis have one source a predecessor, loops end after a few
//! rounds, indices are in bounds. The same choices give the same shader.

mod code;
mod ops;
mod vars;

use crate::body::Body;
use crate::enums::*;
use crate::ids::{BlockId, FuncId, InstrId, VarId};
use crate::instr::{Instr, InstrKind, Loc};
use crate::shader::{Function, Param, Shader};
use crate::types::TypeId;
use crate::value::{Lanes, Ty, bit_mask};

/// Where decisions come from.
///
/// # Examples
///
/// A fuzzer can record or restrict the choices.
///
/// ```
/// use airfoil_ir::generate::{self, Choices, Options, Seed};
///
/// struct Counted(Seed, usize);
///
/// impl Choices for Counted {
///     fn below(&mut self, n: u32) -> u32 {
///         self.1 += 1;
///         self.0.below(n)
///     }
/// }
///
/// let mut choices = Counted(Seed(5), 0);
/// let shader = generate::shader(&mut choices, &Options::default());
/// assert!(shader.same_as(&generate::from_seed(5, &Options::default())) && choices.1 > 100);
/// ```
pub trait Choices {
    /// A number below `n`, which is at least 1.
    fn below(&mut self, n: u32) -> u32;
}

/// Choices of a pseudo-random generator (splitmix64).
///
/// # Examples
///
/// ```
/// use airfoil_ir::generate::{self, Choices, Options, Seed};
///
/// let options = Options::default();
/// // The same seed gives the same shader, and its state continues the sequence.
/// let mut seed = Seed(1);
/// let first = generate::shader(&mut seed, &options);
/// let second = generate::shader(&mut seed, &options);
/// assert!(first.same_as(&generate::from_seed(1, &options)));
/// assert!(!second.same_as(&first));
/// // The first output of splitmix64 with state 0 is 0xe220_a839_7b1d_cdaf.
/// assert_eq!(Seed(0).below(256), 0xe2);
/// ```
#[derive(Clone, Debug)]
pub struct Seed(pub u64);

impl Choices for Seed {
    fn below(&mut self, n: u32) -> u32 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^= z >> 31;
        (((z >> 32) * u64::from(n)) >> 32) as u32
    }
}

/// Choices out of the bytes of a fuzzer; all zero when they have run out.
///
/// # Examples
///
/// ```
/// use airfoil_ir::generate::{self, Bytes, Choices, Options};
/// use airfoil_ir::validate::validate;
///
/// // A choice consumes as many bytes as its limit needs: none, one, two.
/// let mut bytes = Bytes(&[7, 1, 2]);
/// assert_eq!([1, 10, 1000].map(|n| bytes.below(n)), [0, 7, 0x102]);
/// assert_eq!((bytes.0.len(), bytes.below(1000)), (0, 0));
/// // Every input is a valid shader, even the empty one.
/// let shader = generate::shader(&mut Bytes(&[]), &Options::default());
/// assert!(validate(&shader).is_empty());
/// ```
#[derive(Clone, Debug)]
pub struct Bytes<'a>(pub &'a [u8]);

impl Choices for Bytes<'_> {
    fn below(&mut self, n: u32) -> u32 {
        let mut value = 0u32;
        let mut limit = 1u32;
        while limit < n {
            let Some((&first, rest)) = self.0.split_first() else { break };
            self.0 = rest;
            value = (value << 8) | u32::from(first);
            limit = limit.saturating_mul(256);
        }
        value % n
    }
}

/// What to make.
///
/// # Examples
///
/// ```
/// use airfoil_ir::analysis::Counts;
/// use airfoil_ir::generate::{Options, from_seed};
/// use airfoil_ir::{Form, Stage};
///
/// let (stage, form) = (Some(Stage::Mesh), Some(Form::Target));
/// let options = Options { stage, form, functions: 0, depth: 0, undef: false, ..Options::default() };
/// for shader in (0..20).map(|seed| from_seed(seed, &options)) {
///     let counts = Counts::new(&shader);
///     assert_eq!((counts.calls, counts.undefs, counts.ifs, counts.loops), (0, 0, 0, 0));
///     assert_eq!(shader.functions.len(), 1);
/// }
/// ```
#[derive(Clone, Debug)]
pub struct Options {
    /// Stage; any if `None`.
    pub stage: Option<Stage>,
    /// Form; any if `None`.
    pub form: Option<Form>,
    /// Instructions of the entry function, roughly.
    pub instrs: u32,
    /// Ifs and loops nest this deep at most.
    pub depth: u32,
    /// Functions beside the entry function, at most.
    pub functions: u32,
    /// Whether derefs are cast (always done for parameters that are derefs).
    pub casts: bool,
    /// Whether there are values without particular bits.
    pub undef: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options { stage: None, form: None, instrs: 60, depth: 3, functions: 2, casts: true, undef: true }
    }
}

/// A valid shader.
pub fn shader(choices: &mut impl Choices, options: &Options) -> Shader {
    let stage = options.stage.unwrap_or_else(|| Stage::ALL[choices.below(Stage::ALL.len() as u32) as usize]);
    let mut generator = Generator {
        choices,
        options,
        shader: Shader::new("main", stage),
        body: Body::new(),
        function: FuncId::default(),
        params: Vec::new(),
        block: BlockId::default(),
        values: Vec::new(),
        loops: Vec::new(),
        budget: 0,
        loc: Loc::NONE,
        callees: Vec::new(),
        offset_part: 0,
    };
    let forms = Form::ALL.len() as u32;
    generator.shader.form =
        options.form.unwrap_or_else(|| Form::ALL[generator.choices.below(forms) as usize]);
    generator.make();
    generator.shader
}

/// The valid shader of a seed.
pub fn from_seed(seed: u64, options: &Options) -> Shader {
    shader(&mut Seed(seed), options)
}

/// A loop that is being filled.
struct LoopFrame {
    /// Shapes of the phis at the head, the counter first.
    head: Vec<Ty>,
    /// These phis.
    phis: Vec<InstrId>,
    /// The counter of the next round.
    next: InstrId,
    /// Shapes of the phis after the loop.
    exit: Vec<Ty>,
    /// Blocks that continue, with the values of the head's phis.
    continues: Vec<(BlockId, Vec<InstrId>)>,
    /// Blocks that break, with the values of the phis after the loop.
    breaks: Vec<(BlockId, Vec<InstrId>)>,
}

struct Generator<'o, C> {
    choices: &'o mut C,
    options: &'o Options,
    shader: Shader,
    body: Body,
    function: FuncId,
    params: Vec<Param>,
    /// Where instructions go: to the end of this block.
    block: BlockId,
    /// Values that can be used here, without derefs.
    values: Vec<(InstrId, Ty)>,
    loops: Vec<LoopFrame>,
    /// Instructions that may still be made.
    budget: i64,
    loc: Loc,
    /// Functions that can be called.
    callees: Vec<FuncId>,
    /// The last byte offset that was made, modulo 16.
    offset_part: u16,
}

impl<C: Choices> Generator<'_, C> {
    fn below(&mut self, n: u32) -> u32 {
        self.choices.below(n.max(1))
    }

    /// True once in `n` times.
    fn one_in(&mut self, n: u32) -> bool {
        self.below(n) == 0
    }

    fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len() as u32) as usize]
    }

    fn any<E: Named>(&mut self) -> E {
        self.pick(E::ALL)
    }

    fn make(&mut self) {
        self.header();
        self.variables();
        for i in 0..self.options.functions {
            if self.one_in(2) {
                let params = self.make_params();
                self.make_function(&format!("helper{i}"), params, self.options.instrs / 4);
            }
        }
        let entry = self.make_function("main", Vec::new(), self.options.instrs);
        self.shader.entry = Some(entry);
    }

    fn make_params(&mut self) -> Vec<Param> {
        let mut params = Vec::new();
        for _ in 0..self.below(4) {
            let param = if self.one_in(2) {
                Param::value(self.random_ty())
            } else {
                Param::deref(self.random_data_type(1), Modes::FUNCTION_TEMP)
            };
            params.push(param.with_precision(self.any()));
        }
        params
    }

    fn make_function(&mut self, name: &str, params: Vec<Param>, instrs: u32) -> FuncId {
        let mut function = Function::new(name);
        function.params.clone_from(&params);
        let id = self.shader.add_function(function);
        self.function = id;
        self.params = params;
        self.locals();
        self.body = Body::new();
        self.block = self.body.entry();
        self.values.clear();
        self.budget = i64::from(instrs);
        self.code();
        self.shader.functions[id].body = std::mem::take(&mut self.body);
        self.callees.push(id);
        id
    }

    /// Puts an instruction at the end of the current block.
    fn push(&mut self, kind: InstrKind, ty: Ty) -> InstrId {
        if self.one_in(8) {
            let (file, line) = (self.below(2), self.below(500));
            self.loc = if self.one_in(3) { Loc::NONE } else { Loc::new(file, line) };
        }
        self.budget -= 1;
        let at = crate::body::Cursor::BlockEnd(self.block);
        self.body.insert(at, Instr::new(kind, ty).at(self.loc))
    }

    /// An instruction whose value can be used from now on.
    fn value_of(&mut self, kind: InstrKind, ty: Ty) -> InstrId {
        let id = self.push(kind, ty);
        self.values.push((id, ty));
        id
    }

    /// A shape that values can have, most often one of 32 bits.
    fn random_ty(&mut self) -> Ty {
        let comps = 1 + self.below(4) as u8;
        let bits = self.pick(&[32, 32, 32, 32, 1, 8, 16, 64]);
        Ty::new(comps, bits)
    }

    /// Bits of a constant: small numbers, floats, extremes, anything.
    fn random_bits(&mut self, bits: u8) -> u64 {
        let mask = bit_mask(u32::from(bits));
        let raw = match self.below(5) {
            0 => u64::from(self.below(16)),
            1 => u64::from(self.below(16)).wrapping_neg(),
            2 => {
                let x = f64::from(self.below(2000)) / 8.0 - 100.0;
                crate::alu::f64_to_bits(x, u32::from(bits.max(16)))
            }
            3 => self.pick(&[
                0x8000_0000_8000_8080,
                0x7fff_ffff_7fff_ffff,
                0x7ff0_0000_7f80_0000,
                0xfff8_0000_ffc0_7e00,
                1,
            ]),
            _ => (u64::from(self.below(u32::MAX)) << 32) | u64::from(self.below(u32::MAX)),
        };
        raw & mask
    }

    fn random_lanes(&mut self, ty: Ty) -> Lanes {
        let mut lanes = [0; 4];
        for lane in &mut lanes[..ty.comps as usize] {
            *lane = self.random_bits(ty.bits);
        }
        lanes
    }

    fn constant(&mut self, ty: Ty) -> InstrId {
        let lanes = self.random_lanes(ty);
        self.value_of(InstrKind::Const(lanes), ty)
    }

    /// A 32-bit constant.
    fn imm(&mut self, n: u32) -> InstrId {
        self.value_of(InstrKind::Const([u64::from(n), 0, 0, 0]), Ty::B32)
    }

    /// A value of a shape.
    fn value(&mut self, ty: Ty) -> InstrId {
        match self.find(|t| t == ty) {
            Some((id, _)) => id,
            None if self.options.undef && self.one_in(16) => self.value_of(InstrKind::Undef, ty),
            None => self.constant(ty),
        }
    }

    /// A value of a width, with any number of components.
    fn value_bits(&mut self, bits: u8) -> (InstrId, Ty) {
        if let Some(found) = self.find(|t| t.bits == bits) {
            return found;
        }
        let ty = Ty::new(1 + self.below(4) as u8, bits);
        (self.constant(ty), ty)
    }

    /// A value that can be used here and has a property; looks at the latest ones only.
    fn find(&mut self, fits: impl Fn(Ty) -> bool) -> Option<(InstrId, Ty)> {
        if self.one_in(6) {
            return None;
        }
        let len = self.values.len();
        let recent = len.min(40);
        let start = self.below(recent as u32) as usize;
        (0..recent).map(|i| self.values[len - 1 - (start + i) % recent]).find(|&(_, t)| fits(t))
    }

    /// A type of memory: vectors, matrices, arrays and structures up to `depth` deep.
    fn random_data_type(&mut self, depth: u32) -> TypeId {
        self.data_type(depth, false)
    }

    /// The variables that code of this function can reach, with a property.
    fn reachable_vars(&self, fits: impl Fn(Modes) -> bool) -> Vec<VarId> {
        let vars = self.shader.vars.iter().filter(|(_, v)| fits(v.mode));
        vars.filter(|(_, v)| v.function.is_none_or(|f| f == self.function)).map(|(id, _)| id).collect()
    }
}

#[cfg(test)]
mod tests;
