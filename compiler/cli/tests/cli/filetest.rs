//! `airfoil test` and `airfoil fmt`.

use crate::run::Folder;

const SHADER: &str = "foil 1
shader vertex \"t\" {
  form slots

  fn main {
  b0:
    32x1 %0 = load_vertex_id
    32x1 %1 = iadd %0, %0
    store_output %0, %0 io=0 mask=x
  }
}
";

const WITHOUT_IADD: &str = "foil 1
shader vertex \"t\" {
  form slots

  fn main {
  b0:
    32x1 %0 = load_vertex_id
    store_output %0, %0 io=0 mask=x
  }
}
";

#[test]
fn tests_pass_fail_and_are_skipped() {
    let dir = Folder::new();
    dir.write("a.foil", format!("; RUN: airfoil opt --passes dce\n{SHADER}; EXPECT\n{WITHOUT_IADD}"));
    dir.write(
        "b.foil",
        format!("; RUN: airfoil opt %s --passes dce\n; CHECK: load_vertex_id\n; CHECK-NEXT: store\n{SHADER}"),
    );
    assert_eq!(dir.run(&["test", "."]).ok().stderr, "2 passed\n");
    dir.write("c.foil", format!("; RUN: airfoil opt --passes dce | no-such-tool\n; CHECK: x\n{SHADER}"));
    let skipped = dir.run(&["test", "."]).ok().stderr;
    assert!(skipped.contains("skipped: ./c.foil: `no-such-tool` is not installed"), "{skipped}");
    assert!(skipped.ends_with("2 passed, 1 skipped\n"), "{skipped}");
    dir.write("d.foil", format!("; RUN: airfoil opt --passes dce\n{SHADER}; EXPECT\n{SHADER}"));
    let words = ["failed: ./d.foil\n", "\n-     32x1 %1 = iadd %0, %0\n", "2 passed, 1 failed, 1 skipped\n"];
    dir.run(&["test", "."]).fails(1, &words);
    let only =
        dir.run(&["test", ".", "--filter", "d.foil", "--color", "always"]).fails(1, &["\x1b[31m-     32x1"]);
    assert!(!only.stderr.contains("c.foil"));
    let json = dir.run(&["test", ".", "--message-format", "json"]).fails(1, &[]).stderr;
    let results: Vec<serde_json::Value> =
        json.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let words: Vec<&str> = results[..4].iter().map(|line| line["result"].as_str().unwrap()).collect();
    assert_eq!(words, ["passed", "passed", "skipped", "failed"]);
    assert_eq!(results[4]["failed"], 1);
}

#[test]
fn outputs_are_blessed() {
    let dir = Folder::new();
    dir.write("a.foil", format!("; RUN: airfoil opt --passes dce\n{SHADER}"));
    dir.run(&["test", "a.foil"]).fails(1, &["--bless adds the output"]);
    assert_eq!(dir.run(&["test", "a.foil", "--bless"]).ok().stderr, "blessed: a.foil\n0 passed, 1 blessed\n");
    assert!(String::from_utf8(dir.read("a.foil")).unwrap().ends_with(&format!("; EXPECT\n{WITHOUT_IADD}")));
    dir.run(&["test", "a.foil"]).ok();
}

#[test]
fn errors_are_expected_by_code() {
    let dir = Folder::new();
    let shader = SHADER.replace("iadd %0, %0", "iadd %0, %7");
    dir.write("a.foil", format!("; RUN: airfoil check\n{shader}; EXPECT ERROR E0102\n"));
    dir.run(&["test", "a.foil"]).ok();
    dir.write("a.foil", format!("; RUN: airfoil check\n{shader}; EXPECT ERROR E0103\n"));
    dir.run(&["test", "a.foil"]).fails(1, &["expected error E0103, found:\nerror[E0102]"]);
    dir.run(&["test", "a.foil", "--bless"]).ok();
    dir.run(&["test", "a.foil"]).ok();
    dir.write("a.foil", format!("; RUN: airfoil check\n{SHADER}; EXPECT ERROR E0102\n"));
    dir.run(&["test", "a.foil", "--bless"]).fails(1, &["the last command succeeds"]);
    dir.write("a.foil", format!("; RUN: airfoil check\n{SHADER}; EXPECT ERROR an error\n"));
    dir.run(&["test", "a.foil"]).fails(1, &["expected a code such as E0504"]);
}

#[test]
fn stages_of_a_program_in_one_file() {
    let dir = Folder::new();
    dir.write(
        "pair.glsl",
        "// RUN: airfoil link %s --to metallib -o - | airfoil dis -\n// CHECK: define {{.*}} @vertex_main\n\
         // CHECK: define {{.*}} @fragment_main\n// --- a.vert\nvoid main() { gl_Position = vec4(1.0); }\n\
         // --- a.frag\nvoid main() { gl_FragColor = vec4(1.0); }\n",
    );
    dir.run(&["test", "pair.glsl"]).ok();
}

#[test]
fn wrong_usage_of_tests() {
    let dir = Folder::new();
    dir.run(&["test", "."])
        .fails(2, &["there are no tests", "Usage: airfoil test [OPTIONS] <FILE|FOLDER>..."]);
    dir.run(&["test", "missing"]).fails(2, &["missing: No such file"]);
    dir.run(&["test"]).fails(2, &["required"]);
    dir.write("a.foil", SHADER);
    dir.run(&["test", "a.foil"]).fails(1, &["has no `RUN` line"]);
}

#[test]
fn a_text_may_have_several_shaders() {
    let dir = Folder::new();
    let other = SHADER.replace("\"t\"", "\"u\"");
    dir.write("two.foil", format!("{SHADER}{other}"));
    let text = dir.run(&["opt", "two.foil", "--passes", "dce"]).ok().text();
    assert_eq!(text, format!("{WITHOUT_IADD}{}", WITHOUT_IADD.replace("\"t\"", "\"u\"")));
    let one = dir.run(&["opt", "two.foil", "--passes", "dce", "--entry", "u"]).ok().text();
    assert_eq!(one, WITHOUT_IADD.replace("\"t\"", "\"u\""));
    dir.run(&["opt", "two.foil", "--passes", "dce", "--entry", "x"])
        .fails(1, &["E0012", "t, vertex; u, vertex"]);
    dir.run(&["compile", "two.foil", "--to", "ll"]).fails(1, &["E0016", "2 shaders"]);
    let text = dir.run(&["compile", "two.foil", "--to", "foil"]).ok().text();
    assert_eq!(text.matches("shader vertex").count(), 2);
    // Messages have the lines of the file.
    dir.write("bad.foil", format!("{SHADER}{}", other.replace("iadd", "idda")));
    dir.run(&["opt", "bad.foil"]).fails(1, &["bad.foil:19:"]);
}

#[test]
fn files_are_formatted() {
    let dir = Folder::new();
    let messy = format!("; RUN: airfoil opt %s\n{}", SHADER.replace("    ", "").replace(" = ", "  =  "));
    dir.write("a.foil", &messy);
    dir.run(&["fmt", "a.foil", "--check"]).fails(1, &["error[E0017]: the file is not formatted", "a.foil"]);
    assert_eq!(dir.read("a.foil"), messy.as_bytes());
    dir.run(&["fmt", "a.foil"]).ok();
    let neat = format!("; RUN: airfoil opt %s\n{SHADER}");
    assert_eq!(String::from_utf8(dir.read("a.foil")).unwrap(), neat);
    dir.run(&["fmt", "a.foil", "--check"]).ok();
    assert_eq!(dir.run_with(&["fmt", "-"], messy.as_bytes(), &[]).ok().text(), neat);
    dir.write("b.foil", "foil 1\nshader");
    dir.run(&["fmt", "b.foil"]).fails(1, &["b.foil:2:"]);
    assert_eq!(dir.read("b.foil"), b"foil 1\nshader");
    dir.run(&["fmt", "-", "-"]).fails(2, &["twice"]);
}
