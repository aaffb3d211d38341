//! A cache of results on disk, for drivers and commands that compile the same shaders again.
//!
//! ```no_run
//! use airfoil_cache::{Cache, Key};
//!
//! let cache = Cache::open("/home/user/.cache/airfoil".as_ref(), 64 << 20)?;
//! let key = Key::of("example", &[b"source", b"options"]);
//! let result = match cache.get(&key) {
//!     Some(entry) => entry.to_vec(),
//!     None => {
//!         let result = b"compiled".to_vec();
//!         cache.put(&key, &result)?;
//!         result
//!     }
//! };
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! * A [`Key`] is a SHA-256 of everything that the result depends on, the build of the compiler included.
//! * The folder is for one user: it is created with mode 0700, and a folder that others can enter or that somebody else owns is
//!   an error. Symbolic links are not followed, neither for the folder nor for its files.
//! * An entry has a checksum of its key and contents (XXH3, 128 bits). One that is truncated, damaged, or stored under another key is
//!   removed instead of read. The checksum is against accidents; the rights of the folder are against other users.
//! * Entries appear by a rename, so that readers, which take no lock, see all of an entry or nothing. Writers of all threads and processes
//!   take turns by a lock of the system, which ends with its process. A process that is killed leaves at most one unfinished file,
//!   which the next writer replaces.
//! * The total size is bounded: before an entry that would exceed the limit is written, the entries that were not used for the longest time are
//!   removed. The total is counted before an entry is written, so that a killed process leaves it too large, never too small.
//!
//! A cache that fails is not an error of a compile: [`Cache::get`] finds nothing, and callers ignore the result of [`Cache::put`].

mod entry;
#[cfg(unix)]
mod folder;
#[cfg(not(unix))]
#[path = "no_folder.rs"]
mod folder;
mod key;

pub use entry::Entry;
pub use key::{BUILD, Key};

use folder::Folder;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

/// A cache. It can be shared by threads; processes open the same folder.
#[derive(Debug)]
pub struct Cache {
    folder: Folder,
    limit: u64,
    hits: AtomicU64,
    misses: AtomicU64,
}

impl Cache {
    /// Limit of the size that fits most uses: 256 MiB.
    pub const LIMIT: u64 = 256 << 20;

    /// Opens the cache in a folder, which is created if it is missing. Its entries have at most `limit` bytes.
    ///
    /// # Errors
    /// The folder cannot be created, is a symbolic link, belongs to another user, or can be entered by others; the cache is not supported on
    /// the system (Windows).
    pub fn open(path: &Path, limit: u64) -> io::Result<Cache> {
        Ok(Cache { folder: Folder::open(path)?, limit, hits: AtomicU64::new(0), misses: AtomicU64::new(0) })
    }

    /// The entry with a key.
    pub fn get(&self, key: &Key) -> Option<Entry> {
        let bytes = self.folder.read(&key.to_string(), self.limit);
        let is_there = bytes.is_some();
        let entry = bytes.and_then(|bytes| entry::open(key, bytes));
        let counter = if entry.is_some() { &self.hits } else { &self.misses };
        counter.fetch_add(1, Ordering::Relaxed);
        if is_there && entry.is_none() {
            self.remove(key);
        }
        entry
    }

    /// How many entries [`Cache::get`] found and did not find.
    pub fn counts(&self) -> (u64, u64) {
        (self.hits.load(Ordering::Relaxed), self.misses.load(Ordering::Relaxed))
    }

    /// Stores an entry, replacing one with the same key. It is not stored, and the result is `false`, if it exceeds a quarter of the
    /// limit or if other processes write for more than 50 ms.
    ///
    /// # Errors
    /// The system cannot write it.
    pub fn put(&self, key: &Key, contents: &[u8]) -> io::Result<bool> {
        let head = entry::head(key, contents);
        let size = (head.len() + contents.len()) as u64;
        if size > self.limit / 4 {
            return Ok(false);
        }
        let Some(turn) = self.folder.turn()? else { return Ok(false) };
        let mut total = turn.total();
        if total.is_none_or(|total| total.saturating_add(size) > self.limit) {
            // Not only the next entry is to fit, since finding the oldest ones takes a look at all of them.
            total = Some(turn.shrink(self.limit / 4 * 3)?);
        }
        turn.set_total(total.unwrap_or(0).saturating_add(size))?;
        turn.write(&key.to_string(), &[&head, contents])?;
        Ok(true)
    }

    /// Removes an entry, if it exists.
    pub fn remove(&self, key: &Key) {
        self.folder.remove(&key.to_string());
    }

    /// Number and total size of the entries. While others write, the result may contain entries that were there one after the other.
    ///
    /// # Errors
    /// The folder cannot be listed.
    pub fn size(&self) -> io::Result<(usize, u64)> {
        let entries = self.folder.entries()?;
        Ok((entries.len(), entries.iter().map(|e| e.size).sum()))
    }
}
