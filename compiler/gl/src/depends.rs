//! The state that a program depends on.
//!
//! A field matters to a stage if a pass that lowers it changes the stage's code: the passes themselves are asked, on a copy of
//! the code, with one field at a time.

use crate::code::StageCode;
use crate::expand::FIELDS;
use crate::program::Program;
use crate::state::{
    Attachment, BlendEquation, CaptureStep, CompareFunc, FogMode, FormatKind, LogicOp, PointSize, StateFlags,
    StateKey, StateMask, VertexFormat,
};
use crate::state_steps::state_steps;
use airfoil::ir::{Shader, Stage};
use airfoil::passes::Pipeline;
use airfoil::passes::manager::Manager;
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

/// A format that changes every attribute of floats.
const FIXED: VertexFormat = VertexFormat { kind: FormatKind::Fixed, components: 1 };

/// Fields with values, one of which changes every shader that the field's pass concerns.
static PROBES: LazyLock<Vec<(StateMask, StateKey)>> = LazyLock::new(probes);

fn probes() -> Vec<(StateMask, StateKey)> {
    let flag = |name: &str, flag: StateFlags| {
        let mask = StateMask::from_name(name).unwrap_or_default();
        (mask, StateKey { flags: flag, ..StateKey::default() })
    };
    let mut probes: Vec<_> = StateFlags::all().iter_names().map(|(name, f)| flag(name, f)).collect();
    // These two qualify other fields.
    let depth = StateKey { fog: FogMode::Linear, flags: StateFlags::FOG_DEPTH, ..StateKey::default() };
    probes.push((StateMask::FOG_DEPTH, depth));
    let corner = StateFlags::POINT_LOWER_LEFT;
    let corner = StateKey { coord_replace: 0xff, flags: corner, ..StateKey::default() };
    probes.push((StateMask::POINT_LOWER_LEFT, corner));
    let points = |point_size| StateKey { point_size, ..StateKey::default() };
    probes.extend([
        (StateMask::CLIP_ENABLE, StateKey::default()),
        (StateMask::POINT_SIZE, points(PointSize::None)),
        (StateMask::POINT_SIZE, points(PointSize::Shader)),
        (StateMask::POINT_SIZE, points(PointSize::State)),
        (StateMask::COLOR_ATTACHMENTS, StateKey { color_attachments: 8, ..StateKey::default() }),
        (StateMask::ALPHA_FUNC, StateKey { alpha_func: CompareFunc::Less, ..StateKey::default() }),
        (StateMask::FOG, StateKey { fog: FogMode::Linear, ..StateKey::default() }),
        (StateMask::COORD_REPLACE, StateKey { coord_replace: 0xff, ..StateKey::default() }),
        (StateMask::CLIP_PLANES, StateKey { clip_planes: 1, ..StateKey::default() }),
    ]);
    probes.push((StateMask::BLEND, StateKey { blend: BlendEquation::Multiply, ..StateKey::default() }));
    let combine = |kind| StateKey { logic_op: LogicOp::Xor, attachments: [kind; 8], ..StateKey::default() };
    probes.push((StateMask::LOGIC_OP, combine(Attachment::Unorm8)));
    probes.extend([
        (StateMask::GL_CLAMP, StateKey { gl_clamp: [u32::MAX; 3], ..StateKey::default() }),
        (StateMask::NONSEAMLESS, StateKey { nonseamless: u32::MAX, ..StateKey::default() }),
        (StateMask::COMPARE_OFF, StateKey { compare_off: u32::MAX, ..StateKey::default() }),
        (StateMask::DEPTH_MODES, StateKey { depth_modes: [u32::MAX, 0, 0], ..StateKey::default() }),
        (StateMask::VERTEX_FORMATS, StateKey { vertex_formats: [FIXED; 32], ..StateKey::default() }),
    ]);
    // An output depends on the kind of its attachment if it has another type than one of two kinds.
    let kinds = |kind| StateKey { attachments: [kind; 8], ..StateKey::default() };
    probes.extend([Attachment::Float, Attachment::Int].map(|kind| (StateMask::ATTACHMENTS, kinds(kind))));
    probes
}

/// Which fields each stage is known to depend on, or not to.
#[derive(Debug, Default)]
pub(crate) struct Depends(Mutex<Vec<Known>>);

#[derive(Clone, Copy, Debug, Default)]
struct Known {
    asked: StateMask,
    depends: StateMask,
}

impl Depends {
    /// All is known: the fields that each stage depends on.
    pub fn known(stages: impl IntoIterator<Item = StateMask>) -> Depends {
        let known = |depends| Known { asked: StateMask::all(), depends };
        Depends(Mutex::new(stages.into_iter().map(known).collect()))
    }

    fn of(&self, stage: usize) -> Known {
        self.lock().get(stage).copied().unwrap_or_default()
    }

    fn add(&self, stage: usize, asked: StateMask, depends: StateMask) {
        let mut all = self.lock();
        if all.len() <= stage {
            all.resize(stage + 1, Known::default());
        }
        all[stage].asked |= asked;
        all[stage].depends |= depends;
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Known>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Program {
    /// The fields of a key that can change the code of any stage.
    pub fn depends_on(&self) -> StateMask {
        together(self.alone(None, StateMask::all()))
    }

    /// The fields of a key that can change the code of a stage.
    pub fn stage_depends_on(&self, stage: Stage) -> StateMask {
        together(self.alone(Some(stage), StateMask::all()))
    }

    /// The key with everything reset that cannot change the code of the program.
    pub fn canonical(&self, key: &StateKey) -> StateKey {
        canonical(self, None, key)
    }

    /// The key with everything reset that cannot change the code of a stage: the key of a cache of functions.
    pub fn stage_canonical(&self, stage: Stage, key: &StateKey) -> StateKey {
        canonical(self, Some(stage), key)
    }

    /// Those of some fields that change the code of a stage, or of any, if all others have their defaults.
    pub(crate) fn alone(&self, stage: Option<Stage>, asked: StateMask) -> StateMask {
        let Some(stage) = stage else {
            let stages = 0..self.stages().count();
            return stages.fold(StateMask::empty(), |all, n| all | self.nth_alone(n, asked));
        };
        let n = self.stages().position(|s| s == stage);
        // The geometry stage of a draw depends on the stage before it.
        let last = || self.stages().position(|s| self.is_last_vertex_stage(s));
        let n = n.or_else(|| last().filter(|_| stage == Stage::Geometry));
        n.map_or(StateMask::empty(), |n| self.nth_alone(n, asked))
    }

    fn nth_alone(&self, n: usize, asked: StateMask) -> StateMask {
        let known = self.depends.of(n);
        let unknown = asked - known.asked;
        if unknown.is_empty() {
            return known.depends & asked;
        }
        let Some(code) = self.code().get(n) else { return StateMask::empty() };
        let found = mask(self, code, unknown);
        self.depends.add(n, unknown, found);
        (known.depends | found) & asked
    }
}

/// A field whose pass changes code that the passes for other fields add: the field, these fields, and whether a key has one
/// of them.
type Dependence = (StateFlags, StateMask, fn(&StateKey) -> bool);

const DEPENDENCES: [Dependence; 5] = [
    (StateFlags::FLIP_WINDOW, StateMask::POLYGON_STIPPLE.union(StateMask::COORD_REPLACE), |key| {
        key.flags.contains(StateFlags::POLYGON_STIPPLE) || key.coord_replace != 0
    }),
    (StateFlags::FLIP_FACE, StateMask::TWO_SIDED_COLORS, |key| {
        key.flags.contains(StateFlags::TWO_SIDED_COLORS)
    }),
    (StateFlags::CLAMP_FRAGMENT_COLORS, StateMask::FOG, |key| key.fog != FogMode::None),
    (StateFlags::SAMPLE_SHADING, StateMask::FOG, |key| key.fog != FogMode::None),
    (StateFlags::RASTERIZER_DISCARD, StateMask::CAPTURE_STEP, |key| key.capture_step == CaptureStep::Write),
];

/// The mask bit of a flag.
fn bit(flag: StateFlags) -> StateMask {
    StateMask::from_bits_truncate(flag.bits().into())
}

/// The fields that change the code in some key.
fn together(alone: StateMask) -> StateMask {
    let added = DEPENDENCES.iter().filter(|(_, others, _)| alone.intersects(*others));
    added.fold(alone, |mask, (flag, ..)| mask | bit(*flag))
}

/// Those of some fields that a stage depends on.
fn mask(program: &Program, code: &StageCode, asked: StateMask) -> StateMask {
    let (mut mask, mut copy) = (StateMask::empty(), None);
    for (field, key) in PROBES.iter() {
        if asked.contains(*field) && !mask.contains(*field) && changes(program, code, *field, key, &mut copy)
        {
            mask |= *field;
        }
    }
    if program.facts().reads_uniforms(code.stage) {
        mask |= StateMask::INLINED;
    }
    if program.facts().reads_planar(code.stage) {
        mask |= StateMask::EXTERNAL_PLANES;
    }
    if program.facts().reads_cubes(code.stage) {
        mask |= StateMask::GL_CLAMP;
    }
    if program.facts().captured_stage == Some(Stage::Vertex) && code.stage == Stage::Vertex {
        mask |= StateMask::CAPTURE_STEP | StateMask::INDEX_BITS;
    }
    // Edge flags are an attribute that state adds.
    if code.stage == Stage::Vertex && (program.facts().reads_attributes() || !program.needs_stages()) {
        mask |= StateMask::PULLED | StateMask::VERTEX_FORMATS;
    }
    let has_geometry = program.facts().has_geometry();
    // A geometry stage that a draw adds is lowered together with all stages before it.
    if code.stage == Stage::Fragment || !has_geometry || program.is_last_vertex_stage(code.stage) {
        mask |= FIELDS;
    }
    if !has_geometry && code.stage != Stage::Fragment {
        mask |= StateMask::INDEX_BITS | StateMask::FIRST_PROVOKES;
    }
    if program.needs_stages() && code.stage != Stage::Fragment {
        mask |= StateMask::PATCH_VERTICES | StateMask::INDEX_BITS;
        if has_geometry {
            mask |= StateMask::FIRST_PROVOKES;
        }
        if program.is_last_vertex_stage(code.stage) {
            mask |= StateMask::CAPTURE_STEP;
        }
    }
    mask & asked
}

/// Whether the passes for a field of a key change a stage. A pass that fails depends on the state, too: the variant reports the
/// error. A copy of the code that they did not change is left in `copy`, for the next field.
fn changes(
    program: &Program,
    code: &StageCode,
    field: StateMask,
    key: &StateKey,
    copy: &mut Option<Shader>,
) -> bool {
    let Ok(steps) = state_steps(program, code.stage, key) else { return true };
    let steps: Vec<_> = steps.into_iter().filter(|s| s.0.intersects(field)).map(|s| s.1).collect();
    if steps.is_empty() {
        return false;
    }
    let mut shader = copy.take().unwrap_or_else(|| code.shader.clone());
    let changes = Manager::default().run(&Pipeline::of_steps(steps), &mut shader);
    let changed = changes.map_or(true, |changes| changes.is_progress());
    if !changed {
        *copy = Some(shader);
    }
    changed
}

/// The key with the fields only that the program, or a stage, depends on, and values that mean the same for it at their
/// defaults.
fn canonical(program: &Program, stage: Option<Stage>, key: &StateKey) -> StateKey {
    let key = StateKey { clip_enable: key.clip_enable & program.clip_distances(), ..*key };
    // To ask for all fields takes longer than to make a function.
    let fields = key.fields();
    let others = DEPENDENCES.iter().filter(|(flag, ..)| fields.contains(bit(*flag)));
    let asked = others.fold(fields, |asked, (_, others, _)| asked | *others);
    let alone = program.alone(stage, asked);
    let mut key = key.masked(together(alone));
    program.facts().canonical(stage, &mut key);
    for (flag, _, applies) in DEPENDENCES {
        if !alone.contains(bit(flag)) && !applies(&key) {
            key.flags.remove(flag);
        }
    }
    key
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::{LineMode, PolygonKind, PolygonMode};

    #[test]
    fn fields_are_those_that_a_mask_keeps() {
        let default = StateKey::default();
        assert_eq!(default.fields(), StateMask::empty());
        let others = [
            StateKey { patch_vertices: 5, index_bits: 16, instanced: 3, ..default },
            StateKey { pulled: 3, external_planes: [1, 0], capture_step: CaptureStep::Write, ..default },
            StateKey { inlined_count: 2, color_attachments: 0, clip_enable: 1, ..default },
            StateKey { lines: LineMode::Aliased, polygon_mode: PolygonMode::Lines, ..default },
            StateKey { polygons: PolygonKind::Quads, ..default },
        ];
        let keys: Vec<StateKey> = PROBES.iter().map(|p| p.1).chain(others).collect();
        let mut all = StateMask::empty();
        for key in keys {
            for (name, field) in StateMask::all().iter_names() {
                let kept = key.masked(field) != default;
                assert_eq!(key.fields().contains(field), kept, "{name} of {key:?}");
            }
            all |= key.fields();
        }
        assert_eq!(all, StateMask::all());
    }
}
