//! Small modules: the IR that they are translated to, and errors.

mod support;

use airfoil_ir::*;
use airfoil_spirv_in::{Options, entry_points, from_bytes, read, read_bytes};
use spirv::Op;
use support::{Asm, Frame, string};

fn accept(words: &[u32]) -> Shader {
    accept_with(words, &Options::default())
}

fn accept_with(words: &[u32], options: &Options) -> Shader {
    let shader = match read(words, options) {
        Ok(s) => s,
        Err(e) => panic!("{}", e[0]),
    };
    let violations = validate::validate(&shader);
    assert!(violations.is_empty(), "{}\n{}", violations[0], text::print(&shader));
    shader
}

fn rejection(words: &[u32]) -> Diagnostic {
    read(words, &Options::default()).expect_err("an error").remove(0)
}

fn intrinsics(shader: &Shader, op: IntrinsicOp) -> usize {
    let body = shader.entry_body().unwrap();
    body.all_instrs().filter(|&i| body[i].as_intrinsic().is_some_and(|n| n.op == op)).count()
}

fn alus(shader: &Shader, op: AluOp) -> Vec<Alu> {
    let body = shader.entry_body().unwrap();
    body.all_instrs().filter_map(|i| body[i].as_alu().copied()).filter(|a| a.op == op).collect()
}

/// A main function of one block.
fn main_of(code: impl FnOnce(&mut Frame)) -> Vec<u32> {
    let mut f = Frame::new();
    f.begin();
    f.a.label();
    code(&mut f);
    f.a.op(Op::Return, &[]);
    f.finish()
}

#[test]
fn empty_shader() {
    let s = accept(&main_of(|_| {}));
    assert_eq!((s.stage, &*s.name, s.info.workgroup_size), (Stage::Compute, "main", Some([4, 2, 1])));
}

#[test]
fn bytes_of_both_orders_and_odd_lengths() {
    let words = main_of(|_| {});
    let little: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
    let big: Vec<u8> = words.iter().flat_map(|w| w.to_be_bytes()).collect();
    let a = read_bytes(&little, &Options::default()).unwrap();
    let b = read_bytes(&big, &Options::default()).unwrap();
    assert_eq!(text::print(&a), text::print(&b));
    let e = from_bytes(&little[1..]).unwrap_err();
    assert!(e[0].message.contains("not a multiple of 4"), "{}", e[0]);
    assert!(rejection(&[]).message.contains("empty"));
    assert!(rejection(&[1, 2, 3, 4, 5]).message.contains("not a SPIR-V module"));
}

#[test]
fn the_result_of_a_sparse_lookup_is_a_structure() {
    let words = main_of(|f| {
        let int = f.int;
        f.a.value(Op::ImageSparseTexelsResident, int, &[int]);
    });
    assert_eq!(rejection(&words).code, "E0302");
}

#[test]
fn a_refusal_names_operation_word_result_and_line() {
    let mut offset = 0;
    let words = main_of(|f| {
        let file = f.a.id();
        f.a.head.extend([3 << 16 | Op::String as u32, file]);
        f.a.head.extend(string("abc"));
        f.a.op(Op::Line, &[file, 42, 1]);
        let before = f.a.words().len();
        let int = f.int;
        let id = f.a.value(Op::SizeOf, int, &[int]);
        f.a.name(id, "size");
        // The name precedes the code.
        offset = before + 2 + string("size").len();
    });
    let e = rejection(&words);
    assert_eq!(e.message, "OpSizeOf is not supported");
    assert_eq!(e.code, "E0304");
    let Place::Word { offset: at, result, source } = e.place else { panic!("{:?}", e.place) };
    assert_eq!(at, offset);
    assert_eq!(result.as_deref(), Some("size"));
    assert_eq!(source.as_deref(), Some(&("abc".into(), 42)));
}

#[test]
fn unknown_capabilities_and_sets_are_refused_by_name() {
    let mut f = Frame::new();
    f.a.head(Op::Capability, &[6]);
    f.begin();
    assert_eq!(rejection(&f.finish()).message, "capability Kernel is not supported");
    let mut f = Frame::new();
    let id = f.a.id();
    f.a.head(Op::ExtInstImport, &[&[id][..], &string("OpenCL.std")].concat());
    f.begin();
    assert!(rejection(&f.finish()).message.contains("\"OpenCL.std\""));
}

#[test]
fn several_entry_points_are_chosen_by_name_and_stage() {
    let mut a = Asm::default();
    let (one, two) = (a.id(), a.id());
    a.head(Op::Capability, &[1]);
    a.head(Op::EntryPoint, &[&[0, one][..], &string("one")].concat());
    a.head(Op::EntryPoint, &[&[4, two][..], &string("two")].concat());
    let void = a.ty(Op::TypeVoid, &[]);
    let ty = a.ty(Op::TypeFunction, &[void]);
    for f in [one, two] {
        a.op(Op::Function, &[void, f, 0, ty]);
        a.label();
        a.op(Op::Return, &[]);
        a.op(Op::FunctionEnd, &[]);
    }
    let words = a.words();
    let list = entry_points(&words).unwrap();
    assert_eq!(list, [("one".to_string(), Stage::Vertex), ("two".to_string(), Stage::Fragment)]);
    let e = rejection(&words);
    assert!(e.message.contains("\"one\" (vertex), \"two\" (fragment)"), "{e}");
    let by_name = Options { entry: Some("two".into()), ..Options::default() };
    assert_eq!(accept_with(&words, &by_name).stage, Stage::Fragment);
    let by_stage = Options { stage: Some(Stage::Vertex), ..Options::default() };
    assert_eq!(&*accept_with(&words, &by_stage).name, "one");
    let other = Options { entry: Some("three".into()), ..Options::default() };
    let e = read(&words, &other).expect_err("the entry point does not exist").remove(0);
    assert!(e.message.contains("\"three\"") && e.message.contains("\"two\" (fragment)"), "{e}");
}

#[test]
fn operations_read_components_where_they_are() {
    let mut f = Frame::new();
    let int = f.int;
    let vec = f.a.ty(Op::TypeVector, &[int, 3]);
    let ptr = f.a.ty(Op::TypePointer, &[7, vec]);
    f.begin();
    f.a.label();
    let var = f.a.value(Op::Variable, ptr, &[7]);
    let v = f.a.value(Op::Load, vec, &[var]);
    let y = f.a.value(Op::CompositeExtract, int, &[v, 1]);
    let sum = f.a.value(Op::IAdd, int, &[y, y]);
    let made = f.a.value(Op::CompositeConstruct, vec, &[y, sum, y]);
    f.a.op(Op::Store, &[var, made]);
    f.a.op(Op::Return, &[]);
    let shader = accept(&f.finish());
    assert_eq!(alus(&shader, AluOp::mov).len(), 0);
    let add = alus(&shader, AluOp::iadd)[0];
    assert_eq!((add.src(0).swizzle.get(0), add.src(1).swizzle.get(0)), (1, 1));
}

#[test]
fn specialisation_constants_take_values_and_fold() {
    let mut f = Frame::new();
    let int = f.int;
    let size = f.a.global(Op::SpecConstant, int, &[4]);
    f.a.decorate(&[size, 1, 7]);
    let two = f.constant(2);
    let twice = f.a.global(Op::SpecConstantOp, int, &[Op::IMul as u32, size, two]);
    let shifted = f.a.global(Op::SpecConstantOp, int, &[Op::ShiftLeftLogical as u32, twice, two]);
    let array = f.a.ty(Op::TypeArray, &[int, shifted]);
    let ptr = f.a.ty(Op::TypePointer, &[4, array]);
    let shared = f.a.global(Op::Variable, ptr, &[4]);
    f.a.name(shared, "shared");
    f.begin();
    f.a.label();
    f.a.op(Op::Return, &[]);
    let words = f.finish();
    for (value, len) in [(None, 32), (Some(5), 40)] {
        let spec = value.map(|v| (7, v)).into_iter().collect();
        let s = accept_with(&words, &Options { spec, ..Options::default() });
        let var = s.vars.values().find(|v| &*v.name == "shared").unwrap();
        assert!(matches!(s.types[var.ty], Type::Array { len: l, .. } if l == len));
    }
}

#[test]
fn blocks_of_outputs_are_split() {
    let mut a = Asm::default();
    let main = a.id();
    let void = a.ty(Op::TypeVoid, &[]);
    let float = a.ty(Op::TypeFloat, &[32]);
    let vec4 = a.ty(Op::TypeVector, &[float, 4]);
    let block = a.ty(Op::TypeStruct, &[vec4, float, vec4]);
    let ptr = a.ty(Op::TypePointer, &[3, block]);
    let ptr_vec4 = a.ty(Op::TypePointer, &[3, vec4]);
    let int = a.ty(Op::TypeInt, &[32, 1]);
    let zero = a.global(Op::Constant, int, &[0]);
    let two = a.global(Op::Constant, int, &[2]);
    let value = a.global(Op::ConstantNull, vec4, &[]);
    let var = a.global(Op::Variable, ptr, &[3]);
    a.head(Op::Capability, &[1]);
    a.head(Op::EntryPoint, &[&[0, main][..], &string("main"), &[var]].concat());
    a.name(var, "out");
    a.decorations.extend([3 << 16 | 71, block, 2]);
    for (member, decoration, value) in [(0, 11, 0), (1, 11, 1), (2, 30, 5)] {
        a.decorations.extend([5 << 16 | 72, block, member, decoration, value]);
    }
    let ty = a.ty(Op::TypeFunction, &[void]);
    a.op(Op::Function, &[void, main, 0, ty]);
    a.label();
    for index in [zero, two] {
        let p = a.value(Op::AccessChain, ptr_vec4, &[var, index]);
        a.op(Op::Store, &[p, value]);
    }
    a.op(Op::Return, &[]);
    a.op(Op::FunctionEnd, &[]);
    let s = accept(&a.words());
    let slots: Vec<Slot> = s.vars.values().filter_map(|v| v.location).collect();
    // The point size is not written, so it does not exist.
    assert_eq!(slots.len(), 2, "{slots:?}");
    assert!(slots.contains(&Slot::POSITION) && slots.contains(&Slot::generic(5).unwrap()));
}

#[test]
fn exact_and_swapped_operations() {
    let words = main_of(|f| {
        let (float, boolean) = (f.float, f.boolean);
        let x = f.a.global(Op::Undef, float, &[]);
        let sum = f.a.value(Op::FAdd, float, &[x, x]);
        f.a.decorate(&[sum, 42]);
        f.a.value(Op::FOrdGreaterThan, boolean, &[sum, x]);
    });
    let s = accept(&words);
    assert!(alus(&s, AluOp::fadd)[0].is_exact());
    let body = s.entry_body().unwrap();
    let less = alus(&s, AluOp::flt)[0];
    assert!(matches!(body[less.src(0).value].kind, InstrKind::Undef), "a > b is b < a");
}

#[test]
fn calls_return_through_a_deref() {
    let mut f = Frame::new();
    let (int, callee) = (f.int, f.a.id());
    let fn_ty = f.a.ty(Op::TypeFunction, &[int, int]);
    let seven = f.constant(7);
    f.begin();
    f.a.label();
    let r = f.a.value(Op::FunctionCall, int, &[callee, seven]);
    let acc = f.acc;
    f.a.op(Op::Store, &[acc, r]);
    f.a.op(Op::Return, &[]);
    f.a.op(Op::FunctionEnd, &[]);
    f.a.op(Op::Function, &[int, callee, 0, fn_ty]);
    let p = f.a.value(Op::FunctionParameter, int, &[]);
    f.a.label();
    let twice = f.a.value(Op::IAdd, int, &[p, p]);
    f.a.op(Op::ReturnValue, &[twice]);
    let s = accept_with(&f.finish(), &Options { keep_locals: true, ..Options::default() });
    assert_eq!(s.functions.len(), 2);
    let other = s.functions.iter().find(|(id, _)| Some(*id) != s.entry).unwrap().1;
    assert_eq!(other.params.len(), 2);
    assert!(other.params[0].pointee.is_some() && other.params[1].pointee.is_none());
}

#[test]
fn large_constants_are_variables() {
    let mut f = Frame::new();
    let int = f.int;
    let n = f.constant(100);
    let array = f.a.ty(Op::TypeArray, &[int, n]);
    let ptr = f.a.ty(Op::TypePointer, &[7, array]);
    let ptr_int = f.a.ty(Op::TypePointer, &[7, int]);
    let parts = vec![n; 100];
    let table = f.a.global(Op::ConstantComposite, array, &parts);
    f.begin();
    f.a.label();
    let var = f.a.value(Op::Variable, ptr, &[7]);
    f.a.op(Op::Store, &[var, table]);
    let acc = f.acc;
    let i = f.a.value(Op::Load, int, &[acc]);
    let p = f.a.value(Op::AccessChain, ptr_int, &[var, i]);
    f.a.value(Op::Load, int, &[p]);
    f.a.op(Op::Return, &[]);
    let s = accept(&f.finish());
    assert_eq!(intrinsics(&s, IntrinsicOp::copy_deref), 1);
    assert!(s.vars.values().any(|v| v.initializer.is_some() && v.access.contains(Access::NON_WRITEABLE)));
}

#[test]
fn bitcasts_between_widths() {
    let words = main_of(|f| {
        let half = f.a.ty(Op::TypeInt, &[16, 0]);
        let two = f.a.ty(Op::TypeVector, &[half, 2]);
        let wide = f.a.ty(Op::TypeInt, &[64, 0]);
        let int2 = f.a.ty(Op::TypeVector, &[f.int, 2]);
        let x = f.a.global(Op::Undef, int2, &[]);
        let w = f.a.value(Op::Bitcast, wide, &[x]);
        f.a.value(Op::Bitcast, int2, &[w]);
        let y = f.a.global(Op::Undef, f.int, &[]);
        f.a.value(Op::Bitcast, two, &[y]);
    });
    let s = accept(&words);
    for op in [AluOp::pack_64_2x32, AluOp::unpack_64_2x32, AluOp::unpack_32_2x16] {
        assert_eq!(alus(&s, op).len(), 1, "{}", op.name());
    }
}

// ---- hostile modules ----

#[test]
fn values_of_other_functions_are_refused() {
    let mut f = Frame::new();
    let (int, callee) = (f.int, f.a.id());
    let fn_ty = f.a.ty(Op::TypeFunction, &[f.void]);
    let acc = f.acc;
    let void = f.void;
    f.begin();
    f.a.label();
    let x = f.a.value(Op::Load, int, &[acc]);
    f.a.value(Op::FunctionCall, void, &[callee]);
    f.a.op(Op::Return, &[]);
    f.a.op(Op::FunctionEnd, &[]);
    f.a.op(Op::Function, &[void, callee, 0, fn_ty]);
    f.a.label();
    f.a.op(Op::Store, &[acc, x]);
    f.a.op(Op::Return, &[]);
    assert!(rejection(&f.finish()).message.contains("not a value here"));
}

#[test]
fn constants_do_not_explode() {
    let mut f = Frame::new();
    let two = f.constant(2);
    let (mut ty, mut value) = (f.int, two);
    for _ in 0..60 {
        ty = f.a.ty(Op::TypeArray, &[ty, two]);
        value = f.a.global(Op::ConstantComposite, ty, &[value, value]);
    }
    let ptr = f.a.ty(Op::TypePointer, &[6, ty]);
    let var = f.a.global(Op::Variable, ptr, &[6]);
    f.begin();
    f.a.label();
    f.a.op(Op::Store, &[var, value]);
    f.a.op(Op::Return, &[]);
    assert_eq!(rejection(&f.finish()).code, "E0306");
}

#[test]
fn huge_arrays_of_zeros_are_no_work() {
    let mut f = Frame::new();
    let n = f.constant(u32::MAX);
    let array = f.a.ty(Op::TypeArray, &[f.vec4, n]);
    let ptr = f.a.ty(Op::TypePointer, &[6, array]);
    let null = f.a.global(Op::ConstantNull, array, &[]);
    let var = f.a.global(Op::Variable, ptr, &[6]);
    f.begin();
    f.a.label();
    f.a.op(Op::Store, &[var, null]);
    let x = f.a.value(Op::Load, array, &[var]);
    f.a.value(Op::CompositeExtract, f.float, &[x, 9, 1]);
    f.a.op(Op::Return, &[]);
    accept(&f.finish());
}

/// Selections nested `depth` deep.
fn nested(depth: usize) -> Vec<u32> {
    let mut f = Frame::new();
    let yes = f.a.global(Op::ConstantTrue, f.boolean, &[]);
    f.begin();
    let mut merges = Vec::new();
    f.a.label();
    for _ in 0..depth {
        let (inner, merge) = (f.a.id(), f.a.id());
        f.a.op(Op::SelectionMerge, &[merge, 0]);
        f.a.op(Op::BranchConditional, &[yes, inner, merge]);
        f.a.op(Op::Label, &[inner]);
        merges.push(merge);
    }
    for merge in merges.into_iter().rev() {
        f.a.op(Op::Branch, &[merge]);
        f.a.op(Op::Label, &[merge]);
    }
    f.a.op(Op::Return, &[]);
    f.finish()
}

#[test]
fn deep_nesting_has_a_limit() {
    // SPIR-V 2.17 requires 1023 levels.
    accept(&nested(1023));
    accept(&nested(4000));
    let error = rejection(&nested(4001));
    assert_eq!((error.code, &*error.message), ("E0306", "ifs and loops nest deeper than 4000 levels"));
    assert_eq!(rejection(&nested(50_000)).code, "E0306");
}

#[test]
fn long_switches_stay_flat() {
    let mut f = Frame::new();
    let (int, acc) = (f.int, f.acc);
    f.begin();
    f.a.label();
    let x = f.a.value(Op::Load, int, &[acc]);
    let merge = f.a.id();
    let cases: Vec<u32> = (0..3000).map(|_| f.a.id()).collect();
    f.a.op(Op::SelectionMerge, &[merge, 0]);
    let mut operands = vec![x, merge];
    operands.extend(cases.iter().enumerate().flat_map(|(i, &c)| [i as u32, c]));
    f.a.op(Op::Switch, &operands);
    for c in cases {
        f.a.op(Op::Label, &[c]);
        f.a.op(Op::Store, &[acc, x]);
        f.a.op(Op::Branch, &[merge]);
    }
    f.a.op(Op::Label, &[merge]);
    f.a.op(Op::Return, &[]);
    let s = accept(&f.finish());
    assert_eq!(intrinsics(&s, IntrinsicOp::store_deref), 3000);
}

#[test]
fn unstructured_loops_are_refused() {
    let words = main_of(|f| {
        let again = f.a.id();
        f.a.op(Op::Branch, &[again]);
        f.a.op(Op::Label, &[again]);
        f.a.op(Op::Branch, &[again]);
        f.a.label();
    });
    let e = rejection(&words);
    assert_eq!(e.code, "E0305");
    assert!(e.message.contains("not a loop header"), "{e}");
}

/// Damaged modules: never a panic, and accepted modules are valid.
#[test]
fn damaged_modules_do_no_harm() {
    let base: Vec<Vec<u32>> = vec![
        nested(5),
        main_of(|f| {
            let (float, vec4) = (f.float, f.vec4);
            let matrix = f.a.ty(Op::TypeMatrix, &[vec4, 4]);
            let m = f.a.global(Op::ConstantNull, matrix, &[]);
            let v = f.a.value(Op::CompositeExtract, vec4, &[m, 2]);
            let w = f.a.value(Op::MatrixTimesVector, vec4, &[m, v]);
            let d = f.a.value(Op::Dot, float, &[w, v]);
            let c = f.a.value(Op::CompositeConstruct, vec4, &[d, d, d, d]);
            f.a.value(Op::VectorShuffle, vec4, &[c, v, 0, 5, 2, 7]);
            let set = f.a.id();
            f.a.head(Op::ExtInstImport, &[&[set][..], &string("GLSL.std.450")].concat());
            for n in 1..82 {
                f.a.value(Op::ExtInst, vec4, &[set, 4, c]);
                if n < 48 {
                    f.a.value(Op::ExtInst, vec4, &[set, 46, c, v, w]);
                }
            }
        }),
    ];
    let mut state = 1u64;
    let mut random = move |n: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % n
    };
    let mut accepted = 0;
    for round in 0..30_000 {
        let mut words = base[round % base.len()].clone();
        for _ in 0..1 + random(3) {
            let at = 5 + random(words.len() - 5);
            words[at] = match random(5) {
                0 => words[at] ^ (1 << random(32)),
                1 => random(60) as u32,
                2 => words[5 + random(words.len() - 5)],
                3 => words[at].wrapping_add(1),
                _ => (words[at] & 0xffff_0000) | random(500) as u32,
            };
        }
        if let Ok(shader) = read(&words, &Options::default()) {
            accepted += 1;
            let violations = validate::validate(&shader);
            assert!(violations.is_empty(), "{}\n{words:?}", violations[0]);
        }
    }
    assert!(accepted > 1000, "only {accepted} were accepted");
}

#[test]
fn parts_of_specialization_constants_fit_their_types() {
    const COMPOSITE_INSERT: u32 = Op::CompositeInsert as u32;
    const COMPOSITE_EXTRACT: u32 = Op::CompositeExtract as u32;
    let words = main_of(|f| {
        let (two, three) = (f.constant(2), f.constant(3));
        let (short, long) = (f.a.ty(Op::TypeArray, &[f.int, two]), f.a.ty(Op::TypeArray, &[f.int, three]));
        let c = f.a.global(Op::ConstantComposite, short, &[two, two]);
        let longer = f.a.global(Op::SpecConstantOp, long, &[COMPOSITE_INSERT, two, c, 0]);
        let int = f.int;
        f.a.global(Op::SpecConstantOp, int, &[COMPOSITE_EXTRACT, longer, 2]);
    });
    let error = rejection(&words);
    assert!(error.message.contains("does not fit into"), "{error}");
}

#[test]
fn built_in_arrays_of_absurd_length_are_refused() {
    let mut f = Frame::new();
    let many = f.constant(100);
    let array = f.a.ty(Op::TypeArray, &[f.float, many]);
    let pointer = f.a.ty(Op::TypePointer, &[3, array]);
    let clip = f.a.global(Op::Variable, pointer, &[3]);
    f.a.decorate(&[clip, 11, 3]);
    f.a.head.clear();
    f.a.head(Op::Capability, &[1]);
    f.a.head(Op::MemoryModel, &[0, 1]);
    let main = f.main;
    f.a.head(Op::EntryPoint, &[&[0, main][..], &string("main"), &[clip]].concat());
    f.begin();
    f.a.label();
    let (float, one) = (f.float, f.constant(1));
    let at = f.a.ty(Op::TypePointer, &[3, float]);
    let element = f.a.value(Op::AccessChain, at, &[clip, one]);
    let zero = f.a.global(Op::Constant, float, &[0]);
    f.a.op(Op::Store, &[element, zero]);
    f.a.op(Op::Return, &[]);
    let error = rejection(&f.finish());
    assert!(error.message.contains("ClipDistance") && error.message.contains("too long"), "{error}");
}

#[test]
fn initial_values_have_the_type_of_their_variable() {
    let mut f = Frame::new();
    let (one, two) = (f.constant(1), f.constant(2));
    let pair = f.a.ty(Op::TypeArray, &[f.int, two]);
    let pointer = f.a.ty(Op::TypePointer, &[6, pair]);
    let var = f.a.global(Op::Variable, pointer, &[6, one]);
    f.begin();
    f.a.label();
    let at = f.ptr_int;
    let element = f.a.value(Op::AccessChain, at, &[var, one]);
    f.a.op(Op::Store, &[element, one]);
    f.a.op(Op::Return, &[]);
    let error = rejection(&f.finish());
    assert!(error.message.contains("does not fit into"), "{error}");
}

#[test]
fn initial_values_of_built_ins_that_nothing_names_are_kept() {
    for initial in [true, false] {
        let mut f = Frame::new();
        let value = f.a.global(Op::Constant, f.float, &[2f32.to_bits()]);
        let pointer = f.a.ty(Op::TypePointer, &[3, f.float]);
        let operands: &[u32] = if initial { &[3, value] } else { &[3] };
        let size = f.a.global(Op::Variable, pointer, operands);
        f.a.decorate(&[size, 11, spirv::BuiltIn::PointSize as u32]);
        f.a.head.clear();
        f.a.head(Op::Capability, &[1]);
        f.a.head(Op::MemoryModel, &[0, 1]);
        let main = f.main;
        f.a.head(Op::EntryPoint, &[&[0, main][..], &string("main"), &[size]].concat());
        f.begin();
        f.a.label();
        f.a.op(Op::Return, &[]);
        let s = accept(&f.finish());
        let sizes = s.vars.values().filter(|v| v.location == Some(Slot::POINT_SIZE));
        assert_eq!(sizes.filter(|v| v.initializer.is_some()).count(), usize::from(initial));
    }
}

#[test]
fn boolean_constants_are_booleans() {
    let words = main_of(|f| {
        let vec4 = f.vec4;
        f.a.global(Op::ConstantTrue, vec4, &[]);
    });
    let error = rejection(&words);
    assert!(error.message.contains("makes booleans only"), "{error}");
}

#[test]
fn input_attachments_are_fetched() {
    for multisampled in [false, true] {
        let mut f = Frame::new();
        let image = f.a.ty(Op::TypeImage, &[f.float, 6, 0, 0, u32::from(multisampled), 2, 0]);
        let ptr = f.a.ty(Op::TypePointer, &[0, image]);
        let var = f.a.global(Op::Variable, ptr, &[0]);
        f.a.decorate(&[var, spirv::Decoration::InputAttachmentIndex as u32, 7]);
        let ivec2 = f.a.ty(Op::TypeVector, &[f.int, 2]);
        let (zero, five) = (f.constant(0), f.constant(5));
        let origin = f.a.global(Op::ConstantComposite, ivec2, &[zero, zero]);
        f.begin();
        f.a.label();
        let loaded = f.a.value(Op::Load, image, &[var]);
        // The image operand `Sample`.
        let sample: &[u32] = if multisampled { &[0x40, five] } else { &[] };
        let (vec4, operands) = (f.vec4, [&[loaded, origin], sample].concat());
        let read = f.a.value(Op::ImageRead, vec4, &operands);
        f.a.decorate(&[read, spirv::Decoration::RelaxedPrecision as u32]);
        f.a.op(Op::Return, &[]);
        let s = accept(&f.finish());
        let text = text::print(&s);
        let want = if multisampled {
            ["uniform texture(subpass_ms float32)", "= txf_ms subpass_ms float32 relaxed texture="]
        } else {
            ["uniform texture(subpass float32)", "= txf subpass float32 relaxed texture="]
        };
        assert!(want.iter().all(|w| text.contains(w)) && text.contains("offset=7"), "{text}");
    }
}

#[test]
fn relaxed_precision_is_kept_as_a_hint() {
    const RELAXED: u32 = spirv::Decoration::RelaxedPrecision as u32;
    let mut f = Frame::new();
    let (int, float, vec4) = (f.int, f.float, f.vec4);
    // A block with a member that is relaxed.
    let block = f.a.ty(Op::TypeStruct, &[vec4, vec4]);
    f.a.decorate(&[block, spirv::Decoration::Block as u32]);
    for (member, offset) in [(0, 0), (1, 16)] {
        f.a.member_decorate(&[block, member, spirv::Decoration::Offset as u32, offset]);
    }
    f.a.member_decorate(&[block, 1, RELAXED]);
    let ptr_block = f.a.ty(Op::TypePointer, &[2, block]);
    let var = f.a.global(Op::Variable, ptr_block, &[2]);
    f.a.decorate(&[var, spirv::Decoration::DescriptorSet as u32, 0]);
    f.a.decorate(&[var, spirv::Decoration::Binding as u32, 0]);
    let ptr_vec4 = f.a.ty(Op::TypePointer, &[2, vec4]);
    let (one, callee) = (f.constant(1), f.a.id());
    let glsl = f.a.id();
    f.a.head(Op::ExtInstImport, &[&[glsl][..], &string("GLSL.std.450")].concat());
    let fn_ty = f.a.ty(Op::TypeFunction, &[float, float, vec4, float]);
    let x = f.a.global(Op::Undef, float, &[]);
    f.begin();
    f.a.label();
    let place = f.a.value(Op::AccessChain, ptr_vec4, &[var, one]);
    let v = f.a.value(Op::Load, vec4, &[place]);
    f.a.value(Op::FunctionCall, float, &[callee, x, v, x]);
    let sum = f.a.value(Op::FAdd, vec4, &[v, v]);
    f.a.value(Op::FSub, vec4, &[sum, v]);
    let root = f.a.value(Op::ExtInst, vec4, &[glsl, 31, sum]);
    // All bits of the packed value matter, regardless of the precision of the result.
    let bits = f.a.value(Op::ConvertFToU, int, &[x]);
    let vec2 = f.a.ty(Op::TypeVector, &[float, 2]);
    let unpacked = f.a.value(Op::ExtInst, vec2, &[glsl, 62, bits]);
    f.a.op(Op::Return, &[]);
    f.a.op(Op::FunctionEnd, &[]);
    f.a.op(Op::Function, &[float, callee, 0, fn_ty]);
    f.a.value(Op::FunctionParameter, float, &[]);
    let second = f.a.value(Op::FunctionParameter, vec4, &[]);
    let third = f.a.value(Op::FunctionParameter, float, &[]);
    f.a.label();
    f.a.op(Op::ReturnValue, &[third]);
    for id in [callee, second, place, v, sum, root, unpacked] {
        f.a.decorate(&[id, RELAXED]);
    }
    let s = accept_with(&f.finish(), &Options { keep_locals: true, ..Options::default() });
    let relaxed = |op| alus(&s, op)[0].flags.contains(AluFlags::RELAXED);
    let ops = [AluOp::fadd, AluOp::fsub, AluOp::fsqrt, AluOp::f2u, AluOp::unpack_half_2x16];
    assert_eq!(ops.map(relaxed), [true, false, true, false, false]);
    let text = text::print(&s);
    for part in [
        "vec4 \"\" @0, vec4 \"\" @16 precision=mediump",
        "(deref(float function_temp) precision=mediump, 32x1, 32x4 precision=mediump, 32x1)",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
}

/// A vertex shader that writes member 0 of element 1 of an array of two blocks of a vector and a number at location 3.
fn block_array(decorations: &[[u32; 4]]) -> Vec<u32> {
    let mut a = Asm::default();
    let main = a.id();
    let void = a.ty(Op::TypeVoid, &[]);
    let float = a.ty(Op::TypeFloat, &[32]);
    let int = a.ty(Op::TypeInt, &[32, 1]);
    let vec4 = a.ty(Op::TypeVector, &[float, 4]);
    let (two, one) = (a.global(Op::Constant, int, &[2]), a.global(Op::Constant, int, &[1]));
    let zero = a.global(Op::Constant, int, &[0]);
    let block = a.ty(Op::TypeStruct, &[vec4, float]);
    let array = a.ty(Op::TypeArray, &[block, two]);
    let ptr = a.ty(Op::TypePointer, &[3, array]);
    let ptr_vec4 = a.ty(Op::TypePointer, &[3, vec4]);
    let value = a.global(Op::ConstantNull, vec4, &[]);
    let var = a.global(Op::Variable, ptr, &[3]);
    a.head(Op::Capability, &[1]);
    a.head(Op::EntryPoint, &[&[0, main][..], &string("main"), &[var]].concat());
    a.decorate(&[block, spirv::Decoration::Block as u32]);
    a.decorate(&[var, spirv::Decoration::Location as u32, 3]);
    for [member, rest @ ..] in decorations {
        a.member_decorate(&[&[block, *member], &rest[..rest[2] as usize]].concat());
    }
    let ty = a.ty(Op::TypeFunction, &[void]);
    a.op(Op::Function, &[void, main, 0, ty]);
    a.label();
    let p = a.value(Op::AccessChain, ptr_vec4, &[var, one, zero]);
    a.op(Op::Store, &[p, value]);
    a.op(Op::Return, &[]);
    a.op(Op::FunctionEnd, &[]);
    a.words()
}

#[test]
fn elements_of_arrays_of_blocks_follow_each_other() {
    const FLAT: u32 = spirv::Decoration::Flat as u32;
    const LOCATION: u32 = spirv::Decoration::Location as u32;
    const RELAXED: u32 = spirv::Decoration::RelaxedPrecision as u32;
    let s = accept(&block_array(&[[1, FLAT, 0, 1], [0, RELAXED, 0, 1]]));
    let outputs: Vec<&Variable> = s.vars.values().filter(|v| v.mode == Modes::OUT).collect();
    // Element 1 is at locations 5 and 6.
    assert_eq!((outputs.len(), outputs[0].location), (1, Slot::generic(3)));
    assert_eq!(s.types.num_slots(outputs[0].ty), 4);
    // The hint of one member is not that of all.
    assert_eq!(outputs[0].precision, Precision::None);
    let error = rejection(&block_array(&[[1, LOCATION, 9, 2]]));
    assert!(error.message.contains("do not follow each other"), "{error}");
}

/// The switch is set at each of the times that the reader asks.
#[test]
fn reading_stops_when_asked() {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    let words = main_of(|_| {});
    let asked = Arc::new(AtomicUsize::new(0));
    let stop_at = |last: usize| {
        let asked = asked.clone();
        asked.store(0, Ordering::Relaxed);
        let stop = Stop::when(move || match asked.fetch_add(1, Ordering::Relaxed) >= last {
            true => Err(Diagnostic::error("E0950", "enough")),
            false => Ok(()),
        });
        read(&words, &Options { stop, ..Options::default() })
    };
    assert!(stop_at(usize::MAX).is_ok());
    let times = asked.load(Ordering::Relaxed);
    assert!(times > 5, "asked {times} times");
    for last in 0..times {
        assert_eq!(stop_at(last).unwrap_err()[0].code, "E0950", "stopped at {last}");
    }
}
