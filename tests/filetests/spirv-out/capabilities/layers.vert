// RUN: airfoil compile %s --vulkan -O0 --to spvasm
// RUN[OLD]: airfoil compile %s --vulkan -O0 --target vulkan1.1 --to spvasm
// Layers and viewports before the geometry stage: capabilities of SPIR-V 1.5, an extension before.
// CHECK: OpCapability ShaderLayer
// CHECK: OpCapability ShaderViewportIndex
// OLD: OpCapability ShaderViewportIndexLayerEXT
#version 460
#extension GL_ARB_shader_viewport_layer_array : require
void main() { gl_Position = vec4(0.0); gl_Layer = 1; gl_ViewportIndex = 1; }
