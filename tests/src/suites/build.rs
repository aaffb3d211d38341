//! The interface between the suites of GLSL verdicts and a compiler: does this build, and if not, which step rejected it.
//!
//! The suites use nothing else of the compiler, so that they can judge others, too.

use airfoil::Stage;
use std::fmt::Write;

/// A source of a stage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// Stage.
    pub stage: Stage,
    /// GLSL.
    pub text: String,
}

/// Whether sources are linked after they are compiled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Link {
    /// Only compiled.
    #[default]
    No,
    /// As a whole program.
    Yes,
    /// As a program with some of the stages of a pipeline.
    Separable,
}

/// A program to build.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Request {
    /// The sources.
    pub sources: Vec<Source>,
    /// Version of sources without `#version`, as it would be written there, such as `110`, `100` (ES), `300 es`.
    /// `None` is the rule of OpenGL: 110.
    pub default_version: Option<String>,
    /// Whether they are linked.
    pub link: Link,
    /// GLSL for Vulkan: rules of `GL_KHR_vulkan_glsl`, interfaces match by location.
    pub vulkan: bool,
    /// Missing locations and bindings are given out in Vulkan too, instead of being errors.
    pub assign: bool,
}

/// The result of a build.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Accepted.
    Ok,
    /// A stage was rejected.
    CompileError {
        /// The stage.
        stage: Stage,
        /// The messages.
        log: String,
    },
    /// All stages were accepted, the program was rejected.
    LinkError {
        /// The messages.
        log: String,
    },
    /// The program uses something that the compiler knows but does not support.
    Unsupported {
        /// The unsupported feature, such as the name of an extension.
        what: String,
    },
}

impl Verdict {
    /// The messages; empty if all is well.
    pub fn log(&self) -> &str {
        match self {
            Verdict::Ok => "",
            Verdict::CompileError { log, .. } | Verdict::LinkError { log } => log,
            Verdict::Unsupported { what } => what,
        }
    }

    /// The verdict in one line: the component that rejected the program, and the first error.
    pub fn summary(&self) -> String {
        match self {
            Verdict::Ok => "accepted".into(),
            Verdict::CompileError { stage, log } => format!("{stage}: {}", first_error(log)),
            Verdict::LinkError { log } => format!("link: {}", first_error(log)),
            Verdict::Unsupported { what } => format!("not supported: {what}"),
        }
    }
}

/// A compiler.
pub trait Builder: Sync {
    /// Compiles, and links if requested.
    fn build(&self, request: &Request) -> Verdict;
    /// Whether separable programs, each with the stages that are taken of it, form a pipeline; `None` if the compiler
    /// cannot check that.
    fn validate_pipeline(&self, programs: &[(Request, Vec<Stage>)]) -> Option<Verdict> {
        let _ = programs;
        None
    }
    /// Whether shaders may name this extension.
    fn supports_extension(&self, name: &str, es: bool) -> bool;
    /// Preprocesses the sources and does no more; `None` if the compiler cannot do that.
    fn preprocess(&self, request: &Request) -> Option<Verdict> {
        let _ = request;
        None
    }
}

/// Longest reason in a table of results.
const MAX_REASON: usize = 300;

/// The first line that speaks of an error, or the first one at all.
fn first_error(log: &str) -> String {
    let lines = || log.lines().map(str::trim).filter(|line| !line.is_empty());
    let is_error = |line: &&str| line.contains("error") || line.contains("ERROR");
    let line = lines().find(is_error).or_else(|| lines().next()).unwrap_or("refused without words");
    line.chars().take(MAX_REASON).collect()
}

/// Sources longer than this are shown around the first error only.
const WHOLE_SOURCE: usize = 60;
/// Lines shown before and after it.
const AROUND: usize = 8;

/// For humans: the request, the messages, and the sources with line numbers.
pub fn describe(request: &Request, verdict: &Verdict) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = writeln!(text, "verdict: {}", verdict.summary());
    let version = request.default_version.as_deref().unwrap_or("110");
    let mode = if request.vulkan { "Vulkan" } else { "OpenGL" };
    let _ = writeln!(text, "asked: {mode}, link {:?}, without #version {version}", request.link);
    for line in verdict.log().lines() {
        let _ = writeln!(text, "  {line}");
    }
    for source in &request.sources {
        let wrong = match verdict {
            Verdict::CompileError { stage, log } if *stage == source.stage => error_line(log),
            _ => None,
        };
        let lines = source.text.lines().count();
        let (from, to) = match wrong {
            _ if lines <= WHOLE_SOURCE => (1, lines),
            Some(at) => (at.saturating_sub(AROUND).max(1), at + AROUND),
            None => (1, WHOLE_SOURCE),
        };
        let _ = writeln!(text, "--- {}, {lines} lines", source.stage);
        for (number, line) in (1..).zip(source.text.lines()).skip(from - 1).take(to + 1 - from) {
            let mark = if wrong == Some(number) { '>' } else { ' ' };
            let _ = writeln!(text, "{mark}{number:>4} {line}");
        }
    }
    text
}

/// The line of the first error: the last number of the first `:1:2`, `:2` or `line 2` in the log. Compilers write
/// source, line and column in different orders; this is only for showing.
fn error_line(log: &str) -> Option<usize> {
    let line = first_error(log);
    let numbers = |text: &str| -> Vec<usize> {
        text.split(|c: char| !c.is_ascii_digit() && c != ':')
            .find(|part| part.contains(':') && part.contains(|c: char| c.is_ascii_digit()))
            .map(|part| part.split(':').filter_map(|n| n.parse().ok()).collect())
            .unwrap_or_default()
    };
    let after_word = |text: &str| {
        let at = text.find("line ")? + "line ".len();
        text[at..].split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
    };
    after_word(&line).or_else(|| numbers(log).get(1).copied()).filter(|n| *n > 0)
}

#[cfg(test)]
pub(crate) mod fake {
    //! A compiler for tests, which reads its verdict in the sources.

    use super::*;

    /// Rejects sources with `bad`, programs with `unlinked`, knows `GL_yes` only, returns `Unsupported` for `exotic`;
    /// preprocessing rejects nothing.
    pub(crate) struct Fake;

    impl Builder for Fake {
        fn build(&self, request: &Request) -> Verdict {
            let has = |word: &str| request.sources.iter().find(|s| s.text.contains(word));
            if has("exotic").is_some() {
                return Verdict::Unsupported { what: "GL_exotic".into() };
            }
            if let Some(source) = has("bad") {
                return Verdict::CompileError { stage: source.stage, log: "note\n0:3: error: bad\n".into() };
            }
            match has("unlinked") {
                Some(_) if request.link != Link::No => Verdict::LinkError { log: "error: unlinked".into() },
                _ => Verdict::Ok,
            }
        }

        fn supports_extension(&self, name: &str, _es: bool) -> bool {
            name == "GL_yes"
        }

        fn preprocess(&self, _request: &Request) -> Option<Verdict> {
            Some(Verdict::Ok)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptions_show_the_place() {
        let text: String = (1..=100).map(|i| format!("line{i}\n")).collect();
        let source = Source { stage: Stage::Fragment, text };
        let request = Request { sources: vec![source], ..Request::default() };
        let verdict = Verdict::CompileError { stage: Stage::Fragment, log: "ERROR: 0:42: bad".into() };
        let shown = describe(&request, &verdict);
        assert!(shown.starts_with("verdict: fragment: ERROR: 0:42: bad\nasked: OpenGL, link No"));
        assert!(shown.contains(">  42 line42\n") && !shown.contains("line60\n"));
        let whole = describe(&request, &Verdict::Ok);
        assert!(whole.contains("   1 line1\n") && !whole.contains("line61\n"));
    }

    #[test]
    fn summaries() {
        let log = "In file\n  some error here\n".to_string();
        assert_eq!(Verdict::LinkError { log }.summary(), "link: some error here");
        assert_eq!(
            Verdict::CompileError { stage: Stage::Vertex, log: String::new() }.summary(),
            "vertex: refused without words"
        );
    }
}
