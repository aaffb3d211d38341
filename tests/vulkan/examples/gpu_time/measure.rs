//! Measures prepared modules on a device.

use crate::VERSIONS;
use crate::table::{Row, Table};
use airfoil_glsl::{ProgramOptions, Source};
use airfoil_interp::pipeline::{Draw, Target, Topology};
use airfoil_interp::run::Vertex;
use airfoil_interp::{Resources, System};
use airfoil_ir::Stage;
use airfoil_vulkan::scene::Scene;
use airfoil_vulkan::{Device, Error, Module, Timed, judge};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How to measure.
#[derive(clap::Args)]
pub struct Options {
    /// Part of the device's name
    #[arg(long)]
    device: Option<String>,
    /// Draws or dispatches between two timestamps
    #[arg(long, default_value_t = 200)]
    count: u32,
    /// Measurements, whose median counts
    #[arg(long, default_value_t = 5)]
    rounds: usize,
    /// Pixels along each side of targets and storage images
    #[arg(long, default_value_t = 1024)]
    size: u32,
    /// Seconds of a measurement: for shaders that take longer targets are made smaller, then draws or dispatches fewer
    #[arg(long, default_value_t = 2.0)]
    limit: f64,
    /// Only shaders whose name contains this
    #[arg(long, default_value = "")]
    filter: String,
    /// The table as CSV
    #[arg(short)]
    output: Option<PathBuf>,
}

/// A shader with its modules.
struct Case {
    scene: Scene,
    /// One per version.
    modules: Vec<Module>,
    vertex: Option<Module>,
    size: u32,
}

/// Measures the modules of a folder. Without a device this is reported, and not an error.
pub fn measure(folder: &Path, options: &Options) -> Result<(), String> {
    let device = match Device::open(options.device.as_deref()) {
        Ok(device) => device,
        Err(e) => {
            println!("SKIPPED: {e}");
            return Ok(());
        }
    };
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .map_err(|e| format!("{}: {e}", folder.display()))?
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter_map(|name| Some(name.strip_suffix(&format!(".{}.spv", VERSIONS[0]))?.to_owned()))
        .filter(|name| name.contains(&options.filter))
        .collect();
    names.sort();
    let mut table = Table::new(&device, options.count, options.rounds, options.size);
    let mut warm = false;
    for name in &names {
        eprintln!("{name}");
        match Case::new(folder, name, options.size) {
            Ok(mut case) => {
                let row = case.row(&device, name, options, &mut warm);
                table
                    .rows
                    .push(row.unwrap_or_else(|e| Row::skipped(name, case.modules[0].stage, e.to_string())));
            }
            Err(e) => table.rows.push(Row::skipped(name, Stage::Fragment, e)),
        }
        // Rows that have been measured stay if a later shader does not end.
        if let Some(path) = &options.output {
            std::fs::write(path, table.csv()).map_err(|e| format!("{}: {e}", path.display()))?;
        }
    }
    println!("{}", table.markdown());
    match table.rows.iter().filter(|r| r.is_wrong()).count() {
        0 => Ok(()),
        n => Err(format!("{n} shaders give other results")),
    }
}

impl Case {
    fn new(folder: &Path, name: &str, size: u32) -> Result<Case, String> {
        let mut modules = Vec::new();
        let mut scene = None;
        for version in VERSIONS {
            let path = folder.join(format!("{name}.{version}.spv"));
            let bytes = std::fs::read(&path).map_err(|e| format!("{}: {e}", path.display()))?;
            let words = airfoil_spirv_in::from_bytes(&bytes).map_err(|e| e[0].to_string())?;
            let entries = airfoil_spirv_in::entry_points(&words).map_err(|e| e[0].to_string())?;
            let [(entry, stage)] = entries.as_slice() else { return Err("several entry points".into()) };
            if scene.is_none() {
                let shader =
                    airfoil_spirv_in::read(&words, &Default::default()).map_err(|e| e[0].to_string())?;
                scene = Some(Scene::new(&shader, size)?);
            }
            modules.push(Module { words, stage: *stage, entry: entry.clone(), spec: Vec::new() });
        }
        let Some(scene) = scene else { return Err("no version".into()) };
        let vertex = (modules[0].stage == Stage::Fragment).then(|| vertex(&scene.vertex)).transpose()?;
        Ok(Case { scene, modules, vertex, size })
    }

    /// Executes a version once.
    fn once(&self, device: &Device, version: usize) -> Result<(Resources, Target), Error> {
        let mut resources = self.scene.resources.clone();
        let module = &self.modules[version];
        let Some(vertex) = &self.vertex else {
            device.compute(module, &mut resources, self.scene.groups)?;
            return Ok((resources, Target::new(1, 1, 1, 0)));
        };
        let mut target = self.scene.target(self.size);
        let modules = [vertex.clone(), module.clone()];
        device.draw(
            &modules,
            &mut resources,
            &draw(&Scene::vertices()),
            &self.scene.state(self.size),
            &mut target,
        )?;
        Ok((resources, target))
    }

    fn timed<'d>(&self, device: &'d Device, version: usize, count: u32) -> Result<Timed<'d>, Error> {
        let (module, resources) = (&self.modules[version], &self.scene.resources);
        let Some(vertex) = &self.vertex else {
            return device.timed_compute(module, resources, self.scene.groups, count);
        };
        let modules = [vertex.clone(), module.clone()];
        device.timed_draw(
            &modules,
            resources,
            &draw(&Scene::vertices()),
            &self.scene.state(self.size),
            &self.scene.target(self.size),
            count,
        )
    }

    /// Makes targets smaller until all draws of the original take less than a limit; returns how many draws or dispatches do.
    fn shrink(&mut self, device: &Device, options: &Options) -> Result<u32, Error> {
        loop {
            let one = self.timed(device, 0, 1)?.run()? / 1e9;
            if one * f64::from(options.count) < options.limit {
                return Ok(options.count);
            }
            if self.vertex.is_none() || self.size <= 64 {
                return Ok(((options.limit / one) as u32).clamp(1, options.count));
            }
            self.size /= 2;
        }
    }

    fn row(&mut self, device: &Device, name: &str, options: &Options, warm: &mut bool) -> Result<Row, Error> {
        let count = self.shrink(device, options)?;
        let first = self.once(device, 0)?;
        let compare = |other: &(Resources, Target)| {
            let mut all = judge::targets(&self.scene, &first.1, &other.1);
            judge::memory(&self.scene, &first.0, &other.0, &mut all);
            all
        };
        // A shader whose results depend on the order of invocations differs from itself.
        let again = compare(&self.once(device, 0)?);
        let mut judgements = vec![again];
        for version in 1..VERSIONS.len() {
            judgements.push(compare(&self.once(device, version)?));
        }
        if !*warm {
            // The clock of an idle device is low.
            let mut first = self.timed(device, 0, count)?;
            let start = Instant::now();
            while start.elapsed() < Duration::from_secs(1) {
                first.run()?;
            }
            *warm = true;
        }
        let mut times = vec![Vec::new(); VERSIONS.len()];
        // Fewer draws or dispatches count as if all were executed.
        let scale = f64::from(options.count) / f64::from(count);
        for round in 0..options.rounds.max(1) {
            // The time depends on the addresses of the resources, so each version is the first one to allocate in its turn.
            let order = (0..VERSIONS.len()).map(|n| (n + round) % VERSIONS.len());
            let mut timed = Vec::new();
            for version in order {
                timed.push((version, self.timed(device, version, count)?));
            }
            for (_, version) in &mut timed {
                version.run()?;
            }
            for (version, run) in &mut timed {
                times[*version].push(run.run()? * scale);
            }
        }
        Ok(Row::new(name, self.modules[0].stage, self.size, judgements, times))
    }
}

fn draw(vertices: &[Vertex]) -> Draw<'_> {
    Draw { topology: Topology::Triangles, vertices, indices: None, system: System::new() }
}

/// The module of a vertex shader, as Airfoil writes it.
fn vertex(text: &str) -> Result<Module, String> {
    let source = Source { name: "vertex", stage: Stage::Vertex, text };
    let options = ProgramOptions { vulkan: true, ..ProgramOptions::default() };
    let mut program = airfoil_glsl::build(&[source], &options).map_err(|e| format!("{}: {text}", e[0]))?;
    let Some(mut shader) = program.shaders.pop() else { return Err("no vertex shader".into()) };
    shader.name = "main".into();
    let words = airfoil_spirv_out::write(&shader, &Default::default()).map_err(|e| e[0].to_string())?;
    Ok(Module { words, stage: Stage::Vertex, entry: "main".into(), spec: Vec::new() })
}
