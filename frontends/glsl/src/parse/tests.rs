//! Tests of the parser: syntax trees and error messages.

use super::parse;
use crate::diagnostics::Diagnostics;
use crate::preprocess::{PreprocessOptions, Preprocessed, preprocess};
use crate::syntax::*;
use crate::token::Interner;
use crate::version::{Profile, Version};
use bumpalo::Bump;

/// Parses, passes the tree to `test`, and returns the messages.
fn with<T>(source: &str, test: impl FnOnce(&TranslationUnit<'_>, &Interner) -> T) -> (T, Vec<String>) {
    let version = Version { number: 460, profile: Profile::Core };
    let options = PreprocessOptions { default_version: Some(version), ..PreprocessOptions::default() };
    let mut pre: Preprocessed = preprocess(&[source], &options);
    assert!(!pre.diagnostics.has_errors());
    let bump = Bump::new();
    let mut diags = Diagnostics::default();
    let tree = parse(&bump, &mut pre, &mut diags);
    let result = test(&tree, &pre.names);
    (result, diags.finish(&pre.lines).iter().map(ToString::to_string).collect())
}

fn faults(source: &str) -> Vec<String> {
    with(source, |_, _| ()).1
}

/// An expression with all parentheses.
fn show(e: &Expr<'_>, names: &Interner) -> String {
    let s = |e: &Expr<'_>| show(e, names);
    let list = |args: &[Expr<'_>]| args.iter().map(s).collect::<Vec<_>>().join(", ");
    match e.kind {
        ExprKind::Error => "?".into(),
        ExprKind::Ident(name) => names[name].into(),
        ExprKind::Const(_, bits) => bits.to_string(),
        ExprKind::Unary(op, a) => format!("({}{})", op.text(), s(a)),
        ExprKind::Step { increment, prefix, operand } => {
            let op = if increment { "++" } else { "--" };
            if prefix { format!("({op}{})", s(operand)) } else { format!("({}{op})", s(operand)) }
        }
        ExprKind::Binary(op, a, b) => format!("({} {} {})", s(a), op.text(), s(b)),
        ExprKind::Assign(op, a, b) => format!("({} {}= {})", s(a), op.map_or("", BinaryOp::text), s(b)),
        ExprKind::Select(c, a, b) => format!("({} ? {} : {})", s(c), s(a), s(b)),
        ExprKind::Comma(a, b) => format!("({}, {})", s(a), s(b)),
        ExprKind::Index(a, b) => format!("{}[{}]", s(a), s(b)),
        ExprKind::Member(a, name) => format!("{}.{}", s(a), &names[name.name]),
        ExprKind::Call(name, args) => format!("{}({})", &names[name.name], list(args)),
        ExprKind::Construct(ty, args) => {
            let dims: String =
                ty.dims.iter().map(|d| d.size.map_or("[]".into(), |e| format!("[{}]", s(e)))).collect();
            let name = match ty.kind {
                TypeKind::Named(name) => names[name].to_string(),
                _ => "type".to_string(),
            };
            format!("{name}{dims}({})", list(args))
        }
        ExprKind::Method(a, name, args) => format!("{}.{}({})", s(a), &names[name.name], list(args)),
    }
}

fn expression(source: &str) -> String {
    let (shown, faults) = with(&format!("void f() {{ {source}; }}"), |tree, names| match tree.items {
        [Item::Function(_, body)] => match body.stmts {
            [Stmt { kind: StmtKind::Expr(e), .. }] => show(e, names),
            other => format!("{other:?}"),
        },
        other => format!("{other:?}"),
    });
    assert_eq!(faults, Vec::<String>::new(), "{source}");
    shown
}

#[test]
fn operators_bind_as_the_specification_says() {
    let table = [
        ("a + b * c - d", "((a + (b * c)) - d)"),
        (
            "a || b ^^ c && d | e ^ f & g == h < i << j + k * l",
            "(a || (b ^^ (c && (d | (e ^ (f & (g == (h < (i << (j + (k * l)))))))))))",
        ),
        ("a = b = c ? d : e", "(a = (b = (c ? d : e)))"),
        ("a += b, c ? d, e : f = g", "((a += b), (c ? (d, e) : (f = g)))"),
        ("-a.x[1]++", "(-(a.x[1]++))"),
        ("!++a", "(!(++a))"),
        ("f(a, b)(c)", ""),
        ("a[b][c].d", "a[b][c].d"),
        ("a.length() + f(void)", "(a.length() + f())"),
        ("float[2](a, b)[i]", "type[2](a, b)[i]"),
        ("float[](a, b).length()", "type[](a, b).length()"),
        ("S[2](a, b)", "S[2](a, b)"),
        ("S[](a, b)[1]", "S[](a, b)[1]"),
        ("S[2][](a, b)", "S[2][](a, b)"),
    ];
    for (source, expected) in table {
        if expected.is_empty() {
            assert!(!faults(&format!("void f() {{ {source}; }}")).is_empty(), "{source}");
        } else {
            assert_eq!(expression(source), expected);
        }
    }
}

#[test]
fn declarations_are_told_from_expressions() {
    let kinds = |body: &str| {
        let (kinds, faults) = with(&format!("void f() {{ {body} }}"), |tree, _| match tree.items {
            [Item::Function(_, body)] => body
                .stmts
                .iter()
                .map(|s| if matches!(s.kind, StmtKind::Declaration(_)) { 'd' } else { 'e' })
                .collect::<String>(),
            _ => String::new(),
        });
        assert_eq!(faults, Vec::<String>::new(), "{body}");
        kinds
    };
    assert_eq!(
        kinds("S a; S[2] b; a[2] = c; S(1); float x; float(1); float[2] y; float[2](1, 2); const int z = 1;"),
        "ddeededed"
    );
    assert_eq!(kinds("a[b[1]] = c; S[b[1]] d; a; precision highp float; struct T { int x; } t;"), "ededd");
}

#[test]
fn what_stands_at_global_scope() {
    let source = "uniform B { vec4 a, b[2]; layout(offset = 16) mat4 c; } b[3]; layout(local_size_x = 4) in;\n\
                  invariant gl_Position, x; subroutine(t) void f(const in float x[2], out vec3); ; float;\n\
                  layout(shared, row_major) uniform; struct S { int a; } s = S(1), t[2] = { { 1 }, { 2, } };";
    let (items, faults) = with(source, |tree, _| {
        tree.items
            .iter()
            .map(|item| match item {
                Item::Declaration(d) => match d.kind {
                    DeclarationKind::Variables(_, names) => format!("vars{}", names.len()),
                    DeclarationKind::Prototype(p) => format!("proto{}", p.params.len()),
                    DeclarationKind::Precision { .. } => "precision".into(),
                    DeclarationKind::Block(b) => format!("block{}", b.fields.len()),
                    DeclarationKind::Qualifiers(q, names) => format!("q{}n{}", q.len(), names.len()),
                },
                Item::Function(..) => "function".into(),
                Item::Empty(_) => "empty".into(),
            })
            .collect::<Vec<_>>()
    });
    assert_eq!(faults, Vec::<String>::new());
    assert_eq!(items, ["block2", "q2n0", "q1n2", "proto2", "empty", "vars0", "q2n0", "vars2"]);
}

#[test]
fn faults_are_located_and_do_not_cascade() {
    let source =
        "void f() {\n  int a = ;\n  a = 1;\n  b = (2;\n  if (x { y; }\n  c = 3;\n}\nint g(;\nfloat h;\n";
    let found = faults(source);
    let places: Vec<&str> = found.iter().map(|f| f.split(": error").next().unwrap_or("")).collect();
    assert_eq!(places, ["2:11", "4:9", "5:9", "8:7"], "{found:?}");
    assert!(found[0].contains("unexpected `;`, expected an expression"), "{}", found[0]);
    assert_eq!(faults("void f() {").len(), 1);
    assert_eq!(faults("}").len(), 1);
    assert_eq!(faults("struct S { };").len(), 1);
    assert_eq!(faults("void f() { goto x; }").len(), 1);
}

#[test]
fn hostile_nesting_is_refused_and_long_chains_are_read() {
    for (open, close) in [("(", ")"), ("-", ""), ("a[", "]"), ("f(", ")"), ("a = ", ""), ("a ? ", " : b")] {
        let deep = |n: usize| format!("void f() {{ x = {}a{}; }}", open.repeat(n), close.repeat(n));
        assert_eq!(faults(&deep(100)), Vec::<String>::new(), "{open}");
        assert!(faults(&deep(100_000))[0].contains("nest deeper than 256 levels"), "{open}");
    }
    for (open, close) in [("{", "}"), ("if (a) ", ";"), ("for (;;) ", ";")] {
        let deep = format!("void f() {{ {}{} }}", open.repeat(50_000), close.repeat(50_000));
        assert!(faults(&deep)[0].contains("nest deeper than 256 levels"), "{open}");
    }
    assert!(
        faults(&format!("void f() {{ a{}; }}", ".x".repeat(100_000)))[0].contains("a chain has more than")
    );
    for (link, last) in [("a ? b : ", "c;"), ("if (a) ; else ", ";")] {
        let chain = |n: usize| format!("void f() {{ {}{last} }}", link.repeat(n));
        assert_eq!(faults(&chain(5000)), Vec::<String>::new(), "{link}");
        assert!(faults(&chain(100_000))[0].contains("a chain has more than"), "{link}");
        assert_eq!(faults(&chain(100_000)).len(), 1, "{link}");
    }
    assert_eq!(faults(&format!("void f() {{ x = a{}; }}", " + a".repeat(100_000))), Vec::<String>::new());
    assert_eq!(faults(&format!("void f() {{ a{}; }}", ", a".repeat(100_000))), Vec::<String>::new());
}
