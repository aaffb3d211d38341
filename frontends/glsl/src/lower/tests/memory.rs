//! Buffers, workgroup memory, atomic counters.

use super::{same, shader, text};
use airfoil_ir::{Access, Modes, Stage, Type};

#[test]
fn booleans_in_buffers_are_numbers() {
    let d = "struct S { bool a; bvec2 b; int c[2]; }; layout(std140, binding = 1) buffer T { S s; bool flags[20]; S t; };";
    let end = "s.a = false; s.b = bvec2(false); t.a = false; t.b = bvec2(false); for (int i = 0; i < 20; ++i) flags[i] = false; s.c = int[](0, 0); t.c = s.c;";
    let body = format!(
        "S x = S(nothing() == 0, bvec2(false, true), int[](1, 2)); s = x; x.b.x = true; t = x; r[0] = int(s.a) + int(s.b.y) * 2 + int(s.b.x) * 4; r[1] = int(t == s); S y = s; r[2] = int(y.b.y); s = t; r[3] = int(s == t); t.b.y = !t.b.y; r[4] = int(t.b.y); bool all[20] = flags; all[3] = true; flags = all; r[5] = int(flags[nothing() + 3]);{end}"
    );
    let want = "r[0] = 3; r[1] = 0; r[2] = 1; r[3] = 1; r[4] = 0; r[5] = 1;";
    same(d, &body, &format!("{want} {end}"));
}

#[test]
fn matrices_in_buffers() {
    let d = "layout(std140, row_major, binding = 1) uniform U { mat3x2 unused; mat2 m; layout(column_major) mat2 n[2]; };
    layout(std430, binding = 2) buffer V { layout(row_major) mat2x3 a; mat2x3 b; };";
    let s = shader(
        Stage::Compute,
        &super::program(d, "a = mat2x3(m) + mat2x3(n[1]); b = a; a[1][nothing()] = 1.0; b[0].yz = a[1].xy;"),
    );
    let block = s.vars.values().find(|v| &*v.name == "V").map(|v| v.ty);
    let Some(Type::Struct(st)) = block.map(|t| &s.types[t]) else { panic!("no block") };
    assert!(matches!(s.types[st.members[0].ty], Type::Matrix { row_major: true, stride: 8, .. }));
    assert!(matches!(s.types[st.members[1].ty], Type::Matrix { row_major: false, stride: 16, .. }));
    same(
        "shared mat2x3 a;",
        "a = mat2x3(1, 2, 3, 4, 5, 6); a[nothing() + 1][2] = 9.0; a[0].zx = a[1].xz; v[0] = vec4(a[0], a[1].z);",
        "v[0] = vec4(9, 2, 4, 9);",
    );
}

#[test]
fn runtime_arrays_and_qualifiers() {
    let source = "#version 450\nlayout(local_size_x = 1) in; layout(std430, binding = 3) readonly buffer A { coherent vec4 head; float tail[]; } a; layout(std430, binding = 4) writeonly restrict buffer B { float x[]; } b[2]; void main() { b[1].x[0] = a.tail[a.tail.length() - 1] + a.head.x; }";
    let s = shader(Stage::Compute, source);
    let find = |name: &str| s.vars.values().find(|v| &*v.name == name).map(|v| (v.mode, v.binding, v.access));
    assert_eq!(find("a").or(find("A")), Some((Modes::SSBO, Some(3), Access::NON_WRITEABLE)));
    assert_eq!(
        find("b").or(find("B")),
        Some((Modes::SSBO, Some(4), Access::NON_READABLE | Access::RESTRICT))
    );
    assert!(text(Stage::Compute, source).contains("deref_buffer_array_length"));
}

#[test]
fn atomic_counters_are_a_buffer() {
    let source = "#version 450\nlayout(local_size_x = 1) in; layout(binding = 0, offset = 8) uniform atomic_uint a; layout(binding = 0, offset = 16) uniform atomic_uint b[3]; layout(std430, binding = 0) buffer R { uint r; }; uint take(atomic_uint c) { return atomicCounterIncrement(c); } void main() { r = atomicCounter(b[1]) + take(a) + atomicCounterDecrement(b[r & 1u]); }";
    let s = shader(Stage::Compute, source);
    let counters = s.vars.values().find(|v| &*v.name == "gl_AtomicCounterBuffer0");
    let Some(counters) = counters else { panic!("no buffer of counters") };
    let Type::Struct(st) = &s.types[counters.ty] else { panic!("no block") };
    assert_eq!(st.members.iter().map(|m| m.offset).collect::<Vec<_>>(), [Some(8), Some(16)]);
    assert_eq!(counters.mode, Modes::SSBO);
    let buffer = s.vars.values().find(|v| &*v.name == "R").and_then(|v| v.binding);
    assert_ne!(counters.binding, buffer);
}

#[test]
fn compare_of_buffer_parts() {
    same(
        "",
        "for (int i = 0; i < 4; ++i) { fl[i] = 1.0; fl[i + 4] = 1.0; } r[0] = int(v[0] == v[0] || true); fl[8] = fl[3];",
        "for (int i = 0; i < 9; ++i) fl[i] = 1.0; r[0] = 1;",
    );
}
