//! Option values of `airfoil run`: `NAME=SOURCE`, triples, sizes, and the file of `--inputs`.

use super::numbers::MOST_BYTES;
use crate::source::read_bytes;
use airfoil::Diagnostic;
use serde_json::{Map, Value};
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// `NAME=TEXT`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pair {
    /// Name of the input or output.
    pub name: String,
    /// A value, or its source or destination.
    pub text: String,
}

impl FromStr for Pair {
    type Err = String;

    fn from_str(text: &str) -> Result<Pair, String> {
        match text.split_once('=') {
            Some((name, text)) if !name.is_empty() && !text.is_empty() => {
                Ok(Pair { name: name.trim().to_string(), text: text.to_string() })
            }
            _ => Err("expected NAME=VALUE".to_string()),
        }
    }
}

/// The part of the target that an image shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Plane {
    /// A colour, by its number.
    Color(u32),
    /// Depths.
    Depth,
    /// Stencil values.
    Stencil,
}

/// `-o FILE` or `-o N=FILE`: a colour, `depth` or `stencil`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImageOut {
    /// Content.
    pub plane: Plane,
    /// The file.
    pub path: PathBuf,
}

impl FromStr for ImageOut {
    type Err = String;

    fn from_str(text: &str) -> Result<ImageOut, String> {
        let color = |n: &str| n.parse().ok().filter(|n| *n < 32).map(Plane::Color);
        let (plane, path) = match text.split_once('=') {
            Some(("depth", path)) => (Plane::Depth, path),
            Some(("stencil", path)) => (Plane::Stencil, path),
            Some((n, path)) => color(n).map_or((Plane::Color(0), text), |plane| (plane, path)),
            None => (Plane::Color(0), text),
        };
        if path.is_empty() {
            return Err("expected FILE, N=FILE, depth=FILE or stencil=FILE".to_string());
        }
        Ok(ImageOut { plane, path: path.into() })
    }
}

/// `X,Y,Z`; omitted numbers are 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Triple(pub [u32; 3]);

impl FromStr for Triple {
    type Err = String;

    fn from_str(text: &str) -> Result<Triple, String> {
        let mut all = [1; 3];
        let parts: Vec<&str> = text.split([',', 'x']).collect();
        if parts.len() > 3 {
            return Err("expected X, X,Y or X,Y,Z".to_string());
        }
        for (n, part) in all.iter_mut().zip(parts) {
            *n = part.trim().parse().ok().filter(|n| *n != 0).ok_or(format!("`{part}` is not a count"))?;
        }
        Ok(Triple(all))
    }
}

/// `WxH` of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size(pub u32, pub u32);

impl FromStr for Size {
    type Err = String;

    fn from_str(text: &str) -> Result<Size, String> {
        let number = |t: &str| t.parse().ok().filter(|n| (1..=16384).contains(n));
        let parts = text.split_once('x').and_then(|(w, h)| Some(Size(number(w)?, number(h)?)));
        parts.ok_or_else(|| format!("`{text}` is not a size such as 640x480, up to 16384x16384"))
    }
}

/// Where contents come from.
#[derive(Clone, Debug, PartialEq)]
pub enum Source {
    /// A value in JSON.
    Json(Value),
    /// Bytes as they are.
    Bytes(Vec<u8>),
    /// This many zeros.
    Zeros(u64),
    /// This many bytes from the seed.
    Random(u64),
}

impl Source {
    /// From `FILE.json`, `FILE`, `zeros:BYTES`, `random:BYTES`, or JSON itself.
    pub fn read(text: &str) -> Result<Source, Diagnostic> {
        if let Some(kind) = ["zeros:", "random:"].iter().find(|k| text.starts_with(**k)) {
            let count = text[kind.len()..].parse().ok().filter(|n| *n <= MOST_BYTES);
            let count = count.ok_or_else(|| {
                Diagnostic::error(
                    "E0040",
                    format!("`{text}`: expected {kind} and a number of bytes up to {MOST_BYTES}"),
                )
            })?;
            return Ok(if *kind == "zeros:" { Source::Zeros(count) } else { Source::Random(count) });
        }
        if text.trim_start().starts_with(['[', '{']) {
            return json(text.as_bytes(), text).map(Source::Json);
        }
        let path = Path::new(text);
        let bytes = read_file(path)?;
        let is_json = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("json"));
        // The standard stream has no extension.
        if is_json || (text == "-" && bytes.trim_ascii_start().starts_with(b"{")) {
            return json(&bytes, text).map(Source::Json);
        }
        Ok(Source::Bytes(bytes))
    }

    /// JSON, from a file or as it is.
    pub fn read_json(text: &str) -> Result<Value, Diagnostic> {
        match Source::read(text)? {
            Source::Json(value) => Ok(value),
            _ => Err(Diagnostic::error("E0040", format!("`{text}` is not JSON"))
                .help("name a file that ends in .json, or write an array such as [1, 2]")),
        }
    }
}

/// Reads a file; the message names it.
pub fn read_file(path: &Path) -> Result<Vec<u8>, Diagnostic> {
    read_bytes(path).map_err(|fault| {
        let mut fault = *fault;
        fault.message = format!("`{}`: {}", path.display(), fault.message);
        fault
    })
}

/// Parses JSON.
pub fn json(bytes: &[u8], name: &str) -> Result<Value, Diagnostic> {
    let shown: String = name.chars().take(60).collect();
    serde_json::from_slice(bytes)
        .map_err(|e| Diagnostic::error("E0040", format!("`{shown}` is not JSON: {e}")))
}

/// The file of `--inputs`: `{"buffers": {NAME: ...}, "uniforms": {...}, "textures": ..., "images": ..., "attributes": ..., "indices": [...]}`.
#[derive(Debug, Default)]
pub struct Document(Map<String, Value>);

/// Sections of the file.
const SECTIONS: [&str; 6] = ["buffers", "uniforms", "textures", "images", "attributes", "indices"];

impl Document {
    /// Reads the file, if there is one.
    pub fn read(path: Option<&Path>) -> Result<Document, Diagnostic> {
        let Some(path) = path else { return Ok(Document::default()) };
        let name = path.display().to_string();
        let fault = |what: String| {
            Diagnostic::error("E0040", format!("`{name}`: {what}"))
                .help(format!("an object with the members {}", SECTIONS.join(", ")))
        };
        let Value::Object(map) = json(&read_file(path)?, &name)? else {
            return Err(fault("the inputs are an object".to_string()));
        };
        for (section, value) in &map {
            if !SECTIONS.contains(&section.as_str()) {
                return Err(fault(format!("`{section}` is not a member of the inputs")));
            }
            if !(value.is_object() || section == "indices") {
                return Err(fault(format!("`{section}` is an object of names")));
            }
        }
        Ok(Document(map))
    }

    /// Entries of a section, then those of options; texts that start like JSON are JSON.
    pub fn all<'a>(&'a self, section: &str, pairs: &'a [Pair]) -> impl Iterator<Item = (&'a str, Given<'a>)> {
        let own = self.0.get(section).and_then(Value::as_object).into_iter().flatten();
        let own = own.map(|(name, value)| {
            let given = value.as_str().map_or(Given::Value(value), Given::Text);
            (name.as_str(), given)
        });
        own.chain(pairs.iter().map(|p| (p.name.as_str(), Given::Text(&p.text))))
    }

    /// The list of indices.
    pub fn indices(&self) -> Option<&Value> {
        self.0.get("indices")
    }
}

/// Something that was given.
#[derive(Clone, Copy, Debug)]
pub enum Given<'a> {
    /// In the file of inputs.
    Value(&'a Value),
    /// On the command line, or the name of a file.
    Text(&'a str),
}

impl Given<'_> {
    /// Its contents.
    pub fn source(self) -> Result<Source, Diagnostic> {
        match self {
            Given::Value(value) => Ok(Source::Json(value.clone())),
            Given::Text(text) => Source::read(text),
        }
    }

    /// A value; texts may leave the brackets of a vector away.
    pub fn value(self) -> Result<Value, Diagnostic> {
        match self {
            Given::Value(value) => Ok(value.clone()),
            Given::Text(text) => {
                let parsed =
                    serde_json::from_str(text).or_else(|_| serde_json::from_str(&format!("[{text}]")));
                parsed.or_else(|_| match Path::new(text).extension() {
                    Some(e) if e.eq_ignore_ascii_case("json") => Source::read_json(text),
                    _ => Ok(Value::from(text)),
                })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_options() {
        assert_eq!("4".parse(), Ok(Triple([4, 1, 1])));
        assert_eq!("4,2x3".parse(), Ok(Triple([4, 2, 3])));
        assert_eq!("640x480".parse(), Ok(Size(640, 480)));
        assert_eq!("a.png".parse(), Ok(ImageOut { plane: Plane::Color(0), path: "a.png".into() }));
        assert_eq!("1=a.png".parse(), Ok(ImageOut { plane: Plane::Color(1), path: "a.png".into() }));
        assert_eq!("depth=a.raw".parse(), Ok(ImageOut { plane: Plane::Depth, path: "a.raw".into() }));
        assert_eq!("stencil=a.raw".parse(), Ok(ImageOut { plane: Plane::Stencil, path: "a.raw".into() }));
        assert!("a=b=c".parse::<Pair>().is_ok_and(|p| (p.name.as_str(), p.text.as_str()) == ("a", "b=c")));
        for bad in ["", "0", "1,2,3,4", "a", "-1"] {
            assert!(bad.parse::<Triple>().is_err(), "{bad}");
        }
        for bad in ["", "10", "0x5", "99999x1"] {
            assert!(bad.parse::<Size>().is_err(), "{bad}");
        }
        for bad in ["", "a", "=1", "a="] {
            assert!(bad.parse::<Pair>().is_err(), "{bad}");
        }
    }

    #[test]
    fn sources_of_contents() {
        assert_eq!(Source::read("zeros:16").unwrap(), Source::Zeros(16));
        assert_eq!(Source::read("random:3").unwrap(), Source::Random(3));
        assert_eq!(Source::read("[1, 2]").unwrap(), Source::Json(serde_json::json!([1, 2])));
        for bad in ["zeros:many", "zeros:99999999999", "[1,", "no/such/file"] {
            assert!(Source::read(bad).is_err(), "{bad}");
        }
        assert_eq!(Given::Text("1,2.5").value().unwrap(), serde_json::json!([1, 2.5]));
        assert_eq!(Given::Text("true").value().unwrap(), serde_json::json!(true));
    }
}
