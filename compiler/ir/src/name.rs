//! Names.

/// The name of a function, variable, structure or member: immutable text whose clones share it, without an allocation for up to
/// 23 bytes. Shaders are cloned for each variant of a program, with all their names.
///
/// ```
/// use airfoil_ir::{Member, Name, Scalar, Types};
///
/// let member = Member::new("light_position", Types::default().vector(Scalar::Float32, 3));
/// let copy: Name = member.name.clone();
/// assert!(copy == "light_position" && !copy.is_heap_allocated());
/// ```
pub type Name = smol_str::SmolStr;

/// A [`Name`] from a format string, without an allocation for up to 23 bytes.
///
/// ```
/// use airfoil_ir::format_name;
///
/// assert_eq!(format_name!("{}[{}]", "weights", 3), "weights[3]");
/// ```
pub use smol_str::format_smolstr as format_name;

/// Builds a [`Name`] from parts, without an allocation for up to 23 bytes.
///
/// ```
/// use airfoil_ir::NameBuilder;
///
/// let mut name = NameBuilder::new();
/// name.push_str("locn");
/// name.push('7');
/// assert_eq!(name.finish(), "locn7");
/// ```
pub type NameBuilder = smol_str::SmolStrBuilder;
