//! An application of the driver: compiles and links a program, queries its resources, draws with 100 states on 8
//! threads, and stores and restores the program.

mod driver;

use airfoil_gl::query::enums::{ACTIVE_RESOURCES, LOCATION, TYPE, UNIFORM};
use airfoil_gl::{DeviceOptions, Stage};
use driver::{Context, Draw, Error, Shared};
use std::sync::Arc;

const THREADS: usize = 8;
const STATES: u32 = 100;

const VERTEX: [&str; 2] = [
    "#version 330\n",
    "in vec4 position; in vec2 uv; out vec2 v_uv; out float gl_ClipDistance[4]; uniform vec4 offset;
    void main() {
        gl_Position = position + offset; v_uv = uv;
        gl_ClipDistance[0] = position.x; gl_ClipDistance[1] = position.y;
        gl_ClipDistance[2] = position.z; gl_ClipDistance[3] = 1.0 - position.x;
    }",
];

const FRAGMENT: [&str; 1] = ["#version 330
    in vec2 v_uv; uniform vec4 tint; uniform sampler2D image; out vec4 color;
    void main() { color = texture(image, v_uv) * tint + vec4(gl_FragCoord.y * 0.001, gl_FrontFacing, 0.0, 0.0); }"];

fn compile(context: &Context, stage: Stage, strings: &[&str]) -> Result<u32, Error> {
    let shader = context.create_shader(stage);
    context.shader_source(shader, strings)?;
    context.compile_shader(shader)?;
    assert!(context.compile_status(shader)?, "{}", context.shader_info_log(shader)?);
    Ok(shader)
}

fn link(context: &Context) -> Result<u32, Error> {
    let vertex = compile(context, Stage::Vertex, &VERTEX)?;
    let fragment = compile(context, Stage::Fragment, &FRAGMENT)?;
    let program = context.create_program();
    context.attach_shader(program, vertex)?;
    context.attach_shader(program, fragment)?;
    context.bind_attrib_location(program, 3, "uv")?;
    context.link_program(program)?;
    assert!(context.link_status(program)?, "{}", context.program_info_log(program)?);
    context.delete_shader(vertex);
    context.delete_shader(fragment);
    Ok(program)
}

/// Draws with all states on a thread.
fn draw_all(shared: &Arc<Shared>, program: u32) -> Result<Vec<Draw>, Error> {
    let mut context = Context::new(shared);
    context.use_program(program)?;
    let tint = context.uniform_location(program, "tint")?.ok_or(Error::Value)?;
    context.uniform(tint, [1.0, 0.5, 0.25, 1.0])?;
    let mut draws = Vec::new();
    for n in 0..STATES {
        context.clip_control(n & 1 != 0, n & 2 == 0);
        (0..8).for_each(|clip| context.set_clip_distance(clip, n >> 2 >> clip & 1 != 0));
        draws.push(context.draw_arrays(n % 5 == 0)?);
    }
    Ok(draws)
}

/// Draws with all states on all threads; they get the same functions.
fn draw_on_threads(shared: &Arc<Shared>, program: u32) -> Result<Vec<Draw>, Error> {
    let all: Vec<Result<Vec<Draw>, Error>> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS).map(|_| scope.spawn(|| draw_all(shared, program))).collect();
        threads.into_iter().map(|t| t.join().expect("a thread does not panic")).collect()
    });
    let mut all = all.into_iter().collect::<Result<Vec<_>, _>>()?;
    for other in &all[1..] {
        for (a, b) in all[0].iter().zip(other) {
            assert!(a.functions.iter().zip(&b.functions).all(|(a, b)| Arc::ptr_eq(a, b)));
            assert!(a.uniforms == b.uniforms && a.uniforms.iter().any(|&byte| byte != 0));
        }
    }
    Ok(all.swap_remove(0))
}

fn main() -> Result<(), Error> {
    let target = "macos14".parse().map_err(|_| Error::Enum)?;
    let shared = Shared::new(DeviceOptions { target, ..DeviceOptions::default() });
    let context = Context::new(&shared);
    let program = link(&context)?;
    assert_eq!(context.attrib_location(program, "uv")?, Some(3));
    assert_eq!(context.attrib_location(program, "none")?, None);
    for n in 0..context.program_interface(program, UNIFORM, ACTIVE_RESOURCES)?.unsigned_abs() {
        let name = context.program_resource_name(program, UNIFORM, n)?;
        let ty = context.program_resource(program, UNIFORM, n, TYPE)?[0];
        let location = context.program_resource(program, UNIFORM, n, LOCATION)?[0];
        println!("uniform {name}: type {ty:#06x}, location {location}");
    }
    let draws = draw_on_threads(&shared, program)?;
    let functions = context.count_functions(program)?;
    println!("{} draws on {THREADS} threads: {functions} functions", THREADS * STATES as usize);
    assert!((20..2 * STATES as usize).contains(&functions));

    // A restored program has functions with the same bytes.
    let mut binary = context.program_binary(program)?;
    let restored = context.create_program();
    context.set_program_binary(restored, &binary)?;
    let again = draw_on_threads(&shared, restored)?;
    for (a, b) in draws.iter().zip(&again) {
        assert!(a.functions.iter().zip(&b.functions).all(|(a, b)| a.metallib == b.metallib));
    }
    println!("stored in {} bytes, restored with equal functions", binary.len());

    // A damaged binary does not link, and the program can be linked instead.
    let middle = binary.len() / 2;
    binary[middle] ^= 1;
    context.set_program_binary(restored, &binary)?;
    assert!(!context.link_status(restored)?);
    println!("{}", context.program_info_log(restored)?);

    // Errors have a log.
    let shader = context.create_shader(Stage::Vertex);
    context.shader_source(shader, &["void main() { gl_Position = vec5(1.0); }"])?;
    context.compile_shader(shader)?;
    assert!(!context.compile_status(shader)?);
    print!("{}", context.shader_info_log(shader)?);
    context.delete_shader(shader);
    context.delete_program(program);
    context.delete_program(restored);
    Ok(())
}
