//! Assembly programs as shader objects: alone, and with shaders in GLSL.

use airfoil_gl::{
    AssemblyTarget, Budget, CompareFunc, Device, FogMode, LinkOptions, Program, Stage, StateKey, StateMask,
    StateVector,
};
use std::sync::Arc;

const VERTEX: &str = "!!ARBvp1.0
PARAM mvp[4] = { state.matrix.mvp };
DP4 result.position.x, mvp[0], vertex.position;
DP4 result.position.y, mvp[1], vertex.position;
DP4 result.position.z, mvp[2], vertex.position;
DP4 result.position.w, mvp[3], vertex.position;
MUL result.color, vertex.color, program.env[3];
MOV result.texcoord[1], vertex.texcoord[0];
END";

const FRAGMENT: &str = "!!ARBfp1.0
TEMP t;
TEX t, fragment.texcoord[1], texture[2], 2D;
MUL t, t, fragment.color;
ADD result.color, t, state.fog.color;
END";

fn link(objects: &[&airfoil_gl::ShaderObject], device: &Device) -> Arc<Program> {
    for object in objects {
        assert!(object.status(), "{}", object.log());
    }
    device.link(objects, &LinkOptions::default()).unwrap_or_else(|log| panic!("{log}"))
}

/// The functions of both stages for a key.
fn functions(program: &Program, key: &StateKey) -> Vec<Vec<u8>> {
    let of = |stage| program.variant(stage, key, &Budget::default()).unwrap_or_else(|e| panic!("{e}"));
    [Stage::Vertex, Stage::Fragment].map(|stage| of(stage).metallib.to_vec()).to_vec()
}

#[test]
fn programs_of_two_assembly_programs() {
    let device = Device::default();
    let vertex = device.assemble("vp", AssemblyTarget::Vertex, VERTEX);
    let fragment = device.assemble("fp", AssemblyTarget::Fragment, FRAGMENT);
    let program = link(&[&vertex, &fragment], &device);
    let facts = vertex.assembly().expect("it is an assembly program");
    assert_eq!(facts.parameters.len(), 5);
    assert_eq!(facts.parameters[4].to_string(), "program.env[3]");
    assert_eq!(facts.counts.instructions, 6);
    let facts = fragment.assembly().expect("it is an assembly program");
    assert_eq!(facts.parameters, [airfoil::arb::Parameter::State(StateVector::FogColor)]);
    assert_eq!(facts.samplers.iter().map(|s| s.unit).collect::<Vec<_>>(), [2]);
    // Each stage has a block of its own.
    let blocks =
        [Stage::Vertex, Stage::Fragment].map(|s| program.parameter_block(s).expect("it has parameters"));
    assert_ne!(blocks[0], blocks[1]);
    let sizes = blocks.map(|n| program.reflection().uniform_blocks[n as usize].size);
    assert_eq!(sizes, [5 * 16, 16]);
    let bindings = blocks.map(|n| program.reflection().uniform_blocks[n as usize].binding);
    assert_ne!(bindings[0], bindings[1]);
    let names = |s| program.arguments(s).expect("the stage exists").arguments.len();
    assert!(names(Stage::Vertex) >= 1 && names(Stage::Fragment) >= 3);
    // State applies as to GLSL.
    let depends = program.depends_on();
    assert!(depends.contains(StateMask::ALPHA_FUNC | StateMask::FLAT_COLORS | StateMask::FOG));
    let plain = functions(&program, &StateKey::default());
    let tested = functions(&program, &StateKey { alpha_func: CompareFunc::Less, ..StateKey::default() });
    assert_eq!(plain[0], tested[0]);
    assert_ne!(plain[1], tested[1]);
    let fog = StateKey { fog: FogMode::Linear, ..StateKey::default() };
    assert_ne!(functions(&program, &fog)[1], plain[1]);
}

#[test]
fn comparisons_have_the_mode_of_the_texture() {
    let device = Device::default();
    let text = "!!ARBfp1.0\nOPTION ARB_fragment_program_shadow;
        TEX result.color, fragment.texcoord[1], texture[2], SHADOW2D;\nEND";
    let vertex = device.assemble("vp", AssemblyTarget::Vertex, VERTEX);
    let fragment = device.assemble("fp", AssemblyTarget::Fragment, text);
    let program = link(&[&vertex, &fragment], &device);
    let binding = program.arguments(Stage::Fragment).expect("the stage exists").arguments[0].binding;
    let mode = |n: usize| {
        let mut key = StateKey::default();
        key.depth_modes[n] = 1 << binding.expect("textures have bindings");
        assert_eq!(program.stage_canonical(Stage::Fragment, &key), key);
        functions(&program, &key).swap_remove(1)
    };
    let mut all = vec![functions(&program, &StateKey::default()).swap_remove(1), mode(0), mode(1), mode(2)];
    all.sort();
    all.dedup();
    assert_eq!(all.len(), 4, "the functions of two modes are equal");
}

#[test]
fn assembly_programs_link_with_glsl() {
    let device = Device::default();
    let text = "#version 120
        uniform vec4 tint; uniform sampler2D image;
        void main() { gl_FragColor = gl_Color * tint + texture2D(image, gl_TexCoord[1].xy); }";
    let vertex = device.assemble("vp", AssemblyTarget::Vertex, VERTEX);
    let fragment = device.compile("fs", Stage::Fragment, &[text]);
    let program = link(&[&vertex, &fragment], &device);
    assert!(fragment.assembly().is_none());
    assert_eq!(program.parameter_block(Stage::Fragment), None);
    let block = program.parameter_block(Stage::Vertex).expect("it has parameters") as usize;
    let default = program.reflection().default_block.expect("there is a uniform").0;
    assert_ne!(program.reflection().uniform_blocks[block].binding, Some(default));
    let _ = functions(&program, &StateKey::default());

    let text = "#version 120\nvarying vec4 v;\nvoid main() {
        gl_Position = ftransform(); gl_FrontColor = gl_Color; gl_TexCoord[1] = gl_MultiTexCoord0; v = gl_Color; }";
    let vertex = device.compile("vs", Stage::Vertex, &[text]);
    let second = device.assemble("vp", AssemblyTarget::Vertex, VERTEX);
    for objects in [[&vertex, &second], [&second, &vertex]] {
        let log = device.link(&objects, &LinkOptions::default()).unwrap_err().to_string();
        assert!(log.contains("several SPIR-V shaders or assembly programs"), "{log}");
    }
    let fragment = device.assemble("fp", AssemblyTarget::Fragment, FRAGMENT);
    let program = link(&[&vertex, &fragment], &device);
    let _ = functions(&program, &StateKey::default());
}

#[test]
fn errors_have_positions() {
    let device = Device::default();
    let text = "!!ARBfp1.0\nTEMP t;\nMOV t, u;\nEND";
    let object = device.assemble("fp", AssemblyTarget::Fragment, text);
    assert!(!object.status());
    assert_eq!(object.assembly().and_then(|a| a.error_position), text.find("u;"));
    let log = object.log().to_string();
    assert!(log.starts_with("fp:3(8): error: `u` is not declared"), "{log}");
    let object = device.assemble("vp", AssemblyTarget::Vertex, text);
    assert!(object.log().to_string().contains("!!ARBvp1.0"), "{}", object.log());
    assert_eq!(object.assembly().and_then(|a| a.error_position), Some(0));
    let fragment = device.assemble("fp", AssemblyTarget::Fragment, FRAGMENT);
    let log = device.link(&[&object, &fragment], &LinkOptions::default()).unwrap_err().to_string();
    assert!(log.contains("`vp` is not compiled"), "{log}");
}
