//! The stages that form a program, and the declarations that each stage requires (OpenGL 4.6 section 7.3, OpenGL ES 3.2
//! section 7.3).

use super::LinkOptions;
use super::live::Live;
use super::report::{Report, stage_name};
use crate::builtin::BuiltinVar;
use crate::builtin::op::Lowering;
use crate::hir::{ExprKind, FuncId, Storage, Unit, VarId};
use airfoil_ir::{Primitive, Stage};

/// Checks versions of all shaders: desktop and ES do not mix, nor do ES 1.00 and later ES versions.
pub fn versions(units: &[Unit], report: &mut Report) {
    let Some(first) = units.first() else {
        report.error("E1101", "program: no shader to link");
        return;
    };
    for unit in &units[1..] {
        if unit.is_module() != first.is_module() {
            report.error(
                "E1136",
                format!(
                    "{} and {}: one is SPIR-V and one is GLSL, which a program cannot mix (OpenGL 4.6 section 7.3)",
                    stage_name(first.stage),
                    stage_name(unit.stage)
                ),
            );
            return;
        }
        let es = unit.version.is_es();
        let bad = es != first.version.is_es()
            || (es && unit.version.number != first.version.number)
            || unit.vulkan != first.vulkan;
        if bad {
            report.error(
                "E1102",
                format!(
                    "{} is {} and {} is {}: a program cannot mix them{}",
                    stage_name(first.stage),
                    first.version,
                    stage_name(unit.stage),
                    unit.version,
                    if es { " (GLSL ES 3.20 section 3.4)" } else { " (GLSL 4.60 section 3.3)" }
                ),
            );
        }
    }
}

/// Checks the combination of stages. `units` has one unit per stage.
pub fn combination(units: &[Unit], options: &LinkOptions, report: &mut Report) {
    let has = |stage| units.iter().any(|u| u.stage == stage);
    let es = units.first().is_some_and(|u| u.version.is_es());
    let alone = [Stage::Compute].into_iter().find(|&s| has(s));
    if let Some(stage) = alone.filter(|_| units.len() > 1) {
        let name = stage_name(stage);
        report.error(
            "E1103",
            format!("{name}: it cannot be linked with other stages (OpenGL 4.6 section 7.3)"),
        );
        return;
    }
    if let Some(unit) = units.iter().find(|u| matches!(u.stage, Stage::Task | Stage::Mesh)) {
        report.error("E1103", format!("{}: OpenGL has no such stage", stage_name(unit.stage)));
    }
    if options.separable || alone.is_some() {
        return;
    }
    let need = |stage, what: &str, report: &mut Report| {
        report.error(
            "E1104",
            format!("{}: it needs a {what} in the program (OpenGL 4.6 section 7.3)", stage_name(stage)),
        );
    };
    for stage in [Stage::TessControl, Stage::TessEval, Stage::Geometry] {
        if has(stage) && !has(Stage::Vertex) {
            need(stage, "vertex shader", report);
        }
    }
    if has(Stage::TessControl) && !has(Stage::TessEval) {
        need(Stage::TessControl, "tessellation evaluation shader", report);
    }
    if !es {
        return;
    }
    // ES programs need a vertex and a fragment shader (OpenGL ES 3.2 section 7.3), and both tessellation stages or none.
    if has(Stage::Fragment) && !has(Stage::Vertex) {
        need(Stage::Fragment, "vertex shader", report);
    }
    if has(Stage::Vertex) && !has(Stage::Fragment) && !options.allow_missing_fragment {
        need(Stage::Vertex, "fragment shader", report);
    }
    if has(Stage::TessEval) && !has(Stage::TessControl) {
        need(Stage::TessEval, "tessellation control shader", report);
    }
}

/// Checks the requirements of one stage: `main`, bodies, its layout, and which built-in outputs exclude each other.
pub fn single(unit: &Unit, live: &Live, options: &LinkOptions, report: &mut Report) {
    let stage = stage_name(unit.stage);
    if unit.main.is_none() {
        report.error("E1105", format!("{stage}: no shader of it defines `main` (GLSL 4.60 section 6.1)"));
    }
    for (i, f) in unit.functions.iter().enumerate() {
        let id = FuncId(i as u32);
        if f.body.is_none() && !f.is_subroutine_type && live.function(id) {
            let name = &unit.names[f.name];
            report.error_at(
                unit,
                f.span,
                "E1106",
                format!("{stage}: `{name}` is called but no shader of the stage defines it (GLSL 4.60 section 6.1)"),
            );
        }
    }
    recursion(unit, report);
    if unit.stage == Stage::Geometry {
        streams(unit, options, report);
    }
    layout(unit, report);
    outputs(unit, live, report);
}

/// Recursion is not allowed, even through functions of several objects (GLSL 4.60 section 6.1.1).
fn recursion(unit: &Unit, report: &mut Report) {
    const NEW: u8 = 0;
    const OPEN: u8 = 1;
    const DONE: u8 = 2;
    let mut state = vec![NEW; unit.functions.len()];
    let mut stack: Vec<(usize, usize)> = Vec::new();
    for start in 0..unit.functions.len() {
        if state[start] != NEW {
            continue;
        }
        state[start] = OPEN;
        stack.push((start, 0));
        while let Some((f, next)) = stack.last_mut() {
            let Some(callee) = unit.functions[*f].calls.get(*next) else {
                state[*f] = DONE;
                stack.pop();
                continue;
            };
            *next += 1;
            let callee = callee.0 as usize;
            match state[callee] {
                NEW => {
                    state[callee] = OPEN;
                    stack.push((callee, 0));
                }
                OPEN => {
                    let function = &unit.functions[callee];
                    let (stage, name) = (stage_name(unit.stage), &unit.names[function.name]);
                    report.error_at(
                        unit,
                        function.span,
                        "E1107",
                        format!(
                            "{stage}: `{name}` calls itself, directly or indirectly (GLSL 4.60 section 6.1.1)"
                        ),
                    );
                    return;
                }
                _ => {}
            }
        }
    }
}

/// Streams are numbered up to a limit, and other streams than the first need points (GLSL 4.60 section 8.18).
fn streams(unit: &Unit, options: &LinkOptions, report: &mut Report) {
    let limit = options.limits.max_vertex_streams;
    for e in &unit.exprs {
        let ExprKind::Builtin(builtin, args) = e.kind else { continue };
        if !matches!(builtin.lowering, Lowering::EmitVertex | Lowering::EndPrimitive) {
            continue;
        }
        let stream = unit.list(args).first().and_then(|&a| match unit[a].kind {
            ExprKind::Const(c) => unit[c].scalars.first().copied(),
            _ => None,
        });
        let Some(stream) = stream.map(|s| s as u32) else { continue };
        let at = crate::source::Span { lo: e.at, hi: e.at };
        if stream >= limit {
            let text = format!(
                "geometry shader: stream {} is out of range, GL_MAX_VERTEX_STREAMS is {limit}",
                stream as i32
            );
            report.error_at(unit, at, "E1119", text);
        } else if stream > 0 && unit.layout.output_primitive.is_some_and(|p| p != Primitive::Points) {
            let text = format!(
                "geometry shader: stream {stream} needs `points` as output primitive (GLSL 4.60 section 8.18)"
            );
            report.error_at(unit, at, "E1109", text);
        }
    }
}

/// Layout declarations that a stage needs (GLSL 4.60 section 4.4.1, 4.4.2).
fn layout(unit: &Unit, report: &mut Report) {
    let l = &unit.layout;
    let missing: &[(bool, &str)] = match unit.stage {
        Stage::TessControl => &[(l.vertices.is_none(), "vertices")],
        Stage::TessEval => &[(l.input_primitive.is_none(), "an input primitive")],
        Stage::Geometry => &[
            (l.input_primitive.is_none(), "an input primitive"),
            (l.output_primitive.is_none(), "an output primitive"),
            (l.max_vertices.is_none(), "max_vertices"),
        ],
        // For Vulkan, undeclared sizes are 1 (SPIR-V needs a LocalSize, and compilers write that one).
        Stage::Compute if unit.vulkan => &[],
        Stage::Compute => &[(
            l.local_size == [None; 3] && l.local_size_id == [None; 3] && !l.local_size_variable,
            "a local size",
        )],
        _ => &[],
    };
    let size = l.local_size.map(|n| n.unwrap_or(1));
    let uneven = match l.derivative_group.filter(|_| l.local_size_id == [None; 3]) {
        Some(true) => size.iter().fold(1, |n: u32, &s| n.wrapping_mul(s)) % 4 != 0,
        Some(false) => size[0] % 2 != 0 || size[1] % 2 != 0,
        None => false,
    };
    if uneven {
        let text = format!(
            "compute shader: a local size of {} x {} x {} does not consist of derivative groups (GL_KHR_compute_shader_derivatives)",
            size[0], size[1], size[2]
        );
        report.error("E1108", text);
    }
    for (_, what) in missing.iter().filter(|(missing, _)| *missing) {
        report.error(
            "E1108",
            format!("{}: no shader of it declares {what} (GLSL 4.60 section 4.4)", stage_name(unit.stage)),
        );
    }
}

/// Outputs that may not be written together.
fn outputs(unit: &Unit, live: &Live, report: &mut Report) {
    // Writes are static: a function that nothing calls counts.
    let written = |b: BuiltinVar| unit.vars.iter().any(|v| v.builtin == Some(b) && v.written);
    let position = unit
        .vars
        .iter()
        .enumerate()
        .any(|(i, v)| v.builtin == Some(BuiltinVar::Position) && v.written && live.var(VarId(i as u32)));
    // No such rule exists since GLSL 1.40; before, the position had to be written (GLSL 1.20 section 7.1).
    if unit.stage == Stage::Vertex && !unit.version.at_least(140, 300) && !position {
        report.warning("W1101", "vertex shader: it does not write `gl_Position`, which is undefined then");
    }
    let own = unit
        .vars
        .iter()
        .enumerate()
        .find(|(_, v)| v.builtin.is_none() && v.qualifiers.storage == Storage::Out && v.written);
    let stage = stage_name(unit.stage);
    if let Some((i, v)) = own.filter(|_| unit.stage == Stage::Fragment) {
        for (builtin, name) in
            [(BuiltinVar::FragColor, "gl_FragColor"), (BuiltinVar::FragData, "gl_FragData")]
        {
            if written(builtin) {
                let text = format!(
                    "{stage}: it writes both `{name}` and its own output `{}` (GLSL 4.60 section 7.1.5)",
                    &unit.names[v.name]
                );
                report.error_var(unit, VarId(i as u32), "E1109", text);
            }
        }
    }
    let mut exclude = |a, b, names: [&str; 2], section| {
        if written(a) && written(b) {
            let [x, y] = names;
            report.error("E1109", format!("{stage}: it writes both `{x}` and `{y}` ({section})"));
        }
    };
    if unit.stage == Stage::Fragment {
        let section = "GLSL 4.60 section 7.1.5";
        exclude(BuiltinVar::FragColor, BuiltinVar::FragData, ["gl_FragColor", "gl_FragData"], section);
    } else {
        let section = "GLSL 4.60 section 7.1.1";
        let clip = (BuiltinVar::ClipVertex, "gl_ClipVertex");
        exclude(clip.0, BuiltinVar::ClipDistance, [clip.1, "gl_ClipDistance"], section);
        exclude(clip.0, BuiltinVar::CullDistance, [clip.1, "gl_CullDistance"], section);
    }
}
