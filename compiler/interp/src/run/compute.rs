//! Workgroups: subgroups that take turns, barriers, task and mesh shaders.

use super::{Program, subgroup};
use crate::fault::Fault;
use crate::machine::Machine;
use crate::machine::frames::{Frame, Pause};
use crate::memory::Value;
use crate::observe::Observer;
use crate::resources::Resources;
use crate::values::{System, Values};
use crate::world::given::Given;
use airfoil_ir::{Modes, Stage, SystemValue, bit_mask};

/// The mesh workgroups that a task workgroup launched.
///
/// # Examples
///
/// ```
/// use airfoil_interp::{Config, Program, Resources, System, run::Task};
///
/// let shader = airfoil_ir::text::parse(r#"foil 1
/// shader task "t" {
///   form slots
///   task_payload uvec3 lod
///   fn main {
///     32x3 %n = const 2, 3, 4
///     launch_mesh_workgroups %n
///   }
/// }"#).unwrap();
/// let mut program = Program::new(&shader, Config::default())?;
/// let tasks: Vec<Task> = program.task(&mut Resources::new(), &System::new(), [5, 1, 1])?;
/// // One for each workgroup; the payload has the size of its variables, also if nothing is written to them.
/// assert_eq!((tasks.len(), tasks[4].groups, tasks[4].payload.len()), (5, [2, 3, 4], 12));
/// # Ok::<(), airfoil_interp::Fault>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Task {
    /// Number of mesh workgroups.
    pub groups: [u32; 3],
    /// Bytes of the payload.
    pub payload: Vec<u8>,
}

/// The output of a mesh workgroup.
///
/// # Examples
///
/// The shader declares up to 64 vertices, but makes one triangle:
///
/// ```
/// use airfoil_interp::run::Mesh;
/// use airfoil_interp::{Config, Program, Resources, System};
///
/// # let shader = airfoil_ir::text::parse(r#"foil 1
/// # shader mesh "triangle" {
/// #   form slots
/// #   workgroup_size 8 1 1
/// #   output_primitive triangles
/// #   max_vertices 64
/// #   max_primitives 32
/// #   out float[64] v location=1
/// #   fn main {
/// #     32x1 %z = const 0
/// #     32x1 %three = const 3
/// #     32x1 %one = const 1
/// #     set_mesh_outputs %three, %one
/// #     %i = load_local_invocation_index
/// #     store_per_vertex_output %i, %i, %z io=1 mask=x src_type=uint32
/// #   }
/// # }"#).unwrap();
/// let mut program = Program::new(&shader, Config::default())?;
/// let meshes: Vec<Mesh> = program.mesh(&mut Resources::new(), &System::new(), [1; 3], &[])?;
/// let Mesh { vertices, primitives } = &meshes[0];
/// // The outputs of the other five invocations are dropped.
/// let slot = airfoil_ir::Slot::generic(1).unwrap();
/// assert!(vertices.iter().map(|v| v.get(slot, 0).unwrap()).eq(0..3));
/// assert_eq!(primitives.len(), 1);
/// # Ok::<(), airfoil_interp::Fault>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mesh {
    /// Outputs of the vertices.
    pub vertices: Vec<Values>,
    /// Outputs of the primitives; `Slot::PRIMITIVE_INDICES` has the numbers of their vertices.
    pub primitives: Vec<Values>,
}

/// Steps of a subgroup before others get their turn.
const SLICE: u64 = 1 << 16;

/// System values of a subgroup, and its lanes.
type Plan = (Vec<Option<[u64; 4]>>, u64);

/// A subgroup that waits for its turn.
#[derive(Debug, Default)]
pub(super) struct Wave {
    regs: Vec<Value>,
    came_from: Vec<u32>,
    stack: Vec<Frame>,
    at: (usize, usize, Option<usize>),
    active: u64,
    present: u64,
    helpers: u64,
    ended: u64,
    discarded: u64,
    base: usize,
    waits: Option<(usize, usize)>,
    done: bool,
}

impl Wave {
    fn swap(&mut self, m: &mut Machine<'_, Given>) {
        use std::mem::swap;
        swap(&mut self.regs, &mut m.group.regs.values);
        swap(&mut self.came_from, &mut m.came_from);
        swap(&mut self.stack, &mut m.stack);
        swap(&mut self.at, &mut m.at);
        swap(&mut self.active, &mut m.group.active);
        swap(&mut self.present, &mut m.group.present);
        swap(&mut self.helpers, &mut m.group.helpers);
        swap(&mut self.ended, &mut m.group.ended);
        swap(&mut self.discarded, &mut m.group.discarded);
        swap(&mut self.base, &mut m.group.memory.base);
    }
}

impl Program<'_> {
    /// Executes workgroups, x fastest, one after the other; the last one first with [`Config::reversed`](super::Config::reversed).
    ///
    /// # Errors
    /// Faults of the shader; among them barriers that not all invocations reach.
    pub fn compute(
        &mut self,
        resources: &mut Resources,
        common: &System,
        groups: [u32; 3],
    ) -> Result<(), Fault> {
        self.expect(&[Stage::Compute])?;
        self.bound(resources, |p| {
            let reversed = p.config.reversed;
            let count = count(groups);
            for n in 0..count {
                let group = nth(groups, if reversed { count - 1 - n } else { n });
                p.workgroup(common, group, groups, &[], (0, 0))?;
            }
            Ok(())
        })
    }

    /// Executes one workgroup of a dispatch.
    ///
    /// # Errors
    /// Faults of the shader.
    pub fn compute_group(
        &mut self,
        resources: &mut Resources,
        common: &System,
        group: [u32; 3],
        groups: [u32; 3],
    ) -> Result<(), Fault> {
        self.expect(&[Stage::Compute])?;
        self.bound(resources, |p| p.workgroup(common, group, groups, &[], (0, 0)))
    }

    /// Executes workgroups whose invocations have stage inputs, as kernels that were vertex shaders do: one record for
    /// each workgroup.
    ///
    /// # Errors
    /// Faults of the shader.
    pub fn kernel(
        &mut self,
        resources: &mut Resources,
        common: &System,
        groups: [u32; 3],
        inputs: &[&Values],
    ) -> Result<(), Fault> {
        self.expect(&[Stage::Compute])?;
        let lanes = self.lanes();
        self.bound(resources, |p| {
            for (group, inputs) in workgroups(groups).zip(inputs) {
                let records = &mut p.world().inputs;
                records.restart(lanes);
                let first = records.add(inputs);
                (0..lanes).for_each(|lane| records.set_row(lane, first, 1, None));
                p.workgroup(common, group, groups, &[], (0, 0))?;
            }
            Ok(())
        })
    }

    /// Executes task workgroups; returns the mesh workgroups that each one launches.
    ///
    /// # Errors
    /// Faults of the shader.
    pub fn task(
        &mut self,
        resources: &mut Resources,
        common: &System,
        groups: [u32; 3],
    ) -> Result<Vec<Task>, Fault> {
        self.expect(&[Stage::Task])?;
        self.bound(resources, |p| {
            let mut out = Vec::new();
            for group in workgroups(groups) {
                p.workgroup(common, group, groups, &[], (0, 0))?;
                out.push(Task { groups: p.world().mesh_size, payload: p.payload() });
            }
            Ok(out)
        })
    }

    /// Executes mesh workgroups, all with the payload of their task.
    ///
    /// # Errors
    /// Faults of the shader.
    pub fn mesh(
        &mut self,
        resources: &mut Resources,
        common: &System,
        groups: [u32; 3],
        payload: &[u8],
    ) -> Result<Vec<Mesh>, Fault> {
        self.expect(&[Stage::Mesh])?;
        let info = &self.shader().info;
        let most = (info.max_vertices as usize, info.max_primitives as usize);
        self.bound(resources, |p| {
            let mut out = Vec::new();
            for group in workgroups(groups) {
                p.workgroup(common, group, groups, payload, most)?;
                let world = p.world();
                let [vertices, primitives, _] = world.mesh_size.map(|n| n as usize);
                world.vertices.truncate(vertices);
                world.primitives.truncate(primitives);
                out.push(Mesh {
                    vertices: std::mem::take(&mut world.vertices),
                    primitives: std::mem::take(&mut world.primitives),
                });
            }
            Ok(out)
        })
    }

    /// Bytes of the payload variables, one after the other.
    fn payload(&self) -> Vec<u8> {
        let objects = self.machine.group.memory.objects.iter();
        objects.filter(|o| o.mode == Modes::TASK_PAYLOAD).flat_map(|o| o.bytes.iter().copied()).collect()
    }

    fn workgroup(
        &mut self,
        common: &System,
        group: [u32; 3],
        groups: [u32; 3],
        payload: &[u8],
        (vertices, primitives): (usize, usize),
    ) -> Result<(), Fault> {
        let size = self.workgroup_size();
        let total = size.iter().product::<u32>() as usize;
        let lanes = self.lanes();
        let count = total.div_ceil(lanes);
        self.world().restart(vertices, primitives);
        let m = &mut self.machine;
        m.group.memory.restart(m.group.shader, &mut m.group.layouts)?;
        let mut rest = payload;
        for o in m.group.memory.objects.iter_mut().filter(|o| o.mode == Modes::TASK_PAYLOAD) {
            let n = o.bytes.len().min(rest.len());
            o.bytes[..n].copy_from_slice(&rest[..n]);
            o.undef[..n].fill(false);
            rest = &rest[n..];
        }
        (m.group.steps, m.slice, m.origin) = (0, u64::MAX, group);
        let mut waves = Vec::with_capacity(count);
        for n in 0..count {
            for lane in 0..lanes {
                let index = (n * lanes + lane) as u32;
                let local = self.machine.group.shader.info.local_invocation(size, index);
                let index = local[0] + size[0] * (local[1] + size[1] * local[2]);
                self.world().set_system(lane, &System::new(), common, |sv| {
                    let vector = |v: [u32; 3]| [u64::from(v[0]), u64::from(v[1]), u64::from(v[2]), 0];
                    Some(match sv {
                        SystemValue::local_invocation_id => vector(local),
                        SystemValue::local_invocation_index => [u64::from(index), 0, 0, 0],
                        SystemValue::workgroup_id => vector(group),
                        SystemValue::num_workgroups => vector(groups),
                        SystemValue::workgroup_size => vector(size),
                        SystemValue::base_global_invocation_id => [0; 4],
                        SystemValue::global_size => {
                            vector(std::array::from_fn(|i| groups[i].wrapping_mul(size[i])))
                        }
                        SystemValue::global_invocation_id => vector(std::array::from_fn(|i| {
                            group[i].wrapping_mul(size[i]).wrapping_add(local[i])
                        })),
                        sv => return subgroup(sv, lane, lanes, n, count),
                    })
                });
            }
            let systems = self.world().take_system();
            let present = bit_mask((total - n * lanes).min(lanes) as u32);
            waves.push((systems, present));
        }
        let result = self.turns(waves, lanes);
        self.count_steps();
        result?;
        self.machine.group.present = 1;
        self.machine.group.finish_interface();
        Ok(())
    }

    /// Lets subgroups take turns until all are over.
    fn turns(&mut self, plans: Vec<Plan>, lanes: usize) -> Result<(), Fault> {
        let mut waves = std::mem::take(&mut self.waves);
        waves.resize_with(plans.len(), Wave::default);
        let result = self.rounds(&mut waves, plans, lanes);
        self.waves = waves;
        result
    }

    fn rounds(&mut self, waves: &mut [Wave], plans: Vec<Plan>, lanes: usize) -> Result<(), Fault> {
        let mut systems = Vec::new();
        let m = &mut self.machine;
        for (n, (wave, (system, present))) in waves.iter_mut().zip(plans).enumerate() {
            wave.regs.resize(m.group.regs.values.len(), Value::default());
            wave.came_from.resize(lanes, 0);
            (wave.base, wave.waits, wave.done) = (n * lanes, None, false);
            wave.swap(m);
            m.group.world.put_system(&system);
            let started = m.start(present, 0);
            wave.swap(m);
            started?;
            systems.push(system);
        }
        let alone = waves.len() == 1;
        loop {
            for n in 0..waves.len() {
                let n = if self.config.reversed { waves.len() - 1 - n } else { n };
                let (wave, system) = (&mut waves[n], &systems[n]);
                if wave.done || wave.waits.is_some() {
                    continue;
                }
                let m = &mut self.machine;
                wave.swap(m);
                if !alone {
                    m.group.world.put_system(system);
                    m.slice = m.group.steps + SLICE;
                }
                let mut observer = self.observer.as_deref_mut().map(|o| o as &mut dyn Observer);
                let pause = self.machine.proceed(&mut observer);
                wave.swap(&mut self.machine);
                match pause? {
                    Pause::Done => wave.done = true,
                    Pause::Barrier(function, op) => wave.waits = Some((function, op)),
                    Pause::Slice => {}
                }
            }
            if waves.iter().all(|w| w.done) {
                return Ok(());
            }
            if waves.iter().all(|w| w.done || w.waits.is_some()) {
                let mut at = waves.iter().filter_map(|w| w.waits);
                let first = at.next();
                if at.any(|w| Some(w) != first) {
                    return Err(Fault::undefined("subgroups of a workgroup wait at different barriers"));
                }
                waves.iter_mut().for_each(|w| w.waits = None);
            }
        }
    }
}

/// All workgroups of a dispatch, x fastest.
pub fn workgroups(groups: [u32; 3]) -> impl Iterator<Item = [u32; 3]> {
    (0..count(groups)).map(move |n| nth(groups, n))
}

/// The count of the workgroups of a dispatch; at most that of all indices.
fn count(groups: [u32; 3]) -> u64 {
    groups.iter().fold(1, |count: u64, &n| count.saturating_mul(n.into()))
}

/// The workgroup of a dispatch with an index.
fn nth([x, y, _]: [u32; 3], n: u64) -> [u32; 3] {
    let (x, y) = (u64::from(x), u64::from(y));
    [(n % x) as u32, (n / x % y) as u32, (n / x / y) as u32]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn workgroups_are_counted_x_first_and_without_overflow() {
        assert_eq!(workgroups([2, 1, 2]).collect::<Vec<_>>(), [[0, 0, 0], [1, 0, 0], [0, 0, 1], [1, 0, 1]]);
        assert_eq!(workgroups([u32::MAX; 3]).nth(1), Some([1, 0, 0]));
    }
}
