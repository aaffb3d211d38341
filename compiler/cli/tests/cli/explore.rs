//! `airfoil explore`: the files that it serves, and to whom.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

struct Server {
    child: Child,
    address: String,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A folder with the names of a built page.
fn page(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::create_dir_all(&folder).unwrap();
    for file in ["style.css", "main.js", "worker.js", "server.js", "icon.svg", "airfoil.wasm"] {
        fs::write(folder.join(file), file).unwrap();
    }
    fs::write(folder.join("index.html"), "the page").unwrap();
    fs::write(folder.join("private.txt"), "not part of the page").unwrap();
    folder
}

fn serve(folder: &Path, file: &str) -> Server {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/shaders");
    let mut child = Command::new(env!("CARGO_BIN_EXE_airfoil"))
        .args(["explore", file, "--folder"])
        .arg(folder)
        .current_dir(root)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
    let address = line.trim().strip_prefix("http://").and_then(|l| l.strip_suffix('/')).unwrap().to_string();
    Server { child, address }
}

impl Server {
    fn ask(&self, request: &str, host: &str) -> String {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        write!(stream, "{request} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }
}

#[test]
fn the_page_and_the_shader_are_served_to_this_machine() {
    let server = serve(&page("explore-page"), "sea.frag");
    assert!(server.address.starts_with("127.0.0.1:"), "{}", server.address);
    let host = server.address.clone();
    let index = server.ask("GET /", &host);
    assert!(index.starts_with("HTTP/1.1 200") && index.ends_with("the page"), "{index}");
    assert!(index.contains("Content-Security-Policy: default-src 'none'; script-src 'self'"), "{index}");
    assert!(server.ask("GET /airfoil.wasm?x", &host).contains("Content-Type: application/wasm"));
    let source = server.ask("GET /source.json", &host);
    assert!(source.contains("\"stage\":\"fragment\"") && source.contains("Water under a sky"), "{source}");
    for (request, status) in [
        ("GET /private.txt", 404),
        ("GET /../Cargo.toml", 404),
        ("GET /%2e%2e/x", 404),
        ("POST /", 405),
        ("POST /call", 405),
    ] {
        let answer = server.ask(request, &host);
        assert!(answer.starts_with(&format!("HTTP/1.1 {status}")), "{request}: {answer}");
    }
    // A name of another site that leads here.
    assert!(server.ask("GET /source.json", "example.org").starts_with("HTTP/1.1 403"));
}

#[test]
fn modules_become_text() {
    let server = serve(&page("explore-spirv"), "lit.frag.spv");
    let source = server.ask("GET /source.json", &server.address);
    assert!(source.contains("\"kind\":\"spirv\"") && source.contains("OpEntryPoint Fragment"), "{source}");
}

#[test]
fn what_cannot_be_served_is_refused() {
    let run = |args: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_airfoil")).arg("explore").args(args).output().unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    let (code, message) = run(&["--folder", env!("CARGO_TARGET_TMPDIR")]);
    assert!(code == Some(2) && message.contains("does not hold the page"), "{message}");
    let (code, message) = run(&["missing.frag"]);
    assert!(code == Some(1) && message.contains("E0001"), "{message}");
    let (code, message) = run(&["shader.glsl"]);
    assert!(code == Some(2) && message.contains("the stage of this GLSL source is unknown"), "{message}");
}
