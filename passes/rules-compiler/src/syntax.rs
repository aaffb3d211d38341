//! The text format of rules and its parser.
//!
//! ```text
//! group: Identities
//! source: IEEE 754-2019 section 6.3
//!
//! # The sum with zero is the operand, except that -0 + 0 is 0.
//! fadd_zero [nsz]: fadd(a, 0.0) => a
//!
//! for min in imin, imax, umin, umax
//! {min}_self: {min}(a, a) => a
//! end
//! ```
//!
//! * A rule is `NAME [FLAGS]: PATTERN => REPLACEMENT if CONDITION, CONDITION`; lines that start with a space continue it.
//! * A pattern consists of operations, variables, constants to bind (`#c`), and literals. `op'(...)` matches an
//!   instruction with one use only, and no scalar that is spread over several lanes. Operands of commutative operations match in any order.
//! * `op@32`, `op@N`, `a@N` fix or name the width of a result or variable. A name is also a literal.
//! * `a.x` in a replacement is a component of a vector operand.
//! * Conditions are comparisons of widths (`N < 32`), ALU operations on constants that must yield true in all lanes
//!   (`ult(#c, N)`), or [predicates](crate::table::Fact) on variables (`nonneg(a)`).
//! * Comment lines above a rule are its documentation. `source:` applies until the next one.
//! * `for NAMES in TUPLES` to `end` repeats rules with `{NAME}` replaced; names are separated by spaces, tuples by commas.

use crate::table::{Fact, Flags};
use airfoil_ir::AluOp;
use std::fmt;

/// A rule as written.
#[derive(Clone, Debug)]
pub struct Rule {
    /// Unique name.
    pub name: String,
    /// Heading of the rules around it.
    pub group: String,
    /// Comment above it.
    pub doc: String,
    /// Where the identity comes from.
    pub source: String,
    /// File and line.
    pub file: String,
    /// Line, from 1.
    pub line: usize,
    /// Permissions that it requires.
    pub flags: Flags,
    /// Pattern.
    pub lhs: Expr,
    /// Replacement.
    pub rhs: Expr,
    /// Conditions.
    pub conditions: Vec<Condition>,
    /// Variables, in the order of their first occurrence.
    pub vars: Vec<Var>,
    /// Names of widths.
    pub widths: Vec<String>,
    /// The rule in one line, without its name.
    pub text: String,
}

/// A variable of a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Var {
    /// Name without `#`.
    pub name: String,
    /// Whether it matches constants only.
    pub constant: bool,
}

/// A width in a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Width {
    /// A number of bits.
    Bits(u8),
    /// Index of a name.
    Name(usize),
}

/// An expression of a rule.
#[derive(Clone, Debug, PartialEq)]
pub enum Expr {
    /// A variable, with its width if that is given.
    Var(usize, Option<Width>),
    /// A component of a variable.
    Comp(usize, u8),
    /// An integer.
    Int(i64),
    /// A float.
    Float(f64),
    /// A width as an integer.
    Width(usize),
    /// An operation.
    Op {
        /// The operation.
        op: AluOp,
        /// Width of the result if that is given.
        width: Option<Width>,
        /// Whether the instruction must have one use.
        single: bool,
        /// Operands.
        args: Vec<Expr>,
    },
}

/// A condition of a rule.
#[derive(Clone, Debug, PartialEq)]
pub enum Condition {
    /// A comparison of widths: `<`, `<=`, `==`, `!=`, `>`, `>=`.
    Widths(Width, &'static str, Width),
    /// A boolean expression of constants.
    Expr(Expr),
    /// A fact about a variable.
    Fact(Fact, usize),
}

/// An error with its location.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// File.
    pub file: String,
    /// Line, from 1.
    pub line: usize,
    /// Message.
    pub message: String,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.file, self.line, self.message)
    }
}

impl std::error::Error for Error {}

/// The rules of a file.
///
/// # Errors
/// The first syntax error.
pub fn parse(file: &str, text: &str) -> Result<Vec<Rule>, Error> {
    let mut reader = Reader { file, group: String::new(), source: String::new(), rules: Vec::new() };
    let mut lines: Vec<(usize, String)> = Vec::new();
    for (i, line) in text.lines().enumerate() {
        match lines.last_mut() {
            Some((_, last)) if line.starts_with(' ') && !line.trim().is_empty() => {
                last.push(' ');
                last.push_str(line.trim());
            }
            _ => lines.push((i + 1, line.trim_end().to_string())),
        }
    }
    reader.lines(&lines)?;
    Ok(reader.rules)
}

struct Reader<'a> {
    file: &'a str,
    group: String,
    source: String,
    rules: Vec<Rule>,
}

impl Reader<'_> {
    fn error<T>(&self, line: usize, message: impl Into<String>) -> Result<T, Error> {
        Err(Error { file: self.file.into(), line, message: message.into() })
    }

    fn lines(&mut self, lines: &[(usize, String)]) -> Result<(), Error> {
        let mut doc = String::new();
        let mut at = 0;
        while let Some((number, line)) = lines.get(at) {
            at += 1;
            if let Some(comment) = line.strip_prefix('#') {
                if !doc.is_empty() {
                    doc.push(' ');
                }
                doc.push_str(comment.trim());
            } else if line.is_empty() {
                doc.clear();
            } else if let Some(group) = line.strip_prefix("group:") {
                self.group = group.trim().into();
            } else if let Some(source) = line.strip_prefix("source:") {
                self.source = source.trim().into();
            } else if let Some(head) = line.strip_prefix("for ") {
                let Some(end) = lines[at..].iter().position(|(_, l)| l == "end") else {
                    return self.error(*number, "`for` without `end`");
                };
                self.repeat(*number, head, &lines[at..at + end])?;
                at += end + 1;
            } else {
                self.rule(*number, line, &doc)?;
                doc.clear();
            }
        }
        Ok(())
    }

    fn repeat(&mut self, number: usize, head: &str, lines: &[(usize, String)]) -> Result<(), Error> {
        let Some((names, tuples)) = head.split_once(" in ") else {
            return self.error(number, "expected `for NAMES in TUPLES`");
        };
        let names: Vec<&str> = names.split_whitespace().collect();
        for tuple in tuples.split(',') {
            let values: Vec<&str> = tuple.split_whitespace().collect();
            if values.len() != names.len() {
                return self.error(number, format!("expected {} values, found `{tuple}`", names.len()));
            }
            let replace = |line: &String| {
                let pairs = names.iter().zip(&values);
                pairs.fold(line.clone(), |line, (name, value)| line.replace(&format!("{{{name}}}"), value))
            };
            let copies: Vec<(usize, String)> = lines.iter().map(|(n, line)| (*n, replace(line))).collect();
            self.lines(&copies)?;
        }
        Ok(())
    }

    fn rule(&mut self, line: usize, text: &str, doc: &str) -> Result<(), Error> {
        let Some((head, body)) = text.split_once(':') else {
            return self.error(line, format!("expected `NAME: PATTERN => REPLACEMENT`, found `{text}`"));
        };
        let (name, flags) = match head.split_once('[') {
            Some((name, flags)) => (name.trim(), flags.trim().trim_end_matches(']')),
            None => (head.trim(), ""),
        };
        if name.is_empty() || !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
            return self.error(line, format!("`{name}` is not a name of a rule"));
        }
        let mut set = Flags::default();
        for word in flags.split([' ', ',']).filter(|w| !w.is_empty()) {
            match Flags::NAMES.iter().find(|(name, _)| *name == word) {
                Some((_, flag)) => set = set.with(*flag),
                None => return self.error(line, format!("`{word}` is not a flag")),
            }
        }
        let mut parser = Parser { rest: body.trim(), vars: Vec::new(), widths: Vec::new(), pattern: true };
        match parser.rule() {
            Ok((lhs, rhs, conditions)) => {
                self.rules.push(Rule {
                    name: name.into(),
                    group: self.group.clone(),
                    doc: doc.into(),
                    source: self.source.clone(),
                    file: self.file.into(),
                    line,
                    flags: set,
                    lhs,
                    rhs,
                    conditions,
                    vars: parser.vars,
                    widths: parser.widths,
                    text: body.trim().into(),
                });
                Ok(())
            }
            Err(message) => self.error(line, format!("rule `{name}`: {message}")),
        }
    }
}

struct Parser<'a> {
    rest: &'a str,
    vars: Vec<Var>,
    widths: Vec<String>,
    /// Variables may be declared.
    pattern: bool,
}

const COMPARISONS: [&str; 6] = ["<=", ">=", "==", "!=", "<", ">"];

impl Parser<'_> {
    fn accept(&mut self, token: &str) -> bool {
        self.rest = self.rest.trim_start();
        match self.rest.strip_prefix(token) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn expect(&mut self, token: &str) -> Result<(), String> {
        if self.accept(token) { Ok(()) } else { Err(format!("expected `{token}`, found `{}`", self.rest)) }
    }

    fn word(&mut self) -> String {
        self.rest = self.rest.trim_start();
        let end = self.rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
        let (word, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        self.rest = rest;
        word.into()
    }

    fn rule(&mut self) -> Result<(Expr, Expr, Vec<Condition>), String> {
        let lhs = self.expr()?;
        self.pattern = false;
        self.expect("=>")?;
        let rhs = self.expr()?;
        let mut conditions = Vec::new();
        if self.accept("if ") {
            loop {
                conditions.push(self.condition()?);
                if !self.accept(",") {
                    break;
                }
            }
        }
        if !self.rest.trim().is_empty() {
            return Err(format!("expected the end, found `{}`", self.rest));
        }
        Ok((lhs, rhs, conditions))
    }

    fn condition(&mut self) -> Result<Condition, String> {
        self.rest = self.rest.trim_start();
        let start = self.rest;
        if start.starts_with(|c: char| c.is_ascii_uppercase()) {
            let left = self.width()?;
            let Some(&comparison) = COMPARISONS.iter().find(|c| self.accept(c)) else {
                return Err(format!("expected a comparison, found `{}`", self.rest));
            };
            return Ok(Condition::Widths(left, comparison, self.width()?));
        }
        let name = self.word();
        if let Some((_, fact)) = Fact::NAMES.iter().find(|(n, _)| *n == name) {
            self.expect("(")?;
            self.accept("#");
            let var = self.word();
            let var = self.vars.iter().position(|v| v.name == var);
            let var = var.ok_or_else(|| "a fact is about a variable of the pattern".to_string())?;
            self.expect(")")?;
            return Ok(Condition::Fact(*fact, var));
        }
        self.rest = start;
        Ok(Condition::Expr(self.expr()?))
    }

    fn width(&mut self) -> Result<Width, String> {
        let word = self.word();
        if let Ok(bits) = word.parse::<u8>() {
            return Ok(Width::Bits(bits));
        }
        if !word.starts_with(|c: char| c.is_ascii_uppercase()) {
            return Err(format!("expected a width, found `{word}{}`", self.rest));
        }
        Ok(Width::Name(self.width_name(word)))
    }

    fn width_name(&mut self, word: String) -> usize {
        self.widths.iter().position(|w| *w == word).unwrap_or_else(|| {
            self.widths.push(word);
            self.widths.len() - 1
        })
    }

    fn number(&mut self) -> Result<Expr, String> {
        let end = self.rest.find(|c: char| !(c.is_ascii_alphanumeric() || "+-.".contains(c)));
        let (word, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        self.rest = rest;
        let (negative, digits) = word.strip_prefix('-').map_or((false, word), |d| (true, d));
        let wrong = || format!("`{word}` is not a number");
        if let Some(hex) = digits.strip_prefix("0x") {
            let value = u64::from_str_radix(hex, 16).map_err(|_| wrong())? as i64;
            return Ok(Expr::Int(if negative { value.wrapping_neg() } else { value }));
        }
        if digits.contains(['.', 'e']) || digits == "inf" {
            return word.parse().map(Expr::Float).map_err(|_| wrong());
        }
        word.parse().map(Expr::Int).map_err(|_| wrong())
    }

    fn expr(&mut self) -> Result<Expr, String> {
        self.rest = self.rest.trim_start();
        if self.rest.starts_with(|c: char| c.is_ascii_digit() || c == '-') || self.rest.starts_with("inf") {
            return self.number();
        }
        let constant = self.accept("#");
        let word = self.word();
        match word.as_str() {
            "" => return Err(format!("expected an expression, found `{}`", self.rest)),
            "true" => return Ok(Expr::Int(1)),
            "false" => return Ok(Expr::Int(0)),
            _ => {}
        }
        if !constant && word.starts_with(|c: char| c.is_ascii_uppercase()) {
            return Ok(Expr::Width(self.width_name(word)));
        }
        let width = if self.rest.starts_with('@') {
            self.accept("@");
            Some(self.width()?)
        } else {
            None
        };
        let single = self.rest.starts_with('\'') && self.accept("'");
        if self.rest.starts_with('(') && !constant {
            return self.operation(&word, width, single);
        }
        let var = match self.vars.iter().position(|v| v.name == word) {
            Some(var) => var,
            None if self.pattern => {
                self.vars.push(Var { name: word, constant });
                self.vars.len() - 1
            }
            None => return Err(format!("the variable `{word}` does not occur in the pattern")),
        };
        if self.rest.starts_with('.') {
            self.accept(".");
            let component = self.word();
            let index = ["x", "y", "z", "w"].iter().position(|c| *c == component);
            let index = index.ok_or_else(|| format!("`{component}` is not a component"))?;
            return Ok(Expr::Comp(var, index as u8));
        }
        Ok(Expr::Var(var, width))
    }

    fn operation(&mut self, name: &str, width: Option<Width>, single: bool) -> Result<Expr, String> {
        let op = AluOp::from_name(name).ok_or_else(|| format!("unknown operation `{name}`"))?;
        self.expect("(")?;
        let mut args = Vec::new();
        loop {
            args.push(self.expr()?);
            if !self.accept(",") {
                break;
            }
        }
        self.expect(")")?;
        if args.len() != op.num_operands() {
            return Err(format!("`{name}` has {} operands, found {}", op.num_operands(), args.len()));
        }
        Ok(Expr::Op { op, width, single, args })
    }
}
