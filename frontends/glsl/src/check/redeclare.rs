//! Redeclaration of built-in variables (GLSL 4.60 section 7.1, 4.60 section 4.4.1.3).

use super::Checker;
use super::layout::GivenLayout;
use super::layout_table::Key;
use super::qualifiers::Given;
use super::scope::Name;
use crate::extension::Ext;
use crate::hir::{Storage, VarId};
use crate::source::Span;
use crate::syntax::Declarator;
use crate::types::Type;
use crate::version::{Avail, NEVER};
use airfoil_ir::Stage;

const fn only(exts: &'static [Ext]) -> Avail {
    Avail::since(NEVER, NEVER).or(exts)
}

const COLORS: Avail = Avail::since(130, NEVER);
const DISTANCES: Avail =
    Avail::since(130, NEVER).or(&[Ext::EXT_clip_cull_distance, Ext::APPLE_clip_distance]);
const POSITION: Avail = Avail::since(410, 320).or(&[
    Ext::ARB_separate_shader_objects,
    Ext::EXT_separate_shader_objects,
    Ext::EXT_shader_io_blocks,
    Ext::OES_shader_io_blocks,
]);
const FETCH: &[Ext] = &[
    Ext::EXT_shader_framebuffer_fetch,
    Ext::EXT_shader_framebuffer_fetch_non_coherent,
    Ext::ARM_shader_framebuffer_fetch,
];

/// Which variables, and where.
#[rustfmt::skip]
const REDECLARABLE: &[(&str, Avail)] = &[
    ("gl_BackColor", COLORS),
    ("gl_BackSecondaryColor", COLORS),
    ("gl_ClipDistance", DISTANCES),
    ("gl_Color", COLORS),
    ("gl_CullDistance", Avail::since(450, NEVER).or(&[Ext::ARB_cull_distance, Ext::EXT_clip_cull_distance])),
    ("gl_FragCoord", Avail::since(150, NEVER).or(&[Ext::ARB_fragment_coord_conventions])),
    ("gl_FragDepth", Avail::since(420, NEVER).or(&[Ext::ARB_conservative_depth, Ext::AMD_conservative_depth, Ext::EXT_conservative_depth])),
    ("gl_FragStencilRefARB", only(&[Ext::ARB_shader_stencil_export])),
    ("gl_FrontColor", COLORS),
    ("gl_FrontSecondaryColor", COLORS),
    ("gl_LastFragColorARM", only(FETCH)),
    ("gl_LastFragData", only(FETCH)),
    ("gl_PointSize", POSITION),
    ("gl_Position", POSITION),
    ("gl_SampleMask", Avail::since(400, 320).or(&[Ext::ARB_sample_shading, Ext::OES_sample_variables])),
    ("gl_SecondaryColor", COLORS),
    ("gl_TexCoord", Avail::since(110, NEVER)),
];

/// Members of `gl_PerVertex` that can be outputs (GLSL 4.60 section 7.1).
pub(crate) const PER_VERTEX: &[&str] = &[
    "gl_Position",
    "gl_PointSize",
    "gl_ClipDistance",
    "gl_CullDistance",
    "gl_ClipVertex",
    "gl_FrontColor",
    "gl_BackColor",
    "gl_FrontSecondaryColor",
    "gl_BackSecondaryColor",
    "gl_TexCoord",
    "gl_FogFragCoord",
];

impl Checker<'_> {
    /// A variable whose name starts with `gl_` is declared.
    pub(crate) fn redeclare_builtin(
        &mut self,
        name: &Declarator<'_>,
        ty: Type,
        given: &Given<'_>,
        storage: Storage,
    ) {
        let span = name.name.span;
        let text = self.name(name.name.name).to_owned();
        let allowed = REDECLARABLE
            .binary_search_by(|r| r.0.cmp(text.as_str()))
            .is_ok_and(|i| self.lang.has(&REDECLARABLE[i].1));
        let var = match self.lookup(name.name.name, span) {
            Some(Name::Var(var)) if allowed => var,
            Some(Name::Error) => return,
            known => {
                let message = match known {
                    Some(_) => format!(
                        "{text} cannot be redeclared in {} (GLSL 4.60 section 7.1)",
                        self.lang.version
                    ),
                    None => format!("{text}: names that start with gl_ are reserved (GLSL 4.60 section 3.7)"),
                };
                self.error(span, "E1003", message);
                return;
            }
        };
        if name.init.is_some() {
            let message = format!("{text} cannot have an initial value (GLSL 4.60 section 7.1)");
            self.error(span, "E1008", message);
        }
        let old = self.unit[var].qualifiers.storage;
        // Framebuffer fetch variables are declared again without storage, for their precision.
        let fetch = text.starts_with("gl_LastFrag") && storage == Storage::Global;
        if old != storage && !fetch && !(old == Storage::Out && storage == Storage::InOut) {
            let message =
                format!("{text} is redeclared with another storage qualifier (GLSL 4.60 section 7.1)");
            self.error(span, "E1002", message);
            return;
        }
        if self.state.per_vertex[1] && PER_VERTEX.contains(&text.as_str()) && old == Storage::Out {
            let message = format!("{text} is redeclared after gl_PerVertex (GLSL 4.60 section 7.1)");
            self.error(span, "E1002", message);
            return;
        }
        if PER_VERTEX.contains(&text.as_str()) && old == Storage::Out {
            self.state.per_vertex_member.get_or_insert(span);
        }
        if !self.resize_builtin(var, ty, &text, span) {
            return;
        }
        match text.as_str() {
            "gl_FragCoord" => self.redeclare_frag_coord(var, &given.layout, span),
            "gl_FragDepth" => self.redeclare_frag_depth(var, &given.layout, span),
            _ => {}
        }
        let invariant = given.invariant.is_some();
        let v = &mut self.unit[var];
        if let Some((interpolation, _)) = given.interpolation {
            v.qualifiers.interpolation = Some(interpolation);
        }
        if let Some((sampling, _)) = given.sampling {
            v.qualifiers.sampling = Some(sampling);
        }
        if let Some((precision, _)) = given.precision {
            v.qualifiers.precision.0 = precision;
        }
        v.qualifiers.invariant |= invariant;
        v.qualifiers.precise |= given.precise.is_some();
        v.qualifiers.layout.noncoherent |= given.layout.layout.noncoherent;
        v.span = span;
        self.state.redeclared.insert(var, given.layout.layout.clone());
    }

    /// Gives a built-in variable the type of its new declaration, which may differ in an array size only.
    pub(crate) fn resize_builtin(&mut self, var: VarId, ty: Type, text: &str, span: Span) -> bool {
        if ty == Type::Error {
            return false;
        }
        let old = self.unit[var].ty;
        let (old_array, new_array) = (self.unit.types.as_array(old), self.unit.types.as_array(ty));
        let fits = match (old_array, new_array) {
            (Some(old), Some(new)) => old.elem == new.elem,
            (None, None) => old == ty,
            _ => false,
        };
        if !fits {
            let message = format!(
                "{text} is redeclared with type {}, but it is {} (GLSL 4.60 section 7.1)",
                self.type_name(ty),
                self.type_name(old)
            );
            self.error(span, "E1002", message);
            return false;
        }
        let Some(new) = new_array.filter(|a| a.len != 0) else { return true };
        let sized = old_array.is_some_and(|a| a.len != 0) && self.state.redeclared.contains_key(&var);
        if sized && old != ty {
            let message = format!("{text} has a size already (GLSL 4.60 section 7.1)");
            self.error(span, "E1005", message);
            return false;
        }
        let limit = match text {
            "gl_ClipDistance" => self.limits.max_clip_distances,
            "gl_CullDistance" => self.limits.max_cull_distances,
            "gl_TexCoord" => self.limits.max_texture_coords,
            _ => u32::MAX,
        };
        if new.len > limit {
            let message = format!(
                "{text} has {} elements, more than the limit {limit} (GLSL 4.60 section 7.1)",
                new.len
            );
            self.error(span, "E1005", message);
            return false;
        }
        if new.len < self.unit[var].min_len {
            let message =
                format!("{text} has been indexed beyond {} elements (GLSL 4.60 section 4.1.9)", new.len);
            self.error(span, "E1005", message);
            return false;
        }
        self.unit[var].ty = ty;
        true
    }

    fn is_used(&self, var: VarId) -> bool {
        self.unit[var].used || self.unit[var].written
    }

    fn redeclare_frag_coord(&mut self, var: VarId, given: &GivenLayout, span: Span) {
        let upper = given.find(Key::OriginUpperLeft).is_some();
        let center = given.find(Key::PixelCenterInteger).is_some();
        let layout = &self.unit.layout;
        if layout.frag_coord_redeclared {
            if (layout.origin_upper_left, layout.pixel_center_integer) != (upper, center) {
                let message = "gl_FragCoord is redeclared with another layout (GLSL 4.60 section 4.4.1.3)";
                self.error(span, "E1007", message);
            }
        } else if self.is_used(var) {
            let message = "gl_FragCoord is used before it is redeclared (GLSL 4.60 section 4.4.1.3)";
            self.error(span, "E1007", message);
        }
        let layout = &mut self.unit.layout;
        layout.frag_coord_redeclared = true;
        layout.origin_upper_left = upper;
        layout.pixel_center_integer = center;
    }

    fn redeclare_frag_depth(&mut self, var: VarId, given: &GivenLayout, span: Span) {
        let depth = given.ids.iter().find_map(|id| match id.row.key {
            Key::Depth(depth) => Some(depth),
            _ => None,
        });
        if self.state.redeclared.contains_key(&var) {
            if self.unit.layout.depth != depth {
                let message = "gl_FragDepth is redeclared with another layout (GLSL 4.60 section 4.4.2.3)";
                self.error(span, "E1007", message);
            }
        } else if self.is_used(var) {
            let message = "gl_FragDepth is used before it is redeclared (GLSL 4.60 section 4.4.2.3)";
            self.error(span, "E1007", message);
        }
        self.unit.layout.depth = depth;
    }

    /// Layouts that only `gl_FragCoord` and `gl_FragDepth` have.
    pub(crate) fn check_special_layouts(&mut self, given: &GivenLayout) {
        for id in &given.ids {
            let owner = match id.row.key {
                Key::OriginUpperLeft | Key::PixelCenterInteger => "gl_FragCoord",
                Key::Depth(_) => "gl_FragDepth",
                _ => continue,
            };
            let message =
                format!("layout qualifier {} is for {owner} only (GLSL 4.60 section 4.4)", id.row.name);
            self.error(id.span, "E1007", message);
        }
    }

    /// Vertices of the primitives of a stage's arrayed interface.
    pub(crate) fn size_by_vertices(&mut self, var: VarId) {
        let q = &self.unit[var].qualifiers;
        if !self.is_arrayed(q.storage, q.patch) {
            return;
        }
        let Some(array) = self.unit.types.as_array(self.unit[var].ty) else { return };
        let side = usize::from(q.storage == Storage::Out);
        let span = self.unit[var].span;
        if side == 0 && self.lang.stage != Stage::Geometry {
            let max = self.limits.max_patch_vertices;
            if array.len == 0 {
                self.unit[var].ty = self.unit.types.array(array.elem, max);
            } else if array.len != max {
                let message = format!(
                    "the array must have gl_MaxPatchVertices ({max}) elements or no size (GLSL 4.60 section 4.3.4)"
                );
                self.error(span, "E1005", message);
            }
            return;
        }
        match (array.len, self.state.vertices[side], self.state.declared_vertices[side]) {
            (0, _, Some(n)) => self.unit[var].ty = self.unit.types.array(array.elem, n),
            (0, _, None) => self.state.unsized_vertices[side].push(var),
            (len, Some(n), _) if len != n => {
                let message = format!(
                    "the array has {len} elements, but the primitives have {n} vertices (GLSL 4.60 section 4.4.1.2)"
                );
                self.error(span, "E1005", message);
            }
            (len, _, _) => self.state.vertices[side] = Some(len),
        }
    }

    /// A layout determines how many vertices the primitives have.
    pub(crate) fn set_vertices(&mut self, side: usize, n: u32, span: Span) {
        if let Some(old) = self.state.vertices[side].filter(|&old| old != n) {
            let message = format!(
                "the layout gives {n} vertices, but an array was declared with {old} elements (GLSL 4.60 section 4.4.1.2)"
            );
            self.error(span, "E1007", message);
            return;
        }
        self.state.vertices[side] = Some(n);
        self.state.declared_vertices[side] = Some(n);
        for var in std::mem::take(&mut self.state.unsized_vertices[side]) {
            let Some(array) = self.unit.types.as_array(self.unit[var].ty) else { continue };
            if self.unit[var].min_len > n {
                let message = format!(
                    "{} has been indexed beyond the {n} vertices of the layout (GLSL 4.60 section 4.4.1.2)",
                    self.name(self.unit[var].name)
                );
                self.error(span, "E1007", message);
                continue;
            }
            self.unit[var].ty = self.unit.types.array(array.elem, n);
        }
    }
}
