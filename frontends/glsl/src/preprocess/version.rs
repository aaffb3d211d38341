//! `#version`: found first, since it determines how the rest is scanned (GLSL 4.60 section 3.3).

use super::scan::{FIRST, Kind, Scanner};
use crate::source::Span;
use crate::token::{Interner, Tok};
use crate::version::{Profile, Version};

/// A `#version` directive at the start of a shader.
pub(super) struct Found {
    /// From `#` to the last token, in the original text.
    pub span: Span,
    /// The version, or an error message.
    pub version: Result<Version, String>,
}

/// The `#version` directive, if the shader starts with one.
pub(super) fn find(text: &str, joints: &[(u32, u32)], names: &mut Interner) -> Option<Found> {
    let mut scanner = Scanner::new(text, joints);
    let hash = scanner.scan(names);
    if hash.kind != Kind::Hash || hash.flags & FIRST == 0 {
        return None;
    }
    scanner.directive = true;
    let word = scanner.scan(names);
    if word.kind != Kind::Name || &names[crate::token::Symbol(word.data)] != "version" {
        return None;
    }
    let mut words: Vec<&str> = Vec::new();
    let mut hi = word.lo + u32::from(word.len);
    let mut kinds = Vec::new();
    loop {
        let start = scanner.pos;
        let token = scanner.scan(names);
        if token.is_end() {
            break;
        }
        hi = token.lo + u32::from(token.len);
        // Only the first few tokens can matter.
        if words.len() < 4 {
            words.push(scanner.between(start, scanner.pos).trim());
            kinds.push((token.kind, token.tok));
        }
    }
    Some(Found { span: Span { lo: hash.lo, hi }, version: parse(&words, &kinds) })
}

fn parse(words: &[&str], kinds: &[(Kind, Tok)]) -> Result<Version, String> {
    let Some((&(Kind::Number, _), &digits)) = kinds.first().zip(words.first()) else {
        return Err("#version needs a number".into());
    };
    // A comment may precede the number.
    let digits = digits.rsplit([' ', '\t', '/', '\n', '\r']).next().unwrap_or(digits);
    let number: u16 = digits
        .parse()
        .map_err(|_| format!("'{digits}' is not a version of the language (GLSL 4.60 section 3.3)"))?;
    let profile = match kinds.get(1) {
        None => None,
        Some((Kind::Name, _)) => {
            Some(words[1].rsplit([' ', '\t', '/', '\n', '\r']).next().unwrap_or_default())
        }
        Some(_) => return Err("#version takes a number and the name of a profile only".into()),
    };
    if words.len() > 2 {
        return Err("#version takes a number and the name of a profile only".into());
    }
    make(number, profile)
}

/// The version of a number and the name of a profile.
pub(super) fn make(number: u16, profile: Option<&str>) -> Result<Version, String> {
    let profile = match (number, profile) {
        (100, None) | (300 | 310 | 320, Some("es")) => Profile::Es,
        (100, Some(_)) => return Err("GLSL ES 1.00 is '#version 100', without profile".into()),
        (300 | 310 | 320, _) => {
            return Err(format!("version {number} needs the profile 'es' (GLSL ES 3.00 section 3.4)"));
        }
        (110 | 120 | 130, None) => Profile::Compatibility,
        (140, None) => Profile::Core,
        (150 | 330 | 400 | 410 | 420 | 430 | 440 | 450 | 460, profile) => match profile {
            None | Some("core") => Profile::Core,
            Some("compatibility") => Profile::Compatibility,
            Some("es") => return Err(format!("version {number} of GLSL ES does not exist")),
            Some(other) => {
                return Err(format!("unknown profile '{other}': expected 'core', 'compatibility' or 'es'"));
            }
        },
        (110 | 120 | 130 | 140, Some(_)) => {
            return Err(format!("version {number} has no profiles; they came with 150"));
        }
        _ => {
            return Err(format!(
                "unknown version {number}: desktop has 110 to 150, 330 and 400 to 460, ES has 100, 300, 310 and 320"
            ));
        }
    };
    Ok(Version { number, profile })
}

/// The text after `#version`: `330 core`, `300 es`, `110`.
impl std::str::FromStr for Version {
    type Err = String;

    fn from_str(text: &str) -> Result<Version, String> {
        let mut words = text.split_ascii_whitespace();
        let (digits, profile) = (words.next().unwrap_or_default(), words.next());
        let number = digits.parse().map_err(|_| format!("'{digits}' is not a version of the language"))?;
        match words.next() {
            None => make(number, profile),
            Some(_) => Err("a version is a number and the name of a profile only".into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_from_words() {
        let read = |text: &str| text.parse::<Version>().map(|v| v.to_string());
        assert_eq!(read(" 330  core "), Ok("GLSL 3.30".into()));
        assert_eq!(read("300 es"), Ok("GLSL ES 3.00".into()));
        assert_eq!(read("110"), Ok("GLSL 1.10".into()));
        for bad in ["", "core", "300", "330 es", "330 core x", "99999"] {
            assert!(read(bad).is_err(), "{bad}");
        }
    }

    fn version(text: &str) -> Option<Result<String, String>> {
        find(text, &[], &mut Interner::default()).map(|f| f.version.map(|v| v.to_string()))
    }

    #[test]
    fn versions_are_found_behind_comments() {
        assert_eq!(version("// c\n /* d\n */ # version 450 core // x\n"), Some(Ok("GLSL 4.50".into())));
        assert_eq!(version("#version /* a */ 300 /* b */ es"), Some(Ok("GLSL ES 3.00".into())));
        assert_eq!(version("#version 150 compatibility"), Some(Ok("GLSL 1.50 compatibility".into())));
        assert_eq!(version("\u{feff}#version 100\n"), Some(Ok("GLSL ES 1.00".into())));
        assert_eq!(version("int a;\n#version 100\n"), None);
        assert_eq!(version("#define X\n#version 100\n"), None);
        assert_eq!(version(""), None);
    }

    #[test]
    fn other_versions_are_refused() {
        for bad in [
            "",
            "AAA",
            "foobar",
            "300",
            "299 es",
            "301 es",
            "300 es foobar",
            "300 es.0",
            "330.0",
            "331",
            "110 es",
            "120 core",
            "450 foo",
            "100 es",
            "99999999",
            "450 core core",
        ] {
            let text = format!("#version {bad}\n");
            assert!(matches!(version(&text), Some(Err(_))), "{bad}");
        }
    }
}
