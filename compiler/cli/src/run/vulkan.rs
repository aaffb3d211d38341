//! `--engine vulkan`: a driver executes the shaders as Airfoil writes them.

use super::args::RunArgs;
use super::interface::{Interface, Kind};
use crate::Failure;
use crate::plan::usage;
use airfoil::glsl::{ProgramOptions, Source};
use airfoil::ir::{Modes, Scalar, Slot, SystemValue, Type, Variable};
use airfoil::{Diagnostic, Shader, Stage};
use airfoil_interp::pipeline::{Draw, State, Target};
use airfoil_interp::run::{Vertex, variables};
use airfoil_interp::{Resources, System};
use airfoil_vulkan::opengl::{self, Program};
use airfoil_vulkan::{Device, Error};
use std::fmt::Write;

/// Location of the position, where a fragment shader is drawn alone.
const POSITION: u32 = 15;

/// A program on a device.
#[derive(Debug)]
pub struct Driver {
    device: Device,
    program: Program,
    /// The vertex shader passes on the inputs of a fragment shader that is drawn alone.
    alone: bool,
}

fn diagnostic(error: &Error) -> Diagnostic {
    Diagnostic::error("E0042", error.to_string())
}

fn unsupported(what: &str) -> Diagnostic {
    Diagnostic::error("E0042", format!("{what} on a Vulkan driver"))
}

/// Rejects options that drivers do not have.
pub fn check(args: &RunArgs) -> Result<(), Failure> {
    let fault = if args.trace.is_some() {
        "`--trace` is not supported on a Vulkan driver"
    } else if args.profile.is_some() {
        "`--profile` is not supported on a Vulkan driver"
    } else if args.samples > 1 {
        "`--samples` is not supported on a Vulkan driver"
    } else if !args.builtin.is_empty() {
        "`--builtin` is not supported on a Vulkan driver, which sets built-in inputs itself"
    } else {
        return Ok(());
    };
    Err(usage(fault, "omit the option or `--engine vulkan`"))
}

/// Gives every resource a descriptor set by its kind and a binding of its own, in the shaders and in the interface by which
/// resources are bound.
pub fn number(shaders: &mut [Shader], interface: &mut Interface) {
    for shader in shaders {
        let types = &shader.types;
        for var in shader.vars.values_mut() {
            let kind = match var.mode {
                Modes::UBO => Kind::Uniform,
                Modes::SSBO => Kind::Storage,
                Modes::IMAGE => Kind::Image,
                Modes::UNIFORM if types.is_opaque(var.ty) => Kind::Texture,
                _ => continue,
            };
            let is_same = |r: &&super::interface::Resource| {
                let at = (r.set, r.binding) == (var.set.unwrap_or(0), var.binding);
                r.kind == kind && at && r.name == var.name
            };
            if let Some(resource) = interface.list.iter().find(is_same) {
                var.binding = Some(resource.same as u32);
            }
        }
    }
    for resource in &mut interface.list {
        if let Some(space) = resource.kind.space() {
            (resource.set, resource.binding) = (opengl::set_of(space), Some(resource.same as u32));
        }
    }
}

impl Driver {
    /// Opens the device, and writes the modules of a program.
    pub fn new(shaders: &[Shader], args: &RunArgs, vulkan: bool) -> Result<Driver, Vec<Diagnostic>> {
        let loose = |s: &Shader, v: &Variable| v.mode == Modes::UNIFORM && !s.types.is_opaque(v.ty);
        if shaders.iter().any(|s| s.vars.values().any(|v| loose(s, v))) {
            return Err(vec![unsupported("uniforms outside of blocks are not supported")]);
        }
        let position = |v: &Variable| {
            let value =
                [SystemValue::frag_coord, SystemValue::point_coord].map(Some).contains(&v.system_value);
            value || (v.mode == Modes::IN && v.location == Some(Slot::POSITION))
        };
        let fragment = shaders.iter().find(|s| s.stage == Stage::Fragment);
        if fragment.is_some_and(|s| s.info.origin_upper_left != vulkan && s.vars.values().any(position)) {
            let fault =
                unsupported("window coordinates from the other corner than `--api` has are not supported");
            return Err(vec![fault]);
        }
        let mut all = shaders.to_vec();
        if let Some(compute) = all.iter_mut().find(|s| s.stage == Stage::Compute) {
            compute.info.workgroup_size.get_or_insert(args.workgroup_size.0);
        }
        let alone = match fragment {
            Some(fragment) if shaders.len() == 1 => {
                all.push(passes_on(fragment)?);
                true
            }
            _ => false,
        };
        if fragment.is_none() && all.iter().all(|s| s.stage != Stage::Compute) {
            return Err(vec![unsupported("draws without a fragment shader are not supported")]);
        }
        let device = Device::open(args.device.as_deref()).map_err(|e| {
            let help = "`apt-get install mesa-vulkan-drivers` installs a driver that needs no GPU on Debian";
            vec![diagnostic(&e).help(help)]
        })?;
        let program = Program::new(&all).map_err(|e| vec![diagnostic(&e)])?;
        Ok(Driver { device, program, alone })
    }

    /// Executes workgroups.
    pub fn compute(&self, resources: &mut Resources, groups: [u32; 3]) -> Result<(), Vec<Diagnostic>> {
        self.program.compute(&self.device, resources, groups).map_err(|e| vec![diagnostic(&e)])
    }

    /// Draws one instance.
    pub fn draw(
        &self,
        resources: &mut Resources,
        draw: &Draw<'_>,
        instance: u32,
        state: &State,
        target: &mut Target,
    ) -> Result<(), Vec<Diagnostic>> {
        let mut vertices: Vec<Vertex> = draw.vertices.to_vec();
        if self.alone
            && let Some(location) = Slot::generic(POSITION)
        {
            for vertex in &mut vertices {
                let position = vertex.inputs.floats(Slot::POSITION).unwrap_or([0.0, 0.0, 0.0, 1.0]);
                vertex.inputs.set_floats(location, position);
            }
        }
        let system = System::new().with(SystemValue::instance_index, u64::from(instance));
        let draw = Draw { vertices: &vertices, system, ..draw.clone() };
        let done = self.program.draw(&self.device, resources, &draw, state, target);
        done.map_err(|e| vec![diagnostic(&e)])
    }
}

/// The vertex shader of a fragment shader that is drawn alone: it passes on its inputs.
fn passes_on(fragment: &Shader) -> Result<Shader, Vec<Diagnostic>> {
    let (mut declarations, mut stores) = (String::new(), String::new());
    for var in variables(fragment, Modes::IN) {
        let Some(location) = var.slot.as_generic() else { continue };
        let Type::Vector { scalar, comps } = fragment.types[var.ty] else {
            return Err(vec![unsupported(
                "a fragment shader alone with inputs of this type is not supported",
            )]);
        };
        let (one, many) = match scalar {
            Scalar::Float32 => ("float", "vec"),
            Scalar::Int32 => ("int", "ivec"),
            Scalar::Uint32 => ("uint", "uvec"),
            _ => {
                return Err(vec![unsupported(
                    "a fragment shader alone with inputs of this type is not supported",
                )]);
            }
        };
        if location >= POSITION {
            return Err(vec![unsupported(&format!(
                "a fragment shader alone with location {POSITION} is not supported"
            ))]);
        }
        let ty = if comps == 1 { one.to_string() } else { format!("{many}{comps}") };
        let (name, c) = (format!("{location}_{}", var.component), var.component);
        // Writing to a string cannot fail.
        let _ = writeln!(declarations, "layout(location = {location}, component = {c}) in {ty} i{name};");
        let _ = writeln!(declarations, "layout(location = {location}, component = {c}) out {ty} o{name};");
        let _ = writeln!(stores, "  o{name} = i{name};");
    }
    let text = format!(
        "#version 450\nlayout(location = {POSITION}) in vec4 position;\n{declarations}void main() {{\n  gl_Position = position;\n{stores}}}\n"
    );
    let source = Source { name: "vertex", stage: Stage::Vertex, text: &text };
    let options = ProgramOptions { vulkan: true, ..ProgramOptions::default() };
    let shaders = airfoil::glsl::build(&[source], &options)?.shaders;
    shaders.into_iter().next().ok_or_else(|| vec![unsupported("no vertex shader")])
}
