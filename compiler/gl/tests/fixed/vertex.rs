//! Vertex shaders of random states.

use crate::machine::{assert_near, run};
use crate::reference::{self, Attributes};
use crate::state::{Random, State};
use airfoil::interp::{Resources, Values};
use airfoil::ir::{Slot, text};
use airfoil_gl::fixed::{ColorMaterial, FogCoordinate, TexGen, UnitTarget, vertex};
use std::collections::BTreeMap;

fn attributes(r: &mut Random) -> Attributes {
    let mut vertex: [f32; 4] = r.vector(-1.0, 1.0);
    vertex[3] = if r.one_in(2) { 1.0 } else { r.within(0.75, 1.25) };
    let mut normal: [f32; 3] = r.vector(-0.5, 0.5);
    normal[2] += 0.75;
    Attributes {
        vertex,
        normal,
        color: r.vector(0.0, 1.0),
        secondary: r.vector(0.0, 1.0),
        fog: r.within(0.0, 2.0),
        coordinates: std::array::from_fn(|_| r.vector(-1.0, 1.0)),
    }
}

fn values(a: &Attributes) -> Values {
    let mut inputs = Values::new();
    let [x, y, z] = a.normal;
    let mut set = |n: u32, value| inputs.set_floats(Slot::generic(n).unwrap(), value);
    set(0, a.vertex);
    set(2, [x, y, z, 0.0]);
    set(3, a.color);
    set(4, a.secondary);
    set(5, [a.fog; 4]);
    (8..).zip(a.coordinates).for_each(|(n, value)| set(n, value));
    inputs
}

/// Names of the parts of a state that occur.
fn parts(state: &State) -> Vec<String> {
    let mut list = vec![format!("fog {:?}", state.fog)];
    let mut add = |is_there: bool, name: &str| {
        if is_there {
            list.push(name.into());
        }
    };
    for light in state.lights.iter().filter(|l| l.is_enabled && state.lighting) {
        add(light.position[3] != 0.0, "positional");
        add(light.position[3] == 0.0, "directional");
        add(light.spot_cutoff != 180.0, "spot");
        add(light.attenuation != [1.0, 0.0, 0.0], "attenuated");
        add(state.local_viewer, "local viewer");
        add(state.two_side, "two sides");
        add(state.separate_specular, "separate specular");
    }
    add(state.normalize, "normalize");
    add(state.rescale && !state.normalize, "rescale");
    add(state.clip_planes, "clip planes");
    add(state.point_attenuation != [1.0, 0.0, 0.0], "point attenuation");
    for unit in state.units.iter().filter(|unit| unit.target != UnitTarget::None) {
        list.extend(unit.generators.iter().map(|g| format!("{:?}", g.function)));
    }
    if state.lighting {
        list.extend(state.color_material.iter().map(|m| format!("material {m:?}")));
    }
    list
}

#[test]
fn vertices_are_those_of_the_specification() {
    let mut used: BTreeMap<String, u32> = BTreeMap::new();
    for n in 0..400 {
        let mut r = Random(n);
        let mut state = State::random(&mut r);
        for light in &mut state.lights {
            if light.position[3] != 0.0 && r.one_in(2) {
                light.position = light.position.map(|x| x * 2.0);
            }
        }
        let shader = vertex(&state.vertex_key());
        let block = state.block(&shader);
        parts(&state).into_iter().for_each(|part| *used.entry(part).or_default() += 1);
        for _ in 0..4 {
            let a = attributes(&mut r);
            let want = reference::vertex(&state, &a);
            for outputs in run(&shader, &block, &Resources::new(), &values(&a)) {
                compare(&state, &outputs, &want, &format!("{n}\n{}", text::print(&shader.shader)));
            }
        }
    }
    let functions = ["ObjectLinear", "EyeLinear", "SphereMap", "ReflectionMap", "NormalMap"];
    let others = ["positional", "directional", "spot", "attenuated", "local viewer", "two sides", "rescale"];
    for part in functions.iter().chain(&others) {
        assert!(used.get(*part).is_some_and(|&n| n >= 20), "{part}: {used:?}");
    }
    assert!(used.len() >= 26, "{used:?}");
}

fn compare(state: &State, outputs: &Values, want: &reference::Outputs, what: &str) {
    let check = |slot: Slot, comps: usize, expected: Option<&[f64]>, name: &str| match expected {
        None => assert_eq!(outputs.floats(slot), None, "{name} of {what}"),
        Some(expected) => {
            let found = outputs.floats(slot).unwrap_or([f32::NAN; 4]);
            assert_near(&found[..comps], expected, 1e-4, &format!("{name} of {what}"));
        }
    };
    let secondary = state.adds_secondary();
    check(Slot::POSITION, 4, Some(&want.position), "position");
    check(Slot::COLOR0, 4, Some(&want.front[0]), "front color");
    check(Slot::COLOR1, 4, secondary.then_some(&want.front[1][..]), "front secondary color");
    let back = |n: usize| want.back.as_ref().map(|back| &back[n][..]);
    check(Slot::BACK_COLOR0, 4, back(0), "back color");
    check(Slot::BACK_COLOR1, 4, back(1).filter(|_| secondary), "back secondary color");
    check(Slot::FOG, 1, want.fog.as_ref().map(std::slice::from_ref), "fog coordinate");
    check(Slot::POINT_SIZE, 1, want.point_size.as_ref().map(std::slice::from_ref), "point size");
    check(Slot::CLIP_VERTEX, 4, state.clip_planes.then_some(&want.eye[..]), "clip vertex");
    for (n, coordinates) in (0u32..).zip(&want.coordinates) {
        let slot = Slot::TEX0.offset(n).unwrap();
        check(slot, 4, coordinates.as_ref().map(|c| &c[..]), &format!("coordinates {n}"));
    }
}

/// A state with one light and nothing else.
fn lit() -> State {
    let mut state = State::random(&mut Random(0));
    state.units.iter_mut().for_each(|unit| unit.target = UnitTarget::None);
    state.lights.iter_mut().for_each(|light| light.is_enabled = false);
    state.lights[0].is_enabled = true;
    state.lights[0].position = [0.0, 0.0, 1.0, 0.0];
    state.lights[0].spot_cutoff = 180.0;
    state.color_material = [ColorMaterial::None; 2];
    (state.lighting, state.two_side, state.separate_specular) = (true, false, true);
    (state.normalize, state.rescale, state.fog) = (true, false, FogCoordinate::None);
    state
}

#[test]
fn an_exponent_of_zero_lights_the_whole_front() {
    let mut state = lit();
    state.materials[0].shininess = 0.0;
    state.local_viewer = false;
    let a = Attributes { normal: [1.0, 0.0, 0.125], ..attributes(&mut Random(1)) };
    state.modelview = crate::state::IDENTITY;
    let shader = vertex(&state.vertex_key());
    for outputs in run(&shader, &state.block(&shader), &Resources::new(), &values(&a)) {
        let found = outputs.floats(Slot::COLOR1).unwrap();
        let (light, material) = (state.lights[0].specular, state.materials[0].specular);
        let want = [0, 1, 2].map(|n| f64::from(light[n]) * f64::from(material[n]));
        assert_near(&found[..3], &want, 1e-6, "specular color");
    }
}

#[test]
fn faces_away_from_a_light_have_no_highlight() {
    let mut state = lit();
    state.materials[0].shininess = 0.0;
    state.modelview = crate::state::IDENTITY;
    let a = Attributes { normal: [1.0, 0.0, -0.125], ..attributes(&mut Random(1)) };
    let shader = vertex(&state.vertex_key());
    for outputs in run(&shader, &state.block(&shader), &Resources::new(), &values(&a)) {
        assert_eq!(outputs.floats(Slot::COLOR1), Some([0.0, 0.0, 0.0, 1.0]));
    }
}

#[test]
fn vertices_at_infinity_are_lit() {
    let mut state = lit();
    state.lights[0].position[3] = 1.0;
    state.local_viewer = true;
    state.modelview = crate::state::IDENTITY;
    let shader = vertex(&state.vertex_key());
    let a = Attributes { vertex: [0.5, 0.25, -2.0, 0.0], ..attributes(&mut Random(1)) };
    for outputs in run(&shader, &state.block(&shader), &Resources::new(), &values(&a)) {
        let found = outputs.floats(Slot::COLOR0).unwrap();
        assert!(found.iter().all(|x| x.is_finite()), "{found:?}");
    }
}

#[test]
fn the_position_is_that_of_ftransform() {
    let state = State::random(&mut Random(3));
    let shader = vertex(&state.vertex_key());
    let program = "!!ARBvp1.0\nOPTION ARB_position_invariant;\nMOV result.color, vertex.color;\nEND";
    let source = airfoil::arb::Source { name: "", text: program };
    let program = airfoil::arb::read(&source, &airfoil::arb::Options::default()).unwrap();
    let other = airfoil_gl::fixed::FixedShader { binding: 0, ..shader.clone() };
    let other =
        airfoil_gl::fixed::FixedShader { shader: program.shader, parameters: program.parameters, ..other };
    let mut r = Random(4);
    for _ in 0..100 {
        let inputs = values(&attributes(&mut r));
        let of = |shader| run(shader, &state.block(shader), &Resources::new(), &inputs);
        let positions =
            |outputs: [Values; 2]| outputs.map(|o| o.floats(Slot::POSITION).unwrap().map(f32::to_bits));
        assert_eq!(positions(of(&shader)), positions(of(&other)));
    }
}

#[test]
fn texgen_functions_exist_for_their_coordinates_only() {
    let mut state = State::random(&mut Random(5));
    state.units[0].target = UnitTarget::D2;
    for c in 0..4 {
        for function in [TexGen::SphereMap, TexGen::ReflectionMap, TexGen::NormalMap] {
            state.units[0].generators.iter_mut().for_each(|g| g.function = TexGen::None);
            state.units[0].generators[c].function = function;
            let exists = c < if function == TexGen::SphereMap { 2 } else { 3 };
            let texgen = state.vertex_key().canonical().coordinates[0].texgen;
            assert_eq!(texgen[c] == function, exists, "{function:?} {c}");
        }
    }
}
