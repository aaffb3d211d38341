//! Shader objects of SPIR-V modules.

use super::*;

/// A module of a stage from its assembly.
fn module(text: &str) -> Vec<u32> {
    airfoil_spirv_asm::assemble(text, &Default::default()).unwrap_or_else(|e| panic!("{e:?}"))
}

const MODULE_VERTEX: &str = "OpCapability Shader
    OpMemoryModel Logical GLSL450
    OpEntryPoint Vertex %main \"start\" %position %out
    OpDecorate %position BuiltIn Position
    OpDecorate %out Location 0
    OpDecorate %scale Location 4
    OpDecorate %factor SpecId 7
    OpName %scale \"scale\"
    %void = OpTypeVoid
    %fn = OpTypeFunction %void
    %float = OpTypeFloat 32
    %v4 = OpTypeVector %float 4
    %po = OpTypePointer Output %v4
    %pu = OpTypePointer UniformConstant %v4
    %position = OpVariable %po Output
    %out = OpVariable %po Output
    %scale = OpVariable %pu UniformConstant
    %factor = OpSpecConstant %float 2
    %main = OpFunction %void None %fn
    %l = OpLabel
    %u = OpLoad %v4 %scale
    %v = OpVectorTimesScalar %v4 %u %factor
    OpStore %position %v
    OpStore %out %u
    OpReturn
    OpFunctionEnd";

#[test]
fn modules_are_specialized_and_linked() {
    let seen = Seen::default();
    let words = module(MODULE_VERTEX);
    unsafe {
        let device = device(&seen);
        let zero: AfSpecializeInfo = std::mem::zeroed();
        let (ids, values) = ([7], [3.25_f32.to_bits()]);
        let info = AfSpecializeInfo {
            size: size_of::<AfSpecializeInfo>() as u32,
            stage: AF_STAGE_VERTEX,
            words: words.as_ptr(),
            word_count: words.len(),
            entry: c"start".as_ptr(),
            constant_ids: ids.as_ptr(),
            constant_values: values.as_ptr(),
            constant_count: 1,
            ..zero
        };
        let specialize = |info: &AfSpecializeInfo| {
            let mut shader = null_mut();
            let result = af_shader_specialize(device, info, null(), &mut shader);
            (result, shader)
        };
        let (result, shader) = specialize(&info);
        assert_eq!(result, AfResult::AF_SUCCESS);
        assert_eq!((af_shader_status(shader), af_shader_is_spirv(shader)), (1, 1));
        let zero: AfLinkInfo = std::mem::zeroed();
        let link = AfLinkInfo { size: size_of::<AfLinkInfo>() as u32, separable: 1, ..zero };
        let (mut program, shaders) = (null_mut(), [shader.cast_const()]);
        let result = af_program_link(device, 1, shaders.as_ptr(), &link, null(), &mut program);
        assert_eq!((result, af_program_status(program)), (AfResult::AF_SUCCESS, 1));
        let mut location = 0;
        let name = c"scale".as_ptr();
        let result = af_program_resource_location(program, GL_UNIFORM, name, &mut location);
        assert_eq!((result, location), (AfResult::AF_SUCCESS, 4));
        assert!(variant(program, AF_STAGE_VERTEX, null()).starts_with(b"MTLB"));
        af_program_release(program);
        af_shader_release(shader);

        // GL_INVALID_VALUE, which makes no shader.
        let other = AfSpecializeInfo { entry: c"main".as_ptr(), ..info };
        assert_eq!(specialize(&other), (AfResult::AF_ERROR_GL_VALUE, null_mut()));
        let unknown = [8];
        let other = AfSpecializeInfo { constant_ids: unknown.as_ptr(), ..info };
        assert_eq!(specialize(&other), (AfResult::AF_ERROR_GL_VALUE, null_mut()));
        let other = AfSpecializeInfo { entry: null(), ..info };
        assert_eq!(specialize(&other), (AfResult::AF_ERROR_INVALID_ARGUMENT, null_mut()));
        // A module that is cut off.
        let cut = AfSpecializeInfo { word_count: words.len() - 1, ..info };
        let (result, shader) = specialize(&cut);
        assert_eq!((result, af_shader_status(shader)), (AfResult::AF_SUCCESS, 0));
        assert!(text(af_shader_log(shader)).contains("error"));
        af_shader_release(shader);
        let glsl = compile(device, AF_STAGE_VERTEX, VERTEX);
        assert_eq!(af_shader_is_spirv(glsl), 0);
        af_shader_release(glsl);
        af_device_release(device);
    }
    assert!(seen.live.lock().unwrap().is_empty());
}
