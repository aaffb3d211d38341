//! Texture instructions: one kind of instruction with tagged sources, because the combinations of
//! operations and operands would explode as intrinsics.

use crate::enums::{Dim, Scalar};
use crate::ids::InstrId;
use smallvec::SmallVec;

macro_rules! tex_table {
    ($( $(#[$meta:meta])* $enum:ident { $( $(#[doc = $doc:literal])+ $variant:ident = $name:literal, )+ } )+) => { $(
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum $enum { $( $(#[doc = $doc])+ $variant, )+ }

        impl $enum {
            /// All values.
            pub const ALL: &'static [$enum] = &[$( $enum::$variant, )+];
            /// Name in the text form.
            pub const fn name(self) -> &'static str {
                match self { $( $enum::$variant => $name, )+ }
            }
            /// Documentation of the row.
            pub const fn doc(self) -> &'static str {
                match self { $( $enum::$variant => concat!($($doc, "\n"),+), )+ }
            }
            /// Value of a name.
            pub fn from_name(name: &str) -> Option<$enum> {
                Self::ALL.iter().copied().find(|v| v.name() == name)
            }
        }
    )+ };
}

tex_table! {
    /// A texture operation.
    ///
    /// # Examples
    ///
    /// ```
    /// use airfoil_ir::TexOp;
    ///
    /// // A fetch reads exact texels, so that no derivatives are needed.
    /// let fetch = TexOp::from_name("txf").unwrap();
    /// assert!(fetch.is_fetch() && !fetch.is_quad());
    /// // The query of the level of detail needs derivatives like a sample operation.
    /// assert!(TexOp::Lod.is_query() && TexOp::Lod.is_quad());
    /// let quad: Vec<_> = TexOp::ALL.iter().filter(|op| op.is_quad()).map(|op| op.name()).collect();
    /// assert_eq!(quad, ["tex", "txb", "lod"]);
    /// ```
    TexOp {
        /// Samples with the level of detail from implicit derivatives. Quad operation. GLSL `texture`.
        Tex = "tex",
        /// `tex` with a bias that is added to the level of detail. Quad operation.
        Txb = "txb",
        /// Samples at an explicit level of detail. GLSL `textureLod`.
        Txl = "txl",
        /// Samples with explicit derivatives. GLSL `textureGrad`.
        Txd = "txd",
        /// Fetches a texel by integer coordinates and level, without a sampler. GLSL `texelFetch`.
        Txf = "txf",
        /// Fetches a texel of a multisampled texture by integer coordinates and sample index.
        TxfMs = "txf_ms",
        /// Size of a level in texels: width, height, depth and layers, as far as the dimension has them. GLSL `textureSize`.
        Txs = "txs",
        /// Level of detail that `tex` would use: clamped to the existing levels, and as computed. Quad operation. GLSL
        /// `textureQueryLod`.
        Lod = "lod",
        /// Gathers one component of the four texels that linear filtering would use. GLSL `textureGather`.
        Tg4 = "tg4",
        /// Number of mipmap levels. GLSL `textureQueryLevels`.
        QueryLevels = "query_levels",
        /// Number of samples per texel. GLSL `textureSamples`.
        Samples = "samples",
    }
    /// The role of a source of a texture operation.
    ///
    /// # Examples
    ///
    /// ```
    /// use airfoil_ir::{Body, Builder, Dim, Scalar, Tex, TexOp, TexSrc, Ty};
    ///
    /// let mut body = Body::new();
    /// let mut b = Builder::at_end(&mut body);
    /// let mut tex = Tex::new(TexOp::Txl, Dim::D2, Scalar::Float32);
    /// // Sources are kept in the order of their roles.
    /// for (role, comps) in [(TexSrc::Lod, 1), (TexSrc::Texture, 1), (TexSrc::Coord, 2)] {
    ///     tex.set_src(role, b.undef(Ty::new(comps, 32)));
    /// }
    /// let roles: Vec<_> = tex.srcs.iter().map(|(role, _)| role.name()).collect();
    /// assert_eq!(roles, ["texture", "coord", "lod"]);
    /// assert_eq!(tex.src(TexSrc::Bias), None);
    /// ```
    TexSrc {
        /// Deref of the texture.
        Texture = "texture",
        /// Deref of the sampler.
        Sampler = "sampler",
        /// Coordinates, followed by the layer of an arrayed texture; floats, or integers for fetches.
        Coord = "coord",
        /// Projector: divisor of the coordinates.
        Projector = "projector",
        /// Reference value of a depth comparison.
        Comparator = "comparator",
        /// Offset in texels.
        Offset = "offset",
        /// Bias that is added to the level of detail.
        Bias = "bias",
        /// Explicit level of detail.
        Lod = "lod",
        /// Minimum level of detail.
        MinLod = "min_lod",
        /// Sample index.
        MsIndex = "ms_index",
        /// Derivatives of the coordinates, without the layer, along x.
        Ddx = "ddx",
        /// Derivatives of the coordinates, without the layer, along y.
        Ddy = "ddy",
    }
}

impl TexOp {
    /// Whether the operation reads the other invocations of the quad.
    pub const fn is_quad(self) -> bool {
        matches!(self, TexOp::Tex | TexOp::Txb | TexOp::Lod)
    }

    /// Whether the operation queries a property of the texture instead of reading texels.
    pub const fn is_query(self) -> bool {
        matches!(self, TexOp::Txs | TexOp::Lod | TexOp::QueryLevels | TexOp::Samples)
    }

    /// Whether coordinates are integers.
    pub const fn is_fetch(self) -> bool {
        matches!(self, TexOp::Txf | TexOp::TxfMs)
    }
}

/// A texture instruction.
///
/// The result has four components (one for comparisons other than `tg4`) of `dest_type`.
///
/// # Examples
///
/// ```
/// use airfoil_ir::{Dim, Scalar, Tex, TexOp};
///
/// let mut tex = Tex::new(TexOp::Tex, Dim::Cube, Scalar::Float32);
/// tex.arrayed = true;
/// // A direction and a layer.
/// assert_eq!(tex.coord_comps(), 4);
/// // The hint does not make a texture operation another one, but the comparison of depths does.
/// let mut other = Tex { relaxed: true, ..tex.clone() };
/// assert!(tex != other && tex.does_same(&other));
/// other.shadow = true;
/// assert!(!tex.does_same(&other));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Tex {
    /// The operation.
    pub op: TexOp,
    /// Shape of the texture.
    pub dim: Dim,
    /// Whether it has layers.
    pub arrayed: bool,
    /// Whether depths are compared.
    pub shadow: bool,
    /// Type of the result's components.
    pub dest_type: Scalar,
    /// Component that `tg4` gathers.
    pub component: u8,
    /// Offsets of the four texels of `tg4`, in texels.
    pub offsets: Option<[[i8; 2]; 4]>,
    /// The texture or sampler may differ between the invocations of a subgroup.
    pub non_uniform: bool,
    /// Medium precision of the result is enough; a hint, as [`AluFlags::RELAXED`](crate::AluFlags::RELAXED).
    pub relaxed: bool,
    /// The result is not the texels but the residency code of the texels that the operation reads: a 32-bit integer that
    /// `is_resident` tests. Not for queries.
    pub residency: bool,
    /// Sources, each role at most once, in order of their roles.
    pub srcs: SmallVec<[(TexSrc, InstrId); 4]>,
}

impl Tex {
    /// A texture instruction without sources.
    pub fn new(op: TexOp, dim: Dim, dest_type: Scalar) -> Tex {
        Tex {
            op,
            dim,
            arrayed: false,
            shadow: false,
            dest_type,
            component: 0,
            offsets: None,
            non_uniform: false,
            relaxed: false,
            residency: false,
            srcs: SmallVec::new(),
        }
    }

    /// The source of a role.
    pub fn src(&self, role: TexSrc) -> Option<InstrId> {
        self.srcs.iter().find(|(r, _)| *r == role).map(|&(_, v)| v)
    }

    /// Adds a source, keeping the order of roles; an existing source of the role is replaced.
    ///
    /// Only for building: the sources of an instruction in a body change through the body.
    pub fn set_src(&mut self, role: TexSrc, value: InstrId) {
        match self.srcs.binary_search_by_key(&role, |&(r, _)| r) {
            Ok(i) => self.srcs[i].1 = value,
            Err(i) => self.srcs.insert(i, (role, value)),
        }
    }

    /// Whether it is equal to another one, apart from the hint [`Tex::relaxed`].
    pub fn does_same(&self, other: &Tex) -> bool {
        // Taken apart, so that a field that is added cannot be forgotten here.
        let Tex {
            op,
            dim,
            arrayed,
            shadow,
            dest_type,
            component,
            offsets,
            non_uniform,
            relaxed: _,
            residency,
            srcs,
        } = self;
        (*op, *dim, *arrayed, *shadow, *dest_type, *residency)
            == (other.op, other.dim, other.arrayed, other.shadow, other.dest_type, other.residency)
            && (*component, *offsets, *non_uniform) == (other.component, other.offsets, other.non_uniform)
            && *srcs == other.srcs
    }

    /// Components of a coordinate, layer included.
    pub fn coord_comps(&self) -> u8 {
        self.dim.coord_comps() + u8::from(self.arrayed)
    }
}
