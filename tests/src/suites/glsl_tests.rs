//! Tests of finding files in folders and of judging them, with files of their own.

use super::super::build::fake::Fake;
use super::*;

/// A folder that is removed at the end of a test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str, files: &[(&str, &str)]) -> Folder {
        let folder = std::env::temp_dir().join(format!("airfoil-{}-{name}", std::process::id()));
        for (file, text) in files {
            let path = folder.join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        Folder(folder)
    }

    /// Name, group and verdict of all cases.
    fn run(&self, suite: Suite) -> Vec<(String, &'static str, Verdict)> {
        let options = Options { suite, folder: self.0.clone(), vulkan: false };
        let mut judge = Judge::new(options.clone(), &Fake);
        let cases = cases(&options).unwrap();
        cases
            .into_iter()
            .map(|case| {
                let verdict = judge.run(&case.name).verdict;
                (case.name, case.group, verdict)
            })
            .collect()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn files_with_headers() {
    let head = |result: &str| format!("/* [config]\n * expect_result: {result}\n * glsl_version: 1.10\n");
    let good = head("pass") + " * [end config] */ good";
    let bad = head("fail") + " * [end config] */ good";
    let broken = head("fail");
    let folder = Folder::new(
        "headers",
        &[
            ("x/a.vert", &good),
            ("x/b.frag", &bad),
            ("c.frag", &broken),
            ("no_test.vert", "void main() {}"),
            ("readme.txt", &good),
        ],
    );
    let accepted = Verdict::Failed("accepted".into());
    let got = folder.run(Suite::PiglitParser);
    assert_eq!(got.len(), 3);
    assert!(got[0].0 == "c.frag" && matches!(&got[0].2, Verdict::Failed(r) if r.contains("[end config]")));
    assert_eq!(got[1], ("x/a.vert".into(), "expect pass", Verdict::Passed));
    assert_eq!(got[2], ("x/b.frag".into(), "expect fail", accepted));
}

#[test]
fn files_with_a_list() {
    let list = "a.vert\taccept\tgl\nb.vert\treject\tgl\nv.frag\taccept\tvulkan\n";
    let folder = Folder::new(
        "list",
        &[("EXPECT.tsv", list), ("a.vert", "bad"), ("b.vert", "bad"), ("v.frag", "good"), ("z.frag", "good")],
    );
    let got = folder.run(Suite::Glslang);
    let short: Vec<(&str, &str)> = got.iter().map(|(name, group, _)| (name.as_str(), *group)).collect();
    assert_eq!(short, [("a.vert", "gl accept"), ("b.vert", "gl reject"), ("v.frag", ""), ("z.frag", "")]);
    assert!(matches!(got[0].2, Verdict::Failed(_)));
    assert_eq!(got[1].2, Verdict::Passed);
    assert!(matches!(got[2].2, Verdict::Skipped(_)));
    assert_eq!(got[3].2, Verdict::Skipped("not in the list of verdicts".into()));
}

#[test]
fn test_files_and_imports() {
    let case = |name: &str, vertex: &str| {
        format!("case {name} expect compile_fail vertex \"\"{vertex}\"\" fragment \"\"f\"\" end\n")
    };
    let main = format!("group g 'words' {} import 'part.test' end", case("one", "bad"));
    let folder = Folder::new(
        "test",
        &[("main.test", &main), ("part.test", &case("two", "good")), ("wrong.test", "case")],
    );
    let got = folder.run(Suite::CtsBuild);
    assert_eq!(got[0], ("main.test:g.one".into(), "compile_fail", Verdict::Passed));
    assert_eq!(got[1], ("main.test:g.two".into(), "compile_fail", Verdict::Failed("accepted".into())));
    assert!(
        got[2].0 == "wrong.test:" && matches!(&got[2].2, Verdict::Failed(r) if r.contains("wrong.test:1:"))
    );
    assert_eq!(got.len(), 3, "imported cases do not run again");
    // A file instead of a folder.
    let options = Options { suite: Suite::CtsBuild, folder: folder.0.join("part.test"), vulkan: false };
    let cases = cases(&options).unwrap();
    assert_eq!(cases[0].name, ":two");
    assert_eq!(Judge::new(options, &Fake).run(":two").verdict, Verdict::Failed("accepted".into()));
}
