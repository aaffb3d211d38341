//! Qualifiers without a type: `layout(...) in;`, `invariant x;`, `precise x;` (GLSL 4.60 section 4.4, 4.8, 4.9).

use super::Checker;
use super::layout::{GivenId, GivenLayout};
use super::layout_table::{Key, context};
use super::qualifiers::Given;
use super::scope::Name;
use crate::extension::Ext;
use crate::hir::VarId;
use crate::source::Span;
use crate::syntax::{Ident, Qualifier};
use crate::token::Tok;
use crate::types::Type;
use airfoil_ir::{Primitive, Stage};

/// Vertices of an input primitive of geometry shaders.
fn vertices_of(primitive: Primitive) -> u32 {
    match primitive {
        Primitive::Points => 1,
        Primitive::Lines => 2,
        Primitive::LinesAdjacency => 4,
        Primitive::TrianglesAdjacency => 6,
        _ => 3,
    }
}

impl Checker<'_> {
    /// Qualifiers with names of variables, or alone.
    pub(crate) fn qualifier_declaration(
        &mut self,
        qualifiers: &[Qualifier<'_>],
        names: &[Ident],
        span: Span,
    ) {
        let given = self.read_qualifiers(qualifiers);
        if names.is_empty() {
            self.stage_declaration(&given, span);
            return;
        }
        if given.layout.layout.buffer_reference {
            self.announce_references(&given, names);
            return;
        }
        let other = given
            .storage
            .map(|s| s.1)
            .or(given.constant)
            .or(given.interpolation.map(|i| i.1))
            .or(given.sampling.map(|s| s.1))
            .or(given.patch)
            .or(given.precision.map(|p| p.1))
            .or(given.memory_span)
            .or(given.subroutine.map(|s| s.2))
            .or(given.layout.span());
        // `const S;` names a structure and declares nothing.
        if let (Some(span), [name]) = (other, names) {
            match self.lookup(name.name, name.span).or_else(|| self.lookup_struct(name.name)) {
                Some(Name::Struct(_) | Name::Error) => {}
                // A built-in constant becomes a specialization constant: its default is its value.
                Some(Name::Constant(default)) if given.layout.layout.constant_id.is_some() => {
                    self.specialize_builtin(*name, default, &given);
                }
                _ => {
                    let message = format!("{} is not the name of a type", self.name(name.name));
                    self.error(span.to(name.span), "E1001", message);
                }
            }
            return;
        }
        if let Some(span) = other {
            let message =
                "only invariant and precise can be added to a variable later (GLSL 4.60 section 4.8.1)";
            self.error(span, "E1006", message);
            return;
        }
        for name in names {
            self.add_qualifier(&given, *name);
        }
    }

    /// `invariant x;`, `precise x;`
    fn add_qualifier(&mut self, given: &Given<'_>, name: Ident) {
        let word = if given.invariant.is_some() { "invariant" } else { "precise" };
        let var: VarId = match self.lookup(name.name, name.span) {
            Some(Name::Var(var)) => var,
            Some(Name::Error) => return,
            Some(Name::Member(block, field)) => {
                if given.invariant.is_some() {
                    self.check_invariant(self.unit[block].qualifiers.storage, name.span);
                }
                // Members keep qualifiers in their block's type.
                if let Type::Struct(id) = self.unit.types.without_arrays(self.unit[block].ty) {
                    let q = &mut self.unit.types.structs[id.0 as usize].fields[field as usize].qualifiers;
                    q.precise |= given.precise.is_some();
                    q.invariant |= given.invariant.is_some();
                }
                return;
            }
            Some(_) => {
                let message = format!(
                    "{} cannot be made {word}: it is not a variable (GLSL 4.60 section 4.8.1)",
                    self.name(name.name)
                );
                self.error(name.span, "E1006", message);
                return;
            }
            None => {
                let message = format!("{} is not declared", self.name(name.name));
                self.error(name.span, "E1001", message);
                return;
            }
        };
        if self.unit[var].used || self.unit[var].written {
            let message = format!(
                "{} is used before it is made {word} (GLSL 4.60 section 4.8.1)",
                self.name(name.name)
            );
            self.error(name.span, "E1006", message);
            return;
        }
        if given.invariant.is_some() {
            if self.scopes.depth() > 0 {
                self.error(
                    name.span,
                    "E1006",
                    "invariant is allowed at global scope only (GLSL 4.60 section 4.8.1)",
                );
                return;
            }
            self.check_invariant(self.unit[var].qualifiers.storage, name.span);
            self.unit[var].qualifiers.invariant = true;
        }
        if given.precise.is_some() {
            self.unit[var].qualifiers.precise = true;
        }
    }

    /// `layout(...) in;` and so on.
    fn stage_declaration(&mut self, given: &Given<'_>, span: Span) {
        let other = given
            .constant
            .or(given.interpolation.map(|i| i.1))
            .or(given.sampling.map(|s| s.1))
            .or(given.patch)
            .or(given.precision.map(|p| p.1))
            .or(given.memory_span)
            .or(given.invariant)
            .or(given.precise)
            .or(given.subroutine.map(|s| s.2));
        let storage = given.storage.map(|s| s.0);
        if other.is_some() || given.layout.span().is_none() || storage.is_none() {
            let message =
                "qualifiers alone must be layout with in, out, uniform or buffer (GLSL 4.60 section 4.4)";
            self.error(other.unwrap_or(span), "E1006", message);
            return;
        }
        if self.scopes.depth() > 0 {
            self.error(
                span,
                "E1007",
                "layout declarations are allowed at global scope only (GLSL 4.60 section 4.4)",
            );
            return;
        }
        let layout = &given.layout;
        match storage {
            Some(Tok::In) => {
                self.check_layout_context(layout, context::IN_DEFAULT);
                self.input_layout(layout);
            }
            Some(Tok::Out) => {
                self.check_layout_context(layout, context::OUT_DEFAULT);
                self.output_layout(layout);
            }
            Some(Tok::Shared) if self.lang.ext(Ext::EXT_shared_memory_block) => {
                self.check_layout_context(layout, context::BUFFER_DEFAULT);
            }
            Some(word @ (Tok::Uniform | Tok::Buffer)) => {
                let buffer = word == Tok::Buffer;
                let place = if buffer { context::BUFFER_DEFAULT } else { context::UNIFORM_DEFAULT };
                self.check_layout_context(layout, place);
                let defaults = if buffer { &mut self.state.buffer } else { &mut self.state.uniform };
                defaults.matrix = layout.layout.matrix.or(defaults.matrix);
                defaults.packing = layout.layout.packing.or(defaults.packing);
            }
            _ => {
                let message =
                    "a layout declaration requires in, out, uniform or buffer (GLSL 4.60 section 4.4)";
                self.error(span, "E1007", message);
            }
        }
    }

    fn contradiction(&mut self, id: GivenId) {
        let message =
            format!("{} contradicts an earlier layout declaration (GLSL 4.60 section 4.4)", id.row.name);
        self.error(id.span, "E1007", message);
    }

    fn layout_in_range(&mut self, id: GivenId, low: u32, high: u32) -> bool {
        let fits = (low..=high).contains(&id.value);
        if !fits {
            let message = format!(
                "{} is {}, it must be {low} to {high} (GLSL 4.60 section 4.4)",
                id.row.name, id.value
            );
            self.error(id.span, "E1007", message);
        }
        fits
    }

    fn input_layout(&mut self, given: &GivenLayout) {
        for &id in given.ids.iter().filter(|id| id.row.contexts & context::IN_DEFAULT != 0) {
            match id.row.key {
                Key::Primitive(primitive) => {
                    let old = self.unit.layout.input_primitive.replace(primitive);
                    if old.is_some_and(|old| old != primitive) {
                        self.contradiction(id);
                    } else if self.lang.stage == Stage::Geometry && old.is_none() {
                        self.set_vertices(0, vertices_of(primitive), id.span);
                    }
                }
                Key::Spacing(spacing)
                    if self.unit.layout.spacing.replace(spacing).is_some_and(|old| old != spacing) =>
                {
                    self.contradiction(id);
                }
                Key::Winding(clockwise)
                    if self.unit.layout.clockwise.replace(clockwise).is_some_and(|old| old != clockwise) =>
                {
                    self.contradiction(id);
                }
                Key::PointMode => self.unit.layout.point_mode = true,
                Key::Invocations
                    if self.layout_in_range(id, 1, self.limits.max_geometry_shader_invocations)
                        && self
                            .unit
                            .layout
                            .invocations
                            .replace(id.value)
                            .is_some_and(|old| old != id.value) =>
                {
                    self.contradiction(id);
                }
                Key::EarlyFragmentTests => self.unit.layout.early_fragment_tests = true,
                Key::PostDepthCoverage => {
                    self.unit.layout.post_depth_coverage = true;
                    // It implies early tests, in GL_ARB_post_depth_coverage only.
                    self.unit.layout.early_fragment_tests |= self.lang.ext(Ext::ARB_post_depth_coverage);
                }
                // The view masks of Airfoil and Vulkan have 32 bits.
                Key::NumViews
                    if self.layout_in_range(id, 1, self.limits.max_views.clamp(1, 32))
                        && self
                            .unit
                            .layout
                            .num_views
                            .replace(id.value)
                            .is_some_and(|old| old != id.value) =>
                {
                    self.contradiction(id);
                }
                Key::LocalSize(axis) => self.local_size(usize::from(axis), id),
                Key::LocalSizeId(axis) => {
                    let known = &mut self.unit.layout.local_size_id[usize::from(axis)];
                    if known.replace(id.value).is_some_and(|old| old != id.value) {
                        self.contradiction(id);
                    }
                }
                Key::LocalSizeVariable => self.unit.layout.local_size_variable = true,
                Key::DerivativeGroup(linear) => self.unit.layout.derivative_group = Some(linear),
                _ => {}
            }
        }
        self.specialize_local_size(given);
        self.check_work_group(given);
    }

    fn max_local_size(&self, axis: usize) -> u32 {
        let limits = &self.limits;
        [
            limits.max_compute_work_group_size_x,
            limits.max_compute_work_group_size_y,
            limits.max_compute_work_group_size_z,
        ][axis]
    }

    fn local_size(&mut self, axis: usize, id: GivenId) {
        if !self.layout_in_range(id, 1, self.max_local_size(axis)) {
            return;
        }
        if self.unit.layout.local_size[axis].replace(id.value).is_some_and(|old| old != id.value) {
            self.contradiction(id);
        }
    }

    /// Sizes by numbers of specialization constants take the values of the options (GL_KHR_vulkan_glsl).
    fn specialize_local_size(&mut self, given: &GivenLayout) {
        for &id in &given.ids {
            let Key::LocalSizeId(axis) = id.row.key else { continue };
            let Some(value) = self.spec_value(id.value) else { continue };
            let (axis, value) = (usize::from(axis), value as u32);
            // The limits of a size in the source apply to the value of a specialization constant, too.
            if self.layout_in_range(GivenId { value, ..id }, 1, self.max_local_size(axis)) {
                self.unit.layout.local_size[axis] = Some(value);
            }
        }
    }

    /// Rules of the whole size of a workgroup (GLSL 4.60 section 4.4.1.1).
    fn check_work_group(&mut self, given: &GivenLayout) {
        let Some(id) = given
            .ids
            .iter()
            .copied()
            .find(|id| matches!(id.row.key, Key::LocalSize(_) | Key::LocalSizeId(_)))
        else {
            return;
        };
        let product: u64 = self.unit.layout.local_size.iter().map(|s| u64::from(s.unwrap_or(1))).product();
        let limit = self.limits.max_compute_work_group_invocations;
        if product > u64::from(limit) {
            let message = format!(
                "a workgroup of {product} invocations is too large: GL_MAX_COMPUTE_WORK_GROUP_INVOCATIONS is {limit} (GLSL 4.60 section 4.4.1.1)"
            );
            self.error(id.span, "E1007", message);
        }
        if self.unit.layout.local_size_variable {
            self.contradiction(id);
        }
    }

    fn output_layout(&mut self, given: &GivenLayout) {
        let xfb_buffer = given.find(Key::XfbBuffer);
        for &id in given.ids.iter().filter(|id| id.row.contexts & context::OUT_DEFAULT != 0) {
            match id.row.key {
                Key::Primitive(primitive)
                    if self
                        .unit
                        .layout
                        .output_primitive
                        .replace(primitive)
                        .is_some_and(|old| old != primitive) =>
                {
                    self.contradiction(id);
                }
                Key::MaxVertices
                    if self.layout_in_range(id, 0, self.limits.max_geometry_output_vertices)
                        && self
                            .unit
                            .layout
                            .max_vertices
                            .replace(id.value)
                            .is_some_and(|old| old != id.value) =>
                {
                    self.contradiction(id);
                }
                Key::Vertices => {
                    if !self.layout_in_range(id, 1, self.limits.max_patch_vertices) {
                        continue;
                    }
                    let old = self.unit.layout.vertices.replace(id.value);
                    if old.is_some_and(|old| old != id.value) {
                        self.contradiction(id);
                    } else if old.is_none() {
                        self.set_vertices(1, id.value, id.span);
                    }
                }
                Key::Stream => {
                    self.check_stream(&given.layout, id.span);
                    self.unit.layout.stream = Some(id.value);
                }
                Key::XfbBuffer if self.check_xfb_buffer(id.value, id.span) => {
                    self.unit.layout.xfb_buffer = Some(id.value);
                }
                Key::XfbStride => {
                    let buffer = xfb_buffer.map(|b| b.value).or(self.unit.layout.xfb_buffer).unwrap_or(0);
                    self.set_xfb_stride(buffer, id.value, id.span);
                }
                Key::BlendSupport(bits) => self.unit.layout.blend_support |= bits,
                _ => {}
            }
        }
    }
}
