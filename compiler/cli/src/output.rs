//! Outputs: files that are replaced atomically, and the standard output.

use std::collections::BTreeSet;
use std::fs::{self, OpenOptions};
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, Once, PoisonError};

/// A file that is written under a temporary name in the same folder and renamed by [`commit`](Self::commit).
///
/// If it is dropped before that, or if the process is interrupted or terminated by a signal, the temporary file is removed.
/// A device or pipe, such as `/dev/null`, is not replaced: `commit` writes to it.
#[derive(Debug)]
pub struct PendingFile {
    contents: Contents,
    target: PathBuf,
}

#[derive(Debug)]
enum Contents {
    /// The temporary file that has them.
    File(PathBuf),
    /// Those of a device.
    Bytes(Vec<u8>),
}

static NEXT: AtomicU64 = AtomicU64::new(0);

/// Temporary files that a signal must remove.
static TEMPORARY: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// Exit status after a signal, as shells report SIGINT.
const INTERRUPTED: i32 = 130;

fn temporary() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    TEMPORARY.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes the temporary files on SIGINT, SIGTERM and SIGHUP, and on Ctrl-C under Windows.
fn watch_signals() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // Without a handler, files may remain.
        let _ = ctrlc::set_handler(|| {
            // The lock is held until the end, so that no other thread writes a file in between.
            let files = temporary();
            files.iter().for_each(|file| _ = fs::remove_file(file));
            process::exit(INTERRUPTED);
        });
    });
}

impl PendingFile {
    /// Writes the temporary file.
    pub fn write(path: &Path, bytes: &[u8]) -> io::Result<PendingFile> {
        // A symbolic link is kept; its target is replaced.
        watch_signals();
        let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
        if fs::metadata(&target).is_ok_and(|m| !m.is_file() && !m.is_dir()) {
            return Ok(PendingFile { contents: Contents::Bytes(bytes.to_vec()), target });
        }
        let name = target.file_name().unwrap_or_default().to_string_lossy();
        loop {
            let number = NEXT.fetch_add(1, Ordering::Relaxed);
            let temporary = target.with_file_name(format!(".{name}.{}-{number}.tmp", process::id()));
            let mut files = self::temporary();
            let opened = OpenOptions::new().write(true).create_new(true).open(&temporary);
            if opened.is_ok() {
                files.insert(temporary.clone());
            }
            drop(files);
            match opened {
                // Left by a killed process with the same ID.
                Err(e) if e.kind() == io::ErrorKind::AlreadyExists => continue,
                Err(e) => return Err(e),
                Ok(mut file) => {
                    let pending = PendingFile { contents: Contents::File(temporary), target };
                    file.write_all(bytes)?;
                    return Ok(pending);
                }
            }
        }
    }

    /// Renames the file to its final name, replacing an older one; or writes to a device.
    pub fn commit(self) -> io::Result<()> {
        match &self.contents {
            Contents::File(name) => {
                let mut files = temporary();
                fs::rename(name, &self.target)?;
                files.remove(name);
                Ok(())
            }
            Contents::Bytes(bytes) => OpenOptions::new().write(true).open(&self.target)?.write_all(bytes),
        }
    }
}

impl Drop for PendingFile {
    fn drop(&mut self) {
        // After a rename it is not in the set; a failure to clean up cannot be reported.
        if let Contents::File(name) = &self.contents
            && temporary().remove(name)
        {
            let _ = fs::remove_file(name);
        }
    }
}

/// Destination of an output.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Sink {
    /// The standard output.
    Stdout,
    /// A file.
    File(PathBuf),
}

impl Sink {
    /// `-` is the standard output.
    pub fn of(path: &Path) -> Sink {
        if path.as_os_str() == "-" { Sink::Stdout } else { Sink::File(path.to_path_buf()) }
    }
}

/// Writes products so that either all files are replaced or, if one cannot be written, none.
///
/// # Errors
/// The sink that failed, and why.
pub fn write_all(products: &[(Sink, Vec<u8>)]) -> Result<(), (String, io::Error)> {
    let mut pending = Vec::new();
    for (sink, bytes) in products {
        let Sink::File(path) = sink else { continue };
        let fail = |e| (path.display().to_string(), e);
        if path.is_dir() {
            return Err(fail(io::Error::other("it is a directory")));
        }
        pending.push((path, PendingFile::write(path, bytes).map_err(fail)?));
    }
    for (path, file) in pending {
        file.commit().map_err(|e| (path.display().to_string(), e))?;
    }
    for (sink, bytes) in products {
        if *sink == Sink::Stdout {
            print(bytes).map_err(|e| ("standard output".to_string(), e))?;
        }
    }
    Ok(())
}

/// Writes to the standard output. A closed pipe is not an error.
pub fn print(bytes: &[u8]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Err(e) if e.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        result => result,
    }
}

/// The standard output is a terminal.
pub fn stdout_is_terminal() -> bool {
    io::stdout().is_terminal()
}

/// The message of a system error, without its number.
pub fn words(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "no such file or folder".to_string(),
        io::ErrorKind::PermissionDenied => "permission denied".to_string(),
        _ => {
            let text = error.to_string();
            text.split(" (os error").next().unwrap_or(&text).to_string()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_leaves_all_files_as_they_were() {
        let dir = std::env::temp_dir().join(format!("airfoil-output-{}", process::id()));
        fs::create_dir_all(&dir).unwrap();
        let good = dir.join("good");
        fs::write(&good, "old").unwrap();
        let bad = dir.join("missing/bad");
        let products =
            [(Sink::File(good.clone()), b"new".to_vec()), (Sink::File(bad.clone()), b"new".to_vec())];
        let (name, error) = write_all(&products).unwrap_err();
        assert_eq!((name, words(&error).as_str()), (bad.display().to_string(), "no such file or folder"));
        assert_eq!(fs::read_to_string(&good).unwrap(), "old");
        assert_eq!(fs::read_dir(&dir).unwrap().count(), 1);
        write_all(&products[..1]).unwrap();
        assert_eq!(fs::read_to_string(&good).unwrap(), "new");
        assert_eq!(fs::read_dir(&dir).unwrap().count(), 1);
        fs::remove_dir_all(&dir).unwrap();
    }

    /// A device, here a named pipe, is written to and stays.
    #[cfg(unix)]
    #[test]
    fn devices_are_not_replaced() {
        use std::os::unix::fs::FileTypeExt;
        let dir = std::env::temp_dir().join(format!("airfoil-pipe-{}", process::id()));
        fs::create_dir_all(&dir).unwrap();
        let pipe = dir.join("pipe");
        assert!(process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let reader = std::thread::spawn({
            let pipe = pipe.clone();
            move || fs::read(pipe).unwrap()
        });
        PendingFile::write(&pipe, b"rows").and_then(PendingFile::commit).unwrap();
        assert!(fs::metadata(&pipe).unwrap().file_type().is_fifo());
        assert_eq!(reader.join().unwrap(), b"rows");
        fs::remove_dir_all(&dir).unwrap();
    }
}
