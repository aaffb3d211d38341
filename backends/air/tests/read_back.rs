//! Bitcode that is read back: modules by the writer unchanged, Apple's so that LLVM sees no difference after they have
//! been written again.
//!
//! Apple's files and LLVM's tools are not part of the project; tests that need a missing one are ignored.

mod apple;
mod llvm;
mod support;

use airfoil_air::metallib;
use airfoil_air::module::{Linkage, Module, TypeId};
use airfoil_air::{bitcode, ll};
use llvm::{Folder, assert_same, run, unname};
use std::path::Path;
use std::process::Command;

/// A local array whose size is an argument, as in Apple's modules for AIR 2.8.
fn local_array() -> Module {
    let mut m = Module::new("array", support::TRIPLE);
    let f = m.define("array", TypeId::VOID, &[TypeId::I32], Linkage::Internal);
    let mut b = m.build(f);
    let entry = b.block();
    b.start(entry);
    let n = b.arg(0);
    let slot = b.alloca_array(TypeId::FLOAT, n, 4);
    let zero = b.module.float(0.0);
    b.store(zero, slot, 4);
    b.ret_void();
    m
}

fn own_modules() -> [(&'static str, Module); 4] {
    [
        ("local array", local_array()),
        ("empty", Module::new("empty", support::TRIPLE)),
        ("fragment", support::fragment(12)),
        ("kernel", support::kernel()),
    ]
}

fn own_modules_come_back() {
    for (name, module) in own_modules() {
        for bytes in [bitcode::write(&module), bitcode::write_wrapped(&module)] {
            let back = bitcode::read(&bytes).unwrap_or_else(|e| panic!("{name}: {e}"));
            assert_same(&ll::print(&module), &ll::print(&back), name);
        }
    }
}

/// All of Apple's modules in binary form.
fn apple_modules() -> Vec<(String, Vec<u8>)> {
    let mut modules = Vec::new();
    for (name, path) in apple::files(&["metallib", "air"]) {
        let bytes = std::fs::read(&path).expect("file");
        if name.ends_with(".air") {
            modules.push((name, bytes));
            continue;
        }
        let library = metallib::read(&bytes).unwrap_or_else(|e| panic!("{name}: {e}"));
        for function in &library.functions {
            modules.push((format!("{name}.{}", function.entry.name), function.entry.bitcode.to_vec()));
        }
    }
    modules
}

/// LLVM's text of a file without the parts that may differ.
fn llvm_text(file: &Path) -> String {
    let text = run(Command::new("llvm-dis-14").args(["-o", "-"]).arg(file));
    // Without a source file name, LLVM uses the name of the file.
    let differs = |line: &str| line.starts_with("; ModuleID") || line.contains("airfoil-apple-");
    text.lines().filter(|line| !differs(line)).flat_map(|line| [line, "\n"]).collect()
}

/// A module that is read, written again, and printed, is the same to LLVM.
fn check(folder: &Folder, name: &str, bytes: &[u8]) {
    let module = bitcode::read(bytes).unwrap_or_else(|e| panic!("{name}: {e}"));
    let original = llvm_text(&folder.write("original.bc", bytes));
    let again = bitcode::write_wrapped(&module);
    assert_same(&original, &llvm_text(&folder.write("again.bc", &again)), &format!("{name}, written again"));
    let text = folder.write("again.ll", ll::print(&module).as_bytes());
    let assembled = folder.0.join("assembled.bc");
    run(Command::new("llvm-as-14").arg(&text).arg("-o").arg(&assembled));
    assert_same(&unname(&original), &unname(&llvm_text(&assembled)), &format!("{name}, as text"));
    let third = bitcode::read(&again).unwrap_or_else(|e| panic!("{name}, written again: {e}"));
    assert_same(&ll::print(&module), &ll::print(&third), &format!("{name}, read again"));
}

fn apples_modules_are_the_same_to_llvm() {
    let folder = Folder::new("apple-bitcode");
    for (name, bytes) in apple_modules() {
        check(&folder, &name, &bytes);
    }
}

fn apples_texts_are_the_same_to_llvm() {
    let folder = Folder::new("apple-texts");
    for (name, path) in apple::files(&["ll"]) {
        let file = folder.0.join("assembled-original.bc");
        run(Command::new("llvm-as-14").arg(&path).arg("-o").arg(&file));
        check(&folder, &name, &std::fs::read(&file).expect("assembled file"));
    }
}

/// Truncated or changed files are rejected or read, without panics.
fn damaged_files_are_refused_in_words() {
    let mut refused = 0;
    for (name, module) in own_modules() {
        let bytes = bitcode::write_wrapped(&module);
        for size in (0..bytes.len()).step_by(7) {
            if let Err(error) = bitcode::read(&bytes[..size]) {
                assert!(error.offset <= size as u64, "{name}: {error}");
                refused += 1;
            }
        }
        let mut copy = bytes.clone();
        for at in 20..bytes.len() {
            for bit in [1, 0x10, 0x80] {
                copy[at] = bytes[at] ^ bit;
                match bitcode::read(&copy) {
                    Ok(module) => drop(ll::print(&module)),
                    Err(error) => {
                        assert!(error.offset <= bytes.len() as u64 && !error.message.is_empty(), "{name}");
                        refused += 1;
                    }
                }
            }
            copy[at] = bytes[at];
        }
    }
    assert!(refused > 1000, "{refused}");
}

airfoil_filetest::harness! {
    own_modules_come_back;
    apples_modules_are_the_same_to_llvm needs(Tool("llvm-as-14"), Tool("llvm-dis-14"), Corpus("apple-air"));
    apples_texts_are_the_same_to_llvm needs(Tool("llvm-as-14"), Tool("llvm-dis-14"), Corpus("apple-air"));
    damaged_files_are_refused_in_words;
}
