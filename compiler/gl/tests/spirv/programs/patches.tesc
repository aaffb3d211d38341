#version 450
layout(vertices = 3) out;
layout(location = 0) in vec4 shade[];
layout(location = 0) out vec4 passed[];
layout(location = 1) patch out float level;
layout(location = 0) uniform float outer[2];
void main() {
    passed[gl_InvocationID] = shade[gl_InvocationID];
    gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;
    level = outer[1];
    gl_TessLevelOuter[0] = gl_TessLevelOuter[1] = gl_TessLevelOuter[2] = outer[0];
    gl_TessLevelInner[0] = 1.0;
}
