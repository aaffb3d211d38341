//! The suites of GLSL verdicts with `glslangValidator` as the compiler, to check the suites themselves and to have
//! figures to compare with: `cargo run -p airfoil-tests --example peer_conformance -- cts-build FOLDER`.

use airfoil_tests::cli;
use airfoil_tests::suites::build::{Builder, Link, Request, Source, Verdict};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Output};
use std::sync::Mutex;

const PROGRAM: &str = "glslangValidator";
/// Its exit codes.
const COMPILE_FAILED: i32 = 2;
const LINK_FAILED: i32 = 3;

struct Peer {
    /// Sources are passed in files in this folder; it exists while they are judged.
    folder: PathBuf,
    extensions: Mutex<BTreeMap<(String, bool), bool>>,
}

fn main() -> ExitCode {
    cli::main(&open)
}

fn open() -> Result<Box<dyn Builder>, String> {
    let folder = std::env::temp_dir().join(format!("airfoil-peer-{}", std::process::id()));
    Command::new(PROGRAM).arg("--version").output().map_err(|e| format!("{PROGRAM}: {e}"))?;
    Ok(Box::new(Peer { folder, extensions: Mutex::default() }))
}

fn ending(source: &Source) -> &'static str {
    airfoil_tests::glsl_files::STAGE_ENDINGS
        .iter()
        .find(|(_, stage)| *stage == source.stage)
        .map_or("vert", |(ending, _)| ending)
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    std::fs::write(path, text).map_err(|e| e.to_string())
}

impl Peer {
    fn output(&self, request: &Request, preprocess: bool) -> Result<Output, String> {
        std::fs::create_dir_all(&self.folder).map_err(|e| e.to_string())?;
        let output = self.output_in_folder(request, preprocess);
        std::fs::remove_dir_all(&self.folder).map_err(|e| e.to_string())?;
        output
    }

    fn output_in_folder(&self, request: &Request, preprocess: bool) -> Result<Output, String> {
        let mut command = Command::new(PROGRAM);
        command.current_dir(&self.folder);
        if preprocess {
            command.arg("-E");
        }
        if request.vulkan {
            command.args(["-V", "--target-env", "vulkan1.3", "-o", "out.spv"]);
        }
        if request.vulkan && request.assign {
            command.args(["--aml", "--amb"]);
        }
        if request.link != Link::No && !preprocess {
            command.arg("-l");
        }
        if !request.default_version.as_ref().is_some_and(|v| v == "100" || v.ends_with("es")) {
            command.arg("-d");
        }
        for (i, source) in request.sources.iter().enumerate() {
            let name = format!("{i}.{}", ending(source));
            write(&self.folder.join(&name), &source.text)?;
            command.arg(name);
        }
        command.output().map_err(|e| e.to_string())
    }

    fn verdict(&self, request: &Request, preprocess: bool) -> Verdict {
        let output = match self.output(request, preprocess) {
            Ok(output) => output,
            Err(what) => return Verdict::Unsupported { what },
        };
        let log = String::from_utf8_lossy(&output.stdout).into_owned();
        match output.status.code() {
            Some(0) => Verdict::Ok,
            Some(LINK_FAILED) => Verdict::LinkError { log },
            Some(COMPILE_FAILED) => {
                // The log names a file before its errors.
                let before = log.split("ERROR").next().unwrap_or_default();
                let named = |i: usize, s: &Source| before.contains(&format!("{i}.{}", ending(s)));
                let mut sources = request.sources.iter().enumerate();
                let stage = sources.rfind(|(i, s)| named(*i, s)).map(|(_, s)| s.stage);
                Verdict::CompileError { stage: stage.unwrap_or_default(), log }
            }
            code => Verdict::Unsupported { what: format!("exit code {code:?}: {log}") },
        }
    }
}

impl Builder for Peer {
    fn build(&self, request: &Request) -> Verdict {
        self.verdict(request, false)
    }

    fn preprocess(&self, request: &Request) -> Option<Verdict> {
        Some(self.verdict(request, true))
    }

    fn supports_extension(&self, name: &str, es: bool) -> bool {
        let key = (name.to_string(), es);
        let known = self.extensions.lock().ok().and_then(|map| map.get(&key).copied());
        if let Some(known) = known {
            return known;
        }
        let version = if es { "310 es" } else { "450" };
        let text = format!("#version {version}\n#extension {name} : require\nvoid main() {{ }}\n");
        let source = Source { stage: airfoil::Stage::Vertex, text };
        let supported = self.build(&Request { sources: vec![source], ..Request::default() }) == Verdict::Ok;
        if let Ok(mut map) = self.extensions.lock() {
            map.insert(key, supported);
        }
        supported
    }
}
