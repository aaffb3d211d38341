//! The output of this crate is read by LLVM 5 and LLVM 14, and bitcode and text are equivalent.
//!
//! The tools are found in `PATH` (`llvm-as-14`, `llvm-dis-14`, `opt-14`) and by `AIRFOIL_OLDREAD` or in
//! `../shared/tools/oldread.py` beside the workspace; tests that need a missing one are ignored.

mod llvm;
mod support;

use airfoil_air::module::Module;
use airfoil_air::{bitcode, ll};
use llvm::{Folder, assert_same, oldread, run, unname};
use std::path::Path;
use std::process::Command;

fn modules() -> Vec<(&'static str, Module)> {
    vec![
        ("empty", Module::new("empty", support::TRIPLE)),
        ("fragment", support::fragment(12)),
        ("kernel", support::kernel()),
    ]
}

fn llvm_5_reads_bitcode_and_text() {
    let tool = oldread();
    let folder = Folder::new("llvm5");
    for (name, module) in modules() {
        let files = [
            folder.write(&format!("{name}.bc"), &bitcode::write(&module)),
            folder.write(&format!("{name}.wrapped.bc"), &bitcode::write_wrapped(&module)),
            folder.write(&format!("{name}.ll"), ll::print(&module).as_bytes()),
        ];
        let texts = files.map(|file| run(Command::new("python3").arg(&tool).args(["-v", "5"]).arg(&file)));
        let [bare, wrapped, text] = texts.map(|text| unname(&text));
        assert_same(&bare, &wrapped, &format!("{name}: bare and wrapped bitcode"));
        assert_same(&bare, &text, &format!("{name}: bitcode and text"));
    }
}

fn llvm_14_reads_bitcode_and_text_alike() {
    let folder = Folder::new("llvm14");
    for (name, module) in modules() {
        let bc = folder.write(&format!("{name}.bc"), &bitcode::write_wrapped(&module));
        let text = folder.write(&format!("{name}.ll"), ll::print(&module).as_bytes());
        let assembled = folder.0.join(format!("{name}.as.bc"));
        run(Command::new("llvm-as-14").arg(&text).arg("-o").arg(&assembled));
        for file in [&bc, &assembled] {
            let verify = ["-passes=verify", "-mtriple=x86_64-unknown-linux-gnu", "-disable-output"];
            run(Command::new("opt-14").args(verify).arg(file));
        }
        let dis = |file: &Path| unname(&run(Command::new("llvm-dis-14").arg(file).args(["-o", "-"])));
        assert_same(&dis(&bc), &dis(&assembled), name);
    }
}

/// Lazy readers, Metal's among them, find bodies by the offsets of the symbol table alone.
fn bodies_are_found_by_their_offsets() {
    let folder = Folder::new("lazy");
    let file = folder.write("kernel.bc", &bitcode::write_wrapped(&support::kernel()));
    for (name, instruction) in [("kernel", "phi float"), ("helper", "switch i32")] {
        let text = run(Command::new("llvm-extract-14").args(["-func", name, "-S"]).arg(&file));
        assert!(text.contains(instruction), "{name}: {text}");
    }
}

fn output_is_deterministic() {
    for ((name, a), (_, b)) in modules().into_iter().zip(modules()) {
        assert_eq!(bitcode::write(&a), bitcode::write(&b), "{name}");
        assert_eq!(ll::print(&a), ll::print(&b), "{name}");
    }
}

fn the_wrapper_gives_place_and_size() {
    let module = support::kernel();
    let (bare, wrapped) = (bitcode::write(&module), bitcode::write_wrapped(&module));
    assert!(wrapped.len().is_multiple_of(16));
    let word = |at: usize| u32::from_le_bytes(wrapped[at..at + 4].try_into().expect("four bytes"));
    assert_eq!((word(0), word(4), word(8), word(16)), (0x0b17_c0de, 0, 20, u32::MAX));
    assert_eq!(word(12) as usize, bare.len());
    assert_eq!(&wrapped[20..20 + bare.len()], bare);
    assert!(wrapped[20 + bare.len()..].iter().all(|&b| b == 0));
}

airfoil_filetest::harness! {
    llvm_5_reads_bitcode_and_text needs(Tool("python3"), Shared("tools/oldread.py", "AIRFOIL_OLDREAD"));
    llvm_14_reads_bitcode_and_text_alike needs(Tool("llvm-as-14"), Tool("llvm-dis-14"), Tool("opt-14"));
    bodies_are_found_by_their_offsets needs(Tool("llvm-extract-14"));
    output_is_deterministic;
    the_wrapper_gives_place_and_size;
}
