//! A running `airfoil explore`, and requests to it. The example `own-pass` shares this file.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// Files of a built page.
const FILES: [&str; 7] =
    ["index.html", "style.css", "main.js", "worker.js", "server.js", "icon.svg", "airfoil.wasm"];

/// A folder with the files of a built page; each holds its name.
pub fn page(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::create_dir_all(&folder).unwrap();
    FILES.iter().for_each(|file| fs::write(folder.join(file), file).unwrap());
    folder
}

/// A server, which ends with this value.
pub struct Server {
    child: Child,
    pub address: String,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Server {
    /// Starts a command with the page of a folder and further arguments.
    pub fn start(command: &mut Command, folder: &Path, args: &[&str]) -> Server {
        command.args(["explore", "--folder"]).arg(folder).args(args).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("http://").and_then(|l| l.strip_suffix('/')).unwrap();
        Server { address: address.to_string(), child }
    }

    /// The answer to a request: method and path, headers that end in line breaks, host, body.
    pub fn ask(&self, request: &str, headers: &str, host: &str, body: &str) -> String {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let length = body.len();
        write!(
            stream,
            "{request} HTTP/1.1\r\nHost: {host}\r\n{headers}Content-Length: {length}\r\nConnection: close\r\n\r\n{body}"
        )
        .unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        String::from_utf8_lossy(&answer).into_owned()
    }
}
