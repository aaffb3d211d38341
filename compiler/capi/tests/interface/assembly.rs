//! Shader objects of assembly programs.

use super::*;

const PROGRAM: &CStr = c"!!ARBfp1.0
PARAM c[3] = { program.env[4], state.fog.color, { 1, 2, 3, 4 } };
TEMP t;
TXP t, fragment.texcoord[0], texture[3], CUBE;
MUL t, t, c[0];
MAD t, t, c[1], program.local[7];
MOV result.color, t;
END";

#[test]
fn assembly_programs_are_read_and_linked() {
    let seen = Seen::default();
    unsafe {
        let device = device(&seen);
        let assemble = |target, text: &CStr, length| {
            let mut shader = null_mut();
            let result = af_shader_assemble(
                device,
                target,
                c"fp".as_ptr(),
                text.as_ptr(),
                length,
                null(),
                &mut shader,
            );
            (result, shader)
        };
        let (result, shader) = assemble(AF_ASSEMBLY_FRAGMENT, PROGRAM, -1);
        assert_eq!(
            (result, af_shader_status(shader)),
            (AfResult::AF_SUCCESS, 1),
            "{}",
            text(af_shader_log(shader))
        );
        let facts = |shader| {
            let mut facts: AfAssembly = std::mem::zeroed();
            facts.size = size_of::<AfAssembly>() as u32;
            (af_shader_assembly(shader, &mut facts), facts)
        };
        let (result, found) = facts(shader);
        assert_eq!(result, AfResult::AF_SUCCESS);
        assert_eq!((found.error_position, found.parameter_count, found.sampler_count), (AF_NONE, 3, 1));
        assert_eq!((found.instructions, found.tex_instructions, found.position_invariant), (4, 1, 0));
        let parameter = |n| {
            let mut found: AfParameter = std::mem::zeroed();
            found.size = size_of::<AfParameter>() as u32;
            assert_eq!(af_shader_parameter(shader, n, &mut found), AfResult::AF_SUCCESS);
            (found.kind, found.index, text(found.name).to_owned())
        };
        let expected = [
            (AF_PARAMETER_ENV, 4, "program.env[4]"),
            (AF_PARAMETER_STATE, 0, "state.fog.color"),
            (AF_PARAMETER_LOCAL, 7, "program.local[7]"),
        ];
        for (n, (kind, index, name)) in (0..).zip(expected) {
            assert_eq!(parameter(n), (kind, index, name.to_owned()));
        }
        let mut other: AfParameter = std::mem::zeroed();
        other.size = size_of::<AfParameter>() as u32;
        assert_eq!(af_shader_parameter(shader, 3, &mut other), AfResult::AF_ERROR_INVALID_ARGUMENT);
        let mut unit: AfUnit = std::mem::zeroed();
        unit.size = size_of::<AfUnit>() as u32;
        assert_eq!(af_shader_unit(shader, 0, &mut unit), AfResult::AF_SUCCESS);
        assert_eq!((unit.unit, unit.target, unit.shadow), (3, 0x8513, 0));
        assert_eq!(af_shader_unit(shader, 1, &mut unit), AfResult::AF_ERROR_INVALID_ARGUMENT);

        let vertex = c"#version 120
            void main() { gl_Position = ftransform(); gl_TexCoord[0] = gl_MultiTexCoord0; }";
        let vertex = compile(device, AF_STAGE_VERTEX, vertex);
        let (mut program, shaders) = (null_mut(), [vertex.cast_const(), shader.cast_const()]);
        let result = af_program_link(device, 2, shaders.as_ptr(), null(), null(), &mut program);
        assert_eq!(
            (result, af_program_status(program)),
            (AfResult::AF_SUCCESS, 1),
            "{}",
            text(af_program_log(program))
        );
        let block = af_program_parameter_block(program, AF_STAGE_FRAGMENT);
        let mut name = AfText { data: null(), length: 0 };
        let result = af_program_resource_name(program, GL_UNIFORM_BLOCK, block, &mut name);
        assert_eq!((result, &*text(name)), (AfResult::AF_SUCCESS, "ProgramParameters"));
        assert_eq!(af_program_parameter_block(program, AF_STAGE_VERTEX), AF_NONE);
        assert_eq!(af_program_parameter_block(program, 77), AF_NONE);
        assert!(variant(program, AF_STAGE_FRAGMENT, null()).starts_with(b"MTLB"));
        af_program_release(program);
        af_shader_release(shader);

        // Errors: part of the text, another target, an unknown one.
        let (result, shader) = assemble(AF_ASSEMBLY_FRAGMENT, PROGRAM, 20);
        assert_eq!((result, af_shader_status(shader)), (AfResult::AF_SUCCESS, 0));
        assert_eq!(facts(shader).1.error_position, 20);
        assert!(text(af_shader_log(shader)).contains("error"));
        af_shader_release(shader);
        let (result, shader) = assemble(AF_ASSEMBLY_VERTEX, PROGRAM, -1);
        assert_eq!((result, facts(shader).1.error_position), (AfResult::AF_SUCCESS, 0));
        af_shader_release(shader);
        assert_eq!(assemble(2, PROGRAM, -1), (AfResult::AF_ERROR_INVALID_ARGUMENT, null_mut()));
        assert_eq!(facts(vertex).0, AfResult::AF_ERROR_INVALID_ARGUMENT);
        assert_eq!(facts(null_mut()).0, AfResult::AF_ERROR_INVALID_ARGUMENT);
        af_shader_release(vertex);
        af_device_release(device);
    }
    assert!(seen.live.lock().unwrap().is_empty());
}
