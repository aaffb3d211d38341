//! VkScript: sections with shaders, requirements, vertices and commands. The buffers it numbers get names here, such as
//! `ssbo 0:1`, and all of its shaders make one pipeline.

use super::Fault;
use super::buffers::encode;
use super::format::Format;
use super::lexer::Lexer;
use super::number::Number;
use super::script::{
    Attached, Bind, Buffer, Check, Command, Element, Expect, Extent, Pipeline, Relation, Run, Script, Shader,
    Source, Tolerance, Use,
};
use super::types::{Layout, Rules, Type};
use airfoil::Stage;
use airfoil_ir::Dim;

/// Stages by their names in sections and commands.
const STAGES: &[(&str, Stage)] = &[
    ("vertex", Stage::Vertex),
    ("fragment", Stage::Fragment),
    ("geometry", Stage::Geometry),
    ("tessellation control", Stage::TessControl),
    ("tessellation evaluation", Stage::TessEval),
    ("compute", Stage::Compute),
];

/// Types of data, and their names in AmberScript.
const TYPES: &[(&str, &str)] = &[
    ("int", "int32"),
    ("uint", "uint32"),
    ("int8_t", "int8"),
    ("uint8_t", "uint8"),
    ("int16_t", "int16"),
    ("uint16_t", "uint16"),
    ("int64_t", "int64"),
    ("uint64_t", "uint64"),
    ("float16_t", "float16"),
    ("float", "float"),
    ("double", "double"),
];

/// Vectors by the letters before `vec`.
const VECTORS: &[(&str, &str)] = &[
    ("", "float"),
    ("i", "int32"),
    ("u", "uint32"),
    ("d", "double"),
    ("i8", "int8"),
    ("u8", "uint8"),
    ("i16", "int16"),
    ("u16", "uint16"),
    ("f16", "float16"),
    ("i64", "int64"),
    ("u64", "uint64"),
];

const RELATIONS: &[(&str, Relation)] = &[
    ("==", Relation::Equal),
    ("!=", Relation::NotEqual),
    ("<", Relation::Less),
    ("<=", Relation::LessEqual),
    (">", Relation::Greater),
    (">=", Relation::GreaterEqual),
];

/// Tolerance of `~=` before the command `tolerance`.
const DEFAULT_TOLERANCE: Tolerance = Tolerance::Absolute(0.01);

/// Largest buffer.
const MAX_BYTES: u64 = 1 << 26;

fn data_type(name: &str) -> Option<Type> {
    if let Some(plain) = TYPES.iter().find(|t| t.0 == name) {
        return Type::scalar(plain.1);
    }
    if let Some(size) = name.strip_prefix("mat").or_else(|| name.strip_prefix("dmat")) {
        let scalar = if name.starts_with('d') { "double" } else { "float" };
        let size = if size.contains('x') { size.to_string() } else { format!("{size}x{size}") };
        return Type::parse(&format!("mat{size}<{scalar}>"), |_| None);
    }
    let (letters, size) = name.split_once("vec")?;
    let scalar = VECTORS.iter().find(|v| v.0 == letters)?.1;
    Type::parse(&format!("vec{size}<{scalar}>"), |_| None)
}

struct Reader<'s> {
    lex: Lexer<'s>,
    script: Script,
    pipeline: Pipeline,
    tolerance: Vec<Tolerance>,
}

/// Reads a script.
///
/// # Errors
/// The first error.
pub fn parse(text: &str) -> Result<Script, Fault> {
    let mut r = Reader {
        lex: Lexer::new(text, true),
        script: Script::default(),
        pipeline: Pipeline::default(),
        tolerance: Vec::new(),
    };
    r.image("framebuffer", "B8G8R8A8_UNORM", Use::Color(0));
    let is_section = |line: &str| line.starts_with('[') && line.ends_with(']');
    r.lex.raw_until(is_section);
    while !r.lex.is_at_end() {
        let at = r.lex.clone();
        let section = r.lex.rest_of_line();
        match section {
            "[require]" => r.lines(Reader::requirement)?,
            "[vertex data]" => r.vertices()?,
            "[comment]" => {}
            "[indices]" => r.pipeline.unsupported = Some("indices".into()),
            "[test]" => r.lines(Reader::command)?,
            _ => r.shader(section.trim_matches(['[', ']'])).map_err(|m| at.fault(m))?,
        }
        let next = r.lex.raw_until(is_section);
        if !next.trim().is_empty() && !matches!(section, "[indices]" | "[comment]") {
            return Err(at.fault(format!("{section} has more than is understood")));
        }
    }
    r.pipeline.compute = r.pipeline.shaders.iter().any(|s| s.stage == Stage::Compute);
    if r.pipeline.compute {
        r.pipeline.binds.retain(|b| !matches!(b.usage, Use::Color(_) | Use::DepthStencil));
    }
    r.script.pipelines.push(r.pipeline);
    Ok(r.script)
}

impl<'s> Reader<'s> {
    /// Does something with each line of a section.
    fn lines(&mut self, each: fn(&mut Reader<'s>) -> Result<(), Fault>) -> Result<(), Fault> {
        loop {
            self.lex.next_line();
            let word = self.lex.peek();
            if self.lex.is_at_end() || word.text.starts_with('[') {
                return Ok(());
            }
            each(self)?;
            self.lex.end_of_line()?;
        }
    }

    fn shader(&mut self, title: &str) -> Result<(), String> {
        let Some((name, stage)) = STAGES.iter().find(|s| title.starts_with(&format!("{} shader", s.0)))
        else {
            return Err(format!("unknown section [{title}]"));
        };
        let line = self.lex.line();
        let code = self.lex.raw_until(|line| line.starts_with('[') && line.ends_with(']')).to_string();
        let (kind, target) = match title[name.len() + " shader".len()..].trim().split_once(' ') {
            Some((kind, target)) => (kind, Some(target)),
            None => (title[name.len() + " shader".len()..].trim(), None),
        };
        let source = match kind {
            "passthrough" => Source::Passthrough,
            "" => Source::Glsl(code),
            "spirv" => Source::Assembly(code),
            "spirv hex" => Source::Other("SPIRV-HEX".into()),
            other => Source::Other(other.into()),
        };
        let minor = target.and_then(|t| t.strip_prefix("spv1.")).and_then(|n| n.parse().ok());
        let spirv = minor.map(|n| (1, n));
        self.pipeline.shaders.push(Attached {
            shader: self.script.shaders.len(),
            stage: *stage,
            entry: "main".into(),
            spec: Vec::new(),
            subgroup_size: None,
        });
        self.script.shaders.push(Shader { name: (*name).into(), stage: Some(*stage), source, spirv, line });
        Ok(())
    }

    fn requirement(&mut self) -> Result<(), Fault> {
        let word = self.lex.expect("a requirement")?;
        match word.text {
            "framebuffer" | "depthstencil" => {
                let format = self.lex.expect("a format")?;
                if Format::parse(format.text).is_none() {
                    return Err(self.lex.fault_at(format.at, format!("unknown format `{}`", format.text)));
                }
                match word.text {
                    "framebuffer" => {
                        let texels = Format::parse(format.text);
                        let buffer = &mut self.script.buffers[0];
                        buffer.layout = texels
                            .clone()
                            .and_then(|t| Type::Texel(t).layout(Rules::Std430))
                            .unwrap_or_default();
                        buffer.format = texels;
                    }
                    _ => self.image("depthstencil", format.text, Use::DepthStencil),
                }
            }
            "fbsize" => {
                self.pipeline.framebuffer = [self.lex.count("a width")?, self.lex.count("a height")?];
                if self.pipeline.framebuffer.iter().any(|n| *n == 0 || *n > 1 << 14) {
                    return Err(self.lex.fault_at(word.at, "a framebuffer cannot have this size"));
                }
            }
            "fence_timeout" => {
                self.lex.number("a time")?;
            }
            name => self.script.requirements.push(name.to_string()),
        }
        Ok(())
    }

    fn image(&mut self, name: &str, format: &str, usage: Use) {
        let format = Format::parse(format);
        let layout = format.clone().and_then(|f| Type::Texel(f).layout(Rules::Std430)).unwrap_or_default();
        let extent = Some(Extent { dim: Dim::D2, size: [0; 3], levels: 1, samples: 1 });
        let what = self.script.buffers.len();
        self.script.buffers.push(Buffer { name: name.into(), layout, format, bytes: Vec::new(), extent });
        self.bind(usage, 0, 0, what);
    }

    fn bind(&mut self, usage: Use, set: u32, binding: u32, what: usize) {
        let elements = vec![Element { what, ..Element::default() }];
        self.pipeline.binds.push(Bind { usage, set, binding, elements, base_level: 0, levels: None });
    }

    /// The buffer of a binding; created when it is first named.
    fn buffer(&mut self, usage: Use, set: u32, binding: u32) -> usize {
        let is = |b: &&Bind| b.usage == usage && b.set == set && b.binding == binding;
        if let Some(bind) = self.pipeline.binds.iter().find(is) {
            return bind.elements[0].what;
        }
        let what = self.script.buffers.len();
        let name = match usage {
            Use::Storage => format!("ssbo {set}:{binding}"),
            Use::Uniform => format!("ubo {set}:{binding}"),
            _ => "push constants".into(),
        };
        let layout = Type::scalar("uint8").and_then(|t| t.layout(Rules::Std430)).unwrap_or_default();
        self.script.buffers.push(Buffer { name, layout, format: None, bytes: Vec::new(), extent: None });
        self.bind(usage, set, binding, what);
        what
    }

    /// `SET:BINDING` or `BINDING`.
    fn place(&mut self) -> Result<(u32, u32), Fault> {
        let first = self.lex.count("a binding")?;
        if self.lex.take(":") { Ok((first, self.lex.count("a binding")?)) } else { Ok((0, first)) }
    }

    fn layout(&mut self) -> Result<Layout, Fault> {
        let word = self.lex.expect("a data type")?;
        let layout = data_type(word.text).and_then(|ty| ty.layout(Rules::Std430));
        layout.ok_or_else(|| self.lex.fault_at(word.at, format!("unknown data type `{}`", word.text)))
    }

    fn numbers(&mut self) -> Result<Vec<Number>, Fault> {
        let mut numbers = vec![self.lex.number("a number")?];
        while !self.lex.peek().text.is_empty() {
            numbers.push(self.lex.number("a number")?);
        }
        Ok(numbers)
    }

    /// Data for a buffer: type, offset, numbers.
    fn data(&mut self, buffer: usize) -> Result<(), Fault> {
        let layout = self.layout()?;
        let at = u64::from(self.lex.count("an offset")?);
        let numbers = self.numbers()?;
        let Some(bytes) = encode(&layout, numbers.into_iter()).filter(|b| at + (b.len() as u64) < MAX_BYTES)
        else {
            return Err(self.lex.fault("this is too much data"));
        };
        let end = at as usize + bytes.len();
        self.grow(buffer, end);
        self.script.commands.push(Command::Write(buffer, at, bytes));
        Ok(())
    }

    fn grow(&mut self, buffer: usize, size: usize) {
        let bytes = &mut self.script.buffers[buffer].bytes;
        bytes.resize(bytes.len().max(size), 0);
    }

    fn command(&mut self) -> Result<(), Fault> {
        let word = self.lex.expect("a command")?;
        match word.text {
            "ssbo" => {
                let (set, binding) = self.place()?;
                let buffer = self.buffer(Use::Storage, set, binding);
                if self.lex.take("subdata") {
                    return self.data(buffer);
                }
                let size = self.lex.count("a size")?;
                if u64::from(size) > MAX_BYTES {
                    return Err(self.lex.fault_at(word.at, "this buffer is too large"));
                }
                self.grow(buffer, size as usize);
            }
            "uniform" => {
                let buffer = if self.lex.take("ubo") {
                    let (set, binding) = self.place()?;
                    self.buffer(Use::Uniform, set, binding)
                } else {
                    self.buffer(Use::PushConstant, 0, 0)
                };
                return self.data(buffer);
            }
            "compute" | "vertex" | "fragment" | "geometry" | "tessellation"
                if self.entry_point(word.text)? => {}
            "compute" => {
                let groups = [
                    self.lex.count("a number of workgroups")?,
                    self.lex.count("a number of workgroups")?,
                    self.lex.count("a number of workgroups")?,
                ];
                self.script.commands.push(Command::Run(0, Run::Compute(groups)));
            }
            "clear" => return self.clear(),
            "draw" => return self.draw(),
            "tolerance" => {
                self.tolerance.clear();
                while !self.lex.peek().text.is_empty() {
                    self.lex.take(",");
                    let text = self.lex.peek().text;
                    let percent = text.strip_suffix('%');
                    let Some(value) = Number::parse(percent.unwrap_or(text)) else {
                        return Err(self.lex.fault("expected a tolerance"));
                    };
                    self.lex.next_word();
                    let value = value.float();
                    self.tolerance.push(match percent {
                        Some(_) => Tolerance::Percent(value),
                        None => Tolerance::Absolute(value),
                    });
                }
            }
            "probe" => return self.probe(false),
            "relative" => {
                self.lex.expect_word("probe")?;
                return self.probe(true);
            }
            "patch" => {
                self.lex.expect_word("parameter")?;
                self.lex.expect_word("vertices")?;
                self.pipeline.patch_vertices = self.lex.count("a number of vertices")?;
            }
            // State of the pipeline: only values without effect are supported.
            other => {
                self.pipeline.unsupported = Some(format!("state {other}"));
                self.lex.rest_of_line();
            }
        }
        Ok(())
    }

    /// `STAGE entrypoint NAME`; whether it was one.
    fn entry_point(&mut self, first: &str) -> Result<bool, Fault> {
        let mut ahead = self.lex.clone();
        let mut name = first.to_string();
        if first == "tessellation" {
            name = format!("{first} {}", ahead.next_word().text);
        }
        let stage = STAGES.iter().find(|s| s.0 == name);
        let Some(stage) = stage.filter(|_| ahead.take("entrypoint")) else { return Ok(false) };
        self.lex = ahead;
        let entry = self.lex.expect("a name")?.text;
        for attached in self.pipeline.shaders.iter_mut().filter(|s| s.stage == stage.1) {
            attached.entry = entry.to_string();
        }
        Ok(true)
    }

    fn clear(&mut self) -> Result<(), Fault> {
        let command = match self.lex.next_word().text {
            "color" => {
                let mut color = [0.0; 4];
                for c in &mut color {
                    *c = self.lex.number("a component")?.float();
                }
                Command::ClearColor(0, color)
            }
            "depth" => Command::ClearDepth(0, self.lex.number("a depth")?.float()),
            "stencil" => Command::ClearStencil(0, self.lex.count("a stencil value")?),
            "" => Command::Clear(0),
            other => return Err(self.lex.fault(format!("nothing is cleared as `{other}`"))),
        };
        self.script.commands.push(command);
        Ok(())
    }

    fn draw(&mut self) -> Result<(), Fault> {
        let [width, height] = self.pipeline.framebuffer.map(|n| n as f32);
        let run = match self.lex.expect("the kind of draw")?.text {
            "rect" => {
                // Pixels instead of clip space.
                let ortho = self.lex.take("ortho");
                let patch = self.lex.take("patch");
                let mut n = [0.0f32; 4];
                for x in &mut n {
                    *x = self.lex.number("a number")?.float() as f32;
                }
                match (patch, ortho) {
                    (true, _) => Run::Other,
                    (_, true) => Run::Rect(n),
                    // From clip space to pixels.
                    _ => Run::Rect([
                        (n[0] + 1.0) / 2.0 * width,
                        (n[1] + 1.0) / 2.0 * height,
                        n[2] / 2.0 * width,
                        n[3] / 2.0 * height,
                    ]),
                }
            }
            "arrays" => {
                let topology = self.lex.expect("a topology")?.text;
                let (first, count) = (self.lex.count("a vertex")?, self.lex.count("a number of vertices")?);
                match topology {
                    _ if !self.lex.peek().text.is_empty() => Run::Other,
                    "TRIANGLE_LIST" | "GL_TRIANGLES" => Run::Triangles(first, count),
                    "PATCH_LIST" | "GL_PATCHES" => Run::Patches(first, count),
                    _ => Run::Other,
                }
            }
            _ => Run::Other,
        };
        if run == Run::Other {
            self.lex.rest_of_line();
        }
        self.script.commands.push(Command::Run(0, run));
        Ok(())
    }

    /// Numbers with parentheses and commas between them.
    fn list(&mut self) -> Result<Vec<f64>, Fault> {
        self.lex.take("(");
        let mut numbers = Vec::new();
        loop {
            self.lex.take(",");
            if self.lex.take(")") || self.lex.peek().text.is_empty() {
                return Ok(numbers);
            }
            numbers.push(self.lex.number("a number")?.float());
        }
    }

    fn probe(&mut self, relative: bool) -> Result<(), Fault> {
        let line = self.lex.line();
        if self.lex.take("ssbo") {
            let layout = self.layout()?;
            let (set, binding) = self.place()?;
            let at = u64::from(self.lex.count("an offset")?);
            let word = self.lex.expect("a comparison")?;
            let near = word.text == "~=";
            let text = if near { "==" } else { word.text };
            let Some((_, relation)) = RELATIONS.iter().find(|r| r.0 == text) else {
                return Err(self.lex.fault_at(word.at, format!("unknown comparison `{}`", word.text)));
            };
            let numbers = self.numbers()?;
            let tolerance = match (near, self.tolerance.as_slice()) {
                (false, _) => Vec::new(),
                (true, []) => vec![DEFAULT_TOLERANCE],
                (true, list) => list.to_vec(),
            };
            let (relation, layout) = (*relation, Some(layout));
            let buffer = self.buffer(Use::Storage, set, binding);
            let check = Check::Numbers { at, layout, relation, numbers, tolerance };
            self.script.commands.push(Command::Expect(Expect { buffer, check, line }));
            return Ok(());
        }
        let all = self.lex.take("all");
        let rect = self.lex.take("rect");
        let kind = self.lex.expect("rgb or rgba")?;
        let components = match kind.text {
            "rgb" => 3,
            "rgba" => 4,
            other => return Err(self.lex.fault_at(kind.at, format!("nothing is probed as `{other}`"))),
        };
        let [width, height] = self.pipeline.framebuffer;
        let area = match all {
            true => [0.0, 0.0, f64::from(width), f64::from(height)],
            false => {
                let mut list = self.list()?;
                list.resize(if rect { 4 } else { 2 }, 0.0);
                let scale = |n: f64, by: u32| if relative { n * f64::from(by) } else { n };
                let (x, y) = (scale(list[0], width), scale(list[1], height));
                match rect {
                    true => [x, y, scale(list[2], width), scale(list[3], height)],
                    false => [x, y, 1.0, 1.0],
                }
            }
        };
        let color = self.list()?;
        if color.len() != components {
            return Err(self.lex.fault_at(kind.at, format!("a colour of {components} components is needed")));
        }
        let check = Check::Pixels { area: area.map(|n| n as u32), color, tolerance: self.tolerance.clone() };
        self.script.commands.push(Command::Expect(Expect { buffer: 0, check, line }));
        Ok(())
    }

    /// Columns of attributes: each becomes a buffer.
    fn vertices(&mut self) -> Result<(), Fault> {
        self.lex.next_line();
        let mut columns: Vec<(u32, Format, Vec<Number>)> = Vec::new();
        loop {
            let word = self.lex.next_word();
            if word.text.is_empty() {
                break;
            }
            let column = word.text.split_once('/').and_then(|(location, format)| {
                Some((location.parse().ok()?, Format::parse(format)?, Vec::new()))
            });
            match column {
                Some(column) => columns.push(column),
                None => {
                    return Err(self
                        .lex
                        .fault_at(word.at, format!("`{}` is not LOCATION/FORMAT", word.text)));
                }
            }
        }
        loop {
            self.lex.next_line();
            if self.lex.is_at_end() || self.lex.peek().text.starts_with('[') {
                break;
            }
            for (_, format, numbers) in &mut columns {
                for _ in &format.components {
                    numbers.push(self.lex.number("a number")?);
                }
            }
            self.lex.end_of_line()?;
        }
        for (location, format, numbers) in columns {
            let layout = Type::Texel(format.clone()).layout(Rules::Std430).unwrap_or_default();
            let bytes = encode(&layout, numbers.into_iter()).unwrap_or_default();
            let what = self.script.buffers.len();
            let name = format!("attribute {location}");
            self.script.buffers.push(Buffer { name, layout, format: Some(format), bytes, extent: None });
            self.bind(Use::Vertex(location), 0, 0, what);
        }
        Ok(())
    }
}
