//! From a recipe to a case: the library, the inputs, the bindings by Metal index, and the expected contents.

use crate::bind::{self, Bindings};
use crate::constructs;
use crate::draw::{self, Files};
use crate::mesh;
use crate::metal;
use crate::recipe::{DrawRecipe, Recipe, Source, Work};
use crate::schema::{
    Attribute, BufferFile, Case, CaseFunction, ColorCase, ConstantValue, DepthCase, DrawCase, Element,
    Indices, Kind, OutputFile, Pass, PassKind, Requires, SCHEMA, StageCase, TessellationCase, TextureFile,
};
use airfoil::air::select::FunctionStage;
use airfoil::glsl::{self, ProgramOptions};
use airfoil::interp::pipeline::{Pipeline, Stages, Topology};
use airfoil::interp::run::{Mesh, Task};
use airfoil::interp::{Config, Fault, Program, Resources, System};
use airfoil::{CompileOptions, Compiler, Output, PipelineState, ReadOptions, Shader, Stage, steps};

/// A case with its files and the shaders of its source.
#[derive(Debug)]
pub struct Made {
    /// The case.
    pub case: Case,
    /// Its files, `case.json` not included.
    pub files: Files,
    /// The shaders of the source, in order of the pipeline.
    pub shaders: Vec<Shader>,
}

/// A GLSL source as the front end takes it.
fn sources(list: &[(Stage, String)]) -> Vec<glsl::Source<'_>> {
    let name = |stage: Stage| match stage {
        Stage::Vertex => "kit.vert",
        Stage::Fragment => "kit.frag",
        Stage::Compute => "kit.comp",
        _ => "kit.glsl",
    };
    list.iter().map(|(stage, text)| glsl::Source { name: name(*stage), stage: *stage, text }).collect()
}

fn program_options(vulkan: bool) -> ProgramOptions {
    ProgramOptions { vulkan, ..ProgramOptions::default() }
}

/// Errors of a compile in one line.
fn words(errors: &airfoil::Errors) -> String {
    errors.to_string().replace('\n', "; ")
}

/// The shaders that the interpreter executes: those of the front end.
fn shaders(recipe: &Recipe) -> Result<Vec<Shader>, String> {
    Ok(match &recipe.source {
        Source::Glsl(list) => {
            steps::read_glsl(&sources(list), &program_options(true)).map_err(|e| words(&e))?.shaders
        }
        Source::OpenGl(list) => {
            steps::read_glsl(&sources(list), &program_options(false)).map_err(|e| words(&e))?.shaders
        }
        Source::Spirv(text) => {
            let options = ReadOptions { spec: recipe.constants.clone(), ..ReadOptions::default() };
            vec![steps::read_spirv(&assemble(text)?, &options).map_err(|e| words(&e))?]
        }
        Source::Foil(texts) => {
            let read = |text: &String| steps::read_foil(text).map_err(|e| words(&e));
            texts.iter().map(read).collect::<Result<_, _>>()?
        }
    })
}

fn assemble(text: &str) -> Result<Vec<u32>, String> {
    airfoil_spirv_asm::assemble(text, &airfoil_spirv_asm::Options::default())
        .map_err(|e| e.first().map_or_else(String::new, ToString::to_string))
}

/// Compiles the program.
fn compile(recipe: &Recipe) -> Result<Output, String> {
    let target = recipe.target.parse().map_err(|_| format!("the target `{}` is unknown", recipe.target))?;
    let mut state = PipelineState::default();
    if let Work::Draw(draw) = &recipe.work {
        // Vulkan's y is down, Metal's up.
        state = state.flip_y(true).points(Some(draw.topology == Topology::Points));
        if draw.tessellation.is_some() {
            state = state.patch_vertices(1);
        }
    }
    let mut options = CompileOptions::new(target).state(state);
    options.air.fast_math = recipe.fast_math;
    options.read.keep_spec_constants = true;
    if let Some(configure) = recipe.configure {
        configure(&mut options);
    }
    let compiler = Compiler::new(options);
    match &recipe.source {
        Source::Glsl(list) => compiler.compile_glsl(&sources(list), &program_options(true)),
        Source::OpenGl(list) => compiler.compile_glsl(&sources(list), &program_options(false)),
        Source::Spirv(text) => compiler.compile_spirv(&assemble(text)?),
        Source::Foil(_) => compiler.compile(&mut shaders(recipe)?),
    }
    .map_err(|e| words(&e))
}

/// Oldest macOS that loads a library for a target.
fn oldest_macos(target: &str) -> u32 {
    let version = target.strip_prefix("macos").unwrap_or("13");
    version.split('.').next().and_then(|v| v.parse().ok()).unwrap_or(13)
}

/// Makes a case.
///
/// # Errors
/// The recipe does not compile, or the interpreter cannot execute it.
pub fn make(recipe: &Recipe, number: usize) -> Result<Made, String> {
    let name = format!("{number:03}-{}", recipe.name);
    build(recipe, &name).map_err(|e| format!("case {name}: {e}"))
}

fn build(recipe: &Recipe, name: &str) -> Result<Made, String> {
    let shaders = shaders(recipe)?;
    let output = compile(recipe)?;
    let library = match recipe.edit {
        Some(edit) => edit(output.metallib.clone())?,
        None => output.metallib.clone(),
    };
    // Of the library before the change: some changes make it unreadable.
    let found = constructs::of_library(&output.metallib)?;
    for part in &recipe.calls {
        if !found.calls.iter().any(|c| c.contains(part.as_str())) {
            return Err(format!("no call of `{part}`, but of {:?}", found.calls));
        }
    }
    let mut files = Files::new();
    let mut case = Case {
        schema: SCHEMA,
        name: name.to_owned(),
        level: recipe.level,
        title: recipe.title.clone(),
        kind: recipe.kind,
        target: recipe.target.clone(),
        library: "lib.metallib".to_owned(),
        control: recipe.control.as_ref().map(|_| "control.metal".to_owned()),
        requires: Requires {
            macos: oldest_macos(&recipe.target),
            family: recipe.family.map(|f| f.0),
            family_name: recipe.family.map(|f| f.1.to_owned()),
        },
        functions: output
            .functions
            .iter()
            .map(|f| CaseFunction {
                name: f.name.clone(),
                function_type: metal::function_type(f.reflection.stage),
                reflection: serde_json::to_value(&f.reflection).unwrap_or_default(),
            })
            .collect(),
        expect: recipe.expect.clone(),
        doubt: recipe.doubt.clone(),
        constructs: found.all,
        ..Case::default()
    };
    files.insert("lib.metallib".to_owned(), library);
    if let Some(text) = &recipe.control {
        files.insert("control.metal".to_owned(), text.clone().into_bytes());
    }
    if matches!(recipe.work, Work::Load) {
        return Ok(Made { case, files, shaders });
    }
    let mut resources = Resources::new();
    let mut bindings = Bindings::new(recipe, &mut case, &mut files, &mut resources)?;
    let stage = |f: &airfoil::Function, case: &mut Case, files: &mut Files, bindings: &mut Bindings| {
        let bound = bindings.of(f, recipe, &output, case, files)?;
        let constants = f.reflection.constants.iter().filter_map(|c| {
            let bits = recipe.constants.iter().find(|v| v.0 == u32::from(c.index))?.1;
            Some(ConstantValue { index: u64::from(c.index), data_type: metal::data_type(c.scalar), bits })
        });
        Ok::<StageCase, String>(StageCase {
            function: f.name.clone(),
            constants: constants.collect(),
            bindings: bound,
        })
    };
    let mut pass = Pass::default();
    let is_draw = matches!(recipe.work, Work::Draw(_));
    for f in &output.functions {
        // Kernels of a draw compute an input of the case: tessellation factors.
        if is_draw && f.reflection.stage == FunctionStage::Kernel {
            continue;
        }
        let made = stage(f, &mut case, &mut files, &mut bindings)?;
        match f.reflection.stage {
            FunctionStage::Kernel => {
                pass.compute = Some(made);
                pass.threads = f.reflection.workgroup_size.unwrap_or([1; 3]).map(u64::from);
            }
            FunctionStage::Vertex => pass.vertex = Some(made),
            FunctionStage::Fragment => pass.fragment = Some(made),
            FunctionStage::Mesh => pass.mesh = Some(made),
            FunctionStage::Object => pass.object = Some(made),
            FunctionStage::Visible => {}
        }
    }
    match &recipe.work {
        Work::Load => {}
        Work::Compute(groups) => {
            pass.kind = PassKind::Compute;
            pass.groups = groups.map(u64::from);
        }
        Work::Draw(draw) => {
            pass.kind = PassKind::Render;
            pass.draw = Some(draw_case(draw, &mut case, &mut files)?);
            pass.attributes = attributes(draw, &mut case, &mut files);
        }
    }
    case.passes.push(pass);
    if recipe.kind == Kind::Run {
        expected(recipe, &shaders, &output, &mut resources, &bindings, &mut case, &mut files)?;
    }
    Ok(Made { case, files, shaders })
}

/// The state of a draw, with its attachments.
fn draw_case(draw: &DrawRecipe, case: &mut Case, files: &mut Files) -> Result<DrawCase, String> {
    let layers = u64::from(draw.layers);
    let mut target = |name: String, format, samples: u32| -> Result<String, String> {
        let (raw, format_name) = metal::pixel_format(format).ok_or("a format without pixel format")?;
        let texture_type = match (samples > 1, layers > 0) {
            (true, _) => 4,
            (false, true) => 3,
            (false, false) => 2,
        };
        case.textures.push(TextureFile {
            name: name.clone(),
            texture_type,
            format: raw,
            format_name: format_name.to_owned(),
            texel: format.bytes() as u64,
            size: [u64::from(draw.size[0]), u64::from(draw.size[1]), 1],
            length: layers.max(1),
            slices: layers.max(1),
            levels: 1,
            samples: u64::from(samples),
            usage: metal::USAGE_TARGET | metal::USAGE_READ,
            file: None,
            buffer: None,
        });
        Ok(name)
    };
    let mut colors = Vec::new();
    for (n, color) in draw.colors.iter().enumerate() {
        let texture = target(format!("color{n}"), color.format, draw.samples)?;
        let resolve = match draw.samples > 1 {
            true => Some(target(format!("resolved{n}"), color.format, 1)?),
            false => None,
        };
        colors.push(ColorCase { texture, resolve, clear: color.clear, blend: color.blend });
    }
    let depth = match draw.depth {
        Some((clear, compare)) => Some(DepthCase {
            texture: target("depth".to_owned(), airfoil::interp::texture::Format::D32f, draw.samples)?,
            clear,
            compare: metal::compare(compare),
        }),
        None => None,
    };
    let mut add = |name: &str, bytes: Vec<u8>| {
        let file = format!("{name}.bin");
        case.buffers.push(BufferFile { name: name.to_owned(), file: file.clone() });
        files.insert(file, bytes);
        name.to_owned()
    };
    let indices = draw.indices.as_ref().map(|(bits, list, base_vertex)| {
        let bytes = match bits {
            16 => list.iter().flat_map(|&n| (n as u16).to_le_bytes()).collect(),
            _ => list.iter().flat_map(|n| n.to_le_bytes()).collect(),
        };
        Indices {
            resource: add("indices", bytes),
            index_type: u64::from(*bits == 32),
            base_vertex: i64::from(*base_vertex),
        }
    });
    let tessellation = draw.tessellation.as_ref().map(|(factors, partition, patches)| TessellationCase {
        factors: add("factors", factors.clone()),
        partition: *partition,
        patches: u64::from(*patches),
    });
    let topology = match tessellation {
        Some(_) => 3,
        None => metal::primitive_type(draw.topology).ok_or("a topology that Metal lacks")?,
    };
    let (mesh_groups, mesh_threads) = draw.mesh.unwrap_or_default();
    Ok(DrawCase {
        topology,
        topology_class: if layers > 0 { 3 } else { 0 },
        vertices: draw.indices.as_ref().map_or(u64::from(draw.vertices), |i| i.1.len() as u64),
        instances: u64::from(draw.instances),
        indices,
        colors,
        depth,
        samples: u64::from(draw.samples),
        cull: draw.cull,
        winding: draw.winding,
        layers,
        tessellation,
        mesh_groups,
        mesh_threads,
    })
}

/// Vertex buffers, from index 30 downwards.
fn attributes(draw: &DrawRecipe, case: &mut Case, files: &mut Files) -> Vec<Attribute> {
    let mut list = Vec::new();
    for (n, a) in draw.attributes.iter().enumerate() {
        let name = format!("attribute{}", a.location);
        let file = format!("{name}.bin");
        let row = a.packed.as_ref().and_then(|(raw, bytes)| {
            Some((metal::PACKED_VERTEX_FORMATS.iter().find(|row| row.0 == *raw)?, bytes))
        });
        let (bytes, (format, format_name), stride) = match row {
            Some(((raw, name, format), bytes)) => {
                (bytes.clone(), (*raw, (*name).to_owned()), format.bytes() as u64)
            }
            None => {
                let bytes = a.words.iter().flat_map(|w| w.to_le_bytes()).collect();
                (bytes, metal::vertex_format(a.kind, a.components), u64::from(a.components) * 4)
            }
        };
        files.insert(file.clone(), bytes);
        case.buffers.push(BufferFile { name: name.clone(), file });
        list.push(Attribute {
            index: u64::from(a.location),
            format,
            format_name,
            buffer: 30 - n as u64,
            resource: name,
            stride,
            per_instance: a.per_instance,
        });
    }
    list
}

/// Executes the source's shaders, and lists the contents that a runner reads back.
fn expected(
    recipe: &Recipe,
    shaders: &[Shader],
    output: &Output,
    resources: &mut Resources,
    bindings: &Bindings,
    case: &mut Case,
    files: &mut Files,
) -> Result<(), String> {
    let mut drawn = std::collections::BTreeMap::new();
    match &recipe.work {
        Work::Load => {}
        Work::Compute(groups) => {
            let shader = shaders.first().ok_or("the source does not have a shader")?;
            let mut program = Program::new(shader, Config::default()).map_err(|f| f.message)?;
            program.compute(resources, &System::new(), *groups).map_err(|f| f.message)?;
        }
        Work::Draw(_) => {
            let pass = case.passes[0].clone();
            drawn = match shaders.iter().find(|s| s.stage == Stage::Mesh) {
                Some(shader) => {
                    let groups = pass.draw.as_ref().map(|d| d.mesh_groups).unwrap_or_default();
                    let meshes = meshes(shaders, shader, groups.map(|n| n as u32), resources);
                    let meshes = meshes.map_err(|f| f.message)?;
                    let topology = mesh::topology(shader);
                    let made = (mesh::vertices(&meshes, topology), topology);
                    let mut programs: Vec<Box<dyn Stages + '_>> = vec![Box::new(mesh::Ready::of(shader))];
                    for shader in shaders.iter().filter(|s| s.stage == Stage::Fragment) {
                        let program = Program::new(shader, Config::default()).map_err(|f| f.message)?;
                        programs.push(Box::new(program));
                    }
                    let pipeline = Pipeline::of(programs).map_err(|f| f.message)?;
                    draw::draw(pipeline, case, files, &pass, resources, Some(made))?
                }
                None => {
                    let pipeline = Pipeline::new(shaders, &Config::default()).map_err(|f| f.message)?;
                    draw::draw(pipeline, case, files, &pass, resources, None)?
                }
            };
        }
    }
    let mut add = |resource: String, bytes: Vec<u8>, element, tolerance: &str| {
        let file = format!("expected-{resource}.bin");
        files.insert(file.clone(), bytes);
        case.outputs.push(OutputFile { resource, file, element, tolerance: tolerance.to_owned() });
    };
    let float = if recipe.tolerance == "exact" { Element::U32 } else { Element::F32 };
    for written in bindings.written(output) {
        match bind::contents(&written, resources) {
            Some((bytes, Element::U32)) => add(written.name, bytes, float, &recipe.tolerance),
            Some((bytes, Element::F32)) => add(written.name, bytes, Element::F32, &recipe.tolerance),
            Some((bytes, Element::Rgba8)) => add(written.name, bytes, Element::Rgba8, "rgba8:1"),
            Some((bytes, element)) => add(written.name, bytes, element, "exact"),
            None => {}
        }
    }
    if let Work::Draw(draw) = &recipe.work {
        for (n, color) in draw.colors.iter().enumerate() {
            let name = if draw.samples > 1 { format!("resolved{n}") } else { format!("color{n}") };
            let bytes = drawn.remove(&name).ok_or("a colour was not drawn")?;
            let (element, tolerance) = bind::element(color.format, &recipe.tolerance);
            add(name, bytes, element, &tolerance);
        }
        if draw.read_depth {
            let bytes = drawn.remove("depth").ok_or("the depth was not drawn")?;
            add("depth".to_owned(), bytes, Element::F32, "ulp:4");
        }
    }
    if case.outputs.is_empty() {
        return Err("nothing is read back".to_owned());
    }
    preview(case, files)
}

/// The meshes of a draw.
fn meshes(
    shaders: &[Shader],
    mesh: &Shader,
    groups: [u32; 3],
    resources: &mut Resources,
) -> Result<Vec<Mesh>, Fault> {
    let system = System::new();
    let tasks = match shaders.iter().find(|s| s.stage == Stage::Task) {
        Some(task) => Program::new(task, Config::default())?.task(resources, &system, groups)?,
        None => vec![Task { groups, payload: Vec::new() }],
    };
    let mut program = Program::new(mesh, Config::default())?;
    let mut made = Vec::new();
    for task in tasks {
        made.extend(program.mesh(resources, &system, task.groups, &task.payload)?);
    }
    Ok(made)
}

/// Images of 8-bit outputs, for human readers.
fn preview(case: &Case, files: &mut Files) -> Result<(), String> {
    for output in &case.outputs {
        let texture = case.textures.iter().find(|t| t.name == output.resource);
        if let (Element::Rgba8, Some(texture)) = (output.element, texture.filter(|t| t.slices == 1)) {
            let Some(bytes) = files.get(&output.file).cloned() else { continue };
            let mut png = Vec::new();
            let mut encoder = png::Encoder::new(&mut png, texture.size[0] as u32, texture.size[1] as u32);
            encoder.set_color(png::ColorType::Rgba);
            encoder.set_depth(png::BitDepth::Eight);
            let written = encoder.write_header().and_then(|mut w| w.write_image_data(&bytes));
            written.map_err(|e| e.to_string())?;
            files.insert(output.file.replace(".bin", ".png"), png);
        }
    }
    Ok(())
}
