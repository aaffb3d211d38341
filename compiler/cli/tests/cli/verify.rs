//! `airfoil metallib verify`, and stages that are compiled one by one.

use crate::run::Folder;

const VERTEX: &str = "#version 450\nlayout(location = 0) out vec2 uv;\n\
    void main() { uv = vec2(gl_VertexIndex); gl_Position = vec4(uv, 0.0, 1.0); }\n";
const FRAGMENT: &str = "#version 450\nlayout(location = 0) in vec2 uv;\nlayout(location = 1) in vec4 tint;\n\
    layout(location = 0) out vec4 color;\nvoid main() { color = tint + uv.xyxy; }\n";

fn stages() -> Folder {
    let dir = Folder::new();
    dir.write("a.vert", VERTEX.as_bytes());
    dir.write("a.frag", FRAGMENT.as_bytes());
    dir.run(&["compile", "a.vert", "--vulkan", "-o", "v.metallib", "-o", "v.json"]).ok();
    dir.run(&["compile", "a.frag", "--vulkan", "-o", "f.metallib", "-o", "f.json"]).ok();
    dir
}

#[test]
fn libraries_are_checked_for_a_system() {
    let dir = stages();
    let text = dir.run(&["metallib", "verify", "v.metallib"]).ok().text();
    assert_eq!(text, "v.metallib: 1 function, loads from macOS 13\n");
    dir.run(&["metallib", "verify", "v.metallib", "--os", "macos26"]).ok();
    dir.run(&["metallib", "verify", "v.metallib", "--os", "macos12"])
        .fails(1, &["error[M0201]", "macos12 supports 2.4"]);
    let mut bytes = dir.read("v.metallib");
    bytes.extend([0; 16]);
    dir.write("long.metallib", &bytes);
    let short = dir
        .run(&["metallib", "verify", "long.metallib", "--message-format", "short"])
        .fails(1, &["error[M0102]: file size"]);
    assert_eq!(short.stderr.lines().count(), 1, "{}", short.stderr);
    let json = dir.run(&["metallib", "verify", "long.metallib", "--message-format", "json"]);
    let finding: serde_json::Value = serde_json::from_str(json.stderr.trim()).unwrap();
    assert_eq!((&finding["code"]["code"], &finding["level"]), (&"M0102".into(), &"error".into()));
    let summary: serde_json::Value = serde_json::from_str(json.text().trim()).unwrap();
    assert_eq!((&summary["findings"], &summary["loads_from"][0]), (&1.into(), &"macOS 13".into()));
}

#[test]
fn rules_are_explained() {
    let dir = Folder::new();
    let text = dir.run(&["explain", "m0311"]).ok().text();
    assert!(text.starts_with("M0311: ") && text.contains("Unknown attribute kind"), "{text}");
    assert!(text.contains("Applies: AIR before 2.6"), "{text}");
}

#[test]
fn the_interface_of_a_pair_is_checked_and_can_be_matched() {
    let dir = stages();
    dir.run(&["metallib", "verify", "f.metallib"]).ok();
    dir.run(&["metallib", "verify", "v.metallib", "f.metallib"])
        .fails(1, &["error[M0801]", "the input `user(locn1)` is not a result of"]);
    // The inputs that the fragment function requires are in its reflection.
    let required: serde_json::Value = serde_json::from_slice(&dir.read("f.json")).unwrap();
    let names: Vec<&str> = required["stages"][0]["inputs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|i| i["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["user(locn0)", "user(locn1)"]);
    dir.run(&["compile", "a.frag", "--vulkan", "--previous", "v.json", "-o", "m.metallib", "-o", "m.ll"])
        .ok();
    dir.run(&["metallib", "verify", "v.metallib", "m.metallib"]).ok();
    let text = String::from_utf8(dir.read("m.ll")).unwrap();
    assert!(text.contains("user(locn0)") && !text.contains("user(locn1)"), "{text}");
}
