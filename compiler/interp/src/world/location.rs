//! Positions within pixels and primitives at which inputs are interpolated.

/// A position at which barycentric coordinates are evaluated.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Location {
    /// The centre of the pixel.
    Pixel,
    /// A position inside both the pixel and the primitive.
    Centroid,
    /// The sample that the invocation shades.
    Sample,
    /// The sample of an index.
    AtSample(u64),
    /// An offset from the centre, in pixels.
    AtOffset(f64, f64),
}

/// The position of a lane's fragment.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PixelLocation {
    /// Centre of the pixel in the window.
    pub(crate) centre: [f64; 2],
    /// The centroid, relative to the centre.
    pub(crate) centroid: [f64; 2],
    /// The sample that the invocation shades.
    pub(crate) sample: Option<u32>,
    /// Index of the primitive.
    pub(crate) primitive: usize,
}
