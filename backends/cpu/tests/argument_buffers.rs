//! Argument buffers: bound according to the metadata of their members.
#![cfg(any(feature = "llvm14", feature = "llvm19"))]

mod support;

use airfoil::air::select::{ArgumentBuffers, ArgumentKind, ResourceIndices};
use airfoil::steps::PlanOptions;
use airfoil::{CompileOptions, Compiler, OptLevel, Output, Stage};
use airfoil_cpu::{Bindings, Config, Function, Launch, Program, Role};
use airfoil_interp::texture::{Color, Format, Image, Sampler, View, Wrap};
use airfoil_interp::{Binding, Resources, Space};
use airfoil_ir::Dim;
use rustc_hash::FxHashMap;
use support::{lowered, read, words};

fn compile(text: &str, options: CompileOptions) -> Output {
    let shader = read(Stage::Compute, text);
    Compiler::new(options).compile(&mut [shader]).unwrap_or_else(|e| panic!("{e:?}"))
}

fn all() -> CompileOptions {
    let mut options = CompileOptions::default();
    options.air.bindings.argument_buffers = ArgumentBuffers::All;
    options
}

fn buffer(resources: &mut Resources, words: &[u32]) -> Binding {
    let buffer = resources.add_buffer(words.iter().flat_map(|w| w.to_le_bytes()).collect());
    Binding::Buffer { buffer, offset: 0, size: None }
}

/// A texture of one texel.
fn texture(resources: &mut Resources, value: f64) -> Binding {
    let mut image = Image::new(Dim::D2, Format::Rgba32f, [1, 1, 1], 1, 1, 1).unwrap();
    image.fill(0, Color::Float([value, 0.0, 0.0, 0.0]));
    let image = resources.add_image(image);
    Binding::Texture { image, view: View::default(), sampler: None }
}

fn run(output: &Output, resources: &mut Resources, bindings: &Bindings) {
    let function = Function::of_library(&output.metallib, None).unwrap();
    let launch = Launch {
        groups: [1, 1, 1],
        threads: output.functions[0].reflection.workgroup_size.unwrap_or([1; 3]),
    };
    function.kernel(resources, bindings, launch, &Config { robust: false, ..Config::default() }).unwrap();
}

/// Name, index or id, number, and argument buffer of each argument.
fn places(output: &Output) -> Vec<(&str, u32, u32, Option<u32>)> {
    let arguments = output.functions[0].reflection.arguments.iter();
    arguments.map(|a| (a.name.as_str(), a.index, a.count.unwrap_or(0), a.argument_buffer)).collect()
}

const EVERYTHING: &str = "#version 450
    layout(local_size_x = 1) in;
    layout(std430, set = 0, binding = 5) buffer Out { uint o[8]; };
    layout(std140, set = 0, binding = 0) uniform Numbers { uint n; uint m; } numbers;
    layout(std430, set = 0, binding = 1) readonly buffer In { uint a[]; } ins[2];
    layout(set = 0, binding = 3) uniform sampler2D both[2];
    layout(set = 0, binding = 4, rgba32f) uniform image2D image;
    layout(set = 2, binding = 0) uniform texture2D alone;
    layout(set = 2, binding = 1) uniform sampler pick;
    layout(push_constant) uniform Push { uint p; };
    void main() {
        o[0] = numbers.n + p;
        o[1] = ins[0].a[1] * 100u + ins[numbers.m].a[2];
        o[2] = uint(textureLod(both[0], vec2(0.5), 0.0).x);
        o[3] = uint(textureLod(both[numbers.m], vec2(0.5), 0.0).x);
        imageStore(image, ivec2(0), imageLoad(image, ivec2(0)) + 1.0);
        // Outside of the texture: the border of the sampler.
        o[4] = uint(textureLod(sampler2D(alone, pick), vec2(7.5), 0.0).x);
        o[5] = uint(textureLod(sampler2D(alone, pick), vec2(0.5), 0.0).x);
    }";

#[test]
fn a_set_with_buffers_textures_images_and_samplers() {
    for target in ["macos11", "macos14", "macos26"] {
        let mut options = all();
        options.air.target = target.parse().unwrap();
        let output = compile(EVERYTHING, options);
        assert_eq!(
            places(&output),
            [
                ("Push", 0, 1, None),
                ("set0", 1, 1, None),
                ("numbers", 0, 1, Some(1)),
                ("ins", 1, 2, Some(1)),
                ("both", 3, 2, Some(1)),
                ("bothSampler", 5, 2, Some(1)),
                ("image", 7, 1, Some(1)),
                ("Out", 8, 1, Some(1)),
                ("set2", 2, 1, None),
                ("alone", 0, 1, Some(2)),
                ("pick", 1, 1, Some(2)),
            ]
        );
        let size = |n: u32| {
            output.functions[0]
                .reflection
                .arguments
                .iter()
                .find(|a| a.index == n && a.argument_buffer.is_none())
        };
        assert_eq!((size(1).unwrap().size, size(2).unwrap().size), (72, 16));
        let r = &mut Resources::new();
        let out = buffer(r, &[0; 8]);
        let mut bindings = Bindings::default();
        bindings.buffers.insert(0, buffer(r, &[30]));
        let mut set = FxHashMap::default();
        set.insert(0, buffer(r, &[12, 1]));
        set.insert(1, buffer(r, &[0, 3, 0, 0]));
        set.insert(2, buffer(r, &[0, 0, 4]));
        set.insert(3, texture(r, 5.0));
        set.insert(4, texture(r, 6.0));
        let clamp = r.add_sampler(Sampler::default());
        set.insert(5, Binding::Sampler(clamp));
        set.insert(6, Binding::Sampler(clamp));
        let image = match texture(r, 10.0) {
            Binding::Texture { image, .. } => image,
            other => panic!("{other:?}"),
        };
        set.insert(7, Binding::Image { image, level: 0, layer: None, format: None });
        set.insert(8, out);
        bindings.argument_buffers.insert(1, set);
        let mut set = FxHashMap::default();
        set.insert(0, texture(r, 9.0));
        let border = Sampler { wrap: [Wrap::ClampToBorder; 3], border: [1.0; 4], ..Sampler::default() };
        set.insert(1, Binding::Sampler(r.add_sampler(border)));
        bindings.argument_buffers.insert(2, set);
        run(&output, r, &bindings);
        assert_eq!(words(&r.buffers[0].bytes)[..6], [42, 304, 5, 6, 1, 9], "{target}");
        let texel = words(r.images[image].texel(0, 0, [0, 0, 0], 0).unwrap());
        assert_eq!(f32::from_bits(texel[0]), 11.0);
    }
}

const BINDLESS: &str = "#version 450
    #extension GL_EXT_nonuniform_qualifier : require
    layout(local_size_x = 4) in;
    layout(std430, set = 0, binding = 0) buffer Out { uint o[8]; };
    layout(set = 1, binding = 0) uniform texture2D textures[61];
    layout(set = 0, binding = 1) uniform sampler pick;
    layout(set = 1, binding = 3) uniform sampler2D pairs[61];
    layout(std430, set = 2, binding = 0) buffer Data { uint a[]; } data[61];
    void main() {
        uint i = gl_LocalInvocationIndex;
        uint n = 20u - 5u * i;
        o[i] = uint(textureLod(sampler2D(textures[nonuniformEXT(n)], pick), vec2(0.5), 0.0).x);
        o[4u + i] = uint(textureLod(pairs[nonuniformEXT(i)], vec2(0.5), 0.0).x) + data[nonuniformEXT(i + 2u)].a[1];
        data[nonuniformEXT(i + 2u)].a[0] = i;
    }";

/// Executes it with the buffer indices of the three arrays, and the first id of the pairs.
fn bindless(
    output: &Output,
    [textures, pairs, data]: [u32; 3],
    first: u32,
    r: &mut Resources,
    b: &mut Bindings,
) {
    for i in 0..4u32 {
        let t = texture(r, 50.0 + f64::from(20 - 5 * i));
        b.argument_buffers.entry(textures).or_default().insert(20 - 5 * i, t);
        let t = texture(r, f64::from(i));
        let s = r.add_sampler(Sampler::default());
        let set = b.argument_buffers.entry(pairs).or_default();
        set.insert(first + 2 * i, t);
        set.insert(first + 2 * i + 1, Binding::Sampler(s));
        let d = buffer(r, &[99, 1000 * i]);
        b.argument_buffers.entry(data).or_default().insert(i + 2, d);
    }
    run(output, r, b);
    assert_eq!(words(&r.buffers[0].bytes), [70, 65, 60, 55, 0, 1001, 2002, 3003]);
    let firsts: Vec<u32> = r.buffers[1..].iter().map(|b| words(&b.bytes)[0]).collect();
    assert_eq!(firsts, [0, 1, 2, 3]);
}

/// The shader with its arrays of 61 elements as arrays of unknown length.
fn compile_open(options: CompileOptions) -> Output {
    let text = airfoil_ir::text::print(&read(Stage::Compute, BINDLESS));
    let open = text.replace("[61]", "[]");
    assert_ne!(text, open);
    Compiler::new(options).compile_foil(&open).unwrap_or_else(|e| panic!("{e:?}\n{open}"))
}

#[test]
fn arrays_of_unknown_length_are_argument_buffers_in_any_case() {
    for level in [OptLevel::O0, OptLevel::O2] {
        let output = compile_open(CompileOptions::default().level(level));
        let list = places(&output);
        assert!(list.contains(&("Out", 0, 1, None)) && list.contains(&("pick", 0, 1, None)), "{list:?}");
        assert!(list.contains(&("textures", 0, 0, Some(1))), "{list:?}");
        assert!(list.contains(&("pairs", 0, 0, Some(2))), "{list:?}");
        assert!(list.contains(&("pairsSampler", 1, 0, Some(2))), "{list:?}");
        assert!(list.contains(&("data", 0, 0, Some(3))), "{list:?}");
        let (r, mut b) = (&mut Resources::new(), Bindings::default());
        let o = buffer(r, &[0; 8]);
        b.buffers.insert(0, o);
        b.samplers.insert(0, r.add_sampler(Sampler::default()));
        bindless(&output, [1, 2, 3], 0, r, &mut b);
    }
}

#[test]
fn the_last_array_of_unknown_length_ends_the_buffer_of_its_set() {
    let mut options = all();
    options.air.bindings.sets.insert(1, 9);
    let other = ResourceIndices { buffer: Some(12), ..ResourceIndices::default() };
    options.air.bindings.resources.insert((1, 0), other);
    let output = compile_open(options);
    let list = places(&output);
    assert!(list.contains(&("pairs", 0, 0, Some(9))), "{list:?}");
    assert!(list.contains(&("textures", 0, 0, Some(12))), "{list:?}");
    let (r, mut b) = (&mut Resources::new(), Bindings::default());
    let o = buffer(r, &[0; 8]);
    let s = r.add_sampler(Sampler::default());
    let set = b.argument_buffers.entry(0).or_default();
    set.insert(0, o);
    set.insert(1, Binding::Sampler(s));
    bindless(&output, [12, 9, 1], 0, r, &mut b);
}

#[test]
fn ids_are_given_or_counted_up() {
    let mut options = all();
    let ids = [((0, 1), ResourceIndices { buffer: Some(10), ..ResourceIndices::default() })];
    options.air.bindings.resources.extend(ids);
    let output = compile(EVERYTHING, options.clone());
    let list = places(&output);
    assert!(list.contains(&("ins", 10, 2, Some(1))) && list.contains(&("both", 12, 2, Some(1))), "{list:?}");
    let function = Function::of_library(&output.metallib, None).unwrap();
    let arguments = &function.entry().arguments;
    let members = arguments.iter().find_map(|a| match &a.role {
        Role::ArgumentBuffer { index: 1, members, .. } => Some(members.clone()),
        _ => None,
    });
    assert_eq!(members.unwrap(), [0, 10, 12, 14, 16, 17].map(|id| (id, id as usize * 8)));
    // The same id twice, and one that is too high.
    for (id, message) in [(11, "`Out` cannot have the ids 11 to 11"), (u32::MAX, "not below 500000")] {
        let at = ResourceIndices { buffer: Some(id), ..ResourceIndices::default() };
        options.air.bindings.resources.insert((0, 5), at);
        let shader = read(Stage::Compute, EVERYTHING);
        let refused = Compiler::new(options.clone()).compile(&mut [shader]).unwrap_err();
        assert!(refused[0].message.contains(message), "{}", refused[0]);
    }
}

#[test]
fn lengths_in_arrays_of_unknown_length_are_refused() {
    let text = "#version 450
        #extension GL_EXT_nonuniform_qualifier : require
        layout(local_size_x = 1) in;
        layout(std430, set = 0, binding = 0) buffer Out { uint o[]; } all[];
        void main() { all[gl_LocalInvocationIndex].o[0] = all[1].o.length(); }";
    let shader = read(Stage::Compute, text);
    let refused = Compiler::new(all()).compile(&mut [shader]).unwrap_err();
    assert!(refused[0].message.contains("is not available in Metal"), "{}", refused[0]);
}

#[test]
fn members_have_sizes() {
    let source = "#version 450
        layout(local_size_x = 1) in;
        layout(std430, binding = 0) buffer Out { uint o[]; };
        layout(std140, binding = 5) uniform Choice { uint n; };
        layout(std430, binding = 1) readonly buffer In { uint a[]; } ins[2];
        layout(std430, binding = 3) readonly buffer Pairs { uvec4 first; uvec2 b[]; } pairs;
        void main() {
            o[0] = o.length(); o[1] = ins[1].a.length(); o[2] = ins[n].a.length(); o[3] = pairs.b.length();
        }";
    let shader = lowered(Stage::Compute, source);
    // All in a table, uniform blocks only, none: the sizes of others are at their Metal index.
    for (tables, slots) in [
        (ArgumentBuffers::All, [31, 32, 34]),
        (ArgumentBuffers::UniformBlocks, [0, 1, 3]),
        (ArgumentBuffers::None, [0, 1, 3]),
    ] {
        let mut options = CompileOptions::default();
        options.air.bindings.argument_buffers = tables.clone();
        options.air.target = "macos14".parse().unwrap();
        let arguments = &compile(source, options.clone()).functions[0].reflection.arguments;
        assert!(arguments.iter().filter_map(|a| a.size_slot).eq(slots), "{tables:?}: {arguments:?}");
        let has_table = arguments.iter().any(|a| a.kind == ArgumentKind::ArgumentBuffer);
        assert_eq!(has_table, tables != ArgumentBuffers::None);
        let plan = PlanOptions::new(OptLevel::O2);
        let program = Program::with_options(&shader, Config::default(), &options.air, &plan).unwrap();
        let r = &mut Resources::new();
        let mut bind = |space, binding, element, words: &[u32]| {
            let found = buffer(r, words);
            r.bind(space, 0, binding, element, found);
        };
        bind(Space::Storage, 0, 0, &[0; 6]);
        bind(Space::Uniform, 5, 0, &[0; 4]);
        bind(Space::Storage, 1, 0, &[0; 7]);
        bind(Space::Storage, 1, 1, &[0; 9]);
        bind(Space::Storage, 3, 0, &[0; 4 + 2 * 5]);
        program.compute(r, [1; 3]).unwrap();
        assert_eq!(words(&r.buffers[0].bytes)[..4], [6, 9, 7, 5], "{tables:?}");
    }
}
