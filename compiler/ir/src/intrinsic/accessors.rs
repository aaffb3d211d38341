//! Accessors of the constant operands of an intrinsic: one per index.

use super::index::{Align, Index, IndexValue, IoSemantics, with_indices};
use crate::enums::*;
use crate::instr::Intrinsic;

macro_rules! accessors {
    ($( $(#[doc = $doc:literal])+ $variant:ident = $name:literal, $bits:literal, $kind:expr, $accessor:ident: $ty:ty; )+) => {
        impl Intrinsic {
            $( $(#[doc = $doc])+
            ///
            /// The default if the operation has no such index.
            pub fn $accessor(&self) -> $ty {
                <$ty as IndexValue>::unpack(self.indices.get(self.op, Index::$variant).unwrap_or(0))
            } )+
        }
    };
}

with_indices!(accessors);
