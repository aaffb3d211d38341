//! Modules and libraries for the tests of the linter.

use airfoil_air::bitcode;
use airfoil_air::inspect;
use airfoil_air::metallib::{self, FunctionEntry, LibraryHeader};
use airfoil_air::module::*;
use airfoil_air::rules::Rule;
use airfoil_air::target::Target;

/// A library that violates a rule, or two that do together.
#[derive(Clone)]
pub struct Violation {
    pub rule: Rule,
    pub file: Vec<u8>,
    pub second: Option<Vec<u8>>,
}

/// A violation by one library.
pub fn by(rule: Rule, file: Vec<u8>) -> Violation {
    Violation { rule, file, second: None }
}

pub fn target(name: &str) -> Target {
    name.parse().expect("a target")
}

/// A module with the versions of a target.
pub fn module(name: &str) -> Module {
    let target = target(name);
    let mut m = Module::new("f", target.triple());
    versions(
        &mut m,
        (target.air().major, target.air().minor),
        (target.language().major, target.language().minor),
    );
    m
}

/// Adds the version nodes.
pub fn versions(m: &mut Module, air: (u16, u16), language: (u16, u16)) {
    let air = [air.0, air.1, 0].map(|n| m.md_i32(n.into()));
    let air = m.md_node(&air);
    m.add_named_md("air.version", air);
    let metal = m.md_str("Metal");
    let [major, minor, patch] = [language.0, language.1, 0].map(|n| m.md_i32(n.into()));
    let language = m.md_node(&[metal, major, minor, patch]);
    m.add_named_md("air.language_version", language);
}

/// A word of a node.
#[derive(Clone, Copy)]
pub enum W<'a> {
    N(i32),
    T(&'a str),
    M(Md),
}
pub use W::{M, N, T};

/// A node of words.
pub fn words(m: &mut Module, list: &[W<'_>]) -> Md {
    let list: Vec<Md> = list
        .iter()
        .map(|&word| match word {
            N(n) => m.md_i32(n),
            T(text) => m.md_str(text),
            M(md) => md,
        })
        .collect();
    m.md_node(&list)
}

/// A node of words that ends with type and name.
pub fn named(m: &mut Module, list: &[W<'_>], ty: &str, name: &str) -> Md {
    let end = [T("air.arg_type_name"), T(ty), T("air.arg_name"), T(name)];
    words(m, &[list, &end[..]].concat())
}

/// A buffer argument.
pub fn buffer(m: &mut Module, at: i32, index: i32, access: &str, ty: &str) -> Md {
    let list = [
        N(at),
        T("air.buffer"),
        T("air.location_index"),
        N(index),
        N(1),
        T(access),
        T("air.address_space"),
        N(1),
    ];
    named(m, &list, ty, "buffer")
}

/// The node of an entry point.
pub fn entry(m: &mut Module, stage: &str, function: Value, outputs: &[Md], inputs: &[Md]) {
    let (function, outputs, inputs) = (m.md_value(function), m.md_node(outputs), m.md_node(inputs));
    let node = m.md_node(&[function, outputs, inputs]);
    m.add_named_md(&format!("air.{stage}"), node);
}

/// Types of the arguments of [`kernel`]: floats, bytes, constants, an index and a condition.
pub fn arguments(m: &mut Module) -> Vec<TypeId> {
    let (floats, bytes) = (m.pointer(TypeId::FLOAT, 1), m.pointer(TypeId::I8, 1));
    vec![floats, bytes, floats, TypeId::I32]
}

/// A kernel `f(float as1* 0 read_write, i8 as1* 1 read_write, float as1* 2 read, i32 thread)` whose code is `fill`.
pub fn kernel(target: &str, fill: impl FnOnce(&mut Builder<'_>)) -> Module {
    let mut m = module(target);
    let params = arguments(&mut m);
    let f = m.define("f", TypeId::VOID, &params, Linkage::External);
    code(&mut m, f, fill);
    let inputs = [
        buffer(&mut m, 0, 0, "air.read_write", "float"),
        buffer(&mut m, 1, 1, "air.read_write", "uchar"),
        buffer(&mut m, 2, 2, "air.read", "float"),
        named(&mut m, &[N(3), T("air.thread_position_in_grid")], "uint", "id"),
    ];
    entry(&mut m, "kernel", f, &[], &inputs);
    m
}

/// The body of a function: `fill`, and a return without value if it does not end.
pub fn code(m: &mut Module, function: Value, fill: impl FnOnce(&mut Builder<'_>)) {
    let mut b = m.build(function);
    let block = b.block();
    b.start(block);
    fill(&mut b);
    if !b.is_terminated() {
        b.ret_void();
    }
    b.finish();
}

/// A function of a stage with further arguments: their types, and the words of each.
pub fn function(
    target: &str,
    stage: &str,
    ret: impl FnOnce(&mut Module) -> (TypeId, Vec<Md>),
    args: impl FnOnce(&mut Module) -> Vec<(TypeId, Md)>,
    fill: impl FnOnce(&mut Builder<'_>),
) -> Module {
    let mut m = module(target);
    let (ret, outputs) = ret(&mut m);
    let (params, inputs): (Vec<TypeId>, Vec<Md>) = args(&mut m).into_iter().unzip();
    let f = m.define("f", ret, &params, Linkage::External);
    code(&mut m, f, fill);
    entry(&mut m, stage, f, &outputs, &inputs);
    m
}

/// A kernel with the arguments given and no code.
pub fn kernel_of(target: &str, args: impl FnOnce(&mut Module) -> Vec<(TypeId, Md)>) -> Module {
    function(target, "kernel", |_| (TypeId::VOID, Vec::new()), args, |_| {})
}

/// A fragment function that returns a colour; `fill` gives it.
pub fn fragment(
    target: &str,
    args: impl FnOnce(&mut Module) -> Vec<(TypeId, Md)>,
    fill: impl FnOnce(&mut Builder<'_>) -> Value,
) -> Module {
    let ret = |m: &mut Module| {
        let float4 = m.vector(TypeId::FLOAT, 4);
        (float4, vec![named(m, &[T("air.render_target"), N(0), N(0)], "float4", "color")])
    };
    function(target, "fragment", ret, args, |b| {
        let value = fill(b);
        b.ret(value);
    })
}

/// A zero of four floats.
pub fn zero4(b: &mut Builder<'_>) -> Value {
    let float4 = b.module.vector(TypeId::FLOAT, 4);
    b.module.null(float4)
}

/// A vertex function with a position and, if they are given, further results and arguments.
pub fn vertex(
    target: &str,
    results: impl FnOnce(&mut Module) -> Vec<(TypeId, Md)>,
    args: impl FnOnce(&mut Module) -> Vec<(TypeId, Md)>,
) -> Module {
    let ret = |m: &mut Module| {
        let float4 = m.vector(TypeId::FLOAT, 4);
        let mut all = vec![(float4, named(m, &[T("air.position")], "float4", "position"))];
        all.extend(results(m));
        let fields: Vec<TypeId> = all.iter().map(|r| r.0).collect();
        (m.structure(&fields, true), all.into_iter().map(|r| r.1).collect())
    };
    function(target, "vertex", ret, args, |b| {
        let ret = return_type(b);
        let zero = b.module.null(ret);
        b.ret(zero);
    })
}

fn return_type(b: &Builder<'_>) -> TypeId {
    let f = b.module.symbol("f").and_then(|f| b.module.function(f)).expect("the function");
    match b.module.types().get(f.ty) {
        Type::Function { ret, .. } => ret,
        _ => TypeId::VOID,
    }
}

/// A mesh function: its vertex values (name of the type), counts and payload size.
pub fn mesh(target: &str, values: &[&str], counts: (i32, i32), payload: Option<i32>) -> Module {
    let args = |m: &mut Module| {
        let mut nodes = vec![named(m, &[T("air.position")], "float4", "position")];
        for (n, ty) in (0..).zip(values) {
            let user = format!("user(locn{n})");
            nodes.push(named(m, &[T("air.mesh_vertex_data"), N(n), T(&user)], ty, "v"));
        }
        let (vertices, primitives) = (m.md_node(&nodes), m.md_node(&[]));
        let info = words(
            m,
            &[T("air.mesh_type_info"), M(vertices), M(primitives), N(counts.0), N(counts.1), T("air.point")],
        );
        let handle = m.opaque("struct._mesh_t");
        let handle = m.pointer(handle, 7);
        let mut all =
            vec![(handle, named(m, &[N(0), T("air.mesh"), M(info)], "mesh<V, void, 4, 2, point>", "m"))];
        if let Some(bytes) = payload {
            all.push(payload_argument(m, 1, bytes));
        }
        all
    };
    function(target, "mesh", |_| (TypeId::VOID, Vec::new()), args, |_| {})
}

/// A payload argument of `bytes` bytes.
pub fn payload_argument(m: &mut Module, at: i32, bytes: i32) -> (TypeId, Md) {
    let array = m.array(TypeId::I8, bytes as u32);
    let ty = m.pointer(array, 6);
    let list =
        [N(at), T("air.payload"), T("air.arg_type_size"), N(bytes), T("air.arg_type_align_size"), N(1)];
    (ty, named(m, &list, "P", "payload"))
}

/// An object function with a payload.
pub fn object(target: &str, bytes: i32) -> Module {
    function(
        target,
        "object",
        |_| (TypeId::VOID, Vec::new()),
        |m| vec![payload_argument(m, 0, bytes)],
        |_| {},
    )
}

/// A library for a target with one function per module; the functions are called `f`, `g` and so on only if their
/// modules name them so.
pub fn library(target: &str, modules: &[Module]) -> Vec<u8> {
    library_with(target, modules, |_| {})
}

/// The same after a change of the entries.
pub fn library_with(
    name: &str,
    modules: &[Module],
    change: impl FnOnce(&mut [FunctionEntry<'_>]),
) -> Vec<u8> {
    let blobs: Vec<Vec<u8>> = modules.iter().map(bitcode::write_wrapped).collect();
    pack(name, modules, &blobs, change)
}

/// A library of modules and their bytes, which may be damaged.
pub fn pack(
    name: &str,
    modules: &[Module],
    blobs: &[Vec<u8>],
    change: impl FnOnce(&mut [FunctionEntry<'_>]),
) -> Vec<u8> {
    let inspections: Vec<_> = modules.iter().map(inspect::inspect).collect();
    let mut entries: Vec<FunctionEntry<'_>> = inspections
        .iter()
        .zip(blobs)
        .map(|(inspection, blob)| metallib::function_entries(inspection, blob).expect("entries").remove(0))
        .collect();
    change(&mut entries);
    metallib::write(&LibraryHeader::for_target(&target(name)), &entries).expect("the library is written")
}

/// One library of each kind, without a violation.
pub fn clean() -> Vec<(&'static str, Vec<u8>)> {
    let varying = |m: &mut Module| {
        vec![(TypeId::FLOAT, named(m, &[T("air.vertex_output"), T("user(locn0)")], "float", "v"))]
    };
    let none = |_: &mut Module| Vec::new();
    vec![
        ("kernel 13", library("macos13", &[kernel("macos13", |_| {})])),
        ("kernel 14", library("macos14", &[kernel("macos14", |_| {})])),
        ("kernel 26", library("macos26", &[kernel("macos26", |_| {})])),
        ("fragment", library("macos14", &[fragment("macos14", none, zero4)])),
        ("vertex", library("macos14", &[vertex("macos14", varying, none)])),
        ("mesh", library("macos14", &[mesh("macos14", &["float4"], (4, 2), Some(16))])),
        ("object", library("macos14", &[object("macos14", 16)])),
    ]
}
