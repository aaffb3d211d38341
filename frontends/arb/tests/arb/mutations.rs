//! Hostile programs: whatever the text, the result is a valid shader or an error, in time that grows linearly.

use crate::backend::SAMPLES;
use airfoil_arb::{Options, Source, read};
use airfoil_ir::validate::validate;
use std::time::Instant;

/// Numbers that look random (xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % n.max(1) as u64) as usize
    }
}

/// Words to insert.
const WORDS: &[&str] = &[
    ";",
    ",",
    ".",
    "[",
    "]",
    "{",
    "}",
    "=",
    "-",
    "+",
    "..",
    "0",
    "1",
    "63",
    "64",
    "65",
    "4096",
    "4294967296",
    "1e999",
    "1e-999",
    ".5",
    "x",
    "xyzw",
    "wwww",
    "rgba",
    "a",
    "t",
    "END",
    "OPTION",
    "ARB_position_invariant",
    "ARB_fog_exp2",
    "ARB_draw_buffers",
    "ARB_fragment_program_shadow",
    "TEMP",
    "PARAM",
    "ADDRESS",
    "ATTRIB",
    "OUTPUT",
    "ALIAS",
    "MOV",
    "ARL",
    "SWZ",
    "TEX",
    "TXP",
    "KIL",
    "LIT",
    "LOG",
    "XPD",
    "vertex",
    "fragment",
    "result",
    "state",
    "program",
    "matrix",
    "mvp",
    "row",
    "light",
    "texture",
    "2D",
    "SHADOW2D",
    "CUBE",
    "env",
    "local",
    "position",
    "color",
    "texcoord",
    "é",
    "\0",
    "#",
    "\n",
    "_SAT",
    "$",
];

fn mutate(text: &str, random: &mut Random) -> String {
    let mut chars: Vec<char> = text.chars().collect();
    for _ in 0..=random.below(4) {
        let at = random.below(chars.len());
        let len = random.below(12).min(chars.len() - at);
        match random.below(5) {
            0 => _ = chars.drain(at..at + len),
            1 => chars.truncate(at),
            2 => {
                let copy = chars[at..at + len].to_vec();
                let to = random.below(chars.len());
                chars.splice(to..to, copy);
            }
            3 => chars[at..at + len].reverse(),
            _ => {
                let word = WORDS[random.below(WORDS.len())].chars();
                chars.splice(at..at, word);
            }
        }
        if chars.is_empty() {
            break;
        }
    }
    chars.into_iter().collect()
}

/// Reads a text; whether it is accepted.
fn is_accepted(text: &str) -> bool {
    match read(&Source { name: "", text }, &Options::default()) {
        Ok(program) => {
            let violations = validate(&program.shader);
            assert!(violations.is_empty(), "{violations:#?}\n{text}");
            true
        }
        Err(errors) => {
            assert!(errors.position <= text.len() && !errors.diagnostics.is_empty(), "{text}");
            assert!(errors.diagnostics.iter().all(|d| !d.message.trim().is_empty()), "{errors}\n{text}");
            false
        }
    }
}

#[test]
fn mutated_programs_do_no_harm() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let mut accepted = 0;
    for _ in 0..20_000 {
        let sample = SAMPLES[random.below(SAMPLES.len())].1;
        accepted += u32::from(is_accepted(&mutate(sample, &mut random)));
    }
    // Some mutations keep programs valid.
    assert!((200..15_000).contains(&accepted), "{accepted} were accepted");
}

#[test]
fn truncated_programs_do_no_harm() {
    for (_, sample) in SAMPLES {
        let end = sample.rfind("END").unwrap();
        for (at, _) in sample.char_indices() {
            assert!(!is_accepted(&sample[..at]) || at > end, "{}", &sample[..at]);
        }
    }
}

#[test]
fn huge_programs_take_linear_time() {
    let time = |text: &str| {
        let start = Instant::now();
        is_accepted(text);
        start.elapsed().as_secs_f64()
    };
    let shapes: [(&str, &str); 8] = [
        ("!!ARBvp1.0\nTEMP a;\n", "MUL a.xy, vertex.texcoord[1].yxzw, program.local[7];\n"),
        ("!!ARBvp1.0\nTEMP a;\n", "MOV a, state.matrix.palette[3].invtrans.row[2];\n"),
        ("!!ARBvp1.0\n", "PARAM p = 1;\n"),
        ("!!ARBvp1.0\nPARAM p[] = { 1", ", 2"),
        ("!!ARBvp1.0\nTEMP a", "[{.;"),
        ("!!ARBvp1.0\n#", "#########"),
        ("!!ARBvp1.0\nPARAM p = ", "1234567890"),
        ("!!ARBvp1.0\nTEMP ", "abcdefghij"),
    ];
    for (head, unit) in shapes {
        let text = |n: usize| format!("{head}{}", unit.repeat(n));
        let (small, large) = (text(4000), text(64_000));
        let few = (0..3).map(|_| time(&small)).fold(f64::MAX, f64::min);
        let many = time(&large);
        // Sixteen times the text; a factor of five and a constant for other load on the machine.
        assert!(many < 80.0 * few + 0.5, "{unit:?}: {few} s and {many} s");
    }
}

#[test]
fn arrays_do_not_exhaust_memory() {
    let arrays: String =
        (0..2000).map(|n| format!("PARAM p{n}[] = {{ program.local[0..4095] }};\n")).collect();
    let text = format!("!!ARBvp1.0\n{arrays}END");
    let errors = read(&Source { name: "", text: &text }, &Options::default()).unwrap_err();
    assert_eq!(errors.diagnostics[0].code, "E1308");
}
