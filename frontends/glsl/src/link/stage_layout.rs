//! `layout(...) in;` and `layout(...) out;` of several objects of a stage must agree (GLSL 4.60 section 4.4.1.2 and following).

use super::report::{Report, stage_name};
use crate::builtin::BuiltinVar;
use crate::hir::{StageLayout, Unit};

/// Adds the declarations of `from` about the stage to `into`.
pub fn merge(into: &mut Unit, from: &Unit, report: &mut Report) {
    let stage = stage_name(into.stage);
    let frag_coord =
        |unit: &Unit| unit.vars.iter().any(|v| v.builtin == Some(BuiltinVar::FragCoord) && v.used);
    let frag_depth =
        |unit: &Unit| unit.vars.iter().any(|v| v.builtin == Some(BuiltinVar::FragDepth) && v.used);
    let (coord_used, depth_used) =
        ((frag_coord(into), frag_coord(from)), (frag_depth(into), frag_depth(from)));
    let (a, b) = (&mut into.layout, &from.layout);
    let mut differ = Vec::new();
    // "The declarations must be identical" (GLSL 4.60 section 4.4.1.4): the IDs of specialization constants, too.
    if local_size(a).is_some_and(|x| local_size(b).is_some_and(|y| x != y)) {
        differ.push("local_size");
    }
    for (mine, other) in a.local_size.iter_mut().zip(b.local_size) {
        *mine = mine.or(other);
    }
    for (mine, other) in a.local_size_id.iter_mut().zip(b.local_size_id) {
        *mine = mine.or(other);
    }
    one("input primitive", &mut a.input_primitive, b.input_primitive, &mut differ);
    one("output primitive", &mut a.output_primitive, b.output_primitive, &mut differ);
    one("max_vertices", &mut a.max_vertices, b.max_vertices, &mut differ);
    one("invocations", &mut a.invocations, b.invocations, &mut differ);
    one("vertices", &mut a.vertices, b.vertices, &mut differ);
    one("spacing", &mut a.spacing, b.spacing, &mut differ);
    one("vertex order", &mut a.clockwise, b.clockwise, &mut differ);
    one("num_views", &mut a.num_views, b.num_views, &mut differ);
    one("derivative group", &mut a.derivative_group, b.derivative_group, &mut differ);
    for &(buffer, stride) in &b.xfb_strides {
        match a.xfb_strides.iter().find(|(known, _)| *known == buffer) {
            Some(&(_, known)) if known != stride => differ.push("xfb_stride"),
            Some(_) => {}
            None => a.xfb_strides.push((buffer, stride)),
        }
    }
    // If one object redeclares `gl_FragCoord`, all that use it must, and in the same way (GLSL 4.60 section 4.4.1.3).
    let coord = |l: &StageLayout| (l.frag_coord_redeclared, l.origin_upper_left, l.pixel_center_integer);
    let (x, y) = (coord(a), coord(b));
    if x != y && x.0 && (y.0 || coord_used.1) || x != y && y.0 && coord_used.0 {
        differ.push("redeclaration of `gl_FragCoord`");
    }
    if a.depth != b.depth
        && ((a.depth.is_some() && b.depth.is_some())
            || (a.depth.is_some() && depth_used.1)
            || (b.depth.is_some() && depth_used.0))
    {
        differ.push("depth layout of `gl_FragDepth`");
    }
    a.depth = a.depth.or(b.depth);
    a.frag_coord_redeclared |= b.frag_coord_redeclared;
    a.origin_upper_left |= b.origin_upper_left;
    a.pixel_center_integer |= b.pixel_center_integer;
    a.local_size_variable |= b.local_size_variable;
    a.point_mode |= b.point_mode;
    a.early_fragment_tests |= b.early_fragment_tests;
    a.post_depth_coverage |= b.post_depth_coverage;
    a.blend_support |= b.blend_support;
    for what in differ {
        report.error("E1114", format!("{stage}: its objects differ in {what} (GLSL 4.60 section 4.4)"));
    }
}

fn one<T: Copy + PartialEq>(
    what: &'static str,
    a: &mut Option<T>,
    b: Option<T>,
    differ: &mut Vec<&'static str>,
) {
    if a.is_some() && b.is_some() && *a != b {
        differ.push(what);
    }
    *a = a.or(b);
}

/// The declared local size, 1 where undeclared, and the IDs of its specialization constants.
fn local_size(l: &StageLayout) -> Option<([u32; 3], [Option<u32>; 3])> {
    let declared = l.local_size != [None; 3] || l.local_size_id != [None; 3];
    declared.then(|| (l.local_size.map(|n| n.unwrap_or(1)), l.local_size_id))
}
