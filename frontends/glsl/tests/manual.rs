//! `docs/glsl-extensions.md` is generated from the table of extensions; this test fails when it is out of date.
//!
//! `AIRFOIL_BLESS=1 cargo test -p airfoil-glsl --test manual` regenerates it.

use airfoil_glsl::extension::{EXTENSIONS, Info, Status};
use airfoil_glsl::version::NEVER;
use std::fmt::Write;
use std::path::Path;

/// A version as `1.50`; nothing where an extension is not to be had.
fn version(number: u16) -> String {
    if number == NEVER { String::new() } else { format!("{}.{:02}", number / 100, number % 100) }
}

/// `| name | desktop | ES |` and one column more.
fn row(text: &mut String, info: &Info, last: &str) {
    let (desktop, es) = (version(info.desktop), version(info.es));
    writeln!(text, "| `{}` | {desktop} | {es} | {} |", info.name, last.replace('|', "\\|")).unwrap();
}

/// The extensions that one turns on as well.
fn implied(info: &Info) -> String {
    let names: Vec<String> = info.implies.iter().map(|ext| format!("`{}`", ext.name())).collect();
    if names.is_empty() { String::new() } else { format!(" Turns on {}.", names.join(", ")) }
}

fn section(text: &mut String, title: &str, about: &str, column: &str, rows: &[(&Info, String)]) {
    writeln!(text, "\n## {title} ({})\n\n{about}\n", rows.len()).unwrap();
    writeln!(text, "| extension | desktop | ES | {column} |\n|---|---|---|---|").unwrap();
    rows.iter().for_each(|(info, last)| row(text, info, last));
}

fn manual() -> String {
    let mut text = String::from(
        "# Extensions of GLSL\n\nGenerated from the table in `frontends/glsl/src/extension.rs` by `AIRFOIL_BLESS=1 cargo \
         test -p airfoil-glsl --test manual`; do not edit.\n\nThe versions are the first ones, of desktop GLSL and of \
         GLSL ES, in which `#extension` takes the name. Each extension that can be turned on has its `GL_...` macro. Names \
         not listed here are unknown: `require` is an error, `enable` and `warn` are warnings.\n",
    );
    let of = |wanted: fn(&Info) -> Option<String>| -> Vec<(&Info, String)> {
        EXTENSIONS.iter().filter_map(|info| wanted(info).map(|last| (info, last))).collect()
    };
    let supported =
        of(|info| (info.status == Status::Supported).then(|| format!("{}{}", info.about, implied(info))));
    let accepted = of(|info| {
        (info.status == Status::AcceptedNoEffect).then(|| format!("{}{}", info.about, implied(info)))
    });
    let unsupported = of(|info| match info.status {
        Status::Unsupported(why) => Some(format!("{} Not supported: {why}.", info.about)),
        _ => None,
    });
    assert_eq!(supported.len() + accepted.len() + unsupported.len(), EXTENSIONS.len());
    let about = "The front end supports them. Features that the IR or Metal cannot express are rejected later, with a location.";
    section(&mut text, "Supported", about, "description", &supported);
    let about = "They guarantee existing behavior, or are hints that may be ignored.";
    section(&mut text, "Accepted without effect", about, "description", &accepted);
    let about = "`require` is an error with the reason; `enable` and `warn` are warnings, and the macro is not defined.";
    section(&mut text, "Not supported", about, "description and reason", &unsupported);
    text
}

#[test]
fn the_table_of_extensions_is_up_to_date() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/glsl-extensions.md");
    let text = manual();
    if std::env::var_os("AIRFOIL_BLESS").is_some() {
        std::fs::write(&path, &text).unwrap();
    }
    let old = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(old == text, "docs/glsl-extensions.md is out of date: run with AIRFOIL_BLESS=1");
}
