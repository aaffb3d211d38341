//! Directives other than macros and conditionals (GLSL 4.60 section 3.3).

use super::condition::Word;
use super::engine::Engine;
use super::scan::{Kind, PTok};
use crate::extension::{Behavior, Ext, ExtSet, Status};
use crate::source::Span;
use crate::token::{Symbol, Tok};
use airfoil_ir::Stage;

/// Words that can follow `#`, for advice.
const WORDS: &[&str] = &[
    "define",
    "undef",
    "if",
    "ifdef",
    "ifndef",
    "elif",
    "else",
    "endif",
    "error",
    "pragma",
    "extension",
    "version",
    "line",
];

impl Engine<'_> {
    /// Carries out a directive, up to the end of its line.
    pub(super) fn directive(&mut self, hash: PTok) {
        self.scanner.directive = true;
        let word = self.scan();
        match word.kind {
            // A lone # is nothing.
            Kind::Newline | Kind::Eof => {}
            Kind::Name => self.named_directive(hash, word),
            _ => self.error(word, "E0610", "the name of a directive must follow '#' (GLSL 4.60 section 3.3)"),
        }
        self.drop_frames();
        while !self.stopped && !self.scan().is_end() {}
        self.scanner.directive = false;
    }

    fn named_directive(&mut self, hash: PTok, word: PTok) {
        let name = &self.names[Symbol(word.data)];
        if let Some(conditional) = Word::find(name) {
            self.conditional(conditional, word);
            return;
        }
        match name {
            "define" => self.define(),
            "undef" => self.undef(),
            "error" => {
                let text = self.rest_of_line();
                self.error(word, "E0635", format!("#error {text}"));
            }
            "pragma" => self.pragma(word),
            "extension" => self.extension(word),
            "line" => self.line(word),
            // The one at the start has been read before all else.
            "version" if self.version_at == Some(hash.lo) => while !self.scan().is_end() {},
            "version" => self.error(
                word,
                "E0630",
                "only comments and white space may precede #version (GLSL 4.60 section 3.3)",
            ),
            "include" => {
                self.error(word, "E0634", "#include is not supported: insert the text before compiling")
            }
            other => {
                let mut message = format!("unknown directive #{other} (GLSL 4.60 section 3.3)");
                if let Some(near) = airfoil_ir::diag::nearest(other, WORDS.iter().copied()) {
                    message = format!("unknown directive #{other}; did you mean #{near}?");
                }
                self.error(word, "E0610", message);
            }
        }
    }

    /// The text up to the end of the line, without comments at its end.
    fn rest_of_line(&mut self) -> String {
        let start = self.scanner.pos;
        let mut end = start;
        while !self.scan().is_end() {
            end = self.scanner.pos;
        }
        self.scanner.between(start, end).trim().to_string()
    }

    /// `#line line`, `#line line string` or, by an extension, `#line line "file"`.
    fn line(&mut self, word: PTok) {
        let Some((line, string, rest)) = self.line_numbers() else { return };
        if rest.kind == Kind::Str {
            let named = self
                .enabled
                .contains_any(&[Ext::GOOGLE_cpp_style_line_directive, Ext::GOOGLE_include_directive]);
            if !named {
                self.error(rest, "E0633", "#line takes no file name (GLSL 4.60 section 3.3)");
            }
            self.end_of_directive("#line");
        } else if !rest.is_end() {
            let text = self.text(rest).into_owned();
            self.error(rest, "E0612", format!("'{text}' after #line (GLSL 4.60 section 3.3)"));
        }
        let unsigned = |v: i64| u32::try_from(v.max(0)).unwrap_or(u32::MAX);
        // The next line has this number since GLSL 3.30 and ES 3.00; before, it is one more.
        let next = if self.version.at_least(330, 300) { line } else { line.saturating_add(1) };
        let current = self.lines.locate(word.lo).string;
        let end = self.scanner.pos;
        let end = self.scanner.original(end);
        let physical = self.lines.physical_line(end);
        let at = self.lines.line_span(physical + 1, u32::MAX).lo;
        if at != u32::MAX {
            self.lines.renumber(at, unsigned(next), string.map_or(current, unsigned));
        }
    }

    /// `#pragma`: unknown ones are kept and ignored.
    fn pragma(&mut self, word: PTok) {
        let start = self.scanner.pos;
        let mut end = start;
        let mut parts: Vec<PTok> = Vec::new();
        loop {
            let token = self.scan();
            if token.is_end() {
                break;
            }
            end = self.scanner.pos;
            if parts.len() < 8 {
                parts.push(token);
            }
        }
        let span = Span { lo: word.lo, hi: self.scanner.original(end) };
        let text = self.scanner.between(start, end).trim().to_string();
        let words: Vec<_> = parts.iter().map(|&t| self.text(t).into_owned()).collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        match words[..] {
            ["STDGL", "invariant", "(", "all", ")"] => {
                // GLSL 1.20 section 4.6.1 and GLSL ES 3.00 section 4.6.1.
                if self.options.stage == Some(Stage::Fragment) && self.version.at_least(120, 300) {
                    self.error(
                        word,
                        "E0632",
                        "invariant(all) cannot be used in a fragment shader (GLSL ES 3.00 section 4.6.1)",
                    );
                } else {
                    self.pragmas.invariant_all = true;
                }
            }
            ["optimize" | "debug", "(", "on" | "off", ")"] if self.inside_braces() => {
                let message = format!(
                    "#pragma {} can only be used outside of function definitions (GLSL 4.60 section 3.3)",
                    words[0]
                );
                self.error(word, "E0632", message);
            }
            ["optimize", "(", state @ ("on" | "off"), ")"] => self.pragmas.optimize = Some(state == "on"),
            ["debug", "(", state @ ("on" | "off"), ")"] => self.pragmas.debug = Some(state == "on"),
            [] => {}
            ["optimize" | "debug", ..] => {
                self.warning(word, "E0632", format!("#pragma {text} is ignored: it takes (on) or (off)"));
            }
            _ => self.pragmas.other.push((span, text)),
        }
    }

    /// Whether the tokens so far leave braces open. Each token is counted once.
    fn inside_braces(&mut self) -> bool {
        for token in &self.tokens[self.braces.0..] {
            match token.tok {
                Tok::LBrace => self.braces.1 += 1,
                Tok::RBrace => self.braces.1 -= 1,
                _ => {}
            }
        }
        self.braces.0 = self.tokens.len();
        self.braces.1 > 0
    }

    /// `#extension name : behaviour`
    fn extension(&mut self, word: PTok) {
        let name = self.scan();
        if name.kind != Kind::Name {
            self.error(name, "E0631", "#extension needs the name of an extension (GLSL 4.60 section 3.3)");
            return;
        }
        let colon = self.scan();
        if !colon.is_punct(Tok::Colon) {
            self.error(colon, "E0631", "':' must follow the name in #extension (GLSL 4.60 section 3.3)");
            return;
        }
        let behavior = self.scan();
        let text = self.text(behavior).into_owned();
        let known = if behavior.kind == Kind::Name { Behavior::find(&text) } else { None };
        let Some(known) = known else {
            self.error(
                behavior,
                "E0631",
                format!("unknown behavior '{text}': expected require, enable, warn or disable"),
            );
            return;
        };
        self.end_of_directive("#extension");
        if !self.tokens.is_empty() && !self.options.vulkan && !self.options.late_extensions {
            let section = match (self.version.is_es(), self.version.number) {
                (false, _) => "GLSL 4.60 section 3.3",
                (true, 100) => "GLSL ES 1.00 section 3.4",
                (true, _) => "GLSL ES 3.00 section 3.5",
            };
            let message = format!("#extension must come before all tokens of the shader ({section})");
            self.error(word, "E0631", message);
        }
        let end = self.scanner.pos;
        let at = self.scanner.original(end);
        let extension = self.text(name).into_owned();
        if extension == "all" {
            self.all_extensions(known, behavior, at);
        } else {
            self.one_extension(&extension, known, name, at);
        }
    }

    fn all_extensions(&mut self, behavior: Behavior, at: PTok, from: u32) {
        let vulkan = ExtSet::initial(self.version, self.options.vulkan).without(Ext::ARB_texture_rectangle);
        match behavior {
            Behavior::Warn => {
                let all = ExtSet::all_available(self.version);
                self.warn = all;
                self.set_extensions(all.union(vulkan), from);
            }
            Behavior::Disable => {
                self.warn = ExtSet::EMPTY;
                self.set_extensions(vulkan, from);
            }
            Behavior::Require | Behavior::Enable => self.error(
                at,
                "E0631",
                "'all' allows only the behaviors warn and disable (GLSL 4.60 section 3.3)",
            ),
        }
    }

    fn one_extension(&mut self, name: &str, behavior: Behavior, at: PTok, from: u32) {
        let ext = Ext::find(name).filter(|e| e.is_available(self.version));
        let Some(ext) = ext else {
            let reason = match Ext::find(name).map(|e| e.info().status) {
                Some(Status::Unsupported(reason)) => format!("extension {name} is not supported: {reason}"),
                Some(_) => format!("extension {name} is not in {}", self.version),
                None => format!("unknown extension {name}"),
            };
            match behavior {
                Behavior::Require => self.error(at, "E0631", reason),
                Behavior::Enable | Behavior::Warn => self.warning(at, "E0631", reason),
                Behavior::Disable => {}
            }
            return;
        };
        self.warn = if behavior == Behavior::Warn { self.warn.with(ext) } else { self.warn.without(ext) };
        let enabled = match behavior {
            Behavior::Disable => self.enabled.without(ext),
            _ => self.enabled.with_implied(ext),
        };
        self.set_extensions(enabled, from);
    }
}
