//! The interpreter as an engine.

use super::Engine;
use airfoil::{Shader, Stage};
use airfoil_interp::pipeline::{Draw, Pipeline, State, Target, Topology};
use airfoil_interp::run::{FragmentBatch, FragmentOutput, GeometryPrimitive, Quad, Vertex};
use airfoil_interp::{Config, Fault, Program, Resources, System, Values};
use airfoil_ir::SystemValue;

/// Executes with `airfoil-interp`.
#[derive(Clone, Debug, Default)]
pub struct Interp {
    /// How; the size of subgroups may be overridden by callers.
    pub config: Config,
}

fn words(fault: Fault) -> String {
    format!("execution: {fault}")
}

impl Engine for Interp {
    fn compute(
        &mut self,
        shader: &Shader,
        resources: &mut Resources,
        groups: [u32; 3],
        subgroup: Option<u32>,
    ) -> Result<(), String> {
        let subgroup_size = subgroup.unwrap_or(self.config.subgroup_size);
        let config = Config { subgroup_size, ..self.config.clone() };
        let mut program = Program::new(shader, config).map_err(words)?;
        program.compute(resources, &System::new(), groups).map_err(words)
    }

    fn vertices(
        &mut self,
        shader: &Shader,
        resources: &mut Resources,
        vertices: &[Vertex],
    ) -> Result<Vec<Values>, String> {
        let mut program = Program::new(shader, self.config.clone()).map_err(words)?;
        program.vertex(resources, &System::new(), vertices).map_err(words)
    }

    fn tessellate(
        &mut self,
        shaders: &[Shader],
        resources: &mut Resources,
        vertices: &[Vertex],
        patch: u32,
    ) -> Result<Vec<[Values; 3]>, String> {
        let triangles =
            |s: &Shader| !s.info.point_mode && s.info.input_primitive != airfoil_ir::Primitive::Isolines;
        if !shaders.iter().filter(|s| s.stage == Stage::TessEval).all(triangles) {
            return Err("patches that become points or lines are not drawn".into());
        }
        let mut pipeline = Pipeline::new(shaders, &self.config).map_err(words)?;
        let draw =
            Draw { topology: Topology::Patches(patch), vertices, indices: None, system: System::new() };
        let state = State { first_provokes: true, ..State::new(1, 1) };
        let drawn = pipeline.draw(resources, &draw, &state, &mut Target::default()).map_err(words)?;
        Ok(drawn.captured.chunks_exact(3).map(|c| [c[0].clone(), c[1].clone(), c[2].clone()]).collect())
    }

    fn geometry(
        &mut self,
        shader: &Shader,
        resources: &mut Resources,
        triangles: &[[Values; 3]],
    ) -> Result<Vec<[Values; 3]>, String> {
        let mut program = Program::new(shader, self.config.clone()).map_err(words)?;
        let primitives: Vec<GeometryPrimitive<'_>> = (0..)
            .zip(triangles)
            .map(|(n, t)| GeometryPrimitive {
                vertices: t.iter().collect(),
                system: System::new().with(SystemValue::primitive_id, n),
            })
            .collect();
        let streams = program.geometry(resources, &System::new(), &primitives).map_err(words)?;
        let mut out = Vec::new();
        for strip in streams.iter().flat_map(|s| &s[0].primitives) {
            for (n, corners) in strip.windows(3).enumerate() {
                // Every other triangle of a strip turns round (Vulkan 1.3, "Triangle Strips").
                let order = if n % 2 == 0 { [0, 1, 2] } else { [0, 2, 1] };
                out.push(order.map(|i| corners[i].clone()));
            }
        }
        Ok(out)
    }

    fn fragments(
        &mut self,
        shader: &Shader,
        resources: &mut Resources,
        quads: &[Quad<'_>],
    ) -> Result<Vec<[FragmentOutput; 4]>, String> {
        let mut program = Program::new(shader, self.config.clone()).map_err(words)?;
        let batch = FragmentBatch { quads, sample_positions: &[[0.5, 0.5]], system: System::new() };
        program.fragment(resources, &batch).map_err(words)
    }
}
