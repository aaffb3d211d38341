//! Locations, bindings, offsets.

use super::*;
use crate::link::layout::{Layouts, Rules};
use airfoil_ir::Slot;

fn vs(source: &str, options: &LinkOptions) -> Linked {
    linked("450", &[(VS, source)], options)
}

#[test]
fn attributes_by_application_then_layout_then_first_fit() {
    let source = "in vec4 a; in mat3 m; layout(location = 1) in vec4 b; in float c; in float unused;\
        void main() { gl_Position = a + b + m[0].xyzz + c; }";
    let attribute_bindings = vec![("a".into(), 2), ("b".into(), 7)];
    let options = LinkOptions { attribute_bindings, ..LinkOptions::default() };
    let program = vs(source, &options);
    let unit = &program.units[0];
    let at = |name| place(unit, name).location;
    // The layout is stronger than the application; the matrix needs three in a row.
    assert_eq!(
        (at("a"), at("b"), at("m"), at("c"), at("unused")),
        (Some(2), Some(1), Some(3), Some(0), None)
    );
    assert_eq!(place(unit, "m").slot, Slot::generic(3));
    assert_eq!(program.reflection.inputs.len(), 4);
}

#[test]
fn attributes_may_alias_on_the_desktop_only() {
    let source = "layout(location = 1) in vec4 a; in vec4 b; void main() { gl_Position = a + b; }";
    let mut options = LinkOptions { allow_missing_fragment: true, ..LinkOptions::default() };
    options.attribute_bindings = vec![("b".into(), 1)];
    assert!(try_link("450", &[(VS, source)], &options).is_ok());
    assert!(try_link("300 es", &[(VS, source)], &options).unwrap_err().contains("share location 1"));
}

#[test]
fn doubles_of_attributes_take_two_slots() {
    let source = "layout(location = 1) in dvec4 a; layout(location = 2) in vec4 b; layout(location = 3) in dvec3 c[2];\
        layout(location = 5) in dvec2 d; layout(location = 0) in float e; layout(location = 6) in dmat3 f;\
        void main() { gl_Position = vec4(a) + b + vec4(c[1], 1) + vec4(d, d) + e + vec4(f[1], 1); }";
    let program = vs(source, &LinkOptions::default());
    let unit = &program.units[0];
    let at = |name| (place(unit, name).location, place(unit, name).slot.and_then(Slot::as_generic));
    assert_eq!(at("e"), (Some(0), Some(0)));
    assert_eq!(at("a"), (Some(1), Some(1)));
    assert_eq!(at("b"), (Some(2), Some(3)));
    assert_eq!(at("c"), (Some(3), Some(4)));
    assert_eq!(at("d"), (Some(5), Some(8)));
    assert_eq!(at("f"), (Some(6), Some(9)));
    let told =
        |name: &str| program.reflection.inputs.iter().find(|i| i.name == name).and_then(|i| i.location);
    assert_eq!(
        ["a", "b", "c[0]", "d", "e", "f"].map(told),
        [Some(1), Some(2), Some(3), Some(5), Some(0), Some(6)]
    );
}

#[test]
fn colours() {
    let source =
        "out vec4 a; out vec4 b; layout(location = 0) out vec4 c; void main() { a = b = c = vec4(1); }";
    let options = LinkOptions { frag_data_bindings: vec![("b".into(), 0, 1)], ..LinkOptions::default() };
    let program = linked("450", &[(FS, source)], &options);
    let unit = &program.units[0];
    let at = |name| (place(unit, name).slot, place(unit, name).index);
    assert_eq!(at("a"), (Slot::generic(1), 0));
    assert_eq!(at("b"), (Slot::generic(0), 1));
    assert_eq!(at("c"), (Slot::generic(0), 0));
    verdicts(&[
        (
            "300 es",
            &[
                (VS, "void main() {}"),
                (FS, "precision mediump float; out vec4 a; out vec4 b; void main() { a = b = vec4(1); }"),
            ],
            "needs a location",
        ),
        (
            "450",
            &[(
                FS,
                "layout(location = 1) out vec2 a; layout(location = 1, component = 2) out ivec2 b; void main() { a = vec2(1); b = ivec2(1); }",
            )],
            "differ in kind",
        ),
    ]);
}

#[test]
fn varyings_keep_explicit_locations_and_fill_gaps() {
    let io = "layout(location = 1) IO vec4 a; IO vec4 b; IO mat2 m; IO float c;";
    let out = io.replace("IO", "out");
    let vs = format!("{out} void main() {{ a = b = vec4(1); m = mat2(1); c = 1.0; }}");
    let fs = format!("{} out vec4 o; void main() {{ o = a + b + m[0].xyxy + c; }}", io.replace("IO", "in"));
    let program = linked("450", &[(VS, &vs), (FS, &fs)], &LinkOptions::default());
    let slot = |u: usize, name| place(&program.units[u], name).slot.and_then(Slot::as_generic);
    for u in 0..2 {
        assert_eq!(["a", "b", "m", "c"].map(|n| slot(u, n)), [Some(1), Some(0), Some(2), Some(4)]);
    }
}

#[test]
fn elements_of_three_doubles_leave_half_a_location() {
    // Location 0 is full, of location 1 components 2 and 3 are free (GLSL 4.60 section 4.4.1).
    let io = |kind: &str, at: u32, component: u32| {
        format!(
            "layout(location = 0) flat {kind} dvec3 a[2]; layout(location = {at}, component = {component}) flat {kind} double b;"
        )
    };
    let sources = |at, component| {
        let vs = format!("{} void main() {{ a[0] = a[1] = dvec3(1); b = 2.0; }}", io("out", at, component));
        let fs = format!("{} out vec4 o; void main() {{ o = vec4(a[1], b); }}", io("in", at, component));
        (vs, fs)
    };
    let (vs, fs) = sources(3, 2);
    let program = linked("450", &[(VS, &vs), (FS, &fs)], &LinkOptions::default());
    let b = place(&program.units[1], "b");
    assert_eq!((b.slot, b.component), (Slot::generic(3), 2));
    for (at, component) in [(0, 2), (2, 0), (3, 0)] {
        let (vs, fs) = sources(at, component);
        verdicts(&[("450", &[(VS, &vs), (FS, &fs)], "share location")]);
    }
}

#[test]
fn many_small_varyings_share_locations() {
    let names: Vec<String> = (0..40).map(|i| format!("v{i}")).collect();
    let decl = |kind: &str| names.iter().map(|n| format!("{kind} float {n};")).collect::<String>();
    let vs = format!(
        "{} void main() {{ {} }}",
        decl("out"),
        names.iter().map(|n| format!("{n} = 1.0;")).collect::<String>()
    );
    let fs = format!("{} out vec4 c; void main() {{ c = vec4({}); }}", decl("in"), names.join("+"));
    let program = linked("450", &[(VS, &vs), (FS, &fs)], &LinkOptions::default());
    let mut seen = std::collections::BTreeSet::new();
    for n in &names {
        let p = place(&program.units[0], n);
        assert_eq!(p, place(&program.units[1], n));
        assert!(p.slot.and_then(Slot::as_generic).unwrap() < 16);
        assert!(seen.insert((p.slot, p.component)));
    }
}

#[test]
fn block_members_have_places() {
    let vs = "out B { layout(location = 4) vec4 a; layout(location = 2) float b; } x[2]; void main() { x[1].a = vec4(1); }";
    let vs = vs.replace(" x[2]", " x").replace("x[1]", "x");
    let fs = "in B { layout(location = 4) vec4 a; layout(location = 2) float b; } y; out vec4 c; void main() { c = y.a + y.b; }";
    let program = linked("450", &[(VS, &vs), (FS, fs)], &LinkOptions::default());
    let places = |u: usize, name| var(&program.units[u], name).field_places.clone();
    assert_eq!(places(0, "x"), places(1, "y"));
    assert_eq!(
        places(0, "x").iter().map(|p| p.slot).collect::<Vec<_>>(),
        [Slot::generic(4), Slot::generic(2)]
    );
}

#[test]
fn uniform_locations() {
    let source = "layout(location = 2) uniform float a; uniform float b[3]; uniform float c; struct S { float x; vec2 y[2]; };\
        uniform S s; layout(location = 20) uniform float unused; uniform float inactive;\
        void main() { gl_Position = vec4(a + b[1] + c + s.x + s.y[0].x); }";
    let program = vs(source, &LinkOptions::default());
    let unit = &program.units[0];
    let at = |name| place(unit, name).location;
    // The array does not fit below 2; the single float does.
    assert_eq!([at("a"), at("b"), at("c"), at("s")], [Some(2), Some(3), Some(0), Some(6)]);
    assert_eq!(at("inactive"), None);
    assert_eq!(program.reflection.uniform_locations, 21);
}

#[test]
fn the_default_block_is_one_for_all_stages() {
    let vs = "uniform float a; uniform vec3 b; void main() { gl_Position = vec4(a) + b.xyzz; }";
    let fs = "uniform vec3 b; uniform mat3 c; layout(binding = 4) uniform B { vec4 x; }; out vec4 o;\
        void main() { o = vec4(b + c[0], x.x); }";
    let program = linked("450", &[(VS, vs), (FS, fs)], &LinkOptions::default());
    let blocks: Vec<_> = program.units.iter().map(|u| u.default_block.clone().unwrap()).collect();
    assert_eq!(blocks.iter().map(|b| (b.binding, b.size)).collect::<Vec<_>>(), [(5, 80), (5, 80)]);
    assert_eq!(place(&program.units[0], "b").offset, Some(16));
    assert_eq!(place(&program.units[1], "b").offset, Some(16));
    assert_eq!(place(&program.units[1], "c").offset, Some(32));
    assert_eq!(blocks[0].members.len(), 2);
    let options = LinkOptions { default_block_binding: Some(30), ..LinkOptions::default() };
    assert_eq!(vs_binding(&options), 30);
}

fn vs_binding(options: &LinkOptions) -> u32 {
    let program = vs("uniform float a; void main() { gl_Position = vec4(a); }", options);
    program.units[0].default_block.as_ref().unwrap().binding
}

#[test]
fn resources_get_bindings_of_their_kind() {
    let source = "uniform sampler2D a[3]; layout(binding = 1) uniform sampler2D b; uniform sampler2D c;\
        struct S { sampler2D x; float f; sampler2D y[2]; }; uniform S s[2];\
        layout(rgba8) uniform readonly image2D i; uniform A { float p; } u[2]; layout(binding = 0) uniform B { float q; };\
        void main() { gl_FragColor = texture(a[0], vec2(0)) + texture(b, vec2(0)) + texture(c, vec2(0)) + texture(s[1].y[1], vec2(0))\
          + imageLoad(i, ivec2(0)) + u[1].p + q; }";
    let program = linked("450 compatibility", &[(FS, source)], &LinkOptions::default());
    let unit = &program.units[0];
    let at = |name| place(unit, name).binding;
    assert_eq!(
        [at("a"), at("b"), at("c"), at("s"), at("i"), at("u")],
        [Some(2), Some(1), Some(0), Some(5), Some(0), Some(1)]
    );
    // All `x`, then all `y`: elements of each member follow each other.
    let of = |name: &str| program.reflection.uniforms.iter().find(|u| u.name == name).unwrap().binding;
    assert_eq!(
        [of("s[0].x"), of("s[1].x"), of("s[0].y[0]"), of("s[1].y[0]")],
        [Some(5), Some(6), Some(7), Some(9)]
    );
}

#[test]
fn atomic_counters() {
    let source = "layout(binding = 0, offset = 4) uniform atomic_uint a; layout(binding = 0) uniform atomic_uint b[2];\
        layout(binding = 3) buffer B { float x; }; out vec4 c; void main() { c = vec4(atomicCounter(a) + atomicCounter(b[1])); }";
    let program = linked("450", &[(FS, source)], &LinkOptions::default());
    let unit = &program.units[0];
    assert_eq!((place(unit, "a").offset, place(unit, "b").offset), (Some(4), Some(8)));
    assert_eq!(place(unit, "a").binding, Some(4));
    let buffer = &program.reflection.atomic_buffers[0];
    assert_eq!((buffer.binding, buffer.storage_binding, buffer.size, buffer.counters.len()), (0, 4, 16, 2));
}

/// A shader for Vulkan.
fn vulkan_unit(stage: Stage, source: &str) -> Unit {
    let options = Options { vulkan: true, ..Options::new(stage) };
    compile(&[&format!("#version 450\n{source}")], &options).unwrap_or_else(|e| panic!("{e:#?}")).unit
}

#[test]
fn outputs_of_vulkan_stay_without_partner() {
    // As many components as there are: each side counts for itself.
    let vertex =
        vulkan_unit(VS, "layout(location = 2) out vec4 a[14]; void main() { a[3] = gl_Position = vec4(1); }");
    let fragment = vulkan_unit(
        FS,
        "layout(location = 2) in vec4 b[14]; layout(location = 0) out vec4 o; void main() { o = b[3]; }",
    );
    let program = link(vec![vertex, fragment], &LinkOptions::default()).unwrap_or_else(|e| panic!("{e:#?}"));
    for (unit, name) in program.units.iter().zip(["a", "b"]) {
        let place = place(unit, name);
        assert_eq!((place.slot, place.dead), (Slot::generic(2), false), "{name}");
    }
}

#[test]
fn blocks_for_vulkan_are_packed_by_storage() {
    // GL_KHR_vulkan_glsl: push constants and buffers are std430, uniform blocks std140.
    let source = "layout(push_constant) uniform P { float a[2]; } p;\
        layout(set = 0, binding = 0) uniform U { float a[2]; } u;\
        layout(set = 0, binding = 1) buffer S { float a[2]; } s;\
        layout(set = 0, binding = 2, std430) buffer T { float a[2]; } t; void main() { s.a[0] = p.a[1] + u.a[1] + t.a[1]; }";
    let unit = vulkan_unit(CS, source);
    let mut layouts = Layouts::new(&unit.types);
    let sizes = ["p", "u", "s", "t"].map(|name| {
        let block = var(&unit, name);
        layouts.of(block.ty, Rules::of_block(&unit, block)).map(|layout| layout.size)
    });
    assert_eq!(sizes, [Ok(8), Ok(32), Ok(8), Ok(8)]);
}

#[test]
fn attributes_share_a_location_by_component() {
    let source = "layout(location = 1) in float a; layout(location = 1, component = 2) in vec2 b;\
        void main() { gl_Position = vec4(a, b, 1); }";
    let program = vs(source, &LinkOptions::default());
    let at = |name| (place(&program.units[0], name).location, place(&program.units[0], name).component);
    assert_eq!((at("a"), at("b")), ((Some(1), 0), (Some(1), 2)));
}

const LOCATED: &str = "B { vec4 a; vec2 b[2]; float c; } v[3];";

#[test]
fn elements_of_arrays_of_blocks_follow_each_other() {
    let vs = format!(
        "layout(location = 2) out {LOCATED} layout(location = 14) out vec4 next; uniform int i;
         void main() {{ v[i].a = vec4(1); v[1].c = 2.0; next = vec4(3); gl_Position = vec4(0); }}"
    );
    let fs = format!(
        "layout(location = 2) in {LOCATED} layout(location = 14) in vec4 next; uniform int i; out vec4 o;
         void main() {{ o = v[i].a * v[1].c + v[2].b[1].x + next; }}"
    );
    let program = linked("450", &[(VS, &vs), (FS, &fs)], &LinkOptions::default());
    for unit in &program.units {
        // Of the first element.
        let places: Vec<_> = var(unit, "v").field_places.iter().map(|p| p.slot).collect();
        assert_eq!(places, [2, 3, 5].map(Slot::generic));
    }
    for (location, fits) in [(13, false), (14, true), (5, false), (0, true)] {
        let vs = vs.replace("location = 14", &format!("location = {location}"));
        let result =
            try_link("450", &[(VS, &vs)], &LinkOptions { separable: true, ..LinkOptions::default() });
        assert_eq!(result.is_ok(), fits, "{location}: {result:?}");
    }
    // The last location is that of the last element: 4 each.
    for (location, fits) in [(4, true), (5, false)] {
        let source = format!("layout(location = {location}) out {LOCATED} void main() {{ v[0].c = 1.0; }}");
        let options = LinkOptions { separable: true, ..LinkOptions::default() };
        let result = try_link("450", &[(VS, &source)], &options);
        assert_eq!(result.is_ok(), fits, "{location}: {result:?}");
    }
}

#[test]
fn components_of_each_side_count_for_themselves() {
    let fragment =
        |n: u32| format!("in float a[{n}]; in vec4 b; out vec4 o; void main() {{ o = a[0] * b; }}");
    let vertex = |n: u32| {
        format!("out float a[{n}]; out vec4 b; void main() {{ a[0] = 1.0; b = gl_Position = vec4(1); }}")
    };
    let link = |n: u32| {
        let options = LinkOptions::default();
        try_link("450", &[(VS, &vertex(n)), (FS, &fragment(n))], &options)
    };
    // An array of scalars takes one component for each element: 60 and 4 are all of them.
    let program = link(60).unwrap_or_else(|e| panic!("{e}"));
    let places = ["a", "b"].map(|name| place(&program.units[1], name));
    assert_eq!(places.map(|p| (p.slot, p.packed)), [(Slot::generic(0), true), (Slot::generic(15), false)]);
    // Variables that fit without packing are not packed.
    assert!(!place(&link(15).unwrap_or_else(|e| panic!("{e}")).units[1], "a").packed);
    let message = link(61).expect_err("65 components");
    assert!(
        message.contains("vertex shader: its outputs, 65 components, do not fit into 64 components"),
        "{message}"
    );
    // Captured outputs that are not read do not count for the reader.
    let mut options = LinkOptions::default();
    options.limits.max_fragment_input_components = 32;
    options.transform_feedback.varyings = vec!["a".into()];
    let fs = "in vec4 b; out vec4 o; void main() { o = b; }";
    try_link("450", &[(VS, &vertex(40)), (FS, fs)], &options).unwrap_or_else(|e| panic!("{e:#?}"));
}
