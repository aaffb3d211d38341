//! Apple's own libraries: all checks pass, and the writer rebuilds those of the `metallib` tool byte for byte.
//!
//! The files are not part of the project; without the folder, the tests are ignored. None of them has embedded sources,
//! is dynamic, or is an archive of several; those are tested with libraries by the writer.

mod apple;

use airfoil_air::metallib::{FunctionEntry, Library, Style, TagName, function_entries, read, rebuild, write};

/// Every library.
fn apple_libraries() -> Vec<(String, Vec<u8>)> {
    let files = apple::files(&["metallib"]).into_iter();
    files.map(|(name, path)| (name, std::fs::read(path).unwrap())).collect()
}

fn parse<'a>(name: &str, bytes: &'a [u8]) -> Library<'a> {
    read(bytes).unwrap_or_else(|e| panic!("{name}: {e}"))
}

fn all_checks_pass() {
    for (name, bytes) in apple_libraries() {
        let library = parse(&name, &bytes);
        library.verify().unwrap_or_else(|e| panic!("{name}: {e}\n{}", library.report()));
        assert!(!library.functions.is_empty(), "{name}");
        assert_ne!(library.style(), Style::Other, "{name}");
        for function in &library.functions {
            assert!(function.hash_ok, "{name}: {}", function.entry.name);
            let bitcode = function.bitcode().unwrap();
            assert!(bitcode.len() > 1000 && bitcode.len().is_multiple_of(4), "{name}");
        }
    }
}

fn tool_style_is_rebuilt_byte_for_byte() {
    let libraries = apple_libraries();
    let mut rebuilt = 0;
    for (name, bytes) in &libraries {
        let library = parse(name, bytes);
        if library.style() != Style::Tool {
            continue;
        }
        let functions: Vec<FunctionEntry<'_>> = library.functions.iter().map(|f| f.entry.clone()).collect();
        let again = write(&library.header, &functions).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!(&again, bytes, "{name}");
        rebuilt += 1;
    }
    assert!(libraries.is_empty() || rebuilt >= 4, "only {rebuilt} libraries of the metallib tool");
}

/// In its own layout, every library comes back byte for byte.
fn every_library_is_rebuilt_byte_for_byte() {
    for (name, bytes) in apple_libraries() {
        let library = parse(&name, &bytes);
        let again = rebuild(&bytes, &library).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert!(again == bytes, "{name}: byte {:?}", again.iter().zip(&bytes).position(|(a, b)| a != b));
    }
}

/// A library of the driver, written again, keeps all functions.
fn driver_style_is_rewritten() {
    for (name, bytes) in apple_libraries() {
        let library = parse(&name, &bytes);
        let functions: Vec<FunctionEntry<'_>> = library.functions.iter().map(|f| f.entry.clone()).collect();
        let again = write(&library.header, &functions).unwrap();
        let reread = parse(&name, &again);
        reread.verify().unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!(reread.style(), Style::Tool, "{name}");
        for (old, new) in library.functions.iter().zip(&reread.functions) {
            assert_eq!(old.entry, new.entry, "{name}");
            assert_eq!(old.hash, new.hash, "{name}");
        }
    }
}

/// Facts about single files, which check the meaning of fields.
fn known_contents() {
    for (name, bytes) in apple_libraries() {
        let library = parse(&name, &bytes);
        let text = library.report().to_string();
        let lines: &[&str] = match name.as_str() {
            "kagura-P02.metallib" => &[
                "metallib, container 1.2.9, 10519 bytes",
                "  target      macOS 26, 64 bits, executable",
                "  layout      metallib tool",
                "vertex probe_p02_vertex",
                "  versions    AIR 2.8, Metal 3.2",
                "  attributes   0  float4 pos",
                "               1  float2 uv",
            ],
            "metaljl-constants.26.metallib" => {
                assert!(library.section("RLST").is_some() && library.section("HDYN").is_some());
                assert!(library.uuid().is_some());
                &[
                    "  layout      compiler driver",
                    "  constants    0  float foo",
                    "               2  float bar",
                ]
            }
            "metaljl-debuginfo.15.metallib" => {
                let function = &library.functions[0];
                assert_eq!(function.entry.debug.unwrap().line, 4);
                assert_eq!(function.private_tags[0].name, TagName::DEBI);
                &["kernel foo"]
            }
            "syphon.metallib" => {
                assert!(library.extension.is_none());
                &["metallib, container 1.2.2, 6048 bytes", "  versions    AIR 1.8, Metal 1.1"]
            }
            _ => &[],
        };
        for line in lines {
            assert!(text.lines().any(|l| l == *line), "{name}: no line {line:?} in\n{text}");
        }
    }
}

/// No damage to the parts around the modules causes a panic of the reader.
fn damaged_copies() {
    for (name, bytes) in apple_libraries() {
        let modules = parse(&name, &bytes).section("bitcode").unwrap().offset as usize;
        for size in (0..modules).chain((modules..bytes.len()).step_by(97)) {
            assert!(read(&bytes[..size]).map_or(true, |l| l.verify().is_err()), "{name} cut to {size}");
        }
        let mut copy = bytes.clone();
        for at in 0..modules {
            for value in [0, 0xff, bytes[at] ^ 1, bytes[at] ^ 0x80] {
                copy[at] = value;
                if let Ok(library) = read(&copy) {
                    assert!(!library.report().to_string().is_empty());
                }
            }
            copy[at] = bytes[at];
        }
    }
}

/// The container entry of a function follows from its module.
fn entries_follow_from_modules() {
    for (name, bytes) in apple_libraries() {
        for function in &parse(&name, &bytes).functions {
            let blob = function.entry.bitcode;
            let module = airfoil_air::bitcode::read(blob).unwrap_or_else(|e| panic!("{name}: {e}"));
            let inspection = airfoil_air::inspect::inspect(&module);
            let entries = function_entries(&inspection, blob).unwrap_or_else(|e| panic!("{name}: {e}"));
            assert_eq!(entries, std::slice::from_ref(&function.entry), "{name}");
            for item in inspection.entries.iter().flat_map(|e| e.inputs.iter().chain(&e.outputs)) {
                assert!(
                    !item.kind.is_empty() && !item.ty.is_empty() && !item.llvm.is_empty(),
                    "{name}: {item:?}"
                );
            }
        }
    }
}

airfoil_filetest::harness! {
    all_checks_pass needs(Corpus("apple-air"));
    tool_style_is_rebuilt_byte_for_byte needs(Corpus("apple-air"));
    every_library_is_rebuilt_byte_for_byte needs(Corpus("apple-air"));
    driver_style_is_rewritten needs(Corpus("apple-air"));
    known_contents needs(Corpus("apple-air"));
    damaged_copies needs(Corpus("apple-air"));
    entries_follow_from_modules needs(Corpus("apple-air"));
}
