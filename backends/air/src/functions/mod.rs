//! `air.*` functions: the table that selection, the validator and the engine that executes AIR share.
//!
//! Metal's library is reached by calls of functions whose names carry the types of their operands, such as
//! `air.fast_fmax.v2f32` or `air.sample_texture_2d.v4f16`. [`Air`] has a row for each function, [`AirFunction`] is a function
//! with the variable words of its name; its `Display` is the name.

mod name;
mod signature;
mod table;
mod text;
mod texture_kind;

pub use signature::SignatureError;
pub use table::Air;
pub use texture_kind::TextureKind;

use crate::module::{Module, TypeId};
use crate::target::AirVersion;
use airfoil_ir::RoundingMode;

/// The memory that a function touches, and whether it depends on other invocations. Its attributes follow from that.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CallEffect {
    /// Computes from its operands.
    Pure,
    /// Computes from its operands and those of other invocations.
    Group,
    /// Reads through its arguments.
    Reads,
    /// Reads through its arguments, and needs the whole quad.
    ReadsQuad,
    /// Reads and writes through its arguments.
    Writes,
    /// Waits for other invocations.
    Waits,
    /// May read and write any memory.
    Any,
}

impl CallEffect {
    /// Number of effects.
    pub const COUNT: usize = CallEffect::Any as usize + 1;

    /// Whether it touches memory at all.
    pub fn touches_memory(self) -> bool {
        !matches!(self, CallEffect::Pure | CallEffect::Group)
    }

    /// Whether it may write memory.
    pub fn writes(self) -> bool {
        matches!(self, CallEffect::Writes | CallEffect::Waits | CallEffect::Any)
    }
}

/// A row of the table.
#[derive(Debug)]
pub struct FunctionInfo {
    /// The name, with placeholders for its variable words.
    pub name: &'static str,
    /// The signature, in the notation of the table.
    pub signature: &'static str,
    /// The effect of a call.
    pub effect: CallEffect,
    /// The first version of AIR that has it; 1.0 if all known versions do.
    pub since: AirVersion,
}

/// How a function reads the bits of a number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum NumberKind {
    /// A float.
    Float,
    /// A signed integer.
    Signed,
    /// An unsigned integer.
    Unsigned,
}

impl NumberKind {
    /// The letter in names.
    pub fn letter(self) -> char {
        match self {
            NumberKind::Float => 'f',
            NumberKind::Signed => 's',
            NumberKind::Unsigned => 'u',
        }
    }
}

/// A scalar or vector type in a name: `f32`, `v4i16`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct TypeWord {
    /// A float rather than an integer.
    pub float: bool,
    /// Bits of a component.
    pub bits: u8,
    /// Components.
    pub lanes: u8,
}

impl TypeWord {
    /// The word of a type.
    pub fn of(m: &Module, ty: TypeId) -> TypeWord {
        let types = m.types();
        let scalar = types.scalar(ty);
        TypeWord {
            float: types.is_fp(scalar),
            bits: types.bits(scalar) as u8,
            lanes: types.vector_len(ty).unwrap_or(1) as u8,
        }
    }
}

/// Rounding and saturation of a conversion.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ConversionMode {
    /// Rounding; `Undef` for the default.
    pub rounding: RoundingMode,
    /// Clamps to the range of the result.
    pub saturate: bool,
}

impl ConversionMode {
    /// No words.
    pub const DEFAULT: ConversionMode = ConversionMode { rounding: RoundingMode::Undef, saturate: false };
}

/// A variable word of a name.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Word {
    /// Not used.
    #[default]
    None,
    /// A type, and how the function reads its bits.
    Number(NumberKind, TypeWord),
    /// The kind of texture: its position in [`TextureKind::ALL`].
    Texture(u8),
    /// Rounding and saturation.
    Mode(ConversionMode),
    /// An address space.
    Space(u8),
}

impl Word {
    /// A type; integers without sign.
    pub fn ty(m: &Module, ty: TypeId) -> Word {
        let word = TypeWord::of(m, ty);
        Word::Number(if word.float { NumberKind::Float } else { NumberKind::Unsigned }, word)
    }

    /// A type whose integers have a sign.
    pub fn number(m: &Module, kind: NumberKind, ty: TypeId) -> Word {
        Word::Number(kind, TypeWord::of(m, ty))
    }

    /// A kind of texture.
    pub fn texture(kind: &TextureKind) -> Word {
        Word::Texture(kind.number() as u8)
    }
}

/// A function with the variable words of its name, in their order there.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct AirFunction {
    /// The row.
    pub base: Air,
    /// The variable words.
    pub words: [Word; 3],
}

impl Air {
    /// The function with variable words.
    pub fn with<const N: usize>(self, words: [Word; N]) -> AirFunction {
        const { assert!(N <= 3) };
        let mut all = [Word::None; 3];
        all[..N].copy_from_slice(&words);
        AirFunction { base: self, words: all }
    }

    /// The function whose name has one type.
    pub fn of(self, m: &Module, ty: TypeId) -> AirFunction {
        self.with([Word::ty(m, ty)])
    }
}

impl From<Air> for AirFunction {
    /// The function whose name has no variable words.
    fn from(base: Air) -> AirFunction {
        base.with([])
    }
}
