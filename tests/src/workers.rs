//! Runs cases in worker processes, so that a crash, a hang or a memory hog is the fault of one file.
//!
//! A worker is this program again with the same arguments and `--worker`. It reads a file name a line and
//! answers a line: `passed`, `failed REASON` or `skipped REASON`, then a tab and a log if logs are wanted. A worker
//! that dies or takes too long is replaced, and its file counts as crashed.

use crate::report::{Answer, Verdict};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// Elapsed time beyond the limit after which a worker counts as hung, although it used less processor time.
const PATIENCE: Duration = Duration::from_secs(300);

/// How often a worker's processor time is read once it is late.
const INTERVAL: Duration = Duration::from_millis(500);

/// How workers run.
#[derive(Clone, Debug)]
pub struct Options {
    /// Workers at a time.
    pub jobs: usize,
    /// Most processor time that a case may take where the system reports it (Linux), else elapsed time.
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

    /// The verdict of a case; the second is whether the worker can continue.
    fn run(&mut self, case: &str, timeout: Duration) -> (Answer, bool) {
        let crashed = |reason: String| (Answer::plain(Verdict::Crashed(reason)), false);
        if writeln!(self.stdin, "{case}").and_then(|()| self.stdin.flush()).is_err() {
            return crashed("the worker could not be started".into());
        }
        let start = Instant::now();
        let used_before = processor_time(self.child.id());
        let mut wait = timeout;
        let line = loop {
            let line = self.lines.recv_timeout(wait);
            if line != Err(RecvTimeoutError::Timeout) || start.elapsed() >= timeout + PATIENCE {
                break line;
            }
            // On a busy machine elapsed time is not the worker's.
            match (used_before, processor_time(self.child.id())) {
                (Some(before), Some(now)) if now.saturating_sub(before) < timeout => wait = INTERVAL,
                _ => break line,
            }
        };
        match line {
            Ok(line) => (parse(&line), true),
            Err(RecvTimeoutError::Timeout) => {
                // A kill that fails means that it is dead already.
                let _ = self.child.kill();
                crashed(format!("no answer within {} s", timeout.as_secs()))
            }
            Err(RecvTimeoutError::Disconnected) => {
                let status = self.child.wait().map_or_else(|e| e.to_string(), |s| s.to_string());
                crashed(format!("the process died: {status}"))
            }
        }
    }
}

/// The processor time of all threads of a process so far (proc(5): fields 14 and 15 of `stat`, in hundredths of a second).
fn processor_time(process: u32) -> Option<Duration> {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The second field, the name in parentheses, can contain spaces.
    let fields = stat.rsplit_once(')')?.1;
    let ticks =
        fields.split_whitespace().skip(11).take(2).map(|f| f.parse::<u64>().ok()).sum::<Option<u64>>()?;
    Some(Duration::from_millis(ticks * 10))
}

impl Drop for Worker {
    fn drop(&mut self) {
        // Both fail only if the process has ended already, as intended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn parse(line: &str) -> Answer {
    let (line, log) = line.split_once('\t').unwrap_or((line, ""));
    let verdict = match line.split_once(' ').unwrap_or((line, "")) {
        ("passed", _) => Verdict::Passed,
        ("skipped", reason) => Verdict::Skipped(reason.into()),
        ("failed", reason) => Verdict::Failed(reason.into()),
        _ => Verdict::Crashed(format!("a worker answered `{line}`")),
    };
    Answer { verdict, log: unescape(log) }
}

/// Runs all cases; the answers are in the order of the cases.
///
/// # Errors
/// When no worker can be started.
pub fn run(cases: &[String], options: &Options) -> std::io::Result<Vec<Answer>> {
    let next = AtomicUsize::new(0);
    let answers: Mutex<Vec<Option<Answer>>> = Mutex::new(vec![None; cases.len()]);
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
                        let (answer, alive) = w.run(case, options.timeout);
                        if alive {
                            worker = Some(w);
                        }
                        if let Ok(mut all) = answers.lock() {
                            all[i] = Some(answer);
                        }
                    }
                })
            })
            .collect();
        threads.into_iter().try_for_each(|t| t.join().unwrap_or(Ok(())))
    })?;
    let all = answers.into_inner().unwrap_or_default();
    let lost = || Answer::plain(Verdict::Crashed("no verdict".into()));
    Ok(all.into_iter().map(|v| v.unwrap_or_else(lost)).collect())
}

/// The worker's side: answers every case until the input ends. Logs are sent only if requested.
///
/// # Errors
/// When the pipes break.
pub fn serve(logs: bool, mut case: impl FnMut(&str) -> Answer) -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let answer = case(&line?);
        writeln!(out, "{}", line_of(&answer, logs))?;
        out.flush()?;
    }
    Ok(())
}

fn line_of(answer: &Answer, logs: bool) -> String {
    let mut line = match &answer.verdict {
        Verdict::Passed => "passed".to_string(),
        Verdict::Skipped(r) => format!("skipped {}", one_line(r)),
        Verdict::Failed(r) | Verdict::Crashed(r) => format!("failed {}", one_line(r)),
    };
    if logs && !answer.log.is_empty() {
        line.push('\t');
        line.extend(answer.log.chars().take(MAX_LOG).flat_map(escape));
    }
    line
}

/// Longest log, in characters.
const MAX_LOG: usize = 1 << 16;

fn one_line(text: &str) -> String {
    text.replace(['\n', '\r'], " | ").replace('\t', " ").chars().take(2000).collect()
}

fn escape(c: char) -> impl Iterator<Item = char> {
    let (first, second) = match c {
        '\n' => ('\\', Some('n')),
        '\r' => ('\\', Some('r')),
        '\\' => ('\\', Some('\\')),
        c => (c, None),
    };
    std::iter::once(first).chain(second)
}

fn unescape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match (c, if c == '\\' { chars.next() } else { None }) {
            (_, Some('n')) => out.push('\n'),
            (_, Some('r')) => out.push('\r'),
            (_, Some(other)) => out.push(other),
            (c, None) => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_one_line_there_and_back() {
        let answer =
            Answer { verdict: Verdict::Failed("a reason".into()), log: "two\nlines\t\\n\r\n".into() };
        let line = line_of(&answer, true);
        assert!(!line.contains('\n') && !line.contains('\r'));
        assert_eq!(parse(&line), answer);
        assert_eq!(parse(&line_of(&answer, false)), Answer::plain(answer.verdict));
        let split = Answer::plain(Verdict::Skipped("a\tb\nc".into()));
        assert_eq!(parse(&line_of(&split, true)).verdict, Verdict::Skipped("a b | c".into()));
        assert!(matches!(parse("hello").verdict, Verdict::Crashed(_)));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn the_processor_time_of_a_process_grows_while_it_works() {
        let before = processor_time(std::process::id()).expect("Linux has /proc");
        let mut x = 1u64;
        while processor_time(std::process::id()).expect("Linux has /proc")
            < before + Duration::from_millis(30)
        {
            x = std::hint::black_box(x.wrapping_mul(3));
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_worker_that_computes_endlessly_is_ended() {
        let mut child = Command::new("sh")
            .args(["-c", "while :; do :; done"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("there is a shell");
        let stdin = child.stdin.take().expect("it is piped");
        let (_send, lines) = channel();
        let mut worker = Worker { child, stdin, lines };
        let (answer, alive) = worker.run("a", Duration::from_millis(200));
        assert!(matches!(answer.verdict, Verdict::Crashed(reason) if reason.starts_with("no answer")));
        assert!(!alive);
    }
}
