//! Pipelines that have a name. A preset's name can stand in a pipeline for its steps.
//!
//! * `O0`: only what a backend needs.
//! * `O1`: the same with one sweep of clean-ups.
//! * `O2`: clean-ups repeat until nothing changes.
//!
//! Each is made of parts that are presets themselves: the front part works on variables, then inputs, outputs and
//! buffers are lowered to slots, and the target part leaves what a backend may see. The skeleton of the clean-ups is
//! that of all drivers on Mesa NIR: memory to SSA, control flow, values.

/// A pipeline with a name.
#[derive(Debug)]
pub struct Preset {
    /// Name.
    pub name: &'static str,
    /// What it is for, in one line.
    pub summary: &'static str,
    /// The pipeline.
    pub text: &'static str,
}

/// Every preset.
pub const PRESETS: &[Preset] = &[
    Preset {
        name: "O0",
        summary: "only what a backend needs",
        text: "front, outputs, io, lower_subgroups, lower_doubles, target",
    },
    Preset {
        name: "O1",
        summary: "one sweep of clean-ups",
        text: "front, outputs, locals, memory, values, io, lower_subgroups, lower_doubles, values, target",
    },
    Preset {
        name: "O2",
        summary: "clean-ups until nothing changes",
        // Locals go first, before anything is copied or looked at many times. Few shaders have any left in memory then.
        // For the others the loop behind `io` finds all that one before it would: leaving that out saves an eighth.
        // What `lower_doubles` writes is cleaned up once more; where it has nothing to do the second loop is skipped.
        text: "lower_variable_initializers, vars_to_ssa, front, outputs, locals, memory, \
               loop{locals=true}(values, memory), io, loop(values), \
               lower_subgroups, lower_doubles, loop(values), target",
    },
    Preset {
        name: "front",
        summary: "one function without calls and early returns",
        text: "lower_variable_initializers, lower_shared_initializers, lower_returns, inline_functions, propagate_invariant",
    },
    Preset {
        name: "outputs",
        summary: "each output is written once; clip distances in one array; meshes as Metal writes them",
        text: "lower_clip_distance_arrays, lower_io_to_temporaries, mesh_outputs_to_shared",
    },
    Preset {
        name: "locals",
        summary: "local variables become values",
        text: "global_to_local, split_var_copies, split_struct_vars, split_array_vars, lower_var_copies, \
               vars_to_ssa, remove_dead_variables",
    },
    Preset {
        name: "memory",
        summary: "clean-ups of what stays in variables",
        text: "copy_prop_vars, dead_write_vars, vars_to_ssa",
    },
    Preset {
        name: "values",
        summary: "clean-ups of values and control flow",
        // Those that nearly always find something come first: in the next round the others are skipped, unless
        // they changed something themselves.
        text: "copy_prop, cse, dce, remove_phis, constant_folding, opt_undef, dead_cf, simplify_if, \
               peephole_select",
    },
    Preset {
        name: "io",
        summary: "inputs, outputs, buffers and system values by slot and offset",
        text: "remove_dead_variables, lower_var_copies, lower_input_attachments, textures, \
               lower_system_values, dce, lower_io",
    },
    Preset {
        name: "textures",
        summary: "texture operations that Metal lacks",
        text: "lower_tex_projector, lower_tex_rect, lower_1d_textures, lower_tg4_offsets",
    },
    Preset {
        name: "target",
        summary: "what a backend may see",
        text: "lower_64bit_io, lower_image_atomics, lower_atomics, lower_compute_derivatives, lower_conversions, \
               copy_prop, dce, gather_info",
    },
    Preset {
        name: "restaged",
        summary: "clean-ups behind a pass that made another stage of a shader",
        text: "textures, lower_subgroups, locals, loop(values), lower_doubles, loop(values), target",
    },
];

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
}
