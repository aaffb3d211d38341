//! A file, read.

use super::command::Command;
use crate::gl::attributes::Components;
use airfoil::Stage;

/// A requirement on the implementation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Requirement {
    /// An extension.
    Extension(String),
    /// An extension that must not be there.
    Without(String),
    /// Only shaders in SPIR-V count.
    SpirvOnly,
    /// Something that is not known.
    Unknown(String),
}

/// Values of a vertex attribute, or of one of its columns or elements.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    /// Name of the attribute.
    pub name: String,
    /// Column of a matrix, or element of an array.
    pub index: u32,
    /// A row a vertex.
    pub rows: Vec<Components>,
}

/// A script.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Script {
    /// The requirement.
    pub requirements: Vec<Requirement>,
    /// Version of shaders without `#version`, as it is written there.
    pub version: Option<String>,
    /// The program is linked to be used with others.
    pub separable: bool,
    /// Window.
    pub size: (u32, u32),
    /// Sources.
    pub shaders: Vec<(Stage, String)>,
    /// Headers that shaders include: name and text.
    pub has_includes: bool,
    /// Sections that are present and not run: assembly of any kind.
    pub foreign: Option<String>,
    /// Shaders in SPIR-V accompany or replace sources.
    pub has_spirv: bool,
    /// Vertices.
    pub columns: Vec<Column>,
    /// Lines of the test, with their numbers.
    pub commands: Vec<(usize, Command)>,
}

impl Script {
    /// Mask of the user clip planes that are ever enabled.
    pub fn clip_planes(&self) -> u32 {
        let bit = |command: &Command| match command {
            Command::Enable(name, true) => plane_bit(name),
            _ => 0,
        };
        self.commands.iter().fold(0, |mask, (_, command)| mask | u32::from(bit(command)))
    }
}

/// The bit of `GL_CLIP_PLANE0` to 7 in masks of planes; 0 for other names.
pub fn plane_bit(name: &str) -> u8 {
    let plane = name.strip_prefix("GL_CLIP_PLANE").and_then(|n| n.parse::<u32>().ok());
    plane.and_then(|n| 1u8.checked_shl(n)).unwrap_or(0)
}
