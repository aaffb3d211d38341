//! Culls primitives of mesh shaders by their cull distances, and copies clip distances to varyings.
//!
//! Requires and preserves form `variables`, and an entry function with one exit and without calls
//! ([`lower_returns`](crate::lower::lower_returns), [`inline_functions`](crate::lower::inline_functions)). A mesh
//! shader knows the vertices of its primitives, so culling is exact and takes no varyings: a primitive is culled if one
//! cull distance is negative at all of its vertices, or if the shader culls it. A NaN does not cull.
//!
//! The distances, the indices, and `gl_CullPrimitiveEXT` if it is written, become workgroup variables, where any
//! invocation may write its part and all may read; distances that nothing writes are zero. At the end all invocations
//! synchronise and share the vertices and primitives that the mesh has. With `location`, clip distances go to vectors of
//! four floats there, for [`clip_distances_to_discard`](crate::gl::clip_distances_to_discard). With `clip_read` and
//! `cull_read`, both kinds go to vectors for fragment shaders that read them
//! ([`clip_distances_from_varyings`](crate::gl::clip_distances_from_varyings)).
//!
//! Source: the semantics of `gl_CullPrimitiveEXT` (GLSL_EXT_mesh_shader) and of cull distances (Vulkan 1.3 section 27.4).
//!
//! ```foil-example (location=3)
//! foil 1
//! shader mesh "t" {
//!   form variables
//!   workgroup_size 1 1 1
//!   output_primitive points
//!   max_vertices 1
//!   max_primitives 1
//!   out float[1][1] clip location=clip_dist0
//!   entry fn main {
//!     32x1 %one = const 1
//!     set_mesh_outputs %one, %one
//!     32x1 %i = load_local_invocation_index
//!     32x1 %d = const 1.0
//!     %c = deref_var &clip
//!     %v = deref_array %c[%i]
//!     %e = deref_array %v[%i]
//!     store_deref %e, %d
//!   }
//! }
//! =>
//! foil 1
//! shader mesh "t" {
//!   form variables
//!   workgroup_size 1 1 1
//!   output_primitive points
//!   max_vertices 1
//!   max_primitives 1
//!   shared float[1][1] clip
//!   out vec4[1] clip0 location=3 complete
//!   shader_temp uint mesh_vertices = zero
//!   shader_temp uint mesh_primitives = zero
//!   shader_temp uint mesh_part
//!   shader_temp uint mesh_part.1
//!
//!   fn main {
//!   b0:
//!     32x1 %0 = load_local_invocation_index
//!     32x3 %1 = load_workgroup_size
//!     32x1 %2 = mov %1.x
//!     32x1 %3 = mov %1.y
//!     32x1 %4 = mov %1.z
//!     32x1 %5 = imul %2, %3
//!     32x1 %6 = imul %5, %4
//!     %7 = deref_var &mesh_part.1
//!     store_deref %7, %0 mask=x
//!     32x1 %8 = const 1
//!     loop {
//!     b1:
//!       %9 = deref_var &mesh_part.1
//!       32x1 %10 = load_deref %9
//!       1x1 %11 = uge %10, %8
//!       if %11 {
//!       b2:
//!         break
//!       }
//!     b3:
//!       %12 = deref_var &clip
//!       %13 = deref_array %12[%10]
//!       32x1 %14 = const 0
//!       %15 = deref_array %13[%14]
//!       32x1 %16 = const 0
//!       store_deref %15, %16 mask=x
//!       32x1 %17 = iadd %10, %6
//!       store_deref %9, %17 mask=x
//!     }
//!   b4:
//!     barrier execution=workgroup memory=workgroup modes=shared semantics=acquire|release
//!     32x1 %18 = const 1
//!     %19 = deref_var &mesh_vertices
//!     store_deref %19, %18 mask=x
//!     %20 = deref_var &mesh_primitives
//!     store_deref %20, %18 mask=x
//!     set_mesh_outputs %18, %18
//!     32x1 %21 = load_local_invocation_index
//!     32x1 %22 = const 1.0
//!     %23 = deref_var &clip
//!     %24 = deref_array %23[%21]
//!     %25 = deref_array %24[%21]
//!     store_deref %25, %22 mask=x
//!     barrier execution=workgroup memory=workgroup modes=shared semantics=acquire|release
//!     32x1 %26 = load_local_invocation_index
//!     32x3 %27 = load_workgroup_size
//!     32x1 %28 = mov %27.x
//!     32x1 %29 = mov %27.y
//!     32x1 %30 = mov %27.z
//!     32x1 %31 = imul %28, %29
//!     32x1 %32 = imul %31, %30
//!     %33 = deref_var &mesh_vertices
//!     32x1 %34 = load_deref %33
//!     %35 = deref_var &mesh_part
//!     store_deref %35, %26 mask=x
//!     loop {
//!     b5:
//!       32x1 %36 = load_deref %35
//!       1x1 %37 = uge %36, %34
//!       if %37 {
//!       b6:
//!         break
//!       }
//!     b7:
//!       %38 = deref_var &clip
//!       %39 = deref_array %38[%36]
//!       32x1 %40 = const 0
//!       %41 = deref_array %39[%40]
//!       32x1 %42 = load_deref %41
//!       32x1 %43 = const 0
//!       32x4 %44 = vec4 %42, %43, %43, %43
//!       %45 = deref_var &clip0
//!       %46 = deref_array %45[%36]
//!       store_deref %46, %44 mask=xyzw
//!       32x1 %47 = iadd %36, %32
//!       store_deref %35, %47 mask=x
//!     }
//!   b8:
//!   }
//! }
//! ```

use super::lower_clip_distance_arrays::{Distances, find};
use crate::stages::mesh_outputs_to_shared::{MOST_BYTES, Work, only_end, share, share_work};
use crate::util::distances::{NO_LOCATION, expect_free, expect_separate, slot_and_name};
use crate::util::outputs::{is_used, output_at};
use crate::vars::lower_shared_initializers::barrier;
use crate::{Changes, Context, Pass, PassInfo, Results, pass_options};
use airfoil_ir::{
    Builder, Constant, Cursor, Diagnostic, Form, FuncId, InstrId, IntrinsicOp, Jump, Modes, Scalar, Shader,
    Slot, Src, Stage, SystemValue, Ty, Type, Types, VarId, Variable,
};
use slotmap::SlotMap;

pass_options! {
    /// See the [module documentation](self).
    pub struct MeshDistances {
        /// First location of the varyings with clip distances to be tested; none if it is omitted.
        location: u32 = NO_LOCATION,
        /// First location of the varyings with clip distances to be read.
        clip_read: u32 = NO_LOCATION,
        /// First location of the varyings with cull distances to be read.
        cull_read: u32 = NO_LOCATION,
    }
}

static INFO: PassInfo = PassInfo::new(
    "mesh_distances",
    "culls primitives of mesh shaders by their cull distances, and copies clip distances to varyings",
    include_str!("mesh_distances.rs"),
)
.takes(&[Form::Variables])
.options(<MeshDistances as crate::PassOptions>::OPTIONS)
.results(Results::All);

impl Pass for MeshDistances {
    fn info(&self) -> &'static PassInfo {
        &INFO
    }

    fn options(&self) -> Vec<(&'static str, String)> {
        crate::PassOptions::settings(self)
    }

    fn run(&self, shader: &mut Shader, _: &mut Context) -> Result<Changes, Diagnostic> {
        let Some(entry) = shader.entry.filter(|&e| shader.functions.contains_key(e)) else {
            return Ok(Changes::NONE);
        };
        if shader.stage != Stage::Mesh {
            return Ok(Changes::NONE);
        }
        expect_separate(shader, Modes::OUT)?;
        let kinds = [distances(shader, false)?, distances(shader, true)?];
        if kinds.iter().all(Option::is_none) {
            return Ok(Changes::NONE);
        }
        let end = only_end(shader, entry)?;
        // Varyings first: errors leave the shader as it is.
        let mut copies = Vec::new();
        for (d, location) in
            [(kinds[0], self.location), (kinds[0], self.clip_read), (kinds[1], self.cull_read)]
        {
            if let Some(d) = d.filter(|_| location != NO_LOCATION) {
                copies.push((d, vertex_varyings(shader, d, location)?));
            }
        }
        let indices = output_at(shader, Slot::PRIMITIVE_INDICES).filter(|&v| is_used(shader, v));
        let culled = kinds[1].zip(indices);
        let given = output_at(shader, Slot::CULL_PRIMITIVE);
        let bytes = |v: VarId| shader.types.size(shader.vars[v].ty);
        let kept = kinds.iter().flatten().map(|d| d.var).chain(culled.map(|c| c.1));
        let total = kept.fold(0u32, |sum, v| sum.saturating_add(bytes(v)));
        if total > MOST_BYTES {
            let message = format!("distances and indices of {total} bytes must be kept in workgroup memory");
            return Err(Diagnostic::error("E0347", message));
        }
        let mut cleared = Vec::new();
        for d in kinds.iter().flatten() {
            let output = share(shader, d.var);
            shader.vars.remove(output);
            cleared.push((d.var, d.var));
        }
        let culling = match culled {
            Some((d, indices)) => {
                let own = given.filter(|&v| is_used(shader, v)).map(|v| (v, share(shader, v)));
                cleared.extend(own.map(|(kept, _)| (kept, kept)));
                let output = match (own, given) {
                    (Some((_, output)), _) => output,
                    (None, Some(unused)) => unused,
                    (None, None) => cull_primitive(shader),
                };
                let kept = (indices, share(shader, indices));
                Some(Culling { d, indices: kept, own: own.map(|o| o.0), output })
            }
            None => None,
        };
        let counts = count_outputs(shader, entry);
        finish(shader, entry, end, counts, &copies, culling.as_ref());
        let start = Cursor::BlockStart(shader.functions[entry].body.entry());
        share_work(shader, entry, start, &cleared, Work::Clear)?;
        Ok(Changes::ALL)
    }
}

/// Distances of the vertices of a mesh that the shader accesses.
fn distances(shader: &Shader, cull: bool) -> Result<Option<Distances>, Diagnostic> {
    let slot = slot_and_name(cull).0;
    let Some(d) = find(shader, Modes::OUT, slot)?.filter(|d| is_used(shader, d.var)) else { return Ok(None) };
    if d.vertices.is_none() || d.len > 8 {
        let message = format!("{slot}: expected an array of at most 8 distances for each vertex");
        return Err(Diagnostic::error("E0327", message));
    }
    Ok(Some(d))
}

/// Vectors of four floats for each vertex.
fn vertex_varyings(shader: &mut Shader, d: Distances, location: u32) -> Result<Vec<VarId>, Diagnostic> {
    let slots = expect_free(shader, Modes::OUT, location, d.len.div_ceil(4))?;
    let vec4 = shader.types.vector(Scalar::Float32, 4);
    let ty = shader.types.array(vec4, d.vertices.unwrap_or(0));
    let name = shader.vars[d.var].name.clone();
    let add = |(n, slot): (usize, Slot)| {
        let mut var = Variable::new(&format!("{name}{n}"), ty, Modes::OUT);
        (var.location, var.complete) = (Some(slot), true);
        shader.add_var(var)
    };
    Ok(slots.into_iter().enumerate().map(add).collect())
}

/// The output by which a mesh shader culls its primitives.
fn cull_primitive(shader: &mut Shader) -> VarId {
    let bool = shader.types.vector(Scalar::Bool, 1);
    let ty = shader.types.array(bool, shader.info.max_primitives.max(1));
    let mut var = Variable::new("gl_CullPrimitiveEXT", ty, Modes::OUT);
    (var.location, var.per_primitive, var.complete) = (Some(Slot::CULL_PRIMITIVE), true, true);
    shader.add_var(var)
}

/// Variables that remember the number of vertices and of primitives.
fn count_outputs(shader: &mut Shader, entry: FuncId) -> [VarId; 2] {
    let uint = shader.types.vector(Scalar::Uint32, 1);
    let counts = ["mesh_vertices", "mesh_primitives"].map(|name| {
        let mut var = Variable::new(name, uint, Modes::SHADER_TEMP);
        var.initializer = Some(Constant::Zero);
        shader.add_var(var)
    });
    let Shader { vars, functions, .. } = shader;
    let body = &mut functions[entry].body;
    let sets: Vec<InstrId> = body
        .all_instrs()
        .filter(|&id| body[id].as_intrinsic().is_some_and(|i| i.op == IntrinsicOp::set_mesh_outputs))
        .collect();
    for id in sets {
        let Some(&set) = body[id].as_intrinsic() else { continue };
        let mut b = Builder::before(body, id);
        for (n, &var) in counts.iter().enumerate() {
            let place = b.deref_var(vars, var);
            b.store_deref(place, set.src(n));
        }
    }
    counts
}

/// The variables that culling takes.
struct Culling {
    d: Distances,
    /// In workgroup memory, and the output.
    indices: (VarId, VarId),
    /// Primitives that the shader culls itself.
    own: Option<VarId>,
    output: VarId,
}

/// Writes the outputs that depend on distances.
fn finish(
    shader: &mut Shader,
    entry: FuncId,
    end: Cursor,
    [vertices, primitives]: [VarId; 2],
    copies: &[(Distances, Vec<VarId>)],
    culling: Option<&Culling>,
) {
    let Shader { types, vars, functions, .. } = shader;
    let uint = types.vector(Scalar::Uint32, 1);
    let at = vars.insert(Variable::new("mesh_part", uint, Modes::SHADER_TEMP));
    let mut b = Builder::at(&mut functions[entry].body, end);
    barrier(&mut b);
    let index = b.load_system_value(SystemValue::local_invocation_index);
    let size = b.load_system_value(SystemValue::workgroup_size);
    let [x, y, z] = [0, 1, 2].map(|c| b.channel(size, c));
    let plane = b.imul(x, y);
    let step = b.imul(plane, z);
    if !copies.is_empty() {
        each(&mut b, vars, at, vertices, (index, step), |b, vars, n| {
            copies.iter().for_each(|(d, varyings)| copy(b, types, vars, *d, varyings, n));
        });
    }
    if let Some(culling) = culling {
        each(&mut b, vars, at, primitives, (index, step), |b, vars, n| cull(b, types, vars, culling, n));
    }
}

/// Emits a loop in which an invocation handles each part that is its own.
fn each(
    b: &mut Builder,
    vars: &SlotMap<VarId, Variable>,
    at: VarId,
    count: VarId,
    (index, step): (InstrId, InstrId),
    part: impl FnOnce(&mut Builder, &SlotMap<VarId, Variable>, InstrId),
) {
    let count = b.deref_var(vars, count);
    let count = b.load_deref(count, Ty::B32);
    let place = b.deref_var(vars, at);
    b.store_deref(place, index);
    let cf = b.push_loop();
    let n = b.load_deref(place, Ty::B32);
    let over = b.uge(n, count);
    let done = b.push_if(over);
    b.jump(Jump::Break);
    b.pop(done);
    part(b, vars, n);
    let next = b.iadd(n, step);
    b.store_deref(place, next);
    b.pop(cf);
}

/// Copies the distances of vertex `n` to its varyings.
fn copy(
    b: &mut Builder,
    types: &mut Types,
    vars: &SlotMap<VarId, Variable>,
    d: Distances,
    varyings: &[VarId],
    n: InstrId,
) {
    let all = b.deref_var(vars, d.var);
    let own = b.deref_array(types, all, n);
    for (k, &varying) in (0u32..).zip(varyings) {
        let mut lanes = [None; 4];
        for (i, lane) in (4 * k..d.len).zip(&mut lanes) {
            let element = b.deref_array_imm(types, own, i);
            *lane = Some(b.load_deref(element, Ty::B32));
        }
        let pad = b.imm_f32(0.0);
        let lanes = lanes.map(|lane| Src::from(lane.unwrap_or(pad)));
        let vector = b.vec_srcs(&lanes);
        let to = b.deref_var(vars, varying);
        let to = b.deref_array(types, to, n);
        b.store_deref(to, vector);
    }
}

/// Writes the indices of primitive `n`, and whether it is culled.
fn cull(b: &mut Builder, types: &mut Types, vars: &SlotMap<VarId, Variable>, c: &Culling, n: InstrId) {
    let element = |b: &mut Builder, types: &mut Types, var: VarId| {
        let all = b.deref_var(vars, var);
        b.deref_array(types, all, n)
    };
    let corners = match types[vars[c.indices.0].ty] {
        Type::Array { elem, .. } => types.value_ty(elem).unwrap_or(Ty::B32),
        _ => Ty::B32,
    };
    let kept = element(b, types, c.indices.0);
    let indices = b.load_deref(kept, corners);
    let to = element(b, types, c.indices.1);
    b.store_deref(to, indices);
    let zero = b.imm_f32(0.0);
    let all = b.deref_var(vars, c.d.var);
    let vertices: Vec<InstrId> = (0..usize::from(corners.comps))
        .map(|corner| {
            let index = b.channel(indices, corner);
            b.deref_array(types, all, index)
        })
        .collect();
    let mut culled = match c.own {
        Some(own) => {
            let own = element(b, types, own);
            b.load_deref(own, Ty::BOOL)
        }
        None => b.imm_bool(false),
    };
    for i in 0..c.d.len {
        let mut outside = b.imm_bool(true);
        for &vertex in &vertices {
            let distance = b.deref_array_imm(types, vertex, i);
            let distance = b.load_deref(distance, Ty::B32);
            let negative = b.flt(distance, zero);
            outside = b.iand(outside, negative);
        }
        culled = b.ior(culled, outside);
    }
    let to = element(b, types, c.output);
    b.store_deref(to, culled);
}
