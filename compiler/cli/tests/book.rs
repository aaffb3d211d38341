//! Runs the commands of README and the book: each line `$ airfoil ...` of a `console` block, in a folder per page with the
//! shaders of the examples. A command succeeds, and prints the lines that the page shows after it.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Commands that are not run: how they start, and the reason.
const NOT_RUN: [(&str, &str); 3] = [
    ("airfoil bisect wrong.", "no pass changes results: `tests/cli/bisect.rs` plants one"),
    ("airfoil reduce wrong.", "no pass changes results: `tests/cli/reduce.rs` plants one"),
    ("airfoil reduce crash.", "no shader crashes: `tests/cli/reduce.rs` has a check of its own"),
];

/// Files that pages use besides the examples, and their contents.
const FILES: [(&str, &str); 7] = [
    ("orders.txt", "O0 = O0\nO2 = O2\nnir = nir-radv\n"),
    ("typo.frag", TYPO),
    ("sum.comp", SUM),
    ("image.frag", IMAGE),
    ("water.vert", WATER_VERT),
    ("water.frag", WATER_FRAG),
    ("stars.vert", STARS),
];
const TYPO: &str = "#version 330
out vec4 color;
void main() { color = albedo; }
";
const SUM: &str = "#version 450
layout(local_size_x = 1) in;
layout(binding = 0, std430) buffer Data { float data[]; };
void main() { data[gl_GlobalInvocationID.x] *= 2.0; }
";
const IMAGE: &str = "#version 450
layout(location = 0) uniform float time;
layout(location = 0) out vec4 color;
void main() { color = vec4(gl_FragCoord.xy / 256.0, fract(time), 1.0); }
";
const WATER_VERT: &str = "#version 450
layout(location = 0) in vec4 position;
out gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[1]; };
void main() { gl_Position = position; gl_ClipDistance[0] = position.y; }
";
const WATER_FRAG: &str = "#version 450
layout(location = 0) out vec4 color;
void main() { color = vec4(0.0, 0.0, 1.0, 1.0); }
";
const STARS: &str = "#version 450
layout(location = 0) in vec4 position;
out gl_PerVertex { vec4 gl_Position; float gl_PointSize; float gl_ClipDistance[1]; };
void main() { gl_Position = position; gl_PointSize = 1.0; gl_ClipDistance[0] = position.y; }
";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A command of a page, and the lines that it prints there.
#[derive(Debug)]
struct Shown {
    command: String,
    lines: Vec<String>,
}

/// The commands of the `console` blocks of a page.
fn commands(text: &str) -> Vec<Shown> {
    let (mut found, mut console) = (Vec::<Shown>::new(), false);
    for line in text.lines().map(str::trim_start) {
        if let Some(language) = line.strip_prefix("```") {
            console = language == "console";
        } else if let (true, Some(command)) = (console, line.strip_prefix("$ ")) {
            found.push(Shown { command: command.to_string(), lines: Vec::new() });
        } else if let (true, Some(last)) = (console, found.last_mut()) {
            last.lines.push(line.to_string());
        }
    }
    found
}

fn airfoil() -> Command {
    Command::new(env!("CARGO_BIN_EXE_airfoil"))
}

/// The shaders of the examples here, in `shaders` and in `examples/shaders`, and all others.
fn prepare(folder: &Path) {
    for part in ["", "shaders", "examples/shaders"] {
        fs::create_dir_all(folder.join(part)).unwrap();
        for entry in fs::read_dir(root().join("examples/shaders")).unwrap() {
            let entry = entry.unwrap();
            let name = entry.file_name().into_string().unwrap();
            // A folder of shaders for any target.
            if part != "shaders" || !["blur.comp", "lit.frag", "lit.vert"].contains(&&*name) {
                fs::copy(entry.path(), folder.join(part).join(name)).unwrap();
            }
        }
    }
    for (name, text) in FILES {
        fs::write(folder.join(name), text).unwrap();
    }
    for (from, to) in
        [("lit.frag.spv", "wrong.frag.spv"), ("lit.frag.spv", "app.frag.spv"), ("fade.foil", "wrong.foil")]
    {
        fs::copy(folder.join(from), folder.join(to)).unwrap();
    }
    for (from, to) in
        [("water.vert", "water.vert.spv"), ("water.frag", "water.frag.spv"), ("stars.vert", "stars.vert.spv")]
    {
        let made = airfoil().current_dir(folder).args(["compile", "-q", "--vulkan", from, "-o", to]).status();
        assert!(made.unwrap().success(), "{from}");
    }
}

#[cfg(unix)]
#[test]
fn commands_of_the_book_run() {
    let mut pages = vec![root().join("README.md")];
    pages.extend(fs::read_dir(root().join("docs")).unwrap().map(|entry| entry.unwrap().path()));
    pages.retain(|path| path.extension().is_some_and(|e| e == "md"));
    pages.sort();
    let binaries = Path::new(env!("CARGO_BIN_EXE_airfoil")).parent().unwrap();
    let path = format!("{}:{}", binaries.display(), std::env::var("PATH").unwrap_or_default());
    let (mut run, mut wrong, mut unused) =
        (0, Vec::new(), NOT_RUN.iter().map(|n| n.0).collect::<BTreeSet<_>>());
    for page in pages {
        let name = page.file_name().unwrap().to_string_lossy().into_owned();
        let shown = commands(&fs::read_to_string(&page).unwrap());
        if !shown.iter().any(|shown| shown.command.starts_with("airfoil ")) {
            continue;
        }
        let folder = std::env::temp_dir().join(format!("airfoil-book-{}-{name}", std::process::id()));
        prepare(&folder);
        for Shown { command, lines } in shown {
            if let Some((start, _)) = NOT_RUN.iter().find(|(start, _)| command.starts_with(start)) {
                unused.remove(start);
                continue;
            }
            if !command.starts_with("airfoil ") {
                continue;
            }
            let output = Command::new("sh")
                .args(["-c", &command])
                .current_dir(&folder)
                .env("PATH", &path)
                .env("NO_COLOR", "1")
                .output()
                .unwrap();
            run += 1;
            let text = String::from_utf8_lossy(&[output.stderr, output.stdout].concat()).into_owned();
            let start: String = text.lines().take(12).map(|line| format!("    {line}\n")).collect();
            // A page that shows an error has a command that fails.
            let fails = lines.iter().any(|line| line.contains("error"));
            if output.status.success() == fails {
                wrong.push(format!("{name}: `{command}`: {}\n{start}", output.status));
            }
            let is_missing = |line: &&String| !line.contains("...") && !text.contains(line.trim());
            wrong.extend(
                lines.iter().filter(is_missing).map(|line| format!("{name}: `{command}`: `{line}`\n{start}")),
            );
        }
        fs::remove_dir_all(&folder).unwrap();
    }
    assert!(wrong.is_empty(), "{} wrong\n{}", wrong.len(), wrong.join("\n"));
    assert!(unused.is_empty(), "not in the book: {unused:?}");
    assert!(run > 20, "{run} commands");
}
