//! `.test` files of VK-GL-CTS: reading cases, and making whole programs from their templates.
//!
//! A file holds groups of cases; a case has shader sources with holes such as `${DECLARATIONS}`, rows of values, and
//! the expected results. Three harnesses read this one grammar in three [`Dialect`]s. Nothing here compiles or executes:
//! suites do that with the [`case::Case`]s of [`parser`] and the sources of [`specialize`].

pub mod case;
pub mod compare;
pub mod lexer;
pub mod parser;
pub mod specialize;
pub mod template;
pub mod types;

use std::path::Path;

/// Which harness a file is written for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Dialect {
    /// OpenGL ES 2 to 3.2 and OpenGL 4.5: the full grammar.
    #[default]
    Gls,
    /// OpenGL 3.0 to 4.4 and ES 3 of `openglcts`: several blocks of values, other rules for old versions.
    Glc,
    /// Vulkan: explicit locations, uniforms in blocks, `output_color`.
    Vk,
}

impl Dialect {
    /// The dialect of a file by the folders that contain it: the innermost of `gls`, `glc`, `vk`.
    pub fn of(path: &Path) -> Dialect {
        let folders = path.parent().into_iter().flat_map(Path::components);
        let named = folders.rev().find_map(|folder| match folder.as_os_str().to_str() {
            Some("gls") => Some(Dialect::Gls),
            Some("glc") => Some(Dialect::Glc),
            Some("vk") => Some(Dialect::Vk),
            _ => None,
        });
        named.unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dialect_by_folder() {
        assert_eq!(Dialect::of(Path::new("a/vk/b/c.test")), Dialect::Vk);
        assert_eq!(Dialect::of(Path::new("vk/glc/c.test")), Dialect::Glc);
        assert_eq!(Dialect::of(Path::new("a/vk.test")), Dialect::Gls);
    }
}
