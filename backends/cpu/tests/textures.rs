//! Texture and image operations of GLSL in all forms, executed as AIR and by the interpreter.
#![cfg(any(feature = "llvm14", feature = "llvm19"))]

mod support;

use airfoil::steps::optimize;
use airfoil::{OptLevel, Shader, Stage};
use airfoil_cpu::{Config, Program};
use airfoil_interp::texture::{Color, Compare, Filter, Format, Image, Mip, Sampler, View, Wrap};
use airfoil_interp::{Binding, Resources, Space, System};
use airfoil_ir::Dim;
use support::fragments::{SAMPLES, both_at, both_of, generic, triangle};
use support::{front_end, words};

const LEVELS: [OptLevel; 2] = [OptLevel::O0, OptLevel::O2];

fn optimized(source: &Shader, level: OptLevel) -> Shader {
    let mut shader = source.clone();
    optimize(&mut shader, level).unwrap();
    shader
}

/// A texture with a pattern, and a sampler that fits.
fn bind_texture(
    resources: &mut Resources,
    binding: u32,
    dim: Dim,
    layers: u32,
    format: Format,
    compare: bool,
) {
    let size = match dim {
        Dim::D1 => [8, 1, 1],
        Dim::D3 => [8, 8, 4],
        _ => [8, 8, 1],
    };
    let layers = if dim == Dim::Cube { layers * 6 } else { layers };
    let mut image = Image::new(dim, format, size, layers, 3, 1).unwrap();
    for level in 0..3 {
        for (i, texel) in image.bytes_mut(level).chunks_exact_mut(4).enumerate() {
            let n = i * 37 + level as usize * 11;
            let depth = (((i * 3 + level as usize) % 8) as f32 / 8.0).to_le_bytes();
            let color = [n, n / 3, i * 7, 255].map(|c| c as u8);
            texel.copy_from_slice(if format == Format::R32f { &depth } else { &color });
        }
    }
    let integer = matches!(format, Format::Rgba8ui | Format::Rgba8i);
    let filter = if integer || compare { Filter::Nearest } else { Filter::Linear };
    let image = resources.add_image(image);
    let sampler = resources.add_sampler(Sampler {
        wrap: [Wrap::MirroredRepeat; 3],
        mag: filter,
        min: filter,
        mip: Mip::Nearest,
        compare: compare.then_some(Compare::Less),
        ..Sampler::default()
    });
    let what = Binding::Texture { image, view: View::default(), sampler: Some(sampler) };
    resources.bind(Space::Texture, 0, binding, 0, what);
}

/// Executes sums of lookups at both levels; both engines must agree, and the texels read must differ.
fn lookups(declared: &[(&str, Dim, u32, Format)], sums: &[&str]) {
    let mut text = String::from("#version 450\n");
    for (n, (declaration, ..)) in declared.iter().enumerate() {
        text += &format!("layout(binding = {n}) uniform {declaration};\n");
    }
    text += "layout(location = 0) in vec4 v;\n";
    for n in 0..sums.len() {
        text += &format!("layout(location = {n}) out vec4 o{n};\n");
    }
    text += "void main() {\n";
    for (n, sum) in sums.iter().enumerate() {
        text += &format!("o{n} = vec4({sum});\n");
    }
    let source = front_end(Stage::Fragment, &(text + "}\n"), false);
    let mut resources = Resources::new();
    for (binding, &(declaration, dim, layers, format)) in (0..).zip(declared) {
        bind_texture(&mut resources, binding, dim, layers, format, declaration.contains("Shadow"));
    }
    let corners = [[0.125, 0.5, 0.25, 1.0], [0.75, -0.25, 0.5, 2.0], [-0.5, 1.0, 0.75, 1.0]];
    for level in LEVELS {
        let out = both_of(&optimized(&source, level), &source, &mut resources, &triangle(corners));
        for (n, sum) in (0..).zip(sums) {
            let read: Vec<_> = out.iter().flatten().filter_map(|f| f.outputs.floats(generic(n))).collect();
            assert!(read.iter().any(|x| *x != read[0]), "{sum}: {read:?}");
        }
    }
}

#[test]
fn projections_and_gradients() {
    lookups(
        &[
            ("sampler2D t", Dim::D2, 1, Format::Rgba8),
            ("sampler3D d", Dim::D3, 1, Format::Rgba8),
            ("sampler1D l", Dim::D1, 1, Format::Rgba8),
            ("sampler2DShadow s", Dim::D2, 1, Format::R32f),
        ],
        &[
            "textureProj(t, v.xyw) + textureProj(t, v) + textureProjOffset(t, v, ivec2(1, -2)) + textureProjLod(t, v, 1.0)",
            "textureProjGrad(t, v.xyw, v.xy, v.zw) + textureProjGradOffset(t, v, v.yx, v.zw, ivec2(1, 2)) + textureProjLodOffset(t, v.xyw, 1.0, ivec2(1))",
            "textureProj(d, v) + textureProjGrad(d, v, v.xyz, v.zyx) + textureProj(l, v.xw) + textureProjGrad(l, v, 0.5, 0.25)",
            "textureProj(s, v) + textureProjOffset(s, v, ivec2(1)), textureProjLod(s, v, 1.0), textureProjGrad(s, v, v.xy, v.zw), textureProjGradOffset(s, v, v.xy, v.yx, ivec2(1))",
            "textureGrad(d, v.xyz, v.zyx, v.yyy) + textureGradOffset(t, v.xy, v.xy, v.zw, ivec2(-1, 3))",
        ],
    );
}

#[test]
fn cubes() {
    lookups(
        &[
            ("samplerCube c", Dim::Cube, 1, Format::Rgba8),
            ("samplerCubeArray a", Dim::Cube, 2, Format::Rgba8),
            ("samplerCubeShadow s", Dim::Cube, 1, Format::R32f),
            ("samplerCubeArrayShadow as", Dim::Cube, 2, Format::R32f),
        ],
        &[
            "texture(c, v.xyz) + textureLod(c, v.zyx, 1.0) + texture(c, v.yxz, 0.5)",
            "textureGrad(c, v.xyz, v.yzx, v.zxy) + textureGrad(a, v.xyzz, v.yzx, v.zxy)",
            "texture(a, vec4(v.xyz, 1.0)) + textureLod(a, vec4(v.yzx, 0.6), 1.0) + textureGather(a, v, 2) + textureGather(c, v.xyz, 1)",
            "texture(s, v.xyzz) + texture(s, v.xyzz, 1.0), textureGrad(s, v.xyzy, v.xyz, v.yzx), texture(as, v, 0.5), texture(as, v.zyxw, 0.25)",
            "textureGather(s, v.xyz, 0.5) + textureGather(as, v, 0.5)",
        ],
    );
}

#[test]
fn comparisons() {
    lookups(
        &[
            ("sampler2DShadow s", Dim::D2, 1, Format::R32f),
            ("sampler2DArrayShadow a", Dim::D2, 3, Format::R32f),
        ],
        &[
            "texture(s, v.xyz), texture(s, v.xyz, 1.0), textureLod(s, v.xyz, 1.0), textureGrad(s, v.xyz, v.xy, v.zw)",
            "textureOffset(s, v.xyz, ivec2(1, 2)), textureLodOffset(s, v.xyz, 1.0, ivec2(1)), textureGradOffset(s, v.xyz, v.xy, v.zw, ivec2(1)), textureOffset(s, v.xyz, ivec2(2), 0.5)",
            "texture(a, v.xyzz), textureGrad(a, v.xyzz, v.xy, v.zw), textureOffset(a, v.xyzx, ivec2(1, 2)), textureGradOffset(a, v.xyzz, v.xy, v.zw, ivec2(1))",
            "textureGather(s, v.xy, v.z) + textureGatherOffset(s, v.xy, v.z, ivec2(3, -1)) + textureGather(a, v.xyz, v.z) + textureGatherOffset(a, v.xyz, 0.5, ivec2(1))",
            "textureGatherOffsets(s, v.xy, v.z, ivec2[4](ivec2(0, 1), ivec2(-1, 2), ivec2(1, 0), ivec2(0)))",
        ],
    );
}

/// Metal filters no integers, and neither do Vulkan and OpenGL: the sampler that is bound is one of nearest texels.
#[test]
fn integers() {
    lookups(
        &[
            ("usampler2D u", Dim::D2, 1, Format::Rgba8ui),
            ("isampler3D i", Dim::D3, 1, Format::Rgba8i),
            ("isampler2DArray a", Dim::D2, 3, Format::Rgba8i),
            ("usamplerCube c", Dim::Cube, 1, Format::Rgba8ui),
        ],
        &[
            "texture(u, v.xy) + textureLod(u, v.yx, 1.0) + textureProj(u, v.xyw) + textureGather(u, v.xy, 2)",
            "texture(i, v.xyz) + textureGrad(i, v.zyx, v.xyz, v.xyz) + texelFetch(i, ivec3(1, 2, 1), 1)",
            "texture(a, v.xyz) + textureOffset(a, v.xyw, ivec2(1, -1)) + ivec4(texture(c, v.xyz)) + textureGatherOffset(a, v.xyz, ivec2(1), 1)",
        ],
    );
}

fn bind_image(resources: &mut Resources, binding: u32, image: Image) -> usize {
    let image = resources.add_image(image);
    let what = Binding::Image { image, level: 0, layer: None, format: None };
    resources.bind(Space::Image, 0, binding, 0, what);
    image
}

#[test]
fn formats_of_images() {
    let text = "#version 450
        #extension GL_EXT_shader_image_load_formatted : enable
        layout(local_size_x = 8) in;
        layout(rgba8_snorm, binding = 0) uniform readonly image2D a;
        layout(r11f_g11f_b10f, binding = 1) uniform readonly image2D b;
        layout(binding = 2) uniform writeonly image2D c;
        layout(binding = 3) uniform readonly image2D d;
        layout(rgb10_a2ui, binding = 4) uniform readonly uimage2D e;
        layout(rgba16i, binding = 5) uniform iimage2D f;
        layout(binding = 6) uniform samplerBuffer texels;
        void main() {
            ivec2 p = ivec2(gl_LocalInvocationIndex, 0);
            imageStore(c, p, imageLoad(a, p) + imageLoad(b, p) * 0.125 + imageLoad(d, p) + texelFetch(texels, p.x + textureSize(texels) - 8));
            imageStore(f, p, imageLoad(f, p) - ivec4(imageLoad(e, p)));
        }";
    let source = front_end(Stage::Compute, text, true);
    let formats = [
        Format::Rgba8Snorm,
        Format::R11fG11fB10f,
        Format::Rgba32f,
        Format::Rgba16,
        Format::Rgb10A2ui,
        Format::Rgba16i,
    ];
    let run = |execute: &mut dyn FnMut(&mut Resources)| {
        let mut resources = Resources::new();
        let images: Vec<usize> = (0..)
            .zip(formats)
            .map(|(binding, format)| {
                let mut image = Image::new(Dim::D2, format, [8, 1, 1], 1, 1, 1).unwrap();
                let bytes = image.bytes_mut(0);
                // No infinities among small floats.
                bytes.iter_mut().enumerate().for_each(|(i, b)| *b = (i * 29 + binding as usize) as u8 & 0x6d);
                bind_image(&mut resources, binding, image)
            })
            .collect();
        // Ten texels after a word that is not a texel.
        let buffer = resources.add_buffer((0..44u32).map(|i| (i * 23) as u8).collect());
        let what = Binding::TexelBuffer { buffer, offset: 4, size: None, format: Format::Rgba8 };
        resources.bind(Space::Texture, 0, 6, 0, what);
        execute(&mut resources);
        [2, 5].map(|n| words(resources.images[images[n]].bytes(0)))
    };
    let mut interp = airfoil_interp::Program::new(&source, airfoil_interp::Config::default()).unwrap();
    let expected = run(&mut |r| interp.compute(r, &System::new(), [1, 1, 1]).unwrap());
    assert_ne!(expected, run(&mut |_| ()));
    for level in LEVELS {
        let shader = optimized(&source, level);
        let program = Program::new(&shader, Config::default()).unwrap();
        assert_eq!(run(&mut |r| program.compute(r, [1, 1, 1]).unwrap()), expected, "{level:?}");
    }
}

#[test]
fn atomic_operations_on_images_of_floats() {
    let text = "#version 450
        #extension GL_EXT_shader_atomic_float : require
        #extension GL_EXT_shader_atomic_float2 : require
        layout(local_size_x = 8) in;
        layout(r32f, binding = 0) uniform image2D a;
        layout(r32f, binding = 1) uniform image2DArray b;
        layout(r32f, binding = 2) uniform image2D c;
        layout(r32ui, binding = 3) uniform uimage2D d;
        void main() {
            int i = int(gl_LocalInvocationIndex);
            imageAtomicAdd(a, ivec2(0), float(i) + 0.5);
            imageAtomicMin(a, ivec2(1, 0), float(-i));
            imageAtomicMax(b, ivec3(i & 1, 0, 1), float(i));
            float old = imageAtomicExchange(a, ivec2(i, 1), float(i) * 2.0);
            barrier();
            imageStore(c, ivec2(i, 0), vec4(old) + imageLoad(a, ivec2(7 - i, 1)).wxyz);
            // Every invocation gets a value of its own.
            uint seen = imageLoad(d, ivec2(0)).x;
            for (int n = 0; n < 64; n++) {
                uint found = imageAtomicCompSwap(d, ivec2(0), seen, seen + 3u);
                if (found == seen) break;
                seen = found;
            }
        }";
    let source = front_end(Stage::Compute, text, true);
    let run = |execute: &mut dyn FnMut(&mut Resources)| {
        let mut resources = Resources::new();
        let image = |format, layers| Image::new(Dim::D2, format, [8, 2, 1], layers, 1, 1).unwrap();
        let mut first = image(Format::R32f, 1);
        first.fill(0, Color::Float([0.25, 0.0, 0.0, 1.0]));
        let rest = [image(Format::R32f, 2), image(Format::R32f, 1), image(Format::R32ui, 1)];
        let images: Vec<usize> = (0..)
            .zip(std::iter::once(first).chain(rest))
            .map(|(binding, image)| bind_image(&mut resources, binding, image))
            .collect();
        execute(&mut resources);
        images.into_iter().map(|n| words(resources.images[n].bytes(0))).collect::<Vec<_>>()
    };
    let mut interp = airfoil_interp::Program::new(&source, airfoil_interp::Config::default()).unwrap();
    let expected = run(&mut |r| interp.compute(r, &System::new(), [1, 1, 1]).unwrap());
    let sum = (0..8).map(|i| i as f32 + 0.5).sum::<f32>() + 0.25;
    assert_eq!(expected[0][..2], [sum.to_bits(), (-7f32).to_bits()]);
    assert_eq!(expected[3][0], 24);
    for level in LEVELS {
        let shader = optimized(&source, level);
        let program = Program::new(&shader, Config::default()).unwrap();
        assert_eq!(run(&mut |r| program.compute(r, [1, 1, 1]).unwrap()), expected, "{level:?}");
    }
}

#[test]
fn places_of_samples_and_what_is_interpolated_there() {
    let text = "#version 450
        layout(location = 0) in vec4 v;
        layout(location = 1) noperspective in vec4 w;
        layout(location = 0) out vec4 o;
        layout(location = 1) out vec4 p;
        void main() {
            o = vec4(interpolateAtSample(v.x, 2), interpolateAtCentroid(v.y), interpolateAtOffset(v.zw, vec2(-0.25, 0.375)));
            p = vec4(gl_SamplePosition, interpolateAtSample(w.x, 1), interpolateAtOffset(w.y, gl_SamplePosition - 0.5));
        }";
    let source = front_end(Stage::Fragment, text, false);
    let corners = [[0.0, 8.0, 1.0, 3.0], [8.0, 0.0, 2.0, 5.0], [16.0, 4.0, 3.0, -7.0]];
    let mut primitive = triangle(corners);
    for (vertex, values) in primitive.vertices.iter_mut().zip(corners) {
        vertex.set_floats(generic(1), values);
    }
    for level in LEVELS {
        let shader = optimized(&source, level);
        let out = both_at(&shader, &source, &mut Resources::new(), &primitive, Some(2));
        let [o, p] = [0, 1].map(|n| out[0][0].outputs.floats(generic(n)).unwrap());
        assert!(o[0] != o[1] && p[..2] == SAMPLES[2], "{o:?} {p:?}");
    }
}

#[test]
fn outputs_of_fragments() {
    let text = "#version 450
        layout(early_fragment_tests) in;
        layout(location = 0) in vec4 v;
        layout(location = 0, index = 0) out vec4 o;
        layout(location = 0, index = 1) out vec4 source;
        layout(depth_greater) out float gl_FragDepth;
        void main() {
            o = v;
            source = v.wzyx;
            gl_FragDepth = gl_FragCoord.z + 0.25;
            gl_SampleMask[0] = gl_SampleMaskIn[0] ^ 5;
        }";
    let source = front_end(Stage::Fragment, text, false);
    for level in LEVELS {
        let shader = optimized(&source, level);
        let out = both_of(&shader, &source, &mut Resources::new(), &triangle([[1.0, 2.0, 3.0, 4.0]; 3]));
        assert_eq!(out[0][0].outputs.floats(airfoil_ir::Slot::DEPTH).unwrap()[0], 0.5, "{level:?}");
    }
}
