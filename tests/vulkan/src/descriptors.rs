//! Pipeline layouts, and descriptors of the resources that are bound.

use crate::error::{Error, Res, unsupported};
use crate::format::format;
use crate::frame::{Frame, Owned};
use crate::module::Module;
use crate::reflect::{Reflection, Resource, reflect};
use crate::sampler;
use crate::upload::Uploads;
use airfoil_interp::texture::{Channel, Sampler, View};
use airfoil_interp::{Binding, Resources};
use ash::vk::{self, DescriptorType as D};
use std::collections::BTreeMap;
use std::ffi::CString;

/// Least size of the push constants that every device has.
const PUSH_CONSTANTS: usize = 128;

/// A stage that is ready for a pipeline.
pub(crate) struct Stage {
    pub flag: vk::ShaderStageFlags,
    pub module: vk::ShaderModule,
    pub entry: CString,
    pub reflection: Reflection,
    pub entries: Vec<vk::SpecializationMapEntry>,
    pub data: Vec<u8>,
}

/// Layout and sets of a pipeline.
pub(crate) struct Bound {
    pub layout: vk::PipelineLayout,
    sets: Vec<vk::DescriptorSet>,
    push_constants: Vec<u8>,
}

/// Creates the shader module of a stage.
pub(crate) fn stage(frame: &mut Frame<'_>, module: &Module) -> Res<Stage> {
    let Some(flag) = module.flag() else { return unsupported(format!("{} shaders", module.stage)) };
    let reflection = reflect(&module.words)?;
    for &capability in &reflection.capabilities {
        frame.dev.features.check(capability)?;
    }
    let Ok(entry) = CString::new(module.entry.as_str()) else {
        return unsupported("this name of an entry point");
    };
    let info = vk::ShaderModuleCreateInfo::default().code(&module.words);
    // SAFETY: as described in `lib.rs`; callers pass valid modules.
    let handle = unsafe { frame.dev.device.create_shader_module(&info, None) }?;
    frame.own(Owned::Shader(handle));
    let (mut entries, mut data) = (Vec::new(), Vec::new());
    for &(id, bits) in &module.spec {
        let Some(&size) = reflection.spec.get(&id) else { continue };
        entries.push(vk::SpecializationMapEntry {
            constant_id: id,
            offset: data.len() as u32,
            size: size as usize,
        });
        data.extend_from_slice(&bits.to_le_bytes()[..size as usize]);
        data.resize(data.len().next_multiple_of(8), 0);
    }
    Ok(Stage { flag, module: handle, entry, reflection, entries, data })
}

/// All resources of the stages by set and binding, with the stages that use them.
fn resources_of(stages: &[Stage]) -> Res<BTreeMap<(u32, u32), (Resource, vk::ShaderStageFlags)>> {
    let mut all: BTreeMap<(u32, u32), (Resource, vk::ShaderStageFlags)> = BTreeMap::new();
    for stage in stages {
        for &resource in &stage.reflection.resources {
            let Some((old, flags)) = all.get_mut(&(resource.set, resource.binding)) else {
                all.insert((resource.set, resource.binding), (resource, stage.flag));
                continue;
            };
            *flags |= stage.flag;
            old.view = old.view.or(resource.view);
            old.count = old.count.zip(resource.count).map(|(a, b)| a.max(b));
            let textures = [D::SAMPLED_IMAGE, D::SAMPLER, D::COMBINED_IMAGE_SAMPLER];
            if old.ty != resource.ty {
                if !textures.contains(&old.ty) || !textures.contains(&resource.ty) {
                    return unsupported("different resources with the same binding");
                }
                old.ty = D::COMBINED_IMAGE_SAMPLER;
            }
        }
    }
    Ok(all)
}

/// Compares the numbers of descriptors of a stage with the limits of the device (Vulkan 1.3 table 52).
fn check_limits(limits: &vk::PhysicalDeviceLimits, used: impl Iterator<Item = (D, u32)>) -> Res<()> {
    let samplers = [D::SAMPLER, D::COMBINED_IMAGE_SAMPLER];
    let textures = [D::SAMPLED_IMAGE, D::COMBINED_IMAGE_SAMPLER, D::UNIFORM_TEXEL_BUFFER];
    let images = [D::STORAGE_IMAGE, D::STORAGE_TEXEL_BUFFER];
    let kinds: [(&str, &[D], u32); 5] = [
        ("samplers", &samplers, limits.max_per_stage_descriptor_samplers),
        ("textures", &textures, limits.max_per_stage_descriptor_sampled_images),
        ("storage images", &images, limits.max_per_stage_descriptor_storage_images),
        ("uniform buffers", &[D::UNIFORM_BUFFER], limits.max_per_stage_descriptor_uniform_buffers),
        ("storage buffers", &[D::STORAGE_BUFFER], limits.max_per_stage_descriptor_storage_buffers),
    ];
    let used: Vec<_> = used.collect();
    for (name, types, limit) in kinds {
        let count = used.iter().filter(|u| types.contains(&u.0)).fold(0u32, |n, u| n.saturating_add(u.1));
        if count > limit {
            return unsupported(format!("{count} {name} in a stage, of which the device has {limit}"));
        }
    }
    Ok(())
}

/// Creates the layout of a pipeline, and the descriptor sets of its bindings.
pub(crate) fn bind(
    frame: &mut Frame<'_>,
    uploads: &mut Uploads,
    resources: &Resources,
    stages: &[Stage],
) -> Res<Bound> {
    let all = resources_of(stages)?;
    let num_sets = all.keys().map(|k| k.0 + 1).max().unwrap_or(0);
    if num_sets > 4 {
        return unsupported("more than four descriptor sets");
    }
    let find =
        |r: &Resource, element: u32| resources.find(r.space(), "", Some(r.set), Some(r.binding), element);
    let mut counts = BTreeMap::new();
    let mut sizes = vec![vk::DescriptorPoolSize { ty: D::SAMPLER, descriptor_count: 1 }];
    for (&key, (resource, _)) in &all {
        let bound = || (0..).take_while(|&n| find(resource, n).is_some()).count() as u32;
        let count = resource.count.unwrap_or_else(bound).max(1);
        counts.insert(key, count);
        sizes.push(vk::DescriptorPoolSize { ty: resource.ty, descriptor_count: count });
    }
    for stage in stages {
        let used = all.iter().filter(|(_, (_, flags))| flags.contains(stage.flag));
        check_limits(&frame.dev.features.limits, used.map(|(key, (r, _))| (r.ty, counts[key])))?;
    }
    let mut layouts = Vec::new();
    for set in 0..num_sets {
        let of_set = all.range((set, 0)..=(set, u32::MAX));
        let bindings: Vec<_> = of_set
            .map(|(key, (resource, flags))| {
                vk::DescriptorSetLayoutBinding::default()
                    .binding(key.1)
                    .descriptor_type(resource.ty)
                    .descriptor_count(counts[key])
                    .stage_flags(*flags)
            })
            .collect();
        let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
        // SAFETY: as described in `lib.rs`.
        let layout = unsafe { frame.dev.device.create_descriptor_set_layout(&info, None) }?;
        frame.own(Owned::SetLayout(layout));
        layouts.push(layout);
    }
    let mut push_constants = resources.push_constants.clone();
    push_constants.resize(push_constants.len().max(PUSH_CONSTANTS).next_multiple_of(4), 0);
    let ranges = [vk::PushConstantRange {
        stage_flags: vk::ShaderStageFlags::ALL,
        offset: 0,
        size: push_constants.len() as u32,
    }];
    let has_push_constants = stages.iter().any(|s| s.reflection.push_constants);
    let mut info = vk::PipelineLayoutCreateInfo::default().set_layouts(&layouts);
    if has_push_constants {
        info = info.push_constant_ranges(&ranges);
    } else {
        push_constants.clear();
    }
    // SAFETY: as described in `lib.rs`.
    let layout = unsafe { frame.dev.device.create_pipeline_layout(&info, None) }?;
    frame.own(Owned::Layout(layout));
    let mut bound = Bound { layout, sets: Vec::new(), push_constants };
    if layouts.is_empty() {
        return Ok(bound);
    }
    let info = vk::DescriptorPoolCreateInfo::default().max_sets(num_sets).pool_sizes(&sizes);
    // SAFETY: as described in `lib.rs`.
    let pool = unsafe { frame.dev.device.create_descriptor_pool(&info, None) }?;
    frame.own(Owned::SetPool(pool));
    let info = vk::DescriptorSetAllocateInfo::default().descriptor_pool(pool).set_layouts(&layouts);
    // SAFETY: as described in `lib.rs`.
    bound.sets = unsafe { frame.dev.device.allocate_descriptor_sets(&info) }?;
    for (key, (resource, _)) in &all {
        for element in 0..counts[key] {
            // Elements without a binding must not be accessed; they get that of the first one.
            let Some(what) = find(resource, element).or_else(|| find(resource, 0)) else {
                return unsupported(format!("nothing is bound to set {}, binding {}", key.0, key.1));
            };
            write(frame, uploads, resources, bound.sets[key.0 as usize], resource, element, what)?;
        }
    }
    Ok(bound)
}

fn write(
    frame: &mut Frame<'_>,
    uploads: &mut Uploads,
    resources: &Resources,
    set: vk::DescriptorSet,
    resource: &Resource,
    element: u32,
    what: &Binding,
) -> Res<()> {
    let mut write = vk::WriteDescriptorSet::default()
        .dst_set(set)
        .dst_binding(resource.binding)
        .dst_array_element(element)
        .descriptor_type(resource.ty)
        .descriptor_count(1);
    let (buffers, images, texels);
    match (resource.ty, what) {
        (D::UNIFORM_BUFFER | D::STORAGE_BUFFER, Binding::Buffer { buffer, offset, size }) => {
            let mapped = uploads.buffer(frame, resources, *buffer, resource.ty == D::STORAGE_BUFFER)?;
            let bytes = resources.buffers[*buffer].bytes.len() as u64;
            let Some(rest) = bytes.checked_sub(*offset).filter(|&rest| rest > 0) else {
                return unsupported("an empty range of a buffer");
            };
            let range = size.unwrap_or(rest).min(rest);
            buffers = [vk::DescriptorBufferInfo { buffer: mapped.buffer, offset: *offset, range }];
            write = write.buffer_info(&buffers);
        }
        (
            D::UNIFORM_TEXEL_BUFFER | D::STORAGE_TEXEL_BUFFER,
            Binding::TexelBuffer { buffer, offset, size, format: texel },
        ) => {
            use vk::FormatFeatureFlags as F;
            let storage = resource.ty == D::STORAGE_TEXEL_BUFFER;
            let own = format(*texel)?;
            let needed = if storage { F::STORAGE_TEXEL_BUFFER } else { F::UNIFORM_TEXEL_BUFFER };
            if !frame.dev.format(own).buffer_features.contains(needed) {
                return unsupported(format!("the format {own:?} for texel buffers"));
            }
            let mapped = uploads.buffer(frame, resources, *buffer, storage)?;
            let bytes = resources.buffers[*buffer].bytes.len() as u64;
            let rest = bytes.saturating_sub(*offset);
            let whole = size.unwrap_or(rest).min(rest) / texel.bytes() as u64 * texel.bytes() as u64;
            if whole == 0 {
                return unsupported("an empty texel buffer");
            }
            let info = vk::BufferViewCreateInfo::default()
                .buffer(mapped.buffer)
                .format(own)
                .offset(*offset)
                .range(whole);
            // SAFETY: as described in `lib.rs`; the range is within the buffer.
            let view = unsafe { frame.dev.device.create_buffer_view(&info, None) }?;
            frame.own(Owned::BufferView(view));
            texels = [view];
            write = write.texel_buffer_view(&texels);
        }
        (D::STORAGE_IMAGE, Binding::Image { image, level, layer: None, format })
            if format.is_none_or(|f| f == resources.images[*image].format) =>
        {
            let range = vk::ImageSubresourceRange::default()
                .base_mip_level(*level)
                .level_count(1)
                .layer_count(vk::REMAINING_ARRAY_LAYERS);
            let info = view_info(resource)?.subresource_range(range);
            let view = uploads.view(frame, resources, *image, vk::ImageUsageFlags::STORAGE, info)?;
            images =
                [vk::DescriptorImageInfo::default().image_view(view).image_layout(vk::ImageLayout::GENERAL)];
            write = write.image_info(&images);
        }
        (D::SAMPLED_IMAGE | D::COMBINED_IMAGE_SAMPLER, Binding::Texture { image, view, sampler }) => {
            let info = view_info(resource)?.subresource_range(range(view)).components(swizzle(view)?);
            let view = uploads.view(frame, resources, *image, vk::ImageUsageFlags::SAMPLED, info)?;
            let mut info = vk::DescriptorImageInfo::default().image_view(view);
            if resource.ty == D::COMBINED_IMAGE_SAMPLER {
                let default = Sampler::default();
                let own = sampler.map_or(&default, |n| &resources.samplers[n]);
                info = info.sampler(create_sampler(frame, own)?);
            }
            images = [info.image_layout(vk::ImageLayout::GENERAL)];
            write = write.image_info(&images);
        }
        (D::SAMPLER, Binding::Sampler(n) | Binding::Texture { sampler: Some(n), .. }) => {
            let sampler = create_sampler(frame, &resources.samplers[*n])?;
            images = [vk::DescriptorImageInfo::default().sampler(sampler)];
            write = write.image_info(&images);
        }
        (ty, _) => return unsupported(format!("a {ty:?} with this binding")),
    }
    // SAFETY: as described in `lib.rs`; the write refers to one descriptor of the type in its layout.
    unsafe { frame.dev.device.update_descriptor_sets(&[write], &[]) };
    Ok(())
}

fn view_info(resource: &Resource) -> Res<vk::ImageViewCreateInfo<'static>> {
    match resource.view {
        Some(view) => Ok(vk::ImageViewCreateInfo::default().view_type(view)),
        None => Err(Error::Unsupported("an image without a dimension".into())),
    }
}

fn range(view: &View) -> vk::ImageSubresourceRange {
    vk::ImageSubresourceRange::default()
        .base_mip_level(view.base_level)
        .level_count(view.levels)
        .base_array_layer(view.base_layer)
        .layer_count(view.layers)
}

fn swizzle(view: &View) -> Res<vk::ComponentMapping> {
    if view.format.is_some() {
        return unsupported("a view with another format");
    }
    let [r, g, b, a] = view.swizzle.map(|channel| match channel {
        Channel::Red => vk::ComponentSwizzle::R,
        Channel::Green => vk::ComponentSwizzle::G,
        Channel::Blue => vk::ComponentSwizzle::B,
        Channel::Alpha => vk::ComponentSwizzle::A,
        Channel::Zero => vk::ComponentSwizzle::ZERO,
        Channel::One => vk::ComponentSwizzle::ONE,
    });
    Ok(vk::ComponentMapping { r, g, b, a })
}

fn create_sampler(frame: &mut Frame<'_>, sampler: &Sampler) -> Res<vk::Sampler> {
    let mut info = sampler::create_info(frame.dev, sampler)?;
    let float32 = sampler.border.map(|x| x as f32);
    let mut border = vk::SamplerCustomBorderColorCreateInfoEXT::default()
        .custom_border_color(vk::ClearColorValue { float32 });
    if info.border_color == vk::BorderColor::FLOAT_CUSTOM_EXT {
        info = info.push_next(&mut border);
    }
    // SAFETY: as described in `lib.rs`.
    let sampler = unsafe { frame.dev.device.create_sampler(&info, None) }?;
    frame.own(Owned::Sampler(sampler));
    Ok(sampler)
}

impl Bound {
    /// Records that the sets and push constants are used.
    pub fn record(&self, frame: &Frame<'_>, point: vk::PipelineBindPoint) {
        let d = &frame.dev.device;
        // SAFETY: as described in `lib.rs`; sets and push constants fit the layout that they were created with.
        unsafe {
            if !self.sets.is_empty() {
                d.cmd_bind_descriptor_sets(frame.commands, point, self.layout, 0, &self.sets, &[]);
            }
            if !self.push_constants.is_empty() {
                let stages = vk::ShaderStageFlags::ALL;
                d.cmd_push_constants(frame.commands, self.layout, stages, 0, &self.push_constants);
            }
        }
    }
}
