//! Rows of the table of functions that no family shows: operations of the IR that GLSL lacks, functions for fast arithmetic, kinds of
//! textures and atomics, and the functions of mesh and object shaders. Each is shown once, for AIR 2.6, or the first version that has it.

use super::{nearest, with_data};
use crate::levels::text::{COVER, fragment, kernel};
use crate::metal::Family;
use crate::recipe::{Recipe, Resource, Source, Work, pattern};
use airfoil::air::select::FastMathMode;
use airfoil::interp::pipeline::Topology;
use airfoil::interp::texture::{Format, Image};
use airfoil::ir::Dim;
use std::fmt::Write;

/// A kernel of operations of the IR on `%x`, `%y` (floats), `%u` (from -1 to 1), `%p` (from 1.5 on), `%m`, `%n` (integers); each result is a
/// column of the output.
fn operations(list: &[&str]) -> Source {
    let mut text = String::from(
        r#"foil 1
shader compute "compute_main" {
  form slots
  workgroup_size 16 1 1
  ssbo In { float[stride=4] a @0 } in set=0 binding=0
  ssbo Out { uint[stride=4] o @0 } out set=0 binding=1
  entry fn main {
    32x1 %i = load_local_invocation_index
    32x1 %four = const 4
    32x1 %row = const 64
    32x1 %at = imul %i, %four
    32x1 %next = iadd %at, %row
    %in = deref_var &in
    %out = deref_var &out
    32x1 %x = load_ssbo %in, %at align=4
    32x1 %y = load_ssbo %in, %next align=4
    32x1 %small = const 0.15
    32x1 %u = fmul %x, %small
    32x1 %size = fabs %x
    32x1 %least = const 1.5
    32x1 %p = fadd %size, %least
    32x1 %low = const -1.0
    32x1 %high = const 2.0
    32x1 %big = const 400000000.0
    32x1 %xb = fmul %x, %big
    32x1 %yb = fmul %y, %big
    32x1 %m = f2i %xb
    32x1 %n = f2i %yb
"#,
    );
    for (k, operation) in list.iter().enumerate() {
        let _ = writeln!(text, "    32x1 %c{k} = const {}", 64 * k);
        let _ = writeln!(text, "    32x1 %to{k} = iadd %at, %c{k}");
        match operation.strip_prefix("f16 ") {
            Some(operation) => {
                let _ = writeln!(text, "    16x1 %h{k} = f2f %x");
                let _ = writeln!(text, "    16x1 %s{k} = {operation} %h{k}");
                let _ = writeln!(text, "    32x1 %r{k} = f2f %s{k}");
            }
            None => {
                let _ = writeln!(text, "    32x1 %r{k} = {operation}");
            }
        }
        let _ = writeln!(text, "    store_ssbo %r{k}, %out, %to{k} align=4");
    }
    text.push_str("  }\n}\n");
    Source::Foil(vec![text])
}

/// Kernels of operations: name, operations, arithmetic, units in the last place, functions that must be called.
type Operations = (&'static str, &'static [&'static str], FastMathMode, u32, &'static [&'static str]);

const OPERATIONS: &[Operations] = &[
    (
        "rounded-operations",
        &["fround %x", "frem %x, %high", "fsat %u", "fclamp %x, %low, %high"],
        FastMathMode::Precise,
        16,
        &["air.round.f32", "air.fmod.f32"],
    ),
    (
        "integer-operations",
        &[
            "iadd_sat %m, %n",
            "uadd_sat %m, %n",
            "isub_sat %m, %n",
            "usub_sat %m, %n",
            "ihadd %m, %n",
            "uhadd %m, %n",
            "irhadd %m, %n",
            "urhadd %m, %n",
        ],
        FastMathMode::Precise,
        0,
        &["air.add_sat.u.i32", "air.sub_sat.s.i32", "air.hadd.s.i32", "air.rhadd.u.i32"],
    ),
    (
        "fast-finite",
        &[
            "ffloor %x",
            "fceil %x",
            "ftrunc %x",
            "fround %x",
            "fround_even %x",
            "fabs %x",
            "fsat %u",
            "fsqrt %p",
            "fmin %x, %y",
            "fmax %x, %y",
            "fclamp %x, %low, %high",
            "frem %x, %high",
            "ffract %x",
            "flrp %x, %y, %u",
        ],
        FastMathMode::Fast,
        4096,
        &[
            "air.fast_floor.f32",
            "air.fast_ceil.f32",
            "air.fast_trunc.f32",
            "air.fast_round.f32",
            "air.fast_rint.f32",
            "air.fast_fabs.f32",
            "air.fast_saturate.f32",
            "air.fast_sqrt.f32",
            "air.fast_fmin.f32",
            "air.fast_fmax.f32",
            "air.fast_clamp.f32",
            "air.fast_fmod.f32",
            "air.fast_fract.f32",
            "air.mix.f32",
        ],
    ),
    ("fast-half", &["f16 ffract"], FastMathMode::Fast, 16384, &["air.fract.f16"]),
    (
        "fast-approximate",
        &[
            "fasin %u",
            "facos %u",
            "fatan %x",
            "fatan2 %x, %y",
            "fsinh %u",
            "fcosh %u",
            "ftanh %u",
            "fasinh %x",
            "facosh %p",
            "fatanh %u",
            "flog %p",
        ],
        FastMathMode::Relaxed,
        4096,
        &[
            "air.fast_asin.f32",
            "air.fast_acos.f32",
            "air.fast_atan.f32",
            "air.fast_atan2.f32",
            "air.fast_sinh.f32",
            "air.fast_cosh.f32",
            "air.fast_tanh.f32",
            "air.fast_asinh.f32",
            "air.fast_acosh.f32",
            "air.fast_atanh.f32",
            "air.fast_log.f32",
        ],
    ),
];

const CLUSTERED: &str = "#extension GL_KHR_shader_subgroup_clustered : require\n";
const QUAD: &str =
    "#extension GL_EXT_shader_quad_control : require\n#extension GL_KHR_shader_subgroup_vote : require\n";
const ARITHMETIC: &str = "#extension GL_KHR_shader_subgroup_arithmetic : require\n#extension GL_KHR_shader_subgroup_ballot : require\n#extension GL_KHR_shader_subgroup_shuffle_relative : require\n";
const SCOPES: &str =
    "#extension GL_KHR_memory_scope_semantics : require\n#extension GL_KHR_shader_subgroup_basic : require\n";

/// Kernels in GLSL: name, extensions, declarations, body, functions that must be called.
const KERNELS: &[(&str, &str, &str, &str, &[&str])] = &[
    (
        "quad-reduce",
        CLUSTERED,
        "",
        "o[i] = subgroupClusteredAdd(i + 1u, 4u); o[i + 16u] = subgroupClusteredMul(i % 5u + 1u, 4u); o[i + 32u] = subgroupClusteredMin(i * 7u % 11u, 4u); o[i + 48u] = subgroupClusteredMax(i * 7u % 11u, 4u); o[i + 64u] = subgroupClusteredAnd(i | 8u, 4u); o[i + 80u] = subgroupClusteredOr(1u << i, 4u); o[i + 96u] = subgroupClusteredXor(i * 3u, 4u);",
        &[
            "air.quad_sum.",
            "air.quad_product.",
            "air.quad_min.",
            "air.quad_max.",
            "air.quad_and.",
            "air.quad_or.",
            "air.quad_xor.",
        ],
    ),
    (
        "quad-vote",
        QUAD,
        "",
        "o[i] = uint(subgroupQuadAny(i == 5u)); o[i + 16u] = uint(subgroupQuadAll(i < 8u));",
        &["air.quad_any", "air.quad_all"],
    ),
    (
        "simd-combine",
        ARITHMETIC,
        "",
        "o[i] = subgroupAnd(i | 48u); o[i + 16u] = subgroupXor(i * 5u); o[i + 32u] = subgroupMul(i % 3u + 1u); o[i + 48u] = subgroupInclusiveMul(i % 3u + 1u); o[i + 64u] = subgroupExclusiveMul(i % 3u + 1u); uint d = subgroupShuffleUp(i * 3u, 2u); if (i >= 2u) o[i + 80u] = d; o[i + 96u] = uint(subgroupElect());",
        &[
            "air.simd_and.",
            "air.simd_xor.",
            "air.simd_product.",
            "air.simd_prefix_inclusive_product.",
            "air.simd_prefix_exclusive_product.",
            "air.simd_shuffle_up.",
            "air.simd_is_first",
        ],
    ),
    (
        "simdgroup-barrier",
        SCOPES,
        "shared uint s[16];",
        "s[i] = i * 3u; subgroupBarrier(); o[i] = s[i ^ 1u];",
        &["air.simdgroup.barrier"],
    ),
    (
        "atomic-fence",
        SCOPES,
        "",
        "o[i] = i; memoryBarrierBuffer(); o[i + 16u] = i + 1u;",
        &["air.atomic.fence"],
    ),
    (
        "atomic-device-memory",
        SCOPES,
        "",
        "atomicStore(o[i], i + 7u, gl_ScopeDevice, 0, 0); o[i + 16u] = atomicLoad(o[i], gl_ScopeDevice, 0, 0);",
        &["air.atomic.global.load.", "air.atomic.global.store."],
    ),
    (
        "atomic-threadgroup-memory",
        SCOPES,
        "shared uint s[64];",
        "atomicStore(s[i], i + 7u, gl_ScopeWorkgroup, 0, 0); s[i + 16u] = ~0u; s[i + 32u] = i; s[i + 48u] = 99u; barrier(); atomicAnd(s[16], ~(1u << i)); atomicMin(s[17], i + 2u); atomicExchange(s[32u + i], i + 9u); atomicCompSwap(s[48u + i], 99u, i); barrier(); o[i] = atomicLoad(s[i], gl_ScopeWorkgroup, 0, 0); o[i + 16u] = s[i + 16u]; o[i + 32u] = s[i + 32u]; o[i + 48u] = s[i + 48u];",
        &[
            "air.atomic.local.and.",
            "air.atomic.local.cmpxchg.weak.",
            "air.atomic.local.load.",
            "air.atomic.local.min.",
            "air.atomic.local.store.",
            "air.atomic.local.xchg.",
        ],
    ),
];

/// Atomic operations on textures that the family `texture-atomics` does not have.
const TEXTURE_ATOMICS: &str = "ivec2 at = ivec2(i & 3u, i >> 2); imageAtomicStore(t, at, i + 4u, gl_ScopeDevice, 0, 0); o[i] = imageAtomicLoad(t, at, gl_ScopeDevice, 0, 0); at.y += 4; o[i + 16u] = imageAtomicExchange(t, at, i + 5u); o[i + 32u] = imageAtomicCompSwap(t, at, i + 5u, i + 60u); o[i + 48u] = imageAtomicAnd(t, at, 0x3du); o[i + 64u] = imageAtomicMin(t, at, 12u); o[i + 80u] = imageAtomicXor(t, at, 21u);";

fn textures() -> Vec<Recipe> {
    let make = |name: &str, declarations: &str, body: &str, calls: &[&str]| {
        with_data(Recipe::compute(3, name, name, &kernel(SCOPES, declarations, body)))
            .with(|r| r.calls = calls.iter().map(|&c| c.to_owned()).collect())
    };
    let image = |dim, format, size, layers, samples| {
        // The sizes are those of this file.
        Image::new(dim, format, size, layers, 1, samples).unwrap_or_else(|e| panic!("{}", e.message))
    };
    vec![
        make(
            "texture-atomics-others",
            "layout(binding = 2, r32ui) uniform uimage2D t;",
            TEXTURE_ATOMICS,
            &[
                "air.atomic_compare_exchange_weak_explicit_texture_2d.", "air.atomic_exchange_explicit_texture_2d.",
                "air.atomic_fetch_and_explicit_texture_2d.", "air.atomic_fetch_min_explicit_texture_2d.",
                "air.atomic_fetch_xor_explicit_texture_2d.", "air.atomic_load_explicit_texture_2d.",
                "air.atomic_store_explicit_texture_2d.",
            ],
        )
        .give(2, Resource::Image(image(Dim::D2, Format::R32ui, [4, 8, 1], 1, 1), false))
        .with(|r| r.family = Some(Family::APPLE6)),
        make(
            "array-size",
            "layout(binding = 2) uniform sampler2DArray t;",
            "o[i] = uint(textureSize(t, 0).z);",
            &["air.get_array_size_texture_2d_array"],
        )
        .give(2, Resource::Texture(pattern(Dim::D2, Format::Rgba8, [4, 4, 1], 3, 1), true, Some(nearest()))),
        make(
            "depth-of-texture",
            "layout(binding = 2) uniform sampler3D t;",
            "o[i] = uint(textureSize(t, 0).z);",
            &["air.get_depth_texture_3d"],
        )
        .give(2, Resource::Texture(pattern(Dim::D3, Format::Rgba8, [4, 4, 5], 1, 1), false, Some(nearest()))),
        make(
            "number-of-samples",
            "#extension GL_ARB_shader_texture_image_samples : require\nlayout(binding = 2) uniform sampler2DMS t;",
            "o[i] = uint(textureSamples(t));",
            &["air.get_num_samples_texture_2d_ms"],
        )
        .give(2, Resource::Texture(image(Dim::Ms, Format::Rgba8, [4, 4, 1], 1, 4), false, Some(nearest()))),
    ]
}

/// Fragment functions: name, interpolation of `uv`, body, samples, functions that must be called.
const FRAGMENTS: &[(&str, &str, &str, u32, &[&str])] = &[
    ("sample-position", "", "c = vec4(gl_SamplePosition, 0.0, 1.0);", 4, &["air.get_sample_position.v2f32"]),
    (
        "pull-center",
        "",
        "c = vec4(interpolateAtOffset(uv, vec2(0.25, -0.25)), uv) * 0.5;",
        1,
        &["air.interpolate_center_perspective."],
    ),
    (
        "pull-sample",
        "",
        "c = vec4(interpolateAtSample(uv, 0), 0.0, 1.0) * 0.5;",
        1,
        &["air.interpolate_sample_perspective."],
    ),
    (
        "pull-no-perspective",
        "noperspective ",
        "c = vec4(interpolateAtOffset(uv, vec2(0.25, -0.25)), interpolateAtCentroid(uv)) * 0.5;",
        1,
        &["air.interpolate_offset_no_perspective.", "air.interpolate_centroid_no_perspective."],
    ),
    (
        "pull-sample-no-perspective",
        "noperspective ",
        "c = vec4(interpolateAtSample(uv, 0), uv) * 0.5;",
        1,
        &["air.interpolate_sample_no_perspective.", "air.interpolate_center_no_perspective."],
    ),
    (
        "helper",
        "",
        "c = gl_HelperInvocation ? vec4(0.0) : vec4(uv * 0.5, 0.5, 1.0);",
        1,
        &["air.simd_is_helper_thread"],
    ),
];

/// Outputs of a mesh function beside positions and indices: declarations, stores per vertex, stores per primitive.
type MeshOutputs = (&'static str, &'static str, &'static str);

const MESH_DATA: MeshOutputs = (
    "  out vec4[4] shade location=0
  out float[4][1] clip location=clip_dist0
  out uint[2] tint location=3 per_primitive
  out int[2] id location=primitive_id per_primitive
",
    "    32x4 %s = vec4 %xf, %yf, %half, %unit
    %shade = deref_var &shade
    %si = deref_array %shade[%i]
    store_deref %si, %s
    32x1 %distance = fadd %x, %half
    %clip = deref_var &clip
    %clip_i = deref_array %clip[%i]
    %clip_0 = deref_array %clip_i[%zero]
    store_deref %clip_0, %distance
",
    "      32x1 %three = const 3
      32x1 %tn = iadd %i, %three
      %tint = deref_var &tint
      %tint_i = deref_array %tint[%i]
      store_deref %tint_i, %tn
      32x1 %in = iadd %i, %four
      %id = deref_var &id
      %id_i = deref_array %id[%i]
      store_deref %id_i, %in
",
);

const MESH_LAYERS: MeshOutputs = (
    "  out int[2] layer location=layer per_primitive\n  out int[2] viewport location=viewport per_primitive\n",
    "",
    "      %layer = deref_var &layer
      %layer_i = deref_array %layer[%i]
      store_deref %layer_i, %i
      %viewport = deref_var &viewport
      %viewport_i = deref_array %viewport[%i]
      store_deref %viewport_i, %zero
",
);

/// A mesh function of two triangles that cover the image, or of four points.
fn mesh(outputs: MeshOutputs, points: bool, payload: bool) -> String {
    let (declarations, vertex, primitive) = outputs;
    let (topology, count) = if points { ("points", 4) } else { ("triangles", 2) };
    let index = match points {
        true => {
            "      %tri = deref_var &tri\n      %tri_i = deref_array %tri[%i]\n      store_deref %tri_i, %i\n"
        }
        false => {
            "      32x1 %b = iadd %i, %one\n      32x1 %d = iadd %i, %two\n      32x3 %t = vec3 %i, %b, %d\n      %tri = deref_var &tri\n      %tri_i = deref_array %tri[%i]\n      store_deref %tri_i, %t\n"
        }
    };
    let (struct_of, scale) = match payload {
        true => (
            "  struct P { float scale }\n  task_payload P p\n",
            "    %pp = deref_var &p\n    %ps = deref_struct %pp.scale\n    32x1 %scale = load_deref %ps\n    32x3 %g = load_workgroup_id\n    32x1 %gx = mov %g.x\n    32x1 %shift = u2f %gx\n",
        ),
        false => ("", "    32x1 %scale = const 2.0\n    32x1 %shift = const 0.0\n"),
    };
    let ty = if points { "uint" } else { "uvec3" };
    format!(
        r#"foil 1
shader mesh "mesh_main" {{
  form variables
  workgroup_size 4 1 1
  output_primitive {topology}
  max_vertices 4
  max_primitives {count}
{struct_of}  out vec4[4] pos location=position
  out {ty}[{count}] tri location=primitive_indices per_primitive
{declarations}  entry fn main {{
    32x1 %four = const 4
    32x1 %two = const 2
    32x1 %one = const 1
    32x1 %zero = const 0
    32x1 %count = const {count}
    set_mesh_outputs %four, %count
    32x1 %i = load_local_invocation_index
    32x1 %xb = iand %i, %one
    32x1 %yb = ushr %i, %one
    32x1 %xf = u2f %xb
    32x1 %yf = u2f %yb
    32x1 %half = const 0.5
    32x1 %unit = const 1.0
{scale}    32x1 %x2 = fmul %xf, %scale
    32x1 %y2 = fmul %yf, %scale
    32x1 %x1 = fsub %x2, %unit
    32x1 %x = fadd %x1, %shift
    32x1 %y = fsub %y2, %unit
    32x4 %v = vec4 %x, %y, %half, %unit
    %pos = deref_var &pos
    %pi = deref_array %pos[%i]
    store_deref %pi, %v
{vertex}    1x1 %has = ult %i, %count
    if %has {{
{primitive}{index}    }}
  }}
}}
"#
    )
}

/// An object function that starts two threadgroups.
const OBJECT: &str = r#"foil 1
shader task "object_main" {
  form variables
  workgroup_size 1 1 1
  struct P { float scale }
  task_payload P p
  entry fn main {
    32x1 %one = const 1
    32x1 %two = const 2
    32x1 %scale = const 0.75
    %p = deref_var &p
    %s = deref_struct %p.scale
    store_deref %s, %scale
    32x3 %count = vec3 %two, %one, %one
    launch_mesh_workgroups %count
    halt
  }
}
"#;

/// A fragment function that shows the data written by `MESH_DATA`.
const MESH_FRAGMENT: &str = r#"foil 1
shader fragment "fragment_main" {
  form variables
  in vec4 shade location=0
  in uint tint location=3 flat per_primitive
  out vec4 c location=0
  entry fn main {
    %shade = deref_var &shade
    32x4 %s = load_deref %shade
    %tint = deref_var &tint
    32x1 %t = load_deref %tint
    32x1 %n = load_primitive_id
    32x1 %tf = u2f %t
    32x1 %nf = u2f %n
    32x1 %tenth = const 0.1
    32x1 %b = fmul %tf, %tenth
    32x1 %a = fmul %nf, %tenth
    32x1 %x = mov %s.x
    32x1 %y = mov %s.y
    32x4 %v = vec4 %x, %y, %b, %a
    %c = deref_var &c
    store_deref %c, %v
  }
}
"#;

/// A fragment function of one colour.
const PLAIN_FRAGMENT: &str = r#"foil 1
shader fragment "fragment_main" {
  form variables
  out vec4 c location=0
  entry fn main {
    32x4 %v = const 0.25, 0.5, 0.75, 1.0
    %c = deref_var &c
    store_deref %c, %v
  }
}
"#;

fn meshes() -> Vec<Recipe> {
    let make = |name: &str, title: &str, texts: Vec<String>, calls: &[&str]| {
        Recipe::new(3, name, title, Source::Foil(texts), Work::Draw(Box::default())).with(|r| {
            r.calls = calls.iter().map(|&c| c.to_owned()).collect();
            r.family = Some(Family::APPLE7);
        })
    };
    let plain = || PLAIN_FRAGMENT.to_owned();
    let points = (
        "  out float[4] size location=point_size\n",
        "    %size = deref_var &size\n    %size_i = deref_array %size[%i]\n    store_deref %size_i, %six\n",
        "",
    );
    let point_mesh = mesh(points, true, false)
        .replace("32x1 %scale = const 2.0", "32x1 %scale = const 0.75\n    32x1 %six = const 6.0");
    vec![
        make(
            "mesh-data",
            "values of vertices and primitives of a mesh",
            vec![mesh(MESH_DATA, false, false), MESH_FRAGMENT.to_owned()],
            &[
                "air.set_vertex_data_mesh.",
                "air.set_primitive_data_mesh.",
                "air.set_clip_distance_mesh",
                "air.set_primitive_id_mesh",
            ],
        )
        .with_draw(|d| d.mesh = Some(([1, 1, 1], [[0; 3], [4, 1, 1]]))),
        make(
            "mesh-layers",
            "layers and viewports of the primitives of a mesh",
            vec![mesh(MESH_LAYERS, false, false), plain()],
            &["air.set_render_target_array_index_mesh.", "air.set_viewport_array_index_mesh."],
        )
        .with_draw(|d| (d.mesh, d.layers) = (Some(([1, 1, 1], [[0; 3], [4, 1, 1]])), 2)),
        make(
            "mesh-points",
            "sizes of the points of a mesh",
            vec![point_mesh, plain()],
            &["air.set_point_size_mesh"],
        )
        .with_draw(|d| (d.mesh, d.topology) = (Some(([1, 1, 1], [[0; 3], [4, 1, 1]])), Topology::Points)),
        make(
            "object",
            "an object function that starts meshes and gives them a payload",
            vec![OBJECT.to_owned(), mesh(("", "", ""), false, true), plain()],
            &["air.set_threadgroups_per_grid_mesh_properties"],
        )
        .with_draw(|d| d.mesh = Some(([1, 1, 1], [[1, 1, 1], [4, 1, 1]]))),
    ]
}

/// The recipes.
pub fn all() -> Vec<Recipe> {
    let mut list = Vec::new();
    for &(name, operations_of, mode, ulp, calls) in OPERATIONS {
        let recipe = Recipe::new(3, name, name, operations(operations_of), Work::Compute([1, 1, 1]));
        let recipe = with_data(recipe).with(|r| {
            r.fast_math = mode;
            r.calls = calls.iter().map(|&c| c.to_owned()).collect();
        });
        list.push(if ulp > 0 { recipe.ulp(ulp) } else { recipe });
    }
    for &(name, extensions, declarations, body, calls) in KERNELS {
        let text = kernel(extensions, declarations, body);
        list.push(with_data(Recipe::compute(3, name, name, &text)).with(|r| {
            r.calls = calls.iter().map(|&c| c.to_owned()).collect();
            r.family = Some(Family::APPLE4);
        }));
    }
    list.extend(textures());
    for &(name, qualifier, body, samples, calls) in FRAGMENTS {
        let vertex = COVER.replace("out vec2 uv", &format!("{qualifier}out vec2 uv"));
        let text = fragment("", body).replace("in vec2 uv", &format!("{qualifier}in vec2 uv"));
        list.push(
            Recipe::draw(3, name, name, &vertex, &text)
                .with_draw(|d| d.samples = samples)
                .with(|r| r.calls = calls.iter().map(|&c| c.to_owned()).collect()),
        );
    }
    list.extend(meshes());
    let target = |name: &str| if name == "atomic-fence" { "macos15" } else { "macos14" };
    list.into_iter().map(|r| r.with(|r| r.target = target(&r.name).to_owned())).collect()
}
