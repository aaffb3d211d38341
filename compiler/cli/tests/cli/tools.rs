//! `passes`, `explain`, `metallib`, `completions`, `--help`, and the reports of `opt`.

use crate::run::Folder;

const COMMANDS: [&str; 20] = [
    "compile",
    "link",
    "opt",
    "check",
    "passes",
    "explain",
    "metallib",
    "inspect",
    "kit",
    "dis",
    "explore",
    "graph",
    "completions",
    "bisect",
    "reduce",
    "test",
    "fmt",
    "man",
    "stats",
    "sweep",
];

#[test]
fn help_has_examples() {
    let dir = Folder::new();
    let all = dir.run(&["--help"]).ok().text();
    for command in COMMANDS {
        assert!(all.contains(&format!("\n  {command} ")), "{command}");
        for flag in ["-h", "--help"] {
            let help = dir.run(&[command, flag]).ok().text();
            assert!(help.contains(&format!("Examples:\n  airfoil {command}")), "{help}");
            assert!(help.contains("Usage: airfoil "), "{help}");
        }
    }
    assert!(dir.run(&["--version"]).ok().text().starts_with("airfoil 0."));
}

#[test]
fn manual_pages() {
    let dir = Folder::new();
    let page = dir.run(&["man"]).ok().text();
    assert!(page.contains(".TH airfoil 1") && page.contains("airfoil\\-compile(1)"), "{page}");
    dir.run(&["man", "--out-dir", "man1"]).ok();
    for command in COMMANDS {
        let page = String::from_utf8(dir.read(&format!("man1/airfoil-{command}.1"))).unwrap();
        assert!(page.contains(".SH OPTIONS") && page.contains("Examples:"), "{page}");
    }
}

#[test]
fn completions_for_all_shells() {
    let dir = Folder::new();
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = dir.run(&["completions", shell]).ok().text();
        for word in COMMANDS.iter().chain(&["reserve-buffers", "metallib"]) {
            assert!(script.contains(word), "{shell}: {word}");
        }
    }
    dir.run(&["completions", "tcsh"]).fails(2, &["possible values"]);
}

#[test]
fn passes_are_listed_and_explained() {
    let dir = Folder::new();
    let list = dir.run(&["passes"]).ok().text();
    assert!(list.contains("\n  dce ") && list.contains("\nPresets:\n") && list.contains("\n  O2 "), "{list}");
    let json: serde_json::Value =
        serde_json::from_slice(&dir.run(&["passes", "--json"]).ok().stdout).unwrap();
    for pass in json["passes"].as_array().unwrap() {
        let name = pass["name"].as_str().unwrap();
        assert!(list.contains(&format!("\n  {name} ")), "{name}");
        assert!(dir.run(&["explain", name]).ok().text().contains("\n  requires "), "{name}");
    }
    assert!(dir.run(&["explain", "O2"]).ok().text().starts_with("O2: "));
    let code = dir.run(&["explain", "E0107"]).ok().text().to_string();
    assert!(code.starts_with("E0107: ") && code.contains("\nExample:\n  "), "{code}");
    assert!(dir.run(&["explain", "e0343"]).ok().text().contains("Specification: GLSL 4.60"));
}

#[test]
fn libraries_are_shown_taken_apart_and_verified() {
    let dir = Folder::new();
    dir.example("lit.vert.spv");
    let args = ["compile", "lit.vert.spv", "--target", "ios17", "-o", "a.metallib", "-o", "a.air"];
    dir.run(&args).ok();
    let report = dir.run(&["metallib", "--extract", "parts", "a.metallib"]).ok().text();
    for part in ["iOS 17", "vertex ", "float3", "... ok", ", 0 failed"] {
        assert!(report.contains(part), "`{part}` is missing in:\n{report}");
    }
    let parts: Vec<_> =
        std::fs::read_dir(dir.path().join("parts")).unwrap().map(|e| e.unwrap().path()).collect();
    assert_eq!(parts.len(), 1);
    assert_eq!(std::fs::read(&parts[0]).unwrap(), dir.read("a.air"));
    assert!(dir.run(&["metallib", "a.air"]).ok().text().starts_with("bitcode in a wrapper, "));

    // A changed byte of the module is seen; the report is still shown.
    let mut bytes = dir.read("a.metallib");
    let last = bytes.len() - 40;
    bytes[last] ^= 1;
    dir.write("b.metallib", &bytes);
    let outcome = dir.run(&["metallib", "b.metallib"]);
    assert_eq!(outcome.code, Some(1));
    assert!(
        outcome.text().contains("FAILED") && outcome.stderr.contains("error[E0007]"),
        "{}",
        outcome.stderr
    );

    dir.write("c.metallib", &bytes[..100]);
    dir.run(&["metallib", "c.metallib"]).fails(1, &["error[E0008]", "--> c.metallib: byte 0x"]);
    dir.run(&["metallib", "lit.vert.spv"]).fails(1, &["not the magic of a metallib"]);
    dir.run(&["metallib", "missing"]).fails(1, &["no such file"]);
}

#[test]
fn opt_reports_what_passes_do() {
    let dir = Folder::new();
    dir.example("lit.frag.spv");
    let outcome = dir
        .run(&["opt", "lit.frag.spv", "--print-before", "dce", "--time-passes", "--stats", "-o", "x.foil"])
        .ok();
    for part in ["*** IR Dump Before dce", "dce ", "runs", "instructions"] {
        assert!(outcome.stderr.contains(part), "`{part}` is missing in:\n{}", outcome.stderr);
    }
    assert!(!outcome.stderr.contains("IR Dump After"));
    dir.run(&["opt", "lit.frag.spv", "--stop-after", "0", "-o", "none.foil"]).ok();
    dir.run(&["opt", "lit.frag.spv", "--passes", "", "-o", "empty.foil"]).ok();
    assert_eq!(dir.read("none.foil"), dir.read("empty.foil"));
    assert_ne!(dir.read("none.foil"), dir.read("x.foil"));
    dir.run(&["opt", "lit.frag.spv", "--validate-each", "-o", "y.foil"]).ok();
    assert_eq!(dir.read("y.foil"), dir.read("x.foil"));
}

#[test]
fn modules_are_inspected_printed_packed_and_compared() {
    let dir = Folder::new();
    dir.example("lit.vert.spv");
    dir.run(&["compile", "lit.vert.spv", "-o", "a.metallib", "-o", "a.air", "-o", "a.ll", "-o", "a.bc"]).ok();
    let shown = dir.run(&["inspect", "a.metallib"]).ok().text();
    assert!(
        shown.starts_with("vertex ") && shown.contains("vertex_input") && shown.contains("AIR 2."),
        "{shown}"
    );
    let json: serde_json::Value =
        serde_json::from_slice(&dir.run(&["inspect", "a.air", "--json"]).ok().stdout).unwrap();
    let function = &json["modules"][0]["functions"][0];
    assert_eq!(function["stage"], "vertex");
    assert!(function["inputs"].as_array().unwrap().iter().any(|i| i["kind"] == "vertex_input"), "{json}");

    // The file reads back unchanged.
    let text = String::from_utf8(dir.read("a.ll")).unwrap();
    for file in ["a.air", "a.bc"] {
        assert_eq!(dir.run(&["dis", file]).ok().text(), text, "{file}");
    }
    let name = function["name"].as_str().unwrap();
    let printed = dir.run(&["dis", "a.metallib", "--function", name]).ok().text();
    assert_eq!(printed, format!("; function {name}\n{text}"));
    dir.example("lit.frag.spv");
    dir.run(&["compile", "lit.frag.spv", "-o", "f.metallib"]).ok();
    let described = dir.run(&["dis", "f.metallib", "--functions"]).ok().text();
    let about: Vec<&str> = described.lines().filter(|line| line.starts_with("; @air.")).collect();
    let declared = described.lines().filter(|line| line.starts_with("declare") && line.contains("@air."));
    assert!(!about.is_empty() && about.len() == declared.count(), "{described}");
    assert!(about.iter().all(|line| line.contains("; AIR ")), "{about:?}");
    dir.run(&["dis", "a.metallib", "--function", "none"]).fails(1, &["error[E0013]", name]);

    dir.run(&["metallib", "pack", "a.bc", "-o", "b.metallib"]).ok();
    assert_eq!(dir.read("b.metallib"), dir.read("a.metallib"));
    dir.run(&["metallib", "verify", "b.metallib"]).ok();
    assert_eq!(dir.run(&["metallib", "diff", "a.metallib", "b.metallib"]).ok().text(), "");
    dir.run(&["metallib", "extract", "b.metallib", "--out-dir", "parts"]).ok();
    assert_eq!(dir.read(&format!("parts/{name}.air")), dir.read("a.air"));
    let show = dir.run(&["metallib", "show", "a.metallib"]).ok().text();
    assert_eq!(show, dir.run(&["metallib", "a.metallib"]).ok().text());

    dir.run(&["compile", "lit.vert.spv", "--target", "macos14", "-o", "c.metallib"]).ok();
    let outcome = dir.run(&["metallib", "diff", "a.metallib", "c.metallib"]);
    assert_eq!(outcome.code, Some(1));
    assert!(outcome.text().contains("macosx14"), "{}", outcome.text());

    // A damaged module is rejected with its location.
    let mut bytes = dir.read("a.air");
    bytes.truncate(600);
    dir.write("d.air", &bytes);
    for command in ["inspect", "dis"] {
        dir.run(&[command, "d.air"]).fails(1, &["error[E0008]", "--> d.air: byte 0x"]);
    }
    dir.run(&["metallib", "pack", "a.metallib", "-o", "e.metallib"]).fails(1, &["error[E0006]"]);
}

#[test]
fn modules_that_do_not_go_together_are_refused() {
    let dir = Folder::new();
    dir.write("a.frag", "void main() { gl_FragColor = vec4(1.0); }");
    dir.write("a.vert", "attribute vec4 p; void main() { gl_Position = p; }");
    let make = |from: &str, target: &str, to: &str| {
        dir.run(&["compile", from, "--target", target, "-o", to]).ok();
    };
    make("a.frag", "macos10.14", "old.air");
    make("a.frag", "ios17", "ios.air");
    make("a.vert", "macos14", "new.air");
    // The library loads where both do, also where one is so old that its container does not name the system.
    for inputs in [["old.air", "new.air"], ["new.air", "old.air"]] {
        dir.run(&["metallib", "pack", inputs[0], inputs[1], "-o", "both.metallib"]).ok();
        let shown = dir.run(&["metallib", "show", "both.metallib"]).ok().text();
        assert!(shown.contains("macOS 14") && shown.contains(", 0 failed"), "{shown}");
    }
    let pack = |a: &str, b: &str, to: &str| dir.run(&["metallib", "pack", a, b, "-o", to]);
    pack("new.air", "ios.air", "x.metallib").fails(1, &["ios.air", "is for iOS, others are for macOS"]);
    std::fs::copy(dir.path().join("old.air"), dir.path().join("again.air")).unwrap();
    pack("old.air", "again.air", "x.metallib")
        .fails(1, &["E0014", "the function `fragment_main` is in old.air, too", "again.air"]);
    let before = dir.read("old.air");
    pack("old.air", "new.air", "old.air").fails(1, &["would be written over this module"]);
    assert_eq!(dir.read("old.air"), before);
}

/// Defect 14: stages of SPIR-V could not be linked, and their functions were all named `main`.
#[test]
fn defect_14_stages_of_spirv_share_a_library() {
    let dir = Folder::new();
    let stage = |model: &str, mode: &str| {
        format!(
            "OpCapability Shader\nOpMemoryModel Logical GLSL450\nOpEntryPoint {model} %main \"main\"\n{mode}
            %void = OpTypeVoid\n%fn = OpTypeFunction %void\n%main = OpFunction %void None %fn\n%entry = OpLabel
            OpReturn\nOpFunctionEnd\n"
        )
    };
    dir.write("a.vert.spvasm", stage("Vertex", ""));
    dir.write("b.frag.spvasm", stage("Fragment", "OpExecutionMode %main OriginUpperLeft"));
    let functions = |library: &str| {
        let shown = dir.run(&["metallib", "show", library]).ok().text();
        assert!(shown.contains("vertex_main") && shown.contains("fragment_main"), "{shown}");
    };
    // The order of the inputs does not matter.
    dir.run(&["compile", "b.frag.spvasm", "a.vert.spvasm", "-o", "p.metallib", "-o", "p.json"]).ok();
    functions("p.metallib");
    dir.run(&["link", "a.vert.spvasm", "b.frag.spvasm", "-o", "q.metallib"]).ok();
    functions("q.metallib");
    dir.run(&["compile", "a.vert.spvasm", "a.vert.spvasm", "-o", "x.metallib"])
        .fails(1, &["the program has two vertex shaders"]);
    dir.run(&["compile", "a.vert.spvasm", "--rename", "vertex_main", "-o", "v.air"]).ok();
    dir.run(&["compile", "b.frag.spvasm", "--rename", "fragment_main", "-o", "f.air"]).ok();
    dir.run(&["metallib", "pack", "v.air", "f.air", "-o", "r.metallib"]).ok();
    functions("r.metallib");
    dir.run(&["compile", "a.vert.spvasm", "b.frag.spvasm", "--rename", "one", "-o", "x.metallib"])
        .fails(1, &["`--rename` names one function"]);
}

/// Sizes of a folder as a table, CSV and JSON lines, and the difference of two runs.
#[test]
fn statistics_of_a_folder_and_their_difference() {
    let dir = Folder::new();
    let shader = |sum: &str| {
        format!(
            "foil 1\nshader compute \"c\" {{\nform slots\nworkgroup_size 1 1 1\nssbo B {{ uint[stride=4] data @0 }} b set=0 binding=0\n\
             fn main {{\n%b = deref_var &b\n32x1 %0 = const 0\n32x1 %1 = load_ssbo %b, %0 align=4\n{sum}\
             store_ssbo %1, %b, %0 mask=x align=4\n}}\n}}\n"
        )
    };
    std::fs::create_dir_all(dir.path().join("set/deep")).unwrap();
    dir.write("set/a.foil", shader("%2 = ineg %1\n%3 = iadd %1, %2\n"));
    dir.write("set/deep/b.foil", shader(""));
    dir.write("set/readme.txt", "not a shader");
    let lines = dir.run(&["stats", "set", "--pipeline", "dce", "--format", "csv"]).ok().text();
    let rows: Vec<&str> = lines.lines().collect();
    assert!(rows[0].starts_with("file,pipeline,instrs,alu,lanes,"), "{lines}");
    assert!(
        rows[1].starts_with("set/a.foil,dce,4,0,0,") && rows[2].starts_with("set/deep/b.foil,dce,4,"),
        "{lines}"
    );
    assert!(rows[3].starts_with("total,dce,8,") && rows.len() == 4, "{lines}");
    let json = dir.run(&[
        "stats",
        "set",
        "--pipeline",
        "remove_phis",
        "--format",
        "jsonl",
        "--time",
        "2",
        "--bytes",
    ]);
    let json = json.ok().text();
    let first: serde_json::Value = serde_json::from_str(json.lines().next().unwrap()).unwrap();
    assert_eq!((&first["file"], &first["instrs"]), (&"set/a.foil".into(), &6.into()));
    assert!(first["bytes"].as_u64() > Some(100) && first["us"].as_f64() > Some(0.0), "{first}");
    dir.write(
        "before.csv",
        dir.run(&["stats", "set", "--pipeline", "remove_phis", "--format", "csv"]).ok().text(),
    );
    dir.write("after.csv", &lines);
    let diff = dir.run(&["stats", "--diff", "before.csv", "after.csv", "--by", "instrs"]).ok().text();
    assert!(
        diff.contains("2 shaders in both runs")
            && diff.contains("best by instrs\n6 -> 4  -33.33 %  set/a.foil"),
        "{diff}"
    );
    let both = dir.run(&["stats", "set", "--pipeline", "remove_phis", "--pipeline", "dce"]).ok().text();
    assert!(both.contains("\nremove_phis -> dce\n2 shaders in both runs"), "{both}");
    dir.run(&["stats", "--diff", "before.csv"]).fails(2, &["compares two runs"]);
    dir.run(&["stats", "set", "--by", "beauty"]).fails(2, &["there is no size `beauty`", "lanes"]);
    dir.run(&["stats", "--diff", "before.csv", "set/readme.txt"])
        .fails(1, &["E0004", "expected a column `file`"]);
}

#[test]
fn rules_are_mined_from_shaders() {
    let dir = Folder::new();
    dir.example("fade.foil");
    let text = dir.run(&["rules", "mine", "fade.foil", "--time", "5"]).ok().text();
    assert!(text.starts_with("group: Mined\n"), "{text}");
}
