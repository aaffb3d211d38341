//! Resources of shaders besides their inputs: buffers, images, samplers, uniforms, and their bindings.

use crate::texture::{Format, Image, Sampler, View};
use rustc_hash::FxHashMap;

/// A buffer.
///
/// # Examples
///
/// ```
/// use airfoil_interp::{Buffer, Config, Program, Resources, System};
/// let shader = airfoil_ir::text::parse(r#"foil 1
/// shader compute "c" {
///   form slots
///   fn main {
///     64x1 %at = const 0x1004
///     32x1 %x = const 7
///     store_global %x, %at mask=x align=4
/// } }"#).unwrap();
/// let mut resources = Resources::new();
/// resources.buffers.push(Buffer { bytes: vec![0; 8], address: Some(0x1000) });
/// // An address needs no binding.
/// Program::new(&shader, Config::default())?.compute(&mut resources, &System::new(), [1; 3])?;
/// assert_eq!(resources.buffers[0].bytes, [0, 0, 0, 0, 7, 0, 0, 0]);
/// # Ok::<(), airfoil_interp::Fault>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Buffer {
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// Where 64-bit addresses find it.
    pub address: Option<u64>,
}

impl From<Vec<u8>> for Buffer {
    fn from(bytes: Vec<u8>) -> Buffer {
        Buffer { bytes, address: None }
    }
}

/// A binding. Values are indices into the lists of [`Resources`]; several bindings may name the same entry.
///
/// # Examples
///
/// The shader copies the block `a` to the block `b`. Both are parts of one buffer:
///
/// ```
/// use airfoil_interp::{Binding, Config, Program, Resources, System};
///
/// # let shader = airfoil_ir::text::parse(r#"foil 1
/// # shader compute "copy" {
/// #   form slots
/// #   ubo A { uint x @0 } a
/// #   ssbo B { uint y @0 } b
/// #   fn main {
/// #     32x1 %at = const 0
/// #     32x1 %x = load_ubo &a, %at align=4
/// #     store_ssbo %x, &b, %at mask=x align=4
/// #   }
/// # }"#).unwrap();
/// let mut resources = Resources::new();
/// let buffer = resources.add_buffer(vec![1, 2, 3, 4, 0, 0, 0, 0]);
/// resources.bind_name("a", 0, Binding::Buffer { buffer, offset: 0, size: Some(4) });
/// resources.bind_name("b", 0, Binding::Buffer { buffer, offset: 4, size: None });
/// let mut program = Program::new(&shader, Config::default())?;
/// program.compute(&mut resources, &System::new(), [1; 3])?;
/// assert_eq!(resources.buffers[buffer].bytes, [1, 2, 3, 4, 1, 2, 3, 4]);
/// // The kind of a binding is checked when a shader runs.
/// resources.bind_name("b", 0, Binding::Sampler(0));
/// let fault = program.compute(&mut resources, &System::new(), [1; 3]).unwrap_err();
/// assert_eq!(fault.message, "`b`: expected a buffer as binding");
/// # Ok::<(), airfoil_interp::Fault>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum Binding {
    /// Bytes of a buffer, to its end if `size` is `None`.
    Buffer {
        /// The buffer.
        buffer: usize,
        /// First byte.
        offset: u64,
        /// Number of bytes.
        size: Option<u64>,
    },
    /// A texture, with a sampler if it is a combined one.
    Texture {
        /// The image.
        image: usize,
        /// The part of it that is bound.
        view: View,
        /// The sampler.
        sampler: Option<usize>,
    },
    /// A texel buffer, sampled or stored to.
    TexelBuffer {
        /// The buffer.
        buffer: usize,
        /// First byte.
        offset: u64,
        /// Number of bytes.
        size: Option<u64>,
        /// Format of its texels.
        format: Format,
    },
    /// A sampler.
    Sampler(usize),
    /// A storage image.
    Image {
        /// The image.
        image: usize,
        /// The level.
        level: u32,
        /// The only layer; `None` for all.
        layer: Option<u32>,
        /// Another format of the same size.
        format: Option<Format>,
    },
}

/// Spaces of binding numbers. OpenGL counts each separately; in Vulkan a number is unique over all of them.
///
/// # Examples
///
/// ```
/// use airfoil_interp::{Binding, Resources, Space};
///
/// let mut resources = Resources::new();
/// let [uniforms, storage] = [16, 64].map(|n| resources.add_buffer(vec![0; n]));
/// let whole = |buffer| Binding::Buffer { buffer, offset: 0, size: None };
/// // Binding 2 of OpenGL is a uniform block and a storage block.
/// resources.bind(Space::Uniform, 0, 2, 0, whole(uniforms));
/// resources.bind(Space::Storage, 0, 2, 0, whole(storage));
/// let find = |space| resources.find(space, "Data", None, Some(2), 0);
/// assert_eq!(find(Space::Storage), Some(&whole(storage)));
/// assert_eq!(find(Space::Texture), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Space {
    /// Uniform blocks.
    Uniform,
    /// Storage blocks.
    Storage,
    /// Textures, samplers, texel buffers.
    Texture,
    /// Storage images.
    Image,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Place {
    Number(Space, u32, u32, u32),
    Name(Box<str>, u32),
}

/// All resources. Shaders change buffers and images.
///
/// # Examples
///
/// The shader adds two members of a uniform block:
///
/// ```
/// use airfoil_interp::run::Vertex;
/// use airfoil_interp::{Binding, Config, Program, Resources, System};
///
/// # let shader = airfoil_ir::text::parse(r#"foil 1
/// # shader vertex "sum" {
/// #   form slots
/// #   ubo Light { uint base @0, uint[2 stride=16] steps @16 } light
/// #   out uint o location=0
/// #   fn main {
/// #     32x1 %z = const 0
/// #     32x1 %at = const 32
/// #     32x1 %x = load_ubo &light, %z align=4
/// #     32x1 %y = load_ubo &light, %at align=4
/// #     %r = iadd %x, %y
/// #     store_output %r, %z io=0 mask=x src_type=uint32
/// #   }
/// # }"#).unwrap();
/// let mut program = Program::new(&shader, Config::default())?;
/// let mut run = |resources: &mut Resources| -> Result<_, airfoil_interp::Fault> {
///     Ok(program.vertex(resources, &System::new(), &[Vertex::default()])?[0].iter().next().unwrap().2[0])
/// };
/// let mut resources = Resources::new();
/// resources.set_uniform("base", &[40]);
/// resources.set_uniform("light.steps[1]", &[2]);
/// assert_eq!(run(&mut resources)?, 42);
/// // A buffer that is bound goes before uniforms that were set.
/// let buffer = resources.add_buffer(vec![1; 48]);
/// resources.bind_name("light", 0, Binding::Buffer { buffer, offset: 0, size: None });
/// assert_eq!(run(&mut resources)?, 0x0202_0202);
/// # Ok::<(), airfoil_interp::Fault>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Resources {
    /// Buffers.
    pub buffers: Vec<Buffer>,
    /// Images.
    pub images: Vec<Image>,
    /// Samplers.
    pub samplers: Vec<Sampler>,
    /// Bytes of the push constants.
    pub push_constants: Vec<u8>,
    /// Steps that programs have executed with these resources, which shaders read as a clock.
    pub clock: u64,
    bindings: FxHashMap<Place, Binding>,
    uniforms: Vec<(Box<str>, Vec<u64>)>,
}

impl Resources {
    /// No resources.
    pub fn new() -> Resources {
        Resources::default()
    }

    /// Adds a buffer; returns its index.
    pub fn add_buffer(&mut self, bytes: Vec<u8>) -> usize {
        self.buffers.push(bytes.into());
        self.buffers.len() - 1
    }

    /// Adds an image; returns its index.
    pub fn add_image(&mut self, image: Image) -> usize {
        self.images.push(image);
        self.images.len() - 1
    }

    /// Adds a sampler; returns its index.
    pub fn add_sampler(&mut self, sampler: Sampler) -> usize {
        self.samplers.push(sampler);
        self.samplers.len() - 1
    }

    /// Binds to a number; OpenGL has set 0 only. `element` counts through arrays of resources.
    pub fn bind(&mut self, space: Space, set: u32, binding: u32, element: u32, what: Binding) {
        self.bindings.insert(Place::Number(space, set, binding, element), what);
    }

    /// Binds to a variable's name, which takes precedence over its number.
    pub fn bind_name(&mut self, name: &str, element: u32, what: Binding) {
        self.bindings.insert(Place::Name(name.into(), element), what);
    }

    /// Takes all bindings and uniforms away.
    pub fn unbind_all(&mut self) {
        self.bindings.clear();
        self.uniforms.clear();
    }

    /// Sets a uniform outside blocks: raw bits of its scalars in order, columns of matrices one after the other.
    ///
    /// The name is a path like `lights[2].colour`; it may name a whole array or structure. Uniforms that are
    /// never set have their initial values, or are zero. Members of a uniform block that nothing is bound to (such as the
    /// one that GLSL's default uniform block becomes) are set likewise, by `member` or `block.member`.
    pub fn set_uniform(&mut self, name: &str, scalars: &[u64]) {
        match self.uniforms.iter_mut().find(|(n, _)| **n == *name) {
            Some(old) => old.1 = scalars.to_vec(),
            None => self.uniforms.push((name.into(), scalars.to_vec())),
        }
    }

    /// Uniforms that were set, by path.
    pub fn uniforms(&self) -> &[(Box<str>, Vec<u64>)] {
        &self.uniforms
    }

    /// The binding of a name or, failing that, of a set and binding number.
    pub fn find(
        &self,
        space: Space,
        name: &str,
        set: Option<u32>,
        binding: Option<u32>,
        element: u32,
    ) -> Option<&Binding> {
        let named = (!name.is_empty()).then(|| self.bindings.get(&Place::Name(name.into(), element)));
        named
            .flatten()
            .or_else(|| self.bindings.get(&Place::Number(space, set.unwrap_or(0), binding?, element)))
    }
}
