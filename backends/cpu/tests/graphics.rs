//! Vertex and fragment functions: outputs by hand, and the same as the interpreter's.
#![cfg(any(feature = "llvm14", feature = "llvm19"))]

mod support;

use airfoil::Stage;
use airfoil_cpu::{Config, Program};
use airfoil_interp::run::Vertex;
use airfoil_interp::texture::{Color, Filter, Format, Image, Mip, Sampler, View, Wrap};
use airfoil_interp::{Binding, Resources, Space, System};
use airfoil_ir::{Dim, Slot, SystemValue};
use support::fragments::{both, both_of, generic, triangle};
use support::lowered;

#[test]
fn vertices_have_attributes_numbers_and_outputs() {
    let shader = lowered(
        Stage::Vertex,
        "#version 450
        layout(location = 0) in vec3 p;
        layout(location = 3) in ivec2 n;
        layout(location = 1) out vec2 uv;
        layout(location = 2) flat out ivec2 sum;
        out float gl_ClipDistance[2];
        void main() {
            gl_Position = vec4(p * 2.0, 1.0);
            uv = p.yx;
            sum = n + ivec2(gl_VertexIndex, gl_InstanceIndex);
            gl_ClipDistance[0] = p.z;
            gl_ClipDistance[1] = -p.z;
        }",
    );
    let mut vertex = Vertex::default();
    vertex.inputs.set_floats(generic(0), [1.0, 2.0, 3.0, 9.0]);
    vertex.inputs.set_words(generic(3), [10, 20, 0, 0]);
    vertex.system.set(SystemValue::vertex_id, [5, 0, 0, 0]);
    vertex.system.set(SystemValue::instance_id, [7, 0, 0, 0]);
    let common = System::new().with(SystemValue::base_instance, 100);
    let program = Program::new(&shader, Config::default()).unwrap();
    let out = program.vertices(&mut Resources::new(), &common, &[vertex]).unwrap().remove(0);
    assert_eq!(out.floats(Slot::POSITION), Some([2.0, 4.0, 6.0, 1.0]));
    assert_eq!(out.floats(generic(1)).unwrap()[..2], [2.0, 1.0]);
    assert_eq!((out.get(generic(2), 0), out.get(generic(2), 1)), (Some(15), Some(127)));
    assert_eq!(out.floats(Slot::CLIP_DIST0).unwrap()[..2], [3.0, -3.0]);
}

#[test]
fn derivatives_are_differences_in_the_quad() {
    let shader = lowered(
        Stage::Fragment,
        "#version 450
        layout(location = 0) out vec4 o;
        void main() {
            float x = gl_FragCoord.x, y = gl_FragCoord.y;
            o = vec4(dFdx(x * x), dFdy(x * y), fwidth(y * y), 1.0);
        }",
    );
    let out = both(&shader, &mut Resources::new(), &triangle([[0.0; 4]; 3]));
    // At pixel 2, 2: 3.5 squared less 2.5 squared; 2.5 times 1; the same as the first.
    assert_eq!(out[3][0].outputs.floats(generic(0)), Some([6.0, 2.5, 6.0, 1.0]));
}

#[test]
fn values_are_interpolated_with_perspective() {
    for way in ["", "noperspective ", "centroid ", "flat "] {
        let source = format!(
            "#version 450
            layout(location = 0) {way}in vec4 v;
            layout(location = 0) out vec4 o;
            void main() {{ o = v; }}"
        );
        let shader = lowered(Stage::Fragment, &source);
        let corners = [[0.0, 1.0, 0.25, 3.0], [8.0, 1.0, 0.5, 5.0], [0.0, 1.0, 0.75, 7.0]];
        let out = both(&shader, &mut Resources::new(), &triangle(corners));
        let first = out[0][0].outputs.floats(generic(0)).unwrap();
        match way {
            "noperspective " => assert_eq!(first[0], 0.5),
            "flat " => assert_eq!(first, corners[0]),
            _ => assert!(first[0] > 0.0 && first[0] < 0.5),
        }
        assert_eq!(first[1], 1.0);
    }
}

#[test]
fn interpolation_functions_and_discard() {
    let shader = lowered(
        Stage::Fragment,
        "#version 450
        layout(location = 0) in vec4 v;
        layout(location = 0) out vec4 o;
        layout(std430, binding = 0) buffer B { uint count; };
        void main() {
            if (gl_FragCoord.x < 1.0) discard;
            atomicAdd(count, 1u);
            o = vec4(interpolateAtOffset(v.x, vec2(0.25, -0.25)), interpolateAtCentroid(v.y), v.zw);
        }",
    );
    let mut resources = Resources::new();
    let buffer = resources.add_buffer(vec![0; 4]);
    resources.bind(Space::Storage, 0, 0, 0, Binding::Buffer { buffer, offset: 0, size: None });
    let out = both(&shader, &mut resources, &triangle([[0.0; 4], [8.0; 4], [16.0; 4]]));
    assert!(out[0][0].discarded && !out[0][1].discarded);
    // Of 16 fragments 4 are helpers and 4 are discarded, of which none is a helper: each engine counts 8.
    assert_eq!(resources.buffers[buffer].bytes[0], 16);
}

#[test]
fn textures_are_sampled_gathered_read_and_asked() {
    let shader = lowered(
        Stage::Fragment,
        "#version 450
        layout(binding = 0) uniform sampler2D t;
        layout(binding = 1) uniform sampler2DArray layers;
        layout(location = 0) in vec4 v;
        layout(location = 0) out vec4 o;
        layout(location = 1) out vec4 p;
        void main() {
            o = texture(t, v.xy) + textureLod(t, v.yx, 1.5) + textureGrad(t, v.xy, vec2(0.3, 0), vec2(0, 0.1));
            o += textureOffset(t, v.xy, ivec2(1, -1), 0.5) + texture(layers, vec3(v.xy, 1.2));
            p = textureGather(t, v.xy, 1) + texelFetch(t, ivec2(1, 0), 1) + vec4(textureSize(t, 1), textureQueryLod(t, v.xy));
        }",
    );
    let mut resources = Resources::new();
    for (binding, layers) in [(0, 1), (1, 3)] {
        let mut image = Image::new(Dim::D2, Format::Rgba8, [8, 8, 1], layers, 3, 1).unwrap();
        for level in 0..3 {
            let bytes = image.bytes_mut(level);
            bytes.iter_mut().enumerate().for_each(|(i, b)| *b = (i * 37 + level as usize * 11) as u8);
        }
        let image = resources.add_image(image);
        let sampler = resources.add_sampler(Sampler {
            wrap: [Wrap::MirroredRepeat; 3],
            mag: Filter::Linear,
            min: Filter::Linear,
            mip: Mip::Linear,
            ..Sampler::default()
        });
        let what = Binding::Texture { image, view: View::default(), sampler: Some(sampler) };
        resources.bind(Space::Texture, 0, binding, 0, what);
    }
    let corners = [[-0.25, 0.5, 0.0, 1.0], [4.5, 0.25, 0.0, 1.0], [0.125, 3.0, 0.0, 1.0]];
    let out = both(&shader, &mut resources, &triangle(corners));
    let first = out[0][0].outputs.floats(generic(1)).unwrap();
    assert!(first.iter().all(|x| x.is_finite()) && first[0] > 4.0, "{first:?}");
}

/// Rectangle textures, textures of one dimension that Metal lacks, projections and gathers with four offsets: the
/// The AIR of the lowered shader computes the results of the source in the interpreter.
#[test]
fn lowered_textures_give_what_the_source_asks_for() {
    let text = "#version 450
        layout(binding = 0) uniform sampler2DRect rect;
        layout(binding = 1) uniform sampler2DRectShadow rect_depth;
        layout(binding = 2) uniform sampler1DShadow line_depth;
        layout(binding = 3) uniform sampler1DArrayShadow lines_depth;
        layout(binding = 4) uniform sampler1D line;
        layout(location = 0) in vec4 v;
        layout(location = 0) out vec4 o;
        layout(location = 1) out vec4 p;
        layout(location = 2) out vec4 q;
        void main() {
            vec2 texels = v.xy * 8.0;
            o = texture(rect, texels) + textureOffset(rect, texels, ivec2(1, -1)) + texelFetch(rect, ivec2(3, 2))
                + textureGrad(rect, texels, vec2(1.0), vec2(2.0)) + textureProj(rect, vec3(texels, v.w));
            p = vec4(texture(rect_depth, vec3(texels, 0.5)), texture(line_depth, v.xyz),
                textureProj(line_depth, vec4(v.xyz, v.w)), texture(lines_depth, v.xyz));
            p += vec4(textureLod(line_depth, v.xyz, 1.0), textureGrad(line_depth, v.xyz, 0.5, 0.25),
                textureOffset(line_depth, v.xyz, 2), textureGrad(lines_depth, v.xyz, 0.125, 0.5));
            const ivec2[4] offsets = ivec2[4](ivec2(0, 1), ivec2(-1, 2), ivec2(1, 0), ivec2(0));
            q = vec4(textureSize(line_depth, 1), textureSize(lines_depth, 0), textureSize(rect).y)
                + textureQueryLod(line, v.x).xyxy + textureGatherOffsets(rect, texels, offsets, 1);
        }";
    let source = support::front_end(Stage::Fragment, text, false);
    let mut shader = source.clone();
    airfoil::steps::optimize(&mut shader, airfoil::OptLevel::O2).unwrap();
    let mut resources = Resources::new();
    let shapes = [
        (Dim::Rect, 1, Format::Rgba8),
        (Dim::Rect, 1, Format::R32f),
        (Dim::D1, 1, Format::R32f),
        (Dim::D1, 3, Format::R32f),
        (Dim::D1, 1, Format::Rgba8),
    ];
    for (binding, (dim, layers, format)) in (0..).zip(shapes) {
        let (height, levels) = if dim == Dim::D1 { (1, 3) } else { (8, 1) };
        let mut image = Image::new(dim, format, [8, height, 1], layers, levels, 1).unwrap();
        for level in 0..levels {
            for (i, texel) in image.bytes_mut(level).chunks_exact_mut(4).enumerate() {
                let depth = (i * 3 + level as usize) % 8;
                let color = [i * 37 + level as usize * 11, i * 5, i * 7, 255].map(|c| c as u8);
                let bytes = if format == Format::R32f { (depth as f32 / 8.0).to_le_bytes() } else { color };
                texel.copy_from_slice(&bytes);
            }
        }
        let image = resources.add_image(image);
        let sampler = resources.add_sampler(Sampler {
            wrap: [if dim == Dim::Rect { Wrap::ClampToEdge } else { Wrap::Repeat }; 3],
            // A border would show if a second row were looked at.
            mag: if binding == 0 { Filter::Linear } else { Filter::Nearest },
            min: if binding == 0 { Filter::Linear } else { Filter::Nearest },
            mip: Mip::Nearest,
            compare: (format == Format::R32f).then_some(airfoil_interp::texture::Compare::Less),
            ..Sampler::default()
        });
        let what = Binding::Texture { image, view: View::default(), sampler: Some(sampler) };
        resources.bind(Space::Texture, 0, binding, 0, what);
    }
    let corners = [[0.125, 0.5, 0.25, 1.0], [0.75, 0.25, 0.5, 2.0], [0.125, 1.0, 0.75, 1.0]];
    let out = both_of(&shader, &source, &mut resources, &triangle(corners));
    let read: Vec<_> = out.iter().flatten().filter_map(|f| f.outputs.floats(generic(1))).collect();
    // Comparisons have either result.
    assert!(read.iter().flatten().any(|&x| x > 0.0) && read.iter().flatten().any(|&x| x == 0.0), "{read:?}");
}

#[test]
fn a_texel_is_what_was_written() {
    let shader = lowered(
        Stage::Compute,
        "#version 450
        layout(local_size_x = 4) in;
        layout(binding = 0, rgba8) uniform readonly image2D from;
        layout(binding = 1, r32ui) uniform uimage2D to;
        layout(binding = 2) uniform sampler2D t;
        void main() {
            ivec2 at = ivec2(gl_LocalInvocationIndex, 1);
            imageAtomicAdd(to, at, uint(imageLoad(from, at).g * 255.0 + 0.5));
            imageStore(to, at - ivec2(0, 1), uvec4(texture(t, vec2(0.5)).r * 8.0));
        }",
    );
    let mut resources = Resources::new();
    let mut from = Image::new(Dim::D2, Format::Rgba8, [4, 2, 1], 1, 1, 1).unwrap();
    from.fill(0, Color::Float([0.0, 0.2, 0.0, 1.0]));
    let mut to = Image::new(Dim::D2, Format::R32ui, [4, 2, 1], 1, 1, 1).unwrap();
    to.fill(0, Color::Int([3, 0, 0, 0]));
    let mut t = Image::new(Dim::D2, Format::R32f, [2, 2, 1], 1, 1, 1).unwrap();
    t.fill(0, Color::Float([0.75, 0.0, 0.0, 1.0]));
    let images = [from, to, t].map(|i| resources.add_image(i));
    for (binding, image) in (0..2).zip(images) {
        let what = Binding::Image { image, level: 0, layer: None, format: None };
        resources.bind(Space::Image, 0, binding, 0, what);
    }
    let what = Binding::Texture { image: images[2], view: View::default(), sampler: None };
    resources.bind(Space::Texture, 0, 2, 0, what);
    Program::new(&shader, Config::default()).unwrap().compute(&mut resources, [1, 1, 1]).unwrap();
    let words = support::words(resources.images[images[1]].bytes(0));
    assert_eq!(words, [6, 6, 6, 6, 54, 54, 54, 54]);
}
