//! `airfoil new-pass`: the files of a new pass, in this repository or as a crate with a command of its own.

use crate::Failure;
use crate::output::{self, PendingFile, words};
use crate::plan::usage;
use airfoil::passes::registry::Registry;
use clap::{Args, ValueEnum};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

#[derive(Args, Debug)]
#[command(after_help = "\
The pass replaces `iadd x, 0` by `x`: a small one that works, to be rewritten. Its tests are texts, the
comparison of results by execution, and a second run that must find nothing. In the repository the tests of
all passes do the last two.

Examples:
  airfoil new-pass licm                            in the source tree of Airfoil around this folder
  airfoil new-pass licm --folder lower
  airfoil new-pass licm --crate ../licm            a crate with a command that has the pass
  airfoil new-pass licm --crate ../licm --airfoil ~/airfoil")]
pub struct NewPassArgs {
    /// Name of the pass: lower-case words, joined by `_`
    #[arg(value_name = "NAME")]
    pub name: String,
    /// Make a crate in this folder, which must not exist or be empty
    #[arg(long = "crate", value_name = "DIR")]
    pub krate: Option<PathBuf>,
    /// Folder of `passes/src` for the pass
    #[arg(long, value_enum, default_value_t, conflicts_with = "krate")]
    pub folder: Folder,
    /// The source tree of Airfoil [default: the one around this folder; for a crate the published version]
    #[arg(long, value_name = "DIR")]
    pub airfoil: Option<PathBuf>,
}

/// A folder of `passes/src`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Folder {
    /// Optimization
    #[default]
    Opt,
    /// Variables
    Vars,
    /// Lowering
    Lower,
    /// State of OpenGL drivers
    Gl,
    /// Several stages
    Stages,
}

impl Folder {
    fn name(self) -> &'static str {
        match self {
            Folder::Opt => "opt",
            Folder::Vars => "vars",
            Folder::Lower => "lower",
            Folder::Gl => "gl",
            Folder::Stages => "stages",
        }
    }
}

/// Most characters of a name. The formatting of the templates does not depend on shorter ones.
const MAX_NAME: usize = 30;

/// Names that the template imports, so that a pass cannot have them.
const TAKEN: &[&str] =
    &["Alu", "AluOp", "Body", "Changes", "Context", "Diagnostic", "Edit", "Instr", "Pass", "Shader", "Src"];

/// Words of Rust that cannot be names of modules.
const KEYWORDS: &[&str] = &[
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "crate", "do", "dyn",
    "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let", "loop",
    "macro", "match", "mod", "move", "mut", "override", "priv", "pub", "ref", "return", "self", "static",
    "struct", "super", "trait", "true", "try", "type", "typeof", "unsafe", "unsized", "use", "virtual",
    "where", "while", "yield",
];

/// Crates that the template needs, and their folders in the repository.
const CRATES: [(&str, &str); 5] = [
    ("airfoil-cli", "compiler/cli"),
    ("airfoil-ir", "compiler/ir"),
    ("airfoil-passes", "passes"),
    ("airfoil-check", "compiler/check"),
    ("airfoil-filetest", "compiler/filetest"),
];

const PASS: &str = include_str!("new_pass/pass.rs.in");
const TEXTS: [(&str, &str); 3] = [
    ("changes.foil", include_str!("new_pass/changes.foil.in")),
    ("loop.foil", include_str!("new_pass/loop.foil.in")),
    ("unchanged.foil", include_str!("new_pass/unchanged.foil.in")),
];

/// Files by their paths, with their contents.
type Files = Vec<(PathBuf, String)>;

/// Runs the command.
pub fn run(args: &NewPassArgs, registry: &Registry) -> Result<ExitCode, Failure> {
    let name = Name::new(&args.name, registry)?;
    let here = std::env::current_dir().map_err(|e| failed("find the current folder", Path::new("."), &e))?;
    let tree = match &args.airfoil {
        Some(dir) if is_tree(dir) => Some(dir.clone()),
        Some(dir) => {
            let fault = format!("`{}` is not the source tree of Airfoil", dir.display());
            return Err(usage(fault, "it has the folders `passes/src` and `compiler/cli`"));
        }
        None => here.ancestors().find(|dir| is_tree(dir)).map(Path::to_path_buf),
    };
    let (files, replaced, next) = match (&args.krate, tree) {
        (Some(dir), tree) => {
            let is_empty = fs::read_dir(dir).map_or(true, |mut entries| entries.next().is_none());
            if !is_empty {
                let fault = format!("the folder `{}` is not empty", dir.display());
                return Err(usage(fault, "`--crate` makes a new one"));
            }
            let tree = tree.map(|tree| path_between(&here.join(dir), &here.join(tree)));
            let next = format!("cd {} && cargo test && cargo run -- passes", dir.display());
            (of_crate(&name, dir, tree.as_deref()), None, next)
        }
        (None, Some(tree)) => {
            let (files, list) = in_tree(&name, &tree, args.folder)?;
            let next = format!(
                "AIRFOIL_BLESS=1 cargo test -p airfoil-passes --test manual && cargo test -p airfoil-passes; \
                 cargo bench -p airfoil-passes --bench passes -- {}",
                name.pass
            );
            (files, Some(list), next)
        }
        (None, None) => {
            let advice = "run it there, name it by `--airfoil DIR`, or make a crate by `--crate DIR`";
            return Err(usage("this folder is not in the source tree of Airfoil", advice));
        }
    };
    if let Some((path, _)) = files.iter().find(|(path, _)| path.exists()) {
        return Err(usage(format!("`{}` exists already", path.display()), "choose another name"));
    }
    let mut pending = Vec::new();
    for (path, text) in files.iter().chain(&replaced) {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(|e| failed("make the folder", folder, &e))?;
        }
        let file = PendingFile::write(path, text.as_bytes());
        pending.push((path, file.map_err(|e| failed("write", path, &e))?));
    }
    let mut list = String::new();
    for (path, file) in pending {
        file.commit().map_err(|e| failed("write", path, &e))?;
        list += &format!("{}\n", path.display());
    }
    list += &format!("next: {next}\n");
    output::print(list.as_bytes()).map_err(|e| failed("print to", Path::new("the standard output"), &e))?;
    Ok(ExitCode::SUCCESS)
}

fn failed(action: &str, path: &Path, error: &std::io::Error) -> Failure {
    Failure::Reported(1, format!("error: cannot {action} `{}`: {}\n", path.display(), words(error)))
}

fn is_tree(dir: &Path) -> bool {
    dir.join("passes/src/registry.rs").is_file() && dir.join("compiler/cli").is_dir()
}

/// The path from a folder to another one, both absolute; absolute if they have no more than the root in common.
fn path_between(from: &Path, to: &Path) -> PathBuf {
    let plain = |path: &Path| {
        let mut plain = PathBuf::new();
        for part in path.components() {
            match part {
                std::path::Component::CurDir => {}
                std::path::Component::ParentDir => _ = plain.pop(),
                part => plain.push(part),
            }
        }
        plain
    };
    let (from, to) = (plain(from), plain(to));
    let common = from.components().zip(to.components()).take_while(|(a, b)| a == b).count();
    if common < 2 {
        return to;
    }
    let up = from.components().skip(common).map(|_| "..");
    up.map(PathBuf::from)
        .chain(to.components().skip(common).map(|part| PathBuf::from(part.as_os_str())))
        .collect()
}

/// The name of a pass, and the names that are derived from it.
struct Name {
    pass: String,
    /// Name of its type.
    ty: String,
    /// Name of its crate.
    package: String,
}

impl Name {
    fn new(name: &str, registry: &Registry) -> Result<Name, Failure> {
        let word = |word: &str| {
            !word.is_empty() && word.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit())
        };
        let fits = name.starts_with(|c: char| c.is_ascii_lowercase()) && name.split('_').all(word);
        if !fits || name.len() > MAX_NAME || KEYWORDS.contains(&name) {
            let fault = format!("`{}` cannot be the name of a pass", name.escape_debug());
            let advice =
                format!("expected at most {MAX_NAME} letters, digits and `_`, such as `licm` or `lower_fog`");
            return Err(usage(fault, &advice));
        }
        registry.check_name(name).map_err(|fault| usage(fault.message, "choose another name"))?;
        let capital = |word: &str| word[..1].to_ascii_uppercase() + &word[1..];
        let mut ty: String = name.split('_').map(capital).collect();
        if TAKEN.contains(&ty.as_str()) {
            ty += "Pass";
        }
        Ok(Name { pass: name.to_string(), ty, package: format!("{}-pass", name.replace('_', "-")) })
    }

    /// A template with the names in it.
    fn fill(&self, template: &str) -> String {
        template
            .replace("@name@", &self.pass)
            .replace("@Type@", &self.ty)
            .replace("@crate@", &self.package)
            .replace("@lib@", &self.package.replace('-', "_"))
    }

    /// The file of the pass.
    fn source(&self, imports: &str) -> String {
        self.fill(PASS).replace("@imports@", imports.trim_end())
    }
}

const IMPORTS_OF_CRATE: &str = "\
use airfoil_ir::{Alu, AluOp, Body, Diagnostic, Instr, InstrKind, Shader, Src};
use airfoil_passes::util::rewrite::{Edit, edit_each};
use airfoil_passes::{Changes, Context, Pass, PassInfo, each_body};
";

const IMPORTS_IN_TREE: &str = "\
use crate::util::rewrite::{Edit, edit_each};
use crate::{Changes, Context, Pass, PassInfo, each_body};
use airfoil_ir::{Alu, AluOp, Body, Diagnostic, Instr, InstrKind, Shader, Src};
";

/// The files of a crate; `tree` is the path from it to the source tree of Airfoil.
fn of_crate(name: &Name, dir: &Path, tree: Option<&Path>) -> Files {
    let mut manifest = name.fill(include_str!("new_pass/Cargo.toml.in"));
    manifest =
        manifest.replace("@rust@", env!("CARGO_PKG_RUST_VERSION")).replace("@workspace@", "\n[workspace]\n");
    for (package, folder) in CRATES {
        let source = match tree {
            Some(tree) => {
                let path = tree.join(folder).display().to_string().replace('\\', "/");
                format!("{{ path = \"{}\" }}", path.escape_default())
            }
            None => format!("\"{}\"", env!("CARGO_PKG_VERSION")),
        };
        manifest = manifest.replace(&format!("@{package}@"), &source);
    }
    let mut files = vec![
        (dir.join("Cargo.toml"), manifest),
        (dir.join(".gitignore"), "/target\n".to_string()),
        // The templates are formatted as Airfoil is.
        (dir.join("rustfmt.toml"), "max_width = 110\nuse_small_heuristics = \"Max\"\n".to_string()),
        (dir.join("src/lib.rs"), name.fill(include_str!("new_pass/lib.rs.in"))),
        (dir.join("src/main.rs"), name.fill(include_str!("new_pass/main.rs.in"))),
        (dir.join("src").join(&name.pass).with_extension("rs"), name.source(IMPORTS_OF_CRATE)),
        (dir.join("tests/pass.rs"), name.fill(include_str!("new_pass/tests.rs.in"))),
        (
            dir.join("benches").join(&name.pass).with_extension("rs"),
            name.fill(include_str!("new_pass/bench.rs.in")),
        ),
    ];
    files.extend(TEXTS.map(|(file, text)| (dir.join("tests/text").join(file), name.fill(text))));
    files
}

/// The new files in the source tree, and the list of passes of the folder with the new one.
fn in_tree(name: &Name, tree: &Path, folder: Folder) -> Result<(Files, (PathBuf, String)), Failure> {
    let sources = tree.join("passes/src").join(folder.name());
    let texts = tree.join("tests/filetests/passes").join(&name.pass);
    let mut files = vec![(sources.join(&name.pass).with_extension("rs"), name.source(IMPORTS_IN_TREE))];
    files.extend(TEXTS.map(|(file, text)| (texts.join(file), name.fill(text))));
    let list = sources.join("mod.rs");
    let text = fs::read_to_string(&list).map_err(|e| failed("read", &list, &e))?;
    match registered(&text, &format!("    {}::{};", name.pass, name.ty)) {
        Some(text) => Ok((files, (list, text))),
        None => {
            let text = format!("error: `{}` does not list passes by `passes!`\n", list.display());
            Err(Failure::Reported(1, text))
        }
    }
}

/// The list of passes of a folder with a line more, in alphabetical order; `None` without a list.
fn registered(list: &str, line: &str) -> Option<String> {
    let lines: Vec<&str> = list.lines().collect();
    let is_pass = |text: &str| text.starts_with("    ") && text.contains("::") && text.ends_with(';');
    let first = lines.iter().position(|text| text.contains("passes! {"))?;
    let end = first + lines[first..].iter().position(|text| *text == "}")?;
    let after = (first..end).find(|&at| is_pass(lines[at]) && lines[at] > line).unwrap_or(end);
    let mut lines: Vec<String> = lines.into_iter().map(|text| format!("{text}\n")).collect();
    lines.insert(after, format!("{line}\n"));
    Some(lines.concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(text: &str) -> Result<(String, String), String> {
        match Name::new(text, Registry::builtin()) {
            Ok(name) => Ok((name.ty, name.package)),
            Err(Failure::Usage(fault, _) | Failure::Reported(_, fault)) => Err(fault),
        }
    }

    #[test]
    fn names_are_checked() {
        let made = |ty: &str, package: &str| Ok((ty.to_string(), package.to_string()));
        assert_eq!(name("licm"), made("Licm", "licm-pass"));
        assert_eq!(name("lower_2d_fog"), made("Lower2dFog", "lower-2d-fog-pass"));
        assert_eq!(name("body"), made("BodyPass", "body-pass"));
        for text in ["", "_", "a__b", "Licm", "1d", "a-b", "é", "match", "a/../b", &"a".repeat(31)] {
            assert!(name(text).is_err_and(|fault| fault.contains("cannot be the name")), "{text}");
        }
        assert!(name("dce").is_err_and(|fault| fault.contains("there is a pass of this name")));
    }

    #[test]
    fn passes_are_listed_in_order() {
        let list = "//! Passes.\n\ncrate::registry::passes! {\n    \"A\": \"B.\";\n    b::B;\n    d::D { options };\n}\n\nmod x;\n";
        let with = |line: &str| registered(list, line).unwrap_or_default();
        assert!(with("    a::A;").contains("\"B.\";\n    a::A;\n    b::B;"));
        assert!(with("    c::C;").contains("b::B;\n    c::C;\n    d::D"));
        assert!(with("    e::E;").contains("{ options };\n    e::E;\n}\n\nmod x;\n"));
        assert_eq!(registered("mod x;\n", "    a::A;"), None);
    }

    #[test]
    fn paths_between_folders() {
        let between = |from, to| path_between(Path::new(from), Path::new(to)).display().to_string();
        assert_eq!(between("/a/b/c", "/a/b"), "..");
        assert_eq!(between("/a/airfoil/examples/own-pass", "/a/airfoil"), "../..");
        assert_eq!(between("/a/x/../y", "/a/airfoil"), "../airfoil");
        assert_eq!(between("/x/y", "/a/airfoil"), "/a/airfoil");
    }

    /// The command generates the example, which CI builds and tests as a member of the workspace.
    #[test]
    fn the_example_is_a_new_crate() {
        let name = Name::new("add_zero", Registry::builtin()).unwrap_or_else(|_| panic!("a name"));
        let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/own-pass");
        let files = of_crate(&name, &dir, Some(Path::new("../..")));
        assert_eq!(files.len(), 11);
        for (path, text) in files {
            if std::env::var_os("AIRFOIL_BLESS").is_some() {
                fs::create_dir_all(path.parent().expect("a folder")).expect("the folder is made");
                fs::write(&path, text.replace("\n[workspace]\n", "")).expect("the example is written");
                continue;
            }
            let found = fs::read_to_string(&path).unwrap_or_default();
            // The example is a member of the workspace, and not one of its own.
            assert!(
                found == text.replace("\n[workspace]\n", ""),
                "{} differs from the template",
                path.display()
            );
        }
    }
}
