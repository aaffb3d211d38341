//! Passes over variables: splitting, initializers, copies, promotion to SSA.

crate::registry::passes! {
    "Variables": "Passes over variables: splitting, initializers, copies, promotion to SSA.";
    lower_io_to_temporaries::LowerIoToTemporaries { options };
    lower_shared_initializers::LowerSharedInitializers;
    lower_var_copies::LowerVarCopies;
    lower_variable_initializers::LowerVariableInitializers { options };
    split_array_vars::SplitArrayVars;
    split_struct_vars::SplitStructVars;
    split_var_copies::SplitVarCopies;
    vars_to_ssa::VarsToSsa;
}
