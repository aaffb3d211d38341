//! Repeats each instance of a draw for the views of a multiview framebuffer.
//!
//! Accepts forms `slots` and `target`. Preserves control flow. The views are the bits of `view_mask`, as in Vulkan; a shader that
//! states them itself ([`StageInfo::view_mask`](airfoil_ir::StageInfo), `layout(num_views = N) in` of GL_OVR_multiview) overrides the
//! option. The driver draws as many instances per instance as there are views. In a vertex shader the instance index relative
//! to the base instance, modulo the number of views, selects the view; divided by it, it is the instance of the draw. The view is
//! written as the layer, from which the fragment shader reads it. A shader of a single view reads a constant instead, and only a
//! view other than 0 writes its layer.
//!
//! No shader of a multiview draw writes `gl_Layer`, so that fragment shaders read zero (GLSL 4.60 section 7.1.5); one that does is
//! an error, as in Vulkan. So are shaders of other stages with several views: GL_OVR_multiview forbids such draws, and Vulkan makes
//! them optional features.
//!
//! Source: the emulation of views by instances in SPIRV-Cross and ANGLE.
//!
//! ```foil-example (view_mask=3)
//! foil 1
//! shader vertex "t" {
//!   form slots
//!   out uint v location=3
//!   fn main {
//!     32x1 %0 = const 0
//!     32x1 %1 = load_view_index
//!     store_output %1, %0 io=(3) mask=x src_type=uint32
//!   }
//! }
//! =>
//! foil 1
//! shader vertex "t" {
//!   form slots
//!   out uint v location=3
//!   out uint layer location=layer
//!   fn main {
//!   b0:
//!     32x1 %0 = const 0
//!     32x1 %1 = load_instance_id
//!     32x1 %2 = const 2
//!     32x1 %3 = umod %1, %2
//!     store_output %3, %0 io=3 mask=x src_type=uint32
//!     32x1 %4 = load_instance_id
//!     32x1 %5 = const 2
//!     32x1 %6 = umod %4, %5
//!     32x1 %7 = const 0
//!     store_output %6, %7 io=layer mask=x src_type=uint32
//!   }
//! }
//! ```

use crate::util::outputs::{output_at, output_points, slot_stores};
use crate::util::rewrite::{Replacement, replace_intrinsics};
use crate::{Changes, Context, Pass, PassInfo, Results, pass_options};
use airfoil_ir::{
    Body, Builder, Diagnostic, Form, Index, InstrId, Intrinsic, IntrinsicOp, IoSemantics, Modes, Scalar,
    Shader, Slot, Stage, SystemValue, Ty, Variable,
};

pass_options! {
    /// See the [module documentation](self).
    pub struct LowerMultiview {
        /// Mask of the views, for shaders that do not state their own; 0 without multiview.
        view_mask: u32 = 0,
    }
}

static INFO: PassInfo = PassInfo::new(
    "lower_multiview",
    "repeats each instance of a draw for the views of a multiview framebuffer",
    include_str!("lower_multiview.rs"),
)
.takes(&[Form::Slots, Form::Target])
.options(<LowerMultiview as crate::PassOptions>::OPTIONS)
// A draw has more instances.
.results(Results::All);

impl Pass for LowerMultiview {
    fn info(&self) -> &'static PassInfo {
        &INFO
    }

    fn options(&self) -> Vec<(&'static str, String)> {
        crate::PassOptions::settings(self)
    }

    fn run(&self, shader: &mut Shader, _: &mut Context) -> Result<Changes, Diagnostic> {
        let views = Views(self.mask(shader));
        if views.0 == 0 || shader.stage == Stage::Compute {
            return Ok(Changes::NONE);
        }
        let is_last = matches!(shader.stage, Stage::Vertex | Stage::Fragment);
        if views.0 != 1 && !is_last {
            let message = format!("multiview rendering is not supported with a {} shader", shader.stage);
            return Err(Diagnostic::error("E0334", message));
        }
        let has_layer = |shader: &Shader| {
            output_at(shader, Slot::LAYER).is_some()
                || shader.functions.values().any(|f| !slot_stores(&f.body, Slot::LAYER).is_empty())
        };
        if views.0 != 1 && shader.stage == Stage::Vertex && has_layer(shader) {
            let message =
                "a vertex shader of multiview rendering cannot write the layer, which is that of the view";
            return Err(Diagnostic::error("E0334", message));
        }
        let stage = shader.stage;
        let reads = |_: &Body, _: Ty, i: &Intrinsic| views.replaces(stage, i.op);
        let mut changes = replace_intrinsics(shader, reads, |b, _, i| {
            Replacement::Value(match i.op {
                IntrinsicOp::load_view_index => views.index(b, stage),
                IntrinsicOp::load_instance_id => views.instance(b),
                IntrinsicOp::load_instance_index => {
                    let (base, n) = (b.load_system_value(SystemValue::base_instance), views.instance(b));
                    b.iadd(base, n)
                }
                // The layer.
                _ => b.imm_u32(0),
            })
        });
        if views.0 != 1 && stage == Stage::Vertex {
            changes |= views.write_layer(shader);
        }
        changes |= Changes::INFO.when(std::mem::take(&mut shader.info.view_mask) != 0);
        Ok(changes)
    }
}

impl LowerMultiview {
    /// The mask of the views of a shader; 0 if it is not known to be drawn to several.
    pub fn mask(&self, shader: &Shader) -> u32 {
        match shader.info.view_mask {
            0 => self.view_mask,
            own => own,
        }
    }
}

/// A mask of views.
#[derive(Clone, Copy)]
struct Views(u32);

impl Views {
    fn replaces(self, stage: Stage, op: IntrinsicOp) -> bool {
        let instances = self.0.count_ones() > 1 && stage == Stage::Vertex;
        match op {
            IntrinsicOp::load_view_index => true,
            IntrinsicOp::load_instance_id | IntrinsicOp::load_instance_index => instances,
            IntrinsicOp::load_layer_id => self.0 != 1,
            _ => false,
        }
    }

    /// The instance of the draw.
    fn instance(self, b: &mut Builder<'_>) -> InstrId {
        let (n, count) = (b.load_system_value(SystemValue::instance_id), b.imm_u32(self.0.count_ones()));
        b.udiv(n, count)
    }

    /// The index of the view.
    fn index(self, b: &mut Builder<'_>, stage: Stage) -> InstrId {
        let (first, count) = (self.0.trailing_zeros(), self.0.count_ones());
        if count == 1 {
            return b.imm_u32(first);
        }
        if stage == Stage::Fragment {
            return b.load_system_value(SystemValue::layer_id);
        }
        let (n, divisor) = (b.load_system_value(SystemValue::instance_id), b.imm_u32(count));
        let n = b.umod(n, divisor);
        let is_range = (self.0 >> first).trailing_ones() == count;
        match (is_range, first) {
            (true, 0) => n,
            (true, _) => {
                let first = b.imm_u32(first);
                b.iadd(n, first)
            }
            (false, _) => {
                // The n-th bit of the mask.
                let bits = (0..32).filter(|bit| self.0 >> bit & 1 != 0);
                let mut view = b.imm_u32(first);
                for (k, bit) in (0_u32..).zip(bits).skip(1) {
                    let (k, bit) = (b.imm_u32(k), b.imm_u32(bit));
                    let is_it = b.ieq(n, k);
                    view = b.bcsel(is_it, bit, view);
                }
                view
            }
        }
    }

    /// Writes the view as the layer at the exits.
    fn write_layer(self, shader: &mut Shader) -> Changes {
        for point in output_points(shader) {
            let mut b = Builder::at(&mut shader.functions[point.function].body, point.at);
            let (view, first) = (self.index(&mut b, Stage::Vertex), b.imm_u32(0));
            let store = Intrinsic::new(IntrinsicOp::store_output, &[view, first])
                .with(Index::Io, IoSemantics::new(Slot::LAYER))
                .with(Index::WriteMask, 1)
                .with(Index::SrcType, Scalar::Uint32);
            b.insert_intrinsic(store, Ty::NONE);
        }
        let ty = shader.types.vector(Scalar::Uint32, 1);
        let mut var = Variable::new("layer", ty, Modes::OUT);
        var.location = Some(Slot::LAYER);
        let _ = shader.add_var(var);
        Changes::ALL_BUT_CONTROL_FLOW
    }
}
