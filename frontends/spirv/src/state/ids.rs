//! Ids: definitions, names and decorations.

use super::types::TyIx;
use super::values::Val;
use spirv::Decoration;

/// Sets of extended instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ExtSet {
    /// `GLSL.std.450`.
    Glsl,
    /// `NonSemantic.Shader.DebugInfo.100`: source lines are used.
    DebugInfo,
    /// Another set without meaning for the code.
    NonSemantic,
}

/// Definition of an id.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Def {
    /// Nothing yet.
    None,
    /// A type.
    Type(TyIx),
    /// A constant.
    Const(u32),
    /// A value of the function that is translated.
    Value(TyIx, Val),
    /// A pointer created in the function that is translated.
    Pointer(u32),
    /// A variable outside functions.
    Global(u32),
    /// A function.
    Function(u32),
    /// A local of the function that is translated, as values.
    Local(u32),
    /// A block: its index plus [`Plan::labels`](super::plan::Plan) of its function.
    Label(u32),
    /// A string: offset of its instruction.
    String(u32),
    /// A set of extended instructions.
    Ext(ExtSet),
    /// A debug source: id of the file name.
    DebugSource(u32),
    /// A function of the debug information, with its line.
    DebugFunction(Line),
}

/// Flags of ids from decorations that instructions require.
pub(crate) mod flag {
    /// NoContraction.
    pub const EXACT: u8 = 1;
    /// NonUniform.
    pub const NON_UNIFORM: u8 = 2;
    /// RelaxedPrecision.
    pub const RELAXED: u8 = 4;
    /// SaturatedConversion.
    pub const SATURATED: u8 = 8;
    /// FPRoundingMode.
    pub const ROUNDING: u8 = 16;
    /// NoSignedWrap.
    pub const NSW: u8 = 32;
    /// NoUnsignedWrap.
    pub const NUW: u8 = 64;
    /// A variable of a function that is only loaded and stored whole, as far as is known.
    pub const LOCAL: u8 = 128;
}

/// Definition, name and decorations of an id.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Id {
    pub def: Def,
    /// Offset of its OpName; 0 = none.
    pub name: u32,
    /// First decoration or member name, as index into the links plus 1; 0 = none.
    pub links: u32,
    /// See [`flag`].
    pub flags: u8,
    /// Functions around the inlined one that the definition belongs to.
    pub scope: u8,
}

pub(crate) const NO_ID: Id = Id { def: Def::None, name: 0, links: 0, flags: 0, scope: 0 };

/// A decoration or member name of an id.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Link {
    pub next: u32,
    /// Offset of the instruction.
    pub at: u32,
    /// Member of an OpGroupMemberDecorate, whose target at `at` does not name it.
    pub member: Option<u32>,
}

/// A decoration.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Deco<'w> {
    /// The decorated member; `None` = the id itself.
    pub member: Option<u32>,
    /// Decoration.
    pub kind: Decoration,
    /// Its operands.
    pub operands: &'w [u32],
}

impl Deco<'_> {
    /// First operand; 0 if it is missing.
    pub fn operand(&self) -> u32 {
        self.operands.first().copied().unwrap_or(0)
    }
}

/// Source line that instructions belong to.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Line {
    /// Id of the file name; 0 = unknown.
    pub file: u32,
    /// Line.
    pub line: u32,
}
