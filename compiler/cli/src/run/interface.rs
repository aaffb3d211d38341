//! Resources of shaders: blocks, uniforms, textures, images; by name or by binding.

use airfoil::Shader;
use airfoil::ir::{Access, ImageType, Modes, Type, TypeId, Types};
use airfoil_interp::{Layouts, Space};

/// Kinds of resources.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Uniform block.
    Uniform,
    /// Storage block.
    Storage,
    /// Push constants.
    Push,
    /// A uniform outside blocks.
    Loose,
    /// Texture, with its sampler or without, or sampler.
    Texture,
    /// Storage image.
    Image,
}

impl Kind {
    /// It has bytes.
    pub fn is_memory(self) -> bool {
        !matches!(self, Kind::Texture | Kind::Image)
    }

    /// The space of its numbers.
    pub fn space(self) -> Option<Space> {
        Some(match self {
            Kind::Uniform => Space::Uniform,
            Kind::Storage => Space::Storage,
            Kind::Texture => Space::Texture,
            Kind::Image => Space::Image,
            Kind::Push | Kind::Loose => return None,
        })
    }
}

/// Memory or an image that a stage declares.
#[derive(Clone, Debug)]
pub struct Resource {
    /// Name of the variable; may be empty.
    pub name: airfoil::ir::Name,
    /// Name of its block.
    pub block: airfoil::ir::Name,
    /// Kind.
    pub kind: Kind,
    /// Descriptor set.
    pub set: u32,
    /// Number.
    pub binding: Option<u32>,
    /// Types of the stage.
    pub types: Types,
    /// Type without the arrays around it.
    pub ty: TypeId,
    /// Number of blocks or images; 1 if it is not an array.
    pub elements: u32,
    /// It is an array.
    pub is_array: bool,
    /// Nothing is stored to it.
    pub read_only: bool,
    /// Index of the first equal resource of another stage, or of this one.
    pub same: usize,
}

impl Resource {
    /// Its display name: its name, its block's name, or its set and binding.
    pub fn title(&self) -> String {
        match (&*self.name, &*self.block, self.binding) {
            ("", "", Some(binding)) => format!("{},{binding}", self.set),
            ("", "", None) => "push".to_string(),
            // OpenGL's users know the block by its own name.
            ("", block, _) => block.to_string(),
            (name, ..) => name.to_string(),
        }
    }

    /// The title of one of several.
    pub fn title_of(&self, element: u32) -> String {
        if self.is_array { format!("{}[{element}]", self.title()) } else { self.title() }
    }

    /// The image type, if it is one.
    pub fn image(&self) -> Option<ImageType> {
        match self.types[self.ty] {
            Type::Image(image) => Some(image),
            _ => None,
        }
    }

    fn is_called(&self, name: &str) -> bool {
        let numbers = |separator| -> Option<(u32, u32)> {
            let (set, binding) = name.split_once(separator)?;
            Some((set.parse().ok()?, binding.parse().ok()?))
        };
        let number =
            name.parse().ok().map(|binding| (0, binding)).or_else(|| numbers(',').or_else(|| numbers('.')));
        *name == *self.name
            || (!name.is_empty() && *name == *self.block)
            || (self.kind == Kind::Push && name == "push")
            || (number.is_some() && number == self.binding.map(|binding| (self.set, binding)))
    }
}

/// The resources of all stages.
#[derive(Debug)]
pub struct Interface {
    /// All, by stage.
    pub list: Vec<Resource>,
}

impl Interface {
    /// The resources that shaders declare.
    pub fn new(shaders: &[Shader]) -> Interface {
        let mut list: Vec<Resource> = Vec::new();
        for shader in shaders {
            let layouts = Layouts::new(&shader.types, 0);
            for v in shader.vars.values() {
                let kind = match v.mode {
                    Modes::UBO => Kind::Uniform,
                    Modes::SSBO => Kind::Storage,
                    Modes::PUSH_CONST => Kind::Push,
                    Modes::IMAGE => Kind::Image,
                    Modes::UNIFORM if shader.types.is_opaque(v.ty) => Kind::Texture,
                    Modes::UNIFORM => Kind::Loose,
                    _ => continue,
                };
                let whole = matches!(kind, Kind::Loose);
                let ty = if whole { v.ty } else { shader.types.without_arrays(v.ty) };
                let block = match &shader.types[ty] {
                    Type::Struct(s) if !whole => s.name.clone(),
                    _ => Default::default(),
                };
                let set = v.set.unwrap_or(0);
                let same = list.iter().position(|r| {
                    r.kind == kind
                        && match (kind, v.binding) {
                            (Kind::Push, _) => true,
                            (_, Some(binding)) => r.binding == Some(binding) && r.set == set,
                            (_, None) => r.name == v.name,
                        }
                });
                list.push(Resource {
                    name: v.name.clone(),
                    block,
                    kind,
                    set,
                    binding: v.binding,
                    types: shader.types.clone(),
                    ty,
                    elements: if whole { 1 } else { layouts.objects(v.ty) },
                    is_array: ty != v.ty,
                    read_only: kind != Kind::Image && kind != Kind::Storage
                        || v.access.contains(Access::NON_WRITEABLE),
                    same: same.unwrap_or(list.len()),
                });
            }
        }
        Interface { list }
    }

    /// The resource and element of a name like `lights`, `lights[2]`, `3` (a number) or `1,3` (set and number).
    pub fn find(&self, name: &str, what: &str, fits: impl Fn(Kind) -> bool) -> Result<(usize, u32), String> {
        let (base, element) = match name.strip_suffix(']').and_then(|n| n.rsplit_once('[')) {
            Some((base, index)) => (base, index.parse().map_err(|_| format!("`{index}` is not an index"))?),
            None => (name, 0),
        };
        let found = self.list.iter().position(|r| fits(r.kind) && r.is_called(base));
        let Some(at) = found else {
            let mut there: Vec<String> =
                self.list.iter().filter(|r| fits(r.kind)).map(Resource::title).collect();
            there.sort();
            there.dedup();
            let rest = if there.is_empty() {
                "there is none".into()
            } else {
                format!("there is {}", there.join(", "))
            };
            return Err(format!("there is no {what} `{name}`; {rest}"));
        };
        let resource = &self.list[at];
        if element >= resource.elements {
            return Err(format!("`{}` has {} elements", resource.title(), resource.elements));
        }
        Ok((resource.same, element))
    }
}
