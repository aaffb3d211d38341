//! Errors of pointers that are addresses (capability PhysicalStorageBufferAddresses).

mod support;

use airfoil_ir::*;
use airfoil_spirv_in::{Options, read};
use spirv::{Op, StorageClass};
use support::Frame;

const PHYSICAL: u32 = StorageClass::PhysicalStorageBuffer as u32;

/// A shader with a list of nodes, its types by name.
struct List {
    f: Frame,
    ulong: u32,
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
        let number = f.a.global(Op::Constant, ulong, &[0x1000, 0]);
        f.begin();
        f.a.label();
        let head = f.a.value(Op::ConvertUToPtr, ptr_node, &[number]);
        List { f, ulong, ptr_uint, head }
    }

    fn finish(mut self) -> Vec<u32> {
        self.f.a.op(Op::Return, &[]);
        self.f.finish()
    }

    fn rejection(self) -> Diagnostic {
        read(&self.finish(), &Options::default()).expect_err("an error").remove(0)
    }
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
