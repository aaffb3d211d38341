//! Bounded reading of little-endian fields, with located errors.

use std::fmt;

/// Why bytes could not be read, and where.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReadError {
    /// Offset in the file.
    pub offset: u64,
    /// The error.
    pub message: String,
}

impl ReadError {
    pub(super) fn new(offset: usize, message: impl Into<String>) -> Self {
        Self { offset: offset as u64, message: message.into() }
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "offset {:#x}: {}", self.offset, self.message)
    }
}

impl std::error::Error for ReadError {}

/// A position in a file, and the end of the part that may be read.
#[derive(Clone)]
pub(super) struct Cursor<'a> {
    /// The file up to the end of the part.
    bytes: &'a [u8],
    position: usize,
    /// Name of the part, for messages.
    part: &'static str,
}

impl<'a> Cursor<'a> {
    /// Reads `part`, which is `start..end` of `file`.
    pub(super) fn new(file: &'a [u8], start: u64, end: u64, part: &'static str) -> Result<Self, ReadError> {
        let size = file.len() as u64;
        if start > end || end > size {
            let text = format!("{part} {start:#x}..{end:#x} is outside the file, which has {size:#x} bytes");
            return Err(ReadError { offset: start.min(size), message: text });
        }
        // Both fit: they are at most the size of a slice.
        Ok(Self { bytes: &file[..end as usize], position: start as usize, part })
    }

    pub(super) fn position(&self) -> usize {
        self.position
    }

    pub(super) fn remaining(&self) -> usize {
        self.bytes.len() - self.position
    }

    pub(super) fn error(&self, message: impl Into<String>) -> ReadError {
        ReadError::new(self.position, message)
    }

    pub(super) fn take(&mut self, size: usize, what: &str) -> Result<&'a [u8], ReadError> {
        let rest = &self.bytes[self.position..];
        let Some(bytes) = rest.get(..size) else {
            return Err(self.error(format!(
                "{} ends inside {what}: {size} bytes needed, {} left",
                self.part,
                rest.len()
            )));
        };
        self.position += size;
        Ok(bytes)
    }

    fn array<const N: usize>(&mut self, what: &str) -> Result<[u8; N], ReadError> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(N, what)?);
        Ok(array)
    }

    pub(super) fn u8(&mut self, what: &str) -> Result<u8, ReadError> {
        Ok(u8::from_le_bytes(self.array(what)?))
    }

    pub(super) fn u16(&mut self, what: &str) -> Result<u16, ReadError> {
        Ok(u16::from_le_bytes(self.array(what)?))
    }

    pub(super) fn u32(&mut self, what: &str) -> Result<u32, ReadError> {
        Ok(u32::from_le_bytes(self.array(what)?))
    }

    pub(super) fn u64(&mut self, what: &str) -> Result<u64, ReadError> {
        Ok(u64::from_le_bytes(self.array(what)?))
    }

    pub(super) fn word(&mut self, what: &str) -> Result<[u8; 4], ReadError> {
        self.array(what)
    }

    /// A string that ends with a zero byte.
    pub(super) fn c_string(&mut self, what: &str) -> Result<&'a str, ReadError> {
        let start = self.position;
        let rest = &self.bytes[start..];
        let Some(length) = rest.iter().position(|&b| b == 0) else {
            return Err(self.error(format!("{what} has no terminating zero")));
        };
        self.position += length + 1;
        str::from_utf8(&rest[..length])
            .map_err(|e| ReadError::new(start + e.valid_up_to(), format!("{what} is not valid UTF-8")))
    }

    /// Rejects unread bytes.
    pub(super) fn finish(&self) -> Result<(), ReadError> {
        match self.remaining() {
            0 => Ok(()),
            n => Err(self.error(format!("{} has {n} bytes more than it should", self.part))),
        }
    }
}
