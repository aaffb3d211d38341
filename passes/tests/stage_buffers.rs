//! Stages that become kernels write the outputs of the original stages: both are executed and compared.

use airfoil_interp::run::{GeometryPrimitive, Patch, TessPoint, Vertex};
use airfoil_interp::{Binding, Config, Program, Resources, Space, System, Values};
use airfoil_ir::{Shader, Slot, SystemValue, text};
use airfoil_passes::stages::stage_buffer::{RecordLayout, SET, StageBuffer};
use airfoil_passes::{Manager, OptionValue, Pipeline, manager};

/// A shader after a pipeline, with every check enabled.
fn after(source: &str, passes: &str) -> Shader {
    let mut shader = text::parse(source).unwrap_or_else(|e| panic!("{e:?}\n{source}"));
    let pipeline = Pipeline::parse(passes).expect("a pipeline");
    let mut manager = Manager::new(manager::Options::checked());
    let _ = manager.run(&pipeline, &mut shader).unwrap_or_else(|e| panic!("{e:?}"));
    shader
}

/// Binds a new buffer of a stage; returns its index.
fn bind(resources: &mut Resources, buffer: StageBuffer, bytes: Vec<u8>) -> usize {
    let number = resources.add_buffer(bytes);
    let whole = Binding::Buffer { buffer: number, offset: 0, size: None };
    resources.bind(Space::Storage, SET, buffer.binding(), 0, whole);
    number
}

/// The words of a slot of a record.
fn record(bytes: &[u8], layout: &RecordLayout, index: usize, slot: Slot) -> [u32; 4] {
    let at = index * layout.record_bytes() as usize + layout.offset(slot).expect("is in the record") as usize;
    std::array::from_fn(|c| u32::from_le_bytes(bytes[at + 4 * c..][..4].try_into().expect("four bytes")))
}

fn layout(text: &str) -> RecordLayout {
    RecordLayout::parse(text).expect("a layout")
}

/// All components that were written are in the record.
fn expect(values: &Values, bytes: &[u8], layout: &RecordLayout, index: usize) {
    let mut compared = 0;
    for (slot, _, words, defined) in values.iter() {
        let found = record(bytes, layout, index, slot);
        for c in (0..4).filter(|c| defined & (1 << c) != 0) {
            assert_eq!(found[c], words[c], "record {index}, {slot}, component {c}");
            compared += 1;
        }
    }
    assert!(compared > 0, "nothing to compare");
}

const VERTEX: &str = "foil 1
shader vertex \"t\" {
  form variables
  out vec4 pos location=position
  out vec2[2] wide location=3
  out float size location=point_size
  system_value uint vertex builtin=vertex_id
  system_value uint instance builtin=instance_id
  entry fn main {
    %v = load_deref &vertex
    %i = load_deref &instance
    32x1 %x = u2f %v
    32x1 %y = u2f %i
    %p = vec4 %x, %y, %x, %y
    store_deref &pos, %p
    32x1 %one = const 1
    32x1 %odd = iand %v, %one
    %wide = deref_var &wide
    %e = deref_array %wide[%odd]
    %w = vec2 %y, %x
    store_deref %e, %w
    1x1 %is = ieq %odd, %one
    if %is {
      store_deref &size, %y
    }
  }
}
";

#[test]
fn vertices_write_records() {
    let (vertices, instances) = (5u32, 3u32);
    let plain = after(VERTEX, "lower_io");
    let kernel = after(VERTEX, "lower_io, vertex_outputs_to_buffer{slots=position|3|4|point_size}, dce");
    let layout = layout("position|3|4|point_size");
    let jobs: Vec<Vertex> = (0..instances)
        .flat_map(|i| (0..vertices).map(move |v| (v, i)))
        .map(|(v, i)| {
            let own = System::new().with(SystemValue::vertex_id, u64::from(v));
            Vertex { system: own.with(SystemValue::instance_id, u64::from(i)), ..Vertex::default() }
        })
        .collect();
    let mut program = Program::new(&plain, Config::default()).expect("prepares");
    let expected = program.vertex(&mut Resources::new(), &System::new(), &jobs).expect("runs");

    let mut resources = Resources::new();
    let bytes = vec![0xee; (vertices * instances * layout.record_bytes()) as usize];
    let buffer = bind(&mut resources, StageBuffer::Vertices, bytes);
    let mut program = Program::new(&kernel, Config::default()).expect("prepares");
    program.compute(&mut resources, &System::new(), [vertices, instances, 1]).expect("runs");
    let bytes = &resources.buffers[buffer].bytes;
    for (n, values) in expected.iter().enumerate() {
        expect(values, bytes, &layout, n);
    }
}

const CONTROL: &str = "foil 1
shader tess_control \"t\" {
  form variables
  patch_vertices_out 4
  in vec4[] pos location=position
  in vec2[][2] wide location=3
  out vec4[4] moved location=position
  out float[4] sum location=7
  out vec3 centre location=patch2 patch
  out float[4] outer location=tess_level_outer patch compact
  out float[2] inner location=tess_level_inner patch compact
  system_value int id builtin=invocation_id
  system_value uint number builtin=primitive_id
  system_value uint count builtin=patch_vertices_in
  entry fn main {
    %i = load_deref &id
    %n = load_deref &number
    %c = load_deref &count
    32x1 %one = const 1
    32x1 %three = const 3
    32x1 %zero = const 0
    32x1 %back = isub %c, %one
    %pos = deref_var &pos
    %from = deref_array %pos[%back]
    32x4 %p = load_deref %from
    32x1 %f = u2f %i
    %q = fadd %p, %f.xxxx
    %moved = deref_var &moved
    %to = deref_array %moved[%i]
    store_deref %to, %q
    barrier execution=workgroup memory=workgroup modes=out semantics=acquire|release
    %j = isub %three, %i
    %other = deref_array %moved[%j]
    32x4 %r = load_deref %other
    %wide = deref_var &wide
    %w0 = deref_array %wide[%zero]
    %w1 = deref_array %w0[%one]
    32x2 %w = load_deref %w1
    %s = fadd %r.x, %w.y
    %sum = deref_var &sum
    %mine = deref_array %sum[%i]
    store_deref %mine, %s
    1x1 %is = ieq %i, %three
    if %is {
      32x1 %nf = u2f %n
      %v = vec3 %nf, %s, %f
      store_deref &centre, %v
      32x1 %half = const 0.5
      %l = fadd %nf, %half
      %outer = deref_var &outer
      %o0 = deref_array %outer[%zero]
      store_deref %o0, %l
      %o1 = deref_array %outer[%one]
      store_deref %o1, %f
      32x1 %two = const 2
      %o2 = deref_array %outer[%two]
      store_deref %o2, %half
      %o3 = deref_array %outer[%three]
      store_deref %o3, %l
      %inner = deref_var &inner
      %i0 = deref_array %inner[%zero]
      store_deref %i0, %f
      %i1 = deref_array %inner[%one]
      store_deref %i1, %l
    }
  }
}
";

/// Vertices with a value in each slot of a layout.
fn vertices(count: u32, layout: &RecordLayout) -> Vec<Values> {
    let vertex = |n: u32| {
        let mut values = Values::new();
        for (slot, at) in layout.iter() {
            values.set_floats(slot, std::array::from_fn(|c| (n * 1000 + at + c as u32) as f32));
        }
        values
    };
    (0..count).map(vertex).collect()
}

/// The bytes of records.
fn bytes<'a>(records: impl IntoIterator<Item = &'a Values>, layout: &RecordLayout) -> Vec<u8> {
    let mut bytes = Vec::new();
    for values in records {
        for (slot, _) in layout.iter() {
            let words = (0..4).map(|c| values.get(slot, c).unwrap_or(0xeeee_eeee));
            bytes.extend(words.flat_map(u32::to_le_bytes));
        }
    }
    bytes
}

fn half(bytes: &[u8], at: usize) -> f32 {
    // The values of the test are exact: sign 0, no subnormal numbers.
    let bits = u16::from_le_bytes([bytes[at], bytes[at + 1]]);
    if bits == 0 { 0.0 } else { f32::from_bits((u32::from(bits) << 13) + (112 << 23)) }
}

/// The outputs of the control shader for the patches of two instances, as a control shader and as a kernel.
fn control(quads: bool) {
    let (inputs, outputs) = (layout("position|3|4"), layout("position|7"));
    let patches = layout("patch2|tess_level_outer|tess_level_inner|primitive_id");
    let plain = after(CONTROL, "lower_io");
    let passes = format!(
        "lower_io, tess_control_to_kernel{{patch_vertices=3, quads={quads}, patches=patch2|primitive_id}}, dce"
    );
    let kernel = after(CONTROL, &passes);
    let (per_instance, instances) = (3u32, 2u32);
    let count = per_instance * instances;
    let given = vertices(3 * count, &inputs);
    let jobs: Vec<GeometryPrimitive<'_>> = (0..count)
        .map(|n| GeometryPrimitive {
            vertices: given[3 * n as usize..][..3].iter().collect(),
            system: System::new().with(SystemValue::primitive_id, u64::from(n % per_instance)),
        })
        .collect();
    let mut program = Program::new(&plain, Config::default()).expect("prepares");
    let expected = program.tess_control(&mut Resources::new(), &System::new(), &jobs).expect("runs");

    let mut resources = Resources::new();
    bind(&mut resources, StageBuffer::Vertices, bytes(&given, &inputs));
    let mut room = |buffer, each: u32| bind(&mut resources, buffer, vec![0xee; (count * each) as usize]);
    let points = room(StageBuffer::ControlPoints, 4 * outputs.record_bytes());
    let whole = room(StageBuffer::Patches, patches.record_bytes());
    let factor_bytes = if quads { 12 } else { 8 };
    let factors = room(StageBuffer::TessFactors, factor_bytes);
    let mut program = Program::new(&kernel, Config::default()).expect("prepares");
    program.compute(&mut resources, &System::new(), [per_instance, instances, 1]).expect("runs");
    let made = |n: usize| &resources.buffers[n].bytes;
    for (n, patch) in expected.iter().enumerate() {
        assert_eq!(patch.vertices.len(), 4);
        for (k, values) in patch.vertices.iter().enumerate() {
            expect(values, made(points), &outputs, 4 * n + k);
        }
        expect(&patch.values, made(whole), &patches, n);
        assert_eq!(record(made(whole), &patches, n, Slot::PRIMITIVE_ID)[0], n as u32 % per_instance);
        let level = |slot, c| patch.values.get(slot, c).map(f32::from_bits).expect("is written");
        let (outer, inner) = (|c| level(Slot::TESS_LEVEL_OUTER, c), |c| level(Slot::TESS_LEVEL_INNER, c));
        let levels = match quads {
            true => vec![outer(0), outer(1), outer(2), outer(3), inner(0), inner(1)],
            false => vec![outer(0), outer(1), outer(2), inner(0)],
        };
        let start = n * factor_bytes as usize;
        let found: Vec<f32> = (0..levels.len()).map(|c| half(made(factors), start + 2 * c)).collect();
        assert_eq!(found, levels, "patch {n}");
    }
}

#[test]
fn patches_of_quads() {
    control(true);
}

#[test]
fn patches_of_triangles() {
    control(false);
}

const EVALUATION: &str = "foil 1
shader tess_eval \"t\" {
  form variables
  input_primitive quads
  in vec4[] moved location=position
  in float[] sum location=7
  in vec3 centre location=patch2 patch
  in float[4] outer location=tess_level_outer patch compact
  out vec4 pos location=position
  out vec4 colour location=0
  system_value vec3 at builtin=tess_coord
  system_value uint number builtin=primitive_id
  system_value uint count builtin=patch_vertices_in
  entry fn main {
    %at = load_deref &at
    %c = load_deref &count
    32x1 %one = const 1
    %last = isub %c, %one
    %moved = deref_var &moved
    %m = deref_array %moved[%last]
    32x4 %p = load_deref %m
    %r = fmul %p, %at.xyxy
    store_deref &pos, %r
    %sum = deref_var &sum
    %e = deref_array %sum[%one]
    32x1 %s = load_deref %e
    %v = load_deref &centre
    %outer = deref_var &outer
    %o = deref_array %outer[%one]
    32x1 %l = load_deref %o
    %n = load_deref &number
    32x1 %nf = u2f %n
    %k = vec4 %s, %v.z, %l, %nf
    store_deref &colour, %k
  }
}
";

#[test]
fn points_of_patches_read_records() {
    let (points, patches) =
        (layout("position|7"), layout("patch2|tess_level_outer|tess_level_inner|primitive_id"));
    let plain = after(EVALUATION, "lower_io");
    let lowered = after(EVALUATION, "lower_io, tess_eval_inputs_from_buffers{patch_vertices=4}, dce");
    let given = vertices(3 * 4, &points);
    let mut made: Vec<Patch> = given
        .chunks(4)
        .zip(vertices(3, &patches))
        .map(|(four, values)| Patch { vertices: four.to_vec(), values })
        .collect();
    for (n, patch) in (5..).zip(&mut made) {
        patch.values.set(Slot::PRIMITIVE_ID, 0, n);
    }
    let jobs: Vec<TessPoint<'_>> = (0..7u64)
        .map(|n| TessPoint {
            patch: &made[n as usize % 3],
            coord: [0.25 * n as f32, 0.5, 0.0],
            system: System::new()
                .with(SystemValue::primitive_id, 5 + n % 3)
                .with(SystemValue::patch_id, n % 3),
        })
        .collect();
    let mut program = Program::new(&plain, Config::default()).expect("prepares");
    let expected = program.tess_eval(&mut Resources::new(), &System::new(), &jobs).expect("runs");
    let mut resources = Resources::new();
    bind(&mut resources, StageBuffer::ControlPoints, bytes(&given, &points));
    bind(&mut resources, StageBuffer::Patches, bytes(made.iter().map(|p| &p.values), &patches));
    let mut program = Program::new(&lowered, Config::default()).expect("prepares");
    let empty = Patch::default();
    let alone: Vec<TessPoint<'_>> =
        jobs.iter().map(|job| TessPoint { patch: &empty, system: job.system.clone(), ..*job }).collect();
    let found = program.tess_eval(&mut resources, &System::new(), &alone).expect("runs");
    assert_eq!(found, expected);

    // As a kernel: points come from a buffer, and records go to one.
    let outputs = layout("position|0|primitive_id");
    let passes = "lower_io, tess_eval_to_kernel{patch_vertices=4, outputs=position|0|primitive_id}, dce";
    let kernel = after(EVALUATION, passes);
    let mut program = Program::new(&kernel, Config::default()).expect("prepares");
    let point = |job: &TessPoint<'_>| {
        let patch = job.system.get(SystemValue::patch_id).expect("is given")[0] as u32;
        let [u, v, w] = job.coord.map(f32::to_bits);
        [u, v, w, patch].into_iter().flat_map(u32::to_le_bytes).collect::<Vec<u8>>()
    };
    bind(&mut resources, StageBuffer::TessPoints, jobs.iter().flat_map(point).collect());
    let room = vec![0xee; jobs.len() * outputs.record_bytes() as usize];
    let made = bind(&mut resources, StageBuffer::Vertices, room);
    // One workgroup of one invocation for each point.
    program.compute(&mut resources, &System::new(), [jobs.len() as u32, 1, 1]).expect("runs");
    let bytes = &resources.buffers[made].bytes;
    for (n, values) in expected.iter().enumerate() {
        expect(values, bytes, &outputs, n);
        assert_eq!(record(bytes, &outputs, n, Slot::PRIMITIVE_ID)[0], 5 + n as u32 % 3);
    }
}
