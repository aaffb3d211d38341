//! The world of a seed: every input, uniform and texel is derived from it.
//!
//! * `env.rs`: inputs and system values. Most numbers are small, so that loops bounded by uniforms stay short.
//! * `texture.rs`: textures are smooth functions of their floating-point operands and hashes of the others.
//! * `image.rs`: storage images hold hashes until they are written.

pub(crate) mod env;
mod image;
mod texture;

use super::location::{Location, PixelLocation};
use super::output::{Cell, Owner};
use super::{Bits, ImageCall, TexCall, World};
use crate::fault::Fault;
use crate::machine::registers::Registers;
use crate::memory::{Memory, Value};
use crate::outcome::{Component, END, Outcome, TexelCell};
use airfoil_ir::{Interpolation, Lanes, Scalar, Shader, Slot, Stage, SystemValue};
use env::Env;
use image::Images;
use std::collections::BTreeMap;

/// The world of a seed, with the outputs that were written.
#[derive(Debug)]
pub(crate) struct Seeded {
    pub(crate) env: Env,
    images: Images,
    outputs: BTreeMap<Component, Cell>,
    /// Vertices and ends of primitives that each lane emitted.
    emitted: Vec<u32>,
}

impl Seeded {
    /// The world of `seed` around at most `lanes` invocations of a shader.
    pub(crate) fn new(shader: &Shader, seed: u64, lanes: u32) -> Seeded {
        let env = Env::new(shader, seed, lanes);
        Seeded { env, images: Images::new(seed), outputs: BTreeMap::new(), emitted: vec![0; env.lanes] }
    }

    /// The observable effects on outputs, images and memory.
    pub(crate) fn into_outcome(self, memory: &Memory, discarded: u64, steps: u64) -> Outcome {
        let geometry = self.env.stage == Stage::Geometry;
        let mut outputs = self.outputs;
        // Only emitted vertices are outputs of a geometry shader.
        outputs.retain(|c, _| discarded >> c.lane & 1 == 0 && (!geometry || c.vertex != 0));
        let texels = self.images.texels.iter().map(|(&(object, at, sample), t)| TexelCell {
            object,
            at,
            sample,
            value: t.value,
            scalar: t.scalar,
        });
        Outcome::new(outputs, memory, texels, discarded, self.env.lanes as u32, steps)
    }

    fn component(&self, owner: Owner, slot: Slot, unit: u32, index: u8) -> Component {
        let lane = match owner {
            Owner::Lane(l) => l as u32,
            Owner::Vertex(n) | Owner::Primitive(n) => n,
            Owner::Patch => 0,
        };
        let (slot, unit) = self.env.component(slot, unit);
        Component { lane, vertex: 0, slot, unit, index }
    }
}

impl World for Seeded {
    const WAITS: bool = false;
    const COMPARED: bool = true;

    fn system_value(&self, lane: usize, sv: SystemValue) -> Result<Lanes, Fault> {
        Ok(self.env.system_value(lane, sv))
    }

    fn input(&self, lane: usize, slot: Slot, unit: u32, vertex: Option<u64>, scalar: Scalar) -> Bits {
        (self.env.input(lane, slot, unit, vertex, scalar), false)
    }

    fn interpolated(&self, _lane: usize, slot: Slot, unit: u32, bits: u32, weights: [f64; 2]) -> Bits {
        (self.env.interpolated(slot, unit, bits, weights), false)
    }

    fn barycentric(&self, lane: usize, at: Location, interpolation: Interpolation) -> [f64; 2] {
        self.env.barycentric(lane, at, interpolation)
    }

    fn sample_position(&self, sample: u64) -> [u64; 2] {
        self.env.sample_position(sample)
    }

    fn clock(&mut self, _steps: u64) -> Option<u64> {
        None
    }

    fn pixels(&self) -> &[PixelLocation] {
        &[]
    }

    fn set_output(&mut self, owner: Owner, slot: Slot, unit: u32, index: u8, cell: Cell) {
        self.outputs.insert(self.component(owner, slot, unit, index), cell);
    }

    fn output(&self, owner: Owner, slot: Slot, unit: u32, index: u8, _bits: u32) -> Bits {
        let cell = self.outputs.get(&self.component(owner, slot, unit, index));
        cell.map_or((0, true), |c| (c.bits, c.undef))
    }

    fn lose_outputs(&mut self) {
        self.outputs.values_mut().for_each(|c| c.undef = true);
    }

    fn emit(&mut self, lane: usize, stream: u32, vertex: bool) {
        self.emitted[lane] += 1;
        let emitted = self.emitted[lane];
        let of = |vertex, slot, unit, index| Component { lane: lane as u32, vertex, slot, unit, index };
        let kind = Cell { bits: u64::from(vertex), scalar: Scalar::Uint32, undef: false };
        self.outputs.insert(of(emitted, END, stream, 0), kind);
        if !vertex {
            return;
        }
        let current = of(0, 0, 0, 0)..of(1, 0, 0, 0);
        let stored: Vec<_> = self.outputs.range(current).map(|(k, c)| (*k, *c)).collect();
        for (k, cell) in stored {
            self.outputs.remove(&k);
            self.outputs.insert(Component { vertex: emitted, ..k }, cell);
        }
    }

    fn set_mesh_size(&mut self, size: [Bits; 3]) {
        for (c, &(bits, undef)) in size.iter().enumerate() {
            let key = Component { lane: 0, vertex: 0, slot: END, unit: c as u32, index: 0 };
            self.outputs.insert(key, Cell { bits, scalar: Scalar::Uint32, undef });
        }
    }

    fn texture(
        &self,
        call: &TexCall<'_>,
        regs: &Registers,
        memory: &Memory,
        active: u64,
        lane: usize,
    ) -> Result<Value, Fault> {
        Ok(texture::Textures { env: &self.env, regs, memory, active }.sample(call, lane))
    }

    fn image(
        &mut self,
        call: &ImageCall<'_>,
        regs: &Registers,
        memory: &mut Memory,
        lane: usize,
        effects: bool,
    ) -> Result<Option<Value>, Fault> {
        self.images.execute(call, regs, memory, lane, effects)
    }
}
