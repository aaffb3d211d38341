//! Random choices of the mutators, repeatable from the seed that libFuzzer provides (splitmix64).

pub struct Random(u64);

impl Random {
    pub fn new(seed: u32) -> Random {
        Random(seed.into())
    }

    pub fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A value below `n`; 0 if `n` is 0.
    pub fn below(&mut self, n: usize) -> usize {
        (self.word() % n.max(1) as u64) as usize
    }

    #[allow(dead_code, reason = "the mutators of SPIR-V choose indices")]
    pub fn pick<'a, T: ?Sized>(&mut self, list: &[&'a T]) -> &'a T {
        list[self.below(list.len())]
    }
}
