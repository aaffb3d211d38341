//! Stages that are compiled apart, and state of the pipeline: defects 7, 10 and 11.

use airfoil::air::select::{InterfaceRole, Records};
use airfoil::glsl::{ProgramOptions, Source};
use airfoil::{CompileOptions, Compiler, Output, PipelineState, Previous, Reflection, Stage};
use airfoil_interp::pipeline::{Draw, Pipeline, State, Target, Topology};
use airfoil_interp::run::Vertex;
use airfoil_interp::{Config, Resources, System, Values};
use airfoil_ir::SystemValue;

fn compile(state: PipelineState, sources: &[(Stage, &str)]) -> Output {
    let sources: Vec<Source<'_>> =
        sources.iter().map(|&(stage, text)| Source { name: "a", stage, text }).collect();
    let mut options = ProgramOptions::default();
    options.link.separable = sources.len() == 1;
    Compiler::new(CompileOptions::default().state(state)).compile_glsl(&sources, &options).unwrap()
}

/// The reflection of a function after it was written as JSON and read back, as other compiles of the program take it.
fn reflection(output: &Output) -> Reflection {
    Reflection::from_json(&output.functions[0].reflection.to_json()).unwrap()
}

fn after(previous: &Output) -> PipelineState {
    PipelineState::default().previous(Some(Previous::new(&reflection(previous)).unwrap()))
}

/// OpenGL writes gl_FragColor to every draw buffer, a Metal function to the attachments that it names.
#[test]
fn defect_7_gl_frag_color_is_written_to_all_attachments() {
    let fragment = "#version 120\nvoid main() { gl_FragColor = vec4(1.0); }";
    for attachments in [1, 2, 8] {
        let state = PipelineState::default().color_attachments(attachments);
        let output = compile(state, &[(Stage::Fragment, fragment)]);
        let targets: Vec<Option<u32>> = output.functions[0]
            .reflection
            .outputs
            .iter()
            .filter(|v| v.role == InterfaceRole::RenderTarget)
            .map(|v| v.location)
            .collect();
        let expected: Vec<Option<u32>> = (0..attachments).map(Some).collect();
        assert_eq!(targets, expected);
    }
}

/// The inputs of a fragment function that is compiled alone, as the reflection lists them.
fn inputs(output: &Output) -> Vec<(String, String)> {
    let list = &output.functions[0].reflection.inputs;
    list.iter().map(|v| (v.name.to_string(), v.type_name.to_string())).collect()
}

#[test]
fn a_fragment_shader_compiled_alone_takes_the_reflection_of_the_stage_before() {
    let vertex =
        "#version 450\nlayout(location = 0) out vec3 a; layout(location = 1, component = 2) out float b;
        layout(location = 3) out vec4 c;
        void main() { gl_Position = vec4(0.0); a = vec3(1.0); b = 1.0; c = vec4(1.0); }";
    let fragment = "#version 450\nlayout(location = 0) in vec4 a; layout(location = 2) in float missing;
        layout(location = 3) in vec2 c; layout(location = 0) out vec4 o;
        void main() { o = a + missing + c.xyxy; }";
    let list = |pairs: &[(&str, &str)]| -> Vec<(String, String)> {
        pairs.iter().map(|(name, ty)| ((*name).to_owned(), (*ty).to_owned())).collect()
    };
    let alone = compile(PipelineState::default(), &[(Stage::Fragment, fragment)]);
    let required = [("user(locn0)", "float4"), ("user(locn2)", "float"), ("user(locn3)", "float2")];
    assert_eq!(inputs(&alone), list(&required));
    let before = compile(PipelineState::default(), &[(Stage::Vertex, vertex)]);
    let matched = compile(after(&before), &[(Stage::Fragment, fragment)]);
    assert_eq!(inputs(&matched), list(&[("user(locn0)", "float3"), ("user(locn3)", "float4")]));
    // Nothing but a position comes before.
    let nothing = "#version 450\nvoid main() { gl_Position = vec4(0.0); }";
    let before = compile(PipelineState::default(), &[(Stage::Vertex, nothing)]);
    assert_eq!(inputs(&compile(after(&before), &[(Stage::Fragment, fragment)])), list(&[]));
}

const WIDE_VERTEX: &str = "#version 450\nlayout(location = 0) out vec4 a; layout(location = 1) out vec4 b;
    void main() { gl_Position = vec4(0.0); a = vec4(1.0); b = vec4(2.0); }";

fn records<'a>(output: &'a Output, buffer: &str) -> &'a Records {
    let list = &output.functions[0].reflection.records;
    list.iter().find(|r| r.buffer == buffer).unwrap()
}

#[test]
fn defect_10_records_of_stages_compiled_apart() {
    let geometry = "#version 450\nlayout(points) in; layout(points, max_vertices = 1) out;
        layout(location = 1) in vec4 b[]; layout(location = 2) in vec4 missing[];
        void main() { gl_Position = gl_in[0].gl_Position + b[0] + missing[0]; EmitVertex(); }";
    let evaluation = "#version 450\nlayout(triangles) in; layout(location = 1) in vec4 b[];
        void main() { gl_Position = gl_in[0].gl_Position + b[0]; }";
    let kernel = compile(PipelineState::default().vertex_kernel(true), &[(Stage::Vertex, WIDE_VERTEX)]);
    let written = records(&kernel, "stage_vertices");
    let alone = compile(PipelineState::default(), &[(Stage::Geometry, geometry)]);
    assert_ne!(written.slots, records(&alone, "stage_vertices").slots);
    let matched = compile(after(&kernel), &[(Stage::Geometry, geometry)]);
    assert_eq!(written.slots, records(&matched, "stage_vertices").slots);
    assert_eq!(written.bytes, records(&matched, "stage_vertices").bytes);
    // Without a control shader the evaluation shader reads the vertices as control points.
    let control = "#version 450\nlayout(vertices = 3) out; layout(location = 1) out vec4 b[];
        void main() { gl_out[gl_InvocationID].gl_Position = gl_in[0].gl_Position; b[gl_InvocationID] = vec4(1.0);
            gl_TessLevelOuter[0] = 1.0; }";
    let first = compile(after(&kernel), &[(Stage::TessControl, control)]);
    assert_eq!(written.slots, records(&first, "stage_vertices").slots);
    let second = compile(after(&first), &[(Stage::TessEval, evaluation)]);
    for buffer in ["stage_control_points", "stage_patches"] {
        assert_eq!(records(&first, buffer).slots, records(&second, buffer).slots, "{buffer}");
    }
}

#[test]
fn a_reflection_with_another_layout_is_an_error() {
    let kernel = compile(PipelineState::default().vertex_kernel(true), &[(Stage::Vertex, WIDE_VERTEX)]);
    let mut reflection = reflection(&kernel);
    reflection.records[0].slots[1].offset = 48;
    assert_eq!(Previous::new(&reflection).unwrap_err().code, "E0509");
}

/// The interpreter clips by the distances of shaders as they are read, before any pass.
#[test]
fn defect_11_the_interpreter_clips_by_distances() {
    let vertex = "#version 450\nout float gl_ClipDistance[1]; out float gl_CullDistance[1];
        void main() {
            vec2 p = vec2(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0);
            gl_Position = vec4(p, 0.0, 1.0); gl_ClipDistance[0] = p.x; gl_CullDistance[0] = CULL;
        }";
    let fragment = "#version 450\nout vec4 o; void main() { o = vec4(1.0); }";
    let lit = |cull: &str, enabled: u8| {
        let vertex = vertex.replace("CULL", cull);
        let sources = [
            Source { name: "a.vert", stage: Stage::Vertex, text: &vertex },
            Source { name: "a.frag", stage: Stage::Fragment, text: fragment },
        ];
        let program = airfoil::steps::read_glsl(&sources, &ProgramOptions::default()).unwrap();
        let mut pipeline = Pipeline::new(&program.shaders, &Config::default()).unwrap();
        let mut state = State::new(16, 16);
        state.clip_distances = enabled;
        let mut target = Target::new(16, 16, 1, 1);
        let vertex =
            |n| Vertex { inputs: Values::default(), system: System::new().with(SystemValue::vertex_id, n) };
        let vertices = [0, 1, 2].map(vertex);
        let draw =
            Draw { topology: Topology::Triangles, vertices: &vertices, indices: None, system: System::new() };
        pipeline.draw(&mut Resources::new(), &draw, &state, &mut target).unwrap();
        target.colors[0].iter().filter(|color| f32::from_bits(color[0]) > 0.5).count()
    };
    assert_eq!(lit("1.0", 0xff), 128);
    assert_eq!(lit("1.0", 0), 256);
    assert_eq!(lit("-1.0", 0), 0);
}

/// Defect 22: the fragment function discards primitives by cull distance, which comes too late after early tests.
#[test]
fn early_fragment_tests_and_cull_distances() {
    let vertex = "#version 450\nout float gl_CullDistance[1];
        void main() { gl_Position = vec4(0.0); gl_CullDistance[0] = 1.0; }";
    let fragment = "#version 450\nEARLY out vec4 o; void main() { o = vec4(1.0); }";
    for (early, rejected) in [("", false), ("layout(early_fragment_tests) in;", true)] {
        let fragment = fragment.replace("EARLY", early);
        let sources = [
            Source { name: "a.vert", stage: Stage::Vertex, text: vertex },
            Source { name: "a.frag", stage: Stage::Fragment, text: &fragment },
        ];
        let compiler = Compiler::new(CompileOptions::default());
        let codes: Vec<&str> = match compiler.compile_glsl(&sources, &ProgramOptions::default()) {
            Ok(_) => Vec::new(),
            Err(errors) => errors.iter().map(|e| e.code).collect(),
        };
        assert_eq!(codes, if rejected { vec!["E0329"] } else { Vec::new() });
    }
}
