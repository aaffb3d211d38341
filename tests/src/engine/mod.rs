//! What executes shaders for the suites that look at results.
//!
//! Suites bring the resources and do what stands around shaders (drawing, clearing, comparing); an [`Engine`] runs the
//! shaders themselves. Resources, inputs and outputs are those of the interpreter: plain data that any engine can take.

pub mod interp;
pub mod raster;

use airfoil::Shader;
use airfoil_interp::run::{FragmentOutput, Quad, Vertex};
use airfoil_interp::{Resources, Values};

/// Executes shaders. Errors are in words.
pub trait Engine {
    /// Executes workgroups. `subgroup` is a size of subgroups that the caller asks for.
    fn compute(
        &mut self,
        shader: &Shader,
        resources: &mut Resources,
        groups: [u32; 3],
        subgroup: Option<u32>,
    ) -> Result<(), String>;

    /// Shades vertices; gives the outputs of each.
    fn vertices(
        &mut self,
        shader: &Shader,
        resources: &mut Resources,
        vertices: &[Vertex],
    ) -> Result<Vec<Values>, String>;

    /// Shades vertices and divides the patches of `patch` vertices that they form, by vertex and tessellation shaders; gives
    /// the triangles.
    fn tessellate(
        &mut self,
        shaders: &[Shader],
        resources: &mut Resources,
        vertices: &[Vertex],
        patch: u32,
    ) -> Result<Vec<[Values; 3]>, String>;

    /// Sends triangles through a geometry shader; gives the triangles of what it emits.
    fn geometry(
        &mut self,
        shader: &Shader,
        resources: &mut Resources,
        triangles: &[[Values; 3]],
    ) -> Result<Vec<[Values; 3]>, String>;

    /// Shades quads; gives what became of the four fragments of each.
    fn fragments(
        &mut self,
        shader: &Shader,
        resources: &mut Resources,
        quads: &[Quad<'_>],
    ) -> Result<Vec<[FragmentOutput; 4]>, String>;
}
