//! Locals that are values while they are lowered.

use super::{keep_locals, program, same, shader, shader_with};
use airfoil_ir::{IntrinsicOp, Modes, Shader, Stage};

/// The number of variables of functions, and of phis.
fn counts(s: &Shader) -> (usize, usize) {
    let locals = s.vars.values().filter(|v| v.mode == Modes::FUNCTION_TEMP).count();
    let phis =
        |f: &airfoil_ir::Function| f.body.all_instrs().filter(|&id| f.body[id].as_phi().is_some()).count();
    (locals, s.functions.values().map(phis).sum())
}

#[test]
fn scalars_vectors_and_matrices_are_values() {
    let body =
        "int i = 0; vec4 a = vec4(some); mat3 m = mat3(some); a.zx = m[1].xy; m[2].y = a.x; m[0] = a.xyz;
        if (zero_to_three > 1) { i = 2; a.w = 3.0; } r[0] = i; v[0] = a * m[2].y + m[0].xyzx;";
    assert_eq!(counts(&shader(Stage::Compute, &program("", body))).0, 0);
    assert_eq!(counts(&shader_with(Stage::Compute, &program("", body), &keep_locals())).0, 3);
    // Arrays and structures stay in memory, as does a vector of which a varying index selects the written component.
    let body = "int a[4]; struct S { float x; } s; vec4 v; v[zero_to_three] = 1.0; s.x = v.y; a[1] = 2; r[0] = a[0];";
    assert_eq!(counts(&shader(Stage::Compute, &program("", body))).0, 3);
}

#[test]
fn a_varying_index_reads_a_value() {
    same(
        "",
        "ivec4 a = ivec4(1, 2, 3, 4); mat2 m = mat2(1.0, 2.0, 3.0, 4.0); int i = nothing();
         r[0] = a[i + 2]; fl[0] = m[i + 1][i]; fl[1] = m[i][1]; r[1] = a.wzyx[i + 1]; a.wz[0] = 7; r[2] = a.w;",
        "r[0] = 3; fl[0] = 3.0; fl[1] = 2.0; r[1] = 3; r[2] = 7;",
    );
}

#[test]
fn loops_have_phis_for_what_they_store_and_read() {
    let body = "int s = 0, unread = 0, same = zero_to_three; for (int i = 0; i < 4; ++i) { int t = i * 2; s += t + same; unread = i; }
        r[0] = s;";
    let (locals, phis) = counts(&shader(Stage::Compute, &program("", body)));
    // `s` and `i`, and `s` after the loop.
    assert_eq!((locals, phis), (0, 3));
}

#[test]
fn values_pass_through_loops_and_jumps() {
    same(
        "",
        "int a = 1, b = nothing() + 2, c = 0;
         for (int i = 0; i < 6; ++i) {
             int t = a; a = b; b = t + c;
             if (i == 2) { c = 5; continue; }
             for (int j = 0; ; ++j) { if (j > i) break; c += j; if (c > 20) { c = 1; break; } }
             if (b > 40) break;
         }
         r[0] = a; r[1] = b; r[2] = c;",
        "int x[3] = int[](1, nothing() + 2, 0);
         for (int i = 0; i < 6; ++i) {
             int t = x[0]; x[0] = x[1]; x[1] = t + x[2];
             if (i == 2) { x[2] = 5; continue; }
             for (int j = 0; ; ++j) { if (j > i) break; x[2] += j; if (x[2] > 20) { x[2] = 1; break; } }
             if (x[1] > 40) break;
         }
         r[0] = x[0]; r[1] = x[1]; r[2] = x[2];",
    );
    // The declaration of a condition is read by the third part, which `continue` repeats.
    same(
        "int calls = 0; int twice(int a) { ++calls; return a * 2 + a * 3 - a * 3 + a - a + a * 4 - a * 4; }",
        "int s = 0; int i = 0;
         while (bool more = i < 5) { ++i; if (i == 3) { more = false; continue; } s += int(more) * twice(i); }
         r[0] = s; r[1] = calls;",
        "r[0] = 24; r[1] = 4;",
    );
}

#[test]
fn declarations_in_loops_are_fresh() {
    same(
        "",
        "int s = 0; for (int i = 0; i < 4; ++i) { int t; if (i > 1) t = i; else t = 10; s = s * 10 + t; int u = s; s = u + 1; } r[0] = s;",
        "int s = 0; for (int i = 0; i < 4; ++i) { s = s * 10 + (i > 1 ? i : 10) + 1; } r[0] = s;",
    );
}

#[test]
fn switches_in_loops_change_values() {
    same(
        "",
        "int a = 0, b = 1;
         for (int i = 0; i < 6; ++i) {
             switch (i + nothing()) {
                 case 0: a += 1; break;
                 case 1: a += 2; if (b == 1) break; a += 100; break;
                 case 2: b = 3; continue;
                 case 3: a += b;
                 default: b += 10; if (i == 5) break; b += 1;
             }
             a *= 2;
         }
         r[0] = a; r[1] = b;",
        "int x[2] = int[](0, 1);
         for (int i = 0; i < 6; ++i) {
             if (i == 0) x[0] += 1;
             else if (i == 1) { x[0] += 2; if (x[1] != 1) x[0] += 100; }
             else if (i == 2) { x[1] = 3; continue; }
             else { if (i == 3) x[0] += x[1]; x[1] += 10; if (i != 5) x[1] += 1; }
             x[0] *= 2;
         }
         r[0] = x[0]; r[1] = x[1];",
    );
}

#[test]
fn out_arguments_of_built_in_functions_are_stored() {
    same(
        "",
        "float whole; float part = modf(some + 2.25 - some, whole); int e; vec2 w; vec2 p = modf(vec2(1.5, -2.5), w);
         for (int i = 0; i < 2; ++i) { fl[i + 4] = frexp(8.0 * float(i + 1), e); r[i] = e; }
         fl[0] = whole; fl[1] = part; fl[2] = w.y; fl[3] = p.x;",
        "fl[4] = 0.5; fl[5] = 0.5; r[0] = 4; r[1] = 5; fl[0] = 2.0; fl[1] = 0.25; fl[2] = -2.0; fl[3] = 0.5;",
    );
}

#[test]
fn long_choices_store() {
    let links: String = (0..80).map(|i| format!("i == {i} ? (a += {i}, a) : ")).collect();
    let body = format!(
        "int a = 1, b = 0; for (int i = 70; i < 90; i += 5) {{ int t = i; b += {links} (t = 3, t); b += t; }} r[0] = a; r[1] = b;"
    );
    same(
        "",
        &body,
        "int a = 1, b = 0; for (int i = 70; i < 90; i += 5) { if (i < 80) { a += i; b += a + i; } else b += 6; } r[0] = a; r[1] = b;",
    );
}

#[test]
fn nothing_is_a_value_in_raw_code() {
    let options = super::LowerOptions { raw: true, ..super::LowerOptions::default() };
    let s = shader_with(Stage::Compute, &program("", "int a = 1; r[0] = a;"), &options);
    assert_eq!(counts(&s), (1, 0));
    let main = &s.functions[s.entry.unwrap()].body;
    let is_load =
        |&id: &airfoil_ir::InstrId| main[id].as_intrinsic().is_some_and(|i| i.op == IntrinsicOp::load_deref);
    assert_eq!(main.all_instrs().filter(is_load).count(), 1);
}
