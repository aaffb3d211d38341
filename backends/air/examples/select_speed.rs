//! Time of selection for a shader of about 180 instructions, and of writing it: `select_speed [FILE]`.

#![allow(clippy::print_stdout)]

use airfoil_air::bitcode;
use airfoil_air::select::{Options, select};
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
    let text = match std::env::args().nth(1) {
        Some(file) => std::fs::read_to_string(file).expect("a readable file"),
        None => shader(15),
    };
    let shader = airfoil_ir::text::parse(&text).expect("a shader");
    let options = Options::default();
    let instrs = shader.num_instrs();
    const ROUNDS: u32 = 3000;
    let mut best = (f64::MAX, f64::MAX);
    for _ in 0..10 {
        let start = Instant::now();
        let mut bytes = 0;
        for _ in 0..ROUNDS / 10 {
            bytes += select(&shader, &options).expect("selected").reflection.entry.len();
        }
        let selection = start.elapsed().as_secs_f64() * 1e6 / f64::from(ROUNDS / 10);
        let selected = select(&shader, &options).expect("selected");
        let start = Instant::now();
        for _ in 0..ROUNDS / 10 {
            bytes += bitcode::write(&selected.module).len();
        }
        let writing = start.elapsed().as_secs_f64() * 1e6 / f64::from(ROUNDS / 10);
        assert!(bytes > 0);
        best = (best.0.min(selection), best.1.min(writing));
    }
    println!("{instrs} instructions: selection {:.1} us, bitcode {:.1} us", best.0, best.1);
}
