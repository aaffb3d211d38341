//! Bit-level reader of the LLVM bitstream: numbers, abbreviations, records, blocks.
//!
//! Format: <https://llvm.org/docs/BitCodeFormat.html>. Every length is held against the bits that are left before
//! anything is allocated, so the memory of a record is bounded by the size of the file.

use crate::metallib::ReadError;
use std::rc::Rc;

/// Abbreviation ids that every block has.
const END_BLOCK: u64 = 0;
const ENTER_SUBBLOCK: u64 = 1;
const DEFINE_ABBREV: u64 = 2;
const UNABBREV_RECORD: u64 = 3;
const FIRST_ABBREV: u64 = 4;
/// Widest abbreviation id that readers take.
const MAX_ID_WIDTH: u64 = 32;

/// Position and bounds in a bitstream.
#[derive(Clone, Copy)]
pub(super) struct Bits<'a> {
    bytes: &'a [u8],
    /// Where `bytes` start in the file.
    base: usize,
    position: u64,
    end: u64,
}

impl<'a> Bits<'a> {
    /// A stream over `bytes`, which start at `base` in the file.
    pub(super) fn new(bytes: &'a [u8], base: usize) -> Self {
        Bits { bytes, base, position: 0, end: bytes.len() as u64 * 8 }
    }

    /// An error at the current position.
    pub(super) fn error(&self, message: impl Into<String>) -> ReadError {
        self.error_at(self.position, message)
    }

    fn error_at(&self, position: u64, message: impl Into<String>) -> ReadError {
        ReadError { offset: self.place(position), message: message.into() }
    }

    /// Offset in the file of a bit.
    fn place(&self, position: u64) -> u64 {
        self.base as u64 + position / 8
    }

    pub(super) fn left(&self) -> u64 {
        self.end - self.position
    }

    /// A number of `width` bits, at most 64.
    #[inline]
    pub(super) fn fixed(&mut self, width: u32) -> Result<u64, ReadError> {
        if u64::from(width) > self.left() {
            return Err(self.error(format!("{width} bits needed, {} left", self.left())));
        }
        if width == 0 {
            return Ok(0);
        }
        let (byte, shift) = ((self.position / 8) as usize, (self.position % 8) as u32);
        let rest = &self.bytes[byte..];
        let low = match rest.first_chunk::<8>() {
            Some(eight) => u64::from_le_bytes(*eight),
            None => rest.iter().rev().fold(0, |all, &b| all << 8 | u64::from(b)),
        };
        let mut value = low >> shift;
        if shift + width > 64 {
            value |= u64::from(rest.get(8).copied().unwrap_or(0)) << (64 - shift);
        }
        self.position += u64::from(width);
        Ok(if width == 64 { value } else { value & ((1 << width) - 1) })
    }

    /// A number in chunks of `width` bits whose highest bit is set if more follow.
    #[inline]
    pub(super) fn vbr(&mut self, width: u32) -> Result<u64, ReadError> {
        let start = self.position;
        let more = 1u64 << (width - 1);
        let (mut value, mut shift) = (0u64, 0);
        loop {
            let chunk = self.fixed(width)?;
            let part = chunk & (more - 1);
            if shift >= 64 || part << shift >> shift != part {
                return Err(self.error_at(start, "a number of more than 64 bits"));
            }
            value |= part << shift;
            if chunk & more == 0 {
                return Ok(value);
            }
            shift += width - 1;
            if shift >= 64 {
                // Only zero chunks may follow, and writers make none.
                return Err(self.error_at(start, "a number of more than 64 bits"));
            }
        }
    }

    fn align32(&mut self) -> Result<(), ReadError> {
        let next = self.position.next_multiple_of(32);
        if next > self.end {
            return Err(self.error("the stream ends inside a word"));
        }
        self.position = next;
        Ok(())
    }
}

/// One operand of an abbreviation.
#[derive(Clone, Copy, Debug)]
enum AbbrevOp {
    Literal(u64),
    Fixed(u32),
    Vbr(u32),
    Char6,
    Array,
    Blob,
}

type Abbrev = Rc<[AbbrevOp]>;

/// The abbreviations that BLOCKINFO gives to all blocks of a number.
#[derive(Default)]
pub(super) struct BlockInfo {
    blocks: Vec<(u32, Vec<Abbrev>)>,
}

impl BlockInfo {
    fn of(&self, block: u32) -> &[Abbrev] {
        self.blocks.iter().find(|b| b.0 == block).map_or(&[], |b| &b.1)
    }

    fn add(&mut self, block: u32, abbrev: Abbrev) {
        match self.blocks.iter_mut().find(|b| b.0 == block) {
            Some((_, list)) => list.push(abbrev),
            None => self.blocks.push((block, vec![abbrev])),
        }
    }
}

/// A block that was come upon: where its contents are.
#[derive(Clone, Copy)]
pub(super) struct SubBlock<'a> {
    /// Its number.
    pub(super) id: u32,
    width: u32,
    bits: Bits<'a>,
}

/// A record. Reused for the next one, so that reading allocates little.
#[derive(Default)]
pub(super) struct Record<'a> {
    /// Its code, unique in its block.
    pub(super) code: u32,
    /// Its operands; the last are those of an array.
    pub(super) ops: Vec<u64>,
    /// The bytes at its end, if it has some.
    pub(super) blob: &'a [u8],
    /// Offset in the file.
    pub(super) offset: u64,
}

impl Record<'_> {
    /// An error at this record.
    pub(super) fn error(&self, message: impl Into<String>) -> ReadError {
        ReadError { offset: self.offset, message: message.into() }
    }

    /// Operand `at`.
    #[inline]
    pub(super) fn op(&self, at: usize) -> Result<u64, ReadError> {
        match self.ops.get(at) {
            Some(&op) => Ok(op),
            None => Err(self.error(format!(
                "record {} has {} operands, at least {} are needed",
                self.code,
                self.ops.len(),
                at + 1
            ))),
        }
    }

    /// Operand `at` as a number of 32 bits.
    pub(super) fn op32(&self, at: usize) -> Result<u32, ReadError> {
        let op = self.op(at)?;
        u32::try_from(op)
            .map_err(|_| self.error(format!("operand {at} of record {} is {op}, too large", self.code)))
    }

    /// The operands from `at` on as text.
    pub(super) fn text(&self, at: usize, what: &str) -> Result<String, ReadError> {
        let bytes = self.ops.get(at..).unwrap_or(&[]).iter().map(|&op| u8::try_from(op).ok());
        let bytes: Option<Vec<u8>> = bytes.collect();
        let text = bytes.and_then(|bytes| String::from_utf8(bytes).ok());
        text.ok_or_else(|| self.error(format!("{what} is not valid UTF-8")))
    }
}

/// The next item of a block.
pub(super) enum Item<'a> {
    /// A record, which is in the [`Record`] given.
    Record,
    /// A block inside.
    Block(SubBlock<'a>),
    /// The end of the block.
    End,
}

/// A block being read.
pub(super) struct Block<'a> {
    bits: Bits<'a>,
    width: u32,
    abbrevs: Vec<Abbrev>,
    /// The outermost level, which ends with the stream and has no records.
    outermost: bool,
}

impl<'a> Block<'a> {
    /// The outermost level of a stream, after the magic number.
    pub(super) fn outermost(bits: Bits<'a>) -> Self {
        Block { bits, width: 2, abbrevs: Vec::new(), outermost: true }
    }

    /// Begins to read a block.
    pub(super) fn open(block: &SubBlock<'a>, info: &BlockInfo) -> Self {
        Block { bits: block.bits, width: block.width, abbrevs: info.of(block.id).to_vec(), outermost: false }
    }

    /// Bits that are left in the block.
    pub(super) fn left(&self) -> u64 {
        self.bits.left()
    }

    /// An error at the current position.
    pub(super) fn error(&self, message: impl Into<String>) -> ReadError {
        self.bits.error(message)
    }

    /// The next record or block; definitions of abbreviations before it are handled here.
    pub(super) fn next(&mut self, record: &mut Record<'a>) -> Result<Item<'a>, ReadError> {
        loop {
            // Files may be padded by a word.
            if self.outermost && self.bits.left() < 32 {
                return Ok(Item::End);
            }
            let start = self.bits;
            match self.bits.fixed(self.width)? {
                END_BLOCK => return Ok(Item::End),
                ENTER_SUBBLOCK => return self.enter().map(Item::Block),
                DEFINE_ABBREV => {
                    let abbrev = self.define()?;
                    self.abbrevs.push(abbrev);
                }
                id => {
                    record.offset = start.place(start.position);
                    record.ops.clear();
                    record.blob = &[];
                    if id == UNABBREV_RECORD {
                        self.unabbreviated(record)?;
                    } else {
                        self.abbreviated(id, record)?;
                    }
                    return Ok(Item::Record);
                }
            }
        }
    }

    /// The header of a block, whose contents are skipped.
    fn enter(&mut self) -> Result<SubBlock<'a>, ReadError> {
        let at = self.bits;
        let id = self.bits.vbr(8)?;
        let width = self.bits.vbr(4)?;
        self.bits.align32()?;
        let words = self.bits.fixed(32)?;
        let (Ok(id), 2..=MAX_ID_WIDTH) = (u32::try_from(id), width) else {
            return Err(at.error(format!("block {id} with abbreviation ids of {width} bits")));
        };
        if words * 32 > self.bits.left() {
            return Err(at.error(format!("block {id} of {words} words, {} are left", self.bits.left() / 32)));
        }
        let mut bits = self.bits;
        bits.end = bits.position + words * 32;
        self.bits.position = bits.end;
        Ok(SubBlock { id, width: width as u32, bits })
    }

    fn define(&mut self) -> Result<Abbrev, ReadError> {
        let at = self.bits;
        let count = self.bits.vbr(5)?;
        // An operand takes at least four bits.
        if count > self.bits.left() / 4 {
            return Err(at.error(format!("an abbreviation of {count} operands does not fit its block")));
        }
        let mut ops = Vec::with_capacity(count as usize);
        while (ops.len() as u64) < count {
            if self.bits.fixed(1)? == 1 {
                ops.push(AbbrevOp::Literal(self.bits.vbr(8)?));
                continue;
            }
            let here = self.bits;
            let op = match self.bits.fixed(3)? {
                encoding @ (1 | 2) => match (encoding, self.bits.vbr(5)?) {
                    // Numbers of no bits are zero.
                    (_, 0) => AbbrevOp::Literal(0),
                    (1, width @ 1..=64) => AbbrevOp::Fixed(width as u32),
                    (2, width @ 2..=32) => AbbrevOp::Vbr(width as u32),
                    (_, width) => {
                        return Err(here.error(format!("an abbreviation with numbers of {width} bits")));
                    }
                },
                3 => AbbrevOp::Array,
                4 => AbbrevOp::Char6,
                5 => AbbrevOp::Blob,
                other => return Err(here.error(format!("an abbreviation with the unknown encoding {other}"))),
            };
            ops.push(op);
        }
        let len = ops.len();
        let good = ops.iter().enumerate().all(|(i, op)| match op {
            AbbrevOp::Array => {
                i + 2 == len && i > 0 && !matches!(ops[len - 1], AbbrevOp::Array | AbbrevOp::Blob)
            }
            AbbrevOp::Blob => i + 1 == len && i > 0,
            _ => true,
        });
        if len == 0 || !good {
            return Err(at.error("an abbreviation whose array or bytes are not at its end"));
        }
        Ok(ops.into())
    }

    fn unabbreviated(&mut self, record: &mut Record<'a>) -> Result<(), ReadError> {
        let at = self.bits;
        record.code = self.code(at)?;
        let count = self.bits.vbr(6)?;
        if count > self.bits.left() / 6 {
            return Err(at.error(format!("a record of {count} operands does not fit its block")));
        }
        record.ops.reserve(count as usize);
        for _ in 0..count {
            record.ops.push(self.bits.vbr(6)?);
        }
        Ok(())
    }

    fn code(&mut self, at: Bits<'a>) -> Result<u32, ReadError> {
        let code = self.bits.vbr(6)?;
        u32::try_from(code).map_err(|_| at.error(format!("record number {code} is too large")))
    }

    fn abbreviated(&mut self, id: u64, record: &mut Record<'a>) -> Result<(), ReadError> {
        let at = self.bits;
        let Some(abbrev) = self.abbrevs.get((id - FIRST_ABBREV) as usize).cloned() else {
            return Err(at.error(format!("abbreviation {id} is not defined")));
        };
        let (mut first, mut rest) = (true, abbrev.iter());
        while let Some(&op) = rest.next() {
            match op {
                AbbrevOp::Array => {
                    let count = self.bits.vbr(6)?;
                    if count > self.bits.left() {
                        return Err(at.error(format!("an array of {count} elements does not fit its block")));
                    }
                    let element = rest.next().copied().unwrap_or(AbbrevOp::Literal(0));
                    record.ops.reserve(count as usize);
                    for _ in 0..count {
                        let value = self.scalar(element)?;
                        record.ops.push(value);
                    }
                }
                AbbrevOp::Blob => {
                    let size = self.bits.vbr(6)?;
                    self.bits.align32()?;
                    if size > self.bits.left() / 8 {
                        return Err(at.error(format!("{size} bytes do not fit their block")));
                    }
                    let start = (self.bits.position / 8) as usize;
                    record.blob = &self.bits.bytes[start..start + size as usize];
                    self.bits.position += size * 8;
                    self.bits.align32()?;
                }
                op => {
                    let value = self.scalar(op)?;
                    if std::mem::replace(&mut first, false) {
                        record.code = u32::try_from(value)
                            .map_err(|_| at.error(format!("record number {value} is too large")))?;
                    } else {
                        record.ops.push(value);
                    }
                }
            }
        }
        Ok(())
    }

    fn scalar(&mut self, op: AbbrevOp) -> Result<u64, ReadError> {
        const CHAR6: &[u8; 64] = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._";
        match op {
            AbbrevOp::Literal(value) => Ok(value),
            AbbrevOp::Fixed(width) => self.bits.fixed(width),
            AbbrevOp::Vbr(width) => self.bits.vbr(width),
            AbbrevOp::Char6 => Ok(u64::from(CHAR6[self.bits.fixed(6)? as usize])),
            // Definitions with these anywhere but at the end are rejected.
            AbbrevOp::Array | AbbrevOp::Blob => Ok(0),
        }
    }

    /// Reads a BLOCKINFO block.
    pub(super) fn block_info(block: &SubBlock<'a>, info: &mut BlockInfo) -> Result<(), ReadError> {
        const SET_BLOCK: u32 = 1;
        let mut this = Block { bits: block.bits, width: block.width, abbrevs: Vec::new(), outermost: false };
        let mut record = Record::default();
        let mut current: Option<u32> = None;
        loop {
            let item = this.next(&mut record)?;
            for abbrev in this.abbrevs.drain(..) {
                let Some(current) = current else {
                    return Err(block.bits.error("an abbreviation of no block in BLOCKINFO"));
                };
                info.add(current, abbrev);
            }
            match item {
                Item::End => return Ok(()),
                Item::Record if record.code == SET_BLOCK => current = Some(record.op32(0)?),
                _ => {}
            }
        }
    }
}

/// Signed numbers have their sign in the lowest bit.
pub(super) fn signed(word: u64) -> i64 {
    match (word & 1, word >> 1) {
        (0, value) => value as i64,
        (_, 0) => i64::MIN,
        (_, value) => -(value as i64),
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::bits as writer;
    use super::*;

    #[test]
    fn numbers_come_back() {
        let values = [0, 1, 31, 32, 0xffff_ffff, 1 << 62, u64::MAX];
        let mut w = writer::BitWriter::new(Vec::new());
        for &v in &values {
            w.vbr(v, 6);
            w.fixed(v & 0x7ff, 11);
        }
        let bytes = w.finish();
        let mut bits = Bits::new(&bytes, 0);
        for &v in &values {
            assert_eq!(bits.vbr(6).unwrap(), v);
            assert_eq!(bits.fixed(11).unwrap(), v & 0x7ff);
        }
        assert!(bits.fixed(64).is_err());
    }

    #[test]
    fn records_blocks_and_abbreviations_come_back() {
        let mut w = writer::BitWriter::new(Vec::new());
        w.enter(8, 3);
        w.record(1, &[2, 300]);
        w.enter(17, 4);
        w.exit();
        w.define(&[
            writer::AbbrevOp::Literal(9),
            writer::AbbrevOp::Vbr(6),
            writer::AbbrevOp::Array,
            writer::AbbrevOp::Fixed(8),
        ]);
        w.abbreviated(writer::FIRST_ABBREV);
        w.vbr(77, 6);
        w.vbr(2, 6);
        w.bytes(b"ab");
        w.exit();
        let bytes = w.finish();
        let (info, mut record) = (BlockInfo::default(), Record::default());
        let mut top = Block::outermost(Bits::new(&bytes, 0));
        let Item::Block(block) = top.next(&mut record).unwrap() else { panic!("no block") };
        assert_eq!(block.id, 8);
        let mut block = Block::open(&block, &info);
        assert!(matches!(block.next(&mut record), Ok(Item::Record)));
        assert_eq!((record.code, record.ops.as_slice()), (1, &[2, 300][..]));
        assert!(matches!(block.next(&mut record), Ok(Item::Block(inner)) if inner.id == 17));
        assert!(matches!(block.next(&mut record), Ok(Item::Record)));
        assert_eq!((record.code, record.ops.as_slice()), (9, &[77, 97, 98][..]));
        assert!(matches!(block.next(&mut record), Ok(Item::End)));
        assert!(matches!(top.next(&mut record), Ok(Item::End)));
    }

    #[test]
    fn lengths_are_held_against_what_is_left() {
        let mut w = writer::BitWriter::new(Vec::new());
        w.enter(8, 3);
        w.begin(1, 1 << 30);
        w.exit();
        let bytes = w.finish();
        let mut record = Record::default();
        let mut top = Block::outermost(Bits::new(&bytes, 100));
        let Item::Block(block) = top.next(&mut record).unwrap() else { panic!("no block") };
        let error = Block::open(&block, &BlockInfo::default()).next(&mut record).err().unwrap();
        assert!(error.offset >= 108, "{error}");
        assert!(error.message.contains("does not fit"), "{error}");
    }

    #[test]
    fn signs() {
        for value in [0, 1, -1, i64::MAX, i64::MIN, 77, -77] {
            assert_eq!(signed(writer::signed(value)), value);
        }
    }
}
