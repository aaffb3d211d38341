//! `piglit-parser`: one shader per file, with a header that specifies whether it is accepted.

use super::build::{self, Builder, Link, Request, Source};
use crate::glsl_files::stage_of;
use crate::report::{Answer, Verdict};
use airfoil::Stage;
use std::path::Path;

/// Groups of results.
pub const GROUPS: [&str; 2] = ["expect pass", "expect fail"];

/// The header of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Header {
    /// Whether the shader is accepted.
    pub pass: bool,
    /// Version of the context, such as `1.50`, without its suffix.
    pub version: String,
    /// OpenGL ES.
    pub es: bool,
    /// Whether it is linked too.
    pub link: bool,
    /// It includes files of the virtual file system that applications fill (GL_ARB_shading_language_include).
    pub includes: bool,
    /// Extensions that must be there, and (`true`) those that must not.
    pub extensions: Vec<(String, bool)>,
}

/// Versions that only ES has; files do not always contain `es`.
const ES_VERSIONS: [&str; 4] = ["1.00", "3.00", "3.10", "3.20"];

/// Reads the header of a file; `None` if there is none.
///
/// # Errors
/// The header is malformed.
pub fn header(text: &str) -> Result<Option<Header>, String> {
    // Lines of both kinds of comments begin with these.
    let bare = |line: &str| line.trim_start_matches([' ', '\t', '/', '*']).trim().to_string();
    let mut lines =
        text.lines().map(bare).skip_while(|line| !line.starts_with("[config]")).skip(1).peekable();
    if lines.peek().is_none() {
        return Ok(None);
    }
    let mut header = Header::default();
    let mut result = None;
    for line in lines {
        if line.starts_with("[end config]") {
            header.pass = result.ok_or("the header has no expect_result")?;
            if header.version.is_empty() {
                return Err("the header has no glsl_version".into());
            }
            return Ok(Some(header));
        }
        if line.is_empty() {
            continue;
        }
        let (key, value) = line.split_once(':').ok_or_else(|| format!("`{line}` is not part of a header"))?;
        let value = value.trim();
        match (key.trim(), value) {
            ("expect_result", "pass") => result = Some(true),
            ("expect_result", "fail") => result = Some(false),
            ("check_link", "true") => header.link = true,
            ("check_link", "false") => header.link = false,
            ("glsl_version", value) => {
                let end = value.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(value.len());
                header.version = value[..end].into();
                header.es = value[end..].trim() == "es" || ES_VERSIONS.contains(&&value[..end]);
            }
            ("require_extensions", value) => {
                header.extensions = value.split_whitespace().map(extension).collect();
            }
            ("shader_include_path", _) => header.includes = true,
            // Includes (`dummy_shader_include`) are missing in any case.
            ("dummy_shader_include", _) => {}
            _ => return Err(format!("`{line}` is not part of a header")),
        }
    }
    Err("the header has no [end config]".into())
}

fn extension(word: &str) -> (String, bool) {
    match word.strip_prefix('!') {
        Some(name) => (name.into(), true),
        None => (word.into(), false),
    }
}

/// The group of a file; none if it is not a test.
pub fn group(text: &str) -> Option<&'static str> {
    match header(text) {
        Ok(Some(header)) => Some(GROUPS[usize::from(!header.pass)]),
        Ok(None) => None,
        Err(_) => Some(""),
    }
}

/// Judges one file.
pub fn run(path: &Path, text: &str, builder: &dyn Builder) -> Answer {
    let failed = |reason: &str| Answer::plain(Verdict::Failed(reason.into()));
    let skipped = |reason: String| Answer::plain(Verdict::Skipped(reason));
    let header = match header(text) {
        Ok(Some(header)) => header,
        Ok(None) => return skipped("no header".into()),
        Err(reason) => return failed(&reason),
    };
    if header.includes {
        return skipped("includes files that an application names to the API".into());
    }
    let Some(stage) = stage_of(path) else { return failed("the name tells no stage") };
    for (name, must_be_absent) in &header.extensions {
        match (builder.supports_extension(name, header.es), must_be_absent) {
            (false, false) => return skipped(format!("needs {name}")),
            (true, true) => return skipped(format!("is for implementations without {name}")),
            _ => {}
        }
    }
    let request = request(stage, text, &header);
    let verdict = builder.build(&request);
    let judged = match (&verdict, header.pass) {
        (build::Verdict::Unsupported { what }, _) => Verdict::Skipped(format!("needs {what}")),
        (build::Verdict::Ok, true) => Verdict::Passed,
        (build::Verdict::Ok, false) | (_, true) => Verdict::Failed(verdict.summary()),
        (_, false) => Verdict::Passed,
    };
    Answer { verdict: judged, log: build::describe(&request, &verdict) }
}

fn request(stage: Stage, text: &str, header: &Header) -> Request {
    let default = if header.es { "100" } else { "110" };
    let mut sources = vec![Source { stage, text: text.into() }];
    if header.link {
        let version = version_line(text).unwrap_or(default);
        sources.extend(partners(stage, version, header.es));
    }
    Request {
        sources,
        default_version: Some(default.into()),
        link: if header.link { Link::Yes } else { Link::No },
        ..Request::default()
    }
}

/// The words after `#version`.
fn version_line(text: &str) -> Option<&str> {
    text.lines().find_map(|line| {
        let directive = line.trim_start().strip_prefix('#')?.trim_start().strip_prefix("version")?;
        let end = directive.find("//").or_else(|| directive.find("/*")).unwrap_or(directive.len());
        Some(directive[..end].trim())
    })
}

/// Smallest shaders that make a program with a shader of a stage.
fn partners(stage: Stage, version: &str, es: bool) -> Vec<Source> {
    const VERTEX: (Stage, &str) = (Stage::Vertex, "void main() { gl_Position = vec4(0.0); }");
    const EVALUATION: (Stage, &str) =
        (Stage::TessEval, "layout(triangles) in;\nvoid main() { gl_Position = vec4(0.0); }");
    const FRAGMENT: (Stage, &str) = (Stage::Fragment, "void main() { }");
    let mut bodies = match stage {
        Stage::Vertex => vec![FRAGMENT],
        // Desktop programs may be a fragment shader alone, and one that reads inputs has no match in a smallest partner.
        Stage::Fragment if !es => vec![],
        Stage::Fragment | Stage::Geometry | Stage::TessEval => vec![VERTEX],
        Stage::TessControl => vec![VERTEX, EVALUATION],
        _ => vec![],
    };
    // ES has no programs without a fragment shader.
    if es && !bodies.is_empty() && !matches!(stage, Stage::Vertex | Stage::Fragment) {
        bodies.push(FRAGMENT);
    }
    bodies
        .into_iter()
        .map(|(stage, body)| Source { stage, text: format!("#version {version}\n{body}\n") })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::build::fake::Fake;
    use super::*;

    fn verdict(name: &str, text: &str) -> Verdict {
        run(Path::new(name), text, &Fake).verdict
    }

    #[test]
    fn headers() {
        let text = "// [config]\n// expect_result: pass\n// glsl_version: 1.50compatibility\n\
            // require_extensions: GL_a !GL_b\n// check_link: true\n// [end config]\n#version 150\n";
        let want = Header {
            pass: true,
            version: "1.50".into(),
            es: false,
            link: true,
            includes: false,
            extensions: vec![("GL_a".into(), false), ("GL_b".into(), true)],
        };
        assert_eq!(header(text), Ok(Some(want)));
        let text = "/* [config]\n * expect_result: fail\n * glsl_version: 3.00 es\n * [end config]\n */";
        let got = header(text).unwrap().unwrap();
        assert!(!got.pass && got.es && !got.link);
        assert_eq!(header("void main() {}"), Ok(None));
        assert!(header("// [config]\n// expect_result: pass\n").is_err());
        assert!(header("// [config]\n// expect: pass\n// [end config]").is_err());
        assert!(header("// [config]\n// glsl_version: 1.10\n// [end config]").is_err());
    }

    fn test(result: &str, more: &str, body: &str) -> String {
        format!(
            "// [config]\n// expect_result: {result}\n// glsl_version: 1.30\n{more}// [end config]\n{body}"
        )
    }

    #[test]
    fn verdicts() {
        assert_eq!(verdict("a.vert", &test("pass", "", "good")), Verdict::Passed);
        assert_eq!(verdict("a.vert", &test("fail", "", "bad")), Verdict::Passed);
        assert_eq!(verdict("a.vert", &test("fail", "", "good")), Verdict::Failed("accepted".into()));
        assert_eq!(
            verdict("a.frag", &test("pass", "", "bad")),
            Verdict::Failed("fragment: 0:3: error: bad".into())
        );
        assert_eq!(verdict("a.frag", &test("pass", "", "unlinked")), Verdict::Passed);
        let included = test("pass", "// dummy_shader_include: True\n// shader_include_path: /a/b\n", "bad");
        assert!(matches!(verdict("a.frag", &included), Verdict::Skipped(why) if why.contains("includes")));
        let link = "// check_link: true\n";
        assert_eq!(verdict("a.frag", &test("fail", link, "unlinked")), Verdict::Passed);
        assert_eq!(
            verdict("a.frag", &test("fail", "", "exotic")),
            Verdict::Skipped("needs GL_exotic".into())
        );
    }

    #[test]
    fn extensions_decide_what_is_tried() {
        let needs = |list: &str| {
            verdict("a.comp", &test("pass", &format!("// require_extensions: {list}\n"), "good"))
        };
        assert_eq!(needs("GL_yes"), Verdict::Passed);
        assert_eq!(needs("GL_yes GL_no"), Verdict::Skipped("needs GL_no".into()));
        assert_eq!(needs("!GL_no"), Verdict::Passed);
        assert_eq!(needs("!GL_yes"), Verdict::Skipped("is for implementations without GL_yes".into()));
    }

    #[test]
    fn partners_have_the_version_of_the_test() {
        let header = Header { es: true, link: true, ..Header::default() };
        let got = request(Stage::Geometry, "//\n # version 310 es // text\n", &header);
        let stages: Vec<Stage> = got.sources.iter().map(|s| s.stage).collect();
        assert_eq!(stages, [Stage::Geometry, Stage::Vertex, Stage::Fragment]);
        assert!(got.sources[1].text.starts_with("#version 310 es\n"));
        let plain = request(Stage::Vertex, "", &Header { link: true, ..Header::default() });
        assert!(plain.sources[1].text.starts_with("#version 110\n"));
    }
}
