//! `airfoil explore`: the files that it serves, and to whom.

use crate::server::{Server, page};
use std::fs;
use std::path::Path;
use std::process::Command;

fn serve(folder: &Path, file: &str) -> Server {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/shaders");
    let mut command = Command::new(env!("CARGO_BIN_EXE_airfoil"));
    command.current_dir(root);
    Server::start(&mut command, folder, &[file])
}

/// The answer to a request without a body.
fn ask(server: &Server, request: &str, host: &str) -> String {
    server.ask(request, "", host, "")
}

#[test]
fn the_page_and_the_shader_are_served_to_this_machine() {
    let folder = page("explore-page");
    fs::write(folder.join("index.html"), "the page").unwrap();
    fs::write(folder.join("private.txt"), "not part of the page").unwrap();
    let server = serve(&folder, "sea.frag");
    assert!(server.address.starts_with("127.0.0.1:"), "{}", server.address);
    let host = server.address.clone();
    let index = ask(&server, "GET /", &host);
    assert!(index.starts_with("HTTP/1.1 200") && index.ends_with("the page"), "{index}");
    assert!(index.contains("Content-Security-Policy: default-src 'none'; script-src 'self'"), "{index}");
    assert!(ask(&server, "GET /airfoil.wasm?x", &host).contains("Content-Type: application/wasm"));
    let source = ask(&server, "GET /source.json", &host);
    assert!(source.contains("\"stage\":\"fragment\"") && source.contains("Water under a sky"), "{source}");
    for (request, status) in [
        ("GET /private.txt", 404),
        ("GET /../Cargo.toml", 404),
        ("GET /%2e%2e/x", 404),
        ("POST /", 405),
        ("POST /call", 405),
    ] {
        let answer = ask(&server, request, &host);
        assert!(answer.starts_with(&format!("HTTP/1.1 {status}")), "{request}: {answer}");
    }
    // A name of another site that leads here.
    assert!(ask(&server, "GET /source.json", "example.org").starts_with("HTTP/1.1 403"));
}

#[test]
fn modules_become_text() {
    let server = serve(&page("explore-spirv"), "lit.frag.spv");
    let source = ask(&server, "GET /source.json", &server.address);
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
