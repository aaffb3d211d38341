//! The parser of pipelines.

use super::print::key_text;
use super::{GroupStep, LoopStep, OnStep, PassStep, Pipeline, ProgramStep, Step};
use crate::Constructs;
use crate::registry::{self, Made, Registry, Setting};
use airfoil_ir::{Diagnostic, Named, Place, Stage};
use std::sync::Arc;

impl std::str::FromStr for Pipeline {
    type Err = Diagnostic;
    fn from_str(text: &str) -> Result<Pipeline, Diagnostic> {
        Pipeline::parse(text)
    }
}

/// Limit on the depth of loops: steps nest on the stack.
const MAX_DEPTH: u32 = 32;

pub(super) struct Parser<'a> {
    text: &'a str,
    registry: &'a Registry,
    at: usize,
    /// Whether the steps are inside some that work on one shader at a time.
    per_shader: bool,
}

impl<'a> Parser<'a> {
    pub(super) fn new(text: &'a str, registry: &'a Registry) -> Parser<'a> {
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

    /// Letters of a name or value; `extra` lists the other characters that it may contain.
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
    pub(super) fn pipeline(
        &mut self,
        out: &mut Pipeline,
        depth: u32,
        nested: bool,
    ) -> Result<Vec<Step>, Diagnostic> {
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
        let (start, name) = self.word("the name of a pass", "-")?;
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
                    Step::Pass(PassStep { pass, text, key })
                }
                Made::Program(_) if self.per_shader => {
                    let message =
                        format!("pass `{name}` works on all shaders at once, not in `loop` or `on`");
                    return Err(self.error(start, "E0803", message));
                }
                Made::Program(pass) => Step::Program(ProgramStep { pass, text }),
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
        let known = self.registry.iter().map(|e| e.name()).chain(presets).chain(registry::WORDS);
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
                self.expect('}', "or `,` after an option")?;
                return Ok(settings);
            }
        }
    }
}
