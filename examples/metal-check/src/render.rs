//! Draws: pipelines, attachments, encoding.
#![allow(unused_unsafe)] // which methods are safe differs between versions of the bindings

use crate::runner::{Object, Outcome, Pipeline, Runner, Setters, size};
use airfoil_kit::schema::{ColorCase, DrawCase, Pass};
use objc2::rc::Retained;
use objc2::runtime::ProtocolObject;
use objc2_metal::*;

/// Argument (binding) and buffer-type information.
pub const OPTIONS: MTLPipelineOption = MTLPipelineOption(3);

fn color(runner: &Runner, target: &MTLRenderPipelineColorAttachmentDescriptor, c: &ColorCase) -> Outcome<()> {
    target.setPixelFormat(MTLPixelFormat(runner.texture_file(&c.texture)?.format as usize));
    if let Some(blend) = c.blend {
        let [source, destination] = blend.map(|b| MTLBlendFactor(b as usize));
        target.setBlendingEnabled(true);
        target.setSourceRGBBlendFactor(source);
        target.setSourceAlphaBlendFactor(source);
        target.setDestinationRGBBlendFactor(destination);
        target.setDestinationAlphaBlendFactor(destination);
    }
    Ok(())
}

/// The pipeline of a draw.
pub fn pipeline(
    runner: &mut Runner,
    pass: &Pass,
    library: &ProtocolObject<dyn MTLLibrary>,
) -> Outcome<Pipeline> {
    let draw = pass.draw.as_ref().ok_or("a pass without work")?;
    if pass.mesh.is_some() {
        return mesh_pipeline(runner, pass, draw, library);
    }
    let descriptor = MTLRenderPipelineDescriptor::new();
    if let Some(stage) = &pass.vertex {
        descriptor.setVertexFunction(Some(&*runner.function(stage, library)?));
    }
    if let Some(stage) = &pass.fragment {
        descriptor.setFragmentFunction(Some(&*runner.function(stage, library)?));
    }
    for (n, c) in draw.colors.iter().enumerate() {
        // SAFETY: an index below the number of attachments.
        let target = unsafe { descriptor.colorAttachments().objectAtIndexedSubscript(n) };
        color(runner, &target, c)?;
    }
    if let Some(depth) = &draw.depth {
        descriptor.setDepthAttachmentPixelFormat(MTLPixelFormat(
            runner.texture_file(&depth.texture)?.format as usize,
        ));
    }
    // SAFETY: values of the case; Metal checks them.
    unsafe {
        descriptor.setRasterSampleCount(draw.samples as usize);
        descriptor.setInputPrimitiveTopology(MTLPrimitiveTopologyClass(draw.topology_class as usize));
    }
    if !pass.attributes.is_empty() {
        let vertices = MTLVertexDescriptor::new();
        for a in &pass.attributes {
            // SAFETY: indices below 31.
            unsafe {
                let attribute = vertices.attributes().objectAtIndexedSubscript(a.index as usize);
                attribute.setFormat(MTLVertexFormat(a.format as usize));
                attribute.setBufferIndex(a.buffer as usize);
                let layout = vertices.layouts().objectAtIndexedSubscript(a.buffer as usize);
                layout.setStride(a.stride as usize);
                let step = if a.per_instance {
                    MTLVertexStepFunction::PerInstance
                } else {
                    MTLVertexStepFunction::PerVertex
                };
                layout.setStepFunction(step);
            }
        }
        descriptor.setVertexDescriptor(Some(&vertices));
    }
    if let Some(t) = &draw.tessellation {
        unsafe {
            descriptor.setTessellationPartitionMode(MTLTessellationPartitionMode(t.partition as usize));
            descriptor.setTessellationFactorStepFunction(MTLTessellationFactorStepFunction::PerPatch);
        }
    }
    let mut reflection = None;
    let state = runner.device.newRenderPipelineStateWithDescriptor_options_reflection_error(
        &descriptor,
        OPTIONS,
        Some(&mut reflection),
    )?;
    if let (Some(info), Some(vertex)) = (reflection, &pass.vertex) {
        runner.reflect(&vertex.function, &*unsafe { info.vertexBindings() });
        if let Some(fragment) = &pass.fragment {
            runner.reflect(&fragment.function, &*unsafe { info.fragmentBindings() });
        }
    }
    Ok(Pipeline::Render(state))
}

fn mesh_pipeline(
    runner: &mut Runner,
    pass: &Pass,
    draw: &DrawCase,
    library: &ProtocolObject<dyn MTLLibrary>,
) -> Outcome<Pipeline> {
    let descriptor = MTLMeshRenderPipelineDescriptor::new();
    // SAFETY: functions of the library; an index below the number of attachments.
    unsafe {
        if let Some(stage) = &pass.object {
            descriptor.setObjectFunction(Some(&*runner.function(stage, library)?));
        }
        if let Some(stage) = &pass.mesh {
            descriptor.setMeshFunction(Some(&*runner.function(stage, library)?));
        }
        if let Some(stage) = &pass.fragment {
            descriptor.setFragmentFunction(Some(&*runner.function(stage, library)?));
        }
        for (n, c) in draw.colors.iter().enumerate() {
            color(runner, &descriptor.colorAttachments().objectAtIndexedSubscript(n), c)?;
        }
    }
    let mut reflection = None;
    let state = runner.device.newRenderPipelineStateWithMeshDescriptor_options_reflection_error(
        &descriptor,
        OPTIONS,
        Some(&mut reflection),
    )?;
    if let (Some(info), Some(mesh)) = (reflection, &pass.mesh) {
        runner.reflect(&mesh.function, &*unsafe { info.meshBindings() });
    }
    Ok(Pipeline::Render(state))
}

fn attachments(runner: &Runner, draw: &DrawCase) -> Retained<MTLRenderPassDescriptor> {
    let pass = MTLRenderPassDescriptor::new();
    for (n, c) in draw.colors.iter().enumerate() {
        // SAFETY: an index below the number of attachments.
        let target = unsafe { pass.colorAttachments().objectAtIndexedSubscript(n) };
        target.setTexture(runner.textures.get(&c.texture).map(|t| &**t));
        target.setLoadAction(MTLLoadAction::Clear);
        let [red, green, blue, alpha] = c.clear;
        target.setClearColor(MTLClearColor { red, green, blue, alpha });
        target.setStoreAction(MTLStoreAction::Store);
        if let Some(resolve) = &c.resolve {
            target.setResolveTexture(runner.textures.get(resolve).map(|t| &**t));
            target.setStoreAction(MTLStoreAction::MultisampleResolve);
        }
    }
    if let Some(depth) = &draw.depth {
        let target = pass.depthAttachment();
        target.setTexture(runner.textures.get(&depth.texture).map(|t| &**t));
        target.setLoadAction(MTLLoadAction::Clear);
        target.setClearDepth(depth.clear);
        target.setStoreAction(MTLStoreAction::Store);
    }
    if draw.layers > 0 {
        unsafe { pass.setRenderTargetArrayLength(draw.layers as usize) };
    }
    pass
}

/// Encodes a draw.
pub fn encode(
    runner: &Runner,
    pass: &Pass,
    state: &ProtocolObject<dyn MTLRenderPipelineState>,
    commands: &ProtocolObject<dyn MTLCommandBuffer>,
) -> Outcome<()> {
    let draw = pass.draw.as_ref().ok_or("a pass without draw")?;
    let encoder =
        commands.renderCommandEncoderWithDescriptor(&attachments(runner, draw)).ok_or("no encoder")?;
    encoder.setRenderPipelineState(state);
    let outcome = encode_draw(runner, pass, draw, &encoder);
    encoder.endEncoding();
    outcome
}

fn encode_draw(
    runner: &Runner,
    pass: &Pass,
    draw: &DrawCase,
    encoder: &Object<dyn MTLRenderCommandEncoder>,
) -> Outcome<()> {
    if let Some(depth) = &draw.depth {
        let descriptor = MTLDepthStencilDescriptor::new();
        descriptor.setDepthCompareFunction(MTLCompareFunction(depth.compare as usize));
        descriptor.setDepthWriteEnabled(true);
        encoder
            .setDepthStencilState(runner.device.newDepthStencilStateWithDescriptor(&descriptor).as_deref());
    }
    encoder.setCullMode(MTLCullMode(draw.cull as usize));
    encoder.setFrontFacingWinding(MTLWinding(draw.winding as usize));
    runner.bind(pass.vertex.as_ref(), &Vertex(encoder))?;
    runner.bind(pass.fragment.as_ref(), &Fragment(encoder))?;
    for a in &pass.attributes {
        let buffer = runner.buffers.get(&a.resource).map(|b| &**b);
        unsafe { encoder.setVertexBuffer_offset_atIndex(buffer, 0, a.buffer as usize) };
    }
    // SAFETY: counts and buffers of the case; Metal checks them.
    unsafe {
        if pass.mesh.is_some() {
            let [object, mesh] = draw.mesh_threads.map(|t| size(t.map(|n| n.max(1))));
            encoder.drawMeshThreadgroups_threadsPerObjectThreadgroup_threadsPerMeshThreadgroup(
                size(draw.mesh_groups),
                object,
                mesh,
            );
        } else if let Some(t) = &draw.tessellation {
            encoder.setTessellationFactorBuffer_offset_instanceStride(
                runner.buffers.get(&t.factors).map(|b| &**b),
                0,
                0,
            );
            encoder.drawPatches_patchStart_patchCount_patchIndexBuffer_patchIndexBufferOffset_instanceCount_baseInstance(
                0, 0, t.patches as usize, None, 0, 1, 0,
            );
        } else if let Some(i) = &draw.indices {
            let buffer = runner.buffers.get(&i.resource).ok_or("no indices")?;
            encoder.drawIndexedPrimitives_indexCount_indexType_indexBuffer_indexBufferOffset_instanceCount_baseVertex_baseInstance(
                MTLPrimitiveType(draw.topology as usize), draw.vertices as usize, MTLIndexType(i.index_type as usize), buffer, 0,
                draw.instances as usize, i.base_vertex as isize, 0,
            );
        } else {
            encoder.drawPrimitives_vertexStart_vertexCount_instanceCount(
                MTLPrimitiveType(draw.topology as usize),
                0,
                draw.vertices as usize,
                draw.instances as usize,
            );
        }
    }
    Ok(())
}

struct Vertex<'e>(&'e ProtocolObject<dyn MTLRenderCommandEncoder>);
struct Fragment<'e>(&'e ProtocolObject<dyn MTLRenderCommandEncoder>);

// SAFETY of all: Metal keeps bound objects until the commands have ended.
impl Setters for Vertex<'_> {
    fn buffer(&self, buffer: &ProtocolObject<dyn MTLBuffer>, index: usize) {
        unsafe { self.0.setVertexBuffer_offset_atIndex(Some(buffer), 0, index) };
    }

    fn texture(&self, texture: &ProtocolObject<dyn MTLTexture>, index: usize) {
        unsafe { self.0.setVertexTexture_atIndex(Some(texture), index) };
    }

    fn sampler(&self, sampler: &ProtocolObject<dyn MTLSamplerState>, index: usize) {
        unsafe { self.0.setVertexSamplerState_atIndex(Some(sampler), index) };
    }

    fn use_resource(&self, resource: &ProtocolObject<dyn MTLResource>) {
        let usage = MTLResourceUsage::Read | MTLResourceUsage::Write;
        unsafe { self.0.useResource_usage_stages(resource, usage, MTLRenderStages::Vertex) };
    }
}

impl Setters for Fragment<'_> {
    fn buffer(&self, buffer: &ProtocolObject<dyn MTLBuffer>, index: usize) {
        unsafe { self.0.setFragmentBuffer_offset_atIndex(Some(buffer), 0, index) };
    }

    fn texture(&self, texture: &ProtocolObject<dyn MTLTexture>, index: usize) {
        unsafe { self.0.setFragmentTexture_atIndex(Some(texture), index) };
    }

    fn sampler(&self, sampler: &ProtocolObject<dyn MTLSamplerState>, index: usize) {
        unsafe { self.0.setFragmentSamplerState_atIndex(Some(sampler), index) };
    }

    fn use_resource(&self, resource: &ProtocolObject<dyn MTLResource>) {
        let usage = MTLResourceUsage::Read | MTLResourceUsage::Write;
        unsafe { self.0.useResource_usage_stages(resource, usage, MTLRenderStages::Fragment) };
    }
}
