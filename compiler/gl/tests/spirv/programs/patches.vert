#version 450
layout(location = 0) in vec4 position;
layout(location = 0) out vec4 shade;
void main() { gl_Position = position; shade = position * 0.5; }
