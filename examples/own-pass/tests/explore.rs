//! The page of `explore`: this command compiles for it, with the pass.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
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

fn serve() -> Server {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("explore-page");
    fs::create_dir_all(&folder).unwrap();
    for name in ["index.html", "style.css", "main.js", "worker.js", "server.js", "icon.svg", "airfoil.wasm"] {
        fs::write(folder.join(name), name).unwrap();
    }
    let mut command = Command::new(env!("CARGO_BIN_EXE_add-zero-pass"));
    let mut child =
        command.args(["explore", "--folder"]).arg(&folder).stdout(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
    let address = line.trim().strip_prefix("http://").and_then(|l| l.strip_suffix('/')).unwrap().to_string();
    Server { child, address }
}

impl Server {
    fn send(&self, head: &str, body: &str) -> String {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let (host, length) = (&self.address, body.len());
        write!(
            stream,
            "{head}\r\nHost: {host}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
        )
        .unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        String::from_utf8_lossy(&answer).into_owned()
    }

    fn call(&self, page: &str, request: &str) -> String {
        self.send(&format!("POST /call HTTP/1.1\r\nAirfoil-Page: {page}"), request)
    }
}

const SHADER: &str = r#"{ "op": "compile", "kind": "glsl", "stage": "fragment", "level": "O0", "pipeline": "front, add_zero",
    "text": "uniform float a; void main() { gl_FragColor = vec4(a + 0.0); }" }"#;

#[test]
fn the_command_compiles_for_the_page() {
    let server = serve();
    // The worker that asks the server, under the name of the other.
    assert!(server.send("GET /worker.js HTTP/1.1", "").ends_with("server.js"));
    let passes = server.call("a", r#"{ "op": "passes" }"#);
    assert!(passes.contains(r#""name":"add_zero""#), "{passes}");
    let answer = server.call("a", SHADER);
    assert!(answer.starts_with("HTTP/1.1 200") && answer.contains(r#""ok":true"#), "{answer}");
    let steps = server.call("a", r#"{ "op": "steps" }"#);
    assert!(steps.contains("add_zero"), "{steps}");
    // Each page has its own shader.
    let other = server.call("b", r#"{ "op": "steps" }"#);
    assert!(other.contains("there is no shader"), "{other}");
}

#[test]
fn other_sites_are_refused() {
    let server = serve();
    // A script of another site cannot send the header without asking first, which is refused.
    assert!(server.send("POST /call HTTP/1.1", SHADER).starts_with("HTTP/1.1 403"));
    assert!(server.send("OPTIONS /call HTTP/1.1", "").starts_with("HTTP/1.1 405"));
    assert!(server.call("a", "\u{0}").contains("error"));
}
