//! Converts positions between clip-space conventions: flips y, halves the depth range.
//!
//! Accepts forms `slots` and `target`. Preserves control flow, including all blocks. Changes the values that
//! a vertex, tessellation evaluation, geometry or mesh shader stores to the position. `flip_y` is `y = -y`,
//! for framebuffers whose first row is the upper one; `half_z` is `z = (z + w) / 2`, which maps OpenGL's
//! depth range -w..w to the range 0..w of Metal and Vulkan (OpenGL's `glClipControl`). Run it once, on the
//! last stage before rasterisation only. Clip distances are outputs of their own at this point, computed from
//! the original position. Run [`lower_xfb`](crate::gl::lower_xfb) first, which captures the original position
//! (OpenGL 4.6 section 13.3). After a flip, run [`lower_window_origin`](crate::gl::lower_window_origin) on
//! the fragment stage. `half_z` requires z and w in one store, which
//! [`lower_io_to_temporaries`](crate::vars::lower_io_to_temporaries) ensures. The new operations are exact,
//! so programs that draw at equal positions still do.
//!
//! Source: NIR's `nir_lower_clip_halfz`.
//!
//! ```foil-example (flip_y=true, half_z=true)
//! foil 1
//! shader vertex "t" {
//!   form slots
//!   in vec4 a location=0
//!   out vec4 position location=position
//!   entry fn main {
//!     32x1 %0 = const 0
//!     32x4 %1 = load_input %0 io=(0) dest_type=float32
//!     store_output %1, %0 io=(position) mask=xyzw src_type=float32
//!   }
//! }
//! =>
//! foil 1
//! shader vertex "t" {
//!   form slots
//!   in vec4 a location=0
//!   out vec4 position location=position
//!   fn main {
//!   b0:
//!     32x1 %0 = const 0
//!     32x4 %1 = load_input %0 io=0 dest_type=float32
//!     32x1 %2 = mov! %1.y
//!     32x1 %3 = fneg! %2
//!     32x1 %4 = mov! %1.z
//!     32x1 %5 = mov! %1.w
//!     32x1 %6 = fadd! %4, %5
//!     32x1 %7 = const 0.5
//!     32x1 %8 = fmul! %6, %7
//!     32x4 %9 = vec4! %1.x, %3, %8, %1.w
//!     store_output %9, %0 io=position mask=xyzw src_type=float32
//!   }
//! }
//! ```

use crate::util::outputs::{set_stored, slot_store, slot_stores};
use crate::{Changes, Context, Pass, PassInfo, Results, pass_options};
use airfoil_ir::{AluFlags, Body, Builder, Diagnostic, Form, InstrId, Shader, Slot, Src, Stage, Ty};
use smallvec::SmallVec;

pass_options! {
    /// See the [module documentation](self).
    pub struct LowerClipSpace {
        /// Flip y.
        flip_y: bool = false,
        /// Map depths from -w..w to 0..w.
        half_z: bool = false,
    }
}

static INFO: PassInfo = PassInfo::new(
    "lower_clip_space",
    "converts positions between clip-space conventions of y and depth",
    include_str!("lower_clip_space.rs"),
)
.takes(&[Form::Slots, Form::Target])
.options(<LowerClipSpace as crate::PassOptions>::OPTIONS)
.results(Results::Outputs(&[Slot::POSITION]));

impl Pass for LowerClipSpace {
    fn info(&self) -> &'static PassInfo {
        &INFO
    }

    fn options(&self) -> Vec<(&'static str, String)> {
        crate::PassOptions::settings(self)
    }

    fn run(&self, shader: &mut Shader, _: &mut Context) -> Result<Changes, Diagnostic> {
        let has_position =
            matches!(shader.stage, Stage::Vertex | Stage::TessEval | Stage::Geometry | Stage::Mesh);
        if !has_position || (!self.flip_y && !self.half_z) {
            return Ok(Changes::NONE);
        }
        let mut progress = Changes::NONE;
        for function in shader.functions.values_mut() {
            let body = &mut function.body;
            let stores = slot_stores(body, Slot::POSITION);
            if self.half_z {
                stores.iter().try_for_each(|&id| expect_whole(body, id, stores.len()))?;
            }
            for id in stores {
                progress |= self.change(body, id);
            }
        }
        Ok(progress)
    }
}

/// The component of a stored value that is written to a component of the slot, if any.
fn lane(body: &Body, id: InstrId, component: u8) -> Option<u8> {
    let store = slot_store(body, id)?;
    let lane = component.checked_sub(store.component() as u8)?;
    (lane < body[store.src(0)].ty.comps && store.write_mask() >> lane & 1 != 0).then_some(lane)
}

/// Checks that z and w are stored together. If there is one store only, components it leaves out are
/// undefined.
fn expect_whole(body: &Body, id: InstrId, stores: usize) -> Result<(), Diagnostic> {
    let in_parts = lane(body, id, 2).is_some() && lane(body, id, 3).is_none() && stores > 1;
    let in_halves = slot_store(body, id).is_some_and(|s| body[s.src(0)].ty.bits != 32);
    let why = match (in_parts, in_halves) {
        (_, true) => "has components of a width other than 32 bits",
        (true, _) => "is written in parts",
        _ => return Ok(()),
    };
    let message = format!("cannot convert the depth range: the position {why}");
    Err(Diagnostic::error("E0324", message).help("run lower_io_to_temporaries before lower_io"))
}

impl LowerClipSpace {
    fn change(&self, body: &mut Body, id: InstrId) -> Changes {
        let (y, z, w) = (lane(body, id, 1), lane(body, id, 2), lane(body, id, 3));
        let Some(old) = slot_store(body, id).map(|s| s.src(0)) else { return Changes::NONE };
        let mut b = Builder::before(body, id);
        b.flags = AluFlags::EXACT;
        let mut lanes: SmallVec<[Src; 4]> =
            (0..b.ty(old).comps).map(|c| Src::comp(old, usize::from(c))).collect();
        let mut made = Changes::NONE;
        if let Some(y) = y.filter(|_| self.flip_y) {
            let value = b.channel(old, usize::from(y));
            lanes[usize::from(y)] = b.fneg(value).into();
            made = Changes::INSTRUCTIONS | Changes::AGAIN;
        }
        if let Some(z) = z.filter(|_| self.half_z) {
            let depth = b.channel(old, usize::from(z));
            let w = match w {
                Some(w) => b.channel(old, usize::from(w)),
                None => b.undef(Ty::B32),
            };
            let (sum, half) = (b.fadd(depth, w), b.imm_f32(0.5));
            lanes[usize::from(z)] = b.fmul(sum, half).into();
            made = Changes::INSTRUCTIONS | Changes::AGAIN;
        }
        if made.is_progress() {
            let new = b.vec_srcs(&lanes);
            set_stored(body, id, new);
        }
        made
    }
}
