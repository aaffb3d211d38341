//! The judge: compares the record of a runner about a case with the expectations of the case.
//!
//! Results come from other machines. Nothing in them is trusted: files may be missing, damaged, large, or name paths outside of their folder.

use crate::compare::{Tolerance, difference};
use crate::schema::{Case, Expect, Kind};
use serde::{Deserialize, Serialize};
use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

/// Most bytes of a recorded JSON file.
const MAX_JSON: u64 = 4 << 20;

/// Most bytes of a recorded output.
const MAX_OUTPUT: u64 = 64 << 20;

/// Most characters of a recorded text in a report.
const MAX_TEXT: usize = 400;

/// How often a case runs: as it is, and under Metal's validation layers.
pub const VARIANTS: [&str; 2] = ["plain", "checked"];

/// The variant that runs `control.metal`.
pub const CONTROL: &str = "control";

/// The device, as the runner describes it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Device {
    /// Which runner.
    pub runner: String,
    /// Name of the GPU.
    pub device: String,
    /// Version of macOS.
    pub macos: String,
    /// Build of macOS.
    pub build: String,
    /// Raw values of the `MTLGPUFamily` constants that the GPU supports.
    pub families: Vec<i64>,
    /// The GPU is that of a virtual machine.
    pub paravirtual: bool,
}

impl Device {
    /// Major version of macOS; 0 if it is not a number.
    pub fn major(&self) -> u32 {
        self.macos.split('.').next().and_then(|v| v.trim().parse().ok()).unwrap_or(0)
    }

    /// The level of evidence that results have.
    pub fn evidence(&self) -> &'static str {
        if self.paravirtual { "paravirtual" } else { "native" }
    }
}

/// A step of a run: `load`, `function`, `pipeline`, `run`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Step {
    /// Name.
    pub step: String,
    /// Whether it succeeded.
    pub ok: bool,
    /// Domain of the error.
    pub domain: String,
    /// Code of the error.
    pub code: i64,
    /// Text of the error.
    pub text: String,
}

/// A function that the library lists.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ListedFunction {
    /// Name.
    pub name: String,
    /// `MTLFunctionType`.
    #[serde(rename = "type")]
    pub function_type: u64,
}

/// Contents that the runner read back.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RecordedOutput {
    /// Name of the buffer or texture.
    pub resource: String,
    /// File in the folder of the run.
    pub file: String,
}

/// An argument in Metal's reflection of a pipeline.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ReflectedArgument {
    /// Name of the function.
    pub function: String,
    /// Name.
    pub name: String,
    /// `MTLBindingType`.
    #[serde(rename = "type")]
    pub binding_type: i64,
    /// Index.
    pub index: u64,
    /// `MTLBindingAccess`.
    pub access: u64,
    /// Whether the function uses it.
    pub used: bool,
    /// Bytes of a buffer's type; 0 for others.
    pub size: u64,
}

/// `run.json`: the record of a process.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Run {
    /// The step that was begun last.
    pub begun: String,
    /// Steps that ended.
    pub steps: Vec<Step>,
    /// Functions of the library.
    pub functions: Vec<ListedFunction>,
    /// Reflection of the pipelines.
    pub reflection: Vec<ReflectedArgument>,
    /// Contents.
    pub outputs: Vec<RecordedOutput>,
}

/// `exit.json`: how the process ended.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Exit {
    /// Exit status.
    pub status: i64,
    /// It was ended by this signal; 0 if it exited.
    pub signal: i64,
    /// It was ended because it took too long.
    pub timeout: bool,
    /// Start of its standard error stream.
    pub log: String,
    /// First lines of a new crash report of Metal's compiler service.
    pub crash: Vec<String>,
}

/// `tools.json`: the answer of a tool of Apple's toolchain, which few systems have.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ToolResult {
    /// `air-opt -verify` or `metal-objdump -d`.
    pub tool: String,
    /// Exit status; 0 if it accepts the file.
    pub status: i64,
    /// Start of its standard error stream.
    pub text: String,
}

/// Most tools of a case.
const MAX_TOOLS: usize = 4;

/// The answers of the tools, in bounded lines.
fn tools(folder: &Path) -> Vec<ToolResult> {
    let recorded: Vec<ToolResult> = read_json(&folder.join("tools.json")).unwrap_or_default();
    let bounded = recorded.into_iter().take(MAX_TOOLS);
    bounded.map(|t| ToolResult { tool: tame(&t.tool), status: t.status, text: tame(&t.text) }).collect()
}

/// The judgement of a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// As expected.
    Ok,
    /// Not as expected.
    Fail,
    /// The device or system lacks a requirement of the case.
    Skip,
    /// The control fails as well, so the device is to blame.
    Device,
    /// An open question: the reason is the answer.
    Answer,
    /// No result was recorded, or it cannot be read.
    Missing,
}

impl Verdict {
    /// The word in reports.
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Ok => "ok",
            Verdict::Fail => "fail",
            Verdict::Skip => "skip",
            Verdict::Device => "device",
            Verdict::Answer => "answer",
            Verdict::Missing => "missing",
        }
    }
}

/// A judged case.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Judged {
    /// Name of the case.
    pub name: String,
    /// Level of the ladder.
    pub level: u32,
    /// Title.
    pub title: String,
    /// The verdict.
    pub verdict: Verdict,
    /// The reason, empty for [`Verdict::Ok`].
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// Differences that do not decide: reflection, crash reports.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// Answers of Apple's tools, which do not decide either.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<ToolResult>,
    /// The doubtful point that it decides.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub doubt: Option<String>,
}

/// A text of a result in one line of bounded length.
fn tame(text: &str) -> String {
    let mut out: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(MAX_TEXT).collect();
    if text.chars().count() > MAX_TEXT {
        out.push('…');
    }
    out.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A file of at most `most` bytes, which has to be a plain file.
fn read(path: &Path, most: u64) -> Result<Vec<u8>, String> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let wrong = |e: String| format!("{name}: {e}");
    let about = fs::symlink_metadata(path).map_err(|e| wrong(e.kind().to_string()))?;
    if !about.is_file() {
        return Err(wrong("not a plain file".to_owned()));
    }
    if about.len() > most {
        return Err(wrong(format!("{} bytes are more than {most}", about.len())));
    }
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(|e| wrong(e.kind().to_string()))?;
    file.take(most + 1).read_to_end(&mut bytes).map_err(|e| wrong(e.kind().to_string()))?;
    if bytes.len() as u64 > most { Err(wrong("too long".to_owned())) } else { Ok(bytes) }
}

/// A JSON file.
///
/// # Errors
/// It cannot be read, or has another structure.
pub fn read_json<T: for<'d> Deserialize<'d>>(path: &Path) -> Result<T, String> {
    let bytes = read(path, MAX_JSON)?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    serde_json::from_slice(&bytes).map_err(|e| tame(&format!("{name}: {e}")))
}

/// Whether a name is that of a file in the same folder.
fn is_plain(name: &str) -> bool {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    !name.is_empty() && name.len() <= 100 && !name.starts_with('.') && name.chars().all(fits)
}

/// How a run ended that did not do everything.
enum Trouble {
    /// A step failed with an error.
    Step(Step),
    /// The process died, was too slow, or left nothing.
    Died(String),
    /// The results are not the expected ones.
    Wrong(String),
}

impl Trouble {
    fn text(&self) -> String {
        match self {
            Trouble::Step(s) => {
                format!("{}: {} {}: {}", tame(&s.step), tame(&s.domain), s.code, tame(&s.text))
            }
            Trouble::Died(text) | Trouble::Wrong(text) => text.clone(),
        }
    }
}

/// The steps that a case of a kind consists of.
fn steps_of(kind: Kind) -> &'static [&'static str] {
    match kind {
        Kind::Load => &["load", "function"],
        Kind::Pipeline => &["load", "function", "pipeline"],
        Kind::Run => &["load", "function", "pipeline", "run"],
    }
}

/// Judges one run; `Err` for missing results.
fn judge_run(
    case: &Case,
    kit: &Path,
    folder: &Path,
    control: bool,
) -> Result<(Option<Trouble>, Vec<String>), String> {
    let exit: Exit = read_json(&folder.join("exit.json"))?;
    let mut notes = Vec::new();
    if !exit.crash.is_empty() {
        let lines: Vec<&str> = exit.crash.iter().take(40).map(String::as_str).collect();
        notes.push(tame(&format!("crash report: {}", lines.join(" "))));
    }
    let run: Run = match read_json(&folder.join("run.json")) {
        Ok(run) => run,
        // A process that dies early leaves nothing.
        Err(_) if exit.timeout || exit.signal != 0 => Run::default(),
        Err(e) => return Err(e),
    };
    let begun = if run.begun.is_empty() { "start".to_owned() } else { tame(&run.begun) };
    if exit.timeout {
        return Ok((Some(Trouble::Died(format!("timed out in step {begun}"))), notes));
    }
    if exit.signal != 0 {
        let text = format!("died by signal {} in step {begun}: {}", exit.signal, tame(&exit.log));
        return Ok((Some(Trouble::Died(text)), notes));
    }
    if let Some(step) = run.steps.iter().find(|s| !s.ok) {
        return Ok((Some(Trouble::Step(step.clone())), notes));
    }
    for step in steps_of(case.kind) {
        if !run.steps.iter().any(|s| s.step == *step) {
            let text = format!("ended with status {} without step {step}: {}", exit.status, tame(&exit.log));
            return Ok((Some(Trouble::Died(text)), notes));
        }
    }
    if !control {
        for f in &case.functions {
            match run.functions.iter().find(|l| l.name == f.name) {
                Some(l) if l.function_type == f.function_type => {}
                Some(l) => {
                    let text =
                        format!("`{}` has type {}, expected {}", f.name, l.function_type, f.function_type);
                    return Ok((Some(Trouble::Wrong(text)), notes));
                }
                None => {
                    let text = format!("the library does not list `{}`", f.name);
                    return Ok((Some(Trouble::Wrong(text)), notes));
                }
            }
        }
        notes.extend(reflection(case, &run));
    }
    if case.kind == Kind::Run {
        for output in &case.outputs {
            if let Some(text) = output_difference(output, &run, kit, folder)? {
                return Ok((Some(Trouble::Wrong(format!("{}: {text}", output.resource))), notes));
            }
        }
    }
    // The layers announce themselves.
    let complains = |l: &&str| !l.ends_with("Enabled") && (l.contains("alidation") || l.contains("-[MTL"));
    if let Some(line) = exit.log.lines().find(complains) {
        return Ok((Some(Trouble::Wrong(format!("validation layer: {}", tame(line)))), notes));
    }
    Ok((None, notes))
}

/// The difference of an output; `Err` if it was not recorded.
fn output_difference(
    output: &crate::schema::OutputFile,
    run: &Run,
    kit: &Path,
    folder: &Path,
) -> Result<Option<String>, String> {
    if !is_plain(&output.file) {
        return Err(format!("`{}` is not a name of a file", tame(&output.file)));
    }
    let expected = read(&kit.join(&output.file), MAX_OUTPUT)?;
    let tolerance = Tolerance::parse(&output.tolerance)
        .ok_or_else(|| format!("the tolerance `{}` is unknown", tame(&output.tolerance)))?;
    let recorded = run.outputs.iter().find(|o| o.resource == output.resource);
    let recorded = recorded.ok_or_else(|| format!("`{}` was not recorded", output.resource))?;
    if !is_plain(&recorded.file) {
        return Err(format!("`{}` is not a name of a file", tame(&recorded.file)));
    }
    let found = read(&folder.join(&recorded.file), MAX_OUTPUT)?;
    Ok(difference(&expected, &found, output.element, tolerance))
}

/// Differences between Metal's reflection and that of the compiler.
fn reflection(case: &Case, run: &Run) -> Vec<String> {
    let mut notes = Vec::new();
    for f in &case.functions {
        let reflected: Vec<_> = run.reflection.iter().filter(|r| r.function == f.name).collect();
        let arguments = f.reflection.get("arguments").and_then(|a| a.as_array());
        if reflected.is_empty() {
            continue;
        }
        for a in arguments.into_iter().flatten().filter(|a| a.get("argument_buffer").is_none()) {
            let text = |key: &str| a.get(key).and_then(|v| v.as_str()).unwrap_or_default();
            let number = |key: &str| a.get(key).and_then(serde_json::Value::as_u64).unwrap_or(0);
            // MTLBindingType: 0 buffer, 2 texture, 3 sampler.
            let binding_type = match text("kind") {
                "texture" | "image" => 2,
                "sampler" => 3,
                _ => 0,
            };
            let index = number("index");
            let name = tame(text("name"));
            let Some(found) = reflected.iter().find(|r| (r.binding_type, r.index) == (binding_type, index))
            else {
                notes.push(format!("reflection: Metal does not list `{name}` at {index}"));
                continue;
            };
            let written = a.get("written").and_then(serde_json::Value::as_bool).unwrap_or(false);
            if found.used && written != (found.access != 0) && binding_type != 3 {
                notes.push(format!("reflection: `{name}` has access {}, written is {written}", found.access));
            }
            let size = number("size");
            if binding_type == 0 && found.size != size && found.size != 0 && size != 0 {
                notes.push(format!("reflection: `{name}` has {} bytes, expected {size}", found.size));
            }
        }
    }
    notes
}

/// Judges a case of a kit: `kit` is its folder, `results` that of its results.
pub fn judge(case: &Case, kit: &Path, results: &Path, device: &Device) -> Judged {
    let mut judged = Judged {
        name: case.name.clone(),
        level: case.level,
        title: case.title.clone(),
        verdict: Verdict::Ok,
        reason: String::new(),
        notes: Vec::new(),
        tools: tools(results),
        doubt: case.doubt.clone(),
    };
    let requires = &case.requires;
    if device.major() < requires.macos {
        (judged.verdict, judged.reason) = (Verdict::Skip, format!("requires macOS {}", requires.macos));
        return judged;
    }
    if let Some(family) = requires.family.filter(|f| !device.families.contains(f)) {
        let name = requires.family_name.clone().unwrap_or_else(|| family.to_string());
        (judged.verdict, judged.reason) = (Verdict::Skip, format!("requires the GPU family {name}"));
        return judged;
    }
    if case.control.is_some()
        && let Ok((Some(trouble), _)) = judge_run(case, kit, &results.join(CONTROL), true)
    {
        (judged.verdict, judged.reason) = (Verdict::Device, format!("control: {}", trouble.text()));
        return judged;
    }
    for variant in VARIANTS {
        let (trouble, notes) = match judge_run(case, kit, &results.join(variant), false) {
            Ok(found) => found,
            Err(reason) => {
                (judged.verdict, judged.reason) = (Verdict::Missing, format!("{variant}: {reason}"));
                return judged;
            }
        };
        judged.notes.extend(notes);
        let (verdict, reason) = decide(&case.expect, trouble.as_ref());
        if verdict != Verdict::Ok {
            (judged.verdict, judged.reason) = (verdict, format!("{variant}: {reason}"));
            return judged;
        }
        // The validation layers of Metal abort a process on errors that are expected.
        if case.expect != Expect::Ok {
            break;
        }
    }
    judged
}

fn decide(expect: &Expect, trouble: Option<&Trouble>) -> (Verdict, String) {
    match (expect, trouble) {
        (Expect::Ok, None) => (Verdict::Ok, String::new()),
        (Expect::Ok, Some(trouble)) => (Verdict::Fail, trouble.text()),
        (Expect::Open, None) => (Verdict::Answer, "accepted".to_owned()),
        (Expect::Open, Some(trouble)) => (Verdict::Answer, format!("rejected: {}", trouble.text())),
        (Expect::Error { steps, texts }, Some(Trouble::Step(s))) => {
            let known = texts.is_empty() || texts.iter().any(|t| s.text.contains(t.as_str()));
            match steps.contains(&s.step) && known {
                true => (Verdict::Ok, String::new()),
                false => (
                    Verdict::Fail,
                    format!("another error than expected: {}", Trouble::Step(s.clone()).text()),
                ),
            }
        }
        (Expect::Error { steps, .. }, Some(Trouble::Died(text))) => {
            (Verdict::Fail, format!("expected an error in {}: {text}", steps.join(" or ")))
        }
        (Expect::Error { steps, .. }, _) => {
            (Verdict::Fail, format!("expected an error in {}, found none", steps.join(" or ")))
        }
    }
}
