//! The type numbers of vertex attributes, function constants and layer outputs (`MTLDataType`).

use std::fmt;

/// A type by its `MTLDataType` number; numbers without a name are kept.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct DataType(
    /// The number.
    pub u8,
);

/// Names by first number. Numbers of other objects (textures, pixel formats, ...) cannot occur in the records of a
/// shader, but a few have names all the same so that a dump can show them.
const NAMES: &[(u8, &[&str])] = &[
    (0, &["none", "struct", "array", "float", "float2", "float3", "float4"]),
    (
        7,
        &[
            "float2x2", "float2x3", "float2x4", "float3x2", "float3x3", "float3x4", "float4x2", "float4x3",
            "float4x4",
        ],
    ),
    (16, &["half", "half2", "half3", "half4"]),
    (
        20,
        &["half2x2", "half2x3", "half2x4", "half3x2", "half3x3", "half3x4", "half4x2", "half4x3", "half4x4"],
    ),
    (29, &["int", "int2", "int3", "int4", "uint", "uint2", "uint3", "uint4"]),
    (37, &["short", "short2", "short3", "short4", "ushort", "ushort2", "ushort3", "ushort4"]),
    (45, &["char", "char2", "char3", "char4", "uchar", "uchar2", "uchar3", "uchar4"]),
    (53, &["bool", "bool2", "bool3", "bool4"]),
    (58, &["texture", "sampler", "pointer"]),
    (78, &["render_pipeline", "compute_pipeline", "indirect_command_buffer"]),
    (81, &["long", "long2", "long3", "long4", "ulong", "ulong2", "ulong3", "ulong4"]),
    (115, &["visible_function_table", "intersection_function_table"]),
    (117, &["primitive_acceleration_structure", "instance_acceleration_structure"]),
    (121, &["bfloat", "bfloat2", "bfloat3", "bfloat4"]),
];

impl DataType {
    /// No type.
    pub const NONE: Self = Self(0);
    /// `float`; `float2` to `float4` follow it.
    pub const FLOAT: Self = Self(3);
    /// `half`; `half2` to `half4` follow it.
    pub const HALF: Self = Self(16);
    /// `int`; `int2` to `int4` follow it.
    pub const INT: Self = Self(29);
    /// `uint`; `uint2` to `uint4` follow it.
    pub const UINT: Self = Self(33);
    /// `short`; `short2` to `short4` follow it.
    pub const SHORT: Self = Self(37);
    /// `ushort`; `ushort2` to `ushort4` follow it.
    pub const USHORT: Self = Self(41);
    /// `char`; `char2` to `char4` follow it.
    pub const CHAR: Self = Self(45);
    /// `uchar`; `uchar2` to `uchar4` follow it.
    pub const UCHAR: Self = Self(49);
    /// `bool`; `bool2` to `bool4` follow it.
    pub const BOOL: Self = Self(53);
    /// `long`; `long2` to `long4` follow it.
    pub const LONG: Self = Self(81);
    /// `ulong`; `ulong2` to `ulong4` follow it.
    pub const ULONG: Self = Self(85);

    /// Metal's name of the type, such as `float4`.
    pub fn name(self) -> Option<&'static str> {
        NAMES.iter().find_map(|(first, names)| names.get(usize::from(self.0.checked_sub(*first)?)).copied())
    }

    /// The type with this Metal name.
    pub fn from_name(name: &str) -> Option<Self> {
        NAMES.iter().find_map(|(first, names)| {
            let index = names.iter().position(|n| *n == name)?;
            Some(Self(first + u8::try_from(index).ok()?))
        })
    }
}

impl fmt::Display for DataType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "type {}", self.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_numbers() {
        for (constant, name) in [
            (DataType::FLOAT, "float"),
            (DataType::HALF, "half"),
            (DataType::INT, "int"),
            (DataType::UINT, "uint"),
            (DataType::SHORT, "short"),
            (DataType::USHORT, "ushort"),
            (DataType::CHAR, "char"),
            (DataType::UCHAR, "uchar"),
            (DataType::BOOL, "bool"),
            (DataType::LONG, "long"),
            (DataType::ULONG, "ulong"),
        ] {
            assert_eq!(constant.name(), Some(name));
            assert_eq!(DataType(constant.0 + 3).name(), Some(format!("{name}4").as_str()));
        }
        let named = (0..=u8::MAX).map(DataType).filter(|t| t.name().is_some());
        assert!(named.clone().count() > 70);
        for t in named {
            assert_eq!(DataType::from_name(t.name().unwrap()), Some(t));
        }
        assert_eq!(DataType::from_name("quaternion"), None);
        assert_eq!(DataType(200).to_string(), "type 200");
    }
}
