//! Discards, in the fragment shader, primitives culled by a cull distance.
//!
//! Requires and preserves form `variables`. Preserves control flow. The counterpart of
//! [`cull_distances_to_varyings`](crate::gl::cull_distances_to_varyings), with the same `location` and the
//! `count` of distances of the previous stage. A flag is linear over the primitive, so the flag and both its
//! derivatives are zero if and only if it is zero at all vertices; if that holds for one flag, the primitive
//! is culled. The fragment is demoted before anything else happens, so it writes nothing and still
//! contributes to derivatives of its neighbours. The primitive is still rasterised, and primitive queries
//! count it. Flags are tested at the pixel centre, for all its samples. Early depth and stencil tests are not
//! supported, because depth would already be written.
//!
//! Source: cull distances in Mesa's driver for Apple GPUs, Asahi.
//!
//! ```foil-example (location=7, count=1)
//! foil 1
//! shader fragment "t" {
//!   form variables
//!   out float c location=0
//!   entry fn main {
//!     32x1 %0 = const 1.0
//!     %c = deref_var &c
//!     store_deref %c, %0
//!   }
//! }
//! =>
//! foil 1
//! shader fragment "t" {
//!   form variables
//!   out float c location=0
//!   in vec4 cull_flags0 location=7 noperspective
//!   entry fn main {
//!     32x1 %0 = const 0.0
//!     %1 = deref_var &cull_flags0
//!     32x4 %2 = load_deref %1
//!     32x4 %3 = fddx! %2
//!     32x4 %4 = fddy! %2
//!     1x4 %5 = feq! %3, %0.xxxx
//!     1x4 %6 = feq! %4, %0.xxxx
//!     1x4 %7 = feq! %2, %0.xxxx
//!     1x4 %8 = iand! %5, %6
//!     1x4 %9 = iand! %7, %8
//!     1x1 %10 = mov! %9.x
//!     demote_if %10
//!     32x1 %11 = const 1.0
//!     %12 = deref_var &c
//!     store_deref %12, %11 mask=x
//!   }
//! }
//! ```

use crate::util::distances::{FLAGS, NO_LOCATION, add_varyings};
use crate::{Changes, Context, Pass, PassInfo, Results, pass_options};
use airfoil_ir::{
    AluFlags, AluOp, Builder, Cursor, Diagnostic, Form, InstrId, IntrinsicOp, Modes, Shader, Stage, Ty,
};

pass_options! {
    /// See the [module documentation](self).
    pub struct CullDistancesToDiscard {
        /// First location of the varyings; required.
        location: u32 = NO_LOCATION,
        /// Number of cull distances written by the previous stage (at most 8).
        count: u32 = 0,
    }
}

static INFO: PassInfo = PassInfo::new(
    "cull_distances_to_discard",
    "discards fragments of primitives culled by a cull distance",
    include_str!("cull_distances_to_discard.rs"),
)
.takes(&[Form::Variables])
.options(<CullDistancesToDiscard as crate::PassOptions>::OPTIONS)
.results(Results::All);

impl Pass for CullDistancesToDiscard {
    fn info(&self) -> &'static PassInfo {
        &INFO
    }

    fn options(&self) -> Vec<(&'static str, String)> {
        crate::PassOptions::settings(self)
    }

    fn run(&self, shader: &mut Shader, _: &mut Context) -> Result<Changes, Diagnostic> {
        if shader.stage != Stage::Fragment || self.count == 0 || shader.entry.is_none() {
            return Ok(Changes::NONE);
        }
        if self.count > 8 {
            let message = format!("expected at most 8 cull distances, found {}", self.count);
            return Err(Diagnostic::error("E0329", message));
        }
        if shader.info.early_fragment_tests {
            let message = "cull distances are not supported with early fragment tests, which write depth before the discard";
            return Err(Diagnostic::error("E0329", message));
        }
        let varyings = add_varyings(shader, (Modes::IN, "cull_flags"), self.location, self.count, FLAGS)?;
        let Shader { vars, functions, entry, .. } = shader;
        let Some(function) = entry.and_then(|e| functions.get_mut(e)) else { return Ok(Changes::NONE) };
        let start = Cursor::BlockStart(function.body.entry());
        let mut b = Builder::at(&mut function.body, start);
        // The comparison with zero is exact.
        b.flags = AluFlags::EXACT;
        let zero = b.imm_f32(0.0);
        let mut culled: Option<InstrId> = None;
        for (k, &varying) in (0u32..).zip(&varyings) {
            let deref = b.deref_var(vars, varying);
            let flags = b.load_deref(deref, Ty::new(4, 32));
            let changes = [AluOp::fddx, AluOp::fddy].map(|op| b.alu(op, &[flags]));
            let [flat_x, flat_y] = changes.map(|v| b.feq(v, zero));
            let (off, flat) = (b.feq(flags, zero), b.iand(flat_x, flat_y));
            let all = b.iand(off, flat);
            for lane in 0..(self.count - 4 * k).min(4) {
                let one = b.channel(all, lane as usize);
                culled = Some(culled.map_or(one, |before| b.ior(before, one)));
            }
        }
        if let Some(culled) = culled {
            b.intrinsic(IntrinsicOp::demote_if, Ty::NONE, &[culled]);
        }
        Ok(Changes::ALL_BUT_CONTROL_FLOW | Changes::AGAIN)
    }
}
