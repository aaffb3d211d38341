//! Draws and dispatches.

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

    /// Draws vertices whose attributes are vectors of four floats, by location.
    ///
    /// # Errors
    /// The driver reports one.
    pub fn draw_with(&self, mode: u32, attributes: &[Vec<f32>]) -> Res<()> {
        let count = attributes.iter().map(|values| values.len() / 4).min().unwrap_or(0);
        let (mut array, gl) = (0, &self.gl);
        let mut buffers = vec![0; attributes.len()];
        let number = |n: usize| i32::try_from(n).unwrap_or(0);
        // SAFETY: as described in `lib.rs`; each buffer has `count` vectors.
        unsafe {
            gl.GenVertexArrays(1, &raw mut array);
            gl.BindVertexArray(array);
            gl.GenBuffers(number(buffers.len()), buffers.as_mut_ptr());
            for ((location, values), buffer) in (0..).zip(attributes).zip(&buffers) {
                gl.BindBuffer(gl::ARRAY_BUFFER, *buffer);
                let bytes = isize::try_from(size_of_val(&values[..])).unwrap_or(0);
                gl.BufferData(gl::ARRAY_BUFFER, bytes, values.as_ptr().cast(), gl::STATIC_DRAW);
                gl.VertexAttribPointer(location, 4, gl::FLOAT, gl::FALSE, 0, std::ptr::null());
                gl.EnableVertexAttribArray(location);
            }
            gl.DrawArrays(mode, 0, number(count));
            gl.BindVertexArray(0);
            gl.DeleteVertexArrays(1, &raw const array);
            gl.DeleteBuffers(number(buffers.len()), buffers.as_ptr());
        }
        self.check("a draw with attributes")
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
