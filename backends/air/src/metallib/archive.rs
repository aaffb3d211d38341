//! Archives of source files: `tar`, packed by `bzip2`.

use bzip2::Compression;
use bzip2::read::{BzDecoder, BzEncoder};
use std::io::Read;
use tar::{Archive, Builder, Header};

/// An archive that unpacks to more is rejected.
const MOST_UNPACKED: u64 = 64 << 20;

/// A file of an archive.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SourceFile {
    /// Path, as in the archive.
    pub path: String,
    /// Contents.
    pub text: Vec<u8>,
}

/// Packs files, without times and owners, so that equal files make equal bytes.
///
/// # Errors
/// A path that the format has no room for.
pub(super) fn pack(files: &[SourceFile]) -> Result<Vec<u8>, String> {
    let mut builder = Builder::new(Vec::new());
    builder.preserve_absolute(true);
    for SourceFile { path, text } in files {
        let mut header = Header::new_ustar();
        header.set_mode(0o644);
        header.set_size(text.len() as u64);
        let (bytes, name) = (path.as_bytes(), &mut header.as_old_mut().name);
        let appended = if bytes.is_empty() || bytes.contains(&0) {
            Err(std::io::Error::other("no such path can be written"))
        } else if let Some(room) = name.get_mut(..bytes.len()) {
            // Not by `set_path`, which rejects paths that lead out of a folder: compilers are called with such.
            room.copy_from_slice(bytes);
            header.set_cksum();
            builder.append(&header, text.as_slice())
        } else {
            builder.append_data(&mut header, path, text.as_slice())
        };
        appended.map_err(|e| format!("the path `{}`: {e}", path.escape_debug()))?;
    }
    let archive = builder.into_inner().map_err(|e| e.to_string())?;
    let mut packed = Vec::new();
    let mut encoder = BzEncoder::new(archive.as_slice(), Compression::best());
    encoder.read_to_end(&mut packed).map_err(|e| e.to_string())?;
    Ok(packed)
}

/// Unpacks the files of an archive; folders, links and the like are left out, and so are bytes after the archive.
///
/// # Errors
/// The error as a message.
pub(super) fn unpack(packed: &[u8]) -> Result<Vec<SourceFile>, String> {
    let mut bytes = Vec::new();
    let unpacked = BzDecoder::new(packed).take(MOST_UNPACKED + 1).read_to_end(&mut bytes);
    unpacked.map_err(|e| format!("it cannot be unpacked: {e}"))?;
    if bytes.len() as u64 > MOST_UNPACKED {
        return Err(format!("it unpacks to more than {MOST_UNPACKED} bytes"));
    }
    let mut files = Vec::new();
    let mut archive = Archive::new(bytes.as_slice());
    for entry in archive.entries().map_err(|e| e.to_string())? {
        let mut entry = entry.map_err(|e| e.to_string())?;
        if !entry.header().entry_type().is_file() {
            continue;
        }
        let path = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
        let mut text = Vec::new();
        entry.read_to_end(&mut text).map_err(|e| format!("`{}`: {e}", path.escape_debug()))?;
        if text.len() as u64 != entry.size() {
            return Err(format!("`{}` is longer than the archive", path.escape_debug()));
        }
        files.push(SourceFile { path, text });
    }
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, text: &str) -> SourceFile {
        SourceFile { path: path.to_owned(), text: text.as_bytes().to_vec() }
    }

    #[test]
    fn files_come_back() {
        let long = format!("/{}/{}.frag", "folder".repeat(20), "n".repeat(80));
        let files = [
            file("../a.frag", "void main() {}\n"),
            file("/a/b.frag", "b"),
            file(&long, &"x".repeat(512)),
            file("empty", ""),
            file("é", "é"),
        ];
        let mut packed = pack(&files).unwrap();
        assert_eq!(packed, pack(&files).unwrap());
        // Sections are filled with zeros.
        packed.resize(packed.len() + 100, 0);
        assert_eq!(unpack(&packed).unwrap(), files);
        for bad in ["", "a\0b"] {
            assert!(pack(&[file(bad, "")]).unwrap_err().contains("no such path"), "{bad}");
        }
    }

    #[test]
    fn damaged_archives_are_refused() {
        let packed = pack(&[file("a.frag", "void main() {}\n")]).unwrap();
        for end in 0..packed.len() {
            assert!(unpack(&packed[..end]).is_err(), "{end}");
        }
        for at in 0..packed.len() {
            let mut bad = packed.clone();
            bad[at] ^= 0x15;
            assert!(unpack(&bad).is_err(), "{at}");
        }
    }

    #[test]
    fn archives_that_unpack_to_too_much_are_refused() {
        let mut packed = Vec::new();
        let zeros = std::io::repeat(0).take(MOST_UNPACKED + 2);
        let _ = BzEncoder::new(zeros, Compression::fast()).read_to_end(&mut packed).unwrap();
        assert!(packed.len() < 100_000);
        assert!(unpack(&packed).unwrap_err().contains("more than"));
    }
}
