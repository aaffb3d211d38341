//! Lock-step execution of the steps of a program.
//!
//! A mask says which lanes are active. Both sides of an `if` run one after the other with their masks, a loop repeats
//! while a lane is left in it. Calls, ifs and loops lie on one explicit stack.

use crate::alu;
use crate::env::Env;
use crate::image::Images;
use crate::interface::Interface;
use crate::layout::Layouts;
use crate::memory::{GLOBAL, Memory, Pointer, Value};
use crate::outcome::Outcome;
use crate::program::{BlockCode, Code, CopyCode, Element, Op, OpKind, Program, Reg, Step, flatten};
use crate::{Fault, FaultKind, Options};
use airfoil_ir::{Jump, Modes, Shader, Stage};

/// What waits for the end of a construct.
#[derive(Debug)]
enum Frame {
    If { els: u32, joined: u32 },
    Loop { broke: u32, continued: u32 },
    Call { function: usize, pc: usize, op: usize, returned: u32 },
}

/// Where a group of invocations is.
#[derive(Debug)]
pub(crate) struct Machine<'a> {
    pub(crate) shader: &'a Shader,
    pub(crate) options: &'a Options,
    pub(crate) env: Env,
    pub(crate) layouts: Layouts<'a>,
    pub(crate) memory: Memory,
    pub(crate) interface: Interface,
    pub(crate) images: Images,
    /// Values: lanes of a register lie side by side.
    regs: Vec<Value>,
    /// Number of the block that each lane came from.
    came_from: [u32; 16],
    /// Lanes that execute.
    pub(crate) active: u32,
    /// Lanes without effects.
    pub(crate) helpers: u32,
    /// Lanes that are over.
    pub(crate) ended: u32,
    /// Lanes that were discarded or demoted.
    pub(crate) discarded: u32,
    /// Bits per component and components of the values in registers.
    pub(crate) widths: Vec<u8>,
    comps: Vec<u8>,
    /// First parameter of the function that executes.
    pub(crate) params: Reg,
    steps: u64,
    temporary: Vec<Value>,
}

/// Lanes of a mask in ascending order.
pub(crate) fn lanes(mask: u32) -> impl Iterator<Item = usize> {
    let mut rest = mask;
    std::iter::from_fn(move || {
        let lane = rest.trailing_zeros();
        rest &= rest.wrapping_sub(1);
        (lane < 32).then_some(lane as usize)
    })
}

impl<'a> Machine<'a> {
    pub(crate) fn new(shader: &'a Shader, options: &'a Options) -> Result<Machine<'a>, Fault> {
        if !matches!(shader.stage, Stage::Vertex | Stage::Fragment | Stage::Compute) {
            return Err(Fault::unsupported(format!("the stage {} is not executed", shader.stage)));
        }
        let env = Env::new(shader, options.seed, options.lanes);
        let mut layouts = Layouts::new(&shader.types, options.runtime_elements.max(1));
        let memory = Memory::new(shader, &mut layouts, &env)?;
        let helpers = env.helpers();
        let mut machine = Machine {
            shader,
            options,
            env,
            layouts,
            memory,
            interface: Interface::default(),
            images: Images::new(options.seed),
            regs: Vec::new(),
            came_from: [0; 16],
            active: (1 << env.lanes) - 1,
            helpers,
            ended: 0,
            discarded: helpers,
            widths: Vec::new(),
            comps: Vec::new(),
            params: 0,
            steps: 0,
            temporary: Vec::new(),
        };
        machine.prepare_interface()?;
        Ok(machine)
    }

    /// Executes the entry function.
    pub(crate) fn run(mut self) -> Result<Outcome, Fault> {
        let program = flatten(self.shader, &mut self.layouts)?;
        let undef = Value { bits: [self.options.undef; 4], undef: 0xf };
        self.regs = vec![undef; program.num_regs * self.env.lanes];
        self.widths = vec![32; program.num_regs];
        self.comps = vec![1; program.num_regs];
        for op in program.functions.iter().flat_map(|f| &f.ops).filter(|o| !o.ty.is_none()) {
            self.widths[op.dst as usize] = op.ty.bits;
            self.comps[op.dst as usize] = op.ty.comps;
        }
        self.execute(&program)?;
        self.finish_interface()?;
        Ok(Outcome::of(&self, self.steps))
    }

    pub(crate) fn get(&self, reg: Reg, lane: usize) -> Value {
        self.regs[reg as usize * self.env.lanes + lane]
    }

    pub(crate) fn set(&mut self, reg: Reg, lane: usize, value: Value) {
        self.regs[reg as usize * self.env.lanes + lane] = value;
    }

    /// Components of the value in a register.
    pub(crate) fn comps(&self, reg: Reg) -> u8 {
        self.comps[reg as usize]
    }

    pub(crate) fn pointer(&self, reg: Reg, lane: usize) -> Pointer {
        Pointer::of(self.get(reg, lane))
    }

    /// A condition per lane as a mask; fails where it is undefined.
    pub(crate) fn condition(&self, reg: Reg, what: &str) -> Result<u32, Fault> {
        let mut mask = 0;
        for lane in lanes(self.active) {
            let v = self.get(reg, lane);
            if v.undef & 1 != 0 {
                return Err(Fault::undefined(format!("{what} depends on an undefined value")));
            }
            mask |= (v.bits[0] as u32 & 1) << lane;
        }
        Ok(mask)
    }

    fn execute(&mut self, program: &Program) -> Result<(), Fault> {
        let mut stack: Vec<Frame> = Vec::new();
        let (mut function, mut pc, mut resume) = (program.entry, 0, None);
        self.start_locals(&program.functions[function])?;
        loop {
            let code = &program.functions[function];
            self.params = code.params;
            match code.steps[pc] {
                Step::Block(block) => {
                    if self.active == 0 {
                        (pc, resume) = (block.region_end, None);
                        continue;
                    }
                    let start = match resume.take() {
                        Some(op) => op,
                        None => {
                            self.phis(code, block);
                            block.start
                        }
                    };
                    match self.block(code, block, start)? {
                        Leave::End => pc += 1,
                        Leave::Jump(jump) => {
                            self.jump(jump, &mut stack);
                            pc = block.region_end;
                        }
                        Leave::Call(op) => {
                            let OpKind::Call(callee, args) = &code.ops[op].kind else { continue };
                            let params = program.functions[*callee].params;
                            for lane in lanes(self.active) {
                                for (i, &arg) in args.iter().enumerate() {
                                    self.set(params + i as Reg, lane, self.get(arg, lane));
                                }
                            }
                            stack.push(Frame::Call { function, pc, op: op + 1, returned: 0 });
                            (function, pc) = (*callee, 0);
                            self.start_locals(&program.functions[function])?;
                        }
                    }
                }
                Step::If(cond, _) if self.active != 0 => {
                    let then = self.condition(cond, "a branch")?;
                    stack.push(Frame::If { els: self.active & !then, joined: 0 });
                    self.active = then;
                    pc += 1;
                }
                Step::If(_, els) => {
                    stack.push(Frame::If { els: 0, joined: 0 });
                    pc = els;
                }
                Step::Else => {
                    if let Some(Frame::If { els, joined }) = stack.last_mut() {
                        *joined |= self.active;
                        self.active = std::mem::take(els);
                    }
                    pc += 1;
                }
                Step::EndIf => {
                    if let Some(Frame::If { joined, .. }) = stack.pop() {
                        self.active |= joined;
                    }
                    pc += 1;
                }
                Step::Loop => {
                    stack.push(Frame::Loop { broke: 0, continued: 0 });
                    pc += 1;
                }
                Step::EndLoop(start) => {
                    // An empty loop takes steps too.
                    self.count(1)?;
                    if let Some(Frame::Loop { broke, continued }) = stack.last_mut() {
                        self.active |= std::mem::take(continued);
                        if self.active != 0 {
                            pc = start;
                            continue;
                        }
                        self.active = *broke;
                        stack.pop();
                    }
                    pc += 1;
                }
                Step::End => match stack.pop() {
                    Some(Frame::Call { function: f, pc: p, op, returned }) => {
                        self.active |= returned;
                        (function, pc, resume) = (f, p, Some(op));
                    }
                    _ => return Ok(()),
                },
            }
        }
    }

    fn count(&mut self, n: u64) -> Result<(), Fault> {
        self.steps += n;
        if self.steps > self.options.max_steps {
            let message = format!("more than {} steps", self.options.max_steps);
            return Err(Fault { kind: FaultKind::Steps, message });
        }
        Ok(())
    }

    fn start_locals(&mut self, code: &Code) -> Result<(), Fault> {
        let shader = self.shader;
        for &v in &code.locals {
            let object = self.memory.vars[v];
            for lane in lanes(self.active) {
                self.memory.initialise(object, lane, &shader.vars[v], &mut self.layouts)?;
            }
        }
        Ok(())
    }

    fn jump(&mut self, jump: Jump, stack: &mut [Frame]) {
        let gone = std::mem::take(&mut self.active);
        match jump {
            Jump::Halt => self.end(gone),
            Jump::Return => {
                if let Some(Frame::Call { returned, .. }) =
                    stack.iter_mut().rev().find(|f| matches!(f, Frame::Call { .. }))
                {
                    *returned |= gone;
                }
            }
            Jump::Break | Jump::Continue => {
                let around = stack.iter_mut().rev().find(|f| matches!(f, Frame::Loop { .. }));
                if let Some(Frame::Loop { broke, continued }) = around {
                    *(if jump == Jump::Break { broke } else { continued }) |= gone;
                }
            }
        }
    }

    /// Ends lanes.
    pub(crate) fn end(&mut self, mask: u32) {
        self.ended |= mask;
        self.active &= !mask;
    }

    /// All phis of a block at once.
    fn phis(&mut self, code: &Code, block: BlockCode) {
        let phis = &code.ops[block.phis..block.start];
        if phis.is_empty() {
            return;
        }
        let mut values = std::mem::take(&mut self.temporary);
        values.clear();
        for op in phis {
            let OpKind::Phi(srcs) = &op.kind else { continue };
            for lane in lanes(self.active) {
                let from = self.came_from[lane];
                let src = srcs.iter().find(|s| s.0 == from);
                values.push(src.map_or(Value { bits: [0; 4], undef: 0xf }, |&(_, r)| self.get(r, lane)));
            }
        }
        let mut next = values.iter();
        for op in phis {
            for lane in lanes(self.active) {
                if let Some(&v) = next.next() {
                    self.set(op.dst, lane, v);
                }
            }
        }
        self.temporary = values;
    }

    fn block(&mut self, code: &Code, block: BlockCode, start: usize) -> Result<Leave, Fault> {
        self.count((block.end - start) as u64 * u64::from(self.active.count_ones()))?;
        for at in start..block.end {
            let op = &code.ops[at];
            match &op.kind {
                OpKind::Jump(jump) => {
                    self.leave(block);
                    return Ok(Leave::Jump(*jump));
                }
                OpKind::Call(..) => return Ok(Leave::Call(at)),
                _ => self.op(op)?,
            }
            if self.active == 0 {
                break;
            }
        }
        self.leave(block);
        Ok(Leave::End)
    }

    fn leave(&mut self, block: BlockCode) {
        for lane in lanes(self.active) {
            self.came_from[lane] = block.number;
        }
    }

    fn op(&mut self, op: &Op) -> Result<(), Fault> {
        match &op.kind {
            OpKind::Alu(alu) if alu.quad => alu::quad(self, op, alu),
            OpKind::Alu(alu) => {
                for lane in lanes(self.active) {
                    let value = alu::evaluate(self, op.ty, alu, lane);
                    self.set(op.dst, lane, value);
                }
            }
            OpKind::Const(bits) => self.set_all(op.dst, Value { bits: *bits, undef: 0 }),
            OpKind::Undef => {
                let mask = airfoil_ir::bit_mask(u32::from(op.ty.bits));
                self.set_all(op.dst, Value { bits: [self.options.undef & mask; 4], undef: 0xf });
            }
            OpKind::Var(v) => self.set_all(op.dst, Pointer::new(self.memory.vars[*v]).to_value()),
            OpKind::Element(e) => self.element(op.dst, e),
            OpKind::Field { parent, offset, objects } => {
                for lane in lanes(self.active) {
                    let mut p = self.pointer(*parent, lane);
                    if *objects {
                        p.element += *offset as u32;
                    } else {
                        p.offset = p.offset.wrapping_add(*offset);
                    }
                    self.set(op.dst, lane, p.to_value());
                }
            }
            OpKind::Cast { parent, address } => {
                for lane in lanes(self.active) {
                    let v = self.get(*parent, lane);
                    let p = if *address {
                        Pointer { offset: v.bits[0], wild: v.undef != 0, ..Pointer::new(GLOBAL) }
                    } else {
                        Pointer::of(v)
                    };
                    self.set(op.dst, lane, p.to_value());
                }
            }
            OpKind::Intrinsic(i, regs, pointee) => self.intrinsic(op, i, regs, *pointee)?,
            OpKind::Copy(copy) => self.copy(copy)?,
            OpKind::Tex(tex, srcs) => self.texture(op, tex, srcs),
            OpKind::Phi(_) | OpKind::Jump(_) | OpKind::Call(..) => {}
        }
        Ok(())
    }

    fn set_all(&mut self, reg: Reg, value: Value) {
        for lane in lanes(self.active) {
            self.set(reg, lane, value);
        }
    }

    fn element(&mut self, dst: Reg, e: &Element) {
        for lane in lanes(self.active) {
            let mut p = self.pointer(e.parent, lane);
            let index = e.index.map_or(Value::scalar(0), |i| self.get(i, lane));
            let n = index.bits[0];
            let signed = i64::from(n as u32 as i32);
            // A run-time length is checked by the size of the buffer.
            let out = if e.len == u64::MAX { false } else { n >= e.len };
            p.wild |= index.undef & 1 != 0 || out;
            if e.objects {
                p.element += if out { 0 } else { n as u32 * e.stride as u32 };
            } else {
                let stride = if e.component && p.stride != 0 { u64::from(p.stride) } else { e.stride };
                p.offset = p.offset.wrapping_add((signed as u64).wrapping_mul(stride));
                if p.object != GLOBAL {
                    p.offset &= 0xffff_ffff;
                }
                p.stride = e.inner;
            }
            self.set(dst, lane, p.to_value());
        }
    }

    /// Whether a lane's writes to memory that others see have an effect.
    pub(crate) fn has_effects(&self, lane: usize, object: u32) -> bool {
        let local = self
            .memory
            .objects
            .get(object as usize)
            .is_some_and(|o| o.mode.intersects(Modes::FUNCTION_TEMP | Modes::SHADER_TEMP | Modes::OUT));
        local || self.helpers >> lane & 1 == 0
    }

    fn copy(&mut self, copy: &CopyCode) -> Result<(), Fault> {
        let total = copy.wild.iter().fold(1u64, |n, w| n.saturating_mul(w.0));
        let n = total.saturating_mul(copy.leaves.len() as u64);
        self.count(n.saturating_mul(u64::from(self.active.count_ones())))?;
        let mut values: Vec<(u64, bool)> = Vec::new();
        for lane in lanes(self.active) {
            let (dst, src) = (self.pointer(copy.dst, lane), self.pointer(copy.src, lane));
            values.clear();
            // All is read before anything is written: source and destination may be the same variable.
            for k in 0..total {
                let (_, from) = wild_offsets(&copy.wild, k);
                for (_, leaf) in &copy.leaves {
                    for c in 0..u64::from(leaf.comps) {
                        let at = src.offset + from + leaf.offset + c * u64::from(leaf.stride);
                        let (v, u) = self.memory.read(src.target(), lane, at, u32::from(leaf.scalar.bits()));
                        values.push((v, u || src.wild));
                    }
                }
            }
            if !self.has_effects(lane, dst.target()) {
                continue;
            }
            let mut next = values.iter();
            for k in 0..total {
                let (to, _) = wild_offsets(&copy.wild, k);
                for (leaf, _) in &copy.leaves {
                    for c in 0..u64::from(leaf.comps) {
                        let at = dst.offset + to + leaf.offset + c * u64::from(leaf.stride);
                        let &(v, u) = next.next().unwrap_or(&(0, true));
                        let bits = u32::from(leaf.scalar.bits());
                        self.memory.write(dst.target(), lane, at, bits, v, u, (false, false));
                    }
                }
            }
            if dst.wild {
                self.memory.lose(dst.target(), lane);
            }
        }
        Ok(())
    }
}

/// Offsets on both sides of the `k`-th combination of wildcards.
fn wild_offsets(wild: &[(u64, u64, u64)], mut k: u64) -> (u64, u64) {
    let (mut to, mut from) = (0, 0);
    for &(n, a, b) in wild.iter().rev() {
        to += k % n * a;
        from += k % n * b;
        k /= n;
    }
    (to, from)
}

/// How a block is left.
enum Leave {
    End,
    Jump(Jump),
    Call(usize),
}
