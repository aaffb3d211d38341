//! The language of rules: accepted and rejected rules, compiled code, and rules that are found wrong.

use airfoil_rules::prove::{Cache, Effort, Verdict, has_solver, hash, prove};
use airfoil_rules::{Rule, compile, parse};

fn rules(text: &str) -> Vec<Rule> {
    parse("test.rules", text).expect("the rules parse")
}

fn verdict(text: &str) -> Verdict {
    prove(&rules(text)[0], &Effort { samples: 20_000, timeout_ms: 20_000 })
}

#[test]
fn errors_name_the_line() {
    let error = |text: &str| match parse("test.rules", text) {
        Err(e) => e.to_string(),
        Ok(rules) => compile(&rules).expect_err("an error").to_string(),
    };
    for (text, expected) in [
        ("a: fadd(a => a", "test.rules:1: rule `a`: expected `)`"),
        ("\na: nop(a) => a", "test.rules:2: rule `a`: unknown operation `nop`"),
        ("a: fadd(a, 0) => a", "expected a float, found an integer"),
        ("a: iadd(a, 0.0) => a", "expected an integer, found a float"),
        ("a: fadd(a, b) => c", "the variable `c` does not occur in the pattern"),
        ("a: fneg(a, b) => a", "`fneg` has 1 operands, found 2"),
        ("a [fine]: fneg(a) => a", "`fine` is not a flag"),
        ("a: fneg(a) => a\na: fabs(a) => a", "test.rules:2: rule `a`: the name is used twice"),
        ("a: fneg(a) => i2f(f2i@M(a))", "the width of a part of the replacement is not known"),
        ("for x in a\n{x}: fneg(a) => a", "`for` without `end`"),
    ] {
        assert!(error(text).contains(expected), "{text}: {}", error(text));
    }
}

#[test]
fn too_many_rules_are_an_error() {
    let text: String = (0..40_000).map(|n| format!("r{n}: ior(iand(a, {n}), b) => b\n")).collect();
    let error = compile(&rules(&text)).expect_err("an error").to_string();
    assert!(error.contains("too many for the tables of the matcher"), "{error}");
}

#[test]
fn templates_and_comments() {
    let all = rules(
        "group: G\nsource: S\n# Doc.\nfor min max in imin imax, umin umax\n{min}_a:\n  {min}(a, {max}(a, b)) => a\nend\n",
    );
    let names: Vec<&str> = all.iter().map(|r| r.name.as_str()).collect();
    assert_eq!(names, ["imin_a", "umin_a"]);
    assert_eq!((all[1].group.as_str(), all[1].source.as_str(), all[1].line), ("G", "S", 5));
}

#[test]
fn orders_of_operands_are_not_repeated() {
    let count = |text: &str| compile(&rules(text)).expect("it compiles").num_variants();
    assert_eq!(count("a: fsub(a, a) => 0.0"), 1);
    assert_eq!(count("a: iadd(a, 0) => a"), 1);
    assert_eq!(count("a: iadd(ineg(a), a) => 0"), 2);
    assert_eq!(count("a: ior(inot(a), inot(b)) => inot(iand(a, b))"), 1);
    assert_eq!(count("a: ior(iand(a, b), iand(a, c)) => iand(a, ior(b, c))"), 4);
}

#[test]
fn wrong_rules_have_counterexamples() {
    let wrong = [
        "a: iadd(a, 1) => a",
        "a: ineg(iabs(a)) => a",
        "a: fadd(a, 0.0) => a",
        "a: fmul(a, 0.0) => 0.0",
        "a [nsz]: fmul(a, 0.0) => 0.0",
        "a [round]: fmul(a, fadd(b, 1.0)) => fmul(a, b)",
        "a: fmin(a, fmax(a, b)) => a",
        "a: inot(flt(a, b)) => fge(a, b)",
        "a: isign(ineg(a)) => ineg(isign(a))",
        "a: fsin(fneg(a)) => fsin(a)",
        "a: i2i@N(u2u@M(a@K)) => i2i@N(a)",
        "a: iand(a, #b) => a if ult(b, 0)",
    ];
    for text in wrong {
        let verdict = verdict(text);
        assert!(
            matches!(verdict, Verdict::Wrong(_)) || (!has_solver() && matches!(verdict, Verdict::Open(_))),
            "{text}: {verdict}"
        );
    }
}

#[test]
fn right_rules_are_proved() {
    for text in [
        "a: iadd(a, 0) => a",
        "a [nsz]: fadd(a, 0.0) => a",
        "a [nsz nnan ninf]: fmul(a, 0.0) => 0.0",
        "a [round nsz nnan ninf]: fadd(fmul(a, b), fmul(a, c)) => fmul(a, fadd(b, c))",
        "a: inot(flt(a, b)) => fgeu(a, b)",
        "a: fcos(fneg(a)) => fcos(a)",
    ] {
        let verdict = verdict(text);
        assert!(
            matches!(verdict, Verdict::Proved(_)) || (!has_solver() && matches!(verdict, Verdict::Open(_))),
            "{text}: {verdict}"
        );
    }
}

#[test]
fn the_cache_depends_on_text_and_flags() {
    let all = rules("a: fadd(a, 0.0) => a\nb [nsz]: fadd(a, 0.0) => a\nc: fsub(a, 0.0) => a");
    assert_ne!(hash(&all[0]), hash(&all[1]));
    let mut cache = Cache::default();
    cache.add(&all[1], "somehow");
    let read = Cache::parse(&cache.text(&all));
    assert_eq!(read.get(&all[1]), Some("b somehow"));
    assert_eq!((read.get(&all[0]), read.get(&all[2])), (None, None));
}
