//! Makes a source smaller by its lines: runs of lines that halve from the whole to a single one, blocks between braces, and the lines
//! of the braces.

/// The lines of a source without a part, while `interesting` holds. A candidate has as many closing braces as opening ones.
/// At most `tries` candidates are looked at.
///
/// ```
/// let source = "int f() {\nreturn 1;\n}\nvoid main() {\nint a = 1;\nkill();\n}\n";
/// let reduced = airfoil_check::reduce_lines(source, 100, &mut |text| text.contains("kill();"));
/// assert_eq!(reduced, "kill();\n");
/// ```
pub fn reduce_lines(source: &str, tries: u64, interesting: &mut dyn FnMut(&str) -> bool) -> String {
    let mut lines: Vec<&str> = source.lines().collect();
    let mut left = tries;
    loop {
        let before = lines.len();
        let mut size = lines.len();
        while size > 0 && left > 0 {
            let mut at = 0;
            while at < lines.len() && left > 0 {
                let run = [&lines[..at], &lines[(at + size).min(lines.len())..]].concat();
                let end = block_end(&lines, at);
                let block = end.map(|end| [&lines[..at], &lines[end + 1..]].concat());
                let braces = end.map(|end| [&lines[..at], &lines[at + 1..end], &lines[end + 1..]].concat());
                let smaller = [Some(run), block, braces].into_iter().flatten().find_map(|candidate| {
                    if !is_balanced(&candidate) || left == 0 {
                        return None;
                    }
                    left -= 1;
                    interesting(&join(&candidate)).then_some(candidate)
                });
                match smaller {
                    Some(smaller) => lines = smaller,
                    None => at += size,
                }
            }
            size /= 2;
        }
        if lines.len() == before || left == 0 {
            return join(&lines);
        }
    }
}

fn join(lines: &[&str]) -> String {
    lines.iter().flat_map(|line| [line, "\n"]).collect()
}

/// The change of the depth of braces by a line.
fn depth(line: &str) -> isize {
    line.bytes().fold(0, |depth, byte| match byte {
        b'{' => depth + 1,
        b'}' => depth - 1,
        _ => depth,
    })
}

fn is_balanced(lines: &[&str]) -> bool {
    let mut sum = 0;
    lines.iter().all(|line| {
        sum += depth(line);
        sum >= 0
    }) && sum == 0
}

/// The line that closes the block which a line opens.
fn block_end(lines: &[&str], at: usize) -> Option<usize> {
    if depth(lines[at]) <= 0 {
        return None;
    }
    let mut sum = 0;
    let length = lines[at..].iter().position(|line| {
        sum += depth(line);
        sum <= 0
    })?;
    Some(at + length)
}
