//! Source locations: byte ranges while compiling, lines and columns in diagnostics.

use airfoil_ir::Place;

/// A range of bytes in the concatenation of all source strings of a shader.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    /// First byte.
    pub lo: u32,
    /// Byte after the last.
    pub hi: u32,
}

impl Span {
    /// From the start of `self` to the end of `other`.
    #[must_use]
    pub fn to(self, other: Span) -> Span {
        Span { lo: self.lo.min(other.lo), hi: self.hi.max(other.hi) }
    }
}

/// A line, as `#line` directives and the source strings number it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Mark {
    /// First byte for which this holds.
    at: u32,
    /// Index of the source string there.
    string: u32,
    /// Line number of the physical line that holds `at`.
    line: u32,
}

/// Finds source string, line and column of a byte.
#[derive(Clone, Debug, Default)]
pub struct LineMap {
    /// First byte of each physical line.
    starts: Vec<u32>,
    /// Positions where numbering restarts: source strings and `#line` directives, in order.
    marks: Vec<Mark>,
}

/// A location as users read it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineCol {
    /// Index of the source string.
    pub string: u32,
    /// Line, as `#line` numbers it.
    pub line: u32,
    /// Column in bytes, from 1.
    pub column: u32,
}

/// The first byte from `at` on that ends a line.
fn line_end(bytes: &[u8], mut at: usize) -> Option<usize> {
    let is_end = |b: &u8| *b == b'\n' || *b == b'\r';
    // Without an early end, so that the processor compares 16 bytes at once.
    while let Some(chunk) = bytes.get(at..)?.first_chunk::<16>()
        && !chunk.iter().fold(false, |found, b| found | is_end(b))
    {
        at += 16;
    }
    Some(at + bytes[at..].iter().position(is_end)?)
}

impl LineMap {
    /// A map over `text` whose source strings start at the bytes `strings` (the first one at 0).
    pub fn new(text: &str, strings: &[u32]) -> LineMap {
        let bytes = text.as_bytes();
        // Real shaders have 30 to 40 bytes in a line.
        let mut starts = Vec::with_capacity(bytes.len() / 32 + 2);
        starts.push(0);
        let mut i = 0;
        while let Some(end) = line_end(bytes, i) {
            // A line ends at LF, CR, CR LF or LF CR (GLSL 4.60 section 3.2).
            let two = matches!(bytes.get(end..end + 2), Some(b"\r\n" | b"\n\r"));
            i = end + 1 + usize::from(two);
            starts.push(i as u32);
        }
        let marks = strings
            .iter()
            .enumerate()
            .map(|(n, &at)| Mark { at, string: n as u32, line: 1 })
            .collect::<Vec<_>>();
        let marks = if marks.is_empty() { vec![Mark { at: 0, string: 0, line: 1 }] } else { marks };
        LineMap { starts, marks }
    }

    /// A `#line` directive: the physical line that holds byte `at` is line `line` of string `string`.
    /// Called in order of `at`.
    pub fn renumber(&mut self, at: u32, line: u32, string: u32) {
        let i = self.marks.partition_point(|m| m.at <= at);
        self.marks.insert(i, Mark { at, string, line });
    }

    /// Gives the source strings other numbers.
    pub fn renumber_strings(&mut self, number: impl Fn(u32) -> u32) {
        for mark in &mut self.marks {
            mark.string = number(mark.string);
        }
    }

    /// A byte at or after the start of the last line.
    pub fn end(&self) -> u32 {
        self.starts.last().copied().unwrap_or(0).max(self.marks.last().map_or(0, |m| m.at))
    }

    /// Appends the locations of another text whose first byte has the offset `at`, after all bytes of this one.
    pub fn append(&mut self, other: &LineMap, at: u32) {
        self.starts.extend(other.starts.iter().map(|s| s.saturating_add(at)));
        self.marks.extend(other.marks.iter().map(|m| Mark { at: m.at.saturating_add(at), ..*m }));
    }

    /// Index of the physical line that holds a byte.
    pub fn physical_line(&self, at: u32) -> u32 {
        self.starts.partition_point(|&s| s <= at).saturating_sub(1) as u32
    }

    /// Range of a physical line, without regard to how it ends.
    pub fn line_span(&self, physical: u32, len: u32) -> Span {
        let lo = self.starts.get(physical as usize).copied().unwrap_or(len);
        let hi = self.starts.get(physical as usize + 1).copied().unwrap_or(len);
        Span { lo, hi }
    }

    /// Where a byte is.
    pub fn locate(&self, at: u32) -> LineCol {
        let physical = self.physical_line(at);
        let start = self.starts.get(physical as usize).copied().unwrap_or(0);
        let mark = self.marks[self.marks.partition_point(|m| m.at <= at).saturating_sub(1)];
        let lines = physical - self.physical_line(mark.at).min(physical);
        // A string may start in the middle of a physical line.
        let column =
            at - start.max(if mark.line == 1 && mark.at <= at { mark.at.min(at) } else { 0 }).min(at);
        let column = if lines > 0 { at - start } else { column };
        LineCol { string: mark.string, line: mark.line.saturating_add(lines), column: column + 1 }
    }

    /// A location for diagnostics; source strings other than 0 show as file names.
    pub fn place(&self, at: u32) -> Place {
        let LineCol { string, line, column } = self.locate(at);
        let file = if string == 0 { String::new() } else { string.to_string() };
        Place::Text { file: file.into(), line, column }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_in_four_ways() {
        for text in [
            "",
            "a",
            "\n",
            "a\r\nb\n\rc\n\nd\r\re",
            "\r\n\r\n",
            "a long line, longer than 16 bytes\r\nand the next\n",
            "\r\n\n\r\r",
        ] {
            let mut starts = vec![0];
            let bytes = text.as_bytes();
            let mut i = 0;
            while i < bytes.len() {
                if let b'\n' | b'\r' = bytes[i] {
                    if i + 1 < bytes.len()
                        && matches!(bytes[i + 1], b'\n' | b'\r')
                        && bytes[i] != bytes[i + 1]
                    {
                        i += 1;
                    }
                    starts.push(i as u32 + 1);
                }
                i += 1;
            }
            assert_eq!(LineMap::new(text, &[0]).starts, starts, "{text:?}");
        }
    }
}
