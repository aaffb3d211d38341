//! Formats of diagnostics: `human`, `short`, `json` and `gl`.

use airfoil::glsl::info_log;
use airfoil::{Diagnostic, Place, Severity};
use clap::ValueEnum;
use clap::builder::styling::{AnsiColor, Style};
use serde_json::{Value, json};
use std::env;
use std::fmt::Write as _;
use std::io::{self, IsTerminal, Write as _};

/// How diagnostics are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum MessageFormat {
    /// With an excerpt of the source and advice
    #[default]
    Human,
    /// One line per diagnostic
    Short,
    /// One JSON object per line, in the format of rustc
    Json,
    /// As the info log of an OpenGL driver: source string, line, column, without codes
    Gl,
}

/// When colours are used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ColorChoice {
    /// On a terminal, unless NO_COLOR or CLICOLOR=0 is set
    #[default]
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// Most diagnostics of one input that are printed.
const MOST_SHOWN: usize = 20;
/// Most characters of a source line that are shown.
const MOST_COLUMNS: usize = 140;

/// How and where messages go: the standard error stream.
#[derive(Clone, Copy, Debug)]
pub struct Console {
    /// How diagnostics are written.
    pub format: MessageFormat,
    /// Colours are used.
    pub color: bool,
    /// Neither progress nor summary.
    pub quiet: bool,
}

impl Console {
    /// Settings from the command line and the environment.
    pub fn new(format: MessageFormat, color: ColorChoice, quiet: bool) -> Console {
        let terminal = io::stderr().is_terminal();
        let variable = |name: &str| env::var(name).ok().filter(|value| !value.is_empty());
        let color = match color {
            ColorChoice::Always => true,
            ColorChoice::Never => false,
            ColorChoice::Auto => auto_color(terminal, variable),
        };
        Console { format, color: color && format != MessageFormat::Json, quiet }
    }

    /// A bar may be drawn.
    pub fn shows_progress(&self) -> bool {
        !self.quiet && self.format == MessageFormat::Human && io::stderr().is_terminal()
    }

    /// Writes text that is already rendered. Errors are ignored: they could not be reported.
    pub fn write(&self, text: &str) {
        let _ = io::stderr().lock().write_all(text.as_bytes());
    }

    /// Renders the diagnostics of one input; `source` is its text, for excerpts.
    pub fn render(&self, diagnostics: &[Diagnostic], name: &str, source: Option<&str>) -> String {
        let mut out = String::new();
        let shown = if self.format == MessageFormat::Human { MOST_SHOWN } else { usize::MAX };
        for diagnostic in diagnostics.iter().take(shown) {
            let _ = match self.format {
                MessageFormat::Human => self.human(&mut out, diagnostic, name, source),
                MessageFormat::Short => writeln!(out, "{}", short(diagnostic, name)),
                MessageFormat::Json => writeln!(out, "{}", self.json(diagnostic, name, source)),
                MessageFormat::Gl => write!(out, "{}", clean(&info_log(std::slice::from_ref(diagnostic)))),
            };
        }
        if let Some(more) = diagnostics.len().checked_sub(shown).filter(|n| *n > 0) {
            let _ = writeln!(out, "... and {more} more; `--message-format short` shows all\n");
        }
        out
    }

    fn paint(&self, style: Style, text: &str) -> String {
        if self.color { format!("{style}{text}{style:#}") } else { text.to_string() }
    }

    fn human(&self, out: &mut String, d: &Diagnostic, name: &str, source: Option<&str>) -> std::fmt::Result {
        let (word, color) = level(d.severity);
        let head = Style::new().bold().fg_color(Some(color.into()));
        let frame = Style::new().bold().fg_color(Some(AnsiColor::BrightBlue.into()));
        let title = self.paint(Style::new().bold(), &clean(&d.message));
        writeln!(out, "{}: {title}", self.paint(head, &format!("{word}[{}]", d.code)))?;

        let excerpt = Excerpt::of(&d.place, source);
        let width = excerpt.as_ref().map_or(1, |e| e.line.to_string().len());
        let pad = " ".repeat(width);
        writeln!(out, "{pad} {} {}", self.paint(frame, "-->"), place(d, name))?;
        let bar = self.paint(frame, "|");
        if let Some(e) = excerpt {
            writeln!(out, "{pad}  {bar}")?;
            writeln!(out, " {} {bar} {}", self.paint(frame, &e.line.to_string()), e.text)?;
            if e.carets > 0 {
                let carets = self.paint(head, &"^".repeat(e.carets));
                writeln!(out, "{pad}  {bar} {}{carets}", " ".repeat(e.indent))?;
            }
        }
        if let Some(help) = &d.help {
            let label = self.paint(Style::new().bold(), "help");
            writeln!(out, "{pad}  {} {label}: {}", self.paint(frame, "="), clean(help))?;
        }
        out.push('\n');
        Ok(())
    }

    /// The shape of rustc's messages, which editors know; `place` replaces spans for binary inputs.
    fn json(&self, d: &Diagnostic, name: &str, source: Option<&str>) -> Value {
        let mut rendered = String::new();
        // Writing to a string cannot fail.
        let _ = self.human(&mut rendered, d, name, source);
        let children: Vec<Value> = d
            .help
            .iter()
            .map(|help| {
                json!({ "message": help, "code": null, "level": "help", "spans": [], "children": [], "rendered": null })
            })
            .collect();
        json!({
            "$message_type": "diagnostic",
            "message": d.message,
            "code": { "code": d.code, "explanation": null },
            "level": level(d.severity).0,
            "file": name,
            "spans": span(d, name, source).into_iter().collect::<Vec<_>>(),
            "place": json_place(&d.place),
            "children": children,
            "rendered": rendered,
        })
    }
}

/// The rules of <https://no-color.org> and <https://bixense.com/clicolors>.
fn auto_color(terminal: bool, variable: impl Fn(&str) -> Option<String>) -> bool {
    if variable("NO_COLOR").is_some() {
        return false;
    }
    if variable("CLICOLOR_FORCE").is_some_and(|v| v != "0") {
        return true;
    }
    terminal && variable("CLICOLOR").is_none_or(|v| v != "0") && variable("TERM").is_none_or(|v| v != "dumb")
}

fn level(severity: Severity) -> (&'static str, AnsiColor) {
    match severity {
        Severity::Error => ("error", AnsiColor::BrightRed),
        Severity::Warning => ("warning", AnsiColor::BrightYellow),
    }
}

/// File and location.
fn place(d: &Diagnostic, name: &str) -> String {
    match &d.place {
        Place::None => clean(name),
        Place::Text { file, .. } if file.is_empty() => format!("{}:{}", clean(name), d.place),
        // A location in the source of the input.
        Place::Text { .. } | Place::Word { .. } | Place::Byte(_) => clean(&format!("{name}: {}", d.place)),
    }
}

fn short(d: &Diagnostic, name: &str) -> String {
    format!("{}: {}[{}]: {}", place(d, name), level(d.severity).0, d.code, clean(&d.message))
}

fn span(d: &Diagnostic, name: &str, source: Option<&str>) -> Option<Value> {
    let Place::Text { file, line, column } = &d.place else { return None };
    let own = file.is_empty();
    let text = source.filter(|_| own).and_then(|s| s.lines().nth((*line).saturating_sub(1) as usize));
    let first = (*column).max(1);
    let width =
        text.map_or(1, |t| if *column == 0 { t.chars().count() } else { word_length(t, first as usize - 1) });
    let start = source.zip(text).map(|(s, t)| {
        // Both are slices of one string.
        let line_start = t.as_ptr() as usize - s.as_ptr() as usize;
        let offset = |n: usize| t.char_indices().nth(n).map_or(t.len(), |(i, _)| i);
        let from = first as usize - 1;
        (line_start + offset(from), line_start + offset(from + width))
    });
    let highlight =
        text.map(|t| json!({ "text": t, "highlight_start": first, "highlight_end": first as usize + width }));
    Some(json!({
        "file_name": if own { name } else { file },
        "byte_start": start.map_or(0, |s| s.0),
        "byte_end": start.map_or(0, |s| s.1),
        "line_start": line,
        "line_end": line,
        "column_start": first,
        "column_end": first as usize + width,
        "is_primary": true,
        "text": highlight.into_iter().collect::<Vec<_>>(),
        "label": null,
        "suggested_replacement": null,
        "suggestion_applicability": null,
        "expansion": null,
    }))
}

fn json_place(place: &Place) -> Value {
    match place {
        Place::None | Place::Text { .. } => Value::Null,
        Place::Byte(offset) => json!({ "byte": offset }),
        Place::Word { offset, result, source } => json!({
            "word": offset,
            "byte": offset.saturating_mul(4),
            "result": result,
            "source": source.as_deref().map(|(file, line)| json!({ "file": file, "line": line })),
        }),
    }
}

/// A line of source with a marked range.
#[derive(Debug, PartialEq, Eq)]
struct Excerpt {
    line: u32,
    text: String,
    indent: usize,
    carets: usize,
}

impl Excerpt {
    fn of(place: &Place, source: Option<&str>) -> Option<Excerpt> {
        let Place::Text { file, line, column } = place else { return None };
        if !file.is_empty() {
            return None;
        }
        let text = source?.lines().nth(line.checked_sub(1)? as usize)?;
        if *column == 0 {
            let text: String = clean_line(text).chars().take(MOST_COLUMNS).collect();
            return Some(Excerpt { line: *line, text, indent: 0, carets: 0 });
        }
        // A long line is shown from shortly before the mark on.
        let at = (*column as usize - 1).min(text.chars().count());
        let skip = if at > MOST_COLUMNS * 3 / 4 { at - MOST_COLUMNS / 4 } else { 0 };
        let carets = word_length(text, at).min(MOST_COLUMNS - (at - skip));
        let text: String = clean_line(text).chars().skip(skip).take(MOST_COLUMNS).collect();
        Some(Excerpt { line: *line, text: text.trim_end().to_string(), indent: at - skip, carets })
    }
}

/// Characters of the word that begins at a column, at least one.
fn word_length(line: &str, column: usize) -> usize {
    let mut rest = line.chars().skip(column);
    let sigil = rest.next().is_some_and(|c| c.is_alphanumeric() || "_%&@\"".contains(c));
    if !sigil {
        return 1;
    }
    1 + rest.take_while(|c| c.is_alphanumeric() || matches!(c, '_' | '.')).count()
}

/// Text from inputs with control characters replaced, one for one.
pub fn clean_line(text: &str) -> String {
    text.chars()
        .map(|c| {
            if c == '\t' {
                ' '
            } else if c.is_control() {
                '\u{fffd}'
            } else {
                c
            }
        })
        .collect()
}

/// The same for messages, which may have several lines.
fn clean(text: &str) -> String {
    text.chars().map(|c| if c.is_control() && c != '\n' { '\u{fffd}' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: Console = Console { format: MessageFormat::Human, color: false, quiet: false };

    fn text(line: u32, column: u32) -> Place {
        Place::Text { file: "".into(), line, column }
    }

    #[test]
    fn words_of_a_module_are_places() {
        let place = Place::Word {
            offset: 412,
            result: Some("%texel".into()),
            source: Some(Box::new(("old.frag".into(), 31))),
        };
        let d = Diagnostic::error(
            "E0304",
            "OpImageSparseSampleImplicitLod is not expressible in AIR for macOS 11",
        )
        .at(place)
        .help("--target macos13 has sparse textures");
        assert_eq!(
            PLAIN.render(&[d], "old.frag.spv", None),
            "error[E0304]: OpImageSparseSampleImplicitLod is not expressible in AIR for macOS 11\n  \
             --> old.frag.spv: word 412, result %texel, old.frag:31\n   \
             = help: --target macos13 has sparse textures\n\n"
        );
    }

    #[test]
    fn places_in_the_original_source_name_the_input_too() {
        let place = Place::Text { file: "old.frag".into(), line: 31, column: 0 };
        let out = PLAIN.render(&[Diagnostic::error("E1", "m").at(place)], "old.spv", None);
        assert_eq!(out, "error[E1]: m\n  --> old.spv: old.frag:31\n\n");
    }

    #[test]
    fn text_is_shown_with_a_mark() {
        let source = "foil 1\n\n\tfloat f = fract2(uv.x);\n";
        let d = Diagnostic::error("E1050", "`fract2` is not a function").at(text(3, 12));
        assert_eq!(
            PLAIN.render(&[d], "fade.foil", Some(source)),
            "error[E1050]: `fract2` is not a function\n  --> fade.foil:3:12\n   |\n \
             3 |  float f = fract2(uv.x);\n   |            ^^^^^^\n\n"
        );
    }

    #[test]
    fn places_outside_the_text_do_no_harm() {
        let long = "x".repeat(5000);
        for source in ["", "a", long.as_str()] {
            for (line, column) in
                [(0, 0), (0, 7), (1, 0), (1, 1), (1, 4999), (1, u32::MAX), (9, 9), (u32::MAX, 1)]
            {
                let d = Diagnostic::warning("W1", "m").at(text(line, column));
                for format in [MessageFormat::Human, MessageFormat::Short, MessageFormat::Json] {
                    let out = Console { format, ..PLAIN }.render(std::slice::from_ref(&d), "n", Some(source));
                    assert!(out.len() < 12_000 && out.contains("W1"), "{line}:{column}: {out}");
                }
                let log = Console { format: MessageFormat::Gl, ..PLAIN }.render(&[d], "n", Some(source));
                assert_eq!(log, format!("0:{line}({column}): warning: m\n"));
            }
        }
    }

    #[test]
    fn escape_sequences_of_inputs_are_harmless() {
        let d = Diagnostic::error("E1", "bad \x1b[31m").at(text(1, 1));
        let out = PLAIN.render(&[d], "a\x1bb", Some("\x1b]0;title\x07"));
        assert!(!out.contains('\x1b') && !out.contains('\x07'), "{out:?}");
    }

    #[test]
    fn json_has_the_shape_of_rustc() {
        let console = Console { format: MessageFormat::Json, ..PLAIN };
        let d = Diagnostic::error("E0101", "no").at(text(2, 3)).help("yes");
        let out = console.render(&[d], "ä.foil", Some("ä\nöü foo.x"));
        let v: Value = serde_json::from_str(&out).unwrap();
        let span = &v["spans"][0];
        assert_eq!((&v["level"], &v["code"]["code"]), (&json!("error"), &json!("E0101")));
        assert_eq!((&span["byte_start"], &span["column_start"]), (&json!(7), &json!(3)));
        assert_eq!(v["children"][0]["message"], "yes");
        assert_eq!(v["spans"][0]["file_name"], "ä.foil");
    }

    #[test]
    fn colors_follow_the_environment() {
        let with = |terminal, name: &str, value: &str| {
            auto_color(terminal, |n| (n == name).then(|| value.to_string()))
        };
        assert!(with(true, "", "") && !with(false, "", ""));
        assert!(!with(true, "NO_COLOR", "1") && !with(true, "CLICOLOR", "0") && !with(true, "TERM", "dumb"));
        assert!(with(false, "CLICOLOR_FORCE", "1") && !with(false, "CLICOLOR_FORCE", "0"));
    }

    #[test]
    fn a_flood_is_cut() {
        let many: Vec<Diagnostic> = (0..30).map(|_| Diagnostic::error("E1", "m")).collect();
        let out = PLAIN.render(&many, "f", None);
        assert!(out.matches("error[E1]").count() == 20 && out.contains("... and 10 more"));
    }
}
