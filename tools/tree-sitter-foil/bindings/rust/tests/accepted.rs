//! The grammar accepts all that the printer writes, and reports broken texts.

#![allow(clippy::print_stdout, reason = "the test reports how much it compared")]

mod support;

use airfoil_glsl::{ProgramOptions, Source};
use airfoil_ir::alu::ALU_OPS;
use airfoil_ir::generate::{Choices, Options, Seed, from_seed};
use airfoil_ir::intrinsic::INTRINSIC_OPS;
use airfoil_ir::text::{parse, print};
use airfoil_ir::{Dim, ImageFormat, Jump, Modes, Named, NamedFlags, Scalar, Shader, Stage, TexOp};
use airfoil_passes::{Manager, Pipeline};
use std::fs;
use support::{error, nodes, outline, repository, tree};

fn accept(name: &str, text: &str) {
    if let Some(error) = error(text) {
        panic!("{name}: {error}\n{text}");
    }
}

/// A shader around the code of its function.
fn with_code(code: &str) -> String {
    format!("foil 1\nshader fragment \"t\" {{\n  fn main {{\n{code}\n  }}\n}}\n")
}

/// A shader around a declaration.
fn with_item(item: &str) -> String {
    format!("foil 1\nshader fragment \"t\" {{\n  {item}\n}}\n")
}

// ---- printed shaders ----

fn accept_with_o2(name: &str, mut shader: Shader) {
    accept(name, &print(&shader));
    let pipeline = Pipeline::parse("O2").expect("the preset exists");
    let _ = Manager::default().run(&pipeline, &mut shader).unwrap_or_else(|e| panic!("{name}: {e:?}"));
    accept(&format!("{name} after O2"), &print(&shader));
}

#[test]
fn printed_examples() {
    let folder = repository().join("examples/shaders");
    let stages = [("vert", Stage::Vertex), ("frag", Stage::Fragment), ("comp", Stage::Compute)];
    let mut count = 0;
    for entry in fs::read_dir(folder).expect("the examples") {
        let path = entry.expect("an entry").path();
        let extension = path.extension().and_then(|e| e.to_str()).unwrap_or_default();
        let Some(&(_, stage)) = stages.iter().find(|(name, _)| *name == extension) else { continue };
        let text = fs::read_to_string(&path).expect("GLSL");
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let options = ProgramOptions { vulkan: text.starts_with("#version 450"), ..Default::default() };
        let sources = [Source { name: &name, stage, text: &text }];
        let program = airfoil_glsl::build(&sources, &options).unwrap_or_else(|e| panic!("{name}: {e:?}"));
        for shader in program.shaders {
            count += 1;
            accept_with_o2(&name, shader);
        }
    }
    assert_eq!(count, 5);
}

#[test]
fn printed_random_shaders() {
    for seed in 0..300 {
        accept(&format!("seed {seed}"), &print(&from_seed(seed, &Options::default())));
    }
}

#[test]
fn deep_code() {
    let depth = airfoil_ir::text::MAX_DEPTH;
    let open = "if %c {\n".repeat(depth);
    let close = "}\n; end\n\n".repeat(depth);
    accept("ifs", &with_code(&format!("1x1 %c = const true\n{open}{close}")));
}

/// Where the compiler's parser accepts a damaged text, so does the grammar.
#[test]
fn damaged_texts() {
    let pieces = [
        "}", "{", "%1", ".", "\"", ",", "32x4", "=", "phi", "if", "@", "1e", "-", "&", "[", "b0:", "\\",
        "\u{fc}", "0x", "loop", "in",
    ];
    let blanks = ["\n", " ", "\t", "\r\n", "; c\n", "\n\n;\n"];
    let mut seed = Seed(7);
    let (mut accepted, mut rejected, mut reported) = (0, 0, 0);
    let mut faults = Vec::new();
    for round in 0..4000u64 {
        let mut text = print(&from_seed(round % 60, &Options { instrs: 15, ..Options::default() }));
        for _ in 0..1 + seed.below(2) {
            let at = floor(&text, seed.below(text.len() as u32) as usize);
            match seed.below(4) {
                // Other text.
                0 => {
                    let end = ceiling(&text, at + seed.below(6) as usize);
                    text.replace_range(at..end, pieces[seed.below(pieces.len() as u32) as usize]);
                }
                // More blanks, or fewer.
                1 | 2 => text.insert_str(at, blanks[seed.below(blanks.len() as u32) as usize]),
                _ => {
                    let blank = text[at..].find([' ', '\n']).map_or(0, |n| at + n);
                    let end = text[blank..].find(|c| c != ' ' && c != '\n').map_or(blank + 1, |n| blank + n);
                    text.replace_range(blank..end, "");
                }
            }
        }
        let found = error(&text);
        match parse(&text) {
            Ok(_) => {
                accepted += 1;
                faults.extend(found);
            }
            Err(_) => {
                rejected += 1;
                reported += usize::from(found.is_some());
            }
        }
    }
    assert!(faults.is_empty(), "{} of {accepted}\n{}", faults.len(), faults.join("\n"));
    println!("{accepted} accepted; {reported} of {rejected} damaged texts have an error node");
    assert!(accepted > 500 && reported * 2 > rejected, "{accepted} {rejected} {reported}");
}

fn floor(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

fn ceiling(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at += 1;
    }
    at
}

// ---- words ----

/// The kind of the instruction that is the only one of the code.
fn instruction(code: &str) -> String {
    let text = with_code(code);
    accept(code, &text);
    let tree = tree(&text);
    let found = nodes(&tree).into_iter().find(|n| n.kind() == "instruction").expect("an instruction");
    let last = found.named_child_count() - 1;
    found.named_child(last as u32).expect("the operation").kind().to_owned()
}

#[test]
fn operations_are_words() {
    let alu = ALU_OPS.iter().map(|op| op.name());
    let intrinsics = INTRINSIC_OPS.iter().map(|op| op.name());
    let textures = TexOp::ALL.iter().map(|op| op.name());
    for name in alu.chain(intrinsics).chain(textures).chain(["an_operation_of_tomorrow"]) {
        assert_eq!(instruction(&format!("32x1 %1 = {name} %0, %0 a=b")), "operation", "{name}");
        assert_eq!(instruction(&format!("{name} %0")), "operation", "{name}");
    }
}

#[test]
fn jumps_are_keywords() {
    for jump in Jump::ALL {
        assert_eq!(instruction(jump.name()), "jump", "add `{}` to JUMPS in grammar.js", jump.name());
    }
}

#[test]
fn modes_are_keywords() {
    for (mode, _) in Modes::NAMES {
        let text = with_item(&format!("{mode} vec4 v"));
        let tree = outline(&tree(&text));
        assert!(
            tree.contains("(variable_declaration") && !tree.contains("(ERROR"),
            "add `{mode}` to MODES in grammar.js\n{tree}"
        );
    }
}

#[test]
fn enumerators_are_words() {
    for dim in Dim::ALL {
        for scalar in Scalar::ALL {
            accept(dim.name(), &with_item(&format!("uniform texture({} {}) t", dim.name(), scalar.name())));
            accept(dim.name(), &with_code(&format!("%1 = tex {} {} coord=%0", dim.name(), scalar.name())));
        }
        accept(dim.name(), &with_code(&format!("32x4 %1 = image_load %0 dim={}", dim.name())));
    }
    for format in ImageFormat::ALL {
        accept(format.name(), &with_item(&format!("image image(2d float32 {}) i", format.name())));
    }
}

// ---- broken texts ----

#[test]
fn broken_texts_have_errors() {
    let code = [
        "32x1 = const 1",
        "32x1 %1",
        "32x1 %1 = ",
        "%1 = fadd %0,",
        "%1 = fadd %0 %0",
        "%1 = fadd , %0",
        "%1 = fadd %0.abc",
        "%1 = fadd %0.xyzwx",
        "%1 = const",
        "%1 = const 1,",
        "%1 = const 1.",
        "32x5 %1 = const 1",
        "%1 = undef %2 = undef",
        "%1 = phi b0 %0",
        "%1 = phi b0: 3",
        "%1 = deref_var v",
        "%1 = deref_struct %0",
        "%1 = deref_array %0[]",
        "%1 = deref_array %0[%1",
        "%1 = deref_array_wildcard %0[%1]",
        "%1 = deref_cast %0 : vec4",
        "%1 = load_deref &",
        "%1 = load_ubo %0 align=",
        "%1 = load_ubo %0 align=16+",
        "%1 = tex 2d float32 offsets=(0, 1",
        "call f",
        "call f(%0",
        "demote @0",
        "demote @0:",
        "demote @:3",
        "if %0\n{ }",
        "if { }",
        "if 3 { }",
        "if %0 {",
        "} }",
        "else { }",
        "if %0 { } else",
        "loop",
        "loop %0 { }",
        "b0 :",
        "%",
        "\u{fc}",
        "$",
        "function_temp",
        "demote\nfunction_temp int a",
    ];
    let items = [
        "in vec4",
        "in vec4 a =",
        "in vec4 a = (1.0",
        "in vec4 a = {1.0 2.0}",
        "in vec4 a location=",
        "in vec4 a location=0 = 1 = 2",
        "in float[4 a",
        "in float[x] a",
        "in mat3(stride=) a",
        "shader_temp S a = zero zero",
        "struct { int a }",
        "struct S int a",
        "struct S { int }",
        "struct S { int a int b }",
        "struct S { int a @ }",
        "struct S { , }",
        "struct S { T { int a } b }",
        "file a.frag",
        "file \"a.frag",
        "file \"\\q\"",
        "form",
        "gathered",
        "gathered { uses_discard",
        "max_vertices 3 }",
        "fn { }",
        "fn f",
        "fn f(",
        "fn f(32x4 { }",
        "fn f(vec4) { }",
        "fn f(deref(vec4)) { }",
        "entry f { }",
        "3",
    ];
    let texts = [
        "foil",
        "foil x",
        "shader fragment \"t\" { }",
        "foil 1\nshader \"t\" { }",
        "foil 1\nshader fragment t { }",
        "foil 1\nshader fragment \"t\"\n{ }",
        "foil 1\nshader fragment \"t\" {",
        "foil 1\nshader fragment \"t\" { } more",
        "foil 1\nfoil 1\nshader fragment \"t\" { }",
    ];
    let texts = texts.iter().map(|t| (*t).to_owned());
    let code = code.iter().map(|c| with_code(c));
    for text in code.chain(items.iter().map(|i| with_item(i))).chain(texts) {
        assert!(parse(&text).is_err(), "the compiler accepts this text\n{text}");
        assert!(error(&text).is_some(), "no error\n{text}");
    }
}

/// An error does not hide the lines around it.
#[test]
fn errors_stay_in_their_line() {
    for broken in ["%1 = fadd %0,", "32x1 = const 1", "%3 = = 4", "%1 = undef %2 = undef", "$"] {
        let tree =
            tree(&with_code(&format!("32x1 %a = const 1\n{broken}\n%b = fneg %a\n}}\nfn g {{\nreturn")));
        let found = outline(&tree);
        assert!(tree.root_node().has_error(), "{broken}");
        for part in ["(constant", "(jump)"] {
            assert!(found.contains(part), "{broken}: no {part}\n{found}");
        }
        let functions = found.matches("(function_definition").count();
        assert_eq!(functions, 2, "{broken}\n{found}");
    }
}
