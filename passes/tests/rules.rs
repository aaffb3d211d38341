//! The algebraic rules: all are proved, each fires on an instance of its pattern and keeps the result.
//!
//! `AIRFOIL_BLESS=1` records the proofs of new rules in `passes/rules/proofs.txt`.

use airfoil_check::{Baseline, Choices, Compared, Runs};
use airfoil_interp::Tolerance;
use airfoil_ir::{
    AluFlags, AluOp, Builder, Form, Function, Index, InstrId, InstrKind, Intrinsic, IntrinsicOp, IoSemantics,
    Scalar, Shader, Slot, Src, Stage, Swizzle, Ty, text,
};
use airfoil_passes::manager::Options;
use airfoil_passes::{Manager, Pipeline, rules};
use airfoil_rules::prove::{Cache, Effort, Verdict, prove};
use airfoil_rules::syntax::{Condition, Expr};
use airfoil_rules::table::{Fact, Flags};
use airfoil_rules::types::{Lanes, Typed, Types};
use airfoil_rules::widths::{Assignment, assignments};
use airfoil_rules::{Rule, sample};

#[test]
fn every_rule_is_proved() {
    let all = rules::all();
    let mut cache = Cache::parse(rules::PROOFS);
    let (mut wrong, mut open) = (Vec::new(), Vec::new());
    for rule in &all {
        if cache.get(rule).is_some() {
            continue;
        }
        match prove(rule, &Effort::default()) {
            Verdict::Proved(how) => cache.add(rule, &how),
            Verdict::Wrong(example) => {
                wrong.push(format!("{}:{}: {}: {example}", rule.file, rule.line, rule.name))
            }
            Verdict::Open(reason) => open.push(format!("{}: {reason}", rule.name)),
        }
    }
    if std::env::var_os("AIRFOIL_BLESS").is_some() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/rules/proofs.txt");
        std::fs::write(path, cache.text(&all)).expect("proofs.txt is written");
    }
    assert!(wrong.is_empty(), "{} rules are wrong\n{}", wrong.len(), wrong.join("\n"));
    if airfoil_rules::prove::has_solver() {
        assert!(open.is_empty(), "{} rules are not proved\n{}", open.len(), open.join("\n"));
    } else if !open.is_empty() {
        skipped(&open);
    }
}

#[allow(clippy::print_stderr)]
fn skipped(open: &[String]) {
    eprintln!(
        "SKIPPED: {} rules are not proved, because z3 is not installed: {}",
        open.len(),
        open.join(", ")
    );
}

#[test]
fn there_are_rules_of_all_groups() {
    let all = rules::all();
    assert!(all.len() >= 400, "{}", all.len());
    let mut groups: Vec<&str> = all.iter().map(|r| r.group.as_str()).collect();
    groups.dedup();
    assert!(groups.len() >= 10, "{groups:?}");
    for rule in &all {
        assert!(!rule.group.is_empty() && !rule.source.is_empty(), "{} has no group or source", rule.name);
    }
}

/// An instance of a pattern: variables are inputs, constants satisfy the conditions.
struct Instance<'a> {
    rule: &'a Rule,
    types: &'a Types,
    widths: &'a Assignment,
    vars: Vec<InstrId>,
}

impl Instance<'_> {
    fn bits(&self, class: usize) -> u8 {
        self.widths.bits(self.types, class)
    }

    /// A value of a shape that depends on an input.
    fn input(&self, b: &mut Builder<'_>, index: u32, ty: Ty, fact: Option<Fact>) -> InstrId {
        let zero = b.imm_u32(0);
        let io = IoSemantics::new(Slot::generic(index).expect("a slot"));
        let float = fact.is_some()
            || matches!(ty.bits, 16 | 32 | 64) && self.types.is_float(self.types.vars[index as usize]);
        let scalar = if float { Scalar::Float32 } else { Scalar::int(32, false) };
        let load = Intrinsic::new(IntrinsicOp::load_input, &[zero])
            .with(Index::Io, io)
            .with(Index::DestType, scalar);
        let wide = Ty::new(ty.comps, 32);
        let mut value = b.insert(airfoil_ir::Instr::new(InstrKind::Intrinsic(load), wide));
        if let Some(fact) = fact {
            value = b.fsat(value);
            if fact == Fact::Integral {
                value = b.ffloor(value);
            }
        }
        let sized = |b: &mut Builder<'_>, op| {
            b.alu_of_shape(op, ty, 32, &[Src { value, swizzle: Swizzle::IDENTITY }])
        };
        match (ty.bits, float) {
            (32, _) => value,
            (1, _) => {
                let splat = Src { value: zero, swizzle: Swizzle::splat(0, ty.comps as usize) };
                b.alu_of_shape(AluOp::ine, ty, 32, &[Src { value, swizzle: Swizzle::IDENTITY }, splat])
            }
            (_, true) => sized(b, AluOp::f2f),
            (_, false) => sized(b, AluOp::u2u),
        }
    }

    fn build(&self, b: &mut Builder<'_>, expr: &Expr, typed: &Typed, lanes: u8) -> Src {
        let bits = self.bits(typed.class);
        let splat = |value| Src { value, swizzle: Swizzle::splat(0, lanes as usize) };
        match expr {
            Expr::Var(var, _) => {
                let value = self.vars[*var];
                if b.ty(value).comps == 1 { splat(value) } else { value.into() }
            }
            Expr::Int(value) => splat(b.imm(bits, *value as u64)),
            Expr::Float(value) => splat(b.imm_float(bits, *value)),
            Expr::Op { op, args, .. } => {
                let info = op.info();
                let srcs: Vec<Src> = args
                    .iter()
                    .zip(&typed.args)
                    .zip(info.operands)
                    .map(|((arg, typed), o)| {
                        self.build(b, arg, typed, if o.comps == 0 { lanes } else { o.comps })
                    })
                    .collect();
                let comps = if info.result.comps == 0 { lanes } else { info.result.comps };
                let ty = Ty::new(comps, bits);
                let mut alu = airfoil_ir::Alu::new(*op, comps, &srcs);
                alu.flags = AluFlags::empty();
                let id = b.insert(airfoil_ir::Instr::new(InstrKind::Alu(alu), ty));
                if comps == 1 { splat(id) } else { id.into() }
            }
            Expr::Comp(..) | Expr::Width(_) => unreachable!("not in patterns"),
        }
    }

    /// A vertex shader that stores the value of the pattern in its output.
    fn shader(mut self, values: &[airfoil_ir::Lanes]) -> Shader {
        let mut shader = Shader::new("rule", Stage::Vertex);
        shader.form = Form::Slots;
        let mut function = Function::new("main");
        let mut b = Builder::at_end(&mut function.body);
        b.raw = true;
        for (i, var) in self.rule.vars.iter().enumerate() {
            let comps = match self.types.lanes[i] {
                Lanes::Root => 1,
                Lanes::Fixed(n) => n,
            };
            let ty = Ty::new(comps, self.bits(self.types.vars[i]));
            let fact = self.rule.conditions.iter().find_map(|c| match c {
                Condition::Fact(fact, v) if *v == i && !matches!(fact, Fact::Variable | Fact::Single) => {
                    Some(*fact)
                }
                _ => None,
            });
            let value =
                if var.constant { b.constant(ty, values[i]) } else { self.input(&mut b, i as u32, ty, fact) };
            self.vars.push(value);
        }
        let root = self.build(&mut b, &self.rule.lhs, &self.types.lhs, 1);
        let ty = b.ty(root.value);
        let mut value = root.value;
        let (op, comps) = (AluOp::u2u, ty.comps);
        if ty.bits != 32 {
            let (wide, src) = (Ty::new(comps, 32), [Src { value, swizzle: Swizzle::IDENTITY }]);
            value = match ty.bits {
                1 => b.alu_of_shape(AluOp::b2i, wide, 1, &src),
                _ if self.types.is_float(self.types.lhs.class) => {
                    b.alu_of_shape(AluOp::f2f, wide, ty.bits, &src)
                }
                _ => b.alu_of_shape(op, wide, ty.bits, &src),
            };
        }
        let float = self.types.is_float(self.types.lhs.class) && ty.bits != 1;
        let zero = b.imm_u32(0);
        let store = Intrinsic::new(IntrinsicOp::store_output, &[value, zero])
            .with(Index::Io, IoSemantics::new(Slot::generic(0).expect("a slot")))
            .with(Index::WriteMask, u32::from(Ty::new(comps, 32).full_mask()))
            .with(Index::SrcType, if float { Scalar::Float32 } else { Scalar::int(32, false) });
        b.insert(airfoil_ir::Instr::new(InstrKind::Intrinsic(store), Ty::NONE));
        let id = shader.add_function(function);
        shader.entry = Some(id);
        shader
    }
}

/// A shader per assignment of widths that the rule has an instance for, with these widths of floats.
fn instances(rule: &Rule, floats: &[u8]) -> Vec<Shader> {
    let types = Types::of(rule).expect("the rule is well typed");
    let instance = |widths: &Assignment| {
        let values = sample::example(rule, &types, widths)?;
        Some(Instance { rule, types: &types, widths, vars: Vec::new() }.shader(&values))
    };
    // Numbers of some operations do not have all widths.
    let is_valid = |shader: &Shader| airfoil_ir::validate::validate(shader).is_empty();
    assignments(rule, &types, floats).iter().filter_map(instance).filter(is_valid).collect()
}

#[test]
fn each_rule_fires_on_its_pattern_and_keeps_the_result() {
    let mut failures = Vec::new();
    let mut count = 0;
    for rule in &rules::all() {
        let mut fired = false;
        // Other rounding of 16 bits is more than the tolerance.
        let floats: &[u8] = if rule.flags.intersects(Flags::ROUND) { &[32] } else { &[16, 32] };
        for shader in instances(rule, floats) {
            let fast = if rule.flags.intersects(Flags::FAST) { ", fast=true" } else { "" };
            let pipeline = format!("algebraic{{only={}{fast}}}", rule.name);
            let pipeline = Pipeline::parse(&pipeline).expect("a pipeline");
            let mut manager = Manager::new(Options { statistics: true, ..Options::checked() });
            let mut after = shader.clone();
            if let Err(faults) = manager.run(&pipeline, &mut after) {
                failures.push(format!("{}: {faults:?}", rule.name));
                break;
            }
            if manager.statistics().rules().is_empty() {
                continue;
            }
            fired = true;
            count += 1;
            let (runs, tolerance) = (Runs { seeds: 3, max_steps: 1000 }, Tolerance::default());
            let loose = rule.flags != Flags::default();
            let choices = Choices { rounds: true, nan_bits: true };
            let baseline = if loose {
                Baseline::loose(&shader, &runs, choices, tolerance)
            } else {
                Baseline::of(&shader, &runs)
            };
            let tolerance = if loose { tolerance } else { Tolerance::EXACT };
            if let Compared::Differs(mismatch) = baseline.compare(&after, tolerance) {
                failures.push(format!("{}: {mismatch}\n{}", rule.name, text::print(&after)));
                break;
            }
        }
        if !fired {
            failures.push(format!("{} never fires on its own pattern", rule.name));
        }
    }
    assert!(failures.is_empty(), "{} failures\n{}", failures.len(), failures.join("\n"));
    assert!(count > rules::TABLE.rules.len(), "{count}");
}

/// With all rules, each pattern becomes an expression that no rule changes: rules that undo each other would go on.
#[test]
fn rules_do_not_undo_each_other() {
    let plans = ["", "{fast=true}"].map(|options| {
        let text = format!("algebraic{options}, constant_folding, copy_prop, cse, dce");
        Pipeline::parse(&text).expect("a pipeline")
    });
    let (mut failures, mut most) = (Vec::new(), 0);
    for rule in &rules::all() {
        for shader in instances(rule, &[16, 32]) {
            for plan in &plans {
                let mut after = shader.clone();
                let mut fired = Vec::new();
                for turn in 0..=TURNS {
                    let mut manager = Manager::new(Options { statistics: true, ..Options::default() });
                    let _ = manager.run(plan, &mut after).expect("the rules apply");
                    fired = manager.statistics().rules().iter().map(|r| r.0.to_string()).collect();
                    if fired.is_empty() {
                        most = most.max(turn);
                        break;
                    }
                }
                if !fired.is_empty() {
                    let fired = fired.join(", ");
                    failures.push(format!(
                        "{}: {fired} after {TURNS} turns\n{}",
                        rule.name,
                        text::print(&after)
                    ));
                }
            }
        }
    }
    assert!(failures.is_empty(), "{} failures\n{}", failures.len(), failures.join("\n"));
    // A test in which nothing happens would not find a fault.
    assert!(most > 0);
}

/// Turns after which no rule may apply.
const TURNS: u32 = 6;
