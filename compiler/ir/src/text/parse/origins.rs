//! Where the parts of a shader are in the text that it was read from.

use super::parser::Parser;
use crate::diag::Place;
use crate::ids::{FuncId, InstrId, VarId};
use crate::types::TypeId;
use rustc_hash::FxHashMap;

/// Positions of the variables, types, functions and instructions of a text, for messages about them.
///
/// # Examples
///
/// ```
/// use airfoil_ir::{text, validate::validate};
///
/// let source = r#"foil 1 shader vertex "main" {
///   fn main {
///     %size = load_subgroup_size
///     discard
///   }
/// }"#;
/// let [violation] = &validate(&text::parse(source)?)[..] else { panic!("`discard` is for fragments") };
/// let origins = text::Origins::of(source);
/// assert_eq!(violation.place(&origins).map(|place| place.to_string()), Some("4:5".to_string()));
/// # Ok::<(), Vec<airfoil_ir::Diagnostic>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Origins<'a> {
    text: &'a str,
    vars: FxHashMap<VarId, usize>,
    types: FxHashMap<TypeId, usize>,
    functions: FxHashMap<FuncId, usize>,
    instrs: FxHashMap<(FuncId, InstrId), usize>,
}

impl<'a> Origins<'a> {
    /// Reads a text, which [`parse`](super::parse) accepts, once more. The keys are those of the shader that `parse` returned.
    pub fn of(text: &'a str) -> Origins<'a> {
        let mut parser = Parser::new(text);
        parser.origins = Some(Origins { text, ..Origins::default() });
        let _ = parser.file();
        parser.origins.unwrap_or_default()
    }

    fn place(&self, at: Option<&usize>) -> Option<Place> {
        at.map(|&at| Place::in_text(self.text, at))
    }

    /// Line and column of an instruction of a function.
    pub fn of_instr(&self, function: FuncId, instr: InstrId) -> Option<Place> {
        self.place(self.instrs.get(&(function, instr)))
    }

    /// Line and column of the name of a variable.
    pub fn of_var(&self, var: VarId) -> Option<Place> {
        self.place(self.vars.get(&var))
    }

    /// Line and column at which a type appears first; for a structure of its name.
    pub fn of_type(&self, ty: TypeId) -> Option<Place> {
        self.place(self.types.get(&ty))
    }

    /// Line and column of the head of a function.
    pub fn of_function(&self, function: FuncId) -> Option<Place> {
        self.place(self.functions.get(&function))
    }

    pub(super) fn var(&mut self, id: VarId, at: usize) {
        self.vars.insert(id, at);
    }

    pub(super) fn ty(&mut self, id: TypeId, at: usize) {
        self.types.entry(id).or_insert(at);
    }

    pub(super) fn function(&mut self, id: FuncId, at: usize) {
        self.functions.insert(id, at);
    }

    pub(super) fn instr(&mut self, function: FuncId, id: InstrId, at: usize) {
        self.instrs.insert((function, id), at);
    }
}
