//! Splits text into tokens, one at a time and without allocation.

/// Kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// End of the text.
    End,
    /// One or more line ends, with the comments and blanks between them.
    Newline,
    /// A letter or `_`, then letters, digits and `_`.
    Word,
    /// A digit, or `-` and a letter or digit, with the rest of a number: also `32x4`, `2d`, `1.5e-3`.
    Number,
    /// `%` and a word or number.
    Value,
    /// Text in double quotes.
    Quoted,
    /// A quote without end.
    OpenQuote,
    /// Any other character.
    Punct(char),
}

/// A piece of the text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) start: usize,
    pub(super) end: usize,
}

/// The bytes that can be part of a word.
static WORD: [bool; 256] = {
    let mut table = [false; 256];
    let mut b = 0;
    while b < 256 {
        table[b] = (b as u8).is_ascii_alphanumeric() || b == b'_' as usize;
        b += 1;
    }
    table
};

fn is_word(b: u8) -> bool {
    WORD[b as usize]
}

/// The byte at `at`; 0 past the end.
fn byte(text: &str, at: usize) -> u8 {
    text.as_bytes().get(at).copied().unwrap_or(0)
}

/// The first position from `at` on that is not part of a word.
fn word_end(text: &str, at: usize) -> usize {
    text.as_bytes()[at..].iter().position(|&b| !is_word(b)).map_or(text.len(), |n| at + n)
}

/// Whether `.` and digits follow at `at`: the suffix that makes names unique. Returns its end.
pub(super) fn suffix_end(text: &str, at: usize) -> usize {
    if byte(text, at) == b'.' && byte(text, at + 1).is_ascii_digit() { word_end(text, at + 1) } else { at }
}

/// The token that starts at `at` or after the blanks there.
pub(super) fn token(text: &str, mut at: usize) -> Token {
    let mut newline = None;
    loop {
        match byte(text, at) {
            b' ' | b'\t' | b'\r' => at += 1,
            b'\n' => {
                newline.get_or_insert(at);
                at += 1;
            }
            b';' => {
                let rest = &text.as_bytes()[at..];
                at = rest.iter().position(|&b| b == b'\n').map_or(text.len(), |n| at + n);
            }
            _ => break,
        }
    }
    if let Some(start) = newline {
        return Token { kind: Kind::Newline, start, end: at };
    }
    let (kind, end) = match byte(text, at) {
        0 if at >= text.len() => (Kind::End, at),
        b'a'..=b'z' | b'A'..=b'Z' | b'_' => (Kind::Word, word_end(text, at)),
        b'0'..=b'9' => (Kind::Number, number_end(text, at)),
        b'-' if is_word(byte(text, at + 1)) => (Kind::Number, number_end(text, at + 1)),
        b'%' if is_word(byte(text, at + 1)) => (Kind::Value, word_end(text, at + 1)),
        b'"' => quoted(text, at),
        _ => {
            let c = text[at..].chars().next().unwrap_or(' ');
            (Kind::Punct(c), at + c.len_utf8())
        }
    };
    Token { kind, start: at, end }
}

/// End of the number that starts at `at`: fraction and exponent belong to decimal numbers only.
fn number_end(text: &str, at: usize) -> usize {
    let mut end = word_end(text, at);
    if byte(text, at) == b'0' && matches!(byte(text, at + 1), b'x' | b'X' | b'b' | b'B') {
        return end;
    }
    if byte(text, end) == b'.' && byte(text, end + 1).is_ascii_digit() {
        end = word_end(text, end + 1);
    }
    let exponent = matches!(byte(text, end - 1), b'e' | b'E')
        && byte(text, at).is_ascii_digit()
        && matches!(byte(text, end), b'+' | b'-')
        && byte(text, end + 1).is_ascii_digit();
    if exponent { word_end(text, end + 1) } else { end }
}

fn quoted(text: &str, at: usize) -> (Kind, usize) {
    let mut end = at + 1;
    loop {
        match byte(text, end) {
            b'"' => return (Kind::Quoted, end + 1),
            b'\\' if end + 1 < text.len() && byte(text, end + 1) != b'\n' => end += 2,
            b'\n' => return (Kind::OpenQuote, end),
            _ if end >= text.len() => return (Kind::OpenQuote, text.len()),
            _ => end += 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<(Kind, &str)> {
        let (mut at, mut all) = (0, Vec::new());
        loop {
            let t = token(text, at);
            if t.kind == Kind::End {
                return all;
            }
            all.push((t.kind, &text[t.start..t.end]));
            at = t.end;
        }
    }

    #[test]
    fn tokens_of_an_instruction() {
        use Kind::*;
        assert_eq!(
            kinds("32x4 %8=fmul! %7, %1.xxxx ; exact\n\n ; more\n-1.5e-3 0x1e-4 2d -inf é"),
            [
                (Number, "32x4"),
                (Value, "%8"),
                (Punct('='), "="),
                (Word, "fmul"),
                (Punct('!'), "!"),
                (Value, "%7"),
                (Punct(','), ","),
                (Value, "%1"),
                (Punct('.'), "."),
                (Word, "xxxx"),
                (Newline, "\n\n ; more\n"),
                (Number, "-1.5e-3"),
                (Number, "0x1e"),
                (Number, "-4"),
                (Number, "2d"),
                (Number, "-inf"),
                (Punct('é'), "é"),
            ]
        );
    }

    #[test]
    fn quotes() {
        use Kind::*;
        assert_eq!(kinds(r#""a\"b" "c"#), [(Quoted, r#""a\"b""#), (OpenQuote, "\"c")]);
        assert_eq!(kinds("\"a\nb"), [(OpenQuote, "\"a"), (Newline, "\n"), (Word, "b")]);
        assert_eq!(kinds("\"\\"), [(OpenQuote, "\"\\")]);
    }
}
