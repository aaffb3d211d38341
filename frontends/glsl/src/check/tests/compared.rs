//! Rules on which two compilers disagreed for mutated shaders, with the verdict of the specification.

use super::{verdicts, verdicts_as};
use crate::compile::Options;
use airfoil_ir::Stage;

#[test]
fn functions_with_a_result_return_one() {
    verdicts(
        Stage::Vertex,
        "330",
        &[
            ("float f() { } void main() { }", "`f` returns float but has no return statement"),
            ("float f(bool b) { if (b) return 1.0; } void main() { }", ""),
            ("vec4 f(float x) { x = 2.0; } void main() { f(1.0); }", "returns vec4"),
            ("float f(); void main() { }", ""),
        ],
    );
    verdicts(Stage::Fragment, "100", &[("int f() { discard; } void main() { }", "no return statement")]);
}

#[test]
fn built_in_functions_share_the_global_scope_of_es_300() {
    let rows = [
        ("int texture; void main() { }", "texture is a built-in function"),
        ("struct sin { int a; }; void main() { }", "sin is a built-in function"),
        ("void main() { int texture = 1; }", ""),
        ("void f(int texture) { } void main() { }", ""),
        ("int texture2D; void main() { }", ""),
        ("int imageLoad; void main() { }", ""),
    ];
    verdicts(Stage::Vertex, "300 es", &rows);
    verdicts(Stage::Vertex, "330", &[("int texture; float sin; void main() { }", "")]);
    verdicts(Stage::Vertex, "100", &[("int sin; void main() { }", "")]);
}

#[test]
fn declarations_without_a_name_keep_the_rules_of_storage() {
    verdicts(
        Stage::TessEval,
        "430",
        &[
            ("inout float; void main() { }", "cannot qualify a global variable"),
            ("layout(quads) in struct S { float a; }; void main() { }", "quads"),
            ("layout(location = 1) in struct S { float a; }; void main() { }", ""),
            ("mediump int; uniform float; void main() { }", ""),
        ],
    );
}

#[test]
fn global_constants_have_constant_values() {
    let rows = [
        ("uniform int u; const int a = u; void main() { }", "a global const variable must be constant"),
        ("uniform int u; void main() { const int a = u; }", ""),
        ("const int a = 1 + 2; int b = a; void main() { }", ""),
    ];
    verdicts(Stage::Vertex, "420", &rows);
    let rows = [
        ("const int a = (1, 2); void main() { }", "a global const variable must be constant"),
        ("void main() { const int a = (1, 2); }", ""),
    ];
    verdicts(Stage::Vertex, "430", &rows);
}

#[test]
fn members_of_per_vertex_are_named_once() {
    verdicts(
        Stage::Vertex,
        "450",
        &[
            ("out gl_PerVertex { vec4 gl_Position; vec4 gl_Position; }; void main() { }", "declared twice"),
            ("out gl_PerVertex { vec4 gl_Position; float gl_PointSize; }; void main() { }", ""),
        ],
    );
}

#[test]
fn clusters_are_powers_of_two() {
    let call = |size: &str| {
        format!(
            "#extension GL_KHR_shader_subgroup_clustered : require\n\
             layout(local_size_x = 4) in; buffer B {{ float x; }};\n\
             void main() {{ x = subgroupClusteredAdd(x, {size}); }}"
        )
    };
    for (size, want) in
        [("4", ""), ("1u", ""), ("0", "power of two"), ("-1", "power of two"), ("3u", "power of two")]
    {
        verdicts(Stage::Compute, "450", &[(&call(size), want)]);
    }
}

#[test]
fn stages_need_their_version() {
    for (stage, old, new, what) in
        [(Stage::Geometry, "140", "150", "geometry"), (Stage::Compute, "420", "430", "compute")]
    {
        verdicts(stage, old, &[("void main() { }", &format!("has no {what} shaders"))]);
        verdicts(stage, new, &[("void main() { }", "")]);
    }
    verdicts(
        Stage::Compute,
        "420",
        &[("#extension GL_ARB_compute_shader : require\nlayout(local_size_x = 1) in; void main() { }", "")],
    );
}

#[test]
fn functions_have_names_of_their_own_in_110() {
    let rows = [
        (
            "float f(float f) { return f; } float g; float g() { return g; } void main() { gl_Position = vec4(f(g())); }",
            "",
        ),
        ("int f; int f; void main() { }", "declared twice"),
        ("int f() { return 1; } int f() { return 1; } void main() { }", "has a body already"),
        ("int f() { return 1; } void main() { int f = f(); f = f(); }", ""),
        ("int f() { return 1; } void main() { int a = f; }", "`f` is not declared"),
    ];
    verdicts(Stage::Vertex, "110", &rows);
    let rows = [
        ("float g; float g() { return 1.0; } void main() { }", "something other than a function"),
        ("float g() { return 1.0; } float g; void main() { }", "declared twice"),
    ];
    verdicts(Stage::Vertex, "120", &rows);
}

#[test]
fn pragmas_stand_outside_of_functions() {
    let wrong = "can only be used outside of function definitions";
    let rows = [
        ("void main() {\n#pragma debug(on)\n}", wrong),
        ("void main() {\n#pragma optimize ( off )\n}", wrong),
        ("#pragma debug(on)\nvoid main() { }\n#pragma optimize(off)\n", ""),
        ("void main() {\n#pragma unknown\n#pragma unroll(on)\n}", ""),
    ];
    verdicts(Stage::Vertex, "110", &rows);
    verdicts(Stage::Vertex, "300 es", &rows);
}

#[test]
fn buffer_members_get_their_size_from_indices() {
    let rows = [
        ("buffer B { vec4 s[]; vec4 a[]; } b; void main() { b.a[1] = b.s[0] + b.s[1]; }", ""),
        (
            "buffer B { vec4 s[]; vec4 a[]; } b; uniform int i; void main() { b.a[i] = b.s[i]; }",
            "without a size",
        ),
    ];
    verdicts(Stage::Vertex, "430", &rows);
    verdicts(
        Stage::Vertex,
        "310 es",
        &[("buffer B { vec4 s[]; vec4 a[]; } b; void main() { }", "only the last member")],
    );
}

#[test]
fn long_vectors_of_doubles_leave_half_a_location() {
    let rows = [
        (
            "layout(location = 0) flat out dvec3 a[2]; layout(location = 1, component = 2) flat out double b; void main() { }",
            "",
        ),
        (
            "layout(location = 0) flat out dvec3 a[2]; layout(location = 2, component = 2) flat out double b; void main() { }",
            "location 2 is taken",
        ),
        (
            "layout(location = 0) flat out dvec4 a; layout(location = 1, component = 2) flat out double b; void main() { }",
            "location 1 is taken",
        ),
    ];
    // For Vulkan the checker reports it, for OpenGL the linker.
    verdicts_as("450", &rows, &Options { vulkan: true, ..Options::new(Stage::Vertex) });
    verdicts(Stage::Vertex, "440", &rows.map(|(source, _)| (source, "")));
}

#[test]
fn varying_means_nothing_in_geometry_shaders() {
    let source =
        "layout(points) in; layout(points, max_vertices = 1) out; varying float v; void main() { v = 1.0; }";
    verdicts(Stage::Geometry, "150 compatibility", &[(source, "")]);
    verdicts(Stage::Geometry, "150", &[(source, "vertex and fragment shaders only")]);
}
