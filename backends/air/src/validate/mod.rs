//! Validator: checks that a module conforms to the dialect that all of Metal's loaders accept.
//!
//! The dialect is the part of LLVM 5's IR that Apple's compiler uses when it targets macOS 10.15 to 13. Apple's
//! loaders answer a violation with a crash of the compiler service, so everything is checked here, and all
//! violations are returned, worded and located.

pub(crate) mod calls;
mod cfg;
mod debug;
mod effects;
mod function;
mod symbols;
mod types;

use crate::ll::type_text;
use crate::module::{Module, TypeId};
use crate::rules::Rule;
use std::fmt;

/// One breach of the dialect's rules.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Violation {
    /// The rule, of the [table](crate::rules) that the linter has as well.
    pub rule: Rule,
    /// Name of the function it is in, if it is in one.
    pub function: Option<String>,
    /// The instruction: its position in the body and its keyword.
    pub inst: Option<(u32, &'static str)>,
    /// The message.
    pub message: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(function) = &self.function {
            write!(f, "function `{function}`: ")?;
        }
        if let Some((position, name)) = self.inst {
            write!(f, "instruction %v{position} ({name}): ")?;
        }
        f.write_str(&self.message)
    }
}

/// The part of LLVM's IR that a module may use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Dialect {
    /// That of LLVM 5, which every loader of Metal reads. Airfoil emits no other.
    #[default]
    Llvm5,
    /// That of Apple's compilers for AIR 2.6 and later: also `bfloat`, `poison`, `freeze`, `fneg` and attributes that LLVM 14 knows.
    Llvm14,
}

/// All violations of a module that Airfoil emits; none means that it may be written.
pub fn validate(module: &Module) -> Vec<Violation> {
    validate_as(module, Dialect::Llvm5)
}

/// All violations of a module in a dialect.
pub fn validate_as(module: &Module, dialect: Dialect) -> Vec<Violation> {
    let mut checker = Checker { m: module, dialect, found: Vec::new(), function: None, inst: None };
    checker.types();
    checker.constants();
    checker.symbols();
    checker.attributes();
    checker.metadata();
    checker.air_functions();
    for (index, function) in module.functions().iter().enumerate() {
        checker.function = Some(index);
        let before = checker.found.len();
        checker.body(function);
        checker.inst = None;
        // Only of a body whose operands exist.
        if checker.found.len() == before {
            checker.memory_attributes(function);
        }
    }
    checker.function = None;
    checker.call_graph();
    checker.found
}

/// State of one validation.
struct Checker<'m> {
    m: &'m Module,
    dialect: Dialect,
    found: Vec<Violation>,
    /// Function being checked.
    function: Option<usize>,
    /// Instruction being checked.
    inst: Option<(u32, &'static str)>,
}

impl Checker<'_> {
    fn report(&mut self, message: impl Into<String>) {
        self.report_as(Rule::MalformedModule, message);
    }

    fn report_as(&mut self, rule: Rule, message: impl Into<String>) {
        let function =
            self.function.and_then(|f| self.m.functions().get(f)).map(|f| self.m.text(f.name).to_owned());
        self.found.push(Violation { rule, function, inst: self.inst, message: message.into() });
    }

    /// Reports a construct of later LLVM versions, unless the dialect has it.
    fn require_later<S: Into<String>>(&mut self, rule: Rule, construct: impl FnOnce() -> S) {
        if self.dialect < Dialect::Llvm14 {
            self.report_as(rule, format!("{} is newer than the dialect", construct().into()));
        }
    }

    /// Reports unless `holds`; the message is built only then.
    fn require<S: Into<String>>(&mut self, holds: bool, message: impl FnOnce() -> S) -> bool {
        self.require_as(Rule::MalformedModule, holds, message)
    }

    /// The same for another rule than that of valid IR.
    fn require_as<S: Into<String>>(&mut self, rule: Rule, holds: bool, message: impl FnOnce() -> S) -> bool {
        if !holds {
            self.report_as(rule, message());
        }
        holds
    }

    fn text(&self, ty: TypeId) -> String {
        type_text(self.m, ty)
    }
}
