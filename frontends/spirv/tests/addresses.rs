//! Pointers that are addresses: capability PhysicalStorageBufferAddresses.

mod support;

use airfoil_ir::*;
use airfoil_spirv_in::{Options, read};
use spirv::{Op, StorageClass};
use support::Frame;

const PHYSICAL: u32 = StorageClass::PhysicalStorageBuffer as u32;
const ALIGNED: u32 = 2;

/// A shader with a list of nodes, its types by name.
struct List {
    f: Frame,
    ulong: u32,
    uvec2: u32,
    ptr_node: u32,
    ptr_uint: u32,
    /// Address of the first node.
    head: u32,
}

impl List {
    /// `struct Node { Node *next; uint v[4]; }`, and the main function begun.
    fn new() -> List {
        let mut f = Frame::new();
        f.a.head(Op::Capability, &[spirv::Capability::PhysicalStorageBufferAddresses as u32]);
        let ptr_node = f.a.id();
        let node = f.a.id();
        f.a.globals.extend([3 << 16 | Op::TypeForwardPointer as u32, ptr_node, PHYSICAL]);
        let int = f.int;
        let four = f.constant(4);
        let array = f.a.ty(Op::TypeArray, &[int, four]);
        f.a.globals.extend([4 << 16 | Op::TypeStruct as u32, node, ptr_node, array]);
        f.a.globals.extend([4 << 16 | Op::TypePointer as u32, ptr_node, PHYSICAL, node]);
        f.a.decorate(&[node, spirv::Decoration::Block as u32]);
        f.a.decorate(&[array, spirv::Decoration::ArrayStride as u32, 4]);
        f.a.decorate(&[ptr_node, spirv::Decoration::ArrayStride as u32, 24]);
        f.a.member_decorate(&[node, 0, spirv::Decoration::Offset as u32, 0]);
        f.a.member_decorate(&[node, 1, spirv::Decoration::Offset as u32, 8]);
        let ptr_uint = f.a.ty(Op::TypePointer, &[PHYSICAL, int]);
        let ulong = f.a.ty(Op::TypeInt, &[64, 0]);
        let uvec2 = f.a.ty(Op::TypeVector, &[int, 2]);
        let number = f.a.global(Op::Constant, ulong, &[0x1000, 0]);
        f.begin();
        f.a.label();
        let head = f.a.value(Op::ConvertUToPtr, ptr_node, &[number]);
        List { f, ulong, uvec2, ptr_node, ptr_uint, head }
    }

    fn finish(mut self) -> Vec<u32> {
        self.f.a.op(Op::Return, &[]);
        self.f.finish()
    }

    fn accept(self) -> String {
        let words = self.finish();
        let shader = read(&words, &Options::default()).unwrap_or_else(|e| panic!("{}", e[0]));
        let violations = validate::validate(&shader);
        assert!(violations.is_empty(), "{}\n{}", violations[0], text::print(&shader));
        text::print(&shader)
    }

    fn rejection(self) -> Diagnostic {
        read(&self.finish(), &Options::default()).expect_err("an error").remove(0)
    }
}

#[track_caller]
fn has(text: &str, parts: &[&str]) {
    let mut rest = text;
    for part in parts {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => panic!("no `{part}` in the rest of\n{text}"),
        }
    }
}

#[test]
fn lists_are_walked() {
    let mut l = List::new();
    let (zero, one) = (l.f.constant(0), l.f.constant(1));
    let (int, ptr_node, ptr_uint) = (l.f.int, l.ptr_node, l.ptr_uint);
    let to_ptr = l.f.a.ty(Op::TypePointer, &[PHYSICAL, ptr_node]);
    let next = l.f.a.value(Op::AccessChain, to_ptr, &[l.head, zero]);
    let second = l.f.a.value(Op::Load, ptr_node, &[next, ALIGNED, 16]);
    let element = l.f.a.value(Op::AccessChain, ptr_uint, &[second, one, one]);
    let old = l.f.a.value(Op::Load, int, &[element, ALIGNED, 4]);
    l.f.a.op(Op::Store, &[element, old, ALIGNED, 4]);
    l.f.a.value(Op::AtomicIAdd, int, &[element, one, zero, one]);
    let text = l.accept();
    has(&text, &["uint64 ", "@0", "uint[4 stride=4]", "@8"]);
    has(
        &text,
        &[
            "const 4096",
            "deref_cast %",
            " global",
            "deref_struct %",
            "64x1 %",
            "load_deref",
            "deref_cast %",
            "deref_struct %",
            "deref_array %",
            "store_deref",
            "deref_atomic",
        ],
    );
}

#[test]
fn pointers_become_numbers_and_back() {
    let mut l = List::new();
    let one = l.f.constant(1);
    let (int, ptr_uint, ptr_node) = (l.f.int, l.ptr_uint, l.ptr_node);
    // An access chain as a number: its offsets are added.
    let element = l.f.a.value(Op::AccessChain, ptr_uint, &[l.head, one, one]);
    let pair = l.f.a.value(Op::Bitcast, l.uvec2, &[element]);
    let again = l.f.a.value(Op::Bitcast, ptr_uint, &[pair]);
    l.f.a.op(Op::Store, &[again, one, ALIGNED, 4]);
    // The next node: the stride is the pointer's.
    let minus = l.f.a.global(Op::Constant, int, &[u32::MAX]);
    let before = l.f.a.value(Op::PtrAccessChain, ptr_node, &[l.head, minus]);
    l.f.a.value(Op::ConvertPtrToU, l.ulong, &[before]);
    let text = l.accept();
    // Constants are folded: 0x1000 + 8 + 4, and 0x1000 - 24.
    has(&text, &["4108"]);
}

#[test]
fn only_the_chosen_pointer_is_followed() {
    let mut l = List::new();
    let one = l.f.constant(1);
    let (int, boolean, ptr_uint) = (l.f.int, l.f.boolean, l.ptr_uint);
    let null = l.f.a.global(Op::ConstantNull, ptr_uint, &[]);
    let yes = l.f.a.global(Op::Undef, boolean, &[]);
    let element = l.f.a.value(Op::AccessChain, ptr_uint, &[l.head, one, one]);
    let chosen = l.f.a.value(Op::Select, ptr_uint, &[yes, element, null]);
    l.f.a.value(Op::Load, int, &[chosen, ALIGNED, 4]);
    let text = l.accept();
    assert_eq!(text.matches("load_deref").count(), 1, "{text}");
    has(&text, &["bcsel", "deref_cast", "load_deref"]);
}

#[test]
fn wrong_uses_of_addresses_are_refused() {
    let mut l = List::new();
    let (int, head) = (l.f.int, l.head);
    l.f.a.value(Op::ArrayLength, int, &[head, 1]);
    assert!(l.rejection().message.contains("OpArrayLength through an address"));

    let mut l = List::new();
    let (element, one) = (l.ptr_uint, l.f.constant(1));
    let chain = l.f.a.value(Op::AccessChain, element, &[l.head, one, one]);
    l.f.a.value(Op::PtrAccessChain, element, &[chain, one]);
    assert!(l.rejection().message.contains("no ArrayStride"));

    let mut l = List::new();
    let acc = l.f.acc;
    l.f.a.value(Op::ConvertPtrToU, l.ulong, &[acc]);
    let e = l.rejection();
    assert!(e.message.contains("not supported") || e.message.contains("PhysicalStorageBuffer"), "{e}");

    let mut f = Frame::new();
    let forward = f.a.id();
    f.a.globals.extend([3 << 16 | Op::TypeForwardPointer as u32, forward, StorageClass::Uniform as u32]);
    f.begin();
    let e = read(&f.finish(), &Options::default()).expect_err("an error").remove(0);
    assert!(e.message.contains("OpTypeForwardPointer of storage class Uniform"), "{e}");

    // A forward pointer that comes with another class.
    let mut f = Frame::new();
    let int = f.int;
    let forward = f.a.id();
    f.a.globals.extend([3 << 16 | Op::TypeForwardPointer as u32, forward, PHYSICAL]);
    f.a.globals.extend([4 << 16 | Op::TypePointer as u32, forward, StorageClass::Private as u32, int]);
    f.begin();
    let e = read(&f.finish(), &Options::default()).expect_err("an error").remove(0);
    assert!(e.message.contains("another storage class"), "{e}");

    let mut l = List::new();
    let ptr = l.ptr_uint;
    l.f.a.global(Op::Variable, ptr, &[PHYSICAL]);
    assert!(l.rejection().message.contains("has the storage class PhysicalStorageBuffer"));
}
