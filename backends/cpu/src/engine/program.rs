//! A shader of the IR on this engine: compiled to a library, executed from its bytes.

use super::bind::Bindings;
use super::compile::Function;
use super::geometry::Geometry;
use super::kernel::Launch;
use crate::Config;
use airfoil_air::compile::{emit, lower};
use airfoil_air::library::library;
use airfoil_air::plan::{PlanOptions, metal_plan};
use airfoil_air::select::{Argument, ArgumentKind, FastMathMode, Options, Reflection, Selected};
use airfoil_air::{lint, metallib};
use airfoil_interp::pipeline::Stages;
use airfoil_interp::run::{
    FragmentBatch, FragmentOutput, GeometryPrimitive, IoVar, Patch, Stream, TessPoint, Vertex, variables,
};
use airfoil_interp::texture::Format;
use airfoil_interp::{Binding, Fault, FaultKind, Resources, Space, System, Values};
use airfoil_ir::{Diagnostic, Form, Index, Modes, Shader, Stage, SystemValue};
use airfoil_passes::Manager;
use airfoil_passes::presets::OptLevel;
use airfoil_passes::stages::stage_buffer::{self, BufferLayout};
use airfoil_passes::util::driver_values::DRAW;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;

/// Elements of an array of unknown length that are looked for.
const MOST_ELEMENTS: u32 = 4096;

/// Metal has this many buffers.
const BUFFERS: usize = 31;

/// A shader that is executed as AIR.
#[derive(Debug)]
pub struct Program<'s> {
    pub(super) shader: &'s Shader,
    function: Function,
    reflection: Reflection,
    inputs: Vec<IoVar>,
    outputs: Vec<IoVar>,
    pub(super) config: Config,
    options: Options,
    plan: PlanOptions,
    /// Buffers that the stage shares with others, if Metal lacks the stage.
    pub(super) layouts: Vec<BufferLayout>,
    /// A geometry shader, of which the function is a mesh function.
    geometry: Option<Geometry>,
}

/// The options of instruction selection that programs are compiled with.
///
/// # Errors
/// Never: the target is known.
pub(crate) fn default_options() -> Result<Options, String> {
    Ok(Options {
        // The first that has atomic operations on textures.
        target: "macos14".parse().map_err(|_| "the target is unknown".to_owned())?,
        fast_math: FastMathMode::Precise,
        denorms: true,
        ..Options::default()
    })
}

/// A view of an image of floats as words, as functions with atomic operations require it.
fn in_words(resources: &Resources, found: Binding) -> Binding {
    match found {
        Binding::Image { image, level, layer, format } => {
            let own = resources.images.get(image).map(|image| image.format);
            let words = format.or(own) == Some(Format::R32f);
            Binding::Image { image, level, layer, format: if words { Some(Format::R32ui) } else { format } }
        }
        Binding::TexelBuffer { buffer, offset, size, format: Format::R32f } => {
            Binding::TexelBuffer { buffer, offset, size, format: Format::R32ui }
        }
        other => other,
    }
}

/// Whether inputs or outputs have less than 32 bits: values by slot have 32 per component, records have the width of the shader.
fn has_narrow_values(shader: &Shader) -> bool {
    let Some(body) = shader.entry_body() else { return false };
    body.entries().any(|(_, instr)| {
        instr.as_intrinsic().filter(|i| i.op.info().indices.contains(&Index::Io)).is_some_and(|i| {
            let value = if instr.ty.bits == 0 { body[i.src(0)].ty } else { instr.ty };
            value.bits < 32
        })
    })
}

/// Leaves the modules of a library in a folder; equal ones are one file.
fn keep(folder: &Path, metallib: &[u8]) -> Result<(), String> {
    let library = metallib::read(metallib).map_err(|e| e.to_string())?;
    for function in &library.functions {
        let bytes = function.bitcode().map_err(|e| e.to_string())?;
        let mut hasher = DefaultHasher::new();
        bytes.hash(&mut hasher);
        let file = folder.join(format!("{:016x}.bc", hasher.finish()));
        std::fs::write(&file, bytes).map_err(|e| format!("{}: {e}", file.display()))?;
    }
    Ok(())
}

/// Everything that is executed obeys Metal's rules.
fn check(metallib: &[u8]) -> Result<(), String> {
    let found = lint::library(metallib, &lint::Options::default());
    let error = found.iter().find(|f| !f.rule.info().warning);
    error.map_or(Ok(()), |f| Err(format!("the library violates a rule of Metal: {f}")))
}

/// A shader as a function, with the buffers that it shares with other stages.
fn compile(
    shader: &Shader,
    config: &Config,
    options: &Options,
    plan: &PlanOptions,
) -> Result<(Function, Reflection, Vec<BufferLayout>), String> {
    let words = |faults: Vec<Diagnostic>| {
        faults.first().map_or_else(|| "no reason given".to_owned(), ToString::to_string)
    };
    let mut lowered = [shader.clone()];
    let steps = metal_plan(&lowered, plan);
    let layouts = lower(&mut lowered, &steps, plan, &mut Manager::default()).map_err(words)?;
    let shared = layouts.stages.first().cloned().unwrap_or_default();
    let selected = emit(&lowered, layouts, options).map_err(words)?;
    let metallib = library(&selected, options).map_err(words)?;
    check(&metallib)?;
    let Some(Selected { reflection, .. }) = selected.into_iter().next() else {
        return Err("no function".to_owned());
    };
    if let Some(folder) = &config.keep {
        keep(folder, &metallib)?;
    }
    Ok((Function::of_library(&metallib, None)?, reflection, shared))
}

impl<'s> Program<'s> {
    /// Compiles a shader that is in the form backends take.
    ///
    /// # Errors
    /// Shaders that cannot be expressed in AIR, or cannot be executed.
    pub fn new(shader: &'s Shader, config: Config) -> Result<Program<'s>, String> {
        Program::with_options(shader, config, &default_options()?, &PlanOptions::new(OptLevel::O2))
    }

    /// Compiles a shader with options of instruction selection and choices of the compile plan.
    ///
    /// # Errors
    /// As [`Program::new`].
    pub fn with_options(
        shader: &'s Shader,
        config: Config,
        options: &Options,
        plan: &PlanOptions,
    ) -> Result<Program<'s>, String> {
        if shader.form != Form::Target {
            return Err(format!("the shader is in the form {}, AIR is made of the form target", shader.form));
        }
        let (options, mut plan) = (options.clone(), plan.clone());
        plan.stages.first_provokes = config.first_provokes;
        plan.lowerings.robust_arrays |= config.robust;
        let (function, reflection, layouts) = compile(shader, &config, &options, &plan)?;
        let (inputs, outputs) = (variables(shader, Modes::IN), variables(shader, Modes::OUT));
        if !layouts.is_empty() && has_narrow_values(shader) {
            return Err("16-bit values between stages cannot be executed yet".to_owned());
        }
        let geometry = layouts
            .first()
            .filter(|_| shader.stage == Stage::Geometry)
            .map(|vertices| Geometry::new(shader, vertices.layout.clone(), config.first_provokes));
        Ok(Program {
            shader,
            function,
            reflection,
            inputs,
            outputs,
            config,
            options,
            plan,
            layouts,
            geometry,
        })
    }

    /// Compiles the function again if it was compiled for patches of another size.
    pub(super) fn compile_for_patches_of(&mut self, vertices: usize) -> Result<(), String> {
        let vertices = u32::try_from(vertices).unwrap_or(u32::MAX);
        if self.plan.stages.patch_vertices != vertices {
            self.plan.stages.patch_vertices = vertices;
            (self.function, self.reflection, self.layouts) =
                compile(self.shader, &self.config, &self.options, &self.plan)?;
        }
        Ok(())
    }

    pub(super) fn geometry_stage(&self) -> Option<&Geometry> {
        self.geometry.as_ref()
    }

    pub(super) fn config(&self) -> &Config {
        &self.config
    }

    /// Size of a workgroup.
    pub(super) fn threads(&self) -> [u32; 3] {
        self.reflection.workgroup_size.unwrap_or(self.config.workgroup.map(|n| n.max(1)))
    }

    /// Metal index of the buffer of a set and binding, if the function uses it.
    pub(super) fn buffer_index(&self, set: u32, binding: u32) -> Option<u32> {
        let mut arguments = self.reflection.arguments.iter();
        arguments.find(|a| (a.set, a.binding) == (Some(set), Some(binding))).map(|a| a.index)
    }

    /// The shader.
    pub fn shader(&self) -> &'s Shader {
        self.shader
    }

    /// The function.
    pub fn function(&self) -> &Function {
        &self.function
    }

    /// Runs with resources bound by set, binding and name; buffers that only this engine needs exist during the call.
    pub(super) fn bound<T>(
        &self,
        resources: &mut Resources,
        f: impl FnOnce(&Function, &mut Resources, &Bindings) -> Result<T, String>,
    ) -> Result<T, String> {
        self.bound_in_draw(resources, &System::new(), f)
    }

    /// The same in a draw, whose parameters Metal does not have.
    pub(super) fn bound_in_draw<T>(
        &self,
        resources: &mut Resources,
        common: &System,
        f: impl FnOnce(&Function, &mut Resources, &Bindings) -> Result<T, String>,
    ) -> Result<T, String> {
        let before = resources.buffers.len();
        let result = self.bind(resources).and_then(|mut bindings| {
            let draw = self.buffer_index(stage_buffer::SET, DRAW.binding);
            if let Some(index) = draw.filter(|index| !bindings.buffers.contains_key(index)) {
                let word = |v| common.get(v).map_or(0, |value| value[0] as u32);
                let words = [word(SystemValue::draw_id), word(SystemValue::base_vertex)];
                let bytes = words.into_iter().flat_map(u32::to_le_bytes).collect();
                let buffer = resources.add_buffer(bytes);
                bindings.buffers.insert(index, Binding::Buffer { buffer, offset: 0, size: None });
            }
            f(&self.function, resources, &bindings)
        });
        resources.buffers.truncate(before);
        result
    }

    fn bind(&self, resources: &mut Resources) -> Result<Bindings, String> {
        let mut bindings = Bindings::default();
        let mut sizes: Vec<u32> = vec![0; BUFFERS];
        let whole = |buffer| Binding::Buffer { buffer, offset: 0, size: None };
        for argument in &self.reflection.arguments {
            match argument.kind {
                ArgumentKind::PushConstants => {
                    let bytes = resources.push_constants.clone();
                    bindings.buffers.insert(argument.index, whole(resources.add_buffer(bytes)));
                }
                ArgumentKind::DefaultUniforms => {
                    return Err("uniforms outside blocks cannot be set for AIR yet".to_owned());
                }
                ArgumentKind::BufferSizes | ArgumentKind::ArgumentBuffer => {}
                _ => {
                    for element in 0..argument.count.unwrap_or(MOST_ELEMENTS) {
                        self.bind_one(resources, argument, element, &mut bindings, &mut sizes)?;
                    }
                }
            }
        }
        if let Some(argument) = self.reflection.arguments.iter().find(|a| a.kind == ArgumentKind::BufferSizes)
        {
            let bytes = sizes.iter().flat_map(|n| n.to_le_bytes()).collect();
            bindings.buffers.insert(argument.index, whole(resources.add_buffer(bytes)));
        }
        Ok(bindings)
    }

    fn bind_one(
        &self,
        resources: &mut Resources,
        argument: &Argument,
        element: u32,
        bindings: &mut Bindings,
        sizes: &mut Vec<u32>,
    ) -> Result<(), String> {
        let space = match argument.kind {
            ArgumentKind::UniformBuffer => Space::Uniform,
            ArgumentKind::StorageBuffer => Space::Storage,
            ArgumentKind::Image => Space::Image,
            _ => Space::Texture,
        };
        // The sampler of a combined texture is named after it.
        let names = [argument.name.as_str(), argument.name.trim_end_matches("Sampler")];
        let find = |name| resources.find(space, name, argument.set, argument.binding, element);
        let Some(found) = names.into_iter().find_map(find).cloned() else {
            if space == Space::Uniform && !resources.uniforms().is_empty() {
                return Err(format!(
                    "`{}`: members of unbound blocks cannot be set for AIR yet",
                    argument.name
                ));
            }
            return Ok(());
        };
        let index = argument.index + element * argument.step;
        if let (Some(slot), &Binding::Buffer { buffer, offset, size }) = (argument.size_slot, &found) {
            let all = resources.buffers.get(buffer).map_or(0, |b| b.bytes.len() as u64);
            let rest = all.saturating_sub(offset);
            let slot = (slot + element) as usize;
            sizes.resize(sizes.len().max(slot + 1), 0);
            sizes[slot] = u32::try_from(size.unwrap_or(rest).min(rest)).unwrap_or(u32::MAX);
        }
        if let Some(buffer) = argument.argument_buffer {
            let contents = bindings.argument_buffers.entry(buffer).or_default();
            let found = match (argument.kind, found) {
                (ArgumentKind::Sampler, Binding::Texture { sampler: Some(n), .. }) => Binding::Sampler(n),
                (ArgumentKind::Sampler, Binding::Sampler(n)) => Binding::Sampler(n),
                (ArgumentKind::Sampler, _) => return Ok(()),
                (_, found) => found,
            };
            contents.insert(index, found);
            return Ok(());
        }
        match (argument.kind, &found) {
            (ArgumentKind::Sampler, Binding::Sampler(n) | Binding::Texture { sampler: Some(n), .. }) => {
                bindings.samplers.insert(index, *n);
            }
            // Without sampler a texture is read with the default one.
            (ArgumentKind::Sampler, _) => {}
            (ArgumentKind::UniformBuffer | ArgumentKind::StorageBuffer, Binding::Buffer { .. }) => {
                bindings.buffers.insert(index, found);
            }
            (ArgumentKind::Texture | ArgumentKind::Image, Binding::Buffer { .. } | Binding::Sampler(_))
            | (ArgumentKind::UniformBuffer | ArgumentKind::StorageBuffer, _) => {
                return Err(format!("the resource bound to `{}` is of another kind", argument.name));
            }
            _ => {
                let words = argument.type_name.contains("<uint");
                bindings.textures.insert(index, if words { in_words(resources, found) } else { found });
            }
        }
        Ok(())
    }

    /// Runs workgroups.
    ///
    /// # Errors
    /// Faults of the shader, or of the bindings.
    pub fn compute(&self, resources: &mut Resources, groups: [u32; 3]) -> Result<(), String> {
        let threads = self.threads();
        self.bound(resources, |function, resources, bindings| {
            function.kernel(resources, bindings, Launch { groups, threads }, &self.config)
        })
    }

    /// Shades vertices.
    ///
    /// # Errors
    /// Faults of the shader, or of the bindings.
    pub fn vertices(
        &self,
        resources: &mut Resources,
        common: &System,
        vertices: &[Vertex],
    ) -> Result<Vec<Values>, String> {
        self.bound_in_draw(resources, common, |function, resources, bindings| {
            function.vertices(resources, bindings, common, vertices, &self.config)
        })
    }

    /// Shades quads.
    ///
    /// # Errors
    /// Faults of the shader, or of the bindings.
    pub fn fragments(
        &self,
        resources: &mut Resources,
        batch: &FragmentBatch<'_>,
    ) -> Result<Vec<[FragmentOutput; 4]>, String> {
        self.bound(resources, |function, resources, bindings| {
            function.fragments(resources, bindings, batch, &self.config)
        })
    }
}

fn fault(message: String) -> Fault {
    Fault { kind: FaultKind::Unsupported, message, instruction: None, line: None }
}

impl Stages for Program<'_> {
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
        match self.layouts.is_empty() {
            true => self.vertices(resources, common, vertices).map_err(fault),
            false => self.vertex_kernel(resources, common, vertices).map_err(fault),
        }
    }

    fn fragment(
        &mut self,
        resources: &mut Resources,
        batch: &FragmentBatch<'_>,
    ) -> Result<Vec<[FragmentOutput; 4]>, Fault> {
        self.fragments(resources, batch).map_err(fault)
    }

    fn compute(
        &mut self,
        resources: &mut Resources,
        _common: &System,
        groups: [u32; 3],
    ) -> Result<(), Fault> {
        Program::compute(self, resources, groups).map_err(fault)
    }

    fn geometry(
        &mut self,
        resources: &mut Resources,
        _common: &System,
        primitives: &[GeometryPrimitive<'_>],
    ) -> Result<Vec<[Stream; 4]>, Fault> {
        Program::geometry(self, resources, primitives).map_err(fault)
    }

    fn tess_control(
        &mut self,
        resources: &mut Resources,
        common: &System,
        patches: &[GeometryPrimitive<'_>],
    ) -> Result<Vec<Patch>, Fault> {
        self.control_kernel(resources, common, patches).map_err(fault)
    }

    fn tess_eval(
        &mut self,
        resources: &mut Resources,
        common: &System,
        points: &[TessPoint<'_>],
    ) -> Result<Vec<Values>, Fault> {
        self.evaluate(resources, common, points).map_err(fault)
    }
}
