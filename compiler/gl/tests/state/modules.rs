//! Draws with SPIR-V modules: structures with textures, captured arrays of blocks, and layouts that no packing gives.

use crate::scene::{Scene, expect};
use airfoil::interp::texture::{Color, Format, Image, Sampler, View};
use airfoil::interp::{Binding, Space};
use airfoil::ir::Dim;
use airfoil_gl::{
    Device, LinkOptions, Reflection, ShaderObject, Specialization, Stage, StateFlags, StateKey,
};
use std::path::PathBuf;

fn file(name: &str) -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/spirv/programs").join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

fn without_names(text: &str) -> String {
    let lines = text.lines().filter(|l| !l.contains("OpName ") && !l.contains("OpMemberName "));
    lines.map(|l| l.to_owned() + "\n").collect()
}

fn object(device: &Device, stage: Stage, text: &str) -> ShaderObject {
    let words = airfoil_spirv_asm::assemble(text, &Default::default()).unwrap_or_else(|e| panic!("{e:?}"));
    let module = Specialization { words: &words, entry: "main", constants: &[] };
    let object = device.specialize("module", stage, &module).unwrap_or_else(|e| panic!("{e}"));
    assert!(object.status(), "{}", object.log());
    object
}

/// A vertex shader that draws a window.
const WINDOW: &str = "OpCapability Shader
    OpMemoryModel Logical GLSL450
    OpEntryPoint Vertex %main \"main\" %p %out
    OpDecorate %p Location 0
    OpMemberDecorate %block 0 BuiltIn Position
    OpDecorate %block Block
    %void = OpTypeVoid
    %fn = OpTypeFunction %void
    %float = OpTypeFloat 32
    %int = OpTypeInt 32 1
    %v4 = OpTypeVector %float 4
    %block = OpTypeStruct %v4
    %ptr_in = OpTypePointer Input %v4
    %ptr_out = OpTypePointer Output %v4
    %ptr_block = OpTypePointer Output %block
    %p = OpVariable %ptr_in Input
    %out = OpVariable %ptr_block Output
    %zero = OpConstant %int 0
    %main = OpFunction %void None %fn
    %entry = OpLabel
    %position = OpLoad %v4 %p
    %to = OpAccessChain %ptr_out %out %zero
    OpStore %to %position
    OpReturn
    OpFunctionEnd";

fn scene(vertex: &str, fragment: &str) -> Scene {
    let device = Device::default();
    let objects = [object(&device, Stage::Vertex, vertex), object(&device, Stage::Fragment, fragment)];
    let program = device.link(&[&objects[0], &objects[1]], &LinkOptions::default());
    Scene::of(program.unwrap_or_else(|log| panic!("{log}")))
}

/// Index of a uniform at a location.
fn at(reflection: &Reflection, location: u32) -> usize {
    let found = reflection.uniforms.iter().position(|u| u.location == Some(location));
    found.unwrap_or_else(|| panic!("no uniform at location {location}"))
}

/// The locations of `stacks` in `layers.frag`: 2 times 11, from 5 on. An array has a location per element.
const GAIN: u32 = 0;
const MAP: u32 = 1;
const TINT: u32 = 3;
const BASE: u32 = 4;
const ON: u32 = 5;

fn location(stack: u32, layer: u32, member: u32) -> u32 {
    let of_layer = if member == GAIN { 0 } else { layer * 5 };
    5 + stack * 11 + of_layer + member
}

#[test]
fn structures_have_textures() {
    let with_names = file("layers.frag.spvasm");
    for text in [with_names.clone(), without_names(&with_names)] {
        for number in [0, 1_u32] {
            let mut scene = scene(WINDOW, &text);
            let reflection = scene.program.reflection().clone();
            let (_, bytes) = reflection.default_block.unwrap_or_default();
            let mut block = vec![0; bytes as usize / 4];
            let mut write = |location, value: u32| {
                let uniform = &reflection.uniforms[at(&reflection, location)];
                block[uniform.offset.unwrap_or_default() as usize / 4] = value;
            };
            write(2, number);
            for (stack, layer) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                write(location(stack, 0, GAIN), (stack as f32 + 2.0).to_bits());
                write(location(stack, layer, TINT), (4.0 + stack as f32 + 2.0 * layer as f32).to_bits());
                // The second component of the tint stays zero.
                write(location(stack, layer, ON), u32::from(stack != 1 || layer != 1));
                bind(
                    &mut scene,
                    &reflection,
                    location(stack, layer, MAP),
                    &[texel(stack, layer, 0), texel(stack, layer, 1)],
                );
                bind(&mut scene, &reflection, location(stack, layer, BASE), &[texel(stack, layer, 2)]);
            }
            let bytes = block.iter().flat_map(|w| w.to_le_bytes()).collect();
            let buffer = scene.resources.add_buffer(bytes);
            let binding = reflection.default_block.map_or(0, |b| b.0);
            let what = Binding::Buffer { buffer, offset: 0, size: None };
            scene.resources.bind(Space::Uniform, 0, binding, 0, what);
            let want = [
                texel(1, 0, 1) * 3.0,
                texel(number, 1 - number, number),
                // Of stacks[1].layers[1] nothing is added.
                texel(0, 1, 2) * 6.0,
                0.0,
            ];
            expect(&scene.draw(&StateKey::default()), 0, |_, _| want);
        }
    }
}

/// The value of a texture.
fn texel(stack: u32, layer: u32, texture: u32) -> f32 {
    (1 + stack * 6 + layer * 3 + texture) as f32
}

/// Binds textures of one texel to the elements of the uniform at a location.
fn bind(scene: &mut Scene, reflection: &Reflection, location: u32, texels: &[f32]) {
    let uniform = &reflection.uniforms[at(reflection, location)];
    assert_eq!(uniform.array_size, texels.len() as u32);
    // The variable has the bindings of all its elements.
    let first = uniform.binding.unwrap_or_default() - uniform.element;
    for (element, &texel) in (uniform.element..).zip(texels) {
        let mut image = Image::new(Dim::D2, Format::Rgba32f, [1; 3], 1, 1, 1).unwrap();
        image.set(0, 0, [0; 3], 0, Color::Float([f64::from(texel); 4]));
        let image = scene.resources.add_image(image);
        let sampler = Some(scene.resources.add_sampler(Sampler::default()));
        let what = Binding::Texture { image, view: View::default(), sampler };
        scene.resources.bind(Space::Texture, 0, first, element, what);
    }
}

#[test]
fn consecutive_buffers_capture_the_elements_of_an_array_of_blocks() {
    let device = Device::default();
    let fragment =
        device.compile("fragment", Stage::Fragment, &["void main() { gl_FragColor = vec4(1.0); }"]);
    let module = object(&device, Stage::Vertex, &file("blocks.vert.spvasm"));
    let source = device.compile("vertex", Stage::Vertex, &[&file("blocks.vert")]);
    assert!(source.status(), "{}", source.log());
    let separable = LinkOptions { separable: true, ..LinkOptions::default() };
    let link = |objects: &[&ShaderObject], options| {
        device.link(objects, options).unwrap_or_else(|log| panic!("{log}"))
    };
    let programs = [link(&[&module], &separable), link(&[&source, &fragment], &LinkOptions::default())];
    let lists = programs.each_ref().map(|program| {
        let feedback = &program.reflection().transform_feedback;
        let varyings = feedback
            .varyings
            .iter()
            .map(|v| (v.name.clone(), v.ty, v.size, v.columns, v.buffer, v.offset, v.components));
        let mut varyings: Vec<_> = varyings.collect();
        varyings.sort_by_key(|v| (v.4, v.5));
        let buffers: Vec<_> = feedback.buffers.iter().map(|b| (b.buffer, b.stride)).collect();
        (varyings, buffers)
    });
    assert_eq!(lists[0], lists[1]);
    assert_eq!(lists[0].1, [(0, 16), (1, 48), (2, 48)]);
    let names: Vec<&str> = lists[0].0.iter().map(|v| &*v.0).collect();
    let element = |n| [format!("Captured[{n}].a"), format!("Captured[{n}].m"), format!("Captured[{n}].i")];
    let want = [vec!["Plain.v".to_owned()], element(0).into(), element(1).into()].concat();
    assert_eq!(names, want);
    for program in programs {
        let mut scene = Scene::of(program);
        scene.fragments = false;
        let count = scene.vertices.len();
        scene.vertices = (0..count).map(|n| vec![[n as f32, 10.0, 20.0, 30.0]]).collect();
        scene.driver(Space::Uniform, 16, &[count as u32, 0, count as u32]);
        let buffers = [4, 12, 12].map(|words| vec![0x5555_5555; words * count]);
        let buffers: Vec<usize> = (20..)
            .zip(&buffers)
            .map(|(binding, words)| scene.driver(Space::Storage, binding, words))
            .collect();
        let key =
            StateKey { flags: StateFlags::CAPTURE | StateFlags::RASTERIZER_DISCARD, ..StateKey::default() };
        scene.draw(&key);
        let gap = f32::from_bits(0x5555_5555);
        let mut want = [const { Vec::new() }; 3];
        for n in 0..count {
            let (x, int) = (n as f32, |n: u32| f32::from_bits(n));
            want[0].extend([gap, gap, 20.0, 30.0]);
            for (e, of) in (0_u32..).zip(&mut want[1..]) {
                let (add, factor) = (e as f32, e as f32 + 1.0);
                of.extend([gap, x + add, 10.0 + add, 20.0 + add]);
                // `mat2` of a vector is its components.
                of.extend([x, 10.0, 20.0, 30.0].map(|c| c * factor));
                of.extend([int(e), int(e + 1), int(e + 2), gap]);
            }
        }
        for (buffer, want) in buffers.into_iter().zip(want) {
            let want: Vec<u8> = want.into_iter().flat_map(f32::to_le_bytes).collect();
            assert_eq!(scene.resources.buffers[buffer].bytes, want);
        }
    }
}

/// A fragment shader that reads a block: an array with a stride of 48 bytes, a matrix with one of `step`, and structures. Neither std140
/// nor std430 gives this layout.
fn spaced(kind: &str, step: u32) -> String {
    format!(
        "OpCapability Shader
        OpMemoryModel Logical GLSL450
        OpEntryPoint Fragment %main \"main\" %color
        OpExecutionMode %main OriginLowerLeft
        OpDecorate %color Location 0
        OpDecorate %list ArrayStride 48
        OpDecorate %pairs ArrayStride 40
        OpMemberDecorate %pair 0 Offset 8
        OpMemberDecorate %pair 1 Offset 16
        OpMemberDecorate %block 0 Offset 64
        OpMemberDecorate %block 1 Offset 0
        OpMemberDecorate %block 1 ColMajor
        OpMemberDecorate %block 1 MatrixStride {step}
        OpMemberDecorate %block 2 Offset 200
        OpDecorate %block {kind}
        OpDecorate %x Binding 3
        {SPACED_TYPES}
        %color = OpVariable %ptr_out Output
        %main = OpFunction %void None %fn
        %entry = OpLabel
        %p1 = OpAccessChain %ptr %x %n0 %n1 %n1
        %p2 = OpAccessChain %ptr %x %n1 %n1 %n1
        %p3 = OpAccessChain %ptr %x %n2 %n1 %n0
        %p4 = OpAccessChain %ptr %x %n2 %n1 %n1 %n1
        %v1 = OpLoad %float %p1
        %v2 = OpLoad %float %p2
        %v3 = OpLoad %float %p3
        %v4 = OpLoad %float %p4
        %all = OpCompositeConstruct %vec4 %v1 %v2 %v3 %v4
        OpStore %color %all
        OpReturn
        OpFunctionEnd"
    )
}

const SPACED_TYPES: &str = "%void = OpTypeVoid
    %fn = OpTypeFunction %void
    %float = OpTypeFloat 32
    %int = OpTypeInt 32 1
    %n0 = OpConstant %int 0
    %n1 = OpConstant %int 1
    %n2 = OpConstant %int 2
    %vec2 = OpTypeVector %float 2
    %vec4 = OpTypeVector %float 4
    %mat2 = OpTypeMatrix %vec2 2
    %list = OpTypeArray %vec4 %n2
    %pair = OpTypeStruct %float %vec2
    %pairs = OpTypeArray %pair %n2
    %block = OpTypeStruct %list %mat2 %pairs
    %ptr_block = OpTypePointer Uniform %block
    %ptr = OpTypePointer Uniform %float
    %ptr_out = OpTypePointer Output %vec4
    %x = OpVariable %ptr_block Uniform";

#[test]
fn blocks_have_the_offsets_and_strides_of_their_decorations() {
    for (kind, space) in [("Block", Space::Uniform), ("BufferBlock", Space::Storage)] {
        let mut scene = scene(WINDOW, &spaced(kind, 24));
        let words: Vec<u32> = (0..80).map(|n| (n as f32).to_bits()).collect();
        let bytes = words.iter().flat_map(|w| w.to_le_bytes()).collect();
        let buffer = scene.resources.add_buffer(bytes);
        scene.resources.bind(space, 0, 3, 0, Binding::Buffer { buffer, offset: 0, size: None });
        expect(&scene.draw(&StateKey::default()), 0, |_, _| [29.0, 7.0, 62.0, 65.0]);
        let reflection = scene.program.reflection();
        let (blocks, variables) = match space {
            Space::Uniform => (&reflection.uniform_blocks, &reflection.uniforms),
            _ => (&reflection.storage_blocks, &reflection.buffer_variables),
        };
        assert_eq!(blocks.iter().map(|b| (b.binding, b.size)).collect::<Vec<_>>(), [(Some(3), 264)]);
        let found = variables.iter().map(|v| (v.offset.unwrap_or_default(), v.array_stride, v.matrix_stride));
        let mut found: Vec<_> = found.collect();
        found.sort_unstable();
        // Of an array of structures in a storage block the first element is listed.
        let mut want = vec![(0, 0, 24), (64, 48, 0), (208, 0, 0), (216, 0, 0)];
        if space == Space::Uniform {
            want.extend([(248, 0, 0), (256, 0, 0)]);
        }
        assert_eq!(found, want);
    }
}

#[test]
fn blocks_of_stages_are_one_if_their_layouts_agree() {
    let device = Device::default();
    let vertex = spaced("Block", 24)
        .replace("Fragment %main", "Vertex %main")
        .replace("OpExecutionMode %main OriginLowerLeft", "");
    let vertex = object(&device, Stage::Vertex, &vertex);
    for (step, count) in [(24, 1), (28, 2)] {
        // The output of the vertex shader is not read.
        let fragment = object(&device, Stage::Fragment, &spaced("Block", step));
        let program = device.link(&[&vertex, &fragment], &LinkOptions::default());
        let program = program.unwrap_or_else(|log| panic!("{log}"));
        assert_eq!(program.reflection().uniform_blocks.len(), count, "{step}");
    }
}

#[test]
fn structures_have_images() {
    let fragment = "OpCapability Shader
        OpMemoryModel Logical GLSL450
        OpEntryPoint Fragment %main \"main\"
        OpExecutionMode %main OriginLowerLeft
        OpDecorate %x Location 7
        OpDecorate %x Binding 3
        %void = OpTypeVoid
        %fn = OpTypeFunction %void
        %float = OpTypeFloat 32
        %int = OpTypeInt 32 1
        %uint = OpTypeInt 32 0
        %n0 = OpConstant %int 0
        %n1 = OpConstant %int 1
        %two = OpConstant %int 2
        %f = OpConstant %float 0.75
        %vec4 = OpTypeVector %float 4
        %value = OpConstantComposite %vec4 %f %f %f %f
        %ivec2 = OpTypeVector %int 2
        %corner = OpConstantComposite %ivec2 %n0 %n0
        %image = OpTypeImage %float 2D 0 0 0 2 R32f
        %counts = OpTypeImage %uint 2D 0 0 0 2 R32ui
        %both = OpTypeStruct %counts %image
        %list = OpTypeArray %both %two
        %ptr_list = OpTypePointer UniformConstant %list
        %ptr = OpTypePointer UniformConstant %image
        %x = OpVariable %ptr_list UniformConstant
        %main = OpFunction %void None %fn
        %entry = OpLabel
        %place = OpAccessChain %ptr %x %n1 %n1
        %to = OpLoad %image %place
        OpImageWrite %to %corner %value
        OpReturn
        OpFunctionEnd";
    let mut scene = scene(WINDOW, fragment);
    let reflection = scene.program.reflection().clone();
    let found: Vec<_> = reflection.uniforms.iter().map(|u| (u.location, u.binding)).collect();
    // The elements of a member have consecutive bindings, and the members of an element consecutive locations.
    assert_eq!(found, [(Some(7), Some(3)), (Some(8), Some(5)), (Some(9), Some(4)), (Some(10), Some(6))]);
    let images: Vec<usize> = [0, 1]
        .map(|element| {
            let image = Image::new(Dim::D2, Format::R32f, [1; 3], 1, 1, 1).unwrap();
            let image = scene.resources.add_image(image);
            let what = Binding::Image { image, level: 0, layer: None, format: None };
            scene.resources.bind(Space::Image, 0, 5, element, what);
            image
        })
        .into();
    scene.colors = 0;
    scene.draw(&StateKey::default());
    let texel = |n: usize| match scene.resources.images[images[n]].get(0, 0, [0; 3], 0) {
        Some(Color::Float(color)) => color[0],
        other => panic!("{other:?}"),
    };
    assert_eq!([texel(0), texel(1)], [0.0, 0.75]);
}
