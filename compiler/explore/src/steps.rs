//! Runs a pipeline step by step and keeps the shader after each pass that changed it.

use airfoil::passes::manager::{Event, Manager};
use airfoil::passes::registry::Registry;
use airfoil::passes::{Changes, Pipeline, Step};
use airfoil::{Diagnostic, Shader};
use rustc_hash::FxHashMap;
use serde_json::{Value, json};
use std::ptr::from_ref;
use std::time::Duration;

/// Most shaders that are kept, and most instructions in all of them.
const MOST: usize = 500;
const MOST_INSTRS: usize = 2_000_000;

/// A line of a pipeline as the page lists it.
#[derive(Debug)]
struct Row {
    /// `pass`; the others open and close the steps between them: `loop`, `on`, `group`, `then`, `end`.
    kind: &'static str,
    /// Name and options.
    text: String,
}

/// A run of a pass.
#[derive(Debug)]
struct Ran {
    row: usize,
    /// Name, where a pass over all shaders chose it.
    chosen: Option<String>,
    changed: bool,
    time: Duration,
    /// Position in the list of shaders.
    shader: usize,
    instrs: usize,
    blocks: usize,
}

/// A run of a pipeline on one shader.
#[derive(Debug, Default)]
pub struct Steps {
    rows: Vec<Row>,
    skipped: Vec<u32>,
    ran: Vec<Ran>,
    /// The shader as it was read and after each pass that changed it.
    pub shaders: Vec<Shader>,
    /// Why the run stopped.
    faults: Vec<Diagnostic>,
}

/// The rows of steps, and the row of each pass by its address: equal passes occur several times.
#[derive(Default)]
struct Listing {
    rows: Vec<Row>,
    at: FxHashMap<*const (), usize>,
}

impl Listing {
    fn add(&mut self, kind: &'static str, text: impl Into<String>) {
        self.rows.push(Row { kind, text: text.into() });
    }

    fn steps(&mut self, steps: &[Step]) {
        for step in steps {
            match step {
                Step::Pass(pass) => {
                    self.at.insert(from_ref(pass).cast(), self.rows.len());
                    self.add("pass", pass.text());
                }
                Step::Program(pass) => {
                    self.at.insert(from_ref(pass).cast(), self.rows.len());
                    self.add("pass", pass.text());
                }
                Step::Loop(l) => {
                    self.add("loop", l.head());
                    self.steps(&l.steps);
                    self.add("end", "");
                }
                Step::On(on) => {
                    self.add("on", on.head());
                    self.steps(&on.steps);
                    self.add("end", "");
                }
                Step::Group(group) => {
                    self.add("group", "group");
                    self.steps(&group.steps);
                    self.add("then", "then");
                    self.steps(&group.cleanup);
                    self.add("end", "");
                }
                Step::Include(pipeline) => self.steps(pipeline.steps()),
            }
        }
    }
}

impl Steps {
    /// Runs a pipeline, given as text, on a shader.
    ///
    /// # Errors
    /// The text is not a pipeline of passes in the registry.
    pub fn run(
        shader: &Shader,
        text: &str,
        registry: &Registry,
        clock: fn() -> Duration,
    ) -> Result<Steps, Diagnostic> {
        // A pipeline that is read has every step once, whatever it includes.
        let pipeline = Pipeline::parse_with(text, registry)?;
        let mut listing = Listing::default();
        listing.steps(pipeline.steps());
        let Listing { rows, at } = listing;
        let mut steps = Steps { skipped: vec![0; rows.len()], rows, ..Steps::default() };
        steps.shaders.push(shader.clone());
        let (mut chooser, mut kept) = (0, shader.num_instrs());
        let mut program = vec![shader.clone()];
        let follow = |event: Event<'_>| match event {
            Event::Chooses(pass) => chooser = at.get(&from_ref(pass).cast()).copied().unwrap_or(0),
            Event::Skipped { step, .. } => {
                let row = at.get(&from_ref(step).cast()).copied().unwrap_or(chooser);
                if let Some(n) = steps.skipped.get_mut(row) {
                    *n += 1;
                }
            }
            Event::Ran { step, changes, time, after, .. } => {
                let row = at.get(&from_ref(step).cast()).copied();
                let changed = changes.is_progress();
                let instrs = after.num_instrs();
                if changed && steps.shaders.len() < MOST && kept + instrs < MOST_INSTRS {
                    kept += instrs;
                    steps.shaders.push(after.clone());
                }
                steps.ran.push(Ran {
                    row: row.unwrap_or(chooser),
                    chosen: row.is_none().then(|| step.text().to_string()),
                    changed,
                    time,
                    shader: steps.shaders.len() - 1,
                    instrs,
                    blocks: after.functions.values().map(|f| f.body.num_blocks()).sum(),
                });
            }
        };
        let mut manager = Manager::default().clock(clock).follower(follow);
        let result: Result<Changes, _> = manager.run_program(&pipeline, &mut program);
        drop(manager);
        if let Err(faults) = result {
            steps.faults = faults;
        }
        Ok(steps)
    }

    /// The run for the page.
    pub fn to_json(&self) -> Value {
        let row =
            |(row, skipped): (&Row, &u32)| json!({ "kind": row.kind, "text": row.text, "skipped": skipped });
        let ran = |ran: &Ran| {
            json!({
                "row": ran.row, "chosen": ran.chosen, "changed": ran.changed, "us": ran.time.as_secs_f64() * 1e6,
                "shader": ran.shader, "instrs": ran.instrs, "blocks": ran.blocks,
            })
        };
        let first = self.shaders.first();
        json!({
            "rows": self.rows.iter().zip(&self.skipped).map(row).collect::<Value>(),
            "ran": self.ran.iter().map(ran).collect::<Value>(),
            "instrs": first.map(Shader::num_instrs),
            "blocks": first.map(|s| s.functions.values().map(|f| f.body.num_blocks()).sum::<usize>()),
            "faults": crate::source::to_json(&self.faults),
        })
    }
}
