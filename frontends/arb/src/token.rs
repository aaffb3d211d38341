//! Tokens of a program string.

/// The kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tok {
    /// A name or keyword; texture targets such as `2D` are words, too.
    Word,
    /// A sequence of digits.
    Integer,
    /// A number with a decimal point or an exponent.
    Float,
    /// A character of `;,.[]{}=+-`.
    Char(u8),
    /// `..`
    Range,
    /// A number that continues with letters.
    BadNumber,
    /// A character that no token has.
    BadChar,
    /// The end of the text.
    End,
}

/// A token.
#[derive(Clone, Copy, Debug)]
pub struct Token {
    /// Kind.
    pub kind: Tok,
    /// First byte.
    pub lo: u32,
    /// Byte after the last.
    pub hi: u32,
}

fn is_word(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b == b'_' || b == b'$'
}

/// The tokens of a text from a byte on; the last one is [`Tok::End`].
pub fn tokens(text: &str, start: usize) -> Vec<Token> {
    let mut lexer = Lexer { bytes: text.as_bytes(), at: start };
    let mut out = Vec::with_capacity(text.len() / 4 + 1);
    loop {
        lexer.skip_blanks();
        let lo = lexer.at;
        let kind = lexer.token();
        out.push(Token { kind, lo: lo as u32, hi: lexer.at as u32 });
        if kind == Tok::End {
            return out;
        }
    }
}

struct Lexer<'s> {
    bytes: &'s [u8],
    at: usize,
}

impl Lexer<'_> {
    fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    /// Skips blanks and comments.
    fn skip_blanks(&mut self) {
        while let Some(&b) = self.bytes.get(self.at) {
            match b {
                b' ' | b'\t' | b'\n' | b'\r' => self.at += 1,
                b'#' => {
                    let rest = &self.bytes[self.at..];
                    self.at += rest.iter().position(|b| matches!(b, b'\n' | b'\r')).unwrap_or(rest.len());
                }
                _ => return,
            }
        }
    }

    fn skip_while(&mut self, is: impl Fn(u8) -> bool) {
        while self.at < self.bytes.len() && is(self.bytes[self.at]) {
            self.at += 1;
        }
    }

    fn token(&mut self) -> Tok {
        let Some(&b) = self.bytes.get(self.at) else { return Tok::End };
        match b {
            b'.' if self.peek(1) == b'.' => {
                self.at += 2;
                Tok::Range
            }
            b'.' if self.peek(1).is_ascii_digit() => self.number(),
            b';' | b',' | b'.' | b'[' | b']' | b'{' | b'}' | b'=' | b'+' | b'-' => {
                self.at += 1;
                Tok::Char(b)
            }
            b'0'..=b'9' => self.number(),
            _ if is_word(b) => {
                self.skip_while(is_word);
                Tok::Word
            }
            _ => {
                // The whole character, so that positions are those of characters.
                self.at += 1;
                self.skip_while(|b| b & 0xc0 == 0x80);
                Tok::BadChar
            }
        }
    }

    /// Whether an exponent begins `ahead` bytes further on.
    fn exponent(&self, ahead: usize) -> Option<usize> {
        let sign = usize::from(matches!(self.peek(ahead + 1), b'+' | b'-'));
        (matches!(self.peek(ahead), b'e' | b'E') && self.peek(ahead + 1 + sign).is_ascii_digit())
            .then_some(1 + sign)
    }

    fn number(&mut self) -> Tok {
        let lo = self.at;
        let mut kind = Tok::Integer;
        self.skip_while(|b| b.is_ascii_digit());
        // A point belongs to the number unless it begins a range: `0..3`. A component of a number is that of `2.0.x`.
        if self.peek(0) == b'.' && self.peek(1) != b'.' {
            kind = Tok::Float;
            self.at += 1;
            self.skip_while(|b| b.is_ascii_digit());
        }
        if let Some(len) = self.exponent(0) {
            kind = Tok::Float;
            self.at += len;
            self.skip_while(|b| b.is_ascii_digit());
        }
        if self.at < self.bytes.len() && is_word(self.bytes[self.at]) {
            self.skip_while(is_word);
            let is_target = matches!(&self.bytes[lo..self.at], b"1D" | b"2D" | b"3D");
            return if is_target { Tok::Word } else { Tok::BadNumber };
        }
        kind
    }
}

#[cfg(test)]
mod tests {
    use super::{Tok, tokens};

    fn texts(text: &str) -> Vec<(&str, Tok)> {
        tokens(text, 0).iter().map(|t| (&text[t.lo as usize..t.hi as usize], t.kind)).collect()
    }

    #[test]
    fn numbers_end_before_ranges_and_suffixes() {
        use Tok::{BadNumber, Char, End, Float, Integer, Range, Word};
        let dot = (".", Char(b'.'));
        assert_eq!(texts("0..3"), [("0", Integer), ("..", Range), ("3", Integer), ("", End)]);
        assert_eq!(texts("2.x"), [("2.x", BadNumber), ("", End)]);
        assert_eq!(texts("2.5.x"), [("2.5", Float), dot, ("x", Word), ("", End)]);
        assert_eq!(texts("2.e5"), [("2.e5", Float), ("", End)]);
        assert_eq!(texts("1e-3 .5 7."), [("1e-3", Float), (".5", Float), ("7.", Float), ("", End)]);
        assert_eq!(texts("2D 12 3x"), [("2D", Word), ("12", Integer), ("3x", BadNumber), ("", End)]);
        assert_eq!(texts("1e"), [("1e", BadNumber), ("", End)]);
    }

    #[test]
    fn comments_end_with_the_line() {
        let words = texts("a # b\rc#d\ne#");
        assert_eq!(words.iter().map(|w| w.0).collect::<Vec<_>>(), ["a", "c", "e", ""]);
        assert_eq!(texts("é$")[0], ("é", Tok::BadChar));
    }
}
