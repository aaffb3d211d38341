//! Attributes from buffers.

use crate::scene::{SIZE, Scene};
use airfoil::interp::pipeline::{Draw, Pipeline, Target, Topology};
use airfoil::interp::run::Vertex;
use airfoil::interp::{Config, Space, System};
use airfoil::ir::{Slot, SystemValue};
use airfoil_gl::{
    Budget, Device, DeviceOptions, FormatKind, LinkOptions, PointSize, Stage, StateFlags, StateKey,
    StateMask, VertexBuffer, VertexFormat, Workarounds,
};

/// Address of the first buffer; the others follow at distances of 64 KiB.
const ADDRESS: u64 = 0x1_2345_0000;

/// A program whose fragments have the color of a point, which the vertex shader writes to `v`.
fn scene(attributes: &str, value: &str, robust: bool) -> Scene {
    let vertex = format!(
        "#version 460\nlayout(location = 0) in vec4 p;\n{attributes}\nuniform int n;\nflat out vec4 v;
        void main() {{ gl_Position = p; gl_PointSize = 1.0; v = {value}; }}"
    );
    let fragment = "#version 460\nflat in vec4 v; out vec4 c; void main() { c = v; }";
    let workarounds = Workarounds { robust, ..Workarounds::default() };
    let device = Device::new(DeviceOptions { workarounds, ..DeviceOptions::default() });
    let objects = [
        device.compile("vertex", Stage::Vertex, &[&vertex]),
        device.compile("fragment", Stage::Fragment, &[fragment]),
    ];
    objects.iter().for_each(|object| assert!(object.status(), "{}", object.log()));
    let program = device.link(&[&objects[0], &objects[1]], &LinkOptions::default());
    let mut scene = Scene::of(program.unwrap_or_else(|log| panic!("{log}")));
    scene.topology = Topology::Points;
    scene
}

/// A key with attributes of buffers.
fn key(formats: &[(usize, VertexFormat)]) -> StateKey {
    let mut key = StateKey { point_size: PointSize::Shader, ..StateKey::default() };
    for &(location, format) in formats {
        key.vertex_formats[location] = format;
        key.pulled |= 1 << location;
    }
    key
}

/// Location of an attribute, bytes of the buffer, offset in it, stride, format and divisor.
type Attribute<'b> = (usize, &'b [u8], u64, u32, VertexFormat, u32);

/// Binds buffers and the records of attributes.
fn bind(scene: &mut Scene, attributes: &[Attribute<'_>]) {
    let mut words = [0; 32 * 8];
    scene.resources.buffers.iter_mut().for_each(|buffer| buffer.address = None);
    for (n, &(location, bytes, offset, stride, format, divisor)) in (0..).zip(attributes) {
        let address = ADDRESS + n * 0x1_0000;
        let buffer = scene.resources.add_buffer(bytes.to_vec());
        scene.resources.buffers[buffer].address = Some(address);
        let record = VertexBuffer::new(address + offset, bytes.len() as u64 - offset, stride, format);
        let record = VertexBuffer { divisor, ..record };
        words[8 * location..8 * location + 8].copy_from_slice(&record.words());
    }
    scene.driver(Space::Uniform, VertexBuffer::BINDING, &words);
}

/// The colors of points, which are drawn with a vertex, an instance and a base instance each.
fn colors(scene: &mut Scene, key: &StateKey, points: &[[u32; 3]]) -> Vec<[f32; 4]> {
    let shaders = scene.shaders(key);
    let mut pipeline = Pipeline::new(&shaders, &Config::default()).unwrap_or_else(|e| panic!("{e:?}"));
    let at = |n: usize| (2 * n + 1) as f32 / SIZE as f32 - 1.0;
    let vertex = |(n, &[vertex, instance, base]): (usize, &[u32; 3])| {
        let mut v = Vertex::default();
        v.inputs.set_floats(Slot::generic(0).unwrap_or(Slot::POSITION), [at(n % 8), at(n / 8), 0.5, 1.0]);
        v.system = System::new()
            .with(SystemValue::vertex_id, vertex.into())
            .with(SystemValue::instance_id, instance.into())
            .with(SystemValue::base_instance, base.into())
            .with(SystemValue::instance_index, (instance + base).into());
        v
    };
    let vertices: Vec<Vertex> = points.iter().enumerate().map(vertex).collect();
    let draw = Draw { topology: Topology::Points, vertices: &vertices, indices: None, system: System::new() };
    let mut target = Target::new(SIZE, SIZE, 1, 1);
    let state = scene.state();
    pipeline.draw(&mut scene.resources, &draw, &state, &mut target).unwrap_or_else(|e| panic!("{e:?}"));
    let pixel = |n: usize| target.floats(0, n as u32 % 8, n as u32 / 8, 0).unwrap_or([f32::NAN; 4]);
    (0..points.len()).map(pixel).collect()
}

fn vertices(count: u32) -> Vec<[u32; 3]> {
    (0..count).map(|n| [n, 0, 0]).collect()
}

/// Formats with an element, and the floats that OpenGL 4.6 section 10.3 gives it.
fn elements() -> Vec<(FormatKind, u8, Vec<u8>, [f32; 4])> {
    use FormatKind as K;
    let floats = |v: &[f32]| v.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>();
    let words = |v: &[u32]| v.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>();
    let shorts = |v: &[u16]| v.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>();
    let doubles = |v: &[f64]| v.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>();
    let fields = |x: u32, y: u32, z: u32, w: u32| words(&[x | y << 10 | z << 20 | w << 30]);
    vec![
        (K::Native, 4, floats(&[0.1, -2.5, 1e30, -0.0]), [0.1, -2.5, 1e30, -0.0]),
        (K::Native, 3, floats(&[0.1, -2.5, 7.0]), [0.1, -2.5, 7.0, 1.0]),
        (K::Native, 1, floats(&[3.5]), [3.5, 0.0, 0.0, 1.0]),
        (K::Half, 4, shorts(&[0x3c00, 0xc500, 0x0001, 0x7bff]), [1.0, -5.0, 0.000_000_059_604_645, 65504.0]),
        (K::Half, 3, shorts(&[0x3555, 0x8000, 0x4248]), [0.333_251_95, -0.0, 3.140_625, 1.0]),
        (K::Half, 1, shorts(&[0x3800]), [0.5, 0.0, 0.0, 1.0]),
        (K::Double, 4, doubles(&[0.1, -2.5, 1e300, 3.0]), [0.1, -2.5, f32::INFINITY, 3.0]),
        (K::Double, 3, doubles(&[0.1, -2.5, 8.0]), [0.1, -2.5, 8.0, 1.0]),
        (K::Double, 1, doubles(&[-7.25]), [-7.25, 0.0, 0.0, 1.0]),
        (K::Fixed, 3, words(&[0x1_8000, 0xffff_c000, 0]), [1.5, -0.25, 0.0, 1.0]),
        (K::Int, 2, words(&[7, 0xffff_fffe]), [7.0, -2.0, 0.0, 1.0]),
        (K::Uint, 3, words(&[7, u32::MAX, 1]), [7.0, 4_294_967_296.0, 1.0, 1.0]),
        (K::Snorm32, 4, words(&[0x7fff_ffff, 0x8000_0000, 0, 0x4000_0000]), [1.0, -1.0, 0.0, 0.5]),
        (K::Unorm32, 2, words(&[u32::MAX, 0x8000_0000]), [1.0, 0.5, 0.0, 1.0]),
        (K::Int8, 4, vec![1, 0xff, 0x80, 0x7f], [1.0, -1.0, -128.0, 127.0]),
        (K::Int8, 3, vec![0x81, 2, 0xfe], [-127.0, 2.0, -2.0, 1.0]),
        (K::Uint8, 1, vec![0xfe], [254.0, 0.0, 0.0, 1.0]),
        (K::Snorm8, 4, vec![0x7f, 0x80, 0x81, 0], [1.0, -1.0, -1.0, 0.0]),
        (K::Unorm8, 4, vec![0xff, 0, 0xff, 0], [1.0, 0.0, 1.0, 0.0]),
        (K::Unorm8, 3, vec![0, 0xff, 0xff], [0.0, 1.0, 1.0, 1.0]),
        (K::Unorm8Bgra, 4, vec![0xff, 0, 0, 0xff], [0.0, 0.0, 1.0, 1.0]),
        (K::Int16, 3, shorts(&[0x8000, 5, 0xffff]), [-32768.0, 5.0, -1.0, 1.0]),
        (K::Uint16, 2, shorts(&[0xffff, 5]), [65535.0, 5.0, 0.0, 1.0]),
        (K::Snorm16, 4, shorts(&[0x7fff, 0x8000, 0x8001, 0]), [1.0, -1.0, -1.0, 0.0]),
        (K::Unorm16, 3, shorts(&[0xffff, 0, 0xffff]), [1.0, 0.0, 1.0, 1.0]),
        (K::PackedInt, 4, fields(511, 512, 1023, 2), [511.0, -512.0, -1.0, -2.0]),
        (K::PackedUint, 4, fields(511, 1023, 0, 3), [511.0, 1023.0, 0.0, 3.0]),
        (K::PackedSnorm, 4, fields(511, 512, 513, 1), [1.0, -1.0, -1.0, 1.0]),
        (K::PackedSnormBgra, 4, fields(511, 0, 512, 2), [-1.0, 0.0, 1.0, -1.0]),
        (K::PackedUnorm, 4, fields(1023, 0, 1023, 3), [1.0, 0.0, 1.0, 1.0]),
        (K::PackedUnormBgra, 4, fields(1023, 0, 0, 3), [0.0, 0.0, 1.0, 1.0]),
        // 1.0, 0.5 and 65024, the largest of 11 bits; then infinity of 10 bits.
        (K::PackedFloat, 3, words(&[0x3c0 | 0x380 << 11 | 0x3df << 22]), [1.0, 0.5, 64512.0, 1.0]),
        (
            K::PackedFloat,
            3,
            words(&[0x7bf | 0x001 << 11 | 0x3e0 << 22]),
            [65024.0, 9.536_743e-7, f32::INFINITY, 1.0],
        ),
    ]
}

#[test]
fn attributes_are_read_from_buffers() {
    for robust in [false, true] {
        let mut scene = scene("layout(location = 1) in vec4 a;", "a", robust);
        for (kind, components, element, want) in elements() {
            let format = VertexFormat { kind, components };
            assert_eq!(format.bytes() as usize, element.len(), "{kind:?}");
            // Words, with the element in the middle of larger ones; then any byte.
            let aligned = (element.len() as u32).next_multiple_of(4) + 8;
            let tight = element.len() as u32;
            for (offset, stride, unaligned) in
                [(0, aligned, 0), (4, aligned, 0), (3, tight, 2), (5, tight + 2, 2)]
            {
                let (count, stride) = (3, stride as usize);
                // Every other element is complemented.
                let mut bytes = vec![0x55; offset + stride * (count - 1) + element.len()];
                for n in 0..count {
                    let flip = if n % 2 == 1 { 0xff } else { 0 };
                    let at = offset + n * stride;
                    bytes[at..at + element.len()]
                        .iter_mut()
                        .zip(&element)
                        .for_each(|(to, from)| *to = from ^ flip);
                }
                bind(&mut scene, &[(1, &bytes, offset as u64, stride as u32, format, 1)]);
                let state = StateKey { unaligned, ..key(&[(1, format)]) };
                let found = colors(&mut scene, &state, &vertices(3));
                for n in [0, 2] {
                    assert_eq!(
                        found[n].map(f32::to_bits),
                        want.map(f32::to_bits),
                        "{kind:?} {components} {offset}: {:?}",
                        found[n]
                    );
                }
                // The element in between is another one, unless its components are missing.
                assert_ne!(found[1].map(f32::to_bits), found[0].map(f32::to_bits), "{kind:?}");
                if robust {
                    // The components of elements that end after the buffer are zero.
                    let zero = std::array::from_fn(|c| if c == 3 && format.count() < 4 { 1.0 } else { 0.0 });
                    let found = colors(&mut scene, &state, &[[3, 0, 0], [u32::MAX, 0, 0]]);
                    assert_eq!(found, [zero; 2], "{kind:?}");
                }
            }
        }
    }
}

#[test]
fn integers_are_read_from_buffers() {
    let attributes = "layout(location = 1) in ivec4 a; layout(location = 2) in uvec2 b;";
    let mut scene = scene(attributes, "vec4(a.x, a.y, a.w, b.x + b.y)", false);
    let (a, b) = (VertexFormat { kind: FormatKind::Int8, components: 2 }, FormatKind::Uint16);
    let b = VertexFormat { kind: b, components: 2 };
    let bytes = [0xfe, 5, 0, 0, 0xff, 0xff, 1, 0];
    bind(&mut scene, &[(1, &bytes, 0, 0, a, 1), (2, &bytes, 4, 0, b, 1)]);
    // Missing components are 0, and 1 for w. With a stride of zero all vertices have the same element.
    let want = [-2.0, 5.0, 1.0, 65536.0];
    assert_eq!(colors(&mut scene, &key(&[(1, a), (2, b)]), &[[0, 0, 0], [9, 0, 0]]), [want; 2]);
}

#[test]
fn doubles_of_the_shader_are_words() {
    let mut scene = scene("layout(location = 1) in dvec3 a;", "vec4(a, 1.0)", false);
    let bytes: Vec<u8> = [0.5_f64, 1e-3, -3.0].iter().flat_map(|x| x.to_le_bytes()).collect();
    let format = |components| VertexFormat { kind: FormatKind::Uint, components };
    bind(&mut scene, &[(1, &bytes, 0, 24, format(4), 1), (2, &bytes, 16, 24, format(2), 1)]);
    let found = colors(&mut scene, &key(&[(1, format(4)), (2, format(2))]), &[[0, 0, 0]]);
    assert_eq!(found, [[0.5, 1e-3, -3.0, 1.0]]);
    // Half of a variable is not read from a buffer.
    let part = key(&[(1, format(4))]);
    let errors = scene.program.variant(Stage::Vertex, &part, &Budget::default()).unwrap_err();
    assert!(errors.to_string().contains("E0336"), "{errors}");
}

#[test]
fn matrices_and_arrays_are_indexed() {
    let attributes = "layout(location = 1) in mat2 m; layout(location = 4) in float a[3];";
    let mut scene = scene(attributes, "vec4(m[n & 1], a[n], m[1].y)", false);
    let native = |components| VertexFormat { kind: FormatKind::Native, components };
    let bytes: Vec<u8> = (1..=8_u16).flat_map(|n| f32::from(n).to_le_bytes()).collect();
    let at = |location, offset, components| (location, &bytes[..], offset, 32, native(components), 1);
    bind(&mut scene, &[at(1, 0, 2), at(2, 8, 2), at(4, 16, 1), at(5, 20, 1), at(6, 24, 1)]);
    let one = VertexFormat { kind: FormatKind::Native, components: 1 };
    let key = key(&[(1, native(2)), (2, native(2)), (4, one), (5, one), (6, one)]);
    for (n, want) in [(0, [1.0, 2.0, 5.0, 4.0]), (1, [3.0, 4.0, 6.0, 4.0]), (2, [1.0, 2.0, 7.0, 4.0])] {
        scene.resources.set_uniform("n", &[n]);
        assert_eq!(colors(&mut scene, &key, &[[0, 0, 0]]), [want], "{n}");
    }
}

#[test]
fn instanced_attributes_have_divisors() {
    let attributes =
        "layout(location = 1) in float a; layout(location = 2) in float b; layout(location = 3) in float c;";
    let mut scene = scene(attributes, "vec4(a, b, c, 1.0)", true);
    let format = VertexFormat { kind: FormatKind::Uint8, components: 1 };
    let bytes: Vec<u8> = (0..16).collect();
    let at = |location, divisor| (location, &bytes[..], 0, 1, format, divisor);
    bind(&mut scene, &[at(1, 1), at(2, 1), at(3, 3)]);
    let state = key(&[(1, format), (2, format), (3, format)]);
    let state = StateKey { instanced: 0b1100, unaligned: 0b1110, ..state };
    // OpenGL 4.6 section 10.3: floor(instance / divisor) + base instance.
    let points: Vec<[u32; 3]> = (0..14).flat_map(|i| [0, 3].map(|base| [i, i, base])).collect();
    for (point, found) in points.iter().zip(colors(&mut scene, &state, &points)) {
        let &[vertex, instance, base] = point;
        let element = |n: u32| if n < 16 { n as f32 } else { 0.0 };
        let want = [element(vertex), element(instance + base), element(instance / 3 + base), 1.0];
        assert_eq!(found, want, "{point:?}");
    }
}

#[test]
fn functions_depend_on_the_attributes_they_pull() {
    let scene = scene("layout(location = 3) in vec4 a;", "a", false);
    let program = &scene.program;
    assert!(program.depends_on().contains(StateMask::PULLED | StateMask::VERTEX_FORMATS));
    assert!(!program.stage_depends_on(Stage::Fragment).contains(StateMask::PULLED));
    let half = VertexFormat { kind: FormatKind::Half, components: 4 };
    // Attributes that are not there, and qualities of attributes that are not pulled, do not matter.
    let absent = StateKey { instanced: 1 << 3, unaligned: 1 << 3, ..key(&[(9, half)]) };
    assert_eq!(program.stage_canonical(Stage::Vertex, &absent), key(&[]));
    let all = VertexFormat { components: 0, ..half };
    let canonical = program.stage_canonical(Stage::Vertex, &key(&[(3, half)]));
    assert_eq!(canonical, key(&[(3, all)]));
    // The vertex descriptor keeps the other attributes; the block is in the reflection.
    let function = program.variant(Stage::Vertex, &canonical, &Budget::default()).unwrap();
    let locations: Vec<_> = function.reflection.inputs.iter().filter_map(|i| i.location).collect();
    assert_eq!(locations, [0]);
    let is_block = |a: &&airfoil_gl::FunctionReflection| {
        a.arguments
            .iter()
            .any(|a| (a.set, a.binding) == (Some(VertexBuffer::SET), Some(VertexBuffer::BINDING)))
    };
    assert!(Some(&function.reflection).filter(is_block).is_some());
    // Edge flags are an attribute like others.
    let edges = StateKey {
        flags: StateFlags::EDGE_FLAGS,
        polygon_mode: airfoil_gl::PolygonMode::Lines,
        ..key(&[(30, VertexFormat { kind: FormatKind::Uint8, components: 1 })])
    };
    assert_eq!(program.canonical(&edges).pulled, 1 << 30);
    let kernel = program.variant(Stage::Vertex, &edges, &Budget::default()).unwrap();
    assert!(kernel.reflection.inputs.iter().all(|i| i.location != Some(30)));
    assert_eq!(program.canonical(&StateKey { flags: StateFlags::empty(), ..edges }).pulled, 0);
}
