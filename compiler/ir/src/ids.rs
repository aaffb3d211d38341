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

impl InstrId {
    /// A small index, unique among the instructions that are in a body at the same time and less than
    /// [`Body::instr_capacity`](crate::Body::instr_capacity); for tables, see [`Dense`](crate::Dense). An
    /// instruction inserted after another one was removed may reuse its index.
    #[inline]
    pub fn index(self) -> usize {
        use slotmap::Key;
        self.data().as_ffi() as u32 as usize
    }
}
