//! Moves vertices that clip or cull distances clip out of the view volume: exact for points, otherwise approximate.
//!
//! Requires and preserves form `variables`. Preserves control flow, including all blocks. For devices that have no
//! clip distances and where the discard of [`clip_distances_to_discard`](crate::gl::clip_distances_to_discard), which
//! is exact, is not possible. Run it once on the last stage before rasterisation, after
//! [`clip_distances_to_varyings`](crate::gl::clip_distances_to_varyings) if a fragment shader reads the distances, and
//! then [`remove_distances`](crate::gl::remove_distances). At each exit, or before each emitted vertex, the final values
//! of the distances decide, in whichever order and parts they and the position were stored. `mode` is required:
//!
//! * `points`: **exact** for points. A vertex with a negative clip or cull distance gets the position `w = -1`, which
//!   is outside of the view volume, `-w <= x <= w`, whatever x is.
//! * `whole_primitive`: **approximate** for lines and triangles. Primitives with all vertices inside of all planes are
//!   drawn as before, and those with all vertices outside of one plane are not drawn; points are exact. A primitive that
//!   straddles a plane is not cut at the plane: its vertices outside move, so its visible part and its attributes are
//!   wrong. One plane moves vertices to `w = -1`. Several planes must not act as one, because a primitive whose
//!   vertices are outside of different planes can be visible: plane `i` moves vertices beyond the side `i modulo 4` (left,
//!   right, lower, upper) of the view volume, so only planes that share a side act as one. Cull distances have no effect,
//!   since they must never deform a primitive; use
//!   [`cull_distances_to_varyings`](crate::gl::cull_distances_to_varyings).
//!
//! A NaN does not clip. `enabled`, `set` and `binding` are those of `clip_distances_to_discard`.
//!
//! Source: clip distances on devices without them in SPIR-V translators, which set `w = -1` after each store of a
//! distance.
//!
//! ```foil-example (mode=points)
//! foil 1
//! shader vertex "t" {
//!   form variables
//!   in vec4 p location=0
//!   out vec4 position location=position
//!   out float[1] clip location=clip_dist0
//!   entry fn main {
//!     %p = deref_var &p
//!     32x4 %0 = load_deref %p
//!     %o = deref_var &position
//!     store_deref %o, %0
//!     %c = deref_var &clip
//!     32x1 %1 = const 0
//!     %2 = deref_array %c[%1]
//!     32x1 %3 = mov %0.x
//!     store_deref %2, %3
//!   }
//! }
//! =>
//! foil 1
//! shader vertex "t" {
//!   form variables
//!   in vec4 p location=0
//!   out vec4 position location=position
//!   out float[1] clip location=clip_dist0
//!   entry fn main {
//!     %p = deref_var &p
//!     32x4 %0 = load_deref %p
//!     %o = deref_var &position
//!     store_deref %o, %0
//!     %c = deref_var &clip
//!     32x1 %1 = const 0
//!     %2 = deref_array %c[%1]
//!     32x1 %3 = mov %0.x
//!     store_deref %2, %3
//!     32x1 %4 = const 0
//!     %5 = deref_var &clip
//!     32x1 %6 = const 0
//!     %7 = deref_array %5[%6]
//!     32x1 %8 = load_deref %7
//!     1x1 %9 = flt! %8, %4
//!     %10 = deref_var &position
//!     32x4 %11 = load_deref %10
//!     32x1 %12 = mov! %11.w
//!     32x1 %13 = const -1.0
//!     32x1 %14 = bcsel! %9, %13, %12
//!     32x4 %15 = vec4! %11.x, %11.y, %11.z, %14
//!     store_deref %10, %15
//!   }
//! }
//! ```

use crate::pass::OptionValue;
use crate::util::distance_enables::{Enables, NO_BINDING, either};
use crate::util::distances::named;
use crate::util::outputs::{expect_floats, is_named, output_at, output_points};
use crate::{Changes, Context, Pass, PassInfo, Results, pass_options};
use airfoil_ir::{AluFlags, Builder, Diagnostic, Form, InstrId, Modes, Shader, Slot, Src, Stage, Ty};

/// For which primitives the position is changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PositionMode {
    /// None is chosen.
    #[default]
    Unset,
    /// Points; exact.
    Points,
    /// Lines and triangles; approximate.
    WholePrimitive,
}

impl OptionValue for PositionMode {
    fn parse(text: &str) -> Result<PositionMode, String> {
        match text {
            "unset" => Ok(PositionMode::Unset),
            "points" => Ok(PositionMode::Points),
            "whole_primitive" => Ok(PositionMode::WholePrimitive),
            _ => Err(format!("expected points or whole_primitive, found `{text}`")),
        }
    }

    fn text(&self) -> String {
        let text = match self {
            PositionMode::Unset => "unset",
            PositionMode::Points => "points",
            PositionMode::WholePrimitive => "whole_primitive",
        };
        text.into()
    }
}

pass_options! {
    /// See the [module documentation](self).
    pub struct ClipDistancesToPosition {
        /// `points` (exact) or `whole_primitive` (approximate); required.
        mode: PositionMode = PositionMode::Unset,
        /// Mask of the distances that clip.
        enabled: u32 = 0xff,
        /// Descriptor set of the uniform block with the mask.
        set: u32 = 0,
        /// Binding of the uniform block with the mask; none if it is omitted.
        binding: u32 = NO_BINDING,
    }
}

static INFO: PassInfo = PassInfo::new(
    "clip_distances_to_position",
    "moves clipped vertices out of the view volume: exact for points, approximate otherwise",
    include_str!("clip_distances_to_position.rs"),
)
.takes(&[Form::Variables])
.options(<ClipDistancesToPosition as crate::PassOptions>::OPTIONS)
.results(Results::All);

impl Pass for ClipDistancesToPosition {
    fn info(&self) -> &'static PassInfo {
        &INFO
    }

    fn options(&self) -> Vec<(&'static str, String)> {
        crate::PassOptions::settings(self)
    }

    fn run(&self, shader: &mut Shader, _: &mut Context) -> Result<Changes, Diagnostic> {
        if self.mode == PositionMode::Unset {
            let message = "expected the mode `points` or `whole_primitive`";
            return Err(Diagnostic::error("E0332", message).help("give the option `mode`"));
        }
        if !matches!(shader.stage, Stage::Vertex | Stage::TessEval | Stage::Geometry) {
            return Ok(Changes::NONE);
        }
        let clip = named(shader, Modes::OUT, Slot::CLIP_DIST0)?;
        let cull = named(shader, Modes::OUT, Slot::CULL_DIST0)?.filter(|_| self.mode == PositionMode::Points);
        let position = output_at(shader, Slot::POSITION).filter(|&v| is_named(shader, v));
        let Some(position) = position.filter(|_| clip.is_some() || cull.is_some()) else {
            return Ok(Changes::NONE);
        };
        expect_floats(shader, position, 4)?;
        let enables = Enables { mask: self.enabled, set: self.set, binding: self.binding };
        let enables = match clip {
            Some(_) => enables.declare(shader)?,
            None => Enables { binding: NO_BINDING, ..enables }.declare(shader)?,
        };
        let points = output_points(shader);
        let Shader { types, vars, functions, .. } = shader;
        let mut changes = Changes::NONE;
        for point in points.iter().filter(|p| p.is_of(&vars[position])) {
            let Some(function) = functions.get_mut(point.function) else { continue };
            let mut b = Builder::at(&mut function.body, point.at);
            b.flags = AluFlags::EXACT;
            let zero = b.imm_f32(0.0);
            let loaded = enables.load(&mut b, types, vars);
            // The conditions of each side of the view volume.
            let mut sides: [Vec<InstrId>; 4] = Default::default();
            for (d, culls) in [(clip, false), (cull, true)] {
                let Some(d) = d else { continue };
                let array = b.deref_var(vars, d.var);
                for i in (0..d.len).filter(|&i| culls || enables.has(i)) {
                    let element = b.deref_array_imm(types, array, i);
                    let value = b.load_deref(element, Ty::B32);
                    let negative = b.flt(value, zero);
                    let outside = if culls { negative } else { loaded.and(&mut b, i, negative) };
                    sides[(i % 4) as usize].push(outside);
                }
            }
            let planes: usize = sides.iter().map(Vec::len).sum();
            let sides = sides.map(|side| either(&mut b, side));
            let Some(outside) = either(&mut b, sides.into_iter().flatten()) else { continue };
            let deref = b.deref_var(vars, position);
            let old = b.load_deref(deref, Ty::new(4, 32));
            let moved = match self.mode == PositionMode::WholePrimitive && planes > 1 {
                true => beyond(&mut b, old, outside, sides),
                false => {
                    let (w, minus) = (b.channel(old, 3), b.imm_f32(-1.0));
                    let w = b.bcsel(outside, minus, w);
                    let lane = |c| Src::comp(old, c);
                    b.vec_srcs(&[lane(0), lane(1), lane(2), w.into()])
                }
            };
            b.store_deref(deref, moved);
            changes = Changes::ALL_BUT_CONTROL_FLOW | Changes::AGAIN;
        }
        Ok(changes)
    }
}

/// The position beyond the sides of the view volume whose conditions hold: left, right, lower, upper. With `w = 1`, x and
/// y are -2, 0 or 2. To be beyond two opposite sides takes `w = -1`: then x = 0 is beyond both, and -2 and 2 beyond one.
fn beyond(b: &mut Builder, old: InstrId, outside: InstrId, sides: [Option<InstrId>; 4]) -> InstrId {
    let no = b.imm_bool(false);
    let [left, right, lower, upper] = sides.map(|side| side.unwrap_or(no));
    let (zero, low, high) = (b.imm_f32(0.0), b.imm_f32(-2.0), b.imm_f32(2.0));
    let (one, minus) = (b.imm_f32(1.0), b.imm_f32(-1.0));
    let mut axis = |below, above| {
        let both = b.iand(below, above);
        let to_high = b.bcsel(above, high, zero);
        let to_low = b.bcsel(below, low, to_high);
        (b.bcsel(both, zero, to_low), both)
    };
    let ((x, opposite_x), (y, opposite_y)) = (axis(left, right), axis(lower, upper));
    let opposite = b.ior(opposite_x, opposite_y);
    let w = b.bcsel(opposite, minus, one);
    let mut lanes = [Src::comp(old, 2); 4];
    for (c, new) in [(0, x), (1, y), (3, w)] {
        let value = b.channel(old, c);
        lanes[c] = b.bcsel(outside, new, value).into();
    }
    b.vec_srcs(&lanes)
}
