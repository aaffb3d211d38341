//! Enumerations and flag sets of the IR as numbers.

use airfoil_ir::alu::ALU_OPS;
use airfoil_ir::intrinsic::INTRINSIC_OPS;
use airfoil_ir::{
    Access, AluFlags, AluOp, Control, DepthLayout, Dim, Form, ImageFormat, Interlock, Interpolation,
    IntrinsicOp, Jump, Modes, Named, NamedFlags, Precision, Primitive, Sampling, Scalar, Spacing, Stage,
    SystemValue, TexOp, TexSrc,
};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt::Write;

/// A value that is stored as a number.
pub trait Numbered: Copy {
    /// Its number.
    fn number(self) -> u32;
    /// The value of a number.
    fn of_number(n: u32) -> Option<Self>;
}

/// Stores a [`Numbered`] value as its number.
#[derive(Clone, Copy, Debug)]
pub struct Code<T>(pub T);

impl<T: Numbered> Serialize for Code<T> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        self.0.number().serialize(to)
    }
}

impl<'de, T: Numbered> Deserialize<'de> for Code<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let n = u32::deserialize(from)?;
        T::of_number(n).map(Code).ok_or_else(|| D::Error::custom("unknown number"))
    }
}

/// Enumerations by their lists, in the order of their numbers. All names go into [`tables`].
macro_rules! enums {
    ($($ty:ident: $all:expr, $name:expr;)+) => {
        $(
            impl Numbered for $ty {
                fn number(self) -> u32 {
                    self as u32
                }
                fn of_number(n: u32) -> Option<$ty> {
                    $all.get(n as usize).copied()
                }
            }
        )+

        /// The names of all stored numbers: files of builds with other tables are not readable.
        pub fn tables() -> String {
            let mut text = String::new();
            $(
                let _ = write!(text, "{}:", stringify!($ty));
                let name: fn($ty) -> &'static str = $name;
                $all.iter().for_each(|&v| _ = write!(text, " {}", name(v)));
            )+
            for (set, names) in [("Modes", Modes::NAMES), ("Access", Access::NAMES)] {
                let _ = write!(text, "{set}: {names:?}");
            }
            text
        }
    };
}

enums! {
    AluOp: ALU_OPS, AluOp::name;
    IntrinsicOp: INTRINSIC_OPS, IntrinsicOp::name;
    SystemValue: SystemValue::ALL, SystemValue::name;
    TexOp: TexOp::ALL, TexOp::name;
    TexSrc: TexSrc::ALL, TexSrc::name;
    Jump: Jump::ALL, Jump::name;
    Stage: <Stage as Named>::ALL, Named::name;
    Form: <Form as Named>::ALL, Named::name;
    Control: <Control as Named>::ALL, Named::name;
    DepthLayout: <DepthLayout as Named>::ALL, Named::name;
    Dim: <Dim as Named>::ALL, Named::name;
    ImageFormat: <ImageFormat as Named>::ALL, Named::name;
    Interlock: <Interlock as Named>::ALL, Named::name;
    Interpolation: <Interpolation as Named>::ALL, Named::name;
    Precision: <Precision as Named>::ALL, Named::name;
    Primitive: <Primitive as Named>::ALL, Named::name;
    Sampling: <Sampling as Named>::ALL, Named::name;
    Scalar: <Scalar as Named>::ALL, Named::name;
    Spacing: <Spacing as Named>::ALL, Named::name;
}

macro_rules! flags {
    ($($ty:ident),+) => { $(
        impl Numbered for $ty {
            fn number(self) -> u32 {
                self.bits().into()
            }
            fn of_number(n: u32) -> Option<$ty> {
                $ty::from_bits(n.try_into().ok()?)
            }
        }
    )+ };
}

flags!(Modes, Access, AluFlags);

/// For `#[serde(with = "code")]`.
pub fn serialize<T: Numbered, S: Serializer>(value: &T, to: S) -> Result<S::Ok, S::Error> {
    Code(*value).serialize(to)
}

/// For `#[serde(with = "code")]`.
pub fn deserialize<'de, T: Numbered, D: Deserializer<'de>>(from: D) -> Result<T, D::Error> {
    Ok(Code::deserialize(from)?.0)
}
