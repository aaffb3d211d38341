//! Dispatches.

use crate::descriptors::{bind, stage};
use crate::device::Device;
use crate::error::{Error, Res, unsupported};
use crate::frame::{Frame, Owned};
use crate::module::Module;
use crate::time::Repeat;
use crate::upload::Uploads;
use airfoil_interp::Resources;
use ash::vk;

impl Device {
    /// Executes workgroups of a compute shader. Writable resources are read back.
    ///
    /// # Errors
    /// The device lacks something that the module or the resources require, or the driver fails.
    pub fn compute(&self, module: &Module, resources: &mut Resources, groups: [u32; 3]) -> Result<(), Error> {
        let mut frame = Frame::new(self)?;
        let uploads = self.record_compute(&mut frame, module, resources, groups, Repeat::ONCE)?;
        uploads.record_downloads(&frame);
        frame.submit()?;
        uploads.download(resources);
        Ok(())
    }

    /// Records the dispatch.
    pub(crate) fn record_compute(
        &self,
        frame: &mut Frame<'_>,
        module: &Module,
        resources: &Resources,
        groups: [u32; 3],
        repeat: Repeat,
    ) -> Res<Uploads> {
        if module.stage != airfoil_ir::Stage::Compute {
            return unsupported(format!("{} shaders as kernels", module.stage));
        }
        let mut uploads = Uploads::default();
        let stages = [stage(frame, module)?];
        let bound = bind(frame, &mut uploads, resources, &stages)?;
        let [stage] = &stages;
        let spec = vk::SpecializationInfo::default().map_entries(&stage.entries).data(&stage.data);
        let info = vk::PipelineShaderStageCreateInfo::default()
            .stage(stage.flag)
            .module(stage.module)
            .name(&stage.entry)
            .specialization_info(&spec);
        let infos = [vk::ComputePipelineCreateInfo::default().stage(info).layout(bound.layout)];
        // SAFETY: as described in `lib.rs`; the layout has all resources of the module.
        let created =
            unsafe { self.device.create_compute_pipelines(vk::PipelineCache::null(), &infos, None) };
        let pipeline = first(frame, created)?;
        bound.record(frame, vk::PipelineBindPoint::COMPUTE);
        // SAFETY: as described in `lib.rs`.
        unsafe {
            self.device.cmd_bind_pipeline(frame.commands, vk::PipelineBindPoint::COMPUTE, pipeline);
        }
        let copies = if repeat.is_timed() { uploads.copies(frame, resources)? } else { Vec::new() };
        for n in 0..repeat.count {
            if repeat.is_timed() {
                uploads.record_restore(frame, &copies);
            }
            repeat.start(frame, n);
            // SAFETY: as described in `lib.rs`.
            unsafe { self.device.cmd_dispatch(frame.commands, groups[0], groups[1], groups[2]) };
            repeat.end(frame, n);
        }
        Ok(uploads)
    }
}

/// The only pipeline of a list, or the error that its creation gave.
pub(crate) fn first(
    frame: &mut Frame<'_>,
    created: Result<Vec<vk::Pipeline>, (Vec<vk::Pipeline>, vk::Result)>,
) -> Res<vk::Pipeline> {
    match created.map_err(|(_, e)| Error::from(e))?.first() {
        Some(&pipeline) => {
            frame.own(Owned::Pipeline(pipeline));
            Ok(pipeline)
        }
        None => Err(Error::Failed("no pipeline was created".into())),
    }
}
