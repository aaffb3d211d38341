//! The cases on the AIR engine of this host: a third runner beside `check.swift` and `examples/metal-check`. Functions and bindings are those of the files alone; only
//! the fixed functions of draws (interpolation qualifiers, early tests) are configured by the shaders of the source.

use crate::draw::{self, Files};
use crate::make::Made;
use crate::mesh::{self, Ready};
use crate::metal;
use crate::schema::{Bound, BoundKind, Case, Pass, PassKind, StageCase};
use airfoil::air::metallib::fat;
use airfoil::interp::pipeline::{Pipeline, Stages, Topology};
use airfoil::interp::run::{FragmentBatch, FragmentOutput, IoVar, Task, TessPoint, Vertex, variables};
use airfoil::interp::texture::{Image, Sampler, View};
use airfoil::interp::{Binding, Fault, FaultKind, Resources, System, Values};
use airfoil::ir::{Modes, Slot, SystemValue};
use airfoil::{Shader, Stage};
use airfoil_cpu::{Bindings, Config, Constants, Function, Launch};
use std::collections::BTreeMap;

/// The resources of a case, with their positions.
struct World<'c> {
    case: &'c Case,
    resources: Resources,
    buffers: BTreeMap<&'c str, usize>,
    images: BTreeMap<&'c str, usize>,
    samplers: BTreeMap<&'c str, usize>,
}

impl<'c> World<'c> {
    fn new(case: &'c Case, files: &Files) -> Result<World<'c>, String> {
        let mut world = World {
            case,
            resources: Resources::new(),
            buffers: BTreeMap::new(),
            images: BTreeMap::new(),
            samplers: BTreeMap::new(),
        };
        for b in &case.buffers {
            let bytes = draw::buffer(case, files, &b.name)?.to_vec();
            world.buffers.insert(&b.name, world.resources.add_buffer(bytes));
        }
        for t in case.textures.iter().filter(|t| t.buffer.is_none()) {
            let format = metal::format_of(t.format).ok_or("an unknown pixel format")?;
            let size = t.size.map(|n| n as u32);
            let dim = metal::dim_of(t.texture_type);
            let mut image = Image::new(dim, format, size, t.slices as u32, t.levels as u32, t.samples as u32)
                .map_err(|f| f.message)?;
            let contents = t.file.as_ref().and_then(|f| files.get(f));
            let mut rest = contents.map(Vec::as_slice).unwrap_or_default();
            for level in 0..image.num_levels() {
                let bytes = image.bytes_mut(level);
                let n = bytes.len().min(rest.len());
                bytes[..n].copy_from_slice(&rest[..n]);
                rest = &rest[n..];
            }
            world.images.insert(&t.name, world.resources.add_image(image));
        }
        for s in &case.samplers {
            let sampler = Sampler {
                wrap: s.address.map(metal::wrap_of),
                mag: metal::filter_of(s.mag),
                min: metal::filter_of(s.min),
                mip: metal::mip_of(s.mip),
                compare: s.compare.and_then(metal::compare_of),
                ..Sampler::default()
            };
            world.samplers.insert(&s.name, world.resources.add_sampler(sampler));
        }
        Ok(world)
    }

    /// The binding of a buffer or texture.
    fn binding(&self, bound: &Bound) -> Result<Binding, String> {
        let missing = || format!("there is no resource `{}`", bound.resource);
        match bound.kind {
            BoundKind::Sampler => {
                Ok(Binding::Sampler(*self.samplers.get(&*bound.resource).ok_or_else(missing)?))
            }
            BoundKind::Texture => {
                let t = self.case.textures.iter().find(|t| t.name == bound.resource).ok_or_else(missing)?;
                if let Some(buffer) = &t.buffer {
                    let format = metal::format_of(t.format).ok_or("an unknown pixel format")?;
                    let buffer = *self.buffers.get(&**buffer).ok_or_else(missing)?;
                    return Ok(Binding::TexelBuffer { buffer, offset: 0, size: None, format });
                }
                let image = *self.images.get(&*bound.resource).ok_or_else(missing)?;
                Ok(match t.usage & metal::USAGE_WRITE {
                    0 => Binding::Texture { image, view: View::default(), sampler: None },
                    _ => Binding::Image { image, level: 0, layer: None, format: None },
                })
            }
            _ => {
                let buffer = *self.buffers.get(&*bound.resource).ok_or_else(missing)?;
                Ok(Binding::Buffer { buffer, offset: 0, size: None })
            }
        }
    }

    /// The bindings of a function.
    fn bindings(&self, stage: &StageCase) -> Result<Bindings, String> {
        let mut bindings = Bindings::default();
        for bound in &stage.bindings {
            let index = bound.index as u32;
            match bound.kind {
                BoundKind::ArgumentBuffer => {
                    let contents = bindings.argument_buffers.entry(index).or_default();
                    for member in &bound.members {
                        contents.insert(member.index as u32, self.binding(member)?);
                    }
                }
                BoundKind::Buffer => {
                    bindings.buffers.insert(index, self.binding(bound)?);
                }
                BoundKind::Texture => {
                    bindings.textures.insert(index, self.binding(bound)?);
                }
                BoundKind::Sampler => {
                    if let Binding::Sampler(n) = self.binding(bound)? {
                        bindings.samplers.insert(index, n);
                    }
                }
            }
        }
        Ok(bindings)
    }
}

/// The library of a file: the file itself, or the first slice of a universal one.
///
/// # Errors
/// A universal file without slice.
pub fn plain_library(file: &[u8]) -> Result<&[u8], String> {
    if !fat::is_fat(file) {
        return Ok(file);
    }
    let slices = fat::slices(file).map_err(|e| e.to_string())?;
    slices.first().map(|slice| slice.bytes).ok_or_else(|| "a universal file without slices".to_owned())
}

fn function(case: &Case, files: &Files, stage: &StageCase) -> Result<Function, String> {
    let library = plain_library(files.get(&case.library).ok_or("the library is missing")?)?;
    let constants: Constants = stage.constants.iter().map(|c| (c.index as u32, c.bits)).collect();
    Function::with_constants(library, Some(&stage.function), &constants)
}

/// A function of the library as a stage of a draw.
struct Staged<'m> {
    shader: &'m Shader,
    function: Function,
    bindings: Bindings,
    inputs: Vec<IoVar>,
    outputs: Vec<IoVar>,
}

fn fault(message: String) -> Fault {
    Fault { kind: FaultKind::Unsupported, message, instruction: None, line: None }
}

/// Metal's clip space has y up; `draw` has Vulkan's.
fn turn(values: &mut Values) {
    if let Some(y) = values.get(Slot::POSITION, 1) {
        values.set(Slot::POSITION, 1, y ^ (1 << 31));
    }
}

/// Runs the object and mesh functions of a pass.
fn run_meshes(
    made: &Made,
    pass: &Pass,
    stage: &StageCase,
    world: &mut World<'_>,
) -> Result<(Ready, (Vec<Vertex>, Topology)), String> {
    let (case, files) = (&made.case, &made.files);
    let draw = pass.draw.as_ref().ok_or("the pass is not a draw")?;
    let shader = made.shaders.iter().find(|s| s.stage == Stage::Mesh).ok_or("a stage without shader")?;
    let groups = draw.mesh_groups.map(|n| n as u32);
    let [object_threads, threads] = draw.mesh_threads.map(|size| size.map(|n| n as u32));
    let config = Config::default();
    let tasks = match &pass.object {
        Some(object) => {
            let bindings = world.bindings(object)?;
            let launch = Launch { groups, threads: object_threads };
            function(case, files, object)?.objects(&mut world.resources, &bindings, launch, &config)?
        }
        None => vec![Task { groups, payload: Vec::new() }],
    };
    let (bindings, function) = (world.bindings(stage)?, function(case, files, stage)?);
    let mut meshes = Vec::new();
    for task in tasks {
        let launch = Launch { groups: task.groups, threads };
        let resources = &mut world.resources;
        meshes.extend(function.meshes(resources, &bindings, launch, &task.payload, &config)?);
    }
    let topology = mesh::topology(shader);
    let mut vertices = mesh::vertices(&meshes, topology);
    vertices.iter_mut().for_each(|v| turn(&mut v.inputs));
    Ok((Ready::of(shader), (vertices, topology)))
}

impl Stages for Staged<'_> {
    fn shader(&self) -> &Shader {
        self.shader
    }

    fn inputs(&self) -> &[IoVar] {
        &self.inputs
    }

    fn outputs(&self) -> &[IoVar] {
        &self.outputs
    }

    fn vertex(
        &mut self,
        resources: &mut Resources,
        common: &System,
        vertices: &[Vertex],
    ) -> Result<Vec<Values>, Fault> {
        let config = Config::default();
        let shaded = self.function.vertices(resources, &self.bindings, common, vertices, &config);
        let mut shaded = shaded.map_err(fault)?;
        shaded.iter_mut().for_each(turn);
        Ok(shaded)
    }

    fn tess_eval(
        &mut self,
        resources: &mut Resources,
        _: &System,
        points: &[TessPoint<'_>],
    ) -> Result<Vec<Values>, Fault> {
        let id = |p: &TessPoint<'_>| p.system.get(SystemValue::primitive_id).map_or(0, |id| id[0] as u32);
        let points: Vec<_> = points.iter().map(|p| (id(p), p.coord)).collect();
        let shaded = self.function.patch_points(resources, &self.bindings, &points, &Config::default());
        let mut shaded = shaded.map_err(fault)?;
        shaded.iter_mut().for_each(turn);
        Ok(shaded)
    }

    fn fragment(
        &mut self,
        resources: &mut Resources,
        batch: &FragmentBatch<'_>,
    ) -> Result<Vec<[FragmentOutput; 4]>, Fault> {
        self.function.fragments(resources, &self.bindings, batch, &Config::default()).map_err(fault)
    }

    fn compute(&mut self, _: &mut Resources, _: &System, _: [u32; 3]) -> Result<(), Fault> {
        Err(fault("a kernel is not a stage of a draw".to_owned()))
    }
}

/// Runs the passes of a case; returns the contents of its outputs.
///
/// # Errors
/// The engine cannot execute a function, or the case is inconsistent.
pub fn run(made: &Made) -> Result<BTreeMap<String, Vec<u8>>, String> {
    let (case, files) = (&made.case, &made.files);
    let mut world = World::new(case, files)?;
    let mut drawn = BTreeMap::new();
    for pass in &case.passes {
        if pass.kind == PassKind::Compute {
            let stage = pass.compute.as_ref().ok_or("a dispatch without kernel")?;
            let bindings = world.bindings(stage)?;
            let launch =
                Launch { groups: pass.groups.map(|n| n as u32), threads: pass.threads.map(|n| n as u32) };
            function(case, files, stage)?.kernel(
                &mut world.resources,
                &bindings,
                launch,
                &Config::default(),
            )?;
            continue;
        }
        let mut programs: Vec<Box<dyn Stages + '_>> = Vec::new();
        let mut meshes = None;
        if let Some(stage) = &pass.mesh {
            let (ready, vertices) = run_meshes(made, pass, stage, &mut world)?;
            programs.push(Box::new(ready));
            meshes = Some(vertices);
        }
        let is_patch = pass.draw.as_ref().is_some_and(|d| d.tessellation.is_some());
        let first = if is_patch { Stage::TessEval } else { Stage::Vertex };
        for (stage, kind) in [(&pass.vertex, first), (&pass.fragment, Stage::Fragment)] {
            let Some(stage) = stage else { continue };
            let shader = made.shaders.iter().find(|s| s.stage == kind).ok_or("a stage without shader")?;
            programs.push(Box::new(Staged {
                shader,
                function: function(case, files, stage)?,
                bindings: world.bindings(stage)?,
                inputs: variables(shader, Modes::IN),
                outputs: variables(shader, Modes::OUT),
            }));
        }
        let pipeline = Pipeline::of(programs).map_err(|f| f.message)?;
        drawn.append(&mut draw::draw(pipeline, case, files, pass, &mut world.resources, meshes)?);
    }
    let mut out = BTreeMap::new();
    for output in &case.outputs {
        let name = output.resource.as_str();
        let bytes = match (drawn.remove(name), world.buffers.get(name), world.images.get(name)) {
            (Some(bytes), ..) => bytes,
            (None, Some(&n), _) => world.resources.buffers[n].bytes.clone(),
            (None, None, Some(&n)) => {
                let image = &world.resources.images[n];
                (0..image.num_levels()).flat_map(|level| image.bytes(level).to_vec()).collect()
            }
            _ => return Err(format!("there is no output `{name}`")),
        };
        out.insert(name.to_owned(), bytes);
    }
    Ok(out)
}
