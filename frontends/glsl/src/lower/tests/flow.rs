//! Statements and control flow.

use super::{program, same, shader};
use airfoil_ir::{Stage, Walk};

#[test]
fn loops_with_continue_and_break() {
    same(
        "",
        "int s = 0; for (int i = 0; i < 10; ++i) { if (i == 3) continue; if (i == 7) break; s += i; } r[0] = s;",
        "r[0] = 18;",
    );
    same(
        "",
        "int s = 0, i = 0; while (true) { ++i; if (i > 5) break; if ((i & 1) == 0) continue; s += i; } r[0] = s;",
        "r[0] = 9;",
    );
    same(
        "",
        "int s = 0, i = 0; do { ++i; if (i == 2) continue; s += i; } while (i < 4); r[0] = s;",
        "r[0] = 8;",
    );
    same(
        "",
        "int s = 0; for (int i = 0; i < 3; ++i) for (int j = 0; j < 3; ++j) { if (j > i) continue; s = s * 10 + j; } r[0] = s;",
        "r[0] = 1012;",
    );
}

#[test]
fn a_long_third_part_is_made_once() {
    let body = "int s = 0, k = 0;
        for (int i = 0; i < 12; i += advance(i)) {
            if (i == 2) continue;
            if (i == 9) break;
            if (i == 4) { s += 100; continue; }
            s += i; ++k;
        }
        r[0] = s; r[1] = k; r[2] = calls;";
    let declarations = "int calls = 0; int advance(int i) { ++calls; return i > 100 ? 5 : 1; }";
    // 0 1 3 5 6 7 8 are added.
    same(declarations, body, "r[0] = 130; r[1] = 7; r[2] = 9;");
}

#[test]
fn the_test_of_do_runs_on_continue() {
    let declarations = "int calls = 0; bool more(int i) { ++calls; return i < 5; }";
    let body = "int i = 0, s = 0;
        do { ++i; if (i == 3) continue; s += i; if (s > 100) break; } while (more(i) && more(i) && more(i));
        r[0] = s; r[1] = calls; r[2] = i;";
    same(declarations, body, "r[0] = 12; r[1] = 13; r[2] = 5;");
}

#[test]
fn switch_falls_through() {
    let f = "int f(int x) {
        int y = 0;
        switch (x) {
        case 0: y += 1;
        case 1: y += 2; break;
        default: y += 4;
        case 2: case 3: y += 8;
        case 4: { y += 16; break; }
        case 5: y += 32;
        }
        return y;
    }";
    let body = "for (int i = 0; i < 8; ++i) r[i] = f(i);";
    same(f, body, "r[0] = 3; r[1] = 2; r[2] = 24; r[3] = 24; r[4] = 16; r[5] = 32; r[6] = 28; r[7] = 28;");
}

#[test]
fn switch_with_default_in_the_middle_of_a_run() {
    let f = "int f(uint x) {
        int y = 0;
        switch (x) {
        case 7u: y = y * 10 + 1;
        default: y = y * 10 + 2;
        case 9u: y = y * 10 + 3;
        }
        return y;
    }";
    same(f, "r[0] = f(7u); r[1] = f(9u); r[2] = f(1u);", "r[0] = 123; r[1] = 3; r[2] = 23;");
}

#[test]
fn switch_in_a_loop_with_jumps() {
    let body = "int s = 0;
        for (int i = 0; i < 10; ++i) {
            switch (i) {
            case 1: continue;
            case 2: if (s > 0) { s += 100; break; } s += 1000; break;
            case 5: for (int j = 0; j < 5; ++j) { if (j == 2) break; s += 10000; } break;
            case 8: s += 100000; continue;
            default: s += 1; if (i == 9) continue; s += 1;
            }
            s += i == 1 || i == 8 ? 1000000 : 0;
        }
        r[0] = s;";
    // 0, 3, 4, 6, 7: 2 each; 9: 1; 2: 100; 5: 20000; 8: 100000.
    same("", body, "r[0] = 120111;");
}

#[test]
fn switch_and_long_third_part() {
    let declarations = "int calls; int next(int i) { ++calls; return i + 1; }";
    let body = "calls = 0; int s = 0;
        for (int i = 0; i < 6; i = next(i)) {
            switch (i) {
            case 2: if (s >= 0) continue; break;
            case 4: if (s >= 0) { s += 100; break; }
            default: s += 1;
            }
            s += 10;
            if (i == 4) break;
        }
        r[0] = s; r[1] = calls;";
    same(declarations, body, "r[0] = 143; r[1] = 4;");
}

#[test]
fn many_cases() {
    let mut f = "int f(int x) { switch (x) {".to_string();
    let mut want = String::new();
    for i in 0..40 {
        f += &format!("case {}: return {};", i * 3 - 20, i + 1);
    }
    f += "default: return -1; } }";
    for i in 0..30 {
        let x = i - 10;
        let y = if (x + 20) % 3 == 0 { (x + 20) / 3 + 1 } else { -1 };
        want += &format!("r[{i}] = {y};");
    }
    same(&f, "for (int i = 0; i < 30; ++i) r[i] = f(i - 10);", &want);
}

#[test]
fn returns() {
    let f = "int f(int x) {
        for (int i = 0; i < 10; ++i) {
            if (i * i > x) return i;
            switch (i) { case 5: return 50; case 6: if (x > 0) break; return 60; }
        }
        if (x < 0) { return 70; } else { return 80; }
        return 90;
    }
    void g(int x) { r[9] = 71; if (x == 0) return; r[9] = 72; }";
    let body = "r[0] = f(3); r[1] = f(20); r[2] = f(1000); r[3] = f(-1); g(nothing());";
    same(f, body, "r[0] = 2; r[1] = 5; r[2] = 50; r[3] = 0; r[9] = 71;");
}

#[test]
fn dead_code_is_left_out() {
    let body = "for (int i = 0; i < 3; ++i) { r[i] = 1; continue; r[i] = 2; }
        while (true) { if (nothing() == 0) { break; r[5] = 1; } else { r[6] = 1; continue; } r[7] = 1; }
        if (true) { r[4] = 4; } else { r[4] = 5; }
        return; r[8] = 3;";
    same("", body, "r[0] = 1; r[1] = 1; r[2] = 1; r[4] = 4;");
}

#[test]
fn declarations_in_conditions() {
    same("", "int n = 3, s = 0; while (bool go = n > 0) { s += go ? n : 100; --n; } r[0] = s;", "r[0] = 6;");
}

/// How deep ifs and loops nest in the code of a body.
fn nesting(declarations: &str, body: &str) -> usize {
    let shader = shader(Stage::Compute, &program(declarations, body));
    let (mut depth, mut deepest) = (0usize, 0);
    for function in shader.functions.values() {
        for step in function.body.walk_cf() {
            match step {
                Walk::If(_) | Walk::Loop(_) => depth += 1,
                Walk::EndIf(_) | Walk::EndLoop(_) => depth -= 1,
                _ => {}
            }
            deepest = deepest.max(depth);
        }
    }
    deepest
}

#[test]
fn long_chains_of_else_if_are_flat() {
    let arms: String = (0..1500).map(|i| format!("if (x == {i}) y = {i} * 3; else ")).collect();
    let f = format!("int f(int x) {{ int y = 7; {arms} y = -1; return y; }}");
    let body = "for (int i = 0; i < 5; ++i) r[i] = f(i * 498);";
    // The loop of `main`, and the chain as a loop with ifs.
    assert_eq!(nesting(&f, body), 3);
    same(&f, body, "r[0] = 0; r[1] = 1494; r[2] = 2988; r[3] = 4482; r[4] = -1;");
}

#[test]
fn jumps_leave_long_chains() {
    let arms: String = (0..70).map(|i| format!("else if (x == {} + i) s += {i};", i + 10)).collect();
    let f = format!(
        "int f(int x) {{
            int s = 0;
            for (int i = 0; i < 4; ++i) {{
                switch (x & 1) {{
                case 1:
                    if (x == 1 + i) continue; else if (x == 3) break; else if (x == 5 + i) return s; {arms} else s += 1000;
                    s += 10000;
                }}
                s += 100000;
            }}
            return s;
        }}"
    );
    // 1: continues once; 3: breaks, but for the turn in which 1 + i is 3; 5: returns at once; 11: arms 1, 0 and twice none.
    let expected = "r[0] = 333000; r[1] = 300000; r[2] = 0; r[3] = 442001; r[4] = 400000;";
    same(&f, "r[0] = f(1); r[1] = f(3); r[2] = f(5); r[3] = f(11); r[4] = f(2);", expected);
}

#[test]
fn long_chains_of_choices_are_flat() {
    let arms: String = (0..1500).map(|i| format!("x == {i} ? {i} * 3 : ")).collect();
    let f = format!("int f(int x) {{ return {arms} -1; }}");
    let body = "for (int i = 0; i < 5; ++i) r[i] = f(i * 498);";
    assert_eq!(nesting(&f, body), 2);
    same(&f, body, "r[0] = 0; r[1] = 1494; r[2] = 2988; r[3] = 4482; r[4] = -1;");
    // Sides with effects: only one is evaluated.
    let arms: String = (0..100).map(|i| format!("x == {i} ? call({i}) : ")).collect();
    let f = format!(
        "int calls = 0; int call(int i) {{ ++calls; return i; }} int f(int x) {{ return {arms} -1; }}"
    );
    same(
        &f,
        "r[0] = f(3); r[1] = f(99); r[2] = f(100); r[3] = calls;",
        "r[0] = 3; r[1] = 99; r[2] = -1; r[3] = 2;",
    );
}

#[test]
fn choices_between_arrays_and_structures() {
    let declarations = "struct S { int a; float b[2]; };";
    let body = "int a[2] = int[2](1, 2), b[2] = int[2](3, 4);
        r[0] = (nothing() == 0 ? a : b)[1]; r[1] = (nothing() == 1 ? a : b)[nothing()];
        S s = S(5, float[2](1.0, 2.0)), t = S(6, float[2](3.0, 4.0));
        S u = nothing() == 1 ? s : t; r[2] = u.a; fl[0] = u.b[1]; fl[1] = (nothing() == 0 ? s : t).b[0];";
    same(declarations, body, "r[0] = 2; r[1] = 3; r[2] = 6; fl[0] = 4.0; fl[1] = 1.0;");
}
