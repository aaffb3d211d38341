//! From an input to a shader.

use crate::args::ReadArgs;
use crate::batch::{Log, Refused};
use crate::source::{Input, Source};
use airfoil::{Diagnostic, ReadOptions, Shader, SpecValue};

/// A shader, and what messages about it need.
#[derive(Debug)]
pub struct Loaded {
    /// The shader.
    pub shader: Shader,
    name: String,
    text: Option<String>,
}

impl Loaded {
    /// Says why the shader is refused.
    pub fn refuse(&self, log: &mut Log, faults: &[Diagnostic]) -> Refused {
        self.report(log, faults);
        Refused
    }

    /// Says something about the shader.
    pub fn report(&self, log: &mut Log, diagnostics: &[Diagnostic]) {
        log.diagnostics(diagnostics, &self.name, self.text.as_deref());
    }
}

/// Reads an input.
pub fn load(input: &Input, args: &ReadArgs, log: &mut Log) -> Result<Loaded, Refused> {
    let name = input.name();
    let (result, text) = match input.read() {
        Err(fault) => (Err(vec![*fault]), None),
        Ok(Source::Spirv(bytes)) => (read_spirv(&bytes, args), None),
        Ok(Source::Foil(text)) => (read_foil(&text, args), Some(text)),
    };
    match result {
        Ok(shader) => Ok(Loaded { shader, name, text }),
        Err(faults) => {
            log.diagnostics(&faults, &name, text.as_deref());
            Err(Refused)
        }
    }
}

fn read_spirv(bytes: &[u8], args: &ReadArgs) -> Result<Shader, Vec<Diagnostic>> {
    let words = airfoil::spirv::from_bytes(bytes)?;
    let values: Vec<(u32, SpecValue)> = args.spec.iter().map(|s| (s.id, s.value)).collect();
    let options = ReadOptions {
        entry: args.entry.clone(),
        stage: args.stage,
        spec: airfoil::spec_bits(&words, &values)?,
        ..ReadOptions::default()
    };
    airfoil::read_spirv(&words, &options)
}

/// A text has one shader, so what chooses one can only agree.
fn read_foil(text: &str, args: &ReadArgs) -> Result<Shader, Vec<Diagnostic>> {
    let shader = airfoil::read_foil(text)?;
    let mut faults = Vec::new();
    if let Some(entry) = args.entry.as_deref().filter(|entry| **entry != *shader.name) {
        let message = format!("there is no entry point `{entry}`");
        faults.push(Diagnostic::error("E0012", message).help(format!("there is: {}", shader.name)));
    }
    if let Some(stage) = args.stage.filter(|stage| *stage != shader.stage) {
        let message = format!("there is no entry point of the stage {stage}");
        faults.push(
            Diagnostic::error("E0012", message).help(format!("there is: {}, {}", shader.name, shader.stage)),
        );
    }
    if let Some(spec) = args.spec.first() {
        let message = format!("there is no specialization constant {}", spec.id);
        faults.push(Diagnostic::error("E0010", message).help("only SPIR-V modules have some"));
    }
    if faults.is_empty() { Ok(shader) } else { Err(faults) }
}
