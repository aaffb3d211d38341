//! Facts about one resource variable: its parts, the number of its elements, its indices.

use crate::select::options::BindingMap;
use airfoil_ir::{Modes, Shader, Type, VarId};

/// First Metal indices of the parts of a resource. In an argument buffer they are ids.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Indices {
    pub(crate) buffer: Option<u32>,
    pub(crate) texture: Option<u32>,
    pub(crate) sampler: Option<u32>,
    /// Elements of an array of resources; `None` if its length is unknown.
    pub(crate) count: Option<u32>,
    /// Position of the argument buffer that it is in.
    pub(crate) within: Option<u32>,
}

impl Indices {
    /// No index yet.
    pub(crate) fn unassigned(count: Option<u32>) -> Indices {
        Indices { buffer: None, texture: None, sampler: None, count, within: None }
    }
}

/// The parts of a resource. Constant samplers are not among them.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Parts {
    pub(crate) buffer: bool,
    pub(crate) texture: bool,
    pub(crate) sampler: bool,
}

impl Parts {
    pub(crate) fn of(shader: &Shader, map: &BindingMap, var: VarId) -> Parts {
        let v = &shader.vars[var];
        let bound = map.constant_sampler(v).is_none();
        if v.mode == Modes::UBO || v.mode == Modes::SSBO {
            return Parts { buffer: true, ..Parts::default() };
        }
        match &shader.types[shader.types.without_arrays(v.ty)] {
            Type::Sampler => Parts { sampler: bound, ..Parts::default() },
            Type::Image(image) => Parts {
                texture: true,
                sampler: bound && image.combined && image.dim.is_filtered(),
                ..Parts::default()
            },
            Type::Vector { .. } | Type::Matrix { .. } | Type::Array { .. } | Type::Struct(_) => {
                Parts::default()
            }
        }
    }

    /// Number of parts.
    pub(crate) fn count(self) -> u32 {
        u32::from(self.buffer) + u32::from(self.texture) + u32::from(self.sampler)
    }
}

/// Elements of a resource variable: the product of all array lengths around it, `None` if one is unknown.
pub(crate) fn elements(shader: &Shader, var: VarId) -> Option<u32> {
    let (mut ty, mut count) = (shader.vars[var].ty, 1u32);
    while let Type::Array { elem, len, .. } = shader.types[ty] {
        if len == 0 {
            return None;
        }
        count = count.saturating_mul(len);
        ty = elem;
    }
    Some(count)
}

/// Name of a variable for messages.
pub(crate) fn display_name(shader: &Shader, var: VarId) -> String {
    let v = &shader.vars[var];
    if !v.name.is_empty() {
        return v.name.to_string();
    }
    match (v.set, v.binding) {
        (Some(set), Some(binding)) => format!("set {set} binding {binding}"),
        (None, Some(binding)) => format!("binding {binding}"),
        _ => "unnamed resource".to_owned(),
    }
}
