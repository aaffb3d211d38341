#version 450
layout(location = 0) in dvec4 wide;
layout(location = 1) in vec3 direction;
layout(location = 2, xfb_buffer = 1, xfb_stride = 48, xfb_offset = 16) out mat2x3 columns;
layout(location = 5, xfb_buffer = 0, xfb_offset = 0) out vec2 list[2];
layout(xfb_buffer = 1, xfb_offset = 0) out gl_PerVertex { vec4 gl_Position; };
void main() {
    gl_Position = vec4(wide);
    columns = mat2x3(direction, direction * 2.0);
    list = vec2[2](direction.xy, direction.yz);
}
