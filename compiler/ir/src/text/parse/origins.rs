//! Where the parts of a shader are in the text that it was read from.

use super::parser::Parser;
use crate::diag::Place;
use crate::ids::{FuncId, InstrId, VarId};
use rustc_hash::FxHashMap;

/// Positions of the variables, functions and instructions of a text, for messages about them.
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
/// let place = origins.place(violation.function, violation.instr, violation.var);
/// assert_eq!(place.map(|place| place.to_string()), Some("4:5".to_string()));
/// # Ok::<(), Vec<airfoil_ir::Diagnostic>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Origins<'a> {
    text: &'a str,
    vars: FxHashMap<VarId, usize>,
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

    /// Line and column of an instruction of a function, else of a variable, else of the head of the function.
    pub fn place(
        &self,
        function: Option<FuncId>,
        instr: Option<InstrId>,
        var: Option<VarId>,
    ) -> Option<Place> {
        let instr = function.zip(instr).and_then(|key| self.instrs.get(&key));
        let at = instr.or_else(|| self.vars.get(&var?)).or_else(|| self.functions.get(&function?))?;
        Some(Place::in_text(self.text, *at))
    }

    pub(super) fn var(&mut self, id: VarId, at: usize) {
        self.vars.insert(id, at);
    }

    pub(super) fn function(&mut self, id: FuncId, at: usize) {
        self.functions.insert(id, at);
    }

    pub(super) fn instr(&mut self, function: FuncId, id: InstrId, at: usize) {
        self.instrs.insert((function, id), at);
    }
}
