//! Time on the device.

use crate::device::Device;
use crate::error::{Error, Res, unsupported};
use crate::frame::{Frame, Owned};
use crate::module::Module;
use airfoil_interp::Resources;
use airfoil_interp::pipeline::{Draw, State, Target};
use ash::vk;
use std::fmt;

/// How often a dispatch or draw is recorded, and the destination of its time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Repeat {
    pub count: u32,
    /// Room for two timestamps per interval.
    queries: Option<vk::QueryPool>,
}

impl Repeat {
    /// Once, without time.
    pub const ONCE: Repeat = Repeat { count: 1, queries: None };

    fn timed(frame: &mut Frame<'_>, count: u32, intervals: u32) -> Res<(Repeat, vk::QueryPool)> {
        let ty = vk::QueryType::TIMESTAMP;
        let info = vk::QueryPoolCreateInfo::default().query_type(ty).query_count(2 * intervals);
        // SAFETY: as described in `lib.rs`.
        let queries = unsafe { frame.dev.device.create_query_pool(&info, None) }?;
        frame.own(Owned::Queries(queries));
        // SAFETY: as described in `lib.rs`; the pool has this many queries, and this is outside of a render pass.
        unsafe { frame.dev.device.cmd_reset_query_pool(frame.commands, queries, 0, 2 * intervals) };
        Ok((Repeat { count, queries: Some(queries) }, queries))
    }

    /// Whether time is measured.
    pub fn is_timed(self) -> bool {
        self.queries.is_some()
    }

    /// Records the start of an interval, after everything before it.
    pub fn start(self, frame: &Frame<'_>, interval: u32) {
        if self.queries.is_some() {
            frame.barrier();
        }
        self.stamp(frame, 2 * interval);
    }

    /// Records the end of an interval.
    pub fn end(self, frame: &Frame<'_>, interval: u32) {
        self.stamp(frame, 2 * interval + 1);
    }

    fn stamp(self, frame: &Frame<'_>, query: u32) {
        let Some(queries) = self.queries else { return };
        let stage = vk::PipelineStageFlags::BOTTOM_OF_PIPE;
        // SAFETY: as described in `lib.rs`; the pool has two queries per interval, and this is outside of a render pass.
        unsafe { frame.dev.device.cmd_write_timestamp(frame.commands, stage, queries, query) };
    }
}

/// A dispatch or draw that is executed several times per submission, and can be submitted any number of times.
pub struct Timed<'d> {
    frame: Frame<'d>,
    queries: vk::QueryPool,
    intervals: u32,
    /// Nanoseconds of a tick, and the bits that count.
    ticks: (f64, u64),
}

impl fmt::Debug for Timed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Timed").field("ticks", &self.ticks).finish_non_exhaustive()
    }
}

impl Timed<'_> {
    /// Submits, and returns the nanoseconds that the device took for all repetitions.
    ///
    /// # Errors
    /// The driver fails.
    pub fn run(&mut self) -> Result<f64, Error> {
        self.frame.submit()?;
        let mut results = vec![0u64; 2 * self.intervals as usize];
        let flags = vk::QueryResultFlags::TYPE_64 | vk::QueryResultFlags::WAIT;
        // SAFETY: as described in `lib.rs`; all queries were written by the submission, which has ended.
        unsafe { self.frame.dev.device.get_query_pool_results(self.queries, 0, &mut results, flags) }?;
        let (period, mask) = self.ticks;
        let ticks = results.chunks_exact(2).map(|r| r[1].wrapping_sub(r[0]) & mask).sum::<u64>();
        Ok(ticks as f64 * period)
    }
}

impl Device {
    fn start_timed(&self, count: u32, intervals: u32) -> Res<(Timed<'_>, Repeat)> {
        let Some(ticks) = self.timestamps else { return unsupported("timestamps") };
        let mut frame = Frame::local(self)?;
        let (repeat, queries) = Repeat::timed(&mut frame, count, intervals)?;
        Ok((Timed { frame, queries, intervals, ticks }, repeat))
    }

    /// A dispatch that is executed `count` times per submission. Before each, everything that it can write is as it was at the start;
    /// the copies are not part of the time.
    ///
    /// # Errors
    /// As for [`Device::compute`], and the device has no timestamps.
    pub fn timed_compute(
        &self,
        module: &Module,
        resources: &Resources,
        groups: [u32; 3],
        count: u32,
    ) -> Result<Timed<'_>, Error> {
        let (mut timed, repeat) = self.start_timed(count, count)?;
        self.record_compute(&mut timed.frame, module, resources, groups, repeat)?;
        Ok(timed)
    }

    /// A draw that is executed `count` times per submission, in one interval. Buffers keep the data that draws write.
    ///
    /// # Errors
    /// As for [`Device::draw`], and the device has no timestamps.
    pub fn timed_draw(
        &self,
        modules: &[Module],
        resources: &Resources,
        draw: &Draw<'_>,
        state: &State,
        target: &Target,
        count: u32,
    ) -> Result<Timed<'_>, Error> {
        let (mut timed, repeat) = self.start_timed(count, 1)?;
        self.record_draw(&mut timed.frame, modules, resources, draw, (state, target, 1), repeat)?;
        Ok(timed)
    }
}
