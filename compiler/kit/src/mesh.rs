//! Meshes as the vertices of a draw: the output of object and mesh functions goes to the rasteriser unchanged.

use airfoil::interp::pipeline::{Stages, Topology};
use airfoil::interp::run::{FragmentBatch, FragmentOutput, IoVar, Mesh, Vertex};
use airfoil::interp::{Fault, FaultKind, Resources, System, Values};
use airfoil::ir::{Modes, Primitive, Slot, Type};
use airfoil::{Shader, Stage};

/// The vertices of all primitives, each with vertices of its own, which have the values of the primitive, too.
pub fn vertices(meshes: &[Mesh], topology: Topology) -> Vec<Vertex> {
    let corners = match topology {
        Topology::Points => 1,
        Topology::Lines => 2,
        _ => 3,
    };
    let mut list = Vec::new();
    for mesh in meshes {
        for primitive in &mesh.primitives {
            if primitive.get(Slot::CULL_PRIMITIVE, 0).is_some_and(|culled| culled != 0) {
                continue;
            }
            for corner in 0..corners {
                let index = primitive.get(Slot::PRIMITIVE_INDICES, corner).unwrap_or(0) as usize;
                let mut inputs = mesh.vertices.get(index).cloned().unwrap_or_default();
                for (slot, source, words, mask) in primitive.iter() {
                    if matches!(slot, Slot::PRIMITIVE_INDICES | Slot::CULL_PRIMITIVE) {
                        continue;
                    }
                    for c in (0..4).filter(|c| mask >> c & 1 != 0) {
                        inputs.set_of_source(slot, source, c, words[c as usize]);
                    }
                }
                list.push(Vertex { inputs, system: System::new() });
            }
        }
    }
    list
}

/// The topology of the primitives of a mesh shader.
pub fn topology(shader: &Shader) -> Topology {
    match shader.info.output_primitive {
        Primitive::Points => Topology::Points,
        Primitive::Lines => Topology::Lines,
        _ => Topology::Triangles,
    }
}

/// A stage that passes on the vertices of a mesh shader. The rasteriser queries it for the number of clip distances.
#[derive(Debug)]
pub struct Ready(Shader);

impl Ready {
    /// For the meshes of a shader.
    pub fn of(mesh: &Shader) -> Ready {
        let mut shader = mesh.clone();
        shader.stage = Stage::Vertex;
        let clip =
            shader.vars.values().find(|v| v.mode == Modes::OUT && v.location == Some(Slot::CLIP_DIST0));
        if let Some(Type::Array { elem, .. }) = clip.map(|v| &shader.types[v.ty]) {
            shader.info.clip_distances = shader.types.num_elements(*elem).unwrap_or(0) as u8;
        }
        Ready(shader)
    }
}

fn unsupported() -> Fault {
    let message = "the vertices of a mesh are ready".to_owned();
    Fault { kind: FaultKind::Unsupported, message, instruction: None, line: None }
}

impl Stages for Ready {
    fn shader(&self) -> &Shader {
        &self.0
    }

    fn inputs(&self) -> &[IoVar] {
        &[]
    }

    fn outputs(&self) -> &[IoVar] {
        &[]
    }

    fn vertex(&mut self, _: &mut Resources, _: &System, vertices: &[Vertex]) -> Result<Vec<Values>, Fault> {
        Ok(vertices.iter().map(|v| v.inputs.clone()).collect())
    }

    fn fragment(
        &mut self,
        _: &mut Resources,
        _: &FragmentBatch<'_>,
    ) -> Result<Vec<[FragmentOutput; 4]>, Fault> {
        Err(unsupported())
    }

    fn compute(&mut self, _: &mut Resources, _: &System, _: [u32; 3]) -> Result<(), Fault> {
        Err(unsupported())
    }
}
