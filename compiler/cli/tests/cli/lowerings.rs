//! Optional lowerings from the command line: their effect on the library and its reflection.

use crate::run::Folder;
use serde_json::{Value, json};

const VERT: &str = "#version 450
layout(location = 0) in vec4 p;
layout(xfb_buffer = 1, xfb_stride = 32) out;
layout(location = 3, xfb_buffer = 1, xfb_offset = 16) out vec2 v;
void main() { gl_Position = p; gl_PointSize = 3.0; v = p.xy; }
";

const TESE: &str = "#version 450
layout(triangles) in;
void main() { gl_Position = gl_in[0].gl_Position * gl_TessCoord.x; gl_PointSize = 2.0; }
";

const FRAG: &str = "#version 450
layout(location = 0) out vec4 c;
void main() { c = gl_FragCoord + dFdy(gl_FragCoord.x) + (gl_FrontFacing ? 0.0 : gl_PointCoord.y); }
";

/// Compiles; returns the text of the first stage's module and the reflection of all.
fn compile(folder: &Folder, files: &[&str], more: &[&str]) -> (String, Value) {
    let outputs = ["-o", "p.metallib", "-o", "p.json"];
    folder.run(&[&["compile"], files, more, &outputs].concat()).ok();
    let text = folder.run(&["dis", "p.metallib"]).ok().text();
    (text, serde_json::from_slice(&folder.read("p.json")).unwrap())
}

/// The bindings of the driver's set that a stage has, with their names.
fn of_driver(reflection: &Value, stage: usize) -> Vec<(u64, String)> {
    let arguments = reflection["stages"][stage]["arguments"].as_array().unwrap();
    let of_set = arguments.iter().filter(|a| a["set"] == json!(65535));
    of_set.map(|a| (a["binding"].as_u64().unwrap(), a["name"].as_str().unwrap().to_owned())).collect()
}

#[test]
fn transform_feedback_captures_what_the_program_or_a_list_says() {
    let folder = Folder::new();
    folder.write("a.vert", VERT);
    let buffer = |n: u32| (u64::from(20 + n), format!("xfb_buffer_{n}"));
    let draw = (16, "xfb_draw".to_owned());
    let (_, none) = compile(&folder, &["a.vert"], &[]);
    assert_eq!(of_driver(&none, 0), []);
    let (_, own) = compile(&folder, &["a.vert"], &["--transform-feedback"]);
    assert_eq!(of_driver(&own, 0), [draw.clone(), buffer(1)]);
    let records = &own["stages"][0]["records"];
    let expected = json!([{"buffer": "xfb_buffer_1", "bytes": 32, "per_patch": 1, "slots": [{"slot": "3.xy", "offset": 16}]}]);
    assert_eq!(records, &expected);
    let list = "--transform-feedback=0.32.0.position.0.4|2.8.4.3.1.1";
    let (_, given) = compile(&folder, &["a.vert"], &[list]);
    assert_eq!(of_driver(&given, 0), [draw, buffer(0), buffer(2)]);
    assert_eq!(given["stages"][0]["records"][1]["slots"], json!([{"slot": "3.y", "offset": 4}]));
    for (list, words) in [
        ("0.32.0.position.0", "`0.32.0.position.0` is not `buffer.stride.offset.slot.component.components`"),
        ("4.32.0.position.0.4", "at most 4 buffers are supported"),
        ("0.8.0.position.0.4", "the capture exceeds the stride 8"),
        ("0.32.2.position.0.4", "multiples of 4"),
        ("0.32.0.nothing.0.4", "`nothing` is not a slot"),
        ("0.32.0.position.2.4", "a slot has only four components"),
    ] {
        let list = format!("--transform-feedback={list}");
        folder.run(&["compile", "a.vert", &list, "-o", "p.metallib"]).fails(2, &[words]);
    }
    // Of another stage than the vertex stage.
    folder.write("a.tese", TESE);
    let all = ["compile", "a.vert", "a.tese", "--transform-feedback=0.16.0.position.0.4", "-o", "p.metallib"];
    folder.run(&all).fails(1, &["E0345", "tess_eval stage requires a kernel of its own"]);
}

#[test]
fn the_window_of_fragments() {
    let folder = Folder::new();
    folder.write("a.frag", FRAG);
    let (given, reflection) = compile(&folder, &["a.frag"], &["--flip-window=600"]);
    assert_eq!(of_driver(&reflection, 0), []);
    let (_, reflection) = compile(&folder, &["a.frag"], &["--flip-window"]);
    assert_eq!(of_driver(&reflection, 0), [(18, "driver".to_owned())]);
    let (turned, _) = compile(&folder, &["a.frag"], &["--flip-window=600", "--flip-front-face"]);
    assert_ne!(turned, given);
    folder.run(&["compile", "a.frag", "--flip-front-face", "-o", "p.ll"]).fails(2, &["--flip-window"]);
    folder.run(&["compile", "a.frag", "--flip-window=70000", "-o", "p.ll"]).fails(2, &["70000"]);
    folder.run(&["compile", "a.frag", "--points", "maybe", "-o", "p.ll"]).fails(2, &["maybe", "yes", "no"]);
}

#[test]
fn parameters_of_draws_are_the_drivers() {
    let folder = Folder::new();
    folder.write(
        "a.vert",
        "#version 460\nvoid main() { gl_Position = vec4(gl_DrawID, gl_BaseVertex, 0, 1); }\n",
    );
    for more in [&[][..], &["--driver-base-vertex"]] {
        let (_, reflection) = compile(&folder, &["a.vert"], more);
        assert_eq!(of_driver(&reflection, 0), [(17, "draw".to_owned())]);
    }
}

#[test]
fn kernels_of_vertices_read_the_index_buffer() {
    let folder = Folder::new();
    folder.write(
        "a.vert",
        "#version 460\nvoid main() { gl_Position = vec4(gl_VertexID, gl_InstanceID, 0, 1); }\n",
    );
    let records = (0, "stage_vertices".to_owned());
    let (_, plain) = compile(&folder, &["a.vert"], &["--vertex-kernel"]);
    assert_eq!(of_driver(&plain, 0), std::slice::from_ref(&records));
    for bits in ["16", "32"] {
        let (_, indexed) = compile(&folder, &["a.vert"], &["--vertex-kernel", "--index-bits", bits]);
        assert_eq!(of_driver(&indexed, 0), [records.clone(), (5, "stage_indices".to_owned())]);
    }
    // A vertex function that draws gets the index from Metal.
    assert_eq!(of_driver(&compile(&folder, &["a.vert"], &["--index-bits", "16"]).1, 0), []);
    folder.run(&["compile", "a.vert", "--index-bits", "8", "-o", "p.ll"]).fails(2, &["16", "32"]);
}

#[test]
fn accesses_are_guarded() {
    let folder = Folder::new();
    let text = "#version 450
layout(local_size_x = 8) in;
layout(std430, binding = 0) buffer A { uint a[]; };
layout(r32ui, binding = 1) uniform uimage2D i;
void main() { a[gl_LocalInvocationIndex] = imageLoad(i, ivec2(gl_LocalInvocationIndex)).x; }
";
    folder.write("a.comp", text);
    let kinds = |more: &[&str]| {
        let (_, reflection) = compile(&folder, &["a.comp"], more);
        let arguments = reflection["stages"][0]["arguments"].as_array().unwrap();
        let kinds: Vec<String> = arguments.iter().map(|a| a["kind"].as_str().unwrap().to_owned()).collect();
        kinds.contains(&"buffer_sizes".to_owned())
    };
    assert!(!kinds(&[]) && kinds(&["--robust"]));
}

#[test]
fn textures_of_one_dimension() {
    let folder = Folder::new();
    let text = "#version 450
layout(binding = 0) uniform sampler1D t;
layout(location = 0) out vec4 c;
void main() { c = texture(t, 0.5); }
";
    folder.write("a.frag", text);
    let ty = |more: &[&str]| {
        let (_, reflection) = compile(&folder, &["a.frag"], more);
        reflection["stages"][0]["arguments"][0]["type"].as_str().unwrap().to_owned()
    };
    assert!(ty(&[]).starts_with("texture1d<"));
    assert!(ty(&["--texture-1d-as-2d"]).starts_with("texture2d<"));
}
