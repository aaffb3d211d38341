//! Tessellation: programs become kernels and a post-tessellation function, and report the buffers between them.

use crate::run::Folder;
use serde_json::{Value, json};

const VERT: &str = "#version 410
layout(location = 0) in vec4 p;
layout(location = 2) out vec2 uv;
void main() { gl_Position = p; uv = p.xy; }
";

const TESC: &str = "#version 410
layout(vertices = 4) out;
layout(location = 2) in vec2 uv[];
layout(location = 2) out vec2 at[];
void main() {
    at[gl_InvocationID] = uv[gl_InvocationID] + float(gl_PatchVerticesIn);
    gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;
    gl_TessLevelOuter[0] = gl_TessLevelOuter[1] = gl_TessLevelOuter[2] = gl_TessLevelOuter[3] = 2.0;
    gl_TessLevelInner[0] = gl_TessLevelInner[1] = 3.0;
}
";

const TESE: &str = "#version 410
layout(DOMAIN, fractional_even_spacing, cw) in;
layout(location = 2) in vec2 at[];
layout(location = 0) out vec2 uv;
void main() {
    vec3 t = gl_TessCoord;
    uv = at[0] * t.x + at[2] * t.y;
    gl_Position = mix(mix(gl_in[0].gl_Position, gl_in[1].gl_Position, t.x), mix(gl_in[3].gl_Position, gl_in[2].gl_Position, t.x), t.y);
}
";

const FRAG: &str = "#version 410
layout(location = 0) in vec2 uv;
layout(location = 0) out vec4 c;
void main() { c = uv.xyxy; }
";

fn folder(domain: &str) -> Folder {
    let dir = Folder::new();
    dir.write("a.vert", VERT);
    dir.write("a.tesc", TESC);
    dir.write("a.tese", TESE.replace("DOMAIN", domain));
    dir.write("a.frag", FRAG);
    dir
}

fn read(dir: &Folder, file: &str) -> Value {
    serde_json::from_slice(&dir.read(file)).unwrap()
}

#[test]
fn a_program_is_one_library() {
    let dir = folder("quads");
    for level in ["-O0", "-O2"] {
        let all = ["link", "a.vert", "a.tesc", "a.tese", "a.frag", level, "-o", "p.metallib", "-o", "p.json"];
        dir.run(&all).ok();
        let report = dir.run(&["metallib", "show", "p.metallib"]).ok().text();
        let lines = [
            "kernel vertex_main",
            "kernel tess_control_main",
            "vertex tess_eval_main",
            "fragment fragment_main",
        ];
        assert!(lines.iter().all(|l| report.contains(l)), "{report}");
        assert!(
            report.contains("patch       quad, 0 control points") && report.contains(", 0 failed"),
            "{report}"
        );
        let reflection = read(&dir, "p.json");
        let stages = &reflection["stages"];
        assert_eq!(
            stages[2]["patch"],
            json!({"domain": "quad", "partition": "fractional_even", "clockwise": true})
        );
        assert_eq!(stages[1]["workgroup_size"], json!([4, 1, 1]));
        // Writer and reader of a buffer have one layout.
        assert_eq!(stages[0]["records"][0], stages[1]["records"][0]);
        assert_eq!(stages[1]["records"][1], stages[2]["records"][0]);
        assert_eq!(stages[1]["records"][2], stages[2]["records"][1]);
        let slots = json!([{"slot": "position", "offset": 0}, {"slot": "2", "offset": 16}]);
        assert_eq!(stages[0]["records"][0]["slots"], slots);
        assert_eq!(stages[0]["records"][0]["per_patch"], 3);
        assert!(stages[3].get("records").is_none() && stages[3].get("patch").is_none());
    }
}

#[test]
fn stages_alone_have_options() {
    let dir = folder("triangles");
    let stage = |file: &str, more: &[&str]| {
        let mut all = vec!["compile", file, "-o", "o.metallib", "-o", "o.json"];
        all.extend(more);
        dir.run(&all).ok();
        read(&dir, "o.json")["stages"][0].clone()
    };
    assert_eq!(stage("a.vert", &[])["stage"], "vertex");
    let kernel = stage("a.vert", &["--vertex-kernel", "--bind", "65535,0=buffer:28"]);
    assert_eq!((&kernel["stage"], &kernel["arguments"][0]["index"]), (&json!("kernel"), &json!(28)));
    assert_eq!(kernel["inputs"][0]["role"], "stage_in");
    let control = stage("a.tesc", &["--patch-vertices", "5"]);
    assert_eq!((&control["stage"], &control["records"][0]["per_patch"]), (&json!("kernel"), &json!(5)));
    let evaluation = stage("a.tese", &["--patch-vertices", "4"]);
    assert_eq!(
        (&evaluation["patch"]["domain"], &evaluation["records"][0]["per_patch"]),
        (&json!("triangle"), &json!(4))
    );
    dir.run(&["check", "a.vert", "a.tesc", "a.tese", "a.frag", "--link"]).ok();
}

#[test]
fn what_metal_lacks_is_refused() {
    let dir = folder("isolines");
    for files in [&["a.tese"][..], &["a.vert", "a.tesc", "a.tese", "a.frag"]] {
        let mut all = vec!["compile"];
        all.extend(files);
        all.extend(["-o", "p.metallib"]);
        dir.run(&all).fails(1, &["E0343", "`isolines`"]);
    }
    let points = folder("quads, point_mode");
    points.run(&["compile", "a.tese", "-o", "p.metallib"]).fails(1, &["E0343", "`point_mode`"]);
    assert!(!points.path().join("p.metallib").exists());
}

const GEOM: &str = "#version 410
layout(lines) in;
layout(line_strip, max_vertices = 2) out;
layout(location = 0) in vec2 uv[];
layout(location = 0) out vec2 c;
void main() {
    for (int i = 0; i < 2; ++i) {
        gl_Position = gl_in[i].gl_Position;
        c = uv[i] + float(gl_PrimitiveIDIn);
        EmitVertex();
    }
}
";

#[test]
fn in_front_of_a_geometry_shader_everything_is_a_kernel() {
    let dir = folder("isolines");
    dir.write("a.geom", GEOM);
    let compile = |more: &[&str]| {
        let all: Vec<&str> =
            ["compile"].iter().chain(more).copied().chain(["-o", "p.metallib", "-o", "p.json"]).collect();
        dir.run(&all).ok();
        read(&dir, "p.json")["stages"].clone()
    };
    let stages = compile(&["a.vert", "a.tesc", "a.tese", "a.geom", "a.frag"]);
    let kinds: Vec<&str> = stages.as_array().unwrap().iter().filter_map(|s| s["stage"].as_str()).collect();
    assert_eq!(kinds, ["kernel", "kernel", "kernel", "mesh", "fragment"]);
    // Writer and reader have one layout, with the index of the patch.
    let made = &stages[2]["records"][3];
    assert_eq!((made, &made["buffer"]), (&stages[3]["records"][0], &json!("stage_vertices")));
    assert_eq!(made["slots"][2]["slot"], "primitive_id");
    assert_eq!(stages[2]["records"][2]["buffer"], "stage_tess_points");
    // Stages that come alone agree as well.
    let alone = |file| compile(&[file, "--tessellated-geometry"])[0]["records"].clone();
    let slots = &made["slots"];
    assert_eq!((&alone("a.tese")[3]["slots"], &alone("a.geom")[0]["slots"]), (slots, slots));
}

#[test]
fn air_draws_what_the_interpreter_does() {
    if !cfg!(any(feature = "llvm14", feature = "llvm19")) {
        return;
    }
    let dir = folder("quads");
    let draw = |engine: &str| {
        let image = format!("{engine}.png");
        let corners = "p=[[-0.9, -0.8, 0, 1], [0.9, -0.7, 0, 1], [0.7, 0.8, 0, 1], [-0.8, 0.9, 0, 1]]";
        let all = ["run", "a.vert", "a.tesc", "a.tese", "a.frag", "--attribute", corners];
        let all: Vec<&str> =
            all.into_iter().chain(["--size", "16x16", "-o", &image, "--engine", engine]).collect();
        dir.run(&all).ok();
        dir.read(&image)
    };
    let air = draw("air");
    assert_eq!(air, draw("interp"));
    dir.write("a.frag", FRAG.replace("uv.xyxy", "vec4(0)"));
    assert_ne!(air, draw("air"), "nothing is drawn");
}
