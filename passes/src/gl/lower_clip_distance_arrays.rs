//! Merges `gl_ClipDistance` and `gl_CullDistance` into one compact array, clip distances first.
//!
//! Requires and preserves form `variables`. Preserves control flow. Applies to outputs and inputs at
//! `clip_dist0` and `cull_dist0`, including those with an outer array of vertices. The merged array is
//! `compact`: four elements per slot, from `clip_dist0` on.
//! [`StageInfo::clip_distances`](airfoil_ir::StageInfo::clip_distances) and `cull_distances` are the number
//! of each, for the outputs if a stage has both. Variables without derefs (compilers declare unused ones in
//! `gl_PerVertex`) are removed and do not count. Elements of an output that no store can reach are set to
//! 0.0, which neither clips nor culls: at the start, or before each vertex that a geometry shader emits.
//! Copies are lowered. More than 8 elements in total, and whole arrays as arguments of calls, are not
//! supported.
//!
//! Source: NIR's `nir_lower_clip_cull_distance_array_vars`, `gl_nir_zero_initialize_clip_distance`.
//!
//! ```foil-example
//! foil 1
//! shader vertex "t" {
//!   form variables
//!   out float[1] clip location=clip_dist0
//!   out float[1] cull location=cull_dist0
//!   entry fn main {
//!     %c = deref_var &clip
//!     32x1 %0 = const 0
//!     32x1 %1 = const 1.0
//!     %2 = deref_array %c[%0]
//!     store_deref %2, %1
//!   }
//! }
//! =>
//! foil 1
//! shader vertex "t" {
//!   form variables
//!   clip_distances 1
//!   out float[1] clip location=clip_dist0 compact
//!
//!   fn main {
//!   b0:
//!     %0 = deref_var &clip
//!     32x1 %1 = const 0
//!     32x1 %2 = const 1.0
//!     %3 = deref_array %0[%1]
//!     store_deref %3, %2 mask=x
//!   }
//! }
//! ```

use crate::util::deref_path::{DerefPath, Root, Step};
use crate::util::outputs::is_named;
use crate::vars::lower_var_copies::lower_copies;
use crate::{Changes, Context, Pass, PassInfo};
use airfoil_ir::{
    Body, Builder, Cursor, DerefKind, Diagnostic, Form, InstrId, InstrKind, IntrinsicOp, Modes, Shader, Slot,
    Stage, Type, TypeId, Types, VarId,
};

/// See the [module documentation](self).
#[derive(Debug, Default)]
pub struct LowerClipDistanceArrays;

static INFO: PassInfo = PassInfo::new(
    "lower_clip_distance_arrays",
    "merges clip and cull distances into one compact array",
    include_str!("lower_clip_distance_arrays.rs"),
)
.takes(&[Form::Variables]);

/// Maximum number of clip and cull distances (OpenGL 4.6 table 23.54, Vulkan
/// maxCombinedClipAndCullDistances).
const MAX_DISTANCES: u32 = 8;

impl Pass for LowerClipDistanceArrays {
    fn info(&self) -> &'static PassInfo {
        &INFO
    }

    fn run(&self, shader: &mut Shader, _: &mut Context) -> Result<Changes, Diagnostic> {
        let inputs = lower(shader, Modes::IN)?;
        // Outputs last: they determine the counts of a stage that has both.
        Ok(inputs | lower(shader, Modes::OUT)?)
    }
}

/// A distance variable: the array, and the array of vertices around it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Distances {
    /// The variable.
    pub var: VarId,
    /// Elements.
    pub len: u32,
    /// Length of the array of vertices around it.
    pub vertices: Option<u32>,
    elem: TypeId,
}

/// The distances at a slot, unless they are in one compact array already.
pub(crate) fn find(shader: &Shader, mode: Modes, slot: Slot) -> Result<Option<Distances>, Diagnostic> {
    let var = shader.vars.iter().find(|(_, v)| v.mode == mode && v.location == Some(slot) && !v.compact);
    let Some((var, v)) = var else { return Ok(None) };
    let refuse = || {
        Diagnostic::error(
            "E0353",
            format!("`{}` (slot {slot}): expected a float array of fixed length", v.name),
        )
    };
    let Type::Array { elem, len, .. } = shader.types[v.ty] else { return Err(refuse()) };
    let (elem, len, vertices) = match shader.types[elem] {
        Type::Array { elem: inner, len: inner_len, .. } => (inner, inner_len, Some(len)),
        _ => (elem, len, None),
    };
    if len == 0 || shader.types.value_ty(elem).is_none_or(|t| t.comps != 1) {
        return Err(refuse());
    }
    Ok(Some(Distances { var, len, vertices, elem }))
}

fn lower(shader: &mut Shader, mode: Modes) -> Result<Changes, Diagnostic> {
    let mut found = [find(shader, mode, Slot::CLIP_DIST0)?, find(shader, mode, Slot::CULL_DIST0)?];
    let mut progress = Changes::NONE;
    for d in &mut found {
        if let Some(unused) = d.filter(|d| !is_named(shader, d.var)) {
            shader.vars.remove(unused.var);
            *d = None;
            progress = Changes::ALL_BUT_CONTROL_FLOW;
        }
    }
    let [clip, cull] = found;
    let Some(first) = clip.or(cull) else { return Ok(progress) };
    let [clip_len, cull_len] = found.map(|d| d.map_or(0, |d| d.len));
    let total = clip_len + cull_len;
    if total > MAX_DISTANCES {
        return Err(Diagnostic::error(
            "E0354",
            format!(
                "expected at most {MAX_DISTANCES} clip and cull distances, found {clip_len} and {cull_len}"
            ),
        ));
    }
    if found.iter().flatten().any(|d| d.vertices != first.vertices) {
        return Err(Diagnostic::error("E0353", "clip and cull distances have different numbers of vertices"));
    }
    if mode == Modes::OUT || (shader.info.clip_distances, shader.info.cull_distances) == (0, 0) {
        (shader.info.clip_distances, shader.info.cull_distances) = (clip_len as u8, cull_len as u8);
    }
    let inner = shader.types.array(first.elem, total);
    let ty = match first.vertices {
        Some(n) => shader.types.array(inner, n),
        None => inner,
    };
    let mut written = 0u32;
    let ids: Vec<_> = shader.functions.keys().collect();
    for id in ids {
        let Some(function) = shader.functions.get_mut(id) else { continue };
        let _ = lower_copies(&mut shader.types, &mut function.body, mode)?;
        let types = [ty, inner];
        for (d, shift) in [(clip, 0), (cull, clip_len)] {
            if let Some(d) = d {
                written |= redirect(&mut function.body, d, first, types, shift)?;
            }
        }
    }
    let v = &mut shader.vars[first.var];
    (v.ty, v.compact, v.location) = (ty, true, Some(Slot::CLIP_DIST0));
    if let (Some(_), Some(cull)) = (clip, cull) {
        v.name = "clip_cull_distances".into();
        shader.vars.remove(cull.var);
    }
    if mode == Modes::OUT && first.vertices.is_none() {
        clear_unwritten(shader, first.var, total, written);
    }
    Ok(Changes::ALL_BUT_CONTROL_FLOW)
}

/// Retargets the derefs of a distance variable to the merged one; returns the elements that stores may reach.
fn redirect(
    body: &mut Body,
    d: Distances,
    to: Distances,
    [whole, inner]: [TypeId; 2],
    shift: u32,
) -> Result<u32, Diagnostic> {
    let mut written = 0;
    let ids: Vec<InstrId> = body.all_instrs().collect();
    for id in ids {
        match &body[id].kind {
            InstrKind::Call(c) => {
                let names = |&v: &InstrId| {
                    body[v].as_deref().is_some() && DerefPath::new(body, v).root == Root::Var(d.var)
                };
                if shift != 0 && c.args.iter().any(names) {
                    return Err(Diagnostic::error(
                        "E0353",
                        "references to clip and cull distances are not supported as arguments of calls",
                    )
                    .help("run inline_functions first"));
                }
            }
            InstrKind::Intrinsic(i) if i.op == IntrinsicOp::store_deref => {
                let path = DerefPath::new(body, i.src(0));
                if path.root == Root::Var(d.var) {
                    written |= match path.steps.last() {
                        Some(&Step::Const(n)) if n < d.len => 1 << (n + shift),
                        _ => ((1 << d.len) - 1) << shift,
                    };
                }
            }
            _ => {}
        }
    }
    // The element derefs first, while the path still starts at the old variable.
    let depth = usize::from(d.vertices.is_some());
    let ids: Vec<(InstrId, usize)> = body
        .all_instrs()
        .filter(|&id| body[id].as_deref().is_some())
        .filter_map(|id| {
            let path = DerefPath::new(body, id);
            (path.root == Root::Var(d.var)).then_some((id, path.steps.len()))
        })
        .collect();
    for (id, steps) in ids {
        let Some(deref) = body[id].as_deref().copied() else { continue };
        let mut kind = deref.kind;
        if let (DerefKind::Array { parent, index }, true) = (kind, steps == depth + 1 && shift != 0) {
            let mut b = Builder::before(body, id);
            let by = b.imm_u32(shift);
            let index = b.iadd(index, by);
            kind = DerefKind::Array { parent, index };
        }
        if let DerefKind::Var(_) = kind {
            kind = DerefKind::Var(to.var);
        }
        let ty = match steps {
            0 => whole,
            n if n == depth => inner,
            _ => deref.ty,
        };
        body.edit(id, |i| {
            if let InstrKind::Deref(d) = &mut i.kind {
                (d.kind, d.ty) = (kind, ty);
            }
        });
    }
    Ok(written)
}

/// Sets the elements without stores to 0.0.
fn clear_unwritten(shader: &mut Shader, var: VarId, total: u32, written: u32) {
    let missing: Vec<u32> = (0..total).filter(|i| written & (1 << i) == 0).collect();
    if missing.is_empty() || written == 0 {
        return;
    }
    let geometry = shader.stage == Stage::Geometry;
    let entry = shader.entry;
    let Shader { types, vars, functions, .. } = shader;
    for (f, function) in functions.iter_mut() {
        let body = &mut function.body;
        let is_emit =
            |&id: &InstrId| body[id].as_intrinsic().is_some_and(|i| i.op == IntrinsicOp::emit_vertex);
        let mut places: Vec<Cursor> = Vec::new();
        if geometry {
            places.extend(body.all_instrs().filter(is_emit).map(Cursor::Before));
        } else if Some(f) == entry {
            places.push(Cursor::BlockStart(body.entry()));
        }
        for at in places {
            zero_elements(types, &mut Builder::at(body, at), vars, var, &missing);
        }
    }
}

fn zero_elements(
    types: &mut Types,
    b: &mut Builder,
    vars: &slotmap::SlotMap<VarId, airfoil_ir::Variable>,
    var: VarId,
    elements: &[u32],
) {
    let zero = b.imm_f32(0.0);
    let array = b.deref_var(vars, var);
    for &i in elements {
        let element = b.deref_array_imm(types, array, i);
        b.store_deref(element, zero);
    }
}
