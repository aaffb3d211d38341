//! Texts that several levels share.

/// A vertex shader: a triangle that covers the image, with `uv` from 0 to 1 at location 0.
pub const COVER: &str = "#version 450
layout(location = 0) out vec2 uv;
void main() {
    uv = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1) * 2.0;
    gl_Position = vec4(uv * 2.0 - 1.0, 0.5, 1.0);
}";

/// A compute shader with 16 invocations: `a`, floats, at binding 0, and `o`, words, at binding 1. The body may use `i`.
pub fn kernel(extensions: &str, declarations: &str, body: &str) -> String {
    format!(
        "#version 460
{extensions}layout(local_size_x = 16) in;
layout(std430, binding = 0) readonly buffer In {{ float a[64]; }};
layout(std430, binding = 1) buffer Out {{ uint o[256]; }};
{declarations}
void main() {{
    uint i = gl_LocalInvocationIndex;
    {body}
}}"
    )
}

/// A fragment shader that has `uv` and writes `c`.
pub fn fragment(declarations: &str, body: &str) -> String {
    format!(
        "#version 460
layout(location = 0) in vec2 uv;
layout(location = 0) out vec4 c;
{declarations}
void main() {{
    {body}
}}"
    )
}

/// 64 floats of both signs, none close to a boundary of rounding.
pub fn floats() -> Vec<u32> {
    (0..64u32).map(|n| ((n * 37 % 64) as f32 * 0.23 - 6.1).to_bits()).collect()
}
