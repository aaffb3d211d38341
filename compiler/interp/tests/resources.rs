//! Shaders with textures, images and buffers: the values that they read and write.

use airfoil_interp::run::{FragmentBatch, Primitive, Quad, Vertex};
use airfoil_interp::texture::{Color, Filter, Format, Image, Mip, Sampler, View};
use airfoil_interp::{Binding, Config, Fault, Program, Resources, Space, System, Values};
use airfoil_ir::{Dim, Shader, Slot, text};

fn shader(stage: &str, declarations: &str, code: &str) -> Shader {
    let source = format!(
        "foil 1\nshader {stage} \"t\" {{\nform slots\n{declarations}\nentry fn main {{\n{code}\n}}\n}}\n"
    );
    let shader = text::parse(&source).unwrap_or_else(|e| panic!("{e:?}\n{source}"));
    let faults = airfoil_ir::validate::validate(&shader);
    assert!(faults.is_empty(), "{faults:?}\n{source}");
    shader
}

fn slot(n: u32) -> Slot {
    Slot::generic(n).expect("is a slot")
}

/// Words that a vertex shader stores to location 0.
fn vertex(declarations: &str, code: &str, resources: &mut Resources) -> [Option<u32>; 4] {
    let shader = shader("vertex", declarations, code);
    let mut program = Program::new(&shader, Config::default()).expect("prepares");
    let out = program.vertex(resources, &System::new(), &[Vertex::default()]).expect("runs");
    std::array::from_fn(|c| out[0].get(slot(0), c as u32))
}

fn floats(words: [Option<u32>; 4]) -> [f32; 4] {
    words.map(|w| w.map_or(f32::NAN, f32::from_bits))
}

/// An image whose texels encode level, x and y.
fn numbered(levels: u32) -> Image {
    let mut image = Image::new(Dim::D2, Format::Rgba32f, [8, 4, 1], 1, levels, 1).expect("fits");
    for level in 0..levels {
        let [w, h, _] = image.level_size(level);
        for (x, y) in (0..h).flat_map(|y| (0..w).map(move |x| (x, y))) {
            let color = [f64::from(level), f64::from(x), f64::from(y), 1.0];
            image.set(level, 0, [x, y, 0], 0, Color::Float(color));
        }
    }
    image
}

fn textured(sampler: Sampler, levels: u32) -> Resources {
    let mut resources = Resources::new();
    let image = resources.add_image(numbered(levels));
    let sampler = Some(resources.add_sampler(sampler));
    let texture = Binding::Texture { image, view: View::default(), sampler };
    resources.bind(Space::Texture, 0, 2, 0, texture);
    resources
}

const TEXTURE: &str = "uniform sampled(2d float32) t set=0 binding=2\nout vec4 o location=0";
const STORE: &str = "store_output %r, %z io=0 mask=xyzw src_type=float32";

#[test]
fn textures_are_sampled_fetched_and_asked() {
    let mut resources = textured(Sampler::default(), 3);
    let mut run = |code: &str| {
        let code = format!("32x1 %z = const 0\n32x1 %one = const 1\n%t = deref_var &t\n{code}\n{STORE}");
        vertex(TEXTURE, &code, &mut resources)
    };
    let lod = "32x1 %l = const 1.0\n32x2 %c = const 0.5, 0.75\n\
        32x4 %r = txl 2d float32 texture=%t sampler=%t coord=%c lod=%l";
    // Outside of `Mip::None` the level would count.
    assert_eq!(floats(run(lod)), [0.0, 4.0, 3.0, 1.0]);
    let fetch = "32x2 %c = const 3, 1\n32x4 %r = txf 2d float32 texture=%t coord=%c lod=%one";
    assert_eq!(floats(run(fetch)), [1.0, 3.0, 1.0, 1.0]);
    let outside = "32x2 %c = const 4, 1\n32x4 %r = txf 2d float32 texture=%t coord=%c lod=%one";
    assert_eq!(floats(run(outside)), [0.0; 4]);
    let size = "32x2 %s = txs 2d uint32 texture=%t lod=%one\n32x1 %n = query_levels 2d uint32 texture=%t\n\
        %r = vec4 %s.x, %s.y, %n, %one";
    assert_eq!(run(size), [Some(4), Some(2), Some(3), Some(1)]);
}

#[test]
fn levels_come_of_the_quad() {
    let sampler = Sampler { mip: Mip::Nearest, min: Filter::Nearest, ..Sampler::default() };
    let mut resources = textured(sampler, 4);
    let code = format!(
        "32x1 %z = const 0\n%t = deref_var &t\n%p = load_frag_coord\n32x1 %k = const 0.25\n%u = fmul %p.x, %k\n\
        %v = fmul %p.y, %z\n%c = vec2 %u, %v\n32x4 %r = tex 2d float32 texture=%t sampler=%t coord=%c\n{STORE}"
    );
    let shader = shader("fragment", TEXTURE, &code);
    let mut program = Program::new(&shader, Config::default()).expect("prepares");
    let triangle = Primitive {
        vertices: vec![Values::new(); 3],
        window: vec![[0.0, 0.0], [8.0, 0.0], [0.0, 8.0]],
        ..Primitive::default()
    };
    let mut quad = Quad { primitive: &triangle, pixel: [0, 0], fragments: Default::default() };
    for (k, f) in quad.fragments.iter_mut().enumerate() {
        f.coord[0] = 0.5 + (k & 1) as f32;
    }
    let quads = [quad];
    let batch = FragmentBatch { quads: &quads, sample_positions: &[], system: System::new() };
    let out = program.fragment(&mut resources, &batch).expect("runs");
    // A quarter of eight texels a pixel are two: level 1. There x is at 0.125 and 0.375 of four texels.
    assert_eq!(out[0][0].outputs.floats(slot(0)), Some([1.0, 0.0, 0.0, 1.0]));
    assert_eq!(out[0][1].outputs.floats(slot(0)), Some([1.0, 1.0, 0.0, 1.0]));
}

#[test]
fn texel_buffers_show_buffers() {
    let mut resources = Resources::new();
    let buffer = resources.add_buffer(vec![1, 2, 3, 4, 5, 6, 7, 8]);
    let texels = Binding::TexelBuffer { buffer, offset: 2, size: None, format: Format::Rg8ui };
    resources.bind_name("t", 0, texels);
    let declarations = "uniform texture(buf uint32) t\nout uvec4 o location=0";
    let code = "32x1 %z = const 0\n32x1 %one = const 1\n%t = deref_var &t\n\
        32x4 %v = txf buf uint32 texture=%t coord=%one\n32x1 %s = txs buf uint32 texture=%t\n%r = vec4 %v.x, %v.y, %v.w, %s\n\
        store_output %r, %z io=0 mask=xyzw src_type=uint32";
    assert_eq!(vertex(declarations, code, &mut resources), [Some(5), Some(6), Some(1), Some(3)]);
}

#[test]
fn images_are_loaded_stored_and_counted_in() {
    let mut resources = Resources::new();
    let rgba = resources.add_image(Image::new(Dim::D2, Format::Rgba8, [2, 2, 1], 3, 1, 1).expect("fits"));
    let count = resources.add_image(Image::new(Dim::D1, Format::R32ui, [4, 1, 1], 1, 1, 1).expect("fits"));
    let whole = |image| Binding::Image { image, level: 0, layer: None, format: None };
    resources.bind(Space::Image, 0, 0, 0, whole(rgba));
    resources.bind(Space::Image, 0, 1, 0, whole(count));
    let declarations = "workgroup_size 8 1 1\nimage image(2d float32 array rgba8) a set=0 binding=0\n\
        image image(1d uint32 r32ui) c set=0 binding=1";
    let code = "32x1 %z = const 0\n32x1 %one = const 1\n32x3 %at = const 1, 0, 2\n%a = deref_var &a\n%c = deref_var &c\n\
        32x4 %color = const 0.0, 1.0, 2.0, 0.5\n\
        image_store %a, %at, %z, %color dim=2d array=true format=rgba8 src_type=float32\n\
        32x4 %v = image_load %a, %at, %z dim=2d array=true format=rgba8 dest_type=float32\n\
        32x1 %x = f2u %v.z\n%place = mov %x\n\
        32x1 %old = image_atomic %c, %place, %z, %one op=iadd dim=1d format=r32ui";
    let shader = shader("compute", declarations, code);
    let mut program = Program::new(&shader, Config::default()).expect("prepares");
    program.compute(&mut resources, &System::new(), [3, 1, 1]).expect("runs");
    assert_eq!(resources.images[rgba].texel(0, 2, [1, 0, 0], 0), Some(&[0u8, 255, 255, 128][..]));
    assert_eq!(resources.images[count].get(0, 0, [1, 0, 0], 0), Some(Color::Int([24, 0, 0, 1])));
}

#[test]
fn unbound_images_are_faults_unless_robust() {
    let declarations = "workgroup_size 1 1 1\nimage image(2d float32 rgba8) a set=0 binding=0";
    let code = "32x1 %z = const 0\n32x2 %at = const 1, 0\n%a = deref_var &a\n32x4 %color = const 0.0, 1.0, 2.0, 0.5\n\
        image_store %a, %at, %z, %color dim=2d format=rgba8 src_type=float32";
    let shader = shader("compute", declarations, code);
    let run = |robust| -> Result<(), Fault> {
        let mut program = Program::new(&shader, Config { robust, ..Config::default() })?;
        program.compute(&mut Resources::new(), &System::new(), [1; 3])
    };
    assert_eq!(run(true), Ok(()));
    let fault = run(false).expect_err("fails").to_string();
    assert!(fault.contains("no image is bound to `a`, in `image_store"), "{fault}");
}

#[test]
fn unbound_buffers_are_faults_unless_empty() {
    let declarations = "workgroup_size 1 1 1\nssbo B { uint x @0 } a";
    let code = "32x1 %z = const 0\n%a = deref_var &a\nstore_ssbo %z, %a, %z mask=x align=4";
    let shader = shader("compute", declarations, code);
    let run = |robust, empty_unbound| -> Result<(), Fault> {
        let mut program = Program::new(&shader, Config { robust, empty_unbound, ..Config::default() })?;
        program.compute(&mut Resources::new(), &System::new(), [1; 3])
    };
    assert_eq!(run(true, true), Ok(()));
    for (robust, empty, message) in [
        (true, false, "no buffer is bound to `a`[0], in `store_ssbo"),
        (false, false, "no buffer is bound to `a`[0], in `store_ssbo"),
        (false, true, "byte 0 of `a`[0] is out of bounds, it has 0 bytes, in `store_ssbo"),
    ] {
        let fault = run(robust, empty).expect_err("fails").to_string();
        assert!(fault.contains(message), "{fault}");
    }
}

#[test]
fn blocks_ranges_and_push_constants() {
    let declarations = "ubo B { uint x @0, uint y @4 }[2] b set=1 binding=4\npush_const P { uint p @0, uint q @4 } p\n\
        out uvec4 o location=0";
    let code = "32x1 %z = const 0\n32x1 %one = const 1\n32x1 %four = const 4\n%b = deref_var &b\n%e = deref_array %b[%one]\n\
        32x1 %x = load_ubo %e, %z align=4\n32x1 %y = load_ubo %e, %four align=4\n32x1 %q = load_push_constant %four align=4\n\
        %r = vec4 %x, %y, %q, %z\nstore_output %r, %z io=0 mask=xyzw src_type=uint32";
    let mut resources = Resources::new();
    let buffer = resources.add_buffer((0..16).collect());
    resources.push_constants = vec![1, 0, 0, 0, 2, 0, 0, 0];
    // Four bytes are bound: the second member is out of bounds.
    let binding = Binding::Buffer { buffer, offset: 8, size: Some(4) };
    resources.bind(Space::Uniform, 1, 4, 1, binding);
    let found = vertex(declarations, code, &mut resources);
    assert_eq!(found, [Some(0x0b0a_0908), Some(0), Some(2), Some(0)]);
    assert_eq!(resources.buffers.len(), 1);
    assert_eq!(resources.push_constants.len(), 8);
}

#[test]
fn specialisation_constants_have_their_defaults_or_what_is_set() {
    let declarations =
        "spec_const uint n binding=3 = 7\nspec_const bool b binding=4 = true\nout uvec4 o location=0";
    let code = "32x1 %z = const 0\n%n = deref_var &n\n%b = deref_var &b\n32x1 %x = load_deref %n access=can_reorder\n\
        1x1 %y = load_deref %b\n%w = bcsel %y, %x, %z\n%r = vec4 %x, %w, %z, %z\n\
        store_output %r, %z io=0 mask=xyzw src_type=uint32";
    let mut shader = shader("vertex", declarations, code);
    let run = |shader: &Shader| {
        let mut program = Program::new(shader, Config::default()).expect("prepares");
        // Twice: nothing of a run is left for the next.
        let mut run =
            || program.vertex(&mut Resources::new(), &System::new(), &[Vertex::default()]).expect("runs");
        let (first, second) = (run(), run());
        assert_eq!(first[0].get(slot(0), 0), second[0].get(slot(0), 0));
        [0, 1].map(|c| first[0].get(slot(0), c))
    };
    assert_eq!(run(&shader), [Some(7), Some(7)]);
    assert!(shader.set_spec_constant(3, 1 << 33 | 9) && shader.set_spec_constant(4, 0));
    assert_eq!(run(&shader), [Some(9), Some(0)]);
    assert!(!shader.set_spec_constant(5, 0));
}

#[test]
fn members_of_unbound_blocks_are_uniforms() {
    let declarations = "ubo D { uint x @0, uint[2 stride=16] y @16 } d\nout uvec4 o location=0";
    let code = "32x1 %z = const 0\n32x1 %at = const 32\n%d = deref_var &d\n32x1 %x = load_ubo %d, %z align=4\n\
        32x1 %y = load_ubo %d, %at align=4\n%r = vec4 %x, %y, %z, %z\n\
        store_output %r, %z io=0 mask=xyzw src_type=uint32";
    let mut resources = Resources::new();
    resources.set_uniform("x", &[7]);
    resources.set_uniform("d.y", &[8, 9]);
    let found = vertex(declarations, code, &mut resources);
    assert_eq!(found, [Some(7), Some(9), Some(0), Some(0)]);
}

#[test]
fn addresses_reach_buffers() {
    let declarations = "workgroup_size 1 1 1";
    let code = "64x1 %a = const 0x1004\n32x1 %v = load_global %a align=4\n64x1 %far = const 0x9000\n\
        32x1 %w = load_global %far align=4\n%s = iadd %v, %w\n64x1 %b = const 0x1000\nstore_global %s, %b mask=x align=4";
    let shader = shader("compute", declarations, code);
    let mut program = Program::new(&shader, Config::default()).expect("prepares");
    let mut resources = Resources::new();
    resources.add_buffer(vec![0, 0, 0, 0, 5, 6, 7, 8]);
    resources.buffers[0].address = Some(0x1000);
    program.compute(&mut resources, &System::new(), [1; 3]).expect("runs");
    assert_eq!(resources.buffers[0].bytes, [5, 6, 7, 8, 5, 6, 7, 8]);
}

#[test]
fn derefs_behind_addresses_reach_buffers() {
    // A list: the second node precedes the first in memory. The function gets an address, not a deref.
    let source = "foil 1\nshader compute \"t\" {\nform variables\nworkgroup_size 1 1 1\n\
        struct Node { uint64 next @0, uint[2 stride=4] v @8 }\n\
        fn bump(64x1) {\n%a = load_param param=0\n%n = deref_cast %a : Node global\n%v = deref_struct %n.v\n\
        32x1 %one = const 1\n%e = deref_array %v[%one]\n32x1 %x = load_deref %e\n%y = iadd %x, %one\n\
        store_deref %e, %y\n}\n\
        entry fn main {\n64x1 %a = const 0x1010\n%n = deref_cast %a : Node global\n%p = deref_struct %n.next\n\
        64x1 %b = load_deref %p\ncall bump(%b)\ncall bump(%a)\n}\n}\n";
    let shader = text::parse(source).unwrap_or_else(|e| panic!("{e:?}"));
    let faults = airfoil_ir::validate::validate(&shader);
    assert!(faults.is_empty(), "{faults:?}");
    let mut program = Program::new(&shader, Config::default()).expect("prepares");
    let mut resources = Resources::new();
    let mut bytes = vec![0; 32];
    bytes[12] = 5;
    bytes[16..18].copy_from_slice(&[0, 0x10]);
    bytes[28] = 8;
    let mut want = bytes.clone();
    (want[12], want[28]) = (6, 9);
    resources.add_buffer(bytes);
    resources.buffers[0].address = Some(0x1000);
    program.compute(&mut resources, &System::new(), [1; 3]).expect("runs");
    assert_eq!(resources.buffers[0].bytes, want);
}

#[test]
fn subgroups_that_wait_for_each_other_take_turns() {
    // The first subgroup waits in a loop for a value that the second one writes.
    let declarations = "workgroup_size 8 1 1\nshared_size 4\nssbo B { uint a @0 } b set=0 binding=0";
    let code = "32x1 %z = const 0\n32x1 %one = const 1\n32x1 %four = const 4\n%i = load_local_invocation_index\n\
        %b = deref_var &b\n%first = ult %i, %four\nif %first {\nloop {\n32x1 %now = ssbo_atomic %b, %z, %z op=iadd\n\
        %there = ine %now, %z\nif %there {\nbreak\n} else {\n}\n}\n} else {\n\
        32x1 %old = ssbo_atomic %b, %z, %one op=iadd\n}";
    let shader = shader("compute", declarations, code);
    let config = Config { subgroup_size: 4, ..Config::default() };
    let mut program = Program::new(&shader, config).expect("prepares");
    let mut resources = Resources::new();
    let buffer = resources.add_buffer(vec![0; 4]);
    resources.bind(Space::Storage, 0, 0, 0, Binding::Buffer { buffer, offset: 0, size: None });
    program.compute(&mut resources, &System::new(), [1; 3]).expect("runs");
    assert_eq!(resources.buffers[0].bytes, [4, 0, 0, 0]);
}

#[test]
fn tasks_launch_meshes() {
    let task = shader(
        "task",
        "workgroup_size 1 1 1\ntask_payload uvec2 p",
        "32x1 %z = const 0\n32x3 %n = const 2, 3, 4\nlaunch_mesh_workgroups %n",
    );
    let mut program = Program::new(&task, Config::default()).expect("prepares");
    let out = program.task(&mut Resources::new(), &System::new(), [2, 1, 1]).expect("runs");
    assert_eq!(out.len(), 2);
    assert_eq!((out[1].groups, out[1].payload.len()), ([2, 3, 4], 8));

    let mesh = shader(
        "mesh",
        "workgroup_size 4 1 1\noutput_primitive triangles\nmax_vertices 4\nmax_primitives 2\nout vec4[4] v location=0",
        "32x1 %z = const 0\n32x1 %three = const 3\n32x1 %one = const 1\nset_mesh_outputs %three, %one\n\
        %i = load_local_invocation_index\nstore_per_vertex_output %i, %i, %z io=0 mask=x src_type=uint32\n\
        store_per_vertex_output %i, %z, %z io=(5 per_primitive) mask=x src_type=uint32",
    );
    let mut program = Program::new(&mesh, Config::default()).expect("prepares");
    let out = program.mesh(&mut Resources::new(), &System::new(), [1; 3], &[]).expect("runs");
    let vertices: Vec<_> = out[0].vertices.iter().map(|v| v.get(slot(0), 0)).collect();
    assert_eq!(vertices, [Some(0), Some(1), Some(2)]);
    assert_eq!(out[0].primitives.len(), 1);
    assert_eq!(out[0].primitives[0].get(slot(5), 0), Some(3));
}

#[test]
fn all_operands_of_lookups_count() {
    let mut resources = textured(Sampler { mip: Mip::Nearest, ..Sampler::default() }, 4);
    let mut run = |code: &str| {
        let code = format!("32x1 %z = const 0\n%t = deref_var &t\n32x2 %c = const 0.5, 0.5\n{code}\n{STORE}");
        floats(vertex(TEXTURE, &code, &mut resources))
    };
    let offset = "32x2 %o = const -1, 1\n32x1 %l = const 0.0\n\
        32x4 %r = txl 2d float32 texture=%t sampler=%t coord=%c offset=%o lod=%l";
    assert_eq!(run(offset), [0.0, 3.0, 3.0, 1.0]);
    let projected = "32x1 %p = const 2.0\n32x1 %l = const 0.0\n\
        32x4 %r = txl 2d float32 texture=%t sampler=%t coord=%c projector=%p lod=%l";
    assert_eq!(run(projected), [0.0, 2.0, 1.0, 1.0]);
    let gradients = "32x2 %dx = const 0.5, 0.0\n32x2 %dy = const 0.0, 0.0\n\
        32x4 %r = txd 2d float32 texture=%t sampler=%t coord=%c ddx=%dx ddy=%dy";
    assert_eq!(run(gradients), [2.0, 1.0, 0.0, 1.0]);
    let lowest = "32x1 %m = const 3.0\n32x2 %dx = const 0.0, 0.0\n\
        32x4 %r = txd 2d float32 texture=%t sampler=%t coord=%c min_lod=%m ddx=%dx ddy=%dx";
    assert_eq!(run(lowest), [3.0, 0.0, 0.0, 1.0]);
    let gather = "32x4 %r = tg4 2d float32 component=1 texture=%t sampler=%t coord=%c";
    assert_eq!(run(gather), [3.0, 4.0, 4.0, 3.0]);
    let own = "32x4 %r = tg4 2d float32 component=2 offsets=(0, 0)(0, 1)(0, -1)(1, 1) texture=%t sampler=%t coord=%c";
    assert_eq!(run(own), [1.0, 2.0, 0.0, 2.0]);
}

#[test]
fn separate_samplers_compare() {
    use airfoil_interp::texture::Compare;
    let mut resources = Resources::new();
    let mut depth = Image::new(Dim::D2, Format::D32f, [1, 1, 1], 2, 1, 1).expect("fits");
    depth.set(0, 1, [0, 0, 0], 0, Color::Float([0.5; 4]));
    let image = resources.add_image(depth);
    let plain = resources.add_sampler(Sampler::default());
    let compare = Sampler { compare: Some(Compare::Greater), ..Sampler::default() };
    let compare = resources.add_sampler(compare);
    resources.bind_name("t", 0, Binding::Texture { image, view: View::default(), sampler: Some(plain) });
    resources.bind_name("s", 0, Binding::Sampler(compare));
    let declarations = "uniform texture(2d float32 array shadow) t\nuniform sampler s\nout vec4 o location=0";
    let code = "32x1 %z = const 0\n32x1 %l = const 0.0\n%t = deref_var &t\n%s = deref_var &s\n32x3 %c = const 0.0, 0.0, 1.0\n\
        32x1 %low = const 0.25\n32x1 %high = const 0.75\n\
        32x1 %a = txl 2d float32 array shadow texture=%t sampler=%s coord=%c comparator=%low lod=%l\n\
        32x1 %b = txl 2d float32 array shadow texture=%t sampler=%s coord=%c comparator=%high lod=%l\n\
        %r = vec4 %a, %b, %a, %b\nstore_output %r, %z io=0 mask=xyzw src_type=float32";
    assert_eq!(floats(vertex(declarations, code, &mut resources)), [0.0, 1.0, 0.0, 1.0]);
}

#[test]
fn samples_are_fetched_and_images_told_by_size() {
    let mut resources = Resources::new();
    let mut image = Image::new(Dim::Ms, Format::R32i, [2, 3, 1], 1, 1, 4).expect("fits");
    image.set(0, 0, [1, 2, 0], 3, Color::Int([-5, 0, 0, 0]));
    let image = resources.add_image(image);
    resources.bind_name("t", 0, Binding::Texture { image, view: View::default(), sampler: None });
    resources.bind_name("i", 0, Binding::Image { image, level: 0, layer: None, format: None });
    let declarations = "uniform texture(ms int32) t\nimage image(ms int32 r32i) i\nout ivec4 o location=0";
    let code = "32x1 %z = const 0\n32x1 %three = const 3\n32x2 %at = const 1, 2\n%t = deref_var &t\n%i = deref_var &i\n\
        32x4 %v = txf_ms ms int32 texture=%t coord=%at ms_index=%three\n32x2 %size = image_size %i, %z dim=ms\n\
        %n = image_samples %i dim=ms\n%r = vec4 %v.x, %size.x, %size.y, %n\n\
        store_output %r, %z io=0 mask=xyzw src_type=int32";
    let found = vertex(declarations, code, &mut resources);
    assert_eq!(found, [Some(-5i32 as u32), Some(2), Some(3), Some(4)]);
}

#[test]
fn programs_can_go_to_other_threads() {
    fn is_send<T: Send>() {}
    is_send::<Program<'static>>();
    is_send::<Resources>();
}

#[test]
fn clocks_go_on_from_program_to_program() {
    let declarations = "out uvec4 o location=0";
    let code = "32x1 %z = const 0\n32x2 %a = shader_clock memory=subgroup\n32x2 %b = shader_clock memory=subgroup\n\
        %r = vec4 %a.x, %a.y, %b.x, %b.y\nstore_output %r, %z io=0 mask=xyzw src_type=uint32";
    let mut resources = Resources::new();
    let mut last = 0;
    for _ in 0..3 {
        let [a, _, b, _] = vertex(declarations, code, &mut resources).map(Option::unwrap_or_default);
        assert!(last < a && a < b, "{last} {a} {b}");
        last = b;
    }
}
