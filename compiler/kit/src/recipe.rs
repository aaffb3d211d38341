//! Recipes: a case as it is written down, before it is compiled and its results are computed.

use crate::metal::Family;
use crate::schema::{Expect, Kind};
use airfoil::air::select::FastMathMode;
use airfoil::interp::pipeline::Topology;
use airfoil::interp::texture::{Compare, Format, Image, Sampler};
use airfoil::ir::Dim;
use airfoil::{CompileOptions, Stage};

/// The program of a case.
#[derive(Clone, Debug)]
pub enum Source {
    /// GLSL for Vulkan, one text per stage.
    Glsl(Vec<(Stage, String)>),
    /// GLSL for OpenGL.
    OpenGl(Vec<(Stage, String)>),
    /// SPIR-V assembly of one stage. Specialisation constants stay open.
    Spirv(String),
    /// The text form of the IR, one text per stage.
    Foil(Vec<String>),
}

/// A change of the finished library, for cases that must fail or that test a form that Airfoil does not emit.
pub type Edit = fn(Vec<u8>) -> Result<Vec<u8>, String>;

/// A resource of the source.
#[derive(Clone, Debug)]
pub struct Given {
    /// Descriptor set.
    pub set: u32,
    /// Binding.
    pub binding: u32,
    /// Element of an array.
    pub element: u32,
    /// The resource.
    pub resource: Resource,
}

/// Contents of a resource.
#[derive(Clone, Debug)]
pub enum Resource {
    /// A uniform block.
    Uniform(Vec<u8>),
    /// A storage block.
    Storage(Vec<u8>),
    /// A texture, with a sampler if it is a combined one.
    Texture(Image, bool, Option<Sampler>),
    /// A sampler.
    Sampler(Sampler),
    /// A storage image; the flag states that it is an array.
    Image(Image, bool),
    /// A texel buffer, sampled or, with the flag, stored to.
    Texels(Vec<u8>, Format, bool),
}

/// Values of an attribute: bits of 32-bit components, vertex by vertex.
#[derive(Clone, Debug)]
pub struct VertexData {
    /// Location.
    pub location: u32,
    /// `f`, `i` or `u`.
    pub kind: char,
    /// Components.
    pub components: u32,
    /// The values.
    pub words: Vec<u32>,
    /// Advances per instance.
    pub per_instance: bool,
    /// Smaller components: a row of [`PACKED_VERTEX_FORMATS`](crate::metal::PACKED_VERTEX_FORMATS), and the bytes of all vertices in place of
    /// `words`.
    pub packed: Option<(u64, Vec<u8>)>,
}

/// A colour attachment.
#[derive(Clone, Debug)]
pub struct Color {
    /// Format.
    pub format: Format,
    /// Initial colour.
    pub clear: [f64; 4],
    /// Blend factors of Metal, see [`ColorCase::blend`](crate::schema::ColorCase).
    pub blend: Option<[u64; 2]>,
}

/// A draw.
#[derive(Clone, Debug)]
pub struct DrawRecipe {
    /// Width and height.
    pub size: [u32; 2],
    /// Colour attachments.
    pub colors: Vec<Color>,
    /// Depth attachment: initial depth and comparison.
    pub depth: Option<(f64, Compare)>,
    /// Whether the depths are compared with the expected ones.
    pub read_depth: bool,
    /// Attributes.
    pub attributes: Vec<VertexData>,
    /// Topology.
    pub topology: Topology,
    /// Vertices.
    pub vertices: u32,
    /// Instances.
    pub instances: u32,
    /// Indices: bits of an index, the indices, the base vertex.
    pub indices: Option<(u32, Vec<u32>, i32)>,
    /// `MTLCullMode`.
    pub cull: u64,
    /// `MTLWinding` of front faces.
    pub winding: u64,
    /// Samples per pixel.
    pub samples: u32,
    /// Layers of the attachments; 0 = not layered.
    pub layers: u32,
    /// Tessellation: half-float factors per patch, partition mode, patches.
    pub tessellation: Option<(Vec<u8>, u64, u32)>,
    /// A mesh draw: threadgroups, and the threads of object and mesh threadgroups.
    pub mesh: Option<([u64; 3], [[u64; 3]; 2])>,
}

impl Default for DrawRecipe {
    /// A triangle that covers an image of 16 by 16 pixels.
    fn default() -> DrawRecipe {
        DrawRecipe {
            size: [16, 16],
            colors: vec![Color { format: Format::Rgba8, clear: [0.0; 4], blend: None }],
            depth: None,
            read_depth: false,
            attributes: Vec::new(),
            topology: Topology::Triangles,
            vertices: 3,
            instances: 1,
            indices: None,
            cull: 0,
            winding: 0,
            samples: 1,
            layers: 0,
            tessellation: None,
            mesh: None,
        }
    }
}

/// The work of a case.
#[derive(Clone, Debug)]
pub enum Work {
    /// Nothing: the library is loaded.
    Load,
    /// A dispatch of this many threadgroups.
    Compute([u32; 3]),
    /// A draw.
    Draw(Box<DrawRecipe>),
}

/// A case as it is written down.
#[derive(Clone, Debug)]
pub struct Recipe {
    /// Step of the ladder.
    pub level: u32,
    /// Short name.
    pub name: String,
    /// The subject, one line.
    pub title: String,
    /// The program.
    pub source: Source,
    /// Target.
    pub target: String,
    /// Float arithmetic.
    pub fast_math: FastMathMode,
    /// Further options.
    pub configure: Option<fn(&mut CompileOptions)>,
    /// Values of specialisation constants that stay open.
    pub constants: Vec<(u32, u64)>,
    /// A change of the library.
    pub edit: Option<Edit>,
    /// Resources.
    pub given: Vec<Given>,
    /// Push constants.
    pub push: Vec<u8>,
    /// Values of uniforms outside blocks: name and bits.
    pub uniforms: Vec<(String, Vec<u64>)>,
    /// The work.
    pub work: Work,
    /// The last step of the case, if not [`Kind::Run`].
    pub kind: Kind,
    /// Tolerance of float outputs, `ulp:N`.
    pub tolerance: String,
    /// The same in Metal's language.
    pub control: Option<String>,
    /// The expected outcome.
    pub expect: Expect,
    /// A GPU family that it takes.
    pub family: Option<Family>,
    /// The doubtful point that it decides.
    pub doubt: Option<String>,
    /// Part of a name of a function of the `air.*` library that the compiled module must call.
    pub calls: Vec<String>,
}

impl Recipe {
    /// A case for macOS 13 with exact results.
    pub fn new(level: u32, name: &str, title: &str, source: Source, work: Work) -> Recipe {
        Recipe {
            level,
            name: name.to_owned(),
            title: title.to_owned(),
            source,
            target: "macos13".to_owned(),
            fast_math: FastMathMode::Precise,
            configure: None,
            constants: Vec::new(),
            edit: None,
            given: Vec::new(),
            push: Vec::new(),
            uniforms: Vec::new(),
            kind: if matches!(work, Work::Load) { Kind::Load } else { Kind::Run },
            work,
            tolerance: "exact".to_owned(),
            control: None,
            expect: Expect::Ok,
            family: None,
            doubt: None,
            calls: Vec::new(),
        }
    }

    /// A compute shader of one threadgroup.
    pub fn compute(level: u32, name: &str, title: &str, text: &str) -> Recipe {
        let source = Source::Glsl(vec![(Stage::Compute, text.to_owned())]);
        Recipe::new(level, name, title, source, Work::Compute([1, 1, 1]))
    }

    /// A draw with a vertex and a fragment shader.
    pub fn draw(level: u32, name: &str, title: &str, vertex: &str, fragment: &str) -> Recipe {
        let source =
            Source::Glsl(vec![(Stage::Vertex, vertex.to_owned()), (Stage::Fragment, fragment.to_owned())]);
        Recipe::new(level, name, title, source, Work::Draw(Box::default()))
    }

    /// Changes the draw.
    #[must_use]
    pub fn with_draw(mut self, change: impl FnOnce(&mut DrawRecipe)) -> Recipe {
        if let Work::Draw(draw) = &mut self.work {
            change(draw);
        }
        self
    }

    /// Changes the recipe.
    #[must_use]
    pub fn with(mut self, change: impl FnOnce(&mut Recipe)) -> Recipe {
        change(&mut self);
        self
    }

    /// Adds a resource of set 0.
    #[must_use]
    pub fn give(mut self, binding: u32, resource: Resource) -> Recipe {
        self.given.push(Given { set: 0, binding, element: 0, resource });
        self
    }

    /// Adds a storage block of words.
    #[must_use]
    pub fn words(self, binding: u32, words: &[u32]) -> Recipe {
        let bytes = words.iter().flat_map(|w| w.to_le_bytes()).collect();
        self.give(binding, Resource::Storage(bytes))
    }

    /// Adds a storage block of zeros.
    #[must_use]
    pub fn zeros(self, binding: u32, bytes: usize) -> Recipe {
        self.give(binding, Resource::Storage(vec![0; bytes]))
    }

    /// Adds a uniform block of floats.
    #[must_use]
    pub fn uniform(self, binding: u32, floats: &[f32]) -> Recipe {
        let bytes = floats.iter().flat_map(|f| f.to_le_bytes()).collect();
        self.give(binding, Resource::Uniform(bytes))
    }

    /// Floats differ by at most this many units in the last place.
    #[must_use]
    pub fn ulp(mut self, ulp: u32) -> Recipe {
        self.tolerance = format!("ulp:{ulp}");
        self
    }

    /// The same program in Metal's language.
    #[must_use]
    pub fn control(mut self, text: &str) -> Recipe {
        self.control = Some(text.to_owned());
        self
    }

    /// The doubtful point that the case decides.
    #[must_use]
    pub fn doubt(mut self, text: &str) -> Recipe {
        self.doubt = Some(text.to_owned());
        self
    }
}

/// An image with a pattern: every texel differs from its neighbours, and values are in the range of the format. Floats are from 0 to 1.
pub fn pattern(dim: Dim, format: Format, size: [u32; 3], layers: u32, levels: u32) -> Image {
    // The sizes are those of recipes.
    let mut image = Image::new(dim, format, size, layers, levels, 1)
        .unwrap_or_else(|e| panic!("an image of a recipe: {}", e.message));
    for level in 0..levels {
        let [w, h, d] = image.level_size(level);
        for layer in 0..layers {
            for (z, y, x) in (0..d).flat_map(|z| (0..h).flat_map(move |y| (0..w).map(move |x| (z, y, x)))) {
                let n = i64::from((x * 13 + y * 29 + z * 53 + layer * 71 + level * 97) % 200);
                let color = match format.is_integer() {
                    true => {
                        airfoil::interp::texture::Color::Int([n % 100, n % 90 + 1, n % 80 + 2, n % 70 + 3])
                    }
                    false => {
                        let at = |i: i64| ((n + 50 * i) % 200) as f64 / 255.0;
                        airfoil::interp::texture::Color::Float([at(0), at(1), at(2), 1.0])
                    }
                };
                image.set(level, layer, [x, y, z], 0, color);
            }
        }
    }
    image
}
