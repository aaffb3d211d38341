//! Clip and cull distances: lowered programs draw the same as AIR as the programs do in the interpreter, which has them.
#![cfg(any(feature = "llvm14", feature = "llvm19"))]

use airfoil::air::plan::optimize_plan;
use airfoil::glsl::{ProgramOptions, Source};
use airfoil::passes::Manager;
use airfoil::steps::PlanOptions;
use airfoil::{OptLevel, Shader, Stage};
use airfoil_interp::pipeline::{Draw, Pipeline, Stages, State, Target, Topology};
use airfoil_interp::run::Vertex;
use airfoil_interp::{Config, Resources, System, Values};
use airfoil_ir::{Slot, SystemValue};

const SIZE: u32 = 16;

const VERTEX: &str = "#version 450
layout(location = 0) in vec4 p;
layout(location = 3) out vec2 at;
out gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[2]; float gl_CullDistance[2]; };
void main() {
    gl_Position = vec4(p.xy, 0.0, 1.0);
    gl_ClipDistance[0] = 0.6 - p.x;
    gl_ClipDistance[1] = p.y + 0.7;
    gl_CullDistance[0] = p.z;
    gl_CullDistance[1] = p.w;
    at = p.xy;
}";

const FRAGMENT: &str = "#version 450
layout(location = 3) in vec2 at;
layout(location = 0) out vec4 c;
in float gl_ClipDistance[2];
void main() { c = vec4(gl_ClipDistance[0], gl_ClipDistance[1], at + 2.0); }";

fn pixels<P: Stages>(mut pipeline: Pipeline<'_, P>) -> Vec<[u32; 4]> {
    // Three triangles: one is seen, of one all cull distances of a kind are negative, of the last only some are.
    let triangles = [
        [[-0.9, -0.9, 1.0, 1.0], [0.9, -0.8, 1.0, 1.0], [-0.8, 0.1, 1.0, 1.0]],
        [[-0.9, 0.2, -1.0, 1.0], [0.0, 0.2, -1.0, -1.0], [-0.9, 0.9, -1.0, 1.0]],
        [[0.1, 0.2, -1.0, 1.0], [0.9, 0.2, 1.0, -1.0], [0.9, 0.9, 1.0, -1.0]],
    ];
    let vertex = |(n, place): (u64, &[f32; 4])| {
        let mut inputs = Values::new();
        inputs.set_floats(Slot::generic(0).unwrap(), *place);
        let system = System::new().with(SystemValue::vertex_id, n).with(SystemValue::instance_id, 0);
        Vertex { inputs, system }
    };
    let vertices: Vec<Vertex> = (0..).zip(triangles.iter().flatten()).map(vertex).collect();
    let draw =
        Draw { topology: Topology::Triangles, vertices: &vertices, indices: None, system: System::new() };
    let mut target = Target::new(SIZE, SIZE, 1, 1);
    let mut state = State::new(SIZE, SIZE);
    state.clip_distances = 0b11;
    pipeline.draw(&mut Resources::new(), &draw, &state, &mut target).unwrap_or_else(|e| panic!("{e}"));
    target.colors[0].clone()
}

#[test]
fn distances_clip_and_cull() {
    let sources = [
        Source { name: "a.vert", stage: Stage::Vertex, text: VERTEX },
        Source { name: "a.frag", stage: Stage::Fragment, text: FRAGMENT },
    ];
    let program =
        airfoil::steps::read_glsl(&sources, &ProgramOptions::default()).unwrap_or_else(|e| panic!("{e:?}"));
    let optimized = |mut shaders: Vec<Shader>, level| {
        shaders
            .iter_mut()
            .for_each(|s| airfoil::steps::optimize(s, level).unwrap_or_else(|e| panic!("{e:?}")));
        shaders
    };
    for level in [OptLevel::O0, OptLevel::O2] {
        let own = optimized(program.shaders.clone(), level);
        let expected = pixels(Pipeline::new(&own, &Config::default()).unwrap());
        let mut lowered = program.shaders.clone();
        let plan = optimize_plan(&lowered, &PlanOptions { level, ..PlanOptions::default() });
        let _ = Manager::default().run_program(&plan, &mut lowered).unwrap_or_else(|e| panic!("{e:?}"));
        let programs = airfoil_cpu::prepare(&lowered, &airfoil_cpu::Config::default()).unwrap();
        let found = pixels(Pipeline::of(programs).unwrap());
        let drawn = |x: std::ops::Range<u32>, y: std::ops::Range<u32>| {
            let inside = |n: usize| x.contains(&(n as u32 % SIZE)) && y.contains(&(n as u32 / SIZE));
            expected.iter().enumerate().filter(|&(n, p)| inside(n) && *p != [0; 4]).count()
        };
        // The second triangle is gone, the others remain except for the clipped parts.
        assert!(drawn(0..SIZE, 0..9) > 20 && drawn(8..SIZE, 9..SIZE) > 3, "{expected:?}");
        assert_eq!((drawn(0..8, 10..SIZE), drawn(14..SIZE, 0..SIZE)), (0, 0));
        for (n, (a, b)) in expected.iter().zip(&found).enumerate() {
            let near = |(&a, &b): (&u32, &u32)| (f32::from_bits(a) - f32::from_bits(b)).abs() < 1e-4;
            assert!(a.iter().zip(b).all(near), "{level:?}, pixel {n}: {a:x?}, as AIR {b:x?}");
        }
    }
}
