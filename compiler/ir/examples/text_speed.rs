//! Time that printing and parsing take, in nanoseconds per instruction: `cargo run --release --example text_speed`.

use airfoil_ir::{generate, text};
use std::hint::black_box;
use std::time::Instant;

fn main() {
    // Many middle-sized shaders, and one large.
    for (count, instrs) in [(200u64, 300u32), (1, 200_000)] {
        let options = generate::Options { instrs, functions: 0, ..Default::default() };
        let shaders: Vec<_> = (0..count).map(|seed| generate::from_seed(seed, &options)).collect();
        let texts: Vec<String> = shaders.iter().map(text::print).collect();
        let total: usize = shaders.iter().map(|s| s.num_instrs()).sum();
        let bytes: usize = texts.iter().map(String::len).sum();
        let (mut print, mut parse) = (f64::MAX, f64::MAX);
        for _ in 0..15 {
            let start = Instant::now();
            shaders.iter().for_each(|s| _ = black_box(text::print(s)));
            print = print.min(start.elapsed().as_secs_f64());
            let start = Instant::now();
            texts.iter().for_each(|t| _ = black_box(text::parse(t).is_ok()));
            parse = parse.min(start.elapsed().as_secs_f64());
        }
        let ns = 1e9 / total as f64;
        let line = format!(
            "{count} shaders, {total} instructions, {bytes} bytes: print {:.0}, parse {:.0} ns per instruction",
            print * ns,
            parse * ns
        );
        let _ = std::io::Write::write_all(&mut std::io::stdout(), format!("{line}\n").as_bytes());
    }
}
