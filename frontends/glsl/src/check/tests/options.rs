//! Rules and values controlled by compiler options.

use super::{check_as, numbers, verdicts_as};
use crate::compile::Options;
use airfoil_ir::Stage;

#[test]
fn read_only_uniform_blocks() {
    let rows = [
        ("layout(binding = 0) readonly uniform B { int a; }; void main() { }", ""),
        ("layout(binding = 0) coherent uniform B { int a; }; void main() { }", "for images and buffers only"),
        ("layout(push_constant) readonly uniform B { int a; }; void main() { }", ""),
    ];
    let vulkan = Options { vulkan: true, ..Options::new(Stage::Compute) };
    verdicts_as("430", &rows, &vulkan);
    let source = "layout(binding = 0) readonly uniform B { int a; }; void main() { }";
    verdicts_as("430", &[(source, "for images and buffers only")], &Options::new(Stage::Compute));
}

#[test]
fn limits_of_es_100() {
    let body = |text: &str| {
        format!("precision mediump float; uniform float u[4]; uniform int n; void main() {{ {text} }}")
    };
    let index = "consist of constants and loop indices";
    let rows = [
        ("for (int i = 0; i < 4; i++) { float a = u[i]; }", ""),
        ("for (float i = 4.0; i >= 0.0; i -= 0.5) { }", ""),
        (
            "const int n = 3; for (int i = n; i != 2 * n; ++i) { for (int j = 0; j < 2; j += 2) { u[i + j]; } }",
            "",
        ),
        ("while (true) { break; }", "`while` loops are not supported"),
        ("do { } while (false);", "`do` loops are not supported"),
        ("int i = 0; for (; i < 4; i++) { }", "declares one loop index"),
        ("for (int i = 0, j = 1; i < 4; i++) { }", "declares one loop index"),
        ("for (int i = n; i < 4; i++) { }", "declares one loop index"),
        ("for (vec2 i = vec2(0.0); i.x < 4.0; i++) { }", "declares one loop index"),
        ("for (int i = 0; i < n; i++) { }", "compares the loop index with a constant"),
        ("for (int i = 0; 4 > i; i++) { }", "compares the loop index with a constant"),
        ("for (int i = 0; i < 4; i = i + 1) { }", "steps the loop index"),
        ("for (int i = 0; i < 4; i *= 2) { }", "steps the loop index"),
        ("for (int i = 0; i < 4;) { break; }", "steps the loop index"),
        ("for (int i = 0; i < 4; i++) { i = 2; }", "cannot be written in its body"),
        ("for (int i = 0; i < 4; i++) { i++; }", "cannot be written in its body"),
        ("float a = u[n];", index),
        ("int i = 1; vec4 v = vec4(0.0); float a = v[i];", index),
        ("for (int i = 0; i < 4; i++) { int j = i; float a = u[j]; }", index),
    ];
    let mut limited = Options::new(Stage::Fragment);
    limited.enforce_es100_limits = true;
    for (text, want) in rows {
        let text = body(text);
        verdicts_as("100", &[(&text, want)], &limited);
        verdicts_as("100", &[(&text, "")], &Options::new(Stage::Fragment));
        // Later versions have no such limits.
        verdicts_as("300 es", &[(&text, "")], &limited);
    }
    limited.stage = Stage::Vertex;
    let rows = [
        ("uniform int n; uniform vec4 u[3]; void main() { gl_Position = u[n]; }", ""),
        ("uniform int n; uniform mat4 u; void main() { gl_Position = u[n]; }", ""),
        ("uniform int n; attribute mat4 u; void main() { gl_Position = u[n]; }", index),
        (
            "uniform int n; uniform sampler2D s[2]; void main() { gl_Position = texture2D(s[n], vec2(0.0)); }",
            index,
        ),
        (
            "void f(out int a) { a = 1; } void main() { for (int i = 0; i < 4; i++) f(i); }",
            "cannot be written",
        ),
    ];
    verdicts_as("100", &rows, &limited);
}

#[test]
fn specialization_constants_take_values() {
    let source = "layout(local_size_x_id = 9, local_size_y = 2) in;
        layout(constant_id = 1) const int a = 4; layout(constant_id = 2) const float b = 1.5;
        layout(constant_id = 3) const bool c = false; layout(constant_id = 4) const double d = 0.5;
        layout(constant_id = 5) const uint kept = 7u;
        const int twice = 2 * a; float sized[a]; const uint x = gl_WorkGroupSize.x;
        void main() { }";
    let mut options = Options::new(Stage::Compute);
    options.vulkan = true;
    let value = |options: &Options, name: &str| {
        let unit = check_as("450", source, options).unwrap_or_else(|e| panic!("{e:?}"));
        let symbol = unit.names.get(name).unwrap();
        let var = unit.vars.iter().find(|v| v.name == symbol).unwrap();
        let len = unit.types.as_array(var.ty).map(|a| vec![f64::from(a.len)]);
        len.or_else(|| Some(numbers(&unit[var.constant?], &unit.types))).unwrap()
    };
    let all = |options: &Options| {
        ["a", "b", "c", "d", "kept", "twice", "sized", "x"].map(|name| value(options, name)[0])
    };
    assert_eq!(all(&options), [4.0, 1.5, 0.0, 0.5, 7.0, 8.0, 4.0, 1.0]);
    options.spec = vec![
        (1, 5),
        (1, u64::from(6_u32)),
        (2, u64::from(0.25_f32.to_bits())),
        (3, 1),
        (4, 3.0_f64.to_bits()),
        (8, 3),
        (9, 16),
    ];
    assert_eq!(all(&options), [6.0, 0.25, 1.0, 3.0, 7.0, 12.0, 6.0, 16.0]);
    let unit = check_as("450", source, &options).unwrap();
    assert_eq!(unit.layout.local_size, [Some(16), Some(2), None]);
}
