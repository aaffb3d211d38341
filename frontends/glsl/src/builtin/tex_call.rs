//! Texture lookups: the operation and the positions of the arguments.

use crate::types::{Opaque, OpaqueKind};
use airfoil_ir::Dim;

/// A texture lookup.
///
/// The arguments are, in this order, those that the call has (see [`TexCall::args`] for their positions):
/// 1. the sampler (or texture, with GL_EXT_samplerless_texture_functions);
/// 2. the coordinate `P`. Its components: the location (`Dim::coord_comps`), then the layer if arrayed, then the
///    reference value of a shadow sampler unless `compare` or `op` is `Gather`, and for `proj` the divisor `q` as the *last* component of the vector,
///    regardless of the components between. Exceptions: a 1D shadow sampler's reference value is the third component (`y` is not used)
///    unless arrayed; a location in a buffer, rectangle or fetch is integral if the argument is;
/// 3. the reference value as an argument of its own: `compare`, and always for `Gather` on a shadow sampler;
/// 4. `lod` for `Lod` (float) and for `Fetch` of shapes with several levels (int), `dPdx, dPdy` for `Grad`, the sample number
///    for `Fetch` of multisampled textures;
/// 5. one constant offset, or an array of four of them (`Gather`); not constant if the language allows that;
/// 6. the lowest level of detail (`clamp`);
/// 7. the component, a constant, of `Gather` (`component`; without it 0);
/// 8. the bias (`bias`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TexCall {
    /// Operation.
    pub op: TexOp,
    /// The coordinate is divided by its last component first; the reference value of a shadow sampler too.
    pub proj: bool,
    /// Offsets.
    pub offset: TexOffset,
    /// A lowest level of detail is given.
    pub clamp: bool,
    /// A bias is given.
    pub bias: bool,
    /// The component to gather is given.
    pub component: bool,
    /// The reference value is an argument of its own.
    pub compare: bool,
    /// `shadow1D`, `shadow2D`, ...: the result of the comparison as a `vec4` (r, r, r, 1 by the default texture mode).
    pub shadow_vec4: bool,
}

impl TexCall {
    /// A lookup without anything special.
    pub const fn new(op: TexOp) -> TexCall {
        TexCall {
            op,
            proj: false,
            offset: TexOffset::None,
            clamp: false,
            bias: false,
            component: false,
            compare: false,
            shadow_vec4: false,
        }
    }

    /// Positions of the arguments for a sampler or texture of this type.
    pub fn args(self, sampler: Opaque) -> TexArgs {
        let mut next = 2;
        let mut take = |there: bool| {
            there.then(|| {
                next += 1;
                next - 1
            })
        };
        let has_levels = !matches!(sampler.dim, Dim::Rect | Dim::Buffer) && !sampler.dim.is_multisampled();
        let fetch = self.op == TexOp::Fetch;
        let compare = take(self.compare || (self.op == TexOp::Gather && sampler.shadow));
        let lod = take(self.op == TexOp::Lod || (fetch && has_levels));
        let sample = take(fetch && sampler.dim.is_multisampled());
        let ddx = take(self.op == TexOp::Grad);
        let ddy = take(self.op == TexOp::Grad);
        let offset = take(self.offset != TexOffset::None);
        let clamp = take(self.clamp);
        let component = take(self.component);
        let bias = take(self.bias);
        TexArgs { coord: 1, compare, lod, sample, ddx, ddy, offset, clamp, component, bias, count: next }
    }

    /// Component of the coordinate that holds the reference value, if it has one.
    pub fn reference_component(self, sampler: Opaque) -> Option<u8> {
        let combined = matches!(sampler.kind, OpaqueKind::Sampled | OpaqueKind::Texture);
        if !combined || !sampler.shadow || self.compare || self.op == TexOp::Gather {
            return None;
        }
        let after_place = sampler.dim.coord_comps() + u8::from(sampler.arrayed);
        Some(after_place.max(2))
    }
}

/// Positions of the arguments of a [`TexCall`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TexArgs {
    /// Coordinate.
    pub coord: usize,
    /// Reference value as an argument of its own.
    pub compare: Option<usize>,
    /// Level of detail.
    pub lod: Option<usize>,
    /// Index of the sample.
    pub sample: Option<usize>,
    /// Gradient along x.
    pub ddx: Option<usize>,
    /// Gradient along y.
    pub ddy: Option<usize>,
    /// Offset or array of four offsets.
    pub offset: Option<usize>,
    /// Lowest level of detail.
    pub clamp: Option<usize>,
    /// Component to gather.
    pub component: Option<usize>,
    /// Bias.
    pub bias: Option<usize>,
    /// Number of arguments.
    pub count: usize,
}

/// Operation of a texture lookup.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TexOp {
    /// Filters; the level of detail comes from the derivatives (the base level outside the fragment stage).
    Sample,
    /// Filters at a level of detail.
    Lod,
    /// Filters; the level of detail comes from gradients.
    Grad,
    /// Reads a texel at integral coordinates.
    Fetch,
    /// Reads one component of four texels, or compares them.
    Gather,
}

/// Offsets of a texture lookup.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TexOffset {
    /// None.
    None,
    /// One.
    One,
    /// An array of four, one for each texel of a `Gather`.
    Four,
}
