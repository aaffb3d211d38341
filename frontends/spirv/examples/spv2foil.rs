//! Prints a module as `.foil` text, or measures reading with `--time` over files.
#![allow(clippy::print_stdout, clippy::print_stderr)]

use airfoil_spirv_in::{Options, from_bytes, read};
use std::time::Instant;

fn main() {
    let mut args: Vec<String> = std::env::args().skip(1).collect();
    let time = args.first().is_some_and(|a| a == "--time");
    if time {
        args.remove(0);
    }
    let modules: Vec<Vec<u32>> =
        args.iter().filter_map(|f| from_bytes(&std::fs::read(f).ok()?).ok()).collect();
    if time {
        let words: usize = modules.iter().map(Vec::len).sum();
        let mut best = f64::MAX;
        for _ in 0..50 {
            let start = Instant::now();
            for m in &modules {
                std::hint::black_box(read(m, &Options::default()).is_ok());
            }
            best = best.min(start.elapsed().as_secs_f64());
        }
        let n = modules.len().max(1);
        println!(
            "{n} modules of {} bytes on average: {:.1} us each, {:.1} ns a word",
            words * 4 / n,
            best * 1e6 / n as f64,
            best * 1e9 / words.max(1) as f64
        );
        return;
    }
    for m in &modules {
        match read(m, &Options::default()) {
            Ok(shader) => println!("{}", airfoil_ir::text::print(&shader)),
            Err(e) => e.iter().for_each(|e| eprintln!("{e}")),
        }
    }
}
