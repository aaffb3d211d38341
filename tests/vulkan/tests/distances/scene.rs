//! Pipelines, vertices, and the images that a driver draws of them.

use airfoil::distances::{DistanceForm, DistanceOptions, lower_distances};
use airfoil::glsl::{ProgramOptions, Source};
use airfoil::{Captures, ReadOptions, Shader, SpirvOptions, Stage, steps, to_spirv};
use airfoil_interp::pipeline::{ClipDepth, Draw, State, Target, Topology};
use airfoil_interp::run::Vertex;
use airfoil_interp::{Resources, System, Values};
use airfoil_ir::{Named, Slot, SystemValue};
use airfoil_vulkan::{Device, Module};
use std::io::Write;
use std::process::{Command, Stdio};

/// Width and height of all images.
pub const SIZE: u32 = 256;

/// Prints a line with the counts of a test.
pub fn report(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// The device, or `None` if the test is skipped.
pub fn device() -> Option<Device> {
    match Device::open(None) {
        Ok(device) => Some(device),
        Err(e) => {
            report(&format!("SKIPPED: {e}"));
            None
        }
    }
}

/// A vertex: clip coordinates, distances, color.
#[derive(Clone, Copy, Debug)]
pub struct Corner {
    pub position: [f32; 4],
    pub distances: [f32; 4],
    pub color: [f32; 4],
}

/// The sources of a pipeline.
pub type Sources<'a> = &'a [(Stage, &'a str)];

/// Modules of the original pipeline.
pub fn modules(sources: Sources<'_>) -> Vec<Module> {
    let sources: Vec<Source<'_>> =
        sources.iter().map(|&(stage, text)| Source { name: stage.name(), stage, text }).collect();
    let options = ProgramOptions { vulkan: true, ..ProgramOptions::default() };
    let program = steps::read_glsl(&sources, &options).unwrap_or_else(|e| panic!("{e:?}"));
    written(&program.shaders)
}

fn written(shaders: &[Shader]) -> Vec<Module> {
    shaders
        .iter()
        .map(|shader| {
            let words = to_spirv(shader, &SpirvOptions::default()).unwrap_or_else(|e| panic!("{e:?}"));
            validate(&words);
            Module { words, stage: shader.stage, entry: shader.name.to_string(), spec: Vec::new() }
        })
        .collect()
}

/// Modules after their distances were lowered, from SPIR-V to SPIR-V.
pub fn lowered(modules: &[Module], options: &DistanceOptions) -> Vec<Module> {
    let read = |module: &Module| steps::read_spirv(&module.words, &ReadOptions::default());
    let shaders: Result<Vec<Shader>, _> = modules.iter().map(read).collect();
    let mut shaders = shaders.unwrap_or_else(|e| panic!("{e:?}"));
    lower_distances(&mut shaders, &mut Captures::default(), options).unwrap_or_else(|e| panic!("{e:?}"));
    let lowered = written(&shaders);
    for module in &lowered {
        let text = airfoil_spirv_asm::disassemble(&module.words, false).expect("it is a module");
        for word in ["ClipDistance", "CullDistance"] {
            assert!(
                !text.contains(&format!("BuiltIn {word}")) && !text.contains(&format!("Capability {word}")),
                "{text}"
            );
        }
    }
    lowered
}

/// The options for a form.
pub fn form(form: DistanceForm) -> DistanceOptions {
    DistanceOptions::default().form(form)
}

/// Asserts that `spirv-val` accepts a module, if it is installed.
fn validate(words: &[u32]) {
    let command = Command::new("spirv-val")
        .args(["--target-env", "vulkan1.3", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let Ok(mut command) = command else {
        report("SKIPPED: spirv-val is not installed");
        return;
    };
    let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
    command.stdin.take().expect("a pipe").write_all(&bytes).expect("it reads the module");
    let output = command.wait_with_output().expect("it ends");
    let text = airfoil_spirv_asm::disassemble(words, false).unwrap_or_default();
    assert!(
        output.status.success(),
        "{}{text}",
        String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr)
    );
}

/// Draws vertices, with the colors of each sample of each pixel, by rows; samples that are not covered are 0.
pub fn draw(
    device: &Device,
    modules: &[Module],
    topology: Topology,
    corners: &[Corner],
    samples: u32,
) -> Vec<[f32; 4]> {
    let vertices: Vec<Vertex> = (0..)
        .zip(corners)
        .map(|(n, corner)| {
            let mut inputs = Values::new();
            for (location, value) in [corner.position, corner.distances, corner.color].into_iter().enumerate()
            {
                inputs.set_floats(Slot::generic(location as u32).expect("a location"), value);
            }
            Vertex { inputs, system: System::new().with(SystemValue::vertex_id, n) }
        })
        .collect();
    let draw = Draw { topology, vertices: &vertices, indices: None, system: System::new() };
    let mut state = State::new(SIZE, SIZE);
    (state.y_down, state.clip_depth, state.first_provokes) = (true, ClipDepth::ZeroToOne, true);
    let mut image = vec![[0.0; 4]; (SIZE * SIZE * samples) as usize];
    for sample in 0..samples {
        // The mean of the samples, of which one is written.
        state.sample_mask = if samples == 1 { u32::MAX } else { 1 << sample };
        let mut target = Target::new(SIZE, SIZE, 1, 1);
        let drawn = device.draw_resolved(modules, &mut Resources::new(), &draw, &state, &mut target, samples);
        drawn.unwrap_or_else(|e| panic!("{e}"));
        for (pixel, texel) in target.colors[0].iter().enumerate() {
            image[pixel * samples as usize + sample as usize] =
                texel.map(|word| f32::from_bits(word) * samples as f32);
        }
    }
    image
}

/// Whether a sample is covered: all colors have alpha 1.
pub fn is_covered(color: [f32; 4]) -> bool {
    color[3] > 0.5
}
