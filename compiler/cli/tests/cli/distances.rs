//! `airfoil lower-distances`: modules, texts and GLSL sources, whole pipelines and single stages, and its errors.

use crate::run::Folder;

const VERTEX: &str = "#version 450
layout(location = 0) in vec4 p;
out gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[2]; };
void main() { gl_ClipDistance[0] = p.x; gl_ClipDistance[1] = p.y; gl_Position = p; }
";

const FRAGMENT: &str = "#version 450
layout(location = 0) out vec4 color;
void main() { color = vec4(1.0); }
";

/// A folder with a pipeline as GLSL and as SPIR-V.
fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("a.vert", VERTEX);
    folder.write("a.frag", FRAGMENT);
    for name in ["a.vert", "a.frag"] {
        folder.run(&["compile", name, "--vulkan", "-O0", "-o", &format!("{name}.spv")]).ok();
    }
    folder
}

fn string(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).expect("it is text")
}

/// The text of a module, without distances.
fn text(folder: &Folder, module: &str) -> String {
    folder.run(&["opt", module, "-O0", "--to", "spvasm", "-o", "text.spvasm"]).ok();
    let text = string(folder.read("text.spvasm"));
    for word in ["Capability ClipDistance", "BuiltIn ClipDistance"] {
        assert!(!text.contains(word), "{text}");
    }
    text
}

#[test]
fn modules_become_modules() {
    let folder = folder();
    folder.run(&["lower-distances", "a.vert.spv", "a.frag.spv", "-o", "v.spv", "-o", "f.spv"]).ok();
    assert!(text(&folder, "v.spv").contains("Location 0"));
    let fragment = text(&folder, "f.spv");
    assert!(fragment.contains("OpDemoteToHelperInvocation") && fragment.contains("Centroid"), "{fragment}");
    folder.run(&["lower-distances", "a.vert.spv", "a.frag.spv", "--out-dir", "lowered"]).ok();
    assert_eq!(folder.read("lowered/a.frag.spv"), folder.read("f.spv"));
    // The order of the inputs does not matter.
    folder.run(&["lower-distances", "a.frag.spv", "a.vert.spv", "-o", "f2.spv", "-o", "v2.spv"]).ok();
    assert_eq!(folder.read("v2.spv"), folder.read("v.spv"));
}

#[test]
fn sources_and_texts_are_inputs() {
    let folder = folder();
    folder.run(&["lower-distances", "a.vert", "a.frag", "--vulkan", "-o", "both.spvasm"]).ok();
    let both = string(folder.read("both.spvasm"));
    assert!(both.contains("OpEntryPoint Vertex") && both.contains("OpEntryPoint Fragment"), "{both}");
    folder.run(&["opt", "a.vert.spv", "--passes", "dce", "-o", "a.foil"]).ok();
    folder.run(&["lower-distances", "a.foil", "--form", "position", "--mode", "points", "-o", "b.foil"]).ok();
    assert!(string(folder.read("b.foil")).contains("shader_temp float[2]"));
}

#[test]
fn stages_alone_need_a_location() {
    let folder = folder();
    folder
        .run(&["lower-distances", "a.vert.spv", "-o", "v.spv"])
        .fails(1, &["E0332", "fragment shader", "location"]);
    folder.run(&["lower-distances", "a.vert.spv", "--location", "8", "-o", "v.spv"]).ok();
    folder
        .run(&["lower-distances", "a.frag.spv", "--location", "8", "--previous", "2,0", "-o", "f.spv"])
        .ok();
    assert!(text(&folder, "v.spv").contains("Location 8"));
    assert!(text(&folder, "f.spv").contains("Location 8"));
}

#[test]
fn masks_and_samples_are_options() {
    let folder = folder();
    let lower = |options: &[&str]| {
        let inputs = ["lower-distances", "a.vert.spv", "a.frag.spv", "-o", "v.spv", "-o", "f.spv"];
        folder.run(&[&inputs[..], options].concat()).ok();
        text(&folder, "f.spv")
    };
    assert!(!lower(&["--enable", "0x4"]).contains("OpDemoteToHelperInvocation"));
    let uniform = lower(&["--enable-uniform", "2,5"]);
    assert!(uniform.contains("DescriptorSet 2") && uniform.contains("Binding 5"), "{uniform}");
    let samples = lower(&["--per-sample=4"]);
    assert_eq!(samples.matches("InterpolateAtSample").count(), 4, "{samples}");
    assert!(samples.contains("BuiltIn SampleMask"), "{samples}");
    assert_eq!(lower(&["--per-sample"]).matches("InterpolateAtSample").count(), 16);
}

#[test]
fn the_approximate_form_is_never_a_default() {
    let folder = folder();
    let inputs = ["lower-distances", "a.vert.spv", "a.frag.spv", "-o", "v.spv", "-o", "f.spv"];
    let with = |options: &[&str]| folder.run(&[&inputs[..], options].concat());
    with(&["--form", "position"]).fails(2, &["--mode", "approximate"]);
    with(&["--mode", "points"]).fails(2, &["--form position"]);
    with(&["--form", "position", "--mode", "whole-primitive"]).ok();
    assert!(text(&folder, "v.spv").contains("OpSelect"));
    assert!(folder.run(&["lower-distances", "--help"]).ok().text().contains("APPROXIMATE"));
    assert!(folder.run(&["explain", "clip_distances_to_position"]).ok().text().contains("approximate"));
}

#[test]
fn early_tests_are_an_error() {
    let folder = folder();
    folder.write("b.frag", FRAGMENT.replace("layout", "layout(early_fragment_tests) in;\nlayout"));
    folder.run(&["compile", "b.frag", "--vulkan", "-O0", "-o", "b.frag.spv"]).ok();
    folder
        .run(&["lower-distances", "a.vert.spv", "b.frag.spv", "-o", "v.spv", "-o", "f.spv"])
        .fails(1, &["E0329", "EarlyFragmentTests"]);
    let _ =
        folder.run(&["lower-distances", "a.vert.spv", "a.frag.spv", "-o", "a.ll"]).fails(2, &["only .spv"]);
    folder
        .run(&["lower-distances", "a.vert.spv", "a.vert.spv", "-o", "x.spv"])
        .fails(1, &["two vertex shaders"]);
}
