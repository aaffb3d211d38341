//! Draws.

use crate::attachments::Attachments;
use crate::compute::first;
use crate::descriptors::{bind, stage};
use crate::device::Device;
use crate::error::{Error, Res, unsupported};
use crate::frame::Frame;
use crate::module::Module;
use crate::reflect::InputKind;
use crate::state::{self, Assembly};
use crate::time::Repeat;
use crate::upload::Uploads;
use airfoil_interp::Resources;
use airfoil_interp::pipeline::{ClipDepth, Draw, State, Target};
use airfoil_interp::run::Vertex;
use airfoil_ir::{Slot, SystemValue};
use ash::vk;
use spirv::Capability;

/// Most vertices of a draw.
const MAX_VERTICES: u64 = 1 << 22;

impl Device {
    /// Draws with the shaders of a pipeline. The target and writable resources are read back.
    ///
    /// # Errors
    /// The device lacks something that the modules, resources or state require, or the driver fails.
    pub fn draw(
        &self,
        modules: &[Module],
        resources: &mut Resources,
        draw: &Draw<'_>,
        state: &State,
        target: &mut Target,
    ) -> Result<(), Error> {
        self.draw_resolved(modules, resources, draw, state, target, 1)
    }

    /// As [`draw`](Self::draw), with several samples per pixel: all start as the target's first texel, and the target becomes
    /// the mean of the samples of each pixel. Targets with depth or stencil have one sample.
    ///
    /// # Errors
    /// The device lacks something that the modules, resources or state require, or the driver fails.
    pub fn draw_resolved(
        &self,
        modules: &[Module],
        resources: &mut Resources,
        draw: &Draw<'_>,
        state: &State,
        target: &mut Target,
        samples: u32,
    ) -> Result<(), Error> {
        let mut frame = Frame::new(self)?;
        let (attachments, uploads) =
            self.record_draw(&mut frame, modules, resources, draw, (state, target, samples), Repeat::ONCE)?;
        attachments.record_downloads(&frame);
        uploads.record_downloads(&frame);
        frame.submit()?;
        attachments.download(target);
        uploads.download(resources);
        Ok(())
    }

    /// Records the draw.
    pub(crate) fn record_draw(
        &self,
        frame: &mut Frame<'_>,
        modules: &[Module],
        resources: &Resources,
        draw: &Draw<'_>,
        (state, target, samples): (&State, &Target, u32),
        repeat: Repeat,
    ) -> Res<(Attachments, Uploads)> {
        let mut uploads = Uploads::default();
        self.check(state)?;
        let Assembly { topology, patch, indices } = state::assembly(draw)?;
        let stages = modules.iter().map(|m| stage(frame, m)).collect::<Res<Vec<_>>>()?;
        let bound = bind(frame, &mut uploads, resources, &stages)?;
        let attachments = Attachments::new(frame, target, samples)?;
        frame.barrier();

        let vertex = stages.iter().find(|s| s.flag == vk::ShaderStageFlags::VERTEX);
        let Some(vertex) = vertex else { return unsupported("a draw without a vertex shader") };
        let inputs = &vertex.reflection.inputs;
        let start = first_index(draw.vertices)?;
        let instance = draw.system.get(SystemValue::instance_index).map_or(0, |id| id[0] as u32);
        let stride = (inputs.len() as u32 * 16).max(16);
        let mut bytes = vec![0; start as usize * stride as usize];
        for vertex in draw.vertices {
            for &(location, _) in inputs {
                let words = words_at(vertex, location);
                bytes.extend(words.iter().flat_map(|w| w.to_le_bytes()));
            }
            bytes.resize(bytes.len().next_multiple_of(stride as usize), 0);
        }
        let vertices = frame.buffer(&bytes, vk::BufferUsageFlags::VERTEX_BUFFER)?;
        let index_bytes: Vec<u8> = indices.iter().flatten().flat_map(|i| (i + start).to_le_bytes()).collect();
        let index_buffer = frame.buffer(&index_bytes, vk::BufferUsageFlags::INDEX_BUFFER)?;

        let specs: Vec<_> = stages
            .iter()
            .map(|s| vk::SpecializationInfo::default().map_entries(&s.entries).data(&s.data))
            .collect();
        let stage_infos: Vec<_> = stages
            .iter()
            .zip(&specs)
            .map(|(s, spec)| {
                vk::PipelineShaderStageCreateInfo::default()
                    .stage(s.flag)
                    .module(s.module)
                    .name(&s.entry)
                    .specialization_info(spec)
            })
            .collect();
        let bindings = [vk::VertexInputBindingDescription::default().stride(stride)];
        let attributes: Vec<_> = (0..)
            .zip(inputs)
            .map(|(n, &(location, kind))| vk::VertexInputAttributeDescription {
                location,
                binding: 0,
                format: match kind {
                    InputKind::Float => vk::Format::R32G32B32A32_SFLOAT,
                    InputKind::Int => vk::Format::R32G32B32A32_SINT,
                    InputKind::Uint => vk::Format::R32G32B32A32_UINT,
                },
                offset: n * 16,
            })
            .collect();
        let input = vk::PipelineVertexInputStateCreateInfo::default()
            .vertex_binding_descriptions(&bindings)
            .vertex_attribute_descriptions(&attributes);
        let assembly = vk::PipelineInputAssemblyStateCreateInfo::default().topology(topology);
        let tessellation = vk::PipelineTessellationStateCreateInfo::default().patch_control_points(patch);
        let [x, y, width, height] = state.viewport.map(|v| v as f32);
        let [min_depth, max_depth] = state.depth_range.map(|v| v as f32);
        // Shaders that choose a viewport have as many as all devices with several have: all are the same.
        let several = [Capability::MultiViewport, Capability::ShaderViewportIndex];
        let chosen = |c: &u32| several.iter().any(|&s| *c == s as u32);
        let count = if stages.iter().any(|s| s.reflection.capabilities.iter().any(chosen)) { 16 } else { 1 };
        let viewports = [vk::Viewport { x, y, width, height, min_depth, max_depth }; 16];
        let viewports = &viewports[..count];
        let area = vk::Rect2D {
            offset: vk::Offset2D { x: 0, y: 0 },
            extent: vk::Extent2D { width: target.width, height: target.height },
        };
        let scissors = &[area; 16][..count];
        let mut viewport =
            vk::PipelineViewportStateCreateInfo::default().viewports(viewports).scissors(scissors);
        let mut clip = vk::PipelineViewportDepthClipControlCreateInfoEXT::default().negative_one_to_one(true);
        if state.clip_depth == ClipDepth::MinusOneToOne {
            viewport = viewport.push_next(&mut clip);
        }
        let mut rasterization = state::rasterization(state);
        let mut provoking = vk::PipelineRasterizationProvokingVertexStateCreateInfoEXT::default()
            .provoking_vertex_mode(vk::ProvokingVertexModeEXT::LAST_VERTEX);
        if !state.first_provokes {
            rasterization = rasterization.push_next(&mut provoking);
        }
        let mask = [state.sample_mask];
        let samples = vk::PipelineMultisampleStateCreateInfo::default()
            .rasterization_samples(vk::SampleCountFlags::from_raw(samples))
            .sample_mask(&mask)
            .alpha_to_coverage_enable(state.alpha_to_coverage);
        let depth_stencil = state::depth_stencil(state);
        let blends: Vec<_> = (0..attachments.colors.len())
            .map(|n| state::blend(state.colors.get(n).copied().unwrap_or_default()))
            .collect();
        let blend = vk::PipelineColorBlendStateCreateInfo::default()
            .attachments(&blends)
            .blend_constants(state.blend_constant.map(|c| c as f32));
        let formats: Vec<vk::Format> = attachments.colors.iter().map(|a| a.format).collect();
        let depth = attachments.depth_stencil.as_ref().filter(|a| a.has(vk::ImageAspectFlags::DEPTH));
        let stencil = attachments.depth_stencil.as_ref().filter(|a| a.has(vk::ImageAspectFlags::STENCIL));
        let mut rendering = vk::PipelineRenderingCreateInfo::default()
            .color_attachment_formats(&formats)
            .depth_attachment_format(depth.map_or(vk::Format::UNDEFINED, |a| a.format))
            .stencil_attachment_format(stencil.map_or(vk::Format::UNDEFINED, |a| a.format));
        let mut info = vk::GraphicsPipelineCreateInfo::default()
            .stages(&stage_infos)
            .vertex_input_state(&input)
            .input_assembly_state(&assembly)
            .viewport_state(&viewport)
            .rasterization_state(&rasterization)
            .multisample_state(&samples)
            .depth_stencil_state(&depth_stencil)
            .color_blend_state(&blend)
            .layout(bound.layout)
            .push_next(&mut rendering);
        if patch != 0 {
            info = info.tessellation_state(&tessellation);
        }
        // SAFETY: as described in `lib.rs`; the layout has all resources of the modules.
        let created =
            unsafe { self.device.create_graphics_pipelines(vk::PipelineCache::null(), &[info], None) };
        let pipeline = first(frame, created)?;

        let color_infos: Vec<_> = attachments.colors.iter().map(|a| a.info()).collect();
        let depth_info = depth.map(|a| a.info());
        let stencil_info = stencil.map(|a| a.info());
        let mut rendering =
            vk::RenderingInfo::default().render_area(area).layer_count(1).color_attachments(&color_infos);
        if let Some(info) = &depth_info {
            rendering = rendering.depth_attachment(info);
        }
        if let Some(info) = &stencil_info {
            rendering = rendering.stencil_attachment(info);
        }
        bound.record(frame, vk::PipelineBindPoint::GRAPHICS);
        let (d, commands) = (&self.device, frame.commands);
        repeat.start(frame, 0);
        // SAFETY: as described in `lib.rs`; vertices and indices are those that the draw reads.
        unsafe {
            d.cmd_begin_rendering(commands, &rendering);
            d.cmd_bind_pipeline(commands, vk::PipelineBindPoint::GRAPHICS, pipeline);
            d.cmd_bind_vertex_buffers(commands, 0, &[vertices.buffer], &[0]);
            if indices.is_some() {
                d.cmd_bind_index_buffer(commands, index_buffer.buffer, 0, vk::IndexType::UINT32);
            }
            for _ in 0..repeat.count {
                if let Some(indices) = &indices {
                    d.cmd_draw_indexed(commands, indices.len() as u32, 1, 0, 0, instance);
                } else {
                    d.cmd_draw(commands, draw.vertices.len() as u32, 1, start, instance);
                }
            }
            d.cmd_end_rendering(commands);
        }
        repeat.end(frame, 0);
        Ok((attachments, uploads))
    }

    /// Fails for state that the device lacks.
    fn check(&self, state: &State) -> Res<()> {
        state::check(state, self.features.extensions)?;
        let core = &self.features.core;
        let has = |feature: vk::Bool32| feature == vk::TRUE;
        if state.depth_bounds.is_some() && !has(core.depth_bounds) {
            return unsupported("depth bounds");
        }
        if state.depth_clamp && !has(core.depth_clamp) {
            return unsupported("depth clamp");
        }
        if state.depth_bias.is_some_and(|b| b.clamp != 0.0) && !has(core.depth_bias_clamp) {
            return unsupported("a bound of the depth bias");
        }
        Ok(())
    }
}

/// The index of the first vertex; the others follow.
fn first_index(vertices: &[Vertex]) -> Res<u32> {
    let index = |v: &Vertex, default: u64| v.system.get(SystemValue::vertex_id).map_or(default, |id| id[0]);
    let start = vertices.first().map_or(0, |v| index(v, 0));
    if start + vertices.len() as u64 > MAX_VERTICES {
        return unsupported("this many vertices");
    }
    if (start..).zip(vertices).any(|(n, v)| index(v, n) != n) {
        return unsupported("vertices whose indices do not follow each other");
    }
    let instance = |v: &Vertex| v.system.get(SystemValue::instance_index).is_some_and(|id| id[0] != 0);
    if vertices.iter().any(instance) {
        return unsupported("instances");
    }
    Ok(start as u32)
}

/// The words of an attribute.
fn words_at(vertex: &Vertex, location: u32) -> [u32; 4] {
    let slot = Slot::generic(location);
    let found = vertex.inputs.iter().find(|(s, index, ..)| Some(*s) == slot && *index == 0);
    found.map_or([0, 0, 0, 0], |(_, _, words, _)| words)
}
