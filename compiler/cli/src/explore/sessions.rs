//! The processes that answer the requests of pages, one per page: a fault ends the process of one page only.

use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};

/// Processes at a time; a page whose process was ended for another starts a new one.
const LIMIT: usize = 8;
/// Bytes of the longest answer.
const LONGEST: u32 = 1 << 30;

/// The process of a page. It ends with its input.
#[derive(Debug)]
struct Process {
    child: Child,
    input: ChildStdin,
    output: ChildStdout,
}

impl Process {
    fn start() -> io::Result<Process> {
        let mut command = Command::new(std::env::current_exe()?);
        command.args(["explore", "--answer"]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn()?;
        match (child.stdin.take(), child.stdout.take()) {
            (Some(input), Some(output)) => Ok(Process { child, input, output }),
            _ => Err(io::ErrorKind::BrokenPipe.into()),
        }
    }

    fn call(&mut self, request: &str) -> io::Result<Vec<u8>> {
        writeln!(self.input, "{request}")?;
        let mut length = [0; 4];
        self.output.read_exact(&mut length)?;
        let length = u32::from_le_bytes(length);
        if length > LONGEST {
            return Err(io::ErrorKind::InvalidData.into());
        }
        let mut answer = vec![0; length as usize];
        self.output.read_exact(&mut answer)?;
        Ok(answer)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

type Slot = Arc<Mutex<Option<Process>>>;

/// The processes by the names that pages give themselves, the one used last at the end.
#[derive(Debug, Default)]
pub struct Sessions(Mutex<VecDeque<(String, Slot)>>);

impl Sessions {
    /// The answer to a request of a page, a line of JSON.
    ///
    /// # Errors
    /// The process cannot be started, or ended without an answer.
    pub fn call(&self, page: &str, request: &str) -> io::Result<Vec<u8>> {
        let slot = self.slot(page);
        let mut process = slot.lock().unwrap_or_else(PoisonError::into_inner);
        let running = match &mut *process {
            Some(running) => running,
            none => none.insert(Process::start()?),
        };
        let answer = running.call(request);
        if answer.is_err() {
            *process = None;
        }
        answer
    }

    fn slot(&self, page: &str) -> Slot {
        let mut list = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let at = list.iter().position(|(name, _)| name == page);
        let entry = at.and_then(|at| list.remove(at)).unwrap_or_else(|| (page.to_string(), Slot::default()));
        if list.len() >= LIMIT {
            list.pop_front();
        }
        let slot = Arc::clone(&entry.1);
        list.push_back(entry);
        slot
    }
}
