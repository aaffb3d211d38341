//! Tokens: words, strings, `=`; white space and comments are between them.

use airfoil_ir::Place;

/// Kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Anything up to white space: ids, opcodes, enumerants, numbers.
    Word,
    /// The text between quotes, with its backslashes.
    String,
    /// `=`.
    Equals,
    /// A string that does not end.
    Open,
}

/// A token.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token<'s> {
    pub(crate) kind: Kind,
    /// Its text; without quotes.
    pub(crate) text: &'s str,
    /// Where it begins, in bytes.
    pub(crate) at: usize,
}

impl Token<'_> {
    /// `%name`.
    pub(crate) fn is_id(&self) -> bool {
        self.kind == Kind::Word && self.text.len() > 1 && self.text.starts_with('%')
    }

    /// The name of an instruction; `OpenCL` is none.
    pub(crate) fn is_opcode(&self) -> bool {
        let name = self.text.strip_prefix("Op");
        self.kind == Kind::Word && name.is_some_and(|n| n.starts_with(|c: char| c.is_ascii_uppercase()))
    }
}

/// All tokens of a text.
pub(crate) fn tokens(text: &str) -> Vec<Token<'_>> {
    let bytes = text.as_bytes();
    let mut tokens = Vec::with_capacity(bytes.len() / 6);
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let start = at;
        at += 1;
        match byte {
            b' ' | b'\t' | b'\r' | b'\n' => {}
            b';' => at += bytes[at..].iter().position(|b| *b == b'\n').unwrap_or(bytes.len() - at),
            b'=' => tokens.push(Token { kind: Kind::Equals, text: "=", at: start }),
            b'"' => {
                let mut end = at;
                while end < bytes.len() && bytes[end] != b'"' {
                    end += 1 + usize::from(bytes[end] == b'\\');
                }
                let kind = if end < bytes.len() { Kind::String } else { Kind::Open };
                // Quotes and backslashes are never parts of other characters, but the last character may be an escaped one.
                let end = end.min(bytes.len());
                let text = text.get(at..end).unwrap_or_default();
                tokens.push(Token { kind, text, at: start });
                at = (end + 1).min(bytes.len());
            }
            _ => {
                let ends = |b: &u8| matches!(b, b' ' | b'\t' | b'\r' | b'\n' | b';' | b'=');
                at += bytes[at..].iter().position(ends).unwrap_or(bytes.len() - at);
                tokens.push(Token { kind: Kind::Word, text: &text[start..at], at: start });
            }
        }
    }
    tokens
}

/// The version in a comment, as disassemblers write it: `; Version: 1.3`.
pub(crate) fn version_comment(text: &str) -> Option<(u8, u8)> {
    let comments = text.lines().map(str::trim).take_while(|line| line.is_empty() || line.starts_with(';'));
    let version = comments.into_iter().find_map(|line| {
        let (name, value) = line.trim_start_matches(';').split_once(':')?;
        (name.trim() == "Version").then_some(value)
    })?;
    let (major, minor) = version.trim().split_once('.')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}

/// Line and column of a byte.
pub(crate) fn place(text: &str, at: usize) -> Place {
    let before = text.get(..at).unwrap_or(text);
    let line = before.bytes().filter(|b| *b == b'\n').count() as u32 + 1;
    let start = before.rfind('\n').map_or(0, |n| n + 1);
    let column = before[start..].chars().count() as u32 + 1;
    Place::Text { file: "".into(), line, column }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_of_a_line() {
        let found: Vec<(Kind, &str)> =
            tokens("%a=OpString \"x \\\"; y\" ; c\n!7").iter().map(|t| (t.kind, t.text)).collect();
        let expected = [
            (Kind::Word, "%a"),
            (Kind::Equals, "="),
            (Kind::Word, "OpString"),
            (Kind::String, "x \\\"; y"),
            (Kind::Word, "!7"),
        ];
        assert_eq!(found, expected);
        for open in ["\"", "\"a\\", "\"a\\\"", "\"\\é"] {
            assert_eq!(tokens(open)[0].kind, Kind::Open, "{open}");
        }
        assert!(tokens("OpenCL")[0].is_opcode() == tokens("Op")[0].is_opcode());
    }

    #[test]
    fn versions_in_comments() {
        assert_eq!(version_comment("; SPIR-V\n; Version: 1.3\n; Bound: 5\nOpNop"), Some((1, 3)));
        assert_eq!(version_comment("OpNop\n; Version: 1.3"), None);
        assert_eq!(version_comment("; Version: x"), None);
    }

    #[test]
    fn places_count_characters() {
        assert_eq!(place("a\nüb c", 5), Place::Text { file: "".into(), line: 2, column: 3 });
        assert_eq!(place("", 9), Place::Text { file: "".into(), line: 1, column: 1 });
    }
}
