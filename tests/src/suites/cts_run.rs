//! `cts`: cases of VK-GL-CTS are built, and every row of values is drawn.
//!
//! A row is a quad over a small window. The program compares its outputs with the row's and writes white where they agree: a
//! row passes if all pixels inside a border of one pixel are white (with `output_color`: if they are the output).

use super::airfoil_build::parse_version;
use super::build::Builder;
use super::cts_build;
use crate::cts::Dialect;
use crate::cts::case::{Case, Expect, Kind, Requirement};
use crate::cts::specialize;
use crate::cts::types::{Components as Numbers, Scalar, Value, ValueBlock};
use crate::engine::columns;
use crate::engine::levels::Levels;
use crate::engine::outputs::Outputs;
use crate::engine::stop::Stop;
use crate::engine::{Engine, EngineKind};
use crate::gl::attributes::{self, Components};
use crate::gl::drawing::{Drawing, Shaders};
use crate::gl::program::{How, Linked, build};
use crate::gl::uniforms::Uniforms;
use crate::report::{Answer, Verdict};
use airfoil::ir::{Slot, SystemValue};
use airfoil::{OptLevel, Stage};
use airfoil_interp::pipeline::{ClipDepth, Draw, State, Target, Topology};
use airfoil_interp::run::{IoVar, Vertex};
use airfoil_interp::{Config, Resources, System, Values};
use std::collections::BTreeMap;

/// Pixels of a side of the window.
const WINDOW: u32 = 16;
/// Most instructions of a group of invocations.
const MAX_STEPS: u64 = 50_000_000;

/// Builds a case, and draws its rows if it is to pass.
pub fn run(case: &Case, dialect: Dialect, builder: &dyn Builder, levels: Levels, engine: &Engine) -> Answer {
    let one_program = !matches!(case.kind, Kind::Pipeline(_));
    if case.expect != Expect::Pass || !one_program || case.requirements.contains(&Requirement::OnlyEs100) {
        if engine.kind == EngineKind::Vulkan {
            return Answer::plain(Verdict::Skipped("nothing is drawn: the case is only built".into()));
        }
        return cts_build::run(case, dialect, builder);
    }
    if engine.kind == EngineKind::Vulkan {
        let column =
            |level, engine: &Engine| draw_values(case, dialect, builder, Levels::One(level), engine).verdict;
        return Answer::plain(columns::glsl(engine, column));
    }
    draw_values(case, dialect, builder, levels, engine)
}

/// Draws the rows of all values of a case.
fn draw_values(
    case: &Case,
    dialect: Dialect,
    builder: &dyn Builder,
    levels: Levels,
    engine: &Engine,
) -> Answer {
    let (mut rows, mut good) = (0, 0);
    let mut reason = String::new();
    for values in &case.values {
        let n = values.rows();
        let mut drawn: Vec<Row> = Vec::new();
        for level in levels.list() {
            let linked = match link(case, values, dialect, builder, level, engine) {
                Ok(linked) => linked,
                Err(text) => {
                    // The suite that only builds reports it, or accepts it for a reason.
                    let answer = cts_build::run(case, dialect, builder);
                    if answer.verdict != Verdict::Passed {
                        return answer;
                    }
                    return Answer::plain(Verdict::Failed(text));
                }
            };
            let now = match draw_rows(case, values, dialect, &linked, engine) {
                Ok(rows) => rows,
                Err(Stop::Skip(reason)) => return Answer::plain(Verdict::Skipped(reason)),
                Err(Stop::Fail(fault)) => {
                    (0..n).map(|_| Row { fault: Some(fault.clone()), outputs: Outputs::default() }).collect()
                }
            };
            match drawn.is_empty() {
                true => drawn = now,
                false => drawn.iter_mut().zip(now).for_each(|(row, now)| row.join(now)),
            }
        }
        rows += n;
        good += drawn.iter().filter(|row| row.fault.is_none()).count();
        if let Some((n, row)) = drawn.into_iter().enumerate().find(|(_, row)| row.fault.is_some())
            && reason.is_empty()
        {
            reason = format!("row {n}: {}", row.fault.unwrap_or_default());
        }
    }
    if good == rows {
        return Answer::plain(Verdict::Passed);
    }
    Answer::plain(Verdict::Failed(format!("{} of {rows} rows: {reason}", rows - good)))
}

/// The result of a row.
struct Row {
    /// The failure.
    fault: Option<String>,
    /// The pixels.
    outputs: Outputs,
}

impl Row {
    /// Adds the result of the same row at another level.
    fn join(&mut self, other: Row) {
        let differ =
            || self.outputs.difference(&other.outputs, None).map(|d| format!("O0 and O2 differ: {d}"));
        if self.fault.is_none() {
            self.fault = other.fault.or_else(differ);
        }
    }
}

/// Rows that a case executes.
pub fn rows(case: &Case) -> usize {
    match case.expect {
        Expect::Pass => case.values.iter().map(ValueBlock::rows).sum(),
        _ => 0,
    }
}

fn link(
    case: &Case,
    values: &ValueBlock,
    dialect: Dialect,
    builder: &dyn Builder,
    level: OptLevel,
    engine: &Engine,
) -> Result<Linked, String> {
    let supported = |name: &str| builder.supports_extension(name, case.version.es);
    let programs =
        specialize::programs(case, values, dialect, &supported).map_err(|unfit| format!("{unfit:?}"))?;
    let program = programs.into_iter().next().ok_or("a case without program")?;
    let sources: Vec<(Stage, &str)> = program.iter().map(|s| (s.stage, s.text.as_str())).collect();
    let how = How {
        default_version: parse_version(if case.version.es { "100" } else { "110" }),
        vulkan: dialect == Dialect::Vk,
        level,
        target: engine.code(),
        ..How::default()
    };
    build(&sources, how)
}

/// Draws all rows.
fn draw_rows(
    case: &Case,
    values: &ValueBlock,
    dialect: Dialect,
    linked: &Linked,
    engine: &Engine,
) -> Result<Vec<Row>, Stop> {
    let config = Config { max_steps: MAX_STEPS, empty_unbound: true, ..Config::default() };
    let shaders = Shaders::default();
    let mut pipeline = Drawing::new(engine, linked, &config, &shaders)?;
    let tessellated = pipeline.has(Stage::TessEval);
    let topology = if tessellated { Topology::Patches(3) } else { Topology::Triangles };
    let vulkan = dialect == Dialect::Vk;
    let mut state = State::new(WINDOW, WINDOW);
    if vulkan {
        (state.y_down, state.clip_depth) = (true, ClipDepth::ZeroToOne);
    }
    let mut resources = Resources::new();
    let mut buffers = BTreeMap::new();
    let mut rows = Vec::new();
    for row in 0..values.rows() {
        let mut uniforms = Uniforms::new(&linked.reflection);
        for (value, name) in named_uniforms(values, vulkan) {
            // One that the program does not use does not exist.
            let _ = uniforms.set(&linked.reflection, &name, &row_bits(value, row));
        }
        uniforms.bind(&mut resources, &mut buffers);
        let vertices = corners(pipeline.inputs(), values, row, vulkan);
        let draw =
            Draw { topology, vertices: &vertices, indices: Some(&[0, 1, 2, 1, 3, 2]), system: System::new() };
        let mut target = Target::new(WINDOW, WINDOW, 1, 1);
        let fault = match pipeline.draw(&mut resources, &draw, (&state, false), &mut target) {
            Ok(_) => compare(case, values, row, &target),
            Err(Stop::Fail(fault)) => Some(fault),
            Err(skip) => return Err(skip),
        };
        let mut outputs = Outputs::default();
        target.colors.into_iter().for_each(|pixels| outputs.add_words("window", pixels));
        rows.push(Row { fault, outputs });
    }
    Ok(rows)
}

/// Values of uniforms, those of references among them, and their names in the program.
fn named_uniforms(values: &ValueBlock, vulkan: bool) -> impl Iterator<Item = (&Value, String)> {
    let reference = if vulkan { "Reference." } else { "ref_" };
    let own = values.uniforms.iter().map(|v| (v, v.name.clone()));
    own.chain(values.outputs.iter().map(move |v| (v, format!("{reference}{}", v.name))))
}

fn row_bits(value: &Value, row: usize) -> Vec<u64> {
    value.row(row).iter().map(|&bits| u64::from(bits)).collect()
}

/// The four corners of the window, all with the inputs of a row.
fn corners(inputs: &[IoVar], values: &ValueBlock, row: usize, vulkan: bool) -> Vec<Vertex> {
    let mut common = Values::new();
    attributes::set_defaults(inputs, &mut common);
    let mut location = 1;
    for value in &values.inputs {
        let bits = value.row(row);
        if vulkan {
            // By location, in their own types: the position comes first.
            for column in bits.chunks(usize::from(value.ty.rows)) {
                if let Some(slot) = Slot::generic(location) {
                    (0u32..).zip(column).for_each(|(c, &word)| common.set(slot, c, word));
                }
                location += 1;
            }
            continue;
        }
        let prefixed = format!("a_{}", value.name);
        let Some(input) = inputs.iter().find(|i| *i.name == *value.name || *i.name == *prefixed) else {
            continue;
        };
        for (n, column) in (0u32..).zip(bits.chunks(usize::from(value.ty.rows))) {
            attributes::set(input, n, &components(value, column), &mut common);
        }
    }
    let position = inputs.iter().find(|i| &*i.name == "dEQP_Position");
    [(-1.0, -1.0), (-1.0, 1.0), (1.0, -1.0), (1.0, 1.0)]
        .into_iter()
        .zip(0u64..)
        .map(|((x, y), id)| {
            let mut vertex = Vertex { inputs: common.clone(), ..Vertex::default() };
            if let Some(position) = position {
                attributes::set(position, 0, &Components::Floats(vec![x, y, 0.0, 1.0]), &mut vertex.inputs);
            }
            vertex.system.set(SystemValue::vertex_id, [id, 0, 0, 0]);
            vertex
        })
        .collect()
}

fn components(value: &Value, bits: &[u32]) -> Components {
    match value.ty.scalar {
        Scalar::Float => Components::Floats(bits.iter().map(|&b| f64::from(f32::from_bits(b))).collect()),
        Scalar::Int => {
            Components::Integers(bits.iter().map(|&b| i64::from(b.cast_signed()).cast_unsigned()).collect())
        }
        Scalar::Uint | Scalar::Bool => Components::Integers(bits.iter().map(|&b| u64::from(b)).collect()),
    }
}

/// The first difference of the pixels inside the border.
fn compare(case: &Case, values: &ValueBlock, row: usize, target: &Target) -> Option<String> {
    let want: Option<&Value> = case.output_color.and_then(|_| values.outputs.first());
    for (x, y) in (1..WINDOW - 1).flat_map(|y| (1..WINDOW - 1).map(move |x| (x, y))) {
        let at = target.index(x, y, 0)?;
        let words = target.colors[0][at];
        let good = match want {
            None => words[..3].iter().all(|&w| channel(w) == 255),
            Some(value) => {
                let row = value.row(row);
                words.iter().zip(&row).enumerate().all(|(c, (&got, &want))| same(value, c, got, want))
            }
        };
        if !good {
            let seen = match want.map(|v| &v.components) {
                None | Some(Numbers::Float(_)) => format!("{:?}", words.map(f32::from_bits)),
                _ => format!("{words:?}"),
            };
            return Some(format!("pixel {x}, {y} is {seen}"));
        }
    }
    None
}

/// A float as a channel of 8 bits.
fn channel(word: u32) -> u8 {
    (f32::from_bits(word).clamp(0.0, 1.0) * 255.0).round() as u8
}

/// Whether a component of the colour is the row's: rows of floats give the contents of the channels of the colour's format, R5G6B5 for
/// three components and otherwise 8 bits each.
fn same(value: &Value, component: usize, got: u32, want: u32) -> bool {
    if !value.ty.is_float() {
        return got == want;
    }
    let largest = match (value.ty.rows, component) {
        (3, 1) => 63.0,
        (3, _) => 31.0,
        _ => 255.0,
    };
    (f32::from_bits(got).clamp(0.0, 1.0) * largest).round() == f32::from_bits(want)
}

#[cfg(test)]
mod tests {
    use super::super::airfoil_build;
    use super::*;
    use crate::cts::parser;
    use std::path::Path;

    fn verdict(dialect: Dialect, text: &str) -> Verdict {
        let file = parser::parse(Path::new("a.test"), dialect, &|_| Ok(text.to_string())).unwrap();
        let builder = airfoil_build::open().unwrap();
        let all: Vec<Verdict> = file
            .cases
            .iter()
            .map(|case| run(case, dialect, builder.as_ref(), Levels::Both, &Engine::default()).verdict)
            .collect();
        let wrong = all.iter().find(|v| **v != Verdict::Passed);
        wrong.unwrap_or(&Verdict::Passed).clone()
    }

    const BOTH: &str = "case sum version 300 es
        values { input ivec2 a = [ ivec2(1, -2) | ivec2(3, 4) ]; uniform mat2 m = [ mat2(1.0, 0.0, 0.0, 1.0) | mat2(0.0, 2.0, 1.0, 0.0) ];
            output float r = [ -1.0 | 10.0 ]; output bool b = [ true | WHICH ]; }
        both \"\"#version 300 es
            precision highp float;
            ${DECLARATIONS}
            uniform mat2 m;
            void main() { ${SETUP} vec2 v = m * vec2(a); r = v.x + v.y; b = a.x > 0; ${OUTPUT} }\"\" end";

    #[test]
    fn rows_are_drawn_and_compared() {
        assert_eq!(verdict(Dialect::Gls, &BOTH.replace("WHICH", "true")), Verdict::Passed);
        let wrong = verdict(Dialect::Gls, &BOTH.replace("WHICH", "false"));
        assert!(
            matches!(&wrong, Verdict::Failed(r) if r.starts_with("1 of 2 rows: row 1: pixel")),
            "{wrong:?}"
        );
    }

    #[test]
    fn vulkan_rows_have_blocks() {
        let text = "case c version 440 values { input uint a = [ 7 | 9 ]; uniform int k = [ 1 | 2 ]; output uint r = [ 8 | WHICH ]; }
            both \"\"#version 440
            ${DECLARATIONS}
            void main() { ${SETUP} r = a + uint(k); ${OUTPUT} }\"\" end";
        assert_eq!(verdict(Dialect::Vk, &text.replace("WHICH", "11")), Verdict::Passed);
        assert!(matches!(verdict(Dialect::Vk, &text.replace("WHICH", "12")), Verdict::Failed(_)));
    }

    #[test]
    fn drivers_draw_rows() {
        let engine = Engine { kind: EngineKind::Vulkan, ..Engine::default() };
        if let Err(e) = engine.device() {
            use std::io::Write;
            let _ = writeln!(std::io::stderr(), "SKIPPED: {e}");
            return;
        }
        let builder = airfoil_build::open().unwrap();
        let first = |text: &str| {
            let file = parser::parse(Path::new("a.test"), Dialect::Gls, &|_| Ok(text.to_string())).unwrap();
            let verdict = |case| run(case, Dialect::Gls, builder.as_ref(), Levels::Both, &engine).verdict;
            file.cases.iter().map(verdict).find(|v| *v != Verdict::Passed)
        };
        assert_eq!(first(&BOTH.replace("WHICH", "true")), None);
        let wrong = first(&BOTH.replace("WHICH", "false"));
        assert!(
            matches!(&wrong, Some(Verdict::Failed(r)) if r.contains("; O2: 1 of 2 rows: row 1:")),
            "{wrong:?}"
        );
        let built = first(
            "case c expect compile_fail version 300 es both \"\"#version 300 es\nvoid main() { x; }\"\" end",
        );
        assert!(
            matches!(&built, Some(Verdict::Skipped(r)) if r.starts_with("nothing is drawn")),
            "{built:?}"
        );
    }
}
