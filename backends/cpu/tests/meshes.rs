//! Task, mesh and geometry shaders produce the results of the interpreter.
#![cfg(any(feature = "llvm14", feature = "llvm19"))]

mod support;

use airfoil::{OptLevel, Shader, Stage};
use airfoil_cpu::{Config, Program};
use airfoil_interp::run::GeometryPrimitive;
use airfoil_interp::{Resources, System, Values};
use airfoil_ir::{Slot, SystemValue};
use support::lowered;

fn of_foil(text: &str) -> Shader {
    let mut shader = airfoil::steps::read_foil(text).unwrap_or_else(|e| panic!("{e:?}"));
    airfoil::steps::optimize(&mut shader, OptLevel::O2).unwrap_or_else(|e| panic!("{e:?}"));
    shader
}

const TASK: &str = r#"foil 1
shader task "o" {
  form variables
  workgroup_size 4 1 1
  struct P { uint[4] id, uint n }
  task_payload P p
  shared uint sum
  entry fn main {
    32x1 %i = load_local_invocation_index
    32x3 %g = load_workgroup_id
    32x1 %gx = mov %g.x
    32x1 %x = iadd %i, %gx
    %p = deref_var &p
    %ids = deref_struct %p.id
    %id = deref_array %ids[%i]
    store_deref %id, %x
    32x1 %zero = const 0
    1x1 %first = ieq %i, %zero
    %n = deref_struct %p.n
    %sum = deref_var &sum
    if %first {
      store_deref %n, %gx
      store_deref %sum, %zero
    }
    barrier execution=workgroup memory=workgroup modes=shared|task_payload semantics=acquire|release
    32x1 %old = deref_atomic %sum, %x op=iadd
    barrier execution=workgroup memory=workgroup modes=shared|task_payload semantics=acquire|release
    32x1 %all = load_deref %sum
    32x1 %one = const 1
    32x3 %count = vec3 %all, %one, %one
    launch_mesh_workgroups %count
    halt
  }
}
"#;

const MESH: &str = r#"foil 1
shader mesh "m" {
  form variables
  workgroup_size 4 1 1
  output_primitive triangles
  max_vertices 4
  max_primitives 2
  struct P { uint[4] id, uint n }
  task_payload P p
  out vec4[4] pos location=position
  out float[4][2] clip location=clip_dist0
  out vec4[4] c location=0
  out uint[2] tint location=3 per_primitive
  out uvec3[2] tri location=primitive_indices per_primitive
  out int[2] layer location=layer per_primitive
  entry fn main {
    32x1 %four = const 4
    32x1 %two = const 2
    set_mesh_outputs %four, %two
    32x1 %i = load_local_invocation_index
    32x3 %g = load_workgroup_id
    32x1 %gx = mov %g.x
    %p = deref_var &p
    %ids = deref_struct %p.id
    %id = deref_array %ids[%i]
    32x1 %x = load_deref %id
    32x1 %xf = u2f %x
    32x1 %gf = u2f %gx
    %n = deref_struct %p.n
    32x1 %nv = load_deref %n
    32x4 %v = vec4 %xf, %gf, %xf, %gf
    %pos = deref_var &pos
    %pi = deref_array %pos[%i]
    store_deref %pi, %v
    32x1 %one = const 1
    32x1 %zero = const 0
    %clip = deref_var &clip
    %ci = deref_array %clip[%i]
    %c0 = deref_array %ci[%zero]
    %c1 = deref_array %ci[%one]
    store_deref %c0, %xf
    store_deref %c1, %gf
    %c = deref_var &c
    %e = deref_array %c[%i]
    store_deref %e, %v mask=xz
    32x1 %other = isub %four, %i
    32x1 %last = isub %other, %one
    %f = deref_array %c[%last]
    store_deref %f, %v mask=yw
    1x1 %has = ult %i, %two
    if %has {
      %tint = deref_var &tint
      %ti = deref_array %tint[%i]
      store_deref %ti, %nv
      %layer = deref_var &layer
      %li = deref_array %layer[%i]
      store_deref %li, %i
      32x1 %b = iadd %i, %one
      32x1 %d = iadd %i, %two
      32x3 %t = vec3 %i, %b, %d
      %tri = deref_var &tri
      %tri_i = deref_array %tri[%i]
      store_deref %tri_i, %t
    }
  }
}
"#;

#[test]
fn tasks_and_meshes_as_the_interpreter_has_them() {
    let (task, mesh) = (of_foil(TASK), of_foil(MESH));
    let config = airfoil_interp::Config::default();
    let mut interpreted = airfoil_interp::Program::new(&task, config.clone()).expect("prepares");
    let expected = interpreted.task(&mut Resources::new(), &System::new(), [3, 1, 1]).expect("runs");
    let program = Program::new(&task, Config::default()).expect("compiles");
    let tasks = program.tasks(&mut Resources::new(), [3, 1, 1]).expect("runs");
    assert_eq!(tasks, expected);
    assert_eq!(tasks[2].groups, [14, 1, 1]);

    let mut interpreted = airfoil_interp::Program::new(&mesh, config).expect("prepares");
    let program = Program::new(&mesh, Config::default()).expect("compiles");
    for task in &tasks {
        let groups = [2, 1, 1];
        let expected =
            interpreted.mesh(&mut Resources::new(), &System::new(), groups, &task.payload).expect("runs");
        let meshes = program.meshes(&mut Resources::new(), groups, &task.payload).expect("runs");
        assert_eq!(meshes.len(), 2);
        for (mesh, expected) in meshes.iter().zip(&expected) {
            assert_eq!(mesh.vertices.len(), expected.vertices.len());
            let same = |a: &Values, b: &Values| {
                for (slot, source, words, defined) in b.iter() {
                    for c in (0..4).filter(|c| defined & (1 << c) != 0) {
                        assert_eq!(a.get(slot, c), Some(words[c as usize]), "{slot} {c} of {source}");
                    }
                }
            };
            mesh.vertices.iter().zip(&expected.vertices).for_each(|(a, b)| same(a, b));
            mesh.primitives.iter().zip(&expected.primitives).for_each(|(a, b)| same(a, b));
        }
    }
}

#[test]
fn a_geometry_shader_emits_the_same_vertices() {
    let shader = lowered(
        Stage::Geometry,
        "#version 450
        layout(triangles, invocations = 2) in;
        layout(triangle_strip, max_vertices = 7) out;
        layout(location = 1) in vec2 uv[];
        layout(location = 0) out vec3 color;
        layout(location = 4) out float more[3];
        void main() {
            for (int i = 0; i < 4; ++i) {
                gl_Position = gl_in[i % 3].gl_Position * float(i + 1);
                color = vec3(uv[i % 3], float(gl_InvocationID));
                more[i % 3] = float(gl_PrimitiveIDIn);
                more[(i + 1) % 3] = 2.0;
                more[(i + 2) % 3] = 3.0;
                gl_Layer = i;
                EmitVertex();
            }
            EndPrimitive();
            if (gl_InvocationID == 1) {
                for (int i = 0; i < 3; ++i) {
                    gl_Position = vec4(float(i));
                    color.x = float(i);
                    EmitVertex();
                }
            }
        }",
    );
    let vertices: Vec<Values> = (0..9u32)
        .map(|n| {
            let mut values = Values::new();
            values.set_floats(Slot::POSITION, [n as f32, 1.0, -2.0, 4.0]);
            values.set_floats(Slot::generic(1).unwrap(), [0.5, n as f32, 0.0, 0.0]);
            values
        })
        .collect();
    let primitives: Vec<GeometryPrimitive<'_>> = (0..)
        .zip(vertices.chunks(3))
        .map(|(n, three)| GeometryPrimitive {
            vertices: three.iter().collect(),
            system: System::new().with(SystemValue::primitive_id, n),
        })
        .collect();
    let config = airfoil_interp::Config::default();
    let mut interpreted = airfoil_interp::Program::new(&shader, config).expect("prepares");
    let expected = interpreted.geometry(&mut Resources::new(), &System::new(), &primitives).expect("runs");
    let program =
        Program::new(&shader, Config { first_provokes: false, ..Config::default() }).expect("compiles");
    let streams = program.geometry(&mut Resources::new(), &primitives).expect("runs");
    assert_eq!(streams.len(), expected.len());
    for (made, expected) in streams.iter().zip(&expected) {
        let mut triangles = Vec::new();
        for strip in &expected[0].primitives {
            for n in 0..strip.len() - 2 {
                let order = if n % 2 == 0 { [n, n + 1, n + 2] } else { [n + 1, n, n + 2] };
                triangles.push(order.map(|v| strip[v].clone()));
            }
        }
        // Two of each invocation, and one more of the second.
        assert_eq!((made[0].primitives.len(), triangles.len()), (5, 5));
        for (a, b) in made[0].primitives.iter().zip(&triangles) {
            for (a, b) in a.iter().zip(b) {
                for slot in [
                    Slot::POSITION,
                    Slot::generic(0).unwrap(),
                    Slot::generic(4).unwrap(),
                    Slot::generic(5).unwrap(),
                    Slot::generic(6).unwrap(),
                ] {
                    for c in 0..4 {
                        assert_eq!(a.get(slot, c), b.get(slot, c), "{slot} {c}");
                    }
                }
            }
            assert_eq!(a[0].get(Slot::LAYER, 0), b[2].get(Slot::LAYER, 0));
        }
    }
}
