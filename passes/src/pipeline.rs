//! Orders of passes as text: `vars_to_ssa, loop(copy_prop, cse, dce), lower_io{modes=in|out}`.
//!
//! ```text
//! pipeline = step { "," step }            a comma may follow the last step
//! step     = name [ options ]             a pass, or a preset, which stands for its steps
//!          | "loop" [ options ] "(" pipeline ")"    repeated until a round changes nothing
//! options  = "{" name "=" value { "," name "=" value } "}"
//! ```
//!
//! White space and line ends may stand between all of these, `# ...` is a comment to the end of the line.
//! The option `max` of a loop bounds its rounds; with `locals=true` there are rounds only while derefs of locals are left.

use crate::registry::{Registry, Setting};
use crate::{Pass, presets};
use airfoil_ir::{Diagnostic, Place};
use std::fmt;
use std::sync::Arc;

/// An order of passes.
#[derive(Debug, Default)]
pub struct Pipeline {
    steps: Vec<Step>,
    /// Text of every different pass with its options; [`PassStep::key`] counts in it.
    keys: Vec<String>,
}

/// A step of a pipeline.
#[derive(Debug)]
pub enum Step {
    /// A pass.
    Pass(PassStep),
    /// Steps that repeat.
    Loop(LoopStep),
}

/// A pass with its options.
#[derive(Clone, Debug)]
pub struct PassStep {
    pass: Arc<dyn Pass>,
    key: usize,
}

/// Steps that repeat until a round changes nothing.
#[derive(Debug)]
pub struct LoopStep {
    /// Most rounds; `None` = the manager's own bound.
    pub bound: Option<u32>,
    /// Whether a round is done only if derefs of locals are left: for steps whose work others do as well otherwise.
    pub locals: bool,
    /// The steps.
    pub steps: Vec<Step>,
}

impl PassStep {
    /// The pass.
    pub fn pass(&self) -> &dyn Pass {
        &*self.pass
    }

    /// Number that equal passes with equal options share within the pipeline.
    pub fn key(&self) -> usize {
        self.key
    }
}

impl Pipeline {
    /// The pipeline of a text.
    ///
    /// # Errors
    /// What is wrong, with line and column.
    pub fn parse(text: &str) -> Result<Pipeline, Diagnostic> {
        Pipeline::parse_with(text, Registry::builtin())
    }

    /// The pipeline of a text, with the passes of a registry.
    ///
    /// # Errors
    /// As [`Pipeline::parse`].
    pub fn parse_with(text: &str, registry: &Registry) -> Result<Pipeline, Diagnostic> {
        let mut pipeline = Pipeline::default();
        let steps = Parser::new(text, registry).pipeline(&mut pipeline, 0, false)?;
        pipeline.steps = steps;
        Ok(pipeline)
    }

    /// The pipeline of one pass, which need not be registered.
    pub fn of_pass(pass: Box<dyn Pass>) -> Pipeline {
        let keys = vec![pass.info().name.to_string()];
        Pipeline { steps: vec![Step::Pass(PassStep { pass: pass.into(), key: 0 })], keys }
    }

    /// The passes of these numbers one after the other, without loops.
    pub fn picked(&self, keys: &[usize]) -> Pipeline {
        let mut passes = vec![None; self.keys.len()];
        find_passes(&self.steps, &mut passes);
        let step = |&key: &usize| passes.get(key)?.cloned().map(Step::Pass);
        Pipeline { steps: keys.iter().filter_map(step).collect(), keys: self.keys.clone() }
    }

    /// This pipeline and then another one.
    #[must_use]
    pub fn then(mut self, other: Pipeline) -> Pipeline {
        let keys: Vec<usize> = other.keys.into_iter().map(|text| self.key(text)).collect();
        let mut steps = other.steps;
        renumber(&mut steps, &keys);
        self.steps.append(&mut steps);
        self
    }

    /// This pipeline in a loop.
    #[must_use]
    pub fn repeated(self, bound: Option<u32>) -> Pipeline {
        Pipeline {
            steps: vec![Step::Loop(LoopStep { bound, locals: false, steps: self.steps })],
            keys: self.keys,
        }
    }

    /// The steps in order.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// How many different passes (name and options) there are.
    pub fn num_keys(&self) -> usize {
        self.keys.len()
    }

    /// Name and options of a pass as text.
    pub fn key_text(&self, key: usize) -> &str {
        &self.keys[key]
    }

    fn key(&mut self, text: String) -> usize {
        self.keys.iter().position(|k| *k == text).unwrap_or_else(|| {
            self.keys.push(text);
            self.keys.len() - 1
        })
    }
}

/// The steps of each number.
fn find_passes<'p>(steps: &'p [Step], found: &mut [Option<&'p PassStep>]) {
    for step in steps {
        match step {
            Step::Pass(pass) => found[pass.key] = Some(pass),
            Step::Loop(l) => find_passes(&l.steps, found),
        }
    }
}

fn renumber(steps: &mut [Step], keys: &[usize]) {
    for step in steps {
        match step {
            Step::Pass(pass) => pass.key = keys[pass.key],
            Step::Loop(l) => renumber(&mut l.steps, keys),
        }
    }
}

impl std::str::FromStr for Pipeline {
    type Err = Diagnostic;
    fn from_str(text: &str) -> Result<Pipeline, Diagnostic> {
        Pipeline::parse(text)
    }
}

impl fmt::Display for Pipeline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write_steps(f, &self.steps)
    }
}

impl Pipeline {
    fn write_steps(&self, f: &mut fmt::Formatter<'_>, steps: &[Step]) -> fmt::Result {
        for (i, step) in steps.iter().enumerate() {
            if i > 0 {
                f.write_str(", ")?;
            }
            match step {
                Step::Pass(p) => f.write_str(&self.keys[p.key])?,
                Step::Loop(l) => {
                    f.write_str("loop")?;
                    match (l.bound, l.locals) {
                        (Some(max), false) => write!(f, "{{max={max}}}")?,
                        (Some(max), true) => write!(f, "{{max={max}, locals=true}}")?,
                        (None, true) => f.write_str("{locals=true}")?,
                        (None, false) => {}
                    }
                    f.write_str("(")?;
                    self.write_steps(f, &l.steps)?;
                    f.write_str(")")?;
                }
            }
        }
        Ok(())
    }
}

/// Loops deeper than this are refused: steps nest on the stack.
const MAX_DEPTH: u32 = 32;

struct Parser<'a> {
    text: &'a str,
    registry: &'a Registry,
    at: usize,
}

impl<'a> Parser<'a> {
    fn new(text: &'a str, registry: &'a Registry) -> Parser<'a> {
        Parser { text, registry, at: 0 }
    }

    fn error(&self, at: usize, code: &'static str, message: impl Into<String>) -> Diagnostic {
        let before = &self.text[..at];
        let line = before.matches('\n').count() as u32 + 1;
        let column = before.chars().rev().take_while(|&c| c != '\n').count() as u32 + 1;
        Diagnostic::error(code, message).at(Place::Text { file: "".into(), line, column })
    }

    fn skip_space(&mut self) {
        loop {
            let rest = &self.text[self.at..];
            self.at += rest.len() - rest.trim_start().len();
            if !self.text[self.at..].starts_with('#') {
                return;
            }
            let rest = &self.text[self.at..];
            self.at += rest.find('\n').unwrap_or(rest.len());
        }
    }

    fn accept(&mut self, c: char) -> bool {
        self.skip_space();
        let found = self.text[self.at..].starts_with(c);
        if found {
            self.at += c.len_utf8();
        }
        found
    }

    fn expect(&mut self, c: char, context: &str) -> Result<(), Diagnostic> {
        if self.accept(c) {
            return Ok(());
        }
        Err(self.error(self.at, "E0801", format!("expected `{c}` {context}, found {}", self.found())))
    }

    fn found(&self) -> String {
        match self.text[self.at..].chars().next() {
            Some(c) => format!("`{}`", c.escape_debug()),
            None => "the end".into(),
        }
    }

    /// Letters of a name or value; `extra` says which others belong to it.
    fn word(&mut self, what: &str, extra: &str) -> Result<(usize, &'a str), Diagnostic> {
        self.skip_space();
        let (start, rest) = (self.at, &self.text[self.at..]);
        let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || extra.contains(c)));
        let word = &rest[..end.unwrap_or(rest.len())];
        if word.is_empty() {
            return Err(self.error(start, "E0801", format!("expected {what}, found {}", self.found())));
        }
        self.at += word.len();
        Ok((start, word))
    }

    /// Steps up to the end of the text or, `nested`, to the closing parenthesis.
    fn pipeline(&mut self, out: &mut Pipeline, depth: u32, nested: bool) -> Result<Vec<Step>, Diagnostic> {
        let mut steps = Vec::new();
        loop {
            self.skip_space();
            if nested && self.accept(')') {
                return Ok(steps);
            }
            if !nested && self.at == self.text.len() {
                return Ok(steps);
            }
            self.step(out, depth, &mut steps)?;
            if !self.accept(',') {
                if nested {
                    self.expect(')', "or `,` in a loop")?;
                } else if self.at < self.text.len() {
                    self.expect(',', "between passes")?;
                }
                return Ok(steps);
            }
        }
    }

    fn step(&mut self, out: &mut Pipeline, depth: u32, steps: &mut Vec<Step>) -> Result<(), Diagnostic> {
        let (start, name) = self.word("the name of a pass", "")?;
        let settings = self.settings()?;
        if name == "loop" {
            let (mut bound, mut locals) = (None, false);
            for (at, s) in &settings {
                match (s.name.as_str(), s.value.as_str(), s.value.parse::<u32>()) {
                    ("max", _, Ok(max)) if max > 0 => bound = Some(max),
                    ("locals", "true", _) => locals = true,
                    ("locals", "false", _) => locals = false,
                    _ => {
                        let message = "a loop has the options `max`, a number greater than 0, and `locals`";
                        return Err(self.error(*at, "E0803", message));
                    }
                }
            }
            self.expect('(', "after `loop`")?;
            if depth == MAX_DEPTH {
                return Err(self.error(start, "E0801", format!("loops nest deeper than {MAX_DEPTH}")));
            }
            let inner = self.pipeline(out, depth + 1, true)?;
            steps.push(Step::Loop(LoopStep { bound, locals, steps: inner }));
            return Ok(());
        }
        if let Some(entry) = self.registry.find(name) {
            let plain: Vec<Setting> = settings.iter().map(|(_, s)| s.clone()).collect();
            let pass = entry.make(&plain).map_err(|(i, message)| {
                let names = entry.options().iter().map(|o| o.name);
                let error = self.error(settings[i].0, "E0803", format!("pass `{name}`: {message}"));
                match airfoil_ir::diag::nearest(&settings[i].1.name, names) {
                    Some(near) if near != settings[i].1.name => error.help(format!("did you mean `{near}`?")),
                    _ => error,
                }
            })?;
            let key = out.key(key_text(name, &plain));
            steps.push(Step::Pass(PassStep { pass: pass.into(), key }));
            return Ok(());
        }
        if let Some(preset) = presets::find(name) {
            if let Some((at, _)) = settings.first() {
                return Err(self.error(*at, "E0803", format!("the preset `{name}` has no options")));
            }
            if depth == MAX_DEPTH {
                return Err(self.error(start, "E0801", format!("presets nest deeper than {MAX_DEPTH}")));
            }
            steps.extend(Parser::new(preset.text, self.registry).pipeline(out, depth + 1, false)?);
            return Ok(());
        }
        let error = self.error(start, "E0802", format!("there is no pass `{name}`"));
        let known = self.registry.iter().map(|e| e.name()).chain(presets::PRESETS.iter().map(|p| p.name));
        Err(match airfoil_ir::diag::nearest(name, known.chain(["loop"])) {
            Some(near) => error.help(format!("did you mean `{near}`?")),
            None => error,
        })
    }

    fn settings(&mut self) -> Result<Vec<(usize, Setting)>, Diagnostic> {
        let mut settings = Vec::new();
        if !self.accept('{') {
            return Ok(settings);
        }
        loop {
            let (at, name) = self.word("the name of an option", "")?;
            self.expect('=', "after the name of an option")?;
            let (_, value) = self.word("a value", "|.+-")?;
            settings.push((at, Setting { name: name.into(), value: value.into() }));
            if !self.accept(',') {
                self.expect('}', "or `,` behind an option")?;
                return Ok(settings);
            }
        }
    }
}

fn key_text(name: &str, settings: &[Setting]) -> String {
    let mut text = name.to_string();
    for (i, s) in settings.iter().enumerate() {
        text += if i == 0 { "{" } else { ", " };
        text += &format!("{}={}", s.name, s.value);
    }
    if !settings.is_empty() {
        text.push('}');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn error(text: &str) -> String {
        Pipeline::parse(text).map(|p| p.to_string()).expect_err("must be refused").to_string()
    }

    #[test]
    fn text_is_printed_back() {
        for text in [
            "",
            "dce",
            "dce, loop(copy_prop, loop{max=3}(cse, dce)), loop{locals=true}(dce), loop{max=2, locals=true}(dce)",
            "peephole_select{limit=3, loads=true}, dce",
        ] {
            assert_eq!(Pipeline::parse(text).map(|p| p.to_string()).as_deref(), Ok(text));
        }
        let p =
            Pipeline::parse(" dce ,\n# comment\n loop( cse,dce, ) ,").map(|p| (p.to_string(), p.num_keys()));
        assert_eq!(p, Ok(("dce, loop(cse, dce)".into(), 2)));
    }

    #[test]
    fn errors_say_where_and_what() {
        assert_eq!(
            error("dce, ces"),
            "1:6: error[E0802]: there is no pass `ces` (help: did you mean `cse`?)"
        );
        assert_eq!(error("dce,\n  loop cse"), "2:8: error[E0801]: expected `(` after `loop`, found `c`");
        assert_eq!(error("dce cse"), "1:5: error[E0801]: expected `,` between passes, found `c`");
        assert_eq!(error("loop(dce"), "1:9: error[E0801]: expected `)` or `,` in a loop, found the end");
        assert_eq!(error("dce,,"), "1:5: error[E0801]: expected the name of a pass, found `,`");
        assert_eq!(error("loop{max=0}(dce)").find("1:6: error[E0803]"), Some(0));
        assert_eq!(error("dce{x=1}").find("1:5: error[E0803]: pass `dce`"), Some(0));
        assert!(error("peephole_select{limits=1}").ends_with("(help: did you mean `limit`?)"));
        assert_eq!(error("é"), "1:1: error[E0801]: expected the name of a pass, found `é`");
        assert_eq!(error(&"loop(".repeat(1000)).find("1:161: error[E0801]: loops nest"), Some(0));
    }
}
