//! Rules of the arguments and results of entry points.

use super::Lint;
use super::entries::{Entry, has, node, number_after, text, value};
use crate::functions::TextureKind;
use crate::inspect::Item;
use crate::ll::type_text;
use crate::module::{Md, Type, TypeId};
use crate::rules::Rule;

/// The indices that Metal has, and the rule: those of buffers, textures and samplers.
const LIMITS: [(&str, i64, Rule); 3] = [
    ("buffer", 31, Rule::BufferLimit),
    ("texture", 128, Rule::TextureLimit),
    ("sampler", 16, Rule::SamplerLimit),
];
/// Textures that are both read and written.
const WRITABLE_TEXTURES: usize = 8;
/// Deepest nesting of types that is searched for handles.
const MAX_DEPTH: u32 = 16;

impl Lint<'_> {
    pub(super) fn arguments(&mut self) {
        let m = self.m;
        for constant in &self.inspection.constants {
            if constant.index.is_some_and(|i| i > i64::from(u16::MAX)) {
                let message =
                    format!("the function constant `{}` has the index {:?}", constant.name, constant.index);
                self.report(Rule::ConstantIndex, "", message);
            }
        }
        for entry in self.entries() {
            let items =
                self.inspection.entries.iter().find(|e| e.name == entry.name && e.stage == entry.stage);
            for (at, &md) in entry.inputs.iter().enumerate() {
                let operands = node(m, md);
                let index = operands.first().and_then(|&md| m.int_value(value(m, md)?));
                let index = index.and_then(|i| usize::try_from(i).ok()).unwrap_or(at);
                self.names(&entry, index, operands);
                let param = entry.params.get(index).copied();
                if let (Some(ty), Some(item)) = (param, items.and_then(|e| e.inputs.get(at))) {
                    self.role(&entry, item, index, ty, operands);
                }
            }
            self.results(&entry);
            self.limits(&entry, items.map_or(&[], |e| &e.inputs));
        }
    }

    fn names(&mut self, entry: &Entry<'_>, index: usize, operands: &[Md]) {
        for key in ["air.arg_type_name", "air.arg_name"] {
            if !has(self.m, operands, key) {
                self.report(Rule::ArgumentName, entry.name, format!("argument {index} has no `{key}`"));
            }
        }
    }

    /// Whether the type of an argument is one that its role can have.
    fn role(&mut self, entry: &Entry<'_>, item: &Item, index: usize, ty: TypeId, operands: &[Md]) {
        let m = self.m;
        let kind = match item.kind.as_str() {
            // A gated argument has its role among the notes.
            "function_constant" => item.notes.iter().find_map(|n| n.strip_prefix("air.")).unwrap_or(""),
            kind => kind,
        };
        let shown = || format!("argument {index} (`{}`) is of type `{}`", item.name, type_text(m, ty));
        match kind {
            "texture" if !self.contains_handle(ty, is_texture, 0) => {
                self.report(Rule::HandleType, entry.name, format!("{}, expected a texture", shown()));
            }
            "sampler" if !self.contains_handle(ty, |name| name.starts_with("struct._sampler_t"), 0) => {
                self.report(Rule::HandleType, entry.name, format!("{}, expected a sampler", shown()));
            }
            "buffer" | "indirect_buffer" => {
                let handle = self.handle_name(ty);
                if handle.is_some_and(|name| is_texture(name) || name.starts_with("struct._sampler_t")) {
                    let message = format!("{}, but described as `air.{kind}`", shown());
                    self.report(Rule::RoleType, entry.name, message);
                }
                let constant = matches!(m.types().get(ty), Type::Pointer { space: 2, .. });
                if constant && (item.access == "read_write" || item.access == "write") {
                    let message = format!("{}, but marked `air.{}`", shown(), item.access);
                    self.report(Rule::Access, entry.name, message);
                }
            }
            _ => {}
        }
        let space = match m.types().get(ty) {
            Type::Pointer { space: space @ (4 | 5), .. } => space,
            _ => 0,
        };
        let fits = match space {
            4 => kind.starts_with("imageblock") || number_after(m, operands, "air.address_space") == Some(4),
            5 => matches!(kind, "payload" | "ray_data" | "buffer"),
            _ => true,
        };
        let own = matches!(entry.stage, "visible" | "intersection");
        if !fits && !own {
            self.report(Rule::ArgumentSpace, entry.name, shown());
        }
        if entry.stage == "fragment"
            && kind == "fragment_input"
            && !item.unused
            && !self.is_used(entry, index)
        {
            let message =
                format!("argument {index} (`{}`) is not used and not marked `air.arg_unused`", item.name);
            self.report(Rule::UnmarkedInput, entry.name, message);
        }
    }

    fn is_used(&self, entry: &Entry<'_>, index: usize) -> bool {
        let arg = crate::module::Value::arg(index as u32);
        let body = self.m.functions().get(entry.index as usize).and_then(|f| f.body.as_ref());
        body.is_none_or(|body| {
            body.locals().contains(&arg)
                || body.insts().iter().any(|inst| body.operands(inst).any(|v| v == arg))
        })
    }

    /// Whether a type is a pointer to a handle, or an array or struct with one.
    fn contains_handle(&self, ty: TypeId, is: fn(&str) -> bool, depth: u32) -> bool {
        if depth > MAX_DEPTH {
            return false;
        }
        if self.handle_name(ty).is_some_and(is) {
            return true;
        }
        let types = self.m.types();
        match types.get(ty) {
            Type::Pointer { pointee, .. } => self.contains_handle(pointee, is, depth + 1),
            Type::Array { elem, .. } => self.contains_handle(elem, is, depth + 1),
            Type::Struct { fields, .. } | Type::Named { fields, .. } => {
                types.list(fields).iter().any(|&field| self.contains_handle(field, is, depth + 1))
            }
            _ => false,
        }
    }

    fn results(&mut self, entry: &Entry<'_>) {
        let m = self.m;
        let role = |md: &Md| node(m, *md).first().and_then(|&md| text(m, md)).unwrap_or_default();
        for (at, &md) in entry.outputs.iter().enumerate() {
            let operands = node(m, md);
            let second = operands.get(2).is_some_and(|&md| value(m, md).is_some());
            if entry.stage == "fragment" && role(&md) == "air.render_target" && !second {
                self.report(Rule::RenderTarget, entry.name, format!("result {at} has one number"));
            }
        }
        if entry.stage == "vertex" {
            let later =
                entry.outputs.iter().any(|md| matches!(role(md), "air.vertex_output" | "air.clip_distance"));
            let position = entry.outputs.iter().any(|md| role(md) == "air.position");
            if later && !position {
                self.report(Rule::Position, entry.name, "no result is the position");
            }
        }
        if entry.stage == "visible"
            && let Type::Struct { packed: true, .. } = m.types().get(entry.ret)
        {
            let message = format!("the result is of type `{}`", type_text(m, entry.ret));
            self.report(Rule::VisibleReturn, entry.name, message);
        }
    }

    fn limits(&mut self, entry: &Entry<'_>, inputs: &[Item]) {
        let mut writable = 0;
        for item in inputs {
            writable += usize::from(item.kind == "texture" && item.access == "read_write");
            let kind = if item.kind == "indirect_buffer" { "buffer" } else { item.kind.as_str() };
            let Some((_, limit, rule)) = LIMITS.into_iter().find(|l| l.0 == kind) else { continue };
            let Some((first, count)) = item.location else { continue };
            let last = first.saturating_add(count.max(1)) - 1;
            if last >= limit {
                let message =
                    format!("the {kind} `{}` has the index {last}, expected one below {limit}", item.name);
                self.report(rule, entry.name, message);
            }
        }
        if writable > WRITABLE_TEXTURES {
            let message =
                format!("{writable} textures are read and written, expected at most {WRITABLE_TEXTURES}");
            self.report(Rule::WritableTextureLimit, entry.name, message);
        }
    }
}

/// Whether a struct is the handle of a texture.
fn is_texture(name: &str) -> bool {
    TextureKind::ALL
        .iter()
        .any(|k| name.strip_prefix(k.handle).is_some_and(|rest| rest.is_empty() || rest.starts_with('.')))
}
