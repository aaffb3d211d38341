//! Capabilities and extensions of a module: those that its instructions require.

use crate::errors::*;
use crate::target::Target;
use crate::words::{push, push_string};
use indexmap::IndexSet;
use smallvec::SmallVec;
use spirv::{Capability, MemoryModel, Op};

/// An extension by its name.
pub(crate) type Extension = &'static str;

pub(crate) const DRAW_PARAMETERS: Extension = "SPV_KHR_shader_draw_parameters";

/// The version of SPIR-V (1.x) that has a capability, and the extension for older ones. `NEVER` for capabilities that remain
/// in an extension.
struct Home {
    capability: Capability,
    since: u8,
    extension: Extension,
    /// The oldest version (1.x) with which the extension can be used.
    oldest: u8,
}

const NEVER: u8 = u8::MAX;

const fn home(capability: Capability, since: u8, extension: Extension) -> Home {
    Home { capability, since, extension, oldest: 0 }
}

/// Subgroup operations exist since 1.3 and as no extension.
const NONE: Extension = "";

use Capability as C;

const HOMES: &[Home] = &[
    home(C::DrawParameters, 3, DRAW_PARAMETERS),
    home(C::StorageBuffer16BitAccess, 3, "SPV_KHR_16bit_storage"),
    home(C::UniformAndStorageBuffer16BitAccess, 3, "SPV_KHR_16bit_storage"),
    home(C::StoragePushConstant16, 3, "SPV_KHR_16bit_storage"),
    home(C::StorageInputOutput16, 3, "SPV_KHR_16bit_storage"),
    home(C::StorageBuffer8BitAccess, 5, "SPV_KHR_8bit_storage"),
    home(C::UniformAndStorageBuffer8BitAccess, 5, "SPV_KHR_8bit_storage"),
    home(C::StoragePushConstant8, 5, "SPV_KHR_8bit_storage"),
    home(C::MultiView, 3, "SPV_KHR_multiview"),
    home(C::DeviceGroup, 3, "SPV_KHR_device_group"),
    home(C::GroupNonUniform, 3, NONE),
    home(C::GroupNonUniformVote, 3, NONE),
    home(C::GroupNonUniformArithmetic, 3, NONE),
    home(C::GroupNonUniformBallot, 3, NONE),
    home(C::GroupNonUniformShuffle, 3, NONE),
    home(C::GroupNonUniformShuffleRelative, 3, NONE),
    home(C::GroupNonUniformClustered, 3, NONE),
    home(C::GroupNonUniformQuad, 3, NONE),
    home(C::SignedZeroInfNanPreserve, 4, "SPV_KHR_float_controls"),
    home(C::DenormPreserve, 4, "SPV_KHR_float_controls"),
    home(C::DenormFlushToZero, 4, "SPV_KHR_float_controls"),
    home(C::RoundingModeRTE, 4, "SPV_KHR_float_controls"),
    home(C::RoundingModeRTZ, 4, "SPV_KHR_float_controls"),
    home(C::ShaderNonUniform, 5, "SPV_EXT_descriptor_indexing"),
    home(C::RuntimeDescriptorArray, 5, "SPV_EXT_descriptor_indexing"),
    home(C::InputAttachmentArrayDynamicIndexing, 5, "SPV_EXT_descriptor_indexing"),
    home(C::UniformTexelBufferArrayDynamicIndexing, 5, "SPV_EXT_descriptor_indexing"),
    home(C::StorageTexelBufferArrayDynamicIndexing, 5, "SPV_EXT_descriptor_indexing"),
    home(C::UniformBufferArrayNonUniformIndexing, 5, "SPV_EXT_descriptor_indexing"),
    home(C::SampledImageArrayNonUniformIndexing, 5, "SPV_EXT_descriptor_indexing"),
    home(C::StorageBufferArrayNonUniformIndexing, 5, "SPV_EXT_descriptor_indexing"),
    home(C::StorageImageArrayNonUniformIndexing, 5, "SPV_EXT_descriptor_indexing"),
    home(C::InputAttachmentArrayNonUniformIndexing, 5, "SPV_EXT_descriptor_indexing"),
    home(C::UniformTexelBufferArrayNonUniformIndexing, 5, "SPV_EXT_descriptor_indexing"),
    home(C::StorageTexelBufferArrayNonUniformIndexing, 5, "SPV_EXT_descriptor_indexing"),
    home(C::PhysicalStorageBufferAddresses, 5, "SPV_KHR_physical_storage_buffer"),
    home(C::VulkanMemoryModel, 5, "SPV_KHR_vulkan_memory_model"),
    home(C::VulkanMemoryModelDeviceScope, 5, "SPV_KHR_vulkan_memory_model"),
    home(C::ShaderLayer, 5, NONE),
    home(C::ShaderViewportIndex, 5, NONE),
    home(C::ShaderViewportIndexLayerEXT, NEVER, "SPV_EXT_shader_viewport_index_layer"),
    home(C::DemoteToHelperInvocation, 6, "SPV_EXT_demote_to_helper_invocation"),
    home(C::WorkgroupMemoryExplicitLayoutKHR, NEVER, "SPV_KHR_workgroup_memory_explicit_layout"),
    home(C::WorkgroupMemoryExplicitLayout8BitAccessKHR, NEVER, "SPV_KHR_workgroup_memory_explicit_layout"),
    home(C::WorkgroupMemoryExplicitLayout16BitAccessKHR, NEVER, "SPV_KHR_workgroup_memory_explicit_layout"),
    home(C::SampleMaskPostDepthCoverage, NEVER, "SPV_KHR_post_depth_coverage"),
    home(C::StencilExportEXT, NEVER, "SPV_EXT_shader_stencil_export"),
    home(C::Int64ImageEXT, NEVER, "SPV_EXT_shader_image_int64"),
    home(C::ShaderClockKHR, NEVER, "SPV_KHR_shader_clock"),
    home(C::FragmentBarycentricKHR, NEVER, "SPV_KHR_fragment_shader_barycentric"),
    Home { capability: C::MeshShadingEXT, since: NEVER, extension: "SPV_EXT_mesh_shader", oldest: 4 },
    home(C::AtomicFloat32AddEXT, NEVER, "SPV_EXT_shader_atomic_float_add"),
    home(C::AtomicFloat64AddEXT, NEVER, "SPV_EXT_shader_atomic_float_add"),
    home(C::AtomicFloat16AddEXT, NEVER, "SPV_EXT_shader_atomic_float16_add"),
    home(C::AtomicFloat32MinMaxEXT, NEVER, "SPV_EXT_shader_atomic_float_min_max"),
    home(C::AtomicFloat64MinMaxEXT, NEVER, "SPV_EXT_shader_atomic_float_min_max"),
    home(C::AtomicFloat16MinMaxEXT, NEVER, "SPV_EXT_shader_atomic_float_min_max"),
    home(C::FragmentShaderPixelInterlockEXT, NEVER, "SPV_EXT_fragment_shader_interlock"),
    home(C::FragmentShaderSampleInterlockEXT, NEVER, "SPV_EXT_fragment_shader_interlock"),
    home(C::FragmentShaderShadingRateInterlockEXT, NEVER, "SPV_EXT_fragment_shader_interlock"),
    home(C::QuadControlKHR, NEVER, "SPV_KHR_quad_control"),
    home(C::FragmentShadingRateKHR, NEVER, "SPV_KHR_fragment_shading_rate"),
    home(C::ComputeDerivativeGroupQuadsKHR, NEVER, "SPV_NV_compute_shader_derivatives"),
    home(C::ComputeDerivativeGroupLinearKHR, NEVER, "SPV_NV_compute_shader_derivatives"),
];

/// Capabilities that declare others, which are then left out.
const IMPLIED: &[(Capability, Capability)] = &[
    (C::Geometry, C::Shader),
    (C::Tessellation, C::Shader),
    (C::GeometryStreams, C::Geometry),
    (C::GeometryPointSize, C::Geometry),
    (C::TessellationPointSize, C::Tessellation),
    (C::MultiViewport, C::Geometry),
];

/// Capabilities and extensions.
#[derive(Default)]
pub(crate) struct Requirements {
    capabilities: IndexSet<u32>,
    extensions: IndexSet<Extension>,
}

impl Requirements {
    pub fn capability(&mut self, capability: Capability, target: Target) -> Res<()> {
        if !self.capabilities.insert(capability as u32) {
            return Ok(());
        }
        let Some(home) = HOMES.iter().find(|h| h.capability == capability) else { return Ok(()) };
        if home.since == NEVER || !target.has(home.since) {
            if home.extension == NONE || !target.has(home.oldest) {
                let (major, minor) = target.version;
                let oldest = if home.since == NEVER { home.oldest } else { home.since };
                return fail(
                    TARGET,
                    format!(
                        "{capability:?} requires SPIR-V 1.{oldest}, but {target} selects SPIR-V {major}.{minor}"
                    ),
                );
            }
            self.extension(home.extension, target);
        }
        Ok(())
    }

    pub fn extension(&mut self, extension: Extension, _target: Target) {
        self.extensions.insert(extension);
    }

    pub fn has(&self, capability: Capability) -> bool {
        self.capabilities.contains(&(capability as u32))
    }

    pub fn memory_model(&self) -> MemoryModel {
        if self.has(C::VulkanMemoryModel) { MemoryModel::Vulkan } else { MemoryModel::GLSL450 }
    }

    /// Writes the declarations, in the order of their numbers and names.
    pub fn write(&self, out: &mut Vec<u32>) {
        let mut capabilities: Vec<u32> = self.capabilities.iter().copied().collect();
        capabilities.sort_unstable();
        let implied = |c: u32| IMPLIED.iter().any(|&(by, what)| what as u32 == c && self.has(by));
        for &c in capabilities.iter().filter(|&&c| !implied(c)) {
            push(out, Op::Capability, &[c]);
        }
        let mut extensions: Vec<Extension> = self.extensions.iter().copied().collect();
        extensions.sort_unstable();
        for name in extensions {
            let mut words: SmallVec<[u32; 16]> = SmallVec::new();
            push_string(&mut words, name);
            push(out, Op::Extension, &words);
        }
    }
}
