//! How many threads a core of an Apple GPU executes at once, by the registers that each takes.
//!
//! Source: the steps that Mesa's compiler for the M1 and M2 (`src/asahi/compiler`, Alyssa Rosenzweig) found by measurement. A register
//! there has 16 bits. The compiler of Metal allocates registers by itself, so the peak of live values is a lower bound of the
//! registers, and the threads are an upper bound.

/// Registers of 16 bits of a thread, and the most threads of a core with so many.
const STEPS: [(u64, u64); 10] = [
    (104, 1024),
    (112, 896),
    (128, 832),
    (136, 768),
    (144, 704),
    (160, 640),
    (184, 576),
    (208, 512),
    (232, 448),
    (256, 384),
];

/// The most threads of a core whose shader takes so many registers of 16 bits; the last step for more than 256, which spill.
pub fn threads(registers: u64) -> u64 {
    let step = STEPS.iter().find(|step| registers <= step.0).unwrap_or(&STEPS[STEPS.len() - 1]);
    step.1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fewer_registers_allow_more_threads() {
        assert_eq!([0, 104, 105, 256, 1000].map(threads), [1024, 1024, 896, 384, 384]);
        assert!(STEPS.windows(2).all(|w| w[0].0 < w[1].0 && w[0].1 > w[1].1));
    }
}
