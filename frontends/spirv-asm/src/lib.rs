//! SPIR-V assembler and disassembler: the text form that `spirv-as` reads and `spirv-dis` writes, to the words of a module
//! and back.
//!
//! ```
//! let words = airfoil_spirv_asm::assemble("OpCapability Shader\nOpMemoryModel Logical GLSL450", &Default::default())?;
//! assert_eq!(words[0], 0x0723_0203);
//! assert_eq!(words[5..7], [2 << 16 | 17, 1]);
//! # Ok::<(), Vec<airfoil_ir::Diagnostic>>(())
//! ```
//!
//! The operands of instructions and the names of enumerants are read from the tables of the `rspirv` crate, which are
//! generated from Khronos' grammar; the code handles no single instructions except those whose operands depend on other
//! instructions (constants, switches, extended instructions).
//!
//! * `token.rs`: words, strings and comments; `number.rs`: literals by type; `names.rs`: opcodes and enumerants;
//!   `encode.rs`: instructions; `decode.rs`, `friendly.rs`: their text.
//! * Ids are numbered in order of first appearance, numeric names (`%7`) included.
//! * `!123` is a literal word. The operands after it are encoded by their form alone: IDs, 32-bit numbers,
//!   strings.
//! * The module is not validated; that is the task of its reader.

mod decode;
mod encode;
mod friendly;
mod names;
mod number;
mod token;

use airfoil_ir::Diagnostic;

/// How to assemble.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Version in the header, major and minor. Without it, the version in a comment `; Version: 1.3`, as disassemblers
    /// write it, or else 1.6.
    pub version: Option<(u8, u8)>,
}

/// Assembles a module.
///
/// # Errors
/// The errors in the text, each with line and column: one per instruction, at most twenty.
pub fn assemble(text: &str, options: &Options) -> Result<Vec<u32>, Vec<Diagnostic>> {
    encode::assemble(text, options)
}

/// Disassembles a module, with names of ids as `spirv-dis` makes them, or with numbers.
///
/// ```
/// let words = airfoil_spirv_asm::assemble("OpCapability Shader\n%f = OpTypeFloat 32", &Default::default())?;
/// let text = airfoil_spirv_asm::disassemble(&words, false)?;
/// assert!(text.ends_with("      %float = OpTypeFloat 32\n"));
/// # Ok::<(), Vec<airfoil_ir::Diagnostic>>(())
/// ```
///
/// # Errors
/// If the module does not consist of a header and whole instructions.
pub fn disassemble(words: &[u32], raw_ids: bool) -> Result<String, Vec<Diagnostic>> {
    decode::disassemble(words, raw_ids).map_err(|e| vec![*e])
}
