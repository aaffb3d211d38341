//! `airfoil explore`: serves the page of the Explorer to this machine.
//!
//! The page compiles with Airfoil as WebAssembly. That module does not have the passes of other crates: a command with own
//! passes serves another worker, whose requests (`POST /call`) are answered by a process of the command per page.

mod answer;
mod sessions;

use self::sessions::Sessions;
use crate::Failure;
use crate::args::stage_parser;
use crate::kinds::{InputKind, input_kind, stage_of};
use crate::plan::usage;
use crate::report::Console;
use crate::source::{Input, Source};
use airfoil::ir::Named;
use airfoil::passes::registry::Registry;
use airfoil::{Diagnostic, Stage};
use clap::Args;
use serde_json::{Value, json};
use std::io::{Cursor, Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::{env, fs, io, thread};
use tiny_http::{Header, Method, Request, Response, Server};

#[derive(Args, Debug)]
#[command(after_help = "\
The page runs Airfoil itself, as WebAssembly; the server only delivers it, to this machine alone. `tools/explorer` builds the page.
A command with own passes compiles for the page, in processes of its own.

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
    /// Answer the requests of a page on standard input
    #[arg(long, hide = true)]
    pub answer: bool,
}

/// The script in which the page has Airfoil.
const WORKER: &str = "worker.js";
/// The script that is served in its stead to let this process compile.
const SERVER_WORKER: &str = "server.js";
/// Bytes of the longest request of a page.
const LONGEST_REQUEST: usize = 16 << 20;

/// The files of the page and their types.
const FILES: &[(&str, &str)] = &[
    ("index.html", "text/html; charset=utf-8"),
    ("style.css", "text/css; charset=utf-8"),
    ("main.js", "text/javascript; charset=utf-8"),
    (WORKER, "text/javascript; charset=utf-8"),
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
pub fn run(args: &ExploreArgs, registry: &Registry, console: Console) -> Result<ExitCode, Failure> {
    if args.answer {
        return Ok(answer::run(registry));
    }
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
    let has_own_passes = registry.len() > airfoil::air::plan::registry().len();
    let sessions = has_own_passes.then(Sessions::default);
    let page = Arc::new(Page { folder, source: source.unwrap_or(Value::Null).to_string(), port, sessions });
    for mut request in server.incoming_requests() {
        let page = Arc::clone(&page);
        let respond = move || {
            let response = page.answer(&mut request);
            // The browser may have gone.
            let _ = request.respond(response);
        };
        // A page must not wait for the shader of another.
        let _ = thread::Builder::new().spawn(respond);
    }
    Ok(ExitCode::SUCCESS)
}

/// The folder with the built page.
fn folder(args: &ExploreArgs) -> Result<PathBuf, Failure> {
    let has = |folder: &Path, name: &str| folder.join(name).is_file();
    let built =
        |folder: &PathBuf| FILES.iter().all(|(name, _)| has(folder, name)) && has(folder, SERVER_WORKER);
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
    /// The processes that compile for pages, if their module cannot.
    sessions: Option<Sessions>,
}

impl Page {
    fn answer(&self, request: &mut Request) -> Response<Cursor<Vec<u8>>> {
        let header = |name: &'static str| {
            request.headers().iter().find(|h| h.field.equiv(name)).map(|h| h.value.as_str())
        };
        // Another site whose name leads to this machine must not read the shader.
        let host = header("Host");
        // Browsers leave out port 80.
        let is_own = |host: &str| {
            let (name, port) = host.split_once(':').unwrap_or((host, "80"));
            matches!(name, "127.0.0.1" | "localhost") && port == self.port.to_string()
        };
        if !host.is_some_and(is_own) {
            return plain(403, "unknown host");
        }
        let path = request.url().split(['?', '#']).next().unwrap_or_default().trim_start_matches('/');
        if let (Method::Post, "call", Some(sessions)) = (request.method(), path, &self.sessions) {
            // Browsers ask before they send this header to another origin, and are refused.
            let Some(page) = header("Airfoil-Page").filter(|name| name.len() <= 64).map(str::to_string)
            else {
                return plain(403, "unknown page");
            };
            return call(sessions, &page, request);
        }
        if !matches!(request.method(), Method::Get | Method::Head) {
            return plain(405, "only GET");
        }
        if path == "source.json" {
            return with_headers(Response::from_data(self.source.clone()), "application/json");
        }
        let name = if path.is_empty() { "index.html" } else { path };
        let Some((name, kind)) = FILES.iter().find(|(file, _)| *file == name) else {
            return plain(404, "not found");
        };
        let file = if *name == WORKER && self.sessions.is_some() { SERVER_WORKER } else { name };
        match fs::read(self.folder.join(file)) {
            Ok(bytes) => with_headers(Response::from_data(bytes), kind),
            Err(_) => plain(404, "not found"),
        }
    }
}

/// The answer of the process of a page.
fn call(sessions: &Sessions, page: &str, request: &mut Request) -> Response<Cursor<Vec<u8>>> {
    let mut text = String::new();
    match request.as_reader().take(LONGEST_REQUEST as u64 + 1).read_to_string(&mut text) {
        Ok(length) if length <= LONGEST_REQUEST => {}
        Ok(_) => return plain(413, "the request is too long"),
        Err(_) => return plain(400, "the request is not text"),
    }
    // A request is a line; JSON has no line ends within strings.
    match sessions.call(page, &text.replace(['\n', '\r'], " ")) {
        Ok(answer) => with_headers(Response::from_data(answer), "application/octet-stream"),
        Err(fault) => plain(500, &format!("the process that compiles ended: {fault}")),
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
