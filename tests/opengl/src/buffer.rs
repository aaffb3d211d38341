//! Buffers.

use crate::context::Context;
use crate::error::Res;

/// A buffer object.
pub struct Buffer<'c> {
    context: &'c Context,
    name: u32,
    bytes: usize,
}

impl Drop for Buffer<'_> {
    fn drop(&mut self) {
        // SAFETY: as described in `lib.rs`.
        unsafe { self.context.gl.DeleteBuffers(1, &raw const self.name) };
    }
}

/// A length as OpenGL takes it.
fn size(bytes: usize) -> isize {
    isize::try_from(bytes).unwrap_or(isize::MAX)
}

impl Context {
    /// A buffer with contents, bound to an index of a target such as `GL_SHADER_STORAGE_BUFFER`.
    ///
    /// # Errors
    /// The driver reports one.
    pub fn buffer(&self, target: u32, index: u32, contents: &[u8]) -> Res<Buffer<'_>> {
        let mut name = 0;
        // SAFETY: as described in `lib.rs`.
        unsafe {
            self.gl.GenBuffers(1, &raw mut name);
            self.gl.BindBufferBase(target, index, name);
            self.gl.BufferData(
                target,
                size(contents.len()),
                contents.as_ptr().cast(),
                crate::gl::DYNAMIC_COPY,
            );
        }
        self.check("a buffer is created")?;
        Ok(Buffer { context: self, name, bytes: contents.len() })
    }
}

impl Buffer<'_> {
    /// The contents.
    ///
    /// # Errors
    /// The driver reports one.
    pub fn read(&self) -> Res<Vec<u8>> {
        let mut bytes = vec![0; self.bytes];
        let gl = &self.context.gl;
        // SAFETY: as described in `lib.rs`.
        unsafe {
            gl.MemoryBarrier(crate::gl::ALL_BARRIER_BITS);
            gl.BindBuffer(crate::gl::COPY_READ_BUFFER, self.name);
            gl.GetBufferSubData(crate::gl::COPY_READ_BUFFER, 0, size(self.bytes), bytes.as_mut_ptr().cast());
        }
        self.context.check("a buffer is read")?;
        Ok(bytes)
    }
}
