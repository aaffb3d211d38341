//! Stages before rasterisation: vertices, patches, points of patches, primitives.

use super::{Program, either, related, subgroup};
use crate::fault::Fault;
use crate::resources::Resources;
use crate::values::{System, Values};
use airfoil_ir::{Slot, Stage, SystemValue, bit_mask};

/// A vertex to be shaded.
#[derive(Clone, Debug, Default)]
pub struct Vertex {
    /// Values of the vertex attributes.
    pub inputs: Values,
    /// `vertex_id` or `vertex_id_zero_base`, `instance_id` or `instance_index`, and others that it reads. Base
    /// vertex, base instance and draw are 0 unless given.
    pub system: System,
}

/// The output patch of a tessellation control shader.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Patch {
    /// Outputs of each vertex.
    pub vertices: Vec<Values>,
    /// Values of the whole patch, tessellation levels included (`Slot::TESS_LEVEL_OUTER`, `TESS_LEVEL_INNER`).
    pub values: Values,
}

/// A point of a patch to be evaluated.
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
