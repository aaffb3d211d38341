//! Global variables, interfaces, uniforms.

use super::{lower_all, messages, same, shader};
use crate::link::LinkOptions;
use airfoil_ir::{Modes, Shader, Slot, Stage, SystemValue, Type, Variable};

fn var<'s>(shader: &'s Shader, name: &str) -> &'s Variable {
    let found = shader.vars.values().find(|v| &*v.name == name);
    found.unwrap_or_else(|| panic!("no variable {name}\n{}", airfoil_ir::text::print(shader)))
}

#[test]
fn global_variables_and_their_initial_values() {
    let g = "int a = 3; int b = a + nothing() + 1; const int c[3] = int[](4, 5, 6); struct S { float x; int y[2]; }; S s = S(1.5, int[](7, 8)); mat2 m = mat2(3);
    void bump() { a += 10; s.y[1] += 1; }";
    same(
        g,
        "bump(); r[0] = a; r[1] = b; r[2] = c[nothing() + 2]; fl[0] = s.x; r[3] = s.y[nothing() + 1]; fl[1] = m[1][1]; r[4] = s.y[0];",
        "r[0] = 13; r[1] = 4; r[2] = 6; fl[0] = 1.5; r[3] = 9; fl[1] = 3.0; r[4] = 7;",
    );
}

#[test]
fn equal_constants_share_a_variable() {
    let s = shader(
        Stage::Vertex,
        "#version 450\nin int i; out int o; const int a[3] = int[](1, 2, 3); void main() { o = a[i] + a[i + 1] + int[](1, 2, 3)[i]; for (int j = 0; j < 3; ++j) o += a[j]; }",
    );
    assert_eq!(s.vars.values().filter(|v| v.mode == Modes::SHADER_TEMP).count(), 1);
}

#[test]
fn default_block() {
    let s = shader(
        Stage::Fragment,
        "#version 330\nuniform float a; uniform vec3 b[2]; uniform mat3 c; uniform bool d; uniform sampler2D t[2]; uniform struct { float x; sampler2D s; vec2 y; } e; out vec4 o; void main() { o = vec4(a + b[1].x + c[2].y + float(d) + e.y.x) + texture(t[1], b[0].xy) + texture(e.s, b[0].xy); }",
    );
    let block = var(&s, "gl_DefaultUniforms");
    assert_eq!(block.mode, Modes::UBO);
    let Type::Struct(st) = &s.types[block.ty] else { panic!("no structure") };
    let members: Vec<_> = st.members.iter().map(|m| (&*m.name, m.offset.unwrap_or(99))).collect();
    assert_eq!(members, [("a", 0), ("b", 16), ("c", 48), ("d", 96), ("e", 112)]);
    assert_eq!(var(&s, "t").mode, Modes::UNIFORM);
    assert!(var(&s, "e.s").binding.is_some_and(|b| b != var(&s, "t").binding.unwrap_or(b)));
}

#[test]
fn interfaces() {
    let vertex = "#version 450\nlayout(location = 2) in vec4 a; in mat2 m; out Block { flat int i; vec3 w[2]; } b; noperspective out vec2 n; void main() { gl_Position = a; gl_PointSize = m[0].x; gl_ClipDistance[1] = a.x; gl_ClipDistance[0] = 0.0; b.i = gl_VertexID; b.w[1] = vec3(gl_InstanceID); n = a.xy; }";
    let fragment = "#version 450\nin Block { flat int i; vec3 w[2]; } c; noperspective in vec2 n; layout(location = 0, index = 1) out vec4 o; layout(location = 0, index = 0) out vec4 u; void main() { o = vec4(c.w[1] + n.xyy, c.i) + gl_FragCoord; u = vec4(gl_FrontFacing); gl_FragDepth = 0.5; }";
    let shaders =
        match lower_all(&[(Stage::Vertex, vertex), (Stage::Fragment, fragment)], &LinkOptions::default()) {
            Ok(shaders) => shaders,
            Err(errors) => panic!("{}", messages(&errors)),
        };
    let (v, f) = (&shaders[0], &shaders[1]);
    assert_eq!(var(v, "a").location, Slot::generic(2));
    assert_eq!(var(v, "gl_Position").location, Some(Slot::POSITION));
    assert_eq!(var(v, "gl_ClipDistance").location, Some(Slot::CLIP_DIST0));
    assert_eq!(var(v, "gl_VertexID").system_value, Some(SystemValue::vertex_id));
    for name in ["Block.i", "Block.w", "n"] {
        let (out, input) = (var(v, name), var(f, name));
        assert_eq!((out.location, out.mode, input.mode), (input.location, Modes::OUT, Modes::IN), "{name}");
        assert_eq!(out.interpolation, input.interpolation, "{name}");
    }
    assert_eq!((var(f, "o").location, var(f, "o").index), (Slot::generic(0), 1));
    assert_eq!(var(f, "gl_FragDepth").location, Some(Slot::DEPTH));
}

#[test]
fn per_vertex_arrays() {
    let control = "#version 450\nlayout(vertices = 3) out; in vec4 a[]; out vec4 b[]; patch out vec2 p; void main() { gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position; b[gl_InvocationID] = a[gl_InvocationID]; p = vec2(1); gl_TessLevelOuter[1] = 2.0; gl_TessLevelInner[0] = 3.0; }";
    let s = shader(Stage::TessControl, control);
    assert_eq!(s.info.patch_vertices_out, 3);
    assert!(var(&s, "p").patch && var(&s, "gl_TessLevelOuter").patch);
    let geometry = "#version 450\nlayout(triangles) in; layout(line_strip, max_vertices = 4) out; in B { vec4 c; } b[]; layout(stream = 0) out vec4 o; void main() { for (int i = 0; i < 3; ++i) { gl_Position = gl_in[i].gl_Position; o = b[i].c; EmitVertex(); } EndPrimitive(); }";
    let s = shader(Stage::Geometry, geometry);
    assert_eq!((s.info.max_vertices, s.info.invocations), (4, 1));
    let ty = var(&s, "B.c").ty;
    assert!(matches!(s.types[ty], Type::Array { len: 3, .. }));
}

#[test]
fn compatibility() {
    let fragment = "#version 120\nvarying vec2 uv; uniform sampler2D t; void main() { gl_FragColor = gl_Color * texture2D(t, uv) * gl_TexCoord[0] + gl_Fog.color + gl_LightSource[2].diffuse; }";
    let s = shader(Stage::Fragment, fragment);
    assert_eq!(var(&s, "gl_FragColor").location, Some(Slot::FRAG_COLOR));
    assert_eq!(var(&s, "gl_Color").location, Some(Slot::COLOR0));
    let vertex = "#version 120\nvoid main() { gl_Position = gl_ModelViewProjectionMatrix * gl_Vertex; gl_FrontColor = gl_Color; gl_TexCoord[0] = gl_TextureMatrix[0] * gl_MultiTexCoord0; }";
    let s = shader(Stage::Vertex, vertex);
    assert_eq!(var(&s, "gl_TexCoord").location, Some(Slot::TEX0));
    shader(
        Stage::Fragment,
        "#version 120\nvoid main() { gl_FragData[0] = vec4(1); gl_FragData[1] = gl_FragCoord; }",
    );
    shader(
        Stage::Fragment,
        "#version 100\nprecision mediump float; varying lowp vec4 c; void main() { if (c.a < 0.5) discard; gl_FragColor = c; }",
    );
}

#[test]
fn tessellation_levels_share_a_slot() {
    let control = "#version 450\nlayout(vertices = 3) out; void main() { gl_TessLevelOuter[3] = 1.0; gl_TessLevelInner[1] = 2.0; }";
    let s = shader(Stage::TessControl, control);
    for (name, slot) in
        [("gl_TessLevelOuter", Slot::TESS_LEVEL_OUTER), ("gl_TessLevelInner", Slot::TESS_LEVEL_INNER)]
    {
        let var = var(&s, name);
        assert_eq!((var.location, var.compact, var.patch), (Some(slot), true, true));
    }
}

#[test]
fn built_ins_of_other_shapes() {
    shader(
        Stage::Fragment,
        "#version 450\nout vec4 o; void main() { gl_SampleMask[0] = gl_SampleMaskIn[0] & gl_SampleID; o = vec4(gl_SamplePosition, gl_PointCoord); }",
    );
    shader(
        Stage::Fragment,
        "#version 450\n#extension GL_ARB_shader_ballot : require\n#extension GL_ARB_gpu_shader_int64 : require\nout vec4 o; void main() { o = vec4(float(gl_SubGroupLtMaskARB >> 1), gl_SubGroupInvocationARB, 0, 0); }",
    );
    shader(
        Stage::Compute,
        "#version 450\nlayout(local_size_x = 8) in; layout(std430, binding = 0) buffer B { uint x[]; }; void main() { x[gl_GlobalInvocationID.x] = gl_WorkGroupSize.x + gl_LocalInvocationIndex + gl_NumWorkGroups.y; }",
    );
    shader(
        Stage::Fragment,
        "#version 100\n#extension GL_EXT_shader_framebuffer_fetch : require\nprecision mediump float; void main() { gl_FragColor = gl_LastFragData[0] * 0.5; }",
    );
}
