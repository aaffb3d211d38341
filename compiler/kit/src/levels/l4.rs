//! L4: graphics: attachments, tests, blending, indices, instances, multisampling, tessellation, framebuffer fetch.

use super::text::{COVER, fragment};

use crate::recipe::{Color, Recipe, Resource, Source, VertexData, Work};
use airfoil::Stage;
use airfoil::interp::pipeline::Topology;
use airfoil::interp::texture::{Compare, Format};

/// A vertex shader with a position and a colour per vertex.
const COLORED: &str = "#version 450
layout(location = 0) in vec2 position;
layout(location = 1) in vec4 color;
layout(location = 0) out vec4 v;
void main() { v = color; gl_Position = vec4(position, 0.5, 1.0); gl_PointSize = 3.0; }";

const FLAT_IN: &str = "#version 450
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 c;
void main() { c = v; }";

fn floats(location: u32, components: u32, values: &[f32]) -> VertexData {
    VertexData {
        location,
        kind: 'f',
        components,
        words: values.iter().map(|v| v.to_bits()).collect(),
        per_instance: false,
        packed: None,
    }
}

/// Six vertices with colours.
fn colored(name: &str, title: &str) -> Recipe {
    let positions = [-0.9, -0.8, 0.8, -0.7, -0.1, 0.9, 0.9, 0.8, 0.3, -0.2, -0.7, 0.4];
    let colors: Vec<f32> =
        (0..24).map(|n| if n % 4 == 3 { 1.0 } else { (n * 7 % 12) as f32 / 12.0 }).collect();
    Recipe::draw(4, name, title, COLORED, FLAT_IN).with_draw(|d| {
        d.attributes = vec![floats(0, 2, &positions), floats(1, 4, &colors)];
        d.vertices = 6;
    })
}

fn cover(name: &str, title: &str, declarations: &str, body: &str) -> Recipe {
    Recipe::draw(4, name, title, COVER, &fragment(declarations, body))
}

fn color(format: Format, clear: [f64; 4]) -> Color {
    Color { format, clear, blend: None }
}

/// Adds the recipes.
pub fn add(list: &mut Vec<Recipe>) {
    for (name, topology) in [
        ("triangles", Topology::Triangles),
        ("triangle-strip", Topology::TriangleStrip),
        ("points", Topology::Points),
    ] {
        list.push(colored(name, &format!("topology: {name}")).with_draw(|d| d.topology = topology));
    }
    for (name, topology) in [("lines", Topology::Lines), ("line-strip", Topology::LineStrip)] {
        // Which pixels a line covers may differ; axis-aligned lines through pixel centres do not.
        let positions = [-0.9375, -0.4375, 0.8125, -0.4375, -0.9375, 0.3125, 0.8125, 0.3125];
        let colors = [1.0f32; 16];
        list.push(Recipe::draw(4, name, &format!("topology: {name}"), COLORED, FLAT_IN).with_draw(|d| {
            d.attributes = vec![floats(0, 2, &positions), floats(1, 4, &colors)];
            (d.vertices, d.topology) = (if name == "lines" { 4 } else { 2 }, topology);
        }));
    }
    for bits in [16, 32] {
        list.push(
            colored(&format!("indices-{bits}"), &format!("indices of {bits} bits"))
                .with_draw(|d| d.indices = Some((bits, vec![2, 1, 0, 5, 4, 3], 0))),
        );
    }
    list.push(
        colored("indices-base-vertex", "indices with a base vertex")
            .with_draw(|d| d.indices = Some((32, vec![0, 1, 2], 3))),
    );
    list.push(
        Recipe::draw(
            4,
            "instances",
            "four instances",
            "#version 450
        layout(location = 0) flat out vec4 v;
        void main() {
            vec2 p = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1);
            vec2 at = vec2(gl_InstanceIndex & 1, gl_InstanceIndex >> 1);
            v = vec4(at, 0.5, 1.0);
            gl_Position = vec4(p * 0.75 + at - 1.0, 0.5, 1.0);
        }",
            "#version 450
        layout(location = 0) flat in vec4 v;
        layout(location = 0) out vec4 c;
        void main() { c = v; }",
        )
        .with_draw(|d| d.instances = 4),
    );
    for (name, targets) in [("two-targets", 2), ("four-targets", 4)] {
        let declarations: String =
            (1..targets).map(|n| format!("layout(location = {n}) out vec4 c{n};\n")).collect();
        let body: String = (1..targets).map(|n| format!("c{n} = vec4(uv.yx, {n}.0 / 8.0, 1.0); ")).collect();
        list.push(
            cover(
                name,
                &format!("{targets} render targets"),
                &declarations,
                &format!("{body} c = vec4(uv, 0.0, 1.0);"),
            )
            .with_draw(|d| {
                d.colors = (0..targets).map(|_| color(Format::Rgba8, [0.0; 4])).collect();
            }),
        );
    }
    list.push(
        cover(
            "mixed-targets",
            "render targets of different types",
            "layout(location = 1) out uint c1;\nlayout(location = 2) out vec2 c2;\n",
            "c1 = uint(gl_FragCoord.x) * 5u; c2 = gl_FragCoord.xy * 0.5; c = vec4(uv, 0.0, 1.0);",
        )
        .with_draw(|d| {
            d.colors = vec![
                color(Format::Rgba8, [0.0; 4]),
                color(Format::R32ui, [0.0; 4]),
                color(Format::Rg32f, [0.0; 4]),
            ]
        }),
    );
    list.push(
        cover("clear", "pixels that keep the initial colour", "", "if (uv.x > 0.25) discard; c = vec4(1.0);")
            .with_draw(|d| d.colors[0].clear = [0.2, 0.4, 0.6, 1.0]),
    );
    for (name, compare) in [
        ("less", Compare::Less),
        ("greater", Compare::Greater),
        ("equal", Compare::Equal),
        ("always", Compare::Always),
    ] {
        let vertex = "#version 450
            layout(location = 0) out vec2 uv;
            void main() { uv = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1) * 2.0; gl_Position = vec4(uv * 2.0 - 1.0, uv.x * 0.5, 1.0); }";
        list.push(
            Recipe::draw(
                4,
                &format!("depth-{name}"),
                &format!("a depth test: {name}"),
                vertex,
                &fragment("", "c = vec4(uv, 1.0, 1.0);"),
            )
            .with_draw(|d| (d.depth, d.read_depth) = (Some((0.26, compare)), true)),
        );
    }
    for (name, cull, winding) in [("front", 1, 0), ("back", 2, 0), ("front-reversed", 1, 1)] {
        list.push(
            colored(&format!("cull-{name}"), &format!("culled faces: {name}"))
                .with_draw(|d| (d.cull, d.winding) = (cull, winding)),
        );
    }
    for (name, blend) in [("add", [1, 1]), ("alpha", [4, 5]), ("multiply", [0, 2])] {
        list.push(
            cover(&format!("blend-{name}"), &format!("blending: {name}"), "", "c = vec4(uv, 0.5, 0.25);")
                .with_draw(|d| {
                    d.colors = vec![Color {
                        format: Format::Rgba8,
                        clear: [0.25, 0.5, 0.25, 1.0],
                        blend: Some(blend),
                    }];
                }),
        );
    }
    list.push(
        Recipe::draw(
            4,
            "dual-source",
            "two sources of one attachment",
            COVER,
            "#version 450
        layout(location = 0) in vec2 uv;
        layout(location = 0, index = 0) out vec4 c;
        layout(location = 0, index = 1) out vec4 d;
        void main() { c = vec4(uv, 0.5, 1.0); d = vec4(0.25, 0.5, 0.75, 1.0); }",
        )
        .with_draw(|d| {
            d.colors =
                vec![Color { format: Format::Rgba8, clear: [1.0, 0.5, 0.25, 1.0], blend: Some([1, 15]) }]
        }),
    );
    list.push(Recipe::draw(4, "multisampled", "four samples per pixel, resolved", "#version 450
        void main() { gl_Position = vec4(vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1) * 4.0 - vec2(1.0, 1.0), 0.5, 1.0); }",
        "#version 450
        layout(location = 0) out vec4 c;
        void main() { c = vec4(1.0, 0.5, 0.25, 1.0); }").with_draw(|d| d.samples = 4));
    list.push(
        cover(
            "sample-shading",
            "one invocation per sample",
            "",
            "c = vec4(float(gl_SampleID) * 0.25, 0.5, 0.0, 1.0);",
        )
        .with_draw(|d| d.samples = 4),
    );
    list.push(
        cover(
            "sample-mask",
            "a mask that leaves half of the samples",
            "",
            "gl_SampleMask[0] = 5; c = vec4(1.0, 0.5, 0.0, 1.0);",
        )
        .with_draw(|d| d.samples = 4),
    );
    list.push(Recipe::draw(4, "clip-one", "one clip distance", "#version 450
        out float gl_ClipDistance[1];
        void main() { vec2 p = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1) * 4.0 - 1.0; gl_Position = vec4(p, 0.5, 1.0); gl_ClipDistance[0] = 0.3 - p.x; }",
        "#version 450
        layout(location = 0) out vec4 c;
        void main() { c = vec4(0.5); }"));
    list.push(
        Recipe::draw(
            4,
            "cull-distance",
            "a cull distance",
            "#version 450
        out float gl_CullDistance[1];
        void main() {
            vec2 p = vec2(gl_VertexIndex % 3 & 1, gl_VertexIndex % 3 >> 1);
            gl_Position = vec4(p * 0.9 - (gl_VertexIndex < 3 ? 0.95 : 0.0), 0.5, 1.0);
            gl_CullDistance[0] = gl_VertexIndex < 3 ? -1.0 : 1.0;
        }",
            "#version 450
        layout(location = 0) out vec4 c;
        void main() { c = vec4(1.0, 0.0, 1.0, 1.0); }",
        )
        .with_draw(|d| d.vertices = 6),
    );
    list.push(Recipe::draw(4, "provoking-vertex", "flat values are those of the first vertex", "#version 450
        layout(location = 0) flat out vec4 v;
        void main() { v = vec4(float(gl_VertexIndex) * 0.25 + 0.1); gl_Position = vec4(vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1) * 2.0 - 1.0, 0.5, 1.0); }",
        "#version 450
        layout(location = 0) flat in vec4 v;
        layout(location = 0) out vec4 c;
        void main() { c = v; }").with_draw(|d| (d.vertices, d.topology) = (4, Topology::TriangleStrip)));
    list.push(Recipe::draw(
        4,
        "perspective",
        "perspective-correct interpolation",
        "#version 450
        layout(location = 0) out vec2 uv;
        void main() {
            vec2 p = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1);
            float w = 1.0 + p.x * 3.0;
            uv = p; gl_Position = vec4((p * 4.0 - 1.0) * w, 0.5 * w, w);
        }",
        &fragment("", "c = vec4(uv * 2.0, 0.0, 1.0);"),
    ));
    list.push(Recipe::draw(4, "uniforms-of-two-stages", "a uniform block that both stages read", "#version 450
        layout(std140, binding = 0) uniform U { vec4 scale; vec4 tint; };
        layout(location = 0) out vec2 uv;
        void main() { uv = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1) * 2.0; gl_Position = vec4((uv * 2.0 - 1.0) * scale.xy, 0.5, 1.0); }",
        &fragment("layout(std140, binding = 0) uniform U { vec4 scale; vec4 tint; };", "c = vec4(uv, 0.5, 1.0) * tint;"))
        .uniform(0, &[0.75, 0.5, 1.0, 1.0, 0.5, 1.0, 0.25, 1.0]));
    list.push(Recipe::draw(4, "vertex-texture", "a texture that the vertex function reads", "#version 450
        layout(binding = 1) uniform sampler2D t;
        layout(location = 0) out vec2 uv;
        void main() { vec2 p = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1); uv = texelFetch(t, ivec2(p), 0).xy; gl_Position = vec4(p * 4.0 - 1.0, 0.5, 1.0); }",
        &fragment("", "c = vec4(uv, 0.0, 1.0);")).give(1, Resource::Texture(crate::recipe::pattern(airfoil::ir::Dim::D2, Format::Rgba32f, [4, 4, 1], 1, 1), false, Some(airfoil::interp::texture::Sampler::default()))));
    list.push(super::l5::framebuffer_fetch(4, "framebuffer-fetch", "the colour that is there"));
    list.push(super::l5::last_frag_data(4));
    for (domain, factors, sizes) in [("quads", 6, "0.9"), ("triangles", 4, "0.9")] {
        list.push(tessellated(4, domain, factors, sizes));
    }
    list.push(super::l5::mesh(4, "mesh", "a mesh function that emits a quad", false));
}

/// A tessellated patch without control points: the division does not change the pixels that it covers.
pub fn tessellated(level: u32, domain: &str, factors: usize, size: &str) -> Recipe {
    let position = match domain {
        "quads" => format!("(gl_TessCoord.xy * 2.0 - 1.0) * {size}"),
        _ => format!(
            "gl_TessCoord.x * vec2(-{size}, -{size}) + gl_TessCoord.y * vec2({size}, -{size}) + gl_TessCoord.z * vec2(-{size}, {size})"
        ),
    };
    let vertex = "#version 450\nvoid main() { gl_Position = vec4(0.0); }";
    let control = "#version 450
        layout(vertices = 1) out;
        void main() {
            gl_TessLevelOuter[0] = 3.0; gl_TessLevelOuter[1] = 3.0; gl_TessLevelOuter[2] = 3.0; gl_TessLevelOuter[3] = 3.0;
            gl_TessLevelInner[0] = 3.0; gl_TessLevelInner[1] = 3.0;
        }";
    let evaluation = format!(
        "#version 450\nlayout({domain}, equal_spacing, ccw) in;\nvoid main() {{ gl_Position = vec4({position}, 0.5, 1.0); }}"
    );
    let fragment =
        "#version 450\nlayout(location = 0) out vec4 c;\nvoid main() { c = vec4(1.0, 0.5, 0.25, 1.0); }";
    let source = Source::Glsl(vec![
        (Stage::Vertex, vertex.to_owned()),
        (Stage::TessControl, control.to_owned()),
        (Stage::TessEval, evaluation),
        (Stage::Fragment, fragment.to_owned()),
    ]);
    // Halves of 3.0.
    let halves = [0x00u8, 0x42].repeat(factors);
    Recipe::new(
        level,
        &format!("patch-{domain}"),
        &format!("a patch without control points: {domain}"),
        source,
        Work::Draw(Box::default()),
    )
    .with_draw(|d| {
        d.tessellation = Some((halves, 1, 1));
        (d.vertices, d.topology) = (1, Topology::Triangles);
    })
}
