//! A graphics pipeline around programs: vertices in, pixels out.
//!
//! [`Pipeline::draw`] runs the stages of a program: vertices, tessellation (control, the fixed division of
//! `tessellate.rs`, evaluation), geometry, then assembly, clipping (`place.rs`), rasterisation to pixels or samples
//! (`raster.rs`, `samples.rs`), quads of fragments (`shade.rs`), and the tests and blending of their outputs
//! (`write.rs`): `stencil.rs`, `depth.rs`, `blend.rs`. Colours have the range and precision of the target's formats;
//! `attachment.rs` takes them from images and writes them back.

mod assemble;
mod attachment;
mod blend;
mod clip;
mod depth;
mod fetch;
#[cfg(test)]
mod output_tests;
mod place;
mod raster;
mod samples;
mod shade;
mod stages;
mod state;
mod stencil;
mod tessellate;
#[cfg(test)]
mod tests;
mod write;

pub use assemble::{Assembled, Topology, assemble};
pub use blend::{Blend, BlendOp, Equation, Factor};
pub use clip::ClipDepth;
pub use depth::DepthBias;
pub use samples::MAX_SAMPLES;
pub use stages::Stages;
pub use state::{ColorState, Draw, State, Target};
pub use stencil::{Stencil, StencilFace, StencilOp};
pub use tessellate::{Domain, Tessellation, tessellate};

use crate::fault::Fault;
use crate::resources::Resources;
use crate::run::{Config, GeometryPrimitive, Patch, Program, TessPoint};
use crate::values::{System, Values};
use airfoil_ir::{Shader, Slot, Stage, SystemValue};
use std::marker::PhantomData;

/// The stages of a graphics program, prepared by the interpreter or by another engine.
///
/// # Examples
///
/// A triangle that is twice as large as the window. Without a vertex shader its vertices are drawn as they are:
///
/// ```
/// use airfoil_interp::pipeline::{Draw, Pipeline, State, Target, Topology};
/// use airfoil_interp::{Config, Resources, System, run::Vertex};
/// use airfoil_ir::Slot;
///
/// # let shaders = [airfoil_ir::text::parse(r#"foil 1
/// # shader fragment "color" {
/// #   in float x location=0 smooth
/// #   out float o location=0
/// #   fn main {
/// #     %x = load_deref &x
/// #     store_deref &o, %x
/// #   }
/// # }"#).unwrap()];
/// let vertices = [(-1.0, -1.0), (3.0, -1.0), (-1.0, 3.0)].map(|(x, y)| {
///     let mut vertex = Vertex::default();
///     vertex.inputs.set_floats(Slot::POSITION, [x, y, 0.0, 1.0]);
///     vertex.inputs.set_floats(Slot::generic(0).unwrap(), [x; 4]);
///     vertex
/// });
/// let draw = Draw { topology: Topology::Triangles, vertices: &vertices, indices: None, system: System::new() };
/// let mut target = Target::new(2, 1, 1, 1);
/// let mut pipeline = Pipeline::new(&shaders, &Config::default())?;
/// pipeline.draw(&mut Resources::new(), &draw, &State::new(2, 1), &mut target)?;
/// assert_eq!([0, 1].map(|x| target.floats(0, x, 0, 0).unwrap()[0]), [-0.5, 0.5]);
/// # Ok::<(), airfoil_interp::Fault>(())
/// ```
#[derive(Debug)]
pub struct Pipeline<'s, P = Program<'s>> {
    vertex: Option<P>,
    control: Option<P>,
    evaluation: Option<P>,
    geometry: Option<P>,
    fragment: Option<P>,
    shaders: PhantomData<&'s Shader>,
}

/// Primitives on their way, and the values of their vertices.
#[derive(Debug, Default)]
struct Stream {
    values: Vec<Values>,
    primitives: Vec<Assembled>,
    /// Primitives of patches and instances have numbers of their own: that of each primitive.
    numbers: Vec<u32>,
}

/// The result of a draw, apart from its image.
///
/// # Examples
///
/// ```
/// use airfoil_interp::pipeline::{Draw, Pipeline, State, Target, Topology};
/// use airfoil_interp::{Config, Resources, System, run::Vertex};
///
/// let slot = airfoil_ir::Slot::generic(0).unwrap();
/// let mut vertices = vec![Vertex::default(); 3];
/// (0..).zip(&mut vertices).for_each(|(n, v)| v.inputs.set(slot, 0, n));
/// let draw = Draw { topology: Topology::LineStrip, vertices: &vertices, indices: None, system: System::new() };
/// let mut pipeline = Pipeline::new(&[], &Config::default())?;
/// let mut none = Target::new(1, 1, 1, 0);
/// let drawn = pipeline.draw(&mut Resources::new(), &draw, &State::new(1, 1), &mut none)?;
/// // Transform feedback captures whole primitives: the two lines share a vertex.
/// let captured = drawn.captured.iter().map(|v| v.get(slot, 0).unwrap());
/// assert!(captured.eq([0, 1, 1, 2]));
/// # Ok::<(), airfoil_interp::Fault>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Drawn {
    /// Number of primitives that reached rasterisation.
    pub primitives: u64,
    /// Values of their vertices, one after the other, as transform feedback sees them.
    pub captured: Vec<Values>,
}

impl<'s> Pipeline<'s> {
    /// Prepares the shaders of a program, which must not have compute shaders. Without a vertex shader the inputs of the
    /// vertices serve as its outputs.
    ///
    /// # Errors
    /// Unsupported features, or a stage that occurs twice.
    pub fn new(shaders: &'s [Shader], config: &Config) -> Result<Pipeline<'s>, Fault> {
        let programs = shaders.iter().map(|shader| Program::new(shader, config.clone()));
        Pipeline::of(programs.collect::<Result<_, _>>()?)
    }
}

impl<P: Stages> Pipeline<'_, P> {
    /// A pipeline of shaders that an engine has prepared.
    ///
    /// # Errors
    /// A stage that is not part of a draw or occurs twice.
    pub fn of(programs: Vec<P>) -> Result<Self, Fault> {
        let mut p = Pipeline {
            vertex: None,
            control: None,
            evaluation: None,
            geometry: None,
            fragment: None,
            shaders: PhantomData,
        };
        for program in programs {
            let stage = program.shader().stage;
            let Some(place) = p.place(stage) else {
                return Err(Fault::unsupported(format!("the stage {stage} is not part of a draw")));
            };
            if place.replace(program).is_some() {
                return Err(Fault::unsupported(format!("the stage {stage} is there twice")));
            }
        }
        Ok(p)
    }

    /// The program of a stage.
    pub fn program(&self, stage: Stage) -> Option<&P> {
        match stage {
            Stage::Vertex => self.vertex.as_ref(),
            Stage::TessControl => self.control.as_ref(),
            Stage::TessEval => self.evaluation.as_ref(),
            Stage::Geometry => self.geometry.as_ref(),
            Stage::Fragment => self.fragment.as_ref(),
            _ => None,
        }
    }

    /// The program of a stage, to be observed.
    pub fn program_mut(&mut self, stage: Stage) -> Option<&mut P> {
        self.place(stage)?.as_mut()
    }

    fn place(&mut self, stage: Stage) -> Option<&mut Option<P>> {
        Some(match stage {
            Stage::Vertex => &mut self.vertex,
            Stage::TessControl => &mut self.control,
            Stage::TessEval => &mut self.evaluation,
            Stage::Geometry => &mut self.geometry,
            Stage::Fragment => &mut self.fragment,
            _ => return None,
        })
    }

    /// The last stage before rasterisation.
    fn last(&self) -> Option<&P> {
        self.geometry.as_ref().or(self.evaluation.as_ref()).or(self.vertex.as_ref())
    }

    /// Executes a draw call and writes its image to the target.
    ///
    /// # Errors
    /// Faults of the shaders, indices of vertices that do not exist, primitives that the stages do not accept.
    pub fn draw(
        &mut self,
        resources: &mut Resources,
        draw: &Draw<'_>,
        state: &State,
        target: &mut Target,
    ) -> Result<Drawn, Fault> {
        let values = match &mut self.vertex {
            Some(vertex) => vertex.vertex(resources, &draw.system, draw.vertices)?,
            None => draw.vertices.iter().map(|v| v.inputs.clone()).collect(),
        };
        let n = draw.indices.map_or(values.len(), <[u32]>::len);
        let mut primitives = assemble(draw.topology, n as u32, state.first_provokes);
        if let Some(indices) = draw.indices {
            for v in primitives.iter_mut().flat_map(|p| &mut p.vertices) {
                *v = indices[*v as usize];
                if *v as usize >= values.len() {
                    return Err(Fault::unsupported(format!("vertex {v} does not exist")));
                }
            }
        }
        let numbers = (0..primitives.len() as u32).collect();
        let mut stream = Stream { values, primitives, numbers };
        if self.evaluation.is_some() {
            stream = self.tessellate(resources, draw, state, &stream)?;
        } else if matches!(draw.topology, Topology::Patches(_)) {
            return Err(Fault::unsupported("patches need tessellation shaders"));
        }
        if self.geometry.is_some() {
            stream = self.geometry(resources, draw, state, &stream)?;
        }
        let captured = |p: &Assembled| {
            let values = &stream.values;
            p.vertices.iter().map(|&v| values[v as usize].clone()).collect::<Vec<_>>()
        };
        let drawn = Drawn {
            primitives: stream.primitives.len() as u64,
            captured: stream.primitives.iter().flat_map(captured).collect(),
        };
        self.rasterise(resources, draw, state, &stream, target)?;
        Ok(drawn)
    }

    fn tessellate(
        &mut self,
        resources: &mut Resources,
        draw: &Draw<'_>,
        state: &State,
        stream: &Stream,
    ) -> Result<Stream, Fault> {
        let system = |n: u32| System::new().with(SystemValue::primitive_id, u64::from(n));
        let inputs: Vec<GeometryPrimitive<'_>> = stream
            .primitives
            .iter()
            .zip(&stream.numbers)
            .map(|(p, &n)| GeometryPrimitive {
                vertices: p.vertices.iter().map(|&v| &stream.values[v as usize]).collect(),
                system: system(n),
            })
            .collect();
        let patches = match &mut self.control {
            Some(control) => control.tess_control(resources, &draw.system, &inputs)?,
            None => inputs.iter().map(|p| default_patch(p, state)).collect(),
        };
        let Some(evaluation) = &mut self.evaluation else { return Ok(Stream::default()) };
        let info = &evaluation.shader().info;
        let domain = Domain {
            primitive: info.input_primitive,
            spacing: info.spacing,
            clockwise: info.clockwise,
            points: info.point_mode,
        };
        let mut out = Stream::default();
        for (patch, &number) in patches.iter().zip(&stream.numbers) {
            let level = |slot, c| patch.values.get(slot, c).map_or(0.0, f32::from_bits);
            let outer = [0, 1, 2, 3].map(|c| level(Slot::TESS_LEVEL_OUTER, c));
            let inner = [0, 1].map(|c| level(Slot::TESS_LEVEL_INNER, c));
            let made = tessellate(&domain, outer, inner);
            let points: Vec<TessPoint<'_>> =
                made.points.iter().map(|&coord| TessPoint { patch, coord, system: system(number) }).collect();
            let first = out.values.len() as u32;
            out.values.extend(evaluation.tess_eval(resources, &draw.system, &points)?);
            for p in &made.primitives {
                let vertices = p[..made.arity].iter().map(|&v| v + first).collect();
                let provoking = if state.first_provokes { 0 } else { made.arity - 1 };
                out.primitives.push(Assembled { vertices, provoking });
                out.numbers.push(number);
            }
        }
        Ok(out)
    }

    fn geometry(
        &mut self,
        resources: &mut Resources,
        draw: &Draw<'_>,
        state: &State,
        stream: &Stream,
    ) -> Result<Stream, Fault> {
        let Some(geometry) = &mut self.geometry else { return Ok(Stream::default()) };
        let inputs: Vec<GeometryPrimitive<'_>> = stream
            .primitives
            .iter()
            .zip(&stream.numbers)
            .map(|(p, &n)| GeometryPrimitive {
                vertices: p.vertices.iter().map(|&v| &stream.values[v as usize]).collect(),
                system: System::new().with(SystemValue::primitive_id, u64::from(n)),
            })
            .collect();
        let topology = Topology::of(geometry.shader().info.output_primitive);
        let mut out = Stream::default();
        for [strips, ..] in geometry.geometry(resources, &draw.system, &inputs)? {
            for strip in strips.primitives {
                let first = out.values.len() as u32;
                for mut p in assemble(topology, strip.len() as u32, state.first_provokes) {
                    p.vertices.iter_mut().for_each(|v| *v += first);
                    out.numbers.push(out.primitives.len() as u32);
                    out.primitives.push(p);
                }
                out.values.extend(strip);
            }
        }
        Ok(out)
    }
}

/// The patch that comes of its vertices where no control shader is.
fn default_patch(patch: &GeometryPrimitive<'_>, state: &State) -> Patch {
    let (outer, inner) = state.patch_levels;
    let mut values = Values::new();
    values.set_floats(Slot::TESS_LEVEL_OUTER, outer);
    values.set_floats(Slot::TESS_LEVEL_INNER, [inner[0], inner[1], 0.0, 0.0]);
    Patch { vertices: patch.vertices.iter().map(|&v| v.clone()).collect(), values }
}

impl Stream {
    fn corners(&self, p: &Assembled) -> Vec<Values> {
        p.vertices.iter().map(|&v| self.values[v as usize].clone()).collect()
    }
}
