//! `PIPELINE` and `DERIVE_PIPELINE`.

use super::Fault;
use super::lexer::Word;
use super::number::Number;
use super::parser::{Parser, stage};
use super::script::{Attached, Bind, Element, Pipeline, Use};
use super::types::{Leaf, Type};

/// Ways to bind, by name.
const USES: &[(&str, Use)] = &[
    ("color", Use::Color(0)),
    ("depth_stencil", Use::DepthStencil),
    ("resolve", Use::Resolve(0)),
    ("push_constant", Use::PushConstant),
    ("uniform", Use::Uniform),
    ("uniform_dynamic", Use::Uniform),
    ("storage", Use::Storage),
    ("storage_dynamic", Use::Storage),
    ("storage_image", Use::StorageImage),
    ("sampled_image", Use::SampledImage),
    ("combined_image_sampler", Use::Combined),
    ("uniform_texel_buffer", Use::UniformTexels),
    ("storage_texel_buffer", Use::StorageTexels),
    ("input_attachment", Use::InputAttachment),
];

impl<'s> Parser<'s, '_> {
    pub(super) fn pipeline(&mut self) -> Result<(), Fault> {
        let kind = self.lex.expect("compute or graphics")?;
        let compute = match kind.text {
            "compute" => true,
            "graphics" => false,
            other => {
                return Err(self
                    .lex
                    .fault_at(kind.at, format!("there are no pipelines of the kind `{other}`")));
            }
        };
        let name = self.lex.expect("a name")?.text.to_string();
        self.lex.end_of_line()?;
        self.body(Pipeline { name, compute, ..Pipeline::default() })
    }

    pub(super) fn derive_pipeline(&mut self) -> Result<(), Fault> {
        let name = self.lex.expect("a name")?.text.to_string();
        // Some scripts leave the word out.
        self.lex.take("FROM");
        let from = self.pipeline_name()?;
        self.lex.end_of_line()?;
        let base = self.script.pipelines[from].clone();
        self.body(Pipeline { name, ..base })
    }

    fn body(&mut self, mut p: Pipeline) -> Result<(), Fault> {
        loop {
            let word = self.lex.next_anywhere();
            match word.text {
                "END" => break,
                "" => {
                    return Err(self.lex.fault_at(word.at, format!("the pipeline `{}` has no END", p.name)));
                }
                "ATTACH" => self.attach(&mut p)?,
                "SPECIALIZE" => self.specialize(&mut p, word)?,
                "BIND" => self.bind(&mut p)?,
                "VERTEX_DATA" => self.vertex_data(&mut p)?,
                "INDEX_DATA" => {
                    let what = self.buffer_name()?;
                    let elements = vec![Element { what, ..Element::default() }];
                    p.binds.push(Bind {
                        usage: Use::Index,
                        set: 0,
                        binding: 0,
                        elements,
                        base_level: 0,
                        levels: None,
                    });
                }
                "FRAMEBUFFER_SIZE" => {
                    p.framebuffer = [self.lex.count("a width")?, self.lex.count("a height")?];
                    if p.framebuffer.iter().any(|n| *n == 0 || *n > 1 << 14) {
                        return Err(self.lex.fault_at(word.at, "a framebuffer cannot have this size"));
                    }
                }
                "VIEWPORT" => self.viewport(&mut p)?,
                "DEPTH" => self.depth(&mut p.depth)?,
                "SHADER_OPTIMIZATION" => {
                    self.shader_name()?;
                    let words = self.words_to_end()?;
                    p.clamp_indices |= words.contains(&"--graphics-robust-access");
                }
                "COMPILE_OPTIONS" => {
                    self.shader_name()?;
                    self.words_to_end()?;
                }
                "SUBGROUP" => self.subgroup(&mut p)?,
                "STENCIL" => self.stencil(&mut p)?,
                "BLEND" => self.blend(&mut p)?,
                "POLYGON_MODE" => {
                    let mode = self.lex.expect("a mode")?;
                    if mode.text != "fill" {
                        p.unsupported = Some(format!("polygon mode {}", mode.text));
                    }
                }
                "PATCH_CONTROL_POINTS" => {
                    p.patch_vertices = self.lex.count("a number of points")?;
                }
                "SET" => {
                    self.lex.rest_of_line();
                    p.unsupported = Some("kernel arguments".into());
                }
                other => return Err(self.lex.fault_at(word.at, format!("a pipeline has no `{other}`"))),
            }
        }
        self.script.pipelines.push(p);
        Ok(())
    }

    fn shader_name(&mut self) -> Result<usize, Fault> {
        let word = self.lex.expect("the name of a shader")?;
        let found = self.script.shaders.iter().position(|s| s.name == word.text);
        found.ok_or_else(|| self.lex.fault_at(word.at, format!("unknown shader `{}`", word.text)))
    }

    /// All words up to `END`.
    fn words_to_end(&mut self) -> Result<Vec<&'s str>, Fault> {
        let mut words = Vec::new();
        loop {
            let word = self.lex.next_anywhere();
            match word.text {
                "END" => return Ok(words),
                "" => return Err(self.lex.fault_at(word.at, "`END` is missing")),
                text => words.push(text),
            }
        }
    }

    fn attach(&mut self, p: &mut Pipeline) -> Result<(), Fault> {
        let at = self.lex.peek().at;
        let shader = self.shader_name()?;
        let mut attached = Attached {
            shader,
            stage: self.script.shaders[shader].stage.unwrap_or(airfoil::Stage::Compute),
            entry: "main".into(),
            spec: Vec::new(),
            subgroup_size: None,
        };
        let mut known = self.script.shaders[shader].stage.is_some();
        // A derived pipeline replaces shaders of its base.
        loop {
            let word = self.lex.next_word();
            match word.text {
                "" => break,
                "TYPE" => {
                    let name = self.lex.expect("a stage")?;
                    let Some(stage) = stage(name.text) else {
                        return Err(self.lex.fault_at(name.at, format!("unknown stage `{}`", name.text)));
                    };
                    (attached.stage, known) = (stage, true);
                }
                "ENTRY_POINT" => attached.entry = self.lex.expect("a name")?.text.to_string(),
                "SPECIALIZE" => attached.spec.push(self.constant()?),
                other => {
                    return Err(self
                        .lex
                        .fault_at(word.at, format!("a shader is not attached with `{other}`")));
                }
            }
        }
        if !known {
            return Err(self.lex.fault_at(at, "`TYPE` is needed: the shader does not tell its stage"));
        }
        p.shaders.retain(|s| s.stage != attached.stage);
        p.shaders.push(attached);
        Ok(())
    }

    /// `SPECIALIZE` on a line of its own is for the shader before.
    fn specialize(&mut self, p: &mut Pipeline, word: Word<'_>) -> Result<(), Fault> {
        let constant = self.constant()?;
        match p.shaders.last_mut() {
            Some(shader) => shader.spec.push(constant),
            None => return Err(self.lex.fault_at(word.at, "SPECIALIZE comes before a shader is attached")),
        }
        Ok(())
    }

    fn constant(&mut self) -> Result<(u32, u64), Fault> {
        let id = self.lex.count("the id of a constant")?;
        self.lex.expect_word("AS")?;
        let word = self.lex.expect("a data type")?;
        let bits = |number: Number| match Type::scalar(word.text) {
            Some(Type::Scalar(kind, bits)) => Some(Leaf { bit: 0, bits, kind }.encode(number)),
            _ if word.text == "bool" => Some(u64::from(number.int() != 0)),
            _ => None,
        };
        // Some scripts leave the word out.
        self.lex.take("FROM");
        let number = match self.lex.peek().text {
            "true" | "false" => Number::Int(i128::from(self.lex.next_word().text == "true")),
            _ => self.lex.number("a value")?,
        };
        let bits = bits(number);
        bits.map(|b| (id, b))
            .ok_or_else(|| self.lex.fault_at(word.at, format!("`{}` is not a scalar", word.text)))
    }

    fn subgroup(&mut self, p: &mut Pipeline) -> Result<(), Fault> {
        let shader = self.shader_name()?;
        loop {
            let word = self.lex.next_anywhere();
            match word.text {
                "END" => return Ok(()),
                "FULLY_POPULATED" | "VARYING_SIZE" => {
                    self.on_off()?;
                }
                "REQUIRED_SIZE" => {
                    let size = self.lex.expect("a size")?;
                    // Names denote limits of the device.
                    let size = size.text.parse().ok();
                    for attached in p.shaders.iter_mut().filter(|s| s.shader == shader) {
                        attached.subgroup_size = size;
                    }
                }
                other => return Err(self.lex.fault_at(word.at, format!("subgroups have no `{other}`"))),
            }
        }
    }

    fn vertex_data(&mut self, p: &mut Pipeline) -> Result<(), Fault> {
        let what = self.buffer_name()?;
        self.lex.expect_word("LOCATION")?;
        let location = self.lex.count("a location")?;
        // Rates, formats and strides of its own are not modelled.
        if !self.lex.peek().text.is_empty() {
            p.unsupported = Some(format!("vertex data with {}", self.lex.rest_of_line()));
        }
        let elements = vec![Element { what, ..Element::default() }];
        let usage = Use::Vertex(location);
        p.binds.push(Bind { usage, set: 0, binding: 0, elements, base_level: 0, levels: None });
        Ok(())
    }

    fn sampler_of(&self, word: Word<'_>) -> Result<usize, Fault> {
        let found = self.script.samplers.iter().position(|s| s.0 == word.text);
        found.ok_or_else(|| self.lex.fault_at(word.at, format!("unknown sampler `{}`", word.text)))
    }

    fn bind(&mut self, p: &mut Pipeline) -> Result<(), Fault> {
        let kind = self.lex.expect("the kind of the binding")?;
        let samplers = match kind.text {
            "BUFFER" | "BUFFER_ARRAY" => false,
            "SAMPLER" | "SAMPLER_ARRAY" => true,
            other => {
                self.lex.rest_of_line();
                p.unsupported = Some(format!("binding {}", other.to_ascii_lowercase()));
                return Ok(());
            }
        };
        let keywords = ["AS", "KERNEL", "DESCRIPTOR_SET", "BINDING", ""];
        let mut elements = Vec::new();
        while !keywords.contains(&self.lex.peek().text) {
            let word = self.lex.next_word();
            let what = if samplers { self.sampler_of(word)? } else { self.buffer_of(word)? };
            elements.push(Element { what, ..Element::default() });
        }
        if elements.is_empty() || elements.len() > 1 && !kind.text.ends_with("_ARRAY") {
            return Err(self
                .lex
                .fault_at(kind.at, format!("BIND {} has not the right number of names", kind.text)));
        }
        let usage = if samplers { Use::Sampler } else { Use::Storage };
        let mut bind = Bind { usage, set: 0, binding: 0, elements, base_level: 0, levels: None };
        loop {
            let word = self.lex.next_word();
            match word.text {
                "" => break,
                "AS" => {
                    let name = self.lex.expect("a way to bind")?;
                    match USES.iter().find(|u| u.0 == name.text) {
                        Some(found) => bind.usage = found.1,
                        None => {
                            return Err(self
                                .lex
                                .fault_at(name.at, format!("nothing is bound as `{}`", name.text)));
                        }
                    }
                }
                "LOCATION" => {
                    let location = self.lex.count("a location")?;
                    bind.usage = match bind.usage {
                        Use::Resolve(_) => Use::Resolve(location),
                        _ => Use::Color(location),
                    };
                }
                "KERNEL" => {
                    self.lex.rest_of_line();
                    bind.usage = Use::Kernel;
                    break;
                }
                "DESCRIPTOR_SET" => bind.set = self.lex.count("a descriptor set")?,
                "BINDING" => bind.binding = self.lex.count("a binding")?,
                "BASE_MIP_LEVEL" => bind.base_level = self.lex.count("a level")?,
                "MIP_LEVELS" | "LEVEL_COUNT" => bind.levels = Some(self.lex.count("a number of levels")?),
                "SAMPLER" | "SAMPLER_ARRAY" => {
                    let mut n = 0;
                    while !self.lex.peek().text.is_empty() {
                        let found = self.script.samplers.iter().any(|s| s.0 == self.lex.peek().text);
                        if !found && n > 0 {
                            break;
                        }
                        let word = self.lex.next_word();
                        let sampler = self.sampler_of(word)?;
                        let last = bind.elements.len() - 1;
                        bind.elements[n.min(last)].sampler = Some(sampler);
                        n += 1;
                    }
                }
                // Dynamic offsets come on top of the descriptor's own.
                "OFFSET" | "DESCRIPTOR_OFFSET" => {
                    for element in &mut bind.elements {
                        if Number::parse(self.lex.peek().text).is_none() {
                            break;
                        }
                        element.offset += u64::from(self.lex.count("an offset")?);
                    }
                }
                "DESCRIPTOR_RANGE" => {
                    for element in &mut bind.elements {
                        match Number::parse(self.lex.peek().text) {
                            // -1 is all that is left.
                            Some(Number::Int(-1)) => {
                                self.lex.next_word();
                            }
                            Some(_) => element.range = Some(self.lex.count("a number of bytes")?.into()),
                            None => break,
                        }
                    }
                }
                other => return Err(self.lex.fault_at(word.at, format!("BIND has no `{other}`"))),
            }
        }
        p.binds.push(bind);
        Ok(())
    }
}
