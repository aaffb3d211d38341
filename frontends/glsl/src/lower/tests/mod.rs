//! Tests of lowering: snippets are compiled, linked, lowered, validated and executed; they must write the same as
//! other, simpler snippets.

mod calls;
mod expressions;
mod flow;
mod globals;
mod inline;
mod locals;
mod memory;
mod references;
mod relaxed;

use super::{LowerOptions, lower};
use crate::compile::{Options, compile};
use crate::link::{LinkOptions, link};
use airfoil_interp::Tolerance;
use airfoil_ir::{Diagnostic, Shader, Stage, validate::validate};

/// Lowers linked shaders, one for each stage.
fn lower_all(sources: &[(Stage, &str)], options: &LinkOptions) -> Result<Vec<Shader>, Vec<Diagnostic>> {
    lower_all_with(sources, options, &LowerOptions::default())
}

fn lower_all_with(
    sources: &[(Stage, &str)],
    options: &LinkOptions,
    lowering: &LowerOptions,
) -> Result<Vec<Shader>, Vec<Diagnostic>> {
    let mut units = Vec::new();
    for (stage, source) in sources {
        units.push(compile(&[source], &Options::new(*stage))?.unit);
    }
    let linked = link(units, options)?;
    let shaders: Result<Vec<Shader>, _> = linked.units.iter().map(|u| lower(u, lowering)).collect();
    let shaders = shaders?;
    for shader in &shaders {
        let violations = validate(shader);
        assert!(violations.is_empty(), "{violations:?}\n{}", airfoil_ir::text::print(shader));
    }
    Ok(shaders)
}

fn messages(errors: &[Diagnostic]) -> String {
    errors.iter().map(|e| format!("{e}\n")).collect()
}

/// Lowers a single shader.
#[track_caller]
fn shader(stage: Stage, source: &str) -> Shader {
    shader_with(stage, source, &LowerOptions::default())
}

#[track_caller]
fn shader_with(stage: Stage, source: &str, lowering: &LowerOptions) -> Shader {
    let options = LinkOptions { separable: true, ..LinkOptions::default() };
    match lower_all_with(&[(stage, source)], &options, lowering) {
        Ok(mut shaders) => shaders.remove(0),
        Err(errors) => panic!("{}\n{source}", messages(&errors)),
    }
}

/// Locals stay variables, and calls stay calls.
fn keep_locals() -> LowerOptions {
    LowerOptions { keep_locals: true, ..LowerOptions::default() }
}

/// Text of a lowered shader.
#[track_caller]
fn text(stage: Stage, source: &str) -> String {
    airfoil_ir::text::print(&shader(stage, source))
}

/// A compute shader with numbers to write, `r`, `fl` and `v`, and numbers to read whose values are not known at compile
/// time.
fn program(declarations: &str, body: &str) -> String {
    format!(
        "#version 460
        layout(local_size_x = 1) in;
        layout(std430, binding = 0) buffer Results {{ int r[32]; float fl[32]; vec4 v[8]; }};
        uniform int zero_to_three;
        uniform float some;
        int nothing() {{ return zero_to_three & 0; }}
        {declarations}
        void main() {{ {body} }}"
    )
}

/// Checks that two bodies write the same results.
#[track_caller]
fn same(declarations: &str, body: &str, expected: &str) {
    let got = shader(Stage::Compute, &program(declarations, body));
    let want = shader(Stage::Compute, &program(declarations, expected));
    let run = |s: &Shader| match airfoil_interp::execute(s, &airfoil_interp::Options::default()) {
        Ok(outcome) => outcome,
        Err(fault) => panic!("{fault}\n{}", airfoil_ir::text::print(s)),
    };
    let with_variables = shader_with(Stage::Compute, &program(declarations, body), &keep_locals());
    let (got_outcome, want) = (run(&got), run(&want));
    if let Some(difference) = want.difference(&run(&with_variables), Tolerance::EXACT) {
        panic!("with variables: {difference:?}\n{}", airfoil_ir::text::print(&with_variables));
    }
    assert!(want.num_compared() > 0);
    if let Some(difference) = want.difference(&got_outcome, Tolerance::EXACT) {
        panic!("{difference:?}\n{}", airfoil_ir::text::print(&got));
    }
    let optimised = optimise(&got);
    if let Some(difference) = got_outcome.difference(&run(&optimised), Tolerance::EXACT) {
        panic!("optimised: {difference:?}\n{}", airfoil_ir::text::print(&optimised));
    }
}

/// The shader as a backend gets it.
#[track_caller]
fn optimise(shader: &Shader) -> Shader {
    let mut shader = shader.clone();
    let pipeline = airfoil_passes::Pipeline::parse("O2");
    let result =
        pipeline.map_err(|e| vec![e]).and_then(|p| airfoil_passes::Manager::default().run(&p, &mut shader));
    if let Err(errors) = result {
        panic!("{}\n{}", messages(&errors), airfoil_ir::text::print(&shader));
    }
    shader
}
