//! Mutates SPIR-V by instructions and operands: unlike after mutations of bytes, the result is still a sequence of
//! instructions, so that most inputs get past the first checks of the reader.

use crate::edit_spirv::{HEADER, edit, instructions};
use crate::random::Random;

fn read(bytes: &[u8]) -> Vec<u32> {
    bytes.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect()
}

/// Writes as many whole words as there is room for; returns the length in bytes.
fn write(words: &[u32], out: &mut [u8]) -> usize {
    for (chunk, word) in out.chunks_exact_mut(4).zip(words) {
        chunk.copy_from_slice(&word.to_le_bytes());
    }
    words.len().min(out.len() / 4) * 4
}

/// Changes a module; returns the new length in bytes.
pub fn mutate(data: &mut [u8], size: usize, max_size: usize, seed: u32) -> usize {
    let mut random = Random::new(seed);
    let mut words = read(&data[..size]);
    if words.len() <= HEADER || random.below(100) == 0 {
        return libfuzzer_sys::fuzzer_mutate(data, size, max_size);
    }
    for _ in 0..=random.below(8) / 6 {
        edit(&mut random, &mut words);
    }
    write(&words, &mut data[..max_size])
}

/// Joins two modules: instructions of one among those of the other.
pub fn cross(one: &[u8], other: &[u8], out: &mut [u8], seed: u32) -> usize {
    let mut random = Random::new(seed);
    let (mut words, other) = (read(one), read(other));
    let (list, from) = (instructions(&words), instructions(&other));
    if !list.is_empty() && !from.is_empty() {
        let first = random.below(from.len());
        let last = (first + random.below(4)).min(from.len() - 1);
        let at = list[random.below(list.len())].start;
        words.splice(at..at, other[from[first].start..from[last].end].iter().copied());
    }
    write(&words, out)
}
