//! Stage properties declared by `layout(...) in;` and `layout(...) out;`.

use crate::builtin::BuiltinVar;
use crate::hir::{Unit, Variable};
use airfoil_ir::{Stage, StageInfo};

/// The stage's declarations. Sizes that specialisation sets keep their defaults.
pub fn stage_info(unit: &Unit) -> StageInfo {
    let l = &unit.layout;
    let mut info = StageInfo::default();
    match unit.stage {
        Stage::Compute | Stage::Task | Stage::Mesh => {
            // A size that is given when dispatched is not known here (GL_ARB_compute_variable_group_size).
            info.workgroup_size = (!l.local_size_variable).then(|| l.local_size.map(|n| n.unwrap_or(1)));
            info.workgroup_constants = l.local_size_open;
            info.quad_groups = l.derivative_group == Some(false);
        }
        Stage::TessControl => info.patch_vertices_out = l.vertices.unwrap_or(0),
        Stage::TessEval => {
            info.input_primitive = l.input_primitive.unwrap_or_default();
            info.spacing = l.spacing.unwrap_or(airfoil_ir::Spacing::Equal);
            info.clockwise = l.clockwise.unwrap_or(false);
            info.point_mode = l.point_mode;
        }
        Stage::Geometry => {
            info.input_primitive = l.input_primitive.unwrap_or_default();
            info.output_primitive = l.output_primitive.unwrap_or_default();
            info.max_vertices = l.max_vertices.unwrap_or(0);
            info.invocations = l.invocations.unwrap_or(1);
        }
        Stage::Fragment => {
            info.early_fragment_tests = l.early_fragment_tests;
            info.post_depth_coverage = l.post_depth_coverage;
            // Vulkan's window origin is the upper left corner; OpenGL's the lower left unless declared otherwise.
            info.origin_upper_left = l.origin_upper_left || unit.vulkan;
            info.pixel_center_integer = l.pixel_center_integer;
            info.depth_layout = l.depth.unwrap_or_default();
            for (bit, color) in [(1, BuiltinVar::Color), (2, BuiltinVar::SecondaryColor)] {
                let stated = |v: &Variable| v.builtin == Some(color) && v.qualifiers.interpolation.is_some();
                info.stated_colors |= if unit.vars.iter().any(stated) { bit } else { 0 };
            }
        }
        Stage::Vertex => {}
    }
    info.view_mask = view_mask(unit);
    info
}

/// The mask of the views of the draws of a program; 0 for one view, whose index is a constant, and for unknown ones.
pub fn view_mask(unit: &Unit) -> u32 {
    match unit.layout.views {
        Some(views @ 2..=32) if matches!(unit.stage, Stage::Vertex | Stage::Fragment) => {
            u32::MAX >> (32 - views)
        }
        _ => 0,
    }
}
