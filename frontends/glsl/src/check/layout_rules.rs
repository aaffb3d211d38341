//! Rules for the values of layouts: locations, components, bindings, offsets (GLSL 4.60 section 4.4).

use super::Checker;
use super::layout_table::Key;
use super::precision::is_counter;
use super::qualifiers::Given;
use super::state::{LocationKey, Taken};
use crate::extension::Ext;
use crate::hir::{Layout, Qualifiers, Storage, VarId};
use crate::source::Span;
use crate::token::Tok;
use crate::types::{Base, Field, OpaqueKind, Type};
use crate::version::{Avail, NEVER};
use airfoil_ir::Stage;

/// Locations of vertex inputs and fragment outputs.
const OUTER_LOCATIONS: Avail = Avail::since(330, 300).or(&[Ext::ARB_explicit_attrib_location]);
/// Locations between stages.
const INNER_LOCATIONS: Avail =
    Avail::since(410, 310).or(&[Ext::ARB_separate_shader_objects, Ext::EXT_separate_shader_objects]);
/// Locations of members of blocks.
const MEMBER_LOCATIONS: Avail = Avail::since(440, 310).or(&[Ext::ARB_enhanced_layouts]);
/// Locations of uniforms.
const UNIFORM_LOCATIONS: Avail = Avail::since(430, 310).or(&[Ext::ARB_explicit_uniform_location]);
/// `index` of fragment outputs.
const OUTPUT_INDEX: Avail =
    Avail::since(330, NEVER).or(&[Ext::ARB_explicit_attrib_location, Ext::EXT_blend_func_extended]);
/// Bindings of blocks and textures.
const BINDINGS: Avail = Avail::since(420, 310).or(&[Ext::ARB_shading_language_420pack]);

/// Locations up to which overlaps are looked for.
const MAX_CLAIMED: u32 = 4096;

impl Checker<'_> {
    /// Locations that a type takes (GLSL 4.60 section 4.4.1).
    pub(crate) fn locations(&self, ty: Type, vertex_input: bool) -> u32 {
        match ty {
            Type::Vector { base, size } => {
                let wide = matches!(base, Base::Double | Base::Int64 | Base::Uint64);
                if wide && size > 2 && !vertex_input { 2 } else { 1 }
            }
            Type::Matrix { base, cols, rows } => {
                u32::from(cols) * self.locations(Type::Vector { base, size: rows }, vertex_input)
            }
            Type::Array(id) => {
                let a = self.unit.types.get_array(id);
                self.locations(a.elem, vertex_input).saturating_mul(a.len.max(1))
            }
            Type::Struct(id) => self.unit.types.structs[id.0 as usize]
                .fields
                .iter()
                .fold(0, |n: u32, f| n.saturating_add(self.locations(f.ty, vertex_input))),
            Type::Opaque(_) | Type::Reference(_) => 1,
            Type::Void | Type::Error => 0,
        }
    }

    fn layout_error(&mut self, span: Span, message: impl Into<String>) {
        self.error(span, "E1007", message);
    }

    /// Layout of a variable other than a block.
    pub(crate) fn check_variable_layout(
        &mut self,
        q: &mut Qualifiers,
        ty: Type,
        given: &Given<'_>,
        span: Span,
    ) {
        self.check_special_layouts(&given.layout);
        if q.storage == Storage::Uniform {
            self.check_uniform(q, ty, given, span);
        }
        if ty == Type::Error {
            return;
        }
        if let Some(location) = given.layout.find(Key::Location) {
            self.check_location(q, ty, given, location.span);
        }
        if q.layout.component.is_some() {
            self.check_component(&q.layout.clone(), self.per_vertex_type(ty, q), given.span);
        }
        if let Some(index) = given.layout.find(Key::Index) {
            if !self.lang.has(&OUTPUT_INDEX) {
                self.layout_error(
                    index.span,
                    "layout qualifier index needs GLSL 3.30 or GL_EXT_blend_func_extended",
                );
            } else if index.value > 1 {
                self.layout_error(index.span, "index must be 0 or 1 (GLSL 4.60 section 4.4.2)");
            } else if q.layout.location.is_none() {
                self.layout_error(index.span, "index needs a location (GLSL 4.60 section 4.4.2)");
            } else if self.lang.stage != Stage::Fragment {
                self.layout_error(index.span, "index is for fragment outputs only (GLSL 4.60 section 4.4.2)");
            }
        }
        if q.storage == Storage::Const
            && let Some(id) = given.layout.find(Key::ConstantId)
            && !ty.is_scalar()
        {
            self.layout_error(id.span, "only a scalar can be a specialization constant (GL_KHR_vulkan_glsl)");
        }
        self.check_stream(&given.layout.layout, given.span);
        if q.storage == Storage::Out {
            self.capture_variable(q, ty, span);
        }
    }

    pub(crate) fn check_stream(&mut self, layout: &Layout, span: Span) {
        if let Some(stream) = layout.stream
            && stream >= self.limits.max_vertex_streams
        {
            let message = format!(
                "stream {stream} is out of range: GL_MAX_VERTEX_STREAMS is {} (GLSL 4.60 section 4.4.2.2)",
                self.limits.max_vertex_streams
            );
            self.layout_error(span, message);
        }
    }

    /// Whether a location is allowed, and in range.
    fn check_location(&mut self, q: &Qualifiers, ty: Type, given: &Given<'_>, span: Span) {
        let stage = self.lang.stage;
        let location = q.layout.location.unwrap_or(0);
        let vertex_input = stage == Stage::Vertex && q.storage == Storage::In;
        let fragment_output = stage == Stage::Fragment && matches!(q.storage, Storage::Out | Storage::InOut);
        let old = matches!(given.storage, Some((Tok::Attribute | Tok::Varying, _)));
        if old && self.lang.version.number < 330 {
            let message = "attribute and varying have no layout (GL_ARB_explicit_attrib_location)";
            self.layout_error(span, message);
            return;
        }
        let uniform = (self.limits.max_uniform_locations, "GL_MAX_UNIFORM_LOCATIONS");
        // The limits of inputs and outputs are checked when linking.
        let (avail, (limit, name)) = match q.storage {
            Storage::Uniform => (&UNIFORM_LOCATIONS, uniform),
            _ if vertex_input || fragment_output => (&OUTER_LOCATIONS, (u32::MAX, "")),
            _ => (&INNER_LOCATIONS, (u32::MAX, "")),
        };
        if !self.lang.has(avail) && !self.lang.vulkan {
            let message = format!(
                "a location is not available here in {} (GLSL 4.60 section 4.4.1)",
                self.lang.version
            );
            self.layout_error(span, message);
            return;
        }
        if q.storage == Storage::Uniform && is_counter(self.unit.types.without_arrays(ty)) {
            self.layout_error(span, "an atomic counter cannot have a location (GLSL 4.60 section 4.4.3)");
            return;
        }
        let ty = self.per_vertex_type(ty, q);
        let count = match q.storage {
            Storage::Uniform => self.uniform_locations(ty),
            _ => self.locations(ty, vertex_input),
        };
        if location.saturating_add(count) > limit {
            let message = format!(
                "locations {location} to {} are out of range: {name} is {limit} (GLSL 4.60 section 4.4.1)",
                location.saturating_add(count).saturating_sub(1)
            );
            self.layout_error(span, message);
        }
    }

    /// Locations of a uniform: one for each member and element that is not an aggregate.
    fn uniform_locations(&self, ty: Type) -> u32 {
        match ty {
            Type::Array(id) => {
                let a = self.unit.types.get_array(id);
                self.uniform_locations(a.elem).saturating_mul(a.len.max(1))
            }
            Type::Struct(id) => self.unit.types.structs[id.0 as usize]
                .fields
                .iter()
                .fold(0, |n: u32, f| n.saturating_add(self.uniform_locations(f.ty))),
            _ => 1,
        }
    }

    /// Rules of `component` (GLSL 4.60 section 4.4.1).
    fn check_component(&mut self, layout: &Layout, ty: Type, span: Span) {
        let component = layout.component.unwrap_or(0);
        if layout.location.is_none() {
            self.layout_error(span, "component needs a location (GLSL 4.60 section 4.4.1)");
            return;
        }
        if component > 3 {
            self.layout_error(
                span,
                format!("component {component} is greater than 3 (GLSL 4.60 section 4.4.1)"),
            );
            return;
        }
        match self.unit.types.without_arrays(ty) {
            Type::Vector { base, size } => {
                let wide = matches!(base, Base::Double | Base::Int64 | Base::Uint64);
                let each = if wide { 2 } else { 1 };
                if wide && size > 2 {
                    let message = format!(
                        "{} has no component: it takes two locations (GLSL 4.60 section 4.4.1)",
                        self.type_name(ty)
                    );
                    self.layout_error(span, message);
                } else if wide && component % 2 == 1 {
                    self.layout_error(
                        span,
                        "a 64-bit value starts at component 0 or 2 (GLSL 4.60 section 4.4.1)",
                    );
                } else if component + u32::from(size) * each > 4 {
                    let message = format!(
                        "{} at component {component} goes beyond its location (GLSL 4.60 section 4.4.1)",
                        self.type_name(ty)
                    );
                    self.layout_error(span, message);
                }
            }
            Type::Error => {}
            _ => {
                let message =
                    format!("component cannot be used on {} (GLSL 4.60 section 4.4.1)", self.type_name(ty));
                self.layout_error(span, message);
            }
        }
    }

    /// Layouts of a uniform outside of blocks.
    fn check_uniform(&mut self, q: &mut Qualifiers, ty: Type, given: &Given<'_>, span: Span) {
        let elem = self.unit.types.without_arrays(ty);
        if elem == Type::Error {
            return;
        }
        if is_counter(elem) {
            self.check_counter(q, ty, given, span);
            return;
        }
        if let Some(offset) = given.layout.find(Key::Offset) {
            self.layout_error(
                offset.span,
                "offset is for atomic counters and members of blocks only (GLSL 4.60 section 4.4)",
            );
        }
        let opaque = elem.as_opaque();
        if self.lang.vulkan && !self.unit.types.has_opaque(ty) {
            let message = "a uniform outside of blocks must be opaque (GL_KHR_vulkan_glsl)";
            self.error(span, "E1004", message);
        }
        if opaque.is_some_and(|o| o.kind == OpaqueKind::Subpass)
            && q.layout.input_attachment.is_none()
            && !self.lang.ext(Ext::EXT_optional_input_attachment_index)
        {
            self.layout_error(span, "a subpass input needs an input_attachment_index (GL_KHR_vulkan_glsl)");
        }
        if let Some(input) = given.layout.find(Key::InputAttachment)
            && opaque.is_none_or(|o| o.kind != OpaqueKind::Subpass)
        {
            self.layout_error(
                input.span,
                "input_attachment_index is for subpass inputs only (GL_KHR_vulkan_glsl)",
            );
        }
        let Some(binding) = given.layout.find(Key::Binding) else { return };
        let Some(opaque) = opaque else {
            let message = "binding is for blocks and opaque variables only (GLSL 4.60 section 4.4.6)";
            self.layout_error(binding.span, message);
            return;
        };
        if self.lang.vulkan {
            return;
        }
        if !self.lang.has(&BINDINGS) && opaque.kind != OpaqueKind::Image {
            let message = "binding needs GLSL 4.20, GLSL ES 3.10 or GL_ARB_shading_language_420pack";
            self.layout_error(binding.span, message);
        }
        let (limit, name) = match opaque.kind {
            OpaqueKind::Image => (self.limits.max_image_units, "GL_MAX_IMAGE_UNITS"),
            _ => (self.limits.max_combined_texture_image_units, "GL_MAX_COMBINED_TEXTURE_IMAGE_UNITS"),
        };
        let count = self.unit.types.components(ty).max(1);
        self.check_binding(binding.value, count, limit, name, binding.span);
    }

    fn check_binding(&mut self, binding: u32, count: u32, limit: u32, name: &str, span: Span) {
        if binding.saturating_add(count) > limit {
            let message = format!(
                "bindings {binding} to {} are out of range: {name} is {limit} (GLSL 4.60 section 4.4.6)",
                binding.saturating_add(count).saturating_sub(1)
            );
            self.layout_error(span, message);
        }
    }

    /// Binding and offset of atomic counters (GLSL 4.60 section 4.4.6.1).
    fn check_counter(&mut self, q: &mut Qualifiers, ty: Type, given: &Given<'_>, span: Span) {
        let Some(binding) = q.layout.binding else {
            self.layout_error(span, "an atomic counter needs a binding (GLSL 4.60 section 4.4.6.1)");
            return;
        };
        if binding >= self.limits.max_atomic_counter_buffer_bindings {
            let message = format!(
                "binding {binding} is out of range: GL_MAX_ATOMIC_COUNTER_BUFFER_BINDINGS is {} (GLSL 4.60 section 4.4.6.1)",
                self.limits.max_atomic_counter_buffer_bindings
            );
            self.layout_error(span, message);
            return;
        }
        let next = self.state.counter_offsets.get(&binding).copied().unwrap_or(0);
        let offset = q.layout.offset.unwrap_or(next);
        if !offset.is_multiple_of(4) {
            let at = given.layout.find(Key::Offset).map_or(span, |o| o.span);
            self.layout_error(
                at,
                format!("offset {offset} is not a multiple of 4 (GLSL 4.60 section 4.4.6.1)"),
            );
            return;
        }
        if self.is_unsized(ty) {
            self.error(span, "E1005", "an array of atomic counters needs a size (GLSL 4.60 section 4.4.6.1)");
            return;
        }
        let end = offset.saturating_add(self.unit.types.components(ty).saturating_mul(4));
        let taken = self.state.counters.entry(binding).or_default();
        let i = taken.partition_point(|r| r.1 <= offset);
        if taken.get(i).is_some_and(|r| r.0 < end) {
            let message = format!(
                "offset {offset} overlaps another atomic counter of binding {binding} (GLSL 4.60 section 4.4.6.1)"
            );
            self.layout_error(span, message);
            return;
        }
        taken.insert(i, (offset, end));
        self.state.counter_offsets.insert(binding, end);
        q.layout.offset = Some(offset);
    }

    /// Layout of a block as a whole.
    pub(crate) fn check_block_layout(&mut self, q: &mut Qualifiers, ty: Type, given: &Given<'_>, span: Span) {
        if ty == Type::Error {
            return;
        }
        if let Some(location) = given.layout.find(Key::Location) {
            self.check_location(q, ty, given, location.span);
        }
        self.check_stream(&given.layout.layout, given.span);
        if q.layout.push_constant {
            if q.layout.binding.is_some() || q.layout.set.is_some() {
                self.layout_error(
                    given.span,
                    "push-constant blocks cannot have a set or binding (GL_KHR_vulkan_glsl)",
                );
            }
            if std::mem::replace(&mut self.state.push_constant, true) {
                self.layout_error(
                    span,
                    "a shader can have only one push-constant block (GL_KHR_vulkan_glsl)",
                );
            }
        }
        if let Some(binding) = given.layout.find(Key::Binding).filter(|_| !self.lang.vulkan) {
            let storage = q.storage == Storage::Buffer;
            if !(self.lang.has(&BINDINGS) || storage && self.lang.ext(Ext::ARB_shader_storage_buffer_object))
            {
                let message = "binding needs GLSL 4.20, GLSL ES 3.10 or GL_ARB_shading_language_420pack";
                self.layout_error(binding.span, message);
            }
            let (limit, name) = if storage {
                (self.limits.max_shader_storage_buffer_bindings, "GL_MAX_SHADER_STORAGE_BUFFER_BINDINGS")
            } else {
                (self.limits.max_uniform_buffer_bindings, "GL_MAX_UNIFORM_BUFFER_BINDINGS")
            };
            let mut count = 1u32;
            let mut elem = ty;
            while let Some(array) = self.unit.types.as_array(elem) {
                count = count.saturating_mul(array.len.max(1));
                elem = array.elem;
            }
            self.check_binding(binding.value, count, limit, name, binding.span);
        }
    }

    /// Locations of the members of a block (GLSL 4.60 section 4.4.1).
    /// `elements`: the block is an array other than that of the vertices.
    pub(crate) fn member_locations(
        &mut self,
        q: &Qualifiers,
        fields: &mut [Field],
        elements: bool,
        span: Span,
    ) {
        let given = fields.iter().filter(|f| f.qualifiers.layout.location.is_some()).count();
        if given > 0 && elements {
            let message = "members of an array of blocks have no locations of their own, as each element needs others: the block has one (GLSL 4.60 section 4.4.1)";
            self.layout_error(span, message);
            fields.iter_mut().for_each(|f| f.qualifiers.layout.location = None);
            return;
        }
        if given > 0 && !self.lang.has(&MEMBER_LOCATIONS) && !self.lang.vulkan {
            self.layout_error(
                span,
                "locations of members need GLSL 4.40, GLSL ES 3.10 or GL_ARB_enhanced_layouts",
            );
            return;
        }
        for f in fields.iter() {
            if f.qualifiers.layout.component.is_some() {
                let mut layout = f.qualifiers.layout.clone();
                layout.location = layout.location.or(q.layout.location);
                self.check_component(&layout, f.ty, f.span);
            }
        }
        let mut next = match q.layout.location {
            Some(location) => location,
            None if given == 0 => return,
            None if given < fields.len() => {
                let message = "either all members or none have a location, unless the block has one (GLSL 4.60 section 4.4.1)";
                self.layout_error(span, message);
                return;
            }
            None => 0,
        };
        for field in fields {
            let location = field.qualifiers.layout.location.unwrap_or(next);
            field.qualifiers.layout.location = Some(location);
            next = location.saturating_add(self.locations(field.ty, false));
        }
    }

    /// Takes the components of the locations of a variable, and reports those that are taken (GLSL 4.60 section 4.4.1).
    pub(crate) fn claim_variable(&mut self, var: VarId) {
        let v = &self.unit[var];
        let q = &v.qualifiers;
        // On the desktop the linker reports it (GLSL 4.60 section 4.4.1: a compile-time or link-time error).
        if !self.lang.vulkan && !self.lang.version.is_es() {
            return;
        }
        let shared = matches!(
            (self.lang.stage, q.storage),
            (Stage::Vertex, Storage::In) | (Stage::Fragment, Storage::Out)
        );
        if !matches!(q.storage, Storage::In | Storage::Out) || shared {
            return;
        }
        let space = u8::from(q.storage == Storage::Out) + 2 * u8::from(q.patch);
        let ty = self.per_vertex_type(v.ty, q);
        let span = v.span;
        if v.block {
            let Type::Struct(id) = self.unit.types.without_arrays(ty) else { return };
            let fields: Vec<_> = self.unit.types.structs[id.0 as usize]
                .fields
                .iter()
                .map(|f| (f.ty, f.qualifiers.clone(), f.span))
                .collect();
            // The elements of an array of blocks come one after the other.
            let elements = self.unit.types.array_elements(ty);
            let stride = fields.iter().fold(0u32, |n, f| n.saturating_add(self.locations(f.0, false)));
            for n in 0..elements {
                let first = n.saturating_mul(stride);
                if first > MAX_CLAIMED {
                    break;
                }
                for (ty, q, span) in &fields {
                    if let Some(location) = q.layout.location {
                        self.claim(space, *ty, location.saturating_add(first), q, *span);
                    }
                }
            }
        } else if let Some(location) = q.layout.location {
            let q = q.clone();
            self.claim(space, ty, location, &q, span);
        }
    }

    fn claim(&mut self, space: u8, ty: Type, location: u32, q: &Qualifiers, span: Span) {
        let component = q.layout.component.unwrap_or(0);
        let how = (q.interpolation.unwrap_or_default(), q.sampling.unwrap_or_default());
        let count = self.locations(ty, false);
        // Out of range was reported; a larger range is not walked.
        if location.saturating_add(count) > MAX_CLAIMED || component > 3 {
            return;
        }
        // Components of a location, and of the second one of each element of dvec3 and dvec4.
        let (masks, kind) = match self.unit.types.without_arrays(ty) {
            Type::Vector { base, size } => {
                let wide = matches!(base, Base::Double | Base::Int64 | Base::Uint64);
                let n = u32::from(size) * if wide { 2 } else { 1 };
                let mask = |n: u32| (((1u32 << n.min(4)) - 1) << component) as u8 & 15;
                (
                    [mask(n), if n > 4 { mask(n - 4) } else { mask(n) }],
                    if wide { 2 } else { u8::from(base.is_integer()) },
                )
            }
            _ => ([15, 15], 0),
        };
        for l in location..location + count {
            let mask = masks[((l - location) % 2) as usize];
            let key = LocationKey { space, location: l, index: 0 };
            let taken = self.state.locations.entry(key).or_insert(Taken { mask: 0, kind, how });
            if taken.mask & mask != 0 {
                let message =
                    format!("location {l} is taken already by another variable (GLSL 4.60 section 4.4.1)");
                self.layout_error(span, message);
                return;
            }
            if taken.mask != 0 && taken.kind != kind {
                let message = format!(
                    "location {l} is shared by values of different kinds: floats, integers and 64-bit values do not mix (GLSL 4.60 section 4.4.1)"
                );
                self.layout_error(span, message);
                return;
            }
            if taken.mask != 0 && taken.how != how {
                let message = format!(
                    "variables that share location {l} must be interpolated in the same way (GLSL 4.60 section 4.4.1)"
                );
                self.layout_error(span, message);
                return;
            }
            taken.mask |= mask;
        }
    }
}
