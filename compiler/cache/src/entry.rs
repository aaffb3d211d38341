//! The format of entries: magic, key, length, checksum of all that and the contents (XXH3, 128 bits), contents.

use crate::key::Key;
use std::ops::Deref;
use xxhash_rust::xxh3::{xxh3_64, xxh3_128_with_seed};

const MAGIC: [u8; 8] = *b"\x89AFC1\r\n\0";
const KEY: usize = MAGIC.len();
const LENGTH: usize = KEY + 32;
const CHECKSUM: usize = LENGTH + 8;

/// Bytes before the contents.
const HEAD: usize = CHECKSUM + 16;

/// The contents of an entry.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entry(Vec<u8>);

impl Deref for Entry {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0[HEAD..]
    }
}

/// The head of an entry with these contents.
pub fn head(key: &Key, contents: &[u8]) -> [u8; HEAD] {
    let mut head = [0; HEAD];
    head[..KEY].copy_from_slice(&MAGIC);
    head[KEY..LENGTH].copy_from_slice(&key.0);
    head[LENGTH..CHECKSUM].copy_from_slice(&(contents.len() as u64).to_le_bytes());
    let checksum = xxh3_128_with_seed(contents, xxh3_64(&head[..CHECKSUM]));
    head[CHECKSUM..].copy_from_slice(&checksum.to_le_bytes());
    head
}

/// The entry in the bytes of a file, if it is whole and has this key.
pub fn open(key: &Key, bytes: Vec<u8>) -> Option<Entry> {
    let (head_found, contents) = bytes.split_at_checked(HEAD)?;
    (head_found == head(key, contents)).then_some(Entry(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_changed_byte_is_noticed() {
        let (key, other) = (Key::of("test", &[b"a"]), Key::of("test", &[b"b"]));
        let file = [&head(&key, b"contents")[..], b"contents"].concat();
        assert_eq!(&*open(&key, file.clone()).unwrap(), b"contents");
        assert!(open(&other, file.clone()).is_none());
        for at in 0..file.len() {
            let mut changed = file.clone();
            changed[at] ^= 1 << (at % 8);
            assert!(open(&key, changed).is_none(), "byte {at}");
            assert!(open(&key, file[..at].to_vec()).is_none(), "{at} bytes");
        }
        assert!(open(&key, [&file[..], b"more"].concat()).is_none());
    }
}
