//! What only GLSL for Vulkan has.

use super::messages;
use crate::compile::{Options, compile};
use crate::link::{LinkOptions, link};
use crate::lower::{LowerOptions, lower};
use airfoil_ir::{Stage, text, validate::validate};

/// Text of a lowered fragment shader.
#[track_caller]
fn fragment(source: &str) -> String {
    let options = Options { vulkan: true, ..Options::new(Stage::Fragment) };
    let unit = compile(&[source], &options).unwrap_or_else(|e| panic!("{}", messages(&e))).unit;
    let options = LinkOptions { separable: true, ..LinkOptions::default() };
    let linked = link(vec![unit], &options).unwrap_or_else(|e| panic!("{}", messages(&e)));
    let shader =
        lower(&linked.units[0], &LowerOptions::default()).unwrap_or_else(|e| panic!("{}", messages(&e)));
    let violations = validate(&shader);
    assert!(violations.is_empty(), "{violations:?}\n{}", text::print(&shader));
    text::print(&shader)
}

#[track_caller]
fn has(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "no `{part}` in\n{text}");
    }
}

#[test]
fn input_attachments_are_fetched() {
    let text = fragment(
        "#version 450
        layout(input_attachment_index = 3, set = 1, binding = 2) uniform subpassInput color;
        layout(input_attachment_index = 1, binding = 4) uniform usubpassInputMS ids;
        layout(location = 0) out vec4 o;
        void main() { o = subpassLoad(color) + vec4(subpassLoad(ids, 5)); }",
    );
    has(
        &text,
        &[
            "uniform texture(subpass float32) color set=1 binding=2 offset=3",
            "uniform texture(subpass_ms uint32) ids binding=4 offset=1",
            "32x2 %3 = const 0, 0 @0:5",
            "= txf subpass float32 texture=%1 coord=%3 lod=%",
            "= txf_ms subpass_ms uint32 texture=%2 coord=%",
        ],
    );
}

#[test]
fn resources_may_differ_within_a_subgroup() {
    let main = |code: &str| {
        fragment(&format!(
            "#version 450
            #extension GL_EXT_nonuniform_qualifier : require
            layout(binding = 0) uniform texture2D t[4];
            layout(binding = 1) uniform sampler s;
            layout(binding = 2) uniform sampler2D ts[4];
            layout(binding = 3, rgba8) uniform readonly image2D im[2];
            layout(binding = 4) buffer B {{ vec4 v; vec4 w[4]; }} b[2];
            layout(binding = 5) uniform U {{ vec4 v; }} u[2];
            layout(location = 0) flat in int i;
            layout(location = 0) out vec4 o;
            void main() {{ {code} }}"
        ))
    };
    let tex = "non_uniform texture=";
    let access = "access=non_uniform";
    for code in [
        "o = texture(sampler2D(t[nonuniformEXT(i)], s), vec2(0));",
        "o = texture(ts[nonuniformEXT(i) + 1], vec2(0));",
        "o = texture(nonuniformEXT(ts[i]), vec2(0));",
        "nonuniformEXT int j = i; o = texture(ts[j], vec2(0));",
    ] {
        has(&main(code), &[tex]);
    }
    for code in [
        "o = imageLoad(im[nonuniformEXT(i)], ivec2(0));",
        "o = b[nonuniformEXT(i)].v;",
        "o = b[nonuniformEXT(uint(i) + 1u)].w[2];",
        "o = vec4(0.0); b[nonuniformEXT(i)].v.x = 1.0;",
        "o = u[nonuniformEXT(i)].v;",
    ] {
        let text = main(code);
        assert!(text.contains(access) || text.contains("|non_uniform"), "{text}");
    }
    // Neither an index into a buffer nor an unmarked index is marked.
    for code in [
        "o = b[0].w[nonuniformEXT(i)];",
        "o = texture(ts[i], vec2(nonuniformEXT(i)));",
        "o = texture(ts[nonuniformEXT(2)], vec2(0)) + b[i].v;",
    ] {
        assert!(!main(code).contains("non_uniform"), "{}", main(code));
    }
}
