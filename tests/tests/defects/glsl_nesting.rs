//! Defect 12 for GLSL: source that nests deeply overflowed the stack of the calling thread, which aborts the process. Nesting of any
//! depth is compiled or rejected on a thread with 128 KiB of stack, and the limits count the levels that they name.

use airfoil_glsl::{ProgramOptions, Source, build};
use airfoil_ir::Stage;
use std::thread;

/// Builds a fragment shader on a thread with 128 KiB of stack; returns the codes and messages of errors.
fn build_on_small_stack(text: &str) -> Result<(), Vec<String>> {
    thread::scope(|scope| {
        let work = || {
            let source = Source { name: "", stage: Stage::Fragment, text };
            let built = build(&[source], &ProgramOptions::default());
            built
                .map(|_| ())
                .map_err(|list| list.iter().map(|d| format!("{} {}", d.code, d.message)).collect())
        };
        let thread = thread::Builder::new().stack_size(128 << 10).spawn_scoped(scope, work).unwrap();
        thread.join().unwrap()
    })
}

const HEAD: &str = "#version 430\nout vec4 c; uniform float u; uniform int n; uniform bool t;\n\
    float g(float x) { return x + u; }\n";

/// A shader whose `main` has these statements.
fn shader(body: &str) -> String {
    format!("{HEAD}void main() {{ float x = u; int i = n; {body} c = vec4(x, float(i), 0.0, 1.0); }}\n")
}

/// `open` and `close` around something, `depth` times.
fn around(depth: usize, open: &str, inside: &str, close: &str) -> String {
    open.repeat(depth) + inside + &close.repeat(depth)
}

type Shape = (&'static str, fn(usize) -> String);

const SHAPES: &[Shape] = &[
    ("parentheses", |n| shader(&format!("x = {};", around(n, "(", "u", ")")))),
    ("calls", |n| shader(&format!("x = {};", around(n, "g(", "u", ")")))),
    ("built-in functions", |n| shader(&format!("x = {};", around(n, "sin(", "u", ")")))),
    ("constructors", |n| shader(&format!("x = {};", around(n, "float(", "u", ")")))),
    ("prefix operators", |n| shader(&format!("x = {};", around(n, "- ", "u", "")))),
    ("right operands", |n| shader(&format!("x = {};", around(n, "u * (u + ", "u", ")")))),
    ("logical operators", |n| shader(&format!("if ({}) x = 1.0;", around(n, "t && (t || ", "t", ")")))),
    ("assignments", |n| shader(&format!("x {};", around(n, "= x ", "= u", "")))),
    ("conditions", |n| shader(&format!("x = {};", around(n, "t ? u : ", "1.0", "")))),
    ("conditions in the middle", |n| shader(&format!("x = {};", around(n, "t ? ", "u", " : 1.0")))),
    ("indices", |n| shader(&format!("int a[4]; a[0] = i; i = {};", around(n, "a[", "0", "]")))),
    ("blocks", |n| shader(&around(n, "{", "x += u;", "}"))),
    ("if", |n| shader(&around(n, "if (t) ", "x += u;", ""))),
    ("if with blocks", |n| shader(&around(n, "if (t) { ", "x += u;", "}"))),
    ("else", |n| shader(&around(n, "if (t) x = 1.0; else { ", "x += u;", "}"))),
    ("else if", |n| shader(&around(n, "if (t) x = 1.0; else ", "x += u;", ""))),
    ("for", |n| shader(&around(n, "for (int k = 0; k < n; k++) ", "x += u;", ""))),
    ("while", |n| shader(&around(n, "while (t) { ", "x += u;", " break; }"))),
    ("do", |n| shader(&around(n, "do { ", "x += u;", "} while (t);"))),
    ("switch", |n| shader(&around(n, "switch (n) { case 1: ", "x += u;", " break; }"))),
    ("sums", |n| shader(&format!("x = u{};", " + u".repeat(n)))),
    ("commas", |n| shader(&format!("x = (u{});", ", u".repeat(n)))),
    ("swizzles", |n| shader(&format!("x = c.x{};", ".x".repeat(n)))),
    ("initializer lists", |n| {
        shader(&format!("float a{} = {}; x = 1.0;", "[1]".repeat(n), around(n, "{", "u", "}")))
    }),
    ("arrays of arrays", |n| shader(&format!("float a{}; x = 1.0;", "[1]".repeat(n)))),
    ("structures", |n| {
        let nested: String = (1..n).map(|i| format!("struct S{i} {{ S{} a; }};\n", i - 1)).collect();
        format!(
            "#version 430\nstruct S0 {{ float a; }};\n{nested}uniform S{} s; out vec4 c; void main() {{ c = vec4(s == s); }}\n",
            n.max(1) - 1
        )
    }),
    ("structures in structures", |n| {
        format!(
            "#version 430\n{} s; void main() {{}}\n",
            around(n, "struct { ", "float a;", "} x;").trim_end_matches(" x;")
        )
    }),
    ("functions", |n| {
        let calls: String = (1..n.min(2000))
            .map(|i| format!("float f{i}(float x) {{ return f{}(x) + u; }}\n", i - 1))
            .collect();
        format!(
            "{HEAD}float f0(float x) {{ return x; }}\n{calls}void main() {{ c = vec4(f{}(u)); }}\n",
            n.clamp(1, 2000) - 1
        )
    }),
    ("arguments of macros", |n| {
        format!(
            "#version 430\n#define F(x) (x)\n{}",
            &shader(&format!("x = {};", around(n, "F(", "u", ")")))[13..]
        )
    }),
    ("macros", |n| {
        let defines: String = (1..n).map(|i| format!("#define M{i} M{}\n", i - 1)).collect();
        format!(
            "#version 430\n#define M0 1.0\n{defines}out vec4 c; void main() {{ c = vec4(M{}); }}\n",
            n.max(1) - 1
        )
    }),
    ("#if expressions", |n| {
        format!("#version 430\n#if {}\nvoid main() {{}}\n#endif\n", around(n, "(", "1", ")"))
    }),
    ("#if operators", |n| {
        format!(
            "#version 430\n#if {}\nvoid main() {{}}\n#else\nvoid main() {{}}\n#endif\n",
            around(n, "!", "1", "")
        )
    }),
    ("#if directives", |n| {
        format!("#version 430\n{}void main() {{}}\n{}", "#if 1\n".repeat(n), "#endif\n".repeat(n))
    }),
];

/// The shape that the language does not have.
const NEVER: &str = "structures in structures";

/// Limits of the front end, as codes.
const LIMITS: &[&str] = &["E0702", "E0614", "E0625", "E1004", "E1005"];

#[test]
fn defect_12_nesting_of_any_depth_is_compiled_or_rejected() {
    for (name, text) in SHAPES {
        for depth in [
            1, 5, 10, 14, 15, 16, 17, 20, 30, 40, 63, 64, 100, 128, 200, 254, 255, 256, 257, 400, 1000, 9000,
            50_000,
        ] {
            match build_on_small_stack(&text(depth)) {
                Ok(()) => {}
                Err(errors) => {
                    assert!(depth > 16 || *name == NEVER, "{name} at depth {depth}: {errors:?}");
                    let limit = |e: &String| LIMITS.iter().any(|code| e.starts_with(code));
                    assert!(errors.iter().any(limit), "{name} at depth {depth}: {errors:?}");
                }
            }
        }
    }
}

/// Blocks, assignments, operators, calls and parentheses count one level each: the body of `main` is the first.
#[test]
fn defect_12_limits_count_levels_and_name_the_limit() {
    for (name, most) in [
        ("parentheses", 254),
        ("calls", 254),
        ("prefix operators", 254),
        ("blocks", 254),
        ("if with blocks", 254),
    ] {
        let (_, text) = SHAPES.iter().find(|(other, _)| *other == name).unwrap();
        assert_eq!(build_on_small_stack(&text(most)), Ok(()), "{name}");
        let errors = build_on_small_stack(&text(most + 1)).unwrap_err();
        assert!(errors[0].contains("deeper than 256 levels"), "{name}: {errors:?}");
    }
    for (name, limit) in [("arguments of macros", 100), ("#if expressions", 200)] {
        let (_, text) = SHAPES.iter().find(|(other, _)| *other == name).unwrap();
        assert_eq!(build_on_small_stack(&text(limit - 1)), Ok(()), "{name}");
        let errors = build_on_small_stack(&text(limit + 1)).unwrap_err();
        assert!(errors[0].contains(&format!("deeper than {limit} levels")), "{name}: {errors:?}");
    }
}
