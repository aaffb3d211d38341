//! Samplers by Vulkan's names.

use crate::device::Device;
use crate::error::{Res, unsupported};
use airfoil_interp::texture::{Compare, Filter, Mip, Sampler, Wrap};
use ash::vk;

pub(crate) fn compare(op: Compare) -> vk::CompareOp {
    match op {
        Compare::Never => vk::CompareOp::NEVER,
        Compare::Less => vk::CompareOp::LESS,
        Compare::Equal => vk::CompareOp::EQUAL,
        Compare::LessEqual => vk::CompareOp::LESS_OR_EQUAL,
        Compare::Greater => vk::CompareOp::GREATER,
        Compare::NotEqual => vk::CompareOp::NOT_EQUAL,
        Compare::GreaterEqual => vk::CompareOp::GREATER_OR_EQUAL,
        Compare::Always => vk::CompareOp::ALWAYS,
    }
}

fn wrap(wrap: Wrap) -> Res<vk::SamplerAddressMode> {
    Ok(match wrap {
        Wrap::Repeat => vk::SamplerAddressMode::REPEAT,
        Wrap::MirroredRepeat => vk::SamplerAddressMode::MIRRORED_REPEAT,
        Wrap::ClampToEdge => vk::SamplerAddressMode::CLAMP_TO_EDGE,
        Wrap::ClampToBorder => vk::SamplerAddressMode::CLAMP_TO_BORDER,
        Wrap::MirrorClampToEdge => vk::SamplerAddressMode::MIRROR_CLAMP_TO_EDGE,
        Wrap::Clamp => return unsupported("GL_CLAMP"),
    })
}

fn filter(filter: Filter) -> vk::Filter {
    match filter {
        Filter::Nearest => vk::Filter::NEAREST,
        Filter::Linear => vk::Filter::LINEAR,
    }
}

/// The border color, by its name if it has one.
fn border(device: &Device, s: &Sampler) -> Res<vk::BorderColor> {
    if !s.wrap.contains(&Wrap::ClampToBorder) {
        return Ok(vk::BorderColor::FLOAT_TRANSPARENT_BLACK);
    }
    if s.border == [0.0; 4] && s.border_int == [0; 4] {
        return Ok(vk::BorderColor::FLOAT_TRANSPARENT_BLACK);
    }
    match s.border {
        [0.0, 0.0, 0.0, 1.0] => Ok(vk::BorderColor::FLOAT_OPAQUE_BLACK),
        [1.0, 1.0, 1.0, 1.0] => Ok(vk::BorderColor::FLOAT_OPAQUE_WHITE),
        _ if device.features.extensions.custom_border_color => Ok(vk::BorderColor::FLOAT_CUSTOM_EXT),
        _ => unsupported("this border color"),
    }
}

/// The parameters of a sampler.
pub(crate) fn create_info(device: &Device, s: &Sampler) -> Res<vk::SamplerCreateInfo<'static>> {
    let anisotropic = s.max_anisotropy > 1.0;
    if anisotropic && device.features.core.sampler_anisotropy == vk::FALSE {
        return unsupported("anisotropic filters");
    }
    // Without levels the base level is used, which both filters of levels select below a quarter.
    let (mode, max_lod) = match s.mip {
        Mip::None => (vk::SamplerMipmapMode::NEAREST, 0.25),
        Mip::Nearest => (vk::SamplerMipmapMode::NEAREST, s.max_lod as f32),
        Mip::Linear => (vk::SamplerMipmapMode::LINEAR, s.max_lod as f32),
    };
    let (min_lod, max_lod) = if s.unnormalized { (0.0, 0.0) } else { ((s.min_lod as f32).max(0.0), max_lod) };
    Ok(vk::SamplerCreateInfo::default()
        .mag_filter(filter(s.mag))
        .min_filter(filter(s.min))
        .mipmap_mode(mode)
        .address_mode_u(wrap(s.wrap[0])?)
        .address_mode_v(wrap(s.wrap[1])?)
        .address_mode_w(wrap(s.wrap[2])?)
        .mip_lod_bias(s.lod_bias as f32)
        .min_lod(min_lod.min(max_lod))
        .max_lod(max_lod)
        .anisotropy_enable(anisotropic)
        .max_anisotropy(s.max_anisotropy as f32)
        .compare_enable(s.compare.is_some())
        .compare_op(s.compare.map_or(vk::CompareOp::NEVER, compare))
        .border_color(border(device, s)?)
        .unnormalized_coordinates(s.unnormalized))
}
