//! The archive of several metallibs, one for each GPU architecture.
//!
//! Like Mach-O's universal files: a big-endian table of slices, each a plain metallib. Layout from the notes of others;
//! no real file was available to confirm it.

use super::cursor::ReadError;

/// First word of an archive, big-endian.
pub const FAT_MAGIC: u32 = 0xCBFE_BABE;
/// Magic and count.
const HEADER_SIZE: usize = 8;
/// Size of a row of the table.
const ROW_SIZE: usize = 32;

/// One metallib of an archive.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Slice<'a> {
    /// CPU type, `0x01000017` for AIR.
    pub cpu_type: u32,
    /// CPU subtype, which distinguishes AIR versions and GPUs.
    pub cpu_subtype: u32,
    /// Offset in the archive.
    pub offset: u64,
    /// The metallib.
    pub bytes: &'a [u8],
}

/// `file` is an archive.
pub fn is_fat(file: &[u8]) -> bool {
    file.starts_with(&FAT_MAGIC.to_be_bytes())
}

/// The slices of an archive.
pub fn slices(file: &[u8]) -> Result<Vec<Slice<'_>>, ReadError> {
    if !is_fat(file) {
        return Err(ReadError::new(0, format!("the archive magic {FAT_MAGIC:#010x} is missing")));
    }
    let Some(count) = file.get(4..HEADER_SIZE).map(|bytes| big_endian(bytes) as usize) else {
        return Err(ReadError::new(4, "the archive ends inside its header"));
    };
    let rows = file[HEADER_SIZE..].chunks_exact(ROW_SIZE);
    if count > rows.len() {
        return Err(ReadError::new(
            4,
            format!("a table of {count} slices does not fit {} bytes", file.len()),
        ));
    }
    let mut slices = Vec::with_capacity(count);
    for (index, row) in rows.take(count).enumerate() {
        let (offset, size) = (big_endian(&row[8..16]), big_endian(&row[16..24]));
        let range = usize::try_from(offset).ok().zip(usize::try_from(size).ok());
        let bytes = range.and_then(|(offset, size)| file.get(offset..)?.get(..size)).ok_or_else(|| {
            let message = format!("slice {index} of {size:#x} bytes at {offset:#x} is outside the archive");
            ReadError::new(HEADER_SIZE + index * ROW_SIZE + 8, message)
        })?;
        let (cpu_type, cpu_subtype) = (big_endian(&row[..4]) as u32, big_endian(&row[4..8]) as u32);
        slices.push(Slice { cpu_type, cpu_subtype, offset, bytes });
    }
    Ok(slices)
}

/// A number of at most 8 bytes.
fn big_endian(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0, |number, &byte| (number << 8) | u64::from(byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn archive() -> Vec<u8> {
        let mut file = FAT_MAGIC.to_be_bytes().to_vec();
        file.extend(2u32.to_be_bytes());
        for (subtype, offset, size) in [(7u32, 72u64, 5u64), (9, 77, 3)] {
            file.extend(0x0100_0017_u32.to_be_bytes());
            file.extend(subtype.to_be_bytes());
            file.extend(offset.to_be_bytes());
            file.extend(size.to_be_bytes());
            file.extend([0; 8]);
        }
        file.extend(b"firstabc");
        file
    }

    #[test]
    fn slices_are_found() {
        let file = archive();
        let found: Vec<_> =
            slices(&file).unwrap().iter().map(|s| (s.cpu_type, s.cpu_subtype, s.offset, s.bytes)).collect();
        assert_eq!(found, [(0x0100_0017, 7, 72, &b"first"[..]), (0x0100_0017, 9, 77, &b"abc"[..])]);
    }

    #[test]
    fn truncations_are_refused() {
        let file = archive();
        for size in 0..file.len() {
            assert!(slices(&file[..size]).is_err(), "{size}");
        }
        let message = slices(&file[..79]).unwrap_err().to_string();
        assert_eq!(message, "offset 0x30: slice 1 of 0x3 bytes at 0x4d is outside the archive");
    }
}
