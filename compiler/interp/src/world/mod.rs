//! The world around a group of invocations: its inputs, system values and resources, and the destination of its outputs.
//!
//! There are two: [`seeded`] derives everything from a seed, so that two executions can be compared; [`given`] holds the
//! inputs and resources of a caller. Operations are generic over [`World`], so that neither costs a test per lane.

pub(crate) mod given;
pub(crate) mod location;
pub(crate) mod output;
pub(crate) mod seeded;

use crate::fault::Fault;
use crate::machine::registers::{Reg, Registers};
use crate::memory::{Memory, Value};
use airfoil_ir::{Interpolation, Intrinsic, Lanes, Scalar, Slot, SystemValue, Tex, TexSrc, Ty};
use location::{Location, PixelLocation};
use output::{Cell, Owner};

/// Bits of a component, and whether they are undefined.
pub(crate) type Bits = (u64, bool);

/// A texture instruction.
pub(crate) struct TexCall<'a> {
    pub(crate) tex: &'a Tex,
    pub(crate) srcs: &'a [(TexSrc, Reg)],
    /// Shape of the result.
    pub(crate) ty: Ty,
}

/// An instruction on a storage image.
pub(crate) struct ImageCall<'a> {
    pub(crate) intrinsic: &'a Intrinsic,
    /// Image, coordinates, sample and data.
    pub(crate) srcs: &'a [Reg; 4],
    /// Shape of the result.
    pub(crate) ty: Ty,
}

/// The world around a group of invocations.
///
/// A component of a slot is counted in units of 32 bits; numbers of 64 bits take two.
pub(crate) trait World {
    /// Whether the groups of a workgroup wait for each other at barriers. If not, a group is alone, and a barrier only
    /// orders its memory.
    const WAITS: bool;

    /// Whether the outputs are compared with those of another execution: undefined ones are left out, and variables are
    /// undefined after `emit_vertex`.
    const COMPARED: bool;

    /// A system value of a lane.
    ///
    /// # Errors
    /// The system value was not given.
    fn system_value(&self, lane: usize, sv: SystemValue) -> Result<Lanes, Fault>;

    /// A component of an input that is not interpolated; `vertex` is the index of the vertex for arrayed inputs.
    fn input(&self, lane: usize, slot: Slot, unit: u32, vertex: Option<u64>, scalar: Scalar) -> Bits;

    /// A component of an input, interpolated at the given weights of the second and third vertex.
    fn interpolated(&self, lane: usize, slot: Slot, unit: u32, bits: u32, weights: [f64; 2]) -> Bits;

    /// Weights of the second and third vertex of the primitive at a position of the lane's pixel.
    fn barycentric(&self, lane: usize, at: Location, interpolation: Interpolation) -> [f64; 2];

    /// Position of a sample in its pixel, 0 to 1: bits of two 32-bit floats.
    fn sample_position(&self, sample: u64) -> [u64; 2];

    /// The time at which a group has executed `steps` instructions; `None` if time is undefined.
    fn clock(&mut self, steps: u64) -> Option<u64>;

    /// Locations of the fragments of all lanes; empty in other stages.
    fn pixels(&self) -> &[PixelLocation];

    /// Writes a component of an output.
    fn set_output(&mut self, owner: Owner, slot: Slot, unit: u32, index: u8, cell: Cell);

    /// Reads a component of an output that was written before.
    fn output(&self, owner: Owner, slot: Slot, unit: u32, index: u8, bits: u32) -> Bits;

    /// An output was written whose owner is undefined.
    fn lose_outputs(&mut self);

    /// Emits the lane's outputs as a vertex, or ends the primitive.
    fn emit(&mut self, lane: usize, stream: u32, vertex: bool);

    /// Sets the numbers of vertices and primitives of the mesh, or of mesh workgroups to launch, which may be undefined.
    fn set_mesh_size(&mut self, size: [Bits; 3]);

    /// Executes a texture instruction for a lane.
    ///
    /// # Errors
    /// Unsupported or undefined accesses.
    fn texture(
        &self,
        call: &TexCall<'_>,
        regs: &Registers,
        memory: &Memory,
        active: u64,
        lane: usize,
    ) -> Result<Value, Fault>;

    /// Executes an instruction on a storage image for a lane, which only has `effects` if it is not a helper. Returns the
    /// result, if the instruction has one.
    ///
    /// # Errors
    /// Unsupported or undefined accesses.
    fn image(
        &mut self,
        call: &ImageCall<'_>,
        regs: &Registers,
        memory: &mut Memory,
        lane: usize,
        effects: bool,
    ) -> Result<Option<Value>, Fault>;
}
