//! How a pass that changes the results of a single shader is judged by draws.

use super::stage::Lowering;
use airfoil_ir::{Shader, Stage};
use airfoil_passes::gl::lower_xfb::Captures;
use airfoil_passes::{OptionValue, PassStep, Results};

/// The relation of the draws before and after a pass.
#[derive(Clone, Debug)]
pub(super) enum Judge {
    /// Both make the same vertices and the same image.
    Same,
    /// The pass is the first of two that lower a fixed function; the draw before it is kept for the second one.
    Begins,
    /// The pass is the second of two: the image is that of the draw before the first one. The fixed function may have
    /// removed primitives that the lowered code removes from the image only.
    Completes,
    /// The fragment shader is for an image that is rendered upside down, with front faces of the same winding or not.
    UpsideDown { same_winding: bool },
    /// Both make the same image, and buffers hold the captured outputs of the vertices.
    Captures(Captures),
}

impl Judge {
    /// The judge of a pass that was applied to a shader of a program; `None` if draws cannot judge it.
    pub(super) fn of(step: &PassStep, shader: &Shader, stages: &[Stage]) -> Option<Judge> {
        let info = step.pass().info();
        if info.name == "cull_distances_to_varyings" {
            return Some(Judge::Begins);
        }
        if info.results != Results::All {
            return None;
        }
        let options = step.pass().options();
        let option = |key| options.iter().find(|(name, _)| *name == key).map(|(_, value)| value.as_str());
        match &*info.name {
            name if Lowering::is_by(name) => Some(Judge::Same),
            "lower_64bit_io"
            | "lower_robust_access"
            | "lower_robust_images"
            | "lower_image_atomics"
            | "lower_draw_parameters"
            | "clip_distances_from_varyings"
            | "match_inputs"
            | "write_outputs"
            | "mesh_outputs_to_shared" => Some(Judge::Same),
            "cull_distances_to_discard" => Some(Judge::Completes),
            // Coordinates of a shader with its origin in the upper left corner are those of the rasteriser, which only a
            // window with y down has.
            "lower_window_origin" if !shader.info.origin_upper_left => {
                Some(Judge::UpsideDown { same_winding: option("front_face") == Some("true") })
            }
            // The vertices of the draw are those of the last stage before rasterisation.
            "lower_xfb" if !stages.iter().any(|s| matches!(s, Stage::TessEval | Stage::Geometry)) => {
                Captures::parse(option("captures")?).ok().map(Judge::Captures)
            }
            _ => None,
        }
    }
}
