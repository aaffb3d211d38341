//! Splits the compact array of clip and cull distances into `gl_ClipDistance` and `gl_CullDistance`.
//!
//! Requires and preserves form `variables`. Preserves control flow. The inverse of
//! [`lower_clip_distance_arrays`](crate::gl::lower_clip_distance_arrays), for passes that treat both kinds apart:
//! clip distances come first, their number is in [`StageInfo::clip_distances`](airfoil_ir::StageInfo::clip_distances).
//! An array of one kind only moves to its slot. If there are both, each element must be accessed at a constant index.
//!
//! Source: NIR's `nir_separate_merged_clip_cull_io`.
//!
//! ```foil-example
//! foil 1
//! shader vertex "t" {
//!   clip_distances 1
//!   cull_distances 1
//!   form variables
//!   out float[2] both location=clip_dist0 compact
//!   entry fn main {
//!     %b = deref_var &both
//!     32x1 %0 = const 1
//!     32x1 %1 = const 0.5
//!     %2 = deref_array %b[%0]
//!     store_deref %2, %1
//!   }
//! }
//! =>
//! foil 1
//! shader vertex "t" {
//!   form variables
//!   out float[1] both location=clip_dist0
//!   out float[1] cull_distances location=cull_dist0
//!   entry fn main {
//!     %b = deref_var &both
//!     32x1 %0 = const 1
//!     32x1 %1 = const 0.5
//!     %c = deref_var &cull_distances
//!     32x1 %z = const 0
//!     %2 = deref_array %c[%z]
//!     store_deref %2, %1
//!   }
//! }
//! ```

use crate::util::deref_path::root_var;
use crate::{Changes, Context, Pass, PassInfo, Results};
use airfoil_ir::{
    Body, Builder, Deref, DerefKind, Diagnostic, Form, InstrId, InstrKind, Modes, Shader, Slot, Type, TypeId,
    Types, VarId, Variable,
};
use slotmap::SlotMap;

/// See the [module documentation](self).
#[derive(Debug, Default)]
pub struct SplitClipDistanceArrays;

static INFO: PassInfo = PassInfo::new(
    "split_clip_distance_arrays",
    "splits the compact array of clip and cull distances",
    include_str!("split_clip_distance_arrays.rs"),
)
.takes(&[Form::Variables])
.results(Results::All);

impl Pass for SplitClipDistanceArrays {
    fn info(&self) -> &'static PassInfo {
        &INFO
    }

    fn run(&self, shader: &mut Shader, _: &mut Context) -> Result<Changes, Diagnostic> {
        let counts = [shader.info.clip_distances, shader.info.cull_distances].map(u32::from);
        let mut changes = Changes::NONE;
        for mode in [Modes::IN, Modes::OUT] {
            changes |= split(shader, mode, counts)?;
        }
        if changes.is_progress() {
            (shader.info.clip_distances, shader.info.cull_distances) = (0, 0);
        }
        Ok(changes)
    }
}

fn refused(message: impl Into<Box<str>>) -> Diagnostic {
    Diagnostic::error("E0353", message.into())
}

fn split(shader: &mut Shader, mode: Modes, [clip, cull]: [u32; 2]) -> Result<Changes, Diagnostic> {
    let is_compact = |v: &Variable| v.mode == mode && v.location == Some(Slot::CLIP_DIST0) && v.compact;
    let Some(var) = shader.vars.iter().find(|(_, v)| is_compact(v)).map(|(id, _)| id) else {
        return Ok(Changes::NONE);
    };
    let name = shader.vars[var].name.clone();
    let Type::Array { elem: inner, len, .. } = shader.types[shader.vars[var].ty] else {
        return Err(refused(format!("`{name}`: expected an array of clip and cull distances")));
    };
    let (float, len, vertices) = match shader.types[inner] {
        Type::Array { elem, len: inner_len, .. } => (elem, inner_len, Some(len)),
        _ => (inner, len, None),
    };
    if len != clip + cull {
        let message =
            format!("`{name}`: expected {clip} clip and {cull} cull distances, found {len} in total");
        return Err(refused(message));
    }
    let v = &mut shader.vars[var];
    v.compact = false;
    if clip == 0 {
        v.location = Some(Slot::CULL_DIST0);
    }
    if clip == 0 || cull == 0 {
        return Ok(Changes::ALL_BUT_CONTROL_FLOW);
    }
    let mut arrays = |count: u32| {
        let inner = shader.types.array(float, count);
        let whole = vertices.map_or(inner, |n| shader.types.array(inner, n));
        [whole, inner]
    };
    let (of_clip, of_cull) = (arrays(clip), arrays(cull));
    shader.vars[var].ty = of_clip[0];
    let mut second = shader.vars[var].clone();
    (second.name, second.ty) = ("cull_distances".into(), of_cull[0]);
    (second.location, second.initializer) = (Some(Slot::CULL_DIST0), None);
    let second = shader.add_var(second);
    let Shader { types, vars, functions, .. } = shader;
    for function in functions.values_mut() {
        retarget(&mut function.body, types, vars, [var, second], of_clip, clip)?;
    }
    Ok(Changes::ALL_BUT_CONTROL_FLOW)
}

/// Points the derefs of cull distances to their variable, and gives the others their types.
fn retarget(
    body: &mut Body,
    types: &mut Types,
    vars: &SlotMap<VarId, Variable>,
    [var, second]: [VarId; 2],
    [whole, inner]: [TypeId; 2],
    clip: u32,
) -> Result<(), Diagnostic> {
    let derefs: Vec<(InstrId, Deref)> = body
        .all_instrs()
        .filter_map(|id| Some((id, *body[id].as_deref()?)))
        .filter(|&(id, _)| root_var(body, id) == Some(var))
        .collect();
    for &(id, deref) in &derefs {
        let is_element = !matches!(types[deref.ty], Type::Array { .. });
        if !is_element {
            let ty = if matches!(deref.kind, DerefKind::Var(_)) { whole } else { inner };
            body.edit(id, |i| {
                if let InstrKind::Deref(d) = &mut i.kind {
                    d.ty = ty;
                }
            });
            continue;
        }
        let constant = match deref.kind {
            DerefKind::Array { parent, index } => body[index].as_const().map(|c| (parent, c[0])),
            _ => None,
        };
        let Some((parent, index)) = constant else {
            let message =
                "clip and cull distances in one array are accessed at an index that is not constant";
            return Err(refused(message));
        };
        let Some(index) = u32::try_from(index).ok().and_then(|i| i.checked_sub(clip)) else { continue };
        let vertex = match body[parent].as_deref().map(|d| d.kind) {
            Some(DerefKind::Array { index, .. }) => Some(index),
            _ => None,
        };
        let mut b = Builder::before(body, id);
        let mut array = b.deref_var(vars, second);
        if let Some(vertex) = vertex {
            array = b.deref_array(types, array, vertex);
        }
        let index = b.imm_u32(index);
        let kind = DerefKind::Array { parent: array, index };
        body.edit(id, |i| {
            if let InstrKind::Deref(d) = &mut i.kind {
                d.kind = kind;
            }
        });
    }
    Ok(())
}
