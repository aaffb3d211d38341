//! Rules of declarations by version and stage.

use super::{check, verdicts};
use crate::hir::{Packing, Storage};
use crate::types::Type;
use airfoil_ir::{Primitive, Stage};

#[test]
fn storage_by_version_and_stage() {
    verdicts(
        Stage::Vertex,
        "110",
        &[
            ("attribute vec4 a; varying vec3 v;", ""),
            ("in vec4 a;", "needs GLSL 1.30"),
            ("attribute int a;", "integers need GLSL 1.30"),
            ("attribute bvec2 a;", "no booleans"),
            ("varying bool v;", "no booleans"),
            ("void f(out float x[2]) {}", "before GLSL 1.20"),
        ],
    );
    verdicts(
        Stage::Vertex,
        "130",
        &[
            ("in ivec4 a; out vec4 o; flat out int i;", ""),
            ("struct S { vec4 v; }; out S s;", "structures need GLSL 1.50"),
            ("in vec4 a[2];", "arrays need GLSL 1.50"),
            ("inout vec4 a;", "cannot qualify a global variable"),
            ("smooth in float x;", "interpolation"),
            ("smooth varying float x;", "varying cannot have an interpolation"),
            ("void f() { in vec4 a; }", "const, precise and a precision only"),
        ],
    );
    verdicts(
        Stage::Fragment,
        "150",
        &[
            ("in int i;", "must be flat"),
            ("flat in int i; out ivec2 o;", ""),
            ("out mat4 m;", "a fragment output"),
            ("attribute vec4 a;", "vertex shaders only"),
            ("shared int x;", "syntax"),
        ],
    );
    verdicts(
        Stage::Fragment,
        "460",
        &[("shared int x;", "compute shaders only"), ("buffer int x;", "blocks only")],
    );
    verdicts(
        Stage::Fragment,
        "300 es",
        &[
            ("precision mediump float; struct S { vec4 a[2]; }; in S s;", "hold arrays or structures"),
            ("precision mediump float; struct S { vec4 a; }; in S s;", ""),
        ],
    );
}

#[test]
fn order_and_repetition_of_qualifiers() {
    verdicts(
        Stage::Vertex,
        "330",
        &[
            ("layout(location = 0) in vec4 a;", ""),
            ("invariant centroid out vec4 a;", ""),
            ("out centroid vec4 a;", "is misplaced"),
            ("out flat int a;", "is misplaced"),
            ("layout(location = 0) layout(location = 1) in vec4 a;", "more than one layout"),
        ],
    );
    verdicts(
        Stage::Vertex,
        "420",
        &[
            ("out centroid vec4 a;", ""),
            ("centroid centroid out vec4 a;", "is duplicated"),
            ("flat smooth out vec4 a;", "contradicts"),
            ("const uniform vec4 a;", "contradict each other"),
        ],
    );
    verdicts(
        Stage::Fragment,
        "100",
        &[
            ("precision mediump float; uniform lowp float a;", ""),
            ("precision mediump float; lowp uniform float a;", "is misplaced"),
        ],
    );
}

#[test]
fn precisions() {
    verdicts(
        Stage::Fragment,
        "300 es",
        &[
            ("in float a;", "no precision"),
            ("in mediump float a; int i; uniform sampler2D s;", ""),
            ("uniform sampler3D s;", "no precision"),
            ("precision highp vec4;", "float, int and opaque"),
            ("highp bool b;", "cannot have a precision"),
            ("void f() { precision mediump float; float x; }", ""),
            ("void f() { precision mediump float; } float y;", "no precision"),
        ],
    );
    verdicts(Stage::Vertex, "300 es", &[("in float a;", "")]);
}

#[test]
fn arrays() {
    verdicts(
        Stage::Vertex,
        "120",
        &[
            ("float a[0];", "greater than zero"),
            ("float a[-1];", "greater than zero"),
            ("vec4[2] a[2];", "arrays of arrays need"),
            ("float a[]; float a[4];", ""),
            ("float a[4]; float a[4];", "declared twice"),
            ("float a[]; void f() { a[3] = 1.0; } float a[2];", "indexed up to 3"),
            ("void f(float a[]);", "needs a size"),
            ("void a[2];", "array of void"),
        ],
    );
    verdicts(
        Stage::Vertex,
        "430",
        &[
            ("vec4 a[2][3]; vec4[4] b[5];", ""),
            ("vec4[] a[2];", "outermost dimension"),
            ("float a[2000000000][2];", "2 GiB"),
        ],
    );
    verdicts(Stage::Vertex, "300 es", &[("float a[];", "needs a size"), ("int[];", "needs a size")]);
    let unit = check(Stage::Vertex, "430", "vec4[4] b[5];").unwrap();
    let outer = unit.types.as_array(unit.vars[0].ty).unwrap();
    assert_eq!(outer.len, 5);
    assert_eq!(unit.types.as_array(outer.elem).unwrap().len, 4);
}

#[test]
fn names_and_scopes() {
    verdicts(
        Stage::Vertex,
        "330",
        &[
            ("float gl_x;", "reserved"),
            ("float x; int x;", "declared twice"),
            ("struct S { float a; float a; };", "two members"),
            ("struct S { int a; }; float S;", "declared twice"),
            ("float f; void f() {}", "other than a function"),
            ("B x;", "unknown type"),
            ("uniform B { vec4 a; }; vec4 a;", "declared twice"),
            ("uniform B { vec4 a; } b; vec4 B;", "declared twice"),
            ("struct A { struct B { int x; } b; };", "inside a structure"),
        ],
    );
    verdicts(Stage::Vertex, "110", &[("struct A { struct B { int x; } b; };", "")]);
    verdicts(Stage::Vertex, "100", &[("float a__b;", "two underscores")]);
}

#[test]
fn initial_values() {
    verdicts(
        Stage::Vertex,
        "330",
        &[
            ("const float a;", "needs an initial value"),
            ("uniform float u = 1.0; float g = u;", ""),
            ("uniform float u; const float c = u;", "must be constant"),
            ("in float a = 1.0;", "inputs cannot have initial values"),
            ("out float a = 1.0;", "outputs cannot have initial values"),
            ("uniform sampler2D s = 1;", "opaque variables cannot have initial values"),
        ],
    );
    verdicts(Stage::Vertex, "420", &[("uniform float u; void f() { const float c = u; }", "")]);
    verdicts(
        Stage::Vertex,
        "300 es",
        &[
            ("uniform float u = 1.0;", "initial values of uniforms are not allowed"),
            ("uniform float u; float g = u;", "must be constant"),
        ],
    );
    verdicts(Stage::Compute, "430", &[("shared int x = 1;", "shared variable")]);
}

#[test]
fn layouts() {
    verdicts(
        Stage::Vertex,
        "330",
        &[
            ("layout(location = 0) out vec4 a;", "not available here"),
            ("layout(location = 1 + 1) in vec4 a;", "integer literal"),
            ("layout(location) in vec4 a;", "needs a value"),
            ("layout(lokation = 1) in vec4 a;", "did you mean location"),
            ("layout(std140) uniform vec4 a;", "cannot be used on a uniform"),
            ("layout(binding = 1) uniform B { vec4 a; };", "not available"),
            ("layout(std140, row_major) uniform B { mat4 a; };", ""),
        ],
    );
    verdicts(
        Stage::Vertex,
        "440",
        &[
            ("layout(location = 1 + 1) out vec4 a;", ""),
            ("layout(location = -1) out vec4 a;", "out of range"),
            // The linker reports it.
            ("layout(location = 1) out vec4 a; layout(location = 1) out vec4 b;", ""),
            // Members after one with a location follow it (section 4.4.1).
            (
                "layout(location = 4) out B { vec4 a; vec4 b; layout(location = 1) vec4 c; vec4 d; vec4 e; vec4 f; };",
                "",
            ),
            (
                "layout(location = 4) out B { vec4 a; vec4 b; layout(location = 1) vec4 c; vec4 d; vec4 e; };",
                "",
            ),
            // Elements of arrays of blocks need locations of their own (section 4.4.1).
            ("layout(location = 4) out B { vec4 a; vec4 b; } v[2];", ""),
            ("out B { layout(location = 4) vec4 a; } v[2];", "no locations of their own"),
            (
                "layout(location = 4) out B { vec4 a; layout(location = 9) vec4 b; } v[2];",
                "no locations of their own",
            ),
            ("layout(location = 1) out vec2 a; layout(location = 1, component = 2) out vec2 b;", ""),
            ("layout(location = 1, component = 3) out vec2 a;", "beyond its location"),
            ("layout(component = 1) out vec2 a;", "needs a location"),
            ("layout(location = 0, component = 0) out dvec3 a;", "two locations"),
            ("layout(std140) uniform B { layout(offset = 2) float a; };", "not a multiple of 4"),
            ("layout(std140) uniform B { vec4 a; layout(offset = 8) float b; };", "previous member"),
            ("layout(shared) uniform B { layout(align = 16) vec4 a; };", "std140 or std430"),
            ("layout(std140, align = 12) uniform B { vec4 a; };", "power of two"),
            ("layout(std430) uniform B { vec4 a; };", "cannot be used on a uniform block"),
            ("layout(xfb_offset = 2) out float a;", "multiple of 4"),
            ("layout(xfb_offset = 0) out vec4 a; layout(xfb_offset = 8) out vec4 b;", "captured twice"),
            ("layout(xfb_stride = 20) out vec4 a; layout(xfb_offset = 16) out vec4 b;", "do not fit"),
            ("layout(set = 1, binding = 0) uniform sampler2D s;", "Vulkan only"),
        ],
    );
    verdicts(
        Stage::Fragment,
        "420",
        &[
            ("layout(binding = 0) uniform atomic_uint a; layout(binding = 0) uniform atomic_uint b;", ""),
            ("layout(binding = 0, offset = 4) uniform atomic_uint a, b;", "overlaps"),
            (
                "layout(binding = 0, offset = 4) uniform atomic_uint a; layout(binding = 0, offset = 4) uniform atomic_uint b;",
                "overlaps",
            ),
            ("uniform atomic_uint a;", "needs a binding"),
            ("uniform image2D i;", "needs a format"),
            ("layout(rgba8) uniform image2D i;", ""),
            ("layout(rgba8i) uniform image2D i;", "does not fit"),
            ("uniform writeonly image2D i;", ""),
            ("coherent vec4 v;", "images and buffers"),
        ],
    );
}

#[test]
fn stage_layouts() {
    verdicts(
        Stage::Geometry,
        "150",
        &[
            (
                "layout(triangles) in; layout(triangle_strip, max_vertices = 3) out; in vec4 a[]; in vec4 b[3];",
                "",
            ),
            ("layout(triangles) in; in vec4 a[2];", "3 vertices"),
            ("in vec4 a[2]; layout(triangles) in;", "3 vertices"),
            ("in vec4 a;", "must be an array"),
            ("layout(points, triangles) in;", "contradicts"),
            ("layout(points, max_vertices = 3) in;", "max_vertices cannot be used"),
            ("void f() { layout(triangle_strip) out; }", "global scope only"),
        ],
    );
    verdicts(Stage::TessControl, "400", &[("layout(vertices = 3) out; out vec4 a[4];", "3 vertices")]);
    verdicts(
        Stage::Compute,
        "430",
        &[
            ("layout(local_size_x = 8) in;", ""),
            ("layout(local_size_x = 0) in;", "must be 1 to"),
            ("layout(local_size_x = 8) in; layout(local_size_x = 4) in;", "contradicts"),
            ("layout(local_size_x = 1024, local_size_y = 1024) in;", "too large"),
        ],
    );
    let unit = check(Stage::Geometry, "150", "in vec4 a[]; layout(lines) in;").unwrap();
    assert_eq!(unit.layout.input_primitive, Some(Primitive::Lines));
    assert_eq!(unit.types.as_array(unit.vars[0].ty).unwrap().len, 2);
}

#[test]
fn views() {
    let enabled = |source: &str| format!("#extension GL_OVR_multiview : require\n{source}");
    let rows = [
        ("layout(num_views = 2) in; uint n = gl_ViewID_OVR;", ""),
        ("layout(num_views = 1 + 1) in; layout(num_views = 2) in;", ""),
        ("layout(num_views = 2) in; layout(num_views = 1) in;", "contradicts"),
        ("layout(num_views = 0) in;", "must be 1 to 2"),
        ("layout(num_views = 3) in;", "must be 1 to 2"),
        ("layout(num_views) in;", "num_views"),
        ("layout(num_views = 2) in vec4 a;", "num_views cannot be used"),
        ("layout(num_views = 2) out;", "num_views cannot be used"),
    ];
    let rows = rows.map(|(source, want)| (enabled(source), want));
    let rows: Vec<(&str, &str)> = rows.iter().map(|(source, want)| (source.as_str(), *want)).collect();
    verdicts(Stage::Vertex, "330", &rows);
    verdicts(Stage::Vertex, "330", &[("layout(num_views = 2) in;", "num_views")]);
    verdicts(
        Stage::Vertex,
        "300 es",
        &[
            (
                "#extension GL_OVR_multiview2 : require\nlayout(num_views = 2) in; void f() { uint n = gl_ViewID_OVR; }",
                "",
            ),
            ("#extension GL_OVR_multiview2 : require\nlayout(num_views = 1 + 1) in;", "an integer literal"),
        ],
    );
    // The index of the view is an input of vertex and fragment shaders (revision 3 of GL_OVR_multiview).
    let layout = enabled("layout(num_views = 2) in;");
    let reads = enabled("void main() { uint n = gl_ViewID_OVR; }");
    verdicts(Stage::Fragment, "450", &[(&layout, "num_views"), (&reads, "")]);
    for stage in [Stage::TessControl, Stage::TessEval, Stage::Geometry, Stage::Compute] {
        verdicts(stage, "450", &[(&layout, "num_views"), (&reads, "gl_ViewID_OVR")]);
    }
    let unit = check(Stage::Vertex, "330", &layout).unwrap();
    assert_eq!(unit.layout.num_views, Some(2));
}

#[test]
fn blocks() {
    verdicts(
        Stage::Vertex,
        "150",
        &[
            ("in B { vec4 a; };", "cannot have input blocks"),
            ("out B { uniform vec4 a; } b;", "other storage"),
            ("uniform B { sampler2D s; };", "opaque"),
            ("uniform B { struct S { int a; } s; };", "inside a structure or block"),
            ("uniform B { vec4 a; }; uniform B { vec4 b; };", "declared twice"),
            ("out gl_PerVertex { vec4 gl_Position; }; void main() { gl_PointSize = 1.0; }", "not declared"),
            ("out gl_PerVertex { vec4 gl_Position; vec4 t; };", "not a member of gl_PerVertex"),
            ("out gl_PerVertex { vec4 gl_Position; }; void main() { gl_Position = vec4(0); }", ""),
            ("buffer B { vec4 a; };", "syntax"),
        ],
    );
    verdicts(
        Stage::Vertex,
        "430",
        &[("buffer B { int n; float a[]; };", ""), ("buffer B { float a[]; int n; };", "")],
    );
    verdicts(Stage::Vertex, "130", &[("uniform B { vec4 a; };", "has no uniform blocks")]);
    let source = "layout(std140) uniform; uniform B { vec4 a; mat4 m; } b[2];";
    let unit = check(Stage::Vertex, "330", source).unwrap();
    let v = &unit.vars[0];
    assert!(v.block && !v.nameless_block);
    assert_eq!(
        (v.qualifiers.storage, v.qualifiers.layout.packing),
        (Storage::Uniform, Some(Packing::Std140))
    );
    assert_eq!(unit.types.as_array(v.ty).unwrap().len, 2);
}

#[test]
fn empty_initialisers() {
    let null = "#extension GL_EXT_null_initializer : require\n";
    let on = |text: &str| format!("{null}{text}");
    let rows = [
        (on("struct S { float x; mat2 y[2]; }; S s = {}; int a[2] = {}; bool b = {}; void main() {}"), ""),
        (on("struct S { int a[2]; int b; }; S s = { {}, 1 }; void main() { float x = {}; }"), ""),
        (on("shared uint a = {}; shared vec4 b[2] = {}; void main() {}"), ""),
        (on("shared uint a = 1; void main() {}"), "can only be {}"),
        (on("int a[] = {}; void main() {}"), "with an empty list"),
        (on("uniform sampler2D s = {}; void main() {}"), "initial values"),
        ("int a = {}; void main() {}".into(), "with an empty list"),
    ];
    for (source, want) in &rows {
        verdicts(Stage::Compute, "450", &[(source, want)]);
    }
}

#[test]
fn functions_and_statements_have_attributes() {
    let rows = [
        (
            "[[a]] void f() {} void g() [[b, c(1)]] {} void h() [[b]]; void main() { [[unroll]] for (;;) {} }",
            "",
        ),
        ("[[a]] int x; void main() {}", "only functions and statements have attributes"),
    ];
    verdicts(Stage::Vertex, "450", &rows);
}

#[test]
fn functions() {
    verdicts(
        Stage::Vertex,
        "330",
        &[
            ("int f(int x); int f(int x) { return x; } float f(float x) { return x; }", ""),
            ("int f(int x) { return 0; } float f(int x) { return 0.0; }", "another return type"),
            ("void f(int x) {} void f(int y) {}", "has a body already"),
            ("void f(out int x); void f(inout int x) {}", "other qualifiers"),
            ("void f() { f(); }", "recursion"),
            ("void g(); void f() { g(); } void g() { f(); }", "recursion"),
            ("int main() { return 0; }", "main must take no parameters"),
            ("sampler2D f();", "opaque"),
            ("void f(const out int x);", "const contradicts"),
            ("void f(struct S { int a; } s);", "declared in place"),
            ("void f() { void g(); }", "inside a function"),
            ("float sin(float x) { return x; }", ""),
        ],
    );
    verdicts(Stage::Vertex, "300 es", &[("float sin(float x) { return x; }", "built-in function")]);
    verdicts(Stage::Vertex, "100", &[("int f(int a); int f(int a);", "declared twice")]);
    verdicts(
        Stage::Vertex,
        "400",
        &[
            ("subroutine void T(); subroutine(T) void f() {} subroutine uniform T u;", ""),
            ("subroutine void T(); subroutine(T) void f();", "needs a body"),
            ("subroutine(T) void f() {}", "not a subroutine type"),
            ("subroutine void T(int x); subroutine(T) void f() {}", "parameters and result"),
            ("subroutine void T(); subroutine(T) void f() {} void f(int x) {}", "overloads"),
        ],
    );
}

#[test]
fn built_in_variables_declared_again() {
    verdicts(
        Stage::Fragment,
        "150",
        &[
            ("layout(origin_upper_left) in vec4 gl_FragCoord;", ""),
            ("layout(origin_upper_left) in vec4 gl_FragCoord; in vec4 gl_FragCoord;", "another layout"),
            ("uniform vec4 gl_FragCoord;", "another storage"),
            ("in vec2 gl_FragCoord;", "redeclared with type"),
            ("layout(origin_upper_left) in vec4 x;", "gl_FragCoord only"),
        ],
    );
    verdicts(
        Stage::Vertex,
        "130",
        &[
            ("out float gl_ClipDistance[4];", ""),
            ("out float gl_ClipDistance[40];", "more than the limit"),
            ("invariant gl_Position;", ""),
            ("uniform vec4 u; invariant u;", "only outputs"),
            ("void f() { gl_Position = vec4(0); } invariant gl_Position;", "used before"),
        ],
    );
}

#[test]
fn static_use_is_recorded() {
    let source = "uniform float a, b; float g() { return b; } float f() { return a + g(); } \
        void main() { gl_Position = vec4(f() + f()); }";
    let unit = check(Stage::Vertex, "330", source).unwrap();
    let find = |name: &str| unit.functions.iter().position(|f| &unit.names[f.name] == name).unwrap();
    let names = |of: usize| -> Vec<&str> {
        unit.functions[of].globals.iter().map(|&v| &unit.names[unit[v].name]).collect()
    };
    assert_eq!(names(find("f")), ["a"]);
    assert_eq!(names(find("g")), ["b"]);
    assert_eq!(unit.functions[find("main")].calls.len(), 1);
    assert_eq!(unit.functions[find("f")].calls[0].0 as usize, find("g"));
}

#[test]
fn hostile_declarations_end() {
    let mut source = String::from("struct S0 { float a, b; };");
    for i in 1..60 {
        source += &format!("struct S{i} {{ S{} a, b; }};", i - 1);
    }
    let errors = check(Stage::Vertex, "330", &source).unwrap_err();
    assert!(errors[0].contains("more than"), "{errors:?}");
    let errors = check(Stage::Vertex, "450", &format!("float a{};", "[2]".repeat(100))).unwrap_err();
    assert!(errors[0].contains("nested deeper") || errors[0].contains("2 GiB"), "{errors:?}");
    let unit = check(Stage::Vertex, "330", "float a[4];").unwrap();
    assert!(matches!(unit.vars[0].ty, Type::Array(_)));
}
