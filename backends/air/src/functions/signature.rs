//! Signatures of `air.*` functions: whether a declaration has the types that the table states.

use super::{AirFunction, TextureKind, TypeWord, Word};
use crate::module::{Module, Type, TypeId};
use crate::target::AirVersion;
use smallvec::SmallVec;
use std::fmt;

/// A declaration that differs from the table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SignatureError {
    /// The function is newer than the module.
    Version(AirVersion),
    /// The types differ from this signature.
    Types(&'static str),
}

impl fmt::Display for SignatureError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SignatureError::Version(since) => write!(f, "requires AIR {since}"),
            SignatureError::Types(signature) => write!(f, "expected the signature `{signature}`"),
        }
    }
}

impl AirFunction {
    /// Compares a declaration in a module of a version of AIR with the table.
    ///
    /// # Errors
    /// The version lacks the function, or the types differ.
    pub fn check(
        &self,
        m: &Module,
        ret: TypeId,
        params: &[TypeId],
        version: AirVersion,
    ) -> Result<(), SignatureError> {
        let info = self.base.info();
        if version < info.since {
            return Err(SignatureError::Version(info.since));
        }
        let matches = info.signature.split(" | ").any(|alternative| {
            let (result, expected) = self.types(alternative, version);
            self.is_type(m, result, ret)
                && expected.len() == params.len()
                && expected.iter().zip(params).all(|(word, &ty)| self.is_type(m, word, ty))
        });
        if matches { Ok(()) } else { Err(SignatureError::Types(info.signature)) }
    }

    /// Result and operands that a version has, of one alternative of the signature.
    pub(super) fn types(
        &self,
        alternative: &'static str,
        version: AirVersion,
    ) -> (&'static str, SmallVec<[&'static str; 16]>) {
        let (result, operands) = alternative.split_once('(').unwrap_or((alternative, ")"));
        let operands = operands.trim_end_matches(')');
        let mut expected = SmallVec::new();
        for operand in operands.split(", ").filter(|o| !o.is_empty()) {
            self.expand(operand, version, &mut expected);
        }
        (result, expected)
    }

    fn texture(&self) -> Option<&'static TextureKind> {
        self.words.iter().find_map(|word| match *word {
            Word::Texture(kind) => TextureKind::ALL.get(usize::from(kind)),
            _ => None,
        })
    }

    /// The types named `T` (0) and `U` (1).
    fn number(&self, index: usize) -> Option<TypeWord> {
        let numbers = self.words.iter().filter_map(|word| match *word {
            Word::Number(_, ty) => Some(ty),
            _ => None,
        });
        numbers.into_iter().nth(index)
    }

    fn space(&self, index: usize) -> Option<u32> {
        let spaces = self.words.iter().filter_map(|word| match *word {
            Word::Space(space) => Some(u32::from(space)),
            _ => None,
        });
        spaces.into_iter().nth(index)
    }

    /// Adds the operands that the version and the kind of texture have.
    fn expand(&self, operand: &'static str, version: AirVersion, out: &mut SmallVec<[&'static str; 16]>) {
        let operand = match operand.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
            Some((since, operand)) => {
                if version < version_of(since) {
                    return;
                }
                operand
            }
            None => operand,
        };
        let (Some(optional), Some(kind)) = (operand.strip_suffix('?'), self.texture()) else {
            return out.push(operand);
        };
        let (exists, words): (bool, &[&'static str]) = match optional {
            "depth" => (kind.depth, &["i32"]),
            "layer" => (kind.arrayed, &["i32"]),
            "layer16" => (kind.arrayed, &["i16"]),
            "face" => (kind.cube, &["i32"]),
            "face16" => (kind.cube, &["i16"]),
            "sample" => (kind.multisampled, &["i32"]),
            "lod" => (kind.levels, &["i32"]),
            "lod16" => (kind.levels, &["i16"]),
            "component" => (!kind.depth, &["i32"]),
            "offset" => (kind.offset > 0, &["i1", "displacement"]),
            "displacement" => (kind.offset > 1, &["displacement"]),
            "displacement16" => (kind.offset > 1, &["displacement16"]),
            _ => (true, &[]),
        };
        if exists {
            out.extend_from_slice(words);
        }
    }

    /// The type of a word that names a scalar or vector; `None` for other words, and `Some(None)` if the name of the function
    /// lacks the type.
    pub(super) fn number_of(&self, word: &str) -> Option<Option<TypeWord>> {
        let vector = |float: bool, bits: u8, lanes: u8| Some(TypeWord { float, bits, lanes });
        let texture = self.texture();
        let texels = |bits: u8| {
            texture.map(|k| TypeWord { float: false, bits, lanes: if k.cube { 2 } else { k.coords } })
        };
        Some(match word {
            "T" => self.number(0),
            "U" => self.number(1),
            "E" => self.number(0).map(|t| TypeWord { lanes: 1, ..t }),
            "4T" => self.number(0).map(|t| TypeWord { lanes: 4, ..t }),
            "J" => self.number(0).map(|t| TypeWord { float: false, bits: 32, ..t }),
            "f32" => vector(true, 32, 1),
            "v2f32" => vector(true, 32, 2),
            "v4f32" => vector(true, 32, 4),
            "v3i32" => vector(false, 32, 3),
            "i1" | "i8" | "i16" | "i32" | "i64" => vector(false, word[1..].parse().unwrap_or(0), 1),
            "coord" => texture.and_then(|k| vector(true, 32, k.coords)),
            "pos" => texels(32),
            "pos16" => texels(16),
            "displacement" => texture.and_then(|k| vector(false, 32, k.offset)),
            "displacement16" => texture.and_then(|k| vector(false, 16, k.offset)),
            _ => return None,
        })
    }

    /// The structure and the address space of a word that names a handle.
    pub(super) fn handle_of(&self, word: &str) -> Option<(&'static str, u32)> {
        Some(match word {
            "tex" => (self.texture()?.handle, 1),
            "smp" => ("struct._sampler_t", 2),
            "interpolant" => ("struct._interpolant_t", 1),
            "vertex_value" => ("struct._vertex_value_t", 1),
            "mesh" => ("struct._mesh_t", 7),
            "grid" => ("struct._mesh_grid_properties_t", 3),
            _ => return None,
        })
    }

    /// The address space that a word names.
    pub(super) fn space_of(&self, word: &str) -> Option<u32> {
        match word {
            "A" => self.space(0),
            "B" => self.space(1),
            number => number.parse().ok(),
        }
    }

    /// Whether a type is the one that a word of the signature names.
    fn is_type(&self, m: &Module, word: &str, ty: TypeId) -> bool {
        let types = m.types();
        if word == "void" {
            return ty == TypeId::VOID;
        }
        if let Some(wanted) = self.number_of(word) {
            let scalar = types.scalar(ty);
            return wanted
                .is_some_and(|w| (types.is_fp(scalar) || types.is_int(scalar)) && TypeWord::of(m, ty) == w);
        }
        if let Some((name, at)) = self.handle_of(word) {
            let Type::Pointer { pointee, space } = types.get(ty) else { return false };
            let (Type::Opaque { name: found } | Type::Named { name: found, .. }) = types.get(pointee) else {
                return false;
            };
            // Readers number handles that several modules declare.
            let found = m.text(found);
            return space == at
                && (found == name || found.strip_prefix(name).is_some_and(|rest| rest.starts_with('.')));
        }
        if let Some(fields) = word.strip_prefix('{').and_then(|w| w.strip_suffix('}')) {
            let Type::Struct { fields: list, packed: false } = types.get(ty) else { return false };
            let list = types.list(list);
            let fields: SmallVec<[&str; 2]> = fields.split(',').collect();
            return fields.len() == list.len()
                && fields.iter().zip(list).all(|(word, &ty)| self.is_type(m, word, ty));
        }
        let Some((pointee, at)) = word.strip_prefix('*').and_then(|w| w.split_once(':')) else {
            return false;
        };
        match types.get(ty) {
            Type::Pointer { pointee: found, space } => {
                Some(space) == self.space_of(at) && self.is_type(m, pointee, found)
            }
            _ => false,
        }
    }
}

/// A version in brackets of a signature.
pub(super) fn version_of(text: &str) -> AirVersion {
    let (major, minor) = text.split_once('.').unwrap_or((text, "0"));
    AirVersion::new(major.parse().unwrap_or(0), minor.parse().unwrap_or(0))
}
