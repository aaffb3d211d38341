//! Sizes of a shader, for comparisons between compilers and between versions of one.

use super::Liveness;
use super::occupancy::threads;
use crate::alu::AluOp;
use crate::body::{Body, Cf, Walk};
use crate::ids::InstrId;
use crate::instr::{Instr, InstrKind};
use crate::shader::Shader;
use rustc_hash::FxHashSet;

macro_rules! counts {
    ($($(#[doc = $doc:literal])+ $name:ident,)+) => {
        /// Sizes of a shader: all functions together.
        ///
        /// # Examples
        ///
        /// ```
        /// use airfoil_ir::{analysis::Counts, text};
        ///
        /// let shader = text::parse(r#"foil 1 shader fragment "main" { fn main {
        ///     %coord = load_frag_coord
        ///     %minus = fneg %coord
        ///     %sum = ffma %coord, %minus, %coord
        /// } }"#)?;
        /// let counts = Counts::new(&shader);
        /// // The negation is free, the multiply-add counts twice, once per component.
        /// assert_eq!((counts.instrs, counts.alu, counts.lanes), (3, 2, 8));
        /// // Two vectors of 4 x 32 bits, in units of 16 bits.
        /// assert_eq!(counts.pressure, 16);
        /// # Ok::<(), Vec<airfoil_ir::Diagnostic>>(())
        /// ```
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct Counts {
            $($(#[doc = $doc])+ pub $name: u64,)+
        }

        impl Counts {
            /// Names of the sizes, in the order of [`Counts::values`].
            pub const NAMES: &'static [&'static str] = &[$(stringify!($name)),+];

            /// The sizes.
            pub fn values(&self) -> [u64; Counts::NAMES.len()] {
                [$(self.$name),+]
            }
        }
    };
}

counts! {
    /// All instructions.
    instrs,
    /// ALU operations by weight: 0 for moves, vector construction and signs, which are free as modifiers of operands,
    /// 2 for `ffma`, `fmad` and `fclamp`, 3 for `flrp`, 1 for all others.
    alu,
    /// `alu` times the components of the result.
    lanes,
    /// `mov` and `vec2` to `vec4`.
    moves,
    /// Derefs.
    derefs,
    /// Intrinsics.
    intrinsics,
    /// Texture operations.
    tex,
    /// Constants.
    consts,
    /// Undefined values.
    undefs,
    /// Phis.
    phis,
    /// Jumps.
    jumps,
    /// Calls.
    calls,
    /// Blocks.
    blocks,
    /// Ifs.
    ifs,
    /// Loops.
    loops,
    /// Peak of live values in units of 16 bits, the largest of all functions. Booleans and bytes take one unit;
    /// constants, undefined values and derefs none.
    pressure,
    /// Most threads of a core of an Apple GPU (M1, M2) with as many registers as `pressure`: an upper bound.
    threads,
}

/// Weight of an ALU operation, see [`Counts::alu`].
fn weight(op: AluOp) -> u64 {
    match op {
        AluOp::mov | AluOp::vec2 | AluOp::vec3 | AluOp::vec4 | AluOp::fneg | AluOp::fabs | AluOp::ineg => 0,
        AluOp::ffma | AluOp::fmad | AluOp::fclamp => 2,
        AluOp::flrp => 3,
        _ => 1,
    }
}

impl Counts {
    /// The sizes of a shader.
    pub fn new(shader: &Shader) -> Counts {
        let mut counts = Counts::default();
        for function in shader.functions.values() {
            counts.add_body(&function.body);
        }
        counts.threads = threads(counts.pressure);
        counts
    }

    fn add_body(&mut self, body: &Body) {
        for (_, instr) in body.entries() {
            self.add_instr(instr);
        }
        for step in body.walk_cf() {
            match step {
                Walk::Block(_) => self.blocks += 1,
                Walk::If(_) => self.ifs += 1,
                Walk::Loop(_) => self.loops += 1,
                Walk::Else(_) | Walk::EndIf(_) | Walk::EndLoop(_) => {}
            }
        }
        self.pressure = self.pressure.max(pressure(body));
    }

    fn add_instr(&mut self, instr: &Instr) {
        self.instrs += 1;
        match &instr.kind {
            InstrKind::Alu(a) => {
                let weight = weight(a.op);
                self.alu += weight;
                self.lanes += weight * u64::from(instr.ty.comps);
                let moves = matches!(a.op, AluOp::mov | AluOp::vec2 | AluOp::vec3 | AluOp::vec4);
                self.moves += u64::from(moves);
            }
            InstrKind::Deref(_) => self.derefs += 1,
            InstrKind::Intrinsic(_) => self.intrinsics += 1,
            InstrKind::Tex(_) => self.tex += 1,
            InstrKind::Const(_) => self.consts += 1,
            InstrKind::Undef => self.undefs += 1,
            InstrKind::Phi(_) => self.phis += 1,
            InstrKind::Jump(_) => self.jumps += 1,
            InstrKind::Call(_) => self.calls += 1,
        }
    }
}

/// Units of 16 bits that a value takes.
fn units(instr: &Instr) -> u64 {
    match instr.kind {
        InstrKind::Const(_) | InstrKind::Undef | InstrKind::Deref(_) => 0,
        _ => u64::from(instr.ty.comps) * u64::from(instr.ty.bits).div_ceil(16),
    }
}

/// The largest number of units that are live at once.
fn pressure(body: &Body) -> u64 {
    let liveness = Liveness::new(body);
    let mut peak = 0;
    let mut live: FxHashSet<InstrId> = FxHashSet::default();
    for block in body.blocks() {
        live.clear();
        live.extend(liveness.live_out(block));
        if let Some(Cf::If(n)) = body.next_cf(block).map(|cf| body.cf(cf)) {
            live.insert(n.cond());
        }
        let mut sum: u64 = live.iter().map(|&id| units(&body[id])).sum();
        peak = peak.max(sum);
        for id in body.instrs_rev(block) {
            let instr = &body[id];
            if live.remove(&id) {
                // The result is written while the operands are read.
                sum -= units(instr);
            } else {
                peak = peak.max(sum + units(instr));
            }
            if matches!(instr.kind, InstrKind::Phi(_)) {
                continue;
            }
            instr.visit_operands(|v| {
                if live.insert(v) {
                    sum += units(&body[v]);
                }
            });
            peak = peak.max(sum);
        }
        peak = peak.max(liveness.live_in(block).map(|id| units(&body[id])).sum());
    }
    peak
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::parse;

    #[test]
    fn sizes_of_a_loop() {
        let shader = parse(
            r#"foil 1
            shader compute "c" {
              form variables
              workgroup_size 1 1 1
              fn main {
              b0:
                32x1 %0 = const 0
                32x1 %1 = const 1
                32x4 %2 = undef
                loop {
                b1:
                  32x1 %3 = phi b0: %0, b4: %4
                  1x1 %5 = ilt %3, %1
                  if %5 {
                  b2:
                    break
                  } else {
                  b3:
                  }
                b4:
                  32x4 %6 = ffma %2, %2, %3.xxxx
                  32x4 %7 = fneg %6
                  32x1 %4 = iadd %3, %7.x
                }
              b5:
              }
            }"#,
        )
        .unwrap();
        let counts = Counts::new(&shader);
        let Counts {
            instrs,
            alu,
            lanes,
            moves,
            consts,
            undefs,
            phis,
            jumps,
            blocks,
            ifs,
            loops,
            pressure,
            ..
        } = counts;
        assert_eq!((instrs, alu, lanes, moves), (9, 4, 10, 0));
        assert_eq!((consts, undefs, phis, jumps), (2, 1, 1, 1));
        assert_eq!((blocks, ifs, loops), (6, 1, 1));
        // The phi and the negated vector at `iadd`.
        assert_eq!((pressure, counts.threads), (10, 1024));
        assert_eq!(counts.values()[0], instrs);
    }
}
