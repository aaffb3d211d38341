//! AIR, reflection and SPIR-V as texts, and the source lines of those of AIR.

use airfoil::air::compile::{Layouts, emit};
use airfoil::air::select::DebugOptions;
use airfoil::passes::{Manager, Pipeline};
use airfoil::{AirOptions, Diagnostic, Form, Shader, SpirvOptions};
use rustc_hash::FxHashMap;
use serde_json::{Value, json};

/// The shaders that passes have lowered for Metal.
#[derive(Debug)]
pub struct Lowered {
    /// The shaders.
    pub shaders: Vec<Shader>,
    /// Buffers between stages.
    pub layouts: Layouts,
    /// AIR as text.
    pub text: String,
    /// How resources are bound, as JSON.
    pub reflection: String,
    /// Bytes of the library.
    pub bytes: usize,
}

impl Lowered {
    /// Selects instructions.
    pub fn new(shaders: Vec<Shader>, layouts: Layouts) -> Result<Lowered, Vec<Diagnostic>> {
        let options = AirOptions::default();
        let selected = emit(&shaders, layouts.clone(), &options)?;
        let text = selected.first().map(|s| s.to_ll()).unwrap_or_default();
        let reflection = selected.first().map(|s| s.reflection.to_json()).unwrap_or_default();
        let bytes = airfoil::air::library::library_with_sources(&selected, &options, &[])?.len();
        Ok(Lowered { shaders, layouts, text, reflection, bytes })
    }

    /// The source line of each line of the text, 0 where it has none.
    pub fn lines(&self, file: &str) -> Vec<u32> {
        let debug = DebugOptions { directory: String::new(), file: file.to_string() };
        let options = AirOptions { debug: Some(debug), ..AirOptions::default() };
        let selected = emit(&self.shaders, self.layouts.clone(), &options).unwrap_or_default();
        selected.first().map(|s| matched(&self.text, &s.to_ll())).unwrap_or_default()
    }
}

/// The lines of a text without debug information, from one of the same code that has it.
fn matched(plain: &str, with: &str) -> Vec<u32> {
    let location = |line: &str| {
        let (number, fields) = line.strip_prefix('!')?.split_once(" = !DILocation(line: ")?;
        let end = fields.find(|c: char| !c.is_ascii_digit())?;
        Some((number.parse().ok()?, fields[..end].parse().ok()?))
    };
    let known: FxHashMap<u32, u32> = with.lines().filter_map(location).collect();
    let code = |line: &&str| line.starts_with("  ") && !line.contains("@llvm.dbg.");
    let mut found = with.lines().filter(code).map(|line| {
        let number = line.split_once(", !dbg !").map(|(_, rest)| rest);
        let digits = number.map(|n| n.split(|c: char| !c.is_ascii_digit()).next().unwrap_or_default());
        digits.and_then(|n| known.get(&n.parse().ok()?).copied()).unwrap_or(0)
    });
    let count = |text: &str| text.lines().filter(code).count();
    // Other code: no line is better than a wrong one.
    if count(plain) != count(with) {
        return vec![0; plain.lines().count()];
    }
    plain.lines().map(|line| if code(&line) { found.next().unwrap_or(0) } else { 0 }).collect()
}

/// A shader as SPIR-V text: as it is in form `variables`, otherwise as it was read, after the preset `spirv`.
pub fn spirv(shader: &Shader, read: &Shader) -> Result<Value, Vec<Diagnostic>> {
    let mut program = [shader.clone()];
    let optimized = shader.form != Form::Variables;
    if optimized {
        program = [read.clone()];
        let pipeline = Pipeline::parse("spirv").map_err(|fault| vec![fault])?;
        let _ = Manager::default().run_program(&pipeline, &mut program)?;
    }
    let words = airfoil::to_spirv(&program[0], &SpirvOptions::default())?;
    let text = airfoil_spirv_asm::disassemble(&words, false)?;
    Ok(json!({ "text": text, "optimized": optimized, "bytes": words.len() * 4 }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_come_from_the_text_with_debug_information() {
        let plain = "define void @f() {\n  %a = fadd float 1.0, 2.0\n  ret void\n}\n";
        let with = "define void @f() !dbg !3 {\n  %a = fadd float 1.0, 2.0, !dbg !7\n  call void @llvm.dbg.value()\n  \
                    ret void\n}\n!7 = !DILocation(line: 12, column: 1, scope: !3)\n";
        assert_eq!(matched(plain, with), [0, 12, 0, 0]);
        assert_eq!(matched("  ret void\n", with), [0]);
    }
}
