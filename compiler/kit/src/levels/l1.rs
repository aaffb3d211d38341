//! L1: stores of each type.

use crate::recipe::Recipe;

/// Name, subject, extensions and declarations, members of the block, statements.
const STORES: &[(&str, &str, &str, &str, &str)] = &[
    ("uint", "one 32-bit integer", "", "uint v[4];", "v[1] = 0xdeadbeefu;"),
    ("int", "a negative integer", "", "int v[4];", "v[2] = -7;"),
    ("float", "a float", "", "float v[4];", "v[3] = -1.5;"),
    ("uvec2", "a vector of two", "", "uvec2 v[2];", "v[1] = uvec2(3u, 4u);"),
    ("vec3", "a vector of three, which takes four words", "", "vec3 v[2];", "v[1] = vec3(1.0, 2.0, 3.0);"),
    ("vec4", "a vector of four", "", "vec4 v[2];", "v[0] = vec4(1.0, 2.0, 3.0, 4.0);"),
    (
        "matrix",
        "a matrix of three columns",
        "",
        "mat3 v;",
        "v = mat3(1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0);",
    ),
    (
        "row-major",
        "a row-major matrix",
        "",
        "layout(row_major) mat2x3 v;",
        "v = mat2x3(1.0, 2.0, 3.0, 4.0, 5.0, 6.0);",
    ),
    (
        "struct",
        "members of nested structures",
        "struct S { uint a; vec2 b; };\n",
        "S v[3]; uint w[4];",
        "v[2].b = vec2(5.0, 6.0); w[3] = 9u;",
    ),
    (
        "bool",
        "a comparison as an integer",
        "",
        "uint v[4];",
        "v[0] = uint(gl_LocalInvocationIndex == 0u); v[1] = uint(gl_NumWorkGroups.x != 1u);",
    ),
    (
        "half",
        "a 16-bit float",
        "#extension GL_EXT_shader_explicit_arithmetic_types : require\n",
        "f16vec2 v[4];",
        "v[1] = f16vec2(0.5, -2.0);",
    ),
    (
        "short",
        "a 16-bit integer",
        "#extension GL_EXT_shader_explicit_arithmetic_types : require\n",
        "int16_t v[8];",
        "v[3] = int16_t(-300);",
    ),
    (
        "byte",
        "an 8-bit integer",
        "#extension GL_EXT_shader_explicit_arithmetic_types : require\n",
        "uint8_t v[16];",
        "v[5] = uint8_t(200);",
    ),
    (
        "long",
        "a 64-bit integer",
        "#extension GL_EXT_shader_explicit_arithmetic_types : require\n",
        "uint64_t v[2];",
        "v[1] = 0x123456789abcdef0ul;",
    ),
];

/// The same programs in Metal's language, of some.
const CONTROLS: &[(&str, &str)] = &[
    ("uint", "kernel void compute_main(device uint *v [[buffer(0)]]) { v[1] = 0xdeadbeefu; }"),
    ("float", "kernel void compute_main(device float *v [[buffer(0)]]) { v[3] = -1.5f; }"),
    (
        "vec4",
        "kernel void compute_main(device metal::float4 *v [[buffer(0)]]) { v[0] = metal::float4(1, 2, 3, 4); }",
    ),
    (
        "half",
        "kernel void compute_main(device metal::half2 *v [[buffer(0)]]) { v[1] = metal::half2(0.5, -2); }",
    ),
    ("long", "kernel void compute_main(device ulong *v [[buffer(0)]]) { v[1] = 0x123456789abcdef0ul; }"),
];

/// Adds the recipes.
pub fn add(list: &mut Vec<Recipe>) {
    for &(name, title, extensions, members, statement) in STORES {
        let text = format!(
            "#version 450\n{extensions}layout(local_size_x = 1) in;\nlayout(std430, binding = 0) buffer Out {{ {members} }};\nvoid main() {{ {statement} }}"
        );
        let recipe = Recipe::compute(1, &format!("store-{name}"), title, &text).zeros(0, 64);
        let control = CONTROLS.iter().find(|c| c.0 == name);
        list.push(match control {
            Some((_, text)) => recipe.control(&format!("#include <metal_stdlib>\n{text}\n")),
            None => recipe,
        });
    }
    list.push(
        Recipe::draw(
            1,
            "store-color",
            "a colour of one triangle that covers the image",
            "#version 450
            void main() { gl_Position = vec4(vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1) * 4.0 - 1.0, 0.5, 1.0); }",
            "#version 450
            layout(location = 0) out vec4 c;
            void main() { c = vec4(0.25, 0.5, gl_FragCoord.xy / 16.0); }",
        )
        .control(
            "#include <metal_stdlib>
struct V { metal::float4 p [[position]]; };
vertex V vertex_main(uint n [[vertex_id]]) {
    metal::float2 at = metal::float2(n & 1, n >> 1) * 4 - 1;
    return V { metal::float4(at.x, -at.y, 0.5, 1) };
}
fragment metal::float4 fragment_main(metal::float4 p [[position]]) {
    return metal::float4(0.25, 0.5, p.xy / 16);
}
",
        ),
    );
}
