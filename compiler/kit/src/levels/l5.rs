//! L5: the doubtful points of `loaders.md`: forms about which sources differ, or that no file of Apple's shows.

use super::l2;
use super::text::{COVER, floats, fragment, kernel};
use crate::edit;
use crate::metal::Family;
use crate::recipe::{Recipe, Resource, Source, VertexData, Work, pattern};
use crate::schema::{Expect, Kind};
use airfoil::Stage;
use airfoil::air::select::{ArgumentBuffers, DebugOptions};
use airfoil::interp::texture::{Format, Sampler};
use airfoil::ir::Dim;

/// A draw that reads the colour of the attachment.
pub fn framebuffer_fetch(level: u32, name: &str, title: &str) -> Recipe {
    let vertex = "#version 300 es
        void main() { gl_Position = vec4(vec2(gl_VertexID & 1, gl_VertexID >> 1) * 4.0 - 1.0, 0.5, 1.0); }";
    let fragment = "#version 300 es
        #extension GL_EXT_shader_framebuffer_fetch : require
        precision highp float;
        layout(location = 0) inout vec4 c;
        void main() { c = c * 0.5 + 0.25; }";
    let source =
        Source::OpenGl(vec![(Stage::Vertex, vertex.to_owned()), (Stage::Fragment, fragment.to_owned())]);
    Recipe::new(level, name, title, source, Work::Draw(Box::default()))
        .with_draw(|d| d.colors[0].clear = [0.25, 0.5, 0.75, 1.0])
        .with(|r| r.family = Some(Family::APPLE4))
}

/// A draw that writes one attachment and reads it by `gl_LastFragData`.
pub fn last_frag_data(level: u32) -> Recipe {
    let vertex = "#version 100
        attribute vec4 position;
        void main() { gl_Position = position; }";
    let fragment = "#version 100
        #extension GL_EXT_shader_framebuffer_fetch : require
        precision highp float;
        void main() { gl_FragColor = gl_LastFragData[0].yzwx * 0.5; }";
    let source =
        Source::OpenGl(vec![(Stage::Vertex, vertex.to_owned()), (Stage::Fragment, fragment.to_owned())]);
    let corners = [[-1.0f32, -1.0], [3.0, -1.0], [-1.0, 3.0]];
    let words = corners.iter().flat_map(|&[x, y]| [x, y, 0.5, 1.0]).map(f32::to_bits).collect();
    let attribute =
        VertexData { location: 0, kind: 'f', components: 4, words, per_instance: false, packed: None };
    let title = "the colour that is there, read by `gl_LastFragData`";
    Recipe::new(level, "last-frag-data", title, source, Work::Draw(Box::default()))
        .with_draw(|d| {
            d.colors[0].clear = [0.25, 0.5, 0.75, 1.0];
            d.attributes.push(attribute);
        })
        .with(|r| r.family = Some(Family::APPLE4))
}

/// A mesh function that emits a quad over the image, with both triangles or with the second one culled.
pub fn mesh(level: u32, name: &str, title: &str, culls: bool) -> Recipe {
    let (declaration, store) = match culls {
        true => (
            "  out bool[2] cull location=cull_primitive per_primitive\n",
            "      1x1 %no = ieq %one, %i\n      %cull = deref_var &cull\n      %ci = deref_array %cull[%i]\n      store_deref %ci, %no\n",
        ),
        false => ("", ""),
    };
    let mesh = format!(
        r#"foil 1
shader mesh "mesh_main" {{
  form variables
  workgroup_size 4 1 1
  output_primitive triangles
  max_vertices 4
  max_primitives 2
  out vec4[4] pos location=position
  out uvec3[2] tri location=primitive_indices per_primitive
{declaration}  entry fn main {{
    32x1 %four = const 4
    32x1 %two = const 2
    32x1 %one = const 1
    set_mesh_outputs %four, %two
    32x1 %i = load_local_invocation_index
    32x1 %xb = iand %i, %one
    32x1 %yb = ushr %i, %one
    32x1 %xf = u2f %xb
    32x1 %yf = u2f %yb
    32x1 %half = const 0.5
    32x1 %unit = const 1.0
    32x1 %scale = const 2.0
    32x1 %x2 = fmul %xf, %scale
    32x1 %y2 = fmul %yf, %scale
    32x1 %x = fsub %x2, %unit
    32x1 %y = fsub %y2, %unit
    32x4 %v = vec4 %x, %y, %half, %unit
    %pos = deref_var &pos
    %pi = deref_array %pos[%i]
    store_deref %pi, %v
    1x1 %has = ult %i, %two
    if %has {{
{store}      32x1 %b = iadd %i, %one
      32x1 %d = iadd %i, %two
      32x3 %t = vec3 %i, %b, %d
      %tri = deref_var &tri
      %tri_i = deref_array %tri[%i]
      store_deref %tri_i, %t
    }}
  }}
}}
"#
    );
    let fragment = r#"foil 1
shader fragment "fragment_main" {
  form variables
  out vec4 c location=0
  entry fn main {
    32x1 %half = const 0.5
    32x1 %unit = const 1.0
    32x4 %v = vec4 %half, %unit, %half, %unit
    %c = deref_var &c
    store_deref %c, %v
  }
}
"#;
    Recipe::new(level, name, title, Source::Foil(vec![mesh, fragment.to_owned()]), Work::Draw(Box::default()))
        .with_draw(|d| d.mesh = Some(([1, 1, 1], [[0; 3], [4, 1, 1]])))
        .with(|r| {
            r.family = Some(Family::APPLE7);
        })
}

fn with_data(recipe: Recipe) -> Recipe {
    recipe.words(0, &floats()).zeros(1, 1024)
}

/// A vertex shader that is compiled to a kernel, with attributes through `stage_in`.
fn stage_in(name: &str, title: &str, index_bits: Option<u32>) -> Recipe {
    let text = "#version 450
        layout(location = 0) in vec4 position;
        layout(location = 3) in uvec2 n;
        layout(location = 0) out vec4 v;
        void main() { v = position.wzyx + float(n.y); gl_Position = position; }";
    let source = Source::Glsl(vec![(Stage::Vertex, text.to_owned())]);
    Recipe::new(5, name, title, source, Work::Compute([1, 1, 1])).with(|r| {
        r.kind = Kind::Load;
        r.work = Work::Load;
        r.configure = Some(match index_bits {
            Some(16) => |o| (o.state.vertex_kernel, o.state.index_bits) = (true, Some(16)),
            Some(_) => |o| (o.state.vertex_kernel, o.state.index_bits) = (true, Some(32)),
            None => |o| o.state.vertex_kernel = true,
        });
    })
}

const VISIBLE: &str = "
    OpCapability Shader
    OpCapability Linkage
    OpMemoryModel Logical GLSL450
    OpName %v \"v\"
    OpName %x \"x\"
    OpDecorate %mix LinkageAttributes \"mix_up\" Export
    %float = OpTypeFloat 32
    %vec4 = OpTypeVector %float 4
    %fn = OpTypeFunction %vec4 %vec4 %float
    %mix = OpFunction %vec4 None %fn
    %v = OpFunctionParameter %vec4
    %x = OpFunctionParameter %float
    %entry = OpLabel
    %scaled = OpVectorTimesScalar %vec4 %v %x
    OpReturnValue %scaled
    OpFunctionEnd";

/// Adds the recipes.
pub fn add(list: &mut Vec<Recipe>) {
    for (domain, factors) in [("quads", 6), ("triangles", 4)] {
        list.push(super::l4::tessellated(5, domain, factors, "1.0").doubt("0 control points in `air.patch`"));
    }
    list.push(stage_in("stage-in", "attributes of a kernel", None).doubt("`air.stage_in` of kernels"));
    for bits in [16, 32] {
        list.push(
            stage_in(
                &format!("stage-in-indices-{bits}"),
                &format!("attributes of a kernel with indices of {bits} bits"),
                Some(bits),
            )
            .doubt("`air.stage_in` of kernels together with indices"),
        );
    }
    list.push(
        framebuffer_fetch(5, "framebuffer-fetch-two", "framebuffer fetch, two numbers per input")
            .doubt("framebuffer fetch: one or two numbers after `air.render_target`"),
    );
    list.push(
        framebuffer_fetch(5, "framebuffer-fetch-one", "framebuffer fetch, one number per input")
            .doubt("framebuffer fetch: one or two numbers after `air.render_target`")
            .with(|r| {
                r.edit = Some(edit::one_int_framebuffer_fetch);
                r.expect = Expect::Open;
            }),
    );
    list.push(
        Recipe::draw(
            5,
            "negative-render-target-one",
            "an output with one number after `air.render_target`",
            COVER,
            &fragment("", "c = vec4(uv, 0.0, 1.0);"),
        )
        .with(|r| {
            r.edit = Some(edit::one_int_render_target);
            r.kind = Kind::Pipeline;
            r.expect = Expect::Error { steps: vec!["pipeline".to_owned()], texts: Vec::new() };
            r.doubt = Some("one number after `air.render_target` of an output kills the pipeline".to_owned());
        }),
    );
    list.push(
        mesh(5, "mesh-culled", "`set_primitive_culled_mesh` with i1", true)
            .doubt("`air.set_primitive_culled_mesh`: i1 or i8"),
    );
    list.push(
        mesh(5, "mesh-operands", "operands of the mesh functions with several vertices", false)
            .doubt("order of the operands of mesh intrinsics"),
    );
    let gaps = "#version 450
        layout(local_size_x = 4) in;
        layout(std430, set = 0, binding = 0) buffer Out { uint o[16]; };
        layout(std430, set = 0, binding = 1) readonly buffer A { uint a[4]; };
        layout(std430, set = 0, binding = 9) readonly buffer B { uint b[4]; };
        void main() { uint i = gl_LocalInvocationIndex; o[i] = a[i] + 10u * b[i]; }";
    list.push(
        Recipe::compute(5, "argument-buffer-gaps", "an argument buffer whose IDs have gaps", gaps)
            .zeros(0, 64)
            .words(1, &[1, 2, 3, 4])
            .words(9, &[5, 6, 7, 8])
            .doubt("gaps in argument buffers")
            .with(|r| {
                r.family = Some(Family::APPLE6);
                r.configure = Some(|o| {
                    o.air.bindings.argument_buffers = ArgumentBuffers::All;
                    for (binding, id) in [(0, 2), (1, 5), (9, 11)] {
                        o.air.bindings.resources.entry((0, binding)).or_default().buffer = Some(id);
                    }
                });
            }),
    );
    let bindless = "#version 450
        #extension GL_EXT_nonuniform_qualifier : require
        layout(local_size_x = 4) in;
        layout(std430, set = 0, binding = 0) buffer Out { uint o[16]; };
        layout(set = 1, binding = 0) uniform texture2D textures[];
        layout(set = 0, binding = 1) uniform sampler s;
        void main() {
            uint i = gl_LocalInvocationIndex;
            o[i] = floatBitsToUint(textureLod(sampler2D(textures[nonuniformEXT(i >> 2)], s), vec2(0.3, float(i) * 0.25), 0.0).x);
        }";
    list.push(
        Recipe::compute(5, "argument-buffer-open-array", "an array of textures of unknown length", bindless)
            .zeros(0, 64)
            .give(1, Resource::Sampler(Sampler::default()))
            .doubt("arrays of unknown length in argument buffers")
            .with(|r| {
                r.family = Some(Family::APPLE6);
                for element in 0..2 {
                    let image = pattern(Dim::D2, Format::Rgba32f, [4 + 4 * element, 4, 1], 1, 1);
                    let resource = Resource::Texture(image, false, None);
                    r.given.push(crate::recipe::Given { set: 1, binding: 0, element, resource });
                }
            }),
    );
    for (name, values) in [("none", &[][..]), ("one", &[(3, 6)][..])] {
        list.push(
            l2::constants(
                5,
                &format!("optional-constants-{name}"),
                &format!("optional function constants, given: {name}"),
                values,
            )
            .doubt("function constants with REQUIRED false"),
        );
    }
    list.push(with_data(
        Recipe::compute(
            5,
            "residency-unused",
            "a sampled result whose residency code is not read",
            &kernel(
                "",
                "layout(binding = 2) uniform sampler2D t;",
                "o[i] = floatBitsToUint(textureLod(t, vec2(float(i) / 4.0 + 0.03, 0.3), 0.0).x);",
            ),
        )
        .give(
            2,
            Resource::Texture(
                pattern(Dim::D2, Format::Rgba32f, [8, 8, 1], 1, 1),
                false,
                Some(Sampler::default()),
            ),
        )
        .doubt("sparse residency: results are `{T, i8}`"),
    ));
    list.push(with_data(
        Recipe::compute(5, "atomics-64", "64-bit minimum and maximum without result", &kernel(
            "#extension GL_EXT_shader_atomic_int64 : require\n#extension GL_EXT_shader_explicit_arithmetic_types : require\n",
            "layout(std430, binding = 2) buffer W { uint64_t w[2]; };",
            "atomicMax(w[0], uint64_t(i) << 33); atomicMin(w[1], uint64_t(i) + 5ul); o[i] = i;",
        ))
        .words(2, &[0, 0, 0xffff_ffff, 0xffff_ffff])
        .doubt("64-bit atomics")
        .with(|r| {
            r.target = "macos14".to_owned();
            r.family = Some(Family::APPLE9);
        }),
    ));
    for (target, air) in [("macos26", "2.8"), ("macos27", "2.9")] {
        list.push(
            with_data(Recipe::compute(5, &format!("atomics-air-{}", air.replace('.', "-")), &format!("buffer atomics, AIR {air}"), &kernel("", "", "atomicAdd(o[0], i); atomicMax(o[1], i); atomicExchange(o[16u + i], i + 9u); atomicCompSwap(o[32u + i], 0u, i + 1u);")))
                .doubt("operands of buffer atomics change with AIR 2.9")
                .with(|r| r.target = target.to_owned()),
        );
    }
    list.push(
        Recipe::new(
            5,
            "visible-function",
            "a visible function that returns a bare value",
            Source::Spirv(VISIBLE.to_owned()),
            Work::Load,
        )
        .doubt("visible functions return a bare value"),
    );
    list.push(
        with_data(Recipe::compute(
            5,
            "typed-pointers-air-2-8",
            "typed pointers in AIR 2.8",
            &kernel("", "", "float x = a[i]; o[i] = floatBitsToUint(x * x + 1.0);"),
        ))
        .doubt("Metal 4: typed pointers")
        .with(|r| r.target = "macos26".to_owned()),
    );
    list.push(
        with_data(Recipe::compute(
            5,
            "universal-library",
            "a universal file with one slice",
            &kernel("", "", "o[i] = i;"),
        ))
        .doubt("universal libraries")
        .with(|r| {
            r.edit = Some(edit::universal);
            r.expect = Expect::Open;
        }),
    );
    list.push(
        with_data(Recipe::compute(
            5,
            "debug-information-lines",
            "DWARF in a function with control flow",
            &kernel("", "", "float x = a[i]; if (x > 0.0) x = -x; o[i] = floatBitsToUint(x);"),
        ))
        .doubt("debug information")
        .with(|r| {
            r.configure = Some(|o| o.air.debug = Some(DebugOptions::default()));
        }),
    );
}
