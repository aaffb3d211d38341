//! The wrapper of bitcode for Darwin targets (magic `0x0B17C0DE`).
//!
//! Five words: magic, version, offset and size of the bitcode, CPU type; the bitcode; zeroes up to a multiple of 16.
//! A metallib has one for each function, and a whole `.air` file is one.

use super::cursor::{Cursor, ReadError};
use super::error::WriteError;
use super::format::BLOB_ALIGN;

/// First word of a wrapper.
pub const WRAPPER_MAGIC: u32 = 0x0B17_C0DE;
/// First word of bare bitcode (`BC` and 0xC0DE).
pub const BITCODE_MAGIC: u32 = 0xDEC0_4342;
/// Size of the wrapper header before the bitcode.
pub const WRAPPER_SIZE: usize = 20;
/// The CPU type that Apple writes: any.
const ANY_CPU: u32 = u32::MAX;

/// A parsed wrapper.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Wrapper<'a> {
    /// Version of the wrapper, 0.
    pub version: u32,
    /// CPU type; `0xFFFFFFFF` in Apple's files.
    pub cpu_type: u32,
    /// The bitcode, with its own magic.
    pub bitcode: &'a [u8],
    /// The bytes after the bitcode.
    pub padding: &'a [u8],
}

/// Parses a wrapper at the beginning of `bytes`; offsets in errors count from there.
pub fn parse(bytes: &[u8]) -> Result<Wrapper<'_>, ReadError> {
    let mut cursor = Cursor::new(bytes, 0, bytes.len() as u64, "bitcode wrapper")?;
    let magic = cursor.u32("its magic")?;
    if magic != WRAPPER_MAGIC {
        return Err(ReadError::new(
            0,
            format!("{magic:#010x} is not the magic of a bitcode wrapper, {WRAPPER_MAGIC:#010x}"),
        ));
    }
    let version = cursor.u32("its version")?;
    let offset = cursor.u32("the offset of its bitcode")? as usize;
    let size = cursor.u32("the size of its bitcode")? as usize;
    let cpu_type = cursor.u32("its CPU type")?;
    if offset < WRAPPER_SIZE {
        return Err(ReadError::new(
            8,
            format!("bitcode at {offset:#x} is inside its wrapper of {WRAPPER_SIZE} bytes"),
        ));
    }
    let Some(rest) = bytes.get(offset..).filter(|rest| size <= rest.len()) else {
        return Err(ReadError::new(
            12,
            format!(
                "bitcode of {size:#x} bytes at {offset:#x} does not fit the {:#x} bytes that are there",
                bytes.len()
            ),
        ));
    };
    let (bitcode, padding) = rest.split_at(size);
    Ok(Wrapper { version, cpu_type, bitcode, padding })
}

/// The bitcode of an `.air` or `.bc` file, which may be wrapped or bare.
pub fn bitcode_of(bytes: &[u8]) -> Result<&[u8], ReadError> {
    if bytes.starts_with(&BITCODE_MAGIC.to_le_bytes()) {
        return Ok(bytes);
    }
    let wrapper = parse(bytes)?;
    if !wrapper.bitcode.starts_with(&BITCODE_MAGIC.to_le_bytes()) {
        return Err(ReadError::new(
            bytes.len() - wrapper.padding.len() - wrapper.bitcode.len(),
            "no bitcode magic",
        ));
    }
    Ok(wrapper.bitcode)
}

/// Starts a wrapper: pushes its words, to be filled in by [`seal`] once the bitcode has been pushed after them.
pub fn open(out: &mut Vec<u8>) {
    out.extend_from_slice(&[0; WRAPPER_SIZE]);
}

/// Ends the wrapper that starts at the beginning of `out`: fills in its words and pads it.
pub fn seal(out: &mut Vec<u8>) -> Result<(), WriteError> {
    let size = out.len().checked_sub(WRAPPER_SIZE).and_then(|size| u32::try_from(size).ok());
    let Some(size) = size else {
        return Err(WriteError::new(format!("bitcode of {} bytes does not fit a wrapper", out.len())));
    };
    let words = [WRAPPER_MAGIC, 0, WRAPPER_SIZE as u32, size, ANY_CPU];
    for (place, word) in out.chunks_exact_mut(4).zip(words) {
        place.copy_from_slice(&word.to_le_bytes());
    }
    out.resize(out.len().next_multiple_of(BLOB_ALIGN), 0);
    Ok(())
}

/// Copies bitcode into a wrapper. Writers that can should use [`open`] and [`seal`], which copy nothing.
pub fn wrap(bitcode: &[u8]) -> Result<Vec<u8>, WriteError> {
    let mut out = Vec::with_capacity((WRAPPER_SIZE + bitcode.len()).next_multiple_of(BLOB_ALIGN));
    open(&mut out);
    out.extend_from_slice(bitcode);
    seal(&mut out)?;
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wraps_and_parses_back() {
        for size in 0..40 {
            let mut bitcode = BITCODE_MAGIC.to_le_bytes().to_vec();
            bitcode.extend((0..size).map(|i| i as u8));
            let blob = wrap(&bitcode).unwrap();
            assert_eq!(blob.len() % 16, 0);
            assert_eq!(blob.capacity(), blob.len());
            let wrapper = parse(&blob).unwrap();
            assert_eq!((wrapper.version, wrapper.cpu_type), (0, u32::MAX));
            assert_eq!(wrapper.bitcode, bitcode);
            assert!(wrapper.padding.len() < 16 && wrapper.padding.iter().all(|&b| b == 0));
            assert_eq!(bitcode_of(&blob).unwrap(), bitcode);
            assert_eq!(bitcode_of(&bitcode).unwrap(), bitcode);
        }
    }

    #[test]
    fn errors_are_located() {
        let blob = wrap(b"BC\xc0\xdetest").unwrap();
        let message = |bytes: &[u8]| parse(bytes).unwrap_err().to_string();
        assert!(
            message(&blob[..10])
                .starts_with("offset 0x8: bitcode wrapper ends inside the offset of its bitcode")
        );
        assert!(message(&blob[1..]).starts_with("offset 0x0: 0x000b17c0 is not the magic"));
        assert!(message(&blob[..24]).starts_with("offset 0xc: bitcode of 0x8 bytes at 0x14 does not fit"));
        let mut inside = blob.clone();
        inside[8] = 4;
        assert!(message(&inside).starts_with("offset 0x8: bitcode at 0x4 is inside its wrapper"));
        assert!(
            bitcode_of(&wrap(b"text").unwrap())
                .unwrap_err()
                .to_string()
                .starts_with("offset 0x14: no bitcode")
        );
    }
}
