//! Functions by Apple's compiler, executed from its own libraries; results are computed by hand.
//!
//! The libraries are test data of other projects and not part of the repository: without them the tests are ignored.

use airfoil_cpu::{Bindings, Config, Constants, Function, Launch, Role, function_names};
use airfoil_interp::texture::{Color, Format, Image, Sampler, View};
use airfoil_interp::{Binding, Resources};
use airfoil_ir::Dim;

/// A library of the corpus.
fn library(name: &str) -> Vec<u8> {
    let corpus = airfoil_filetest::harness::corpus().expect("the tests declare that they need the corpus");
    std::fs::read(corpus.join("apple-air").join(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
}

fn bytes(floats: &[f32]) -> Vec<u8> {
    floats.iter().flat_map(|x| x.to_le_bytes()).collect()
}

fn floats(bytes: &[u8]) -> Vec<f32> {
    bytes.chunks_exact(4).map(|w| f32::from_le_bytes([w[0], w[1], w[2], w[3]])).collect()
}

/// A resource binding of a whole new buffer.
fn buffer(resources: &mut Resources, bytes: Vec<u8>) -> Binding {
    Binding::Buffer { buffer: resources.add_buffer(bytes), offset: 0, size: None }
}

/// Sets the value of an argument of an invocation.
fn set(out: &mut [u64], floats: &[f32]) {
    out.iter_mut().zip(floats).for_each(|(o, x)| *o = u64::from(x.to_bits()));
}

/// Gives an invocation the value of an argument: index, name, role, components.
type Named<'a> = &'a dyn Fn(usize, &str, &Role, &mut [u64]);

/// Runs four invocations of a vertex or fragment function; returns the results of each as floats.
fn invoke(
    function: &Function,
    resources: &mut Resources,
    bindings: &Bindings,
    inputs: Named<'_>,
) -> Vec<Vec<Vec<f32>>> {
    let fill = |lane: usize, _: usize, argument: &airfoil_cpu::Argument, out: &mut [u64]| {
        inputs(lane, &argument.name, &argument.role, out);
    };
    let done = function.invoke(resources, bindings, &Config::default(), 4, &fill).unwrap();
    let float = |bits: &u64| f32::from_bits(*bits as u32);
    done.iter().map(|i| i.outputs.iter().map(|o| o.iter().map(float).collect()).collect()).collect()
}

/// Columns of a matrix that scales by 2, 3 and 4 and moves by 10, 20 and 30.
const MATRIX: [f32; 16] = [2.0, 0.0, 0.0, 0.0, 0.0, 3.0, 0.0, 0.0, 0.0, 0.0, 4.0, 0.0, 10.0, 20.0, 30.0, 1.0];

fn empty_kernels() {
    for name in ["metaljl-kernel.11.metallib", "metaljl-kernel.15.metallib", "metaljl-kernel.26.metallib"] {
        let bytes = library(name);
        let function = Function::of_library(&bytes, None).unwrap();
        assert_eq!(function.entry().name, "foo");
        let launch = Launch { groups: [2, 1, 1], threads: [3, 1, 1] };
        let mut resources = Resources::new();
        function.kernel(&mut resources, &Bindings::default(), launch, &Config::default()).unwrap();
    }
    let bytes = library("metaljl-kernels.15.metallib");
    let names = function_names(&bytes).unwrap();
    assert_eq!(names, ["foo", "bar", "baz"]);
    assert!(Function::of_library(&bytes, None).unwrap_err().contains("several functions"));
    for name in &names {
        Function::of_library(&bytes, Some(name)).unwrap();
    }
}

fn function_constants_are_given_by_number() {
    for name in ["metaljl-constants.13.metallib", "metaljl-constants.26.metallib"] {
        let library = library(name);
        let missing = Function::of_library(&library, None).unwrap_err();
        assert!(missing.contains("function constant"), "{missing}");
        let constants = Constants::from([(0, u64::from(2f32.to_bits())), (2, u64::from(0.5f32.to_bits()))]);
        let function = Function::with_constants(&library, None, &constants).unwrap();
        let mut resources = Resources::new();
        let mut bindings = Bindings::default();
        for (n, values) in [[1.0, 2.0, 3.0, 4.0], [10.0, 20.0, 30.0, 40.0], [0.0; 4]].iter().enumerate() {
            bindings.buffers.insert(n as u32, buffer(&mut resources, bytes(values)));
        }
        let launch = Launch { groups: [1, 1, 1], threads: [4, 1, 1] };
        function.kernel(&mut resources, &bindings, launch, &Config::default()).unwrap();
        // foo * a + b + bar
        assert_eq!(floats(&resources.buffers[2].bytes), [12.5, 24.5, 36.5, 48.5], "{name}");
    }
}

fn a_kernel_with_threadgroup_memory_a_barrier_and_a_texture() {
    let library = library("kagura-P01.metallib");
    let function = Function::of_library(&library, Some("probe_p01_kernel")).unwrap();
    let mut resources = Resources::new();
    let mut bindings = Bindings::default();
    let values: Vec<f32> = (0..1024).map(|i| i as f32).collect();
    bindings.buffers.insert(0, buffer(&mut resources, bytes(&values)));
    bindings.buffers.insert(1, buffer(&mut resources, bytes(&[0.5, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0])));
    let mut image = Image::new(Dim::D2, Format::Rgba32f, [2, 2, 1], 1, 1, 1).unwrap();
    image.fill(0, Color::Float([3.0, 0.0, 0.0, 0.0]));
    let image = resources.add_image(image);
    bindings.textures.insert(0, Binding::Texture { image, view: View::default(), sampler: None });
    bindings.samplers.insert(0, resources.add_sampler(Sampler::default()));
    for index in 0..2 {
        bindings.threadgroup.insert(index, 4096);
    }
    let launch = Launch { groups: [1, 1, 1], threads: [1024, 1, 1] };
    function.kernel(&mut resources, &bindings, launch, &Config::default()).unwrap();
    let out = floats(&resources.buffers[0].bytes);
    // The first thread reads the result of the last one: 1023 * 0.5 and the texel.
    assert_eq!(out[0], 514.5);
    assert_eq!(out[1..], values[1..]);
}

fn a_vertex_function_counts_vertices_and_instances() {
    let library = library("kagura-P02.metallib");
    let function = Function::of_library(&library, Some("probe_p02_vertex")).unwrap();
    let inputs = |lane: usize, _: &str, role: &Role, out: &mut [u64]| match role {
        Role::Attribute(0) => set(out, &[1.0, 2.0, 3.0, 4.0]),
        Role::Attribute(1) => set(out, &[0.25, 0.75]),
        Role::BuiltIn { name, .. } if name == "vertex_id" => out[0] = lane as u64,
        Role::BuiltIn { name, .. } if name == "instance_id" => out[0] = 3,
        other => panic!("{other:?}"),
    };
    let out = invoke(&function, &mut Resources::new(), &Bindings::default(), &inputs);
    assert_eq!(out[0], [vec![1.0, 2.0, 3.0, 4.0], vec![0.25, 1.75]]);
    assert_eq!(out[1][1], [1.25, 1.75]);
}

fn fragment_functions_of_a_library() {
    let library = library("kagura-P02.metallib");
    let function = Function::of_library(&library, Some("probe_p02_fragment_rog")).unwrap();
    let inputs = |lane: usize, name: &str, _: &Role, out: &mut [u64]| {
        set(out, if name == "pos" { [lane as f32, 1.0, 2.0, 3.0] } else { [9.0; 4] }.as_slice());
    };
    let out = invoke(&function, &mut Resources::new(), &Bindings::default(), &inputs);
    // The colour is the position.
    assert_eq!(out[2], [vec![2.0, 1.0, 2.0, 3.0]]);

    let function = Function::of_library(&library, Some("probe_p02_fragment")).unwrap();
    let mut resources = Resources::new();
    let mut bindings = Bindings::default();
    let mut image = Image::new(Dim::D2, Format::R32f, [4, 1, 1], 1, 1, 1).unwrap();
    for x in 0..4 {
        image.set(0, 0, [x, 0, 0], 0, Color::Float([f64::from(x) * 10.0, 0.0, 0.0, 1.0]));
    }
    let image = resources.add_image(image);
    bindings.textures.insert(0, Binding::Texture { image, view: View::default(), sampler: None });
    bindings.samplers.insert(0, resources.add_sampler(Sampler::default()));
    let inputs = |lane: usize, name: &str, _: &Role, out: &mut [u64]| {
        if name == "uv" {
            set(out, &[(lane as f32 + 0.5) / 4.0, 0.5]);
        }
    };
    let out = invoke(&function, &mut resources, &bindings, &inputs);
    let reds: Vec<f32> = out.iter().map(|o| o[0][0]).collect();
    assert_eq!(reds, [0.0, 10.0, 20.0, 30.0]);
}

fn matrices_move_vertices_and_colours_pass() {
    for (file, name) in [
        ("lucoder-default.metallib", "vert"),
        ("lucoder-default.metallib", "gizmo_vertex"),
        ("lucoder-gizmo.metallib", "gizmo_vertex"),
    ] {
        let library = library(file);
        let function = Function::of_library(&library, Some(name)).unwrap();
        let mut resources = Resources::new();
        let mut bindings = Bindings::default();
        let uniforms = [&MATRIX[..], &[0.1, 0.2, 0.3, 0.4]].concat();
        bindings.buffers.insert(1, buffer(&mut resources, bytes(&uniforms)));
        let inputs = |lane: usize, _: &str, role: &Role, out: &mut [u64]| match role {
            Role::Attribute(0) => set(out, &[lane as f32, 1.0, -1.0]),
            Role::Attribute(1) => set(out, &[0.1, 0.2, 0.3, 0.4]),
            _ => {}
        };
        let out = invoke(&function, &mut resources, &bindings, &inputs);
        assert_eq!(out[0], [vec![10.0, 23.0, 26.0, 1.0], vec![0.1, 0.2, 0.3, 0.4]], "{name}");
        assert_eq!(out[3][0], [16.0, 23.0, 26.0, 1.0], "{name}");
    }
    for (file, name) in [
        ("lucoder-default.metallib", "frag"),
        ("lucoder-default.metallib", "gizmo_fragment"),
        ("lucoder-gizmo.metallib", "gizmo_fragment"),
    ] {
        let library = library(file);
        let function = Function::of_library(&library, Some(name)).unwrap();
        let inputs = |lane: usize, _: &str, role: &Role, out: &mut [u64]| {
            if let Role::Varying { .. } = role {
                set(out, &[lane as f32, 0.5, 0.25, 1.0]);
            }
        };
        let out = invoke(&function, &mut Resources::new(), &Bindings::default(), &inputs);
        assert_eq!(out[3], [vec![3.0, 0.5, 0.25, 1.0]], "{name}");
    }
}

fn an_old_library_with_a_literal_sampler_and_halves() {
    let library = library("syphon.metallib");
    let function = Function::of_library(&library, Some("textureToScreenVertexShader")).unwrap();
    let mut resources = Resources::new();
    let mut bindings = Bindings::default();
    let vertices: Vec<f32> = (0..4).flat_map(|i| [100.0 * i as f32, 50.0, i as f32, 0.5]).collect();
    bindings.buffers.insert(0, buffer(&mut resources, bytes(&vertices)));
    let size = [400u32, 200].iter().flat_map(|n| n.to_le_bytes()).collect();
    bindings.buffers.insert(1, buffer(&mut resources, size));
    let inputs = |lane: usize, _: &str, _: &Role, out: &mut [u64]| out[0] = lane as u64;
    let out = invoke(&function, &mut resources, &bindings, &inputs);
    assert_eq!(out[2], [vec![1.0, 0.5, 0.0, 1.0], vec![2.0, 0.5]]);

    let function = Function::of_library(&library, Some("textureToScreenSamplingShader")).unwrap();
    let mut image = Image::new(Dim::D2, Format::Rgba8, [2, 1, 1], 1, 1, 1).unwrap();
    image.set(0, 0, [1, 0, 0], 0, Color::Float([1.0, 0.0, 0.0, 1.0]));
    let image = resources.add_image(image);
    bindings.textures.insert(0, Binding::Texture { image, view: View::default(), sampler: None });
    let inputs = |lane: usize, _: &str, role: &Role, out: &mut [u64]| {
        if let Role::Varying { .. } = role {
            set(out, &[0.3 + 0.1 * lane as f32, 0.5]);
        }
    };
    let out = invoke(&function, &mut resources, &bindings, &inputs);
    // The state word specifies nearest: 0.3 and 0.4 are in the first texel, 0.5 and 0.6 in the second.
    let reds: Vec<f32> = out.iter().map(|o| o[0][0]).collect();
    assert_eq!(reds, [0.0, 0.0, 1.0, 1.0]);
}

airfoil_filetest::harness! {
    empty_kernels needs(Corpus("apple-air"));
    function_constants_are_given_by_number needs(Corpus("apple-air"));
    a_kernel_with_threadgroup_memory_a_barrier_and_a_texture needs(Corpus("apple-air"));
    a_vertex_function_counts_vertices_and_instances needs(Corpus("apple-air"));
    fragment_functions_of_a_library needs(Corpus("apple-air"));
    matrices_move_vertices_and_colours_pass needs(Corpus("apple-air"));
    an_old_library_with_a_literal_sampler_and_halves needs(Corpus("apple-air"));
}
