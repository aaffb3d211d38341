//! Lines, points and polygons that Metal does not rasterise: a mesh function draws other primitives.
//!
//! A program whose last stage before rasterisation is a geometry shader gets the passes in this stage; for others a geometry
//! shader is made that passes their primitives on.

use crate::facts::Facts;
use crate::state::{
    CaptureStep, LineMode, PointSize, PolygonKind, PolygonMode, StateFlags, StateKey, StateMask,
};
use airfoil::ir::{Diagnostic, Interpolation, IntrinsicOp, Modes, Primitive, Shader, Slot, Stage};
use airfoil::passes::PassStep;
use airfoil::passes::gl::expand_lines::ExpandLines;
use airfoil::passes::gl::expand_polygons::ExpandPolygons;
use airfoil::passes::stages::passthrough_geometry::{Passthrough, passthrough_geometry};
use airfoil::passes::stages::stage_buffer::{Part, RecordLayout};

/// The fields that choose the primitives.
pub(crate) const FIELDS: StateMask = StateMask::LINES
    .union(StateMask::POLYGON_MODE)
    .union(StateMask::POLYGONS)
    .union(StateMask::LINE_STIPPLE)
    .union(StateMask::LINE_STRIP)
    .union(StateMask::EDGE_FLAGS)
    .union(StateMask::SMOOTH_POINTS);

/// The primitives that reach rasterisation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Drawn {
    /// Those of the draw.
    #[default]
    OfDraw,
    /// Points.
    Points,
    /// Lines.
    Lines,
    /// Triangles.
    Triangles,
}

impl Drawn {
    /// The primitives of the last stage before rasterisation.
    pub fn of(last: &Shader) -> Drawn {
        let info = &last.info;
        match last.stage {
            Stage::Geometry | Stage::Mesh => match info.output_primitive {
                Primitive::Points => Drawn::Points,
                Primitive::LineStrip | Primitive::Lines => Drawn::Lines,
                _ => Drawn::Triangles,
            },
            Stage::TessEval if info.point_mode => Drawn::Points,
            Stage::TessEval if info.input_primitive == Primitive::Isolines => Drawn::Lines,
            Stage::TessEval => Drawn::Triangles,
            _ => Drawn::OfDraw,
        }
    }
}

/// Facts about the interface to the fragment stage.
#[derive(Clone, Debug)]
pub(crate) struct Varyings {
    /// Generic locations that are free: for lines, and for the face.
    free: [u32; 2],
    /// Slots of the fragment stage that are not interpolated.
    flat: RecordLayout,
    /// The fragment stage reads the index of the primitive, which the stage before it does not write.
    primitive_id: bool,
    /// The fragment stage reads the face.
    pub face: bool,
}

impl Default for Varyings {
    fn default() -> Varyings {
        Varyings { free: [0, 1], flat: RecordLayout::default(), primitive_id: false, face: false }
    }
}

impl Varyings {
    /// Those of the stages on both sides of rasterisation.
    pub fn of(last: &Shader, fragment: Option<&Shader>) -> Varyings {
        let mut used = RecordLayout::of(last, Modes::OUT, Part::Vertex);
        let mut varyings = Varyings::default();
        if let Some(fragment) = fragment {
            used = used.union(&RecordLayout::of(fragment, Modes::IN, Part::Vertex));
            let inputs = || fragment.vars.values().filter(|v| v.mode == Modes::IN);
            let flat = inputs().filter(|v| v.interpolation == Interpolation::Flat);
            let slots = flat.flat_map(|v| {
                let count = fragment.types.num_slots(v.ty);
                (0..count).filter_map(|n| v.location?.offset(n))
            });
            varyings.flat = RecordLayout::new(slots);
            let mut reads_id = inputs().any(|v| v.location == Some(Slot::PRIMITIVE_ID));
            for (_, instr) in fragment.entry_body().into_iter().flat_map(|body| body.entries()) {
                let op = instr.as_intrinsic().map(|i| i.op);
                reads_id |= op == Some(IntrinsicOp::load_primitive_id);
                varyings.face |= op == Some(IntrinsicOp::load_front_face);
            }
            varyings.primitive_id = reads_id && last.stage != Stage::Geometry;
        }
        let is_free = |n: &u32| Slot::generic(*n).is_some_and(|slot| used.offset(slot).is_none());
        for (place, n) in varyings.free.iter_mut().zip((0..u32::from(Slot::NUM_GENERIC)).filter(is_free)) {
            *place = n;
        }
        varyings
    }

    /// The generic location of the face.
    pub fn face_slot(&self) -> u32 {
        self.free[1]
    }

    /// The generic location of the distances in a line.
    pub fn line_slot(&self) -> u32 {
        self.free[0]
    }
}

impl StateKey {
    /// Whether a mesh function draws other primitives than those that reach it.
    pub(crate) fn expands(&self) -> bool {
        self.lines != LineMode::Native
            || self.polygon_mode != PolygonMode::Native
            || self.flags.contains(StateFlags::LINE_STIPPLE)
    }

    /// Whether the fragments of lines depend on the distances in them.
    pub(crate) fn has_line_fragments(&self) -> bool {
        self.lines == LineMode::Smooth || self.flags.contains(StateFlags::LINE_STIPPLE)
    }

    fn draw_native(&mut self) {
        (self.lines, self.polygon_mode) = (LineMode::Native, PolygonMode::Native);
        self.flags.remove(StateFlags::LINE_STIPPLE);
    }
}

/// Resets fields that mean nothing for the primitives of a program, and for the code of a stage.
pub(crate) fn canonical(facts: &Facts, stage: Option<Stage>, key: &mut StateKey) {
    match facts.drawn {
        Drawn::Points => key.draw_native(),
        Drawn::Lines => key.polygon_mode = PolygonMode::Native,
        Drawn::Triangles if key.polygon_mode == PolygonMode::Native => key.draw_native(),
        Drawn::OfDraw | Drawn::Triangles => {}
    }
    let is_captured = key.capture_step != CaptureStep::None;
    // A fragment stage implies rasterisation.
    let is_fragment = stage == Some(Stage::Fragment);
    let is_drawn = is_fragment || !(is_captured || key.flags.contains(StateFlags::RASTERIZER_DISCARD));
    if !is_drawn {
        key.draw_native();
    }
    if key.polygon_mode == PolygonMode::Points {
        key.lines = LineMode::Native;
        key.flags.remove(StateFlags::LINE_STIPPLE);
    }
    let stipple = key.flags.contains(StateFlags::LINE_STIPPLE);
    if stipple && key.lines == LineMode::Native {
        key.lines = LineMode::Aliased;
    }
    let of_draw = facts.drawn == Drawn::OfDraw;
    if !of_draw || key.polygon_mode == PolygonMode::Native {
        key.flags.remove(StateFlags::EDGE_FLAGS);
        key.polygons = PolygonKind::Triangles;
    }
    if !(of_draw && stipple && key.polygon_mode == PolygonMode::Native) {
        key.flags.remove(StateFlags::LINE_STRIP);
    }
    let is_polygon = key.polygon_mode == PolygonMode::Points;
    let draws_points = match facts.drawn {
        Drawn::Points => true,
        Drawn::Lines => false,
        Drawn::Triangles => is_polygon,
        // The fragment stage does not know the primitive.
        Drawn::OfDraw => is_polygon || stage != Some(Stage::Vertex) || key.point_size != PointSize::None,
    };
    if !draws_points || !is_drawn {
        key.flags.remove(StateFlags::SMOOTH_POINTS);
    }
    if !key.expands() {
        if !facts.has_geometry() && !facts.needs_geometry {
            key.flags.remove(StateFlags::FIRST_PROVOKES);
        }
        if !facts.has_lacking_stages && !is_captured {
            key.index_bits = 0;
        }
    }
    match stage {
        Some(Stage::Vertex) if of_draw && key.expands() => canonical_vertex(key),
        Some(Stage::Fragment) => canonical_fragment(facts, key),
        _ => {}
    }
}

/// A vertex stage becomes a kernel, whatever its primitives are.
fn canonical_vertex(key: &mut StateKey) {
    let has_edge_flags = key.flags.contains(StateFlags::EDGE_FLAGS);
    key.draw_native();
    match has_edge_flags {
        true => key.polygon_mode = PolygonMode::Lines,
        false => key.lines = LineMode::Aliased,
    }
    key.flags.remove(StateFlags::LINE_STRIP | StateFlags::FIRST_PROVOKES);
    key.polygons = PolygonKind::Triangles;
}

/// A fragment stage knows whether lines are smooth or have a pattern, and where the face comes from.
fn canonical_fragment(facts: &Facts, key: &mut StateKey) {
    key.flags.remove(StateFlags::LINE_STRIP | StateFlags::EDGE_FLAGS | StateFlags::FIRST_PROVOKES);
    key.polygons = PolygonKind::Triangles;
    key.index_bits = 0;
    if !key.expands() {
        return;
    }
    key.flags.remove(StateFlags::FLIP_FACE);
    let reads_face = facts.varyings.face || key.flags.contains(StateFlags::TWO_SIDED_COLORS);
    if !key.has_line_fragments() {
        key.lines = LineMode::Native;
        key.polygon_mode = match (reads_face, key.polygon_mode) {
            (false, _) | (true, PolygonMode::Native) => PolygonMode::Native,
            (true, PolygonMode::Lines | PolygonMode::Points) => PolygonMode::Points,
        };
        if reads_face && key.polygon_mode == PolygonMode::Native {
            key.lines = LineMode::Aliased;
        }
        return;
    }
    if key.lines != LineMode::Smooth {
        key.lines = LineMode::Aliased;
    }
    if !reads_face {
        key.polygon_mode = PolygonMode::Native;
    }
}

/// The outputs that have the value of the provoking vertex.
fn flat(facts: &Facts, key: &StateKey) -> RecordLayout {
    let flat = facts.varyings.flat.clone();
    if !key.flags.contains(StateFlags::FLAT_COLORS) {
        return flat;
    }
    flat.union(&RecordLayout::new([Slot::COLOR0, Slot::COLOR1, Slot::BACK_COLOR0, Slot::BACK_COLOR1]))
}

/// The geometry shader of draws in the default state by a program that tessellates to isolines or points.
pub(crate) fn default_geometry(last: &Shader, fragment: Option<&Shader>) -> Result<Shader, Vec<Diagnostic>> {
    geometry(last, Drawn::of(last), &Varyings::of(last, fragment), &StateKey::default())
}

/// The geometry shader of a draw by a program without one, after a stage that has its outputs.
pub(crate) fn geometry(
    before: &Shader,
    drawn: Drawn,
    varyings: &Varyings,
    key: &StateKey,
) -> Result<Shader, Vec<Diagnostic>> {
    let is_polygon = key.polygon_mode != PolygonMode::Native;
    let primitive = match drawn {
        Drawn::OfDraw if is_polygon => Primitive::Triangles,
        Drawn::OfDraw | Drawn::Lines => Primitive::Lines,
        Drawn::Points => Primitive::Points,
        Drawn::Triangles => Primitive::Triangles,
    };
    let options = Passthrough {
        primitive,
        polygons: key.polygons,
        first_provokes: key.flags.contains(StateFlags::FIRST_PROVOKES),
        primitive_id: varyings.primitive_id,
    };
    passthrough_geometry(before, &options)
}

/// The passes that change the primitives of a geometry shader.
pub(crate) fn steps(geometry: &Shader, facts: &Facts, key: &StateKey) -> Vec<PassStep> {
    let flat = flat(facts, key);
    let first_provokes = key.flags.contains(StateFlags::FIRST_PROVOKES);
    let mut steps = Vec::new();
    if key.polygon_mode != PolygonMode::Native {
        let points = key.polygon_mode == PolygonMode::Points;
        let slot = facts.varyings.face_slot();
        let pass = ExpandPolygons { points, slot, flat: flat.clone(), first_provokes };
        steps.push(PassStep::new(Box::new(pass)));
    }
    if key.lines != LineMode::Native || key.flags.contains(StateFlags::LINE_STIPPLE) {
        steps.push(PassStep::new(Box::new(ExpandLines {
            rectangle: key.lines == LineMode::Rectangle,
            smooth: key.lines == LineMode::Smooth,
            slot: if key.has_line_fragments() {
                facts.varyings.line_slot()
            } else {
                ExpandLines::default().slot
            },
            continues: key.flags.contains(StateFlags::LINE_STRIP),
            record: RecordLayout::of(geometry, Modes::IN, Part::Vertex).record_bytes(),
            flat,
            first_provokes,
        })));
    }
    steps
}
