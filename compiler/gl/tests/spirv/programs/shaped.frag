#version 450
layout(location = 0) in vec4 shade;
layout(location = 0, index = 0) out vec4 color;
layout(location = 0, index = 1) out vec4 factor;
void main() { color = shade; factor = vec4(gl_FragCoord.xy, 0.0, 1.0); }
