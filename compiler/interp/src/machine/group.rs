//! Invocations in lock step: registers, memory, masks of lanes, and the world around them.
//!
//! The operations in `ops/` are methods of [`Group`]; control flow is in `machine/mod.rs`, which owns one.

use super::interface::Interface;
use super::lanes::lanes;
use super::registers::{Reg, Registers};
use crate::fault::{Fault, FaultKind};
use crate::memory::layout::Layouts;
use crate::memory::{Memory, Pointer, Value};
use crate::ops::float_mode::FloatMode;
use crate::world::World;
use airfoil_ir::Shader;
use airfoil_ir::intrinsic::IntrinsicFlags;

/// Limits and choices.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    pub(crate) max_steps: u64,
    pub(crate) undef: u64,
    /// Branches on undefined values are faults.
    pub(crate) report: bool,
    /// Accesses out of bounds have a defined effect.
    pub(crate) robust: bool,
    pub(crate) floats: FloatMode,
}

/// A group of invocations in lock step.
#[derive(Debug)]
pub(crate) struct Group<'a, W> {
    pub(crate) shader: &'a Shader,
    pub(crate) limits: Limits,
    pub(crate) layouts: Layouts<'a>,
    pub(crate) memory: Memory,
    pub(crate) interface: Interface,
    pub(crate) world: W,
    pub(crate) regs: Registers,
    /// Lanes that execute.
    pub(crate) active: u64,
    /// Lanes that hold an invocation.
    pub(crate) present: u64,
    /// Lanes without effects.
    pub(crate) helpers: u64,
    /// Lanes that have ended.
    pub(crate) ended: u64,
    /// Lanes that were discarded or demoted.
    pub(crate) discarded: u64,
    /// First parameter of the function that executes.
    pub(crate) params: Reg,
    /// Instructions executed, counted once per lane.
    pub(crate) steps: u64,
    /// Effects of the intrinsic that executes, so far.
    pub(crate) effects: IntrinsicFlags,
}

impl<W: World> Group<'_, W> {
    pub(crate) fn get(&self, reg: Reg, lane: usize) -> Value {
        self.regs.get(reg, lane)
    }

    pub(crate) fn set(&mut self, reg: Reg, lane: usize, value: Value) {
        self.regs.set(reg, lane, value);
    }

    /// Sets a register of all active lanes.
    pub(crate) fn set_all(&mut self, reg: Reg, value: Value) {
        for lane in lanes(self.active) {
            self.set(reg, lane, value);
        }
    }

    pub(crate) fn pointer(&self, reg: Reg, lane: usize) -> Pointer {
        self.regs.pointer(reg, lane)
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

    pub(crate) fn count(&mut self, n: u64) -> Result<(), Fault> {
        self.steps += n;
        if self.steps > self.limits.max_steps {
            let message = format!("more than {} steps", self.limits.max_steps);
            return Err(Fault { kind: FaultKind::Steps, ..Fault::undefined(message) });
        }
        Ok(())
    }

    /// Ends lanes.
    pub(crate) fn end(&mut self, mask: u64) {
        self.ended |= mask;
        self.active &= !mask;
    }
}
