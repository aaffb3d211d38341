//! The functions of the interface, called as C calls them.

#![allow(clippy::undocumented_unsafe_blocks, reason = "nearly all of this is the code of a caller in C")]

mod assembly;
mod cache;
mod capture;
mod fixed;
mod nesting;
mod pipelines;
mod specialize;

use airfoil_capi::*;
use std::collections::HashMap;
use std::ffi::{CStr, CString, c_char, c_void};
use std::ptr::{null, null_mut};
use std::sync::Mutex;

const VERTEX: &CStr = c"#version 330
    in vec4 p; in vec2 uv; out vec2 v_uv; uniform mat4 mvp; uniform float list[3];
    void main() { gl_Position = mvp * p * list[1]; v_uv = uv; }";
const FRAGMENT: &CStr = c"#version 330
    in vec2 v_uv; uniform sampler2D t; uniform Block { vec4 tint; float scale; }; out vec4 color;
    void main() { color = texture(t, v_uv) * tint * scale + vec4(gl_FragCoord.y); }";

const GL_UNIFORM: u32 = 0x92E1;
const GL_UNIFORM_BLOCK: u32 = 0x92E2;
const GL_PROGRAM_INPUT: u32 = 0x92E3;

/// Records of the callbacks.
#[derive(Default)]
struct Seen {
    live: Mutex<HashMap<usize, (usize, usize)>>,
    messages: Mutex<Vec<String>>,
    /// Allocations that succeed before all fail.
    left: Mutex<Option<usize>>,
}

unsafe extern "C" fn allocate(user: *mut c_void, size: usize, alignment: usize) -> *mut c_void {
    let seen = unsafe { &*user.cast::<Seen>() };
    if let Some(left) = seen.left.lock().unwrap().as_mut() {
        if *left == 0 {
            return null_mut();
        }
        *left -= 1;
    }
    let layout = std::alloc::Layout::from_size_align(size, alignment).unwrap();
    let memory = unsafe { std::alloc::alloc(layout) };
    seen.live.lock().unwrap().insert(memory as usize, (size, alignment));
    memory.cast()
}

unsafe extern "C" fn deallocate(user: *mut c_void, memory: *mut c_void, size: usize, alignment: usize) {
    let seen = unsafe { &*user.cast::<Seen>() };
    assert_eq!(seen.live.lock().unwrap().remove(&(memory as usize)), Some((size, alignment)));
    let layout = std::alloc::Layout::from_size_align(size, alignment).unwrap();
    unsafe { std::alloc::dealloc(memory.cast(), layout) };
}

unsafe extern "C" fn log(user: *mut c_void, severity: AfSeverity, message: *const c_char, length: usize) {
    let seen = unsafe { &*user.cast::<Seen>() };
    assert_eq!(severity, AF_SEVERITY_ERROR);
    let text = unsafe { CStr::from_ptr(message) }.to_str().unwrap();
    assert_eq!(text.len(), length);
    seen.messages.lock().unwrap().push(text.to_owned());
}

fn info(seen: &Seen) -> AfDeviceInfo {
    // SAFETY: all bits zero are a value.
    let zero: AfDeviceInfo = unsafe { std::mem::zeroed() };
    AfDeviceInfo {
        size: size_of::<AfDeviceInfo>() as u32,
        allocate: Some(allocate),
        deallocate: Some(deallocate),
        log: Some(log),
        user: (&raw const *seen).cast_mut().cast(),
        driver_buffer: 0,
        spare: 0,
        ..zero
    }
}

unsafe fn device(seen: &Seen) -> *mut AfDevice {
    let mut device = null_mut();
    assert_eq!(unsafe { af_device_create(&info(seen), &mut device, null_mut()) }, AfResult::AF_SUCCESS);
    device
}

unsafe fn compile(device: *mut AfDevice, stage: AfStage, text: &CStr) -> *mut AfShader {
    let mut shader = null_mut();
    let text = text.as_ptr();
    let result =
        unsafe { af_shader_compile(device, stage, c"name".as_ptr(), 1, &text, null(), null(), &mut shader) };
    assert_eq!(result, AfResult::AF_SUCCESS);
    shader
}

unsafe fn link(device: *mut AfDevice, info: *const AfLinkInfo) -> *mut AfProgram {
    unsafe {
        let vertex = compile(device, AF_STAGE_VERTEX, VERTEX);
        let fragment = compile(device, AF_STAGE_FRAGMENT, FRAGMENT);
        let shaders = [vertex.cast_const(), fragment.cast_const()];
        let mut program = null_mut();
        assert_eq!(
            af_program_link(device, 2, shaders.as_ptr(), info, null(), &mut program),
            AfResult::AF_SUCCESS
        );
        af_shader_release(vertex);
        af_shader_release(fragment);
        assert_eq!(af_program_status(program), 1, "{}", text(af_program_log(program)));
        program
    }
}

fn text(text: AfText) -> String {
    let found = unsafe { CStr::from_ptr(text.data) }.to_str().unwrap();
    assert_eq!(found.len(), text.length);
    found.to_owned()
}

fn bytes(bytes: AfBytes) -> Vec<u8> {
    unsafe { std::slice::from_raw_parts(bytes.data.cast(), bytes.length) }.to_vec()
}

unsafe fn variant(program: *mut AfProgram, stage: AfStage, key: *const AfStateKey) -> Vec<u8> {
    unsafe {
        let mut function = null_mut();
        let result = af_program_variant(program, stage, key, null(), &mut function, null_mut());
        assert_eq!(result, AfResult::AF_SUCCESS);
        let found = bytes(af_function_metallib(function));
        assert!(found.starts_with(b"MTLB"));
        af_function_release(function);
        found
    }
}

fn key(flags: AfStateFlags) -> AfStateKey {
    AfStateKey {
        size: size_of::<AfStateKey>() as u32,
        flags,
        clip_enable: 0,
        point_size: 0,
        color_attachments: 0,
        patch_vertices: 0,
        index_bits: 0,
        reserved: [0; 3],
        attachments: [AF_ATTACHMENT_AS_WRITTEN; 8],
        alpha_func: 0,
        fog: 0,
        coord_replace: 0,
        clip_planes: 0,
        logic_op: 0,
        inlined_count: 0,
        blend: 0,
        spare: 0,
        gl_clamp: [0; 3],
        compare_off: 0,
        nonseamless: 0,
        inlined: [AfInlinedUniform::default(); 4],
        vertex_formats: [AfVertexFormat::default(); 32],
        depth_modes: [0; 3],
        external_planes: [0; 2],
        lines: 0,
        polygon_mode: 0,
        polygons: 0,
        capture_step: 0,
        pulled: 0,
        instanced: 0,
        unaligned: 0,
    }
}

#[test]
fn a_program_is_linked_queried_and_drawn_with() {
    let seen = Seen::default();
    unsafe {
        let device = device(&seen);
        let names = [c"p".as_ptr(), c"uv".as_ptr()];
        let attributes = [5, 9].map(|location| AfBinding { name: null(), location, index: 0 });
        let attributes =
            [AfBinding { name: names[0], ..attributes[0] }, AfBinding { name: names[1], ..attributes[1] }];
        let link_info = AfLinkInfo {
            size: size_of::<AfLinkInfo>() as u32,
            attributes: attributes.as_ptr(),
            attribute_count: 2,
            ..std::mem::zeroed()
        };
        let program = link(device, &link_info);
        assert_eq!(af_program_stages(program), 1 << AF_STAGE_VERTEX | 1 << AF_STAGE_FRAGMENT);
        assert_eq!((af_program_views(program), af_program_views(null())), (1, 0));

        // Queries.
        let mut location = 0;
        for (name, expected) in [(c"p", 5), (c"uv", 9), (c"none", -1)] {
            let result =
                af_program_resource_location(program, GL_PROGRAM_INPUT, name.as_ptr(), &mut location);
            assert_eq!((result, location), (AfResult::AF_SUCCESS, expected));
        }
        let at = |name: &CStr| {
            let mut location = 0;
            let result = af_program_resource_location(program, GL_UNIFORM, name.as_ptr(), &mut location);
            assert_eq!(result, AfResult::AF_SUCCESS);
            location
        };
        assert_eq!(at(c"list[2]"), at(c"list") + 2);
        assert_eq!((at(c"list[3]"), at(c"list[02]"), at(c"tint")), (-1, -1, -1));
        let mut count = 0;
        assert_eq!(af_program_interface(program, GL_UNIFORM, 0x92F5, &mut count), AfResult::AF_SUCCESS);
        assert_eq!(count, 5);
        assert_eq!(af_program_interface(program, 7, 0x92F5, &mut count), AfResult::AF_ERROR_GL_ENUM);
        let mut index = 0;
        let result = af_program_resource_index(program, GL_UNIFORM, c"scale".as_ptr(), &mut index);
        assert_eq!(result, AfResult::AF_SUCCESS);
        // Type, block, offset, location.
        let properties = [0x92FA_u32, 0x92FD, 0x92FC, 0x930E];
        let resource = |capacity| {
            let (mut values, mut length) = ([7; 4], 0);
            let result = af_program_resource(
                program,
                GL_UNIFORM,
                index,
                4,
                properties.as_ptr(),
                capacity,
                values.as_mut_ptr(),
                &mut length,
            );
            (result, values, length)
        };
        assert_eq!(resource(4), (AfResult::AF_SUCCESS, [0x1406, 0, 16, -1], 4));
        assert_eq!(resource(2), (AfResult::AF_INCOMPLETE, [0x1406, 0, 7, 7], 4));
        let mut name = AfText { data: null(), length: 0 };
        assert_eq!(af_program_resource_name(program, GL_UNIFORM_BLOCK, 0, &mut name), AfResult::AF_SUCCESS);
        assert_eq!(text(name), "Block");
        let result = af_program_resource_name(program, GL_UNIFORM_BLOCK, 1, &mut name);
        assert_eq!(result, AfResult::AF_ERROR_GL_VALUE);
        let (mut binding, mut size) = (0, 0);
        assert_eq!(af_program_default_block(program, &mut binding, &mut size), AfResult::AF_SUCCESS);
        assert!(size >= 64);

        // Metal indices.
        let mut argument: AfArgument = std::mem::zeroed();
        argument.size = size_of::<AfArgument>() as u32;
        let mut found = Vec::new();
        for n in 0..af_program_argument_count(program, AF_STAGE_FRAGMENT) {
            assert_eq!(
                af_program_argument(program, AF_STAGE_FRAGMENT, n, &mut argument),
                AfResult::AF_SUCCESS
            );
            found.push((text(argument.name), argument.kind, argument.index));
        }
        assert!(found.contains(&("t".to_owned(), AF_ARGUMENT_TEXTURE, 0)), "{found:?}");
        assert!(found.contains(&("tSampler".to_owned(), AF_ARGUMENT_SAMPLER, 0)), "{found:?}");

        // Variants.
        let mut mask = 0;
        assert_eq!(af_program_depends_on(program, &mut mask), AfResult::AF_SUCCESS);
        assert_ne!(mask & u64::from(AF_STATE_FLIP_WINDOW), 0);
        assert_eq!(mask & u64::from(AF_STATE_FLIP_FACE), 0);
        let mut flipped = key(AF_STATE_FLIP_Y | AF_STATE_FLIP_FACE);
        let plain = variant(program, AF_STAGE_VERTEX, null());
        assert_ne!(variant(program, AF_STAGE_VERTEX, &flipped), plain);
        assert_eq!(af_program_canonical(program, &mut flipped), AfResult::AF_SUCCESS);
        assert_eq!(flipped.flags, AF_STATE_FLIP_Y);
        let result = af_program_stage_canonical(program, AF_STAGE_FRAGMENT, &mut flipped);
        assert_eq!((result, flipped.flags), (AfResult::AF_SUCCESS, 0));

        // Store and restore: equal bytes, queries and identity.
        let mut stored = null_mut();
        assert_eq!(af_program_store(program, &mut stored), AfResult::AF_SUCCESS);
        let file = bytes(af_blob_bytes(stored));
        let mut restored = null_mut();
        let result = af_program_restore(device, file.as_ptr().cast(), file.len(), &mut restored, null_mut());
        assert_eq!(result, AfResult::AF_SUCCESS, "{:?}", seen.messages);
        let (mut ours, mut theirs) = ([0; 32], [1; 32]);
        assert_eq!(af_program_identity(program, ours.as_mut_ptr()), AfResult::AF_SUCCESS);
        assert_eq!(af_program_identity(restored, theirs.as_mut_ptr()), AfResult::AF_SUCCESS);
        assert_eq!(ours, theirs);
        for flags in [0, AF_STATE_HALF_Z, AF_STATE_FLIP_Y | AF_STATE_FLIP_WINDOW] {
            for stage in [AF_STAGE_VERTEX, AF_STAGE_FRAGMENT] {
                assert!(variant(restored, stage, &key(flags)) == variant(program, stage, &key(flags)));
            }
        }
        let mut location = 0;
        af_program_resource_location(restored, GL_PROGRAM_INPUT, c"uv".as_ptr(), &mut location);
        assert_eq!(location, 9);

        // Handles keep their device and objects.
        af_device_release(device);
        af_blob_release(stored);
        af_program_release(restored);
        assert!(variant(program, AF_STAGE_VERTEX, null()) == plain);
        assert_eq!(af_program_retain(program), program);
        af_program_release(program);
        af_program_release(program);
    }
    assert!(seen.live.lock().unwrap().is_empty());
    assert!(seen.messages.lock().unwrap().is_empty());
}

#[test]
fn faults_have_logs_and_results() {
    let seen = Seen::default();
    unsafe {
        let device = device(&seen);
        let broken = compile(device, AF_STAGE_VERTEX, c"void main() { gl_Position = vec5(1.0); }");
        assert_eq!(af_shader_status(broken), 0);
        assert!(text(af_shader_log(broken)).starts_with("name:1("), "{}", text(af_shader_log(broken)));
        let mut program = null_mut();
        let shaders = [broken.cast_const()];
        let result = af_program_link(device, 1, shaders.as_ptr(), null(), null(), &mut program);
        assert_eq!((result, af_program_status(program)), (AfResult::AF_SUCCESS, 0));
        assert_eq!(text(af_program_log(program)), "error: `name` is not compiled\n");
        // There is nothing to ask.
        let mut value = 0;
        assert_eq!(
            af_program_interface(program, GL_UNIFORM, 0x92F5, &mut value),
            AfResult::AF_ERROR_INVALID_ARGUMENT
        );
        af_program_release(program);
        af_shader_release(broken);

        let program = link(device, null());
        let (mut function, mut error) = (null_mut(), null_mut());
        let result =
            af_program_variant(program, AF_STAGE_GEOMETRY, null(), null(), &mut function, &mut error);
        assert_eq!(result, AfResult::AF_ERROR_COMPILE);
        let message = bytes(af_blob_bytes(error));
        assert!(String::from_utf8(message).unwrap().contains("geometry"));
        assert_eq!(seen.messages.lock().unwrap().len(), 1);
        af_blob_release(error);
        let mut wrong = key(1 << 30);
        let result = af_program_variant(program, 0, &wrong, null(), &mut function, null_mut());
        assert_eq!(result, AfResult::AF_ERROR_INVALID_ARGUMENT);
        wrong = AfStateKey { point_size: 9, ..key(0) };
        assert_eq!(af_program_canonical(program, &mut wrong), AfResult::AF_ERROR_INVALID_ARGUMENT);

        // Damaged and foreign files.
        let mut stored = null_mut();
        assert_eq!(af_program_store(program, &mut stored), AfResult::AF_SUCCESS);
        let file = bytes(af_blob_bytes(stored));
        af_blob_release(stored);
        let restore = |device, file: &[u8]| {
            let mut restored = null_mut();
            let result =
                af_program_restore(device, file.as_ptr().cast(), file.len(), &mut restored, null_mut());
            assert_eq!(restored.is_null(), result != AfResult::AF_SUCCESS);
            af_program_release(restored);
            result
        };
        assert_eq!(restore(device, &file), AfResult::AF_SUCCESS);
        for n in (0..file.len()).step_by(97) {
            assert_ne!(restore(device, &file[..n]), AfResult::AF_SUCCESS);
            let mut other = file.clone();
            other[n] ^= 4;
            assert_ne!(restore(device, &other), AfResult::AF_SUCCESS);
        }
        let options = AfDeviceInfo { math: AF_MATH_FAST, ..info(&seen) };
        let mut other = null_mut();
        assert_eq!(af_device_create(&options, &mut other, null_mut()), AfResult::AF_SUCCESS);
        assert_eq!(restore(other, &file), AfResult::AF_ERROR_VERSION);
        af_device_release(other);
        af_program_release(program);
        af_device_release(device);

        // Options.
        let mut device = null_mut();
        for (wrong, word) in [
            (AfDeviceInfo { target: c"beos5".as_ptr(), ..info(&seen) }, "beos5"),
            (AfDeviceInfo { level: 9, ..info(&seen) }, "level 9"),
            (AfDeviceInfo { workarounds: 64, ..info(&seen) }, "workaround 64"),
        ] {
            let mut error = null_mut();
            let result = af_device_create(&wrong, &mut device, &mut error);
            assert_eq!((result, device), (AfResult::AF_ERROR_INVALID_ARGUMENT, null_mut()));
            let message = String::from_utf8(bytes(af_blob_bytes(error))).unwrap();
            assert!(message.contains(word), "{message}");
            af_blob_release(error);
        }
    }
    assert!(seen.live.lock().unwrap().is_empty());
}

#[test]
fn sizes_of_structures_are_negotiated() {
    #[repr(C)]
    struct Newer {
        info: AfDeviceInfo,
        added: u64,
    }
    let seen = Seen::default();
    let create = |info: *const AfDeviceInfo| {
        let mut device = null_mut();
        let result = unsafe { af_device_create(info, &mut device, null_mut()) };
        unsafe { af_device_release(device) };
        result
    };
    let size = (size_of::<AfDeviceInfo>() + 8) as u32;
    let mut newer = Newer { info: AfDeviceInfo { size, ..info(&seen) }, added: 0 };
    assert_eq!(create((&raw const newer).cast()), AfResult::AF_SUCCESS);
    newer.added = 1 << 40;
    assert_eq!(create((&raw const newer).cast()), AfResult::AF_ERROR_INVALID_ARGUMENT);
    // The first version of the header ends before the members that were added.
    let first = std::mem::offset_of!(AfDeviceInfo, driver_buffer) as u32;
    assert_eq!(create(&AfDeviceInfo { size: first, ..info(&seen) }), AfResult::AF_SUCCESS);
    for size in [0, 4, first - 1, 5000, u32::MAX] {
        assert_eq!(create(&AfDeviceInfo { size, ..info(&seen) }), AfResult::AF_ERROR_INVALID_ARGUMENT);
    }
    assert!(seen.live.lock().unwrap().is_empty());
}

#[test]
fn allocations_that_fail_are_results() {
    let seen = Seen::default();
    let mut succeeded = false;
    for left in 0.. {
        *seen.left.lock().unwrap() = Some(left);
        unsafe {
            let mut device = null_mut();
            let mut results = vec![af_device_create(&info(&seen), &mut device, null_mut())];
            let mut shader = null_mut();
            let text = VERTEX.as_ptr();
            let mut program = null_mut();
            let (mut function, mut stored) = (null_mut(), null_mut());
            if !device.is_null() {
                results.push(af_shader_compile(device, 0, null(), 1, &text, null(), null(), &mut shader));
            }
            if !shader.is_null() {
                let shaders = [shader.cast_const()];
                let link =
                    AfLinkInfo { size: size_of::<AfLinkInfo>() as u32, separable: 1, ..std::mem::zeroed() };
                results.push(af_program_link(device, 1, shaders.as_ptr(), &link, null(), &mut program));
            }
            if !program.is_null() {
                results.push(af_program_variant(program, 0, null(), null(), &mut function, null_mut()));
                results.push(af_program_store(program, &mut stored));
            }
            af_blob_release(stored);
            af_function_release(function);
            af_program_release(program);
            af_shader_release(shader);
            af_device_release(device);
            let expected =
                |r: &AfResult| [AfResult::AF_SUCCESS, AfResult::AF_ERROR_OUT_OF_MEMORY].contains(r);
            assert!(results.iter().all(expected), "{results:?}");
            assert!(seen.live.lock().unwrap().is_empty());
            succeeded = results.len() == 5 && results.iter().all(|r| *r == AfResult::AF_SUCCESS);
        }
        if succeeded {
            // Device, shader, program, function with its bytes, blob with its bytes.
            assert_eq!(left, 7);
            break;
        }
    }
    assert!(succeeded);
}

#[test]
fn budgets_and_switches_stop_calls() {
    let seen = Seen::default();
    unsafe {
        let device = device(&seen);
        let program = link(device, null());
        let mut cancel = null_mut();
        assert_eq!(af_cancel_create(&mut cancel), AfResult::AF_SUCCESS);
        let zero = AfBudget { size: size_of::<AfBudget>() as u32, ..std::mem::zeroed() };
        let run = |budget: &AfBudget| {
            let (mut shader, mut function) = (null_mut(), null_mut());
            let text = VERTEX.as_ptr();
            let compiled = af_shader_compile(device, 0, null(), 1, &text, null(), budget, &mut shader);
            af_shader_release(shader);
            let made = af_program_variant(program, 0, null(), budget, &mut function, null_mut());
            af_function_release(function);
            (compiled, made)
        };
        let ok = AfResult::AF_SUCCESS;
        let stopped = AfResult::AF_ERROR_BUDGET;
        let cancelled = AfBudget { cancel, ..zero };
        assert_eq!(run(&cancelled), (ok, ok));
        assert_eq!(run(&AfBudget { nanoseconds: 1, ..zero }), (stopped, stopped));
        assert_eq!(run(&AfBudget { nanoseconds: 1 << 62, ..zero }), (ok, ok));
        assert_eq!(run(&AfBudget { instructions: 2, ..zero }).1, stopped);
        assert_eq!(run(&AfBudget { memory: 500, ..zero }).1, stopped);
        assert_eq!(run(&AfBudget { memory: 1 << 30, ..zero }), (ok, ok));
        assert_eq!(af_cancel_set(cancel), ok);
        assert_eq!(run(&cancelled), (stopped, stopped));
        af_cancel_release(cancel);
        af_program_release(program);
        af_device_release(device);
    }
}

#[test]
fn whole_compiles() {
    let seen = Seen::default();
    unsafe {
        let device = device(&seen);
        let source = |text: &CStr, stage| AfSource { name: null(), text: text.as_ptr(), length: -1, stage };
        let sources = [source(VERTEX, AF_STAGE_VERTEX), source(FRAGMENT, AF_STAGE_FRAGMENT)];
        let glsl = AfCompileInfo {
            size: size_of::<AfCompileInfo>() as u32,
            sources: sources.as_ptr(),
            source_count: 2,
            ..std::mem::zeroed()
        };
        let run = |info: &AfCompileInfo| {
            let (mut output, mut error) = (null_mut(), null_mut());
            let result = af_compile(device, info, null(), &mut output, &mut error);
            let found = bytes(af_blob_bytes(if output.is_null() { error } else { output }));
            af_blob_release(output);
            af_blob_release(error);
            (result, found)
        };
        let (result, library) = run(&glsl);
        assert_eq!(result, AfResult::AF_SUCCESS, "{}", String::from_utf8_lossy(&library));
        assert!(library.starts_with(b"MTLB"));
        let text = |output| String::from_utf8(run(&AfCompileInfo { output, ..glsl }).1).unwrap();
        let ll = text(AF_OUTPUT_LL);
        assert!(ll.contains("@vertex_main") && ll.contains("@fragment_main"), "{ll}");
        assert!(text(AF_OUTPUT_FOIL).starts_with("foil 1"));
        // GLSL to SPIR-V and on to Metal.
        let one = [source(
            c"#version 450\nlayout(local_size_x = 4) in; layout(std430, binding = 1) buffer B { int v[]; };
            void main() { v[gl_GlobalInvocationID.x] += 3; }",
            AF_STAGE_COMPUTE,
        )];
        let spirv = AfCompileInfo {
            sources: one.as_ptr(),
            source_count: 1,
            vulkan: 1,
            output: AF_OUTPUT_SPIRV,
            ..glsl
        };
        let (result, module) = run(&spirv);
        assert_eq!(result, AfResult::AF_SUCCESS, "{}", String::from_utf8_lossy(&module));
        let words: Vec<u32> = module.chunks(4).map(|w| u32::from_le_bytes(w.try_into().unwrap())).collect();
        assert_eq!(words[0], 0x0723_0203);
        let info = AfCompileInfo {
            size: glsl.size,
            words: words.as_ptr(),
            word_count: words.len(),
            ..std::mem::zeroed()
        };
        assert!(run(&info).1.starts_with(b"MTLB"));
        let (result, message) = run(&AfCompileInfo { word_count: words.len() - 3, ..info });
        assert_eq!(result, AfResult::AF_ERROR_COMPILE);
        assert!(!message.is_empty());
        let (result, _) = run(&AfCompileInfo { output: 77, ..info });
        assert_eq!(result, AfResult::AF_ERROR_INVALID_ARGUMENT);
        let (result, _) = run(&AfCompileInfo { word_count: 0, ..info });
        assert_eq!(result, AfResult::AF_ERROR_INVALID_ARGUMENT);
        af_device_release(device);
    }
    assert!(seen.live.lock().unwrap().is_empty());
}

#[test]
fn null_is_not_followed() {
    const INVALID: AfResult = AfResult::AF_ERROR_INVALID_ARGUMENT;
    unsafe {
        assert_eq!(af_device_create(null(), null_mut(), null_mut()), INVALID);
        assert_eq!(af_compile(null(), null(), null(), null_mut(), null_mut()), INVALID);
        assert_eq!(af_shader_compile(null(), 0, null(), 0, null(), null(), null(), null_mut()), INVALID);
        assert_eq!(af_program_link(null(), 0, null(), null(), null(), null_mut()), INVALID);
        assert_eq!(af_program_variant(null(), 0, null(), null(), null_mut(), null_mut()), INVALID);
        assert_eq!(af_program_store(null(), null_mut()), INVALID);
        // Results are NULL unless the call succeeds.
        let mut function = std::ptr::dangling_mut();
        assert_eq!(af_program_variant(null(), 0, null(), null(), &mut function, null_mut()), INVALID);
        let (mut program, mut shader, mut blob) =
            (std::ptr::dangling_mut(), std::ptr::dangling_mut(), std::ptr::dangling_mut());
        assert_eq!(af_program_link(null(), 0, null(), null(), null(), &mut program), INVALID);
        assert_eq!(af_shader_compile(null(), 0, null(), 0, null(), null(), null(), &mut shader), INVALID);
        assert_eq!(af_program_store(null(), &mut blob), INVALID);
        assert!(function.is_null() && program.is_null() && shader.is_null() && blob.is_null());
        assert_eq!(af_program_restore(null(), null(), 0, null_mut(), null_mut()), INVALID);
        assert_eq!(af_program_identity(null(), null_mut()), INVALID);
        assert_eq!(af_cancel_create(null_mut()), INVALID);
        assert_eq!(af_cancel_set(null()), INVALID);
        assert_eq!(af_function_argument(null(), 0, null_mut()), INVALID);
        assert_eq!(
            (af_shader_status(null()), af_program_status(null()), af_program_stages(null())),
            (0, 0, 0)
        );
        assert_eq!(text(af_shader_log(null())) + &text(af_program_log(null())), "");
        assert!(bytes(af_function_metallib(null())).is_empty() && bytes(af_blob_bytes(null())).is_empty());
        af_device_release(null_mut());
        af_shader_release(null_mut());
        af_program_release(null_mut());
        af_function_release(null_mut());
        af_blob_release(null_mut());
        af_cancel_release(null_mut());
        assert!(af_device_retain(null_mut()).is_null());
    }
    assert_eq!(af_version(), AF_VERSION);
    assert_eq!(text(af_version_text()), env!("CARGO_PKG_VERSION"));
}
