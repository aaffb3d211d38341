//! Calls that are replaced by code while they are lowered.

use super::{LinkOptions, Options, compile, keep_locals, program, same, shader, shader_with};
use airfoil_ir::{Shader, Stage};

/// The functions that are left.
fn functions(s: &Shader) -> Vec<String> {
    s.functions.values().map(|f| f.name.to_string()).collect()
}

fn functions_of(declarations: &str, body: &str) -> Vec<String> {
    functions(&shader(Stage::Compute, &program(declarations, body)))
}

#[test]
fn functions_that_return_at_their_ends_are_inlined() {
    let f = "int f(int a) { if (a == 0) return 7; if (a == 1) { a += 2; return a; } else a += 5; { if (a > 20) return 20; } return a; }
        void g(inout int a) { if (a > 3) { a = 3; return; } a += 1; }";
    let body = "for (int i = 0; i < 4; ++i) r[i] = f(i + nothing()); r[4] = f(30); int a = 4; g(a); r[5] = a; g(a); g(r[5]); r[6] = a;";
    assert_eq!(functions_of(f, body), ["main"]);
    same(f, body, "r[0] = 7; r[1] = 3; r[2] = 7; r[3] = 8; r[4] = 20; r[5] = 4; r[6] = 4;");
    let kept = functions(&shader_with(Stage::Compute, &program(f, body), &keep_locals()));
    assert_eq!(kept, ["main", "nothing", "f", "g"]);
}

#[test]
fn other_functions_are_called() {
    // A `return` in a loop or switch; code after two paths.
    let f = "int f(int a) { for (int i = 0; i < a; ++i) if (i == 3) return 9; return a; }
        int g(int a) { switch (a) { case 0: return 4; default: a += 1; } return a; }
        int h(int a) { if (a > 1) { if (a == 2) return 3; a += 1; } a *= 2; return a; }";
    let body = "r[0] = f(2) + f(8); r[1] = g(0) * 10 + g(3); r[2] = h(1) + h(2) + h(3);";
    assert_eq!(functions_of(f, body), ["main", "f", "g", "h"]);
    same(f, body, "r[0] = 11; r[1] = 44; r[2] = 13;");
}

#[test]
fn arguments_are_copied_in_and_out_in_order() {
    let f = "int calls = 0; int next() { return ++calls; }
        int f(int a, inout int b, out vec2 c, const mat2 m, int d[2]) { a += 1; b += a; c = m[1]; d[0] = 5; b += d[1]; return d[0] + a; }
        void swap(inout float a, inout float b) { float t = a; a = b; b = t; }
        void both(out int a, out int b) { a = 1; b = 2; }";
    same(
        f,
        "int x = next(), y = 10; int d[2] = int[](1, next()); vec4 c = vec4(0.0);
         r[0] = f(x, y, c.wy, mat2(1.0, 2.0, 3.0, 4.0), d); r[1] = x; r[2] = y; r[3] = d[0]; v[0] = c;
         float p[2] = float[](1.0, 2.0); swap(p[0], p[1]); fl[0] = p[0]; vec2 q = vec2(3.0, 4.0); swap(q.y, q[0]); fl[1] = q.y;
         int z = 0; both(z, z); r[4] = z; int i = nothing(); both(r[next() + 3], i); r[7] = calls;",
        "r[0] = 7; r[1] = 1; r[2] = 14; r[3] = 1; v[0] = vec4(0.0, 4.0, 0.0, 3.0); fl[0] = 2.0; fl[1] = 3.0; r[4] = 2; r[6] = 1; r[7] = 3;",
    );
}

#[test]
fn parameters_change_in_loops() {
    same(
        "float f(float a) { for (int i = 0; i < 5; i++) a = -a; return a; }
         void g(inout vec2 a, int n) { while (n-- > 0) { a.x += 1.0; a[n & 1] += 2.0; } }
         float h(float a, out int n) { for (n = 0; a > 1.0; ++n) a *= 0.5; return a; }",
        "fl[0] = f(some + 2.0 - some); vec2 v = vec2(1.0, 2.0); g(v, 3); fl[1] = v.x; fl[2] = v.y; int n; fl[3] = h(6.0, n); r[0] = n;",
        "fl[0] = -2.0; fl[1] = 8.0; fl[2] = 4.0; fl[3] = 0.75; r[0] = 3;",
    );
}

/// No statement precedes the loop: the position of its first store is that of the unit.
#[test]
fn parameters_change_in_the_first_loop_of_a_shader() {
    same(
        "int f(int a, inout int b) { while (a > 0) { a -= 3; b += a; } return a; }",
        "int b = 1; r[0] = f(nothing() + 7, b); r[1] = b;",
        "r[0] = -2; r[1] = 4;",
    );
}

#[test]
fn structures_and_arrays_are_results() {
    same(
        "struct S { int a[2]; float b; }; S f(int i) { S s; s.a[0] = i; s.a[1] = i * 2; s.b = 0.5; return s; }
         mat2 g(S s) { s.a[0] = 9; return mat2(float(s.a[0]), float(s.a[1]), s.b, 1.0); }",
        "S s = f(3); S t = f(4); mat2 m = g(s); r[0] = s.a[0] + t.a[1]; v[0] = vec4(m[0], m[1]); r[1] = s == f(3) ? 1 : 0;",
        "r[0] = 11; v[0] = vec4(9.0, 6.0, 0.5, 1.0); r[1] = 1;",
    );
}

#[test]
fn recursion_through_arguments_is_none() {
    same(
        "int f(int a) { return a * 3 + 1; } int g(int a) { return f(f(a)) + f(a); }",
        "r[0] = g(f(g(nothing() + 1)));",
        "r[0] = 629;",
    );
}

#[test]
fn discards_end_an_inlined_function() {
    let s = shader(
        Stage::Fragment,
        "#version 330\nin float a; out vec4 o; float f(float x) { if (x > 2.0) { discard; } return x; }
         float g(float x) { discard; return x; } void main() { o = vec4(f(a), g(a), 0.0, 0.0); }",
    );
    // Control does not reach the end of `g`.
    assert_eq!(functions(&s), ["main", "g"]);
}

#[test]
fn code_after_an_endless_loop_is_unreachable() {
    let s = shader(
        Stage::Fragment,
        "#version 330\nin float a; out vec4 o; float f(float x) { for (;;) { if (x > 2.0) discard; x += a; } return x; }
         void main() { float s = 1.0; if (a > 0.5) s = f(a); for (int i = 0; i < 3; ++i) s += f(s); o = vec4(s); }",
    );
    assert_eq!(functions(&s), ["main"]);
}

/// A chain of functions fits the stack of a small thread; calls beyond it stay calls.
#[test]
fn chains_fit_small_stacks() {
    let mut f = String::from("float f0(float a) { return a * some; }\n");
    for i in 1..60 {
        f += &format!(
            "float f{i}(float a) {{ if (a > float({i})) {{ for (int i = 0; i < 2; ++i) {{ a += f{0}(a + (a * (a - (a + 1.0)))); }} }} return a; }}\n",
            i - 1
        );
    }
    let source = program(&f, "fl[0] = f59(some);");
    let thread = std::thread::Builder::new().stack_size(128 << 10);
    let lowered = thread.spawn(move || {
        let unit = compile(&[&source], &Options::new(Stage::Compute)).unwrap().unit;
        let program =
            crate::program::link(vec![unit], &LinkOptions { separable: true, ..LinkOptions::default() });
        program.unwrap().shaders.remove(0)
    });
    let s = lowered.unwrap().join().unwrap();
    assert!((2..50).contains(&functions(&s).len()), "{:?}", functions(&s));
}

#[test]
fn repeated_calls_have_a_budget() {
    // Each function calls the next twice: 2^16 copies of the last.
    let mut f = String::from("int f0(int a) { return a * a + (a ^ zero_to_three); }\n");
    for i in 1..17 {
        f += &format!("int f{i}(int a) {{ return f{0}(a) + f{0}(a + {i}); }}\n", i - 1);
    }
    let s = shader(Stage::Compute, &program(&f, "r[0] = f16(1);"));
    let instrs: usize = s.functions.values().map(|f| f.body.num_instrs()).sum();
    assert!(
        functions(&s).len() > 1 && instrs < 100_000,
        "{} functions, {instrs} instructions",
        s.functions.len()
    );
}
