//! Lines that ask the program, or set something in it.

use super::words::Words;
use super::{Command, Query};
use airfoil::Stage;

/// Queries and settings of the program.
pub(super) fn program(w: &mut Words<'_>) -> Option<Command> {
    if w.take("subuniform") {
        let stage = match w.next()? {
            "GL_VERTEX_SHADER" => Stage::Vertex,
            "GL_TESS_CONTROL_SHADER" => Stage::TessControl,
            "GL_TESS_EVALUATION_SHADER" => Stage::TessEval,
            "GL_GEOMETRY_SHADER" => Stage::Geometry,
            "GL_FRAGMENT_SHADER" => Stage::Fragment,
            "GL_COMPUTE_SHADER" => Stage::Compute,
            _ => return None,
        };
        return Some(Command::Subroutine(stage, w.next()?.into(), w.next()?.into()));
    }
    let query = if w.take("verify program_query") {
        match w.next()? {
            "GL_ACTIVE_UNIFORMS" => Query::ActiveUniforms,
            "GL_TRANSFORM_FEEDBACK_VARYINGS" => Query::FeedbackVaryings,
            _ => return None,
        }
    } else if w.take("verify query_object") {
        match w.next()? {
            "GL_PRIMITIVES_GENERATED" | "GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN" => Query::Primitives,
            _ => return None,
        }
    } else if w.take("verify program_interface_query") {
        let storage = match w.next()? {
            "GL_UNIFORM_BLOCK" => false,
            "GL_SHADER_STORAGE_BLOCK" => true,
            _ => return None,
        };
        let name = w.next()?.to_string();
        let bytes = match w.next()? {
            "GL_BUFFER_DATA_SIZE" => true,
            "GL_NUM_ACTIVE_VARIABLES" => false,
            _ => return None,
        };
        Query::Block { storage, name, bytes }
    } else {
        return None;
    };
    w.number().map(|answer| Command::Verify(query, answer))
}
