//! Arguments for resources: buffers, textures and samplers.

use super::SignatureBuilder;
use super::pieces::{
    Alias, BlockLayout, BufferArg, ConstantBuffer, Elements, ResourceSource, SamplerSource, TextureAccess,
    TextureArg,
};
use crate::functions::TextureKind;
use crate::module::{Attr, AttrKind, Md, TypeId};
use crate::select::debug::types::{Layout, SourceType};
use crate::select::errors;
use crate::select::plan::bindings::Bound;
use crate::select::plan::resource::display_name;
use crate::select::plan::usage::{Features, Usage, Use};
use crate::select::reflection::{Argument, ArgumentKind};
use crate::select::types::{CONSTANT, DEVICE, Shape, struct_info, type_name, vector_name};
use airfoil_ir::{Access, Diagnostic, Modes, Name, Scalar, Type, VarId, format_name};
use smallvec::SmallVec;

/// The argument of a block.
pub(crate) struct BlockFacts {
    pub(crate) layout: BlockLayout,
    /// Type that it points at.
    pub(crate) air: TypeId,
    /// Bytes and alignment of that type.
    pub(crate) size: u32,
    pub(crate) align: u32,
    /// Node of the members of a struct.
    pub(crate) info: Option<Md>,
    /// Metal's name of the type.
    pub(crate) metal_type: Name,
}

/// The argument of a texture.
pub(crate) struct TextureFacts {
    pub(crate) kind: &'static TextureKind,
    pub(crate) access: TextureAccess,
    component: Scalar,
    /// Metal's name of the type.
    pub(crate) metal_type: Name,
    argument_kind: ArgumentKind,
}

impl TextureFacts {
    pub(crate) fn argument(&self, source: ResourceSource) -> TextureArg {
        let &TextureFacts { kind, access, component, .. } = self;
        TextureArg { kind, source, access, component }
    }
}

/// Name of the argument for one element of an array of resources.
fn element_name(name: &Name, element: u32, count: u32) -> Name {
    if count == 1 || name.is_empty() { name.clone() } else { format_name!("{name}_{element}") }
}

impl SignatureBuilder<'_> {
    // ---- resources ----

    pub(crate) fn buffers(&mut self, bound: &Bound) {
        let mut list: Vec<(u32, Option<VarId>, ArgumentKind)> = Vec::new();
        for (id, v) in &self.shader.vars {
            if let Some(at) = bound.vars.get(id)
                && self.usage.vars.contains_key(id)
                && let Some(index) = at.buffer
                && at.within.is_none()
            {
                let kind = match v.mode {
                    Modes::UBO => ArgumentKind::UniformBuffer,
                    _ => ArgumentKind::StorageBuffer,
                };
                list.push((index, Some(id), kind));
            }
        }
        if self.usage.has(Features::PUSH_CONSTANTS) {
            let var = self.shader.vars.iter().find(|(_, v)| v.mode == Modes::PUSH_CONST).map(|(id, _)| id);
            match var {
                Some(_) => list.extend(bound.push_constants.map(|at| (at, var, ArgumentKind::PushConstants))),
                None => self.errors.push(Diagnostic::error(
                    errors::RESOURCES,
                    "the shader reads push constants but declares none",
                )),
            }
        }
        if self.usage.has(Features::UNIFORMS) {
            list.extend(bound.default_uniforms.map(|at| (at, None, ArgumentKind::DefaultUniforms)));
        }
        if self.usage.has(Features::BUFFER_SIZES) {
            list.extend(bound.buffer_sizes.map(|at| (at, None, ArgumentKind::BufferSizes)));
        }
        list.sort_by_key(|l| l.0);
        let written = |id: VarId, s: &Usage| s.uses(id).contains(Use::WRITTEN);
        // Those of argument buffers included, which are not in the list.
        let is_storage = |id: &VarId| self.shader.vars[*id].mode == Modes::SSBO;
        let storage: Vec<VarId> = self.usage.vars.keys().filter(is_storage).collect();
        let any_written = storage.iter().any(|&id| written(id, self.usage));
        for (index, var, kind) in list {
            let Some(var) = var else {
                let name =
                    if kind == ArgumentKind::BufferSizes { "buffer_sizes" } else { "default_uniforms" };
                self.word_buffer(index, kind, name);
                continue;
            };
            let v = &self.shader.vars[var];
            let is_written = written(var, self.usage);
            let alone = storage.len() == 1 || (!is_written && !any_written);
            let no_alias = kind != ArgumentKind::StorageBuffer
                || alone
                || v.access.contains(Access::RESTRICT)
                || self.options.assume_no_alias;
            self.block(bound, index, var, kind, is_written, no_alias);
        }
        // Loads, and accesses of one buffer, need no scopes.
        let blocks = self
            .usage
            .vars
            .keys()
            .filter(|&id| matches!(self.shader.vars[id].mode, Modes::UBO | Modes::SSBO));
        let words = [Features::PUSH_CONSTANTS, Features::UNIFORMS].into_iter().filter(|&f| self.usage.has(f));
        if !any_written || blocks.count() + words.count() < 2 {
            self.out.alias_scopes.clear();
        }
    }

    /// A constant buffer of plain words.
    pub(crate) fn word_buffer(&mut self, index: u32, kind: ArgumentKind, name: &str) {
        let ty = self.m.pointer(TypeId::I32, CONSTANT);
        let mut words = self.words(&["air.buffer", "air.location_index"]);
        words.extend([self.m.md_i32(index as i32), self.m.md_i32(1), self.m.md_str("air.read")]);
        self.space_key(&mut words, CONSTANT);
        self.size_keys(&mut words, 4, 4);
        let no_alias = self.m.text_attr("air-buffer-no-alias", "");
        let attrs =
            smallvec::smallvec![Attr::Flag(AttrKind::NO_CAPTURE), Attr::Flag(AttrKind::READ_ONLY), no_alias];
        let arg = self.arg(ty, attrs, &words, "uint", name);
        if kind == ArgumentKind::BufferSizes {
            self.out.buffer_sizes = Some(arg);
        } else {
            let mem = self.layouts.word(self.m);
            let elements = Some(Elements { stride: 4, padded: false });
            self.out.alias_scopes.push(arg);
            let layout = BlockLayout { mem, elements, space: CONSTANT, alias: Alias::Argument(arg) };
            self.out.default_uniforms = Some(ConstantBuffer { argument: arg, layout });
        }
        self.out.reflection.arguments.push(Argument {
            kind,
            set: None,
            binding: None,
            index,
            count: Some(1),
            name: name.into(),
            type_name: Name::new_static("uint"),
            size: 4,
            written: false,
            argument_buffer: None,
            step: 1,
            size_slot: None,
        });
    }

    pub(crate) fn space_key(&mut self, words: &mut SmallVec<[Md; 24]>, space: u32) {
        if self.options.target.writes_address_space_key() {
            words.extend([self.m.md_str("air.address_space"), self.m.md_i32(space as i32)]);
        }
    }

    pub(crate) fn size_keys(&mut self, words: &mut SmallVec<[Md; 24]>, size: u32, align: u32) {
        words.extend([self.m.md_str("air.arg_type_size"), self.m.md_i32(size as i32)]);
        words.extend([self.m.md_str("air.arg_type_align_size"), self.m.md_i32(align as i32)]);
    }

    /// The layout, type and metadata of the argument of a block.
    pub(crate) fn block_facts(&mut self, var: VarId, kind: ArgumentKind) -> BlockFacts {
        let v = &self.shader.vars[var];
        let types = &self.shader.types;
        let block = types.without_arrays(v.ty);
        let mut pointee = block;
        // A block of nothing but a run-time array is the array itself, as a pointer argument is in Metal.
        let mut elements = None;
        if let Type::Struct(s) = &types[block]
            && let [member] = &*s.members
            && member.offset.unwrap_or(0) == 0
            && let Type::Array { elem, len: 0, .. } = types[member.ty]
        {
            let id = self.layouts.explicit(self.m, types, member.ty);
            if let Shape::Array { elem: elem_mem, stride, wrapped: padded, .. } = self.layouts[id].shape {
                pointee = elem;
                elements = Some((elem_mem, Elements { stride, padded }));
            }
        }
        let mem = match elements {
            Some((mem, _)) => mem,
            None => self.layouts.explicit(self.m, types, block),
        };
        let elements = elements.map(|e| e.1);
        let stride = elements.map_or(0, |e| e.stride);
        let (air, size, align) = {
            let mem = &self.layouts[mem];
            (mem.air, mem.size, mem.align)
        };
        let air = match stride > size {
            true => {
                let padding = self.m.array(TypeId::I8, stride - size);
                self.m.structure(&[air, padding], true)
            }
            false => air,
        };
        let size = size.max(stride);
        if i32::try_from(size).is_err() {
            let message = format!("block `{}` exceeds 2,147,483,647 bytes", v.name);
            self.errors.push(Diagnostic::error(errors::BLOCK_SIZE, message));
        }
        let space = if kind == ArgumentKind::StorageBuffer { DEVICE } else { CONSTANT };
        let info = struct_info(self.m, self.layouts, types, pointee, mem);
        let metal_type = type_name(types, pointee).into();
        let layout = BlockLayout { mem, elements, space, alias: Alias::OtherBuffers };
        BlockFacts { layout, air, size, align, info, metal_type }
    }

    pub(crate) fn block(
        &mut self,
        bound: &Bound,
        index: u32,
        var: VarId,
        kind: ArgumentKind,
        written: bool,
        no_alias: bool,
    ) {
        let facts = self.block_facts(var, kind);
        let BlockFacts { mut layout, air, size, align, info, metal_type } = facts;
        let space = layout.space;
        let v = &self.shader.vars[var];
        let ty = self.m.pointer(air, space);
        let reference = space == CONSTANT && layout.elements.is_none();
        let access = if written { "air.read_write" } else { "air.read" };
        let name = self.name(&v.name, "buffer", index);
        let count = bound.vars.get(var).and_then(|i| i.count).unwrap_or(1);
        let uses = self.usage.uses(var);
        let first = self.out.params.len() as u32;
        if no_alias {
            layout.alias = Alias::Argument(first);
            self.out.alias_scopes.push(first);
        }
        for element in 0..count {
            let mut words = self.words(&["air.buffer"]);
            if reference {
                words.extend([self.m.md_str("air.buffer_size"), self.m.md_i32(size as i32)]);
            }
            words.push(self.m.md_str("air.location_index"));
            words.extend([self.m.md_i32((index + element) as i32), self.m.md_i32(1), self.m.md_str(access)]);
            self.space_key(&mut words, space);
            if let Some(info) = info {
                words.extend([self.m.md_str("air.struct_type_info"), info]);
            }
            self.size_keys(&mut words, size, align);
            let mut attrs: SmallVec<[Attr; 6]> = smallvec::smallvec![Attr::Flag(AttrKind::NO_CAPTURE)];
            if !written {
                attrs.push(Attr::Flag(AttrKind::READ_ONLY));
            } else if !uses.contains(Use::READ) && self.options.target.has_modern_attributes() {
                attrs.push(Attr::Flag(AttrKind::WRITE_ONLY));
            }
            if reference {
                attrs.push(Attr::Int(AttrKind::ALIGN, u64::from(align)));
                attrs.push(Attr::Int(AttrKind::DEREFERENCEABLE, u64::from(size.max(1))));
            }
            if no_alias {
                attrs.push(self.m.text_attr("air-buffer-no-alias", ""));
            }
            let arg = self.arg(ty, attrs, &words, &metal_type, &element_name(&name, element, count));
            let block = self.shader.types.without_arrays(v.ty);
            let shown = SourceType::Memory(block, Layout::Explicit);
            self.source(arg, || (element_name(&v.name, element, count), shown));
        }
        if kind == ArgumentKind::PushConstants {
            self.out.push_constants = Some(ConstantBuffer { argument: first, layout });
        } else {
            let source = ResourceSource::Arguments { first, count };
            self.out.buffers.insert(var, BufferArg { source, layout, size_slot: Some(index) });
        }
        self.out.reflection.arguments.push(Argument {
            kind,
            set: v.set,
            binding: v.binding,
            index,
            count: Some(count),
            name,
            type_name: metal_type,
            size,
            written,
            argument_buffer: None,
            step: 1,
            size_slot: (kind == ArgumentKind::StorageBuffer).then_some(index),
        });
    }

    pub(crate) fn textures(&mut self, bound: &Bound) {
        let mut list: Vec<(u32, VarId)> = Vec::new();
        for (id, _) in &self.shader.vars {
            if let Some(at) = bound.vars.get(id)
                && self.usage.vars.contains_key(id)
                && let Some(index) = at.texture
                && at.within.is_none()
            {
                list.push((index, id));
            }
        }
        list.sort_by_key(|l| l.0);
        for (index, var) in list {
            self.texture(bound, index, var);
        }
    }

    /// The kind and type of the argument of a texture; `None` with an error if Metal has no such texture.
    pub(crate) fn texture_facts(&mut self, var: VarId) -> Option<TextureFacts> {
        let v = &self.shader.vars[var];
        let Type::Image(image) = self.shader.types[self.shader.types.without_arrays(v.ty)] else {
            return None;
        };
        let uses = self.usage.uses(var);
        let depth = !image.storage && (image.shadow || uses.contains(Use::SHADOW));
        let Some(texture_kind) = TextureKind::of(image.dim, image.arrayed, depth) else {
            let what = if depth { "depth texture" } else { "texture" };
            let layers = if image.arrayed { " with layers" } else { "" };
            self.errors.push(Diagnostic::error(
                errors::TEXTURE,
                format!(
                    "Metal has no {what} of shape {:?}{layers} for `{}`",
                    image.dim,
                    display_name(self.shader, var)
                ),
            ));
            return None;
        };
        if image.sampled.bits() == 64 {
            self.errors.push(Diagnostic::error(
                errors::TEXTURE,
                format!(
                    "`{}` has 64-bit components, which no texture in Metal has",
                    display_name(self.shader, var)
                ),
            ));
        }
        let component = match image.sampled {
            Scalar::Any | Scalar::Float64 | Scalar::Bool => Scalar::Float32,
            _ if depth => Scalar::Float32,
            s => s,
        };
        let access = match (image.storage, uses.contains(Use::READ), uses.contains(Use::WRITTEN)) {
            (false, ..) if texture_kind.multisampled || texture_kind.is_buffer() => TextureAccess::Read,
            (false, ..) => TextureAccess::Sample,
            (true, _, false) => TextureAccess::Read,
            (true, false, true) => TextureAccess::Write,
            (true, true, true) => TextureAccess::ReadWrite,
        };
        let metal_type =
            format_name!("{}<{}, {}>", texture_kind.metal, vector_name(component, 1), access.word());
        let argument_kind = if image.storage { ArgumentKind::Image } else { ArgumentKind::Texture };
        Some(TextureFacts { kind: texture_kind, access, component, metal_type, argument_kind })
    }

    pub(crate) fn texture(&mut self, bound: &Bound, index: u32, var: VarId) {
        let Some(facts) = self.texture_facts(var) else { return };
        let v = &self.shader.vars[var];
        let uses = self.usage.uses(var);
        let (access, metal_type) = (facts.access, facts.metal_type.clone());
        let handle = self.m.opaque(facts.kind.handle);
        let ty = self.m.pointer(handle, DEVICE);
        let count = bound.vars.get(var).and_then(|i| i.count).unwrap_or(1);
        let name = self.name(&v.name, "texture", index);
        let first = self.out.params.len() as u32;
        for element in 0..count {
            let mut words = self.words(&["air.texture", "air.location_index"]);
            words.extend([
                self.m.md_i32((index + element) as i32),
                self.m.md_i32(1),
                self.m.md_str(access.key()),
            ]);
            let mut attrs: SmallVec<[Attr; 6]> = SmallVec::new();
            if !access.writes() {
                attrs.push(Attr::Flag(AttrKind::NO_CAPTURE));
                attrs.push(Attr::Flag(AttrKind::READ_ONLY));
            }
            let arg = self.arg(ty, attrs, &words, &metal_type, &element_name(&name, element, count));
            self.source(arg, || {
                (element_name(&v.name, element, count), SourceType::Handle(metal_type.clone()))
            });
        }
        let arg = facts.argument(ResourceSource::Arguments { first, count });
        self.out.textures.insert(var, arg);
        self.out.reflection.arguments.push(Argument {
            kind: facts.argument_kind,
            set: v.set,
            binding: v.binding,
            index,
            count: Some(count),
            name,
            type_name: metal_type,
            size: 0,
            written: uses.contains(Use::WRITTEN),
            argument_buffer: None,
            step: 1,
            size_slot: None,
        });
    }

    /// Name of a sampler; that of a combined texture is named after it.
    pub(crate) fn sampler_name(&self, var: VarId, index: u32) -> Name {
        let v = &self.shader.vars[var];
        let combined = !matches!(self.shader.types[self.shader.types.without_arrays(v.ty)], Type::Sampler);
        let name = self.name(&v.name, "sampler", index);
        if combined && self.options.names && !v.name.is_empty() {
            format_name!("{name}Sampler")
        } else {
            name
        }
    }

    pub(crate) fn samplers(&mut self, bound: &Bound) {
        let mut list: Vec<(u32, VarId)> = Vec::new();
        for (id, _) in &self.shader.vars {
            if let Some(at) = bound.vars.get(id)
                && let Some(index) = at.sampler
                && at.within.is_none()
                && self.usage.uses(id).contains(Use::SAMPLER)
            {
                list.push((index, id));
            }
        }
        list.sort_by_key(|l| l.0);
        for (index, var) in list {
            let v = &self.shader.vars[var];
            let handle = self.m.opaque("struct._sampler_t");
            let ty = self.m.pointer(handle, CONSTANT);
            let count = bound.vars.get(var).and_then(|i| i.count).unwrap_or(1);
            let name = self.sampler_name(var, index);
            let first = self.out.params.len() as u32;
            for element in 0..count {
                let mut words = self.words(&["air.sampler", "air.location_index"]);
                words.extend([self.m.md_i32((index + element) as i32), self.m.md_i32(1)]);
                let attrs =
                    smallvec::smallvec![Attr::Flag(AttrKind::NO_CAPTURE), Attr::Flag(AttrKind::READ_ONLY)];
                let arg = self.arg(ty, attrs, &words, "sampler", &element_name(&name, element, count));
                // The source has no name for the sampler of a combined texture.
                if self.shader.types[self.shader.types.without_arrays(v.ty)] == Type::Sampler {
                    self.source(arg, || {
                        (
                            element_name(&v.name, element, count),
                            SourceType::Handle(Name::new_static("sampler")),
                        )
                    });
                }
            }
            let source = ResourceSource::Arguments { first, count };
            self.out.samplers.insert(var, SamplerSource::Resource(source));
            self.out.reflection.arguments.push(Argument {
                kind: ArgumentKind::Sampler,
                set: v.set,
                binding: v.binding,
                index,
                count: Some(count),
                name,
                type_name: Name::new_static("sampler"),
                size: 0,
                written: false,
                argument_buffer: None,
                step: 1,
                size_slot: None,
            });
        }
    }
}
