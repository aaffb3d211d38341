//! Writes the functions and constants of OpenGL from the registry.

use gl_generator::{Api, Fallbacks, Profile, Registry, StructGenerator};
use std::{env, error, fs, path};

/// Extensions that are used beside the core.
const EXTENSIONS: [&str; 4] =
    ["GL_ARB_fragment_program", "GL_ARB_gl_spirv", "GL_ARB_vertex_program", "GL_KHR_blend_equation_advanced"];

fn main() -> Result<(), Box<dyn error::Error>> {
    let folder = env::var_os("OUT_DIR").ok_or("OUT_DIR is not set")?;
    let mut file = fs::File::create(path::Path::new(&folder).join("gl.rs"))?;
    Registry::new(Api::Gl, (4, 6), Profile::Compatibility, Fallbacks::None, EXTENSIONS)
        .write_bindings(StructGenerator, &mut file)?;
    println!("cargo::rerun-if-changed=build.rs");
    Ok(())
}
