//! Inputs, resources and targets of a fragment or compute shader alone, from its declarations.

use airfoil_interp::pipeline::{ClipDepth, ColorState, State, Target};
use airfoil_interp::run::{Vertex, variables};
use airfoil_interp::texture::{Color, Compare, Filter, Format, Image, Mip, Sampler, View};
use airfoil_interp::{Binding, Layouts, Leaf, Resources, Space, System, Values};
use airfoil_ir::{Dim, ImageType, Modes, Scalar, Shader, SystemValue, Type, TypeId};
use std::fmt::Write;
use std::sync::Arc;

/// Texels along each side of a texture.
const TEXTURE: u32 = 256;

/// Elements of an array without a length that differ; more repeat them.
const ELEMENTS: u32 = 1 << 12;

/// Most bytes of a storage buffer.
const BYTES: u64 = 1 << 24;

/// Workgroups along an axis that every device has.
const GROUPS: u32 = 65535;

/// The surroundings of a shader.
#[derive(Clone, Debug)]
pub struct Scene {
    /// Everything that the shader declares, with contents.
    pub resources: Resources,
    /// Scalars of the storage buffers: the position in the list of buffers, and the parts.
    pub storage: Vec<(usize, Parts)>,
    /// Storage images by their position in the list of images.
    pub images: Vec<usize>,
    /// Formats of the color attachments, and whether the shader writes them, of fragment shaders.
    pub targets: Vec<(Format, bool)>,
    /// GLSL of a vertex shader that writes all inputs, of fragment shaders.
    pub vertex: String,
    /// Workgroups, of compute shaders.
    pub groups: [u32; 3],
}

/// The scalars of a block.
#[derive(Clone, Debug)]
pub struct Parts {
    leaves: Arc<[Leaf]>,
    /// Where the leaves that repeat start, and their distance in bytes.
    repeats: Option<(u64, u64)>,
    bytes: u64,
}

impl Parts {
    /// Byte offset and type of each scalar.
    pub fn scalars(&self) -> impl Iterator<Item = (usize, Scalar)> + '_ {
        self.leaves.iter().flat_map(move |leaf| {
            let again = self.repeats.filter(|r| leaf.offset >= r.0).map_or(self.bytes, |r| r.1);
            let offsets = (leaf.offset..self.bytes).step_by(again.max(1) as usize);
            offsets.flat_map(move |offset| {
                let component = move |c| (offset + u64::from(leaf.stride) * c) as usize;
                (0..u64::from(leaf.comps)).map(move |c| (component(c), leaf.scalar))
            })
        })
    }
}

/// A hash of two words.
fn mix(a: u64, b: u64) -> u64 {
    let x = (a ^ b.wrapping_mul(0x9e37_79b9_7f4a_7c15)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    (x ^ x >> 29).wrapping_mul(0x94d0_49bb_1331_11eb) >> 16
}

/// A float between a sixteenth and one.
fn float(hash: u64) -> f64 {
    (hash % 61 + 4) as f64 / 64.0
}

/// A component in memory.
fn scalar(scalar: Scalar, hash: u64) -> Vec<u8> {
    let x = float(hash);
    match scalar {
        Scalar::Float16 => (((x as f32).to_bits() >> 13) - (112 << 10)).to_le_bytes()[..2].to_vec(),
        Scalar::Float32 => (x as f32).to_le_bytes().to_vec(),
        Scalar::Float64 => x.to_le_bytes().to_vec(),
        _ => {
            let bytes = usize::from(scalar.bits().max(8) / 8);
            (1 + hash % 8).to_le_bytes()[..bytes].to_vec()
        }
    }
}

impl Scene {
    /// Deterministic surroundings of a shader, for targets and storage images of `size` texels along each side.
    ///
    /// # Errors
    /// The shader declares something that is not modelled.
    pub fn new(shader: &Shader, size: u32) -> Result<Scene, String> {
        let mut scene = Scene {
            resources: Resources::new(),
            storage: Vec::new(),
            images: Vec::new(),
            targets: Vec::new(),
            vertex: String::new(),
            groups: [1; 3],
        };
        let elements = size * size;
        for (key, v) in (1..).zip(shader.vars.values()) {
            let (set, binding) = (v.set.unwrap_or(0), v.binding.unwrap_or(0));
            match v.mode {
                Modes::UBO | Modes::SSBO => {
                    scene.block(shader, v.ty, v.mode, (set, binding), (elements, key))?
                }
                Modes::PUSH_CONST => {
                    let (bytes, _) = fill(shader, v.ty, 1, key)?;
                    scene.resources.push_constants = bytes;
                }
                Modes::UNIFORM | Modes::IMAGE if v.binding.is_some() => {
                    scene.opaque(shader, v.ty, (set, binding), size, key)?;
                }
                _ => {}
            }
        }
        scene.vertex = vertex(shader)?;
        scene.targets = targets(shader)?;
        let [x, y, z] = shader.info.workgroup_size.unwrap_or([1; 3]);
        // As many invocations along each axis as there are texels, or elements.
        scene.groups = match (scene.images.is_empty(), y) {
            (true, 1) => [elements.div_ceil(x).min(GROUPS), 1, 1],
            (true, _) => [size.div_ceil(x), size.div_ceil(y), 1],
            _ => [size.div_ceil(x), size.div_ceil(y), 1u32.div_ceil(z)],
        };
        Ok(scene)
    }

    /// The attachments, of `size` pixels along each side.
    pub fn target(&self, size: u32) -> Target {
        let mut target = Target::new(size, size, 1, self.targets.len());
        target.formats = self.targets.iter().map(|t| t.0).collect();
        target
    }

    /// The state of a draw, which writes the attachments that the shader does.
    pub fn state(&self, size: u32) -> State {
        let mut state = State::new(size, size);
        (state.y_down, state.clip_depth, state.first_provokes) = (true, ClipDepth::ZeroToOne, true);
        let mask = |t: &(_, bool)| ColorState { blend: None, write_mask: if t.1 { 0xf } else { 0 } };
        state.colors = self.targets.iter().map(mask).collect();
        state
    }

    /// The vertices of a draw with the vertex shader: a triangle that covers the target.
    pub fn vertices() -> [Vertex; 3] {
        [0, 1, 2]
            .map(|n| Vertex { inputs: Values::new(), system: System::new().with(SystemValue::vertex_id, n) })
    }

    fn block(
        &mut self,
        shader: &Shader,
        ty: TypeId,
        mode: Modes,
        (set, binding): (u32, u32),
        (elements, key): (u32, u64),
    ) -> Result<(), String> {
        let storage = mode == Modes::SSBO;
        let objects = Layouts::new(&shader.types, 1).objects(ty).min(64);
        let ty = shader.types.without_arrays(ty);
        for element in 0..objects {
            let elements = if storage { elements } else { 1 };
            let (bytes, parts) = fill(shader, ty, elements, mix(key, element.into()))?;
            let buffer = self.resources.add_buffer(bytes);
            if storage {
                self.storage.push((buffer, parts));
            }
            let space = if storage { Space::Storage } else { Space::Uniform };
            self.resources.bind(
                space,
                set,
                binding,
                element,
                Binding::Buffer { buffer, offset: 0, size: None },
            );
        }
        Ok(())
    }

    fn opaque(
        &mut self,
        shader: &Shader,
        ty: TypeId,
        (set, binding): (u32, u32),
        size: u32,
        key: u64,
    ) -> Result<(), String> {
        let objects = Layouts::new(&shader.types, 4).objects(ty).min(64);
        for element in 0..objects {
            let (space, what) = match &shader.types[shader.types.without_arrays(ty)] {
                Type::Sampler => (Space::Texture, Binding::Sampler(self.sampler(false))),
                Type::Image(image) if image.dim == Dim::Buffer => {
                    let format = texels(image);
                    let words = (0..ELEMENTS as u64).flat_map(|n| {
                        let mut texel = vec![0; format.bytes()];
                        format.write(&mut texel, color(format, mix(key, n)));
                        texel
                    });
                    let buffer = self.resources.add_buffer(words.collect());
                    let space = if image.storage { Space::Image } else { Space::Texture };
                    (space, Binding::TexelBuffer { buffer, offset: 0, size: None, format })
                }
                Type::Image(image) => {
                    let at = self.resources.add_image(contents(image, size, key)?);
                    if image.storage {
                        self.images.push(at);
                        (Space::Image, Binding::Image { image: at, level: 0, layer: None, format: None })
                    } else {
                        let sampler = image.combined.then(|| self.sampler(image.shadow));
                        (Space::Texture, Binding::Texture { image: at, view: View::default(), sampler })
                    }
                }
                _ => return Err("a resource of this type".into()),
            };
            self.resources.bind(space, set, binding, element, what);
        }
        Ok(())
    }

    fn sampler(&mut self, shadow: bool) -> usize {
        let compare = shadow.then_some(Compare::LessEqual);
        let linear =
            Sampler { mag: Filter::Linear, min: Filter::Linear, mip: Mip::Linear, ..Sampler::default() };
        self.resources.add_sampler(Sampler { compare, ..linear })
    }
}

/// The bytes of a block, and its scalars. A list without a length has up to `elements` elements.
fn fill(shader: &Shader, ty: TypeId, elements: u32, key: u64) -> Result<(Vec<u8>, Parts), String> {
    let mut runtime = ELEMENTS.min(elements.max(1));
    let leaves = loop {
        match Layouts::new(&shader.types, runtime).leaves(ty) {
            Ok(leaves) => break leaves,
            Err(_) if runtime > 1 => runtime /= 2,
            Err(fault) => return Err(fault.message),
        }
    };
    let size = |runtime| Layouts::new(&shader.types, runtime).of(ty).0;
    let mut bytes = vec![0; size(runtime) as usize];
    for (n, leaf) in (1..).zip(leaves.iter()) {
        for c in 0..u64::from(leaf.comps) {
            let at = (leaf.offset + c * u64::from(leaf.stride)) as usize;
            let value = scalar(leaf.scalar, mix(key, n * 4 + c));
            if let Some(place) = bytes.get_mut(at..at + value.len()) {
                place.copy_from_slice(&value);
            }
        }
    }
    let list = size(2 * runtime) - size(runtime);
    let start = bytes.len() as u64 - list;
    let times = (u64::from(elements / runtime)).min(BYTES / list.max(1));
    let repeats = (list > 0 && times > 1).then_some((start, list));
    if repeats.is_some() {
        let elements = bytes[start as usize..].to_vec();
        (1..times).for_each(|_| bytes.extend_from_slice(&elements));
    }
    let parts = Parts { leaves, repeats, bytes: bytes.len() as u64 };
    bytes.resize(bytes.len().next_multiple_of(16), 0);
    Ok((bytes, parts))
}

/// The format of an image of a type.
fn texels(image: &ImageType) -> Format {
    match (Format::declared(image.format), image.sampled) {
        (Some(format), _) if image.storage => format,
        _ if image.shadow => Format::D32f,
        (_, Scalar::Float32 | Scalar::Float16 | Scalar::Float64) => Format::Rgba8,
        (_, Scalar::Int32 | Scalar::Int16 | Scalar::Int8) => Format::Rgba32i,
        _ => Format::Rgba32ui,
    }
}

fn color(format: Format, hash: u64) -> Color {
    let hashes = [0, 1, 2, 3].map(|c| mix(hash, c));
    if format.is_integer() {
        Color::Int(hashes.map(|h| (h % 8) as i64))
    } else {
        Color::Float(hashes.map(float))
    }
}

/// An image of hashes, on a grid that is coarse enough for filters to matter.
fn contents(image: &ImageType, size: u32, key: u64) -> Result<Image, String> {
    let side = if image.storage { size } else { TEXTURE };
    let (extent, mut layers) = match image.dim {
        Dim::D1 => ([side, 1, 1], 1),
        Dim::D3 => ([side.min(64); 3], 1),
        Dim::Cube => ([side, side, 1], 6),
        _ => ([side, side, 1], 1),
    };
    if image.arrayed {
        layers *= 2;
    }
    let format = texels(image);
    let levels = if image.storage { 1 } else { 32 - extent[0].leading_zeros() };
    let mut made = Image::new(image.dim, format, extent, layers, levels, 1).map_err(|fault| fault.message)?;
    for level in 0..levels {
        for (n, texel) in (0..).zip(made.bytes_mut(level).chunks_exact_mut(format.bytes())) {
            format.write(texel, color(format, mix(key, n / 4)));
        }
    }
    Ok(made)
}

/// GLSL of a vertex shader for a triangle that covers the target, and for all inputs of a fragment shader.
fn vertex(shader: &Shader) -> Result<String, String> {
    let (mut declarations, mut stores) = (String::new(), String::new());
    for var in variables(shader, Modes::IN) {
        let Some(location) = var.slot.as_generic() else { continue };
        let (mut ty, mut length) = (var.ty, None);
        if let Type::Array { elem, len, .. } = shader.types[ty] {
            (ty, length) = (elem, Some(len));
        }
        let (name, columns) = match shader.types[ty] {
            Type::Vector { scalar, comps } => (vector(scalar, comps)?, None),
            Type::Matrix { scalar: Scalar::Float32, cols, rows, .. } => {
                (format!("mat{cols}x{rows}"), Some((cols, vector(Scalar::Float32, rows)?)))
            }
            _ => return Err("an input of this type".into()),
        };
        let component =
            if var.component > 0 { format!(", component = {}", var.component) } else { String::new() };
        let array = length.map_or(String::new(), |n| format!("[{n}]"));
        let _ = writeln!(
            declarations,
            "layout(location = {location}{component}) out {name} o{location}_{}{array};",
            var.component
        );
        for element in 0..length.unwrap_or(1) {
            let index = if length.is_some() { format!("[{element}]") } else { String::new() };
            for column in 0..columns.as_ref().map_or(1, |c| c.0) {
                let column_index = if columns.is_some() { format!("[{column}]") } else { String::new() };
                let key = u64::from(location * 64 + element * 4 + u32::from(column) + var.component * 1000);
                let part = |n: u64| {
                    let of = |c: u64| format!("{:.4}", float(mix(key + 1, n * 4 + c)) * 1.5 - 0.5);
                    format!("vec4({}, {}, {}, {})", of(0), of(1), of(2), of(3))
                };
                let value = format!("({} + {} * p.x + {} * p.y)", part(0), part(1), part(2));
                let ty = columns.as_ref().map_or(&name, |c| &c.1);
                // Integers are small and not negative.
                let value = if ty.starts_with(['i', 'u']) { format!("abs{value} * 4.0") } else { value };
                let comps = ty.chars().last().and_then(|c| c.to_digit(10)).filter(|_| ty.contains("vec"));
                let swizzle = &"xyzw"[..comps.unwrap_or(1) as usize];
                let _ = writeln!(
                    stores,
                    "    o{location}_{}{index}{column_index} = {ty}(({value}).{swizzle});",
                    var.component
                );
            }
        }
    }
    Ok(format!(
        "#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : enable
{declarations}void main() {{
    vec2 p = vec2(gl_VertexIndex == 1 ? 3.0 : -1.0, gl_VertexIndex == 2 ? 3.0 : -1.0);
    gl_Position = vec4(p, 0.5, 1.0);
{stores}}}
"
    ))
}

fn vector(scalar: Scalar, comps: u8) -> Result<String, String> {
    let (one, many) = match scalar {
        Scalar::Float32 => ("float", "vec"),
        Scalar::Float16 => ("float16_t", "f16vec"),
        Scalar::Int32 => ("int", "ivec"),
        Scalar::Uint32 => ("uint", "uvec"),
        _ => return Err(format!("an input of {scalar:?}")),
    };
    Ok(if comps == 1 { one.into() } else { format!("{many}{comps}") })
}

/// The formats of the color attachments.
fn targets(shader: &Shader) -> Result<Vec<(Format, bool)>, String> {
    let unused = (Format::Rgba8, false);
    let mut all = vec![unused];
    for var in variables(shader, Modes::OUT) {
        let Some(location) = var.slot.as_generic() else { continue };
        let format = match var.scalar {
            Scalar::Float32 | Scalar::Float16 => Format::Rgba8,
            Scalar::Int32 => Format::Rgba32i,
            Scalar::Uint32 => Format::Rgba32ui,
            other => return Err(format!("an output of {other:?}")),
        };
        for n in location..location + var.num_slots {
            all.resize(all.len().max(n as usize + 1), unused);
            all[n as usize] = (format, true);
        }
    }
    Ok(all)
}
