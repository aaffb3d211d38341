//! Shader objects of the fixed functions.

use super::*;

#[test]
fn shaders_of_fixed_functions_are_made_and_linked() {
    let seen = Seen::default();
    unsafe {
        let device = device(&seen);
        let vertex = |key: &AfFixedVertexKey| {
            let mut shader = null_mut();
            (af_shader_fixed_vertex(device, key, &mut shader), shader)
        };
        let fragment = |key: &AfFixedFragmentKey| {
            let mut shader = null_mut();
            (af_shader_fixed_fragment(device, key, &mut shader), shader)
        };
        // A light, and a texture that is blended with the color of its environment.
        let mut lit =
            AfFixedVertexKey { size: size_of::<AfFixedVertexKey>() as u32, flags: 1, ..Default::default() };
        lit.lights[2] = 1 | 2;
        lit.coordinates[0].flags = 1;
        let mut textured =
            AfFixedFragmentKey { size: size_of::<AfFixedFragmentKey>() as u32, ..Default::default() };
        textured.units[0] = AfTextureUnit { target: 2, format: 5, mode: 2, ..Default::default() };
        let ((a, lit_shader), (b, textured_shader)) = (vertex(&lit), fragment(&textured));
        assert_eq!((a, b), (AfResult::AF_SUCCESS, AfResult::AF_SUCCESS));
        assert_eq!((af_shader_status(lit_shader), af_shader_status(textured_shader)), (1, 1));
        let names = |shader| -> Vec<String> {
            let name = |n| {
                let mut found: AfParameter = std::mem::zeroed();
                found.size = size_of::<AfParameter>() as u32;
                assert_eq!(af_shader_parameter(shader, n, &mut found), AfResult::AF_SUCCESS);
                text(found.name)
            };
            (0..af_shader_parameter_count(shader)).map(name).collect()
        };
        assert_eq!(names(textured_shader), ["state.texenv[0].color"]);
        assert!(names(lit_shader).contains(&"state.light[2].position".to_owned()), "{:?}", names(lit_shader));
        let (mut program, shaders) = (null_mut(), [lit_shader.cast_const(), textured_shader.cast_const()]);
        let result = af_program_link(device, 2, shaders.as_ptr(), null(), null(), &mut program);
        assert_eq!(
            (result, af_program_status(program)),
            (AfResult::AF_SUCCESS, 1),
            "{}",
            text(af_program_log(program))
        );
        let blocks = [AF_STAGE_VERTEX, AF_STAGE_FRAGMENT].map(|s| af_program_parameter_block(program, s));
        assert!(blocks[0] != blocks[1] && !blocks.contains(&AF_NONE), "{blocks:?}");
        assert!(variant(program, AF_STAGE_FRAGMENT, null()).starts_with(b"MTLB"));
        af_program_release(program);
        af_shader_release(lit_shader);
        af_shader_release(textured_shader);

        // Values that the interface does not have.
        let invalid = AfResult::AF_ERROR_INVALID_ARGUMENT;
        let wrong = |change: &dyn Fn(&mut AfFixedVertexKey)| {
            let mut key = lit;
            change(&mut key);
            assert_eq!(vertex(&key), (invalid, null_mut()));
        };
        wrong(&|key| key.size = 3);
        wrong(&|key| key.flags = 512);
        wrong(&|key| key.color_material[1] = 6);
        wrong(&|key| key.fog = 3);
        wrong(&|key| key.reserved[2] = 1);
        wrong(&|key| key.lights[7] = 16);
        wrong(&|key| key.coordinates[7].flags = 4);
        wrong(&|key| key.coordinates[7].texgen[3] = 6);
        let wrong = |change: &dyn Fn(&mut AfFixedFragmentKey)| {
            let mut key = textured;
            change(&mut key);
            assert_eq!(fragment(&key), (invalid, null_mut()));
        };
        wrong(&|key| key.flags = 4);
        wrong(&|key| key.reserved[0] = 1);
        wrong(&|key| key.units[7].target = 10);
        wrong(&|key| key.units[7].format = 6);
        wrong(&|key| key.units[7].mode = 6);
        wrong(&|key| key.units[7].reserved = 1);
        wrong(&|key| key.units[7].rgb.function = 8);
        wrong(&|key| key.units[7].rgb.sources[2] = 12);
        wrong(&|key| key.units[7].alpha.operands[0] = 4);
        wrong(&|key| key.units[7].alpha.scale = 3);
        let mut none = null_mut();
        assert_eq!(af_shader_fixed_vertex(device, null(), &mut none), invalid);
        assert_eq!(af_shader_parameter_count(null()), 0);
        af_device_release(device);
    }
    assert!(seen.live.lock().unwrap().is_empty());
}
