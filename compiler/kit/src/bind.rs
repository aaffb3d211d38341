//! Resources of a recipe: for the interpreter by set and binding, for a runner by Metal index.

use crate::draw::Files;
use crate::metal;
use crate::recipe::{Given, Recipe, Resource};
use crate::schema::{Bound, BoundKind, BufferFile, Case, Element, SamplerState, TextureFile};
use airfoil::air::select::{Argument, ArgumentKind};
use airfoil::interp::texture::{Encoding, Format, Image, Sampler, View};
use airfoil::interp::{Binding, Resources, Space};
use airfoil::{Function, Output};

/// Metal has this many buffers.
const BUFFERS: usize = 31;

/// A resource of the recipe in the case.
#[derive(Clone, Debug)]
struct Placed {
    set: u32,
    binding: u32,
    element: u32,
    buffer: Option<String>,
    texture: Option<String>,
    sampler: Option<String>,
    /// Index in the interpreter's resources.
    place: usize,
    is_image: bool,
}

/// Something that a function writes.
#[derive(Clone, Debug)]
pub struct Written {
    /// Name of the buffer or texture.
    pub name: String,
    place: usize,
    is_image: bool,
}

/// The resources of a recipe.
#[derive(Debug)]
pub struct Bindings {
    placed: Vec<Placed>,
    push: Option<String>,
}

fn add_buffer(case: &mut Case, files: &mut Files, name: &str, bytes: Vec<u8>) -> String {
    let file = format!("{name}.bin");
    if !case.buffers.iter().any(|b| b.name == name) {
        case.buffers.push(BufferFile { name: name.to_owned(), file: file.clone() });
        files.insert(file, bytes);
    }
    name.to_owned()
}

fn add_sampler(case: &mut Case, sampler: &Sampler) -> String {
    let name = format!("sampler{}", case.samplers.len());
    case.samplers.push(SamplerState {
        name: name.clone(),
        address: sampler.wrap.map(metal::address),
        min: metal::filter(sampler.min),
        mag: metal::filter(sampler.mag),
        mip: metal::mip(sampler.mip),
        compare: sampler.compare.map(metal::compare),
    });
    name
}

fn add_texture(
    case: &mut Case,
    files: &mut Files,
    image: &Image,
    arrayed: bool,
    usage: u64,
) -> Result<String, String> {
    let name = format!("texture{}", case.textures.len());
    let (format, format_name) = metal::pixel_format(image.format).ok_or("a format without pixel format")?;
    let (texture_type, length, slices) = metal::texture_type(image, arrayed);
    // Texels of several samples cannot be copied from a buffer: they are zeros.
    let file = (image.num_samples() == 1).then(|| format!("{name}.bin"));
    if let Some(file) = &file {
        let contents: Vec<u8> = (0..image.num_levels()).flat_map(|n| image.bytes(n).to_vec()).collect();
        files.insert(file.clone(), contents);
    }
    case.textures.push(TextureFile {
        name: name.clone(),
        texture_type,
        format,
        format_name: format_name.to_owned(),
        texel: image.format.bytes() as u64,
        size: image.level_size(0).map(u64::from),
        length,
        slices,
        levels: u64::from(image.num_levels()),
        samples: u64::from(image.num_samples()),
        usage,
        file,
        buffer: None,
    });
    Ok(name)
}

impl Bindings {
    /// Adds the resources of a recipe to the case, and to those of the interpreter.
    ///
    /// # Errors
    /// A format that Metal lacks.
    pub fn new(
        recipe: &Recipe,
        case: &mut Case,
        files: &mut Files,
        resources: &mut Resources,
    ) -> Result<Bindings, String> {
        let mut placed = Vec::new();
        for given in &recipe.given {
            placed.push(place(given, recipe, case, files, resources)?);
        }
        let push = (!recipe.push.is_empty()).then(|| {
            resources.push_constants = recipe.push.clone();
            add_buffer(case, files, "push", recipe.push.clone())
        });
        for (name, bits) in &recipe.uniforms {
            resources.set_uniform(name, bits);
        }
        Ok(Bindings { placed, push })
    }

    /// The resource of an argument. OpenGL counts the bindings of blocks and of textures by themselves.
    fn find(&self, argument: &Argument, element: u32) -> Option<&Placed> {
        let place = (argument.set.unwrap_or(0), argument.binding?, element);
        let fits = |p: &&Placed| match argument.kind {
            ArgumentKind::Texture | ArgumentKind::Image => p.texture.is_some(),
            ArgumentKind::Sampler => p.sampler.is_some(),
            _ => p.buffer.is_some() && p.texture.is_none(),
        };
        self.placed.iter().filter(|p| (p.set, p.binding, p.element) == place).find(fits)
    }

    /// The bindings of a function.
    ///
    /// # Errors
    /// An argument that the recipe gives no resource for.
    pub fn of(
        &mut self,
        function: &Function,
        recipe: &Recipe,
        output: &Output,
        case: &mut Case,
        files: &mut Files,
    ) -> Result<Vec<Bound>, String> {
        let mut bound: Vec<Bound> = Vec::new();
        let mut sizes = [0u32; BUFFERS];
        let arguments = &function.reflection.arguments;
        for a in arguments.iter().filter(|a| a.kind == ArgumentKind::ArgumentBuffer) {
            let (index, size) = (u64::from(a.index), u64::from(a.size));
            bound.push(Bound { kind: BoundKind::ArgumentBuffer, index, size, ..Bound::default() });
        }
        for a in arguments {
            let plain = |resource: String| Bound {
                kind: BoundKind::Buffer,
                index: u64::from(a.index),
                resource,
                ..Bound::default()
            };
            match a.kind {
                ArgumentKind::ArgumentBuffer | ArgumentKind::BufferSizes => continue,
                ArgumentKind::PushConstants => {
                    bound.push(plain(self.push.clone().ok_or("no push constants are given")?));
                    continue;
                }
                // The front end creates a block for the uniforms outside blocks.
                _ if is_default_block(a) => {
                    let bytes = default_block(recipe, output)?;
                    bound.push(plain(add_buffer(case, files, "uniforms", bytes)));
                    continue;
                }
                _ => {}
            }
            let elements = match a.count {
                Some(n) => n,
                None => {
                    let place = (a.set.unwrap_or(0), a.binding);
                    self.placed.iter().filter(|p| (p.set, Some(p.binding)) == place).count() as u32
                }
            };
            for element in 0..elements {
                let placed = self
                    .find(a, element)
                    .ok_or_else(|| format!("nothing is given for `{}`[{element}]", a.name))?;
                let (kind, resource) = match a.kind {
                    ArgumentKind::Texture | ArgumentKind::Image => (BoundKind::Texture, &placed.texture),
                    ArgumentKind::Sampler => (BoundKind::Sampler, &placed.sampler),
                    _ => (BoundKind::Buffer, &placed.buffer),
                };
                let resource = resource
                    .clone()
                    .ok_or_else(|| format!("`{}` is given another kind of resource", a.name))?;
                let index = u64::from(a.index + element * a.step);
                let one = Bound { kind, index, resource: resource.clone(), ..Bound::default() };
                match a.argument_buffer {
                    Some(parent) => {
                        let table = bound
                            .iter_mut()
                            .find(|b| b.kind == BoundKind::ArgumentBuffer && b.index == u64::from(parent));
                        let table = table.ok_or("a member of an argument buffer that is not there")?;
                        table.size = table.size.max((index + 1) * 8);
                        table.members.push(one);
                    }
                    None => {
                        if kind == BoundKind::Buffer
                            && let Some(size) = sizes.get_mut(index as usize)
                        {
                            let file = case.buffers.iter().find(|b| b.name == resource).map(|b| &b.file);
                            *size = file.and_then(|f| files.get(f)).map_or(0, Vec::len) as u32;
                        }
                        bound.push(one);
                    }
                }
            }
        }
        for a in arguments.iter().filter(|a| a.kind == ArgumentKind::BufferSizes) {
            let bytes = sizes.iter().flat_map(|n| n.to_le_bytes()).collect();
            let name = add_buffer(case, files, &format!("sizes_{}", function.name), bytes);
            bound.push(Bound {
                kind: BoundKind::Buffer,
                index: u64::from(a.index),
                resource: name,
                ..Bound::default()
            });
        }
        // Each resource once per index, in a stable order.
        bound.sort_by_key(|b| (b.kind as u8, b.index));
        bound.dedup();
        Ok(bound)
    }

    /// The resources that the functions write, each once.
    pub fn written(&self, output: &Output) -> Vec<Written> {
        let mut list: Vec<Written> = Vec::new();
        let written = output.functions.iter().flat_map(|f| &f.reflection.arguments).filter(|a| a.written);
        for a in written {
            let place = (a.set.unwrap_or(0), a.binding);
            for p in self.placed.iter().filter(|p| (p.set, Some(p.binding)) == place) {
                let Some(name) = p.texture.as_ref().filter(|_| p.is_image).or(p.buffer.as_ref()) else {
                    continue;
                };
                if !list.iter().any(|w| w.name == *name) {
                    list.push(Written { name: name.clone(), place: p.place, is_image: p.is_image });
                }
            }
        }
        list
    }
}

/// Adds a resource.
fn place(
    given: &Given,
    recipe: &Recipe,
    case: &mut Case,
    files: &mut Files,
    resources: &mut Resources,
) -> Result<Placed, String> {
    let Given { set, binding, element, resource } = given;
    let mut placed = Placed {
        set: *set,
        binding: *binding,
        element: *element,
        buffer: None,
        texture: None,
        sampler: None,
        place: 0,
        is_image: false,
    };
    let buffer_name = format!("buffer{}", case.buffers.len());
    match resource {
        Resource::Uniform(bytes) | Resource::Storage(bytes) => {
            let space =
                if matches!(resource, Resource::Uniform(_)) { Space::Uniform } else { Space::Storage };
            placed.place = resources.add_buffer(bytes.clone());
            let what = Binding::Buffer { buffer: placed.place, offset: 0, size: None };
            resources.bind(space, *set, *binding, *element, what);
            placed.buffer = Some(add_buffer(case, files, &buffer_name, bytes.clone()));
        }
        Resource::Texture(image, arrayed, sampler) => {
            placed.place = resources.add_image(image.clone());
            let number = sampler.as_ref().map(|s| resources.add_sampler(s.clone()));
            let what = Binding::Texture { image: placed.place, view: View::default(), sampler: number };
            resources.bind(Space::Texture, *set, *binding, *element, what);
            placed.texture = Some(add_texture(case, files, image, *arrayed, metal::USAGE_READ)?);
            placed.sampler = sampler.as_ref().map(|s| add_sampler(case, s));
        }
        Resource::Sampler(sampler) => {
            let number = resources.add_sampler(sampler.clone());
            resources.bind(Space::Texture, *set, *binding, *element, Binding::Sampler(number));
            placed.sampler = Some(add_sampler(case, sampler));
        }
        Resource::Image(image, arrayed) => {
            placed.place = resources.add_image(image.clone());
            placed.is_image = true;
            let what = Binding::Image { image: placed.place, level: 0, layer: None, format: None };
            resources.bind(Space::Image, *set, *binding, *element, what);
            // Atomic operations on textures exist from macOS 14.
            let new = recipe.target.strip_prefix("macos").and_then(|v| v.parse::<u32>().ok()).unwrap_or(0);
            let integer = matches!(image.format, Format::R32ui | Format::R32i) && new >= 14;
            let atomic = if integer { metal::USAGE_ATOMIC } else { 0 };
            let usage = metal::USAGE_READ | metal::USAGE_WRITE | atomic;
            placed.texture = Some(add_texture(case, files, image, *arrayed, usage)?);
        }
        Resource::Texels(bytes, format, stored) => {
            placed.place = resources.add_buffer(bytes.clone());
            let space = if *stored { Space::Image } else { Space::Texture };
            let what = Binding::TexelBuffer { buffer: placed.place, offset: 0, size: None, format: *format };
            resources.bind(space, *set, *binding, *element, what);
            let buffer = add_buffer(case, files, &buffer_name, bytes.clone());
            let name = format!("texture{}", case.textures.len());
            let (raw, format_name) = metal::pixel_format(*format).ok_or("a format without pixel format")?;
            case.textures.push(TextureFile {
                name: name.clone(),
                texture_type: 9,
                format: raw,
                format_name: format_name.to_owned(),
                texel: format.bytes() as u64,
                size: [bytes.len() as u64 / format.bytes() as u64, 1, 1],
                length: 1,
                slices: 1,
                levels: 1,
                samples: 1,
                usage: metal::USAGE_READ | if *stored { metal::USAGE_WRITE } else { 0 },
                file: None,
                buffer: Some(buffer.clone()),
            });
            (placed.texture, placed.buffer) = (Some(name), Some(buffer));
        }
    }
    Ok(placed)
}

/// Whether an argument is the block of the uniforms outside blocks.
fn is_default_block(a: &Argument) -> bool {
    a.kind == ArgumentKind::DefaultUniforms || a.name == "gl_DefaultUniforms"
}

/// Bytes of the default uniform block, which all stages share; a function states the size of the part that it reads.
fn default_block(recipe: &Recipe, output: &Output) -> Result<Vec<u8>, String> {
    let program = output.program.as_ref().ok_or("uniforms outside blocks need a program")?;
    let arguments = output.functions.iter().flat_map(|f| &f.reflection.arguments);
    let size = arguments.filter(|a| is_default_block(a)).map(|a| a.size as usize).max();
    let mut bytes = vec![0; size.unwrap_or(0)];
    for (name, bits) in &recipe.uniforms {
        let array = format!("{name}[0]");
        let found = program.uniforms.iter().find(|u| u.name == *name || u.name == array);
        let Some((info, offset)) = found.and_then(|u| Some((u, u.offset?))) else {
            return Err(format!("there is no uniform `{name}`"));
        };
        // GL_FLOAT_VEC2.. and GL_FLOAT_MAT2..: columns and rows.
        let (columns, rows) = match info.ty {
            0x8b50..=0x8b52 => (1, info.ty - 0x8b50 + 2),
            0x8b5a..=0x8b5c => (info.ty - 0x8b5a + 2, info.ty - 0x8b5a + 2),
            _ => (1, 1),
        };
        for (n, &word) in bits.iter().enumerate() {
            let n = n as u32;
            let (element, rest) = (n / (columns * rows), n % (columns * rows));
            let at =
                offset + element * info.array_stride + rest / rows * info.matrix_stride + rest % rows * 4;
            let at = at as usize;
            bytes.resize(bytes.len().max(at + 4), 0);
            bytes[at..at + 4].copy_from_slice(&(word as u32).to_le_bytes());
        }
    }
    Ok(bytes)
}

/// How an output of a format is compared.
pub fn element(format: Format, tolerance: &str) -> (Element, String) {
    let float = if tolerance == "exact" { "ulp:2" } else { tolerance };
    match (format, format.info().encoding) {
        (Format::Rgba8 | Format::Bgra8 | Format::Srgb8A8 | Format::Rgba8Snorm, _) => {
            (Element::Rgba8, "rgba8:1".to_owned())
        }
        (_, Encoding::Int | Encoding::Uint) => {
            let wide = format.bytes().is_multiple_of(4) && format.info().bits[0] == 32;
            (if wide { Element::U32 } else { Element::U8 }, "exact".to_owned())
        }
        (_, Encoding::Float) if format.info().bits[0] == 32 => (Element::F32, float.to_owned()),
        (_, Encoding::Float) if format.info().bits[0] == 16 => (Element::F16, float.to_owned()),
        _ => (Element::U8, "exact".to_owned()),
    }
}

/// The contents after execution, and how they are compared.
pub fn contents(written: &Written, resources: &Resources) -> Option<(Vec<u8>, Element)> {
    if !written.is_image {
        return Some((resources.buffers.get(written.place)?.bytes.clone(), Element::U32));
    }
    let image = resources.images.get(written.place)?;
    let (element, _) = element(image.format, "exact");
    let bytes = (0..image.num_levels()).flat_map(|n| image.bytes(n).to_vec()).collect();
    Some((bytes, element))
}
