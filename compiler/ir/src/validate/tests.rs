//! One broken shader for each rule: just that rule is reported. And valid shaders: nothing is.

use super::*;
use crate::alu::AluOp;
use crate::body::Cursor;
use crate::builder::Builder;
use crate::enums::*;
use crate::instr::*;
use crate::intrinsic::{Align, Index, IntrinsicOp, IoSemantics, SystemValue};
use crate::shader::Param;
use crate::slot::Slot;
use crate::tex::{Tex, TexOp, TexSrc};
use crate::types::{ImageType, Member, StructType};
use crate::var::{Constant, Variable};
use std::collections::BTreeSet;

/// A valid shader with one of everything that the tests break.
struct Sample {
    s: Shader,
    main: FuncId,
    helper: FuncId,
    float: TypeId,
    vec4: TypeId,
    array: TypeId,
    block: TypeId,
    local: VarId,
    input: VarId,
    buffer: VarId,
    texture: VarId,
    /// Values of the entry block of `main`.
    zero: InstrId,
    number: InstrId,
    pair: InstrId,
    yes: InstrId,
    wide: InstrId,
}

fn sample() -> Sample {
    let mut s = Shader::new("test", Stage::Fragment);
    let t = &mut s.types;
    let float = t.vector(Scalar::Float32, 1);
    let vec4 = t.vector(Scalar::Float32, 4);
    let array = t.array(float, 4);
    let members = [Member { offset: Some(0), ..Member::new("a", vec4) }];
    let block = t.intern(Type::Struct(StructType { name: "B".into(), members: members.into(), block: true }));
    let image = t.intern(Type::Image(ImageType {
        dim: Dim::D2,
        arrayed: false,
        shadow: false,
        sampled: Scalar::Float32,
        storage: false,
        combined: true,
        format: ImageFormat::Unknown,
    }));
    let main = s.add_function(Function::new("main"));
    let mut helper = Function::new("helper");
    helper.params.push(Param::value(Ty::B32));
    let helper = s.add_function(helper);
    s.entry = Some(main);
    let local = s.add_local(main, "local", array);
    let mut input = Variable::new("input", vec4, Modes::IN);
    input.location = Slot::generic(0);
    let input = s.add_var(input);
    let buffer = s.add_var(Variable::new("buffer", block, Modes::SSBO));
    let texture = s.add_var(Variable::new("texture", image, Modes::UNIFORM));
    let b = &mut s.builder(main).expect("main");
    let (zero, number, yes, wide) =
        (b.imm_u32(0), b.undef(Ty::B32), b.undef(Ty::BOOL), b.undef(Ty::new(1, 64)));
    let pair = b.undef(Ty::new(2, 32));
    Sample {
        s,
        main,
        helper,
        float,
        vec4,
        array,
        block,
        local,
        input,
        buffer,
        texture,
        zero,
        number,
        pair,
        yes,
        wide,
    }
}

impl Sample {
    fn b(&mut self) -> Builder<'_> {
        self.s.builder(self.main).expect("main")
    }

    fn body(&mut self) -> &mut Body {
        &mut self.s.functions[self.main].body
    }

    fn put(&mut self, kind: InstrKind, ty: Ty) -> InstrId {
        self.b().insert(Instr::new(kind, ty))
    }

    fn alu(&mut self, op: AluOp, ty: Ty, srcs: &[Src]) -> InstrId {
        self.put(InstrKind::Alu(Alu::new(op, ty.comps, srcs)), ty)
    }

    fn intrinsic(&mut self, op: IntrinsicOp, ty: Ty, srcs: &[InstrId]) -> InstrId {
        self.b().intrinsic(op, ty, srcs)
    }

    fn deref(&mut self, var: VarId) -> InstrId {
        let v = &self.s.vars[var];
        let (ty, modes) = (v.ty, v.mode);
        self.b().deref(DerefKind::Var(var), ty, modes)
    }

    fn element(&mut self, parent: InstrId, index: InstrId) -> InstrId {
        let float = self.float;
        self.b().deref(DerefKind::Array { parent, index }, float, Modes::FUNCTION_TEMP)
    }

    fn sampled(&mut self, change: impl FnOnce(&mut Tex)) -> Tex {
        let deref = self.deref(self.texture);
        let mut tex = Tex::new(TexOp::Tex, Dim::D2, Scalar::Float32);
        tex.set_src(TexSrc::Texture, deref);
        tex.set_src(TexSrc::Sampler, deref);
        tex.set_src(TexSrc::Coord, self.pair);
        change(&mut tex);
        tex
    }

    fn tex(&mut self, change: impl FnOnce(&mut Tex)) {
        let tex = self.sampled(change);
        self.b().tex(tex, Ty::new(4, 32));
    }

    fn output(&mut self, value: InstrId, change: impl FnOnce(&mut Intrinsic)) {
        self.s.form = Form::Slots;
        let mut store = Intrinsic::new(IntrinsicOp::store_output, &[value, self.zero]);
        store.set(Index::Io, IoSemantics::new(Slot::DEPTH));
        store.set(Index::WriteMask, 1u32);
        change(&mut store);
        self.b().insert_intrinsic(store, Ty::NONE);
    }
}

/// A way to break a shader, and the one rule that must be reported.
type Case = (Rule, fn(&mut Sample));

const F32: Ty = Ty::B32;

const CASES: &[Case] = &[
    (Rule::Types, |x| {
        // A type of another shader, which has more of them.
        let mut other = crate::types::Types::default();
        let mut ty = other.vector(Scalar::Float32, 1);
        for n in 1..100 {
            ty = other.array(ty, n);
        }
        x.s.types.array(ty, 2);
    }),
    (Rule::Types, |x| {
        x.s.types.vector(Scalar::Any, 7);
    }),
    (Rule::Types, |x| {
        let mut ty = x.float;
        for _ in 0..100_000 {
            ty = x.s.types.array(ty, 2);
        }
    }),
    (Rule::TypeAlignment, |x| {
        let members = [Member { offset: Some(3), ..Member::new("a", x.float) }].into();
        x.s.types.intern(Type::Struct(StructType { name: "".into(), members, block: true }));
    }),
    (Rule::TypeAlignment, |x| {
        x.s.types.intern(Type::Array { elem: x.vec4, len: 2, stride: 18 });
    }),
    (Rule::VariableMode, |x| x.s.vars[x.buffer].mode = Modes::SSBO | Modes::UBO),
    (Rule::VariableType, |x| {
        let mut other = x.s.types.clone();
        x.s.vars[x.buffer].ty = other.array(x.vec4, 77);
    }),
    (Rule::VariableFunction, |x| x.s.vars[x.local].function = None),
    (Rule::VariableFunction, |x| x.s.vars[x.buffer].function = Some(x.main)),
    (Rule::VariableLocation, |x| x.s.vars[x.input].location = None),
    (Rule::VariableLocation, |x| x.s.vars[x.input].component = 3),
    (Rule::VariableLocation, |x| {
        x.s.vars[x.input].ty = x.s.types.array(x.vec4, 97);
    }),
    (Rule::VariableCompact, |x| x.s.vars[x.input].compact = true),
    (Rule::VariableLocation, |x| {
        let mut id = Variable::new("id", x.s.types.vector(Scalar::Uint32, 3), Modes::SYSTEM_VALUE);
        id.system_value = Some(SystemValue::global_invocation_id);
        id.location = Slot::generic(7);
        x.s.add_var(id);
    }),
    (Rule::VariableFetched, |x| x.s.vars[x.input].fetched = true),
    (Rule::VariableComplete, |x| x.s.vars[x.input].complete = true),
    (Rule::VariableSystemValue, |x| x.s.vars[x.input].system_value = Some(SystemValue::frag_coord)),
    (Rule::VariableSystemValue, |x| {
        let mut v = Variable::new("v", x.float, Modes::SYSTEM_VALUE);
        v.system_value = Some(SystemValue::frag_coord);
        x.s.add_var(v);
    }),
    (Rule::VariableSpecConst, |x| {
        let mut v = Variable::new("v", x.float, Modes::SPEC_CONST);
        v.binding = Some(1);
        x.s.add_var(v);
    }),
    (Rule::VariableSpecConst, |x| {
        let mut v = Variable::new("v", x.float, Modes::SPEC_CONST);
        v.initializer = Some(Constant::Value([0; 4]));
        x.s.add_var(v);
    }),
    (Rule::VariableInitializer, |x| {
        x.s.vars[x.local].initializer = Some(Constant::Composite([Constant::Zero].into()));
    }),
    (Rule::Entry, |x| x.s.entry = None),
    (Rule::Entry, |x| x.s.functions[x.main].params.push(Param::value(F32))),
    (Rule::Parameters, |x| {
        x.s.functions[x.helper].params[0] =
            Param { ty: Ty::BOOL, ..Param::deref(x.float, Modes::FUNCTION_TEMP) };
    }),
    (Rule::CallCallee, |x| {
        let gone = x.s.add_function(Function::new("gone"));
        x.s.functions.remove(gone);
        x.b().call(gone, &[]);
    }),
    (Rule::CallArguments, |x| {
        let (helper, yes) = (x.helper, x.yes);
        x.b().call(helper, &[yes]);
    }),
    (Rule::Recursion, |x| {
        let helper = x.helper;
        let mut b = x.s.builder(helper).expect("helper");
        let zero = b.imm_u32(0);
        b.call(helper, &[zero]);
    }),
    (Rule::Tree, |x| {
        let end = x.body().root().last;
        let cf = x.body().insert_loop(Cursor::BlockEnd(end));
        x.body().break_tree(cf);
    }),
    (Rule::Tree, |x| {
        // Taken out and forgotten.
        let yes = x.yes;
        let cf = x.b().push_if(yes);
        let _ = x.body().take_region(crate::body::Owner::Then(cf));
    }),
    (Rule::InstrList, |x| {
        let (a, b) = (x.number, x.yes);
        x.body().break_list(a, b);
    }),
    (Rule::StaleOperand, |x| {
        let n = x.b().imm_u32(4);
        let user = x.alu(AluOp::mov, F32, &[n.into()]);
        x.body().forget(n);
        let _ = user;
    }),
    (Rule::UseCount, |x| {
        let n = x.number;
        x.body().break_count(n);
    }),
    (Rule::JumpPlace, |x| {
        x.put(InstrKind::Jump(Jump::Return), Ty::NONE);
        let end = x.body().root().last;
        x.body().insert(Cursor::BlockEnd(end), Instr::new(InstrKind::Undef, F32));
    }),
    (Rule::JumpLoop, |x| {
        x.put(InstrKind::Jump(Jump::Break), Ty::NONE);
    }),
    (Rule::PhiPlace, |x| {
        x.put(InstrKind::Phi(Default::default()), F32);
    }),
    (Rule::PhiPlace, |x| {
        let (yes, n) = (x.yes, x.number);
        let cf = x.b().push_if(yes);
        let phi = {
            let mut b = x.b();
            b.if_phi(cf, n, n).expect("if")
        };
        let next = x.body().block_of(phi);
        x.body().insert(Cursor::BlockStart(next), Instr::new(InstrKind::Undef, F32));
    }),
    (Rule::PhiSources, |x| {
        let (yes, n) = (x.yes, x.number);
        let cf = x.b().push_if(yes);
        let phi = x.b().if_phi(cf, n, n).expect("if");
        let then = x.body().as_if(cf).expect("if").then().last;
        let next = x.body().block_of(phi);
        x.body().remove_phi_pred(next, then);
    }),
    (Rule::PhiShape, |x| {
        let (yes, n) = (x.yes, x.number);
        let cf = x.b().push_if(yes);
        x.b().if_phi(cf, yes, n);
    }),
    (Rule::Condition, |x| {
        let n = x.number;
        x.b().push_if(n);
    }),
    (Rule::Dominance, |x| {
        let n = x.number;
        let end = x.body().root().last;
        x.alu(AluOp::mov, F32, &[n.into()]);
        x.body().move_to(n, Cursor::BlockEnd(end));
    }),
    (Rule::Dominance, |x| {
        let yes = x.yes;
        let cf = x.b().push_if(yes);
        let then = x.body().as_if(cf).expect("if").then().last;
        let inner = x.body().insert(Cursor::BlockEnd(then), Instr::new(InstrKind::Undef, F32));
        x.alu(AluOp::mov, F32, &[inner.into()]);
    }),
    (Rule::Dominance, |x| {
        let (yes, n) = (x.yes, x.number);
        let cf = x.b().push_if(yes);
        let els = x.body().as_if(cf).expect("if").els().last;
        let inner = x.body().insert(Cursor::BlockEnd(els), Instr::new(InstrKind::Undef, F32));
        x.b().if_phi(cf, inner, n);
    }),
    (Rule::ResultShape, |x| {
        x.put(InstrKind::Undef, Ty::new(5, 32));
    }),
    (Rule::ResultShape, |x| {
        x.put(InstrKind::Jump(Jump::Return), F32);
    }),
    (Rule::OperandValue, |x| {
        let (d, n) = (x.deref(x.local), x.number);
        let e = x.element(d, n);
        let store = x.b().store_deref(e, n);
        x.alu(AluOp::mov, F32, &[store.into()]);
    }),
    (Rule::AluOperand, |x| {
        x.alu(AluOp::iadd, F32, &[x.number.into(), x.wide.into()]);
    }),
    (Rule::AluOperand, |x| {
        x.alu(AluOp::bcsel, F32, &[x.number.into(), x.number.into(), x.number.into()]);
    }),
    (Rule::AluResult, |x| {
        x.alu(AluOp::iadd, Ty::new(1, 64), &[x.number.into(), x.number.into()]);
    }),
    (Rule::AluResult, |x| {
        x.alu(AluOp::vec2, F32, &[x.number.into(), x.number.into()]);
    }),
    (Rule::NumberWidth, |x| {
        x.alu(AluOp::fadd, Ty::BOOL, &[x.yes.into(), x.yes.into()]);
    }),
    (Rule::NumberWidth, |x| {
        x.alu(AluOp::f2f, Ty::new(1, 8), &[x.number.into()]);
    }),
    (Rule::NumberWidth, |x| {
        x.alu(AluOp::u2u, F32, &[x.yes.into()]);
    }),
    (Rule::Swizzle, |x| {
        x.alu(AluOp::mov, F32, &[Src::comp(x.pair, 2)]);
    }),
    (Rule::Swizzle, |x| {
        let mut alu = Alu::new(AluOp::mov, 1, &[x.pair.into()]);
        alu.set_swizzle(0, crate::value::Swizzle::splat(0, 2));
        x.put(InstrKind::Alu(alu), F32);
    }),
    (Rule::ConstantBits, |x| {
        x.put(InstrKind::Const([2, 0, 0, 0]), Ty::BOOL);
    }),
    (Rule::ConstantBits, |x| {
        x.put(InstrKind::Const([1, 1, 0, 0]), F32);
    }),
    (Rule::IntrinsicOperand, |x| {
        x.intrinsic(IntrinsicOp::vote_any, Ty::BOOL, &[x.number]);
    }),
    (Rule::IntrinsicOperand, |x| {
        x.intrinsic(IntrinsicOp::shuffle, Ty::B32, &[x.pair, x.number]);
    }),
    (Rule::IntrinsicResult, |x| {
        x.intrinsic(IntrinsicOp::elect, F32, &[]);
    }),
    (Rule::IndexValue, |x| {
        let mut bad = Intrinsic::new(IntrinsicOp::load_barycentric_pixel, &[]);
        assert!(bad.try_set(Index::Interp, 3));
        let mut shuffle = Intrinsic::new(IntrinsicOp::reduce, &[x.number]);
        shuffle.set(Index::Cluster, 3u32);
        x.b().insert_intrinsic(shuffle, F32);
    }),
    (Rule::IndexValue, |x| {
        let mut bad = Intrinsic::new(IntrinsicOp::barrier, &[]);
        assert!(bad.try_set(Index::ExecutionScope, 7));
        x.b().insert_intrinsic(bad, Ty::NONE);
    }),
    (Rule::WriteMask, |x| x.output(x.number, |i| i.set(Index::WriteMask, 2u32))),
    (Rule::Alignment, |x| {
        x.s.form = Form::Slots;
        let load = Intrinsic::new(IntrinsicOp::load_push_constant, &[x.zero]);
        x.b().insert_intrinsic(load.with(Index::Align, Align { mul: 4, offset: 4 }), F32);
    }),
    (Rule::IoRange, |x| x.output(x.pair, |i| i.set(Index::Component, 3u32))),
    (Rule::IoRange, |x| {
        x.output(x.number, |i| {
            i.set(Index::Component, 0u32);
            i.set(Index::Io, IoSemantics { num_slots: 60, ..IoSemantics::new(Slot::DEPTH) });
        });
    }),
    (Rule::ScalarWidth, |x| x.output(x.number, |i| i.set(Index::SrcType, Scalar::Float16))),
    (Rule::LoadParam, |x| {
        x.intrinsic(IntrinsicOp::load_param, F32, &[]);
    }),
    (Rule::DerefVariable, |x| {
        x.deref(x.local);
        x.s.vars.remove(x.local);
    }),
    (Rule::DerefVariable, |x| {
        x.deref(x.local);
        x.s.vars[x.local].function = Some(x.helper);
    }),
    (Rule::DerefParent, |x| {
        let (parent, ty) = (x.number, x.vec4);
        x.b().deref(DerefKind::Struct { parent, field: 0 }, ty, Modes::SSBO);
    }),
    (Rule::DerefType, |x| {
        let (parent, ty) = (x.deref(x.buffer), x.vec4);
        x.b().deref(DerefKind::Struct { parent, field: 1 }, ty, Modes::SSBO);
    }),
    (Rule::DerefType, |x| {
        let (v, ty) = (x.local, x.float);
        x.b().deref(DerefKind::Var(v), ty, Modes::FUNCTION_TEMP);
    }),
    (Rule::DerefModes, |x| {
        let (parent, index, ty) = (x.deref(x.local), x.number, x.float);
        x.b().deref(DerefKind::Array { parent, index }, ty, Modes::SSBO);
    }),
    (Rule::DerefIndex, |x| {
        let (d, wide) = (x.deref(x.local), x.wide);
        x.element(d, wide);
    }),
    (Rule::Wildcard, |x| {
        let (parent, ty) = (x.deref(x.local), x.float);
        let all = x.b().deref(DerefKind::ArrayWildcard { parent }, ty, Modes::FUNCTION_TEMP);
        x.b().load_deref(all, F32);
    }),
    (Rule::DerefUse, |x| {
        let d = x.deref(x.local);
        x.alu(AluOp::mov, F32, &[d.into()]);
    }),
    (Rule::DerefOperand, |x| {
        x.intrinsic(IntrinsicOp::load_deref, F32, &[x.number]);
    }),
    (Rule::DerefOperand, |x| {
        let d = x.deref(x.local);
        x.intrinsic(IntrinsicOp::deref_buffer_array_length, F32, &[d]);
    }),
    (Rule::AccessShape, |x| {
        let d = x.deref(x.input);
        x.b().load_deref(d, F32);
    }),
    (Rule::ReadOnly, |x| {
        let d = x.deref(x.input);
        let v = x.b().undef(Ty::new(4, 32));
        x.b().store_deref(d, v);
    }),
    (Rule::CopyTypes, |x| {
        let (a, b) = (x.deref(x.local), x.deref(x.input));
        x.b().copy_deref(a, b);
    }),
    (Rule::CopyBlocks, |x| {
        let ty = x.s.types.array(x.block, 2);
        let blocks = x.s.add_var(Variable::new("blocks", ty, Modes::SSBO));
        let all = x.deref(blocks);
        x.b().copy_deref(all, all);
    }),
    (Rule::CopyBlocks, |x| {
        let ty = x.s.types.array(x.block, 2);
        let blocks = x.s.add_var(Variable::new("blocks", ty, Modes::SSBO));
        let (parent, ty) = (x.deref(blocks), x.block);
        x.b().deref(DerefKind::ArrayWildcard { parent }, ty, Modes::SSBO);
    }),
    (Rule::TexSources, |x| x.tex(|t| t.srcs.swap(0, 1))),
    (Rule::TexRoles, |x| x.tex(|t| t.srcs.truncate(2))),
    (Rule::TexRoles, |x| {
        let n = x.number;
        x.tex(|t| t.set_src(TexSrc::Bias, n));
    }),
    (Rule::TexComparator, |x| {
        let n = x.number;
        x.tex(|t| t.set_src(TexSrc::Comparator, n));
    }),
    (Rule::TexOperand, |x| {
        let n = x.number;
        x.tex(|t| t.set_src(TexSrc::Coord, n));
    }),
    (Rule::TexResult, |x| x.tex(|t| t.dest_type = Scalar::Float16)),
    (Rule::TexGather, |x| x.tex(|t| t.component = 1)),
    (Rule::FormOperation, |x| {
        x.output(x.number, |_| {});
        x.s.form = Form::Variables;
    }),
    (Rule::FormOperation, |x| {
        let mut convert = Intrinsic::new(IntrinsicOp::convert_air, &[x.number]);
        convert.set(Index::SrcType, Scalar::Int32);
        convert.set(Index::DestType, Scalar::Float32);
        x.b().insert_intrinsic(convert, F32);
    }),
    (Rule::StageOperation, |x| {
        x.s.stage = Stage::Vertex;
        x.b().insert_intrinsic(Intrinsic::new(IntrinsicOp::discard, &[]), Ty::NONE);
    }),
    (Rule::FormDeref, |x| {
        x.deref(x.input);
        x.s.form = Form::Slots;
    }),
    (Rule::FormDeref, |x| {
        let (parent, ty) = (x.deref(x.buffer), x.vec4);
        x.b().deref(DerefKind::Struct { parent, field: 0 }, ty, Modes::SSBO);
        x.s.form = Form::Target;
    }),
];

#[test]
fn every_rule_is_reported_alone() {
    let mut covered = BTreeSet::new();
    for (n, (rule, change)) in CASES.iter().enumerate() {
        let mut x = sample();
        change(&mut x);
        let found = validate(&x.s);
        let rules: BTreeSet<Rule> = found.iter().map(|v| v.rule).collect();
        assert_eq!(rules, BTreeSet::from([*rule]), "case {n}: {found:#?}");
        assert!(found.iter().all(|v| v.to_string().starts_with(&format!("[{}] ", rule.name()))));
        covered.insert(*rule);
    }
    let missing: Vec<_> = Rule::ALL.iter().filter(|r| !covered.contains(r)).collect();
    assert!(missing.is_empty(), "no test for {missing:?}");
}

#[test]
fn valid_shaders_pass() {
    let mut x = sample();
    assert_eq!(validate(&x.s), []);
    x.tex(|_| {});
    let (a, n) = (x.deref(x.local), x.number);
    let e = x.element(a, n);
    x.b().store_deref(e, n);
    x.b().load_deref(e, F32);
    let (parent, ty) = (a, x.float);
    let all = x.b().deref(DerefKind::ArrayWildcard { parent }, ty, Modes::FUNCTION_TEMP);
    x.b().copy_deref(all, all);
    let helper = x.helper;
    x.b().call(helper, &[n]);
    let yes = x.yes;
    let cf = x.b().push_if(yes);
    x.b().if_phi(cf, n, n);
    x.s.vars[x.local].initializer = Some(Constant::Composite(vec![Constant::Value([1, 0, 0, 0]); 4].into()));
    assert_eq!(validate(&x.s), []);
    let mut x = sample();
    x.output(x.number, |_| {});
    let block = x.deref(x.buffer);
    x.intrinsic(IntrinsicOp::load_ssbo, Ty::new(4, 32), &[block, x.zero]);
    assert_eq!(validate(&x.s), []);
}

#[test]
fn messages_have_the_printed_instruction() {
    let mut x = sample();
    x.alu(AluOp::fadd, Ty::BOOL, &[x.yes.into(), x.yes.into()]);
    let found = validate(&x.s);
    assert!(found[0].to_string().contains("fadd %2, %2"), "{}", found[0]);
    assert_eq!(found[0].function, Some(x.main));
}

#[test]
fn rules_have_names_and_docs() {
    let names: BTreeSet<&str> = Rule::ALL.iter().map(|r| r.name()).collect();
    assert_eq!(names.len(), Rule::ALL.len());
    assert!(Rule::ALL.iter().all(|r| r.doc().trim().ends_with('.')));
}

#[test]
fn types_are_compared_apart_from_layout() {
    let x = sample();
    let mut types = x.s.types.clone();
    let laid_out = types.intern(Type::Array { elem: x.float, len: 4, stride: 16 });
    assert!(deref::same_shape(&types, laid_out, x.array));
    assert!(!deref::same_shape(&types, laid_out, x.block));
}

#[test]
fn generated_shaders_are_valid() {
    for seed in 0..300 {
        let shader = crate::generate::from_seed(seed, &Default::default());
        let found = validate(&shader);
        assert!(
            found.is_empty(),
            "seed {seed}: {}",
            found.iter().map(|v| format!("{v}\n")).collect::<String>()
        );
    }
}

#[test]
fn the_array_of_vertices_takes_no_slots() {
    let text = |stage: &str| {
        format!(
            "foil 1\nshader {stage} \"main\" {{\n  form variables\n  in vec4[1024] a location=0\n  fn main {{\n  b0:\n  }}\n}}\n"
        )
    };
    let rules = |stage: &str| -> Vec<Rule> {
        let shader = crate::text::parse(&text(stage)).expect("the text is right");
        validate(&shader).iter().map(|v| v.rule).collect()
    };
    assert_eq!(rules("geometry"), []);
    assert_eq!(rules("fragment"), [Rule::VariableLocation]);
}
