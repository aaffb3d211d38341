//! Lock-step execution of the steps of a program.
//!
//! A mask says which lanes are active. Both sides of an `if` run one after the other with their masks, a loop repeats
//! while a lane is left in it. Calls, ifs and loops lie on one explicit stack. `waves.rs` lets the subgroups of a
//! workgroup take turns.

use crate::alu;
use crate::data::Data;
use crate::env::Env;
use crate::float_mode::FloatMode;
use crate::image::Images;
use crate::interface::Interface;
use crate::layout::Layouts;
use crate::memory::{GLOBAL, Memory, Pointer, Value};
use crate::observe::{Executed, Observer};
use crate::outcome::Outcome;
use crate::program::{BlockCode, Code, Flat, Op, OpKind, Reg, Step, flatten};
use crate::{Fault, FaultKind, Options};
use airfoil_ir::{Jump, Shader, bit_mask};
use std::sync::Arc;

/// Most lanes in lock step.
pub(crate) const MAX_LANES: usize = 64;

/// What waits for the end of a construct.
#[derive(Debug)]
pub(crate) enum Frame {
    If { els: u64, joined: u64 },
    Loop { broke: u64, continued: u64 },
    Call { function: usize, pc: usize, op: usize, returned: u64 },
}

/// Why execution stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pause {
    /// All lanes are over.
    Done,
    /// At a barrier: function and instruction.
    Barrier(usize, usize),
    /// It was long enough; others may go on.
    Slice,
}

/// Limits and choices.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    pub(crate) max_steps: u64,
    pub(crate) undef: u64,
    /// Branches on undefined values are faults.
    pub(crate) report: bool,
    /// Accesses out of bounds have a stated effect.
    pub(crate) robust: bool,
    pub(crate) floats: FloatMode,
}

/// Where a group of invocations is.
#[derive(Debug)]
pub(crate) struct Machine<'a> {
    pub(crate) shader: &'a Shader,
    pub(crate) limits: Limits,
    pub(crate) env: Env,
    pub(crate) layouts: Layouts<'a>,
    pub(crate) flat: Arc<Flat>,
    pub(crate) memory: Memory,
    pub(crate) interface: Interface,
    pub(crate) images: Images,
    /// What callers brought; without it the world is made of a seed.
    pub(crate) data: Option<Box<Data>>,
    /// Values: lanes of a register lie side by side.
    pub(crate) regs: Vec<Value>,
    /// Number of the block that each lane came from.
    pub(crate) came_from: Vec<u32>,
    pub(crate) stack: Vec<Frame>,
    /// Function, step, and the instruction to go on with.
    pub(crate) at: (usize, usize, Option<usize>),
    /// Lanes that execute.
    pub(crate) active: u64,
    /// Lanes that there are.
    pub(crate) present: u64,
    /// Lanes without effects.
    pub(crate) helpers: u64,
    /// Lanes that are over.
    pub(crate) ended: u64,
    /// Lanes that were discarded or demoted.
    pub(crate) discarded: u64,
    /// Bits per component and components of the values in registers.
    pub(crate) widths: Vec<u8>,
    comps: Vec<u8>,
    /// The workgroup, or the number of the batch's first invocation.
    pub(crate) origin: [u32; 3],
    /// First parameter of the function that executes.
    pub(crate) params: Reg,
    pub(crate) steps: u64,
    /// Steps at which others get their turn.
    pub(crate) slice: u64,
    temporary: Vec<Value>,
}

/// Lanes of a mask in ascending order.
pub(crate) fn lanes(mask: u64) -> impl Iterator<Item = usize> {
    let mut rest = mask;
    std::iter::from_fn(move || {
        let lane = rest.trailing_zeros();
        rest &= rest.wrapping_sub(1);
        (lane < 64).then_some(lane as usize)
    })
}

impl<'a> Machine<'a> {
    /// A machine in a world that is made of a seed.
    pub(crate) fn seeded(shader: &'a Shader, options: &Options) -> Result<Machine<'a>, Fault> {
        let env = Env::new(shader, options.seed, options.lanes);
        let mut layouts = Layouts::new(&shader.types, options.runtime_elements.max(1));
        let memory = Memory::new(shader, &mut layouts, &env, env.lanes, false)?;
        let helpers = env.helpers();
        let limits = Limits {
            max_steps: options.max_steps,
            undef: options.undef,
            report: true,
            robust: true,
            floats: options.floats,
        };
        let mut machine = Machine::new(shader, env, layouts, memory, limits, false)?;
        machine.active = bit_mask(env.lanes as u32);
        (machine.helpers, machine.discarded) = (helpers, helpers);
        machine.prepare_interface()?;
        Ok(machine)
    }

    pub(crate) fn new(
        shader: &'a Shader,
        env: Env,
        mut layouts: Layouts<'a>,
        memory: Memory,
        limits: Limits,
        bounded: bool,
    ) -> Result<Machine<'a>, Fault> {
        let flat = flatten(shader, &mut layouts, bounded)?;
        let mut widths = vec![32; flat.num_regs];
        let mut comps = vec![1; flat.num_regs];
        for op in flat.functions.iter().flat_map(|f| &f.ops).filter(|o| !o.ty.is_none()) {
            widths[op.dst as usize] = op.ty.bits;
            comps[op.dst as usize] = op.ty.comps;
        }
        let undef = Value { bits: [limits.undef; 4], undef: 0xf };
        Ok(Machine {
            shader,
            limits,
            env,
            layouts,
            memory,
            interface: Interface::default(),
            images: Images::new(env.seed),
            data: None,
            regs: vec![undef; flat.num_regs * env.lanes],
            came_from: vec![0; env.lanes],
            stack: Vec::new(),
            at: (flat.entry, 0, None),
            flat: Arc::new(flat),
            active: 0,
            present: 0,
            helpers: 0,
            ended: 0,
            discarded: 0,
            widths,
            comps,
            origin: [0; 3],
            params: 0,
            steps: 0,
            slice: u64::MAX,
            temporary: Vec::new(),
        })
    }

    /// Executes the entry function of a seeded machine.
    pub(crate) fn run(mut self) -> Result<Outcome, Fault> {
        self.start()?;
        while self.proceed(&mut None)? != Pause::Done {}
        self.finish_interface()?;
        Ok(Outcome::of(&self, self.steps))
    }

    /// Goes to the start of the entry function.
    pub(crate) fn start(&mut self) -> Result<(), Fault> {
        let flat = self.flat.clone();
        self.at = (flat.entry, 0, None);
        self.stack.clear();
        self.start_locals(&flat.functions[flat.entry])
    }

    pub(crate) fn get(&self, reg: Reg, lane: usize) -> Value {
        self.regs[reg as usize * self.env.lanes + lane]
    }

    pub(crate) fn value(&self, reg: Reg, lane: usize) -> &Value {
        &self.regs[reg as usize * self.env.lanes + lane]
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
    pub(crate) fn condition(&self, reg: Reg, what: &str) -> Result<u64, Fault> {
        let mut mask = 0;
        for lane in lanes(self.active) {
            let v = self.get(reg, lane);
            if v.undef & 1 != 0 && self.limits.report {
                return Err(Fault::undefined(format!("{what} depends on an undefined value")));
            }
            mask |= (v.bits[0] & 1) << lane;
        }
        Ok(mask)
    }

    /// Executes until all lanes are over, or to the next barrier.
    pub(crate) fn proceed(&mut self, observer: &mut Option<&mut dyn Observer>) -> Result<Pause, Fault> {
        match observer {
            Some(o) => self.execute::<true>(&mut Some(&mut **o)),
            None => self.execute::<false>(&mut None),
        }
    }

    fn execute<const OBSERVED: bool>(
        &mut self,
        observer: &mut Option<&mut dyn Observer>,
    ) -> Result<Pause, Fault> {
        let flat = self.flat.clone();
        let program: &Flat = &flat;
        let (mut function, mut pc, mut resume) = self.at;
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
                            if OBSERVED {
                                (block.phis..block.start).for_each(|at| self.tell(observer, code, at));
                            }
                            block.start
                        }
                    };
                    match self.block::<OBSERVED>(code, block, start, observer)? {
                        Leave::End => pc += 1,
                        Leave::Jump(jump) => {
                            self.jump(jump);
                            pc = block.region_end;
                        }
                        Leave::Barrier(op) => {
                            self.at = (function, pc, Some(op + 1));
                            return Ok(Pause::Barrier(function, op));
                        }
                        Leave::Call(op) => {
                            let OpKind::Call(callee, args) = &code.ops[op].kind else { continue };
                            let params = program.functions[*callee].params;
                            for lane in lanes(self.active) {
                                for (i, &arg) in args.iter().enumerate() {
                                    self.set(params + i as Reg, lane, self.get(arg, lane));
                                }
                            }
                            self.stack.push(Frame::Call { function, pc, op: op + 1, returned: 0 });
                            (function, pc) = (*callee, 0);
                            self.start_locals(&program.functions[function])?;
                        }
                    }
                }
                Step::If(cond, _) if self.active != 0 => {
                    let then = self.condition(cond, "a branch");
                    let then = then.map_err(|f| self.located(f, code, |op| op.dst == cond))?;
                    self.stack.push(Frame::If { els: self.active & !then, joined: 0 });
                    self.active = then;
                    pc += 1;
                }
                Step::If(_, els) => {
                    self.stack.push(Frame::If { els: 0, joined: 0 });
                    pc = els;
                }
                Step::Else => {
                    if let Some(Frame::If { els, joined }) = self.stack.last_mut() {
                        *joined |= self.active;
                        self.active = std::mem::take(els);
                    }
                    pc += 1;
                }
                Step::EndIf => {
                    if let Some(Frame::If { joined, .. }) = self.stack.pop() {
                        self.active |= joined;
                    }
                    pc += 1;
                }
                Step::Loop => {
                    self.stack.push(Frame::Loop { broke: 0, continued: 0 });
                    pc += 1;
                }
                Step::EndLoop(start) => {
                    // An empty loop takes steps too.
                    self.count(1)?;
                    if let Some(Frame::Loop { broke, continued }) = self.stack.last_mut() {
                        self.active |= std::mem::take(continued);
                        if self.active != 0 {
                            pc = start;
                            if self.steps >= self.slice {
                                self.at = (function, pc, None);
                                return Ok(Pause::Slice);
                            }
                            continue;
                        }
                        self.active = *broke;
                        self.stack.pop();
                    }
                    pc += 1;
                }
                Step::End => match self.stack.pop() {
                    Some(Frame::Call { function: f, pc: p, op, returned }) => {
                        self.active |= returned;
                        (function, pc, resume) = (f, p, Some(op));
                    }
                    _ => return Ok(Pause::Done),
                },
            }
        }
    }

    pub(crate) fn count(&mut self, n: u64) -> Result<(), Fault> {
        self.steps += n;
        if self.steps > self.limits.max_steps {
            let message = format!("more than {} steps", self.limits.max_steps);
            return Err(Fault { kind: FaultKind::Steps, ..Fault::undefined(message) });
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

    fn jump(&mut self, jump: Jump) {
        let gone = std::mem::take(&mut self.active);
        match jump {
            Jump::Halt => self.end(gone),
            Jump::Return => {
                let call = self.stack.iter_mut().rev().find(|f| matches!(f, Frame::Call { .. }));
                match call {
                    Some(Frame::Call { returned, .. }) => *returned |= gone,
                    _ => self.end(gone),
                }
            }
            Jump::Break | Jump::Continue => {
                let around = self.stack.iter_mut().rev().find(|f| matches!(f, Frame::Loop { .. }));
                if let Some(Frame::Loop { broke, continued }) = around {
                    *(if jump == Jump::Break { broke } else { continued }) |= gone;
                }
            }
        }
    }

    /// Ends lanes.
    pub(crate) fn end(&mut self, mask: u64) {
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

    fn block<const OBSERVED: bool>(
        &mut self,
        code: &Code,
        block: BlockCode,
        start: usize,
        observer: &mut Option<&mut dyn Observer>,
    ) -> Result<Leave, Fault> {
        self.count((block.end - start) as u64 * u64::from(self.active.count_ones()))?;
        for at in start..block.end {
            let op = &code.ops[at];
            match &op.kind {
                OpKind::Jump(jump) => {
                    self.leave(block);
                    return Ok(Leave::Jump(*jump));
                }
                OpKind::Call(..) => return Ok(Leave::Call(at)),
                OpKind::Barrier => {
                    self.memory.epoch += 1;
                    if self.data.is_some() {
                        let all = self.present & !self.ended;
                        if self.active != all {
                            let fault = Fault::undefined("not all invocations reach the barrier");
                            return Err(self.located(fault, code, |o| std::ptr::eq(o, op)));
                        }
                        return Ok(Leave::Barrier(at));
                    }
                }
                _ => {
                    let before = self.active;
                    if let Err(fault) = self.op(op) {
                        return Err(self.located(fault, code, |o| std::ptr::eq(o, op)));
                    }
                    if OBSERVED {
                        let now = std::mem::replace(&mut self.active, before);
                        self.tell(observer, code, at);
                        self.active = now;
                    }
                }
            }
            if self.active == 0 {
                break;
            }
        }
        self.leave(block);
        Ok(Leave::End)
    }

    /// Tells the observer about an instruction.
    fn tell(&self, observer: &mut Option<&mut dyn Observer>, code: &Code, at: usize) {
        let Some(observer) = observer else { return };
        let op = &code.ops[at];
        let values = (!op.ty.is_none()).then(|| {
            let first = op.dst as usize * self.env.lanes;
            &self.regs[first..first + self.env.lanes]
        });
        observer.executed(&Executed {
            shader: self.shader,
            function: code.id,
            instr: code.instrs[at],
            active: self.active,
            first: self.memory.base,
            origin: self.origin,
            places: self.data.as_ref().map_or(&[], |d| &d.inputs.places),
            ty: op.ty,
            values: values.unwrap_or(&[]),
        });
    }

    /// A fault with the instruction where it happened.
    fn located(&self, mut fault: Fault, code: &Code, is: impl Fn(&Op) -> bool) -> Fault {
        if fault.instruction.is_none()
            && let Some(at) = code.ops.iter().position(is)
        {
            let body = &self.shader.functions[code.id].body;
            let id = code.instrs[at];
            fault.instruction = Some(airfoil_ir::text::print_instr(self.shader, body, id).trim().into());
            let loc = body[id].loc;
            let file = loc.file().and_then(|f| self.shader.files.get(f as usize)).cloned();
            fault.line = (!loc.is_none()).then(|| (file.unwrap_or_default(), loc.line()));
        }
        fault
    }

    fn leave(&mut self, block: BlockCode) {
        for lane in lanes(self.active) {
            self.came_from[lane] = block.number;
        }
    }

    fn op(&mut self, op: &Op) -> Result<(), Fault> {
        match &op.kind {
            OpKind::Alu(alu) if alu.quad => alu::quad(self, op, alu),
            OpKind::Alu(alu) => alu::all(self, op, alu),
            OpKind::Const(bits) => self.set_all(op.dst, Value { bits: *bits, undef: 0 }),
            OpKind::Undef => {
                let mask = bit_mask(u32::from(op.ty.bits));
                self.set_all(op.dst, Value { bits: [self.limits.undef & mask; 4], undef: 0xf });
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
            OpKind::Tex(tex, srcs) if self.data.is_some() => self.data_texture(op, tex, srcs)?,
            OpKind::Tex(tex, srcs) => self.texture(op, tex, srcs),
            OpKind::Phi(_) | OpKind::Jump(_) | OpKind::Call(..) | OpKind::Barrier => {}
        }
        Ok(())
    }

    fn set_all(&mut self, reg: Reg, value: Value) {
        for lane in lanes(self.active) {
            self.set(reg, lane, value);
        }
    }
}

/// How a block is left.
enum Leave {
    End,
    Jump(Jump),
    Call(usize),
    Barrier(usize),
}
