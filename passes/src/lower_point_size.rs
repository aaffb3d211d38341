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

use crate::deref_path::root_var;
use crate::outputs::{at_output_points, expect_floats, is_named, output_at, output_points};
use crate::{Context, Pass, PassInfo, Progress, Results, pass_options};
use airfoil_ir::analysis::Keeps;
use airfoil_ir::{
    Body, Diagnostic, Form, InstrId, InstrKind, IntrinsicOp, Modes, Scalar, Shader, Slot, Stage, VarId,
    Variable,
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
            Some(var) if !self.points => remove(shader, var),
            Some(var) if is_written(shader, var) => Ok(Progress::None),
            None if !self.points => Ok(Progress::None),
            var => write_one(shader, var),
        }
    }
}

/// The instructions that use a variable for something else than reading it.
fn writers<'a>(body: &'a Body, var: VarId) -> impl Iterator<Item = InstrId> + 'a {
    body.all_instrs().filter(move |&id| {
        let instr = &body[id];
        let is_load = instr.as_intrinsic().is_some_and(|i| i.op == IntrinsicOp::load_deref);
        let mut names = false;
        if !is_load && instr.as_deref().is_none() {
            instr.visit_operands(|v| {
                names |= body[v].as_deref().is_some_and(|d| d.modes.intersects(Modes::OUT))
                    && root_var(body, v) == Some(var);
            });
        }
        names
    })
}

fn is_written(shader: &Shader, var: VarId) -> bool {
    shader.functions.values().any(|f| writers(&f.body, var).next().is_some())
}

/// The output becomes a variable of the invocation's own.
fn remove(shader: &mut Shader, var: VarId) -> Result<Progress, Diagnostic> {
    let in_call = |body: &Body| writers(body, var).any(|id| matches!(body[id].kind, InstrKind::Call(_)));
    if shader.functions.values().any(|f| in_call(&f.body)) {
        return Err(Diagnostic::error("E0326", "a call takes a reference to the point size")
            .help("run inline_functions before"));
    }
    for function in shader.functions.values_mut() {
        let body = &mut function.body;
        let derefs: Vec<InstrId> = body
            .all_instrs()
            .filter(|&id| body[id].as_deref().is_some() && root_var(body, id) == Some(var))
            .collect();
        for id in derefs {
            body.edit(id, |i| {
                if let InstrKind::Deref(d) = &mut i.kind {
                    d.modes = Modes::SHADER_TEMP;
                }
            });
        }
    }
    let old = &shader.vars[var];
    let mut own = Variable::new(&old.name, old.ty, Modes::SHADER_TEMP);
    (own.precision, own.initializer) = (old.precision, old.initializer.clone());
    shader.vars[var] = own;
    Ok(Progress::Made)
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
