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

  fn main @0:5 {
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

#[test]
fn generated_shaders_come_back() {
    for seed in 0..3000 {
        let options = crate::generate::Options { instrs: 20 + (seed % 100) as u32, ..Default::default() };
        let shader = crate::generate::from_seed(seed, &options);
        let text = print(&shader);
        let again = parse_ok(&text);
        assert!(shader.same_as(&again), "seed {seed}\n{text}");
        assert_eq!(print(&again), text, "seed {seed}");
    }
}

// ---- hand-written text ----

/// A fragment shader with the code of `main` given.
fn with_code(code: &str) -> String {
    format!(
        "foil 1\nshader fragment \"t\" {{\n  in vec4 v location=0\n  out vec4 o location=0\n  ubo Params {{ vec4 tint @0, mat4(stride=16) m @16, \
         float[3 stride=16] list @80 }} params set=0 binding=0\n  uniform sampled(2d float32) tex set=0 binding=1\n  fn helper(32x1, \
         deref(vec4 function_temp)) {{ }}\n  fn zero {{ }}\n  entry fn main {{\n    function_temp vec4 t\n{code}\n  }}\n}}\n"
    )
}

/// The canonical text of the code of `main`, without labels and indentation.
fn code_of(code: &str) -> Vec<String> {
    let shader = parse_ok(&with_code(code));
    let text = print_body(&shader, shader.entry_body().unwrap());
    text.lines().map(|l| l.trim().to_string()).filter(|l| !l.ends_with(':')).collect()
}

/// Messages for the code of `main`, with lines counted from its first.
fn errors_of(code: &str) -> Vec<String> {
    let text = with_code(code);
    let head = text[..text.find(code).unwrap()].lines().count() as u32;
    let errors = parse(&text).expect_err("this should be refused");
    errors
        .iter()
        .map(|e| {
            let crate::diag::Place::Text { line, column, .. } = e.place else { panic!("{e}") };
            let help = e.help.as_ref().map_or(String::new(), |h| format!(" ({h})"));
            format!("{}:{column}: {}{help}", line - head, e.message)
        })
        .collect()
}

#[test]
fn shapes_masks_and_swizzles_may_be_left_out() {
    let code = code_of(
        "%v = load_deref &v\n32x1 %two = const 2.0\n%a = fmul %v, %two\n%b = fdot3 %a.xyz, %v.zyx\n%c = flt %b, %two\n%d = fadd %v.xy, %a.zw\nstore_deref &o, %a",
    );
    assert_eq!(
        code,
        [
            "%0 = deref_var &v",
            "32x4 %1 = load_deref %0",
            "32x1 %2 = const 2.0",
            "32x4 %3 = fmul %1, %2.xxxx",
            "32x1 %4 = fdot3 %3.xyz, %1.zyx",
            "1x1 %5 = flt %4, %2",
            "32x2 %6 = fadd %1.xy, %3.zw",
            "%7 = deref_var &o",
            "store_deref %7, %3 mask=xyzw",
        ]
    );
}

#[test]
fn flags_locations_and_constants() {
    let code = code_of(
        "32x2 %a = const 1\n32x2 %b = iadd.relaxed.nuw.nsw %a, %a @3:77\n%c = fadd!.relaxed %a, %b\n16x3 %d = const 1.5, -inf, 0x7e01\n8x1 %e = const -1\n64x1 %f = const nan\n1x2 %g = const true, false\n32x4 %h = undef",
    );
    assert_eq!(
        code,
        [
            "32x2 %0 = const 1, 1",
            "32x2 %1 = iadd.nsw.nuw.relaxed %0, %0 @3:77",
            "32x2 %2 = fadd!.relaxed %0, %1",
            "16x3 %3 = const 1.5, -inf, 32257",
            "8x1 %4 = const -1",
            "64x1 %5 = const 0x7ff8000000000000",
            "1x2 %6 = const true, false",
            "32x4 %7 = undef",
        ]
    );
}

#[test]
fn derefs() {
    let code = code_of(
        "32x1 %i = const 1\n%p = deref_var &params\n%m = deref_struct %p.m\n%c = deref_array %m[%i]\n%e = deref_array %c[%i]\n%l = deref_struct %p.2\n%w = deref_array_wildcard %l[*]\n%x = deref_cast %l : float[3 stride=16] ubo stride=4\n%y = deref_ptr_as_array %x[%i]",
    );
    assert_eq!(
        code,
        [
            "32x1 %0 = const 1",
            "%1 = deref_var &params",
            "%2 = deref_struct %1.m",
            "%3 = deref_array %2[%0]",
            "%4 = deref_array %3[%0]",
            "%5 = deref_struct %1.list",
            "%6 = deref_array_wildcard %5[*]",
            "%7 = deref_cast %5 : float[3 stride=16] ubo stride=4",
            "%8 = deref_ptr_as_array %7[%0]",
        ]
    );
}

#[test]
fn control_flow_without_labels() {
    let code = code_of(
        "1x1 %c = const true\nif %c flatten { demote }\nloop keep {\n  if %c {\n    break\n  }\n  else {\n    continue\n  }\n}\nif %c {\n} else {\n  return\n}",
    );
    assert_eq!(
        code,
        [
            "1x1 %0 = const true",
            "if %0 flatten {",
            "demote",
            "}",
            "loop keep {",
            "if %0 {",
            "break",
            "} else {",
            "continue",
            "}",
            "}",
            "if %0 {",
            "} else {",
            "return",
            "}",
        ]
    );
}

#[test]
fn phis_name_later_values() {
    let code = code_of(
        "start:\n32x1 %zero = const 0\nloop {\n  head:\n  32x1 %i = phi start: %zero, rest: %next\n  %done = uge %i, %zero\n  if %done {\n    break\n  }\n  rest:\n  %next = iadd %i, %i\n}",
    );
    assert_eq!(code[2], "32x1 %1 = phi b0: %0, b3: %3");
}

#[test]
fn intrinsics_textures_and_calls() {
    let code = code_of(
        "32x2 %a = const 0.5\n32x1 %o = const 0\n%t = deref_var &tex\n32x4 %b = tg4 2d float32 coord=%a texture=%t sampler=%t component=2 offsets=(0, 1)(-8, 7)(1, 0)(0, 0) relaxed non_uniform\nbarrier execution=workgroup modes=shared|ssbo semantics=release|acquire\n32x4 %c = load_input %o io=(3 slots=2 invariant) component=1 dest_type=float32\n32x1 %d = load_push_constant %o align=16+4\nstore_deref &o, %b mask=xz access=volatile\ncall helper(%o, &t)\ncall zero()",
    );
    assert_eq!(
        code,
        [
            "32x2 %0 = const 0.5, 0.5",
            "32x1 %1 = const 0",
            "%2 = deref_var &tex",
            "32x4 %3 = tg4 2d float32 non_uniform relaxed texture=%2 sampler=%2 coord=%0 component=2 offsets=(0, 1)(-8, 7)(1, 0)(0, 0)",
            "barrier execution=workgroup modes=ssbo|shared semantics=acquire|release",
            "32x4 %4 = load_input %1 io=(3 slots=2 invariant) component=1 dest_type=float32",
            "32x1 %5 = load_push_constant %1 align=16+4",
            "%6 = deref_var &o",
            "store_deref %6, %3 mask=xz access=volatile",
            "%7 = deref_var &t",
            "call helper(%1, %7)",
            "call zero()",
        ]
    );
}

#[test]
fn declarations_are_canonical() {
    let text = r#"foil 1
shader geometry "entry \"point\"" {
  form target
  max_vertices 7
  input_primitive triangles
  invocations 2
  gathered {
    inputs_read position slot50 3 patch2
    system_values_read vertex_id 63
    uses_discard
  }
  struct Light { vec3 pos @0 precision=lowp, float "" @12, float "" @16 }
  block Only { uint a @0 }
  in vec2[3] uv location=0 component=1 precision=mediump
  in vec2[3] uv.1 location=patch5 noperspective centroid patch
  in vec4 "a b" location=position per_primitive
  out float[8] clip location=clip_dist0 stream=3 invariant compact
  out vec4 color location=5 fetched complete
  out vec4 c location=1 index=1
  ubo Light.1 { mat3x4(stride=16 row_major) m @0, int16[4 stride=16][2 stride=8] a @64 } lights set=0 binding=4294967295
  ssbo Inner { Light l @0 } inner access=coherent|volatile
  uniform texture(cube uint32 array)[4] t set=1 binding=2
  uniform sampler s offset=4
  image image(2d float32 rgba8_snorm) i
  system_value uint prim builtin=primitive_id
  shader_temp Light l = {(1.0, -0.5, 0x7fc00001), 0.0, zero}
  shader_temp mat2x2 m = {(1.0, 0.0), (0.0, 1.0)}
  shader_temp bvec2[2] flags = {(true, false), zero}

  fn f(16x3 precision=mediump, deref(Only ubo|ssbo) precision=highp, 64x1) {
    function_temp uint8 x = 255
  b0:
  }

  entry fn f.1 {
    function_temp int64 x.1 = -5
  b0:
  }
}
"#;
    let order =
        [("max_vertices 7\n  input_primitive triangles", "input_primitive triangles\n  max_vertices 7")];
    let canonical_text = order.iter().fold(text.to_string(), |t, (a, b)| t.replace(a, b));
    canonical(text, &canonical_text);
}

#[test]
fn the_documented_example_parses() {
    let book = include_str!("../../../../docs/foil.md");
    let start = book.find("```foil\n").unwrap() + 8;
    let example = &book[start..start + book[start..].find("```").unwrap()];
    let shader = parse_ok(example);
    assert!(crate::validate::validate(&shader).is_empty());
    canonical(example, &print(&shader));
}

// ---- messages ----

#[test]
fn messages_tell_place_and_expectation() {
    for (code, expected) in [
        ("  %a = fmull %b", "1:8: unknown operation `fmull` (did you mean `fmul`?)"),
        ("  %a = fadd %b, %b", "1:13: the value `%b` is not defined before this use"),
        ("  32x1 %a = const 1\n  %b = fadd %a", "2:8: `fadd` takes 2 operands (a, b), not 1"),
        ("  32x1 %a = const 1\n  %b = fneg %a, %a, %a, %a, %a, %a", "2:8: `fneg` takes 1 operand (a), not 5"),
        ("  32x1 %a = const 1\n  32x1 %a = const 1", "2:8: there is a value `%a` already"),
        (
            "  %a = const 1",
            "1:8: the shape of `const` does not follow from its operands here (write it before the value: `32x4 %1 = const ...`)",
        ),
        (
            "  32x5 %a = const 1",
            "1:3: `32x5` is not a shape: expected 1, 8, 16, 32 or 64 bits, `x` and 1 to 4 components",
        ),
        ("  8x1 %a = const 256", "1:18: `256` does not fit 8 bits"),
        (
            "  return\n  demote",
            "2:3: unreachable code: a jump must be the last instruction before the closing brace",
        ),
        ("  demote\n  b1:", "2:3: unexpected label: labels are at the start of a function or after a brace"),
        ("  %a = deref_var &parms", "1:19: unknown variable `parms` (did you mean `params`?)"),
        (
            "  %a = deref_var &params\n  %b = deref_struct %a.tin",
            "2:24: unknown member `tin` (did you mean `tint`?)",
        ),
        ("  %a = demote", "1:8: `demote` defines no value"),
        ("  load_deref &v", "1:3: `load_deref` defines a value: write `%name = load_deref ...`"),
        (
            "  barrier executoin=workgroup",
            "1:11: unknown property of `barrier` `executoin` (did you mean `execution`?)",
        ),
        ("  barrier execution=workgrop", "1:21: unknown execution `workgrop` (did you mean `workgroup`?)"),
        ("  call halper()", "1:8: unknown function `halper` (did you mean `helper`?)"),
        (
            "  32x2 %a = const 1\n  32x3 %b = fneg %a",
            "2:18: 3 components are read here, but the value has 2 (choose them by a swizzle such as `.xy`)",
        ),
        ("  32x1 %p = phi nowhere: %x", "1:17: unknown block `nowhere` in this function"),
        ("  32x1 %p = phi nowhere %x", "1:25: expected `:`, found `%x`"),
        ("  demote demote", "1:10: expected the end of the line, found `demote`"),
        ("  if 3 { }", "1:6: expected a value such as `%3`, found `3`"),
        ("  32x1 %a = load_push_constant &v align=3", "1:41: alignment `3` is not a power of two"),
        ("  \u{fc}", "1:3: expected an operation, found `\u{fc}`"),
    ] {
        assert_eq!(errors_of(code)[0], expected, "{code}");
    }
}

#[test]
fn several_errors_are_reported_without_follow_ups() {
    let errors = errors_of(
        "  %a = nothing_like_that\n  %b = fneg %a\n  %c = fneg %b\n  %d = fneg %never\n  %e = fneg %d",
    );
    assert_eq!(
        errors,
        [
            "1:8: unknown operation `nothing_like_that`",
            "4:13: the value `%never` is not defined before this use",
        ]
    );
}

#[test]
fn messages_for_the_head() {
    for (text, expected) in [
        ("", "1:1: expected `foil 1`, found the end of the text"),
        ("foil 2", "1:6: this version of the text form is unknown: only `foil 1` can be read"),
        ("foil 1\nshader fragmnt \"x\" { }", "2:8: unknown name `fragmnt` (did you mean `fragment`?)"),
        ("foil 1\nshader mesh \"x\" {", "2:18: expected a declaration or `}`, found the end of the text"),
        (
            "foil 1\nshader mesh \"x {",
            "2:13: expected the name of the entry point in quotes, found a quote without end",
        ),
        (
            "foil 1\nshader mesh \"x\" {\n  maxvertices 3\n}",
            "3:3: unknown declaration `maxvertices` (did you mean `max_vertices`?)",
        ),
        ("foil 1\nshader mesh \"x\" {\n  in vec5 a\n}", "3:6: unknown type `vec5` (did you mean `vec2`?)"),
        ("foil 1\nshader mesh \"x\" {\n  in vec2 a\n  in vec2 a\n}", "4:11: there is a variable `a` already"),
        (
            "foil 1\nshader mesh \"x\" {\n  in vec2 a locaton=0\n}",
            "3:13: unknown property `locaton` (did you mean `location`?)",
        ),
        (
            "foil 1\nshader mesh \"x\" {\n  in vec2 a location=96\n}",
            "3:22: `96` is too large: the limit is 95",
        ),
        ("foil 1\nshader mesh \"x\" {\n  fn f {\n", "4:1: expected an operation, found the end of the text"),
        ("foil 1\nshader mesh \"x\" { }\nmore", "3:1: expected the end of the text, found `more`"),
        (
            "foil 1\nshader mesh \"\\q\" { }",
            "2:13: this text has an escape other than `\\\"`, `\\\\`, `\\n`, `\\t` and `\\u{...}`",
        ),
    ] {
        let errors = parse(text).expect_err(text);
        let message = errors[0].to_string();
        let place = &errors[0].place;
        let help = errors[0].help.as_ref().map_or(String::new(), |h| format!(" ({h})"));
        let got = format!("{place}: {}{help}", errors[0].message);
        assert!(got == expected || got.starts_with(expected), "{text:?}\n{got}\n{message}");
    }
}

#[test]
fn deep_code_is_refused_and_does_not_overflow() {
    for depth in [MAX_DEPTH, MAX_DEPTH + 1, 200_000] {
        let code = format!("1x1 %c = const true\n{}{}", "if %c {\n".repeat(depth), "}\n".repeat(depth));
        let result = parse(&with_code(&code));
        if depth <= MAX_DEPTH {
            let shader = result.unwrap();
            assert!(shader.same_as(&parse_ok(&print(&shader))));
        } else {
            let errors = result.unwrap_err();
            assert!(errors[0].message.contains("nest deeper than 4096 levels"), "{}", errors[0]);
        }
    }
}

#[test]
fn deep_and_explosive_types_are_refused() {
    let deep = format!("foil 1\nshader mesh \"x\" {{\n  shader_temp int{} a\n}}", "[1]".repeat(100_000));
    assert!(parse(&deep).unwrap_err()[0].message.contains("arrays nest at most"));
    let mut text = String::from("foil 1\nshader mesh \"x\" {\n  struct S0 { int a, int b }\n");
    for i in 1..64 {
        text.push_str(&format!("  struct S{i} {{ S{0} a, S{0} b }}\n", i - 1));
    }
    text.push('}');
    assert!(parse(&text).unwrap_err()[0].message.contains("too large"));
    let nested = format!("foil 1\nshader mesh \"x\" {{\n  shader_temp int a = {}", "{".repeat(100_000));
    assert!(parse(&nested).unwrap_err()[0].message.contains("nest deeper"));
    let blocks = format!("foil 1\nshader mesh \"x\" {{\n  ubo {}", "A { ".repeat(100_000));
    assert!(parse(&blocks).is_err());
}

/// Damaged texts never cause a panic; a text that parses is printed and parsed again.
#[test]
fn damaged_texts_do_no_harm() {
    use crate::generate::{Choices, Options, Seed, from_seed};
    let mut seed = Seed(42);
    let pieces = [
        "}", "{", "%1", ".", "\"", ",", "32x4", "=", "phi", "\n", "if", "@", "1e", "-", "&", "[", "b0:",
        "\\", "\u{fc}", "0x", ";",
    ];
    let mut read = 0;
    for round in 0..3000u64 {
        let shader = from_seed(round % 50, &Options { instrs: 15, ..Options::default() });
        let mut text = print(&shader);
        for _ in 0..1 + seed.below(3) {
            let mut at = seed.below(text.len() as u32) as usize;
            while !text.is_char_boundary(at) {
                at -= 1;
            }
            let mut end = (at + seed.below(6) as usize).min(text.len());
            while !text.is_char_boundary(end) {
                end += 1;
            }
            text.replace_range(at..end, pieces[seed.below(pieces.len() as u32) as usize]);
        }
        match parse(&text) {
            Ok(shader) => {
                read += 1;
                let printed = print(&shader);
                let again = parse_ok(&printed);
                assert!(shader.same_as(&again), "{text}");
                assert_eq!(print(&again), printed);
                let _ = crate::validate::validate(&shader);
            }
            Err(errors) => assert!(!errors.is_empty()),
        }
    }
    assert!(read > 20, "{read}");
}

#[test]
fn shaders_that_differ_are_not_the_same() {
    let base = parse_ok(FADE);
    for (from, to) in [
        ("fmul!", "fmul"),
        ("%1.xxxx", "%1.xyxx"),
        ("mask=xyzw", "mask=xyz"),
        ("@0:7", "@0:8"),
        ("@0:5", "@0:6"),
        ("cut @16", "cut @20"),
        ("location=0\n  out", "location=1\n  out"),
        ("binding=0", "binding=1"),
        ("demote", "discard"),
        ("if %5 {", "if %5 keep {"),
        ("fade.frag", "fade.glsl"),
        ("form variables", "form variables\n  early_fragment_tests"),
        ("fn main", "fn start"),
    ] {
        assert!(FADE.contains(from), "{from}");
        assert!(!base.same_as(&parse_ok(&FADE.replacen(from, to, 1))), "{from}");
    }
}

#[test]
fn broken_code_can_be_printed_for_messages() {
    use crate::instr::{Instr, InstrKind, PhiSrc};
    let mut shader = parse_ok(FADE);
    let entry = shader.entry.unwrap();
    let body = &mut shader.functions[entry].body;
    let at = crate::body::Cursor::BlockStart(body.entry());
    let srcs = [PhiSrc { pred: crate::ids::BlockId::default(), value: InstrId::default() }];
    let phi = body.insert(at, Instr::new(InstrKind::Phi(srcs.into_iter().collect()), crate::value::Ty::B32));
    let body = &shader.functions[entry].body;
    assert_eq!(print_instr(&shader, body, phi), "32x1 %0 = phi b?: %?");
    assert_eq!(print_instr(&shader, body, InstrId::default()), "(removed instruction)");
}

#[test]
fn names_of_values_are_words_or_any_numbers() {
    let code = code_of(
        "32x1 %900 = const 1\n32x1 %0 = const 2\n32x1 %007 = const 3\n32x1 %x9 = const 4\n%7 = iadd %900, %007\n%8 = iadd %0, %x9",
    );
    assert_eq!(code[4], "32x1 %4 = iadd %0, %2");
    assert_eq!(code[5], "32x1 %5 = iadd %1, %3");
    assert_eq!(
        errors_of("32x1 %900 = const 1\n32x1 %900 = const 1"),
        ["2:6: there is a value `%900` already"]
    );
}
