//! Keeps outputs of mesh shaders in workgroup memory where Metal cannot write them directly.
//!
//! Requires and preserves form `variables`. Metal writes mesh outputs one whole value at a time and cannot
//! read them. An output that is read, or whose vectors are written in parts (some components, or one with a
//! dynamic index), becomes a workgroup variable, where any invocation may write its part. At the start it is
//! filled with zeros, which the parts that nothing writes keep. At the end all invocations synchronise, and
//! each copies some of the vertices or primitives to the actual output: those whose index equals its own plus
//! a multiple of the workgroup size. Clip distances and indices may be written one by one and stay, unless
//! they are read.
//!
//! The entry function must have one exit ([`lower_returns`](crate::lower::lower_returns)) and no calls with
//! references to outputs as arguments ([`inline_functions`](crate::lower::inline_functions)). At most 32 KiB
//! of outputs in workgroup memory are supported. Linear.
//!
//! ```foil-example
//! foil 1
//! shader mesh "t" {
//!   form variables
//!   workgroup_size 4 1 1
//!   output_primitive points
//!   max_vertices 4
//!   max_primitives 4
//!   out vec2[4] c location=0
//!   entry fn main {
//!     32x1 %four = const 4
//!     set_mesh_outputs %four, %four
//!     32x1 %i = load_local_invocation_index
//!     32x2 %v = const 1.0, 2.0
//!     %c = deref_var &c
//!     %ci = deref_array %c[%i]
//!     store_deref %ci, %v mask=x
//!   }
//! }
//! =>
//! foil 1
//! shader mesh "t" {
//!   form variables
//!   workgroup_size 4 1 1
//!   output_primitive points
//!   max_vertices 4
//!   max_primitives 4
//!   shared vec2[4] c
//!   out vec2[4] c.1 location=0 complete
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
//!     32x1 %8 = const 4
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
//!       %12 = deref_var &c
//!       %13 = deref_array %12[%10]
//!       32x2 %14 = const 0, 0
//!       store_deref %13, %14 mask=xy
//!       32x1 %15 = iadd %10, %6
//!       store_deref %9, %15 mask=x
//!     }
//!   b4:
//!     barrier execution=workgroup memory=workgroup modes=shared semantics=acquire|release
//!     32x1 %16 = const 4
//!     set_mesh_outputs %16, %16
//!     32x1 %17 = load_local_invocation_index
//!     32x2 %18 = const 1.0, 2.0
//!     %19 = deref_var &c
//!     %20 = deref_array %19[%17]
//!     store_deref %20, %18 mask=x
//!     barrier execution=workgroup memory=workgroup modes=shared semantics=acquire|release
//!     32x1 %21 = load_local_invocation_index
//!     32x3 %22 = load_workgroup_size
//!     32x1 %23 = mov %22.x
//!     32x1 %24 = mov %22.y
//!     32x1 %25 = mov %22.z
//!     32x1 %26 = imul %23, %24
//!     32x1 %27 = imul %26, %25
//!     %28 = deref_var &mesh_part
//!     store_deref %28, %21 mask=x
//!     32x1 %29 = const 4
//!     loop {
//!     b5:
//!       %30 = deref_var &mesh_part
//!       32x1 %31 = load_deref %30
//!       1x1 %32 = uge %31, %29
//!       if %32 {
//!       b6:
//!         break
//!       }
//!     b7:
//!       %33 = deref_var &c
//!       %34 = deref_array %33[%31]
//!       %35 = deref_var &c.1
//!       %36 = deref_array %35[%31]
//!       32x2 %37 = load_deref %34
//!       store_deref %36, %37 mask=xy
//!       32x1 %38 = iadd %31, %27
//!       store_deref %30, %38 mask=x
//!     }
//!   b8:
//!   }
//! }
//! ```

use crate::util::deref_path::root_var;
use crate::util::outputs::{move_derefs, output_points};
use crate::vars::lower_shared_initializers::barrier;
use crate::vars::lower_var_copies::emit_copy;
use crate::vars::lower_variable_initializers::store_constant;
use crate::{Changes, Context, Pass, PassInfo, Results};
use airfoil_ir::{
    Access, Body, Builder, Constant, Cursor, Diagnostic, Form, FuncId, InstrId, Intrinsic, IntrinsicOp, Jump,
    Modes, Scalar, Shader, Slot, Stage, SystemValue, Ty, Type, Types, VarId, Variable,
};

/// Size of workgroup memory in bytes (Metal feature set tables).
pub(crate) const MOST_BYTES: u32 = 32 << 10;

/// See the [module documentation](self).
#[derive(Debug, Default)]
pub struct MeshOutputsToShared;

static INFO: PassInfo = PassInfo::new(
    "mesh_outputs_to_shared",
    "keeps mesh outputs that are read or partially written in workgroup memory",
    include_str!("mesh_outputs_to_shared.rs"),
)
.takes(&[Form::Variables])
// Outputs are the same, but checks execute a part of a workgroup, which copies only a part of the outputs.
.results(Results::All);

impl Pass for MeshOutputsToShared {
    fn info(&self) -> &'static PassInfo {
        &INFO
    }

    fn run(&self, shader: &mut Shader, _: &mut Context) -> Result<Changes, Diagnostic> {
        let Some(entry) = shader.entry.filter(|&e| shader.functions.contains_key(e)) else {
            return Ok(Changes::NONE);
        };
        if shader.stage != Stage::Mesh {
            return Ok(Changes::NONE);
        }
        let vars = needed(shader);
        if vars.is_empty() {
            return Ok(Changes::NONE);
        }
        let end = only_end(shader, entry)?;
        let bytes: u32 = vars.iter().fold(0, |n, &v| n.saturating_add(shader.types.size(shader.vars[v].ty)));
        if bytes > MOST_BYTES {
            let message = format!("outputs of {bytes} bytes must be kept in workgroup memory");
            return Err(Diagnostic::error("E0347", message).help(format!(
                "they are read or written in parts; workgroup memory has {MOST_BYTES} bytes"
            )));
        }
        let pairs: Vec<(VarId, VarId)> = vars.into_iter().map(|v| (v, share(shader, v))).collect();
        share_work(shader, entry, end, &pairs, Work::CopyBack)?;
        let start = shader.functions[entry].body.entry();
        share_work(shader, entry, Cursor::BlockStart(start), &pairs, Work::Clear)?;
        Ok(Changes::ALL)
    }
}

/// Arrays of outputs that are read, or whose vectors are written in parts, in declaration order.
fn needed(shader: &Shader) -> Vec<VarId> {
    let mut found: slotmap::SecondaryMap<VarId, ()> = slotmap::SecondaryMap::new();
    for function in shader.functions.values() {
        let body = &function.body;
        for id in body.all_instrs() {
            let Some(i) = body[id].as_intrinsic() else { continue };
            for (n, &value) in i.srcs().iter().enumerate() {
                let output = body[value].as_deref().filter(|d| d.modes.intersects(Modes::OUT));
                let Some(var) = output.and_then(|_| root_var(body, value)) else { continue };
                let whole = match (i.op, n) {
                    (IntrinsicOp::store_deref, 0) => {
                        by_parts(&shader.vars[var]) || is_whole(shader, body, value, i)
                    }
                    (IntrinsicOp::copy_deref, 0) => true,
                    _ => false,
                };
                if !whole {
                    found.insert(var, ());
                }
            }
        }
    }
    let is_array = |v: VarId| matches!(shader.types[shader.vars[v].ty], Type::Array { .. });
    shader.vars.keys().filter(|&v| found.contains_key(v) && is_array(v)).collect()
}

/// Outputs that Metal writes component by component.
fn by_parts(v: &Variable) -> bool {
    matches!(v.location, Some(Slot::CLIP_DIST0 | Slot::CULL_DIST0 | Slot::PRIMITIVE_INDICES))
}

/// Whether a store writes a whole vector that is not part of another.
fn is_whole(shader: &Shader, body: &Body, deref: InstrId, store: &Intrinsic) -> bool {
    let parent = body[deref].as_deref().and_then(|d| d.parent()).and_then(|p| body[p].as_deref());
    let of_vector = parent.is_some_and(|p| matches!(shader.types[p.ty], Type::Vector { .. }));
    let full = u32::from(body[store.src(1)].ty.full_mask());
    !of_vector && store.write_mask() & full == full
}

/// The end of the entry function.
pub(crate) fn only_end(shader: &Shader, entry: FuncId) -> Result<Cursor, Diagnostic> {
    match output_points(shader).as_slice() {
        [end] if end.function == entry => Ok(end.at),
        _ => {
            let message = "mesh_outputs_to_shared requires an entry function with one exit";
            Err(Diagnostic::error("E0347", message).help("run lower_returns and inline_functions first"))
        }
    }
}

/// Turns an output into a workgroup variable and declares a new output with its name and location; returns
/// that.
pub(crate) fn share(shader: &mut Shader, var: VarId) -> VarId {
    move_derefs(shader, var, Modes::SHARED);
    let old = &shader.vars[var];
    let mut shared = Variable::new(&old.name, old.ty, Modes::SHARED);
    shared.precision = old.precision;
    let mut output = std::mem::replace(&mut shader.vars[var], shared);
    output.complete = true;
    shader.add_var(output)
}

/// Work that the invocations share.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Work {
    /// Fills workgroup memory with zeros, and then synchronises.
    Clear,
    /// Synchronises, and then copies workgroup memory to the outputs.
    CopyBack,
}

/// Emits a loop over the vertices or primitives for each invocation, and a barrier.
pub(crate) fn share_work(
    shader: &mut Shader,
    entry: FuncId,
    at: Cursor,
    pairs: &[(VarId, VarId)],
    work: Work,
) -> Result<(), Diagnostic> {
    let Shader { types, vars, functions, .. } = shader;
    let mut b = Builder::at(&mut functions[entry].body, at);
    if work == Work::CopyBack {
        barrier(&mut b);
    }
    let index = b.load_system_value(SystemValue::local_invocation_index);
    let size = b.load_system_value(SystemValue::workgroup_size);
    let [x, y, z] = [0, 1, 2].map(|c| b.channel(size, c));
    let plane = b.imul(x, y);
    let step = b.imul(plane, z);
    let uint = types.vector(Scalar::Uint32, 1);
    // Outputs of one length share a loop.
    let length = |types: &Types, ty| types.num_elements(ty).unwrap_or(0);
    let mut lengths: Vec<u32> = pairs.iter().map(|p| length(types, vars[p.1].ty)).collect();
    lengths.sort_unstable();
    lengths.dedup();
    for len in lengths {
        let list: Vec<(VarId, VarId)> =
            pairs.iter().copied().filter(|p| length(types, vars[p.1].ty) == len).collect();
        let number = vars.insert(Variable::new("mesh_part", uint, Modes::SHADER_TEMP));
        let place = b.deref_var(vars, number);
        b.store_deref(place, index);
        let most = b.imm_u32(len);
        let cf = b.push_loop();
        let place = b.deref_var(vars, number);
        let at = b.load_deref(place, Ty::B32);
        let over = b.uge(at, most);
        let done = b.push_if(over);
        b.jump(Jump::Break);
        b.pop(done);
        for (shared, output) in list {
            let kept = b.deref_var(vars, shared);
            let kept = b.deref_array(types, kept, at);
            match work {
                Work::Clear => {
                    store_constant(types, &mut b, kept, &Constant::Zero, &vars[shared].name)?;
                }
                Work::CopyBack => {
                    let to = b.deref_var(vars, output);
                    let to = b.deref_array(types, to, at);
                    emit_copy(types, &mut b, to, kept, Access::empty(), Access::empty())?;
                }
            }
        }
        let next = b.iadd(at, step);
        b.store_deref(place, next);
        b.pop(cf);
    }
    if work == Work::Clear {
        barrier(&mut b);
    }
    Ok(())
}
