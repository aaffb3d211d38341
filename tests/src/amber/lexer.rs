//! Words of a script, line by line, and raw text between them.

use super::Fault;
use super::number::Number;

/// A word, or the end of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word<'s> {
    /// Its text; empty at the end of a line, and of the text.
    pub text: &'s str,
    /// Byte where it begins.
    pub at: usize,
    /// It was in quotes.
    pub quoted: bool,
}

/// Where reading is.
#[derive(Clone, Debug)]
pub struct Lexer<'s> {
    text: &'s str,
    at: usize,
    /// Commas, parentheses and colons are tokens of their own.
    symbols: bool,
}

impl<'s> Lexer<'s> {
    /// At the start of a text. `symbols`: commas, parentheses and colons separate words, as in VkScript.
    pub fn new(text: &'s str, symbols: bool) -> Lexer<'s> {
        Lexer { text, at: 0, symbols }
    }

    /// Whether nothing is left.
    pub fn is_at_end(&self) -> bool {
        self.at >= self.text.len()
    }

    /// The line, from 1.
    pub fn line(&self) -> u32 {
        self.text[..self.at].bytes().filter(|b| *b == b'\n').count() as u32 + 1
    }

    /// A fault at a byte.
    pub fn fault_at(&self, at: usize, message: impl Into<String>) -> Fault {
        let before = self.text.get(..at).unwrap_or(self.text);
        let line = before.bytes().filter(|b| *b == b'\n').count() as u32 + 1;
        let start = before.rfind('\n').map_or(0, |n| n + 1);
        Fault { line, column: before[start..].chars().count() as u32 + 1, message: message.into() }
    }

    /// A fault here.
    pub fn fault(&self, message: impl Into<String>) -> Fault {
        self.fault_at(self.at, message)
    }

    /// Skips blanks, a comment, and line ends after `\`.
    fn blanks(&mut self) {
        let bytes = self.text.as_bytes();
        while let Some(byte) = bytes.get(self.at) {
            match byte {
                b' ' | b'\t' | b'\r' => self.at += 1,
                b'\\' => {
                    let rest = &self.text[self.at + 1..];
                    let blanks = rest.len() - rest.trim_start_matches([' ', '\t', '\r']).len();
                    if rest.as_bytes().get(blanks) != Some(&b'\n') {
                        return;
                    }
                    self.at += blanks + 2;
                }
                b'#' => {
                    let rest = &self.text[self.at..];
                    self.at += rest.find('\n').unwrap_or(rest.len());
                }
                _ => return,
            }
        }
    }

    /// The next word of this line, without taking it; empty at its end.
    pub fn peek(&self) -> Word<'s> {
        self.clone().next_word()
    }

    /// The next word of this line; empty at its end, where it stays.
    pub fn next_word(&mut self) -> Word<'s> {
        self.blanks();
        let start = self.at;
        let bytes = self.text.as_bytes();
        let symbol = |b: u8| self.symbols && matches!(b, b',' | b'(' | b')' | b':');
        match bytes.get(start) {
            None | Some(b'\n') => Word { text: "", at: start, quoted: false },
            Some(b'"') => {
                let rest = &self.text[start + 1..];
                let end = rest.find(['"', '\n']).unwrap_or(rest.len());
                let closed = rest.as_bytes().get(end) == Some(&b'"');
                self.at = start + 1 + end + usize::from(closed);
                Word { text: &rest[..end], at: start, quoted: true }
            }
            Some(&b) if symbol(b) => {
                self.at += 1;
                Word { text: &self.text[start..self.at], at: start, quoted: false }
            }
            Some(_) => {
                let ends = |b: &u8| b.is_ascii_whitespace() || *b == b'#' || symbol(*b);
                self.at = start + bytes[start..].iter().position(ends).unwrap_or(bytes.len() - start);
                Word { text: &self.text[start..self.at], at: start, quoted: false }
            }
        }
    }

    /// The next word on this or a later line; empty at the end of the text.
    pub fn next_anywhere(&mut self) -> Word<'s> {
        loop {
            let word = self.next_word();
            if word.quoted || !word.text.is_empty() || self.is_at_end() {
                return word;
            }
            self.at += 1;
        }
    }

    /// Takes the next word if it is this one.
    pub fn take(&mut self, text: &str) -> bool {
        let mut ahead = self.clone();
        let is = ahead.next_word().text == text;
        if is {
            *self = ahead;
        }
        is
    }

    /// The next word, which must exist; `what` describes it in the message.
    pub fn expect(&mut self, what: &str) -> Result<Word<'s>, Fault> {
        let word = self.next_word();
        if word.text.is_empty() && !word.quoted {
            return Err(self.fault_at(word.at, format!("{what} is needed here")));
        }
        Ok(word)
    }

    /// The next word, which must be this one.
    pub fn expect_word(&mut self, text: &str) -> Result<(), Fault> {
        let word = self.next_word();
        if word.text == text {
            Ok(())
        } else {
            Err(self.fault_at(word.at, format!("`{text}` is needed here")))
        }
    }

    /// A number.
    pub fn number(&mut self, what: &str) -> Result<Number, Fault> {
        let word = self.expect(what)?;
        Number::parse(word.text)
            .ok_or_else(|| self.fault_at(word.at, format!("{what} is needed here, not `{}`", word.text)))
    }

    /// A whole number from 0 on.
    pub fn count(&mut self, what: &str) -> Result<u32, Fault> {
        let at = self.at;
        match self.number(what)? {
            Number::Int(x) if u32::try_from(x).is_ok() => Ok(x as u32),
            _ => Err(self.fault_at(at, format!("{what} is needed here, a whole number"))),
        }
    }

    /// The end of the line.
    pub fn end_of_line(&mut self) -> Result<(), Fault> {
        let word = self.next_word();
        if word.text.is_empty() {
            self.at += usize::from(!self.is_at_end());
            return Ok(());
        }
        Err(self.fault_at(word.at, format!("`{}` is not expected here", word.text)))
    }

    /// Goes to the next line with a command.
    pub fn next_line(&mut self) {
        loop {
            self.blanks();
            if self.is_at_end() || !self.text[self.at..].starts_with('\n') {
                return;
            }
            self.at += 1;
        }
    }

    /// The rest of the line as it is, up to its end.
    pub fn rest_of_line(&mut self) -> &'s str {
        let rest = &self.text[self.at..];
        let end = rest.find('\n').unwrap_or(rest.len());
        self.at += end;
        rest[..end].trim()
    }

    /// The lines up to one that `stop` accepts, as they are; that line is next.
    pub fn raw_until(&mut self, stop: impl Fn(&str) -> bool) -> &'s str {
        let start = self.at;
        for line in self.text[start..].split_inclusive('\n') {
            if stop(line.trim()) {
                break;
            }
            self.at += line.len();
        }
        &self.text[start..self.at]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_lines() {
        let mut l = Lexer::new("A b#c\n\n D \\\n E \"f g\"\nraw #\n END\nx", false);
        assert_eq!([l.next_word().text, l.next_word().text, l.next_word().text], ["A", "b", ""]);
        l.next_line();
        assert_eq!((l.line(), l.next_word().text, l.next_word().text), (3, "D", "E"));
        assert_eq!(l.next_word(), Word { text: "f g", at: 15, quoted: true });
        l.end_of_line().unwrap();
        assert_eq!(l.raw_until(|line| line == "END"), "raw #\n");
        assert_eq!(l.next_anywhere().text, "END");
        assert_eq!((l.next_anywhere().text, l.next_anywhere().text), ("x", ""));
    }

    #[test]
    fn symbols_and_faults() {
        let mut l = Lexer::new("ssbo 0:1 (2,3)", true);
        let words: Vec<&str> =
            std::iter::from_fn(|| Some(l.next_word().text).filter(|w| !w.is_empty())).collect();
        assert_eq!(words, ["ssbo", "0", ":", "1", "(", "2", ",", "3", ")"]);
        let mut l = Lexer::new("a\n b x", false);
        l.next_anywhere();
        l.next_anywhere();
        let fault = l.number("a size").unwrap_err();
        assert_eq!(fault.to_string(), "2:4: a size is needed here, not `x`");
        assert_eq!(l.count("a size").unwrap_err().to_string(), "2:5: a size is needed here");
    }
}
