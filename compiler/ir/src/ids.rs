//! Keys of the nodes. All are generational: a key of a removed node is noticed, never misread.

slotmap::new_key_type! {
    /// An instruction, and the value that it defines.
    ///
    /// # Examples
    ///
    /// ```
    /// use airfoil_ir::{Body, Builder, InstrId};
    ///
    /// let mut body = Body::new();
    /// let mut b = Builder::at_end(&mut body);
    /// let [one, two]: [InstrId; 2] = [1, 2].map(|n| b.imm_u32(n));
    /// body.remove(one);
    /// let three = Builder::at_end(&mut body).imm_u32(3);
    /// // The index is reused, the key is not.
    /// assert_eq!(three.index(), one.index());
    /// assert!(body.get(one).is_none() && body.get(three).is_some());
    /// assert!(body.all_instrs().eq([two, three]));
    /// ```
    pub struct InstrId;
    /// A basic block.
    ///
    /// # Examples
    ///
    /// ```
    /// use airfoil_ir::{BlockId, Body, Builder};
    ///
    /// let mut body = Body::new();
    /// let mut b = Builder::at_end(&mut body);
    /// let yes = b.imm_bool(true);
    /// let cf = b.push_if(yes);
    /// let side: BlockId = b.block();
    /// assert!(body.blocks().any(|block| block == side));
    /// // Flattening joins the side with the blocks around it.
    /// body.flatten_if(cf, true);
    /// assert!(!body.has_block(side));
    /// assert_eq!(body.num_blocks(), 1);
    /// ```
    pub struct BlockId;
    /// An `if` or a loop.
    ///
    /// # Examples
    ///
    /// ```
    /// use airfoil_ir::{Body, Builder, CfId, Jump};
    ///
    /// let mut body = Body::new();
    /// let mut b = Builder::at_end(&mut body);
    /// let [outer, inner]: [CfId; 2] = [(); 2].map(|()| b.push_loop());
    /// b.jump(Jump::Break);
    /// let block = b.block();
    /// assert_eq!(body.loop_around(block), Some(inner));
    /// assert_eq!(body.cf_owner(inner).cf(), Some(outer));
    /// // All that is nested is deleted, too.
    /// body.delete_cf(outer);
    /// assert!(!body.has_cf(inner));
    /// ```
    pub struct CfId;
    /// A variable.
    ///
    /// # Examples
    ///
    /// ```
    /// use airfoil_ir::{Function, Scalar, Shader, Stage, VarId, text};
    ///
    /// let mut shader = Shader::new("main", Stage::Vertex);
    /// let main = shader.add_function(Function::new("main"));
    /// let uint = shader.types.vector(Scalar::Uint32, 1);
    /// let [a, b]: [VarId; 2] = [(); 2].map(|()| shader.add_local(main, "i", uint));
    /// // Variables may share a name; only the text form adds a suffix.
    /// assert_eq!(shader.vars[a].name, shader.vars[b].name);
    /// assert!(text::print(&shader).contains("function_temp uint i.1\n"));
    /// // The memory of a removed variable is reused, its key is not.
    /// shader.vars.remove(a);
    /// assert_ne!(shader.add_local(main, "j", uint), a);
    /// ```
    pub struct VarId;
    /// A function.
    ///
    /// # Examples
    ///
    /// ```
    /// use airfoil_ir::{FuncId, InstrKind, text};
    ///
    /// let shader = text::parse(r#"foil 1
    /// shader vertex "v" {
    ///   fn helper { }
    ///   entry fn main { call helper() }
    /// }"#)?;
    /// let callees = |f: FuncId| {
    ///     shader.functions[f].body.entries().filter_map(|(_, i)| match &i.kind {
    ///         InstrKind::Call(call) => Some(&*shader.functions[call.callee].name),
    ///         _ => None,
    ///     })
    /// };
    /// assert!(callees(shader.entry.unwrap()).eq(["helper"]));
    /// # Ok::<(), Vec<airfoil_ir::Diagnostic>>(())
    /// ```
    pub struct FuncId;
}

impl InstrId {
    /// A small index, unique among the instructions that are in a body at the same time and less than
    /// [`Body::instr_capacity`](crate::Body::instr_capacity); for tables, see [`Dense`](crate::Dense). An
    /// instruction inserted after another one was removed may reuse its index.
    #[inline]
    pub fn index(self) -> usize {
        index_of(self)
    }
}

/// The index of the slot of a key.
#[inline]
pub(crate) fn index_of(key: impl slotmap::Key) -> usize {
    key.data().as_ffi() as u32 as usize
}
