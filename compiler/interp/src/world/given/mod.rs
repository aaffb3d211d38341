//! The world of a caller: inputs, system values, resources and outputs.
//!
//! * `inputs.rs`: values of vertices, barycentric coordinates.
//! * `texture.rs`: operands of texture instructions. `image.rs`: storage images.

mod data;
mod image;
pub(crate) mod inputs;
mod texture;

pub(crate) use data::Given;

use super::location::{Location, PixelLocation};
use super::output::{Cell, Owner};
use super::{Bits, ImageCall, TexCall, World};
use crate::fault::Fault;
use crate::machine::registers::Registers;
use crate::memory::{Memory, Value};
use airfoil_ir::{Interpolation, Lanes, Scalar, Slot, SystemValue};
use data::Emitted;

impl World for Given {
    const WAITS: bool = true;
    const COMPARED: bool = false;

    fn system_value(&self, lane: usize, sv: SystemValue) -> Result<Lanes, Fault> {
        let value = self.system(lane, sv);
        value.ok_or_else(|| Fault::unsupported(format!("the system value `{}` was not given", sv.name())))
    }

    fn input(&self, lane: usize, slot: Slot, unit: u32, vertex: Option<u64>, scalar: Scalar) -> Bits {
        self.input_bits(lane, slot, unit, vertex, u32::from(scalar.bits()))
    }

    fn interpolated(&self, lane: usize, slot: Slot, unit: u32, bits: u32, weights: [f64; 2]) -> Bits {
        let found = self.inputs.interpolated(lane, slot, unit, bits, weights);
        // Not written by the stage before: point coordinates and the like.
        found.unwrap_or_else(|| self.input_bits(lane, slot, unit, None, bits))
    }

    fn barycentric(&self, lane: usize, at: Location, interpolation: Interpolation) -> [f64; 2] {
        let sample = |n: u64| self.position_of_sample(n).map(|x| f64::from(x) - 0.5);
        self.inputs.barycentric(lane, at, interpolation, sample)
    }

    fn sample_position(&self, sample: u64) -> [u64; 2] {
        self.position_of_sample(sample).map(|x| u64::from(x.to_bits()))
    }

    /// A clock differs at every reading.
    fn clock(&mut self, steps: u64) -> Option<u64> {
        self.last_time = (self.clock + steps).max(self.last_time + 1);
        Some(self.last_time)
    }

    fn pixels(&self) -> &[PixelLocation] {
        &self.inputs.pixels
    }

    fn set_output(&mut self, owner: Owner, slot: Slot, unit: u32, index: u8, cell: Cell) {
        let bits = u32::from(cell.scalar.bits().max(1));
        let bits = if cell.scalar == Scalar::Any { 32 } else { bits };
        if let Some(values) = self.values_mut(owner) {
            values.set_bits(slot, index, unit, cell.bits, bits, cell.undef);
        }
    }

    fn output(&self, owner: Owner, slot: Slot, unit: u32, index: u8, bits: u32) -> Bits {
        self.values(owner).map_or((0, true), |v| v.bits(slot, index, unit, bits))
    }

    fn lose_outputs(&mut self) {}

    fn emit(&mut self, lane: usize, stream: u32, vertex: bool) {
        let vertex = vertex.then(|| self.lane_outputs.get(lane).cloned().unwrap_or_default());
        self.emitted.push(Emitted { lane, stream, vertex });
    }

    fn set_mesh_size(&mut self, size: [Bits; 3]) {
        self.mesh_size = size.map(|(n, _)| n as u32);
    }

    fn texture(
        &self,
        call: &TexCall<'_>,
        regs: &Registers,
        memory: &Memory,
        _active: u64,
        lane: usize,
    ) -> Result<Value, Fault> {
        texture::Textures { given: self, regs, memory }.execute(call, lane)
    }

    fn image(
        &mut self,
        call: &ImageCall<'_>,
        regs: &Registers,
        memory: &mut Memory,
        lane: usize,
        effects: bool,
    ) -> Result<Option<Value>, Fault> {
        image::execute(self, call, regs, memory, lane, effects)
    }
}
