//! The draw of the interpreter, with the generated shaders, linked as programs are.

use crate::scene::{SIZE, Scene, TEXELS, UNITS};
use crate::state::Unit;
use airfoil::air::compile::lower;
use airfoil::air::plan::{PlanOptions, compile_plan};
use airfoil::passes::gl::clamp_fragment_colors::ClampFragmentColors;
use airfoil::passes::gl::clamp_vertex_colors::ClampVertexColors;
use airfoil::passes::gl::lower_clip_planes::LowerClipPlanes;
use airfoil::passes::gl::lower_clip_space::LowerClipSpace;
use airfoil::passes::gl::lower_distances::LowerDistances;
use airfoil::passes::gl::lower_fog::LowerFog;
use airfoil::passes::gl::lower_point_size::LowerPointSize;
use airfoil::passes::gl::lower_two_sided_colors::LowerTwoSidedColors;
use airfoil::passes::{Manager, Pass, PassStep, Pipeline as Passes, manager};
use airfoil_gl::fixed::{BaseFormat, FixedShader, UnitTarget, fragment, vertex};
use airfoil_gl::{DriverValues, FogMode};
use airfoil_interp::pipeline::{ClipDepth, Draw, Pipeline, State, Target, Topology};
use airfoil_interp::run::Vertex;
use airfoil_interp::texture::{Color, Compare, Format, Image, Sampler, View, Wrap};
use airfoil_interp::{Binding, Config, Resources, Space, System};
use airfoil_ir::{Dim, Shader, Slot};

/// The words of the image.
pub fn draw(scene: &Scene) -> Vec<u32> {
    let fixed = [vertex(&scene.state.vertex_key()), fragment(&scene.state.fragment_key())];
    let shaders = link(scene, &fixed);
    let mut pipeline = Pipeline::new(&shaders, &Config::default()).unwrap_or_else(|e| panic!("{e:?}"));
    let mut resources = Resources::new();
    for shader in &fixed {
        buffer(&mut resources, 0, shader.binding, scene.state.block(shader));
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

/// Both shaders, as a link of `airfoil-gl` makes them, with the passes of a variant.
fn link(scene: &Scene, fixed: &[FixedShader; 2]) -> [Shader; 2] {
    let state = &scene.state;
    let mut shaders = fixed.each_ref().map(|f| f.shader.clone());
    let options = PlanOptions {
        distances: LowerDistances { keep_clip_vertex: true, ..LowerDistances::default() },
        ..PlanOptions::default()
    };
    let plan = compile_plan(&shaders, &options);
    let mut manager = Manager::new(manager::Options { validate: true, ..manager::Options::default() });
    let _ = lower(&mut shaders, &plan, &options, &mut manager).unwrap_or_else(|e| panic!("{e:?}"));
    let is_attenuated = state.point_attenuation != [1.0, 0.0, 0.0];
    let planes = (1 << scene.planes.len()) - 1;
    let steps: Vec<Box<dyn Pass>> = vec![
        Box::new(LowerPointSize { points: scene.points, state: !is_attenuated, clamp: is_attenuated }),
        Box::new(LowerClipPlanes { planes }),
        Box::new(ClampVertexColors),
        Box::new(LowerClipSpace { flip_y: false, half_z: true }),
    ];
    run(&mut manager, steps, &mut shaders[0]);
    let mut steps: Vec<Box<dyn Pass>> = Vec::new();
    if state.lighting && state.two_side {
        let colors = if state.adds_secondary() { 3 } else { 1 };
        steps.push(Box::new(LowerTwoSidedColors { colors }));
    }
    let mode = scene.fog.as_ref().map_or(FogMode::None, |fog| fog.mode);
    steps.push(Box::new(LowerFog { mode, depth: false }));
    steps.push(Box::new(ClampFragmentColors));
    run(&mut manager, steps, &mut shaders[1]);
    shaders
}

fn run(manager: &mut Manager, steps: Vec<Box<dyn Pass>>, shader: &mut Shader) {
    let plan = Passes::of_steps(steps.into_iter().map(PassStep::new));
    let _ = manager.run(&plan, shader).unwrap_or_else(|e| panic!("{e:?}"));
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
