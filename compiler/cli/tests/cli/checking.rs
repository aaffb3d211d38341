//! `--check-each`, `bisect` and `reduce`. No registered pass is known to be wrong: wrong ones are tested in `compiler/check`.

use crate::run::Folder;

const SHADER: &str = r#"foil 1
shader fragment "many" {
  form variables
  in vec4 a location=0
  in vec4 b location=1
  out vec4 color location=0
  fn main {
    function_temp vec4 t
  b0:
    %0 = deref_var &a
    32x4 %1 = load_deref %0
    %2 = deref_var &b
    32x4 %3 = load_deref %2
    32x4 %4 = fmul %1, %3
    %5 = deref_var &t
    store_deref %5, %4
    32x4 %6 = load_deref %5
    32x4 %7 = fsin %6
    32x4 %8 = fadd %7, %1
    %9 = deref_var &color
    store_deref %9, %8
  }
}
"#;

const TASK: &str =
    "foil 1\nshader task \"t\" {\n  form variables\n  fn main {\n  b0:\n    32x1 %0 = const 0\n  }\n}\n";

fn folder() -> Folder {
    let dir = Folder::new();
    dir.write("many.foil", SHADER);
    dir.write("task.foil", TASK);
    dir
}

#[test]
fn passes_are_checked_by_execution() {
    let dir = folder();
    let checked = dir.run(&["opt", "many.foil", "--check-each"]).ok();
    assert_eq!(checked.stdout, dir.run(&["opt", "many.foil"]).ok().stdout);
    assert_eq!(checked.stderr, "");
    dir.run(&["compile", "many.foil", "--check-each", "-o", "many.ll"]).ok();
    // A shader that cannot be executed is reported once.
    let warned = dir.run(&["opt", "task.foil", "--check-each"]).ok().stderr;
    assert_eq!(warned.matches("warning[E0817]").count(), 1, "{warned}");
    assert!(warned.contains("the passes are not checked by executing the shader: "), "{warned}");
}

#[test]
fn bisection_says_that_all_is_well() {
    let dir = folder();
    let outcome = dir.run(&["bisect", "many.foil", "-o", "test.foil"]).ok();
    assert!(outcome.stderr.starts_with("no pass is at fault; "), "{}", outcome.stderr);
    assert!(outcome.stdout.is_empty() && !dir.files().contains(&"test.foil".to_string()));
    assert_eq!(dir.run(&["bisect", "many.foil", "--passes", "vars_to_ssa, dce", "-q"]).ok().stderr, "");
    assert!(dir.run(&["bisect", "task.foil"]).ok().stderr.contains("warning[E0817]"));
    // The shaders of a program, of which all are read.
    let program = dir.run(&["bisect", "many.foil", "task.foil"]).ok().stderr;
    assert!(program.contains("warning[E0817]"), "{program}");
    dir.run(&["bisect", "many.foil", "--passes", "dcee"]).fails(2, &["there is no pass `dcee`"]);
    dir.run(&["bisect", "none.foil"]).fails(1, &["error[E0001]"]);
}

#[cfg(unix)]
#[test]
fn a_command_guides_the_reduction() {
    let dir = folder();
    let check = ["reduce", "many.foil", "--check", "grep -q 'fsin %'", "-o", "small.foil"];
    let said = dir.run(&check).ok().stderr;
    assert!(said.starts_with("12 -> 2 instructions, ") && said.contains(" shaders tried"), "{said}");
    let small = String::from_utf8(dir.read("small.foil")).unwrap();
    let code: Vec<&str> = small.lines().filter(|l| l.trim_start().starts_with("32x")).collect();
    assert_eq!(code, ["    32x4 %0 = const 0, 0, 0, 0", "    32x4 %1 = fsin %0"], "{small}");
    assert!(!small.contains("location"), "{small}");
    // The same again, on the standard output.
    assert_eq!(dir.run(&check[..4]).ok().text(), small);
    let stopped = dir.run(&["reduce", "many.foil", "--check", "grep -q fsin", "--tries", "3"]).ok();
    assert!(stopped.stderr.ends_with("3 shaders tried; stopped by a limit\n"), "{}", stopped.stderr);
    dir.run(&["reduce", "many.foil", "--check", "grep -q fcos"]).fails(1, &["error[E0818]", "exit status 0"]);
    dir.run(&["reduce", "many.foil", "--check", "sleep 5", "--timeout", "0"]).fails(1, &["error[E0818]"]);
}

#[test]
fn reductions_that_cannot_start_say_why() {
    let dir = folder();
    dir.run(&["reduce", "many.foil", "--mismatch"]).fails(1, &["error[E0818]", "no pass changes"]);
    dir.run(&["reduce", "many.foil"]).fails(2, &["--check <CMD>"]);
    dir.run(&["reduce", "many.foil", "--check", "a", "--mismatch"]).fails(2, &["cannot be used with"]);
    dir.run(&["reduce", "many.foil", "--check", " "]).fails(2, &["the command is empty"]);
    dir.run(&["reduce", "many.foil", "--check", "no-such-program-here"])
        .fails(1, &["error[E0819]", "no such file"]);
}
