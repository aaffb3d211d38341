//! Facts about GLSL files from names and folders: the stage, and whether they are written for Vulkan.

use airfoil::Stage;
use std::path::Path;

/// Endings that name a stage.
pub const STAGE_ENDINGS: &[(&str, Stage)] = &[
    ("vert", Stage::Vertex),
    ("frag", Stage::Fragment),
    ("geom", Stage::Geometry),
    ("tesc", Stage::TessControl),
    ("tese", Stage::TessEval),
    ("comp", Stage::Compute),
];

/// Endings of GLSL files: those of stages, and `glsl` for files with the stage elsewhere in the name.
pub const ENDINGS: &[&str] = &["vert", "frag", "geom", "tesc", "tese", "comp", "glsl"];

/// The stage of a file: by its ending (`a.vert`), by the part before a general ending (`a.vert.glsl`,
/// `a.vert.in`), or by the last word of the name before it (`a_vert.glsl`).
pub fn stage_of(path: &Path) -> Option<Stage> {
    let name = path.file_name()?.to_str()?;
    let by_ending = |ending: &str| STAGE_ENDINGS.iter().find(|(e, _)| *e == ending).map(|(_, s)| *s);
    let (stem, ending) = name.rsplit_once('.')?;
    match ending {
        "glsl" | "in" => by_ending(stem.rsplit(['.', '_', '-']).next()?),
        _ => by_ending(ending),
    }
}

/// Whether a file is written for Vulkan: it is in a folder of that name, or is an input of naga, which reads no other
/// GLSL.
pub fn is_for_vulkan(path: &Path) -> bool {
    let folders = path.parent().map(Path::components).into_iter().flatten();
    folders.into_iter().any(|c| c.as_os_str() == "vulkan" || c.as_os_str() == "naga-in")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stages() {
        let stage = |name: &str| stage_of(Path::new(name));
        assert_eq!(stage("x/a.b.vert"), Some(Stage::Vertex));
        assert_eq!(stage("a.tese.glsl"), Some(Stage::TessEval));
        assert_eq!(stage("blur_comp.glsl"), Some(Stage::Compute));
        assert_eq!(stage("a.frag.in"), Some(Stage::Fragment));
        assert_eq!(stage("common.glsl"), None);
        assert_eq!(stage("vert"), None);
    }

    #[test]
    fn vulkan_by_folder() {
        assert!(is_for_vulkan(Path::new("real/vulkan/x/a.vert")));
        assert!(is_for_vulkan(Path::new("x/naga-in/glsl/a.vert")));
        assert!(!is_for_vulkan(Path::new("real/gl/vulkan.vert")));
    }
}
