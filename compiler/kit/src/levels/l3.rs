//! L3: one case per family of functions of the `air.*` library and version of AIR, and one for each row of the table that no family shows.

mod rows;

use super::text::{COVER, floats, fragment, kernel};
use crate::metal::Family;
use crate::recipe::{Recipe, Resource, pattern};
use airfoil::air::select::FastMathMode;
use airfoil::interp::texture::{Compare, Filter, Format, Image, Mip, Sampler, Wrap};
use airfoil::ir::Dim;

/// Targets, and the version of AIR that they have.
pub const VERSIONS: [(&str, &str); 4] =
    [("macos13", "2.5"), ("macos14", "2.6"), ("macos15", "2.7"), ("macos26", "2.8")];

/// A family that a kernel shows: name, extensions, declarations, body, units in the last place, functions that must be called.
struct Family3 {
    name: &'static str,
    extensions: &'static str,
    declarations: &'static str,
    body: &'static str,
    ulp: u32,
    calls: &'static [&'static str],
    fast: bool,
    /// It takes simdgroups of 32 threads.
    simd: bool,
    /// First version, as an index into [`VERSIONS`].
    since: usize,
}

const KERNEL: Family3 = Family3 {
    name: "",
    extensions: "",
    declarations: "",
    body: "",
    ulp: 0,
    calls: &[],
    fast: false,
    simd: false,
    since: 0,
};

const TYPES: &str = "#extension GL_EXT_shader_explicit_arithmetic_types : require\n";

const KERNELS: &[Family3] = &[
    Family3 {
        name: "round",
        body: "float x = a[i]; o[i] = floatBitsToUint(floor(x) + ceil(x) * 8.0); o[i + 16u] = floatBitsToUint(trunc(x)); o[i + 32u] = floatBitsToUint(roundEven(x));",
        calls: &["air.floor.f32", "air.ceil.f32", "air.trunc.f32", "air.rint.f32"],
        ..KERNEL
    },
    Family3 {
        name: "sign",
        body: "float x = a[i]; o[i] = floatBitsToUint(abs(x)); o[i + 16u] = floatBitsToUint(sign(x));",
        calls: &["air.fabs.f32"],
        ..KERNEL
    },
    Family3 {
        name: "minmax",
        body: "float x = a[i], y = a[i + 16u]; o[i] = floatBitsToUint(min(x, y)); o[i + 16u] = floatBitsToUint(max(x, y)); o[i + 32u] = floatBitsToUint(clamp(x, -1.0, 2.0)); o[i + 48u] = floatBitsToUint(clamp(x, 0.0, 1.0));",
        calls: &["air.fmin.f32", "air.fmax.f32"],
        ..KERNEL
    },
    Family3 {
        name: "trigonometry",
        body: "float x = a[i]; o[i] = floatBitsToUint(sin(x)); o[i + 16u] = floatBitsToUint(cos(x)); o[i + 32u] = floatBitsToUint(tan(x));",
        ulp: 16,
        calls: &["air.sin.f32", "air.cos.f32", "air.tan.f32"],
        ..KERNEL
    },
    Family3 {
        name: "inverse-trigonometry",
        body: "float x = a[i] * 0.15; o[i] = floatBitsToUint(asin(x)); o[i + 16u] = floatBitsToUint(acos(x)); o[i + 32u] = floatBitsToUint(atan(x)); o[i + 48u] = floatBitsToUint(atan(x, a[i + 16u]));",
        ulp: 16,
        calls: &["air.asin.f32", "air.acos.f32", "air.atan.f32", "air.atan2.f32"],
        ..KERNEL
    },
    Family3 {
        name: "hyperbolic",
        body: "float x = a[i] * 0.15; o[i] = floatBitsToUint(sinh(x)); o[i + 16u] = floatBitsToUint(cosh(x)); o[i + 32u] = floatBitsToUint(tanh(x)); o[i + 48u] = floatBitsToUint(asinh(x)); o[i + 64u] = floatBitsToUint(acosh(abs(x) + 1.5)); o[i + 80u] = floatBitsToUint(atanh(x));",
        ulp: 16,
        calls: &["air.sinh.f32", "air.cosh.f32", "air.tanh.f32"],
        ..KERNEL
    },
    Family3 {
        name: "exponential",
        body: "float x = a[i]; o[i] = floatBitsToUint(exp(x)); o[i + 16u] = floatBitsToUint(exp2(x)); o[i + 32u] = floatBitsToUint(log(abs(x) + 1.5)); o[i + 48u] = floatBitsToUint(log2(abs(x) + 2.5));",
        ulp: 16,
        calls: &["air.exp.f32", "air.exp2.f32", "air.log.f32", "air.log2.f32"],
        ..KERNEL
    },
    Family3 {
        name: "power",
        body: "float x = abs(a[i]) + 0.25; o[i] = floatBitsToUint(pow(x, a[i + 16u] * 0.5)); o[i + 16u] = floatBitsToUint(sqrt(x)); o[i + 32u] = floatBitsToUint(inversesqrt(x));",
        ulp: 16,
        calls: &["air.pow", "air.sqrt.f32", "air.rsqrt.f32"],
        ..KERNEL
    },
    Family3 {
        name: "fused",
        body: "o[i] = floatBitsToUint(fma(a[i], a[i + 16u], a[i + 32u]));",
        calls: &["air.fma.f32"],
        ..KERNEL
    },
    Family3 {
        name: "exponent",
        body: "int e; float m = frexp(a[i], e); o[i] = floatBitsToUint(m); o[i + 16u] = uint(e); o[i + 32u] = floatBitsToUint(ldexp(a[i], int(i) - 5));",
        ..KERNEL
    },
    Family3 {
        name: "interpolate",
        body: "o[i] = floatBitsToUint(mix(a[i], a[i + 16u], 0.25)); o[i + 16u] = floatBitsToUint(step(a[i], 0.5)); o[i + 32u] = floatBitsToUint(smoothstep(-2.0, 3.0, a[i])); o[i + 48u] = floatBitsToUint(fract(a[i])); o[i + 64u] = floatBitsToUint(mod(a[i], 1.75));",
        ulp: 32,
        ..KERNEL
    },
    Family3 {
        name: "geometry",
        body: "vec3 x = vec3(a[i], a[i + 16u], a[i + 32u]), y = vec3(a[i + 48u], a[i], 1.5); o[i] = floatBitsToUint(dot(x, y)); o[i + 16u] = floatBitsToUint(length(x)); o[i + 32u] = floatBitsToUint(cross(x, y).y); o[i + 48u] = floatBitsToUint(normalize(x).z); o[i + 64u] = floatBitsToUint(reflect(x, vec3(0.0, 1.0, 0.0)).y);",
        ulp: 64,
        ..KERNEL
    },
    Family3 {
        name: "vectors",
        body: "vec4 x = vec4(a[i], a[i + 16u], a[i + 32u], a[i + 48u]); vec4 y = floor(x) + abs(x) + min(x, x.wzyx); for (uint k = 0u; k < 4u; k++) o[4u * i + k] = floatBitsToUint(y[k]);",
        calls: &["air.floor.v4f32", "air.fabs.v4f32"],
        ..KERNEL
    },
    Family3 {
        name: "fast-trigonometry",
        body: "float x = 0.3 + float(i) * 0.05; o[i] = floatBitsToUint(sin(x)); o[i + 16u] = floatBitsToUint(cos(x)); o[i + 32u] = floatBitsToUint(tan(x));",
        ulp: 16384,
        calls: &["air.fast_sin.f32", "air.fast_cos.f32", "air.fast_tan.f32"],
        fast: true,
        ..KERNEL
    },
    Family3 {
        name: "fast-exponential",
        body: "float x = abs(a[i]) + 1.5; o[i] = floatBitsToUint(exp(x)); o[i + 16u] = floatBitsToUint(exp2(x)); o[i + 32u] = floatBitsToUint(log2(x)); o[i + 48u] = floatBitsToUint(pow(x, 1.5)); o[i + 64u] = floatBitsToUint(inversesqrt(x));",
        ulp: 4096,
        calls: &["air.fast_exp2.f32", "air.fast_log2.f32", "air.fast_rsqrt.f32"],
        fast: true,
        ..KERNEL
    },
    Family3 {
        name: "half",
        extensions: TYPES,
        body: "float16_t x = float16_t(a[i]), y = float16_t(a[i + 16u]); o[i] = floatBitsToUint(float(x * y)); o[i + 16u] = floatBitsToUint(float(floor(x) + max(x, y))); o[i + 32u] = floatBitsToUint(float(sqrt(abs(x))));",
        ulp: 16384,
        calls: &["air.floor.f16", "air.fmax.f16"],
        ..KERNEL
    },
    Family3 {
        name: "integer",
        body: "int x = int(a[i] * 50.0), y = int(a[i + 16u] * 50.0); o[i] = uint(min(x, y)); o[i + 16u] = uint(max(x, y)); o[i + 32u] = uint(abs(x)); o[i + 48u] = uint(clamp(x, -20, 30)); o[i + 64u] = min(uint(x), uint(y)); o[i + 80u] = max(uint(x), uint(y));",
        calls: &["air.min.s.i32", "air.max.u.i32"],
        ..KERNEL
    },
    Family3 {
        name: "bits",
        body: "uint x = floatBitsToUint(a[i]); o[i] = uint(bitCount(x)); o[i + 16u] = uint(findLSB(x)); o[i + 32u] = uint(findMSB(x)); o[i + 48u] = bitfieldReverse(x); o[i + 64u] = bitfieldExtract(x, 5, 9); o[i + 80u] = bitfieldInsert(x, i, 7, 11); o[i + 96u] = uint(bitfieldExtract(int(x), 20, 12));",
        calls: &["air.popcount.i32", "air.clz.i32", "air.ctz.i32", "air.reverse_bits.i32"],
        ..KERNEL
    },
    Family3 {
        name: "wide-products",
        body: "uint x = floatBitsToUint(a[i]), y = floatBitsToUint(a[i + 16u]), hi, lo; umulExtended(x, y, hi, lo); o[i] = hi; o[i + 16u] = lo; int h, l; imulExtended(int(x), int(y), h, l); o[i + 32u] = uint(h); uint carry; o[i + 48u] = uaddCarry(x, y, carry); o[i + 64u] = carry;",
        calls: &["air.mul_hi.u.i32", "air.mul_hi.s.i32"],
        ..KERNEL
    },
    Family3 {
        name: "any-all",
        body: "bvec4 b = lessThan(vec4(a[i], a[i + 16u], a[i + 32u], a[i + 48u]), vec4(1.0)); o[i] = uint(any(b)); o[i + 16u] = uint(all(b)); o[i + 32u] = uint(any(not(b)));",
        ..KERNEL
    },
    Family3 {
        name: "convert",
        extensions: TYPES,
        body: "float x = a[i]; o[i] = uint(int(x)); o[i + 16u] = uint(abs(x)); o[i + 32u] = floatBitsToUint(float(int(i) - 8)); o[i + 48u] = floatBitsToUint(float(i * 1000003u)); o[i + 64u] = uint(int(int8_t(int(x)))); o[i + 80u] = uint(uint16_t(abs(x) * 1000.0)); o[i + 96u] = floatBitsToUint(float(float16_t(x)));",
        calls: &["air.convert.s.i32.f.f32", "air.convert.f.f32.s.i32"],
        ..KERNEL
    },
    Family3 {
        name: "pack",
        body: "vec4 x = vec4(a[i], a[i + 16u], a[i + 32u], a[i + 48u]) * 0.2; o[i] = packUnorm4x8(x); o[i + 16u] = packSnorm4x8(x); o[i + 32u] = packUnorm2x16(x.xy); o[i + 48u] = packSnorm2x16(x.zw); o[i + 64u] = packHalf2x16(vec2(float(i), 0.5));",
        calls: &["air.pack.unorm4x8", "air.pack.snorm2x16"],
        ..KERNEL
    },
    Family3 {
        name: "unpack",
        body: "uint x = i * 0x01234567u + 0x89abcdefu; vec4 v = unpackUnorm4x8(x) + unpackSnorm4x8(x); vec2 w = unpackUnorm2x16(x) + unpackSnorm2x16(x); o[i] = floatBitsToUint(v.x); o[i + 16u] = floatBitsToUint(v.w); o[i + 32u] = floatBitsToUint(w.y); o[i + 48u] = floatBitsToUint(unpackHalf2x16(0x3c004000u + i).x);",
        ulp: 8,
        calls: &["air.unpack.unorm4x8", "air.unpack.snorm2x16"],
        ..KERNEL
    },
    Family3 {
        name: "atomic-device",
        body: "atomicAdd(o[0], i); atomicMin(o[1], i - 1u); atomicMax(o[2], i * 3u); atomicAnd(o[3], ~(1u << i)); atomicOr(o[4], 1u << i); atomicXor(o[5], i * 5u); atomicExchange(o[16u + i], i + 9u); atomicCompSwap(o[32u + i], 0u, i + 1u);",
        calls: &[
            "air.atomic.global.add.u.i32",
            "air.atomic.global.cmpxchg.weak.i32",
            "air.atomic.global.xchg.i32",
        ],
        ..KERNEL
    },
    Family3 {
        name: "atomic-threadgroup",
        declarations: "shared uint s[8];",
        body: "if (i < 8u) s[i] = 0u; barrier(); atomicAdd(s[0], i); atomicMax(s[1], i * 3u); atomicOr(s[2], 1u << i); atomicXor(s[3], i * 5u); barrier(); if (i < 8u) o[i] = s[i];",
        calls: &["air.atomic.local.add.u.i32", "air.wg.barrier"],
        ..KERNEL
    },
    Family3 {
        name: "barrier",
        declarations: "shared float s[16];",
        body: "s[i] = a[i]; barrier(); for (uint n = 8u; n > 0u; n >>= 1) { if (i < n) s[i] += s[i + n]; barrier(); } o[i] = floatBitsToUint(s[0]);",
        ulp: 4,
        calls: &["air.wg.barrier"],
        ..KERNEL
    },
    Family3 {
        name: "simd-vote",
        extensions: "#extension GL_KHR_shader_subgroup_vote : require\n#extension GL_KHR_shader_subgroup_ballot : require\n",
        body: "o[i] = uint(subgroupAny(i == 3u)) + 2u * uint(subgroupAll(i < 16u)); o[i + 16u] = subgroupBallot((i & 1u) == 1u).x & 0xffffu;",
        calls: &["air.simd_any", "air.simd_all", "air.simd_ballot.i64"],
        simd: true,
        ..KERNEL
    },
    Family3 {
        name: "simd-shuffle",
        extensions: "#extension GL_KHR_shader_subgroup_shuffle : require\n#extension GL_KHR_shader_subgroup_shuffle_relative : require\n#extension GL_KHR_shader_subgroup_ballot : require\n",
        body: "o[i] = subgroupShuffle(i * 3u, 15u - i); o[i + 16u] = subgroupShuffleXor(i, 5u); o[i + 32u] = subgroupBroadcast(i + 7u, 2u); o[i + 48u] = subgroupBroadcastFirst(i + 9u); uint d = subgroupShuffleDown(i, 1u); if (i < 15u) o[i + 64u] = d;",
        calls: &["air.simd_shuffle.u.i32", "air.simd_shuffle_xor.u.i32", "air.simd_broadcast"],
        simd: true,
        ..KERNEL
    },
    Family3 {
        name: "simd-reduce",
        extensions: "#extension GL_KHR_shader_subgroup_arithmetic : require\n",
        body: "o[i] = subgroupAdd(i + 1u); o[i + 16u] = subgroupMax(i * 7u % 11u); o[i + 32u] = subgroupInclusiveAdd(i); o[i + 48u] = subgroupExclusiveAdd(i + 2u); o[i + 64u] = subgroupOr(1u << i); o[i + 80u] = uint(subgroupMin(int(i) - 3));",
        calls: &[
            "air.simd_sum.u.i32",
            "air.simd_max.u.i32",
            "air.simd_prefix_inclusive_sum.u.i32",
            "air.simd_prefix_exclusive_sum.u.i32",
        ],
        simd: true,
        ..KERNEL
    },
    Family3 {
        name: "quad",
        extensions: "#extension GL_KHR_shader_subgroup_quad : require\n",
        body: "o[i] = subgroupQuadBroadcast(i + 3u, 2u); o[i + 16u] = subgroupQuadSwapHorizontal(i); o[i + 32u] = subgroupQuadSwapVertical(i); o[i + 48u] = subgroupQuadSwapDiagonal(i);",
        calls: &["air.quad_"],
        simd: true,
        ..KERNEL
    },
];

fn with_data(recipe: Recipe) -> Recipe {
    recipe.words(0, &floats()).zeros(1, 1024)
}

fn linear() -> Sampler {
    Sampler {
        wrap: [Wrap::ClampToEdge; 3],
        mag: Filter::Linear,
        min: Filter::Linear,
        mip: Mip::Nearest,
        ..Sampler::default()
    }
}

fn nearest() -> Sampler {
    Sampler { wrap: [Wrap::Repeat; 3], ..Sampler::default() }
}

/// Families of texture functions, in kernels.
fn textures() -> Vec<Recipe> {
    let texture = |format, levels, sampler| {
        Resource::Texture(pattern(Dim::D2, format, [16, 16, 1], 1, levels), false, Some(sampler))
    };
    let kernel_of = |name: &str, declarations: &str, body: &str, calls: &[&str]| {
        with_data(Recipe::compute(3, name, name, &kernel("", declarations, body)))
            .with(|r| r.calls = calls.iter().map(|&c| c.to_owned()).collect())
    };
    let t = "layout(binding = 2) uniform sampler2D t;";
    let at = "vec2 at = vec2(float(i) / 16.0 + 0.03, 0.4);";
    let shadow = Sampler { compare: Some(Compare::Less), ..nearest() };
    vec![
        kernel_of("sample-level", t, &format!("{at} vec4 v = textureLod(t, at, float(i & 3u)); o[i] = floatBitsToUint(v.x); o[i + 16u] = floatBitsToUint(v.y);"), &["air.sample_texture_2d.v4f32"]).give(2, texture(Format::Rgba32f, 4, Sampler { mip: Mip::Nearest, ..nearest() })),
        kernel_of("sample-gradient", t, &format!("{at} o[i] = floatBitsToUint(textureGrad(t, at, vec2(0.125, 0.0), vec2(0.0, 0.125)).x);"), &["air.sample_texture_2d_grad.v4f32"]).give(2, texture(Format::Rgba32f, 4, Sampler { mip: Mip::Nearest, ..nearest() })),
        kernel_of("sample-offset", t, &format!("{at} o[i] = floatBitsToUint(textureLodOffset(t, at, 0.0, ivec2(2, -1)).x);"), &["air.sample_texture_2d.v4f32"]).give(2, texture(Format::Rgba32f, 1, nearest())),
        kernel_of("sample-linear", t, "o[i] = floatBitsToUint(textureLod(t, vec2((float(i) + 1.0) / 16.0, 0.5), 0.0).x);", &["air.sample_texture_2d.v4f32"]).give(2, texture(Format::Rgba32f, 1, linear())).ulp(1 << 14),
        kernel_of("sample-compare", "layout(binding = 2) uniform sampler2DShadow t;", &format!("{at} o[i] = floatBitsToUint(textureLod(t, vec3(at, 0.4), 0.0));"), &["air.sample_compare_depth_2d.f32"]).give(2, Resource::Texture(pattern(Dim::D2, Format::D32f, [16, 16, 1], 1, 1), false, Some(shadow.clone()))),
        kernel_of("gather", t, &format!("{at} vec4 v = textureGather(t, at, 1); o[i] = floatBitsToUint(v.x); o[i + 16u] = floatBitsToUint(v.w);"), &["air.gather_texture_2d.v4f32"]).give(2, texture(Format::Rgba32f, 1, nearest())),
        kernel_of("gather-compare", "layout(binding = 2) uniform sampler2DShadow t;", &format!("{at} vec4 v = textureGather(t, at, 0.4); o[i] = floatBitsToUint(v.x + 2.0 * v.y + 4.0 * v.z + 8.0 * v.w);"), &["air.gather_compare_depth_2d.f32"]).give(2, Resource::Texture(pattern(Dim::D2, Format::D32f, [16, 16, 1], 1, 1), false, Some(shadow))),
        kernel_of("texel-fetch", t, "vec4 v = texelFetch(t, ivec2(i & 7u, i >> 3), 1); o[i] = floatBitsToUint(v.x); o[i + 16u] = floatBitsToUint(v.z);", &["air.read_texture_2d.v4f32"]).give(2, texture(Format::Rgba32f, 2, nearest())),
        kernel_of("image-load-store", "layout(binding = 2, r32ui) uniform uimage2D t;", "ivec2 at = ivec2(i & 3u, i >> 2); uint v = imageLoad(t, at).x; imageStore(t, at, uvec4(v + 7u)); o[i] = v;", &["air.read_texture_2d.u.v4i32", "air.write_texture_2d.u.v4i32"]).give(2, Resource::Image(pattern(Dim::D2, Format::R32ui, [4, 4, 1], 1, 1), false)),
        kernel_of("texture-queries", t, "ivec2 s = textureSize(t, 1); o[i] = uint(s.x); o[i + 16u] = uint(s.y); o[i + 32u] = uint(textureQueryLevels(t));", &["air.get_width_texture_2d", "air.get_height_texture_2d", "air.get_num_mip_levels_texture_2d"]).give(2, texture(Format::Rgba32f, 3, nearest())),
    ]
}

/// Atomic operations on textures, which exist from AIR 2.6 on.
fn texture_atomics() -> Recipe {
    let text = kernel(
        "",
        "layout(binding = 2, r32ui) uniform uimage2D t;",
        "ivec2 at = ivec2(i & 3u, 0); imageAtomicAdd(t, at, i + 1u); imageAtomicMax(t, at + ivec2(0, 1), i); imageAtomicOr(t, at + ivec2(0, 2), 1u << i); o[i] = i;",
    );
    let recipe = with_data(Recipe::compute(3, "texture-atomics", "atomic operations on textures", &text))
        .with(|r| {
            r.calls = vec!["air.atomic_fetch_add_explicit_texture_2d.u.v4i32".to_owned()];
            r.family = Some(Family::APPLE6);
        });
    match Image::new(Dim::D2, Format::R32ui, [4, 4, 1], 1, 1, 1) {
        Ok(image) => recipe.give(2, Resource::Image(image, false)),
        Err(_) => recipe,
    }
}

/// Families of fragment functions: name, declarations, body, calls.
const FRAGMENTS: &[(&str, &str, &str, &[&str])] = &[
    (
        "derivatives",
        "",
        "c = vec4(dFdx(uv.x) * 8.0, dFdy(uv.y) * 8.0, fwidth(uv.x) * 8.0, 1.0);",
        &["air.dfdx.f32", "air.dfdy.f32"],
    ),
    ("discard", "", "if (uv.x + uv.y > 1.0) discard; c = vec4(uv, 0.5, 1.0);", &["air.discard_fragment"]),
    (
        "pull-interpolation",
        "",
        "c = vec4(interpolateAtOffset(uv, vec2(0.25, -0.25)), interpolateAtCentroid(uv));",
        &["air.interpolate_offset_perspective.v2f32"],
    ),
    (
        "implicit-level",
        "layout(binding = 2) uniform sampler2D t;",
        "c = texture(t, uv * 2.0);",
        &["air.sample_texture_2d.v4f32"],
    ),
    (
        "level-query",
        "layout(binding = 2) uniform sampler2D t;",
        "c = vec4(textureQueryLod(t, uv) * 0.25 + 0.25, 0.0, 1.0);",
        &["air.calculate_clamped_lod_texture_2d", "air.calculate_unclamped_lod_texture_2d"],
    ),
];

/// Adds the recipes.
pub fn add(list: &mut Vec<Recipe>) {
    for (n, (target, air)) in VERSIONS.into_iter().enumerate() {
        let for_version = |r: &mut Recipe| {
            r.target = target.to_owned();
            r.title = format!("{}, AIR {air}", r.name);
            r.name = format!("{}-air-{}", r.name, air.replace('.', "-"));
        };
        for family in KERNELS.iter().filter(|f| f.since <= n) {
            let text = kernel(family.extensions, family.declarations, family.body);
            let recipe = with_data(Recipe::compute(3, family.name, family.name, &text));
            let recipe = if family.ulp > 0 { recipe.ulp(family.ulp) } else { recipe };
            list.push(recipe.with(for_version).with(|r| {
                r.calls = family.calls.iter().map(|&c| c.to_owned()).collect();
                r.family = family.simd.then_some(Family::APPLE4);
                if family.fast {
                    r.fast_math = FastMathMode::Relaxed;
                }
            }));
        }
        list.extend(textures().into_iter().map(|r| r.with(for_version)));
        if n > 0 {
            list.push(texture_atomics().with(for_version));
        }
        for &(name, declarations, body, calls) in FRAGMENTS {
            let recipe = Recipe::draw(3, name, name, COVER, &fragment(declarations, body)).with(|r| {
                r.calls = calls.iter().map(|&c| c.to_owned()).collect();
                if name.contains("level") {
                    let image = pattern(Dim::D2, Format::Rgba8, [16, 16, 1], 1, 5);
                    let sampler = Sampler { mip: Mip::Nearest, ..nearest() };
                    *r = r.clone().give(2, Resource::Texture(image, false, Some(sampler)));
                }
            });
            list.push(recipe.with(for_version));
        }
    }
    list.extend(rows::all());
}
