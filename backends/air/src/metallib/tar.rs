//! Archives of files in the format `ustar` (POSIX.1-2017, pax, "ustar Interchange Format"), which the archives of sources
//! in a library are before they are packed.
//!
//! A file is a header of 512 bytes and its contents, filled up to as many; two headers of zeros are the end. Long names
//! are read in the three ways that there are: a prefix in the header, a `path` record of pax, and GNU's name in a file of its
//! own; only the first is written.

/// Size that headers have and contents are filled up to.
const UNIT: usize = 512;
/// Where fields of a header are.
mod field {
    use std::ops::Range;
    pub const NAME: Range<usize> = 0..100;
    pub const MODE: Range<usize> = 100..108;
    pub const UID: Range<usize> = 108..116;
    pub const GID: Range<usize> = 116..124;
    pub const SIZE: Range<usize> = 124..136;
    pub const TIME: Range<usize> = 136..148;
    pub const CHECKSUM: Range<usize> = 148..156;
    pub const KIND: usize = 156;
    pub const MAGIC: Range<usize> = 257..265;
    pub const PREFIX: Range<usize> = 345..500;
}
/// `ustar`, a zero, and the version.
const MAGIC: [u8; 8] = *b"ustar\x0000";

/// A file of an archive.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SourceFile {
    /// Path, as the archive has it.
    pub path: String,
    /// Contents.
    pub text: Vec<u8>,
}

/// Writes an archive, without times and owners, so that equal files make equal bytes.
///
/// # Errors
/// A path that the format has no room for.
pub fn write(files: &[SourceFile]) -> Result<Vec<u8>, String> {
    let mut out = Vec::new();
    for SourceFile { path, text } in files {
        let Some((prefix, name)) = split(path) else {
            return Err(format!("the path `{}` does not fit into an archive", path.escape_debug()));
        };
        let mut header = [0; UNIT];
        let mut put = |range: std::ops::Range<usize>, bytes: &[u8]| {
            header[range.start..range.start + bytes.len()].copy_from_slice(bytes);
        };
        put(field::NAME, name.as_bytes());
        put(field::PREFIX, prefix.as_bytes());
        put(field::MODE, b"0000644\0");
        put(field::UID, b"0000000\0");
        put(field::GID, b"0000000\0");
        put(field::TIME, b"00000000000\0");
        if text.len() >= 1 << 33 {
            return Err(format!("the file `{}` is too long for an archive", path.escape_debug()));
        }
        put(field::SIZE, format!("{:011o}\0", text.len()).as_bytes());
        put(field::MAGIC, &MAGIC);
        header[field::KIND] = b'0';
        let sum = checksum(&header);
        header[field::CHECKSUM].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
        out.extend_from_slice(&header);
        out.extend_from_slice(text);
        out.resize(out.len().next_multiple_of(UNIT), 0);
    }
    out.resize(out.len() + 2 * UNIT, 0);
    Ok(out)
}

/// Prefix and name of a path; the slash between them is in neither.
fn split(path: &str) -> Option<(&str, &str)> {
    if path.is_empty() || path.contains('\0') {
        return None;
    }
    if path.len() <= field::NAME.len() {
        return Some(("", path));
    }
    let fits =
        |at: &usize| (1..=field::PREFIX.len()).contains(at) && path.len() - at - 1 <= field::NAME.len();
    let at = path.match_indices('/').map(|(at, _)| at).find(fits)?;
    Some((&path[..at], &path[at + 1..])).filter(|(_, name)| !name.is_empty())
}

/// Sum of the bytes, those of the sum itself taken as spaces.
fn checksum(header: &[u8; UNIT]) -> u32 {
    let sum = |bytes: &[u8]| bytes.iter().map(|&b| u32::from(b)).sum::<u32>();
    sum(header) - sum(&header[field::CHECKSUM]) + 8 * u32::from(b' ')
}

/// Reads the files of an archive; folders, links and the like are left out.
///
/// # Errors
/// What is wrong with it, in words.
pub fn read(mut archive: &[u8]) -> Result<Vec<SourceFile>, String> {
    let mut files = Vec::new();
    // The name that an entry in front of the file has given to it.
    let mut given: Option<String> = None;
    while let Some((header, rest)) = archive.split_first_chunk::<UNIT>() {
        if header.iter().all(|&b| b == 0) {
            return Ok(files);
        }
        if number(&header[field::CHECKSUM]) != Some(u64::from(checksum(header))) {
            return Err("the checksum of a file's header is wrong".to_owned());
        }
        let size = number(&header[field::SIZE]).and_then(|size| usize::try_from(size).ok());
        let Some(contents) = size.and_then(|size| rest.get(..size)) else {
            return Err("a file is longer than the archive".to_owned());
        };
        archive = rest.get(contents.len().next_multiple_of(UNIT)..).unwrap_or_default();
        match header[field::KIND] {
            b'0' | 0 => {
                let path = given.take().unwrap_or_else(|| name_of(header));
                files.push(SourceFile { path, text: contents.to_vec() });
            }
            b'x' => given = pax_path(contents).or(given),
            b'L' => given = Some(text(contents)),
            _ => given = None,
        }
    }
    if archive.is_empty() { Ok(files) } else { Err("the archive ends inside a header".to_owned()) }
}

/// Up to the first zero.
fn text(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|&b| b == 0).unwrap_or(bytes.len());
    String::from_utf8_lossy(&bytes[..end]).into_owned()
}

/// Octal digits between spaces and zeros.
fn number(bytes: &[u8]) -> Option<u64> {
    let digits = bytes.trim_ascii_start();
    let digits = &digits[..digits.iter().position(|b| !b.is_ascii_digit()).unwrap_or(digits.len())];
    u64::from_str_radix(str::from_utf8(digits).ok()?, 8).ok()
}

fn name_of(header: &[u8; UNIT]) -> String {
    let (prefix, name) = (text(&header[field::PREFIX]), text(&header[field::NAME]));
    // Older formats have other things where the prefix is.
    let prefixed = header[field::MAGIC] == MAGIC && !prefix.is_empty();
    if prefixed { format!("{prefix}/{name}") } else { name }
}

/// The value of `path` among records `LENGTH KEY=VALUE\n`.
fn pax_path(mut records: &[u8]) -> Option<String> {
    loop {
        let space = records.iter().position(|&b| b == b' ')?;
        let len: usize = str::from_utf8(&records[..space]).ok()?.parse().ok()?;
        let record = records.get(space + 1..len)?;
        if let Some(value) = record.strip_prefix(b"path=") {
            return Some(String::from_utf8_lossy(value.strip_suffix(b"\n")?).into_owned());
        }
        records = &records[len..];
    }
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
            file("a.frag", "void main() {}\n"),
            file(&long, &"x".repeat(512)),
            file("empty", ""),
            file("é", "é"),
        ];
        let archive = write(&files).unwrap();
        assert_eq!(archive.len() % UNIT, 0);
        assert_eq!(read(&archive).unwrap(), files);
        // A program that packs files ends at the end.
        assert_eq!(read(&archive[..archive.len() - 2 * UNIT]).unwrap(), files);
        assert!(write(&[file(&"n".repeat(101), "")]).unwrap_err().contains("does not fit"));
        assert!(write(&[file("", "")]).is_err());
    }

    #[test]
    fn long_names_of_other_writers_are_read() {
        let entry = |kind: u8, name: &str, text: &str| {
            let mut bytes = write(&[file(name, text)]).unwrap();
            bytes[field::KIND] = kind;
            let sum = checksum(bytes.first_chunk().unwrap());
            bytes[field::CHECKSUM].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
            bytes.truncate(bytes.len() - 2 * UNIT);
            bytes
        };
        let record = "11 mtime=1\n17 path=dir/long\n";
        let pax = [entry(b'x', "h", record), entry(b'0', "short", "a"), entry(b'5', "dir", "")].concat();
        assert_eq!(read(&pax).unwrap(), [file("dir/long", "a")]);
        let gnu =
            [entry(b'L', "l", "other/long\0"), entry(0, "short", "b"), entry(b'0', "own", "c")].concat();
        assert_eq!(read(&gnu).unwrap(), [file("other/long", "b"), file("own", "c")]);
    }

    #[test]
    fn damaged_archives_are_refused() {
        let archive = write(&[file("a.frag", "void main() {}\n")]).unwrap();
        for at in 1..UNIT + 15 {
            assert!(read(&archive[..at]).is_err(), "{at}");
        }
        for at in 0..UNIT {
            let mut bad = archive.clone();
            bad[at] ^= 0x15;
            let _ = read(&bad);
        }
        let mut bad = archive.clone();
        bad[3] ^= 1;
        assert_eq!(read(&bad).unwrap_err(), "the checksum of a file's header is wrong");
    }
}
