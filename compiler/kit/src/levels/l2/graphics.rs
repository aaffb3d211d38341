//! Attributes, varyings, and the arguments and results of vertex and fragment functions.

use crate::levels::text::{COVER, fragment};
use crate::metal::PACKED_VERTEX_FORMATS;
use crate::recipe::{Recipe, VertexData};
use airfoil::interp::pipeline::Topology;
use airfoil::interp::texture::{Compare, Encoding, Format};

fn attribute(location: u32, kind: char, components: u32, per_instance: bool) -> VertexData {
    let word = |n: u32| match kind {
        'f' => (n as f32 * 0.0625 + 0.05).to_bits(),
        'i' => (n as i32 - 4) as u32,
        _ => n * 3,
    };
    let words = (0..3 * components).map(word).collect();
    VertexData { location, kind, components, words, per_instance, packed: None }
}

/// Attributes of less than 32 bits per component: vertex descriptors convert them.
fn packed(list: &mut Vec<Recipe>) {
    for (raw, name, format) in PACKED_VERTEX_FORMATS {
        let (ty, read) = match format.info().encoding {
            Encoding::Uint => ("uvec4", "v * 0.01"),
            Encoding::Int => ("ivec4", "v * 0.01 + 0.5"),
            Encoding::Snorm => ("vec4", "v * 0.5 + 0.5"),
            _ => ("vec4", "v"),
        };
        // Halves from 0.5 to below 1; other bytes of all values.
        let half = matches!(format.info().encoding, Encoding::Float);
        let byte = |n: usize| if half && n % 2 == 1 { 0x38 } else { (n * 53 + 20) as u8 };
        let bytes = (0..3 * format.bytes()).map(byte).collect();
        let vertex = passing(&format!("layout(location = 2) in {ty} a;"), "vec4", "flat ", "vec4(a)");
        list.push(
            Recipe::draw(
                2,
                &format!("attribute-{}", name.to_lowercase().replace('_', "-")),
                &format!("an attribute of the format {name}"),
                &vertex,
                &reading("vec4", "flat ", read),
            )
            .with_draw(|d| {
                d.attributes.push(VertexData { packed: Some((raw, bytes)), ..attribute(2, 'f', 4, false) });
            }),
        );
    }
    // Several formats in one descriptor.
    let vertex = passing(
        "layout(location = 1) in vec2 p; layout(location = 3) in vec4 color; layout(location = 4) in uvec4 n;",
        "vec4",
        "",
        "color * 0.5 + vec4(p, vec2(n.xw) * 0.001)",
    );
    list.push(
        Recipe::draw(
            2,
            "attributes-mixed",
            "attributes of several formats",
            &vertex,
            &reading("vec4", "", "v"),
        )
        .with_draw(|d| {
            let bytes = |n: usize| (0..3 * n).map(|n| (n * 41 + 7) as u8).collect::<Vec<u8>>();
            d.attributes.push(attribute(1, 'f', 2, false));
            d.attributes.push(VertexData { packed: Some((9, bytes(4))), ..attribute(3, 'f', 4, false) });
            d.attributes.push(VertexData { packed: Some((3, bytes(4))), ..attribute(4, 'u', 4, false) });
        }),
    );
}

/// A vertex shader that passes `value` on at location 0.
fn passing(declarations: &str, ty: &str, qualifier: &str, value: &str) -> String {
    format!(
        "#version 460
layout(location = 0) {qualifier}out {ty} v;
{declarations}
void main() {{
    v = {value};
    gl_Position = vec4(vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1) * 4.0 - 1.0, 0.5, 1.0);
}}"
    )
}

/// A fragment shader that reads it.
fn reading(ty: &str, qualifier: &str, value: &str) -> String {
    format!(
        "#version 460\nlayout(location = 0) {qualifier}in {ty} v;\nlayout(location = 0) out vec4 c;\nvoid main() {{ c = {value}; }}"
    )
}

/// Adds the vertex functions.
pub fn vertices(list: &mut Vec<Recipe>) {
    for (kind, components) in [('f', 1), ('f', 2), ('f', 3), ('f', 4), ('i', 1), ('i', 4), ('u', 2), ('u', 4)]
    {
        let (word, scalar) = match kind {
            'f' => ("", "float"),
            'i' => ("i", "int"),
            _ => ("u", "uint"),
        };
        let ty = if components == 1 { scalar.to_owned() } else { format!("{word}vec{components}") };
        let value = if components == 1 {
            "vec4(float(a))".to_owned()
        } else {
            format!("vec4(vec2(a.xy), vec2(a.{}))", if components > 2 { "yz" } else { "yx" })
        };
        let scale = if kind == 'f' { "v" } else { "v * 0.05 + 0.3" };
        let vertex = passing(&format!("layout(location = 2) in {ty} a;"), "vec4", "flat ", &value);
        list.push(
            Recipe::draw(
                2,
                &format!("attribute-{ty}"),
                &format!("an attribute of type {ty}"),
                &vertex,
                &reading("vec4", "flat ", scale),
            )
            .with_draw(|d| d.attributes.push(attribute(2, kind, components, false))),
        );
    }
    packed(list);
    list.push(
        Recipe::draw(
            2,
            "attribute-per-instance",
            "an attribute that advances per instance",
            &passing("layout(location = 1) in vec4 a;", "vec4", "flat ", "a + float(gl_InstanceIndex) * 0.1"),
            &reading("vec4", "flat ", "v"),
        )
        .with_draw(|d| {
            d.attributes.push(attribute(1, 'f', 4, true));
            d.instances = 3;
        }),
    );
    for (name, value, instances) in [
        ("vertex-id", "vec4(float(gl_VertexIndex) * 0.25 + 0.25)", 1),
        ("instance-id", "vec4(float(gl_InstanceIndex) * 0.25 + 0.25)", 2),
        ("base-instance", "vec4(float(gl_BaseInstance) + 0.5)", 1),
        ("base-vertex", "vec4(float(gl_BaseVertex) + 0.25)", 1),
    ] {
        list.push(
            Recipe::draw(
                2,
                name,
                &format!("the vertex argument {name}"),
                &passing("", "vec4", "", value),
                &reading("vec4", "", "v"),
            )
            .with_draw(|d| d.instances = instances),
        );
    }
    for (name, ty, qualifier, value, read) in [
        ("float", "float", "", "float(gl_VertexIndex) * 0.5", "vec4(v)"),
        ("vec2", "vec2", "", "vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1)", "vec4(v, v)"),
        ("vec3", "vec3", "", "vec3(gl_VertexIndex & 1, gl_VertexIndex >> 1, 0.5)", "vec4(v, 1.0)"),
        ("int-flat", "int", "flat ", "gl_VertexIndex + 3", "vec4(float(v) / 10.0)"),
        ("uvec3-flat", "uvec3", "flat ", "uvec3(gl_VertexIndex + 1, 2, 3)", "vec4(vec3(v) / 10.0, 1.0)"),
        ("noperspective", "vec4", "noperspective ", "vec4(float(gl_VertexIndex) * 0.5)", "v"),
        ("centroid", "vec4", "centroid ", "vec4(float(gl_VertexIndex) * 0.5)", "v"),
        ("matrix", "mat2x4", "", "mat2x4(float(gl_VertexIndex) * 0.25)", "v[0] + v[1]"),
        ("array", "float", "", "0.0", ""),
    ] {
        let (mut vertex, mut fragment) = (passing("", ty, qualifier, value), reading(ty, qualifier, read));
        if name == "array" {
            vertex = vertex
                .replace("out float v;", "out float v[3];")
                .replace("v = 0.0;", "v[0] = 0.25; v[1] = float(gl_VertexIndex) * 0.25; v[2] = 0.75;");
            fragment = fragment
                .replace("in float v;", "in float v[3];")
                .replace("c = ;", "c = vec4(v[0], v[1], v[2], 1.0);");
        }
        list.push(Recipe::draw(
            2,
            &format!("varying-{name}"),
            &format!("a varying: {name}"),
            &vertex,
            &fragment,
        ));
    }
    list.push(Recipe::draw(2, "point-size", "the size of points", "#version 450
        void main() { gl_Position = vec4(float(gl_VertexIndex) - 1.0, 0.1, 0.5, 1.0) * vec4(0.5, 1.0, 1.0, 1.0); gl_PointSize = 4.0; }",
        "#version 450
        layout(location = 0) out vec4 c;
        void main() { c = vec4(1.0, 0.5, 0.25, 1.0); }").with_draw(|d| d.topology = Topology::Points));
    list.push(Recipe::draw(
        2,
        "clip-distance",
        "two clip distances",
        "#version 450
        out float gl_ClipDistance[2];
        void main() {
            vec2 p = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1) * 4.0 - 1.0;
            gl_Position = vec4(p, 0.5, 1.0); gl_ClipDistance[0] = p.x + 0.5; gl_ClipDistance[1] = 0.5 - p.y;
        }",
        "#version 450
        layout(location = 0) out vec4 c;
        void main() { c = vec4(1.0); }",
    ));
    list.push(Recipe::draw(2, "layer", "the layer of a primitive", "#version 450
        #extension GL_ARB_shader_viewport_layer_array : require
        void main() { gl_Position = vec4(vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1) * 4.0 - 1.0, 0.5, 1.0); gl_Layer = gl_InstanceIndex; }",
        "#version 450
        layout(location = 0) out vec4 c;
        void main() { c = vec4(float(gl_Layer) * 0.5, 0.5, 0.0, 1.0); }").with_draw(|d| (d.layers, d.instances) = (2, 2)));
}

/// Adds the fragment functions.
pub fn fragments(list: &mut Vec<Recipe>) {
    for (name, declarations, body) in [
        ("position", "", "c = vec4(gl_FragCoord.xy / 16.0, gl_FragCoord.z, gl_FragCoord.w);"),
        ("front-facing", "", "c = gl_FrontFacing ? vec4(uv, 0.0, 1.0) : vec4(0.0, 0.0, 1.0, 1.0);"),
        ("primitive-id", "", "c = vec4(float(gl_PrimitiveID) + 0.25);"),
        ("sample-id", "", "c = vec4(float(gl_SampleID) + 0.5);"),
        ("sample-mask-in", "", "c = vec4(float(gl_SampleMaskIn[0]) * 0.5);"),
        ("discard", "", "if (uv.x > 0.5) discard; c = vec4(uv, 0.0, 1.0);"),
        ("early-tests", "layout(early_fragment_tests) in;", "c = vec4(uv, 0.5, 1.0);"),
    ] {
        list.push(Recipe::draw(
            2,
            &format!("fragment-{name}"),
            &format!("a fragment function: {name}"),
            COVER,
            &fragment(declarations, body),
        ));
    }
    list.push(
        Recipe::draw(
            2,
            "fragment-point-coord",
            "coordinates in a point",
            "#version 450
        void main() { gl_Position = vec4(0.0, 0.0, 0.5, 1.0); gl_PointSize = 8.0; }",
            "#version 450
        layout(location = 0) out vec4 c;
        void main() { c = vec4(gl_PointCoord, 0.0, 1.0); }",
        )
        .with_draw(|d| (d.topology, d.vertices) = (Topology::Points, 1)),
    );
    for (name, qualifier) in [
        ("any", ""),
        ("less", "layout(depth_less) out float gl_FragDepth;"),
        ("greater", "layout(depth_greater) out float gl_FragDepth;"),
    ] {
        let value = match name {
            "greater" => "gl_FragCoord.z + uv.x * 0.25",
            _ => "gl_FragCoord.z - uv.x * 0.25",
        };
        list.push(
            Recipe::draw(
                2,
                &format!("fragment-depth-{name}"),
                &format!("a written depth: {name}"),
                COVER,
                &fragment(qualifier, &format!("gl_FragDepth = {value}; c = vec4(1.0);")),
            )
            .with_draw(|d| (d.depth, d.read_depth) = (Some((1.0, Compare::Less)), true)),
        );
    }
    list.push(Recipe::draw(
        2,
        "fragment-sample-mask",
        "a written sample mask",
        COVER,
        &fragment("", "gl_SampleMask[0] = uv.x > 0.5 ? 1 : 0; c = vec4(1.0);"),
    ));
    list.push(with_buffer(Recipe::draw(2, "fragment-buffer", "a buffer that fragments write", COVER, &fragment(
        "layout(std430, binding = 0) buffer Out { uint o[256]; };",
        "o[uint(gl_FragCoord.y) * 16u + uint(gl_FragCoord.x)] = uint(gl_FragCoord.x * 100.0); c = vec4(1.0);",
    ))));
    for (name, ty, format, value) in [
        ("rgba8", "vec4", Format::Rgba8, "vec4(uv, 0.25, 1.0)"),
        ("bgra8", "vec4", Format::Bgra8, "vec4(uv, 0.25, 1.0)"),
        ("r32f", "float", Format::R32f, "gl_FragCoord.x * 3.0"),
        ("rg16f", "vec2", Format::Rg16f, "gl_FragCoord.xy * 0.5"),
        ("rgba16f", "vec4", Format::Rgba16f, "vec4(gl_FragCoord.xy, -1.0, 0.5)"),
        ("rgba32f", "vec4", Format::Rgba32f, "vec4(gl_FragCoord.xy, -1.0, 0.5)"),
        ("r32ui", "uint", Format::R32ui, "uint(gl_FragCoord.x) * 1000u"),
        ("rgba32i", "ivec4", Format::Rgba32i, "ivec4(gl_FragCoord.xy, -7, 8)"),
    ] {
        let text = fragment("", &format!("c = {value};")).replace("out vec4 c", &format!("out {ty} c"));
        list.push(
            Recipe::draw(
                2,
                &format!("target-{name}"),
                &format!("a render target of the format {name}"),
                COVER,
                &text,
            )
            .with_draw(|d| d.colors[0].format = format),
        );
    }
}

fn with_buffer(recipe: Recipe) -> Recipe {
    recipe.zeros(0, 1024)
}
