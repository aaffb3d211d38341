//! `airfoil explore`: serves the page of the Explorer to this machine.

use crate::Failure;
use crate::args::stage_parser;
use crate::kinds::{InputKind, input_kind, stage_of};
use crate::plan::usage;
use crate::report::Console;
use crate::source::{Input, Source};
use airfoil::ir::Named;
use airfoil::{Diagnostic, Stage};
use clap::Args;
use serde_json::{Value, json};
use std::io::{Cursor, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::{env, fs, io};
use tiny_http::{Header, Method, Request, Response, Server};

#[derive(Args, Debug)]
#[command(after_help = "\
The page runs Airfoil itself, as WebAssembly; the server only delivers it, to this machine alone. `tools/explorer` builds the page.

Examples:
  airfoil explore                       the page with its examples
  airfoil explore sea.frag              starts with this shader
  airfoil explore lit.frag --vulkan
  airfoil explore fade.frag.spv         SPIR-V, as text
  airfoil explore --port 8080 --folder site/explorer")]
pub struct ExploreArgs {
    /// The shader to start with: GLSL, SPIR-V, SPIR-V assembly or .foil
    #[arg(value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// Port [default: a free one]
    #[arg(long, value_name = "PORT", default_value_t = 0, hide_default_value = true)]
    pub port: u16,
    /// Folder of the built page [default: `explorer` beside the folder of this program, or `share/airfoil/explorer` there]
    #[arg(long, value_name = "FOLDER")]
    pub folder: Option<PathBuf>,
    /// Stage of a GLSL file whose name does not contain it
    #[arg(long, value_parser = stage_parser(), value_name = "STAGE", help_heading = "GLSL")]
    pub stage: Option<Stage>,
    /// GLSL for Vulkan rather than for OpenGL
    #[arg(long, help_heading = "GLSL")]
    pub vulkan: bool,
}

/// The files of the page and their types.
const FILES: &[(&str, &str)] = &[
    ("index.html", "text/html; charset=utf-8"),
    ("style.css", "text/css; charset=utf-8"),
    ("main.js", "text/javascript; charset=utf-8"),
    ("worker.js", "text/javascript; charset=utf-8"),
    ("icon.svg", "image/svg+xml"),
    ("airfoil.wasm", "application/wasm"),
];

/// Nothing from elsewhere, and isolation, which gives the page an exact clock.
const HEADERS: &[(&str, &str)] = &[
    (
        "Content-Security-Policy",
        "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self'; \
         style-src 'self' 'unsafe-inline'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    ),
    ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Cross-Origin-Embedder-Policy", "require-corp"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
    ("X-Content-Type-Options", "nosniff"),
    ("Referrer-Policy", "no-referrer"),
    ("Cache-Control", "no-cache"),
];

/// Runs the command: serves until the process is ended.
pub fn run(args: &ExploreArgs, console: Console) -> Result<ExitCode, Failure> {
    let source = args.file.as_deref().map(|path| source(path, args, console)).transpose()?;
    let folder = folder(args)?;
    let fail = |message: String| {
        Failure::Reported(1, console.render(&[Diagnostic::error("E0005", message)], "explore", None))
    };
    // Loopback only: other machines cannot connect.
    let server = Server::http(("127.0.0.1", args.port))
        .map_err(|e| fail(format!("port {} cannot be opened: {e}", args.port)))?;
    let port = server.server_addr().to_ip().map_or(args.port, |address| address.port());
    let mut out = io::stdout().lock();
    // A closed stream does not stop the server.
    let _ = writeln!(out, "http://127.0.0.1:{port}/").and_then(|()| out.flush());
    let page = Page { folder, source: source.unwrap_or(Value::Null).to_string(), port };
    for request in server.incoming_requests() {
        let response = page.answer(&request);
        // The browser may have gone.
        let _ = request.respond(response);
    }
    Ok(ExitCode::SUCCESS)
}

/// The folder with the built page.
fn folder(args: &ExploreArgs) -> Result<PathBuf, Failure> {
    let built =
        |folder: &PathBuf| folder.join("index.html").is_file() && folder.join("airfoil.wasm").is_file();
    let advice = "`tools/explorer` builds it; `--folder FOLDER` names another folder";
    if let Some(folder) = &args.folder {
        let fault = || usage(format!("`{}` does not hold the page", folder.display()), advice);
        return Some(folder.clone()).filter(built).ok_or_else(fault);
    }
    let program = env::current_exe().unwrap_or_default();
    let around = program.parent().and_then(Path::parent).unwrap_or(Path::new("."));
    let mut places = [around.join("explorer"), around.join("share/airfoil/explorer")].into_iter();
    places.find(built).ok_or_else(|| usage("the page of the Explorer is not built", advice))
}

/// The shader that the page starts with.
fn source(path: &Path, args: &ExploreArgs, console: Console) -> Result<Value, Failure> {
    let kind = input_kind(path).map_err(|(fault, advice)| Failure::Usage(fault, advice))?;
    let stage = stage_of(path).or(args.stage).filter(|_| kind == InputKind::Glsl);
    if kind == InputKind::Glsl && stage.is_none() {
        let fault = format!("`{}`: the stage of this GLSL source is unknown", path.display());
        return Err(usage(fault, "name it NAME.frag or NAME.frag.glsl, or use `--stage frag`"));
    }
    let input = Input { path: path.to_path_buf(), kind: Some(kind), stage };
    let refused =
        |faults: Vec<Diagnostic>| Failure::Reported(1, console.render(&faults, &input.name(), None));
    let (kind, text) = match input.read().map_err(|fault| refused(vec![*fault]))? {
        Source::Glsl(text) => (if args.vulkan { "glsl-vulkan" } else { "glsl" }, text),
        Source::Foil(text) => ("foil", text),
        Source::Assembly(text) => ("spirv", text),
        Source::Arb(text) => {
            let source = airfoil::arb::Source { name: "", text: &text };
            let program = airfoil::arb::read(&source, &airfoil::arb::Options::default());
            let program = program.map_err(|e| refused(e.into()))?;
            ("foil", airfoil::ir::text::print(&program.shader))
        }
        Source::Spirv(bytes) => {
            let words = airfoil::spirv::from_bytes(&bytes).map_err(refused)?;
            ("spirv", airfoil_spirv_asm::disassemble(&words, false).map_err(refused)?)
        }
        Source::Stored(bytes) => {
            let restored = airfoil_store::restore(&bytes).map_err(|fault| refused(vec![fault]))?;
            ("foil", restored.shaders.first().map(airfoil::ir::text::print).unwrap_or_default())
        }
    };
    let stage = stage.unwrap_or(Stage::Fragment).name();
    Ok(json!({ "name": input.name(), "kind": kind, "stage": stage, "text": text }))
}

/// The served page.
#[derive(Debug)]
struct Page {
    folder: PathBuf,
    source: String,
    port: u16,
}

impl Page {
    fn answer(&self, request: &Request) -> Response<Cursor<Vec<u8>>> {
        if !matches!(request.method(), Method::Get | Method::Head) {
            return plain(405, "only GET");
        }
        // Another site whose name leads to this machine must not read the shader.
        let host = request.headers().iter().find(|h| h.field.equiv("Host")).map(|h| h.value.as_str());
        // Browsers leave out port 80.
        let is_own = |host: &str| {
            let (name, port) = host.split_once(':').unwrap_or((host, "80"));
            matches!(name, "127.0.0.1" | "localhost") && port == self.port.to_string()
        };
        if !host.is_some_and(is_own) {
            return plain(403, "unknown host");
        }
        let path = request.url().split(['?', '#']).next().unwrap_or_default().trim_start_matches('/');
        if path == "source.json" {
            return with_headers(Response::from_data(self.source.clone()), "application/json");
        }
        let name = if path.is_empty() { "index.html" } else { path };
        let Some((name, kind)) = FILES.iter().find(|(file, _)| *file == name) else {
            return plain(404, "not found");
        };
        match fs::read(self.folder.join(name)) {
            Ok(bytes) => with_headers(Response::from_data(bytes), kind),
            Err(_) => plain(404, "not found"),
        }
    }
}

fn plain(status: u16, text: &str) -> Response<Cursor<Vec<u8>>> {
    with_headers(Response::from_string(text).with_status_code(status), "text/plain; charset=utf-8")
}

fn with_headers(response: Response<Cursor<Vec<u8>>>, kind: &str) -> Response<Cursor<Vec<u8>>> {
    let all = HEADERS.iter().copied().chain([("Content-Type", kind)]);
    all.filter_map(|(name, value)| Header::from_bytes(name, value).ok())
        .fold(response, |response, header| response.with_header(header))
}
