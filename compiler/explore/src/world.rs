//! The world of a fragment shader that is drawn: its inputs, uniforms and textures.

use airfoil::Shader;
use airfoil::interp::run::Vertex;
use airfoil::interp::texture::{Color, Filter, Format, Image, Sampler, View};
use airfoil::interp::{Binding, Layouts, Program, Resources, Space, System, Values};
use airfoil::ir::alu::f64_to_bits;
use airfoil::ir::{Dim, ImageType, Modes, Scalar, Slot, Type, TypeId, Types, Variable};
use rustc_hash::FxHashMap;
use serde_json::{Value, json};

/// Most elements of an array, and most numbers in all, that the page has controls for.
const MOST_ELEMENTS: u32 = 16;
const MOST_CONTROLS: usize = 256;

/// Texels along the edges of textures.
const SIZE: u32 = 64;

/// A scalar, vector or matrix that the page sets.
#[derive(Debug)]
struct Uniform {
    /// The variable.
    var: usize,
    /// Path within it, such as `.lights[2].colour`.
    path: String,
    /// Name on the page.
    name: String,
    ty: TypeId,
}

/// The values that a shader reads besides its inputs.
#[derive(Debug)]
pub struct World {
    types: Types,
    vars: Vec<Variable>,
    uniforms: Vec<Uniform>,
    inputs: Vec<airfoil::interp::run::IoVar>,
    textures: Vec<(usize, Image)>,
}

impl World {
    /// The world of a shader as it was read.
    ///
    /// # Errors
    /// The interpreter cannot execute it.
    pub fn new(shader: &Shader) -> Result<World, String> {
        let inputs = match Program::new(shader, Default::default()) {
            Ok(program) => program.inputs().to_vec(),
            Err(fault) => return Err(fault.message),
        };
        let modes = Modes::UNIFORM | Modes::UBO | Modes::PUSH_CONST | Modes::IMAGE | Modes::SSBO;
        let vars: Vec<Variable> = shader.vars.values().filter(|v| modes.contains(v.mode)).cloned().collect();
        let types = shader.types.clone();
        let mut world = World { types, vars, uniforms: Vec::new(), inputs, textures: Vec::new() };
        for n in 0..world.vars.len() {
            let var = &world.vars[n];
            match world.types[world.types.without_arrays(var.ty)] {
                Type::Image(image) => {
                    let image = texture(&image)?;
                    world.textures.push((n, image));
                }
                Type::Sampler => {}
                _ if var.mode == Modes::SSBO => {}
                _ => {
                    let (ty, name) = (var.ty, prefix(&world.types, var));
                    world.list(n, ty, String::new(), name);
                }
            }
        }
        Ok(world)
    }

    fn list(&mut self, var: usize, ty: TypeId, path: String, name: String) {
        if self.uniforms.len() >= MOST_CONTROLS {
            return;
        }
        match self.types[ty].clone() {
            Type::Struct(s) => {
                for member in &s.members {
                    let dot = if name.is_empty() { "" } else { "." };
                    let inner = format!("{name}{dot}{}", member.name);
                    self.list(var, member.ty, format!("{path}.{}", member.name), inner);
                }
            }
            Type::Array { elem, len, .. } => {
                for n in 0..len.min(MOST_ELEMENTS) {
                    self.list(var, elem, format!("{path}[{n}]"), format!("{name}[{n}]"));
                }
            }
            Type::Vector { .. } | Type::Matrix { .. } => self.uniforms.push(Uniform { var, path, name, ty }),
            Type::Image(_) | Type::Sampler => {}
        }
    }

    /// Inputs and uniforms, for the controls of the page.
    pub fn to_json(&self) -> Value {
        let uniform = |u: &Uniform| {
            let (scalar, numbers) = shape(&self.types, u.ty);
            json!({ "name": u.name, "type": scalar.map(kind), "numbers": numbers })
        };
        let input = |i: &airfoil::interp::run::IoVar| json!({ "name": i.name.as_str(), "comps": i.comps });
        let texture = |(n, image): &(usize, Image)| json!({ "name": self.vars[*n].name.as_str(), "dim": image.dim.to_string() });
        json!({
            "inputs": self.inputs.iter().map(input).collect::<Value>(),
            "uniforms": self.uniforms.iter().map(uniform).collect::<Value>(),
            "textures": self.textures.iter().map(texture).collect::<Value>(),
        })
    }

    /// The four corners of the image. `given` has, by the name of an input, four lists of numbers; others are the location on
    /// the image: x and y from 0 to 1.
    pub fn corners(&self, given: &Value) -> Vec<Vertex> {
        let corner = |n: usize| {
            let place = [(n & 1) as f64, (n >> 1) as f64];
            let mut values = Values::new();
            for input in &self.inputs {
                let own = given[&*input.name][n].as_array();
                let number = |c: usize| match own {
                    Some(list) => list.get(c).and_then(Value::as_f64).unwrap_or(0.0),
                    None => [place[0], place[1], 0.0, 1.0][c & 3],
                };
                set_input(input, number, &mut values);
            }
            let [x, y] = place.map(|x| x as f32 * 2.0 - 1.0);
            values.set_floats(Slot::POSITION, [x, y, 0.0, 1.0]);
            Vertex { inputs: values, system: System::new() }
        };
        (0..4).map(corner).collect()
    }

    /// Everything that the shader reads, with the numbers that the page gives by the names of uniforms.
    pub fn resources(&self, given: &Value) -> Resources {
        let mut resources = Resources::new();
        let mut memory: FxHashMap<usize, Vec<u8>> = FxHashMap::default();
        for u in &self.uniforms {
            let numbers = given[u.name.as_str()].as_array().map_or(&[][..], Vec::as_slice);
            let var = &self.vars[u.var];
            if var.mode == Modes::UNIFORM {
                let Some(scalar) = shape(&self.types, u.ty).0 else { continue };
                let bits: Vec<u64> = numbers.iter().map(|n| bits_of(scalar, n)).collect();
                if !bits.is_empty() {
                    resources.set_uniform(&format!("{}{}", var.name, u.path), &bits);
                }
                continue;
            }
            let mut layouts = Layouts::new(&self.types, 0);
            let Some((offset, ty)) = layouts.step(var.ty, &u.path) else { continue };
            let size = layouts.of(var.ty).0.min(1 << 20) as usize;
            let bytes = memory.entry(u.var).or_insert_with(|| vec![0; size]);
            let Ok(leaves) = layouts.leaves(ty) else { continue };
            let places = leaves.iter().flat_map(|l| {
                (0..u64::from(l.comps)).map(move |c| (offset + l.offset + c * u64::from(l.stride), l.scalar))
            });
            for ((at, scalar), n) in places.zip(numbers) {
                let (raw, width) = (bits_of(scalar, n).to_le_bytes(), usize::from(scalar.bits().max(8)) / 8);
                // Booleans take 32 bits in memory.
                let width = if scalar == Scalar::Bool { 4 } else { width };
                if let Some(to) = bytes.get_mut(at as usize..at as usize + width) {
                    to.copy_from_slice(&raw[..width]);
                }
            }
        }
        for (n, var) in self.vars.iter().enumerate() {
            let bytes = memory.remove(&n);
            self.bind(var, bytes, &mut resources);
        }
        let sampler = Sampler { mag: Filter::Linear, min: Filter::Linear, ..Sampler::default() };
        let sampler = resources.add_sampler(sampler);
        for (n, image) in &self.textures {
            let (var, image) = (&self.vars[*n], resources.add_image(image.clone()));
            let storage = var.mode == Modes::IMAGE;
            let (space, binding) = match storage {
                true => (Space::Image, Binding::Image { image, level: 0, layer: None, format: None }),
                false => (
                    Space::Texture,
                    Binding::Texture { image, view: View::default(), sampler: Some(sampler) },
                ),
            };
            bind(&mut resources, &self.types, var, space, &binding);
        }
        for var in
            self.vars.iter().filter(|v| matches!(self.types[self.types.without_arrays(v.ty)], Type::Sampler))
        {
            bind(&mut resources, &self.types, var, Space::Texture, &Binding::Sampler(sampler));
        }
        resources
    }

    /// Binds the memory of a block.
    fn bind(&self, var: &Variable, bytes: Option<Vec<u8>>, resources: &mut Resources) {
        let space = match var.mode {
            Modes::PUSH_CONST => {
                resources.push_constants = bytes.unwrap_or_default();
                return;
            }
            Modes::UBO => Space::Uniform,
            Modes::SSBO => Space::Storage,
            _ => return,
        };
        let buffer = resources.add_buffer(bytes.unwrap_or_else(|| vec![0; 1 << 12]));
        bind(resources, &self.types, var, space, &Binding::Buffer { buffer, offset: 0, size: None });
    }
}

/// Binds something to all elements of a variable, by its binding or by name.
fn bind(resources: &mut Resources, types: &Types, var: &Variable, space: Space, what: &Binding) {
    for element in 0..Layouts::new(types, 1).objects(var.ty).min(MOST_ELEMENTS) {
        match var.binding {
            Some(binding) => resources.bind(space, var.set.unwrap_or(0), binding, element, what.clone()),
            None => resources.bind_name(&var.name, element, what.clone()),
        }
    }
}

/// The first part of the names of a variable's uniforms.
fn prefix(types: &Types, var: &Variable) -> String {
    match &types[types.without_arrays(var.ty)] {
        // Members of the default block and of blocks without a name are named alone.
        Type::Struct(s) if s.block && (&*s.name == "gl_DefaultUniformBlock" || var.name.is_empty()) => {
            String::new()
        }
        _ => var.name.to_string(),
    }
}

/// The scalar type and the count of numbers of a scalar, vector or matrix.
fn shape(types: &Types, ty: TypeId) -> (Option<Scalar>, u32) {
    match types[ty] {
        Type::Vector { scalar, comps } => (Some(scalar), u32::from(comps)),
        Type::Matrix { scalar, cols, rows, .. } => (Some(scalar), u32::from(cols) * u32::from(rows)),
        _ => (None, 0),
    }
}

fn kind(scalar: Scalar) -> &'static str {
    match scalar {
        Scalar::Bool => "bool",
        s if s.is_float() => "float",
        s if s.is_signed() => "int",
        _ => "uint",
    }
}

fn bits_of(scalar: Scalar, number: &Value) -> u64 {
    let x = number.as_f64().unwrap_or(0.0);
    match scalar {
        Scalar::Bool => u64::from(x != 0.0),
        s if s.is_float() => f64_to_bits(x, u32::from(s.bits())),
        _ => x as i64 as u64,
    }
}

fn set_input(input: &airfoil::interp::run::IoVar, number: impl Fn(usize) -> f64, values: &mut Values) {
    let comps = usize::from(input.comps).clamp(1, 4);
    let wide = input.scalar.bits() == 64;
    for slot in 0..input.num_slots {
        let Some(at) = input.slot.offset(slot) else { continue };
        for c in 0..comps as u32 {
            let bits = match input.scalar {
                Scalar::Any => f64_to_bits(number(c as usize), 32),
                s if s.is_float() => f64_to_bits(number(c as usize), u32::from(s.bits())),
                _ => number(c as usize) as i64 as u64,
            };
            let component = input.component + c * if wide { 2 } else { 1 };
            match wide {
                true if component < 4 => values.set_wide(at, component, bits),
                false if component < 4 => values.set(at, component, bits as u32),
                _ => {}
            }
        }
    }
}

/// A texture with visible contents: a sky for cubes, waves and a checkerboard for others.
fn texture(ty: &ImageType) -> Result<Image, String> {
    let format = match ty.sampled {
        _ if ty.storage && Format::declared(ty.format).is_some() => {
            Format::declared(ty.format).unwrap_or(Format::Rgba8)
        }
        s if s.is_float() => Format::Rgba32f,
        s if s.is_signed() => Format::Rgba32i,
        _ => Format::Rgba32ui,
    };
    let dim = if matches!(ty.dim, Dim::D1 | Dim::D3 | Dim::Cube | Dim::Buffer) { ty.dim } else { Dim::D2 };
    let size = match dim {
        Dim::D1 | Dim::Buffer => [SIZE, 1, 1],
        Dim::D3 => [SIZE / 4; 3],
        _ => [SIZE, SIZE, 1],
    };
    let faces = if dim == Dim::Cube { 6 } else { 1 };
    let layers = if ty.arrayed { 4 * faces } else { faces };
    let mut image = Image::new(dim, format, size, layers, 1, 1).map_err(|fault| fault.message)?;
    for layer in 0..layers {
        for z in 0..size[2] {
            for y in 0..size[1] {
                for x in 0..size[0] {
                    let at = [x, y, z].map(|n| f64::from(n) + 0.5);
                    let at: [f64; 3] = std::array::from_fn(|i| at[i] / f64::from(size[i]));
                    let color = if dim == Dim::Cube { sky(layer % 6, at) } else { pattern(layer, at) };
                    let color = match format.is_integer() {
                        true => Color::Int(color.map(|c| (c * 255.0) as i64)),
                        false => Color::Float(color),
                    };
                    image.set(0, layer, [x, y, z], 0, color);
                }
            }
        }
    }
    Ok(image)
}

/// Waves over a checkerboard.
fn pattern(layer: u32, [x, y, z]: [f64; 3]) -> [f64; 4] {
    let tau = std::f64::consts::TAU;
    let wave = 0.5 + 0.25 * ((tau * 2.0 * x).sin() + (tau * (3.0 * y + z)).cos());
    let check = f64::from(u8::from(((x * 8.0) as u32 + (y * 8.0) as u32).is_multiple_of(2)));
    let shade = 0.25 + 0.5 * wave + 0.25 * check;
    let tint = f64::from(layer % 4) * 0.2;
    [shade, shade * (0.95 - tint * 0.5), (shade * 0.8 + tint).min(1.0), 1.0]
}

/// The sky that a face of a cube shows: a sun over a horizon.
fn sky(face: u32, [u, v, _]: [f64; 3]) -> [f64; 4] {
    let (s, t) = (2.0 * u - 1.0, 2.0 * v - 1.0);
    let [x, y, z] = match face {
        0 => [1.0, -t, -s],
        1 => [-1.0, -t, s],
        2 => [s, 1.0, t],
        3 => [s, -1.0, -t],
        4 => [s, -t, 1.0],
        _ => [-s, -t, -1.0],
    };
    let length = f64::sqrt(x * x + y * y + z * z);
    let [x, y, z] = [x, y, z].map(|c: f64| c / length);
    let height = y.clamp(-0.2, 1.0);
    let glow = (0.55 * x + 0.45 * y - 0.7 * z).max(0.0);
    let sun = glow.powi(64) + 0.35 * glow.powi(6);
    let fade = (1.0 - height).powi(3);
    let mix = |top: f64, low: f64, light: f64| (top + (low - top) * fade + light * sun).min(1.0);
    [mix(0.16, 0.85, 1.0), mix(0.38, 0.78, 0.85), mix(0.78, 0.80, 0.5), 1.0]
}
