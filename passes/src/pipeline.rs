//! Pipelines: passes in order, as data and as text. A whole compile is one pipeline, the *compile plan*.
//!
//! ```text
//! pipeline = step { "," step }                     a comma may follow the last step
//! step     = name [ options ]                      a pass; or a preset, which is replaced by its steps
//!          | "loop" [ options ] "(" pipeline ")"   repeated until a round changes nothing
//!          | "on" options "(" pipeline ")"         for some shaders
//!          | "group" "(" pipeline ")" "then" "(" pipeline ")"
//! options  = "{" name "=" value { "," name "=" value } "}"
//! ```
//!
//! White space and line ends may separate all of these; `# ...` is a comment up to the end of the line.
//!
//! A pipeline runs on the shaders of one program, or on a single shader. Most passes work on each shader by itself;
//! those over several stages ([`ProgramPass`]) see all of them. The steps after `then` clean up the shaders that the
//! steps of the group changed.
//!
//! The option `max` of a loop bounds its rounds. `on` has the options `stages` and `has`, one of several
//! [constructs](Constructs): `on{stages=vertex|fragment, has=phi|undef}(dce)`.

use crate::registry::{Made, Registry, Setting};
use crate::{Constructs, Pass, PassOptions, ProgramPass};
use airfoil_ir::{Diagnostic, Named, Place, Shader, Stage};
use std::fmt;
use std::sync::Arc;

/// An order of passes.
#[derive(Clone, Debug, Default)]
pub struct Pipeline {
    steps: Vec<Step>,
    /// Text of every different pass with its options; [`PassStep::key`] is the index in it.
    keys: Vec<Arc<str>>,
}

/// A step of a pipeline.
#[derive(Clone, Debug)]
pub enum Step {
    /// A pass, on each shader.
    Pass(PassStep),
    /// Steps that repeat, on each shader.
    Loop(LoopStep),
    /// A pass over all shaders at once.
    Program(ProgramStep),
    /// Steps for some shaders.
    On(OnStep),
    /// Steps, and others that clean up the shaders which they changed.
    Group(GroupStep),
    /// The steps of another pipeline.
    Include(Arc<Pipeline>),
}

/// A pass with its options.
#[derive(Clone, Debug)]
pub struct PassStep {
    pass: Arc<dyn Pass>,
    text: Arc<str>,
    key: usize,
}

/// Steps that repeat until a round changes nothing.
#[derive(Clone, Debug)]
pub struct LoopStep {
    /// Most rounds; `None` = the manager's own bound.
    pub bound: Option<u32>,
    /// The steps.
    pub steps: Vec<Step>,
}

/// A pass over all shaders of a pipeline, with its options.
#[derive(Clone, Debug)]
pub struct ProgramStep {
    pass: Arc<dyn ProgramPass>,
    text: Arc<str>,
}

/// Steps for some shaders.
#[derive(Clone, Debug)]
pub struct OnStep {
    /// The stages; empty for all.
    pub stages: Vec<Stage>,
    /// Constructs of which the shader has one; empty for all shaders.
    pub has: Constructs,
    /// The steps.
    pub steps: Vec<Step>,
}

/// Steps, and others that clean up after them.
#[derive(Clone, Debug)]
pub struct GroupStep {
    /// The steps.
    pub steps: Vec<Step>,
    /// Steps for each shader that those changed.
    pub cleanup: Vec<Step>,
}

impl PassStep {
    /// A pass that need not be registered, under its own name.
    pub fn new(pass: Box<dyn Pass>) -> PassStep {
        let text = pass.info().name.into();
        PassStep { pass: pass.into(), text, key: 0 }
    }

    /// A pass with options, under the name and the options that differ from their defaults.
    pub fn with_options<P: Pass + PassOptions + 'static>(pass: P) -> PassStep {
        let text = options_text(pass.info().name, &pass.settings()).into();
        PassStep { pass: Arc::new(pass), text, key: 0 }
    }

    /// The pass.
    pub fn pass(&self) -> &dyn Pass {
        &*self.pass
    }

    /// Name and options, as in the pipeline.
    pub fn text(&self) -> &str {
        &self.text
    }

    pub(crate) fn set_key(&mut self, key: usize) {
        self.key = key;
    }

    /// Index that equal passes with equal options share within the pipeline.
    pub fn key(&self) -> usize {
        self.key
    }
}

impl ProgramStep {
    /// The pass.
    pub fn pass(&self) -> &dyn ProgramPass {
        &*self.pass
    }

    /// Name and options, as in the pipeline.
    pub fn text(&self) -> &str {
        &self.text
    }
}

impl OnStep {
    /// Whether the steps are for this shader.
    pub fn applies(&self, shader: &Shader) -> bool {
        (self.stages.is_empty() || self.stages.contains(&shader.stage)) && self.has.found_in(shader)
    }
}

impl Step {
    /// Whether the step works on one shader at a time, so that the shaders may be done one after the other.
    pub fn is_per_shader(&self) -> bool {
        match self {
            Step::Pass(_) | Step::Loop(_) => true,
            Step::Program(_) | Step::Group(_) => false,
            Step::On(on) => on.steps.iter().all(Step::is_per_shader),
            Step::Include(pipeline) => pipeline.steps.iter().all(Step::is_per_shader),
        }
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
        Pipeline::of_steps([PassStep::new(pass)])
    }

    /// This pipeline and then a pass for the shaders of some stages; for all of them without any stage.
    #[must_use]
    pub fn pass(mut self, stages: Vec<Stage>, mut step: PassStep) -> Pipeline {
        step.key = self.key(&step.text);
        let step = Step::Pass(step);
        self.steps.push(match stages.is_empty() {
            true => step,
            false => Step::On(OnStep { stages, has: Constructs::empty(), steps: vec![step] }),
        });
        self
    }

    /// This pipeline and then a pass over all shaders, with options.
    #[must_use]
    pub fn program_pass<P: ProgramPass + PassOptions + 'static>(mut self, pass: P) -> Pipeline {
        let text = options_text(pass.info().name, &pass.settings()).into();
        self.steps.push(Step::Program(ProgramStep { pass: Arc::new(pass), text }));
        self
    }

    /// The pipeline of one pass over all shaders, which need not be registered.
    pub fn of_program_pass(pass: Box<dyn ProgramPass>) -> Pipeline {
        let text = pass.info().name.into();
        let step = Step::Program(ProgramStep { pass: pass.into(), text });
        Pipeline { steps: vec![step], keys: Vec::new() }
    }

    /// Passes one after the other.
    pub fn of_steps(passes: impl IntoIterator<Item = PassStep>) -> Pipeline {
        let mut pipeline = Pipeline::default();
        for mut step in passes {
            step.key = pipeline.key(&step.text);
            pipeline.steps.push(Step::Pass(step));
        }
        pipeline
    }

    /// This pipeline and then another one.
    #[must_use]
    pub fn then(mut self, other: Pipeline) -> Pipeline {
        let keys: Vec<usize> = other.keys.iter().map(|text| self.key(text)).collect();
        let mut steps = other.steps;
        renumber(&mut steps, &keys);
        self.steps.append(&mut steps);
        self
    }

    /// This pipeline and then a shared one, whose steps are not copied.
    #[must_use]
    pub fn include(mut self, other: Arc<Pipeline>) -> Pipeline {
        self.steps.push(Step::Include(other));
        self
    }

    /// This pipeline and then a shared one for the shaders of some stages.
    #[must_use]
    pub fn on(mut self, stages: Vec<Stage>, other: Arc<Pipeline>) -> Pipeline {
        self.steps.push(Step::On(OnStep {
            stages,
            has: Constructs::empty(),
            steps: vec![Step::Include(other)],
        }));
        self
    }

    /// This pipeline as a group, with steps that clean up after it.
    #[must_use]
    pub fn cleaned_up_by(self, cleanup: Arc<Pipeline>) -> Pipeline {
        let group = GroupStep { steps: self.steps, cleanup: vec![Step::Include(cleanup)] };
        Pipeline { steps: vec![Step::Group(group)], keys: self.keys }
    }

    /// This pipeline in a loop.
    ///
    /// A loop works on one shader at a time: the manager panics if the pipeline has a group or a pass over all shaders.
    #[must_use]
    pub fn repeated(self, bound: Option<u32>) -> Pipeline {
        Pipeline { steps: vec![Step::Loop(LoopStep { bound, steps: self.steps })], keys: self.keys }
    }

    /// The steps in order.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// How many different passes (name and options) there are.
    pub fn num_keys(&self) -> usize {
        self.keys.len()
    }

    fn key(&mut self, text: &Arc<str>) -> usize {
        self.keys.iter().position(|k| k == text).unwrap_or_else(|| {
            self.keys.push(text.clone());
            self.keys.len() - 1
        })
    }
}

fn renumber(steps: &mut [Step], keys: &[usize]) {
    for step in steps {
        match step {
            Step::Pass(pass) => pass.key = keys[pass.key],
            Step::Loop(l) => renumber(&mut l.steps, keys),
            Step::On(on) => renumber(&mut on.steps, keys),
            Step::Group(group) => {
                renumber(&mut group.steps, keys);
                renumber(&mut group.cleanup, keys);
            }
            Step::Program(_) | Step::Include(_) => {}
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
        write_steps(f, &self.steps)
    }
}

fn write_steps(f: &mut fmt::Formatter<'_>, steps: &[Step]) -> fmt::Result {
    for (i, step) in steps.iter().enumerate() {
        if i > 0 {
            f.write_str(", ")?;
        }
        match step {
            Step::Pass(p) => f.write_str(&p.text)?,
            Step::Program(p) => f.write_str(&p.text)?,
            Step::Include(pipeline) => write_steps(f, &pipeline.steps)?,
            Step::Loop(l) => {
                f.write_str("loop")?;
                if let Some(max) = l.bound {
                    write!(f, "{{max={max}}}")?;
                }
                write_nested(f, &l.steps)?;
            }
            Step::On(on) => {
                let stages: Vec<String> = on.stages.iter().map(ToString::to_string).collect();
                let options = [("stages", stages.join("|")), ("has", on.has.text())];
                let options = options.iter().filter(|(_, value)| !value.is_empty());
                let options: Vec<String> = options.map(|(name, value)| format!("{name}={value}")).collect();
                write!(f, "on{{{}}}", options.join(", "))?;
                write_nested(f, &on.steps)?;
            }
            Step::Group(group) => {
                f.write_str("group")?;
                write_nested(f, &group.steps)?;
                f.write_str(" then")?;
                write_nested(f, &group.cleanup)?;
            }
        }
    }
    Ok(())
}

fn write_nested(f: &mut fmt::Formatter<'_>, steps: &[Step]) -> fmt::Result {
    f.write_str("(")?;
    write_steps(f, steps)?;
    f.write_str(")")
}

/// Loops deeper than this are refused: steps nest on the stack.
const MAX_DEPTH: u32 = 32;

struct Parser<'a> {
    text: &'a str,
    registry: &'a Registry,
    at: usize,
    /// Whether the steps are inside some that work on one shader at a time.
    per_shader: bool,
}

impl<'a> Parser<'a> {
    fn new(text: &'a str, registry: &'a Registry) -> Parser<'a> {
        Parser { text, registry, at: 0, per_shader: false }
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
                    self.expect(')', "or `,` in a list of passes")?;
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
        match name {
            "loop" => return self.repeated(out, start, depth, &settings, steps),
            "on" => return self.on_stages(out, start, depth, &settings, steps),
            "group" => return self.group(out, start, depth, &settings, steps),
            _ => {}
        }
        if let Some(entry) = self.registry.find(name) {
            let plain: Vec<Setting> = settings.iter().map(|(_, s)| s.clone()).collect();
            let made = entry.make(&plain).map_err(|(i, message)| {
                let names = entry.options().iter().map(|o| o.name);
                let error = self.error(settings[i].0, "E0803", format!("pass `{name}`: {message}"));
                match airfoil_ir::diag::nearest(&settings[i].1.name, names) {
                    Some(near) if near != settings[i].1.name => error.help(format!("did you mean `{near}`?")),
                    _ => error,
                }
            })?;
            let text: Arc<str> = key_text(name, &plain).into();
            steps.push(match made {
                Made::Shader(pass) => {
                    let key = out.key(&text);
                    Step::Pass(PassStep { pass: pass.into(), text, key })
                }
                Made::Program(_) if self.per_shader => {
                    let message =
                        format!("pass `{name}` works on all shaders at once, not in `loop` or `on`");
                    return Err(self.error(start, "E0803", message));
                }
                Made::Program(pass) => Step::Program(ProgramStep { pass: pass.into(), text }),
            });
            return Ok(());
        }
        if let Some(preset) = self.registry.find_preset(name) {
            if let Some((at, _)) = settings.first() {
                return Err(self.error(*at, "E0803", format!("the preset `{name}` has no options")));
            }
            if depth == MAX_DEPTH {
                return Err(self.error(start, "E0801", format!("presets nest deeper than {MAX_DEPTH}")));
            }
            let mut inner = Parser::new(preset.text, self.registry);
            inner.per_shader = self.per_shader;
            steps.extend(inner.pipeline(out, depth + 1, false)?);
            return Ok(());
        }
        let error = self.error(start, "E0802", format!("there is no pass `{name}`"));
        let presets = self.registry.presets().iter().map(|p| p.name);
        let known = self.registry.iter().map(|e| e.name()).chain(presets).chain(["loop", "on", "group"]);
        Err(match airfoil_ir::diag::nearest(name, known) {
            Some(near) => error.help(format!("did you mean `{near}`?")),
            None => error,
        })
    }

    fn repeated(
        &mut self,
        out: &mut Pipeline,
        start: usize,
        depth: u32,
        settings: &[(usize, Setting)],
        steps: &mut Vec<Step>,
    ) -> Result<(), Diagnostic> {
        let mut bound = None;
        for (at, s) in settings {
            match (s.name.as_str(), s.value.parse::<u32>()) {
                ("max", Ok(max)) if max > 0 => bound = Some(max),
                _ => {
                    let message = "a loop has the option `max`, a number greater than 0";
                    return Err(self.error(*at, "E0803", message));
                }
            }
        }
        let inner = self.nested(out, start, depth, "loop", true)?;
        steps.push(Step::Loop(LoopStep { bound, steps: inner }));
        Ok(())
    }

    fn on_stages(
        &mut self,
        out: &mut Pipeline,
        start: usize,
        depth: u32,
        settings: &[(usize, Setting)],
        steps: &mut Vec<Step>,
    ) -> Result<(), Diagnostic> {
        let message = "`on` requires the option `stages` or `has`, such as `on{stages=vertex|fragment}(...)`";
        let (mut stages, mut has) = (Vec::new(), Constructs::empty());
        for (at, s) in settings {
            let known = match s.name.as_str() {
                "stages" => {
                    s.value.split('|').map(Stage::from_name).collect::<Option<_>>().map(|list| stages = list)
                }
                "has" => Constructs::parse(&s.value).map(|set| has = set),
                _ => None,
            };
            known.ok_or_else(|| self.error(*at, "E0803", message))?;
        }
        if settings.is_empty() {
            return Err(self.error(start, "E0803", message));
        }
        let inner = self.nested(out, start, depth, "on", true)?;
        steps.push(Step::On(OnStep { stages, has, steps: inner }));
        Ok(())
    }

    fn group(
        &mut self,
        out: &mut Pipeline,
        start: usize,
        depth: u32,
        settings: &[(usize, Setting)],
        steps: &mut Vec<Step>,
    ) -> Result<(), Diagnostic> {
        if self.per_shader || !settings.is_empty() {
            return Err(self.error(
                start,
                "E0803",
                "a group has no options, and is not inside `loop` or `on`",
            ));
        }
        let inner = self.nested(out, start, depth, "group", false)?;
        let (at, word) = self.word("`then` after a group", "")?;
        if word != "then" {
            return Err(self.error(at, "E0801", format!("expected `then` after a group, found `{word}`")));
        }
        let cleanup = self.nested(out, start, depth, "then", true)?;
        steps.push(Step::Group(GroupStep { steps: inner, cleanup }));
        Ok(())
    }

    /// Steps in parentheses.
    fn nested(
        &mut self,
        out: &mut Pipeline,
        start: usize,
        depth: u32,
        word: &str,
        per_shader: bool,
    ) -> Result<Vec<Step>, Diagnostic> {
        self.expect('(', &format!("after `{word}`"))?;
        if depth == MAX_DEPTH {
            return Err(self.error(start, "E0801", format!("loops nest deeper than {MAX_DEPTH}")));
        }
        let outer = self.per_shader;
        self.per_shader |= per_shader;
        let steps = self.pipeline(out, depth + 1, true);
        self.per_shader = outer;
        steps
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

/// Name and options of a pass, as a pipeline has them.
fn options_text(name: &str, settings: &[(&'static str, String)]) -> String {
    let setting = |(name, value): &(&str, String)| Setting { name: (*name).into(), value: value.clone() };
    key_text(name, &settings.iter().map(setting).collect::<Vec<_>>())
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
            "dce, loop(copy_prop, loop{max=3}(cse, dce)), loop(on{has=local_deref}(dce))",
            "on{stages=vertex, has=copy|phi}(dce)",
            "peephole_select{limit=3, loads=true}, dce",
            "group(on{stages=vertex|mesh}(dce), lower_stages{patch_vertices=4}) then(loop(cse, dce))",
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
        assert_eq!(
            error("loop(dce"),
            "1:9: error[E0801]: expected `)` or `,` in a list of passes, found the end"
        );
        assert_eq!(error("dce,,"), "1:5: error[E0801]: expected the name of a pass, found `,`");
        assert_eq!(error("loop{max=0}(dce)").find("1:6: error[E0803]"), Some(0));
        assert_eq!(error("dce{x=1}").find("1:5: error[E0803]: pass `dce`"), Some(0));
        assert!(error("peephole_select{limits=1}").ends_with("(help: did you mean `limit`?)"));
        assert_eq!(error("group(dce) cse").find("1:12: error[E0801]: expected `then`"), Some(0));
        assert_eq!(error("on(dce)").find("1:1: error[E0803]: `on` requires"), Some(0));
        assert_eq!(error("on{stages=pixel}(dce)").find("1:4: error[E0803]"), Some(0));
        assert_eq!(error("loop(lower_stages)").find("1:6: error[E0803]: pass `lower_stages` works"), Some(0));
        assert_eq!(error("é"), "1:1: error[E0801]: expected the name of a pass, found `é`");
        assert_eq!(error(&"loop(".repeat(1000)).find("1:161: error[E0801]: loops nest"), Some(0));
    }
}
