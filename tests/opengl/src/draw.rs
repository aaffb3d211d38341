//! Draws and dispatches without vertex arrays: shaders use the index of the vertex.

use crate::context::Context;
use crate::error::Res;
use crate::gl;

impl Context {
    /// Draws vertices of a mode such as `GL_POINTS` with the current program; patches have `patch_vertices`.
    ///
    /// # Errors
    /// The driver reports one.
    pub fn draw(&self, mode: u32, count: u32, patch_vertices: i32) -> Res<()> {
        let (mut array, gl) = (0, &self.gl);
        // SAFETY: as described in `lib.rs`.
        unsafe {
            if mode == gl::PATCHES {
                gl.PatchParameteri(gl::PATCH_VERTICES, patch_vertices);
            }
            gl.GenVertexArrays(1, &raw mut array);
            gl.BindVertexArray(array);
            gl.DrawArrays(mode, 0, count.cast_signed());
            gl.BindVertexArray(0);
            gl.DeleteVertexArrays(1, &raw const array);
        }
        self.check("a draw")
    }

    /// Executes workgroups of the current program.
    ///
    /// # Errors
    /// The driver reports one.
    pub fn dispatch(&self, groups: [u32; 3]) -> Res<()> {
        // SAFETY: as described in `lib.rs`.
        unsafe { self.gl.DispatchCompute(groups[0], groups[1], groups[2]) };
        self.check("a dispatch")
    }
}
