//! The image of a fragment shader, and the trace of one of its pixels.

use crate::world::World;
use airfoil::interp::pipeline::{Draw, Pipeline, State, Target, Topology};
use airfoil::interp::{Config, Executed, Fault, Invocation, Observer, System};
use airfoil::ir::text::{Numbering, Printer};
use airfoil::ir::{FuncId, InstrId, InstrKind};
use airfoil::{Shader, Stage};
use rustc_hash::FxHashMap;
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};

/// Most pixels along an edge.
const MOST_PIXELS: u32 = 1024;

/// Number of instructions of a group after which the interpreter gives up: a page must remain responsive.
const MOST_STEPS: u64 = 20_000_000;

/// Most lines of a trace.
const MOST_LINES: usize = 20_000;

/// A part of an image: 8-bit RGBA of some rows, the highest first.
#[derive(Debug)]
pub struct Pixels {
    /// Bytes.
    pub bytes: Vec<u8>,
    /// Fragments whose colours had undefined components.
    pub undefined: u64,
}

/// A draw of a shader over the whole image.
#[derive(Debug)]
pub struct View<'a> {
    /// The shader, in any form.
    pub shader: &'a Shader,
    /// Its world.
    pub world: &'a World,
    /// Pixels along each edge.
    pub size: u32,
    /// Numbers by the names of inputs and uniforms.
    pub inputs: &'a Value,
    /// The same of uniforms.
    pub uniforms: &'a Value,
}

impl View<'_> {
    /// The view of a request.
    pub fn of<'a>(shader: &'a Shader, world: &'a World, request: &'a Value) -> View<'a> {
        let size = request["size"].as_u64().unwrap_or(64).clamp(1, u64::from(MOST_PIXELS)) as u32;
        View { shader, world, size, inputs: &request["inputs"], uniforms: &request["uniforms"] }
    }

    /// The rows from `from` to `to`, counted from the highest.
    pub fn rows(&self, from: u32, to: u32) -> Result<Pixels, Fault> {
        let (from, to) = (from.min(self.size), to.min(self.size));
        let target = self.draw(|_, y| (from..to).contains(&y), None)?;
        let mut bytes = Vec::with_capacity(((to.max(from) - from) * self.size * 4) as usize);
        let integer = target.formats.first().is_some_and(|f| f.is_integer());
        for y in from..to {
            for x in 0..self.size {
                let words = target.index(x, self.size - 1 - y, 0).and_then(|at| target.colors[0].get(at));
                let float = |word: u32| if integer { word as f32 / 255.0 } else { f32::from_bits(word) };
                let byte = |word: u32| (float(word).clamp(0.0, 1.0) * 255.0 + 0.5) as u8;
                bytes.extend(words.map_or([0; 4], |w| [byte(w[0]), byte(w[1]), byte(w[2]), 255]));
            }
        }
        Ok(Pixels { bytes, undefined: target.undefined })
    }

    /// All values that the invocation of a pixel computes; y counts from the highest row.
    pub fn trace(&self, x: u32, y: u32) -> Result<Value, Fault> {
        let lines = Arc::new(Mutex::new(Vec::new()));
        let row = self.size.saturating_sub(y.saturating_add(1));
        let texts = FxHashMap::default();
        let tracer = Tracer { pixel: [x, row].map(|n| n as i32), lines: lines.clone(), texts };
        let target = self.draw(|tx, ty| (tx, ty) == (x, y), Some(Box::new(tracer)))?;
        let color = target.floats(0, x, row, 0);
        let lines = std::mem::take(&mut *lines.lock().unwrap_or_else(|e| e.into_inner()));
        Ok(json!({ "color": color.map(|c| c.map(|x| format!("{x:?}"))), "lines": lines }))
    }

    /// Draws the pixels that are wanted.
    fn draw(
        &self,
        wanted: impl Fn(u32, u32) -> bool,
        observer: Option<Box<dyn Observer + Send>>,
    ) -> Result<Target, Fault> {
        let config = Config { max_steps: MOST_STEPS, empty_unbound: true, ..Config::default() };
        let mut pipeline = Pipeline::new(std::slice::from_ref(self.shader), &config)?;
        if let Some((observer, program)) = observer.zip(pipeline.program_mut(Stage::Fragment)) {
            program.observe(observer);
        }
        let size = self.size;
        let mut target = Target::new(size, size, 1, 8);
        target.depth = Some(vec![1.0; size as usize * size as usize]);
        let pixel = |n: u32| wanted(n % size, size - 1 - n / size);
        target.wanted = Some((0..size * size).map(pixel).collect());
        let vertices = self.world.corners(self.inputs);
        let draw = Draw {
            topology: Topology::TriangleStrip,
            vertices: &vertices,
            indices: None,
            system: System::new(),
        };
        let mut resources = self.world.resources(self.uniforms);
        pipeline.draw(&mut resources, &draw, &State::new(size, size), &mut target)?;
        Ok(target)
    }
}

/// Collects the values of one pixel.
struct Tracer {
    pixel: [i32; 2],
    lines: Arc<Mutex<Vec<Value>>>,
    /// Texts of the instructions of the functions so far.
    texts: FxHashMap<FuncId, FxHashMap<InstrId, String>>,
}

/// The texts of all instructions of a function, without locations.
fn texts(shader: &Shader, function: FuncId) -> FxHashMap<InstrId, String> {
    let Some(function) = shader.functions.get(function) else { return FxHashMap::default() };
    let (names, mut printer) = (Numbering::new(&function.body), Printer::new(shader));
    for id in function.body.all_instrs() {
        printer.instr(&function.body, &names, id);
        printer.newline();
    }
    let text = printer.finish();
    let lines = text.lines().map(|line| crate::graph::without_location(line).to_string());
    function.body.all_instrs().zip(lines).collect()
}

impl Observer for Tracer {
    fn executed(&mut self, e: &Executed<'_>) {
        let Some(lane) = e.lanes().find(|&lane| e.invocation(lane) == Invocation::Pixel(self.pixel)) else {
            return;
        };
        let shown = e.shown(lane);
        let kind = e.shader.functions.get(e.function).map(|f| &f.body[e.instr].kind);
        // Instructions without an observable value are mostly derefs.
        if shown.is_none() && !matches!(kind, Some(InstrKind::Intrinsic(_))) {
            return;
        }
        let texts = self.texts.entry(e.function).or_insert_with(|| texts(e.shader, e.function));
        let Ok(mut lines) = self.lines.lock() else { return };
        if lines.len() < MOST_LINES {
            lines.push(json!({ "line": e.loc().line(), "text": texts.get(&e.instr), "values": shown }));
        }
    }
}
