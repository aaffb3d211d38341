//! Rules of expressions by version: each row is accepted, or rejected with a message that contains the given text.

use super::verdicts;
use airfoil_ir::Stage;

/// Bodies of `main` in fragment shaders.
fn bodies(version: &str, rows: &[(&str, &str)]) {
    let head = if version.ends_with("es") || version == "100" { "precision mediump float;" } else { "" };
    let rows: Vec<(String, &str)> =
        rows.iter().map(|(body, want)| (format!("{head}void main() {{ {body} }}"), *want)).collect();
    let rows: Vec<(&str, &str)> = rows.iter().map(|(s, w)| (s.as_str(), *w)).collect();
    verdicts(Stage::Fragment, version, &rows);
}

#[test]
fn conversions_by_version() {
    bodies(
        "110",
        &[("float a = 1;", "cannot initialise float with int"), ("float a = 1.0 + 1;", "component types")],
    );
    bodies(
        "120",
        &[("float a = 1; a = 2; a += 3; a = a * 2;", ""), ("int a = 1.0;", "cannot initialise int")],
    );
    bodies("120", &[("int a = 1; a += 1.0;", "component types differ"), ("vec2 a = ivec2(1);", "")]);
    bodies("130", &[("float a = 1u;", ""), ("uint a = 1;", "cannot initialise uint")]);
    bodies(
        "400",
        &[("uint a = 1; double d = 1u; d = 1.0f; dmat2 m = mat2(1);", ""), ("int a = 1u;", "cannot")],
    );
    bodies(
        "300 es",
        &[("float a = 1;", "cannot initialise"), ("float a = 1.0; a = a * 2;", "no implicit conversions")],
    );
    bodies("300 es", &[("float a = float(1);", ""), ("bool b = bool(1.0);", ""), ("bool b = 1;", "cannot")]);
}

#[test]
fn operators_by_type() {
    bodies(
        "330",
        &[
            ("vec3 a = vec3(1) + vec2(1);", "sizes do not match"),
            ("vec3 a = vec3(1) * 2.0 + 1;", ""),
            ("mat2x3 m = mat2x3(1) * mat2(1); vec3 v = m * vec2(1); vec2 w = vec3(1) * m;", ""),
            ("mat2x3 m = mat2(1) * mat2x3(1);", "sizes do not match"),
            ("vec2 v = mat2(1) + vec2(1);", "sizes do not match"),
            ("mat2 m = mat2(1); m *= mat2(2); m /= 2.0; m = m / m;", ""),
            ("float f = 1.0; f *= vec2(1);", "would assign vec2 to float"),
            ("bool b = !1;", "takes a scalar bool"),
            ("bool b = -true;", "takes a number"),
            ("int i = ~1 & 3 | 4 ^ 5; i = i << 2u; i >>= 1; i %= 3;", ""),
            ("float f = 1.0 % 2.0;", "works on integers"),
            ("int i = 1 << ivec2(1);", "sizes do not match"),
            ("ivec2 i = ivec2(1) << 1;", ""),
            ("bool b = vec2(1) < vec2(2);", "lessThan"),
            ("bool b = vec2(1) == vec2(2) && mat2(1) != mat2(2);", ""),
            ("bool b = vec2(1) == vec3(2);", "types differ"),
            ("bool b = 1 && true;", "scalar booleans"),
            ("bool b = bvec2(true) || true;", "scalar booleans"),
            ("bool b = true ^^ false;", ""),
            ("int i = 1; ++i; i--; -i; +i;", ""),
            ("bool b = true; b++;", "takes a number"),
            ("float a = true ? 1 : 2.0;", ""),
            ("float a = 1 ? 1.0 : 2.0;", "must be a scalar bool"),
            ("vec2 a = true ? vec2(1) : vec3(1);", "must have one type"),
            ("int i = (1, 2, 3);", ""),
        ],
    );
    bodies(
        "120",
        &[("int i = 5 % 2;", "reserved"), ("int i = 1 << 2;", "reserved"), ("int i = ~1;", "reserved")],
    );
    bodies("100", &[("int i = 5 & 2;", "reserved")]);
}

#[test]
fn arrays_and_structures_as_values() {
    let rows = &[
        ("float a[2]; float b[2]; a = b;", ""),
        ("float a[2]; float b[2]; bool c = a == b;", ""),
        ("float a[2]; float b[3]; a = b;", "cannot assign float[3] to float[2]"),
        ("float a[2]; float b[3]; bool c = a == b;", "types differ"),
        ("float a[2]; a + a;", "works on scalars"),
        ("struct S { float x; } s, t; s = t; bool c = s == t;", ""),
        ("struct S { float x; } s; struct T { float x; } t; s = t;", "cannot assign"),
        ("float a[] = float[](1.0, 2.0); a.length();", ""),
        ("float a[2] = float[2](1.0);", "expected 2 elements, found 1"),
        ("float a[2] = float[](1, 2);", ""),
    ];
    bodies("120", rows);
    bodies(
        "110",
        &[
            ("float a[2]; float b[2]; a = b;", "since GLSL 1.20"),
            ("float a[2]; a.length();", "since GLSL 1.20"),
        ],
    );
    bodies(
        "100",
        &[
            ("float a[2]; float b[2]; a = b;", "since GLSL 1.20"),
            ("struct S { float x[2]; } s, t; s = t;", "arrays"),
        ],
    );
}

#[test]
fn access() {
    bodies(
        "330",
        &[
            ("vec4 v = vec4(1); v.xy.yx = v.zw; v.rgba.stpq;", ""),
            ("vec4 v = vec4(1); v.xg;", "one of the sets"),
            ("vec2 v = vec2(1); v.z;", "fewer components"),
            ("vec2 v = vec2(1); v.xxxxx;", "at most four"),
            ("vec2 v = vec2(1); v.xx = v;", "named twice"),
            ("float f = 1.0; f.x;", "since GLSL 4.20"),
            ("vec2 v = vec2(1); v[2];", "out of range"),
            ("vec2 v = vec2(1); v[-1];", "negative"),
            ("mat2 m = mat2(1); m[1][1] = 2.0; m[2];", "out of range"),
            ("vec2 v = vec2(1); v[1.0];", "must be an int or uint"),
            ("float f = 1.0; f[0];", "cannot be indexed"),
            ("struct S { float alpha; } s; s.alpha = 1.0; s.alpa;", "did you mean `alpha`"),
            ("float f = 1.0; f.length();", "no length"),
            ("vec2 v = vec2(1); v.length();", "since GLSL 4.20"),
            ("float a[3]; a.size();", "unknown method"),
            ("float a[3]; a.length(1);", "takes no arguments"),
            ("float a[3]; a[3] = 1.0;", "out of range"),
            ("int i = 1; float a[3]; a[i] = 1.0; a[1u] = 2.0;", ""),
        ],
    );
    bodies(
        "420",
        &[(
            "float f = 1.0; vec3 v = f.xxx; int n = v.length() + mat2x3(1).length(); float a[n];",
            "constant",
        )],
    );
}

#[test]
fn lvalues() {
    bodies(
        "330",
        &[
            ("const float c = 1.0; c = 2.0;", "cannot assign"),
            ("gl_FragCoord = vec4(1);", "input of the stage"),
            ("float a, b; (a) = b;", ""),
            ("float a, b; true ? a : b = 1.0;", ""),
            ("float a, b; (b > a ? a : b) = 1.0;", "`?:` does not yield an l-value"),
            ("float a, b; (a, b) = 1.0;", "`,` does not yield an l-value"),
            ("float a; a + a = 1.0;", "an operator does not yield an l-value"),
            ("float a; +a = 1.0;", "an operator does not yield an l-value"),
            ("1.0 = 2.0;", "constant"),
            ("float a; a++ = 1.0;", "an operator does not yield an l-value"),
            ("vec2(1) = vec2(2);", "constant"),
            ("float a; sin(a) = 1.0;", "a function call is not an l-value"),
        ],
    );
    verdicts(
        Stage::Fragment,
        "330",
        &[
            ("uniform float u; void main() { u = 1.0; }", "it is uniform"),
            ("in float u; void main() { u += 1.0; }", "input of the stage"),
            ("void f(const float x) { x = 1.0; } void main() {}", "const parameter"),
            ("void f(float x) { x = 1.0; } void main() {}", ""),
            ("void f(out float x) { x = 1.0; } void main() { f(1.0); }", "cannot pass"),
            ("void f(out float x) { x = 1.0; } void main() { float a; f(a); }", ""),
            ("void f(inout float x) { } void main() { int a; f(a); }", "no function fits"),
            ("void f(out int x) { x = 1; } void main() { float a; f(a); }", ""),
            ("uniform sampler2D s, t; void main() { s = t; }", "it is uniform"),
            ("uniform sampler2D s, t; void main() { bool b = s == t; }", "opaque types"),
        ],
    );
    verdicts(
        Stage::TessControl,
        "400",
        &[
            (
                "layout(vertices = 3) out; out float x[]; void main() { x[gl_InvocationID] = 1.0; gl_TessLevelInner[0] = 1.0; }",
                "",
            ),
            (
                "layout(vertices = 3) out; out float x[]; void main() { x[0] = 1.0; }",
                "[gl_InvocationID] only",
            ),
            ("layout(vertices = 3) out; patch out float x[2]; void main() { x[0] = 1.0; barrier(); }", ""),
            (
                "layout(vertices = 3) out; void main() { if (gl_InvocationID == 0) barrier(); }",
                "control flow",
            ),
            ("layout(vertices = 3) out; void f() { barrier(); } void main() { f(); }", "outside of main"),
            ("layout(vertices = 3) out; void main() { return; barrier(); }", "after a return"),
        ],
    );
}

#[test]
fn constructors() {
    bodies(
        "330",
        &[
            ("vec4(1.0); vec4(1, 2, 3, 4); vec4(vec2(1), vec2(2)); vec2(vec4(1)); vec3(1, vec4(2));", ""),
            ("vec4(1.0, 2.0);", "expected 4 components, found 2"),
            ("vec2(1, 2, 3);", "too many"),
            ("vec2(vec2(1), 1);", "too many"),
            ("vec2();", "needs an argument"),
            ("float(vec3(1)); int(true); bool(2.5); vec4(mat2(1));", ""),
            (
                "mat2(1.0); mat2(1, 2, 3, 4); mat2(vec2(1), vec2(2)); mat2(vec4(1)); mat3(mat2(1)); mat2(mat4(1));",
                "",
            ),
            ("mat2(mat2(1), 1.0);", "only argument"),
            ("mat2(1, 2, 3);", "expected 4 components"),
            ("struct S { float a; int b; }; S(1, 2);", ""),
            ("struct S { float a; int b; }; S(1.0);", "expected 2 members"),
            ("struct S { float a; int b; }; S(1.0, 2.0);", "expected int, found float"),
            ("float a[2]; vec2(a);", "no components"),
            ("float[]();", "argument for each element"),
        ],
    );
    bodies("110", &[("mat2 m = mat2(mat3(1.0));", "since GLSL 1.20"), ("vec2 v = vec2(1, 2.0);", "")]);
    bodies("100", &[("mat2 m = mat2(mat3(1.0));", "")]);
    bodies("430", &[("float a[][] = float[][](float[](1, 2), float[](3, 4)); float b = a[1][1];", "")]);
}

#[test]
fn initialiser_lists() {
    bodies(
        "420",
        &[
            ("vec2 v = { 1, 2.0 };", ""),
            ("mat2 m = { { 1, 2 }, { 3, 4 } };", ""),
            ("mat2 m = { { 1, 2 }, vec2(3), };", ""),
            ("float a[] = { 1, 2, 3 }; float b[3] = a;", ""),
            ("struct S { float a; vec2 b; } s = { 1, { 2, 3 } };", ""),
            ("vec2 v = { 1, 2, 3 };", "2 members, 3 initialisers"),
            ("float f = { 1 };", "no members"),
            ("vec2 v = { 1, bvec2(1) };", "cannot initialise float with bvec2"),
        ],
    );
    bodies("330", &[("vec2 v = { 1, 2 };", "since GLSL 4.20")]);
    bodies("320 es", &[("vec2 v = { 1.0, 2.0 };", "not exist in GLSL ES")]);
}

#[test]
fn names() {
    bodies(
        "330",
        &[
            ("float colour; color = 1.0;", "did you mean `colour`"),
            ("main = 1;", "is a function"),
            ("struct S { int a; }; S = 1;", "is a type"),
            ("float f; f(1.0);", "is a variable"),
            ("float x = x;", "not declared"),
        ],
    );
}

#[test]
fn overloads() {
    let functions = "void v() {} float f(float a) { return a; } float f(int a) { return 2.0; } \
        float g(vec2 a, vec2 b) { return 1.0; } \
        float h(float a, int b) { return 1.0; } float h(int a, float b) { return 2.0; }";
    let rows = [
        ("f(1); f(1.0);", ""),
        ("g(ivec2(1), vec2(1));", ""),
        ("g(vec2(1), vec3(1));", "no function fits the call g(vec2, vec3); there is g(vec2, vec2)"),
        ("h(1, 1);", "several functions"),
        ("h(1.0, 1);", ""),
        ("k(1);", "function `k` is not declared"),
        ("clmp(1, 2, 3);", "did you mean `clamp`"),
        ("max(1.0, 2); max(vec3(1), 2.0); abs(-1);", ""),
        ("max(vec3(1), vec2(1));", "no function fits"),
        ("float m = v();", "cannot initialise float with void"),
    ];
    let rows: Vec<(String, &str)> =
        rows.iter().map(|(b, w)| (format!("{functions} void main() {{ {b} }}"), *w)).collect();
    let rows: Vec<(&str, &str)> = rows.iter().map(|(s, w)| (s.as_str(), *w)).collect();
    verdicts(Stage::Fragment, "330", &rows);
    verdicts(
        Stage::Fragment,
        "400",
        &[
            ("void f(double a) {} void f(uint a) {} void main() { f(1.0f); f(1u); }", ""),
            ("void f(float a) {} void f(double a) {} void main() { f(1); }", ""),
            ("void f(uint a) {} void f(float a) {} void main() { f(1); }", "several functions"),
            ("void f(uint a) {} void f(double a) {} void main() { f(1.0f); }", ""),
        ],
    );
    // A function of the shader hides the built-in ones of its name, but not in ES.
    verdicts(
        Stage::Fragment,
        "330",
        &[(
            "float abs(bool b) { return 1.0; } void main() { abs(1.0); }",
            "no function fits the call abs(float)",
        )],
    );
    verdicts(
        Stage::Fragment,
        "100",
        &[(
            "precision mediump float; float abs(bool b) { return 1.0; } void main() { abs(1.0); abs(true); }",
            "",
        )],
    );
}

#[test]
fn arguments_of_builtins() {
    verdicts(
        Stage::Fragment,
        "450",
        &[
            ("uniform sampler2D s; void main() { textureOffset(s, vec2(0), ivec2(7)); }", ""),
            (
                "uniform sampler2D s; void main() { textureOffset(s, vec2(0), ivec2(8, 0)); }",
                "not in the range",
            ),
            (
                "uniform sampler2D s; uniform ivec2 o; void main() { textureOffset(s, vec2(0), o); }",
                "constant expression",
            ),
            ("uniform sampler2D s; void main() { textureGather(s, vec2(0), 4); }", "not in the range"),
            ("uniform sampler2D s[2]; uniform int i; void main() { texture(s[i], vec2(0)); }", ""),
            ("in vec4 v; void main() { interpolateAtCentroid(v); interpolateAtCentroid(v.xy); }", ""),
            ("in vec4 v; void main() { vec4 w = v; interpolateAtCentroid(w); }", "must be an input"),
            ("layout(r32i) uniform iimage2D i; void main() { imageAtomicAdd(i, ivec2(0), 1); }", ""),
            ("layout(rgba8) uniform image2D i; void f(image2D j) {} void main() { f(i); }", ""),
            (
                "layout(rgba8) uniform readonly image2D i; void f(image2D j) {} void main() { f(i); }",
                "the image is readonly",
            ),
            (
                "layout(rgba8) uniform readonly image2D i; void main() { imageStore(i, ivec2(0), vec4(0)); }",
                "readonly",
            ),
            ("writeonly uniform image2D i; void main() { imageLoad(i, ivec2(0)); }", "writeonly"),
            ("buffer B { int a; float f[]; }; void main() { atomicAdd(a, 1); f.length(); f[a] = 1.0; }", ""),
            ("int a; void main() { atomicAdd(a, 1); }", "buffer or shared"),
            ("readonly buffer B { int a; }; void main() { a = 1; }", "readonly"),
            ("writeonly buffer B { int a; }; void main() { int b = a; }", "writeonly"),
            ("writeonly buffer B { int a; }; void main() { a = 1; }", ""),
        ],
    );
    verdicts(
        Stage::Fragment,
        "330",
        &[(
            "uniform sampler2D s[2]; uniform int i; void main() { texture(s[i], vec2(0)); }",
            "constant expressions",
        )],
    );
}
