//! Fragment shaders: texture environments and lookups.

use crate::machine::{assert_near, bind, run};
use crate::reference;
use crate::state::{Random, State};
use airfoil::interp::texture::{Compare, Sampler};
use airfoil::interp::{Resources, Values};
use airfoil::ir::{Dim, Slot, text};
use airfoil_gl::fixed::{
    Argument, BaseFormat, CombineFunction, CombineKey, EnvMode, FixedSampler, Operand, Scale, Source,
    UnitTarget, fragment,
};

/// The components of a texture of a format.
fn texel(format: BaseFormat, v: [f64; 4]) -> [f64; 4] {
    match format {
        BaseFormat::Alpha => [0.0, 0.0, 0.0, v[3]],
        BaseFormat::Luminance => [v[0], v[0], v[0], 1.0],
        BaseFormat::LuminanceAlpha => [v[0], v[0], v[0], v[3]],
        BaseFormat::Intensity => [v[0]; 4],
        BaseFormat::Rgb => [v[0], v[1], v[2], 1.0],
        BaseFormat::Rgba => v,
    }
}

/// A state without lights and texture units.
fn plain(r: &mut Random) -> State {
    let mut state = State::random(r);
    state.units.iter_mut().for_each(|unit| unit.target = UnitTarget::None);
    (state.lighting, state.color_sum) = (false, false);
    state
}

/// Executes the fragment shader of a state with random colors and textures.
fn check(state: &State, r: &mut Random) {
    // Values out of range show whether they are clamped.
    let (low, high) = if r.one_in(3) { (-0.5, 1.5) } else { (0.0, 1.0) };
    let [primary, secondary]: [[f32; 4]; 2] = [r.vector(low, high), r.vector(low, high)];
    let (mut textures, mut resources) = ([[0.0; 4]; 8], Resources::new());
    for (n, unit) in state.units.iter().enumerate().filter(|(_, u)| u.target != UnitTarget::None) {
        textures[n] = texel(unit.format, r.vector(low, high).map(f64::from));
        bind(&mut resources, n as u32, Dim::D2, Sampler::default(), |_| textures[n]);
    }
    let shader = fragment(&state.fragment_key());
    let mut inputs = Values::new();
    inputs.set_floats(Slot::COLOR0, primary);
    inputs.set_floats(Slot::COLOR1, secondary);
    (0..8).for_each(|n| inputs.set_floats(Slot::TEX0.offset(n).unwrap(), [0.5, 0.5, 0.0, 1.0]));
    let want = reference::fragment(state, primary.map(f64::from), secondary.map(f64::from), &textures);
    for outputs in run(&shader, &state.block(&shader), &resources, &inputs) {
        let found = color(&outputs);
        let what = || format!("{:?}\n{}", state.units, text::print(&shader.shader));
        assert_near(&found, &want, 2e-5, &what());
    }
}

fn color(outputs: &Values) -> [f32; 4] {
    let generic = outputs.floats(Slot(Slot::GENERIC));
    outputs.floats(Slot::FRAG_COLOR).or(generic).unwrap()
}

#[test]
fn modes_depend_on_the_base_format() {
    let mut r = Random(1);
    for mode in [EnvMode::Modulate, EnvMode::Decal, EnvMode::Blend, EnvMode::Replace, EnvMode::Add] {
        for format in BaseFormat::ALL {
            if mode == EnvMode::Decal && !matches!(format, BaseFormat::Rgb | BaseFormat::Rgba) {
                continue;
            }
            for clamp in [true, false] {
                for _ in 0..4 {
                    let mut state = plain(&mut r);
                    state.clamp = clamp;
                    let unit = &mut state.units[2];
                    (unit.target, unit.mode, unit.format) = (UnitTarget::D2, mode, format);
                    check(&state, &mut r);
                }
            }
        }
    }
}

#[test]
fn every_function_source_operand_and_scale_combines() {
    let mut r = Random(2);
    let sources = [Source::Texture, Source::Constant, Source::Primary, Source::Previous, Source::Texture0];
    let operands = [Operand::Color, Operand::OneMinusColor, Operand::Alpha, Operand::OneMinusAlpha];
    let mut shaders = 0;
    for function in CombineFunction::all() {
        for position in 0..function.arguments() {
            for source in sources {
                for operand in operands {
                    for is_alpha in [false, true] {
                        let dot = matches!(function, CombineFunction::Dot3Rgb | CombineFunction::Dot3Rgba);
                        let color = matches!(operand, Operand::Color | Operand::OneMinusColor);
                        if is_alpha && (dot || color) {
                            continue;
                        }
                        let mut state = plain(&mut r);
                        state.units[0].target = UnitTarget::D2;
                        let unit = &mut state.units[1];
                        (unit.target, unit.mode) = (UnitTarget::D2, EnvMode::Combine);
                        let key = if is_alpha { &mut unit.alpha } else { &mut unit.rgb };
                        key.function = function;
                        key.scale = [Scale::One, Scale::Two, Scale::Four][shaders % 3];
                        key.arguments[position] = Argument { source, operand };
                        // References to disabled units are a test of their own.
                        for key in [&mut unit.rgb, &mut unit.alpha] {
                            for a in &mut key.arguments {
                                let is_named = (1..8).any(|n| Source::texture(n) == Some(a.source));
                                a.source = if is_named { Source::Texture1 } else { a.source };
                            }
                        }
                        state.clamp = !r.one_in(4);
                        check(&state, &mut r);
                        shaders += 1;
                    }
                }
            }
        }
    }
    assert!(shaders > 350, "{shaders}");
}

#[test]
fn units_follow_each_other() {
    let mut r = Random(3);
    for _ in 0..300 {
        let mut state = State::random(&mut r);
        for unit in state.units.iter_mut().take(3) {
            unit.target = if r.one_in(4) { UnitTarget::None } else { UnitTarget::D2 };
        }
        state.clamp = !r.one_in(3);
        check(&state, &mut r);
    }
}

#[test]
fn environments_that_read_disabled_units_have_no_effect() {
    let mut r = Random(4);
    let mut state = plain(&mut r);
    let unit = &mut state.units[0];
    (unit.target, unit.mode) = (UnitTarget::D2, EnvMode::Combine);
    (unit.rgb, unit.alpha) = (CombineKey::RGB, CombineKey::ALPHA);
    unit.rgb.arguments[0].source = Source::Texture3;
    check(&state, &mut r);
    assert!(fragment(&state.fragment_key()).samplers.is_empty());
    // The argument of a function with fewer arguments is not read.
    state.units[0].rgb.arguments = CombineKey::RGB.arguments;
    state.units[0].rgb.arguments[2].source = Source::Texture3;
    check(&state, &mut r);
    assert_eq!(fragment(&state.fragment_key()).samplers, [FixedSampler { unit: 0, target: UnitTarget::D2 }]);
}

/// The coordinate of the center of a texel.
fn at(n: u32) -> f32 {
    (n as f32 + 0.5) / 8.0
}

fn look_up(
    target: UnitTarget,
    format: BaseFormat,
    sampler: &Sampler,
    coordinates: [f32; 4],
) -> [[f32; 4]; 2] {
    let mut state = plain(&mut Random(5));
    state.clamp = false;
    let unit = &mut state.units[4];
    (unit.target, unit.mode, unit.format) = (target, EnvMode::Combine, format);
    (unit.rgb, unit.alpha) = (CombineKey::RGB, CombineKey::ALPHA);
    (unit.rgb.function, unit.alpha.function) = (CombineFunction::Replace, CombineFunction::Replace);
    let mut resources = Resources::new();
    bind(&mut resources, 4, target.dim(), sampler.clone(), |[x, y, z]| {
        [x, y, z, 8].map(|n| f64::from(n) / 8.0)
    });
    let shader = fragment(&state.fragment_key());
    assert_eq!(shader.samplers, [FixedSampler { unit: 4, target }]);
    let mut inputs = Values::new();
    inputs.set_floats(Slot::COLOR0, [0.0; 4]);
    inputs.set_floats(Slot::TEX4, coordinates);
    run(&shader, &state.block(&shader), &resources, &inputs).map(|outputs| color(&outputs))
}

#[test]
fn targets_take_their_coordinates() {
    let cases = [
        (UnitTarget::D1, [at(3), 9.0, 9.0, 1.0], [3, 0, 0]),
        (UnitTarget::D2, [at(3), at(5), 9.0, 1.0], [3, 5, 0]),
        (UnitTarget::D3, [at(3), at(5), at(6), 1.0], [3, 5, 6]),
        (UnitTarget::Rect, [3.5, 5.5, 9.0, 1.0], [3, 5, 0]),
        // The negative x face is layer 1; the texel is next to its center.
        (UnitTarget::Cube, [-1.0, -0.1, 0.1, 9.0], [4, 4, 1]),
    ];
    for (target, coordinates, [x, y, z]) in cases {
        for factor in [1.0, 2.0] {
            // Divided by q.
            let coordinates = coordinates.map(|c| c * factor);
            for found in look_up(target, BaseFormat::Rgba, &Sampler::default(), coordinates) {
                assert_near(&found, &[x, y, z, 8].map(|n| f64::from(n) / 8.0), 1e-6, &format!("{target:?}"));
            }
        }
    }
}

#[test]
fn depths_are_compared_with_the_third_coordinate() {
    let sampler = Sampler { compare: Some(Compare::LessEqual), ..Sampler::default() };
    // Depths are x / 8, so that a reference of 3/8 is at most that of texel 3.
    let formats = [
        (BaseFormat::Luminance, [1.0, 1.0, 1.0, 0.0], 1.0),
        (BaseFormat::Intensity, [1.0; 4], 0.0),
        (BaseFormat::Alpha, [0.0, 0.0, 0.0, 1.0], 0.0),
        (BaseFormat::Rgb, [1.0, 0.0, 0.0, 0.0], 1.0),
    ];
    for target in [UnitTarget::Shadow1D, UnitTarget::Shadow2D, UnitTarget::ShadowRect] {
        for (format, mask, one) in formats {
            for (reference, passes) in [(0.25, 1.0), (0.375, 1.0), (0.5, 0.0)] {
                for q in [1.0, 2.0] {
                    let s = if target == UnitTarget::ShadowRect { 3.5 } else { at(3) };
                    let t = if target == UnitTarget::ShadowRect { 5.5 } else { at(5) };
                    let coordinates = [s * q, t * q, reference * q, q];
                    for found in look_up(target, format, &sampler, coordinates) {
                        let mut want = mask.map(|m: f64| m * passes);
                        want[3] += one;
                        assert_near(&found, &want, 1e-6, &format!("{target:?} {format:?} {reference}"));
                    }
                }
            }
        }
    }
    // Cube maps are compared with q. The x of the texel next to the center of the face is 4.
    for (q, passes) in [(0.4, 1.0), (0.6, 0.0)] {
        for found in look_up(UnitTarget::ShadowCube, BaseFormat::Intensity, &sampler, [-1.0, -0.1, 0.1, q]) {
            assert_near(&found, &[passes; 4], 1e-6, "cube");
        }
    }
}
