//! Executing shaders with the interpreter.

use crate::call::call;
use crate::diagnostic::warn;
use crate::resources::Given;
use crate::shader::{PyShader, Shaders, copies};
use airfoil::interp::pipeline::{ClipDepth, Draw, Pipeline, State, Target, Topology};
use airfoil::interp::run::{IoVar, Vertex};
use airfoil::interp::texture::Format;
use airfoil::interp::{Config, Fault, FaultKind, Program, System, Values};
use airfoil::ir::alu::f64_to_bits;
use airfoil::ir::{Scalar, Slot, SystemValue};
use airfoil::{Diagnostic, Place, Shader, Stage};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// Most pixels of an image.
const MOST_PIXELS: u64 = 1 << 26;

/// Topologies by name.
const TOPOLOGIES: &[(&str, Topology)] = &[
    ("points", Topology::Points),
    ("lines", Topology::Lines),
    ("line_strip", Topology::LineStrip),
    ("triangles", Topology::Triangles),
    ("triangle_strip", Topology::TriangleStrip),
    ("triangle_fan", Topology::TriangleFan),
];

/// The diagnostic of a fault, with the codes of `airfoil run`.
fn diagnostic(fault: &Fault) -> Diagnostic {
    let code = match fault.kind {
        FaultKind::Undefined => "E0041",
        FaultKind::Unsupported => "E0042",
        FaultKind::Steps => "E0043",
    };
    let mut diagnostic = Diagnostic::error(code, fault.message.clone());
    if let Some((file, line)) = &fault.line {
        diagnostic = diagnostic.at(Place::Text { file: file.clone(), line: *line, column: 0 });
    }
    match &fault.instruction {
        Some(instruction) => diagnostic.help(format!("the instruction is `{instruction}`")),
        None => diagnostic,
    }
}

fn failed(fault: Fault) -> Vec<Diagnostic> {
    vec![diagnostic(&fault)]
}

fn config(max_steps: Option<u64>) -> Config {
    let config = Config::default();
    Config { max_steps: max_steps.unwrap_or(config.max_steps), ..config }
}

/// Executes workgroups of a compute shader; the bytes of the buffers afterwards, in the order in which they were given.
#[pyfunction]
pub fn _dispatch<'py>(
    py: Python<'py>,
    shader: &Bound<'py, PyShader>,
    groups: [u32; 3],
    given: Given,
    max_steps: Option<u64>,
) -> PyResult<Vec<Bound<'py, PyBytes>>> {
    let shader = shader.get().get();
    if shader.stage != Stage::Compute {
        return Err(PyValueError::new_err(format!(
            "expected a compute shader, found a {} shader",
            shader.stage
        )));
    }
    let mut bound = given.bind(&[&shader]).map_err(PyValueError::new_err)?;
    let bound = call(py, move || {
        airfoil::steps::validate(&shader)?;
        let mut program = Program::new(&shader, config(max_steps)).map_err(failed)?;
        program.compute(&mut bound.resources, &System::new(), groups).map_err(failed)?;
        Ok(bound)
    })?;
    let bytes = |&n: &usize| PyBytes::new(py, &bound.resources.buffers[n].bytes);
    Ok(bound.buffers.iter().map(bytes).collect())
}

/// A draw without its resources.
#[derive(FromPyObject)]
pub struct View {
    width: u32,
    height: u32,
    topology: String,
    /// Per attribute its name, components, and the numbers of all vertices.
    attributes: Vec<(String, usize, Vec<f64>)>,
    vertices: Option<usize>,
    clear: [f64; 4],
    output: usize,
}

/// An image: type of its numbers and the texels of four numbers each, the highest row first.
type ImageParts<'py> = (&'static str, Bound<'py, PyBytes>);

/// Draws, and returns a colour of the image.
#[pyfunction]
pub fn _render<'py>(
    py: Python<'py>,
    shaders: Shaders<'py>,
    view: View,
    given: Given,
    max_steps: Option<u64>,
) -> PyResult<ImageParts<'py>> {
    let vulkan = shaders.as_slice().iter().all(|shader| shader.get().vulkan());
    let shaders = copies(shaders.as_slice());
    let refused = |message: String| Err(PyValueError::new_err(message));
    if !shaders.iter().any(|s| s.stage == Stage::Fragment) {
        return refused("expected a fragment shader among the shaders".into());
    }
    if u64::from(view.width) * u64::from(view.height) > MOST_PIXELS {
        return refused(format!("an image has {MOST_PIXELS} pixels at most"));
    }
    if view.width == 0 || view.height == 0 || view.output > 7 {
        return refused("expected a size of at least 1x1 and a colour from 0 to 7".into());
    }
    let Some(&(_, topology)) = TOPOLOGIES.iter().find(|(name, _)| *name == view.topology) else {
        let names = TOPOLOGIES.iter().map(|(name, _)| *name);
        return Err(crate::diagnostic::unknown("topology", &view.topology, names));
    };
    let list: Vec<&Shader> = shaders.iter().map(|shader| &**shader).collect();
    let mut bound = given.bind(&list).map_err(PyValueError::new_err)?;
    let work = || {
        for shader in &list {
            airfoil::steps::validate(shader)?;
        }
        let programs = list.iter().map(|shader| Program::new(shader, config(max_steps)));
        let mut pipeline = programs.collect::<Result<_, _>>().and_then(Pipeline::of).map_err(failed)?;
        let scalar = scalar_of(&pipeline, view.output);
        let (vertices, topology) = match pipeline.program(Stage::Vertex).map(|p| p.inputs().to_vec()) {
            Some(inputs) => (view.vertices(&inputs, None)?, topology),
            None => {
                let inputs = pipeline.program(Stage::Fragment).map(|p| p.inputs().to_vec());
                (view.vertices(&inputs.unwrap_or_default(), Some(4))?, Topology::TriangleStrip)
            }
        };
        let mut target = view.target(scalar);
        let draw = Draw { topology, vertices: &vertices, indices: None, system: System::new() };
        let state = view.state(vulkan);
        pipeline.draw(&mut bound.resources, &draw, &state, &mut target).map_err(failed)?;
        Ok((target, scalar))
    };
    let (target, scalar) = call(py, work)?;
    if target.undefined != 0 {
        let message =
            format!("{} fragments have undefined components, which were not written", target.undefined);
        warn(py, &[Diagnostic::warning("E0045", message)])?;
    }
    let rows = target.colors[view.output].chunks(view.width as usize);
    let bytes =
        |row: &[[u32; 4]]| row.iter().flatten().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>();
    let mut rows: Vec<Vec<u8>> = rows.map(bytes).collect();
    if !vulkan {
        // OpenGL's first row is the lowest.
        rows.reverse();
    }
    let kind = match scalar {
        s if s.is_float() => "float32",
        s if s.is_signed() => "int32",
        _ => "uint32",
    };
    Ok((kind, PyBytes::new(py, &rows.concat())))
}

/// The type of a colour.
fn scalar_of(pipeline: &Pipeline<'_>, n: usize) -> Scalar {
    let outputs = pipeline.program(Stage::Fragment).map(|p| p.outputs()).unwrap_or_default();
    let slot = Slot::generic(n as u32);
    let own = outputs.iter().find(|o| Some(o.slot) == slot || o.slot == Slot::FRAG_COLOR);
    own.map_or(Scalar::Float32, |o| o.scalar)
}

impl View {
    fn target(&self, scalar: Scalar) -> Target {
        let mut target = Target::new(self.width, self.height, 1, self.output + 1);
        let float = scalar.is_float() || scalar == Scalar::Any;
        let (format, clear) = match scalar {
            _ if float => (Format::Rgba32f, self.clear.map(|x| (x as f32).to_bits())),
            s if s.is_signed() => (Format::Rgba32i, self.clear.map(|x| x as i32 as u32)),
            _ => (Format::Rgba32ui, self.clear.map(|x| x as u32)),
        };
        target.formats[self.output] = format;
        target.clear(self.output, clear);
        target.depth = Some(vec![1.0; self.width as usize * self.height as usize]);
        target
    }

    fn state(&self, vulkan: bool) -> State {
        let mut state = State::new(self.width, self.height);
        state.shader_point_size = true;
        if vulkan {
            (state.y_down, state.first_provokes, state.clip_depth) = (true, true, ClipDepth::ZeroToOne);
        }
        state
    }

    /// The vertices. A fragment shader that is drawn alone has the corners of the image, whose inputs are their coordinates
    /// from 0 to 1.
    fn vertices(&self, inputs: &[IoVar], corners: Option<usize>) -> Result<Vec<Vertex>, Vec<Diagnostic>> {
        let fault = |message: String| vec![Diagnostic::error("E0040", message)];
        let mut given = Vec::with_capacity(self.attributes.len());
        for (name, comps, numbers) in &self.attributes {
            let Some(input) = inputs.iter().position(|i| *i.name == **name) else {
                let there: Vec<&str> = inputs.iter().map(|i| &*i.name).collect();
                return Err(fault(format!("there is no input `{name}`; there is: {}", there.join(", "))));
            };
            let most = inputs[input].num_slots as usize * usize::from(inputs[input].comps);
            if *comps == 0 || *comps > most {
                let message = format!("`{name}`: expected 1 to {most} numbers per vertex, found {comps}");
                return Err(fault(message));
            }
            given.push((input, *comps, numbers));
        }
        let all = given.iter().map(|(_, comps, numbers)| numbers.len() / comps).min();
        let count = corners.or(self.vertices).or(all).unwrap_or(3);
        if let Some(all) = all.filter(|all| *all < count) {
            return Err(fault(format!("{count} vertices are drawn, but the attributes have {all}")));
        }
        let vertex = |n: usize| {
            let mut values = Values::new();
            if corners.is_some() {
                let place = [(n & 1) as f64, (n >> 1) as f64];
                inputs.iter().for_each(|input| set(input, &[place[0], place[1], 0.0, 1.0], &mut values));
                values.set_floats(
                    Slot::POSITION,
                    [place[0] as f32 * 2.0 - 1.0, place[1] as f32 * 2.0 - 1.0, 0.0, 1.0],
                );
            }
            for (input, comps, numbers) in &given {
                set(&inputs[*input], &numbers[n * comps..][..*comps], &mut values);
            }
            let id = |system: System, value| system.with(value, n as u64);
            let system = id(System::new(), SystemValue::vertex_id);
            Vertex { inputs: values, system: id(system, SystemValue::vertex_id_zero_base) }
        };
        Ok((0..count).map(vertex).collect())
    }
}

/// Sets the components of an input, columns one after the other; those that are left out are 0, 0, 0, 1 (OpenGL 4.6
/// section 10.2).
fn set(input: &IoVar, numbers: &[f64], values: &mut Values) {
    let wide = input.scalar.bits() == 64;
    let comps = usize::from(input.comps).max(1);
    let step = if wide && comps > 2 { 2 } else { 1 };
    for column in 0..input.num_slots / step {
        let own = numbers.get(column as usize * comps..).unwrap_or_default();
        for c in 0..comps as u32 {
            let number = own.get(c as usize).copied().unwrap_or(if c == 3 { 1.0 } else { 0.0 });
            let bits = match input.scalar {
                Scalar::Any => f64_to_bits(number, 32),
                s if s.is_float() => f64_to_bits(number, u32::from(s.bits())),
                s if s.is_signed() => number as i64 as u64,
                _ => number as u64,
            };
            let at = input.component + if wide { c * 2 } else { c };
            let Some(slot) = input.slot.offset(column * step + at / 4) else { continue };
            if wide {
                values.set_wide(slot, at % 4, bits);
            } else {
                values.set(slot, at % 4, bits as u32);
            }
        }
    }
}
