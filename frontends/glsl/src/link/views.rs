//! The views of the draws of a program (GL_OVR_multiview).

use super::report::Report;
use crate::hir::Unit;
use airfoil_ir::Stage;

/// Notes in every stage how many views the draws of a program have: as many as the vertex shader declares, which the
/// framebuffer must have, too. Without a declaration it is one view.
///
/// Tessellation and geometry shaders cannot draw to the views of a framebuffer (OpenGL ES 3.2 section 11.1.3.11 as modified by
/// GL_OVR_multiview): the program links, and draws that are valid have one view.
pub fn settle(units: &mut [Unit], report: &mut Report) {
    let Some(vertex) = units.iter().find(|u| u.stage == Stage::Vertex) else { return };
    let declared = vertex.layout.num_views;
    // In Vulkan the render pass decides.
    if vertex.vulkan && declared.is_none() {
        return;
    }
    let is_between = |u: &Unit| matches!(u.stage, Stage::TessControl | Stage::TessEval | Stage::Geometry);
    let mut views = declared.unwrap_or(1);
    if views > 1 && units.iter().any(is_between) {
        let text = format!(
            "num_views is {views}: draws to several views are GL_INVALID_OPERATION with tessellation or geometry shaders \
             (GL_OVR_multiview, OpenGL ES 3.2 section 11.1.3.11)"
        );
        report.warning("W1103", text);
        views = 1;
    }
    for unit in units {
        unit.layout.views = Some(views);
    }
}
