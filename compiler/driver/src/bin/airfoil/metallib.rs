//! `airfoil metallib`: what is in a library or a module.

mod diff;
mod pack;

use crate::Failure;
use crate::library_args::{MetallibArgs, MetallibCommand};
use crate::modules::{File, is_module, unreadable};
use crate::output::{self, Sink, words};
use crate::report::Console;
use airfoil::air::metallib::{self, Library, fat, wrapper};
use airfoil::{Diagnostic, Place};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::ExitCode;

/// Runs the command.
pub fn run(args: &MetallibArgs, console: Console) -> Result<ExitCode, Failure> {
    match (&args.command, &args.file) {
        (None, Some(file)) | (Some(MetallibCommand::Show { file }), _) => {
            show(file, args.extract.as_deref(), true, console)
        }
        (Some(MetallibCommand::Extract { file, out_dir }), _) => show(file, Some(out_dir), false, console),
        (Some(MetallibCommand::Verify { file }), _) => verify(file, console),
        (Some(MetallibCommand::Pack(args)), _) => pack::run(args, console),
        (Some(MetallibCommand::Diff(args)), _) => diff::run(args, console),
        (None, None) => Ok(ExitCode::SUCCESS),
    }
}

/// Shows a file, or takes it apart, or both.
fn show(path: &Path, extract: Option<&Path>, print: bool, console: Console) -> Result<ExitCode, Failure> {
    let name = path.display().to_string();
    let refuse = |d: Box<Diagnostic>| Failure::Reported(1, console.render(&[*d], &name, None));
    let file = File::read(path, console)?;
    let mut out = String::new();
    let faults = describe(&file.bytes, extract, &mut out).map_err(refuse)?;
    if print {
        output::print(out.as_bytes())
            .map_err(|e| refuse(Diagnostic::error("E0005", format!("cannot print: {}", words(&e))).into()))?;
    }
    if faults.is_empty() {
        return Ok(ExitCode::SUCCESS);
    }
    Err(Failure::Reported(1, console.render(&faults, &name, None)))
}

/// All checks of the container, and every module can be read.
fn verify(path: &Path, console: Console) -> Result<ExitCode, Failure> {
    show(path, None, false, console)?;
    let file = File::read(path, console)?;
    let libraries = file.libraries()?;
    for part in file.parts(&libraries) {
        file.module(&part)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Describes a file of any of the kinds; returns what is wrong with it though it could be read.
fn describe(
    bytes: &[u8],
    extract: Option<&Path>,
    out: &mut String,
) -> Result<Vec<Diagnostic>, Box<Diagnostic>> {
    if is_module(bytes) {
        if extract.is_some() {
            let fault = Diagnostic::error("E0006", "this is one module; there is nothing to extract from it");
            return Err(fault.into());
        }
        return describe_module(bytes, out).map(|()| Vec::new());
    }
    if !fat::is_fat(bytes) {
        return describe_library(bytes, 0, extract, out);
    }
    let slices = fat::slices(bytes).map_err(|e| unreadable(0, e))?;
    let _ = writeln!(out, "archive of {} libraries, {} bytes", slices.len(), bytes.len());
    let mut faults = Vec::new();
    for (index, slice) in slices.iter().enumerate() {
        let _ = writeln!(
            out,
            "\nslice {index}: CPU type {:#x}, subtype {:#x}, at {:#x}",
            slice.cpu_type, slice.cpu_subtype, slice.offset
        );
        let folder = extract.map(|dir| dir.join(index.to_string()));
        faults.extend(describe_library(slice.bytes, slice.offset as usize, folder.as_deref(), out)?);
    }
    Ok(faults)
}

/// `base` is where the library starts in the file.
fn describe_library(
    bytes: &[u8],
    base: usize,
    extract: Option<&Path>,
    out: &mut String,
) -> Result<Vec<Diagnostic>, Box<Diagnostic>> {
    let library = metallib::read(bytes).map_err(|e| unreadable(base, e))?;
    let _ = write!(out, "{}", library.report());
    if let Some(dir) = extract {
        extract_modules(&library, dir)?;
    }
    let fault = |check: &metallib::Check| {
        let failure = check.failure.as_deref().unwrap_or_default();
        Diagnostic::error("E0007", format!("{}: {failure}", check.what))
            .at(Place::Byte(base.saturating_add(check.offset as usize)))
    };
    Ok(library.failures().map(fault).collect())
}

/// `.air` and `.bc` files.
fn describe_module(bytes: &[u8], out: &mut String) -> Result<(), Box<Diagnostic>> {
    let bitcode = wrapper::bitcode_of(bytes).map_err(|e| unreadable(0, e))?;
    if bytes.len() == bitcode.len() {
        let _ = writeln!(out, "bitcode without wrapper, {} bytes", bytes.len());
        return Ok(());
    }
    let outer = wrapper::parse(bytes).map_err(|e| unreadable(0, e))?;
    let _ = writeln!(out, "bitcode in a wrapper, {} bytes", bytes.len());
    let _ = writeln!(out, "  wrapper     version {}, CPU type {:#x}", outer.version, outer.cpu_type);
    let _ = writeln!(out, "  bitcode     {} bytes", bitcode.len());
    let _ = writeln!(out, "  padding     {} bytes", outer.padding.len());
    Ok(())
}

fn extract_modules(library: &Library<'_>, dir: &Path) -> Result<(), Box<Diagnostic>> {
    let fail =
        |name: &str, e| Box::new(Diagnostic::error("E0005", format!("cannot write {name}: {}", words(&e))));
    fs::create_dir_all(dir).map_err(|e| fail(&dir.display().to_string(), e))?;
    let mut products = Vec::new();
    for (index, function) in library.functions.iter().enumerate() {
        let file = dir.join(file_name(function.entry.name, index));
        products.push((Sink::File(file), function.entry.bitcode.to_vec()));
    }
    output::write_all(&products).map_err(|(name, e)| fail(&name, e))
}

/// A name that stays in its folder whatever the library says; numbered where it had to change.
fn file_name(function: &str, index: usize) -> String {
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    let tame = !function.is_empty() && function.len() < 200 && function.chars().all(plain);
    if tame { format!("{function}.air") } else { format!("function.{index}.air") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_in_the_folder() {
        assert_eq!(file_name("main_0", 3), "main_0.air");
        for bad in ["", "../x", "/etc/x", "a.b", "a\\b", "nul\0"] {
            assert_eq!(file_name(bad, 3), "function.3.air");
        }
    }
}
