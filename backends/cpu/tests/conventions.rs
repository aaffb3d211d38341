//! Conventions of other APIs: clip space, sizes of points, coordinates of the window, numbers of draws, vertices and instances.
#![cfg(any(feature = "llvm14", feature = "llvm19"))]

mod support;

use airfoil::air::lowerings::{BUFFER_BINDING, DRAW_BINDING};
use airfoil::passes::OptionValue;
use airfoil::passes::Pipeline;
use airfoil::passes::manager::Manager;
use airfoil::passes::util::driver_values::{DRAW, DRIVER, VERTEX_BUFFERS};
use airfoil::steps::optimize;
use airfoil::steps::{Lowerings, PlanOptions};
use airfoil::{AirOptions, Captures, FlipWindow, OptLevel, Shader, Stage};
use airfoil_cpu::{Config, Program};
use airfoil_interp::pipeline::Stages;
use airfoil_interp::run::{Fragment, FragmentBatch, Primitive, Quad, Vertex};
use airfoil_interp::{Binding, Resources, Space, System, Values};
use airfoil_ir::{Slot, SystemValue};
use support::{front_end, words};

const SET: u32 = 65535;
const LEVELS: [OptLevel; 2] = [OptLevel::O0, OptLevel::O2];

fn generic(n: u32) -> Slot {
    Slot::generic(n).unwrap()
}

fn options() -> AirOptions {
    AirOptions { target: "macos14".parse().unwrap(), ..AirOptions::default() }
}

fn plan(lowerings: Lowerings) -> PlanOptions {
    PlanOptions { lowerings, ..PlanOptions::default() }
}

fn optimized(source: &Shader, level: OptLevel) -> Shader {
    let mut shader = source.clone();
    optimize(&mut shader, level).unwrap();
    shader
}

/// A buffer of words at a binding of the driver's set.
fn bind(resources: &mut Resources, space: Space, binding: u32, words: &[u32]) -> usize {
    let buffer = resources.add_buffer(words.iter().flat_map(|w| w.to_le_bytes()).collect());
    resources.bind(space, SET, binding, 0, Binding::Buffer { buffer, offset: 0, size: None });
    buffer
}

#[test]
fn positions_change_behind_what_is_captured() {
    let text = "#version 450
        layout(location = 0) in vec4 p;
        void main() {
            gl_Position = p;
            gl_Position.z += 1.0;
            gl_PointSize = p.x * 4.0;
        }";
    let source = front_end(Stage::Vertex, text, false);
    let mut vertex = Vertex::default();
    vertex.inputs.set_floats(generic(0), [1.0, 2.0, 3.0, 8.0]);
    vertex.system.set(SystemValue::vertex_id, [0; 4]);
    vertex.system.set(SystemValue::instance_id, [0; 4]);
    let captures = Captures::parse("0.20.0.position.0.4|0.20.16.point_size.0.1").unwrap();
    for (flip_y, half_z, points, expected) in [
        (false, false, None, [1.0, 2.0, 4.0, 8.0]),
        (true, false, Some(true), [1.0, -2.0, 4.0, 8.0]),
        (false, true, Some(false), [1.0, 2.0, 6.0, 8.0]),
        (true, true, Some(false), [1.0, -2.0, 6.0, 8.0]),
    ] {
        for level in LEVELS {
            let shader = optimized(&source, level);
            let lowerings =
                Lowerings { flip_y, half_z, points, captures: captures.clone(), ..Lowerings::default() };
            let program =
                Program::with_options(&shader, Config::default(), &options(), &plan(lowerings)).unwrap();
            let mut resources = Resources::new();
            bind(&mut resources, Space::Uniform, DRAW_BINDING, &[1, 0, 1]);
            let captured = bind(&mut resources, Space::Storage, BUFFER_BINDING, &[0; 5]);
            let one = std::slice::from_ref(&vertex);
            let out = program.vertices(&mut resources, &System::new(), one).unwrap().remove(0);
            assert_eq!(out.floats(Slot::POSITION), Some(expected), "{level:?}");
            let size = out.get(Slot::POINT_SIZE, 0).map(f32::from_bits);
            assert_eq!(size, (points != Some(false)).then_some(4.0), "{level:?}");
            // As the shader wrote them (OpenGL 4.6 section 13.3).
            let record = words(&resources.buffers[captured].bytes);
            assert_eq!(record, [1.0f32, 2.0, 4.0, 8.0, 4.0].map(f32::to_bits), "{level:?}");
        }
    }
}

#[test]
fn points_have_a_size() {
    let text = "#version 450
        layout(location = 0) in vec4 p;
        void main() { gl_Position = p; }";
    let source = front_end(Stage::Vertex, text, false);
    for level in LEVELS {
        let shader = optimized(&source, level);
        for points in [None, Some(false), Some(true)] {
            let lowerings = Lowerings { points, ..Lowerings::default() };
            let program =
                Program::with_options(&shader, Config::default(), &options(), &plan(lowerings)).unwrap();
            let vertices = [Vertex::default()];
            let out = program.vertices(&mut Resources::new(), &System::new(), &vertices).unwrap();
            let size = out[0].get(Slot::POINT_SIZE, 0).map(f32::from_bits);
            assert_eq!(size, (points == Some(true)).then_some(1.0), "{level:?}, {points:?}");
        }
    }
}

/// Shades the quad at pixel 2, 4 of a front-facing triangle whose values grow by one per pixel in y.
fn shade(shader: &Shader, lowerings: Lowerings, resources: &mut Resources) -> [f32; 4] {
    let corner = |y: f32| {
        let mut values = Values::new();
        values.set_floats(generic(0), [y; 4]);
        values
    };
    let primitive = Primitive {
        vertices: [0.0, 0.0, 8.0].map(corner).to_vec(),
        window: vec![[0.0, 0.0], [8.0, 0.0], [0.0, 8.0]],
        inverse_w: vec![1.0; 3],
        system: System::new().with(SystemValue::front_face, 1),
        ..Primitive::default()
    };
    let fragment = |k: usize| {
        let mut fragment = Fragment {
            coord: [2.5 + (k & 1) as f32, 4.5 + (k >> 1) as f32, 0.25, 1.0],
            coverage: 1,
            ..Fragment::default()
        };
        let [x, y] = [0.5f32, 0.125].map(|x| u64::from(x.to_bits()));
        fragment.system.set(SystemValue::point_coord, [x, y, 0, 0]);
        fragment
    };
    let quads = [Quad { primitive: &primitive, pixel: [2, 4], fragments: std::array::from_fn(fragment) }];
    let batch = FragmentBatch { quads: &quads, sample_positions: &[[0.5, 0.5]], system: System::new() };
    let program = Program::with_options(shader, Config::default(), &options(), &plan(lowerings)).unwrap();
    program.fragments(resources, &batch).unwrap()[0][0].outputs.floats(generic(0)).unwrap()
}

#[test]
fn the_window_is_turned_around() {
    let text = "#version 450
        LAYOUT
        layout(location = 0) in float v;
        layout(location = 0) out vec4 o;
        void main() {
            o.x = gl_FragCoord.y;
            o.y = dFdy(v) + 16.0 * dFdyFine(gl_FragCoord.y);
            o.z = gl_PointCoord.y + (gl_FrontFacing ? 4.0 : 8.0);
            o.w = interpolateAtOffset(v, vec2(0.0, 0.25));
        }";
    let plain = front_end(Stage::Fragment, &text.replace("LAYOUT", ""), false);
    let upper = "layout(origin_upper_left) in vec4 gl_FragCoord;";
    let upper = front_end(Stage::Fragment, &text.replace("LAYOUT", upper), false);
    let integers = "layout(pixel_center_integer) in vec4 gl_FragCoord;";
    let integers = front_end(Stage::Fragment, &text.replace("LAYOUT", integers), false);
    for level in LEVELS {
        let [plain, upper, integers] = [&plain, &upper, &integers].map(|s| optimized(s, level));
        for height in [8, 0] {
            let run = |shader, flip_window| {
                let mut resources = Resources::new();
                bind(&mut resources, Space::Uniform, DRIVER.binding, &[8f32.to_bits()]);
                shade(shader, Lowerings { flip_window, ..Lowerings::default() }, &mut resources)
            };
            let flip = Some(FlipWindow { height, front_face: false });
            assert_eq!(run(&plain, None), [4.5, 17.0, 4.125, 4.75], "{level:?}");
            // dFdy of the mirrored coordinate grows upwards as the coordinate itself does.
            assert_eq!(run(&plain, flip), [3.5, -1.0 + 16.0, 4.875, 4.25], "{level:?}, {height}");
            // The upper left corner is the rasteriser's.
            assert_eq!(run(&upper, flip), [4.5, -17.0, 4.875, 4.25], "{level:?}, {height}");
            assert_eq!(
                run(&integers, flip)[0],
                run(&integers, None)[0].mul_add(-1.0, 7.0),
                "{level:?}, {height}"
            );
            let flip = Some(FlipWindow { height, front_face: true });
            assert_eq!(run(&plain, flip)[2], 8.875, "{level:?}, {height}");
        }
    }
}

#[test]
fn numbers_of_draws_vertices_and_instances() {
    let text = "#version 460
        layout(location = 0) flat out ivec4 a;
        layout(location = 1) flat out ivec4 b;
        void main() {
            gl_Position = vec4(0.0);
            a = ivec4(VERTEX, INSTANCE, gl_DrawID, gl_BaseInstance);
            b = ivec4(gl_BaseVertex, VERTEX - gl_BaseVertex, 0, 0);
        }";
    // OpenGL counts instances from zero, Vulkan from the base instance; vertices include the base in both.
    for (vulkan, names, instance) in
        [(false, ["gl_VertexID", "gl_InstanceID"], 1), (true, ["gl_VertexIndex", "gl_InstanceIndex"], 31)]
    {
        let text = text.replace("VERTEX", names[0]).replace("INSTANCE", names[1]);
        let source = front_end(Stage::Vertex, &text, vulkan);
        let vertices: Vec<Vertex> = [[0u64, 0], [1, 0], [0, 1], [1, 1]]
            .map(|[vertex, instance]| {
                let mut v = Vertex::default();
                v.system.set(SystemValue::vertex_id, [vertex + 7, 0, 0, 0]);
                v.system.set(SystemValue::vertex_id_zero_base, [vertex, 0, 0, 0]);
                v.system.set(SystemValue::instance_id, [instance, 0, 0, 0]);
                v.system.set(SystemValue::instance_index, [instance + 30, 0, 0, 0]);
                v
            })
            .to_vec();
        let common = System::new()
            .with(SystemValue::base_vertex, 7)
            .with(SystemValue::base_instance, 30)
            .with(SystemValue::draw_id, 5);
        for level in LEVELS {
            let shader = optimized(&source, level);
            let mut interp =
                airfoil_interp::Program::new(&shader, airfoil_interp::Config::default()).unwrap();
            let expected = interp.vertex(&mut Resources::new(), &common, &vertices).unwrap();
            let get = |v: &Values, n| [0, 1, 2, 3].map(|c| v.get(generic(n), c).unwrap() as i32);
            assert_eq!(get(&expected[3], 0), [8, instance, 5, 30], "{names:?}");
            for vertex_kernel in [false, true] {
                let mut plan = PlanOptions::default();
                plan.stages.vertex_kernel = vertex_kernel;
                let mut program =
                    Program::with_options(&shader, Config::default(), &options(), &plan).unwrap();
                let out = program.vertex(&mut Resources::new(), &common, &vertices).unwrap();
                for (own, other) in out.iter().zip(&expected) {
                    assert_eq!(get(own, 0), get(other, 0), "{names:?}, {level:?}, {vertex_kernel}");
                    assert_eq!(get(own, 1), get(other, 1), "{names:?}, {level:?}, {vertex_kernel}");
                }
                // The driver's value overrides that of the draw: OpenGL's draws without base vertex have zero.
                plan.lowerings.driver_base_vertex = true;
                let mut program =
                    Program::with_options(&shader, Config::default(), &options(), &plan).unwrap();
                let mut resources = Resources::new();
                bind(&mut resources, Space::Uniform, DRAW.binding, &[9, 0]);
                let out = program.vertex(&mut resources, &common, &vertices).unwrap();
                assert_eq!(get(&out[3], 0), [8, instance, 9, 30], "{names:?}, {level:?}, {vertex_kernel}");
                assert_eq!(get(&out[3], 1), [0, 8, 0, 0], "{names:?}, {level:?}, {vertex_kernel}");
            }
        }
    }
}

#[test]
fn numbers_of_vertices_are_indices_in_kernels_too() {
    let text = "#version 460
        layout(location = 0) flat out ivec4 a;
        void main() {
            gl_Position = vec4(0.0);
            a = ivec4(gl_VertexID, gl_BaseVertex, gl_InstanceID, 0);
        }";
    let source = front_end(Stage::Vertex, text, false);
    let vertices: Vec<Vertex> = (0..4u64)
        .map(|n| {
            let mut v = Vertex::default();
            v.system.set(SystemValue::vertex_id_zero_base, [n, 0, 0, 0]);
            v.system.set(SystemValue::instance_id, [0; 4]);
            v
        })
        .collect();
    let common = System::new().with(SystemValue::base_vertex, 100);
    for level in LEVELS {
        let shader = optimized(&source, level);
        for (index_bits, words) in [(16, &[0x0005_0003, 0xffff_0000][..]), (32, &[3, 5, 0, 0xffff])] {
            let mut plan = PlanOptions::default();
            (plan.stages.vertex_kernel, plan.stages.index_bits) = (true, index_bits);
            let mut program = Program::with_options(&shader, Config::default(), &options(), &plan).unwrap();
            let mut resources = Resources::new();
            bind(&mut resources, Space::Storage, 5, words);
            let out = program.vertex(&mut resources, &common, &vertices).unwrap();
            let found: Vec<u32> = out.iter().map(|v| v.get(generic(0), 0).unwrap()).collect();
            assert_eq!(found, [103, 105, 100, 0xffff + 100], "{level:?}, {index_bits}");
            assert_eq!(out[0].get(generic(0), 1), Some(100));
        }
    }
}

#[test]
fn instances_are_repeated_for_views() {
    let vertex = "#version 460
        #extension GL_OVR_multiview2 : require
        layout(num_views = 2) in;
        layout(location = 0) flat out ivec4 a;
        void main() {
            gl_Position = vec4(0.0);
            a = ivec4(gl_ViewID_OVR, gl_InstanceID, gl_BaseInstance, 0);
        }";
    let fragment = "#version 460
        #extension GL_OVR_multiview2 : require
        layout(location = 0) out ivec4 c;
        void main() { c = ivec4(gl_ViewID_OVR, gl_Layer, 0, 0); }";
    let mut source = front_end(Stage::Vertex, vertex, false);
    assert_eq!(source.info.view_mask, 3);
    // Views of a subpass of Vulkan need not be adjacent.
    for (mask, views) in [(0, &[0, 1][..]), (0b110, &[1, 2]), (0b10_1001, &[0, 3, 5]), (0b1000, &[3])] {
        source.info.view_mask = if mask == 0 { 3 } else { 0 };
        let lowerings = || Lowerings { view_mask: mask, ..Lowerings::default() };
        let common = System::new().with(SystemValue::base_instance, 30);
        for level in LEVELS {
            let shader = optimized(&source, level);
            let mut program =
                Program::with_options(&shader, Config::default(), &options(), &plan(lowerings())).unwrap();
            for (n, (instance, &view)) in (0..4).flat_map(|i| views.iter().map(move |v| (i, v))).enumerate() {
                let mut v = Vertex::default();
                v.system.set(SystemValue::vertex_id, [0; 4]);
                v.system.set(SystemValue::instance_id, [n as u64, 0, 0, 0]);
                let out = program.vertex(&mut Resources::new(), &common, &[v]).unwrap();
                let found = [0, 1, 2].map(|c| out[0].get(generic(0), c).unwrap());
                assert_eq!(found, [view, instance, 30], "{mask:#b}, {level:?}");
                assert_eq!(out[0].get(Slot::LAYER, 0), Some(view), "{mask:#b}, {level:?}");
            }
        }
    }
    let source = front_end(Stage::Fragment, fragment, false);
    for level in LEVELS {
        let shader = optimized(&source, level);
        let lowerings = Lowerings { view_mask: 7, ..Lowerings::default() };
        let program =
            Program::with_options(&shader, Config::default(), &options(), &plan(lowerings)).unwrap();
        let primitive = Primitive {
            window: vec![[0.0, 0.0], [8.0, 0.0], [0.0, 8.0]],
            inverse_w: vec![1.0; 3],
            vertices: vec![Values::new(); 3],
            provoking: 0,
            values: Values::new(),
            system: System::new().with(SystemValue::layer_id, 2),
        };
        let fragment = Fragment { coord: [2.5, 4.5, 0.25, 1.0], coverage: 1, ..Fragment::default() };
        let quads =
            [Quad { primitive: &primitive, pixel: [2, 4], fragments: [(); 4].map(|()| fragment.clone()) }];
        let batch = FragmentBatch { quads: &quads, sample_positions: &[[0.5, 0.5]], system: System::new() };
        let out = program.fragments(&mut Resources::new(), &batch).unwrap();
        // Without a shader that writes it, gl_Layer is zero.
        assert_eq!([0, 1].map(|c| out[0][0].outputs.get(generic(0), c).unwrap()), [2, 0], "{level:?}");
    }
}

#[test]
fn attributes_are_loaded_from_memory() {
    let vertex = "#version 460
        layout(location = 0) in vec4 a; layout(location = 1) in vec3 b; layout(location = 2) in ivec2 c;
        layout(location = 0) out vec4 v; layout(location = 1) out vec4 w;
        void main() { gl_Position = vec4(0.0); v = a; w = vec4(b, c.x + 256 * c.y); }";
    // Three bytes, two half floats, 64 bits of two integers, one after the other.
    let memory: Vec<u8> = (0..3_u8)
        .flat_map(|n| [255, n, 255 - n, 0, 0x3c, 0, 0x40 + n, n, 0, 0, 0, 0xff, 0xff, 0xff, 0xff])
        .collect();
    let (address, stride) = (0x1_2345_0000_u64, 15);
    let record = |offset: u64, count| {
        let at = address + offset;
        [at as u32, (at >> 32) as u32, count, stride, 2, 0, 0, 0]
    };
    let records = [record(0, 3), record(3, 2), record(7, 3)].concat();
    let source = front_end(Stage::Vertex, vertex, false);
    for level in LEVELS {
        let mut shader = optimized(&source, level);
        let text =
            "lower_vertex_buffers{formats=0.unorm8.3|1.half.2|2.int.2,unaligned=7,instanced=4,robust=true}";
        let _ = Manager::default().run(&Pipeline::parse(text).unwrap(), &mut shader).unwrap();
        let mut program =
            Program::with_options(&shader, Config::default(), &options(), &plan(Lowerings::default()))
                .unwrap();
        let mut resources = Resources::new();
        let buffer = resources.add_buffer(records.iter().flat_map(|w| w.to_le_bytes()).collect());
        let attributes = resources.add_buffer(memory.clone());
        resources.buffers[attributes].address = Some(address);
        let block = Binding::Buffer { buffer, offset: 0, size: None };
        resources.bind(Space::Uniform, SET, VERTEX_BUFFERS.binding, 0, block);
        for n in 0..3 {
            let mut v = Vertex::default();
            v.system.set(SystemValue::vertex_id, [n, 0, 0, 0]);
            v.system.set(SystemValue::instance_id, [n, 0, 0, 0]);
            let out = program.vertex(&mut resources, &System::new(), &[v]).unwrap();
            let floats = |slot| [0, 1, 2, 3].map(|c| f32::from_bits(out[0].get(slot, c).unwrap()));
            let byte = |x: u64| x as f32 * (1.0 / 255.0);
            assert_eq!(floats(generic(0)), [1.0, byte(n), byte(255 - n), 1.0], "{level:?}");
            // The third element is beyond the count. The element of an instance is half of its index.
            let halves = if n == 2 { [0.0; 3] } else { [1.0, 2.0 + 0.5 * n as f32, 0.0] };
            let [x, y, z, w] = floats(generic(1));
            assert_eq!(([x, y, z], w), (halves, (n / 2) as f32 - 256.0), "{level:?}, {n}");
        }
    }
}
