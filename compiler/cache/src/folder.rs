//! The folder of a cache. All its files are opened relative to it, so that nothing happens elsewhere if the path changes.

use rustix::fs::{
    self, AtFlags, Dir, FileType, FlockOperation, Mode, OFlags, Stat, Timespec, Timestamps, UTIME_NOW,
};
use rustix::io::Errno;
use rustix::process::geteuid;
use std::fs::{DirBuilder, File};
use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::fs::{DirBuilderExt, FileExt};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::sleep;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// The file that writers lock. It has the total size of the entries.
const LOCK: &str = "lock";
/// The entry that is being written. Only the owner of the lock writes it: one that is found is left from a killed process.
const UNFINISHED: &str = "unfinished";
/// Longest wait for writers of other processes, which may be suspended.
const PATIENCE: Duration = Duration::from_millis(50);
/// Age from which a read entry becomes new again.
const HOUR: i64 = 3600;

/// A file of an entry.
#[derive(Debug)]
pub struct EntryFile {
    name: String,
    /// Length in bytes.
    pub size: u64,
    /// Seconds and nanoseconds of its last use.
    used: (i64, i64),
}

/// An open folder.
#[derive(Debug)]
pub struct Folder {
    folder: OwnedFd,
    /// The threads of this process wait for each other, however long that takes.
    writers: Mutex<()>,
}

/// The right to write to a folder, until it is dropped.
#[derive(Debug)]
pub struct Turn<'f> {
    folder: &'f Folder,
    lock: File,
    _writer: MutexGuard<'f, ()>,
}

/// Flags of every file that is opened. A pipe of this name does not block.
const FLAGS: OFlags = OFlags::NOFOLLOW.union(OFlags::CLOEXEC).union(OFlags::NONBLOCK);
const PRIVATE: Mode = Mode::RUSR.union(Mode::WUSR);

impl Folder {
    pub fn open(path: &Path) -> io::Result<Folder> {
        // A slash at the end would follow a link.
        let path: PathBuf = path.components().collect();
        DirBuilder::new().recursive(true).mode(0o700).create(&path)?;
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let folder = match fs::open(&path, flags, Mode::empty()) {
            Err(Errno::LOOP | Errno::NOTDIR) => {
                return Err(unsafe_folder("expected a folder, found a symbolic link or file"));
            }
            found => found?,
        };
        let stat = fs::fstat(&folder)?;
        if stat.st_uid != geteuid().as_raw() {
            return Err(unsafe_folder("it belongs to another user"));
        }
        let mode = Mode::from_raw_mode(stat.st_mode);
        if mode.intersects(Mode::RWXG | Mode::RWXO) {
            let message =
                format!("expected the mode 0700, found {:04o}: others can enter it", mode.as_raw_mode());
            return Err(unsafe_folder(&message));
        }
        Ok(Folder { folder, writers: Mutex::new(()) })
    }

    /// The bytes of a file of at most `limit` bytes, which becomes the newest.
    pub fn read(&self, name: &str, limit: u64) -> Option<Vec<u8>> {
        let file = fs::openat(&self.folder, name, OFlags::RDONLY | FLAGS, Mode::empty()).ok()?;
        let stat = fs::fstat(&file).ok()?;
        let size = u64::try_from(stat.st_size).ok()?;
        if !is_own_file(&stat) || size > limit {
            return None;
        }
        if age(&stat) > HOUR {
            let now = Timespec { tv_sec: 0, tv_nsec: UTIME_NOW };
            // The entry is only removed earlier if it fails.
            let _ = fs::futimens(&file, &Timestamps { last_access: now, last_modification: now });
        }
        let mut bytes = Vec::with_capacity(usize::try_from(size).ok()? + 1);
        // A file that grows meanwhile is not read to its end; its checksum differs.
        File::from(file).take(size + 1).read_to_end(&mut bytes).ok()?;
        Some(bytes)
    }

    /// Removes a file, if it exists.
    pub fn remove(&self, name: &str) {
        let _ = fs::unlinkat(&self.folder, name, AtFlags::empty());
    }

    /// The entries.
    pub fn entries(&self) -> io::Result<Vec<EntryFile>> {
        let mut found = Vec::new();
        for entry in Dir::read_from(&self.folder)? {
            let entry = entry?;
            let Ok(name) = entry.file_name().to_str() else { continue };
            if name.len() != 64 || !name.bytes().all(|b| b.is_ascii_hexdigit()) {
                continue;
            }
            // Another process may remove damaged ones.
            let Ok(stat) = fs::statat(&self.folder, name, AtFlags::SYMLINK_NOFOLLOW) else { continue };
            let size = u64::try_from(stat.st_size).unwrap_or(0);
            found.push(EntryFile { name: name.to_owned(), size, used: used(&stat) });
        }
        Ok(found)
    }

    /// Waits for the right to write.
    pub fn turn(&self) -> io::Result<Option<Turn<'_>>> {
        // A writer that panicked left nothing that the next one relies on.
        let writer = self.writers.lock().unwrap_or_else(PoisonError::into_inner);
        let flags = OFlags::RDWR | OFlags::CREATE | FLAGS;
        // Opened each time: a lock belongs to an open file, which other caches of the process would share.
        let lock = fs::openat(&self.folder, LOCK, flags, PRIVATE)?;
        if !is_own_file(&fs::fstat(&lock)?) {
            return Err(unsafe_folder("the file `lock` is not a file of this user"));
        }
        let start = Instant::now();
        loop {
            match fs::flock(&lock, FlockOperation::NonBlockingLockExclusive) {
                Ok(()) => return Ok(Some(Turn { folder: self, lock: lock.into(), _writer: writer })),
                Err(Errno::WOULDBLOCK | Errno::INTR) if start.elapsed() < PATIENCE => {
                    sleep(Duration::from_micros(200));
                }
                Err(Errno::WOULDBLOCK | Errno::INTR) => return Ok(None),
                Err(e) => return Err(e.into()),
            }
        }
    }
}

impl Turn<'_> {
    /// The total size of the entries, if it is known.
    pub fn total(&self) -> Option<u64> {
        let mut bytes = [0; 8];
        self.lock.read_exact_at(&mut bytes, 0).ok()?;
        Some(u64::from_le_bytes(bytes))
    }

    /// Records the total size.
    pub fn set_total(&self, total: u64) -> io::Result<()> {
        self.lock.write_all_at(&total.to_le_bytes(), 0)
    }

    /// Removes the entries that were not used for the longest time until the others have at most `most` bytes, and returns their size.
    pub fn shrink(&self, most: u64) -> io::Result<u64> {
        let mut entries = self.folder.entries()?;
        entries.sort_by(|a, b| (a.used, &a.name).cmp(&(b.used, &b.name)));
        let mut total: u64 = entries.iter().map(|e| e.size).sum();
        for entry in entries {
            if total <= most {
                break;
            }
            self.folder.remove(&entry.name);
            total -= entry.size;
        }
        Ok(total)
    }

    /// Writes a file of these parts and gives it its name.
    pub fn write(&self, name: &str, parts: &[&[u8]]) -> io::Result<()> {
        let folder = &self.folder.folder;
        self.folder.remove(UNFINISHED);
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | FLAGS;
        let mut file = File::from(fs::openat(folder, UNFINISHED, flags, PRIVATE)?);
        let written = parts.iter().try_for_each(|part| file.write_all(part));
        let renamed = written.and_then(|()| Ok(fs::renameat(folder, UNFINISHED, folder, name)?));
        if renamed.is_err() {
            self.folder.remove(UNFINISHED);
        }
        renamed
    }
}

fn unsafe_folder(message: &str) -> io::Error {
    io::Error::new(io::ErrorKind::PermissionDenied, message)
}

fn is_own_file(stat: &Stat) -> bool {
    FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile && stat.st_uid == geteuid().as_raw()
}

/// The types of these fields differ among systems.
#[allow(clippy::unnecessary_cast, clippy::useless_conversion)]
fn used(stat: &Stat) -> (i64, i64) {
    (stat.st_mtime as i64, stat.st_mtime_nsec as i64)
}

/// Seconds since the last use.
fn age(stat: &Stat) -> i64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(now.as_secs()).unwrap_or(i64::MAX).saturating_sub(used(stat).0)
}
