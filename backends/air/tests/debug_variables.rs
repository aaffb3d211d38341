//! Variables in the debug information: what is said of them, that it is read back, that LLVM 5, 14 and 22 take it, and what a
//! debugger sees of it.
#![allow(clippy::print_stderr)] // a skipped check must say so

mod llvm;

use airfoil_air::select::{DebugOptions, Options, Selected, select};
use airfoil_air::{bitcode, ll, validate};
use airfoil_ir::text;
use llvm::{Folder, assert_same, has, run};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Arguments of all kinds: a varying, blocks, an array without end, a texture, a sampler, a built-in. The uniform block has an
/// array whose elements are farther apart than they are large, and a matrix with its rows in a row.
const ARGUMENTS: &str = r#"foil 1
shader fragment "lit" {
  form target
  file "lit.frag"
  struct Light { vec3 place @0, float power @12, float[2 stride=16] falloff @16 }
  ubo Scene { Light[3 stride=48] lights @0, mat2x3(stride=16 row_major) m @144 } scene set=0 binding=0
  ssbo Data { uint count @0, vec3[stride=16] items @16 } data set=0 binding=1
  uniform texture(2d float32) picture set=0 binding=2
  uniform sampler linear set=0 binding=3
  in vec2 uv location=0
  out vec4 color location=0
  entry fn main @0:3 {
    %s = deref_var &scene
    %d = deref_var &data
    %t = deref_var &picture
    %l = deref_var &linear
    32x1 %zero = const 0
    32x1 %power = load_ubo %s, %zero align=16 @0:5
    32x1 %x = load_ssbo %d, %zero align=16 @0:6
    32x2 %bary = load_barycentric_pixel
    32x2 %uv = load_interpolated_input %bary, %zero io=0 dest_type=float32 @0:7
    32x4 %texel = tex 2d float32 texture=%t sampler=%l coord=%uv @0:7
    32x4 %place = load_frag_coord @0:8
    32x4 %a = fmul %texel, %power.xxxx @0:8
    32x4 %b = ffma %a, %place, %x.xxxx @0:9
    store_output %b, %zero io=0 mask=xyzw src_type=float32 @0:9
  }
}
"#;

fn debug() -> Options {
    let debug = DebugOptions { directory: "/home/a".into(), file: String::new() };
    Options { debug: Some(debug), ..Options::default() }
}

fn selected(source: &str, options: &Options) -> Selected {
    let shader = text::parse(source).unwrap_or_else(|e| panic!("{}", e[0]));
    let selected = select(&shader, options).unwrap_or_else(|e| panic!("{}", e[0]));
    let violations = validate::validate(&selected.module);
    assert!(violations.is_empty(), "{}", violations[0]);
    selected
}

/// The text of a node.
fn node<'t>(ll: &'t str, number: &str) -> &'t str {
    let start = format!("{number} = ");
    ll.lines().find_map(|l| l.strip_prefix(&start)).unwrap_or_else(|| panic!("no {number} in:\n{ll}"))
}

/// A field of a node.
fn field<'t>(node: &'t str, name: &str) -> &'t str {
    let rest = node.split(&format!("{name}: ")).nth(1).unwrap_or_default();
    rest.split([',', ')']).next().unwrap_or_default()
}

/// A type as C has it: `float`, `float[2]v` a vector, `{uint count @0}*`.
fn type_text(ll: &str, number: &str) -> String {
    let ty = node(ll, number);
    let base = || type_text(ll, field(ty, "baseType"));
    let list = || {
        let list = node(ll, field(ty, "elements"));
        list.trim_start_matches("!{").trim_end_matches('}').split(", ").collect::<Vec<_>>()
    };
    let name = field(ty, "name").trim_matches('"');
    match field(ty, "tag") {
        "DW_TAG_base_type" => name.to_owned(),
        "DW_TAG_pointer_type" => format!("{}*", base()),
        "DW_TAG_array_type" => {
            let count = field(node(ll, list()[0]), "count");
            let vector = if ty.contains("flags: 2048") { "v" } else { "" };
            format!("{}[{count}]{vector}", base())
        }
        "DW_TAG_structure_type" if ty.contains("flags: 4") => name.to_owned(),
        "DW_TAG_structure_type" => {
            let members = list().into_iter().map(|number| {
                let member = node(ll, number);
                let offset: u32 = field(member, "offset").parse().unwrap_or(0);
                let ty = type_text(ll, field(member, "baseType"));
                format!("{ty} {} @{}", field(member, "name").trim_matches('"'), offset / 8)
            });
            let size: u32 = field(ty, "size").parse().unwrap_or(0);
            format!("{name}{{{}}}{}", members.collect::<Vec<_>>().join(", "), size / 8)
        }
        other => panic!("{other}"),
    }
}

/// Value, name, number and type of each variable that is said.
fn variables(ll: &str) -> Vec<(String, String, String, String)> {
    let calls = ll.lines().filter(|l| l.contains("call void @llvm.dbg.value("));
    let of = |line: &str| {
        let mut operands = line.split("metadata ").skip(1);
        let value = operands.next().unwrap_or_default().split(", i64 0").next().unwrap_or_default();
        let variable = node(ll, operands.next().unwrap_or_default().trim_end_matches(", "));
        (
            value.rsplit(' ').next().unwrap_or_default().to_owned(),
            field(variable, "name").trim_matches('"').to_owned(),
            field(variable, "arg").to_owned(),
            type_text(ll, field(variable, "type")),
        )
    };
    calls.map(of).collect()
}

#[test]
fn arguments_have_the_names_and_types_of_the_source() {
    let ll = selected(ARGUMENTS, &debug()).to_ll();
    let found = variables(&ll);
    let light = "Light{float[3]v place @0, float power @12, {float  @0}16[2] falloff @16}48";
    let expected = [
        ("%a0", "gl_FragCoord", "1", "float[4]v".to_owned()),
        ("%a1", "uv", "2", "float[2]v".to_owned()),
        ("%a2", "scene", "3", format!("Scene{{{light}[3] lights @0, {{float[2]v  @0}}16[3] m @144}}192*")),
        ("%a3", "data", "4", "Data{uint count @0, float[3]v[-1] items @16}16*".to_owned()),
        ("%a4", "picture", "5", "texture2d<float*".to_owned()),
        ("%a5", "linear", "6", "sampler*".to_owned()),
    ];
    let expected = expected.map(|(a, b, c, d)| (a.to_owned(), b.to_owned(), c.to_owned(), d));
    assert_eq!(found, expected, "{ll}");
    // In front of everything else, on the line of the function's head.
    let body: Vec<&str> = ll.lines().skip_while(|l| *l != "b0:").skip(1).take(7).collect();
    assert!(body[..6].iter().all(|l| l.starts_with("  call void @llvm.dbg.value(")), "{ll}");
    assert!(!body[6].contains("llvm.dbg"), "{ll}");
    let place = body[0].rsplit("!dbg ").next().unwrap();
    assert_eq!(field(node(&ll, place), "line"), "3");
    assert!(ll.contains("!DILocalVariable(name: \"uv\", arg: 2, scope: !"), "{ll}");
}

#[test]
fn without_names_there_are_no_variables() {
    let options = Options { names: false, ..debug() };
    let ll = selected(ARGUMENTS, &options).to_ll();
    assert!(ll.contains("!DISubprogram") && !ll.contains("llvm.dbg.value"), "{ll}");
    let nameless = ARGUMENTS.replace("in vec2 uv ", "in vec2 \"\" ");
    let found = variables(&selected(&nameless, &debug()).to_ll());
    assert!(found.len() == 5 && found.iter().all(|v| v.1 != "uv" && v.2 != "2"), "{found:?}");
}

/// The code is the same; only the numbers of values and nodes differ.
#[test]
fn the_option_adds_nothing_else() {
    let code = |options: &Options| {
        let ll = selected(ARGUMENTS, options).to_ll();
        let body = ll.lines().filter(|l| l.starts_with("  ") && !l.contains("@llvm.dbg."));
        let body: String = body.flat_map(|l| [l.split(", !dbg ").next().unwrap_or(l), "\n"]).collect();
        llvm::unname(&body)
    };
    assert_same(&code(&Options::default()), &code(&debug()), "with and without");
    let plain = selected(ARGUMENTS, &Options::default()).to_ll();
    assert!(!plain.contains("llvm.dbg") && !plain.contains("!DI"));
}

#[test]
fn variables_come_back() {
    let lit = selected(ARGUMENTS, &debug());
    let back = bitcode::read(&lit.to_bitcode()).unwrap_or_else(|e| panic!("{e}"));
    assert_same(&lit.to_ll(), &ll::print(&back), "read back");
    assert_eq!(bitcode::write(&back), lit.to_bitcode());
}

/// Nested too deep for a record each, and no exponential work for types used twice.
#[test]
fn types_are_bounded() {
    let mut source = ARGUMENTS.split("  ubo ").next().unwrap().to_owned();
    source.push_str("  struct S0 { vec4 a @0 }\n");
    for n in 1..100 {
        let twice = if n < 15 { format!(", S{} b @0", n - 1) } else { String::new() };
        source.push_str(&format!("  struct S{n} {{ S{} a @0{twice} }}\n", n - 1));
    }
    let rest = ARGUMENTS.split("  ubo ").nth(1).unwrap();
    source.push_str("  ubo ");
    source.push_str(&rest.replace("m @144", "m @144, S99 deep @192"));
    let ll = selected(&source, &debug()).to_ll();
    assert!(ll.contains("name: \"S99\"") && ll.lines().count() < 2000, "{}", ll.lines().count());
}

fn oldread() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/tools/oldread.py");
    let path = std::env::var_os("AIRFOIL_OLDREAD").map_or(beside, PathBuf::from);
    if path.is_file() && has("python3") {
        return Some(path);
    }
    eprintln!("skipped: no LLVM 5 reader (AIRFOIL_OLDREAD or {})", path.display());
    None
}

/// The intrinsic lost an argument after LLVM 5; later readers drop it.
#[test]
fn llvm_5_and_22_verify_them() {
    let Some(tool) = oldread() else { return };
    let folder = Folder::new("debug-variables-old");
    let bc = folder.write("lit.bc", &selected(ARGUMENTS, &debug()).to_bitcode());
    for (version, form) in [("5", ", i64 0, metadata !"), ("22", "#dbg_value(<2 x float> %1, !")] {
        let text = run(Command::new("python3").arg(&tool).args(["-v", version]).arg(&bc));
        assert!(text.contains(form) && text.contains("!DILocalVariable(name: \"uv\", arg: 2"), "{text}");
    }
}

#[test]
fn llvm_14_verifies_them_and_reads_the_same() {
    if !has("opt-14") || !has("llvm-dis-14") || !has("llvm-as-14") {
        return;
    }
    let folder = Folder::new("debug-variables");
    let lit = selected(ARGUMENTS, &debug());
    let bc = folder.write("lit.bc", &lit.to_bitcode());
    run(Command::new("opt-14")
        .args(["-passes=verify", "-mtriple=x86_64-unknown-linux-gnu", "-disable-output"])
        .arg(&bc));
    let dis = |path: &Path| llvm::unname(&run(Command::new("llvm-dis-14").args(["-o", "-"]).arg(path)));
    let original = dis(&bc);
    // The verifier drops debug information that it does not like.
    assert_eq!(original.matches("call void @llvm.dbg.value(metadata ").count(), 6, "{original}");
    let text = folder.write("lit.ll", lit.to_ll().as_bytes());
    let again = folder.0.join("again.bc");
    run(Command::new("llvm-as-14").arg(&text).arg("-o").arg(&again));
    // Nodes are numbered in the order of their use, in which attributes come before those of bitcode.
    let sorted = |text: &str| {
        let plain = |l: &str| l.chars().filter(|c| !c.is_ascii_digit()).collect::<String>();
        let mut lines: Vec<String> = text.lines().map(plain).collect();
        lines.sort_unstable();
        lines.join("\n")
    };
    assert_same(&sorted(&original), &sorted(&dis(&again)), "bitcode and text");
}

/// A host's code generator makes what a debugger would see.
#[test]
fn a_debugger_finds_them() {
    if !has("llc-14") || !has("llvm-dwarfdump-14") {
        return;
    }
    let folder = Folder::new("debug-variables-dwarf");
    let bc = folder.write("lit.bc", &selected(ARGUMENTS, &debug()).to_bitcode());
    let object = folder.0.join("lit.o");
    // Each level loses some whose values are vectors: the host has no such registers, or has them for something else.
    let dwarf: String = ["-O0", "-O2"]
        .into_iter()
        .map(|level| {
            let llc = [level, "-filetype=obj", "-mtriple=x86_64-unknown-linux-gnu"];
            run(Command::new("llc-14").args(llc).arg(&bc).arg("-o").arg(&object));
            run(Command::new("llvm-dwarfdump-14").arg("--debug-info").arg(&object))
        })
        .collect();
    let parameter = |name: &str| {
        let mut entries = dwarf.split("DW_TAG_").filter(|e| e.starts_with("formal_parameter"));
        let found = entries.find(|e| e.contains(&format!("DW_AT_name\t(\"{name}\")")));
        found.unwrap_or_else(|| panic!("no {name} in:\n{dwarf}"))
    };
    for (name, ty) in [
        ("gl_FragCoord", "float[4]"),
        ("uv", "float[2]"),
        ("scene", "Scene *"),
        ("data", "Data *"),
        ("picture", "texture2d<float, sample> *"),
        ("linear", "sampler *"),
    ] {
        let entry = parameter(name);
        assert!(entry.contains(&format!("\"{ty}\")")), "{entry}");
        assert!(entry.contains("DW_AT_location") && entry.contains("DW_AT_decl_line\t(3)"), "{entry}");
    }
    for member in ["lights", "place", "power", "falloff", "items"] {
        assert!(dwarf.contains(&format!("DW_AT_name\t(\"{member}\")")), "{dwarf}");
    }
    let power = dwarf.split("DW_AT_name\t(\"power\")").nth(1).unwrap_or_default();
    let place = power.lines().find(|l| l.contains("data_member_location")).unwrap_or_default();
    assert!(place.ends_with("(0x0c)"), "{place}");
}
