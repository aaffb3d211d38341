//! Stages that Metal does not have become stages that it has.
//!
//! A geometry shader becomes a mesh shader ([`geometry_to_mesh`](airfoil_passes::geometry_to_mesh)), and the vertex shader before it a
//! kernel that writes what it reads ([`vertex_outputs_to_buffer`](airfoil_passes::vertex_outputs_to_buffer)). The buffer between them
//! is a storage buffer of the set [`stage_buffer::SET`](airfoil_passes::stage_buffer::SET) in the reflection of both.

use airfoil_ir::{Diagnostic, Modes, Shader, Stage};
use airfoil_passes::geometry_to_mesh::GeometryToMesh;
use airfoil_passes::stage_buffer::{Part, RecordLayout};
use airfoil_passes::vertex_outputs_to_buffer::VertexOutputsToBuffer;
use airfoil_passes::{Context, Manager, Pass, Pipeline};
use std::sync::LazyLock;

/// Which vertex of a primitive provokes: its flat values, layer, viewport and `gl_PrimitiveID` are those of the primitive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Provoking {
    /// As the API of the source has it: the last for OpenGL, the first for Vulkan and the text form.
    #[default]
    OfSource,
    /// The first (`GL_FIRST_VERTEX_CONVENTION`, Vulkan).
    First,
    /// The last (`GL_LAST_VERTEX_CONVENTION`).
    Last,
}

impl Provoking {
    /// Whether it is the first; `of_source` says so of the source's API.
    pub fn is_first(self, of_source: bool) -> bool {
        match self {
            Provoking::OfSource => of_source,
            Provoking::First => true,
            Provoking::Last => false,
        }
    }
}

/// Replaces the stages of a program, or of a shader alone, that Metal does not have. The shaders are those of the pipeline in its order, in the
/// form that [`optimize`](crate::optimize) leaves; programs without such stages stay as they are.
///
/// # Errors
/// What cannot be expressed so.
pub fn restage(shaders: &mut [Shader], first_provokes: bool) -> Result<(), Vec<Diagnostic>> {
    let Some(geometry) = shaders.iter().find(|s| s.stage == Stage::Geometry) else { return Ok(()) };
    if shaders.iter().any(|s| matches!(s.stage, Stage::TessControl | Stage::TessEval)) {
        let message = "a geometry shader behind tessellation cannot be expressed in Metal";
        return Err(vec![
            Diagnostic::error("E0860", message).help("mesh functions cannot read what tessellation makes"),
        ]);
    }
    let slots = RecordLayout::of(geometry, Modes::IN, Part::Vertex);
    let mut faults = Vec::new();
    for shader in shaders {
        let done = match shader.stage {
            Stage::Vertex => replace(shader, &VertexOutputsToBuffer { slots: slots.clone() }),
            Stage::Geometry => replace(shader, &GeometryToMesh { slots: slots.clone(), first_provokes }),
            _ => Ok(()),
        };
        faults.extend(done.err().into_iter().flatten());
    }
    if faults.is_empty() { Ok(()) } else { Err(faults) }
}

/// Runs a pass that makes another stage of a shader, and clean-ups.
fn replace(shader: &mut Shader, pass: &dyn Pass) -> Result<(), Vec<Diagnostic>> {
    static CLEAN_UP: LazyLock<Pipeline> =
        LazyLock::new(|| Pipeline::parse("restaged").expect("presets parse"));
    pass.run(shader, &mut Context::default()).map(drop).map_err(|fault| vec![fault])?;
    Manager::default().run(&CLEAN_UP, shader).map(drop)
}
