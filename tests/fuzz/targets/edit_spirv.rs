//! Edits SPIR-V by instructions and operands: the result is still a sequence of instructions.

use crate::random::Random;
use std::ops::Range;

/// Words before the first instruction: magic number, version, generator, bound, schema (SPIR-V section 2.3).
pub const HEADER: usize = 5;

/// The header word that holds the bound of all ids.
const BOUND: usize = 3;

/// Operands at the edges of their ranges.
const EDGES: [u32; 20] = [
    0,
    1,
    2,
    3,
    4,
    7,
    8,
    16,
    31,
    32,
    33,
    64,
    255,
    256,
    0xffff,
    0x1_0000,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_fffe,
    0xffff_ffff,
];

/// The ranges of instructions, up to the first malformed one.
pub fn instructions(words: &[u32]) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut at = HEADER;
    while let Some(&first) = words.get(at) {
        let end = at + (first >> 16) as usize;
        if end == at || end > words.len() {
            break;
        }
        found.push(at..end);
        at = end;
    }
    found
}

fn opcode(words: &[u32], instruction: &Range<usize>) -> u32 {
    words[instruction.start] & 0xffff
}

/// Another value for one operand.
fn operand(random: &mut Random, words: &mut [u32], list: &[Range<usize>], target: &Range<usize>) {
    if target.len() < 2 {
        return;
    }
    let position = 1 + random.below(target.len() - 1);
    let alike: Vec<u32> = list
        .iter()
        .filter(|other| opcode(words, other) == opcode(words, target) && other.len() > position)
        .map(|other| words[other.start + position])
        .collect();
    let word = &mut words[target.start + position];
    match random.below(8) {
        0..=2 => *word = alike[random.below(alike.len())],
        3 => *word = word.wrapping_add(1),
        4 => *word = word.wrapping_sub(1),
        5 => *word ^= 1 << random.below(32),
        6 => *word = EDGES[random.below(EDGES.len())],
        _ => {
            let bound = words[BOUND].clamp(1, 1 << 16);
            words[target.start + position] = random.below(bound as usize) as u32;
        }
    }
}

/// One change of a module that has instructions.
pub fn edit(random: &mut Random, words: &mut Vec<u32>) {
    let list = instructions(words);
    if list.is_empty() {
        return;
    }
    let index = random.below(list.len());
    let target = list[index].clone();
    match random.below(16) {
        0 => drop(words.drain(target)),
        1 | 2 => {
            // A copy elsewhere, mostly with a result that nothing else has: the id is the second or third word.
            let mut copy = words[list[random.below(list.len())].clone()].to_vec();
            if random.below(4) != 0 && copy.len() > 2 {
                let result = 1 + random.below(2);
                copy[result] = words[BOUND];
                words[BOUND] = words[BOUND].saturating_add(1);
            }
            words.splice(target.start..target.start, copy);
        }
        3 => {
            // Exchange neighbours.
            if let Some(next) = list.get(index + 1) {
                words[target.start..next.end].rotate_left(target.len());
            }
        }
        4 | 5 => {
            // The opcode of another instruction of this length.
            let alike: Vec<u32> =
                list.iter().filter(|other| other.len() == target.len()).map(|o| opcode(words, o)).collect();
            let other = if random.below(4) == 0 {
                random.below(500) as u32
            } else {
                alike[random.below(alike.len())]
            };
            words[target.start] = words[target.start] & !0xffff | other;
        }
        6 => {
            // One operand more or less.
            let more = random.below(2) == 0;
            if more {
                words.insert(target.end, EDGES[random.below(EDGES.len())]);
            } else if target.len() > 1 {
                words.remove(target.end - 1);
            } else {
                return;
            }
            words[target.start] = if more {
                words[target.start].wrapping_add(1 << 16)
            } else {
                words[target.start] - (1 << 16)
            };
        }
        7 => {
            // Exchange two operands.
            if target.len() > 2 {
                let (a, b) = (1 + random.below(target.len() - 1), 1 + random.below(target.len() - 1));
                words.swap(target.start + a, target.start + b);
            }
        }
        8 if random.below(8) == 0 => {
            let word = random.below(HEADER);
            words[word] ^= 1 << random.below(32);
        }
        _ => operand(random, words, &list, &target),
    }
}
