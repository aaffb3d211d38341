//! Results of shadow lookups of the compatibility profile, such as `shadow2D`: vectors whose components depend on the
//! state of the texture.

/// `DEPTH_TEXTURE_MODE`, which lookups that give a single number pass over (OpenGL 4.6 compatibility profile, table 8.18).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum DepthMode {
    /// (r, r, r, 1).
    #[default]
    Luminance,
    /// (r, r, r, r).
    Intensity,
    /// (0, 0, 0, r).
    Alpha,
    /// (r, 0, 0, 1).
    Red,
}
