//! References to buffers, executed on memory with addresses.

use super::messages;
use crate::compile::{Options, compile};
use crate::link::{LinkOptions, link};
use crate::lower::{LowerOptions, lower};
use airfoil_interp::{Binding, Config, Program, Resources, Space, System};
use airfoil_ir::{Stage, text, validate::validate};

/// Address of the buffer.
const BASE: u64 = 0x1_0000_1000;

/// Runs a shader on a buffer of words that is bound and has an address; returns the words.
#[track_caller]
fn run(body: &str, words: &[u32]) -> Vec<u32> {
    let source = format!(
        "#version 450
        #extension GL_EXT_buffer_reference2 : require
        #extension GL_EXT_buffer_reference_uvec2 : require
        #extension GL_ARB_gpu_shader_int64 : require
        layout(local_size_x = 1) in;
        layout(buffer_reference) buffer Node;
        layout(buffer_reference, std430, buffer_reference_align = 8) buffer Node {{ Node next; uint v[3]; bool b; }};
        struct Pair {{ Node a; Node b; }};
        layout(std430, binding = 0) buffer Data {{ Node first; uint data[]; }};
        uint sum(Node n) {{ return n.v[0] + n.v[1] + n.v[2]; }}
        void main() {{ {body} }}"
    );
    let options = Options { vulkan: true, ..Options::new(Stage::Compute) };
    let unit = compile(&[&source], &options).unwrap_or_else(|e| panic!("{}", messages(&e))).unit;
    let options = LinkOptions { separable: true, ..LinkOptions::default() };
    let linked = link(vec![unit], &options).unwrap_or_else(|e| panic!("{}", messages(&e)));
    let shader =
        lower(&linked.units[0], &LowerOptions::default()).unwrap_or_else(|e| panic!("{}", messages(&e)));
    let violations = validate(&shader);
    assert!(violations.is_empty(), "{violations:?}\n{}", text::print(&shader));
    let mut program = Program::new(&shader, Config::default()).expect("prepares");
    let mut resources = Resources::new();
    let buffer = resources.add_buffer(words.iter().flat_map(|w| w.to_le_bytes()).collect());
    resources.buffers[buffer].address = Some(BASE);
    resources.bind(Space::Storage, 0, 0, 0, Binding::Buffer { buffer, offset: 0, size: None });
    if let Err(fault) = program.compute(&mut resources, &System::new(), [1; 3]) {
        panic!("{fault:?}\n{}", text::print(&shader));
    }
    let bytes = &resources.buffers[buffer].bytes;
    bytes.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect()
}

/// A reference, and two nodes of 24 bytes that it leads to: the first leads to the second, which leads to the first.
fn list() -> Vec<u32> {
    let high = (BASE >> 32) as u32;
    let (a, b) = (BASE as u32 + 8, BASE as u32 + 32);
    vec![a, high, b, high, 10, 20, 30, 1, a, high, 1, 2, 3, 0]
}

/// The words of the list with some changed.
fn changed(changes: &[(usize, u32)]) -> Vec<u32> {
    let mut words = list();
    changes.iter().for_each(|&(i, w)| words[i] = w);
    words
}

#[test]
fn members_are_read_and_written() {
    assert_eq!(run("first.v[1] = sum(first.next);", &list()), changed(&[(5, 6)]));
    assert_eq!(run("first.next.b = first.b; first.b = false;", &list()), changed(&[(13, 1), (7, 0)]));
    assert_eq!(run("atomicAdd(first.next.next.v[2], 5u);", &list()), changed(&[(6, 35)]));
    // Arrays and structures of references, and whole arrays reached through them.
    let code = "Pair p[2]; p[1] = Pair(first, first.next); Pair q = p[1]; q.b.v = q.a.v;";
    assert_eq!(run(code, &list()), changed(&[(10, 10), (11, 20), (12, 30)]));
    let code = "Node n = first; uint i = 0; do { n.v[0] += ++i; n = n.next; } while (i < 3u);";
    assert_eq!(run(code, &list()), changed(&[(4, 14), (10, 3)]));
}

#[test]
fn addresses_are_numbers() {
    let code = "uint64_t a = uint64_t(first); Node(a + 24ul).v[0] = uint(a & 0xfffful);";
    assert_eq!(run(code, &list()), changed(&[(10, 0x1008)]));
    let code = "uvec2 a = uvec2(first); a.x += 24u; Node(a).v[1] = a.y;";
    assert_eq!(run(code, &list()), changed(&[(11, 1)]));
    let code =
        "bool same = first.next.next == first; first.v[0] = uint(same) + 2u * uint(first != first.next);";
    assert_eq!(run(code, &list()), changed(&[(4, 3)]));
    let code = "Pair p = Pair(first, first); Pair q = Pair(first, first.next); first.v[0] = uint(p == q);";
    assert_eq!(run(code, &list()), changed(&[(4, 0)]));
}

#[test]
fn arithmetic_counts_blocks() {
    for code in [
        "(first + 1).v[0] = 7u;",
        "(1u + first).v[0] = 7u;",
        "first[1].v[0] = 7u;",
        "Node n = first.next; (--n)[1].v[0] = 7u;",
        "Node n = first; n++; n.v[0] = 7u;",
        "Node n = first.next; n -= 1; n += 1; n.v[0] = 7u;",
        "int minus = -int(first.b); (first.next - minus + minus).v[0] = 7u;",
        "int minus = -int(first.b); (first.next + minus).next.v[0] = 7u;",
    ] {
        assert_eq!(run(code, &list()), changed(&[(10, 7)]), "{code}");
    }
    let code = "first.v[0] = uint(first.next - first); first.v[1] = uint(int(first - first.next));";
    assert_eq!(run(code, &list()), changed(&[(4, 1), (5, u32::MAX)]));
}
