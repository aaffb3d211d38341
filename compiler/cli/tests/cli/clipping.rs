//! User clip planes, clip distances in fragment shaders and cull distances: programs become libraries as they are.

use crate::run::Folder;

const PLANES_VERT: &str = "#version 120
void main() { gl_ClipVertex = gl_ModelViewMatrix * gl_Vertex; gl_FrontColor = gl_Color; gl_Position = ftransform(); }
";

#[test]
fn planes_are_state() {
    let folder = Folder::new();
    folder.write("a.vert", PLANES_VERT);
    folder
        .run(&["compile", "a.vert", "--clip-planes", "5", "-o", "out.ll"])
        .fails(1, &["gl_ClipPlane", "binding"]);
    folder.run(&["compile", "a.vert", "--clip-planes", "256", "-o", "out.ll"]).fails(2, &["256"]);
}
