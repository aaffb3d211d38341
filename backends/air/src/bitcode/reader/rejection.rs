//! Which constructs of other compilers the reader rejects, for the linter.

use super::ReadError;

/// Message for `ptr` of LLVM 15 and later.
pub(super) const OPAQUE_POINTER: &str =
    "pointers without a pointee type (LLVM 15 and later) are not supported";
/// Message for an address whose record has another type than its base.
pub(super) const GEP_TYPE: &str = "an address whose base is not of the type given";
/// Message for flags of later LLVM versions.
pub(super) const RECENT_FLAGS: &str = "flags of an address that are newer than LLVM 15";
/// Start of the message for an instruction that AIR does not have.
pub(super) const FOREIGN: &str = "instruction record";

/// A construct that the reader rejects, and that Apple's readers are known to reject or to crash on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rejection {
    /// A pointer without pointee type.
    OpaquePointer,
    /// An instruction that Apple's compiler does not emit.
    ForeignInstruction,
    /// An address whose record has another type than its base.
    GepType,
    /// Flags of later LLVM versions.
    RecentFlags,
}

/// The construct that an error of [`read`](super::read) is about, if it is one of these.
pub fn rejection(error: &ReadError) -> Option<Rejection> {
    match error.message.as_ref() {
        OPAQUE_POINTER => Some(Rejection::OpaquePointer),
        GEP_TYPE => Some(Rejection::GepType),
        RECENT_FLAGS => Some(Rejection::RecentFlags),
        message if message.starts_with(FOREIGN) => Some(Rejection::ForeignInstruction),
        _ => None,
    }
}
