//! Distances of mesh shaders: primitives are culled by the mesh shader itself, and clip distances become varyings.

use crate::support::{again, exact, lower, points, try_lower};
use airfoil::Shader;
use airfoil::interp::run::{Mesh, Program};
use airfoil::interp::{Config, Resources, System};
use airfoil::ir::{IntrinsicOp, Modes, Slot, text};
use std::fmt::Write;

/// The distances of four vertices, to two planes.
type Planes = [[f32; 2]; 4];

/// Two triangles, (0, 1, 2) and (1, 2, 3), whose vertices have these distances. Two invocations write all of them.
fn mesh(slot: &str, planes: Planes) -> Shader {
    let mut code = String::new();
    for (v, distances) in planes.iter().enumerate() {
        let _ = writeln!(code, "32x1 %v{v} = const {v}\n%d{v} = deref_array %d[%v{v}]");
        for (k, distance) in distances.iter().enumerate() {
            let bits = distance.to_bits();
            let _ = writeln!(
                code,
                "32x1 %k{v}{k} = const {k}\n%e{v}{k} = deref_array %d{v}[%k{v}{k}]\n32x1 %x{v}{k} = const {bits}\n\
                 store_deref %e{v}{k}, %x{v}{k} mask=x"
            );
        }
    }
    let source = format!(
        "foil 1
shader mesh \"main\" {{
  form variables
  workgroup_size 2 1 1
  output_primitive triangles
  max_vertices 4
  max_primitives 2
  out vec4[4] position location=position
  out float[4][2] d location={slot}
  out uvec3[2] tri location=primitive_indices per_primitive
  entry fn main {{
    32x1 %four = const 4
    32x1 %two = const 2
    set_mesh_outputs %four, %two
    %d = deref_var &d
    {code}
    32x1 %i = load_local_invocation_index
    32x1 %j = const 1
    32x1 %next = iadd %i, %j
    32x1 %last = iadd %next, %j
    32x3 %corners = vec3 %i, %next, %last
    %tri = deref_var &tri
    %t = deref_array %tri[%i]
    store_deref %t, %corners mask=xyz
  }}
}}
"
    );
    text::parse(&source).unwrap_or_else(|e| panic!("{e:?}\n{source}"))
}

fn run(shader: &Shader) -> Mesh {
    let mut program = Program::new(shader, Config::default()).expect("it is prepared");
    let mut out = program.mesh(&mut Resources::new(), &System::new(), [1; 3], &[]).expect("it runs");
    out.remove(0)
}

/// Which primitives the lowered shader culls.
fn culled(planes: Planes) -> Vec<bool> {
    let lowered = lower(&again(&[mesh("cull_dist0", planes)]), &exact());
    let out = run(&lowered[0]);
    let indices: Vec<_> = (0..3).map(|c| out.primitives[1].get(Slot::PRIMITIVE_INDICES, c)).collect();
    assert_eq!(indices, [Some(1), Some(2), Some(3)]);
    out.primitives.iter().map(|p| p.get(Slot::CULL_PRIMITIVE, 0) == Some(1)).collect()
}

#[test]
fn t03_a_mesh_shader_culls_a_primitive_only_if_one_distance_is_negative_everywhere() {
    assert_eq!(culled([[-1.0, 1.0], [-1.0, 1.0], [-0.5, 1.0], [0.0, 1.0]]), [true, false]);
    assert_eq!(culled([[1.0, 1.0], [1.0, -1.0], [1.0, -2.0], [1.0, -3.0]]), [false, true]);
    assert_eq!(culled([[-1.0, -1.0]; 4]), [true, true]);
    // Each vertex is outside, but not of the same plane.
    assert_eq!(culled([[-1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, 1.0]]), [false, false]);
    // A NaN does not cull.
    assert_eq!(culled([[-1.0, 1.0], [f32::NAN, 1.0], [-1.0, 1.0], [-1.0, 1.0]]), [false, false]);
}

#[test]
fn t09_clip_distances_of_a_mesh_shader_become_varyings() {
    let fragment = "foil 1
shader fragment \"main\" {
  form variables
  origin_upper_left
  out vec4 color location=0
  entry fn main {
    32x4 %0 = const 1.0, 1.0, 1.0, 1.0
    %c = deref_var &color
    store_deref %c, %0 mask=xyzw
  }
}
";
    let fragment = text::parse(fragment).unwrap_or_else(|e| panic!("{e:?}"));
    let planes = [[-1.0, 0.5], [2.0, 1.5], [-3.0, 2.5], [4.0, 3.5]];
    let shaders = again(&[mesh("clip_dist0", planes), fragment]);
    let lowered = lower(&shaders, &exact());
    let (out, body) = (run(&lowered[0]), &lowered[1].functions);
    let slot = lowered[1].vars.values().find(|v| v.mode == Modes::IN).and_then(|v| v.location);
    for (vertex, distances) in out.vertices.iter().zip(planes) {
        let values = vertex.floats(slot.expect("a varying")).expect("it is written");
        assert_eq!(values[..2], distances);
    }
    let demotes = |id| {
        body.values().any(|f| {
            f.body[id]
                .as_intrinsic()
                .is_some_and(|i| matches!(i.op, IntrinsicOp::demote | IntrinsicOp::demote_if))
        })
    };
    assert!(body.values().flat_map(|f| f.body.all_instrs()).any(demotes));
    let error = try_lower(&shaders, &points()).expect_err("only the exact form");
    assert_eq!(error.first().map(|e| e.code), Some("E0332"));
}
