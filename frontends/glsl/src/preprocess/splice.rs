//! Line continuation: lines that end in a backslash are joined before anything is scanned (GLSL 4.60 section 3.2).
//!
//! Sources without continuation are scanned in place; others are copied once, and a table of joints finds the
//! original byte again.

/// Joined text, with the way back to the original.
#[derive(Debug, Default)]
pub(super) struct Joined {
    /// The text without continuations.
    pub text: String,
    /// From byte `.0` of the joined text on, the original is `.1` bytes further.
    pub joints: Vec<(u32, u32)>,
}

/// Whether a line continues at byte `i`, and the bytes that backslash and line end take.
fn continuation(bytes: &[u8], i: usize) -> Option<usize> {
    if bytes[i] != b'\\' {
        return None;
    }
    match (bytes.get(i + 1), bytes.get(i + 2)) {
        (Some(b'\n'), Some(b'\r')) | (Some(b'\r'), Some(b'\n')) => Some(3),
        (Some(b'\n' | b'\r'), _) => Some(2),
        _ => None,
    }
}

/// Joins continued lines; `None` without any. `in_comments` is true if comments to the end of the line continue, too.
pub(super) fn join(text: &str, in_comments: bool) -> Option<Joined> {
    let bytes = text.as_bytes();
    let first = text.match_indices('\\').map(|(i, _)| i).find(|&i| continuation(bytes, i).is_some())?;
    let mut joined = Joined { text: String::with_capacity(text.len()), joints: Vec::new() };
    let mut comments = Comments::default();
    if !in_comments {
        bytes[..first].iter().for_each(|&b| comments.step(b));
    }
    let (mut start, mut i, mut removed) = (0, first, 0);
    while i < bytes.len() {
        match continuation(bytes, i) {
            Some(n) if in_comments || !comments.in_line => {
                joined.text.push_str(&text[start..i]);
                removed += n as u32;
                joined.joints.push((joined.text.len() as u32, removed));
                i += n;
                start = i;
            }
            _ => {
                if !in_comments {
                    comments.step(bytes[i]);
                }
                i += 1;
            }
        }
    }
    joined.text.push_str(&text[start..]);
    Some(joined)
}

/// Follows comments byte by byte.
#[derive(Default)]
struct Comments {
    in_line: bool,
    in_block: bool,
    last: u8,
}

impl Comments {
    fn step(&mut self, byte: u8) {
        let pair = (self.last, byte);
        self.last = byte;
        if self.in_line {
            self.in_line = byte != b'\n' && byte != b'\r';
        } else if self.in_block {
            if pair == (b'*', b'/') {
                self.in_block = false;
                self.last = 0;
            }
        } else if pair == (b'/', b'/') {
            self.in_line = true;
        } else if pair == (b'/', b'*') {
            self.in_block = true;
            self.last = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::join;

    #[test]
    fn lines_are_joined_and_found_again() {
        assert!(join("a\\b\nc", true).is_none());
        let j = join("ab\\\ncd\\\r\nef", true).unwrap();
        assert_eq!(j.text, "abcdef");
        assert_eq!(j.joints, [(2, 2), (4, 5)]);
    }

    #[test]
    fn comments_may_end_in_a_backslash() {
        let text = "// a \\\nb /* // */ c\\\nd";
        assert_eq!(join(text, false).unwrap().text, "// a \\\nb /* // */ cd");
        assert_eq!(join(text, true).unwrap().text, "// a b /* // */ cd");
    }
}
