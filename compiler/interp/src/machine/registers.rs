//! Registers: the SSA values of all lanes.

use crate::memory::{Pointer, Value};

/// Index of a register.
pub(crate) type Reg = u32;

/// The values of all instructions; the lanes of a register are adjacent.
#[derive(Debug)]
pub(crate) struct Registers {
    pub(crate) values: Vec<Value>,
    /// Number of lanes, active or not.
    pub(crate) lanes: usize,
    /// Bits per component, by register.
    widths: Vec<u8>,
    /// Components, by register.
    comps: Vec<u8>,
    /// An operation has read the values of other lanes.
    pub(crate) crossed: bool,
}

impl Registers {
    /// Registers of 32-bit scalars that hold `value`.
    pub(crate) fn new(count: usize, lanes: usize, value: Value) -> Registers {
        Registers {
            values: vec![value; count * lanes],
            lanes,
            widths: vec![32; count],
            comps: vec![1; count],
            crossed: false,
        }
    }

    /// Declares the shape of a register.
    pub(crate) fn declare(&mut self, reg: Reg, bits: u8, comps: u8) {
        self.widths[reg as usize] = bits;
        self.comps[reg as usize] = comps;
    }

    pub(crate) fn get(&self, reg: Reg, lane: usize) -> Value {
        self.values[reg as usize * self.lanes + lane]
    }

    pub(crate) fn value(&self, reg: Reg, lane: usize) -> &Value {
        &self.values[reg as usize * self.lanes + lane]
    }

    pub(crate) fn set(&mut self, reg: Reg, lane: usize, value: Value) {
        self.values[reg as usize * self.lanes + lane] = value;
    }

    /// The values of all lanes.
    pub(crate) fn row(&self, reg: Reg) -> &[Value] {
        &self.values[reg as usize * self.lanes..][..self.lanes]
    }

    /// Bits per component of the value in a register.
    pub(crate) fn width(&self, reg: Reg) -> u32 {
        u32::from(self.widths[reg as usize])
    }

    /// Components of the value in a register.
    pub(crate) fn comps(&self, reg: Reg) -> u8 {
        self.comps[reg as usize]
    }

    pub(crate) fn pointer(&self, reg: Reg, lane: usize) -> Pointer {
        Pointer::of(self.get(reg, lane))
    }
}
