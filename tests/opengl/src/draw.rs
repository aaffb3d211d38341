//! Draws and dispatches.

use crate::context::Context;
use crate::error::Res;
use crate::gl::{self, Gl};

/// An input of vertex shaders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Input {
    /// Floats of a location.
    Floats(u32),
    /// Signed integers of a location.
    Ints(u32),
    /// Unsigned integers of a location.
    Uints(u32),
    /// `gl_Vertex`.
    Vertex,
    /// `gl_Normal`.
    Normal,
    /// `gl_Color`.
    Color,
    /// `gl_SecondaryColor`.
    SecondaryColor,
    /// `gl_FogCoord`.
    FogCoord,
    /// `gl_MultiTexCoordN`.
    TexCoord(u32),
}

/// An attribute.
#[derive(Clone, Debug)]
pub struct Attribute {
    /// The input that it is for.
    pub input: Input,
    /// The words of a vector of four components per vertex.
    pub values: Vec<[u32; 4]>,
}

impl Attribute {
    /// Floats of a location.
    pub fn floats(location: u32, values: impl IntoIterator<Item = [f32; 4]>) -> Attribute {
        let values = values.into_iter().map(|v| v.map(f32::to_bits)).collect();
        Attribute { input: Input::Floats(location), values }
    }

    /// Makes the bound buffer its array.
    ///
    /// # Safety
    /// As described in `lib.rs`; the buffer has the values.
    unsafe fn point(&self, gl: &Gl) {
        // Three components of a normal and a secondary color are all that OpenGL takes; the fourth is left out.
        const STRIDE: i32 = 16;
        let start = std::ptr::null();
        // SAFETY: the buffer has a vector per vertex.
        unsafe {
            match self.input {
                Input::Floats(n) => {
                    gl.VertexAttribPointer(n, 4, gl::FLOAT, gl::FALSE, STRIDE, start);
                    gl.EnableVertexAttribArray(n);
                }
                Input::Ints(n) | Input::Uints(n) => {
                    let ty = if matches!(self.input, Input::Ints(_)) { gl::INT } else { gl::UNSIGNED_INT };
                    gl.VertexAttribIPointer(n, 4, ty, STRIDE, start);
                    gl.EnableVertexAttribArray(n);
                }
                Input::Vertex => {
                    gl.VertexPointer(4, gl::FLOAT, STRIDE, start);
                    gl.EnableClientState(gl::VERTEX_ARRAY);
                }
                Input::Normal => {
                    gl.NormalPointer(gl::FLOAT, STRIDE, start);
                    gl.EnableClientState(gl::NORMAL_ARRAY);
                }
                Input::Color => {
                    gl.ColorPointer(4, gl::FLOAT, STRIDE, start);
                    gl.EnableClientState(gl::COLOR_ARRAY);
                }
                Input::SecondaryColor => {
                    gl.SecondaryColorPointer(3, gl::FLOAT, STRIDE, start);
                    gl.EnableClientState(gl::SECONDARY_COLOR_ARRAY);
                }
                Input::FogCoord => {
                    gl.FogCoordPointer(gl::FLOAT, STRIDE, start);
                    gl.EnableClientState(gl::FOG_COORD_ARRAY);
                }
                Input::TexCoord(n) => {
                    gl.ClientActiveTexture(gl::TEXTURE0 + n);
                    gl.TexCoordPointer(4, gl::FLOAT, STRIDE, start);
                    gl.EnableClientState(gl::TEXTURE_COORD_ARRAY);
                }
            }
        }
    }
}

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

    /// Draws vertices with attributes, each of which has a vector per vertex.
    ///
    /// # Errors
    /// The driver reports one.
    pub fn draw_with(&self, mode: u32, attributes: &[Attribute]) -> Res<()> {
        let count = attributes.iter().map(|a| a.values.len()).min().unwrap_or(0);
        let (mut array, gl) = (0, &self.gl);
        let mut buffers = vec![0; attributes.len()];
        let number = |n: usize| i32::try_from(n).unwrap_or(0);
        // SAFETY: as described in `lib.rs`; each buffer has `count` vectors.
        unsafe {
            gl.GenVertexArrays(1, &raw mut array);
            gl.BindVertexArray(array);
            gl.GenBuffers(number(buffers.len()), buffers.as_mut_ptr());
            for (attribute, buffer) in attributes.iter().zip(&buffers) {
                gl.BindBuffer(gl::ARRAY_BUFFER, *buffer);
                let values = &attribute.values;
                let bytes = isize::try_from(size_of_val(&values[..])).unwrap_or(0);
                gl.BufferData(gl::ARRAY_BUFFER, bytes, values.as_ptr().cast(), gl::STATIC_DRAW);
                attribute.point(gl);
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
