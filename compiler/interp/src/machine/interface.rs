//! Scalars of input and output variables by slot and component, which have the same names in all forms.
//!
//! In the form `variables` inputs and outputs are memory: filled before the first instruction, collected after the last
//! one. In the other forms intrinsics reach them. A component is counted in units of 32 bits, of 64 bits in pairs.

use crate::fault::Fault;
use crate::memory::Memory;
use crate::memory::layout::{Layouts, Leaf};
use airfoil_ir::{Form, Modes, Scalar, Shader, Slot, Type, VarId, Variable};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// A scalar of an input or output variable.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part {
    pub(crate) slot: Slot,
    pub(crate) unit: u32,
    pub(crate) vertex: Option<u64>,
    pub(crate) scalar: Scalar,
}

/// An input or output variable as scalars: its object, and offsets of its scalars.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) var: VarId,
    pub(crate) object: u32,
    pub(crate) parts: Vec<(u64, Part)>,
}

/// Elements of per-vertex arrays without a length (`gl_MaxPatchVertices`).
pub(crate) const MAX_VERTICES: u32 = 32;

/// Scalars of the inputs and outputs of a shader in the form `variables`; empty in the other forms.
#[derive(Debug, Default)]
pub(crate) struct Interface {
    /// Parts of inputs by object and offset.
    pub(crate) parts: FxHashMap<(u32, u64), Part>,
    /// Variables by object.
    pub(crate) vars: FxHashMap<u32, VarId>,
    pub(crate) ins: Arc<[Plan]>,
    pub(crate) outs: Arc<[Plan]>,
}

impl Interface {
    pub(crate) fn new(
        shader: &Shader,
        layouts: &mut Layouts<'_>,
        memory: &Memory,
    ) -> Result<Interface, Fault> {
        let mut interface = Interface::default();
        if shader.form != Form::Variables {
            return Ok(interface);
        }
        let (mut ins, mut outs) = (Vec::new(), Vec::new());
        for (var, v) in &shader.vars {
            let object = memory.vars[var];
            interface.vars.insert(object, var);
            if v.mode == Modes::IN || v.mode == Modes::OUT {
                let parts = parts(shader, layouts, v)?;
                if v.mode == Modes::IN {
                    interface.parts.extend(parts.iter().map(|&(offset, p)| ((object, offset), p)));
                }
                let plan = Plan { var, object, parts };
                if v.mode == Modes::IN { ins.push(plan) } else { outs.push(plan) }
            }
        }
        (interface.ins, interface.outs) = (ins.into(), outs.into());
        Ok(interface)
    }
}

/// Scalars of an input or output with their offsets.
fn parts(shader: &Shader, layouts: &mut Layouts<'_>, v: &Variable) -> Result<Vec<(u64, Part)>, Fault> {
    let Some(base) = v.location else { return Ok(Vec::new()) };
    let types = layouts.types;
    let per_vertex = v.is_per_vertex(shader.stage);
    let (ty, vertices, stride) = match types[v.ty] {
        Type::Array { elem, len, .. } if per_vertex => {
            let len = if len == 0 { MAX_VERTICES } else { len };
            (elem, len, layouts.stride(v.ty))
        }
        _ => (v.ty, 1, 0),
    };
    let leaves = layouts.leaves(ty)?;
    // Distances follow one another in their slots whether the array is declared so or not yet.
    let distances = [Slot::CLIP_DIST0, Slot::CLIP_DIST1, Slot::CULL_DIST0, Slot::CULL_DIST1];
    let compact = v.compact || distances.contains(&base);
    let mut out = Vec::new();
    for vertex in 0..vertices {
        let mut slot = 0;
        for (i, leaf) in leaves.iter().enumerate() {
            let Leaf { scalar, comps, .. } = *leaf;
            let wide = if scalar.bits() == 64 { 2 } else { 1 };
            let first = if compact { i as u32 } else { slot * 4 } + u32::from(v.component);
            for c in 0..u32::from(comps) {
                let at = first + c * wide;
                let Some(slot) = base.offset(at / 4) else { continue };
                let offset = u64::from(vertex) * stride + leaf.offset;
                let vertex = per_vertex.then_some(u64::from(vertex));
                let part = Part { slot, unit: at % 4, vertex, scalar };
                out.push((offset + u64::from(c) * u64::from(leaf.stride), part));
            }
            slot += (u32::from(comps) * wide).div_ceil(4);
        }
    }
    Ok(out)
}
