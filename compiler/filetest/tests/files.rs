//! Files as tests, with a runner that imitates commands.

use airfoil_filetest::{Finished, Missing, Options, Outcome, Runner, missing, run_all, run_file};
use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

/// `cat FILE...` prints files or its input, `fail CODE` fails, `names ARGS...` prints its arguments, `panic` panics as
/// `airfoil` does, `absent` is not installed.
struct Fake;

impl Runner for Fake {
    fn available(&self, words: &[String]) -> Result<(), Missing> {
        match words[0].as_str() {
            "absent" => Err(Missing("`absent` is not installed".to_string())),
            _ => Ok(()),
        }
    }

    fn run(&self, words: &[String], folder: &Path, input: &[u8]) -> Finished {
        let done = |output: Vec<u8>| Finished { code: Some(0), output, errors: "warning[E0100]: w\n".into() };
        match words[0].as_str() {
            "cat" if words.len() == 1 => done(input.to_vec()),
            "cat" => {
                done(words[1..].iter().flat_map(|w| fs::read(folder.join(w)).expect("a file")).collect())
            }
            "names" => done(format!("{}\n", words[1..].join("\n")).into_bytes()),
            "fail" => {
                let errors = format!("error[{}]: not a good shader\n", words[1]);
                Finished { code: Some(1), output: Vec::new(), errors }
            }
            "panic" => Finished { code: Some(101), ..Finished::default() },
            "signal" => Finished { code: None, ..Finished::default() },
            other => panic!("{other}"),
        }
    }
}

/// A test file in a folder of its own.
struct File(PathBuf);

impl File {
    fn new(name: &str, text: &str) -> File {
        use std::sync::atomic::{AtomicUsize, Ordering};
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let folder = std::env::temp_dir().join(format!("airfoil-filetest-{}-{number}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        fs::write(folder.join(name), text).expect("a file");
        File(folder.join(name))
    }

    fn run(&self) -> Outcome {
        run_file(&self.0, &Fake, Options::default())
    }

    fn bless(&self) -> (Outcome, String) {
        let outcome = run_file(&self.0, &Fake, Options { bless: true, ..Options::default() });
        (outcome, fs::read_to_string(&self.0).expect("a file"))
    }
}

impl Drop for File {
    fn drop(&mut self) {
        if let Some(folder) = self.0.parent() {
            let _ = fs::remove_dir_all(folder);
        }
    }
}

fn run(text: &str) -> Outcome {
    File::new("t.foil", text).run()
}

fn fails(text: &str, words: &str) {
    match run(text) {
        Outcome::Failed(message) => assert!(message.contains(words), "{text}: {message}"),
        other => panic!("{text}: {other:?}"),
    }
}

#[test]
fn lines_are_checked() {
    assert_eq!(run("; RUN: names a b\n; CHECK: a\n; CHECK-NEXT: b\n"), Outcome::Passed);
    fails(
        "; RUN: names a b\n; CHECK: b\n; CHECK-NEXT: a\n",
        "line 3: CHECK-NEXT: a: is not in the next line",
    );
    assert_eq!(run("; RUN[X]: names a\n; RUN[Y]: names b\n; X: a\n; Y-NOT: a\n"), Outcome::Passed);
    fails("; RUN[X]: names a\n; RUN[Y]: names b\n; X: a\n; Y: a\n", "line 4");
    // Several commands of one prefix make one output.
    assert_eq!(run("; RUN: names a\n; RUN: names b\n; CHECK: a\n; CHECK: b\n"), Outcome::Passed);
}

#[test]
fn whole_outputs_are_compared() {
    assert_eq!(run("; RUN: names a\n; EXPECT\na\nt.foil\n"), Outcome::Passed);
    fails("; RUN: names a\n; EXPECT\nb\nt.foil\n", "- b\n+ a\n  t.foil");
    // Names of values do not matter in shaders.
    let shader = |value: &str, io: u32| {
        format!(
            "foil 1\nshader vertex \"t\" {{\n  form slots\n  fn main {{\n  b0:\n    32x1 %{value} = load_vertex_id\n    \
             store_output %{value}, %{value} io={io} mask=x\n  }}\n}}\n"
        )
    };
    let test =
        |expected: String| format!("; RUN: cat %s\n; --- a.foil\n{}; EXPECT\n{expected}", shader("0", 1));
    assert_eq!(run(&test(shader("v", 1))), Outcome::Passed);
    fails(&test(shader("v", 2)), "io=2 mask=x\n+ ");
    fails(&test(shader("v", 1) + &shader("v", 1)), "- foil 1");
    fails(&test("foil 1".to_string()), "the expected output does not parse");
}

#[test]
fn errors_have_codes() {
    assert_eq!(run("; RUN: fail E0504\n; EXPECT ERROR E0504\n"), Outcome::Passed);
    assert_eq!(run("; RUN: fail E0504\n; EXPECT ERROR E0504 a good shader\n"), Outcome::Passed);
    fails("; RUN: fail E0504\n; EXPECT ERROR E0505\n", "expected error E0505");
    fails("; RUN: fail E0504\n; EXPECT ERROR E0504 bad\n", "contains `bad`");
    fails("; RUN: names a\n; EXPECT ERROR E0504\n", "the last command succeeds");
    fails("; RUN: fail E0504\n; CHECK: a\n", "fails:\nerror[E0504]");
    fails("; RUN: fail E0504\n; RUN: fail E0505\n; EXPECT ERROR E0505\n", "line 1: fail E0504");
    fails("; RUN: panic\n; EXPECT ERROR E0504\n", "panics");
    fails("; RUN: not signal\n; CHECK-NOT: a\n", "did not end by itself");
}

#[test]
fn commands_may_have_to_fail() {
    assert_eq!(run("; RUN: not fail E0504 2>&1\n; CHECK: error[E0504]\n"), Outcome::Passed);
    fails("; RUN: not names a\n; CHECK: a\n", "succeeds");
    fails("; RUN: not fail E0504\n; CHECK: error\n", "is not found");
}

#[test]
fn pipes_and_parts() {
    assert_eq!(run("; RUN: names a %s | cat | cat\n; CHECK: a\n; CHECK-NEXT: t.foil\n"), Outcome::Passed);
    fails("; RUN: fail E0504 | cat\n; CHECK: a\n", "fails");
    let parts = "// RUN: cat %s\n// RUN: names %s\n// CHECK: A\n// CHECK-NOT: {{.}}\n// CHECK: B\n// CHECK: a.vert\n\
                 // CHECK-NEXT: b.frag\n// --- a.vert\nA\n// --- b.frag\nB\n";
    assert_eq!(File::new("t.glsl", parts).run(), Outcome::Passed);
    // A command that names no file gets the test's, without the expected output.
    assert_eq!(run("; RUN: cat\n; EXPECT\n; RUN: cat\n"), Outcome::Passed);
}

#[test]
fn missing_tools_and_corpora_skip() {
    let reason = |text: &str| match run(text) {
        Outcome::Skipped(reason) => reason,
        other => panic!("{other:?}"),
    };
    assert_eq!(reason("; RUN: panic\n; RUN: names %s | absent\n; CHECK: a\n"), "`absent` is not installed");
    let file = File::new("t.foil", "; RUN: absent\n; CHECK: a\n");
    assert_eq!(missing(&file.0, &Fake).as_deref(), Some("`absent` is not installed"));
    let file = File::new("t.foil", "; RUN: names\n; CHECK: a\n");
    assert_eq!(missing(&file.0, &Fake), None);
    assert!(
        reason("; RUN: cat %corpus/no/such/file\n; CHECK: a\n").contains("AIRFOIL_CORPUS")
            || std::env::var_os("AIRFOIL_CORPUS").is_some()
    );
}

#[test]
fn files_without_expectation_fail_and_can_be_blessed() {
    fails("; RUN: names a\n", "--bless");
    fails("foil 1\n", "has no `RUN` line");
    let (outcome, text) = File::new("t.foil", "; RUN: names a").bless();
    assert_eq!((outcome, text.as_str()), (Outcome::Blessed, "; RUN: names a\n; EXPECT\na\nt.foil\n"));
    let (outcome, text) = File::new("t.foil", "; RUN: names a\n; EXPECT\nb\n").bless();
    assert_eq!((outcome, text.as_str()), (Outcome::Blessed, "; RUN: names a\n; EXPECT\na\nt.foil\n"));
    let (outcome, text) = File::new("t.foil", "; RUN: fail E0504\n; EXPECT ERROR E0001 x\n").bless();
    assert_eq!((outcome, text.as_str()), (Outcome::Blessed, "; RUN: fail E0504\n; EXPECT ERROR E0504\n"));
    let glsl = File::new("t.frag", "// RUN: names a %s\n");
    let (outcome, text) = glsl.bless();
    assert_eq!(
        (outcome, text.as_str()),
        (Outcome::Blessed, "// RUN: names a %s\n// EXPECT\n// a\n// t.frag\n")
    );
    assert_eq!(glsl.run(), Outcome::Passed);
    // Patterns are the author's.
    let checks = "; RUN: names a\n; CHECK: b\n";
    let (outcome, text) = File::new("t.foil", checks).bless();
    assert!(matches!(outcome, Outcome::Failed(_)) && text == checks);
    // A command that fails has no output to bless.
    let (outcome, _) = File::new("t.foil", "; RUN: fail E0504\n; EXPECT\nb\n").bless();
    assert!(matches!(outcome, Outcome::Failed(_)));
}

#[test]
fn many_files_are_reported_in_order() {
    let file = File::new("a.foil", "; RUN: names a\n; CHECK: a\n");
    let folder = file.0.parent().expect("a folder").to_path_buf();
    for (name, text) in
        [("b.foil", "; RUN: absent\n; CHECK: a\n"), ("c.foil", "; RUN: names c\n; CHECK: a\n"), ("d.txt", "")]
    {
        fs::write(folder.join(name), text).expect("a file");
    }
    fs::create_dir(folder.join("inputs")).expect("a folder");
    fs::write(folder.join("inputs/x.foil"), "no test").expect("a file");
    let files = airfoil_filetest::find(std::slice::from_ref(&folder)).expect("a folder");
    let mut seen = Vec::new();
    let jobs = NonZeroUsize::new(3).expect("not zero");
    run_all(&files, &Fake, Options::default(), jobs, |path, outcome| {
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        seen.push(format!("{name} {}", format!("{outcome:?}").split('(').next().unwrap_or_default()));
    });
    assert_eq!(seen, ["a.foil Passed", "b.foil Skipped", "c.foil Failed"]);
    assert!(airfoil_filetest::find(&[folder.join("none")]).is_err());
}
