//! The validator: checks everything that the IR promises.
//!
//! It returns all violations, each with the printed instruction. Its cost is linear in the size of the
//! shader, and no input causes a panic: stale keys and wrong shapes are reported.
//!
//! * [`rule`](Rule): the rules, one row each.
//! * `vars.rs`: types, variables, functions. `code.rs`: control flow, phis, dominance.
//! * `instr.rs`: ALU, constants and the like; `intrinsic.rs`, `deref.rs`, `tex.rs`: one kind each.
//! * `form.rs`: the restrictions of forms and stages.

mod code;
mod deref;
mod form;
mod instr;
mod intrinsic;
mod rule;
#[cfg(test)]
mod tests;
mod tex;
mod vars;

pub use rule::Rule;

use crate::body::Body;
use crate::diag::Place;
use crate::ids::{BlockId, CfId, FuncId, InstrId, VarId};
use crate::shader::{Function, Shader};
use crate::text::{Numbering, Origins, Printer};
use crate::types::{Type, TypeId};
use crate::value::Ty;
use std::fmt;

/// A broken rule.
///
/// # Examples
///
/// ```
/// use airfoil_ir::{Body, Builder, Function, IntrinsicOp, Shader, Stage, Ty, validate::validate};
///
/// let mut shader = Shader::new("main", Stage::Compute);
/// let mut main = Function::new("main");
/// Builder::at_end(&mut main.body).intrinsic(IntrinsicOp::discard, Ty::NONE, &[]);
/// shader.entry = Some(shader.add_function(main));
/// let violations = validate(&shader);
/// assert_eq!(violations[0].printed.as_deref(), Some("discard"));
/// let message = "[stage-operation] function main: not legal in a compute shader: `discard`";
/// assert_eq!(violations[0].to_string(), message);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The rule.
    pub rule: Rule,
    /// The message.
    pub message: String,
    /// The printed instruction, if it is about one; its values are renumbered.
    pub printed: Option<String>,
    /// The function.
    pub function: Option<FuncId>,
    /// The block.
    pub block: Option<BlockId>,
    /// The `if` or loop.
    pub cf: Option<CfId>,
    /// The instruction.
    pub instr: Option<InstrId>,
    /// The variable.
    pub var: Option<VarId>,
    /// The type.
    pub ty: Option<TypeId>,
}

impl Violation {
    /// A violation that concerns the shader as a whole.
    fn new(rule: Rule, message: String) -> Violation {
        Violation {
            rule,
            message,
            printed: None,
            function: None,
            block: None,
            cf: None,
            instr: None,
            var: None,
            ty: None,
        }
    }

    /// Line and column, in the text that the shader was read from, of the instruction, else of the variable, the type or the head
    /// of the function.
    pub fn place(&self, origins: &Origins<'_>) -> Option<Place> {
        let instr = self.function.zip(self.instr).and_then(|(function, id)| origins.of_instr(function, id));
        instr
            .or_else(|| origins.of_var(self.var?))
            .or_else(|| origins.of_type(self.ty?))
            .or_else(|| origins.of_function(self.function?))
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{}] {}", self.rule.name(), self.message)?;
        self.printed.as_ref().map_or(Ok(()), |printed| write!(f, ": `{printed}`"))
    }
}

/// Checks a shader; no violations means that it is valid.
pub fn validate(shader: &Shader) -> Vec<Violation> {
    let mut out = Vec::new();
    if !vars::check_types(shader, &mut out) {
        // Nothing that looks at types is safe now.
        return out;
    }
    vars::check_shader(shader, &mut out);
    for (id, function) in &shader.functions {
        FunctionChecker { shader, id, function, body: &function.body, names: None, out: &mut out }.check();
    }
    out
}

/// Checks one function.
struct FunctionChecker<'a> {
    shader: &'a Shader,
    id: FuncId,
    function: &'a Function,
    body: &'a Body,
    /// Names for messages, computed for the first violation.
    names: Option<Numbering>,
    out: &'a mut Vec<Violation>,
}

impl FunctionChecker<'_> {
    fn check(&mut self) {
        if self.check_structure() {
            let derefs = self.derefs();
            self.check_code();
            for id in self.body.all_instrs() {
                self.check_instr(id, &derefs);
            }
            self.check_form();
        }
    }

    fn report(&mut self, rule: Rule, block: Option<BlockId>, message: &str) {
        let name = &self.function.name;
        let violation = Violation::new(rule, format!("function {name}: {message}"));
        self.out.push(Violation { function: Some(self.id), block, ..violation });
    }

    /// Reports an instruction, printed.
    fn report_instr(&mut self, rule: Rule, id: InstrId, message: impl fmt::Display) {
        let names = self.names.get_or_insert_with(|| Numbering::new(self.body));
        let mut printer = Printer::new(self.shader);
        printer.instr(self.body, names, id);
        let printed = printer.finish();
        let name = &self.function.name;
        self.out.push(Violation {
            printed: Some(printed.trim().to_string()),
            function: Some(self.id),
            block: Some(self.body.block_of(id)),
            instr: Some(id),
            ..Violation::new(rule, format!("function {name}: {message}"))
        });
    }

    /// Reports an instruction unless `ok`.
    fn expect(&mut self, ok: bool, rule: Rule, id: InstrId, message: impl fmt::Display) {
        if !ok {
            self.report_instr(rule, id, message);
        }
    }

    /// Shape of an operand; operands exist once the structure is checked.
    fn ty(&self, value: InstrId) -> Ty {
        self.body.get(value).map_or(Ty::NONE, |i| i.ty)
    }

    fn type_of(&self, ty: TypeId) -> Option<&Type> {
        (ty.index() < self.shader.types.len()).then(|| &self.shader.types[ty])
    }
}
