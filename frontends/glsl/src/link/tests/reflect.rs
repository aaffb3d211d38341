//! Reflection, transform feedback, subroutines.

use super::*;
use crate::link::{TransformFeedback, XfbMode};

#[test]
fn uniforms_and_blocks_as_the_api_lists_them() {
    let source = "struct L { vec3 p; float w[2]; }; uniform L l[2]; uniform float f = 2.5;\
        layout(std140, row_major, binding = 2) uniform B { mat3x2 m; float a[4]; } b[2];\
        layout(std430) buffer D { float n; L s[3]; vec2 rest[]; };\
        void main() { gl_Position = vec4(l[1].w[1] + f + b[0].m[0][0] + rest[1].x); }";
    let limits = crate::limits::Limits { max_vertex_shader_storage_blocks: 4, ..Default::default() };
    let options = LinkOptions { limits, ..LinkOptions::default() };
    let r = linked("450", &[(VS, source)], &options).reflection;
    let names: Vec<&str> = r.uniforms.iter().map(|u| u.name.as_str()).collect();
    assert_eq!(names, ["l[0].p", "l[0].w[0]", "l[1].p", "l[1].w[0]", "f", "B.m", "B.a[0]"]);
    let u = |name: &str| r.uniforms.iter().find(|u| u.name == name).unwrap();
    let w = u("l[1].w[0]");
    assert_eq!((w.array_size, w.location, w.offset, w.array_stride), (2, Some(4), Some(64), 16));
    assert_eq!(u("f").initial, [u64::from(2.5f32.to_bits())]);
    let m = u("B.m");
    assert_eq!((m.ty, m.matrix_stride, m.row_major, m.block, m.location), (0x8B67, 16, true, Some(0), None));
    let blocks: Vec<_> = r.uniform_blocks.iter().map(|b| (b.name.as_str(), b.binding, b.size)).collect();
    assert_eq!(blocks, [("B[0]", Some(2), 96), ("B[1]", Some(3), 96)]);
    let v: Vec<_> = r
        .buffer_variables
        .iter()
        .map(|v| (v.name.as_str(), v.array_size, v.offset, v.top_level_array_size, v.top_level_array_stride))
        .collect();
    assert_eq!(
        v,
        [
            ("n", 1, Some(0), 1, 0),
            ("s[0].p", 1, Some(16), 3, 32),
            ("s[0].w[0]", 2, Some(28), 3, 32),
            ("rest[0]", 0, Some(112), 1, 0)
        ]
    );
    assert_eq!(r.storage_blocks[0].size, 128);
    let text = r.to_json().to_string();
    assert_eq!(text, r.to_json().to_string());
    assert!(text.contains(r#""name":"l[1].w[0]""#));
}

fn feedback(source: &str, names: &[&str], mode: XfbMode) -> Result<Linked, String> {
    let varyings = names.iter().map(|n| n.to_string()).collect();
    let options =
        LinkOptions { transform_feedback: TransformFeedback { varyings, mode }, ..LinkOptions::default() };
    try_link("450", &[(VS, source)], &options)
}

#[test]
fn transform_feedback_by_name() {
    let source = "out float a[3]; out dvec2 d; out B { vec2 x; mat2 m; } b; struct S { float p; vec4 q; }; out S s;\
        void main() { a[1] = 1.0; d = dvec2(1); b.x = vec2(1); s.p = 1.0; gl_Position = vec4(0); }";
    let names = ["gl_Position", "a[1]", "gl_SkipComponents2", "d", "gl_NextBuffer", "B.m", "s.q"];
    let x = feedback(source, &names, XfbMode::Interleaved).unwrap().reflection.transform_feedback;
    let list: Vec<_> =
        x.varyings.iter().map(|v| (v.name.as_str(), v.buffer, v.offset, v.components)).collect();
    assert_eq!(
        list,
        [("gl_Position", 0, 0, 4), ("a[1]", 0, 16, 1), ("d", 0, 32, 4), ("B.m", 1, 0, 4), ("s.q", 1, 16, 4)]
    );
    assert_eq!(x.buffers.iter().map(|b| b.stride).collect::<Vec<_>>(), [48, 32]);
    for (names, mode, want) in [
        (&["nothing"][..], XfbMode::Interleaved, "no such output"),
        (&["a", "a"], XfbMode::Interleaved, "captured twice"),
        (&["a[3]"], XfbMode::Interleaved, "only 3 elements"),
        (&["a", "gl_NextBuffer"], XfbMode::Separate, "no such name"),
        (&["s"], XfbMode::Interleaved, "members must be named"),
    ] {
        assert!(feedback(source, names, mode).unwrap_err().contains(want), "{names:?}");
    }
}

#[test]
fn transform_feedback_of_arrays_of_blocks() {
    let source = |layout: &str| {
        format!(
            "{layout} out B {{ vec2 x; mat2 m; }} b[2][2];\
             void main() {{ b[1][1].x = vec2(1); b[1][1].m = mat2(1); gl_Position = vec4(0); }}"
        )
    };
    let first = |layout: &str, name: &str| {
        let x = feedback(&source(layout), &["B[0][0].x", name], XfbMode::Interleaved).unwrap();
        let list = x.reflection.transform_feedback.varyings;
        let at = |n: usize| list[n].slot.and_then(|s| s.as_generic()).unwrap();
        (at(1) - at(0), list[1].component, list[1].components)
    };
    // The last of four elements: after three of `x`; four of `x` and three of `m`; three of the block and its `x`.
    assert_eq!(first("", "B[1][1].x"), (3, 0, 2));
    assert_eq!(first("", "B[1][1].m"), (4 + 3 * 2, 0, 4));
    assert_eq!(first("layout(location = 1)", "B[1][1].m"), (3 * 3 + 1, 0, 4));
    for (name, want) in [
        ("B.x", "an element must be named"),
        ("B[0].x", "an element must be named"),
        ("B[0][2].x", "only 2 elements"),
        ("B[0][0]", "no such output"),
    ] {
        assert!(feedback(&source(""), &[name], XfbMode::Interleaved).unwrap_err().contains(want), "{name}");
    }
}

#[test]
fn transform_feedback_by_layout() {
    let good = "layout(xfb_buffer = 1, xfb_stride = 32) out; layout(xfb_offset = 4) out vec3 a; layout(xfb_buffer = 0, xfb_offset = 0) out float b;\
        void main() { a = vec3(1); b = 1.0; }";
    let x = feedback(good, &[], XfbMode::Interleaved).unwrap().reflection.transform_feedback;
    assert_eq!(x.buffers.iter().map(|b| (b.buffer, b.stride)).collect::<Vec<_>>(), [(0, 4), (1, 32)]);
    assert_eq!((x.varyings[0].buffer, x.varyings[0].offset), (1, 4));
}

#[test]
fn captured_structures_are_taken_apart() {
    let source = "struct S { float f; vec4 v; float w[2]; }; layout(xfb_buffer = 0, xfb_offset = 8) out S s[2];\
        void main() { s[0].f = s[1].w[1] = 1.0; }";
    let x = feedback(source, &[], XfbMode::Interleaved).unwrap().reflection.transform_feedback;
    let list: Vec<_> = x.varyings.iter().map(|v| (v.name.as_str(), v.offset, v.size, v.components)).collect();
    assert_eq!(
        list,
        [
            ("s[0].f", 8, 1, 1),
            ("s[0].v", 12, 1, 4),
            ("s[0].w", 28, 2, 2),
            ("s[1].f", 36, 1, 1),
            ("s[1].v", 40, 1, 4),
            ("s[1].w", 56, 2, 2)
        ]
    );
    let first = x.varyings[0].slot.and_then(|s| s.as_generic()).unwrap();
    let slots = x.varyings.iter().map(|v| v.slot.and_then(|s| s.as_generic()).unwrap() - first);
    assert_eq!(slots.collect::<Vec<_>>(), [0, 1, 2, 4, 5, 6]);
    assert_eq!(x.buffers[0].stride, 64);
}

#[test]
fn subroutines_have_indices_and_locations() {
    let source = "subroutine float T(float x); layout(index = 1) subroutine(T) float f(float x) { return x; }\
        subroutine(T) float g(float x) { return -x; } subroutine(T) float h(float x) { return 0.0; }\
        subroutine uniform T s; void main() { gl_Position = vec4(s(1.0)); }";
    let program = linked("450", &[(VS, source)], &LinkOptions::default());
    let stage = &program.reflection.stages[0];
    let list: Vec<_> = stage.subroutines.iter().map(|s| (s.index, s.name.as_str())).collect();
    assert_eq!(list, [(0, "g"), (1, "f"), (2, "h")]);
    assert_eq!(stage.subroutine_uniforms[0].compatible, [0, 1, 2]);
    assert_eq!(stage.subroutine_uniforms[0].location, 0);
    assert!(stage.subroutine_uniforms[0].offset.is_some());
    assert!(program.reflection.uniforms.is_empty());
}
