//! SPIR-V front end: reads one entry point of a module into the IR.
//!
//! The module is read straight from its words; nothing is allocated per instruction. Steps:
//!
//! * `module.rs`: one sweep over the preamble, types, constants and global variables; names and
//!   decorations are linked lists per id.
//! * `state/`: the tables that the sweep fills and the function that is translated; it imports none of the other steps.
//! * `types.rs`, `constants.rs`, `variables.rs`: convert SPIR-V's declarations to the IR's. Variables are created
//!   when something refers to them.
//! * `blocks.rs`, `structure.rs`: blocks of a function to a plan of nested ifs and loops.
//! * `function.rs`: follows the plan; `dispatch.rs` maps instructions to the file that translates them.
//! * `inline.rs`: calls become the code of the function, within a budget.
//! * `repair.rs`: values used outside the region of their definition are passed through variables.
//!
//! Validity is never assumed: every id, count and type is checked where it is used.

mod alu;
mod atomics;
mod blocks;
mod built_ins;
mod calls;
mod capability;
mod composite;
mod constants;
mod convert;
mod dispatch;
mod entry;
mod error;
mod exports;
mod function;
mod glsl;
mod image;
mod inline;
mod locals;
mod matrix;
mod memory;
mod module;
mod open_constants;
mod operands;
mod options;
mod physical_pointers;
mod repair;
mod sources;
mod spec_constants;
mod state;
mod structure;
mod subgroup;
mod transform_feedback;
mod types;
mod variable_pointers;
mod variables;
mod words;

use airfoil_ir::{Diagnostic, Shader, Stage};
use error::Res;
use state::{Fixed, Open, OpenCode, Paths, Reader};

pub use capability::CAPABILITIES;
pub use options::{Environment, Options};
pub use sources::sources;
pub use spec_constants::{SpecConstant, SpecType, spec_constants};
pub use state::{BlockPart, Feedback, Interface, XfbOutput};

/// Words of a module given as bytes in either byte order.
///
/// # Errors
/// If the length is not a multiple of four.
pub fn from_bytes(bytes: &[u8]) -> Result<Vec<u32>, Vec<Diagnostic>> {
    words::words_of(bytes).map_err(|e| vec![*e])
}

/// Reads one entry point of a module given as words.
///
/// # Errors
/// If the module is invalid or uses unsupported features; each with its offset in the module.
pub fn read(words: &[u32], options: &Options) -> Result<Shader, Vec<Diagnostic>> {
    read_boxed(words, options).map(|found| found.0).map_err(|e| vec![*e])
}

/// Reads one entry point with the declarations that the IR does not have.
///
/// # Errors
/// As [`read`].
pub fn read_with_interface(words: &[u32], options: &Options) -> Result<(Shader, Interface), Vec<Diagnostic>> {
    read_boxed(words, options).map_err(|e| vec![*e])
}

/// The outputs that an entry point captures by transform feedback: the decorated ones that it uses, if it has the execution
/// mode `Xfb`.
///
/// # Errors
/// As [`read`].
pub fn transform_feedback(words: &[u32], options: &Options) -> Result<Vec<XfbOutput>, Vec<Diagnostic>> {
    read_boxed(words, options).map(|found| found.1.captures).map_err(|e| vec![*e])
}

/// Reads one entry point of a module given as bytes; see [`read`].
///
/// # Errors
/// If the module is invalid or uses unsupported features; each with its offset in the module.
pub fn read_bytes(bytes: &[u8], options: &Options) -> Result<Shader, Vec<Diagnostic>> {
    read(&from_bytes(bytes)?, options)
}

/// Names and stages of the entry points of a module, in order. Stages that have no meaning here (kernels,
/// ray tracing) are left out.
///
/// # Errors
/// If the module is malformed.
pub fn entry_points(words: &[u32]) -> Result<Vec<(String, Stage)>, Vec<Diagnostic>> {
    let list = || -> Res<Vec<(String, Stage)>> {
        let (words, _) = words::check_header(words)?;
        entry::list_entry_points(&words)
    };
    list().map_err(|e| vec![*e])
}

/// Names of the functions that a module exports (Linkage), in the order of their decorations.
///
/// # Errors
/// If the module is malformed.
pub fn exported_functions(words: &[u32]) -> Result<Vec<String>, Vec<Diagnostic>> {
    let list = || -> Res<Vec<String>> {
        let (words, _) = words::check_header(words)?;
        exports::list_exports(&words)
    };
    list().map_err(|e| vec![*e])
}

/// Stack for the limits of the reader without optimization, where frames are several times as large. Optimized, they fit into the
/// stack of any thread.
#[cfg(unoptimized)]
const STACK: usize = 16 << 20;

#[cfg(unoptimized)]
fn read_boxed(words: &[u32], options: &Options) -> Res<(Shader, Interface)> {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK);
        match thread.spawn_scoped(scope, || read_here(words, options)) {
            Ok(thread) => thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
            Err(_) => error::fail(error::LIMIT, "the system gives no thread for reading"),
        }
    })
}

#[cfg(not(unoptimized))]
use read_here as read_boxed;

fn read_here(words: &[u32], options: &Options) -> Res<(Shader, Interface)> {
    let (words, bound) = words::check_header(words)?;
    let mut paths = Paths::default();
    let code = OpenCode::new(&words, bound, options);
    let mut fixed = Fixed::default();
    loop {
        let open = Open::new(&code, &fixed);
        let mut reader = Reader::new(&words, bound + code.ids(), options, paths, open);
        let done = reader.read_entry();
        // Constants that cannot stay open: found where they are used, which may be after other uses.
        let more = if done.is_ok() { reader.newly_fixed() } else { Vec::new() };
        let (shader, interface, found) = reader.close();
        // Or variable pointers were used before all that they can point to was known.
        if !more.is_empty() || found.grew() {
            paths = found.again();
            fixed.extend(more);
            continue;
        }
        if done.is_ok() && found.nowhere {
            return error::fail(error::UNSUPPORTED, "a pointer that is always null is not supported");
        }
        return done.map(|()| (shader, interface));
    }
}

impl Reader<'_> {
    fn read_entry(&mut self) -> Res<()> {
        self.sweep()?;
        if !self.choose_export()? {
            self.choose_entry()?;
            self.make_interface()?;
        }
        function::translate_all(self)
    }
}
