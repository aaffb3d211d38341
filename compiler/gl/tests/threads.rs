//! Links and variants by many threads make equal bytes.

use airfoil_gl::{
    Budget, CompareFunc, Device, LinkOptions, PointSize, Program, ShaderObject, Stage, StateFlags, StateKey,
};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

const THREADS: usize = 16;

/// Sources of programs: stages and texts.
const PROGRAMS: [&[(Stage, &str)]; 3] = [
    &[
        (
            Stage::Vertex,
            "#version 330\nin vec4 p; in vec2 uv; out vec2 v_uv; uniform mat4 mvp; void main() { gl_Position = mvp * p; v_uv = uv; }",
        ),
        (
            Stage::Fragment,
            "#version 330\nin vec2 v_uv; uniform sampler2D t; out vec4 c; void main() { c = vec4(0.0); for (int i = 0; i < 4; i++) c += texture(t, v_uv * float(i)); }",
        ),
    ],
    &[
        (
            Stage::Vertex,
            "#version 120\nattribute vec4 p; void main() { gl_Position = p; gl_FrontColor = p; gl_BackColor = p.yxzw; gl_ClipVertex = p; }",
        ),
        (Stage::Fragment, "#version 120\nvoid main() { gl_FragColor = gl_Color * gl_TexCoord[1]; }"),
    ],
    &[
        (Stage::Vertex, "#version 330\nin vec4 p; out vec4 a; void main() { gl_Position = p; a = p; }"),
        (
            Stage::Geometry,
            "#version 330\nlayout(triangles) in; layout(triangle_strip, max_vertices = 3) out; in vec4 a[]; out vec4 b;
            void main() { for (int i = 0; i < 3; i++) { gl_Position = gl_in[i].gl_Position; b = a[i]; EmitVertex(); } }",
        ),
        (Stage::Fragment, "#version 330\nin vec4 b; out vec4 c; void main() { c = b * gl_FragCoord.y; }"),
    ],
];

fn key(n: usize) -> StateKey {
    let flags = [StateFlags::empty(), StateFlags::HALF_Z, StateFlags::FLIP_Y, StateFlags::FLIP_WINDOW];
    StateKey {
        flags: flags[n % 4],
        alpha_func: if (n / 4).is_multiple_of(2) { CompareFunc::Always } else { CompareFunc::Less },
        point_size: if (n / 8).is_multiple_of(2) { PointSize::None } else { PointSize::Shader },
        patch_vertices: 3,
        index_bits: 16,
        ..StateKey::default()
    }
}

fn compile(device: &Device, n: usize) -> Vec<ShaderObject> {
    PROGRAMS[n].iter().map(|(stage, text)| device.compile("s", *stage, &[text])).collect()
}

fn link(device: &Device, objects: &[ShaderObject]) -> Arc<Program> {
    let objects: Vec<&ShaderObject> = objects.iter().collect();
    device.link(&objects, &LinkOptions::default()).unwrap_or_else(|log| panic!("{log}"))
}

/// The stored program, and a function of each stage.
fn bytes(program: &Program, n: usize) -> Vec<Vec<u8>> {
    let variant = |stage| program.variant(stage, &key(n), &Budget::default()).unwrap().metallib;
    let functions = program.stages().map(variant);
    functions.chain([program.store().unwrap(), program.identity().to_vec()]).collect()
}

/// 320 rounds of a link and variants; `AIRFOIL_ROUNDS` sets another number. Half of the links share their objects with all
/// threads, as do half of the variants their program.
#[test]
fn threads_make_equal_programs_and_functions() {
    let rounds = std::env::var("AIRFOIL_ROUNDS").map_or(320, |n| n.parse().expect("a number"));
    let device = Device::default();
    let objects: Vec<_> = (0..3).map(|n| compile(&device, n)).collect();
    let programs: Vec<_> = objects.iter().map(|objects| link(&device, objects)).collect();
    let expected: Vec<Vec<_>> = programs.iter().map(|p| (0..16).map(|n| bytes(p, n)).collect()).collect();
    // Nothing is computed yet when the threads begin.
    let programs: Vec<_> = objects.iter().map(|objects| link(&device, objects)).collect();
    let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
    thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                loop {
                    let n = next.fetch_add(1, Ordering::Relaxed);
                    if n >= rounds {
                        break;
                    }
                    let (p, state) = (n % 3, n / 3 % 16);
                    let found = match n % 4 {
                        0 => bytes(&link(&device, &compile(&device, p)), state),
                        1 => bytes(&link(&device, &objects[p]), state),
                        _ => bytes(&programs[p], state),
                    };
                    assert!(found == expected[p][state], "program {p}, state {state}");
                    done.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
    });
    assert_eq!(done.into_inner(), rounds);
}
