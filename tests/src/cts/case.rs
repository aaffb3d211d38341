//! A case: the program, the values with which it is executed, and the expected results.

use super::Dialect;
use super::types::{DataType, ValueBlock};
use airfoil::Stage;
use std::fmt;

/// The expected outcome.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Expect {
    /// Builds and computes the outputs.
    #[default]
    Pass,
    /// A stage is rejected.
    CompileFail,
    /// All stages are accepted, the program is rejected.
    LinkFail,
    /// A stage or the program is rejected.
    CompileOrLinkFail,
    /// The programs build but do not fit together in a pipeline.
    ValidationFail,
    /// Builds; nothing is executed.
    BuildSuccessful,
}

/// All expectations by name.
pub const EXPECTATIONS: &[(&str, Expect)] = &[
    ("pass", Expect::Pass),
    ("compile_fail", Expect::CompileFail),
    ("link_fail", Expect::LinkFail),
    ("compile_or_link_fail", Expect::CompileOrLinkFail),
    ("validation_fail", Expect::ValidationFail),
    ("build_successful", Expect::BuildSuccessful),
];

impl Expect {
    /// The expectation of a name.
    pub fn from_name(name: &str) -> Option<Expect> {
        EXPECTATIONS.iter().find(|(n, _)| *n == name).map(|(_, e)| *e)
    }

    /// Name in the files.
    pub fn name(self) -> &'static str {
        EXPECTATIONS.iter().find(|(_, e)| *e == self).map_or("", |(n, _)| n)
    }
}

/// Language version that a case is written for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Version {
    /// Such as 310 or 330.
    pub number: u16,
    /// OpenGL ES.
    pub es: bool,
    /// The core profile is named explicitly.
    pub core: bool,
}

impl Default for Version {
    fn default() -> Self {
        Version { number: 100, es: true, core: false }
    }
}

impl Version {
    /// Whether stages are connected with `in` and `out` rather than `attribute` and `varying`.
    ///
    /// The `glc` harness uses a list of old versions, the others a list of new ones; both agree about
    /// the versions that occur.
    pub fn has_in_out(self, dialect: Dialect) -> bool {
        match dialect {
            Dialect::Gls | Dialect::Vk if self.es => self.number >= 300,
            Dialect::Gls | Dialect::Vk => self.number >= 330,
            Dialect::Glc => !matches!((self.number, self.es), (100, true) | (130 | 140 | 150, false)),
        }
    }
}

impl fmt::Display for Version {
    /// As it is written after `#version`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.number)?;
        match self {
            Version { es: true, number: 300.., .. } => f.write_str(" es"),
            Version { core: true, .. } => f.write_str(" core"),
            _ => Ok(()),
        }
    }
}

/// An extension that some stages need.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Extension {
    /// Any of these will do; the first supported one is taken.
    pub names: Vec<String>,
    /// Stages that name it; `None` for all.
    pub stages: Option<Vec<Stage>>,
}

/// A requirement on the implementation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Requirement {
    /// A limit above a number.
    Limit {
        /// Name, such as `GL_MAX_VERTEX_IMAGE_UNIFORMS`.
        name: String,
        /// It must be larger than this.
        above: i64,
    },
    /// Features that ES 1.00 leaves open; a rejection means that they are not supported.
    FullEs100,
    /// Applies only to implementations of ES 1.00 and nothing later.
    OnlyEs100,
    /// There is one colour output, not more.
    OneDrawBuffer,
}

/// Sources that are linked together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Program {
    /// Templates; a stage may occur more than once.
    pub sources: Vec<(Stage, String)>,
    /// Extensions needed.
    pub extensions: Vec<Extension>,
    /// Stages that the program has in a pipeline; empty otherwise.
    pub active: Vec<Stage>,
}

/// The program.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// The vertex side of a source that is written for both: the fragment shader is generated.
    Vertex(Program),
    /// The fragment side of a source that is written for both: the vertex shader is generated.
    Fragment(Program),
    /// One program with all its stages.
    Complete(Program),
    /// Separable programs that make a pipeline.
    Pipeline(Vec<Program>),
}

/// A case.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// Names of the groups and of the case, with points between them.
    pub name: String,
    /// Line that it starts at.
    pub line: usize,
    /// The expected outcome.
    pub expect: Expect,
    /// Language version.
    pub version: Version,
    /// Blocks of values to execute with; never empty: a case without values has one empty block.
    pub values: Vec<ValueBlock>,
    /// Requirements besides extensions.
    pub requirements: Vec<Requirement>,
    /// Type of the colour when the shader writes the output itself (`vk`).
    pub output_color: Option<DataType>,
    /// The program.
    pub kind: Kind,
}
