//! `airfoil run --engine air`: the results of the interpreter, or a message about the missing feature.

use crate::run::{Folder, Outcome};

const SUM: &str = "#version 450
layout(local_size_x = 4) in;
layout(std430, binding = 0) buffer Data { uint a[]; };
uniform uint scale;
void main() { a[gl_GlobalInvocationID.x] = a[gl_GlobalInvocationID.x] * scale + 1u; }
";

const RINGS: &str = "#version 450
uniform float time;
out vec4 color;
void main() {
  vec2 p = gl_FragCoord.xy / 8.0;
  color = vec4(sin(p.x * time) * 0.5 + 0.5, fract(p.y * 3.0), length(fwidth(p * p)), 1.0);
}
";

/// Whether the command was built with LLVM.
const LLVM: bool = cfg!(any(feature = "llvm14", feature = "llvm19"));

fn refused(outcome: Outcome) {
    outcome.fails(1, &["executing AIR needs LLVM", "`llvm14`"]);
}

#[test]
fn air_computes_what_the_interpreter_does() {
    let folder = Folder::new();
    folder.write("sum.comp", SUM);
    let run = |engine| {
        folder.run(&["run", "sum.comp", "--buffer", "Data=[1, 2, 3, 4]", "-u", "scale=5", "--engine", engine])
    };
    if !LLVM {
        return refused(run("air"));
    }
    let air = run("air").ok();
    assert!(air.text().contains("[6, 11, 16, 21]"));
    assert_eq!(air.stdout, run("interp").ok().stdout);
}

#[test]
fn air_draws_what_the_interpreter_does() {
    let folder = Folder::new();
    folder.write("rings.frag", RINGS);
    let run = |engine: &str| {
        let image = format!("{engine}.png");
        folder.run(&[
            "run",
            "rings.frag",
            "--size",
            "8x8",
            "-u",
            "time=2.5",
            "-o",
            &image,
            "--engine",
            engine,
        ])
    };
    if !LLVM {
        return refused(run("air"));
    }
    run("air").ok();
    run("interp").ok();
    assert_eq!(folder.read("air.png"), folder.read("interp.png"));
}

#[test]
fn air_is_not_traced() {
    let folder = Folder::new();
    folder.write("sum.comp", SUM);
    folder.run(&["run", "sum.comp", "--engine", "air", "--trace"]).fails(2, &["AIR is not traced"]);
}

const POINTS: &str = "#version 330 core
out float shade;
void main() {
  gl_Position = vec4(float(gl_VertexID) * 0.5 - 0.5, 0.0, 0.0, 1.0);
  shade = float(gl_VertexID + 1) * 0.25;
}
";

const SQUARES: &str = "#version 330 core
layout(triangles) in;
layout(triangle_strip, max_vertices = 12) out;
in float shade[];
flat out vec3 tint;
out vec2 uv;
void main() {
  for (int i = 0; i < 3; ++i) {
    for (int k = 0; k < 4; ++k) {
      uv = vec2(k & 1, k >> 1);
      gl_Position = gl_in[i].gl_Position + vec4(uv * 0.45 - 0.2, 0.0, 0.0);
      tint = vec3(shade[i], float(k) / 4.0, float(gl_PrimitiveIDIn));
      EmitVertex();
    }
    EndPrimitive();
  }
}
";

const TINT: &str = "#version 330 core
flat in vec3 tint;
in vec2 uv;
out vec4 color;
void main() { color = vec4(tint.xy, uv.x * 0.5 + tint.z, 1.0); }
";

#[test]
fn air_draws_what_a_geometry_shader_makes() {
    let folder = Folder::new();
    folder.write("a.vert", POINTS);
    folder.write("a.geom", SQUARES);
    folder.write("a.frag", TINT);
    let run = |engine: &str| {
        let image = format!("{engine}.png");
        folder.run(&[
            "run",
            "a.vert",
            "a.geom",
            "a.frag",
            "--size",
            "32x32",
            "--vertices",
            "3",
            "-o",
            &image,
            "--engine",
            engine,
        ])
    };
    if !LLVM {
        return refused(run("air"));
    }
    run("air").ok();
    run("interp").ok();
    assert_eq!(folder.read("air.png"), folder.read("interp.png"));
}
