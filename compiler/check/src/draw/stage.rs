//! Stages of a draw as they are, or as the kernels and mesh shaders that they became.

use super::records::{Format, bind};
use airfoil_interp::pipeline::Stages;
use airfoil_interp::run::{
    FragmentBatch, FragmentOutput, GeometryPrimitive, IoVar, Mesh, Patch, Stream, TessPoint, Vertex,
};
use airfoil_interp::{Config, Fault, Program, Resources, System, Values};
use airfoil_ir::{Modes, Shader, Slot, Stage, SystemValue};
use airfoil_passes::stages::geometry_to_mesh::input_size;
use airfoil_passes::stages::stage_buffer::{Part, RecordLayout, StageBuffer};
use airfoil_passes::stages::tess_eval_inputs_from_buffers::patch_inputs;
use airfoil_passes::{OptionValue, PassStep};

/// What became of a stage.
#[derive(Clone, Debug)]
pub(super) enum Lowering {
    /// It is executed as such.
    None,
    /// A vertex shader is a kernel that writes records.
    VertexKernel { outputs: Format },
    /// A control shader is a kernel that reads and writes records.
    ControlKernel { inputs: Format, outputs: Format, patches: Format },
    /// An evaluation shader is a kernel that reads and writes records.
    EvaluationKernel { points: Format, patches: Format, outputs: Format },
    /// An evaluation shader reads records.
    EvaluationFromBuffers { points: Format, patches: Format },
    /// A geometry shader is a mesh shader that reads records.
    Mesh { inputs: Format, first_provokes: bool },
}

impl Lowering {
    /// Whether a pass lowers a stage.
    pub(super) fn is_by(pass: &str) -> bool {
        matches!(
            pass,
            "vertex_outputs_to_buffer"
                | "tess_control_to_kernel"
                | "tess_eval_to_kernel"
                | "tess_eval_inputs_from_buffers"
                | "geometry_to_mesh"
        )
    }

    /// The convention of provoking vertices that a mesh shader was lowered with.
    pub(super) fn first_provokes(&self) -> Option<bool> {
        match self {
            Lowering::Mesh { first_provokes, .. } => Some(*first_provokes),
            _ => None,
        }
    }

    /// The effect of a pass on a shader.
    fn by(step: &PassStep, shader: &Shader) -> Option<Lowering> {
        let options = step.pass().options();
        let option = |key| options.iter().find(|(name, _)| *name == key).map(|(_, value)| value.as_str());
        let layout = |key, mode, part| {
            let slots = option(key).and_then(|slots| RecordLayout::parse(slots).ok());
            slots.unwrap_or_default().or_declared(shader, mode, part)
        };
        let vertices = |key, mode| Format::new(layout(key, mode, Part::Vertex), shader, mode);
        let patches = || {
            let slots = option("patches").and_then(|slots| RecordLayout::parse(slots).ok());
            slots.unwrap_or_else(|| patch_inputs(shader)).with_levels()
        };
        Some(match &*step.pass().info().name {
            "vertex_outputs_to_buffer" => Lowering::VertexKernel { outputs: vertices("slots", Modes::OUT) },
            "tess_control_to_kernel" => Lowering::ControlKernel {
                inputs: vertices("inputs", Modes::IN),
                outputs: vertices("outputs", Modes::OUT),
                patches: Format::new(
                    layout("patches", Modes::OUT, Part::Patch).with_levels(),
                    shader,
                    Modes::OUT,
                ),
            },
            "tess_eval_to_kernel" => {
                let outputs = layout("outputs", Modes::OUT, Part::Vertex);
                let number = RecordLayout::new([Slot::PRIMITIVE_ID]);
                let numbered = outputs.offset(Slot::PRIMITIVE_ID).is_some();
                let patches = if numbered { patches().union(&number) } else { patches() };
                Lowering::EvaluationKernel {
                    points: vertices("vertices", Modes::IN),
                    patches: Format::new(patches, shader, Modes::IN),
                    outputs: Format::new(outputs, shader, Modes::OUT),
                }
            }
            "tess_eval_inputs_from_buffers" => Lowering::EvaluationFromBuffers {
                points: vertices("vertices", Modes::IN),
                patches: Format::new(patches(), shader, Modes::IN),
            },
            "geometry_to_mesh" => Lowering::Mesh {
                inputs: vertices("slots", Modes::IN),
                first_provokes: option("first_provokes") != Some("false"),
            },
            _ => return None,
        })
    }
}

/// A shader of a program, and the stage that it was.
#[derive(Clone, Debug)]
pub(super) struct StageState {
    /// The shader as it is.
    pub(super) shader: Shader,
    /// The shader before its stage was lowered: its declarations configure the fixed functions.
    pub(super) declared: Shader,
    pub(super) lowering: Lowering,
}

impl StageState {
    pub(super) fn new(shader: Shader) -> StageState {
        StageState { declared: shader.clone(), shader, lowering: Lowering::None }
    }

    /// The state after a pass.
    pub(super) fn after(&self, step: &PassStep, shader: &Shader) -> StageState {
        let lowering = match self.lowering {
            Lowering::None => Lowering::by(step, &self.shader),
            _ => None,
        };
        let lowered = lowering.is_some() || !matches!(self.lowering, Lowering::None);
        StageState {
            shader: shader.clone(),
            declared: if lowered { self.declared.clone() } else { shader.clone() },
            lowering: lowering.unwrap_or_else(|| self.lowering.clone()),
        }
    }

    pub(super) fn prepare(&self, config: &Config) -> Result<StageProgram<'_>, Fault> {
        let program = Program::new(&self.shader, config.clone())?;
        Ok(StageProgram { state: self, program })
    }
}

/// A stage that can be executed.
#[derive(Debug)]
pub(super) struct StageProgram<'a> {
    state: &'a StageState,
    program: Program<'a>,
}

/// Patches of points that follow one another, with the index of the patch of each point.
fn patches_of<'p>(points: &[TessPoint<'p>]) -> (Vec<&'p Patch>, Vec<usize>) {
    let mut patches: Vec<&Patch> = Vec::new();
    let mut of = Vec::with_capacity(points.len());
    for point in points {
        let at = patches.iter().position(|p| std::ptr::eq(*p, point.patch));
        of.push(at.unwrap_or_else(|| {
            patches.push(point.patch);
            patches.len() - 1
        }));
    }
    (patches, of)
}

/// The values of a patch, with the index of its primitive.
fn patch_values(patch: &Patch, number: u64) -> Values {
    let mut values = patch.values.clone();
    values.set(Slot::PRIMITIVE_ID, 0, number as u32);
    values
}

fn number(system: &System) -> u64 {
    system.get(SystemValue::primitive_id).map_or(0, |n| n[0])
}

impl StageProgram<'_> {
    /// Whether the program is a mesh shader of its own.
    pub(super) fn is_mesh(&self) -> bool {
        self.state.declared.stage == Stage::Mesh
    }

    /// The vertices of the meshes of some workgroups, followed by their primitives.
    pub(super) fn meshes(&mut self, resources: &mut Resources) -> Result<Vec<Values>, Fault> {
        let meshes = self.program.mesh(resources, &System::new(), [2, 1, 1], &[])?;
        Ok(meshes.into_iter().flat_map(|mesh| mesh.vertices.into_iter().chain(mesh.primitives)).collect())
    }

    /// Binds the records that an evaluation shader reads; returns the index of the patch of each point.
    fn bind_patches(
        resources: &mut Resources,
        points: &[TessPoint<'_>],
        (vertices, values): (&Format, &Format),
    ) -> Vec<usize> {
        let (patches, of) = patches_of(points);
        let numbered: Vec<Values> = (0..patches.len())
            .map(|n| {
                let point = of.iter().position(|&p| p == n).map(|p| &points[p]);
                patch_values(patches[n], point.map_or(0, |p| number(&p.system)))
            })
            .collect();
        bind(
            resources,
            StageBuffer::ControlPoints,
            vertices.encode(patches.iter().flat_map(|p| &p.vertices)),
        );
        // Without a control shader the points are the vertices.
        bind(resources, StageBuffer::Vertices, vertices.encode(patches.iter().flat_map(|p| &p.vertices)));
        bind(resources, StageBuffer::Patches, values.encode(&numbered));
        of
    }
}

impl Stages for StageProgram<'_> {
    #[allow(clippy::misnamed_getters)] // A lowered stage keeps the declarations of the stage that it was.
    fn shader(&self) -> &Shader {
        &self.state.declared
    }

    fn inputs(&self) -> &[IoVar] {
        self.program.inputs()
    }

    fn outputs(&self) -> &[IoVar] {
        self.program.outputs()
    }

    fn steps(&self) -> u64 {
        self.program.steps()
    }

    fn vertex(
        &mut self,
        resources: &mut Resources,
        common: &System,
        vertices: &[Vertex],
    ) -> Result<Vec<Values>, Fault> {
        let Lowering::VertexKernel { outputs } = &self.state.lowering else {
            return self.program.vertex(resources, common, vertices);
        };
        let room = vec![0; vertices.len() * outputs.record_bytes() as usize];
        let buffer = bind(resources, StageBuffer::Vertices, room);
        let indices = (0..vertices.len() as u32).flat_map(u32::to_le_bytes).collect();
        bind(resources, StageBuffer::Indices, indices);
        let inputs: Vec<&Values> = vertices.iter().map(|v| &v.inputs).collect();
        self.program.kernel(resources, common, [vertices.len() as u32, 1, 1], &inputs)?;
        let bytes = &resources.buffers[buffer].bytes;
        Ok((0..vertices.len()).map(|n| outputs.decode(bytes, n)).collect())
    }

    fn fragment(
        &mut self,
        resources: &mut Resources,
        batch: &FragmentBatch<'_>,
    ) -> Result<Vec<[FragmentOutput; 4]>, Fault> {
        self.program.fragment(resources, batch)
    }

    fn compute(&mut self, resources: &mut Resources, common: &System, groups: [u32; 3]) -> Result<(), Fault> {
        self.program.compute(resources, common, groups)
    }

    fn tess_control(
        &mut self,
        resources: &mut Resources,
        common: &System,
        patches: &[GeometryPrimitive<'_>],
    ) -> Result<Vec<Patch>, Fault> {
        let Lowering::ControlKernel { inputs, outputs, patches: layout } = &self.state.lowering else {
            return self.program.tess_control(resources, common, patches);
        };
        let points = self.state.declared.info.patch_vertices_out.max(1) as usize;
        let given = inputs.encode(patches.iter().flat_map(|p| p.vertices.iter().copied()));
        bind(resources, StageBuffer::Vertices, given);
        let count = patches.len();
        let made = bind(
            resources,
            StageBuffer::ControlPoints,
            vec![0; count * points * outputs.record_bytes() as usize],
        );
        let whole = bind(resources, StageBuffer::Patches, vec![0; count * layout.record_bytes() as usize]);
        // 12 bytes hold the factors of quads, 8 those of triangles.
        bind(resources, StageBuffer::TessFactors, vec![0; count * 12]);
        self.program.compute(resources, common, [count as u32, 1, 1])?;
        let bytes = |n: usize| &resources.buffers[n].bytes;
        let patch = |n: usize| Patch {
            vertices: (0..points).map(|v| outputs.decode(bytes(made), n * points + v)).collect(),
            values: layout.decode(bytes(whole), n),
        };
        Ok((0..count).map(patch).collect())
    }

    fn tess_eval(
        &mut self,
        resources: &mut Resources,
        common: &System,
        points: &[TessPoint<'_>],
    ) -> Result<Vec<Values>, Fault> {
        match &self.state.lowering {
            Lowering::EvaluationFromBuffers { points: vertices, patches } => {
                let of = StageProgram::bind_patches(resources, points, (vertices, patches));
                let empty = Patch::default();
                let alone: Vec<TessPoint<'_>> = points
                    .iter()
                    .zip(of)
                    .map(|(point, patch)| TessPoint {
                        patch: &empty,
                        coord: point.coord,
                        system: point.system.clone().with(SystemValue::patch_id, patch as u64),
                    })
                    .collect();
                self.program.tess_eval(resources, common, &alone)
            }
            Lowering::EvaluationKernel { points: vertices, patches, outputs } => {
                let of = StageProgram::bind_patches(resources, points, (vertices, patches));
                let record = |(point, patch): (&TessPoint<'_>, usize)| {
                    let [u, v, w] = point.coord.map(f32::to_bits);
                    [u, v, w, patch as u32].into_iter().flat_map(u32::to_le_bytes)
                };
                let coords = points.iter().zip(of).flat_map(record).collect();
                bind(resources, StageBuffer::TessPoints, coords);
                let room = vec![0; points.len() * outputs.record_bytes() as usize];
                let buffer = bind(resources, StageBuffer::Vertices, room);
                self.program.compute(resources, common, [points.len() as u32, 1, 1])?;
                let bytes = &resources.buffers[buffer].bytes;
                Ok((0..points.len()).map(|n| outputs.decode(bytes, n)).collect())
            }
            _ => self.program.tess_eval(resources, common, points),
        }
    }

    fn geometry(
        &mut self,
        resources: &mut Resources,
        common: &System,
        primitives: &[GeometryPrimitive<'_>],
    ) -> Result<Vec<[Stream; 4]>, Fault> {
        let Lowering::Mesh { inputs, first_provokes } = &self.state.lowering else {
            return self.program.geometry(resources, common, primitives);
        };
        let info = &self.state.declared.info;
        let size = input_size(info.input_primitive).unwrap_or(1) as usize;
        let invocations = info.invocations.max(1) as usize;
        let mut vertices = Vec::with_capacity(primitives.len() * size);
        for primitive in primitives {
            for n in 0..size {
                let mut values = primitive.vertices.get(n).map(|&v| v.clone()).unwrap_or_default();
                values.set(Slot::PRIMITIVE_ID, 0, number(&primitive.system) as u32);
                vertices.push(values);
            }
        }
        bind(resources, StageBuffer::Vertices, inputs.encode(&vertices));
        let groups = [(primitives.len() * invocations) as u32, 1, 1];
        let meshes = self.program.mesh(resources, common, groups, &[])?;
        let mut out = vec![<[Stream; 4]>::default(); primitives.len()];
        for (streams, meshes) in out.iter_mut().zip(meshes.chunks(invocations)) {
            meshes.iter().for_each(|mesh| append(mesh, *first_provokes, &mut streams[0]));
        }
        Ok(out)
    }
}

/// Appends the primitives of a mesh to a stream, each as a strip of its own.
fn append(mesh: &Mesh, first_provokes: bool, to: &mut Stream) {
    for primitive in &mesh.primitives {
        let corners: Vec<u32> =
            (0..).map_while(|c| primitive.get(Slot::PRIMITIVE_INDICES, c)).take(3).collect();
        let vertices = corners.iter().filter_map(|&v| mesh.vertices.get(v as usize));
        let mut strip: Vec<Values> = vertices
            .map(|vertex| {
                let mut values = vertex.clone();
                for slot in [Slot::PRIMITIVE_ID, Slot::LAYER, Slot::VIEWPORT] {
                    if let Some(word) = primitive.get(slot, 0) {
                        values.set(slot, 0, word);
                    }
                }
                values
            })
            .collect();
        // The provoking vertex comes first in a mesh.
        if !first_provokes && !strip.is_empty() {
            strip.rotate_left(1);
        }
        to.primitives.push(strip);
    }
}
