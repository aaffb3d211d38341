//! L6: the demo programs of `examples/shaders` and 50 shaders in the folder `shaders` of this crate, for the newest AIR. L7: the same for older targets, which
//! Metal upgrades when it loads them.

use super::text::{COVER, floats};
use crate::recipe::{Recipe, Resource, Source, VertexData, Work, pattern};
use airfoil::Stage;
use airfoil::air::select::FastMathMode;
use airfoil::interp::pipeline::Topology;
use airfoil::interp::texture::{Filter, Format, Mip, Sampler, Wrap};
use airfoil::ir::Dim;

/// Kernels: 64 floats at binding 0, 256 words at binding 1.
const KERNELS: &[(&str, &str)] = &[
    ("bitonic_sort", include_str!("../../shaders/bitonic_sort.comp")),
    ("bodies", include_str!("../../shaders/bodies.comp")),
    ("collatz", include_str!("../../shaders/collatz.comp")),
    ("color_spaces", include_str!("../../shaders/color_spaces.comp")),
    ("convolution", include_str!("../../shaders/convolution.comp")),
    ("cosine_transform", include_str!("../../shaders/cosine_transform.comp")),
    ("crc", include_str!("../../shaders/crc.comp")),
    ("culling", include_str!("../../shaders/culling.comp")),
    ("fourier", include_str!("../../shaders/fourier.comp")),
    ("hash_fnv", include_str!("../../shaders/hash_fnv.comp")),
    ("histogram", include_str!("../../shaders/histogram.comp")),
    ("knapsack", include_str!("../../shaders/knapsack.comp")),
    ("life", include_str!("../../shaders/life.comp")),
    ("mandelbrot_counts", include_str!("../../shaders/mandelbrot_counts.comp")),
    ("matrix_product", include_str!("../../shaders/matrix_product.comp")),
    ("morton", include_str!("../../shaders/morton.comp")),
    ("particles", include_str!("../../shaders/particles.comp")),
    ("prefix_sum", include_str!("../../shaders/prefix_sum.comp")),
    ("primes", include_str!("../../shaders/primes.comp")),
    ("quaternions", include_str!("../../shaders/quaternions.comp")),
    ("random_pcg", include_str!("../../shaders/random_pcg.comp")),
    ("reduction", include_str!("../../shaders/reduction.comp")),
    ("skinning", include_str!("../../shaders/skinning.comp")),
    ("state_machine", include_str!("../../shaders/state_machine.comp")),
    ("transposition", include_str!("../../shaders/transposition.comp")),
];

/// Fragment shaders: `uv`, a uniform block of four vectors at binding 0, a texture at binding 1.
const FRAGMENTS: &[(&str, &str)] = &[
    ("bits", include_str!("../../shaders/bits.frag")),
    ("blinn", include_str!("../../shaders/blinn.frag")),
    ("box_blur", include_str!("../../shaders/box_blur.frag")),
    ("checker", include_str!("../../shaders/checker.frag")),
    ("circle_distance", include_str!("../../shaders/circle_distance.frag")),
    ("cut", include_str!("../../shaders/cut.frag")),
    ("derivatives", include_str!("../../shaders/derivatives.frag")),
    ("fog", include_str!("../../shaders/fog.frag")),
    ("gradient", include_str!("../../shaders/gradient.frag")),
    ("julia", include_str!("../../shaders/julia.frag")),
    ("levels", include_str!("../../shaders/levels.frag")),
    ("mandelbrot", include_str!("../../shaders/mandelbrot.frag")),
    ("marched_sphere", include_str!("../../shaders/marched_sphere.frag")),
    ("metal_rough", include_str!("../../shaders/metal_rough.frag")),
    ("octaves", include_str!("../../shaders/octaves.frag")),
    ("phong", include_str!("../../shaders/phong.frag")),
    ("plasma", include_str!("../../shaders/plasma.frag")),
    ("select", include_str!("../../shaders/select.frag")),
    ("sepia", include_str!("../../shaders/sepia.frag")),
    ("sobel", include_str!("../../shaders/sobel.frag")),
    ("struct_arrays", include_str!("../../shaders/struct_arrays.frag")),
    ("tone_mapping", include_str!("../../shaders/tone_mapping.frag")),
    ("unsharp", include_str!("../../shaders/unsharp.frag")),
    ("value_noise", include_str!("../../shaders/value_noise.frag")),
    ("vignette", include_str!("../../shaders/vignette.frag")),
];

/// Targets of L7.
const OLDER: [(&str, &str); 3] = [("macos13", "13"), ("macos14", "14"), ("macos15", "15")];

/// The subject of a shader: its first comment.
fn title(text: &str) -> &str {
    text.lines().find_map(|l| l.strip_prefix("// ")).map_or("", |l| l.trim_end_matches('.'))
}

/// Four vectors of colours.
fn params() -> Vec<f32> {
    vec![0.3, 0.5, 0.8, 1.0, 0.9, 0.6, 0.2, 1.0, 0.2, 0.8, 0.4, 1.0, -0.4, 0.3, 0.7, 1.0]
}

fn clamped() -> Sampler {
    Sampler {
        wrap: [Wrap::ClampToEdge; 3],
        mag: Filter::Linear,
        min: Filter::Linear,
        mip: Mip::None,
        ..Sampler::default()
    }
}

fn image() -> Resource {
    Resource::Texture(pattern(Dim::D2, Format::Rgba8, [16, 16, 1], 1, 1), false, Some(clamped()))
}

fn corpus(list: &mut Vec<Recipe>) {
    for &(name, text) in KERNELS {
        list.push(Recipe::compute(6, name, title(text), text).words(0, &floats()).zeros(1, 1024).ulp(256));
    }
    for &(name, text) in FRAGMENTS {
        let mut recipe = Recipe::draw(6, &format!("{name}-image"), title(text), COVER, text)
            .with_draw(|d| d.size = [32, 32])
            .with(|r| r.fast_math = FastMathMode::Relaxed);
        if text.contains("binding = 0") {
            recipe = recipe.uniform(0, &params());
        }
        if text.contains("binding = 1") {
            recipe = recipe.give(1, image());
        }
        list.push(recipe);
    }
}

fn attribute(location: u32, components: u32, values: &[f32]) -> VertexData {
    let words = values.iter().map(|v| v.to_bits()).collect();
    VertexData { location, kind: 'f', components, words, per_instance: false, packed: None }
}

fn identity() -> Vec<f32> {
    (0..16).map(|n| if n % 5 == 0 { 1.0 } else { 0.0 }).collect()
}

/// The demo programs.
fn demos(list: &mut Vec<Recipe>) {
    let blur = include_str!("../../shaders/blur.comp");
    list.push(
        Recipe::compute(6, "demo-blur", "the demo blur.comp: a mean by way of workgroup memory", blur)
            .words(0, &floats())
            .zeros(1, 256)
            .ulp(16)
            .with(|r| r.push = 64u32.to_le_bytes().to_vec()),
    );
    let lit = Source::Glsl(vec![
        (Stage::Vertex, include_str!("../../shaders/lit.vert").to_owned()),
        (Stage::Fragment, include_str!("../../shaders/lit.frag").to_owned()),
    ]);
    let camera: Vec<f32> = [identity(), identity()].concat();
    let mut lights = vec![0.0, 0.0, -1.0, 0.0, 0.7, 0.6, 0.5, 1.0];
    for n in 0..8 {
        lights.extend([0.6, -0.8, n as f32 * -0.1, 0.0, 0.1, 0.2, 0.3, 1.0]);
    }
    let mut lights: Vec<u8> = lights.iter().flat_map(|f: &f32| f.to_le_bytes()).collect();
    lights.extend(3i32.to_le_bytes());
    lights.extend(0.5f32.to_le_bytes());
    lights.extend([0; 8]);
    list.push(
        Recipe::new(
            6,
            "demo-lit",
            "the demo lit.vert and lit.frag: a textured surface with lamps",
            lit,
            Work::Draw(Box::default()),
        )
        .uniform(0, &camera)
        .give(1, Resource::Uniform(lights))
        .with(|r| {
            r.given.push(crate::recipe::Given { set: 1, binding: 0, element: 0, resource: image() });
            r.fast_math = FastMathMode::Relaxed;
        })
        .with_draw(|d| {
            d.size = [32, 32];
            (d.vertices, d.topology) = (4, Topology::TriangleStrip);
            d.attributes = vec![
                attribute(0, 3, &[-1.0, -1.0, 0.5, 1.0, -1.0, 0.5, -1.0, 1.0, 0.5, 1.0, 1.0, 0.5]),
                attribute(1, 3, &[0.2, 0.1, 1.0, 0.4, 0.0, 1.0, 0.0, 0.3, 1.0, -0.2, -0.1, 1.0]),
                attribute(2, 2, &[0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 1.0, 1.0]),
            ];
        }),
    );
    let fade_vertex = r#"foil 1
shader vertex "vertex_main" {
  form variables
  in vec4 position location=0
  in vec2 at location=1
  out vec4 pos location=position
  out vec2 uv location=0
  entry fn main {
    %p = deref_var &position
    32x4 %v = load_deref %p
    %a = deref_var &at
    32x2 %w = load_deref %a
    %o = deref_var &pos
    store_deref %o, %v
    %u = deref_var &uv
    store_deref %u, %w
  }
}
"#;
    list.push(
        Recipe::new(
            6,
            "demo-fade",
            "the demo fade.foil: a tint that fades",
            Source::Foil(vec![fade_vertex.to_owned(), include_str!("../../shaders/fade.foil").to_owned()]),
            Work::Draw(Box::default()),
        )
        .uniform(0, &[0.25, 0.5, 1.0, 1.0, 0.25, 0.0, 0.0, 0.0])
        .with_draw(|d| {
            d.attributes = vec![
                attribute(0, 4, &[-1.0, -1.0, 0.5, 1.0, 3.0, -1.0, 0.5, 1.0, -1.0, 3.0, 0.5, 1.0]),
                attribute(1, 2, &[0.0, 0.0, 2.0, 0.0, 0.0, 2.0]),
            ];
        }),
    );
    let sea = Source::OpenGl(vec![
        (Stage::Vertex, include_str!("../../shaders/sea.vert").to_owned()),
        (Stage::Fragment, include_str!("../../shaders/sea.frag").to_owned()),
    ]);
    let bits = |values: &[f32]| values.iter().map(|v| u64::from(v.to_bits())).collect::<Vec<u64>>();
    let mut waves = Vec::new();
    for n in 0..4 {
        waves.extend([0.8 - 0.3 * n as f32, 0.6, 1.0 + n as f32, 0.05]);
    }
    // The noise of its ripples is a hash of a sine, which no two devices compute alike: they have no height here.
    list.push(
        Recipe::new(
            6,
            "demo-sea",
            "the demo sea.vert and sea.frag: rolling water under a sky",
            sea,
            Work::Draw(Box::default()),
        )
        .with(|r| {
            r.fast_math = FastMathMode::Relaxed;
            r.uniforms = vec![
                (
                    "view_projection".to_owned(),
                    bits(&[1.0, 0.0, 0.0, 0.0, 0.0, 0.25, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.5, 1.0]),
                ),
                ("time".to_owned(), bits(&[1.25])),
                ("waves".to_owned(), bits(&waves)),
                ("eye".to_owned(), bits(&[0.0, 2.0, -3.0])),
                ("water.deep".to_owned(), bits(&[0.0, 0.1, 0.3])),
                ("water.shallow".to_owned(), bits(&[0.1, 0.5, 0.6])),
                ("water.ripple".to_owned(), bits(&[0.0])),
                ("water.crest".to_owned(), bits(&[8.0])),
            ];
        })
        .give(
            0,
            Resource::Texture(pattern(Dim::Cube, Format::Rgba8, [1, 1, 1], 6, 1), false, Some(clamped())),
        )
        .give(1, image())
        .with_draw(|d| {
            d.size = [32, 32];
            (d.vertices, d.topology) = (4, Topology::TriangleStrip);
            d.attributes = vec![attribute(0, 2, &[-1.0, -1.0, 1.0, -1.0, -1.0, 1.0, 1.0, 1.0])];
        }),
    );
}

/// Adds the recipes of L6 and L7.
pub fn add(list: &mut Vec<Recipe>) {
    let mut programs = Vec::new();
    demos(&mut programs);
    corpus(&mut programs);
    for recipe in &programs {
        list.push(recipe.clone().with(|r| r.target = "macos26".to_owned()));
    }
    for recipe in &programs {
        for (target, version) in OLDER {
            list.push(recipe.clone().with(|r| {
                r.level = 7;
                r.target = target.to_owned();
                r.name = format!("{}-macos{version}", r.name);
                r.title = format!("{}, for macOS {version}", r.title);
            }));
        }
    }
}
