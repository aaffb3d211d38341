//! Programs with data: each stage with inputs and outputs worked out by hand.

use airfoil_interp::run::{
    Fragment, FragmentBatch, GeometryPrimitive, Patch, Primitive, Quad, TessPoint, Vertex,
};
use airfoil_interp::{
    Binding, Config, Executed, FaultKind, Observer, Program, Resources, Space, System, Values,
};
use airfoil_ir::{Shader, Slot, SystemValue, text};
use std::sync::{Arc, Mutex};

fn shader(stage: &str, declarations: &str, code: &str) -> Shader {
    let source =
        format!("foil 1\nshader {stage} \"t\" {{\n{declarations}\nentry fn main {{\n{code}\n}}\n}}\n");
    let shader = text::parse(&source).unwrap_or_else(|e| panic!("{e:?}\n{source}"));
    let faults = airfoil_ir::validate::validate(&shader);
    assert!(faults.is_empty(), "{faults:?}");
    shader
}

fn slot(n: u32) -> Slot {
    Slot::generic(n).expect("is a slot")
}

fn float(values: &Values, n: u32, component: u32) -> f32 {
    f32::from_bits(values.get(slot(n), component).expect("was written"))
}

fn words(bytes: &[u8]) -> Vec<u32> {
    bytes.chunks(4).map(|b| u32::from_le_bytes(b.try_into().expect("four bytes"))).collect()
}

#[test]
fn vertices_have_attributes_and_numbers() {
    let variables =
        "form variables\nin vec4 a location=3\nout vec4 o location=1\nsystem_value uint id builtin=vertex_id";
    let code = "%a = load_deref &a\n%i = load_deref &id\n32x1 %f = u2f %i\n%r = fadd %a, %f.xxxx\nstore_deref &o, %r";
    let slots = "form slots\nin vec4 a location=3\nout vec4 o location=1";
    let lowered = "32x1 %z = const 0\n32x4 %a = load_input %z io=3 dest_type=float32\n%i = load_vertex_id\n32x1 %f = u2f %i\n\
        %r = fadd %a, %f.xxxx\nstore_output %r, %z io=1 mask=xyzw src_type=float32";
    for (declarations, code) in [(variables, code), (slots, lowered)] {
        let shader = shader("vertex", declarations, code);
        let mut program = Program::new(&shader, Config::default()).expect("prepares");
        let vertices: Vec<Vertex> = (0..100)
            .map(|i| {
                let mut v = Vertex::default();
                v.inputs.set_floats(slot(3), [i as f32, 0.5, 0.25, 1.0]);
                v.system.set(SystemValue::vertex_id_zero_base, [i, 0, 0, 0]);
                v
            })
            .collect();
        let common = System::new().with(SystemValue::base_vertex, 10);
        let out = program.vertex(&mut Resources::new(), &common, &vertices).expect("runs");
        assert_eq!(out.len(), 100);
        assert_eq!(out[77].floats(slot(1)), Some([164.0, 87.5, 87.25, 88.0]));
        assert_eq!(program.outputs()[0].slot, slot(1));
        assert_eq!(program.inputs()[0].slot, slot(3));
        assert!(program.steps() > 100);
    }
}

#[test]
fn missing_system_values_are_told() {
    let shader = shader("vertex", "form slots", "%i = load_vertex_id");
    let mut program = Program::new(&shader, Config::default()).expect("prepares");
    let fault =
        program.vertex(&mut Resources::new(), &System::new(), &[Vertex::default()]).expect_err("fails");
    assert!(fault.to_string().contains("`vertex_id` was not given"), "{fault}");
    assert!(fault.instruction.is_some_and(|i| i.contains("load_vertex_id")));
}

fn triangle() -> Primitive {
    let corner = |x: f32, y: f32| {
        let mut v = Values::new();
        v.set_floats(slot(0), [x, y, 7.0, 1.0]);
        v
    };
    Primitive {
        vertices: vec![corner(0.0, 0.0), corner(8.0, 0.0), corner(0.0, 8.0)],
        window: vec![[0.0, 0.0], [8.0, 0.0], [0.0, 8.0]],
        inverse_w: vec![1.0; 3],
        provoking: 2,
        ..Primitive::default()
    }
}

fn quad(primitive: &Primitive) -> Quad<'_> {
    Quad { primitive, pixel: [2, 2], fragments: Default::default() }
}

fn batch<'a>(quads: &'a [Quad<'a>]) -> FragmentBatch<'a> {
    FragmentBatch { quads, sample_positions: &[[0.25, 0.75]], system: System::new() }
}

#[test]
fn fragments_interpolate_and_have_derivatives() {
    let variables = "form variables\nin vec4 a location=0\nout vec4 o location=0";
    let code = "%a = load_deref &a\n%dx = fddx %a.x\n%dy = fddy %a.y\n%r = vec4 %a.x, %a.y, %dx, %dy\nstore_deref &o, %r";
    let slots = "form slots\nin vec4 a location=0\nout vec4 o location=0";
    let lowered = "32x1 %z = const 0\n%b = load_barycentric_pixel interp=smooth\n\
        32x4 %a = load_interpolated_input %b, %z io=0 dest_type=float32\n%dx = fddx %a.x\n%dy = fddy %a.y\n\
        %r = vec4 %a.x, %a.y, %dx, %dy\nstore_output %r, %z io=0 mask=xyzw src_type=float32";
    for (declarations, code) in [(variables, code), (slots, lowered)] {
        let shader = shader("fragment", declarations, code);
        let mut program = Program::new(&shader, Config::default()).expect("prepares");
        let triangle = triangle();
        let quads: Vec<Quad<'_>> = (0..20).map(|_| quad(&triangle)).collect();
        let out = program.fragment(&mut Resources::new(), &batch(&quads)).expect("runs");
        assert_eq!(out.len(), 20);
        for q in &out {
            // The input at (x, y) is (x, y); pixel centres are at 2.5 and 3.5.
            assert_eq!(q[0].outputs.floats(slot(0)), Some([2.5, 2.5, 1.0, 1.0]));
            assert_eq!(q[3].outputs.floats(slot(0)), Some([3.5, 3.5, 1.0, 1.0]));
            assert!(!q[3].discarded);
        }
    }
}

#[test]
fn interpolation_is_perspective_correct_flat_or_somewhere_else() {
    let declarations = "form variables\nin vec4 a location=0\nin vec4 l location=1 noperspective\nin vec4 f location=2 flat\nout vec4 o location=0";
    let code = "%a = load_deref &a\n%l = load_deref &l\n%f = load_deref &f\n32x1 %z = const 0\n%d = deref_var &a\n\
        %s = interp_deref_at_sample %d, %z\n%r = vec4 %a.x, %l.x, %f.x, %s.x\nstore_deref &o, %r";
    let Ok(shader) = std::panic::catch_unwind(|| shader("fragment", declarations, code)) else {
        panic!("the declarations are wrong")
    };
    let mut program = Program::new(&shader, Config::default()).expect("prepares");
    let mut triangle = triangle();
    for v in &mut triangle.vertices {
        let a = v.floats(slot(0)).expect("is there");
        v.set_floats(slot(1), a);
        v.set_floats(slot(2), a.map(|x| x + 100.0));
    }
    triangle.inverse_w = vec![1.0, 0.5, 1.0];
    let quads = [quad(&triangle)];
    let out = program.fragment(&mut Resources::new(), &batch(&quads)).expect("runs");
    let [a, l, f, s] = out[0][0].outputs.floats(slot(0)).expect("is there");
    // The second weight is 2.5 / 8, over 1/w of 0.5.
    let weight = |w: f64| (w * 0.5 / (1.0 - w * 0.5)) as f32 * 8.0;
    assert!((a - weight(2.5 / 8.0)).abs() < 1e-6);
    assert_eq!((l, f), (2.5, 100.0));
    // The sample is at (0.25, 0.75) of the pixel.
    assert!((s - weight(2.25 / 8.0)).abs() < 1e-6);
}

#[test]
fn discarded_fragments_and_helpers_have_no_effects() {
    let declarations = "form slots\nssbo B { uint a @0 } b set=0 binding=3\nout float o location=0";
    let code = "32x1 %z = const 0\n32x1 %one = const 1\n32x1 %half = const 3.0\n%p = load_frag_coord\n%c = flt %half, %p.x\n\
        discard_if %c\n%b = deref_var &b\n32x1 %old = ssbo_atomic %b, %z, %one op=iadd\n\
        %dx = fddx %p.x\nstore_output %dx, %z io=0 mask=x src_type=float32";
    let shader = shader("fragment", declarations, code);
    let mut program = Program::new(&shader, Config::default()).expect("prepares");
    let mut resources = Resources::new();
    let buffer = resources.add_buffer(vec![0; 4]);
    resources.bind(Space::Storage, 0, 3, 0, Binding::Buffer { buffer, offset: 0, size: None });
    let triangle = triangle();
    let mut q = quad(&triangle);
    for (k, f) in q.fragments.iter_mut().enumerate() {
        f.coord[0] = 2.5 + (k & 1) as f32;
        f.helper = k == 2;
    }
    let quads = [q];
    let out = program.fragment(&mut resources, &batch(&quads)).expect("runs");
    assert_eq!([0, 1, 2, 3].map(|k| out[0][k].discarded), [false, true, false, true]);
    assert_eq!(words(&resources.buffers[0].bytes), [1]);
    assert_eq!(float(&out[0][0].outputs, 0, 0), 1.0);
}

/// Doubles the sum of the workgroup through workgroup memory.
const SUM: &str = "32x1 %z = const 0\n32x1 %one = const 1\n32x1 %two = const 2\n%i = load_local_invocation_index\n\
    32x1 %old = shared_atomic %z, %i op=iadd\n\
    barrier execution=workgroup memory=workgroup modes=shared semantics=acquire|release\n\
    32x1 %sum = load_shared %z align=4\n%at = ishl %i, %two\n%b = deref_var &b\n\
    store_ssbo %sum, %b, %at mask=x align=4";

#[test]
fn workgroups_meet_at_barriers() {
    let declarations = "form slots\nworkgroup_size 10 10 1\nshared_size 4\nssbo B { uint[0 stride=4] a @0 } b set=0 binding=0";
    let shader = shader("compute", declarations, &format!("32x1 %first = const 0\n{SUM}"));
    for subgroup_size in [1, 8, 32, 64] {
        let mut program =
            Program::new(&shader, Config { subgroup_size, ..Config::default() }).expect("prepares");
        let mut resources = Resources::new();
        let buffer = resources.add_buffer(vec![0; 400]);
        resources.bind(Space::Storage, 0, 0, 0, Binding::Buffer { buffer, offset: 0, size: None });
        // Workgroup memory starts undefined; here that is zero.
        program.compute(&mut resources, &System::new(), [1, 1, 1]).expect("runs");
        assert_eq!(words(&resources.buffers[0].bytes), [4950; 100], "{subgroup_size}");
    }
}

#[test]
fn the_order_of_invocations_can_be_reversed() {
    let declarations = "form slots\nworkgroup_size 4 1 1\nssbo B { uint[0 stride=4] a @0 } b set=0 binding=0";
    let code = "32x1 %z = const 0\n%g = load_global_invocation_id\n%b = deref_var &b\n%gx = mov %g.x\nstore_ssbo %gx, %b, %z mask=x align=4";
    let shader = shader("compute", declarations, code);
    for (subgroup_size, reversed, last) in [(1, false, 11), (1, true, 0), (4, true, 3)] {
        let config = Config { subgroup_size, reversed, ..Config::default() };
        let mut program = Program::new(&shader, config).expect("prepares");
        let mut resources = Resources::new();
        let buffer = resources.add_buffer(vec![0; 4]);
        resources.bind(Space::Storage, 0, 0, 0, Binding::Buffer { buffer, offset: 0, size: None });
        program.compute(&mut resources, &System::new(), [3, 1, 1]).expect("runs");
        assert_eq!(words(&resources.buffers[0].bytes), [last], "{subgroup_size} {reversed}");
    }
}

#[test]
fn barriers_in_part_of_a_workgroup_are_faults() {
    let declarations = "form slots\nworkgroup_size 4 1 1";
    let code = "32x1 %one = const 1\n%i = load_local_invocation_index\n%c = ult %i, %one\nif %c {\n\
        barrier execution=workgroup memory=workgroup modes=shared semantics=acquire|release\n} else {\n}";
    let shader = shader("compute", declarations, code);
    let mut program = Program::new(&shader, Config::default()).expect("prepares");
    let fault = program.compute(&mut Resources::new(), &System::new(), [1; 3]).expect_err("fails");
    assert_eq!(fault.kind, FaultKind::Undefined);
    assert!(fault.to_string().contains("not all invocations reach the barrier, in `barrier"), "{fault}");
}

#[test]
fn subgroups_have_the_chosen_width() {
    let declarations = "form slots\nworkgroup_size 8 1 1\nssbo B { uint[0 stride=4] a @0 } b set=0 binding=0";
    let code = "32x1 %two = const 2\n%i = load_local_invocation_index\n32x1 %sum = reduce %i reduce=iadd\n\
        %at = ishl %i, %two\n%b = deref_var &b\nstore_ssbo %sum, %b, %at mask=x align=4";
    let shader = shader("compute", declarations, code);
    for (subgroup_size, expected) in [(8, [28; 8]), (4, [6, 6, 6, 6, 22, 22, 22, 22])] {
        let mut program =
            Program::new(&shader, Config { subgroup_size, ..Config::default() }).expect("prepares");
        let mut resources = Resources::new();
        let buffer = resources.add_buffer(vec![0; 32]);
        resources.bind(Space::Storage, 0, 0, 0, Binding::Buffer { buffer, offset: 0, size: None });
        program.compute(&mut resources, &System::new(), [1, 1, 1]).expect("runs");
        assert_eq!(words(&resources.buffers[0].bytes), expected);
    }
}

#[test]
fn out_of_bounds_is_zero_or_a_fault() {
    let declarations = "form slots\nworkgroup_size 1 1 1\nssbo B { uint[0 stride=4] a @0 } b set=0 binding=0";
    let code = "32x1 %z = const 0\n32x1 %far = const 64\n%b = deref_var &b\n32x1 %v = load_ssbo %b, %far align=4\n\
        store_ssbo %v, %b, %far mask=x align=4\nstore_ssbo %v, %b, %z mask=x align=4";
    let shader = shader("compute", declarations, code);
    let run = |robust| {
        let mut program = Program::new(&shader, Config { robust, ..Config::default() }).expect("prepares");
        let mut resources = Resources::new();
        let buffer = resources.add_buffer(vec![9; 16]);
        resources.bind(Space::Storage, 0, 0, 0, Binding::Buffer { buffer, offset: 0, size: Some(12) });
        let result = program.compute(&mut resources, &System::new(), [1, 1, 1]);
        (result, resources.buffers.remove(0).bytes)
    };
    let (robust, bytes) = run(true);
    assert_eq!(robust, Ok(()));
    assert_eq!(words(&bytes), [0, 0x0909_0909, 0x0909_0909, 0x0909_0909]);
    let (strict, bytes) = run(false);
    let fault = strict.expect_err("fails");
    assert!(fault.to_string().contains("byte 64 of `b`[0] is out of bounds, it has 12 bytes"), "{fault}");
    assert_eq!(bytes, vec![9; 16], "resources come back after a fault");
}

#[test]
fn undefined_values_are_reported_or_filled() {
    let declarations = "form slots\nout uint o location=0";
    let code = "32x1 %z = const 0\n32x1 %u = undef\nstore_output %u, %z io=0 mask=x src_type=uint32\n%c = ieq %u, %z\n\
        if %c {\n} else {\n32x1 %seven = const 7\nstore_output %seven, %z io=0 mask=x src_type=uint32\n}";
    let shader = shader("vertex", declarations, code);
    let run = |report_undefined, undefined| {
        let config = Config { report_undefined, undefined, ..Config::default() };
        let mut program = Program::new(&shader, config).expect("prepares");
        program.vertex(&mut Resources::new(), &System::new(), &[Vertex::default()])
    };
    assert_eq!(run(false, 1).expect("runs")[0].get(slot(0), 0), Some(7));
    assert_eq!(run(false, 0).expect("runs")[0].get(slot(0), 0), Some(0));
    let fault = run(true, 0).expect_err("fails");
    assert!(fault.to_string().contains("a branch depends on an undefined value, in `"), "{fault}");
}

#[test]
fn geometry_makes_strips() {
    let declarations = "form variables\ninput_primitive triangles\noutput_primitive triangle_strip\nmax_vertices 5\ninvocations 2\nin vec4[3] a location=1\nout vec4 o location=2\nsystem_value uint id builtin=invocation_id";
    let vertex = |i: u32| {
        format!(
            "32x1 %i{i} = const {i}\n%a{i} = deref_var &a\n%e{i} = deref_array %a{i}[%i{i}]\n%v{i} = load_deref %e{i}\n\
            %w{i} = fadd %v{i}, %f.xxxx\nstore_deref &o, %w{i}\nemit_vertex\n"
        )
    };
    let code = format!(
        "%id = load_deref &id\n32x1 %f = u2f %id\n{}{}end_primitive\nend_primitive\n{}",
        vertex(0),
        vertex(1),
        vertex(2)
    );
    let shader = shader("geometry", declarations, &code);
    let mut program = Program::new(&shader, Config::default()).expect("prepares");
    let corner = |x: f32| {
        let mut v = Values::new();
        v.set_floats(slot(1), [x; 4]);
        v
    };
    let corners = [10.0, 20.0, 30.0].map(corner);
    let primitive = GeometryPrimitive { vertices: corners.iter().collect(), system: System::new() };
    let out = program
        .geometry(&mut Resources::new(), &System::new(), &[primitive.clone(), primitive])
        .expect("runs");
    assert_eq!(out.len(), 2);
    let strips: Vec<Vec<f32>> =
        out[1][0].primitives.iter().map(|p| p.iter().map(|v| float(v, 2, 0)).collect()).collect();
    assert_eq!(strips, [vec![10.0, 20.0], vec![30.0], vec![11.0, 21.0], vec![31.0]]);
    assert!(out[1][1].primitives.is_empty());
}

#[test]
fn patches_are_made_and_evaluated() {
    let declarations = "form variables\npatch_vertices_out 2\nin vec4[32] a location=1\nout vec4[2] o location=2\n\
        out float[4] levels location=tess_level_outer patch compact\nsystem_value uint id builtin=invocation_id";
    let code = "%id = load_deref &id\n%a = deref_var &a\n%e = deref_array %a[%id]\n%v = load_deref %e\n%o = deref_var &o\n\
        %x = deref_array %o[%id]\nstore_deref %x, %v\n\
        barrier execution=workgroup memory=workgroup modes=out semantics=acquire|release\n\
        32x1 %one = const 1\n%n = isub %one, %id\n%y = deref_array %o[%n]\n%w = load_deref %y\n%l = deref_var &levels\n\
        %m = deref_array %l[%id]\n%s = mov %w.x\nstore_deref %m, %s";
    let shader_tcs = shader("tess_control", declarations, code);
    let mut program = Program::new(&shader_tcs, Config::default()).expect("prepares");
    let corner = |x: f32| {
        let mut v = Values::new();
        v.set_floats(slot(1), [x; 4]);
        v
    };
    let corners = [3.0, 5.0, 7.0].map(corner);
    let patch = GeometryPrimitive { vertices: corners.iter().collect(), system: System::new() };
    let out = program.tess_control(&mut Resources::new(), &System::new(), &[patch]).expect("runs");
    assert_eq!(out[0].vertices.len(), 2);
    assert_eq!(float(&out[0].vertices[1], 2, 3), 5.0);
    assert_eq!(out[0].values.get(Slot::TESS_LEVEL_OUTER, 0), Some(5f32.to_bits()));
    assert_eq!(out[0].values.get(Slot::TESS_LEVEL_OUTER, 1), Some(3f32.to_bits()));

    let declarations = "form slots\nout float o location=0";
    let code = "32x1 %z = const 0\n32x1 %one = const 1\n%c = load_tess_coord\n\
        32x1 %a = load_per_vertex_input %z, %z io=2 dest_type=float32\n\
        32x1 %b = load_per_vertex_input %one, %z io=2 dest_type=float32\n%l = load_tess_level_outer\n\
        %m = flrp %a, %b, %c.x\n%r = fadd %m, %l.x\nstore_output %r, %z io=0 mask=x src_type=float32";
    let shader_tes = shader("tess_eval", declarations, code);
    let mut program = Program::new(&shader_tes, Config::default()).expect("prepares");
    let patch: &Patch = &out[0];
    let points: Vec<TessPoint<'_>> =
        [0.0, 0.25, 1.0].map(|x| TessPoint { patch, coord: [x, 0.0, 0.0], system: System::new() }).into();
    let out = program.tess_eval(&mut Resources::new(), &System::new(), &points).expect("runs");
    assert_eq!([0, 1, 2].map(|i| float(&out[i], 0, 0)), [8.0, 8.5, 10.0]);
}

#[test]
fn uniforms_have_paths() {
    let declarations = "form variables\nuniform S { float a, vec2[3] b } s\nout vec2 o location=0";
    let code = "%s = deref_var &s\n%b = deref_struct %s.b\n32x1 %two = const 2\n%e = deref_array %b[%two]\n%v = load_deref %e\nstore_deref &o, %v";
    let Ok(shader) = std::panic::catch_unwind(|| shader("vertex", declarations, code)) else {
        panic!("the declarations are wrong")
    };
    let mut program = Program::new(&shader, Config::default()).expect("prepares");
    let mut resources = Resources::new();
    resources.set_uniform("s.b[1]", &[1, 2, 3, 4]);
    resources.set_uniform("s.b[2]", &[5, 6]);
    let out = program.vertex(&mut resources, &System::new(), &[Vertex::default()]).expect("runs");
    assert_eq!((out[0].get(slot(0), 0), out[0].get(slot(0), 1)), (Some(5), Some(6)));
}

#[derive(Clone, Default)]
struct Trace(Arc<Mutex<Vec<String>>>);

impl Observer for Trace {
    fn executed(&mut self, e: &Executed<'_>) {
        let values: Vec<_> = e.lanes().filter_map(|l| e.value(l)).map(|v| v.0[0]).collect();
        self.0.lock().expect("one thread").push(format!("{} {values:?}", e.text()));
    }
}

#[test]
fn observers_see_every_instruction() {
    let code = "32x1 %two = const 2\n%i = load_vertex_id\n%r = imul %i, %two";
    let shader = shader("vertex", "form slots", code);
    let mut program = Program::new(&shader, Config::default()).expect("prepares");
    let trace = Trace::default();
    program.observe(Box::new(trace.clone()));
    let vertex = |i| Vertex { system: System::new().with(SystemValue::vertex_id, i), ..Vertex::default() };
    program.vertex(&mut Resources::new(), &System::new(), &[vertex(3), vertex(4)]).expect("runs");
    let lines = trace.0.lock().expect("one thread").clone();
    assert_eq!(lines.len(), 3);
    assert!(lines[2].contains("imul") && lines[2].ends_with("[6, 8]"), "{lines:?}");
}

#[test]
fn fragments_of_one_sample_know_it() {
    let code = "32x1 %z = const 0\n%p = load_sample_pos\n%i = load_sample_id\n32x1 %f = u2f %i\n%r = vec3 %p.x, %p.y, %f\n\
        store_output %r, %z io=0 mask=xyz src_type=float32";
    let shader = shader("fragment", "form slots\nout vec3 o location=0", code);
    let mut program = Program::new(&shader, Config::default()).expect("prepares");
    let triangle = triangle();
    let mut q = quad(&triangle);
    q.fragments = std::array::from_fn(|_| Fragment { sample: Some(0), ..Fragment::default() });
    let quads = [q];
    let out = program.fragment(&mut Resources::new(), &batch(&quads)).expect("runs");
    assert_eq!(out[0][1].outputs.floats(slot(0)), Some([0.25, 0.75, 0.0, 1.0]));
}

#[test]
fn undefined_outputs_are_there_unless_reported() {
    let declarations = "form variables\nout float o location=0\nout float never location=1";
    let shader = shader("vertex", declarations, "32x1 %u = undef\nstore_deref &o, %u");
    let run = |report_undefined| {
        let config = Config { report_undefined, undefined: 5, ..Config::default() };
        let mut program = Program::new(&shader, config).expect("prepares");
        let out = program.vertex(&mut Resources::new(), &System::new(), &[Vertex::default()]).expect("runs");
        [0, 1].map(|n| out[0].get(slot(n), 0))
    };
    assert_eq!(run(false), [Some(5), None]);
    assert_eq!(run(true), [None, None]);
}

#[test]
fn derivatives_beside_lanes_that_left_are_still_values() {
    let declarations = "form slots\nout float o location=0";
    let code = "32x1 %z = const 0\n32x1 %three = const 3.0\n%p = load_frag_coord\n%c = flt %p.y, %three\nif %c {\n\
        %d = fddx %p.x\nstore_output %d, %z io=0 mask=x src_type=float32\n} else {\n}";
    let shader = shader("fragment", declarations, code);
    let mut program = Program::new(&shader, Config::default()).expect("prepares");
    let triangle = triangle();
    let mut q = quad(&triangle);
    for (k, f) in q.fragments.iter_mut().enumerate() {
        f.coord = [2.5 + (k & 1) as f32, 2.5 + (k >> 1) as f32, 0.0, 1.0];
    }
    let quads = [q];
    let out = program.fragment(&mut Resources::new(), &batch(&quads)).expect("runs");
    assert_eq!(float(&out[0][0].outputs, 0, 0), 1.0);
    assert_eq!(out[0][2].outputs.get(slot(0), 0), None);
}

#[test]
fn floats_are_as_chosen() {
    let code = "32x1 %z = const 0\n32x1 %a = const 0x00400000\n32x1 %one = const 1.0\n%r = fmul %a, %one\n\
        store_output %r, %z io=0 mask=x src_type=float32";
    let shader = shader("vertex", "form slots\nout float o location=0", code);
    let run = |flush| {
        let floats = airfoil_interp::FloatMode { flush: [flush; 3], ..Default::default() };
        let mut program = Program::new(&shader, Config { floats, ..Config::default() }).expect("prepares");
        let out = program.vertex(&mut Resources::new(), &System::new(), &[Vertex::default()]).expect("runs");
        out[0].get(slot(0), 0)
    };
    assert_eq!((run(false), run(true)), (Some(0x0040_0000), Some(0)));
}
