//! Programs of the corpora and random interfaces: attributes, uniforms and attachments are those that the program has, with values made from their names.

use crate::cases::Case;
use crate::programs::Kind as ProgramKind;
use crate::scene::{Scene, Tolerance, difference, link, positions};
use airfoil_gl::query::enums::*;
use airfoil_gl::{Device, LinkOptions, Stage};
use airfoil_glsl::link::Reflection;
use airfoil_opengl::{Attribute, Buffer, Context, Input, Kind, Program as Driven, gl};
use airfoil_tests::gl::types::{Number, Shape, shape};
use airfoil_tests::gl::uniforms::Uniforms;

/// A scene, or the reason why there is none.
pub enum Setup<'a> {
    Scene(Box<Scene<'a>>),
    LeftOut(&'static str),
}

/// The outcome of a draw.
pub enum Outcome {
    Equal { is_drawn: bool },
    NotCompared(&'static str),
    Different(String),
}

/// Programs without a defined image, or whose image the driver gets wrong: a part of the name, and the reason.
const EXCEPTIONS: &[(&str, &str)] = &[
    ("out-of-bounds", "undefined: an index is out of bounds"),
    ("fs-const-array-of-struct", "undefined: an index is out of bounds"),
    ("unroll-explosion", "a loop of 10,000 turns per fragment"),
    ("component-layout/vs-fs-array-dvec3", "Mesa 22.3.6 does not pass this test of piglit, Airfoil does"),
];

/// A number made from a name and a position.
fn hash(name: &str, at: u32) -> u32 {
    let start = 0x811c_9dc5 ^ at.wrapping_mul(0x9e37_79b9);
    let mixed = name.bytes().fold(start, |h, byte| (h ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    mixed ^ mixed >> 15
}

/// The words of a uniform or an element of one: square matrices are close to the identity, so that positions stay in the window.
fn words(name: &str, shape: Shape) -> Vec<u32> {
    let (columns, rows) = (shape.columns, shape.rows);
    let numbers = (0..columns).flat_map(|c| (0..rows).map(move |r| (c, r)));
    let word = |(c, r): (u32, u32)| {
        let n = hash(name, c * 4 + r) % 16;
        match shape.number {
            Number::Float if columns == rows && columns > 1 => f32::to_bits(if c == r { 1.0 } else { 0.0 }),
            Number::Float => f32::to_bits((n + 1) as f32 / 16.0),
            // The step of a loop is not 0, and an index is in its array.
            Number::Int | Number::Uint => 1,
            Number::Bool => n & 1,
        }
    };
    numbers.map(word).collect()
}

/// The names of the elements of a uniform.
fn elements(name: &str, count: u32) -> Vec<String> {
    match name.strip_suffix("[0]") {
        Some(base) => (0..count.max(1)).map(|n| format!("{base}[{n}]")).collect(),
        None => vec![name.to_owned()],
    }
}

/// Sets the uniforms of both sides. `false` if there is one that is not modelled.
fn uniforms(driven: &Driven<'_>, r: &Reflection) -> Option<Uniforms> {
    let mut own = Uniforms::new(r);
    for u in &r.uniforms {
        let shape = shape(u.ty).filter(|s| s.bits == 32)?;
        if u.builtin && !(shape.columns == shape.rows && shape.columns > 1) {
            return None;
        }
        for name in elements(&u.name, u.array_size) {
            let values = words(&name, shape);
            let wide: Vec<u64> = values.iter().map(|w| u64::from(*w)).collect();
            let _ = own.set(r, &name, &wide).ok()?;
            let ty = match shape.number {
                Number::Float => gl::FLOAT,
                Number::Int | Number::Bool => gl::INT,
                Number::Uint => gl::UNSIGNED_INT,
            };
            if u.block.is_none() && !u.builtin {
                driven.set_uniform(&name, ty, [shape.columns, shape.rows], &values).ok()?;
            }
        }
    }
    Some(own)
}

/// The uniform blocks of the driver's program, with its own layout.
fn blocks<'a>(context: &'a Context, driven: &Driven<'_>) -> Option<Vec<Buffer<'a>>> {
    let one = |interface, index, property| driven.resource(interface, index, property)?.first().copied();
    let mut all = Vec::new();
    for index in 0..driven.interface(UNIFORM_BLOCK, ACTIVE_RESOURCES).cast_unsigned() {
        let size = one(UNIFORM_BLOCK, index, BUFFER_DATA_SIZE)?;
        let mut bytes = vec![0u8; usize::try_from(size).ok()?];
        for member in driven.resource(UNIFORM_BLOCK, index, ACTIVE_VARIABLES)? {
            let member = member.cast_unsigned();
            let get = |property| one(UNIFORM, member, property).map(i32::cast_unsigned);
            let shape = shape(get(TYPE)?)?;
            let (offset, stride, matrix) = (get(OFFSET)?, get(ARRAY_STRIDE)?, get(MATRIX_STRIDE)?);
            let row_major = get(IS_ROW_MAJOR)? != 0;
            let names = elements(&driven.resource_name(UNIFORM, member), get(ARRAY_SIZE)?);
            for (element, name) in (0..).zip(names) {
                for (at, word) in (0..).zip(words(&name, shape)) {
                    let (c, r) = (at / shape.rows, at % shape.rows);
                    let inside = match (shape.columns, row_major) {
                        (1, _) => r * 4,
                        (_, true) => r * matrix + c * 4,
                        (_, false) => c * matrix + r * 4,
                    };
                    let to = (offset + element * stride + inside) as usize;
                    bytes.get_mut(to..to + 4)?.copy_from_slice(&word.to_le_bytes());
                }
            }
        }
        driven.bind_block(index, index);
        all.push(context.buffer(gl::UNIFORM_BUFFER, index, &bytes).ok()?);
    }
    Some(all)
}

/// The attributes of the compatibility profile, and the locations that Airfoil gives them.
const BUILTIN: &[(&str, u32, Input)] = &[
    ("gl_Vertex", 0, Input::Vertex),
    ("gl_Normal", 2, Input::Normal),
    ("gl_Color", 3, Input::Color),
    ("gl_SecondaryColor", 4, Input::SecondaryColor),
    ("gl_MultiTexCoord0", 8, Input::TexCoord(0)),
    ("gl_MultiTexCoord1", 9, Input::TexCoord(1)),
    ("gl_MultiTexCoord2", 10, Input::TexCoord(2)),
];

/// The attributes of a program: those whose name has "pos" or "vert" are positions.
fn attributes(driven: &Driven<'_>, r: &Reflection) -> Option<Vec<(u32, Attribute)>> {
    let positions = positions(ProgramKind::TRIANGLES);
    let mut all = Vec::new();
    for input in &r.inputs {
        if matches!(input.name.as_str(), "gl_VertexID" | "gl_InstanceID") {
            continue;
        }
        let shape = shape(input.ty).filter(|s| s.bits == 32)?;
        let lower = input.name.to_lowercase();
        let is_position = lower.contains("pos") || lower.contains("vert");
        let slots = if input.name.starts_with("gl_") { 1 } else { input.array_size * shape.columns };
        for k in 0..slots {
            let (own, target) = match BUILTIN.iter().find(|b| b.0 == input.name) {
                Some(&(_, own, target)) => (own, target),
                None if input.name.starts_with("gl_") => return None,
                None => {
                    let base = input.name.trim_end_matches("[0]");
                    // An attribute that the driver does not read has no location there.
                    let Some(at) = driven.attribute(base) else { continue };
                    let target = match shape.number {
                        Number::Float => Input::Floats(at + k),
                        Number::Int | Number::Bool => Input::Ints(at + k),
                        Number::Uint => Input::Uints(at + k),
                    };
                    (input.location? + k, target)
                }
            };
            let value = |(n, p): (usize, &[f32; 4])| match (target, is_position) {
                (Input::Ints(_) | Input::Uints(_), _) => {
                    [0, 1, 2, 3].map(|c| hash(&input.name, (n as u32 * 4 + c) * 16 + k) % 8)
                }
                (_, true) if k == 0 => p.map(f32::to_bits),
                // The same for all vertices in the last component, which may be a divisor.
                _ => [0, 1, 2, 3].map(|c| {
                    let of = if c == 3 { 0 } else { n as u32 };
                    f32::to_bits((hash(&input.name, (of * 4 + c) * 16 + k) % 16 + 1) as f32 / 16.0)
                }),
            };
            let values = positions.iter().enumerate().map(value).collect();
            all.push((own, Attribute { input: target, values }));
        }
    }
    if all.is_empty() {
        let values = positions.iter().map(|p| p.map(f32::to_bits)).collect();
        all.push((15, Attribute { input: Input::Floats(15), values }));
    }
    Some(all)
}

/// The attachments of a program, and whether it writes `gl_FragColor`.
fn attachments(driven: &Driven<'_>, r: &Reflection) -> Option<(Vec<Kind>, bool)> {
    if r.outputs.iter().any(|o| o.name == "gl_FragColor") {
        return Some((vec![Kind::Float], true));
    }
    let mut kinds = Vec::new();
    for output in r.outputs.iter().filter(|o| o.name != "gl_FragDepth") {
        let shape = shape(output.ty).filter(|s| s.bits == 32)?;
        let theirs = (0..driven.interface(PROGRAM_OUTPUT, ACTIVE_RESOURCES).cast_unsigned())
            .find(|&n| driven.resource_name(PROGRAM_OUTPUT, n) == output.name)?;
        let at = driven.resource(PROGRAM_OUTPUT, theirs, LOCATION)?;
        // One output of all four components at location 0: others are not defined.
        if output.location != Some(0) || at != [0] || output.array_size != 1 || shape.rows != 4 {
            return None;
        }
        kinds.push(match shape.number {
            Number::Float => Kind::Float,
            Number::Int => Kind::Int,
            Number::Uint | Number::Bool => Kind::Uint,
        });
    }
    (kinds.len() == 1).then_some((kinds, false))
}

/// The scene of a program of the corpora.
pub fn scene<'a>(context: &'a Context, device: &Device, case: &Case) -> Setup<'a> {
    let has = |word: &str| case.sources.iter().any(|(_, text)| text.contains(word));
    let stages: Vec<Stage> = case.sources.iter().map(|s| s.0).collect();
    if stages != [Stage::Vertex, Stage::Fragment] {
        return Setup::LeftOut("other stages than a vertex and a fragment shader");
    }
    if let Some((_, why)) = EXCEPTIONS.iter().find(|(name, _)| case.name.contains(name)) {
        return Setup::LeftOut(why);
    }
    for (back, front) in
        [("gl_BackColor", "gl_FrontColor"), ("gl_BackSecondaryColor", "gl_FrontSecondaryColor")]
    {
        if has(back) && !has(front) {
            return Setup::LeftOut("undefined: front faces have no color");
        }
    }
    if has("gl_ClipDistance") || has("gl_CullDistance") || has("gl_Layer") {
        return Setup::LeftOut("clip distances or layers");
    }
    let sources: Vec<(Stage, &str)> = case.sources.iter().map(|(s, text)| (*s, text.as_str())).collect();
    let Ok(linked) = link(device, &sources, &LinkOptions::default()) else {
        return Setup::LeftOut("not linked");
    };
    let Ok(driven) = context.build(&case.sources) else { return Setup::LeftOut("not linked by the driver") };
    let r = linked.reflection();
    if !(r.storage_blocks.is_empty() && r.atomic_buffers.is_empty()) {
        return Setup::LeftOut("storage blocks or counters");
    }
    if r.uniforms.iter().any(|u| shape(u.ty).is_none()) {
        return Setup::LeftOut("textures or images");
    }
    if r.uniform_blocks.iter().any(|b| b.name.contains('[')) {
        return Setup::LeftOut("arrays of blocks");
    }
    let Some(uniforms) = uniforms(&driven, r) else { return Setup::LeftOut("64-bit or built-in uniforms") };
    let Some(attributes) = attributes(&driven, r) else {
        return Setup::LeftOut("64-bit or built-in attributes");
    };
    let Some((kinds, is_one)) = attachments(&driven, r) else { return Setup::LeftOut("several colors") };
    let mut kind = ProgramKind::TRIANGLES | ProgramKind::COLORS;
    kind.set(ProgramKind::ONE, is_one);
    kind.set(ProgramKind::FLOATS, kinds[0] == Kind::Float);
    kind.set(ProgramKind::UINTS, kinds[0] == Kind::Uint);
    kind.set(ProgramKind::PLANES, has("gl_ClipVertex"));
    let mut scene = Scene::new(context, driven, linked.clone(), kind, kinds);
    scene.uniforms = Some(uniforms);
    scene.attributes = attributes;
    Setup::Scene(Box::new(scene))
}

/// Draws by both sides.
pub fn compare(scene: &mut Scene<'_>) -> Outcome {
    let Some(_buffers) = blocks(scene.context, &scene.driven) else {
        return Outcome::NotCompared("64-bit members of blocks");
    };
    let found = match scene.interpreted() {
        Ok(found) => found,
        Err(why) => return Outcome::Different(format!("the interpreter fails: {why}")),
    };
    scene.undefined = 0x5a5a_5a5a_5a5a_5a5a;
    if scene.interpreted().is_ok_and(|other| other != found) {
        return Outcome::NotCompared("the image depends on undefined values");
    }
    let expected = match scene.driven() {
        Ok(expected) => expected,
        Err(why) => return Outcome::Different(why.to_string()),
    };
    match difference(scene, &expected, &found, Tolerance::Edges) {
        Some(why) => Outcome::Different(why),
        None => Outcome::Equal { is_drawn: expected[0].iter().any(|word| *word != 0) },
    }
}
