//! Kinds of programs.

use airfoil_ir::Stage;

/// The kind of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Target {
    /// `GL_VERTEX_PROGRAM_ARB`.
    Vertex,
    /// `GL_FRAGMENT_PROGRAM_ARB`.
    Fragment,
}

impl Target {
    /// Both.
    pub const ALL: [Target; 2] = [Target::Vertex, Target::Fragment];

    /// The first characters of a program.
    pub const fn header(self) -> &'static str {
        match self {
            Target::Vertex => "!!ARBvp1.0",
            Target::Fragment => "!!ARBfp1.0",
        }
    }

    /// The extension that specifies such programs.
    pub const fn extension(self) -> &'static str {
        match self {
            Target::Vertex => "ARB_vertex_program",
            Target::Fragment => "ARB_fragment_program",
        }
    }

    /// The stage of the shader.
    pub const fn stage(self) -> Stage {
        match self {
            Target::Vertex => Stage::Vertex,
            Target::Fragment => Stage::Fragment,
        }
    }

    /// The name of the shader and its entry point, the same as that of a GLSL shader of the stage.
    pub const fn entry_name(self) -> &'static str {
        match self {
            Target::Vertex => "vertex_main",
            Target::Fragment => "fragment_main",
        }
    }
}

/// The kinds of programs that have a row of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Programs {
    /// Vertex programs.
    Vertex,
    /// Fragment programs.
    Fragment,
    /// Both.
    Both,
}

impl Programs {
    /// Whether programs of a target are among them.
    pub const fn contains(self, target: Target) -> bool {
        matches!(
            (self, target),
            (Programs::Both, _) | (Programs::Vertex, Target::Vertex) | (Programs::Fragment, Target::Fragment)
        )
    }
}
