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

    /// The location of a uniform.
    pub fn uniform(&self, name: &str) -> Option<i32> {
        let name = CString::new(name).ok()?;
        // SAFETY: as described in `lib.rs`.
        let location = unsafe { self.context.gl.GetUniformLocation(self.name, name.as_ptr()) };
        (location >= 0).then_some(location)
    }
}
