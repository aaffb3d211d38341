//! Prints the AIR that selection produces for a `.foil` file: `select FILE [TARGET [precise|relaxed|fast]]`.

#![allow(clippy::print_stdout, clippy::print_stderr)]

use airfoil_air::select::{FastMathMode, Options, select};
use airfoil_air::validate;

fn main() {
    let mut args = std::env::args().skip(1);
    let file = args.next().expect("a file");
    let mut options = Options::default();
    if let Some(target) = args.next() {
        options.target = target.parse().expect("a target");
    }
    options.fast_math = match args.next().as_deref() {
        Some("precise") => FastMathMode::Precise,
        Some("fast") => FastMathMode::Fast,
        _ => FastMathMode::Relaxed,
    };
    let text = std::fs::read_to_string(&file).expect("a readable file");
    let shader = match airfoil_ir::text::parse(&text) {
        Ok(shader) => shader,
        Err(errors) => {
            errors.iter().for_each(|e| eprintln!("{file}:{e}"));
            std::process::exit(1);
        }
    };
    match select(&shader, &options) {
        Ok(selected) => {
            println!("{}", selected.to_ll());
            println!("; {}", selected.reflection.to_json());
            validate::validate(&selected.module).iter().for_each(|v| eprintln!("{v}"));
        }
        Err(errors) => errors.iter().for_each(|e| eprintln!("{file}: {e}")),
    }
}
