//! Programs of the corpora.

use airfoil_ir::Stage;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// A program and where it comes from.
pub struct Case {
    pub name: String,
    pub sources: Vec<(Stage, String)>,
    #[allow(dead_code, reason = "not all users link programs that are separable")]
    pub separable: bool,
}

/// The folder of the corpora; `AIRFOIL_CORPUS` names another one.
fn corpus() -> PathBuf {
    std::env::var_os("AIRFOIL_CORPUS").map_or_else(|| "../../../shared/corpus".into(), PathBuf::from)
}

/// Files below a folder, sorted.
fn files(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut list: Vec<PathBuf> = entries.filter_map(|e| Some(e.ok()?.path())).collect();
    list.sort();
    list.into_iter().flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

/// The files of `real-glsl/gl`: those of one name are a program.
pub fn real() -> Vec<Case> {
    let mut programs: BTreeMap<PathBuf, Vec<(Stage, String)>> = BTreeMap::new();
    for path in files(&corpus().join("real-glsl/gl")) {
        let stage = match path.extension().and_then(|e| e.to_str()) {
            Some("vert") => Stage::Vertex,
            Some("tesc") => Stage::TessControl,
            Some("tese") => Stage::TessEval,
            Some("geom") => Stage::Geometry,
            Some("frag") => Stage::Fragment,
            Some("comp") => Stage::Compute,
            _ => continue,
        };
        let Ok(text) = fs::read_to_string(&path) else { continue };
        programs.entry(path.with_extension("")).or_default().push((stage, text));
    }
    let case = |(path, sources): (PathBuf, Vec<(Stage, String)>)| Case {
        name: path.strip_prefix(corpus()).unwrap_or(&path).display().to_string(),
        separable: sources.len() == 1,
        sources,
    };
    programs.into_iter().map(case).collect()
}

/// The scripts of piglit.
pub fn piglit() -> Vec<Case> {
    let case = |path: PathBuf| {
        let script = airfoil_tests::piglit::parser::parse(&fs::read_to_string(&path).ok()?).ok()?;
        let usable = !script.has_includes && script.foreign.is_none() && !script.shaders.is_empty();
        // The runner of piglit writes the required version into sources without one.
        let version = script.version.map_or(String::new(), |v| format!("#version {v}\n"));
        let complete = |(stage, text): (Stage, String)| {
            (stage, if text.contains("#version") { text } else { format!("{version}{text}") })
        };
        usable.then(|| Case {
            name: path.strip_prefix(corpus()).unwrap_or(&path).display().to_string(),
            sources: script.shaders.into_iter().map(complete).collect(),
            separable: script.separable,
        })
    };
    files(&corpus().join("piglit")).into_iter().filter_map(case).collect()
}
