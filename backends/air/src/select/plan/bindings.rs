//! Gives resources their Metal indices, by the rule that [`BindingMap`] states.

use super::argument_buffers::{self, ArgumentBuffer};
use super::resource::{Indices, Parts, display_name, elements};
use crate::select::errors::{Errors, RESOURCES};
use crate::select::options::BindingMap;
use airfoil_ir::{Diagnostic, Modes, Shader, Type, VarId};
use slotmap::SecondaryMap;

/// Buffers that a function can have.
pub(crate) const MAX_BUFFERS: u32 = 31;
/// Textures that a function can have.
pub(crate) const MAX_TEXTURES: u32 = 128;
/// Samplers that a function can have.
pub(crate) const MAX_SAMPLERS: u32 = 16;

/// Indices of everything that is bound.
pub(crate) struct Bound {
    pub(crate) vars: SecondaryMap<VarId, Indices>,
    pub(crate) push_constants: Option<u32>,
    pub(crate) default_uniforms: Option<u32>,
    pub(crate) buffer_sizes: Option<u32>,
    pub(crate) argument_buffers: Vec<ArgumentBuffer>,
}

/// One of Metal's index spaces.
struct Space {
    used: u128,
    /// Indices that only an override takes.
    reserved: u128,
    size: u32,
    what: &'static str,
}

impl Space {
    fn new(size: u32, what: &'static str, reserved: u32) -> Space {
        Space { used: 0, reserved: u128::from(reserved), size, what }
    }

    fn mask(at: u32, count: u32) -> u128 {
        let ones = if count >= 128 { u128::MAX } else { (1u128 << count) - 1 };
        ones.checked_shl(at).unwrap_or(0)
    }

    fn fits(&self, at: u32, count: u32) -> bool {
        at.checked_add(count).is_some_and(|end| end <= self.size) && self.used & Self::mask(at, count) == 0
    }

    fn take(&mut self, at: u32, count: u32) -> u32 {
        self.used |= Self::mask(at, count);
        at
    }

    fn lowest(&self, count: u32) -> Option<u32> {
        (0..self.size).find(|&at| self.fits(at, count) && self.reserved & Self::mask(at, count) == 0)
    }

    /// A given index, or the lowest that is free.
    fn assign(
        &mut self,
        wanted: Option<u32>,
        count: u32,
        name: impl Fn() -> String,
        errors: &mut Errors,
    ) -> u32 {
        if let Some(at) = wanted {
            if !self.fits(at, count) {
                errors.push(Diagnostic::error(
                    RESOURCES,
                    format!(
                        "cannot assign {count} {} indices from {at} on to `{}`: already in use, or beyond the limit of {}",
                        self.what,
                        name(),
                        self.size - 1
                    ),
                ));
            }
            return self.take(at.min(self.size - 1), count.min(self.size));
        }
        match self.lowest(count) {
            Some(at) => self.take(at, count),
            None => {
                errors.push(
                    Diagnostic::error(
                        RESOURCES,
                        format!("no {} index is left for `{}`: Metal has {}", self.what, name(), self.size),
                    )
                    .help("remove unused resources, or share indices between resources by overrides"),
                );
                0
            }
        }
    }
}

/// Assigns all indices.
pub(crate) fn bind(
    shader: &Shader,
    map: &BindingMap,
    sizes: bool,
    uniforms: bool,
    errors: &mut Errors,
) -> Bound {
    let mut buffers = Space::new(MAX_BUFFERS, "buffer", map.reserved_buffers);
    let mut textures = Space::new(MAX_TEXTURES, "texture", 0);
    let mut samplers = Space::new(MAX_SAMPLERS, "sampler", 0);
    let resource = Modes::UBO | Modes::SSBO | Modes::UNIFORM | Modes::IMAGE;
    let mut order: Vec<VarId> = shader
        .vars
        .iter()
        .filter(|(_, v)| resource.contains(v.mode) && !is_plain_uniform(shader, v.ty, v.mode))
        .map(|(id, _)| id)
        .collect();
    order.sort_by_key(|&id| (shader.vars[id].set.unwrap_or(0), shader.vars[id].binding.unwrap_or(u32::MAX)));
    let mut bound = Bound {
        vars: SecondaryMap::with_capacity(shader.vars.capacity()),
        push_constants: None,
        default_uniforms: None,
        buffer_sizes: None,
        argument_buffers: argument_buffers::plan(shader, map, &order, errors),
    };
    for &(id, at) in bound.argument_buffers.iter().flat_map(|b| &b.members) {
        bound.vars.insert(id, at);
    }
    let overrides = |id: VarId| {
        let v = &shader.vars[id];
        v.binding.and_then(|b| map.resources.get(&(v.set.unwrap_or(0), b))).copied().unwrap_or_default()
    };
    // Given indices come first, so that the rule avoids them.
    let pushes = shader.vars.values().any(|v| v.mode == Modes::PUSH_CONST);
    let given = |wanted: Option<u32>, space: &mut Space, name: &str, errors: &mut Errors| {
        wanted.map(|_| space.assign(wanted, 1, || name.to_owned(), errors))
    };
    let mut has_index = vec![false; bound.argument_buffers.len()];
    if uniforms {
        bound.default_uniforms = given(map.default_uniforms, &mut buffers, "default uniforms", errors);
    }
    if pushes {
        bound.push_constants = given(map.push_constants, &mut buffers, "push constants", errors);
    }
    if sizes {
        bound.buffer_sizes = given(map.buffer_sizes, &mut buffers, "buffer sizes", errors);
    }
    for given in [true, false] {
        if !given {
            if uniforms && bound.default_uniforms.is_none() {
                bound.default_uniforms =
                    Some(buffers.assign(None, 1, || "default uniforms".to_owned(), errors));
            }
            if pushes && bound.push_constants.is_none() {
                bound.push_constants = Some(buffers.assign(None, 1, || "push constants".to_owned(), errors));
            }
        }
        for &id in &order {
            let wanted = overrides(id);
            let count = elements(shader, id);
            let mut at = bound.vars.get(id).copied().unwrap_or_else(|| Indices::unassigned(count));
            let v = &shader.vars[id];
            let name = || display_name(shader, id);
            if let Some(n) = at.within.map(|n| n as usize) {
                let buffer = &mut bound.argument_buffers[n];
                let wanted = match buffer.binding {
                    Some(_) => wanted.buffer,
                    None => map.sets.get(&buffer.set).copied(),
                };
                if !has_index[n] && wanted.is_some() == given {
                    let name = || format!("argument buffer of set {}", buffer.set);
                    buffer.index = buffers.assign(wanted, 1, name, errors);
                    has_index[n] = true;
                }
                continue;
            }
            // An array of unknown length that argument buffers cannot hold either has been reported.
            let Some(count) = count else { continue };
            if v.mode == Modes::UBO || v.mode == Modes::SSBO {
                if at.buffer.is_none() && wanted.buffer.is_some() == given {
                    at.buffer = Some(buffers.assign(wanted.buffer, count, name, errors));
                }
                bound.vars.insert(id, at);
                continue;
            }
            let Parts { texture, sampler, .. } = Parts::of(shader, map, id);
            if texture && sampler && !given && at.texture.is_none() && at.sampler.is_none() {
                // One index for both, as far as there is one.
                let both = (0..MAX_SAMPLERS).find(|&i| textures.fits(i, count) && samplers.fits(i, count));
                if let Some(i) = both {
                    at.texture = Some(textures.take(i, count));
                    at.sampler = Some(samplers.take(i, count));
                }
            }
            if texture && at.texture.is_none() && wanted.texture.is_some() == given {
                at.texture = Some(textures.assign(wanted.texture, count, name, errors));
            }
            if sampler && at.sampler.is_none() && wanted.sampler.is_some() == given {
                at.sampler = Some(samplers.assign(wanted.sampler, count, name, errors));
            }
            bound.vars.insert(id, at);
        }
    }
    if sizes && bound.buffer_sizes.is_none() {
        bound.buffer_sizes = Some(buffers.assign(None, 1, || "buffer sizes".to_owned(), errors));
    }
    bound
}

/// Whether a variable of mode `uniform` belongs to the default uniform block.
fn is_plain_uniform(shader: &Shader, ty: airfoil_ir::TypeId, mode: Modes) -> bool {
    mode == Modes::UNIFORM
        && !matches!(shader.types[shader.types.without_arrays(ty)], Type::Image(_) | Type::Sampler)
}
