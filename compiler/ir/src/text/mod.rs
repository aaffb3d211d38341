//! The text form of shaders, `.foil`: complete, exact, and pleasant to write by hand.
//!
//! [`print()`] writes a whole shader in canonical form; [`parse`] reads it back, and reads hand-written text: shapes,
//! masks, labels and empty `else` sides may be omitted where they follow from the rest. `docs/foil.md` has the grammar.
//!
//! * `print.rs` writes shaders, `instr.rs` instructions; `names.rs` gives values, blocks and variables their names.
//! * `lexer.rs` and `parse/` read. Reading is one pass without recursion over the code.
//! * `literal.rs`, `words.rs`, `info.rs` hold the parts that both directions share: numbers, words, header fields.
//! * `same.rs` compares shaders up to their keys ([`Shader::same_as`]).

mod info;
mod instr;
mod lexer;
mod literal;
mod names;
mod parse;
mod print;
mod same;
mod words;

pub use names::Numbering;
pub use parse::{MAX_DEPTH, Origins, parse};
pub use print::Printer;

use crate::body::Body;
use crate::ids::InstrId;
use crate::shader::Shader;

/// A shader in canonical text form. [`parse`] gives the same shader back.
pub fn print(shader: &Shader) -> String {
    let mut printer = Printer::new(shader);
    printer.shader();
    printer.finish()
}

/// The code of one function, without its head.
pub fn print_body(shader: &Shader, body: &Body) -> String {
    let mut printer = Printer::new(shader);
    printer.body(body, &Numbering::new(body), 0);
    printer.finish()
}

/// One instruction, for messages. Takes time in the size of the body; for many instructions keep a
/// [`Printer`] and a [`Numbering`].
///
/// Never panics: names of values, blocks and variables that do not exist are written as `%?`, `b?` or `&?`.
pub fn print_instr(shader: &Shader, body: &Body, id: InstrId) -> String {
    let mut printer = Printer::new(shader);
    printer.instr(body, &Numbering::new(body), id);
    printer.finish()
}

#[cfg(test)]
mod tests;
