//! Adds or removes stores of the point size, depending on whether points are drawn.
//!
//! Accepts forms `slots` and `target`. Preserves control flow. Metal requires a point size from the last stage before
//! rasterisation if and only if points are drawn; OpenGL and Vulkan ignore it for other primitives, and it is 1.0 in
//! OpenGL without `GL_PROGRAM_POINT_SIZE`. Without `points` the stores to the size are removed. With `points` a shader
//! that never writes the size writes 1.0 at each write of the position. For tessellation evaluation, geometry and mesh
//! shaders the primitive is known and the option is ignored. With `state` the size is `glPointSize` of the block
//! [`driver`](crate::util::driver_values), whatever the shader writes; with `clamp` the size that the shader writes is
//! clamped to the limits in this block (`GL_POINT_SIZE_MIN` and `GL_POINT_SIZE_MAX`, and the range of the
//! implementation). Run it on the last of the vertex, tessellation evaluation, geometry and mesh shaders, since the
//! size is a plain value between them, after [`lower_xfb`](crate::gl::lower_xfb), which may capture it.
//!
//! Source: NIR's `gl_nir_add_point_size` and the removal in Mesa's drivers.
//!
//! ```foil-example
//! foil 1
//! shader vertex "t" {
//!   form slots
//!   out float size location=point_size
//!   entry fn main {
//!     32x1 %0 = const 4.0
//!     32x1 %1 = const 0
//!     store_output %0, %1 io=(point_size) mask=x src_type=float32
//!   }
//! }
//! =>
//! foil 1
//! shader vertex "t" {
//!   form slots
//!   out float size location=point_size
//!   fn main {
//!   b0:
//!     32x1 %0 = const 4.0
//!     32x1 %1 = const 0
//!   }
//! }
//! ```

use crate::util::driver_values::{DRIVER, load, words};
use crate::util::outputs::{expect_floats, output_at, set_stored, slot_store, slot_stores};
use crate::{Changes, Context, Pass, PassInfo, Results, pass_options};
use airfoil_ir::{
    Body, Builder, Diagnostic, Form, Index, InstrId, IntrinsicOp, IoSemantics, Modes, Primitive, Scalar,
    Shader, Slot, Stage, Ty, TypeId, VarId, Variable,
};

pass_options! {
    /// See the [module documentation](self).
    pub struct LowerPointSize {
        /// Points are drawn.
        points: bool = false,
        /// The size is state of the API.
        state: bool = false,
        /// The size that the shader writes is clamped to the limits of the API.
        clamp: bool = false,
    }
}

static INFO: PassInfo = PassInfo::new(
    "lower_point_size",
    "adds or removes the point size, depending on the primitive",
    include_str!("lower_point_size.rs"),
)
.takes(&[Form::Slots, Form::Target])
.options(<LowerPointSize as crate::PassOptions>::OPTIONS)
.results(Results::Outputs(&[Slot::POINT_SIZE]));

impl Pass for LowerPointSize {
    fn info(&self) -> &'static PassInfo {
        &INFO
    }

    fn options(&self) -> Vec<(&'static str, String)> {
        crate::PassOptions::settings(self)
    }

    fn run(&self, shader: &mut Shader, _: &mut Context) -> Result<Changes, Diagnostic> {
        let points = match shader.stage {
            Stage::Vertex => self.points,
            Stage::TessEval => shader.info.point_mode,
            Stage::Geometry | Stage::Mesh => shader.info.output_primitive == Primitive::Points,
            _ => return Ok(Changes::NONE),
        };
        let is_written =
            shader.functions.values().any(|f| !slot_stores(&f.body, Slot::POINT_SIZE).is_empty());
        match (points, is_written) {
            (true, _) if self.state => {
                let removed = if is_written { remove(shader)? } else { Changes::NONE };
                // A second run would replace the stores again.
                Ok(removed | write(shader, true)? | Changes::AGAIN)
            }
            (true, true) if self.clamp => Ok(clamp(shader)),
            (true, false) => write(shader, false),
            (false, true) => remove(shader),
            _ => Ok(Changes::NONE),
        }
    }
}

fn remove(shader: &mut Shader) -> Result<Changes, Diagnostic> {
    for function in shader.functions.values_mut() {
        let body = &mut function.body;
        let reads = |id: InstrId| {
            let read = |op| matches!(op, IntrinsicOp::load_output | IntrinsicOp::load_per_vertex_output);
            body[id].as_intrinsic().is_some_and(|i| read(i.op) && i.io().location == Slot::POINT_SIZE)
        };
        if body.all_instrs().any(reads) {
            let message = "cannot remove the point size: the shader reads it";
            let help = "run lower_io_to_temporaries before lower_io";
            return Err(Diagnostic::error("E0326", message).help(help));
        }
        slot_stores(body, Slot::POINT_SIZE).into_iter().for_each(|id| body.remove(id));
    }
    Ok(Changes::ALL_BUT_CONTROL_FLOW)
}

/// Clamps the sizes that are written.
fn clamp(shader: &mut Shader) -> Changes {
    let block = DRIVER.declare(shader);
    for function in shader.functions.values_mut() {
        let body = &mut function.body;
        for id in slot_stores(body, Slot::POINT_SIZE) {
            let Some(size) = slot_store(body, id).map(|s| s.src(0)) else { continue };
            let mut b = Builder::before(body, id);
            let [low, high] = load(&mut b, block, [words::POINT_SIZE_MIN, words::POINT_SIZE_MAX]);
            let size = b.fclamp(size, low, high);
            set_stored(body, id, size);
        }
    }
    Changes::ALL_BUT_CONTROL_FLOW | Changes::AGAIN
}

/// Writes the size at each write of the position: that of the API, or 1.0.
fn write(shader: &mut Shader, is_state: bool) -> Result<Changes, Diagnostic> {
    match output_at(shader, Slot::POINT_SIZE) {
        Some(var) if shader.stage != Stage::Mesh => expect_floats(shader, var, 1)?,
        _ => {}
    }
    let writes = shader.functions.values().any(|f| !slot_stores(&f.body, Slot::POSITION).is_empty());
    let block = (is_state && writes).then(|| DRIVER.declare(shader));
    let mut progress = Changes::NONE;
    for function in shader.functions.values_mut() {
        for id in slot_stores(&function.body, Slot::POSITION) {
            progress |= write_beside(&mut function.body, id, block);
        }
    }
    if progress.is_progress() && output_at(shader, Slot::POINT_SIZE).is_none() {
        let mut ty = shader.types.vector(Scalar::Float32, 1);
        if shader.stage == Stage::Mesh {
            ty = shader.types.intern(airfoil_ir::Type::Array {
                elem: ty,
                len: shader.info.max_vertices,
                stride: 0,
            });
        }
        let mut size = Variable::new("point_size", ty, Modes::OUT);
        size.location = Some(Slot::POINT_SIZE);
        shader.add_var(size);
    }
    Ok(progress)
}

fn write_beside(body: &mut Body, position: InstrId, block: Option<(VarId, TypeId)>) -> Changes {
    let Some(mut store) = slot_store(body, position).copied() else { return Changes::NONE };
    let mut b = Builder::before(body, position);
    let size = match block {
        Some(block) => load(&mut b, block, [words::POINT_SIZE])[0],
        None => b.imm_f32(1.0),
    };
    let first = b.imm_u32(0);
    store.set_src(0, size);
    // The operand before the offset is the vertex, in mesh shaders.
    store.set_src(store.srcs().len() - 1, first);
    let io = IoSemantics { location: Slot::POINT_SIZE, num_slots: 1, ..store.io() };
    let store = store
        .with(Index::Io, io)
        .with(Index::Component, 0)
        .with(Index::WriteMask, 1)
        .with(Index::SrcType, Scalar::Float32);
    b.insert_intrinsic(store, Ty::NONE);
    Changes::ALL_BUT_CONTROL_FLOW
}
