//! Pipelines of separable programs.

use super::*;

#[test]
fn separable_programs_make_pipelines() {
    const VERTEX: &CStr =
        c"#version 330\nin vec4 p; out vec4 a; out vec2 b; void main() { gl_Position = p; a = p; b = p.xy; }";
    const FRAGMENT: &CStr = c"#version 330\nin vec2 b; out vec4 c; void main() { c = b.xyxy; }";
    let seen = Seen::default();
    unsafe {
        let device = device(&seen);
        let zero: AfLinkInfo = std::mem::zeroed();
        let one = |stage, source, separable| {
            let shader = compile(device, stage, source);
            let info = AfLinkInfo { size: size_of::<AfLinkInfo>() as u32, separable, ..zero };
            let (mut program, shaders) = (null_mut(), [shader.cast_const()]);
            let result = af_program_link(device, 1, shaders.as_ptr(), &info, null(), &mut program);
            assert_eq!(result, AfResult::AF_SUCCESS);
            af_shader_release(shader);
            assert_eq!(af_program_status(program), 1, "{}", text(af_program_log(program)));
            program
        };
        let (vertex, fragment) = (one(AF_STAGE_VERTEX, VERTEX, 1), one(AF_STAGE_FRAGMENT, FRAGMENT, 1));
        let join = |programs: &[*mut AfProgram], stages: *const u32| {
            let mut program = null_mut();
            let list: Vec<*const AfProgram> = programs.iter().map(|p| p.cast_const()).collect();
            let result =
                af_program_pipeline(device, list.len() as u32, list.as_ptr(), stages, null(), &mut program);
            (result, program)
        };
        let masks = [1 << AF_STAGE_VERTEX, 1 << AF_STAGE_FRAGMENT];
        for stages in [null(), masks.as_ptr()] {
            let (result, pipeline) = join(&[vertex, fragment], stages);
            assert_eq!((result, af_program_status(pipeline)), (AfResult::AF_SUCCESS, 1));
            for stage in [AF_STAGE_VERTEX, AF_STAGE_FRAGMENT] {
                assert!(variant(pipeline, stage, null()).starts_with(b"MTLB"));
            }
            af_program_release(pipeline);
        }
        // A stage twice is an error of the pipeline, an unknown stage one of the call.
        let (result, pipeline) = join(&[vertex, vertex], null());
        assert_eq!((result, af_program_status(pipeline)), (AfResult::AF_SUCCESS, 0));
        assert!(text(af_program_log(pipeline)).contains("two programs are active"));
        af_program_release(pipeline);
        let unknown = [1 << 6, 1];
        assert_eq!(
            join(&[vertex, fragment], unknown.as_ptr()),
            (AfResult::AF_ERROR_INVALID_ARGUMENT, null_mut())
        );
        for program in [vertex, fragment] {
            af_program_release(program);
        }
        af_device_release(device);
    }
    assert!(seen.live.lock().unwrap().is_empty());
}
