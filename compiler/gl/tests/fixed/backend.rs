//! Generated shaders pass through the optimization and the AIR backend.

use crate::state::{Random, State};
use airfoil::air::compile::{emit, lower};
use airfoil::air::lint;
use airfoil::air::plan::{PlanOptions, compile_plan};
use airfoil::ir::text;
use airfoil::passes::presets::OptLevel;
use airfoil::passes::{Manager, manager};
use airfoil_gl::fixed::{UnitTarget, fragment, vertex};

#[test]
fn generated_shaders_compile_to_air() {
    let targets: Vec<UnitTarget> = UnitTarget::all().collect();
    for n in 0..60 {
        let mut r = Random(n);
        let mut state = State::random(&mut r);
        for unit in state.units.iter_mut().filter(|unit| unit.target != UnitTarget::None) {
            unit.target = r.pick(&targets);
        }
        for fixed in [vertex(&state.vertex_key()), fragment(&state.fragment_key())] {
            let level = if n % 4 == 0 { OptLevel::O0 } else { OptLevel::O2 };
            let mut shaders = [fixed.shader];
            let options = PlanOptions { level, ..PlanOptions::default() };
            let plan = compile_plan(&shaders, &options);
            let mut manager =
                Manager::new(manager::Options { validate: true, ..manager::Options::default() });
            let layouts = lower(&mut shaders, &plan, &options, &mut manager);
            let layouts = layouts.unwrap_or_else(|e| panic!("{n}: {e:?}"));
            let selected = emit(&shaders, layouts, &Default::default());
            let selected = selected.unwrap_or_else(|e| panic!("{n}: {e:?}"));
            for stage in &selected {
                let found = lint::errors(&stage.module);
                assert!(found.is_empty(), "{n}: {found:?}\n{}", text::print(&shaders[0]));
            }
        }
    }
}

#[test]
fn the_text_form_reads_back() {
    for n in 0..20 {
        let state = State::random(&mut Random(n));
        for fixed in [vertex(&state.vertex_key()), fragment(&state.fragment_key())] {
            let first = text::print(&fixed.shader);
            let parsed = text::parse(&first).unwrap_or_else(|e| panic!("{e:?}\n{first}"));
            assert_eq!(text::print(&parsed), first);
        }
    }
}
