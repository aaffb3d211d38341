//! Permitted combinations of stages, and the declarations that several objects of a stage share.

use super::*;

const EMPTY: &str = "void main() {}";

#[test]
fn stages_that_go_together() {
    let geometry = "layout(points) in; layout(points, max_vertices = 1) out; void main() {}";
    let control = "layout(vertices = 3) out; void main() {}";
    let evaluation = "layout(triangles) in; void main() {}";
    verdicts(&[
        ("450", &[(VS, EMPTY), (FS, EMPTY)], ""),
        ("450", &[(FS, EMPTY)], ""),
        ("450", &[(VS, EMPTY), (GS, geometry), (FS, EMPTY)], ""),
        ("450", &[(GS, geometry), (FS, EMPTY)], "it needs a vertex shader"),
        ("450", &[(VS, EMPTY), (TES, evaluation)], ""),
        ("450", &[(VS, EMPTY), (TCS, control)], "it needs a tessellation evaluation shader"),
        ("450", &[(CS, "layout(local_size_x = 1) in; void main() {}"), (VS, EMPTY)], "other stages"),
        ("450", &[(VS, EMPTY), (GS, "layout(points) in; void main() {}")], "max_vertices"),
        ("310 es", &[(VS, EMPTY)], "it needs a fragment shader"),
        ("450", &[], "no shader"),
    ]);
    let mixed = vec![unit(VS, "300 es", EMPTY), unit(FS, "450", EMPTY)];
    assert!(link(mixed, &LinkOptions::default()).is_err());
    let desktop = vec![unit(VS, "130", EMPTY), unit(FS, "450", EMPTY)];
    assert!(link(desktop, &LinkOptions::default()).is_ok());
    let options = LinkOptions { separable: true, ..LinkOptions::default() };
    assert!(try_link("450", &[(GS, geometry)], &options).is_ok());
}

#[test]
fn objects_of_one_stage() {
    verdicts(&[
        (
            "450",
            &[(VS, "float f(); void main() { gl_Position = vec4(f()); }"), (VS, "float f() { return 1.0; }")],
            "",
        ),
        (
            "450",
            &[(VS, "float f(); void main() { gl_Position = vec4(f()); }")],
            "no shader of the stage defines it",
        ),
        ("450", &[(VS, "float f(); void main() {}")], ""),
        (
            "450",
            &[(VS, "float f() { return 1.0; } void main() {}"), (VS, "float f() { return 2.0; }")],
            "two objects define `f`",
        ),
        ("450", &[(VS, EMPTY), (VS, EMPTY)], "two objects define `main`"),
        ("450", &[(VS, "float f() { return 1.0; }")], "no shader of it defines `main`"),
        (
            "450",
            &[
                (VS, "void f(); void main() { f(); }"),
                (VS, "void g(); void f() { g(); }"),
                (VS, "void f(); void g() { f(); }"),
            ],
            "calls itself",
        ),
        (
            "450",
            &[(VS, "float a = 1.0; void main() { gl_Position = vec4(a); }"), (VS, "float a = 2.0;")],
            "the initial values differ",
        ),
        (
            "450",
            &[(VS, "float a; void main() { gl_Position = vec4(a); }"), (VS, "vec2 a;")],
            "the types are float and vec2",
        ),
        (
            "450",
            &[
                (VS, "float a[3]; void main() { gl_Position = vec4(a[0]); }"),
                (VS, "float a[]; float f() { return a[2]; }"),
            ],
            "",
        ),
        (
            "450",
            &[
                (VS, "float a[3]; void main() { gl_Position = vec4(a[0]); }"),
                (VS, "float a[]; float f() { return a[3]; }"),
            ],
            "element 3 is used",
        ),
        (
            "450",
            &[
                (FS, "void main() {}"),
                (FS, "layout(depth_less) out float gl_FragDepth; void f() { gl_FragDepth = 1.0; }"),
                (FS, "void g() { gl_FragDepth = 1.0; }"),
            ],
            "gl_FragDepth",
        ),
        (
            "450",
            &[
                (CS, "layout(local_size_x = 2) in; void main() {}"),
                (CS, "layout(local_size_x = 4) in; void f() {}"),
            ],
            "local_size",
        ),
    ]);
    // Sizes that are specialised must be declared in the same way, too (GLSL 4.60 section 4.4.1.4).
    let objects = |a: &str, b: &str| {
        let unit = |source: String| {
            let options = Options { vulkan: true, ..Options::new(CS) };
            compile(&[&format!("#version 450\n{source}")], &options).unwrap_or_else(|e| panic!("{e:#?}")).unit
        };
        let units = vec![unit(format!("{a} void main() {{}}")), unit(format!("{b} void f() {{}}"))];
        link(units, &LinkOptions::default()).map_err(|e| e[0].message.clone())
    };
    for (a, b) in [
        ("layout(local_size_x_id = 1) in;", "layout(local_size_x_id = 2) in;"),
        ("layout(local_size_x = 4, local_size_x_id = 1) in;", "layout(local_size_x = 4) in;"),
        ("layout(local_size_x_id = 1) in;", "layout(local_size_y = 8) in;"),
        (
            "layout(local_size_x = 2, local_size_x_id = 1) in;",
            "layout(local_size_x = 4, local_size_x_id = 1) in;",
        ),
    ] {
        let message = objects(a, b).expect_err(b);
        assert!(message.contains("differ in local_size"), "{a} {b}: {message}");
    }
    let same = "layout(local_size_x = 4, local_size_y_id = 1) in;";
    let size = |r: Result<Linked, String>| r.unwrap().units[0].layout.local_size_id;
    assert_eq!(
        [objects(same, same), objects(same, ""), objects("", same)].map(size),
        [[None, Some(1), None]; 3]
    );
}

#[test]
fn views_of_a_program() {
    let multiview = |source: &str| format!("#extension GL_OVR_multiview2 : require\n{source}");
    let two = multiview("layout(num_views = 2) in; void main() { gl_Position = vec4(gl_ViewID_OVR); }");
    let same = multiview("layout(num_views = 2) in;");
    let other = multiview("layout(num_views = 1) in;");
    let plain = multiview("void main() { gl_Position = vec4(gl_ViewID_OVR); }");
    let fragment = multiview("out vec4 c; void main() { c = vec4(gl_ViewID_OVR); }");
    let geometry = "layout(points) in; layout(points, max_vertices = 1) out; void main() { EmitVertex(); }";
    verdicts(&[
        ("330", &[(VS, &two), (VS, &same)], ""),
        ("330", &[(VS, &two), (VS, "float f() { return 1.0; }")], ""),
        ("330", &[(VS, &two), (VS, &other)], "its objects differ in num_views"),
    ]);
    let views = |sources: &[(Stage, &str)]| {
        let program = linked("330", sources, &LinkOptions::default());
        let views: Vec<_> = program.units.iter().map(|u| u.layout.views).collect();
        let warnings: Vec<_> = program.warnings.iter().map(|w| w.code).collect();
        (views, program.reflection.stages[0].num_views, warnings)
    };
    assert_eq!(views(&[(VS, &two), (FS, &fragment)]), (vec![Some(2); 2], Some(2), vec![]));
    assert_eq!(views(&[(VS, &plain), (FS, &fragment)]), (vec![Some(1); 2], None, vec![]));
    // A fragment shader alone does not know.
    assert_eq!(views(&[(FS, &fragment)]), (vec![None], None, vec![]));
    let with_geometry = [(VS, two.as_str()), (GS, geometry), (FS, &fragment)];
    assert_eq!(views(&with_geometry), (vec![Some(1); 3], Some(2), vec!["W1103"]));
}

#[test]
fn merged_objects_call_and_share() {
    let main = "struct S { float a; }; uniform S s; float g; float f(S x); void main() { g = 1.0; gl_Position = vec4(f(s)); }";
    let other = "struct S { float a; }; uniform S s; float g; float f(S x) { return x.a + s.a + g; }";
    let program = linked("450", &[(VS, main), (VS, other)], &LinkOptions::default());
    let unit = &program.units[0];
    assert_eq!(program.units.len(), 1);
    assert_eq!(unit.vars.iter().filter(|v| &unit.names[v.name] == "s").count(), 1);
    assert_eq!(unit.functions.iter().filter(|f| &unit.names[f.name] == "f").count(), 1);
    assert!(unit.functions.iter().all(|f| f.body.is_some()));
    assert_eq!(unit.types.structs.len(), 1);
    assert_eq!(program.reflection.uniforms.len(), 1);
    // Expressions of the second object name variables of the first.
    let f = unit.functions.iter().find(|f| &unit.names[f.name] == "f").unwrap();
    let names: Vec<_> = f.globals.iter().map(|&v| &unit.names[unit[v].name]).collect();
    assert_eq!(names, ["s", "g"]);
}

#[test]
fn arrays_get_sizes_from_other_objects() {
    let program = linked(
        "450",
        &[
            (VS, "float a[]; float f(); void main() { a[1] = 1.0; gl_Position = vec4(f()); }"),
            (VS, "float a[]; float f() { return a[5]; }"),
        ],
        &LinkOptions::default(),
    );
    let unit = &program.units[0];
    assert_eq!(unit.types.as_array(var(unit, "a").ty).unwrap().len, 6);
    for e in &unit.exprs {
        if let crate::hir::ExprKind::Var(v) = e.kind {
            assert_eq!(e.ty, unit[v].ty);
        }
    }
}

#[test]
fn limits_are_named_with_figures() {
    let limits = crate::limits::Limits { max_geometry_output_vertices: 4, ..Default::default() };
    let options = LinkOptions { limits, ..LinkOptions::default() };
    let gs = "layout(points) in; layout(points, max_vertices = 4) out; void main() {}";
    assert!(try_link("450", &[(VS, EMPTY), (GS, gs)], &options).is_ok());
    verdicts(&[
        (
            "450",
            &[(VS, "uniform vec4 a[1000]; void main() { gl_Position = a[gl_VertexID]; }")],
            "4000 uniform components, but GL_MAX_VERTEX_UNIFORM_COMPONENTS is 1024",
        ),
        (
            "450",
            &[(VS, "layout(std140) uniform B { vec4 a[2000]; }; void main() { gl_Position = a[0]; }")],
            "has 32000 bytes, GL_MAX_UNIFORM_BLOCK_SIZE is 16384",
        ),
        ("450", &[(VS, "in vec4 a[20]; void main() { gl_Position = a[0]; }")], "GL_MAX_VERTEX_ATTRIBS"),
        (
            "450",
            &[
                (VS, "out vec4 a[40]; void main() { a[0] = vec4(1); }"),
                (FS, "in vec4 a[40]; out vec4 c; void main() { c = a[39]; }"),
            ],
            "do not fit into 64 components",
        ),
        (
            "450",
            &[(CS, "layout(local_size_x = 1) in; shared vec4 a[3000]; void main() { a[0] = vec4(1); }")],
            "48000 bytes of shared variables, but GL_MAX_COMPUTE_SHARED_MEMORY_SIZE is 32768",
        ),
    ]);
}

#[test]
fn enormous_declarations_are_refused_without_being_taken_apart() {
    let huge = "struct A { float x; sampler2D t; }; struct B { A a[60000]; }; uniform B b[30000];\
        void main() { gl_Position = texture(b[0].a[0].t, vec2(b[1].a[2].x)); }";
    for source in [
        huge,
        "struct A { float x[2]; }; uniform A a[200000]; void main() { gl_Position = vec4(a[0].x[1]); }",
    ] {
        let source = format!("#version 450\n{source}");
        // The checker may reject it first.
        let Ok(compiled) = compile(&[&source], &Options::new(VS)) else { continue };
        assert!(link(vec![compiled.unit], &LinkOptions::default()).is_err());
    }
}
