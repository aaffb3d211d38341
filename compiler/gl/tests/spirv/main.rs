//! SPIR-V modules as shader objects. The modules in `programs/` are what glslang makes of the sources beside them
//! (`glslangValidator -G`, `spirv-dis --no-header --raw-id`): the link of the modules must agree with the link of the sources.

use airfoil::check::{Baseline, Compared, Runs};
use airfoil::interp::Tolerance;
use airfoil::ir::generate::{Choices, Seed};
use airfoil_gl::query::enums::*;
use airfoil_gl::{
    Budget, Cache, Device, LinkOptions, Program, Reflection, ShaderObject, Specialization, SpecializeError,
    Stage, StateKey, Target,
};
use std::path::PathBuf;
use std::sync::Arc;

fn file(name: &str) -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/spirv/programs").join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

fn assemble(text: &str) -> Vec<u32> {
    airfoil_spirv_asm::assemble(text, &Default::default()).unwrap_or_else(|e| panic!("{e:?}"))
}

fn stage(name: &str) -> Stage {
    match name.rsplit('.').next() {
        Some("vert") => Stage::Vertex,
        Some("tesc") => Stage::TessControl,
        Some("tese") => Stage::TessEval,
        Some("geom") => Stage::Geometry,
        Some("frag") => Stage::Fragment,
        _ => Stage::Compute,
    }
}

/// A device with atomic operations on images.
fn device() -> Device {
    Device::new("macos14".parse::<Target>().unwrap_or_default())
}

fn module(device: &Device, name: &str, constants: &[(u32, u32)]) -> ShaderObject {
    let words = assemble(&file(&format!("{name}.spvasm")));
    let object =
        device.specialize(name, stage(name), &Specialization { words: &words, entry: "main", constants });
    let object = object.unwrap_or_else(|e| panic!("{name}: {e}"));
    assert!(object.is_spirv());
    assert!(object.status(), "{name}: {}", object.log());
    object
}

/// The source as GLSL that is not compiled to SPIR-V: specialization constants are constants.
fn source(device: &Device, name: &str) -> ShaderObject {
    let text = file(name);
    let lines = text.lines().map(|line| match line.split_once("constant_id") {
        Some((_, rest)) => rest.split_once(") ").map_or("", |parts| parts.1).to_owned(),
        None => line.replace("local_size_x_id = 1, ", ""),
    });
    let text: String = lines.map(|line| line + "\n").collect();
    let object = device.compile(name, stage(name), &[&text]);
    assert!(object.status() && !object.is_spirv(), "{name}: {}", object.log());
    object
}

fn link(device: &Device, objects: &[ShaderObject], options: &LinkOptions) -> Arc<Program> {
    let list: Vec<&ShaderObject> = objects.iter().collect();
    device.link(&list, options).unwrap_or_else(|log| panic!("{log}"))
}

/// The reflection without the order of the lists.
fn comparable(reflection: &Reflection) -> Reflection {
    let mut r = reflection.clone();
    for buffer in &mut r.atomic_buffers {
        buffer.counters.clear();
    }
    for block in r.uniform_blocks.iter_mut().chain(&mut r.storage_blocks) {
        block.variables.clear();
    }
    r.uniforms.sort_by(|a, b| a.name.cmp(&b.name));
    r.inputs.sort_by(|a, b| a.name.cmp(&b.name));
    r.outputs.sort_by(|a, b| a.name.cmp(&b.name));
    r.transform_feedback.varyings.sort_by_key(|v| (v.buffer, v.offset));
    r
}

const PROGRAMS: &[&[&str]] = &[
    &["resources.vert", "resources.frag"],
    &["captured.vert"],
    &["shaped.vert", "shaped.geom", "shaped.frag"],
    &["materials.vert", "materials.frag"],
    &["patches.vert", "patches.tesc", "patches.tese", "patches.frag"],
    &["sums.comp"],
];

#[test]
fn reflection_is_that_of_the_source() {
    for names in PROGRAMS {
        let device = device();
        let modules: Vec<ShaderObject> = names.iter().map(|name| module(&device, name, &[])).collect();
        let sources: Vec<ShaderObject> = names.iter().map(|name| source(&device, name)).collect();
        let [found, wanted] = [modules, sources].map(|list| link(&device, &list, &LinkOptions::default()));
        let [mut found, wanted] = [found, wanted].map(|p| comparable(p.reflection()));
        // Variables are numbered in each unit.
        let pairs = found.transform_feedback.varyings.iter_mut().zip(&wanted.transform_feedback.varyings);
        pairs.for_each(|(f, w)| f.item = w.item);
        assert_eq!(format!("{found:#?}"), format!("{wanted:#?}"), "{names:?}");
    }
}

#[test]
fn code_is_that_of_the_source() {
    for names in PROGRAMS {
        let device = device();
        let modules: Vec<ShaderObject> = names.iter().map(|name| module(&device, name, &[])).collect();
        let sources: Vec<ShaderObject> = names.iter().map(|name| source(&device, name)).collect();
        let [found, wanted] = [modules, sources].map(|list| link(&device, &list, &LinkOptions::default()));
        let key = StateKey::default();
        for stage in wanted.stages() {
            let of = |program: &Program| {
                let function = program.variant(stage, &key, &Budget::default());
                assert!(function.unwrap_or_else(|e| panic!("{e}")).metallib.starts_with(b"MTLB"));
                program.variant_shader(stage, &key, &Budget::default()).unwrap_or_else(|e| panic!("{e}"))
            };
            let baseline = Baseline::of(&of(&wanted), &Runs::default());
            assert!(
                baseline.executed() > 0 && baseline.faults().is_empty(),
                "{names:?}: {:?}",
                baseline.faults()
            );
            let compared = baseline.compare(&of(&found), Tolerance::default());
            assert!(compared == Compared::Agrees, "{names:?}: {stage}: {compared:?}");
        }
    }
}

/// A module whose `main` does nothing, with these declarations after the capabilities.
fn tiny(stage: &str, interface: &str, decorations: &str, types: &str, body: &str) -> Vec<u32> {
    let mode = match stage {
        "Fragment" => "OpExecutionMode %main OriginLowerLeft",
        _ => "",
    };
    assemble(&format!(
        "OpCapability Shader
        OpMemoryModel Logical GLSL450
        OpEntryPoint {stage} %main \"main\" {interface}
        {mode}
        {decorations}
        %void = OpTypeVoid
        %fn = OpTypeFunction %void
        %float = OpTypeFloat 32
        %int = OpTypeInt 32 1
        %v4 = OpTypeVector %float 4
        {types}
        %main = OpFunction %void None %fn
        %l = OpLabel
        {body}
        OpReturn
        OpFunctionEnd"
    ))
}

/// A module with a variable of a type in a storage class, which is loaded.
fn loads(stage: &str, class: &str, ty: &str, decorations: &str) -> Vec<u32> {
    let interface = if class == "Input" { "%x" } else { "" };
    let types = format!("%p = OpTypePointer {class} {ty}\n%x = OpVariable %p {class}");
    tiny(stage, interface, decorations, &types, &format!("%y = OpLoad {ty} %x"))
}

fn object(device: &Device, name: &str, stage: Stage, words: &[u32]) -> ShaderObject {
    device
        .specialize(name, stage, &Specialization { words, entry: "main", constants: &[] })
        .unwrap_or_else(|e| panic!("{e}"))
}

fn link_log(objects: &[&ShaderObject]) -> String {
    let log = device().link(objects, &LinkOptions::default());
    log.err().map_or("linked".to_owned(), |log| log.to_string())
}

#[test]
fn invalid_values_are_told_apart_from_failures() {
    let device = device();
    let words = assemble(&file("sums.comp.spvasm"));
    let specialize = |stage, entry, constants: &[(u32, u32)]| {
        device.specialize("1", stage, &Specialization { words: &words, entry, constants }).map(|o| o.status())
    };
    let missing = |name: &str, stage| Err(SpecializeError::EntryPoint(name.to_owned(), stage));
    assert_eq!(specialize(Stage::Compute, "other", &[]), missing("other", Stage::Compute));
    assert_eq!(specialize(Stage::Vertex, "main", &[]), missing("main", Stage::Vertex));
    assert_eq!(specialize(Stage::Compute, "main", &[(7, 0), (9, 0)]), Err(SpecializeError::Constant(9)));
    assert_eq!(specialize(Stage::Compute, "main", &[(7, 0), (8, 1)]), Ok(true));
    // Not SPIR-V at all.
    let object = device.specialize(
        "1",
        Stage::Compute,
        &Specialization { words: &[1, 2, 3], entry: "main", constants: &[] },
    );
    let object = object.unwrap_or_else(|e| panic!("{e}"));
    assert!(!object.status() && object.is_spirv() && object.log().has_errors());
}

#[test]
fn constants_have_their_values() {
    let device = device();
    let size = |constants: &[(u32, u32)]| {
        let program = link(&device, &[module(&device, "sums.comp", constants)], &LinkOptions::default());
        let code = program.variant_shader(Stage::Compute, &StateKey::default(), &Budget::default());
        let code = code.unwrap_or_else(|e| panic!("{e}"));
        (program.reflection().stages[0].work_group_size, airfoil::ir::text::print(&code))
    };
    let (default, code) = size(&[]);
    assert_eq!(default, Some([4, 2, 1]));
    assert!(!code.contains("3.25"), "{code}");
    let (changed, code) = size(&[(1, 8), (7, 3.25_f32.to_bits())]);
    assert_eq!(changed, Some([8, 2, 1]));
    assert!(code.contains("3.25"), "{code}");
}

#[test]
fn invalid_modules_are_rejected() {
    let device = device();
    let block = "%b = OpTypeStruct %v4";
    let push = tiny(
        "Vertex",
        "",
        "OpDecorate %b Block\nOpMemberDecorate %b 0 Offset 0",
        &format!("{block}\n%p = OpTypePointer PushConstant %b\n%x = OpVariable %p PushConstant"),
        "",
    );
    let sampler =
        "%s = OpTypeSampler\n%p = OpTypePointer UniformConstant %s\n%x = OpVariable %p UniformConstant";
    let sampler = tiny("Vertex", "", "", sampler, "");
    let set = loads("Vertex", "UniformConstant", "%v4", "OpDecorate %x DescriptorSet 2");
    let list = "%list = OpTypeRuntimeArray %float\n%p = OpTypePointer UniformConstant %list
        %x = OpVariable %p UniformConstant";
    let list = tiny("Vertex", "", "OpDecorate %x Location 0", list, "");
    let texture = "%i = OpTypeImage %float 2D 0 0 0 1 Unknown\n%s = OpTypeStruct %v4 %i
        %p = OpTypePointer UniformConstant %s\n%x = OpVariable %p UniformConstant";
    let texture = tiny("Vertex", "", "OpDecorate %x Location 0", texture, "");
    let differences = "(ARB_gl_spirv, \"Differences Relative to Other Specifications\")";
    for (words, message, rule) in [
        (
            list,
            "arrays without size, other than the last member of a storage block,",
            "(ARB_gl_spirv, section A.spv.4)",
        ),
        (push, "push constants", differences),
        (sampler, "samplers without textures", "(ARB_gl_spirv, issue 13)"),
        (texture, "textures without samplers", "(ARB_gl_spirv, issue 13)"),
        (set, "descriptor sets other than 0", differences),
    ] {
        let object = object(&device, "7", Stage::Vertex, &words);
        assert!(!object.status());
        let message = format!("error: {message} are invalid in OpenGL {rule}");
        assert!(object.log().to_string().contains(&message), "{}", object.log());
    }
}

#[test]
fn blocks_whose_members_overlap_are_rejected() {
    let device = device();
    let log = |first: u32, second: u32, stride: u32| {
        let types = "%two = OpConstant %int 2\n%list = OpTypeArray %v4 %two\n%b = OpTypeStruct %list %v4
            %p = OpTypePointer Uniform %b\n%x = OpVariable %p Uniform";
        let decorations = format!(
            "OpDecorate %b Block\nOpDecorate %x Binding 0\nOpDecorate %list ArrayStride {stride}
            OpMemberDecorate %b 0 Offset {first}\nOpMemberDecorate %b 1 Offset {second}"
        );
        let object = object(&device, "b", Stage::Vertex, &tiny("Vertex", "", &decorations, types, ""));
        object.log().to_string()
    };
    for (first, second, stride) in [(0, 32, 16), (16, 0, 16), (0, 128, 48), (4, 64, 20)] {
        assert_eq!(log(first, second, stride), "", "{first}, {second}, {stride}");
    }
    // The second member is in the first one or begins in it, or the elements overlap.
    for (first, second, stride) in [(0, 16, 16), (0, 28, 16), (8, 0, 16), (0, 64, 12)] {
        let log = log(first, second, stride);
        let rule = "are invalid in OpenGL (ARB_gl_spirv, section 7.6.2.spv)";
        assert!(log.contains(rule), "{first}, {second}, {stride}: {log}");
    }
}

#[test]
fn links_that_fail() {
    let device = device();
    let vertex =
        object(&device, "v", Stage::Vertex, &loads("Vertex", "Input", "%v4", "OpDecorate %x Location 0"));
    let glsl = device.compile("f", Stage::Fragment, &["void main() { gl_FragColor = vec4(1.0); }"]);
    let mixed = link_log(&[&vertex, &glsl]);
    assert!(mixed.contains("one is SPIR-V and one is GLSL, which a program cannot mix"), "{mixed}");
    let twice = link_log(&[&vertex, &vertex]);
    assert!(twice.contains("several SPIR-V shaders"), "{twice}");

    let written = "%p = OpTypePointer Output %v4\n%x = OpVariable %p Output\n%n = OpConstantNull %v4";
    let written = tiny("Vertex", "%x", "OpDecorate %x Location 3", written, "OpStore %x %n");
    let written = object(&device, "v", Stage::Vertex, &written);
    let read = loads("Fragment", "Input", "%int", "OpDecorate %x Location 3\nOpDecorate %x Flat");
    let read = object(&device, "f", Stage::Fragment, &read);
    let kinds = link_log(&[&written, &read]);
    assert!(
        kinds.contains(
            "location 3 of the vertex shader is written as float and read by the fragment shader as int"
        ),
        "{kinds}"
    );

    let uniform = |stage: &str, ty, decorations| loads(stage, "UniformConstant", ty, decorations);
    let location = "OpDecorate %x Location 5";
    let first = object(&device, "v", Stage::Vertex, &uniform("Vertex", "%v4", location));
    let same = object(&device, "f", Stage::Fragment, &uniform("Fragment", "%v4", location));
    assert_eq!(link_log(&[&first, &same]), "linked");
    let two = "%p = OpTypePointer UniformConstant %v4\n%x = OpVariable %p UniformConstant\n%y = OpVariable %p UniformConstant";
    let two = tiny(
        "Vertex",
        "",
        "OpDecorate %x Location 5\nOpDecorate %y Location 5\nOpName %x \"first\"",
        two,
        "",
    );
    let shared = link_log(&[&object(&device, "v", Stage::Vertex, &two)]);
    assert!(shared.contains("uniforms `first` and `location 5 of variable 1` share location 5"), "{shared}");
    let other = object(&device, "f", Stage::Fragment, &uniform("Fragment", "%int", location));
    let types = link_log(&[&first, &other]);
    assert!(types.contains("the types are vec4 and int"), "{types}");
}

#[test]
fn resources_that_nothing_uses_are_not_active() {
    let device = device();
    let types = "%uint = OpTypeInt 32 0
        %pu = OpTypePointer UniformConstant %v4
        %pc = OpTypePointer AtomicCounter %uint
        %idle = OpVariable %pu UniformConstant
        %used = OpVariable %pu UniformConstant
        %count = OpVariable %pc AtomicCounter";
    let decorations = "OpName %idle \"idle\"\nOpName %used \"used\"
        OpDecorate %idle Location 1\nOpDecorate %used Location 4
        OpDecorate %count Binding 0\nOpDecorate %count Offset 4";
    let words = tiny("Vertex", "", decorations, types, "%x = OpLoad %v4 %used");
    let vertex = object(&device, "v", Stage::Vertex, &words);
    let separable = LinkOptions { separable: true, ..LinkOptions::default() };
    let program = link(&device, &[vertex], &separable);
    let names: Vec<&str> = program.reflection().uniforms.iter().map(|u| &*u.name).collect();
    assert_eq!((names, program.reflection().atomic_buffers.len()), (vec!["used"], 0));
    let arguments = program.arguments(Stage::Vertex).map(|r| r.arguments.len());
    assert_eq!(arguments, Some(0), "the load is dead");
}

#[test]
fn arrays_of_blocks_are_referenced() {
    let types = "%n2 = OpConstant %int 2
        %n1 = OpConstant %int 1
        %n0 = OpConstant %int 0
        %block = OpTypeStruct %v4
        %blocks = OpTypeArray %block %n2
        %pb = OpTypePointer Uniform %blocks
        %p4 = OpTypePointer Uniform %v4
        %foo = OpVariable %pb Uniform";
    let decorations = "OpName %block \"Foo\"\nOpDecorate %block Block\nOpMemberDecorate %block 0 Offset 0
        OpDecorate %foo Binding 3";
    let body = "%x = OpAccessChain %p4 %foo %n1 %n0\n%y = OpLoad %v4 %x";
    let (device, words) = (device(), tiny("Vertex", "", decorations, types, body));
    let separable = LinkOptions { separable: true, ..LinkOptions::default() };
    let program = link(&device, &[object(&device, "v", Stage::Vertex, &words)], &separable);
    let blocks = &program.reflection().uniform_blocks;
    let found: Vec<_> = blocks.iter().map(|b| (&*b.name, b.binding, b.stages)).collect();
    assert_eq!(found, [("Foo[0]", Some(3), 1), ("Foo[1]", Some(4), 1)]);
}

#[test]
fn hostile_sizes_are_errors() {
    let device = device();
    let array = |initial: &str| {
        let types = format!(
            "%uint = OpTypeInt 32 0\n%huge = OpConstant %uint 4000000000\n%list = OpTypeArray %float %huge
            %p = OpTypePointer UniformConstant %list\n%null = OpConstantNull %list
            %one = OpConstant %uint 1\n%pf = OpTypePointer UniformConstant %float
            %x = OpVariable %p UniformConstant {initial}"
        );
        let body = "%c = OpAccessChain %pf %x %one\n%y = OpLoad %float %c";
        object(&device, "v", Stage::Vertex, &tiny("Vertex", "", "OpDecorate %x Location 1", &types, body))
    };
    let with_value = array("%null");
    assert!(with_value.log().to_string().contains("components is not supported"), "{}", with_value.log());
    let log = link_log(&[&array("")]);
    assert!(log.contains("GL_MAX_UNIFORM_LOCATIONS") || log.contains("bytes"), "{log}");
}

/// Modules with changed words are rejected or linked; `AIRFOIL_MUTATIONS` sets how many.
#[test]
fn mutated_modules_do_no_harm() {
    let count = std::env::var("AIRFOIL_MUTATIONS").ok().and_then(|n| n.parse().ok()).unwrap_or(4000);
    let device = device();
    let separable = LinkOptions { separable: true, ..LinkOptions::default() };
    let more = ["blocks.vert", "layers.frag"];
    let names: Vec<&str> = PROGRAMS.iter().copied().flatten().copied().chain(more).collect();
    let modules: Vec<Vec<u32>> =
        names.iter().map(|name| assemble(&file(&format!("{name}.spvasm")))).collect();
    let (mut seed, mut linked) = (Seed(1), 0);
    for n in 0..count {
        let at = n % names.len();
        let mut words = modules[at].clone();
        for _ in 0..1 + seed.below(3) {
            let target = 5 + seed.below(words.len() as u32 - 5) as usize;
            words[target] = match seed.below(4) {
                0 => seed.below(64),
                1 => words[target] ^ 1 << seed.below(32),
                2 => words[5 + seed.below(words.len() as u32 - 5) as usize],
                _ => words[target].wrapping_add(1),
            };
        }
        let of = Specialization { words: &words, entry: "main", constants: &[] };
        if let Ok(object) = device.specialize("m", stage(names[at]), &of)
            && device.link(&[&object], &separable).is_ok()
        {
            linked += 1;
        }
    }
    assert!(linked > count / 10, "{linked} of {count}");
}

/// The assembly without debug information.
fn without_names(text: &str) -> String {
    text.lines()
        .filter(|l| !l.contains("OpName ") && !l.contains("OpMemberName "))
        .map(|l| l.to_owned() + "\n")
        .collect()
}

#[test]
fn names_are_empty_without_debug_information() {
    names_are_empty(["resources.vert", "resources.frag"], |named| {
        assert_eq!(named.resource_location(UNIFORM, "lights[1].range[1]"), Ok(Some(26)));
        let enabled = named.reflection().uniforms.iter().find(|u| u.name == "enabled");
        assert_eq!(enabled.map(|u| u.initial.clone()), Some(vec![1, 0]));
    });
    names_are_empty(["materials.vert", "materials.frag"], |named| {
        assert_eq!(named.resource_location(UNIFORM, "list[1].layers[1].map"), Ok(Some(40 + 11 + 5)));
        assert_eq!(named.resource_location(UNIFORM, "maps.counts[1]"), Ok(Some(102)));
        // The elements of a member follow each other.
        let binding = |name: &str| {
            let uniform = named.reflection().uniforms.iter().find(|u| u.name == name);
            uniform.and_then(|u| u.binding).unwrap_or_else(|| panic!("{name}"))
        };
        let base = binding("list[0].base");
        assert_eq!(binding("list[1].base"), base + 1);
        for (n, name) in (2..).zip(["[0].layers[0]", "[0].layers[1]", "[1].layers[0]", "[1].layers[1]"]) {
            assert_eq!(binding(&format!("list{name}.map")), base + n);
        }
        assert_eq!(binding("list[1].sky"), base + 7);
    });
}

fn names_are_empty(names: [&str; 2], check: impl Fn(&Program)) {
    let device = device();
    let of = |name: &str| {
        let words = assemble(&without_names(&file(&format!("{name}.spvasm"))));
        object(&device, name, stage(name), &words)
    };
    let stripped = link(&device, &names.map(of), &LinkOptions::default());
    let named = link(&device, &names.map(|name| module(&device, name, &[])), &LinkOptions::default());
    for interface in
        [UNIFORM, UNIFORM_BLOCK, SHADER_STORAGE_BLOCK, BUFFER_VARIABLE, PROGRAM_INPUT, PROGRAM_OUTPUT]
    {
        let count = named.interface(interface, ACTIVE_RESOURCES);
        assert_eq!(stripped.interface(interface, ACTIVE_RESOURCES), count);
        let longest = stripped.interface(interface, MAX_NAME_LENGTH);
        assert_eq!(longest, count.map(|n| i32::from(n > 0)));
        assert_eq!(stripped.resource_index(interface, ""), Ok(None));
        for n in 0..count.map_or(0, |n| n as u32) {
            assert_eq!(stripped.resource_name(interface, n), Ok(""));
            let lengths = named.resource(interface, n, NAME_LENGTH);
            assert!(lengths.is_ok_and(|l| l[0] > 1));
        }
    }
    // Everything else is the same.
    let all = [
        TYPE,
        ARRAY_SIZE,
        LOCATION,
        OFFSET,
        BLOCK_INDEX,
        MATRIX_STRIDE,
        ARRAY_STRIDE,
        ATOMIC_COUNTER_BUFFER_INDEX,
    ];
    for n in 0..named.interface(UNIFORM, ACTIVE_RESOURCES).map_or(0, |n| n as u32) {
        for property in all {
            assert_eq!(
                stripped.resource(UNIFORM, n, property),
                named.resource(UNIFORM, n, property),
                "{n}: {property:#x}"
            );
        }
    }
    let bindings = |program: &Program| {
        program.reflection().uniforms.iter().map(|u| (u.binding, u.element)).collect::<Vec<_>>()
    };
    assert_eq!(bindings(&stripped), bindings(&named));
    check(&named);
}

#[test]
fn pipelines_join_modules_and_sources() {
    let device = device();
    let separable = LinkOptions { separable: true, ..LinkOptions::default() };
    let vertex = link(&device, &[module(&device, "patches.vert", &[])], &separable);
    let text = "#version 450
        layout(location = 0) in vec4 shade; layout(location = 0) out vec4 color;
        void main() { color = shade * 2.0; }";
    let fragment = device.compile("9", Stage::Fragment, &[text]);
    let fragment = link(&device, &[fragment], &separable);
    let pipeline = device.pipeline(&[(&vertex, u32::MAX), (&fragment, u32::MAX)], &Budget::default());
    let pipeline = pipeline.unwrap_or_else(|log| panic!("{log}"));
    let code = |stage| {
        let code = pipeline.variant_shader(stage, &StateKey::default(), &Budget::default());
        airfoil::ir::text::print(&code.unwrap_or_else(|e| panic!("{e}")))
    };
    assert!(code(Stage::Vertex).contains("store_output"), "{}", code(Stage::Vertex));
    assert!(code(Stage::Fragment).contains("load_interpolated_input"), "{}", code(Stage::Fragment));
    // A restored program has its module.
    let restored = device.restore(&vertex.store().unwrap()).unwrap_or_else(|e| panic!("{e}"));
    let again = device.pipeline(&[(&restored, u32::MAX), (&fragment, u32::MAX)], &Budget::default());
    let again = again.unwrap_or_else(|log| panic!("{log}"));
    let function = |program: &Program| {
        let function = program.variant(Stage::Vertex, &StateKey::default(), &Budget::default());
        function.unwrap_or_else(|e| panic!("{e}")).metallib
    };
    assert_eq!(function(&again), function(&pipeline));
}

#[test]
fn programs_are_stored_and_cached() {
    let dir = std::env::temp_dir().join(format!("airfoil-spirv-objects-{}", std::process::id()));
    let cache = || Cache::open(&dir, 1 << 24).unwrap_or_else(|e| panic!("{e}"));
    let target = "macos14".parse::<Target>().unwrap_or_default();
    let names = ["resources.vert", "resources.frag"];
    let run = |constants: &[(u32, u32)]| {
        let device = Device::with_cache(target, cache());
        let modules = [module(&device, names[0], &[]), module(&device, names[1], constants)];
        let program = link(&device, &modules, &LinkOptions::default());
        let function = program.variant(Stage::Fragment, &StateKey::default(), &Budget::default());
        (program.identity(), function.unwrap_or_else(|e| panic!("{e}")).metallib)
    };
    let first = run(&[]);
    let second = run(&[]);
    let other = run(&[(3, 5)]);
    let _ = std::fs::remove_dir_all(&dir);
    assert!(first == second && first.0 != other.0 && first.1 != other.1);

    let device = device();
    let program = link(&device, &names.map(|name| module(&device, name, &[])), &LinkOptions::default());
    let stored = program.store().unwrap_or_else(|e| panic!("{e}"));
    let restored = device.restore(&stored).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(restored.reflection(), program.reflection());
}
