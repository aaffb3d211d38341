//! Declarations that must agree between stages.

use super::*;

/// A vertex shader that writes and a fragment shader that reads `v`, declared by each.
fn pair<'s>(out: &'s str, input: &'s str) -> [(Stage, String); 2] {
    [
        (VS, format!("{out} void main() {{ gl_Position = vec4(0); }}")),
        (FS, format!("precision mediump float; {input} out vec4 c; void main() {{ c = vec4(v); }}")),
    ]
}

fn rows(rows: &[(&str, &str, &str, &str)]) {
    for (version, out, input, want) in rows {
        let sources = pair(out, input);
        let sources: Vec<(Stage, &str)> = sources.iter().map(|(s, t)| (*s, t.as_str())).collect();
        verdicts(&[(version, &sources, want)]);
    }
}

#[test]
fn variables_by_name() {
    rows(&[
        ("450", "out float v;", "in float v;", ""),
        ("450", "out vec2 v;", "in float v;", "the types are vec2 and float"),
        ("450", "", "in float v;", "no such output"),
        ("450", "out float w;", "in float v;", "no such output"),
        ("430", "flat out float v;", "in float v;", "interpolations"),
        ("440", "flat out float v;", "in float v;", ""),
        ("300 es", "flat out float v;", "in float v;", "interpolations"),
        ("300 es", "smooth out float v;", "in float v;", ""),
        ("300 es", "out highp float v;", "in lowp float v;", ""),
        ("410", "invariant out float v;", "in float v;", "invariant"),
        ("420", "invariant out float v;", "in float v;", ""),
        ("300 es", "invariant out float v;", "in float v;", ""),
        ("450", "out B { float v; };", "in B { float v; };", ""),
        ("450", "out B { float v; } b;", "in B { float v; };", ""),
        ("450", "out B { float v; vec2 w; };", "in B { float v; };", "2 and 1 members"),
        ("450", "out B { float w; };", "in B { float v; };", "members `w` and `v`"),
        ("450", "out float v;", "in B { float v; };", "no such output"),
        ("450", "out B { float v; } b[2];", "in B { float v; };", "the types are"),
    ]);
}

#[test]
fn variables_by_location() {
    rows(&[
        ("450", "layout(location = 3) out float a;", "layout(location = 3) in float v;", ""),
        (
            "450",
            "layout(location = 2) out float v;",
            "layout(location = 3) in float v;",
            "no such output at location 3",
        ),
        ("450", "layout(location = 3) out vec2 a;", "layout(location = 3) in float v;", "the types are"),
        (
            "450",
            "layout(location = 3, component = 1) out float a;",
            "layout(location = 3) in float v;",
            "at location 3",
        ),
    ]);
}

#[test]
fn uniforms_of_all_stages() {
    let row = |version, a: &str, b: &str, want: &str| {
        let vs = format!("{a} void main() {{ gl_Position = vec4(0); }}");
        let fs = format!("precision mediump float; {b} void main() {{}}");
        verdicts(&[(version, &[(VS, &vs), (FS, &fs)], want)]);
    };
    row("450", "uniform float u;", "uniform float u;", "");
    row("450", "uniform float u;", "uniform vec2 u;", "the types are float and vec2");
    row("450", "uniform highp float u;", "uniform lowp float u;", "");
    row("310 es", "uniform highp float u;", "uniform lowp float u;", "precisions");
    row("450", "uniform float u = 1.0;", "uniform float u = 2.0;", "initial values");
    row(
        "450",
        "layout(location = 1) uniform float u;",
        "layout(location = 2) uniform float u;",
        "locations differ",
    );
    row("450", "layout(location = 1) uniform float u;", "uniform float u;", "");
    row(
        "450",
        "layout(location = 1) uniform float u;",
        "layout(location = 1) uniform float w;",
        "share location 1",
    );
    row(
        "450",
        "layout(binding = 1) uniform sampler2D u;",
        "layout(binding = 2) uniform sampler2D u;",
        "bindings differ",
    );
    row("450", "struct S { float a; }; uniform S u;", "struct S { vec2 a; }; uniform S u;", "in member `a`");
    row("450", "struct S { float a; }; uniform S u;", "struct T { float a; }; uniform T u;", "the types are");
    row("450", "uniform B { float a; };", "uniform B { float a; };", "");
    row("450", "uniform B { float a; };", "uniform B { float b; };", "members `a` and `b`");
    row("450", "uniform B { float a; } x;", "uniform B { float a; } y;", "");
    row("450", "uniform B { float a; } x;", "uniform B { float a; };", "one has an instance name");
    row("450", "layout(std140) uniform B { mat4 a; };", "uniform B { mat4 a; };", "packings");
    row("450", "layout(row_major) uniform B { mat4 a; };", "uniform B { mat4 a; };", "matrix layout");
    row("450", "uniform B { float a; } x[2];", "uniform B { float a; } x[3];", "the types are");
    row("450", "uniform A { float a; };", "uniform B { float a; };", "`a`: it is declared by");
    row("450", "uniform float a;", "uniform B { float a; };", "`a`: it is declared by");
    row("450", "uniform A { float a; };", "buffer B { float a; };", "");
}

#[test]
fn tessellation_and_geometry() {
    let vs = "out float v; void main() { v = 1.0; }";
    let tcs = "layout(vertices = 3) out; in float v[]; out float w[]; patch out vec2 p;\
        void main() { w[gl_InvocationID] = v[0]; p = vec2(1); }";
    let tes =
        "layout(triangles) in; in float w[]; patch in vec2 p; out float x; void main() { x = w[0] + p.x; }";
    let gs = "layout(triangles) in; layout(points, max_vertices = 1) out; in float x[]; out float y;\
        void main() { y = x[2]; EmitVertex(); }";
    let fs = "in float y; out vec4 c; void main() { c = vec4(y); }";
    let all = [(VS, vs), (TCS, tcs), (TES, tes), (GS, gs), (FS, fs)];
    let program = linked("450", &all, &LinkOptions::default());
    for (i, name) in ["v", "w", "x", "y"].into_iter().enumerate() {
        let (out, input) = (place(&program.units[i], name), place(&program.units[i + 1], name));
        assert!(out.slot.is_some_and(|s| s.as_generic().is_some()));
        assert_eq!(out, input);
    }
    assert_eq!(place(&program.units[1], "p").slot, airfoil_ir::Slot::patch(0));
    assert_eq!(place(&program.units[2], "p").slot, airfoil_ir::Slot::patch(0));
    verdicts(&[
        (
            "450",
            &[(VS, vs), (TCS, tcs), (TES, &tes.replace("patch in vec2 p", "patch in vec3 p"))],
            "vec2 and vec3",
        ),
        ("450", &[(VS, "out float x[3]; void main() {}"), (GS, gs)], "the types are float[3] and float"),
        (
            "450",
            &[
                (VS, vs),
                (TCS, tcs),
                (TES, tes),
                (GS, &gs.replace("layout(triangles) in;", "")),
                (GS, "layout(lines) in;"),
            ],
            "the input primitive gives 2",
        ),
    ]);
}

#[test]
fn separable_programs_keep_their_open_ends() {
    let options = LinkOptions { separable: true, ..LinkOptions::default() };
    let source = "out gl_PerVertex { vec4 gl_Position; }; out float a; out vec2 b; void main() { a = 1.0; b = vec2(2); }";
    let program = linked("450", &[(VS, source)], &options);
    assert!(!place(&program.units[0], "a").dead && !place(&program.units[0], "b").dead);
    let program = linked("450", &[(FS, "in float a; out vec4 c; void main() { c = vec4(a); }")], &options);
    assert!(place(&program.units[0], "a").slot.is_some());
    let vs = "void main() { gl_Position = vec4(0); }";
    let gs = "layout(points) in; layout(points, max_vertices = 1) out; void main() { gl_Position = gl_in[0].gl_Position; }";
    let refused = try_link("450", &[(VS, vs), (GS, gs)], &options);
    assert!(refused.unwrap_err().contains("does not redeclare `gl_PerVertex`"));
    verdicts(&[("450", &[(VS, vs), (GS, gs)], "")]);
}

#[test]
fn outputs_that_nobody_reads_are_dead() {
    let vs = "out float a; out float b; void main() { a = b = 1.0; }";
    let fs = "in float b; out vec4 c; void main() { c = vec4(b); }";
    let program = linked("450", &[(VS, vs), (FS, fs)], &LinkOptions::default());
    assert!(place(&program.units[0], "a").dead);
    assert_eq!(place(&program.units[0], "b").slot, airfoil_ir::Slot::generic(0));
    let mut options = LinkOptions::default();
    options.transform_feedback.varyings.push("a".into());
    let program = linked("450", &[(VS, vs), (FS, fs)], &options);
    assert!(!place(&program.units[0], "a").dead);
}
