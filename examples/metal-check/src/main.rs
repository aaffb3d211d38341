//! Runs the cases of a kit on this Mac and records the results, as `check.swift` does: `cargo run --release -- KIT
//! [NAME...]`.

#[cfg(target_os = "macos")]
mod driver;
#[cfg(target_os = "macos")]
mod render;
#[cfg(target_os = "macos")]
mod runner;

#[cfg(target_os = "macos")]
fn main() -> std::process::ExitCode {
    driver::main()
}

#[cfg(not(target_os = "macos"))]
fn main() -> std::process::ExitCode {
    eprintln!("Metal exists on Apple's systems only");
    std::process::ExitCode::from(2)
}
