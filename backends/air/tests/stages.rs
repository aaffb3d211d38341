//! Stages that Metal lacks: the AIR that they become, and that both ends of each buffer agree.

use airfoil_air::library::library;
use airfoil_air::metallib::{self, FunctionKind, Tessellation};
use airfoil_air::select::{InterfaceRole, Options, Partition, PatchDomain, Selected, select};
use airfoil_air::{bitcode, lint};
use airfoil_ir::Diagnostic;
use airfoil_ir::{Shader, text};
use airfoil_passes::stages::lower_stages::LowerStages;
use airfoil_passes::stages::stage_buffer::BufferLayout;
use airfoil_passes::{Manager, Pipeline};

fn shader(stage: &str, name: &str, declarations: &str, code: &str) -> Shader {
    let source = format!(
        "foil 1\nshader {stage} \"{name}\" {{\nform target\n{declarations}\nfn main {{\nb0:\n32x1 %z = const 0\n{code}\n}}\n}}\n"
    );
    text::parse(&source).unwrap_or_else(|e| panic!("{e:?}\n{source}"))
}

fn vertex() -> Shader {
    let declarations = "in vec3 p location=0\nout vec4 pos location=position\nout vec2 uv location=1\nout float unread location=2";
    let code = "32x3 %p = load_input %z io=0 dest_type=float32\n32x1 %i = load_vertex_id\n%v = vec4 %p.x, %p.y, %p.z, %i\n\
        store_output %v, %z io=position mask=xyzw src_type=float32\n32x2 %u = mov %p.xy\n\
        store_output %u, %z io=1 mask=xy src_type=float32\nstore_output %i, %z io=2 mask=x src_type=float32";
    shader("vertex", "v", declarations, code)
}

fn control() -> Shader {
    let declarations = "patch_vertices_out 4\nin vec4[] pos location=position\nin vec2[] uv location=1\nout vec4[4] moved location=position\n\
        out vec4 tint location=patch3 patch\nout float[4] outer location=tess_level_outer patch compact\n\
        out float[2] inner location=tess_level_inner patch compact";
    let code = "32x1 %i = load_invocation_id\n32x4 %p = load_per_vertex_input %i, %z io=position dest_type=float32\n\
        store_per_vertex_output %p, %i, %z io=position mask=xyzw src_type=float32\n\
        32x2 %u = load_per_vertex_input %i, %z io=1 dest_type=float32\n32x4 %t = vec4 %u.x, %u.y, %u.x, %u.y\n\
        store_output %t, %z io=patch3 mask=xyzw src_type=float32\n\
        store_output %t, %z io=tess_level_outer mask=xyzw src_type=float32\n\
        store_output %u, %z io=tess_level_inner mask=xy src_type=float32";
    shader("tess_control", "c", declarations, code)
}

fn evaluation(domain: &str) -> Shader {
    let declarations = format!(
        "input_primitive {domain}\nspacing fractional_odd\nin vec4[] moved location=position\nin vec4 tint location=patch3 patch\n\
         out vec4 pos location=position\nout vec4 c location=0"
    );
    let code = "32x1 %one = const 1\n32x4 %p = load_per_vertex_input %one, %z io=position dest_type=float32\n\
        32x3 %t = load_tess_coord\n%q = fmul %p, %t.xyzx\nstore_output %q, %z io=position mask=xyzw src_type=float32\n\
        32x4 %c = load_input %z io=patch3 dest_type=float32\n32x1 %n = load_primitive_id\n%r = vec4 %c.x, %c.y, %n, %n\n\
        store_output %r, %z io=0 mask=xyzw src_type=float32";
    shader("tess_eval", "e", &declarations, code)
}

fn lower_stages(
    shaders: &mut [Shader],
    options: LowerStages,
) -> Result<Vec<Vec<BufferLayout>>, Vec<Diagnostic>> {
    let mut manager = Manager::default();
    let _ = manager.run_program(&Pipeline::of_program_pass(Box::new(options)), shaders)?;
    let mut buffers = manager.take_buffers();
    buffers.resize(shaders.len(), Vec::new());
    Ok(buffers)
}

fn lower(mut shaders: Vec<Shader>, options: LowerStages) -> (Vec<Selected>, Vec<Vec<BufferLayout>>) {
    let layouts = lower_stages(&mut shaders, options).unwrap_or_else(|e| panic!("{e:?}"));
    let options = Options { target: "macos14".parse().unwrap(), ..Options::default() };
    let select = |shader: &Shader| {
        let faults = airfoil_ir::validate::validate(shader);
        assert!(faults.is_empty(), "{}", faults[0]);
        let selected = select(shader, &options).unwrap_or_else(|e| panic!("{e:?}"));
        let violations = lint::errors(&selected.module);
        assert!(violations.is_empty(), "{}\n{}", violations[0], selected.to_ll());
        assert!(!bitcode::write(&selected.module).is_empty());
        selected
    };
    (shaders.iter().map(select).collect(), layouts)
}

#[test]
fn a_pipeline_of_quads() {
    let options = LowerStages { patch_vertices: 5, ..LowerStages::default() };
    let (selected, layouts) = lower(vec![vertex(), control(), evaluation("quads")], options);
    let shape = |n: usize| -> Vec<String> {
        let one = |l: &BufferLayout| {
            let slots: Vec<String> = l.layout.iter().map(|(s, at)| format!("{s}@{at}")).collect();
            format!("{} {} {}", l.buffer.name(), l.per_patch, slots.join(" "))
        };
        layouts[n].iter().map(one).collect()
    };
    let vertices = "stage_vertices 5 position@0 1@16";
    let points = "stage_control_points 4 position@0";
    let patches = "stage_patches 1 patch3@0 primitive_id@16 tess_level_outer@32 tess_level_inner@48";
    assert_eq!(shape(0), [vertices], "slots that are not read have no offset");
    assert_eq!(shape(1), [vertices, points, patches]);
    assert_eq!(shape(2), [points, patches]);

    let options = Options { target: "macos14".parse().unwrap(), ..Options::default() };
    let bytes = library(&selected, &options).unwrap();
    let read = metallib::read(&bytes).unwrap();
    read.verify().unwrap();
    let kinds: Vec<_> = read.functions.iter().map(|f| (f.entry.kind, f.entry.tessellation)).collect();
    let kernel = (FunctionKind::Kernel, None);
    assert_eq!(kinds, [kernel, kernel, (FunctionKind::Vertex, Tessellation::quad(0))]);
    let patch = selected[2].reflection.patch.unwrap();
    assert_eq!(
        (patch.domain, patch.partition, patch.clockwise),
        (PatchDomain::Quad, Partition::FractionalOdd, false)
    );
    assert_eq!(selected[0].reflection.inputs[0].role, InterfaceRole::StageIn);
}

#[test]
fn triangles_have_three_coordinates() {
    let (selected, layouts) = lower(vec![evaluation("triangles")], LowerStages::default());
    assert_eq!(selected[0].reflection.patch.unwrap().domain, PatchDomain::Triangle);
    // Alone it determines the record that it reads, with patches of three vertices.
    assert_eq!((layouts[0][0].per_patch, layouts[0][0].layout.record_bytes()), (3, 16));
}

#[test]
fn a_vertex_shader_alone_is_a_kernel_if_told() {
    let (plain, none) = lower(vec![vertex()], LowerStages::default());
    assert!(plain[0].entry.kind == FunctionKind::Vertex && none[0].is_empty());
    let (kernel, layouts) =
        lower(vec![vertex()], LowerStages { vertex_kernel: true, ..LowerStages::default() });
    assert_eq!(kernel[0].entry.kind, FunctionKind::Kernel);
    assert_eq!(layouts[0][0].layout.record_bytes(), 48);
}

#[test]
fn stages_that_are_not_lowered_are_not_selected() {
    let message = select(&evaluation("quads"), &Options::default()).unwrap_err()[0].to_string();
    assert!(message.contains("reads inputs by slot"), "{message}");
    let message = select(&control(), &Options::default()).unwrap_err()[0].to_string();
    assert!(message.contains("tess_control shaders cannot be selected"), "{message}");
}
