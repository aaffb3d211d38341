//! Tests of pipelines of separable programs.

use super::{CS, FS, GS, TCS, TES, VS, linked};
use crate::link::{LinkOptions, Linked, PipelineProgram, stage_bit, validate_pipeline};
use airfoil_ir::Stage;

fn separable(version: &str, sources: &[(Stage, &str)]) -> Linked {
    linked(version, sources, &LinkOptions { separable: true, ..LinkOptions::default() })
}

fn verdict(programs: &[PipelineProgram<'_>], want: &str) {
    match validate_pipeline(programs) {
        Ok(()) => assert!(want.is_empty(), "accepted instead of `{want}`"),
        Err(list) => {
            let log: String = list.iter().map(|d| format!("{d}\n")).collect();
            assert!(!want.is_empty() && log.contains(want), "`{want}` is not in\n{log}");
        }
    }
}

#[test]
fn interfaces_match_exactly_in_es() {
    let rows = [
        ("out mediump float v;", "in mediump float v;", ""),
        (
            "out mediump float v; out mediump float w;",
            "in mediump float v;",
            "output `w` of the vertex shader has no",
        ),
        (
            "out mediump float v;",
            "in mediump float v; in mediump float w;",
            "input `w` of the fragment shader has no",
        ),
        ("out mediump vec3 v;", "in mediump vec4 v;", "the types are vec3 and vec4"),
        ("out mediump float v;", "in highp float v;", "the precisions differ"),
        ("out mediump float v[2];", "in mediump float v[3];", "the types are float[2] and float[3]"),
        ("layout(location = 1) out vec4 v;", "layout(location = 1) in vec4 w;", ""),
        ("layout(location = 1) out vec4 v;", "layout(location = 2) in vec4 v;", "has no counterpart"),
        ("out vec4 v;", "layout(location = 1) in vec4 v;", "has no counterpart"),
        ("flat out vec4 v;", "in vec4 v;", "the interpolations differ"),
        ("smooth out vec4 v;", "centroid in vec4 v;", ""),
        ("flat out int v;", "flat in int v;", ""),
        (
            "struct A { vec4 a; }; out A v;",
            "struct B { vec4 a; }; in B v;",
            "the types are struct A and struct B",
        ),
        (
            "struct A { vec4 a; }; out A v;",
            "struct A { vec4 b; }; in A v;",
            "members `a` and `b` are at the same position",
        ),
        ("out B { vec4 a; vec4 b; };", "in B { vec4 a; vec4 b; } named;", ""),
        ("out B { vec4 a; vec4 b; };", "in B { vec4 b; vec4 a; };", "are at the same position"),
        ("out B { highp vec4 a; };", "in B { mediump vec4 a; };", "the precision of member `a` differs"),
        ("out B { flat vec4 a; };", "in B { vec4 a; };", "the interpolation of member `a` differs"),
        ("out B { vec4 a; } b[2];", "in B { vec4 a; } b[1];", "the types are"),
        ("out B { vec4 a; };", "in vec4 a;", "has no counterpart"),
        ("out B { vec4 a; };", "in vec4 B;", "has no counterpart"),
    ];
    for (output, input, want) in rows {
        let vertex = format!(
            "precision highp float; precision highp int; {output} void main() {{ gl_Position = vec4(0); }}"
        );
        let fragment = format!("precision highp float; precision highp int; {input} void main() {{ }}");
        let [v, f] = [separable("320 es", &[(VS, &vertex)]), separable("320 es", &[(FS, &fragment)])];
        verdict(&[PipelineProgram::all(&v), PipelineProgram::all(&f)], want);
    }
}

#[test]
fn interfaces_of_desktop_programs_are_left_undefined() {
    let v = separable(
        "430",
        &[(VS, "out gl_PerVertex { vec4 gl_Position; }; out float v; void main() { v = 1.0; }")],
    );
    let f = separable("430", &[(FS, "in vec4 w; out vec4 o; void main() { o = w; }")]);
    verdict(&[PipelineProgram::all(&v), PipelineProgram::all(&f)], "");
}

#[test]
fn stages_of_programs() {
    let per_vertex = "out gl_PerVertex { vec4 gl_Position; };";
    let vertex = format!("{per_vertex} void main() {{ gl_Position = vec4(0.0); }}");
    let geometry = format!(
        "layout(points) in; layout(points, max_vertices = 1) out; {per_vertex} void main() {{ gl_Position = vec4(0.0); EmitVertex(); }}"
    );
    let control = "layout(vertices = 1) out; void main() { }";
    let eval = format!("layout(quads) in; {per_vertex} void main() {{ gl_Position = vec4(0.0); }}");
    let fragment = "out vec4 o; void main() { o = vec4(0.0); }";
    let one = |stage, text: &str| separable("450", &[(stage, text)]);
    let [v, g, f] = [one(VS, &vertex), one(GS, &geometry), one(FS, fragment)];
    let [c, e] = [one(TCS, control), one(TES, &eval)];
    let both = separable("450", &[(VS, &vertex), (FS, fragment)]);
    let compute = one(CS, "layout(local_size_x = 1) in; void main() { }");
    let whole = linked("450", &[(VS, &vertex), (FS, fragment)], &LinkOptions::default());
    let all = PipelineProgram::all;
    verdict(&[all(&v), all(&g), all(&f)], "");
    verdict(&[all(&f), all(&v)], "");
    verdict(&[all(&v), all(&c), all(&e), all(&f)], "");
    verdict(&[all(&v), all(&e)], "");
    verdict(&[all(&compute)], "");
    verdict(&[all(&both)], "");
    verdict(&[], "no program is active");
    verdict(&[all(&whole)], "was not linked to be separable");
    verdict(&[all(&both), all(&g)], "another program has a stage between");
    verdict(&[all(&v), all(&both)], "two programs are active for the vertex shader");
    verdict(&[all(&g), all(&f)], "geometry shader but no vertex shader");
    verdict(&[all(&v), all(&c)], "but no tessellation evaluation shader");
    let part = PipelineProgram { program: &both, stages: stage_bit(VS) };
    verdict(&[part, all(&f)], "not for its fragment shader");
}
