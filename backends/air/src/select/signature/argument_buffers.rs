//! Argument buffers: which resources are in one, and the argument and metadata that describe it.
//!
//! An argument buffer is a struct of pointers and handles of eight bytes each. A descriptor set becomes one where the options ask
//! for it. An array of unknown length needs one in any case, since Metal has no other place for it:
//! in its set's buffer as the last member if it has the highest binding of such arrays, otherwise in a buffer of its own.
//!
//! As in the Metal language, a member's `[[id(n)]]` is given or counted up from the member before; arrays take consecutive
//! ones. Each member lies at 8 * id bytes. Members that the function does not use are left out as unused arguments are,
//! their room stays.

use super::resources::{BlockFacts, TextureFacts};
use super::{CONSTANT, DEVICE, Maker, Member};
use crate::module::{Attr, AttrKind, Md, TypeId};
use crate::select::errors::{Errors, RESOURCES, TARGET};
use crate::select::options::BindingMap;
use crate::select::plan::bindings::{Indices, display_name, elements};
use crate::select::plan::usage::Use;
use crate::select::reflection::{Argument, ArgumentKind};
use crate::target::AirVersion;
use airfoil_ir::{Diagnostic, Modes, Shader, Type, VarId};
use smallvec::SmallVec;
use std::collections::BTreeMap;

/// Bytes of a pointer or handle.
const SLOT: u32 = 8;
/// Metal's limit of what an argument buffer can refer to, in each kind of resource.
const MOST: u32 = 500_000;
/// The set of the buffers between stages, which pipelines bind themselves.
const STAGE_BUFFERS: u32 = airfoil_passes::stage_buffer::SET;

/// An argument buffer.
pub(crate) struct ArgumentBuffer {
    /// Descriptor set.
    pub(crate) set: u32,
    /// Binding, of one that holds an array of unknown length and nothing else.
    pub(crate) binding: Option<u32>,
    /// Index among the buffers; `u32::MAX` until it has one.
    pub(crate) index: u32,
    /// The array of unknown length that it ends with.
    pub(crate) open: Option<VarId>,
    /// Members and the ids of their parts.
    pub(crate) members: Vec<(VarId, Indices)>,
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

/// Which parts a resource has: buffer, texture, sampler. Constant samplers are none.
pub(crate) fn parts(shader: &Shader, map: &BindingMap, var: VarId) -> [bool; 3] {
    let v = &shader.vars[var];
    let open = map.constant_sampler(v).is_none();
    if v.mode == Modes::UBO || v.mode == Modes::SSBO {
        return [true, false, false];
    }
    match &shader.types[shader.types.without_arrays(v.ty)] {
        Type::Sampler => [false, false, open],
        Type::Image(image) => [false, true, open && image.combined && image.dim.is_filtered()],
        _ => [false; 3],
    }
}

/// Which of the resources, in the order of their bindings, are in argument buffers, and where in them.
pub(crate) fn plan(
    shader: &Shader,
    map: &BindingMap,
    order: &[VarId],
    errors: &mut Errors,
) -> Vec<ArgumentBuffer> {
    let set_of = |id: VarId| shader.vars[id].set.unwrap_or(0);
    let asked = |id: VarId| set_of(id) != STAGE_BUFFERS && map.argument_buffers.contains(set_of(id));
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
        let new = || ArgumentBuffer { set, binding: None, index: u32::MAX, open: None, members: Vec::new() };
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
        let none = Indices { buffer: u32::MAX, texture: u32::MAX, sampler: u32::MAX, count: 1, within: None };
        buffers[at].members.push((id, Indices { within: Some(at as u32), ..none }));
    }
    for buffer in &mut buffers {
        number(shader, map, buffer, errors);
    }
    buffers
}

/// Gives the members of an argument buffer their ids.
fn number(shader: &Shader, map: &BindingMap, buffer: &mut ArgumentBuffer, errors: &mut Errors) {
    // Where each range of ids starts and ends.
    let mut taken: BTreeMap<u32, u32> = BTreeMap::new();
    let mut next = 0u32;
    let open = buffer.open;
    // The open array comes last, whatever its binding.
    buffer.members.sort_by_key(|m| open == Some(m.0));
    for (id, at) in &mut buffer.members {
        let v = &shader.vars[*id];
        let wanted = match (buffer.binding, v.binding) {
            // In a buffer of its own an array starts at 0; what is given is the index of the buffer.
            (None, Some(binding)) => map.resources.get(&(buffer.set, binding)).copied().unwrap_or_default(),
            _ => Default::default(),
        };
        let is_open = open == Some(*id);
        let count = if is_open { 1 } else { elements(shader, *id) };
        at.count = if is_open { 0 } else { count };
        if is_open {
            next = next.max(taken.last_key_value().map_or(0, |(_, &end)| end));
        }
        let [is_buffer, is_texture, is_sampler] = parts(shader, map, *id);
        let all = [
            (is_buffer, wanted.buffer, &mut at.buffer),
            (is_texture, wanted.texture, &mut at.texture),
            (is_sampler, wanted.sampler, &mut at.sampler),
        ];
        for (there, wanted, place) in all {
            if !there {
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
            *place = start;
            next = end;
            taken.insert(start, end);
        }
    }
}

/// A part of a member as it is described.
struct Part {
    id: u32,
    count: u32,
    var: VarId,
    kind: ArgumentKind,
}

/// What a part is.
enum Found {
    Block(BlockFacts),
    Texture(TextureFacts),
    Sampler,
}

/// What the struct has of a part.
struct Described {
    found: Found,
    /// Pointer or handle.
    ty: TypeId,
    /// Words between the location and the type's name.
    words: SmallVec<[Md; 24]>,
    role: &'static str,
    type_name: String,
    name: String,
    written: bool,
    size: u32,
}

impl Maker<'_> {
    /// Arguments of all argument buffers that the function uses.
    pub(crate) fn argument_buffers(&mut self, buffers: &[ArgumentBuffer]) {
        for buffer in buffers {
            if buffer.members.iter().any(|m| self.scan.vars.contains_key(m.0)) {
                self.argument_buffer(buffer);
            }
        }
    }

    /// The parts that a buffer has, by id.
    fn parts_of(&self, buffer: &ArgumentBuffer) -> Vec<Part> {
        let mut list = Vec::new();
        for &(var, at) in &buffer.members {
            let count = at.count.max(1);
            let v = &self.shader.vars[var];
            let block =
                if v.mode == Modes::UBO { ArgumentKind::UniformBuffer } else { ArgumentKind::StorageBuffer };
            let texture = if v.mode == Modes::IMAGE { ArgumentKind::Image } else { ArgumentKind::Texture };
            for (id, kind) in [(at.buffer, block), (at.texture, texture), (at.sampler, ArgumentKind::Sampler)]
            {
                if id != u32::MAX {
                    list.push(Part { id, count, var, kind });
                }
            }
        }
        list.sort_by_key(|p| p.id);
        list
    }

    fn is_used(&self, part: &Part) -> bool {
        let uses = self.scan.uses(part.var);
        match part.kind {
            ArgumentKind::Sampler => uses.contains(Use::SAMPLER),
            _ => self.scan.vars.contains_key(part.var),
        }
    }

    fn argument_buffer(&mut self, buffer: &ArgumentBuffer) {
        if self.options.target.air() < AirVersion::new(2, 0) {
            let message = "argument buffers need macOS 10.13 or iOS 11";
            return self.errors.push(Diagnostic::error(TARGET, message));
        }
        let argument = self.out.params.len() as u32;
        let mut fields: Vec<TypeId> = Vec::new();
        let mut info: Vec<Md> = Vec::new();
        let mut members: Vec<Argument> = Vec::new();
        let mut end = 0;
        let mut list = self.parts_of(buffer);
        let room = list.iter().map(|p| p.id + p.count).max().unwrap_or(0) * SLOT;
        // Of pairs, texture and sampler of an element follow each other.
        let open = buffer.open.map(|var| {
            (var, parts(self.shader, &self.options.bindings, var).iter().filter(|&&p| p).count() as u32)
        });
        list.retain(|p| self.is_used(p));
        for part in &list {
            let Some(described) = self.describe(part) else { return };
            let offset = part.id * SLOT;
            let is_open = open.is_some_and(|o| o.0 == part.var);
            let step = if is_open { open.map_or(1, |o| o.1) } else { 1 };
            if offset > end {
                let padding = self.m.array(TypeId::I8, offset - end);
                fields.push(padding);
            }
            let field = fields.len() as u32;
            let many = part.count > 1 || is_open;
            fields.push(if many { self.m.array(described.ty, part.count) } else { described.ty });
            end = offset + part.count * SLOT;
            info.extend(self.member_words(part, &described, offset));
            let member = Member { argument, field, count: if is_open { 0 } else { part.count }, step };
            self.place(part, member, &described.found);
            let v = &self.shader.vars[part.var];
            members.push(Argument {
                kind: part.kind,
                set: v.set,
                binding: v.binding,
                index: part.id,
                count: member.count,
                name: described.name,
                type_name: described.type_name,
                size: described.size,
                written: described.written,
                argument_buffer: Some(buffer.index),
                step,
            });
        }
        if room > end {
            let padding = self.m.array(TypeId::I8, room - end);
            fields.push(padding);
        }
        self.describe_buffer(buffer, &fields, &info, room);
        self.out.reflection.arguments.extend(members);
    }

    /// The argument itself.
    fn describe_buffer(&mut self, buffer: &ArgumentBuffer, fields: &[TypeId], info: &[Md], size: u32) {
        let type_name = match buffer.binding {
            Some(binding) => format!("Set{}Binding{binding}", buffer.set),
            None => format!("Set{}", buffer.set),
        };
        let ty = self.layouts.named(self.m, &format!("struct.{type_name}"), fields, false);
        let space = if buffer.open.is_some() { DEVICE } else { CONSTANT };
        let ty = self.m.pointer(ty, space);
        let mut words = self.words(&["air.indirect_buffer"]);
        let mut attrs: SmallVec<[Attr; 6]> =
            smallvec::smallvec![Attr::Flag(AttrKind::NO_CAPTURE), Attr::Flag(AttrKind::READ_ONLY)];
        if space == CONSTANT {
            words.extend([self.m.md_str("air.buffer_size"), self.m.md_i32(size as i32)]);
            attrs.push(Attr::Int(AttrKind::ALIGN, u64::from(SLOT)));
            attrs.push(Attr::Int(AttrKind::DEREFERENCEABLE, u64::from(size)));
        }
        attrs.push(self.m.text_attr("air-buffer-no-alias", ""));
        words.push(self.m.md_str("air.location_index"));
        words.extend([self.m.md_i32(buffer.index as i32), self.m.md_i32(1), self.m.md_str("air.read")]);
        self.space_key(&mut words, space);
        let node = self.m.md_node(info);
        words.extend([self.m.md_str("air.struct_type_info"), node]);
        self.size_keys(&mut words, size, SLOT);
        let name = type_name.to_lowercase();
        self.arg(ty, attrs, &words, &type_name, &name);
        self.out.reflection.arguments.push(Argument {
            kind: ArgumentKind::ArgumentBuffer,
            set: Some(buffer.set),
            binding: buffer.binding,
            index: buffer.index,
            count: 1,
            name,
            type_name,
            size,
            written: false,
            argument_buffer: None,
            step: 1,
        });
    }

    /// Type and words of a part; `None` if it has been refused.
    fn describe(&mut self, part: &Part) -> Option<Described> {
        let v = &self.shader.vars[part.var];
        let uses = self.scan.uses(part.var);
        match part.kind {
            ArgumentKind::UniformBuffer | ArgumentKind::StorageBuffer => {
                let written = uses.contains(Use::WRITTEN);
                let facts = self.block_facts(part.var, part.kind);
                let ty = self.m.pointer(facts.air, facts.space);
                let mut words = SmallVec::new();
                words.push(self.m.md_str(if written { "air.read_write" } else { "air.read" }));
                self.space_key(&mut words, facts.space);
                if let Some(info) = facts.info {
                    words.extend([self.m.md_str("air.struct_type_info"), info]);
                }
                self.size_keys(&mut words, facts.size, facts.align);
                let name = self.name(&v.name, "buffer", part.id);
                let (type_name, size) = (facts.metal_type.clone(), facts.size);
                let found = Found::Block(facts);
                Some(Described { found, ty, words, role: "air.buffer", type_name, name, written, size })
            }
            ArgumentKind::Sampler => {
                let handle = self.m.opaque("struct._sampler_t");
                let ty = self.m.pointer(handle, CONSTANT);
                let name = self.sampler_name(part.var, part.id);
                let (words, type_name) = (SmallVec::new(), "sampler".to_owned());
                let found = Found::Sampler;
                Some(Described {
                    found,
                    ty,
                    words,
                    role: "air.sampler",
                    type_name,
                    name,
                    written: false,
                    size: 0,
                })
            }
            _ => {
                let facts = self.texture_facts(part.var)?;
                let handle = self.m.opaque(facts.object.handle);
                let ty = self.m.pointer(handle, DEVICE);
                let words = smallvec::smallvec![self.m.md_str(facts.key())];
                let name = self.name(&v.name, "texture", part.id);
                let written = uses.contains(Use::WRITTEN);
                let type_name = facts.metal_type.clone();
                let found = Found::Texture(facts);
                Some(Described { found, ty, words, role: "air.texture", type_name, name, written, size: 0 })
            }
        }
    }

    /// The words of a member in `air.struct_type_info`.
    fn member_words(&mut self, part: &Part, d: &Described, offset: u32) -> [Md; 7] {
        let is_buffer = d.role == "air.buffer";
        // Arrays of handles are objects of the type `array`, those of pointers plain arrays.
        let (size, len, type_name) = match part.count {
            1 => (SLOT, 0, d.type_name.clone()),
            n if is_buffer => (SLOT, n, d.type_name.clone()),
            n => (SLOT * n, 0, format!("array<{}, {n}>", d.type_name)),
        };
        let mut node: SmallVec<[Md; 24]> = SmallVec::new();
        node.push(self.m.md_i32(part.id as i32));
        node.extend([self.m.md_str(d.role), self.m.md_str("air.location_index")]);
        node.extend([self.m.md_i32(part.id as i32), self.m.md_i32(part.count as i32)]);
        node.extend_from_slice(&d.words);
        self.named(&mut node, &type_name, &d.name);
        let node = self.m.md_node(&node);
        [
            self.m.md_i32(offset as i32),
            self.m.md_i32(size as i32),
            self.m.md_i32(len as i32),
            self.m.md_str(&type_name),
            self.m.md_str(&d.name),
            self.m.md_str("air.indirect_argument"),
            node,
        ]
    }

    /// Notes where a part is found.
    fn place(&mut self, part: &Part, member: Member, found: &Found) {
        match found {
            Found::Block(facts) => {
                self.out.buffers.insert(part.var, facts.argument(0, member.count, part.id, Some(member)));
            }
            Found::Texture(facts) => {
                self.out.textures.insert(part.var, facts.argument(0, member.count, Some(member)));
            }
            Found::Sampler => {
                self.out.sampler_members.insert(part.var, member);
            }
        }
    }
}
