//! `airfoil metallib`: shows, verifies, extracts, packs and compares libraries.

mod diff;
mod pack;
mod verify;

use crate::Failure;
use crate::modules::{File, is_module, unreadable};
use crate::output::{self, Sink, words};
use crate::report::Console;
use airfoil::air::metallib::{self, Library, Sources, fat, wrapper};
use airfoil::{Diagnostic, Place};
use clap::{Args, Subcommand};
use diff::DiffArgs;
use pack::PackArgs;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use verify::VerifyArgs;

#[derive(Args, Debug)]
#[command(
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    after_help = "\
Examples:
  airfoil metallib fade.metallib
  airfoil metallib --extract out fade.metallib     each function's module as out/NAME.air
  airfoil metallib fade.air
  airfoil metallib pack a.air b.air -o ab.metallib
  airfoil metallib extract ab.metallib --out-dir parts
  airfoil metallib verify ab.metallib --os macos13
  airfoil metallib diff old.metallib new.metallib

Exit status 1: the file cannot be read, a check of it (hashes, sizes, ranges, Metal's rules) fails, or files differ."
)]
pub struct MetallibArgs {
    /// A .metallib (or an archive of several), .air or .bc file; - is the standard input
    #[arg(value_name = "FILE", required = true)]
    pub file: Option<PathBuf>,
    /// Write the module of each function to this folder
    #[arg(long, value_name = "DIR")]
    pub extract: Option<PathBuf>,
    #[command(subcommand)]
    pub command: Option<MetallibCommand>,
}

#[derive(Debug, Subcommand)]
pub enum MetallibCommand {
    /// Show the content of a library (default)
    Show {
        /// A .metallib (or an archive of several), .air or .bc file; - is the standard input
        file: PathBuf,
    },
    /// Check libraries, modules or the interface of a pair against Metal's rules
    Verify(VerifyArgs),
    /// Write the module of each function to a folder
    Extract {
        /// A .metallib file
        file: PathBuf,
        /// The folder, which is created if it does not exist
        #[arg(long, value_name = "DIR", default_value = ".")]
        out_dir: PathBuf,
    },
    /// Put modules together to a library
    Pack(PackArgs),
    /// Compare two files function by function; exit status 1 if they differ
    Diff(DiffArgs),
}

/// Runs the command.
pub fn run(args: &MetallibArgs, console: Console) -> Result<ExitCode, Failure> {
    match (&args.command, &args.file) {
        (None, Some(file)) | (Some(MetallibCommand::Show { file }), _) => {
            show(file, args.extract.as_deref(), true, console)
        }
        (Some(MetallibCommand::Extract { file, out_dir }), _) => show(file, Some(out_dir), false, console),
        (Some(MetallibCommand::Verify(args)), _) => verify::run(args, console),
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

/// Describes a file of any of the types; returns the checks that it fails.
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
    let sources = metallib::read_sources(bytes, &library).map_err(|e| unreadable(base, e))?;
    if let Some(sources) = &sources {
        describe_sources(sources, out);
    }
    if let Some(dir) = extract {
        extract_modules(&library, dir)?;
        extract_sources(sources.as_ref(), &dir.join("sources"))?;
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

/// Lists the sources that a library carries.
fn describe_sources(sources: &Sources, out: &mut String) {
    let _ = writeln!(out, "\nsources");
    if let Some(directory) = sources.directory.as_deref().filter(|d| !d.is_empty()) {
        let _ = writeln!(out, "  folder      {}", directory.escape_debug());
    }
    if !sources.link_options.is_empty() {
        let _ = writeln!(out, "  linked by   {}", sources.link_options.escape_debug());
    }
    for archive in &sources.archives {
        let _ = writeln!(out, "  archive     {}", archive.name.escape_debug());
        for file in &archive.files {
            let _ = writeln!(out, "    {:>8} bytes  {}", file.text.len(), file.path.escape_debug());
        }
    }
}

/// A folder for each archive; files that would not stay in it get a number for a name.
fn extract_sources(sources: Option<&Sources>, dir: &Path) -> Result<(), Box<Diagnostic>> {
    let fail =
        |name: &str, e| Box::new(Diagnostic::error("E0005", format!("cannot write {name}: {}", words(&e))));
    for (number, archive) in sources.iter().flat_map(|s| &s.archives).enumerate() {
        for (index, file) in archive.files.iter().enumerate() {
            let path = dir.join(number.to_string()).join(source_path(&file.path, index));
            let folder = path.parent().unwrap_or(dir);
            fs::create_dir_all(folder).map_err(|e| fail(&folder.display().to_string(), e))?;
            fs::write(&path, &file.text).map_err(|e| fail(&path.display().to_string(), e))?;
        }
    }
    Ok(())
}

/// A path below a folder, whatever the archive contains: without the root, and replaced by an index if it leaves the
/// folder or has characters that are not valid in names on some system.
fn source_path(path: &str, index: usize) -> PathBuf {
    let below = path.trim_start_matches('/');
    let tame = |part: &str| {
        let odd = |c: char| c.is_control() || matches!(c, '\\' | ':' | '*' | '?' | '"' | '<' | '>' | '|');
        !matches!(part, "" | "." | "..") && part.len() < 200 && !part.contains(odd)
    };
    if below.split('/').all(tame) { below.split('/').collect() } else { format!("source.{index}").into() }
}

/// A name that stays in its folder whatever the library contains; with an index if it had to change.
fn file_name(function: &str, index: usize) -> String {
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    let tame = !function.is_empty() && function.len() < 200 && function.chars().all(plain);
    if tame { format!("{function}.air") } else { format!("function.{index}.air") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_stay_in_the_folder() {
        assert_eq!(source_path("a.frag", 3), Path::new("a.frag"));
        assert_eq!(source_path("/home/a/b.frag", 3), Path::new("home/a/b.frag"));
        for bad in ["", "/", "../x", "a/../../x", "a//b", "./a", "c:\\x", "a\\b", "nul\0"] {
            assert_eq!(source_path(bad, 3), Path::new("source.3"), "{bad}");
        }
    }

    #[test]
    fn names_stay_in_the_folder() {
        assert_eq!(file_name("main_0", 3), "main_0.air");
        for bad in ["", "../x", "/etc/x", "a.b", "a\\b", "nul\0"] {
            assert_eq!(file_name(bad, 3), "function.3.air");
        }
    }
}
