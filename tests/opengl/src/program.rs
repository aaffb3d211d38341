//! Shaders and programs.

use crate::context::Context;
use crate::error::{Error, Res};
use crate::gl;
use airfoil_ir::Stage;
use std::ffi::CString;
use std::fmt;

/// The type of a shader object of a stage.
fn shader_type(stage: Stage) -> Res<u32> {
    Ok(match stage {
        Stage::Vertex => gl::VERTEX_SHADER,
        Stage::TessControl => gl::TESS_CONTROL_SHADER,
        Stage::TessEval => gl::TESS_EVALUATION_SHADER,
        Stage::Geometry => gl::GEOMETRY_SHADER,
        Stage::Fragment => gl::FRAGMENT_SHADER,
        Stage::Compute => gl::COMPUTE_SHADER,
        other => return Err(Error::Unsupported(format!("{other} shaders"))),
    })
}

/// A text of the driver with a known length.
pub(crate) fn text(length: i32, read: impl FnOnce(i32, *mut i32, *mut i8)) -> String {
    let mut bytes = vec![0u8; usize::try_from(length).unwrap_or(0).max(1)];
    let (room, mut written) = (i32::try_from(bytes.len()).unwrap_or(0), 0);
    read(room, &raw mut written, bytes.as_mut_ptr().cast());
    bytes.truncate(usize::try_from(written).unwrap_or(0));
    String::from_utf8_lossy(&bytes).into_owned()
}

/// A shader object.
pub struct Shader<'c> {
    context: &'c Context,
    name: u32,
}

impl fmt::Debug for Shader<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Shader").field(&self.name).finish()
    }
}

impl Drop for Shader<'_> {
    fn drop(&mut self) {
        // SAFETY: as described in `lib.rs`.
        unsafe { self.context.gl.DeleteShader(self.name) };
    }
}

impl Shader<'_> {
    fn parameter(&self, name: u32) -> i32 {
        let mut value = 0;
        // SAFETY: as described in `lib.rs`.
        unsafe { self.context.gl.GetShaderiv(self.name, name, &raw mut value) };
        value
    }

    /// Whether it was compiled.
    pub fn status(&self) -> bool {
        self.parameter(gl::COMPILE_STATUS) != 0
    }

    /// The messages of the compiler.
    pub fn log(&self) -> String {
        text(self.parameter(gl::INFO_LOG_LENGTH), |room, written, bytes| {
            // SAFETY: as described in `lib.rs`.
            unsafe { self.context.gl.GetShaderInfoLog(self.name, room, written, bytes.cast()) };
        })
    }
}

/// A program object.
pub struct Program<'c> {
    pub(crate) context: &'c Context,
    pub(crate) name: u32,
}

impl fmt::Debug for Program<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Program").field(&self.name).finish()
    }
}

impl Drop for Program<'_> {
    fn drop(&mut self) {
        // SAFETY: as described in `lib.rs`.
        unsafe { self.context.gl.DeleteProgram(self.name) };
    }
}

impl Context {
    /// Compiles a shader from source.
    ///
    /// # Errors
    /// OpenGL does not have the stage.
    pub fn compile(&self, stage: Stage, source: &str) -> Res<Shader<'_>> {
        let ty = shader_type(stage)?;
        let (pointer, length) = (source.as_ptr().cast(), i32::try_from(source.len()).unwrap_or(0));
        // SAFETY: as described in `lib.rs`.
        let name = unsafe {
            let name = self.gl.CreateShader(ty);
            self.gl.ShaderSource(name, 1, &raw const pointer, &raw const length);
            self.gl.CompileShader(name);
            name
        };
        Ok(Shader { context: self, name })
    }

    /// Links shaders, after changes to the program object.
    pub fn link_with(&self, shaders: &[Shader<'_>], prepare: impl FnOnce(&Program<'_>)) -> Program<'_> {
        // SAFETY: as described in `lib.rs`.
        let program = unsafe { Program { context: self, name: self.gl.CreateProgram() } };
        for shader in shaders {
            // SAFETY: as described in `lib.rs`.
            unsafe { self.gl.AttachShader(program.name, shader.name) };
        }
        prepare(&program);
        // SAFETY: as described in `lib.rs`.
        unsafe { self.gl.LinkProgram(program.name) };
        program
    }

    /// Links shaders.
    pub fn link(&self, shaders: &[Shader<'_>]) -> Program<'_> {
        self.link_with(shaders, |_| {})
    }

    /// Compiles and links sources.
    ///
    /// # Errors
    /// OpenGL lacks a stage; a source is not compiled, or the program not linked: their log.
    pub fn build(&self, sources: &[(Stage, String)]) -> Res<Program<'_>> {
        let shaders: Vec<Shader<'_>> =
            sources.iter().map(|(stage, text)| self.compile(*stage, text)).collect::<Res<_>>()?;
        if let Some(bad) = shaders.iter().find(|s| !s.status()) {
            return Err(Error::Failed(bad.log()));
        }
        let program = self.link(&shaders);
        match program.status() {
            true => Ok(program),
            false => Err(Error::Failed(program.log())),
        }
    }
}

impl Program<'_> {
    fn parameter(&self, name: u32) -> i32 {
        let mut value = 0;
        // SAFETY: as described in `lib.rs`.
        unsafe { self.context.gl.GetProgramiv(self.name, name, &raw mut value) };
        value
    }

    /// Whether it was linked.
    pub fn status(&self) -> bool {
        self.parameter(gl::LINK_STATUS) != 0
    }

    /// The messages of the linker.
    pub fn log(&self) -> String {
        text(self.parameter(gl::INFO_LOG_LENGTH), |room, written, bytes| {
            // SAFETY: as described in `lib.rs`.
            unsafe { self.context.gl.GetProgramInfoLog(self.name, room, written, bytes.cast()) };
        })
    }

    /// Gives an attribute a location for the next link.
    pub fn bind_attribute(&self, name: &str, location: u32) {
        let Ok(name) = CString::new(name) else { return };
        // SAFETY: as described in `lib.rs`.
        unsafe { self.context.gl.BindAttribLocation(self.name, location, name.as_ptr()) };
    }

    /// Sets `GL_PROGRAM_SEPARABLE` for the next link.
    pub fn set_separable(&self, separable: bool) {
        // SAFETY: as described in `lib.rs`.
        unsafe { self.context.gl.ProgramParameteri(self.name, gl::PROGRAM_SEPARABLE, separable.into()) };
    }

    /// Makes it the current program.
    ///
    /// # Errors
    /// It is not linked.
    pub fn make_current(&self) -> Res<()> {
        // SAFETY: as described in `lib.rs`.
        unsafe { self.context.gl.UseProgram(self.name) };
        self.context.check("the program is made current")
    }

    /// The location of an attribute.
    pub fn attribute(&self, name: &str) -> Option<u32> {
        let name = CString::new(name).ok()?;
        // SAFETY: as described in `lib.rs`.
        let location = unsafe { self.context.gl.GetAttribLocation(self.name, name.as_ptr()) };
        u32::try_from(location).ok()
    }

    /// Sets a uniform, or an element of an array, to a type of columns and rows: the words of its numbers. `ty` is `GL_FLOAT`,
    /// `GL_INT` or `GL_UNSIGNED_INT`. A name that is not active does nothing.
    ///
    /// # Errors
    /// The uniform has another type.
    pub fn set_uniform(&self, name: &str, ty: u32, [columns, rows]: [u32; 2], words: &[u32]) -> Res<()> {
        let (Ok(text), gl) = (CString::new(name), &self.context.gl) else { return Ok(()) };
        assert_eq!(words.len() as u32, columns * rows, "{name}");
        // SAFETY: as described in `lib.rs`; the words are those of one uniform.
        unsafe {
            let at = gl.GetUniformLocation(self.name, text.as_ptr());
            if at < 0 {
                return Ok(());
            }
            let (p, floats, ints, words) =
                (self.name, words.as_ptr().cast::<f32>(), words.as_ptr().cast::<i32>(), words.as_ptr());
            match (columns, rows, ty) {
                (1, 1, gl::FLOAT) => gl.ProgramUniform1fv(p, at, 1, floats),
                (1, 2, gl::FLOAT) => gl.ProgramUniform2fv(p, at, 1, floats),
                (1, 3, gl::FLOAT) => gl.ProgramUniform3fv(p, at, 1, floats),
                (1, 4, gl::FLOAT) => gl.ProgramUniform4fv(p, at, 1, floats),
                (1, 1, gl::INT) => gl.ProgramUniform1iv(p, at, 1, ints),
                (1, 2, gl::INT) => gl.ProgramUniform2iv(p, at, 1, ints),
                (1, 3, gl::INT) => gl.ProgramUniform3iv(p, at, 1, ints),
                (1, 4, gl::INT) => gl.ProgramUniform4iv(p, at, 1, ints),
                (1, 1, gl::UNSIGNED_INT) => gl.ProgramUniform1uiv(p, at, 1, words),
                (1, 2, gl::UNSIGNED_INT) => gl.ProgramUniform2uiv(p, at, 1, words),
                (1, 3, gl::UNSIGNED_INT) => gl.ProgramUniform3uiv(p, at, 1, words),
                (1, 4, gl::UNSIGNED_INT) => gl.ProgramUniform4uiv(p, at, 1, words),
                (2, 2, _) => gl.ProgramUniformMatrix2fv(p, at, 1, gl::FALSE, floats),
                (3, 3, _) => gl.ProgramUniformMatrix3fv(p, at, 1, gl::FALSE, floats),
                (4, 4, _) => gl.ProgramUniformMatrix4fv(p, at, 1, gl::FALSE, floats),
                (2, 3, _) => gl.ProgramUniformMatrix2x3fv(p, at, 1, gl::FALSE, floats),
                (3, 2, _) => gl.ProgramUniformMatrix3x2fv(p, at, 1, gl::FALSE, floats),
                (2, 4, _) => gl.ProgramUniformMatrix2x4fv(p, at, 1, gl::FALSE, floats),
                (4, 2, _) => gl.ProgramUniformMatrix4x2fv(p, at, 1, gl::FALSE, floats),
                (3, 4, _) => gl.ProgramUniformMatrix3x4fv(p, at, 1, gl::FALSE, floats),
                _ => gl.ProgramUniformMatrix4x3fv(p, at, 1, gl::FALSE, floats),
            }
        }
        self.context.check(name)
    }

    /// Gives a uniform block a binding point.
    pub fn bind_block(&self, index: u32, binding: u32) {
        // SAFETY: as described in `lib.rs`.
        unsafe { self.context.gl.UniformBlockBinding(self.name, index, binding) };
    }
}
