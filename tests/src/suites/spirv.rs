//! `accept --goal spirv`: shaders are written as SPIR-V.
//!
//! A module that is written must be accepted by `spirv-val`, be read back to valid IR, and execute as the shader that was
//! written. A module whose source `spirv-val` rejects is left out: its errors remain.

use super::accept::words;
use airfoil::ir::Slot;
use airfoil::passes::Pipeline;
use airfoil::passes::manager::Manager;
use airfoil::spirv_out::Target;
use airfoil::{OptLevel, ReadOptions, Shader, SpirvOptions, to_spirv};
use airfoil_check::{Baseline, Compared, Runs};
use airfoil_interp::Tolerance;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::LazyLock;

/// How a shader fared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Written {
    /// Valid, and executes as before; if it was not executed, why.
    Valid(Option<String>),
    /// The source is not valid either.
    InvalidSource(String),
}

static PRESET: LazyLock<Pipeline> = LazyLock::new(|| Pipeline::parse("spirv").unwrap_or_default());

/// Optimises a shader for output as SPIR-V.
///
/// # Errors
/// The pass that failed, and why.
pub fn optimize(shader: &mut Shader, level: OptLevel) -> Result<(), String> {
    if level == OptLevel::O2 {
        let done = Manager::default().run(&PRESET, shader);
        let _ = done.map_err(|faults| format!("optimise: {}", words(&faults)))?;
    }
    Ok(())
}

/// Writes a shader of the file `source` and judges the module.
///
/// # Errors
/// The step that failed, and why.
pub fn check(mut shader: Shader, source: &Path, level: OptLevel, target: Target) -> Result<Written, String> {
    optimize(&mut shader, level)?;
    for var in shader.vars.values_mut().filter(|v| v.binding.is_some() && target.is_vulkan()) {
        // In Vulkan a binding without a set belongs to set 0, which seeds of inputs distinguish from none.
        var.set.get_or_insert(0);
    }
    // gl_FragColor is written as the color of attachment 0.
    let colors = shader.vars.values_mut().filter(|v| v.location == Some(Slot::FRAG_COLOR));
    colors.for_each(|v| v.location = Slot::generic(0));
    let options = SpirvOptions { target, ..SpirvOptions::default() };
    let module = to_spirv(&shader, &options).map_err(|faults| format!("write: {}", words(&faults)))?;
    if to_spirv(&shader, &options).ok().as_ref() != Some(&module) {
        return Err("writing again gives other words".into());
    }
    let bytes: Vec<u8> = module.iter().flat_map(|word| word.to_le_bytes()).collect();
    if let Err(reason) = validate(&bytes, target)? {
        return match invalid_source(source, target)? {
            Some(reason) => Ok(Written::InvalidSource(reason)),
            None => Err(format!("spirv-val: {reason}")),
        };
    }
    let read =
        ReadOptions { keep_spec_constants: true, keep_workgroup_constants: true, ..ReadOptions::default() };
    let back = airfoil::steps::read_spirv(&module, &read)
        .map_err(|faults| format!("read back: {}", words(&faults)))?;
    airfoil::steps::validate(&back).map_err(|faults| format!("read back: {}", words(&faults)))?;
    let baseline = Baseline::of(&shader, &Runs::default());
    if let Some(reason) = baseline.nothing() {
        return Ok(Written::Valid(Some(reason)));
    }
    match baseline.compare(&back, Tolerance::EXACT) {
        Compared::Agrees => Ok(Written::Valid(None)),
        Compared::Differs(mismatch) => Err(format!("executes otherwise: {mismatch}")),
        Compared::NotExecuted(reason) => Err(format!("cannot be executed when read back: {reason}")),
    }
}

/// The reason why a file is not a valid module, if it is a module at all.
///
/// # Errors
/// The file cannot be read, or `spirv-val` is missing.
pub fn invalid_source(source: &Path, target: Target) -> Result<Option<String>, String> {
    if source.extension().is_none_or(|e| e != "spv") {
        return Ok(None);
    }
    let bytes = std::fs::read(source).map_err(|e| e.to_string())?;
    Ok(validate(&bytes, target)?.err())
}

/// The error that `spirv-val` reports about a module.
fn validate(module: &[u8], target: Target) -> Result<Result<(), String>, String> {
    let failed = |e: std::io::Error| format!("spirv-val cannot be executed: {e}");
    let mut child = Command::new("spirv-val")
        .args(["--target-env", &target.to_string(), "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(failed)?;
    if let Some(mut input) = child.stdin.take() {
        // A validator that stops early closes its input.
        let _ = input.write_all(module);
    }
    let output = child.wait_with_output().map_err(failed)?;
    if output.status.success() {
        return Ok(Ok(()));
    }
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8_lossy(&text).lines().next().unwrap_or("no reason given").to_owned();
    Ok(Err(text))
}
