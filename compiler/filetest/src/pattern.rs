//! Patterns of `CHECK` lines.

use regex_lite::Regex;
use std::collections::BTreeMap;
use std::ops::Range;

/// Values of variables.
pub type Variables = BTreeMap<String, String>;

/// A pattern: literal text, regular expressions and variables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    pieces: Vec<Piece>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    Text(String),
    Regex(String),
    Define(String, String),
    Use(String),
}

impl Pattern {
    /// Parses the text after a directive.
    pub fn parse(text: &str) -> Result<Pattern, String> {
        let text = squeeze(text.trim());
        if text.is_empty() {
            return Err("the pattern is empty".to_string());
        }
        let mut pieces = Vec::new();
        let mut rest = text.as_str();
        while !rest.is_empty() {
            let next = [rest.find("{{"), rest.find("[[")].into_iter().flatten().min();
            let (literal, tail) = rest.split_at(next.unwrap_or(rest.len()));
            if !literal.is_empty() {
                pieces.push(Piece::Text(literal.to_string()));
            }
            rest = tail;
            if let Some(inner) = rest.strip_prefix("{{") {
                // The last brace closes: `{{a{2}}}` is the expression `a{2}`.
                let mut end = inner.find("}}").ok_or("`{{` is not closed by `}}`")?;
                while inner[end + 2..].starts_with('}') {
                    end += 1;
                }
                pieces.push(Piece::Regex(valid(&inner[..end])?));
                rest = &inner[end + 2..];
            } else if let Some(inner) = rest.strip_prefix("[[") {
                let (name, length) = variable(inner)?;
                let after = &inner[length..];
                if let Some(regex) = after.strip_prefix(':') {
                    // A class such as `[0-9]` may end the expression.
                    let mut end = regex.find("]]").ok_or("`[[` is not closed by `]]`")?;
                    while regex[end + 2..].starts_with(']') {
                        end += 1;
                    }
                    pieces.push(Piece::Define(name.to_string(), valid(&regex[..end])?));
                    rest = &regex[end + 2..];
                } else {
                    rest = after.strip_prefix("]]").ok_or("`[[NAME` is not followed by `:` or `]]`")?;
                    pieces.push(Piece::Use(name.to_string()));
                }
            }
        }
        Ok(Pattern { pieces })
    }

    /// The first match in `line` at or after the byte `from`. Stores the variables that it defines.
    pub fn find(
        &self,
        line: &str,
        from: usize,
        variables: &mut Variables,
    ) -> Result<Option<Range<usize>>, String> {
        let (head, tail) = self.pieces.split_at(self.first_own_use());
        let head = regex(head, variables)?;
        let mut from = from;
        while let Some(found) = head.captures_at(line, from) {
            let Some(all) = found.get(0) else { break };
            let mut local = variables.clone();
            let names = self.pieces.iter().filter_map(|piece| match piece {
                Piece::Define(name, _) => Some(name),
                _ => None,
            });
            for (index, name) in names.enumerate() {
                if let Some(value) = found.name(&format!("g{index}")) {
                    local.insert(name.clone(), value.as_str().to_string());
                }
            }
            if let Some(end) = after(tail, line, all.end(), &mut local)? {
                *variables = local;
                return Ok(Some(all.start()..end));
            }
            let Some(step) = line[all.start()..].chars().next() else { break };
            from = all.start() + step.len_utf8();
        }
        Ok(None)
    }

    /// The piece that uses a variable which the pattern itself has defined before; the number of pieces if none does.
    fn first_own_use(&self) -> usize {
        let mut defined: Vec<&str> = Vec::new();
        for (index, piece) in self.pieces.iter().enumerate() {
            match piece {
                Piece::Define(name, _) => defined.push(name),
                Piece::Use(name) if defined.contains(&name.as_str()) => return index,
                _ => {}
            }
        }
        self.pieces.len()
    }

    /// Names of the variables that the pattern uses.
    pub fn uses(&self) -> impl Iterator<Item = &str> {
        self.pieces.iter().filter_map(|piece| match piece {
            Piece::Use(name) => Some(name.as_str()),
            _ => None,
        })
    }
}

/// Where pieces match that start at the byte `from`.
fn after(
    pieces: &[Piece],
    line: &str,
    from: usize,
    variables: &mut Variables,
) -> Result<Option<usize>, String> {
    let rest = Pattern { pieces: pieces.to_vec() };
    let found = if pieces.is_empty() { Some(from..from) } else { rest.find(line, from, variables)? };
    Ok(found.filter(|range| range.start == from).map(|range| range.end))
}

/// The regular expression of pieces whose variables have values; definitions are the groups `g0`, `g1`, ...
fn regex(pieces: &[Piece], variables: &Variables) -> Result<Regex, String> {
    let word = |c: char| c.is_alphanumeric() || c == '_';
    let mut source = String::new();
    let mut count = 0;
    for (index, piece) in pieces.iter().enumerate() {
        match piece {
            Piece::Text(text) => source += &regex_lite::escape(text),
            Piece::Regex(regex) => source += &format!("(?:{regex})"),
            Piece::Define(_, regex) => {
                source += &format!("(?P<g{count}>{regex})");
                count += 1;
            }
            Piece::Use(name) => {
                let value =
                    variables.get(name).ok_or_else(|| format!("the variable `{name}` has no value"))?;
                source += &regex_lite::escape(value);
                // `%1` does not match in `%12`.
                let goes_on =
                    matches!(pieces.get(index + 1), Some(Piece::Text(text)) if text.starts_with(word));
                if value.ends_with(word) && !goes_on {
                    source += "\\b";
                }
            }
        }
    }
    Regex::new(&source).map_err(|e| format!("not a regular expression: {e}"))
}

fn variable(text: &str) -> Result<(&str, usize), String> {
    let length = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(text.len());
    match text.as_bytes().first() {
        Some(first) if length > 0 && !first.is_ascii_digit() => Ok((&text[..length], length)),
        _ => Err("`[[` is not followed by the name of a variable".to_string()),
    }
}

fn valid(regex: &str) -> Result<String, String> {
    if regex.contains("(?P<") || regex.contains("(?<") {
        return Err("named groups are not supported; use `[[NAME:REGEX]]`".to_string());
    }
    Regex::new(regex).map(|_| regex.to_string()).map_err(|e| format!("not a regular expression: {e}"))
}

/// The text with each run of blanks as one.
pub fn squeeze(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut blank = false;
    for c in text.chars() {
        let is = c == ' ' || c == '\t';
        if !(is && blank) {
            out.push(if is { ' ' } else { c });
        }
        blank = is;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(pattern: &str, line: &str, variables: &mut Variables) -> Option<usize> {
        let found = Pattern::parse(pattern).expect("parses").find(line, 0, variables);
        found.expect("the variables have values").map(|range| range.end)
    }

    #[test]
    fn text_is_literal_but_for_blanks() {
        let none = &mut Variables::new();
        assert_eq!(find(" a.b  (c)", "x a.b (c) y", none), Some(9));
        assert_eq!(find("a.b", "acb", none), None);
        assert_eq!(find("a{{.}}b", "a.b acb", none), Some(3));
        assert_eq!(find("a{{[0-9]{2}}}b", "a1b a12b", none), Some(8));
        assert_eq!(find("[2 x [3 x i32]]", "[2 x [3 x i32]]", none), Some(15));
    }

    #[test]
    fn variables_are_stored_and_used() {
        let values = &mut Variables::new();
        assert!(find("[[x:%v[0-9]+]] = add", "  %v17 = add i32", values).is_some());
        assert_eq!(values.get("x").map(String::as_str), Some("%v17"));
        assert!(find("store [[x]]", "store %v17", values).is_some());
        assert!(find("store [[x]]", "store %v1", values).is_none());
        let unknown = Pattern::parse("[[y]]").expect("parses").find("y", 0, values);
        assert_eq!(unknown, Err("the variable `y` has no value".to_string()));
    }

    #[test]
    fn a_variable_is_used_in_the_line_that_defines_it() {
        let values = &mut Variables::new();
        assert!(find("[[a:%[0-9]+]] = f [[a]], 1", "%1 = f %2, 1", values).is_none());
        assert!(find("[[a:%[0-9]+]] = f [[a]], 1", "%1 = f %1, 1", values).is_some());
        assert!(find("f [[b:%[0-9]+]], [[b]]", "f %1, %12", values).is_none());
        assert!(find("f [[b:%[0-9]+]], [[b]]", "f %1, %12 f %12, %12", values).is_some());
    }

    #[test]
    fn bad_patterns_are_rejected() {
        for bad in ["", "{{a", "[[a", "[[a:b]", "[[1x]]", "[[a b]]", "{{(}}", "[[x:*]]", "{{(?P<a>b)}}"] {
            assert!(Pattern::parse(bad).is_err(), "{bad}");
        }
    }
}
