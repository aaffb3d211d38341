//! Functions of Apple's compiler, executed from its own libraries.

#[cfg(any(feature = "llvm14", feature = "llvm19"))]
#[path = "apple/functions.rs"]
mod functions;

fn main() -> std::process::ExitCode {
    #[cfg(any(feature = "llvm14", feature = "llvm19"))]
    return functions::main();
    #[cfg(not(any(feature = "llvm14", feature = "llvm19")))]
    airfoil_filetest::harness::run(vec![airfoil_filetest::harness::skipped(
        "functions",
        "no feature llvm14 or llvm19",
    )])
}
