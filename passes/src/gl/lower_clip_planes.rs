//! Lowers clip planes to clip distances, after the link.
//!
//! Requires form `slots` or `target` and preserves the form. Preserves control flow. `planes` is the mask of the enabled
//! planes (`GL_CLIP_PLANE0` is bit 0). At each store to `gl_ClipVertex`, or to the position if the shader never writes
//! `gl_ClipVertex`, the clip distances of the enabled planes are stored: the dot product of the vertex with the plane in
//! the block [`driver`](crate::util::driver_values), or 0.0 for planes that are disabled. The planes are in the coordinates of
//! the vertex: those of the eye for `gl_ClipVertex`; for the position the driver transforms them to clip coordinates
//! (OpenGL 4.6 compatibility profile, section 13.7). Stores to `gl_ClipVertex`, which Metal lacks, are removed. Shaders that
//! write clip distances keep them. The new operations are exact. Run it on the last stage before rasterisation, before
//! [`lower_clip_space`](crate::gl::lower_clip_space) changes the position. The pass
//! [`lower_clip_vertex`](crate::gl::lower_clip_vertex) does the same in form `variables`.
//!
//! Source: NIR's `nir_lower_clip_vs`.
//!
//! ```foil-example (planes=1)
//! foil 1
//! shader vertex "t" {
//!   form slots
//!   out vec4 vertex location=clip_vertex
//!   fn main {
//!     32x1 %0 = const 0
//!     32x4 %1 = load_input %0 io=0 dest_type=float32
//!     store_output %1, %0 io=clip_vertex mask=xyzw src_type=float32
//!   }
//! }
//! =>
//! foil 1
//! shader vertex "t" {
//!   form slots
//!   clip_distances 1
//!   ubo driver { float height @0, float width @4, float alpha_reference @8, uint sample_mask @12, float point_size @16, float point_size_min @20, float point_size_max @24, uint clip_enable @28, vec4 fog_color @32, vec4 fog_parameters @48, vec4[8 stride=16] clip_planes @64, uvec4[8 stride=16] polygon_stipple @192, vec2 viewport @320, float line_width @328, uint line_stipple @332, uint faces @336, uint polygon_triangles @340, uvec2 reserved @344 } driver set=65535 binding=18
//!   out float[1] clip_distances location=clip_dist0 compact
//!   fn main {
//!     32x1 %0 = const 0
//!     32x4 %1 = load_input %0 io=0 dest_type=float32
//!     %2 = deref_var &driver
//!     32x1 %3 = const 64
//!     32x4 %4 = load_ubo %2, %3 align=16
//!     32x1 %5 = fdot4! %1, %4
//!     32x1 %6 = const 0
//!     store_output %5, %6 io=clip_dist0 mask=x src_type=float32
//!   }
//! }
//! ```

use crate::util::colors::stored_lane;
use crate::util::driver_values::{DRIVER, load_vector, words};
use crate::util::outputs::{output_at, slot_store, slot_stores};
use crate::{Changes, Context, Pass, PassInfo, Results, pass_options};
use airfoil_ir::{
    AluFlags, AluOp, Body, Builder, Diagnostic, Form, Index, InstrId, Intrinsic, IntrinsicOp, IoSemantics,
    Modes, Scalar, Shader, Slot, Stage, Ty, Type, TypeId, VarId, Variable,
};

/// Maximum number of planes.
const MAX_PLANES: u32 = 8;

pass_options! {
    /// See the [module documentation](self).
    pub struct LowerClipPlanes {
        /// Mask of the enabled planes.
        planes: u32 = 0,
    }
}

static INFO: PassInfo = PassInfo::new(
    "lower_clip_planes",
    "lowers clip planes to clip distances, after the link",
    include_str!("lower_clip_planes.rs"),
)
.takes(&[Form::Slots, Form::Target])
.options(<LowerClipPlanes as crate::PassOptions>::OPTIONS)
.results(Results::Outputs(&[Slot::CLIP_VERTEX, Slot::CLIP_DIST0, Slot::CLIP_DIST1]));

impl Pass for LowerClipPlanes {
    fn info(&self) -> &'static PassInfo {
        &INFO
    }

    fn options(&self) -> Vec<(&'static str, String)> {
        crate::PassOptions::settings(self)
    }

    fn run(&self, shader: &mut Shader, _: &mut Context) -> Result<Changes, Diagnostic> {
        let count = u32::BITS - self.planes.leading_zeros();
        if count > MAX_PLANES {
            let message = format!("expected a mask of {MAX_PLANES} clip planes, found {:#x}", self.planes);
            return Err(Diagnostic::error("E0330", message));
        }
        if !matches!(shader.stage, Stage::Vertex | Stage::TessEval | Stage::Geometry) {
            return Ok(Changes::NONE);
        }
        let writes = |slot| shader.functions.values().any(|f| !slot_stores(&f.body, slot).is_empty());
        let own = writes(Slot::CLIP_VERTEX);
        let distances = shader.info.clip_distances > 0 || shader.info.cull_distances > 0;
        let mut changes = Changes::NONE;
        let from = if own { Slot::CLIP_VERTEX } else { Slot::POSITION };
        if count > 0 && !distances && (own || writes(Slot::POSITION)) {
            let whole = |body: &Body, id| (0..4).all(|c| stored_lane(body, id, c) == Some(c as usize));
            let parts = |body: &Body| slot_stores(body, from).iter().any(|&id| !whole(body, id));
            if shader.functions.values().any(|f| parts(&f.body)) {
                let message = format!("cannot clip by planes: `{from}` is written in parts");
                let help = "run lower_io_to_temporaries before lower_io";
                return Err(Diagnostic::error("E0330", message).help(help));
            }
            let block = DRIVER.declare(shader);
            for function in shader.functions.values_mut() {
                for id in slot_stores(&function.body, from) {
                    self.write(&mut function.body, id, count, block);
                }
            }
            declare(shader, count);
            changes |= Changes::ALL_BUT_CONTROL_FLOW;
        }
        if own {
            for function in shader.functions.values_mut() {
                let body = &mut function.body;
                slot_stores(body, Slot::CLIP_VERTEX).into_iter().for_each(|id| body.remove(id));
            }
            changes |= Changes::INSTRUCTIONS;
        }
        if let Some(var) = output_at(shader, Slot::CLIP_VERTEX) {
            shader.vars.remove(var);
            changes |= Changes::VARIABLES;
        }
        Ok(changes)
    }
}

impl LowerClipPlanes {
    /// Writes the distances of a vertex beside its store.
    fn write(&self, body: &mut Body, id: InstrId, count: u32, block: (VarId, TypeId)) {
        let Some(store) = slot_store(body, id).copied() else { return };
        let mut b = Builder::before(body, id);
        b.flags = AluFlags::EXACT;
        let vertex = store.src(0);
        let distance = |b: &mut Builder<'_>, plane: u32| {
            if self.planes >> plane & 1 == 0 {
                return b.imm_f32(0.0);
            }
            let plane = load_vector(b, block, words::CLIP_PLANES + 4 * plane, 4);
            b.alu(AluOp::fdot4, &[vertex, plane])
        };
        for (slot, first) in [(Slot::CLIP_DIST0, 0), (Slot::CLIP_DIST1, 4)] {
            let here = first..count.min(first + 4);
            if here.is_empty() {
                continue;
            }
            let mask = (1 << here.len()) - 1;
            let values: Vec<InstrId> = here.map(|plane| distance(&mut b, plane)).collect();
            let (value, zero) = (b.vec(&values), b.imm_u32(0));
            let io = IoSemantics { stream: store.io().stream, ..IoSemantics::new(slot) };
            let store = Intrinsic::new(IntrinsicOp::store_output, &[value, zero])
                .with(Index::Io, io)
                .with(Index::WriteMask, mask)
                .with(Index::SrcType, Scalar::Float32);
            b.insert_intrinsic(store, Ty::NONE);
        }
    }
}

/// Declares the array of distances.
fn declare(shader: &mut Shader, count: u32) {
    shader.info.clip_distances = count as u8;
    if output_at(shader, Slot::CLIP_DIST0).is_some() {
        return;
    }
    let elem = shader.types.vector(Scalar::Float32, 1);
    let ty = shader.types.intern(Type::Array { elem, len: count, stride: 0 });
    let mut distances = Variable::new("clip_distances", ty, Modes::OUT);
    (distances.location, distances.compact) = (Some(Slot::CLIP_DIST0), true);
    shader.add_var(distances);
}
