//! Geometry shaders and the mesh shaders that they become make the same primitives, and mesh shaders whose outputs are kept in workgroup
//! memory the same meshes: both are executed and compared.

use airfoil_interp::run::{GeometryPrimitive, Mesh};
use airfoil_interp::{Binding, Config, Program, Resources, Space, System, Values};
use airfoil_ir::{Modes, Shader, Slot, SystemValue, text};
use airfoil_passes::stages::stage_buffer::{Part, RecordLayout, SET, SLOT_BYTES, StageBuffer};
use airfoil_passes::{Manager, Pipeline, manager};

/// A shader after a pipeline, with every check enabled.
fn after(source: &str, passes: &str) -> Shader {
    let mut shader = text::parse(source).unwrap_or_else(|e| panic!("{e:?}\n{source}"));
    let pipeline = Pipeline::parse(passes).expect("a pipeline");
    let mut manager = Manager::new(manager::Options::checked());
    let _ = manager.run(&pipeline, &mut shader).unwrap_or_else(|e| panic!("{e:?}"));
    shader
}

fn generic(n: u32) -> Slot {
    Slot::generic(n).expect("a location")
}

/// A vertex whose position and location 0 encode its index.
fn vertex(n: u32) -> Values {
    let mut values = Values::new();
    let n = n as f32;
    values.set_floats(Slot::POSITION, [n, n * 10.0, n * 100.0, 1.0]);
    values.set_floats(generic(0), [n + 0.25, n + 0.5, 0.0, 0.0]);
    values
}

/// The vertices as the vertex stage writes them.
fn records(vertices: &[Values], layout: &RecordLayout) -> Vec<u8> {
    let mut bytes = vec![0; vertices.len() * layout.record_bytes() as usize];
    for (n, vertex) in vertices.iter().enumerate() {
        for (slot, offset) in layout.iter() {
            for c in 0..SLOT_BYTES / 4 {
                let at = n * layout.record_bytes() as usize + (offset + 4 * c) as usize;
                let word = vertex.get(slot, c).unwrap_or(0);
                bytes[at..at + 4].copy_from_slice(&word.to_le_bytes());
            }
        }
    }
    bytes
}

/// A primitive: its vertices in the order of the mesh, and its layer.
type Made = (Vec<Values>, Option<u32>);

/// The output of the geometry shader, strips split and the provoking vertex first.
fn by_geometry(shader: &Shader, inputs: &[Values], size: usize, arity: usize, first: bool) -> Vec<Made> {
    let mut program = Program::new(shader, Config::default()).expect("prepares");
    let primitives: Vec<GeometryPrimitive<'_>> = (0..)
        .zip(inputs.chunks(size))
        .map(|(n, vertices)| GeometryPrimitive {
            vertices: vertices.iter().collect(),
            system: System::new().with(SystemValue::primitive_id, n),
        })
        .collect();
    let streams = program.geometry(&mut Resources::new(), &System::new(), &primitives).expect("runs");
    let mut out = Vec::new();
    for strip in streams.iter().flat_map(|s| &s[0].primitives) {
        for start in 0..(strip.len() + 1).saturating_sub(arity) {
            let mut order: Vec<usize> = (start..start + arity).collect();
            // OpenGL 4.6 table 10.1: every second triangle has two of its vertices swapped.
            match (arity, start % 2, first) {
                (3, 1, true) => order.swap(1, 2),
                (3, 1, false) => order.swap(0, 1),
                _ => {}
            }
            if !first {
                order.rotate_right(1);
            }
            let corners: Vec<Values> = order.iter().map(|&v| strip[v].clone()).collect();
            let layer = corners[0].get(Slot::LAYER, 0);
            out.push((corners, layer));
        }
    }
    out
}

/// The output of the mesh shader.
fn by_mesh(shader: &Shader, inputs: &[Values], layout: &RecordLayout, groups: u32, arity: u32) -> Vec<Made> {
    let mut program = Program::new(shader, Config::default()).expect("prepares");
    let mut resources = Resources::new();
    let buffer = resources.add_buffer(records(inputs, layout));
    let whole = Binding::Buffer { buffer, offset: 0, size: None };
    resources.bind(Space::Storage, SET, StageBuffer::Vertices.binding(), 0, whole);
    let meshes: Vec<Mesh> = program.mesh(&mut resources, &System::new(), [groups, 1, 1], &[]).expect("runs");
    let mut out = Vec::new();
    for mesh in &meshes {
        for primitive in &mesh.primitives {
            let corner = |c| primitive.get(Slot::PRIMITIVE_INDICES, c).expect("an index") as usize;
            let corners = (0..arity).map(|c| mesh.vertices[corner(c)].clone()).collect();
            out.push((corners, primitive.get(Slot::LAYER, 0)));
        }
    }
    out
}

/// The values that both have to have: all but the layer, which a mesh has for the primitive.
fn words(values: &Values) -> Vec<(Slot, [u32; 4])> {
    let all = values.iter().filter(|v| v.0 != Slot::LAYER);
    let mut words: Vec<_> = all
        .map(|(slot, _, words, defined)| {
            let kept = std::array::from_fn(|c| if defined & (1 << c) != 0 { words[c] } else { 0 });
            (slot, kept)
        })
        .collect();
    words.sort_by_key(|w| w.0);
    words
}

/// Compares both for shaders of a topology with `code`, at several levels and for both conventions.
fn compare(
    declared: &str,
    input: (&str, usize),
    output: (&str, usize),
    invocations: u32,
    code: &str,
) -> usize {
    let (input, size) = input;
    let (output, arity) = output;
    let source = format!(
        "foil 1\nshader geometry \"t\" {{\n  form variables\n  input_primitive {input}\n  output_primitive {output}\n  invocations {invocations}\n{declared}\n  in vec4[{size}] p location=position\n  in vec2[{size}] uv location=0\n  out vec4 q location=position\n  out vec2 w location=2\n  entry fn main {{\n{code}\n  }}\n}}\n"
    );
    let inputs: Vec<Values> = (0..size as u32 * 3).map(vertex).collect();
    let mut count = 0;
    for level in ["O0", "O2"] {
        let geometry = after(&source, level);
        let layout = RecordLayout::of(&geometry, Modes::IN, Part::Vertex);
        for first in [true, false] {
            let mesh = after(
                &source,
                &format!(
                    "{level}, geometry_to_mesh{{first_provokes={first}}}, locals, loop(values), lower_doubles, loop(values), gather_info"
                ),
            );
            let expected = by_geometry(&geometry, &inputs, size, arity, first);
            let made = by_mesh(&mesh, &inputs, &layout, 3 * invocations.max(1), arity as u32);
            assert_eq!(made.len(), expected.len(), "{source}");
            for ((a, layer), (b, other)) in made.iter().zip(&expected) {
                assert_eq!(
                    a.iter().map(words).collect::<Vec<_>>(),
                    b.iter().map(words).collect::<Vec<_>>(),
                    "first provokes: {first}\n{source}"
                );
                assert_eq!(layer, other, "first provokes: {first}\n{source}");
            }
            count += made.len();
        }
    }
    count
}

/// Copies vertex `k` of the input to the outputs and emits it.
fn emit(k: usize) -> String {
    format!(
        "    32x1 %i{k} = const {k}\n    %p{k} = deref_array %p[%i{k}]\n    32x4 %v{k} = load_deref %p{k}\n    %uv{k} = deref_array %uv[%i{k}]\n    32x2 %t{k} = load_deref %uv{k}\n    store_deref %q, %v{k}\n    store_deref %w, %t{k}\n    emit_vertex stream=0\n"
    )
}

/// The same, with a layer of its own.
fn emit_in_layer(k: usize) -> String {
    format!("    32x1 %l{k} = const {}\n    store_deref %layer, %l{k}\n{}", k + 3, emit(k))
}

const START: &str =
    "    %p = deref_var &p\n    %uv = deref_var &uv\n    %q = deref_var &q\n    %w = deref_var &w\n";

fn all(size: usize, each: impl Fn(usize) -> String) -> String {
    START.to_owned() + &(0..size).map(each).collect::<String>()
}

const LAYER: &str = "  out int layer location=layer\n";

#[test]
fn points_lines_and_triangles() {
    let limit = |n: usize| format!("  max_vertices {n}");
    assert_eq!(compare(&limit(1), ("points", 1), ("points", 1), 0, &all(1, emit)), 12);
    assert_eq!(compare(&limit(2), ("lines", 2), ("line_strip", 2), 0, &all(2, emit)), 12);
    assert_eq!(compare(&limit(3), ("triangles", 3), ("triangle_strip", 3), 0, &all(3, emit)), 12);
    // A strip of four triangles.
    let six = &all(6, emit);
    assert_eq!(compare(&limit(6), ("triangles_adjacency", 6), ("triangle_strip", 3), 0, six), 48);
}

#[test]
fn strips_end_and_start_anew() {
    let ends = all(4, |k| emit(k) + if k == 2 { "    end_primitive stream=0\n" } else { "" });
    let input = ("lines_adjacency", 4);
    // Two lines of the first three vertices, and one triangle; the fourth vertex completes none.
    assert_eq!(compare("  max_vertices 4", input, ("line_strip", 2), 0, &ends), 24);
    assert_eq!(compare("  max_vertices 4", input, ("triangle_strip", 3), 0, &ends), 12);
}

#[test]
fn layers_are_those_of_the_provoking_vertex() {
    let declared = format!("  max_vertices 6\n{LAYER}");
    let code =
        |size| all(size, emit_in_layer).replacen("    %p =", "    %layer = deref_var &layer\n    %p =", 1);
    assert_eq!(compare(&declared, ("triangles_adjacency", 6), ("triangle_strip", 3), 0, &code(6)), 48);
    assert_eq!(compare(&declared, ("lines_adjacency", 4), ("line_strip", 2), 0, &code(4)), 36);
    assert_eq!(compare(&declared, ("points", 1), ("points", 1), 0, &code(1)), 12);
}

#[test]
fn invocations_follow_each_other() {
    let tell = "    32x1 %n = load_invocation_id\n    32x1 %m = load_primitive_id\n    32x1 %nf = u2f %n\n    32x1 %mf = u2f %m\n    32x2 %nm = vec2 %nf, %mf\n";
    let code = all(3, emit).replacen("    32x1 %i0", &format!("{tell}    32x1 %i0"), 1);
    let code = code.replace("store_deref %w, %t1", "store_deref %w, %nm");
    assert_eq!(compare("  max_vertices 3", ("triangles", 3), ("triangle_strip", 3), 2, &code), 24);
}

#[test]
fn vertices_beyond_the_greatest_number_are_dropped() {
    // Emitted in a loop by a counter in memory.
    let code = START.to_owned()
        + "    32x1 %zero = const 0\n    32x1 %one = const 1\n    32x1 %six = const 6\n    %n = deref_var &n\n    store_deref %n, %zero\n    loop {\n      32x1 %i = load_deref %n\n      1x1 %end = uge %i, %six\n      if %end {\n        break\n      }\n      %pi = deref_array %p[%i]\n      32x4 %v = load_deref %pi\n      store_deref %q, %v\n      1x1 %odd = ilt %one, %i\n      if %odd {\n        32x2 %t = const 7.0\n        store_deref %w, %t\n      } else {\n        32x2 %s = const 8.0\n        store_deref %w, %s\n      }\n      emit_vertex stream=0\n      32x1 %next = iadd %i, %one\n      store_deref %n, %next\n    }\n";
    let declared = "  max_vertices 5\n  shader_temp uint n";
    assert_eq!(compare(declared, ("triangles_adjacency", 6), ("triangle_strip", 3), 0, &code), 36);
}

#[test]
fn outputs_in_workgroup_memory_come_out_the_same() {
    let file = include_str!("../../tests/filetests/passes/mesh_outputs_to_shared/parts.foil");
    let source = file.split("; EXPECT").next().expect("a shader");
    // Fewer invocations than vertices, too.
    for size in ["4 1 1", "1 2 1", "3 2 2"] {
        let source = source.replace("workgroup_size 4 1 1", &format!("workgroup_size {size}"));
        let source = source.replace("%v = const 1.0", "%vf = u2f %i\n    32x4 %v = mov %vf.xxxx");
        let source = source.replace(
            "    32x1 %i = load_local_invocation_index",
            "    32x1 %all = load_local_invocation_index\n    32x1 %i = umin %all, %one",
        );
        let source = source.replace("    32x4 %vf", "    32x1 %vf");
        let run = |shader: &Shader| {
            let mut program = Program::new(shader, Config::default()).expect("prepares");
            program.mesh(&mut Resources::new(), &System::new(), [1; 3], &[]).expect("runs")
        };
        let plain = run(&after(&source, "lower_returns"));
        let kept = run(&after(&source, "mesh_outputs_to_shared"));
        assert_eq!(kept[0].vertices.len(), 3);
        for (a, b) in plain[0]
            .vertices
            .iter()
            .chain(&plain[0].primitives)
            .zip(kept[0].vertices.iter().chain(&kept[0].primitives))
        {
            for (slot, words) in words(a) {
                let found = words_at(b, slot);
                assert_eq!(found, Some(words), "{slot}\n{source}");
            }
        }
    }
}

/// The words of a slot.
fn words_at(values: &Values, slot: Slot) -> Option<[u32; 4]> {
    words(values).into_iter().find(|w| w.0 == slot).map(|w| w.1)
}
