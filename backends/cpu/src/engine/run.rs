//! Runs a function with resources: the common part of all stages.

use super::Function;
use super::bind::{self, Bindings, Blocks, Shared, Tables};
use crate::Config;
use crate::entry::Argument;
use crate::fiber::{self, Fault, Group, Lane};
use crate::frame::Frame;
use crate::library::Interpolate;
use crate::library::world::World;
use crate::memory::Arena;
use airfoil_interp::Resources;
use smallvec::SmallVec;

/// A function with resources bound, while it runs.
pub(crate) struct Running<'r, 'w> {
    pub(crate) function: &'r Function,
    config: &'r Config,
    pub(crate) world: World<'w>,
    blocks: Blocks,
    template: Vec<(usize, u64)>,
    _shared: Shared,
    _tables: Tables,
}

impl Function {
    /// Binds resources, runs `f`, and copies buffers back.
    pub(crate) fn bound<T>(
        &self,
        resources: &mut Resources,
        bindings: &Bindings,
        config: &Config,
        f: impl FnOnce(&mut Running<'_, '_>) -> Result<T, String>,
    ) -> Result<T, String> {
        let memory = Arena::new(&resources.buffers);
        let mut images = std::mem::take(&mut resources.images);
        let samplers = std::mem::take(&mut resources.samplers);
        let result = (|| {
            let arguments = &self.entry().arguments;
            let mut world = World::new(&memory, &mut images, &samplers);
            let mut shared = bind::shared(arguments, bindings);
            let size = |s: &(u32, Vec<u128>)| (s.1.as_ptr() as usize, s.1.len() * 16);
            world.allow(self.globals().iter().copied().chain(shared.iter().map(size)));
            let mut blocks = Blocks::default();
            let block = &self.entry().block;
            blocks.restart(block, 1);
            // SAFETY: the block was just allocated, with this shape.
            let frame = unsafe { Frame::new(block, blocks.pointer(0)) };
            let tables =
                bind::resources(&frame, arguments, resources, bindings, &memory, &mut world, &mut shared)?;
            let template = arguments
                .iter()
                .enumerate()
                .filter(|(_, a)| a.role.is_resource())
                .map(|(n, _)| (n, frame.bits(n, 0)))
                .collect();
            f(&mut Running {
                function: self,
                config,
                world,
                blocks,
                template,
                _shared: shared,
                _tables: tables,
            })
        })();
        resources.images = images;
        resources.samplers = samplers;
        memory.finish(&mut resources.buffers);
        result
    }
}

impl<'r> Running<'r, '_> {
    /// Starts a group: resources are in all blocks.
    pub(crate) fn start(&mut self, count: usize) {
        self.blocks.restart(&self.function.entry().block, count);
        let first = self.frame(0);
        self.template.iter().for_each(|&(n, value)| first.set_arg(n, 0, value));
        self.blocks.spread();
    }

    /// Gives an argument a value in all blocks.
    pub(crate) fn give(&mut self, argument: usize, value: u64) {
        self.template.push((argument, value));
    }

    /// Arguments and results of an invocation; not to be kept across [`Running::start`].
    pub(crate) fn frame(&mut self, lane: usize) -> Frame<'r> {
        let pointer = self.blocks.pointer(lane);
        // SAFETY: the block has the shape of the entry point, and no compiled code runs meanwhile.
        unsafe { Frame::new(&self.function.entry().block, pointer) }
    }

    /// Runs a group of invocations; returns which were discarded.
    pub(crate) fn run(
        &mut self,
        helpers: impl Fn(usize) -> bool,
        count: usize,
        interpolate: Option<Interpolate<'_>>,
    ) -> Result<Vec<bool>, String> {
        let mut lanes: Vec<Lane> =
            (0..count).map(|n| Lane::new(self.blocks.pointer(n), helpers(n))).collect();
        let simd = self.config.simd_size.clamp(1, 64) as usize;
        let mut group = Group::new(self.function.callees(), &mut self.world, simd);
        group.fragment = self.function.entry().stage == "fragment";
        group.interpolate = interpolate;
        fiber::run(self.function.code(), &mut lanes, &mut group)
            .map_err(|fault| words(self.function, fault))?;
        if group.outside > 0 && !self.config.robust {
            return Err(format!("{} loads or stores outside of everything that is bound", group.outside));
        }
        if self.config.strict
            && let Some(&site) = group.divergent.first()
        {
            return Err(format!("divergent derivative: {}", self.function.site(site)));
        }
        Ok(lanes.iter().map(|l| l.discarded).collect())
    }
}

fn words(function: &Function, fault: Fault) -> String {
    match fault {
        Fault::Barrier { site, waiting, ended, all } => format!(
            "divergent barrier: {waiting} of {all} invocations wait at {}; {ended} have ended",
            function.site(site)
        ),
        Fault::Other(text) => text,
    }
}

/// The result of an invocation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Invocation {
    /// Bits of the components of each result, in the order of the entry point.
    pub outputs: Vec<SmallVec<[u64; 4]>>,
    /// It was discarded.
    pub discarded: bool,
}

/// Gives an invocation the value of an argument: index of the invocation and of the argument, the argument, bits of its
/// components.
pub type Inputs<'a> = &'a dyn Fn(usize, usize, &Argument, &mut [u64]);

impl Running<'_, '_> {
    /// Runs invocations that the caller gives their inputs to.
    pub(crate) fn invoke(
        &mut self,
        count: usize,
        helpers: impl Fn(usize) -> bool,
        inputs: Inputs<'_>,
        interpolate: Option<Interpolate<'_>>,
    ) -> Result<Vec<Invocation>, String> {
        self.start(count);
        let entry = self.function.entry();
        let mut value = SmallVec::<[u64; 4]>::new();
        for (n, argument) in entry.arguments.iter().enumerate() {
            if argument.role.is_resource() {
                continue;
            }
            for lane in 0..count {
                value.clear();
                value.resize(argument.shape.lanes as usize, 0);
                inputs(lane, n, argument, &mut value);
                let f = self.frame(lane);
                value.iter().enumerate().for_each(|(c, &bits)| f.set_arg(n, c, bits));
            }
        }
        let discarded = self.run(helpers, count, interpolate)?;
        let results = discarded.into_iter().enumerate().map(|(lane, discarded)| {
            let f = self.frame(lane);
            let outputs = entry.outputs.iter().enumerate();
            let outputs = outputs.map(|(n, o)| (0..o.shape.lanes as usize).map(|c| f.ret(n, c)).collect());
            Invocation { outputs: outputs.collect(), discarded }
        });
        Ok(results.collect())
    }
}

impl Function {
    /// Runs a group of invocations of a vertex or fragment function; the four of each quad follow each other.
    ///
    /// # Errors
    /// Arguments that nothing fitting is bound to.
    pub fn invoke(
        &self,
        resources: &mut Resources,
        bindings: &Bindings,
        config: &Config,
        count: usize,
        inputs: Inputs<'_>,
    ) -> Result<Vec<Invocation>, String> {
        self.bound(resources, bindings, config, |running| running.invoke(count, |_| false, inputs, None))
    }
}
