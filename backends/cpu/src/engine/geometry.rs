//! Geometry shaders as mesh functions: the vertices of primitives are written to a buffer, and meshes become
//! primitives.

use super::kernel::Launch;
use super::program::Program;
use airfoil_interp::run::{GeometryPrimitive, Mesh, Stream};
use airfoil_interp::{Binding, Resources, Values};
use airfoil_ir::{Shader, Slot, SystemValue};
use airfoil_passes::stages::geometry_to_mesh::input_size;
use airfoil_passes::stages::stage_buffer::{RecordLayout, SET, SLOT_BYTES, StageBuffer};

/// Layout of the vertices of a geometry shader in their buffer, and form of its primitives.
#[derive(Debug)]
pub(super) struct Geometry {
    layout: RecordLayout,
    /// Vertices of a primitive that is taken.
    size: usize,
    invocations: usize,
    first_provokes: bool,
}

/// The ID of a primitive: after tessellation the index of its patch.
fn number(p: &GeometryPrimitive<'_>) -> u64 {
    p.system.get(SystemValue::primitive_id).map_or(0, |n| n[0])
}

impl Geometry {
    /// Of a geometry shader that was compiled to a mesh function.
    pub(super) fn new(shader: &Shader, layout: RecordLayout, first_provokes: bool) -> Geometry {
        Geometry {
            layout,
            size: input_size(shader.info.input_primitive).unwrap_or(1) as usize,
            invocations: shader.info.invocations.max(1) as usize,
            first_provokes,
        }
    }

    /// The vertices of primitives, one after the other, as the vertex stage writes them.
    fn records(&self, primitives: &[GeometryPrimitive<'_>]) -> Vec<u8> {
        let mut bytes =
            Vec::with_capacity(primitives.len() * self.size * self.layout.record_bytes() as usize);
        for primitive in primitives {
            for n in 0..self.size {
                let start = bytes.len();
                bytes.resize(start + self.layout.record_bytes() as usize, 0);
                let Some(vertex) = primitive.vertices.get(n) else { continue };
                for (slot, offset) in self.layout.iter() {
                    if slot == Slot::PRIMITIVE_ID {
                        let at = start + offset as usize;
                        bytes[at..at + 4].copy_from_slice(&(number(primitive) as u32).to_le_bytes());
                        continue;
                    }
                    for c in 0..SLOT_BYTES / 4 {
                        let at = start + (offset + 4 * c) as usize;
                        let word = vertex.get(slot, c).unwrap_or(0);
                        bytes[at..at + 4].copy_from_slice(&word.to_le_bytes());
                    }
                }
            }
        }
        bytes
    }

    /// Appends the primitives of a mesh to a stream, each for itself and in the order of the source's strips.
    fn append(&self, mesh: &Mesh, to: &mut Stream) {
        for primitive in &mesh.primitives {
            let corners: Vec<u32> =
                (0..).map_while(|c| primitive.get(Slot::PRIMITIVE_INDICES, c)).take(3).collect();
            let mut strip: Vec<Values> = corners
                .iter()
                .filter_map(|&v| mesh.vertices.get(v as usize))
                .map(|vertex| {
                    let mut values = vertex.clone();
                    for slot in [Slot::PRIMITIVE_ID, Slot::LAYER, Slot::VIEWPORT] {
                        if let Some(word) = primitive.get(slot, 0) {
                            values.set_of_source(slot, 0, 0, word);
                        }
                    }
                    values
                })
                .collect();
            // The provoking vertex comes first in a mesh.
            if !self.first_provokes && !strip.is_empty() {
                strip.rotate_left(1);
            }
            to.primitives.push(strip);
        }
    }
}

impl Program<'_> {
    /// Runs a geometry shader on primitives; returns the streams of each.
    ///
    /// # Errors
    /// Faults of the shader, or of the bindings.
    pub fn geometry(
        &self,
        resources: &mut Resources,
        primitives: &[GeometryPrimitive<'_>],
    ) -> Result<Vec<[Stream; 4]>, String> {
        let Some(geometry) = self.geometry_stage() else {
            return Err("this is not a geometry shader".to_owned());
        };
        let mut out = vec![<[Stream; 4]>::default(); primitives.len()];
        if primitives.is_empty() {
            return Ok(out);
        }
        let numbered = geometry.layout.offset(Slot::PRIMITIVE_ID).is_some();
        if !numbered && (0..).zip(primitives).any(|(n, p)| number(p) != n) {
            return Err("primitives that do not count up from 0 cannot be executed as meshes yet".to_owned());
        }
        let records = geometry.records(primitives);
        let groups = [(primitives.len() * geometry.invocations) as u32, 1, 1];
        let meshes = self.bound(resources, |function, resources, bindings| {
            let mut bindings = bindings.clone();
            if let Some(index) = self.buffer_index(SET, StageBuffer::Vertices.binding()) {
                let buffer = resources.add_buffer(records);
                bindings.buffers.insert(index, Binding::Buffer { buffer, offset: 0, size: None });
            }
            let launch = Launch { groups, threads: [1; 3] };
            function.meshes(resources, &bindings, launch, &[], self.config())
        })?;
        for (streams, meshes) in out.iter_mut().zip(meshes.chunks(geometry.invocations)) {
            meshes.iter().for_each(|mesh| geometry.append(mesh, &mut streams[0]));
        }
        Ok(out)
    }
}
