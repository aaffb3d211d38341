//! A dispatch and a draw on the first device with Vulkan 1.3. Without a loader or device the tests are skipped, with a message.

use airfoil_interp::pipeline::{ClipDepth, Draw, State, Target, Topology};
use airfoil_interp::run::Vertex;
use airfoil_interp::texture::Format;
use airfoil_interp::{Binding, Resources, Space, System, Values};
use airfoil_ir::{Slot, Stage, SystemValue};
use airfoil_spirv_asm::Options;
use airfoil_vulkan::{Device, Error, Module};
use std::io::Write;

/// The device, or `None` if the test is skipped.
fn device() -> Option<Device> {
    match Device::open(None) {
        Ok(device) => Some(device),
        Err(e) => {
            let _ = writeln!(std::io::stderr(), "SKIPPED: {e}");
            None
        }
    }
}

fn module(stage: Stage, text: &str, spec: &[(u32, u64)]) -> Module {
    let words =
        airfoil_spirv_asm::assemble(text, &Options { version: Some((1, 0)) }).expect("the assembly is valid");
    Module { words, stage, entry: "main".into(), spec: spec.to_vec() }
}

/// Multiplies each element by a specialization constant and adds the first push constant.
const SCALE: &str = "OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main \"main\" %id
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %id BuiltIn WorkgroupId
OpDecorate %factor SpecId 7
OpDecorate %array ArrayStride 4
OpDecorate %block BufferBlock
OpMemberDecorate %block 0 Offset 0
OpDecorate %buf DescriptorSet 1
OpDecorate %buf Binding 2
OpDecorate %push Block
OpMemberDecorate %push 0 Offset 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%uint = OpTypeInt 32 0
%uvec3 = OpTypeVector %uint 3
%u0 = OpConstant %uint 0
%factor = OpSpecConstant %uint 1
%array = OpTypeRuntimeArray %uint
%block = OpTypeStruct %array
%push = OpTypeStruct %uint
%p_block = OpTypePointer Uniform %block
%p_uint = OpTypePointer Uniform %uint
%p_push = OpTypePointer PushConstant %push
%p_pushed = OpTypePointer PushConstant %uint
%p_in = OpTypePointer Input %uvec3
%buf = OpVariable %p_block Uniform
%pc = OpVariable %p_push PushConstant
%id = OpVariable %p_in Input
%main = OpFunction %void None %fn
%entry = OpLabel
%ids = OpLoad %uvec3 %id
%n = OpCompositeExtract %uint %ids 0
%p = OpAccessChain %p_uint %buf %u0 %n
%x = OpLoad %uint %p
%y = OpIMul %uint %x %factor
%pp = OpAccessChain %p_pushed %pc %u0
%more = OpLoad %uint %pp
%z = OpIAdd %uint %y %more
OpStore %p %z
OpReturn
OpFunctionEnd
";

#[test]
fn a_dispatch_writes_its_buffer() {
    let Some(device) = device() else { return };
    let module = module(Stage::Compute, SCALE, &[(7, 3), (8, 1)]);
    let mut resources = Resources::new();
    let words = |bytes: &[u8]| -> Vec<u32> {
        bytes.chunks_exact(4).map(|w| u32::from_le_bytes([w[0], w[1], w[2], w[3]])).collect()
    };
    let buffer = resources.add_buffer((1u32..=4).flat_map(u32::to_le_bytes).collect());
    resources.push_constants = 10u32.to_le_bytes().to_vec();
    let nothing = device.compute(&module, &mut resources, [3, 1, 1]);
    assert_eq!(nothing, Err(Error::Unsupported("nothing is bound to set 1, binding 2".into())));
    resources.bind(Space::Storage, 1, 2, 0, Binding::Buffer { buffer, offset: 0, size: None });
    device.compute(&module, &mut resources, [3, 1, 1]).expect("it is executed");
    assert_eq!(words(&resources.buffers[buffer].bytes), [13, 16, 19, 4]);
}

#[test]
fn more_descriptors_than_the_device_has_are_an_error() {
    let Some(device) = device() else { return };
    let text = SCALE
        .replace(
            "%void = OpTypeVoid",
            "OpDecorate %samplers DescriptorSet 0\nOpDecorate %samplers Binding 0\n%void = OpTypeVoid",
        )
        .replace(
            "%p_block =",
            "%many = OpConstant %uint 2000000000\n%sampler = OpTypeSampler\n%array_s = OpTypeArray %sampler %many\n\
             %p_samplers = OpTypePointer UniformConstant %array_s\n%samplers = OpVariable %p_samplers UniformConstant\n%p_block =",
        );
    let module = module(Stage::Compute, &text, &[(7, 3), (8, 1)]);
    let Err(Error::Unsupported(message)) = device.compute(&module, &mut Resources::new(), [1; 3]) else {
        panic!("more samplers than any device has");
    };
    assert!(message.starts_with("2000000000 samplers in a stage, of which the device has "), "{message}");
}

const VERTEX: &str = "OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint Vertex %main \"main\" %in %pos
OpDecorate %in Location 3
OpDecorate %pos BuiltIn Position
%void = OpTypeVoid
%fn = OpTypeFunction %void
%float = OpTypeFloat 32
%vec4 = OpTypeVector %float 4
%p_in = OpTypePointer Input %vec4
%p_out = OpTypePointer Output %vec4
%in = OpVariable %p_in Input
%pos = OpVariable %p_out Output
%main = OpFunction %void None %fn
%entry = OpLabel
%x = OpLoad %vec4 %in
OpStore %pos %x
OpReturn
OpFunctionEnd
";

const FRAGMENT: &str = "OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main \"main\" %color
OpExecutionMode %main OriginUpperLeft
OpDecorate %color Location 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%float = OpTypeFloat 32
%vec4 = OpTypeVector %float 4
%p_out = OpTypePointer Output %vec4
%f0 = OpConstant %float 0
%f1 = OpConstant %float 1
%red = OpConstantComposite %vec4 %f1 %f0 %f0 %f1
%color = OpVariable %p_out Output
%main = OpFunction %void None %fn
%entry = OpLabel
OpStore %color %red
OpReturn
OpFunctionEnd
";

/// Draws positions in red over a blue target of 4 by 2 pixels; returns the pixels that became red, row by row.
fn drawn(
    device: &Device,
    positions: &[[f32; 4]],
    topology: Topology,
    state: &State,
) -> Result<[bool; 8], Error> {
    let modules = [module(Stage::Vertex, VERTEX, &[]), module(Stage::Fragment, FRAGMENT, &[])];
    let vertices: Vec<Vertex> = (0..)
        .zip(positions)
        .map(|(n, &position)| {
            let mut inputs = Values::new();
            inputs.set_floats(Slot::generic(3).expect("a location"), position);
            Vertex { inputs, system: System::new().with(SystemValue::vertex_id, n) }
        })
        .collect();
    let (red, blue) = ([1.0f32, 0.0, 0.0, 1.0], [0.0f32, 0.0, 1.0, 1.0]);
    let mut target = Target::new(4, 2, 1, 1);
    target.formats[0] = Format::Rgba8;
    target.clear(0, blue.map(f32::to_bits));
    let draw = Draw { topology, vertices: &vertices, indices: None, system: System::new() };
    device.draw(&modules, &mut Resources::new(), &draw, state, &mut target)?;
    let pixel = |n: u32| target.floats(0, n % 4, n / 4, 0).expect("it is in the target");
    let all = [0, 1, 2, 3, 4, 5, 6, 7].map(pixel);
    assert!(all.iter().all(|pixel| [red, blue].contains(pixel)), "{all:?}");
    Ok(all.map(|pixel| pixel == red))
}

/// Two corners from left to right of a row of y, then those of another.
const STRIP: [[f32; 4]; 4] =
    [[-1.0, -1.0, 0.0, 1.0], [0.0, -1.0, 0.0, 1.0], [-1.0, 1.0, 0.0, 1.0], [0.0, 1.0, 0.0, 1.0]];

const LEFT: [bool; 8] = [true, true, false, false, true, true, false, false];

#[test]
fn a_draw_covers_half_of_its_target() {
    let Some(device) = device() else { return };
    let mut state = State::new(4, 2);
    (state.y_down, state.clip_depth, state.first_provokes) = (true, ClipDepth::ZeroToOne, true);
    assert_eq!(drawn(&device, &STRIP, Topology::TriangleStrip, &state), Ok(LEFT));
    state.clip_planes[0] = Some([1.0, 0.0, 0.0, 0.0]);
    let planes = drawn(&device, &STRIP, Topology::TriangleStrip, &state);
    assert_eq!(planes, Err(Error::Unsupported("user clip planes".into())));
}

#[test]
fn state_of_opengl_is_drawn_with() {
    let Some(device) = device() else { return };
    let mut state = State::new(4, 2);
    match drawn(&device, &STRIP, Topology::TriangleStrip, &state) {
        // Devices need not have the extensions for it.
        Err(Error::Unsupported(reason)) => {
            let _ = writeln!(std::io::stderr(), "SKIPPED: {reason}");
            return;
        }
        done => assert_eq!(done, Ok(LEFT)),
    }
    // The near plane is -w in OpenGL, 0 in Vulkan.
    let near = STRIP.map(|[x, y, _, w]| [x, y, -0.5, w]);
    assert_eq!(drawn(&device, &near, Topology::TriangleStrip, &state), Ok(LEFT));
    state.clip_depth = ClipDepth::ZeroToOne;
    assert_eq!(drawn(&device, &near, Topology::TriangleStrip, &state), Ok([false; 8]));
    // The strip is counterclockwise if y increases upward.
    state.cull_back = true;
    assert_eq!(drawn(&device, &STRIP, Topology::TriangleStrip, &state), Ok(LEFT));
    state.y_down = true;
    assert_eq!(drawn(&device, &STRIP, Topology::TriangleStrip, &state), Ok([false; 8]));
    state.cull_back = false;
    // Around the corners and as a strip; three corners are not a quad.
    let [a, b, c, d] = STRIP;
    assert_eq!(drawn(&device, &[a, b, d, c], Topology::Quads, &state), Ok(LEFT));
    assert_eq!(drawn(&device, &STRIP, Topology::QuadStrip, &state), Ok(LEFT));
    assert_eq!(drawn(&device, &[a, b, d, c], Topology::Polygon, &state), Ok(LEFT));
    assert_eq!(drawn(&device, &[a, b, d], Topology::Quads, &state), Ok([false; 8]));
}

#[test]
fn an_unknown_device_is_an_error() {
    if device().is_none() {
        return;
    }
    let e = Device::open(Some("no such device")).expect_err("it does not exist");
    assert_eq!(e, Error::Unsupported("no device with Vulkan 1.3 is named no such device".into()));
}
