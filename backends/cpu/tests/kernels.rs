//! Kernels, from GLSL to the contents of their buffers.
#![cfg(any(feature = "llvm14", feature = "llvm19"))]

mod support;

use airfoil::{OptLevel, Output, Stage};
use airfoil_cpu::{Bindings, Config, Function, Launch, Program};
use airfoil_interp::{Binding, Resources, Space};
use support::{compute, front_end, words};

fn run(source: &str, groups: u32, buffers: &[Vec<u32>]) -> Result<Vec<Vec<u32>>, String> {
    execute(&compute(source), groups, buffers)
}

fn execute(output: &Output, groups: u32, buffers: &[Vec<u32>]) -> Result<Vec<Vec<u32>>, String> {
    let function = Function::of_library(&output.metallib, None)?;
    let mut resources = Resources::new();
    let mut bindings = Bindings::default();
    for (n, buffer) in buffers.iter().enumerate() {
        let buffer = resources.add_buffer(buffer.iter().flat_map(|w| w.to_le_bytes()).collect());
        bindings.buffers.insert(n as u32, Binding::Buffer { buffer, offset: 0, size: None });
    }
    let launch = Launch {
        groups: [groups, 1, 1],
        threads: output.functions[0].reflection.workgroup_size.unwrap_or([1; 3]),
    };
    function.kernel(&mut resources, &bindings, launch, &Config::default())?;
    Ok(resources.buffers.iter().map(|b| words(&b.bytes)).collect())
}

#[test]
fn a_buffer_is_read_and_written() {
    let source = "#version 450
        layout(local_size_x = 4) in;
        layout(std430, binding = 0) buffer A { uint a[8]; };
        layout(std430, binding = 1) buffer B { float b[8]; };
        void main() {
            uint i = gl_GlobalInvocationID.x;
            a[i] = a[i] * 3u + gl_LocalInvocationID.x;
            b[i] = sqrt(float(i)) + 0.5;
        }";
    let out = run(source, 2, &[(10..18).collect(), vec![0; 8]]).unwrap();
    assert_eq!(out[0], [30, 34, 38, 42, 42, 46, 50, 54]);
    let expected: Vec<u32> = (0..8).map(|i| ((i as f32).sqrt() + 0.5).to_bits()).collect();
    assert_eq!(out[1], expected);
}

#[test]
fn the_dispatch_gives_the_size_of_workgroups() {
    let text = "#version 450
        #extension GL_ARB_compute_variable_group_size : require
        layout(local_size_variable) in;
        layout(std430, binding = 0) buffer A { uint a[]; };
        void main() {
            uint size = gl_LocalGroupSizeARB.x * gl_LocalGroupSizeARB.y * gl_LocalGroupSizeARB.z;
            uvec3 all = gl_NumWorkGroups * gl_LocalGroupSizeARB, at = gl_GlobalInvocationID;
            a[at.x + all.x * (at.y + all.y * at.z)] = size * 100u + gl_LocalInvocationIndex;
        }";
    let mut shader = front_end(Stage::Compute, text, false);
    airfoil::steps::optimize(&mut shader, OptLevel::O2).unwrap();
    for workgroup in [[1, 1, 1], [2, 3, 1], [4, 1, 2]] {
        let mut resources = Resources::new();
        let threads = workgroup.iter().product::<u32>();
        let buffer = resources.add_buffer(vec![0; threads as usize * 2 * 4]);
        resources.bind(Space::Storage, 0, 0, 0, Binding::Buffer { buffer, offset: 0, size: None });
        let program = Program::new(&shader, Config { workgroup, ..Config::default() }).unwrap();
        program.compute(&mut resources, [1, 1, 2]).unwrap();
        let mut found = words(&resources.buffers[buffer].bytes);
        found.sort_unstable();
        let expected: Vec<u32> = (0..threads).flat_map(|n| [threads * 100 + n; 2]).collect();
        assert_eq!(found, expected, "{workgroup:?}");
    }
}

#[test]
fn a_group_reverses_its_array_between_barriers() {
    let source = "#version 450
        layout(local_size_x = 64) in;
        layout(std430, binding = 0) buffer A { uint a[]; };
        shared uint s[64];
        void main() {
            uint i = gl_LocalInvocationID.x, g = gl_WorkGroupID.x * 64u;
            s[i] = a[g + i];
            barrier();
            a[g + i] = s[63u - i];
        }";
    let out = run(source, 2, &[(0..128).collect()]).unwrap();
    let expected: Vec<u32> = (0..64).rev().chain((64..128).rev()).collect();
    assert_eq!(out[0], expected);
}

/// Debug information about variables does not affect the program.
#[test]
fn debug_information_changes_nothing() {
    let source = "#version 450
        layout(local_size_x = 4) in;
        struct S { vec3 a; float b; };
        layout(std140, binding = 1) uniform U { S s[2]; float k; } u;
        layout(std430, binding = 0) buffer A { float a[]; } data;
        void main() {
            uint i = gl_GlobalInvocationID.x;
            float sum = 0.0;
            for (uint n = 0u; n < i; n++) sum += u.s[n & 1u].b * float(n);
            float spread[4] = float[4](sum, 2.0 * sum, u.k, 1.0);
            if (sum > 2.0) sum -= spread[(i + 1u) & 3u];
            data.a[i] = sum + u.s[1].a.y;
        }";
    let uniforms: Vec<u32> = (0..9).map(|i| (i as f32).to_bits()).collect();
    let buffers = [vec![0; 8], uniforms];
    let (plain, debug) = (compute(source), support::compute_with_debug(source));
    let library = airfoil_air::metallib::read(&debug.metallib).unwrap();
    let module = airfoil_air::bitcode::read(library.functions[0].bitcode().unwrap()).unwrap();
    let text = airfoil_air::ll::print(&module);
    for (name, intrinsic) in [("data", "value"), ("sum", "value"), ("spread", "declare")] {
        let variable = format!("!DILocalVariable(name: \"{name}\"");
        assert!(
            text.contains(&variable) && text.contains(&format!("call void @llvm.dbg.{intrinsic}(")),
            "{text}"
        );
    }
    assert_eq!(execute(&plain, 2, &buffers), execute(&debug, 2, &buffers));
}

#[test]
fn a_barrier_that_not_all_reach_is_told() {
    let source = "#version 450
        layout(local_size_x = 8) in;
        layout(std430, binding = 0) buffer A { uint a[8]; };
        void main() {
            if (a[gl_LocalInvocationID.x] > 3u) barrier();
            a[gl_LocalInvocationID.x] += 1u;
        }";
    let fault = run(source, 1, &[(0..8).collect()]).unwrap_err();
    assert!(fault.contains("divergent barrier: 4 of 8 invocations wait at call 1"), "{fault}");
    assert!(fault.contains("4 have ended"), "{fault}");
}

#[test]
fn atomics_and_subgroups() {
    let source = "#version 450
        #extension GL_KHR_shader_subgroup_arithmetic : require
        #extension GL_KHR_shader_subgroup_ballot : require
        layout(local_size_x = 32) in;
        layout(std430, binding = 0) buffer A { uint sum; uint old[32]; uint odd[32]; uvec2 mask; int low; };
        void main() {
            uint i = gl_LocalInvocationID.x;
            old[i] = atomicAdd(sum, i);
            atomicMin(low, -int(i));
            odd[i] = 7u;
            if ((i & 1u) != 0u) odd[i] = subgroupInclusiveAdd(i);
            if (i == 0u) mask = subgroupBallot(true).xy;
            uvec4 all = subgroupBallot(i < 5u);
            if (i == 31u) mask.y = all.x;
        }";
    let mut buffer = vec![0; 68];
    buffer[0] = 5;
    let out = run(source, 1, &[buffer]).unwrap().remove(0);
    assert_eq!(out[0], 5 + 31 * 16);
    assert_eq!(out[1..4], [5, 5, 6]);
    // The even invocations do not take part in the scan.
    let odd: Vec<u32> = (0..32).map(|i| if i % 2 == 0 { 7 } else { (i / 2 + 1) * (i / 2 + 1) }).collect();
    assert_eq!(out[33..65], odd);
    assert_eq!(out[66], 1, "one invocation is active");
    assert_eq!(out[67], 0x1f);
}

#[test]
fn accesses_outside_buffers_do_nothing_or_are_told() {
    let source = "#version 450
        layout(local_size_x = 2) in;
        layout(std430, binding = 0) buffer A { uint n; uint out_of_it; uint a[]; };
        shared uint s[4];
        const uint table[3] = uint[3](7u, 8u, 9u);
        void main() {
            uint i = gl_LocalInvocationID.x;
            s[i + n] = 5u;
            a[i + n] = 6u;
            out_of_it = a[n + 1u] + table[i];
        }";
    let output = compute(source);
    let function = Function::of_library(&output.metallib, None).unwrap();
    let launch = Launch {
        groups: [1, 1, 1],
        threads: output.functions[0].reflection.workgroup_size.unwrap_or([1; 3]),
    };
    for (n, robust, good) in [(0u32, false, true), (1 << 20, true, true), (1 << 20, false, false)] {
        let mut resources = Resources::new();
        let mut bindings = Bindings::default();
        let start = [n, 1, 2, 3, 4].iter().flat_map(|w| w.to_le_bytes()).collect();
        let buffer = resources.add_buffer(start);
        bindings.buffers.insert(0, Binding::Buffer { buffer, offset: 0, size: None });
        let config = Config { robust, ..Config::default() };
        let result = function.kernel(&mut resources, &bindings, launch, &config);
        assert_eq!(result.is_ok(), good, "{result:?}");
        let out = words(&resources.buffers[buffer].bytes);
        match n {
            0 => assert_eq!(out, [0, 14, 6, 6, 4]),
            _ => assert_eq!(out[2..], [2, 3, 4]),
        }
    }
}

#[test]
fn variables_that_no_stack_holds_are_refused() {
    let source = "#version 450
        layout(local_size_x = 1) in;
        layout(std430, binding = 0) buffer A { uint n; uint a[]; };
        void main() {
            uint local[60000];
            for (uint i = 0u; i < n; i++) local[a[i] % 60000u] = i;
            a[0] = local[n];
        }";
    let fault = run(source, 1, &[vec![1, 2, 3]]).unwrap_err();
    assert!(fault.contains("variables of 240000 bytes"), "{fault}");
}
