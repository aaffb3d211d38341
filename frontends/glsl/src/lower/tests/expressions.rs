//! Expressions.

use super::{same, text};
use airfoil_ir::Stage;

#[test]
fn short_circuit_side_effects() {
    let f = "int n = 0; bool f(bool b) { ++n; return b; }";
    same(
        f,
        "bool a = f(false) && f(true); bool b = f(true) || f(false); r[0] = n; r[1] = int(a); r[2] = int(b);",
        "r[0] = 2; r[1] = 0; r[2] = 1;",
    );
    same(
        f,
        "bool a = f(true) && f(true) && f(false) && f(true); r[0] = n; r[1] = int(a);",
        "r[0] = 3; r[1] = 0;",
    );
    same(
        f,
        "int i = 0; bool a = zero_to_three >= 0 || ++i > 0; r[0] = i; r[1] = int(a) * 0 + i;",
        "r[0] = zero_to_three >= 0 ? 0 : 1; r[1] = r[0];",
    );
    same(
        f,
        "int x = nothing() == 0 ? (f(true) ? 4 : 5) : (f(true), f(true) ? 6 : 7); r[0] = x; r[1] = n;",
        "r[0] = 4; r[1] = 1;",
    );
    same(f, "bool a = f(true) ^^ f(true); r[0] = n; r[1] = int(a);", "r[0] = 2; r[1] = 0;");
}

#[test]
fn increments_and_compound_assignments() {
    same(
        "",
        "int i = 5; r[0] = i++; r[1] = ++i; r[2] = i--; r[3] = --i; r[4] = i;",
        "r[0] = 5; r[1] = 7; r[2] = 7; r[3] = 5; r[4] = 5;",
    );
    same(
        "",
        "vec4 a = vec4(1, 2, 3, 4); a.xz++; v[0] = a; v[1] = (a *= 2).wzyx; a.yx -= vec2(1, 2); v[2] = a;",
        "v[0] = vec4(2, 2, 4, 4); v[1] = vec4(8, 8, 4, 4); v[2] = vec4(2, 3, 8, 8);",
    );
    same(
        "",
        "int i = 0; int a[4] = int[](0, 0, 0, 0); a[i++] += 5; a[i++] = i; for (int k = 0; k < 4; ++k) r[k] = a[k]; r[4] = i;",
        "r[0] = 5; r[1] = 2; r[2] = 0; r[3] = 0; r[4] = 2;",
    );
    same(
        "",
        "int a = 7; a <<= 2u; r[0] = a; a %= 5; r[1] = a; a |= 8; a ^= 1; a &= ~2; r[2] = a; a >>= 1; r[3] = a;",
        "r[0] = 28; r[1] = 3; r[2] = 8; r[3] = 4;",
    );
    same(
        "",
        "mat2 m = mat2(1, 2, 3, 4); m++; m *= 2.0; m[1] += 1.0; v[0] = vec4(m[0], m[1]); m *= mat2(0, 1, 1, 0); v[1] = vec4(m[0], m[1]);",
        "v[0] = vec4(4, 6, 9, 11); v[1] = vec4(9, 11, 4, 6);",
    );
}

#[test]
fn swizzles() {
    same(
        "",
        "vec4 a = vec4(0); a.wy = vec2(1, 2); a.zyx.yx = vec2(3, 4); v[0] = a; a = a.wwxy; v[1] = a; v[2].xy = a.zw; v[2].zw = vec2(0); v[3] = vec4(some.xxx, 1);",
        "v[0] = vec4(0, 3, 4, 1); v[1] = vec4(1, 1, 0, 3); v[2] = vec4(0, 3, 0, 0); v[3] = vec4(some, some, some, 1);",
    );
    same(
        "",
        "vec3 a = vec3(1, 2, 3); a.zx[nothing()] = 9.0; a.yz[nothing() + 1] += 1.0; v[0] = vec4(a, (a * 2.0).zyx[nothing() + 1]);",
        "v[0] = vec4(1, 2, 10, 4);",
    );
}

#[test]
fn dynamic_indices() {
    same(
        "",
        "int k = nothing() + 2; vec4 a = vec4(1, 2, 3, 4); a[k] = 7.0; fl[0] = a[k - 1]; v[0] = a; fl[1] = (a + 1.0)[k];",
        "fl[0] = 2.0; v[0] = vec4(1, 2, 7, 4); fl[1] = 8.0;",
    );
    same(
        "",
        "int k = nothing() + 1; mat3 m = mat3(1, 2, 3, 4, 5, 6, 7, 8, 9); m[k] = vec3(0); m[k + 1][k] = 5.0; v[0] = vec4(m[0], m[1].x); v[1] = vec4(m[k + 1], (m * 2.0)[k + 1][k + 1]);",
        "v[0] = vec4(1, 2, 3, 0); v[1] = vec4(7, 5, 9, 18);",
    );
    same(
        "",
        "const int a[5] = int[](2, 3, 5, 7, 11); for (int i = 0; i < 5; ++i) r[i] = a[i] + int[](1, 2, 3, 4, 5)[i];",
        "r[0] = 3; r[1] = 5; r[2] = 8; r[3] = 11; r[4] = 16;",
    );
    same(
        "int[3] make(int x) { return int[](x, x + 1, x + 2); }",
        "int k = nothing() + 1; r[0] = make(5)[k]; r[1] = make(k).length();",
        "r[0] = 6; r[1] = 3;",
    );
}

#[test]
fn matrices() {
    same(
        "",
        "float x = some * 0.0; mat2x3 a = mat2x3(1, 2, 3, 4, 5, 6 + x); mat3x2 b = mat3x2(1, 2, 3, 4, 5, 6); mat2 c = b * a; v[0] = vec4(c[0], c[1]); mat3 d = a * b; v[1] = vec4(d[0], d[2].z);",
        "v[0] = vec4(22, 28, 49, 64); v[1] = vec4(9, 12, 15, 51);",
    );
    same(
        "",
        "float x = some * 0.0; mat2x3 a = mat2x3(1, 2, 3, 4, 5, 6 + x); v[0] = vec4(a * vec2(1, 2), 0); v[1] = vec4(vec3(1, 2, 3) * a, 0, 0); v[2] = vec4((2.0 * a)[1], (a / 2.0)[0].x); v[3] = vec4((-a)[0], (a + a)[1].z);",
        "v[0] = vec4(9, 12, 15, 0); v[1] = vec4(14, 32, 0, 0); v[2] = vec4(8, 10, 12, 0.5); v[3] = vec4(-1, -2, -3, 12);",
    );
    same(
        "",
        "float x = some * 0.0; mat3 m = mat3(mat2(1, 2, 3, 4 + x)); v[0] = vec4(m[0], m[2].z); mat2 n = mat2(mat4(2 + x)); v[1] = vec4(n[0], n[1]); mat2 o = mat2(vec3(1, 2, 3 + x), 4); v[2] = vec4(o[0], o[1]);",
        "v[0] = vec4(1, 2, 0, 1); v[1] = vec4(2, 0, 0, 2); v[2] = vec4(1, 2, 3, 4);",
    );
    same(
        "",
        "mat2 m = mat2(some); r[0] = int(m == mat2(some)); r[1] = int(m != mat2(some)); m[0][1] = 3.0; r[2] = int(m == mat2(some));",
        "r[0] = 1; r[1] = 0; r[2] = 0;",
    );
}

#[test]
fn constructors_convert() {
    same(
        "",
        "int k = nothing() - 3; v[0] = vec4(k, true, 2u, -k); r[0] = int(vec3(1.5 + some * 0.0, 2, 3)); bvec2 b = bvec2(k, nothing()); r[1] = int(b.x); r[2] = int(b.y); ivec3 i = ivec3(vec4(some * 0.0 - 1.9)); r[3] = i.z; fl[0] = float(b.x);",
        "v[0] = vec4(-3, 1, 2, 3); r[0] = 1; r[1] = 1; r[2] = 0; r[3] = -1; fl[0] = 1.0;",
    );
    same(
        "",
        "double d = double(some) * 0.0lf + 2.5lf; fl[0] = float(d); dvec2 e = dvec2(d, 1); r[0] = int(e.x + e.y); uint u = uint(nothing() - 1); fl[1] = float(u);",
        "fl[0] = 2.5; r[0] = 3; fl[1] = 4294967295.0;",
    );
}

#[test]
fn comparisons_of_aggregates() {
    let s = "struct S { int a; vec2 b[2]; bool c; };";
    same(
        s,
        "S x = S(nothing(), vec2[](vec2(1), vec2(2)), true); S y = x; r[0] = int(x == y); y.b[1].y = 5.0; r[1] = int(x == y); r[2] = int(x != y);",
        "r[0] = 1; r[1] = 0; r[2] = 1;",
    );
    same(
        "",
        "int a[40], b[40]; for (int i = 0; i < 40; ++i) { a[i] = i; b[i] = i; } r[0] = int(a == b); b[39] = 0; r[1] = int(a == b);",
        "r[0] = 1; r[1] = 0;",
    );
    same(
        "",
        "vec3 a = vec3(some); r[0] = int(a == vec3(some)); r[1] = int(a != vec3(some)); r[2] = int(vec2(nothing(), 1) == vec2(0, 2)); r[3] = int(bvec2(a.x == a.y, true) != bvec2(true));",
        "r[0] = 1; r[1] = 0; r[2] = 0; r[3] = 0;",
    );
}

#[test]
fn choices_of_aggregates() {
    same(
        "struct S { int a; int b; };",
        "S x = nothing() == 0 ? S(1, 2) : S(3, 4); r[0] = x.a; r[1] = x.b; int c[2] = nothing() != 0 ? int[](1, 2) : int[](3, 4); r[2] = c[1]; mat2 m = nothing() == 0 ? mat2(some * 0.0 + 2.0) : mat2(fl[3]); fl[0] = m[1][1];",
        "r[0] = 1; r[1] = 2; r[2] = 4; fl[0] = 2.0;",
    );
}

#[test]
fn values_are_read_before_they_change() {
    same(
        "",
        "int a[2] = int[](1, 2); bool b = a == (a = int[](3, 4)); r[0] = int(b); r[1] = a[0];",
        "r[0] = 0; r[1] = 3;",
    );
    same("", "int i = 3; int j = (i = 5, i++, i * 2); r[0] = j; r[1] = i;", "r[0] = 12; r[1] = 6;");
}

#[test]
fn long_chains_need_no_stack() {
    let sum: String = (0..20_000).map(|_| " + zero_to_three").collect();
    same("", &format!("r[0] = 1{sum};"), "r[0] = 1 + 20000 * zero_to_three;");
    let commas: String = (0..20_000).map(|_| ", ++i").collect();
    same("", &format!("int i = 0; (++i{commas}); r[0] = i;"), "r[0] = 20001;");
}

#[test]
fn precise_reaches_what_contributes() {
    let source = |q: &str| {
        format!(
            "#version 450\nin vec4 a, b; out vec4 o; out vec4 p;
        vec4 twice(vec4 x) {{ return x + x; }}
        void main() {{ {q} vec4 r; vec4 t = a * b; vec4 u = a - b; t = twice(t); r = t + a; o = r; p = u; }}"
        )
    };
    let count = |q: &str| {
        let text = text(Stage::Vertex, &source(q));
        ["fmul!", "fadd!", "fsub!"].map(|op| text.matches(op).count())
    };
    assert_eq!(count(""), [0, 0, 0]);
    assert_eq!(count("precise"), [1, 2, 0]);
}

#[test]
fn cheap_operands_need_no_branch() {
    let source = "#version 450\nin vec4 a; out float o; void main() { o = a.x > 0 && a.y < abs(a.z) || a.w == 1 ? a.x : a.y + 1; }";
    assert!(!text(Stage::Vertex, source).contains("if "));
}
