//! Section 2 of the rules between functions: every declared output is written on every path, with zero instead of an undefined value.
//! The emitted text shows it; no execution does.

use airfoil::air::{bitcode, ll, metallib};
use airfoil::glsl::{ProgramOptions, Source};
use airfoil::{CompileOptions, Compiler, OptLevel, Output, Stage};

const LEVELS: [OptLevel; 2] = [OptLevel::O0, OptLevel::O2];

fn compile(level: OptLevel, sources: &[(Stage, &str)]) -> Output {
    let sources: Vec<Source<'_>> =
        sources.iter().map(|&(stage, text)| Source { name: "a", stage, text }).collect();
    let compiler = Compiler::new(CompileOptions::default().level(level));
    compiler.compile_glsl(&sources, &ProgramOptions::default()).unwrap()
}

/// The text of a function.
fn text(output: &Output, name: &str) -> String {
    let library = metallib::read(&output.metallib).unwrap();
    let function = library.functions.iter().find(|f| f.entry.name == name).unwrap();
    ll::print(&bitcode::read(function.bitcode().unwrap()).unwrap())
}

/// Nothing undefined is stored, passed to a function, returned or merged.
#[track_caller]
fn assert_defined(text: &str) {
    let uses = |line: &&str| {
        let is_use = ["store ", "ret ", "call ", "tail call "].iter().any(|word| line.starts_with(word));
        is_use || line.contains(" phi ") || line.contains(" select ")
    };
    for line in text.lines().map(str::trim).filter(uses) {
        assert!(!line.contains("undef"), "{line}\n{text}");
    }
}

/// A local that is the value of an output and is not stored to before is filled with zeros.
#[track_caller]
fn assert_locals_start_with_zero(text: &str, least: usize) {
    let zeros = text.lines().filter(|l| {
        l.trim().starts_with("store ") && (l.contains("zeroinitializer") || l.contains("float 0.000000e+00"))
    });
    assert!(zeros.count() >= least, "{text}");
}

const FRAGMENT: &str = "#version 450\nlayout(location = 0) in vec4 a; layout(location = 0) out vec4 o;
    void main() { if (a.x > 0.5) o = a; }";

#[test]
fn outputs_that_some_paths_leave_unwritten_are_zero() {
    let vertex = "#version 450\nin vec4 p; layout(location = 0) out vec4 a;
        void main() { gl_Position = p; if (p.x > 0.5) a = p; }";
    for level in LEVELS {
        let output = compile(level, &[(Stage::Vertex, vertex), (Stage::Fragment, FRAGMENT)]);
        for name in ["vertex_main", "fragment_main"] {
            let text = text(&output, name);
            assert_defined(&text);
            // With optimisation, the value of the other path is permitted, too.
            if level == OptLevel::O0 {
                assert_locals_start_with_zero(&text, 1);
            }
        }
    }
}

#[test]
fn fragment_functions_that_discard_are_not_changed() {
    let fragment = "#version 450\nlayout(location = 0) in vec4 a; layout(location = 0) out vec4 o;
        void main() { if (a.x > 0.5) discard; o = a; }";
    let output = compile(OptLevel::O2, &[(Stage::Fragment, fragment)]);
    let text = text(&output, "fragment_main");
    // Only the value that is returned after the discard is zero.
    assert!(text.matches("zeroinitializer").count() == 1 && !text.contains("float 0.0"), "{text}");
}

#[test]
fn vertices_of_geometry_shaders_are_defined() {
    let vertex = "#version 450\nin vec4 p; void main() { gl_Position = p; }";
    let geometry = "#version 450\nlayout(points) in; layout(points, max_vertices = 2) out;
        layout(location = 0) out vec4 a; layout(location = 1) out vec2 b;
        void main() {
            gl_Position = gl_in[0].gl_Position; if (gl_Position.x > 0.5) a = gl_Position; EmitVertex();
            b.x = 1.0; EmitVertex();
        }";
    let fragment = "#version 450\nlayout(location = 0) in vec4 a; layout(location = 1) in vec2 b; out vec4 o;
        void main() { o = a + b.xyxy; }";
    for level in LEVELS {
        let stages = [(Stage::Vertex, vertex), (Stage::Geometry, geometry), (Stage::Fragment, fragment)];
        assert_defined(&text(&compile(level, &stages), "geometry_main"));
    }
}

/// Distances that are declared and never written.
#[test]
fn clip_distances_that_are_never_written_are_zero() {
    let vertex = "#version 450\nin vec4 p; out float gl_ClipDistance[3];
        void main() { gl_Position = p; gl_ClipDistance[1] = p.x; }";
    let geometry = "#version 450\nlayout(points) in; layout(points, max_vertices = 1) out;
        in gl_PerVertex { vec4 gl_Position; } gl_in[]; out float gl_ClipDistance[3];
        void main() { gl_Position = gl_in[0].gl_Position; gl_ClipDistance[1] = 1.0; EmitVertex(); }";
    let plain =
        "#version 450\nin vec4 p; out gl_PerVertex { vec4 gl_Position; }; void main() { gl_Position = p; }";
    let fragment = "#version 450\nout vec4 o; void main() { o = vec4(1.0); }";
    for level in LEVELS {
        let text_of = |stages: &[(Stage, &str)], name| text(&compile(level, stages), name);
        let output = text_of(&[(Stage::Vertex, vertex), (Stage::Fragment, fragment)], "vertex_main");
        assert_defined(&output);
        let stages = [(Stage::Vertex, plain), (Stage::Geometry, geometry), (Stage::Fragment, fragment)];
        let output = text_of(&stages, "geometry_main");
        assert_defined(&output);
        assert_eq!(output.matches("call void @air.set_clip_distance_mesh").count(), 3, "{output}");
    }
}

/// A varying of a mesh that is declared and never written, and a vector of which one component is written.
#[test]
fn outputs_of_meshes_are_zero() {
    let module = "OpCapability MeshShadingEXT
        OpExtension \"SPV_EXT_mesh_shader\"
        OpMemoryModel Logical GLSL450
        OpEntryPoint MeshEXT %main \"main\" %out %unwritten %part %indices
        OpExecutionMode %main LocalSize 1 1 1
        OpExecutionMode %main OutputTrianglesEXT
        OpExecutionMode %main OutputVertices 3
        OpExecutionMode %main OutputPrimitivesEXT 1
        OpMemberDecorate %block 0 BuiltIn Position
        OpDecorate %block Block
        OpDecorate %unwritten Location 0
        OpDecorate %part Location 1
        OpDecorate %indices BuiltIn PrimitiveTriangleIndicesEXT
        %void = OpTypeVoid
        %fn = OpTypeFunction %void
        %float = OpTypeFloat 32
        %uint = OpTypeInt 32 0
        %vec4 = OpTypeVector %float 4
        %vec2 = OpTypeVector %float 2
        %uvec3 = OpTypeVector %uint 3
        %u0 = OpConstant %uint 0
        %u1 = OpConstant %uint 1
        %u3 = OpConstant %uint 3
        %f1 = OpConstant %float 1
        %one = OpConstantComposite %vec4 %f1 %f1 %f1 %f1
        %triangle = OpConstantComposite %uvec3 %u0 %u1 %u0
        %block = OpTypeStruct %vec4
        %blocks = OpTypeArray %block %u3
        %vec4s = OpTypeArray %vec4 %u3
        %vec2s = OpTypeArray %vec2 %u3
        %uvec3s = OpTypeArray %uvec3 %u1
        %pb = OpTypePointer Output %blocks
        %p4 = OpTypePointer Output %vec4s
        %p2 = OpTypePointer Output %vec2s
        %pi = OpTypePointer Output %uvec3s
        %pv = OpTypePointer Output %vec4
        %pf = OpTypePointer Output %float
        %pu = OpTypePointer Output %uvec3
        %out = OpVariable %pb Output
        %unwritten = OpVariable %p4 Output
        %part = OpVariable %p2 Output
        %indices = OpVariable %pi Output
        %main = OpFunction %void None %fn
        %entry = OpLabel
        OpSetMeshOutputsEXT %u3 %u1
        %p = OpAccessChain %pv %out %u1 %u0
        OpStore %p %one
        %q = OpAccessChain %pf %part %u1 %u0
        OpStore %q %f1
        %i = OpAccessChain %pu %indices %u0
        OpStore %i %triangle
        OpReturn
        OpFunctionEnd";
    let words = airfoil_spirv_asm::assemble(module, &airfoil_spirv_asm::Options::default()).unwrap();
    for level in LEVELS {
        let output = Compiler::new(CompileOptions::default().level(level)).compile_spirv(&words).unwrap();
        let text = text(&output, "main");
        assert_defined(&text);
        let unwritten = "call void @air.set_vertex_data_mesh.v4f32(";
        let line = text.lines().find(|l| l.contains(unwritten)).unwrap_or_else(|| panic!("{text}"));
        assert!(line.contains("zeroinitializer"), "{line}");
    }
}

/// A mesh shader that stores an output of its vertices, and one of its primitive, under a condition.
const MESH: &str = r#"foil 1
shader mesh "mesh_main" {
  form variables
  workgroup_size 3 1 1
  output_primitive triangles
  max_vertices 3
  max_primitives 1
  out vec4[3] position location=position
  out uvec3[1] indices location=primitive_indices per_primitive
  out vec2[3] a location=0
  out uint[1] tint location=3 per_primitive
  entry fn main {
    32x1 %three = const 3
    32x1 %one = const 1
    32x1 %zero = const 0
    set_mesh_outputs %three, %one
    32x1 %i = load_local_invocation_index
    32x4 %p = const 0.0, 0.0, 0.0, 1.0
    32x2 %v = const 1.0, 2.0
    1x1 %some = ult %i, %one
    %as = deref_var &a
    %ai = deref_array %as[%i]
    if %some {
      store_deref %ai, %v
    }
    %ps = deref_var &position
    %pi = deref_array %ps[%i]
    store_deref %pi, %p
    %ts = deref_var &indices
    %ti = deref_array %ts[%zero]
    32x3 %t = const 0, 1, 2
    store_deref %ti, %t
    if %some {
      %us = deref_var &tint
      %ui = deref_array %us[%zero]
      store_deref %ui, %one
    }
  }
}
"#;

#[test]
fn mesh_outputs_that_are_stored_under_a_condition_are_zero() {
    for level in LEVELS {
        let mut shaders = [airfoil::steps::read_foil(MESH).unwrap()];
        let compiler = Compiler::new(CompileOptions::new("macos13".parse().unwrap()).level(level));
        let text = text(&compiler.compile(&mut shaders).unwrap(), "mesh_main");
        assert_defined(&text);
        for (function, zero) in [
            ("@air.set_vertex_data_mesh.v2f32(", "<2 x float> zeroinitializer)"),
            ("@air.set_primitive_data_mesh.i32(", "i32 0)"),
        ] {
            let calls: Vec<&str> =
                text.lines().filter(|l| l.contains("call ") && l.contains(function)).collect();
            assert_eq!(calls.len(), 2, "{text}");
            assert!(calls[0].contains(zero) && !calls[1].contains(zero), "{text}");
        }
    }
}
