//! Runs the command in a folder of its own.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

/// A folder that is removed with its owner.
pub struct Folder(PathBuf);

impl Folder {
    pub fn new() -> Folder {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("airfoil-cli-{}-{number}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    pub fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        fs::write(self.0.join(name), bytes).unwrap();
    }

    pub fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.0.join(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
    }

    /// Copies a shader of the examples.
    pub fn example(&self, name: &str) {
        let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/shaders").join(name);
        fs::copy(&from, self.0.join(name)).unwrap_or_else(|e| panic!("{}: {e}", from.display()));
    }

    /// Names of all files, sorted.
    pub fn files(&self) -> Vec<String> {
        let mut names: Vec<String> =
            fs::read_dir(&self.0).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// Runs `airfoil` here; the environment has no opinion about colours.
    pub fn run(&self, args: &[&str]) -> Outcome {
        self.run_with(args, b"", &[])
    }

    pub fn run_with(&self, args: &[&str], stdin: &[u8], environment: &[(&str, &str)]) -> Outcome {
        let mut command = Command::new(env!("CARGO_BIN_EXE_airfoil"));
        command.current_dir(&self.0).args(args);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        for name in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE"] {
            command.env_remove(name);
        }
        command.envs(environment.iter().copied());
        let mut child = command.spawn().unwrap();
        // It may end without reading all.
        let _ = child.stdin.take().unwrap().write_all(stdin);
        let output = child.wait_with_output().unwrap();
        Outcome {
            code: output.status.code(),
            stdout: output.stdout,
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[derive(Debug, PartialEq, Eq)]
pub struct Outcome {
    pub code: Option<i32>,
    pub stdout: Vec<u8>,
    pub stderr: String,
}

impl Outcome {
    #[track_caller]
    pub fn ok(self) -> Outcome {
        assert_eq!(self.code, Some(0), "{}", self.stderr);
        self
    }

    /// It failed with this status, printed all of these messages, and printed nothing to standard output.
    #[track_caller]
    pub fn fails(self, code: i32, words: &[&str]) -> Outcome {
        assert_eq!(self.code, Some(code), "{}", self.stderr);
        for part in words {
            assert!(self.stderr.contains(part), "`{part}` is missing in:\n{}", self.stderr);
        }
        assert!(self.stdout.is_empty(), "{}", String::from_utf8_lossy(&self.stdout));
        self
    }

    pub fn text(&self) -> String {
        String::from_utf8(self.stdout.clone()).unwrap()
    }
}
