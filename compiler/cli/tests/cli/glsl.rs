//! GLSL: kinds, options, programs.

use crate::run::Folder;
use serde_json::Value;

const VERT: &str = "\
#version 330 core
in vec4 position;
out vec2 uv;
uniform mat4 transform;
void main() {
    uv = position.xy;
    gl_Position = transform * position;
}
";

const FRAG: &str = "\
#version 330 core
in vec2 uv;
out vec4 color;
uniform sampler2D image;
uniform vec4 tint;
vec4 shade(vec4 c);
void main() {
    color = shade(texture(image, uv) * tint);
}
";

/// A second object of the fragment stage.
const SHADE: &str = "#version 330 core\nvec4 shade(vec4 c) { return c.bgra; }\n";

const COMP: &str = "\
#version 430
layout(local_size_x = 8) in;
layout(std430, binding = 0) buffer Data { float values[]; };
void main() { values[gl_GlobalInvocationID.x] *= 2.0; }
";

fn folder() -> Folder {
    let dir = Folder::new();
    dir.write("a.vert", VERT);
    dir.write("a.frag", FRAG);
    dir.write("shade.frag", SHADE);
    dir.write("a.comp", COMP);
    dir
}

/// Files with a separate fragment shader.
fn plain(name: &str) -> Folder {
    let dir = Folder::new();
    dir.write(name, "void main() { gl_FragColor = vec4(1.0); }\n");
    dir
}

fn json(bytes: &[u8]) -> Value {
    serde_json::from_slice(bytes).unwrap()
}

/// Names of the functions in a library.
fn functions(dir: &Folder, library: &str) -> Vec<String> {
    let report = dir.run(&["metallib", "--extract", "parts", library]).ok().text();
    assert!(report.contains(", 0 failed"), "{report}");
    let parts = dir.path().join("parts");
    let mut names: Vec<String> = std::fs::read_dir(&parts)
        .unwrap()
        .map(|e| e.unwrap().file_name().into_string().unwrap().replace(".air", ""))
        .collect();
    names.sort();
    std::fs::remove_dir_all(parts).unwrap();
    names
}

#[test]
fn one_stage_is_a_library() {
    let dir = folder();
    for (name, function) in [("a.vert", "vertex_main"), ("a.comp", "compute_main")] {
        let outcome = dir.run(&["compile", name, "-o", "out.metallib", "-o", "out.json"]).ok();
        assert!(outcome.stdout.is_empty() && outcome.stderr.is_empty(), "{}", outcome.stderr);
        assert_eq!(functions(&dir, "out.metallib"), [function]);
        let reflection = json(&dir.read("out.json"));
        assert_eq!(reflection["stages"][0]["entry"], function);
        assert_eq!(reflection["stages"].as_array().unwrap().len(), 1);
    }
    // Missing parts of a separate object are reported.
    dir.run(&["compile", "a.frag", "-o", "bad.metallib"]).fails(1, &["shade", "a.frag"]);
    assert!(!dir.files().contains(&"bad.metallib".to_string()));
}

#[test]
fn every_kind_of_output_of_one_stage() {
    let dir = folder();
    let outputs = ["o.metallib", "o.air", "o.bc", "o.ll", "o.foil", "o.json"];
    let args: Vec<&str> =
        ["compile", "a.comp"].into_iter().chain(outputs.iter().flat_map(|o| ["-o", *o])).collect();
    dir.run(&args).ok();
    assert!(dir.read("o.metallib").starts_with(b"MTLB"));
    assert!(dir.read("o.bc").starts_with(b"BC\xc0\xde"));
    assert!(String::from_utf8(dir.read("o.ll")).unwrap().contains("@compute_main("));
    assert!(dir.read("o.foil").starts_with(b"foil 1"));
    let text = dir.run(&["opt", "a.comp", "-O0"]).ok().text();
    assert!(text.starts_with("foil 1\nshader compute \"compute_main\""), "{text}");
    // The text is an input again.
    dir.run(&["compile", "o.foil", "-O0", "--to", "ll"]).ok();
}

#[test]
fn several_sources_are_one_program() {
    let dir = folder();
    let program = ["a.vert", "a.frag", "shade.frag"];
    let with = |command: &[&'static str], more: &[&'static str]| -> Vec<&str> {
        command.iter().chain(&program).chain(more).copied().collect()
    };
    let outcome = dir.run(&with(&["compile"], &["-o", "p.metallib", "-o", "p.json"])).ok();
    assert!(outcome.stdout.is_empty() && outcome.stderr.is_empty(), "{}", outcome.stderr);
    assert_eq!(functions(&dir, "p.metallib"), ["fragment_main", "vertex_main"]);
    let reflection = json(&dir.read("p.json"));
    let entries: Vec<&Value> =
        reflection["stages"].as_array().unwrap().iter().map(|stage| &stage["entry"]).collect();
    assert_eq!(entries, ["vertex_main", "fragment_main"]);
    let mut uniforms: Vec<&str> = reflection["program"]["uniforms"]
        .as_array()
        .unwrap()
        .iter()
        .map(|u| u["name"].as_str().unwrap())
        .collect();
    uniforms.sort_unstable();
    assert_eq!(uniforms, ["image", "tint", "transform"]);

    // All notations give the same, in any order of the stages.
    for command in [&["link"][..], &["compile", "--link"]] {
        dir.run(&with(command, &["-o", "q.metallib"])).ok();
        assert_eq!(dir.read("q.metallib"), dir.read("p.metallib"));
    }
    dir.run(&["link", "a.frag", "shade.frag", "a.vert", "-o", "q.metallib"]).ok();
    assert_eq!(functions(&dir, "q.metallib"), ["fragment_main", "vertex_main"]);
    assert_eq!(dir.run(&with(&["link"], &[])).ok().stdout, dir.read("p.metallib"));
    assert_eq!(dir.run(&with(&["check", "--link"], &[])).ok().stderr, "");
}

#[test]
fn the_example_links() {
    let dir = Folder::new();
    dir.example("sea.vert");
    dir.example("sea.frag");
    for level in ["-O0", "-O2"] {
        dir.run(&["link", "sea.vert", "sea.frag", level, "-o", "sea.metallib"]).ok();
        assert_eq!(functions(&dir, "sea.metallib"), ["fragment_main", "vertex_main"]);
    }
}

#[test]
fn kinds_that_hold_one_stage() {
    let dir = folder();
    for kind in ["ll", "air", "bc", "foil"] {
        let output = format!("p.{kind}");
        let words = [format!("a .{kind} file holds one stage"), "--link --out-dir".to_string()];
        dir.run(&["compile", "a.vert", "a.frag", "shade.frag", "-o", &output])
            .fails(2, &words.each_ref().map(String::as_str));
        assert!(!dir.path().join(output).exists());
    }
    // Two sources of one stage are one stage.
    dir.run(&["compile", "a.frag", "shade.frag", "-o", "f.ll"]).ok();
    let text = dir.run(&["compile", "a.frag", "shade.frag", "--to", "foil"]).ok().text();
    assert!(text.starts_with("foil 1"));
}

#[test]
fn folders_take_each_input_or_a_linked_program() {
    let dir = folder();
    dir.write("b.frag", FRAG.replace("vec4 shade(vec4 c);", "vec4 shade(vec4 c) { return c; }"));
    let each = ["compile", "a.vert", "b.frag", "a.comp", "--out-dir", "each", "--to", "metallib,ll"];
    assert_eq!(dir.run(&each).ok().stderr, "3 of 3 inputs compiled\n");
    assert_eq!(functions(&dir, "each/a.vert.metallib"), ["vertex_main"]);
    assert_eq!(functions(&dir, "each/b.frag.metallib"), ["fragment_main"]);
    assert!(dir.read("each/a.comp.ll").starts_with(b"source_filename"));

    let linked =
        ["compile", "a.vert", "a.frag", "shade.frag", "--link", "--out-dir", "all", "--to", "ll,json"];
    assert_eq!(dir.run(&linked).ok().stderr, "");
    let mut files: Vec<_> = std::fs::read_dir(dir.path().join("all"))
        .unwrap()
        .map(|e| e.unwrap().file_name().into_string().unwrap())
        .collect();
    files.sort();
    assert_eq!(files, ["a.frag.json", "a.frag.ll", "a.vert.json", "a.vert.ll", "program.json"]);
    let program = json(&dir.read("all/program.json"));
    let fragment = json(&dir.read("all/a.frag.json"));
    assert_eq!(program["stages"].as_array().unwrap().len(), 2);
    assert_eq!(fragment["stages"], serde_json::json!([program["stages"][1]]));
    assert_eq!(fragment["program"], program["program"]);
    // The reflection of the program does not depend on the target.
    dir.run(&["link", "a.vert", "a.frag", "shade.frag", "-o", "p.spv", "-o", "p.json"]).ok();
    assert_eq!(json(&dir.read("p.json"))["program"], program["program"]);
    dir.example("lit.frag.spv");
    assert_eq!(json(&dir.read("p.json"))["stages"][1]["outputs"][0]["location"], 0);
    dir.run(&["compile", "lit.frag.spv", "--out-dir", "apart", "--to", "spv,json"]).ok();
    let fragment = json(&dir.read("apart/lit.frag.json"));
    let resources = fragment["resources"].as_array().unwrap();
    assert_eq!(resources.len(), 2);
    assert_eq!(resources[0]["kind"], "uniform_buffer");
    assert_eq!((&resources[0]["type"], &resources[0]["size"]), (&"Lights".into(), &304.into()));
    assert_eq!((&resources[1]["set"], &resources[1]["type"]), (&1.into(), &"sampler2D".into()));
    assert_eq!(fragment["inputs"][1]["type"], "vec2");
    dir.run(&["opt", "a.vert", "b.frag", "--out-dir", "ir", "-q"]).ok();
    assert!(dir.read("ir/a.vert.foil").starts_with(b"foil 1"));
    dir.run(&["opt", "a.vert", "b.frag"]).fails(2, &["--out-dir"]);
}

#[test]
fn sizes_of_workgroups_stay_open_in_spirv() {
    let dir = plain("a.comp");
    let shader = |value: &str| {
        format!(
            "#version 450\nlayout(local_size_x_id = 3, local_size_y = 2) in;\nlayout(constant_id = 3) const uint n = 8;\n\
             layout(std430, binding = 0) buffer B {{ uint v[]; }};\nvoid main() {{ v[gl_GlobalInvocationID.x] = {value}; }}\n"
        )
    };
    let text = |path: &str| String::from_utf8(dir.read(path)).unwrap();
    dir.write("a.comp", shader("n"));
    let compile = |output: &str| dir.run(&["compile", "a.comp", "--vulkan", "-o", output]);
    assert_eq!(compile("a.spvasm").ok().stderr, "");
    compile("a.spv").ok();
    // Reading and writing again keeps it open; a value closes it.
    dir.run(&["opt", "a.spv", "-O2", "-o", "b.spvasm"]).ok();
    for path in ["a.spvasm", "b.spvasm"] {
        let module = text(path);
        assert!(module.contains("BuiltIn WorkgroupSize"), "{module}");
        assert_eq!(module.matches("SpecId 3").count(), 2, "{module}");
    }
    dir.run(&["opt", "a.spv", "--spec", "3=16", "-o", "c.spvasm"]).ok();
    let fixed = text("c.spvasm");
    assert!(fixed.contains("LocalSize 16 2 1") && !fixed.contains("SpecId"), "{fixed}");
    // The reflection names the constant.
    dir.run(&["compile", "a.spv", "--to", "spv,json", "--out-dir", "out"]).ok();
    assert_eq!(json(&dir.read("out/a.json"))["workgroup_constants"], serde_json::json!([3, null, null]));
    // A value that depends on the size closes it, with a warning.
    dir.write("a.comp", shader("n + gl_WorkGroupSize.x"));
    let warned = compile("w.spvasm").ok().stderr;
    assert!(warned.contains("W1102") && warned.contains("gl_WorkGroupSize is used"), "{warned}");
    assert!(!text("w.spvasm").contains("SpecId"));
}

#[test]
fn stages_are_told_by_names_and_options() {
    for name in ["a.frag", "a.frag.glsl", "a_frag.glsl", "A.FRAG"] {
        plain(name).run(&["check", name]).ok();
    }
    let dir = plain("a.glsl");
    dir.run(&["check", "a.glsl"]).fails(2, &["the stage of this GLSL source is unknown", "--stage frag"]);
    dir.run(&["check", "a.glsl", "--stage", "frag"]).ok();
    dir.run(&["check", "a.glsl", "--stage", "fragment"]).ok();
    // This stage does not have gl_FragColor.
    dir.run(&["check", "a.glsl", "--stage", "vert"]).fails(1, &["gl_FragColor"]);
    let dir = plain("shader.txt");
    dir.run(&["check", "shader.txt"]).fails(2, &["`.txt` is not a supported input type", "--from"]);
    dir.run(&["check", "shader.txt", "--from", "glsl", "--stage", "frag"]).ok();
    let dir = plain("a.vert");
    dir.run(&["check", "a.vert", "--stage", "frag"])
        .fails(2, &["a vertex shader by its name", "--from glsl"]);
    dir.run(&["check", "a.vert", "--stage", "frag", "--from", "glsl"]).ok();
}

#[test]
fn the_standard_input_is_glsl_if_said_so() {
    let dir = plain("a.frag");
    let expected = dir.run(&["compile", "a.frag", "--to", "foil"]).ok().text();
    let args = ["compile", "-", "--from", "glsl", "--stage", "frag", "--to", "foil"];
    let found = dir.run_with(&args, &dir.read("a.frag"), &[]).ok().text();
    assert_eq!(found.replace("<stdin>", "a.frag"), expected);
    dir.run_with(&args, b"void main() { x; }", &[]).fails(1, &["--> <stdin>:1:15", "^"]);
    dir.run(&["compile", "-", "--from", "glsl"]).fails(2, &["the stage of this GLSL source is unknown"]);
    let unsaid = ["compile", "-", "--to", "ll"];
    dir.run_with(&unsaid, VERT.as_bytes(), &[]).fails(1, &["appears to be GLSL", "--from glsl --stage"]);
}

#[test]
fn versions_macros_and_limits() {
    let dir = Folder::new();
    dir.write("es.frag", "precision mediump float; out vec4 c; void main() { c = vec4(1.0); }");
    dir.run(&["check", "es.frag"]).fails(1, &["error[E"]);
    dir.run(&["check", "es.frag", "--std", "300 es"]).ok();
    dir.run(&["check", "es.frag", "--std", "300"]).fails(2, &["needs the profile 'es'"]);
    dir.run(&["check", "es.frag", "--std", "331"]).fails(2, &["unknown version 331"]);
    // A directive wins.
    dir.write("v.frag", "#version 110\nvoid main() { gl_FragColor = vec4(1.0); }");
    dir.run(&["check", "v.frag", "--std", "300 es"]).ok();

    dir.write("d.frag", "void main() { gl_FragColor = vec4(A, B, NAME, 1); }");
    dir.run(&["check", "d.frag"]).fails(1, &["A"]);
    dir.run(&["check", "d.frag", "-DA", "-D", "B=0.5 * 2.0", "--define", "NAME=0"]).ok();
    dir.run(&["check", "d.frag", "-D", "2=3"]).fails(2, &["cannot be the name of a macro"]);
    dir.run(&["check", "d.frag", "-D", "GL_x"]).fails(2, &["reserved"]);

    dir.write("l.vert", "#version 430\nbuffer B { float v; };\nvoid main() { gl_Position = vec4(v); }");
    dir.run(&["check", "l.vert"]).ok();
    dir.run(&["check", "l.vert", "--limits", "minimum"]).fails(1, &["GL_MAX_VERTEX_SHADER_STORAGE_BLOCKS"]);
    dir.run(&["check", "l.vert", "--limits", "none"]).fails(2, &["possible values: metal, minimum"]);
}

#[test]
fn glsl_for_vulkan() {
    let dir = Folder::new();
    dir.example("lit.vert");
    dir.example("lit.frag");
    dir.run(&["check", "lit.frag"]).fails(1, &["set is for Vulkan only", "help: `--vulkan`"]);
    dir.write("index.vert", "#version 450\nvoid main() { gl_Position = vec4(gl_VertexIndex); }\n");
    dir.run(&["check", "index.vert"]).fails(1, &["gl_VertexIndex"]);
    dir.run(&["check", "index.vert", "--vulkan"]).ok();
    dir.run(&["link", "lit.vert", "lit.frag", "--vulkan", "-o", "lit.metallib", "-o", "lit.json"]).ok();
    assert_eq!(functions(&dir, "lit.metallib"), ["fragment_main", "vertex_main"]);
    let reflection = json(&dir.read("lit.json"));
    let arguments = reflection["stages"][1]["arguments"].as_array().unwrap();
    assert!(arguments.iter().any(|a| a["set"] == 1 && a["binding"] == 0 && a["kind"] == "texture"));
}

#[test]
fn what_chooses_entry_points_can_only_agree() {
    let dir = plain("a.frag");
    for entry in ["main", "fragment_main"] {
        dir.run(&["check", "a.frag", "--entry", entry]).ok();
    }
    dir.run(&["check", "a.frag", "--entry", "blur"]).fails(1, &["error[E0012]", "there is: fragment_main"]);
    dir.run(&["check", "a.frag", "--spec", "1=2"]).fails(1, &["error[E0010]", "it has none at all"]);
}

#[test]
fn specialization_constants_take_values() {
    let dir = Folder::new();
    dir.write(
        "a.comp",
        "#version 450
        layout(local_size_x_id = 9) in;
        layout(constant_id = 1) const int count = 2;
        layout(constant_id = 2) const float scale = 1.0;
        layout(constant_id = 3) const bool on = false;
        layout(constant_id = 4) gl_MaxImageUnits;
        layout(set = 0, binding = 0) buffer B { float list[]; };
        void main() { list[0] = on ? scale * float(count) : 7.0; list[1] = float(gl_MaxImageUnits); }\n",
    );
    let foil = |spec: &[&str]| {
        let mut args = vec!["compile", "a.comp", "--vulkan", "--to", "foil"];
        args.extend(spec.iter().flat_map(|s| ["--spec", s]));
        dir.run(&args).ok().text()
    };
    assert_eq!(foil(&["1=2"]), foil(&[]));
    let given = foil(&["1=5", "1=6", "2=0.5", "3=true", "4=77", "9=64"]);
    for part in ["workgroup_size 64", "const 3.0", "const 77.0"] {
        assert!(given.contains(part) && !foil(&[]).contains(part), "{part} in {given}");
    }
    let fails = |spec: &str, words: &[&str]| {
        dir.run(&["check", "a.comp", "--vulkan", "--spec", spec]).fails(1, words);
    };
    fails("5=1", &["error[E0010]", "no specialization constant 5", "it has: 1, 2, 3, 4, 9"]);
    fails("1=0.5", &["error[E0011]", "a 32-bit integer, which cannot be 0.5", "--> a.comp:3:"]);
    fails("9=0", &["local_size_x_id is 0", "--> a.comp:2:"]);
    dir.write("b.vert", "#version 450\nlayout(constant_id = 1) const float f = 0.0;\nvoid main() { gl_Position = vec4(f); }\n");
    dir.write("c.frag", "#version 450\nlayout(constant_id = 1) const uint f = 0;\nlayout(location = 0) out vec4 c;\nvoid main() { c = vec4(f); }\n");
    dir.run(&["check", "b.vert", "c.frag", "--link", "--vulkan", "--spec", "1=2"])
        .fails(1, &["is a 32-bit integer here, and a 32-bit float elsewhere", "--> c.frag:2:"]);
    dir.run(&["check", "b.vert", "c.frag", "--link", "--vulkan"]).ok();
}

#[test]
fn es_100_can_be_limited_as_in_webgl() {
    let dir = Folder::new();
    dir.write(
        "a.frag",
        "#version 100\nprecision mediump float;\nvoid main() { float x = 0.0; while (x < 3.0) x += 1.0; gl_FragColor = vec4(x); }\n",
    );
    dir.run(&["check", "a.frag"]).ok();
    dir.run(&["check", "a.frag", "--es100-limits"]).fails(1, &["--> a.frag:3:", "appendix A"]);
}

#[test]
fn wrong_usage() {
    let dir = folder();
    dir.example("lit.frag.spv");
    let before = dir.files();
    dir.run(&["link", "a.vert", "lit.frag.spv", "-o", "x.metallib"])
        .fails(2, &["`lit.frag.spv` cannot be linked with the other inputs"]);
    dir.run(&["check", "lit.frag.spv", "--link"]).fails(2, &["not GLSL"]);
    dir.run(&["compile", "a.vert", "lit.frag.spv", "-o", "x.metallib"]).fails(2, &["--out-dir"]);
    dir.run(&["link", "a.vert", "missing.frag", "-o", "x.metallib"])
        .fails(1, &["no such file or folder\n  --> missing.frag"]);
    dir.run(&["link", "-o", "x.metallib"]).fails(2, &["INPUT"]);
    dir.run(&["check", "lit.frag.spv", "--from", "glsl", "--stage", "frag"])
        .fails(1, &["SPIR-V module, not GLSL"]);
    assert_eq!(dir.files(), before);
}

/// A vertex shader without attributes.
const NUMBERS: &str = "\
#version 330 core
out vec2 uv;
void main() {
    uv = vec2(gl_VertexID);
    gl_Position = vec4(gl_VertexID);
}
";

const LINES: &str = "\
#version 330 core
layout(triangles) in;
layout(line_strip, max_vertices = 4) out;
in vec2 uv[];
out vec2 place;
void main() {
    for (int i = 0; i < 4; ++i) {
        place = uv[i % 3];
        gl_Position = gl_in[i % 3].gl_Position;
        gl_Layer = i;
        EmitVertex();
    }
}
";

const PLACE: &str =
    "#version 330 core\nin vec2 place;\nout vec4 color;\nvoid main() { color = place.xyxy; }\n";

#[test]
fn geometry_shaders_become_mesh_functions() {
    let dir = Folder::new();
    dir.write("a.vert", NUMBERS);
    dir.write("a.geom", LINES);
    dir.write("a.frag", PLACE);
    dir.run(&["compile", "a.vert", "a.geom", "a.frag", "-o", "p.metallib", "-o", "p.json"]).ok();
    assert_eq!(functions(&dir, "p.metallib"), ["fragment_main", "geometry_main", "vertex_main"]);
    let reflection = json(&dir.read("p.json"));
    let stages = reflection["stages"].as_array().unwrap();
    let kinds: Vec<&Value> = stages.iter().map(|s| &s["stage"]).collect();
    assert_eq!(kinds, ["kernel", "mesh", "fragment"]);
    let mesh = &stages[1]["mesh"];
    assert_eq!((&mesh["max_vertices"], &mesh["max_primitives"]), (&Value::from(4), &Value::from(3)));
    assert_eq!((&mesh["topology"], &stages[1]["workgroup_size"][0]), (&Value::from("line"), &Value::from(1)));
    // Both ends name the buffer between them.
    for stage in &stages[..2] {
        let shared = |a: &&Value| a["set"] == 65535 && a["binding"] == 0;
        assert!(stage["arguments"].as_array().unwrap().iter().any(|a| shared(&a)), "{stage}");
    }
    // The stages match by the names of their varyings.
    let named = |values: &Value, role: &str| -> Vec<String> {
        let all = values.as_array().unwrap().iter().filter(|v| v["role"] == role);
        all.map(|v| v["name"].as_str().unwrap().to_owned()).collect()
    };
    let given = named(&stages[1]["outputs"], "mesh_vertex_data");
    assert_eq!(given, named(&stages[2]["inputs"], "fragment_input"));
    assert_eq!(given.len(), 1);

    // Each stage by itself, requested by the stage of the source; the last or the first vertex provokes.
    dir.run(&["compile", "a.vert", "a.geom", "a.frag", "--out-dir", "parts", "--to", "ll"]).ok();
    let text = |args: &[&str]| dir.run(args).ok().text();
    let last = text(&["compile", "a.geom", "--to", "ll"]);
    assert!(last.contains("!air.mesh"), "{last}");
    assert_eq!(last, text(&["compile", "a.geom", "--to", "ll", "--provoking", "last"]));
    assert_ne!(last, text(&["compile", "a.geom", "--to", "ll", "--provoking", "first"]));
    dir.run(&["compile", "a.geom", "--target", "macos12", "-o", "old.metallib"])
        .fails(1, &["Metal 3", "macos13"]);
}
