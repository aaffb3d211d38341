//! Reads sources: GLSL of one stage, SPIR-V text, the text form of the IR.

use airfoil::glsl::limits::Limits;
use airfoil::glsl::link::LinkOptions;
use airfoil::glsl::{ProgramOptions, Source};
use airfoil::ir::Named;
use airfoil::{Diagnostic, Place, ReadOptions, Severity, Shader, Stage, metal_limits, steps};
use serde_json::{Value, json};

/// A source as the page sends it.
#[derive(Debug)]
pub struct Input<'a> {
    /// `glsl`, `spirv` or `foil`.
    pub kind: &'a str,
    /// Stage of GLSL.
    pub stage: Stage,
    /// GLSL for Vulkan.
    pub vulkan: bool,
    /// The text.
    pub text: &'a str,
}

/// A source that was read.
#[derive(Debug)]
pub struct Opened {
    /// The shader, as a program of one stage.
    pub shaders: Vec<Shader>,
    /// Reflection of GLSL as JSON.
    pub program: Option<String>,
    /// Warnings.
    pub warnings: Vec<Diagnostic>,
}

impl<'a> Input<'a> {
    /// The source of a request.
    pub fn of(request: &'a Value) -> Result<Input<'a>, String> {
        let word = |name: &str| request[name].as_str().unwrap_or_default();
        let stage = Stage::from_name(word("stage")).ok_or("expected a stage")?;
        let text = request["text"].as_str().ok_or("expected a text")?;
        Ok(Input { kind: word("kind"), stage, vulkan: request["vulkan"] == true, text })
    }

    /// Name in messages and debug information.
    pub fn name(&self) -> &'static str {
        match self.kind {
            "spirv" => "shader.spvasm",
            "foil" => "shader.foil",
            _ => "shader.glsl",
        }
    }

    /// Reads it.
    pub fn read(&self) -> Result<Opened, Vec<Diagnostic>> {
        let one = |shader| Opened { shaders: vec![shader], program: None, warnings: Vec::new() };
        match self.kind {
            "spirv" => {
                let words = airfoil_spirv_asm::assemble(self.text, &Default::default())?;
                let read = steps::read_spirv(&words, &ReadOptions::default());
                read.map(one).map_err(|faults| self.with_lines(&words, faults.into_vec()))
            }
            "foil" => Ok(one(steps::read_foil(self.text)?)),
            _ => {
                let source = Source { name: self.name(), stage: self.stage, text: self.text };
                let program = steps::read_glsl(&[source], &self.options())?;
                let reflection = Some(program.reflection.to_json().to_string());
                Ok(Opened { shaders: program.shaders, program: reflection, warnings: program.warnings })
            }
        }
    }

    /// As `airfoil compile` reads a source of one stage.
    fn options(&self) -> ProgramOptions {
        ProgramOptions {
            vulkan: self.vulkan,
            es_limits: metal_limits(Limits::ES),
            link: LinkOptions { separable: true, limits: metal_limits(Limits::GL), ..LinkOptions::default() },
            ..ProgramOptions::default()
        }
    }

    /// Messages about words of the module, at the lines that those were assembled from.
    fn with_lines(&self, words: &[u32], mut faults: Vec<Diagnostic>) -> Vec<Diagnostic> {
        let has_code = |line: &str| !line.trim().is_empty() && !line.trim().starts_with(';');
        let lines: Vec<usize> =
            self.text.lines().enumerate().filter(|(_, line)| has_code(line)).map(|(n, _)| n + 1).collect();
        for fault in &mut faults {
            let Place::Word { offset, .. } = fault.place else { continue };
            if let Some(&line) = lines.get(instruction_at(words, offset)) {
                fault.place = Place::Text { file: "".into(), line: line as u32, column: 0 };
            }
        }
        faults
    }
}

/// Index of the instruction that a word belongs to.
fn instruction_at(words: &[u32], offset: usize) -> usize {
    const HEADER: usize = 5;
    let (mut at, mut index) = (HEADER, 0);
    while let Some(&word) = words.get(at) {
        let next = at + (word >> 16).max(1) as usize;
        if offset < next {
            break;
        }
        (at, index) = (next, index + 1);
    }
    index
}

/// Diagnostics for the page.
pub fn to_json(list: &[Diagnostic]) -> Value {
    let one = |d: &Diagnostic| {
        let (line, column) = match d.place {
            Place::Text { line, column, .. } => (line, column),
            _ => (0, 0),
        };
        let place = match &d.place {
            Place::Text { .. } | Place::None => None,
            place => Some(place.to_string()),
        };
        json!({
            "severity": if d.severity == Severity::Error { "error" } else { "warning" },
            "code": d.code, "message": d.message, "help": d.help, "line": line, "column": column, "place": place,
        })
    };
    list.iter().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_of_modules_have_lines() {
        let text = "OpCapability Shader\n; a comment\n\nOpMemoryModel Logical GLSL450\n\
                    OpEntryPoint Fragment %main \"main\"\nOpExecutionMode %main OriginUpperLeft\n\
                    %void = OpTypeVoid\n%fn = OpTypeFunction %void\n%main = OpFunction %void None %fn\n\
                    %label = OpLabel\n%bad = OpCopyObject %void %void\nOpReturn\nOpFunctionEnd\n";
        let input = Input { kind: "spirv", stage: Stage::Fragment, vulkan: false, text };
        let faults = input.read().expect_err("a copy of a type");
        assert!(matches!(faults[0].place, Place::Text { line: 11, .. }), "{faults:?}");
    }
}
