//! Pipelines with a name. A preset's name in a pipeline is replaced by its steps.
//!
//! * `O0`: only the lowering that a backend requires.
//! * `O2`: the clean-ups repeat until nothing changes.
//!
//! Presets are independent of the target and end at form `slots`. Each has a *variables* part, after which a shader can
//! still be written in a source-like form, and a *slots* part. A backend adds its own steps, [`TargetSteps`], at three
//! points. The skeleton of the clean-ups is that of all drivers on Mesa NIR: memory to SSA, control flow, values.

use airfoil_ir::Form;

/// A pipeline with a name.
///
/// # Examples
/// ```
/// use airfoil_passes::presets::{self, Preset};
/// use airfoil_passes::{Pipeline, registry::Registry};
///
/// assert_eq!(presets::find("O0").map(|preset| preset.text), Some("front, outputs, slots, io"));
/// static MINE: Preset = Preset { name: "mine", summary: "clean-ups of mine", text: "loop(memory, cse)" };
/// let mut registry = Registry::builtin().clone();
/// registry.add_preset(&MINE)?;
/// // Names of presets are replaced by their steps.
/// let steps = Pipeline::parse_with("mine, dce", &registry)?.to_string();
/// assert_eq!(steps, "loop(copy_prop_vars, dead_write_vars, vars_to_ssa, cse), dce");
/// # Ok::<(), airfoil_ir::Diagnostic>(())
/// ```
#[derive(Debug)]
pub struct Preset {
    /// Name.
    pub name: &'static str,
    /// Purpose, in one line.
    pub summary: &'static str,
    /// The pipeline.
    pub text: &'static str,
}

/// The passes that `values` and `spirv_values` share.
macro_rules! values {
    () => {
        "dce, simplify, scalar_products, split_lanes, shrink_vectors, remove_phis, dead_cf, loop_unroll, loop_peel, \
         opt_loop, simplify_if, "
    };
}

/// Every preset of this crate.
pub const PRESETS: &[Preset] = &[
    Preset {
        name: "O0",
        summary: "only the lowering that a backend requires",
        text: "front, outputs, slots, io",
    },
    Preset {
        name: "O2",
        summary: "clean-ups until nothing changes",
        text: "O2_front, outputs, O2_variables, slots, io, accesses, loop(values)",
    },
    Preset {
        name: "O2_front",
        summary: "one function, with local variables in SSA",
        // Locals go first, before anything is copied or looked at many times. Few shaders have any left in memory then.
        text: "lower_variable_initializers, vars_to_ssa, front",
    },
    Preset {
        name: "O2_variables",
        summary: "clean-ups of the variables part of O2",
        // For shaders without locals in memory the loop after `io` finds all that this one would: leaving this one out
        // saves an eighth.
        text: "locals, unroll, memory, loop(on{has=local_deref}(values, memory))",
    },
    Preset {
        name: "accesses",
        summary: "once, after `io`: invariants leave loops, and accesses to adjacent or equal memory become one",
        // The two passes that the loop after it starts with, so that offsets are constants.
        text: "dce, simplify, opt_licm, merge_image_loads, merge_accesses",
    },
    Preset {
        name: "O2_derefs",
        summary: "O2 up to the lowering of inputs, outputs and buffers: the stage at which counts are compared with NIR",
        text: "O2_front, lower_clip_distance_arrays, locals, unroll, memory, loop(values, memory), lower_system_values, dce, \
               remove_dead_variables, loop(values, memory), dce",
    },
    Preset {
        name: "spirv",
        summary: "the variables part of O2, for SPIR-V output that a driver optimises again",
        text: "O2_front, locals, unroll, memory, loop(algebraic, spirv_values, memory), dce, remove_dead_variables",
    },
    Preset {
        name: "spirv_values",
        summary: "`values` for a driver that optimises again: only tiny ifs become selections",
        // Drivers weigh branches themselves: with 8 operations shaders are up to 5 % slower (docs/speed.md, GPU time).
        text: concat!(values!(), "peephole_select{limit=2}"),
    },
    Preset {
        name: "front",
        summary: "one function without calls and early returns",
        text: "lower_variable_initializers, lower_shared_initializers, lower_returns, inline_functions, propagate_invariant",
    },
    Preset {
        name: "outputs",
        summary: "each output is written once; clip distances in one array",
        text: "lower_clip_distance_arrays, lower_io_to_temporaries",
    },
    Preset {
        name: "locals",
        summary: "local variables become values",
        text: "global_to_local, split_var_copies, split_struct_vars, split_array_vars, lower_var_copies, \
               vars_to_ssa, remove_dead_variables",
    },
    Preset {
        name: "unroll",
        summary: "loops that only index local variables become straight code, and the variables values",
        text: "loop_unroll, on{has=local_deref}(split_array_vars, vars_to_ssa, remove_dead_variables)",
    },
    Preset {
        name: "memory",
        summary: "clean-ups of variables that stay in memory",
        text: "copy_prop_vars, dead_write_vars, vars_to_ssa",
    },
    Preset {
        name: "values",
        summary: "clean-ups of values and control flow",
        // Those that nearly always find something come first: in the next round the others are skipped, unless
        // they changed something themselves.
        text: concat!(values!(), "peephole_select"),
    },
    Preset {
        name: "slots",
        summary: "prepares variables for `io`",
        text: "remove_dead_variables, lower_var_copies, constant_arrays",
    },
    Preset {
        name: "io",
        summary: "inputs, outputs, buffers and system values by slot and offset",
        text: "lower_system_values, dce, lower_io",
    },
    Preset {
        name: "nir_front",
        summary: "the passes that Mesa runs on a shader once, before its loops",
        text: "front, split_var_copies, split_struct_vars, outputs, global_to_local, remove_dead_variables",
    },
    Preset {
        name: "nir-softpipe",
        summary: "the order of Mesa's softpipe and llvmpipe, with vectors",
        text: "nir_front, loop(nir_softpipe_loop), slots, io, loop(nir_softpipe_loop)",
    },
    Preset {
        name: "nir_softpipe_loop",
        summary: "the loop of `nir-softpipe`",
        text: "split_array_vars, lower_var_copies, vars_to_ssa, copy_prop_vars, copy_prop, dce, peephole_select, \
               algebraic, constant_folding, remove_phis, opt_loop, simplify_if, dead_cf, peephole_select{limit=0}, remove_phis, \
               cse, opt_undef, loop_unroll",
    },
    Preset {
        name: "nir-radv",
        summary: "the order of Mesa's radv, with vectors",
        text: "nir_front, lower_var_copies, vars_to_ssa, loop(nir_radv_loop), slots, io, loop(nir_radv_loop)",
    },
    Preset {
        name: "nir_radv_loop",
        summary: "the loop of `nir-radv`",
        text: "split_array_vars, copy_prop_vars, dead_write_vars, vars_to_ssa, copy_prop, remove_phis, dce, dead_cf, \
               opt_loop, simplify_if, cse, peephole_select, constant_folding, algebraic, opt_undef, loop_unroll",
    },
    Preset {
        name: "spirv-opt-O",
        summary: "the order of `spirv-opt -O`: each pass as often as there, without loops to a fixed point",
        text: "lower_variable_initializers, lower_shared_initializers, dead_cf, lower_returns, inline_functions, \
               remove_dead_variables, dce, global_to_local, copy_prop_vars, dce, split_var_copies, split_struct_vars, \
               split_array_vars, lower_var_copies, copy_prop_vars, dce, vars_to_ssa, dce, constant_folding, dead_cf, \
               dce, loop_unroll, dead_cf, cse, constant_folding, copy_prop, split_array_vars, copy_prop_vars, dce, \
               vars_to_ssa, dce, opt_undef, dead_cf, constant_folding, peephole_select, copy_prop_vars, dce, \
               remove_phis, cse, dead_cf, constant_folding, copy_prop, dce, propagate_invariant, outputs, slots, io",
    },
];

/// How much to optimise.
///
/// # Examples
/// ```
/// use airfoil_ir::Form;
/// use airfoil_passes::presets::{OptLevel, TargetSteps};
/// use airfoil_passes::Pipeline;
///
/// assert_eq!(OptLevel::default().name(), "O2");
/// let text = |level: OptLevel, form| level.text(form, &TargetSteps::default());
/// let passes = |level, form| Pipeline::parse(&text(level, form)).unwrap().num_keys();
/// assert!(passes(OptLevel::O0, Form::Variables) < passes(OptLevel::O2, Form::Variables));
/// // A shader that has been lowered gets the steps of its target only.
/// assert_eq!(passes(OptLevel::O2, Form::Slots), 0);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum OptLevel {
    /// Only the lowering that the target requires.
    O0,
    /// Clean-ups repeat until nothing changes.
    #[default]
    O2,
}

/// The steps that a backend adds to a preset, as text; empty where it adds none.
///
/// # Examples
/// ```
/// use airfoil_ir::Form;
/// use airfoil_passes::presets::{OptLevel, TargetSteps};
///
/// let target = TargetSteps {
///     variables: "lower_draw_parameters",
///     tail_o0: "lower_conversions",
///     again_o0: "lower_conversions, dce",
///     ..TargetSteps::default()
/// };
/// let text = |form| OptLevel::O0.text(form, &target);
/// let whole = "front, outputs, slots, lower_draw_parameters, io, lower_conversions";
/// assert_eq!((&*text(Form::Variables), &*text(Form::Target)), (whole, "lower_conversions, dce"));
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct TargetSteps {
    /// After the functions of a shader are one and its outputs are written once, in form `variables`.
    pub outputs: &'static str,
    /// Just before inputs and outputs are lowered, in form `variables`.
    pub variables: &'static str,
    /// The end of `O0`, from form `slots` to `target`.
    pub tail_o0: &'static str,
    /// The end of `O2`, from form `slots` to `target`.
    pub tail_o2: &'static str,
    /// All of `O0` for shaders in form `slots` or `target`.
    pub again_o0: &'static str,
    /// All of `O2` for shaders in form `slots` or `target`.
    pub again_o2: &'static str,
}

impl OptLevel {
    /// The preset's name.
    pub fn name(self) -> &'static str {
        match self {
            OptLevel::O0 => "O0",
            OptLevel::O2 => "O2",
        }
    }

    /// The pipeline from a form, with the steps of a target.
    pub fn text(self, form: Form, target: &TargetSteps) -> String {
        let TargetSteps { outputs, variables, tail_o0, tail_o2, again_o0, again_o2 } = *target;
        let steps: &[&str] = match (self, form) {
            (OptLevel::O0, Form::Variables) => {
                &["front", "outputs", outputs, "slots", variables, "io", tail_o0]
            }
            (OptLevel::O2, Form::Variables) => &[
                "O2_front",
                "outputs",
                outputs,
                "O2_variables",
                "slots",
                variables,
                "io",
                "accesses",
                "loop(values)",
                tail_o2,
            ],
            (OptLevel::O0, Form::Slots | Form::Target) => &[again_o0],
            (OptLevel::O2, Form::Slots | Form::Target) => &[again_o2],
        };
        let steps: Vec<&str> = steps.iter().copied().filter(|step| !step.is_empty()).collect();
        steps.join(", ")
    }
}

/// The preset of a name.
pub fn find(name: &str) -> Option<&'static Preset> {
    PRESETS.iter().find(|p| p.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Pipeline;

    #[test]
    fn presets_name_registered_passes() {
        for p in PRESETS {
            assert!(
                crate::registry::Registry::builtin().find(p.name).is_none(),
                "{} names a pass too",
                p.name
            );
            let parsed = Pipeline::parse(p.text);
            assert!(parsed.as_ref().is_ok_and(|p| !p.steps().is_empty()), "{}: {parsed:?}", p.name);
        }
    }

    #[test]
    fn levels_without_a_target_are_the_presets() {
        for (level, name) in [(OptLevel::O0, "O0"), (OptLevel::O2, "O2")] {
            let text = level.text(Form::Variables, &TargetSteps::default());
            let pipeline = |text: &str| Pipeline::parse(text).map(|p| p.to_string());
            assert_eq!(pipeline(&text), pipeline(name));
        }
    }
}
