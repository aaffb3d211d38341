//! Random shaders of every stage and form run as programs: no panics, no faults of kinds that cannot be, the same
//! results in subgroups of any width, and resources are returned. `AIRFOIL_SEEDS` sets their number.

use airfoil_interp::run::{FragmentBatch, GeometryPrimitive, Patch, Primitive, Quad, TessPoint, Vertex};
use airfoil_interp::texture::{Color, Filter, Format, Image, Sampler, View};
use airfoil_interp::{Binding, Config, Fault, FaultKind, Program, Resources, System, Values};
use airfoil_ir::generate::{self, from_seed};
use airfoil_ir::{Dim, Form, Modes, Named, Shader, Slot, Stage, SystemValue, Type, Types};

fn image_type(types: &Types, v: &airfoil_ir::Variable) -> Option<airfoil_ir::ImageType> {
    match types[types.without_arrays(v.ty)] {
        Type::Image(i) => Some(i),
        _ => None,
    }
}

/// Something for every variable to show.
fn resources(shader: &Shader) -> Resources {
    let mut all = Resources::new();
    let sampler = all.add_sampler(Sampler { mag: Filter::Linear, ..Sampler::default() });
    all.push_constants = (0..64).collect();
    for v in shader.vars.values() {
        let bind = |all: &mut Resources, what: Binding| {
            for element in 0..4 {
                all.bind_name(&v.name, element, what.clone());
            }
        };
        match (v.mode, image_type(&shader.types, v)) {
            (Modes::UBO | Modes::SSBO, _) => {
                let bytes = (0..200u32).map(|i| (i % 7) as u8).collect();
                let buffer = all.add_buffer(bytes);
                for element in 0..4 {
                    let part = Binding::Buffer { buffer, offset: u64::from(element) * 8, size: None };
                    all.bind_name(&v.name, element, part);
                }
            }
            (Modes::UNIFORM | Modes::IMAGE, Some(i)) => {
                let format = match (Format::declared(i.format), i.sampled) {
                    (Some(format), _) => format,
                    (None, s) if s.is_float() => Format::Rgba32f,
                    (None, s) if s.bits() == 64 => Format::R64ui,
                    (None, s) if s.is_signed() => Format::Rgba32i,
                    _ => Format::Rgba32ui,
                };
                let dim = if i.dim == Dim::Buffer { Dim::D1 } else { i.dim };
                let size = match dim {
                    Dim::D1 => [4, 1, 1],
                    Dim::D3 => [4; 3],
                    _ => [4, 4, 1],
                };
                let layers = match dim {
                    Dim::Cube => 12,
                    Dim::D3 => 1,
                    _ => 3,
                };
                let levels = if dim.is_multisampled() || dim == Dim::Rect { 1 } else { 2 };
                let samples = if dim.is_multisampled() { 4 } else { 1 };
                let mut image = Image::new(dim, format, size, layers, levels, samples).expect("fits");
                image.fill(0, Color::Float([0.25, 0.5, 1.0, 2.0]));
                let image = all.add_image(image);
                let what = if i.storage {
                    Binding::Image { image, level: 0, layer: None, format: None }
                } else {
                    Binding::Texture { image, view: View::default(), sampler: Some(sampler) }
                };
                bind(&mut all, what);
            }
            (Modes::UNIFORM, None) => bind(&mut all, Binding::Sampler(sampler)),
            _ => {}
        }
    }
    all
}

fn values(shader: &Shader, n: u32) -> Values {
    let mut values = Values::new();
    for v in shader.vars.values().filter(|v| v.mode == Modes::IN) {
        let Some(first) = v.location else { continue };
        for slot in (0..shader.types.num_slots(v.ty).min(8)).filter_map(|i| first.offset(i)) {
            values.set_words(slot, [n, n + 1, (n as f32).to_bits(), 0.5f32.to_bits()]);
        }
    }
    values.set_floats(Slot::TESS_LEVEL_OUTER, [2.0; 4]);
    values
}

fn system() -> System {
    let mut system = System::new();
    for sv in
        [SystemValue::vertex_id, SystemValue::primitive_id, SystemValue::patch_id, SystemValue::front_face]
    {
        system.set(sv, [1, 0, 0, 0]);
    }
    for sv in [SystemValue::point_coord, SystemValue::tess_level_outer, SystemValue::tess_level_inner] {
        system.set(sv, [0.5f32.to_bits().into(); 4]);
    }
    system
}

/// Runs a shader; returns all results as text.
fn run(shader: &Shader, config: Config) -> Result<String, Fault> {
    let mut all = resources(shader);
    let mut program = Program::with_workgroup(shader, config, [3, 2, 1])?;
    let system = system();
    let vertices: Vec<Values> = (0..6).map(|n| values(shader, n)).collect();
    let primitive = GeometryPrimitive { vertices: vertices.iter().collect(), system: System::new() };
    let result = match shader.stage {
        Stage::Vertex => {
            let of = |v: &Values| Vertex { inputs: v.clone(), system: System::new() };
            let batch: Vec<Vertex> = vertices.iter().map(of).collect();
            program.vertex(&mut all, &system, &batch).map(|o| format!("{o:?}"))
        }
        Stage::TessControl => {
            program.tess_control(&mut all, &system, &[primitive.clone(), primitive]).map(|o| format!("{o:?}"))
        }
        Stage::TessEval => {
            let patch = Patch { vertices: vertices.clone(), values: vertices[0].clone() };
            let point = |x| TessPoint { patch: &patch, coord: [x, 0.5, 0.0], system: System::new() };
            let points = [0.0, 0.25, 1.0].map(point);
            program.tess_eval(&mut all, &system, &points).map(|o| format!("{o:?}"))
        }
        Stage::Geometry => {
            program.geometry(&mut all, &system, &[primitive.clone(), primitive]).map(|o| format!("{o:?}"))
        }
        Stage::Fragment => {
            let triangle = Primitive {
                vertices: vertices[..3].to_vec(),
                window: vec![[0.0, 0.0], [9.0, 1.0], [2.0, 7.0]],
                inverse_w: vec![1.0, 0.5, 0.25],
                ..Primitive::default()
            };
            let quad = |x| Quad { primitive: &triangle, pixel: [x, 2], fragments: Default::default() };
            let quads = [quad(0), quad(2), quad(4)];
            let batch = FragmentBatch { quads: &quads, sample_positions: &[[0.5, 0.5]], system };
            program.fragment(&mut all, &batch).map(|o| format!("{o:?}"))
        }
        Stage::Compute => program.compute(&mut all, &system, [2, 1, 1]).map(|()| String::new()),
        Stage::Task => program.task(&mut all, &system, [2, 1, 1]).map(|o| format!("{o:?}")),
        Stage::Mesh => program.mesh(&mut all, &system, [2, 1, 1], &[1, 2, 3]).map(|o| format!("{o:?}")),
    };
    assert_eq!(all.push_constants.len(), 64, "resources come back");
    result.map(|text| format!("{text}{:?}{:?}", all.buffers, all.images))
}

fn seeds() -> u64 {
    std::env::var("AIRFOIL_SEEDS").ok().and_then(|s| s.parse().ok()).unwrap_or(150)
}

#[test]
fn random_shaders_run_in_every_stage() {
    let (mut done, mut undefined, mut long) = (0, 0, 0);
    for &stage in Stage::ALL {
        for seed in 0..seeds() {
            let form = [Form::Variables, Form::Slots, Form::Target][(seed % 3) as usize];
            let options =
                generate::Options { stage: Some(stage), form: Some(form), ..generate::Options::default() };
            let shader = from_seed(seed, &options);
            let config = Config {
                robust: seed % 4 != 3,
                report_undefined: seed % 8 == 7,
                max_steps: 200_000,
                ..Config::default()
            };
            match run(&shader, config) {
                Ok(_) => done += 1,
                Err(fault) => match fault.kind {
                    FaultKind::Undefined => undefined += 1,
                    FaultKind::Steps => long += 1,
                    FaultKind::Unsupported => {
                        panic!("{stage} {seed}: {fault}\n{}", airfoil_ir::text::print(&shader))
                    }
                },
            }
        }
    }
    assert!(done > 8 * (undefined + long), "{done} done, {undefined} undefined, {long} too long");
}

#[test]
fn vertices_do_not_care_how_wide_subgroups_are() {
    for seed in 0..seeds() {
        let options = generate::Options {
            stage: Some(Stage::Vertex),
            form: Some([Form::Variables, Form::Slots][(seed % 2) as usize]),
            ..generate::Options::default()
        };
        let shader = from_seed(seed, &options);
        let text = airfoil_ir::text::print(&shader);
        // Instructions that look at other invocations, or at the order of accesses, do depend on it.
        let cares = [
            "ssbo", "image", "subgroup", "vote", "ballot", "reduce", "scan", "shuffle", "read_", "elect",
            "quad", "clock", "global", "ddx", "ddy",
        ];
        if cares.iter().any(|word| text.contains(word)) {
            continue;
        }
        let with =
            |subgroup_size| run(&shader, Config { subgroup_size, max_steps: 200_000, ..Config::default() });
        let (narrow, wide) = (with(1), with(64));
        if let (Ok(narrow), Ok(wide)) = (narrow, wide) {
            assert_eq!(narrow, wide, "{seed}\n{text}");
        }
    }
}
