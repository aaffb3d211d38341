//! Capabilities of modules, and the features of a device that they require.

use crate::error::{Res, unsupported};
use ash::vk;
use spirv::Capability;
use std::collections::BTreeSet;

/// Extensions that give pipelines the state of OpenGL.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Extensions {
    /// Clip space with depths from -w to w (VK_EXT_depth_clip_control).
    pub depth_clip_control: bool,
    /// The last vertex provokes (VK_EXT_provoking_vertex).
    pub provoking_vertex: bool,
    /// Any border color (VK_EXT_custom_border_color).
    pub custom_border_color: bool,
}

/// Features of a device.
pub(crate) struct Features {
    pub core: vk::PhysicalDeviceFeatures,
    pub limits: vk::PhysicalDeviceLimits,
    pub extensions: Extensions,
    /// Values of the capabilities that modules may declare.
    capabilities: BTreeSet<u32>,
}

impl Features {
    pub fn new(
        core: vk::PhysicalDeviceFeatures,
        limits: vk::PhysicalDeviceLimits,
        v11: &vk::PhysicalDeviceVulkan11Features<'_>,
        v12: &vk::PhysicalDeviceVulkan12Features<'_>,
        v13: &vk::PhysicalDeviceVulkan13Features<'_>,
        extensions: Extensions,
    ) -> Features {
        use Capability as C;
        let always = vk::TRUE;
        let rows = [
            (always, C::Matrix),
            (always, C::Shader),
            (always, C::InputAttachment),
            (always, C::Sampled1D),
            (always, C::Image1D),
            (always, C::SampledBuffer),
            (always, C::ImageBuffer),
            (always, C::ImageQuery),
            (always, C::DerivativeControl),
            (always, C::VulkanMemoryModel),
            (always, C::GroupNonUniform),
            (always, C::GroupNonUniformVote),
            (always, C::GroupNonUniformArithmetic),
            (always, C::GroupNonUniformBallot),
            (always, C::GroupNonUniformShuffle),
            (always, C::GroupNonUniformShuffleRelative),
            (always, C::GroupNonUniformClustered),
            (always, C::GroupNonUniformQuad),
            (always, C::SubgroupBallotKHR),
            (always, C::SubgroupVoteKHR),
            (always, C::DenormPreserve),
            (always, C::DenormFlushToZero),
            (always, C::SignedZeroInfNanPreserve),
            (always, C::RoundingModeRTE),
            (always, C::RoundingModeRTZ),
            (always, C::DeviceGroup),
            (core.geometry_shader, C::Geometry),
            (core.tessellation_shader, C::Tessellation),
            (core.shader_float64, C::Float64),
            (core.shader_int64, C::Int64),
            (core.shader_int16, C::Int16),
            (core.shader_tessellation_and_geometry_point_size, C::TessellationPointSize),
            (core.shader_tessellation_and_geometry_point_size, C::GeometryPointSize),
            (core.shader_image_gather_extended, C::ImageGatherExtended),
            (core.shader_storage_image_multisample, C::StorageImageMultisample),
            (core.shader_uniform_buffer_array_dynamic_indexing, C::UniformBufferArrayDynamicIndexing),
            (core.shader_sampled_image_array_dynamic_indexing, C::SampledImageArrayDynamicIndexing),
            (core.shader_storage_buffer_array_dynamic_indexing, C::StorageBufferArrayDynamicIndexing),
            (core.shader_storage_image_array_dynamic_indexing, C::StorageImageArrayDynamicIndexing),
            (core.shader_clip_distance, C::ClipDistance),
            (core.shader_cull_distance, C::CullDistance),
            (core.image_cube_array, C::ImageCubeArray),
            (core.image_cube_array, C::SampledCubeArray),
            (core.sample_rate_shading, C::SampleRateShading),
            (core.sample_rate_shading, C::InterpolationFunction),
            (core.shader_resource_min_lod, C::MinLod),
            (core.shader_storage_image_extended_formats, C::StorageImageExtendedFormats),
            (core.shader_storage_image_read_without_format, C::StorageImageReadWithoutFormat),
            (core.shader_storage_image_write_without_format, C::StorageImageWriteWithoutFormat),
            (core.multi_viewport, C::MultiViewport),
            (v11.shader_draw_parameters, C::DrawParameters),
            (v11.storage_buffer16_bit_access, C::StorageBuffer16BitAccess),
            (v11.uniform_and_storage_buffer16_bit_access, C::UniformAndStorageBuffer16BitAccess),
            (v11.storage_push_constant16, C::StoragePushConstant16),
            (v11.storage_input_output16, C::StorageInputOutput16),
            (v11.variable_pointers_storage_buffer, C::VariablePointersStorageBuffer),
            (v11.variable_pointers, C::VariablePointers),
            (v11.multiview, C::MultiView),
            (v12.vulkan_memory_model_device_scope, C::VulkanMemoryModelDeviceScope),
            (v12.shader_float16, C::Float16),
            (v12.shader_int8, C::Int8),
            (v12.storage_buffer8_bit_access, C::StorageBuffer8BitAccess),
            (v12.uniform_and_storage_buffer8_bit_access, C::UniformAndStorageBuffer8BitAccess),
            (v12.storage_push_constant8, C::StoragePushConstant8),
            (v12.shader_buffer_int64_atomics, C::Int64Atomics),
            (v12.shader_output_layer, C::ShaderLayer),
            (v12.shader_output_viewport_index, C::ShaderViewportIndex),
            (v12.runtime_descriptor_array, C::RuntimeDescriptorArray),
            (v12.descriptor_indexing, C::ShaderNonUniform),
            (v12.shader_uniform_buffer_array_non_uniform_indexing, C::UniformBufferArrayNonUniformIndexing),
            (v12.shader_sampled_image_array_non_uniform_indexing, C::SampledImageArrayNonUniformIndexing),
            (v12.shader_storage_buffer_array_non_uniform_indexing, C::StorageBufferArrayNonUniformIndexing),
            (v12.shader_storage_image_array_non_uniform_indexing, C::StorageImageArrayNonUniformIndexing),
            (
                v12.shader_uniform_texel_buffer_array_dynamic_indexing,
                C::UniformTexelBufferArrayDynamicIndexing,
            ),
            (
                v12.shader_storage_texel_buffer_array_dynamic_indexing,
                C::StorageTexelBufferArrayDynamicIndexing,
            ),
            (v13.shader_demote_to_helper_invocation, C::DemoteToHelperInvocation),
            (v13.shader_integer_dot_product, C::DotProduct),
            (v13.shader_integer_dot_product, C::DotProductInputAll),
            (v13.shader_integer_dot_product, C::DotProductInput4x8Bit),
            (v13.shader_integer_dot_product, C::DotProductInput4x8BitPacked),
        ];
        let capabilities = rows.iter().filter(|r| r.0 == vk::TRUE).map(|r| r.1 as u32).collect();
        Features { core, limits, extensions, capabilities }
    }

    /// Whether modules may declare a capability by its number.
    pub fn check(&self, capability: u32) -> Res<()> {
        if self.capabilities.contains(&capability) {
            return Ok(());
        }
        match Capability::from_u32(capability) {
            Some(capability) => unsupported(format!("the capability {capability:?}")),
            None => unsupported(format!("the capability {capability}")),
        }
    }
}
