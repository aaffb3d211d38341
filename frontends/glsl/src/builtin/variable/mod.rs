//! Built-in variables: declared in a unit when they are first named.

mod structs;
mod table;
mod var;

use super::availability;
use crate::hir::{PrecisionHint, Qualifiers, Storage, Unit, Variable};
use crate::limits::Limits;
use crate::source::Span;
use crate::types::{Field, Struct, Type};
use crate::version::Language;
use airfoil_ir::{Interpolation, Precision, Stage};
use table::{PER_VERTEX, Row, Shape, TABLE};
pub use var::{BuiltinIo, BuiltinVar};

fn rows(name: &str) -> impl Iterator<Item = &'static Row> {
    let start = TABLE.partition_point(|row| row.name < name);
    TABLE[start..].iter().take_while(move |row| row.name == name)
}

/// The variable of a name in a language, ready to be added to the unit; its structure and array types are added to `unit.types`.
/// `None` if this version and stage has none of the name.
///
/// * `gl_in` and `gl_out` are arrays of a block `gl_PerVertex`; in the geometry stage and for `gl_out` the array has no size until the
///   primitive or `vertices` is declared.
/// * `gl_WorkGroupSize` is `const` without a value: it gets one when the size is declared, before that it may not be used.
/// * `gl_TexCoord`, `gl_ClipDistance` and `gl_CullDistance` between stages have no size unless redeclared.
pub fn declare(name: &str, unit: &mut Unit, lang: &Language, limits: &Limits) -> Option<Variable> {
    let row = rows(name).find(|row| row.is_available(lang))?;
    let symbol = unit.names.intern(name);
    let ty = match row.shape {
        Shape::Plain(ty) => ty,
        Shape::Array(elem, len) => unit.types.array(elem, len),
        Shape::Limit(elem, len) => unit.types.array(elem, len(limits)),
        Shape::Block(len) => {
            let block = per_vertex(unit, lang, row.storage);
            unit.types.array(block, len.map_or(0, |f| f(limits)))
        }
        Shape::Struct(s) => structs::add(s, unit, lang),
        Shape::Structs(s, len) => {
            let elem = structs::add(s, unit, lang);
            unit.types.array(elem, len(limits))
        }
    };
    let var = Variable::new(symbol, ty, row.qualifiers(lang), Span::default());
    Some(Variable { builtin: Some(row.var), block: matches!(row.shape, Shape::Block(_)), ..var })
}

/// The members that `gl_PerVertex` has in a language, as an input (`gl_in`) or an output (`gl_out`): with these a shader's own
/// declaration of the block is compared. Array members without a size have the length 0.
pub fn per_vertex_fields(unit: &mut Unit, lang: &Language, storage: Storage) -> Vec<Field> {
    PER_VERTEX
        .iter()
        .filter(|row| row.is_available(lang))
        .map(|row| {
            let ty = match row.shape {
                Shape::Array(elem, len) => unit.types.array(elem, len),
                Shape::Plain(ty) => ty,
                _ => Type::Error,
            };
            let qualifiers = Qualifiers { storage, ..row.qualifiers(lang) };
            let name = unit.names.intern(row.name);
            Field { name, ty, span: Span::default(), qualifiers, builtin: Some(row.var) }
        })
        .collect()
}

fn per_vertex(unit: &mut Unit, lang: &Language, storage: Storage) -> Type {
    let fields = per_vertex_fields(unit, lang, storage);
    let name = Some(unit.names.intern("gl_PerVertex"));
    Type::Struct(unit.types.add_struct(Struct {
        name,
        fields,
        block: true,
        span: Span::default(),
        reference: None,
    }))
}

impl Row {
    fn is_available(&self, lang: &Language) -> bool {
        self.stages.contains(lang.stage) && !(lang.vulkan && self.not_vulkan()) && lang.has(&self.avail)
    }

    /// Whether `GL_KHR_vulkan_glsl` removes the variable.
    fn not_vulkan(&self) -> bool {
        use BuiltinVar::{DepthRange, InstanceId, NumSamples, VertexId};
        matches!(self.var, DepthRange | InstanceId | NumSamples | VertexId)
    }

    fn qualifiers(&self, lang: &Language) -> Qualifiers {
        let precision = match self.precision {
            _ if !lang.version.is_es() => Precision::None,
            // GLSL ES 1.00 section 7 has these lower than GLSL ES 3.00 section 7.
            Precision::High
                if lang.version.number == 100
                    && matches!(self.var, BuiltinVar::PointSize | BuiltinVar::FragCoord) =>
            {
                Precision::Medium
            }
            precision => precision,
        };
        let flat = lang.stage == Stage::Fragment
            && matches!(self.var, BuiltinVar::PrimitiveId | BuiltinVar::Layer | BuiltinVar::ViewportIndex);
        let tess_levels = matches!(self.var, BuiltinVar::TessLevelOuter | BuiltinVar::TessLevelInner);
        Qualifiers {
            storage: self.storage,
            precision: PrecisionHint(precision),
            interpolation: flat.then_some(Interpolation::Flat),
            patch: tess_levels || self.var == BuiltinVar::BoundingBox,
            constant: self.storage == Storage::Const,
            ..Qualifiers::default()
        }
    }
}

/// The requirements of a variable that this version and stage lack, for messages; `None` if no language has it.
pub fn hint(name: &str, lang: &Language) -> Option<String> {
    rows(name).next()?;
    if !rows(name).any(|row| row.stages.contains(lang.stage)) {
        return Some(format!("is not available in the {} stage", availability::stage_name(lang.stage)));
    }
    if lang.vulkan && rows(name).any(|row| row.not_vulkan()) {
        return Some("is not available in GLSL for Vulkan".into());
    }
    availability::needs(lang, rows(name).filter(|row| row.stages.contains(lang.stage)).map(|row| &row.avail))
}

#[cfg(test)]
mod tests;
