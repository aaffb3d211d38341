//! Framebuffers whose pixels are read back.

use crate::context::Context;
use crate::error::{Error, Res};
use crate::gl;

/// The values of a color attachment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `GL_RGBA32F`.
    Float,
    /// `GL_RGBA8`, read as floats.
    Unorm8,
    /// `GL_RGBA32I`.
    Int,
    /// `GL_RGBA32UI`.
    Uint,
}

impl Kind {
    /// Internal format, format and type of the pixels that are read.
    fn formats(self) -> (u32, u32, u32) {
        match self {
            Kind::Float => (gl::RGBA32F, gl::RGBA, gl::FLOAT),
            Kind::Unorm8 => (gl::RGBA8, gl::RGBA, gl::FLOAT),
            Kind::Int => (gl::RGBA32I, gl::RGBA_INTEGER, gl::INT),
            Kind::Uint => (gl::RGBA32UI, gl::RGBA_INTEGER, gl::UNSIGNED_INT),
        }
    }
}

/// A framebuffer with color attachments and a depth and stencil attachment, bound for drawing and reading.
pub struct Framebuffer<'c> {
    context: &'c Context,
    name: u32,
    renderbuffers: Vec<u32>,
    kinds: Vec<Kind>,
    size: [i32; 2],
}

impl Drop for Framebuffer<'_> {
    fn drop(&mut self) {
        let gl = &self.context.gl;
        // SAFETY: as described in `lib.rs`.
        unsafe {
            gl.DeleteFramebuffers(1, &raw const self.name);
            let count = i32::try_from(self.renderbuffers.len()).unwrap_or(0);
            gl.DeleteRenderbuffers(count, self.renderbuffers.as_ptr());
        }
    }
}

impl Context {
    /// A framebuffer of `width` times `height` pixels, whose colors are 0 and whose depths are 1; its viewport is the whole.
    ///
    /// # Errors
    /// The driver does not support the attachments.
    pub fn framebuffer(&self, width: u32, height: u32, kinds: &[Kind]) -> Res<Framebuffer<'_>> {
        let size = [width, height].map(|n| i32::try_from(n).unwrap_or(i32::MAX));
        let mut buffers = vec![0; kinds.len() + 1];
        let (mut name, gl) = (0, &self.gl);
        let draw: Vec<u32> = (0u32..).zip(kinds).map(|(n, _)| gl::COLOR_ATTACHMENT0 + n).collect();
        let count = |n: usize| i32::try_from(n).unwrap_or(0);
        // SAFETY: as described in `lib.rs`.
        unsafe {
            gl.GenFramebuffers(1, &raw mut name);
            gl.BindFramebuffer(gl::FRAMEBUFFER, name);
            gl.GenRenderbuffers(count(buffers.len()), buffers.as_mut_ptr());
            for (buffer, (kind, attachment)) in buffers.iter().zip(kinds.iter().zip(&draw)) {
                gl.BindRenderbuffer(gl::RENDERBUFFER, *buffer);
                gl.RenderbufferStorage(gl::RENDERBUFFER, kind.formats().0, size[0], size[1]);
                gl.FramebufferRenderbuffer(gl::FRAMEBUFFER, *attachment, gl::RENDERBUFFER, *buffer);
            }
            let depth = buffers[kinds.len()];
            gl.BindRenderbuffer(gl::RENDERBUFFER, depth);
            gl.RenderbufferStorage(gl::RENDERBUFFER, gl::DEPTH24_STENCIL8, size[0], size[1]);
            gl.FramebufferRenderbuffer(
                gl::FRAMEBUFFER,
                gl::DEPTH_STENCIL_ATTACHMENT,
                gl::RENDERBUFFER,
                depth,
            );
            gl.DrawBuffers(count(draw.len()), draw.as_ptr());
            gl.Viewport(0, 0, size[0], size[1]);
        }
        let made = Framebuffer { context: self, name, renderbuffers: buffers, kinds: kinds.to_vec(), size };
        // SAFETY: as described in `lib.rs`.
        if unsafe { gl.CheckFramebufferStatus(gl::FRAMEBUFFER) } != gl::FRAMEBUFFER_COMPLETE {
            return Err(Error::Unsupported(format!("a framebuffer of {kinds:?}")));
        }
        made.clear()?;
        Ok(made)
    }
}

impl Framebuffer<'_> {
    /// Sets colors to 0, depths to 1 and stencil values to 0.
    ///
    /// # Errors
    /// The driver reports one.
    pub fn clear(&self) -> Res<()> {
        let gl = &self.context.gl;
        for (n, kind) in (0..).zip(&self.kinds) {
            // SAFETY: as described in `lib.rs`.
            unsafe {
                match kind {
                    Kind::Float | Kind::Unorm8 => gl.ClearBufferfv(gl::COLOR, n, [0.0; 4].as_ptr()),
                    Kind::Int => gl.ClearBufferiv(gl::COLOR, n, [0; 4].as_ptr()),
                    Kind::Uint => gl.ClearBufferuiv(gl::COLOR, n, [0; 4].as_ptr()),
                }
            }
        }
        // SAFETY: as described in `lib.rs`.
        unsafe { gl.ClearBufferfi(gl::DEPTH_STENCIL, 0, 1.0, 0) };
        self.context.check("the framebuffer is cleared")
    }

    /// The words of the pixels of a color attachment, four per pixel, by rows from the bottom up.
    ///
    /// # Errors
    /// The driver reports one.
    pub fn read(&self, attachment: usize) -> Res<Vec<u32>> {
        let (_, format, ty) = self.kinds[attachment].formats();
        let [width, height] = self.size;
        let mut words = vec![0u32; 4 * (width * height).unsigned_abs() as usize];
        let gl = &self.context.gl;
        // SAFETY: as described in `lib.rs`: four words per pixel are read.
        unsafe {
            gl.ReadBuffer(gl::COLOR_ATTACHMENT0 + u32::try_from(attachment).unwrap_or(0));
            gl.PixelStorei(gl::PACK_ALIGNMENT, 4);
            gl.ClampColor(gl::CLAMP_READ_COLOR, gl::FALSE.into());
            gl.ReadPixels(0, 0, width, height, format, ty, words.as_mut_ptr().cast());
        }
        self.context.check("pixels are read")?;
        Ok(words)
    }
}
