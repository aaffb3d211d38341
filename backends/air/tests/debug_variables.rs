//! Variables in the debug information: their records, that these are read back, that LLVM 5, 14 and 22 accept it, and
//! the view of a debugger.

mod llvm;

use airfoil_air::select::{DebugOptions, Options, Selected, select};
use airfoil_air::{bitcode, lint, ll};
use airfoil_ir::{Shader, text};
use airfoil_passes::Manager;
use airfoil_passes::presets::OptLevel;
use llvm::{Folder, assert_same, oldread, run};
use std::path::Path;
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

/// A local that is stored twice, once under a condition; a part of a vector; an array that stays in memory.
const LOCALS: &str = r#"foil 1
shader fragment "lit" {
  form variables
  file "lit.frag"
  in vec2 uv location=0
  in int which location=1
  out vec4 color location=0
  entry fn main @0:3 {
    function_temp float x
    function_temp vec2 pair
    function_temp float[4] table
  b0:
    %u = deref_var &uv
    32x2 %uv = load_deref %u @0:4
    32x1 %a = fadd %uv.x, %uv.y @0:4
    %x = deref_var &x
    store_deref %x, %a mask=x @0:4
    32x1 %half = const 0.5
    1x1 %c = flt %a, %half @0:5
    if %c {
    b1:
      32x1 %b = fsin %a @0:6
      store_deref %x, %b mask=x @0:6
      %ub = deref_var &color
      32x4 %ones = vec4 %b, %b, %b, %b @0:7
      store_deref %ub, %ones mask=xyzw @0:7
    } else {
    b2:
      %p = deref_var &pair
      store_deref %p, %uv mask=xy @0:9
      32x2 %swapped = mov %uv.yx @0:10
      store_deref %p, %swapped mask=x @0:10
      32x2 %q = load_deref %p @0:11
      %w = deref_var &which
      32x1 %i = load_deref %w @0:11
      %t = deref_var &table
      %e = deref_array %t[%i]
      32x1 %qx = mov %q.x @0:11
      store_deref %e, %qx mask=x @0:11
      32x1 %l = load_deref %x @0:12
      32x1 %j = iadd %i, %i
      %e2 = deref_array %t[%j]
      32x1 %m = load_deref %e2 @0:12
      32x4 %v = vec4 %l, %m, %q.y, %l @0:12
      %o = deref_var &color
      store_deref %o, %v mask=xyzw @0:12
    }
  }
}
"#;

/// Compiles with the preset of a level.
fn optimized(source: &str, options: &Options, level: &str) -> Selected {
    let mut shader = text::parse(source).unwrap_or_else(|e| panic!("{}", e[0]));
    if options.debug.is_some() {
        shader.keep_names();
    }
    let level = if level == "O0" { OptLevel::O0 } else { OptLevel::O2 };
    let pipeline = airfoil_air::plan::pipeline(level, airfoil_ir::Form::Variables);
    let _ = Manager::default().run(pipeline, &mut shader).unwrap_or_else(|e| panic!("{}", e[0]));
    checked(&shader, options)
}

fn debug() -> Options {
    let debug = DebugOptions { directory: "/home/a".into(), file: String::new() };
    Options { debug: Some(debug), ..Options::default() }
}

fn selected(source: &str, options: &Options) -> Selected {
    checked(&text::parse(source).unwrap_or_else(|e| panic!("{}", e[0])), options)
}

fn checked(shader: &Shader, options: &Options) -> Selected {
    let selected = select(shader, options).unwrap_or_else(|e| panic!("{}", e[0]));
    let violations = lint::errors(&selected.module);
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

/// A type in the notation of C: `float`, `float[2]v` a vector, `{uint count @0}*`.
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

/// Value, name, argument number and type of each argument that has a record.
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
    calls.map(of).filter(|v| !v.2.is_empty()).collect()
}

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

/// Name, location and value of each record of a variable other than arguments; the line is zero if there is none.
fn said(ll: &str) -> Vec<(String, u32, String)> {
    let calls = ll.lines().filter(|l| l.contains("@llvm.dbg."));
    let of = |line: &str| {
        let mut operands = line.split("metadata ").skip(1);
        let value = operands.next()?.trim_end_matches(", ").trim_end_matches(", i64 0");
        let variable = node(ll, operands.next()?.trim_end_matches(", "));
        let place = field(node(ll, line.rsplit("!dbg ").next()?), "line").parse().ok()?;
        let name = field(variable, "name").trim_matches('"').to_owned();
        field(variable, "arg").is_empty().then(|| (name, place, value.to_owned()))
    };
    calls.filter_map(of).collect()
}

/// Name of the value of the instruction with this text.
fn value_of(ll: &str, part: &str) -> String {
    let line = ll.lines().find(|l| l.contains(part)).unwrap_or_else(|| panic!("no {part} in:\n{ll}"));
    line.trim_start().split(' ').next().unwrap_or_default().to_owned()
}

fn locals_keep_their_names_as_values() {
    let ll = optimized(LOCALS, &debug(), "O2").to_ll();
    let said = said(&ll);
    let of = |name: &str| said.iter().filter(|s| s.0 == name).map(|s| (s.1, &*s.2)).collect::<Vec<_>>();
    let (sum, sine) = (value_of(&ll, " fadd "), value_of(&ll, "sin."));
    let x: Vec<_> = of("x").into_iter().filter(|s| !s.1.ends_with("undef")).collect();
    assert_eq!(x[0], (4, &*format!("float {sum}")), "{ll}");
    assert!(x[1..].iter().all(|s| *s == (6, &*format!("float {sine}"))), "{ll}");
    let pair = of("pair");
    assert_eq!(pair[0], (9, "<2 x float> %a0"), "{ll}");
    // The first component has changed: the old value no longer holds.
    assert!(pair[1].0 == 10 && pair[1].1 != pair[0].1, "{ll}");
    // Both sides store the output; the phi that joins them is the output, too.
    let color = of("color");
    assert_eq!(color.iter().map(|s| s.0).collect::<Vec<_>>(), [7, 12, 0], "{ll}");
    assert!(color.iter().all(|s| s.1.starts_with("<4 x float> %")), "{ll}");
    assert_eq!(color[2].1, format!("<4 x float> {}", value_of(&ll, " phi ")), "{ll}");
    let [table] = of("table")[..] else { panic!("{ll}") };
    assert!(table.1.starts_with("[4 x float]* %"), "{ll}");
    // A record follows the instruction of its value.
    let at = |part: &str| ll.lines().position(|l| l.contains(part)).unwrap_or_default();
    assert!(at(&format!("  {sum} = ")) < at(&format!("metadata float {sum}, i64 0")), "{ll}");
}

fn locals_in_memory_have_names() {
    let ll = optimized(LOCALS, &debug(), "O0").to_ll();
    let said = said(&ll);
    for (name, ty) in [("x", "float*"), ("pair", "<2 x float>*"), ("table", "[4 x float]*")] {
        let found = said.iter().filter(|s| s.0 == name && s.2.starts_with(ty)).count();
        assert_eq!(found, 1, "{name}: {ll}");
    }
}

/// The code is the same at every level, and every reader takes it.
fn names_of_locals_change_nothing() {
    let code = |options: &Options, level: &str| {
        let ll = optimized(LOCALS, options, level).to_ll();
        let body = ll.lines().filter(|l| l.starts_with("  ") && !l.contains("@llvm.dbg."));
        let body: String = body.flat_map(|l| [l.split(", !dbg ").next().unwrap_or(l), "\n"]).collect();
        llvm::unname(&body)
    };
    for level in ["O0", "O2"] {
        assert_same(&code(&Options::default(), level), &code(&debug(), level), level);
        let lit = optimized(LOCALS, &debug(), level);
        let back = bitcode::read(&lit.to_bitcode()).unwrap_or_else(|e| panic!("{e}"));
        assert_same(&lit.to_ll(), &ll::print(&back), "read back");
    }
}

fn llvm_takes_names_of_locals() {
    let folder = Folder::new("debug-locals");
    let tool = oldread();
    for level in ["O0", "O2"] {
        let lit = optimized(LOCALS, &debug(), level);
        let bc = folder.write("lit.bc", &lit.to_bitcode());
        let verify = ["-passes=verify", "-mtriple=x86_64-unknown-linux-gnu", "-S", "-o", "-"];
        let text = run(Command::new("opt-14").args(verify).arg(&bc));
        let calls = |text: &str| text.matches("call void @llvm.dbg.").count();
        assert_eq!(calls(&text), calls(&lit.to_ll()));
        for version in ["5", "22"] {
            run(Command::new("python3").arg(&tool).args(["-q", "-v", version]).arg(&bc));
        }
    }
}

fn a_debugger_finds_locals() {
    let folder = Folder::new("debug-locals-dwarf");
    for level in ["O0", "O2"] {
        let bc = folder.write("lit.bc", &optimized(LOCALS, &debug(), level).to_bitcode());
        let object = folder.0.join("lit.o");
        let llc = ["-O0", "-filetype=obj", "-mtriple=x86_64-unknown-linux-gnu"];
        run(Command::new("llc-14").args(llc).arg(&bc).arg("-o").arg(&object));
        let dwarf = run(Command::new("llvm-dwarfdump-14").arg("--debug-info").arg(&object));
        for (name, ty) in [("x", "float"), ("table", "float[4]")] {
            let mut entries = dwarf.split("DW_TAG_").filter(|e| e.starts_with("variable"));
            let found = entries.find(|e| e.contains(&format!("DW_AT_name\t(\"{name}\")")));
            let entry = found.unwrap_or_else(|| panic!("{level}: no {name} in:\n{dwarf}"));
            assert!(entry.contains("DW_AT_location") && entry.contains(&format!("\"{ty}\")")), "{entry}");
        }
    }
}

fn without_names_there_are_no_variables() {
    let options = Options { names: false, ..debug() };
    let ll = selected(ARGUMENTS, &options).to_ll();
    assert!(ll.contains("!DISubprogram") && !ll.contains("llvm.dbg.value"), "{ll}");
    let nameless = ARGUMENTS.replace("in vec2 uv ", "in vec2 \"\" ");
    let found = variables(&selected(&nameless, &debug()).to_ll());
    assert!(found.len() == 5 && found.iter().all(|v| v.1 != "uv" && v.2 != "2"), "{found:?}");
}

/// The code is the same; only the numbers of values and nodes differ.
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

fn variables_come_back() {
    let lit = selected(ARGUMENTS, &debug());
    let back = bitcode::read(&lit.to_bitcode()).unwrap_or_else(|e| panic!("{e}"));
    assert_same(&lit.to_ll(), &ll::print(&back), "read back");
    assert_eq!(bitcode::write(&back), lit.to_bitcode());
}

/// Nested too deep for a record each, and no exponential work for types used twice.
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

/// The intrinsic lost an argument after LLVM 5; later readers drop it.
fn llvm_5_and_22_verify_them() {
    let tool = oldread();
    let folder = Folder::new("debug-variables-old");
    let bc = folder.write("lit.bc", &selected(ARGUMENTS, &debug()).to_bitcode());
    for (version, form) in [("5", ", i64 0, metadata !"), ("22", "#dbg_value(<2 x float> %1, !")] {
        let text = run(Command::new("python3").arg(&tool).args(["-v", version]).arg(&bc));
        assert!(text.contains(form) && text.contains("!DILocalVariable(name: \"uv\", arg: 2"), "{text}");
    }
}

fn llvm_14_verifies_them_and_reads_the_same() {
    let folder = Folder::new("debug-variables");
    let lit = selected(ARGUMENTS, &debug());
    let bc = folder.write("lit.bc", &lit.to_bitcode());
    run(Command::new("opt-14")
        .args(["-passes=verify", "-mtriple=x86_64-unknown-linux-gnu", "-disable-output"])
        .arg(&bc));
    let dis = |path: &Path| llvm::unname(&run(Command::new("llvm-dis-14").args(["-o", "-"]).arg(path)));
    let original = dis(&bc);
    // The verifier drops debug information that it does not like.
    assert_eq!(original.matches("call void @llvm.dbg.value(metadata ").count(), 7, "{original}");
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

/// A host's code generator produces the debug sections that a debugger reads.
fn a_debugger_finds_them() {
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

airfoil_filetest::harness! {
    arguments_have_the_names_and_types_of_the_source;
    locals_keep_their_names_as_values;
    locals_in_memory_have_names;
    names_of_locals_change_nothing;
    llvm_takes_names_of_locals needs(Tool("opt-14"), Tool("python3"), Shared("tools/oldread.py", "AIRFOIL_OLDREAD"));
    a_debugger_finds_locals needs(Tool("llc-14"), Tool("llvm-dwarfdump-14"));
    without_names_there_are_no_variables;
    the_option_adds_nothing_else;
    variables_come_back;
    types_are_bounded;
    llvm_5_and_22_verify_them needs(Tool("python3"), Shared("tools/oldread.py", "AIRFOIL_OLDREAD"));
    llvm_14_verifies_them_and_reads_the_same needs(Tool("opt-14"), Tool("llvm-dis-14"), Tool("llvm-as-14"));
    a_debugger_finds_them needs(Tool("llc-14"), Tool("llvm-dwarfdump-14"));
}
