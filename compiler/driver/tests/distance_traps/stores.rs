//! Traps about the code that writes distances and positions: order, exits, blocks, members, indices, values that are not written.

use crate::support::{
    INSIDE, Scene, clipping, exact, lower, pipeline, points, scene, triangle, try_lower, vertex, vertex_with,
    whole,
};
use airfoil::distances::DistanceForm;
use airfoil::interp::pipeline::Topology;
use airfoil::ir::text;
use airfoil::passes::Pipeline as Passes;
use airfoil::passes::manager::Manager;
use airfoil::{ReadOptions, Shader, SpirvOptions, steps, to_spirv};

/// The example of the original method, in SPIR-V: a distance is stored before or after the position.
fn original_example(distance_first: bool) -> Vec<u32> {
    let (distance, position) = ("OpStore %clip_dist %d", "OpStore %pos %p");
    let (first, second) = if distance_first { (distance, position) } else { (position, distance) };
    let text = format!(
        "OpCapability Shader
OpCapability ClipDistance
OpMemoryModel Logical GLSL450
OpEntryPoint Vertex %main \"main\" %in_pos %in_d %out
OpMemberDecorate %per_vertex 0 BuiltIn Position
OpMemberDecorate %per_vertex 1 BuiltIn PointSize
OpMemberDecorate %per_vertex 2 BuiltIn ClipDistance
OpDecorate %per_vertex Block
OpDecorate %in_pos Location 0
OpDecorate %in_d Location 1
%void = OpTypeVoid
%fn = OpTypeFunction %void
%float = OpTypeFloat 32
%vec4 = OpTypeVector %float 4
%uint = OpTypeInt 32 0
%int = OpTypeInt 32 1
%one = OpConstant %uint 1
%i0 = OpConstant %int 0
%i2 = OpConstant %int 2
%dists = OpTypeArray %float %one
%per_vertex = OpTypeStruct %vec4 %float %dists
%p_block = OpTypePointer Output %per_vertex
%p_out4 = OpTypePointer Output %vec4
%p_out1 = OpTypePointer Output %float
%p_in4 = OpTypePointer Input %vec4
%out = OpVariable %p_block Output
%in_pos = OpVariable %p_in4 Input
%in_d = OpVariable %p_in4 Input
%main = OpFunction %void None %fn
%entry = OpLabel
%p = OpLoad %vec4 %in_pos
%d4 = OpLoad %vec4 %in_d
%d = OpCompositeExtract %float %d4 0
%pos = OpAccessChain %p_out4 %out %i0
%clip_dist = OpAccessChain %p_out1 %out %i2 %i0
{first}
{second}
OpReturn
OpFunctionEnd
"
    );
    airfoil_spirv_asm::assemble(&text, &Default::default()).unwrap_or_else(|e| panic!("{e:?}"))
}

fn module(words: &[u32]) -> Shader {
    steps::read_spirv(words, &ReadOptions::default()).unwrap_or_else(|e| panic!("{e:?}"))
}

#[test]
fn t04_final_values_count_in_any_order_of_stores() {
    let corners = [([0.25, 0.5, 0.5, 1.0], [-1.0; 4]), ([-0.5, 0.5, 0.5, 1.0], INSIDE)];
    let scene = scene(Topology::Points, &corners);
    for distance_first in [true, false] {
        for options in [points(), whole()] {
            let lowered = lower(&[module(&original_example(distance_first))], &options);
            let found = scene.draw(&lowered).positions();
            assert_eq!(found, [[0.25, 0.5, 0.5, -1.0], [-0.5, 0.5, 0.5, 1.0]], "{distance_first}");
        }
    }
    // Elements stored twice, in branches, in a callee and a loop; the position in parts.
    let function = "void set(float value) { gl_ClipDistance[0] = value; }";
    for stores in [
        "gl_ClipDistance[0] = -d.x; gl_Position = position; gl_ClipDistance[0] = d.x;",
        "gl_Position.xy = position.xy; set(d.x); gl_Position.zw = position.zw;",
        "if (d.x < 0.0) { set(d.x); gl_Position = position; } else { gl_Position = position; set(d.x); }",
        "for (int i = 0; i < 3; i++) { set(i < 2 ? -d.x : d.x); gl_Position = position; }",
    ] {
        let shaders = pipeline(&vertex_with("float gl_ClipDistance[1];", function, stores));
        for options in [exact(), points(), whole()] {
            let found = scene.assert_exact(&shaders, &options);
            assert!(found.count() > 0, "{stores}");
            if options.form != DistanceForm::Exact {
                assert_eq!(found.positions()[0][3], -1.0, "{stores}");
            }
        }
    }
}

#[test]
fn t06_every_exit_has_the_final_values() {
    let stores =
        "gl_Position = position; gl_ClipDistance[0] = d.x; if (d.y > 0.5) return; gl_ClipDistance[0] = -d.x;";
    let shaders = pipeline(&vertex("float gl_ClipDistance[1];", stores));
    let at = |x: f32, d: [f32; 4]| ([x, 0.0, 0.5, 1.0], d);
    let corners = [
        at(-0.75, [1.0, 1.0, 0.0, 0.0]),
        at(-0.25, [-1.0, 1.0, 0.0, 0.0]),
        at(0.25, [1.0, 0.0, 0.0, 0.0]),
        at(0.75, [-1.0, 0.0, 0.0, 0.0]),
    ];
    for options in [exact(), points()] {
        assert_eq!(scene(Topology::Points, &corners).assert_exact(&shaders, &options).count(), 50);
    }
}

#[test]
fn t07_no_block_is_added() {
    let shaders = pipeline(&vertex(
        "float gl_ClipDistance[2];",
        "gl_Position = position; for (int i = 0; i < 2; i++) { if (d.z > 0.0) gl_ClipDistance[i] = d[i]; }",
    ));
    let blocks = |shaders: &[Shader]| -> Vec<usize> {
        shaders.iter().map(|s| s.functions.values().map(|f| f.body.blocks().count()).sum()).collect()
    };
    for options in [exact(), points(), whole()] {
        let lowered = try_lower(&shaders, &options).unwrap_or_else(|e| panic!("{e:?}"));
        assert_eq!(blocks(&lowered), blocks(&shaders), "{options:?}");
    }
}

#[test]
fn t08_unused_members_never_clip() {
    // The members are declared; the shader uses the position only.
    let shaders =
        pipeline(&vertex("float gl_ClipDistance[4]; float gl_CullDistance[4];", "gl_Position = position;"));
    let corners = triangle([[-1.0; 4]; 3]);
    let scene = scene(Topology::Triangles, &corners);
    for options in [exact(), points(), whole()] {
        let lowered = lower(&shaders, &options);
        assert!(scene.draw(&lowered).count() > 100);
        assert!(!text::print(&lowered[1]).contains("demote"));
    }
    // A block in SPIR-V whose distance is left out.
    let words = original_example(true);
    let text = airfoil_spirv_asm::disassemble(&words, false).unwrap_or_else(|e| panic!("{e:?}"));
    let unused: String = text
        .lines()
        .filter(|l| !l.contains("OpStore") || !l.contains("%float"))
        .fold(String::new(), |t, l| t + l + "\n");
    let words = airfoil_spirv_asm::assemble(&unused, &Default::default()).unwrap_or_else(|e| panic!("{e:?}"));
    let written = to_spirv(&lower(&[module(&words)], &points())[0], &SpirvOptions::default())
        .unwrap_or_else(|e| panic!("{e:?}"));
    let text = airfoil_spirv_asm::disassemble(&written, false).unwrap_or_else(|e| panic!("{e:?}"));
    assert!(!text.contains("ClipDistance") && text.contains("BuiltIn Position"), "{text}");
}

#[test]
fn t10_only_enabled_distances_clip() {
    let stores = "gl_Position = position; gl_ClipDistance[0] = d.x; gl_ClipDistance[1] = d.y;";
    let shaders = pipeline(&vertex("float gl_ClipDistance[2];", stores));
    let at = |x: f32, d: [f32; 4]| ([x, 0.0, 0.5, 1.0], d);
    let corners = [at(-0.5, [-1.0, 1.0, 1.0, 1.0]), at(0.0, [1.0, -1.0, 1.0, 1.0]), at(0.5, INSIDE)];
    for (mask, expected) in [(0, 75), (1, 50), (2, 50), (3, 25)] {
        for options in [exact(), points(), whole()] {
            let known = lower(&shaders, &options.clone().enabled(mask));
            assert_eq!(
                scene(Topology::Points, &corners).draw(&known).count(),
                expected,
                "{mask} {options:?}"
            );
            let uniform = lower(&shaders, &options.clone().uniform(Some((0, 3))));
            let found = Scene { mask, ..scene(Topology::Points, &corners) }.draw(&uniform);
            assert_eq!(found.count(), expected, "{mask} {options:?}");
        }
    }
    // Elements that are not written are zero, and do not clip.
    let shaders =
        pipeline(&vertex("float gl_ClipDistance[4];", "gl_Position = position; gl_ClipDistance[2] = 1.0;"));
    for options in [exact(), points(), whole()] {
        assert_eq!(scene(Topology::Points, &corners).draw(&lower(&shaders, &options)).count(), 75);
    }
}

#[test]
fn t10_initializers_of_distances_count() {
    let words = original_example(true);
    let text = airfoil_spirv_asm::disassemble(&words, false).unwrap_or_else(|e| panic!("{e:?}"));
    let shader =
        module(&airfoil_spirv_asm::assemble(&text, &Default::default()).unwrap_or_else(|e| panic!("{e:?}")));
    let text = text::print(&shader);
    // The distance starts at -1 and is stored only if it is positive.
    let line = text.lines().find(|l| l.contains("clip_dist0")).expect("it has a distance").to_string();
    let with_initializer = text.replace(&line, &format!("{line} = {{ -1.0 }}"));
    let store = with_initializer
        .lines()
        .rfind(|l| l.contains("store_deref") && l.contains("mask=x") && !l.contains("xyzw"));
    let store = store.expect("it stores the distance").to_string();
    let name =
        store.rsplit("%").next().and_then(|w| w.split_whitespace().next()).expect("a value").to_string();
    let conditional =
        format!("    1x1 %positive = flt %{name}, %{name}\n    if %positive {{\n{store}\n    }}");
    let shader =
        steps::read_foil(&with_initializer.replace(&store, &conditional)).unwrap_or_else(|e| panic!("{e:?}"));
    let corners = [([0.25, 0.5, 0.5, 1.0], INSIDE)];
    for options in [points(), whole()] {
        let found = scene(Topology::Points, &corners).draw(&lower(std::slice::from_ref(&shader), &options));
        assert_eq!(found.positions()[0][3], -1.0);
    }
}

#[test]
fn t13_position_passes_follow_and_operations_are_exact() {
    let mut shaders = try_lower(&pipeline(&clipping()), &whole()).unwrap_or_else(|e| panic!("{e:?}"));
    let printed = text::print(&shaders[0]);
    assert!(printed.contains("bcsel!") && printed.contains("flt!"), "{printed}");
    // A flip and a change of the depth range come after the vertex moved: w stays -1.
    let passes = "lower_io_to_temporaries, lower_variable_initializers, vars_to_ssa, lower_io, lower_clip_space{flip_y=true, half_z=true}";
    let passes = Passes::parse(passes).unwrap_or_else(|e| panic!("{e:?}"));
    let _ = Manager::default().run_program(&passes, &mut shaders).unwrap_or_else(|e| panic!("{e:?}"));
    let corners = [([0.25, 0.5, 0.5, 1.0], [-1.0; 4]), ([0.25, 0.5, 0.5, 1.0], INSIDE)];
    let found = scene(Topology::Points, &corners).draw(&shaders).positions();
    assert_eq!(found, [[0.25, -0.5, -0.25, -1.0], [0.25, -0.5, 0.75, 1.0]]);
}

#[test]
fn t20_dynamic_indices_work_and_escaping_pointers_are_named() {
    let stores =
        "gl_Position = position; int n = int(d.y); gl_ClipDistance[n] = d.x; gl_ClipDistance[1 - n] = 1.0;";
    let shaders = pipeline(&vertex("float gl_ClipDistance[2];", stores));
    let corners = triangle([INSIDE, [0.713, 0.0, 1.0, 1.0], [-0.877, 1.0, 1.0, 1.0]]);
    let scene = scene(Topology::Triangles, &corners);
    assert!(scene.assert_exact(&shaders, &exact()).count() > 50);
    let _ = lower(&shaders, &whole());
    // A reference that is not a load, store or copy.
    let fragment = "foil 1
shader fragment \"f\" {
  form variables
  in float[1] clip location=clip_dist0
  out float color location=0
  entry fn main {
    32x1 %z = const 0
    %c = deref_var &clip
    %e = deref_array %c[%z]
    32x1 %d = interp_deref_at_centroid %e
    %o = deref_var &color
    store_deref %o, %d
  }
}";
    let shaders = vec![shaders[0].clone(), steps::read_foil(fragment).unwrap_or_else(|e| panic!("{e:?}"))];
    let error = format!("{:?}", try_lower(&shaders, &exact()).expect_err("it is interpolated explicitly"));
    assert!(error.contains("E0331") && error.contains("interp_deref_at_centroid"), "{error}");
    // Variable pointers to outputs are not valid: the reader names the instruction.
    let text =
        airfoil_spirv_asm::disassemble(&original_example(true), false).unwrap_or_else(|e| panic!("{e:?}"));
    let store = text.lines().find(|l| l.contains("OpStore")).expect("a store");
    let pointer = store.split_whitespace().nth(1).expect("a pointer");
    let escaping = text
        .replace("OpCapability ClipDistance", "OpCapability ClipDistance\nOpCapability VariablePointers")
        .replace(store, &format!("%bool = OpTypeBool\n%no = OpConstantFalse %bool\n%sel = OpSelect %_ptr_Output_float %no {pointer} {pointer}\n{store}"));
    if let Ok(words) = airfoil_spirv_asm::assemble(&escaping, &Default::default()) {
        let error = format!(
            "{:?}",
            steps::read_spirv(&words, &ReadOptions::default()).expect_err("a pointer escapes")
        );
        assert!(error.contains("Op") || error.contains("word"), "{error}");
    }
}
