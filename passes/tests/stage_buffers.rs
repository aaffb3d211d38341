//! Stages that become kernels write what the stages themselves would have given: both are executed and compared.

use airfoil_interp::run::Vertex;
use airfoil_interp::{Binding, Config, Program, Resources, Space, System, Values};
use airfoil_ir::{Shader, Slot, SystemValue, text};
use airfoil_passes::stage_buffer::{RecordLayout, SET, StageBuffer};
use airfoil_passes::{Manager, OptionValue, Pipeline, manager};

/// A shader behind a pipeline, every check on.
fn after(source: &str, passes: &str) -> Shader {
    let mut shader = text::parse(source).unwrap_or_else(|e| panic!("{e:?}\n{source}"));
    let pipeline = Pipeline::parse(passes).expect("a pipeline");
    let mut manager = Manager::new(manager::Options::checked());
    let _ = manager.run(&pipeline, &mut shader).unwrap_or_else(|e| panic!("{e:?}"));
    shader
}

/// Binds a new buffer of a stage; gives its number.
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
