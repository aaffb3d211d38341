//! The rules that the validator checks.

macro_rules! rules {
    ($( $(#[doc = $doc:literal])+ $rule:ident = $name:literal; )+) => {
        /// A rule that the validator checks.
        ///
        /// # Examples
        ///
        /// ```
        /// use airfoil_ir::text;
        /// use airfoil_ir::validate::{Rule, validate};
        ///
        /// let shader = text::parse(r#"foil 1 shader compute "main" { fn main {
        ///     16x1 %half = const 1
        ///     32x1 %word = const 2
        ///     32x1 %sum = iadd %word, %half
        ///     break
        /// } }"#)?;
        /// let rules: Vec<Rule> = validate(&shader).iter().map(|violation| violation.rule).collect();
        /// assert_eq!(rules, [Rule::JumpLoop, Rule::AluOperand]);
        /// assert_eq!(Rule::JumpLoop.name(), "jump-loop");
        /// # Ok::<(), Vec<airfoil_ir::Diagnostic>>(())
        /// ```
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Rule { $( $(#[doc = $doc])+ $rule, )+ }

        impl Rule {
            /// All rules.
            pub const ALL: &'static [Rule] = &[$( Rule::$rule, )+];

            /// Name in messages.
            pub const fn name(self) -> &'static str {
                match self { $( Rule::$rule => $name, )+ }
            }

            /// The requirement.
            pub const fn doc(self) -> &'static str {
                match self { $( Rule::$rule => concat!($($doc, "\n"),+), )+ }
            }
        }
    };
}

rules! {
    /// A type refers to types that were added before it; vectors have 1 to 4, matrices 2 to 4 by 2 to 4
    /// components; nesting and size are bounded.
    Types = "types";
    /// Offsets and strides of explicit layouts are multiples of the bytes of the scalars.
    TypeAlignment = "type-alignment";
    /// A variable has exactly one mode.
    VariableMode = "variable-mode";
    /// A variable names an existing type.
    VariableType = "variable-type";
    /// A variable names its function if and only if its mode is `function_temp`.
    VariableFunction = "variable-function";
    /// Inputs and outputs have a location in range, component and blend index in range.
    VariableLocation = "variable-location";
    /// Only arrays of scalars are compact.
    VariableCompact = "variable-compact";
    /// Only outputs of fragment shaders are fetched.
    VariableFetched = "variable-fetched";
    /// Only outputs of mesh shaders are complete.
    VariableComplete = "variable-complete";
    /// A variable names a system value if and only if that is its mode, and has its shape.
    VariableSystemValue = "variable-system-value";
    /// A specialisation constant is a scalar with a number and a default value.
    VariableSpecConst = "variable-spec-const";
    /// An initializer has the shape of the variable, and no bits beyond the widths.
    VariableInitializer = "variable-initializer";
    /// There is an entry function and it has no parameters.
    Entry = "entry";
    /// Parameters have a legal shape, those that point somewhere the shape of derefs.
    Parameters = "parameters";
    /// A called function exists.
    CallCallee = "call-callee";
    /// A call has an argument of the right shape and type for every parameter.
    CallArguments = "call-arguments";
    /// No function calls itself, not even through others.
    Recursion = "recursion";
    /// Blocks, ifs and loops form one tree whose links agree in both directions.
    Tree = "tree";
    /// Every instruction is in the list of just its block, and the links of the list agree.
    InstrList = "instr-list";
    /// Operands and conditions exist.
    StaleOperand = "stale-operand";
    /// The use count of a value is the number of operands and conditions that use it.
    UseCount = "use-count";
    /// A jump is the last instruction of the last block of a region.
    JumpPlace = "jump-place";
    /// `break` and `continue` are in a loop.
    JumpLoop = "jump-loop";
    /// Phis are first in their block, which has predecessors.
    PhiPlace = "phi-place";
    /// A phi has exactly one source for each predecessor of its block.
    PhiSources = "phi-sources";
    /// The sources of a phi have its shape.
    PhiShape = "phi-shape";
    /// The condition of an `if` is one boolean.
    Condition = "condition";
    /// A definition dominates its uses; that of a phi source dominates the end of the predecessor.
    Dominance = "dominance";
    /// An instruction defines a value of a legal shape if it defines one, and none else.
    ResultShape = "result-shape";
    /// Operands are values.
    OperandValue = "operand-value";
    /// Operands of ALU operations have the widths of the table row, unsized ones all have the same.
    AluOperand = "alu-operand";
    /// The result of an ALU operation has the shape of the table row.
    AluResult = "alu-result";
    /// Floats have 16, 32 or 64 bits, converted integers not 1.
    NumberWidth = "number-width";
    /// Swizzles read components that exist and are canonical.
    Swizzle = "swizzle";
    /// Constants have no bits beyond their width and components.
    ConstantBits = "constant-bits";
    /// Operands of intrinsics have the shape of the table row.
    IntrinsicOperand = "intrinsic-operand";
    /// The result of an intrinsic has the shape of the table row.
    IntrinsicResult = "intrinsic-result";
    /// Indices hold values that mean something.
    IndexValue = "index-value";
    /// A write mask names components of the value only.
    WriteMask = "write-mask";
    /// An alignment is a power of two up to 2048 and greater than its offset.
    Alignment = "alignment";
    /// Slots of an input or output access are in range, its components within the slot.
    IoRange = "io-range";
    /// The type of an access, texel or conversion has the width of the value.
    ScalarWidth = "scalar-width";
    /// `load_param` names a parameter and has its shape.
    LoadParam = "load-param";
    /// The variable of a deref exists, and belongs to the function if it is local to one.
    DerefVariable = "deref-variable";
    /// A deref starts from a deref; a cast may start from any scalar.
    DerefParent = "deref-parent";
    /// The type of a deref follows from that of the deref that it starts from.
    DerefType = "deref-type";
    /// The modes of a deref are among those of the deref that it starts from.
    DerefModes = "deref-modes";
    /// The index of an array deref is one 32-bit integer.
    DerefIndex = "deref-index";
    /// Derefs with wildcards are used by copies only.
    Wildcard = "wildcard";
    /// Derefs are used by derefs, calls, and operands that take derefs: no phis, no conditions, no arithmetic.
    DerefUse = "deref-use";
    /// Operands that take derefs are derefs, of memory and type that the operation can work on.
    DerefOperand = "deref-operand";
    /// Loads, stores and atomics have the shape of the pointee of the deref.
    AccessShape = "access-shape";
    /// Nothing writes inputs, uniforms or system values.
    ReadOnly = "read-only";
    /// Both sides of a copy have the same type apart from layout.
    CopyTypes = "copy-types";
    /// No copy spans several blocks of an array: each is a buffer of its own.
    CopyBlocks = "copy-blocks";
    /// Sources of a texture operation are in order of their roles, each role at most once.
    TexSources = "tex-sources";
    /// A texture operation has the sources that it needs and no others.
    TexRoles = "tex-roles";
    /// There is a comparator if and only if depths are compared.
    TexComparator = "tex-comparator";
    /// Sources of a texture operation have the shape that dimension and role demand.
    TexOperand = "tex-operand";
    /// The result of a texture operation has the components that it gives and the width of its type.
    TexResult = "tex-result";
    /// Gathered component and offsets are in range and on `tg4` only.
    TexGather = "tex-gather";
    /// The form of the shader allows the operation.
    FormOperation = "form-operation";
    /// The stage of the shader allows the operation.
    StageOperation = "stage-operation";
    /// The form of the shader allows derefs of this memory.
    FormDeref = "form-deref";
}
