//! Targets of draws.

use crate::error::{Res, unsupported};
use crate::format::format;
use crate::frame::{Frame, Mapped, Owned};
use crate::upload::to_general;
use airfoil_interp::pipeline::Target;
use airfoil_interp::texture::{Color, Encoding, Format};
use ash::vk;

/// An aspect of an attachment, and its texels in memory of the host.
struct Plane {
    aspect: vk::ImageAspectFlags,
    format: Format,
    staging: Mapped,
}

/// An attachment.
pub(crate) struct Attachment {
    image: vk::Image,
    pub view: vk::ImageView,
    pub format: vk::Format,
    planes: Vec<Plane>,
    width: u32,
    height: u32,
    /// The view with several samples that is drawn to and resolved, and its first color.
    multisampled: Option<(vk::ImageView, [f32; 4])>,
}

/// All attachments of a draw.
pub(crate) struct Attachments {
    pub colors: Vec<Attachment>,
    pub depth_stencil: Option<Attachment>,
}

fn color(format: Format, words: [u32; 4]) -> Color {
    match format.info().encoding {
        Encoding::Int => Color::Int(words.map(|w| i64::from(w as i32))),
        Encoding::Uint => Color::Int(words.map(i64::from)),
        _ => Color::Float(words.map(|w| f64::from(f32::from_bits(w)))),
    }
}

fn words(color: Color) -> [u32; 4] {
    match color {
        Color::Float(c) => c.map(|x| (x as f32).to_bits()),
        Color::Int(c) => c.map(|x| x as u32),
    }
}

fn to_bytes(format: Format, texels: impl Iterator<Item = [u32; 4]>) -> Vec<u8> {
    let mut bytes = Vec::new();
    for texel in texels {
        let at = bytes.len();
        bytes.resize(at + format.bytes(), 0);
        format.write(&mut bytes[at..], color(format, texel));
    }
    bytes
}

impl Attachment {
    /// An attachment with these planes: aspect, format and texels.
    fn new(
        frame: &mut Frame<'_>,
        target: &Target,
        own: vk::Format,
        parts: Vec<(vk::ImageAspectFlags, Format, Vec<u8>)>,
    ) -> Res<Attachment> {
        use vk::FormatFeatureFlags as F;
        use vk::ImageUsageFlags as U;
        let is_color = parts.iter().any(|p| p.0 == vk::ImageAspectFlags::COLOR);
        let (feature, usage) = match is_color {
            true => (F::COLOR_ATTACHMENT, U::COLOR_ATTACHMENT),
            false => (F::DEPTH_STENCIL_ATTACHMENT, U::DEPTH_STENCIL_ATTACHMENT),
        };
        let features = frame.dev.format(own).optimal_tiling_features;
        if !features.contains(feature | F::TRANSFER_SRC | F::TRANSFER_DST) {
            return unsupported(format!("attachments of the format {own:?}"));
        }
        let (width, height) = (target.width, target.height);
        let extent = vk::Extent3D { width, height, depth: 1 };
        let info = vk::ImageCreateInfo::default()
            .image_type(vk::ImageType::TYPE_2D)
            .format(own)
            .extent(extent)
            .mip_levels(1)
            .array_layers(1)
            .samples(vk::SampleCountFlags::TYPE_1)
            .usage(usage | U::TRANSFER_SRC | U::TRANSFER_DST);
        let image = frame.image(&info)?;
        let aspects = parts.iter().fold(vk::ImageAspectFlags::empty(), |all, p| all | p.0);
        to_general(frame, image, aspects);
        let range = vk::ImageSubresourceRange::default().aspect_mask(aspects).level_count(1).layer_count(1);
        let info = vk::ImageViewCreateInfo::default()
            .image(image)
            .view_type(vk::ImageViewType::TYPE_2D)
            .format(own)
            .subresource_range(range);
        // SAFETY: as described in `lib.rs`.
        let view = unsafe { frame.dev.device.create_image_view(&info, None) }?;
        frame.own(Owned::ImageView(view));
        let mut attachment =
            Attachment { image, view, format: own, planes: Vec::new(), width, height, multisampled: None };
        for (aspect, format, bytes) in parts {
            let staging = frame.buffer(&bytes, vk::BufferUsageFlags::empty())?;
            let plane = Plane { aspect, format, staging };
            // SAFETY: as described in `lib.rs`; the buffer has all texels of the aspect.
            unsafe {
                frame.dev.device.cmd_copy_buffer_to_image(
                    frame.commands,
                    staging.buffer,
                    image,
                    vk::ImageLayout::GENERAL,
                    &[attachment.region(&plane)],
                );
            }
            attachment.planes.push(plane);
        }
        Ok(attachment)
    }

    fn region(&self, plane: &Plane) -> vk::BufferImageCopy {
        let part = vk::ImageSubresourceLayers::default().aspect_mask(plane.aspect).layer_count(1);
        let extent = vk::Extent3D { width: self.width, height: self.height, depth: 1 };
        vk::BufferImageCopy::default().image_subresource(part).image_extent(extent)
    }

    /// Draws to an image with several samples, which is resolved to this one.
    fn multisample(&mut self, frame: &mut Frame<'_>, samples: u32, clear: [f32; 4]) -> Res<()> {
        let info = vk::ImageCreateInfo::default()
            .image_type(vk::ImageType::TYPE_2D)
            .format(self.format)
            .extent(vk::Extent3D { width: self.width, height: self.height, depth: 1 })
            .mip_levels(1)
            .array_layers(1)
            .samples(vk::SampleCountFlags::from_raw(samples))
            .usage(vk::ImageUsageFlags::COLOR_ATTACHMENT);
        let image = frame.image(&info)?;
        to_general(frame, image, vk::ImageAspectFlags::COLOR);
        let range = vk::ImageSubresourceRange::default()
            .aspect_mask(vk::ImageAspectFlags::COLOR)
            .level_count(1)
            .layer_count(1);
        let info = vk::ImageViewCreateInfo::default()
            .image(image)
            .view_type(vk::ImageViewType::TYPE_2D)
            .format(self.format)
            .subresource_range(range);
        // SAFETY: as described in `lib.rs`.
        let view = unsafe { frame.dev.device.create_image_view(&info, None) }?;
        frame.own(Owned::ImageView(view));
        self.multisampled = Some((view, clear));
        Ok(())
    }

    /// Loaded before the draw, stored after it.
    pub fn info(&self) -> vk::RenderingAttachmentInfo<'static> {
        if let Some((view, float32)) = self.multisampled {
            let color = vk::ClearColorValue { float32 };
            return vk::RenderingAttachmentInfo::default()
                .image_view(view)
                .image_layout(vk::ImageLayout::GENERAL)
                .resolve_mode(vk::ResolveModeFlags::AVERAGE)
                .resolve_image_view(self.view)
                .resolve_image_layout(vk::ImageLayout::GENERAL)
                .load_op(vk::AttachmentLoadOp::CLEAR)
                .store_op(vk::AttachmentStoreOp::STORE)
                .clear_value(vk::ClearValue { color });
        }
        vk::RenderingAttachmentInfo::default()
            .image_view(self.view)
            .image_layout(vk::ImageLayout::GENERAL)
            .load_op(vk::AttachmentLoadOp::LOAD)
            .store_op(vk::AttachmentStoreOp::STORE)
    }

    /// Whether it has an aspect.
    pub fn has(&self, aspect: vk::ImageAspectFlags) -> bool {
        self.planes.iter().any(|p| p.aspect == aspect)
    }

    /// The texels of a plane.
    fn read(&self, plane: &Plane) -> Vec<[u32; 4]> {
        let mut bytes = vec![0; self.width as usize * self.height as usize * plane.format.bytes()];
        plane.staging.read(&mut bytes);
        bytes.chunks_exact(plane.format.bytes()).map(|texel| words(plane.format.read(texel))).collect()
    }
}

impl Attachments {
    /// Uploads a target.
    pub fn new(frame: &mut Frame<'_>, target: &Target, samples: u32) -> Res<Attachments> {
        use vk::ImageAspectFlags as A;
        if target.samples != 1 || target.layers != 1 {
            return unsupported("attachments with several samples or layers");
        }
        let mut all = Attachments { colors: Vec::new(), depth_stencil: None };
        for (texels, &own) in target.colors.iter().zip(&target.formats) {
            let bytes = to_bytes(own, texels.iter().copied());
            let mut color = Attachment::new(frame, target, format(own)?, vec![(A::COLOR, own, bytes)])?;
            if samples > 1 {
                let first = texels.first().copied().unwrap_or_default();
                color.multisample(frame, samples, first.map(f32::from_bits))?;
            }
            all.colors.push(color);
        }
        if samples > 1 && (target.depth.is_some() || target.stencil.is_some()) {
            return unsupported("depth or stencil attachments with several samples");
        }
        let mut parts = Vec::new();
        if let Some(depths) = &target.depth {
            let bytes = to_bytes(target.depth_format, depths.iter().map(|z| [z.to_bits(), 0, 0, 0]));
            parts.push((A::DEPTH, target.depth_format, bytes));
        }
        if let Some(stencils) = &target.stencil {
            parts.push((A::STENCIL, Format::S8, stencils.clone()));
        }
        if parts.is_empty() {
            return Ok(all);
        }
        let own = match (target.depth.is_some(), target.stencil.is_some(), target.depth_format) {
            (true, true, Format::D16) => vk::Format::D16_UNORM_S8_UINT,
            (true, true, Format::D24) => vk::Format::D24_UNORM_S8_UINT,
            (true, true, _) => vk::Format::D32_SFLOAT_S8_UINT,
            (true, false, depth) => format(depth)?,
            (false, ..) => vk::Format::S8_UINT,
        };
        all.depth_stencil = Some(Attachment::new(frame, target, own, parts)?);
        Ok(all)
    }

    fn all(&self) -> impl Iterator<Item = &Attachment> {
        self.colors.iter().chain(&self.depth_stencil)
    }

    /// Records the copies to memory of the host.
    pub fn record_downloads(&self, frame: &Frame<'_>) {
        frame.barrier();
        for attachment in self.all() {
            for plane in &attachment.planes {
                // SAFETY: as described in `lib.rs`; the buffer has room for all texels of the aspect.
                unsafe {
                    frame.dev.device.cmd_copy_image_to_buffer(
                        frame.commands,
                        attachment.image,
                        vk::ImageLayout::GENERAL,
                        plane.staging.buffer,
                        &[attachment.region(plane)],
                    );
                }
            }
        }
        frame.barrier();
    }

    /// Reads the target back, after the submission.
    pub fn download(&self, target: &mut Target) {
        for (attachment, texels) in self.colors.iter().zip(&mut target.colors) {
            for plane in &attachment.planes {
                *texels = attachment.read(plane);
            }
        }
        let Some(attachment) = &self.depth_stencil else { return };
        for plane in &attachment.planes {
            let texels = attachment.read(plane);
            if plane.aspect == vk::ImageAspectFlags::DEPTH {
                target.depth = Some(texels.iter().map(|t| f32::from_bits(t[0])).collect());
            } else {
                target.stencil = Some(texels.iter().map(|t| t[0] as u8).collect());
            }
        }
    }
}
