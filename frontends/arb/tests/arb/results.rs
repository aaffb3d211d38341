//! Attributes and results: slots, components, masks; the position of the fixed functions; fog.

use crate::support::{World, assert_near, output, program, run};
use airfoil_arb::Program;
use airfoil_ir::{Modes, Slot, text};

fn generic(n: u32) -> Slot {
    Slot::generic(n).unwrap()
}

/// Slots of inputs or outputs, sorted.
fn slots(program: &Program, mode: Modes) -> Vec<(String, Slot)> {
    let vars = program.shader.vars.values().filter(|v| v.mode == mode);
    let mut list: Vec<_> = vars.filter_map(|v| Some((v.name.to_string(), v.location?))).collect();
    list.sort_by_key(|(_, slot)| *slot);
    list
}

#[test]
fn vertex_attributes_are_the_inputs_of_the_compatibility_profile() {
    let cases = [
        ("position", "gl_Vertex", 0, [1.0, 2.0, 3.0, 4.0]),
        ("normal", "gl_Normal", 2, [1.0, 2.0, 3.0, 1.0]),
        ("color", "gl_Color", 3, [1.0, 2.0, 3.0, 4.0]),
        ("color.primary", "gl_Color", 3, [1.0, 2.0, 3.0, 4.0]),
        ("color.secondary", "gl_SecondaryColor", 4, [1.0, 2.0, 3.0, 4.0]),
        ("fogcoord", "gl_FogCoord", 5, [1.0, 0.0, 0.0, 1.0]),
        ("texcoord", "gl_MultiTexCoord0", 8, [1.0, 2.0, 3.0, 4.0]),
        ("texcoord[7]", "gl_MultiTexCoord7", 15, [1.0, 2.0, 3.0, 4.0]),
        ("attrib[0]", "attrib0", 0, [1.0, 2.0, 3.0, 4.0]),
        ("attrib[15]", "attrib15", 15, [1.0, 2.0, 3.0, 4.0]),
    ];
    for (attribute, name, location, value) in cases {
        let text = format!("!!ARBvp1.0\nMOV result.position, vertex.{attribute};\nEND");
        let program = program(&text);
        assert_eq!(slots(&program, Modes::IN), [(name.to_string(), generic(location))]);
        let mut world = World::default();
        world.inputs.set_floats(generic(location), [1.0, 2.0, 3.0, 4.0]);
        assert_near(output(&program, &world, Slot::POSITION).unwrap(), value, &text);
    }
}

#[test]
fn fragment_attributes_are_the_varyings_of_the_compatibility_profile() {
    let cases = [
        ("color", "gl_Color", Slot::COLOR0, [1.0, 2.0, 3.0, 4.0]),
        ("color.secondary", "gl_SecondaryColor", Slot::COLOR1, [1.0, 2.0, 3.0, 4.0]),
        ("texcoord", "gl_TexCoord0", Slot::TEX0, [1.0, 2.0, 3.0, 4.0]),
        ("texcoord[5]", "gl_TexCoord5", Slot::TEX5, [1.0, 2.0, 3.0, 4.0]),
        ("fogcoord", "gl_FogFragCoord", Slot::FOG, [1.0, 0.0, 0.0, 1.0]),
    ];
    for (attribute, name, slot, value) in cases {
        let text = format!("!!ARBfp1.0\nMOV result.color, fragment.{attribute};\nEND");
        let program = program(&text);
        assert_eq!(slots(&program, Modes::IN), [(name.to_string(), slot)]);
        let mut world = World::default();
        world.inputs.set_floats(slot, [1.0, 2.0, 3.0, 4.0]);
        assert_near(output(&program, &world, Slot::FRAG_COLOR).unwrap(), value, &text);
    }
    let text = "!!ARBfp1.0\nMOV result.color, fragment.position.wzyx;\nEND";
    let world = World { coord: [1.5, 2.5, 0.25, 0.5], ..World::default() };
    let found = output(&program(text), &world, Slot::FRAG_COLOR).unwrap();
    assert_near(found, [0.5, 0.25, 2.5, 1.5], text);
    assert!(!program(text).shader.info.origin_upper_left);
}

#[test]
fn vertex_results_are_the_outputs_of_the_compatibility_profile() {
    let cases = [
        ("position", "gl_Position", Slot::POSITION),
        ("color", "gl_FrontColor", Slot::COLOR0),
        ("color.primary", "gl_FrontColor", Slot::COLOR0),
        ("color.secondary", "gl_FrontSecondaryColor", Slot::COLOR1),
        ("color.front", "gl_FrontColor", Slot::COLOR0),
        ("color.front.secondary", "gl_FrontSecondaryColor", Slot::COLOR1),
        ("color.back", "gl_BackColor", Slot::BACK_COLOR0),
        ("color.back.primary", "gl_BackColor", Slot::BACK_COLOR0),
        ("color.back.secondary", "gl_BackSecondaryColor", Slot::BACK_COLOR1),
        ("texcoord", "gl_TexCoord0", Slot::TEX0),
        ("texcoord[6]", "gl_TexCoord6", Slot::TEX6),
    ];
    for (result, name, slot) in cases {
        let text = format!(
            "!!ARBvp1.0\nOUTPUT o = result.{result};\nMOV o, 1;\nMOV result.{result}.yw, program.local[0];\nEND"
        );
        let program = program(&text);
        assert_eq!(slots(&program, Modes::OUT), [(name.to_string(), slot)]);
        let world = World { local: vec![[2.0, 3.0, 4.0, 5.0]], ..World::default() };
        let found = run(&program, &world).unwrap().floats(slot).unwrap();
        assert_near(found, [1.0, 3.0, 1.0, 5.0], &text);
    }
}

#[test]
fn scalar_results_use_one_component() {
    let world = World { local: vec![[2.0, 3.0, 4.0, 5.0]], ..World::default() };
    for (header, result, slot, component) in [
        ("!!ARBvp1.0", "fogcoord", Slot::FOG, 0),
        ("!!ARBvp1.0", "pointsize", Slot::POINT_SIZE, 0),
        ("!!ARBfp1.0", "depth", Slot::DEPTH, 2),
    ] {
        let name = ["x", "y", "z", "w"][component];
        let text = |mask: &str| format!("{header}\nMOV result.{result}{mask}, program.local[0];\nEND");
        for mask in ["", &format!(".{name}"), ".xyz"] {
            let found = run(&program(&text(mask)), &world).unwrap();
            let value = found.get(slot, 0).map(f32::from_bits);
            assert_eq!(value, Some([2.0, 3.0, 4.0, 5.0][component]), "{}", text(mask));
        }
        let found = run(&program(&text(".yw")), &world).unwrap();
        assert_eq!(found.get(slot, 0).map(f32::from_bits).unwrap_or(f32::NAN).to_bits(), f32::NAN.to_bits());
    }
}

#[test]
fn output_colors_are_broadcast_or_numbered() {
    let all = program("!!ARBfp1.0\nMOV result.color, 1;\nEND");
    assert_eq!(slots(&all, Modes::OUT), [("gl_FragColor".to_string(), Slot::FRAG_COLOR)]);
    for option in ["ARB_draw_buffers", "ATI_draw_buffers"] {
        let text = format!(
            "!!ARBfp1.0\nOPTION {option};\nMOV result.color[2], 1;\nMOV result.color, 2;\nMOV result.color[0].x, 3;\nEND"
        );
        let several = program(&text);
        let expected = [("gl_FragData0".to_string(), generic(0)), ("gl_FragData2".to_string(), generic(2))];
        assert_eq!(slots(&several, Modes::OUT), expected);
        let found = run(&several, &World::default()).unwrap();
        assert_near(found.floats(generic(0)).unwrap(), [3.0, 2.0, 2.0, 2.0], &text);
        assert_near(found.floats(generic(2)).unwrap(), [1.0; 4], &text);
    }
}

/// Columns of the matrix that the tests use.
const COLUMNS: [[f32; 4]; 4] =
    [[1.0, 2.0, 3.0, 4.0], [0.1, 0.2, 0.3, 0.4], [-1.0, 0.5, -0.25, 2.0], [5.0, 6.0, 7.0, 8.0]];

#[test]
fn the_position_of_the_fixed_functions_is_a_matrix_product() {
    for attribute in ["vertex.color", "vertex.position", "vertex.attrib[0]"] {
        let text = format!("!!ARBvp1.0\nOPTION ARB_position_invariant;\nMOV result.color, {attribute};\nEND");
        let program = program(&text);
        assert!(program.position_invariant);
        let names: Vec<String> = program.parameters.iter().map(ToString::to_string).collect();
        assert_eq!(names, [0, 1, 2, 3].map(|r| format!("state.matrix.mvp.transpose.row[{r}]")));
        assert_eq!(program.counts.parameters, 0);
        let named = [
            "state.matrix.mvp.transpose.row[0]",
            "state.matrix.mvp.transpose.row[1]",
            "state.matrix.mvp.transpose.row[2]",
            "state.matrix.mvp.transpose.row[3]",
        ];
        let mut world = World { named: named.into_iter().zip(COLUMNS).collect(), ..World::default() };
        let vertex = [0.5, -2.0, 3.0, 1.0];
        world.inputs.set_floats(generic(0), vertex);
        world.inputs.set_floats(generic(3), [1.0; 4]);
        let expected = std::array::from_fn(|r| (0..4).map(|c| COLUMNS[c][r] * vertex[c]).sum());
        assert_near(output(&program, &world, Slot::POSITION).unwrap(), expected, &text);
        assert!(text::print(&program.shader).matches("fmul!").count() == 4);
    }
}

#[test]
fn operations_that_lead_to_the_position_are_exact() {
    let text = "!!ARBvp1.0\nTEMP a, b;\nMUL a, vertex.position, 2;\nADD b, vertex.color, 1;\n\
                DP4 result.position.x, a, vertex.position;\nMUL a.x, b, 3;\nADD result.color, a, b;\nEND";
    let printed = text::print(&program(text).shader);
    let exact = |op: &str| printed.matches(&format!("{op}! ")).count();
    assert_eq!((exact("fmul"), exact("fdot4"), exact("fadd")), (1, 1, 0), "{printed}");
}

#[test]
fn operations_that_lead_to_an_address_of_the_position_are_exact() {
    let text = "!!ARBvp1.0\nTEMP t; ADDRESS a, b; PARAM p[] = { program.env[0..3] };\nMUL t, vertex.color, 3;\n\
                ARL a.x, t.x;\nMOV result.position, p[a.x];\nADD t, vertex.color, 3;\nARL b.x, t.x;\n\
                MOV result.color, p[b.x];\nEND";
    let printed = text::print(&program(text).shader);
    let exact = |op: &str| printed.matches(&format!("{op}! ")).count();
    assert_eq!((exact("fmul"), exact("ffloor"), exact("fadd")), (1, 1, 0), "{printed}");
}

#[test]
fn names_of_any_kind_survive_the_text_form() {
    let text = "!!ARBfp1.0\nOPTION ARB_fog_linear;\nTEMP color, $a, _, gl_FragColor, vec4, fn, texture0, program1;\n\
                MOV color, 1; MOV $a, color; MOV _, $a; MOV gl_FragColor, _; MOV vec4, gl_FragColor; MOV fn, vec4;\n\
                TEX texture0, fn, texture[0], 2D;\nMOV program1, texture0;\nMOV result.color, program1;\nEND";
    let printed = text::print(&program(text).shader);
    let parsed = text::parse(&printed).unwrap_or_else(|e| panic!("{e:?}\n{printed}"));
    assert_eq!(text::print(&parsed), printed);
}

/// The color after fog by the equations of OpenGL 1.3 section 3.10.
fn fogged(option: &str, c: f32, color: [f32; 4]) -> [f32; 4] {
    let [density, _, end, scale] = FOG;
    let f = match option {
        "ARB_fog_linear" => (end - c) * scale,
        "ARB_fog_exp" => (-density * c).exp(),
        _ => (-(density * c) * (density * c)).exp(),
    };
    let f = f.clamp(0.0, 1.0);
    std::array::from_fn(|i| {
        let own = color[i].clamp(0.0, 1.0);
        if i == 3 { own } else { f * own + (1.0 - f) * FOG_COLOR[i] }
    })
}

const FOG: [f32; 4] = [0.3, 1.0, 5.0, 0.25];
const FOG_COLOR: [f32; 4] = [0.2, 0.4, 0.6, 0.9];

#[test]
fn fog_blends_the_clamped_color() {
    for option in ["ARB_fog_linear", "ARB_fog_exp", "ARB_fog_exp2"] {
        let text = format!(
            "!!ARBfp1.0\nOPTION {option};\nMOV result.color, program.local[0];\nMOV result.color.y, 0.75;\nEND"
        );
        let program = program(&text);
        assert_eq!((program.counts.parameters, program.counts.attributes), (2, 0));
        for c in [-1.0, 0.0, 1.5, 4.0, 100.0] {
            let mut world = World {
                local: vec![[0.5, 9.0, -3.0, 1.5]],
                named: vec![("state.fog.params", FOG), ("state.fog.color", FOG_COLOR)],
                ..World::default()
            };
            world.inputs.set_floats(Slot::FOG, [c, 0.0, 0.0, 0.0]);
            let expected = fogged(option, c, [0.5, 0.75, -3.0, 1.5]);
            assert_near(output(&program, &world, Slot::FRAG_COLOR).unwrap(), expected, &text);
        }
    }
}

#[test]
fn fog_applies_to_output_color_0_only() {
    let text = "!!ARBfp1.0\nOPTION ARB_fog_linear; OPTION ARB_draw_buffers;\n\
                MOV result.color[0], 0.5;\nMOV result.color[1], 0.5;\nEND";
    let program = program(text);
    let mut world =
        World { named: vec![("state.fog.params", FOG), ("state.fog.color", FOG_COLOR)], ..World::default() };
    world.inputs.set_floats(Slot::FOG, [4.0, 0.0, 0.0, 0.0]);
    let found = run(&program, &world).unwrap();
    assert_near(found.floats(generic(0)).unwrap(), fogged("ARB_fog_linear", 4.0, [0.5; 4]), text);
    assert_near(found.floats(generic(1)).unwrap(), [0.5; 4], text);
}
