//! Keys of entries.

use sha2::{Digest, Sha256};
use std::fmt::{self, Write};

/// Identifies the build of the compiler: a digest of its version and, in a checkout of the workspace, of its sources.
pub const BUILD: &str = env!("AIRFOIL_BUILD");

/// A key: a SHA-256 of the build of the compiler and everything else that an entry depends on.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key(pub(crate) [u8; 32]);

impl Key {
    /// The key of a kind of entries for these parts. Lengths are part of it: `["ab", "c"]` and `["a", "bc"]` have different keys.
    pub fn of(kind: &str, parts: &[&[u8]]) -> Key {
        let mut hash = Sha256::new();
        for part in [BUILD.as_bytes(), kind.as_bytes()].iter().chain(parts) {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        }
        Key(hash.finalize().into())
    }

    /// The bytes of the key, for use as a part of another one.
    pub fn bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

/// Hexadecimal digits: the name of the entry's file.
impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digit = |n: u8| b"0123456789abcdef"[usize::from(n & 15)];
        let digits: [u8; 64] =
            std::array::from_fn(|n| digit(if n % 2 == 0 { self.0[n / 2] >> 4 } else { self.0[n / 2] }));
        digits.iter().try_for_each(|&d| f.write_char(char::from(d)))
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Key({self})")
    }
}
