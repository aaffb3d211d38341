//! Precision as hints: on operations, members, parameters and results (GLSL ES 3.20 sections 4.7.3 and 8).

use super::{keep_locals, shader, shader_with};
use airfoil_ir::{Shader, Stage};

const DECLARATIONS: &str = "
    in mediump vec4 m; in highp vec4 h; in lowp vec4 l; flat in mediump ivec4 mi; flat in highp ivec4 hi;
    uniform bool b; uniform lowp sampler2D ls; uniform highp sampler2D hs;
    layout(location = 0) out highp vec4 o;";

/// The operations of all functions of a fragment shader whose names are in `of`, as they are written.
fn operations(shader: &Shader, of: &[&str]) -> Vec<String> {
    let text = airfoil_ir::text::print(shader);
    let words = text.lines().filter_map(|l| l.split(" = ").nth(1));
    let found = words.filter_map(|w| {
        let name = w.split(' ').next()?;
        let plain = name.trim_end_matches(".relaxed");
        // Textures have the hint among their properties.
        let hint = if w.contains(" relaxed ") { " relaxed" } else { "" };
        of.contains(&plain).then(|| format!("{name}{hint}"))
    });
    found.collect()
}

#[track_caller]
fn check_in(version: &str, rows: &[(&str, &[&str], &[&str])]) {
    for (body, of, want) in rows {
        let source = format!(
            "#version {version}\nprecision highp float; precision highp int; {DECLARATIONS}
             highp float high(highp float x) {{ return x; }} mediump float middle(mediump float x) {{ return x; }}
             struct S {{ mediump float m; highp float h; }};
             void main() {{ {body} }}"
        );
        assert_eq!(operations(&shader(Stage::Fragment, &source), of), *want, "{body}");
    }
}

#[test]
fn operations_have_the_highest_precision_of_their_operands() {
    check_in(
        "310 es",
        &[
            ("o = m * m + h;", &["fmul", "fadd"], &["fmul.relaxed", "fadd"]),
            ("o = m * l - l;", &["fmul", "fsub"], &["fmul.relaxed", "fsub.relaxed"]),
            ("o = m * (h - m);", &["fmul", "fsub"], &["fsub", "fmul"]),
            ("o = -m + -h;", &["fneg", "fadd"], &["fneg.relaxed", "fneg", "fadd"]),
            ("o.xy = vec2(m.x * m.y, h.x);", &["fmul"], &["fmul.relaxed"]),
            ("o.x = vec2(m.x, h.x).x * m.y;", &["fmul"], &["fmul"]),
            ("o.x = vec2(m.x, 1.0).x * m.y;", &["fmul"], &["fmul.relaxed"]),
            ("o.x = float(mi.x) + float(hi.x);", &["i2f", "fadd"], &["i2f.relaxed", "i2f", "fadd"]),
            ("o.x = m.x < l.x || h.x < m.x ? 1.0 : 0.0;", &["flt"], &["flt.relaxed", "flt"]),
            ("o.x = mi[hi.x + 1] == 3 ? 1.0 : 0.0;", &["iadd", "ieq"], &["iadd", "ieq.relaxed"]),
            ("o = b ? m : l; o = b ? m : h;", &["bcsel"], &["bcsel.relaxed", "bcsel"]),
            (
                "mediump float t = m.x; t += h.x; t *= l.x; t++;",
                &["fadd", "fmul"],
                &["fadd", "fmul.relaxed", "fadd.relaxed"],
            ),
        ],
    );
}

#[test]
fn operands_without_precision_take_it_from_others_or_from_the_consumer() {
    check_in(
        "310 es",
        &[
            ("o = 2.0 * m; o = h * 2.0;", &["fmul"], &["fmul.relaxed", "fmul"]),
            // Named constants have a precision, as do expressions of them.
            ("const highp float k = 2.0; o = m * k; o = m * (k + 1.0);", &["fmul"], &["fmul", "fmul"]),
            (
                "const lowp float k = 2.0; o = m * k; o = m * (k + 1.0);",
                &["fmul"],
                &["fmul.relaxed", "fmul.relaxed"],
            ),
            ("const highp vec2 k = vec2(2.0); o = m * k.x; o = m * k[1];", &["fmul"], &["fmul", "fmul"]),
            ("const highp float k = 2.0; o = m * (true ? 1.0 : k);", &["fmul"], &["fmul"]),
            ("o = m * (1.0 - float(b));", &["b2f", "fsub"], &["b2f.relaxed", "fsub.relaxed"]),
            ("o = h * (1.0 - float(b));", &["b2f", "fsub"], &["b2f", "fsub"]),
            ("mediump float t = 1.0 - float(b);", &["b2f", "fsub"], &["b2f.relaxed", "fsub.relaxed"]),
            ("highp float t = 1.0 - float(b);", &["b2f", "fsub"], &["b2f", "fsub"]),
            (
                "lowp float t; t = 1.0 - float(b); t += float(b);",
                &["b2f", "fsub", "fadd"],
                &["b2f.relaxed", "fsub.relaxed", "b2f.relaxed", "fadd.relaxed"],
            ),
            ("middle(float(b)); high(float(b));", &["b2f"], &["b2f.relaxed", "b2f"]),
            ("S s = S(float(b), float(b));", &["b2f"], &["b2f.relaxed", "b2f"]),
            // Nothing has a precision: the full one.
            ("if (1.0 - float(b) > 0.5) discard;", &["b2f", "fsub", "flt"], &["b2f", "fsub", "flt"]),
            ("S s; o.x = s.m * s.m; o.x = s.h * s.m;", &["fmul"], &["fmul.relaxed", "fmul"]),
            ("o.x = middle(h.x) * m.x; o.x = high(m.x) * m.x;", &["fmul"], &["fmul.relaxed", "fmul"]),
        ],
    );
    let result = "#version 310 es\nprecision highp float; uniform bool b; out float o;
        mediump float f() { return 1.0 - float(b); } highp float g() { return 1.0 + float(b); }
        void main() { o = f() + g(); }";
    let found = operations(&shader(Stage::Fragment, result), &["fsub", "fadd"]);
    assert_eq!(found, ["fsub.relaxed", "fadd", "fadd"]);
}

#[test]
fn built_in_functions_have_the_precision_of_their_prototypes() {
    check_in(
        "310 es",
        &[
            ("o.x = max(m.x, 1.0) + max(m.x, h.x);", &["fmax", "fadd"], &["fmax.relaxed", "fmax", "fadd"]),
            (
                "o.x = length(m.xy); o.x = length(h.xy);",
                &["fdot2", "fsqrt"],
                &["fdot2.relaxed", "fsqrt.relaxed", "fdot2", "fsqrt"],
            ),
            ("o = dFdx(m); o = dFdx(h);", &["fddx"], &["fddx.relaxed", "fddx"]),
            // Lookups have the precision of the sampler; coordinates keep theirs.
            (
                "o = texture(ls, h.xy * 2.0) * m; o = texture(hs, m.xy * 2.0) * m;",
                &["tex", "fmul"],
                &["fmul", "tex relaxed", "fmul.relaxed", "fmul.relaxed", "tex", "fmul"],
            ),
            ("o = vec4(textureSize(ls, 0).x * mi.x);", &["txs", "imul"], &["txs", "imul"]),
            // The results are lowp; the operand of findMSB is highp.
            (
                "o = vec4(findMSB(mi.x) * mi.y);",
                &["ufind_msb", "ifind_msb", "find_msb", "imul"],
                &["ifind_msb", "imul.relaxed"],
            ),
            ("o = vec4(bitCount(hi.x) * mi.y);", &["bit_count", "imul"], &["bit_count", "imul.relaxed"]),
            ("o = vec4(bitCount(mi.x));", &["bit_count"], &["bit_count.relaxed"]),
            (
                "o = vec4(bitfieldExtract(mi.x, hi.x, hi.y));",
                &["ibitfield_extract"],
                &["ibitfield_extract.relaxed"],
            ),
            (
                "o.xy = unpackHalf2x16(uint(hi.x)) * m.xy;",
                &["unpack_half_2x16", "fmul"],
                &["unpack_half_2x16", "fmul.relaxed"],
            ),
            ("o.x = intBitsToFloat(mi.x) * m.x;", &["fmul"], &["fmul"]),
            ("o.x = ldexp(m.x, mi.x) * m.x;", &["fldexp", "fmul"], &["fldexp", "fmul"]),
        ],
    );
}

#[test]
fn on_desktop_precision_has_no_meaning_but_for_vulkan() {
    let code = "in mediump vec4 m; in vec4 n; out vec4 o; void main() { o = m * m; o = m * n; o = m * 2.0; }";
    let desktop = shader(Stage::Fragment, &format!("#version 460\n{code}"));
    assert_eq!(operations(&desktop, &["fmul"]), ["fmul", "fmul", "fmul"]);
    let mut options = crate::compile::Options::new(Stage::Fragment);
    options.vulkan = true;
    let code = "layout(location = 0) in mediump vec4 m; layout(location = 1) in vec4 n; layout(location = 0) out vec4 o;
        const float k = 2.0; const int i = 3; const mediump int j = 3;
        void main() { o = m * m; o = m * n; o = m * 2.0; o = m * k; o = m * i; o = m * j; }";
    let unit = crate::compile::compile(&[&format!("#version 460\n{code}")], &options).unwrap().unit;
    let linked =
        crate::link::link(vec![unit], &crate::link::LinkOptions { separable: true, ..Default::default() });
    let vulkan = super::lower(&linked.unwrap().units[0], &Default::default()).unwrap();
    // A converted constant keeps its precision.
    let want = ["fmul.relaxed", "fmul", "fmul.relaxed", "fmul", "fmul", "fmul.relaxed"];
    assert_eq!(operations(&vulkan, &["fmul"]), want);
}

#[test]
fn members_parameters_and_results_keep_their_precision() {
    let shader = shader_with(
        Stage::Fragment,
        "#version 310 es
        precision highp float;
        struct S { lowp vec3 a; float b; bool c; };
        layout(std140) uniform Block { mediump vec4 x; S s; };
        uniform mediump vec2 loose;
        out mediump vec4 o;
        mediump float f(lowp float a, highp mat2 m, out mediump vec2 v) { v = m[0]; return a; }
        void main() { S t = s; vec2 v; o = vec4(f(t.a.x, mat2(x.xyzw), v), loose, v.x); }",
        &keep_locals(),
    );
    let text = airfoil_ir::text::print(&shader);
    for part in [
        "struct S { vec3 a @0 precision=lowp, float b @12 precision=highp, uint c @16 }",
        "struct S.1 { vec3 a precision=lowp, float b precision=highp, bool c }",
        "vec4 x @0 precision=mediump, S s @16",
        "vec2 loose @0 precision=mediump",
        "fn f(deref(float function_temp) precision=mediump, 32x1 precision=lowp, 32x2 precision=highp, \
         32x2 precision=highp, deref(vec2 function_temp) precision=mediump)",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
}
