//! Texture lookups, and the counts of texture instructions and indirections.

use crate::support::{World, assert_near, output, program, program_with};
use airfoil_arb::{DepthMode, Options, Sampler, TextureTarget};
use airfoil_interp::texture::{Color, Compare, Format, Image, Sampler as State, View};
use airfoil_interp::{Binding, Resources, Space};
use airfoil_ir::{Dim, Slot};

/// The texel at a position: its coordinates, and a constant.
fn texel(x: u32, y: u32, z: u32) -> [f64; 4] {
    [f64::from(x), f64::from(y), f64::from(z), 0.5]
}

/// A texture of 8 texels along each axis at a unit.
fn bind(resources: &mut Resources, unit: u32, dim: Dim, compare: Option<Compare>) {
    let (size, layers) = match dim {
        Dim::D1 => ([8, 1, 1], 1),
        Dim::D3 => ([8, 8, 8], 1),
        Dim::Cube => ([8, 8, 1], 6),
        _ => ([8, 8, 1], 1),
    };
    let image_dim = if dim == Dim::Rect { Dim::D2 } else { dim };
    let mut image = Image::new(image_dim, Format::Rgba32f, size, layers, 1, 1).unwrap();
    for layer in 0..layers {
        for z in 0..size[2] {
            for y in 0..size[1] {
                for x in 0..size[0] {
                    let color = texel(x, y, if dim == Dim::Cube { layer } else { z });
                    image.set(0, layer, [x, y, z], 0, Color::Float(color));
                }
            }
        }
    }
    let image = resources.add_image(image);
    let sampler = resources.add_sampler(State { compare, ..State::default() });
    let binding = Binding::Texture { image, view: View::default(), sampler: Some(sampler) };
    resources.bind(Space::Texture, 0, unit, 0, binding);
}

fn look_up(text: &str, unit: u32, dim: Dim, compare: Option<Compare>, coordinates: [f32; 4]) -> [f32; 4] {
    let mut world = World { local: vec![coordinates], ..World::default() };
    bind(&mut world.resources, unit, dim, compare);
    output(&program(text), &world, Slot::FRAG_COLOR).unwrap()
}

/// The coordinate of the centre of a texel.
fn at(n: u32) -> f32 {
    (n as f32 + 0.5) / 8.0
}

#[test]
fn targets_take_their_coordinates() {
    let cases = [
        ("1D", Dim::D1, [at(3), 9.0, 9.0, 9.0], [3.0, 0.0, 0.0, 0.5]),
        ("2D", Dim::D2, [at(3), at(5), 9.0, 9.0], [3.0, 5.0, 0.0, 0.5]),
        ("3D", Dim::D3, [at(3), at(5), at(6), 9.0], [3.0, 5.0, 6.0, 0.5]),
        ("RECT", Dim::Rect, [3.5, 5.5, 9.0, 9.0], [3.0, 5.0, 0.0, 0.5]),
        // The negative x face is layer 1; the texel is next to its centre.
        ("CUBE", Dim::Cube, [-1.0, -0.1, 0.1, 9.0], [4.0, 4.0, 1.0, 0.5]),
    ];
    for (target, dim, coordinates, expected) in cases {
        for (reference, unit) in [("texture", 0), ("texture[0]", 0), ("texture[3]", 3)] {
            let text = format!("!!ARBfp1.0\nTEX result.color, program.local[0], {reference}, {target};\nEND");
            let found = look_up(&text, unit, dim, None, coordinates);
            assert_near(found, expected, &text);
            let target = TextureTarget::from_name(target).unwrap();
            assert_eq!(program(&text).samplers, [Sampler { unit, target }]);
        }
        // Projected: the same after division by the last coordinate.
        let text = format!("!!ARBfp1.0\nTXP result.color, program.local[0], texture, {target};\nEND");
        let found = look_up(&text, 0, dim, None, coordinates.map(|c| c * 2.0).with_last(2.0));
        assert_near(found, expected, &text);
        // Biased: there is one level only.
        let text = format!("!!ARBfp1.0\nTXB result.color, program.local[0], texture, {target};\nEND");
        assert_near(look_up(&text, 0, dim, None, coordinates.with_last(1.0)), expected, &text);
    }
}

trait WithLast {
    fn with_last(self, w: f32) -> Self;
}

impl WithLast for [f32; 4] {
    fn with_last(mut self, w: f32) -> Self {
        self[3] = w;
        self
    }
}

#[test]
fn coordinates_can_be_swizzled_and_negated_and_results_masked() {
    let text = "!!ARBfp1.0\nTEMP t;\nMOV t, 7;\nTEX_SAT t.ga, -program.local[0].wzyx, texture[1], 2D;\n\
                MOV result.color, t;\nEND";
    let found = look_up(text, 1, Dim::D2, None, [9.0, 9.0, -at(5), -at(3)]);
    assert_near(found, [7.0, 1.0, 7.0, 0.5], text);
}

#[test]
fn shadow_targets_compare_the_third_coordinate() {
    let text = |instruction: &str, target: &str| {
        format!(
            "!!ARBfp1.0\nOPTION ARB_fragment_program_shadow;\n{instruction} result.color, program.local[0], texture[2], {target};\nEND"
        )
    };
    // The depth is the first component of the texel.
    for (target, dim) in [("SHADOW1D", Dim::D1), ("SHADOW2D", Dim::D2), ("SHADOWRECT", Dim::Rect)] {
        let x = if dim == Dim::Rect { 1.5 } else { at(1) };
        for (reference, passes) in [(0.75, 1.0), (1.0, 1.0), (1.25, 0.0)] {
            let expected = [passes, passes, passes, 1.0];
            let coordinates = [x, x, reference, 1.0];
            for (instruction, scale) in [("TEX", 1.0), ("TXP", 4.0)] {
                let text = text(instruction, target);
                let coordinates = coordinates.map(|c| c * scale);
                let found = look_up(&text, 2, dim, Some(Compare::LessEqual), coordinates);
                assert_near(found, expected, &text);
                assert!(program(&text).samplers[0].is_shadow());
            }
        }
    }
    for (depth_mode, expected) in [
        (DepthMode::Intensity, [1.0; 4]),
        (DepthMode::Alpha, [0.0, 0.0, 0.0, 1.0]),
        (DepthMode::Red, [1.0, 0.0, 0.0, 1.0]),
    ] {
        let text = text("TEX", "SHADOW2D");
        let program = program_with(&text, &Options { depth_mode, ..Options::default() });
        let mut world = World { local: vec![[at(1), at(1), 0.5, 1.0]], ..World::default() };
        bind(&mut world.resources, 2, Dim::D2, Some(Compare::LessEqual));
        assert_near(output(&program, &world, Slot::FRAG_COLOR).unwrap(), expected, &text);
    }
}

#[test]
fn dependent_lookups_are_counted() {
    let cases = [
        ("MOV result.color, fragment.color;", 0, 1),
        (
            "TEX a, fragment.texcoord, texture, 2D; TEX b, fragment.texcoord, texture, 2D; MUL result.color, a, b;",
            2,
            1,
        ),
        ("TEX a, fragment.texcoord, texture, 2D; TEX b, a, texture, 2D; MOV result.color, b;", 2, 2),
        // A coordinate that ALU instructions compute.
        (
            "ADD a, fragment.color, 1; TEX b, a, texture, 2D; TEX b, a, texture, 2D; MOV result.color, b;",
            2,
            2,
        ),
        // A result that an ALU instruction has read.
        (
            "TEX a, fragment.texcoord, texture, 2D; MOV b, a; TEX a, fragment.color, texture, 2D; MOV result.color, a;",
            2,
            2,
        ),
        ("MOV a, 1; KIL a; MOV result.color, a;", 1, 2),
        ("KIL fragment.color; TEX result.color, fragment.texcoord, texture, 2D;", 2, 1),
        (
            "TEX a, fragment.color, texture, 2D; TEX a, a, texture, 2D; TEX a, a, texture, 2D; MOV result.color, a;",
            3,
            3,
        ),
    ];
    for (code, lookups, nodes) in cases {
        let counts = program(&format!("!!ARBfp1.0\nTEMP a, b;\n{code}\nEND")).counts;
        let instructions = code.matches(';').count() as u32;
        assert_eq!((counts.tex_instructions, counts.tex_indirections), (lookups, nodes), "{code}");
        assert_eq!((counts.alu_instructions, counts.instructions), (instructions - lookups, instructions));
    }
}
