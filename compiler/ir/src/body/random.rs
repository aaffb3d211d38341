//! Random valid bodies with nested ifs and loops, for tests of edits and analyses.

use super::{Body, Cursor};
use crate::alu::AluOp;
use crate::builder::Builder;
use crate::enums::Stage;
use crate::ids::{BlockId, InstrId};
use crate::instr::{Instr, InstrKind, Jump, PhiSrc};
use crate::intrinsic::SystemValue;
use crate::shader::{Function, Shader};
use crate::value::Ty;

/// Splitmix64: small, and the same everywhere.
pub(crate) struct Rng(pub u64);

impl Rng {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }

    pub fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }

    /// True in one of `n` cases.
    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }
}

/// Values for the edges of the loop that is being built.
#[derive(Default)]
struct LoopEdges {
    breaks: Vec<PhiSrc>,
    continues: Vec<PhiSrc>,
}

struct Generator<'a> {
    rng: Rng,
    b: Builder<'a>,
    loops: Vec<LoopEdges>,
}

/// A random body: integers, nested ifs and loops with phis, jumps, unreachable blocks.
pub(crate) fn random_body(seed: u64) -> Body {
    let mut body = Body::new();
    let b = Builder::at_end(&mut body);
    let mut g = Generator { rng: Rng(seed), b, loops: Vec::new() };
    let mut values = vec![
        g.b.imm_u32(1),
        g.b.load_system_value(SystemValue::subgroup_invocation),
        g.b.load_system_value(SystemValue::num_subgroups),
    ];
    g.region(&mut values, 4);
    body
}

/// A shader whose entry function has this body.
pub(crate) fn shader_of(body: Body) -> Shader {
    let mut shader = Shader::new("test", Stage::Compute);
    let main = shader.add_function(Function { body, ..Function::new("main") });
    shader.entry = Some(main);
    shader
}

impl Generator<'_> {
    /// Fills the region at the cursor. Gives the block at its end unless that jumps.
    fn region(&mut self, values: &mut Vec<InstrId>, depth: usize) -> Option<BlockId> {
        let outer = values.len();
        for _ in 0..1 + self.rng.below(4) {
            match self.rng.below(if depth == 0 { 2 } else { 5 }) {
                0 | 1 => {
                    let (x, y) = (self.rng.pick(values), self.rng.pick(values));
                    let v = match self.rng.below(4) {
                        0 => self.b.load_system_value(SystemValue::subgroup_invocation),
                        1 => self.b.alu(AluOp::imul, &[x, y]),
                        _ => self.b.alu(AluOp::iadd, &[x, y]),
                    };
                    values.push(v);
                }
                2 | 3 => self.branch(values, depth - 1),
                _ => self.turns(values, depth - 1),
            }
        }
        let end = self.end(values);
        values.truncate(outer);
        end
    }

    /// Ends a region, sometimes with a jump.
    fn end(&mut self, values: &[InstrId]) -> Option<BlockId> {
        let block = self.b.block();
        let value = self.rng.pick(values);
        if !self.rng.one_in(3) || (self.loops.is_empty() && !self.rng.one_in(8)) {
            return Some(block);
        }
        let jump = match self.rng.below(if self.loops.is_empty() { 2 } else { 12 }) {
            0 => Jump::Return,
            1 => Jump::Halt,
            2..=7 => Jump::Break,
            _ => Jump::Continue,
        };
        if let Some(l) = self.loops.last_mut() {
            match jump {
                Jump::Break => l.breaks.push(PhiSrc { pred: block, value }),
                Jump::Continue => l.continues.push(PhiSrc { pred: block, value }),
                Jump::Return | Jump::Halt => {}
            }
        }
        self.b.body.insert_jump(block, jump);
        None
    }

    fn branch(&mut self, values: &mut Vec<InstrId>, depth: usize) {
        let (x, y) = (self.rng.pick(values), self.rng.pick(values));
        let cond = self.b.alu(AluOp::ult, &[x, y]);
        let cf = self.b.push_if(cond);
        let mut srcs = Vec::new();
        for side in 0..2 {
            if side == 1 {
                self.b.push_else(cf);
            }
            let mut inner = values.clone();
            if let Some(pred) = self.region(&mut inner, depth) {
                // Of the values that are available at the end of the side.
                let value = self.b.body.last_instr(pred).filter(|&l| self.b.ty(l) == Ty::B32);
                srcs.push(PhiSrc { pred, value: value.unwrap_or(self.rng.pick(values)) });
            }
        }
        self.b.pop(cf);
        if !srcs.is_empty() && !self.rng.one_in(4) {
            values.push(self.phi(&srcs));
        }
    }

    fn phi(&mut self, srcs: &[PhiSrc]) -> InstrId {
        let block = self.b.block();
        let phi = self
            .b
            .body
            .insert(self.b.body.after_phis(block), Instr::new(InstrKind::Phi(srcs.into()), Ty::B32));
        self.b.cursor = Cursor::BlockEnd(block);
        phi
    }

    fn turns(&mut self, values: &mut Vec<InstrId>, depth: usize) {
        let entry = self.b.block();
        let start = self.rng.pick(values);
        let cf = self.b.push_loop();
        self.loops.push(LoopEdges::default());
        let phi = (!self.rng.one_in(4)).then(|| self.phi(&[PhiSrc { pred: entry, value: start }]));
        let mut inner = values.clone();
        inner.extend(phi);
        let one = self.rng.pick(&inner);
        let next = self.b.alu(AluOp::iadd, &[one, inner[0]]);
        inner.push(next);
        let end = self.region(&mut inner, depth);
        let edges = self.loops.pop().unwrap_or_default();
        if let Some(phi) = phi {
            // The jumps have added undefined ones.
            edges.continues.iter().for_each(|&s| self.b.body.set_phi_src(phi, s));
            if let Some(pred) = end {
                let value = if self.rng.one_in(3) { phi } else { next };
                self.b.body.add_phi_src(phi, PhiSrc { pred, value });
            }
        }
        self.b.pop(cf);
        if !edges.breaks.is_empty() {
            if !self.rng.one_in(3) {
                values.push(self.phi(&edges.breaks));
            }
            // The start of the loop dominates everything after it.
            if !self.rng.one_in(3) {
                values.push(next);
            }
        }
    }
}
