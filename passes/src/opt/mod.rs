//! Passes that optimize the code without changing its form.

crate::registry::passes! {
    "Optimization": "Passes that optimize the code without changing its form.";
    algebraic::Algebraic { options };
    constant_arrays::ConstantArrays;
    constant_folding::ConstantFolding;
    copy_prop::CopyProp;
    copy_prop_vars::CopyPropVars;
    cse::Cse;
    dce::Dce { options };
    dead_cf::DeadCf;
    dead_write_vars::DeadWriteVars;
    global_to_local::GlobalToLocal;
    loop_peel::LoopPeel;
    loop_unroll::LoopUnroll { options };
    merge_accesses::MergeAccesses;
    merge_image_loads::MergeImageLoads;
    opt_licm::OptLicm { options };
    opt_loop::OptLoop { options };
    opt_undef::OptUndef;
    peephole_select::PeepholeSelect { options };
    remove_dead_variables::RemoveDeadVariables { options };
    remove_phis::RemovePhis;
    scalar_products::ScalarProducts;
    shrink_vectors::ShrinkVectors;
    simplify::Simplify { options };
    simplify_if::SimplifyIf;
    split_lanes::SplitLanes;
}
