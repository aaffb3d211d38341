//! State of attributes, uniforms and textures.

use crate::scene::{SIZE, Scene, expect, expect_close};
use airfoil::interp::pipeline::Topology;
use airfoil::interp::texture::{Color, Filter, Format, Image, Sampler, View, Wrap};
use airfoil::interp::{Binding, Space};
use airfoil::ir::Dim;
use airfoil_gl::{Budget, FormatKind, InlinedUniform, Stage, StateKey, StateMask, VertexFormat};

const VERTEX: &str =
    "#version 330\nlayout(location = 0) in vec4 p; void main() { gl_Position = vec4(p.xy, 0.5, 1.0); }";

/// Binds a row of texels to the texture of a binding.
fn texture(scene: &mut Scene, binding: u32, format: Format, texels: &[f64], sampler: Sampler) {
    let size = [texels.len() as u32, 1, 1];
    let mut image = Image::new(Dim::D2, format, size, 1, 1, 1).unwrap();
    for (x, &texel) in (0..).zip(texels) {
        image.set(0, 0, [x, 0, 0], 0, Color::Float([texel, texel, texel, 1.0]));
    }
    let image = scene.resources.add_image(image);
    let sampler = Some(scene.resources.add_sampler(sampler));
    let what = Binding::Texture { image, view: View::default(), sampler };
    scene.resources.bind(Space::Texture, 0, binding, 0, what);
}

#[test]
fn coordinates_are_clamped() {
    // Two textures with coordinates from -1 to 2.
    let fragment = "#version 330
        uniform sampler2D a, b; out vec4 c;
        void main() {
            vec2 at = vec2((gl_FragCoord.x - 4.0) * 0.375 + 0.5, (gl_FragCoord.y - 4.0) * 0.375 + 0.5);
            c = vec4(textureLod(a, vec2(at.x, 0.5), 0.0).x, textureLod(b, vec2(0.5, at.y), 0.0).x, 0.0, 1.0);
        }";
    let mut scene = Scene::new(VERTEX, fragment);
    let border = Sampler {
        wrap: [Wrap::ClampToBorder; 3],
        mag: Filter::Linear,
        min: Filter::Linear,
        ..Sampler::default()
    };
    let texels = [1.0, 2.0, 3.0, 4.0];
    let binding = |name: &str| {
        let arguments = &scene.program.arguments(Stage::Fragment).unwrap().arguments;
        arguments.iter().find(|a| a.name == name).and_then(|a| a.binding).unwrap()
    };
    let (a, b) = (binding("a"), binding("b"));
    texture(&mut scene, a, Format::Rgba32f, &texels, border.clone());
    texture(&mut scene, b, Format::Rgba32f, &[1.0], border);
    // A linear filter over a row of texels with a border of zero.
    let linear = |texels: &[f64], u: f64| {
        let at = u * texels.len() as f64 - 0.5;
        let texel = |n: f64| if n < 0.0 { 0.0 } else { texels.get(n as usize).copied().unwrap_or(0.0) };
        let low = at.floor();
        texel(low) * (1.0 - (at - low)) + texel(low + 1.0) * (at - low)
    };
    let at = |n: u32| (f64::from(n) + 0.5 - 4.0) * 0.375 + 0.5;
    for (gl_clamp, clamps_a, clamps_b) in [
        ([0, 0, 0], false, false),
        ([1 << a, 0, 0], true, false),
        ([0, 1 << b, 0], false, true),
        ([1 << b, 1 << a, u32::MAX], false, false),
        ([u32::MAX; 3], true, true),
    ] {
        let image = scene.draw(&StateKey { gl_clamp, ..StateKey::default() });
        let coordinate = |n: u32, clamps: bool| if clamps { at(n).clamp(0.0, 1.0) } else { at(n) };
        expect_close(&image, 0, |x, y| {
            [
                linear(&texels, coordinate(x, clamps_a)) as f32,
                linear(&[1.0], coordinate(y, clamps_b)) as f32,
                0.0,
                1.0,
            ]
        });
    }
}

#[test]
fn samplers_need_not_compare() {
    let fragment = "#version 330
        uniform sampler2DShadow s; out vec4 c;
        void main() { c = vec4(textureLod(s, vec3(gl_FragCoord.x / 8.0, 0.5, 0.75), 0.0), textureSize(s, 0), 1.0); }";
    let mut scene = Scene::new(VERTEX, fragment);
    let binding = scene.program.arguments(Stage::Fragment).unwrap().arguments[0].binding.unwrap();
    let texels: Vec<f64> = (0..SIZE).map(|n| f64::from(n) / 8.0).collect();
    let compare = Some(airfoil::interp::texture::Compare::Less);
    texture(&mut scene, binding, Format::D32f, &texels, Sampler { compare, ..Sampler::default() });
    let size = [SIZE as f32, 1.0];
    let image = scene.draw(&StateKey::default());
    expect(&image, 0, |x, _| [if x > 6 { 1.0 } else { 0.0 }, size[0], size[1], 1.0]);
    // The sampler of the draw does not compare.
    texture(&mut scene, binding, Format::D32f, &texels, Sampler::default());
    let off = StateKey { compare_off: 1 << binding, ..StateKey::default() };
    expect(&scene.draw(&off), 0, |x, _| [x as f32 / 8.0, size[0], size[1], 1.0]);
    let function = scene.program.variant(Stage::Fragment, &off, &Budget::default()).unwrap();
    let types: Vec<&str> = function.reflection.arguments.iter().map(|a| a.type_name.as_str()).collect();
    assert!(types.iter().all(|t| !t.contains("depth")), "{types:?}");
    let others = StateKey { compare_off: !(1 << binding), ..StateKey::default() };
    assert_eq!(scene.program.canonical(&others), StateKey::default());
}

/// The modes of OpenGL 4.6 compatibility section 8.17, of two textures.
#[test]
fn comparisons_have_the_mode_of_the_texture() {
    let fragment = "#version 120
        uniform sampler2DShadow a, b;
        void main() {
            vec3 at = vec3(gl_FragCoord.x / 8.0, 0.5, 0.75);
            gl_FragColor = 0.5 * shadow2D(a, at) + 0.25 * shadow2D(b, at);
        }";
    let mut scene = Scene::new(VERTEX, fragment);
    let arguments = scene.program.arguments(Stage::Fragment).unwrap();
    let binding = |name: &str| {
        let found = arguments.arguments.iter().find(|a| a.name.contains(name)).unwrap();
        found.binding.unwrap()
    };
    let (a, b) = (binding("a"), binding("b"));
    let texels: Vec<f64> = (0..SIZE).map(|n| f64::from(n) / 8.0).collect();
    let compare = Some(airfoil::interp::texture::Compare::Less);
    for binding in [a, b] {
        texture(&mut scene, binding, Format::D32f, &texels, Sampler { compare, ..Sampler::default() });
    }
    // By mode, as the key has them: luminance, intensity, alpha, red.
    let vector = |r: f32, mode: usize| match mode {
        0 => [r, r, r, 1.0],
        1 => [r; 4],
        2 => [0.0, 0.0, 0.0, r],
        _ => [r, 0.0, 0.0, 1.0],
    };
    for (mode_a, mode_b) in (0..4).flat_map(|a| (0..4).map(move |b| (a, b))) {
        let mut depth_modes = [0; 3];
        for (binding, mode) in [(a, mode_a), (b, mode_b)] {
            if let Some(mode) = usize::checked_sub(mode, 1) {
                depth_modes[mode] |= 1 << binding;
            }
        }
        let image = scene.draw(&StateKey { depth_modes, ..StateKey::default() });
        expect(&image, 0, |x, _| {
            let r = if x > 6 { 1.0 } else { 0.0 };
            let (a, b) = (vector(r, mode_a), vector(r, mode_b));
            std::array::from_fn(|n| 0.5 * a[n] + 0.25 * b[n])
        });
    }
    let alpha = StateKey { depth_modes: [0, 1 << a, u32::MAX], ..StateKey::default() };
    let canonical = StateKey { depth_modes: [0, 1 << a, 1 << b], ..StateKey::default() };
    assert_eq!(scene.program.stage_canonical(Stage::Fragment, &alpha), canonical);
    let function = scene.program.variant(Stage::Fragment, &alpha, &Budget::default()).unwrap();
    assert!(!function.metallib.is_empty());
    // A lookup that returns one component passes over the mode (GLSL 1.30 section 8.7).
    let fragment = "#version 330
        uniform sampler2DShadow s; out vec4 c; void main() { c = vec4(texture(s, vec3(0.5))); }";
    let scene = Scene::new(VERTEX, fragment);
    assert_eq!(
        scene.program.canonical(&StateKey { depth_modes: [1; 3], ..StateKey::default() }),
        StateKey::default()
    );
}

#[test]
fn uniforms_become_constants() {
    let fragment = "#version 330
        uniform vec4 u; uniform int steps; out vec4 c;
        void main() { c = vec4(0.0); if (steps > 3) c = u; else c = u * 2.0; }";
    let mut scene = Scene::new(VERTEX, fragment);
    let (binding, size) = scene.program.reflection().default_block.unwrap();
    let mut words = vec![0_u32; size as usize / 4];
    let offset = |name: &str| {
        let uniforms = &scene.program.reflection().uniforms;
        uniforms.iter().find(|u| u.name == name).map(|u| u.offset.unwrap_or_default()).unwrap()
    };
    let (u, steps) = (offset("u"), offset("steps"));
    for (n, x) in [1.0_f32, 2.0, 3.0, 4.0].into_iter().enumerate() {
        words[u as usize / 4 + n] = x.to_bits();
    }
    words[steps as usize / 4] = 5;
    let bytes = words.iter().flat_map(|w| w.to_le_bytes()).collect();
    let buffer = scene.resources.add_buffer(bytes);
    let what = Binding::Buffer { buffer, offset: 0, size: None };
    scene.resources.bind(Space::Uniform, 0, binding, 0, what);
    let mut inlined = [InlinedUniform::default(); 4];
    inlined[0] = InlinedUniform { offset: u + 4, value: 7f32.to_bits() };
    inlined[1] = InlinedUniform { offset: steps, value: 2 };
    let key = |inlined_count| StateKey { inlined, inlined_count, ..StateKey::default() };
    expect(&scene.draw(&key(0)), 0, |_, _| [1.0, 2.0, 3.0, 4.0]);
    expect(&scene.draw(&key(1)), 0, |_, _| [1.0, 7.0, 3.0, 4.0]);
    expect(&scene.draw(&key(2)), 0, |_, _| [2.0, 14.0, 6.0, 8.0]);
    // The condition is folded.
    let shader =
        |key: &StateKey| scene.program.variant_shader(Stage::Fragment, key, &Budget::default()).unwrap();
    let ifs = |key: &StateKey| shader(key).functions.values().map(|f| f.body.num_cfs()).sum::<usize>();
    assert!(shader(&key(2)).num_instrs() < shader(&key(0)).num_instrs());
    assert_eq!(ifs(&key(2)), 0);
    // The order does not matter, nor do words that the program does not read.
    let mut other = inlined;
    other.swap(0, 1);
    other[2] = InlinedUniform { offset: 4096, value: 1 };
    let other = StateKey { inlined: other, inlined_count: 3, ..StateKey::default() };
    assert_eq!(scene.program.canonical(&other), scene.program.canonical(&key(2)));
    assert_eq!(scene.program.stage_canonical(Stage::Vertex, &other), StateKey::default());
}

#[test]
fn attributes_become_floats() {
    let vertex = "#version 330
        layout(location = 0) in vec4 p; layout(location = 1) in vec4 a; layout(location = 2) in vec2 b; flat out vec4 v;
        void main() { gl_Position = p; gl_PointSize = 8.0; v = vec4(a.xyz, a.w * 16.0 + b.y); }";
    let fragment = "#version 330\nflat in vec4 v; out vec4 c; void main() { c = v; }";
    let mut scene = Scene::new(vertex, fragment);
    scene.topology = Topology::Points;
    // (kind, components of the format, bits, values)
    let fields = |x: u32, y: u32, z: u32, w: u32| x & 1023 | (y & 1023) << 10 | (z & 1023) << 20 | w << 30;
    let minus = |n: u32| n.wrapping_neg();
    let cases: [(FormatKind, u8, [u32; 4], [f32; 4]); 8] = [
        (FormatKind::Int, 4, [1, minus(2), 3, minus(4)], [1.0, -2.0, 3.0, -4.0]),
        (FormatKind::Int, 2, [1, minus(2), 9, 9], [1.0, -2.0, 0.0, 1.0]),
        (FormatKind::Uint, 3, [1, u32::MAX, 3, 9], [1.0, 4_294_967_295.0, 3.0, 1.0]),
        (FormatKind::Snorm32, 4, [0x7fff_ffff, 0x8000_0000, 0, 0x4000_0000], [1.0, -1.0, 0.0, 0.5]),
        (FormatKind::Unorm32, 0, [u32::MAX, 0, 0x8000_0000, u32::MAX], [1.0, 0.0, 0.5, 1.0]),
        (FormatKind::Fixed, 3, [0x1_8000, minus(0x4000), 0, 1], [1.5, -0.25, 0.0, 1.0]),
        (
            FormatKind::PackedInt,
            4,
            [fields(511, minus(512), minus(1), 2), 9, 9, 9],
            [511.0, -512.0, -1.0, -2.0],
        ),
        (FormatKind::PackedUint, 4, [fields(511, 1023, 0, 3), 9, 9, 9], [511.0, 1023.0, 0.0, 3.0]),
    ];
    for (kind, components, bits, want) in cases {
        scene.vertices = vec![vec![[0.0, 0.0, 0.5, 1.0], bits.map(f32::from_bits), [0.0, 0.5, 0.0, 1.0]]];
        let mut vertex_formats = [VertexFormat::default(); 32];
        vertex_formats[1] = VertexFormat { kind, components };
        let points = airfoil_gl::PointSize::Shader;
        let key = StateKey { vertex_formats, point_size: points, ..StateKey::default() };
        let [x, y, z, w] = want;
        expect(&scene.draw(&key), 0, |_, _| [x, y, z, w * 16.0 + 0.5]);
        // The type of the argument is that of the vertex descriptor.
        let function = scene.program.variant(Stage::Vertex, &key, &Budget::default()).unwrap();
        let input = function.reflection.inputs.iter().find(|i| i.location == Some(1)).unwrap();
        let expected = match kind {
            FormatKind::Int | FormatKind::Snorm32 | FormatKind::Fixed => "int4",
            FormatKind::PackedInt | FormatKind::PackedUint => "uint",
            _ => "uint4",
        };
        assert_eq!(input.type_name, expected, "{kind:?}");
    }
    // Doubles fill two attributes.
    let words = |x: f64| [x.to_bits() as u32, (x.to_bits() >> 32) as u32].map(f32::from_bits);
    let pair = |a: f64, b: f64| [words(a)[0], words(a)[1], words(b)[0], words(b)[1]];
    for (components, want) in
        [(4, [0.1, -2.5, 1e300, 1.5e-320]), (3, [0.1, -2.5, 1e-40, 1.0]), (1, [7.0, 0.0, 0.0, 1.0])]
    {
        let mut vertex = vec![[0.0; 4]; 18];
        vertex[0] = [0.0, 0.0, 0.5, 1.0];
        (vertex[1], vertex[17]) = (pair(want[0], want[1]), pair(want[2], want[3]));
        vertex[2] = [0.0, 0.5, 0.0, 1.0];
        scene.vertices = vec![vertex];
        let mut vertex_formats = [VertexFormat::default(); 32];
        vertex_formats[1] = VertexFormat { kind: FormatKind::Double, components };
        let points = airfoil_gl::PointSize::Shader;
        let key = StateKey { vertex_formats, point_size: points, ..StateKey::default() };
        let [x, y, z, w] = want.map(|x| x as f32);
        expect(&scene.draw(&key), 0, |_, _| [x, y, z, w * 16.0 + 0.5]);
        let function = scene.program.variant(Stage::Vertex, &key, &Budget::default()).unwrap();
        let has = |location| function.reflection.inputs.iter().any(|i| i.location == Some(location));
        assert_eq!((has(1), has(17)), (true, components > 2));
    }
    // Attributes that are not there, and formats that Metal has, do not matter.
    let mut vertex_formats = [VertexFormat { kind: FormatKind::Native, components: 3 }; 32];
    vertex_formats[9] = VertexFormat { kind: FormatKind::Int, components: 4 };
    let key = StateKey { vertex_formats, ..StateKey::default() };
    assert_eq!(scene.program.canonical(&key), StateKey::default());
    assert!(scene.program.depends_on().contains(StateMask::VERTEX_FORMATS));
}

#[test]
fn cube_maps_need_not_be_seamless() {
    // Each face is a texture of its own: directions near an edge do not mix faces.
    let fragment = "#version 330
        uniform samplerCube s; out vec4 c;
        vec3 direction() {
            vec2 at = gl_FragCoord.xy * 0.125 * 6.2831853;
            return vec3(cos(at.x) * sin(at.y * 0.5), cos(at.y * 0.5), sin(at.x) * sin(at.y * 0.5)) * 2.0;
        }
        void main() { c = vec4(textureLod(s, direction(), 0.0).xy, textureSize(s, 0)); }";
    let mut scene = Scene::new(VERTEX, fragment);
    let binding = scene.program.arguments(Stage::Fragment).unwrap().arguments[0].binding.unwrap();
    let texel = |face: usize, x: usize, y: usize| [face as f64 + x as f64 * 0.125, (face * 4 + y) as f64];
    // The view that the driver binds: an array of the faces.
    let mut image = Image::new(Dim::D2, Format::Rgba32f, [2, 2, 1], 6, 1, 1).unwrap();
    for (face, at) in (0..6).flat_map(|face| (0..4).map(move |at| (face, at))) {
        let [r, g] = texel(face, at % 2, at / 2);
        image.set(0, face as u32, [at as u32 % 2, at as u32 / 2, 0], 0, Color::Float([r, g, 0.0, 1.0]));
    }
    let image = scene.resources.add_image(image);
    let (wrap, filter) = ([Wrap::ClampToEdge; 3], Filter::Linear);
    let sampler = Sampler { wrap, mag: filter, min: filter, ..Sampler::default() };
    let sampler = Some(scene.resources.add_sampler(sampler));
    let what = Binding::Texture { image, view: View::default(), sampler };
    scene.resources.bind(Space::Texture, 0, binding, 0, what);
    let key = StateKey { nonseamless: 1 << binding, ..StateKey::default() };
    let image = scene.draw(&key);
    // Table 8.19: the major axis and its sign, and the coordinates of the faces.
    let sample = |r: [f64; 3]| {
        let axis = (0..3).max_by(|&a, &b| r[a].abs().total_cmp(&r[b].abs())).unwrap();
        let face = axis * 2 + usize::from(r[axis] < 0.0);
        let [x, y, z] = r;
        let (s, t) = [(-z, -y), (z, -y), (x, z), (x, -z), (x, -y), (-x, -y)][face];
        let [s, t] = [s, t].map(|v| (v / r[axis].abs() + 1.0) / 2.0);
        let place = |u: f64| (u * 2.0 - 0.5).clamp(0.0, 1.0);
        let (u, v) = (place(s), place(t));
        let mix = |c: usize| {
            let row = |y| texel(face, 0, y)[c] * (1.0 - u) + texel(face, 1, y)[c] * u;
            row(0) * (1.0 - v) + row(1) * v
        };
        [mix(0), mix(1)]
    };
    for (x, y) in (0..SIZE * SIZE).map(|n| (n % SIZE, n / SIZE)) {
        let [a, b] = [x, y].map(|n| (f64::from(n) + 0.5) * 0.125 * std::f64::consts::TAU);
        let b = b * 0.5;
        let want = sample([a.cos() * b.sin(), b.cos(), a.sin() * b.sin()]);
        let found = image.floats(0, x, y, 0).unwrap();
        let near = |a: f32, b: f64| (f64::from(a) - b).abs() < 1e-3;
        assert!(
            near(found[0], want[0]) && near(found[1], want[1]),
            "({x}, {y}): {found:?}, expected {want:?}"
        );
        assert_eq!(found[2..], [2.0, 2.0]);
    }
    // Implicit levels: two texels per pixel of the face +x are level 1, four with a bias of 1.
    for (call, want) in [("texture(s, r)", 1.0), ("texture(s, r, 1.0)", 2.0)] {
        let fragment = format!(
            "#version 330
            uniform samplerCube s; out vec4 c;
            void main() {{ vec2 p = gl_FragCoord.xy * 0.25 - 1.0; vec3 r = vec3(1.0, -p.y, -p.x) * 3.0; c = {call}; }}"
        );
        let mut scene = Scene::new(VERTEX, &fragment);
        let mut image = Image::new(Dim::D2, Format::Rgba32f, [16, 16, 1], 6, 3, 1).unwrap();
        for (level, size) in [(0, 16), (1, 8), (2, 4)] {
            for at in 0..size * size {
                let color = Color::Float([f64::from(level), 0.0, 0.0, 1.0]);
                image.set(level, 0, [at % size, at / size, 0], 0, color);
            }
        }
        let image = scene.resources.add_image(image);
        let sampler = Sampler { wrap, mip: airfoil::interp::texture::Mip::Nearest, ..Sampler::default() };
        let sampler = Some(scene.resources.add_sampler(sampler));
        let what = Binding::Texture { image, view: View::default(), sampler };
        scene.resources.bind(Space::Texture, 0, binding, 0, what);
        expect(&scene.draw(&key), 0, |_, _| [want, 0.0, 0.0, 1.0]);
    }
    let function = scene.program.variant(Stage::Fragment, &key, &Budget::default()).unwrap();
    let types: Vec<&str> = function.reflection.arguments.iter().map(|a| a.type_name.as_str()).collect();
    assert!(types.iter().any(|t| t.contains("texture2d_array")), "{types:?}");
    let others = StateKey { nonseamless: !(1 << binding), ..StateKey::default() };
    assert_eq!(scene.program.canonical(&others), StateKey::default());
}
