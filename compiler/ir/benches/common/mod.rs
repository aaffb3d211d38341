//! A synthetic shader of any size, with the mix of a real one: arithmetic in short blocks, an `if` with a
//! phi every 20 instructions, a loop every 400; most values are used once or twice, soon after.

use airfoil_ir::*;

/// Small and the same everywhere: splitmix64.
pub struct Rng(pub u64);

impl Rng {
    /// A number below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % n.max(1) as u64) as usize
    }
}

/// The latest values, from which operands are taken.
struct Recent(Vec<InstrId>);

impl Recent {
    fn pick(&self, rng: &mut Rng) -> InstrId {
        let back = if rng.below(10) == 0 { rng.below(self.0.len()) } else { rng.below(self.0.len().min(8)) };
        self.0[self.0.len() - 1 - back]
    }
}

/// A shader of about `n` instructions.
pub fn shader(n: usize) -> Shader {
    let mut shader = Shader::new("bench", Stage::Compute);
    let main = shader.add_function(Function::new("main"));
    shader.entry = Some(main);
    let body = &mut shader.functions[main].body;
    let mut rng = Rng(7);
    let mut b = Builder::at_end(body);
    let mut values = Recent(vec![b.load_system_value(SystemValue::local_invocation_index), b.imm_f32(0.5)]);
    let mut next_loop = 400;
    while b.body.num_instrs() < n {
        arithmetic(&mut b, &mut values, &mut rng, 12);
        let (x, y) = (values.pick(&mut rng), values.pick(&mut rng));
        let cond = b.flt(x, y);
        let cf = b.push_if(cond);
        let then = b.fmul(x, y);
        b.push_else(cf);
        let els = b.fadd(x, y);
        if let Some(phi) = b.if_phi(cf, then, els) {
            values.0.push(phi);
        }
        if b.body.num_instrs() >= next_loop {
            next_loop += 400;
            let cf = b.push_loop();
            let (x, y) = (values.pick(&mut rng), values.pick(&mut rng));
            let done = b.fge(x, y);
            let exit = b.push_if(done);
            b.jump(Jump::Break);
            b.pop(exit);
            b.pop(cf);
        }
    }
    shader
}

fn arithmetic(b: &mut Builder<'_>, values: &mut Recent, rng: &mut Rng, n: usize) {
    for _ in 0..n {
        let (x, y) = (values.pick(rng), values.pick(rng));
        let v = match rng.below(8) {
            0 => b.ffma(x, y, x),
            1 => b.imm_u32(rng.below(1 << 20) as u32),
            2 => b.fneg(x),
            3..=5 => b.fmul(x, y),
            _ => b.fadd(x, y),
        };
        values.0.push(v);
    }
}
