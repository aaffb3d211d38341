//! Libraries whose code, types, functions or variables violate a rule.

use crate::build::*;
use airfoil_air::module::*;
use airfoil_air::rules::Rule;

/// A kernel for macOS 14 with this code violates a rule.
fn code14(rule: Rule, fill: fn(&mut Builder<'_>)) -> Violation {
    by(rule, library("macos14", &[kernel("macos14", fill)]))
}

/// The same for macOS 13, whose reader is based on LLVM 5.
fn code13(rule: Rule, fill: fn(&mut Builder<'_>)) -> Violation {
    by(rule, library("macos13", &[kernel("macos13", fill)]))
}

fn declare(b: &mut Builder<'_>, name: &str, ret: TypeId, params: &[TypeId]) -> Value {
    b.module.declare(name, ret, params, AttrSet::NONE)
}

fn global(m: &mut Module, ty: TypeId, space: u32, init: Value) -> Value {
    let name = m.str("g");
    m.add_global(GlobalVar { align: 4, ..GlobalVar::new(name, ty, space, init) })
}

pub fn violations() -> Vec<Violation> {
    let mut list = bitcode();
    list.extend(functions());
    list.extend(memory());
    list
}

fn bitcode() -> Vec<Violation> {
    vec![
        code14(Rule::MalformedModule, |b| {
            b.module.named_struct("struct.S", &[TypeId::I32], false);
            b.module.named_struct("struct.S", &[TypeId::I8], false);
        }),
        code14(Rule::PhiRecord, |b| {
            let next = b.block();
            b.br(next);
            b.start(next);
            let phi = b.phi(TypeId::I32);
            let index = b.arg(3);
            b.set_incoming(phi, &[(index, next)]);
        }),
        code13(Rule::Poison, |b| {
            b.module.poison(TypeId::I32);
        }),
        code13(Rule::FNeg, |b| {
            let x = b.module.float(1.0);
            b.new_fneg(x);
        }),
        code13(Rule::PhiFlags, |b| {
            let (entry, next, x) = (b.current().unwrap(), b.block(), b.module.float(1.0));
            b.br(next);
            b.start(next);
            let phi = b.phi_with(TypeId::FLOAT, FastMath::FAST);
            b.set_incoming(phi, &[(x, entry)]);
        }),
        code13(Rule::Freeze, |b| {
            b.new_freeze(b.arg(3));
        }),
        code13(Rule::RecentIntrinsic, |b| {
            declare(b, "llvm.uadd.sat.i32", TypeId::I32, &[TypeId::I32; 2]);
        }),
        code13(Rule::RecentAttribute, |b| {
            b.module.attr_set(&[(AttrIndex::FUNCTION, &[Attr::Flag(AttrKind::MUST_PROGRESS)])]);
        }),
        code14(Rule::UnknownAttribute, |b| {
            b.module.attr_set(&[(AttrIndex::FUNCTION, &[Attr::Flag(AttrKind(86))])]);
        }),
        code13(Rule::BFloat, |b| {
            b.module.bfloat_type();
        }),
        code14(Rule::Double, |b| {
            b.module.double_type();
        }),
        code14(Rule::IntegerWidth, |b| {
            b.module.int_type(128);
        }),
        code14(Rule::BoolBitcast, |b| {
            let bools = b.module.vector(TypeId::I1, 8);
            let value = b.module.null(bools);
            b.bitcast(value, TypeId::I8);
        }),
        code14(Rule::CrashingIntrinsic, |b| {
            declare(b, "llvm.sin.f32", TypeId::FLOAT, &[TypeId::FLOAT]);
        }),
        code14(Rule::MissingIntrinsic, |b| {
            declare(b, "llvm.exp10.f32", TypeId::FLOAT, &[TypeId::FLOAT]);
        }),
        code14(Rule::OverflowIntrinsic, |b| {
            let pair = b.module.structure(&[TypeId::I32, TypeId::I1], false);
            declare(b, "llvm.uadd.with.overflow.i32", pair, &[TypeId::I32; 2]);
        }),
        code14(Rule::Trap, |b| {
            declare(b, "llvm.trap", TypeId::VOID, &[]);
        }),
        by(Rule::Recursion, {
            let mut m = kernel("macos14", |_| {});
            let helper = m.define("helper", TypeId::VOID, &[], Linkage::Internal);
            code(&mut m, helper, |b| {
                b.call(helper, &[]);
            });
            library("macos14", &[m])
        }),
        code13(Rule::DebugCall, |b| {
            declare(b, "llvm.dbg.value", TypeId::VOID, &[TypeId::METADATA; 3]);
        }),
    ]
}

fn functions() -> Vec<Violation> {
    vec![
        code14(Rule::Signature, |b| {
            declare(b, "air.wg.barrier", TypeId::VOID, &[TypeId::I32]);
        }),
        code14(Rule::FunctionVersion, |b| {
            declare(b, "air.atomic.fence", TypeId::VOID, &[TypeId::I32; 3]);
        }),
        code14(Rule::UnavailableFunction, |b| {
            declare(b, "air.simdgroup_async_copy_1d.p3i8.p1i8", TypeId::VOID, &[TypeId::I64]);
        }),
        code14(Rule::MatrixPointee, |b| {
            let (matrix, origin) = (b.module.vector(TypeId::FLOAT, 64), b.module.vector(TypeId::I64, 2));
            let halves = b.module.pointer(TypeId::HALF, 1);
            let params = [halves, TypeId::I64, origin, TypeId::I1];
            declare(b, "air.simdgroup_matrix_8x8_load.v64f32.p1f32", matrix, &params);
        }),
        by(Rule::HandleType, {
            let args = |m: &mut Module| {
                let empty = m.structure(&[], false);
                let list = [N(0), T("air.texture"), T("air.location_index"), N(0), N(1), T("air.sample")];
                vec![(m.pointer(empty, 1), named(m, &list, "texture2d<float, sample>", "t"))]
            };
            library("macos14", &[kernel_of("macos14", args)])
        }),
        code14(Rule::DeclaredEffect, |b| {
            let ints = b.module.pointer(TypeId::I32, 1);
            let attrs = b.module.attr_set(&[(AttrIndex::FUNCTION, &[Attr::Flag(AttrKind::READ_NONE)])]);
            let params = [ints, TypeId::I32, TypeId::I32, TypeId::I32, TypeId::I1];
            b.module.declare("air.atomic.global.add.u.i32", TypeId::I32, &params, attrs);
        }),
        by(Rule::BrokenPromise, {
            let mut m = kernel("macos14", |b| {
                let one = b.module.float(1.0);
                b.store(one, b.arg(0), 4);
            });
            let attrs = m.attr_set(&[(AttrIndex::FUNCTION, &[Attr::Flag(AttrKind::READ_NONE)])]);
            let f = m.symbol("f").unwrap();
            m.function_mut(f).unwrap().attrs = attrs;
            library("macos14", &[m])
        }),
    ]
}

fn memory() -> Vec<Violation> {
    vec![
        code14(Rule::GlobalSpace, |b| {
            let one = b.module.float(1.0);
            let name = b.module.str("g");
            b.module.add_global(GlobalVar {
                constant: true,
                align: 4,
                ..GlobalVar::new(name, TypeId::FLOAT, 0, one)
            });
        }),
        code13(Rule::SharedInitializer, |b| {
            let one = b.module.float(1.0);
            global(b.module, TypeId::FLOAT, 3, one);
        }),
        by(Rule::ArgumentSpace, {
            let args = |m: &mut Module| {
                let pointer = m.pointer(TypeId::FLOAT, 4);
                vec![(pointer, buffer(m, 0, 0, "air.read_write", "float"))]
            };
            library("macos14", &[kernel_of("macos14", args)])
        }),
        code13(Rule::GenericCast, |b| {
            let pointer = b.module.pointer(TypeId::FLOAT, 0);
            b.addrspacecast(b.arg(0), pointer);
        }),
        code14(Rule::NullStore, |b| {
            let pointer = b.module.pointer(TypeId::FLOAT, 1);
            let (null, one) = (b.module.null(pointer), b.module.float(1.0));
            b.store(one, null, 4);
        }),
        code14(Rule::ByteGep, |b| {
            let bytes = b.module.array(TypeId::I8, 16);
            let undef = b.module.undef(bytes);
            let shared = global(b.module, bytes, 3, undef);
            let (zero, index) = (b.module.i32(0), b.arg(3));
            let byte = b.gep(shared, &[zero, index]);
            let floats = b.module.pointer(TypeId::FLOAT, 3);
            b.bitcast(byte, floats);
        }),
        code14(Rule::ByteChain, |b| {
            let wide = b.zext(b.arg(3), TypeId::I64);
            let four = b.module.i64(4);
            let first = b.gep_with(b.arg(1), &[wide], false);
            let second = b.gep_with(first, &[four], false);
            let byte = b.module.int(TypeId::I8, 1);
            b.store(byte, second, 1);
        }),
        code14(Rule::WideAggregate, |b| {
            let wide = b.module.array(TypeId::FLOAT, 32);
            let place = b.alloca(wide, 4);
            let all = b.load(place, 4);
            b.extract_value(all, &[0]);
            b.extract_value(all, &[1]);
        }),
        code14(Rule::PrivateToDevice, |b| {
            let place = b.alloca(TypeId::FLOAT, 4);
            let device = b.module.pointer(TypeId::FLOAT, 1);
            let (pointer, one) = (b.addrspacecast(place, device), b.module.float(1.0));
            b.store(one, pointer, 4);
        }),
        by(Rule::VisibleHelper, {
            let mut m = kernel("macos14", |_| {});
            let helper = m.define("helper", TypeId::VOID, &[], Linkage::External);
            code(&mut m, helper, |_| {});
            library("macos14", &[m])
        }),
        code14(Rule::ThreadgroupMemory, |b| {
            let large = b.module.array(TypeId::FLOAT, 8193);
            let undef = b.module.undef(large);
            global(b.module, large, 3, undef);
        }),
    ]
}
