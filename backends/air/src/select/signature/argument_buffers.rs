//! Arguments of argument buffers and the metadata that describes their members.

use super::SignatureBuilder;
use super::pieces::{BufferArg, Member, ResourceSource, SamplerSource};
use super::resources::{BlockFacts, TextureFacts};
use crate::module::{Attr, AttrKind, Md, TypeId};
use crate::select::errors::TARGET;
use crate::select::plan::argument_buffers::ArgumentBuffer;
use crate::select::plan::resource::Parts;
use crate::select::plan::usage::Use;
use crate::select::reflection::{Argument, ArgumentKind};
use crate::select::types::{CONSTANT, DEVICE};
use crate::target::AirVersion;
use airfoil_ir::{Diagnostic, Modes, Name, VarId, format_name};
use smallvec::SmallVec;

/// Bytes of a pointer or handle.
const SLOT: u32 = 8;

/// A part of a member as it is described.
struct Part {
    id: u32,
    count: u32,
    var: VarId,
    kind: ArgumentKind,
}

/// The resource of a part.
enum Found {
    Block(BlockFacts),
    Texture(TextureFacts),
    Sampler,
}

/// A part in the struct.
struct Described {
    found: Found,
    /// Pointer or handle.
    ty: TypeId,
    /// Words between the location and the type's name.
    words: SmallVec<[Md; 24]>,
    role: &'static str,
    type_name: Name,
    name: Name,
    written: bool,
    size: u32,
}

impl SignatureBuilder<'_> {
    /// Arguments of all argument buffers that the function uses.
    pub(crate) fn argument_buffers(&mut self, buffers: &[ArgumentBuffer]) {
        for buffer in buffers {
            if buffer.members.iter().any(|m| self.usage.vars.contains_key(m.0)) {
                self.argument_buffer(buffer);
            }
        }
    }

    /// The parts that a buffer has, by id.
    fn parts_of(&self, buffer: &ArgumentBuffer) -> Vec<Part> {
        let mut list = Vec::new();
        for &(var, at) in &buffer.members {
            let count = at.count.unwrap_or(1);
            let v = &self.shader.vars[var];
            let block =
                if v.mode == Modes::UBO { ArgumentKind::UniformBuffer } else { ArgumentKind::StorageBuffer };
            let texture = if v.mode == Modes::IMAGE { ArgumentKind::Image } else { ArgumentKind::Texture };
            for (id, kind) in [(at.buffer, block), (at.texture, texture), (at.sampler, ArgumentKind::Sampler)]
            {
                list.extend(id.map(|id| Part { id, count, var, kind }));
            }
        }
        list.sort_by_key(|p| p.id);
        list
    }

    fn is_used(&self, part: &Part) -> bool {
        let uses = self.usage.uses(part.var);
        match part.kind {
            ArgumentKind::Sampler => uses.contains(Use::SAMPLER),
            _ => self.usage.vars.contains_key(part.var),
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
        let open = buffer.open.map(|var| (var, Parts::of(self.shader, &self.options.bindings, var).count()));
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
            let member = Member { argument, field, count: (!is_open).then_some(part.count), step };
            let size_slot = (!is_open).then_some(buffer.sizes.saturating_add(part.id));
            self.place(part, member, &described.found, size_slot);
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
                size_slot: size_slot.filter(|_| part.kind == ArgumentKind::StorageBuffer),
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
            count: Some(1),
            name: name.into(),
            type_name: type_name.into(),
            size,
            written: false,
            argument_buffer: None,
            step: 1,
            size_slot: None,
        });
    }

    /// Type and words of a part; `None` if it was rejected.
    fn describe(&mut self, part: &Part) -> Option<Described> {
        let v = &self.shader.vars[part.var];
        let uses = self.usage.uses(part.var);
        match part.kind {
            ArgumentKind::UniformBuffer | ArgumentKind::StorageBuffer => {
                let written = uses.contains(Use::WRITTEN);
                let facts = self.block_facts(part.var, part.kind);
                let ty = self.m.pointer(facts.air, facts.layout.space);
                let mut words = SmallVec::new();
                words.push(self.m.md_str(if written { "air.read_write" } else { "air.read" }));
                self.space_key(&mut words, facts.layout.space);
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
                let (words, type_name) = (SmallVec::new(), Name::new_static("sampler"));
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
                let handle = self.m.opaque(facts.kind.handle);
                let ty = self.m.pointer(handle, DEVICE);
                let words = smallvec::smallvec![self.m.md_str(facts.access.key())];
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
            n => (SLOT * n, 0, format_name!("array<{}, {n}>", d.type_name)),
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

    /// Records where a part is found.
    fn place(&mut self, part: &Part, member: Member, found: &Found, size_slot: Option<u32>) {
        let source = ResourceSource::Member(member);
        match found {
            Found::Block(facts) => {
                let argument = BufferArg { source, layout: facts.layout, size_slot };
                self.out.buffers.insert(part.var, argument);
            }
            Found::Texture(facts) => {
                self.out.textures.insert(part.var, facts.argument(source));
            }
            Found::Sampler => {
                self.out.samplers.insert(part.var, SamplerSource::Resource(source));
            }
        }
    }
}
