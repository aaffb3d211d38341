//! Transform feedback of tessellation and geometry stages.

use super::*;

#[test]
fn geometry_is_captured_by_kernels() {
    const VERTEX: &CStr = c"#version 450\nlayout(location = 0) in vec4 p; void main() { gl_Position = p; }";
    const GEOMETRY: &CStr =
        c"#version 450\nlayout(points) in; layout(line_strip, max_vertices = 2) out; out vec3 v;
        void main() { v = vec3(1.0); EmitVertex(); EmitVertex(); }";
    let seen = Seen::default();
    unsafe {
        let device = device(&seen);
        let shaders = [
            compile(device, AF_STAGE_VERTEX, VERTEX).cast_const(),
            compile(device, AF_STAGE_GEOMETRY, GEOMETRY).cast_const(),
        ];
        let varyings = [c"v".as_ptr()];
        let info = AfLinkInfo {
            size: size_of::<AfLinkInfo>() as u32,
            varyings: varyings.as_ptr(),
            varying_count: 1,
            separable: 1,
            ..std::mem::zeroed()
        };
        let mut program = null_mut();
        assert_eq!(
            af_program_link(device, 2, shaders.as_ptr(), &info, null(), &mut program),
            AfResult::AF_SUCCESS
        );
        assert_eq!(af_program_status(program), 1, "{}", text(af_program_log(program)));
        let mut codes = Vec::new();
        for capture_step in 0..3 {
            let key = AfStateKey { capture_step, ..key(0) };
            codes.push(variant(program, AF_STAGE_GEOMETRY, &key));
        }
        assert!(codes[0] != codes[1] && codes[1] != codes[2] && codes[0] != codes[2]);
        // Two vertices of twelve bytes; a part of a line does not fit.
        let (mut counters, mut vertices) = (AfCaptureCounters { written: [9; 4], ..Default::default() }, 0);
        let bytes = [24_u64 * 5 + 23, 0, 0, 0];
        let begin =
            |bytes, counters, vertices| af_program_capture_counters(program, bytes, counters, vertices);
        assert_eq!(begin(bytes.as_ptr(), &mut counters, &mut vertices), AfResult::AF_SUCCESS);
        assert_eq!(
            (counters, vertices),
            (AfCaptureCounters { limit: [5, 0, 0, 0], ..Default::default() }, 2)
        );
        assert_eq!(begin(null(), &mut counters, &mut vertices), AfResult::AF_ERROR_INVALID_ARGUMENT);
        let mut sums = null_mut();
        assert_eq!(af_program_capture_sums(device, null(), &mut sums), AfResult::AF_SUCCESS);
        assert_eq!(af_program_status(sums), 1, "{}", text(af_program_log(sums)));
        assert!(variant(sums, AF_STAGE_COMPUTE, null()).starts_with(b"MTLB"));
        let result = af_program_capture_counters(sums, bytes.as_ptr(), &mut counters, &mut vertices);
        assert_eq!(result, AfResult::AF_ERROR_INVALID_ARGUMENT);
        for program in [program, sums] {
            af_program_release(program);
        }
        for shader in shaders {
            af_shader_release(shader.cast_mut());
        }
        af_device_release(device);
    }
    assert!(seen.live.lock().unwrap().is_empty());
}
