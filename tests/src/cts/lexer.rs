//! Tokens of `.test` files.

use std::fmt;

/// A token.
#[derive(Clone, Debug, PartialEq)]
pub enum Token<'a> {
    /// A name or keyword.
    Name(&'a str),
    /// Digits.
    Int(i64),
    /// Digits with a point.
    Float(f64),
    /// `"..."` or `'...'`, escapes resolved.
    Text(String),
    /// `""...""`, escapes resolved, indentation taken off.
    Source(String),
    /// One of `= + - , | ; ( ) [ ] { } >`.
    Symbol(char),
    /// End of the file.
    End,
}

impl fmt::Display for Token<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Token::Name(name) => write!(f, "`{name}`"),
            Token::Int(n) => write!(f, "`{n}`"),
            Token::Float(n) => write!(f, "`{n}`"),
            Token::Text(_) => f.write_str("a string"),
            Token::Source(_) => f.write_str("a source"),
            Token::Symbol(c) => write!(f, "`{c}`"),
            Token::End => f.write_str("the end of the file"),
        }
    }
}

/// Cuts a text into tokens.
#[derive(Clone, Debug)]
pub struct Lexer<'a> {
    rest: &'a str,
    line: usize,
}

impl<'a> Lexer<'a> {
    /// Starts at the beginning of a text.
    pub fn new(text: &'a str) -> Lexer<'a> {
        Lexer { rest: text, line: 1 }
    }

    /// Line of the next token, after white space was skipped by [`Lexer::next_token`].
    pub fn line(&self) -> usize {
        self.line
    }

    fn take(&mut self, bytes: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at(bytes);
        self.line += taken.bytes().filter(|b| *b == b'\n').count();
        self.rest = rest;
        taken
    }

    fn skip_blanks(&mut self) {
        loop {
            let blank = self.rest.len() - self.rest.trim_start_matches([' ', '\t', '\r', '\n']).len();
            self.take(blank);
            if !self.rest.starts_with('#') {
                return;
            }
            self.take(self.rest.find('\n').unwrap_or(self.rest.len()));
        }
    }

    /// The line that the next token starts at, and the token.
    ///
    /// # Errors
    /// The line and the error in it.
    pub fn next_token(&mut self) -> Result<(usize, Token<'a>), (usize, String)> {
        self.skip_blanks();
        let line = self.line;
        let token = match self.rest.chars().next() {
            None => Token::End,
            Some('a'..='z' | 'A'..='Z') => {
                let is_name = |c: char| c.is_ascii_alphanumeric() || "_.-".contains(c);
                let end = self.rest.find(|c| !is_name(c)).unwrap_or(self.rest.len());
                Token::Name(self.take(end))
            }
            Some('0'..='9') => self.number().map_err(|e| (line, e))?,
            Some('"') if self.rest.starts_with("\"\"") => {
                Token::Source(self.source().map_err(|e| (line, e))?)
            }
            Some(quote @ ('"' | '\'')) => {
                self.take(1);
                Token::Text(self.quoted(&quote.to_string()).map_err(|e| (line, e))?)
            }
            Some(c) if "=+-,|;()[]{}>".contains(c) => {
                self.take(1);
                Token::Symbol(c)
            }
            Some(c) => return Err((line, format!("`{}` starts no token", c.escape_default()))),
        };
        Ok((line, token))
    }

    fn number(&mut self) -> Result<Token<'a>, String> {
        let digits = |text: &str| text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let mut end = digits(self.rest);
        if !self.rest[end..].starts_with('.') {
            let text = self.take(end);
            return text.parse().map(Token::Int).map_err(|_| format!("the number {text} is too large"));
        }
        end += 1;
        end += digits(&self.rest[end..]);
        if self.rest[end..].starts_with(['e', 'E']) {
            let sign = usize::from(self.rest[end + 1..].starts_with(['+', '-']));
            let exponent = digits(&self.rest[end + 1 + sign..]);
            if exponent == 0 {
                return Err("an exponent has no digits".into());
            }
            end += 1 + sign + exponent;
        }
        let text = self.take(end);
        text.parse().map(Token::Float).map_err(|_| format!("{text} is not a number"))
    }

    /// Everything to an unescaped `end`, which is taken too.
    fn quoted(&mut self, end: &str) -> Result<String, String> {
        let mut text = String::new();
        let start = self.rest;
        let mut at = 0;
        while let Some(c) = start[at..].chars().next() {
            if start[at..].starts_with(end) {
                self.take(at + end.len());
                return Ok(text);
            }
            at += c.len_utf8();
            if c != '\\' {
                text.push(c);
                continue;
            }
            let Some(escaped) = start[at..].chars().next() else { break };
            at += escaped.len_utf8();
            text.push(match escaped {
                'n' => '\n',
                't' => '\t',
                other => other,
            });
        }
        Err(format!("`{end}` is missing at the end of a text"))
    }

    fn source(&mut self) -> Result<String, String> {
        self.take(2);
        // The source starts on the line after the quotes.
        let blank = self.rest.len() - self.rest.trim_start_matches([' ', '\t', '\r']).len();
        if let Some(after) = self.rest[blank..].strip_prefix('\n') {
            self.take(self.rest.len() - after.len());
        }
        Ok(unindent(&self.quoted("\"\"")?.replace("\r\n", "\n")))
    }
}

const TAB: usize = 4;

/// Takes the indentation of the first line off every line.
fn unindent(text: &str) -> String {
    let width = |c: char| if c == '\t' { TAB } else { 1 };
    let indent: usize = text.chars().take_while(|c| matches!(c, ' ' | '\t')).map(width).sum();
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let mut left = indent;
        let body = line.trim_start_matches(|c| {
            let blank = matches!(c, ' ' | '\t') && left > 0;
            if blank {
                left = left.saturating_sub(width(c));
            }
            blank
        });
        out.push_str(body);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &str) -> Result<Vec<Token<'_>>, (usize, String)> {
        let mut lexer = Lexer::new(text);
        let mut all = Vec::new();
        loop {
            match lexer.next_token()?.1 {
                Token::End => return Ok(all),
                token => all.push(token),
            }
        }
    }

    #[test]
    fn all_kinds() {
        let got = tokens("a-b.c # no 'x\n 12 -3.5e+2 'q\\'\\n' [4.]").unwrap();
        let want = [
            Token::Name("a-b.c"),
            Token::Int(12),
            Token::Symbol('-'),
            Token::Float(350.0),
            Token::Text("q'\n".into()),
            Token::Symbol('['),
            Token::Float(4.0),
            Token::Symbol(']'),
        ];
        assert_eq!(got, want);
    }

    #[test]
    fn sources_lose_their_indentation() {
        let got = tokens("\"\"  \n\t  a\\\\\n      \"b\"\n   c\r\n\t\td\n\"\" x").unwrap();
        assert_eq!(got, [Token::Source("a\\\n\"b\"\nc\nd\n".into()), Token::Name("x")]);
        assert_eq!(tokens("\"\"a\"\"").unwrap(), [Token::Source("a".into())]);
    }

    #[test]
    fn faults_have_lines() {
        assert_eq!(tokens("\n\n  ?").unwrap_err().0, 3);
        assert_eq!(tokens("x\n\"\" abc").unwrap_err().0, 2);
        assert!(tokens("99999999999999999999").unwrap_err().1.contains("too large"));
        assert!(tokens("1.0e").is_err());
        assert!(tokens("'abc\\").is_err());
    }
}
