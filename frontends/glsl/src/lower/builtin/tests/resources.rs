//! Textures, images, atomics and other resources: the instructions they are lowered to.
//!
//! The shaders are built as typed trees; operands are global variables, so that nothing folds.

use super::{builtin, vector};
use crate::builtin::Builtin;
use crate::builtin::op::{CallPrecision, Lowering, TexCall, TexOffset, TexOp as Op};
use crate::builtin::variable::declare;
use crate::extension::ExtSet;
use crate::hir::{
    Constant, DefaultBlock, ExprId, ExprKind, FuncId, Function, Placement, PrecisionHint, Qualifiers,
    StmtKind, Storage, Swizzle, Unit, VarId, Variable,
};
use crate::limits::Limits;
use crate::lower::{LowerOptions, lower};
use crate::source::{LineMap, Span};
use crate::types::{Base, Opaque, OpaqueKind, Type};
use crate::version::{Language, Profile, Version};
use airfoil_ir::{Dim, ImageFormat, InstrKind, Named, Shader, Slot, Stage, text, validate};

/// A shader of some calls.
struct Calls {
    unit: Unit,
    stmts: Vec<crate::hir::StmtId>,
}

impl Calls {
    fn new(stage: Stage) -> Calls {
        let version = Version { number: 460, profile: Profile::Core };
        let unit = Unit { lines: LineMap::new("", &[0]), main: Some(FuncId(0)), ..Unit::new(stage, version) };
        Calls { unit, stmts: Vec::new() }
    }

    fn var(&mut self, ty: Type, storage: Storage, place: Placement) -> ExprId {
        let name = self.unit.names.intern("x");
        let mut qualifiers = Qualifiers { storage, ..Qualifiers::default() };
        if matches!(ty, Type::Opaque(o) if o.kind == OpaqueKind::Image) {
            qualifiers.layout.format = Some(ImageFormat::R32ui);
        }
        let var = Variable::new(name, ty, qualifiers, Span::default());
        self.unit.vars.push(Variable { used: true, written: true, place, ..var });
        let id = VarId(self.unit.vars.len() as u32 - 1);
        self.unit.add_expr(ExprKind::Var(id), ty, 0)
    }

    /// An operand of a type.
    fn operand(&mut self, ty: Type) -> ExprId {
        match ty {
            Type::Opaque(_) => {
                let place = Placement { binding: Some(0), ..Placement::default() };
                self.var(ty, Storage::Uniform, place)
            }
            _ => self.var(ty, Storage::Global, Placement::default()),
        }
    }

    fn constant(&mut self, ty: Type, scalars: &[u64]) -> ExprId {
        let c = self.unit.add_const(Constant { ty, scalars: scalars.into() });
        self.unit.add_expr(ExprKind::Const(c), ty, 0)
    }

    /// A call of the function whose parameters have the types of the arguments.
    #[track_caller]
    fn call(&mut self, name: &str, args: &[ExprId], result: Type) {
        let types: Vec<Type> = args.iter().map(|&a| self.unit[a].ty).collect();
        self.call_builtin(builtin(name, &types), args, result);
    }

    fn call_builtin(&mut self, f: &'static Builtin, args: &[ExprId], result: Type) {
        let list = self.unit.add_list(args);
        let call = self.unit.add_expr(ExprKind::Builtin(f, list), result, 0);
        let stmt = self.unit.add_stmt(StmtKind::Expr(call), 0);
        self.stmts.push(stmt);
    }

    fn lower(mut self) -> Result<Shader, String> {
        let body = self.unit.add_stmts(&self.stmts);
        let name = self.unit.names.intern("main");
        self.unit.functions.push(Function {
            name,
            result: Type::Void,
            precision: PrecisionHint::default(),
            precise: false,
            params: Vec::new(),
            body: Some(body),
            span: Span::default(),
            is_subroutine_type: false,
            subroutine_types: Vec::new(),
            subroutine_index: None,
            calls: Vec::new(),
            globals: Vec::new(),
        });
        let shader = lower(&self.unit, &LowerOptions::default()).map_err(|e| e[0].message.clone())?;
        let faults = validate::validate(&shader);
        assert!(faults.is_empty(), "{faults:?}\n{}", text::print(&shader));
        Ok(shader)
    }
}

/// The texture instructions: operation, shape, roles of the sources, shape of the result.
fn lookups(shader: &Shader) -> Vec<String> {
    let mut found = Vec::new();
    let Some(body) = shader.entry_body() else { return found };
    for id in body.all_instrs() {
        if let InstrKind::Tex(t) = &body[id].kind {
            let mut words = vec![t.op.name().to_owned(), t.dim.name().to_owned()];
            words.extend(t.arrayed.then(|| "array".to_owned()));
            words.extend(t.shadow.then(|| "shadow".to_owned()));
            words.extend(t.srcs.iter().skip(1).map(|(role, _)| role.name().to_owned()));
            words.extend((t.component != 0).then(|| format!("component={}", t.component)));
            words.extend(t.offsets.map(|o| format!("offsets={o:?}")));
            words.push(format!("-> {}", body[id].ty));
            found.push(words.join(" "));
        }
    }
    found
}

/// The lines of the text form that name something.
fn lines(shader: &Shader, word: &str) -> Vec<String> {
    text::print(shader).lines().filter(|l| l.contains(word)).map(|l| l.trim().to_owned()).collect()
}

const fn sampler(dim: Dim) -> Opaque {
    Opaque {
        kind: OpaqueKind::Sampled,
        sampled: Base::Float,
        dim,
        arrayed: false,
        shadow: false,
        external: false,
    }
}

const fn shadow(dim: Dim) -> Opaque {
    Opaque { shadow: true, ..sampler(dim) }
}

const fn array(o: Opaque) -> Opaque {
    Opaque { arrayed: true, ..o }
}

/// Arguments after the sampler: floats, integers, constants.
enum A {
    F(u8),
    I(u8),
    C(u64),
}

fn lookup(call: TexCall) -> &'static Builtin {
    Box::leak(Box::new(Builtin::new(Lowering::Texture(call), CallPrecision::HIGH)))
}

#[track_caller]
fn looks_up(stage: Stage, call: TexCall, o: Opaque, args: &[A], result: Type, want: &str) {
    let mut calls = Calls::new(stage);
    let mut operands = vec![calls.operand(Type::Opaque(o))];
    for a in args {
        operands.push(match *a {
            A::F(n) => calls.operand(vector(Base::Float, n)),
            A::I(n) => calls.operand(vector(Base::Int, n)),
            A::C(n) => calls.constant(Type::INT, &[n]),
        });
    }
    assert_eq!(call.args(o).count, operands.len(), "the call has other arguments");
    calls.call_builtin(lookup(call), &operands, result);
    assert_eq!(calls.lower().map(|s| lookups(&s)), Ok(vec![want.to_owned()]));
}

#[test]
fn texture_lookups() {
    use A::{C, F, I};
    let new = TexCall::new;
    let sample = new(Op::Sample);
    let fragment = |call, o, args: &[A], result, want: &str| {
        looks_up(Stage::Fragment, call, o, args, result, want);
    };
    let s2 = sampler(Dim::D2);
    fragment(sample, s2, &[F(2)], Type::VEC4, "tex 2d sampler coord -> 32x4");
    fragment(
        TexCall { bias: true, ..sample },
        sampler(Dim::Cube),
        &[F(3), F(1)],
        Type::VEC4,
        "txb cube sampler coord bias -> 32x4",
    );
    let proj = TexCall { proj: true, ..sample };
    fragment(proj, s2, &[F(4)], Type::VEC4, "tex 2d sampler coord projector -> 32x4");
    fragment(proj, sampler(Dim::D1), &[F(2)], Type::VEC4, "tex 1d sampler coord projector -> 32x4");
    fragment(sample, sampler(Dim::Rect), &[F(2)], Type::VEC4, "tex rect sampler coord -> 32x4");
    fragment(
        proj,
        shadow(Dim::D2),
        &[F(4)],
        Type::FLOAT,
        "tex 2d shadow sampler coord projector comparator -> 32x1",
    );
    fragment(sample, shadow(Dim::D1), &[F(3)], Type::FLOAT, "tex 1d shadow sampler coord comparator -> 32x1");
    fragment(
        TexCall { shadow_vec4: true, ..sample },
        shadow(Dim::D2),
        &[F(3)],
        Type::VEC4,
        "tex 2d shadow sampler coord comparator -> 32x1",
    );
    fragment(
        TexCall { compare: true, ..sample },
        array(shadow(Dim::Cube)),
        &[F(4), F(1)],
        Type::FLOAT,
        "tex cube array shadow sampler coord comparator -> 32x1",
    );
    fragment(
        TexCall { offset: TexOffset::One, clamp: true, bias: true, ..sample },
        array(s2),
        &[F(3), I(2), F(1), F(1)],
        Type::VEC4,
        "txb 2d array sampler coord offset bias min_lod -> 32x4",
    );
    fragment(new(Op::Lod), s2, &[F(2), F(1)], Type::VEC4, "txl 2d sampler coord lod -> 32x4");
    fragment(
        TexCall { proj: true, offset: TexOffset::One, ..new(Op::Grad) },
        sampler(Dim::D3),
        &[F(4), F(3), F(3), I(3)],
        Type::VEC4,
        "txd 3d sampler coord projector offset ddx ddy -> 32x4",
    );
    fragment(new(Op::Fetch), s2, &[I(2), I(1)], Type::VEC4, "txf 2d coord lod -> 32x4");
    fragment(new(Op::Fetch), sampler(Dim::Buffer), &[I(1)], Type::VEC4, "txf buf coord -> 32x4");
    fragment(new(Op::Fetch), sampler(Dim::Ms), &[I(2), I(1)], Type::VEC4, "txf_ms ms coord ms_index -> 32x4");
    let gather = new(Op::Gather);
    fragment(
        gather,
        shadow(Dim::D2),
        &[F(2), F(1)],
        Type::VEC4,
        "tg4 2d shadow sampler coord comparator -> 32x4",
    );
    fragment(
        TexCall { component: true, offset: TexOffset::One, ..gather },
        s2,
        &[F(2), I(2), C(2)],
        Type::VEC4,
        "tg4 2d sampler coord offset component=2 -> 32x4",
    );
    let integers = Opaque { sampled: Base::Int, ..s2 };
    fragment(sample, integers, &[F(2)], vector(Base::Int, 4), "tex 2d sampler coord -> 32x4");
    // Other stages have no derivatives: the base level is read, and a bias has no meaning.
    for stage in [Stage::Vertex, Stage::Compute] {
        looks_up(stage, sample, s2, &[F(2)], Type::VEC4, "txl 2d sampler coord lod -> 32x4");
        let clamp = TexCall { clamp: true, ..sample };
        looks_up(stage, clamp, s2, &[F(2), F(1)], Type::VEC4, "txl 2d sampler coord lod -> 32x4");
    }
}

#[test]
fn four_offsets_are_a_part_of_the_instruction_if_they_are_small() {
    let call = TexCall { offset: TexOffset::Four, ..TexCall::new(Op::Gather) };
    let gather = |scalars: Option<&[u64]>| {
        let mut calls = Calls::new(Stage::Fragment);
        let four = calls.unit.types.array(vector(Base::Int, 2), 4);
        let offsets = match scalars {
            Some(scalars) => calls.constant(four, scalars),
            None => calls.operand(four),
        };
        let s = calls.operand(Type::Opaque(sampler(Dim::D2)));
        let p = calls.operand(Type::VEC2);
        calls.call_builtin(lookup(call), &[s, p, offsets], Type::VEC4);
        calls.lower().map(|s| lookups(&s))
    };
    let minus = u64::from(-1i32 as u32);
    let small = gather(Some(&[0, 1, 2, 3, 4, 5, minus, 7]));
    let want = "tg4 2d sampler coord offsets=[[0, 1], [2, 3], [4, 5], [-1, 7]] -> 32x4";
    assert_eq!(small, Ok(vec![want.to_owned()]));
    let four = vec!["tg4 2d sampler coord offset -> 32x4".to_owned(); 4];
    assert_eq!(gather(Some(&[0, 1, 2, 3, 4, 5, 6, 1000])), Ok(four.clone()));
    assert_eq!(gather(None), Ok(four));
}

#[test]
fn queries() {
    let query = |f: &str, o: Opaque, args: &[A], result: Type| {
        let mut calls = Calls::new(Stage::Fragment);
        let mut operands = vec![calls.operand(Type::Opaque(o))];
        for a in args {
            operands.push(match *a {
                A::F(n) => calls.operand(vector(Base::Float, n)),
                A::I(n) => calls.operand(vector(Base::Int, n)),
                A::C(n) => calls.constant(Type::INT, &[n]),
            });
        }
        calls.call(f, &operands, result);
        calls.lower().map(|s| lookups(&s).join(", "))
    };
    let size = vector(Base::Int, 3);
    let s = |x: &str| Ok(x.to_owned());
    assert_eq!(
        query("textureSize", array(sampler(Dim::Cube)), &[A::I(1)], size),
        s("txs cube array lod -> 32x3")
    );
    assert_eq!(query("textureSize", sampler(Dim::Buffer), &[], Type::INT), s("txs buf -> 32x1"));
    assert_eq!(
        query("textureQueryLod", array(sampler(Dim::D2)), &[A::F(2)], Type::VEC2),
        s("lod 2d array sampler coord -> 32x2")
    );
    assert_eq!(query("textureQueryLevels", sampler(Dim::D3), &[], Type::INT), s("query_levels 3d -> 32x1"));
    assert_eq!(query("textureSamples", sampler(Dim::Ms), &[], Type::INT), s("samples ms -> 32x1"));
    assert_eq!(query("textureSamplesIdenticalEXT", sampler(Dim::Ms), &[A::I(2)], Type::BOOL), s(""));
}

fn image(dim: Dim) -> Type {
    Type::Opaque(Opaque { kind: OpaqueKind::Image, sampled: Base::Uint, ..sampler(dim) })
}

#[test]
fn images() {
    let mut calls = Calls::new(Stage::Compute);
    let (i2, ms) = (calls.operand(image(Dim::D2)), calls.operand(image(Dim::Ms)));
    let (p, n) = (calls.operand(vector(Base::Int, 2)), calls.operand(Type::INT));
    let (u, u4) = (calls.operand(Type::UINT), calls.operand(vector(Base::Uint, 4)));
    calls.call("imageLoad", &[i2, p], vector(Base::Uint, 4));
    calls.call("imageStore", &[ms, p, n, u4], Type::Void);
    calls.call("imageSize", &[i2], vector(Base::Int, 2));
    calls.call("imageSamples", &[ms], Type::INT);
    calls.call("imageAtomicMax", &[i2, p, u], Type::UINT);
    calls.call("imageAtomicCompSwap", &[ms, p, n, u, u], Type::UINT);
    let shader = calls.lower().unwrap_or_else(|e| panic!("{e}"));
    for (op, words) in [
        ("image_load", &["2d", "r32ui", "uint32"][..]),
        ("image_store", &["ms", "r32ui", "uint32"]),
        ("image_size", &["2d"]),
        ("image_samples", &["ms"]),
        ("image_atomic ", &["umax"]),
        ("image_atomic_swap", &["cmpxchg"]),
    ] {
        let found = lines(&shader, op);
        assert_eq!(found.len(), 1, "{op}: {found:?}\n{}", text::print(&shader));
        assert!(words.iter().all(|w| found[0].contains(w)), "{}", found[0]);
    }
}

#[test]
fn unsupported_image_atomics_are_rejected_by_name() {
    let mut calls = Calls::new(Stage::Compute);
    let (i2, p) = (calls.operand(image(Dim::D2)), calls.operand(vector(Base::Int, 2)));
    let u = calls.operand(Type::UINT);
    calls.call("imageAtomicIncWrap", &[i2, p, u], Type::UINT);
    assert_eq!(calls.lower().err().as_deref(), Some("imageAtomicIncWrap is not supported on this image"));
}

#[test]
fn atomics_and_barriers() {
    let mut calls = Calls::new(Stage::Compute);
    let shared = calls.var(vector(Base::Int, 4), Storage::Shared, Placement::default());
    let lane = Swizzle { comps: [2, 0, 0, 0], len: 1 };
    let lane = calls.unit.add_expr(ExprKind::Swizzle(shared, lane), Type::INT, 0);
    let x = calls.operand(Type::INT);
    calls.call("atomicMin", &[lane, x], Type::INT);
    calls.call("atomicCompSwap", &[lane, x, x], Type::INT);
    calls.call("barrier", &[], Type::Void);
    calls.call("memoryBarrierImage", &[], Type::Void);
    calls.call("groupMemoryBarrier", &[], Type::Void);
    let scope = [2, 3, 0x100, 8].map(|n| calls.constant(Type::INT, &[n]));
    calls.call("controlBarrier", &scope, Type::Void);
    // Without an order there is nothing to do.
    let relaxed = [1, 0x40, 0].map(|n| calls.constant(Type::INT, &[n]));
    calls.call("memoryBarrier", &relaxed, Type::Void);
    let shader = calls.lower().unwrap_or_else(|e| panic!("{e}"));
    let atomics = lines(&shader, "deref_atomic");
    assert!(atomics.len() == 2 && atomics[0].contains("imin"), "{atomics:?}");
    let barriers = lines(&shader, "barrier");
    assert_eq!(barriers.len(), 4, "{barriers:?}");
    assert!(
        barriers[0].contains("execution=workgroup") && barriers[0].contains("modes=shared"),
        "{barriers:?}"
    );
    assert!(barriers[1].contains("memory=device") && barriers[1].contains("modes=image"), "{barriers:?}");
    assert!(
        barriers[3].contains("execution=workgroup") && barriers[3].contains("memory=subgroup"),
        "{barriers:?}"
    );
}

#[test]
fn atomic_counters_give_the_value_that_they_promise() {
    let counter = Opaque { kind: OpaqueKind::AtomicCounter, sampled: Base::Uint, ..sampler(Dim::D2) };
    let ops = [
        ("atomicCounter", 0, "op=load"),
        ("atomicCounterIncrement", 0, ""),
        ("atomicCounterDecrement", 0, ""),
        ("atomicCounterMin", 1, "op=umin"),
        ("atomicCounterCompSwap", 2, "op=cmpxchg"),
    ];
    for (name, n, word) in ops {
        let mut calls = Calls::new(Stage::Compute);
        let place = Placement { binding: Some(0), offset: Some(4), ..Placement::default() };
        let counter = calls.var(Type::Opaque(counter), Storage::Uniform, place);
        let x = calls.operand(Type::UINT);
        let args = [counter, x, x];
        calls.call(name, &args[..=n], Type::UINT);
        let shader = calls.lower().unwrap_or_else(|e| panic!("{e}"));
        let found = lines(&shader, "deref_atomic");
        assert!(found.len() == 1 && found[0].contains(word), "{name}: {found:?}");
        // The default, a sum, is not printed.
        assert_eq!(found[0].contains("op="), !word.is_empty(), "{name}: {found:?}");
        // Only a decrement gives the new value.
        assert_eq!(lines(&shader, "isub").len(), usize::from(name == "atomicCounterDecrement"), "{name}");
    }
}

#[test]
fn fragments_interpolate_whole_vectors() {
    let mut calls = Calls::new(Stage::Fragment);
    let place = Placement { slot: Slot::generic(0), ..Placement::default() };
    let input = calls.var(Type::VEC3, Storage::In, place);
    let lanes = Swizzle { comps: [2, 0, 0, 0], len: 2 };
    let zx = calls.unit.add_expr(ExprKind::Swizzle(input, lanes), Type::VEC2, 0);
    let i = calls.operand(Type::INT);
    let y = calls.unit.add_expr(ExprKind::Index(input, i), Type::FLOAT, 0);
    let offset = calls.operand(Type::VEC2);
    calls.call("interpolateAtCentroid", &[zx], Type::VEC2);
    calls.call("interpolateAtSample", &[y, i], Type::FLOAT);
    calls.call("interpolateAtOffset", &[input, offset], Type::VEC3);
    calls.call("fwidthFine", &[offset], Type::VEC2);
    calls.call("helperInvocationEXT", &[], Type::BOOL);
    let shader = calls.lower().unwrap_or_else(|e| panic!("{e}"));
    for (op, n) in [("interp_deref_at", 3), ("fddx_fine", 1), ("fddy_fine", 1), ("is_helper_invocation", 1)] {
        assert_eq!(lines(&shader, op).len(), n, "{op}\n{}", text::print(&shader));
    }
    assert!(lines(&shader, "interp_deref_at").iter().all(|l| l.contains("32x3")), "{}", text::print(&shader));
}

#[test]
fn subgroups() {
    let mut calls = Calls::new(Stage::Compute);
    let (u, f, b) = (calls.operand(Type::UINT), calls.operand(Type::VEC3), calls.operand(Type::BOOL));
    let long = vector(Base::Uint64, 1);
    calls.call("subgroupElect", &[], Type::BOOL);
    calls.call("subgroupAllEqual", &[f], Type::BOOL);
    calls.call("ballotARB", &[b], long);
    calls.call("subgroupBallot", &[b], vector(Base::Uint, 4));
    calls.call("subgroupShuffleXor", &[f, u], Type::VEC3);
    calls.call("subgroupMin", &[u], Type::UINT);
    calls.call("subgroupExclusiveMul", &[f], Type::VEC3);
    let four = calls.constant(Type::UINT, &[4]);
    calls.call("subgroupClusteredXor", &[b, four], Type::BOOL);
    calls.call("subgroupClusteredRotate", &[f, u, four], Type::VEC3);
    let shader = calls.lower().unwrap_or_else(|e| panic!("{e}"));
    for (op, n) in [
        ("elect", 1),
        ("vote_feq", 1),
        ("ballot", 2),
        ("pack_64_2x32", 1),
        ("shuffle_xor", 1),
        ("= shuffle ", 1),
        ("umin", 1),
        ("fmul", 1),
        ("cluster=4", 1),
    ] {
        assert_eq!(lines(&shader, op).len(), n, "{op}\n{}", text::print(&shader));
    }
    let mut calls = Calls::new(Stage::Compute);
    let (u, three) = (calls.operand(Type::UINT), calls.constant(Type::UINT, &[3]));
    calls.call("subgroupClusteredAdd", &[u, three], Type::UINT);
    assert_eq!(calls.lower().err().as_deref(), Some("a cluster of 3 invocations is not supported"));
}

#[test]
fn results_by_out_parameters_arrive() {
    let mut calls = Calls::new(Stage::Compute);
    let (x, whole, exponent) =
        (calls.operand(Type::FLOAT), calls.operand(Type::DOUBLE), calls.operand(Type::INT));
    calls.call_builtin(builtin("modf", &[Type::FLOAT; 2]), &[x, whole], Type::FLOAT);
    calls.call("frexp", &[x, exponent], Type::FLOAT);
    let (u, carry) = (calls.operand(vector(Base::Uint, 2)), calls.operand(vector(Base::Uint, 2)));
    calls.call("umulExtended", &[u, u, carry, carry], Type::Void);
    let shader = calls.lower().unwrap_or_else(|e| panic!("{e}"));
    // Results are converted to the type of the argument.
    for (op, n) in [("store_deref", 4), ("f2f", 1), ("frexp_exp", 1), ("umul_high", 1)] {
        assert_eq!(lines(&shader, op).len(), n, "{op}\n{}", text::print(&shader));
    }
}

#[test]
fn the_fixed_transformation_is_exact() {
    let mut calls = Calls::new(Stage::Vertex);
    calls.unit.version = Version { number: 120, profile: Profile::Compatibility };
    let lang = Language {
        version: calls.unit.version,
        stage: Stage::Vertex,
        extensions: ExtSet::default(),
        vulkan: false,
    };
    for name in ["gl_ModelViewProjectionMatrix", "gl_Vertex"] {
        let Some(mut var) = declare(name, &mut calls.unit, &lang, &Limits::GL) else {
            panic!("{name} is not there");
        };
        if name != "gl_Vertex" {
            var.place.offset = Some(0);
            let id = VarId(calls.unit.vars.len() as u32);
            calls.unit.default_block = Some(DefaultBlock { binding: 0, size: 64, members: vec![(id, 0)] });
        }
        calls.unit.vars.push(var);
    }
    calls.call("ftransform", &[], Type::VEC4);
    let shader = calls.lower().unwrap_or_else(|e| panic!("{e}"));
    for (op, n) in [("fmul!", 4), ("fadd!", 3)] {
        assert_eq!(lines(&shader, op).len(), n, "{op}\n{}", text::print(&shader));
    }
}

#[test]
fn geometry_streams() {
    let mut calls = Calls::new(Stage::Geometry);
    let two = calls.constant(Type::INT, &[2]);
    calls.call("EmitVertex", &[], Type::Void);
    calls.call("EndStreamPrimitive", &[two], Type::Void);
    let shader = calls.lower().unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(lines(&shader, "emit_vertex").len(), 1);
    assert!(lines(&shader, "end_primitive").iter().all(|l| l.contains("stream=2")));
}
