//! Changes of finished libraries: negative controls, and forms that Airfoil does not emit.

use airfoil::air::module::{MdKind, Module};
use airfoil::air::{bitcode, metallib};

/// Position of the payload of the first tag with a name.
fn payload(library: &[u8], tag: &[u8; 4]) -> Result<usize, String> {
    let at = library.windows(4).position(|w| w == tag);
    Ok(at.ok_or_else(|| format!("there is no tag {}", String::from_utf8_lossy(tag)))? + 6)
}

fn flip(mut library: Vec<u8>, at: usize) -> Result<Vec<u8>, String> {
    let byte = library.get_mut(at).ok_or("the library is too short")?;
    *byte ^= 0x55;
    Ok(library)
}

/// Removes the last 64 bytes.
///
/// # Errors
/// The library is shorter.
pub fn truncate(mut library: Vec<u8>) -> Result<Vec<u8>, String> {
    let rest = library.len().checked_sub(64).ok_or("the library is too short")?;
    library.truncate(rest);
    Ok(library)
}

/// Changes the magic number.
///
/// # Errors
/// The library is empty.
pub fn wrong_magic(library: Vec<u8>) -> Result<Vec<u8>, String> {
    flip(library, 0)
}

/// Changes a byte of the hash of the first function.
///
/// # Errors
/// The library has no hash.
pub fn wrong_hash(library: Vec<u8>) -> Result<Vec<u8>, String> {
    let at = payload(&library, b"HASH")?;
    flip(library, at)
}

/// Gives the first function the AIR version 2.99.
///
/// # Errors
/// The library has no version.
pub fn newer_air(mut library: Vec<u8>) -> Result<Vec<u8>, String> {
    let at = payload(&library, b"VERS")?;
    library.get_mut(at + 2..at + 4).ok_or("the library is too short")?.copy_from_slice(&99u16.to_le_bytes());
    Ok(library)
}

/// Damages the first module, with its hash recomputed.
///
/// # Errors
/// The library cannot be read.
pub fn damage_bitcode(library: Vec<u8>) -> Result<Vec<u8>, String> {
    replace_modules(&library, |blob| {
        let mut blob = blob.to_vec();
        // After the wrapper and the magic number.
        let end = blob.len().min(120);
        blob.get_mut(28..end).ok_or("the module is too short")?.iter_mut().for_each(|b| *b ^= 0xa5);
        Ok(blob)
    })
}

/// Replaces the bytes of all modules; sizes, offsets and hashes follow.
fn replace_modules(
    library: &[u8],
    change: impl Fn(&[u8]) -> Result<Vec<u8>, String>,
) -> Result<Vec<u8>, String> {
    let mut read = metallib::read(library).map_err(|e| e.to_string())?;
    let blobs: Vec<Vec<u8>> =
        read.functions.iter().map(|f| change(f.entry.bitcode)).collect::<Result<_, _>>()?;
    for (function, blob) in read.functions.iter_mut().zip(&blobs) {
        function.entry.bitcode = blob;
    }
    metallib::rebuild(library, &read).map_err(|e| e.to_string())
}

/// Drops the second number of each render target: the form of AIR before 2.3.
///
/// # Errors
/// The library cannot be read.
pub fn one_int_render_target(library: Vec<u8>) -> Result<Vec<u8>, String> {
    render_targets(&library, true, true)
}

/// The same for render targets that a fragment function reads.
///
/// # Errors
/// The library cannot be read.
pub fn one_int_framebuffer_fetch(library: Vec<u8>) -> Result<Vec<u8>, String> {
    render_targets(&library, false, true)
}

fn render_targets(library: &[u8], outputs: bool, inputs: bool) -> Result<Vec<u8>, String> {
    replace_modules(library, |blob| {
        let bytes = metallib::wrapper::bitcode_of(blob).map_err(|e| e.to_string())?;
        let mut module = bitcode::read(bytes).map_err(|e| e.to_string())?;
        for index in 0..module.metadata().node_count() as u32 {
            let node = module.metadata().node(index).to_vec();
            let is_word = |md: &airfoil::air::module::Md| match md.kind() {
                MdKind::String(n) => text(&module, n) == "air.render_target",
                _ => false,
            };
            // The word comes first in outputs, after the argument's index in inputs.
            let Some(at) = node.iter().take(2).position(is_word) else { continue };
            if (at == 0 && outputs || at == 1 && inputs) && node.len() > at + 2 {
                let mut short = node;
                short.remove(at + 2);
                module.set_md_node(index, &short);
            }
        }
        Ok(bitcode::write_wrapped(&module))
    })
}

fn text(module: &Module, string: u32) -> &str {
    module.metadata().strings().get(string as usize).map_or("", |&s| module.text(s))
}

/// Puts the library into a universal file with one slice.
///
/// # Errors
/// None.
pub fn universal(library: Vec<u8>) -> Result<Vec<u8>, String> {
    const OFFSET: u64 = 4096;
    let mut out = Vec::new();
    for word in [metallib::fat::FAT_MAGIC, 1, 0x0100_0017, 1] {
        out.extend_from_slice(&word.to_be_bytes());
    }
    out.extend_from_slice(&OFFSET.to_be_bytes());
    out.extend_from_slice(&(library.len() as u64).to_be_bytes());
    // Alignment: a power of two; reserved.
    out.extend_from_slice(&12u32.to_be_bytes());
    out.extend_from_slice(&0u32.to_be_bytes());
    out.resize(OFFSET as usize, 0);
    out.extend_from_slice(&library);
    Ok(out)
}
