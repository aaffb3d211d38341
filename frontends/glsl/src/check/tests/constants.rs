//! Values of constant expressions, and which expressions are constant.

use super::{constant_of, verdicts};
use airfoil_ir::Stage;

/// Checks `const TYPE x = VALUE;` for rows of type, expression and scalars.
fn values(version: &str, rows: &[(&str, &str, &[f64])]) {
    for (ty, expr, want) in rows {
        let source = format!("const {ty} x = {expr};\nvoid main() {{}}");
        let got = constant_of(version, &source, "x");
        assert_eq!(got.as_deref(), Some(*want), "{expr}");
    }
}

#[test]
fn operators() {
    values(
        "430",
        &[
            ("int", "1 + 2 * 3 - 8 / 3 % 2", &[7.0]),
            ("int", "-7 / 2", &[-3.0]),
            ("int", "(1 << 4) | 3 & ~1 ^ 8", &[26.0]),
            ("uint", "0u - 1u >> 4", &[268_435_455.0]),
            ("bool", "1 < 2 && !(2.0 >= 3) ^^ false", &[1.0]),
            ("vec2", "vec2(1, 2) * 2 + vec2(3)", &[5.0, 7.0]),
            ("vec2", "mat2(1, 2, 3, 4) * vec2(5, 6)", &[23.0, 34.0]),
            ("vec2", "vec2(5, 6) * mat2(1, 2, 3, 4)", &[17.0, 39.0]),
            ("mat2", "mat2(1, 2, 3, 4) * mat2(5, 6, 7, 8)", &[23.0, 34.0, 31.0, 46.0]),
            ("mat2", "mat2(1, 2, 3, 4) / 2", &[0.5, 1.0, 1.5, 2.0]),
            ("int", "true ? 3 : 4", &[3.0]),
            ("bool", "vec2(1, 2) == vec2(1, 2)", &[1.0]),
            ("bool", "int[](1, 2) != int[](1, 3)", &[1.0]),
        ],
    );
}

#[test]
fn constructors_and_parts() {
    values(
        "430",
        &[
            ("vec3", "vec3(2)", &[2.0, 2.0, 2.0]),
            ("vec3", "vec3(ivec2(1, 2), true)", &[1.0, 2.0, 1.0]),
            ("int", "int(-2.9)", &[-2.0]),
            ("mat2x3", "mat2x3(2)", &[2.0, 0.0, 0.0, 0.0, 2.0, 0.0]),
            ("mat3", "mat3(mat2(1, 2, 3, 4))", &[1.0, 2.0, 0.0, 3.0, 4.0, 0.0, 0.0, 0.0, 1.0]),
            ("mat2", "mat2(mat3(1, 2, 3, 4, 5, 6, 7, 8, 9))", &[1.0, 2.0, 4.0, 5.0]),
            ("float", "mat2(1, 2, 3, 4)[1].x", &[3.0]),
            ("vec3", "vec4(1, 2, 3, 4).wzx", &[4.0, 3.0, 1.0]),
            ("float", "float[](1, 2, 3)[2]", &[3.0]),
            ("int", "float[](1, 2, 3).length()", &[3.0]),
            ("int", "mat2x3(1).length() + vec4(1).length()", &[6.0]),
            ("float", "float[][](float[](1, 2), float[](3, 4))[1][0]", &[3.0]),
            ("vec2[2]", "{ { 1, 2 }, vec2(3) }", &[1.0, 2.0, 3.0, 3.0]),
            ("struct { float a; ivec2 b; }", "{ 1, { 2, 3 } }", &[1.0, 2.0, 3.0]),
        ],
    );
}

#[test]
fn builtin_functions() {
    values(
        "430",
        &[
            ("float", "max(1.0, 2)", &[2.0]),
            ("int", "abs(-3)", &[3.0]),
            ("float", "sqrt(4.0) + floor(1.5)", &[3.0]),
            ("vec2", "mix(vec2(0), vec2(2, 4), 0.5)", &[1.0, 2.0]),
            ("float", "dot(vec2(1, 2), vec2(3, 4))", &[11.0]),
            ("bvec2", "lessThan(vec2(1, 3), vec2(2))", &[1.0, 0.0]),
        ],
    );
}

#[test]
fn what_is_constant() {
    let size = |expr: &str| format!("void main() {{ int i; float a[{expr}]; }}");
    let check = |version: &str, expr: &str, want: &str| {
        let head = if version == "100" || version.ends_with("es") { "precision mediump float;" } else { "" };
        verdicts(Stage::Fragment, version, &[(&format!("{head}{}", size(expr)), want)]);
    };
    check("120", "int(max(1.0, 2.0))", "");
    check("110", "int(max(1.0, 2.0))", "must be a constant expression");
    check("100", "int(max(1.0, 2.0))", "");
    check("330", "i", "must be a constant expression");
    check("330", "(2, 3)", "must not contain the comma operator");
    check("430", "(2, 3)", "must be a constant expression");
    check("330", "true ? 2 : i", "must be a constant expression");
    check("330", "2.0", "must be a constant integer");
    check("330", "gl_MaxDrawBuffers", "");
    check("330", "int(noise1(1.0)) + 1", "must be a constant expression");
    // Derivatives of constants are 0 (GLSL 4.60 section 4.3.3).
    check("330", "int(dFdx(1.0)) + 1", "");
}

#[test]
fn constants_are_bounded() {
    let rows = "1, ".repeat(999) + "1";
    let uses = "a[0];".repeat(5000);
    let source = format!("const int a[2][1000] = {{ {{ {rows} }}, {{ {rows} }} }}; void main() {{ {uses} }}");
    verdicts(Stage::Fragment, "430", &[(&source, "components together")]);
}

#[test]
fn long_chains_are_walked_without_recursion() {
    let sum = "+ x ".repeat(100_000);
    let source = format!("void main() {{ float x = 1.0; float y = x {sum}; }}");
    verdicts(Stage::Fragment, "330", &[(&source, "")]);
    let source = format!("const int x = 1; const int y = 1 {sum}; void main() {{}}");
    assert_eq!(constant_of("330", &source, "y"), Some(vec![100_001.0]));
}
