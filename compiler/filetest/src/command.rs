//! Commands of `RUN` lines.

/// A command, or several, each of which reads the output of the one before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Commands {
    /// Line of the test file.
    pub line: usize,
    /// Prefix of the checks of its output.
    pub prefix: String,
    /// The commands as words.
    pub pipe: Vec<Vec<String>>,
    /// The last command must fail.
    pub fails: bool,
    /// The error stream of the last command is part of the output.
    pub errors: bool,
}

impl Commands {
    /// Parses the text after `RUN:`.
    pub fn parse(text: &str, prefix: &str, line: usize) -> Result<Commands, String> {
        let mut pipe = vec![Vec::new()];
        let mut errors = false;
        for word in words(text)? {
            match word {
                Word::Plain(word) if word == "|" => pipe.push(Vec::new()),
                Word::Plain(word) if word == "2>&1" => errors = true,
                Word::Plain(word) if word.contains(['>', '<', '&', ';', '`', '$']) => {
                    return Err(format!(
                        "`{word}`: only `|` and `2>&1` are supported; quote other characters"
                    ));
                }
                _ if errors => return Err("`2>&1` must be at the end".to_string()),
                Word::Plain(word) | Word::Quoted(word) => {
                    let last = pipe.len() - 1;
                    pipe[last].push(word);
                }
            }
        }
        let fails = pipe[0].first().is_some_and(|word| word == "not");
        if fails {
            pipe[0].remove(0);
        }
        if pipe.iter().any(Vec::is_empty) {
            return Err("a command is empty".to_string());
        }
        Ok(Commands { line, prefix: prefix.to_string(), pipe, fails, errors })
    }
}

enum Word {
    /// As it is.
    Plain(String),
    /// At least in part in quotes.
    Quoted(String),
}

/// Splits at blanks; quotes keep blanks.
fn words(text: &str) -> Result<Vec<Word>, String> {
    let mut words = Vec::new();
    let mut current = String::new();
    let (mut started, mut quoted) = (false, false);
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '\'' | '"' => {
                (started, quoted) = (true, true);
                loop {
                    match chars.next() {
                        Some(end) if end == c => break,
                        Some(inner) => current.push(inner),
                        None => return Err(format!("the quote {c} is not closed")),
                    }
                }
            }
            ' ' | '\t' => {
                if started {
                    let word = std::mem::take(&mut current);
                    words.push(if quoted { Word::Quoted(word) } else { Word::Plain(word) });
                }
                (started, quoted) = (false, false);
            }
            _ => {
                started = true;
                current.push(c);
            }
        }
    }
    if started {
        words.push(if quoted { Word::Quoted(current) } else { Word::Plain(current) });
    }
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<(Vec<Vec<String>>, bool, bool), String> {
        Commands::parse(text, "CHECK", 1).map(|c| (c.pipe, c.fails, c.errors))
    }

    #[test]
    fn words_pipes_and_streams() {
        let (pipe, fails, errors) =
            parse("airfoil opt --passes 'a, b|c' %s | airfoil dis - 2>&1").expect("parses");
        assert_eq!(pipe, [vec!["airfoil", "opt", "--passes", "a, b|c", "%s"], vec!["airfoil", "dis", "-"]]);
        assert_eq!((fails, errors), (false, true));
        let (pipe, fails, errors) = parse("not airfoil check %s").expect("parses");
        assert_eq!((pipe[0].len(), fails, errors), (3, true, false));
    }

    #[test]
    fn shells_are_not_imitated() {
        for bad in ["", "not", "a |", "| a", "a > b", "a 2>&1 b", "a; b", "a && b", "a $X", "a 'b"] {
            assert!(parse(bad).is_err(), "{bad}");
        }
    }
}
