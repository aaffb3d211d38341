//! Texts of each version of the text form, as that version wrote them when it was new: they must stay readable. A change that one of
//! them does not survive requires a new version, a reader of the old one, and a folder of its texts here; `airfoil fmt` converts them to
//! the current version.

use airfoil_ir::text::{parse, print};
use std::fs;
use std::path::Path;

/// The current version, and those before.
const VERSIONS: [u32; 1] = [1];

#[test]
fn texts_of_all_versions_are_read_and_written_in_the_current_one() {
    for version in VERSIONS {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/text_versions/{version}"));
        let mut paths: Vec<_> = fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
        paths.sort();
        assert!(paths.len() >= 10, "version {version} has only {} texts", paths.len());
        for path in paths {
            let text = fs::read_to_string(&path).unwrap();
            assert!(text.starts_with(&format!("foil {version}\n")), "{}", path.display());
            let shader = parse(&text).unwrap_or_else(|e| panic!("{}: {}", path.display(), e[0]));
            let printed = print(&shader);
            assert!(printed.starts_with(&format!("foil {}\n", VERSIONS[0])), "{}", path.display());
            assert!(parse(&printed).unwrap().same_as(&shader), "{}", path.display());
        }
    }
}
