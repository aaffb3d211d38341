//! Writes the size of points if points are drawn, and only then.
//!
//! Takes the form `variables` and leaves it. Keeps control flow. Metal wants a point size from the last stage before
//! rasterisation if and only if points are drawn, where OpenGL and Vulkan ignore it for other primitives and OpenGL
//! without `GL_PROGRAM_POINT_SIZE` has 1.0. Without `points` the output becomes an invocation-wide variable, which can be read back and else
//! is removed by later passes. With `points` a shader that never writes it writes 1.0 at its ends, or before each vertex that
//! is emitted. Applies to vertex, tessellation evaluation and geometry shaders; run it on the last of them, since the
//! size is a plain value between them. After: NIR's `gl_nir_add_point_size` and the removal in Mesa's drivers.
//!
//! ```foil-example
//! foil 1
//! shader vertex "t" {
//!   form variables
//!   out float size location=point_size
//!   entry fn main {
//!     32x1 %0 = const 4.0
//!     %1 = deref_var &size
//!     store_deref %1, %0
//!   }
//! }
//! =>
//! foil 1
//! shader vertex "t" {
//!   form variables
//!   shader_temp float size
//!   entry fn main {
//!     32x1 %0 = const 4.0
//!     %1 = deref_var &size
//!     store_deref %1, %0
//!   }
//! }
//! ```

use crate::outputs::{at_output_points, expect_floats, is_named, make_own, output_at, output_points, users};
use crate::{Context, Pass, PassInfo, Progress, Results, pass_options};
use airfoil_ir::analysis::Keeps;
use airfoil_ir::{
    Body, Diagnostic, Form, InstrId, IntrinsicOp, Modes, Scalar, Shader, Slot, Stage, VarId, Variable,
};

pass_options! {
    /// See the [module documentation](self).
    pub struct LowerPointSize {
        /// Points are drawn.
        points: bool = false,
    }
}

static INFO: PassInfo = PassInfo::new(
    "lower_point_size",
    "writes the size of points if points are drawn, and only then",
    include_str!("lower_point_size.rs"),
)
.takes(&[Form::Variables])
.options(<LowerPointSize as crate::PassOptions>::OPTIONS)
.keeps(Keeps::CONTROL_FLOW)
.results(Results::Outputs(&[Slot::POINT_SIZE]));

impl Pass for LowerPointSize {
    fn info(&self) -> &'static PassInfo {
        &INFO
    }

    fn run(&self, shader: &mut Shader, _: &mut Context) -> Result<Progress, Diagnostic> {
        let var = output_at(shader, Slot::POINT_SIZE);
        match shader.stage {
            Stage::Vertex | Stage::TessEval | Stage::Geometry => {}
            Stage::Mesh if var.is_some_and(|v| is_named(shader, v)) || self.points => {
                let message = "point sizes of mesh shaders are not treated yet";
                return Err(Diagnostic::error("E0326", message));
            }
            _ => return Ok(Progress::None),
        }
        match var {
            Some(var) if !self.points => make_own(shader, var).map(|()| Progress::Made),
            Some(var) if is_written(shader, var) => Ok(Progress::None),
            None if !self.points => Ok(Progress::None),
            var => write_one(shader, var),
        }
    }
}

/// Whether anything but a read uses the variable.
fn is_written(shader: &Shader, var: VarId) -> bool {
    let reads =
        |body: &Body, id: InstrId| body[id].as_intrinsic().is_some_and(|i| i.op == IntrinsicOp::load_deref);
    shader.functions.values().any(|f| users(&f.body, var).any(|id| !reads(&f.body, id)))
}

/// Writes 1.0 wherever a vertex leaves.
fn write_one(shader: &mut Shader, var: Option<VarId>) -> Result<Progress, Diagnostic> {
    if output_points(shader).is_empty() {
        return Ok(Progress::None);
    }
    let var = match var {
        Some(var) => var,
        None => {
            let float = shader.types.vector(Scalar::Float32, 1);
            let mut size = Variable::new("point_size", float, Modes::OUT);
            size.location = Some(Slot::POINT_SIZE);
            shader.add_var(size)
        }
    };
    expect_floats(shader, var, 1)?;
    let _ = at_output_points(shader, var, |b, deref| {
        let one = b.imm_f32(1.0);
        b.store_deref(deref, one);
    });
    Ok(Progress::Made)
}
