//! Disables clip distances that the shader writes.
//!
//! Requires form `slots` or `target` and preserves the form. Preserves control flow. `enabled` is the mask of the
//! distances that clip, as OpenGL enables them by `GL_CLIP_DISTANCE0` to 7 (OpenGL 4.6 section 13.7); the stores to the
//! others write 0.0, which does not clip. Metal has no such state: every element of `[[clip_distance]]` clips. Cull
//! distances, which follow the clip distances in the array, stay. With `dynamic` the mask in the block
//! [`driver`](crate::util::driver_values) decides on the distances in `enabled`, so that one function serves all masks.
//! Run it on the last stage before rasterisation, after [`lower_xfb`](crate::gl::lower_xfb): transform feedback and
//! fragment shaders see the values that the shader writes.
//!
//! Source: NIR's `nir_lower_clip_disable`.
//!
//! ```foil-example (enabled=1)
//! foil 1
//! shader vertex "t" {
//!   clip_distances 2
//!   form slots
//!   fn main {
//!     32x1 %0 = const 0
//!     32x2 %1 = load_input %0 io=0
//!     store_output %1, %0 io=clip_dist0 mask=xy
//!   }
//! }
//! =>
//! foil 1
//! shader vertex "t" {
//!   clip_distances 2
//!   form slots
//!   fn main {
//!     32x1 %0 = const 0
//!     32x2 %1 = load_input %0 io=0
//!     32x1 %2 = const 0
//!     32x2 %3 = vec2 %1.x, %2
//!     store_output %3, %0 io=clip_dist0 mask=xy
//!   }
//! }
//! ```

use crate::util::driver_values::{DRIVER, load, words};
use crate::util::outputs::{set_stored, slot_store, written_slot};
use crate::{Changes, Context, Pass, PassInfo, Results, each_body, pass_options};
use airfoil_ir::{Body, Builder, Diagnostic, Form, InstrId, Shader, Slot, Src};
use smallvec::SmallVec;

pass_options! {
    /// See the [module documentation](self).
    pub struct LowerClipDisable {
        /// Mask of the clip distances that clip.
        enabled: u32 = 0xff,
        /// Of these, the mask in the driver's block selects those that clip.
        dynamic: bool = false,
    }
}

static INFO: PassInfo = PassInfo::new(
    "lower_clip_disable",
    "disables clip distances that the shader writes",
    include_str!("lower_clip_disable.rs"),
)
.takes(&[Form::Slots, Form::Target])
.options(<LowerClipDisable as crate::PassOptions>::OPTIONS)
.results(Results::Outputs(&[Slot::CLIP_DIST0, Slot::CLIP_DIST1]));

impl Pass for LowerClipDisable {
    fn info(&self) -> &'static PassInfo {
        &INFO
    }

    fn options(&self) -> Vec<(&'static str, String)> {
        crate::PassOptions::settings(self)
    }

    fn run(&self, shader: &mut Shader, _: &mut Context) -> Result<Changes, Diagnostic> {
        let clip = u32::from(shader.info.clip_distances);
        if self.dynamic {
            return Ok(self.select(shader, clip));
        }
        Ok(each_body(shader, |body| {
            let stores: Vec<InstrId> =
                body.all_instrs().filter(|&id| slot_store(body, id).is_some()).collect();
            let disable = |changes: Changes, id| changes | self.disable(body, id, clip);
            stores.into_iter().fold(Changes::NONE, disable)
        }))
    }
}

impl LowerClipDisable {
    /// Replaces the stored distances that the driver's mask disables by 0.0.
    fn select(&self, shader: &mut Shader, clip: u32) -> Changes {
        let stores = |body: &Body| -> Vec<(InstrId, u32)> {
            let first = |id| match slot_store(body, id).and_then(|store| written_slot(body, store)) {
                Some(Slot::CLIP_DIST0) => Some((id, 0)),
                Some(Slot::CLIP_DIST1) => Some((id, 4)),
                _ => None,
            };
            body.all_instrs().filter_map(first).collect()
        };
        if clip == 0 || shader.functions.values().all(|f| stores(&f.body).is_empty()) {
            return Changes::NONE;
        }
        let block = DRIVER.declare(shader);
        for function in shader.functions.values_mut() {
            let body = &mut function.body;
            for (id, first) in stores(body) {
                let Some(store) = slot_store(body, id).copied() else { continue };
                let value = store.src(0);
                let mut b = Builder::before(body, id);
                let [mask] = load(&mut b, block, [words::CLIP_ENABLE]);
                let zero = b.imm_u32(0);
                let mut lanes: SmallVec<[Src; 4]> = SmallVec::new();
                for c in 0..b.ty(value).comps {
                    let distance = first + store.component() + u32::from(c);
                    lanes.push(if distance >= clip {
                        Src::comp(value, usize::from(c))
                    } else if self.enabled >> distance & 1 == 0 {
                        zero.into()
                    } else {
                        let bit = b.imm_u32(1 << distance);
                        let bit = b.iand(mask, bit);
                        let (enabled, own) = (b.ine(bit, zero), b.channel(value, usize::from(c)));
                        b.bcsel(enabled, own, zero).into()
                    });
                }
                let new = b.vec_srcs(&lanes);
                set_stored(body, id, new);
            }
        }
        Changes::ALL_BUT_CONTROL_FLOW | Changes::AGAIN
    }

    /// Replaces the lanes of a store that are disabled distances by 0.0.
    fn disable(&self, body: &mut Body, id: InstrId, clip: u32) -> Changes {
        let Some(store) = slot_store(body, id).copied() else { return Changes::NONE };
        let first = match written_slot(body, &store) {
            Some(Slot::CLIP_DIST0) => 0,
            Some(Slot::CLIP_DIST1) => 4,
            _ => return Changes::NONE,
        };
        let (value, mask) = (store.src(0), store.write_mask());
        let distance = |lane: u32| first + store.component() + lane;
        let is_zero = |lane: u32| body[value].as_const().is_some_and(|c| c[lane as usize] == 0);
        let lanes: SmallVec<[u32; 4]> = (0..u32::from(body[value].ty.comps))
            .filter(|&lane| mask >> lane & 1 != 0 && distance(lane) < clip)
            .filter(|&lane| self.enabled >> distance(lane) & 1 == 0 && !is_zero(lane))
            .collect();
        if lanes.is_empty() {
            return Changes::NONE;
        }
        let mut b = Builder::before(body, id);
        let zero = Src::from(b.imm_f32(0.0));
        let lane =
            |c: u8| if lanes.contains(&u32::from(c)) { zero } else { Src::comp(value, usize::from(c)) };
        let new: SmallVec<[Src; 4]> = (0..b.ty(value).comps).map(lane).collect();
        let new = b.vec_srcs(&new);
        set_stored(body, id, new);
        Changes::INSTRUCTIONS
    }
}
