//! Hashes that seeded values are derived from.

/// Mixes two words.
pub(crate) fn mix(a: u64, b: u64) -> u64 {
    let mut x = a.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(b ^ 0x1234_5678_9abc_def1);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// Mixes the bytes of a text.
pub(crate) fn mix_text(seed: u64, text: &str) -> u64 {
    text.bytes().fold(mix(seed, text.len() as u64), |h, b| mix(h, u64::from(b)))
}

/// A float between 0 and 1.
pub(crate) fn unit(hash: u64) -> f64 {
    (hash >> 40) as f64 / (1u64 << 24) as f64
}
