//! Textures, samplers and images in kernels.

use super::with_data;
use crate::levels::text::kernel;
use crate::recipe::{Recipe, Resource, pattern};
use airfoil::air::select::{SamplerAddress, SamplerFilter, SamplerState};
use airfoil::interp::texture::{Compare, Filter, Format, Image, Mip, Sampler, Wrap};
use airfoil::ir::Dim;

/// Kinds of textures: name, GLSL type, its prefix, shape, size, layers, arrayed, coordinate of `textureLod`, format.
#[allow(clippy::type_complexity)]
const TEXTURES: &[(&str, &str, Dim, [u32; 3], u32, bool, &str)] = &[
    ("1d", "sampler1D", Dim::D1, [8, 1, 1], 1, false, "x"),
    ("1d-array", "sampler1DArray", Dim::D1, [8, 1, 1], 3, true, "vec2(x, float(i % 3u))"),
    ("2d", "sampler2D", Dim::D2, [8, 8, 1], 1, false, "vec2(x, 0.3)"),
    ("2d-array", "sampler2DArray", Dim::D2, [8, 8, 1], 3, true, "vec3(x, 0.3, float(i % 3u))"),
    ("3d", "sampler3D", Dim::D3, [8, 8, 4], 1, false, "vec3(x, 0.3, 0.6)"),
    ("cube", "samplerCube", Dim::Cube, [8, 8, 1], 6, false, "vec3(x - 0.5, 0.3, i < 8u ? 0.9 : -0.9)"),
    (
        "cube-array",
        "samplerCubeArray",
        Dim::Cube,
        [8, 8, 1],
        12,
        true,
        "vec4(x - 0.5, 0.3, 0.9, float(i & 1u))",
    ),
];

/// Adds the textures.
pub fn textures(list: &mut Vec<Recipe>) {
    for &(name, ty, dim, size, layers, arrayed, coordinate) in TEXTURES {
        for (prefix, kind, format, convert) in [
            ("", "float", Format::Rgba32f, "floatBitsToUint(v)"),
            ("i", "int", Format::Rgba32i, "uvec4(v)"),
            ("u", "uint", Format::Rgba32ui, "v"),
        ] {
            let vector = format!("{prefix}vec4");
            let text = kernel(
                "",
                &format!("layout(binding = 2) uniform {prefix}{ty} t;"),
                &format!(
                    "float x = float(i) / 16.0 + 0.03; {vector} v = textureLod(t, {coordinate}, 0.0); uvec4 w = {convert}; for (uint k = 0u; k < 4u; k++) o[4u * i + k] = w[k];"
                ),
            );
            list.push(with_data(
                Recipe::compute(
                    2,
                    &format!("texture-{name}-{kind}"),
                    &format!("a texture of the shape {name} with components of type {kind}"),
                    &text,
                )
                .give(
                    2,
                    Resource::Texture(
                        pattern(dim, format, size, layers, 1),
                        arrayed,
                        Some(Sampler::default()),
                    ),
                ),
            ));
        }
    }
    for (name, ty, dim, layers, arrayed, coordinate) in [
        ("2d", "sampler2DShadow", Dim::D2, 1, false, "vec3(x, 0.3, 0.4)"),
        ("2d-array", "sampler2DArrayShadow", Dim::D2, 3, true, "vec4(x, 0.3, float(i % 3u), 0.4)"),
        ("cube", "samplerCubeShadow", Dim::Cube, 6, false, "vec4(x - 0.5, 0.3, 0.9, 0.4)"),
    ] {
        let lookup = match name {
            "2d" => format!("textureLod(t, {coordinate}, 0.0)"),
            "2d-array" => format!("textureGrad(t, {coordinate}, vec2(0.0), vec2(0.0))"),
            _ => format!("textureGrad(t, {coordinate}, vec3(0.0), vec3(0.0))"),
        };
        let sampler =
            Sampler { compare: Some(Compare::Less), wrap: [Wrap::ClampToEdge; 3], ..Sampler::default() };
        let text = kernel(
            "",
            &format!("layout(binding = 2) uniform {ty} t;"),
            &format!("float x = float(i) / 16.0 + 0.03; o[i] = floatBitsToUint({lookup});"),
        );
        list.push(with_data(
            Recipe::compute(
                2,
                &format!("depth-{name}"),
                &format!("a depth texture of the shape {name}"),
                &text,
            )
            .give(
                2,
                Resource::Texture(pattern(dim, Format::D32f, [8, 8, 1], layers, 1), arrayed, Some(sampler)),
            ),
        ));
    }
    list.push(with_data(
        Recipe::compute(
            2,
            "texture-buffer",
            "a texture buffer",
            &kernel(
                "",
                "layout(binding = 2) uniform samplerBuffer t;",
                "o[i] = floatBitsToUint(texelFetch(t, int(i)).x) + uint(textureSize(t));",
            ),
        )
        .give(
            2,
            Resource::Texels(
                (0..64u32).flat_map(|n| (n as f32).to_le_bytes()).collect(),
                Format::R32f,
                false,
            ),
        ),
    ));
    list.push(with_data(
        Recipe::compute(
            2,
            "texture-buffer-written",
            "a texture buffer that is written",
            &kernel(
                "",
                "layout(binding = 2, r32ui) uniform writeonly uimageBuffer t;",
                "imageStore(t, int(i), uvec4(i + 40u)); o[i] = i;",
            ),
        )
        .give(2, Resource::Texels(vec![0; 256], Format::R32ui, true)),
    ));
    let separate = kernel(
        "",
        "layout(binding = 2) uniform texture2D t; layout(binding = 3) uniform sampler s; layout(binding = 4) uniform sampler r;",
        "vec2 at = vec2(float(i) / 4.0, 0.3); o[i] = floatBitsToUint(textureLod(sampler2D(t, s), at, 0.0).x); o[i + 16u] = floatBitsToUint(textureLod(sampler2D(t, r), at, 0.0).x);",
    );
    list.push(with_data(
        Recipe::compute(2, "samplers", "separate textures and samplers", &separate)
            .give(2, Resource::Texture(pattern(Dim::D2, Format::Rgba32f, [8, 8, 1], 1, 1), false, None))
            .give(3, Resource::Sampler(Sampler { wrap: [Wrap::MirroredRepeat; 3], ..Sampler::default() }))
            .give(4, Resource::Sampler(Sampler { wrap: [Wrap::ClampToEdge; 3], ..Sampler::default() })),
    ));
    list.push(with_data(
        Recipe::compute(
            2,
            "constant-sampler",
            "a sampler in the module",
            &kernel(
                "",
                "layout(binding = 2) uniform sampler2D t;",
                "o[i] = floatBitsToUint(textureLod(t, vec2(float(i) / 4.0 + 0.03, 0.3), 0.0).x);",
            ),
        )
        .give(
            2,
            Resource::Texture(
                pattern(Dim::D2, Format::Rgba32f, [8, 8, 1], 1, 1),
                false,
                Some(Sampler { wrap: [Wrap::Repeat; 3], ..Sampler::default() }),
            ),
        )
        .with(|r| {
            r.configure = Some(|o| {
                let state = SamplerState {
                    address: [SamplerAddress::Repeat; 3],
                    mag: SamplerFilter::Nearest,
                    min: SamplerFilter::Nearest,
                    ..SamplerState::default()
                };
                o.air.bindings.constant_samplers.insert((0, 2), state);
            })
        }),
    ));
    list.push(with_data(
        Recipe::compute(
            2,
            "mipmaps",
            "levels of detail, and a linear filter between them",
            &kernel(
                "",
                "layout(binding = 2) uniform sampler2D t;",
                "o[i] = floatBitsToUint(textureLod(t, vec2(0.3, 0.6), float(i) * 0.25).x);",
            ),
        )
        .give(
            2,
            Resource::Texture(
                pattern(Dim::D2, Format::Rgba32f, [16, 16, 1], 1, 5),
                false,
                Some(Sampler { mip: Mip::Nearest, min: Filter::Nearest, ..Sampler::default() }),
            ),
        ),
    ));
}

/// Storage images: name, GLSL type, qualifier, shape, size, layers, arrayed, coordinate, format, value.
#[allow(clippy::type_complexity)]
const IMAGES: &[(&str, &str, &str, Dim, [u32; 3], u32, bool, &str, Format, &str)] = &[
    ("1d", "image1D", "rgba32f", Dim::D1, [16, 1, 1], 1, false, "int(i)", Format::Rgba32f, "vec4(float(i))"),
    (
        "1d-array",
        "image1DArray",
        "rgba32f",
        Dim::D1,
        [8, 1, 1],
        2,
        true,
        "ivec2(i & 7u, i >> 3)",
        Format::Rgba32f,
        "vec4(float(i))",
    ),
    (
        "2d",
        "image2D",
        "rgba8",
        Dim::D2,
        [4, 4, 1],
        1,
        false,
        "ivec2(i & 3u, i >> 2)",
        Format::Rgba8,
        "vec4(float(i) / 255.0, 0.2, 0.4, 1.0)",
    ),
    (
        "2d-array",
        "image2DArray",
        "r32f",
        Dim::D2,
        [4, 2, 1],
        2,
        true,
        "ivec3(i & 3u, (i >> 2) & 1u, i >> 3)",
        Format::R32f,
        "vec4(float(i))",
    ),
    (
        "3d",
        "image3D",
        "rgba16f",
        Dim::D3,
        [4, 2, 2],
        1,
        false,
        "ivec3(i & 3u, (i >> 2) & 1u, i >> 3)",
        Format::Rgba16f,
        "vec4(float(i), 0.5, -1.0, 2.0)",
    ),
    (
        "2d-uint",
        "uimage2D",
        "r32ui",
        Dim::D2,
        [4, 4, 1],
        1,
        false,
        "ivec2(i & 3u, i >> 2)",
        Format::R32ui,
        "uvec4(i * 1000u)",
    ),
    (
        "2d-int",
        "iimage2D",
        "rgba32i",
        Dim::D2,
        [4, 4, 1],
        1,
        false,
        "ivec2(i & 3u, i >> 2)",
        Format::Rgba32i,
        "ivec4(-int(i))",
    ),
    (
        "2d-rg",
        "image2D",
        "rg32f",
        Dim::D2,
        [4, 4, 1],
        1,
        false,
        "ivec2(i & 3u, i >> 2)",
        Format::Rg32f,
        "vec4(float(i), 0.5, 0.0, 0.0)",
    ),
];

/// Adds the images.
pub fn images(list: &mut Vec<Recipe>) {
    for &(name, ty, qualifier, dim, size, layers, arrayed, at, format, value) in IMAGES {
        let Ok(image) = Image::new(dim, format, size, layers, 1, 1) else { continue };
        let text = kernel(
            "",
            &format!("layout(binding = 2, {qualifier}) uniform writeonly {ty} t;"),
            &format!("imageStore(t, {at}, {value}); o[i] = i;"),
        );
        list.push(with_data(
            Recipe::compute(
                2,
                &format!("image-write-{name}"),
                &format!("an image of the shape {name} that is written"),
                &text,
            )
            .give(2, Resource::Image(image, arrayed)),
        ));
    }
    list.push(with_data(
        Recipe::compute(2, "image-read-write", "an image that is read and written", &kernel("", "layout(binding = 2, r32f) uniform image2D t;", "ivec2 at = ivec2(i & 3u, i >> 2); vec4 v = imageLoad(t, at); imageStore(t, at, v * 2.0); o[i] = floatBitsToUint(v.x);"))
            .give(2, Resource::Image(pattern(Dim::D2, Format::R32f, [4, 4, 1], 1, 1), false)),
    ));
}
