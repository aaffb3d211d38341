//! The drawing.

use airfoil::glsl::{ProgramOptions, Source};
use airfoil::{CompileOptions, Compiler, PipelineState, Stage};
use std::borrow::Cow;
use std::error::Error;

const VERTEX: &str = "#version 450
layout(location = 0) out vec3 tint;
void main() {
    vec2 corner = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1);
    tint = vec3(corner, 0.5);
    gl_Position = vec4(corner * 1.6 - 0.8, 0.5, 1.0);
}";

const FRAGMENT: &str = "#version 450
layout(location = 0) in vec3 tint;
layout(location = 0) out vec4 color;
void main() { color = vec4(tint, 1.0); }";

const SIZE: u32 = 256;

/// The library, and the names of its functions.
fn compile() -> Result<(Vec<u8>, Vec<String>), Box<dyn Error>> {
    // y points down in Vulkan's clip space, up in Metal's.
    let state = PipelineState::default().flip_y(true).points(Some(false));
    let compiler = Compiler::new(CompileOptions::default().state(state));
    let sources = [
        Source { name: "triangle.vert", stage: Stage::Vertex, text: VERTEX },
        Source { name: "triangle.frag", stage: Stage::Fragment, text: FRAGMENT },
    ];
    let options = ProgramOptions { vulkan: true, ..ProgramOptions::default() };
    let output = compiler.compile_glsl(&sources, &options)?;
    Ok((output.metallib, output.functions.into_iter().map(|f| f.name).collect()))
}

/// Draws a triangle.
pub fn main() -> Result<(), Box<dyn Error>> {
    let (metallib, names) = compile()?;
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle());
    let adapter = pollster::block_on(instance.request_adapter(&wgpu::RequestAdapterOptions::default()))?;
    let (device, queue) = pollster::block_on(adapter.request_device(&wgpu::DeviceDescriptor {
        required_features: wgpu::Features::PASSTHROUGH_SHADERS,
        // SAFETY: the only experimental feature is the passthrough of a library that Airfoil has validated.
        experimental_features: unsafe { wgpu::ExperimentalFeatures::enabled() },
        ..wgpu::DeviceDescriptor::default()
    }))?;
    let entry_points: Vec<_> = names
        .iter()
        .map(|name| wgpu::PassthroughShaderEntryPoint {
            name: name.as_str().into(),
            workgroup_size: (0, 0, 0),
        })
        .collect();
    // SAFETY: the functions use no bindings and stay within the pipeline's interface.
    let module = unsafe {
        device.create_shader_module_passthrough(wgpu::ShaderModuleDescriptorPassthrough {
            label: Some("triangle"),
            entry_points: Cow::Owned(entry_points),
            metallib: Some(Cow::Owned(metallib)),
            ..wgpu::ShaderModuleDescriptorPassthrough::default()
        })
    };
    let layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor::default());
    let format = wgpu::TextureFormat::Rgba8Unorm;
    let pipeline = device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
        label: None,
        layout: Some(&layout),
        vertex: wgpu::VertexState {
            module: &module,
            entry_point: Some(&names[0]),
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            buffers: &[],
        },
        primitive: wgpu::PrimitiveState::default(),
        depth_stencil: None,
        multisample: wgpu::MultisampleState::default(),
        fragment: Some(wgpu::FragmentState {
            module: &module,
            entry_point: Some(&names[1]),
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            targets: &[Some(format.into())],
        }),
        multiview_mask: None,
        cache: None,
    });
    let extent = wgpu::Extent3d { width: SIZE, height: SIZE, depth_or_array_layers: 1 };
    let texture = device.create_texture(&wgpu::TextureDescriptor {
        label: None,
        size: extent,
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format,
        usage: wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::COPY_SRC,
        view_formats: &[],
    });
    let view = texture.create_view(&wgpu::TextureViewDescriptor::default());
    let buffer = device.create_buffer(&wgpu::BufferDescriptor {
        label: None,
        size: u64::from(SIZE * SIZE * 4),
        usage: wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ,
        mapped_at_creation: false,
    });
    let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    {
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                view: &view,
                depth_slice: None,
                resolve_target: None,
                ops: wgpu::Operations {
                    load: wgpu::LoadOp::Clear(wgpu::Color::BLACK),
                    store: wgpu::StoreOp::Store,
                },
            })],
            ..wgpu::RenderPassDescriptor::default()
        });
        pass.set_pipeline(&pipeline);
        pass.draw(0..3, 0..1);
    }
    let layout =
        wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(SIZE * 4), rows_per_image: None };
    encoder.copy_texture_to_buffer(
        texture.as_image_copy(),
        wgpu::TexelCopyBufferInfo { buffer: &buffer, layout },
        extent,
    );
    queue.submit([encoder.finish()]);
    buffer.map_async(wgpu::MapMode::Read, .., |mapped| mapped.expect("the buffer is mapped"));
    device.poll(wgpu::PollType::wait_indefinitely())?;
    let pixels = buffer.get_mapped_range(..)?;
    let mut image = format!("P6 {SIZE} {SIZE} 255\n").into_bytes();
    pixels.chunks_exact(4).for_each(|p| image.extend_from_slice(&p[..3]));
    std::fs::write("triangle.ppm", image)?;
    println!("triangle.ppm");
    Ok(())
}
