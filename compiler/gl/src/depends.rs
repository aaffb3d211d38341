//! The state that a program depends on.
//!
//! A field matters to a stage if a pass that lowers it changes the stage's code: the passes themselves are asked, on a copy of
//! the code, with one field at a time.

use crate::program::{Program, StageCode};
use crate::state::{PointSize, StateFlags, StateKey, StateMask};
use crate::variant::state_steps;
use airfoil::ir::Stage;
use airfoil::passes::Pipeline;
use airfoil::passes::manager::Manager;

/// Fields with values, one of which changes every shader that the field's pass concerns.
fn probes() -> Vec<(StateMask, StateKey)> {
    let flag = |name: &str, flag: StateFlags| {
        let mask = StateMask::from_name(name).unwrap_or_default();
        (mask, StateKey { flags: flag, ..StateKey::default() })
    };
    let mut probes: Vec<_> = StateFlags::all().iter_names().map(|(name, f)| flag(name, f)).collect();
    let points = |point_size| StateKey { point_size, ..StateKey::default() };
    probes.extend([
        (StateMask::CLIP_ENABLE, StateKey::default()),
        (StateMask::POINT_SIZE, points(PointSize::None)),
        (StateMask::POINT_SIZE, points(PointSize::Shader)),
        (StateMask::COLOR_ATTACHMENTS, StateKey { color_attachments: 8, ..StateKey::default() }),
    ]);
    probes
}

impl Program {
    /// The fields of a key that can change the code of any stage.
    pub fn depends_on(&self) -> StateMask {
        self.masks().iter().fold(StateMask::empty(), |all, &mask| all | mask)
    }

    /// The fields of a key that can change the code of a stage.
    pub fn stage_depends_on(&self, stage: Stage) -> StateMask {
        let n = self.stages().position(|s| s == stage);
        n.map_or(StateMask::empty(), |n| self.masks()[n])
    }

    /// The key with everything reset that cannot change the code of the program.
    pub fn canonical(&self, key: &StateKey) -> StateKey {
        canonical(self, self.depends_on(), key)
    }

    /// The key with everything reset that cannot change the code of a stage: the key of a cache of functions.
    pub fn stage_canonical(&self, stage: Stage, key: &StateKey) -> StateKey {
        canonical(self, self.stage_depends_on(stage), key)
    }

    fn masks(&self) -> &[StateMask] {
        self.depends.get_or_init(|| masks(self))
    }
}

/// The fields that each stage depends on.
fn masks(program: &Program) -> Vec<StateMask> {
    let probes = probes();
    program.code().iter().map(|code| mask(program, code, &probes)).collect()
}

fn mask(program: &Program, code: &StageCode, probes: &[(StateMask, StateKey)]) -> StateMask {
    let mut mask = StateMask::empty();
    for &(field, key) in probes {
        if !mask.contains(field) && changes(program, code, field, &key) {
            mask |= field;
        }
    }
    if program.needs_stages() && code.stage != Stage::Fragment {
        mask |= StateMask::PATCH_VERTICES | StateMask::INDEX_BITS;
        if program.stages().any(|s| s == Stage::Geometry) {
            mask |= StateMask::FIRST_PROVOKES;
        }
    }
    mask
}

/// Whether the passes for a field of a key change a stage. A pass that fails depends on the state, too: the variant reports the error.
fn changes(program: &Program, code: &StageCode, field: StateMask, key: &StateKey) -> bool {
    let Ok(steps) = state_steps(program, code.stage, key) else { return true };
    let steps: Vec<_> = steps.into_iter().filter(|s| s.0.intersects(field)).map(|s| s.1).collect();
    if steps.is_empty() {
        return false;
    }
    let mut shader = code.shader.clone();
    let changes = Manager::default().run(&Pipeline::of_steps(steps), &mut shader);
    changes.map_or(true, |changes| changes.is_progress())
}

/// The key with the fields of a mask only, and of the clip distances those that the program writes.
fn canonical(program: &Program, mask: StateMask, key: &StateKey) -> StateKey {
    let clip_enable = key.clip_enable & program.clip_distances();
    StateKey { clip_enable, ..*key }.masked(mask)
}
