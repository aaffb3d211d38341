//! Codes of errors in expressions and statements.

/// A name that is not declared, or has another meaning than required.
pub(crate) const NAME: &str = "E1050";
/// An operator whose operands have the wrong types.
pub(crate) const OPERANDS: &str = "E1051";
/// Something that this version of the language has not.
pub(crate) const VERSION: &str = "E1052";
/// Something that cannot be written.
pub(crate) const LVALUE: &str = "E1053";
/// An index of the wrong type or out of range, or something that has no elements.
pub(crate) const INDEX: &str = "E1054";
/// A member, swizzle or method that does not exist.
pub(crate) const MEMBER: &str = "E1055";
/// A call that fits no function.
pub(crate) const CALL: &str = "E1056";
/// A call that fits several functions equally well.
pub(crate) const AMBIGUOUS: &str = "E1057";
/// A constructor with wrong arguments.
pub(crate) const CONSTRUCTOR: &str = "E1058";
/// A constant expression is needed, or one is out of range.
pub(crate) const CONSTANT: &str = "E1059";
/// An initialiser that does not fit.
pub(crate) const INITIALIZER: &str = "E1060";
/// A condition that is not a scalar `bool`.
pub(crate) const CONDITION: &str = "E1061";
/// A `switch` statement or label.
pub(crate) const SWITCH: &str = "E1062";
/// A jump where there is nothing to jump out of.
pub(crate) const JUMP: &str = "E1063";
/// A `return` that does not fit the function.
pub(crate) const RETURN: &str = "E1064";
/// An argument that its parameter does not accept, though the type fits.
pub(crate) const ARGUMENT: &str = "E1065";
/// Something whose value cannot be used.
pub(crate) const VALUE: &str = "E1067";
