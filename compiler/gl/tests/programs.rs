//! Shader objects, links, keys and variants.

#![allow(clippy::print_stdout, reason = "a test reports the sizes that it found")]

use airfoil_gl::{
    Attachment, BindingPolicy, BlendEquation, Budget, CompareFunc, Device, DeviceOptions, DriverValues,
    FogMode, FormatKind, InlinedUniform, LineMode, LinkOptions, LogicOp, OptLevel, PointSize, PolygonKind,
    PolygonMode, Program, ShaderObject, Stage, StateFlags, StateKey, StateMask, TransformFeedback,
    VertexFormat, XfbMode,
};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

const VERTEX: &str = "#version 330
    in vec4 p; in vec2 uv; out vec2 v_uv; out float gl_ClipDistance[2]; uniform mat4 mvp;
    void main() {
        gl_Position = mvp * p; v_uv = uv; gl_ClipDistance[0] = p.x; gl_ClipDistance[1] = p.y;
    }";
const FRAGMENT: &str = "#version 330
    in vec2 v_uv; uniform sampler2D t; uniform Block { vec4 tint; }; out vec4 color;
    void main() { color = texture(t, v_uv) * tint + vec4(gl_FragCoord.xyxy * 0.001); }";

fn objects(device: &Device, vertex: &str, fragment: &str) -> [ShaderObject; 2] {
    [device.compile("7", Stage::Vertex, &[vertex]), device.compile("8", Stage::Fragment, &[fragment])]
}

fn link(device: &Device, vertex: &str, fragment: &str) -> Arc<Program> {
    let [v, f] = objects(device, vertex, fragment);
    device.link(&[&v, &f], &LinkOptions::default()).unwrap_or_else(|log| panic!("{log}"))
}

/// Keys that differ in every field.
fn keys(count: u32) -> Vec<StateKey> {
    let key = |n: u32| {
        let bits = n.wrapping_mul(2_654_435_761);
        StateKey {
            flags: StateFlags::from_bits_truncate(bits >> 8) - StateFlags::CAPTURE,
            clip_enable: (bits >> 16) as u8,
            point_size: [PointSize::None, PointSize::Shader, PointSize::State, PointSize::Clamped]
                [(bits >> 24 & 3) as usize],
            color_attachments: 1 + (bits >> 25 & 7) as u8,
            patch_vertices: 1 + (bits >> 28 & 7) as u8,
            index_bits: 16,
            lines: LineMode::ALL[(bits >> 9 & 3) as usize],
            polygon_mode: [PolygonMode::Native, PolygonMode::Native, PolygonMode::Lines, PolygonMode::Points]
                [(bits >> 18 & 3) as usize],
            polygons: [PolygonKind::Triangles, PolygonKind::Quads][(bits >> 20 & 1) as usize],
            alpha_func: CompareFunc::NAMES[(bits >> 5 & 7) as usize].0,
            fog: [FogMode::None, FogMode::Linear, FogMode::Exp, FogMode::Exp2][(bits >> 3 & 3) as usize],
            coord_replace: (bits >> 11) as u8,
            clip_planes: (bits >> 19 & 3) as u8,
            attachments: [[Attachment::AsWritten, Attachment::Int, Attachment::Unorm8, Attachment::Float]
                [(bits >> 13 & 3) as usize]; 8],
            blend: BlendEquation::NAMES[(bits >> 10 & 15) as usize].0,
            logic_op: LogicOp::NAMES[(bits >> 6 & 15) as usize].0,
            nonseamless: bits >> 12 & 3,
            gl_clamp: [bits & 3, bits >> 2 & 3, bits >> 4 & 3],
            external_planes: [bits >> 17 & 3, bits >> 22 & 3],
            vertex_formats: [VertexFormat {
                kind: FormatKind::NAMES[(bits >> 19 & 31) as usize % FormatKind::NAMES.len()].0,
                components: (bits >> 7 & 3) as u8,
            }; 32],
            pulled: if bits >> 14 & 1 != 0 { u32::MAX } else { 0 },
            instanced: bits >> 27 & 3,
            unaligned: bits >> 26 & 3,
            inlined_count: (bits >> 15 & 3) as u8,
            inlined: std::array::from_fn(|n| InlinedUniform { offset: 16 * n as u32, value: bits & 1 }),
            ..StateKey::default()
        }
    };
    (0..count).map(key).collect()
}

#[test]
fn equal_functions_have_equal_keys() {
    let device = Device::default();
    let programs = [
        link(&device, VERTEX, FRAGMENT),
        link(
            &device,
            "attribute vec4 p; void main() { gl_Position = p; }",
            "void main() { gl_FragColor = vec4(1.0); }",
        ),
        link(
            &device,
            "#version 120\nattribute vec4 p; void main() { gl_Position = p; gl_FrontColor = p; gl_BackColor = p.yxzw; gl_ClipVertex = p; }",
            "#version 120\nvoid main() { gl_FragColor = gl_Color * gl_TexCoord[1]; }",
        ),
        link(
            &device,
            "#version 120\nattribute vec4 p; void main() { gl_Position = p; gl_PointSize = p.x; }",
            "#version 120\nvoid main() { gl_FragColor = vec4(gl_FrontFacing ? 1.0 : 0.0, gl_PointCoord, 1.0); }",
        ),
        link(
            &device,
            "attribute vec3 p; varying vec3 d; void main() { d = p; gl_Position = vec4(p, 1.0); }",
            "uniform samplerCube t; varying vec3 d; void main() { gl_FragColor = textureCube(t, d); }",
        ),
    ];
    for program in &programs {
        for stage in [Stage::Vertex, Stage::Fragment] {
            let mut functions: BTreeMap<Vec<u8>, BTreeSet<String>> = BTreeMap::new();
            let mut distinct = BTreeSet::new();
            for key in keys(100) {
                let canonical = program.stage_canonical(stage, &key);
                assert_eq!(program.stage_canonical(stage, &canonical), canonical);
                let function = program.variant(stage, &key, &Budget::default()).unwrap();
                functions.entry(function.metallib).or_default().insert(format!("{canonical:?}"));
                distinct.insert(format!("{canonical:?}"));
            }
            for keys in functions.values() {
                assert_eq!(keys.len(), 1, "{stage}: these keys have the same function: {keys:#?}");
            }
            assert_eq!(functions.len(), distinct.len(), "{stage}: a key has two functions");
        }
    }
}

#[test]
fn programs_depend_on_the_state_of_their_code() {
    let device = Device::default();
    let program = link(&device, VERTEX, FRAGMENT);
    let position =
        StateMask::FLIP_Y | StateMask::HALF_Z | StateMask::POINT_SIZE | StateMask::RASTERIZER_DISCARD;
    let position = position | StateMask::DYNAMIC_CLIP;
    let position = position | StateMask::VERTEX_FORMATS | StateMask::PULLED | StateMask::INLINED;
    let fragment = StateMask::FLIP_WINDOW
        | StateMask::ALPHA_FUNC
        | StateMask::FOG
        | StateMask::FOG_DEPTH
        | StateMask::ATTACHMENTS
        | StateMask::LOGIC_OP
        | StateMask::BLEND
        | StateMask::GL_CLAMP
        // 2D textures can be external images.
        | StateMask::EXTERNAL_PLANES
        | StateMask::SAMPLE_MASK
        | StateMask::SAMPLE_SHADING
        | StateMask::CLAMP_FRAGMENT_COLORS
        | StateMask::POLYGON_STIPPLE;
    // Lines and polygons that mesh functions draw.
    let expanded = StateMask::LINES
        | StateMask::POLYGON_MODE
        | StateMask::POLYGONS
        | StateMask::LINE_STIPPLE
        | StateMask::LINE_STRIP
        | StateMask::EDGE_FLAGS
        | StateMask::SMOOTH_POINTS;
    let position = position | expanded | StateMask::INDEX_BITS | StateMask::FIRST_PROVOKES;
    let fragment = fragment | expanded;
    assert_eq!(program.stage_depends_on(Stage::Vertex), position | StateMask::CLIP_ENABLE);
    assert_eq!(program.stage_depends_on(Stage::Geometry), position | StateMask::CLIP_ENABLE);
    assert_eq!(program.stage_depends_on(Stage::Fragment), fragment);
    assert_eq!(program.stage_depends_on(Stage::Compute), StateMask::empty());
    assert_eq!(program.depends_on(), position | StateMask::CLIP_ENABLE | fragment);
    let key = StateKey { clip_enable: 0xff, color_attachments: 4, ..StateKey::default() };
    assert_eq!(program.canonical(&key), StateKey { clip_enable: 3, ..StateKey::default() });
}

#[test]
fn threads_make_equal_bytes() {
    let device = Device::default();
    let program = link(&device, VERTEX, FRAGMENT);
    let keys = keys(40);
    let make = |program: &Program| -> Vec<Vec<u8>> {
        let both = |key| {
            [Stage::Vertex, Stage::Fragment].map(|stage| program.variant(stage, key, &Budget::default()))
        };
        keys.iter().flat_map(both).map(|f| f.unwrap().metallib).collect()
    };
    let want = make(&program);
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8)
            .map(|n| {
                let (device, program, make) = (&device, &program, &make);
                scope.spawn(move || {
                    // Half of the threads link, too.
                    let own = link(device, VERTEX, FRAGMENT);
                    let own = if n % 2 == 0 { &own } else { program };
                    assert_eq!(own.identity(), program.identity());
                    make(own)
                })
            })
            .collect();
        for thread in threads {
            assert!(thread.join().unwrap() == want);
        }
    });
}

/// The first function of the default state is the one that the link has selected; the second is selected again. The device keeps those of
/// the last links only.
#[test]
fn functions_that_links_select_are_those_of_variants() {
    let device = Device::default();
    let key = StateKey::default();
    let fragment = |n: u32| format!("{FRAGMENT} // {n}").replace("0.001", &format!("{n}.5"));
    let programs: Vec<_> = (1..20).map(|n| link(&device, VERTEX, &fragment(n))).collect();
    let mut libraries = BTreeSet::new();
    for program in programs.iter().rev() {
        for stage in [Stage::Vertex, Stage::Fragment] {
            let make = || program.variant(stage, &key, &Budget::default()).unwrap();
            let (first, again) = (make(), make());
            assert_eq!(first.metallib, again.metallib, "{stage}");
            assert_eq!(first.reflection, again.reflection, "{stage}");
            libraries.insert(first.metallib);
        }
    }
    // One vertex function for all.
    assert_eq!(libraries.len(), 1 + programs.len());
}

#[test]
fn objects_never_fail_and_logs_name_them() {
    let device = Device::default();
    let broken = device.compile("broken", Stage::Vertex, &["void main() {\n", "gl_Position = vec5(1.0); }"]);
    assert!(!broken.status());
    let log = broken.log().to_string();
    assert!(log.starts_with("broken:1:1("), "{log}");
    let log = device.link(&[&broken], &LinkOptions::default()).unwrap_err().to_string();
    assert_eq!(log, "error: `broken` is not compiled\n");

    // Two objects of one stage: the log names the one that is wrong.
    let first = device.compile(
        "first",
        Stage::Fragment,
        &["void f(); void main() { f(); gl_FragColor = vec4(0.0); }"],
    );
    let second = device.compile("second", Stage::Fragment, &["uniform vec3 u;\nvoid main() { }"]);
    let vertex =
        device.compile("vertex", Stage::Vertex, &["uniform vec4 u; void main() { gl_Position = u; }"]);
    let log = device.link(&[&vertex, &first, &second], &LinkOptions::default()).unwrap_err().to_string();
    assert!(log.contains("second:2("), "{log}");
}

#[test]
fn programs_are_linked_again_with_other_bindings() {
    let device = Device::default();
    let program = link(&device, VERTEX, FRAGMENT);
    let location = |program: &Program, name: &str| {
        program.reflection().inputs.iter().find(|i| i.name == name).and_then(|i| i.location)
    };
    let mut options = LinkOptions {
        attribute_bindings: vec![("p".to_owned(), 5), ("uv".to_owned(), 9)],
        frag_data_bindings: vec![("color".to_owned(), 2, 0)],
        ..LinkOptions::default()
    };
    let again = program.relink(&options).unwrap_or_else(|log| panic!("{log}"));
    assert_eq!((location(&again, "p"), location(&again, "uv")), (Some(5), Some(9)));
    assert_eq!((location(&program, "p"), location(&program, "uv")), (Some(0), Some(1)));
    assert_eq!(again.reflection().outputs[0].location, Some(2));
    assert_ne!(again.identity(), program.identity());
    assert_eq!(program.relink(program.link_options()).unwrap().identity(), program.identity());
    // Transform feedback, too.
    options.transform_feedback =
        TransformFeedback { varyings: vec!["v_uv".to_owned()], mode: XfbMode::Separate };
    let captured = program.relink(&options).unwrap_or_else(|log| panic!("{log}"));
    let names =
        |p: &Program| p.reflection().transform_feedback.varyings.iter().map(|v| v.name.clone()).collect();
    assert_eq!((names(&captured), names(&again)), (vec!["v_uv".to_owned()], Vec::new()));
    // A failed link changes nothing.
    options.attribute_bindings = vec![("p".to_owned(), 400)];
    assert!(program.relink(&options).is_err());
    assert_eq!(location(&program, "p"), Some(0));
}

#[test]
fn limits_of_metal_are_link_errors() {
    let fragment = |blocks: u32| {
        let mut text = "#version 430\nout vec4 c;\n".to_owned();
        for n in 0..blocks {
            text += &format!("layout(binding = {n}) uniform B{n} {{ vec4 v{n}; }};\n");
        }
        text += "void main() { c = vec4(0.0);\n";
        (0..blocks).for_each(|n| text += &format!("c += v{n};\n"));
        text + "}"
    };
    let vertex = "#version 430\nvoid main() { gl_Position = vec4(0.0); }";
    for (policy, most) in [
        (BindingPolicy::Direct { reserved_buffers: 0 }, 14),
        (BindingPolicy::Direct { reserved_buffers: 0x7fff_0000 }, 14),
        (BindingPolicy::Direct { reserved_buffers: 0x7fff_ff00 }, 8),
        (BindingPolicy::AllInTable { reserved_buffers: 0x7fff_ff00 }, 14),
        (BindingPolicy::UniformsInTable { reserved_buffers: 0x7fff_ff00 }, 14),
    ] {
        let device = Device::new(DeviceOptions { bindings: policy.clone(), ..DeviceOptions::default() });
        for blocks in [most, most + 1] {
            let [v, f] = objects(&device, vertex, &fragment(blocks));
            let linked = device.link(&[&v, &f], &LinkOptions::default());
            assert_eq!(linked.is_ok(), blocks == most, "{policy:?} {blocks}: {linked:?}");
        }
    }
}

#[test]
fn tables_have_sizes_and_uniforms() {
    let vertex = "#version 430\nvoid main() { gl_Position = vec4(0.0); }";
    let fragment = "#version 430\nout vec4 c; uniform vec4 u; uniform sampler2D t; layout(binding = 0) uniform B { vec4 b; };
        layout(std430, binding = 0) readonly buffer S { float v[]; };
        void main() { c = u + b + texture(t, vec2(0.5)) + v[int(u.x)] + float(v.length()); }";
    // The resources of a table, and those with an index of their own.
    let (uniforms, all) = (["B", "gl_DefaultUniforms"], ["B", "S", "gl_DefaultUniforms", "t", "tSampler"]);
    for (policy, table, robust) in [
        (BindingPolicy::Direct { reserved_buffers: 0 }, &[][..], false),
        (BindingPolicy::UniformsInTable { reserved_buffers: 0 }, &uniforms[..], true),
        (BindingPolicy::AllInTable { reserved_buffers: 0 }, &all[..], true),
    ] {
        let workarounds = airfoil_gl::Workarounds { robust, ..Default::default() };
        let device =
            Device::new(DeviceOptions { bindings: policy.clone(), workarounds, ..DeviceOptions::default() });
        let program = link(&device, vertex, fragment);
        let arguments = &program.arguments(Stage::Fragment).unwrap().arguments;
        let mut members: Vec<&str> =
            arguments.iter().filter(|a| a.argument_buffer.is_some()).map(|a| &*a.name).collect();
        members.sort_unstable();
        assert_eq!(members, table, "{policy:?}");
        let named = |name| arguments.iter().find(|a| a.name == name).unwrap();
        let (block, sizes) = (named("S"), named("buffer_sizes"));
        let slot = block.size_slot.unwrap();
        assert_eq!(slot >= 31, block.argument_buffer.is_some(), "{policy:?}");
        assert!(sizes.argument_buffer.is_none());
    }
}

#[test]
fn arguments_have_metal_indices() {
    let device = Device::default();
    let program = link(&device, VERTEX, FRAGMENT);
    let reflection = program.arguments(Stage::Fragment).unwrap();
    let found: Vec<_> =
        reflection.arguments.iter().map(|a| (a.name.as_str(), a.kind.name(), a.index)).collect();
    assert!(found.contains(&("t", "texture", 0)) && found.contains(&("tSampler", "sampler", 0)), "{found:?}");
    assert!(found.iter().any(|f| f.1 == "uniform_buffer" && f.2 == 0), "{found:?}");
    // A variant adds the driver's block after them.
    let key = StateKey { flags: StateFlags::FLIP_WINDOW, ..StateKey::default() };
    let function = program.variant(Stage::Fragment, &key, &Budget::default()).unwrap();
    let (driver, own): (Vec<_>, Vec<_>) =
        function.reflection.arguments.into_iter().partition(|a| a.set == Some(0xffff));
    assert_eq!(own, reflection.arguments);
    assert_eq!(driver.len(), 1);
}

#[test]
fn the_block_of_the_driver_has_a_fixed_index() {
    let key =
        StateKey { flags: StateFlags::FLIP_WINDOW, point_size: PointSize::State, ..StateKey::default() };
    let bindings = [BindingPolicy::default(), BindingPolicy::AllInTable { reserved_buffers: 0 }];
    for bindings in bindings {
        // The index is that of a buffer of the program otherwise.
        for index in [0, 7, 30] {
            let options = DeviceOptions {
                driver_buffer: Some(index),
                bindings: bindings.clone(),
                ..DeviceOptions::default()
            };
            let program = link(&Device::new(options), VERTEX, FRAGMENT);
            for stage in [Stage::Vertex, Stage::Fragment] {
                let function = program.variant(stage, &key, &Budget::default()).unwrap();
                let is_driver =
                    |set, binding| (set, binding) == (Some(DriverValues::SET), Some(DriverValues::BINDING));
                let (driver, own): (Vec<_>, Vec<_>) =
                    function.reflection.arguments.into_iter().partition(|a| is_driver(a.set, a.binding));
                assert_eq!(driver.iter().map(|a| a.index).collect::<Vec<_>>(), [index]);
                assert_eq!(driver[0].name, "driver");
                assert_eq!(own, program.arguments(stage).unwrap().arguments);
                // Indices of members of a table are their own.
                let buffers =
                    own.iter().filter(|a| a.kind.name().contains("buffer") && a.argument_buffer.is_none());
                assert!(buffers.into_iter().all(|a| a.index != index));
            }
        }
    }
}

#[test]
fn budgets_stop_links_and_variants() {
    let device = Device::default();
    let [v, f] = objects(&device, VERTEX, FRAGMENT);
    let small = Budget { instructions: Some(3), ..Budget::default() };
    let cancelled = Budget { cancel: Some(Arc::new(AtomicBool::new(true))), ..Budget::default() };
    let little = Budget { memory: Some(500), ..Budget::default() };
    let late = Budget::within(std::time::Duration::ZERO);
    let program = device.link(&[&v, &f], &LinkOptions::default()).unwrap();
    for budget in [small, little, cancelled, late] {
        let log = device.link_within(&[&v, &f], &LinkOptions::default(), &budget).unwrap_err();
        assert_eq!(log.diagnostics()[0].code, "E0950");
        let error = program.variant(Stage::Vertex, &StateKey::default(), &budget).unwrap_err();
        assert_eq!(error.iter().next().unwrap().code, "E0950");
    }
    let error = program.variant(Stage::Geometry, &StateKey::default(), &Budget::default()).unwrap_err();
    assert_eq!(error.iter().next().unwrap().code, "E0952");
}

/// The front end stops within each of its steps: the switch is set while it works.
#[test]
fn cancellation_stops_the_front_end() {
    let device = Device::default();
    let lines = "    x = fract(sin(x) * 3.7) + texture(t, vec2(x, 0.5)).x;\n".repeat(20_000);
    let long = format!(
        "#version 330\nin vec4 p; uniform sampler2D t; void main() {{ float x = p.x;\n{lines} gl_Position = vec4(x); }}"
    );
    let object = device.compile("long", Stage::Vertex, &[&long]);
    assert!(object.status(), "{}", object.log());
    // The least of some runs: the machine may be busy with others.
    let whole = (0..3).map(|_| {
        let start = std::time::Instant::now();
        let _ = device.compile("long", Stage::Vertex, &[&long]);
        start.elapsed()
    });
    let whole = whole.min().unwrap();
    // Deadlines in all phases of the compile.
    for part in 1..8 {
        let budget = Budget::within(whole * part / 20);
        let object = device.compile_within("long", Stage::Vertex, &[&long], &budget);
        assert!(!object.status());
        assert_eq!(object.log().diagnostics().len(), 1);
        assert_eq!(object.log().diagnostics()[0].code, "E0950");
    }
    let options = LinkOptions { separable: true, ..LinkOptions::default() };
    let start = std::time::Instant::now();
    let budget = Budget::within(std::time::Duration::from_millis(2));
    let log = device.link_within(&[&object], &options, &budget).unwrap_err();
    assert_eq!(log.diagnostics()[0].code, "E0950");
    // Linking and lowering take many times as long.
    let stopped = start.elapsed();
    let cancel = Arc::new(AtomicBool::new(false));
    let budget = Budget { cancel: Some(cancel.clone()), ..Budget::default() };
    std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(std::time::Duration::from_millis(1));
            cancel.store(true, std::sync::atomic::Ordering::Relaxed);
        });
        let log = device.link_within(&[&object], &options, &budget).unwrap_err();
        assert_eq!(log.diagnostics()[0].code, "E0950");
    });
    let start = std::time::Instant::now();
    device.link(&[&object], &options).unwrap();
    assert!(stopped < start.elapsed() / 2, "{stopped:?}");
}

#[test]
fn geometry_and_tessellation_are_lowered_with_the_state() {
    let device = Device::default();
    let compile = |stage: Stage, text: &str| {
        let object = device.compile("o", stage, &[text]);
        assert!(object.status(), "{}", object.log());
        object
    };
    let vertex = compile(Stage::Vertex, "#version 420\nin vec4 p; void main() { gl_Position = p; }");
    let fragment = compile(Stage::Fragment, "#version 420\nout vec4 c; void main() { c = vec4(1.0); }");
    let geometry = compile(
        Stage::Geometry,
        "#version 420\nlayout(triangles) in; layout(triangle_strip, max_vertices = 3) out;
        void main() { for (int i = 0; i < 3; i++) { gl_Position = gl_in[i].gl_Position; EmitVertex(); } }",
    );
    let evaluation = compile(
        Stage::TessEval,
        "#version 420\nlayout(triangles) in;
        void main() { gl_Position = gl_in[0].gl_Position * gl_TessCoord.x + gl_in[1].gl_Position; }",
    );
    for last in [geometry, evaluation] {
        let program = device.link(&[&vertex, &last, &fragment], &LinkOptions::default());
        let program = program.unwrap_or_else(|log| panic!("{log}"));
        let function =
            |stage, key: &StateKey| program.variant(stage, key, &Budget::default()).unwrap().metallib;
        let plain = StateKey::default();
        let flipped = StateKey { flags: StateFlags::FLIP_Y, ..plain };
        assert_ne!(function(last.stage(), &plain), function(last.stage(), &flipped));
        assert_eq!(function(Stage::Vertex, &plain), function(Stage::Vertex, &flipped));
        assert_eq!(function(Stage::Fragment, &plain), function(Stage::Fragment, &flipped));
        assert!(program.stage_depends_on(last.stage()).contains(StateMask::FLIP_Y));
        assert_eq!(program.arguments(last.stage()).unwrap().entry, function_name(&program, last.stage()));
    }
}

fn function_name(program: &Program, stage: Stage) -> String {
    program.variant(stage, &StateKey::default(), &Budget::default()).unwrap().name
}

#[test]
fn programs_are_stored_and_restored() {
    let device = Device::default();
    let stages =
        [(Stage::Vertex, "in vec4 p; out vec4 a, b; void main() { gl_Position = p; a = p; b = p.yxzw; }")];
    let objects = stages.map(|(stage, text)| device.compile("o", stage, &["#version 430\n", text]));
    let varyings = ["a", "gl_SkipComponents2", "b", "gl_NextBuffer", "gl_Position"].map(str::to_owned);
    let mut options = LinkOptions { separable: true, ..LinkOptions::default() };
    options.transform_feedback.varyings = varyings.to_vec();
    let captured = device.link(&[&objects[0]], &options).unwrap_or_else(|log| panic!("{log}"));
    for program in [link(&device, VERTEX, FRAGMENT), captured] {
        let bytes = program.store().unwrap();
        let restored = device.restore(&bytes).unwrap();
        assert_eq!(restored.identity(), program.identity());
        assert_eq!(restored.reflection(), program.reflection());
        assert_eq!(restored.link_options(), program.link_options());
        assert_eq!(restored.store().unwrap(), bytes);
        assert_eq!(restored.depends_on(), program.depends_on());
        for stage in program.stages() {
            assert_eq!(restored.arguments(stage), program.arguments(stage));
            for key in
                keys(10).into_iter().chain([StateKey { flags: StateFlags::CAPTURE, ..StateKey::default() }])
            {
                let function = |p: &Program| p.variant(stage, &key, &Budget::default()).unwrap();
                assert!(function(&restored).metallib == function(&program).metallib, "{key:?}");
                assert_eq!(function(&restored).reflection, function(&program).reflection);
            }
        }
        // The sources of separable programs are stored, too.
        match (restored.relink(program.link_options()), program.link_options().separable) {
            (Err(log), false) => assert_eq!(log.diagnostics()[0].code, "E0954"),
            (relinked, separable) => {
                assert!(separable);
                assert_eq!(relinked.unwrap().store().unwrap(), bytes);
            }
        }
        for n in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[n] ^= 0x10;
            assert!(device.restore(&damaged).is_err(), "{n}");
            assert!(device.restore(&bytes[..n]).is_err(), "{n}");
        }
        let other = Device::new(DeviceOptions { level: OptLevel::O0, ..DeviceOptions::default() });
        assert_eq!(other.restore(&bytes).unwrap_err().code, "E0953");
    }
}

/// Contents with a correct checksum that no program has.
#[test]
fn sections_of_stored_programs_are_checked() {
    let device = Device::default();
    let bytes = link(&device, VERTEX, FRAGMENT).store().unwrap();
    let contents = &bytes[airfoil_store::HEAD..];
    let mut accepted = 0;
    for n in 0..contents.len() {
        for bit in [1, 0x80] {
            let mut changed = contents.to_vec();
            changed[n] ^= bit;
            let Ok(program) = device.restore(&airfoil_store::seal(&changed)) else { continue };
            // A name, or a number that means something else: the program is another one, which may fail in words.
            accepted += 1;
            for stage in program.stages() {
                let _ = program.variant(stage, &StateKey::default(), &Budget::default());
                let _ = program.stage_canonical(stage, &keys(2)[1]);
            }
        }
    }
    assert!(accepted > 0);
}

#[test]
fn everything_is_shared_by_threads() {
    fn check<T: Send + Sync>() {}
    check::<Device>();
    check::<ShaderObject>();
    check::<Program>();
    check::<StateKey>();
}

/// Programs of a vertex and a fragment shader in a folder and the folders in it.
fn pairs(folder: &std::path::Path, found: &mut Vec<[String; 2]>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    let mut paths: Vec<_> = entries.map(|e| e.unwrap().path()).collect();
    paths.sort();
    for path in paths {
        let fragment = path.with_extension("frag");
        if path.is_dir() {
            pairs(&path, found);
        } else if path.extension().is_some_and(|e| e == "vert") && fragment.is_file() {
            found.push(
                [&path, &fragment].map(|p| String::from_utf8_lossy(&std::fs::read(p).unwrap()).into_owned()),
            );
        }
    }
}

/// The code of a program has few slots of removed instructions, each of which every variant would copy.
#[test]
fn code_is_compact() {
    let mut sources = Vec::new();
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    pairs(&root.join("examples/shaders"), &mut sources);
    pairs(&root.join("../shared/corpus/real-glsl/gl"), &mut sources);
    let device = Device::default();
    let (mut linked, mut live, mut slots) = (0, 0, 0);
    for [vertex, fragment] in &sources {
        let [v, f] = objects(&device, vertex, fragment);
        // Some are for extensions of other systems, or parts of programs.
        let Ok(program) = device.link(&[&v, &f], &LinkOptions::default()) else { continue };
        linked += 1;
        let key = StateKey { point_size: PointSize::Shader, ..StateKey::default() };
        for stage in program.stages() {
            let shader = program.variant_shader(stage, &key, &Budget::default()).unwrap();
            let body = shader.entry_body().unwrap();
            let share = body.num_instrs() as f64 / (body.instr_capacity() - 1) as f64;
            assert!(share >= 0.9, "{stage}: {share}, of\n{vertex}\n{fragment}");
            live += body.num_instrs();
            slots += body.instr_capacity() - 1;
        }
    }
    println!("{linked} of {} programs: {live} instructions in {slots} slots", sources.len());
    assert!(linked > 0);
}
