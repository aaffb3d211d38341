//! External images: planes that are bound as textures, compared with the formulas of the ITU's recommendations.

use crate::scene::{SIZE, Scene};
use airfoil::interp::texture::{Color, Filter, Format, Image, Sampler, View, Wrap};
use airfoil::interp::{Binding, Space};
use airfoil::ir::Dim;
use airfoil_gl::{Budget, ColorSpace, ExternalImage, Range, Stage, StateKey, StateMask};

const VERTEX: &str = "#version 300 es\nin vec4 p; void main() { gl_Position = vec4(p.xy, 0.5, 1.0); }";

fn fragment(text: &str) -> String {
    format!(
        "#version 300 es\n#extension GL_OES_EGL_image_external_essl3 : require\nprecision highp float; out vec4 c; {text}"
    )
}

/// The luminance of a texel of a plane of 8 x 8.
fn luma(x: u32, y: u32) -> u32 {
    (x * 31 + y * 17) % 220 + 16
}

/// The chroma of a texel of planes of 4 x 4.
fn chroma(x: u32, y: u32) -> [u32; 2] {
    [(x * 60 + y * 7) % 225 + 16, (x * 13 + y * 50) % 225 + 16]
}

/// The color of values by the definition of Y', Cb and Cr, solved for R, G and B.
fn rgb(space: ColorSpace, range: Range, [y, u, v]: [u32; 3]) -> [f64; 4] {
    let [y, u, v] = [y, u, v].map(f64::from);
    let (y, u, v) = match range {
        Range::Narrow => ((y - 16.0) / 219.0, (u - 128.0) / 224.0, (v - 128.0) / 224.0),
        Range::Full => (y / 255.0, (u - 128.0) / 255.0, (v - 128.0) / 255.0),
    };
    let (kr, kb) = match space {
        ColorSpace::Bt601 => (0.299, 0.114),
        ColorSpace::Bt709 => (0.2126, 0.0722),
        ColorSpace::Bt2020 => (0.2627, 0.0593),
    };
    let (r, b) = (y + v * 2.0 * (1.0 - kr), y + u * 2.0 * (1.0 - kb));
    [r, (y - kr * r - kb * b) / (1.0 - kr - kb), b, 1.0]
}

fn plane(
    scene: &mut Scene,
    (set, binding): (u32, u32),
    index: u32,
    size: u32,
    texel: impl Fn(u32, u32) -> [u32; 2],
) {
    let mut image = Image::new(Dim::D2, Format::Rg8, [size, size, 1], 1, 1, 1).unwrap();
    for (x, y) in (0..size * size).map(|n| (n % size, n / size)) {
        let [r, g] = texel(x, y).map(|value| f64::from(value) / 255.0);
        image.set(0, 0, [x, y, 0], 0, Color::Float([r, g, 0.0, 1.0]));
    }
    let image = scene.resources.add_image(image);
    let (wrap, filter) = ([Wrap::ClampToEdge; 3], Filter::Nearest);
    let sampler = Sampler { wrap, mag: filter, min: filter, ..Sampler::default() };
    // The planes of chroma use the sampler of the texture.
    let sampler = (set == 0).then(|| scene.resources.add_sampler(sampler));
    let what = Binding::Texture { image, view: View::default(), sampler };
    scene.resources.bind(Space::Texture, set, binding, index, what);
}

/// Binds the planes of an element of a texture: luminance, then the bindings of two and of three planes.
fn planes(scene: &mut Scene, binding: u32, index: u32, three: bool) {
    plane(scene, (0, binding), index, SIZE, |x, y| [luma(x, y), 0]);
    let [u, v] = [1, 2].map(|n| ExternalImage::plane(binding, n));
    if three {
        plane(scene, u, index, SIZE / 2, |x, y| [chroma(x, y)[0], 0]);
        plane(scene, v, index, SIZE / 2, |x, y| [chroma(x, y)[1], 0]);
    } else {
        plane(scene, u, index, SIZE / 2, chroma);
    }
}

/// Binds the block with the conversion of one texture.
fn conversion(scene: &mut Scene, binding: u32, image: ExternalImage) {
    let mut words = vec![0; ExternalImage::BYTES / 4];
    let ExternalImage { matrix, chroma_offset, reserved } = image;
    let floats = matrix.concat().into_iter().chain(chroma_offset).chain(reserved);
    for (word, float) in words[16 * binding as usize..].iter_mut().zip(floats) {
        *word = float.to_bits();
    }
    let _ = scene.driver(Space::Uniform, ExternalImage::BINDING, &words);
}

fn binding(scene: &Scene, name: &str) -> u32 {
    let arguments = &scene.program.arguments(Stage::Fragment).unwrap().arguments;
    arguments
        .iter()
        .find(|a| a.name == name)
        .and_then(|a| a.binding)
        .unwrap_or_else(|| panic!("{arguments:#?}"))
}

fn key(binding: u32, three: bool) -> StateKey {
    let bit = 1 << binding;
    StateKey { external_planes: if three { [0, bit] } else { [bit, 0] }, ..StateKey::default() }
}

/// Draws with the planes, which every pixel reads at its own texel, moved by a number of texels of chroma.
fn expect_planes(scene: &mut Scene, name: &str, moved: u32) {
    let binding = binding(scene, name);
    for three in [false, true] {
        for index in 0..2 {
            planes(scene, binding, index, three);
        }
        let key = key(binding, three);
        for space in [ColorSpace::Bt601, ColorSpace::Bt709, ColorSpace::Bt2020] {
            for range in [Range::Narrow, Range::Full] {
                let chroma_offset = [moved as f32 * 0.25, 0.0];
                conversion(
                    scene,
                    binding,
                    ExternalImage { chroma_offset, ..ExternalImage::new(space, range) },
                );
                let image = scene.draw(&key);
                for (x, y) in (0..SIZE * SIZE).map(|n| (n % SIZE, n / SIZE)) {
                    let [u, v] = chroma((x / 2 + moved).min(SIZE / 2 - 1), y / 2);
                    let want = rgb(space, range, [luma(x, y), u, v]);
                    let found = image.floats(0, x, y, 0).unwrap();
                    let is_close = found.iter().zip(want).all(|(&a, b)| (f64::from(a) - b).abs() < 1e-6);
                    assert!(
                        is_close,
                        "{space:?} {range:?} {three} at ({x}, {y}): {found:?}, expected {want:?}"
                    );
                }
            }
        }
    }
}

#[test]
fn external_images_are_read_by_planes() {
    let lookups = [
        "texture(video, gl_FragCoord.xy / 8.0)",
        "textureProj(video, vec3(gl_FragCoord.xy / 4.0, 2.0))",
        "texelFetch(video, ivec2(gl_FragCoord.xy), 0)",
        "texture(video, gl_FragCoord.xy / vec2(textureSize(video, 0)))",
    ];
    for (n, lookup) in lookups.iter().enumerate() {
        let text = format!("uniform samplerExternalOES video; void main() {{ c = {lookup}; }}");
        let mut scene = Scene::new(VERTEX, &fragment(&text));
        expect_planes(&mut scene, "video", 0);
        // The location of chroma is that of the driver, but fetches have none.
        if n != 2 {
            expect_planes(&mut scene, "video", 1);
        }
    }
    let old = "#version 100
        #extension GL_OES_EGL_image_external : require
        precision highp float; uniform samplerExternalOES video;
        void main() { gl_FragColor = texture2D(video, gl_FragCoord.xy / 8.0); }";
    let vertex = "#version 100\nattribute vec4 p; void main() { gl_Position = vec4(p.xy, 0.5, 1.0); }";
    expect_planes(&mut Scene::new(vertex, old), "video", 0);
}

#[test]
fn external_images_in_arrays_share_a_bit() {
    let text = "uniform samplerExternalOES video[2];
        void main() { c = gl_FragCoord.x < 4.0 ? texture(video[0], gl_FragCoord.xy / 8.0) : texture(video[1], gl_FragCoord.xy / 8.0); }";
    expect_planes(&mut Scene::new(VERTEX, &fragment(text)), "video", 0);
}

#[test]
fn planes_have_indices_of_their_own() {
    let text = "uniform samplerExternalOES video; uniform sampler2D plain;
        void main() { c = texture(video, vec2(0.5)) + texture(plain, vec2(0.5)); }";
    let scene = Scene::new(VERTEX, &fragment(text));
    assert!(scene.program.depends_on().contains(StateMask::EXTERNAL_PLANES));
    let (video, plain) = (binding(&scene, "video"), binding(&scene, "plain"));
    let default = scene.program.arguments(Stage::Fragment).unwrap();
    for (three, planes) in [(false, vec![1]), (true, vec![1, 2])] {
        let function =
            scene.program.variant(Stage::Fragment, &key(video, three), &Budget::default()).unwrap();
        let arguments = &function.reflection.arguments;
        // The resources of the program keep their indices.
        for argument in &default.arguments {
            assert!(
                arguments
                    .iter()
                    .any(|a| (&a.name, a.kind, a.index) == (&argument.name, argument.kind, argument.index))
            );
        }
        let added: Vec<_> = arguments.iter().filter(|a| a.set == Some(ExternalImage::SET)).collect();
        let found: Vec<_> = added.iter().filter_map(|a| Some((a.set?, a.binding?))).collect();
        for &n in &planes {
            assert!(found.contains(&ExternalImage::plane(video, n)), "{found:?}");
        }
        assert!(found.contains(&(ExternalImage::SET, ExternalImage::BINDING)), "{found:?}");
        assert_eq!(found.len(), planes.len() + 1);
    }
    // Three planes prevail, and textures that are not read do not matter.
    let both = StateKey { external_planes: [1 << video, 1 << video], ..StateKey::default() };
    assert_eq!(scene.program.canonical(&both), key(video, true));
    let others = !(1 << video | 1 << plain);
    let others = StateKey { external_planes: [others; 2], ..StateKey::default() };
    assert_eq!(scene.program.canonical(&others), StateKey::default());
}

#[test]
fn planes_have_neither_offsets_nor_gathers() {
    for lookup in ["textureOffset(s, vec2(0.5), ivec2(1))", "textureGather(s, vec2(0.5))"] {
        let text = format!(
            "#version 310 es\nprecision highp float; uniform sampler2D s; out vec4 c; void main() {{ c = {lookup}; }}"
        );
        let scene = Scene::new(&VERTEX.replace("300", "310"), &text);
        let key = key(binding(&scene, "s"), false);
        let error = scene.program.variant(Stage::Fragment, &key, &Budget::default()).unwrap_err();
        assert!(error.to_string().contains("neither gathers nor offsets"), "{error}");
    }
}
