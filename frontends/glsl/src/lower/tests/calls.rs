//! Functions and their parameters.

use super::{same, shader, text};
use airfoil_ir::Stage;

#[test]
fn out_parameters_are_copied_back_in_order() {
    let f = "void set(out int a, out int b) { b = 2; a = 1; }
    void add(inout int a, int by, inout int b) { a += by; b += a; }
    int twice(inout int x) { x *= 2; return x + 1; }";
    same(
        f,
        "int x = 9; set(x, x); r[0] = x; int a[3]; int i = 0; set(a[i++], a[i++]); r[1] = a[0]; r[2] = a[1]; r[3] = i;",
        "r[0] = 2; r[1] = 1; r[2] = 2; r[3] = 2;",
    );
    same(
        f,
        "int x = 1; add(x, 5, x); r[0] = x; int y = 3; add(y, y++, y); r[1] = y;",
        "r[0] = 7; r[1] = 10;",
    );
    same(f, "int x = 3; r[0] = twice(x) * 100 + twice(x); r[1] = x;", "r[0] = 713; r[1] = 12;");
}

#[test]
fn out_parameters_of_parts() {
    let f = "void set(out vec2 a) { a = vec2(7, 8); a.x += 1.0; } void bump(inout float x) { x += 1.0; }";
    same(
        f,
        "vec4 q = vec4(1, 2, 3, 4); set(q.wy); v[0] = q; bump(q.z); bump(q[nothing()]); v[1] = q; mat2 m = mat2(0); set(m[1]); bump(m[0][nothing() + 1]); v[2] = vec4(m[0], m[1]); set(v[3].zw); v[3].xy = vec2(0);",
        "v[0] = vec4(1, 8, 3, 8); v[1] = vec4(2, 8, 4, 8); v[2] = vec4(0, 1, 8, 8); v[3] = vec4(0, 0, 8, 8);",
    );
}

#[test]
fn out_parameters_convert() {
    let f = "void half_of(float x, out int i) { i = int(x / 2.0); } void grow(inout float x) { x += 0.75; }";
    same(
        f,
        "float y; half_of(9, r[0]); half_of(5.0, r[1]); int k; half_of(7, k); y = k; fl[0] = y; double d = 1.0lf; ",
        "r[0] = 4; r[1] = 2; fl[0] = 3.0;",
    );
}

#[test]
fn in_parameters_are_copies() {
    let f = "struct S { int a[3]; bool b; mat2 m; };
    int sum(S s, int n) { s.a[0] += 10; n += 1; s.b = !s.b; s.m[1].y += 1.0; return s.a[0] + s.a[1] + s.a[2] + n + int(s.b) + int(s.m[1].y); }
    S make(int x) { return S(int[](x, x, x), x > 0, mat2(2)); }
    int first(const int a[3]) { return a[nothing()]; }";
    same(
        f,
        "S s = make(nothing() + 1); int n = 5; r[0] = sum(s, n); r[1] = s.a[0] + n + int(s.b) + int(s.m[1].y); r[2] = first(make(4).a); r[3] = first(s.a);",
        "r[0] = 22; r[1] = 9; r[2] = 4; r[3] = 1;",
    );
}

#[test]
fn recursion_free_call_chains() {
    let f = "float a(float x) { return x * 2.0; } float b(float x) { return a(x) + a(a(x)); } float b(int x) { return b(float(x)) + 1.0; } vec2 c(vec2 x) { return vec2(b(x.x), b(int(x.y))); }";
    same(f, "v[0] = vec4(c(vec2(1, 2)), 0, 0);", "v[0] = vec4(6, 13, 0, 0);");
}

#[test]
fn opaque_parameters() {
    let source = "#version 450
    struct Material { vec4 tint; sampler2D map[2]; float bias; };
    uniform Material m[2];
    uniform sampler2D single;
    layout(rgba8) writeonly uniform image2D img;
    in vec2 uv; out vec4 o;
    vec4 look(sampler2D s, vec2 at) { return texture(s, at); }
    vec4 shade(Material x) { return x.tint * look(x.map[1], uv) + x.bias; }
    void put(writeonly image2D i, vec4 v) { imageStore(i, ivec2(uv), v); }
    void main() { o = shade(m[1]) + look(single, uv) + look(m[0].map[0], uv); put(img, o); }";
    let text = text(Stage::Fragment, source);
    assert!(text.contains("m.map"), "{text}");
}

#[test]
fn unused_functions_are_left_out() {
    let s = shader(
        Stage::Vertex,
        "#version 330\nin vec4 a; float unused() { return a.x; } float used() { for (int i = 0; ; ++i) if (i > 3) return a.y; } void main() { gl_Position = vec4(used()); }",
    );
    let names: Vec<_> = s.functions.values().map(|f| f.name.to_string()).collect();
    assert_eq!(names, ["main", "used"]);
}

#[test]
fn subroutines() {
    let source = "#version 450
    subroutine float shape(float x);
    layout(index = 3) subroutine(shape) float line(float x) { return x; }
    layout(index = 1) subroutine(shape) float square(float x) { return x * x; }
    subroutine uniform shape one; subroutine uniform shape many[3];
    in float x; in flat int k; out float o;
    void main() { o = one(x) + many[1](x); }";
    let s = shader(Stage::Fragment, source);
    assert_eq!(s.functions.len(), 3);
    let text = airfoil_ir::text::print(&s);
    assert_eq!(text.matches("    call ").count(), 4, "{text}");
}
