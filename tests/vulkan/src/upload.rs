//! Buffers and images of the interpreter's resources on the device, and back.

use crate::error::{Res, unsupported};
use crate::format::format;
use crate::frame::{Frame, Mapped, Owned};
use airfoil_interp::Resources;
use airfoil_interp::texture::{Format, Image};
use airfoil_ir::Dim;
use ash::vk;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

/// An image on the device.
pub(crate) struct Uploaded {
    pub image: vk::Image,
    pub format: vk::Format,
    pub aspect: vk::ImageAspectFlags,
    usage: vk::ImageUsageFlags,
    layers: u32,
    levels: u32,
    staging: Mapped,
    regions: Vec<vk::BufferImageCopy>,
    written: bool,
}

/// The resources that a submission uses.
#[derive(Default)]
pub(crate) struct Uploads {
    buffers: BTreeMap<usize, (Mapped, bool)>,
    images: BTreeMap<usize, Uploaded>,
}

/// The aspect of a format.
pub(crate) fn aspect(format: Format) -> vk::ImageAspectFlags {
    match format {
        Format::S8 => vk::ImageAspectFlags::STENCIL,
        _ if format.info().depth => vk::ImageAspectFlags::DEPTH,
        _ => vk::ImageAspectFlags::COLOR,
    }
}

/// Makes an image usable in any way, whatever it contained.
pub(crate) fn to_general(frame: &Frame<'_>, image: vk::Image, aspect: vk::ImageAspectFlags) {
    let range = vk::ImageSubresourceRange::default()
        .aspect_mask(aspect)
        .level_count(vk::REMAINING_MIP_LEVELS)
        .layer_count(vk::REMAINING_ARRAY_LAYERS);
    let barrier = [vk::ImageMemoryBarrier::default()
        .dst_access_mask(vk::AccessFlags::MEMORY_READ | vk::AccessFlags::MEMORY_WRITE)
        .old_layout(vk::ImageLayout::UNDEFINED)
        .new_layout(vk::ImageLayout::GENERAL)
        .src_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
        .dst_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
        .image(image)
        .subresource_range(range)];
    let stages = vk::PipelineStageFlags::ALL_COMMANDS;
    // SAFETY: as described in `lib.rs`; the range is all of the image.
    unsafe {
        frame.dev.device.cmd_pipeline_barrier(
            frame.commands,
            stages,
            stages,
            vk::DependencyFlags::empty(),
            &[],
            &[],
            &barrier,
        );
    }
}

impl Uploads {
    /// A buffer; `written` if shaders can write it.
    pub fn buffer(
        &mut self,
        frame: &mut Frame<'_>,
        resources: &Resources,
        index: usize,
        written: bool,
    ) -> Res<Mapped> {
        use vk::BufferUsageFlags as U;
        if let Some((mapped, was_written)) = self.buffers.get_mut(&index) {
            *was_written |= written;
            return Ok(*mapped);
        }
        let uses = U::UNIFORM_BUFFER | U::STORAGE_BUFFER | U::UNIFORM_TEXEL_BUFFER | U::STORAGE_TEXEL_BUFFER;
        let mapped = frame.buffer(&resources.buffers[index].bytes, uses)?;
        self.buffers.insert(index, (mapped, written));
        Ok(mapped)
    }

    /// A view of an image. `usage` is how shaders use it.
    pub fn view(
        &mut self,
        frame: &mut Frame<'_>,
        resources: &Resources,
        index: usize,
        usage: vk::ImageUsageFlags,
        info: vk::ImageViewCreateInfo<'_>,
    ) -> Res<vk::ImageView> {
        let uploaded = match self.images.entry(index) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) => entry.insert(upload(frame, &resources.images[index])?),
        };
        if !uploaded.usage.contains(usage) {
            return unsupported(format!("the format {:?} for this use", uploaded.format));
        }
        uploaded.written |= usage.contains(vk::ImageUsageFlags::STORAGE);
        let mut range = info.subresource_range.aspect_mask(uploaded.aspect);
        if range.base_mip_level >= uploaded.levels || range.base_array_layer >= uploaded.layers {
            return unsupported("a view outside of its image");
        }
        range.level_count = range.level_count.min(uploaded.levels - range.base_mip_level);
        range.layer_count = range.layer_count.min(uploaded.layers - range.base_array_layer);
        let cubes = matches!(info.view_type, vk::ImageViewType::CUBE | vk::ImageViewType::CUBE_ARRAY);
        if cubes && !range.layer_count.is_multiple_of(6) {
            return unsupported("a cube view of an image that is not a cube");
        }
        if info.view_type == vk::ImageViewType::TYPE_2D || info.view_type == vk::ImageViewType::TYPE_1D {
            range.layer_count = 1;
        }
        let info = info.image(uploaded.image).format(uploaded.format).subresource_range(range);
        // SAFETY: as described in `lib.rs`; the range is within the image, whose format the view has.
        let view = unsafe { frame.dev.device.create_image_view(&info, None) }?;
        frame.own(Owned::ImageView(view));
        Ok(view)
    }

    /// Copies of the buffers that shaders can write: each buffer with its copy.
    pub fn copies(&self, frame: &mut Frame<'_>, resources: &Resources) -> Res<Vec<(Mapped, Mapped)>> {
        let written = self.buffers.iter().filter(|(_, (_, written))| *written);
        let copy = |(&index, &(mapped, _)): (&usize, &(Mapped, bool))| {
            Ok((mapped, frame.buffer(&resources.buffers[index].bytes, vk::BufferUsageFlags::empty())?))
        };
        written.map(copy).collect()
    }

    /// Records that buffers and images which shaders can write get their first contents again.
    pub fn record_restore(&self, frame: &Frame<'_>, copies: &[(Mapped, Mapped)]) {
        let (d, commands) = (&frame.dev.device, frame.commands);
        frame.barrier();
        for (buffer, copy) in copies {
            let region = [vk::BufferCopy::default().size(buffer.size)];
            // SAFETY: as described in `lib.rs`; both buffers have this size.
            unsafe { d.cmd_copy_buffer(commands, copy.buffer, buffer.buffer, &region) };
        }
        for uploaded in self.images.values().filter(|i| i.written) {
            let (from, to) = (uploaded.staging.buffer, uploaded.image);
            let layout = vk::ImageLayout::GENERAL;
            // SAFETY: as described in `lib.rs`; the regions are those of the upload.
            unsafe { d.cmd_copy_buffer_to_image(commands, from, to, layout, &uploaded.regions) };
        }
        frame.barrier();
    }

    /// Records the copies of images that shaders can write to memory of the host.
    pub fn record_downloads(&self, frame: &Frame<'_>) {
        frame.barrier();
        for uploaded in self.images.values().filter(|i| i.written) {
            // SAFETY: as described in `lib.rs`; the regions are those of the upload.
            unsafe {
                frame.dev.device.cmd_copy_image_to_buffer(
                    frame.commands,
                    uploaded.image,
                    vk::ImageLayout::GENERAL,
                    uploaded.staging.buffer,
                    &uploaded.regions,
                );
            }
        }
        frame.barrier();
    }

    /// Reads back writable resources, after the submission.
    pub fn download(&self, resources: &mut Resources) {
        for (&index, (mapped, _)) in self.buffers.iter().filter(|(_, (_, written))| *written) {
            mapped.read(&mut resources.buffers[index].bytes);
        }
        for (&index, uploaded) in self.images.iter().filter(|(_, i)| i.written) {
            let mut bytes = vec![0; uploaded.staging.size as usize];
            uploaded.staging.read(&mut bytes);
            let image = &mut resources.images[index];
            for (level, region) in (0..).zip(&uploaded.regions) {
                let level = image.bytes_mut(level);
                let at = region.buffer_offset as usize;
                if let Some(from) = bytes.get(at..at + level.len()) {
                    level.copy_from_slice(from);
                }
            }
        }
    }
}

fn upload(frame: &mut Frame<'_>, image: &Image) -> Res<Uploaded> {
    use vk::FormatFeatureFlags as F;
    use vk::ImageUsageFlags as U;
    if image.num_samples() != 1 {
        return unsupported("contents of images with several samples");
    }
    let own = format(image.format)?;
    let features = frame.dev.format(own).optimal_tiling_features;
    if !features.contains(F::TRANSFER_SRC | F::TRANSFER_DST) {
        return unsupported(format!("the format {own:?}"));
    }
    let mut usage = U::TRANSFER_SRC | U::TRANSFER_DST;
    if features.contains(F::SAMPLED_IMAGE) {
        usage |= U::SAMPLED;
    }
    if features.contains(F::STORAGE_IMAGE) {
        usage |= U::STORAGE;
    }
    let (ty, flags) = match image.dim {
        Dim::D1 | Dim::Buffer => (vk::ImageType::TYPE_1D, vk::ImageCreateFlags::empty()),
        Dim::D3 => (vk::ImageType::TYPE_3D, vk::ImageCreateFlags::empty()),
        Dim::Cube => (vk::ImageType::TYPE_2D, vk::ImageCreateFlags::CUBE_COMPATIBLE),
        _ => (vk::ImageType::TYPE_2D, vk::ImageCreateFlags::empty()),
    };
    let extent = |level: u32| {
        let [width, height, depth] = image.level_size(level);
        vk::Extent3D { width, height, depth }
    };
    let (layers, levels) = (image.num_layers(), image.num_levels());
    let info = vk::ImageCreateInfo::default()
        .flags(flags)
        .image_type(ty)
        .format(own)
        .extent(extent(0))
        .mip_levels(levels)
        .array_layers(layers)
        .samples(vk::SampleCountFlags::TYPE_1)
        .usage(usage);
    let handle = frame.image(&info)?;
    let aspect = aspect(image.format);
    let (mut bytes, mut regions) = (Vec::new(), Vec::new());
    for level in 0..levels {
        bytes.resize(bytes.len().next_multiple_of(16), 0);
        let part =
            vk::ImageSubresourceLayers::default().aspect_mask(aspect).mip_level(level).layer_count(layers);
        let region = vk::BufferImageCopy::default().buffer_offset(bytes.len() as u64).image_subresource(part);
        regions.push(region.image_extent(extent(level)));
        bytes.extend_from_slice(image.bytes(level));
    }
    let staging = frame.buffer(&bytes, vk::BufferUsageFlags::empty())?;
    to_general(frame, handle, aspect);
    // SAFETY: as described in `lib.rs`; the regions cover the levels of the image and are inside the buffer.
    unsafe {
        frame.dev.device.cmd_copy_buffer_to_image(
            frame.commands,
            staging.buffer,
            handle,
            vk::ImageLayout::GENERAL,
            &regions,
        );
    }
    frame.barrier();
    Ok(Uploaded {
        image: handle,
        format: own,
        aspect,
        usage,
        layers,
        levels,
        staging,
        regions,
        written: false,
    })
}
