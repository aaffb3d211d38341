//! Generated shaders as shader objects.

use super::fragment_key::FixedFragmentKey;
use super::shader::FixedShader;
use super::vertex_key::FixedVertexKey;
use crate::device::Device;
use crate::import::import;
use crate::shader::{Origin, ShaderObject};
use airfoil::Stage;
use airfoil::debug;
use std::sync::Arc;

/// The name of the objects in logs.
const NAME: &str = "fixed functions";

impl Device {
    /// The shader object of [`Device::fixed_vertex`]. It links with a fragment shader of fixed functions, assembly or GLSL;
    /// [`Program::parameter_block`](crate::Program::parameter_block) finds the block with its parameters.
    pub fn fixed_vertex_object(&self, key: &FixedVertexKey) -> ShaderObject {
        self.fixed_object(self.fixed_vertex(key), Stage::Vertex, &format!("{:?}", key.canonical()))
    }

    /// The shader object of [`Device::fixed_fragment`]. It links with a vertex shader of fixed functions, assembly or GLSL.
    pub fn fixed_fragment_object(&self, key: &FixedFragmentKey) -> ShaderObject {
        self.fixed_object(self.fixed_fragment(key), Stage::Fragment, &format!("{:?}", key.canonical()))
    }

    /// `key` identifies the shader in the disk cache and in `AIRFOIL_DEBUG`, where a replacement of it has no effect.
    fn fixed_object(&self, fixed: Arc<FixedShader>, stage: Stage, key: &str) -> ShaderObject {
        let watched = debug::source(NAME, stage, key);
        let (unit, list) = match import(fixed.shader.clone()) {
            Ok(unit) => (Some(unit), Vec::new()),
            Err(list) => (None, list),
        };
        let digest = self.shader_key(NAME, stage, &[key]);
        ShaderObject::new(NAME, stage, unit, list, watched.key, digest, Origin::Fixed(fixed))
    }
}
