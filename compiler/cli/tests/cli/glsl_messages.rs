//! Diagnostics about GLSL: locations, excerpts, the info log.

use crate::run::Folder;
use serde_json::Value;

const VERT: &str =
    "#version 330\nout vec3 normal;\nvoid main() { normal = vec3(0.0); gl_Position = vec4(0.0); }\n";
/// Its input does not fit the vertex shader's output.
const FRAG: &str =
    "#version 330\n// first\nin vec4 normal;\nout vec4 color;\nvoid main() { color = normal; }\n";

fn folder() -> Folder {
    let dir = Folder::new();
    dir.write("bad.frag", "#version 330\nout vec4 color;\nvoid main() {\n    color = nowhere;\n}\n");
    dir.write("n.vert", VERT);
    dir.write("n.frag", FRAG);
    dir
}

#[test]
fn places_are_quoted() {
    let outcome = folder().run(&["compile", "bad.frag", "--to", "ll"]).fails(1, &["error[E10", "nowhere"]);
    let excerpt = "\n  --> bad.frag:4:13\n   |\n 4 |     color = nowhere;\n   |             ^^^^^^^\n";
    assert!(outcome.stderr.contains(excerpt), "{}", outcome.stderr);
}

#[test]
fn the_info_log_of_a_driver() {
    let dir = folder();
    let log = dir.run(&["check", "bad.frag", "--message-format", "gl"]).fails(1, &["nowhere"]).stderr;
    assert!(log.starts_with("0:4(13): error: ") && log.lines().count() == 1, "{log}");
    // Names distinguish the shaders of a program.
    let args = ["check", "--link", "n.vert", "bad.frag", "--message-format", "gl"];
    assert!(dir.run(&args).fails(1, &[]).stderr.starts_with("bad.frag:4(13): error: "));
}

#[test]
fn short_and_json() {
    let dir = folder();
    dir.run(&["check", "bad.frag", "--message-format", "short"]).fails(1, &["bad.frag:4:13: error[E10"]);
    let line = dir.run(&["check", "bad.frag", "--message-format", "json"]).fails(1, &[]).stderr;
    let value: Value = serde_json::from_str(line.trim_end()).unwrap();
    let span = &value["spans"][0];
    assert_eq!((&span["file_name"], &span["line_start"]), (&"bad.frag".into(), &4.into()));
    let text = dir.read("bad.frag");
    let range = span["byte_start"].as_u64().unwrap() as usize..span["byte_end"].as_u64().unwrap() as usize;
    assert_eq!(&text[range], b"nowhere");
}

#[test]
fn linked_sources_are_quoted_each_from_its_own_text() {
    let dir = folder();
    // Both are wrong by themselves.
    dir.write("worse.vert", "#version 330\nvoid main() {\n    gl_Position = elsewhere;\n}\n");
    let outcome = dir.run(&["link", "worse.vert", "bad.frag", "-o", "p.metallib"]).fails(1, &[]);
    for part in [
        "--> worse.vert:3:19\n   |\n 3 |     gl_Position = elsewhere;",
        "--> bad.frag:4:13\n   |\n 4 |     color = nowhere;",
    ] {
        assert!(outcome.stderr.contains(part), "{}", outcome.stderr);
    }
    // Each is right, together they are not.
    for name in ["n.vert", "n.frag"] {
        dir.run(&["check", name]).ok();
    }
    let outcome =
        dir.run(&["link", "n.vert", "n.frag", "-o", "p.metallib"]).fails(1, &["error[E11", "normal"]);
    let (vert, frag) = (" 2 | out vec3 normal;", " 3 | in vec4 normal;");
    assert!(outcome.stderr.contains(vert) || outcome.stderr.contains(frag), "{}", outcome.stderr);
    assert!(
        outcome.stderr.contains("--> n.vert:2:") || outcome.stderr.contains("--> n.frag:3:"),
        "{}",
        outcome.stderr
    );
    dir.run(&["check", "--link", "n.vert", "n.frag"]).fails(1, &["error[E11"]);
    assert_eq!(dir.run(&["check", "n.vert", "n.frag"]).ok().stderr, "2 of 2 inputs are good\n");
    assert!(!dir.files().contains(&"p.metallib".to_string()));
}

#[test]
fn warnings_do_not_mix_with_the_product() {
    let dir = Folder::new();
    dir.write(
        "w.frag",
        "#version 130\n#extension GL_FOO_bar : enable\nout vec4 c;\nvoid main() { c = vec4(1.0); }\n",
    );
    let outcome = dir.run(&["compile", "w.frag", "--to", "ll"]).ok();
    assert!(outcome.text().starts_with("source_filename"));
    assert!(
        outcome.stderr.starts_with("warning[E06") && outcome.stderr.contains("--> w.frag:2:"),
        "{}",
        outcome.stderr
    );
    let log = dir.run(&["check", "w.frag", "--message-format", "gl"]).ok().stderr;
    assert!(log.starts_with("0:2(") && log.contains(": warning: "), "{log}");
}

#[test]
fn lines_with_other_numbers_are_not_quoted() {
    let dir = Folder::new();
    dir.write("l.frag", "#version 330\nout vec4 c;\n#line 1\nvoid main() { c = nowhere; }\n");
    let outcome = dir.run(&["check", "l.frag"]).fails(1, &["--> l.frag:1:19\n"]);
    assert!(!outcome.stderr.contains("#version"), "{}", outcome.stderr);
    dir.write("s.frag", "#version 330\nout vec4 c;\n#line 7 3\nvoid main() { c = nowhere; }\n");
    dir.run(&["check", "s.frag"]).fails(1, &["--> s.frag: 3:7:19\n"]);
    dir.run(&["check", "s.frag", "--message-format", "gl"]).fails(1, &["3:7(19): error: "]);
}

#[test]
fn bytes_that_are_no_utf_8_have_a_place() {
    let dir = Folder::new();
    dir.write("x.frag", b"// \xc3\xa4\n/* \xc3\xa4\xff */ void main() {}\n");
    dir.run(&["check", "x.frag"])
        .fails(1, &["error[E0004]: the source is not valid UTF-8", "--> x.frag:2:5\n"]);
}

#[test]
fn what_metal_has_not_of_a_stage_is_refused_in_words() {
    let dir = Folder::new();
    let lines = "#version 400\nlayout(isolines) in;\nvoid main() { gl_Position = gl_in[0].gl_Position; }\n";
    dir.write("e.tese", lines);
    dir.run(&["check", "e.tese", "--no-compile"]).ok();
    assert!(dir.run(&["opt", "e.tese", "-O0"]).ok().text().contains("shader tess_eval"));
    let refused = "`isolines` tessellation is not supported on Metal";
    dir.run(&["compile", "e.tese", "--to", "ll"]).fails(1, &[refused]);
}
