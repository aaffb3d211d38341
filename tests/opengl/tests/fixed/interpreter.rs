//! The draw of the interpreter, with the functions that `airfoil-gl` makes of the generated shaders.

use crate::scene::{SIZE, Scene, TEXELS, UNITS};
use crate::state::Unit;
use airfoil_gl::fixed::{BaseFormat, UnitTarget};
use airfoil_gl::{
    Budget, Device, DriverValues, FogMode, LinkOptions, PointSize, Stage, StateFlags, StateKey,
};
use airfoil_interp::pipeline::{ClipDepth, Draw, Pipeline, State, Target, Topology};
use airfoil_interp::run::Vertex;
use airfoil_interp::texture::{Color, Compare, Format, Image, Sampler, View, Wrap};
use airfoil_interp::{Binding, Config, Resources, Space, System};
use airfoil_ir::{Dim, Slot};

/// The words of the image.
pub fn draw(scene: &Scene, device: &Device) -> Vec<u32> {
    let keys = (scene.state.vertex_key(), scene.state.fragment_key());
    let fixed = [device.fixed_vertex(&keys.0), device.fixed_fragment(&keys.1)];
    let objects = [device.fixed_vertex_object(&keys.0), device.fixed_fragment_object(&keys.1)];
    let linked = device.link(&[&objects[0], &objects[1]], &LinkOptions::default());
    let linked = linked.unwrap_or_else(|log| panic!("{log}"));
    let stages = [Stage::Vertex, Stage::Fragment];
    let key = state_key(scene);
    let shaders = stages.map(|stage| {
        linked.variant_shader(stage, &key, &Budget::default()).unwrap_or_else(|e| panic!("{stage}: {e}"))
    });
    let mut pipeline = Pipeline::new(&shaders, &Config::default()).unwrap_or_else(|e| panic!("{e:?}"));
    let mut resources = Resources::new();
    for (stage, shader) in stages.into_iter().zip(&fixed) {
        let Some(block) = linked.parameter_block(stage) else { continue };
        let binding = linked.reflection().uniform_blocks[block as usize].binding;
        buffer(&mut resources, 0, binding.expect("the linker assigns it"), scene.state.block(shader));
    }
    let values = driver_values(scene).words();
    let bytes = values.iter().flat_map(|w| w.to_le_bytes()).collect();
    buffer(&mut resources, DriverValues::SET, DriverValues::BINDING, bytes);
    for n in 0..UNITS {
        texture(&mut resources, n as u32, &scene.state.units[n], &scene.textures[n]);
    }
    let vertex = |n: usize| {
        let mut v = Vertex::default();
        for (location, attribute) in &scene.attributes {
            let slot = Slot::generic(*location).unwrap_or(Slot::POSITION);
            v.inputs.set_words(slot, attribute.values[n]);
        }
        v
    };
    let vertices: Vec<Vertex> = (0..scene.count()).map(vertex).collect();
    let topology = if scene.points { Topology::Points } else { Topology::Triangles };
    let draw = Draw { topology, vertices: &vertices, indices: None, system: System::new() };
    let state = State {
        clip_depth: ClipDepth::ZeroToOne,
        clip_distances: 0xff,
        shader_point_size: true,
        first_provokes: true,
        ..State::new(SIZE, SIZE)
    };
    let mut target = Target::new(SIZE, SIZE, 1, 1);
    let drawn = pipeline.draw(&mut resources, &draw, &state, &mut target);
    let _ = drawn.unwrap_or_else(|e| panic!("{e:?}"));
    target.colors[0].iter().flatten().copied().collect()
}

fn buffer(resources: &mut Resources, set: u32, binding: u32, bytes: Vec<u8>) {
    let buffer = resources.add_buffer(bytes);
    let what = Binding::Buffer { buffer, offset: 0, size: None };
    resources.bind(Space::Uniform, set, binding, 0, what);
}

fn driver_values(scene: &Scene) -> DriverValues {
    let [low, high] = scene.point_limits;
    let mut values = DriverValues {
        height: SIZE as f32,
        width: SIZE as f32,
        point_size: scene.state.point_size.clamp(low, high),
        point_size_min: low,
        point_size_max: high,
        ..DriverValues::default()
    };
    if let Some(fog) = &scene.fog {
        values.fog_color = fog.color;
        values.fog_density = fog.density;
        values.fog_end = fog.end;
        values.fog_scale = 1.0 / (fog.end - fog.start);
    }
    values.clip_planes[..scene.planes.len()].copy_from_slice(&scene.planes);
    values
}

/// The state that is not in the keys of the shaders.
fn state_key(scene: &Scene) -> StateKey {
    let state = &scene.state;
    let mut flags = StateFlags::HALF_Z | StateFlags::CLAMP_VERTEX_COLORS | StateFlags::CLAMP_FRAGMENT_COLORS;
    flags.set(StateFlags::TWO_SIDED_COLORS, state.lighting && state.two_side);
    let is_attenuated = state.point_attenuation != [1.0, 0.0, 0.0];
    let point_size = match scene.points {
        true if is_attenuated => PointSize::Clamped,
        true => PointSize::State,
        false => PointSize::None,
    };
    StateKey {
        flags,
        point_size,
        clip_planes: ((1u32 << scene.planes.len()) - 1) as u8,
        fog: scene.fog.as_ref().map_or(FogMode::None, |fog| fog.mode),
        ..StateKey::default()
    }
}

/// The components of a texture of a format.
fn texel(format: BaseFormat, bytes: [u8; 4]) -> [f64; 4] {
    let [r, g, b, a] = bytes.map(|byte| f64::from(byte) / 255.0);
    match format {
        BaseFormat::Alpha => [0.0, 0.0, 0.0, a],
        BaseFormat::Luminance => [r, r, r, 1.0],
        BaseFormat::LuminanceAlpha => [r, r, r, a],
        BaseFormat::Intensity => [r; 4],
        BaseFormat::Rgb => [r, g, b, 1.0],
        BaseFormat::Rgba => [r, g, b, a],
    }
}

fn texture(resources: &mut Resources, n: u32, unit: &Unit, texels: &[[u8; 4]]) {
    if unit.target == UnitTarget::None {
        return;
    }
    let size = TEXELS as u32;
    let (dim, extent, layers) = match unit.target.dim() {
        Dim::D1 => (Dim::D1, [size, 1, 1], 1),
        Dim::D3 => (Dim::D3, [size; 3], 1),
        Dim::Cube => (Dim::Cube, [size, size, 1], 6),
        _ => (Dim::D2, [size, size, 1], 1),
    };
    let is_shadow = unit.target.is_shadow();
    let format = if is_shadow { Format::D32f } else { Format::Rgba32f };
    let mut image = Image::new(dim, format, extent, layers, 1, 1).unwrap();
    for layer in 0..layers {
        for at in 0..extent.iter().product::<u32>() {
            let position = [at % size, at / size % size, at / size / size];
            let bytes = texels[(layer * size * size + at) as usize];
            let color = match is_shadow {
                true => [f64::from(f32::from(bytes[0]) / 255.0); 4],
                false => texel(unit.format, bytes),
            };
            image.set(0, layer, position, 0, Color::Float(color));
        }
    }
    let is_rect = unit.target == UnitTarget::Rect;
    let sampler = Sampler {
        wrap: [if is_rect { Wrap::ClampToEdge } else { Wrap::Repeat }; 3],
        compare: is_shadow.then_some(Compare::LessEqual),
        ..Sampler::default()
    };
    let image = resources.add_image(image);
    let sampler = Some(resources.add_sampler(sampler));
    let what = Binding::Texture { image, view: View::default(), sampler };
    resources.bind(Space::Texture, 0, n, 0, what);
}
