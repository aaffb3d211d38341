//! Inputs, resources and outputs of a group of invocations.

use super::inputs::{Inputs, shown_system_value};
use crate::resources::Binding;
use crate::texture::{Image, Sampler};
use crate::values::{System, Values};
use crate::world::Bits;
use crate::world::output::Owner;
use airfoil_ir::{Lanes, Slot, Stage, SystemValue};

/// A vertex that a geometry shader emitted, or the end of a primitive.
#[derive(Clone, Debug)]
pub(crate) struct Emitted {
    pub(crate) lane: usize,
    pub(crate) stream: u32,
    /// `None` ends the primitive.
    pub(crate) vertex: Option<Values>,
}

/// The inputs that callers provide for a group of invocations, and its outputs.
#[derive(Debug)]
pub(crate) struct Given {
    pub(super) stage: Stage,
    /// Accesses out of bounds have a defined effect.
    pub(super) robust: bool,
    pub(crate) inputs: Inputs,
    /// System values that the shader reads.
    used: Vec<SystemValue>,
    /// By system value, then lane.
    system: Vec<Option<Lanes>>,
    lanes: usize,
    pub(crate) images: Vec<Image>,
    pub(crate) samplers: Vec<Sampler>,
    /// The binding of each object of the memory.
    pub(crate) bound: Vec<Option<Binding>>,
    /// Positions of samples in the pixel.
    pub(crate) sample_positions: Vec<[f32; 2]>,
    /// Outputs of each lane, of vertices of a patch or mesh, of its primitives, and of the patch.
    pub(crate) lane_outputs: Vec<Values>,
    pub(crate) vertices: Vec<Values>,
    pub(crate) primitives: Vec<Values>,
    pub(crate) patch: Values,
    pub(crate) emitted: Vec<Emitted>,
    /// Vertices and primitives of a mesh, or mesh workgroups of a task.
    pub(crate) mesh_size: [u32; 3],
    /// Steps of the groups before, and the last time that was read.
    pub(crate) clock: u64,
    pub(crate) last_time: u64,
}

impl Given {
    pub(crate) fn new(stage: Stage, robust: bool, lanes: usize) -> Given {
        let system = vec![None; SystemValue::ALL.len() * lanes];
        let lane_outputs = vec![Values::new(); lanes];
        Given {
            stage,
            robust,
            inputs: Inputs::default(),
            used: Vec::new(),
            system,
            lanes,
            images: Vec::new(),
            samplers: Vec::new(),
            bound: Vec::new(),
            sample_positions: Vec::new(),
            lane_outputs,
            vertices: Vec::new(),
            primitives: Vec::new(),
            patch: Values::new(),
            emitted: Vec::new(),
            mesh_size: [0; 3],
            clock: 0,
            last_time: 0,
        }
    }

    /// Declares the system values that the shader reads; [`Given::set_system`] sets no others.
    pub(crate) fn declare_system_values(&mut self, used: Vec<SystemValue>) {
        self.used = used;
    }

    /// Forgets all outputs; there are `vertices` and `primitives` of a patch or mesh.
    pub(crate) fn restart(&mut self, vertices: usize, primitives: usize) {
        self.lane_outputs.iter_mut().for_each(Values::clear);
        self.vertices.clear();
        self.vertices.resize(vertices, Values::new());
        self.primitives.clear();
        self.primitives.resize(primitives, Values::new());
        self.patch.clear();
        self.emitted.clear();
        self.mesh_size = [0; 3];
    }

    /// Sets the system values of a lane: its own, those of all, or values computed from others.
    pub(crate) fn set_system(
        &mut self,
        lane: usize,
        own: &System,
        common: &System,
        derive: impl Fn(SystemValue) -> Option<Lanes>,
    ) {
        for &sv in &self.used {
            let value = own.get(sv).or_else(|| common.get(sv)).or_else(|| derive(sv));
            self.system[sv as usize * self.lanes + lane] = value.or_else(|| default(sv));
        }
    }

    /// The system values of all lanes, by index and lane.
    pub(crate) fn take_system(&self) -> Vec<Option<Lanes>> {
        self.used
            .iter()
            .flat_map(|&sv| &self.system[sv as usize * self.lanes..][..self.lanes])
            .copied()
            .collect()
    }

    /// Restores the values from [`Given::take_system`].
    pub(crate) fn put_system(&mut self, values: &[Option<Lanes>]) {
        for (&sv, values) in self.used.iter().zip(values.chunks(self.lanes.max(1))) {
            self.system[sv as usize * self.lanes..][..self.lanes].copy_from_slice(values);
        }
    }

    /// Position of a sample in its pixel, 0 to 1; the centre if the pixel has no such sample.
    pub(crate) fn position_of_sample(&self, sample: u64) -> [f32; 2] {
        self.sample_positions.get(sample as usize & 0xffff).copied().unwrap_or([0.5, 0.5])
    }

    /// The binding of an object of the memory.
    pub(super) fn binding(&self, object: u32) -> Option<&Binding> {
        self.bound.get(object as usize)?.as_ref()
    }

    /// Pixel of a lane's fragment.
    pub(super) fn pixel(&self, lane: usize) -> [i64; 2] {
        let pixel = self.inputs.pixels.get(lane);
        pixel.map_or([0; 2], |p| p.centre.map(|x| x.floor() as i64))
    }

    pub(super) fn values(&self, owner: Owner) -> Option<&Values> {
        match owner {
            Owner::Lane(lane) => self.lane_outputs.get(lane),
            Owner::Vertex(n) => self.vertices.get(n as usize),
            Owner::Primitive(n) => self.primitives.get(n as usize),
            Owner::Patch => Some(&self.patch),
        }
    }

    pub(super) fn values_mut(&mut self, owner: Owner) -> Option<&mut Values> {
        match owner {
            Owner::Lane(lane) => self.lane_outputs.get_mut(lane),
            Owner::Vertex(n) => self.vertices.get_mut(n as usize),
            Owner::Primitive(n) => self.primitives.get_mut(n as usize),
            Owner::Patch => Some(&mut self.patch),
        }
    }

    /// Bits of an input that is not interpolated.
    pub(super) fn input_bits(
        &self,
        lane: usize,
        slot: Slot,
        unit: u32,
        vertex: Option<u64>,
        bits: u32,
    ) -> Bits {
        let found = self.inputs.flat(lane, slot, unit, vertex, bits);
        if !found.1 || vertex.is_some() {
            return found;
        }
        let system = shown_system_value(slot).and_then(|sv| self.system(lane, sv));
        system.map_or(found, |lanes| (lanes[unit as usize & 3], false))
    }

    /// A system value of a lane; `None` if it was not given.
    pub(super) fn system(&self, lane: usize, sv: SystemValue) -> Option<Lanes> {
        self.system.get(sv as usize * self.lanes + lane).copied().flatten()
    }
}

/// System values that are zero unless they are given.
fn default(sv: SystemValue) -> Option<Lanes> {
    use SystemValue as S;
    let zero = matches!(
        sv,
        S::base_vertex
            | S::base_instance
            | S::instance_id
            | S::draw_id
            | S::view_index
            | S::device_index
            | S::layer_id
            | S::viewport_id
            | S::sample_id
            | S::helper_invocation
    );
    zero.then_some([0; 4])
}
