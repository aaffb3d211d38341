//! Debug information of selected modules: its contents, that it is read back, and that LLVM accepts it.

mod llvm;

use airfoil_air::select::{DebugOptions, Options, Selected, select};
use airfoil_air::{bitcode, lint, ll, metallib};
use airfoil_ir::text;
use llvm::{Folder, assert_same, run};
use std::process::Command;

/// Two files, an `if`, a line that nothing names, a function whose head is in line 3.
const TWO_FILES: &str = r#"foil 1
shader fragment "lit" {
  form target
  file "lit.frag"
  file "noise.glsl"
  ssbo B { vec4[stride=16] data @0 } b set=0 binding=0
  entry fn main @0:3 {
    %b = deref_var &b
    32x1 %zero = const 0
    32x1 %x = load_ssbo %b, %zero align=16 @0:5
    32x1 %y = fadd %x, %x @1:7
    1x1 %c = flt %y, %x @0:6
    if %c {
    yes:
      store_ssbo %y, %b, %zero align=16 @0:8
    } else {
    no:
    }
    32x1 %z = fmul %x, %x
    store_ssbo %z, %b, %zero align=16 @1:9
  }
}
"#;

fn debug(directory: &str, file: &str) -> Options {
    let debug = DebugOptions { directory: directory.into(), file: file.into() };
    Options { debug: Some(debug), ..Options::default() }
}

fn selected(source: &str, options: &Options) -> Selected {
    let shader = text::parse(source).unwrap_or_else(|e| panic!("{}", e[0]));
    let selected = select(&shader, options).unwrap_or_else(|e| panic!("{}", e[0]));
    let violations = lint::errors(&selected.module);
    assert!(violations.is_empty(), "{}", violations[0]);
    selected
}

/// The text of a node whose beginning is given, and its number.
fn node<'t>(ll: &'t str, start: &str) -> (&'t str, &'t str) {
    let mut lines = ll.lines().filter_map(|l| l.strip_prefix('!')?.split_once(" = "));
    lines.find(|(_, text)| text.starts_with(start)).unwrap_or_else(|| panic!("no {start} in:\n{ll}"))
}

/// File and line of each instruction that is selected for `operation`; zero for one without a location.
fn places(ll: &str, operation: &str) -> Vec<(String, u32)> {
    let field = |text: &str, name: &str| {
        let rest = text.split(&format!("{name}: ")).nth(1).unwrap_or_default();
        rest.split([',', ')']).next().unwrap_or_default().to_owned()
    };
    let by_number = |number: &str| {
        let start = format!("{number} = ");
        let found = ll.lines().find_map(|l| l.strip_prefix(&start));
        found.unwrap_or_else(|| panic!("no {number}"))
    };
    let of = |line: &str| {
        let Some((_, number)) = line.split_once("!dbg ") else { return (String::new(), 0) };
        let location = by_number(number);
        let scope = by_number(&field(location, "scope"));
        let file = by_number(&field(scope, "file"));
        (
            field(file, "filename").trim_matches('"').to_owned(),
            field(location, "line").parse().expect("a line"),
        )
    };
    ll.lines().filter(|l| l.starts_with("  ") && l.contains(operation)).map(of).collect()
}

fn instructions_have_the_lines_of_the_source() {
    let lit = selected(TWO_FILES, &debug("/home/a", ""));
    let ll = lit.to_ll();
    let at = |file: &str, line: u32| (file.to_owned(), line);
    assert_eq!(places(&ll, " load float"), [at("lit.frag", 5)]);
    assert_eq!(places(&ll, " fadd "), [at("noise.glsl", 7)]);
    assert_eq!(places(&ll, " fcmp "), [at("lit.frag", 6)]);
    // The branch belongs to the comparison.
    assert_eq!(places(&ll, "  br i1 "), [at("lit.frag", 6)]);
    assert_eq!(places(&ll, " fmul "), [at("", 0)]);
    assert_eq!(places(&ll, "  store float"), [at("lit.frag", 8), at("noise.glsl", 9)]);
}

fn the_function_and_the_unit_are_described_as_apple_does() {
    let ll = selected(TWO_FILES, &debug("/home/a", "")).to_ll();
    let (file, _) = node(&ll, r#"!DIFile(filename: "lit.frag", directory: "/home/a")"#);
    let (unit, text) = node(&ll, "distinct !DICompileUnit(");
    let producer = format!("Airfoil {}", env!("CARGO_PKG_VERSION"));
    assert_eq!(
        text,
        format!(
            "distinct !DICompileUnit(language: DW_LANG_C_plus_plus_14, file: !{file}, producer: \"{producer}\", \
             isOptimized: true, runtimeVersion: 0, emissionKind: FullDebug)"
        )
    );
    let (function, text) = node(&ll, "distinct !DISubprogram(");
    let (ty, _) = node(&ll, "!DISubroutineType(types: ");
    let (none, _) = node(&ll, "!{}");
    assert_eq!(
        text,
        format!(
            "distinct !DISubprogram(name: \"lit\", scope: !{file}, file: !{file}, line: 3, type: !{ty}, isLocal: false, \
             isDefinition: true, scopeLine: 3, flags: 256, isOptimized: true, unit: !{unit}, retainedNodes: !{none})"
        )
    );
    assert!(ll.contains(&format!("!llvm.dbg.cu = !{{!{unit}}}\n")), "{ll}");
    let define = ll.lines().find(|l| l.starts_with("define ")).expect("a function");
    assert!(define.ends_with(&format!("!dbg !{function} {{")), "{define}");
    for flag in [r#"!{i32 7, !"Dwarf Version", i32 4}"#, r#"!{i32 2, !"Debug Info Version", i32 3}"#] {
        node(&ll, flag);
    }
}

fn files_without_names_get_the_option_s() {
    let no_files = TWO_FILES.lines().filter(|l| !l.starts_with("  file"));
    let no_files: String = no_files.flat_map(|l| [l.split(" @0:").next().unwrap_or(l), "\n"]).collect();
    let no_files =
        no_files.replace(" @1:7", "").replace(" @1:9", "").replace("entry fn main", "entry fn main {");
    for (file, shown) in [("a.spv", "a.spv"), ("", "lit")] {
        let lit = selected(&no_files, &debug("", file));
        node(&lit.to_ll(), &format!(r#"!DIFile(filename: "{shown}", directory: "")"#));
        assert_eq!(lit.entry.debug, Some((0, shown.to_owned())));
    }
}

fn modules_with_debug_information_come_back() {
    let lit = selected(TWO_FILES, &debug("/home/a", ""));
    let back = bitcode::read(&lit.to_bitcode()).unwrap_or_else(|e| panic!("{e}"));
    assert_same(&lit.to_ll(), &ll::print(&back), "read back");
    assert_eq!(bitcode::write(&back), lit.to_bitcode());
}

fn the_library_says_where_the_function_is() {
    for (directory, path) in
        [("/home/a", "/home/a/lit.frag"), ("/home/a/", "/home/a/lit.frag"), ("", "lit.frag")]
    {
        let options = debug(directory, "");
        let bytes =
            selected(TWO_FILES, &options).to_metallib(&options).unwrap_or_else(|e| panic!("{}", e[0]));
        let library = metallib::read(&bytes).unwrap_or_else(|e| panic!("{e}"));
        library.verify().unwrap_or_else(|e| panic!("{e}"));
        let debug = library.functions[0].entry.debug.expect("a place");
        assert_eq!((debug.path, debug.line), (path, 3));
        assert_eq!(metallib::rebuild(&bytes, &library).unwrap_or_else(|e| panic!("{e}")), bytes);
    }
}

fn llvm_verifies_it_and_reads_the_same() {
    let folder = Folder::new("debug-llvm");
    let lit = selected(TWO_FILES, &debug("/home/a", ""));
    let bc = folder.write("lit.bc", &lit.to_bitcode());
    run(Command::new("opt-14")
        .args(["-passes=verify", "-mtriple=x86_64-unknown-linux-gnu", "-disable-output"])
        .arg(&bc));
    let dis = |path: &std::path::Path| {
        let text = run(Command::new("llvm-dis-14").args(["-o", "-"]).arg(path));
        text.lines().filter(|l| !l.starts_with("; ModuleID")).flat_map(|l| [l, "\n"]).collect::<String>()
    };
    let original = dis(&bc);
    for part in [
        "!DILocation(line: 7, scope: ",
        "!DILexicalBlockFile(scope: ",
        "spFlags: DISPFlagDefinition | DISPFlagOptimized",
    ] {
        assert!(original.contains(part), "{part}:\n{original}");
    }
    // Our text is the same module.
    let text = folder.write("lit.ll", lit.to_ll().as_bytes());
    let again = folder.0.join("again.bc");
    run(Command::new("llvm-as-14").arg(&text).arg("-o").arg(&again));
    let nodes = |text: &str| {
        let unnumbered = |node: &str| node.chars().filter(|c| !c.is_ascii_digit()).collect::<String>();
        let lines = text.lines().filter(|l| l.contains("!DI")).filter_map(|l| l.split_once(" = "));
        let mut nodes: Vec<String> = lines.map(|(_, node)| unnumbered(node)).collect();
        nodes.sort_unstable();
        nodes
    };
    assert!(nodes(&original).len() > 6);
    assert_eq!(nodes(&original), nodes(&dis(&again)));
}

/// A host's code generator emits the line table that a debugger would see.
fn the_line_table_is_right() {
    let folder = Folder::new("debug-lines");
    let lit = selected(TWO_FILES, &debug("/home/a", ""));
    let bc = folder.write("lit.bc", &lit.to_bitcode());
    let object = folder.0.join("lit.o");
    let llc = ["-O0", "-filetype=obj", "-mtriple=x86_64-unknown-linux-gnu"];
    run(Command::new("llc-14").args(llc).arg(&bc).arg("-o").arg(&object));
    let table = run(Command::new("llvm-dwarfdump-14").arg("--debug-line").arg(&object));
    let rows: Vec<(&str, &str)> = table
        .lines()
        .filter(|l| l.starts_with("0x"))
        .filter_map(|l| {
            let mut words = l.split_whitespace().skip(1);
            let (line, _, file) = (words.next()?, words.next()?, words.next()?);
            Some((file, line))
        })
        .collect();
    for row in [("1", "3"), ("1", "5"), ("2", "7"), ("1", "6"), ("1", "8"), ("2", "9")] {
        assert!(rows.contains(&row), "{row:?} is missing in:\n{table}");
    }
    assert!(table.contains("name: \"lit.frag\"") && table.contains("name: \"noise.glsl\""), "{table}");
}

airfoil_filetest::harness! {
    instructions_have_the_lines_of_the_source;
    the_function_and_the_unit_are_described_as_apple_does;
    files_without_names_get_the_option_s;
    modules_with_debug_information_come_back;
    the_library_says_where_the_function_is;
    llvm_verifies_it_and_reads_the_same needs(Tool("opt-14"), Tool("llvm-dis-14"), Tool("llvm-as-14"));
    the_line_table_is_right needs(Tool("llc-14"), Tool("llvm-dwarfdump-14"));
}
