//! Keys of the nodes. All are generational: a key of a removed node is noticed, never misread.

slotmap::new_key_type! {
    /// An instruction, and the value that it defines.
    pub struct InstrId;
    /// A basic block.
    pub struct BlockId;
    /// An `if` or a loop.
    pub struct CfId;
    /// A variable.
    pub struct VarId;
    /// A function.
    pub struct FuncId;
}
