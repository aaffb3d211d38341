//! Sets of properties of memory and of accesses to it.

use super::NamedFlags;
use bitflags::bitflags;

named_flags! {
    /// Kinds of memory a variable or deref can live in; a set, because the memory of a deref may not be known exactly.
    ///
    /// # Examples
    ///
    /// ```
    /// use airfoil_ir::{Modes, text};
    ///
    /// let shader = text::parse(r#"foil 1
    /// shader compute "c" {
    ///   fn read(deref(vec4 ubo|ssbo)) { }
    ///   entry fn main { }
    /// }"#)?;
    /// let read = shader.functions.values().next().unwrap();
    /// let (_, modes) = read.params[0].pointee.unwrap();
    /// // The function reads either kind of block, but no local variable.
    /// assert_eq!(modes, Modes::UBO | Modes::SSBO);
    /// assert!(!modes.intersects(Modes::FUNCTION_TEMP | Modes::SHARED));
    /// # Ok::<(), Vec<airfoil_ir::Diagnostic>>(())
    /// ```
    Modes {
        /// Local to a function.
        FUNCTION_TEMP = 0 "function_temp",
        /// Local to an invocation, seen by all functions.
        SHADER_TEMP = 1 "shader_temp",
        /// Stage input.
        IN = 2 "in",
        /// Stage output.
        OUT = 3 "out",
        /// Uniform outside blocks: opaque resources, OpenGL's default block.
        UNIFORM = 4 "uniform",
        /// Uniform block.
        UBO = 5 "ubo",
        /// Storage block.
        SSBO = 6 "ssbo",
        /// Workgroup memory.
        SHARED = 7 "shared",
        /// Push constants.
        PUSH_CONST = 8 "push_const",
        /// System value.
        SYSTEM_VALUE = 9 "system_value",
        /// Storage image.
        IMAGE = 10 "image",
        /// Memory at a 64-bit address.
        GLOBAL = 11 "global",
        /// Task to mesh payload.
        TASK_PAYLOAD = 12 "task_payload",
        /// Specialisation constant: `binding` is its number, the initial value its default. Never written.
        SPEC_CONST = 13 "spec_const",
    }
    /// Qualifiers of memory accesses.
    ///
    /// # Examples
    ///
    /// ```
    /// use airfoil_ir::{Access, Body, Builder, Index, Intrinsic, IntrinsicOp, Ty};
    ///
    /// let mut body = Body::new();
    /// let mut b = Builder::at_end(&mut body);
    /// let address = b.undef(Ty::new(1, 64));
    /// let load = Intrinsic::new(IntrinsicOp::load_global, &[address]);
    /// let [plain, volatile, constant] = [Access::empty(), Access::VOLATILE, Access::CAN_REORDER]
    ///     .map(|access| b.insert_intrinsic(load.with(Index::Access, access), Ty::B32));
    /// // Dead code elimination keeps volatile accesses; only reads of constant memory are merged.
    /// assert!(body[plain].can_eliminate() && !body[volatile].can_eliminate());
    /// assert!(body[constant].can_reorder() && !body[plain].can_reorder());
    /// ```
    Access {
        /// Visible to other invocations. GLSL `coherent`.
        COHERENT = 0 "coherent",
        /// Never left out, joined or repeated. GLSL `volatile`.
        VOLATILE = 1 "volatile",
        /// No other variable reaches this memory. GLSL `restrict`.
        RESTRICT = 2 "restrict",
        /// Never read. GLSL `writeonly`.
        NON_READABLE = 3 "non_readable",
        /// Never written. GLSL `readonly`.
        NON_WRITEABLE = 4 "non_writeable",
        /// The resource may differ between invocations of a subgroup.
        NON_UNIFORM = 5 "non_uniform",
        /// Nothing writes this memory while the shader runs, so the access can move freely.
        CAN_REORDER = 6 "can_reorder",
        /// The index is known to be in range.
        IN_BOUNDS = 7 "in_bounds",
        /// Ordered by the barriers and atomics of the Vulkan memory model. SPIR-V `NonPrivatePointer`.
        NON_PRIVATE = 8 "non_private",
        /// Coherent within the queue family only.
        QUEUE_FAMILY = 9 "queue_family",
        /// Coherent within the workgroup only.
        WORKGROUP = 10 "workgroup",
        /// Coherent within the subgroup only.
        SUBGROUP = 11 "subgroup",
    }
    /// Memory ordering of a barrier or atomic.
    ///
    /// # Examples
    ///
    /// ```
    /// use airfoil_ir::{NamedFlags, Semantics, text};
    ///
    /// let shader = text::parse(r#"foil 1
    /// shader compute "c" {
    ///   fn main {
    ///     barrier memory=device modes=ssbo semantics=release|make_available
    ///   }
    /// }"#)?;
    /// let (_, barrier) = shader.entry_body().unwrap().entries().next().unwrap();
    /// let semantics = barrier.as_intrinsic().unwrap().semantics();
    /// assert!(semantics.contains(Semantics::MAKE_AVAILABLE) && !semantics.contains(Semantics::ACQUIRE));
    /// assert_eq!(Semantics::from_bits_lossy(u32::MAX), Semantics::all());
    /// # Ok::<(), Vec<airfoil_ir::Diagnostic>>(())
    /// ```
    Semantics {
        /// Later accesses stay after.
        ACQUIRE = 0 "acquire",
        /// Earlier accesses stay before.
        RELEASE = 1 "release",
        /// Earlier writes become available.
        MAKE_AVAILABLE = 2 "make_available",
        /// Available writes become visible.
        MAKE_VISIBLE = 3 "make_visible",
    }
}
