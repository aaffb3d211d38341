//! Adds the edge flag of vertices: an attribute that the vertex shader copies to an output.
//!
//! Requires form `slots` or `target` and preserves the form. Preserves control flow. The attribute is an unsigned integer at the
//! generic location `location`, the output is at slot `edge` (OpenGL 4.6 compatibility profile, section 14.6.2).
//! [`expand_polygons`](crate::gl::expand_polygons) reads it in a geometry shader.
//!
//! Source: NIR's `nir_lower_passthrough_edgeflags`.
//!
//! ```foil-example (location=30)
//! foil 1
//! shader vertex "t" {
//!   form slots
//!   in vec4 p location=0
//!   out vec4 q location=position
//!   fn main {
//!     32x1 %0 = const 0
//!     32x4 %1 = load_input %0 io=0 dest_type=float32
//!     store_output %1, %0 io=position mask=xyzw src_type=float32
//!   }
//! }
//! =>
//! foil 1
//! shader vertex "t" {
//!   form slots
//!   in vec4 p location=0
//!   out vec4 q location=position
//!   in uint edge_flag location=30
//!   out uint edge location=edge
//!
//!   fn main {
//!   b0:
//!     32x1 %0 = const 0
//!     32x4 %1 = load_input %0 io=0 dest_type=float32
//!     store_output %1, %0 io=position mask=xyzw src_type=float32
//!     32x1 %2 = const 0
//!     32x1 %3 = load_input %2 io=30 dest_type=uint32
//!     store_output %3, %2 io=edge mask=x src_type=uint32
//!   }
//! }
//! ```

use crate::util::outputs::{output_at, output_points};
use crate::{Changes, Context, Pass, PassInfo, Results, pass_options};
use airfoil_ir::{
    Builder, Diagnostic, Form, Index, Intrinsic, IntrinsicOp, IoSemantics, Modes, Scalar, Shader, Slot,
    Stage, Ty, Variable,
};

pass_options! {
    /// See the [module documentation](self).
    pub struct WriteEdgeFlag {
        /// Generic location of the attribute.
        location: u32 = 0,
    }
}

static INFO: PassInfo = PassInfo::new(
    "write_edge_flag",
    "copies the edge flag from an attribute to an output",
    include_str!("write_edge_flag.rs"),
)
.takes(&[Form::Slots, Form::Target])
.options(<WriteEdgeFlag as crate::PassOptions>::OPTIONS)
.results(Results::Outputs(&[Slot::EDGE]));

impl Pass for WriteEdgeFlag {
    fn info(&self) -> &'static PassInfo {
        &INFO
    }

    fn options(&self) -> Vec<(&'static str, String)> {
        crate::PassOptions::settings(self)
    }

    fn run(&self, shader: &mut Shader, _: &mut Context) -> Result<Changes, Diagnostic> {
        let Some(slot) = Slot::generic(self.location) else { return Ok(Changes::NONE) };
        if shader.stage != Stage::Vertex || output_at(shader, Slot::EDGE).is_some() {
            return Ok(Changes::NONE);
        }
        let is_used = |v: &Variable| v.mode == Modes::IN && v.location == Some(slot);
        if shader.vars.values().any(is_used) {
            let message = format!("location {}: the shader has an attribute there", self.location);
            return Err(Diagnostic::error("E0328", message));
        }
        let ty = shader.types.vector(Scalar::Uint32, 1);
        for (name, mode, slot) in [("edge_flag", Modes::IN, slot), ("edge", Modes::OUT, Slot::EDGE)] {
            let mut var = Variable::new(name, ty, mode);
            var.location = Some(slot);
            shader.add_var(var);
        }
        for point in output_points(shader) {
            let mut b = Builder::at(&mut shader.functions[point.function].body, point.at);
            let first = b.imm_u32(0);
            let load = Intrinsic::new(IntrinsicOp::load_input, &[first])
                .with(Index::Io, IoSemantics::new(slot))
                .with(Index::DestType, Scalar::Uint32);
            let flag = b.insert_intrinsic(load, Ty::B32);
            let store = Intrinsic::new(IntrinsicOp::store_output, &[flag, first])
                .with(Index::Io, IoSemantics::new(Slot::EDGE))
                .with(Index::WriteMask, 1)
                .with(Index::SrcType, Scalar::Uint32);
            b.insert_intrinsic(store, Ty::NONE);
        }
        Ok(Changes::ALL_BUT_CONTROL_FLOW)
    }
}
