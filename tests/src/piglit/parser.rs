//! Sections of a file.

use super::command;
use super::script::{Column, Requirement, Script};
use super::values::{bits, float, shape};
use crate::gl::attributes::Components;
use crate::gl::types::Number;
use airfoil::Stage;

/// Stages by the word before `shader`.
const STAGES: &[(&str, Stage)] = &[
    ("vertex", Stage::Vertex),
    ("fragment", Stage::Fragment),
    ("geometry", Stage::Geometry),
    ("tessellation control", Stage::TessControl),
    ("tessellation evaluation", Stage::TessEval),
    ("compute", Stage::Compute),
];

/// Reads a file.
///
/// # Errors
/// The first error, with its line.
pub fn parse(text: &str) -> Result<Script, String> {
    let mut script = Script { size: (250, 250), ..Script::default() };
    let mut sections: Vec<(usize, String, String)> = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let trimmed = line.trim_end();
        let head = trimmed.strip_prefix('[').and_then(|l| l.split_once(']'));
        // `[` opens no line of GLSL.
        match head {
            Some((name, _)) => sections.push((number, name.trim().to_string(), String::new())),
            None => {
                if let Some((.., body)) = sections.last_mut() {
                    body.push_str(line);
                    body.push('\n');
                }
            }
        }
    }
    let version = |script: &Script| script.version.clone().unwrap_or_else(|| "110".into());
    for (number, name, body) in sections {
        match name.as_str() {
            "require" => require(&body, &mut script)?,
            "vertex shader passthrough" => {
                let text = passthrough(&version(&script));
                script.shaders.push((Stage::Vertex, text));
            }
            "vertex data" => script.columns = vertex_data(number, &body)?,
            "test" => {
                for (i, line) in (number + 1..).zip(body.lines()) {
                    let line = line.trim();
                    if !line.is_empty() && !line.starts_with('#') {
                        script.commands.push((i, command::parse(line)));
                    }
                }
            }
            "shader include" | "fragment shader include" => script.has_includes = true,
            name => match name.strip_suffix(" shader").and_then(stage) {
                Some(stage) => script.shaders.push((stage, body)),
                None if name.ends_with("spirv") || name.ends_with("specializations") => {
                    script.has_spirv = true
                }
                None => script.foreign = Some(name.to_string()),
            },
        }
    }
    Ok(script)
}

fn stage(word: &str) -> Option<Stage> {
    STAGES.iter().find(|(w, _)| *w == word).map(|(_, s)| *s)
}

/// The vertex shader that passes on the position.
fn passthrough(version: &str) -> String {
    let number: u32 = version.split(' ').next().and_then(|v| v.parse().ok()).unwrap_or(110);
    let old = number < 130 || (version == "100");
    let word = if old { "attribute" } else { "in" };
    format!("{word} vec4 piglit_vertex;\nvoid main() {{ gl_Position = piglit_vertex; }}\n")
}

fn require(body: &str, script: &mut Script) -> Result<(), String> {
    let mut compatibility = false;
    let mut glsl: Option<(String, bool)> = None;
    for line in body.lines() {
        let line = line.split('#').next().unwrap_or_default().trim();
        let words: Vec<&str> = line.split_whitespace().collect();
        // One digit after the point is the first of two: 4.0 is 4.00.
        let number = |w: &str| match w.split_once('.') {
            Some((major, minor)) => format!("{major}{minor:0<2}"),
            None => w.to_owned(),
        };
        match words.as_slice() {
            [] => {}
            ["GLSL", "ES", ">=", v] => glsl = Some((number(v), true)),
            ["GLSL", ">=", v] => glsl = Some((number(v), false)),
            ["GLSL", "COMPAT", ">=", v] => (glsl, compatibility) = (Some((number(v), false)), true),
            ["GL", "COMPAT", ..] | ["GL", .., "COMPAT"] => compatibility = true,
            ["SEPARABLE", "PROGRAM", "ENABLED"] => script.separable = true,
            // With SSO each stage is a program of its own; here they are one, whose interfaces match by the same names.
            ["GL", ..] | ["SSO", _] | ["SEPARABLE", "PROGRAM", _] | ["rlimit", _] | ["depthbuffer"] => {}
            ["SPIRV", "ONLY"] => script.requirements.push(Requirement::SpirvOnly),
            ["SPIRV", _] => {}
            ["SIZE", w, h] => {
                let side = |s: &str| s.parse().ok().filter(|n| (1..=4096).contains(n));
                script.size = side(w).zip(side(h)).ok_or_else(|| format!("`{line}` is not a size"))?;
            }
            ["INT", name, ..] | [name, ..] if name.contains("_MAX_") || name.contains("_NUM_") => {}
            [name] if name.starts_with("GL_") => {
                script.requirements.push(Requirement::Extension((*name).into()))
            }
            [name] if name.starts_with("!GL_") => {
                script.requirements.push(Requirement::Without(name[1..].into()))
            }
            _ => script.requirements.push(Requirement::Unknown(line.into())),
        }
    }
    script.version = glsl.map(|(number, es)| match (number.as_str(), es, compatibility) {
        ("100", true, _) => "100".to_string(),
        (n, true, _) => format!("{n} es"),
        // Before GLSL 1.50 the word is not written, but contexts have GL_ARB_compatibility.
        (n, _, true) if n.parse::<u32>().is_ok_and(|n| n >= 140) => format!("{n} compatibility"),
        (n, ..) => n.to_string(),
    });
    Ok(())
}

/// Columns are `name/type/count`, `name/type/glsl type/column` or `name/index/type/count`.
fn vertex_data(section: usize, body: &str) -> Result<Vec<Column>, String> {
    let mut lines = (section + 1..).zip(body.lines()).filter(|(_, l)| {
        let l = l.trim();
        !l.is_empty() && !l.starts_with('#')
    });
    let Some((number, head)) = lines.next() else { return Ok(Vec::new()) };
    let mut columns: Vec<(Column, Number, u32, usize)> = Vec::new();
    for word in head.split_whitespace() {
        let wrong = || format!("line {number}: `{word}` is not a column");
        let mut parts: Vec<&str> = word.split('/').collect();
        let mut index = 0;
        if parts.len() == 4 {
            let at = if parts[1].parse::<u32>().is_ok() { 1 } else { 3 };
            index = parts.remove(at).parse().map_err(|_| wrong())?;
        }
        let [name, ty, size] = parts[..] else { return Err(wrong()) };
        let (kind, width) = match ty {
            "float" => (Number::Float, 32),
            "double" => (Number::Float, 64),
            "int" | "byte" | "short" => (Number::Int, 32),
            "uint" | "ubyte" | "ushort" => (Number::Uint, 32),
            _ => return Err(wrong()),
        };
        let count = match size.parse() {
            Ok(n) => n,
            Err(_) => shape(size).map(|s| s.rows as usize).ok_or_else(wrong)?,
        };
        columns.push((Column { name: name.into(), index, rows: Vec::new() }, kind, width, count));
    }
    for (number, line) in lines {
        let mut words = line.split_whitespace();
        for (column, kind, width, count) in &mut columns {
            let mut values = Vec::with_capacity(*count);
            for _ in 0..*count {
                values.push(words.next().ok_or_else(|| format!("line {number}: numbers are missing"))?);
            }
            let wrong = || format!("line {number}: a value is not a number");
            column.rows.push(match kind {
                Number::Float => Components::Floats(
                    values.iter().map(|v| float(v, *width)).collect::<Option<_>>().ok_or_else(wrong)?,
                ),
                kind => Components::Integers(
                    values.iter().map(|v| bits(v, *kind, 64)).collect::<Option<_>>().ok_or_else(wrong)?,
                ),
            });
        }
    }
    Ok(columns.into_iter().map(|c| c.0).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::piglit::command::Command;

    #[test]
    fn versions_have_two_digits_after_the_point() {
        for (text, version) in [("4.0", "400"), ("1.5", "150"), ("4.60", "460"), ("330", "330")] {
            let script = parse(&format!("[require]\nGLSL >= {text}\n")).unwrap();
            assert_eq!(script.version.as_deref(), Some(version));
        }
    }

    #[test]
    fn sections() {
        let text = "[require]\nGLSL >= 1.50\nGL_yes\n!GL_no\nSIZE 10 20\nGL_MAX_X >= 3\n\n[vertex shader passthrough]\n\
            [fragment shader]\nvoid main() {}\n[vertex data]\na/float/vec2 m/float/mat2x3/1\n1 2 3 4 5\n[test]\nclear\n# no\nfoo\n";
        let script = parse(text).unwrap();
        assert_eq!(script.version.as_deref(), Some("150"));
        assert_eq!(script.size, (10, 20));
        assert_eq!(
            script.requirements,
            [Requirement::Extension("GL_yes".into()), Requirement::Without("GL_no".into())]
        );
        assert!(script.shaders[0].1.starts_with("in vec4 piglit_vertex"));
        assert_eq!(script.shaders[1], (Stage::Fragment, "void main() {}\n".into()));
        assert_eq!(script.columns[1].index, 1);
        assert_eq!(script.columns[1].rows, [Components::Floats(vec![3.0, 4.0, 5.0])]);
        assert_eq!(script.commands, [(15, Command::Clear), (17, Command::Unsupported("foo".into()))]);
    }

    #[test]
    fn versions() {
        let version = |line: &str| parse(&format!("[require]\n{line}\n")).unwrap().version;
        assert_eq!(version("GLSL ES >= 1.00").as_deref(), Some("100"));
        assert_eq!(version("GLSL ES >= 3.10").as_deref(), Some("310 es"));
        assert_eq!(version("GL COMPAT >= 3.2\nGLSL >= 1.50").as_deref(), Some("150 compatibility"));
        assert_eq!(version("GL COMPAT >= 3.1\nGLSL >= 1.40").as_deref(), Some("140 compatibility"));
        assert!(parse("[require]\nSEPARABLE PROGRAM ENABLED\n").unwrap().separable);
        assert!(parse("[vertex data]\na/float\n").is_err());
        assert!(parse("[vertex data]\na/float/2\n1\n").is_err());
    }
}
