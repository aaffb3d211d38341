//! Assembly programs: `GL_ARB_vertex_program` and `GL_ARB_fragment_program`.

use crate::context::Context;
use crate::error::{Error, Res};
use crate::gl;
use std::ffi::CStr;
use std::fmt;

/// An assembly program.
pub struct Assembly<'c> {
    context: &'c Context,
    target: u32,
    name: u32,
}

impl fmt::Debug for Assembly<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Assembly").field(&self.name).finish()
    }
}

impl Drop for Assembly<'_> {
    fn drop(&mut self) {
        // SAFETY: as described in `lib.rs`.
        unsafe {
            self.context.gl.Disable(self.target);
            self.context.gl.DeleteProgramsARB(1, &raw const self.name);
        }
    }
}

impl Context {
    /// Reads an assembly program and makes it current for its stage, as long as it exists. `target` is `GL_VERTEX_PROGRAM_ARB` or
    /// `GL_FRAGMENT_PROGRAM_ARB`.
    ///
    /// # Errors
    /// The position and the message of the error that the driver reports.
    pub fn assembly(&self, target: u32, text: &str) -> Res<Assembly<'_>> {
        let (mut name, gl) = (0, &self.gl);
        let length = i32::try_from(text.len()).unwrap_or(i32::MAX);
        // SAFETY: as described in `lib.rs`.
        let (program, message) = unsafe {
            gl.UseProgram(0);
            gl.GenProgramsARB(1, &raw mut name);
            gl.BindProgramARB(target, name);
            gl.ProgramStringARB(target, gl::PROGRAM_FORMAT_ASCII_ARB, length, text.as_ptr().cast());
            gl.Enable(target);
            let message = gl.GetString(gl::PROGRAM_ERROR_STRING_ARB);
            let message =
                if message.is_null() { c"".to_owned() } else { CStr::from_ptr(message.cast()).to_owned() };
            (Assembly { context: self, target, name }, message)
        };
        let position = self.limit(gl::PROGRAM_ERROR_POSITION_ARB);
        match self.check("an assembly program is read") {
            Ok(()) => Ok(program),
            Err(_) => Err(Error::Failed(format!("{position}: {}", message.to_string_lossy()))),
        }
    }
}

impl Assembly<'_> {
    /// Sets a program local parameter.
    pub fn set_local(&self, index: u32, value: [f32; 4]) {
        // SAFETY: as described in `lib.rs`.
        unsafe { self.context.gl.ProgramLocalParameter4fvARB(self.target, index, value.as_ptr()) };
    }

    /// Sets an environment parameter of the stage.
    pub fn set_env(&self, index: u32, value: [f32; 4]) {
        // SAFETY: as described in `lib.rs`.
        unsafe { self.context.gl.ProgramEnvParameter4fvARB(self.target, index, value.as_ptr()) };
    }
}
