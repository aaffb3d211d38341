//! Unpacking, of hostile streams too: all that is wrong is said, and there is a limit to the size.

use super::{BLOCK, BLOCK_UNIT, END, GROUP, MAGIC, RUN_B, checksum};

/// Longest code.
const LONGEST_CODE: usize = 20;

/// What was in a stream.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unpacked {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// Length of the stream; what follows is no part of it.
    pub size: usize,
}

/// Unpacks a stream whose contents have at most `limit` bytes.
///
/// # Errors
/// What is wrong with it, in words.
pub fn unpack(stream: &[u8], limit: usize) -> Result<Unpacked, String> {
    let level = stream.strip_prefix(&MAGIC).and_then(|rest| rest.first()).copied();
    let Some(level @ b'1'..=b'9') = level else { return Err("this is no bzip2 stream".to_owned()) };
    let most = usize::from(level - b'0') * BLOCK_UNIT;
    let mut bits = Bits { bytes: stream, at: 8 * (MAGIC.len() + 1) };
    let mut out = Vec::new();
    let mut combined = 0u32;
    loop {
        match bits.take(48)? {
            BLOCK => {
                let crc = bits.take(32)? as u32;
                let start = out.len();
                let block = read_block(&mut bits, most)?;
                lengthen_runs(&block, &mut out, limit)?;
                if checksum(&out[start..]) != crc {
                    return Err("the checksum of a block is wrong".to_owned());
                }
                combined = combined.rotate_left(1) ^ crc;
            }
            END => break,
            _ => return Err("there is neither a block nor the end where one has to be".to_owned()),
        }
    }
    if bits.take(32)? as u32 != combined {
        return Err("the checksum of the stream is wrong".to_owned());
    }
    Ok(Unpacked { bytes: out, size: bits.at.div_ceil(8) })
}

/// Bits, the most significant first.
struct Bits<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Bits<'_> {
    fn bit(&mut self) -> Result<usize, String> {
        let byte = self.bytes.get(self.at / 8).ok_or("the stream ends too soon")?;
        let bit = byte >> (7 - self.at % 8) & 1;
        self.at += 1;
        Ok(usize::from(bit))
    }

    /// At most 64 bits.
    fn take(&mut self, count: usize) -> Result<u64, String> {
        (0..count).try_fold(0, |word, _| Ok(word << 1 | self.bit()? as u64))
    }
}

/// The codes of a table: how many there are of each length, and symbols in the order of their codes.
struct Table {
    counts: [u32; LONGEST_CODE + 1],
    symbols: Vec<u16>,
}

impl Table {
    fn read(bits: &mut Bits<'_>, alphabet: usize) -> Result<Table, String> {
        let mut length = bits.take(5)? as usize;
        let mut lengths = Vec::with_capacity(alphabet);
        for _ in 0..alphabet {
            loop {
                if !(1..=LONGEST_CODE).contains(&length) {
                    return Err(format!("a code of {length} bits is not possible"));
                }
                if bits.bit()? == 0 {
                    break;
                }
                // Zero is caught above.
                length = if bits.bit()? == 0 { length + 1 } else { length - 1 };
            }
            lengths.push(length);
        }
        let mut counts = [0; LONGEST_CODE + 1];
        lengths.iter().for_each(|&l| counts[l] += 1);
        let mut symbols: Vec<u16> = (0..alphabet as u16).collect();
        symbols.sort_by_key(|&s| lengths[usize::from(s)]);
        Ok(Table { counts, symbols })
    }

    fn symbol(&self, bits: &mut Bits<'_>) -> Result<u16, String> {
        let (mut code, mut first, mut before) = (0u32, 0u32, 0u32);
        for count in &self.counts[1..] {
            code = code << 1 | bits.bit()? as u32;
            first <<= 1;
            if let Some(at) = code.checked_sub(first).filter(|at| at < count) {
                return Ok(self.symbols[(before + at) as usize]);
            }
            first += count;
            before += count;
        }
        Err("a code that no symbol has".to_owned())
    }
}

/// A block as it was before its rotations were sorted; runs are still shortened.
fn read_block(bits: &mut Bits<'_>, most: usize) -> Result<Vec<u8>, String> {
    if bits.bit()? == 1 {
        return Err("blocks that were made random are not supported".to_owned());
    }
    let origin = bits.take(24)? as usize;
    let used = read_used(bits)?;
    let alphabet = used.len() + 2;
    let tables = bits.take(3)? as usize;
    if !(2..=6).contains(&tables) {
        return Err(format!("{tables} tables are not possible"));
    }
    let selectors = read_selectors(bits, tables)?;
    let tables = (0..tables).map(|_| Table::read(bits, alphabet)).collect::<Result<Vec<_>, _>>()?;
    let last = read_symbols(bits, &selectors, &tables, used, most)?;
    if origin >= last.len() {
        return Err(format!("rotation {origin} of {} does not exist", last.len()));
    }
    Ok(unsorted(&last, origin))
}

/// The bytes that occur.
fn read_used(bits: &mut Bits<'_>) -> Result<Vec<u8>, String> {
    let groups = bits.take(16)?;
    let mut used = Vec::new();
    for group in (0..16u8).filter(|group| groups >> (15 - group) & 1 == 1) {
        let members = bits.take(16)?;
        used.extend((0..16u8).filter(|m| members >> (15 - m) & 1 == 1).map(|m| group * 16 + m));
    }
    if used.is_empty() { Err("a block in which no byte occurs".to_owned()) } else { Ok(used) }
}

/// Which table each group of symbols takes, from places in the list of recent ones.
fn read_selectors(bits: &mut Bits<'_>, tables: usize) -> Result<Vec<usize>, String> {
    let mut recent: Vec<usize> = (0..tables).collect();
    let mut selectors = Vec::new();
    for _ in 0..bits.take(15)? {
        let mut place = 0;
        while bits.bit()? == 1 {
            place += 1;
            if place >= tables {
                return Err(format!("table {place} of {tables} does not exist"));
            }
        }
        recent[..=place].rotate_right(1);
        selectors.push(recent[0]);
    }
    Ok(selectors)
}

/// The last bytes of the sorted rotations.
fn read_symbols(
    bits: &mut Bits<'_>,
    selectors: &[usize],
    tables: &[Table],
    mut recent: Vec<u8>,
    most: usize,
) -> Result<Vec<u8>, String> {
    let end = recent.len() as u16 + 1;
    let mut out = Vec::new();
    // Length of the run of the first place, and the weight of its next digit.
    let (mut run, mut weight) = (0usize, 1usize);
    let mut count = 0;
    loop {
        let table = selectors.get(count / GROUP).ok_or("there are more symbols than groups for them")?;
        count += 1;
        let symbol = tables[*table].symbol(bits)?;
        if symbol <= RUN_B {
            run = run.saturating_add(weight * usize::from(symbol + 1));
            weight = (weight * 2).min(1 << 24);
            if run > most {
                return Err("a run is longer than the block".to_owned());
            }
            continue;
        }
        out.extend(std::iter::repeat_n(recent[0], run));
        (run, weight) = (0, 1);
        if out.len() > most {
            return Err(format!("a block has more than {most} bytes"));
        }
        if symbol == end {
            return Ok(out);
        }
        recent[..usize::from(symbol)].rotate_right(1);
        out.push(recent[0]);
    }
}

/// The bytes whose sorted rotations end with `last`, from the one that rotation `origin` starts with.
fn unsorted(last: &[u8], origin: usize) -> Vec<u8> {
    let mut next_of = [0usize; 256];
    last.iter().for_each(|&byte| next_of[usize::from(byte)] += 1);
    let mut sum = 0;
    for count in &mut next_of {
        sum += std::mem::replace(count, sum);
    }
    let mut follows = vec![0u32; last.len()];
    for (at, &byte) in last.iter().enumerate() {
        let place = &mut next_of[usize::from(byte)];
        follows[*place] = at as u32;
        *place += 1;
    }
    let mut at = origin;
    let mut step = || {
        at = follows[at] as usize;
        last[at]
    };
    (0..last.len()).map(|_| step()).collect()
}

/// Four equal bytes are followed by how many more there are.
fn lengthen_runs(block: &[u8], out: &mut Vec<u8>, limit: usize) -> Result<(), String> {
    let (mut run, mut before) = (0, None);
    for &byte in block {
        if run == 4 {
            let Some(value) = before else { continue };
            out.extend(std::iter::repeat_n(value, usize::from(byte)));
            (run, before) = (0, None);
        } else {
            run = if before == Some(byte) { run + 1 } else { 1 };
            before = Some(byte);
            out.push(byte);
        }
        if out.len() > limit {
            return Err(format!("it unpacks to more than {limit} bytes"));
        }
    }
    Ok(())
}
