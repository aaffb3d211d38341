//! Object and mesh functions: threadgroups that give payloads and meshes, with values by slot as in the interpreter.

use super::bind::Bindings;
use super::compile::Function;
use super::kernel::Launch;
use super::program::Program;
use super::run::Running;
use super::stages::slot_of;
use crate::Config;
use crate::entry::{MeshShape, Role};
use crate::library::mesh::{Made, Part};
use airfoil_interp::run::{Mesh, Task};
use airfoil_interp::{Resources, Values};
use airfoil_ir::Slot;

/// Memory of a payload.
struct Payload {
    memory: Vec<u128>,
    size: usize,
}

impl Payload {
    /// With these bytes at the start.
    fn new(size: usize, bytes: &[u8]) -> Payload {
        let mut memory = vec![0u128; size.div_ceil(16).max(1)];
        let whole = bytes.len().min(size);
        for (word, chunk) in memory.iter_mut().zip(bytes[..whole].chunks(16)) {
            let mut raw = [0; 16];
            raw[..chunk.len()].copy_from_slice(chunk);
            *word = u128::from_le_bytes(raw);
        }
        Payload { memory, size }
    }

    fn take(&mut self) -> Vec<u8> {
        let mut bytes: Vec<u8> = self.memory.iter().flat_map(|w| w.to_le_bytes()).collect();
        bytes.truncate(self.size);
        self.memory.fill(0);
        bytes
    }
}

impl Function {
    /// Bytes of the payload.
    fn payload_size(&self) -> usize {
        let size = |role: &Role| if let Role::Payload(size) = role { Some(*size) } else { None };
        self.entry().arguments.iter().find_map(|a| size(&a.role)).unwrap_or(0)
    }

    /// Runs an object function; returns the mesh grid of each threadgroup, x fastest.
    ///
    /// # Errors
    /// As [`Function::kernel`].
    pub fn objects(
        &self,
        resources: &mut Resources,
        bindings: &Bindings,
        launch: Launch,
        config: &Config,
    ) -> Result<Vec<Task>, String> {
        self.is("object")?;
        let mut payload = Payload::new(self.payload_size(), &[]);
        let address = (payload.memory.as_mut_ptr() as usize, payload.memory.len() * 16);
        let mut out = Vec::new();
        let handles = |running: &mut Running<'_, '_>| running.give_handles(address);
        self.threadgroups(resources, bindings, launch, config, handles, |running| {
            let made = std::mem::take(&mut running.world.made);
            out.push(Task { groups: made.grid, payload: payload.take() });
            Ok(())
        })?;
        Ok(out)
    }

    /// Runs a mesh function with the payload of its object function; returns the mesh of each threadgroup, x fastest.
    ///
    /// # Errors
    /// As [`Function::kernel`]; more vertices or primitives than the function declares.
    pub fn meshes(
        &self,
        resources: &mut Resources,
        bindings: &Bindings,
        launch: Launch,
        payload: &[u8],
        config: &Config,
    ) -> Result<Vec<Mesh>, String> {
        self.is("mesh")?;
        let shape = |role: &Role| if let Role::Mesh(shape) = role { Some(shape.clone()) } else { None };
        let shape = self.entry().arguments.iter().find_map(|a| shape(&a.role));
        let shape = shape.ok_or_else(|| format!("`{}` has no mesh", self.entry().name))?;
        let mut payload = Payload::new(self.payload_size(), payload);
        let address = (payload.memory.as_mut_ptr() as usize, payload.memory.len() * 16);
        let mut out = Vec::new();
        let handles = |running: &mut Running<'_, '_>| running.give_handles(address);
        self.threadgroups(resources, bindings, launch, config, handles, |running| {
            out.push(mesh(&shape, &std::mem::take(&mut running.world.made))?);
            Ok(())
        })?;
        Ok(out)
    }
}

impl Program<'_> {
    /// Runs task workgroups; returns the mesh grid of each.
    ///
    /// # Errors
    /// Faults of the shader, or of the bindings.
    pub fn tasks(&self, resources: &mut Resources, groups: [u32; 3]) -> Result<Vec<Task>, String> {
        let launch = Launch { groups, threads: self.threads() };
        self.bound(resources, |function, resources, bindings| {
            function.objects(resources, bindings, launch, self.config())
        })
    }

    /// Runs mesh workgroups, all with the payload of their task.
    ///
    /// # Errors
    /// Faults of the shader, or of the bindings.
    pub fn meshes(
        &self,
        resources: &mut Resources,
        groups: [u32; 3],
        payload: &[u8],
    ) -> Result<Vec<Mesh>, String> {
        let launch = Launch { groups, threads: self.threads() };
        self.bound(resources, |function, resources, bindings| {
            function.meshes(resources, bindings, launch, payload, self.config())
        })
    }
}

/// The mesh of a threadgroup, without the vertices and primitives beyond its primitive count.
fn mesh(shape: &MeshShape, made: &Made) -> Result<Mesh, String> {
    if made.primitives > shape.max_primitives {
        return Err(format!("a mesh of {} primitives, of at most {}", made.primitives, shape.max_primitives));
    }
    let mut mesh = Mesh::default();
    mesh.primitives.resize(made.primitives as usize, Values::new());
    for (n, primitive) in (0..).zip(&mut mesh.primitives) {
        for c in 0..shape.arity {
            let vertex = made.indices.get(&(n * shape.arity + c)).copied().unwrap_or(0);
            if vertex >= shape.max_vertices {
                return Err(format!("a mesh has no vertex {vertex}, of at most {}", shape.max_vertices));
            }
            primitive.set_of_source(Slot::PRIMITIVE_INDICES, 0, c, vertex);
            let count = mesh.vertices.len().max(vertex as usize + 1);
            mesh.vertices.resize(count, Values::new());
        }
    }
    for (&(part, number), words) in &made.values {
        let place = |names: &[String], n: u32| names.get(n as usize).and_then(|name| slot_of(name));
        let (of_primitive, place) = match part {
            Part::Position => (false, Some((Slot::POSITION, 0))),
            Part::PointSize => (false, Some((Slot::POINT_SIZE, 0))),
            Part::Clip(n) => (false, Some((Slot::CLIP_DIST0, n))),
            Part::VertexData(n) => (false, place(&shape.vertex_data, n)),
            Part::PrimitiveData(n) => (true, place(&shape.primitive_data, n)),
            Part::PrimitiveId => (true, Some((Slot::PRIMITIVE_ID, 0))),
            Part::Layer => (true, Some((Slot::LAYER, 0))),
            Part::Viewport => (true, Some((Slot::VIEWPORT, 0))),
            Part::Culled => (true, Some((Slot::CULL_PRIMITIVE, 0))),
        };
        let Some((slot, first)) = place else {
            return Err(format!("the mesh has no {part:?}"));
        };
        let list = if of_primitive { &mut mesh.primitives } else { &mut mesh.vertices };
        let Some(values) = list.get_mut(number as usize) else { continue };
        for (c, &word) in (first..).zip(words) {
            let slot = slot.offset(c / 4).unwrap_or(slot);
            values.set_of_source(slot, 0, c % 4, word);
        }
    }
    Ok(mesh)
}

impl Running<'_, '_> {
    /// Gives the payload its memory, and the other handles a value.
    fn give_handles(&mut self, payload: (usize, usize)) {
        self.world.allow(std::iter::once(payload));
        let function = self.function;
        for (n, argument) in function.entry().arguments.iter().enumerate() {
            match argument.role {
                Role::Payload(_) => self.give(n, payload.0 as u64),
                Role::Mesh(_) | Role::MeshGrid => self.give(n, 1),
                _ => {}
            }
        }
    }
}
