//! The inputs of executions: buffers, uniforms and textures by name or binding.

use crate::number::Number;
use airfoil::interp::texture::{Filter, Format, Image, Sampler, View, Wrap};
use airfoil::interp::{Binding, Layouts, Resources, Space};
use airfoil::ir::{Dim, Modes, Shader, Type, TypeId, Variable};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;

/// The name or the numbers of a resource.
#[derive(FromPyObject)]
pub enum Key {
    /// Name of the variable or block; an element of an array is `name[2]`.
    Name(String),
    /// Binding in set 0.
    Binding(u32),
    /// Set and binding.
    Pair(u32, u32),
}

/// A texture with one level.
#[derive(FromPyObject)]
pub struct Texture {
    size: (u32, u32),
    format: String,
    texels: PyBackedBytes,
    filter: String,
    wrap: String,
}

/// Everything that a caller gives.
#[derive(FromPyObject)]
pub struct Given {
    buffers: Vec<(Key, PyBackedBytes)>,
    uniforms: Vec<(String, Vec<Number>)>,
    textures: Vec<(Key, Texture)>,
    push_constants: PyBackedBytes,
}

/// Resources of the interpreter, and the indices of the buffers in the order in which they were given.
pub struct Bound {
    /// The resources.
    pub resources: Resources,
    /// Index of each buffer.
    pub buffers: Vec<usize>,
}

impl Given {
    /// The resources for shaders.
    ///
    /// # Errors
    /// A message about a resource that no shader has, or that does not fit.
    pub fn bind(&self, shaders: &[&Shader]) -> Result<Bound, String> {
        let mut resources = Resources::new();
        let mut buffers = Vec::with_capacity(self.buffers.len());
        for (key, bytes) in &self.buffers {
            let buffer = resources.add_buffer(bytes.to_vec());
            let whole = Binding::Buffer { buffer, offset: 0, size: None };
            bind(&mut resources, shaders, key, Kind::Buffer, &whole)?;
            buffers.push(buffer);
        }
        for (key, texture) in &self.textures {
            let image = resources.add_image(texture.image()?);
            let sampler = Some(resources.add_sampler(texture.sampler()?));
            let whole = Binding::Texture { image, view: View::default(), sampler };
            bind(&mut resources, shaders, key, Kind::Texture, &whole)?;
        }
        for (path, numbers) in &self.uniforms {
            set_uniform(&mut resources, shaders, path, numbers)?;
        }
        resources.push_constants = self.push_constants.to_vec();
        Ok(Bound { resources, buffers })
    }
}

/// Kinds of resources that are bound.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Buffer,
    Texture,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Kind::Buffer => "buffer",
            Kind::Texture => "texture",
        }
    }

    /// The space of a variable's binding, if it is of this kind.
    fn space(self, shader: &Shader, v: &Variable) -> Option<Space> {
        match (self, v.mode) {
            (Kind::Buffer, Modes::UBO) => Some(Space::Uniform),
            (Kind::Buffer, Modes::SSBO) => Some(Space::Storage),
            (Kind::Texture, Modes::UNIFORM) => shader.types.is_opaque(v.ty).then_some(Space::Texture),
            _ => None,
        }
    }
}

impl Key {
    /// Name or numbers, and the element of an array.
    fn element(&self) -> Result<(&str, u32), String> {
        let Key::Name(name) = self else { return Ok(("", 0)) };
        let Some((base, index)) = name.strip_suffix(']').and_then(|n| n.rsplit_once('[')) else {
            return Ok((name, 0));
        };
        index.parse().map(|index| (base, index)).map_err(|_| format!("`{name}`: `{index}` is not an index"))
    }

    fn is_for(&self, base: &str, shader: &Shader, v: &Variable) -> bool {
        let numbers = v.binding.map(|binding| (v.set.unwrap_or(0), binding));
        match *self {
            Key::Name(_) => !base.is_empty() && (*v.name == *base || block_name(shader, v) == base),
            Key::Binding(binding) => numbers == Some((0, binding)),
            Key::Pair(set, binding) => numbers == Some((set, binding)),
        }
    }

    fn title(&self) -> String {
        match self {
            Key::Name(name) => name.clone(),
            Key::Binding(binding) => binding.to_string(),
            Key::Pair(set, binding) => format!("{set}, {binding}"),
        }
    }
}

/// The name of a block.
fn block_name<'s>(shader: &'s Shader, v: &Variable) -> &'s str {
    match &shader.types[shader.types.without_arrays(v.ty)] {
        Type::Struct(s) => &s.name,
        _ => "",
    }
}

/// Binds something to the variables of a key in all shaders.
fn bind(
    resources: &mut Resources,
    shaders: &[&Shader],
    key: &Key,
    kind: Kind,
    what: &Binding,
) -> Result<(), String> {
    let (base, element) = key.element()?;
    let (mut found, mut there) = (Vec::new(), Vec::new());
    for shader in shaders {
        let layouts = Layouts::new(&shader.types, 0);
        for v in shader.vars.values() {
            let Some(space) = kind.space(shader, v) else { continue };
            let name = if v.name.is_empty() { block_name(shader, v) } else { &v.name };
            there.push(name.to_string());
            if !key.is_for(base, shader, v) {
                continue;
            }
            let elements = layouts.objects(v.ty);
            if element >= elements {
                return Err(format!("`{name}` has {elements} elements, found `{}`", key.title()));
            }
            found.push((space, &*v.name, v.set.unwrap_or(0), v.binding));
        }
    }
    // OpenGL counts uniform and storage blocks separately: a number is that of a storage block first.
    if found.iter().any(|f| f.0 == Space::Storage) {
        found.retain(|f| f.0 == Space::Storage);
    }
    for &(space, name, set, binding) in &found {
        match binding {
            Some(binding) => resources.bind(space, set, binding, element, what.clone()),
            None => resources.bind_name(name, element, what.clone()),
        }
    }
    if found.is_empty() { Err(absent(kind.name(), &key.title(), there)) } else { Ok(()) }
}

fn absent(what: &str, name: &str, mut there: Vec<String>) -> String {
    there.sort();
    there.dedup();
    let rest =
        if there.is_empty() { "there is none".into() } else { format!("there is: {}", there.join(", ")) };
    format!("there is no {what} `{name}`; {rest}")
}

/// Sets a uniform or a member of a uniform block by its path.
fn set_uniform(
    resources: &mut Resources,
    shaders: &[&Shader],
    path: &str,
    numbers: &[Number],
) -> Result<(), String> {
    let mut there = Vec::new();
    for shader in shaders {
        let mut layouts = Layouts::new(&shader.types, 0);
        for v in shader.vars.values() {
            let block = v.mode == Modes::UBO;
            if !block && (v.mode != Modes::UNIFORM || shader.types.is_opaque(v.ty)) {
                continue;
            }
            there.extend(names(shader, v, block));
            let Some(ty) = part(&mut layouts, shader, v, block, path) else { continue };
            let leaves = layouts.leaves(ty).map_err(|fault| fault.message)?;
            let scalars = leaves.iter().flat_map(|leaf| vec![leaf.scalar; usize::from(leaf.comps)]);
            let scalars: Vec<_> = scalars.collect();
            if scalars.len() != numbers.len() {
                return Err(format!(
                    "uniform `{path}`: expected {} numbers, found {}",
                    scalars.len(),
                    numbers.len()
                ));
            }
            let bits = numbers.iter().zip(scalars).map(|(number, scalar)| number.bits(scalar));
            let bits: Result<Vec<u64>, String> = bits.collect();
            resources.set_uniform(path, &bits.map_err(|e| format!("uniform `{path}`: {e}"))?);
            return Ok(());
        }
    }
    Err(absent("uniform", path, there))
}

/// Names of the uniforms that a variable holds.
fn names(shader: &Shader, v: &Variable, block: bool) -> Vec<String> {
    match &shader.types[shader.types.without_arrays(v.ty)] {
        Type::Struct(s) if block => s.members.iter().map(|m| m.name.to_string()).collect(),
        _ => vec![v.name.to_string()],
    }
}

/// The type of the part of a variable that a path names.
fn part(layouts: &mut Layouts<'_>, shader: &Shader, v: &Variable, block: bool, path: &str) -> Option<TypeId> {
    let rest = path.strip_prefix(&*v.name).filter(|_| !v.name.is_empty());
    if !block {
        return layouts.step(v.ty, rest?).map(|found| found.1);
    }
    let ty = shader.types.without_arrays(v.ty);
    let member = format!(".{path}");
    layouts.step(ty, rest.filter(|rest| rest.starts_with('.')).unwrap_or(&member)).map(|found| found.1)
}

impl Texture {
    fn image(&self) -> Result<Image, String> {
        let format = Format::ALL.iter().copied().find(|format| format.info().name == self.format);
        let format = format.ok_or_else(|| format!("there is no format `{}`", self.format))?;
        let (width, height) = self.size;
        let mut image =
            Image::new(Dim::D2, format, [width, height, 1], 1, 1, 1).map_err(|fault| fault.message)?;
        let level = image.bytes_mut(0);
        if level.len() != self.texels.len() {
            return Err(format!("expected {} bytes of texels, found {}", level.len(), self.texels.len()));
        }
        level.copy_from_slice(&self.texels);
        Ok(image)
    }

    fn sampler(&self) -> Result<Sampler, String> {
        let filter = match &*self.filter {
            "nearest" => Filter::Nearest,
            "linear" => Filter::Linear,
            other => return Err(format!("expected a filter (nearest, linear), found `{other}`")),
        };
        let wrap = match &*self.wrap {
            "repeat" => Wrap::Repeat,
            "mirrored_repeat" => Wrap::MirroredRepeat,
            "clamp_to_edge" => Wrap::ClampToEdge,
            other => {
                let known = "repeat, mirrored_repeat, clamp_to_edge";
                return Err(format!("expected a wrap ({known}), found `{other}`"));
            }
        };
        Ok(Sampler { wrap: [wrap; 3], mag: filter, min: filter, ..Sampler::default() })
    }
}
