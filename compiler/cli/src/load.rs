//! Reads inputs: one shader per module, one per stage of a GLSL program, all shaders of a text.

use crate::args::ReadArgs;
use crate::batch::{Log, Refused};
use crate::report::MessageFormat;
use crate::source::{Input, Source};
use airfoil::air::metallib::SourceFile;
use airfoil::glsl;
use airfoil::transform_feedback;
use airfoil::{Captures, Diagnostic, Place, ReadOptions, Shader, SpecValue, Stage};
use airfoil_filetest::split_shaders;
use std::rc::Rc;

/// Shaders, and the sources for messages about them.
#[derive(Debug)]
pub struct Loaded {
    /// The shaders; those of a GLSL program are in the order of the pipeline.
    pub shaders: Vec<Shader>,
    /// Reflection of a GLSL program.
    pub program: Option<Box<glsl::link::Reflection>>,
    /// Assembly programs of OpenGL.
    pub arb: Vec<ArbProgram>,
    /// The modules, if it is SPIR-V.
    modules: Vec<Module>,
    texts: Texts,
}

/// Facts about an assembly program that its shader does not hold.
#[derive(Debug)]
pub struct ArbProgram {
    /// The stage.
    pub stage: Stage,
    /// The contents of each vector of the uniform block, by name.
    pub parameters: Vec<String>,
}

/// An entry point of a SPIR-V module that is compiled.
#[derive(Debug)]
struct Module {
    /// The whole module, which its entry points share.
    bytes: Rc<[u8]>,
    entry: String,
    stage: Stage,
}

impl Loaded {
    /// Whether the first vertex of a primitive provokes, as in the API of the source: all but OpenGL.
    pub fn first_provokes(&self, vulkan: bool) -> bool {
        self.program.is_none() && self.arb.is_empty() || vulkan
    }

    /// Name of all inputs.
    pub fn name(&self) -> &str {
        &self.texts.name
    }

    /// Reports the errors of a rejected shader.
    pub fn refuse(&self, log: &mut Log, faults: &[Diagnostic]) -> Refused {
        self.texts.report(log, faults);
        Refused
    }

    /// Reports warnings.
    pub fn tell(&self, log: &mut Log, diagnostics: &[Diagnostic]) {
        self.texts.report(log, diagnostics);
    }

    /// Name and text of each GLSL source whose lines have their own numbers.
    pub fn glsl_texts(&self) -> impl Iterator<Item = (&str, &str)> {
        let list = if self.program.is_some() { self.texts.list.as_slice() } else { &[] };
        let texts = list.iter().map(|(name, text)| (name.as_str(), text.as_str()));
        texts.filter(|(_, text)| !has_line_directives(text))
    }

    /// The sources: GLSL, or those in a SPIR-V module.
    pub fn sources(&self) -> Vec<SourceFile> {
        if self.program.is_none() {
            let words = |module: &Module| airfoil::spirv::from_bytes(&module.bytes).ok();
            let files = self.modules.chunk_by(|a, b| Rc::ptr_eq(&a.bytes, &b.bytes));
            return files
                .filter_map(|entries| words(&entries[0]))
                .flat_map(|w| airfoil::steps::spirv_sources(&w))
                .collect();
        }
        let file = |(path, text): &(String, String)| SourceFile {
            path: path.clone(),
            text: text.clone().into_bytes(),
        };
        self.texts.list.iter().map(file).collect()
    }

    /// Transform feedback: from the GLSL program, or the decorations of a SPIR-V module.
    pub fn captures(&self, args: &ReadArgs) -> Result<Captures, Vec<Diagnostic>> {
        if let Some(program) = &self.program {
            return Ok(transform_feedback::captures(&program.transform_feedback)?);
        }
        // The last stage before rasterisation.
        let before = |m: &&Module| m.stage < Stage::Fragment;
        let Some(module) =
            self.modules.iter().filter(before).max_by_key(|m| m.stage).or(self.modules.first())
        else {
            return Ok(Captures::default());
        };
        let words = airfoil::spirv::from_bytes(&module.bytes)?;
        let options = read_options(&words, args, Some(module.entry.clone()), Some(module.stage))?;
        Ok(transform_feedback::spirv_captures(&words, &options)?)
    }

    /// Does `work` on every shader and reports all errors.
    pub fn each<T>(
        &mut self,
        log: &mut Log,
        mut work: impl FnMut(&mut Shader) -> Result<T, Vec<Diagnostic>>,
    ) -> Result<Vec<T>, Refused> {
        let mut results = Vec::with_capacity(self.shaders.len());
        let mut faults = Vec::new();
        for shader in &mut self.shaders {
            match work(shader) {
                Ok(result) => results.push(result),
                Err(list) => faults.extend(list),
            }
        }
        if faults.is_empty() { Ok(results) } else { Err(self.refuse(log, &faults)) }
    }
}

/// The texts that diagnostics are about.
#[derive(Debug)]
struct Texts {
    /// Name of all of them.
    name: String,
    /// Name and contents of each; none of a binary input.
    list: Vec<(String, String)>,
}

impl Texts {
    /// Says something about the texts, with excerpts of the right one.
    fn report(&self, log: &mut Log, diagnostics: &[Diagnostic]) {
        let text_of = |d: &Diagnostic| match &d.place {
            Place::Text { file, .. } if !file.is_empty() => {
                self.list.iter().find(|(name, _)| **name == **file)
            }
            Place::Text { .. } if self.list.len() == 1 => self.list.first(),
            _ => None,
        };
        let name_of = |d: &Diagnostic| text_of(d).map(|(name, _)| name.as_str());
        for group in diagnostics.chunk_by(|a, b| name_of(a) == name_of(b)) {
            let Some((name, text)) = text_of(&group[0]) else {
                log.diagnostics(group, &self.name, None);
                continue;
            };
            let mut own = group.to_vec();
            // A driver numbers the strings of one shader; several shaders are distinguished by their names only.
            if log.console.format != MessageFormat::Gl || self.list.len() == 1 {
                own.iter_mut().for_each(nameless);
            }
            // Lines with other numbers cannot be quoted by number.
            log.diagnostics(&own, name, (!has_line_directives(text)).then_some(text));
        }
    }
}

/// The location without its file.
fn nameless(d: &mut Diagnostic) {
    if let Place::Text { file, .. } = &mut d.place {
        *file = "".into();
    }
}

/// A GLSL text has a `#line` directive.
fn has_line_directives(text: &str) -> bool {
    let directive = |line: &str| {
        let name = line.trim_start().strip_prefix('#').map(str::trim_start);
        name.is_some_and(|name| name.starts_with("line"))
    };
    text.lines().any(directive)
}

/// Reads the inputs of a job: one of any kind, or the GLSL sources of a program.
pub fn load(inputs: &[Input], args: &ReadArgs, log: &mut Log) -> Result<Loaded, Refused> {
    load_from(inputs, args, read_one, log)
}

/// Reads the shaders of a SPIR-V module.
type ReadSpirv = fn(&[u8], &ReadArgs) -> Result<Vec<Shader>, Vec<Diagnostic>>;

fn load_from(
    inputs: &[Input],
    args: &ReadArgs,
    read_spirv: ReadSpirv,
    log: &mut Log,
) -> Result<Loaded, Refused> {
    let name = inputs.iter().map(Input::name).collect::<Vec<_>>().join(", ");
    let mut sources = Vec::with_capacity(inputs.len());
    for input in inputs {
        match input.read() {
            Ok(source) => sources.push(source),
            Err(fault) => log.diagnostics(&[*fault], &input.name(), None),
        }
    }
    if sources.len() < inputs.len() {
        return Err(Refused);
    }
    let mut texts = Texts { name, list: Vec::new() };
    let glsl = sources.iter().all(|source| matches!(source, Source::Glsl(_)));
    let arb = matches!(sources.as_slice(), [Source::Arb(_)]);
    let mut words = Vec::new();
    let mut stored = None;
    for (source, input) in sources.into_iter().zip(inputs) {
        match source {
            Source::Spirv(bytes) => words = bytes,
            Source::Assembly(text) => match airfoil_spirv_asm::assemble(&text, &Default::default()) {
                Ok(module) => words = module.iter().flat_map(|word| word.to_le_bytes()).collect(),
                Err(faults) => {
                    log.diagnostics(&faults, &input.name(), Some(&text));
                    return Err(Refused);
                }
            },
            Source::Foil(text) | Source::Glsl(text) | Source::Arb(text) => {
                texts.list.push((input.name(), text))
            }
            Source::Stored(bytes) => stored = Some(bytes),
        }
    }
    if let Some(bytes) = stored {
        let restored = airfoil_store::restore(&bytes).map_err(|fault| vec![fault]);
        return match restored.and_then(|restored| chosen(restored.shaders, args)) {
            Ok(shaders) => Ok(Loaded { shaders, program: None, arb: Vec::new(), modules: Vec::new(), texts }),
            Err(faults) => {
                texts.report(log, &faults);
                Err(Refused)
            }
        };
    }
    let mut programs = Vec::new();
    let result = match texts.list.as_slice() {
        [] => read_spirv(&words, args).map(|shaders| (shaders, None)),
        list if glsl => read_glsl(inputs, list, args).map(|program| {
            texts.report(log, &program.warnings);
            (program.shaders, Some(Box::new(program.reflection)))
        }),
        list if arb => read_arb(&list[0], args).map(|(shaders, program)| {
            programs.push(program);
            (shaders, None)
        }),
        list => read_foil(&list[0].1, args).map(|shaders| (shaders, None)),
    };
    match result {
        Ok((shaders, program)) => {
            let bytes: Rc<[u8]> = words.into();
            let module = |shader: &Shader| Module {
                bytes: bytes.clone(),
                entry: shader.name.to_string(),
                stage: shader.stage,
            };
            let spirv = texts.list.is_empty();
            let modules = shaders.iter().filter(|_| spirv).map(module).collect();
            Ok(Loaded { shaders, program, arb: programs, modules, texts })
        }
        Err(faults) => {
            texts.report(log, &faults);
            Err(Refused)
        }
    }
}

/// Reads inputs that are run together: the GLSL sources of a program, or stages of other kinds, several of which one
/// SPIR-V module may have.
pub fn load_all(inputs: &[Input], args: &ReadArgs, log: &mut Log) -> Result<Loaded, Refused> {
    if inputs.len() < 2 || inputs.iter().all(Input::is_glsl) {
        return load_from(inputs, args, read_stages, log);
    }
    let name = inputs.iter().map(Input::name).collect::<Vec<_>>().join(", ");
    let texts = Texts { name, list: Vec::new() };
    let (arb, modules) = (Vec::new(), Vec::new());
    let mut all = Loaded { shaders: Vec::new(), program: None, arb, modules, texts };
    for input in inputs {
        let one = load_from(std::slice::from_ref(input), args, read_stages, log)?;
        all.shaders.extend(one.shaders);
        all.arb.extend(one.arb);
        all.modules.extend(one.modules);
        all.texts.list.extend(one.texts.list);
    }
    Ok(all)
}

/// Reads the inputs of a library: one of any kind, or the stages of a program, which one SPIR-V module may have. Entry
/// points that have the same name are named after their stages.
pub fn load_program(inputs: &[Input], args: &ReadArgs, log: &mut Log) -> Result<Loaded, Refused> {
    let mut all = load_all(inputs, args, log)?;
    // A GLSL program is linked, and a text is taken as it is.
    if inputs.len() < 2 && all.modules.is_empty() || inputs.iter().all(Input::is_glsl) {
        return Ok(all);
    }
    all.shaders.sort_by_key(|shader| shader.stage);
    if let Some(pair) = all.shaders.windows(2).find(|pair| pair[0].stage == pair[1].stage) {
        let message = format!("the program has two {} shaders", pair[0].stage);
        let fault =
            Diagnostic::error("E0012", message).help("`--out-dir DIR` compiles each input on its own");
        return Err(all.refuse(log, &[fault]));
    }
    let names: Vec<airfoil::ir::Name> = all.shaders.iter().map(|shader| shader.name.clone()).collect();
    for shader in &mut all.shaders {
        if names.iter().filter(|name| **name == shader.name).count() > 1 {
            rename(shader, glsl::entry_name(shader.stage));
        }
    }
    Ok(all)
}

/// Changes the name of a shader and its entry point.
pub fn rename(shader: &mut Shader, name: &str) {
    shader.name = name.into();
    if let Some(entry) = shader.entry {
        shader.functions[entry].name = name.into();
    }
}

/// Compiles and links GLSL; sources of one stage alone are a separable program.
fn read_glsl(
    inputs: &[Input],
    texts: &[(String, String)],
    args: &ReadArgs,
) -> Result<glsl::Program, Vec<Diagnostic>> {
    if args.function.is_some() {
        let message = "only SPIR-V exports functions";
        return Err(vec![Diagnostic::error("E0012", message)]);
    }
    let mut sources = Vec::with_capacity(inputs.len());
    for (input, (name, text)) in inputs.iter().zip(texts) {
        let stage = input.stage.ok_or_else(|| vec![Diagnostic::error("E0012", "the stage is not known")])?;
        sources.push(glsl::Source { name, stage, text });
    }
    let separable = sources.iter().all(|source| source.stage == sources[0].stage);
    let mut options = args.glsl.options(separable);
    options.link.raw = args.raw;
    options.link.keep_locals = args.keep_locals;
    options.open_constants = args.function_constants;
    options.open_workgroup_size = args.workgroup_constants;
    options.spec = airfoil::spec::resolve_glsl(&sources, &options, &spec_values(args))?;
    let mut program = airfoil::steps::read_glsl(&sources, &options)?;
    let entries = program.shaders.iter().map(|shader| &*shader.name);
    let mut faults = Vec::new();
    if let Some(entry) =
        args.entry.as_deref().filter(|e| *e != "main" && !entries.clone().any(|name| name == *e))
    {
        let there: Vec<&str> = entries.collect();
        let message = format!("there is no entry point `{entry}`");
        faults.push(Diagnostic::error("E0012", message).help(format!("there is: {}", there.join(", "))));
    }
    if faults.is_empty() {
        return Ok(program);
    }
    program.warnings.append(&mut faults);
    Err(program.warnings)
}

fn spec_values(args: &ReadArgs) -> Vec<(u32, SpecValue)> {
    args.spec.iter().map(|s| (s.id, s.value)).collect()
}

/// Values of specialization constants cannot be given to a text.
fn no_constants(args: &ReadArgs) -> Option<Diagnostic> {
    let spec = args.spec.first()?;
    let message = format!("there is no specialization constant {}", spec.id);
    Some(Diagnostic::error("E0010", message).help("only SPIR-V and GLSL have specialization constants"))
}

/// The entry point that the command line chooses, or the only one.
fn read_one(bytes: &[u8], args: &ReadArgs) -> Result<Vec<Shader>, Vec<Diagnostic>> {
    let words = airfoil::spirv::from_bytes(bytes)?;
    read_spirv(&words, args, args.entry.clone(), args.stage).map(|shader| vec![shader])
}

/// The stages of a draw, if a module has one entry point for each and the command line chooses none.
fn read_stages(bytes: &[u8], args: &ReadArgs) -> Result<Vec<Shader>, Vec<Diagnostic>> {
    let words = airfoil::spirv::from_bytes(bytes)?;
    let entries = airfoil::spirv::entry_points(&words)?;
    let draws = |stage: Stage| !matches!(stage, Stage::Compute | Stage::Task | Stage::Mesh);
    let one_each = (0..entries.len())
        .all(|i| draws(entries[i].1) && entries[..i].iter().all(|(_, stage)| *stage != entries[i].1));
    if entries.len() < 2
        || !one_each
        || args.entry.is_some()
        || args.stage.is_some()
        || args.function.is_some()
    {
        return read_one(bytes, args);
    }
    entries.into_iter().map(|(name, stage)| read_spirv(&words, args, Some(name), Some(stage))).collect()
}

fn read_spirv(
    words: &[u32],
    args: &ReadArgs,
    entry: Option<String>,
    stage: Option<Stage>,
) -> Result<Shader, Vec<Diagnostic>> {
    Ok(airfoil::steps::read_spirv(words, &read_options(words, args, entry, stage)?)?)
}

fn read_options(
    words: &[u32],
    args: &ReadArgs,
    entry: Option<String>,
    stage: Option<Stage>,
) -> Result<ReadOptions, Vec<Diagnostic>> {
    let spec = airfoil::spec::resolve(words, &spec_values(args))?;
    let keep_spec_constants = args.function_constants;
    let function = args.function.clone();
    let (raw, keep_locals) = (args.raw, args.keep_locals);
    let given =
        ReadOptions { entry, stage, spec, keep_spec_constants, function, raw, ..ReadOptions::default() };
    Ok(ReadOptions { keep_locals, keep_workgroup_constants: args.workgroup_constants, ..given })
}

/// The shader of an assembly program, if the command line does not choose another one.
fn read_arb(
    (name, text): &(String, String),
    args: &ReadArgs,
) -> Result<(Vec<Shader>, ArbProgram), Vec<Diagnostic>> {
    let options = airfoil::arb::Options { raw: args.raw, ..Default::default() };
    let program = airfoil::steps::read_arb(&airfoil::arb::Source { name, text }, &options)?;
    let parameters = program.parameters.iter().map(ToString::to_string).collect();
    let facts = ArbProgram { stage: program.shader.stage, parameters };
    Ok((chosen(vec![program.shader], args)?, facts))
}

/// The shaders of a text, or the one that the command line chooses.
fn read_foil(text: &str, args: &ReadArgs) -> Result<Vec<Shader>, Vec<Diagnostic>> {
    let mut shaders = Vec::new();
    for text in split_shaders(text) {
        shaders.push(airfoil::steps::read_foil(&text)?);
    }
    chosen(shaders, args)
}

/// The shaders that the arguments choose.
fn chosen(mut shaders: Vec<Shader>, args: &ReadArgs) -> Result<Vec<Shader>, Vec<Diagnostic>> {
    let mut faults = Vec::new();
    let there = |shaders: &[Shader]| {
        let names: Vec<String> = shaders.iter().map(|s| format!("{}, {}", s.name, s.stage)).collect();
        format!("there is: {}", names.join("; "))
    };
    let all = there(&shaders);
    if let Some(entry) = args.entry.as_deref() {
        shaders.retain(|shader| *shader.name == *entry);
        if shaders.is_empty() {
            let message = format!("there is no entry point `{entry}`");
            faults.push(Diagnostic::error("E0012", message).help(all.clone()));
        }
    }
    if let Some(stage) = args.stage.filter(|_| faults.is_empty()) {
        shaders.retain(|shader| shader.stage == stage);
        if shaders.is_empty() {
            let message = format!("there is no entry point of the stage {stage}");
            faults.push(Diagnostic::error("E0012", message).help(all));
        }
    }
    faults.extend(no_constants(args));
    if faults.is_empty() { Ok(shaders) } else { Err(faults) }
}
