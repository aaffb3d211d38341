//! Sample programs pass through the optimisation and the AIR backend.

use crate::support::program;
use airfoil_air::compile::{emit, lower};
use airfoil_air::lint;
use airfoil_air::plan::{PlanOptions, compile_plan};
use airfoil_ir::text;
use airfoil_passes::presets::OptLevel;
use airfoil_passes::{Manager, manager};

/// Names and texts of programs that use the whole language between them.
pub const SAMPLES: &[(&str, &str)] = &[
    ("lighting", include_str!("../samples/lighting.vp")),
    ("skinning", include_str!("../samples/skinning.vp")),
    ("invariant", include_str!("../samples/invariant.vp")),
    ("instructions", include_str!("../samples/instructions.vp")),
    ("bump", include_str!("../samples/bump.fp")),
    ("shadow", include_str!("../samples/shadow.fp")),
    ("buffers", include_str!("../samples/buffers.fp")),
    ("instructions", include_str!("../samples/instructions.fp")),
];

#[test]
fn samples_compile_to_air() {
    for (name, text) in SAMPLES {
        for level in [OptLevel::O0, OptLevel::O2] {
            let program = program(text);
            let mut shaders = [program.shader];
            let options = PlanOptions { level, ..PlanOptions::default() };
            let plan = compile_plan(&shaders, &options);
            let mut manager =
                Manager::new(manager::Options { validate: true, ..manager::Options::default() });
            let layouts = lower(&mut shaders, &plan, &options, &mut manager);
            let layouts = layouts.unwrap_or_else(|e| panic!("{name}: {e:?}"));
            let selected = emit(&shaders, layouts, &Default::default());
            let selected = selected.unwrap_or_else(|e| panic!("{name}: {e:?}"));
            for stage in &selected {
                let found = lint::errors(&stage.module);
                assert!(found.is_empty(), "{name}: {found:?}\n{}", text::print(&shaders[0]));
            }
        }
    }
}

#[test]
fn reading_is_deterministic() {
    for (_, sample) in SAMPLES {
        let print = || text::print(&program(sample).shader);
        let first = print();
        assert_eq!(first, print());
        // The text form reads back.
        let parsed = text::parse(&first).unwrap_or_else(|e| panic!("{e:?}\n{first}"));
        assert_eq!(text::print(&parsed), first);
    }
}
