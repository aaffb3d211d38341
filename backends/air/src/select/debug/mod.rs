//! Debug information: which line of the source each instruction comes from.
//!
//! The module gets the debug information of Apple's compiler with `-g`: a compile unit (`DICompileUnit`, full debug,
//! optimised), the files, a `DISubprogram` for the entry function, and a location for each instruction whose line the
//! IR knows. The records have the form of LLVM 5, which all later readers take, too.
//!
//! | information | source |
//! |---|---|
//! | line of the function | `Function::loc` of the entry |
//! | line of an instruction | `Instr::loc` of the instruction that it was selected for; branches have that of the last instruction before |
//! | column | not kept by the IR: zero, which DWARF reads as unknown |
//! | scope of a line in another file | a `DILexicalBlockFile` in the function |
//!
//! Calls have been inlined before selection and the IR does not record from where: lines of helpers count as lines of
//! the entry function. The [`variables`] of the source are those that arguments hold, and those whose [`names`] have
//! names. The language is C++14 as in Apple's files: DWARF 4 has no number for GLSL.

pub(crate) mod locations;
pub(crate) mod names;
pub(crate) mod types;
pub(crate) mod variables;
