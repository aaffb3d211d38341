//! Defects of the GLSL linker, by defect number.

use airfoil_glsl::limits::Limits;
use airfoil_glsl::link::LinkOptions;
use airfoil_glsl::{Program, ProgramOptions, Source, build};
use airfoil_ir::{Modes, Slot, Stage};

fn program(sources: &[(Stage, &str)], link: LinkOptions) -> Result<Program, Vec<String>> {
    let sources: Vec<Source<'_>> =
        sources.iter().map(|&(stage, text)| Source { name: "", stage, text }).collect();
    build(&sources, &ProgramOptions { link, ..ProgramOptions::default() })
        .map_err(|list| list.iter().map(|d| format!("{} {}", d.code, d.message)).collect())
}

/// Names and slots of the inputs or outputs of a program's only stage, sorted by name.
fn slots(program: &Program, mode: Modes) -> Vec<(String, Option<Slot>)> {
    let vars = program.shaders[0].vars.values().filter(|v| v.mode == mode);
    let mut list: Vec<_> =
        vars.filter(|v| !v.name.starts_with("gl_")).map(|v| (v.name.to_string(), v.location)).collect();
    list.sort();
    list
}

/// OpenGL 4.6 section 7.4.1: interfaces of separable programs that have the same names match, whatever the order of declaration.
#[test]
fn defect_8_separable_programs_match_by_name() {
    let separable = || LinkOptions { separable: true, ..LinkOptions::default() };
    let vertex = "#version 430\nout gl_PerVertex { vec4 gl_Position; };\nout vec4 b; out float unused; out vec2 a; out B { vec4 m; vec4 k; } d;\n\
        void main() { gl_Position = vec4(0.0); a = vec2(1.0); b = vec4(2.0); d.m = vec4(3.0); d.k = vec4(4.0); unused = 1.0; }";
    let fragment = "#version 430\nin B { vec4 m; vec4 k; } d; in vec2 a; in float unused; in vec4 b; out vec4 c;\n\
        void main() { c = a.xyxy + b + d.m + d.k; }";
    let v = program(&[(Stage::Vertex, vertex)], separable()).unwrap();
    let f = program(&[(Stage::Fragment, fragment)], separable()).unwrap();
    let outputs: Vec<_> = slots(&v, Modes::OUT).into_iter().filter(|(name, _)| name != "unused").collect();
    let inputs = slots(&f, Modes::IN);
    assert_eq!(outputs, inputs);
    assert_eq!(inputs.len(), 4);
}

const CONVENTIONAL: &str = "#version 120\nattribute vec4 generic; attribute vec4 open;\n\
    void main() { gl_Position = gl_Vertex + generic + open; gl_FrontColor = gl_Color; }";

/// OpenGL 2.1 section 2.7: generic attributes do not alias conventional ones, except for `gl_Vertex`.
#[test]
fn defect_15_generic_attributes_do_not_alias_conventional_ones() {
    let bound =
        |at| LinkOptions { attribute_bindings: vec![("generic".into(), at)], ..LinkOptions::default() };
    // 3 is the number of `gl_Color`.
    let built = program(&[(Stage::Vertex, CONVENTIONAL)], bound(3)).unwrap();
    let vars = built.shaders[0].vars.values().filter(|v| v.mode == Modes::IN);
    let mut found: Vec<_> = vars.map(|v| (v.location.unwrap(), v.name.to_string())).collect();
    found.sort();
    let generic = found.iter().find(|(_, name)| name == "generic").unwrap();
    assert_eq!(generic.0, Slot::generic(3).unwrap());
    assert_eq!(found.len(), 4);
    assert!(found.windows(2).all(|pair| pair[0].0 != pair[1].0), "{found:?}");
    let location = built.reflection.inputs.iter().find(|i| i.name == "generic").unwrap().location;
    assert_eq!(location, Some(3));
    // Section 2.15.3: generic attribute 0 and gl_Vertex exclude each other.
    let errors = program(&[(Stage::Vertex, CONVENTIONAL)], bound(0)).unwrap_err();
    assert!(errors[0].starts_with("E1120") && errors[0].contains("gl_Vertex"), "{errors:?}");
    // Without a binding at its number, a conventional attribute keeps it.
    let built = program(&[(Stage::Vertex, CONVENTIONAL)], bound(7)).unwrap();
    let color = built.shaders[0].vars.values().find(|v| &*v.name == "gl_Color").unwrap();
    assert_eq!(color.location, Slot::generic(3));
}

/// OpenGL 4.6 sections 7.6, 7.6.3 and 7.8: bindings that are not declared start at 0 in the API.
#[test]
fn defect_16_assigned_bindings_do_not_look_declared() {
    let text = "#version 430\nlayout(std140) uniform A { vec4 a; }; layout(std140) uniform B { vec4 b; };\n\
        layout(std140, binding = 5) uniform C { vec4 c; } cs[2]; buffer D { vec4 d; }; uniform sampler2D s, t;\n\
        layout(binding = 4) uniform sampler2D u[2]; out vec4 o;\n\
        void main() { vec2 p = vec2(0.0); o = a + b + cs[0].c + cs[1].c + d + texture(s, p) + texture(t, p) + texture(u[0], p) + texture(u[1], p); }";
    let built = program(&[(Stage::Fragment, text)], LinkOptions::default()).unwrap();
    let r = &built.reflection;
    let blocks: Vec<_> =
        r.uniform_blocks.iter().map(|b| (b.name.as_str(), b.explicit_binding, b.initial_binding())).collect();
    assert_eq!(blocks, [("A", false, 0), ("B", false, 0), ("C[0]", true, 5), ("C[1]", true, 6)]);
    assert_eq!((r.storage_blocks[0].explicit_binding, r.storage_blocks[0].initial_binding()), (false, 0));
    let unit = |name: &str, n| r.uniforms.iter().find(|u| u.name == name).unwrap().initial_unit(n);
    assert_eq!((unit("s", 0), unit("t", 0), unit("u[0]", 0), unit("u[0]", 1)), (0, 0, 4, 5));
    // The shaders still have bindings of their own.
    let mut bindings: Vec<_> = r.uniform_blocks.iter().map(|b| b.binding.unwrap()).collect();
    bindings.dedup();
    assert_eq!(bindings.len(), 4);
    let json = r.to_json();
    assert!(json.to_string().contains("explicit_binding"));
}

/// Metal passes 31 vectors besides the position from vertex to fragment functions.
#[test]
fn defect_19_metal_has_31_vectors_between_stages() {
    let limits = airfoil::metal_limits(Limits::GL);
    assert_eq!((limits.max_varying_vectors, limits.max_varying_components), (31, 124));
    let stages = |n: u32| {
        let write: String = (0..n).map(|i| format!("v[{i}] = vec4({i});")).collect();
        let sum: String = (0..n).map(|i| format!(" + v[{i}]")).collect();
        [
            format!("#version 430\nout vec4 v[{n}]; void main() {{ gl_Position = vec4(0.0); {write} }}"),
            format!("#version 430\nin vec4 v[{n}]; out vec4 c; void main() {{ c = vec4(0.0){sum}; }}"),
        ]
    };
    let link = |n: u32| {
        let [v, f] = stages(n);
        let options = LinkOptions { limits: limits.clone(), ..LinkOptions::default() };
        program(&[(Stage::Vertex, &v), (Stage::Fragment, &f)], options)
    };
    link(31).unwrap();
    assert!(link(32).unwrap_err()[0].starts_with("E1121"));
}

/// OpenGL 4.6 section 11.1.2.1: an array of scalars takes one component per element. Locations hold four components each.
#[test]
fn defect_25_arrays_of_scalars_share_locations() {
    let vertex = "#version 450\nout float f[60]; flat out int n[2]; out vec2 rest;\n\
        void main() { gl_Position = vec4(0.0); for (int i = 0; i < 60; i++) f[i] = float(i); n[0] = n[1] = 1; rest = vec2(1.0); }";
    let fragment = "#version 450\nin float f[60]; flat in int n[2]; in vec2 rest; uniform int i; out vec4 c;\n\
        void main() { c = vec4(f[i], interpolateAtCentroid(f[3]), n[1], rest.x); }";
    let link = |varyings: Vec<String>| {
        let mut options = LinkOptions::default();
        options.limits.max_vertex_output_components = 68;
        options.limits.max_fragment_input_components = 68;
        options.transform_feedback.varyings = varyings;
        program(&[(Stage::Vertex, vertex), (Stage::Fragment, fragment)], options).unwrap()
    };
    let built = link(Vec::new());
    for (shader, mode) in built.shaders.iter().zip([Modes::OUT, Modes::IN]) {
        let user = shader.vars.values().filter(|v| v.mode == mode && !v.name.starts_with("gl_"));
        let last = user.map(|v| {
            let first = v.location.and_then(Slot::as_generic).unwrap();
            first + shader.types.num_slots(v.ty)
        });
        assert_eq!(last.max(), Some(17));
    }
    // Captured elements are components.
    let built = link(vec!["f[5]".into(), "f".into()]);
    let captured = &built.reflection.transform_feedback.varyings;
    let slot = |n: usize| captured[n].slot.and_then(Slot::as_generic);
    assert_eq!((slot(0), captured[0].component), (slot(1).map(|at| at + 1), 1));
    assert!(captured.iter().all(|v| v.packed));
}
