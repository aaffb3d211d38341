//! Lookups with values worked out by hand.

use super::image::Viewed;
use super::sample::{Level, Request, gather, query_lod, sample};
use super::*;
use airfoil_ir::Dim;

/// A float image whose level `l` holds `f(l, layer, x, y, z)`.
fn image(dim: Dim, size: [u32; 3], layers: u32, levels: u32, f: impl Fn(u32, u32, [u32; 3]) -> f64) -> Image {
    let mut image = Image::new(dim, Format::R32f, size, layers, levels, 1).expect("fits");
    for level in 0..levels {
        let [w, h, d] = image.level_size(level);
        for layer in 0..layers {
            for (z, y, x) in (0..d).flat_map(|z| (0..h).flat_map(move |y| (0..w).map(move |x| (z, y, x)))) {
                image.set(
                    level,
                    layer,
                    [x, y, z],
                    0,
                    Color::Float([f(level, layer, [x, y, z]), 0.0, 0.0, 0.0]),
                );
            }
        }
    }
    image
}

fn at(dim: Dim, coord: [f64; 3]) -> Request {
    Request {
        dim,
        coord,
        layer: None,
        level: Level::Given(0.0),
        min_lod: None,
        offset: [0; 3],
        reference: None,
    }
}

fn red(image: &Image, s: &Sampler, q: &Request) -> f64 {
    match sample(&Viewed { image, view: &View::default() }, s, q) {
        Color::Float(f) => f[0],
        Color::Int(i) => i[0] as f64,
    }
}

fn linear() -> Sampler {
    Sampler { mag: Filter::Linear, min: Filter::Linear, mip: Mip::Linear, ..Sampler::default() }
}

#[test]
fn nearest_takes_the_texel_under_the_place() {
    let i = image(Dim::D2, [4, 2, 1], 1, 1, |_, _, [x, y, _]| f64::from(x + 10 * y));
    let s = Sampler::default();
    assert_eq!(red(&i, &s, &at(Dim::D2, [0.0, 0.0, 0.0])), 0.0);
    assert_eq!(red(&i, &s, &at(Dim::D2, [0.74, 0.5, 0.0])), 12.0);
    assert_eq!(red(&i, &s, &at(Dim::D2, [1.25, -0.25, 0.0])), 11.0);
    let moved = Request { offset: [1, 1, 0], ..at(Dim::D2, [0.74, 0.5, 0.0]) };
    assert_eq!(red(&i, &s, &moved), 3.0);
}

#[test]
fn linear_filters_mix_by_distance() {
    let line = image(Dim::D1, [4, 1, 1], 1, 1, |_, _, [x, ..]| f64::from(x * x));
    // Texel centres are at 0.125, 0.375, 0.625, 0.875; half way between 4 and 9 is 6.5.
    assert_eq!(red(&line, &linear(), &at(Dim::D1, [0.75, 0.0, 0.0])), 6.5);
    // Repeated: half way between the last and the first one.
    assert_eq!(red(&line, &linear(), &at(Dim::D1, [1.0, 0.0, 0.0])), 4.5);
    let edge = Sampler { wrap: [Wrap::ClampToEdge; 3], ..linear() };
    assert_eq!(red(&line, &edge, &at(Dim::D1, [1.0, 0.0, 0.0])), 9.0);
    let border = Sampler { wrap: [Wrap::ClampToBorder; 3], border: [5.0; 4], ..linear() };
    assert_eq!(red(&line, &border, &at(Dim::D1, [1.0, 0.0, 0.0])), 7.0);
    assert_eq!(red(&line, &border, &at(Dim::D1, [3.0, 0.0, 0.0])), 5.0);
    let legacy = Sampler { wrap: [Wrap::Clamp; 3], border: [5.0; 4], ..linear() };
    assert_eq!(red(&line, &legacy, &at(Dim::D1, [3.0, 0.0, 0.0])), 7.0);
    let block = image(Dim::D3, [2, 2, 2], 1, 1, |_, _, [x, y, z]| f64::from(x + 2 * y + 4 * z));
    assert_eq!(red(&block, &linear(), &at(Dim::D3, [0.5; 3])), 3.5);
    assert_eq!(red(&block, &linear(), &at(Dim::D3, [0.25, 0.25, 0.5])), 2.0);
}

#[test]
fn levels_come_of_derivatives() {
    let i = image(Dim::D2, [8, 8, 1], 1, 4, |l, _, _| f64::from(l));
    let grad = |n: f64| Request {
        level: Level::Gradient { dx: [n / 8.0, 0.0, 0.0], dy: [0.0, n / 16.0, 0.0], bias: 0.0 },
        ..at(Dim::D2, [0.5, 0.5, 0.0])
    };
    assert_eq!(red(&i, &linear(), &grad(1.0)), 0.0);
    assert_eq!(red(&i, &linear(), &grad(2.0)), 1.0);
    assert!((red(&i, &linear(), &grad(2f64.powf(1.25))) - 1.25).abs() < 1e-9);
    assert_eq!(red(&i, &linear(), &grad(1e9)), 3.0);
    let nearest = Sampler { mip: Mip::Nearest, ..Sampler::default() };
    assert_eq!(red(&i, &nearest, &grad(2f64.powf(1.5))), 1.0, "a half goes to the finer level");
    assert_eq!(red(&i, &nearest, &grad(2f64.powf(1.51))), 2.0);
    assert_eq!(red(&i, &Sampler { mip: Mip::None, ..linear() }, &grad(4.0)), 0.0);
    let biased = Sampler { lod_bias: 1.0, ..linear() };
    assert_eq!(red(&i, &biased, &grad(2.0)), 2.0);
    let clamped = Sampler { min_lod: 0.5, max_lod: 1.5, ..linear() };
    assert_eq!(red(&i, &clamped, &grad(8.0)), 1.5);
    assert_eq!(red(&i, &clamped, &grad(0.1)), 0.5);
    assert_eq!(red(&i, &linear(), &Request { min_lod: Some(2.0), ..grad(1.0) }), 2.0);
    let v = Viewed { image: &i, view: &View::default() };
    assert_eq!(query_lod(&v, &clamped, &grad(8.0)), [1.5, 3.0]);
    assert_eq!(query_lod(&v, &nearest, &grad(3.0)), [2.0, 3f64.log2()]);
    let view = View { base_level: 2, ..View::default() };
    let v = Viewed { image: &i, view: &view };
    let q = Request { level: Level::Given(9.0), ..at(Dim::D2, [0.5; 3]) };
    assert_eq!(sample(&v, &linear(), &q), Color::Float([3.0, 0.0, 0.0, 1.0]));
}

#[test]
fn stretched_footprints_are_sampled_along_their_length() {
    let i = image(Dim::D2, [8, 8, 1], 1, 4, |l, _, _| f64::from(l));
    let q = Request {
        level: Level::Gradient { dx: [0.5, 0.0, 0.0], dy: [0.0, 0.125, 0.0], bias: 0.0 },
        ..at(Dim::D2, [0.5, 0.5, 0.0])
    };
    assert_eq!(red(&i, &linear(), &q), 2.0);
    assert_eq!(red(&i, &Sampler { max_anisotropy: 2.0, ..linear() }, &q), 1.0);
    assert_eq!(red(&i, &Sampler { max_anisotropy: 16.0, ..linear() }, &q), 0.0);
}

#[test]
fn depths_are_compared_before_they_are_mixed() {
    let i = image(Dim::D2, [2, 2, 1], 1, 1, |_, _, [x, y, _]| 0.25 * f64::from(x + 2 * y));
    let s = Sampler { compare: Some(Compare::LessEqual), ..linear() };
    let q = |r| Request { reference: Some(r), ..at(Dim::D2, [0.5, 0.5, 0.0]) };
    // Depths 0, 0.25, 0.5, 0.75.
    assert_eq!(red(&i, &s, &q(0.25)), 0.75);
    assert_eq!(red(&i, &s, &q(0.6)), 0.25);
    assert_eq!(red(&i, &Sampler { compare: Some(Compare::Never), ..linear() }, &q(0.0)), 0.0);
    let v = Viewed { image: &i, view: &View::default() };
    assert_eq!(gather(&v, &s, &q(0.5), 0, None), Color::Float([1.0, 1.0, 0.0, 0.0]));
    let d16 = Image::new(Dim::D2, Format::D16, [1, 1, 1], 1, 1, 1).map(|mut i| {
        i.fill(0, Color::Float([1.0; 4]));
        i
    });
    let s = Sampler { compare: Some(Compare::Equal), ..Sampler::default() };
    assert_eq!(red(&d16.expect("fits"), &s, &q(7.0)), 1.0, "references are clamped");
}

#[test]
fn gathers_go_round_from_the_lower_left() {
    let i = image(Dim::D2, [4, 4, 1], 1, 1, |_, _, [x, y, _]| f64::from(x + 10 * y));
    let v = Viewed { image: &i, view: &View::default() };
    let s = Sampler::default();
    let q = at(Dim::D2, [0.5, 0.5, 0.0]);
    assert_eq!(gather(&v, &s, &q, 0, None), Color::Float([21.0, 22.0, 12.0, 11.0]));
    assert_eq!(gather(&v, &s, &q, 3, None), Color::Float([1.0; 4]));
    let moved = Request { offset: [1, 0, 0], ..q };
    assert_eq!(gather(&v, &s, &moved, 0, None), Color::Float([22.0, 23.0, 13.0, 12.0]));
    let four = Some([[0, 0], [1, 0], [0, 1], [-1, -1]]);
    assert_eq!(gather(&v, &s, &q, 0, four), Color::Float([11.0, 12.0, 21.0, 0.0]));
}

#[test]
fn layers_are_rounded_and_clamped() {
    let i = image(Dim::D2, [1, 1, 1], 4, 1, |_, layer, _| f64::from(layer));
    let layer = |l| red(&i, &Sampler::default(), &Request { layer: Some(l), ..at(Dim::D2, [0.5; 3]) });
    assert_eq!([-3.0, 0.4, 1.5, 2.5, 2.6, 99.0].map(layer), [0.0, 0.0, 2.0, 2.0, 3.0, 3.0]);
}

#[test]
fn rectangles_and_unnormalised_samplers_count_texels() {
    let i = image(Dim::Rect, [4, 1, 1], 1, 1, |_, _, [x, ..]| f64::from(x));
    let s = Sampler { wrap: [Wrap::ClampToEdge; 3], ..linear() };
    assert_eq!(red(&i, &s, &at(Dim::Rect, [2.0, 0.5, 0.0])), 1.5);
    let flat = image(Dim::D2, [4, 1, 1], 1, 1, |_, _, [x, ..]| f64::from(x));
    let s = Sampler { unnormalized: true, wrap: [Wrap::ClampToEdge; 3], ..Sampler::default() };
    assert_eq!(red(&flat, &s, &at(Dim::D2, [3.9, 0.0, 0.0])), 3.0);
}

#[test]
fn cubes_have_faces_seams_and_layers() {
    let i = image(Dim::Cube, [2, 2, 1], 12, 1, |_, layer, [x, y, _]| f64::from(layer * 100 + x + 10 * y));
    let s = Sampler::default();
    // +x: s follows -z, t follows -y.
    assert_eq!(red(&i, &s, &at(Dim::Cube, [1.0, -0.5, -0.5])), 11.0);
    assert_eq!(red(&i, &s, &Request { layer: Some(1.0), ..at(Dim::Cube, [0.0, 0.0, -3.0]) }), 1111.0);
    // On the edge of +x (0) and +z (400): half of each, row 0.5 of both: columns 0 and 1.
    let edge = red(&i, &linear(), &at(Dim::Cube, [1.0, 0.0, 1.0]));
    assert_eq!(edge, (0.0 + 10.0 + 401.0 + 411.0) / 4.0);
    let seams = Sampler { seamless: false, ..linear() };
    assert_eq!(red(&i, &seams, &at(Dim::Cube, [1.0, 0.0, 1.0])), 406.0);
    // At the corner: the texels of +x, +y and +z, and their mean for the missing one.
    let corner = red(&i, &linear(), &at(Dim::Cube, [1.0, 1.0, 1.0]));
    assert!((corner - (0.0 + 211.0 + 401.0) / 3.0).abs() < 1e-9);
}

#[test]
fn integers_have_no_filter() {
    let mut i = Image::new(Dim::D1, Format::R8i, [2, 1, 1], 1, 1, 1).expect("fits");
    i.set(0, 0, [1, 0, 0], 0, Color::Int([-7, 0, 0, 0]));
    let s = Sampler { wrap: [Wrap::ClampToBorder; 3], border_int: [9, 8, 7, 6], ..linear() };
    let v = Viewed { image: &i, view: &View::default() };
    assert_eq!(sample(&v, &s, &at(Dim::D1, [0.6, 0.0, 0.0])), Color::Int([-7, 0, 0, 1]));
    assert_eq!(sample(&v, &s, &at(Dim::D1, [1.1, 0.0, 0.0])), Color::Int([9, 8, 7, 6]));
    use Channel::{Alpha, Green, One, Red};
    let view = View { swizzle: [One, Red, Alpha, Green], ..View::default() };
    let v = Viewed { image: &i, view: &view };
    assert_eq!(sample(&v, &s, &at(Dim::D1, [0.6, 0.0, 0.0])), Color::Int([1, -7, 1, 0]));
}

#[test]
fn impossible_images_are_refused() {
    let new = |dim, size, layers, levels| Image::new(dim, Format::R8, size, layers, levels, 1);
    assert!(new(Dim::D1, [4, 2, 1], 1, 1).is_err());
    assert!(new(Dim::Cube, [4, 4, 1], 5, 1).is_err());
    assert!(new(Dim::D2, [4, 4, 1], 1, 4).is_err());
    assert!(new(Dim::D2, [4, 4, 1], 1, 3).is_ok());
    assert!(new(Dim::D3, [u32::MAX; 3], 1, 1).is_err());
}
