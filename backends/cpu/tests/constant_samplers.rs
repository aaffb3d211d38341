//! Constant samplers: sampling follows the state words of the module.
#![cfg(any(feature = "llvm14", feature = "llvm19"))]

mod support;

use airfoil::air::select::{
    ArgumentBuffers, Lod, SamplerAddress, SamplerBorder, SamplerCompare, SamplerFilter, SamplerMip,
    SamplerState,
};
use airfoil::{CompileOptions, Compiler, Output, Stage};
use airfoil_cpu::{Bindings, Config, Function, Launch};
use airfoil_interp::texture::{Color, Format, Image, View};
use airfoil_interp::{Binding, Resources};
use airfoil_ir::Dim;
use support::{read, words};

const SHADER: &str = "#version 450
    layout(local_size_x = 1) in;
    layout(std430, set = 0, binding = 0) buffer Out { float o[8]; };
    layout(set = 0, binding = 1) uniform sampler2D both;
    layout(set = 0, binding = 2) uniform texture2D alone;
    layout(set = 0, binding = 3) uniform sampler pick;
    layout(set = 0, binding = 4) uniform sampler2DShadow depth;
    layout(set = 0, binding = 5) uniform sampler open;
    void main() {
        o[0] = textureLod(both, vec2(0.5, 0.5), 0.0).x;
        o[1] = textureLod(both, vec2(1.25, 0.5), 0.0).x;
        o[2] = textureLod(both, vec2(0.25, 0.5), 1.0).x;
        o[3] = textureLod(sampler2D(alone, pick), vec2(7.0, 0.5), 0.0).x;
        o[4] = textureLod(depth, vec3(0.25, 0.5, 1.5), 0.0);
        o[5] = textureLod(depth, vec3(0.25, 0.5, 0.5), 0.0);
        o[6] = textureLod(sampler2D(alone, open), vec2(0.25, 0.5), 0.0).x;
    }";

fn states() -> [((u32, u32), SamplerState); 3] {
    let base = SamplerState::default();
    let both = SamplerState {
        address: [SamplerAddress::Repeat; 3],
        mag: SamplerFilter::Linear,
        min: SamplerFilter::Linear,
        mip: SamplerMip::Nearest,
        ..base
    };
    let pick = SamplerState {
        address: [SamplerAddress::ClampToBorder; 3],
        border: SamplerBorder::OpaqueWhite,
        ..base
    };
    let depth = SamplerState { compare: SamplerCompare::Less, ..base };
    [((0, 1), both), ((0, 3), pick), ((0, 4), depth)]
}

fn compile(target: &str, sets: ArgumentBuffers) -> Output {
    let mut options = CompileOptions::default();
    options.air.target = target.parse().unwrap();
    options.air.bindings.constant_samplers.extend(states());
    options.air.bindings.argument_buffers = sets;
    let shader = read(Stage::Compute, SHADER);
    Compiler::new(options).compile(&mut [shader]).unwrap_or_else(|e| panic!("{e:?}"))
}

/// Two texels and a level of one.
fn texture(resources: &mut Resources, texels: [f64; 2], level: f64) -> Binding {
    let mut image = Image::new(Dim::D2, Format::Rgba32f, [2, 1, 1], 1, 2, 1).unwrap();
    image.fill(1, Color::Float([level, 0.0, 0.0, 0.0]));
    for (x, value) in texels.into_iter().enumerate() {
        let texel = image.texel_mut(0, 0, [x as u32, 0, 0], 0).unwrap();
        texel[..4].copy_from_slice(&(value as f32).to_le_bytes());
    }
    let image = resources.add_image(image);
    Binding::Texture { image, view: View::default(), sampler: None }
}

#[test]
fn all_encodings_sample_alike() {
    for target in ["macos10.14", "macos12", "macos14", "macos26"] {
        let output = compile(target, ArgumentBuffers::None);
        let kinds: Vec<(&str, u32)> =
            output.functions[0].reflection.arguments.iter().map(|a| (a.kind.name(), a.index)).collect();
        let expected =
            [("storage_buffer", 0), ("texture", 0), ("texture", 1), ("texture", 2), ("sampler", 0)];
        assert_eq!(kinds, expected);
        let json = output.functions[0].reflection.to_json();
        assert!(
            json.contains(
                r#""constant_samplers":[{"set":0,"binding":1,"name":"both"},{"set":0,"binding":3,"#
            ),
            "{json}"
        );
        let function = Function::of_library(&output.metallib, None).unwrap();
        let r = &mut Resources::new();
        let mut bindings = Bindings::default();
        let buffer = r.add_buffer(vec![0; 32]);
        bindings.buffers.insert(0, Binding::Buffer { buffer, offset: 0, size: None });
        for (n, texels) in [[2.0, 4.0], [5.0, 6.0], [1.0, 0.0]].into_iter().enumerate() {
            bindings.textures.insert(n as u32, texture(r, texels, 50.0));
        }
        bindings.samplers.insert(0, r.add_sampler(airfoil_interp::texture::Sampler::default()));
        let launch = Launch { groups: [1, 1, 1], threads: [1, 1, 1] };
        function.kernel(r, &bindings, launch, &Config::default()).unwrap();
        let out: Vec<f32> = words(&r.buffers[buffer].bytes).into_iter().map(f32::from_bits).collect();
        assert_eq!(out[..7], [3.0, 2.0, 50.0, 1.0, 0.0, 1.0, 5.0], "{target}");
    }
}

#[test]
fn the_module_lists_them() {
    let output = compile("macos14", ArgumentBuffers::All);
    let library = airfoil::air::metallib::read(&output.metallib).unwrap();
    let module = airfoil::air::bitcode::read(library.functions[0].bitcode().unwrap()).unwrap();
    let found = airfoil::air::inspect::inspect(&module).samplers;
    assert_eq!(found, ["__air_sampler_state", "__air_sampler_state.1", "__air_sampler_state.2"]);
    // They take no ids: `depth` follows `alone`, and there is one sampler.
    let ids: Vec<(&str, u32)> =
        output.functions[0].reflection.arguments[1..].iter().map(|a| (a.name.as_str(), a.index)).collect();
    assert_eq!(ids, [("Out", 0), ("both", 1), ("alone", 2), ("depth", 3), ("open", 4)]);
}

#[test]
fn a_bias_of_levels_needs_the_second_word() {
    let mut options = CompileOptions::default();
    let state = SamplerState { lod_bias: Lod::from(1.5), ..SamplerState::default() };
    options.air.bindings.constant_samplers.insert((0, 1), state);
    let refused = Compiler::new(options).compile(&mut [read(Stage::Compute, SHADER)]).unwrap_err();
    assert!(refused[0].message.contains("macOS 26"), "{}", refused[0]);
}
