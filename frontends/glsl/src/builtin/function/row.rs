//! Rows of the tables of built-in functions.

use super::generic::{Arg, Generic, Sizes};
use super::image_signature::ImageSignature;
use super::texture_signature::TextureSignature;
use crate::builtin::code;
use crate::builtin::op::{Builtin, CallPrecision};
use crate::extension::Ext;
use crate::types::Base;
use crate::version::{Avail, Language, NEVER, Stages};
use airfoil_ir::Stage;

/// A name with a form of signature.
#[derive(Debug)]
pub(super) struct Row {
    pub name: &'static str,
    pub signature: Signature,
}

/// The overloads of a row.
#[derive(Debug)]
pub(super) enum Signature {
    Generic(Generic),
    Texture(TextureSignature),
    Image(ImageSignature),
}

/// Rows that are available in the same versions and stages.
#[derive(Debug)]
pub(super) struct Group {
    pub avail: Avail,
    pub stages: Stages,
    pub rows: &'static [Row],
}

impl Group {
    pub(super) fn is_available(&self, lang: &Language) -> bool {
        self.stages.contains(lang.stage) && lang.has(&self.avail)
    }
}

/// A row of the table: types written with [`T`] and the like vary over `bases` and `sizes`.
pub(super) const fn row(
    name: &'static str,
    builtin: Builtin,
    result: Arg,
    params: &'static [Arg],
    bases: &'static [Base],
    sizes: Sizes,
) -> Row {
    let generic = Generic { builtin, result, params, bases, sizes, subgroup: false };
    Row { name, signature: Signature::Generic(generic) }
}

/// A row of the table with an operation across a subgroup on scalars and vectors.
pub(super) const fn across(
    name: &'static str,
    builtin: Builtin,
    result: Arg,
    params: &'static [Arg],
    bases: &'static [Base],
) -> Row {
    let generic = Generic { builtin, result, params, bases, sizes: Sizes::Any, subgroup: true };
    Row { name, signature: Signature::Generic(generic) }
}

/// A row of the table with fixed types.
pub(super) const fn fixed(name: &'static str, builtin: Builtin, result: Arg, params: &'static [Arg]) -> Row {
    row(name, builtin, result, params, &[Base::Float], Sizes::One)
}

/// The same bits as the type of the result, lowest component first; component counts differ when widths do:
/// `floatBitsToInt`, `intBitsToFloat`, `packDouble2x32`, `unpackUint2x32`, `pack32`, `unpack8`, `packFloat2x16`, ...
pub const BIT_CAST: Builtin = Builtin::pure(code::bit_cast, CallPrecision::HIGH).cheap();

// Stages that groups name.
pub(super) const ALL: Stages = Stages::ALL;
pub(super) const VERTEX: Stages = Stages::of(&[Stage::Vertex]);
pub(super) const TESS_CONTROL: Stages = Stages::of(&[Stage::TessControl]);
pub(super) const GEOMETRY: Stages = Stages::of(&[Stage::Geometry]);
pub(super) const FRAGMENT: Stages = Stages::of(&[Stage::Fragment]);
pub(super) const COMPUTE: Stages = Stages::of(&[Stage::Compute]);

/// Only by extensions.
pub(super) const fn by(exts: &'static [Ext]) -> Avail {
    Avail::since(NEVER, NEVER).or(exts)
}
