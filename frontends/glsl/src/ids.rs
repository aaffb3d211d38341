//! Positions in the arenas of a [`crate::hir::Unit`].

macro_rules! ids {
    ($( $(#[doc = $doc:literal])+ $name:ident )+) => { $(
        $(#[doc = $doc])+
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
        pub struct $name(pub u32);
    )+ };
}

ids! {
    /// Position in [`crate::hir::Unit::vars`].
    VarId
    /// Position in [`crate::hir::Unit::functions`].
    FuncId
    /// Position in [`crate::hir::Unit::exprs`].
    ExprId
    /// Position in [`crate::hir::Unit::stmts`].
    StmtId
    /// Position in [`crate::hir::Unit::consts`].
    ConstId
}
