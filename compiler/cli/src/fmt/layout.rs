//! The layout of the text form.

use airfoil::ir::text;
use airfoil::{Diagnostic, Shader};
use airfoil_filetest::split_shaders;

/// Formats a file of shaders.
///
/// # Errors
/// The file does not parse.
pub fn format(text: &str) -> Result<String, Vec<Diagnostic>> {
    let (input, expected) = split_expected(text);
    let mut out = lay_out(input);
    let mut before = parse(input)?;
    let mut after = parse(&out)?;
    if let Some((line, output)) = expected {
        out += line;
        // An output that is not a shader is not ours to change; one that does not parse fails its test.
        match output.trim_start().starts_with("foil ") && parse(output).is_ok() {
            true => {
                let laid_out = lay_out(output);
                before.extend(parse(output)?);
                after.extend(parse(&laid_out)?);
                out += &laid_out;
            }
            false => out += output,
        }
    }
    let same = before.len() == after.len() && before.iter().zip(&after).all(|(a, b)| a.same_as(b));
    match same {
        true => Ok(out),
        false => Err(vec![Diagnostic::error("E0000", "internal error: formatting would change the shader")]),
    }
}

/// The input of a test, its line `EXPECT`, and the expected output.
fn split_expected(text: &str) -> (&str, Option<(&str, &str)>) {
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if line.trim_end() == "; EXPECT" || line.starts_with("; EXPECT ERROR") {
            return (&text[..at], Some((line, &text[at + line.len()..])));
        }
        at += line.len();
    }
    (text, None)
}

fn parse(text: &str) -> Result<Vec<Shader>, Vec<Diagnostic>> {
    split_shaders(text).iter().map(|text| text::parse(text)).collect()
}

fn lay_out(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut depth = 0usize;
    // An empty line waits for the next line that is not empty.
    let mut empty = false;
    let mut opened = true;
    let mut comment = false;
    for line in text.lines() {
        let words = words(line);
        if words.is_empty() {
            empty = true;
            continue;
        }
        let (opens, closes, leading) = braces(&words);
        let level = depth.saturating_sub(leading);
        // Functions are set apart, with the comments before them.
        empty |= words.split(' ').take(2).any(|word| word == "fn") && !comment;
        comment = words.starts_with(';');
        if empty && !opened && leading == 0 {
            out.push('\n');
        }
        let indent = if is_label(&words) { level.saturating_sub(1) } else { level };
        out.push_str(&"  ".repeat(indent));
        out.push_str(&words);
        out.push('\n');
        depth = (depth + opens).saturating_sub(closes);
        empty = false;
        opened = opens > closes || leading > 0 && opens == closes;
    }
    out
}

/// The line with one blank between words, none around it. Strings and comments stay.
fn words(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut blank = false;
    let mut chars = line.trim().char_indices();
    let line = line.trim();
    while let Some((at, c)) = chars.next() {
        match c {
            ' ' | '\t' => blank = !out.is_empty(),
            ';' => {
                if blank {
                    out.push(' ');
                }
                out.push_str(&line[at..]);
                return out;
            }
            _ => {
                if blank {
                    out.push(' ');
                    blank = false;
                }
                out.push(c);
                if c == '"' {
                    let mut escaped = false;
                    for (_, c) in chars.by_ref() {
                        out.push(c);
                        if c == '"' && !escaped {
                            break;
                        }
                        escaped = c == '\\' && !escaped;
                    }
                }
            }
        }
    }
    out
}

/// Braces that a line opens and closes, and those that it closes before anything else.
fn braces(line: &str) -> (usize, usize, usize) {
    let (mut opens, mut closes, mut leading) = (0, 0, 0);
    let mut chars = line.chars();
    let mut first = true;
    while let Some(c) = chars.next() {
        match c {
            ';' => break,
            '"' => {
                let mut escaped = false;
                for c in chars.by_ref() {
                    if c == '"' && !escaped {
                        break;
                    }
                    escaped = c == '\\' && !escaped;
                }
            }
            '{' => opens += 1,
            '}' => {
                closes += 1;
                leading += usize::from(first);
            }
            _ => {}
        }
        first &= matches!(c, '}' | ' ');
    }
    (opens, closes, leading)
}

/// `NAME:`, possibly followed by other words.
fn is_label(line: &str) -> bool {
    let end = line.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(line.len());
    end > 0 && line[end..].starts_with(':')
}

#[cfg(test)]
mod tests {
    use super::*;

    const MESSY: &str = "; RUN: airfoil opt %s\n\n;   kept  as it is\nfoil 1\nshader   vertex \"a  b\" {\n\n form slots\n\n\n  \
        fn main {\n; before\n   b0:\n32x1 %zero =  const 0 ; the   value\n1x1 %c = load_front_face\nif %c {\nb1:\n\
        store_output %zero, %zero io=0 mask=x\n} else {\nb2:\n}\nb3:\n\n}\n}\n";
    const NEAT: &str = "; RUN: airfoil opt %s\n\n;   kept  as it is\nfoil 1\nshader vertex \"a  b\" {\n  form slots\n\n  \
        fn main {\n    ; before\n  b0:\n    32x1 %zero = const 0 ; the   value\n    1x1 %c = load_front_face\n    if %c {\n    \
        b1:\n      store_output %zero, %zero io=0 mask=x\n    } else {\n    b2:\n    }\n  b3:\n  }\n}\n";

    #[test]
    fn lines_are_indented_and_comments_stay() {
        assert_eq!(format(MESSY).expect("parses"), NEAT);
        assert_eq!(format(NEAT).expect("parses"), NEAT);
    }

    #[test]
    fn expected_outputs() {
        let shader = "foil 1\nshader vertex \"t\" {\nform slots\n}\n";
        let neat = "foil 1\nshader vertex \"t\" {\n  form slots\n}\n";
        for tail in ["; EXPECT ERROR E0504\n", "; EXPECT\n  define   x\n", "; EXPECT\nfoil 2\n a\n"] {
            assert_eq!(format(&format!("{shader}{tail}")).expect("parses"), format!("{neat}{tail}"));
        }
        let both = format!("{shader}; EXPECT\n{shader}{shader}");
        assert_eq!(format(&both).expect("parses"), format!("{neat}; EXPECT\n{neat}{neat}"));
    }

    #[test]
    fn printed_shaders_do_not_change() {
        for seed in 0..40 {
            let shader = airfoil::ir::generate::from_seed(seed, &Default::default());
            let printed = text::print(&shader);
            assert_eq!(format(&printed).expect("parses"), printed);
            let flat: String = printed.lines().map(|line| format!("{}\n", line.trim())).collect();
            assert_eq!(format(&flat).expect("parses"), printed);
        }
    }

    #[test]
    fn texts_that_do_not_parse_are_rejected() {
        assert!(format("foil 1\nshader\n").is_err());
        assert!(format("; RUN: x\n").is_err());
    }
}
