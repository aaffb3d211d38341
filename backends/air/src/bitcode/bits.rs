//! Bit-level writer of the LLVM bitstream: fixed and variable-width numbers, blocks, records, abbreviations.
//!
//! Format: <https://llvm.org/docs/BitCodeFormat.html>. Everything goes into one growing byte buffer.

/// One operand of an abbreviation.
#[derive(Clone, Copy, Debug)]
pub(crate) enum AbbrevOp {
    /// Always this value, not written in the record.
    Literal(u64),
    /// Fixed width.
    Fixed(u32),
    /// Variable width in chunks.
    Vbr(u32),
    /// Counted array of the following operand.
    Array,
    /// Counted, aligned bytes.
    Blob,
}

/// Abbreviation id of `END_BLOCK`.
const END_BLOCK: u64 = 0;
/// Abbreviation id of `ENTER_SUBBLOCK`.
const ENTER_SUBBLOCK: u64 = 1;
/// Abbreviation id of `DEFINE_ABBREV`.
const DEFINE_ABBREV: u64 = 2;
/// Abbreviation id of an unabbreviated record.
const UNABBREV_RECORD: u64 = 3;
/// First id of a block's own abbreviations.
pub(crate) const FIRST_ABBREV: u32 = 4;

/// Bits that are not yet in the buffer. A copy of its own, so that loops over operands keep it in registers.
#[derive(Clone, Copy, Debug)]
struct Pending {
    /// The bits, from the lowest.
    word: u64,
    /// How many; always less than 64 between calls.
    len: u32,
}

impl Pending {
    /// The lowest `width` (at most 63) bits of `value`, which has no others.
    #[inline(always)]
    fn fixed(&mut self, out: &mut Vec<u8>, value: u64, width: u32) {
        debug_assert!(width < 64 && value >> width == 0);
        self.word |= value << self.len;
        self.len += width;
        if self.len >= 64 {
            out.extend_from_slice(&self.word.to_le_bytes());
            self.len -= 64;
            // The remaining bits; at least one bit of `value` was written.
            self.word = value >> (width - self.len);
        }
    }

    /// `value` in chunks of `width` bits whose highest bit is set if more follow.
    #[inline(always)]
    fn vbr(&mut self, out: &mut Vec<u8>, mut value: u64, width: u32) {
        let more = 1u64 << (width - 1);
        while value >= more {
            self.fixed(out, value & (more - 1) | more, width);
            value >>= width - 1;
        }
        self.fixed(out, value, width);
    }

    /// Start of an unabbreviated record where abbreviation ids have `width` bits.
    #[inline(always)]
    fn record_header(&mut self, out: &mut Vec<u8>, width: u32, code: u32, len: usize) {
        if code < 32 && len < 32 {
            let header = UNABBREV_RECORD | u64::from(code) << width | (len as u64) << (width + 6);
            return self.fixed(out, header, width + 12);
        }
        self.fixed(out, UNABBREV_RECORD, width);
        self.vbr(out, u64::from(code), 6);
        self.vbr(out, len as u64, 6);
    }
}

/// Writer of a bitstream.
#[derive(Debug)]
pub(crate) struct BitWriter {
    out: Vec<u8>,
    pending: Pending,
    /// Width of abbreviation ids in the current block.
    width: u32,
    /// Enclosing blocks: their width and the position of the current block's length word.
    blocks: Vec<(u32, usize)>,
}

impl BitWriter {
    /// Continues `out`, whose length must be a multiple of four.
    pub(crate) fn new(out: Vec<u8>) -> Self {
        BitWriter { out, pending: Pending { word: 0, len: 0 }, width: 2, blocks: Vec::with_capacity(4) }
    }

    /// Bytes written, filled up to 32 bits.
    pub(crate) fn finish(mut self) -> Vec<u8> {
        self.align32();
        self.out
    }

    /// Number of bits in the buffer.
    pub(crate) fn bit_position(&self) -> u64 {
        self.out.len() as u64 * 8 + u64::from(self.pending.len)
    }

    /// The lowest `width` (at most 63) bits of `value`, which has no others.
    #[inline]
    pub(crate) fn fixed(&mut self, value: u64, width: u32) {
        self.pending.fixed(&mut self.out, value, width);
    }

    /// `value` in chunks of `width` bits whose highest bit is set if more follow.
    #[inline]
    pub(crate) fn vbr(&mut self, value: u64, width: u32) {
        self.pending.vbr(&mut self.out, value, width);
    }

    /// Bytes as numbers of 8 bits each.
    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        let mut pending = self.pending;
        let (fours, rest) = bytes.as_chunks();
        for &four in fours {
            pending.fixed(&mut self.out, u64::from(u32::from_le_bytes(four)), 32);
        }
        for &byte in rest {
            pending.fixed(&mut self.out, u64::from(byte), 8);
        }
        self.pending = pending;
    }

    /// Fills up to a multiple of 32 bits, all of which are in the buffer then.
    pub(crate) fn align32(&mut self) {
        let words = self.pending.len.div_ceil(32) as usize;
        self.out.extend_from_slice(&self.pending.word.to_le_bytes()[..words * 4]);
        self.pending = Pending { word: 0, len: 0 };
    }

    /// Opens a block whose abbreviation ids have `width` bits.
    pub(crate) fn enter(&mut self, block: u32, width: u32) {
        self.header(block, width);
        self.blocks.push((self.width, self.out.len()));
        self.out.extend_from_slice(&[0; 4]);
        self.width = width;
    }

    fn header(&mut self, block: u32, width: u32) {
        self.fixed(ENTER_SUBBLOCK, self.width);
        self.vbr(u64::from(block), 8);
        self.vbr(u64::from(width), 4);
        self.align32();
    }

    /// Closes the innermost block.
    pub(crate) fn exit(&mut self) {
        self.fixed(END_BLOCK, self.width);
        self.align32();
        if let Some((width, at)) = self.blocks.pop() {
            let words = ((self.out.len() - at - 4) / 4) as u32;
            self.out[at..at + 4].copy_from_slice(&words.to_le_bytes());
            self.width = width;
        }
    }

    /// A whole block from its encoded contents (the result of [`BitWriter::block_contents`]).
    pub(crate) fn encoded_block(&mut self, block: u32, width: u32, contents: &[u8]) {
        self.header(block, width);
        self.out.extend_from_slice(&((contents.len() / 4) as u32).to_le_bytes());
        self.out.extend_from_slice(contents);
    }

    /// Encodes the contents of a block once, for [`BitWriter::encoded_block`].
    pub(crate) fn block_contents(width: u32, fill: impl FnOnce(&mut BitWriter)) -> Vec<u8> {
        let mut w = BitWriter::new(Vec::new());
        w.width = width;
        fill(&mut w);
        w.fixed(END_BLOCK, width);
        w.finish()
    }

    /// Defines the block's next abbreviation.
    pub(crate) fn define(&mut self, ops: &[AbbrevOp]) {
        self.fixed(DEFINE_ABBREV, self.width);
        self.vbr(ops.len() as u64, 5);
        for &op in ops {
            let (encoding, width) = match op {
                AbbrevOp::Literal(value) => {
                    self.fixed(1, 1);
                    self.vbr(value, 8);
                    continue;
                }
                AbbrevOp::Fixed(width) => (1, Some(width)),
                AbbrevOp::Vbr(width) => (2, Some(width)),
                AbbrevOp::Array => (3, None),
                AbbrevOp::Blob => (5, None),
            };
            self.fixed(0, 1);
            self.fixed(encoding, 3);
            if let Some(width) = width {
                self.vbr(u64::from(width), 5);
            }
        }
    }

    /// Starts a record by one of the block's abbreviations; its fields follow with `fixed` and `vbr`.
    pub(crate) fn abbreviated(&mut self, abbrev: u32) {
        self.fixed(u64::from(abbrev), self.width);
    }

    /// Starts an unabbreviated record of `len` operands, which follow with [`BitWriter::op`].
    #[inline]
    pub(crate) fn begin(&mut self, code: u32, len: usize) {
        self.pending.record_header(&mut self.out, self.width, code, len);
    }

    /// One operand of an unabbreviated record.
    #[inline]
    pub(crate) fn op(&mut self, value: u64) {
        self.vbr(value, 6);
    }

    /// An unabbreviated record.
    pub(crate) fn record(&mut self, code: u32, ops: &[u64]) {
        self.record_of(code, ops.iter().copied());
    }

    /// An unabbreviated record of operands that are computed while it is written.
    #[inline]
    pub(crate) fn record_of(&mut self, code: u32, ops: impl ExactSizeIterator<Item = u64>) {
        let mut pending = self.pending;
        pending.record_header(&mut self.out, self.width, code, ops.len());
        for op in ops {
            pending.vbr(&mut self.out, op, 6);
        }
        self.pending = pending;
    }

    /// Unabbreviated record of the bytes of a text after some operands.
    pub(crate) fn text(&mut self, code: u32, before: &[u64], text: &str) {
        self.begin(code, before.len() + text.len());
        before.iter().for_each(|&op| self.op(op));
        text.bytes().for_each(|byte| self.op(u64::from(byte)));
    }

    /// Blob field of an abbreviated record.
    pub(crate) fn blob<'a>(&mut self, len: usize, parts: impl IntoIterator<Item = &'a [u8]>) {
        self.vbr(len as u64, 6);
        self.align32();
        for part in parts {
            self.out.extend_from_slice(part);
        }
        while !self.out.len().is_multiple_of(4) {
            self.out.push(0);
        }
    }

    /// Puts a number into 32 zero bits that were written at `bit` and have reached the buffer.
    pub(crate) fn patch32(&mut self, bit: u64, value: u32) {
        let (byte, shift) = ((bit / 8) as usize, bit % 8);
        for (at, part) in (u64::from(value) << shift).to_le_bytes().into_iter().enumerate().take(5) {
            if let Some(place) = self.out.get_mut(byte + at) {
                *place |= part;
            }
        }
    }
}

/// Signed numbers are written with the sign in the lowest bit.
#[inline]
pub(crate) fn signed(value: i64) -> u64 {
    if value >= 0 { (value as u64) << 1 } else { value.unsigned_abs().wrapping_shl(1) | 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_pack_from_the_lowest_bit() {
        let mut w = BitWriter::new(Vec::new());
        w.fixed(0b101, 3);
        w.fixed(0, 1);
        w.vbr(33, 6); // 0b100001, then 0b000001
        assert_eq!(w.bit_position(), 16);
        assert_eq!(w.finish(), [0b0001_0101, 0b0000_0110, 0, 0]);
    }

    #[test]
    fn wide_numbers() {
        let mut w = BitWriter::new(Vec::new());
        w.fixed(1, 31);
        w.fixed(0xffff_ffff, 32);
        w.vbr(u64::MAX, 6);
        // 13 chunks: 12 of five bits and one of four.
        assert_eq!(w.bit_position(), 31 + 32 + 13 * 6);
        let bytes = w.finish();
        assert_eq!(&bytes[..4], &[1, 0, 0, 0x80]);
    }

    #[test]
    fn signs() {
        for (value, coded) in [(0, 0), (1, 2), (-1, 3), (i64::MAX, u64::MAX - 1), (i64::MIN, 1)] {
            assert_eq!(signed(value), coded);
        }
    }

    #[test]
    fn blocks_hold_their_length_in_words() {
        let mut w = BitWriter::new(Vec::new());
        w.enter(8, 3);
        w.record(1, &[2]);
        w.exit();
        let bytes = w.finish();
        // Header word, length word, one word of contents.
        assert_eq!(bytes.len(), 12);
        assert_eq!(&bytes[4..8], &[1, 0, 0, 0]);
        // ENTER_SUBBLOCK (2 bits), block id in vbr8, width in vbr4.
        assert_eq!(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]), 1 | 8 << 2 | 3 << 10);
    }

    #[test]
    fn an_encoded_block_equals_a_written_one() {
        let fill = |w: &mut BitWriter| w.record(3, &[1, 2, 300]);
        let mut a = BitWriter::new(Vec::new());
        a.enter(22, 3);
        fill(&mut a);
        a.exit();
        let mut b = BitWriter::new(Vec::new());
        b.encoded_block(22, 3, &BitWriter::block_contents(3, fill));
        assert_eq!(a.finish(), b.finish());
    }

    #[test]
    fn patches_need_no_alignment() {
        let mut w = BitWriter::new(Vec::new());
        w.fixed(0b11, 5);
        let at = w.bit_position();
        w.fixed(0, 32);
        w.fixed(1, 1);
        w.align32();
        w.patch32(at, 0xdead_beef);
        let bytes = w.finish();
        let all = u64::from_le_bytes(bytes.try_into().expect("eight bytes"));
        assert_eq!(all, 0b11 | 0xdead_beef << 5 | 1 << 37);
    }
}
