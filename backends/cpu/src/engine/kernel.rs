//! Kernels.

use super::Bindings;
use super::Function;
use super::run::Running;
use crate::Config;
use crate::entry::Role;
use crate::frame::Frame;
use airfoil_interp::Resources;

/// Most threads of a threadgroup.
const MAX_THREADS: u64 = 4096;

/// A dispatch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Launch {
    /// Threadgroups.
    pub groups: [u32; 3],
    /// Threads of a threadgroup.
    pub threads: [u32; 3],
}

/// A thread.
struct Thread {
    launch: Launch,
    group: [u32; 3],
    index: u32,
    simd: u32,
}

fn product(v: [u32; 3]) -> u64 {
    v.iter().fold(1u64, |a, &n| a.saturating_mul(u64::from(n)))
}

impl Thread {
    fn position(&self) -> [u32; 3] {
        let [x, y, _] = self.launch.threads;
        [self.index % x, self.index / x % y, self.index / x / y]
    }

    /// A built-in value; `None` if kernels do not have it.
    fn built_in(&self, name: &str) -> Option<[u32; 3]> {
        let size = self.launch.threads;
        let all = product(size) as u32;
        let vector = |f: &dyn Fn(usize) -> u32| [0, 1, 2].map(f);
        let one = |n: u32| Some([n, 0, 0]);
        let local = self.position();
        match name {
            "thread_position_in_grid" => {
                Some(vector(&|i| self.group[i].wrapping_mul(size[i]).wrapping_add(local[i])))
            }
            "thread_position_in_threadgroup" => Some(local),
            "threadgroup_position_in_grid" => Some(self.group),
            "threadgroups_per_grid" => Some(self.launch.groups),
            "threads_per_grid" | "grid_size" => {
                Some(vector(&|i| self.launch.groups[i].wrapping_mul(size[i])))
            }
            "threads_per_threadgroup" | "dispatch_threads_per_threadgroup" => Some(size),
            "grid_origin" => Some([0; 3]),
            "thread_index_in_threadgroup" => one(self.index),
            "thread_index_in_simdgroup" => one(self.index % self.simd),
            "thread_index_in_quadgroup" => one(self.index % 4),
            "simdgroup_index_in_threadgroup" => one(self.index / self.simd),
            "quadgroup_index_in_threadgroup" => one(self.index / 4),
            "simdgroups_per_threadgroup" | "dispatch_simdgroups_per_threadgroup" => {
                one(all.div_ceil(self.simd))
            }
            "quadgroups_per_threadgroup" | "dispatch_quadgroups_per_threadgroup" => one(all.div_ceil(4)),
            "threads_per_simdgroup" | "thread_execution_width" => one(self.simd),
            _ => None,
        }
    }

    fn fill(&self, running: &Running<'_, '_>, f: &Frame<'_>) -> Result<(), String> {
        for (n, argument) in running.function.entry().arguments.iter().enumerate() {
            match &argument.role {
                Role::BuiltIn { name, .. } => {
                    let value = self
                        .built_in(name)
                        .ok_or_else(|| format!("kernels have no built-in value `{name}`"))?;
                    (0..3).for_each(|c| f.set_arg(n, c, u64::from(value[c])));
                }
                Role::Attribute(_) | Role::Varying { .. } => {
                    return Err(format!("`{}`: kernels have no stage inputs here", argument.name));
                }
                _ => {}
            }
        }
        Ok(())
    }
}

impl Function {
    /// Runs a kernel: threadgroups one after the other, x fastest.
    ///
    /// # Errors
    /// Divergent barriers; arguments that nothing fitting is bound to.
    pub fn kernel(
        &self,
        resources: &mut Resources,
        bindings: &Bindings,
        launch: Launch,
        config: &Config,
    ) -> Result<(), String> {
        self.is("kernel")?;
        self.threadgroups(resources, bindings, launch, config, |_| {}, |_| Ok(()))
    }

    /// Runs threadgroups one after the other, x fastest: `prepare` runs before the first, `after` after each.
    pub(super) fn threadgroups(
        &self,
        resources: &mut Resources,
        bindings: &Bindings,
        launch: Launch,
        config: &Config,
        prepare: impl FnOnce(&mut Running<'_, '_>),
        mut after: impl FnMut(&mut Running<'_, '_>) -> Result<(), String>,
    ) -> Result<(), String> {
        let count = product(launch.threads);
        if count == 0 || count > MAX_THREADS {
            return Err(format!("a threadgroup of {count} threads cannot be executed"));
        }
        self.bound(resources, bindings, config, |running| {
            prepare(running);
            let [x, y, z] = launch.groups;
            for group in (0..z).flat_map(|k| (0..y).flat_map(move |j| (0..x).map(move |i| [i, j, k]))) {
                running.start(count as usize);
                for index in 0..count as u32 {
                    let thread = Thread { launch, group, index, simd: config.simd_size.clamp(1, 64) };
                    let f = running.frame(index as usize);
                    thread.fill(running, &f)?;
                }
                running.run(|_| false, count as usize, None)?;
                after(running)?;
            }
            Ok(())
        })
    }
}
