//! The resources that shaders run with: created from the given values, passed to the interpreter, and read back.

use super::args::RunArgs;
use super::given::{Document, Given, Source};
use super::interface::{Interface, Kind, Resource};
use super::numbers::{self, MOST_BYTES, Memory};
use super::textures::{self, Texture};
use crate::random::Random;
use airfoil::ir::{Dim, Type};
use airfoil::{Diagnostic, Shader, glsl};
use airfoil_interp::texture::View;
use airfoil_interp::{Binding, Resources, Space};
use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::Value;
use std::collections::hash_map::Entry;

/// Blocks of one array that get bytes of their own without being named.
const MOST_ELEMENTS: u32 = 64;

/// Resources with their contents.
#[derive(Debug)]
pub struct World {
    /// Interface that the shaders declare.
    pub interface: Interface,
    /// Bytes of blocks and uniforms, by resource and element.
    memory: FxHashMap<(usize, u32), Vec<u8>>,
    /// Textures and images.
    textures: FxHashMap<(usize, u32), Texture>,
    /// Samplers without texture.
    samplers: FxHashMap<(usize, u32), usize>,
    /// Uniforms outside blocks that have a value.
    loose: Vec<usize>,
    /// Resources of the interpreter.
    pub resources: Resources,
    /// Numbers of buffers and images in it.
    places: FxHashMap<(usize, u32), usize>,
}

fn fault(what: impl Into<String>) -> Diagnostic {
    Diagnostic::error("E0040", what.into())
}

impl World {
    /// Makes the resources of shaders. `invocations` is the length of run-time arrays in buffers that are not given.
    pub fn new(
        shaders: &[Shader],
        program: Option<&glsl::link::Reflection>,
        args: &RunArgs,
        document: &Document,
        invocations: Option<u64>,
        warnings: &mut Vec<Diagnostic>,
    ) -> Result<World, Vec<Diagnostic>> {
        let mut world = World {
            interface: Interface::new(shaders),
            memory: FxHashMap::default(),
            textures: FxHashMap::default(),
            samplers: FxHashMap::default(),
            loose: Vec::new(),
            resources: Resources::new(),
            places: FxHashMap::default(),
        };
        let mut random = Random::new(args.seed.unwrap_or(0));
        let mut faults = Vec::new();
        for (name, given) in document.all("buffers", &args.buffer) {
            faults.extend(world.give_buffer(name, given, &mut random).err());
        }
        let given = world.memory.keys().copied().collect();
        for n in 0..world.interface.list.len() {
            let filler = args.seed.is_some().then_some(&mut random);
            faults.extend(world.complete(n, &given, filler, invocations).err());
        }
        for info in program.iter().flat_map(|p| &p.uniforms).filter(|i| !i.initial.is_empty()) {
            let path = info.name.strip_suffix("[0]").unwrap_or(&info.name);
            // Initial values in the source take precedence over the seed.
            let _ = world.give_scalars(path, &info.initial);
        }
        for (name, given) in document.all("uniforms", &args.uniform) {
            match given.value().and_then(|value| world.give_uniform(name, &value)) {
                Ok(true) => {}
                Ok(false) => warnings.push(world.no_uniform(name)),
                Err(e) => faults.push(e),
            }
        }
        for (section, pairs, kind) in
            [("textures", &args.texture, Kind::Texture), ("images", &args.image, Kind::Image)]
        {
            for (name, given) in document.all(section, pairs) {
                faults.extend(world.give_texture(name, given, kind, &mut random).err());
            }
        }
        if args.seed.is_some() {
            faults.extend(world.random_textures(&mut random).err());
        }
        if faults.is_empty() { Ok(world) } else { Err(faults) }
    }

    fn resource(&self, n: usize) -> &Resource {
        &self.interface.list[n]
    }

    fn give_buffer(&mut self, name: &str, given: Given<'_>, random: &mut Random) -> Result<(), Diagnostic> {
        let (n, element) = self.interface.find(name, "buffer", Kind::is_memory).map_err(fault)?;
        let bytes = match given.source()? {
            Source::Bytes(bytes) => bytes,
            Source::Zeros(count) => vec![0; count as usize],
            Source::Random(count) => random.bytes(count as usize),
            Source::Json(value) => match numbers::typed(&value) {
                Some(typed) => typed.map_err(|e| fault(format!("`{name}`: {e}")))?.1,
                None => {
                    let r = self.resource(n);
                    let mut bytes = Vec::new();
                    let mut memory = Memory::new(&r.types);
                    memory.parse(r.ty, &value, 0, &mut bytes, &mut r.title()).map_err(fault)?;
                    let size = memory.size(r.ty).min(MOST_BYTES) as usize;
                    bytes.resize(bytes.len().max(size), 0);
                    bytes
                }
            },
        };
        self.memory.insert((n, element), bytes);
        Ok(())
    }

    /// Bytes for memory without a given value.
    fn complete(
        &mut self,
        n: usize,
        given: &FxHashSet<(usize, u32)>,
        mut random: Option<&mut Random>,
        invocations: Option<u64>,
    ) -> Result<(), Diagnostic> {
        let r = &self.interface.list[n];
        if !r.kind.is_memory() {
            return Ok(());
        }
        let mut memory = Memory::new(&r.types);
        let size = memory.size(r.ty);
        let open = memory.open_end(r.ty).filter(|_| r.kind == Kind::Storage);
        for element in 0..r.elements.min(MOST_ELEMENTS) {
            let title = r.title_of(element);
            let key = (r.same, element);
            if given.contains(&key) {
                continue;
            }
            let mut want = size;
            if let Some((at, stride, _)) = open {
                let Some(count) = invocations else {
                    return Err(fault(format!(
                        "nothing is given for the buffer `{title}`, whose length is open"
                    ))
                    .help(format!("say `--buffer {title}=zeros:BYTES` or name a file")));
                };
                want = at.saturating_add(stride.saturating_mul(count));
            }
            if want > MOST_BYTES {
                return Err(fault(format!("`{title}` takes more than {MOST_BYTES} bytes")));
            }
            let bytes = self.memory.entry(key).or_default();
            if bytes.len() < want as usize {
                bytes.resize(want as usize, 0);
            }
            // Another stage may use other types for the same bytes.
            let Some(random) = random.as_deref_mut().filter(|_| r.same == n) else { continue };
            let mut number = |scalar| random.number(scalar);
            let mut filled = memory.fill(r.ty, 0, bytes, &mut number);
            if let Some((at, stride, elem)) = open {
                let count = (want.saturating_sub(at)).checked_div(stride).unwrap_or(0);
                for i in 0..count {
                    filled = filled.and_then(|()| memory.fill(elem, at + i * stride, bytes, &mut number));
                }
            }
            filled.map_err(|e| fault(format!("`{title}`: {e}")))?;
        }
        if r.kind == Kind::Loose && random.is_some() {
            self.loose.push(n);
        }
        Ok(())
    }

    /// Locations that the path of a uniform names: resource, element, offset; all in one contiguous piece of memory.
    fn places(&self, path: &str) -> Vec<(usize, u32, u64, airfoil::ir::TypeId)> {
        let mut found: Vec<(usize, u32, u64, airfoil::ir::TypeId)> = Vec::new();
        for (n, r) in self.interface.list.iter().enumerate() {
            if !matches!(r.kind, Kind::Uniform | Kind::Push | Kind::Loose) {
                continue;
            }
            let mut memory = Memory::new(&r.types);
            let mut add = |element: u32, rest: &str| {
                if element < r.elements
                    && let Some((offset, ty)) = memory.step(r.ty, rest)
                    && found.first().is_none_or(|f| self.interface.list[f.0].same == r.same)
                {
                    found.push((n, element, offset, ty));
                }
            };
            for name in [&*r.name, &*r.block].into_iter().filter(|n| !n.is_empty()) {
                let Some(rest) = path.strip_prefix(name) else { continue };
                let index = rest.strip_prefix('[').and_then(|r| r.split_once(']'));
                match index.and_then(|(i, rest)| Some((i.parse().ok()?, rest))) {
                    Some((element, rest)) if r.is_array && r.kind != Kind::Loose => add(element, rest),
                    _ => add(0, rest),
                }
            }
            if r.kind != Kind::Loose {
                add(0, &format!(".{path}"));
            }
        }
        found
    }

    fn give_uniform(&mut self, name: &str, value: &Value) -> Result<bool, Diagnostic> {
        let mut flat = Vec::new();
        let is_flat = match value {
            Value::Array(list) => {
                flat.extend(list);
                !list.iter().any(|v| v.is_array() || v.is_object())
            }
            _ => false,
        };
        let places = self.places(name);
        for &(n, element, offset, ty) in &places {
            let r = &self.interface.list[n];
            let mut memory = Memory::new(&r.types);
            let bytes = self.memory.entry((r.same, element)).or_default();
            let count = memory.scalars(ty, &[]).map_err(fault)?.len();
            if is_flat && flat.len() == count {
                let mut next = flat.iter();
                let mut wrong = None;
                let filled = memory.fill(ty, offset, bytes, &mut |scalar| {
                    let parsed = next.next().map_or(Ok(0), |v| numbers::parse(scalar, v));
                    parsed.unwrap_or_else(|e| {
                        wrong.get_or_insert(e);
                        0
                    })
                });
                if let Some(e) = wrong.or(filled.err()) {
                    return Err(fault(format!("`{name}`: {e}")));
                }
            } else {
                memory.parse(ty, value, offset, bytes, &mut name.to_string()).map_err(fault)?;
            }
            if r.kind == Kind::Loose {
                self.loose.push(n);
            }
        }
        Ok(!places.is_empty())
    }

    /// Sets the numbers of a uniform from raw bits, as many as there are.
    fn give_scalars(&mut self, path: &str, scalars: &[u64]) -> Result<(), String> {
        for (n, element, offset, ty) in self.places(path) {
            let r = &self.interface.list[n];
            let bytes = self.memory.entry((r.same, element)).or_default();
            let mut next = scalars.iter();
            Memory::new(&r.types).fill(ty, offset, bytes, &mut |_| next.next().copied().unwrap_or(0))?;
        }
        Ok(())
    }

    fn no_uniform(&self, name: &str) -> Diagnostic {
        let mut there = Vec::new();
        for r in
            self.interface.list.iter().filter(|r| matches!(r.kind, Kind::Uniform | Kind::Push | Kind::Loose))
        {
            match &r.types[r.ty] {
                Type::Struct(s) if r.kind != Kind::Loose => {
                    there.extend(s.members.iter().map(|m| m.name.to_string()))
                }
                _ => there.push(r.name.to_string()),
            }
        }
        there.sort();
        there.dedup();
        there.truncate(20);
        let d = Diagnostic::warning("E0044", format!("no shader uses a uniform `{name}`"));
        if there.is_empty() { d } else { d.help(format!("there is {}", there.join(", "))) }
    }

    fn give_texture(
        &mut self,
        name: &str,
        given: Given<'_>,
        kind: Kind,
        random: &mut Random,
    ) -> Result<(), Diagnostic> {
        let what = if kind == Kind::Image { "image" } else { "texture" };
        let (n, element) = self.interface.find(name, what, |k| k == kind).map_err(fault)?;
        let about = |mut d: Diagnostic| {
            d.message = format!("for `{name}`: {}", d.message);
            d
        };
        let inline;
        let given = match given {
            Given::Text(text) if text.trim_start().starts_with('{') => {
                inline = super::given::json(text.as_bytes(), text).map_err(about)?;
                Given::Value(&inline)
            }
            given => given,
        };
        let Some(ty) = self.resource(n).image() else {
            let Given::Text(text) = given else { return Err(fault(format!("`{name}` is a sampler"))) };
            let sampler = self.resources.add_sampler(textures::sampler(text).map_err(about)?);
            self.samplers.insert((n, element), sampler);
            return Ok(());
        };
        let texture = match given {
            Given::Value(value) => textures::of_json(value, &ty),
            Given::Text(text) => textures::of_text(text, &ty, random),
        };
        self.textures.insert((n, element), texture.map_err(about)?);
        Ok(())
    }

    /// Random textures for those that are not given.
    fn random_textures(&mut self, random: &mut Random) -> Result<(), Diagnostic> {
        for n in 0..self.interface.list.len() {
            let r = self.resource(n);
            let Some(ty) = r.image().filter(|_| r.same == n) else { continue };
            for element in 0..r.elements.min(MOST_ELEMENTS) {
                if let Entry::Vacant(place) = self.textures.entry((n, element)) {
                    place.insert(textures::random(&ty, random)?);
                }
            }
        }
        Ok(())
    }

    /// Hands everything over to the interpreter.
    pub fn bind(&mut self) {
        let mut keys: Vec<_> = self.memory.keys().copied().collect();
        keys.sort_unstable();
        for key in keys {
            let bytes = self.memory.remove(&key).unwrap_or_default();
            let kind = self.resource(key.0).kind;
            match kind {
                Kind::Push => self.resources.push_constants = bytes,
                Kind::Loose => {
                    let r = &self.interface.list[key.0];
                    if self.loose.contains(&key.0)
                        && let Ok(scalars) = Memory::new(&r.types).scalars(r.ty, &bytes)
                    {
                        self.resources.set_uniform(&r.name, &scalars);
                    }
                }
                _ => {
                    let buffer = self.resources.add_buffer(bytes);
                    self.places.insert(key, buffer);
                    self.bind_one(key, Binding::Buffer { buffer, offset: 0, size: None });
                }
            }
        }
        let mut keys: Vec<_> = self.textures.keys().copied().collect();
        keys.sort_unstable();
        for key in keys {
            let Some(Texture { image, sampler }) = self.textures.remove(&key) else { continue };
            let Some(ty) = self.resource(key.0).image() else { continue };
            let binding = if ty.dim == Dim::Buffer {
                let format = image.format;
                let buffer = self.resources.add_buffer(image.bytes(0).to_vec());
                self.places.insert(key, buffer);
                Binding::TexelBuffer { buffer, offset: 0, size: None, format }
            } else {
                let image = self.resources.add_image(image);
                self.places.insert(key, image);
                if ty.storage {
                    Binding::Image { image, level: 0, layer: None, format: None }
                } else {
                    let sampler = Some(self.resources.add_sampler(sampler));
                    Binding::Texture { image, view: View::default(), sampler }
                }
            };
            self.bind_one(key, binding);
        }
        let plain = self.resources.add_sampler(textures::plain_sampler(None));
        for n in 0..self.interface.list.len() {
            let r = &self.interface.list[n];
            if r.kind != Kind::Texture || r.image().is_some() || r.same != n {
                continue;
            }
            for element in 0..r.elements.min(MOST_ELEMENTS) {
                let sampler = self.samplers.get(&(n, element)).copied().unwrap_or(plain);
                self.bind_one((n, element), Binding::Sampler(sampler));
            }
        }
    }

    fn bind_one(&mut self, (n, element): (usize, u32), what: Binding) {
        let r = &self.interface.list[n];
        let space: Option<Space> = r.kind.space();
        match (space, r.binding) {
            (Some(space), Some(binding)) => self.resources.bind(space, r.set, binding, element, what),
            _ => {
                let names: Vec<airfoil::ir::Name> =
                    self.interface.list.iter().filter(|o| o.same == n).map(|o| o.name.clone()).collect();
                names.iter().for_each(|name| self.resources.bind_name(name, element, what.clone()));
            }
        }
    }

    /// The storage buffers that shaders may have written, in JSON.
    pub fn buffers_json(&self) -> String {
        let mut out = String::from("{\n  \"buffers\": {");
        let mut keys: Vec<_> = self.places.keys().copied().collect();
        keys.sort_unstable();
        let mut first = true;
        for key in keys {
            let r = self.resource(key.0);
            let written = self.interface.list.iter().any(|o| o.same == key.0 && !o.read_only);
            if r.kind != Kind::Storage || !written {
                continue;
            }
            out.push_str(if first { "\n    " } else { ",\n    " });
            first = false;
            out.push_str(&Value::from(r.title_of(key.1)).to_string());
            out.push_str(": ");
            self.print(&mut out, key, 4);
        }
        out.push_str(if first { "}\n}\n" } else { "\n  }\n}\n" });
        out
    }

    fn print(&self, out: &mut String, key: (usize, u32), indent: usize) {
        let r = self.resource(key.0);
        let bytes = self.places.get(&key).and_then(|&n| self.resources.buffers.get(n));
        let bytes = bytes.map_or(&[][..], |b| &b.bytes);
        Memory::new(&r.types).print(out, r.ty, bytes, 0, indent);
    }

    /// The contents that `--out` requests, in the format of the file.
    pub fn product(&self, name: &str, path: &std::path::Path) -> Result<Vec<u8>, Diagnostic> {
        let fits = |k| matches!(k, Kind::Storage | Kind::Image | Kind::Uniform);
        let key = self.interface.find(name, "buffer or image", fits).map_err(fault)?;
        let r = self.resource(key.0);
        let Some(&place) = self.places.get(&key) else {
            return Err(fault(format!("nothing was given for `{name}`")));
        };
        if r.image().is_some_and(|i| i.dim != Dim::Buffer) {
            return textures::encode(&self.resources.images[place], path);
        }
        let is_json =
            path.as_os_str() == "-" || path.extension().is_some_and(|e| e.eq_ignore_ascii_case("json"));
        if is_json && r.image().is_none() {
            let mut out = String::new();
            self.print(&mut out, key, 0);
            return Ok((out + "\n").into_bytes());
        }
        Ok(self.resources.buffers[place].bytes.clone())
    }

    /// There are storage buffers that shaders write.
    pub fn writes_buffers(&self) -> bool {
        self.interface.list.iter().any(|r| r.kind == Kind::Storage && !r.read_only)
    }
}
