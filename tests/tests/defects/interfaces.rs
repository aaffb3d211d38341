//! Defects 4, 5 and 6: Metal rejects pipelines whose stages do not match. Both engines match varyings by location, so that only the
//! interfaces of the emitted functions show these.

use airfoil::air::select::{InterfaceRole, InterfaceValue};
use airfoil::glsl::{ProgramOptions, Source};
use airfoil::{CompileOptions, Compiler, OptLevel, Output, Shader, Stage};

const LEVELS: [OptLevel; 2] = [OptLevel::O0, OptLevel::O2];

fn glsl(level: OptLevel, vertex: &str, fragment: &str) -> Output {
    let sources = [
        Source { name: "a.vert", stage: Stage::Vertex, text: vertex },
        Source { name: "a.frag", stage: Stage::Fragment, text: fragment },
    ];
    let compiler = Compiler::new(CompileOptions::default().level(level));
    compiler.compile_glsl(&sources, &ProgramOptions::default()).unwrap()
}

/// A pipeline of SPIR-V modules.
fn spirv(level: OptLevel, vertex: &str, fragment: &str) -> Output {
    let read = |text: &str| -> Shader {
        let words = airfoil_spirv_asm::assemble(text, &airfoil_spirv_asm::Options::default()).unwrap();
        airfoil::steps::read_spirv(&words, &airfoil::ReadOptions::default()).unwrap()
    };
    let mut shaders = [read(vertex), read(fragment)];
    shaders[0].name = "vertex_main".into();
    shaders[1].name = "fragment_main".into();
    Compiler::new(CompileOptions::default().level(level)).compile(&mut shaders).unwrap()
}

fn values(output: &Output, stage: Stage, role: InterfaceRole) -> Vec<String> {
    let reflection = &output.function(stage).unwrap().reflection;
    let of_role = |v: &&InterfaceValue| v.role == role;
    let list = reflection.inputs.iter().chain(&reflection.outputs).filter(of_role);
    list.map(|v| format!("{:?} {}", v.location, v.type_name)).collect()
}

/// Every input of the fragment function is an output of the vertex function.
fn assert_matches(output: &Output) {
    let written = values(output, Stage::Vertex, InterfaceRole::VertexOutput);
    for read in values(output, Stage::Fragment, InterfaceRole::FragmentInput) {
        assert!(written.contains(&read), "{read} is not among {written:?}");
    }
}

#[test]
fn defect_4_inputs_that_are_never_written() {
    for level in LEVELS {
        let output = glsl(
            level,
            "#version 120
            varying vec2 uv;
            void main() { gl_Position = gl_Vertex; uv = gl_Vertex.xy; }",
            "#version 120
            varying vec2 uv;
            void main() { gl_FragColor = vec4(uv, 0.0, 1.0) + gl_SecondaryColor + gl_TexCoord[2] * gl_FogFragCoord; }",
        );
        assert_matches(&output);
        assert_eq!(values(&output, Stage::Fragment, InterfaceRole::FragmentInput), ["Some(0) float2"]);
    }
}

#[test]
fn defect_4_components_that_are_never_written() {
    use airfoil::air::{bitcode, ll, metallib};
    for level in LEVELS {
        let output = glsl(
            level,
            "#version 330 core
            in vec4 p; out vec4 a;
            void main() { gl_Position = p; a.xy = p.xy; }",
            "#version 330 core
            in vec4 a; out vec4 o;
            void main() { o = a; }",
        );
        let library = metallib::read(&output.metallib).unwrap();
        let vertex = library.functions.iter().find(|f| f.entry.name == "vertex_main").unwrap();
        let text = ll::print(&bitcode::read(vertex.bitcode().unwrap()).unwrap());
        for lane in [2, 3] {
            let zero = format!("float 0.000000e+00, i64 {lane}\n");
            assert!(text.contains(&zero), "{text}");
        }
    }
}

/// A vertex module that writes a vector of `out` components at location 0.
fn vertex_module(out: u32) -> String {
    format!(
        "OpCapability Shader
        OpMemoryModel Logical GLSL450
        OpEntryPoint Vertex %main \"main\" %position %v
        OpDecorate %position BuiltIn Position
        OpDecorate %v Location 0
        %void = OpTypeVoid
        %fn = OpTypeFunction %void
        %float = OpTypeFloat 32
        %vec2 = OpTypeVector %float 2
        %vec4 = OpTypeVector %float 4
        %p4 = OpTypePointer Output %vec4
        %pv = OpTypePointer Output %vec{out}
        %position = OpVariable %p4 Output
        %v = OpVariable %pv Output
        %one = OpConstant %float 1
        %c2 = OpConstantComposite %vec2 %one %one
        %c4 = OpConstantComposite %vec4 %one %one %one %one
        %main = OpFunction %void None %fn
        %l = OpLabel
        OpStore %position %c4
        OpStore %v %c{out}
        OpReturn
        OpFunctionEnd"
    )
}

/// A fragment module that reads a vector of `read` components at location 0.
fn fragment_module(read: u32) -> String {
    format!(
        "OpCapability Shader
        OpMemoryModel Logical GLSL450
        OpEntryPoint Fragment %main \"main\" %v %o
        OpExecutionMode %main OriginUpperLeft
        OpDecorate %v Location 0
        OpDecorate %o Location 0
        %void = OpTypeVoid
        %fn = OpTypeFunction %void
        %float = OpTypeFloat 32
        %vec = OpTypeVector %float {read}
        %pi = OpTypePointer Input %vec
        %po = OpTypePointer Output %vec
        %v = OpVariable %pi Input
        %o = OpVariable %po Output
        %main = OpFunction %void None %fn
        %l = OpLabel
        %x = OpLoad %vec %v
        OpStore %o %x
        OpReturn
        OpFunctionEnd"
    )
}

#[test]
fn defect_5_component_counts_that_differ() {
    for level in LEVELS {
        for (written, read) in [(4, 2), (2, 4)] {
            let output = spirv(level, &vertex_module(written), &fragment_module(read));
            assert_matches(&output);
            let inputs = values(&output, Stage::Fragment, InterfaceRole::FragmentInput);
            assert_eq!(inputs, [format!("Some(0) float{written}")]);
        }
    }
}

#[test]
fn defect_6_a_vertex_function_without_position() {
    for level in LEVELS {
        let output = glsl(
            level,
            "#version 330 core
            in vec4 p; out vec4 a;
            void main() { a = p; }",
            "#version 330 core
            in vec4 a; out vec4 o;
            void main() { o = a; }",
        );
        assert_eq!(values(&output, Stage::Vertex, InterfaceRole::Position), ["None float4"]);
    }
}

/// The plan up to `match_interfaces` still has the defects, so that the tests above show the effect of that pass.
#[test]
fn defects_4_to_6_without_match_interfaces() {
    use airfoil::passes::manager::Manager;
    use airfoil::steps::{PlanOptions, emit, lower};
    let emitted = |mut shaders: Vec<Shader>| {
        let options = PlanOptions::new(OptLevel::O2);
        let plan = airfoil::air::plan::optimize_plan(&shaders, &options);
        let layouts = lower(&mut shaders, &plan, &options, &mut Manager::default()).unwrap();
        emit(&shaders, layouts, &airfoil::AirOptions::default()).unwrap()
    };
    let types = |list: &[InterfaceValue], role: InterfaceRole| -> Vec<String> {
        list.iter().filter(|v| v.role == role).map(|v| format!("{:?} {}", v.location, v.type_name)).collect()
    };
    let program = |vertex: &str, fragment: &str| {
        let sources = [
            Source { name: "a.vert", stage: Stage::Vertex, text: vertex },
            Source { name: "a.frag", stage: Stage::Fragment, text: fragment },
        ];
        emitted(airfoil::steps::read_glsl(&sources, &ProgramOptions::default()).unwrap().shaders)
    };
    let four = program(
        "#version 120\nvoid main() { gl_Position = gl_Vertex; }",
        "#version 120\nvoid main() { gl_FragColor = gl_SecondaryColor; }",
    );
    assert_eq!(types(&four[0].reflection.outputs, InterfaceRole::VertexOutput), [""; 0]);
    assert_eq!(types(&four[1].reflection.inputs, InterfaceRole::FragmentInput), ["None float4"]);
    let read = |text: &str| -> Shader {
        let words = airfoil_spirv_asm::assemble(text, &airfoil_spirv_asm::Options::default()).unwrap();
        airfoil::steps::read_spirv(&words, &airfoil::ReadOptions::default()).unwrap()
    };
    let five = emitted(vec![read(&vertex_module(4)), read(&fragment_module(2))]);
    assert_eq!(types(&five[0].reflection.outputs, InterfaceRole::VertexOutput), ["Some(0) float4"]);
    assert_eq!(types(&five[1].reflection.inputs, InterfaceRole::FragmentInput), ["Some(0) float2"]);
    let six = program(
        "#version 330 core\nin vec4 p; out vec4 a; void main() { a = p; }",
        "#version 330 core\nin vec4 a; out vec4 o; void main() { o = a; }",
    );
    assert_eq!(types(&six[0].reflection.outputs, InterfaceRole::Position), [""; 0]);
}
