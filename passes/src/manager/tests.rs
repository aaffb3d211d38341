//! Tests of the manager.

use super::*;
use airfoil_ir::text;

const SHADER: &str = r#"foil 1
shader vertex "t" {
  form slots
  fn main {
  b0:
    32x1 %0 = const 0
    32x1 %1 = load_vertex_id
    32x1 %2 = iadd %1, %1
    32x1 %3 = imul %2, %2
    store_output %1, %0 io=0 mask=x
  }
}
"#;

fn shader() -> Shader {
    text::parse(SHADER).expect("parses")
}

fn pipeline(text: &str) -> Pipeline {
    Pipeline::parse(text).expect("parses")
}

#[test]
fn idle_passes_are_skipped() {
    let mut m = Manager::new(Options { statistics: true, ..Options::checked() });
    let p = pipeline("dce, copy_prop, dce, loop(copy_prop, dce)");
    assert!(m.run(&p, &mut shader()).is_ok_and(Changes::is_progress));
    let counts: Vec<_> = m.statistics().iter().map(|(n, s)| (n, s.runs, s.changed, s.skipped)).collect();
    assert_eq!(counts, [("dce", 1, 1, 2), ("copy_prop", 1, 0, 1)]);
    let instrs: Vec<_> = m.statistics().iter().map(|(_, s)| (s.before, s.after)).collect();
    assert_eq!(instrs, [(5, 3), (3, 3)]);
    assert!(m.statistics().to_string().contains("5 -> 3"));
}

#[test]
fn stops_after_so_many_passes() {
    let mut m = Manager::new(Options { stop_after: Some(1), ..Options::default() });
    let mut s = shader();
    assert_eq!(m.run(&pipeline("copy_prop, dce"), &mut s), Ok(Changes::NONE));
    assert_eq!((m.applied(), s.num_instrs()), (1, 5));
}

#[test]
fn dumps_have_the_headlines_that_viewers_read() {
    let mut out = Vec::new();
    let options = Options { dump_before: true, dump_after: true, ..Options::default() };
    let mut m = Manager::new(options).output(&mut out);
    assert!(m.run(&pipeline("dce, copy_prop"), &mut shader()).is_ok());
    drop(m);
    let text = String::from_utf8(out).unwrap_or_default();
    let heads: Vec<&str> = text.lines().filter(|l| l.contains("***")).collect();
    assert_eq!(
        heads,
        [
            "; *** IR Dump Before dce on t ***",
            "; *** IR Dump After dce on t ***",
            "; *** IR Dump Before copy_prop on t ***",
            "; *** IR Dump After copy_prop omitted because no change ***",
        ]
    );
}

#[test]
fn wrong_forms_are_refused() {
    let mut s = shader();
    s.form = airfoil_ir::Form::Variables;
    let errors = Manager::default().run(&pipeline("lower_conversions"), &mut s).expect_err("refused");
    assert!(errors[0].message.contains("takes a shader in form slots or target"), "{}", errors[0]);
}

#[test]
fn broken_shaders_are_found() {
    let mut s = shader();
    s.form = airfoil_ir::Form::Variables;
    let errors = Manager::new(Options::checked()).run(&pipeline("dce"), &mut s).expect_err("refused");
    assert!(errors[0].message.starts_with("before the first pass: "), "{}", errors[0]);
}

/// Passes that break their promises, each in its own way.
mod liars {
    use super::*;
    use crate::Pass;
    use airfoil_ir::{AluOp, Cursor, InstrKind, Jump};

    #[derive(Debug)]
    pub struct Liar {
        pub kind: Kind,
        pub info: PassInfo,
    }

    #[derive(Debug, Clone, Copy, PartialEq)]
    pub enum Kind {
        /// Changes, but reports no progress.
        Secretive,
        /// Reports progress, but changes nothing.
        Boastful,
        /// Changes control flow, but reports values only.
        Careless,
        /// Turns one operation into the other and back.
        Flip,
        /// Leaves an invalid shader.
        Breaker,
        /// Finds something in its second run only.
        Late,
    }

    impl Pass for Liar {
        fn info(&self) -> &PassInfo {
            &self.info
        }

        fn run(&self, shader: &mut Shader, _: &mut Context) -> Result<Changes, Diagnostic> {
            let Some(body) = shader.entry_body_mut() else { return Ok(Changes::NONE) };
            let find = |op: AluOp| body.all_instrs().find(|&i| body[i].as_alu().is_some_and(|a| a.op == op));
            match self.kind {
                Kind::Late if body.num_instrs() > 3 => return Ok(Changes::NONE),
                Kind::Late => {
                    let constant = body.all_instrs().find(|&i| body[i].as_const().is_some());
                    if let Some(id) = constant {
                        body.set_kind(id, InstrKind::Const([1; 4]));
                    }
                }
                Kind::Boastful => return Ok(Changes::VALUES),
                Kind::Careless => {
                    let first = body.entry();
                    let cf = body.insert_loop(Cursor::BlockEnd(first));
                    if let Some(l) = body.as_loop(cf) {
                        let block = l.body().first;
                        body.insert_jump(block, Jump::Break);
                    }
                }
                Kind::Breaker => {
                    if let Some(id) = find(AluOp::iadd) {
                        body.set_instr(id, InstrKind::Const([0; 4]), airfoil_ir::Ty::new(1, 64));
                    }
                }
                Kind::Secretive | Kind::Flip => {
                    let (from, to) = match find(AluOp::iadd) {
                        Some(id) => (Some(id), AluOp::isub),
                        None => (find(AluOp::isub), AluOp::iadd),
                    };
                    if let Some(id) = from {
                        body.edit(id, |i| {
                            if let InstrKind::Alu(a) = &mut i.kind {
                                a.op = to;
                            }
                        });
                    }
                }
            }
            Ok(match self.kind {
                Kind::Secretive => Changes::NONE,
                Kind::Boastful | Kind::Careless | Kind::Late => Changes::VALUES,
                Kind::Breaker | Kind::Flip => Changes::VALUES | Changes::AGAIN,
            })
        }
    }

    pub fn liar(kind: Kind) -> Liar {
        Liar { kind, info: PassInfo::new("liar", "", "") }
    }
}

#[test]
fn passes_that_lie_are_found() {
    use liars::{Kind, liar};
    for (kind, expected) in [
        (Kind::Secretive, "E0812]: pass `liar` reports no changes, but turns `32x1 %2 = iadd"),
        (Kind::Boastful, "E0812]: pass `liar` reports Changes(VALUES), but changed nothing"),
        (
            Kind::Careless,
            "E0812]: pass `liar` reports Changes(VALUES), but changed the control flow in `main`",
        ),
        (Kind::Breaker, "E0810]: after pass `liar`: "),
    ] {
        let p = Pipeline::of_pass(Box::new(liar(kind)));
        let errors = Manager::new(Options::checked()).run(&p, &mut shader()).expect_err("found");
        assert!(errors[0].to_string().contains(expected), "{kind:?}: {}", errors[0]);
    }
}

#[test]
fn passes_that_are_skipped_wrongly_are_found() {
    use liars::Kind;
    // `liar` finds something in every run, but does not read the kinds of changes that `dce` makes, and needs
    // constructs that the shader lacks.
    for info in [
        PassInfo::new("liar", "", "").reads(Changes::VARIABLES),
        PassInfo::new("liar", "", "").needs(crate::Constructs::PHI),
    ] {
        let liar = liars::Liar { kind: Kind::Late, info };
        let passes =
            [PassStep::new(Box::new(liar)), PassStep::new(Box::new(crate::opt::dce::Dce::default()))];
        let [a, b] = passes;
        let p = Pipeline::of_steps([a.clone(), b, a]);
        let errors = Manager::new(Options::checked()).run(&p, &mut shader()).expect_err("found");
        let expected =
            "E0823]: pass `liar` was skipped, but turns `32x1 %0 = const 0` into `32x1 %0 = const 1`";
        assert!(errors[0].to_string().contains(expected), "{}", errors[0]);
    }
}

#[test]
fn loops_that_do_not_settle_are_named() {
    use liars::{Kind, liar};
    let p = Pipeline::of_pass(Box::new(liar(Kind::Flip))).repeated(None);
    let errors = Manager::new(Options::checked()).run(&p, &mut shader()).expect_err("found");
    let text = errors[0].to_string();
    assert!(text.contains("does not settle within 100 rounds; `liar` keep"), "{text}");
    assert!(text.contains("turns `32x1 %2 = iadd %1, %1` into `32x1 %2 = isub %1, %1`"), "{text}");
    // A bound in the pipeline is a limit and no error.
    let p = Pipeline::of_pass(Box::new(liar(Kind::Flip))).repeated(Some(3));
    let mut m = Manager::new(Options::checked());
    assert!(m.run(&p, &mut shader()).is_ok_and(Changes::is_progress));
    assert_eq!(m.applied(), 3);
}

#[test]
fn outer_groups_clean_up_after_steps_before_inner_ones() {
    let mut m = Manager::new(Options { statistics: true, ..Options::checked() });
    // Only `dce` changes the shader, before the inner group.
    let p = pipeline("group(dce, group(copy_prop) then(cse)) then(constant_folding)");
    assert!(m.run(&p, &mut shader()).is_ok_and(Changes::is_progress));
    let runs: Vec<_> = m.statistics().iter().map(|(name, s)| (name, s.runs)).collect();
    assert_eq!(runs, [("dce", 1), ("copy_prop", 1), ("constant_folding", 1)]);
}

#[test]
fn observers_see_what_passes_leave_and_can_stop() {
    let mut seen = Vec::new();
    let mut m = Manager::default().observer(|applied, shader| {
        seen.push((applied.step.text().to_string(), applied.number, shader.num_instrs()));
        Err(Diagnostic::error("E0000", "enough"))
    });
    let p = pipeline("copy_prop, dce, cse");
    let stopped = m.run(&p, &mut shader()).map_err(|e| e[0].message.clone());
    let last = m.last().map(|step| step.text());
    assert_eq!((stopped, m.applied(), last), (Err("enough".into()), 2, Some("dce")));
    drop(m);
    assert_eq!(seen, [("dce".to_string(), 2, 3)], "`copy_prop` finds nothing, so there is nothing to see");
}

#[test]
fn followers_are_told_every_step() {
    let mut seen = Vec::new();
    let clock = || Duration::from_micros(7);
    let mut m = Manager::default().clock(clock).follower(|event| {
        seen.push(match event {
            Event::Chooses(step) => format!("choose {}", step.text()),
            Event::Skipped { step, .. } => format!("skip {}", step.text()),
            Event::Ran { step, changes, time, after, .. } => {
                assert_eq!(time, Duration::ZERO, "the clock stands still");
                format!("{} {} {}", step.text(), changes.is_progress(), after.num_instrs())
            }
        });
    });
    assert!(m.run(&pipeline("copy_prop, dce, copy_prop, match_interfaces"), &mut shader()).is_ok());
    drop(m);
    let chosen = ["choose match_interfaces", "write_outputs true 6"];
    assert_eq!(seen, [&["copy_prop false 5", "dce true 3", "skip copy_prop"][..], &chosen].concat());
}
