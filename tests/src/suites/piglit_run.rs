//! `piglit`: `.shader_test` files are linked as they expect, and their commands are run.

use super::airfoil_build::parse_version;
use super::build::{self, Builder, Link, Request, Source};
use crate::engine::columns;
use crate::engine::levels::{Chance, Levels, at_each};
use crate::engine::outputs::Outputs;
use crate::engine::{Engine, EngineKind};
use crate::gl::program::{How, build};
use crate::piglit::command::Command;
use crate::piglit::exec::{self, Stop};
use crate::piglit::parser;
use crate::piglit::script::{Requirement, Script};
use crate::report::{Answer, Verdict};
use airfoil::{OptLevel, Stage};

/// Extensions of the API, not of the language: their features are available, or the commands that use them are skipped
/// by name.
const API_EXTENSIONS: &[&str] = &[
    "GL_ARB_separate_shader_objects",
    "GL_ARB_program_interface_query",
    "GL_ARB_internalformat_query",
    "GL_ARB_vertex_buffer_object",
    "GL_ARB_vertex_attrib_64bit",
    "GL_EXT_transform_feedback",
    "GL_ARB_framebuffer_object",
    "GL_EXT_provoking_vertex",
    "GL_ARB_texture_float",
    "GL_ARB_clear_buffer_object",
    "GL_ARB_draw_instanced",
    "GL_ARB_get_program_binary",
    "GL_ARB_geometry_shader",
    "GL_NV_fill_rectangle",
];

/// The fixed-function partner of a stage that is alone.
const FIXED: &[(Stage, (Stage, &str))] = &[
    (
        Stage::Fragment,
        (
            Stage::Vertex,
            "#version 120\nvoid main() { gl_Position = ftransform(); gl_FrontColor = gl_Color;\n\
            gl_FrontSecondaryColor = gl_SecondaryColor; gl_TexCoord[0] = gl_MultiTexCoord0; }",
        ),
    ),
    (Stage::Vertex, (Stage::Fragment, "#version 120\nvoid main() { gl_FragColor = gl_Color; }")),
];

/// The group that a file is counted with.
pub fn group(path: &str, text: &str) -> &'static str {
    let has = |what: &str| text.contains(what);
    if path.contains("generated") && path.contains("built-in-functions") {
        "generated built-ins"
    } else if path.contains("generated") {
        "generated others"
    } else if has("link error") || has("link success") {
        "link"
    } else if has("[compute shader") {
        "compute"
    } else if has("[tessellation") {
        "tessellation"
    } else if has("[geometry shader") {
        "geometry"
    } else if has("spirv]") {
        "spirv"
    } else if has("\ntexture ") || has("\nimage ") || has("\nfb ") {
        "textures"
    } else if has("\nssbo ") || has("\natomic ") || has("\nubo ") || has("\nblock ") {
        "buffers"
    } else if has("\nuniform ") {
        "vs+fs uniform"
    } else {
        "vs+fs plain"
    }
}

/// Runs a file.
pub fn run(text: &str, builder: &dyn Builder, levels: Levels, engine: &Engine) -> Answer {
    let run = |levels, engine: &Engine| {
        try_run(text, builder, levels, engine).map_or_else(Verdict::from, |()| Verdict::Passed)
    };
    Answer::plain(match engine.kind {
        EngineKind::Vulkan => columns::glsl(engine, |level, engine| run(Levels::One(level), engine)),
        EngineKind::Interp | EngineKind::Air => run(levels, engine),
    })
}

fn try_run(text: &str, builder: &dyn Builder, levels: Levels, engine: &Engine) -> Result<(), Stop> {
    let script = parser::parse(text).map_err(Stop::Fail)?;
    check(&script, builder)?;
    let expected = script.commands.iter().find_map(|(_, c)| match c {
        Command::LinkError => Some(false),
        Command::LinkSuccess => Some(true),
        _ => None,
    });
    if engine.kind == EngineKind::Vulkan && script.commands.len() <= 1 && expected.is_some() {
        return Err(Stop::Skip("nothing is executed: the program is only linked".into()));
    }
    if expected == Some(false) {
        return link_error(&script, builder);
    }
    let mut sources: Vec<(Stage, &str)> = script.shaders.iter().map(|(s, t)| (*s, t.as_str())).collect();
    if let [(stage, _)] = sources[..]
        && let Some((_, fixed)) = FIXED.iter().find(|(replaces, _)| *replaces == stage)
        && script.version.as_deref().is_none_or(|v| v < "130" && v != "100")
    {
        sources.push(*fixed);
    }
    let default_version = parse_version(script.version.as_deref().unwrap_or("110"));
    let only_links = expected == Some(true) && script.commands.len() == 1;
    let depth_mode = exec::depth_mode(&script)?;
    let run = |level: OptLevel, chance: Chance| {
        let separable = script.separable;
        let how = How {
            target: engine.code(),
            default_version,
            level,
            separable,
            only_links,
            depth_mode,
            planes: script.clip_planes(),
            ..How::default()
        };
        let linked = build(&sources, how).map_err(Stop::Fail)?;
        if only_links { Ok(Outputs::default()) } else { exec::run(&script, &linked, chance, engine) }
    };
    let say = |stop: Stop, at: &str| match stop {
        Stop::Fail(reason) => Stop::Fail(format!("{at}{reason}")),
        skip => skip,
    };
    at_each(levels, run, say, Stop::Fail)
}

/// Requirements of the script that are not met, and unsupported commands: such a script is not run.
fn check(script: &Script, builder: &dyn Builder) -> Result<(), Stop> {
    let es = script.version.as_deref().is_some_and(|v| v == "100" || v.ends_with(" es"));
    let there = |name: &str| API_EXTENSIONS.contains(&name) || builder.supports_extension(name, es);
    for requirement in &script.requirements {
        let reason = match requirement {
            Requirement::Extension(name) if !there(name) => format!("needs {name}"),
            Requirement::Without(name) if there(name) => format!("is for implementations without {name}"),
            Requirement::SpirvOnly => "shaders in SPIR-V".into(),
            Requirement::Unknown(line) => format!("requires `{line}`"),
            _ => continue,
        };
        return Err(Stop::Skip(reason));
    }
    if let Some(section) = &script.foreign {
        return Err(Stop::Skip(format!("the section [{section}]")));
    }
    if script.has_includes {
        return Err(Stop::Skip("shaders that are included".into()));
    }
    if script.shaders.is_empty() {
        let reason = if script.has_spirv { "shaders in SPIR-V" } else { "no shaders" };
        return Err(Stop::Skip(reason.into()));
    }
    for (_, command) in &script.commands {
        if let Command::Unsupported(name) = command {
            return Err(Stop::Skip(format!("the command `{name}`")));
        }
    }
    Ok(())
}

fn link_error(script: &Script, builder: &dyn Builder) -> Result<(), Stop> {
    let source = |(stage, text): &(Stage, String)| Source { stage: *stage, text: text.clone() };
    let request = Request {
        sources: script.shaders.iter().map(source).collect(),
        default_version: script.version.clone(),
        link: if script.separable { Link::Separable } else { Link::Yes },
        ..Request::default()
    };
    match builder.build(&request) {
        build::Verdict::LinkError { .. } => Ok(()),
        build::Verdict::Ok => Err(Stop::Fail("links, which is expected to fail".into())),
        other => Err(Stop::Fail(format!("refused before link: {}", other.summary()))),
    }
}

#[cfg(test)]
mod tests {
    use super::super::airfoil_build;
    use super::*;

    fn verdict(text: &str) -> Verdict {
        let builder = airfoil_build::open().unwrap();
        run(text, builder.as_ref(), Levels::Both, &Engine::default()).verdict
    }

    const DRAW: &str = "[require]\nGLSL >= 1.30\nSIZE 8 8\n[vertex shader passthrough]\n[fragment shader]\n\
        uniform vec2 a; uniform bool b; out vec4 o; void main() { o = vec4(a, b ? 1.0 : 0.0, 1.0); }\n[test]\n\
        clear color 0 0 0 0\nclear\nuniform vec2 a np.float32(0.25) 0.5\nuniform int b 1\ndraw rect ortho 0 0 4 4\n\
        probe rect rgba (0, 0, 4, 4) (0.25, 0.5, 1, 1)\nrelative probe rgb (0.75, 0.75) (0, 0, 0)\n";

    #[test]
    fn rectangles_are_drawn_and_probed() {
        assert_eq!(verdict(DRAW), Verdict::Passed);
        let wrong = verdict(&DRAW.replace("(0.25, 0.5,", "(0.3, 0.5,"));
        assert!(
            matches!(&wrong, Verdict::Failed(r) if r.starts_with("at O0: line 13: pixel 0, 0 is [0.25")),
            "{wrong:?}"
        );
        assert_eq!(verdict(&format!("{DRAW}fly\n")), Verdict::Skipped("the command `fly`".into()));
    }

    #[test]
    fn depth_modes_and_filled_rectangles() {
        let text = "[require]\nGLSL >= 1.10\n[fragment shader]\nuniform sampler2DShadow tex;\n\
            void main() { gl_FragColor = shadow2D(tex, vec3(0.0, 0.0, REFERENCE)); }\n\
            [vertex data]\ngl_Vertex/float/2\n-1 -1\n1 -1\n-1 1\n[test]\nuniform int tex 0\n\
            texture shadow2D 0 (4, 4)\ntexparameter 2D depth_mode MODE\ntexparameter 2D compare_func greater\n\
            polygon mode GL_FRONT_AND_BACK GL_FILL_RECTANGLE_NV\ndraw arrays GL_TRIANGLES 0 3\nprobe all rgba COLOR\n";
        let with = |mode: &str, reference: &str, color: &str| {
            text.replace("MODE", mode).replace("REFERENCE", reference).replace("COLOR", color)
        };
        // The texel is 0.
        for (mode, near, far) in [
            ("luminance", "1 1 1 1", "0 0 0 1"),
            ("intensity", "1 1 1 1", "0 0 0 0"),
            ("alpha", "0 0 0 1", "0 0 0 0"),
            ("red", "1 0 0 1", "0 0 0 1"),
        ] {
            assert_eq!(verdict(&with(mode, "1.0", near)), Verdict::Passed, "{mode}");
            assert_eq!(verdict(&with(mode, "0.0", far)), Verdict::Passed, "{mode}");
        }
        let triangle = with("red", "1.0", "1 0 0 1").replace("GL_FILL_RECTANGLE_NV", "GL_FILL");
        assert!(matches!(verdict(&triangle), Verdict::Failed(_)));
        assert!(matches!(verdict(&with("deep", "1.0", "1 1 1 1")), Verdict::Skipped(_)));
    }

    #[test]
    fn fixed_functions_stand_beside_lone_stages() {
        let text = "[require]\nGLSL >= 1.10\n[fragment shader]\nvoid main() { gl_FragColor = gl_Color * 0.5; }\n[test]\n\
            draw rect -1 -1 2 2\nprobe all rgba 0.5 0.5 0.5 0.5\n";
        assert_eq!(verdict(text), Verdict::Passed);
    }

    #[test]
    fn compute_and_links() {
        let compute = "[require]\nGLSL >= 4.30\n[compute shader]\nlayout(local_size_x = 4) in; layout(std430) buffer B { uint v[]; };\n\
            void main() { v[gl_GlobalInvocationID.x] *= 3u; }\n[test]\nssbo 0 16\nssbo 0 subdata uint 4 5\n\
            compute 1 1 1\nprobe ssbo uint 0 4 == 15\n";
        assert_eq!(verdict(compute), Verdict::Passed);
        let links = "[require]\nGLSL >= 1.30\n[vertex shader]\nvoid main() { gl_Position = vec4(0); }\n[fragment shader]\n\
            in vec4 c; out vec4 o; void main() { o = c; }\n[test]\nlink error\n";
        assert_eq!(verdict(links), Verdict::Passed);
        assert!(matches!(verdict(&links.replace("error", "success")), Verdict::Failed(_)));
    }

    #[test]
    fn patches_and_vertex_data() {
        let text = "[require]\nGLSL >= 4.00\nSIZE 4 4\n[vertex shader]\nin vec2 p; in uvec2 n; flat out uint k; void main() { gl_Position = vec4(p, 0, 1); k = n.y; }\n\
            [tessellation control shader]\nlayout(vertices = 3) out; flat in uint k[]; out uint q[]; void main() { q[gl_InvocationID] = k[gl_InvocationID];\n\
            gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position; gl_TessLevelOuter = float[4](1.0, 2.0, 3.0, 0.0); gl_TessLevelInner[0] = 4.0; }\n\
            [tessellation evaluation shader]\nlayout(triangles) in; in uint q[]; flat out uint c; void main() { c = q[0] + q[1] + q[2];\n\
            gl_Position = gl_TessCoord.x * gl_in[0].gl_Position + gl_TessCoord.y * gl_in[1].gl_Position + gl_TessCoord.z * gl_in[2].gl_Position; }\n\
            [fragment shader]\nflat in uint c; out vec4 o; void main() { o = vec4(c == 9u); }\n\
            [vertex data]\np/float/vec2 n/uint/uvec2\n-1 -1 7 2\n3 -1 7 3\n-1 3 7 4\n\
            [test]\nclear\ndraw arrays GL_PATCHES 0 3\nprobe all rgba 1 1 1 1\n";
        assert_eq!(verdict(text), Verdict::Passed);
    }

    #[test]
    fn feedback_is_captured_and_queries_are_answered() {
        let text = "[require]\nGLSL >= 4.50\n[vertex shader]\n#version 450\nlayout(xfb_buffer = 0, xfb_offset = 4) out vec2 a; uniform float u; layout(std430, binding = 0) buffer B { vec4 b; };\n\
            void main() { gl_Position = b; a = vec2(u, gl_VertexID); }\n[fragment shader]\nvoid main() {}\n[test]\nssbo 0 16\nuniform float 0 2.5\nxfb buffer object 0 64\n\
            xfb draw arrays GL_POINTS 0 2\nverify query_object GL_PRIMITIVES_GENERATED 2\nverify program_query GL_ACTIVE_UNIFORMS 1\n\
            verify program_interface_query GL_SHADER_STORAGE_BLOCK B GL_BUFFER_DATA_SIZE 16\nprobe xfb buffer float 0 1 2.5\nprobe xfb buffer float 0 2 0.0\nprobe xfb buffer float 0 5 1.0\n";
        assert_eq!(verdict(text), Verdict::Passed);
        for (from, to) in [("0 5 1.0", "0 5 2.0"), ("GENERATED 2", "GENERATED 3"), ("SIZE 16", "SIZE 32")] {
            assert!(matches!(verdict(&text.replace(from, to)), Verdict::Failed(_)), "{to}");
        }
    }

    #[test]
    fn textures_have_their_content_and_subroutines_are_chosen() {
        let text = "[require]\nGLSL >= 4.00\nSIZE 4 4\n[vertex shader passthrough]\n[fragment shader]\nuniform sampler2D t; uniform isampler2D i; uniform sampler1DArrayShadow s; out vec4 o;\n\
            subroutine float F(); subroutine(F) float one() { return 1.0; } subroutine(F) float two() { return 2.0; } subroutine uniform F f[2];\n\
            void main() { o = vec4(textureLod(t, vec2(0), 1.0).g, texelFetch(i, ivec2(1, 1), 0).r / 10.0, texture(s, vec3(1.0, 0.0, 0.5)), f[1]() / 2.0); }\n\
            [test]\ntexture miptree 0\ntexture integer 1 (2, 2) (3, 1) GL_R32I\ntexture shadow1DArray 2 (8, 1)\ntexparameter 1DArray compare_func less\n\
            uniform int t 0\nuniform int i 1\nuniform int s 2\nsubuniform GL_FRAGMENT_SHADER f[0] two\nsubuniform GL_FRAGMENT_SHADER f[1] one\ndraw rect -1 -1 2 2\nprobe all rgba 1 0.5 1 0.5\n";
        assert_eq!(verdict(text), Verdict::Passed);
        assert!(matches!(verdict(&text.replace("f[1] one", "f[1] two")), Verdict::Failed(_)));
        assert!(matches!(verdict(&text.replace("f[1] one", "f[2] one")), Verdict::Failed(_)));
    }

    #[test]
    fn planes_and_cull_distances_reach_metal() {
        if !airfoil_cpu::ENGINE {
            return;
        }
        let planes = "[require]\nGLSL >= 1.20\nSIZE 8 8\n[vertex shader]\nvoid main() { gl_Position = gl_Vertex; gl_ClipVertex = gl_Vertex * 0.5; }\n\
            [fragment shader]\nvoid main() { gl_FragColor = vec4(1.0); }\n[test]\nclear\nclip plane 1 1 0 0 0.25\nenable GL_CLIP_PLANE1\n\
            draw rect -1 -1 2 2\nrelative probe rgb (0.1, 0.5) (0, 0, 0)\nrelative probe rgb (0.4, 0.5) (1, 1, 1)\n\
            disable GL_CLIP_PLANE1\ndraw rect -1 -1 2 2\nrelative probe rgb (0.1, 0.5) (1, 1, 1)\n";
        let culled = "[require]\nGLSL >= 4.50\nSIZE 8 8\n[vertex shader]\nin vec4 piglit_vertex; out float gl_CullDistance[1];\n\
            void main() { gl_Position = piglit_vertex; gl_CullDistance[0] = gl_VertexID - 3; }\n\
            [fragment shader]\nout vec4 c; void main() { c = vec4(1.0); }\n[test]\nclear\ndraw rect -1 -1 2 2\n\
            relative probe rgb (0.1, 0.1) (0, 0, 0)\nrelative probe rgb (0.9, 0.9) (1, 1, 1)\n";
        let builder = airfoil_build::open().unwrap();
        for text in [planes, culled] {
            for kind in [EngineKind::Interp, EngineKind::Air] {
                let engine = Engine { kind, ..Engine::default() };
                assert_eq!(
                    run(text, builder.as_ref(), Levels::Both, &engine).verdict,
                    Verdict::Passed,
                    "{kind:?}"
                );
            }
        }
    }

    /// The verdict with a Vulkan driver; `None` if there is none, and the test is skipped.
    fn on_driver(text: &str) -> Option<Verdict> {
        let engine = Engine { kind: EngineKind::Vulkan, ..Engine::default() };
        if let Err(e) = engine.device() {
            use std::io::Write;
            let _ = writeln!(std::io::stderr(), "SKIPPED: {e}");
            return None;
        }
        let builder = airfoil_build::open().unwrap();
        Some(run(text, builder.as_ref(), Levels::Both, &engine).verdict)
    }

    #[test]
    fn drivers_draw_as_opengl_does() {
        let Some(drawn) = on_driver(DRAW) else { return };
        assert_eq!(drawn, Verdict::Passed);
        let wrong = on_driver(&DRAW.replace("(0.25, 0.5,", "(0.3, 0.5,"));
        let columns = ["interpreter: line 13:", "; O0: line 13:", "; O2: line 13:"];
        assert!(
            matches!(&wrong, Some(Verdict::Failed(r)) if columns.iter().all(|c| r.contains(c))),
            "{wrong:?}"
        );
        // Window coordinates from the lower left, front faces, and varyings and planes of the compatibility profile.
        let compatible = "[require]\nGLSL >= 1.20\nSIZE 8 8\n[vertex shader]\nvarying vec2 own; void main() {\n\
            gl_Position = gl_Vertex; gl_ClipVertex = gl_Vertex; gl_FrontColor = vec4(0, 1, 0, 1); gl_TexCoord[1] = vec4(0.5); own = vec2(0.25); }\n\
            [fragment shader]\nvarying vec2 own; void main() { gl_FragColor = vec4(gl_FragCoord.y / 8.0, gl_Color.g * float(gl_FrontFacing), gl_TexCoord[1].x, own.y); }\n\
            [test]\nclear\nclip plane 0 -1 0 0 0\nenable GL_CLIP_PLANE0\ndraw rect -1 -1 2 2\nprobe rgba 0 0 0.0625 1 0.5 0.25\nprobe rgba 3 7 0.9375 1 0.5 0.25\nprobe rgba 4 7 0 0 0 0\n";
        assert_eq!(on_driver(compatible), Some(Verdict::Passed));
        let turned = compatible.replace("probe rgba 0 0 0.0625", "probe rgba 0 0 0.9375");
        assert!(matches!(on_driver(&turned), Some(Verdict::Failed(_))));
    }

    #[test]
    fn drivers_skip_features_that_vulkan_lacks() {
        let points = "[require]\nGLSL >= 1.30\nSIZE 4 4\n[vertex shader]\nvoid main() { gl_Position = vec4(0, 0, 0, 1); gl_PointSize = 3.0; }\n\
            [fragment shader]\nout vec4 c; void main() { c = vec4(1); }\n[test]\nclear\ndraw arrays GL_POINTS 0 1\n";
        let Some(skipped) = on_driver(points) else { return };
        assert!(matches!(skipped, Verdict::Skipped(r) if r.contains("a point size")));
        let rect = "[require]\nGLSL >= 1.40\nSIZE 4 4\n[vertex shader passthrough]\n[fragment shader]\nuniform sampler2DRect t; out vec4 c;\n\
            void main() { c = texture(t, vec2(0)); }\n[test]\ndraw rect -1 -1 2 2\n";
        let skipped = on_driver(rect);
        assert!(matches!(&skipped, Some(Verdict::Skipped(r)) if r.contains("rectangle")), "{skipped:?}");
    }

    #[test]
    fn drivers_have_a_set_for_each_kind_of_resource() {
        let compute = "[require]\nGLSL >= 4.30\n[compute shader]\nlayout(local_size_x = 2) in; layout(std430, binding = 0) buffer B { uint v[]; };\n\
            layout(std140, binding = 0) uniform U { uint k; }; uniform uint more; layout(binding = 0) uniform atomic_uint n;\n\
            void main() { v[gl_GlobalInvocationID.x] = v[gl_GlobalInvocationID.x] * 3u + k + more; atomicCounterIncrement(n); }\n[test]\natomic counters 1\n\
            ssbo 0 16\nssbo 0 subdata uint 4 5\nuniform uint k 2\nuniform uint more 100\ncompute 1 1 1\nprobe ssbo uint 0 4 == 117\nprobe atomic counter 0 == 2\n";
        let Some(done) = on_driver(compute) else { return };
        assert_eq!(done, Verdict::Passed);
        assert!(matches!(on_driver(&compute.replace("117", "118")), Some(Verdict::Failed(_))));
    }
}
