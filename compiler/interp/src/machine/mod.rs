//! Lock-step execution of the steps of a program.
//!
//! A mask holds the active lanes. Both sides of an `if` run one after the other with their masks, a loop repeats while
//! a lane remains in it. Calls, ifs and loops are on one explicit stack. `waves.rs` lets the subgroups of a workgroup
//! take turns.

pub(crate) mod code;
pub(crate) mod frames;
pub(crate) mod group;
pub(crate) mod interface;
pub(crate) mod lanes;
pub(crate) mod registers;

use crate::fault::Fault;
use crate::memory::layout::Layouts;
use crate::memory::{Memory, Value};
use crate::observe::{Executed, Observer};
use crate::world::World;
use airfoil_ir::intrinsic::IntrinsicFlags;
use airfoil_ir::{Jump, Shader};
use code::{BlockCode, Code, Flat, Op, OpKind, Step, flatten};
use frames::{Frame, Leave, Pause};
use group::{Group, Limits};
use interface::Interface;
use lanes::lanes;
use registers::{Reg, Registers};
use std::sync::Arc;

/// Executes the steps of a program for a group of invocations.
#[derive(Debug)]
pub(crate) struct Machine<'a, W> {
    pub(crate) group: Group<'a, W>,
    pub(crate) flat: Arc<Flat>,
    /// Index of the block that each lane came from.
    pub(crate) came_from: Vec<u32>,
    pub(crate) stack: Vec<Frame>,
    /// Function, step, and the instruction to resume at.
    pub(crate) at: (usize, usize, Option<usize>),
    /// The workgroup, or the index of the batch's first invocation.
    pub(crate) origin: [u32; 3],
    /// Steps after which other subgroups get their turn.
    pub(crate) slice: u64,
    temporary: Vec<Value>,
}

impl<'a, W: World> Machine<'a, W> {
    /// A machine before the start of the shader. `bounded`: run-time arrays end with their buffers.
    pub(crate) fn new(
        shader: &'a Shader,
        world: W,
        lanes: usize,
        mut layouts: Layouts<'a>,
        memory: Memory,
        limits: Limits,
        bounded: bool,
    ) -> Result<Machine<'a, W>, Fault> {
        let flat = flatten(shader, &mut layouts, bounded)?;
        let undef = Value { bits: [limits.undef; 4], undef: 0xf };
        let mut regs = Registers::new(flat.num_regs, lanes, undef);
        for op in flat.functions.iter().flat_map(|f| &f.ops).filter(|o| !o.ty.is_none()) {
            regs.declare(op.dst, op.ty.bits, op.ty.comps);
        }
        let interface = Interface::new(shader, &mut layouts, &memory)?;
        let group = Group {
            shader,
            limits,
            layouts,
            memory,
            interface,
            world,
            regs,
            active: 0,
            present: 0,
            helpers: 0,
            ended: 0,
            discarded: 0,
            params: 0,
            steps: 0,
            effects: IntrinsicFlags::empty(),
        };
        Ok(Machine {
            group,
            came_from: vec![0; lanes],
            stack: Vec::new(),
            at: (flat.entry, 0, None),
            flat: Arc::new(flat),
            origin: [0; 3],
            slice: u64::MAX,
            temporary: Vec::new(),
        })
    }

    /// Puts lanes at the start of the shader, with their inputs in place.
    pub(crate) fn start(&mut self, present: u64, helpers: u64) -> Result<(), Fault> {
        let group = &mut self.group;
        group.present = present;
        group.active = present;
        (group.helpers, group.discarded, group.ended) = (helpers, 0, 0);
        group.fill_interface()?;
        let flat = self.flat.clone();
        self.at = (flat.entry, 0, None);
        self.stack.clear();
        self.start_locals(&flat.functions[flat.entry])
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
            self.group.params = code.params;
            match code.steps[pc] {
                Step::Block(block) => {
                    if self.group.active == 0 {
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
                            for lane in lanes(self.group.active) {
                                for (i, &arg) in args.iter().enumerate() {
                                    self.group.set(params + i as Reg, lane, self.group.get(arg, lane));
                                }
                            }
                            self.stack.push(Frame::Call { function, pc, op: op + 1, returned: 0 });
                            (function, pc) = (*callee, 0);
                            self.start_locals(&program.functions[function])?;
                        }
                    }
                }
                Step::If(cond, _) if self.group.active != 0 => {
                    let then = self.group.condition(cond, "a branch");
                    let then = then.map_err(|f| self.located(f, code, |op| op.dst == cond))?;
                    self.stack.push(Frame::If { els: self.group.active & !then, joined: 0 });
                    self.group.active = then;
                    pc += 1;
                }
                Step::If(_, els) => {
                    self.stack.push(Frame::If { els: 0, joined: 0 });
                    pc = els;
                }
                Step::Else => {
                    if let Some(Frame::If { els, joined }) = self.stack.last_mut() {
                        *joined |= self.group.active;
                        self.group.active = std::mem::take(els);
                    }
                    pc += 1;
                }
                Step::EndIf => {
                    if let Some(Frame::If { joined, .. }) = self.stack.pop() {
                        self.group.active |= joined;
                    }
                    pc += 1;
                }
                Step::Loop => {
                    self.stack.push(Frame::Loop { broke: 0, continued: 0 });
                    pc += 1;
                }
                Step::EndLoop(start) => {
                    // An empty loop takes steps too.
                    self.group.count(1)?;
                    if let Some(Frame::Loop { broke, continued }) = self.stack.last_mut() {
                        self.group.active |= std::mem::take(continued);
                        if self.group.active != 0 {
                            pc = start;
                            if self.group.steps >= self.slice {
                                self.at = (function, pc, None);
                                return Ok(Pause::Slice);
                            }
                            continue;
                        }
                        self.group.active = *broke;
                        self.stack.pop();
                    }
                    pc += 1;
                }
                Step::End => match self.stack.pop() {
                    Some(Frame::Call { function: f, pc: p, op, returned }) => {
                        self.group.active |= returned;
                        (function, pc, resume) = (f, p, Some(op));
                    }
                    _ => return Ok(Pause::Done),
                },
            }
        }
    }

    fn start_locals(&mut self, code: &Code) -> Result<(), Fault> {
        let group = &mut self.group;
        for &v in &code.locals {
            let object = group.memory.vars[v];
            for lane in lanes(group.active) {
                group.memory.initialise(object, lane, &group.shader.vars[v], &mut group.layouts)?;
            }
        }
        Ok(())
    }

    fn jump(&mut self, jump: Jump) {
        let gone = std::mem::take(&mut self.group.active);
        match jump {
            Jump::Halt => self.group.end(gone),
            Jump::Return => {
                let call = self.stack.iter_mut().rev().find(|f| matches!(f, Frame::Call { .. }));
                match call {
                    Some(Frame::Call { returned, .. }) => *returned |= gone,
                    _ => self.group.end(gone),
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
            for lane in lanes(self.group.active) {
                let from = self.came_from[lane];
                let src = srcs.iter().find(|s| s.0 == from);
                values
                    .push(src.map_or(Value { bits: [0; 4], undef: 0xf }, |&(_, r)| self.group.get(r, lane)));
            }
        }
        let mut next = values.iter();
        for op in phis {
            for lane in lanes(self.group.active) {
                if let Some(&v) = next.next() {
                    self.group.set(op.dst, lane, v);
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
        self.group.count((block.end - start) as u64 * u64::from(self.group.active.count_ones()))?;
        for at in start..block.end {
            let op = &code.ops[at];
            match &op.kind {
                OpKind::Jump(jump) => {
                    self.leave(block);
                    return Ok(Leave::Jump(*jump));
                }
                OpKind::Call(..) => return Ok(Leave::Call(at)),
                OpKind::Barrier => {
                    self.group.memory.epoch += 1;
                    if W::WAITS {
                        let all = self.group.present & !self.group.ended;
                        if self.group.active != all {
                            let fault = Fault::undefined("not all invocations reach the barrier");
                            return Err(self.located(fault, code, |o| std::ptr::eq(o, op)));
                        }
                        return Ok(Leave::Barrier(at));
                    }
                }
                _ => {
                    let before = self.group.active;
                    if let Err(fault) = self.group.op(op) {
                        return Err(self.located(fault, code, |o| std::ptr::eq(o, op)));
                    }
                    if OBSERVED {
                        let now = std::mem::replace(&mut self.group.active, before);
                        self.tell(observer, code, at);
                        self.group.active = now;
                    }
                }
            }
            if self.group.active == 0 {
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
        let values = (!op.ty.is_none()).then(|| self.group.regs.row(op.dst));
        observer.executed(&Executed {
            shader: self.group.shader,
            function: code.id,
            instr: code.instrs[at],
            active: self.group.active,
            first: self.group.memory.base,
            origin: self.origin,
            pixels: self.group.world.pixels(),
            ty: op.ty,
            values: values.unwrap_or(&[]),
        });
    }

    /// A fault with the instruction where it happened.
    fn located(&self, mut fault: Fault, code: &Code, is: impl Fn(&Op) -> bool) -> Fault {
        if fault.instruction.is_none()
            && let Some(at) = code.ops.iter().position(is)
        {
            let body = &self.group.shader.functions[code.id].body;
            let id = code.instrs[at];
            fault.instruction =
                Some(airfoil_ir::text::print_instr(self.group.shader, body, id).trim().into());
            let loc = body[id].loc;
            let file = loc.file().and_then(|f| self.group.shader.files.get(f as usize)).cloned();
            fault.line = (!loc.is_none()).then(|| (file.unwrap_or_default(), loc.line()));
        }
        fault
    }

    fn leave(&mut self, block: BlockCode) {
        for lane in lanes(self.group.active) {
            self.came_from[lane] = block.number;
        }
    }
}
