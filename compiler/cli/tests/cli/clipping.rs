//! User clip planes, clip distances in fragment shaders and cull distances: programs become libraries as they are.

use crate::run::Folder;

const PLANES_VERT: &str = "#version 120
void main() { gl_ClipVertex = gl_ModelViewMatrix * gl_Vertex; gl_FrontColor = gl_Color; gl_Position = ftransform(); }
";

const DISTANCES_VERT: &str = "#version 450
layout(location = 3) in vec4 p;
layout(location = 1) out vec2 uv;
out gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[2]; float gl_CullDistance[1]; };
void main() {
    uv = p.xy;
    gl_ClipDistance[0] = p.x;
    gl_ClipDistance[1] = 1.0;
    gl_CullDistance[0] = p.y;
    gl_Position = p;
}
";

const DISTANCES_FRAG: &str = "#version 450
layout(location = 1) in vec2 uv;
layout(location = 0) out vec4 c;
in float gl_ClipDistance[2];
void main() { c = vec4(uv, gl_ClipDistance[0], gl_ClipDistance[1]); }
";

fn ll(folder: &Folder, args: &[&str]) -> String {
    folder.run(&[&["compile"], args, &["-o", "out.ll"]].concat()).ok();
    String::from_utf8(folder.read("out.ll")).unwrap()
}

#[test]
fn planes_are_state() {
    let folder = Folder::new();
    folder.write("a.vert", PLANES_VERT);
    assert!(!ll(&folder, &["a.vert"]).contains("air.clip_distance"));
    let clipped = ll(&folder, &["a.vert", "--clip-planes", "5", "--clip-planes-binding", "4"]);
    // Planes 0 to 2, the one in between without effect.
    assert!(
        clipped.contains("!\"air.clip_distance\", !\"air.clip_distance_array_size\", i32 3"),
        "{clipped}"
    );
    folder
        .run(&["compile", "a.vert", "--clip-planes", "5", "-o", "out.ll"])
        .fails(1, &["gl_ClipPlane", "binding"]);
    folder.run(&["compile", "a.vert", "--clip-planes", "256", "-o", "out.ll"]).fails(2, &["256"]);
}

#[test]
fn distances_reach_the_fragment_shader() {
    let folder = Folder::new();
    folder.write("a.vert", DISTANCES_VERT);
    folder.write("a.frag", DISTANCES_FRAG);
    folder.run(&["link", "a.vert", "a.frag", "-o", "p.metallib"]).ok();
    let text = folder.run(&["dis", "p.metallib"]).ok().text();
    // Behind the program's own varying at location 1: the distances, and from location 4 on the flag of culling.
    for part in ["user(locn1)", "user(locn2)", "user(locn4)", "air.clip_distance", "air.discard_fragment"] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    assert_eq!(text.matches("user(locn2)").count(), 2, "{text}");
    assert_eq!(text.matches("user(locn4)").count(), 2, "{text}");
}
