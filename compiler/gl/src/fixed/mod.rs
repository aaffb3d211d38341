//! The fixed functions of OpenGL 1.x and 2.x as shaders.
//!
//! A key is the state that the code of a shader depends on; [`vertex`] and [`fragment`] generate the shader of a key, in form
//! `variables`. Values of the state (matrices, colors, lights) are parameters: the shader reads them from one uniform block,
//! and [`FixedShader::parameters`] lists the contents of each vector, as for [assembly programs](airfoil::arb).
//! [`Device::fixed_vertex`](crate::Device::fixed_vertex) and [`Device::fixed_fragment`](crate::Device::fixed_fragment) keep
//! the shaders of the canonical keys.
//!
//! The shaders write the colors, the fog coordinate, the point size and `gl_ClipVertex` of the compatibility profile. State that
//! applies to any shader is in the [`StateKey`](crate::StateKey): the blend with the color of the fog, the alpha test, flat
//! shading, the choice of the back colors, the final clamps of colors, clip planes, point sprites and the limits of the point
//! size.
//!
//! Sections are those of the OpenGL 4.6 compatibility profile.

mod cache;
mod combine;
mod emit;
mod env_mode;
mod fragment;
mod fragment_key;
mod lighting;
mod object;
mod shader;
mod target;
mod texgen;
mod vertex;
mod vertex_key;

pub(crate) use cache::Shaders;
pub use combine::{Argument, CombineFunction, CombineKey, Operand, Scale, Source};
pub use env_mode::{BaseFormat, EnvMode};
pub use fragment_key::{FixedFragmentKey, FragmentFlags, TextureUnitKey};
pub use shader::{FRAGMENT_BINDING, FixedSampler, FixedShader, UNITS, VERTEX_BINDING};
pub use target::UnitTarget;
pub use vertex_key::{
    ColorMaterial, CoordinateFlags, CoordinateKey, FixedVertexKey, FogCoordinate, LightFlags, TexGen,
    VertexFlags,
};

/// Generates the vertex shader of a key. Keys with equal [canonical forms](FixedVertexKey::canonical) have equal shaders.
pub fn vertex(key: &FixedVertexKey) -> FixedShader {
    vertex::generate(&key.canonical())
}

/// Generates the fragment shader of a key. Keys with equal [canonical forms](FixedFragmentKey::canonical) have equal shaders.
pub fn fragment(key: &FixedFragmentKey) -> FixedShader {
    fragment::generate(&key.canonical())
}
