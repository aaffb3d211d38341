//! Results of the interpreter: each shader must do the same as one that contains the result as a constant.

use airfoil_interp::{FaultKind, Options, Outcome, Tolerance, execute};
use airfoil_ir::text;

fn run(stage: &str, declarations: &str, code: &str, options: &Options) -> Result<Outcome, FaultKind> {
    let source =
        format!("foil 1\nshader {stage} \"t\" {{\n{declarations}\nentry fn main {{\n{code}\n}}\n}}\n");
    let shader = text::parse(&source).expect("the test parses");
    let faults = airfoil_ir::validate::validate(&shader);
    assert!(faults.is_empty(), "{faults:?}");
    execute(&shader, options).map_err(|f| f.kind)
}

/// Both pieces of code do the same, and the third does not.
#[track_caller]
fn same(stage: &str, declarations: &str, code: &str, expected: &str, wrong: &str) {
    for seed in 0..4 {
        let options = Options { seed, ..Options::default() };
        let outcome = |code| run(stage, declarations, code, &options).expect("runs");
        let (a, b, c) = (outcome(code), outcome(expected), outcome(wrong));
        assert!(a.num_compared() > 0, "nothing is compared");
        assert_eq!(a.difference(&b, Tolerance::EXACT), None);
        assert!(a.difference(&c, Tolerance::default()).is_some(), "the wrong code is not noticed");
    }
}

const LANE: &str = "form slots\nout int o location=0";

fn store(value: &str) -> String {
    format!("32x1 %z = const 0\n{value}\nstore_output %r, %z io=0 mask=x src_type=int32")
}

#[test]
fn loops_run_for_each_lane_as_long_as_it_wants() {
    // The sum of 0..id, with a phi for each exit.
    let code = "32x1 %z = const 0\n32x1 %one = const 1\n%id = load_vertex_id_zero_base\npre:\nloop {\n\
        head:\n32x1 %i = phi pre: %z, next: %i2\n32x1 %s = phi pre: %z, next: %s2\n\
        %done = uge %i, %id\nif %done {\nbreak\n} else {\n}\nnext:\n%s2 = iadd %s, %i\n%i2 = iadd %i, %one\n}\n\
        store_output %s, %z io=0 mask=x src_type=int32";
    let code = code.replacen("pre:\nloop", "loop", 1).replacen("32x1 %z", "pre:\n32x1 %z", 1);
    let sum = "%id = load_vertex_id_zero_base\n32x1 %one = const 1\n%less = isub %id, %one\n%p = imul %id, %less\n%r = ishr %p, %one";
    let off = sum.replace("isub", "iadd");
    same("vertex", LANE, &code, &store(sum), &store(&off));
}

#[test]
fn both_sides_of_an_if_run_with_their_lanes() {
    let code = "32x1 %z = const 0\n32x1 %two = const 2\n%id = load_vertex_id_zero_base\n%c = ult %id, %two\n\
        if %c {\nleft:\n32x1 %a = const 10\n} else {\nright:\n32x1 %b = const 20\n}\n\
        32x1 %r = phi left: %a, right: %b\nstore_output %r, %z io=0 mask=x src_type=int32";
    let select = "32x1 %two = const 2\n%id = load_vertex_id_zero_base\n%c = ult %id, %two\n32x1 %a = const 10\n32x1 %b = const 20\n%r = bcsel %c, %a, %b";
    same("vertex", LANE, code, &store(select), &store(&select.replace("%a, %b", "%b, %a")));
}

#[test]
fn derivatives_read_the_neighbours() {
    let code = "%p = load_frag_coord\n%r = fddx %p.x";
    let one = "32x1 %r = const 1.0";
    same(
        "fragment",
        "form slots\nout float o location=0",
        &store(code),
        &store(one),
        &store(&code.replace("fddx", "fddy")),
    );
}

#[test]
fn discarded_lanes_are_told_and_have_no_effects() {
    let declarations = "form slots\nssbo B { uint a @0 } b set=0 binding=0";
    let code = "32x1 %z = const 0\n32x1 %half = const 0.5\n%p = load_frag_coord\n%c = flt %half, %p.z\ndiscard_if %c\n\
        %b = deref_var &b\n32x1 %one = const 1\n32x1 %old = ssbo_atomic %b, %z, %one op=iadd";
    // Only the lane with the least depth stays.
    let alone = code.replace("%old = ", "%other = ");
    let twice = code.replace("32x1 %one = const 1", "32x1 %one = const 2");
    same("fragment", declarations, code, &alone, &twice);
    let none = code.replace("discard_if %c\n", "");
    same("fragment", declarations, code, &alone, &none);
}

#[test]
fn variables_and_slots_name_outputs_alike() {
    let variables = "form variables\nin vec4 a location=1\nout vec4 o location=2\n";
    let slots = "form slots\nin vec4 a location=1\nout vec4 o location=2\n";
    let load = "%v = load_deref &a\n%r = fneg %v\nstore_deref &o, %r";
    let lowered = "32x1 %z = const 0\n32x4 %v = load_input %z io=1 dest_type=float32\n%r = fneg %v\n\
        store_output %r, %z io=2 mask=xyzw src_type=float32";
    let options = Options::default();
    let a = run("vertex", variables, load, &options).expect("runs");
    let b = run("vertex", slots, lowered, &options).expect("runs");
    assert_eq!(a.num_compared(), 16);
    assert_eq!(a.difference(&b, Tolerance::EXACT), None);
    let c = run("vertex", slots, &lowered.replace("io=2", "io=3"), &options).expect("runs");
    let found = a.difference(&c, Tolerance::EXACT).map(|d| d.name);
    assert_eq!(found.as_deref(), Some("output 2, component 0, invocation 0"));
}

#[test]
fn row_major_columns_and_members_have_their_places() {
    let declarations = "form variables\nssbo B { mat2(stride=16 row_major) m @0, float f @32 } b set=0 binding=0\nout vec2 o location=0";
    let column = "%b = deref_var &b\n%m = deref_struct %b.m\n32x1 %one = const 1\n%c = deref_array %m[%one]\n%v = load_deref %c\nstore_deref &o, %v";
    let scalars = "%b = deref_var &b\n%m = deref_struct %b.m\n32x1 %one = const 1\n32x1 %zero = const 0\n%c = deref_array %m[%one]\n\
        %x = deref_array %c[%zero]\n%y = deref_array %c[%one]\n%p = load_deref %x\n%q = load_deref %y\n%v = vec2 %p, %q\nstore_deref &o, %v";
    same("vertex", declarations, column, scalars, &scalars.replace("vec2 %p, %q", "vec2 %q, %p"));
}

#[test]
fn subgroups_are_the_whole_group() {
    let sum = "%id = load_vertex_id_zero_base\n32x1 %r = reduce %id reduce=iadd";
    same("vertex", LANE, &store(sum), &store("32x1 %r = const 6"), &store("32x1 %r = const 5"));
    let scan =
        "%id = load_vertex_id_zero_base\n32x1 %one = const 1\n32x1 %r = exclusive_scan %one reduce=iadd";
    same("vertex", LANE, &store(scan), &store("%r = load_vertex_id_zero_base"), &store(sum));
}

#[test]
fn endless_loops_and_undefined_branches_are_faults() {
    let options = Options { max_steps: 1000, ..Options::default() };
    let endless = run("vertex", LANE, "loop {\n}", &options);
    assert_eq!(endless.err(), Some(FaultKind::Steps));
    let branch = run("vertex", LANE, "1x1 %u = undef\nif %u {\n} else {\n}", &options);
    assert_eq!(branch.err(), Some(FaultKind::Undefined));
}

#[test]
fn undefined_values_and_races_are_not_compared() {
    let undefined = store("32x1 %u = undef\n32x1 %one = const 1\n%r = iadd %u, %one");
    let outcome = run("vertex", LANE, &undefined, &Options::default()).expect("runs");
    assert_eq!(outcome.num_compared(), 0);
    let declarations = "form slots\nssbo B { uint a @0 } b set=0 binding=0";
    let race =
        "32x1 %z = const 0\n%b = deref_var &b\n%id = load_vertex_id\nstore_ssbo %id, %b, %z mask=x align=4";
    let several = run("vertex", declarations, race, &Options::default()).expect("runs");
    assert_eq!(several.num_compared(), 0);
    let alone = |seed| {
        let options = Options { lanes: 1, seed, ..Options::default() };
        run("vertex", declarations, race, &options).expect("runs").num_compared()
    };
    // The buffer may hold the number before, but not on all seeds.
    assert!((0..8).map(alone).sum::<usize>() > 0);
}

#[test]
fn undefined_sizes_of_meshes_are_not_compared() {
    let declarations =
        "form slots\nworkgroup_size 1 1 1\noutput_primitive points\nmax_vertices 4\nmax_primitives 4";
    let compared =
        |code: &str| run("mesh", declarations, code, &Options::default()).expect("runs").num_compared();
    let one = "32x1 %one = const 1\n";
    assert_eq!(compared(&format!("{one}set_mesh_outputs %one, %one")), 3);
    assert_eq!(compared(&format!("{one}32x1 %u = undef\nset_mesh_outputs %u, %one")), 2);
    assert_eq!(compared(&format!("{one}32x1 %u = undef\nset_mesh_outputs %one, %u")), 2);
}

#[test]
fn emitted_vertices_are_told_one_by_one() {
    let declarations = "form variables\nin vec4[3] a location=1\nout vec4 o location=2";
    let vertex = |i: u32| {
        format!(
            "32x1 %i{i} = const {i}\n%a{i} = deref_var &a\n%e{i} = deref_array %a{i}[%i{i}]\n%v{i} = load_deref %e{i}\nstore_deref &o, %v{i}\nemit_vertex\n"
        )
    };
    let lowered = |i: u32| {
        format!(
            "32x1 %i{i} = const {i}\n32x4 %v{i} = load_per_vertex_input %i{i}, %z io=1 dest_type=float32\nstore_output %v{i}, %z io=2 mask=xyzw src_type=float32\nemit_vertex\n"
        )
    };
    let options = Options::default();
    let a =
        run("geometry", declarations, &(vertex(0) + &vertex(2) + "end_primitive"), &options).expect("runs");
    let slots = "form slots\nin vec4[3] a location=1\nout vec4 o location=2";
    let code = |x, y| format!("32x1 %z = const 0\n{}{}end_primitive", lowered(x), lowered(y));
    let b = run("geometry", slots, &code(0, 2), &options).expect("runs");
    // Two vertices of four components and three events, for four lanes.
    assert_eq!(a.num_compared(), 4 * (8 + 3));
    assert_eq!(a.difference(&b, Tolerance::EXACT), None);
    let c = run("geometry", slots, &code(0, 1), &options).expect("runs");
    assert!(a.difference(&c, Tolerance::EXACT).is_some());
}

#[test]
fn patches_share_their_outputs() {
    let declarations = "form slots\npatch_vertices_out 4\nin vec4[3] a location=1\nout vec4[4] o location=2\nout float[4] t patch compact location=tess_level_outer";
    let code = |neighbour: &str| {
        format!(
            "32x1 %z = const 0\n32x1 %three = const 3\n32x1 %one = const 1\n%id = load_invocation_id\n\
        32x1 %v = load_per_vertex_input %id, %z io=1 dest_type=float32\n\
        store_per_vertex_output %v, %id, %z io=2 mask=x src_type=float32\n\
        barrier execution=workgroup memory=workgroup modes=out semantics=acquire|release\n\
        %n = {neighbour}\n32x1 %w = load_per_vertex_output %n, %z io=2 dest_type=float32\n\
        32x1 %zz = const 0\nstore_per_vertex_output %w, %id, %zz io=2 component=1 mask=x src_type=float32"
        )
    };
    let run = |code: &str| {
        run(
            "tess_control",
            &declarations.replace("out float[4] t patch compact location=tess_level_outer\n", ""),
            code,
            &Options::default(),
        )
    };
    let a = run(&code("ixor %id, %three")).expect("runs");
    assert!(a.num_compared() > 0);
    let b = run(&code("isub %three, %id")).expect("runs");
    assert_eq!(a.difference(&b, Tolerance::EXACT), None);
    let c = run(&code("ixor %id, %one")).expect("runs");
    assert!(a.difference(&c, Tolerance::EXACT).is_some());
}

const BUFFER: &str =
    "form slots\nssbo Data { uint[4 stride=4] list @0 } data set=0 binding=0\nout uint o location=0";

/// Loads from a byte of a buffer of 16 bytes, and returns another value.
fn load(byte: u32, align: &str) -> String {
    format!(
        "%d = deref_var &data\n32x1 %at = const {byte}\n32x1 %x = load_ssbo %d, %at{align}\n32x1 %z = const 0\n\
         32x1 %r = const 7\nstore_output %r, %z io=0 mask=x src_type=uint32"
    )
}

#[test]
fn offsets_have_the_alignment_that_is_promised() {
    let of = |byte, align| run("vertex", BUFFER, &load(byte, align), &Options::default()).map(|_| ());
    assert_eq!(of(4, ""), Ok(()));
    assert_eq!(of(4, " align=4"), Ok(()));
    assert_eq!(of(4, " align=16+4"), Ok(()));
    assert_eq!(of(4, " align=8"), Err(FaultKind::Undefined));
    assert_eq!(of(4, " align=16+12"), Err(FaultKind::Undefined));
}

#[test]
fn accesses_out_of_bounds_that_are_added_are_differences() {
    let of = |byte| run("vertex", BUFFER, &load(byte, ""), &Options::default()).expect("runs");
    let (inside, outside) = (of(12), of(400));
    let found = inside.difference(&outside, Tolerance::EXACT).expect("differs");
    assert_eq!(
        found.to_string(),
        "access to buffers was in bounds, is byte 400 of `data`[0] is out of bounds, it has 16 bytes"
    );
    // Other accesses out of bounds may move.
    assert_eq!(outside.difference(&of(800), Tolerance::EXACT), None);
    assert_eq!(outside.difference(&inside, Tolerance::EXACT), None);
}

#[test]
fn intrinsics_execute_in_their_stages() {
    let code =
        "foil 1\nshader vertex \"t\" {\nform slots\nentry fn main {\n32x4 %p = load_frag_coord\n}\n}\n";
    let shader = text::parse(code).expect("the test parses");
    let fault = execute(&shader, &Options::default()).expect_err("is a fault");
    assert_eq!(
        (fault.kind, &*fault.message),
        (FaultKind::Undefined, "`load_frag_coord` is not legal in vertex shaders")
    );
}
