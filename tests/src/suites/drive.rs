//! `accept --engine vulkan`: fragment and compute shaders alone, with invented inputs, by the interpreter and by a Vulkan driver.
//!
//! The driver executes the original module (of SPIR-V; GLSL is compiled by Airfoil at O0) and the modules that Airfoil writes at
//! O0 and O2. All give the same within the bounds of [`airfoil_vulkan::judge`]. Only shaders are executed whose results are
//! defined: the interpreter finds no undefined behaviour, other undefined values give the same results, and so does a second
//! execution by the driver.

use super::accept;
use super::spirv;
use crate::engine::Engine;
use crate::engine::columns;
use crate::engine::driver::Modules;
use crate::engine::stop::Stop;
use crate::report::Verdict;
use airfoil::ir::{InstrKind, Modes, SystemValue};
use airfoil::passes::lower::gather_info::gather;
use airfoil::{OptLevel, Shader, SpirvOptions, Stage};
use airfoil_glsl::{ProgramOptions, Source};
use airfoil_interp::pipeline::{Draw, Pipeline, Target, Topology};
use airfoil_interp::run::workgroups;
use airfoil_interp::texture::{Filter, Mip};
use airfoil_interp::{Config, Fault, FaultKind, Program, Resources, Space, System};
use airfoil_vulkan::scene::Scene;
use airfoil_vulkan::{Device, Module, judge, opengl};
use std::path::Path;

/// Pixels along each side of targets and storage images.
const SIZE: u32 = 16;

/// Most instructions of a group of invocations.
const MAX_STEPS: u64 = 20_000_000;

/// Most bytes of storage buffers, times workgroups, that are compared.
const MAX_COPIED: u64 = 1 << 30;

/// Other undefined values than zeros.
const OTHER_BITS: u64 = 0x3f40_0000_3f40_0000;

/// The results of an execution.
type Results = (Resources, Target);

/// Executes all entry points of a file.
pub fn run(path: &Path, vulkan: bool, engine: &Engine) -> Verdict {
    let shaders = match accept::read(path, vulkan) {
        Ok(shaders) => shaders,
        Err(faults) => return Verdict::Skipped(format!("not read: {}", accept::words(&faults))),
    };
    let words = match original(path) {
        Ok(words) => words,
        Err(stop) => return stop.into(),
    };
    let mut skipped = Verdict::Skipped("no entry point".into());
    let mut passed = false;
    for shader in shaders {
        match drive(shader, words.as_deref(), engine) {
            Verdict::Passed => passed = true,
            Verdict::Skipped(reason) => skipped = Verdict::Skipped(reason),
            failed => return failed,
        }
    }
    if passed { Verdict::Passed } else { skipped }
}

/// The words of a module.
fn original(path: &Path) -> Result<Option<Vec<u32>>, Stop> {
    if path.extension().is_none_or(|e| e != "spv") {
        return Ok(None);
    }
    let bytes = std::fs::read(path).map_err(|e| Stop::Fail(e.to_string()))?;
    airfoil::spirv::from_bytes(&bytes).map(Some).map_err(|e| Stop::Fail(accept::words(&e)))
}

/// A shader with its surroundings.
struct Case<'a> {
    shader: Shader,
    /// The original module, if the shader is SPIR-V.
    words: Option<&'a [u32]>,
    device: &'static Device,
    scene: Scene,
    /// The vertex shader of a fragment shader.
    vertex: Option<Shader>,
}

fn drive(mut shader: Shader, words: Option<&[u32]>, engine: &Engine) -> Verdict {
    if !matches!(shader.stage, Stage::Compute | Stage::Fragment) {
        return Verdict::Skipped(format!("{} shaders are not executed alone", shader.stage));
    }
    let device = match engine.device() {
        Ok(device) => device,
        Err(e) => return Verdict::Skipped(e.to_string()),
    };
    if words.is_none() {
        number(&mut shader);
    }
    let case = Scene::new(&shader, SIZE).and_then(|mut scene| {
        // Vulkan leaves the level of detail and the weights of texels open within wide bounds.
        for sampler in &mut scene.resources.samplers {
            (sampler.mag, sampler.min, sampler.mip) = (Filter::Nearest, Filter::Nearest, Mip::None);
        }
        let vertex = (shader.stage == Stage::Fragment).then(|| vertex(&scene.vertex)).transpose()?;
        Ok(Case { shader, words, device, scene, vertex })
    });
    let case = match case {
        Ok(case) => case,
        Err(reason) => return Verdict::Skipped(format!("not modelled: {reason}")),
    };
    let interpreter = case.interpret(case.config(0));
    if let Err(fault) = &interpreter
        && fault.kind != FaultKind::Unsupported
    {
        return Verdict::Skipped(format!("the interpreter ends early: {}", fault.message));
    }
    if let (Ok(one), Ok(other)) = (&interpreter, &case.interpret(case.config(OTHER_BITS)))
        && case.compare(one, other) != Verdict::Passed
    {
        return Verdict::Skipped("the results depend on undefined values".into());
    }
    // Components of colors that are not written keep the stored values, whatever the undefined values are.
    let tracked = Config { report_undefined: true, ..case.config(0) };
    if let Ok((_, target)) = case.interpret(tracked)
        && target.undefined > 0
    {
        return Verdict::Skipped(format!("colors of {} fragments are undefined", target.undefined));
    }
    if let Ok(results) = &interpreter
        && case.depends_on_order(results)
    {
        return Verdict::Skipped("the results depend on the order of invocations".into());
    }
    let first = match case.execute(Modules::Original) {
        Ok(first) => first,
        Err(stop) => return stop.into(),
    };
    match case.execute(Modules::Original) {
        Ok(again) if case.compare(&first, &again) == Verdict::Passed => {}
        _ => return Verdict::Skipped("the driver gives other results the second time".into()),
    }
    columns::modules(|modules| match modules {
        None => match &interpreter {
            Ok(results) => case.compare(results, &first),
            Err(fault) => Verdict::Skipped(fault.message.clone()),
        },
        Some(Modules::Original) => Verdict::Passed,
        Some(modules) => match case.execute(modules) {
            Ok(results) => case.compare(&first, &results),
            Err(stop) => stop.into(),
        },
    })
}

/// Gives the resources of a GLSL shader sets and bindings of their own: OpenGL counts those of each kind separately.
fn number(shader: &mut Shader) {
    let placed = |mode| match mode {
        Modes::UBO => Some(Space::Uniform),
        Modes::SSBO => Some(Space::Storage),
        Modes::UNIFORM => Some(Space::Texture),
        Modes::IMAGE => Some(Space::Image),
        _ => None,
    };
    for (n, var) in (0..).zip(shader.vars.values_mut()) {
        if let Some(space) = placed(var.mode) {
            (var.set, var.binding) = (Some(opengl::set_of(space)), Some(n));
        }
    }
    shader.info.origin_upper_left = true;
}

/// The vertex shader of a scene.
fn vertex(text: &str) -> Result<Shader, String> {
    let source = Source { name: "vertex", stage: Stage::Vertex, text };
    let options = ProgramOptions { vulkan: true, ..ProgramOptions::default() };
    let program = airfoil_glsl::build(&[source], &options).map_err(|faults| accept::words(&faults))?;
    program.shaders.into_iter().next().ok_or_else(|| "no vertex shader".into())
}

/// The module that Airfoil writes from a shader.
fn written(shader: &Shader, level: OptLevel) -> Result<Module, Stop> {
    let mut shader = shader.clone();
    spirv::optimize(&mut shader, level).map_err(Stop::Fail)?;
    let words = airfoil::to_spirv(&shader, &SpirvOptions::default())
        .map_err(|faults| Stop::Skip(format!("not written: {}", accept::words(&faults))))?;
    Ok(Module { words, stage: shader.stage, entry: shader.name.to_string(), spec: Vec::new() })
}

impl Case<'_> {
    fn draw<'v>(&self, vertices: &'v [airfoil_interp::run::Vertex]) -> Draw<'v> {
        Draw { topology: Topology::Triangles, vertices, indices: None, system: System::new() }
    }

    /// The interpreter with these bits as undefined values.
    fn config(&self, undefined: u64) -> Config {
        Config { max_steps: MAX_STEPS, undefined, ..Config::default() }
    }

    /// Executes the shader by the interpreter.
    fn interpret(&self, config: Config) -> Result<Results, Fault> {
        let mut resources = self.scene.resources.clone();
        let mut target = self.scene.target(SIZE);
        let Some(vertex) = &self.vertex else {
            Program::new(&self.shader, config)?.compute(&mut resources, &System::new(), self.scene.groups)?;
            return Ok((resources, target));
        };
        let shaders = [vertex.clone(), self.shader.clone()];
        let (vertices, state) = (Scene::vertices(), self.scene.state(SIZE));
        Pipeline::new(&shaders, &config)?.draw(&mut resources, &self.draw(&vertices), &state, &mut target)?;
        Ok((resources, target))
    }

    /// Whether a dispatch has other results than these with other orders of its invocations.
    fn depends_on_order(&self, results: &Results) -> bool {
        if self.vertex.is_some() {
            return false;
        }
        let others = [self.reversed(), self.isolated()];
        others.into_iter().flatten().any(|other| self.compare(results, &other) != Verdict::Passed)
    }

    /// The results with the last invocation first, unless they depend on subgroups.
    fn reversed(&self) -> Option<Results> {
        let facts = gather(&self.shader);
        let read = |sv: &&SystemValue| facts.system_values_read >> **sv as u32 & 1 != 0;
        let mut values = SystemValue::ALL.iter().filter(read);
        if facts.uses_subgroup || facts.uses_quad || values.any(|sv| sv.name().contains("subgroup")) {
            return None;
        }
        self.interpret(Config { subgroup_size: 1, reversed: true, ..self.config(0) }).ok()
    }

    /// The results if no workgroup reads memory that another one writes, unless the shader has atomics.
    fn isolated(&self) -> Option<Results> {
        let initial = &self.scene.resources;
        let bytes: usize = self.scene.storage.iter().map(|s| initial.buffers[s.0].bytes.len()).sum();
        if bytes as u64 * workgroups(self.scene.groups).count() as u64 > MAX_COPIED
            || has_atomics(&self.shader)
        {
            return None;
        }
        let mut program = Program::new(&self.shader, self.config(0)).ok()?;
        let (mut merged, mut own) = (initial.clone(), initial.clone());
        for group in workgroups(self.scene.groups) {
            program.compute_group(&mut own, &System::new(), group, self.scene.groups).ok()?;
            for &(n, _) in &self.scene.storage {
                let (own, initial) = (&mut own.buffers[n].bytes, &initial.buffers[n].bytes);
                take_changes(&mut merged.buffers[n].bytes, own, initial);
            }
            for &n in &self.scene.images {
                let (own, initial) = (own.images[n].bytes_mut(0), initial.images[n].bytes(0));
                take_changes(merged.images[n].bytes_mut(0), own, initial);
            }
        }
        Some((merged, self.scene.target(SIZE)))
    }

    fn execute(&self, modules: Modules) -> Result<Results, Stop> {
        let module = match (modules, self.words) {
            (Modules::Original, Some(words)) => Module {
                words: words.to_vec(),
                stage: self.shader.stage,
                entry: self.shader.name.to_string(),
                spec: Vec::new(),
            },
            (Modules::Original, None) => written(&self.shader, OptLevel::O0)?,
            (Modules::Written(level), _) => written(&self.shader, level)?,
        };
        let mut resources = self.scene.resources.clone();
        let mut target = self.scene.target(SIZE);
        let Some(vertex) = &self.vertex else {
            self.device.compute(&module, &mut resources, self.scene.groups)?;
            return Ok((resources, target));
        };
        let modules = [written(vertex, OptLevel::O0)?, module];
        let (vertices, state) = (Scene::vertices(), self.scene.state(SIZE));
        self.device.draw(&modules, &mut resources, &self.draw(&vertices), &state, &mut target)?;
        Ok((resources, target))
    }

    fn compare(&self, one: &Results, other: &Results) -> Verdict {
        let mut all = judge::targets(&self.scene, &one.1, &other.1);
        judge::memory(&self.scene, &one.0, &other.0, &mut all);
        if all.is_right() { Verdict::Passed } else { Verdict::Failed(all.to_string()) }
    }
}

/// Copies the bytes that differ from the initial ones, and resets them.
fn take_changes(merged: &mut [u8], own: &mut [u8], initial: &[u8]) {
    for ((merged, own), initial) in merged.iter_mut().zip(own).zip(initial) {
        if own != initial {
            (*merged, *own) = (*own, *initial);
        }
    }
}

fn has_atomics(shader: &Shader) -> bool {
    shader.functions.values().any(|f| {
        f.body.all_instrs().any(|id| {
            let InstrKind::Intrinsic(i) = &f.body[id].kind else { return false };
            i.memory().is_some_and(|m| m.action.is_atomic())
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::EngineKind;

    /// The verdict on a GLSL file; `None` without a driver, which skips the test.
    fn verdict(ending: &str, text: &str) -> Option<Verdict> {
        let engine = Engine { kind: EngineKind::Vulkan, ..Engine::default() };
        if let Err(e) = engine.device() {
            use std::io::Write;
            let _ = writeln!(std::io::stderr(), "SKIPPED: {e}");
            return None;
        }
        let path = std::env::temp_dir().join(format!("airfoil-drive-{}.{ending}", std::process::id()));
        std::fs::write(&path, text).unwrap();
        let verdict = run(&path, false, &engine);
        std::fs::remove_file(&path).unwrap();
        Some(verdict)
    }

    #[test]
    fn defined_results_are_compared() {
        let fragment = "#version 450\nlayout(location = 0) in vec2 p; uniform vec4 scale; uniform sampler2D t; layout(std140, binding = 0) uniform U { vec4 u; };\n\
            layout(location = 0) out vec4 c; void main() { c = texture(t, p) * scale.x * u + gl_FragCoord.yyyy / 64.0; }";
        let Some(done) = verdict("frag", fragment) else { return };
        assert_eq!(done, Verdict::Passed);
        let compute = "#version 450\nlayout(local_size_x = 8) in; layout(std430, binding = 0) buffer B { uint v[]; };\n\
            void main() { v[gl_GlobalInvocationID.x] += gl_LocalInvocationID.x; }";
        assert_eq!(verdict("comp", compute), Some(Verdict::Passed));
        let undefined =
            "#version 450\nlayout(location = 0) out vec4 c; void main() { float x; c = vec4(x); }";
        let reason = "the results depend on undefined values".to_string();
        assert_eq!(verdict("frag", undefined), Some(Verdict::Skipped(reason)));
        let partial = "#version 450\nlayout(location = 0) out vec4 c; void main() { c.rgb = vec3(1); }";
        let reason = "colors of 256 fragments are undefined".to_string();
        assert_eq!(verdict("frag", partial), Some(Verdict::Skipped(reason)));
        let vertex = "#version 450\nvoid main() { gl_Position = vec4(0); }";
        assert!(matches!(verdict("vert", vertex), Some(Verdict::Skipped(_))));
        for store in [
            "v[0] = gl_LocalInvocationID.x",
            "v[8 + gl_LocalInvocationID.x]++",
            "v[atomicAdd(v[9], 1u) & 7u] = gl_LocalInvocationID.x",
        ] {
            let race = format!(
                "#version 450\nlayout(local_size_x = 8) in; layout(std430, binding = 0) buffer B {{ uint v[]; }};\nvoid main() {{ {store}; }}"
            );
            let reason = "the results depend on the order of invocations".to_string();
            assert_eq!(verdict("comp", &race), Some(Verdict::Skipped(reason)), "{store}");
        }
    }
}
