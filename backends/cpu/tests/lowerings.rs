//! Optional lowerings, and lowerings of operations that Metal lacks: the AIR computes the results of the source.
#![cfg(any(feature = "llvm14", feature = "llvm19"))]

mod support;

use airfoil::air::lowerings::{BUFFER_BINDING, DRAW_BINDING};
use airfoil::passes::OptionValue;
use airfoil::steps::optimize;
use airfoil::steps::{Lowerings, PlanOptions};
use airfoil::{AirOptions, Captures, OptLevel, Shader, Stage};
use airfoil_cpu::{Config, Program};
use airfoil_interp::run::Vertex;
use airfoil_interp::{Binding, Resources, Space, System};
use airfoil_ir::{Slot, SystemValue};
use support::{front_end, words};

fn options() -> AirOptions {
    AirOptions { target: "macos14".parse().unwrap(), ..AirOptions::default() }
}

fn plan(lowerings: Lowerings) -> PlanOptions {
    PlanOptions { lowerings, ..PlanOptions::default() }
}

fn bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|w| w.to_le_bytes()).collect()
}

/// Binds a buffer of words.
fn bind(resources: &mut Resources, space: Space, set: u32, binding: u32, words: &[u32]) -> usize {
    let buffer = resources.add_buffer(bytes(words));
    resources.bind(space, set, binding, 0, Binding::Buffer { buffer, offset: 0, size: None });
    buffer
}

const SET: u32 = 65535;
const UNTOUCHED: u32 = 0xdead_beef;

#[test]
fn transform_feedback_writes_what_the_interpreter_gives() {
    let text = "#version 450
        layout(location = 0) in vec4 p;
        layout(location = 3) out vec3 v;
        layout(location = 4) flat out int n;
        layout(location = 5) out vec2 list[2];
        layout(location = 7) flat out dvec3 d;
        void main() {
            gl_Position = p * 2.0;
            v = p.zyx + float(gl_InstanceID);
            n = gl_VertexID * 10 + gl_InstanceID;
            d = dvec3(p.xyz) / 3.0LF;
            list[0] = p.xy;
            list[1] = p.yz;
        }";
    // Three buffers: the position and a part of `v` after a gap; the number and the list; pairs of words.
    let text_of = "0.28.0.position.0.4|0.28.20.3.1.2|1.20.0.4.0.1|1.20.4.5.0.2|1.20.12.6.0.2|2.24.0.7.0.4|2.24.16.8.0.2";
    let captures = Captures::parse(text_of).unwrap();
    let source = front_end(Stage::Vertex, text, false);
    // Two instances of three vertices from vertex 7 on, after two records of other draws; the last does not fit.
    let (first, end) = (2u32, 7u32);
    let vertices: Vec<Vertex> = (0..6u32)
        .map(|i| {
            let mut vertex = Vertex::default();
            let x = i as f32;
            vertex.inputs.set_floats(Slot::generic(0).unwrap(), [x, x + 0.5, -x, 1.0]);
            vertex.system.set(SystemValue::vertex_id, [u64::from(7 + i % 3), 0, 0, 0]);
            vertex.system.set(SystemValue::vertex_id_zero_base, [u64::from(i % 3), 0, 0, 0]);
            vertex.system.set(SystemValue::instance_id, [u64::from(i / 3), 0, 0, 0]);
            vertex
        })
        .collect();
    let common = System::new().with(SystemValue::base_vertex, 7);
    for level in [OptLevel::O0, OptLevel::O2] {
        let mut shader: Shader = source.clone();
        optimize(&mut shader, level).unwrap();
        let mut interp = airfoil_interp::Program::new(&shader, airfoil_interp::Config::default()).unwrap();
        let expected = interp.vertex(&mut Resources::new(), &common, &vertices).unwrap();
        let mut records = [56, 40, 48].map(|n| vec![UNTOUCHED; n]);
        for (i, out) in expected.iter().enumerate() {
            let record = first as usize + i;
            if record >= end as usize {
                continue;
            }
            for c in captures.iter() {
                for k in 0..c.components {
                    let at = (record as u32 * c.stride + c.offset) / 4 + k;
                    records[c.buffer as usize][at as usize] = out.get(c.slot, c.component + k).unwrap();
                }
            }
        }
        let mut resources = Resources::new();
        bind(&mut resources, Space::Uniform, SET, DRAW_BINDING, &[3, first, end]);
        let buffers = [(0, 56), (1, 40), (2, 48)].map(|(n, words)| {
            bind(&mut resources, Space::Storage, SET, BUFFER_BINDING + n, &vec![UNTOUCHED; words])
        });
        let lowerings = Lowerings { captures: captures.clone(), ..Lowerings::default() };
        let program =
            Program::with_options(&shader, Config::default(), &options(), &plan(lowerings)).unwrap();
        let out = program.vertices(&mut resources, &common, &vertices).unwrap();
        for (buffer, expected) in buffers.into_iter().zip(&records) {
            assert_eq!(words(&resources.buffers[buffer].bytes), *expected, "{level:?}");
        }
        // The image stays the same.
        assert_eq!(out[4].floats(Slot::POSITION), expected[4].floats(Slot::POSITION));
    }
}

#[test]
fn robust_accesses_give_zero_or_do_nothing() {
    let text = "#version 450
        layout(local_size_x = 8) in;
        layout(std430, binding = 0) buffer A { uint a[]; };
        layout(std430, binding = 1) buffer B { uint b[]; };
        layout(binding = 2) uniform U { uvec4 u[2]; };
        void main() {
            uint i = gl_LocalInvocationIndex;
            uint list[3] = uint[3](1u, 2u, 3u);
            list[(i & 1u) + 1u] += a[i + 2u];
            b[i * 2u] = a[i] + u[i].x + list[i];
            atomicAdd(b[i * 100u + 1u], 5u);
        }";
    let source = front_end(Stage::Compute, text, false);
    for level in [OptLevel::O0, OptLevel::O2] {
        let mut shader = source.clone();
        optimize(&mut shader, level).unwrap();
        let run = |robust| {
            let mut resources = Resources::new();
            bind(&mut resources, Space::Storage, 0, 0, &[10, 20, 30, 40]);
            let b = bind(&mut resources, Space::Storage, 0, 1, &[UNTOUCHED; 9]);
            bind(&mut resources, Space::Uniform, 0, 2, &[100, 0, 0, 0, 200, 0, 0, 0]);
            let lowerings = Lowerings { robust, ..Lowerings::default() };
            let config = Config { robust, ..Config::default() };
            let program = Program::with_options(&shader, config, &options(), &plan(lowerings)).unwrap();
            program.compute(&mut resources, [1, 1, 1]).map(|()| words(&resources.buffers[b].bytes))
        };
        // a + u + list, where missing values are zero and the last element replaces those past the end.
        let expected = [111, UNTOUCHED.wrapping_add(5), 222, UNTOUCHED, 33, UNTOUCHED, 43, UNTOUCHED, 3];
        assert_eq!(run(true).unwrap(), expected, "{level:?}");
        // Without the passes another buffer is read, or a missing buffer is reported.
        assert_ne!(run(false), Ok(expected.to_vec()), "{level:?}");
    }
}

#[test]
fn combinations_over_subgroups_that_metal_lacks() {
    let text = "#version 450
        #extension GL_KHR_shader_subgroup_arithmetic : require
        #extension GL_KHR_shader_subgroup_clustered : require
        #extension GL_KHR_shader_subgroup_vote : require
        #extension GL_ARB_gpu_shader_int64 : require
        #extension GL_EXT_shader_subgroup_extended_types_int64 : require
        layout(local_size_x = 32) in;
        layout(binding = 0) buffer A { uint a[32][12]; };
        void main() {
            uint i = gl_LocalInvocationIndex, x = (i * 7u + 3u) % 32u;
            for (uint n = 0u; n < 12u; n++) a[i][n] = 0u;
            if (i % 3u == 1u) return;
            a[i][0] = subgroupClusteredAdd(x, 8u);
            a[i][1] = subgroupClusteredMax(x, 2u);
            a[i][2] = subgroupClusteredXor(x, 16u);
            a[i][3] = floatBitsToUint(subgroupClusteredMul(float(x) * 0.25, 8u));
            a[i][4] = subgroupInclusiveMin(x);
            a[i][5] = subgroupExclusiveMax(x);
            a[i][6] = subgroupInclusiveOr(1u << x);
            a[i][7] = uint(subgroupExclusiveAnd(int(x) - 40));
            a[i][8] = uint(subgroupAdd(uint64_t(x) << 30) >> 30);
            a[i][9] = uint(subgroupExclusiveXor(x > 9u)) + 2u * uint(subgroupClusteredAnd(x < 30u, 8u));
            a[i][10] = uint(subgroupAllEqual(uint64_t(i & 0u))) + 2u * uint(subgroupAllEqual(uint64_t(i) << 40));
            a[i][11] = floatBitsToUint(subgroupExclusiveMin(float(x)));
        }";
    let source = front_end(Stage::Compute, text, true);
    for level in [OptLevel::O0, OptLevel::O2] {
        let mut shader = source.clone();
        optimize(&mut shader, level).unwrap();
        let bound = || {
            let mut resources = Resources::new();
            let a = bind(&mut resources, Space::Storage, 0, 0, &[UNTOUCHED; 32 * 12]);
            (resources, a)
        };
        let (mut resources, a) = bound();
        let mut interp = airfoil_interp::Program::new(&source, airfoil_interp::Config::default()).unwrap();
        interp.compute(&mut resources, &System::new(), [1, 1, 1]).unwrap();
        let expected = words(&resources.buffers[a].bytes);
        let (mut resources, a) = bound();
        let config = Config { simd_size: 32, ..Config::default() };
        let program =
            Program::with_options(&shader, config, &options(), &plan(Lowerings::default())).unwrap();
        program.compute(&mut resources, [1, 1, 1]).unwrap();
        let found = words(&resources.buffers[a].bytes);
        for (n, (found, expected)) in found.iter().zip(&expected).enumerate() {
            assert_eq!(found, expected, "{level:?}: invocation {}, value {}", n / 12, n % 12);
        }
        // The first cluster: 3 and 10 - 1 have gone - and so on.
        assert_eq!(expected[0], [0u32, 2, 3, 5, 6].iter().map(|i| (i * 7 + 3) % 32).sum::<u32>());
    }
}
