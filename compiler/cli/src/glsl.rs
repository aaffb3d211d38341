//! Options for GLSL.

use airfoil::glsl::ProgramOptions;
use airfoil::glsl::limits::Limits;
use airfoil::glsl::link::LinkOptions;
use airfoil::glsl::version::Version;
use airfoil::metal_limits;
use clap::{Args, ValueEnum};
use std::str::FromStr;

/// How GLSL is read.
#[derive(Args, Clone, Debug)]
pub struct GlslArgs {
    /// GLSL for Vulkan (GL_KHR_vulkan_glsl) rather than for OpenGL
    #[arg(long, help_heading = "GLSL")]
    pub vulkan: bool,
    /// Version of sources without #version, such as `330 core` or `300 es` [default: 110]
    #[arg(long, value_name = "VERSION", help_heading = "GLSL")]
    pub std: Option<Version>,
    /// Define a macro, as 1 without a value; can be repeated
    #[arg(short = 'D', long = "define", value_name = "NAME[=VALUE]", help_heading = "GLSL")]
    pub defines: Vec<Define>,
    /// Resource limits: the values of gl_Max* constants, checked by the linker
    #[arg(long, value_enum, value_name = "LIMITS", default_value_t, help_heading = "GLSL")]
    pub limits: LimitsOf,
    /// Limit GLSL ES 1.00 to the loops and indices that its appendix A asks for, as WebGL 1 does
    #[arg(long, help_heading = "GLSL")]
    pub es100_limits: bool,
}

/// Whose resource limits hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum LimitsOf {
    /// The limits of Metal
    #[default]
    Metal,
    /// The least that OpenGL and OpenGL ES ask for
    Minimum,
}

/// `NAME[=VALUE]` of a macro.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Define {
    name: String,
    body: String,
}

impl FromStr for Define {
    type Err = String;

    fn from_str(text: &str) -> Result<Define, String> {
        let (name, body) = text.split_once('=').unwrap_or((text, "1"));
        let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) || !name.chars().all(word) {
            return Err(format!("`{name}` cannot be the name of a macro"));
        }
        if name.starts_with("GL_") {
            return Err("names that begin with GL_ are reserved (GLSL 4.60 section 3.3)".to_string());
        }
        if body.contains(['\n', '\r']) {
            return Err("the value of a macro is one line".to_string());
        }
        Ok(Define { name: name.to_string(), body: body.to_string() })
    }
}

impl GlslArgs {
    /// The options of a program; `separable` = it is one stage of a pipeline whose others are not known.
    pub fn options(&self, separable: bool) -> ProgramOptions {
        let limits = |minima| match self.limits {
            LimitsOf::Metal => metal_limits(minima),
            LimitsOf::Minimum => minima,
        };
        ProgramOptions {
            vulkan: self.vulkan,
            default_version: self.std,
            defines: self.defines.iter().map(|d| (d.name.clone(), d.body.clone())).collect(),
            es_limits: limits(Limits::ES),
            enforce_es100_limits: self.es100_limits,
            link: LinkOptions { separable, limits: limits(Limits::GL), ..LinkOptions::default() },
            ..ProgramOptions::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn macros_have_names_and_values() {
        let define = |text: &str| text.parse::<Define>().map(|d| (d.name, d.body));
        let pair = |name: &str, body: &str| Ok((name.to_string(), body.to_string()));
        assert_eq!(define("A"), pair("A", "1"));
        assert_eq!(define("A="), pair("A", ""));
        assert_eq!(define("_b2=x == y"), pair("_b2", "x == y"));
        for bad in ["", "=1", "2x", "a b", "GL_X", "F(x)=x", "a=1\n#if"] {
            assert!(define(bad).is_err(), "{bad}");
        }
    }
}
