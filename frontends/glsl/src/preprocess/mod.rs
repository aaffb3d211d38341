//! The preprocessor and lexer: source strings to tokens (GLSL 4.60 chapter 3).
//!
//! One pass: the scanner produces preprocessing tokens, directives and macros process them, and the rest
//! becomes a [`Token`] at once. Each distinct name is looked up among keywords and types once (and again only when
//! `#extension` changes the enabled extensions).

mod condition;
mod directive;
mod engine;
mod keywords;
mod macro_table;
mod macros;
mod number;
mod options;
mod scan;
mod splice;
#[cfg(test)]
mod tests;
mod version;

pub use options::{Pragmas, PreprocessOptions};

use crate::diagnostics::Diagnostics;
use crate::extension::ExtSet;
use crate::source::{LineMap, Span};
use crate::token::{Interner, Tok, Token};
use crate::version::Version;
use engine::Engine;
use scan::Scanner;

/// A preprocessed shader.
#[derive(Clone, Debug, Default)]
pub struct Preprocessed {
    /// The tokens; the last one is [`Tok::Eof`].
    pub tokens: Vec<Token>,
    /// Bits of 64-bit constants.
    pub wide: Vec<u64>,
    /// Names.
    pub names: Interner,
    /// The source strings, concatenated: the text that spans refer to.
    pub text: String,
    /// Lines of `text`.
    pub lines: LineMap,
    /// Version of the language.
    pub version: Version,
    /// The `#version` directive.
    pub version_span: Option<Span>,
    /// Extensions that have been enabled anywhere.
    pub extensions: ExtSet,
    /// Extensions whose use is to be warned of.
    pub warn: ExtSet,
    /// Changes of the enabled extensions: byte from which they hold, and the new set.
    pub extension_changes: Vec<(u32, ExtSet)>,
    /// Pragmas.
    pub pragmas: Pragmas,
    /// Diagnostics.
    pub diagnostics: Diagnostics,
    /// Arguments of macros or expressions in directives nest deeper than the options allow.
    pub too_deep: bool,
}

/// Preprocesses a shader that is given as source strings.
pub fn preprocess(strings: &[&str], options: &PreprocessOptions) -> Preprocessed {
    let bytes = strings.iter().fold(0usize, |n, s| n.saturating_add(s.len()));
    let limit = options.max_bytes.min(u32::MAX as usize - 1);
    if bytes > limit {
        let mut result = Preprocessed { version: Version::DEFAULT, ..Preprocessed::default() };
        result.tokens.push(Token { tok: Tok::Eof, len: 0, lo: 0, data: 0 });
        let message = format!("the source has {bytes} bytes, more than the limit of {limit}");
        result.diagnostics.error(Span::default(), "E0601", message);
        result.lines = LineMap::new("", &[0]);
        return result;
    }
    let mut text = String::with_capacity(bytes);
    let mut starts = Vec::with_capacity(strings.len());
    for string in strings {
        starts.push(text.len() as u32);
        text.push_str(string);
    }
    let lines = LineMap::new(&text, &starts);
    let result = run(&text, lines, options);
    Preprocessed { text, ..result }
}

/// All but the text itself, which is borrowed meanwhile.
fn run(text: &str, lines: LineMap, options: &PreprocessOptions) -> Preprocessed {
    let mut names = Interner::default();
    let mut joined = splice::join(text, true);
    let found = {
        let (clean, joints) = joined.as_ref().map_or((text, &[][..]), |j| (&j.text, &j.joints));
        version::find(clean, joints, &mut names)
    };
    let default = options.default_version.unwrap_or(Version::DEFAULT);
    let named = found.as_ref().and_then(|f| f.version.as_ref().ok().copied());
    let version = options.force_version.or(named).unwrap_or(default);
    // In ES 1.00 a backslash at the end of a comment is a part of the comment (GLSL ES 1.00 section 3.1).
    if joined.is_some() && version.is_es() && version.number == 100 {
        joined = splice::join(text, false);
    }
    let (clean, joints) = joined.as_ref().map_or((text, &[][..]), |j| (&j.text, &j.joints));
    let mut engine = Engine::new(Scanner::new(clean, joints), options, names, lines, version);
    // Short names are common: real shaders have about one token per four bytes.
    engine.tokens.reserve(clean.len() / 6 + 8);
    if let Some(found) = &found {
        engine.version_at = Some(found.span.lo);
        match &found.version {
            Err(message) if options.force_version.is_none() => {
                engine.diagnostics.error(found.span, "E0630", message.clone());
            }
            _ => {}
        }
    }
    if options.vulkan && !version.at_least(140, 310) {
        let span = found.as_ref().map_or(Span::default(), |f| f.span);
        let message = format!("Vulkan needs GLSL 1.40 or GLSL ES 3.10 at least, this is {version}");
        engine.diagnostics.error(span, "E0630", message);
    }
    for (name, body) in &options.defines {
        engine.predefine(name, body);
    }
    engine.run(text.len() as u32);
    Preprocessed {
        tokens: engine.tokens,
        wide: engine.wide,
        names: engine.names,
        text: String::new(),
        lines: engine.lines,
        version: engine.version,
        version_span: found.map(|f| f.span),
        extensions: engine.ever_enabled,
        warn: engine.warn,
        extension_changes: engine.changes,
        pragmas: engine.pragmas,
        diagnostics: engine.diagnostics,
        too_deep: engine.too_deep,
    }
}
