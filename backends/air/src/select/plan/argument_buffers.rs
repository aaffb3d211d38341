//! Argument buffers: which resources are in which one, and their ids.
//!
//! An argument buffer is a struct of pointers and handles of eight bytes each. A descriptor set becomes one where the options ask
//! for it. An array of unknown length needs one in any case, since Metal has no other way to bind it:
//! in its set's buffer as the last member if it has the highest binding of such arrays, otherwise in a buffer of its own.
//!
//! As in the Metal language, a member's `[[id(n)]]` is given or counted up from the member before; arrays take consecutive
//! ones. Each member is at 8 * id bytes. Members that the function does not use are omitted, like unused arguments;
//! their space remains.

use super::bindings::MAX_BUFFERS;
use super::resource::{Indices, Parts, display_name, elements};
use crate::select::errors::{Errors, RESOURCES};
use crate::select::options::BindingMap;
use airfoil_ir::{Diagnostic, Shader, Type, VarId};
use std::collections::BTreeMap;

/// Metal's limit on the resources that an argument buffer refers to, for each kind of resource.
const MOST: u32 = 500_000;
/// The set of the buffers between stages, which pipelines bind themselves.
const STAGE_BUFFERS: u32 = airfoil_passes::stages::stage_buffer::SET;

/// An argument buffer.
pub(crate) struct ArgumentBuffer {
    /// Descriptor set.
    pub(crate) set: u32,
    /// Binding, of one that holds an array of unknown length and nothing else.
    pub(crate) binding: Option<u32>,
    /// Index among the buffers, which `bind` assigns.
    pub(crate) index: u32,
    /// The array of unknown length that it ends with.
    pub(crate) open: Option<VarId>,
    /// Members and the ids of their parts.
    pub(crate) members: Vec<(VarId, Indices)>,
    /// Slot of the size of id 0 in the buffer of sizes.
    pub(crate) sizes: u32,
}

impl ArgumentBuffer {
    /// The ids of all members but an array of unknown length.
    fn room(&self) -> u32 {
        let end = |at: &Indices| {
            let parts = [at.buffer, at.texture, at.sampler];
            parts.into_iter().flatten().max().map_or(0, |id| id.saturating_add(at.count.unwrap_or(0)))
        };
        self.members.iter().map(|(_, at)| end(at)).max().unwrap_or(0)
    }
}

/// Whether a variable is an array of unknown length.
fn is_open(shader: &Shader, var: VarId) -> bool {
    matches!(shader.types[shader.vars[var].ty], Type::Array { len: 0, .. })
}

/// Whether an array of unknown length is inside another array: its elements have no size.
fn is_open_inside(shader: &Shader, var: VarId) -> bool {
    let mut ty = shader.vars[var].ty;
    let mut outermost = true;
    while let Type::Array { elem, len, .. } = shader.types[ty] {
        if len == 0 && !outermost {
            return true;
        }
        (ty, outermost) = (elem, false);
    }
    false
}

/// Assigns resources, in the order of their bindings, to argument buffers, and gives them ids there.
pub(crate) fn plan(
    shader: &Shader,
    map: &BindingMap,
    order: &[VarId],
    errors: &mut Errors,
) -> Vec<ArgumentBuffer> {
    let set_of = |id: VarId| shader.vars[id].set.unwrap_or(0);
    let asked = |id: VarId| {
        set_of(id) != STAGE_BUFFERS && map.argument_buffers.contains(set_of(id), shader.vars[id].mode)
    };
    // The array that each set's buffer ends with: the one of the highest binding.
    let last_open: BTreeMap<u32, VarId> =
        order.iter().filter(|&&id| asked(id) && is_open(shader, id)).map(|&id| (set_of(id), id)).collect();
    let mut buffers: Vec<ArgumentBuffer> = Vec::new();
    let mut of_set: BTreeMap<u32, usize> = BTreeMap::new();
    for &id in order {
        let open = is_open(shader, id);
        let set = set_of(id);
        if is_open_inside(shader, id) {
            let message = format!("`{}` has arrays of unknown length inside", display_name(shader, id));
            errors.push(Diagnostic::error(RESOURCES, message));
            continue;
        }
        let within = asked(id) && (!open || last_open.get(&set) == Some(&id));
        if !within && !open {
            continue;
        }
        let new =
            || ArgumentBuffer { set, binding: None, index: 0, open: None, members: Vec::new(), sizes: 0 };
        let at = if within {
            *of_set.entry(set).or_insert_with(|| {
                buffers.push(new());
                buffers.len() - 1
            })
        } else {
            buffers.push(ArgumentBuffer { binding: Some(shader.vars[id].binding.unwrap_or(0)), ..new() });
            buffers.len() - 1
        };
        if open {
            buffers[at].open = Some(id);
        }
        let indices = Indices { within: Some(at as u32), ..Indices::unassigned(Some(1)) };
        buffers[at].members.push((id, indices));
    }
    // The first slots are those of buffers with an index of their own.
    let mut sizes = MAX_BUFFERS;
    for buffer in &mut buffers {
        assign_ids(shader, map, buffer, errors);
        buffer.sizes = sizes;
        sizes = sizes.saturating_add(buffer.room());
    }
    buffers
}

/// Assigns ids to the members of an argument buffer.
fn assign_ids(shader: &Shader, map: &BindingMap, buffer: &mut ArgumentBuffer, errors: &mut Errors) {
    // Where each range of ids starts and ends.
    let mut taken: BTreeMap<u32, u32> = BTreeMap::new();
    let mut next = 0u32;
    let open = buffer.open;
    // The open array comes last, whatever its binding.
    buffer.members.sort_by_key(|m| open == Some(m.0));
    for (id, at) in &mut buffer.members {
        let v = &shader.vars[*id];
        let wanted = match (buffer.binding, v.binding) {
            // In a buffer of its own an array starts at 0; the given index is that of the buffer.
            (None, Some(binding)) => map.resources.get(&(buffer.set, binding)).copied().unwrap_or_default(),
            _ => Default::default(),
        };
        let is_open = open == Some(*id);
        at.count = if is_open { None } else { elements(shader, *id) };
        let count = at.count.unwrap_or(1);
        if is_open {
            next = next.max(taken.last_key_value().map_or(0, |(_, &end)| end));
        }
        let parts = Parts::of(shader, map, *id);
        let all = [
            (parts.buffer, wanted.buffer, &mut at.buffer),
            (parts.texture, wanted.texture, &mut at.texture),
            (parts.sampler, wanted.sampler, &mut at.sampler),
        ];
        for (exists, wanted, index) in all {
            if !exists {
                continue;
            }
            let start = wanted.unwrap_or(next);
            let end = start.saturating_add(count);
            let before = taken.range(..end).next_back().is_some_and(|(_, &e)| e > start);
            if before || end > MOST || (is_open && start < next) {
                let name = display_name(shader, *id);
                let message = format!(
                    "`{name}` cannot have the ids {start} to {} in the argument buffer of set {}: they are taken, not \
                     the last ones although its length is unknown, or not below {MOST}",
                    end - 1,
                    buffer.set
                );
                errors.push(Diagnostic::error(RESOURCES, message));
            }
            *index = Some(start);
            next = end;
            taken.insert(start, end);
        }
    }
}
