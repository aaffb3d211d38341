//! Declarations of enumerations and sets of flags.

macro_rules! named_enums {
    ($( $(#[$meta:meta])* $enum:ident { $( $(#[$vmeta:meta])* $variant:ident = $name:literal, )+ } )+) => { $(
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum $enum { $( $(#[$vmeta])* $variant, )+ }

        impl Named for $enum {
            const ALL: &'static [Self] = &[$( $enum::$variant, )+];
            fn name(self) -> &'static str {
                match self { $( $enum::$variant => $name, )+ }
            }
            fn number(self) -> u32 {
                self as u32
            }
        }

        impl std::fmt::Display for $enum {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.name())
            }
        }
    )+ };
}

macro_rules! named_flags {
    ($( $(#[doc = $doc:literal])* $set:ident { $( $(#[doc = $fdoc:literal])* $flag:ident = $bit:literal $name:literal, )+ } )+) => { $(
        bitflags! {
            $(#[doc = $doc])*
            #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
            pub struct $set: u32 { $( $(#[doc = $fdoc])* const $flag = 1 << $bit; )+ }
        }
        impl NamedFlags for $set {
            const NAMES: &'static [(&'static str, u32)] = &[$( ($name, 1 << $bit), )+];
            fn to_bits(self) -> u32 {
                self.bits()
            }
            fn from_bits_lossy(bits: u32) -> Self {
                $set::from_bits_truncate(bits)
            }
        }
    )+ };
}
