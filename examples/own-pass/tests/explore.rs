//! The page of `explore`: this command compiles for it, with the pass.

// The tests of the command have it.
#[path = "../../../compiler/cli/tests/cli/server.rs"]
mod server;

use server::{Server, page};
use std::process::Command;

fn serve() -> Server {
    Server::start(&mut Command::new(env!("CARGO_BIN_EXE_add-zero-pass")), &page("explore-page"), &[])
}

fn send(server: &Server, request: &str, headers: &str, body: &str) -> String {
    server.ask(request, headers, &server.address, body)
}

fn call(server: &Server, page: &str, request: &str) -> String {
    send(server, "POST /call", &format!("Airfoil-Page: {page}\r\n"), request)
}

const SHADER: &str = r#"{ "op": "compile", "kind": "glsl", "stage": "fragment", "level": "O0", "pipeline": "front, add_zero",
    "text": "uniform float a; void main() { gl_FragColor = vec4(a + 0.0); }" }"#;

#[test]
fn the_command_compiles_for_the_page() {
    let server = serve();
    // The worker that asks the server, under the name of the other.
    assert!(send(&server, "GET /worker.js", "", "").ends_with("server.js"));
    let passes = call(&server, "a", r#"{ "op": "passes" }"#);
    assert!(passes.contains(r#""name":"add_zero""#), "{passes}");
    let answer = call(&server, "a", SHADER);
    assert!(answer.starts_with("HTTP/1.1 200") && answer.contains(r#""ok":true"#), "{answer}");
    let steps = call(&server, "a", r#"{ "op": "steps" }"#);
    assert!(steps.contains("add_zero"), "{steps}");
    // Each page has its own shader.
    let other = call(&server, "b", r#"{ "op": "steps" }"#);
    assert!(other.contains("the source does not have a shader"), "{other}");
}

#[test]
fn other_sites_are_refused() {
    let server = serve();
    // A script of another site cannot send the header without asking first, which is refused.
    assert!(send(&server, "POST /call", "", SHADER).starts_with("HTTP/1.1 403"));
    assert!(send(&server, "OPTIONS /call", "", "").starts_with("HTTP/1.1 405"));
    assert!(call(&server, "a", "\u{0}").contains("error"));
}
