//! Draws of a case on an engine: the interpreter with the source's shaders, or AIR with the functions of the library.

use crate::metal;
use crate::schema::{Case, Pass};
use airfoil::interp::pipeline::{
    Blend, BlendOp, ClipDepth, ColorState, Draw, Factor, Pipeline, Stages, State, Target, Topology,
};
use airfoil::interp::run::Vertex;
use airfoil::interp::texture::{Color, Format, Image};
use airfoil::interp::{Resources, System, Values};
use airfoil::ir::{Dim, Slot, SystemValue};
use std::collections::BTreeMap;

/// The files of a case, by name.
pub type Files = BTreeMap<String, Vec<u8>>;

/// The contents of a buffer.
pub fn buffer<'f>(case: &Case, files: &'f Files, name: &str) -> Result<&'f [u8], String> {
    let buffer = case.buffers.iter().find(|b| b.name == name);
    let bytes = buffer.and_then(|b| files.get(&b.file));
    bytes.map(Vec::as_slice).ok_or_else(|| format!("there is no buffer `{name}`"))
}

fn words(bytes: &[u8]) -> Vec<u32> {
    bytes.chunks_exact(4).map(|w| u32::from_le_bytes([w[0], w[1], w[2], w[3]])).collect()
}

/// The vertices of a draw with their attributes.
fn vertices(
    case: &Case,
    files: &Files,
    pass: &Pass,
    count: u64,
    instance: u64,
) -> Result<Vec<Vertex>, String> {
    let mut attributes = Vec::new();
    for a in &pass.attributes {
        attributes.push((a, buffer(case, files, &a.resource)?));
    }
    let vertex = |n: u64| {
        let mut values = Values::new();
        for (a, bytes) in &attributes {
            let Some(slot) = Slot::generic(a.index as u32) else { continue };
            let at = if a.per_instance { instance } else { n } as usize * a.stride as usize;
            let words = metal::vertex_words(a.format, bytes.get(at..).unwrap_or_default());
            values.set_words(slot, words);
        }
        let system = System::new().with(SystemValue::vertex_id, n).with(SystemValue::vertex_id_zero_base, n);
        Vertex { inputs: values, system }
    };
    Ok((0..count).map(vertex).collect())
}

/// `MTLBlendFactor`.
fn factor(raw: u64) -> Factor {
    match raw {
        1 => Factor::One,
        2 => Factor::SourceColor,
        3 => Factor::OneMinusSourceColor,
        4 => Factor::SourceAlpha,
        5 => Factor::OneMinusSourceAlpha,
        15 => Factor::Source1Color,
        16 => Factor::OneMinusSource1Color,
        _ => Factor::Zero,
    }
}

/// The initial words of a colour.
fn clear_words(format: Format, clear: [f64; 4]) -> [u32; 4] {
    if format.is_integer() { clear.map(|x| x as i64 as u32) } else { clear.map(|x| (x as f32).to_bits()) }
}

/// Draws. Positions have y down in clip space, as in Vulkan; rows of the image count from the top. `made` replaces the vertices of the pass:
/// those of a mesh function.
pub fn draw<P: Stages>(
    mut pipeline: Pipeline<'_, P>,
    case: &Case,
    files: &Files,
    pass: &Pass,
    resources: &mut Resources,
    made: Option<(Vec<Vertex>, Topology)>,
) -> Result<BTreeMap<String, Vec<u8>>, String> {
    let draw = pass.draw.as_ref().ok_or("the pass is not a draw")?;
    let texture = |name: &str| {
        case.textures.iter().find(|t| t.name == name).ok_or_else(|| format!("there is no texture `{name}`"))
    };
    let first = draw.colors.first().map(|c| &c.texture).or(draw.depth.as_ref().map(|d| &d.texture));
    let size = texture(first.ok_or("the draw has no attachments")?)?.size;
    let [width, height] = [size[0] as u32, size[1] as u32];
    let mut state = State::new(width, height);
    (state.y_down, state.first_provokes, state.clip_depth) = (true, true, ClipDepth::ZeroToOne);
    (state.clip_distances, state.shader_point_size) = (0xff, true);
    (state.cull_front, state.cull_back) = (draw.cull == 1, draw.cull == 2);
    state.front_clockwise = draw.winding == 0;
    let layers = draw.layers.max(1) as u32;
    let mut target = Target::new(width, height, layers, draw.colors.len());
    for (n, color) in draw.colors.iter().enumerate() {
        let format = metal::format_of(texture(&color.texture)?.format).ok_or("an unknown pixel format")?;
        target.formats[n] = format;
        target.clear(n, clear_words(format, color.clear));
        let blend = color.blend.map(|[src, dst]| Blend::of(BlendOp::Add, factor(src), factor(dst)));
        state.colors.push(ColorState { blend, ..ColorState::default() });
    }
    if let Some(depth) = &draw.depth {
        let pixels = width as usize * height as usize * layers as usize;
        target.depth = Some(vec![depth.clear as f32; pixels]);
        state.depth_test = metal::compare_of(depth.compare);
    }
    let mut target = target.with_samples(draw.samples.max(1) as u32).map_err(|f| f.message)?;
    let mut topology = made.as_ref().map_or(metal::topology_of(draw.topology), |m| m.1);
    if let Some(t) = &draw.tessellation {
        topology = Topology::Patches(1);
        // Without a control shader.
        let levels = buffer(case, files, &t.factors)?;
        let level = |n: usize| match levels.get(2 * n..2 * n + 2).map(|bytes| Format::R16f.read(bytes)) {
            Some(Color::Float(level)) => level[0] as f32,
            _ => 0.0,
        };
        // Triangles have three factors of edges and one inside, quads four and two.
        let edges = if levels.len() < 12 { 3 } else { 4 };
        state.patch_levels = (std::array::from_fn(level), [level(edges), level(edges + 1)]);
    }
    let indices = match &draw.indices {
        Some(i) => {
            let bytes = buffer(case, files, &i.resource)?;
            let all = match i.index_type {
                0 => bytes.chunks_exact(2).map(|w| u32::from(u16::from_le_bytes([w[0], w[1]]))).collect(),
                _ => words(bytes),
            };
            Some(all.iter().map(|&n| (i64::from(n) + i.base_vertex) as u32).collect::<Vec<u32>>())
        }
        None => None,
    };
    let count =
        indices.as_ref().map_or(draw.vertices, |i| u64::from(i.iter().copied().max().unwrap_or(0)) + 1);
    for instance in 0..draw.instances.max(1) {
        let vertices = match &made {
            Some((made, _)) => made.clone(),
            None => vertices(case, files, pass, count, instance)?,
        };
        let mut system = System::new();
        system.set(SystemValue::instance_id, [instance, 0, 0, 0]);
        if let Some(i) = &draw.indices {
            system.set(SystemValue::base_vertex, [i.base_vertex as u32 as u64, 0, 0, 0]);
        }
        let draw = Draw { topology, vertices: &vertices, indices: indices.as_deref(), system };
        pipeline.draw(resources, &draw, &state, &mut target).map_err(|f| f.message)?;
    }
    let mut out = BTreeMap::new();
    for (n, color) in draw.colors.iter().enumerate() {
        let name = color.resolve.as_ref().unwrap_or(&color.texture);
        let format = target.formats[n];
        let mut image =
            Image::new(Dim::D2, format, [width, height, 1], layers, 1, 1).map_err(|f| f.message)?;
        let words = target.resolved(n);
        // Every texel is stored: `store` leaves out the equal ones.
        let before: Vec<[u32; 4]> = words.iter().map(|w| w.map(|x| !x)).collect();
        let flat = Target::new(width, height, layers, 0);
        flat.store(&mut image, 0, &before, &words);
        out.insert(name.clone(), image.bytes(0).to_vec());
    }
    if let (Some(depth), Some(values)) = (&draw.depth, &target.depth) {
        let samples = draw.samples.max(1) as usize;
        let bytes = values.iter().step_by(samples).flat_map(|d| d.to_le_bytes()).collect();
        out.insert(depth.texture.clone(), bytes);
    }
    Ok(out)
}
