//! Lowers `gl_ClipVertex` and enabled user clip planes to `gl_ClipDistance`.
//!
//! Requires and preserves form `variables`; runs before
//! [`lower_clip_distance_arrays`](crate::gl::lower_clip_distance_arrays). Preserves control flow. `planes` is
//! the mask of enabled planes. A vertex, tessellation evaluation or geometry shader gets `gl_ClipDistance[i]
//! = dot(gl_ClipVertex, plane i)` at its exits or before each emitted vertex; planes below the highest
//! enabled one that are disabled get 0.0, which does not clip. A shader that does not write `gl_ClipVertex`
//! is clipped by `gl_Position`; one that writes `gl_ClipDistance` stays. Run it on the last stage before
//! rasterisation only, before [`lower_clip_space`](crate::gl::lower_clip_space) changes the position and
//! before [`lower_io_to_temporaries`](crate::vars::lower_io_to_temporaries), since it reads outputs.
//!
//! Planes are the elements of `gl_ClipPlane`, if the shader has this state in a uniform block; otherwise they
//! come from a separate uniform block `gl_ClipPlanes` at `binding`: eight vectors of four floats. They are
//! used without transformation: with `gl_ClipVertex` they are in its coordinates, those of the eye, as
//! `glClipPlane` stores them; for the position the driver transforms them to clip coordinates (OpenGL 4.6
//! compatibility profile, section 13.7). The new operations are exact. Without enabled planes `gl_ClipVertex`
//! has no effect and becomes a plain variable.
//!
//! Source: NIR's `nir_lower_clip_vs`.
//!
//! ```foil-example (planes=1, binding=3)
//! foil 1
//! shader vertex "t" {
//!   form variables
//!   in vec4 eye location=0
//!   out vec4 gl_ClipVertex location=clip_vertex
//!   entry fn main {
//!     %e = deref_var &eye
//!     32x4 %0 = load_deref %e
//!     %v = deref_var &gl_ClipVertex
//!     store_deref %v, %0
//!   }
//! }
//! =>
//! foil 1
//! shader vertex "t" {
//!   form variables
//!   in vec4 eye location=0
//!   shader_temp vec4 gl_ClipVertex
//!   ubo gl_ClipPlanes { vec4[8 stride=16] gl_ClipPlane @0 } gl_ClipPlanes binding=3 access=non_writeable
//!   out float[1] gl_ClipDistance location=clip_dist0
//!   entry fn main {
//!     %e = deref_var &eye
//!     32x4 %0 = load_deref %e
//!     %v = deref_var &gl_ClipVertex
//!     store_deref %v, %0
//!     %v1 = deref_var &gl_ClipVertex
//!     32x4 %1 = load_deref %v1
//!     %b = deref_var &gl_ClipPlanes
//!     %p = deref_struct %b.gl_ClipPlane
//!     %d = deref_var &gl_ClipDistance
//!     32x1 %2 = const 0
//!     %p0 = deref_array %p[%2]
//!     32x4 %3 = load_deref %p0
//!     32x1 %4 = fdot4! %1, %3
//!     %d0 = deref_array %d[%2]
//!     store_deref %d0, %4
//!   }
//! }
//! ```

use crate::util::distances::named;
use crate::util::outputs::{expect_floats, is_named, make_own, output_at, output_points};
use crate::{Changes, Context, Pass, PassInfo, Results, pass_options};
use airfoil_ir::{
    Access, AluFlags, Builder, Diagnostic, Form, Member, Modes, Scalar, Shader, Slot, Stage, StructType, Ty,
    Type, VarId, Variable,
};

/// Maximum number of planes (gl_MaxClipPlanes, gl_MaxClipDistances).
const MAX_PLANES: u32 = 8;

/// Value of the option `binding` if it is omitted.
pub(super) const NO_BINDING: u32 = u32::MAX;

pass_options! {
    /// See the [module documentation](self).
    pub struct LowerClipVertex {
        /// Mask of enabled planes.
        planes: u32 = 0,
        /// Binding of the planes, for shaders without `gl_ClipPlane`.
        binding: u32 = NO_BINDING,
    }
}

static INFO: PassInfo = PassInfo::new(
    "lower_clip_vertex",
    "lowers gl_ClipVertex and user clip planes to gl_ClipDistance",
    include_str!("lower_clip_vertex.rs"),
)
.takes(&[Form::Variables])
.options(<LowerClipVertex as crate::PassOptions>::OPTIONS)
.results(Results::Outputs(&[Slot::CLIP_VERTEX, Slot::CLIP_DIST0, Slot::CLIP_DIST1]));

impl Pass for LowerClipVertex {
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
        let at = |slot| output_at(shader, slot).filter(|&v| is_named(shader, v));
        let clip_vertex = at(Slot::CLIP_VERTEX);
        let from = clip_vertex.or_else(|| at(Slot::POSITION).filter(|_| count > 0));
        let Some(from) = from else { return Ok(Changes::NONE) };
        if shader.info.clip_distances > 0 || named(shader, Modes::OUT, Slot::CLIP_DIST0)?.is_some() {
            return Ok(Changes::NONE);
        }
        expect_floats(shader, from, 4)?;
        // Find the exits of the output before it becomes a plain variable.
        let stream = shader.vars[from].stream;
        if count > 0 {
            let planes = self.planes_of(shader, count)?;
            if clip_vertex.is_some() {
                make_own(shader, from)?;
            }
            let distances = add_distances(shader, count, stream);
            self.write(shader, from, planes, distances);
        } else {
            make_own(shader, from)?;
        }
        Ok(Changes::ALL_BUT_CONTROL_FLOW)
    }
}

/// The array `gl_ClipPlane`: a uniform block and a member of it.
#[derive(Clone, Copy)]
struct Planes {
    block: VarId,
    field: u32,
}

impl LowerClipVertex {
    /// The planes of the shader, or a new block for them.
    fn planes_of(&self, shader: &mut Shader, count: u32) -> Result<Planes, Diagnostic> {
        if let Some(planes) = known_planes(shader, count)? {
            return Ok(planes);
        }
        if self.binding == NO_BINDING {
            let message = "the shader's uniform blocks do not contain gl_ClipPlane";
            return Err(Diagnostic::error("E0330", message).help("give the option `binding`"));
        }
        let taken = |v: &&Variable| {
            let n = if let Type::Array { len, .. } = shader.types[v.ty] { len.max(1) } else { 1 };
            v.mode == Modes::UBO
                && v.set.unwrap_or(0) == 0
                && v.binding.is_some_and(|b| (b..b.saturating_add(n)).contains(&self.binding))
        };
        if let Some(other) = shader.vars.values().find(taken) {
            let message =
                format!("binding {} of the clip planes is already used by `{}`", self.binding, other.name);
            return Err(Diagnostic::error("E0330", message).help("give another `binding`"));
        }
        let elem = shader.types.vector(Scalar::Float32, 4);
        let array = shader.types.intern(Type::Array { elem, len: MAX_PLANES, stride: 16 });
        let member = Member { offset: Some(0), ..Member::new("gl_ClipPlane", array) };
        let block = StructType { name: "gl_ClipPlanes".into(), members: Box::new([member]), block: true };
        let ty = shader.types.intern(Type::Struct(block));
        let mut var = Variable::new("gl_ClipPlanes", ty, Modes::UBO);
        (var.binding, var.access) = (Some(self.binding), Access::NON_WRITEABLE);
        Ok(Planes { block: shader.add_var(var), field: 0 })
    }

    /// Writes the distances at all exits of outputs.
    fn write(&self, shader: &mut Shader, from: VarId, planes: Planes, distances: VarId) {
        let points = output_points(shader);
        let Shader { types, vars, functions, .. } = shader;
        for point in points.iter().filter(|p| p.is_of(&vars[distances])) {
            let Some(function) = functions.get_mut(point.function) else { continue };
            let mut b = Builder::at(&mut function.body, point.at);
            b.flags = AluFlags::EXACT;
            let vertex = b.deref_var(vars, from);
            let vertex = b.load_deref(vertex, Ty::new(4, 32));
            let block = b.deref_var(vars, planes.block);
            let array = b.deref_struct(types, block, planes.field);
            let to = b.deref_var(vars, distances);
            for i in 0..u32::BITS - self.planes.leading_zeros() {
                let index = b.imm_u32(i);
                let distance = if self.planes >> i & 1 != 0 {
                    let plane = b.deref_array(types, array, index);
                    let plane = b.load_deref(plane, Ty::new(4, 32));
                    b.fdot(vertex, plane)
                } else {
                    b.imm_f32(0.0)
                };
                let element = b.deref_array(types, to, index);
                b.store_deref(element, distance);
            }
        }
    }
}

/// `gl_ClipPlane` in a uniform block of the shader.
fn known_planes(shader: &Shader, count: u32) -> Result<Option<Planes>, Diagnostic> {
    for (block, v) in shader.vars.iter().filter(|(_, v)| v.mode == Modes::UBO) {
        let Type::Struct(s) = &shader.types[v.ty] else { continue };
        let Some(field) = s.members.iter().position(|m| &*m.name == "gl_ClipPlane") else { continue };
        let fits = matches!(shader.types[s.members[field].ty], Type::Array { elem, len, .. }
            if len >= count && shader.types[elem] == Type::Vector { scalar: Scalar::Float32, comps: 4 });
        if !fits {
            let message =
                format!("`gl_ClipPlane`: expected an array of at least {count} vectors of 4 32-bit floats");
            return Err(Diagnostic::error("E0330", message));
        }
        return Ok(Some(Planes { block, field: field as u32 }));
    }
    Ok(None)
}

/// `gl_ClipDistance`; replaces one without derefs.
fn add_distances(shader: &mut Shader, count: u32, stream: u8) -> VarId {
    if let Some(unused) = output_at(shader, Slot::CLIP_DIST0) {
        shader.vars.remove(unused);
    }
    let float = shader.types.vector(Scalar::Float32, 1);
    let array = shader.types.array(float, count);
    let mut var = Variable::new("gl_ClipDistance", array, Modes::OUT);
    (var.location, var.stream) = (Some(Slot::CLIP_DIST0), stream);
    shader.add_var(var)
}
