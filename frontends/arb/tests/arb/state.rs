//! The vocabulary of states.

use crate::support::program;
use airfoil_arb::state::{Face, MatrixModifier, ROWS};
use airfoil_arb::{Parameter, StateVector};
use std::collections::HashSet;

/// The state that a program reads.
#[track_caller]
fn state(header: &str, name: &str) -> StateVector {
    let result = if header.contains("vp") { "result.position" } else { "result.color" };
    let program = program(&format!("{header}\nMOV {result}, {name};\nEND"));
    match program.parameters[..] {
        [Parameter::State(state)] => state,
        ref other => panic!("{name}: {other:?}"),
    }
}

/// The names that a pattern allows.
fn names(pattern: &str) -> Vec<String> {
    let mut list = vec![pattern.replace("[r]", "[2]")];
    while list[0].contains('{') {
        list = list
            .iter()
            .flat_map(|name| {
                let (before, rest) = name.split_once('{').unwrap();
                let (inside, after) = rest.split_once('}').unwrap();
                let choices = inside.split('|').chain([""]);
                choices.map(|choice| format!("{before}{choice}{after}")).collect::<Vec<_>>()
            })
            .collect();
    }
    list.iter().map(|name| name.replace("[n]", "[3]")).collect()
}

#[test]
fn every_name_is_read_and_printed() {
    let mut seen = HashSet::new();
    for row in ROWS {
        let [vertex, fragment] = row.programs();
        assert!(vertex || fragment);
        for name in names(&row.pattern()) {
            for (header, has) in [("!!ARBvp1.0", vertex), ("!!ARBfp1.0", fragment)] {
                if !has {
                    continue;
                }
                let found = state(header, &name);
                assert_eq!(ROWS[found.row()].pattern(), row.pattern(), "{name}");
                // The printed name is the canonical one: it means the same and stays.
                let printed = found.to_string();
                assert_eq!(state(header, &printed), found, "{name} is printed as {printed}");
                seen.insert(found.row());
            }
        }
    }
    assert_eq!(seen.len(), ROWS.len());
}

#[test]
fn names_select_states() {
    let vp = "!!ARBvp1.0";
    let cases = [
        ("state.material.back.shininess", StateVector::MaterialShininess { face: Face::Back }),
        ("state.material.front.ambient", StateVector::MaterialAmbient { face: Face::Front }),
        ("state.light[5].spot.direction", StateVector::LightSpotDirection { index: 5 }),
        ("state.lightmodel.scenecolor", StateVector::LightModelSceneColor { face: Face::Front }),
        ("state.lightprod[2].back.diffuse", StateVector::LightProductDiffuse { index: 2, face: Face::Back }),
        ("state.texgen.object.q", StateVector::TexGenObjectQ { index: 0 }),
        ("state.texgen[4].eye.r", StateVector::TexGenEyeR { index: 4 }),
        ("state.clip[7].plane", StateVector::ClipPlane { index: 7 }),
        (
            "state.matrix.texture[1].invtrans.row[3]",
            StateVector::MatrixTexture { index: 1, modifier: MatrixModifier::InverseTranspose, row: 3 },
        ),
        (
            "state.matrix.modelview.row[1]",
            StateVector::MatrixModelView { index: 0, modifier: MatrixModifier::None, row: 1 },
        ),
    ];
    for (name, expected) in cases {
        assert_eq!(state(vp, name), expected);
    }
    assert_eq!(state("!!ARBfp1.0", "state.texenv[2].color"), StateVector::TexEnvColor { index: 2 });
    assert_eq!(StateVector::LightDiffuse { index: 0 }.to_string(), "state.light[0].diffuse");
    assert_eq!(StateVector::TexEnvColor { index: 0 }.to_string(), "state.texenv[0].color");
}

#[test]
fn arrays_bind_rows_of_matrices() {
    let cases = [
        ("state.matrix.mvp", "mvp", 0..4),
        ("state.matrix.program[1].inverse", "program[1].inverse", 0..4),
        ("state.matrix.projection.transpose.row[1..2]", "projection.transpose", 1..3),
        ("state.matrix.palette[3].row[2]", "palette[3]", 2..3),
    ];
    for (binding, name, rows) in cases {
        let text = format!(
            "!!ARBvp1.0\nADDRESS a;\nPARAM p[] = {{ {binding} }};\nARL a.x, vertex.position.x;\n\
             MOV result.position, p[a.x];\nEND"
        );
        let found: Vec<String> = program(&text).parameters.iter().map(ToString::to_string).collect();
        let expected: Vec<String> = rows.map(|r| format!("state.matrix.{name}.row[{r}]")).collect();
        assert_eq!(found, expected);
    }
}
