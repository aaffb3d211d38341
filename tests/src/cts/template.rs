//! Holes in sources: `${NAME}`, `${NAME:single-line}`, `${NAME:opt}`, `${NAME:default=text}`.

/// Fills all holes with the results of `text_of` for their names.
///
/// # Errors
/// A hole that is not closed, has an unknown modifier, or has no text and may not be left empty.
pub fn fill<'a>(source: &str, text_of: impl Fn(&str) -> Option<&'a str>) -> Result<String, String> {
    let mut out = String::with_capacity(source.len());
    let mut rest = source;
    while let Some(at) = rest.find("${") {
        out.push_str(&rest[..at]);
        let hole = &rest[at + 2..];
        let end = hole.find('}').ok_or("a `${` has no `}`")?;
        let (name, modifier) = hole[..end].split_once(':').unwrap_or((&hole[..end], ""));
        let missing = || format!("nothing is known to put for `${{{name}}}`");
        match modifier {
            "" => out.push_str(text_of(name).ok_or_else(missing)?),
            "single-line" => out.push_str(&text_of(name).ok_or_else(missing)?.replace('\n', " ")),
            "opt" => out.push_str(text_of(name).unwrap_or_default()),
            other => match other.strip_prefix("default=") {
                Some(default) => out.push_str(text_of(name).unwrap_or(default)),
                None => return Err(format!("`${{{name}:{other}}}` has an unknown modifier")),
            },
        }
        rest = &hole[end + 1..];
    }
    out.push_str(rest);
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(source: &str) -> Result<String, String> {
        fill(source, |name| (name == "A").then_some("1\n2\n"))
    }

    #[test]
    fn modifiers() {
        assert_eq!(filled("x${A}y$ {A}").unwrap(), "x1\n2\ny$ {A}");
        assert_eq!(filled("${A:single-line}|${B:opt}|${B:default=q}").unwrap(), "1 2 ||q");
        assert!(filled("${B}").unwrap_err().contains("${B}"));
        assert!(filled("${A:other}").is_err());
        assert!(filled("a ${A").is_err());
    }
}
