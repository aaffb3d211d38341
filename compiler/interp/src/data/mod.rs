//! The world that callers provide: inputs, system values, resources and outputs.
//!
//! * `inputs.rs`: values of vertices, barycentric coordinates. `texture.rs`: operands of texture instructions.
//! * `image.rs`: storage images. `bind.rs`: resources and the variables that show them.

mod bind;
mod image;
mod inputs;
pub(crate) mod texture;

pub(crate) use inputs::{Corner, Inputs, PixelPlace, interpolate, weights};

use crate::Fault;
use crate::interface::{Emitted, Owner};
use crate::resources::Binding;
use crate::texture::{Image, Sampler};
use crate::values::{System, Values};
use airfoil_ir::{Lanes, SystemValue};

/// The inputs that callers provide for a group of invocations, and its outputs.
#[derive(Debug, Default)]
pub(crate) struct Data {
    pub(crate) inputs: Inputs,
    /// System values that the shader reads.
    used: Vec<SystemValue>,
    /// By number of the system value, then lane.
    system: Vec<Option<Lanes>>,
    lanes: usize,
    pub(crate) images: Vec<Image>,
    pub(crate) samplers: Vec<Sampler>,
    /// What each object of the memory shows.
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
    pub(crate) mesh_count: [u32; 3],
    /// Steps of the groups before, and the last time that was read.
    pub(crate) clock: u64,
    pub(crate) last_time: u64,
}

impl Data {
    pub(crate) fn new(used: Vec<SystemValue>, lanes: usize) -> Data {
        let system = vec![None; SystemValue::ALL.len() * lanes];
        let lane_outputs = vec![Values::new(); lanes];
        Data { used, system, lanes, lane_outputs, ..Data::default() }
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
        self.mesh_count = [0; 3];
    }

    /// Sets the system values of a lane: its own, those of all, or what follows from others.
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

    /// The system values of all lanes, by number and lane.
    pub(crate) fn take_system(&self) -> Vec<Option<Lanes>> {
        self.used
            .iter()
            .flat_map(|&sv| &self.system[sv as usize * self.lanes..][..self.lanes])
            .copied()
            .collect()
    }

    /// Brings back what [`Data::take_system`] gave.
    pub(crate) fn put_system(&mut self, values: &[Option<Lanes>]) {
        for (&sv, values) in self.used.iter().zip(values.chunks(self.lanes.max(1))) {
            self.system[sv as usize * self.lanes..][..self.lanes].copy_from_slice(values);
        }
    }

    pub(crate) fn system_value(&self, lane: usize, sv: SystemValue) -> Result<Lanes, Fault> {
        let value = self.system.get(sv as usize * self.lanes + lane).copied().flatten();
        value.ok_or_else(|| Fault::unsupported(format!("the system value `{}` was not given", sv.name())))
    }

    pub(crate) fn sample_position(&self, sample: u64) -> [f32; 2] {
        self.sample_positions.get(sample as usize & 0xffff).copied().unwrap_or([0.5, 0.5])
    }

    pub(crate) fn output(&mut self, owner: Owner) -> Option<&mut Values> {
        match owner {
            Owner::Lane(lane) => self.lane_outputs.get_mut(lane),
            Owner::Vertex(n) => self.vertices.get_mut(n as usize),
            Owner::Primitive(n) => self.primitives.get_mut(n as usize),
            Owner::Patch => Some(&mut self.patch),
        }
    }

    pub(crate) fn output_value(&self, owner: Owner) -> Option<&Values> {
        match owner {
            Owner::Lane(lane) => self.lane_outputs.get(lane),
            Owner::Vertex(n) => self.vertices.get(n as usize),
            Owner::Primitive(n) => self.primitives.get(n as usize),
            Owner::Patch => Some(&self.patch),
        }
    }

    pub(crate) fn emit(&mut self, lane: usize, stream: u32, vertex: bool) {
        let vertex = vertex.then(|| self.lane_outputs.get(lane).cloned().unwrap_or_default());
        self.emitted.push(Emitted { lane, stream, vertex });
    }
}

/// System values that are zero unless something else is said.
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
