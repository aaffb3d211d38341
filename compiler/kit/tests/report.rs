//! The judge on recorded, damaged and hostile results: never a panic, always a verdict.

use airfoil_kit::judge::Verdict;
use airfoil_kit::report::{Report, report};
use airfoil_kit::schema::{Case, CaseFunction, Element, Expect, Kind, OutputFile, Requires, SCHEMA};
use std::fs;
use std::path::{Path, PathBuf};

/// A folder that is removed at the end of a test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("airfoil-kit-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    fn write(&self, path: &str, bytes: impl AsRef<[u8]>) {
        let path = self.0.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

const DEVICE: &str = r#"{"runner":"check.swift","device":"Apple M3","macos":"26.6.2","build":"25G83","families":[1001,1009,5001],"paravirtual":false}"#;
const EXIT: &str = r#"{"status":0,"signal":0,"timeout":false,"log":"2026-11-23 check[1:2] Metal API Validation Enabled\n","crash":[]}"#;
const RUN: &str = r#"{"begun":"run","steps":[{"step":"load","ok":true},{"step":"function","ok":true},{"step":"pipeline","ok":true},{"step":"run","ok":true}],
    "functions":[{"name":"f","type":3}],"reflection":[],"outputs":[{"resource":"b","file":"b.bin"}]}"#;

fn case(name: &str) -> Case {
    Case {
        schema: SCHEMA,
        name: name.to_owned(),
        level: 1,
        title: "a case".to_owned(),
        kind: Kind::Run,
        target: "macos13".to_owned(),
        library: "lib.metallib".to_owned(),
        requires: Requires { macos: 13, ..Requires::default() },
        functions: vec![CaseFunction {
            name: "f".to_owned(),
            function_type: 3,
            reflection: serde_json::Value::Null,
        }],
        outputs: vec![OutputFile {
            resource: "b".to_owned(),
            file: "expected-b.bin".to_owned(),
            element: Element::F32,
            tolerance: "ulp:1".to_owned(),
        }],
        expect: Expect::Ok,
        constructs: vec!["air.buffer".to_owned()],
        ..Case::default()
    }
}

/// A kit with one case and good results.
fn kit(name: &str, case: &Case) -> Folder {
    let folder = Folder::new(name);
    folder.write("cases/000-a/case.json", serde_json::to_vec(case).unwrap());
    folder.write("cases/000-a/expected-b.bin", 1.5f32.to_le_bytes());
    folder.write("results/device.json", DEVICE);
    for variant in ["plain", "checked"] {
        folder.write(&format!("results/000-a/{variant}/exit.json"), EXIT);
        folder.write(&format!("results/000-a/{variant}/run.json"), RUN);
        folder.write(&format!("results/000-a/{variant}/b.bin"), 1.5f32.to_le_bytes());
    }
    folder
}

fn judged(folder: &Folder) -> (Verdict, String) {
    let report = report(&folder.0).unwrap();
    // Both forms can always be written.
    assert!(report.to_markdown().contains(&report.summary));
    assert_eq!(serde_json::from_str::<Report>(&report.to_json()).unwrap(), report);
    (report.cases[0].verdict, report.cases[0].reason.clone())
}

#[test]
fn good_results_are_ok() {
    let folder = kit("good", &case("000-a"));
    let found = report(&folder.0).unwrap();
    assert_eq!(
        found.summary,
        format!(
            "airfoil-kit {}: 1 ok, 0 fail, 0 skip; Apple M3, macOS 26.6.2 25G83, native",
            env!("CARGO_PKG_VERSION")
        )
    );
    assert_eq!(found.constructs, ["air.buffer"]);
    assert_eq!(judged(&folder).0, Verdict::Ok);
}

/// The change to the results of the plain run, the verdict, and a part of the reason.
#[test]
fn damaged_and_hostile_results() {
    let long = format!("{{\"log\":\"{}\"}}", "x".repeat(5 << 20));
    let deep = "[".repeat(100_000);
    let step = |step: &str, text: &str| {
        format!(
            r#"{{"begun":"{step}","steps":[{{"step":"{step}","ok":false,"domain":"MTLLibraryErrorDomain","code":1,"text":"{text}"}}]}}"#
        )
    };
    let output = |file: &str| RUN.replace("\"file\":\"b.bin\"", &format!("\"file\":\"{file}\""));
    let huge = RUN.replace("\"type\":3", "\"type\":99999999999999999999999999");
    let (load, pipeline) = (step("load", "Invalid library file"), step("pipeline", "a | b\\n<script>"));
    let nan = f32::NAN.to_le_bytes();
    let rows: Vec<(&str, &str, &[u8], Verdict, &str)> = vec![
        ("no exit", "exit.json", b"", Verdict::Missing, "exit.json"),
        ("no JSON", "exit.json", b"\xff\xfe{", Verdict::Missing, "exit.json"),
        ("a list", "run.json", b"[1, 2]", Verdict::Missing, "run.json"),
        ("long", "exit.json", long.as_bytes(), Verdict::Missing, "more than"),
        ("deep", "run.json", deep.as_bytes(), Verdict::Missing, "run.json"),
        ("huge number", "run.json", huge.as_bytes(), Verdict::Missing, "run.json"),
        (
            "negative type",
            "run.json",
            br#"{"functions":[{"name":"f","type":-1}]}"#,
            Verdict::Missing,
            "run.json",
        ),
        (
            "load error",
            "run.json",
            load.as_bytes(),
            Verdict::Fail,
            "load: MTLLibraryErrorDomain 1: Invalid library file",
        ),
        ("pipeline error", "run.json", pipeline.as_bytes(), Verdict::Fail, "a | b <script>"),
        ("timeout", "exit.json", br#"{"timeout":true}"#, Verdict::Fail, "timed out in step run"),
        (
            "signal",
            "exit.json",
            br#"{"signal":6,"log":"assertion"}"#,
            Verdict::Fail,
            "signal 6 in step run: assertion",
        ),
        ("status", "run.json", b"{}", Verdict::Fail, "without step load"),
        (
            "validation",
            "exit.json",
            br#"{"log":"-[MTLDebugDevice newBuffer]: failed assertion"}"#,
            Verdict::Fail,
            "validation layer",
        ),
        ("other bytes", "b.bin", &[0; 4], Verdict::Fail, "b: element 0 is 0.0"),
        ("NaN", "b.bin", &nan, Verdict::Fail, "NaN"),
        ("short", "b.bin", &[0; 3], Verdict::Fail, "3 bytes, expected 4"),
        ("empty", "b.bin", &[], Verdict::Fail, "0 bytes, expected 4"),
    ];
    let folder = kit("damaged", &case("000-a"));
    for (name, file, bytes, verdict, reason) in rows {
        let path = folder.0.join("results/000-a/plain").join(file);
        let good = fs::read(&path).unwrap();
        fs::write(&path, bytes).unwrap();
        let found = judged(&folder);
        assert_eq!(found.0, verdict, "{name}: {found:?}");
        assert!(found.1.contains(reason), "{name}: {found:?}");
        fs::remove_file(&path).unwrap();
        assert_eq!(judged(&folder).0, Verdict::Missing, "{name}: removed");
        fs::write(&path, good).unwrap();
    }
    for bad in [
        "../../../cases/000-a/expected-b.bin",
        "/etc/passwd",
        "",
        ".",
        "..",
        "a/b",
        "..\\\\b.bin",
        ".hidden",
        "b.bin\\u0000",
    ] {
        fs::write(folder.0.join("results/000-a/plain/run.json"), output(bad)).unwrap();
        let found = judged(&folder);
        assert_eq!(found.0, Verdict::Missing, "{bad}: {found:?}");
        assert!(found.1.contains("is not a name of a file"), "{bad}: {found:?}");
    }
    fs::write(folder.0.join("results/000-a/plain/run.json"), output("none.bin")).unwrap();
    assert_eq!(judged(&folder).0, Verdict::Missing);
    fs::write(folder.0.join("results/000-a/plain/run.json"), RUN).unwrap();
    assert_eq!(judged(&folder).0, Verdict::Ok);
    // A folder where a file belongs.
    let path = folder.0.join("results/000-a/plain/b.bin");
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    assert!(judged(&folder).1.contains("not a plain file"));
}

#[test]
fn damaged_kits() {
    let folder = Folder::new("kit");
    assert!(report(&folder.0).unwrap_err().contains("cases"));
    folder.write("cases/000-a/case.json", "{}");
    assert!(report(&folder.0).unwrap_err().contains("device.json"));
    folder.write("results/device.json", r#"{"macos":"x.y","families":[-1, 9223372036854775807]}"#);
    assert_eq!(judged(&folder).0, Verdict::Missing);
    let other = Case { schema: SCHEMA + 1, ..case("000-a") };
    folder.write("cases/000-a/case.json", serde_json::to_vec(&other).unwrap());
    assert!(judged(&folder).1.contains("has version 2"));
    // Paths and tolerances in a damaged case.
    for (file, tolerance, reason) in [
        ("../x", "exact", "not a name of a file"),
        ("expected-b.bin", "near", "is unknown"),
        ("none.bin", "exact", "none.bin"),
    ] {
        let folder = kit(
            "bad-case",
            &Case {
                outputs: vec![OutputFile {
                    resource: "b".to_owned(),
                    file: file.to_owned(),
                    element: Element::U32,
                    tolerance: tolerance.to_owned(),
                }],
                ..case("000-a")
            },
        );
        let found = judged(&folder);
        assert!(found.0 == Verdict::Missing && found.1.contains(reason), "{found:?}");
    }
}

#[test]
fn requirements_controls_and_expectations() {
    let with = |name: &str, change: &dyn Fn(&mut Case)| {
        let mut case = case("000-a");
        change(&mut case);
        kit(name, &case)
    };
    let folder = with("macos", &|c| c.requires.macos = 27);
    assert_eq!(judged(&folder), (Verdict::Skip, "requires macOS 27".to_owned()));
    let folder = with("family", &|c| {
        (c.requires.family, c.requires.family_name) = (Some(1010), Some("apple10".to_owned()))
    });
    assert_eq!(judged(&folder), (Verdict::Skip, "requires the GPU family apple10".to_owned()));
    let folder = with("control", &|c| c.control = Some("control.metal".to_owned()));
    assert_eq!(judged(&folder).0, Verdict::Ok);
    folder.write("results/000-a/control/exit.json", r#"{"signal":11}"#);
    assert_eq!(judged(&folder).0, Verdict::Device);

    let rejected = r#"{"steps":[{"step":"load","ok":false,"domain":"d","code":1,"text":"deployment target (0x00020063)"}]}"#;
    let folder = with("error", &|c| {
        c.expect =
            Expect::Error { steps: vec!["load".to_owned()], texts: vec!["deployment target".to_owned()] };
    });
    assert!(judged(&folder).1.contains("found none"));
    folder.write("results/000-a/plain/run.json", rejected);
    assert_eq!(judged(&folder).0, Verdict::Ok);
    folder.write("results/000-a/plain/run.json", rejected.replace("deployment", "other"));
    assert!(judged(&folder).1.contains("another error than expected"));
    folder.write("results/000-a/plain/exit.json", r#"{"timeout":true}"#);
    assert!(judged(&folder).1.contains("timed out"));

    let folder = with("open", &|c| c.expect = Expect::Open);
    assert_eq!(judged(&folder), (Verdict::Answer, "plain: accepted".to_owned()));
    folder.write("results/000-a/plain/run.json", rejected);
    assert!(judged(&folder).1.contains("rejected: load: d 1"));
    let report = report(&folder.0).unwrap();
    assert!(report.summary.contains("0 ok, 0 fail, 0 skip, 1 answer;"), "{}", report.summary);
    assert!(report.constructs.is_empty());
}

#[test]
fn reflection_is_compared() {
    let arguments = serde_json::json!({"arguments": [
        {"kind": "storage_buffer", "index": 0, "name": "b", "size": 16, "written": true},
        {"kind": "texture", "index": 2, "name": "t", "size": 0, "written": false},
        {"kind": "texture", "index": 3, "name": "inner", "size": 0, "written": false, "argument_buffer": 1},
    ]});
    let mut case = case("000-a");
    case.functions[0].reflection = arguments;
    let folder = kit("reflection", &case);
    let run = |reflection: &str| RUN.replace("\"reflection\":[]", &format!("\"reflection\":{reflection}"));
    let notes = |reflection: &str| {
        folder.write("results/000-a/plain/run.json", run(reflection));
        report(&folder.0).unwrap().cases[0].notes.clone()
    };
    let good = r#"[{"function":"f","name":"b","type":0,"index":0,"access":1,"used":true,"size":16},{"function":"f","name":"t","type":2,"index":2,"access":0,"used":true}]"#;
    assert!(notes(good).is_empty());
    assert!(notes("[]").is_empty());
    assert_eq!(
        notes(&good.replace("\"size\":16", "\"size\":8")),
        ["reflection: `b` has 8 bytes, expected 16"]
    );
    assert_eq!(
        notes(&good.replace("\"access\":1", "\"access\":0")),
        ["reflection: `b` has access 0, written is true"]
    );
    assert_eq!(
        notes(&good.replace("\"index\":2", "\"index\":5")),
        ["reflection: Metal does not list `t` at 2"]
    );
    let crash = EXIT.replace("\"crash\":[]", "\"crash\":[\"line one\",\"line two\"]");
    folder.write("results/000-a/plain/exit.json", crash);
    assert!(notes(good).iter().any(|n| n.contains("crash report: line one line two")));
}

/// Any bytes at all: truncations and changed bytes of good files.
#[test]
fn changed_bytes_never_panic() {
    let folder = kit("bytes", &case("000-a"));
    let files = [
        "results/device.json",
        "results/000-a/plain/exit.json",
        "results/000-a/plain/run.json",
        "cases/000-a/case.json",
    ];
    let mut verdicts = 0;
    for file in files.map(Path::new) {
        let good = fs::read(folder.0.join(file)).unwrap();
        for at in (0..good.len()).step_by(7) {
            for change in [
                |b: &mut Vec<u8>, at: usize| b.truncate(at),
                |b: &mut Vec<u8>, at: usize| b[at] = b[at].wrapping_add(13),
            ] {
                let mut bytes = good.clone();
                change(&mut bytes, at);
                fs::write(folder.0.join(file), bytes).unwrap();
                verdicts += report(&folder.0).map_or(1, |r| r.to_markdown().len().min(1));
            }
        }
        fs::write(folder.0.join(file), good).unwrap();
    }
    assert!(verdicts > 200, "{verdicts}");
    assert_eq!(judged(&folder).0, Verdict::Ok);
}

#[test]
fn answers_of_apples_tools_are_columns() {
    let folder = kit("tools", &case("000-a"));
    let many = vec![r#"{"tool":"x","status":0,"text":""}"#; 100].join(",");
    let long = "y".repeat(10_000);
    for (text, tools) in [
        (
            r#"[{"tool":"air-opt -verify","status":1,"text":"invalid AIR function | air.x\n"},{"tool":"metal-objdump -d","status":0,"text":""}]"#.to_owned(),
            2,
        ),
        (format!("[{many}]"), 4),
        (format!(r#"[{{"tool":"{long}","status":-1,"text":"{long}"}}]"#), 1),
        ("[".to_owned(), 0),
        (r#"{"tool":3}"#.to_owned(), 0),
    ] {
        folder.write("results/000-a/tools.json", &text);
        let report = report(&folder.0).unwrap();
        let judged = &report.cases[0];
        // They do not decide.
        assert_eq!((judged.verdict, judged.tools.len()), (Verdict::Ok, tools), "{text}");
        assert!(judged.tools.iter().all(|t| t.tool.len() < 500 && t.text.len() < 500));
        let page = report.to_markdown();
        assert_eq!(page.contains("## Apple's tools"), tools > 0);
        if tools == 2 {
            assert!(page.contains("| air-opt -verify | 0 | 1 |"), "{page}");
            assert!(page.contains("| 000-a | air-opt -verify | invalid AIR function \\| air.x |"), "{page}");
        }
    }
}
