//! `airfoil run`: compute on buffers, drawing, traces, errors with their locations.

use crate::run::{Folder, Outcome};
use serde_json::{Value, json};
use std::io::Cursor;

const SCALE: &str = "#version 450
layout(local_size_x = 4) in;
struct Item { vec3 p; int n; };
layout(std430, binding = 0) buffer Data { uint count; Item items[2]; float data[]; };
uniform float scale = 2.0;
void main() {
  uint i = gl_GlobalInvocationID.x;
  data[i] = data[i] * scale;
  if (i < 2u) items[i].n -= 1;
}
";

fn folder(files: &[(&str, &str)]) -> Folder {
    let folder = Folder::new();
    files.iter().for_each(|(name, text)| folder.write(name, text));
    folder
}

fn printed(outcome: &Outcome) -> Value {
    serde_json::from_slice(&outcome.stdout).unwrap_or_else(|e| panic!("{e}:\n{}", outcome.text()))
}

/// Width, height and the pixels, four bytes each.
fn pixels(bytes: &[u8]) -> (u32, u32, Vec<[u8; 4]>) {
    let mut reader = png::Decoder::new(Cursor::new(bytes)).read_info().unwrap();
    let mut data = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut data).unwrap();
    assert_eq!(info.color_type, png::ColorType::Rgba);
    (info.width, info.height, data.chunks_exact(4).map(|p| p.try_into().unwrap()).collect())
}

#[test]
fn buffers_go_in_and_out_as_json() {
    let f = folder(&[("a.comp", SCALE)]);
    let given = r#"Data={"count": 7, "items": [{"p": [1, 2, 3], "n": 5}, {"p": [0, 0, 0], "n": -1}], "data": [1, 0.1, "inf", 4]}"#;
    let run = f.run(&["run", "a.comp", "--buffer", given]).ok();
    let want = json!({"buffers": {"Data": {
        "count": 7,
        "items": [{"p": [1.0, 2.0, 3.0], "n": 4}, {"p": [0.0, 0.0, 0.0], "n": -2}],
        "data": [2.0, 0.2, "inf", 8.0],
    }}});
    assert_eq!(printed(&run), want);
    assert!(run.stderr.is_empty(), "{}", run.stderr);
    // `--inputs` reads the printed format.
    f.write("again.json", &run.stdout);
    let again = f.run(&["run", "a.comp", "--inputs", "again.json", "-u", "scale=0.5"]).ok();
    let data = &printed(&again)["buffers"]["Data"];
    assert_eq!((&data["data"], &data["items"][0]["n"]), (&json!([1.0, 0.1, "inf", 4.0]), &json!(3)));
}

#[test]
fn buffers_go_in_and_out_as_bytes() {
    let source = "#version 310 es\nlayout(local_size_x = 2) in;\n\
        layout(std430, binding = 1) readonly buffer A { uint a[]; };\n\
        layout(std430, binding = 3) buffer B { uint b[]; };\n\
        void main() { uint i = gl_GlobalInvocationID.x; b[i] = a[i] + b[i]; }";
    let f = folder(&[("a.comp", source)]);
    f.write("a.raw", [1u32, 2, 3, 4].map(u32::to_le_bytes).concat());
    let args = ["run", "a.comp", "--groups", "2", "--buffer", "1=a.raw", "--buffer", "0,3=zeros:16"];
    let run = f.run(&[&args[..], &["--out", "B=b.raw"]].concat()).ok();
    assert!(run.stdout.is_empty());
    assert_eq!(f.read("b.raw"), f.read("a.raw"));
    // Unspecified buffers have an element per invocation; only written elements are printed.
    let run =
        f.run(&["run", "a.comp", "--groups", "2", "--buffer", r#"A={"type": "u32", "data": [9, 8, 7, 6]}"#]);
    assert_eq!(printed(&run.ok()), json!({"buffers": {"B": {"b": [9, 8, 7, 6]}}}));
    let run = f.run(&["run", "a.comp", "--buffer", "A=[1, 2]", "--out", "B=-"]).ok();
    assert_eq!(printed(&run), json!({"b": [1, 2]}));
}

#[test]
fn a_seed_makes_the_same_inputs() {
    let f = folder(&[("a.comp", SCALE)]);
    let with = |seed: &str| f.run(&["run", "a.comp", "--seed", seed]).ok().text();
    assert_eq!(with("1"), with("1"));
    assert_ne!(with("1"), with("2"));
}

#[test]
fn passes_run_before() {
    let f = folder(&[("a.comp", SCALE)]);
    let plain = f.run(&["run", "a.comp", "--seed", "5"]).ok().text();
    for passes in [&["-O2"][..], &["-O0"], &["--passes", "vars_to_ssa, dce"]] {
        assert_eq!(
            f.run(&[&["run", "a.comp", "--seed", "5"], passes].concat()).ok().text(),
            plain,
            "{passes:?}"
        );
    }
}

#[test]
fn a_fragment_shader_alone_fills_the_image() {
    let source = "#version 300 es\nprecision highp float;\nuniform float time;\nin vec2 uv;\nout vec4 color;\n\
        void main() { color = vec4(uv, time, gl_FragCoord.y < 2.0 ? 1.0 : 0.5); }";
    let f = folder(&[("image.frag", source)]);
    f.run(&["run", "image.frag", "--size", "4x4", "--uniform", "time=1.5", "-o", "out.png"]).ok();
    let (w, h, p) = pixels(&f.read("out.png"));
    assert_eq!((w, h), (4, 4));
    // The lowest row is the last of the file.
    assert_eq!((p[12], p[15], p[0]), ([32, 32, 255, 255], [223, 32, 255, 255], [32, 223, 255, 128]));
    // Inputs may be given at the corners; the picture may go to the standard output.
    let uv = "uv=[[1, 0], [1, 0], [1, 0], [1, 0]]";
    let run = f.run(&["run", "image.frag", "--size", "2x1", "--attribute", uv, "-o", "-"]).ok();
    assert_eq!(pixels(&run.stdout).2, [[255, 0, 0, 255]; 2]);
}

#[test]
fn a_triangle_covers_its_pixels() {
    let vertex = "#version 330\nin vec2 p;\nin vec3 c;\nflat out vec3 color;\n\
        void main() { gl_Position = vec4(p, 0.5, 1.0); color = c; }";
    let fragment = "#version 330\nflat in vec3 color;\nlayout(location = 0) out vec4 a;\nlayout(location = 1) out ivec2 b;\n\
        void main() { a = vec4(color, 1.0); b = ivec2(gl_FragCoord.xy) - 1; }";
    let f = folder(&[("t.vert", vertex), ("t.frag", fragment)]);
    // The lower left half, coloured by the last vertex.
    f.write(
        "in.json",
        r#"{"attributes": {"p": [[-1, -1], [1, -1], [-1, 1]], "c": [[1, 0, 0], [1, 0, 0], [0, 1, 0]]}}"#,
    );
    let args = ["run", "t.vert", "t.frag", "--inputs", "in.json", "--size", "4x4", "--clear", "0,0,1,1"];
    let out = ["--depth", "-o", "t.png", "-o", "1=t.json", "-o", "depth=d.raw"];
    f.run(&[&args[..], &out].concat()).ok();
    let (_, _, p) = pixels(&f.read("t.png"));
    let (green, blue) = ([0, 255, 0, 255], [0, 0, 255, 255]);
    assert_eq!((p[12], p[4], p[3], p[7]), (green, green, blue, blue));
    let second: Value = serde_json::from_slice(&f.read("t.json")).unwrap();
    assert_eq!(
        (&second["format"], &second["data"][48], &second["data"][49]),
        (&json!("rgba32i"), &json!(-1), &json!(-1))
    );
    let depth: Vec<f32> =
        f.read("d.raw").chunks_exact(4).map(|b| f32::from_le_bytes(b.try_into().unwrap())).collect();
    assert_eq!((depth.len(), depth[12], depth[3]), (16, 0.75, 1.0));
    // Integers are not colours of a picture.
    f.run(&[&args[..], &["-o", "1=t.png"]].concat()).fails(1, &["error[E0040]", "holds no integers"]);
    f.run(&["run", "t.vert", "t.frag", "-o", "t.png"]).fails(1, &["the vertex shader reads", "--attribute"]);
}

#[test]
fn a_module_may_have_both_stages() {
    let f = folder(&[("both.spvasm", BOTH)]);
    f.run(&["run", "both.spvasm", "--size", "2x2", "-o", "a.png"]).ok();
    // Vulkan's window: y goes down, and the triangle covers the upper left.
    let (red, black) = ([255, 0, 0, 255], [0, 0, 0, 255]);
    assert_eq!(pixels(&f.read("a.png")).2[..], [red, red, red, black][..]);
    f.run(&["run", "both.spvasm", "--stage", "vert"]).ok();
    // A library has both, linked as a program; other kinds hold one.
    f.run(&["compile", "both.spvasm", "-o", "a.metallib", "-o", "a.json"]).ok();
    assert!(f.read("a.json").starts_with(b"{\"stages\":[{\"stage\":\"vertex\""));
    let shown = f.run(&["inspect", "a.metallib"]).ok().text();
    assert!(shown.contains("vertex vert") && shown.contains("fragment frag"), "{shown}");
    f.run(&["compile", "both.spvasm", "--stage", "frag", "-o", "a.ll"]).ok();
    f.run(&["compile", "both.spvasm", "-o", "a.ll"]).fails(1, &["the input has 2 shaders", "--stage"]);
    f.run(&["check", "both.spvasm"]).ok();
    f.run(&["stats", "both.spvasm"]).fails(1, &["several entry points fit", "--entry NAME"]);
}

/// A triangle from the vertex number, in red.
const BOTH: &str = "OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint Vertex %vert \"vert\" %index %position
OpEntryPoint Fragment %frag \"frag\" %color
OpExecutionMode %frag OriginUpperLeft
OpDecorate %index BuiltIn VertexIndex
OpDecorate %position BuiltIn Position
OpDecorate %color Location 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%int = OpTypeInt 32 1
%float = OpTypeFloat 32
%vec4 = OpTypeVector %float 4
%pint = OpTypePointer Input %int
%pvec4 = OpTypePointer Output %vec4
%index = OpVariable %pint Input
%position = OpVariable %pvec4 Output
%color = OpVariable %pvec4 Output
%bool = OpTypeBool
%c1 = OpConstant %int 1
%c2 = OpConstant %int 2
%f0 = OpConstant %float 0
%f1 = OpConstant %float 1
%low = OpConstant %float -1
%high = OpConstant %float 1.5
%red = OpConstantComposite %vec4 %f1 %f0 %f0 %f1
%vert = OpFunction %void None %fn
%v0 = OpLabel
%i = OpLoad %int %index
%is1 = OpIEqual %bool %i %c1
%is2 = OpIEqual %bool %i %c2
%x = OpSelect %float %is1 %high %low
%y = OpSelect %float %is2 %high %low
%p = OpCompositeConstruct %vec4 %x %y %f0 %f1
OpStore %position %p
OpReturn
OpFunctionEnd
%frag = OpFunction %void None %fn
%f_0 = OpLabel
OpStore %color %red
OpReturn
OpFunctionEnd
";

#[test]
fn without_fragment_shader_the_vertices_are_printed() {
    let vertex = "#version 330\nin vec2 p;\nout mat2 m;\nflat out int n;\n\
        void main() { gl_Position = vec4(p, 0.0, 1.0); m = mat2(p, p * 2.0); n = gl_VertexID - gl_InstanceID; }";
    let f = folder(&[("t.vert", vertex)]);
    let args =
        ["run", "t.vert", "--attribute", "p=[[1, 2], [3, 4]]", "--indices", "[1, 0, 1]", "--instances", "2"];
    let run = f.run(&args).ok();
    let vertices = &printed(&run)["vertices"];
    assert_eq!(vertices.as_array().unwrap().len(), 6);
    assert_eq!(
        vertices[1],
        json!({"gl_Position": [1.0, 2.0, 0.0, 1.0], "m": [[1.0, 2.0], [2.0, 4.0]], "n": 0})
    );
    assert_eq!(vertices[5]["n"], 0);
    f.run(&[&args[..], &["-o", "v.json"]].concat()).ok();
    assert_eq!(f.read("v.json"), run.stdout);
    f.run(&[&args[..], &["-o", "v.png"]].concat()).fails(1, &["without a fragment shader nothing is drawn"]);
}

#[test]
fn vulkan_has_its_origin_above() {
    let f = Folder::new();
    f.write(
        "up.frag",
        "#version 450\nlayout(location = 0) out vec4 o; void main() { o = vec4(gl_FragCoord.y < 1.0); }",
    );
    let top = |api: &str| {
        f.run(&["run", "up.frag", "--vulkan", "--api", api, "--size", "1x2", "-o", "a.png"]).ok();
        pixels(&f.read("a.png")).2.iter().map(|p| p[0]).collect::<Vec<_>>()
    };
    assert_eq!(top("vulkan"), [255, 0]);
    f.run(&["run", "up.frag", "--vulkan", "--size", "1x2", "-o", "b.png"]).ok();
    assert_eq!(f.read("a.png"), f.read("b.png"));
}

#[test]
fn textures_and_images() {
    let source = "#version 450\nlayout(local_size_x = 2, local_size_y = 2) in;\nuniform sampler2D tex;\n\
        layout(rgba8, binding = 1) uniform image2D img;\nlayout(r32ui, binding = 2) uniform uimage2D sums;\n\
        void main() { ivec2 p = ivec2(gl_GlobalInvocationID.xy);\n\
        imageStore(img, p, texture(tex, (vec2(p) + 0.5) / 2.0).bgra); imageAtomicAdd(sums, ivec2(0), 1u + uint(p.x)); }";
    let f = folder(&[("t.comp", source)]);
    let texture = r#"tex={"size": [2, 2], "format": "rgba8", "data": [[1,0,0,1], [0,1,0,1], [0,0,1,1], [1,1,1,0]], "sampler": "nearest"}"#;
    let out = ["--out", "img=img.png", "--out", "2=sums.json"];
    f.run(
        &[&["run", "t.comp", "--texture", texture, "--image", "img=2x2", "--image", "sums=1x1"], &out[..]]
            .concat(),
    )
    .ok();
    assert_eq!(
        pixels(&f.read("img.png")).2,
        [[0, 0, 255, 255], [0, 255, 0, 255], [255, 0, 0, 255], [255, 255, 255, 0]]
    );
    let sums: Value = serde_json::from_slice(&f.read("sums.json")).unwrap();
    assert_eq!(sums["data"], json!([6]));
    // A PNG file as a texture.
    f.run(&[
        "run",
        "t.comp",
        "--texture",
        "tex=img.png,nearest",
        "--image",
        "img=2x2",
        "--image",
        "sums=1x1",
        "--out",
        "img=back.png",
    ])
    .ok();
    assert_eq!(pixels(&f.read("back.png")).2[0], [255, 0, 0, 255]);
    f.write("bad.png", "no picture");
    f.run(&["run", "t.comp", "--texture", "tex=bad.png"]).fails(1, &["bad.png", "not a PNG file"]);
    f.run(&["run", "t.comp", "--image", "img=2x2"]).fails(1, &["nothing is bound to `", "t.comp:", "--seed"]);
}

#[test]
fn traces_name_lines_and_values() {
    let f = folder(&[("a.comp", SCALE)]);
    let args = ["run", "a.comp", "--buffer", r#"Data={"data": [1, 2, 3, 4]}"#];
    let run = f.run(&[&args[..], &["--trace=2"]].concat()).ok();
    let product = run.stderr.lines().find(|l| l.contains("fmul")).unwrap_or_else(|| panic!("{}", run.stderr));
    assert!(product.starts_with("a.comp:8: compute 2,0,0: ") && product.ends_with("-> 6.0"), "{product}");
    // The source line is quoted where it changes.
    let quoted = "a.comp:8 | data[i] = data[i] * scale;";
    assert!(run.stderr.lines().all(|l| l.contains("compute 2,0,0") || l.contains(" | ")), "{}", run.stderr);
    assert_eq!(run.stderr.lines().filter(|l| *l == quoted).count(), 1, "{}", run.stderr);
    let at = |wanted: &str| run.stderr.lines().position(|l| l == wanted);
    assert!(at(quoted) < at(product), "{}", run.stderr);
    assert_eq!(printed(&run)["buffers"]["Data"]["data"], json!([2.0, 4.0, 6.0, 8.0]));
    let all = f.run(&[&args[..], &["--trace=all", "--message-format", "json"]].concat()).ok();
    let products = all.stderr.lines().map(|l| serde_json::from_str::<Value>(l).unwrap());
    let products = products.filter(|m| m["instruction"].as_str().unwrap().contains("fmul"));
    let both = products.map(|m| (m["values"][0].clone(), m["text"].clone()));
    let (values, texts): (Vec<Value>, Vec<Value>) = both.unzip();
    assert_eq!(values, ["2.0", "4.0", "6.0", "8.0"]);
    assert!(texts.iter().all(|t| t == "data[i] = data[i] * scale;"), "{texts:?}");

    f.write("i.frag", "#version 330\nout vec4 o;\nvoid main() {\n  o = gl_FragCoord * 2.0;\n}\n");
    let run = f.run(&["run", "i.frag", "--size", "4x4", "--trace=fragment:1,3"]).ok();
    assert!(
        run.stderr.contains("i.frag:4: fragment 1,3: ") && run.stderr.contains("-> 3.0, 7.0,"),
        "{}",
        run.stderr
    );
}

/// Two triangles that fill the left half and the whole of the window, at depths 0 and 0.5.
const TWO: [(&str, &str); 2] = [
    (
        "t.vert",
        "#version 330\nout vec4 c;\nvoid main() {\n  int k = gl_VertexID % 3;\n  bool left = gl_VertexID < 3;\n\
         vec2 p = left ? vec2(k == 2 ? -9.0 : 0.0, k == 1 ? 9.0 : k == 0 ? -9.0 : 0.0)\n\
         : vec2(k == 1 ? 3.0 : -1.0, k == 2 ? 3.0 : -1.0);\n  gl_Position = vec4(p, left ? 0.0 : 0.5, 1.0);\n\
         c = left ? vec4(1, 0, 0, 1) : vec4(0, 0, 1, 0.5);\n}",
    ),
    (
        "t.frag",
        "#version 330\nin vec4 c;\nlayout(location = 0) out vec4 a;\nlayout(location = 1) out vec4 b;\n\
         void main() { a = c; b = vec4(c.a); }",
    ),
];

#[test]
fn colours_are_blended_each_in_its_way() {
    let f = folder(&TWO);
    let args =
        ["run", "t.vert", "t.frag", "--vertices", "6", "--size", "2x1", "-o", "a.png", "-o", "1=b.png"];
    let drawn = |more: &[&str]| {
        f.run(&[&args[..], more].concat()).ok();
        (pixels(&f.read("a.png")).2, pixels(&f.read("b.png")).2)
    };
    assert_eq!(drawn(&[]).0, [[0, 0, 255, 128]; 2]);
    let (a, b) = drawn(&["--blend", "alpha", "--blend", "1=add", "--clear", "0,0,0,0"]);
    // Half blue over red, and over nothing; alphas of 1 and 0.5 make 1 at most in a PNG.
    assert_eq!(a, [[128, 0, 128, 255], [0, 0, 128, 128]]);
    assert_eq!(b, [[255, 255, 255, 255], [128, 128, 128, 128]]);
    let way = "constant_color,one,reverse_subtract/zero,one";
    let (a, _) = drawn(&["--blend", way, "--blend-constant", "0.25,0,0.5,0", "--clear", "1,1,1,1"]);
    assert_eq!(a, [[191, 255, 128, 255], [255, 255, 128, 255]]);
}

#[test]
fn depths_and_stencil_values_are_tested_and_written() {
    let f = folder(&TWO);
    let args = ["run", "t.vert", "t.frag", "--vertices", "6", "--size", "2x1", "-o", "a.png"];
    let drawn = |more: &[&str]| {
        f.run(&[&args[..], more].concat()).ok();
        pixels(&f.read("a.png")).2
    };
    let (red, blue, black) = ([255, 0, 0, 255], [0, 0, 255, 128], [0, 0, 0, 255]);
    assert_eq!(drawn(&["--depth"]), [red, blue]);
    assert_eq!(drawn(&["--depth=greater"]), [black; 2]);
    let counted = drawn(&["--stencil", "always,0,increment_and_clamp", "-o", "stencil=s.json"]);
    assert_eq!(counted, [blue; 2]);
    let stencil: Value = serde_json::from_slice(&f.read("s.json")).unwrap();
    assert_eq!(stencil["data"], json!([2, 1]));
    // The first draw hides the rest.
    let masked = drawn(&["--stencil", "equal,0,invert", "-o", "stencil=s.png"]);
    assert_eq!(masked, [red, blue]);
    assert_eq!(pixels(&f.read("s.png")).2, [[255, 0, 0, 255]; 2]);
}

#[test]
fn draws_and_dispatches_may_be_indirect() {
    let comp = "#version 450\nlayout(local_size_x = 1) in;\nlayout(std430, binding = 0) buffer A { uint a[4]; };\n\
        void main() { atomicAdd(a[0], 1u); if (gl_WorkGroupID.x == 0u) { a[1] = 2u; a[2] = 3u; a[3] = 5u; } }";
    let vertex = "#version 460\nout vec4 v;\n\
        void main() { v = vec4(gl_VertexID, gl_InstanceID, gl_BaseVertex, gl_BaseInstance); gl_Position = vec4(0); }";
    let f = folder(&[("a.comp", comp), ("v.vert", vertex)]);
    f.run(&["run", "a.comp", "--indirect", "[3, 1, 1]", "--out", "A=args.raw"]).ok();
    let drawn = |more: &[&str]| -> Vec<Vec<i64>> {
        let run = f.run(&[&["run", "v.vert"], more].concat()).ok();
        let vertices = printed(&run)["vertices"].as_array().unwrap().clone();
        let v = |v: &Value| v["v"].as_array().unwrap().iter().map(|x| x.as_f64().unwrap() as i64).collect();
        vertices.iter().map(v).collect()
    };
    let instance = |n: i64| (3..6).map(move |id| vec![id, n, 0, 5]);
    let want: Vec<Vec<i64>> = instance(0).chain(instance(1)).collect();
    assert_eq!(drawn(&["--indirect", "args.raw"]), want);
    let indexed = drawn(&["--indices", "[9, 8, 7, 6]", "--indirect", "[3, 1, 1, -6, 0]"]);
    assert_eq!(indexed, [vec![2, 0, -6, 0], vec![1, 0, -6, 0], vec![0, 0, -6, 0]]);
    f.run(&["run", "v.vert", "--indirect", "[3, 1]"]).fails(1, &["a draw takes 4 numbers"]);
    f.run(&["run", "v.vert", "--indirect", "args.raw", "--vertices", "3"]).fails(2, &["cannot be used with"]);
}

#[test]
fn several_samples_smooth_edges() {
    let f = folder(&TWO);
    let args = ["run", "t.vert", "t.frag", "--vertices", "3", "--size", "1x1", "-o", "a.png"];
    for (samples, red) in [("1", 0), ("2", 128), ("4", 128), ("8", 128), ("16", 128)] {
        f.run(&[&args[..], &["--samples", samples]].concat()).ok();
        assert_eq!(pixels(&f.read("a.png")).2, [[red, 0, 0, 255]], "{samples}");
    }
    f.write(
        "s.frag",
        "#version 400\nout vec4 o;\nvoid main() { o = vec4(gl_SampleID, gl_SamplePosition, 1.0); }",
    );
    f.run(&["run", "s.frag", "--size", "1x1", "--samples", "2", "-o", "s.json"]).ok();
    let mean: Value = serde_json::from_slice(&f.read("s.json")).unwrap();
    assert_eq!(mean["data"], json!([0.5, 0.5, 0.5, 1.0]));
}

#[test]
fn faults_show_instruction_and_line() {
    let f = folder(&[("a.comp", SCALE)]);
    let args = ["run", "a.comp", "--groups", "2", "--buffer", r#"Data={"data": [1, 2, 3, 4]}"#];
    f.run(&args).fails(
        1,
        &[
            "error[E0041]",
            "out of bounds",
            "--> a.comp:8",
            "data[i] = data[i] * scale;",
            "load_deref",
            "--robust",
        ],
    );
    f.run(&[&args[..], &["--robust"]].concat()).ok();

    f.write("u.frag", "#version 330\nout vec4 o;\nvoid main() {\n  float x;\n  if (x > 0.0) o = vec4(1);\n  else o = vec4(0);\n}\n");
    let args = ["run", "u.frag", "--size", "1x1", "-o", "u.png"];
    f.run(&args).fails(1, &["error[E0041]", "undefined value", "--> u.frag:5", "--undef zero"]);
    let red = |undef: &str| {
        f.run(&[&args[..], &["--undef", undef]].concat()).ok();
        pixels(&f.read("u.png")).2[0][0]
    };
    assert_eq!((red("zero"), red("0x3f800000")), (0, 255));
    f.write("c.frag", "#version 330\nout vec4 o;\nvoid main() { float x; o = vec4(1.0, x, 1.0, 1.0); }\n");
    let run = f.run(&["run", "c.frag", "--size", "2x2", "-o", "u.png"]).ok();
    assert!(run.stderr.contains("warning[E0045]: 4 fragments"), "{}", run.stderr);

    f.write(
        "b.comp",
        "#version 450\nlayout(local_size_x = 4) in;\nvoid main() {\n  if (gl_LocalInvocationIndex < 2u)\n    barrier();\n}\n",
    );
    f.run(&["run", "b.comp"]).fails(1, &["not all invocations reach the barrier", "--> b.comp:5"]);

    f.write("l.comp", "#version 450\nlayout(local_size_x = 1) in;\nvoid main() { for (;;) {} }\n");
    f.run(&["run", "l.comp", "--max-steps", "1000"]).fails(1, &["error[E0043]", "more than 1000 steps"]);
}

#[test]
fn built_in_inputs_by_option() {
    let source = "#version 450\nlayout(local_size_x = 1) in;\nlayout(std430, binding = 0) buffer B { uvec3 b; };\n\
        void main() { b = gl_WorkGroupID; }";
    let f = folder(&[("a.comp", source)]);
    let run = f.run(&["run", "a.comp", "--builtin", "gl_WorkGroupID=3,4,5"]).ok();
    assert_eq!(printed(&run)["buffers"]["B"]["b"], json!([3, 4, 5]));
    f.run(&["run", "a.comp", "--builtin", "gl_Nothing=1"])
        .fails(1, &["there is no built-in input", "workgroup_id"]);
}

#[test]
fn wrong_options_are_told() {
    let f =
        folder(&[("a.comp", SCALE), ("i.frag", "#version 330\nout vec4 o; void main() { o = vec4(1); }")]);
    for (args, code, words) in [
        (&["a.comp", "--groups", "0"][..], 2, "`0` is not a count"),
        (&["a.comp", "--buffer", "Data"], 2, "expected NAME=VALUE"),
        (&["a.comp", "--buffer", "Nothing=[1]"], 1, "there is no buffer `Nothing`; there is Data"),
        (&["a.comp", "--buffer", "Data=[1"], 1, "is not JSON"),
        (&["a.comp", "--buffer", r#"Data={"count": -1}"#], 1, "`Data.count`: -1 is not a whole number"),
        (&["a.comp", "--buffer", r#"Data={"items": [1]}"#], 1, "`Data.items` has 2 elements"),
        (&["a.comp", "--buffer", r#"Data={"sum": 1}"#], 1, "`Data` has no member `sum`"),
        (&["a.comp", "--buffer", "Data=missing.raw"], 1, "no such file"),
        (&["a.comp", "--uniform", "scale=much"], 1, "`scale`: \"much\" is not a number"),
        (&["a.comp", "-o", "a.png"], 1, "a compute shader draws nothing"),
        (&["a.comp", "--out", "Data=x.raw", "--out", "Data=x.raw"], 2, "is named twice"),
        (&["a.comp", "--trace=pixel"], 2, "is not a number"),
        (&["i.frag", "--samples", "3", "-o", "a.png"], 2, "a pixel has no 3 samples"),
        (
            &["i.frag", "--blend", "most", "-o", "a.png"],
            2,
            "neither SRC,DST[,OP] nor one of alpha, premultiplied",
        ),
        (&["i.frag", "--blend", "one,two", "-o", "a.png"], 2, "`two` is none of zero, one, src_color"),
        (&["i.frag", "--depth=near", "-o", "a.png"], 2, "`near` is none of never, less"),
        (&["i.frag", "--stencil", "always,300", "-o", "a.png"], 2, "not a number from 0 to 255"),
        (&["a.comp", "--undef", "maybe"], 2, "is not report, zero"),
        (&["a.comp", "--passes", "nothing"], 2, "nothing"),
        (&["i.frag"], 1, "expected an output file for the image"),
        (&["i.frag", "--size", "1", "-o", "a.png"], 2, "is not a size"),
        (&["i.frag", "a.comp", "-o", "a.png"], 1, ""),
        (&["i.frag", "--attribute", "x=[1]", "-o", "a.png"], 1, "there is no input `x`"),
        (&["i.frag", "--inputs", "missing.json", "-o", "a.png"], 1, "no such file"),
    ] {
        f.run(&[&["run"], args].concat()).fails(code, &[words]);
    }
    assert_eq!(f.files(), ["a.comp", "i.frag"]);
    // A uniform that is never read is a warning.
    let run = f.run(&["run", "a.comp", "--uniform", "other=1"]).ok();
    assert!(run.stderr.contains("no shader uses a uniform `other`") && run.stderr.contains("there is scale"));
}

#[test]
fn a_profile_counts_executed_lines() {
    let dir = Folder::new();
    let shader = "#version 430
layout(local_size_x = 4) in;
buffer Data { uint sum[]; };
void main() {
    uint n = gl_GlobalInvocationID.x;
    uint s = 0u;
    for (uint i = 0u; i < n; ++i) {
        s += i * n;
    }
    sum[n] = s;
}
";
    dir.write("s.comp", shader);
    dir.run(&["run", "s.comp", "--raw", "--profile", "s.folded", "--out", "Data=out.json"]).ok();
    let folded = String::from_utf8(dir.read("s.folded")).unwrap();
    let count = |folded: &str, line: u32| -> u64 {
        let stack = format!("compute;compute_main;s.comp:{line} ");
        let found = folded.lines().find_map(|l| l.strip_prefix(stack.as_str()));
        found.unwrap_or_else(|| panic!("no `{stack}` in:\n{folded}")).parse().unwrap()
    };
    // Invocations 0 to 3 run the loop 0 + 1 + 2 + 3 times.
    let (inside, after) = (count(&folded, 8), count(&folded, 10));
    assert!(inside > 0 && inside.is_multiple_of(6) && after.is_multiple_of(4), "{folded}");
    dir.run(&["run", "s.comp", "--raw", "--profile", "s.txt", "--out", "Data=out.json"]).ok();
    let text = String::from_utf8(dir.read("s.txt")).unwrap();
    let line = text.lines().find(|l| l.ends_with("| s += i * n;") || l.ends_with("|         s += i * n;"));
    assert!(line.is_some_and(|l| l.trim_start().starts_with(&inside.to_string())), "{text}");
    // Fewer instructions are left by O2.
    dir.run(&["run", "s.comp", "-O2", "--profile", "o2.folded", "--out", "Data=out.json"]).ok();
    let optimised = String::from_utf8(dir.read("o2.folded")).unwrap();
    assert!(count(&optimised, 8) < inside, "{optimised}");
    let both = ["run", "s.comp", "--profile", "s.txt", "--trace"];
    dir.run(&both).fails(2, &["cannot be used with"]);
    let air = ["run", "s.comp", "--profile", "s.txt", "--engine", "air"];
    dir.run(&air).fails(2, &["AIR is not profiled"]);
}
