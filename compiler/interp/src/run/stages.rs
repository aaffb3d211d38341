//! Stages before rasterisation: vertices, patches, points of patches, primitives.

use super::{Program, either, related, subgroup};
use crate::fault::Fault;
use crate::resources::Resources;
use crate::values::{System, Values};
use airfoil_ir::{Slot, Stage, SystemValue, bit_mask};

/// A vertex to be shaded.
///
/// # Examples
///
/// ```
/// use airfoil_interp::{Config, Program, Resources, System, run::Vertex};
/// use airfoil_ir::{Slot, SystemValue};
///
/// # let shader = airfoil_ir::text::parse(r#"foil 1
/// # shader vertex "instances" {
/// #   form slots
/// #   in float x location=4
/// #   out float o location=0
/// #   fn main {
/// #     32x1 %z = const 0
/// #     32x1 %x = load_input %z io=4 dest_type=float32
/// #     %i = load_instance_index
/// #     32x1 %f = u2f %i
/// #     %sum = fadd %x, %f
/// #     store_output %sum, %z io=0 mask=x src_type=float32
/// #   }
/// # }"#).unwrap();
/// // The shader adds an attribute and the index of the instance.
/// let mut vertex = Vertex::default();
/// vertex.inputs.set(Slot::generic(4).unwrap(), 0, 0.25f32.to_bits());
/// vertex.system.set(SystemValue::instance_id, [2, 0, 0, 0]);
/// let mut program = Program::new(&shader, Config::default())?;
/// let mut run = |base| -> Result<f32, airfoil_interp::Fault> {
///     let common = System::new().with(SystemValue::base_instance, base);
///     let out = program.vertex(&mut Resources::new(), &common, &[vertex.clone()])?;
///     Ok(out[0].floats(Slot::generic(0).unwrap()).unwrap()[0])
/// };
/// assert_eq!((run(0)?, run(10)?), (2.25, 12.25));
/// # Ok::<(), airfoil_interp::Fault>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Vertex {
    /// Values of the vertex attributes.
    pub inputs: Values,
    /// `vertex_id` or `vertex_id_zero_base`, `instance_id` or `instance_index`, and others that it reads. Base
    /// vertex, base instance and draw are 0 unless given.
    pub system: System,
}

/// The output patch of a tessellation control shader.
///
/// # Examples
///
/// The control shader has two output vertices for each patch and writes their indices as outer levels:
///
/// ```
/// use airfoil_interp::run::{GeometryPrimitive, Patch};
/// use airfoil_interp::{Config, Program, Resources, System, Values};
/// use airfoil_ir::Slot;
///
/// # let shader = airfoil_ir::text::parse(r#"foil 1
/// # shader tess_control "levels" {
/// #   patch_vertices_out 2
/// #   system_value uint id builtin=invocation_id
/// #   out float[4] levels location=tess_level_outer patch compact
/// #   fn main {
/// #     %i = load_deref &id
/// #     32x1 %f = u2f %i
/// #     %l = deref_var &levels
/// #     %e = deref_array %l[%i]
/// #     store_deref %e, %f
/// #   }
/// # }"#).unwrap();
/// let corners = vec![Values::new(); 3];
/// let input = GeometryPrimitive { vertices: corners.iter().collect(), system: System::new() };
/// let mut program = Program::new(&shader, Config::default())?;
/// let patches: Vec<Patch> = program.tess_control(&mut Resources::new(), &System::new(), &[input])?;
/// // The size of the patch changes from three to two.
/// assert_eq!(patches[0].vertices.len(), 2);
/// assert_eq!(patches[0].values.floats(Slot::TESS_LEVEL_OUTER).unwrap()[..2], [0.0, 1.0]);
/// # Ok::<(), airfoil_interp::Fault>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Patch {
    /// Outputs of each vertex.
    pub vertices: Vec<Values>,
    /// Values of the whole patch, tessellation levels included (`Slot::TESS_LEVEL_OUTER`, `TESS_LEVEL_INNER`).
    pub values: Values,
}

/// A point of a patch to be evaluated.
///
/// # Examples
///
/// The evaluation shader mixes two vertices by the first coordinate:
///
/// ```
/// use airfoil_interp::run::{Patch, TessPoint};
/// use airfoil_interp::{Config, Program, Resources, System, Values};
///
/// # let shader = airfoil_ir::text::parse(r#"foil 1
/// # shader tess_eval "mix" {
/// #   form slots
/// #   in float[32] a location=0
/// #   out float o location=0
/// #   fn main {
/// #     32x1 %z = const 0
/// #     32x1 %one = const 1
/// #     %at = load_tess_coord
/// #     32x1 %a = load_per_vertex_input %z, %z io=0 dest_type=float32
/// #     32x1 %b = load_per_vertex_input %one, %z io=0 dest_type=float32
/// #     %m = flrp %a, %b, %at.x
/// #     store_output %m, %z io=0 mask=x src_type=float32
/// #   }
/// # }"#).unwrap();
/// let slot = airfoil_ir::Slot::generic(0).unwrap();
/// let vertices = [10f32, 20.0].map(|x| {
///     let mut values = Values::new();
///     values.set(slot, 0, x.to_bits());
///     values
/// });
/// let patch = Patch { vertices: vertices.into(), values: Values::new() };
/// let points = [0.0, 0.25].map(|x| TessPoint { patch: &patch, coord: [x, 0.0, 0.0], system: System::new() });
/// let mut program = Program::new(&shader, Config::default())?;
/// let out = program.tess_eval(&mut Resources::new(), &System::new(), &points)?;
/// assert_eq!([0, 1].map(|n| out[n].floats(slot).unwrap()[0]), [10.0, 12.5]);
/// # Ok::<(), airfoil_interp::Fault>(())
/// ```
#[derive(Clone, Debug)]
pub struct TessPoint<'a> {
    /// The patch that contains the point.
    pub patch: &'a Patch,
    /// Position in the domain, `gl_TessCoord`.
    pub coord: [f32; 3],
    /// `primitive_id` and others that the shader reads.
    pub system: System,
}

/// A primitive for a geometry shader.
///
/// # Examples
///
/// The shader emits one point for each line: its length, multiplied by `primitive_id`.
///
/// ```
/// use airfoil_interp::{Config, Program, Resources, System, Values, run::GeometryPrimitive};
/// use airfoil_ir::{Slot, SystemValue, text};
///
/// # let shader = text::parse(r#"foil 1
/// # shader geometry "length" {
/// #   form slots
/// #   input_primitive lines
/// #   output_primitive points
/// #   max_vertices 1
/// #   in float[2] x location=3
/// #   out float o location=3
/// #   fn main {
/// #     32x1 %z = const 0
/// #     32x1 %one = const 1
/// #     32x1 %a = load_per_vertex_input %z, %z io=3 dest_type=float32
/// #     32x1 %b = load_per_vertex_input %one, %z io=3 dest_type=float32
/// #     %l = fsub %b, %a
/// #     %id = load_primitive_id
/// #     32x1 %n = u2f %id
/// #     %r = fmul %l, %n
/// #     store_output %r, %z io=3 mask=x src_type=float32
/// #     emit_vertex
/// #   }
/// # }"#).unwrap();
/// let slot = Slot::generic(3).unwrap();
/// let mut strip = vec![Values::new(); 3];
/// (0u8..).zip(&mut strip).for_each(|(x, v)| v.set(slot, 0, f32::from(x * x).to_bits()));
/// // Both lines share a vertex.
/// let lines = [(0, &strip[..2]), (1, &strip[1..])].map(|(n, vertices)| GeometryPrimitive {
///     vertices: vertices.iter().collect(),
///     system: System::new().with(SystemValue::primitive_id, n),
/// });
/// let out = Program::new(&shader, Config::default())?.geometry(&mut Resources::new(), &System::new(), &lines)?;
/// let length = |n: usize| out[n][0].primitives[0][0].floats(slot).unwrap()[0];
/// assert_eq!((length(0), length(1)), (0.0, 3.0));
/// # Ok::<(), airfoil_interp::Fault>(())
/// ```
#[derive(Clone, Debug)]
pub struct GeometryPrimitive<'a> {
    /// Its vertices, adjacent ones included.
    pub vertices: Vec<&'a Values>,
    /// `primitive_id` and others that the shader reads.
    pub system: System,
}

/// The output of a geometry shader to a stream: primitives, each with its vertices.
///
/// The last primitive is ended by the shader's end; empty ones are left out.
///
/// # Examples
///
/// ```
/// # use airfoil_interp::run::GeometryPrimitive;
/// use airfoil_interp::{Config, Program, Resources, System, Values};
///
/// let shader = airfoil_ir::text::parse(r#"foil 1
/// shader geometry "strips" { fn main {
///   emit_vertex
///   emit_vertex
///   end_primitive
///   end_primitive
///   emit_vertex
/// } }"#).unwrap();
/// let vertex = Values::new();
/// # let points = [GeometryPrimitive { vertices: vec![&vertex], system: System::new() }];
/// let mut program = Program::new(&shader, Config::default())?;
/// let [stream, ..] = &program.geometry(&mut Resources::new(), &System::new(), &points)?[0];
/// // The second `end_primitive` ends nothing: no empty strip comes out.
/// assert!(stream.primitives.iter().map(Vec::len).eq([2, 1]));
/// # Ok::<(), airfoil_interp::Fault>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stream {
    /// Strips (or points) in order.
    pub primitives: Vec<Vec<Values>>,
}

impl Program<'_> {
    /// Shades vertices; returns the outputs of each.
    ///
    /// # Errors
    /// Faults of the shader.
    pub fn vertex(
        &mut self,
        resources: &mut Resources,
        common: &System,
        vertices: &[Vertex],
    ) -> Result<Vec<Values>, Fault> {
        self.expect(&[Stage::Vertex])?;
        self.bound(resources, |p| {
            p.singles(vertices, |p, lane, v| {
                let first = p.world().inputs.add(&v.inputs);
                p.world().inputs.set_row(lane, first, 1, None);
                p.set_lane(lane, &v.system, common, |_| None);
            })
        })
    }

    /// Evaluates points of patches; returns the outputs of each.
    ///
    /// # Errors
    /// Faults of the shader.
    pub fn tess_eval(
        &mut self,
        resources: &mut Resources,
        common: &System,
        points: &[TessPoint<'_>],
    ) -> Result<Vec<Values>, Fault> {
        self.expect(&[Stage::TessEval])?;
        let mut last: Option<(*const Patch, usize, usize)> = None;
        self.bound(resources, |p| {
            p.singles(points, |p, lane, point| {
                // Points of one patch follow each other mostly: they share its records.
                let same = last.filter(|l| std::ptr::eq(l.0, point.patch) && lane != 0);
                let (first, patch) = match same {
                    Some((_, first, patch)) => (first, patch),
                    None => {
                        let inputs = &mut p.world().inputs;
                        let first = inputs.add_all(point.patch.vertices.iter());
                        (first, inputs.add(&point.patch.values))
                    }
                };
                last = Some((point.patch, first, patch));
                let count = point.patch.vertices.len();
                p.world().inputs.set_row(lane, first, count, Some(patch));
                p.set_lane(lane, &point.system, common, |sv| {
                    let [x, y, z] = point.coord.map(|c| u64::from(c.to_bits()));
                    match sv {
                        SystemValue::tess_coord => Some([x, y, z, 0]),
                        sv => of_patch(point.patch, sv),
                    }
                });
            })
        })
    }

    /// Executes a tessellation control shader on patches.
    ///
    /// # Errors
    /// Faults of the shader.
    pub fn tess_control(
        &mut self,
        resources: &mut Resources,
        common: &System,
        patches: &[GeometryPrimitive<'_>],
    ) -> Result<Vec<Patch>, Fault> {
        self.expect(&[Stage::TessControl])?;
        let lanes = self.lanes();
        self.bound(resources, |p| {
            let mut out = Vec::with_capacity(patches.len());
            for (n, patch) in patches.iter().enumerate() {
                p.machine.origin = [(n * lanes) as u32, 0, 0];
                let world = p.world();
                world.restart(lanes, 0);
                world.inputs.restart(lanes);
                let first = world.inputs.add_all(patch.vertices.iter().copied());
                for lane in 0..lanes {
                    p.world().inputs.set_row(lane, first, patch.vertices.len(), None);
                    p.set_lane(lane, &patch.system, common, |sv| match sv {
                        SystemValue::invocation_id => Some([lane as u64, 0, 0, 0]),
                        SystemValue::patch_vertices_in => Some([patch.vertices.len() as u64, 0, 0, 0]),
                        _ => None,
                    });
                }
                p.execute_group(bit_mask(lanes as u32), 0)?;
                let world = p.world();
                out.push(Patch {
                    vertices: std::mem::take(&mut world.vertices),
                    values: std::mem::take(&mut world.patch),
                });
            }
            Ok(out)
        })
    }

    /// Executes a geometry shader on primitives, all its instances; returns the streams 0 to 3 of each primitive.
    ///
    /// # Errors
    /// Faults of the shader.
    pub fn geometry(
        &mut self,
        resources: &mut Resources,
        common: &System,
        primitives: &[GeometryPrimitive<'_>],
    ) -> Result<Vec<[Stream; 4]>, Fault> {
        self.expect(&[Stage::Geometry])?;
        let instances = self.shader().info.invocations.max(1) as usize;
        let jobs: Vec<(usize, usize)> =
            (0..primitives.len()).flat_map(|p| (0..instances).map(move |i| (p, i))).collect();
        let most = self.shader().info.max_vertices;
        self.bound(resources, |p| {
            let mut out = vec![<[Stream; 4]>::default(); primitives.len()];
            let lanes = p.lanes();
            for (n, jobs) in jobs.chunks(lanes).enumerate() {
                p.machine.origin = [(n * lanes) as u32, 0, 0];
                p.world().restart(0, 0);
                p.world().inputs.restart(lanes);
                for (lane, &(n, instance)) in jobs.iter().enumerate() {
                    let primitive = &primitives[n];
                    let inputs = &mut p.world().inputs;
                    let first = inputs.add_all(primitive.vertices.iter().copied());
                    inputs.set_row(lane, first, primitive.vertices.len(), None);
                    p.set_lane(lane, &primitive.system, common, |sv| match sv {
                        SystemValue::invocation_id => Some([instance as u64, 0, 0, 0]),
                        _ => None,
                    });
                }
                p.execute_group(bit_mask(jobs.len() as u32), 0)?;
                let mut events = std::mem::take(&mut p.world().emitted);
                // Instances of a primitive are consecutive, whatever the order of execution in lock step was.
                events.sort_by_key(|e| e.lane);
                let mut lane = usize::MAX;
                let mut count = 0;
                let mut open = [false; 4];
                for e in events {
                    if e.lane != lane {
                        (lane, count, open) = (e.lane, 0, [false; 4]);
                    }
                    let stream = (e.stream & 3) as usize;
                    let Some(vertex) = e.vertex else {
                        open[stream] = false;
                        continue;
                    };
                    // OpenGL 4.6 section 11.3.4.5: vertices beyond `max_vertices` are dropped.
                    count += 1;
                    if most != 0 && count > most {
                        continue;
                    }
                    let to = &mut out[jobs[lane].0][stream].primitives;
                    match to.last_mut().filter(|_| open[stream]) {
                        Some(last) => last.push(vertex),
                        None => to.push(vec![vertex]),
                    }
                    open[stream] = true;
                }
            }
            Ok(out)
        })
    }

    /// Executes invocations that have nothing to do with each other.
    fn singles<T>(
        &mut self,
        jobs: &[T],
        mut prepare: impl FnMut(&mut Self, usize, &T),
    ) -> Result<Vec<Values>, Fault> {
        let lanes = self.lanes();
        let mut out = Vec::with_capacity(jobs.len());
        for (n, jobs) in jobs.chunks(lanes).enumerate() {
            self.machine.origin = [(n * lanes) as u32, 0, 0];
            self.world().restart(0, 0);
            self.world().inputs.restart(lanes);
            for (lane, job) in jobs.iter().enumerate() {
                prepare(self, lane, job);
            }
            self.execute_group(bit_mask(jobs.len() as u32), 0)?;
            let done = &mut self.world().lane_outputs[..jobs.len()];
            out.extend(done.iter_mut().map(std::mem::take));
        }
        Ok(out)
    }

    /// Sets the system values of a lane in a stage without workgroups.
    pub(super) fn set_lane(
        &mut self,
        lane: usize,
        own: &System,
        common: &System,
        derive: impl Fn(SystemValue) -> Option<[u64; 4]>,
    ) {
        let lanes = self.lanes();
        let given = either(own, common);
        self.world().set_system(lane, own, common, |sv| {
            derive(sv).or_else(|| related(sv, &given)).or_else(|| subgroup(sv, lane, lanes, 0, 1))
        });
    }
}

/// Levels and size of a patch.
fn of_patch(patch: &Patch, sv: SystemValue) -> Option<[u64; 4]> {
    let level = |slot| {
        let word = |c| patch.values.get(slot, c).map_or(0, u64::from);
        Some([word(0), word(1), word(2), word(3)])
    };
    match sv {
        SystemValue::patch_vertices_in => Some([patch.vertices.len() as u64, 0, 0, 0]),
        SystemValue::tess_level_outer => level(Slot::TESS_LEVEL_OUTER),
        SystemValue::tess_level_inner => level(Slot::TESS_LEVEL_INNER),
        _ => None,
    }
}
