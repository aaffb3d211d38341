//! Packing. One Huffman table is made for a block and written twice, the least that the format allows.

use super::{BLOCK, BLOCK_UNIT, END, GROUP, MAGIC, RUN_A, RUN_B, checksum, codes};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Blocks have 900 kB; a little less so that a run always fits in.
const BLOCK_SIZE: usize = 9 * BLOCK_UNIT - 19;
/// Longest run that is shortened at once.
const LONGEST_RUN: usize = 255;
/// Longest code that is written; readers take 20 bits.
const LONGEST_CODE: u8 = 17;

/// Packs bytes into a stream.
pub fn pack(bytes: &[u8]) -> Vec<u8> {
    let mut bits = Bits { out: Vec::with_capacity(bytes.len() / 3 + 64), word: 0, filled: 0 };
    bits.out.extend_from_slice(&MAGIC);
    bits.out.push(b'9');
    let mut rest = bytes;
    let mut combined = 0u32;
    while !rest.is_empty() {
        let (runs, taken) = shorten_runs(rest);
        let (block, after) = rest.split_at(taken);
        rest = after;
        let crc = checksum(block);
        combined = combined.rotate_left(1) ^ crc;
        bits.put(BLOCK, 48);
        bits.put(u64::from(crc), 32);
        write_block(&mut bits, &runs);
    }
    bits.put(END, 48);
    bits.put(u64::from(combined), 32);
    bits.finish()
}

/// Bits, the most significant first.
struct Bits {
    out: Vec<u8>,
    word: u64,
    filled: u32,
}

impl Bits {
    /// Writes the lowest `count` bits, at most 48.
    fn put(&mut self, value: u64, count: u32) {
        self.word = self.word << count | (value & ((1 << count) - 1));
        self.filled += count;
        while self.filled >= 8 {
            self.filled -= 8;
            self.out.push((self.word >> self.filled) as u8);
        }
    }

    fn finish(mut self) -> Vec<u8> {
        if self.filled > 0 {
            self.put(0, 8 - self.filled);
        }
        self.out
    }
}

/// Four equal bytes are followed by how many more there are. Gives a block, and how many bytes went into it.
fn shorten_runs(bytes: &[u8]) -> (Vec<u8>, usize) {
    let mut out = Vec::with_capacity(bytes.len().min(BLOCK_SIZE) + 8);
    let mut at = 0;
    while at < bytes.len() && out.len() + 5 <= BLOCK_SIZE {
        let byte = bytes[at];
        let run = bytes[at..].iter().take(LONGEST_RUN).take_while(|&&b| b == byte).count();
        out.extend(std::iter::repeat_n(byte, run.min(4)));
        if run >= 4 {
            out.push((run - 4) as u8);
        }
        at += run;
    }
    (out, at)
}

fn write_block(bits: &mut Bits, block: &[u8]) {
    let (last, origin) = last_of_rotations(block);
    // It was not made random, which no writer does any more.
    bits.put(0, 1);
    bits.put(origin as u64, 24);
    let mut used = [false; 256];
    last.iter().for_each(|&byte| used[usize::from(byte)] = true);
    write_used(bits, &used);
    let recent: Vec<u8> = (0..=255u8).filter(|&byte| used[usize::from(byte)]).collect();
    let end = recent.len() as u16 + 1;
    let symbols = symbols_of(&last, recent, end);
    let lengths = code_lengths(&symbols, usize::from(end) + 1);
    let groups = symbols.len().div_ceil(GROUP);
    // Two tables, of which all groups take the first.
    bits.put(2, 3);
    bits.put(groups as u64, 15);
    (0..groups).for_each(|_| bits.put(0, 1));
    for _ in 0..2 {
        write_lengths(bits, &lengths);
    }
    let codes = codes(&lengths);
    for &symbol in &symbols {
        let symbol = usize::from(symbol);
        bits.put(u64::from(codes[symbol]), u32::from(lengths[symbol]));
    }
}

/// The last bytes of the sorted rotations, and which of these is the block itself. Sorts by 1, 2, 4, ... bytes in turn,
/// which takes n log^2 n steps whatever the bytes are.
fn last_of_rotations(block: &[u8]) -> (Vec<u8>, usize) {
    let n = block.len();
    let mut order: Vec<u32> = (0..n as u32).collect();
    let mut rank: Vec<u32> = block.iter().map(|&byte| u32::from(byte)).collect();
    let mut next = vec![0u32; n];
    let mut known = 1;
    order.sort_unstable_by_key(|&at| rank[at as usize]);
    while known < 2 * n {
        let key = |at: u32| {
            let behind = (at as usize + known) % n;
            (rank[at as usize], rank[behind])
        };
        order.sort_unstable_by_key(|&at| key(at));
        let mut current = 0;
        for pair in 0..n {
            if pair > 0 && key(order[pair - 1]) != key(order[pair]) {
                current = pair as u32;
            }
            next[order[pair] as usize] = current;
        }
        let told_apart = order.windows(2).all(|pair| next[pair[0] as usize] != next[pair[1] as usize]);
        std::mem::swap(&mut rank, &mut next);
        if told_apart {
            break;
        }
        known *= 2;
    }
    let last = order.iter().map(|&at| block[(at as usize + n - 1) % n]).collect();
    // Equal rotations are all the block itself.
    (last, order.iter().position(|&at| at == 0).unwrap_or(0))
}

/// Which bytes occur: 16 bits for the groups of 16, then 16 bits for each group that has some.
fn write_used(bits: &mut Bits, used: &[bool; 256]) {
    let groups = used.chunks(16);
    for group in groups.clone() {
        bits.put(u64::from(group.contains(&true)), 1);
    }
    for group in groups.filter(|group| group.contains(&true)) {
        group.iter().for_each(|&used| bits.put(u64::from(used), 1));
    }
}

/// Places in the list of recent bytes, runs of the first place as numbers, and the end.
fn symbols_of(bytes: &[u8], mut recent: Vec<u8>, end: u16) -> Vec<u16> {
    let mut symbols = Vec::with_capacity(bytes.len() / 2 + 1);
    let mut zeros = 0usize;
    let flush = |symbols: &mut Vec<u16>, zeros: &mut usize| {
        while *zeros > 0 {
            symbols.push(if *zeros % 2 == 1 { RUN_A } else { RUN_B });
            *zeros = (*zeros - 1) / 2;
        }
    };
    for &byte in bytes {
        let place = recent.iter().position(|&r| r == byte).unwrap_or(0);
        if place == 0 {
            zeros += 1;
            continue;
        }
        flush(&mut symbols, &mut zeros);
        recent[..=place].rotate_right(1);
        symbols.push(place as u16 + 1);
    }
    flush(&mut symbols, &mut zeros);
    symbols.push(end);
    symbols
}

/// Lengths of Huffman codes. Where one would be too long, frequencies are brought closer together.
fn code_lengths(symbols: &[u16], count: usize) -> Vec<u8> {
    let mut frequency = vec![0u32; count];
    symbols.iter().for_each(|&symbol| frequency[usize::from(symbol)] += 1);
    // Each symbol needs a code, used or not.
    frequency.iter_mut().for_each(|f| *f = (*f).max(1));
    loop {
        let lengths = huffman(&frequency);
        if lengths.iter().all(|&length| length <= LONGEST_CODE) {
            return lengths;
        }
        frequency.iter_mut().for_each(|f| *f = *f / 2 + 1);
    }
}

/// Depths of the leaves of Huffman's tree; there are at least two.
fn huffman(frequency: &[u32]) -> Vec<u8> {
    let leaves = frequency.len();
    let mut parent = vec![0usize; 2 * leaves - 1];
    let mut heap: BinaryHeap<_> =
        frequency.iter().enumerate().map(|(leaf, &f)| Reverse((u64::from(f), leaf))).collect();
    let mut node = leaves;
    while let (Some(Reverse((f, a))), Some(Reverse((g, b)))) = (heap.pop(), heap.pop()) {
        (parent[a], parent[b]) = (node, node);
        heap.push(Reverse((f + g, node)));
        node += 1;
        if node == parent.len() {
            break;
        }
    }
    // Parents have higher numbers than their children.
    let mut depth = vec![0u8; parent.len()];
    for node in (0..parent.len() - 1).rev() {
        depth[node] = depth[parent[node]].saturating_add(1);
    }
    depth.truncate(leaves);
    depth
}

/// Lengths as steps from one to the next.
fn write_lengths(bits: &mut Bits, lengths: &[u8]) {
    let mut current = lengths[0];
    bits.put(u64::from(current), 5);
    for &length in lengths {
        while current != length {
            let up = current < length;
            bits.put(if up { 0b10 } else { 0b11 }, 2);
            current = if up { current + 1 } else { current - 1 };
        }
        bits.put(0, 1);
    }
}
