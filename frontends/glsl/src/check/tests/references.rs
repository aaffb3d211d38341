//! References to buffers (`GL_EXT_buffer_reference` and its successors).

use super::verdicts_as;
use crate::compile::Options;
use airfoil_ir::Stage;

const BLOCKS: &str = "layout(buffer_reference) buffer Node;
layout(buffer_reference, std430, buffer_reference_align = 16) buffer Node { Node next; uint v[3]; };
layout(buffer_reference) readonly buffer Words { uint w[]; };
layout(buffer_reference) buffer Later;
layout(push_constant) uniform P { Node head; Words words; uint64_t n; uvec2 two; };
";

fn rows(extensions: &str, rows: &[(&str, &str)]) {
    let head: String = ["GL_ARB_gpu_shader_int64", extensions]
        .iter()
        .map(|e| format!("#extension {e} : require\n"))
        .collect();
    let rows: Vec<(String, &str)> =
        rows.iter().map(|(body, want)| (format!("{head}{BLOCKS}void main() {{ {body} }}"), *want)).collect();
    let rows: Vec<(&str, &str)> = rows.iter().map(|(source, want)| (source.as_str(), *want)).collect();
    verdicts_as("450", &rows, &Options { vulkan: true, ..Options::new(Stage::Compute) });
}

#[test]
fn members_and_constructors() {
    rows(
        "GL_EXT_buffer_reference",
        &[
            ("Node a = head.next; a.v[1] = words.w[7]; a = Node(n); n == uint64_t(a);", ""),
            ("Node a[2]; a[0] = head; a[1] = a[0].next.next; a[1].next = a[0];", ""),
            ("restrict Node a = head; atomicAdd(a.v[0], 1u); Words w = Words(a);", ""),
            ("words.w[0] = 1u;", "readonly"),
            ("Later l = Later(n); Later m = l;", ""),
            ("Later l = Later(n); l.x = 1;", "announced, not defined"),
            ("head.none = 1;", "has no member"),
            ("Node a = Node(1.0);", "needs a uint64_t or another reference"),
            ("Node a = Node(two);", "GL_EXT_buffer_reference_uvec2"),
            ("Node a = words;", "reference to"),
            ("bool b = head == head.next;", "GL_EXT_buffer_reference2"),
            ("Node a = head + 1;", "GL_EXT_buffer_reference2"),
            ("int l = words.w.length();", "not declared"),
            ("restrict int a = 1;", "memory qualifiers are for images and buffers only"),
        ],
    );
}

#[test]
fn operators() {
    rows(
        "GL_EXT_buffer_reference2",
        &[
            ("Node a = head + 1; a = 2u + a; a += 3; a -= n; ++a; a--; a = a[4]; a[5].v[0] = 1u;", ""),
            ("bool b = head == head.next; b = head != head;", ""),
            ("int64_t d = head - head.next;", ""),
            ("Words w = words + 1;", "block of known size"),
            ("bool b = head == words;", "the types differ"),
            ("Node a = head * 2;", "compared for equality"),
            ("Node a = head + head;", "compared for equality"),
        ],
    );
}

#[test]
fn as_two_words() {
    rows("GL_EXT_buffer_reference_uvec2", &[("Node a = Node(two); uvec2 b = uvec2(a); two == b;", "")]);
}

#[test]
fn declarations() {
    let vulkan = Options { vulkan: true, ..Options::new(Stage::Compute) };
    let rows = [
        ("layout(buffer_reference) buffer B { int a; }; void main() { }", "without GL_EXT_buffer_reference"),
        (
            "#extension GL_EXT_buffer_reference : require\nlayout(buffer_reference) uniform B { int a; }; void main() { }",
            "cannot be used on a uniform block",
        ),
        (
            "#extension GL_EXT_buffer_reference : require\nlayout(buffer_reference) buffer B { int a; } b; void main() { }",
            "declares no variable",
        ),
        (
            "#extension GL_EXT_buffer_reference : require\nlayout(buffer_reference) buffer B { int a; }; layout(buffer_reference) buffer B { int a; }; void main() { }",
            "declared twice",
        ),
        (
            "#extension GL_EXT_buffer_reference : require\nlayout(buffer_reference, buffer_reference_align = 12) buffer B { int a; }; void main() { }",
            "not a power of two",
        ),
        (
            "#extension GL_EXT_buffer_reference : require\nlayout(buffer_reference) uniform B; void main() { }",
            "for buffer blocks only",
        ),
    ];
    verdicts_as("450", &rows, &vulkan);
}
