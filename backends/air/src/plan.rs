//! The compile plan: the passes that turn the shaders of a program into functions for Metal, as one pipeline.
//!
//! A plan is computed from the shaders (their stages and forms) and the options, before anything runs. It is a
//! [`Pipeline`], so it prints as text, is read back, and runs through the pass manager alone.
//!
//! 1. [`lower_distances`](airfoil_passes::gl::lower_distances) over all stages.
//! 2. The preset of the optimisation level with the steps of this backend ([`STEPS`]).
//! 3. A group with the lowerings that the pipeline state asks for and the stages that Metal lacks
//!    ([`lower_stages`](airfoil_passes::stages::lower_stages)). [`match_interfaces`](airfoil_passes::stages::match_interfaces) comes
//!    last. Shaders that the group changes are cleaned up once more.

use crate::lowerings::Lowerings;
use airfoil_ir::{Form, Shader, Stage};
use airfoil_passes::Pipeline;
use airfoil_passes::gl::lower_distances::LowerDistances;
use airfoil_passes::presets::{OptLevel, Preset, TargetSteps};
use airfoil_passes::registry::Registry;
use airfoil_passes::stages::interface::Interface;
use airfoil_passes::stages::lower_stages::LowerStages;
use airfoil_passes::stages::match_interfaces::MatchInterfaces;
use std::sync::{Arc, LazyLock};

/// The steps that this backend adds to the presets.
pub const STEPS: TargetSteps = TargetSteps {
    outputs: "mesh_outputs_to_shared",
    variables: "lower_input_attachments, metal_textures",
    tail_o0: "lower_subgroups, lower_doubles, metal",
    // The code that `lower_doubles` emits is cleaned up once more; without any the second loop is skipped.
    tail_o2: "lower_subgroups, lower_doubles, loop(values), metal",
    again_o0: "metal_textures, lower_subgroups, lower_doubles, metal",
    again_o2: "metal_textures, lower_subgroups, locals, loop(values), lower_doubles, loop(values), metal",
};

/// The presets of this backend.
pub static PRESETS: &[Preset] = &[
    Preset {
        name: "metal_textures",
        summary: "texture operations that Metal lacks",
        text: "lower_tex_projector, lower_tex_rect, lower_1d_textures, lower_tg4_offsets",
    },
    Preset {
        name: "metal",
        summary: "operations that Metal lacks, and the form that the AIR backend takes",
        text: "lower_64bit_io, lower_image_atomics, lower_atomics, lower_compute_derivatives, lower_conversions, \
               copy_prop, dce, gather_info",
    },
];

/// The built-in passes and presets, with those of this backend.
pub fn registry() -> &'static Registry {
    static REGISTRY: LazyLock<Registry> = LazyLock::new(|| {
        let mut registry = Registry::builtin().clone();
        // A test finds them all.
        PRESETS.iter().for_each(|preset| drop(registry.add_preset(preset)));
        registry
    });
    &REGISTRY
}

/// The preset of a level with the steps of this backend, for shaders of a form. Parsed once per process.
pub fn pipeline(level: OptLevel, form: Form) -> &'static Arc<Pipeline> {
    static PIPELINES: LazyLock<[Arc<Pipeline>; 4]> = LazyLock::new(|| {
        [
            (OptLevel::O0, Form::Variables),
            (OptLevel::O2, Form::Variables),
            (OptLevel::O0, Form::Slots),
            (OptLevel::O2, Form::Slots),
        ]
        .map(|(level, form)| {
            // A test parses them all.
            let pipeline = Pipeline::parse_with(&level.text(form, &STEPS), registry());
            Arc::new(pipeline.expect("presets parse"))
        })
    });
    let lowered = 2 * usize::from(form != Form::Variables);
    &PIPELINES[lowered + usize::from(level == OptLevel::O2)]
}

/// Choices of a compile plan besides the shaders.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlanOptions {
    /// How much is optimised.
    pub level: OptLevel,
    /// User clip planes.
    pub distances: LowerDistances,
    /// Lowerings driven by pipeline state.
    pub lowerings: Lowerings,
    /// Stages that Metal lacks.
    pub stages: LowerStages,
    /// The stage before shaders that are compiled alone.
    pub previous: Interface,
}

impl PlanOptions {
    /// The default choices for a level.
    pub fn new(level: OptLevel) -> PlanOptions {
        PlanOptions { level, ..PlanOptions::default() }
    }
}

/// The plan of a compile: from the shaders as they were read to those that [`select`](crate::select) takes.
pub fn compile_plan(shaders: &[Shader], options: &PlanOptions) -> Pipeline {
    optimize_plan(shaders, options).then(metal_plan(shaders, options))
}

/// The first part of a plan: distances and the preset of the level.
pub fn optimize_plan(shaders: &[Shader], options: &PlanOptions) -> Pipeline {
    let before = |s: &Shader| matches!(s.stage, Stage::Vertex | Stage::TessEval | Stage::Geometry);
    let plan = match shaders.iter().any(before) {
        true => Pipeline::default().program_pass(options.distances.clone()),
        false => Pipeline::default(),
    };
    plan.then(preset_plan(shaders, options.level))
}

/// The preset of a level alone: for shaders that are executed as they are.
pub fn preset_plan(shaders: &[Shader], level: OptLevel) -> Pipeline {
    let plan = Pipeline::default();
    let form = |form| if form == Form::Variables { Form::Variables } else { Form::Slots };
    let forms: Vec<Form> = shaders.iter().map(|s| form(s.form)).collect();
    match forms.first() {
        Some(&first) if forms.iter().all(|&f| f == first) => plan.include(pipeline(level, first).clone()),
        _ => {
            shaders.iter().fold(plan, |plan, s| plan.on(vec![s.stage], pipeline(level, form(s.form)).clone()))
        }
    }
}

/// The last part of a plan, for shaders in the forms `slots` or `target`: pipeline state, and stages that Metal lacks.
pub fn metal_plan(shaders: &[Shader], options: &PlanOptions) -> Pipeline {
    let mut plan = options.lowerings.steps(shaders, &options.stages);
    let lacking = |s: &Shader| matches!(s.stage, Stage::TessControl | Stage::TessEval | Stage::Geometry);
    let stages = &options.stages;
    if stages.vertex_kernel || stages.tessellated_geometry || shaders.iter().any(lacking) {
        plan = plan.program_pass(stages.clone());
    }
    let has_outputs = |s: &Shader| !matches!(s.stage, Stage::Compute | Stage::Task | Stage::TessControl);
    if shaders.iter().any(has_outputs) {
        plan = plan.program_pass(MatchInterfaces { previous: options.previous.clone() });
    }
    if plan.steps().is_empty() {
        return plan;
    }
    plan.cleaned_up_by(pipeline(options.level, Form::Slots).clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn presets_parse() {
        for level in [OptLevel::O0, OptLevel::O2] {
            for form in [Form::Variables, Form::Slots, Form::Target] {
                assert!(!pipeline(level, form).steps().is_empty());
            }
        }
    }

    #[test]
    fn a_plan_is_text() {
        let shaders = [Shader::new("v", Stage::Vertex), Shader::new("g", Stage::Geometry)];
        let options = PlanOptions {
            level: OptLevel::O0,
            distances: LowerDistances { planes: 5, ..LowerDistances::default() },
            stages: LowerStages { first_provokes: false, ..LowerStages::default() },
            ..PlanOptions::default()
        };
        let text = compile_plan(&shaders, &options).to_string();
        let head = "lower_distances{planes=5}, lower_variable_initializers, lower_shared_initializers, ";
        assert!(text.starts_with(head), "{text}");
        let group = "group(on{stages=vertex}(lower_draw_parameters), lower_stages{first_provokes=false}, match_interfaces) then(";
        assert!(text.contains(group), "{text}");
        let again = Pipeline::parse_with(&text, registry()).map(|p| p.to_string());
        assert_eq!(again, Ok(text));
    }
}
