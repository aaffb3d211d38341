//! Enumerations of the IR in serde's formats, as their values: for `#[serde(with = "numbered")]`.

use airfoil_ir::Named;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

pub fn serialize<T: Named, S: Serializer>(value: &T, to: S) -> Result<S::Ok, S::Error> {
    value.number().serialize(to)
}

pub fn deserialize<'de, T: Named, D: Deserializer<'de>>(from: D) -> Result<T, D::Error> {
    T::from_number(u32::deserialize(from)?).ok_or_else(|| D::Error::custom("unknown number"))
}

/// For values that may be missing.
pub mod optional {
    use super::*;

    pub fn serialize<T: Named, S: Serializer>(value: &Option<T>, to: S) -> Result<S::Ok, S::Error> {
        value.map(Named::number).serialize(to)
    }

    pub fn deserialize<'de, T: Named, D: Deserializer<'de>>(from: D) -> Result<Option<T>, D::Error> {
        let number = Option::<u32>::deserialize(from)?;
        number.map(|n| T::from_number(n).ok_or_else(|| D::Error::custom("unknown number"))).transpose()
    }
}
