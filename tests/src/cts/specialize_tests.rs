//! Tests of specialisation.

use super::*;
use crate::cts::parser;
use std::path::Path;

fn case(dialect: Dialect, text: &str, index: usize) -> Case {
    let read = |_: &Path| Ok(text.to_string());
    parser::parse(Path::new("x.test"), dialect, &read).unwrap().cases.swap_remove(index)
}

fn shaders(dialect: Dialect, text: &str, index: usize) -> Vec<ShaderText> {
    let case = case(dialect, text, index);
    programs(&case, &case.values[0], dialect, &|_| true).unwrap().swap_remove(0)
}

const BOTH: &str = "case c version 300 es
    values { input int i = 1; input mat2 m = mat2(1.0, 0.0, 0.0, 1.0);
             output bool b = true; output float f = 1.0; uniform float u = 2.0; }
    both \"\"
        #version 300 es
        ${DECLARATIONS}
        void main() { ${SETUP:single-line} ${OUTPUT} ${POSITION_FRAG_COLOR}; }
    \"\" end";

#[test]
fn vertex_of_both() {
    let got = shaders(Dialect::Gls, BOTH, 0);
    let want = "#version 300 es\n\
        in highp vec4 dEQP_Position;\nin float a_i;\nin mat2 m;\nout float v_b;\nbool b;\nout float f;\n\n\
        void main() { int i = int(a_i);  gl_Position = dEQP_Position;\nv_b = float(b);\n gl_Position; }\n";
    assert_eq!((got[0].stage, got[0].text.as_str()), (Stage::Vertex, want));
    let partner = &got[1].text;
    assert!(got[1].generated && partner.starts_with("#version 300 es\nprecision highp float;\n"));
    assert!(partner.contains("in float v_b;\nin float f;\nuniform bool ref_b;\nuniform float ref_f;\n"));
    assert!(partner.contains("bool RES = isOk(v_b, ref_b);\nRES = RES && isOk(f, ref_f, 0.05);\n"));
    assert!(partner.contains("dEQP_FragColor = vec4(RES, RES, RES, 1.0);"));
}

#[test]
fn fragment_of_both() {
    let got = shaders(Dialect::Gls, BOTH, 1);
    assert!(
        got[0].text.contains("in float v_i;\nin mat2 m;\nuniform bool ref_b;\nuniform float ref_f;\nbool b;")
    );
    assert!(got[0].text.contains("int i = int(v_i * 1.0025);"));
    assert!(got[0].text.ends_with("\n dEQP_FragColor; }\n"));
    let partner = "#version 300 es\nin highp vec4 dEQP_Position;\nin float a_i;\nout float v_i;\n\
        in mat2 a_m;\nout mat2 m;\nvoid main()\n{\ngl_Position = dEQP_Position;\nv_i = a_i;\nm = a_m;\n}\n";
    assert_eq!(got[1].text, partner);
}

#[test]
fn old_versions_have_attributes() {
    let old = BOTH.replace("version 300 es\n    values", "values").replace("#version 300 es", "");
    let vertex = shaders(Dialect::Gls, &old, 0);
    assert!(vertex[0].text.contains("attribute highp vec4 dEQP_Position;\nattribute float a_i;"));
    assert!(vertex[1].text.starts_with("#version 100\nprecision mediump float;\n"));
    assert!(
        vertex[1].text.contains("varying float v_b;") && vertex[1].text.contains("gl_FragColor = vec4(RES")
    );
}

#[test]
fn vulkan_has_locations_and_blocks() {
    let vertex = shaders(Dialect::Vk, BOTH, 0);
    let want = "layout(location = 0) in highp vec4 dEQP_Position;\n\
        layout(location = 1) in int i;\nlayout(location = 2) in mat2 m;\n\
        layout(binding = 1, std140) uniform Uniforms\n{\n\tfloat u;\n};\n\
        layout(location = 0) flat out uint v_b;\nbool b;\nlayout(location = 1) flat out float f;\n";
    assert!(vertex[0].text.contains(want), "{}", vertex[0].text);
    assert!(vertex[1].text.contains("bool b = bool(v_b);\nbool RES = isOk(b, ref.b);"));
    let fragment = shaders(Dialect::Vk, BOTH, 1);
    assert!(fragment[0].text.contains("layout(location = 1) flat in mat2 m;"));
    assert!(fragment[0].text.contains("uniform Reference\n{\n\tbool b;\n\tfloat f;\n} ref;\n"));
    assert!(
        fragment[1].text.contains("layout(location = 2) in mat2 a_m;\nlayout(location = 1) flat out mat2 m;")
    );
}

#[test]
fn complete_cases_and_extensions() {
    let text = "case c version 310 es require extension { 'GL_NO' | 'GL_YES' } in { vertex }
        values { input bvec2 i = bvec2(true, false); uniform float 's.u' = 1.0; uniform int n = 1; }
        vertex \"\"
            #version 310 es
              # pragma x
            ${VERTEX_DECLARATIONS}void main() { ${VERTEX_SETUP}${VERTEX_OUTPUT} }
        \"\"
        fragment \"\"${FRAGMENT_DECLARATIONS:single-line}${FRAGMENT_OUTPUT}${FRAG_COLOR}\"\" end";
    let case = case(Dialect::Gls, text, 0);
    let made = |supported: &dyn Fn(&str) -> bool| programs(&case, &case.values[0], Dialect::Gls, supported);
    let got = made(&|name| name == "GL_YES").unwrap().swap_remove(0);
    let want = "#version 310 es\n  # pragma x\n#extension GL_YES : require\n\
        in highp vec4 dEQP_Position;\nin vec2 a_i;\nuniform int n;\n\
        void main() { bvec2 i = bvec2(a_i);\ngl_Position = dEQP_Position;\n }\n";
    assert_eq!(got[0].text, want);
    let fragment = "layout(location = 0) out mediump vec4 dEQP_FragColor; uniform int n; \
        dEQP_FragColor = vec4(1.0);\ndEQP_FragColor";
    assert_eq!(got[1].text, fragment);
    assert_eq!(made(&|_| false), Err(Unfit::Extension("GL_NO or GL_YES".into())));
}

#[test]
fn unknown_holes_are_faults() {
    let case = case(Dialect::Gls, "case c both \"\"${VERTEX_OUTPUT}\"\" end", 0);
    let got = programs(&case, &case.values[0], Dialect::Gls, &|_| true);
    assert!(matches!(got, Err(Unfit::Broken(reason)) if reason.contains("VERTEX_OUTPUT")));
}
