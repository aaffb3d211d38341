//! `include/airfoil.h` is the header of the declarations, and the interface keeps what an older header has.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn blessing() -> bool {
    std::env::var_os("AIRFOIL_BLESS").is_some()
}

fn header() -> PathBuf {
    root().join("include/airfoil.h")
}

#[test]
fn the_header_is_generated_from_the_declarations() {
    let config = cbindgen::Config::from_file(root().join("cbindgen.toml")).unwrap();
    let mut text = Vec::new();
    cbindgen::generate_with_config(root(), config).unwrap().write(&mut text);
    // Sections for readers of the Rust documentation.
    let text =
        String::from_utf8(text).unwrap().replace("//\n// # Safety\n// The conditions in the header.\n", "");
    if blessing() {
        std::fs::write(header(), &text).unwrap();
    }
    assert!(
        std::fs::read_to_string(header()).unwrap_or_default() == text,
        "include/airfoil.h is not that of the declarations: run this test with AIRFOIL_BLESS=1"
    );
}

/// The structures of the header with their members.
fn structs(header: &str) -> BTreeMap<&str, Vec<&str>> {
    let mut found = BTreeMap::new();
    for part in header.split("typedef struct {").skip(1) {
        let Some((body, rest)) = part.split_once("\n}") else { continue };
        let name = rest.split(';').next().unwrap().trim();
        let lines = body.lines().map(str::trim).filter(|l| !l.starts_with("//") && l.ends_with(';'));
        let names = lines.map(|l| {
            let name = l.trim_end_matches(';').rsplit([' ', '*']).next().unwrap();
            name.split('[').next().unwrap()
        });
        if !name.is_empty() && body.contains(';') {
            found.insert(name, names.collect());
        }
    }
    found
}

/// Everything that compiled programs depend on, a line each: offsets, constants, prototypes.
fn interface(header: &str) -> Vec<String> {
    let mut program = "#include <stdio.h>\n#include \"airfoil.h\"\nint main(void) {\n".to_owned();
    for (name, members) in structs(header) {
        writeln!(program, "printf(\"sizeof({name}) = %zu\\n\", sizeof({name}));").unwrap();
        for m in members {
            writeln!(program, "printf(\"{name}.{m}: offset %zu, size %zu\\n\", offsetof({name}, {m}), sizeof((({name} *)0)->{m}));").unwrap();
        }
    }
    program += "return 0; }\n";
    let mut lines: Vec<String> = run("interface", &program).lines().map(str::to_owned).collect();
    let code: String =
        header.lines().filter(|l| !l.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n");
    lines.extend(
        code.lines()
            .filter(|l| l.starts_with("#define AF_") && !l.starts_with("#define AF_VERSION"))
            .map(str::to_owned),
    );
    let (_, results) = code.split_once("typedef enum").unwrap();
    let (results, _) = results.split_once('}').unwrap();
    lines.extend(
        results.lines().map(|l| l.trim().trim_end_matches(',').to_owned()).filter(|l| l.contains('=')),
    );
    for statement in code.split(';') {
        let statement = statement.split_whitespace().collect::<Vec<_>>().join(" ");
        let Some(at) = statement.find("af_").filter(|_| statement.ends_with(')')) else { continue };
        // Text before it, such as the end of a block of the preprocessor, is not part of it.
        let start = statement[..at].rfind(['}', '{', '"']).map_or(0, |n| n + 1);
        lines.push(statement[start..].replace("#endif // __cplusplus", "").trim().to_owned());
    }
    lines
}

/// Compiles and runs a C program that includes the header.
fn run(name: &str, program: &str) -> String {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let (source, binary) = (dir.join(name).with_extension("c"), dir.join(name));
    std::fs::write(&source, program).unwrap();
    let compiled = Command::new("cc")
        .args(["-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror", "-I"])
        .args([&root().join("include"), &source, Path::new("-o"), &binary])
        .output()
        .unwrap();
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    String::from_utf8(Command::new(&binary).output().unwrap().stdout).unwrap()
}

/// `abi/64-bit.txt` has the interface of released headers. Members, constants and functions may be added; existing ones stay.
#[test]
#[cfg(all(unix, target_pointer_width = "64"))]
fn the_interface_keeps_what_the_previous_header_has() {
    let header = std::fs::read_to_string(header()).unwrap();
    let now = interface(&header);
    assert!(now.iter().any(|l| l.starts_with("AfResult af_program_link(")), "{now:#?}");
    assert!(now.iter().any(|l| l.starts_with("AfStateKey.flags: offset 4")), "{now:#?}");
    assert!(now.iter().any(|l| l.starts_with("AF_SUCCESS = 0")), "{now:#?}");
    let file = root().join("abi/64-bit.txt");
    if blessing() {
        std::fs::create_dir_all(root().join("abi")).unwrap();
        std::fs::write(&file, now.join("\n") + "\n").unwrap();
    }
    let size = |line: &str| line.strip_prefix("sizeof(")?.split_once(") = ")?.1.parse::<u32>().ok();
    for old in std::fs::read_to_string(file).unwrap().lines() {
        let kept = now.iter().any(|line| match size(old) {
            // Structures may grow.
            Some(least) => {
                line.split(" = ").next() == old.split(" = ").next() && size(line).is_some_and(|n| n >= least)
            }
            None => line == old,
        });
        assert!(
            kept,
            "the interface lacks `{old}`: compiled programs would break (docs/c.md, section \"Compatibility\")"
        );
    }
    // A line that is not recorded would not be kept.
    let recorded = std::fs::read_to_string(root().join("abi/64-bit.txt")).unwrap();
    let new: Vec<&String> = now.iter().filter(|line| !recorded.lines().any(|old| old == *line)).collect();
    assert!(new.is_empty(), "not recorded in abi/64-bit.txt: {new:#?}");
}

/// Rust and C agree on the sizes.
#[test]
#[cfg(unix)]
fn structures_have_the_size_of_those_in_c() {
    use airfoil_capi::*;
    let sizes = [
        ("AfArgument", size_of::<AfArgument>()),
        ("AfAssembly", size_of::<AfAssembly>()),
        ("AfBinding", size_of::<AfBinding>()),
        ("AfBudget", size_of::<AfBudget>()),
        ("AfBytes", size_of::<AfBytes>()),
        ("AfCaptureCounters", size_of::<AfCaptureCounters>()),
        ("AfCombine", size_of::<AfCombine>()),
        ("AfCompileInfo", size_of::<AfCompileInfo>()),
        ("AfCoordinates", size_of::<AfCoordinates>()),
        ("AfDeviceInfo", size_of::<AfDeviceInfo>()),
        ("AfDriverValues", size_of::<AfDriverValues>()),
        ("AfExternalImage", size_of::<AfExternalImage>()),
        ("AfFixedFragmentKey", size_of::<AfFixedFragmentKey>()),
        ("AfFixedVertexKey", size_of::<AfFixedVertexKey>()),
        ("AfInlinedUniform", size_of::<AfInlinedUniform>()),
        ("AfLimit", size_of::<AfLimit>()),
        ("AfLinkInfo", size_of::<AfLinkInfo>()),
        ("AfParameter", size_of::<AfParameter>()),
        ("AfSource", size_of::<AfSource>()),
        ("AfSpecializeInfo", size_of::<AfSpecializeInfo>()),
        ("AfStateKey", size_of::<AfStateKey>()),
        ("AfText", size_of::<AfText>()),
        ("AfTextureUnit", size_of::<AfTextureUnit>()),
        ("AfUniform", size_of::<AfUniform>()),
        ("AfUnit", size_of::<AfUnit>()),
        ("AfVertexBuffer", size_of::<AfVertexBuffer>()),
        ("AfVertexFormat", size_of::<AfVertexFormat>()),
    ];
    let header = std::fs::read_to_string(header()).unwrap();
    let names: Vec<&str> = structs(&header).into_keys().collect();
    assert_eq!(names, sizes.map(|s| s.0));
    let mut program = "#include \"airfoil.h\"\n".to_owned();
    for (name, size) in sizes {
        writeln!(program, "typedef char {name}_check[sizeof({name}) == {size} ? 1 : -1];").unwrap();
    }
    run("sizes", &(program + "int main(void) { return 0; }\n"));
}
