//! Small enumerations and flag sets: the types of intrinsic indices and of properties of variables and types.
//!
//! Each enumeration is declared once; its names, numbers and conversions from them are generated.

#[macro_use]
mod macros;
mod images;
mod memory;
mod operations;
mod stages;

pub use images::*;
pub use memory::*;
pub use operations::*;
pub use stages::*;

/// An enumeration that can be written as a name and packed into a few bits.
///
/// # Examples
///
/// One function serves all enumerations.
///
/// ```
/// use airfoil_ir::diag::nearest;
/// use airfoil_ir::{Dim, Named, Scope};
///
/// fn lookup<E: Named>(name: &str) -> Result<E, Option<&'static str>> {
///     E::from_name(name).ok_or_else(|| nearest(name, E::ALL.iter().map(|v| v.name())))
/// }
/// assert_eq!(lookup("buf"), Ok(Dim::Buffer));
/// assert_eq!(lookup::<Scope>("workgrop"), Err(Some("workgroup")));
/// assert_eq!(Scope::from_number(100), None);
/// ```
pub trait Named: Copy + Sized + 'static {
    /// All values, indexed by their number.
    const ALL: &'static [Self];
    /// Name in the text form.
    fn name(self) -> &'static str;
    /// Number, equal to the position in [`Named::ALL`].
    fn number(self) -> u32;
    /// Value of a number.
    fn from_number(n: u32) -> Option<Self> {
        Self::ALL.get(n as usize).copied()
    }
    /// Value of a name.
    fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|v| v.name() == name)
    }
}

/// A set of flags whose members are written by name.
///
/// # Examples
///
/// ```
/// use airfoil_ir::{Access, Modes, NamedFlags};
///
/// fn names<F: NamedFlags>(set: F) -> Vec<&'static str> {
///     F::NAMES.iter().filter(|&&(_, bit)| set.to_bits() & bit != 0).map(|&(name, _)| name).collect()
/// }
/// // In the order of the declaration.
/// assert_eq!(names(Access::VOLATILE | Access::COHERENT), ["coherent", "volatile"]);
/// // Bits without a name are not kept.
/// assert_eq!(names(Modes::from_bits_lossy(0x8000_0000 | Modes::OUT.bits())), ["out"]);
/// ```
pub trait NamedFlags: Copy + 'static {
    /// Name and bit of every member.
    const NAMES: &'static [(&'static str, u32)];
    /// All bits of the set.
    fn to_bits(self) -> u32;
    /// The set of these bits; unknown bits are dropped.
    fn from_bits_lossy(bits: u32) -> Self;
}
