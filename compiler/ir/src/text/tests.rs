//! Tests of the text form: constructs, messages.

use super::*;

/// The shader of a text that must parse, and whose canonical text is `expected`.
fn canonical(text: &str, expected: &str) -> Shader {
    let shader = parse_ok(text);
    assert_eq!(print(&shader), expected);
    let again = parse_ok(expected);
    assert!(shader.same_as(&again));
    shader
}

fn parse_ok(text: &str) -> Shader {
    match parse(text) {
        Ok(shader) => shader,
        Err(errors) => {
            let lines: Vec<String> = errors.iter().map(ToString::to_string).collect();
            panic!("{}\n{text}", lines.join("\n"));
        }
    }
}

const FADE: &str = r#"foil 1
shader fragment "fade" {
  form variables
  file "fade.frag"
  in vec2 uv location=0
  out vec4 color location=0
  ubo Params { vec4 tint @0, float cut @16 } params set=0 binding=0

  fn main {
  b0:
    %0 = deref_var &uv
    32x2 %1 = load_deref %0 @0:7
    %2 = deref_var &params
    %3 = deref_struct %2.cut
    32x1 %4 = load_deref %3
    1x1 %5 = flt %1.x, %4
    if %5 {
    b1:
      demote
    }
  b2:
    %6 = deref_struct %2.tint
    32x4 %7 = load_deref %6
    32x4 %8 = fmul! %7, %1.xxxx
    %9 = deref_var &color
    store_deref %9, %8 mask=xyzw
  }
}
"#;

#[test]
fn the_example_is_canonical() {
    canonical(FADE, FADE);
}
