//! Generated shaders as shader objects: alone, with GLSL and with assembly.

use airfoil_gl::fixed::{FixedFragmentKey, FixedVertexKey};
use airfoil_gl::{
    AssemblyTarget, Budget, CompareFunc, Device, LinkOptions, Program, ShaderObject, Stage, StateKey,
};
use std::sync::Arc;

fn link(device: &Device, vertex: &ShaderObject, fragment: &ShaderObject) -> Arc<Program> {
    assert!(vertex.status() && fragment.status(), "{}{}", vertex.log(), fragment.log());
    let program = device.link(&[vertex, fragment], &LinkOptions::default());
    let program = program.unwrap_or_else(|log| panic!("{log}"));
    for stage in [Stage::Vertex, Stage::Fragment] {
        let function = program.variant(stage, &StateKey::default(), &Budget::default());
        assert!(function.unwrap_or_else(|e| panic!("{e}")).metallib.starts_with(b"MTLB"));
    }
    program
}

#[test]
fn objects_link_among_themselves_and_with_others() {
    let device = Device::default();
    let vertex = device.fixed_vertex_object(&FixedVertexKey::default());
    let fragment = device.fixed_fragment_object(&FixedFragmentKey::default());
    let program = link(&device, &vertex, &fragment);
    // The matrix; the default fragment function has no parameters.
    let block = program.parameter_block(Stage::Vertex).expect("it has parameters");
    let size = program.reflection().uniform_blocks[block as usize].size;
    let parameters = device.fixed_vertex(&FixedVertexKey::default()).parameters.len();
    assert_eq!(size as usize, 16 * parameters);
    assert_eq!(program.parameter_block(Stage::Fragment), None);
    let tested = StateKey { alpha_func: CompareFunc::Less, ..StateKey::default() };
    assert_eq!(program.stage_canonical(Stage::Fragment, &tested).alpha_func, CompareFunc::Less);

    let glsl = "#version 120\nuniform vec4 tint;\nvoid main() { gl_FragColor = gl_Color * tint; }";
    let glsl = device.compile("fs", Stage::Fragment, &[glsl]);
    let program = link(&device, &vertex, &glsl);
    assert!(program.parameter_block(Stage::Vertex).is_some());
    let glsl = "#version 120\nvoid main() { gl_Position = ftransform(); gl_FrontColor = gl_Color; }";
    let _ = link(&device, &device.compile("vs", Stage::Vertex, &[glsl]), &fragment);
    let text = "!!ARBvp1.0\nOPTION ARB_position_invariant;\nMOV result.color, vertex.color;\nEND";
    let _ = link(&device, &device.assemble("vp", AssemblyTarget::Vertex, text), &fragment);
}
