//! Time of selection and of writing a library: of the given shaders, else of one with about 180 instructions.
//!
//! `[ROUNDS=n] select_speed [FILE.foil…]`; the best of the rounds counts.

#![allow(clippy::print_stdout)]

use airfoil_air::select::{Options, select};
use std::hint::black_box;
use std::time::Instant;

/// A fragment function of `rounds` rounds of vector arithmetic, uniform reads and a branch.
fn shader(rounds: usize) -> String {
    let mut code = String::new();
    let mut last = "%v".to_owned();
    for r in 0..rounds {
        code += &format!(
            "32x1 %k{r} = const {}\n32x4 %u{r} = load_ubo %b, %k{r} align=16\n%a{r} = fmul {last}, %u{r}\n%c{r} = fadd %a{r}, %v\n%d{r} = fdot3 %c{r}.xyz, %u{r}.yzw\n%e{r} = fmax %d{r}, %fzero\n%f{r} = fsqrt %e{r}\n%g{r} = fmul %c{r}, %f{r}\n%h{r} = vec4 %g{r}.x, %e{r}, %g{r}.y, %f{r}\n%uv{r} = mov %h{r}.xy\n32x4 %t{r} = tex 2d float32 texture=%t sampler=%t coord=%uv{r}\n%r{r} = fadd %t{r}, %h{r}\n",
            r % 8 * 16
        );
        last = format!("%r{r}");
    }
    format!(
        "foil 1\nshader fragment \"f\" {{\n  form target\n  in vec4 v location=0\n  out vec4 color location=0\n  ubo U {{ vec4[8 stride=16] a @0 }} u set=0 binding=0\n  uniform sampled(2d float32) t set=0 binding=1\n  entry fn main {{\n    32x1 %zero = const 0\n    32x1 %fzero = const 0.0\n    %bary = load_barycentric_pixel\n    32x4 %v = load_interpolated_input %bary, %zero io=0 dest_type=float32\n    %b = deref_var &u\n    %t = deref_var &t\n{code}    store_output {last}, %zero io=0 src_type=float32\n  }}\n}}\n"
    )
}

fn main() {
    let files: Vec<String> = std::env::args().skip(1).collect();
    let texts: Vec<String> = match files.is_empty() {
        true => vec![shader(15)],
        false => files.iter().map(|f| std::fs::read_to_string(f).expect("a readable file")).collect(),
    };
    let shaders: Vec<_> = texts.iter().map(|text| airfoil_ir::text::parse(text).expect("a shader")).collect();
    let rounds: usize = std::env::var("ROUNDS").ok().and_then(|n| n.parse().ok()).unwrap_or(200);
    let options = Options::default();
    let instrs: usize = shaders.iter().map(|s| s.num_instrs()).sum();
    let (mut selection, mut writing, mut bytes) = (0.0, 0.0, 0);
    for shader in &shaders {
        let mut best = (f64::MAX, f64::MAX);
        for _ in 0..rounds {
            let start = Instant::now();
            let selected = select(shader, &options).expect("selected");
            best.0 = best.0.min(start.elapsed().as_secs_f64());
            let start = Instant::now();
            let library = black_box(selected.to_metallib(&options).expect("written"));
            best.1 = best.1.min(start.elapsed().as_secs_f64());
            bytes += library.len();
        }
        (selection, writing) = (selection + best.0, writing + best.1);
    }
    let us = 1e6 / shaders.len() as f64;
    println!(
        "{} shaders, {} instructions each: selection {:.1} us, library {:.1} us, {} bytes",
        shaders.len(),
        instrs / shaders.len(),
        selection * us,
        writing * us,
        bytes / rounds
    );
}
