//! Rules of the language and of the linker that programs outside the corpora broke on, each with its section.
//!
//! The review also listed rules that the front end already followed. Their tests are here too: the reserved words of GLSL ES 3.00,
//! redeclaration with the default precision, lines after `#line`, the case of layout qualifiers, subroutine uniforms in arrays of
//! arrays, locations of members of blocks, `restrict` on buffer references, all compatibility varyings at once, workgroups that
//! are not a whole number of quads, `gl_LastFragData` in ES 1.00, images of `GL_NV_shader_atomic_float`.

use airfoil_glsl::{Program, ProgramOptions, Source, build};
use airfoil_ir::Stage;

/// The stage that a letter denotes.
fn stage(letter: char) -> Stage {
    match letter {
        'v' => Stage::Vertex,
        'g' => Stage::Geometry,
        'f' => Stage::Fragment,
        'c' => Stage::Compute,
        other => panic!("no stage is called {other}"),
    }
}

/// Builds a program; `stages` has a letter per source.
fn program(stages: &str, texts: &[&str], options: &ProgramOptions) -> Result<Program, Vec<String>> {
    assert_eq!(stages.len(), texts.len());
    let sources: Vec<Source<'_>> =
        stages.chars().zip(texts).map(|(s, text)| Source { name: "", stage: stage(s), text }).collect();
    build(&sources, options)
        .map_err(|list| list.iter().map(|d| format!("{} {}", d.code, d.message)).collect())
}

#[track_caller]
fn accepted(stages: &str, texts: &[&str]) -> Program {
    let built = program(stages, texts, &ProgramOptions::default());
    built.unwrap_or_else(|e| panic!("{e:?}\n{}", texts.join("\n")))
}

/// The program fails with a code and a message that contains `words`.
#[track_caller]
fn rejected(stages: &str, texts: &[&str], code: &str, words: &str) {
    let Err(errors) = program(stages, texts, &ProgramOptions::default()) else {
        panic!("accepted:\n{}", texts.join("\n"));
    };
    assert!(errors.iter().any(|e| e.starts_with(code) && e.contains(words)), "{errors:?}");
}

const VERTEX: &str = "#version 430\nvoid main() { gl_Position = vec4(0.0); }";
const ES100_VERTEX: &str = "#version 100\nvoid main() { gl_Position = vec4(0.0); }";
const ES300_VERTEX: &str = "#version 300 es\nvoid main() { gl_Position = vec4(0.0); }";

fn es100(body: &str) -> String {
    format!("#version 100\nprecision mediump float;\n{body}")
}

fn es300(body: &str) -> String {
    format!("#version 300 es\nprecision mediump float;\n{body}")
}

/// GLSL ES 1.00 section 6.1: functions are declared at global scope. GLSL 1.10 alone lacks the rule.
#[test]
fn es100_rejects_local_prototypes() {
    let body =
        "void main() { float f(float x); gl_FragColor = vec4(f(1.0)); }\nfloat f(float x) { return x; }";
    rejected("vf", &[ES100_VERTEX, &es100(body)], "E1009", "GLSL ES 1.00 section 6.1");
    accepted("f", &[&format!("#version 110\n{body}")]);
}

/// GLSL ES 1.00 section 6.1: a structure that is returned contains no array.
#[test]
fn es100_rejects_results_that_contain_arrays() {
    let body = "struct S { float a[2]; }; S f() { S s; return s; } void main() { f(); }";
    rejected("vf", &[ES100_VERTEX, &es100(body)], "E1009", "GLSL ES 1.00 section 6.1");
    accepted("vf", &[ES300_VERTEX, &es300(body)]);
}

/// GLSL ES 1.00 section 3.4.
#[test]
fn es100_rejects_late_extension_directives() {
    let text = es100("#extension GL_OES_standard_derivatives : enable\nvoid main() {}");
    rejected("vf", &[ES100_VERTEX, &text], "E0631", "GLSL ES 1.00 section 3.4");
}

/// Desktop GLSL has the same rule, in section 3.3 of its own specification.
#[test]
fn late_extension_directives_on_desktop_cite_desktop_glsl() {
    let text = "#version 330\nout vec4 c;\n#extension GL_ARB_gpu_shader5 : enable\nvoid main() {}";
    rejected("f", &[text], "E0631", "GLSL 4.60 section 3.3");
}

/// The line after `#line N` is N + 1 before GLSL 3.30 and in GLSL ES 1.00 (section 3.4), and N from then on (section 3.3).
#[test]
fn line_directive_names_the_next_line_by_version() {
    for (version, next) in [("100", 6), ("110", 6), ("300 es", 5), ("330", 5)] {
        let text = |line: i32| {
            format!(
                "#version {version}\n#line 5\n#if __LINE__ != {line}\n#error line __LINE__\n#endif\nvoid main() {{}}"
            )
        };
        let fragment = format!("#version {version}\nvoid main() {{}}");
        accepted("vf", &[&text(next), &fragment]);
        rejected("vf", &[&text(11 - next), &fragment], "E0635", "line");
    }
}

/// GLSL ES 3.00 section 3.8.
#[test]
fn es300_reserves_its_own_words() {
    let words = "attribute varying coherent volatile restrict readonly writeonly resource atomic_uint noperspective patch \
        sample subroutine common partition active asm class union enum typedef template this goto inline noinline public \
        static extern external interface long short double half fixed unsigned superp input output hvec2 dvec3 fvec4 \
        sampler3DRect filter image1D iimageCube uimage2DArray image1DShadow image2DShadow image1DArrayShadow \
        image2DArrayShadow imageBuffer sampler1D usampler1DArray sampler2DRectShadow isamplerBuffer sampler2DMS \
        usampler2DMSArray sizeof cast namespace using";
    let text = |word: &str| es300(&format!("void main() {{ float {word} = 1.0; }}"));
    for word in words.split_whitespace() {
        rejected("vf", &[ES300_VERTEX, &text(word)], "E0703", word);
    }
    // Reserved in other versions.
    for word in
        ["shared", "buffer", "precise", "packed", "samplerCubeArray", "dmat2", "imageCubeArray", "image2DMS"]
    {
        accepted("vf", &[ES300_VERTEX, &text(word)]);
    }
}

/// GLSL ES 3.00 sections 4.5.3 and 6.1: a default precision that is written out is the same one.
#[test]
fn default_precision_is_the_same_declaration() {
    for (first, second) in [
        ("float f(float x);", "mediump float f(mediump float x) { return x; }"),
        ("int f(int x);", "mediump int f(mediump int x) { return x; }"),
        ("float f(sampler2D s);", "float f(lowp sampler2D s) { return 1.0; }"),
    ] {
        accepted("vf", &[ES300_VERTEX, &es300(&format!("{first}\n{second}\nvoid main() {{}}"))]);
    }
    let differs = "float f(float x);\nhighp float f(highp float x) { return x; }\nvoid main() {}";
    rejected("vf", &[ES300_VERTEX, &es300(differs)], "E1009", "other qualifiers");
}

/// GLSL 4.60 section 4.3: objects that initialise one global agree on the value, `const` or not.
#[test]
fn constant_initialisers_of_one_global_agree() {
    let main = "void main() { c = vec4(g + f()); }";
    for kind in ["const float", "float", "uniform float"] {
        let a = format!("#version 430\n{kind} g = 1.0; float f(); out vec4 c; {main}");
        let b = |value: &str| format!("#version 430\n{kind} g = {value}; float f() {{ return g; }}");
        accepted("vff", &[VERTEX, &a, &b("1.0")]);
        rejected("vff", &[VERTEX, &a, &b("2.0")], "E1110", "initial values differ");
    }
}

/// GLSL 4.60 section 4.1.9: within a stage, another declaration gives an array of blocks its size.
#[test]
fn unsized_arrays_of_blocks_take_the_size_of_another_object() {
    for storage in ["uniform", "buffer"] {
        let a = |index: u32| {
            format!(
                "#version 430\n{storage} B {{ float x; }} b[]; float f(); out vec4 c; void main() {{ c = vec4(b[{index}].x + f()); }}"
            )
        };
        let b = format!("#version 430\n{storage} B {{ float x; }} b[3]; float f() {{ return b[2].x; }}");
        accepted("vff", &[VERTEX, &a(1), &b]);
        accepted("vff", &[VERTEX, &b, &a(1)]);
        rejected("vff", &[VERTEX, &a(4), &b], "E1110", "element 4 is used");
    }
    let v = "#version 430\nout B { float x; } b[]; void f(); void main() { gl_Position = vec4(0.0); b[1].x = 1.0; f(); }";
    let w = "#version 430\nout B { float x; } b[3]; void f() { b[2].x = 1.0; }";
    let f = "#version 430\nin B { float x; } b[3]; out vec4 c; void main() { c = vec4(b[1].x); }";
    accepted("vvf", &[v, w, f]);
}

/// GLSL 4.60 section 4.1.9: members without size take the largest index of all objects and stages, or a declared size.
#[test]
fn unsized_members_of_blocks_are_sized_by_use() {
    let first = |index: u32| {
        format!(
            "#version 430\nlayout(std140) uniform B {{ vec4 x[]; vec4 y; }} b; float f(); out vec4 c; void main() {{ c = b.x[{index}] + b.y + f(); }}"
        )
    };
    let second = |size: &str| {
        format!(
            "#version 430\nlayout(std140) uniform B {{ vec4 x[{size}]; vec4 y; }} b; float f() {{ return b.x[3].x; }}"
        )
    };
    for size in ["", "4"] {
        let built = accepted("vff", &[VERTEX, &first(1), &second(size)]);
        assert_eq!(built.reflection.uniform_blocks[0].size, 80, "{size}");
        let vertex = format!(
            "#version 430\nlayout(std140) uniform B {{ vec4 x[{size}]; vec4 y; }} b; void main() {{ gl_Position = b.x[3] + b.y; }}"
        );
        let f = "#version 430\nfloat f() { return 1.0; }";
        let built = accepted("vff", &[&vertex, &first(1), f]);
        assert_eq!(built.reflection.uniform_blocks[0].size, 80, "{size}");
        let array = built.reflection.uniforms.iter().find(|u| u.name == "B.x[0]").unwrap();
        assert_eq!((array.array_size, array.offset), (4, Some(0)));
    }
    rejected("vff", &[VERTEX, &first(5), &second("4")], "E1110", "element 5 is used");
    // The last member of a storage block is sized at run time instead (GLSL 4.60 section 4.1.9).
    let vertex = "#version 430\nbuffer B { vec4 x[]; }; void main() { gl_Position = x[1]; }";
    let fragment = "#version 430\nbuffer B { vec4 x[3]; }; out vec4 c; void main() { c = x[1]; }";
    rejected("vf", &[vertex, fragment], "E1110", "types are");
}

/// GLSL 4.60 section 7.1: stages and objects that redeclare `gl_PerVertex` do it in the same way.
#[test]
fn redeclarations_of_per_vertex_agree() {
    let vertex = |members: &str| {
        format!("#version 430\nout gl_PerVertex {{ {members} }}; void main() {{ gl_Position = vec4(0.0); }}")
    };
    let geometry = "#version 430\nlayout(triangles) in; layout(triangle_strip, max_vertices = 3) out;\n\
        in gl_PerVertex { vec4 gl_Position; } gl_in[]; void main() { gl_Position = gl_in[0].gl_Position; EmitVertex(); }";
    accepted("vg", &[&vertex("vec4 gl_Position;"), geometry]);
    rejected("vg", &[&vertex("vec4 gl_Position; float gl_PointSize;"), geometry], "E1116", "members");
    let other = "#version 430\nout gl_PerVertex { vec4 gl_Position; float gl_PointSize; }; void f() { gl_PointSize = 1.0; }";
    rejected("vv", &[&vertex("vec4 gl_Position;"), other], "E1110", "gl_PerVertex");
    // Arrays without size take theirs from use.
    let sized = "#version 430\nlayout(points) in; layout(points, max_vertices = 1) out;\n\
        in gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[2]; } gl_in[];\n\
        void main() { gl_Position = gl_in[0].gl_Position * gl_in[0].gl_ClipDistance[1]; EmitVertex(); }";
    accepted("vg", &[&vertex("vec4 gl_Position; float gl_ClipDistance[];"), sized]);
}

/// GLSL 4.60 section 4.4.2.2: only stream 0 reaches the fragment shader.
#[test]
fn fragment_inputs_come_from_stream_0() {
    let geometry = |stream: u32| {
        format!(
            "#version 430\nlayout(points) in; layout(points, max_vertices = 3) out; layout(stream = {stream}) out vec4 v;\n\
             void main() {{ gl_Position = vec4(0.0); v = vec4(1.0); EmitStreamVertex({stream}); }}"
        )
    };
    let fragment = "#version 430\nin vec4 v; out vec4 c; void main() { c = v; }";
    accepted("vgf", &[VERTEX, &geometry(0), fragment]);
    rejected("vgf", &[VERTEX, &geometry(1), fragment], "E1116", "vertex stream 1");
    let block = "#version 430\nlayout(points) in; layout(points, max_vertices = 3) out; layout(stream = 1) out B { vec4 v; } b;\n\
        void main() { gl_Position = vec4(0.0); b.v = vec4(1.0); EmitStreamVertex(1); }";
    let reader = "#version 430\nin B { vec4 v; } b; out vec4 c; void main() { c = b.v; }";
    rejected("vgf", &[VERTEX, block, reader], "E1116", "vertex stream 1");
    // Declarations of blocks take the stream that holds where they are.
    let several = "#version 430\nlayout(points) in; layout(points, max_vertices = 3) out;\n\
        layout(stream = 1) out; out A { vec4 a; } x; layout(stream = 0) out; out B { vec4 v; } b;\n\
        void main() { gl_Position = vec4(0.0); b.v = vec4(1.0); EmitStreamVertex(0); x.a = vec4(1.0); EmitStreamVertex(1); }";
    accepted("vgf", &[VERTEX, several, reader]);
}

/// GLSL 4.60 section 4.3.9: members of blocks match by location on both sides or by name on both.
#[test]
fn locations_of_block_members_match() {
    let vertex = |layout: &str| {
        format!(
            "#version 440\nout B {{ {layout} vec4 x; }} b; void main() {{ gl_Position = vec4(0.0); b.x = vec4(1.0); }}"
        )
    };
    let fragment = |layout: &str| {
        format!("#version 440\nin B {{ {layout} vec4 x; }} b; out vec4 c; void main() {{ c = b.x; }}")
    };
    let at = "layout(location = 2)";
    accepted("vf", &[&vertex(at), &fragment(at)]);
    accepted("vf", &[&vertex(""), &fragment("")]);
    rejected("vf", &[&vertex(at), &fragment("")], "E1116", "location");
    rejected("vf", &[&vertex(""), &fragment(at)], "E1116", "location");
}

/// GLSL 4.60 section 4.5 (compatibility profile): colours on both sides have one interpolation, if they are in use.
#[test]
fn interpolation_of_colours_matches() {
    for (output, input) in [
        ("gl_FrontColor", "gl_Color"),
        ("gl_BackColor", "gl_Color"),
        ("gl_FrontSecondaryColor", "gl_SecondaryColor"),
        ("gl_BackSecondaryColor", "gl_SecondaryColor"),
    ] {
        let vertex = |qualifier: &str| {
            format!(
                "#version 130\n{qualifier} out vec4 {output}; void main() {{ gl_Position = vec4(0.0); {output} = vec4(1.0); }}"
            )
        };
        let fragment = |qualifier: &str, value: &str| {
            format!("#version 130\n{qualifier} in vec4 {input}; void main() {{ gl_FragColor = {value}; }}")
        };
        accepted("vf", &[&vertex("flat"), &fragment("flat", input)]);
        accepted("vf", &[&vertex("flat"), &fragment("smooth", "vec4(1.0)")]);
        rejected("vf", &[&vertex("flat"), &fragment("smooth", input)], "E1116", output);
        rejected("vf", &[&vertex("smooth"), &fragment("noperspective", input)], "E1116", output);
    }
}

/// GLSL 4.60 section 4.1.9: the length of an array without size is known when the program is linked.
#[test]
fn length_of_an_array_without_size_is_set_by_linking() {
    let fragment = "#version 430\nfloat a[]; out int c; float f(); void main() { c = a.length() * 1000 + int(f()); a[3] = 1.0; }";
    let other = "#version 430\nfloat a[]; float f() { return a[6]; }";
    let built = accepted("vff", &[VERTEX, fragment, other]);
    let text = airfoil_ir::text::print(&built.shaders[1]);
    assert!(text.contains("7000"), "{text}");
    // Nothing else is constant about it.
    let constant = "#version 430\nfloat a[]; float b[a.length()]; void main() { a[3] = 1.0; }";
    rejected("vf", &[VERTEX, constant], "E1059", "constant expression");
    let before = "#version 420\nfloat a[]; out vec4 c; void main() { a[3] = 1.0; c = vec4(a.length()); }";
    rejected("f", &[before], "E1054", "length()");
}

/// GLSL 4.60 section 4.3.3: derivatives of constants are constant expressions with the value 0.
#[test]
fn derivatives_of_constants_are_constant() {
    let text = "#version 330\nconst vec2 a = dFdx(vec2(1.0, 2.0)) + dFdy(vec2(2.0)) + fwidth(vec2(3.0));\n\
        float b[int(a.y) + 2]; out vec4 c; void main() { c = vec4(b.length()); }";
    accepted("f", &[text]);
    let varying = "#version 330\nin float x; float b[int(dFdx(x)) + 2]; void main() {}";
    rejected("f", &[varying], "E1059", "constant expression");
}

/// GLSL 4.60 section 4.4: the names of layout qualifiers ignore case; in GLSL ES (section 4.3.8) they do not.
#[test]
fn layout_qualifiers_ignore_case_on_desktop() {
    let text = "#version 430\nlayout(Location = 0) out vec4 c; layout(STD140, Binding = 2) uniform B { vec4 x; };\n\
        layout(ORIGIN_UPPER_LEFT) in vec4 gl_FragCoord; void main() { c = x + gl_FragCoord; }";
    let built = accepted("f", &[text]);
    assert_eq!(built.reflection.uniform_blocks[0].binding, Some(2));
    let es = es300("layout(LOCATION = 0) out vec4 c; void main() { c = vec4(1.0); }");
    rejected("vf", &[ES300_VERTEX, &es], "E1007", "unknown layout qualifier");
}

/// GL_EXT_gpu_shader4, section 5.4.1: `unsigned int` is the name of a type, also in a constructor.
#[test]
fn unsigned_int_constructs_values() {
    let text = "#version 120\n#extension GL_EXT_gpu_shader4 : require\nuniform int u; unsigned int f(unsigned int x) { return x; }\n\
        void main() { unsigned int x = unsigned int(u); gl_FragColor = vec4(float(f(unsigned int(2.5)) + x)); unsigned int(u); }";
    accepted("f", &[text]);
}

/// GLSL 4.60 section 4.4.2.1: the offset of a block with 64-bit members is a multiple of 8.
#[test]
fn xfb_offsets_of_blocks_with_doubles_are_multiples_of_8() {
    let vertex = |layout: &str, members: &str| {
        format!(
            "#version 440\nlayout(xfb_buffer = 0, {layout}) out B {{ {members} }} b; void main() {{ gl_Position = vec4(0.0); b.x = 1.0LF; }}"
        )
    };
    accepted("v", &[&vertex("xfb_offset = 8", "double x;")]);
    accepted("v", &[&vertex("xfb_offset = 0", "float y; double x;")]);
    rejected("v", &[&vertex("xfb_offset = 4", "double x;")], "E1007", "multiple of 8");
    rejected("v", &[&vertex("xfb_offset = 4", "float y; double x;")], "E1007", "multiple of 8");
}

/// GLSL 4.60 section 7.1.5: assignments are static, so a function that nothing calls counts.
#[test]
fn static_writes_to_gl_frag_color_and_an_output_exclude_each_other() {
    let text =
        "#version 130\nout vec4 c; void f() { c = vec4(1.0); } void main() { gl_FragColor = vec4(1.0); }";
    rejected("f", &[text], "E1109", "gl_FragColor");
    accepted("f", &["#version 130\nout vec4 c; void main() { gl_FragColor = vec4(1.0); }"]);
}

/// GLSL 4.60 section 6.1.2 with arrays of arrays (section 4.1.9).
#[test]
fn subroutine_uniforms_form_arrays_of_arrays() {
    let text = "#version 430\nsubroutine float T(float x); subroutine uniform T t[2][3];\n\
        subroutine(T) float a(float x) { return x; } subroutine(T) float b(float x) { return x + 1.0; }\n\
        out vec4 c; void main() { c = vec4(t[0][1](1.0) + t[1][2](2.0)); }";
    let built = accepted("f", &[text]);
    let uniforms = &built.reflection.stages[0].subroutine_uniforms;
    let listed: Vec<_> =
        uniforms.iter().map(|u| (u.name.as_str(), u.array_size, u.location, u.offset)).collect();
    assert_eq!(listed, [("t[0][0]", 3, 0, Some(0)), ("t[1][0]", 3, 3, Some(48))]);
}

/// GL_EXT_buffer_reference: memory qualifiers apply to references.
#[test]
fn restrict_qualifies_buffer_references() {
    let text = "#version 450\n#extension GL_EXT_buffer_reference : require\nlayout(buffer_reference) buffer R { float x; };\n\
        layout(push_constant) uniform P { R r; }; void f(restrict R q) { q.x = 1.0; } void main() { restrict R l = r; f(l); }";
    let vulkan = ProgramOptions { vulkan: true, ..ProgramOptions::default() };
    program("c", &[text], &vulkan).unwrap();
}

/// OpenGL 4.6 section 11.1.1 and 11.1.2.1 (compatibility profile): all built-in attributes and varyings fit.
#[test]
fn all_compatibility_varyings_and_attributes_fit() {
    let coords: String = (0..8).map(|i| format!("gl_TexCoord[{i}] = gl_MultiTexCoord{i};")).collect();
    let vertex = format!(
        "#version 120\nvoid main() {{ gl_Position = gl_Vertex + vec4(gl_Normal, 0.0); gl_FrontColor = gl_Color; gl_BackColor = gl_Color;\n\
         gl_FrontSecondaryColor = gl_SecondaryColor; gl_BackSecondaryColor = gl_SecondaryColor; gl_FogFragCoord = gl_FogCoord;\n\
         gl_PointSize = 1.0; gl_ClipVertex = gl_Vertex; {coords} }}"
    );
    let sum: String = (0..8).map(|i| format!(" + gl_TexCoord[{i}]")).collect();
    let fragment = format!(
        "#version 120\nvoid main() {{ gl_FragColor = gl_Color + gl_SecondaryColor + gl_FogFragCoord{sum}; }}"
    );
    accepted("vf", &[&vertex, &fragment]);
}

/// GL_KHR_compute_shader_derivatives: workgroups consist of whole groups.
#[test]
fn derivative_groups_are_whole() {
    let text = |size: &str, group: &str| {
        format!(
            "#version 450\n#extension GL_KHR_compute_shader_derivatives : require\nlayout({size}, {group}) in; void main() {{}}"
        )
    };
    rejected("c", &[&text("local_size_x = 3", "derivative_group_linearKHR")], "E1007", "multiple of 4");
    let quads = "derivative_group_quadsKHR";
    rejected("c", &[&text("local_size_x = 4, local_size_y = 3", quads)], "E1007", "even workgroup size");
    accepted("c", &[&text("local_size_x = 2, local_size_y = 2", quads)]);
}

/// GL_EXT_shader_framebuffer_fetch in GLSL ES 1.00.
#[test]
fn es100_reads_gl_last_frag_data() {
    let text = "#version 100\n#extension GL_EXT_shader_framebuffer_fetch : require\nprecision mediump float;\n\
        void main() { gl_FragColor = gl_LastFragData[0]; }";
    accepted("vf", &[ES100_VERTEX, text]);
}

/// GL_NV_shader_atomic_float adds and exchanges floats in images.
#[test]
fn nv_shader_atomic_float_has_images() {
    let text = "#version 430\n#extension GL_NV_shader_atomic_float : require\nlayout(local_size_x = 1) in; layout(r32f) uniform image2D i;\n\
        void main() { imageAtomicAdd(i, ivec2(0), 1.0); imageAtomicExchange(i, ivec2(0), 1.0); }";
    accepted("c", &[text]);
}

/// Compiles a program to a library.
#[track_caller]
fn compiled(stages: &str, texts: &[&str]) -> airfoil::Output {
    let sources: Vec<Source<'_>> =
        stages.chars().zip(texts).map(|(s, text)| Source { name: "", stage: stage(s), text }).collect();
    let compiler = airfoil::Compiler::new(airfoil::CompileOptions::default());
    compiler.compile_glsl(&sources, &ProgramOptions::default()).unwrap_or_else(|e| panic!("{e}"))
}

/// GLSL 4.60 sections 7.1.4 and 7.1.5: the geometry shader selects the layer and the viewport, the fragment shader reads them.
#[test]
fn layers_of_geometry_shaders_reach_the_fragment_shader() {
    use airfoil::air::select::InterfaceRole;
    let geometry = "#version 450\nlayout(points) in; layout(points, max_vertices = 1) out;
        void main() { gl_Layer = 2; gl_ViewportIndex = 1; gl_Position = vec4(0.0); EmitVertex(); }";
    let fragment = "#version 450\nout vec4 o; void main() { o = vec4(gl_Layer, gl_ViewportIndex, 0, 1); }";
    let output = compiled("vgf", &[VERTEX, geometry, fragment]);
    let written = &output.function(Stage::Geometry).unwrap().reflection.outputs;
    for role in [InterfaceRole::RenderTargetArrayIndex, InterfaceRole::ViewportArrayIndex] {
        assert!(written.iter().any(|v| v.role == role), "{written:?}");
    }
}

/// GL_ARB_shader_ballot: masks of 64 bits.
#[test]
fn arb_subgroup_masks_are_compiled() {
    let text = "#version 450\n#extension GL_ARB_shader_ballot : require\n#extension GL_ARB_gpu_shader_int64 : require
        layout(local_size_x = 32) in; layout(std430, binding = 0) buffer B { uint64_t m[]; };
        void main() { m[gl_LocalInvocationIndex] = gl_SubGroupEqMaskARB | gl_SubGroupGeMaskARB | gl_SubGroupGtMaskARB
            | gl_SubGroupLeMaskARB | gl_SubGroupLtMaskARB; }";
    compiled("c", &[text]);
}

/// GLSL 4.60 section 4.4.1: a double at component 2 passes through a geometry shader.
#[test]
fn doubles_with_a_component_pass_through_geometry_shaders() {
    let vertex = "#version 450\nlayout(location = 0, component = 2) out double a;
        void main() { gl_Position = vec4(0.0); a = 1.0lf; }";
    let geometry = "#version 450\nlayout(points) in; layout(points, max_vertices = 1) out;
        layout(location = 0, component = 2) in double a[]; layout(location = 0, component = 2) flat out double b;
        void main() { b = a[0]; gl_Position = vec4(0.0); EmitVertex(); }";
    let fragment = "#version 450\nlayout(location = 0, component = 2) flat in double b; out vec4 o;
        void main() { o = vec4(b); }";
    let output = compiled("vgf", &[vertex, geometry, fragment]);
    let inputs = &output.function(Stage::Fragment).unwrap().reflection.inputs;
    let name: Vec<_> = inputs.iter().map(|v| (&*v.name, &*v.type_name)).collect();
    assert_eq!(name, [("user(locn0_2)", "uint2")]);
}

/// GL_EXT_shader_framebuffer_fetch in GLSL ES 1.00, down to a library.
#[test]
fn es100_compiles_reads_of_gl_last_frag_data() {
    let text = "#version 100\n#extension GL_EXT_shader_framebuffer_fetch : require\nprecision mediump float;\n\
        void main() { gl_FragColor = gl_LastFragData[0] * 0.5; }";
    compiled("vf", &[ES100_VERTEX, text]);
}

/// All compatibility varyings and attributes at once, down to a library.
#[test]
fn all_compatibility_varyings_are_compiled() {
    let coords: String = (0..8).map(|i| format!("gl_TexCoord[{i}] = gl_MultiTexCoord{i};")).collect();
    let vertex = format!(
        "#version 120\nvoid main() {{ gl_Position = gl_Vertex + vec4(gl_Normal, 0.0); gl_FrontColor = gl_Color; gl_BackColor = gl_Color;\n\
         gl_FrontSecondaryColor = gl_SecondaryColor; gl_BackSecondaryColor = gl_SecondaryColor; gl_FogFragCoord = gl_FogCoord;\n\
         gl_PointSize = 1.0; gl_ClipVertex = gl_Vertex; {coords} }}"
    );
    let sum: String = (0..8).map(|i| format!(" + gl_TexCoord[{i}]")).collect();
    let fragment = format!(
        "#version 120\nvoid main() {{ gl_FragColor = gl_Color + gl_SecondaryColor + gl_FogFragCoord{sum}; }}"
    );
    let output = compiled("vf", &[&vertex, &fragment]);
    let inputs = &output.function(Stage::Fragment).unwrap().reflection.inputs;
    assert!(inputs.len() >= 11, "{inputs:?}");
}

/// A demotion next to a barrier of the subgroup that some invocations skip.
#[test]
fn demotion_beside_a_divergent_subgroup_barrier_is_compiled() {
    let text = "#version 450\n#extension GL_EXT_demote_to_helper_invocation : require
        #extension GL_KHR_shader_subgroup_basic : require
        layout(location = 0) in float a; layout(location = 0) out vec4 o;
        layout(std430, binding = 0) buffer B { uint m[]; };
        void main() {
            if (a > 0.5) demote;
            if (a > 0.2) { m[0] = 1u; subgroupBarrier(); m[1] = m[0]; }
            o = vec4(helperInvocationEXT());
        }";
    compiled("f", &[text]);
}

/// More textures or samplers than Metal has indices for are bound through argument buffers, as the reflection specifies.
#[test]
fn resources_beyond_the_indices_of_metal_are_in_argument_buffers() {
    use airfoil::air::select::ArgumentKind;
    let compile = |textures: usize, samplers: usize| {
        let list = |kind: &str, count: usize, set: u32| -> String {
            (0..count)
                .map(|i| format!("layout(set = {set}, binding = {i}) uniform {kind} {kind}{i};\n"))
                .collect()
        };
        let sum: String = (0..textures.max(samplers))
            .map(|i| {
                let (t, s) = (i % textures, i % samplers);
                format!("o += texture(sampler2D(texture2D{t}, sampler{s}), vec2(0.5));\n")
            })
            .collect();
        let text = format!(
            "#version 450\nlayout(location = 0) out vec4 o;\n{}{}void main() {{ o = vec4(0.0);\n{sum} }}",
            list("texture2D", textures, 0),
            list("sampler", samplers, 1)
        );
        let sources = [Source { name: "", stage: Stage::Fragment, text: &text }];
        let program = ProgramOptions { vulkan: true, ..ProgramOptions::default() };
        let compiler = airfoil::Compiler::new(airfoil::CompileOptions::default());
        let output = compiler.compile_glsl(&sources, &program).unwrap_or_else(|e| panic!("{e}"));
        let arguments = &output.functions[0].reflection.arguments;
        arguments.iter().filter(|a| a.kind == ArgumentKind::ArgumentBuffer).count()
    };
    assert_eq!(compile(128, 16), 0);
    assert_eq!(compile(129, 1), 2);
    assert_eq!(compile(1, 17), 2);
}
