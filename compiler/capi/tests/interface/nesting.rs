//! Shaders that are nested deeply, on a small stack.

use super::*;

/// Ten thousand levels of a construct: the start of a level, the innermost text, the end of a level.
const NESTED: [(&str, &str, &str, &str, &str); 13] = [
    ("parentheses", "float x = ", "(", "1.0", ")"),
    ("conditions", "float x = ", "(b ? ", "1.0", " : 2.0)"),
    ("signs", "float x = ", "-(", "1.0", ")"),
    ("not", "bool c = ", "!(", "b", ")"),
    ("blocks", "", "{", "f = 1.0;", "}"),
    ("if", "", "if (b) {", "f = 1.0;", "}"),
    ("else", "", "if (b) f = 2.0; else ", "f = 1.0;", ""),
    ("for", "", "for (int i = 0; i < 2; i++) {", "f = 1.0;", "}"),
    ("while", "", "while (b) {", "f = 1.0;", "}"),
    ("do", "", "do {", "f = 1.0;", "} while (b);"),
    ("switch", "", "switch (n) { case 1: ", "f = 1.0;", "}"),
    ("calls", "float x = ", "sin(", "1.0", ")"),
    ("indices", "int x = ", "a[", "0", "]"),
];

/// Other constructs, as whole shaders.
fn deep_shaders() -> Vec<(String, String)> {
    const LEVELS: usize = 10_000;
    let mut shaders: Vec<_> = NESTED
        .iter()
        .map(|(name, start, open, inner, close)| {
            let (open, close) = (open.repeat(LEVELS), close.repeat(LEVELS));
            let text = format!(
                "#version 430\nuniform bool b; uniform int n; float f; uniform int a[4];
                void main() {{ {start}{open}{inner}{close}; gl_Position = vec4(f); }}"
            );
            ((*name).to_owned(), text)
        })
        .collect();
    let arrays = format!("#version 430\nfloat x{} ; void main() {{ }}", "[1]".repeat(LEVELS));
    let initial = format!(
        "#version 430\nfloat x[1] = {}1.0{}; void main() {{ }}",
        "{".repeat(LEVELS),
        "}".repeat(LEVELS)
    );
    let structs = (0..LEVELS).fold("#version 430\nstruct S0 { float x; };\n".to_owned(), |text, n| {
        text + &format!("struct S{} {{ S{n} m; }};\n", n + 1)
    });
    let functions = (0..LEVELS).fold("#version 430\nfloat f0() { return 1.0; }\n".to_owned(), |text, n| {
        text + &format!("float f{}() {{ return f{n}() + 1.0; }}\n", n + 1)
    });
    let macros = (0..LEVELS).fold("#version 430\n#define M0 1.0\n".to_owned(), |text, n| {
        text + &format!("#define M{} (M{n})\n", n + 1)
    });
    shaders.extend([
        ("array dimensions".to_owned(), arrays),
        ("initializers".to_owned(), initial),
        ("structures".to_owned(), format!("{structs}uniform S{LEVELS} u; void main() {{ }}")),
        ("functions".to_owned(), format!("{functions}void main() {{ gl_Position = vec4(f{LEVELS}()); }}")),
        ("macros".to_owned(), format!("{macros}void main() {{ gl_Position = vec4(M{LEVELS}); }}")),
        (
            "directives".to_owned(),
            format!(
                "#version 430\n{}{}void main() {{ }}",
                "#if 1\n".repeat(LEVELS),
                "#endif\n".repeat(LEVELS)
            ),
        ),
        (
            "expressions in directives".to_owned(),
            format!(
                "#version 430\n#if {}1{}\n#endif\nvoid main() {{ }}",
                "(".repeat(LEVELS),
                ")".repeat(LEVELS)
            ),
        ),
        (
            "sums".to_owned(),
            format!(
                "#version 430\nuniform float f; void main() {{ gl_Position = vec4(f{}); }}",
                " + f".repeat(LEVELS)
            ),
        ),
    ]);
    shaders
}

/// Whatever nests 10,000 levels deep is a clear error on a thread with 128 KiB.
#[test]
fn deep_nesting_on_a_small_stack_is_an_error() {
    let run = || {
        let seen = Seen::default();
        let mut compiled = Vec::new();
        for (name, source) in deep_shaders() {
            let source = CString::new(source).unwrap();
            unsafe {
                let device = device(&seen);
                let shader = compile(device, AF_STAGE_VERTEX, &source);
                let shaders = [shader.cast_const()];
                let link =
                    AfLinkInfo { size: size_of::<AfLinkInfo>() as u32, separable: 1, ..std::mem::zeroed() };
                let mut program = null_mut();
                let result = af_program_link(device, 1, shaders.as_ptr(), &link, null(), &mut program);
                assert_eq!(result, AfResult::AF_SUCCESS, "{name}");
                let log = text(af_shader_log(shader)) + &text(af_program_log(program));
                if af_program_status(program) == 1 {
                    variant(program, AF_STAGE_VERTEX, null());
                    compiled.push(name);
                } else {
                    let first = log.lines().find(|l| l.contains("error: ")).unwrap_or_default();
                    let words = ["nest", "deep", "too many", "levels", "dimensions", "more than"];
                    assert!(words.iter().any(|w| first.contains(w)), "{name}: {first}");
                }
                af_program_release(program);
                af_shader_release(shader);
                af_device_release(device);
            }
        }
        assert!(seen.messages.lock().unwrap().is_empty(), "{:?}", seen.messages);
        compiled
    };
    let thread = std::thread::Builder::new().stack_size(128 << 10).spawn(run).unwrap();
    let compiled = thread.join().unwrap();
    // These are long rather than deep: a sum, functions that call one another, directives without code.
    assert_eq!(compiled, ["functions", "directives", "sums"]);
}
