//! Object and mesh functions: arguments, metadata, the calls that write a mesh, and errors.

use airfoil_air::metallib::FunctionKind;
use airfoil_air::select::{FunctionStage, MeshSize, Options, Selected, Topology, select};
use airfoil_air::{bitcode, lint};
use airfoil_ir::Diagnostic;

const TASK: &str = r#"foil 1
shader task "o" {
  form target
  workgroup_size 8 1 1
  struct P { uint[4] id, bool b }
  task_payload P p
  entry fn main {
    %i = load_local_invocation_index
    %p = deref_var &p
    %ids = deref_struct %p.id
    %id = deref_array %ids[%i]
    store_deref %id, %i
    32x3 %n = const 2, 3, 4
    barrier execution=workgroup memory=workgroup modes=task_payload semantics=acquire|release
    launch_mesh_workgroups %n
    halt
  }
}
"#;

/// A mesh of lines that draws `code` with vertex number and primitive number `%i`.
fn mesh(declarations: &str, code: &str) -> String {
    format!(
        "foil 1\nshader mesh \"m\" {{\n  form target\n  workgroup_size 4 1 1\n  output_primitive lines\n  max_vertices 4\n  max_primitives 2\n{declarations}\n  entry fn main {{\n    32x1 %o = const 0\n    32x1 %two = const 2\n    32x1 %four = const 4\n    set_mesh_outputs %four, %two\n    %i = load_local_invocation_index\n    32x4 %v = const 0.5\n{code}\n  }}\n}}\n"
    )
}

fn target(name: &str) -> Options {
    Options { target: name.parse().expect("a target"), ..Options::default() }
}

fn selected(text: &str, target_name: &str) -> Result<Selected, Vec<Diagnostic>> {
    let shader = airfoil_ir::text::parse(text).unwrap_or_else(|e| panic!("{}\n{text}", e[0]));
    let selected = select(&shader, &target(target_name))?;
    let violations = lint::errors(&selected.module);
    assert!(violations.is_empty(), "{}\n{}", violations[0], selected.to_ll());
    assert!(!bitcode::write(&selected.module).is_empty());
    Ok(selected)
}

fn refused(text: &str, target_name: &str, words: &str) {
    let faults = selected(text, target_name).map(|s| s.to_ll()).expect_err("is refused");
    assert!(faults.iter().any(|f| f.to_string().contains(words)), "{words}\n{faults:?}");
}

#[test]
fn an_object_function_has_payload_and_grid() {
    let object = selected(TASK, "macos13").unwrap();
    assert_eq!(object.entry.kind, FunctionKind::Object);
    assert_eq!((object.reflection.stage, object.reflection.payload), (FunctionStage::Object, Some(20)));
    assert_eq!(object.reflection.workgroup_size, Some([8, 1, 1]));
}

#[test]
fn a_mesh_function_writes_by_calls() {
    let declarations = "  clip_distances 1\n  out vec4[4] pos location=position\n  out float[4] size location=point_size\n  out float[4][1] clip location=clip_dist0 compact\n  out vec2[4] uv location=0\n  out uint[4] k location=0 component=2\n  out vec4[2] tint location=3 per_primitive\n  out uvec2[2] lines location=primitive_indices per_primitive\n  out int[2] layer location=layer per_primitive\n  out bool[2] culled location=cull_primitive per_primitive";
    let code = "    store_per_vertex_output %v, %i, %o io=(position) src_type=float32\n    store_per_vertex_output %v.x, %i, %o io=(point_size) src_type=float32\n    store_per_vertex_output %v.x, %i, %o io=(clip_dist0) src_type=float32\n    store_per_vertex_output %v.xy, %i, %o io=0 src_type=float32\n    store_per_vertex_output %i, %i, %o io=0 component=2 src_type=uint32\n    store_per_vertex_output %v, %i, %o io=(3 per_primitive) src_type=float32\n    32x2 %l = vec2 %i, %two\n    store_per_vertex_output %l, %i, %o io=(primitive_indices per_primitive) src_type=uint32\n    store_per_vertex_output %two, %i, %o io=(layer per_primitive) src_type=int32\n    store_per_vertex_output %two, %i, %o io=(cull_primitive per_primitive) src_type=uint32";
    let code = code.replace("%v.xy,", "%xy,").replace("%v.x,", "%x,");
    let code = format!("    32x1 %x = mov %v.x\n    32x2 %xy = mov %v.xy\n{code}");
    let mesh = selected(&mesh(declarations, &code), "macos13").unwrap();
    assert_eq!(mesh.entry.kind, FunctionKind::Mesh);
    let size = MeshSize { max_vertices: 4, max_primitives: 2, topology: Topology::Line };
    assert_eq!(mesh.reflection.mesh, Some(size));
    let json = mesh.reflection.to_json();
    assert!(json.ends_with(
        ",\"workgroup_size\":[4,1,1],\"threadgroup_memory\":0,\"mesh\":{\"max_vertices\":4,\"max_primitives\":2,\"topology\":\"line\"}}"
    ));
}

#[test]
fn partial_writes_of_different_components_are_rejected() {
    let store =
        |mask: &str| format!("    store_per_vertex_output %v, %i, %o io=5 mask={mask} src_type=float32\n");
    let parts = mesh("  out vec4[4] c location=5", &[store("xy"), store("zw")].concat());
    refused(&parts, "macos13", "output `5` of a mesh is written in parts");
    refused(&parts, "macos13", "mesh_outputs_to_shared");
}

#[test]
fn what_metal_lacks_is_refused() {
    let rate = "    store_per_vertex_output %i, %i, %o io=(shading_rate per_primitive) src_type=uint32";
    refused(&mesh("", rate), "macos13", "no shading rate");
    let wide = "    64x1 %w = u2u %i\n    store_per_vertex_output %w, %i, %o io=0 mask=x src_type=uint64";
    refused(&mesh("  out uint64[4] w location=0", wide), "macos13", "64-bit components");
    let two = TASK.replace("  entry fn main {", "  task_payload uint q\n  entry fn main {\n    %q = deref_var &q\n    32x1 %z = const 0\n    store_deref %q, %z");
    refused(&two, "macos13", "Metal has one payload");
    let read = mesh(
        "  out vec4[4] c location=5",
        "    32x4 %r = load_per_vertex_output %i, %o io=5 dest_type=float32\n    store_per_vertex_output %r, %i, %o io=5 src_type=float32",
    );
    refused(&read, "macos13", "mesh_outputs_to_shared");
}

#[test]
fn a_mesh_has_room_for_its_vertices() {
    let outputs: String = (0..8).map(|n| format!("  out vec4 v{n} location={n}\n")).collect();
    let shader =
        |vertices: u32| mesh(&outputs, "").replace("max_vertices 4", &format!("max_vertices {vertices}"));
    // 8 values of 16 bytes per vertex, and two indices for each of two primitives.
    assert!(selected(&shader(255), "macos13").is_ok());
    refused(&shader(256), "macos13", "a mesh of up to 32772 bytes: Metal has no more than 32768");
}
