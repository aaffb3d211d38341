//! Runs cases in worker processes, so that a crash, a hang or a memory hog is the fault of one file.
//!
//! A worker is this program again with the same arguments and `--worker`. It reads a file name a line and
//! answers a line: `passed`, `failed REASON` or `skipped REASON`. A worker that dies or is silent for too long is
//! replaced, and its file counts as crashed.

use crate::report::Verdict;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

/// How workers run.
#[derive(Clone, Debug)]
pub struct Options {
    /// Workers at a time.
    pub jobs: usize,
    /// Longest time that a case may take.
    pub timeout: Duration,
    /// Most address space of a worker in KiB (Unix only).
    pub memory_kib: u64,
    /// Arguments for the workers.
    pub args: Vec<String>,
}

struct Worker {
    child: Child,
    stdin: ChildStdin,
    lines: Receiver<String>,
}

impl Worker {
    fn start(options: &Options) -> std::io::Result<Worker> {
        let program = std::env::current_exe()?;
        let mut command = if cfg!(unix) {
            // The shell sets the limit for the program that replaces it.
            let mut shell = Command::new("sh");
            shell
                .args(["-c", "ulimit -v \"$0\"; exec \"$@\""])
                .arg(options.memory_kib.to_string())
                .arg(program);
            shell
        } else {
            Command::new(program)
        };
        let mut child = command
            .args(&options.args)
            .arg("--worker")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let missing = || std::io::Error::other("a worker has no pipes");
        let stdin = child.stdin.take().ok_or_else(missing)?;
        let stdout = child.stdout.take().ok_or_else(missing)?;
        let (send, lines) = channel();
        // Reading in a thread gives a time-out that every platform has. It ends with the worker's output.
        std::thread::spawn(move || {
            BufReader::new(stdout).lines().map_while(Result::ok).try_for_each(|line| send.send(line))
        });
        Ok(Worker { child, stdin, lines })
    }

    /// The verdict of a case; the second is whether the worker can go on.
    fn run(&mut self, case: &str, timeout: Duration) -> (Verdict, bool) {
        if writeln!(self.stdin, "{case}").and_then(|()| self.stdin.flush()).is_err() {
            return (Verdict::Crashed("the worker could not be started".into()), false);
        }
        match self.lines.recv_timeout(timeout) {
            Ok(line) => (parse(&line), true),
            Err(RecvTimeoutError::Timeout) => {
                // A kill that fails means that it is dead already.
                let _ = self.child.kill();
                (Verdict::Crashed(format!("no answer within {} s", timeout.as_secs())), false)
            }
            Err(RecvTimeoutError::Disconnected) => {
                let status = self.child.wait().map_or_else(|e| e.to_string(), |s| s.to_string());
                (Verdict::Crashed(format!("the process died: {status}")), false)
            }
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // Both fail only if the process is gone, which is what is wanted.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn parse(line: &str) -> Verdict {
    match line.split_once(' ').unwrap_or((line, "")) {
        ("passed", _) => Verdict::Passed,
        ("skipped", reason) => Verdict::Skipped(reason.into()),
        ("failed", reason) => Verdict::Failed(reason.into()),
        _ => Verdict::Crashed(format!("a worker answered `{line}`")),
    }
}

/// Runs all cases; the verdicts come in the order of the cases.
///
/// # Errors
/// When no worker can be started.
pub fn run(cases: &[String], options: &Options) -> std::io::Result<Vec<Verdict>> {
    let next = AtomicUsize::new(0);
    let verdicts: Mutex<Vec<Option<Verdict>>> = Mutex::new(vec![None; cases.len()]);
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..options.jobs.max(1))
            .map(|_| {
                scope.spawn(|| -> std::io::Result<()> {
                    let mut worker: Option<Worker> = None;
                    loop {
                        let i = next.fetch_add(1, Ordering::Relaxed);
                        let Some(case) = cases.get(i) else { return Ok(()) };
                        let mut w = match worker.take() {
                            Some(w) => w,
                            None => Worker::start(options)?,
                        };
                        let (verdict, alive) = w.run(case, options.timeout);
                        if alive {
                            worker = Some(w);
                        }
                        if let Ok(mut all) = verdicts.lock() {
                            all[i] = Some(verdict);
                        }
                    }
                })
            })
            .collect();
        threads.into_iter().try_for_each(|t| t.join().unwrap_or(Ok(())))
    })?;
    let all = verdicts.into_inner().unwrap_or_default();
    let lost = || Verdict::Crashed("no verdict".into());
    Ok(all.into_iter().map(|v| v.unwrap_or_else(lost)).collect())
}

/// The other side: answers every case that comes in until the input ends.
///
/// # Errors
/// When the pipes break.
pub fn serve(mut case: impl FnMut(&str) -> Verdict) -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let answer = match case(&line?) {
            Verdict::Passed => "passed".to_string(),
            Verdict::Skipped(r) => format!("skipped {}", one_line(&r)),
            Verdict::Failed(r) | Verdict::Crashed(r) => format!("failed {}", one_line(&r)),
        };
        writeln!(out, "{answer}")?;
        out.flush()?;
    }
    Ok(())
}

fn one_line(text: &str) -> String {
    text.replace('\n', " | ").chars().take(2000).collect()
}
