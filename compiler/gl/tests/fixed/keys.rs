//! Keys: shaders are equal exactly if the canonical keys are.

use crate::state::{Random, State};
use airfoil::ir::text;
use airfoil_gl::Device;
use airfoil_gl::fixed::{
    BaseFormat, ColorMaterial, CoordinateFlags, EnvMode, FixedFragmentKey, FixedShader, FixedVertexKey,
    FogCoordinate, FragmentFlags, LightFlags, Operand, Scale, Source, TexGen, UnitTarget, VertexFlags,
    fragment, vertex,
};
use std::sync::Arc;

fn print(shader: &FixedShader) -> String {
    format!("{}\n{:?}\n{:?}", text::print(&shader.shader), shader.parameters, shader.samplers)
}

/// Changes a field.
fn change_vertex(key: &mut FixedVertexKey, r: &mut Random) {
    let n = r.below(8) as usize;
    match r.below(6) {
        0 => {
            let flags: Vec<VertexFlags> = VertexFlags::all().iter().collect();
            key.flags.toggle(r.pick(&flags));
        }
        1 => {
            let flags: Vec<LightFlags> = LightFlags::all().iter().collect();
            key.lights[n].toggle(r.pick(&flags));
        }
        2 => {
            let flags: Vec<CoordinateFlags> = CoordinateFlags::all().iter().collect();
            key.coordinates[n].flags.toggle(r.pick(&flags));
        }
        3 => {
            let all = [TexGen::None, TexGen::ObjectLinear, TexGen::SphereMap, TexGen::ReflectionMap];
            key.coordinates[n].texgen[n % 4] = r.pick(&all);
        }
        4 => {
            let all = [
                ColorMaterial::None,
                ColorMaterial::Emission,
                ColorMaterial::Ambient,
                ColorMaterial::Specular,
            ];
            key.color_material[n % 2] = r.pick(&all);
        }
        _ => key.fog = r.pick(&[FogCoordinate::None, FogCoordinate::Depth, FogCoordinate::Attribute]),
    }
}

fn change_fragment(key: &mut FixedFragmentKey, r: &mut Random) {
    let targets: Vec<UnitTarget> = UnitTarget::all().collect();
    let unit = &mut key.units[r.below(4) as usize];
    let combine = if r.one_in(2) { &mut unit.rgb } else { &mut unit.alpha };
    let argument = &mut combine.arguments[r.below(3) as usize];
    match r.below(8) {
        0 => {
            let flags: Vec<FragmentFlags> = FragmentFlags::all().iter().collect();
            key.flags.toggle(r.pick(&flags));
        }
        1 => unit.target = r.pick(&targets),
        2 => unit.format = r.pick(&BaseFormat::ALL),
        3 => unit.mode = r.pick(&[EnvMode::Modulate, EnvMode::Replace, EnvMode::Decal, EnvMode::Combine]),
        4 => {
            argument.source = r.pick(&[Source::Texture, Source::Previous, Source::Primary, Source::Texture1])
        }
        5 => argument.operand = r.pick(&[Operand::Color, Operand::Alpha, Operand::OneMinusAlpha]),
        6 => combine.scale = r.pick(&[Scale::One, Scale::Two]),
        _ => combine.function = r.pick(&airfoil_gl::fixed::CombineFunction::all().collect::<Vec<_>>()),
    }
}

#[test]
fn vertex_shaders_are_equal_if_and_only_if_the_canonical_keys_are() {
    let (mut equal, mut different) = (0, 0);
    for n in 0..3000 {
        let mut r = Random(n);
        let key = State::random(&mut r).vertex_key();
        let mut other = key;
        change_vertex(&mut other, &mut r);
        let (a, b) = (key.canonical(), other.canonical());
        assert_eq!(a.canonical(), a);
        let same = print(&vertex(&key)) == print(&vertex(&other));
        assert_eq!(a == b, same, "{n}\n{key:?}\n{other:?}\n{a:?}\n{b:?}");
        if same { equal += 1 } else { different += 1 }
    }
    assert!(equal > 500 && different > 500, "{equal} {different}");
}

#[test]
fn fragment_shaders_are_equal_if_and_only_if_the_canonical_keys_are() {
    let (mut equal, mut different) = (0, 0);
    for n in 0..3000 {
        let mut r = Random(n);
        let key = State::random(&mut r).fragment_key();
        let mut other = key;
        change_fragment(&mut other, &mut r);
        let (a, b) = (key.canonical(), other.canonical());
        assert_eq!(a.canonical(), a, "{n}");
        let same = print(&fragment(&key)) == print(&fragment(&other));
        assert_eq!(a == b, same, "{n}\n{key:?}\n{other:?}\n{a:?}\n{b:?}");
        if same { equal += 1 } else { different += 1 }
    }
    assert!(equal > 500 && different > 500, "{equal} {different}");
}

#[test]
fn environments_that_are_the_same_function_have_one_key() {
    let key = |mode, format| {
        let mut key = FixedFragmentKey::default();
        let unit = &mut key.units[0];
        (unit.target, unit.mode, unit.format) = (UnitTarget::D2, mode, format);
        key.canonical()
    };
    let modulate = key(EnvMode::Modulate, BaseFormat::Rgba);
    // The initial state of GL_COMBINE.
    assert_eq!(key(EnvMode::Combine, BaseFormat::Alpha), modulate);
    assert_eq!(key(EnvMode::Modulate, BaseFormat::Intensity), modulate);
    assert_eq!(key(EnvMode::Modulate, BaseFormat::Rgb), key(EnvMode::Modulate, BaseFormat::Luminance));
    assert_eq!(key(EnvMode::Decal, BaseFormat::Rgb), key(EnvMode::Replace, BaseFormat::Rgb));
    assert_eq!(key(EnvMode::Blend, BaseFormat::Alpha), key(EnvMode::Add, BaseFormat::Alpha));
    assert_ne!(key(EnvMode::Blend, BaseFormat::Rgba), modulate);
}

#[test]
fn a_device_generates_a_shader_once() {
    let device = Device::default();
    let key = FixedVertexKey::default();
    let same = FixedVertexKey { color_material: [ColorMaterial::Diffuse; 2], ..key };
    assert!(Arc::ptr_eq(&device.fixed_vertex(&key), &device.clone().fixed_vertex(&same)));
    let lit = FixedVertexKey { flags: VertexFlags::LIGHTING, ..key };
    assert!(!Arc::ptr_eq(&device.fixed_vertex(&key), &device.fixed_vertex(&lit)));
    let key = FixedFragmentKey::default();
    assert!(Arc::ptr_eq(&device.fixed_fragment(&key), &device.fixed_fragment(&key)));
}

#[test]
fn the_initial_state_passes_the_color_through() {
    let shader = fragment(&FixedFragmentKey::default());
    assert!(shader.parameters.is_empty() && shader.samplers.is_empty());
    // Four columns of the matrix.
    assert_eq!(vertex(&FixedVertexKey::default()).parameters.len(), 4);
}
