//! The algebraic rules of the pass `algebraic`, compiled by the build script from `passes/rules`.

include!(concat!(env!("OUT_DIR"), "/rules.rs"));

/// The rules that are proved: text for [`airfoil_rules::prove::Cache`].
pub static PROOFS: &str = include_str!("../rules/proofs.txt");

/// The rules as written.
///
/// # Panics
/// Never: the build script has parsed the same text.
pub fn all() -> Vec<airfoil_rules::Rule> {
    FILES.iter().flat_map(|(name, text)| airfoil_rules::parse(name, text).expect("the rules parse")).collect()
}
