//! `airfoil run --engine vulkan`: the results of the interpreter. Without a loader or device the tests are skipped, with a message.

use crate::run::{Folder, Outcome};
use std::io::Write;

const SUM: &str = "#version 450
layout(local_size_x = 4) in;
layout(std430, binding = 0) buffer Data { uint a[]; };
layout(std140, binding = 0) uniform More { uint more[2]; };
uniform uint scale;
void main() { a[gl_GlobalInvocationID.x] = a[gl_GlobalInvocationID.x] * scale + more[1]; }
";

const LOW_LEFT: &str = "#version 450
in vec2 at;
out uvec4 color;
void main() { color = uvec4(gl_FragCoord.xy, at.y < 0.5, 1u); }
";

const VERTEX: &str = "#version 450
in vec2 position;
flat out int instance;
void main() {
  gl_Position = vec4(position + 0.5 * gl_InstanceID, 0.25 - 0.5 * gl_InstanceID, 1.0);
  instance = gl_InstanceID;
}
";

const FRAGMENT: &str = "#version 450
flat in int instance;
out vec4 color;
void main() { color = vec4(gl_FrontFacing, float(instance), 0.25, 1.0); }
";

/// Whether the driver executed the shaders; fails if it could have.
fn executed(outcome: &Outcome) -> bool {
    if outcome.code == Some(0) {
        return true;
    }
    let reason = &outcome.stderr;
    let missing = ["no Vulkan loader", "no device", "INCOMPATIBLE_DRIVER"];
    assert!(missing.iter().any(|m| reason.contains(m)), "{reason}");
    let _ = writeln!(std::io::stderr(), "SKIPPED: {reason}");
    false
}

#[test]
fn a_driver_computes_what_the_interpreter_does() {
    let folder = Folder::new();
    folder.write("sum.comp", SUM);
    let run = |engine, level| {
        let data = ["--buffer", "Data=[1, 2, 3, 4]", "-u", "scale=5", "-u", "more=[7, 9]"];
        folder.run(&[&["run", "sum.comp", "--engine", engine, level][..], &data].concat())
    };
    let driver = run("vulkan", "-O0");
    if !executed(&driver) {
        return;
    }
    assert!(driver.text().contains("[14, 19, 24, 29]"));
    assert_eq!(driver.stdout, run("interp", "-O0").ok().stdout);
    assert_eq!(driver.stdout, run("vulkan", "-O2").ok().stdout);
}

#[test]
fn a_driver_draws_what_the_interpreter_does() {
    let folder = Folder::new();
    folder.write("low_left.frag", LOW_LEFT);
    folder.write("a.vert", VERTEX);
    folder.write("a.frag", FRAGMENT);
    let alone = |engine: &str| {
        let image = format!("{engine}-alone.json");
        folder.run(&["run", "low_left.frag", "--size", "6x4", "-o", &image, "--engine", engine])
    };
    let both = |engine: &str| {
        let (image, depth) = (format!("{engine}.json"), format!("depth={engine}-depth.json"));
        let positions = "position=[[-1, -1], [0.5, -1], [-1, 0.5]]";
        let outputs = ["-o", &image, "-o", &depth, "--engine", engine];
        let draw = ["run", "a.vert", "a.frag", "--size", "8x8", "--depth", "--instances", "2"];
        folder.run(&[&draw[..], &["--attribute", positions], &outputs].concat())
    };
    if !executed(&alone("vulkan")) {
        return;
    }
    both("vulkan").ok();
    alone("interp").ok();
    both("interp").ok();
    for file in ["-alone.json", ".json", "-depth.json"] {
        let [driver, interpreter] =
            ["vulkan", "interp"].map(|engine| folder.read(&format!("{engine}{file}")));
        assert_eq!(driver, interpreter, "{file}");
    }
}

#[test]
fn drivers_lack_options() {
    let folder = Folder::new();
    folder.write("sum.comp", SUM);
    folder.write("a.vert", VERTEX);
    let driver = |more: &[&str]| folder.run(&[&["run", "sum.comp", "--engine", "vulkan"], more].concat());
    driver(&["--trace"]).fails(2, &["`--trace` is not supported on a Vulkan driver"]);
    driver(&["--builtin", "draw_id=1"]).fails(2, &["`--builtin` is not supported"]);
    driver(&["--samples", "4"]).fails(2, &["`--samples` is not supported"]);
    driver(&["--seed", "1", "--device", "no such device"]).fails(1, &["E0042"]);
    folder.run(&["run", "sum.comp", "--device", "x"]).fails(2, &["`--device` requires `--engine vulkan`"]);
    folder
        .run(&["run", "a.vert", "--engine", "vulkan", "--seed", "1"])
        .fails(1, &["draws without a fragment shader are not supported on a Vulkan driver"]);
}
