//! Types of inputs and outputs, and files that are not inputs.

use crate::run::Folder;

#[test]
fn every_kind_of_output() {
    let dir = Folder::new();
    dir.example("lit.frag.spv");
    let outputs = ["a.metallib", "a.air", "a.bc", "a.ll", "a.foil", "a.json"];
    let args: Vec<&str> =
        ["compile", "lit.frag.spv"].into_iter().chain(outputs.iter().flat_map(|o| ["-o", *o])).collect();
    let outcome = dir.run(&args).ok();
    assert!(outcome.stdout.is_empty() && outcome.stderr.is_empty(), "{}", outcome.stderr);
    assert!(dir.read("a.metallib").starts_with(b"MTLB"));
    assert!(dir.read("a.air").starts_with(&0x0b17_c0de_u32.to_le_bytes()));
    assert!(dir.read("a.bc").starts_with(b"BC\xc0\xde"));
    assert!(String::from_utf8(dir.read("a.ll")).unwrap().contains("air64-apple-macosx13"));
    assert!(dir.read("a.foil").starts_with(b"foil 1"));
    let json: serde_json::Value = serde_json::from_slice(&dir.read("a.json")).unwrap();
    assert_eq!(json["stage"], "fragment");
    // The library holds just this module.
    let (library, module) = (dir.read("a.metallib"), dir.read("a.air"));
    assert!(library.windows(module.len()).any(|w| w == module));

    // The text of the IR is an input again, and gives the same library.
    dir.run(&["compile", "a.foil", "-O0", "-o", "b.ll"]).ok();
    assert!(dir.read("b.ll").starts_with(b"source_filename"));
}

#[test]
fn the_binary_form_is_an_input_and_an_output() {
    let dir = Folder::new();
    dir.example("lit.frag.spv");
    let passes = ["--passes", ""];
    dir.run(&["opt", "lit.frag.spv", "-o", "a.foil", "-o", "a.foilb", passes[0], passes[1]]).ok();
    dir.run(&["opt", "a.foilb", "-o", "b.foil", "-o", "b.foilb", passes[0], passes[1]]).ok();
    assert_eq!(dir.read("a.foil"), dir.read("b.foil"));
    assert_eq!(dir.read("a.foilb"), dir.read("b.foilb"));
    dir.run(&["compile", "a.foil", "-o", "a.metallib"]).ok();
    dir.run(&["compile", "a.foilb", "-o", "b.metallib", "-o", "c.foilb"]).ok();
    assert_eq!(dir.read("a.metallib"), dir.read("b.metallib"));
    assert_ne!(dir.read("a.foilb"), dir.read("c.foilb"));
    dir.run(&["check", "c.foilb"]).ok();
    // Renamed and damaged files.
    let mut file = dir.read("a.foilb");
    dir.write("c.foil", &file);
    dir.run(&["check", "c.foil"]).fails(1, &["error[E0004]", "this is a shader in binary form"]);
    *file.last_mut().unwrap() ^= 1;
    dir.write("c.foilb", &file);
    dir.run(&["compile", "c.foilb", "-o", "c.metallib"]).fails(1, &["error[E0110]", "the checksum differs"]);
}

#[test]
fn every_example_compiles() {
    for name in ["lit.vert.spv", "lit.frag.spv", "blur.comp.spv", "fade.foil"] {
        let dir = Folder::new();
        dir.example(name);
        for level in ["-O0", "-O2"] {
            dir.run(&["compile", name, level, "-o", "out.metallib"]).ok();
            let report = dir.run(&["metallib", "out.metallib"]).ok().text();
            assert!(report.contains(", 0 failed") && report.contains("... ok"), "{report}");
        }
        dir.run(&["check", name]).ok();
    }
}

#[test]
fn options_reach_the_backend() {
    let dir = Folder::new();
    dir.example("lit.frag.spv");
    let compile = |more: &[&str], kind: &str| {
        let args: Vec<&str> = ["compile", "lit.frag.spv", "--to", kind].iter().chain(more).copied().collect();
        dir.run(&args).ok().text()
    };
    assert!(compile(&["--target", "ios17"], "ll").contains("air64-apple-ios17"));
    let json: serde_json::Value =
        serde_json::from_str(&compile(&["--bind", "1,0=texture:7", "--bind", "0,1=buffer:3"], "json"))
            .unwrap();
    let index = |set, binding, kind| {
        let all = json["arguments"].as_array().unwrap();
        let found = all.iter().find(|a| a["set"] == set && a["binding"] == binding && a["kind"] == kind);
        found.unwrap_or_else(|| panic!("{json:#}"))["index"].clone()
    };
    assert_eq!(index(1, 0, "texture"), 7);
    assert_eq!(index(0, 1, "uniform_buffer"), 3);
    assert_ne!(compile(&["--fast-math"], "ll"), compile(&["--fast-math=precise"], "ll"));
}

#[test]
fn specialization_constants() {
    let dir = Folder::new();
    dir.example("blur.comp.spv");
    let foil =
        |spec: &str| dir.run(&["compile", "blur.comp.spv", "--to", "foil", "--spec", spec]).ok().text();
    assert_eq!(foil("3=4"), dir.run(&["compile", "blur.comp.spv", "--to", "foil"]).ok().text());
    assert_ne!(foil("3=4"), foil("3=9"));
    let fails = |spec: &str, words: &[&str]| {
        dir.run(&["compile", "blur.comp.spv", "--to", "ll", "--spec", spec]).fails(1, words);
    };
    fails("4=1", &["error[E0010]", "no specialization constant 4", "it has: 3"]);
    fails("3=0.5", &["error[E0011]", "a 32-bit integer, which cannot be 0.5", "--> blur.comp.spv: word "]);
    fails("3=true", &["error[E0011]"]);
    dir.run(&["compile", "blur.comp.spv", "--spec", "3"]).fails(2, &["expected ID=VALUE"]);
}

#[test]
fn entry_points_are_chosen_by_name_and_stage() {
    let dir = Folder::new();
    dir.example("lit.frag.spv");
    let wrong = ["compile", "lit.frag.spv", "--to", "ll", "--entry", "nope"];
    dir.run(&wrong).fails(1, &["error[E0307]", "there are \"main\" (fragment)"]);
    dir.run(&["compile", "lit.frag.spv", "--to", "ll", "--entry", "main", "--stage", "frag"]).ok();
    dir.run(&["compile", "lit.frag.spv", "--to", "ll", "--stage", "compute"]).fails(1, &["main"]);
    dir.example("fade.foil");
    dir.run(&["compile", "fade.foil", "--to", "ll", "--entry", "nope"])
        .fails(1, &["error[E0012]", "there is: fade"]);
    dir.run(&["compile", "fade.foil", "--to", "ll", "--stage", "vertex"]).fails(1, &["error[E0012]"]);
}

#[test]
fn inputs_that_are_none() {
    let dir = Folder::new();
    std::fs::create_dir(dir.path().join("folder.spv")).unwrap();
    dir.write("empty.spv", "");
    dir.write("text.spv", "foil 1\n");
    dir.write("shader.wgsl", "fn main() {}");
    dir.write("a.metallib", "MTLB");
    dir.write("module.foil", 0x0723_0203_u32.to_le_bytes());
    dir.write("noise.foil", b"foil 1\n\xff\xfe");
    dir.write("odd.spv", b"\x03\x02\x23\x07\x00\x00\x01");
    dir.write("x", "?");
    let fails = |name: &str, code: i32, words: &[&str]| {
        for args in
            [&["compile", name, "-o", "out.metallib"][..], &["check", name], &["opt", name, "-o", "out.foil"]]
        {
            dir.run(args).fails(code, words);
        }
    };
    fails("missing.spv", 1, &["error[E0001]: cannot read: no such file or folder\n  --> missing.spv\n"]);
    fails("missing", 1, &["no such file"]);
    fails("folder.spv", 1, &["error[E0002]", "directory"]);
    fails("empty.spv", 1, &["error[E0003]", "empty"]);
    fails("text.spv", 1, &["error[E0004]", "--from foil"]);
    fails("module.foil", 1, &["error[E0004]", "--from spv"]);
    fails("noise.foil", 1, &["UTF-8", "byte 0x7"]);
    fails("odd.spv", 1, &["multiple of 4"]);
    fails("shader.wgsl", 2, &["`.wgsl` is not a supported input type", "naga"]);
    fails("a.metallib", 2, &["airfoil metallib"]);
    fails("x", 2, &["no extension", "--from"]);
    assert!(!dir.files().iter().any(|f| f.starts_with("out") || f.starts_with('.')), "{:?}", dir.files());
}

#[test]
fn wrong_usage() {
    let dir = Folder::new();
    dir.example("lit.frag.spv");
    dir.example("lit.vert.spv");
    let fails = |args: &[&str], words: &[&str]| dir.run(args).fails(2, words);
    fails(&["compile", "lit.frag.spv", "-o", "x.png"], &["`.png` is not a supported output type", "--to"]);
    dir.run(&["compile", "lit.frag.spv", "lit.vert.spv", "-o", "x.ll"]).fails(1, &["E0016", "--stage"]);
    fails(&["compile", "-", "-", "--out-dir", "o"], &["named twice"]);
    fails(&["compile", "lit.frag.spv", "-o", "x.ll", "-o", "x.ll"], &["named twice"]);
    fails(&["compile", "lit.frag.spv", "-o", "x.ll", "--out-dir", "o"], &["cannot be used with"]);
    fails(&["compile", "lit.frag.spv", "-o", "x.ll", "--to", "ll,bc"], &["2 types", "1 outputs"]);
    fails(&["compile", "lit.frag.spv", "--target", "macos9"], &["accepted versions of macOS"]);
    fails(&["compile", "lit.frag.spv", "-O3"], &["possible values: 0, 2"]);
    fails(&["opt", "lit.frag.spv", "-o", "x.ll"], &["airfoil compile"]);
    fails(&["opt", "lit.frag.spv", "-O2", "--passes", "dce"], &["cannot be used with"]);
    fails(&["compile", "lit.frag.spv", "-j", "0"], &["-j"]);
    fails(&["explain", "dcee"], &["did you mean `dce`"]);
    fails(&["frobnicate"], &["unrecognized subcommand"]);
    fails(&[], &["Usage: airfoil"]);
    assert_eq!(dir.files(), ["lit.frag.spv", "lit.vert.spv"]);
}

#[test]
fn assembly_is_an_input() {
    let dir = Folder::new();
    let text = "OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main \"main\"
OpExecutionMode %main LocalSize 1 1 1
%void = OpTypeVoid
%fn = OpTypeFunction %void
%main = OpFunction %void None %fn
%entry = OpLabel
OpReturn
OpFunctionEnd
";
    dir.write("a.spvasm", text);
    dir.run(&["compile", "a.spvasm", "-o", "a.metallib"]).ok();
    assert!(dir.read("a.metallib").starts_with(b"MTLB"));
    dir.write("bad.spvasm", text.replace("OpReturn", "  OpRetrun"));
    let refused = dir.run(&["compile", "bad.spvasm", "-o", "b.metallib"]);
    assert!(
        refused.stderr.contains("bad.spvasm:9:3") && refused.stderr.contains("OpReturn"),
        "{}",
        refused.stderr
    );
}

#[test]
fn assembly_programs_are_inputs() {
    let dir = Folder::new();
    let vertex =
        "!!ARBvp1.0\nMOV result.position, vertex.position;\nMOV result.color, program.env[3];\nEND\n";
    let fragment = "!!ARBfp1.0\nMUL result.color, fragment.color, state.fog.color;\nEND\n";
    dir.write("a.vp", vertex);
    dir.write("a.fp", fragment);
    dir.run(&["compile", "a.fp", "a.vp", "-o", "a.metallib", "-o", "a.json"]).ok();
    let json: serde_json::Value = serde_json::from_slice(&dir.read("a.json")).unwrap();
    assert_eq!(json["stages"][1]["entry"], "fragment_main");
    let parameters = |n: usize| json["programs"][n]["parameters"][0].clone();
    let stages = [&json["programs"][0]["stage"], &json["programs"][1]["stage"]];
    assert_eq!(stages, ["fragment", "vertex"]);
    assert_eq!((parameters(0), parameters(1)), ("state.fog.color".into(), "program.env[3]".into()));
    dir.run(&["check", "a.vp", "a.fp"]).ok();
    dir.run(&["opt", "a.fp", "-O2", "-o", "a.foil"]).ok();
    dir.run(&["compile", "a.fp", "a.fp", "-o", "x.metallib"]).fails(1, &["two fragment shaders"]);
    dir.run(&["compile", "a.vp", "--stage", "frag", "-o", "x.ll"]).fails(1, &["E0012"]);
    // A stream, and another extension.
    dir.write("a.txt", fragment);
    dir.run(&["compile", "a.txt", "--from", "arb", "-o", "b.ll"]).ok();
    dir.run_with(&["compile", "-", "-o", "c.ll"], fragment.as_bytes(), &[]).ok();
    assert_eq!(dir.read("b.ll"), dir.read("c.ll"));
    dir.write("bad.fp", fragment.replace("state.fog", "state.frog"));
    dir.run(&["compile", "bad.fp", "-o", "x.ll"]).fails(1, &["error[E1303]", "bad.fp:2:41", "found `frog`"]);
}
