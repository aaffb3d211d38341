//! Requests of the page and their answers.

use crate::air::{self, Lowered};
use crate::diff::{Line, Printed};
use crate::graph;
use crate::image::View;
use crate::source::{Input, Opened, to_json};
use crate::steps::Steps;
use crate::world::World;
use airfoil::Shader;
use airfoil::air::compile::lower;
use airfoil::air::plan::{PlanOptions, compile_plan, registry};
use airfoil::ir::Named;
use airfoil::ir::analysis::Counts;
use airfoil::passes::lower::gather_info::gather;
use airfoil::passes::manager::Manager;
use airfoil::passes::registry::{Entry, Registry};
use airfoil::passes::{Pipeline, presets::OptLevel};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

/// An answer: an object, and bytes of an image.
#[derive(Debug, Default, PartialEq)]
pub struct Answer {
    /// The object.
    pub json: Value,
    /// The bytes.
    pub bytes: Vec<u8>,
}

impl Answer {
    /// The answer in bytes: the length of the JSON as `u32` in little-endian order, the JSON, and the bytes of the image.
    pub fn to_bytes(&self) -> Vec<u8> {
        let json = self.json.to_string();
        let mut out = Vec::with_capacity(4 + json.len() + self.bytes.len());
        out.extend((json.len() as u32).to_le_bytes());
        out.extend(json.as_bytes());
        out.extend(&self.bytes);
        out
    }
}

impl From<Value> for Answer {
    fn from(json: Value) -> Answer {
        Answer { json, bytes: Vec::new() }
    }
}

/// The state between requests: the last source and its compilation.
///
/// ```
/// # use airfoil_explore::Session;
/// let mut session = Session::new(|| std::time::Duration::ZERO);
/// let answer = session.call(r#"{"op": "compile", "kind": "glsl", "stage": "fragment", "level": "O2",
///     "text": "void main() { gl_FragColor = vec4(1.0); }"}"#);
/// assert!(answer.json["air"].as_str().unwrap().contains("define"));
/// let answer = session.call(r#"{"op": "image", "size": 8, "from": 0, "to": 8}"#);
/// assert_eq!(answer.bytes, [255; 8 * 8 * 4]);
/// ```
#[derive(Debug)]
pub struct Session {
    clock: fn() -> Duration,
    registry: Arc<Registry>,
    name: &'static str,
    opened: Option<Opened>,
    /// The pipeline, as text.
    plan: String,
    lowered: Option<Lowered>,
    steps: Option<Steps>,
    world: Option<Result<World, String>>,
    /// The shader that was drawn last, and its step: an image is drawn in parts.
    drawn: Option<(u64, Shader)>,
}

type Reply = Result<Answer, String>;

impl Session {
    /// A session with the built-in passes; `clock` gives the time since any fixed point.
    pub fn new(clock: fn() -> Duration) -> Session {
        Session::with_registry(clock, Arc::new(registry().clone()))
    }

    /// A session whose pipelines have the passes of this registry.
    pub fn with_registry(clock: fn() -> Duration, registry: Arc<Registry>) -> Session {
        Session {
            clock,
            registry,
            name: "",
            opened: None,
            plan: String::new(),
            lowered: None,
            steps: None,
            world: None,
            drawn: None,
        }
    }

    /// Answers a request, a JSON object whose member `op` names an operation. An error is an object with the member `error`.
    pub fn call(&mut self, request: &str) -> Answer {
        let reply =
            serde_json::from_str::<Value>(request).map_err(|e| e.to_string()).and_then(
                |request| match request["op"].as_str().unwrap_or_default() {
                    "passes" => Ok(passes(&self.registry).into()),
                    "compile" => self.compile(&request),
                    "steps" => self.run_steps(),
                    "ir" => self.ir(&request),
                    "spirv" => self.spirv(&request),
                    "lines" => self.lines(),
                    "reflection" => self.reflection(),
                    "graph" => self.graph(&request),
                    "world" => Ok(self.world()?.to_json().into()),
                    "image" => self.image(&request),
                    "pixel" => self.pixel(&request),
                    op => Err(format!("there is no operation `{op}`")),
                },
            );
        reply.unwrap_or_else(|error| json!({ "error": error }).into())
    }

    /// Reads a source and compiles it to AIR; runs at each key press.
    fn compile(&mut self, request: &Value) -> Reply {
        let start = (self.clock)();
        let input = Input::of(request)?;
        (self.opened, self.lowered, self.steps, self.world, self.drawn) = (None, None, None, None, None);
        self.name = input.name();
        let opened = match input.read() {
            Ok(opened) => opened,
            Err(faults) => return Ok(json!({ "ok": false, "diagnostics": to_json(&faults) }).into()),
        };
        let read = (self.clock)();
        let level = if request["level"] == "O0" { OptLevel::O0 } else { OptLevel::O2 };
        let options = PlanOptions::new(level);
        let plan = match request["pipeline"].as_str() {
            Some(text) => Pipeline::parse_with(text, &self.registry),
            None => Ok(compile_plan(&opened.shaders, &options)),
        };
        let mut lowered = opened.shaders.clone();
        let mut passed = read;
        let made = plan.as_ref().map_err(|fault| vec![fault.clone()]).and_then(|plan| {
            let mut manager = Manager::default().clock(self.clock);
            let layouts = lower(&mut lowered, plan, &options, &mut manager)?;
            passed = (self.clock)();
            Lowered::new(lowered, layouts)
        });
        let us = |from: Duration, to: Duration| to.saturating_sub(from).as_secs_f64() * 1e6;
        let times =
            json!({ "read": us(start, read), "passes": us(read, passed), "air": us(passed, (self.clock)()) });
        self.plan = plan.as_ref().map(ToString::to_string).unwrap_or_default();
        let mut answer = json!({
            "ok": true, "diagnostics": to_json(&opened.warnings), "times": times, "plan": self.plan,
            "stage": opened.shaders.first().map(|s| s.stage.name()),
        });
        match made {
            Ok(made) => {
                answer["air"] = made.text.as_str().into();
                answer["bytes"] = made.bytes.into();
                self.lowered = Some(made);
            }
            Err(faults) if plan.is_err() => answer["plan_faults"] = to_json(&faults),
            Err(faults) => answer["air_faults"] = to_json(&faults),
        }
        self.opened = Some(opened);
        Ok(answer.into())
    }

    fn read(&self) -> Result<&Shader, String> {
        self.opened
            .as_ref()
            .and_then(|o| o.shaders.first())
            .ok_or_else(|| "the source does not have a shader".to_string())
    }

    /// The run of the pipeline, computed on demand.
    fn steps(&mut self) -> Result<&Steps, String> {
        if self.steps.is_none() {
            let run = Steps::run(self.read()?, &self.plan, &self.registry, self.clock)
                .map_err(|fault| fault.to_string())?;
            self.steps = Some(run);
        }
        self.steps.as_ref().ok_or_else(String::new)
    }

    fn run_steps(&mut self) -> Reply {
        Ok(self.steps()?.to_json().into())
    }

    /// The shader after as many changes as a request specifies.
    fn shader(&mut self, request: &Value, back: usize) -> Result<&Shader, String> {
        let at = request["step"].as_u64().unwrap_or(0) as usize;
        if at.saturating_sub(back) == 0 {
            return self.read();
        }
        let steps = self.steps()?;
        steps.shaders.get(at - back).ok_or_else(|| format!("there is no step {at}"))
    }

    fn ir(&mut self, request: &Value) -> Reply {
        let shader = self.shader(request, 0)?;
        let counts = Counts::new(shader);
        let counts: Value = Counts::NAMES
            .iter()
            .zip(counts.values())
            .map(|(name, n)| (name.to_string(), Value::from(n)))
            .collect();
        let form = shader.form.to_string();
        let printed = Printed::new(shader);
        let mut answer = json!({ "counts": counts, "form": form });
        if request["diff"] == true {
            let before = Printed::new(self.shader(request, 1)?);
            let line = |line: Line<'_>| match line {
                Line::Same(text) => json!([" ", text]),
                Line::Removed(text) => json!(["-", text]),
                Line::Added(text) => json!(["+", text]),
            };
            answer["diff"] = before.diff(&printed).into_iter().map(line).collect();
        }
        answer["text"] = printed.text.into();
        Ok(answer.into())
    }

    fn spirv(&mut self, request: &Value) -> Reply {
        let shader = self.shader(request, 0)?.clone();
        let result = air::spirv(&shader, self.read()?);
        Ok(result.unwrap_or_else(|faults| json!({ "faults": to_json(&faults) })).into())
    }

    fn lines(&self) -> Reply {
        let lines = self.lowered.as_ref().map(|l| l.lines(self.name)).unwrap_or_default();
        Ok(json!({ "lines": lines }).into())
    }

    fn reflection(&self) -> Reply {
        let parse = |text: &str| serde_json::from_str::<Value>(text).unwrap_or_default();
        let mut answer = json!({});
        if let Some(lowered) = &self.lowered {
            answer["metal"] = parse(&lowered.reflection);
        }
        if let Some(program) = self.opened.as_ref().and_then(|o| o.program.as_deref()) {
            answer["program"] = parse(program);
        }
        Ok(json!({ "text": format!("{answer:#}") }).into())
    }

    fn graph(&mut self, request: &Value) -> Reply {
        let name = request["view"].as_str().unwrap_or_default();
        let graph = match graph::View::from_name(name) {
            Some(view) => graph::of_shader(self.shader(request, 0)?, view)?,
            None => graph::of_pipeline(
                &Pipeline::parse_with(&self.plan, &self.registry).map_err(|fault| fault.to_string())?,
            ),
        };
        let mut answer = graph::to_json(&graph);
        answer["dot"] = graph::dot(&graph).into();
        Ok(answer.into())
    }

    /// The world of the shader, made on demand.
    fn world(&mut self) -> Result<&World, String> {
        if self.world.is_none() {
            self.world = Some(World::new(self.read()?));
        }
        self.world.as_ref().map_or_else(|| Err(String::new()), |world| world.as_ref().map_err(Clone::clone))
    }

    fn view(&mut self, request: &Value, f: impl FnOnce(View<'_>) -> Reply) -> Reply {
        let step = request["step"].as_u64().unwrap_or(0);
        if self.drawn.as_ref().is_none_or(|(of, _)| *of != step) {
            let mut shader = self.shader(request, 0)?.clone();
            // A shader that may write memory is executed for all pixels, not only for those that are wanted.
            if shader.gathered.is_none() {
                shader.gathered = Some(gather(&shader));
            }
            self.drawn = Some((step, shader));
        }
        let _ = self.world()?;
        match (&self.drawn, &self.world) {
            (Some((_, shader)), Some(Ok(world))) => f(View::of(shader, world, request)),
            _ => Err("the source does not have a shader".to_string()),
        }
    }

    fn image(&mut self, request: &Value) -> Reply {
        let row = |name: &str| request[name].as_u64().unwrap_or(0) as u32;
        let (from, to) = (row("from"), row("to"));
        self.view(request, |view| match view.rows(from, to) {
            Ok(pixels) => Ok(Answer { json: json!({ "undefined": pixels.undefined }), bytes: pixels.bytes }),
            Err(fault) => Err(fault.message),
        })
    }

    fn pixel(&mut self, request: &Value) -> Reply {
        let at = |name: &str| request[name].as_u64().unwrap_or(0) as u32;
        let (x, y) = (at("x"), at("y"));
        self.view(request, |view| view.trace(x, y).map(Answer::from).map_err(|fault| fault.message))
    }
}

/// All passes and presets, for the page to offer them.
fn passes(registry: &Registry) -> Value {
    let pass = |e: &Arc<Entry>| json!({ "name": e.name(), "summary": e.info().summary });
    let preset = |p: &&airfoil::passes::presets::Preset| json!({ "name": p.name, "summary": p.summary });
    let groups = registry.groups().iter();
    json!({
        "groups": groups
            .map(|g| json!({ "name": g.name, "passes": g.passes.iter().map(pass).collect::<Value>() }))
            .collect::<Value>(),
        "presets": registry.presets().iter().map(preset).collect::<Value>(),
        "version": env!("CARGO_PKG_VERSION"),
    })
}
