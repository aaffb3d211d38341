//! One test for each rule of the validator: a module that breaks only this rule gives exactly the message.

mod support;

use airfoil_air::module::*;
use airfoil_air::validate::validate;
use airfoil_air::{bitcode, ll};

fn messages(m: &Module) -> Vec<String> {
    validate(m).iter().map(ToString::to_string).collect()
}

fn expect(m: &Module, part: &str) {
    // Writing does not check, but it must not panic either.
    assert!(!bitcode::write_wrapped(m).is_empty() && !ll::print(m).is_empty());
    let found = messages(m);
    assert!(found.len() == 1 && found[0].contains(part), "wanted only {part:?}, found {found:#?}");
}

/// A function `f(float %0, i32 %1, <4 x float> %2, float addrspace(1)* %3, i1 %4)` whose entry block `fill` starts
/// with; `ret void` ends it if `fill` did not.
fn body(fill: impl FnOnce(&mut Builder<'_>)) -> Module {
    function(&[], fill)
}

/// The same with attributes of the function.
fn function(promises: &[AttrKind], fill: impl FnOnce(&mut Builder<'_>)) -> Module {
    let mut m = Module::new("test", support::TRIPLE);
    let float4 = m.vector(TypeId::FLOAT, 4);
    let pointer = m.pointer(TypeId::FLOAT, 1);
    let params = [TypeId::FLOAT, TypeId::I32, float4, pointer, TypeId::I1];
    let f = m.define("f", TypeId::VOID, &params, Linkage::External);
    let mut b = m.build(f);
    let entry = b.block();
    b.start(entry);
    fill(&mut b);
    if !b.is_terminated() {
        b.ret_void();
    }
    b.finish();
    let flags: Vec<Attr> = promises.iter().map(|&kind| Attr::Flag(kind)).collect();
    let attrs = m.attr_set(&[(AttrIndex::FUNCTION, &flags)]);
    m.function_mut(f).expect("function").attrs = attrs;
    m
}

/// The result of instruction `at`, whether it exists already or not.
fn body_value(at: usize) -> Value {
    let mut values = Vec::new();
    body(|b| values.extend((0..=at).map(|_| b.fadd(b.arg(0), b.arg(0), NONE))));
    values[at]
}

macro_rules! body_rules {
    ($($name:ident: $message:literal, $fill:expr;)*) => {
        $(#[test]
        fn $name() {
            let fill: fn(&mut Builder<'_>) = $fill;
            expect(&body(fill), $message);
        })*
    };
}

macro_rules! module_rules {
    ($($name:ident: $message:literal, $fill:expr;)*) => {
        $(#[test]
        fn $name() {
            let mut m = Module::new("test", support::TRIPLE);
            let fill: fn(&mut Module) = $fill;
            fill(&mut m);
            expect(&m, $message);
        })*
    };
}

#[test]
fn good_modules_have_no_violation() {
    for m in [Module::new("empty", support::TRIPLE), support::fragment(12), support::kernel(), body(|_| {})] {
        assert_eq!(messages(&m), Vec::<String>::new());
    }
}

#[test]
fn messages_say_where() {
    let m = body(|b| {
        b.fadd(b.arg(0), b.arg(1), FastMath::NONE);
    });
    expect(&m, "function `f`: instruction %v0 (fadd): second operand is `i32`, not `float`");
}

const NONE: FastMath = FastMath::NONE;

body_rules! {
    binary_kind: "works on `i32`", |b| { b.fadd(b.arg(1), b.arg(1), NONE); };
    icmp_kind: "compares `float`", |b| { b.icmp(ICmp::Eq, b.arg(0), b.arg(0)); };
    fcmp_kind: "compares `i32`", |b| { b.fcmp(FCmp::Oeq, b.arg(1), b.arg(1), NONE); };
    cast_types: "from `i32` to `i32`", |b| { b.zext(b.arg(1), TypeId::I32); };
    bitcast_size: "from `float` to `i64`", |b| { b.bitcast(b.arg(0), TypeId::I64); };
    bitcast_of_bools: "from `<8 x i1>` to `i8`", |b| {
        let bools = b.module.vector(TypeId::I1, 8);
        let v = b.module.undef(bools);
        b.bitcast(v, TypeId::I8);
    };
    no_generic_pointer: "(addrspacecast): from `float addrspace(1)*` to `float*`", |b| {
        let generic = b.module.pointer(TypeId::FLOAT, 0);
        b.addrspacecast(b.arg(3), generic);
    };
    no_fneg: "(fneg): `fneg` is newer than the dialect", |b| { b.new_fneg(b.arg(0)); };
    no_freeze: "(freeze): `freeze` is newer than the dialect", |b| { b.new_freeze(b.arg(0)); };
    select_condition: "condition of type `i32`", |b| { b.select(b.arg(1), b.arg(0), b.arg(0)); };
    select_values: "second value is `i32`", |b| { b.select(b.arg(4), b.arg(0), b.arg(1)); };
    call_arity: "1 arguments for 2 parameters", |b| {
        let f = b.module.declare("air.x", TypeId::VOID, &[TypeId::I32, TypeId::I32], AttrSet::NONE);
        b.call(f, &[b.arg(1)]);
    };
    call_argument: "argument is `float`, not `i32`", |b| {
        let f = b.module.declare("air.x", TypeId::VOID, &[TypeId::I32], AttrSet::NONE);
        b.call(f, &[b.arg(0)]);
    };
    callee_type: "callee of type `i32`", |b| { b.call(b.arg(1), &[]); };
    fast_call_of_struct: "flags that the operation cannot have", |b| {
        let f = b.module.declare("air.x", TypeId::I32, &[], AttrSet::NONE);
        b.call_with(f, &[], CallOptions { flags: FastMath::FAST, ..CallOptions::default() });
    };
    call_attribute_place: "attributes for parameter 3, which does not exist", |b| {
        let f = b.module.declare("air.x", TypeId::VOID, &[], AttrSet::NONE);
        let attrs = b.module.attr_set(&[(AttrIndex::param(3), &[Attr::Flag(AttrKind::NO_CAPTURE)])]);
        b.call_with(f, &[], CallOptions { attrs, ..CallOptions::default() });
    };
    wrap_flags_on_and: "flags that the operation cannot have", |b| {
        b.binary(BinOp::And, b.arg(1), b.arg(1), IntFlags::NUW);
    };
    gep_base: "base of type `i32`", |b| { let i = b.arg(1); b.gep(i, &[i]); };
    gep_index: "index 0 has type `float`", |b| { b.gep(b.arg(3), &[b.arg(0)]); };
    gep_into_scalar: "index 1 goes into `float`", |b| { b.gep(b.arg(3), &[b.arg(1), b.arg(1)]); };
    gep_member: "not a constant `i32` member index", |b| {
        let s = b.module.structure(&[TypeId::I32], false);
        let p = b.alloca(s, 4);
        b.gep(p, &[b.arg(1), b.arg(1)]);
    };
    load_address: "address of type `float`", |b| {
        let bad = b.load(b.arg(0), 4);
        assert_eq!(b.type_of(bad), TypeId::VOID);
    };
    load_alignment: "has no alignment", |b| { b.load(b.arg(3), 0); };
    odd_alignment: "has no alignment, or one that is not a power of two", |b| { b.load(b.arg(3), 3); };
    store_alignment: "has no alignment", |b| { b.store(b.arg(0), b.arg(3), 0); };
    store_type: "value in memory is `i32`, not `float`", |b| { b.store(b.arg(1), b.arg(3), 4); };
    alloca_alignment: "has no alignment", |b| { b.alloca(TypeId::FLOAT, 0); };
    alloca_of_function: "gives `void ()*`", |b| {
        let f = b.module.function_type(TypeId::VOID, &[]);
        b.alloca(f, 4);
    };
    alloca_count: "element count of type `float`", |b| { b.alloca_array(TypeId::FLOAT, b.arg(0), 4); };
    extract_from_scalar: "first operand is not a vector", |b| { b.extract_lane(b.arg(0), 0); };
    lane_number: "the lane index is not an integer", |b| { b.extract_element(b.arg(2), b.arg(0)); };
    inserted_element: "element is `i32`, not `float`", |b| { b.insert_lane(b.arg(2), b.arg(1), 0); };
    shuffle_lane: "a lane that does not exist", |b| { b.shuffle(b.arg(2), b.arg(2), &[0, 8]); };
    shuffle_scalar: "first operand is not a vector", |b| { b.shuffle(b.arg(0), b.arg(0), &[0, 1]); };
    member_number: "no member [2]", |b| {
        let s = b.module.structure(&[TypeId::I32], false);
        let v = b.module.undef(s);
        b.insert_value(v, b.arg(1), &[2]);
    };
    inserted_member: "inserted value is `float`, not `i32`", |b| {
        let s = b.module.structure(&[TypeId::I32], false);
        let v = b.module.undef(s);
        b.insert_value(v, b.arg(0), &[0]);
    };
    branch_condition: "condition is `i32`, not `i1`", |b| {
        let end = b.block();
        b.cond_br(b.arg(1), end, end);
        b.start(end);
    };
    switch_selector: "the selector is not an integer", |b| {
        let end = b.block();
        b.switch(b.arg(0), end, &[]);
        b.start(end);
    };
    switch_case: "a case is not a constant of the selector's type", |b| {
        let (end, case) = (b.block(), b.module.i64(0));
        b.switch(b.arg(1), end, &[(case, end)]);
        b.start(end);
    };
    switch_twice: "two cases have one value", |b| {
        let (end, case) = (b.block(), b.module.i32(1));
        b.switch(b.arg(1), end, &[(case, end), (case, end)]);
        b.start(end);
    };
    return_type: "returns `i32`, which the function does not", |b| b.ret(b.arg(1));
    missing_terminator: "block b0 does not end in a terminator", |b| {
        let next = b.block();
        b.start(next);
    };
    terminator_in_the_middle: "terminator in the middle of block b0", |b| { b.ret_void(); b.ret_void(); };
    unplaced_block: "branch to block b1, which was never placed", |b| { let lost = b.block(); b.br(lost); };
    branch_to_entry: "the entry block is a branch target", |b| {
        let entry = b.current().expect("started");
        b.br(entry);
    };
    late_phi: "phi after another instruction of its block", |b| {
        let (entry, next) = (b.current().expect("started"), b.block());
        b.br(next);
        b.start(next);
        b.add(b.arg(1), b.arg(1));
        let phi = b.phi(TypeId::I32);
        b.set_incoming(phi, &[(b.arg(1), entry)]);
    };
    phi_predecessors: "incoming blocks are not the predecessors of its block", |b| {
        let next = b.block();
        b.br(next);
        b.start(next);
        let phi = b.phi(TypeId::I32);
        b.set_incoming(phi, &[(b.arg(1), next)]);
    };
    phi_type: "incoming value is `float`, not `i32`", |b| {
        let (entry, next) = (b.current().expect("started"), b.block());
        b.br(next);
        b.start(next);
        let phi = b.phi(TypeId::I32);
        b.set_incoming(phi, &[(b.arg(0), entry)]);
    };
    phi_two_values: "two values come from one block", |b| {
        let (entry, next) = (b.current().expect("started"), b.block());
        b.cond_br(b.arg(4), next, next);
        b.start(next);
        let phi = b.phi(TypeId::I32);
        let one = b.module.i32(1);
        b.set_incoming(phi, &[(b.arg(1), entry), (one, entry)]);
    };
    operand_of_another_branch: "operand %v1 is not computed on every way here", |b| {
        let [yes, no] = [0; 2].map(|_| b.block());
        b.cond_br(b.arg(4), yes, no);
        b.start(yes);
        let x = b.add(b.arg(1), b.arg(1));
        b.br(no);
        b.start(no);
        b.add(x, b.arg(1));
    };
    operand_computed_later: "operand %v1 is not computed on every way here", |b| {
        // The result of the second instruction, before its definition.
        let later = body_value(1);
        b.add(b.arg(1), later);
        b.add(b.arg(1), b.arg(1));
    };
    operand_without_value: "operand %v0 has no value", |b| {
        let store = b.store(b.arg(0), b.arg(3), 4);
        b.fptosi(store, TypeId::I32);
    };
    operand_that_does_not_exist: "operand Arg(9) does not exist", |b| { b.fptosi(b.arg(9), TypeId::I32); };
    attachment: "!tbaa is not a node", |b| {
        let (load, text) = (b.load(b.arg(3), 4), b.module.md_str("x"));
        b.attach(load, Attachment::TBAA, text);
    };
    recursion: "recursive call of `@f`", |b| {
        let f = b.module.symbol("f").expect("itself");
        let args = [0, 1, 2, 3, 4].map(|i| b.arg(i));
        b.call(f, &args);
    };
}

/// Uses of a later value in the same block, and of one in a loop, are two sides of the dominance rule.
#[test]
fn dominance_within_a_block_and_around_a_loop() {
    let m = body(|b| {
        let entry = b.current().expect("started");
        let (head, exit) = (b.block(), b.block());
        b.br(head);
        b.start(head);
        let phi = b.phi(TypeId::I32);
        let next = b.add(phi, phi);
        b.set_incoming(phi, &[(b.arg(1), entry), (next, head)]);
        b.cond_br(b.arg(4), head, exit);
        b.start(exit);
        b.add(next, phi);
    });
    assert_eq!(messages(&m), Vec::<String>::new());
}

fn global(m: &mut Module, name: &str, space: u32) -> GlobalVar {
    let undef = m.undef(TypeId::FLOAT);
    let name = m.str(name);
    GlobalVar { align: 4, ..GlobalVar::new(name, TypeId::FLOAT, space, undef) }
}

/// An entry `f(i32) -> float` with the given outputs and inputs.
fn entry(m: &mut Module, outputs: usize, arguments: &[i32]) {
    let f = m.define("f", TypeId::FLOAT, &[TypeId::I32], Linkage::External);
    let mut b = m.build(f);
    let block = b.block();
    b.start(block);
    let zero = b.module.float(0.0);
    b.ret(zero);
    b.finish();
    let text = m.md_str("air.render_target");
    let output = m.md_node(&[text]);
    let outputs = m.md_node(&vec![output; outputs]);
    let inputs: Vec<Md> = arguments
        .iter()
        .enumerate()
        .map(|(at, &argument)| {
            let ops = [m.md_i32(argument), m.md_str("role"), m.md_i32(at as i32)];
            m.md_node(&ops)
        })
        .collect();
    let inputs = m.md_node(&inputs);
    let f = m.md_value(f);
    let node = m.md_node(&[f, outputs, inputs]);
    m.add_named_md("air.fragment", node);
}

module_rules! {
    no_double: "type `double`", |m| { m.double_type(); };
    no_bfloat: "type `bfloat`", |m| { m.bfloat_type(); };
    no_i128: "type `i128`", |m| { m.int_type(128); };
    no_odd_integer: "type `i4`", |m| { m.int_type(4); };
    no_pointer_to_void: "pointer to `void`", |m| { m.pointer(TypeId::VOID, 1); };
    no_empty_vector: "vector of 0 `i32`", |m| { m.vector(TypeId::I32, 0); };
    no_array_of_opaque: "array of `%h`", |m| { let h = m.opaque("h"); m.array(h, 2); };
    no_member_of_void: "struct with a member of type `void`", |m| { m.structure(&[TypeId::VOID], false); };
    no_returned_label: "function that returns `label`", |m| { m.function_type(TypeId::LABEL, &[]); };
    no_void_parameter: "function parameter of type `void`", |m| {
        m.function_type(TypeId::VOID, &[TypeId::VOID]);
    };
    type_names_are_unique: "two different types are named `%s`", |m| {
        m.named_struct("s", &[TypeId::I32], false);
        m.named_struct("s", &[TypeId::I8], false);
    };
    no_poison: "constant `poison`", |m| { m.poison(TypeId::I32); };
    constant_type: "does not fit its type `i32`", |m| { m.float_bits(TypeId::I32, 1); };
    constant_float_width: "does not fit its type `half`", |m| { m.float_bits(TypeId::HALF, 0x1_0000); };
    constant_length: "does not fit its type `[2 x i32]`", |m| {
        let ty = m.array(TypeId::I32, 2);
        m.data(ty, &[1]);
    };
    constant_element: "does not fit its type `{ i32 }`", |m| {
        let ty = m.structure(&[TypeId::I32], false);
        let long = m.i64(1);
        m.aggregate(ty, &[long]);
    };
    constant_cast: "does not fit its type `i64`", |m| {
        let one = m.i32(1);
        m.const_cast(CastOp::BitCast, one, TypeId::I64);
    };
    no_mutable_thread_global: "global `@g` is in address space 0", |m| {
        let g = global(m, "g", 0);
        m.add_global(g);
    };
    threadgroup_globals_are_undefined: "threadgroup variable `@g` has an initial value", |m| {
        let one = m.float(1.0);
        let g = global(m, "g", 3);
        m.add_global(GlobalVar { init: Some(one), ..g });
    };
    global_initial_value: "the initial value is not of its type", |m| {
        let one = m.i32(1);
        let g = global(m, "g", 2);
        m.add_global(GlobalVar { init: Some(one), ..g });
    };
    global_alignment: "global `@g`: alignment 3 is not a power of two", |m| {
        let g = global(m, "g", 2);
        m.add_global(GlobalVar { align: 3, ..g });
    };
    global_type: "global `@g` has type `%h`", |m| {
        let (g, ty) = (global(m, "g", 2), m.opaque("h"));
        m.add_global(GlobalVar { init: None, ty, ..g });
    };
    symbol_names_are_unique: "two symbols are named `@g`", |m| {
        let g = global(m, "g", 2);
        m.add_global(g);
        m.add_global(g);
    };
    internal_declaration: "function `@f` is internal but has no body", |m| {
        m.define("f", TypeId::VOID, &[], Linkage::Internal);
    };
    refused_intrinsic: "`@llvm.sin.f32` is not known to Metal", |m| {
        m.declare("llvm.sin.f32", TypeId::FLOAT, &[TypeId::FLOAT], AttrSet::NONE);
    };
    no_metadata_parameter: "function `@f` takes metadata otherwise than the debug intrinsics of LLVM 5", |m| {
        m.declare("f", TypeId::VOID, &[TypeId::METADATA], AttrSet::NONE);
    };
    recent_debug_intrinsic: "function `@llvm.dbg.value` takes metadata otherwise", |m| {
        m.declare("llvm.dbg.value", TypeId::VOID, &[TypeId::METADATA; 3], AttrSet::NONE);
    };
    recent_attribute: "attribute `mustprogress` is newer than the dialect", |m| {
        m.attr_set(&[(AttrIndex::FUNCTION, &[Attr::Flag(AttrKind::MUST_PROGRESS)])]);
    };
    attribute_value: "attribute `align` with a wrong number of values", |m| {
        m.attr_set(&[(AttrIndex::param(0), &[Attr::Flag(AttrKind::ALIGN)])]);
    };
    attribute_alignment: "attribute `align` with a value that is not a power of two", |m| {
        m.attr_set(&[(AttrIndex::param(0), &[Attr::Int(AttrKind::ALIGN, 12)])]);
    };
    attribute_place: "function `f`: attributes for parameter 1, which does not exist", |m| {
        let attrs = m.attr_set(&[(AttrIndex::param(1), &[Attr::Flag(AttrKind::NO_CAPTURE)])]);
        m.declare("f", TypeId::VOID, &[TypeId::I32], attrs);
    };
    attribute_twice: "two attribute lists for one place", |m| {
        let attrs = m.attr_set(&[
            (AttrIndex::FUNCTION, &[Attr::Flag(AttrKind::NO_UNWIND)]),
            (AttrIndex::FUNCTION, &[Attr::Flag(AttrKind::READ_NONE)]),
        ]);
        m.declare("f", TypeId::VOID, &[], attrs);
    };
    local_metadata: "metadata refers to a value of a function body", |m| { m.md_value(Value::arg(0)); };
    named_metadata: "`!air.version` has an operand that is not a node", |m| {
        let text = m.md_str("x");
        m.add_named_md("air.version", text);
    };
    entry_function: "`!air.kernel`: the first operand is not a function definition", |m| {
        let f = m.declare("f", TypeId::VOID, &[], AttrSet::NONE);
        let (f, empty) = (m.md_value(f), m.md_node(&[]));
        let node = m.md_node(&[f, empty, empty]);
        m.add_named_md("air.kernel", node);
    };
    entry_outputs: "`!air.fragment`: 2 outputs for 1 returned values", |m| entry(m, 2, &[0]);
    entry_input_count: "`!air.fragment`: 0 inputs for 1 parameters", |m| entry(m, 1, &[]);
    entry_input_number: "`!air.fragment`: input for argument 1 of 1", |m| entry(m, 1, &[1]);
}

#[test]
fn entry_nodes_must_be_nodes() {
    let mut m = Module::new("test", support::TRIPLE);
    entry(&mut m, 1, &[0]);
    assert_eq!(messages(&m), Vec::<String>::new());
    let f = m.symbol("f").expect("defined");
    let (f, text) = (m.md_value(f), m.md_str("x"));
    let node = m.md_node(&[f, text]);
    m.add_named_md("air.visible", node);
    let found = messages(&m);
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(found[0].contains("outputs") && found[1].contains("inputs"));
}

#[test]
fn an_argument_must_not_be_described_twice() {
    let mut m = Module::new("test", support::TRIPLE);
    entry(&mut m, 1, &[0, 0]);
    let found = messages(&m);
    assert!(found.iter().any(|f| f.contains("argument 0 is described twice")), "{found:?}");
}

#[test]
fn memory_attributes_hold_for_the_body() {
    use AttrKind as K;
    let store: fn(&mut Builder<'_>) = |b| {
        b.store(b.arg(0), b.arg(3), 4);
    };
    let load: fn(&mut Builder<'_>) = |b| {
        b.load(b.arg(3), 4);
    };
    let local: fn(&mut Builder<'_>) = |b| {
        let slot = b.alloca(TypeId::FLOAT, 4);
        b.store(b.arg(0), slot, 4);
    };
    let address: fn(&mut Builder<'_>) = |b| {
        let pointer = b.module.pointer(TypeId::FLOAT, 1);
        let address = b.cast(CastOp::IntToPtr, b.arg(1), pointer);
        b.store(b.arg(0), address, 4);
    };
    let call: fn(&mut Builder<'_>) = |b| {
        let f = b.module.declare("air.x", TypeId::VOID, &[TypeId::I32], AttrSet::NONE);
        b.call(f, &[b.arg(1)]);
    };
    let writes = "writes memory in a function that is `readnone` or `readonly`";
    let other = "accesses memory that is not based on a parameter in an `argmemonly` function";
    for (promises, fill, expected) in [
        (&[K::READ_ONLY, K::ARG_MEM_ONLY][..], store, Some(writes)),
        (&[K::READ_NONE], load, Some("reads memory in a `readnone` function")),
        (&[K::READ_ONLY], call, Some(writes)),
        (&[K::ARG_MEM_ONLY], address, Some(other)),
        (&[K::ARG_MEM_ONLY], call, Some(other)),
        (&[K::READ_ONLY, K::ARG_MEM_ONLY], load, None),
        (&[K::ARG_MEM_ONLY], store, None),
        (&[K::READ_NONE], local, None),
        (&[K::NO_UNWIND], address, None),
    ] {
        let found = messages(&function(promises, fill));
        match expected {
            Some(part) => assert!(found.len() == 1 && found[0].contains(part), "{part}: {found:?}"),
            None => assert!(found.is_empty(), "{found:?}"),
        }
    }
}
