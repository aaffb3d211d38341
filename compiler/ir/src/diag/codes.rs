//! The table of diagnostic codes: one row per code.
//!
//! `docs/diagnostics.md` and `airfoil explain CODE` are generated from it. A test keeps it in step with the sources: every
//! code that a crate reports has a row, and every row is reported somewhere.

mod air;
mod arb;
mod command;
mod gl;
mod glsl;
mod passes;
mod row;
mod spirv;
mod spirv_out;

pub use row::CodeInfo;

/// A group of codes reported by one part of Airfoil.
///
/// # Examples
///
/// ```
/// use airfoil_ir::diag::codes::AREAS;
/// use airfoil_ir::text;
///
/// let errors = text::parse("foil 1 shader compute").unwrap_err();
/// let area = AREAS.iter().find(|area| area.rows.iter().any(|row| row.code == errors[0].code));
/// assert_eq!(area.map(|area| area.title), Some("Text form of the IR"));
/// assert!(AREAS.iter().all(|area| area.rows.is_sorted_by_key(|row| row.code)));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Area {
    /// Title of the group.
    pub title: &'static str,
    /// Rows, sorted by code.
    pub rows: &'static [CodeInfo],
}

/// All codes, by the part of Airfoil that reports them.
pub const AREAS: &[Area] = &[
    Area { title: "Command and input files", rows: command::COMMAND },
    Area { title: "Text form of the IR", rows: command::TEXT },
    Area { title: "SPIR-V reader", rows: spirv::READER },
    Area { title: "SPIR-V assembler", rows: spirv::ASSEMBLER },
    Area { title: "Lowering passes", rows: passes::LOWERING },
    Area { title: "Validator", rows: passes::VALIDATOR },
    Area { title: "Selection of AIR", rows: air::SELECTION },
    Area { title: "SPIR-V backend", rows: spirv_out::WRITER },
    Area { title: "GLSL preprocessor", rows: glsl::PREPROCESSOR },
    Area { title: "GLSL parser", rows: glsl::PARSER },
    Area { title: "Pass pipelines, checks and inlining", rows: passes::PIPELINE },
    Area { title: "GLSL checker: declarations", rows: glsl::DECLARATIONS },
    Area { title: "GLSL checker: expressions and statements", rows: glsl::EXPRESSIONS },
    Area { title: "GLSL linker", rows: glsl::LINKER },
    Area { title: "GLSL lowering", rows: glsl::LOWERING },
    Area { title: "Assembly programs of OpenGL", rows: arb::READER },
    Area { title: "OpenGL programs", rows: gl::PROGRAMS },
];

/// The row of a code.
#[must_use]
pub fn find(code: &str) -> Option<&'static CodeInfo> {
    AREAS.iter().flat_map(|area| area.rows).find(|row| row.code == code)
}

#[cfg(test)]
mod tests {
    use super::{AREAS, CodeInfo, find};
    use std::collections::HashSet;

    fn rows() -> impl Iterator<Item = &'static CodeInfo> {
        AREAS.iter().flat_map(|area| area.rows)
    }

    #[test]
    fn codes_are_unique_and_sorted() {
        let mut seen = HashSet::new();
        for area in AREAS {
            assert!(area.rows.is_sorted_by_key(|r| r.code), "{} is not sorted by code", area.title);
            for row in area.rows {
                assert!(seen.insert(row.code), "{} has two rows", row.code);
            }
        }
    }

    #[test]
    fn rows_are_complete() {
        for row in rows() {
            let (letter, digits) = row.code.split_at(1);
            assert!(matches!(letter, "E" | "W") && digits.len() == 4, "{}", row.code);
            assert!(digits.bytes().all(|b| b.is_ascii_digit()), "{}", row.code);
            assert!(
                row.meaning.ends_with('.') && row.meaning.contains(char::is_whitespace),
                "{}: {}",
                row.code,
                row.meaning
            );
            assert!(!row.example.is_empty(), "{} has no example", row.code);
            assert!(row.section.is_none_or(|s| s.contains(' ')), "{}: {:?}", row.code, row.section);
        }
    }

    #[test]
    fn rows_are_found_by_code() {
        assert_eq!(find("E0504").map(|r| r.code), Some("E0504"));
        assert_eq!(find("E9999"), None);
    }
}
