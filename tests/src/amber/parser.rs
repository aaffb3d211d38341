//! AmberScript: commands one after the other.

use super::Fault;
use super::lexer::{Lexer, Word};
use super::script::{Command, Run, Script, Shader, Source, TO_THE_END};
use super::types::{Member, Type};
use airfoil::Stage;

/// Gives the contents of a file that a script names.
pub type Load<'a> = dyn Fn(&str) -> Option<Vec<u8>> + 'a;

/// Deepest `REPEAT`.
const MAX_DEPTH: u32 = 8;

pub(super) struct Parser<'s, 'l> {
    pub(super) lex: Lexer<'s>,
    pub(super) script: Script,
    pub(super) structs: Vec<(String, Type)>,
    pub(super) load: &'l Load<'l>,
    files: Vec<(&'s str, &'s str)>,
}

/// Reads a script.
///
/// # Errors
/// The first error.
pub fn parse(text: &str, load: &Load<'_>) -> Result<Script, Fault> {
    let lex = Lexer::new(text, false);
    let mut p = Parser { lex, script: Script::default(), structs: Vec::new(), load, files: Vec::new() };
    loop {
        let word = p.lex.next_anywhere();
        if word.text.is_empty() {
            return Ok(p.script);
        }
        if let Some(command) = p.command(word, 0)? {
            p.script.commands.push(command);
        }
    }
}

/// A stage by its name in scripts.
pub(super) fn stage(name: &str) -> Option<Stage> {
    Some(match name {
        "vertex" => Stage::Vertex,
        "fragment" => Stage::Fragment,
        "geometry" => Stage::Geometry,
        "tessellation_control" => Stage::TessControl,
        "tessellation_evaluation" => Stage::TessEval,
        "compute" => Stage::Compute,
        "task" => Stage::Task,
        "mesh" => Stage::Mesh,
        _ => return None,
    })
}

impl<'s> Parser<'s, '_> {
    fn command(&mut self, word: Word<'s>, depth: u32) -> Result<Option<Command>, Fault> {
        match word.text {
            "SHADER" => self.shader()?,
            "BUFFER" => self.buffer()?,
            "IMAGE" => self.image()?,
            "SAMPLER" => self.sampler()?,
            "PIPELINE" => self.pipeline()?,
            "DERIVE_PIPELINE" => self.derive_pipeline()?,
            "STRUCT" => self.structure()?,
            "VIRTUAL_FILE" => {
                let name = self.lex.expect("a name")?.text;
                self.lex.end_of_line()?;
                let text = self.lex.raw_until(|line| line == "END");
                self.lex.next_line();
                self.end()?;
                self.files.push((name, text));
            }
            "DEVICE_FEATURE" | "DEVICE_PROPERTY" | "DEVICE_EXTENSION" | "INSTANCE_EXTENSION" => {
                let name = self.lex.expect("a name")?.text.to_string();
                // Properties may have values.
                self.lex.rest_of_line();
                self.script.requirements.push(name);
            }
            "SET" => {
                self.lex.expect_word("ENGINE_DATA")?;
                self.lex.expect("a name")?;
                self.lex.number("a value")?;
                self.lex.end_of_line()?;
            }
            "DEBUG" => {
                self.lex.raw_until(|line| line == "END");
                self.lex.next_line();
                self.end()?;
            }
            "RUN" => {
                self.lex.take("TIMED_EXECUTION");
                return self.run().map(Some);
            }
            "CLEAR" => {
                let pipeline = self.pipeline_name()?;
                self.lex.end_of_line()?;
                return Ok(Some(Command::Clear(pipeline)));
            }
            "CLEAR_COLOR" => {
                let pipeline = self.pipeline_name()?;
                let mut color = [0.0; 4];
                for c in &mut color {
                    *c = self.lex.number("a component, 0 to 255,")?.float() / 255.0;
                }
                self.lex.end_of_line()?;
                return Ok(Some(Command::ClearColor(pipeline, color)));
            }
            "CLEAR_DEPTH" => {
                let pipeline = self.pipeline_name()?;
                let depth = self.lex.number("a depth")?.float();
                self.lex.end_of_line()?;
                return Ok(Some(Command::ClearDepth(pipeline, depth)));
            }
            "CLEAR_STENCIL" => {
                let pipeline = self.pipeline_name()?;
                let stencil = self.lex.count("a stencil value")?;
                self.lex.end_of_line()?;
                return Ok(Some(Command::ClearStencil(pipeline, stencil)));
            }
            "COPY" => {
                let from = self.buffer_name()?;
                self.lex.expect_word("TO")?;
                let to = self.buffer_name()?;
                self.lex.end_of_line()?;
                return Ok(Some(Command::Copy(from, to)));
            }
            "EXPECT" => return self.expectation().map(|e| Some(Command::Expect(e))),
            "REPEAT" => {
                if depth == MAX_DEPTH {
                    return Err(self
                        .lex
                        .fault_at(word.at, format!("REPEAT is nested deeper than {MAX_DEPTH}")));
                }
                let count = self.lex.count("a number of times")?;
                let mut commands = Vec::new();
                loop {
                    let word = self.lex.next_anywhere();
                    match word.text {
                        "END" => break,
                        "" => return Err(self.lex.fault_at(word.at, "REPEAT has no END")),
                        _ => commands.extend(self.command(word, depth + 1)?),
                    }
                }
                return Ok(Some(Command::Repeat(count, commands)));
            }
            text if text.starts_with('{') => {
                return Err(self.lex.fault_at(word.at, format!("`{text}` is a placeholder of a template")));
            }
            _ => return Err(self.lex.fault_at(word.at, format!("unknown command `{}`", word.text))),
        }
        Ok(None)
    }

    /// `END`.
    pub(super) fn end(&mut self) -> Result<(), Fault> {
        let word = self.lex.next_anywhere();
        if word.text == "END" { Ok(()) } else { Err(self.lex.fault_at(word.at, "`END` is needed here")) }
    }

    fn shader(&mut self) -> Result<(), Fault> {
        let stage_word = self.lex.expect("a stage")?;
        let stage = stage(stage_word.text);
        let name = self.lex.expect("a name")?;
        if self.script.shaders.iter().any(|s| s.name == name.text) {
            return Err(self.lex.fault_at(name.at, format!("there are two shaders `{}`", name.text)));
        }
        let language = self.lex.expect("a language")?;
        let (mut spirv, mut file) = (None, None);
        loop {
            let word = self.lex.next_word();
            match word.text {
                "" => break,
                "TARGET_ENV" => {
                    let target = self.lex.expect("a target")?;
                    spirv = target_version(target.text);
                    if spirv.is_none() {
                        let message = format!("unknown target `{}`", target.text);
                        return Err(self.lex.fault_at(target.at, message));
                    }
                }
                "FILE" | "VIRTUAL_FILE" => file = Some(self.lex.expect("a file")?),
                other => {
                    return Err(self.lex.fault_at(word.at, format!("a shader has no `{other}`")));
                }
            }
        }
        // Code follows: `#version` is not a comment of the script.
        self.lex.end_of_line()?;
        let line = self.lex.line();
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        let source = match (language.text, file) {
            ("PASSTHROUGH", None) => Source::Passthrough,
            ("SPIRV-BIN", Some(file)) => Source::Binary(self.file(file.text)),
            (kind, from) => {
                let code = match from {
                    Some(file) => text(self.file(file.text)),
                    None => {
                        let code = self.lex.raw_until(|line| line == "END").to_string();
                        self.end()?;
                        code
                    }
                };
                match kind {
                    "GLSL" => Source::Glsl(code),
                    "SPIRV-ASM" => Source::Assembly(code),
                    "SPIRV-HEX" => Source::Binary(hex(&code)),
                    other => Source::Other(other.to_string()),
                }
            }
        };
        // A passthrough shader cannot be of an unknown stage (ray tracing).
        if stage.is_none() && stage_word.text != "multi" && matches!(source, Source::Passthrough) {
            return Err(self.lex.fault_at(stage_word.at, format!("unknown stage `{}`", stage_word.text)));
        }
        self.script.shaders.push(Shader { name: name.text.into(), stage, source, spirv, line });
        Ok(())
    }

    /// The contents of a file, virtual or real; missing ones are noted.
    pub(super) fn file(&mut self, name: &str) -> Vec<u8> {
        if let Some((_, text)) = self.files.iter().find(|(n, _)| *n == name) {
            return text.as_bytes().to_vec();
        }
        match (self.load)(name) {
            Some(bytes) => bytes,
            None => {
                self.script.missing.push(name.to_string());
                Vec::new()
            }
        }
    }

    fn structure(&mut self) -> Result<(), Fault> {
        let name = self.lex.expect("a name")?.text.to_string();
        self.lex.rest_of_line();
        let mut members = Vec::new();
        loop {
            let word = self.lex.next_anywhere();
            match word.text {
                "END" => break,
                "" => return Err(self.lex.fault_at(word.at, "STRUCT has no END")),
                _ => {}
            }
            let ty = self.type_of(word)?;
            let name = self.lex.expect("a name")?.text.to_string();
            let mut member = Member { name, ty, offset: None, array_stride: None, matrix_stride: None };
            loop {
                let word = self.lex.next_word();
                let to = match word.text {
                    "" => break,
                    "OFFSET" => &mut member.offset,
                    "ARRAY_STRIDE" => &mut member.array_stride,
                    "MATRIX_STRIDE" => &mut member.matrix_stride,
                    other => return Err(self.lex.fault_at(word.at, format!("a member has no `{other}`"))),
                };
                let at = word.at;
                *to = Some(self.lex.count("a number of bytes")?);
                if to.is_some_and(|n| n > 1 << 24) {
                    return Err(self.lex.fault_at(at, "that is too much"));
                }
            }
            members.push(member);
        }
        if members.is_empty() {
            return Err(self.lex.fault(format!("`{name}` has no members")));
        }
        self.structs.push((name, Type::Struct(members)));
        Ok(())
    }

    /// The type that a word names.
    pub(super) fn type_of(&self, word: Word<'_>) -> Result<Type, Fault> {
        let find = |name: &str| self.structs.iter().find(|(n, _)| n == name).map(|(_, ty)| ty.clone());
        Type::parse(word.text, find).ok_or_else(|| {
            let message = match word.text.starts_with('{') {
                true => format!("`{}` is a placeholder of a template", word.text),
                false => format!("unknown data type `{}`", word.text),
            };
            self.lex.fault_at(word.at, message)
        })
    }

    pub(super) fn pipeline_name(&mut self) -> Result<usize, Fault> {
        let word = self.lex.expect("the name of a pipeline")?;
        let found = self.script.pipelines.iter().position(|p| p.name == word.text);
        found.ok_or_else(|| self.lex.fault_at(word.at, format!("unknown pipeline `{}`", word.text)))
    }

    pub(super) fn buffer_name(&mut self) -> Result<usize, Fault> {
        let word = self.lex.expect("the name of a buffer")?;
        self.buffer_of(word)
    }

    pub(super) fn buffer_of(&self, word: Word<'_>) -> Result<usize, Fault> {
        let found = self.script.buffers.iter().position(|b| b.name == word.text);
        found.ok_or_else(|| self.lex.fault_at(word.at, format!("unknown buffer `{}`", word.text)))
    }

    fn floats<const N: usize>(&mut self) -> Result<[f32; N], Fault> {
        let mut out = [0.0; N];
        for x in &mut out {
            *x = self.lex.number("a number")?.float() as f32;
        }
        Ok(out)
    }

    fn rectangle(&mut self) -> Result<[f32; 4], Fault> {
        self.lex.expect_word("POS")?;
        let [x, y] = self.floats()?;
        self.lex.expect_word("SIZE")?;
        let [w, h] = self.floats()?;
        Ok([x, y, w, h])
    }

    fn run(&mut self) -> Result<Command, Fault> {
        let pipeline = self.pipeline_name()?;
        let run = match self.lex.peek().text {
            "DRAW_RECT" => {
                self.lex.next_word();
                Run::Rect(self.rectangle()?)
            }
            "DRAW_GRID" => {
                self.lex.next_word();
                let area = self.rectangle()?;
                self.lex.expect_word("CELLS")?;
                Run::Grid(area, [self.lex.count("a number of columns")?, self.lex.count("a number of rows")?])
            }
            "DRAW_ARRAY" => {
                self.lex.next_word();
                self.draw_array()?
            }
            _ => Run::Compute([
                self.lex.count("a number of workgroups")?,
                self.lex.count("a number of workgroups")?,
                self.lex.count("a number of workgroups")?,
            ]),
        };
        self.lex.end_of_line()?;
        Ok(Command::Run(pipeline, run))
    }

    fn draw_array(&mut self) -> Result<Run, Fault> {
        self.lex.expect_word("AS")?;
        let topology = self.lex.expect("a topology")?.text;
        let patches = topology == "PATCH_LIST";
        let (mut first, mut count, mut plain) = (0, None, patches || topology == "TRIANGLE_LIST");
        loop {
            let word = self.lex.next_word();
            match word.text {
                "" => break,
                "START_IDX" => first = self.lex.count("a vertex")?,
                "COUNT" => count = Some(self.lex.count("a number of vertices")?),
                "INDEXED" => plain = false,
                "START_INSTANCE" | "INSTANCE_COUNT" => {
                    plain = false;
                    self.lex.count("a number of instances")?;
                }
                other => return Err(self.lex.fault_at(word.at, format!("a draw has no `{other}`"))),
            }
        }
        Ok(match count {
            Some(count) if plain && patches => Run::Patches(first, count),
            Some(count) if plain => Run::Triangles(first, count),
            None if plain && !patches => Run::Triangles(first, TO_THE_END),
            _ => Run::Other,
        })
    }
}

/// The version of SPIR-V of a target environment.
fn target_version(name: &str) -> Option<(u8, u8)> {
    let of_vulkan = [("vulkan1.0", 0), ("vulkan1.1", 3), ("vulkan1.2", 5), ("vulkan1.3", 6)];
    if let Some(minor) = name.strip_prefix("spv1.") {
        return minor.parse().ok().filter(|n| *n <= 6).map(|n| (1, n));
    }
    if name == "vulkan1.1spv1.4" {
        return Some((1, 4));
    }
    of_vulkan.iter().find(|v| v.0 == name).map(|v| (1, v.1))
}

/// Words in hexadecimal digits.
fn hex(text: &str) -> Vec<u8> {
    let words = text.split(|c: char| c.is_whitespace() || c == ',').filter(|w| !w.is_empty());
    let word = |w: &str| u32::from_str_radix(w.trim_start_matches("0x"), 16).unwrap_or(0);
    words.flat_map(|w| word(w).to_le_bytes()).collect()
}
